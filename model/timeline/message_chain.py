"""The messages of one queue and one priority: runs of like messages in the order of their puts.

Values only: a put, a get or the end of a unit of work gives a new chain that shares what did not change. Each takes
a time that grows with the logarithm of the number of runs, and not with the number of messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class MessageRun(NamedTuple):
    """``size`` messages put one after the other; ``first`` is the place of the first in the chain."""

    first: int
    size: int
    persistent: bool

    @property
    def end(self) -> int:
        """The place after the last message."""
        return self.first + self.size

    def joins(self, later: MessageRun) -> bool:
        """Whether ``later`` follows with no place between, and can be one run with this one."""
        return self.first + self.size == later.first and self.persistent is later.persistent

    def with_later(self, later: MessageRun) -> MessageRun:
        """This run and the one that joins it."""
        return MessageRun(self.first, self.size + later.size, self.persistent)


class HeapNode(NamedTuple):
    """A leftist heap of runs: the oldest on top, the shorter way to a leaf on the right."""

    rank: int
    run: MessageRun
    left: HeapNode | None
    right: HeapNode | None


def merged(one: HeapNode | None, other: HeapNode | None) -> HeapNode | None:
    """The heap of the runs of both."""
    if one is None:
        return other
    if other is None:
        return one
    if other.run.first < one.run.first:
        one, other = other, one
    left, right = one.left, merged(one.right, other)
    if left is None or (right is not None and left.rank < right.rank):
        left, right = right, left
    return HeapNode(right.rank + 1 if right is not None else 1, one.run, left, right)


def runs_of(heap: HeapNode | None) -> Iterator[MessageRun]:
    """Every run in ``heap``, in no order."""
    waiting = [heap]
    while waiting:
        node = waiting.pop()
        if node is not None:
            yield node.run
            waiting += (node.left, node.right)


class Chain(NamedTuple):
    """The available messages (``last`` the newest run, ``older`` all others) and how many there are.

    ``end`` is the place of the next put, ``uncommitted`` how many messages units of work have put and not yet
    committed. A message that a unit of work has got is no longer here; a backout brings it back to its place.
    """

    end: int = 0
    older: HeapNode | None = None
    last: MessageRun | None = None
    committed: int = 0
    uncommitted: int = 0

    def put(self, count: int, persistent: bool) -> Chain:
        """After ``count`` messages put outside syncpoint."""
        last, end, committed = self.last, self.end + count, self.committed + count
        run = MessageRun(self.end, count, persistent)
        if last is None:
            return Chain(end, None, run, committed, self.uncommitted)
        if last.joins(run):
            return Chain(end, self.older, last.with_later(run), committed, self.uncommitted)
        older = merged(self.older, HeapNode(1, last, None, None))
        return Chain(end, older, run, committed, self.uncommitted)

    def put_uncommitted(self, count: int, persistent: bool) -> tuple[MessageRun, Chain]:
        """The run that a unit of work puts, and the chain with its places taken."""
        run = MessageRun(self.end, count, persistent)
        return run, self._replace(end=run.end, uncommitted=self.uncommitted + count)

    def committed_put(self, run: MessageRun) -> Chain:
        """After the unit of work that put ``run`` is committed: available, at the place of its put."""
        return self.brought_back(run)._replace(uncommitted=self.uncommitted - run.size)

    def withdrawn(self, run: MessageRun) -> Chain:
        """After the unit of work that put ``run`` is backed out."""
        end = run.first if run.end == self.end else self.end
        return self._replace(end=end, uncommitted=self.uncommitted - run.size)

    def got(self) -> tuple[MessageRun, Chain]:
        """The oldest available message and the chain without it; there must be one."""
        if self.older is None:
            assert self.last is not None  # noqa: S101 - the caller's duty
            taken, left = _first_of(self.last)
            return taken, self._replace(last=left, committed=self.committed - 1)
        rank, run, before, after = self.older
        taken, left = _first_of(run)
        older = merged(before, after) if left is None else HeapNode(rank, left, before, after)
        return taken, self._replace(older=older, committed=self.committed - 1)

    def brought_back(self, run: MessageRun) -> Chain:
        """After ``run`` became available (again), at its own place."""
        older, last = self._with(run)
        return self._replace(older=older, last=last, committed=self.committed + run.size)

    def _with(self, run: MessageRun) -> tuple[HeapNode | None, MessageRun]:
        older, last = self.older, self.last
        if last is None:
            return older, run
        if last.first < run.first:
            return (older, last.with_later(run)) if last.joins(run) else (_pushed(older, last), run)
        if run.joins(last):
            return older, run.with_later(last)
        return _pushed(older, run), last

    def runs(self) -> list[MessageRun]:
        """The available messages, oldest first."""
        return sorted((*runs_of(self.older), *((self.last,) if self.last else ())))

    def persistent_only(self) -> Chain:
        """After the loss of the non-persistent messages; no unit of work may have uncommitted messages here."""
        kept = Chain(self.end)
        for run in self.runs():
            if run.persistent:
                kept = kept.brought_back(run)
        return kept


def _first_of(run: MessageRun) -> tuple[MessageRun, MessageRun | None]:
    first, size, persistent = run
    rest = MessageRun(first + 1, size - 1, persistent) if size > 1 else None
    return MessageRun(first, 1, persistent), rest


def _pushed(heap: HeapNode | None, run: MessageRun) -> HeapNode | None:
    """``heap`` with ``run``, which becomes part of the oldest run where the two join."""
    if heap is not None:
        if run.joins(heap.run):
            return heap._replace(run=run.with_later(heap.run))
        if heap.run.joins(run):
            return heap._replace(run=heap.run.with_later(run))
    return merged(heap, HeapNode(1, run, None, None))
