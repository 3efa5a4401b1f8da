"""Cases of the trigger rules: facts, what happens one event after the other, and what each event must lead to.

``facts.event`` of the file are the events of the scene; those of the case follow. Events are counted from 0, those of
the scene included; ``acts`` is about the events of the case alone.

In ``[case.expect]``:

- ``trigger_messages``: every trigger message of the case, in order; each names its event, and any of its fields
- ``fails``, ``holds``: by event, all the conditions that do not hold; some of those that hold
- ``left_out``: by event, conditions that its clause does not ask for
- ``because``: by rule, why its condition does not hold where it first does not
- ``released``, ``changed``: every one of the case, with its event; of ``changed``, any of the fields
- ``routed``, ``reason``: by event, the queue manager or the reason code that the put went to; the call's reason code
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from attrs import frozen

from mqclause.answers.examination import DERIVED, Examination
from mqclause.answers.replay import Replay, Row, row_document
from mqclause.model.timeline.scenario import Scenario, scenario_of
from mqclause.rulebook.rule import Conclude, Holds
from spec_tests.support.case_file import Case, CaseError, differs

Document = Mapping[str, Any]

INITIATION_QUEUE = "INITQ"
"""The initiation queue of every scene. Closed or altered, it is looked at as an application queue: no case minds."""

NEVER_FAILS = frozenset({"trigger.01", "trigger.03b"})
"""Conditions that cannot fail where they are examined; they act where they are."""

ORDINARY = {
    "trigger.04a": {"treated_as_first": False},
    "trigger.10a": {"available": True},
    "trigger.note2": {"pieces": 1},
}
"""What a rule derives where it makes no difference; the others make one wherever they apply."""


@frozen(eq=False, slots=False)
class ReplayCase(Case):
    """Events over their facts; ``own`` is the number of the first event that is not the scene's."""

    own: int = 0

    KEYS: ClassVar = frozenset({"event"})
    subject = Replay

    @classmethod
    def of(cls, path: Path, scene: Document, table: Document, place: str) -> ReplayCase:
        """The case in ``table``."""
        if not table.get("event") or "trigger_messages" not in table["expect"]:
            raise CaseError(f"{place}: event or expect.trigger_messages is missing")
        common = cls.common(path, scene, table, place)
        before = common["facts"].get("event", [])
        common["facts"] = {**common["facts"], "event": [*before, *table["event"]]}
        return cls(**common, own=len(before))

    @classmethod
    def expected(cls) -> Mapping[str, Callable[..., Iterator[str]]]:
        return EXPECTED

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario as a replay takes it."""
        return scenario_of(self.facts, str(self))

    def answer(self, subject: Replay) -> list[Row]:
        """What each event leads to."""
        return list(subject.rows(self.scenario, str(self)))

    def told(self, subject: Replay) -> Any:
        """All that ``subject`` tells about the case."""
        return [row_document(row) for row in self.answer(subject)]

    def acted(self, answer: list[Row]) -> bool:
        """Whether the case's rule did something in the events of the case."""
        rows = [row for row in answer if row.number >= self.own]
        if self.rule == "trigger.10b":
            return any(row.released for row in rows)
        looked_at = [each for row in rows for each in row.examinations if each.occasion.queue != INITIATION_QUEUE]
        return any(_acted(each, self.rule) for each in looked_at)


def _acted(examination: Examination, rule_id: str) -> bool:
    """Whether the rule let a condition fail, wrote the trigger message, or derived what makes a difference."""
    rule = examination.ruleset.rule(rule_id)
    if isinstance(rule.action, Conclude):
        return examination.rule is rule
    if isinstance(rule.action, Holds):
        found = [holds for examined, holds in examination.examined() if examined is rule]
        return bool(found) if rule_id in NEVER_FAILS else False in found
    did = (examination.run.trace or [])[examination.ruleset.rules.index(rule)]
    return did is not None and dict(did[DERIVED]) != ORDINARY.get(rule_id)


def _documents(rows: list[Row]) -> Iterator[Document]:
    return map(row_document, rows)


def _listed(rows: list[Row], key: str, wanted: list[Document]) -> Iterator[str]:
    """Compares every item under ``key`` of every row, with its event, in order; only the keys that are wanted."""
    found = [
        {"event": row["event"], "repeat": row.get("repeat"), **each} for row in _documents(rows) for each in row[key]
    ]
    yield from differs(f"number of {key}", len(wanted), len(found))
    for want, got in zip(wanted, found, strict=False):
        yield from differs(key, dict(want), {name: got.get(name) for name in want})


def _trigger_messages(rows: list[Row], wanted: list[Document]) -> Iterator[str]:
    yield from _listed(rows, "trigger_messages", wanted)


def _released(rows: list[Row], wanted: list[Document]) -> Iterator[str]:
    yield from _listed(rows, "released", wanted)


def _changed(rows: list[Row], wanted: list[Document]) -> Iterator[str]:
    yield from _listed(rows, "changed", wanted)


def _examined(rows: list[Row], event: int | None = None) -> Iterator[Document]:
    """The conditions that were examined, of one event or of all."""
    for row in _documents(rows):
        if event in (None, row["event"]):
            yield from (each for each in row["conditions"] if each["queue"] != INITIATION_QUEUE)


def _conditions(rows: list[Row], event: str, holds: bool) -> set[str]:
    return {each["rule"] for each in _examined(rows, int(event)) if each["holds"] is holds}


def _fails(rows: list[Row], wanted: Mapping[str, list[str]]) -> Iterator[str]:
    for event, rules in wanted.items():
        yield from differs(f"fails at {event}", sorted(rules), sorted(_conditions(rows, event, False)))


def _holds(rows: list[Row], wanted: Mapping[str, list[str]]) -> Iterator[str]:
    for event, rules in wanted.items():
        yield from differs(f"do not hold at {event}", set(), set(rules) - _conditions(rows, event, True))


def _left_out(rows: list[Row], wanted: Mapping[str, list[str]]) -> Iterator[str]:
    for event, rules in wanted.items():
        examined = _conditions(rows, event, True) | _conditions(rows, event, False)
        yield from differs(f"asked for at {event}", set(), set(rules) & examined)


def _because(rows: list[Row], wanted: Mapping[str, str]) -> Iterator[str]:
    sentences: dict[str, str] = {}
    for each in _examined(rows):
        if not each["holds"]:
            sentences.setdefault(each["rule"], each["because"])
    for rule, sentence in wanted.items():
        yield from differs(f"because of {rule}", sentence, sentences.get(rule))


def _routed(rows: list[Row], wanted: Mapping[str, str | int]) -> Iterator[str]:
    by_event = {str(row["event"]): row["routed"] or {} for row in _documents(rows)}
    for event, where in wanted.items():
        routed = by_event[event]
        got = routed["failed"]["code"] if "failed" in routed else routed.get("queue_manager", "")
        yield from differs(f"routed at {event}", where, got)


def _reason(rows: list[Row], wanted: Mapping[str, int]) -> Iterator[str]:
    by_event = {str(row["event"]): row.get("reason") for row in _documents(rows)}
    for event, code in wanted.items():
        yield from differs(f"reason at {event}", code, by_event[event])


EXPECTED = {
    "trigger_messages": _trigger_messages,
    "fails": _fails,
    "holds": _holds,
    "left_out": _left_out,
    "because": _because,
    "released": _released,
    "changed": _changed,
    "routed": _routed,
    "reason": _reason,
}
"""The closed set of keys that a case may expect, and how each is compared."""
