"""The messages on a queue over time, and where applications stand in it.

Messages with an identity of their own are found by it, too: by id, by correlation, and by their place in their item.

Values only: a put, a get or the end of a unit of work gives a new chain that shares what did not change. Each takes
a time that grows with the logarithm of the number of runs, and not with the number of messages.

A treap: ordered by key from left to right, and from top to bottom by a weight that is as good as random, so that every
way to a leaf is short. A value may be marked; a walk can skip those that are not, however many they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from mqclause.model.facts.messages import (
    HIGHEST_PRIORITY,
    SINGLE_MESSAGE,
    SINGLE_MESSAGE_ROLE,
    ItemKey,
    ItemRole,
    Message,
)
from mqclause.model.timeline.trigger_events import PRIORITIES

DELIVERY_ORDER = PRIORITIES[::-1]


class MessageLabels(NamedTuple):
    """The labels of the messages of a run, after the put that made each: its event and repetition.

    Each put made ``segments`` of them; the first of the run is number ``part`` of its put. Without ``repeat`` the puts
    are events in a row. A negative number is that of no event.
    """

    number: int = -1
    repeat: int = -1
    segments: int = 1
    part: int = 0

    def at(self, index: int) -> str:
        """Return the label of the message at ``index`` in the run, counted from 0."""
        number, repeat, _, _ = self.after(index) if index else self
        if number < 0:
            return "#"
        return f"#{number}" if repeat < 0 else f"#{number}.{repeat}"

    def after(self, size: int) -> MessageLabels:
        """Return the labels of what follows ``size`` messages."""
        number, repeat, segments, part = self
        if number < 0:
            return self
        puts, part = divmod(part + size, segments)
        if repeat < 0:
            return MessageLabels(number + puts, -1, segments, part)
        return MessageLabels(number, repeat + puts, segments, part)


UNLABELLED = MessageLabels()

MIXER = 0x9E3779B97F4A7C15
MASK = 2**64 - 1


class TreapNode(NamedTuple):
    """One entry; ``any_marked`` says whether it or one below it is marked."""

    key: Any
    value: Any
    marked: bool
    weight: int
    left: TreapNode | None
    right: TreapNode | None
    any_marked: bool


SortedMap = TreapNode | None
"""A map; None is the empty one."""


class MessageChain(NamedTuple):
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
    def of(cls, runs: list[MessageRun], uncommitted: int) -> MessageChain:
        """Chain these runs, oldest first, none of which joins another."""
        if not runs:
            return cls(uncommitted=uncommitted)
        older = _build_map((run.first, run, run.leads) for run in runs[:-1])
        return cls(older, runs[-1], sum(run.size for run in runs), uncommitted)

    def put(self, run: MessageRun) -> MessageChain:
        """Return the chain after messages were put outside syncpoint, behind all others."""
        last, committed = self.last, self.committed + run.size
        if last is None:
            return MessageChain(None, run, committed, self.uncommitted)
        if last.joins(run):
            return MessageChain(self.older, last.join_later(run), committed, self.uncommitted)
        return MessageChain(_pushed(self.older, last), run, committed, self.uncommitted)

    def put_uncommitted(self, count: int) -> MessageChain:
        """Return the chain after an open unit of work has put ``count`` messages."""
        return self._replace(uncommitted=self.uncommitted + count)

    def after_commit(self, run: MessageRun) -> MessageChain:
        """Return the chain after the unit of work that put ``run`` is committed: available, at the place of its put."""
        return self.after_get_backout(run)._replace(uncommitted=self.uncommitted - run.size)

    def after_put_backout(self, run: MessageRun) -> MessageChain:
        """Return the chain after the unit of work that put ``run`` is backed out."""
        return self._replace(uncommitted=self.uncommitted - run.size)

    def got(self, place: int) -> tuple[MessageRun, MessageChain]:
        """Take the available message at ``place``, as a run; there must be one. Also give the chain without it."""
        run = self.find_run(place)
        assert run is not None  # noqa: S101 - the caller's duty
        taken = run.select_part(place, place + 1)
        if run is self.last and run.first == place and run.size > 1:
            rest = run.select_part(place + 1, run.end)
            return taken, MessageChain(self.older, rest, self.committed - 1, self.uncommitted)
        left = self._without(run)
        for first, end in ((run.first, place), (place + 1, run.end)):
            if first < end:
                left = left._with(run.select_part(first, end))
        return taken, left._replace(committed=self.committed - 1)

    def find_run(self, place: int) -> MessageRun | None:
        """Find the run that has an available message at ``place``."""
        run = self.last
        if run is None or place < run.first:
            run = _find_last_before(self.older, place + 1)
        return run if run is not None and place < run.end else None

    def after_get_backout(self, run: MessageRun) -> MessageChain:
        """Return the chain after ``run`` became available (again), at its own place."""
        return self._with(run)._replace(committed=self.committed + run.size)

    def runs(self, place: int = 0, leading: bool = False) -> Iterator[MessageRun]:
        """List the available messages from a place on, oldest first; ``leading``: only those that can begin an item."""
        begun = self.find_run(place) if place else None
        if begun is not None and begun.first < place and (begun.leads or not leading):
            yield begun.select_part(place, begun.end)
        for _, run in _iterate_entries(self.older, place, leading):
            yield run
        if self.last is not None and self.last.first >= place and (self.last.leads or not leading):
            yield self.last

    def drop_nonpersistent(self) -> MessageChain:
        """Return the chain without non-persistent messages; no unit of work may have uncommitted messages here."""
        kept = EMPTY_CHAIN
        for run in self.runs():
            if run.persistent:
                kept = kept.after_get_backout(run)
        return kept

    def _with(self, run: MessageRun) -> MessageChain:
        older, last = self.older, self.last
        if last is None or last.first < run.first:
            if last is not None and last.joins(run):
                return self._replace(last=last.join_later(run))
            return self._replace(older=older if last is None else _pushed(older, last), last=run)
        if run.joins(last):
            return self._replace(last=run.join_later(last))
        return self._replace(older=_pushed(older, run))

    def _without(self, run: MessageRun) -> MessageChain:
        if run is self.last:
            newest = _find_last_before(self.older, run.first)
            older = self.older if newest is None else remove_key(self.older, newest.first)
            return self._replace(older=older, last=newest)
        return self._replace(older=remove_key(self.older, run.first))


def insert_entry(at: SortedMap, key: Any, value: Any, marked: bool = True) -> TreapNode:
    """Insert ``value`` under ``key``, in place of what was there."""
    return _inserted(remove_key(at, key), _entry(key, value, marked))


def remove_key(at: SortedMap, key: Any) -> SortedMap:
    """Remove the entry under ``key``, if there is one."""
    if at is None:
        return None
    if at.key == key:
        return _joined(at.left, at.right)
    if key < at.key:
        left = remove_key(at.left, key)
        return at if left is at.left else _above(at, left, at.right)
    right = remove_key(at.right, key)
    return at if right is at.right else _above(at, at.left, right)


def _build_map(entries: Iterable[tuple[Any, Any, bool]]) -> SortedMap:
    """Build the map of entries that come in the order of their keys: key, value, marked."""
    found: SortedMap = None
    for key, value, marked in entries:
        found = _joined(found, _entry(key, value, marked))
    return found


def _iterate_entries(at: SortedMap, key: Any = None, marked_only: bool = False) -> Iterator[tuple[Any, Any]]:
    """Iterate over the entries from ``key`` on (None: all), in the order of the keys."""
    waiting: list[TreapNode] = []
    while at is not None or waiting:
        while at is not None and (at.any_marked or not marked_only):
            if key is None or at.key >= key:
                waiting.append(at)
                at = at.left
            else:
                at = at.right
        if not waiting:
            return
        entry = waiting.pop()
        if entry.marked or not marked_only:
            yield entry.key, entry.value
        at = entry.right


def _find_last_before(at: SortedMap, key: Any) -> Any:
    """Find the value under the highest key that is below ``key``; None if there is none."""
    found = None
    while at is not None:
        if at.key < key:
            found, at = at.value, at.right
        else:
            at = at.left
    return found


def _entry(key: Any, value: Any, marked: bool) -> TreapNode:
    return TreapNode(key, value, marked, (hash(key) * MIXER) & MASK, None, None, marked)


def _above(entry: TreapNode, left: SortedMap, right: SortedMap) -> TreapNode:
    """The entry above these branches, in place of its own."""
    below = (left is not None and left.any_marked) or (right is not None and right.any_marked)
    return TreapNode(entry.key, entry.value, entry.marked, entry.weight, left, right, entry.marked or below)


def _inserted(at: SortedMap, entry: TreapNode) -> TreapNode:
    if at is None or entry.weight > at.weight:
        return _above(entry, *_split(at, entry.key))
    if entry.key < at.key:
        return _above(at, _inserted(at.left, entry), at.right)
    return _above(at, at.left, _inserted(at.right, entry))


def _split(at: SortedMap, key: Any) -> tuple[SortedMap, SortedMap]:
    """The entries below ``key`` and those above it."""
    if at is None:
        return None, None
    if at.key < key:
        left, right = _split(at.right, key)
        return _above(at, at.left, left), right
    left, right = _split(at.left, key)
    return left, _above(at, right, at.right)


def _joined(left: SortedMap, right: SortedMap) -> SortedMap:
    """The map of both, where every key of ``left`` is below every one of ``right``."""
    if left is None or right is None:
        return left or right
    if left.weight > right.weight:
        return _above(left, left.left, _joined(left.right, right))
    return _above(right, _joined(left, right.left), right.right)


EMPTY_CHAIN = MessageChain()
"""Where no message has been yet."""


class FoundMessage(NamedTuple):
    """A message as a get found it: the priority that it was enqueued with, and its place."""

    priority: int
    run: MessageRun


def _pushed(older: SortedMap, run: MessageRun) -> SortedMap:
    """``older`` with ``run``, which becomes part of a neighbour where the two join."""
    before = _find_last_before(older, run.first)
    if before is not None and before.joins(run):
        older, run = remove_key(older, before.first), before.join_later(run)
    _, after = next(_iterate_entries(older, run.end), (0, None))
    if after is not None and run.joins(after):
        older, run = remove_key(older, after.first), run.join_later(after)
    return insert_entry(older, run.first, run, run.leads)


class PutIdentity(NamedTuple):
    """The identity of the messages of a put: their labels, or the ``message`` and its role in its item."""

    labels: MessageLabels = UNLABELLED
    message: Message | None = None
    role: ItemRole = SINGLE_MESSAGE_ROLE


ANONYMOUS = PutIdentity()
"""Of messages that nothing tells apart."""


class QueueState(NamedTuple):
    """The messages of a queue by the priority that they were enqueued with, 0 to 9.

    ``committed`` counts the messages that are available, ``uncommitted`` those that an open unit of work has put.
    A message that a unit of work has got counts as gone from the moment of the get. ``known`` has the available
    messages with an identity, by what they are found by; those that are the first of an item are marked. ``arrived``
    is the place of the next message: how many have come, of any priority.
    """

    chains: tuple[MessageChain, ...] = (EMPTY_CHAIN,) * len(PRIORITIES)
    committed: int = 0
    uncommitted: int = 0
    known: SortedMap = None
    arrived: int = 0

    @property
    def depth(self) -> int:
        """CURDEPTH: messages on the queue, committed or not."""
        return self.committed + self.uncommitted

    def counted(self, counts: Mapping[int, bool]) -> tuple[int, int]:
        """Count the messages of a priority that ``counts``: committed ones, and all."""
        committed = uncommitted = 0
        if self.committed or self.uncommitted:
            for priority, chain in enumerate(self.chains):
                if chain is not EMPTY_CHAIN and (chain.committed or chain.uncommitted) and counts[priority]:
                    committed += chain.committed
                    uncommitted += chain.uncommitted
        return committed, committed + uncommitted

    def put(self, priority: int, count: int, persistent: bool, identity: PutIdentity = ANONYMOUS) -> QueueState:
        """Return the state after ``count`` messages, or the one message of ``identity``, put outside syncpoint."""
        run = MessageRun(self.arrived, count, persistent, *identity)
        chains, known = self._with(priority, self.chains[priority].put(run)), self.known
        if identity.message is not None:
            known = _knowing(known, FoundMessage(priority, run))
        return QueueState(chains, self.committed + count, self.uncommitted, known, self.arrived + count)

    def put_uncommitted(
        self, priority: int, count: int, persistent: bool, identity: PutIdentity = ANONYMOUS
    ) -> tuple[MessageRun, QueueState]:
        """Put messages within a unit of work: gives their run, and the queue with its places taken."""
        run = MessageRun(self.arrived, count, persistent, *identity)
        chains = self._with(priority, self.chains[priority].put_uncommitted(count))
        queue = QueueState(chains, self.committed, self.uncommitted + count, self.known, self.arrived + count)
        return run, queue

    @classmethod
    def from_messages(cls, messages: Iterable[tuple[int, Message, ItemRole]]) -> tuple[QueueState, list[FoundMessage]]:
        """Build a queue of messages with an identity, each with the priority that it is enqueued with.

        Given in the order of their arrival. Also those of them that a unit of work has put that is still open.
        """
        runs: tuple[list[MessageRun], ...] = tuple([] for _ in range(HIGHEST_PRIORITY + 1))
        uncommitted: list[FoundMessage] = []
        arrived = 0
        for priority, message, told in messages:
            run = MessageRun(arrived, 1, message.persistent, UNLABELLED, message, told)
            arrived = run.end
            if message.unit_of_work:
                uncommitted.append(FoundMessage(priority, run))
            else:
                runs[priority].append(run)
        waiting = Counter(found.priority for found in uncommitted)
        chains = tuple(MessageChain.of(of_priority, waiting[priority]) for priority, of_priority in enumerate(runs))
        found = [FoundMessage(at, run) for at, each in enumerate(runs) for run in each]
        entries = ((key, each, marked) for each in found for key, marked in _keys(each))
        known = _build_map(sorted(entries, key=lambda entry: entry[0]))
        return cls(chains, sum(map(len, runs)), len(uncommitted), known, arrived), uncommitted

    def first(self) -> FoundMessage | None:
        """Find the message that a plain get returns: the oldest available one of the highest priority, if any."""
        return next(self.runs(), None)

    def at(self, priority: int, place: int) -> FoundMessage | None:
        """Return the available message of a priority at a place."""
        run = self.chains[priority].find_run(place)
        return None if run is None else FoundMessage(priority, run.select_part(place, place + 1))

    def has(self, priority: int, place: int) -> bool:
        """Return whether an available message of a priority is at a place."""
        return self.chains[priority].find_run(place) is not None

    def got(self, found: FoundMessage | None = None) -> tuple[FoundMessage | None, QueueState]:
        """Take the available message that begins the run ``found`` (None: the first); also give the queue then."""
        found = found or self.first()
        if found is None:
            return None, self
        priority, wanted = found
        run, left = self.chains[priority].got(wanted.first)
        known = self.known if run.message is None else _forgetting(self.known, FoundMessage(priority, run))
        after = QueueState(self._with(priority, left), self.committed - 1, self.uncommitted, known, self.arrived)
        return FoundMessage(priority, run), after

    def item(self, key: ItemKey, place: tuple[int, int] = (0, 0), first_only: bool = False) -> Iterator[FoundMessage]:
        """List the messages of an item from a place on: in its sequence, those of one place in physical order.

        ``first_only``: those that are the first of it, as rules say.
        """
        for (*found, _, _, _, _), message in _iterate_entries(
            self.known, (*key, *place, -HIGHEST_PRIORITY, 0), first_only
        ):
            if tuple(found) != key:
                return
            yield message

    def find_item_start(self, key: ItemKey) -> FoundMessage | None:
        """Find the first message of an item: of several the one of the lowest place, in physical order."""
        return next(self.item(key, first_only=True), None)

    def find_matching(self, by: str, label: str) -> Iterator[FoundMessage]:
        """Find the messages with an identity whose ``id`` or ``correlation`` is ``label``, in physical order."""
        for (kind, found, *_), message in _iterate_entries(self.known, (by, label)):
            if (kind, found) != (by, label):
                return
            yield message

    def after_commit(self, priority: int, run: MessageRun) -> QueueState:
        """Return the state after the commit of the unit of work that put ``run``."""
        return self._changed(priority, self.chains[priority].after_commit(run))._known_by(priority, run)

    def after_put_backout(self, priority: int, run: MessageRun) -> QueueState:
        """Return the state after the backout of the unit of work that put ``run``."""
        after = self._changed(priority, self.chains[priority].after_put_backout(run))
        return after._replace(arrived=run.first) if run.end == self.arrived else after

    def after_own_get(self, priority: int) -> QueueState:
        """Return the state after a unit of work got a message that it had put itself; its place stays empty."""
        chain = self.chains[priority]
        return self._changed(priority, chain._replace(uncommitted=chain.uncommitted - 1))

    def after_get_backout(self, priority: int, run: MessageRun) -> QueueState:
        """Return the state after the backout of the unit of work that got ``run``: its messages are where they were."""
        return self._changed(priority, self.chains[priority].after_get_backout(run))._known_by(priority, run)

    def drop_nonpersistent(self) -> QueueState:
        """Return the state after a restart that found no open unit of work."""
        lost = [found for found in self.runs() if found.run.message is not None and not found.run.persistent]
        known = self.known
        for each in lost:
            known = _forgetting(known, each)
        return self._each(MessageChain.drop_nonpersistent)._replace(known=known)

    def after_clear(self) -> QueueState:
        """Return the state without messages, of which no unit of work has any; those that follow take later places."""
        return QueueState(arrived=self.arrived)

    def runs(self, priority: int = HIGHEST_PRIORITY, place: int = 0, leading: bool = False) -> Iterator[FoundMessage]:
        """List the available messages in the order in which gets deliver them, from a place on.

        ``leading``: only those that can be the first of an item of the logical order.
        """
        for each in DELIVERY_ORDER[HIGHEST_PRIORITY - priority :]:
            chain = self.chains[each]
            if chain.committed:
                for run in chain.runs(place if each == priority else 0, leading):
                    yield FoundMessage(each, run)

    def _with(self, priority: int, chain: MessageChain) -> tuple[MessageChain, ...]:
        chains = self.chains
        return (*chains[:priority], chain, *chains[priority + 1 :])

    def _changed(self, priority: int, chain: MessageChain) -> QueueState:
        before = self.chains[priority]
        return QueueState(
            self._with(priority, chain),
            self.committed + chain.committed - before.committed,
            self.uncommitted + chain.uncommitted - before.uncommitted,
            self.known,
            self.arrived,
        )

    def _known_by(self, priority: int, run: MessageRun) -> QueueState:
        return self if run.message is None else self._replace(known=_knowing(self.known, FoundMessage(priority, run)))

    def _each(self, change: Callable[[MessageChain], MessageChain]) -> QueueState:
        chains = tuple(map(change, self.chains))
        committed, uncommitted = sum(each.committed for each in chains), sum(each.uncommitted for each in chains)
        return QueueState(chains, committed, uncommitted, arrived=self.arrived)


class MessageRun(NamedTuple):
    """``size`` messages put one after the other; ``first`` is the place of the first: how many the queue got before.

    A ``message`` that has an identity of its own is a run by itself; ``told`` is what rules say of it in its item.
    """

    first: int
    size: int
    persistent: bool
    labels: MessageLabels = UNLABELLED
    message: Message | None = None
    told: ItemRole = SINGLE_MESSAGE_ROLE

    @property
    def end(self) -> int:
        """The place after the last message."""
        return self.first + self.size

    @property
    def leads(self) -> bool:
        """Whether each of its messages can be the first of an item of the logical order."""
        return self.told.is_first

    def label(self, place: int) -> str:
        """Return the label of the message at a place."""
        return self.labels.at(place - self.first) if self.message is None else self.message.id

    def places_of(self, label: str) -> range:
        """Find the places of the messages that are called ``label``: those that one put made."""
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

    def select_part(self, first: int, end: int) -> MessageRun:
        """Return its messages from the place ``first`` to the one before ``end``."""
        begun, _, persistent, labels, message, told = self
        return MessageRun(
            first, end - first, persistent, labels.after(first - begun) if first > begun else labels, message, told
        )

    def joins(self, later: MessageRun) -> bool:
        """Return whether ``later`` follows with no place between, and can be one run with this one."""
        return (
            self.first + self.size == later.first
            and self.persistent is later.persistent
            and self.message is None
            and later.message is None
            and self.labels.after(self.size) == later.labels
        )

    def join_later(self, later: MessageRun) -> MessageRun:
        """Join this run and the one that follows it."""
        return MessageRun(self.first, self.size + later.size, self.persistent, self.labels)


def _keys(found: FoundMessage) -> Iterator[tuple[tuple[object, ...], bool]]:
    """What a message with an identity is found by, and whether it is the first of its item there.

    The last parts are its place in physical order.
    """
    message, at = found.run.message, (-found.priority, found.run.first)
    if message is not None:
        yield ("id", message.id, *at), False
        if message.correlation:
            yield ("correlation", message.correlation, *at), False
        if message.item != SINGLE_MESSAGE:
            yield (*message.item, *message.place, *at), found.run.told.is_first


def _knowing(known: SortedMap, found: FoundMessage) -> SortedMap:
    for key, is_first in _keys(found):
        known = insert_entry(known, key, found, is_first)
    return known


def _forgetting(known: SortedMap, found: FoundMessage) -> SortedMap:
    for key, _ in _keys(found):
        known = remove_key(known, key)
    return known


EMPTY_QUEUE = QueueState()
"""A queue without messages."""


class ApplicationPosition(NamedTuple):
    """Where one application stands in one queue. ``browsed`` has the messages that begin an item and were browsed.

    ``browses_logically`` is how a call has stated that it browses, None where none has.
    """

    gets: CurrentGroup | None = None
    puts: CurrentGroup | None = None
    cursor: Cursor | None = None
    browsed: SortedMap = None
    browses_logically: bool | None = None


NOWHERE = ApplicationPosition()


def get_value(at: SortedMap, key: Any) -> Any:
    """Return the value under ``key``; None if there is none."""
    while at is not None:
        if at.key == key:
            return at.value
        at = at.left if key < at.key else at.right
    return None


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


def get_current_group(message: Message | None, told: ItemRole, logical: bool) -> CurrentGroup | None:
    """Return the group of a message that a call returned or put, the last of several; None if it ends with it."""
    if message is None or message.item == SINGLE_MESSAGE or told.ends_item:
        return None
    amid = not told.ends_message
    is_last = amid and message.item[0] == "group" and message.last_in_group
    return CurrentGroup(message.item, told.next, amid, logical, is_last)


def get_put_group(message: Message | None, told: ItemRole, logical: bool) -> CurrentGroup | None:
    """Return the current group after a put; behind a segment without data more can be put."""
    group = get_current_group(message, told, logical)
    return group if message is None or group is None or group.next else group._replace(next=message.place)
