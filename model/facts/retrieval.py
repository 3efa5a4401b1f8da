"""What the rules of retrieval see: a call on a queue, and the messages that lie on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import define, frozen

from mqclause.model.facts.domains import ENABLED, LARGEST, NAMES, InTable, Whole, seen, unseen, words
from mqclause.model.facts.message import HIGHEST_PRIORITY, LARGEST_LONG, ON_ITS_OWN, ItemKey, Message, given_priority
from mqclause.model.facts.objects import Queue

RETRIEVAL_CALLS = ("ORDER", "PUTS", "MQGET", "MQPUT", "MQCLOSE")
"""What is asked: in which order messages lie, whether an application's puts keep theirs, or what a call does."""

ANY_COUNT = Whole(0, 2**63 - 1)
PRIORITY = Whole(0, HIGHEST_PRIORITY)
ItemPlace = tuple[int, int]
"""MsgSeqNumber and Offset."""


@frozen(eq=False)
class RetrievalCall:
    """A call on a queue, or a question about it. Every attribute has a value; a blank text means "none".

    ``get`` is that of the queue, ``named_get`` that of the object that was named, which may be an alias of it.
    ``options`` are those of MQGMO or MQPMO, ``match_on`` the keys that MQGMO's match options name. ``get_…`` tells of
    the current group of an application's gets, ``browse_…`` of its browses, ``put_…`` of its puts: whether there is
    one, whether the last call had LOGICAL_ORDER, and whether a logical message is begun. ``current_group`` is the
    GroupId of the one that a get or browse goes on with, ``next_sequence`` and ``next_offset`` what comes next in it;
    0 and 0 if nothing can. ``cursor_…`` is the message
    under the browse cursor, and the place behind which a browse goes on: the message's own, or in logical order that
    of the first message of its item. ``fits_group`` and ``fits_message`` say that a put goes on with the current group
    and with its logical message. Of an application's puts ``priorities`` counts the priorities, ``units_of_work`` the
    units of work (all outside any are one), ``put_elsewhere`` the messages put at another queue manager.
    """

    mqi_call: str = words(*RETRIEVAL_CALLS, default="ORDER")
    options: tuple[str, ...] = seen(NAMES, ())
    unit: str = ""
    get: str = seen(ENABLED, "ENABLED")
    named_get: str = seen(ENABLED, "ENABLED", InTable(optional=True))
    match_on: tuple[str, ...] = seen(NAMES, ())
    match_id: str = ""
    match_correlation: str = ""
    match_group: str = ""
    match_sequence: int = seen(Whole(0, LARGEST), 0)
    match_offset: int = seen(Whole(0, LARGEST_LONG), 0)
    get_in_group: bool = False
    get_was_logical: bool = False
    get_amid_message: bool = False
    current_group: str = ""
    next_sequence: int = seen(Whole(0, LARGEST), 0)
    next_offset: int = seen(Whole(0, LARGEST_LONG), 0)
    browse_in_group: bool = False
    browse_amid_message: bool = False
    browse_begun: bool = False
    browse_was_logical: bool = False
    cursor_there: bool = False
    cursor_on_later_segment: bool = False
    cursor_priority: int = seen(PRIORITY, 0)
    cursor_arrival: int = seen(ANY_COUNT, 0)
    put_in_group: bool = False
    put_was_logical: bool = False
    put_amid_message: bool = False
    fits_group: bool = False
    fits_message: bool = False
    given_priority: int = seen(Whole(0, LARGEST_LONG), 0)
    priorities: int = seen(ANY_COUNT, 1)
    units_of_work: int = seen(ANY_COUNT, 1)
    put_elsewhere: int = seen(ANY_COUNT, 0)


@define(eq=False)
class QueuedMessage:
    """A message on a queue, seen by one unit of work or by none.

    ``priority`` is its own, and ``fifo`` says that it is enqueued with the queue's ``defprty`` all the same;
    ``arrival`` counts what came before it. A message is ``repeated`` if another one of the same item, MsgSeqNumber and
    Offset stands before it, ``leads`` its item if it is the first one. ``first_there`` says whether that is on the
    queue; it, or without it the next one of the item, is at ``item_priority`` and ``item_arrival``, the first of the
    item to arrive at ``earliest_…``. After the first gap in an item its messages are ``after_gap``, after its last one
    ``after_last``. With ``message_ends_group`` the logical message that it belongs to is complete, and its last
    segment, which ends it, says that the group ends, too. ``browsed`` is a message that begins an item of several and
    that the application has browsed before, since it last began to look for groups.
    """

    id: str = ""
    priority: int = seen(PRIORITY, 0)
    fifo: bool = False
    defprty: int = seen(PRIORITY, 0)
    arrival: int = seen(ANY_COUNT, 0)
    group_id: str = ""
    in_group: bool = False
    sequence: int = seen(Whole(1, LARGEST), 1)
    last_in_group: bool = False
    segment: bool = False
    last_segment: bool = False
    offset: int = seen(Whole(0, LARGEST_LONG), 0)
    correlation: str = ""
    unit_of_work: str = ""
    leads: bool = True
    first_there: bool = True
    repeated: bool = False
    after_gap: bool = False
    after_last: bool = False
    message_complete: bool = True
    message_ends_group: bool = False
    group_complete: bool = True
    item_priority: int = seen(PRIORITY, 0)
    item_arrival: int = seen(ANY_COUNT, 0)
    earliest_priority: int = seen(PRIORITY, 0)
    earliest_arrival: int = seen(ANY_COUNT, 0)
    next_of_gets: bool = False
    next_of_browse: bool = False
    under_cursor: bool = False
    browsed: bool = False
    message: Message | None = unseen(None)  # noqa: RUF009


Enqueued = Callable[[QueuedMessage], int]
"""The priority that a message was enqueued with, by what is known of the message and its queue: rules say it."""


def queued(messages: Iterable[Message], queue: Queue, enqueued: Enqueued) -> list[QueuedMessage]:
    """The messages that lie on ``queue``, given in the order of their arrival, as everybody sees them."""
    found = [_queued(arrival, message, queue, enqueued) for arrival, message in enumerate(messages)]
    items: dict[ItemKey, list[QueuedMessage]] = {}
    for each in found:
        if each.message is not None and each.message.item != ON_ITS_OWN and not each.unit_of_work:
            items.setdefault(each.message.item, []).append(each)
    for members in items.values():
        _tell(sorted(members, key=lambda each: (-enqueued(each), each.arrival)), enqueued)
    return found


def _queued(arrival: int, message: Message, queue: Queue, enqueued: Enqueued) -> QueuedMessage:
    fifo, defprty = queue.msgdlvsq == "FIFO", queue.defprty
    own = given_priority(message.priority, defprty)
    kind, group = message.item
    sequence, offset = message.place
    in_group = kind == "group"
    found = QueuedMessage(
        message.id, own, fifo, defprty, arrival, group, in_group, sequence, in_group and message.last_in_group,
        message.is_segment, message.last_segment, offset, message.correlation, message.unit_of_work,
        True, True, False, False, False, True, in_group and message.last_in_group, True,
        0, arrival, 0, arrival, False, False, False, False, message,
    )  # fmt: skip
    found.item_priority = found.earliest_priority = enqueued(found)
    return found


def line(first: QueuedMessage | None, find: Callable[[ItemPlace], QueuedMessage | None]) -> Iterator[QueuedMessage]:
    """``first`` and what follows it in its item without a gap, to the item's end."""
    at = first
    while at is not None and at.message is not None:
        yield at
        place = at.message.next_place
        at = find(place) if place else None


def whole_message(first: QueuedMessage, find: Callable[[ItemPlace], QueuedMessage | None]) -> list[QueuedMessage]:
    """The segments of the logical message that ``first`` begins, in order; empty if one is missing."""
    segments = []
    for each in line(first, find):
        segments.append(each)
        if each.message is None or each.message.ends_message:
            return segments
    return []


def _tell(members: Sequence[QueuedMessage], enqueued: Enqueued) -> None:
    """Tells the messages of one item, given in physical order, what they are in it."""
    by_place: dict[ItemPlace, QueuedMessage] = {}
    for each in members:
        place = each.sequence, each.offset
        each.repeated = by_place.setdefault(place, each) is not each
        each.earliest_priority, each.earliest_arrival = enqueued(members[0]), members[0].arrival
    first, begins = by_place.get((1, 0)), by_place[min(by_place)]
    in_line = list(line(first, by_place.get))
    ends = bool(in_line) and in_line[-1].message is not None and in_line[-1].message.ends_item
    last = (in_line[-1].sequence, in_line[-1].offset) if in_line else (0, 0)
    kept = set(map(id, in_line))
    begun = (each for place, each in by_place.items() if place[1] == 0)
    wholes = {each.sequence: whole_message(each, by_place.get) for each in begun}
    for each in members:
        each.leads, each.first_there = each is first, first is not None
        behind = ends and (each.sequence, each.offset) > last
        each.after_last = behind
        each.after_gap = not (behind or each.repeated or id(each) in kept or first is None)
        if each.segment:
            whole = wholes.get(each.sequence, [])
            each.message_complete = bool(whole)
            each.message_ends_group = bool(whole) and whole[-1].last_in_group
        each.group_complete = ends
        each.item_priority, each.item_arrival = enqueued(begins), begins.arrival
