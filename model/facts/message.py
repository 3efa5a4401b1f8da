"""Messages on the local queue manager's queues, and the items of the logical order that they make up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from attrs import frozen

from mqclause.model.diagnostic import quoted
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import LARGEST, NAME, NAME_OR_BLANK, Flag, Text, Whole, attribute

LARGEST_LONG = 2**31 - 1
"""The largest offset, length and priority that a call can give."""

HIGHEST_PRIORITY = 9
"""MaxPriority of every queue manager: a higher priority counts as this one."""

LABEL_TEXT = Text(128, least=1)
LABEL_TEXT_OR_BLANK = Text(128)

ItemKey = tuple[str, str]
"""The kind of an item (``group`` or ``segmented``, blank for a message on its own), and the label of its GroupId."""

ON_ITS_OWN: ItemKey = ("", "")
ITEM_KINDS = ("group", "segmented")


@frozen
class Message:
    """A message that lies on a local queue, with the names of MQMD's fields; ids and GroupIds are labels.

    ``priority`` None is the queue's DEFPRTY. ``unit_of_work`` is the one, still open, that put it; ``put_in`` the one,
    long ended, that it was put in. ``put_at`` is the queue manager where it was put, blank for the local one.
    """

    id: str = attribute(LABEL_TEXT)
    queue: str = attribute(NAME)
    priority: int | None = attribute(Whole(0, LARGEST_LONG), None)
    group: str = attribute(LABEL_TEXT_OR_BLANK, "")
    in_group: bool = attribute(Flag(), True)
    sequence: int = attribute(Whole(1, LARGEST), 1)
    last_in_group: bool = attribute(Flag(), False)
    segment: bool = attribute(Flag(), False)
    last_segment: bool = attribute(Flag(), False)
    offset: int = attribute(Whole(0, LARGEST_LONG), 0)
    length: int = attribute(Whole(0, LARGEST_LONG), 100)
    correlation: str = attribute(LABEL_TEXT_OR_BLANK, "")
    persistent: bool = attribute(Flag(), True)
    unit_of_work: str = attribute(NAME_OR_BLANK, "")
    put_in: str = attribute(NAME_OR_BLANK, "")
    by: str = attribute(NAME_OR_BLANK, "")
    put_at: str = attribute(NAME_OR_BLANK, "")

    @property
    def is_segment(self) -> bool:
        """Whether it is a segment of a logical message, the last one included."""
        return self.segment or self.last_segment

    @property
    def item(self) -> ItemKey:
        """The item of the logical order that it belongs to."""
        if not self.group:
            return ON_ITS_OWN
        if self.in_group:
            return "group", self.group
        return ("segmented", self.group) if self.is_segment else ON_ITS_OWN

    @property
    def place(self) -> tuple[int, int]:
        """Its MsgSeqNumber and Offset, as they count: a message that is in no group is the first of one."""
        return self.sequence if self.item[0] == "group" else 1, self.offset if self.is_segment else 0


class InItem(NamedTuple):
    """What rules say of a message where it belongs.

    Whether it is the first of its item, whether a logical message begins or ends with it, whether its item ends with
    it, and the place of what follows it there; None where nothing can. The defaults are those of a message on its own.
    """

    is_first: bool = True
    begins_message: bool = True
    ends_message: bool = True
    ends_item: bool = True
    next: tuple[int, int] | None = None


OF_ITS_OWN = InItem()
"""A message in no group and no segmentation is an item by itself."""


def given_priority(given: int | None, defprty: int) -> int:
    """The priority that a message was put with: DEFPRTY where none was given, and 9 for any above that."""
    return min(defprty if given is None else given, HIGHEST_PRIORITY)


def message_fault(message: Message) -> str:
    """What is wrong with the keys of one message beside each other; blank if nothing is."""
    if message.group:
        return ""
    wrong = next((key for key in ("last_in_group", "segment", "last_segment") if getattr(message, key)), None)
    return f"{wrong}: True is not allowed without group; it must be given" if wrong else ""


def misplaced(messages: Iterable[Message], cluster: Cluster) -> Iterator[tuple[int, str]]:
    """By position from 0: each message that cannot lie where it is said to, or whose id is another one's."""
    local = cluster.queue_manager.name
    known = {queue.name: queue for queue in cluster.queues if queue.queue_manager == local and queue.type == "QLOCAL"}
    seen: dict[str, int] = {}
    for position, message in enumerate(messages):
        if message.queue not in known:
            yield position, f"queue: {quoted(message.queue)} is no local queue of {quoted(local)}; it has to be one"
        elif known[message.queue].curdepth:
            yield position, f"queue: {quoted(message.queue)} has curdepth, too; allowed: one of curdepth and message"
        first = seen.setdefault(message.id, position)
        if first != position:
            yield position, f"id: {quoted(message.id)} is given twice; it stands in message {first + 1} too"
