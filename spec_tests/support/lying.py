"""A message as it lies on a queue, its item, and where an application stands among them: searched for in lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define

Call = Mapping[str, Any]


@define(eq=False)
class Lying:
    """A message: its item (kind and label, or None), where it lies (from the highest priority, by arrival)."""

    id: str
    at: tuple[int, int]
    item: tuple[str, str] | None = None
    sequence: int = 1
    offset: int = 0
    length: int = 100
    last_in_group: bool = False
    segment: bool = False
    last_segment: bool = False
    correlation: str = ""
    persistent: bool = True
    put_by: str = ""
    got_by: str = ""

    @property
    def grouped(self) -> bool:
        return self.item is not None and self.item[0] == "group"

    @property
    def place(self) -> tuple[int, int]:
        return self.sequence, self.offset

    @property
    def begins_last(self) -> bool:
        return not self.segment or self.last_segment

    @property
    def ends(self) -> bool:
        return self.item is None or (self.begins_last and (self.last_in_group or not self.grouped))

    @property
    def following(self) -> tuple[int, int] | None:
        if self.ends:
            return None
        if self.begins_last:
            return self.sequence + 1, 0
        return (self.sequence, self.offset + self.length) if self.length else None


@define
class Group:
    """A group that is begun: what comes next, whether a logical message is begun, whether by LOGICAL_ORDER."""

    item: tuple[str, str]
    next: tuple[int, int] | None
    amid: bool
    logical: bool
    is_last: bool


@define
class Browse:
    """The message under the cursor, where a browse goes on, how it was begun, its group."""

    at: tuple[int, int]
    anchor: tuple[int, int]
    logical: bool
    group: Group | None


@define
class Stand:
    """Where an application stands."""

    gets: Group | None = None
    puts: Group | None = None
    browse: Browse | None = None
    logically: bool | None = None


def lying(number: int, given: Call) -> Lying:
    """The message of a table, arrived as ``number``."""
    group, in_group = given.get("group", ""), given.get("in_group", True)
    segment = given.get("segment", False) or given.get("last_segment", False)
    item = ("group" if in_group else "segmented", group) if group and (in_group or segment) else None
    return Lying(
        given["id"],
        (-min(given.get("priority", 0), 9), number),
        item,
        given.get("sequence", 1) if item and item[0] == "group" else 1,
        given.get("offset", 0) if item and segment else 0,
        given.get("length", 100),
        given.get("last_in_group", False) and item is not None and item[0] == "group",
        segment and item is not None,
        given.get("last_segment", False) and item is not None,
        given.get("correlation", ""),
        given.get("persistent", True),
        given.get("unit_of_work", ""),
    )


def group_after(message: Lying, logical: bool) -> Group | None:
    """The current group after a call that returned or put a message."""
    if message.ends or message.item is None:
        return None
    amid = not message.begins_last
    return Group(message.item, message.following, amid, logical, amid and message.last_in_group)


def fits(call: Call, each: Lying) -> bool:
    """Whether a message is the one that is asked for."""
    has = {
        "id": each.id,
        "correlation": each.correlation,
        "group": each.item[1] if each.item else "",
        "sequence": each.sequence,
        "offset": each.offset,
    }
    return all(has[key] == value for key, value in call.get("match", {}).items())


def first_of(seen: Sequence[Lying], each: Lying) -> Lying | None:
    """The first message of a message's item."""
    return each if each.item is None else next((one for one in of_item(seen, each) if one.place == (1, 0)), None)


def of_item(seen: Sequence[Lying], of: Lying) -> list[Lying]:
    return [each for each in seen if each.item == of.item]


def chain(seen: Sequence[Lying], first: Lying | None) -> Iterator[Lying]:
    """A message and what follows it in its item without a gap."""
    while first is not None:
        yield first
        following = first.following
        first = next((each for each in of_item(seen, first) if each.place == following), None) if following else None


def whole_of(seen: Sequence[Lying], first: Lying) -> list[Lying]:
    """The segments of the logical message that a message begins; none if one is missing."""
    if not first.segment:
        return [first]
    found = []
    for each in chain(seen, first):
        found.append(each)
        if each.begins_last:
            return found
    return []


def available(seen: Sequence[Lying], each: Lying, options: set[str]) -> bool:
    """Whether a message may be returned under options on what has to be there."""
    begins = next((one for one in of_item(seen, each) if one.item and one.place == (each.sequence, 0)), None)
    complete = not each.segment or (begins is not None and bool(whole_of(seen, begins)))
    if "COMPLETE_MSG" in options and (each.offset or not complete or (each.segment and each is not begins)):
        return False
    if options & {"ALL_SEGMENTS_AVAILABLE", "ALL_MSGS_AVAILABLE"} and not complete:
        return False
    if "ALL_MSGS_AVAILABLE" in options and each.grouped:
        line = list(chain(seen, first_of(seen, each)))
        return bool(line) and line[-1].ends
    return True
