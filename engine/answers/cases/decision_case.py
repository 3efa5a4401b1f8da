"""Cases of the workload and outcome rules: facts with one put, and what the rules must answer to it.

``before`` are the facts at a put before, laid over the scene likewise: its choice is made first, and the sequence
state that it leaves counts.

A destination is named by its queue manager, ``"QM2"``, or where that is not enough with its channel, ``"QM2/TO.QM2"``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar, Self

from attrs import frozen

from mqclause.answers.cases.asked_case import AskedCase, Comparison, decided
from mqclause.answers.choice.decision import Decision, Level
from mqclause.answers.choice.engine import Engine
from mqclause.executors.run import ExecutorName
from mqclause.model.assembly.snapshot import Snapshot, read_document
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.sequence import SequenceState
from mqclause.rulebook.case import CaseError, CaseFile, Stated, differs, laid_over
from mqclause.rulebook.rules import Rules


def _outcome(decision: Decision, wanted: str) -> Iterator[str]:
    yield from differs("outcome", wanted, decision.outcome)


def _reason(decision: Decision, wanted: Mapping[str, Any]) -> Iterator[str]:
    got = decision.reason
    yield from differs("reason", wanted, got and {key: getattr(got, key) for key in wanted})


def _permitted(decision: Decision, wanted: list[str]) -> Iterator[str]:
    got = [label(decision, each) for each in decision.permitted]
    yield from differs("permitted", sorted(_labelled(decision, wanted)), sorted(got))
    if decision.outcome == "chosen":
        yield from differs("chosen is permitted", True, decision.chosen in decision.permitted)


def _fell(decision: Decision, wanted: Mapping[str, str]) -> Iterator[str]:
    fell = {label(decision, destination(decision, name)): rule for name, rule in wanted.items()}
    got = {label(decision, each): rule for each, rule in decision.fell_by().items()}
    yield from differs("fell", dict(sorted(fell.items())), dict(sorted(got.items())))


def _because(decision: Decision, wanted: Mapping[str, str]) -> Iterator[str]:
    sentences = {id(fate.subject): fate.because for step in decision.steps for fate in step.eliminated}
    for name, sentence in wanted.items():
        got = sentences.get(id(destination(decision, name)))
        yield from differs(f"because of {name}", sentence, got)


def _taken_back(decision: Decision, wanted: list[str]) -> Iterator[str]:
    got = [label(decision, each) for step in decision.steps for each in step.taken_back]
    yield from differs("taken_back", sorted(_labelled(decision, wanted)), sorted(got))


def _advance(decision: Decision, wanted: Mapping[str, Any]) -> Iterator[str]:
    """An empty table says that nothing advances; a table without channel, that the local instance's counters do."""
    got = decision.to_json()["advance"] or {}
    yield from differs("advance", dict(wanted), {key: value for key, value in got.items() if value is not None})


def _resolution(decision: Decision, wanted: list[str]) -> Iterator[str]:
    """Each object that was followed, as ``"A QALIAS to Q"``."""
    got = [f"{each['object']} {each['type']} to {each['to']}" for each in decision.to_json()["resolution"]]
    yield from differs("resolution", wanted, got)


def _resolved(decision: Decision, wanted: list[str]) -> Iterator[str]:
    """The sentence of each look at the names."""
    yield from differs("resolved", wanted, [each.because for each in decision.resolved.looks])


def _chosen(decision: Decision, wanted: Mapping[str, Any]) -> Iterator[str]:
    got = decision.to_json()["chosen"] or {}
    yield from differs("chosen", dict(wanted), {key: value for key, value in got.items() if value is not None})


def _remarks(decision: Decision, wanted: list[str]) -> Iterator[str]:
    yield from differs("remarks", wanted, list(decision.remarks))


def _asked(decision: Decision, wanted: bool) -> Iterator[str]:
    yield from differs("asks the workload rules", wanted, bool(decision.runs))


def _bind(decision: Decision, wanted: str) -> Iterator[str]:
    yield from differs("bind", wanted, decision.situation.bind)


def _priority(decision: Decision, wanted: int) -> Iterator[str]:
    yield from differs("priority", wanted, decision.resolved.default_priority)


PUT_EXPECTATIONS: Mapping[str, Comparison] = {
    "outcome": _outcome,
    "reason": _reason,
    "permitted": _permitted,
    "fell": _fell,
    "because": _because,
    "taken_back": _taken_back,
    "advance": _advance,
    "resolution": _resolution,
    "resolved": _resolved,
    "chosen": _chosen,
    "remarks": _remarks,
    "asked": _asked,
    "bind": _bind,
    "priority": _priority,
}
"""The closed set of keys that a case may expect, and how each is compared."""


@frozen(eq=False, slots=False)
class DecisionCase(AskedCase):
    """One put in its facts; ``before`` are the facts of the put before it, if there was one."""

    before: Stated | None = None

    GOES_THROUGH: ClassVar[bool] = True
    KEYS: ClassVar[frozenset[str]] = frozenset({"before"})
    EXPECTS: ClassVar[frozenset[str]] = frozenset(PUT_EXPECTATIONS)
    COMPARED: ClassVar[Mapping[str, Comparison]] = PUT_EXPECTATIONS

    @classmethod
    def of(cls, file: CaseFile, table: Stated, place: str, **more: Any) -> Self:
        before = laid_over(file.facts, table["before"], place) if "before" in table else None
        return super().of(file, table, place, before=before, **more)

    @cached_property
    def snapshot(self) -> Snapshot:
        """The facts as the engine takes them."""
        return read_document(self.facts, str(self))

    @cached_property
    def earlier(self) -> Snapshot | None:
        """The facts at the put before, if there was one."""
        return None if self.before is None else read_document(self.before, f"{self}: before")

    def answer(self, rules: Rules, executor: ExecutorName = "compiled", explain: Level = "rule") -> Decision:
        engine = Engine(self.read(rules), executor)
        state = None if self.earlier is None else self._choice(engine, self.earlier, None, "off").state
        return self._choice(engine, self.snapshot, state, explain)

    def told(self, rules: Rules, executor: ExecutorName = "compiled") -> Any:
        return self.answer(rules, executor, "condition").to_json()

    def acted(self, answer: Decision) -> bool:
        looks = [(each.course.rulesets[0], each.run) for each in answer.resolved.looks]
        runs = zip(answer.rulesets, answer.runs, strict=True) if answer.runs else ()
        return any(
            decided(rule, did, self.ordinary)
            for ruleset, run in (*looks, *runs)
            for rule, did in zip(ruleset.rules, run.trace or (), strict=True)
            if rule.id == self.rule
        )

    def _choice(self, engine: Engine, snapshot: Snapshot, state: SequenceState | None, explain: Level) -> Decision:
        if snapshot.put is None:
            raise CaseError(f"{self}: facts: put is missing")
        return engine.choose(snapshot.put, snapshot.cluster, state, explain)


def destination(decision: Decision, name: str) -> Destination:
    """The destination that ``name`` stands for. Raises CaseError unless there is exactly one."""
    queue_manager, channel, cluster = (*name.split("/"), "", "")[:3]
    found = [
        each
        for each in decision.listed
        if each.queue_manager == queue_manager
        and (not channel or each.channel == channel)
        and (not cluster or each.cluster == cluster)
    ]
    if len(found) != 1:
        raise CaseError(f"{name!r} stands for {len(found)} destinations")
    return found[0]


def label(decision: Decision, of: Destination) -> str:
    """The shortest name that ``destination`` understands."""
    there = [each for each in decision.listed if each.queue_manager == of.queue_manager]
    if len(there) == 1:
        return of.queue_manager
    alone = sum(each.channel == of.channel for each in there) == 1
    return f"{of.queue_manager}/{of.channel}" if alone else f"{of.queue_manager}/{of.channel}/{of.cluster}"


def _labelled(decision: Decision, names: Iterable[str]) -> list[str]:
    return [label(decision, destination(decision, name)) for name in names]
