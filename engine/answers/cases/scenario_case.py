"""Cases of events: those of the scene, then those of the case, counted from 0 on."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, Self

from attrs import evolve, frozen

from mqclause.answers.cases.asked_case import AskedCase
from mqclause.model.timeline.scenario import Scenario, scenario_of
from mqclause.rulebook.case import CaseFile, Stated


@frozen(eq=False, slots=False)
class ScenarioCase(AskedCase):
    """Events over their facts; ``own`` is the number of the first event that is not the scene's.

    What a case states under one of its ``KEYS`` follows what the scene has there.
    """

    own: int = 0

    GOES_THROUGH: ClassVar[bool] = True
    KEYS: ClassVar[frozenset[str]] = frozenset({"event"})

    @classmethod
    def of(cls, file: CaseFile, table: Stated, place: str, **more: Any) -> Self:
        case = super().of(file, table, place, **more)
        added = {key: [*case.facts.get(key, []), *table.get(key, [])] for key in cls.KEYS}
        return evolve(case, facts={**case.facts, **added}, own=len(case.facts.get("event", [])))

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario as a replay takes it."""
        return scenario_of(self.facts, str(self))
