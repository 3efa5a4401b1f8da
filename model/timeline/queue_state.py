"""The messages on one local queue: a chain for each priority, delivered from the highest priority, oldest first.

Messages with an identity of their own are found by it, too: by id, by correlation, and by their place in their item.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from mqclause.model.facts.message import HIGHEST_PRIORITY, OF_ITS_OWN, ON_ITS_OWN, InItem, ItemKey, Message
from mqclause.model.timeline.judge import PRIORITIES
from mqclause.model.timeline.message_chain import EMPTY_CHAIN, UNLABELLED, Chain, Labels, MessageRun
from mqclause.model.timeline.sorted_map import SortedMap, entries_from, of_sorted, with_entry, without_key

DELIVERY_ORDER = PRIORITIES[::-1]


class Got(NamedTuple):
    """A message as a get found it: the priority that it was enqueued with, and its place."""

    priority: int
    run: MessageRun


class QueueState(NamedTuple):
    """The messages of a queue by the priority that they were enqueued with, 0 to 9.

    ``committed`` counts the messages that are available, ``uncommitted`` those that an open unit of work has put.
    A message that a unit of work has got counts as gone from the moment of the get. ``known`` has the available
    messages with an identity, by what they are found by; those that are the first of an item are marked. ``arrived``
    is the place of the next message: how many have come, of any priority.
    """

    chains: tuple[Chain, ...] = (EMPTY_CHAIN,) * len(PRIORITIES)
    committed: int = 0
    uncommitted: int = 0
    known: SortedMap = None
    arrived: int = 0

    @property
    def depth(self) -> int:
        """CURDEPTH: messages on the queue, committed or not."""
        return self.committed + self.uncommitted

    def counted(self, counts: Mapping[int, bool]) -> tuple[int, int]:
        """How many messages are of a priority that ``counts``: committed ones, and all."""
        committed = uncommitted = 0
        if self.committed or self.uncommitted:
            for priority, chain in enumerate(self.chains):
                if chain is not EMPTY_CHAIN and (chain.committed or chain.uncommitted) and counts[priority]:
                    committed += chain.committed
                    uncommitted += chain.uncommitted
        return committed, committed + uncommitted

    def put(
        self,
        priority: int,
        count: int,
        persistent: bool,
        labels: Labels = UNLABELLED,
        message: Message | None = None,
        told: InItem = OF_ITS_OWN,
    ) -> QueueState:
        """After ``count`` messages put outside syncpoint, or the one ``message`` that has an identity."""
        run = MessageRun(self.arrived, count, persistent, labels, message, told)
        chains, known = self._with(priority, self.chains[priority].put(run)), self.known
        if message is not None:
            known = _knowing(known, Got(priority, run))
        return QueueState(chains, self.committed + count, self.uncommitted, known, self.arrived + count)

    def put_uncommitted(
        self,
        priority: int,
        count: int,
        persistent: bool,
        labels: Labels = UNLABELLED,
        message: Message | None = None,
        told: InItem = OF_ITS_OWN,
    ) -> tuple[MessageRun, QueueState]:
        """The run that a unit of work puts, and the queue with its places taken."""
        run = MessageRun(self.arrived, count, persistent, labels, message, told)
        chains = self._with(priority, self.chains[priority].put_uncommitted(count))
        queue = QueueState(chains, self.committed, self.uncommitted + count, self.known, self.arrived + count)
        return run, queue

    @classmethod
    def lying(cls, messages: Iterable[tuple[int, Message, InItem]]) -> tuple[QueueState, list[Got]]:
        """A queue on which messages with an identity lie, each with the priority that it is enqueued with.

        Given in the order of their arrival. Also those of them that a unit of work has put that is still open.
        """
        runs: tuple[list[MessageRun], ...] = tuple([] for _ in range(HIGHEST_PRIORITY + 1))
        uncommitted: list[Got] = []
        arrived = 0
        for priority, message, told in messages:
            run = MessageRun(arrived, 1, message.persistent, UNLABELLED, message, told)
            arrived = run.end
            if message.unit_of_work:
                uncommitted.append(Got(priority, run))
            else:
                runs[priority].append(run)
        waiting = Counter(found.priority for found in uncommitted)
        chains = tuple(Chain.of(of_priority, waiting[priority]) for priority, of_priority in enumerate(runs))
        found = [Got(at, run) for at, each in enumerate(runs) for run in each]
        entries = ((key, each, marked) for each in found for key, marked in _keys(each))
        known = of_sorted(sorted(entries, key=lambda entry: entry[0]))
        return cls(chains, sum(map(len, runs)), len(uncommitted), known, arrived), uncommitted

    def first(self) -> Got | None:
        """What a plain get finds: the oldest available message of the highest priority, if there is any."""
        return next(self.runs(), None)

    def at(self, priority: int, place: int) -> Got | None:
        """The available message of a priority at a place."""
        run = self.chains[priority].run_at(place)
        return None if run is None else Got(priority, run.part_of(place, place + 1))

    def has(self, priority: int, place: int) -> bool:
        """Whether an available message of a priority is at a place."""
        return self.chains[priority].run_at(place) is not None

    def got(self, found: Got | None = None) -> tuple[Got | None, QueueState]:
        """The available message that begins the run ``found`` (None: the first one), and the queue without it."""
        found = found or self.first()
        if found is None:
            return None, self
        priority, wanted = found
        run, left = self.chains[priority].got(wanted.first)
        known = self.known if run.message is None else _forgetting(self.known, Got(priority, run))
        after = QueueState(self._with(priority, left), self.committed - 1, self.uncommitted, known, self.arrived)
        return Got(priority, run), after

    def item(self, key: ItemKey, place: tuple[int, int] = (0, 0), first_only: bool = False) -> Iterator[Got]:
        """The messages of an item from a place on: in its sequence, those of one place in physical order.

        ``first_only``: those that are the first of it, as rules say.
        """
        for (*found, _, _, _, _), message in entries_from(self.known, (*key, *place, -HIGHEST_PRIORITY, 0), first_only):
            if tuple(found) != key:
                return
            yield message

    def first_of(self, key: ItemKey) -> Got | None:
        """The message that is the first of an item: of several the one of the lowest place, in physical order."""
        return next(self.item(key, first_only=True), None)

    def matching(self, by: str, label: str) -> Iterator[Got]:
        """The messages with an identity whose ``id`` or ``correlation`` is ``label``, in physical order."""
        for (kind, found, *_), message in entries_from(self.known, (by, label)):
            if (kind, found) != (by, label):
                return
            yield message

    def committed_put(self, priority: int, run: MessageRun) -> QueueState:
        """After the commit of the unit of work that put ``run``."""
        return self._changed(priority, self.chains[priority].committed_put(run))._known_by(priority, run)

    def withdrawn(self, priority: int, run: MessageRun) -> QueueState:
        """After the backout of the unit of work that put ``run``."""
        after = self._changed(priority, self.chains[priority].withdrawn(run))
        return after._replace(arrived=run.first) if run.end == self.arrived else after

    def withdrawn_one(self, priority: int) -> QueueState:
        """After a unit of work got a message that it had put itself; its place stays empty."""
        chain = self.chains[priority]
        return self._changed(priority, chain._replace(uncommitted=chain.uncommitted - 1))

    def brought_back(self, priority: int, run: MessageRun) -> QueueState:
        """After the backout of the unit of work that got ``run``: its messages are where they were."""
        return self._changed(priority, self.chains[priority].brought_back(run))._known_by(priority, run)

    def persistent_only(self) -> QueueState:
        """After a restart that found no open unit of work."""
        lost = [found for found in self.runs() if found.run.message is not None and not found.run.persistent]
        known = self.known
        for each in lost:
            known = _forgetting(known, each)
        return self._each(Chain.persistent_only)._replace(known=known)

    def cleared(self) -> QueueState:
        """After all messages were removed, of which no unit of work has any; those that follow take later places."""
        return QueueState(arrived=self.arrived)

    def runs(self, priority: int = HIGHEST_PRIORITY, place: int = 0, leading: bool = False) -> Iterator[Got]:
        """The available messages in the order in which gets deliver them, from a place on.

        ``leading``: only those that can be the first of an item of the logical order.
        """
        for each in DELIVERY_ORDER[HIGHEST_PRIORITY - priority :]:
            chain = self.chains[each]
            if chain.committed:
                for run in chain.runs(place if each == priority else 0, leading):
                    yield Got(each, run)

    def _with(self, priority: int, chain: Chain) -> tuple[Chain, ...]:
        chains = self.chains
        return (*chains[:priority], chain, *chains[priority + 1 :])

    def _changed(self, priority: int, chain: Chain) -> QueueState:
        before = self.chains[priority]
        return QueueState(
            self._with(priority, chain),
            self.committed + chain.committed - before.committed,
            self.uncommitted + chain.uncommitted - before.uncommitted,
            self.known,
            self.arrived,
        )

    def _known_by(self, priority: int, run: MessageRun) -> QueueState:
        return self if run.message is None else self._replace(known=_knowing(self.known, Got(priority, run)))

    def _each(self, change: Callable[[Chain], Chain]) -> QueueState:
        chains = tuple(map(change, self.chains))
        committed, uncommitted = sum(each.committed for each in chains), sum(each.uncommitted for each in chains)
        return QueueState(chains, committed, uncommitted, arrived=self.arrived)


def _keys(found: Got) -> Iterator[tuple[tuple[object, ...], bool]]:
    """What a message with an identity is found by, and whether it is the first of its item there.

    The last parts are its place in physical order.
    """
    message, at = found.run.message, (-found.priority, found.run.first)
    if message is not None:
        yield ("id", message.id, *at), False
        if message.correlation:
            yield ("correlation", message.correlation, *at), False
        if message.item != ON_ITS_OWN:
            yield (*message.item, *message.place, *at), found.run.told.is_first


def _knowing(known: SortedMap, found: Got) -> SortedMap:
    for key, is_first in _keys(found):
        known = with_entry(known, key, found, is_first)
    return known


def _forgetting(known: SortedMap, found: Got) -> SortedMap:
    for key, _ in _keys(found):
        known = without_key(known, key)
    return known


EMPTY_QUEUE = QueueState()
"""A queue without messages."""
