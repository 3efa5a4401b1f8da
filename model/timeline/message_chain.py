"""The messages of one queue and one priority: runs of like messages in the order of their puts.

Values only: a put, a get or the end of a unit of work gives a new chain that shares what did not change. Each takes
a time that grows with the logarithm of the number of runs, and not with the number of messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mqclause.model.facts.message import OF_ITS_OWN, InItem, Message
from mqclause.model.timeline.sorted_map import SortedMap, entries_from, last_before, of_sorted, with_entry, without_key


class Labels(NamedTuple):
    """How the messages of a run are called: after the put that made each, by its event and repetition.

    Each put made ``segments`` of them; the first of the run is number ``part`` of its put. Without ``repeat`` the puts
    are events in a row. A negative number is that of no event.
    """

    number: int = -1
    repeat: int = -1
    segments: int = 1
    part: int = 0

    def at(self, index: int) -> str:
        """The label of the message at ``index`` in the run, counted from 0."""
        number, repeat, _, _ = self.after(index) if index else self
        if number < 0:
            return "#"
        return f"#{number}" if repeat < 0 else f"#{number}.{repeat}"

    def after(self, size: int) -> Labels:
        """The labels of what follows ``size`` messages."""
        number, repeat, segments, part = self
        if number < 0:
            return self
        puts, part = divmod(part + size, segments)
        if repeat < 0:
            return Labels(number + puts, -1, segments, part)
        return Labels(number, repeat + puts, segments, part)


UNLABELLED = Labels()


class MessageRun(NamedTuple):
    """``size`` messages put one after the other; ``first`` is the place of the first: how many the queue got before.

    A ``message`` that has an identity of its own is a run by itself; ``told`` is what rules say of it in its item.
    """

    first: int
    size: int
    persistent: bool
    labels: Labels = UNLABELLED
    message: Message | None = None
    told: InItem = OF_ITS_OWN

    @property
    def end(self) -> int:
        """The place after the last message."""
        return self.first + self.size

    @property
    def leads(self) -> bool:
        """Whether each of its messages can be the first of an item of the logical order."""
        return self.told.is_first

    def label(self, place: int) -> str:
        """How the message at a place is called."""
        return self.labels.at(place - self.first) if self.message is None else self.message.id

    def places_of(self, label: str) -> range:
        """The places of the messages that are called ``label``: those that one put made."""
        if self.message is not None:
            return range(self.first, self.first + (self.message.id == label))
        number, dot, repeat = label.removeprefix("#").partition(".")
        known, begun, segments, part = self.labels
        if not number.isdecimal() or known < 0 or bool(dot) != (begun >= 0) or (dot and not repeat.isdecimal()):
            return range(0)
        puts = int(repeat) - begun if dot else int(number) - known
        if dot and int(number) != known:
            return range(0)
        start = self.first + puts * segments - part
        found = range(max(start, self.first), min(start + segments, self.end))
        return found if found and self.label(found[0]) == label else range(0)

    def part_of(self, first: int, end: int) -> MessageRun:
        """Its messages from the place ``first`` to the one before ``end``."""
        begun, _, persistent, labels, message, told = self
        return MessageRun(
            first, end - first, persistent, labels.after(first - begun) if first > begun else labels, message, told
        )

    def joins(self, later: MessageRun) -> bool:
        """Whether ``later`` follows with no place between, and can be one run with this one."""
        return (
            self.first + self.size == later.first
            and self.persistent is later.persistent
            and self.message is None
            and later.message is None
            and self.labels.after(self.size) == later.labels
        )

    def with_later(self, later: MessageRun) -> MessageRun:
        """This run and the one that joins it."""
        return MessageRun(self.first, self.size + later.size, self.persistent, self.labels)


class Chain(NamedTuple):
    """The available messages (``last`` the newest run, ``older`` all others) and how many there are.

    Without a last run the chain is empty. ``uncommitted`` is how many messages units
    of work have put and not yet committed. A message that a unit of work has got is no longer here; a backout brings it
    back to its place.
    """

    older: SortedMap = None
    last: MessageRun | None = None
    committed: int = 0
    uncommitted: int = 0

    @classmethod
    def of(cls, runs: list[MessageRun], uncommitted: int) -> Chain:
        """The chain of these runs, oldest first, none of which joins another."""
        if not runs:
            return cls(uncommitted=uncommitted)
        older = of_sorted((run.first, run, run.leads) for run in runs[:-1])
        return cls(older, runs[-1], sum(run.size for run in runs), uncommitted)

    def put(self, run: MessageRun) -> Chain:
        """After messages were put outside syncpoint, behind all others."""
        last, committed = self.last, self.committed + run.size
        if last is None:
            return Chain(None, run, committed, self.uncommitted)
        if last.joins(run):
            return Chain(self.older, last.with_later(run), committed, self.uncommitted)
        return Chain(_pushed(self.older, last), run, committed, self.uncommitted)

    def put_uncommitted(self, count: int) -> Chain:
        """After a unit of work put so many."""
        return self._replace(uncommitted=self.uncommitted + count)

    def committed_put(self, run: MessageRun) -> Chain:
        """After the unit of work that put ``run`` is committed: available, at the place of its put."""
        return self.brought_back(run)._replace(uncommitted=self.uncommitted - run.size)

    def withdrawn(self, run: MessageRun) -> Chain:
        """After the unit of work that put ``run`` is backed out."""
        return self._replace(uncommitted=self.uncommitted - run.size)

    def got(self, place: int) -> tuple[MessageRun, Chain]:
        """The available message at ``place``, as a run, and the chain without it; there must be one."""
        run = self.run_at(place)
        assert run is not None  # noqa: S101 - the caller's duty
        taken = run.part_of(place, place + 1)
        if run is self.last and run.first == place and run.size > 1:
            rest = run.part_of(place + 1, run.end)
            return taken, Chain(self.older, rest, self.committed - 1, self.uncommitted)
        left = self._without(run)
        for first, end in ((run.first, place), (place + 1, run.end)):
            if first < end:
                left = left._with(run.part_of(first, end))
        return taken, left._replace(committed=self.committed - 1)

    def run_at(self, place: int) -> MessageRun | None:
        """The run that has an available message at ``place``."""
        run = self.last
        if run is None or place < run.first:
            run = last_before(self.older, place + 1)
        return run if run is not None and place < run.end else None

    def brought_back(self, run: MessageRun) -> Chain:
        """After ``run`` became available (again), at its own place."""
        return self._with(run)._replace(committed=self.committed + run.size)

    def runs(self, place: int = 0, leading: bool = False) -> Iterator[MessageRun]:
        """The available messages from a place on, oldest first; ``leading``: only those that can begin an item."""
        begun = self.run_at(place) if place else None
        if begun is not None and begun.first < place and (begun.leads or not leading):
            yield begun.part_of(place, begun.end)
        for _, run in entries_from(self.older, place, leading):
            yield run
        if self.last is not None and self.last.first >= place and (self.last.leads or not leading):
            yield self.last

    def persistent_only(self) -> Chain:
        """After the loss of the non-persistent messages; no unit of work may have uncommitted messages here."""
        kept = EMPTY_CHAIN
        for run in self.runs():
            if run.persistent:
                kept = kept.brought_back(run)
        return kept

    def _with(self, run: MessageRun) -> Chain:
        older, last = self.older, self.last
        if last is None or last.first < run.first:
            if last is not None and last.joins(run):
                return self._replace(last=last.with_later(run))
            return self._replace(older=older if last is None else _pushed(older, last), last=run)
        if run.joins(last):
            return self._replace(last=run.with_later(last))
        return self._replace(older=_pushed(older, run))

    def _without(self, run: MessageRun) -> Chain:
        if run is self.last:
            newest = last_before(self.older, run.first)
            older = self.older if newest is None else without_key(self.older, newest.first)
            return self._replace(older=older, last=newest)
        return self._replace(older=without_key(self.older, run.first))


EMPTY_CHAIN = Chain()
"""Where no message has been yet."""


def _pushed(older: SortedMap, run: MessageRun) -> SortedMap:
    """``older`` with ``run``, which becomes part of a neighbour where the two join."""
    before = last_before(older, run.first)
    if before is not None and before.joins(run):
        older, run = without_key(older, before.first), before.with_later(run)
    _, after = next(entries_from(older, run.end), (0, None))
    if after is not None and run.joins(after):
        older, run = without_key(older, after.first), run.with_later(after)
    return with_entry(older, run.first, run, run.leads)
