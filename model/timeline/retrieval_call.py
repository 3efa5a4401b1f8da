"""Calls that retrieve or put messages, as the rules of retrieval see them; and what a call that succeeded leaves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from functools import lru_cache
from typing import Any, NamedTuple

from mqclause.model.facts.domains import LARGEST
from mqclause.model.facts.message import LARGEST_LONG, OF_ITS_OWN, ON_ITS_OWN, Message
from mqclause.model.facts.objects import Queue
from mqclause.model.facts.retrieval import RetrievalCall
from mqclause.model.timeline.event import BROWSES, Event
from mqclause.model.timeline.message_chain import Labels
from mqclause.model.timeline.positions import NOWHERE, CurrentGroup, Cursor, Position, group_with
from mqclause.model.timeline.queue_view import QueueView, SeenMessage
from mqclause.model.timeline.sorted_map import with_entry

ListedBy = tuple[tuple[str, bool], ...]
BY_PLACE: ListedBy = (("enqueued_priority", True), ("arrival", False))
BY_ITEM: ListedBy = (("item_priority", True), ("item_arrival", False))
"""What the candidates of a get are listed by, in the words of the rules, and whether the highest comes first.

A candidate that leads its item stands where its item does.
"""

LIKE_BUT_FOR = ("id", "arrival", "item_arrival", "earliest_arrival")
"""What tells messages apart of which the first alone is listed."""

COMMITTED = "unit_of_work <> '' AND (browses OR unit_of_work <> unit)"
UNDER_CURSOR, NEXT_OF_GETS, NEXT_OF_BROWSE = "NOT under_cursor", "NOT next_of_gets", "NOT next_of_browse"
NO_FIRST, NOT_LEADING = "NOT first_there", "first_there AND NOT leads"
BEHIND = "enqueued_priority > cursor_priority OR (enqueued_priority = cursor_priority AND arrival <= cursor_arrival)"
BEHIND_ITEM = "item_priority > cursor_priority OR (item_priority = cursor_priority AND item_arrival <= cursor_arrival)"
WITH_ID, WITH_CORRELATION = "id <> match_id", "correlation <> match_correlation"
WITH_GROUP = "group_id <> match_group"
LEFT_OUT = (
    COMMITTED, UNDER_CURSOR, NEXT_OF_GETS, NEXT_OF_BROWSE, NO_FIRST, NOT_LEADING, BEHIND, BEHIND_ITEM, WITH_ID,
    WITH_CORRELATION, WITH_GROUP,
)  # fmt: skip
"""What walks through a queue leave out: a rule that leaves out the same, in whatever words, is one that they follow."""

ONE_AT_MOST = frozenset({UNDER_CURSOR, NEXT_OF_GETS, NEXT_OF_BROWSE})
"""What leaves one message at most."""

LEADING = frozenset({NO_FIRST, NOT_LEADING})
"""What leaves those that lead an item, and no others; such candidates are listed by their items, too."""


def is_browse(event: Event) -> bool:
    """Whether a get leaves the message on the queue."""
    return bool(event.options) and not set(BROWSES).isdisjoint(event.options)


def get_call(event: Event, view: QueueView, queue: Queue, named_get: str, platform: str) -> RetrievalCall:
    """A get of ``queue`` as the rules see it; ``named_get`` is GET of what was named: the queue, or an alias of it."""
    if view.position is NOWHERE and not event.match:
        return _first_call(event.options, event.unit_of_work, queue.get, named_get, platform, queue.indxtype)
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
        get_in_group=gets is not None,
        get_was_logical=gets is not None and gets.logical,
        get_amid_message=gets is not None and gets.amid,
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


def _goes_on_with(current: CurrentGroup) -> dict[str, Any]:
    sequence, offset = current.next or (0, 0)
    return {
        "current_group": current.item[1], "current_is_group": current.item[0] == "group",
        "current_is_last": current.is_last, "next_sequence": sequence, "next_offset": offset,
    }  # fmt: skip


@lru_cache(maxsize=256)
def _first_call(
    options: tuple[str, ...], unit: str, get: str, named_get: str, platform: str, indxtype: str
) -> RetrievalCall:
    """A get of an application that stands nowhere yet, as most do all the time, and asks for no certain message."""
    return RetrievalCall("MQGET", options, unit, get, named_get, platform=platform, indxtype=indxtype)


def candidates(call: RetrievalCall, view: QueueView, left_out: Set[str]) -> Iterator[SeenMessage]:
    """The messages that a get may return, in physical order, as far as can be without those ``left_out``."""
    leading = left_out >= LEADING
    if COMMITTED not in left_out or (BEHIND_ITEM in left_out and not leading):
        return view.everything()
    gets, cursor = view.position.gets, view.position.cursor
    if UNDER_CURSOR in left_out:
        return _one(view.at(*cursor.at) if cursor is not None else None)
    for walk, current in ((NEXT_OF_GETS, gets), (NEXT_OF_BROWSE, cursor.group if cursor is not None else None)):
        if walk in left_out:
            return _one(view.of_item(current.item, current.next) if current is not None else None)
    goes_on = BEHIND in left_out or BEHIND_ITEM in left_out
    behind = (call.cursor_priority, call.cursor_arrival) if goes_on else None
    if WITH_ID in left_out and call.match_id:
        return view.labelled(call.match_id, behind)
    if WITH_CORRELATION in left_out and call.match_correlation:
        return view.correlated(call.match_correlation, behind)
    if WITH_GROUP in left_out and call.match_group:
        return view.grouped(call.match_group, behind)
    return view.physical(behind, leading)


def _one(found: SeenMessage | None) -> Iterator[SeenMessage]:
    return iter(()) if found is None else iter((found,))


def _current(event: Event, position: Position) -> CurrentGroup | None:
    if not is_browse(event):
        return position.gets
    if "BROWSE_FIRST" in event.options or position.cursor is None:
        return None
    return position.cursor.group


def position_after_get(
    event: Event, position: Position, facts: Mapping[str, Any], first: SeenMessage, last: SeenMessage
) -> Position:
    """Where the application stands after a get or browse that returned the messages from ``first`` to ``last``.

    ``facts`` is what rules say of the call.
    """
    logical, told = "LOGICAL_ORDER" in event.options, OF_ITS_OWN if last.found is None else last.found.run.told
    group = group_with(last.message, told, logical) if facts["makes_current"] else None
    if not is_browse(event):
        return position.getting(group) if facts["makes_current"] else position
    position = stated_by(event, position, facts, True)
    if not facts["moves_cursor"]:
        return position
    at, cursor = (first.priority, first.arrival), position.cursor
    anchor = cursor.anchor if facts["keeps_anchor"] and cursor is not None else at
    browsed = None if facts["looks_anew"] else position.browsed
    if first.leads and first.group_id:
        browsed = with_entry(browsed, (-first.priority, first.arrival), True)
    return position._replace(cursor=Cursor(at, anchor, group), browsed=browsed)


def stated_by(event: Event, position: Position, facts: Mapping[str, Any], found: bool) -> Position:
    """The same position, with how the application browses if rules say that the call states it; ``found`` something."""
    logical = "LOGICAL_ORDER" in event.options
    if position.browses_logically is logical or not (facts["states_browsing"] or (found and facts["begins_browsing"])):
        return position
    return position._replace(browses_logically=logical)


def put_call(event: Event, position: Position, given_priority: int) -> RetrievalCall:
    """A put as the rules see it; ``given_priority`` is the one of MQMD."""
    puts = position.puts
    return RetrievalCall(
        mqi_call="MQPUT",
        options=("LOGICAL_ORDER",) if event.logical_order else (),
        unit=event.unit_of_work,
        given_priority=given_priority,
        put_in_group=puts is not None,
        put_was_logical=puts is not None and puts.logical,
        put_amid_message=puts is not None and puts.amid,
        **({} if puts is None else _goes_on_with(puts)),
        given_group=event.group,
        given_in_group=_belongs_to_a_group(event) if event.logical_order else event.in_group is not False,
        given_segment=_is_segment(event),
        given_last_in_group=bool(event.last_in_group),
        given_sequence=event.sequence,
        given_offset=event.offset,
    )


def close_call(position: Position) -> RetrievalCall:
    """The close of an application's last handle on a queue, as the rules see it."""
    gets, puts = position.gets, position.puts
    return RetrievalCall(
        mqi_call="MQCLOSE",
        get_in_group=gets is not None,
        get_was_logical=gets is not None and gets.logical,
        get_amid_message=gets is not None and gets.amid,
        put_in_group=puts is not None,
        put_was_logical=puts is not None and puts.logical,
        put_amid_message=puts is not None and puts.amid,
    )


def _is_segment(event: Event) -> bool:
    return event.segment or event.last_segment


def _belongs_to_a_group(event: Event) -> bool:
    """Whether a put in logical order is of a message in a group."""
    if event.in_group is False:
        return False
    return bool(event.group) or event.last_in_group is not None or event.in_group is True


class Placing(NamedTuple):
    """What rules say of where a put's message belongs: whether it ``joins`` the current group, MsgSeqNumber and Offset.

    ``makes_current`` and ``is_set_back``: its group is the application's current one from then on, and a backout undoes
    that.
    """

    joins: bool = False
    sequence: int = 1
    offset: int = 0
    makes_current: bool = True
    is_set_back: bool = True


BY_ITSELF = Placing()


def placing_by(facts: Mapping[str, Any]) -> Placing:
    """The same by the facts that rules derived; what is beyond the numbers of MQMD counts as the nearest of them."""
    sequence = min(max(facts["put_sequence"], 1), LARGEST)
    offset = min(max(facts["put_offset"], 0), LARGEST_LONG)
    return Placing(facts["joins_group"], sequence, offset, facts["makes_current"], facts["is_set_back"])


def put_message(event: Event, puts: CurrentGroup | None, placing: Placing, labels: Labels) -> Message | None:
    """The message of a put that gives it an identity, called by ``labels`` unless it has an id; None of any other.

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
    return _message(event, label, group, in_group, placing.sequence, placing.offset)


def group_of(event: Event, puts: CurrentGroup | None, placing: Placing, labels: Labels) -> str:
    """The group that the message of a put belongs to, as ``put_message`` has it; blank if it is in none."""
    message = put_message(event, puts, placing, labels)
    kind, label = (ON_ITS_OWN if message is None else message.item)[:2]
    return label if kind == "group" else ""


def _message(event: Event, label: str, group: str, in_group: bool, sequence: int, offset: int) -> Message | None:
    if not (event.id or group or event.correlation):
        return None
    return Message(
        id=event.id or label,
        queue=event.queue,
        group=group,
        in_group=in_group,
        sequence=sequence,
        last_in_group=bool(event.last_in_group),
        segment=_is_segment(event),
        last_segment=event.last_segment,
        offset=offset,
        length=event.length,
        correlation=event.correlation,
        persistent=event.persistent,
        by=event.by,
    )
