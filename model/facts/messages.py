"""Messages on a queue, and the calls that retrieve them, as rules see them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

from attrs import define, fields, frozen

from mqclause.model.diagnostics import quote_value
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import (
    ENABLED,
    LARGEST,
    NAME,
    NAME_OR_BLANK,
    NAMES,
    Flag,
    TableColumn,
    Text,
    Whole,
    fact_field,
    internal_field,
    rule_field,
    word_field,
)
from mqclause.model.facts.objects import Queue

LARGEST_LONG = 2**31 - 1
"""The largest offset, length and priority that a call can give."""

HIGHEST_PRIORITY = 9
"""MaxPriority of every queue manager: a higher priority counts as this one."""

LABEL_TEXT = Text(128, least=1)
LABEL_TEXT_OR_BLANK = Text(128)

ItemKey = tuple[str, str]
"""The kind of an item (``group`` or ``segmented``, blank for a message on its own), and the label of its GroupId."""

SINGLE_MESSAGE: ItemKey = ("", "")
ITEM_KINDS = ("group", "segmented")


class ItemRole(NamedTuple):
    """What rules say of a message where it belongs.

    Whether it is the first of its item, whether a logical message begins or ends with it, whether its item ends with
    it, and the place of what follows it there; None where nothing can. The defaults are those of a message on its own.
    """

    is_first: bool = True
    begins_message: bool = True
    ends_message: bool = True
    ends_item: bool = True
    next: tuple[int, int] | None = None


SINGLE_MESSAGE_ROLE = ItemRole()
"""A message in no group and no segmentation is an item by itself."""

RETRIEVAL_CALLS = ("ORDER", "PUTS", "MQGET", "MQPUT", "MQCLOSE")
"""What is asked: in which order messages lie, whether an application's puts keep theirs, or what a call does."""

ANY_COUNT = Whole(0, 2**63 - 1)
PRIORITY = Whole(0, HIGHEST_PRIORITY)
ItemPlace = tuple[int, int]
"""MsgSeqNumber and Offset."""

NO_PLACE: ItemPlace = (0, -1)
"""Before every place."""


@frozen
class Message:
    """A message on a local queue, with the names of MQMD's fields; ids and GroupIds are labels.

    ``priority`` None is the queue's DEFPRTY. ``unit_of_work`` is the one, still open, that put it; ``put_in`` the one,
    long ended, that it was put in. ``put_at`` is the queue manager where it was put, blank for the local one.
    """

    id: str = fact_field(LABEL_TEXT)
    queue: str = fact_field(NAME)
    priority: int | None = fact_field(Whole(0, LARGEST_LONG), None)
    group: str = fact_field(LABEL_TEXT_OR_BLANK, "")
    in_group: bool = fact_field(Flag(), True)
    sequence: int = fact_field(Whole(1, LARGEST), 1)
    last_in_group: bool = fact_field(Flag(), False)
    segment: bool = fact_field(Flag(), False)
    last_segment: bool = fact_field(Flag(), False)
    offset: int = fact_field(Whole(0, LARGEST_LONG), 0)
    length: int = fact_field(Whole(0, LARGEST_LONG), 100)
    correlation: str = fact_field(LABEL_TEXT_OR_BLANK, "")
    persistent: bool = fact_field(Flag(), True)
    unit_of_work: str = fact_field(NAME_OR_BLANK, "")
    put_in: str = fact_field(NAME_OR_BLANK, "")
    by: str = fact_field(NAME_OR_BLANK, "")
    put_at: str = fact_field(NAME_OR_BLANK, "")

    @property
    def is_segment(self) -> bool:
        """Whether it is a segment of a logical message, the last one included."""
        return self.segment or self.last_segment

    @property
    def item(self) -> ItemKey:
        """The item of the logical order that it belongs to."""
        if not self.group:
            return SINGLE_MESSAGE
        if self.in_group:
            return "group", self.group
        return ("segmented", self.group) if self.is_segment else SINGLE_MESSAGE

    @property
    def place(self) -> tuple[int, int]:
        """Its MsgSeqNumber and Offset, as they count: a message that is in no group is the first of one."""
        return self.sequence if self.item[0] == "group" else 1, self.offset if self.is_segment else 0


def get_effective_priority(given: int | None, defprty: int) -> int:
    """Return the priority that a message was put with: DEFPRTY where none was given, and 9 for any above that."""
    return min(defprty if given is None else given, HIGHEST_PRIORITY)


def find_message_fault(message: Message) -> str:
    """Say which keys of one message contradict each other; blank if none do."""
    if message.group:
        return ""
    wrong = next((key for key in ("last_in_group", "segment", "last_segment") if getattr(message, key)), None)
    return f"{wrong}: True is not allowed without group; it must be given" if wrong else ""


def find_invalid_messages(messages: Iterable[Message], cluster: Cluster) -> Iterator[tuple[int, str]]:
    """Find, by position from 0, each message that cannot be on its queue, or whose id is another one's."""
    local = cluster.queue_manager.name
    known = {queue.name: queue for queue in cluster.queues if queue.queue_manager == local and queue.type == "QLOCAL"}
    seen: dict[str, int] = {}
    for position, message in enumerate(messages):
        if message.queue not in known:
            yield (
                position,
                f"queue: {quote_value(message.queue)} is no local queue of {quote_value(local)}; it has to be one",
            )
        elif known[message.queue].curdepth:
            yield (
                position,
                f"queue: {quote_value(message.queue)} has curdepth, too; allowed: one of curdepth and message",
            )
        first = seen.setdefault(message.id, position)
        if first != position:
            yield position, f"id: {quote_value(message.id)} is given twice; it stands in message {first + 1} too"


@define(eq=False)  # One is made for every get, and attrs takes twice as long if frozen; nobody changes it.
class RetrievalCall:
    """A call on a queue, or a question about it. Every attribute has a value; a blank text means "none".

    What each means is in the vocabulary of retrieval, ``engine/audit/vocabulary.toml``: ``get_…`` tells of the current
    group of an application's gets, ``browse_…`` of its browses, ``put_…`` of its puts, ``current_…`` and ``next_…`` of
    the one that the call goes on with, and ``given_…`` is what a put says of its message.
    """

    mqi_call: str = word_field(*RETRIEVAL_CALLS, default="ORDER")
    options: tuple[str, ...] = rule_field(NAMES, ())
    unit: str = ""
    get: str = rule_field(ENABLED, "ENABLED")
    named_get: str = rule_field(ENABLED, "ENABLED", TableColumn(optional=True))
    match_on: tuple[str, ...] = rule_field(NAMES, ())
    match_id: str = ""
    match_correlation: str = ""
    match_group: str = ""
    match_sequence: int = rule_field(Whole(0, LARGEST), 0)
    match_offset: int = rule_field(Whole(0, LARGEST_LONG), 0)
    get_in_group: bool = False
    get_was_logical: bool = False
    get_amid_message: bool = False
    current_group: str = ""
    current_is_group: bool = False
    current_is_last: bool = False
    next_sequence: int = rule_field(Whole(0, LARGEST), 0)
    next_offset: int = rule_field(Whole(0, LARGEST_LONG), 0)
    browse_in_group: bool = False
    browse_amid_message: bool = False
    browse_begun: bool = False
    browsing_stated: bool = False
    browse_was_logical: bool = False
    cursor_there: bool = False
    cursor_on_later_segment: bool = False
    cursor_priority: int = rule_field(PRIORITY, 0)
    cursor_arrival: int = rule_field(ANY_COUNT, 0)
    put_in_group: bool = False
    put_was_logical: bool = False
    put_amid_message: bool = False
    given_priority: int = rule_field(Whole(0, LARGEST_LONG), 0)
    given_group: str = ""
    given_in_group: bool = False
    given_segment: bool = False
    given_last_in_group: bool = False
    given_sequence: int = rule_field(Whole(0, LARGEST), 1)
    given_offset: int = rule_field(Whole(0, LARGEST_LONG), 0)
    priorities: int = rule_field(ANY_COUNT, 1)
    units_of_work: int = rule_field(ANY_COUNT, 1)
    put_elsewhere: int = rule_field(ANY_COUNT, 0)
    platform: str = word_field("MULTI", "ZOS", default="MULTI")
    indxtype: str = word_field("NONE", "MSGID", "CORRELID", "GROUPID", "MSGTOKEN", default="NONE")


@define(eq=False)
class StatedMessage:
    """What a message says of itself, and its queue of its priority: all that terms may look at which are asked once.

    ``priority`` is its own, ``fifo`` and ``defprty`` are the queue's when it was put. ``sequence`` is 1 outside a
    group, ``offset`` 0 outside segmentation.
    """

    id: str = ""
    priority: int = rule_field(PRIORITY, 0)
    fifo: bool = False
    defprty: int = rule_field(PRIORITY, 0)
    group_id: str = ""
    in_group: bool = False
    sequence: int = rule_field(Whole(1, LARGEST), 1)
    last_in_group: bool = False
    segment: bool = False
    last_segment: bool = False
    offset: int = rule_field(Whole(0, LARGEST_LONG), 0)
    length: int = rule_field(Whole(0, LARGEST_LONG), 0)
    correlation: str = ""


_STATED = attrgetter(*(each.name for each in fields(StatedMessage)))


def list_message_values(messages: Iterable[StatedMessage]) -> tuple[object, ...]:
    """List what each of several messages says of itself: rules tell messages apart by identity, answers by value."""
    return tuple(map(_STATED, messages))


@define(eq=False)
class QueuedMessage(StatedMessage):
    """A message on a queue, seen by one unit of work or by none.

    What each attribute means is in the vocabulary of retrieval, ``engine/audit/vocabulary.toml``. From the message that
    is first of an item a *line* goes on to what follows, and so on up to a gap: ``in_line``, ``line_ends`` and
    ``behind_end`` say where a message is to it.
    """

    enqueued_priority: int = rule_field(PRIORITY, 0)
    arrival: int = rule_field(ANY_COUNT, 0)
    unit_of_work: str = ""
    is_first: bool = True
    begins_message: bool = True
    ends_message: bool = True
    ends_item: bool = True
    followed_by_sequence: int = rule_field(Whole(0, LARGEST), 0)
    followed_by_offset: int = rule_field(Whole(0, 2**32), 0)
    leads: bool = True
    first_there: bool = True
    repeated: bool = False
    in_line: bool = True
    line_ends: bool = True
    behind_end: bool = False
    segments_end: bool = True
    message_ends_group: bool = False
    item_priority: int = rule_field(PRIORITY, 0)
    item_arrival: int = rule_field(ANY_COUNT, 0)
    earliest_priority: int = rule_field(PRIORITY, 0)
    earliest_arrival: int = rule_field(ANY_COUNT, 0)
    next_of_gets: bool = False
    next_of_browse: bool = False
    under_cursor: bool = False
    browsed: bool = False
    begun_by_another: bool = False
    message: Message | None = internal_field(None)  # noqa: RUF009


class EnqueueRules(Protocol):
    """What rules say of a message when it is put: asked once."""

    def priority(self, given: int, queue: Queue) -> int:
        """Return the priority, 0 to 9, that a message is enqueued with on a queue, by the one that it was put with."""
        ...

    def in_item(self, message: Message) -> ItemRole:
        """Return what rules derive of a message at its place in its item."""
        ...


def build_queued_messages(
    messages: Iterable[Message], queue: Queue, terms: EnqueueRules, is_there: Callable[[QueuedMessage], bool]
) -> list[QueuedMessage]:
    """Build the messages on ``queue``, given in the order of arrival, with what each knows of its item."""
    found = [_queued(arrival, message, queue, terms) for arrival, message in enumerate(messages)]
    items: dict[ItemKey, list[QueuedMessage]] = {}
    for each in found:
        if each.message is not None and each.message.item != SINGLE_MESSAGE and is_there(each):
            items.setdefault(each.message.item, []).append(each)
    for members in items.values():
        _tell(sorted(members, key=lambda each: (-each.enqueued_priority, each.arrival)))
    return found


def list_stated_values(message: Message, priority: int, queue: Queue) -> dict[str, Any]:
    """List the values that a message states, by the names of StatedMessage."""
    kind, group = message.item
    sequence, offset = message.place
    return {
        "id": message.id, "priority": priority, "fifo": queue.msgdlvsq == "FIFO", "defprty": queue.defprty,
        "group_id": group, "in_group": kind == "group", "sequence": sequence,
        "last_in_group": kind == "group" and message.last_in_group, "segment": message.is_segment,
        "last_segment": message.last_segment, "offset": offset, "length": message.length,
        "correlation": message.correlation,
    }  # fmt: skip


def _follow_item(
    first: QueuedMessage | None, find: Callable[[ItemPlace], QueuedMessage | None]
) -> Iterator[QueuedMessage]:
    """Yield ``first`` and the messages that follow it in its item without a gap; none comes twice."""
    at, before = first, NO_PLACE
    while at is not None and before < (at.sequence, at.offset):
        yield at
        before = at.sequence, at.offset
        at = find((at.followed_by_sequence, at.followed_by_offset)) if at.followed_by_sequence else None


def _collect_segments(first: QueuedMessage, find: Callable[[ItemPlace], QueuedMessage | None]) -> list[QueuedMessage]:
    """Collect the segments of the logical message that ``first`` begins, in order; empty if one is missing."""
    segments = []
    for each in _follow_item(first, find):
        segments.append(each)
        if each.ends_message:
            return segments
    return []


def _queued(arrival: int, message: Message, queue: Queue, terms: EnqueueRules) -> QueuedMessage:
    own = get_effective_priority(message.priority, queue.defprty)
    enqueued = terms.priority(own, queue)
    told = SINGLE_MESSAGE_ROLE if message.item == SINGLE_MESSAGE else terms.in_item(message)
    sequence, offset = told.next or (0, 0)
    return QueuedMessage(
        **list_stated_values(message, own, queue), enqueued_priority=enqueued, arrival=arrival,
        unit_of_work=message.unit_of_work,
        is_first=told.is_first, begins_message=told.begins_message, ends_message=told.ends_message,
        ends_item=told.ends_item, followed_by_sequence=sequence, followed_by_offset=offset,
        item_priority=enqueued, item_arrival=arrival, earliest_priority=enqueued, earliest_arrival=arrival,
        message_ends_group=message.item[0] == "group" and message.last_in_group, message=message,
    )  # fmt: skip


def _tell(members: Sequence[QueuedMessage]) -> None:
    """Tells the messages of one item, given in physical order, what they are in it."""
    by_place: dict[ItemPlace, QueuedMessage] = {}
    for each in members:
        each.repeated = by_place.setdefault((each.sequence, each.offset), each) is not each
        each.earliest_priority, each.earliest_arrival = members[0].enqueued_priority, members[0].arrival
    in_order = [by_place[place] for place in sorted(by_place)]
    first = next((each for each in in_order if each.is_first), None)
    stands_at = first or in_order[0]
    in_line = list(_follow_item(first, by_place.get))
    ends = bool(in_line) and in_line[-1].ends_item
    last = (in_line[-1].sequence, in_line[-1].offset) if in_line else NO_PLACE
    kept = set(map(id, in_line))
    # Of the segments of one MsgSeqNumber the one of the lowest Offset is the one that may begin the logical message.
    lowest = {each.sequence: each for each in reversed(in_order)}
    wholes = {at: _collect_segments(each, by_place.get) for at, each in lowest.items() if each.begins_message}
    for each in members:
        each.leads, each.first_there = each is first, first is not None
        each.in_line, each.line_ends = id(each) in kept, ends
        each.behind_end = ends and (each.sequence, each.offset) > last
        if each.segment:
            whole = wholes.get(each.sequence, [])
            each.segments_end = bool(whole)
            each.message_ends_group = bool(whole) and whole[-1].last_in_group
        each.item_priority, each.item_arrival = stands_at.enqueued_priority, stands_at.arrival
