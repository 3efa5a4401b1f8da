"""What each event makes of the local queue manager."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from mqclause.model.diagnostics import quote_value
from mqclause.model.facts.messages import SINGLE_MESSAGE_ROLE, get_effective_priority
from mqclause.model.facts.objects import READING_MODES, Queue, QueueCall
from mqclause.model.timeline.events import Event, EventError, apply_alter
from mqclause.model.timeline.queue import UNLABELLED, MessageLabels, PutIdentity, QueueState, get_put_group
from mqclause.model.timeline.queue_manager import (
    QueueManagerContent,
    UnitOfWork,
    apply_commit,
    build_alter_events,
    build_queue_events,
    build_served_queue_events,
    build_trigger_events,
    count_messages,
    iterate_newest_first,
    record_put,
)
from mqclause.model.timeline.retrieval import (
    SINGLE_PLACEMENT,
    PutPlacement,
    VisibleMessage,
    apply_get,
    build_message,
    change_position,
    drop_kept_groups,
    end_positions,
    is_browse,
    reset_read_positions,
    restore_positions,
)
from mqclause.model.timeline.trigger_events import (
    NO_RESULT,
    CallFailure,
    EndedUnitOfWork,
    EventResult,
    Handle,
    TriggerEvent,
)


@frozen(eq=False)
class QueueManagerState(QueueManagerContent):
    """The local queue manager at ``now`` (ms since the start). A value: every event gives another one."""

    def after(
        self,
        event: Event,
        labels: MessageLabels = UNLABELLED,
        asked: Event | None = None,
        placing: PutPlacement | None = None,
    ) -> tuple[QueueManagerState, EventResult]:
        """Apply one repetition of ``event``; also give what it led to. Raises EventError if it cannot happen.

        A put to a queue that does not resolve to a local queue leaves this queue manager, see ``after_sent``; the
        messages of any other are called by ``labels`` if they have no id; ``asked`` is the put as it named its queue,
        if ``event`` names another one to which that name led, ``placing`` what rules say of where its message belongs.
        What a get returns rules say: see ``after_get``.
        """
        if event.do == "put":
            return _put(self, event, labels, asked or event, placing or _as_given(event))
        return TRANSITIONS[event.do](self, event)

    def after_arrival(self, put: Event) -> tuple[QueueManagerState, EventResult]:
        """Apply the arrival of a message over a channel: no application put it, so nobody's current group changes."""
        after, happened = self.after(put)
        return after.replace(positions=self.positions), happened

    def after_remote_put(
        self, event: Event, labels: MessageLabels = UNLABELLED, placing: PutPlacement | None = None
    ) -> QueueManagerState:
        """Apply a put whose message went to another queue manager; as ``after`` a put."""
        _, more = _placed(self, event, event, labels, placing or _as_given(event))
        return self.after_sent(event, **more)

    def after_get(
        self, event: Event, queue: str, facts: Mapping[str, Any], taken: Sequence[VisibleMessage]
    ) -> tuple[QueueManagerState, EventResult]:
        """Apply a get or browse of the local queue ``queue`` that returned ``taken``; also give what it led to.

        ``facts`` is what rules say of where the application then stands.
        """
        after = apply_get(self, event, queue, facts, taken)
        base = self.definitions.local_queue(queue)
        if base is None or is_browse(event):
            return after, NO_RESULT
        occasions = build_trigger_events(after, self, "get", base)
        return after, EventResult(occasions) if occasions else NO_RESULT


Transition = tuple[QueueManagerState, EventResult]


def _as_given(event: Event) -> PutPlacement:
    """Where a message belongs of which no rule was asked: where its put says."""
    return (
        SINGLE_PLACEMENT
        if event.sequence == 1 and not event.offset
        else PutPlacement(False, event.sequence, event.offset)
    )


def _placed(
    state: QueueManagerState, event: Event, asked: Event, labels: MessageLabels, placing: PutPlacement
) -> tuple[PutIdentity, dict[str, Any]]:
    """What tells the message of a put from others, and the parts of the state that change with it."""
    position = state.position(asked)
    message = build_message(event, position.puts, placing, labels)
    if message is None and position.puts is None and not event.unit_of_work:
        return PutIdentity(labels), {}
    told = SINGLE_MESSAGE_ROLE if message is None else state.definitions.in_item(message)
    group = get_put_group(message, told, event.logical_order) if placing.makes_current else position.puts
    changed = change_position(state, asked, position._replace(puts=group), "puts" if placing.is_set_back else "")
    return PutIdentity(labels, message, told), changed


def _put(
    state: QueueManagerState, event: Event, labels: MessageLabels, asked: Event, placing: PutPlacement
) -> Transition:
    base = state.definitions.find_base_queue(event.queue)
    if base is None:
        return state.after_remote_put(event, labels, placing), NO_RESULT
    identity, more = _placed(state, event, asked, labels, placing)
    opened = state.cluster.own_queues[event.queue]
    before = state.queue(base.name)
    failure = state.definitions.callbacks.find_failure(
        QueueCall(
            base.name, "MQPUT", base.put, opened.put, before.depth, event.segments, base.maxdepth, shared=base.shared,
            named=event.queue, named_type=opened.type,
        )
    )  # fmt: skip
    if failure is not None:
        return state.after_sent(event), EventResult(failure=failure)
    given = get_effective_priority(event.priority, opened.defprty)
    enqueued = state.definitions.messages(base).priorities[given]
    units, unit = state.units, event.unit_of_work
    if unit:
        run, queue = before.put_uncommitted(enqueued, event.segments, event.persistent, identity)
        units = {**units, unit: record_put(units.get(unit), base.name, enqueued, event.segments, run)}
    else:
        queue = before.put(enqueued, event.segments, event.persistent, identity)
    after = state.with_queue(event, base.name, queue, units, more)
    arrival = build_trigger_events(
        after, state, "arrival", base, message_priority=enqueued, in_unit_of_work=bool(unit), arrived=event.segments
    )
    return after, EventResult(arrival)


def _open(state: QueueManagerState, event: Event) -> Transition:
    local = state.handles.local
    member = event.queue_manager or local
    base = state.definitions.find_base_queue(event.queue)
    if base is None and member == local and event.mode in READING_MODES:
        raise EventError(f"queue {quote_value(event.queue)} resolves to no local queue; mode {event.mode} needs one")
    handle = Handle(
        state.handles.next_id,
        event.by,
        event.queue,
        base.name if base else event.queue,
        event.mode,
        member,
        event.bind,
        event.to_queue_manager,
    )
    after = state.replace(now=state.get_event_time(event))
    failure = _open_failure(state, base, handle)
    if failure is not None:
        return after, EventResult(failure=failure)
    after = after.replace(handles=state.handles.after_open(handle))
    occasions: tuple[TriggerEvent, ...] = ()
    if handle.is_for_input and member == local:
        others = state.handles.count_opens_by_others(handle.base, event.by)
        occasions = tuple(
            build_served_queue_events(after, state, "initq_opened", handle.base, initq_opened_by_others=others)
        )
    return after, EventResult(occasions, handle=handle)


def _open_failure(state: QueueManagerState, base: Queue | None, handle: Handle) -> CallFailure | None:
    """What the open that would give ``handle`` fails with; an open of no local queue does not fail here."""
    if base is None:
        return None
    opens, here = state.handles.count_opens(base.name), handle.queue_manager == state.handles.local
    return state.definitions.callbacks.find_failure(
        QueueCall(
            base.name, "MQOPEN", mode=handle.mode, here=here, shared=base.shared, open_shared_here=opens.shared_here,
            open_exclusive_here=opens.exclusive_here, open_shared_elsewhere=opens.shared_elsewhere,
            open_exclusive_elsewhere=opens.exclusive_elsewhere,
        )
    )  # fmt: skip


def _close(state: QueueManagerState, event: Event) -> Transition:
    local = state.handles.local
    member = event.queue_manager or local
    handle = state.handles.find_latest(event.by, event.queue, member)
    if handle is None:
        who = f"application {quote_value(event.by)}" if event.by else "the anonymous application"
        raise EventError(f"{who} has not opened queue {quote_value(event.queue)} at {quote_value(member)}")
    after = state.replace(now=state.get_event_time(event), handles=state.handles.without(handle))
    if after.handles.find_latest(event.by, event.queue, member) is None and member == local:
        after = after.replace(**end_positions(after, event.by, event.queue))
    queue = state.definitions.local_queue(handle.base)
    if queue is None or not handle.is_for_input or member != local:
        return after, EventResult(handle=handle)
    others = after.handles.count_opens_by_others(handle.base, event.by)
    return after, EventResult(build_trigger_events(after, state, "close", queue, open_by_others=others), handle=handle)


def _commit(state: QueueManagerState, event: Event) -> Transition:
    after = _ended(state, event).replace(**drop_kept_groups(state, event.unit_of_work))
    queues, occasions = apply_commit(after, state, _unit(state, event))
    happened = EventResult(occasions, completed=EndedUnitOfWork(event.unit_of_work, True))
    return after.replace(queues=queues), happened


def _backout(state: QueueManagerState, event: Event) -> Transition:
    unit = _unit(state, event)
    queues = _backed_out(dict(state.queues), unit)
    after = _ended(state, event).replace(queues=queues, **restore_positions(state, event.unit_of_work))
    got_back = list(dict.fromkeys(done.queue for done in iterate_newest_first(unit) if not done.is_put))
    occasions = tuple(build_queue_events(after, state, "get_backed_out", got_back))
    return after, EventResult(occasions, completed=EndedUnitOfWork(event.unit_of_work, False))


def _unit(state: QueueManagerState, event: Event) -> UnitOfWork:
    if event.unit_of_work not in state.units:
        raise EventError(f"unit_of_work {quote_value(event.unit_of_work)} is not open; no put or get has begun it")
    return state.units[event.unit_of_work]


def _ended(state: QueueManagerState, event: Event) -> QueueManagerState:
    """``state`` without the unit of work that ``event`` ends."""
    units = {name: unit for name, unit in state.units.items() if name != event.unit_of_work}
    return state.replace(now=state.get_event_time(event), units=units)


def _backed_out(queues: dict[str, QueueState], unit: UnitOfWork) -> dict[str, QueueState]:
    for done in iterate_newest_first(unit):
        undo = QueueState.after_put_backout if done.is_put else QueueState.after_get_backout
        queues[done.queue] = undo(queues[done.queue], done.priority, done.run)
    return queues


def _alter(state: QueueManagerState, event: Event) -> Transition:
    cluster, change = apply_alter(state.cluster, event)
    after = state.replace(now=state.get_event_time(event), definitions=state.definitions.of(cluster))
    if event.queue and _name_of_base(state, event.queue) != _name_of_base(after, event.queue):
        after = after.replace(**reset_read_positions(after, event.queue))
    if change is None:
        return after, NO_RESULT
    return after, EventResult(tuple(build_alter_events(after, state, change)))


def _name_of_base(state: QueueManagerState, name: str) -> str:
    """The local queue that a name leads to; blank if there is none."""
    base = state.definitions.find_base_queue(name)
    return base.name if base else ""


def _clear(state: QueueManagerState, event: Event) -> Transition:
    """CLEAR QLOCAL: the messages go, and nothing is triggered by that."""
    queue, after = state.local_queue(event.queue), state.replace(now=state.get_event_time(event))
    held = sum(each.initq == queue.name and each.run is not None for unit in state.triggers.waiting
               for each in state.held(unit))  # fmt: skip
    failure = state.definitions.callbacks.find_failure(
        QueueCall(
            queue.name, "CLEAR QLOCAL", shared=queue.shared, handles=_handles_on(state, queue.name),
            unsettled=held + sum(count_messages(unit, queue.name) for unit in state.units.values()),
        )
    )  # fmt: skip
    if failure is not None:
        return after, EventResult(failure=failure)
    return after.replace(queues={**state.queues, queue.name: state.queue(queue.name).after_clear()}), NO_RESULT


def _handles_on(state: QueueManagerState, queue: str) -> int:
    """How many handles of any mode have a local queue open, or a remote definition that names it in XMITQ."""
    own, handles = state.cluster.own_queues, state.handles
    anywhere = own[queue].shared
    counted = (each for each in handles.open if anywhere or each.queue_manager == handles.local)
    leading = (each for each in counted if each.base == queue or _transmits_by(own.get(each.queue), queue))
    return sum(1 for _ in leading) + handles.standing.get(queue, 0)


def _transmits_by(named: Queue | None, queue: str) -> bool:
    return named is not None and named.type == "QREMOTE" and named.xmitq == queue


def _restart(state: QueueManagerState, event: Event) -> Transition:
    held = [each for unit in state.triggers.waiting for each in state.held(unit)]
    queues = dict(state.release(held, keep=False).queues)
    for unit in state.units.values():
        _backed_out(queues, unit)
    kept = {name: queue.drop_nonpersistent() for name, queue in queues.items()}
    definitions, own = state.definitions, state.cluster.queue_manager
    level = own.command_level if event.command_level is None else event.command_level
    if level != own.command_level:
        migrated = evolve(own, command_level=level)
        definitions = definitions.of(evolve(state.cluster, queue_manager=migrated))
    after = QueueManagerState(
        definitions,
        state.handles.after_restart(),
        state.get_event_time(event),
        kept,
        {},
        state.triggers.after_restart(state.get_event_time(event)),
    )
    return after, EventResult(tuple(build_queue_events(after, state, "restart", list(kept))))


def _advance(state: QueueManagerState, event: Event) -> Transition:
    return state.replace(now=state.get_event_time(event)), NO_RESULT


TRANSITIONS: dict[str, Callable[[QueueManagerState, Event], Transition]] = {
    "open": _open,
    "close": _close,
    "commit": _commit,
    "backout": _backout,
    "alter": _alter,
    "clear": _clear,
    "restart": _restart,
    "advance": _advance,
}
