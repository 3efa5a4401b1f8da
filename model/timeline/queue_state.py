"""The messages on one local queue: a chain for each priority, delivered from the highest priority, oldest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from mqclause.model.timeline.judge import PRIORITIES
from mqclause.model.timeline.message_chain import Chain, MessageRun

DELIVERY_ORDER = PRIORITIES[::-1]


class Got(NamedTuple):
    """A message as a get found it: the priority that it was enqueued with, and its place."""

    priority: int
    run: MessageRun


class QueueState(NamedTuple):
    """The messages of a queue by the priority that they were enqueued with, 0 to 9.

    ``committed`` counts the messages that are available, ``uncommitted`` those that an open unit of work has put.
    A message that a unit of work has got counts as gone from the moment of the get.
    """

    chains: tuple[Chain, ...] = (Chain(),) * len(PRIORITIES)
    committed: int = 0
    uncommitted: int = 0

    @property
    def depth(self) -> int:
        """CURDEPTH: messages on the queue, committed or not."""
        return self.committed + self.uncommitted

    def counted(self, counts: Mapping[int, bool]) -> tuple[int, int]:
        """How many messages are of a priority that ``counts``: committed ones, and all."""
        committed = uncommitted = 0
        if self.committed or self.uncommitted:
            for priority, chain in enumerate(self.chains):
                if (chain.committed or chain.uncommitted) and counts[priority]:
                    committed += chain.committed
                    uncommitted += chain.uncommitted
        return committed, committed + uncommitted

    def put(self, priority: int, count: int, persistent: bool) -> QueueState:
        """After ``count`` messages put outside syncpoint."""
        chain = self.chains[priority].put(count, persistent)
        return QueueState(self._with(priority, chain), self.committed + count, self.uncommitted)

    def put_uncommitted(self, priority: int, count: int, persistent: bool) -> tuple[MessageRun, QueueState]:
        """The run that a unit of work puts, and the queue with it."""
        run, chain = self.chains[priority].put_uncommitted(count, persistent)
        return run, QueueState(self._with(priority, chain), self.committed, self.uncommitted + count)

    def got(self) -> tuple[Got | None, QueueState]:
        """What a get finds: the oldest available message of the highest priority, or None."""
        if self.committed:
            for priority in DELIVERY_ORDER:
                chain = self.chains[priority]
                if chain.committed:
                    run, left = chain.got()
                    after = QueueState(self._with(priority, left), self.committed - 1, self.uncommitted)
                    return Got(priority, run), after
        return None, self

    def committed_put(self, priority: int, run: MessageRun) -> QueueState:
        """After the commit of the unit of work that put ``run``."""
        return self._changed(priority, self.chains[priority].committed_put(run))

    def withdrawn(self, priority: int, run: MessageRun) -> QueueState:
        """After the backout of the unit of work that put ``run``."""
        return self._changed(priority, self.chains[priority].withdrawn(run))

    def brought_back(self, priority: int, run: MessageRun) -> QueueState:
        """After the backout of the unit of work that got ``run``: its messages are where they were."""
        return self._changed(priority, self.chains[priority].brought_back(run))

    def persistent_only(self) -> QueueState:
        """After a restart that found no open unit of work."""
        return self._each(Chain.persistent_only)

    def runs(self) -> Iterator[Got]:
        """The available messages in the order in which gets deliver them."""
        for priority in DELIVERY_ORDER:
            for run in self.chains[priority].runs():
                yield Got(priority, run)

    def _with(self, priority: int, chain: Chain) -> tuple[Chain, ...]:
        chains = self.chains
        return (*chains[:priority], chain, *chains[priority + 1 :])

    def _changed(self, priority: int, chain: Chain) -> QueueState:
        before = self.chains[priority]
        return QueueState(
            self._with(priority, chain),
            self.committed + chain.committed - before.committed,
            self.uncommitted + chain.uncommitted - before.uncommitted,
        )

    def _each(self, change: Callable[[Chain], Chain]) -> QueueState:
        chains = tuple(map(change, self.chains))
        return QueueState(chains, sum(chain.committed for chain in chains), sum(chain.uncommitted for chain in chains))


EMPTY_QUEUE = QueueState()
"""A queue without messages."""
