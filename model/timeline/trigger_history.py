"""Trigger messages: when one was last written for each queue, and those that a unit of work holds back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from attrs import evolve, field, frozen

from mqclause.model.timeline.message_chain import MessageRun


@frozen
class HeldTrigger:
    """``count`` trigger messages for ``queue`` that wait for the end of ``unit_of_work``.

    ``trigtype`` is the trigger type that they were written for, ``event`` the number of the event that wrote
    them. Their ids are ``id`` and the ``count - 1`` that follow it. ``run`` is where they lie on ``initq``, by their
    ``priority``; None if they could not be put there.
    """

    id: int
    queue: str
    initq: str
    trigtype: str
    unit_of_work: str
    event: int
    count: int = 1
    priority: int = 0
    run: MessageRun | None = None


class Waiting(NamedTuple):
    """The latest trigger messages that a unit of work holds back, and those before."""

    latest: HeldTrigger
    before: Waiting | None


@frozen(eq=False)
class TriggerHistory:
    """``last`` holds the time (ms) of the last trigger message for each queue since the start at ``started`` (ms).

    ``waiting`` holds by unit of work what it holds back; ``next_id`` was not given to a held message yet.
    """

    last: Mapping[str, int] = field(factory=dict)
    waiting: Mapping[str, Waiting | None] = field(factory=dict)
    next_id: int = 0
    started: int = 0

    def written(self, queue: str, now: int) -> TriggerHistory:
        """After a trigger message for ``queue``."""
        return TriggerHistory({**self.last, queue: now}, self.waiting, self.next_id, self.started)

    def holding(self, made: HeldTrigger) -> TriggerHistory:
        """With one more message held back."""
        before = self.waiting.get(made.unit_of_work)
        latest = before.latest if before else None
        if before and latest and _one_run(latest, made):
            run = latest.run.with_later(made.run) if latest.run and made.run else None
            longer = evolve(latest, count=latest.count + made.count, run=run)
            held = Waiting(longer, before.before)
        else:
            held = Waiting(made, before)
        return TriggerHistory(self.last, {**self.waiting, made.unit_of_work: held}, made.id + made.count, self.started)

    def held(self, unit_of_work: str) -> tuple[HeldTrigger, ...]:
        """What ``unit_of_work`` holds back, in the order of writing."""
        found = []
        at = self.waiting.get(unit_of_work)
        while at is not None:
            found.append(at.latest)
            at = at.before
        return tuple(found[::-1])

    def without(self, released: Iterable[HeldTrigger]) -> TriggerHistory:
        """With ``released`` no longer held back."""
        gone = {each.id for each in released}
        waiting: dict[str, Waiting | None] = {}
        for unit_of_work in self.waiting:
            kept: Waiting | None = None
            for each in self.held(unit_of_work):
                kept = kept if each.id in gone else Waiting(each, kept)
            if kept is not None:
                waiting[unit_of_work] = kept
        return TriggerHistory(self.last, waiting, self.next_id, self.started)

    def restarted(self, now: int) -> TriggerHistory:
        """After a restart at ``now``: nothing written yet, nothing held back."""
        return TriggerHistory(next_id=self.next_id, started=now)


def _kind(held: HeldTrigger) -> tuple[str, str, str, str, int, int]:
    return held.queue, held.initq, held.trigtype, held.unit_of_work, held.event, held.priority


def _one_run(earlier: HeldTrigger, later: HeldTrigger) -> bool:
    """Whether ``later`` follows ``earlier`` at once, from the same event and for the same queue, and so it lies."""
    if earlier.id + earlier.count != later.id or _kind(earlier) != _kind(later):
        return False
    if earlier.run is None or later.run is None:
        return earlier.run is later.run
    return earlier.run.joins(later.run)
