"""Replay a scenario event by event: route puts, examine queues, answer calls (class Replay).

A replay decides each of them by itself. The queue manager keeps to the destination of the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import TracebackType
from typing import Any, Self

from attrs import define, evolve, field

from mqclause.executors.operations import ExecutorName
from mqclause.exits.process import Exit
from mqclause.exits.session import Caller
from mqclause.model.diagnostics import Diagnostic, FactsError, check_type
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import READING_MODES, Put
from mqclause.model.facts.workload import Destination, SequenceState
from mqclause.model.timeline.administration import InFlightMessage
from mqclause.model.timeline.events import ADMINISTRATIVE, Event, EventError, render_event_label
from mqclause.model.timeline.queue import MessageLabels
from mqclause.model.timeline.retrieval import PutPlacement, get_message_group
from mqclause.model.timeline.scenario import Scenario
from mqclause.model.timeline.transitions import QueueManagerState
from mqclause.model.timeline.trigger_events import CallFailure, EventResult
from mqclause.replay.administration import AdministrationSimulator, ReplayExits
from mqclause.replay.assumptions import Assumptions, RoutingAssumptions
from mqclause.replay.rows import ReleasedTriggerMessage, Row, TriggerMessage
from mqclause.retrieval.calls import find_close_reason, find_put_reason, retrieve
from mqclause.retrieval.order import Retrieval
from mqclause.rulebook.loader import check_replayable
from mqclause.rulebook.rules import Rules
from mqclause.trigger.examination import Examination, Triggers
from mqclause.workload.decision import Decision, Engine
from mqclause.workload.delivery import DeliveryRemarks, find_refusal_remarks
from mqclause.workload.editions import get_levels, list_level_remarks
from mqclause.workload.resolution import Resolution


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

    def rows(self, scenario: Scenario, source: str = "scenario") -> Iterator[Row]:
        """Yield one row for each event, in order. Raises FactsError for an event that cannot happen when it is reached.

        Memory does not grow with the number of events: a row is made when it is asked for.
        """
        check_type("scenario", scenario, Scenario, ", as read_scenario gives")
        replay = self.at(scenario.cluster)
        exits = ReplayExits(self.engine.exits, scenario.cluster.queue_manager.clwlexit)
        state = QueueManagerState.of(scenario.cluster, replay.triggers.callbacks, scenario.messages)
        ways = DeliveryRemarks(replay.engine.rules, scenario.beyond)
        administering = AdministrationSimulator.of(replay.engine, exits, state, scenario.in_flight, ways)
        run = _Run(self, replay, state, SequenceState.of(scenario.cluster), exits, administering)
        assumptions, routing = Assumptions.of(scenario, replay.triggers), RoutingAssumptions.of(scenario)
        odd_levels = tuple(list_level_remarks(replay.engine.rules, get_levels([scenario.cluster])))
        try:
            for number, event in enumerate(scenario.events):
                for repeat in range(event.count):
                    row = Row(number, event, repeat if event.count > 1 else None)
                    try:
                        run.step(row)
                    except EventError as error:
                        label = render_event_label(number + 1, event.do)
                        raise FactsError([Diagnostic(source, f"{label}: {error}")]) from None
                    row.assumed = assumptions.said(row)
                    routing.tell(row, run.decided, run.other_edition)
                    row.editions, odd_levels = (*odd_levels, *row.editions), ()
                    met = (ways.started(each, run.state.cluster) for each in row.starting)
                    row.unstarted = tuple(remark for told in met for remark in told)
                    if isinstance(row.routed, Destination):
                        row.obstacles = ways.obstacles(row.routed, run.state.cluster, row.is_bound)
                    elif row.routed is not None:
                        if row.routed.refusal is not None:
                            row.obstacles = find_refusal_remarks(row.routed, scenario.beyond)
                        row.asks_again = administering.describe_repository_request(row.routed, run.state.cluster)
                    elif event.do == "put" and row.reason is None and not row.published:
                        here = run.state.definitions.find_base_queue(event.queue)
                        row.obstacles = () if here is None else ways.arrived(here.name, run.state.cluster)
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

    def parted(self, handle: int, group: str, routed: Destination) -> str:
        """Say that a message was sent elsewhere than the group's first; blank if it was not, or nothing binds it."""
        if not group or handle not in self.firsts:
            return ""
        first = self.firsts[handle].setdefault(group, routed)
        if first.queue_manager == routed.queue_manager:
            return ""
        return (
            f"each message of a group is decided by itself; by the binding GROUP the queue manager sends this one, as "
            f"the first of group {group}, to {first.queue_manager}"
        )


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
        handle = self.state.find_output_handle(event.by, event.queue, event.to_queue_manager)
        call = "MQPUT1" if handle is None else "MQPUT"
        where = self.replay.engine.resolve(self.state.cluster, event.queue, event.to_queue_manager, call)
        bound = None if handle is None else self.bound.get(handle.id)
        if bound is not None and not where.inhibited:
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
            row.parted = self.groups.parted(handle.id, group, row.routed)
        if row.routed.transmission_queue:
            return self.arriving(event, row.routed.transmission_queue, where)
        return self.arriving(event, row.routed.queue, where) if row.routed.is_local and row.routed.queue else None

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
        unit = "" if available else row.event.unit_of_work
        for _ in range(examination.events):
            refused = self.state.find_trigger_failure(queue)
            self.state = self.state.after_trigger_message(
                queue, available=available, unit_of_work=unit, event=row.number, trigtype=examination.trigtype,
                placed=refused is None,
            )  # fmt: skip
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
