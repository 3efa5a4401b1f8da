"""A decision: the outcome of a put, the destination, and as much of the why as was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from attrs import define, evolve, frozen

from mqclause.answers.choice.decision_document import after_steps, destination_document, until_steps
from mqclause.answers.choice.exit_answer import ExitAnswer, derived_for
from mqclause.answers.choice.kind import Kind
from mqclause.answers.choice.reason import Outcome, Reason, outcome_of
from mqclause.answers.choice.resolution import Resolved, resolved
from mqclause.documents import OUTCOME, RESOLUTION
from mqclause.executors.course import Course
from mqclause.executors.listing import listing_of
from mqclause.executors.plain import first_scope
from mqclause.executors.run import Run
from mqclause.language.evaluate import Scope
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.constants import REASONS
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.objects import Put
from mqclause.model.facts.sequence import START, Counter, SequenceState
from mqclause.model.facts.situation import Situation
from mqclause.rulebook.rule import FailWith, Ruleset
from mqclause.rulebook.rules import AUTO, Rules
from mqclause.trace.document import json_text, step_document, steps_text
from mqclause.trace.record import StepTrace, remarks_of, scope_of, seen_by, steps
from mqclause.trace.sentence import sentence

if TYPE_CHECKING:
    from mqclause.answers.choice.other_readings import OtherReading

Level = Literal["off", "verdict", "rule", "condition"]
LEVELS: tuple[Level, ...] = ("off", "verdict", "rule", "condition")


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
    ``rule`` on. ``resolved`` says where the names of the put led; there are ``runs`` only if the workload rules were
    asked. ``exit`` is what became of the choice where an exit was given or named; ``steps`` show the rules' own.
    ``refusal`` is the reason code of a put that the transmission queue does not take. It pickles with its rules as
    their text.
    """

    put: Put
    cluster: Cluster
    level: Level
    course: Course
    situation: Situation
    listed: tuple[Destination, ...]
    runs: tuple[Run, ...]
    rules: Rules
    before: SequenceState | None
    resolved: Resolved
    exit: ExitAnswer | None = None
    refusal: Reason | None = None

    def __repr__(self) -> str:
        return f"<Decision: {self.verdict}>"

    @property
    def run(self) -> Run | None:
        """What the workload rules did, if they were asked."""
        return self.runs[0] if self.runs else None

    @cached_property
    def kind(self) -> Kind:
        """What the rules see but for names."""
        return Kind.of(self.course, self.situation, self.listed, None if self.before is None else self.before.counters)

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """The rules that were run: of the choice, and of what the call ends with."""
        return self.course.rulesets

    @property
    def readings(self) -> Mapping[str, str]:
        """The choices, by reading, that these rulesets were read by."""
        return dict(self.course.readings)

    @property
    def outcome(self) -> Outcome:
        """What became of the put."""
        if not self.runs:
            if self.resolved.reason is not None:
                return "failed"
            return "deferred" if self.resolved.deferred else "chosen"
        if self.refusal is not None:
            return "failed"
        if self.exit is not None and (self.exit.failed or self.exit.chosen is not None):
            return "failed" if self.exit.failed else "chosen"
        return outcome_of(self.runs)

    @property
    def remaining(self) -> Sequence[Destination]:
        """Every destination that is left, at any level; what an exit chose against the rules, alone."""
        if self.refusal is not None:
            return ()
        if self.exit is not None and (self.exit.failed or self.exit.overrides):
            return () if self.exit.chosen is None else (self.exit.chosen,)
        if self.runs:
            return self.runs[0].remaining
        return self.listed if self.outcome == "chosen" else ()

    @property
    def chosen(self) -> Destination | None:
        """The destination: what an exit chose, else of several permitted ones the first, as rules list them."""
        if self.outcome != "chosen":
            return None
        return (self.exit and self.exit.chosen) or self.remaining[0]

    @property
    def candidate(self) -> Destination | None:
        """The destination before its transmission queue is asked for room; None where the rules or an exit leave none.

        It raises nothing, whatever rules of one's own leave unsaid.
        """
        if self.exit is not None and (self.exit.failed or self.exit.chosen is not None):
            return self.exit.chosen
        if not self.runs or self.runs[-1].failure or self.runs[-1].facts.get("deferred"):
            return None
        return next(iter(self.runs[0].remaining), None)

    @property
    def permitted(self) -> tuple[Destination, ...]:
        """Every destination that the document allows after its last step."""
        return () if self.level == "off" else tuple(self.remaining)

    @property
    def reason(self) -> Reason | None:
        """The reason code of a failed call."""
        if not self.runs:
            return self.resolved.reason
        if self.refusal is not None:
            return self.refusal
        return None if self.exit is None and self.runs[-1].failure is None else self._reason

    @cached_property
    def _reason(self) -> Reason | None:
        if self.exit is not None and self.exit.failed:
            return Reason(*self.exit.failure, self.exit.rule.id, self.exit.because)
        failure = self.runs[-1].failure
        if failure is None or self.outcome != "failed":
            # An exit may choose where the rules leave nothing.
            return None
        ruleset, first = self.rulesets[-1], self._first_scope(-1)
        rule, run, saw = ruleset.rules[failure.rule], self.runs[-1], first
        if not all(isinstance(each.action, FailWith) for each in ruleset.rules[: failure.rule]):
            # What the rules before it left stands in the trace.
            if run.trace is None:
                run = self.course.executors[-1].run(self.situation, self.listed, None, first.facts, True)
            saw = scope_of(next(islice(seen_by(ruleset, run, self.listed, first), failure.rule, None)), first)
        because = sentence(ruleset, rule, None, saw)
        return Reason(failure.reason, REASONS[failure.reason], failure.call, rule.id, because)

    @property
    def edition_from(self) -> str:
        """Where the edition is from: the command level, the one who asks, or nobody and the oldest is assumed."""
        if self.rules.by_level:
            own = self.cluster.queue_manager
            return f"CMDLEVEL {own.command_level} of {own.name}"
        return "default" if self.rules.asked == AUTO else "--edition"

    @property
    def binds(self) -> bool:
        """Whether the messages go to the queue manager that is chosen and to no other: by the open, or by its name."""
        return bool(self.situation.put_queue_manager) or self.fixed

    @property
    def fixed(self) -> bool:
        """Whether the open chooses, for all puts on its handle."""
        return self._fixes(self.situation)

    @property
    def fixed_by_default(self) -> bool:
        """Whether it would, if the open left the binding to the queue."""
        return self._fixes(evolve(self.situation, bind=self.resolved.default_binding))

    def _fixes(self, situation: Situation) -> bool:
        return bool(Scope(self.rulesets[-1].vocabulary, situation).value("fixed"))

    @property
    def advance(self) -> Advance | None:
        """How the counters of the chosen destination advance; None where rules derive nothing of it."""
        chosen = self.chosen
        if chosen is None:
            return None
        derived = self._derived_for(chosen)
        return Advance(chosen.channel, *self._advanced(chosen, derived)) if derived else None

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know besides: the remarks of rules, where all that they derive is true."""
        told = self.resolved.remarks if self.exit is None else (*self.resolved.remarks, *self.exit.remarks)
        if not self.runs:
            return told
        chosen = self._remarks(0) if self.outcome == "chosen" else ()
        return (*told, *chosen, *self._remarks(1))

    def _remarks(self, document: int) -> tuple[str, ...]:
        """Those of the rules of one document."""
        run, scope = self.runs[document], self._first_scope(document)
        return remarks_of(self.rulesets[document], run, self.listed, scope, lambda: self._traced()[document])

    def _traced(self) -> tuple[Run, ...]:
        """What the rules did, with the trace of each."""
        carried = None if self.before is None else self.before.counters
        return self.course.run(self.situation, self.listed, carried, traced=True)

    def other_readings(self) -> tuple[OtherReading, ...]:
        """The choices of readings, one at a time in place of the one in force, by which the answer is another."""
        from mqclause.answers.choice.other_readings import other_readings

        return other_readings(self)

    @cached_property
    def steps(self) -> tuple[StepTrace, ...]:
        """Every rule of the choice in order, and what it did; empty below level ``rule``."""
        if self.run is None or self.run.trace is None:
            return ()
        scope = self._first_scope(0)
        return tuple(steps(self.rulesets[0], self.run, self.listed, scope, self.level == "condition"))

    @property
    def state(self) -> SequenceState:
        """The sequence state to pass to the next choice of the same queue manager."""
        before = self.before or SequenceState.of(self.cluster)
        if before.seen is not self.cluster:
            before = before.noticed(self.cluster, listing_of(self.rulesets[0]))
        if not self.runs:
            return before
        every = self._for_every()
        if every:
            before = before.with_every(every, self.listed)
        chosen = self.chosen
        derived = self._derived_for(chosen)
        return before if chosen is None or not derived else before.after(chosen, self._advanced(chosen, derived))

    def _for_every(self) -> dict[str, Any]:
        """What rules derived for every destination."""
        return {name: value for name, value in self.runs[0].every.items() if value is not None} if self.runs else {}

    def _derived_for(self, chosen: Destination | None) -> Mapping[str, Any]:
        """What rules derive for the chosen destination, also for one that an exit chose."""
        if chosen is None or not self.runs:
            return {}
        remaining = self.runs[0].remaining
        if remaining and chosen is remaining[0]:
            return self.runs[0].chosen
        return derived_for(chosen, self.rulesets[0], self.runs[0], self._first_scope(0))

    def _advanced(self, chosen: Destination, derived: Mapping[str, Any]) -> Counter:
        """The counters of the chosen destination: as rules ``derived`` them, and otherwise as they were."""
        if len(derived) < len(Counter._fields):
            own = Counter(chosen.dest_seq_factor, chosen.dest_seq_number)
            was = own if self.before is None else self.before.counters.get(chosen.counter, START)
            derived = {**was._asdict(), **self._for_every(), **derived}
        return Counter(**derived)

    def __reduce__(self) -> tuple[Any, ...]:
        # The rules go as their text.
        kept = (self.put, self.cluster, self.level, self.situation, self.listed, self.runs, self.rules, self.before)
        return _of_pickle, (*kept, self.exit, self.refusal)

    def _first_scope(self, document: int) -> Scope:
        """What the first rule of a document saw."""
        steps = self.course.steps[document]
        carried = None if self.before is None else self.before.counters
        earlier = self.runs[document - 1].hands_on if document else {}
        return first_scope(steps, self.situation, self.listed, carried, earlier)

    def fell_by(self) -> dict[Destination, str]:
        """For each destination that did not remain, the id of the rule that it fell by; raises as ``check_traced``."""
        self.check_traced()
        return {fate.subject: step.rule.id for step in self.steps for fate in step.eliminated}

    def check_traced(self) -> None:
        """Raises ValueError below level ``rule``: who fell by which rule is then not known."""
        if self.run is not None and self.run.trace is None:
            raise ValueError(f"who fell by which rule is known of a decision with explain='rule', not {self.level!r}")

    def to_json(self) -> dict[str, Any]:
        """The decision as the document ``mqclause.trace/1``: plain JSON values, see trace.schema.json."""
        document = until_steps(self)
        document["steps"] = [step_document(step, destination_document) for step in self.steps]
        document.update(after_steps(self))
        return document

    def to_json_text(self, besides: Mapping[str, Any] | None = None) -> str:
        """What json.dumps gives for ``to_json()``, several times as fast; ``besides`` stands in place of its own."""
        document = until_steps(self)
        document["steps"] = []
        document.update(after_steps(self, besides))
        text = json_text(document)
        return text.replace('"steps": []', f'"steps": {steps_text(self.steps, destination_document)}', 1)

    def __str__(self) -> str:
        """The decision in a few lines: each rule that decided something, and the answer."""
        lines = []
        for step in self.steps:
            lines += [f"{step.rule.clause:>4}  - {fate.subject.name}: {fate.because}" for fate in step.eliminated]
            lines += [f"{step.rule.clause:>4}  + {each.name}: taken back" for each in step.taken_back]
        return "\n".join([*lines, self.verdict])

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        from mqclause.answers.choice.said import in_a_sentence

        return in_a_sentence(self)


def _of_pickle(
    put: Put,
    cluster: Cluster,
    level: Level,
    situation: Situation,
    listed: tuple[Destination, ...],
    runs: tuple[Run, ...],
    rules: Rules,
    before: SequenceState | None,
    of_exit: ExitAnswer | None,
    refusal: Reason | None,
) -> Decision:
    where = resolved(
        Course.of(rules, RESOLUTION), cluster, put.queue, put.queue_manager, put.call, put.bind == "AS_Q_DEF"
    )
    return Decision(
        put, cluster, level, Course.of(rules, OUTCOME), situation, listed, runs, rules, before, where, of_exit, refusal
    )
