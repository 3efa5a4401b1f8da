"""What the local queue manager holds at one moment, and what a trigger message adds to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any, Self

from attrs import evolve, field, fields, frozen

from mqclause.model.diagnostic import quoted
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.message import InItem, ItemKey, Message, given_priority
from mqclause.model.facts.objects import Queue
from mqclause.model.facts.queue_call import QueueCall
from mqclause.model.timeline.alteration import with_attribute
from mqclause.model.timeline.definitions import Definitions
from mqclause.model.timeline.event import Event, EventError
from mqclause.model.timeline.handles import Handle, Handles
from mqclause.model.timeline.judge import NO_JUDGE, CallFailure, Judge
from mqclause.model.timeline.occasion import Occasion
from mqclause.model.timeline.positions import NOWHERE, CurrentGroup, Position
from mqclause.model.timeline.queue_state import EMPTY_QUEUE, QueueState
from mqclause.model.timeline.sorted_map import SortedMap, value_at
from mqclause.model.timeline.trigger_history import HeldTrigger, TriggerHistory
from mqclause.model.timeline.unit_of_work import UnitOfWork, put_in


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
    positions: Mapping[tuple[str, str], Position] = field(factory=dict)
    kept_groups: Mapping[str, Mapping[tuple[str, str, str], CurrentGroup | None]] = field(factory=dict)
    begun: SortedMap = None

    @classmethod
    def of(cls, cluster: Cluster, judge: Judge = NO_JUDGE, messages: Iterable[Message] = ()) -> Self:
        """A queue manager as its facts say: ``curdepth`` persistent messages on a queue, ``ipprocs`` handles.

        ``messages`` lie on its queues, in the order of their arrival. Where nothing is known, and of all else, there is
        nothing: it has just been started. ``judge`` answers what rules decide.
        """
        definitions = Definitions(cluster, judge)
        local = [queue for queue in definitions.queues.values() if queue.type == "QLOCAL"]
        standing = {queue.name: queue.ipprocs for queue in local if queue.ipprocs}
        queues = {each.name: EMPTY_QUEUE.put(each.defprty, each.curdepth, True) for each in local if each.curdepth}
        lying, units = lying_messages(definitions, messages)
        handles = Handles(cluster.queue_manager.name, standing=standing)
        return cls(definitions, handles, queues={**queues, **lying}, units=units)

    def holding(self, queue: Queue, priority: int, count: int) -> Self:
        """The state with ``count`` persistent messages of ``priority`` on the local queue, and no others."""
        return self.evolved(queues={**self.queues, queue.name: EMPTY_QUEUE.put(priority, count, True)})

    def position(self, event: Event) -> Position:
        """Where the application of ``event`` stands in its queue, under the name that the event gives."""
        return self.positions.get((event.by, event.queue), NOWHERE)

    @property
    def cluster(self) -> Cluster:
        """The snapshot as the alters so far have left it."""
        return self.definitions.cluster

    def queue(self, name: str) -> QueueState:
        """The messages of the local queue ``name``."""
        return self.queues.get(name, EMPTY_QUEUE)

    def depth_of(self, name: str) -> int:
        """How many messages are on the local queue ``name``, committed or not."""
        return self.queue(name).depth

    def begun_by(self, queue: str, item: ItemKey) -> str | None:
        """The application that has got messages of an item of a local queue, and not yet all; None if nobody has."""
        found: str | None = None if self.begun is None else value_at(self.begun, (queue, *item))
        return found

    def has_room(self, queue: Queue, messages: int = 1) -> bool:
        """Whether so many messages more leave the local queue within its MAXDEPTH."""
        return self.queue(queue.name).depth + messages <= queue.maxdepth

    def sent(self, event: Event) -> Self:
        """The state after a put whose message went to another queue manager: the time and the unit of work."""
        return self.evolved(now=self.time_of(event), units=self.units_with(event))

    def output_handle(self, application: str, queue: str, to_queue_manager: str = "") -> Handle | None:
        """The handle by which a put of ``application`` to these names is an MQPUT; None for an MQPUT1."""
        return self.handles.for_output(application, queue, to_queue_manager)

    def trigger_refused(self, queue: str) -> CallFailure | None:
        """Why a trigger message for the local queue ``queue`` cannot be put on its initiation queue; None if it can."""
        initq = self.definitions.local_queue(self.local_queue(queue).initq)
        if initq is None:
            return None
        depth = self.queue(initq.name).depth
        call = QueueCall(
            initq.name, "MQPUT", initq.put, initq.put, depth, 1, initq.maxdepth, shared=initq.shared, named=initq.name
        )
        return self.definitions.judge.failure(call)

    def triggered(
        self, queue: str, *, available: bool, unit_of_work: str, event: int, trigtype: str = "", placed: bool = True
    ) -> Self:
        """The state after a trigger message for the local queue ``queue``, created by event number ``event``.

        It is on the initiation queue at once, unless it could not be ``placed`` there: ``available``, else held back by
        ``unit_of_work``. ``trigtype`` is the trigger type that it was written for; blank is the queue's own.
        """
        local = self.local_queue(queue)
        triggers = self.triggers.written(queue, self.now)
        initq = self.definitions.local_queue(local.initq) if placed else None
        if available:
            if initq is None:
                return self.evolved(triggers=triggers)
            put = self.queue(initq.name).put(initq.defprty, 1, False)
            return self.evolved(triggers=triggers, queues={**self.queues, initq.name: put})
        made = HeldTrigger(triggers.next_id, queue, local.initq, trigtype or local.trigtype, unit_of_work, event)
        if initq is None:
            return self.evolved(triggers=triggers.holding(made))
        run, put = self.queue(initq.name).put_uncommitted(initq.defprty, 1, False)
        made = evolve(made, priority=initq.defprty, run=run)
        return self.evolved(triggers=triggers.holding(made), queues={**self.queues, initq.name: put})

    def with_trigger_off(self, queue: str) -> Self:
        """The state after TriggerControl of the local queue ``queue`` was set to off."""
        cluster = with_attribute(self.cluster, self.local_queue(queue), "trigger", False)
        return self.evolved(definitions=self.definitions.of(cluster))

    def held(self, unit_of_work: str) -> tuple[HeldTrigger, ...]:
        """The trigger messages that ``unit_of_work`` holds back, also after its end until they are released."""
        return self.triggers.held(unit_of_work)

    def release(self, held: Iterable[HeldTrigger], keep: bool) -> Self:
        """The state after ``held`` became available on their initiation queues (``keep``) or were dropped."""
        released = tuple(held)
        end = QueueState.committed_put if keep else QueueState.withdrawn
        queues = dict(self.queues)
        for each in released:
            if each.run is not None:
                queues[each.initq] = end(queues[each.initq], each.priority, each.run)
        return self.evolved(triggers=self.triggers.without(released), queues=queues)

    def renewed(self, occasion: Occasion, written: int = 0) -> Occasion:
        """``occasion`` as it is now: with what trigger messages written since then have changed.

        ``written`` is how many the same event has written for the queue.
        """
        queue = self.local_queue(occasion.queue)
        seen: dict[str, Any] = {"trigger": queue.trigger, **self._last_trigger(queue.name)}
        seen["trigger_messages_before"] = written
        same = all(getattr(occasion, name) == value for name, value in seen.items())
        return occasion if same else occasion.with_seen(seen)

    def with_queue(
        self, event: Event, name: str, queue: QueueState, units: Mapping[str, UnitOfWork], more: Mapping[str, Any]
    ) -> Self:
        """The state after a put or get changed one queue; written out because every one passes here."""
        now = self.now if event.at is None else self.time_of(event)
        queues = {**self.queues, name: queue}
        positions, kept = more.get("positions", self.positions), more.get("kept_groups", self.kept_groups)
        begun = more.get("begun", self.begun)
        return type(self)(self.definitions, self.handles, now, queues, units, self.triggers, positions, kept, begun)

    def evolved(self, **changed: Any) -> Self:
        """The state with some of its parts changed."""
        return type(self)(**{**dict(zip(_PARTS, _parts(self), strict=True)), **changed})

    def time_of(self, event: Event) -> int:
        """When ``event`` happens; raises EventError if that is in the past."""
        if event.at is None:
            return self.now
        if event.at < self.now:
            raise EventError(f"at: {event.at} is before {self.now}, the time of the event before")
        return event.at

    def units_with(self, event: Event) -> Mapping[str, UnitOfWork]:
        """The units of work, with the one that ``event`` names."""
        name = event.unit_of_work
        return self.units if not name or name in self.units else {**self.units, name: None}

    def local_queue(self, name: str) -> Queue:
        """The definition of a local queue; raises EventError if there is none."""
        queue = self.definitions.local_queue(name)
        if queue is None:
            raise EventError(f"queue {quoted(name)} is not a local queue")
        return queue

    def _last_trigger(self, queue: str) -> dict[str, Any]:
        last = self.triggers.last.get(queue)
        return {"has_triggered": last is not None, "since_last_trigger": 0 if last is None else self.now - last}

    @property
    def since_start(self) -> int:
        """Milliseconds since the queue manager was started, at the beginning or by the last restart."""
        return self.now - self.triggers.started

    def ending(self, held: HeldTrigger, committed: bool) -> Occasion:
        """The end of the unit of work that holds ``held`` back, as its queue is now."""
        queue = self.definitions.local_queue(held.queue)
        opened = self.definitions.opened(queue, self.handles) if queue is not None else Occasion(held.queue)
        kind = "committed" if committed else "backed_out"
        return opened.with_seen({"occasion": kind, "written_trigtype": held.trigtype})

    def occasion_of(self, kind: str, queue: Queue, before: QueueManagerContent, **seen: Any) -> Occasion:
        """``queue`` as the rules see it in this state, which came of the state ``before``."""
        name, handles = queue.name, self.handles
        seen |= {"occasion": kind, "since_start": self.since_start, **self._last_trigger(name)}
        if "depth" not in seen:
            seen |= _depths(self.definitions.messages(queue).counts, before.queue(name), self.queue(name))
        if before.handles is not handles:
            seen["previous_open_input_count"] = before.handles.opens(name).here
            seen["initq_opened_before"] = before.handles.opens(queue.initq).here
        return self.definitions.opened(queue, handles).with_seen(seen)


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


def lying_messages(
    definitions: Definitions, messages: Iterable[Message]
) -> tuple[dict[str, QueueState], dict[str, UnitOfWork]]:
    """The queues on which ``messages`` lie, and the open units of work that have put some of them."""
    listed: dict[str, list[tuple[int, Message, InItem]]] = {}
    for each in messages:
        queue = definitions.queues[each.queue]
        placed = definitions.messages(queue).priorities[given_priority(each.priority, queue.defprty)]
        listed.setdefault(each.queue, []).append((placed, each, definitions.in_item(each)))
    queues, units = dict[str, QueueState](), dict[str, UnitOfWork]()
    for name, of_queue in listed.items():
        queues[name], uncommitted = QueueState.lying(of_queue)
        for found in uncommitted:
            message = found.run.message
            assert message is not None  # noqa: S101 - each has an identity
            unit = message.unit_of_work
            units[unit] = put_in(units.get(unit), name, found.priority, 1, found.run)
    return queues, units


_PARTS = tuple(each.name for each in fields(QueueManagerContent))
_parts: Callable[[QueueManagerContent], tuple[Any, ...]] = attrgetter(*_PARTS)
