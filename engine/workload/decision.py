"""Decide a put: the engine, and the decision with its outcome, its destination and its why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import count
from types import TracebackType
from typing import Any, Literal, Self

from attrs import define, evolve, field, fields, frozen

from mqclause.answers import Outcome, Reason, ShownAnswer, build_reason, get_outcome
from mqclause.documents import EXIT, OUTCOME, RESOLUTION
from mqclause.executors.operations import CarriedValues, ExecutorName, Run, build_listing, compile_expression
from mqclause.executors.pipeline import Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.exits.process import ANYBODY, Caller, Exit, ExitFaultError, Exits, ExitSession
from mqclause.language import nodes
from mqclause.language.evaluator import Scope
from mqclause.model.diagnostics import ArgumentError, check_type
from mqclause.model.exits import (
    MQWXP,
    NO_USER_AREA,
    ExitCall,
    ExitCallParameters,
    OfferedMessage,
    build_mqwxp,
    build_offered_destinations,
    is_queue_choice,
)
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import REASONS
from mqclause.model.facts.objects import Put
from mqclause.model.facts.workload import (
    START,
    UNCHANGED,
    Destination,
    DestinationSequence,
    SequenceState,
    Situation,
    build_situation,
    list_destinations,
)
from mqclause.rulebook.rule import FailWith, Rule, Ruleset
from mqclause.rulebook.rules import AUTO, Rules, RulesOrigin
from mqclause.trace import (
    FORMAT,
    StepTrace,
    build_step_document,
    build_steps,
    encode_steps,
    find_scope,
    join_names,
    json_text,
    render_remarks,
    render_sentence,
)
from mqclause.workload.equivalence import MOST_CLASSES, EquivalenceClass, has_name_tests
from mqclause.workload.exit_answer import (
    ExitAnswer,
    count_route,
    derive_for_destination,
    get_default_choice,
    get_default_exit_limit,
)
from mqclause.workload.resolution import (
    Depths,
    Resolution,
    TransmissionQueueRules,
    build_look_document,
    get_transmission_queue_rules,
    resolve_names,
)

Level = Literal["off", "verdict", "rule", "condition"]
LEVELS: tuple[Level, ...] = ("off", "verdict", "rule", "condition")

PUT_DEFAULTS = tuple((attribute.name, attribute.default) for attribute in fields(Put))

ReadingChoice = tuple[str, str]
"""A reading and one of its choices."""

DestinationKey = tuple[str, str, str]
"""What tells a destination from others in an answer: queue, queue manager and route; a local one has no route."""


@frozen
class Advance:
    """The counters of the chosen destination after the choice; a blank channel stands for the local instance."""

    channel: str
    dest_seq_factor: float
    dest_seq_number: int


@define(unsafe_hash=True, repr=False)
class Decision(ShownAnswer):
    """The answer of the rules to one put.

    ``outcome`` is ``chosen``, ``failed`` (then ``reason`` says with which reason code) or ``deferred``: an MQOPEN
    that succeeds and fixes no destination. ``permitted`` is filled from level ``verdict`` on, ``steps`` from level
    ``rule`` on. ``resolved`` says where the names of the put led; there are ``runs`` only if the workload rules were
    asked. ``exit`` is what became of the choice where an exit was given or named; ``steps`` show the rules' own.
    ``refusal`` is the reason code of a put that the transmission queue does not take. Two are equal if the same was
    asked of equal rules, whichever executor ran them, and exit and transmission queue said the same.
    """

    written_by = "trace"

    put: Put
    cluster: Cluster
    level: Level
    course: Pipeline = field(eq=False)
    situation: Situation = field(eq=False)
    listed: tuple[Destination, ...] = field(eq=False)
    runs: tuple[Run, ...] = field(eq=False)
    rules: Rules
    before: SequenceState | None
    resolved: Resolution = field(eq=False)
    exit: ExitAnswer | None = None
    refusal: Reason | None = None

    def __repr__(self) -> str:
        return f"<Decision: {self.verdict}>"

    @property
    def run(self) -> Run | None:
        """The run of the workload rules, if they were asked."""
        return self.runs[0] if self.runs else None

    @cached_property
    def kind(self) -> EquivalenceClass:
        """The input of the rules, apart from names."""
        return EquivalenceClass.of(self.course, self.situation, self.listed, self.carried)

    @property
    def carried(self) -> CarriedValues | None:
        """The counters that go before the facts': those that the choice before left."""
        return None if self.before is None else self.before.counters

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """The rulesets that were run: for the choice, and for the outcome of the call."""
        return self.course.rulesets

    @property
    def readings(self) -> Mapping[str, str]:
        """The choice of each reading that these rulesets were read by."""
        return dict(self.course.readings)

    @property
    def outcome(self) -> Outcome:
        """The outcome of the put: chosen, failed or deferred."""
        if not self.runs:
            if self.resolved.reason is not None:
                return "failed"
            return "deferred" if self.resolved.deferred else "chosen"
        if self.refusal is not None:
            return "failed"
        if self.exit is not None and (self.exit.failed or self.exit.chosen is not None):
            return "failed" if self.exit.failed else "chosen"
        return get_outcome(self.runs)

    @property
    def remaining(self) -> Sequence[Destination]:
        """Every destination that is left, at any level; the exit's choice alone if it went against the rules."""
        if self.refusal is not None:
            return ()
        if self.exit is not None and (self.exit.failed or self.exit.has_overridden):
            return () if self.exit.chosen is None else (self.exit.chosen,)
        if self.runs:
            return self.runs[0].remaining
        return self.listed if self.outcome == "chosen" else ()

    @property
    def chosen(self) -> Destination | None:
        """The destination: the exit's choice, or else the first of those permitted, in the order of the rules."""
        if self.outcome != "chosen":
            return None
        return (self.exit and self.exit.chosen) or self.remaining[0]

    @property
    def candidate(self) -> Destination | None:
        """The destination before its transmission queue is asked for room; None if rules or exit leave none.

        It raises nothing, whatever rules of one's own leave unsaid.
        """
        if self.exit is not None and (self.exit.failed or self.exit.chosen is not None):
            return self.exit.chosen
        if not self.runs or self.runs[-1].failure or self.runs[-1].facts.get("deferred"):
            return None
        return next(iter(self.runs[0].remaining), None)

    def before_sending(self) -> Decision:
        """Return the decision as rules and exits make it, whether its transmission queue takes the message or not."""
        return self if self.refusal is None else evolve(self, refusal=None)

    @property
    def permitted(self) -> tuple[Destination, ...]:
        """Every destination that the document allows after its last step."""
        return () if self.level == "off" else tuple(self.remaining)

    @property
    def reason(self) -> Reason | None:
        """The reason code of a failed call; None otherwise."""
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
            saw = find_scope(ruleset, rule, run, self.listed, first)
        because = render_sentence(ruleset, rule, None, saw)
        return build_reason(failure, rule.id, because)

    @property
    def edition_from(self) -> str:
        """Where the edition is from: the command level, the one who asks, or nobody and the oldest is assumed."""
        own = self.cluster.queue_manager
        return self.rules.describe_edition_source(own.name, own.command_level)

    @property
    def binds(self) -> bool:
        """Whether the messages go to the chosen queue manager and no other: bound by the open, or by its name."""
        return bool(self.situation.put_queue_manager) or self.fixed

    @property
    def fixed(self) -> bool:
        """Whether the open chooses for all puts on its handle."""
        return _compile_fixed(self.rulesets[-1])(self.situation)

    @property
    def fixed_by_default(self) -> bool:
        """Whether the open would choose if it left the binding to the queue."""
        return _compile_fixed(self.rulesets[-1])(evolve(self.situation, bind=self.resolved.default_binding))

    @property
    def advance(self) -> Advance | None:
        """The advance of the chosen destination's counters; None if the rules derive nothing about it."""
        chosen = self.chosen
        if chosen is None:
            return None
        derived = self._derived_for(chosen)
        return Advance(chosen.channel, *self._advanced(chosen, derived)) if derived else None

    @property
    def remarks(self) -> tuple[str, ...]:
        """The remarks of the rules whose derived facts are all true."""
        told = self.resolved.remarks if self.exit is None else (*self.resolved.remarks, *self.exit.remarks)
        if not self.runs:
            return told
        chosen = self._remarks(0) if self.outcome == "chosen" else ()
        return (*told, *chosen, *self._remarks(1))

    @property
    def call_remarks(self) -> tuple[str, ...]:
        """The remarks of the rules about how the call ends."""
        return self._remarks(1) if self.runs else ()

    @cached_property
    def remarking(self) -> tuple[Sequence[Rule], ...]:
        """By document the rules that have something to say of the answer."""
        return tuple([of.find_remarking_rules(run.facts) for of, run in zip(self.rulesets, self.runs, strict=False)])

    def _remarks(self, document: int) -> tuple[str, ...]:
        """Those of the rules of one document."""
        rules, run = self.remarking[document], self.runs[document]
        if not any("{" in rule.remark or "}" in rule.remark for rule in rules):
            return tuple([rule.remark for rule in rules])
        if run.trace is None:
            run = self.course.run(self.situation, self.listed, self.carried, traced=True)[document]
        return render_remarks(self.rulesets[document], rules, run, self.listed, self._first_scope(document))

    def other_readings(self) -> tuple[OtherReading, ...]:
        """Return the choices of readings, one at a time, that would give another answer.

        They are about the rules' own choice: none is told where an exit was called that made another of it.
        """
        return find_other_readings(self)

    @cached_property
    def steps(self) -> tuple[StepTrace, ...]:
        """Every rule of the choice in order, and what it did; empty below level ``rule``."""
        if self.run is None or self.run.trace is None:
            return ()
        scope = self._first_scope(0)
        return tuple(build_steps(self.rulesets[0], self.run, self.listed, scope, self.level == "condition"))

    @property
    def state(self) -> SequenceState:
        """The sequence state to pass to the next choice of the same queue manager."""
        before = self.before or SequenceState.of(self.cluster)
        if before.seen is not self.cluster:
            before = before.noticed(self.cluster, build_listing(self.rulesets[0]))
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
        return derive_for_destination(chosen, self.rulesets[0], self.runs[0], self._first_scope(0))

    def _advanced(self, chosen: Destination, derived: Mapping[str, Any]) -> DestinationSequence:
        """The counters of the chosen destination: as rules ``derived`` them, and otherwise as they were."""
        if len(derived) < len(DestinationSequence._fields):
            own = DestinationSequence(chosen.dest_seq_factor, chosen.dest_seq_number)
            was = own if self.before is None else self.before.counters.get(chosen.counter, START)
            derived = {**was._asdict(), **self._for_every(), **derived}
        return DestinationSequence(**derived)

    def _first_scope(self, document: int) -> Scope:
        """What the first rule of a document saw."""
        earlier = self.runs[document - 1].hands_on if document else {}
        return build_first_scope(self.course.steps[document], self.situation, self.listed, self.carried, earlier)

    def fell_by(self) -> dict[Destination, str]:
        """Return the id of the rule that removed each destination. Raises what ``check_traced`` raises."""
        self.check_traced()
        return {fate.subject: step.rule.id for step in self.steps for fate in step.eliminated}

    def check_traced(self) -> None:
        """Raise ValueError below level ``rule``, where no rule is recorded for what it removed."""
        if self.run is not None and self.run.trace is None:
            raise ArgumentError(
                f"who fell by which rule is known of a decision with explain='rule', not {self.level!r}"
            )

    @property
    def origin(self) -> RulesOrigin | None:
        """Where the rules are from; None if they are those that come with the project."""
        return self.rules.origin

    def to_json(self) -> dict[str, Any]:
        """Return the document ``mqclause.trace/1`` as JSON values; see trace.schema.json."""
        document = _build_document_head(self)
        document["steps"] = [build_step_document(step, Destination.to_json) for step in self.steps]
        document.update(_build_document_tail(self))
        return document

    def to_json_text(self, besides: Mapping[str, Any] | None = None) -> str:
        """Return the text of ``to_json()``, faster than json.dumps; ``besides`` replaces its own further keys."""
        document = _build_document_head(self)
        document["steps"] = []
        document.update(_build_document_tail(self, besides))
        text = json_text(document)
        return text.replace('"steps": []', f'"steps": {encode_steps(self.steps, Destination.to_json)}', 1)

    def __str__(self) -> str:
        """The decision in a few lines: each rule that decided something, and the answer."""
        lines = []
        for step in self.steps:
            lines += [f"{step.rule.clause:>4}  - {fate.subject.name}: {fate.because}" for fate in step.eliminated]
            lines += [f"{step.rule.clause:>4}  + {each.name}: taken back" for each in step.taken_back]
        return self._tell_origin("\n".join([*lines, self.verdict]))

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        if self.reason is not None:
            return f"{self.reason.call} fails with {self.reason.name} ({self.reason.code}): {self.reason.because}"
        if self.resolved.topic:
            return "; ".join(self.resolved.last.remarks)
        if self.chosen is None:
            at_put = _reason_at_put(self)
            if at_put is not None:
                return f"MQOPEN succeeds; a put fails with {at_put.name} ({at_put.code}): {at_put.because}"
            return "MQOPEN succeeds and fixes no destination; the choice is made when a message is put"
        if self.exit is not None and self.exit.has_overridden:
            return f"goes to {self.chosen.name}, which the exit chose"
        others = len(self.permitted) - 1
        tie = f" (as good: {others} other{'s' if others > 1 else ''})" if others > 0 else ""
        return f"goes to {self.chosen.name}{tie}"


@lru_cache(maxsize=64)
def _compile_fixed(ruleset: Ruleset) -> Callable[[Situation], bool]:
    """The term by which an open chooses for all puts on its handle."""
    return compile_expression(nodes.Column("fixed"), ruleset.vocabulary, "s")


class Engine:
    """The workload rules, ready to choose destinations.

    It holds no state of any queue manager: the sequence state goes in and comes out with each choice, so one
    engine may be shared between threads. It pickles as its ``rules``, which are by default those that come with the
    project; where these are of no edition, a choice is made by the edition of the local queue manager's command level.
    ``executor`` is ``compiled`` (microseconds), ``chaining`` (durable_rules) or ``plain`` (the reference). ``course``
    are the rules of a choice and of its outcome, ``names`` those of name resolution. Raises RuleError.

    ``exits`` are cluster workload exits by the name in CLWLEXIT, functions that take one MQWXP (see mqclause.exits);
    a call of one may take ``exit_limit`` seconds, or as many as the exit rules say. They run in processes of their own
    until ``close``, or the end of ``with``; what an exit remembers is then forgotten, as when a queue manager ends.
    Raises ValueError and TypeError.
    """

    def __init__(
        self,
        rules: Rules | None = None,
        executor: ExecutorName = "compiled",
        exits: Mapping[str, Exit] | None = None,
        exit_limit: float | None = None,
    ) -> None:
        self.rules = Rules.given(rules)
        self.executor = executor
        if exits and exit_limit is None:
            exit_limit = get_default_exit_limit(self.rules)
        self.exits = Exits(exits, exit_limit)
        self._sessions: dict[str, ExitSession] = {}
        self._by_level = self.rules.asked == AUTO
        self._of_editions: dict[int, Engine] = {}
        # How often a decision by its rules was compared, and they chose for that: what is used much is worth compiling.
        self._compared, self._chose = count(), count()
        self.course = Pipeline.of(self.rules, OUTCOME, executor)
        self.listing = build_listing(self.course.rulesets[0])
        self.names = Pipeline.of(self.rules, RESOLUTION, executor)

    def __repr__(self) -> str:
        exits = f", exits {', '.join(self.exits.given)}" if self.exits.given else ""
        return f"<Engine: {self.rules!r}, {self.executor}{exits}>"

    @classmethod
    def given(cls, engine: Engine | None) -> Engine:
        """Return the engine that was given, else one of the rules that come with mqclause. Raises TypeError."""
        return cls() if engine is None else check_type("engine", engine, cls)

    def __reduce__(self) -> tuple[Any, ...]:
        return Engine, (self.rules, self.executor, self.exits.given, self.exits.limit)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Call the exits with TERM and end their processes; a later choice starts them again, with INIT."""
        for session in self._sessions.values():
            self.exits.end(session)
        self._sessions.clear()
        self.exits.close()

    def at(self, cluster: Cluster) -> Engine:
        """Return the engine of the edition of the local queue manager, if its level is known.

        It shares the exits with this one, and what they remember.
        """
        if not isinstance(cluster, Cluster):
            check_type("cluster", cluster, Cluster, ", as snapshot.cluster")
        level = cluster.queue_manager.command_level
        if not level or not self._by_level:
            return self
        found = self._of_editions.get(level)
        if found is None:
            found = Engine(self.rules.of_level(level), self.executor)
            found.exits, found._sessions = self.exits, self._sessions
            self._of_editions[level] = found
        return found

    @property
    def readings(self) -> Mapping[str, str]:
        """The choices, by reading, that its rules were read by."""
        return dict(self.course.readings)

    def choose(
        self,
        put: Put,
        cluster: Cluster,
        state: SequenceState | None = None,
        explain: Level = "verdict",
        caller: Caller | None = ANYBODY,
        depths: Depths | None = None,
    ) -> Decision:
        """Choose the destination of ``put``, made at the local queue manager of ``cluster``.

        ``state`` is ``Decision.state`` of the previous choice; without it the facts' own sequence numbers and factors
        count. ``explain`` says how much of the why the decision holds: ``off`` the outcome alone, ``verdict`` also
        every permitted destination, ``rule`` each rule with who fell by it and why, ``condition`` also the tests with
        their values. ``caller`` is what an exit needs to know; for None no exit is called. ``depths``: how many
        messages are on local queues, if the facts do not say. Raises TypeError, and ValueError for another level.
        """
        _check(put, cluster, explain)
        if self._by_level and cluster.queue_manager.command_level:
            return self.at(cluster).choose(put, cluster, state, explain, caller, depths)
        left_open = put.bind == "AS_Q_DEF"
        where = resolve_names(self.names, cluster, put.queue, put.queue_manager, put.call, left_open)
        last, changed, counters = cluster.last_seq_number, UNCHANGED, None
        if state is not None:
            check_type("state", state, SequenceState, ", as decision.state")
            last, changed, counters = state.last_number, state.noticed(cluster, self.listing).pending, state.counters
        bind = where.default_binding if left_open else put.bind
        seen = build_situation(put, where.names, bind, cluster, last, changed, where.inhibited_by)
        runs: tuple[Run, ...] = ()
        if where.needs_workload_rules:
            listed = list_destinations(cluster, where.named, self.listing, seen)
            runs = self.course.run(seen, listed, counters, explain in ("rule", "condition"))
        else:
            listed = () if where.reason is not None or where.deferred else (where.destination,)
        decision = Decision(put, cluster, explain, self.course, seen, listed, runs, self.rules, state, where)
        if runs and caller is not None and self._names_exit(cluster, caller):
            decision.exit = self._answer_of_exit(decision, caller)
        if runs and cluster.own_queues:
            decision.refusal = self.sending.refusal(decision.candidate, put.call, cluster, depths)
        return decision

    def _answer_of_exit(self, decision: Decision, caller: Caller) -> ExitAnswer:
        """What an exit makes of a decision; what it remembers is kept by queue manager, unless the caller keeps it."""
        own = decision.cluster.queue_manager.name
        session = caller.session or self._sessions.setdefault(own, ExitSession())
        return self._exit_question.answer(decision, caller, session)

    def exit_parameters(
        self, put: Put, cluster: Cluster, state: SequenceState | None = None, caller: Caller = ANYBODY
    ) -> MQWXP:
        """Return the MQWXP that an exit would get for ``put``, without calling an exit."""
        plain = Engine(self.rules, self.executor).choose(put, cluster, state, "off", caller)
        return self.at(cluster)._exit_question.build_parameters(plain, caller)

    def exit_answer(self, decision: Decision) -> ExitAnswer:
        """Ask the exit about a decision of the rules, at a queue manager that has just been started."""
        check_type("decision", decision, Decision)
        return self.at(decision.cluster)._exit_question.answer(decision, ANYBODY, ExitSession())

    @cached_property
    def sending(self) -> TransmissionQueueRules:
        """The rules of puts that fail at their transmission queue."""
        return get_transmission_queue_rules(self.rules)

    @cached_property
    def _exit_question(self) -> ExitCaller:
        """Made when it is first needed: most choices know no exit."""
        return ExitCaller(self.rules, self.exits, self.executor)

    def _names_exit(self, cluster: Cluster, caller: Caller) -> bool:
        """Whether there is an exit, or a name of one: CLWLEXIT, now or when it counted."""
        check_type("caller", caller, Caller, " or None")
        named = cluster.queue_manager.clwlexit or caller.exit_at_start or caller.exit_at_connection
        return bool(self.exits.names or (named and self._has_exit_rules))

    @cached_property
    def _has_exit_rules(self) -> bool:
        """Whether the rules, which may be of one's own, say anything about exits."""
        return any(path.startswith(f"{EXIT.name}/") for path in self.rules.files)

    def resolve(
        self, cluster: Cluster, queue: str, queue_manager: str = "", call: str = "MQPUT", for_input: bool = False
    ) -> Resolution:
        """Follow two names of a call to where the workload rules begin. Raises ValueError if both are blank.

        ``for_input``: the call opens the queue to get or to browse messages.
        """
        check_type("cluster", cluster, Cluster, ", as snapshot.cluster")
        queue = check_type("queue", queue, str).rstrip(" ")
        queue_manager = check_type("queue_manager", queue_manager, str).rstrip(" ")
        return resolve_names(self.at(cluster).names, cluster, queue, queue_manager, call, for_input=for_input)


def _build_document_head(decision: Decision) -> dict[str, Any]:
    """Build the keys of a decision's document that come before the steps."""
    reason, chosen = decision.reason, decision.chosen
    return {
        "format": FORMAT,
        "ruleset": decision.rulesets[0].name,
        "edition": decision.rules.edition,
        "edition_from": decision.edition_from,
        "readings": dict(decision.course.readings),
        **decision.origin_keys,
        "put": _stated(decision.put),
        "resolution": [build_look_document(each) for each in decision.resolved.followed],
        "outcome": decision.outcome,
        "reason": reason and reason.to_json(),
        "chosen": chosen and chosen.to_json(),
        "permitted": [each.to_json() for each in decision.remaining],
    }


def _build_document_tail(decision: Decision, besides: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Build the keys that come after the steps; ``besides`` has what a decision alone does not know."""
    reason, advance = decision.reason, decision.advance
    document: dict[str, Any] = {
        "advance": advance and _advance(advance),
        **({"remarks": list(decision.remarks), "incomplete": []} if besides is None else besides),
    }
    if reason is not None:
        document |= {"because": reason.because, "rule": reason.rule}
    if decision.exit is not None and decision.exit.is_given:
        document["exit"] = decision.exit.document(Destination.to_json)
    return document


@frozen
class DecisionResult:
    """How a choice ends: its outcome, who is permitted (where an exit was called, the one that is taken), the reason.

    ``reason`` is the name of a reason code, and ``call`` the MQI call that returns it; ``topic`` is what a put
    publishes to. Blank where there is none.
    """

    outcome: str
    permitted: tuple[Destination, ...] = ()
    reason: str = ""
    call: str = ""
    topic: str = ""

    @classmethod
    def of(cls, decision: Decision) -> DecisionResult:
        """Summarize how a decision ends."""
        taken = None if decision.exit is None else decision.exit.chosen
        reason = decision.reason
        ends = (reason.name, reason.call) if reason is not None else ("", "")
        permitted = tuple(decision.remaining) if taken is None else (taken,)
        return cls(decision.outcome, permitted, *ends, decision.resolved.topic)

    @classmethod
    def of_runs(cls, runs: Sequence[Run]) -> DecisionResult:
        """Summarize how a choice ends by its rules alone, before any exit and any transmission queue."""
        failure = runs[-1].failure
        ends = ("", "") if failure is None else (failure.reason, failure.call)
        return cls(get_outcome(runs), tuple(runs[0].remaining), *ends)

    def is_same_result_as(self, other: DecisionResult) -> bool:
        """Return whether both are alike: in outcome and reason code or, where there is none, in who is permitted."""
        return self._told_by == other._told_by

    @property
    def _told_by(self) -> tuple[object, ...]:
        # By way of something put-disabled a call fails whoever is permitted.
        permitted = () if self.reason else self.permitted
        keys = tuple(dict.fromkeys(map(get_destination_key, permitted)))
        return self.outcome, self.reason, self.call, self.topic, keys

    def said(self, by_route: Container[str]) -> str:
        """Describe the result in a few words: who is permitted, the one that is taken first, or the reason code.

        Queue managers ``by_route`` are named with the route: see with_several_routes.
        """
        if self.reason:
            return f"{self.reason} ({REASONS[self.reason]}) at {self.call}"
        if self.topic:
            return f"the topic {self.topic}"
        several = (each.host if each.queue_manager in by_route else each.queue_manager for each in self.permitted)
        named = join_names(list(dict.fromkeys(several)), "or")
        if self.outcome == "deferred":
            return f"left to the put, which would meet {named} now" if named else "left to the put"
        return named


def find_multiroute_queue_managers(listed: Iterable[Destination]) -> frozenset[str]:
    """Find the queue managers that several of the routes lead to."""
    routes = Counter(queue_manager for _, queue_manager, _ in set(map(get_destination_key, listed)))
    return frozenset(name for name, count in routes.items() if count > 1)


def is_same_answer(one: Decision, other: Decision) -> bool:
    """Return whether both end alike."""
    return DecisionResult.of(one).is_same_result_as(DecisionResult.of(other))


def summarize_decision(decision: Decision) -> str:
    """Summarize the answer in a few words."""
    return DecisionResult.of(decision).said(find_multiroute_queue_managers(decision.listed))


class ExitCaller:
    """The exit rules and the exits that an engine was given. Safe to share between threads."""

    def __init__(self, rules: Rules, exits: Exits, executor: ExecutorName) -> None:
        self.rules = rules
        self.exits = exits
        self.executor = executor
        self._course = Pipeline.of(rules, EXIT, executor)

    def answer(self, decision: Decision, caller: Caller, session: ExitSession) -> ExitAnswer:
        """Call the exit with ``decision``, the choice of the workload rules, and return what it makes of it."""
        call, listed = self._call(decision, caller, session), decision.listed
        run = self._course.run(call, listed)[0]
        offered, choice = tuple(run.remaining), get_default_choice(decision.remaining, caller, run.facts)
        if run.facts["called"]:
            offer = _offer(run.facts, decision, offered, choice, caller)
            call = self._called(run.facts["exit_name"], evolve(call, own_choice=offer.own_choice), session, offer)
            run = self._course.run(call, listed)[0]
            session.suppressed |= run.facts["suppresses"]
            if run.facts["off_for_handle"] and caller.handle is not None:
                session.failed_on.add(caller.handle)
        return ExitAnswer(self.rules, self.executor, call, offered, choice, listed, run)

    def build_parameters(self, decision: Decision, caller: Caller) -> MQWXP:
        """Build the parameters with which an exit would be called, whether there is one or not."""
        run = self._course.run(self._call(decision, caller, ExitSession()), decision.listed)[0]
        choice = get_default_choice(decision.remaining, caller, run.facts)
        offer = _offer(run.facts, decision, tuple(run.remaining), choice, caller)
        return build_mqwxp(offer._replace(user_area=NO_USER_AREA))

    def _call(self, decision: Decision, caller: Caller, session: ExitSession) -> ExitCall:
        """The choice as the exit rules see it before an exit is called."""
        own = decision.cluster.queue_manager
        return ExitCall(
            decision.put.call, decision.situation.bind, decision.put.cluster_pcf, bool(caller.left),
            decision.resolved.inhibited, own.platform,
            own.clwlexit if caller.exit_at_start is None else caller.exit_at_start,
            own.clwlexit if caller.exit_at_connection is None else caller.exit_at_connection,
            self.exits.names, session.suppressed, caller.handle in session.failed_on,
            _message(decision, caller).length, own.clwllen, self.exits.limit or 0.0, clwlexit=own.clwlexit,
            others_permitted=any(each.queue_manager != caller.left for each in decision.remaining),
        )  # fmt: skip

    def _called(self, name: str, call: ExitCall, session: ExitSession, offer: ExitCallParameters) -> ExitCall:
        """The call with what the exit answered to it."""
        try:
            found = self.exits.call(name, session, offer)
        except ExitFaultError as error:
            answer: dict[str, Any] = {"timed_out": error.timed_out, "fault": str(error)}
        else:
            answer = {"response": found.response, "destination_chosen": found.destination_chosen}
        return evolve(call, answered=True, init_fault=session.take_init_fault(), **answer)


@frozen
class OtherReading:
    """A choice of a reading other than the one in force, and what is decided by it."""

    reading: str
    choice: str
    decision: Decision

    def __str__(self) -> str:
        by = self.decision.rules.known_readings[self.reading].said_by.get(self.choice, "")
        said = f" (so {by})" if by else ""
        return f"with {self.reading}={self.choice}: {summarize_decision(self.decision)}{self.counting}{said}"

    @property
    def counting(self) -> str:
        """Who is several of the destinations that are balanced, in words; blank if nobody is."""
        counts = _count_balanced(self.decision)
        several = [f"{key[1]} as {count} of {counts.total()}" for key, count in counts.items() if count > 1]
        return f", of which {join_names(several)} in the balance" if several and len(counts) > 1 else ""


def find_other_readings(decision: Decision, known: Container[ReadingChoice] = ()) -> tuple[OtherReading, ...]:
    """Find each choice, one at a time, of a reading that concerns these rules, by which the answer is another.

    Not those that are ``known``. It is decided anew by other rules, which are loaded once for each choice. Both sides
    are what the rules decide, without an exit; nothing is compared that an exit has overruled.
    """
    found = (each for each in list_other_choices(decision) if each not in known)
    return tuple(OtherReading(*each, _decided_with(decision, *each)) for each in found)


def list_other_choices(decision: Decision) -> tuple[ReadingChoice, ...]:
    """List the readings with their choices by which the answer is another: found once for decisions of one kind.

    Where names led on, or an exit or a transmission queue had a say, more than the kind tells decides. What an exit
    was called to overrule depends on no reading that is known.
    """
    if decision.exit is not None and (decision.exit.failed or decision.exit.has_overridden):
        return ()
    # Whether kinds tell takes the rules of every choice, as long as a few answers: it is not asked for the first ones.
    is_first = next(get_engine(decision.rules, "plain")._compared) < ASKED_FIRST
    if is_first or not _is_told_by_kind(decision) or _reads_names(decision.rules, tuple(decision.readings)):
        return tuple(_other_choices(decision))
    return _choices_of_kind(DecisionKind.of(decision))


def _is_told_by_kind(decision: Decision) -> bool:
    """Return whether the rules alone decided: no alias was followed, no exit asked, nothing refused the message."""
    is_plain = bool(decision.runs) and decision.exit is None and not decision.resolved.followed
    return is_plain and decision.refusal is None


def _other_choices(decision: Decision) -> Iterator[ReadingChoice]:
    known = decision.rules.known_readings
    own = decision if decision.exit is None else evolve(decision, exit=None)
    followed = decision.rules.list_readings(RESOLUTION) if decision.resolved.followed else {}
    for name, chosen in {**decision.readings, **followed}.items():
        for choice in known[name].choices:
            if choice == chosen:
                continue
            other = _decided_with(decision, name, choice)
            if not (is_same_answer(own, other) and _is_balanced_alike(own, other)):
                yield name, choice


def _is_balanced_alike(one: Decision, other: Decision) -> bool:
    """Whether of the same destinations each counts as often where they are balanced."""
    counts = _count_balanced(one)
    return len(counts) < 2 or counts == _count_balanced(other)


def _count_balanced(decision: Decision) -> Counter[DestinationKey]:
    """How often each destination is among those that are as good; several receivers may stand for the local one."""
    return Counter(map(get_destination_key, decision.remaining if decision.outcome == "chosen" else ()))


def _decided_with(decision: Decision, name: str, choice: str) -> Decision:
    """The same put by another choice of a reading, before any exit."""
    engine = get_deciding_engine(decision.rules.under({**decision.rules.readings, name: choice}))
    return engine.choose(decision.put, decision.cluster, decision.before, caller=None)


@frozen(cache_hash=True)
class DecisionKind:
    """The part of a decision that tells whether other rules answer otherwise, apart from names.

    That is the kind of the choice, and beside it what other rules may see that these do not: the receivers on which a
    local instance may stand, and which destinations have a transmission queue that refuses the message.
    """

    told_by: tuple[object, ...]
    decision: Decision = field(eq=False, repr=False)

    @classmethod
    def of(cls, decision: Decision) -> DecisionKind:
        """Describe the kind of a decision: two of one kind have the same other answers under other rules."""
        cluster, listed, call = decision.cluster, decision.listed, decision.put.call
        local: tuple[object, ...] = ()
        if any(each.is_local for each in listed):
            own = cluster.own_queues.get(decision.situation.put_queue)
            receivers = cluster.channels_by_queue_manager.get(cluster.queue_manager.name, ())
            local = (own and own.clusters, tuple(receivers))
        sending = get_transmission_queue_rules(decision.rules)
        refused = tuple(sending.refusal(each, call, cluster) is not None for each in listed)
        return cls((decision.rules, decision.kind, call, local, refused), decision)


@lru_cache(MOST_CLASSES)
def _choices_of_kind(question: DecisionKind) -> tuple[ReadingChoice, ...]:
    return tuple(_other_choices(question.decision))


@lru_cache(maxsize=64)
def _reads_names(rules: Rules, readings: tuple[str, ...]) -> bool:
    """Whether the rules look into names by any choice of these readings, so that none are alike but for names."""
    choices = [(name, choice) for name in readings for choice in rules.known_readings[name].choices]
    engines = (get_engine(rules.under({**rules.readings, name: choice})) for name, choice in choices)
    return any(has_name_tests(each.course) for each in engines)


@lru_cache(maxsize=128)
def get_engine(rules: Rules, executor: ExecutorName = "compiled") -> Engine:
    """Return the engine for ``rules``, made once; other readings are compared by it."""
    return Engine(rules, executor)


ASKED_FIRST = 2
"""So many decisions are asked for other readings before it is found out whether those of one kind have the same."""


PLAIN_FIRST = 8
"""So many choices the plain executor makes before rules are compiled, which takes as long as it needs for fifty."""


def get_deciding_engine(rules: Rules) -> Engine:
    """Return the engine that decides by ``rules``: of the plain executor for the first few choices, then compiled."""
    plain = get_engine(rules, "plain")
    return plain if next(plain._chose) < PLAIN_FIRST else get_engine(rules)


def _check(put: object, cluster: object, level: object) -> None:
    """Raises TypeError or ValueError if one of the arguments of a choice is none."""
    if isinstance(put, Put) and isinstance(cluster, Cluster) and level in LEVELS:
        return
    check_type("put", put, Put, "(queue=…)")
    check_type("cluster", cluster, Cluster, ", as snapshot.cluster")
    raise ArgumentError(f"explain={level!r} is not a level; allowed: {', '.join(LEVELS)}")


def _stated(put: Put) -> dict[str, Any]:
    """The attributes of the put that are not MQ's defaults."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, default in PUT_DEFAULTS
        if (value := getattr(put, name)) is not default and value != default
    }


def _advance(advance: Advance) -> dict[str, Any]:
    return {
        "channel": advance.channel or None,
        "dest_seq_factor": advance.dest_seq_factor,
        "dest_seq_number": advance.dest_seq_number,
    }


def _reason_at_put(decision: Decision) -> Reason | None:
    """What a put after an MQOPEN by way of a put-disabled object fails with, if it does."""
    if not decision.resolved.inhibited:
        return None
    asked = decision.put
    put = Put.as_written(
        asked.queue, asked.queue_manager, call="MQPUT", bind="NOTFIXED", cluster_pcf=asked.cluster_pcf,
        from_cluster_channel=asked.from_cluster_channel, already_sent_to=asked.already_sent_to,
    )  # fmt: skip
    return Engine(decision.rules).choose(put, decision.cluster, decision.before, caller=None).reason


def get_destination_key(destination: Destination) -> DestinationKey:
    """Return the key that identifies a destination among those of one put."""
    route = "" if destination.is_local else destination.transmission_queue or destination.channel
    return destination.queue, destination.queue_manager, route


def _message(decision: Decision, caller: Caller) -> OfferedMessage:
    """What is put, or will be when it is an open that asks."""
    return caller.message or OfferedMessage(decision.put.length)


def _offer(
    facts: Any, decision: Decision, offered: tuple[Destination, ...], choice: Destination | None, caller: Caller
) -> ExitCallParameters:
    """What the exit is told; its user area is filled in when it is called."""
    put, cluster, named = decision.put, decision.cluster, decision.resolved.named
    own, queue = cluster.queue_manager, decision.resolved.names[0]
    message = _message(decision, caller) if facts["with_message"] else None
    length, cut = message.length if message else 0, facts["buffer_length"]
    return ExitCallParameters(
        facts["exit_reason"], b"", own.clwldata, put.from_cluster_channel, queue, own.name, own.clwlmruc,
        offered.index(choice) + 1 if choice in offered else 0,
        [count_route(route, decision.before) for route in build_offered_destinations(cluster, named, offered)],
        is_queue_choice(named), length, cut,
        message.buffer[:cut] if message and message.buffer is not None else None,
        dict(message.descriptor) if message else None,
    )  # fmt: skip
