"""A queue as one call sees it: which messages may be looked at, in which order, and what each is in its item.

What is found here is what the rules of retrieval may be asked about; they decide which of it is returned. A walk
leaves out only what the rules would leave out whatever they saw of it, so that a call does not look at all of a queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import merge
from typing import Any

from attrs import define, frozen

from mqclause.model.facts.message import HIGHEST_PRIORITY, ITEM_KINDS, ON_ITS_OWN, ItemKey, Message
from mqclause.model.facts.retrieval import NO_PLACE, QueuedMessage
from mqclause.model.timeline.message_chain import MessageRun
from mqclause.model.timeline.positions import CurrentGroup, Position
from mqclause.model.timeline.queue_state import Got, QueueState
from mqclause.model.timeline.sorted_map import value_at

CHEAP = ("item_priority", "item_arrival", "leads", "first_there", "repeated")
"""What is told of a message by the first of its item; the rest takes a walk along the item."""

TOLD = (
    "is_first", "ends_message", "ends_item", "followed_by_sequence", "followed_by_offset", "length", "begins_message",
)  # fmt: skip
"""What was told of a message when it was put."""

Place = tuple[int, int]
"""A priority and a place of the queue, or MsgSeqNumber and Offset."""


@define(eq=False)
class SeenMessage(QueuedMessage):
    """A message of a view. What it is in its item is found out when a rule asks."""

    view: QueueView | None = None
    found: Got | None = None

    def __getattr__(self, name: str) -> Any:
        view = object.__getattribute__(self, "view")
        if view is None or name.startswith("__"):
            raise AttributeError(name)
        view.tell(self, name)
        return object.__getattribute__(self, name)


NO_UNITS: Mapping[Place, str] = {}


@frozen(eq=False)
class QueueView:
    """The messages of ``queue`` that a call may see, for an application that stands at ``position``.

    ``uncommitted`` gives those that it may not see, as the unit of work that put them is open; ``units`` are those
    open ones that have put some that it may see, by their places. ``begun_by`` says which application has got
    messages of an item, None if nobody has; ``by`` is the one that calls.
    """

    queue: QueueState
    position: Position
    uncommitted: Callable[[], Iterator[tuple[str, Got]]] = tuple  # type: ignore[assignment]
    units: Mapping[Place, str] = NO_UNITS
    begun_by: Callable[[ItemKey], str | None] = {}.get  # type: ignore[assignment]
    by: str = ""

    def everything(self) -> Iterator[SeenMessage]:
        """The messages in physical order with those that the call may not see, as their units of work are open."""
        hidden = sorted(self.uncommitted(), key=lambda each: (-each[1].priority, each[1].run.first))
        return merge(self._each(("", found) for found in self.queue.runs()), self._each(hidden),
                     key=_in_physical_order)  # fmt: skip

    def _each(self, runs: Iterable[tuple[str, Got]]) -> Iterator[SeenMessage]:
        """Every message of ``runs``, also where several are alike, with the unit of work that has it."""
        for unit, (priority, run) in runs:
            for place in range(run.first, run.end):
                seen = self.seen(Got(priority, run.part_of(place, place + 1)))
                seen.unit_of_work = unit
                yield seen

    def each_of(self, listed: Iterable[SeenMessage]) -> Iterator[SeenMessage]:
        """The messages that are listed, and those like them, of which the first alone is."""
        for seen in listed:
            yield seen
            if seen.found is not None:
                priority, run = seen.found
                for place in range(run.first + 1, run.end):
                    yield self.seen(Got(priority, run.part_of(place, place + 1)))

    def physical(self, behind: tuple[int, int] | None = None, leading: bool = False) -> Iterator[SeenMessage]:
        """The messages in physical order, of like ones the first; ``behind`` a place; ``leading``: that begin items."""
        priority, place = behind if behind is not None else (HIGHEST_PRIORITY, -1)
        for found in self.queue.runs(priority, place + 1, leading):
            yield self.seen(found)

    def labelled(self, label: str, behind: tuple[int, int] | None = None) -> Iterator[SeenMessage]:
        """The messages that are called ``label``, in physical order."""
        known = [found for found in self.queue.matching("id", label) if _is_behind(found, behind)]
        if known or not label.startswith("#"):
            yield from map(self.seen, known)
            return
        for priority, run in self.queue.runs():
            if run.message is None:
                for place in run.places_of(label):
                    found = Got(priority, run.part_of(place, run.end))
                    if _is_behind(found, behind):
                        yield self.seen(found)

    def correlated(self, label: str, behind: tuple[int, int] | None = None) -> Iterator[SeenMessage]:
        """The messages whose CorrelId is ``label``, in physical order."""
        return (self.seen(found) for found in self.queue.matching("correlation", label) if _is_behind(found, behind))

    def grouped(self, label: str, behind: tuple[int, int] | None = None) -> Iterator[SeenMessage]:
        """The messages whose GroupId is ``label``, in physical order."""
        members = [found for kind in ITEM_KINDS for found in self.queue.item((kind, label))]
        members.sort(key=lambda found: (-found.priority, found.run.first))
        return (self.seen(found) for found in members if _is_behind(found, behind))

    def at(self, priority: int, place: int) -> SeenMessage | None:
        """The message at a place."""
        found = self.queue.at(priority, place)
        return None if found is None else self.seen(found)

    def of_item(self, item: ItemKey, place: Place | None) -> SeenMessage | None:
        """The message at a place of an item: of several the first in physical order."""
        if place is None:
            return None
        found = next(self.queue.item(item, place), None)
        return self.seen(found) if found is not None and _place(found) == place else None

    def line(self, first: SeenMessage | None) -> Iterator[SeenMessage]:
        """A message and what follows it in its item without a gap: no message comes twice."""
        at, before = first, NO_PLACE
        while at is not None and at.found is not None and at.message is not None and before < at.message.place:
            yield at
            before = at.message.place
            at = self.of_item(at.message.item, at.found.run.told.next)

    def whole(self, first: SeenMessage) -> list[SeenMessage]:
        """The logical message that ``first`` begins, segment by segment, up to its last one or to the first gap."""
        segments = []
        for each in self.line(first):
            segments.append(each)
            if each.found is None or each.found.run.told.ends_message:
                break
        return segments or [first]

    def seen(self, found: Got) -> SeenMessage:
        """A message as the rules see it: the first of a run."""
        priority, run = found
        seen: SeenMessage = SeenMessage.__new__(SeenMessage)
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

    def _identified(self, seen: SeenMessage) -> None:
        message, cursor = seen.message, self.position.cursor
        assert message is not None  # noqa: S101 - told to the type checker
        seen.correlation = message.correlation
        if message.item == ON_ITS_OWN:
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
        seen.browsed = browsed is not None and bool(value_at(browsed, (-seen.priority, seen.arrival)))
        if not seen.segment:
            seen.segments_end, seen.message_ends_group = True, seen.last_in_group

    def _is_next(self, seen: SeenMessage, message: Message, group: CurrentGroup | None) -> bool:
        """Whether a message is what comes next in a current group: of several at its place the first."""
        if group is None or (message.item, message.place) != (group.item, group.next):
            return False
        first = next(self.queue.item(message.item, message.place), None)
        return first is not None and (first.priority, first.run.first) == (seen.priority, seen.arrival)

    def tell(self, seen: SeenMessage, name: str) -> None:
        """Tells a message what it is in its item: by what was told of it, by the first one, or by a walk."""
        assert seen.found is not None  # noqa: S101 - told to the type checker
        if name in TOLD:
            _tell(seen, seen.found.run)
        elif seen.message is None or not seen.group_id:
            raise AttributeError(name)
        elif name in CHEAP:
            self._tell_of_first(seen, seen.message)
        elif name in ("segments_end", "message_ends_group"):
            self._tell_of_segments(seen, seen.message)
        elif name == "begun_by_another":
            seen.begun_by_another = self.begun_by(seen.message.item) not in (None, self.by)
        else:
            self._tell_of_all(seen, seen.message)

    def _tell_of_first(self, seen: SeenMessage, message: Message) -> None:
        first, spot = self.queue.first_of(message.item), (seen.priority, seen.arrival)
        stands_at = first or next(self.queue.item(message.item), None)
        same = next(self.queue.item(message.item, message.place), None)
        seen.first_there = first is not None
        seen.leads = first is not None and spot == _spot(first)
        seen.repeated = same is not None and _place(same) == message.place and spot != _spot(same)
        seen.item_priority, seen.item_arrival = (0, 0) if stands_at is None else _spot(stands_at)

    def _tell_of_segments(self, seen: SeenMessage, message: Message) -> None:
        found = next(self.queue.item(message.item, (seen.sequence, 0)), None)
        begins = self.seen(found) if found is not None and _place(found)[0] == seen.sequence else None
        last = self.whole(begins)[-1] if begins is not None and begins.begins_message else None
        seen.segments_end = last is not None and last.ends_message
        seen.message_ends_group = last is not None and last.ends_message and last.last_in_group

    def _tell_of_all(self, seen: SeenMessage, message: Message) -> None:
        """Walks along the item from its first message."""
        first, spot = self.queue.first_of(message.item), (seen.priority, seen.arrival)
        last, seen.in_line = None, False
        for last in self.line(None if first is None else self.seen(first)):
            seen.in_line = seen.in_line or (last.priority, last.arrival) == spot
        seen.line_ends = last is not None and last.ends_item
        last_place = last.message.place if last is not None and last.message is not None else NO_PLACE
        seen.behind_end = seen.line_ends and message.place > last_place
        earliest = min(((-each.priority, each.run.first) for each in self.queue.item(message.item)), default=(0, 0))
        seen.earliest_priority, seen.earliest_arrival = -earliest[0], earliest[1]


def _spot(found: Got) -> Place:
    return found.priority, found.run.first


def _tell(seen: SeenMessage, run: MessageRun) -> None:
    """What was told of a message when it was put."""
    seen.is_first, seen.begins_message, seen.ends_message, seen.ends_item, following = run.told
    seen.followed_by_sequence, seen.followed_by_offset = following or (0, 0)
    seen.length = run.message.length if run.message is not None else 0


def _in_physical_order(seen: SeenMessage) -> tuple[int, int]:
    return -seen.priority, seen.arrival


def _on_its_own(seen: SeenMessage, correlation: str = "") -> None:
    """What is true of a message that is an item by itself."""
    seen.correlation, seen.group_id, seen.in_group, seen.sequence, seen.offset = correlation, "", False, 1, 0
    seen.last_in_group = seen.segment = seen.last_segment = seen.repeated = seen.message_ends_group = False
    seen.behind_end = seen.next_of_gets = seen.next_of_browse = seen.browsed = seen.begun_by_another = False
    seen.leads = seen.first_there = seen.in_line = seen.line_ends = seen.segments_end = seen.begins_message = True
    seen.item_priority = seen.earliest_priority = seen.priority
    seen.item_arrival = seen.earliest_arrival = seen.arrival


def _place(found: Got) -> tuple[int, int]:
    assert found.run.message is not None  # noqa: S101 - what is in an item has an identity
    return found.run.message.place


def _is_behind(found: Got, behind: tuple[int, int] | None) -> bool:
    return behind is None or (-found.priority, found.run.first) > (-behind[0], behind[1])
