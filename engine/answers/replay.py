"""Replay: a scenario event by event. Puts are routed by the workload rules, queues looked at by the trigger rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from attrs import define, evolve, field, frozen

from mqclause.answers.administering import Administering
from mqclause.answers.decision import Decision
from mqclause.answers.decision_document import destination_document
from mqclause.answers.engine import Engine
from mqclause.answers.examination import Examination, Triggers
from mqclause.answers.fate import Administered
from mqclause.answers.resolution import Resolved
from mqclause.executors.run import ExecutorName
from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.objects import Put
from mqclause.model.facts.sequence import SequenceState
from mqclause.model.timeline.event import ADMINISTRATIVE, Event, EventError, event_label
from mqclause.model.timeline.queue_manager_state import Happened, QueueManagerState
from mqclause.model.timeline.scenario import Scenario
from mqclause.rulebook.rules import Rules


@frozen(eq=False)
class TriggerMessage:
    """A trigger message that an event created, and the examination that found it due."""

    examination: Examination
    available: bool


@frozen(eq=False)
class Released:
    """A trigger message that an event made available, and the number of the event that created it."""

    queue: str
    created_by_event: int


@define(eq=False)
class Row:
    """What one event (one repetition of it) led to. ``repeat`` is None unless the event is repeated.

    ``routed`` is the destination, a decision that failed, or None where nothing was routed. ``reason`` is an MQRC.
    """

    number: int
    event: Event
    repeat: int | None
    routed: Destination | Decision | None = None
    trigger_messages: list[TriggerMessage] = field(factory=list)
    released: list[Released] = field(factory=list)
    examinations: list[Examination] = field(factory=list)
    turned_off: list[Examination] = field(factory=list)
    reason: int | None = None
    administered: Administered | None = None


class Replay:
    """Replays scenarios. Arguments as for Engine; it pickles as its rules. Raises RuleError."""

    def __init__(self, rules: Rules | None = None, executor: ExecutorName = "compiled") -> None:
        self.engine = Engine(rules, executor)
        self.triggers = Triggers(self.engine.rules, executor)

    def __reduce__(self) -> tuple[Any, ...]:
        return Replay, (self.engine.rules, self.engine.executor)

    def rows(self, scenario: Scenario, source: str = "scenario") -> Iterator[Row]:
        """One row for each event, in order; raises FactsError for an event that cannot happen when it is reached.

        Memory does not grow with the number of events: a row is made when it is asked for.
        """
        state = QueueManagerState.of(scenario.cluster, self.triggers.judge)
        administering = Administering.of(self.engine, scenario.cluster, scenario.in_flight)
        run = _Run(self, state, SequenceState.of(scenario.cluster), administering)
        for number, event in enumerate(scenario.events):
            for repeat in range(event.count):
                row = Row(number, event, repeat if event.count > 1 else None)
                try:
                    run.step(row)
                except EventError as error:
                    label = event_label(number + 1, event.do)
                    raise FactsError([Diagnostic(source, f"{label}: {error}")]) from None
                yield row


@define(eq=False)
class _Run:
    """One scenario on its way: the queue manager, the sequence state, and where opens have bound messages to.

    ``bound`` holds, by handle, the destination that an open fixed, or None where each put chooses.
    """

    replay: Replay
    state: QueueManagerState
    sequence: SequenceState
    administering: Administering
    bound: dict[int, Destination | None] = field(factory=dict)

    def step(self, row: Row) -> None:
        before = self.state
        if row.event.do in ADMINISTRATIVE:
            self.administer(row)
            return
        if row.event.do == "put":
            arrives = self.put(row)
            if arrives is None:
                self.state = before.sent(row.event)
                return
            self.state, happened = before.after(arrives)
        else:
            self.state, happened = before.after(row.event)
        row.reason = happened.reason
        if row.event.do == "open" and happened.handle is not None:
            self.open(row, happened)
        if row.event.do == "close" and happened.handle is not None:
            self.bound.pop(happened.handle.id, None)
        if self.state.cluster is not before.cluster:
            self.sequence = self.sequence.noticed(self.state.cluster, self.replay.engine.watch)
        self.look(row, happened)
        if happened.completed is not None:
            self.release(row, happened.completed.unit_of_work, happened.completed.committed)

    def administer(self, row: Row) -> None:
        """A command or an accident of administration: what it does to the cluster, and to messages in flight."""
        administering, before = self.administering, self.state
        administering.cluster, administering.sequence = before.cluster, self.sequence
        row.administered = administering.after(row.event)
        self.state = before.evolved(now=before.time_of(row.event))
        if administering.cluster is not before.cluster:
            self.state = self.state.evolved(definitions=before.definitions.of(administering.cluster))
        self.sequence = administering.sequence.noticed(administering.cluster, self.replay.engine.watch)
        for arrival in administering.arrivals:
            self.state, happened = self.state.after(arrival)
            self.look(row, happened)

    def put(self, row: Row) -> Event | None:
        """The put that arrives on a local queue, after resolving and routing; None if none does."""
        event = row.event
        handle = self.state.output_handle(event.by, event.queue, event.to_queue_manager)
        call = "MQPUT1" if handle is None else "MQPUT"
        where = self.replay.engine.resolve(self.state.cluster, event.queue, event.to_queue_manager, call)
        if where.stays_local:
            if where.inhibited:
                row.reason = where.reason.code if where.reason else None
                return None
            return self.arriving(event, where.names[0], where)
        bound = self.bound.get(handle.id) if handle is not None else None
        if bound is not None and not where.inhibited:
            row.routed = bound
        else:
            bind = handle.bind if handle is not None and handle.id in self.bound else "AS_Q_DEF"
            row.routed = self.choose(Put(event.queue, event.to_queue_manager, bind, call))
        if not isinstance(row.routed, Destination):
            return None
        if row.routed.transmission_queue:
            return self.arriving(event, row.routed.transmission_queue, where)
        return self.arriving(event, row.routed.queue, where) if row.routed.is_local and row.routed.queue else None

    def arriving(self, event: Event, queue: str, where: Resolved) -> Event:
        """The put as one to the local ``queue`` that its names came to, with the priority of what was named."""
        if queue == event.queue:
            return event
        priority = where.default_priority if event.priority is None else event.priority
        return evolve(event, queue=queue, priority=priority)

    def choose(self, put: Put) -> Destination | Decision:
        """The destination of ``put``, or the decision where it has none."""
        decision = self.replay.engine.choose(put, self.state.cluster, self.sequence)
        self.sequence = decision.state
        return decision.chosen or decision

    def open(self, row: Row, happened: Happened) -> None:
        """An open for output makes the choice once if the binding is OPEN; if it fails, it gives no binding."""
        handle, event = happened.handle, row.event
        if handle is None or handle.mode != "OUTPUT":
            return
        where = self.replay.engine.resolve(self.state.cluster, event.queue, event.to_queue_manager, "MQOPEN")
        if where.stays_local:
            return
        found = self.choose(Put(event.queue, event.to_queue_manager, handle.bind, "MQOPEN"))
        if isinstance(found, Destination):
            row.routed = found
            self.bound[handle.id] = found if where.asks_workload else None
        elif found.outcome == "deferred":
            self.bound[handle.id] = None
        else:
            row.routed = found

    def look(self, row: Row, happened: Happened) -> None:
        """Examines the queues to which something happened, each with what the event has written for it before."""
        written: Counter[str] = Counter()
        for occasion in happened.occasions:
            examination = self.replay.triggers.examine(self.state.renewed(occasion, written[occasion.queue]))
            row.examinations.append(examination)
            if examination.rule is not None:
                written[occasion.queue] += examination.events
                self.write(row, examination)

    def write(self, row: Row, examination: Examination) -> None:
        queue, available = examination.occasion.queue, examination.available
        unit = "" if available else row.event.unit_of_work
        for _ in range(examination.events):
            self.state = self.state.triggered(queue, available=available, unit_of_work=unit, event=row.number)
            row.trigger_messages.append(TriggerMessage(examination, available))
        if examination.turns_off is not None:
            self.state = self.state.with_trigger_off(queue)
            row.turned_off.append(examination)

    def release(self, row: Row, unit_of_work: str, committed: bool) -> None:
        """The end of a unit of work releases the trigger messages that it held back, or drops them."""
        for held in self.state.held(unit_of_work):
            keep = self.replay.triggers.releases(self.state.ending(held, committed))
            self.state = self.state.release([held], keep)
            if keep:
                row.released += [Released(held.queue, held.event)] * held.count


def row_document(row: Row) -> dict[str, Any]:
    """A row as the JSON object of ``mqclause replay``."""
    document: dict[str, Any] = {"event": row.number, "do": row.event.do}
    if row.repeat is not None:
        document["repeat"] = row.repeat
    document["routed"] = _routed(row.routed)
    document["trigger_messages"] = [_message(each) for each in row.trigger_messages]
    document["released"] = [{"queue": each.queue, "created_by_event": each.created_by_event} for each in row.released]
    document["conditions"] = [condition for each in row.examinations for condition in _conditions(each)]
    document["changed"] = [_turned_off(each) for each in row.turned_off]
    if row.reason is not None:
        document["reason"] = row.reason
    if row.administered is not None:
        document["changed"] += row.administered.changed
        document |= row.administered.document()
    return document


def _routed(routed: Destination | Decision | None) -> dict[str, Any] | None:
    if isinstance(routed, Decision):
        reason = routed.reason
        return {"failed": reason and {"name": reason.name, "code": reason.code, "call": reason.call}}
    if routed is None:
        return None
    return destination_document(routed)


def _message(message: TriggerMessage) -> dict[str, Any]:
    examination = message.examination
    occasion, fields, rule = examination.occasion, examination.fields, examination.rule
    names = ("trigger_data", "appl_type", "appl_id", "env_data", "user_data")
    return {
        "queue": occasion.queue,
        "initiation_queue": occasion.initq,
        "process": occasion.process,
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
