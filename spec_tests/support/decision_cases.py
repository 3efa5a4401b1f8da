"""Cases of the workload and outcome rules: facts with one put, and what the rules must answer to it.

``before`` are the facts at a put before, laid over the scene likewise: its choice is made first, and the sequence
state that it leaves counts.

A destination is named by its queue manager, ``"QM2"``, or where that is not enough with its channel, ``"QM2/TO.QM2"``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from attrs import frozen

from mqclause import Decision, Engine
from mqclause.answers.decision import Level
from mqclause.model.assembly.snapshot import Snapshot, read_document
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.sequence import SequenceState
from mqclause.rulebook.rule import Choose, Derive
from mqclause.trace.explanation import Step
from spec_tests.support.case_file import Case, CaseError, differs, laid_over


@frozen(eq=False, slots=False)
class DecisionCase(Case):
    """One put in its facts; ``before`` are the facts of the put before it, if there was one."""

    before: Mapping[str, Any] | None = None

    KEYS: ClassVar = frozenset({"before"})

    @classmethod
    def of(cls, path: Path, scene: Mapping[str, Any], table: Mapping[str, Any], place: str) -> DecisionCase:
        """The case in ``table``."""
        before = laid_over(scene, table["before"], place) if "before" in table else None
        return cls(**cls.common(path, scene, table, place), before=before)

    @classmethod
    def expected(cls) -> Mapping[str, Callable[..., Iterator[str]]]:
        return EXPECTED

    subject = Engine

    @cached_property
    def snapshot(self) -> Snapshot:
        """The facts as the engine takes them."""
        return read_document(self.facts, str(self))

    @cached_property
    def earlier(self) -> Snapshot | None:
        """The facts at the put before, if there was one."""
        return None if self.before is None else read_document(self.before, f"{self}: before")

    def answer(self, subject: Engine, explain: Level = "rule") -> Decision:
        """What ``subject`` answers to the put of the case."""
        state = None if self.earlier is None else _choice(subject, self.earlier, None, "off").state
        return _choice(subject, self.snapshot, state, explain)

    def told(self, subject: Engine) -> Any:
        """All that ``subject`` tells about the case."""
        return self.answer(subject, "condition").to_json()

    def acted(self, answer: Decision) -> bool:
        """Whether the case's rule decided something in ``answer``."""
        return acted(answer, self.rule)


def _choice(engine: Engine, snapshot: Snapshot, state: SequenceState | None, explain: Level) -> Decision:
    assert snapshot.put is not None, "the facts name no put"
    return engine.choose(snapshot.put, snapshot.cluster, state, explain)


def acted(decision: Decision, rule_id: str) -> bool:
    """Whether the rule decided something: let fall, took back, chose, failed the call, or derived what holds."""
    if not rule_id.startswith("outcome."):
        return any(_did(step) for step in decision.steps if step.rule.id == rule_id)
    if decision.reason is not None and decision.reason.rule == rule_id:
        return True
    actions = [rule.action for rule in decision.rulesets[1].rules if rule.id == rule_id]
    derived = [name for action in actions if isinstance(action, Derive) for name, _ in action.values]
    return any(decision.outcome_run.facts[name] for name in derived)


def _did(step: Step) -> bool:
    action = step.rule.action
    if not step.applied or isinstance(action, Choose):
        return step.applied
    if isinstance(action, Derive):
        return action.of in ("chosen", "every") or any((step.derived or {}).values())
    return bool(step.eliminated or step.set_aside or step.taken_back)


def destination(decision: Decision, name: str) -> Destination:
    """The destination that ``name`` stands for. Raises CaseError unless there is exactly one."""
    queue_manager, _, channel = name.partition("/")
    found = [
        each
        for each in decision.listed
        if each.queue_manager == queue_manager and (not channel or each.channel == channel)
    ]
    if len(found) != 1:
        raise CaseError(f"{name!r} stands for {len(found)} destinations")
    return found[0]


def label(decision: Decision, of: Destination) -> str:
    """The shortest name that ``destination`` understands."""
    alone = sum(each.queue_manager == of.queue_manager for each in decision.listed) == 1
    return of.queue_manager if alone else f"{of.queue_manager}/{of.channel}"


def _labelled(decision: Decision, names: Iterable[str]) -> list[str]:
    return [label(decision, destination(decision, name)) for name in names]


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
    sentences = {id(fate.destination): fate.because for step in decision.steps for fate in step.eliminated}
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


EXPECTED = {
    "outcome": _outcome,
    "reason": _reason,
    "permitted": _permitted,
    "fell": _fell,
    "because": _because,
    "taken_back": _taken_back,
    "advance": _advance,
}
"""The closed set of keys that a case may expect, and how each is compared."""
