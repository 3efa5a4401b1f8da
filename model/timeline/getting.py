"""Gets and browses: the queue as a call sees it, and the queue manager after the call took what the rules allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from mqclause.model.facts.message import OF_ITS_OWN
from mqclause.model.timeline.event import Event
from mqclause.model.timeline.positions import CurrentGroup, Position
from mqclause.model.timeline.queue_manager_content import QueueManagerContent
from mqclause.model.timeline.queue_state import Got
from mqclause.model.timeline.queue_view import Place, QueueView, SeenMessage
from mqclause.model.timeline.retrieval_call import is_browse, position_after_get, stated_by
from mqclause.model.timeline.sorted_map import with_entry, without_key
from mqclause.model.timeline.unit_of_work import got_in, newest_first, without_put

StateT = TypeVar("StateT", bound=QueueManagerContent)


Sees = Callable[[SeenMessage], bool]
"""Whether a call sees a message that an open unit of work has put."""


def view_of(state: QueueManagerContent, event: Event, queue: str, sees: Sees | None = None) -> QueueView:
    """The local queue ``queue`` as a get sees it: what is committed and of what open units of work have put what it
    ``sees``; None is what its own has put, unless it browses.
    """
    seen, own = state.queue(queue), "" if is_browse(event) else event.unit_of_work
    position, begun_by = state.position(event), partial(state.begun_by, queue)
    if sees is None:
        for done in newest_first(state.units.get(own)):
            if done.is_put and done.queue == queue:
                seen = seen.brought_back(done.priority, done.run)
        return QueueView(seen, position, partial(_hidden, state, queue, own), begun_by=begun_by, by=event.by)
    hidden, units = list[tuple[str, Got]](), dict[Place, str]()
    bare = QueueView(seen, position)
    for unit, (priority, run) in _hidden(state, queue, None):
        first = bare.seen(Got(priority, run))
        first.unit_of_work = unit
        if sees(first):
            seen = seen.brought_back(priority, run)
            units |= {(priority, place): unit for place in range(run.first, run.end)}
        else:
            hidden.append((unit, Got(priority, run)))
    return QueueView(seen, position, partial(iter, hidden), units, begun_by, event.by)


def _hidden(state: QueueManagerContent, queue: str, own: str | None) -> Iterator[tuple[str, Got]]:
    """What open units of work but the ``own`` one have put on a queue."""
    for name, unit in state.units.items():
        for done in newest_first(unit):
            if name != own and done.is_put and done.queue == queue:
                yield name, Got(done.priority, done.run)


def after_get(
    state: StateT, event: Event, queue: str, facts: Mapping[str, Any], taken: Sequence[SeenMessage]
) -> StateT:
    """The state after a get or browse of the local queue ``queue`` returned ``taken``, which is not empty.

    ``facts`` is what rules say of where the application stands after it.
    """
    position = position_after_get(event, state.position(event), facts, taken[0], taken[-1])
    if is_browse(event):
        return state.evolved(now=state.time_of(event), units=state.units_with(event), **moved(state, event, position))
    after, unit, units = state.queue(queue), event.unit_of_work, state.units_with(event)
    for each in taken:
        holder = each.unit_of_work or unit
        if not after.has(each.priority, each.arrival):
            units = {**units, holder: without_put(units.get(holder), queue, each.priority, each.arrival)}
            after = after.withdrawn_one(each.priority)
            continue
        got, after = after.got(each.found)
        if unit and got is not None:
            units = {**units, unit: got_in(units.get(unit), queue, got.priority, got.run)}
    more = moved(state, event, position, "gets" if facts["is_set_back"] else "")
    return state.with_queue(event, queue, after, units, {**more, **_begun(state, event, queue, taken[-1])})


def _begun(state: QueueManagerContent, event: Event, queue: str, last: SeenMessage) -> dict[str, Any]:
    """Who has got messages of an item, after ``last`` was got."""
    if last.message is None or not last.group_id:
        return {}
    item, told = last.message.item, OF_ITS_OWN if last.found is None else last.found.run.told
    if told.ends_item:
        known = state.begun_by(queue, item)
        return {} if known is None else {"begun": without_key(state.begun, (queue, *item))}
    if state.begun_by(queue, item) == event.by:
        return {}
    return {"begun": with_entry(state.begun, (queue, *item), event.by)}


def after_failed_get(state: StateT, event: Event, facts: Mapping[str, Any]) -> StateT:
    """The state after a get or browse that returned nothing: how the application browses may have been stated."""
    position = stated_by(event, state.position(event), facts, False)
    after = state.sent(event)
    more = moved(after, event, position)
    return after.evolved(**more) if more else after


def moved(state: QueueManagerContent, event: Event, position: Position, kind: str = "") -> dict[str, Any]:
    """The parts of a state that change when an application's position does.

    A backout sets the current group of its gets or puts (``kind``) back to what it was before the first successful
    call in the unit of work.
    """
    key = (event.by, event.queue)
    before = state.position(event)
    changed: dict[str, Any] = {}
    if position != before:
        changed["positions"] = {**state.positions, key: position}
    unit = event.unit_of_work
    if kind and unit:
        kept = state.kept_groups.get(unit, {})
        if (*key, kind) not in kept:
            group: CurrentGroup | None = getattr(before, kind)
            changed["kept_groups"] = {**state.kept_groups, unit: {**kept, (*key, kind): group}}
    return changed


def set_back(state: QueueManagerContent, unit: str) -> dict[str, Any]:
    """The positions after the backout of a unit of work, and what is kept for the others."""
    positions = dict(state.positions)
    for (by, queue, kind), group in state.kept_groups.get(unit, {}).items():
        position = positions.get((by, queue), Position())
        positions[by, queue] = position._replace(**{kind: group})
    return {"positions": positions, "kept_groups": _without(state.kept_groups, unit)}


def committed(state: QueueManagerContent, unit: str) -> dict[str, Any]:
    """What is kept for the other units of work after the commit of one."""
    return {"kept_groups": _without(state.kept_groups, unit)} if unit in state.kept_groups else {}


def left(state: QueueManagerContent, by: str, queue: str) -> dict[str, Any]:
    """The positions after the close of the last handle of an application on a queue: they end with it."""
    positions = {key: each for key, each in state.positions.items() if key != (by, queue)}
    kept = {
        unit: {key: group for key, group in groups.items() if key[:2] != (by, queue)}
        for unit, groups in state.kept_groups.items()
    }
    return {"positions": positions, "kept_groups": kept}


def led_elsewhere(state: QueueManagerContent, queue: str) -> dict[str, Any]:
    """The positions after a name was made to lead to another queue: what was got and browsed before is not there."""
    positions = {key: Position(puts=each.puts) if key[1] == queue else each for key, each in state.positions.items()}
    kept = {
        unit: {key: group for key, group in groups.items() if key[1:] != (queue, "gets")}
        for unit, groups in state.kept_groups.items()
    }
    return {"positions": positions, "kept_groups": kept}


def _without(groups: Mapping[str, Any], unit: str) -> Mapping[str, Any]:
    return {name: kept for name, kept in groups.items() if name != unit}
