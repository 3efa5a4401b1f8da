"""The chaining executor: each step is one stratum of forward chaining; facts go in, derived facts come out.

durable_rules matches the conditions. Counts, places and ranks are facts computed between the strata from what the
steps before left, as the plain executor computes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from mqclause.executors.durable import FACT, network
from mqclause.executors.pattern import Pattern
from mqclause.executors.plain import Walk, first_scope, walked
from mqclause.executors.run import CarriedValues, Run
from mqclause.executors.steps import Steps
from mqclause.rulebook.rule import Expression

BEYOND = json.dumps({"$gt": {"place": {"$m": "limit"}}})


@frozen
class Chaining:
    """The steps of a ruleset run by forward chaining: one stratum at a time runs in the process."""

    steps: Steps
    _patterns: dict[int, Pattern] = field(factory=dict, init=False, repr=False)

    def run(
        self,
        situation: Any,
        among: Sequence[Any],
        carried: CarriedValues | None = None,
        earlier: Mapping[str, Any] = {},
        traced: bool = True,
    ) -> Run:
        """As the plain executor. Raises ChainingError if durable_rules misbehaves."""
        scope = first_scope(self.steps, situation, among, carried, earlier)
        return walked(_Strata(list(among), scope, patterns=self._patterns), self.steps, traced)


@define
class _Strata(Walk):
    """A walk in which durable_rules matches; ``patterns`` has each condition as it matches it, by the tree's id."""

    patterns: dict[int, Pattern] = field(factory=dict, kw_only=True)

    def pattern(self, condition: Expression) -> Pattern:
        if id(condition) not in self.patterns:
            self.patterns[id(condition)] = Pattern.of(condition)
        return self.patterns[id(condition)]

    def holds(self, condition: Expression) -> bool:
        pattern = self.pattern(condition)
        return bool(network(pattern.form).matches([pattern.fact(0, self.scope)]))

    def those(self, subjects: Sequence[Any], condition: Expression) -> list[Any]:
        pattern = self.pattern(condition)
        return _fired(
            subjects, pattern.form, [pattern.fact(at, self.scope.about(each)) for at, each in enumerate(subjects)]
        )

    def beyond(self, subjects: Sequence[Any], places: Sequence[int], limit: int) -> list[Any]:
        return _fired(subjects, BEYOND, [{FACT: at, "place": place, "limit": limit} for at, place in enumerate(places)])


def _fired(subjects: Sequence[Any], form: str, facts: Sequence[Mapping[str, Any]]) -> list[Any]:
    fired = network(form).matches(facts)
    return [each for at, each in enumerate(subjects) if at in fired]
