"""What the local queue manager holds at one moment: queues, handles, units of work, trigger messages.

A trigger event from which nothing can follow by the rules, as the callbacks say, is left out: it takes no time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

from attrs import evolve, field, fields, frozen

from mqclause.model.diagnostics import quote_value
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.messages import ItemKey, ItemRole, Message, get_effective_priority
from mqclause.model.facts.objects import Queue, QueueCall
from mqclause.model.timeline.events import Event, EventError, QueueChange, set_attribute
from mqclause.model.timeline.queue import (
    EMPTY_QUEUE,
    NOWHERE,
    ApplicationPosition,
    CurrentGroup,
    MessageRun,
    QueueState,
    SortedMap,
    get_value,
)
from mqclause.model.timeline.trigger_events import (
    NO_RULES,
    Arrivals,
    CallFailure,
    Definitions,
    Handles,
    RuleCallbacks,
    TriggerEvent,
    TriggerEvents,
)


class UnitOfWorkStep(NamedTuple):
    """Messages that a unit of work has put or got, and what it did before.

    ``priority`` is the one that they were enqueued with, ``segments`` how many messages each put made: 0 for a get.
    """

    queue: str
    is_put: bool
    priority: int
    segments: int
    run: MessageRun
    before: UnitOfWorkStep | None


UnitOfWork = UnitOfWorkStep | None
"""An open unit of work: the latest thing that it did; None if it did nothing yet."""


class HeldBackTriggers(NamedTuple):
    """The latest trigger messages that a unit of work holds back, and those before."""

    latest: HeldTriggerMessage
    before: HeldBackTriggers | None


@frozen(eq=False)
class TriggerHistory:
    """``last`` holds the time (ms) of the last trigger message for each queue since the start at ``started`` (ms).

    ``waiting`` holds by unit of work what it holds back; ``next_id`` was not given to a held message yet.
    """

    last: Mapping[str, int] = field(factory=dict)
    waiting: Mapping[str, HeldBackTriggers | None] = field(factory=dict)
    next_id: int = 0
    started: int = 0

    def hold_back(self, made: HeldTriggerMessage) -> TriggerHistory:
        """Hold one more message back."""
        before = self.waiting.get(made.unit_of_work)
        latest = before.latest if before else None
        if before and latest and _one_run(latest, made):
            run = latest.run.join_later(made.run) if latest.run and made.run else None
            longer = evolve(latest, count=latest.count + made.count, run=run)
            held = HeldBackTriggers(longer, before.before)
        else:
            held = HeldBackTriggers(made, before)
        return TriggerHistory(self.last, {**self.waiting, made.unit_of_work: held}, made.id + made.count, self.started)

    def held(self, unit_of_work: str) -> tuple[HeldTriggerMessage, ...]:
        """List the trigger messages that ``unit_of_work`` holds back, in the order of writing."""
        found = []
        at = self.waiting.get(unit_of_work)
        while at is not None:
            found.append(at.latest)
            at = at.before
        return tuple(found[::-1])

    def without(self, released: Iterable[HeldTriggerMessage]) -> TriggerHistory:
        """Return the history with ``released`` no longer held back."""
        gone = {each.id for each in released}
        waiting: dict[str, HeldBackTriggers | None] = {}
        for unit_of_work in self.waiting:
            kept: HeldBackTriggers | None = None
            for each in self.held(unit_of_work):
                kept = kept if each.id in gone else HeldBackTriggers(each, kept)
            if kept is not None:
                waiting[unit_of_work] = kept
        return TriggerHistory(self.last, waiting, self.next_id, self.started)

    def after_restart(self, now: int) -> TriggerHistory:
        """Return the history after a restart at ``now``: nothing written yet, nothing held back."""
        return TriggerHistory(next_id=self.next_id, started=now)


def _kind(held: HeldTriggerMessage) -> tuple[str, str, str, str, int, int]:
    return held.queue, held.initq, held.trigtype, held.unit_of_work, held.event, held.priority


def _one_run(earlier: HeldTriggerMessage, later: HeldTriggerMessage) -> bool:
    """Whether ``later`` follows ``earlier`` at once, from the same event and for the same queue, and so it lies."""
    if earlier.id + earlier.count != later.id or _kind(earlier) != _kind(later):
        return False
    if earlier.run is None or later.run is None:
        return earlier.run is later.run
    return earlier.run.joins(later.run)


@frozen(eq=False)
class QueueManagerContent:
    """The local queue manager at ``now`` (ms since the start). A value: every change gives another one.

    ``queues`` holds the local queues that have had messages, ``units`` what the open units of work have done.
    ``positions`` says where applications stand in queues, by application and queue as events name it;
    ``kept_groups`` for each open unit of work what its backout sets back, of ``gets`` and of ``puts``. ``begun`` has
    the application that has got messages of an item, by queue and item, until it has got the last one.
    """

    definitions: Definitions
    handles: Handles
    now: int = 0
    queues: Mapping[str, QueueState] = field(factory=dict)
    units: Mapping[str, UnitOfWork] = field(factory=dict)
    triggers: TriggerHistory = field(factory=TriggerHistory)
    positions: Mapping[tuple[str, str], ApplicationPosition] = field(factory=dict)
    kept_groups: Mapping[str, Mapping[tuple[str, str, str], CurrentGroup | None]] = field(factory=dict)
    begun: SortedMap = None

    @classmethod
    def of(cls, cluster: Cluster, callbacks: RuleCallbacks = NO_RULES, messages: Iterable[Message] = ()) -> Self:
        """Start a queue manager as its facts say: ``curdepth`` persistent messages on a queue, ``ipprocs`` handles.

        ``messages`` lie on its queues, in the order of their arrival. Where nothing is known, and of all else, there is
        nothing: it has just been started. ``callbacks`` answer what rules decide.
        """
        definitions = Definitions(cluster, callbacks)
        local = [queue for queue in cluster.own_queues.values() if queue.type == "QLOCAL"]
        standing = {queue.name: queue.ipprocs for queue in local if queue.ipprocs}
        queues = {each.name: EMPTY_QUEUE.put(each.defprty, each.curdepth, True) for each in local if each.curdepth}
        lying, units = _place_messages(definitions, messages)
        handles = Handles(cluster.queue_manager.name, standing=standing)
        return cls(definitions, handles, queues={**queues, **lying}, units=units)

    def with_messages(self, queue: Queue, priority: int, count: int) -> Self:
        """Place ``count`` persistent messages of ``priority`` on the local queue, and no others."""
        return self.replace(queues={**self.queues, queue.name: EMPTY_QUEUE.put(priority, count, True)})

    def position(self, event: Event) -> ApplicationPosition:
        """Return the position of the event's application in its queue, under the name that the event gives."""
        return self.positions.get((event.by, event.queue), NOWHERE)

    @property
    def cluster(self) -> Cluster:
        """The snapshot as the alters so far have left it."""
        return self.definitions.cluster

    def queue(self, name: str) -> QueueState:
        """Return the messages of the local queue ``name``."""
        return self.queues.get(name, EMPTY_QUEUE)

    def get_depth(self, name: str) -> int:
        """Count the messages on the local queue ``name``, committed or not."""
        return self.queue(name).depth

    def find_item_reader(self, queue: str, item: ItemKey) -> str | None:
        """Find the application that has got messages of an item, and not yet all; None if nobody has."""
        found: str | None = None if self.begun is None else get_value(self.begun, (queue, *item))
        return found

    def has_room(self, queue: Queue, messages: int = 1) -> bool:
        """Return whether the local queue has room for a number of ``messages`` more within its MAXDEPTH."""
        return self.queue(queue.name).depth + messages <= queue.maxdepth

    def after_sent(self, event: Event, **more: Any) -> Self:
        """Record the time and the unit of work of an event that leaves the queues as they are, and what ``more`` is."""
        return self.replace(now=self.get_event_time(event), units=self.list_units_with(event), **more)

    def find_trigger_failure(self, queue: str) -> CallFailure | None:
        """Find why a trigger message for ``queue`` cannot be put on its initiation queue; None if it can."""
        initq = self.definitions.local_queue(self.local_queue(queue).initq)
        if initq is None:
            return None
        depth = self.queue(initq.name).depth
        call = QueueCall(
            initq.name, "MQPUT", initq.put, initq.put, depth, 1, initq.maxdepth, shared=initq.shared, named=initq.name
        )
        return self.definitions.callbacks.find_failure(call)

    def after_trigger_message(
        self, queue: str, *, held_by: str | None, event: int, trigtype: str = "", placed: bool = True
    ) -> Self:
        """Record a trigger message for the local queue ``queue``, created by event number ``event``.

        It is on the initiation queue at once, unless it could not be ``placed`` there: available, or held back by the
        unit of work ``held_by``. ``trigtype`` is the trigger type that it was written for; blank is the queue's own.
        """
        local = self.local_queue(queue)
        triggers = evolve(self.triggers, last={**self.triggers.last, queue: self.now})
        initq = self.definitions.local_queue(local.initq) if placed else None
        if held_by is None:
            if initq is None:
                return self.replace(triggers=triggers)
            put = self.queue(initq.name).put(initq.defprty, 1, False)
            return self.replace(triggers=triggers, queues={**self.queues, initq.name: put})
        made = HeldTriggerMessage(triggers.next_id, queue, local.initq, trigtype or local.trigtype, held_by, event)
        if initq is None:
            return self.replace(triggers=triggers.hold_back(made))
        run, put = self.queue(initq.name).put_uncommitted(initq.defprty, 1, False)
        made = evolve(made, priority=initq.defprty, run=run)
        return self.replace(triggers=triggers.hold_back(made), queues={**self.queues, initq.name: put})

    def with_trigger_off(self, queue: str) -> Self:
        """Set TriggerControl of the local queue ``queue`` to off."""
        cluster = set_attribute(self.cluster, self.local_queue(queue), "trigger", False)
        return self.replace(definitions=self.definitions.of(cluster))

    def held(self, unit_of_work: str) -> tuple[HeldTriggerMessage, ...]:
        """List the trigger messages that ``unit_of_work`` holds back, also after its end until they are released."""
        return self.triggers.held(unit_of_work)

    def release(self, held: Iterable[HeldTriggerMessage], keep: bool) -> Self:
        """Release ``held`` to their initiation queues (``keep``), or drop them."""
        released = tuple(held)
        end = QueueState.after_commit if keep else QueueState.after_put_backout
        queues = dict(self.queues)
        for each in released:
            if each.run is not None:
                queues[each.initq] = end(queues[each.initq], each.priority, each.run)
        return self.replace(triggers=self.triggers.without(released), queues=queues)

    def update_trigger_event(self, occasion: TriggerEvent, written: int = 0) -> TriggerEvent:
        """Return ``occasion`` with what trigger messages written since then have changed.

        ``written`` is how many the same event has written for the queue.
        """
        queue = self.local_queue(occasion.queue)
        seen: dict[str, Any] = {"trigger": queue.trigger, **self._last_trigger(queue.name)}
        seen["trigger_messages_before"] = written
        same = all(getattr(occasion, name) == value for name, value in seen.items())
        return occasion if same else occasion.with_values(seen)

    def with_queue(
        self, event: Event, name: str, queue: QueueState, units: Mapping[str, UnitOfWork], more: Mapping[str, Any]
    ) -> Self:
        """Replace one queue after a put or get; written out because every one passes here."""
        now = self.now if event.at is None else self.get_event_time(event)
        queues = {**self.queues, name: queue}
        positions, kept = more.get("positions", self.positions), more.get("kept_groups", self.kept_groups)
        begun = more.get("begun", self.begun)
        return type(self)(self.definitions, self.handles, now, queues, units, self.triggers, positions, kept, begun)

    def replace(self, **changed: Any) -> Self:
        """Replace some of its parts."""
        return evolve(self, **changed)

    def get_event_time(self, event: Event) -> int:
        """Return when ``event`` happens, in milliseconds; raises EventError if that is in the past."""
        if event.at is None:
            return self.now
        if event.at < self.now:
            raise EventError(f"at: {event.at} is before {self.now}, the time of the event before")
        return event.at

    def list_units_with(self, event: Event) -> Mapping[str, UnitOfWork]:
        """List the units of work, with the one that ``event`` names."""
        name = event.unit_of_work
        return self.units if not name or name in self.units else {**self.units, name: None}

    def local_queue(self, name: str) -> Queue:
        """Return the definition of a local queue; raises EventError if there is none."""
        queue = self.definitions.local_queue(name)
        if queue is None:
            raise EventError(f"queue {quote_value(name)} is not a local queue")
        return queue

    def _last_trigger(self, queue: str) -> dict[str, Any]:
        last = self.triggers.last.get(queue)
        return {"has_triggered": last is not None, "since_last_trigger": 0 if last is None else self.now - last}

    def build_end_event(self, held: HeldTriggerMessage, committed: bool) -> TriggerEvent:
        """Build the end of the unit of work that holds ``held`` back, as its queue is now."""
        queue = self.definitions.local_queue(held.queue)
        opened = (
            self.definitions.describe_open_queue(queue, self.handles) if queue is not None else TriggerEvent(held.queue)
        )
        kind = "committed" if committed else "backed_out"
        return opened.with_values({"occasion": kind, "written_trigtype": held.trigtype})

    def build_trigger_event(self, kind: str, queue: Queue, before: QueueManagerContent, **seen: Any) -> TriggerEvent:
        """Build what the trigger rules see of ``queue`` in this state, which came of the state ``before``."""
        name, handles = queue.name, self.handles
        seen |= {"occasion": kind, "since_start": self.now - self.triggers.started, **self._last_trigger(name)}
        if "depth" not in seen:
            seen |= _depths(self.definitions.messages(queue).counts, before.queue(name), self.queue(name))
        if before.handles is not handles:
            seen["previous_open_input_count"] = before.handles.count_opens(name).here
            seen["initq_opened_before"] = before.handles.count_opens(queue.initq).here
        return self.definitions.describe_open_queue(queue, handles).with_values(seen)


def _place_messages(
    definitions: Definitions, messages: Iterable[Message]
) -> tuple[dict[str, QueueState], dict[str, UnitOfWork]]:
    """Place ``messages`` on queues; also give the open units of work that have put some of them."""
    listed: dict[str, list[tuple[int, Message, ItemRole]]] = {}
    for each in messages:
        queue = definitions.cluster.own_queues[each.queue]
        placed = definitions.messages(queue).priorities[get_effective_priority(each.priority, queue.defprty)]
        listed.setdefault(each.queue, []).append((placed, each, definitions.in_item(each)))
    queues, units = dict[str, QueueState](), dict[str, UnitOfWork]()
    for name, of_queue in listed.items():
        queues[name], uncommitted = QueueState.from_messages(of_queue)
        for found in uncommitted:
            message = found.run.message
            assert message is not None  # noqa: S101 - each has an identity
            unit = message.unit_of_work
            units[unit] = record_put(units.get(unit), name, found.priority, 1, found.run)
    return queues, units


def record_put(unit: UnitOfWork, queue: str, priority: int, segments: int, run: MessageRun) -> UnitOfWorkStep:
    """Record a put in a unit of work."""
    return _after(unit, UnitOfWorkStep(queue, True, priority, segments, run, unit))


@frozen
class HeldTriggerMessage:
    """``count`` trigger messages for ``queue`` that wait for the end of ``unit_of_work``.

    ``trigtype`` is the trigger type that they were written for, ``event`` the number of the event that wrote
    them. Their ids are ``id`` and the ``count - 1`` that follow it. ``run`` is where they lie on ``initq``, by their
    ``priority``; None if they could not be put there.
    """

    id: int
    queue: str
    initq: str
    trigtype: str
    unit_of_work: str
    event: int
    count: int = 1
    priority: int = 0
    run: MessageRun | None = None


def _depths(counts: Mapping[int, bool], before: QueueState, after: QueueState) -> dict[str, int]:
    """How many messages are there before and after an event, and of the priorities that count."""
    previous_committed, previous_depth = before.counted(counts)
    committed, depth = after.counted(counts)
    return {
        "previous_depth": previous_depth,
        "previous_total": before.committed + before.uncommitted,
        "depth": depth,
        "depth_total": after.committed + after.uncommitted,
        "previous_committed": previous_committed,
        "committed": committed,
        "previous_committed_total": before.committed,
        "committed_total": after.committed,
    }


def _after(unit: UnitOfWork, done: UnitOfWorkStep) -> UnitOfWorkStep:
    # Both are the same but for the place of their messages.
    if unit is not None and unit.run.joins(done.run) and unit[:4] == done[:4]:
        return done._replace(run=unit.run.join_later(done.run), before=unit.before)
    return done


CHANGED = "_changed"
WATCHED_ATTRIBUTES = tuple(
    each.name.removesuffix(CHANGED) for each in fields(TriggerEvent) if each.name.endswith(CHANGED)
)
"""The attributes of a queue of which an occasion says whether an alter changed them."""


def record_get(unit: UnitOfWork, queue: str, priority: int, run: MessageRun) -> UnitOfWorkStep:
    """Record a get in a unit of work."""
    return _after(unit, UnitOfWorkStep(queue, False, priority, 0, run, unit))


def remove_put(unit: UnitOfWork, queue: str, priority: int, place: int) -> UnitOfWork:
    """Remove a put from a unit of work that got its message itself, as though it had never put it."""
    kept: UnitOfWork = None
    for done in _list_oldest_first(unit):
        run = done.run
        if done.is_put and (done.queue, done.priority) == (queue, priority) and run.first <= place < run.end:
            for part, segments in _left(done, place):
                kept = done._replace(run=part, segments=segments, before=kept)
        else:
            kept = done._replace(before=kept)
    return kept


def iterate_newest_first(unit: UnitOfWork) -> Iterator[UnitOfWorkStep]:
    """Yield what the unit of work did, backwards."""
    while unit is not None:
        yield unit
        unit = unit.before


def count_messages(unit: UnitOfWork, queue: str) -> int:
    """Count the messages that the unit of work has put on, or got from, a queue."""
    return sum(done.run.size for done in iterate_newest_first(unit) if done.queue == queue)


def _list_oldest_first(unit: UnitOfWork) -> list[UnitOfWorkStep]:
    """List what the unit of work did, in order."""
    return list(iterate_newest_first(unit))[::-1]


def build_trigger_events(
    state: QueueManagerContent, before: QueueManagerContent, kind: str, queue: Queue, **seen: Any
) -> tuple[TriggerEvent, ...]:
    """Build the trigger event by which ``state`` came of ``before``, for ``queue``; none if no rule examines it."""
    if not state.definitions.callbacks.examines(kind, queue.shared, seen.get("in_unit_of_work", False)):
        return ()
    return (state.build_trigger_event(kind, queue, before, **seen),)


def build_alter_events(
    state: QueueManagerContent, before: QueueManagerContent, change: QueueChange
) -> Iterator[TriggerEvent]:
    """Build the alter itself, then PUT of an initiation queue for the queues that it serves, then GET of the queue."""
    old, new = change
    if new.type != "QLOCAL":
        return
    seen = {name + CHANGED: getattr(old, name) != getattr(new, name) for name in WATCHED_ATTRIBUTES}
    set_on, set_off = new.trigger and not old.trigger, old.trigger and not new.trigger
    yield from build_trigger_events(state, before, "alter", new, trigger_set_on=set_on, trigger_set_off=set_off, **seen)
    if (old.put, new.put) == ("DISABLED", "ENABLED"):
        yield from build_served_queue_events(state, before, "initq_put_enabled", new.name)
    if (old.get, new.get) == ("DISABLED", "ENABLED"):
        yield from build_trigger_events(state, before, "get_enabled", new)


def build_served_queue_events(
    state: QueueManagerContent, before: QueueManagerContent, kind: str, initq: str, **seen: Any
) -> Iterator[TriggerEvent]:
    """Build a trigger event for each local queue whose INITQ is ``initq``."""
    for name in state.definitions.queues_by_initq.get(initq, ()):
        yield from build_trigger_events(state, before, kind, state.local_queue(name), **seen)


def build_queue_events(
    state: QueueManagerContent, before: QueueManagerContent, kind: str, queues: Sequence[str]
) -> Iterator[TriggerEvent]:
    """Build a trigger event for each of ``queues`` that is a local queue."""
    for name in queues:
        queue = state.definitions.local_queue(name)
        if queue is not None:
            yield from build_trigger_events(state, before, kind, queue)


def apply_commit(
    state: QueueManagerContent, before: QueueManagerContent, unit: UnitOfWork
) -> tuple[Mapping[str, QueueState], TriggerEvents]:
    """Commit ``unit``: gives the queues, and every message that it had put, one after the other."""
    queues = dict(before.queues)
    runs: list[Arrivals] = []
    for done in _list_oldest_first(unit):
        if not done.is_put:
            continue
        depth = queues[done.queue]
        queues[done.queue] = depth.after_commit(done.priority, done.run)
        queue = state.definitions.local_queue(done.queue)
        if queue is not None and state.definitions.callbacks.examines("put_committed", queue.shared, False):
            step = done.segments if state.definitions.messages(queue).counts[done.priority] else 0
            first = _first_committed(state, before, queue, depth, (done.priority, done.segments, step))
            runs.append(Arrivals(first, done.run.size // done.segments, step))
    return queues, TriggerEvents(runs)


def _left(done: UnitOfWorkStep, place: int) -> Iterator[tuple[MessageRun, int]]:
    """What the puts ``done`` leave without the message at ``place``, each with how many messages a put made of it."""
    each = done.segments
    begun = place - (place - done.run.first) % each
    end = begun + each
    for first, last, segments in (
        (done.run.first, begun, each),
        (begun, place, place - begun),
        (place + 1, end, end - place - 1),
        (end, done.run.end, each),
    ):
        if first < last:
            yield done.run.select_part(first, last), segments


def _first_committed(
    state: QueueManagerContent,
    before: QueueManagerContent,
    queue: Queue,
    depth: QueueState,
    put: tuple[int, int, int],
) -> TriggerEvent:
    """The first of like puts that are committed: ``put`` is the priority that its messages were enqueued with, how
    many they are, and how many of them count. ``depth`` is the queue before it; what others have not committed is not
    seen.
    """
    message_priority, arrived, step = put
    counted, total = depth.counted(state.definitions.messages(queue).counts)[0], depth.committed
    return state.build_trigger_event(
        "put_committed",
        queue,
        before,
        message_priority=message_priority,
        arrived=arrived,
        previous_depth=counted,
        previous_total=total,
        depth=counted + step,
        depth_total=total + arrived,
        previous_committed=counted,
        previous_committed_total=total,
        committed=counted + step,
        committed_total=total + arrived,
    )
