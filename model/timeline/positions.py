"""Where an application stands in a queue: the current group of its gets and of its puts, and its browse cursor."""

from __future__ import annotations

from typing import NamedTuple

from mqclause.model.facts.message import ON_ITS_OWN, ItemKey, Message
from mqclause.model.timeline.sorted_map import SortedMap


class CurrentGroup(NamedTuple):
    """A group, or a segmented message in no group, that is begun and not ended.

    ``next`` is the MsgSeqNumber and Offset of what comes next, None if nothing can. ``amid`` says that a logical
    message is begun; ``logical`` that the last call had LOGICAL_ORDER; ``is_last`` that the logical message which is
    begun is the last of its group.
    """

    item: ItemKey
    next: tuple[int, int] | None
    amid: bool
    logical: bool
    is_last: bool = False


class Cursor(NamedTuple):
    """A browse: where the message under the cursor lies (priority and place), and how the browse goes on.

    ``anchor`` is where the first message of its item lies, ``group`` the current group of browses. ``logical`` is how
    the browse was begun.
    """

    at: tuple[int, int]
    anchor: tuple[int, int]
    logical: bool
    group: CurrentGroup | None = None


class Position(NamedTuple):
    """Where one application stands in one queue. ``browsed`` has the messages that begin an item and were browsed."""

    gets: CurrentGroup | None = None
    puts: CurrentGroup | None = None
    cursor: Cursor | None = None
    browsed: SortedMap = None

    def getting(self, group: CurrentGroup | None) -> Position:
        """The same with another current group of gets."""
        return self if group is None and self.gets is None else self._replace(gets=group)

    def putting(self, group: CurrentGroup | None) -> Position:
        """The same with another current group of puts."""
        return self if group is None and self.puts is None else self._replace(puts=group)


NOWHERE = Position()


def group_after(message: Message | None, logical: bool) -> CurrentGroup | None:
    """The current group after a call that returned or put ``message``, the last one if it was several."""
    if message is None or message.item == ON_ITS_OWN or message.ends_item:
        return None
    amid = not message.ends_message
    is_last = amid and message.item[0] == "group" and message.last_in_group
    return CurrentGroup(message.item, message.next_place, amid, logical, is_last)


def group_put(message: Message | None, logical: bool) -> CurrentGroup | None:
    """The current group after a put of ``message``: also behind a segment without data more can be put."""
    group = group_after(message, logical)
    return group if message is None or group is None or group.next else group._replace(next=message.place)
