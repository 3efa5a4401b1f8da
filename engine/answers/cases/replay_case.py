"""Cases of the trigger rules: facts, what happens one event after the other, and what each event must lead to.

``facts.event`` of the file are the events of the scene; those of the case follow. Events are counted from 0, those of
the scene included; ``acts`` is about the events of the case alone.

In ``[case.expect]``:

- ``trigger_messages``: every trigger message of the case, in order; each names its event, and any of its fields
- ``fails``, ``holds``: by event, all the conditions that do not hold; some of those that hold
- ``left_out``: by event, conditions that its clause does not ask for
- ``because``, ``remedy``: by rule, why its condition does not hold where it first does not; what is to be typed then,
  or the advice where that is nothing
- ``released``, ``changed``: every one of the case, with its event; of ``changed``, any of the fields
- ``routed``, ``reason``: by event, the queue manager or the reason code that the put went to; the call's reason code
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, Self

from attrs import frozen

from mqclause.answers.cases.asked_case import Comparison, decided
from mqclause.answers.cases.scenario_case import ScenarioCase
from mqclause.answers.replay.replay import Replay
from mqclause.answers.replay.replay_row import Row
from mqclause.answers.trigger.examination import Examination
from mqclause.executors.run import ExecutorName, Run
from mqclause.rulebook.case import CaseError, CaseFile, Stated, differs
from mqclause.rulebook.rule import Conclude, Derive, Holds, Rule, Ruleset
from mqclause.rulebook.rules import Rules

RELEASED = "released"
"""The fact that a trigger message is let go at the end of a unit of work: what derives it shows in the rows alone."""

JUDGED = frozenset({"priority", "counts"})
"""The facts that a queue manager's course depends on: what derives them may do so for no occasion of a row."""

INITIATION_QUEUE = "INITQ"
"""The initiation queue of every scene. Closed or altered, it is looked at as an application queue: no case minds."""


class Replayed(NamedTuple):
    """What a scenario led to, event by event, the trigger rules that were asked, and what they said of messages."""

    ruleset: Ruleset
    rows: tuple[Row, ...]
    judged: tuple[Run, ...]

    def documents(self) -> Iterator[Stated]:
        """The rows as ``mqclause replay`` gives them."""
        return (row.to_json() for row in self.rows)


def _listed(replayed: Replayed, key: str, wanted: list[Stated]) -> Iterator[str]:
    """Compares every item under ``key`` of every row, with its event, in order; only the keys that are wanted."""
    rows = replayed.documents()
    found = [{"event": row["event"], "repeat": row.get("repeat"), **each} for row in rows for each in row[key]]
    yield from differs(f"number of {key}", len(wanted), len(found))
    for want, got in zip(wanted, found, strict=False):
        yield from differs(key, dict(want), {name: got.get(name) for name in want})


def _trigger_messages(replayed: Replayed, wanted: list[Stated]) -> Iterator[str]:
    yield from _listed(replayed, "trigger_messages", wanted)


def _released(replayed: Replayed, wanted: list[Stated]) -> Iterator[str]:
    yield from _listed(replayed, "released", wanted)


def _changed(replayed: Replayed, wanted: list[Stated]) -> Iterator[str]:
    yield from _listed(replayed, "changed", wanted)


def _examined(replayed: Replayed, event: int | None = None) -> Iterator[Stated]:
    """The conditions that were examined, of one event or of all."""
    for row in replayed.documents():
        if event in (None, row["event"]):
            yield from (each for each in row["conditions"] if each["queue"] != INITIATION_QUEUE)


def _conditions(replayed: Replayed, event: str, holds: bool) -> set[str]:
    return {each["rule"] for each in _examined(replayed, int(event)) if each["holds"] is holds}


def _fails(replayed: Replayed, wanted: Mapping[str, list[str]]) -> Iterator[str]:
    for event, rules in wanted.items():
        yield from differs(f"fails at {event}", sorted(rules), sorted(_conditions(replayed, event, False)))


def _holds(replayed: Replayed, wanted: Mapping[str, list[str]]) -> Iterator[str]:
    for event, rules in wanted.items():
        yield from differs(f"do not hold at {event}", set(), set(rules) - _conditions(replayed, event, True))


def _left_out(replayed: Replayed, wanted: Mapping[str, list[str]]) -> Iterator[str]:
    for event, rules in wanted.items():
        examined = _conditions(replayed, event, True) | _conditions(replayed, event, False)
        yield from differs(f"asked for at {event}", set(), set(rules) & examined)


def _because(replayed: Replayed, wanted: Mapping[str, str]) -> Iterator[str]:
    sentences: dict[str, str] = {}
    for each in _examined(replayed):
        if not each["holds"]:
            sentences.setdefault(each["rule"], each["because"])
    for rule, sentence in wanted.items():
        yield from differs(f"because of {rule}", sentence, sentences.get(rule))


def _remedy(replayed: Replayed, wanted: Mapping[str, str]) -> Iterator[str]:
    remedies: dict[str, str] = {}
    for each in (each for row in replayed.rows for found in row.examinations for each in found.conditions):
        if not each.holds:
            remedies.setdefault(each.rule.id, each.remedy or each.advice)
    for rule, text in wanted.items():
        yield from differs(f"remedy of {rule}", text, remedies.get(rule))


def _routed(replayed: Replayed, wanted: Mapping[str, str | int]) -> Iterator[str]:
    by_event = {str(row["event"]): row["routed"] or {} for row in replayed.documents()}
    for event, where in wanted.items():
        routed = by_event[event]
        got = routed["failed"]["code"] if "failed" in routed else routed.get("queue_manager", "")
        yield from differs(f"routed at {event}", where, got)


def _reason(replayed: Replayed, wanted: Mapping[str, int]) -> Iterator[str]:
    by_event = {str(row["event"]): row.get("reason") for row in replayed.documents()}
    for event, code in wanted.items():
        yield from differs(f"reason at {event}", code, by_event[event])


SCENARIO_EXPECTATIONS: Mapping[str, Comparison] = {
    "trigger_messages": _trigger_messages,
    "fails": _fails,
    "holds": _holds,
    "left_out": _left_out,
    "because": _because,
    "remedy": _remedy,
    "released": _released,
    "changed": _changed,
    "routed": _routed,
    "reason": _reason,
}
"""The closed set of keys that a case may expect, and how each is compared."""


@frozen(eq=False, slots=False)
class ReplayCase(ScenarioCase):
    """Events over their facts, of which a case has one at least, and what they lead to."""

    EXPECTS: ClassVar[frozenset[str]] = frozenset(SCENARIO_EXPECTATIONS)
    COMPARED: ClassVar[Mapping[str, Comparison]] = SCENARIO_EXPECTATIONS

    @classmethod
    def of(cls, file: CaseFile, table: Stated, place: str, **more: Any) -> Self:
        if not table.get("event") or "trigger_messages" not in table["expect"]:
            raise CaseError(f"{place}: event or expect.trigger_messages is missing")
        return super().of(file, table, place, **more)

    def answer(self, rules: Rules, executor: ExecutorName = "compiled") -> Replayed:
        """What each event leads to. Raises FactsError, ReadingError and RuleError."""
        replay = Replay(self.read(rules), executor)
        rows = tuple(replay.rows(self.scenario, str(self)))
        return Replayed(replay.triggers.ruleset, rows, tuple(replay.triggers.judge.runs.values()))

    def told(self, rules: Rules, executor: ExecutorName = "compiled") -> Any:
        return list(self.answer(rules, executor).documents())

    def acted(self, answer: Replayed) -> bool:
        """Whether the case's rule did something in the events of the case."""
        rule = next((each for each in answer.ruleset.rules if each.id == self.rule), None)
        if rule is None:
            return False
        rows = [row for row in answer.rows if row.number >= self.own]
        derives = set(dict(rule.action.values)) if isinstance(rule.action, Derive) else set[str]()
        if RELEASED in derives:
            return any(row.released for row in rows)
        if derives & JUDGED:
            place = answer.ruleset.rules.index(rule)
            return any(decided(rule, (run.trace or ())[place], self.ordinary) for run in answer.judged)
        looked_at = [each for row in rows for each in row.examinations if each.occasion.queue != INITIATION_QUEUE]
        return any(self._acted(rule, each) for each in looked_at)

    def _acted(self, rule: Rule, examination: Examination) -> bool:
        """Whether the rule wrote the trigger message, let a condition fail that counts, or derived something."""
        if isinstance(rule.action, Conclude):
            return examination.rule is rule
        if isinstance(rule.action, Holds) and rule not in [examined for examined, _ in examination.examined()]:
            return False
        did = (examination.run.trace or ())[examination.ruleset.rules.index(rule)]
        return decided(rule, did, self.ordinary)
