"""Replay a scenario event by event: route puts, examine queues, answer calls (class Replay).

A replay decides each of them by itself. The queue manager keeps to the destination of the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain, combinations
from operator import itemgetter
from types import TracebackType
from typing import Any, Self

from attrs import define, evolve, field, frozen

from mqclause.answers import ShownAnswer
from mqclause.executors.operations import ExecutorName
from mqclause.exits.process import Caller, Exit
from mqclause.model.configuration.completeness import EVERY_STATE
from mqclause.model.diagnostics import Diagnostic, FactsError, check_type
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import LARGEST, quote_name
from mqclause.model.facts.objects import READING_MODES, Channel, Put, QueueManager
from mqclause.model.facts.workload import Destination, SequenceState
from mqclause.model.timeline.administration import InFlightMessage
from mqclause.model.timeline.events import ADMINISTRATIVE, Event, EventError, render_event_label
from mqclause.model.timeline.queue import MessageLabels
from mqclause.model.timeline.retrieval import PutPlacement, get_message_group
from mqclause.model.timeline.scenario import Scenario
from mqclause.model.timeline.transitions import QueueManagerState
from mqclause.model.timeline.trigger_events import DEPTHS, TOTAL_DEPTHS, CallFailure, EventResult, TriggerEvent
from mqclause.replay.administration import AdministrationResult, AdministrationSimulator, ReplayExits
from mqclause.retrieval.calls import (
    NO_REASON,
    CallReason,
    RetrievalResult,
    find_close_reason,
    find_put_reason,
    retrieve,
)
from mqclause.retrieval.order import Retrieval
from mqclause.rulebook.loader import check_replayable
from mqclause.rulebook.rules import Rules, RulesOrigin
from mqclause.trigger.examination import Examination, Triggers, find_thresholds
from mqclause.workload.decision import Decision, Engine
from mqclause.workload.delivery import (
    NEW_BEGINNING,
    DeliveryRemarks,
    check_group,
    check_listed_states,
    find_alias_remarks,
    find_refusal_remarks,
)
from mqclause.workload.editions import describe_edition_difference, get_levels, list_level_remarks
from mqclause.workload.exit_answer import ExitAnswer, find_missing_exit
from mqclause.workload.resolution import Resolution
from mqclause.workload.sensitivity import find_unknown_states

Watch = Callable[["Row | None", QueueManagerState], object]
"""What looks on at a replay: it is given each row with the queue manager as it is then."""


class Replay:
    """Replays scenarios. Arguments as for Engine; pickles as its rules. Raises ReadingError and RuleError."""

    def __init__(
        self,
        rules: Rules | None = None,
        executor: ExecutorName = "compiled",
        exits: Mapping[str, Exit] | None = None,
        exit_limit: float | None = None,
    ) -> None:
        self.engine = Engine(rules, executor, exits, exit_limit)
        self.triggers = Triggers(self.engine.rules, executor)
        self.retrieval = Retrieval(self.engine.rules, executor)
        check_replayable(self.engine.rules.readings, self.engine.rules.known_readings)

    def __repr__(self) -> str:
        return f"<Replay: {self.engine.rules!r}, {self.engine.executor}>"

    def at(self, cluster: Cluster) -> Replay:
        """Return the one by the rules of the edition of the local queue manager, if its level is known."""
        engine = self.engine.at(cluster)
        if engine is self.engine:
            return self
        made = Replay(engine.rules, engine.executor)
        made.engine = engine
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Replay, self.engine.__reduce__()[1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the processes of the exits; a later replay starts them again."""
        self.engine.close()

    def rows(self, scenario: Scenario, source: str = "scenario", watch: Watch | None = None) -> Iterator[Row]:
        """Yield one row for each event, in order. Raises FactsError for an event that cannot happen when it is reached.

        Memory does not grow with the number of events: a row is made when it is asked for. ``watch`` is shown the queue
        manager before the first event, and then after each with its row.
        """
        check_type("scenario", scenario, Scenario, ", as read_scenario gives")
        replay = self.at(scenario.cluster)
        exits = ReplayExits(self.engine.exits, scenario.cluster.queue_manager.clwlexit)
        state = QueueManagerState.of(scenario.cluster, replay.triggers.callbacks, scenario.messages)
        ways = DeliveryRemarks(replay.engine.rules, scenario.beyond)
        administering = AdministrationSimulator.of(replay.engine, exits, state, scenario.in_flight, ways)
        run = _Run(self, replay, state, SequenceState.of(scenario.cluster), exits, administering)
        assumptions, routing = Assumptions.of(scenario, replay.triggers), RoutingAssumptions.of(scenario)
        origin = replay.engine.rules.origin
        odd_levels = tuple(list_level_remarks(replay.engine.rules, get_levels([scenario.cluster])))
        if watch is not None:
            watch(None, run.state)
        try:
            for number, event in enumerate(scenario.events):
                for repeat in range(event.count):
                    row = Row(number, event, repeat if event.count > 1 else None, origin=origin)
                    try:
                        run.step(row)
                    except EventError as error:
                        label = render_event_label(number + 1, event.do)
                        raise FactsError([Diagnostic(source, f"{label}: {error}")]) from None
                    row.assumed = assumptions.said(row)
                    routing.tell(row, run.decided, run.other_edition)
                    row.editions, odd_levels = (*odd_levels, *row.editions), ()
                    run.note_ways(row, administering.ways)
                    if watch is not None:
                        watch(row, run.state)
                    yield row
        finally:
            exits.end()


@define(eq=False)
class GroupBinding:
    """The destination of the first message of each group, by handle that leaves the choice to groups."""

    firsts: dict[int, dict[str, Destination]] = field(factory=dict)

    def open(self, handle: int) -> None:
        """Note that the handle was opened with the binding GROUP."""
        self.firsts[handle] = {}

    def close(self, handle: int) -> None:
        """Forget a handle that is closed."""
        self.firsts.pop(handle, None)

    def find_first(self, handle: int, group: str, routed: Destination) -> Destination | None:
        """Find where the group's first message went if it was another way; None if it was not, or nothing binds it."""
        if not group or handle not in self.firsts:
            return None
        first = self.firsts[handle].setdefault(group, routed)
        return None if first.queue_manager == routed.queue_manager else first

    def begin_anew(self, handle: int, group: str, routed: Destination) -> None:
        """Note that the rest of the group goes where this message went."""
        self.firsts[handle][group] = routed


@define(eq=False)
class _Run:
    """One scenario on its way: the queue manager, the sequence state, and where opens have bound messages to.

    ``replay`` is that of the queue manager's edition now, of those that ``every`` makes. ``bound`` holds, by handle,
    the destination that an open fixed, or None where each put chooses. Of the last event ``decided`` is what the rules
    were asked for, and ``other_edition`` says that another one does something else.
    """

    every: Replay
    replay: Replay
    state: QueueManagerState
    sequence: SequenceState
    exits: ReplayExits
    administering: AdministrationSimulator
    bound: dict[int, Destination | None] = field(factory=dict)
    groups: GroupBinding = field(factory=GroupBinding)
    decided: Decision | None = None
    other_edition: str = ""

    def note_ways(self, row: Row, ways: DeliveryRemarks) -> None:
        """Note what is in the way of the event's message, and of the trigger messages that it started."""
        met = (ways.started(each, self.state.cluster) for each in row.starting)
        row.unstarted = tuple(remark for told in met for remark in told)
        if isinstance(row.routed, Destination):
            row.obstacles = ways.obstacles(row.routed, self.state.cluster, row.is_bound)
        elif row.routed is not None:
            if row.routed.refusal is not None:
                row.obstacles = find_refusal_remarks(row.routed, ways.beyond)
            row.asks_again = self.administering.describe_repository_request(row.routed, self.state.cluster)
        elif row.event.do == "put" and row.reason is None and not row.published:
            here = self.state.definitions.find_base_queue(row.event.queue)
            row.obstacles = () if here is None else ways.arrived(here.name, self.state.cluster)
        if row.event.do == "put" and row.reason is None:
            row.obstacles += self.find_alias_remarks(row.event)

    def step(self, row: Row) -> None:
        event, before = row.event, self.state
        self.decided, self.other_edition = None, ""
        if event.do in ADMINISTRATIVE:
            self.administer(row)
            return
        if event.do in ("get", "open") and self.is_elsewhere(row):
            self.state = before.replace(now=before.get_event_time(event))
            return
        if event.do == "get":
            self.get(row)
            return
        if event.do == "put":
            arrived = self.put(row)
            if arrived is None:
                return
            happened = arrived
        else:
            self.state, happened = before.after(event)
            row.fail(happened.failure)
        if event.do == "open" and happened.handle is not None:
            self.open(row, happened)
        if event.do == "close" and happened.handle is not None:
            self.bound.pop(happened.handle.id, None)
            self.groups.close(happened.handle.id)
            self.close(row, before)
        if event.command_level is not None:
            self.migrate(row)
        self.exits.record_event(event, self.state)
        if self.state.cluster is not before.cluster:
            self.sequence = self.sequence.noticed(self.state.cluster, self.replay.engine.listing)
        self.look(row, happened)
        if happened.completed is not None:
            self.release(row, happened.completed.unit_of_work, happened.completed.committed)

    def find_alias_remarks(self, event: Event) -> tuple[str, ...]:
        """The remarks on the alias or remote definition that a put names, and on those that it leads to."""
        cluster, engine = self.state.cluster, self.replay.engine
        named = cluster.own_queues.get(event.queue)
        if named is None or named.type == "QLOCAL":
            return ()
        resolved = engine.resolve(cluster, event.queue, event.to_queue_manager, "MQPUT")
        return find_alias_remarks(resolved, cluster, engine.rules)

    def migrate(self, row: Row) -> None:
        """The queue manager is started at a command level: from here on the rules are those of its edition."""
        own, before, self.replay = self.state.cluster.queue_manager, self.replay, self.every.at(self.state.cluster)
        rules = self.replay.engine.rules
        was = before.engine.rules
        row.edition_stays = (rules.edition, rules.by_level) == (was.edition, was.by_level)
        row.editions += tuple(list_level_remarks(rules, get_levels([self.state.cluster])))
        row.edition, row.edition_from = rules.edition, rules.describe_edition_source(own.name, own.command_level)
        self.administering.follow(self.replay.engine)

    def administer(self, row: Row) -> None:
        """A command or an accident of administration: what it does to the cluster, and to messages in flight."""
        administering, before = self.administering, self.state
        administering.sequence = self.sequence
        row.administered = did = administering.after(row.event, before)
        self.other_edition = administering.describe_other_edition(row.event, before, did)
        self.state = before.replace(now=before.get_event_time(row.event))
        if administering.cluster is not before.cluster:
            self.state = self.state.replace(definitions=before.definitions.of(administering.cluster))
        self.exits.record_event(row.event, self.state)
        self.sequence = administering.sequence.noticed(administering.cluster, self.replay.engine.listing)
        for arrival in administering.arrivals:
            self.state, happened = self.state.after_arrival(arrival)
            self.look(row, happened)

    def is_elsewhere(self, row: Row) -> bool:
        """Whether messages cannot be got or browsed by a name that leads to no queue here: the call fails then."""
        event, cluster = row.event, self.state.cluster
        reads = event.do == "get" or event.mode in READING_MODES
        here = event.queue_manager in ("", cluster.queue_manager.name)
        if not (reads and here) or self.state.definitions.find_base_queue(event.queue) is not None:
            return False
        reason = self.replay.engine.resolve(cluster, event.queue, "", "MQOPEN", for_input=True).reason
        row.fail(None if reason is None else CallFailure(reason.code, reason.because, ""))
        return reason is not None

    def get(self, row: Row) -> None:
        """A get or browse: the rules of retrieval say what it returns."""
        self.state, happened, row.returned = retrieve(self.replay.retrieval, self.state, row.event)
        row.end(row.returned.ended)
        self.look(row, happened)

    def put(self, row: Row) -> EventResult | None:
        """A put, if the rules of retrieval let it be done; None if its message arrives on no local queue."""
        event = row.event
        ended, happened = find_put_reason(self.replay.retrieval, self.state, event), None
        labels = MessageLabels(row.number, -1 if row.repeat is None else row.repeat, event.segments)
        arrives = None if ended.fails else self.routed(row, labels, ended.placing)
        if arrives is not None:
            self.state, happened = self.state.after(arrives, labels, event, ended.placing)
        elif isinstance(row.routed, Destination) or row.administered is not None:
            self.state = self.state.after_remote_put(event, labels, ended.placing)
        else:
            self.state = self.state.after_sent(event)
            if ended.fails:
                row.end(ended)
            return None
        row.end(ended)
        if happened is not None and happened.failure is not None:
            row.fail(happened.failure)
        return happened

    def close(self, row: Row, before: QueueManagerState) -> None:
        """The close of an application's last handle on a queue may leave a group incomplete."""
        event = row.event
        if (event.by, event.queue) in before.positions and (event.by, event.queue) not in self.state.positions:
            row.end(find_close_reason(self.replay.retrieval, before, event))

    def routed(self, row: Row, labels: MessageLabels, placing: PutPlacement) -> Event | None:
        """The put that arrives on a local queue, after resolving and routing; None if none does."""
        event = row.event
        handle = self.state.handles.find_output_handle(event.by, event.queue, event.to_queue_manager)
        call = "MQPUT1" if handle is None else "MQPUT"
        where = self.replay.engine.resolve(self.state.cluster, event.queue, event.to_queue_manager, call)
        bound = None if handle is None else self.bound.get(handle.id)
        # What the names come to by now does not concern what the open has bound; a disabled object on the way does.
        if bound is not None and not where.inhibited_before_the_end:
            if not self.is_taken(row, bound, call):
                return None
            row.routed, row.is_bound = bound, True
        elif where.topic:
            row.published = where.remarks
            return None
        elif where.is_local:
            if where.inhibited:
                reason = where.reason
                row.fail(None if reason is None else CallFailure(reason.code, reason.because, ""))
                return None
            return self.arriving(event, where.names[0], where)
        else:
            # An open that has succeeded and bound nothing leaves the choice to each put.
            bind = "AS_Q_DEF" if handle is None else "NOTFIXED"
            # What the open has bound asks no exit again, though the put comes by way of something put-disabled.
            caller = self.exits.caller(event, handle) if bound is None else None
            put = _put(event.queue, event.to_queue_manager, bind, call, event.cluster_pcf)
            row.routed, row.is_bound = self.choose(row, put, caller), bool(where.names[1])
            if bound is None and where.ends == "queue":
                self.move(row, labels)
        if not isinstance(row.routed, Destination):
            return None
        if handle is not None:
            group = get_message_group(event, self.state.position(event).puts, placing, labels)
            self.look_at_group(row, handle.id, group, row.routed)
        if row.routed.transmission_queue:
            return self.arriving(event, row.routed.transmission_queue, where)
        return self.arriving(event, row.routed.queue, where) if row.routed.is_local and row.routed.queue else None

    def look_at_group(self, row: Row, handle: int, group: str, routed: Destination) -> None:
        """What rules say of a message that went elsewhere than the first of the group that the handle binds it to."""
        first = self.groups.find_first(handle, group, routed)
        if first is None:
            return
        told = check_group(routed, group, first, self.state.cluster, self.replay.engine.rules)
        if told is not None:
            row.parted = tuple(told.remarks)
            if told.facts.get(NEW_BEGINNING):
                self.groups.begin_anew(handle, group, routed)

    def move(self, row: Row, labels: MessageLabels) -> None:
        """Where an exit has put a message on the way to a queue manager that failed, it is asked again."""
        event, chosen = row.event, row.routed
        if row.exit is None or not row.exit.called or not isinstance(chosen, Destination) or chosen.is_local:
            return
        host = self.state.cluster.remote.get(chosen.queue_manager)
        if host is None or host.available:
            return
        message = InFlightMessage(
            event.id or labels.at(0), chosen.queue, chosen.channel, persistent=event.persistent,
            cluster_pcf=event.cluster_pcf,
        )  # fmt: skip
        self.administering.sequence = self.sequence
        row.administered = self.administering.handle_unavailable_target(message, chosen, self.state)
        self.sequence = self.administering.sequence
        (fate,) = row.administered.fates
        row.routed = None if fate.settled.facts["gone"] else fate.to or chosen

    def is_taken(self, row: Row, bound: Destination, call: str) -> bool:
        """Whether the transmission queue takes a message for what the open has fixed; if not, the call fails."""
        refusal = self.replay.engine.sending.refusal(bound, call, self.state.cluster, self.state.get_depth)
        if refusal is not None:
            row.fail(CallFailure(refusal.code, refusal.because, ""))
        return refusal is None

    def arriving(self, event: Event, queue: str, where: Resolution) -> Event:
        """The put as one to the local ``queue`` that its names came to, with the priority of what was named."""
        if queue == event.queue and not (event.priority is None and where.followed):
            return event
        priority = where.default_priority if event.priority is None else event.priority
        return evolve(event, queue=queue, priority=priority)

    def choose(self, row: Row, put: Put, caller: Caller | None) -> Destination | Decision:
        """The destination of ``put``, as far as exits are concerned that of ``caller``; or the decision without one."""
        decision = self.replay.engine.choose(
            put, self.state.cluster, self.sequence, caller=caller, depths=self.state.get_depth
        )
        self.sequence, self.decided, row.exit = decision.state, decision, decision.exit
        row.decided_by = decision.rules.edition if decision.runs else ""
        row.of_call = decision.call_remarks
        return decision.chosen or decision

    def open(self, row: Row, happened: EventResult) -> None:
        """An open for output makes the choice once if the binding is OPEN; if it fails, it gives no handle."""
        handle, event = happened.handle, row.event
        if handle is None or handle.mode != "OUTPUT":
            return
        where = self.replay.engine.resolve(self.state.cluster, event.queue, event.to_queue_manager, "MQOPEN")
        if where.is_local:
            return
        put = _put(event.queue, event.to_queue_manager, handle.bind, "MQOPEN")
        found = self.choose(row, put, self.exits.caller(event, None))
        if isinstance(found, Destination):
            row.routed, row.is_bound = found, where.needs_workload_rules
            self.bound[handle.id] = found if where.needs_workload_rules else None
        elif found.outcome == "deferred":
            self.bound[handle.id] = None
            if found.situation.bind == "GROUP":
                self.groups.open(handle.id)
        else:
            row.routed = found
            self.state = self.state.replace(handles=self.state.handles.without(handle))

    def look(self, row: Row, happened: EventResult) -> None:
        """Examines the queues to which something happened, each with what the event has written for it before."""
        written: dict[str, int] = {}
        for occasion in happened.occasions:
            now = self.state.update_trigger_event(occasion, written.get(occasion.queue, 0)) if written else occasion
            examination = self.replay.triggers.examine(now)
            row.examinations.append(examination)
            if examination.rule is not None:
                written[occasion.queue] = written.get(occasion.queue, 0) + examination.events
                self.write(row, examination)

    def write(self, row: Row, examination: Examination) -> None:
        queue, available = examination.occasion.queue, examination.available
        held_by = None if available else row.event.unit_of_work
        for _ in range(examination.events):
            refused = self.state.find_trigger_failure(queue)
            self.state = self.state.after_trigger_message(
                queue, held_by=held_by, event=row.number, trigtype=examination.trigtype, placed=refused is None
            )
            if refused is not None:
                row.refuse(queue, refused, self.state.cluster.queue_manager.deadq)
            row.trigger_messages.append(TriggerMessage(examination, available))
        if examination.turns_off is not None:
            self.state = self.state.with_trigger_off(queue)
            row.turned_off.append(examination)

    def release(self, row: Row, unit_of_work: str, committed: bool) -> None:
        """The end of a unit of work releases the trigger messages that it held back, or drops them."""
        for held in self.state.held(unit_of_work):
            keep = self.replay.triggers.releases(self.state.build_end_event(held, committed))
            self.state = self.state.release([held], keep)
            if keep:
                row.released += [ReleasedTriggerMessage(held.queue, held.event)] * held.count


@lru_cache(maxsize=4096)
def _put(queue: str, queue_manager: str, bind: str, call: str, cluster_pcf: bool = False) -> Put:
    """A put by an event: checked once for each names."""
    return Put.as_written(queue, queue_manager, bind=bind, call=call, cluster_pcf=cluster_pcf)


@frozen
class TriggerMessage:
    """A trigger message that an event created, and the examination that found it due."""

    examination: Examination
    available: bool


@frozen
class ReleasedTriggerMessage:
    """A trigger message that an event made available, and the number of the event that created it."""

    queue: str
    created_by_event: int


@define(unsafe_hash=True, repr=False)
class Row(ShownAnswer):
    """The effects of one event (one repetition of it). ``repeat`` is None unless the event is repeated.

    ``routed`` is the destination, a decision that failed, or None where nothing was routed. ``reason`` is an MQRC,
    which may be a ``warning``; ``ended`` has it too where the rules of retrieval give it, ``because`` and ``remedy``
    say why another call on a local queue fails, and by what MQSC it would not. ``returned`` is what a get or browse
    gave. ``exit`` is what an exit made of the choice, where one was asked for; ``assumed`` says what is taken to be so,
    ``editions`` that another edition of MQ has another answer, ``parted`` that the queue manager sends a message
    elsewhere, where the rest of its group is, ``obstacles`` why it does not arrive where it was routed to,
    ``asks_again`` who would be asked for a name that a refresh removed, ``decided_by`` by which edition of MQ a choice
    was made, ``edition`` of which one the queue manager is after a restart that states its command level,
    ``edition_from`` what that is known by, and ``edition_stays`` that it was of that edition before,
    ``undelivered`` which trigger messages are not on their initiation queue, ``unstarted`` why one that is there starts
    nothing, and ``published`` that a put publishes.
    What ``is_bound`` goes where it was routed to and to nobody else.
    """

    written_by = "replay"

    number: int
    event: Event
    repeat: int | None
    routed: Destination | Decision | None = None
    trigger_messages: list[TriggerMessage] = field(factory=list, hash=False)
    released: list[ReleasedTriggerMessage] = field(factory=list, hash=False)
    examinations: list[Examination] = field(factory=list, hash=False)
    turned_off: list[Examination] = field(factory=list, hash=False)
    reason: int | None = None
    exit: ExitAnswer | None = None
    warning: bool = False
    ended: CallReason = field(default=NO_REASON, eq=itemgetter(0, 1))
    returned: RetrievalResult | None = None
    administered: AdministrationResult | None = field(default=None, hash=False)
    because: str = ""
    remedy: str = ""
    assumed: tuple[str, ...] = ()
    editions: tuple[str, ...] = ()
    parted: tuple[str, ...] = ()
    of_call: tuple[str, ...] = ()
    obstacles: tuple[str, ...] = ()
    asks_again: str = ""
    undelivered: tuple[str, ...] = ()
    unstarted: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    is_bound: bool = False
    decided_by: str = ""
    edition: str = ""
    edition_from: str = ""
    edition_stays: bool = False
    origin: RulesOrigin | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that ``mqclause replay`` prints of it."""
        document: dict[str, Any] = {"event": self.number, "do": self.event.do}
        if self.repeat is not None:
            document["repeat"] = self.repeat
        document["routed"] = _routed(self.routed)
        document["trigger_messages"] = [_message(each) for each in self.trigger_messages]
        document["released"] = [
            {"queue": each.queue, "created_by_event": each.created_by_event} for each in self.released
        ]
        document["conditions"] = [condition for each in self.examinations for condition in _conditions(each)]
        document["changed"] = [_turned_off(each) for each in self.turned_off]
        if self.edition:
            document |= {"edition": self.edition, "edition_from": self.edition_from}
        elif self.decided_by:
            document["edition"] = self.decided_by
        if self.returned is not None:
            document |= self.returned.to_json()
        if self.reason is not None:
            document["reason"] = self.reason
        document |= {"because": self.because} if self.because else {}
        document |= {"remedy": self.remedy} if self.remedy else {}
        if self.warning:
            document["warning"] = True
        if self.exit is not None and self.exit.is_given:
            document["exit"] = self.exit.document(Destination.to_json)
        if self.remarks:
            document["remarks"] = list(self.remarks)
        if self.administered is not None:
            document["changed"] += self.administered.changed
            document |= self.administered.document()
        return document | self.origin_keys

    def fail(self, failure: CallFailure | None) -> None:
        """Return the reason of a call that failed; None if it did not."""
        if failure is None:
            self.reason, self.because, self.remedy = None, "", ""
        else:
            self.reason, self.because, self.remedy = failure.reason, failure.because, failure.remedy
            self.warning = False

    def end(self, ended: CallReason) -> None:
        """Describe how the rules of retrieval end the call."""
        self.ended, self.reason, self.warning = ended, ended.code, ended.is_warning

    def refuse(self, queue: str, refused: CallFailure, deadq: str) -> None:
        """Note that a trigger message for ``queue`` could not be put on its initiation queue."""
        goes = f"it goes to the dead-letter queue {deadq}" if deadq else "DEADQ is blank: it is discarded"
        told = f"the trigger message for {queue} is not put on its initiation queue ({refused.because}); {goes}"
        self.undelivered = (*self.undelivered, told)

    @property
    def starting(self) -> Iterable[str]:
        """The queues whose trigger messages reach their initiation queue by this event.

        Of the transmission queue that its message leaves by, the ``obstacles`` tell.
        """
        if self.undelivered or not (self.trigger_messages or self.released):
            return ()
        written = (each.examination.occasion.queue for each in self.trigger_messages if each.available)
        left_by = self.routed.transmission_queue if isinstance(self.routed, Destination) else ""
        found = dict.fromkeys([*written, *(each.queue for each in self.released)])
        return (each for each in found if each != left_by)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks: an exit that is named and not given, obstacles, assumptions."""
        fates = () if self.administered is None else self.administered.fates
        answers = (self.exit, *(each.exit for each in fates))
        of_exits = (remark for each in answers if each is not None for remark in each.remarks)
        assumed = (*(f"assumed: {each}" for each in self.assumed if each), *self.parted)
        ahead = (f"{each.message}: {remark}" for each in fates for remark in each.remarks)
        again = (self.asks_again,) if self.asks_again else ()
        told = (*self.obstacles, *self.undelivered, *self.unstarted, *self.published)
        return tuple(dict.fromkeys([*of_exits, *again, *ahead, *self.of_call, *told, *assumed, *self.editions]))


def _routed(routed: Destination | Decision | None) -> dict[str, Any] | None:
    if isinstance(routed, Decision):
        return {"failed": routed.reason and routed.reason.to_json()}
    return None if routed is None else routed.to_json()


def _message(message: TriggerMessage) -> dict[str, Any]:
    examination = message.examination
    occasion, fields, rule = examination.occasion, examination.fields, examination.rule
    names = ("trigger_data", "appl_type", "appl_id", "env_data", "user_data")
    return {
        "queue": fields["of_queue"],
        "initiation_queue": occasion.initq,
        "process": fields["of_process"],
        **{name: fields[name] for name in names},
        "rule": rule.id if rule else None,
        "available": message.available,
    }


def _conditions(examination: Examination) -> Iterator[dict[str, Any]]:
    queue = examination.occasion.queue
    for each in examination.conditions:
        row = {"queue": queue, "rule": each.rule.id, "clause": each.rule.clause, "holds": each.holds}
        yield row if each.holds else {**row, "because": each.because}


def _turned_off(examination: Examination) -> dict[str, Any]:
    rule = examination.turns_off
    queue = examination.occasion.queue
    return {"queue": queue, "attribute": "trigger", "value": False, "rule": rule.id if rule else None}


QUEUE_COUNTS = ("open_input_count", "previous_open_input_count", "open_by_others")
INITQ_COUNTS = ("initq_open_input_count", "initq_opened_before", "initq_opened_by_others")
"""What one more handle, open since before the event, adds to: of a queue, and of its initiation queue."""

NO_HANDLE = "no handle on {0} was open for input at the start: no source tells IPPROCS; DISPLAY QSTATUS({1}) IPPROCS"
NO_MESSAGE = "no message was on {0} at the start: no source tells CURDEPTH; DISPLAY QSTATUS({1}) CURDEPTH"
NONE_WRITTEN = (
    "no trigger message was written for {0} before the start: no source tells when the last one was;"
    " DISPLAY QSTATUS({1}) LPUTDATE LPUTTIME"
)

INTERVAL = "TRIGINT is {} ms: no display shows it; DISPLAY QMGR TRIGINT"
NO_EXIT = "no exit is called: no display shows CLWLEXIT; DISPLAY QMGR CLWLEXIT"
SOME_EXIT = "EXIT"
"""A name of an exit, where none is known."""

MOST_LOOKS = 1_000
"""At so many occasions of a queue it is asked what several unknown things do together; later, what each does."""

LOOKS_AT_EDITIONS = 100
"""At so many choices for a queue it is asked what other editions make of it."""


@frozen(eq=False)
class _Unknown:
    """Something about the queue ``name`` that is not known and is ``unsaid``, in words; how occasions are by it."""

    unsaid: set[str]
    name: str
    text: str
    otherwise: Callable[[TriggerEvent], Iterable[TriggerEvent]]


@define(eq=False)
class Assumptions:
    """The assumptions that a scenario rests on and that were not said yet, with the rules that may turn on them.

    ``taken`` says of processes and queues, by name, how they are taken to be there. Local queues are those of unknown
    IPPROCS, ``handles``, of unknown CURDEPTH, ``depths``, and ``untimed``: nobody tells when the last trigger message
    was written for them. ``attributes`` are unknown ones of the queue manager ``own``.
    """

    triggers: Triggers
    taken: Mapping[str, str]
    handles: set[str]
    depths: set[str]
    untimed: set[str]
    attributes: set[str]
    own: QueueManager
    _looks: dict[str, int] = field(factory=dict)
    _counts: dict[tuple[object, ...], Sequence[int]] = field(factory=dict)

    @classmethod
    def of(cls, scenario: Scenario, triggers: Triggers) -> Self:
        """Gather the assumptions of a scenario on queues, before its first event."""
        handles, depths, untimed = scenario.unknown_handles, scenario.unknown_depths, scenario.unknown_last
        attributes, own = set(scenario.unknown_attributes), scenario.cluster.queue_manager
        return cls(triggers, scenario.assumed, set(handles), set(depths), set(untimed), attributes, own)

    def said(self, row: Row) -> tuple[str, ...]:
        """Return the assumptions of a row, each once in a replay but for objects that are taken to exist."""
        if row.event.do == "restart":  # it closes every handle, and no trigger message was written since then
            self.handles.clear()
            self.untimed.clear()
        return (*self._of_there(row), *self._of_examined(row.examinations), *self._of_get(row), *self._of_exit(row))

    def _of_there(self, row: Row) -> Iterator[str]:
        """What is taken to be there of the queues that a row is about, and of their processes."""
        if self.taken:
            triggered = [name for each in row.examinations for name in (each.occasion.process, each.occasion.initq)]
            names = dict.fromkeys([row.event.queue, *triggered])
            yield from (self.taken[name] for name in names if name in self.taken)

    def _of_get(self, row: Row) -> Iterator[str]:
        """That a get which finds no message might have found one that was there before."""
        if row.event.queue in self.depths and row.returned is not None and not row.returned.got:
            self.depths.remove(row.event.queue)
            yield NO_MESSAGE.format(row.event.queue, quote_name(row.event.queue))

    def _of_exit(self, row: Row) -> Iterator[str]:
        """That an exit might have been called where something was routed."""
        if "clwlexit" in self.attributes and row.routed is not None:
            self.attributes.remove("clwlexit")
            named = evolve(self.own, clwlexit=SOME_EXIT)
            if find_missing_exit(self.triggers.rules, named, ()) is not None:
                yield NO_EXIT

    def _of_examined(self, examinations: Iterable[Examination]) -> Iterator[str]:
        """What examinations rest on: said at the first one that would end otherwise."""
        if not (self.handles or self.depths or self.untimed or self.attributes):
            return
        for each in examinations:
            if each.occasion.trigger:
                yield from self._of_occasion(each.occasion)

    def _of_occasion(self, occasion: TriggerEvent) -> Iterator[str]:
        """The fewest things by which it would end otherwise, of those about which nothing was said yet."""
        unknown, ended = self._unknown(occasion), _result(self.triggers.examine(occasion))
        self._looks[occasion.queue] = looks = self._looks.get(occasion.queue, 0) + 1
        for size in range(1, len(unknown) + 1 if looks < MOST_LOOKS else 2):
            deciding = [each for each in combinations(unknown, size) if self._decide(each, occasion, ended)]
            for each in dict.fromkeys(chain.from_iterable(deciding)):
                each.unsaid.remove(each.name)
                yield each.text
            if deciding:
                return

    def _unknown(self, occasion: TriggerEvent) -> list[_Unknown]:
        """What is not known of the queue of an occasion and of its initiation queue, and was not said."""
        queue, initq = occasion.queue, occasion.initq
        none_written = NONE_WRITTEN.format(queue, quote_name(occasion.initq_target or initq))
        found = [
            _Unknown(self.handles, queue, NO_HANDLE.format(queue, quote_name(queue)), partial(_more, QUEUE_COUNTS)),
            _Unknown(self.handles, initq, NO_HANDLE.format(initq, quote_name(initq)), partial(_more, INITQ_COUNTS)),
            _Unknown(self.depths, queue, NO_MESSAGE.format(queue, quote_name(queue)), self._deeper),
            _Unknown(self.untimed, queue, none_written, _triggered_at_start),
            _Unknown(self.attributes, "trigint", INTERVAL.format(occasion.trigint), _with_other_interval),
        ]
        return [each for each in found if each.name in each.unsaid]

    def _decide(self, unknown: Iterable[_Unknown], occasion: TriggerEvent, ended: object) -> bool:
        """Whether an occasion ends otherwise where all of these are not as they are taken to be."""
        others: Iterable[TriggerEvent] = [occasion]
        for each in unknown:
            others = chain.from_iterable(map(each.otherwise, others))
        return any(_result(self.triggers.examine(each)) != ended for each in others)

    def _deeper(self, occasion: TriggerEvent) -> Iterator[TriggerEvent]:
        """The same with more messages on the queue all the time: as many as make a difference to the rules."""
        asked = occasion.queue, occasion.trigtype, occasion.trigdpth, occasion.maxdepth
        if asked not in self._counts:
            counts = find_thresholds(self.triggers.steps, occasion) - {0}
            self._counts[asked] = sorted(each for each in counts if each < occasion.maxdepth)
        counted = (*DEPTHS, *TOTAL_DEPTHS)
        return (one for more in self._counts[asked] for one in _more(counted, occasion, more))


@define(eq=False)
class RoutingAssumptions:
    """The assumptions that the choices of a replay rest on and that were not said yet.

    ``states`` are the channels whose status no source tells; ``said_of`` are the names put to of which it was said, in
    the edition in force, that another edition of MQ has another answer. It is asked at so many ``looks`` at each queue.
    ``met`` are the states of channels of which it was said whether the edition in force knows them.
    """

    states: list[Channel]
    said_of: set[tuple[str, str]] = field(factory=set)
    met: set[str] = field(factory=set)
    _listed: tuple[Destination, ...] = ()
    _looks: dict[str, int] = field(factory=dict)

    @classmethod
    def of(cls, scenario: Scenario) -> Self:
        """Gather the assumptions of a scenario on channels, before its first event."""
        return cls([*scenario.unknown_states])

    def tell(self, row: Row, decision: Decision | None, other_edition: str) -> None:
        """Note in a row what its ``decision`` rests on; ``other_edition`` says what its command does in another one."""
        event = row.event
        if decision is None:
            is_open = bool(self.states) and event.do != "put"
        else:
            is_open = self._looks.get(event.queue, 0) < (MOST_LOOKS if self.states else LOOKS_AT_EDITIONS)
        if is_open:
            row.assumed += tuple(self.said(row, decision))
            row.editions += tuple(self.note_other_edition(row, decision))
        if decision is not None and decision.runs and decision.listed is not self._listed:
            row.editions += tuple(self.note_states(decision))
        if other_edition:
            row.editions += (other_edition,)
        if row.edition and not row.edition_stays:
            self.said_of.clear()
            self._looks.clear()
            self.met.clear()
            self._listed = ()

    def said(self, row: Row, decision: Decision | None) -> Iterator[str]:
        """Say what status is taken for a channel where another one changes the ``decision``: of each channel once."""
        if self.states and row.event.do != "put":
            self.states = [each for each in self.states if not _is_stated(each, row)]
        if decision is None or not decision.runs:
            return
        self._looks[row.event.queue] = self._looks.get(row.event.queue, 0) + 1
        if not self.states or row.exit is not None:
            return
        for missing in find_unknown_states(decision, self.states):
            yield f"{missing.what}; {missing.command}"
            together = missing.command == EVERY_STATE
            self.states = [each for each in self.states if not together and each.name != missing.about]

    def note_states(self, decision: Decision) -> Iterator[str]:
        """Say what the edition in force makes of the states of channels, once for each state."""
        self._listed = decision.listed
        for told in check_listed_states(decision, self.met):
            yield from told.remarks
        self.met.update(each.channel_status for each in decision.listed)

    def note_other_edition(self, row: Row, decision: Decision | None) -> Iterator[str]:
        """Say that another edition of MQ makes another choice, once for each name that is put to."""
        name = row.event.queue, row.event.to_queue_manager
        if decision is None or name in self.said_of or self._looks.get(row.event.queue, 0) > LOOKS_AT_EDITIONS:
            return
        if differs := describe_edition_difference(decision, after_others=True):
            self.said_of.add(name)
            yield differs


def _is_stated(channel: Channel, row: Row) -> bool:
    """Whether from now on the scenario says how a channel is."""
    event, did = row.event, row.administered
    changed = [each.get("channel") for each in did.changed] if did is not None else []
    reached = event.do in ("fail", "recover") and event.queue_manager == channel.queue_manager
    return reached or channel.name in (event.channel, *changed)


def _more(counts: Iterable[str], occasion: TriggerEvent, more: int = 1) -> Iterator[TriggerEvent]:
    """The same where so many more are counted."""
    yield occasion.with_values({name: getattr(occasion, name) + more for name in counts})


def _triggered_at_start(occasion: TriggerEvent) -> Iterator[TriggerEvent]:
    """The same where a trigger message was written for the queue just before the start, if none was since."""
    if not occasion.has_triggered:
        seen: dict[str, Any] = {"has_triggered": True, "since_last_trigger": occasion.since_start}
        yield occasion.with_values(seen)


def _with_other_interval(occasion: TriggerEvent) -> Iterator[TriggerEvent]:
    """The same with the shortest and the longest TRIGINT."""
    yield from (occasion.with_values({"trigint": each}) for each in (0, LARGEST))


def _result(examination: Examination) -> tuple[bool, int, bool, bool]:
    wrote, off = examination.rule is not None, examination.turns_off is not None
    return wrote, examination.events if wrote else 0, wrote and examination.available, off
