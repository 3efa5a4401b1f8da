"""Cases that go through the product: what a replay, a question about a put or one about a day answers, whole.

A case file has such cases in ``[[scenario]]``, over the facts of its ``[scene]``: with an ``event`` they are replayed,
with ``on`` it is asked what is held on that day, and with a put in the facts it is decided. ``[scenario.exit.NAME]``
says by ExitReason what the exit does that CLWLEXIT(NAME) calls:

- ``takes``: the queue manager that it takes; ``response``: its ExitResponse
- ``sees``: fields of MQWXP with the values that they have to have; ``buffer`` is how long MsgBuffer is
- ``fails``: true, it raises; ``sleeps``: for so many seconds

In ``[scenario.expect]`` stand ``rows`` (each with its event), ``trace`` or ``retention``: as much of the JSON as
matters, tables key by key, and lists in full; and ``exit_limit``, the seconds that a call of an exit may take.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

from attrs import evolve, frozen

from mqclause.answers.cases.asked_case import AskedCase, Comparison
from mqclause.answers.choice.engine import Engine
from mqclause.answers.replay.administration import Administration
from mqclause.answers.replay.replay import Replay
from mqclause.answers.replay.retention import retention
from mqclause.executors.run import ExecutorName
from mqclause.model.assembly.snapshot import read_document
from mqclause.model.assembly.source import Source
from mqclause.model.exits.structures import MQWXP
from mqclause.model.timeline.held import day_given, read_held
from mqclause.model.timeline.scenario import scenario_of
from mqclause.rulebook.case import CaseError, CaseFile, Stated, differs
from mqclause.rulebook.rules import Rules


class FromProduct(NamedTuple):
    """What came out, as JSON values; ``exit_limit`` is that of the engine that was asked, None for a day."""

    document: Any
    exit_limit: float | None = None


@frozen(eq=False)
class ScriptedExit:
    """An exit that does what a case says, by its ExitReason."""

    does: Mapping[str, Mapping[str, Any]]

    def __call__(self, wxp: MQWXP) -> None:
        said = self.does.get(wxp.ExitReason, {})
        for name, wanted in said.get("sees", {}).items():
            got = len(wxp.MsgBuffer) if name == "buffer" else getattr(wxp, name)
            if got != wanted:
                raise ValueError(f"{name} is {got}")
        time.sleep(said.get("sleeps", 0))
        if said.get("fails"):
            raise ValueError("it fails")
        hosts = [each.QMgrName.strip() for each in wxp.DestinationArray]
        if "takes" in said:
            wxp.DestinationChosen = hosts.index(said["takes"]) + 1
        wxp.ExitResponse = said.get("response", wxp.ExitResponse)


def _rows(got: FromProduct, wanted: list[Stated]) -> Iterator[str]:
    by_event = {row["event"]: row for row in got.document}
    for row in wanted:
        yield from _differing(f"event {row['event']}", row, by_event.get(row["event"], {}))


def _document(got: FromProduct, wanted: Stated) -> Iterator[str]:
    yield from _differing("answer", wanted, got.document)


def _exit_limit(got: FromProduct, wanted: float) -> Iterator[str]:
    yield from differs("exit_limit", wanted, got.exit_limit)


def _differing(place: str, wanted: Any, got: Any) -> Iterator[str]:
    """Where ``got`` is not as ``wanted``: tables as far as they are stated, lists in full."""
    if isinstance(wanted, Mapping) and isinstance(got, Mapping):
        for key, value in wanted.items():
            yield from _differing(f"{place}.{key}", value, got.get(key))
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for at, (one, other) in enumerate(zip(wanted, got, strict=True)):
            yield from _differing(f"{place}[{at}]", one, other)
    elif wanted == "" and got is None:
        return
    else:
        yield from differs(place, wanted, got)


PRODUCT_EXPECTATIONS: Mapping[str, Comparison] = {
    "rows": _rows,
    "trace": _document,
    "retention": _document,
    "exit_limit": _exit_limit,
}
"""The closed set of keys that a case may expect, and how each is compared. Blank text stands for null, too."""


@frozen(eq=False, slots=False)
class ProductCase(AskedCase):
    """Facts, and a question that the product answers about them; its ``exits`` do what the case says."""

    events: tuple[Stated, ...] = ()
    on: str = ""
    exits: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None
    exit_limit: float | None = None

    KEYS: ClassVar[frozenset[str]] = frozenset({"event", "on", "exit", "exit_limit"})
    EXPECTS: ClassVar[frozenset[str]] = frozenset(PRODUCT_EXPECTATIONS)
    COMPARED: ClassVar[Mapping[str, Comparison]] = PRODUCT_EXPECTATIONS
    GOES_THROUGH: ClassVar[bool] = True
    SAYS_ACTS: ClassVar[bool] = False

    @classmethod
    def of(cls, file: CaseFile, table: Stated, place: str, **more: Any) -> Self:
        case = super().of(file, table, place, **more)
        events, on = tuple(table.get("event", ())), str(table.get("on", ""))
        if bool(events) + bool(on) + ("put" in case.facts) != 1:
            raise CaseError(f"{place}: one of event, on and facts.put is needed")
        return evolve(case, events=events, on=on, exits=table.get("exit"), exit_limit=table.get("exit_limit"))

    @cached_property
    def _given(self) -> dict[str, ScriptedExit]:
        return {name: ScriptedExit(does) for name, does in (self.exits or {}).items()}

    def answer(self, rules: Rules, executor: ExecutorName = "compiled") -> FromProduct:
        """What the product answers. Raises FactsError, ReadingError and RuleError."""
        known = self.read(rules)
        if self.on:
            day, text = day_given(self.on), json.dumps(self.facts, default=str)
            held = read_held([Source(f"{self}.json", text.encode())], day)
            return FromProduct(retention(Administration(known, executor), held, day).document())
        if self.events:
            with Replay(known, executor, self._given, self.exit_limit) as replay:
                scenario = scenario_of({**self.facts, "event": list(self.events)}, str(self))
                return FromProduct([row.to_json() for row in replay.rows(scenario)], replay.engine.exits.limit)
        snapshot = read_document(self.facts, str(self))
        assert snapshot.put is not None, "the facts have a put"  # noqa: S101
        with Engine(known, executor, self._given, self.exit_limit) as engine:
            decision = engine.choose(snapshot.put, snapshot.cluster, explain="rule")
            return FromProduct(decision.to_json(), engine.exits.limit)

    def told(self, rules: Rules, executor: ExecutorName = "compiled") -> Any:
        return self.answer(rules, executor)

    def acted(self, answer: FromProduct) -> bool:  # noqa: ARG002 - which rules were asked, the answer does not say
        return bool(self.acts)
