"""Gets, browses and puts: how the rules of retrieval see them, and how they change a queue.

What is found here is what the rules of retrieval may be asked about; they decide which of it is returned. A walk
leaves out only what the rules would leave out whatever they saw of it, so that a call does not look at all of a queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache, partial
from heapq import merge
from typing import Any, NamedTuple, TypeVar

from attrs import define, frozen

from mqclause.model.facts.domains import LARGEST
from mqclause.model.facts.messages import (
    HIGHEST_PRIORITY,
    ITEM_KINDS,
    LARGEST_LONG,
    NO_PLACE,
    SINGLE_MESSAGE,
    SINGLE_MESSAGE_ROLE,
    ItemKey,
    Message,
    QueuedMessage,
    RetrievalCall,
)
from mqclause.model.facts.objects import Queue
from mqclause.model.timeline.events import BROWSES, Event
from mqclause.model.timeline.queue import (
    NOWHERE,
    ApplicationPosition,
    CurrentGroup,
    Cursor,
    FoundMessage,
    MessageLabels,
    MessageRun,
    QueueState,
    get_current_group,
    get_value,
    insert_entry,
    remove_key,
)
from mqclause.model.timeline.queue_manager import QueueManagerContent, iterate_newest_first, record_get, remove_put

ListedBy = tuple[tuple[str, bool], ...]
BY_PLACE: ListedBy = (("enqueued_priority", True), ("arrival", False))
BY_ITEM: ListedBy = (("item_priority", True), ("item_arrival", False))
"""What the candidates of a get are listed by, in the words of the rules, and whether the highest comes first.

A candidate that leads its item stands where its item does.
"""

IDENTITY_ATTRIBUTES = ("id", "arrival", "item_arrival", "earliest_arrival")
"""What tells messages apart of which the first alone is listed."""

IS_BROWSE = " OR ".join(f"ARRAY_CONTAINS(options, '{each}')" for each in BROWSES)
COMMITTED = f"unit_of_work <> '' AND ({IS_BROWSE} OR unit_of_work <> unit)"
"""In the call's own words: a term may stand for something else in other rules."""
UNDER_CURSOR, NEXT_OF_GETS, NEXT_OF_BROWSE = "NOT under_cursor", "NOT next_of_gets", "NOT next_of_browse"
NO_FIRST, NOT_LEADING = "NOT first_there", "first_there AND NOT leads"
BEHIND = "enqueued_priority > cursor_priority OR (enqueued_priority = cursor_priority AND arrival <= cursor_arrival)"
BEHIND_ITEM = "item_priority > cursor_priority OR (item_priority = cursor_priority AND item_arrival <= cursor_arrival)"
WITH_ID, WITH_CORRELATION = "id <> match_id", "correlation <> match_correlation"
WITH_GROUP = "group_id <> match_group"
SKIPPED_CONDITIONS = (
    COMMITTED, UNDER_CURSOR, NEXT_OF_GETS, NEXT_OF_BROWSE, NO_FIRST, NOT_LEADING, BEHIND, BEHIND_ITEM, WITH_ID,
    WITH_CORRELATION, WITH_GROUP,
)  # fmt: skip
"""What walks through a queue leave out: a rule that leaves out the same, in whatever words, is one that they follow."""

SINGLE_MESSAGE_CONDITIONS = frozenset({UNDER_CURSOR, NEXT_OF_GETS, NEXT_OF_BROWSE})
"""What leaves one message at most."""

LEADING = frozenset({NO_FIRST, NOT_LEADING})
"""What leaves those that lead an item, and no others; such candidates are listed by their items, too."""


class PutPlacement(NamedTuple):
    """The place of a put's message by the rules: whether it ``joins`` the current group, MsgSeqNumber and Offset.

    ``makes_current`` and ``is_set_back``: its group is the application's current one from then on, and a backout undoes
    that.
    """

    joins: bool = False
    sequence: int = 1
    offset: int = 0
    makes_current: bool = True
    is_set_back: bool = True


SINGLE_PLACEMENT = PutPlacement()

FIRST_MESSAGE_ATTRIBUTES = ("item_priority", "item_arrival", "leads", "first_there", "repeated")
"""What is told of a message by the first of its item; the rest takes a walk along the item."""

ROLE_ATTRIBUTES = (
    "is_first", "ends_message", "ends_item", "followed_by_sequence", "followed_by_offset", "length", "begins_message",
)  # fmt: skip
"""What was told of a message when it was put."""

Place = tuple[int, int]
"""A priority and a place of the queue, or MsgSeqNumber and Offset."""

NO_UNITS: Mapping[Place, str] = {}

StateT = TypeVar("StateT", bound=QueueManagerContent)


@define(eq=False)
class VisibleMessage(QueuedMessage):
    """A message of a view. What it is in its item is found out when a rule asks."""

    view: QueueView | None = None
    found: FoundMessage | None = None

    def __getattr__(self, name: str) -> Any:
        view = object.__getattribute__(self, "view")
        if view is None or name.startswith("__"):
            raise AttributeError(name)
        view.tell(self, name)
        return object.__getattribute__(self, name)


VisibilityTest = Callable[[VisibleMessage], bool]
"""Whether a call sees a message that an open unit of work has put."""


def is_browse(event: Event) -> bool:
    """Return whether a get leaves the message on the queue."""
    return bool(event.options) and not set(BROWSES).isdisjoint(event.options)


def build_get_call(event: Event, view: QueueView, queue: Queue, named_get: str, platform: str) -> RetrievalCall:
    """Describe a get of ``queue`` to the rules; ``named_get`` is GET of what was named: it, or an alias of it."""
    if view.position is NOWHERE and not event.match:
        return _first_call(event.options, event.unit_of_work, (queue.get, named_get, platform, queue.indxtype))
    gets, _, cursor, _, stated = view.position
    match = event.match
    browse = cursor.group if cursor is not None else None
    at, anchor = (cursor.at, cursor.anchor) if cursor is not None else ((0, 0), (0, 0))
    priority, arrival = anchor if "LOGICAL_ORDER" in event.options else at
    under = view.at(*at) if cursor is not None else None
    current = _current(event, view.position)
    return RetrievalCall(
        mqi_call="MQGET",
        options=event.options,
        unit=event.unit_of_work,
        get=queue.get,
        named_get=named_get,
        platform=platform,
        indxtype=queue.indxtype,
        match_on=tuple(match),
        **{f"match_{key}": value for key, value in match.items()},
        **_stands_in("get", gets),
        **({} if current is None else _goes_on_with(current)),
        browse_in_group=browse is not None,
        browse_amid_message=browse is not None and browse.amid,
        browse_begun=cursor is not None,
        browsing_stated=stated is not None,
        browse_was_logical=bool(stated),
        cursor_there=under is not None,
        cursor_on_later_segment=under is not None and not under.begins_message,
        cursor_priority=priority,
        cursor_arrival=arrival,
    )


def list_candidates(call: RetrievalCall, view: QueueView, left_out: Set[str]) -> Iterator[VisibleMessage]:
    """List the messages that a get may return, in physical order, as far as can be without those ``left_out``."""
    leading = left_out >= LEADING
    if COMMITTED not in left_out or (BEHIND_ITEM in left_out and not leading):
        return view.list_all_messages()
    gets, cursor = view.position.gets, view.position.cursor
    if UNDER_CURSOR in left_out:
        return _one(view.at(*cursor.at) if cursor is not None else None)
    for walk, current in ((NEXT_OF_GETS, gets), (NEXT_OF_BROWSE, cursor.group if cursor is not None else None)):
        if walk in left_out:
            return _one(view.find_in_item(current.item, current.next) if current is not None else None)
    goes_on = BEHIND in left_out or BEHIND_ITEM in left_out
    behind = (call.cursor_priority, call.cursor_arrival) if goes_on else None
    if WITH_ID in left_out and call.match_id:
        return view.find_by_id(call.match_id, behind)
    if WITH_CORRELATION in left_out and call.match_correlation:
        return view.find_by_correlation(call.match_correlation, behind)
    if WITH_GROUP in left_out and call.match_group:
        return view.find_by_group(call.match_group, behind)
    return view.list_physical(behind, leading)


def _get_position_after(
    event: Event, position: ApplicationPosition, facts: Mapping[str, Any], first: VisibleMessage, last: VisibleMessage
) -> ApplicationPosition:
    """Return the position of an application after a get or browse returned messages, ``first`` to ``last``.

    ``facts`` is what rules say of the call.
    """
    logical, told = "LOGICAL_ORDER" in event.options, SINGLE_MESSAGE_ROLE if last.found is None else last.found.run.told
    group = get_current_group(last.message, told, logical) if facts["makes_current"] else None
    if not is_browse(event):
        return position._replace(gets=group) if facts["makes_current"] else position
    position = _record_browse_order(event, position, facts, True)
    if not facts["moves_cursor"]:
        return position
    at, cursor = (first.priority, first.arrival), position.cursor
    anchor = cursor.anchor if facts["keeps_anchor"] and cursor is not None else at
    browsed = None if facts["looks_anew"] else position.browsed
    if first.leads and first.group_id:
        browsed = insert_entry(browsed, (-first.priority, first.arrival), True)
    return position._replace(cursor=Cursor(at, anchor, group), browsed=browsed)


def _record_browse_order(
    event: Event, position: ApplicationPosition, facts: Mapping[str, Any], found: bool
) -> ApplicationPosition:
    """Record how the application browses, if rules say that the call states it; ``found`` something."""
    logical = "LOGICAL_ORDER" in event.options
    if position.browses_logically is logical or not (facts["states_browsing"] or (found and facts["begins_browsing"])):
        return position
    return position._replace(browses_logically=logical)


def build_put_call(event: Event, position: ApplicationPosition, given_priority: int) -> RetrievalCall:
    """Describe a put to the rules; ``given_priority`` is the one of MQMD."""
    puts = position.puts
    return RetrievalCall(
        mqi_call="MQPUT",
        options=("LOGICAL_ORDER",) if event.logical_order else (),
        unit=event.unit_of_work,
        given_priority=given_priority,
        **_stands_in("put", puts),
        **({} if puts is None else _goes_on_with(puts)),
        given_group=event.group,
        given_in_group=_belongs_to_a_group(event) if event.logical_order else event.in_group is not False,
        given_segment=_is_segment(event),
        given_last_in_group=bool(event.last_in_group),
        given_sequence=event.sequence,
        given_offset=event.offset,
    )


def build_close_call(position: ApplicationPosition) -> RetrievalCall:
    """Describe the close of an application's last handle on a queue to the rules."""
    return RetrievalCall(mqi_call="MQCLOSE", **_stands_in("get", position.gets), **_stands_in("put", position.puts))


def build_placement(facts: Mapping[str, Any]) -> PutPlacement:
    """Build a placement from facts that rules derived; what is beyond the numbers of MQMD counts as the nearest."""
    sequence = min(max(facts["put_sequence"], 1), LARGEST)
    offset = min(max(facts["put_offset"], 0), LARGEST_LONG)
    return PutPlacement(facts["joins_group"], sequence, offset, facts["makes_current"], facts["is_set_back"])


def build_message(
    event: Event, puts: CurrentGroup | None, placing: PutPlacement, labels: MessageLabels
) -> Message | None:
    """Build the message of a put that gives it an identity, called by ``labels`` unless it has an id; else None.

    ``puts`` is the current group of the application's puts; a new group without a name is called by ``labels``, too.
    """
    if not (event.logical_order or event.id or event.group or event.correlation):
        return None
    label, group, in_group = labels.at(0), event.group, event.in_group is not False
    if event.logical_order:
        in_group = _belongs_to_a_group(event)
        group = (event.group or label) if in_group or _is_segment(event) else ""
    if placing.joins and puts is not None:
        group = puts.item[1]
    return _message(event, label, (group, in_group), placing)


def get_message_group(event: Event, puts: CurrentGroup | None, placing: PutPlacement, labels: MessageLabels) -> str:
    """Return the group that the message of a put belongs to; blank if it is in none."""
    message = build_message(event, puts, placing, labels)
    kind, label = (SINGLE_MESSAGE if message is None else message.item)[:2]
    return label if kind == "group" else ""


@frozen(eq=False)
class QueueView:
    """The messages of ``queue`` that a call may see, for an application that stands at ``position``.

    ``uncommitted`` gives those that it may not see, as the unit of work that put them is open; ``units`` are those
    open ones that have put some that it may see, by their places. ``begun_by`` says which application has got
    messages of an item, None if nobody has; ``by`` is the one that calls.
    """

    queue: QueueState
    position: ApplicationPosition
    uncommitted: Callable[[], Iterator[tuple[str, FoundMessage]]] = tuple  # type: ignore[assignment]
    units: Mapping[Place, str] = NO_UNITS
    begun_by: Callable[[ItemKey], str | None] = {}.get  # type: ignore[assignment]
    by: str = ""

    def list_all_messages(self) -> Iterator[VisibleMessage]:
        """List the messages in physical order, also those of open units of work, which the call may not see."""
        hidden = sorted(self.uncommitted(), key=lambda each: (-each[1].priority, each[1].run.first))
        return merge(self._each(("", found) for found in self.queue.runs()), self._each(hidden),
                     key=lambda seen: (-seen.priority, seen.arrival))  # fmt: skip

    def _each(self, runs: Iterable[tuple[str, FoundMessage]]) -> Iterator[VisibleMessage]:
        """Every message of ``runs``, also where several are alike, with the unit of work that has it."""
        for unit, (priority, run) in runs:
            for place in range(run.first, run.end):
                seen = self.seen(FoundMessage(priority, run.select_part(place, place + 1)))
                seen.unit_of_work = unit
                yield seen

    def expand_runs(self, listed: Iterable[VisibleMessage]) -> Iterator[VisibleMessage]:
        """Expand the messages that are listed to those like them, of which the first alone is."""
        for seen in listed:
            yield seen
            if seen.found is not None:
                priority, run = seen.found
                for place in range(run.first + 1, run.end):
                    yield self.seen(FoundMessage(priority, run.select_part(place, place + 1)))

    def list_physical(self, behind: tuple[int, int] | None = None, leading: bool = False) -> Iterator[VisibleMessage]:
        """List the messages in physical order, of like ones the first; ``leading``: that begin items."""
        priority, place = behind if behind is not None else (HIGHEST_PRIORITY, -1)
        for found in self.queue.runs(priority, place + 1, leading):
            yield self.seen(found)

    def find_by_id(self, label: str, behind: tuple[int, int] | None = None) -> Iterator[VisibleMessage]:
        """Find the messages that are called ``label``, in physical order."""
        known = [found for found in self.queue.find_matching("id", label) if _is_behind(found, behind)]
        if known or not label.startswith("#"):
            yield from map(self.seen, known)
            return
        for priority, run in self.queue.runs():
            if run.message is None:
                for place in run.places_of(label):
                    found = FoundMessage(priority, run.select_part(place, run.end))
                    if _is_behind(found, behind):
                        yield self.seen(found)

    def find_by_correlation(self, label: str, behind: tuple[int, int] | None = None) -> Iterator[VisibleMessage]:
        """Find the messages whose CorrelId is ``label``, in physical order."""
        return (
            self.seen(found) for found in self.queue.find_matching("correlation", label) if _is_behind(found, behind)
        )

    def find_by_group(self, label: str, behind: tuple[int, int] | None = None) -> Iterator[VisibleMessage]:
        """Find the messages whose GroupId is ``label``, in physical order."""
        members = [found for kind in ITEM_KINDS for found in self.queue.item((kind, label))]
        members.sort(key=lambda found: (-found.priority, found.run.first))
        return (self.seen(found) for found in members if _is_behind(found, behind))

    def at(self, priority: int, place: int) -> VisibleMessage | None:
        """Return the message at a place."""
        found = self.queue.at(priority, place)
        return None if found is None else self.seen(found)

    def find_in_item(self, item: ItemKey, place: Place | None) -> VisibleMessage | None:
        """Find the message at a place of an item: of several the first in physical order."""
        if place is None:
            return None
        found = next(self.queue.item(item, place), None)
        return self.seen(found) if found is not None and _place(found) == place else None

    def line(self, first: VisibleMessage | None) -> Iterator[VisibleMessage]:
        """List a message and what follows it in its item without a gap: no message comes twice."""
        at, before = first, NO_PLACE
        while at is not None and at.found is not None and at.message is not None and before < at.message.place:
            yield at
            before = at.message.place
            at = self.find_in_item(at.message.item, at.found.run.told.next)

    def list_logical_message(self, first: VisibleMessage) -> list[VisibleMessage]:
        """List the logical message that ``first`` begins, by segments, up to its last one or to the first gap."""
        segments = []
        for each in self.line(first):
            segments.append(each)
            if each.found is None or each.found.run.told.ends_message:
                break
        return segments or [first]

    def seen(self, found: FoundMessage) -> VisibleMessage:
        """Describe a message to the rules: the first of a run."""
        priority, run = found
        seen: VisibleMessage = VisibleMessage.__new__(VisibleMessage)
        seen.view, seen.found, seen.message = self, found, run.message
        seen.id, seen.priority, seen.arrival = run.label(run.first), priority, run.first
        seen.fifo, seen.defprty, seen.enqueued_priority = False, priority, priority
        seen.unit_of_work = self.units.get((priority, run.first), "") if self.units else ""
        cursor = self.position.cursor
        seen.under_cursor = cursor is not None and cursor.at == (priority, run.first)
        if run.message is None:
            _on_its_own(seen)
        else:
            self._identified(seen)
        return seen

    def _identified(self, seen: VisibleMessage) -> None:
        message, cursor = seen.message, self.position.cursor
        assert message is not None  # noqa: S101 - told to the type checker
        seen.correlation = message.correlation
        if message.item == SINGLE_MESSAGE:
            _on_its_own(seen, message.correlation)
            return
        kind, seen.group_id = message.item
        seen.sequence, seen.offset = message.place
        seen.in_group = kind == "group"
        seen.last_in_group = seen.in_group and message.last_in_group
        seen.segment, seen.last_segment = message.is_segment, message.last_segment
        seen.begins_message = seen.found.run.told.begins_message if seen.found is not None else True
        browse = cursor.group if cursor is not None else None
        gets = self.position.gets
        seen.next_of_gets = self._is_next(seen, message, gets)
        seen.next_of_browse = self._is_next(seen, message, browse)
        browsed = self.position.browsed
        seen.browsed = browsed is not None and bool(get_value(browsed, (-seen.priority, seen.arrival)))
        if not seen.segment:
            seen.segments_end, seen.message_ends_group = True, seen.last_in_group

    def _is_next(self, seen: VisibleMessage, message: Message, group: CurrentGroup | None) -> bool:
        """Whether a message is what comes next in a current group: of several at its place the first."""
        if group is None or (message.item, message.place) != (group.item, group.next):
            return False
        first = next(self.queue.item(message.item, message.place), None)
        return first is not None and (first.priority, first.run.first) == (seen.priority, seen.arrival)

    def tell(self, seen: VisibleMessage, name: str) -> None:
        """Set what a message is in its item: as it was set before, by the first one, or by a walk."""
        assert seen.found is not None  # noqa: S101 - told to the type checker
        if name in ROLE_ATTRIBUTES:
            _tell(seen, seen.found.run)
        elif seen.message is None or not seen.group_id:
            raise AttributeError(name)
        elif name in FIRST_MESSAGE_ATTRIBUTES:
            self._tell_of_first(seen, seen.message)
        elif name in ("segments_end", "message_ends_group"):
            self._tell_of_segments(seen, seen.message)
        elif name == "begun_by_another":
            seen.begun_by_another = self.begun_by(seen.message.item) not in (None, self.by)
        else:
            self._tell_of_all(seen, seen.message)

    def _tell_of_first(self, seen: VisibleMessage, message: Message) -> None:
        first, spot = self.queue.find_item_start(message.item), (seen.priority, seen.arrival)
        stands_at = first or next(self.queue.item(message.item), None)
        same = next(self.queue.item(message.item, message.place), None)
        seen.first_there = first is not None
        seen.leads = first is not None and spot == _spot(first)
        seen.repeated = same is not None and _place(same) == message.place and spot != _spot(same)
        seen.item_priority, seen.item_arrival = (0, 0) if stands_at is None else _spot(stands_at)

    def _tell_of_segments(self, seen: VisibleMessage, message: Message) -> None:
        found = next(self.queue.item(message.item, (seen.sequence, 0)), None)
        begins = self.seen(found) if found is not None and _place(found)[0] == seen.sequence else None
        last = self.list_logical_message(begins)[-1] if begins is not None and begins.begins_message else None
        seen.segments_end = last is not None and last.ends_message
        seen.message_ends_group = last is not None and last.ends_message and last.last_in_group

    def _tell_of_all(self, seen: VisibleMessage, message: Message) -> None:
        """Walks along the item from its first message."""
        first, spot = self.queue.find_item_start(message.item), (seen.priority, seen.arrival)
        last, seen.in_line = None, False
        for last in self.line(None if first is None else self.seen(first)):
            seen.in_line = seen.in_line or (last.priority, last.arrival) == spot
        seen.line_ends = last is not None and last.ends_item
        last_place = last.message.place if last is not None and last.message is not None else NO_PLACE
        seen.behind_end = seen.line_ends and message.place > last_place
        earliest = min(((-each.priority, each.run.first) for each in self.queue.item(message.item)), default=(0, 0))
        seen.earliest_priority, seen.earliest_arrival = -earliest[0], earliest[1]


def build_queue_view(
    state: QueueManagerContent, event: Event, queue: str, sees: VisibilityTest | None = None
) -> QueueView:
    """Build the local queue ``queue`` as a get sees it: what is committed and of what open units of work have put what
    it ``sees``; None is what its own has put, unless it browses.
    """
    seen, own = state.queue(queue), "" if is_browse(event) else event.unit_of_work
    position, begun_by = state.position(event), partial(state.find_item_reader, queue)
    if sees is None:
        for done in iterate_newest_first(state.units.get(own)):
            if done.is_put and done.queue == queue:
                seen = seen.after_get_backout(done.priority, done.run)
        return QueueView(seen, position, partial(_hidden, state, queue, own), begun_by=begun_by, by=event.by)
    hidden, units = list[tuple[str, FoundMessage]](), dict[Place, str]()
    bare = QueueView(seen, position)
    for unit, (priority, run) in _hidden(state, queue, None):
        first = bare.seen(FoundMessage(priority, run))
        first.unit_of_work = unit
        if sees(first):
            seen = seen.after_get_backout(priority, run)
            units |= {(priority, place): unit for place in range(run.first, run.end)}
        else:
            hidden.append((unit, FoundMessage(priority, run)))
    return QueueView(seen, position, partial(iter, hidden), units, begun_by, event.by)


def apply_get(
    state: StateT, event: Event, queue: str, facts: Mapping[str, Any], taken: Sequence[VisibleMessage]
) -> StateT:
    """Apply a get or browse of the local queue ``queue`` that returned ``taken``, which is not empty.

    ``facts`` is what rules say of where the application stands after it.
    """
    position = _get_position_after(event, state.position(event), facts, taken[0], taken[-1])
    if is_browse(event):
        return state.after_sent(event, **change_position(state, event, position))
    after, unit, units = state.queue(queue), event.unit_of_work, state.list_units_with(event)
    for each in taken:
        holder = each.unit_of_work or unit
        if not after.has(each.priority, each.arrival):
            units = {**units, holder: remove_put(units.get(holder), queue, each.priority, each.arrival)}
            after = after.after_own_get(each.priority)
            continue
        got, after = after.got(each.found)
        if unit and got is not None:
            units = {**units, unit: record_get(units.get(unit), queue, got.priority, got.run)}
    more = change_position(state, event, position, "gets" if facts["is_set_back"] else "")
    return state.with_queue(event, queue, after, units, {**more, **_begun(state, event, queue, taken[-1])})


def apply_failed_get(state: StateT, event: Event, facts: Mapping[str, Any]) -> StateT:
    """Apply a get or browse that returned nothing: how the application browses may have been stated."""
    position = _record_browse_order(event, state.position(event), facts, False)
    return state.after_sent(event, **change_position(state, event, position))


def change_position(
    state: QueueManagerContent, event: Event, position: ApplicationPosition, kind: str = ""
) -> dict[str, Any]:
    """Change an application's position: gives the parts of the state that differ.

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


def restore_positions(state: QueueManagerContent, unit: str) -> dict[str, Any]:
    """Restore positions after the backout of a unit of work; also give what is kept for the others."""
    positions = dict(state.positions)
    for (by, queue, kind), group in state.kept_groups.get(unit, {}).items():
        position = positions.get((by, queue), ApplicationPosition())
        positions[by, queue] = position._replace(**{kind: group})
    return {"positions": positions, "kept_groups": _without(state.kept_groups, unit)}


def drop_kept_groups(state: QueueManagerContent, unit: str) -> dict[str, Any]:
    """Drop the groups kept for a unit of work that is committed; those of the others stay."""
    return {"kept_groups": _without(state.kept_groups, unit)} if unit in state.kept_groups else {}


def end_positions(state: QueueManagerContent, by: str, queue: str) -> dict[str, Any]:
    """End the positions of an application on a queue, as the close of its last handle does."""
    positions = {key: each for key, each in state.positions.items() if key != (by, queue)}
    kept = {
        unit: {key: group for key, group in groups.items() if key[:2] != (by, queue)}
        for unit, groups in state.kept_groups.items()
    }
    return {"positions": positions, "kept_groups": kept}


def reset_read_positions(state: QueueManagerContent, queue: str) -> dict[str, Any]:
    """Reset positions after a name was made to lead to another queue: what was got and browsed before is not there."""
    positions = {
        key: ApplicationPosition(puts=each.puts) if key[1] == queue else each for key, each in state.positions.items()
    }
    kept = {
        unit: {key: group for key, group in groups.items() if key[1:] != (queue, "gets")}
        for unit, groups in state.kept_groups.items()
    }
    return {"positions": positions, "kept_groups": kept}


def _stands_in(kind: str, group: CurrentGroup | None) -> dict[str, Any]:
    """Where the application's gets or puts stand: in no group, unless there is a current one."""
    if group is None:
        return {}
    return {f"{kind}_in_group": True, f"{kind}_was_logical": group.logical, f"{kind}_amid_message": group.amid}


def _goes_on_with(current: CurrentGroup) -> dict[str, Any]:
    sequence, offset = current.next or (0, 0)
    return {
        "current_group": current.item[1], "current_is_group": current.item[0] == "group",
        "current_is_last": current.is_last, "next_sequence": sequence, "next_offset": offset,
    }  # fmt: skip


@lru_cache(maxsize=256)
def _first_call(options: tuple[str, ...], unit: str, of_queue: tuple[str, str, str, str]) -> RetrievalCall:
    """A get of an application that stands nowhere yet, as most do all the time, and asks for no certain message."""
    get, named_get, platform, indxtype = of_queue
    return RetrievalCall("MQGET", options, unit, get, named_get, platform=platform, indxtype=indxtype)


def _one(found: VisibleMessage | None) -> Iterator[VisibleMessage]:
    return iter(()) if found is None else iter((found,))


def _current(event: Event, position: ApplicationPosition) -> CurrentGroup | None:
    if not is_browse(event):
        return position.gets
    if "BROWSE_FIRST" in event.options or position.cursor is None:
        return None
    return position.cursor.group


def _is_segment(event: Event) -> bool:
    return event.segment or event.last_segment


def _belongs_to_a_group(event: Event) -> bool:
    """Whether a put in logical order is of a message in a group."""
    if event.in_group is False:
        return False
    return bool(event.group) or event.last_in_group is not None or event.in_group is True


def _message(event: Event, label: str, item: tuple[str, bool], placing: PutPlacement) -> Message | None:
    group, in_group = item
    if not (event.id or group or event.correlation):
        return None
    return Message(
        id=event.id or label,
        queue=event.queue,
        group=group,
        in_group=in_group,
        sequence=placing.sequence,
        last_in_group=bool(event.last_in_group),
        segment=_is_segment(event),
        last_segment=event.last_segment,
        offset=placing.offset,
        length=event.length,
        correlation=event.correlation,
        persistent=event.persistent,
        by=event.by,
    )


def _spot(found: FoundMessage) -> Place:
    return found.priority, found.run.first


def _tell(seen: VisibleMessage, run: MessageRun) -> None:
    """What was told of a message when it was put."""
    seen.is_first, seen.begins_message, seen.ends_message, seen.ends_item, following = run.told
    seen.followed_by_sequence, seen.followed_by_offset = following or (0, 0)
    seen.length = run.message.length if run.message is not None else 0


def _on_its_own(seen: VisibleMessage, correlation: str = "") -> None:
    """What is true of a message that is an item by itself."""
    seen.correlation, seen.group_id, seen.in_group, seen.sequence, seen.offset = correlation, "", False, 1, 0
    seen.last_in_group = seen.segment = seen.last_segment = seen.repeated = seen.message_ends_group = False
    seen.behind_end = seen.next_of_gets = seen.next_of_browse = seen.browsed = seen.begun_by_another = False
    seen.leads = seen.first_there = seen.in_line = seen.line_ends = seen.segments_end = seen.begins_message = True
    seen.item_priority = seen.earliest_priority = seen.priority
    seen.item_arrival = seen.earliest_arrival = seen.arrival


def _place(found: FoundMessage) -> tuple[int, int]:
    assert found.run.message is not None  # noqa: S101 - what is in an item has an identity
    return found.run.message.place


def _is_behind(found: FoundMessage, behind: tuple[int, int] | None) -> bool:
    return behind is None or (-found.priority, found.run.first) > (-behind[0], behind[1])


def _hidden(state: QueueManagerContent, queue: str, own: str | None) -> Iterator[tuple[str, FoundMessage]]:
    """What open units of work but the ``own`` one have put on a queue."""
    for name, unit in state.units.items():
        for done in iterate_newest_first(unit):
            if name != own and done.is_put and done.queue == queue:
                yield name, FoundMessage(done.priority, done.run)


def _begun(state: QueueManagerContent, event: Event, queue: str, last: VisibleMessage) -> dict[str, Any]:
    """Who has got messages of an item, after ``last`` was got."""
    if last.message is None or not last.group_id:
        return {}
    item, told = last.message.item, SINGLE_MESSAGE_ROLE if last.found is None else last.found.run.told
    if told.ends_item:
        known = state.find_item_reader(queue, item)
        return {} if known is None else {"begun": remove_key(state.begun, (queue, *item))}
    if state.find_item_reader(queue, item) == event.by:
        return {}
    return {"begun": insert_entry(state.begun, (queue, *item), event.by)}


def _without(groups: Mapping[str, Any], unit: str) -> Mapping[str, Any]:
    return {name: kept for name, kept in groups.items() if name != unit}
