"""Where an application stands in a queue: the current group of its gets and of its puts, and its browse cursor."""

from __future__ import annotations

from typing import NamedTuple

from mqclause.model.facts.message import ON_ITS_OWN, InItem, ItemKey, Message
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

    ``anchor`` is where the first message of its item lies, ``group`` the current group of browses.
    """

    at: tuple[int, int]
    anchor: tuple[int, int]
    group: CurrentGroup | None = None


class Position(NamedTuple):
    """Where one application stands in one queue. ``browsed`` has the messages that begin an item and were browsed.

    ``browses_logically`` is how a call has stated that it browses, None where none has.
    """

    gets: CurrentGroup | None = None
    puts: CurrentGroup | None = None
    cursor: Cursor | None = None
    browsed: SortedMap = None
    browses_logically: bool | None = None

    def getting(self, group: CurrentGroup | None) -> Position:
        """The same with another current group of gets."""
        return self if group is None and self.gets is None else self._replace(gets=group)

    def putting(self, group: CurrentGroup | None) -> Position:
        """The same with another current group of puts."""
        return self if group is None and self.puts is None else self._replace(puts=group)


NOWHERE = Position()


def group_with(message: Message | None, told: InItem, logical: bool) -> CurrentGroup | None:
    """The group of a message that a call returned or put, the last one if it was several; None if it ends with it."""
    if message is None or message.item == ON_ITS_OWN or told.ends_item:
        return None
    amid = not told.ends_message
    is_last = amid and message.item[0] == "group" and message.last_in_group
    return CurrentGroup(message.item, told.next, amid, logical, is_last)


def group_put(message: Message | None, told: InItem, logical: bool) -> CurrentGroup | None:
    """The same of a message that was put: also behind a segment without data more can be put."""
    group = group_with(message, told, logical)
    return group if message is None or group is None or group.next else group._replace(next=message.place)
