"""What an open unit of work has done: its puts and gets, kept as runs until it ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mqclause.model.timeline.message_chain import MessageRun


class Done(NamedTuple):
    """Messages that a unit of work has put or got, and what it did before.

    ``priority`` is the one that they were enqueued with, ``segments`` how many messages each put made: 0 for a get.
    """

    queue: str
    is_put: bool
    priority: int
    segments: int
    run: MessageRun
    before: Done | None

    def is_like(self, other: Done) -> bool:
        """Whether both are the same but for the place of their messages."""
        return self[:4] == other[:4]


UnitOfWork = Done | None
"""An open unit of work: the latest thing that it did; None if it did nothing yet."""


def put_in(unit: UnitOfWork, queue: str, priority: int, segments: int, run: MessageRun) -> Done:
    """The unit of work after a put."""
    return _after(unit, Done(queue, True, priority, segments, run, unit))


def got_in(unit: UnitOfWork, queue: str, priority: int, run: MessageRun) -> Done:
    """The unit of work after a get."""
    return _after(unit, Done(queue, False, priority, 0, run, unit))


def without_put(unit: UnitOfWork, queue: str, priority: int, place: int) -> UnitOfWork:
    """The unit of work after it got a message that it had put itself: as though it had never put it."""
    kept: UnitOfWork = None
    for done in oldest_first(unit):
        run = done.run
        if done.is_put and (done.queue, done.priority) == (queue, priority) and run.first <= place < run.end:
            for part, segments in _left(done, place):
                kept = done._replace(run=part, segments=segments, before=kept)
        else:
            kept = done._replace(before=kept)
    return kept


def _left(done: Done, place: int) -> Iterator[tuple[MessageRun, int]]:
    """What the puts ``done`` leave without the message at ``place``, each with how many messages a put made of it."""
    each = done.segments
    begun = place - (place - done.run.first) % each
    end = begun + each
    for first, last, segments in (
        (done.run.first, begun, each),
        (begun, place, place - begun),
        (place + 1, end, end - place - 1),
        (end, done.run.end, each),
    ):
        if first < last:
            yield done.run.part_of(first, last), segments


def newest_first(unit: UnitOfWork) -> Iterator[Done]:
    """What the unit of work did, backwards."""
    while unit is not None:
        yield unit
        unit = unit.before


def count_on(unit: UnitOfWork, queue: str) -> int:
    """How many messages the unit of work has put on, or got from, a queue."""
    return sum(done.run.size for done in newest_first(unit) if done.queue == queue)


def oldest_first(unit: UnitOfWork) -> list[Done]:
    """What the unit of work did, in order."""
    return list(newest_first(unit))[::-1]


def _after(unit: UnitOfWork, done: Done) -> Done:
    if unit is not None and unit.run.joins(done.run) and unit.is_like(done):
        return done._replace(run=unit.run.with_later(done.run), before=unit.before)
    return done
