"""Open handles: who has which queue open, at which member of the queue-sharing group, and for what."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from attrs import evolve, field, frozen

from mqclause.model.facts.queue_call import INPUT_MODES


@frozen
class Handle:
    """What one open gave. ``queue`` is the name that was opened, ``base`` the queue that it resolved to.

    ``to_queue_manager`` is the queue manager that an open for output named.

    ``id`` is different for every open of a queue manager's life.
    """

    id: int
    application: str
    queue: str
    base: str
    mode: str
    queue_manager: str
    bind: str = "AS_Q_DEF"
    to_queue_manager: str = ""

    @property
    def removes(self) -> bool:
        """Whether OpenInputCount counts it."""
        return self.mode in INPUT_MODES


class Opens(NamedTuple):
    """How often one queue is open for input, here and at other queue managers."""

    shared_here: int = 0
    exclusive_here: int = 0
    shared_elsewhere: int = 0
    exclusive_elsewhere: int = 0

    @property
    def here(self) -> int:
        """OpenInputCount of the local queue manager."""
        return self.shared_here + self.exclusive_here

    @property
    def elsewhere(self) -> int:
        """The handles for input at other queue managers."""
        return self.shared_elsewhere + self.exclusive_elsewhere


NOT_OPEN = Opens()


@frozen(eq=False)
class Handles:
    """The open handles, oldest first. ``local`` names the local queue manager; ``next_id`` was not given yet.

    ``standing`` counts by local queue the handles for shared input that were there at the start: whose they are is
    not known, so nobody closes them.
    ``served_elsewhere`` are the queues that another queue manager has had open for shared input since the last time
    that nobody had them open for input.
    """

    local: str
    open: tuple[Handle, ...] = ()
    next_id: int = 0
    standing: Mapping[str, int] = field(factory=dict)
    served_elsewhere: frozenset[str] = frozenset()

    @cached_property
    def _opens(self) -> dict[str, Opens]:
        found = {queue: Opens(shared_here=count) for queue, count in self.standing.items()}
        for handle in self.open:
            if handle.removes:
                place = (handle.mode == "INPUT_EXCLUSIVE") + 2 * (handle.queue_manager != self.local)
                counts = list(found.get(handle.base, NOT_OPEN))
                counts[place] += 1
                found[handle.base] = Opens(*counts)
        return found

    def opens(self, queue: str) -> Opens:
        """How often the local or shared queue ``queue`` is open for input."""
        return self._opens.get(queue, NOT_OPEN)

    def opened_by_others(self, queue: str, application: str) -> int:
        """How many of the local queue manager's handles for input on ``queue`` are other applications'."""
        others = (each for each in self.open if each.base == queue and each.application != application)
        served = sum(each.removes and each.queue_manager == self.local for each in others)
        return served + self.standing.get(queue, 0)

    def latest(self, application: str, queue: str, queue_manager: str, mode: str | None = None) -> Handle | None:
        """The latest handle of an application on a queue (of one mode, if it is given) that is still open."""
        wanted = (application, queue, queue_manager)
        for handle in reversed(self.open):
            found = (handle.application, handle.queue, handle.queue_manager)
            if found == wanted and mode in (None, handle.mode):
                return handle
        return None

    def for_output(self, application: str, queue: str, to_queue_manager: str) -> Handle | None:
        """The latest handle of an application by which it puts to these names; None if there is none."""
        wanted = (application, queue, to_queue_manager, self.local, "OUTPUT")
        for each in reversed(self.open):
            if wanted == (each.application, each.queue, each.to_queue_manager, each.queue_manager, each.mode):
                return each
        return None

    def with_open(self, handle: Handle) -> Handles:
        """After the open that gave ``handle``."""
        served = self.served_elsewhere
        if handle.mode == "INPUT_SHARED" and handle.queue_manager != self.local:
            served |= {handle.base}
        return Handles(self.local, (*self.open, handle), max(self.next_id, handle.id + 1), self.standing, served)

    def without(self, handle: Handle) -> Handles:
        """After the close of ``handle``."""
        left = tuple(each for each in self.open if each.id != handle.id)
        after = Handles(self.local, left, self.next_id, self.standing, self.served_elsewhere)
        if handle.base in self.served_elsewhere and not any(after.opens(handle.base)):
            return evolve(after, served_elsewhere=self.served_elsewhere - {handle.base})
        return after

    def with_standing(self, queue: str, count: int) -> Handles:
        """With ``count`` handles on the local queue ``queue`` that were there at the start."""
        return Handles(self.local, self.open, self.next_id, {**self.standing, queue: count}, self.served_elsewhere)

    def all_closed(self) -> Handles:
        """After a restart."""
        return Handles(self.local, (), self.next_id)
