"""A decision: the outcome of a put, the destination, and as much of the why as was asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, Literal

from attrs import asdict, define, field, fields, frozen

from mqclause.executors.run import Run
from mqclause.language.evaluate import Scope
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.constants import REASONS
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.objects import Put
from mqclause.model.facts.sequence import Counter, SequenceState
from mqclause.model.facts.situation import Situation
from mqclause.rulebook.rule import Derive, Ruleset
from mqclause.trace.explanation import Fate, Step, explain, steps

FORMAT = "mqclause.trace/1"
EDITION = "wmq-6"
"""The edition of MQ whose documents the rules state."""

PUT_DEFAULTS = tuple((attribute.name, attribute.default) for attribute in fields(Put))

Level = Literal["off", "verdict", "rule", "condition"]
LEVELS: tuple[Level, ...] = ("off", "verdict", "rule", "condition")


@frozen
class Reason:
    """A reason code: its MQRC name, its number, the MQI call that returns it, and why."""

    name: str
    code: int
    call: str
    rule: str
    because: str


@frozen
class Advance:
    """The counters that the chosen destination has after the choice; a blank channel is the local instance's."""

    channel: str
    dest_seq_factor: float
    dest_seq_number: int


@define(eq=False)
class Decision:
    """What the rules answer to one put.

    ``outcome`` is ``chosen``, ``failed`` (then ``reason`` says with which reason code) or ``deferred``: an MQOPEN
    that succeeds and fixes no destination. ``permitted`` is filled from level ``verdict`` on, ``steps`` from level
    ``rule`` on.
    """

    outcome: Literal["chosen", "failed", "deferred"]
    put: Put
    cluster: Cluster
    level: Level
    readings: Mapping[str, str]
    situation: Situation = field(repr=False)
    listed: tuple[Destination, ...] = field(repr=False)
    run: Run = field(repr=False)
    outcome_run: Run = field(repr=False)
    rulesets: tuple[Ruleset, Ruleset] = field(repr=False)
    before: SequenceState | None = field(repr=False)

    @property
    def chosen(self) -> Destination | None:
        """The destination; of several permitted ones the one listed first."""
        return self.run.remaining[0] if self.outcome == "chosen" else None

    @property
    def permitted(self) -> tuple[Destination, ...]:
        """Every destination that the document allows after its last step."""
        return () if self.level == "off" else tuple(self.run.remaining)

    @property
    def reason(self) -> Reason | None:
        """The reason code of a failed call."""
        failure = self.outcome_run.failure
        if failure is None:
            return None
        ruleset = self.rulesets[1]
        rule = ruleset.rules[failure[0]]
        facts = {"permitted": len(self.run.remaining)}
        scope = Scope(ruleset.vocabulary, self.situation, self.listed, facts=facts)
        return Reason(failure[1], REASONS[failure[1]], failure[2], rule.id, explain(ruleset, rule, None, scope))

    @property
    def advance(self) -> Advance | None:
        """How the counters of the chosen destination advance."""
        if self.outcome != "chosen":
            return None
        return Advance(self.run.remaining[0].channel, **self.run.chosen)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know besides: the titles of the document's notes, where what they derive is true."""
        if self.outcome != "chosen":
            return ()
        facts = self.run.facts
        return tuple(
            rule.title
            for rule in self.rulesets[0].rules
            if rule.clause == "note"
            and isinstance(rule.action, Derive)
            and all(facts[key] for key, _ in rule.action.values)
        )

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Every rule of the ruleset in order, and what it did; empty below level ``rule``."""
        if self.run.trace is None:
            return ()
        workload = self.rulesets[0]
        counters = None if self.before is None else self.before.counters
        every = {name: value for name, value in self.run.every.items() if value is not None}
        scope = Scope(workload.vocabulary, self.situation, self.listed, counters, every=every)
        return tuple(steps(workload, self.run, self.listed, scope, self.level == "condition"))

    @cached_property
    def state(self) -> SequenceState:
        """The sequence state to pass to the next choice of the same queue manager."""
        before = (self.before or SequenceState.of(self.cluster)).noticed(self.cluster)
        if self.run.every.get("dest_seq_factor") is not None:
            before = before.reset()
        if self.outcome != "chosen":
            return before
        return before.after(self.run.remaining[0], Counter(**self.run.chosen))

    def fell_by(self) -> dict[Destination, str]:
        """For each destination that did not remain, the id of the rule that it fell by. Needs level ``rule``."""
        return {fate.destination: step.rule.id for step in self.steps for fate in step.eliminated}

    def to_json(self) -> dict[str, Any]:
        """The decision as the document ``mqclause.trace/1``: plain JSON values, see trace.schema.json."""
        steps = [step_document(step) for step in self.steps]
        return {**_until_steps(self), "steps": steps, **_after_steps(self)}

    def to_json_text(self) -> str:
        """What json.dumps gives for ``to_json()``, several times as fast: most steps are the same every time."""
        steps = ", ".join([_shared_text(step) if step.is_shared else _json(step_document(step)) for step in self.steps])
        until, after = _json(_until_steps(self)), _json(_after_steps(self))
        return f'{until[:-1]}, "steps": [{steps}], {after[1:]}'

    def __str__(self) -> str:
        """The decision in a few lines: each rule that decided something, and the answer."""
        lines = []
        for step in self.steps:
            lines += [f"{step.rule.clause:>4}  - {fate.destination.name}: {fate.because}" for fate in step.eliminated]
            lines += [f"{step.rule.clause:>4}  + {each.name}: taken back" for each in step.taken_back]
        return "\n".join([*lines, self.verdict])

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        if self.reason is not None:
            return f"{self.reason.call} fails with {self.reason.name} ({self.reason.code}): {self.reason.because}"
        if self.outcome == "deferred":
            return "MQOPEN succeeds and fixes no destination; the choice is made when a message is put"
        others = len(self.permitted) - 1
        tie = f" ({others} equally good)" if others > 0 else ""
        return f"goes to {self.run.remaining[0].name}{tie}"


_json = json.JSONEncoder(ensure_ascii=False).encode


def _until_steps(decision: Decision) -> dict[str, Any]:
    reason, chosen = decision.reason, decision.chosen
    return {
        "format": FORMAT,
        "ruleset": decision.rulesets[0].name,
        "edition": EDITION,
        "readings": dict(decision.readings),
        "put": _stated(decision.put),
        "outcome": decision.outcome,
        "reason": reason and {"name": reason.name, "code": reason.code, "call": reason.call},
        "chosen": chosen and _destination(chosen),
        "permitted": [_destination(each) for each in decision.permitted],
    }


def _after_steps(decision: Decision) -> dict[str, Any]:
    reason, advance = decision.reason, decision.advance
    document: dict[str, Any] = {"advance": advance and _advance(advance), "remarks": list(decision.remarks)}
    if reason is not None:
        document |= {"because": reason.because, "rule": reason.rule}
    return document


def _stated(put: Put) -> dict[str, Any]:
    """The attributes of the put that are not MQ's defaults."""
    stated = {name: value for name, default in PUT_DEFAULTS if (value := getattr(put, name)) != default}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in stated.items()}


def _advance(advance: Advance) -> dict[str, Any]:
    return {
        "channel": advance.channel or None,
        "dest_seq_factor": advance.dest_seq_factor,
        "dest_seq_number": advance.dest_seq_number,
    }


def _destination(destination: Destination) -> dict[str, Any]:
    return {
        "queue": destination.queue or None,
        "queue_manager": destination.queue_manager,
        "channel": destination.channel or None,
    }


def step_document(step: Step) -> dict[str, Any]:
    document: dict[str, Any] = {
        "rule": step.rule.id,
        "clause": step.rule.clause,
        "applied": step.applied,
        "remaining": step.remaining,
        "eliminated": [_fate(fate) for fate in step.eliminated],
    }
    if step.set_aside:
        document["set_aside"] = [_fate(fate) for fate in step.set_aside]
    if step.taken_back:
        document["taken_back"] = [_destination(each) for each in step.taken_back]
    if step.derived:
        document["derived"] = dict(step.derived)
    if step.when:
        document["when"] = [asdict(test) for test in step.when]
    return document


@lru_cache(maxsize=4096)
def _shared_text(step: Step) -> str:
    return _json(step_document(step))


def _fate(fate: Fate) -> dict[str, Any]:
    document = {**_destination(fate.destination), "because": fate.because}
    if fate.tests:
        document["tests"] = [asdict(test) for test in fate.tests]
    return document
