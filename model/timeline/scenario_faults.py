"""What can be wrong with one event of a scenario: its keys, its values, the objects that it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from attrs import field, frozen

from mqclause.model.diagnostic import DomainError, given_as, quoted, suggestion
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import Maker, Words
from mqclause.model.facts.objects import Channel, Queue, QueueManager, RemoteQueueManager
from mqclause.model.facts.queue_call import MODES, READING_MODES
from mqclause.model.timeline.administered import administration_faults
from mqclause.model.timeline.alteration import ALTERABLE, Altered, objects, unknown
from mqclause.model.timeline.beside import MESSAGE_KEYS, beside_each_other
from mqclause.model.timeline.definitions import Definitions
from mqclause.model.timeline.event import (
    ADMINISTRATIVE,
    EVENT_WORD,
    SUSPEND_MODES,
    Event,
    EventError,
    event_label,
)

_KEYS: dict[str, tuple[str, ...]] = {
    "put": (
        "queue",
        "to_queue_manager",
        "priority",
        "unit_of_work",
        "segments",
        "by",
        "persistent",
        "cluster_pcf",
        "count",
        *MESSAGE_KEYS,
    ),
    "get": ("queue", "unit_of_work", "count", "by", "options", "match"),
    "open": ("queue", "queue_manager", "by", "mode", "bind", "to_queue_manager"),
    "close": ("queue", "queue_manager", "by"),
    "commit": ("unit_of_work",),
    "backout": ("unit_of_work",),
    "alter": ("queue", "channel", "queue_manager", "set"),
    "clear": ("queue",),
    "restart": (),
    "advance": (),
    "suspend": ("queue_manager", "cluster", "mode"),
    "resume": ("queue_manager", "cluster"),
    "refresh": ("cluster", "repos"),
    "fail": ("queue_manager",),
    "recover": ("queue_manager",),
    "arrive": ("queue", "id", "persistent", "bound"),
}

EVENT_KEYS: dict[str, tuple[str, ...]] = {kind: ("do", "at", *keys) for kind, keys in _KEYS.items()}
"""The keys that each kind of event takes, in the order of messages."""

TAKEN_KEYS: dict[str, frozenset[str]] = {kind: frozenset(keys) for kind, keys in EVENT_KEYS.items()}
"""The same to look them up."""

NEEDED_KEYS: dict[str, tuple[str, ...]] = {
    "put": ("queue",),
    "get": ("queue",),
    "open": ("queue",),
    "close": ("queue",),
    "commit": ("unit_of_work",),
    "backout": ("unit_of_work",),
    "alter": ("set",),
    "clear": ("queue",),
    "restart": (),
    "advance": (),
    "suspend": ("cluster",),
    "resume": ("cluster",),
    "refresh": ("cluster",),
    "fail": ("queue_manager",),
    "recover": ("queue_manager",),
    "arrive": ("queue", "id"),
}
"""The keys that must be given, and not blank."""

ALTERABLE_OBJECTS: dict[type, str] = {
    Queue: "queue",
    Channel: "channel",
    QueueManager: "local queue manager",
    RemoteQueueManager: "remote queue manager",
}

MOST_TAKERS = 3
"""A key that no more kinds of events than these take is told with them."""

OUTPUT_KEYS = ("bind", "to_queue_manager")
"""The keys of an open that say where messages are put."""

_domains = Maker(Event).domains

KEY_DOMAINS = {("open", "mode"): Words(MODES), ("suspend", "mode"): Words(SUSPEND_MODES)}
"""Where the domain of a key is another for one kind of event."""


def has_own_words(event: Event, row: Mapping[str, object]) -> bool:
    """Whether the keys of ``row`` that have a domain of their own for this kind of event are in it."""
    domains = ((key, KEY_DOMAINS[kind, key]) for kind, key in KEY_DOMAINS if kind == event.do and key in row)
    return all(getattr(event, key) in domain.words for key, domain in domains)


def event_faults(position: int, row: object) -> Iterator[str]:
    """Every fault of one table's own keys and values."""
    if not isinstance(row, Mapping):
        yield f"{event_label(position, None)}: {quoted(row)} is given where a table is expected"
        return
    label = event_label(position, row.get("do"))
    try:
        kind: str | None = EVENT_WORD(row["do"], "do") if "do" in row else None
    except DomainError as error:
        kind = None
        yield f"{label}: {error}"
    if "do" not in row:
        yield f"{label}: do is missing; it must be given"
    for key, value in row.items():
        if key != "do":
            yield from (f"{label}: {message}" for message in _key_faults(kind, key, value))
    if kind:
        yield from (f"{label}: {message}" for message in _combination_faults(kind, row))


def _key_faults(kind: str | None, key: object, value: object) -> Iterator[str]:
    listed = EVENT_KEYS[kind] if kind else tuple(_domains)
    if key not in listed:
        known = isinstance(key, str) and key in _domains
        what = f"{'an' if kind and kind[0] in 'ao' else 'a'} {kind} takes no key" if known else "unknown key"
        near = suggestion(key, listed) if isinstance(key, str) and not known else ""
        takers = [each for each in TAKEN_KEYS if key in TAKEN_KEYS[each]] if known else []
        of = f"; {key} is of {' and '.join(takers)}" if kind and 0 < len(takers) <= MOST_TAKERS else ""
        yield f"{what} {quoted(key)}{given_as(key, value)}; allowed: {', '.join(listed)}{near or of}"
        return
    try:
        KEY_DOMAINS.get((kind or "", str(key)), _domains[str(key)])(value, str(key))
    except DomainError as error:
        yield str(error)


def _combination_faults(kind: str, row: Mapping[str, object]) -> Iterator[str]:
    for key in NEEDED_KEYS[kind]:
        given = row.get(key)
        if key not in row:
            yield f"{key} is missing; it must be given"
        elif given == {} or (isinstance(given, str) and not given.rstrip(" ")):
            yield f"{key}: {quoted(given)} is not allowed; it must name something"
    mode = row.get("mode", "INPUT_SHARED")
    if kind == "open" and isinstance(mode, str) and mode.upper() != "OUTPUT":
        for key in OUTPUT_KEYS:
            if row.get(key):
                yield f"{key}: {quoted(row[key])} is not allowed with mode {quoted(mode)}; allowed with OUTPUT only"
    if kind in ("put", "get"):
        yield from beside_each_other(row)


@frozen(eq=False)
class Referenced:
    """Checks events against the objects of ``cluster``."""

    cluster: Cluster
    _seen: dict[tuple[str, ...], tuple[str, ...]] = field(factory=dict, init=False)
    _elsewhere: set[str] = field(factory=set, init=False)

    @cached_property
    def definitions(self) -> Definitions:
        """How the names resolve at the local queue manager."""
        return Definitions(self.cluster)

    def faults_of(self, event: Event) -> tuple[str, ...]:
        """What is wrong with the objects that ``event`` names."""
        if event.do == "alter":
            return tuple(self._alter_faults(event))
        if event.do in ADMINISTRATIVE:
            return tuple(administration_faults(self.cluster, event))
        if not event.queue:
            return ()
        if event.to_queue_manager not in ("", self.cluster.queue_manager.name):
            self._elsewhere.add(event.queue)
            return ()  # the queue's name is for that queue manager to resolve
        if event.do == "close" and event.queue in self._elsewhere:
            return ()  # whether it was opened there is known when the event is reached
        key = (event.do, event.queue, event.queue_manager, event.mode)
        if key not in self._seen:
            self._seen[key] = tuple(self._call_faults(event))
        return self._seen[key]

    def _call_faults(self, event: Event) -> Iterator[str]:
        own = self.cluster.queue_manager.name
        member = event.queue_manager or own
        if member != own and member not in self.cluster.remote:
            yield unknown("queue_manager", member, (own, *self.cluster.remote))
        elif refusal := self.cluster.refusal(event.queue, member):
            yield refusal
        elif event.queue not in self.cluster.queues_by_name:
            yield unknown("queue", event.queue, self.cluster.queues_by_name)
        elif event.do == "clear":
            if self.definitions.local_queue(event.queue) is None:
                yield f"queue {quoted(event.queue)} is no local queue of {quoted(member)}; a clear needs one"
        elif event.do == "get" or (event.do == "open" and event.mode in READING_MODES):
            what = "a get" if event.do == "get" else f"mode {event.mode}"
            if not self._readable(event.queue, member):
                yield f"queue {quoted(event.queue)} resolves to no local queue of {quoted(member)}; {what} needs one"

    def _readable(self, name: str, member: str) -> bool:
        """Whether an open of ``name`` for input at ``member`` can be asked: local there, shared, or others' alone."""
        base, own = self.definitions.base(name), self.cluster.queue_manager.name
        if member == own:
            return base is not None or self._of_others(name)
        if base is not None and base.shared:
            return True
        # Of another member's aliases we know only those that are clustered; their targets are its own affair.
        instances = self.cluster.queues_by_name[name]
        return any(queue.queue_manager == member and queue.type != "QREMOTE" for queue in instances)

    def _of_others(self, name: str) -> bool:
        """Whether a name, or what its own alias stands for, is known as a queue of other queue managers alone."""
        here = self.cluster.own_queues.get(name)
        known = name if here is None else here.base_queue
        others = self.cluster.queues_by_name.get(known, ())
        return known not in self.cluster.own_queues and bool(others)

    def _alter_faults(self, event: Event) -> Iterator[str]:
        try:
            found = objects(self.cluster, event)
        except EventError as error:
            yield str(error)
            return
        known = ALTERABLE[type(found[0])]
        for name, value in event.set.items():
            if name not in known:
                what = f"a {ALTERABLE_OBJECTS[type(found[0])]} has no attribute {quoted(name)} to alter"
                listed = f"allowed: {', '.join(known)}{suggestion(name, known)}"
                yield f"set: {what}{given_as(name, value)}; {listed}"
                continue
            yield from _value_faults(found, name, value)


def _value_faults(found: Sequence[Altered], name: str, value: object) -> Iterator[str]:
    try:
        kept = ALTERABLE[type(found[0])][name](value, name)
    except DomainError as error:
        yield f"set: {error}"
        return
    if (
        name == "deftype"
        and kept == "CLUSRCVR"
        and any(isinstance(each, Channel) and each.deftype != kept for each in found)
    ):
        yield "set: deftype: a cluster-sender channel cannot become 'CLUSRCVR'; allowed: CLUSSDR, CLUSSDRA, CLUSSDRB"
