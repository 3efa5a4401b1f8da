"""Why a queue triggers or does not: the trigger rules on a message put now, over all that is not known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

from attrs import evolve, frozen

from mqclause.answers.choice.states import asking_status, ifs
from mqclause.answers.choice.ways import on_the_way, way_of_trigger_message
from mqclause.answers.trigger.examination import Condition, Examination, Triggers
from mqclause.answers.trigger.thresholds import thresholds
from mqclause.answers.trigger.unknown import Combination, State, UnknownFact, combinations, provided, turns, with_values
from mqclause.answers.trigger.unknown_facts import opened_elsewhere, unknown_facts
from mqclause.documents import CALL
from mqclause.executors.run import ExecutorName
from mqclause.model.assembly.incomplete import Incomplete, still_asking
from mqclause.model.assembly.shipped import assumed, shipped, with_queues
from mqclause.model.assembly.snapshot import Snapshot
from mqclause.model.diagnostic import name_suggestion, of_type
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.constants import REASON_NAMES
from mqclause.model.facts.delivery import Beyond
from mqclause.model.facts.domains import LARGEST
from mqclause.model.facts.message import HIGHEST_PRIORITY, Message
from mqclause.model.facts.objects import CHANNEL_STATES, Queue
from mqclause.model.facts.queue_call import INPUT_MODES
from mqclause.model.timeline.event import Event
from mqclause.model.timeline.judge import CallFailure
from mqclause.rulebook.errors import UnansweredError
from mqclause.rulebook.rule import Rule
from mqclause.rulebook.rules import Rules

Verdict = Literal["triggers", "does not", "depends"]


@frozen(eq=False)
class Doubt:
    """A condition that stands in the way: always, or (``holds`` is None) where what is not known is so.

    ``by`` is what is not known and decides whether it holds.
    """

    condition: Condition
    holds: bool | None
    by: tuple[UnknownFact, ...] = ()

    @property
    def because(self) -> str:
        """Why it fails, or what that depends on."""
        return f"depends on {' and '.join(each.name for each in self.by)}" if self.by else self.condition.because


@frozen(eq=False)
class PutNow:
    """What the trigger rules say of a message put to ``queue`` now, by the values of what is ``unknown``.

    ``failure`` is what the put fails with, if it does; the conditions are then those of a queue that takes it.
    ``assumed`` was taken to be so where it matters, ``remarks`` concern the trigger message that is written. What is
    not known and decides what that starts is ``further``, attributes of the queue that no display shows ``left_open``.
    """

    queue: Queue
    unknown: tuple[UnknownFact, ...]
    found: Mapping[Combination, Examination]
    failure: CallFailure | None = None
    assumed: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    further: tuple[Incomplete, ...] = ()
    left_open: frozenset[str] = frozenset()

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
    def provided(self) -> str:
        """Where it depends: what has to be so for a trigger message."""
        return provided(self.unknown, self.triggering) if self.verdict == "depends" else ""

    @cached_property
    def doubts(self) -> list[Doubt]:
        """The conditions that fail or depend, in the document's order."""
        rules = dict.fromkeys(rule for each in self._holding_back.values() for rule in each)
        order = list(next(iter(self.found.values())).ruleset.rules)
        return [self._doubt(rule) for rule in sorted(rules, key=order.index)]

    @property
    def always_one(self) -> list[Condition]:
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
        """What is in the way in any case: conditions, by rule, that nothing makes up for, and that the put fails."""
        needed = frozenset[str].intersection(*(each.needed for each in self.found.values()))
        failing = frozenset(each.condition.rule.id for each in self.doubts if each.holds is False)
        return (failing & needed) | ({self.reason_name} if self.reason is not None else set())

    def differs(self, others: Mapping[Combination, Examination]) -> bool:
        """Whether ``others``, found of a message like this one, tell another answer or other conditions that fail."""
        return any(_kind(each) != _kind(self.found[at]) for at, each in others.items())

    @cached_property
    def depends_on(self) -> list[UnknownFact]:
        """What is not known, and decides whether a condition fails."""
        failing = {each: frozenset(held_back) for each, held_back in self._holding_back.items()}
        return [unknown for at, unknown in enumerate(self.unknown) if turns(failing, at)]

    @cached_property
    def _holding_back(self) -> dict[Combination, list[Rule]]:
        """The conditions because of which there is no trigger message."""
        return {each: [] if found.rule is not None else found.in_the_way for each, found in self.found.items()}

    @cached_property
    def _examined(self) -> dict[Combination, dict[Rule, bool]]:
        return {each: dict(found.examined()) for each, found in self.found.items()}

    def remedies(self, of: Rule) -> list[str]:
        """What could be typed so that a condition that fails somewhere holds, each in place of the others."""
        return next(found for found in self.found.values() if (of, False) in found.examined()).remedies(of)

    def _doubt(self, rule: Rule) -> Doubt:
        held_back = [each for each, rules in self._holding_back.items() if rule in rules]
        failing = self.found[held_back[0]].unfulfilled(rule)
        holds = {each: found[rule] for each, found in self._examined.items() if rule in found}
        by = tuple(unknown for at, unknown in enumerate(self.unknown) if turns(holds, at))
        if not by:  # where it does not hold back, another rule may be asked in its place
            held = {each: each in held_back for each in self.found}
            by = tuple(one for at, one in enumerate(self.unknown) if one.is_defined and turns(held, at))
        return Doubt(failing, False if len(held_back) == len(self.found) else None, by)


def _kind(examination: Examination) -> list[Rule] | None:
    """What fails; None where there is a trigger message."""
    return None if examination.rule is not None else [rule for rule, holds in examination.examined() if not holds]


class Why:
    """Asks the trigger rules why a queue triggers or does not. Arguments as for Triggers. Raises RuleError."""

    def __init__(self, rules: Rules | None = None, executor: ExecutorName = "compiled") -> None:
        self.triggers = Triggers(rules, executor)

    def ask(self, queue: Queue | str, snapshot: Snapshot, priority: int | None = None) -> PutNow:
        """What becomes of a message of ``priority`` (None: DEFPRTY) put now, outside any unit of work.

        ``queue`` is a local queue of the snapshot, or its name; ValueError for a name that no such queue has.
        """
        of_type("snapshot", snapshot, Snapshot, ", as read_files gives")
        queue = _named(queue, snapshot) if isinstance(queue, str) else of_type("queue", queue, Queue, " or its name")
        asked = _Asked(self.triggers, queue, priority, snapshot.messages)
        happened = asked.state(snapshot.cluster).after(asked.put)[1]
        more = _shipped(queue, snapshot)
        takes_it = _open_to_puts(snapshot.cluster, queue) if happened.failure is not None else snapshot.cluster
        state = asked.state(with_queues(takes_it, more))
        unknown = self._unknown(queue, state, snapshot)
        answer = PutNow(queue, unknown, asked.found(state, unknown), happened.failure)
        taken = (*(assumed(each.name) for each in more), *asked.assumed(state, answer))
        remarks, further = _started(queue, snapshot, self.triggers.rules)
        further = (*_put_left_open(queue, snapshot), *further)
        left_open = frozenset(snapshot.unshown.of(queue))
        return evolve(answer, assumed=taken, remarks=remarks, further=further, left_open=left_open)

    def is_triggered(self, queue: Queue, snapshot: Snapshot, priority: int | None = None) -> bool:
        """Whether the verdict of ask is ``triggers``, in less time: the first that does not trigger ends it."""
        wrote = self._wrote(queue, snapshot, priority)
        return next(wrote, False) and all(wrote)

    def may_trigger(self, queue: Queue, snapshot: Snapshot, priority: int | None = None) -> bool:
        """Whether the verdict of ask is another than ``does not``, in less time; false also where the put fails."""
        return any(self._wrote(queue, snapshot, priority))

    def is_triggered_by(self, events: Sequence[Event], answer: PutNow, snapshot: Snapshot) -> bool:
        """Whether one of ``events``, in place of the put of ``answer``, has a trigger message written for its queue."""
        queue = answer.queue
        state = State.of(
            with_queues(snapshot.cluster, _shipped(queue, snapshot)), self.triggers.judge, snapshot.messages
        )
        found = (with_values(state, answer.unknown, each) for each in answer.found)
        return all(self._wrote_by(events, queue, each) for each in found)

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
            state = asked.state(with_queues(snapshot.cluster, _shipped(queue, snapshot)))
            found = asked.each_found(state, self._unknown(queue, state, snapshot))
            yield from (each.rule is not None for _, each in found)

    def _unknown(self, queue: Queue, state: State, snapshot: Snapshot) -> tuple[UnknownFact, ...]:
        depths = thresholds(self.triggers.steps, state.definitions.described(queue))
        found = unknown_facts(queue, state, snapshot.untold, depths, snapshot.unshown.of)
        return tuple(evolve(each, command="") if snapshot.asked.holds(each.command) else each for each in found)


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
        return State.of(cluster, self.triggers.judge, self.messages)

    def found(self, state: State, unknown: tuple[UnknownFact, ...]) -> dict[Combination, Examination]:
        """What the rules say, by the values of what is not known."""
        return dict(self.each_found(state, unknown))

    def each_found(self, state: State, unknown: tuple[UnknownFact, ...]) -> Iterator[tuple[Combination, Examination]]:
        """What the rules say, one by one."""
        for each in combinations(unknown):
            happened = with_values(state, unknown, each).after(self.put)[1]
            if not happened.occasions:  # as rules of somebody's own can have it
                raise UnansweredError(
                    f"{CALL.name}/", "", f"a put to {self.queue.name} fails although it is put-enabled"
                )
            (arrival,) = happened.occasions
            yield each, self.triggers.examine(arrival)

    def assumed(self, state: State, answer: PutNow) -> Iterator[str]:
        """What was taken to be so, and would make another answer if it were not."""
        queue, priorities = self.queue, (0, HIGHEST_PRIORITY)
        if self.priority is None:
            others = [evolve(self, priority=each) for each in priorities]
            if any(answer.differs(each.found(state, answer.unknown)) for each in others):
                yield f"the message has priority {queue.defprty}, the DEFPRTY of its queue; --priority asks another"
        if queue.curdepth:
            states = [state.holding(queue, each, queue.curdepth) for each in priorities]
            if any(answer.differs(self.found(each, answer.unknown)) for each in states):
                there = f"{queue.curdepth} messages" if queue.curdepth > 1 else "message"
                have = "have" if queue.curdepth > 1 else "has"
                yield f"the {there} on {queue.name} {have} priority {queue.defprty}, its DEFPRTY"
        if queue.shared and queue.ipprocs is not None:
            states = [opened_elsewhere(state, queue.name, mode) for mode in INPUT_MODES]
            if any(answer.differs(self.found(each, answer.unknown)) for each in states):
                yield f"no other queue manager of the group has {queue.name} open for input"


def _put_left_open(queue: Queue, snapshot: Snapshot) -> Iterator[Incomplete]:
    """That no display shows whether the queue takes the message."""
    if "put" in snapshot.unshown.of(queue):
        what = f"PUT of {queue.name} is shown by no display; taken as {queue.put}, and else the put fails"
        yield Incomplete(what, queue.name, f"DISPLAY QUEUE('{queue.name}') PUT")


def _named(name: str, snapshot: Snapshot) -> Queue:
    found = snapshot.cluster.own_queues.get(name.rstrip(" "))
    if found is None or found.type != "QLOCAL":
        local = [each for each, queue in snapshot.cluster.own_queues.items() if queue.type == "QLOCAL"]
        raise ValueError(f"{name!r} is not a local queue of the snapshot's queue manager{name_suggestion(name, local)}")
    return found


def _open_to_puts(cluster: Cluster, queue: Queue) -> Cluster:
    """``cluster`` where a put to ``queue`` does not fail: the conditions are told of such a one too."""
    room = evolve(queue, put="ENABLED", maxdepth=LARGEST)
    return evolve(cluster, queues=tuple(room if each is queue else each for each in cluster.queues))


def _shipped(queue: Queue, snapshot: Snapshot) -> tuple[Queue, ...]:
    """Its initiation queue, where that is one that every queue manager has and no script defines."""
    return shipped(snapshot.cluster, snapshot.defined, [(queue.name, queue.initq)])


def _started(queue: Queue, snapshot: Snapshot, rules: Rules) -> tuple[tuple[str, ...], tuple[Incomplete, ...]]:
    """What rules of delivery say of the trigger message; and the channels whose state decides that and is not known."""
    cluster, beyond = snapshot.cluster, snapshot.beyond
    remarks = _remarks(queue, cluster, beyond, rules)
    unknown = []
    for each in cluster.channel_statuses:
        if each.name in beyond.unknown_state:
            known = evolve(beyond, unknown_state=beyond.unknown_state - {each.name})
            others = {
                state: _without(f": {each.name} is {state}", " ".join(said))
                for state in CHANNEL_STATES
                if (said := _remarks(queue, cluster.with_status(each.name, state), known, rules)) != remarks
            }
            if others:
                what = f"the status of channel {each.name}. {ifs(f'{each.name} is', others)}"
                unknown.append(Incomplete(what, each.name, asking_status(each.name)))
    return remarks, tuple(still_asking(unknown, snapshot.asked))


def _without(condition: str, said: str) -> str:
    """``said`` without the condition under which it is said, where that is its only reason: ``If …:`` has it before."""
    before, _, after = said.partition(condition)
    return before + after if after[:1] in ("", ";") else said


def _remarks(queue: Queue, cluster: Cluster, beyond: Beyond, rules: Rules) -> tuple[str, ...]:
    told = on_the_way(way_of_trigger_message(queue, cluster, beyond), rules)
    return tuple(told.remarks) if told is not None else ()
