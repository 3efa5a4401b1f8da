"""Scenarios: facts, and what happens over time, read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from mqclause.model.configuration.knowledge import (
    add_queues,
    assume_default_queues,
    assume_undisplayed_objects,
    describe_default_queue,
)
from mqclause.model.configuration.snapshot import Snapshot, read_document
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import (
    Diagnostic,
    DomainError,
    FactsError,
    check_each,
    check_type,
    quote_value,
    render_given_value,
    suggest_word,
)
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.delivery import DeliveryContext
from mqclause.model.facts.domains import Maker, Words
from mqclause.model.facts.messages import Message
from mqclause.model.facts.objects import MODES, READING_MODES, Channel, Queue, QueueManager, RemoteQueueManager
from mqclause.model.readers.encodings import unpack_files
from mqclause.model.readers.facts_files import MOST_FAULTS
from mqclause.model.readers.formats import NO_PLACES, DocumentPlaces, FactsDocument, describe_wrong_list
from mqclause.model.readers.records import Script
from mqclause.model.readers.registry import read_contents
from mqclause.model.timeline.administration import InFlightMessage, find_administration_faults, read_in_flight
from mqclause.model.timeline.events import (
    ADMINISTRATIVE,
    ALTERABLE,
    EVENT_WORD,
    MESSAGE_KEYS,
    SUSPEND_MODES,
    Altered,
    Event,
    EventError,
    describe_unknown_name,
    find_altered_objects,
    find_conflicting_keys,
    render_event_label,
)
from mqclause.model.timeline.trigger_events import Definitions

NOT_A_SCENARIO = "is in {}, which has no events; allowed: a scenario in TOML or JSON"

_event = Maker(Event)

_KEYS: dict[str, tuple[str, ...]] = {
    "put": ("queue", "to_queue_manager", "priority", "unit_of_work", "segments", "by", "persistent", "cluster_pcf",
            "count", *MESSAGE_KEYS),
    "get": ("queue", "unit_of_work", "count", "by", "options", "match"),
    "open": ("queue", "queue_manager", "by", "mode", "bind", "to_queue_manager"),
    "close": ("queue", "queue_manager", "by"),
    "commit": ("unit_of_work",),
    "backout": ("unit_of_work",),
    "alter": ("queue", "channel", "queue_manager", "set"),
    "clear": ("queue",),
    "restart": ("command_level",),
    "advance": (),
    "suspend": ("queue_manager", "cluster", "mode"),
    "resume": ("queue_manager", "cluster"),
    "refresh": ("cluster", "repos"),
    "fail": ("queue_manager",),
    "recover": ("queue_manager",),
    "arrive": ("queue", "id", "persistent", "bound"),
}  # fmt: skip

EVENT_KEYS: dict[str, tuple[str, ...]] = {kind: ("do", "at", *keys) for kind, keys in _KEYS.items()}
"""The keys that each kind of event takes, in the order of messages."""

EVENT_KEY_SETS: dict[str, frozenset[str]] = {kind: frozenset(keys) for kind, keys in EVENT_KEYS.items()}
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

_domains = _event.domains

KEY_DOMAINS = {("open", "mode"): Words(MODES), ("suspend", "mode"): Words(SUSPEND_MODES)}
"""Where the domain of a key is another for one kind of event."""


def _events(given: Iterable[Event]) -> tuple[Event, ...]:
    return check_each("events", given, Event)


def _messages(given: Iterable[Message]) -> tuple[Message, ...]:
    return check_each("messages", given, Message)


def _in_flight(given: Iterable[InFlightMessage]) -> tuple[InFlightMessage, ...]:
    return check_each("in_flight", given, InFlightMessage)


@frozen
class Scenario:
    """The facts at the start, the messages on the local queues, and the events in order.

    ``in_flight`` are messages that are under way to other queue managers. ``assumed`` says of initiation queues, by
    name, that each is taken to be there although no script defines it; of local queues of scripts nobody tells how many
    handles are open for input, ``unknown_handles``, how many messages are there, ``unknown_depths``, and when the last
    trigger message was written, ``unknown_last``. ``unknown_states`` are the channels whose status no source tells,
    ``unknown_attributes`` those of the local queue manager that no display shows; ``beyond`` is what is told of other
    places.
    """

    cluster: Cluster
    events: tuple[Event, ...] = field(default=(), converter=_events)
    messages: tuple[Message, ...] = field(default=(), converter=_messages)
    in_flight: tuple[InFlightMessage, ...] = field(default=(), converter=_in_flight)
    assumed: Mapping[str, str] = field(factory=dict, hash=False)
    unknown_handles: frozenset[str] = frozenset()
    unknown_depths: frozenset[str] = frozenset()
    unknown_last: frozenset[str] = frozenset()
    unknown_states: tuple[Channel, ...] = ()
    unknown_attributes: frozenset[str] = frozenset()
    beyond: DeliveryContext = field(factory=DeliveryContext, hash=False)

    def __attrs_post_init__(self) -> None:
        check_type("cluster", self.cluster, Cluster, ", as snapshot.cluster")

    def __repr__(self) -> str:
        return f"<Scenario: {len(self.events)} event{'s' * (len(self.events) != 1)} at {self.cluster}>"


def read_scenario(path: str | Path) -> Scenario:
    """Read the scenario of a file. Raises FactsError with every fault, and OSError if it cannot be opened."""
    if not isinstance(path, Path):
        check_type("path", path, str, " or Path")
    return read_scenario_source(Source.at(path))


def read_scenario_source(source: Source, known: Snapshot | None = None) -> Scenario:
    """Read the scenario in a file's content; raises FactsError with every fault. ``known`` as in build_scenario."""
    document = _document(source)
    if document.diagnostics and document.data is None:
        raise FactsError(document.diagnostics)
    if document.diagnostics:
        try:
            build_scenario(document.data, document.source, known, document.places)
        except FactsError as error:
            raise FactsError((*document.diagnostics, *error.diagnostics)) from None
        raise FactsError(document.diagnostics)
    return build_scenario(document.data, document.source, known, document.places)


def locate_error(error: FactsError, source: Source) -> FactsError:
    """Add the line and column of the event to the error that says that it cannot happen."""
    places = _document(source).places
    found = [places.told_by(each.message) for each in error.diagnostics]
    told = zip(error.diagnostics, found, strict=True)
    return FactsError(evolve(each, line=line, column=column) for each, (line, column) in told)


def build_scenario(
    data: object, source: str, known: Snapshot | None = None, places: DocumentPlaces = NO_PLACES
) -> Scenario:
    """Build the scenario in a parsed document; raises FactsError with every fault, at its ``places``.

    ``known`` are the facts, where the document's own were read with those of other files.
    """
    faults, start = list[Diagnostic](), dict[str, Any]()
    given = data.get("event", ()) if isinstance(data, Mapping) else ()
    try:
        start = _build_start(known or read_document(data, source, places), given)
    except FactsError as error:
        faults += error.diagnostics
    cluster: Cluster | None = start.get("cluster")
    messages: tuple[Message, ...] = start.get("messages", ())
    named = {(key, getattr(each, key)): "the facts" for each in messages for key in ("id", "group")}
    reading = _Reading(ReferenceChecker(cluster) if cluster else None, named)
    in_flight, wrong = read_in_flight(data, cluster)
    told = (*islice(reading.faults_of(given), MOST_FAULTS), *wrong)
    faults += (Diagnostic(source, message, *places.told_by(message)) for message in told)
    if faults:
        raise FactsError(faults)
    return Scenario(events=tuple(reading.events), in_flight=in_flight, **start)


def _build_start(snapshot: Snapshot, events: object) -> dict[str, Any]:
    """What is there at the start, and what no source tells of it, by field of the scenario. Raises FactsError."""
    known, own = snapshot.knowledge, snapshot.cluster.queue_manager
    queues = assume_default_queues(snapshot.cluster, known.defined, _initiation_queues(snapshot.cluster, events))
    cluster, unasked = assume_undisplayed_objects(snapshot.cluster, known.undisplayed)
    cluster = add_queues(cluster, queues)
    assumed = {**unasked, **{each.name: describe_default_queue(each.name) for each in queues}}
    shown = (name for name, owner in snapshot.observed if owner == own.name)
    of_scripts = known.defined.get("QLOCAL", frozenset()).union(shown, assumed)
    local = [each for name, each in cluster.own_queues.items() if name in of_scripts]
    return {
        "cluster": cluster,
        "messages": snapshot.messages,
        "assumed": assumed,
        "unknown_handles": frozenset(each.name for each in local if each.ipprocs is None),
        "unknown_depths": frozenset(each.name for each in local if each.curdepth is None),
        "unknown_last": frozenset(each.name for each in local if each.type == "QLOCAL"),
        "unknown_states": snapshot.of_unknown_state,
        "unknown_attributes": frozenset(snapshot.unshown.of(own)),
        "beyond": snapshot.beyond,
    }


def _has_allowed_words(event: Event, row: Mapping[str, object]) -> bool:
    """Return whether the keys of ``row`` that have a domain of their own for this kind of event are in it."""
    domains = ((key, KEY_DOMAINS[kind, key]) for kind, key in KEY_DOMAINS if kind == event.do and key in row)
    return all(getattr(event, key) in domain.words for key, domain in domains)


def _find_event_faults(position: int, row: object) -> Iterator[str]:
    """Find every fault of one table's own keys and values."""
    if not isinstance(row, Mapping):
        yield f"{render_event_label(position, None)}: {quote_value(row)} is given where a table is expected"
        return
    label = render_event_label(position, row.get("do"))
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


@frozen(eq=False)
class ReferenceChecker:
    """Checks events against the objects of ``cluster``."""

    cluster: Cluster
    _seen: dict[tuple[str, ...], tuple[str, ...]] = field(factory=dict, init=False)
    _elsewhere: set[str] = field(factory=set, init=False)

    @cached_property
    def definitions(self) -> Definitions:
        """The resolution of names at the local queue manager."""
        return Definitions(self.cluster)

    def faults_of(self, event: Event) -> tuple[str, ...]:
        """Find what is wrong with the objects that ``event`` names."""
        if event.do == "alter":
            return tuple(self._alter_faults(event))
        if event.do in ADMINISTRATIVE:
            return tuple(find_administration_faults(self.cluster, event))
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
            yield describe_unknown_name("queue_manager", member, (own, *self.cluster.remote))
        elif refusal := self.cluster.refusal(event.queue, member):
            yield refusal
        elif event.queue not in self.cluster.queues_by_name:
            yield describe_unknown_name("queue", event.queue, self.cluster.queues_by_name)
        elif event.do == "clear":
            if self.definitions.local_queue(event.queue) is None:
                yield f"queue {quote_value(event.queue)} is no local queue of {quote_value(member)}; a clear needs one"
        elif event.do == "get" or (event.do == "open" and event.mode in READING_MODES):
            what = "a get" if event.do == "get" else f"mode {event.mode}"
            if not self._readable(event.queue, member):
                resolved = f"queue {quote_value(event.queue)} resolves to no local queue of {quote_value(member)}"
                yield f"{resolved}; {what} needs one"

    def _readable(self, name: str, member: str) -> bool:
        """Whether an open of ``name`` for input at ``member`` can be asked: local there, shared, or others' alone."""
        base, own = self.definitions.find_base_queue(name), self.cluster.queue_manager.name
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
            found = find_altered_objects(self.cluster, event)
        except EventError as error:
            yield str(error)
            return
        known = ALTERABLE[type(found[0])]
        for name, value in event.set.items():
            if name not in known:
                what = f"a {ALTERABLE_OBJECTS[type(found[0])]} has no attribute {quote_value(name)} to alter"
                listed = f"allowed: {', '.join(known)}{suggest_word(name, known)}"
                yield f"set: {what}{render_given_value(name, value)}; {listed}"
                continue
            yield from _value_faults(found, name, value)


def _document(source: Source) -> FactsDocument:
    """What stands in the file, or in the one that is packed in it. Raises FactsError."""
    found = [*unpack_files(source.data, source.name)]
    if len(found) != 1:
        raise FactsError([Diagnostic(source.name, f"holds {len(found)} files; allowed: one, the scenario")])
    ((name, data),) = found
    document = read_contents(data, name)
    if isinstance(document, Script):
        raise FactsError([Diagnostic(name, NOT_A_SCENARIO.format(document.format))])
    return document


def _initiation_queues(cluster: Cluster, given: object) -> Iterator[tuple[str, str]]:
    """The local queues, each with an initiation queue that it names from the start or that an alter gives it."""
    yield from ((each.name, each.initq) for each in cluster.own_queues.values())
    for row in given if isinstance(given, list | tuple) else ():
        values = row.get("set") if isinstance(row, Mapping) else None
        named = values.get("initq") if isinstance(values, Mapping) else None
        if isinstance(named, str):
            yield str(row.get("queue")), named


@frozen(eq=False)
class _Reading:
    """Reads the events of one document; ``referenced`` is None where the facts themselves are at fault.

    ``named`` are the ids and groups of messages so far, and where each was given first; ``unnamed`` are, by the label
    that replay gives instead, the puts without: how many, and which event.
    """

    referenced: ReferenceChecker | None
    named: dict[tuple[str, str], str]
    events: list[Event] = field(factory=list)
    unnamed: dict[tuple[str, str], tuple[int, str]] = field(factory=dict)

    def faults_of(self, given: Any) -> Iterator[str]:
        """Find every fault of the events ``given``; those without one are added to ``events``."""
        if wrong := describe_wrong_list("event", given):
            yield wrong
            return
        now = 0
        for position, row in enumerate(given, 1):
            event = _made(row)
            if event is None:
                yield from _find_event_faults(position, row)
                continue
            label = render_event_label(position, event.do)
            if event.at is not None and event.at < now:
                yield f"{label}: at: {event.at} is before {now}, the time of the event before; allowed: from {now}"
            now = max(now, event.at or 0)
            if event.id and event.do == "put" and ("id", event.id) in self.named:
                before = self.named["id", event.id]
                yield f"{label}: id: {quote_value(event.id)} is given twice; it stands in {before} too"
            if self.referenced:
                yield from (f"{label}: {message}" for message in self.referenced.faults_of(event))
            self._note_names(event, position - 1, label)
            self.events.append(event)
        yield from self._names_met()

    def _note_names(self, event: Event, number: int, label: str) -> None:
        """What an event calls its message and its group, and what replay calls them where it does not."""
        if event.do != "put":
            return
        for key, is_named in (("id", True), ("group", bool(event.logical_order))):
            name = getattr(event, key)
            if name:
                self.named.setdefault((key, name), label)
            elif is_named:
                self.unnamed[key, f"#{number}"] = event.count, label

    def _names_met(self) -> Iterator[str]:
        """The puts without an id, or a group, of which replay gives them one that another has: see Labels."""
        for (key, name), where in self.named.items():
            put, dot, repeat = name.partition(".")
            count, label = self.unnamed.get((key, put), (0, ""))
            repeats = repeat.isdecimal() and str(int(repeat)) == repeat and int(repeat) < count
            if (count == 1 and not dot) or (count > 1 and repeats):
                yield f"{label}: {key} is missing: {quote_value(name)}, as replay would call it, stands in {where}"


def _made(row: Any) -> Event | None:
    """The event of a table that has no fault of its own."""
    try:
        event = _event(row)
    except (AttributeError, KeyError, TypeError, DomainError):
        return None
    kind = event.do
    is_faulty = not row.keys() <= EVENT_KEY_SETS[kind] or any(_combination_faults(kind, row))
    return None if is_faulty or not _has_allowed_words(event, row) else event


def _key_faults(kind: str | None, key: object, value: object) -> Iterator[str]:
    listed = EVENT_KEYS[kind] if kind else tuple(_domains)
    if key not in listed:
        known = isinstance(key, str) and key in _domains
        what = f"{'an' if kind and kind[0] in 'ao' else 'a'} {kind} takes no key" if known else "unknown key"
        near = "" if known else suggest_word(key, listed)
        takers = [each for each in EVENT_KEY_SETS if key in EVENT_KEY_SETS[each]] if known else []
        of = f"; {key} is of {' and '.join(takers)}" if kind and 0 < len(takers) <= MOST_TAKERS else ""
        yield f"{what} {quote_value(key)}{render_given_value(key, value)}; allowed: {', '.join(listed)}{near or of}"
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
            yield f"{key}: {quote_value(given)} is not allowed; it must name something"
    mode = row.get("mode", "INPUT_SHARED")
    if kind == "open" and isinstance(mode, str) and mode.upper() != "OUTPUT":
        for key in OUTPUT_KEYS:
            if row.get(key):
                given = f"{key}: {quote_value(row[key])}"
                yield f"{given} is not allowed with mode {quote_value(mode)}; allowed with OUTPUT only"
    if kind in ("put", "get"):
        yield from find_conflicting_keys(row)


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
