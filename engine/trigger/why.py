"""Explain why a queue would trigger, or not, if a message were put now, also where facts are unknown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial, reduce
from itertools import pairwise, product
from typing import Any, Literal

from attrs import asdict, evolve, field, frozen

from mqclause.answers import ShownAnswer
from mqclause.documents import CALL
from mqclause.executors.operations import ExecutorName
from mqclause.model.configuration.completeness import MissingInformation, drop_answered_commands
from mqclause.model.configuration.knowledge import (
    Unasked,
    UndisplayedObjects,
    add_queues,
    assume_default_queues,
    describe_default_queue,
)
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.diagnostics import ArgumentError, check_type, name_argument, suggest_name
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.delivery import DeliveryContext
from mqclause.model.facts.domains import LARGEST, REASON_NAMES, quote_name
from mqclause.model.facts.messages import HIGHEST_PRIORITY, Message
from mqclause.model.facts.objects import CHANNEL_STATES, INPUT_MODES, Process, Queue
from mqclause.model.timeline.events import Event
from mqclause.model.timeline.queue_manager import TriggerHistory
from mqclause.model.timeline.transitions import QueueManagerState
from mqclause.model.timeline.trigger_events import CallFailure, Handle
from mqclause.rulebook.rule import Rule, UnansweredError
from mqclause.rulebook.rules import Rules, RulesOrigin
from mqclause.trigger.examination import ConditionResult, Examination, Triggers, find_thresholds
from mqclause.workload.delivery import build_trigger_delivery, list_delivery_remarks
from mqclause.workload.editions import EditionInForce
from mqclause.workload.sensitivity import build_chstatus_command, render_alternatives

Verdict = Literal["triggers", "does not", "depends"]

State = QueueManagerState

StateChange = Callable[[State], State]
"""Gives the state in which something has one of its values."""

Combination = tuple[int, ...]
"""For each unknown fact, in order, the place of the value that it has."""

Values = tuple[frozenset[int], ...]
"""For each unknown fact, in order, the places of the values that it may have."""

EITHER = "either "

STAND_IN = "%"
"""What stands for a process or an initiation queue whose name no display shows."""

FAVOURABLE: Mapping[str, Any] = {
    "trigger": True, "trigtype": "EVERY", "trigmpri": 0, "trigdpth": 1, "process": STAND_IN, "initq": STAND_IN,
}  # fmt: skip
ADVERSE: Mapping[str, Any] = {"trigger": False, "trigtype": "NONE", "trigmpri": HIGHEST_PRIORITY, "trigdpth": LARGEST}
FAVOURABLE_AT_INITQ: Mapping[str, Any] = {"get": "ENABLED", "put": "ENABLED"}
ADVERSE_AT_INITQ: Mapping[str, Any] = {"get": "DISABLED", "put": "DISABLED"}
"""Values of what may not be known of a queue, or of an initiation queue, with which a message triggers, or does not."""


@frozen
class BlockingCondition:
    """A condition that stands in the way: always, or (``holds`` is None) where what is not known is so.

    ``by`` is what is not known and decides whether it holds.
    """

    condition: ConditionResult
    holds: bool | None
    by: tuple[UnknownFact, ...] = ()

    @property
    def because(self) -> str:
        """Why it fails, or what that depends on."""
        return f"depends on {' and '.join(each.name for each in self.by)}" if self.by else self.condition.because


@frozen(repr=False)
class WhyAnswer(ShownAnswer):
    """The answer of the trigger rules about a message put to ``queue`` now, by the values of what is ``unknown``.

    ``failure`` is what the put fails with, if it does; the conditions are then those of a queue that takes it.
    ``assumed`` was taken to be so where it matters, ``remarks`` concern the trigger message that is written. What is
    not known and decides what that starts is ``further``, attributes of the queue that no display shows ``left_open``.
    ``edition`` is the one in force at the queue manager, and ``edition_from`` what that is known by.
    """

    written_by = "why"

    queue: Queue
    unknown: tuple[UnknownFact, ...]
    found: Mapping[Combination, Examination] = field(hash=False)
    failure: CallFailure | None = None
    assumed: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    further: tuple[MissingInformation, ...] = ()
    left_open: frozenset[str] = frozenset()
    origin: RulesOrigin | None = None
    edition: str = ""
    edition_from: str = field(default="", eq=False)

    def to_json(self) -> dict[str, Any]:
        """Return the document ``mqclause.why/1``; its ``changes`` are those that the command line looks for."""
        queue, rule, reason = self.queue, self.rule, None
        if self.reason is not None:
            reason = {"name": self.reason_name, "code": self.reason, "call": "MQPUT", "remedy": self.remedy}
        triggers = {"triggers": True, "does not": False, "depends": None}[self.verdict]
        return {
            **self._head,
            "edition": self.edition,
            "edition_from": self.edition_from,
            "queue": queue.name,
            "queue_manager": queue.queue_manager,
            "verdict": self.verdict,
            "triggers": triggers,
            "rule": rule.id if rule else None,
            "reason": reason,
            "conditions": [_condition(each) for each in self.doubts],
            "provided": self.requirement,
            "depends_on": [
                *({"what": each.what, "object": each.of, "command": each.command} for each in self.deciding_unknowns),
                *map(asdict, self.further),
            ],
            "changes": [],
            "assumptions": list(self.assumed),
            "remarks": list(self.remarks),
        }

    @cached_property
    def triggering(self) -> list[Combination]:
        """The combinations that make a trigger message."""
        return [each for each, examination in self.found.items() if examination.rule is not None]

    @property
    def verdict(self) -> Verdict:
        """``depends`` where some of what is not known decides."""
        if self.reason is not None or not self.triggering:
            return "does not"
        return "triggers" if len(self.triggering) == len(self.found) else "depends"

    @property
    def reason(self) -> int | None:
        """The MQRC of a put that fails."""
        return self.failure.reason if self.failure is not None else None

    @property
    def reason_name(self) -> str:
        """The MQRC's name of a put that fails; blank if it does not."""
        return REASON_NAMES[self.reason] if self.reason is not None else ""

    @property
    def remedy(self) -> str:
        """The MQSC that changes that a put fails; blank if it does not."""
        return self.failure.remedy if self.failure is not None else ""

    @property
    def rule(self) -> Rule | None:
        """The rule by which a trigger message is written, if one is in any case."""
        return self.found[self.triggering[0]].rule if self.verdict == "triggers" else None

    @property
    def requirement(self) -> str:
        """Where it depends: what has to be so for a trigger message."""
        return _render_requirement(self.unknown, self.triggering) if self.verdict == "depends" else ""

    @cached_property
    def doubts(self) -> list[BlockingCondition]:
        """The conditions that fail or depend, in the document's order."""
        rules = dict.fromkeys(rule for each in self._holding_back.values() for rule in each)
        order = list(next(iter(self.found.values())).ruleset.rules)
        return [self._doubt(rule) for rule in sorted(rules, key=order.index)]

    @property
    def unavoidable_failures(self) -> list[ConditionResult]:
        """Where no condition fails in any case: those of which one does in each, as few as that takes."""
        if self.verdict != "does not" or self.reason is not None or any(each.holds is False for each in self.doubts):
            return []
        taken = [each.condition.rule for each in self.doubts]
        for rule in list(taken):
            others = {each for each in taken if each is not rule}
            if all(others & {*held_back} for held_back in self._holding_back.values()):
                taken.remove(rule)
        return [each.condition for each in self.doubts if each.condition.rule in taken]

    @property
    def obstacles(self) -> frozenset[str]:
        """The obstacles in any case: failed conditions, by rule, that nothing makes up for, and a put that fails."""
        needed = frozenset[str].intersection(*(each.needed for each in self.found.values()))
        failing = frozenset(each.condition.rule.id for each in self.doubts if each.holds is False)
        return (failing & needed) | ({self.reason_name} if self.reason is not None else set())

    def differs(self, others: Mapping[Combination, Examination]) -> bool:
        """Return whether ``others``, found of a like message, give another answer or other failing conditions."""
        return any(_kind(each) != _kind(self.found[at]) for at, each in others.items())

    @cached_property
    def deciding_unknowns(self) -> list[UnknownFact]:
        """The unknown facts that decide whether a condition fails."""
        failing = {each: frozenset(held_back) for each, held_back in self._holding_back.items()}
        return [unknown for at, unknown in enumerate(self.unknown) if _is_decisive(failing, at)]

    @cached_property
    def _holding_back(self) -> dict[Combination, list[Rule]]:
        """The conditions because of which there is no trigger message."""
        return {each: [] if found.rule is not None else found.failed_rules for each, found in self.found.items()}

    @cached_property
    def _examined(self) -> dict[Combination, dict[Rule, bool]]:
        return {each: dict(found.list_examined_rules()) for each, found in self.found.items()}

    def remedies(self, of: Rule) -> list[str]:
        """Return the commands after which a condition that fails somewhere would hold, as alternatives."""
        return next(found for found in self.found.values() if (of, False) in found.list_examined_rules()).remedies(of)

    def _doubt(self, rule: Rule) -> BlockingCondition:
        held_back = [each for each, rules in self._holding_back.items() if rule in rules]
        failing = self.found[held_back[0]].build_failed_condition(rule)
        holds = {each: found[rule] for each, found in self._examined.items() if rule in found}
        by = tuple(unknown for at, unknown in enumerate(self.unknown) if _is_decisive(holds, at))
        if not by:  # where it does not hold back, another rule may be asked in its place
            held = {each: each in held_back for each in self.found}
            by = tuple(one for at, one in enumerate(self.unknown) if one.is_defined and _is_decisive(held, at))
        return BlockingCondition(failing, False if len(held_back) == len(self.found) else None, by)


class Why:
    """The trigger rules, ready to explain why a queue triggers or not. Arguments as for Triggers. Raises RuleError."""

    def __init__(self, rules: Rules | None = None, executor: ExecutorName = "compiled") -> None:
        self.triggers = Triggers(rules, executor)

    def __repr__(self) -> str:
        return f"<Why: {self.triggers.rules!r}, {self.triggers.executor}>"

    def ask(self, queue: Queue | str, snapshot: Snapshot, priority: int | None = None) -> WhyAnswer:
        """Explain what happens to a message of ``priority`` (None: DEFPRTY) that is put now, outside any unit of work.

        ``queue`` is a local queue of the snapshot, or its name; ValueError for a name that no such queue has.
        """
        check_type("snapshot", snapshot, Snapshot, ", as read_files gives")
        queue = _named(queue, snapshot) if isinstance(queue, str) else check_type("queue", queue, Queue, " or its name")
        asked, state, answer = self._examine(queue, snapshot, priority)
        taken = (
            *(describe_default_queue(each.name) for each in _shipped(queue, snapshot)),
            *asked.assumed(state, answer),
        )
        remarks, further = _started(queue, snapshot, self.triggers.rules)
        further = (*_put_left_open(queue, snapshot), *_interval_left_open(answer, snapshot), *further)
        left_open = frozenset(snapshot.unshown.of(queue))
        by = EditionInForce.at(snapshot, self.triggers.rules)
        return evolve(answer, assumed=taken, remarks=remarks, further=further, left_open=left_open,
                      edition=by.edition, edition_from=by.edition_from)  # fmt: skip

    def find_obstacles(self, queue: Queue, snapshot: Snapshot, priority: int | None = None) -> frozenset[str]:
        """Find the obstacles of the answer that ``ask`` gives, in less time."""
        return self._examine(queue, snapshot, priority)[2].obstacles

    def is_triggered(self, queue: Queue, snapshot: Snapshot, priority: int | None = None) -> bool:
        """Return whether the verdict of ask is ``triggers``, in less time: the first that does not trigger ends it."""
        wrote = self._wrote(queue, snapshot, priority)
        return next(wrote, False) and all(wrote)

    def may_trigger(self, queue: Queue, snapshot: Snapshot, priority: int | None = None) -> bool:
        """Return whether ``ask`` would not say ``does not``, in less time; false also where the put fails."""
        return any(self._wrote(queue, snapshot, priority))

    def is_triggered_by(self, events: Sequence[Event], answer: WhyAnswer, snapshot: Snapshot) -> bool:
        """Return whether one of ``events``, in place of the put of ``answer``, triggers its queue."""
        queue = answer.queue
        state = State.of(
            add_queues(snapshot.cluster, _shipped(queue, snapshot)), self.triggers.callbacks, snapshot.messages
        )
        found = (_apply_values(state, answer.unknown, each) for each in answer.found)
        return all(self._wrote_by(events, queue, each) for each in found)

    def _examine(self, queue: Queue, snapshot: Snapshot, priority: int | None) -> tuple[_Asked, State, WhyAnswer]:
        """What the rules say, of which state, without what was taken to be so."""
        asked = _Asked(self.triggers, queue, priority, snapshot.messages)
        happened = asked.state(snapshot.cluster).after(asked.put)[1]
        takes_it = _open_to_puts(snapshot.cluster, queue) if happened.failure is not None else snapshot.cluster
        state = asked.state(add_queues(takes_it, _shipped(queue, snapshot)))
        unknown, origin = self._unknown(queue, state, snapshot), self.triggers.rules.origin
        return asked, state, WhyAnswer(queue, unknown, asked.found(state, unknown), happened.failure, origin=origin)

    def _wrote_by(self, events: Sequence[Event], queue: Queue, state: State) -> bool:
        for event in events:
            state, happened = state.after(event)
            looked_at = (each for each in happened.occasions if each.queue == queue.name)
            if any(self.triggers.examine(each).rule is not None for each in looked_at):
                return True
        return False

    def _wrote(self, queue: Queue, snapshot: Snapshot, priority: int | None) -> Iterator[bool]:
        """Whether there is a trigger message, by one combination after the other of what is not known."""
        asked = _Asked(self.triggers, queue, priority, snapshot.messages)
        if asked.state(snapshot.cluster).after(asked.put)[1].occasions:
            state = asked.state(add_queues(snapshot.cluster, _shipped(queue, snapshot)))
            found = asked.each_found(state, self._unknown(queue, state, snapshot))
            yield from (each.rule is not None for _, each in found)

    def _unknown(self, queue: Queue, state: State, snapshot: Snapshot) -> tuple[UnknownFact, ...]:
        depths = find_thresholds(self.triggers.steps, state.definitions.describe_queue(queue))
        found = _find_unknown_facts(queue, state, snapshot.knowledge.undisplayed, depths, snapshot.unshown.of)
        return tuple(
            evolve(each, command="") if snapshot.knowledge.asked.holds(each.command) else each for each in found
        )


@frozen
class UnknownFact:
    """A fact of a queue manager that is not known.

    ``name`` is what a sentence calls it, ``what`` says it at length, of the object ``of``; ``command`` is the MQSC
    that tells it. ``values`` give the state in which it has each value that it can have, and ``says`` tells that it
    has one of some of them, by their places. It ``is_defined`` if it is how an object is defined, which is no fault
    before it is known; it ``is_timed`` if TRIGINT says how long ago something must be.
    """

    name: str
    what: str
    of: str
    command: str
    values: Sequence[StateChange] = field(eq=False, repr=False)
    says: Callable[[Collection[int]], str] = field(eq=False, repr=False)
    is_defined: bool = False
    is_timed: bool = False

    @property
    def places(self) -> range:
        """The places of its values."""
        return range(len(self.values))


def _apply_values(state: State, unknown: Sequence[UnknownFact], combined: Combination) -> State:
    """Return ``state`` with one combination of values of the unknown facts."""
    chosen = [each.values[place] for each, place in zip(unknown, combined, strict=True)]
    return reduce(lambda known, value: value(known), chosen, state)


def _is_decisive(found: Mapping[Combination, object], at: int) -> bool:
    """Return whether the unknown fact at the place ``at`` decides: the answer differs where all others are alike."""
    first: dict[Combination, object] = {}
    return any(first.setdefault(each[:at] + each[at + 1 :], value) != value for each, value in found.items())


def _group_combinations(unknown: Sequence[UnknownFact], wanted: Collection[Combination]) -> list[Values]:
    """Group the combinations ``wanted`` into a few products of values."""
    left, found = set(wanted), []
    while left:
        values = [frozenset({place}) for place in min(left)]
        for at, each in enumerate(unknown):
            for place in each.places:
                more = [*values[:at], values[at] | {place}, *values[at + 1 :]]
                values = more if set(product(*more)) <= set(wanted) else values
        found.append(tuple(values))
        left -= set(product(*values))
    return found


def _render_requirement(unknown: Sequence[UnknownFact], wanted: Collection[Combination]) -> str:
    """Render which unknown values give the ``wanted`` verdict: ``a and b, and either c or d``; blank if all do."""
    lists = _group_combinations(unknown, wanted)
    always = [at for at, _ in enumerate(unknown) if len({values[at] for values in lists}) == 1]
    turning = [at for at, _ in enumerate(unknown) if at not in always]
    others = [" and ".join(_said(unknown, values, turning)) for values in lists]
    said = [*_said(unknown, lists[0], always), *([_render_either(others)] if turning else [])]
    return (", and " if any(EITHER in each for each in said) else " and ").join(said)


def _render_either(said: Sequence[str]) -> str:
    """Render that one of several things is so."""
    return f"{EITHER}{' or '.join(said)}" if len(said) > 1 else said[0]


def _find_unknown_facts(
    queue: Queue, state: State, untold: UndisplayedObjects, depths: Collection[int], unshown: Callable[[Queue], Unasked]
) -> list[UnknownFact]:
    """Find the unknown facts of ``queue``, its process and its initiation queue, as ``state`` has them.

    ``untold`` is what no source tells whether it is there; ``depths`` are how many messages make a difference to rules;
    ``unshown`` tells which attributes of a queue no display shows.
    """
    of_initq = _may_be_initiation_queue if _is_untold("initq", queue, untold) else _of_initiation_queue
    process = _may_be_process(queue, state) if _is_untold("process", queue, untold) else ()
    initq = state.definitions.local_queue(queue.initq)
    defined = [*_left_open(queue, unshown(queue), FAVOURABLE, ADVERSE)]
    if initq is not None:
        defined += _left_open(initq, unshown(initq), FAVOURABLE_AT_INITQ, ADVERSE_AT_INITQ)
    return [*_of_queue(queue, depths), *defined, *process, *of_initq(queue, state), *_last_trigger(queue, state)]


def _open_elsewhere(state: State, queue: str, mode: str) -> State:
    """Return ``state`` with a shared queue opened by another queue manager of the queue-sharing group."""
    handles = state.handles
    other = Handle(handles.next_id, "", queue, queue, mode, f"another than {handles.local}")
    return state.replace(handles=handles.after_open(other))


def _kind(examination: Examination) -> list[Rule] | None:
    """What fails; None where there is a trigger message."""
    return (
        None
        if examination.rule is not None
        else [rule for rule, holds in examination.list_examined_rules() if not holds]
    )


@frozen(eq=False)
class _Asked:
    """A question: the rules, the queue and the priority of the message; ``messages`` are there now."""

    triggers: Triggers
    queue: Queue
    priority: int | None
    messages: Sequence[Message] = ()

    @property
    def put(self) -> Event:
        """The put of the message."""
        return Event(do="put", queue=self.queue.name, priority=self.priority)

    def state(self, cluster: Cluster) -> State:
        """The queue manager as its facts say."""
        return State.of(cluster, self.triggers.callbacks, self.messages)

    def found(self, state: State, unknown: tuple[UnknownFact, ...]) -> dict[Combination, Examination]:
        """What the rules say, by the values of what is not known."""
        return dict(self.each_found(state, unknown))

    def each_found(self, state: State, unknown: tuple[UnknownFact, ...]) -> Iterator[tuple[Combination, Examination]]:
        """What the rules say, one by one."""
        for each in product(*(one.places for one in unknown)):
            happened = _apply_values(state, unknown, each).after(self.put)[1]
            if not happened.occasions:  # as rules of somebody's own can have it
                raise UnansweredError(
                    f"{CALL.name}/", "", f"a put to {self.queue.name} fails although it is put-enabled"
                )
            (arrival,) = happened.occasions
            yield each, self.triggers.examine(arrival)

    def assumed(self, state: State, answer: WhyAnswer) -> Iterator[str]:
        """What was taken to be so, and would make another answer if it were not."""
        queue, priorities = self.queue, (0, HIGHEST_PRIORITY)
        if self.priority is None:
            others = [evolve(self, priority=each) for each in priorities]
            if any(answer.differs(each.found(state, answer.unknown)) for each in others):
                asks = f"{name_argument('priority')} asks another"
                yield f"the message has priority {queue.defprty}, the DEFPRTY of its queue; {asks}"
        if queue.curdepth:
            states = [state.with_messages(queue, each, queue.curdepth) for each in priorities]
            if any(answer.differs(self.found(each, answer.unknown)) for each in states):
                there = f"{queue.curdepth} messages" if queue.curdepth > 1 else "message"
                have = "have" if queue.curdepth > 1 else "has"
                yield f"the {there} on {queue.name} {have} priority {queue.defprty}, its DEFPRTY"
        if queue.shared and queue.ipprocs is not None:
            states = [_open_elsewhere(state, queue.name, mode) for mode in INPUT_MODES]
            if any(answer.differs(self.found(each, answer.unknown)) for each in states):
                yield f"no other queue manager of the group has {queue.name} open for input"


def _put_left_open(queue: Queue, snapshot: Snapshot) -> Iterator[MissingInformation]:
    """That no display shows whether the queue takes the message."""
    if "put" in snapshot.unshown.of(queue):
        what = f"PUT of {queue.name} is shown by no display; taken as {queue.put}, and else the put fails"
        yield MissingInformation(what, queue.name, f"DISPLAY QUEUE({quote_name(queue.name)}) PUT")


def _interval_left_open(answer: WhyAnswer, snapshot: Snapshot) -> Iterator[MissingInformation]:
    """That no display shows how long ago the last trigger message must be, where that decides."""
    own = snapshot.cluster.queue_manager
    if "trigint" in snapshot.unshown.of(own) and any(each.is_timed for each in answer.deciding_unknowns):
        what = f"TRIGINT of {own.name} is shown by no display; taken as {own.trigint} ms"
        yield MissingInformation(what, own.name, "DISPLAY QMGR TRIGINT")


def _named(name: str, snapshot: Snapshot) -> Queue:
    found = snapshot.cluster.own_queues.get(name.rstrip(" "))
    if found is None or found.type != "QLOCAL":
        local = [each for each, queue in snapshot.cluster.own_queues.items() if queue.type == "QLOCAL"]
        raise ArgumentError(f"{name!r} is not a local queue of the snapshot's queue manager{suggest_name(name, local)}")
    return found


def _open_to_puts(cluster: Cluster, queue: Queue) -> Cluster:
    """``cluster`` where a put to ``queue`` does not fail: the conditions are told of such a one too."""
    room = evolve(queue, put="ENABLED", maxdepth=LARGEST)
    return evolve(cluster, queues=tuple(room if each is queue else each for each in cluster.queues))


def _shipped(queue: Queue, snapshot: Snapshot) -> tuple[Queue, ...]:
    """Its initiation queue, where that is one that every queue manager has and no script defines."""
    return assume_default_queues(snapshot.cluster, snapshot.knowledge.defined, [(queue.name, queue.initq)])


def _started(queue: Queue, snapshot: Snapshot, rules: Rules) -> tuple[tuple[str, ...], tuple[MissingInformation, ...]]:
    """What rules of delivery say of the trigger message; and the channels whose state decides that and is not known."""
    cluster, beyond = snapshot.cluster, snapshot.beyond
    remarks = _remarks(queue, cluster, beyond, rules)
    unknown = []
    for each in cluster.channel_statuses:
        if each.name in beyond.unknown_state:
            known = evolve(beyond, unknown_state=beyond.unknown_state - {each.name})
            others: dict[str, str] = {
                state: _without(f": {each.name} is {state}", " ".join(said))
                for state in CHANNEL_STATES
                if (said := _remarks(queue, cluster.with_status(each.name, state), known, rules)) != remarks
            }
            if others:
                what = f"the status of channel {each.name}. {render_alternatives(f'{each.name} is', others)}"
                unknown.append(MissingInformation(what, each.name, build_chstatus_command(each.name)))
    return remarks, tuple(drop_answered_commands(unknown, snapshot.knowledge.asked))


def _without(condition: str, said: str) -> str:
    """``said`` without the condition under which it is said, where that is its only reason: ``If …:`` has it before."""
    before, _, after = said.partition(condition)
    return before + after if after[:1] in ("", ";") else said


def _remarks(queue: Queue, cluster: Cluster, beyond: DeliveryContext, rules: Rules) -> tuple[str, ...]:
    return list_delivery_remarks(build_trigger_delivery(queue, cluster, beyond), rules)


def _condition(doubt: BlockingCondition) -> dict[str, Any]:
    rule, told = doubt.condition.rule, {"because": doubt.because, "remedy": doubt.condition.remedy or None}
    advice = {"advice": doubt.condition.advice} if doubt.condition.advice else {}
    return {"rule": rule.id, "clause": rule.clause, "holds": doubt.holds, **told, **advice}


def _said(unknown: Sequence[UnknownFact], values: Values, places: Sequence[int]) -> list[str]:
    deciding = [at for at in places if len(values[at]) < len(unknown[at].places)]
    return [unknown[at].says(values[at]) for at in deciding]


def _left_open(
    queue: Queue, unasked: Unasked, favourable: Mapping[str, Any], adverse: Mapping[str, Any]
) -> Iterator[UnknownFact]:
    """Attributes of a queue that no display shows: such that it does not trigger, or that it does."""
    names = [each for each in unasked if each in favourable or each in adverse]
    if not names:
        return
    words = list(dict.fromkeys(word for each in names for word in unasked[each]))
    listed = " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
    of = f"{listed} of {queue.name}"
    values = [
        partial(_defined_as, queue=queue, changed={each: given[each] for each in names if each in given})
        for given in (adverse, favourable)
    ]
    said = [f"{of} {each}" for each in (("keeps it", "lets it") if len(words) == 1 else ("keep it", "let it"))]
    told = [f"{said[0]} from triggering", f"{said[1]} trigger"]
    what, command = f"{listed}, which no display shows", f"DISPLAY QUEUE({quote_name(queue.name)}) {' '.join(words)}"
    yield UnknownFact(of, what, queue.name, command, values, partial(_among, told), is_defined=True)


def _defined_as(state: State, queue: Queue, changed: Mapping[str, Any]) -> State:
    """``state`` with other attributes of a queue; a process or an initiation queue that it then names is there."""
    cluster = state.cluster
    place = queue.name, queue.queue_manager
    queues = [evolve(each, **changed) if (each.name, each.queue_manager) == place else each for each in cluster.queues]
    local, served = cluster.queue_manager.name, "initq" in changed and changed["initq"] == STAND_IN
    if served:
        queues.append(Queue(STAND_IN, local))
    processes = (*cluster.processes, *([Process(STAND_IN)] if changed.get("process") else ()))
    there = state.replace(definitions=state.definitions.of(evolve(cluster, queues=queues, processes=processes)))
    return _served_by(there, STAND_IN) if served else there


def _is_untold(attribute: str, queue: Queue, untold: UndisplayedObjects) -> bool:
    return bool(getattr(queue, attribute)) and queue.name in untold.get(attribute, ())


def _may_be_process(queue: Queue, state: State) -> Iterator[UnknownFact]:
    name = queue.process
    if name in state.definitions.processes:
        return
    values: list[StateChange] = [_as_it_is, partial(_with_process, name=name)]
    said = [f"process {name} is not defined", f"process {name} is defined"]
    yield _of_definition(f"process {name}", name, f"DISPLAY PROCESS({quote_name(name)})", values, said)


def _may_be_initiation_queue(queue: Queue, state: State) -> Iterator[UnknownFact]:
    name = queue.initq
    if name in state.cluster.own_queues or name in state.cluster.models:
        yield from _of_initiation_queue(queue, state)
        return
    queue = Queue(name, state.cluster.queue_manager.name, curdepth=None)
    values: list[StateChange] = [
        _as_it_is,
        partial(_with_queue, queue=queue),
        partial(_with_queue, queue=queue, is_served=True),
    ]
    said = [f"{name} is not a local queue", f"no trigger monitor has {name} open", f"a trigger monitor has {name} open"]
    yield _of_definition(f"the initiation queue {name}", name, f"DISPLAY QUEUE({quote_name(name)}) ALL", values, said)


def _as_it_is(state: State) -> State:
    return state


def _with_process(state: State, name: str) -> State:
    there = evolve(state.cluster, processes=(*state.cluster.processes, Process(name)))
    return state.replace(definitions=state.definitions.of(there))


def _with_queue(state: State, queue: Queue, is_served: bool = False) -> State:
    """``state`` where a local queue is defined, and somebody has it open for input or nobody."""
    there = state.replace(definitions=state.definitions.of(add_queues(state.cluster, (queue,))))
    return _served_by(there, queue.name) if is_served else there


def _served_by(state: State, name: str) -> State:
    """``state`` where somebody has the local queue ``name`` open for input."""
    return state.replace(handles=state.handles.add_standing_handles(name, 1))


def _of_definition(name: str, of: str, command: str, values: Sequence[StateChange], said: Sequence[str]) -> UnknownFact:
    """Whether something is defined."""
    what = f"whether {name} is defined"
    return UnknownFact(what, what, of, command, values, partial(_among, said))


def _of_queue(queue: Queue, depths: Collection[int]) -> Iterator[UnknownFact]:
    if queue.ipprocs is None:
        yield _served(queue)
    if queue.curdepth is None:
        yield _depth(queue, depths)


def _served(queue: Queue) -> UnknownFact:
    """Who has the queue open for input; of a shared queue, also at other queue managers of the group."""
    name = queue.name
    values: list[StateChange] = [_as_it_is, partial(_served_by, name=name)]
    said = [f"no program has {name} open for input", f"a program has {name} open for input"]
    if queue.shared:
        values += [partial(_open_elsewhere, queue=name, mode=mode) for mode in INPUT_MODES]
        another = "another queue manager of the group has"
        said += [f"{another} {name} open for shared input", f"{another} {name} open for exclusive input"]
    return _handles(name, values, said, " CMDSCOPE(*)" if queue.shared else "")


def _handles(name: str, values: Sequence[StateChange], said: Sequence[str], scope: str = "") -> UnknownFact:
    what, command = "how many handles are open for input (IPPROCS)", f"DISPLAY QSTATUS({quote_name(name)}){scope}"
    return UnknownFact(f"IPPROCS of {name}", what, name, command, values, partial(_among, said))


def _depth(queue: Queue, depths: Collection[int]) -> UnknownFact:
    """How many messages are there: none, and the numbers at which it makes a difference to the rules.

    There are fewer than MAXDEPTH: the one that is put has room.
    """
    name, lowest, most = queue.name, queue.trigmpri, max(queue.maxdepth - 1, 0)
    counts = sorted({min(each, most) for each in (0, *depths)})
    of = f"of priority {lowest} or higher " if lowest else ""

    says = partial(_depths, counts, most, of, name)
    values = [partial(State.with_messages, queue=queue, priority=HIGHEST_PRIORITY, count=count) for count in counts]
    what = f"how many messages {of}are there (CURDEPTH)"
    return UnknownFact(f"CURDEPTH of {name}", what, name, f"DISPLAY QSTATUS({quote_name(name)})", values, says)


def _depths(counts: Sequence[int], most: int, of: str, name: str, places: Collection[int]) -> str:
    return f"{_render_either([_messages(counts, most, *run, of) for run in _runs(places)])} on {name}"


def _messages(counts: Sequence[int], most: int, first: int, last: int, of: str) -> str:
    """As many messages ``of`` a kind as the counts from one place to another stand for: each counts up to the next.

    The last one counts up to the ``most`` that there may be.
    """
    low, is_last = counts[first], last == len(counts) - 1
    if is_last and low < most:
        return f"{low} messages or more {of}are" if low > 1 else f"a message {of}is"
    high = most if is_last else counts[last + 1] - 1
    if high == 0:
        return f"no message {of}is"
    if high == 1:
        return f"one message {of}is"
    return f"{f'{low} to {high}' if low < high else low} messages {of}are"


def _runs(places: Collection[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of each run of places that follow one another."""
    ordered = sorted(places)
    breaks = [at for at, (one, other) in enumerate(pairwise(ordered), 1) if other != one + 1]
    for start, end in pairwise([0, *breaks, len(ordered)]):
        yield ordered[start], ordered[end - 1]


def _of_initiation_queue(queue: Queue, state: State) -> Iterator[UnknownFact]:
    initq = state.definitions.local_queue(queue.initq)
    if initq is None or initq.ipprocs is not None or initq.name == queue.name:
        return
    name = initq.name
    values: list[StateChange] = [_as_it_is, partial(_served_by, name=name)]
    said = [f"no trigger monitor has {name} open for input", f"a trigger monitor has {name} open for input"]
    yield _handles(name, values, said)


def _last_trigger(queue: Queue, state: State) -> Iterator[UnknownFact]:
    """When the last trigger message was written: long ago, not since a start that is not long ago, or just now."""
    if not queue.initq or queue.initq in state.cluster.models:
        return
    name, interval = queue.name, state.cluster.queue_manager.trigint
    values = [
        partial(State.replace, now=interval, triggers=triggers)
        for triggers in (TriggerHistory({name: 0}), TriggerHistory(started=interval), TriggerHistory({name: interval}))
    ]
    said = [
        f"the last trigger message for {name} was written {interval} ms ago or earlier",
        f"no trigger message was written for {name} since the queue manager started, less than {interval} ms ago",
        f"a trigger message was written for {name} in the last {interval} ms",
    ]
    none = f"no trigger message was written for {name} in the last {interval} ms"
    to = queue.queue_manager, queue.initq
    sharing = [each for each in state.cluster.queues if each.trigger and (each.queue_manager, each.initq) == to]
    of_any = f"; the last put to {queue.initq} may be of another of its queues" if len(sharing) > 1 else ""
    what = f"when the last trigger message was written for it (TRIGINT is {interval} ms){of_any}"
    base = _base_of(queue.initq, state)
    command = f"DISPLAY QSTATUS({quote_name(base)}) LPUTDATE LPUTTIME"
    yield UnknownFact(
        f"when the last trigger message was written for {name}",
        what,
        name,
        command,
        values,
        partial(_or_none, said, none),
        is_timed=True,
    )


def _or_none(said: Sequence[str], none: str, places: Collection[int]) -> str:
    """Of three things the one that is so; that the last one is not, where it is one of the others."""
    return none if {*places} == {0, 1} else _among(said, places)


def _base_of(name: str, state: State) -> str:
    """The queue that has a status: of an alias its target."""
    found = state.cluster.own_queues.get(name)
    return found.base_queue if found is not None and found.type == "QALIAS" and found.base_queue else name


def _among(said: Sequence[str], places: Collection[int]) -> str:
    return _render_either([text for place, text in enumerate(said) if place in places])
