"""Scenarios: facts, and what happens over time. In TOML, JSON or already parsed."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from mqclause.model.assembly.shipped import assumed, shipped, with_queues
from mqclause.model.assembly.snapshot import Snapshot, read_document
from mqclause.model.assembly.source import Source
from mqclause.model.assembly.untold import taken_as_there
from mqclause.model.diagnostic import Diagnostic, DomainError, FactsError, quoted
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.delivery import Beyond
from mqclause.model.facts.domains import Maker
from mqclause.model.facts.message import Message
from mqclause.model.facts.objects import Queue
from mqclause.model.readers.container import unpacked
from mqclause.model.readers.facts_document import NO_PLACES, DocumentPlaces, FactsDocument
from mqclause.model.readers.facts_file import MOST_FAULTS
from mqclause.model.readers.record import Script
from mqclause.model.readers.registry import contents_of
from mqclause.model.timeline.beside import beside_each_other
from mqclause.model.timeline.event import Event, event_label
from mqclause.model.timeline.in_flight import InFlight, in_flight_of
from mqclause.model.timeline.scenario_faults import (
    NEEDED_KEYS,
    OUTPUT_KEYS,
    TAKEN_KEYS,
    Referenced,
    event_faults,
    has_own_words,
)

NOT_A_SCENARIO = "is in {}, which has no events; allowed: a scenario in TOML or JSON"


@frozen(eq=False)
class Scenario:
    """What the local queue manager knows at the start, the messages on its queues, and the events in order.

    ``in_flight`` are messages that are under way to other queue managers. ``assumed`` says of initiation queues, by
    name, that each is taken to be there although no script defines it; of local queues of scripts nobody tells how many
    handles are open for input, ``unknown_handles``, how many messages are there, ``unknown_depths``, and when the last
    trigger message was written, ``unknown_last``; ``beyond`` is what is told of other places.
    """

    cluster: Cluster
    events: tuple[Event, ...] = ()
    messages: tuple[Message, ...] = ()
    in_flight: tuple[InFlight, ...] = ()
    assumed: Mapping[str, str] = field(factory=dict)
    unknown_handles: frozenset[str] = frozenset()
    unknown_depths: frozenset[str] = frozenset()
    unknown_last: frozenset[str] = frozenset()
    beyond: Beyond = field(factory=Beyond)


def read_scenario(path: str | Path) -> Scenario:
    """The scenario in a file; raises FactsError with every fault, and OSError if it cannot be opened."""
    return read_scenario_source(Source.at(path))


def read_scenario_source(source: Source, known: Snapshot | None = None) -> Scenario:
    """The scenario in a file's content; raises FactsError with every fault. ``known`` is as for ``scenario_of``."""
    document = _document(source)
    if document.diagnostics and document.data is None:
        raise FactsError(document.diagnostics)
    if document.diagnostics:
        try:
            scenario_of(document.data, document.source, known, document.places)
        except FactsError as error:
            raise FactsError((*document.diagnostics, *error.diagnostics)) from None
        raise FactsError(document.diagnostics)
    return scenario_of(document.data, document.source, known, document.places)


def _document(source: Source) -> FactsDocument:
    """What stands in the file, or in the one that is packed in it. Raises FactsError."""
    found = [*unpacked(source.data, source.name)]
    if len(found) != 1:
        raise FactsError([Diagnostic(source.name, f"holds {len(found)} files; allowed: one, the scenario")])
    ((name, data),) = found
    document = contents_of(data, name)
    if isinstance(document, Script):
        raise FactsError([Diagnostic(name, NOT_A_SCENARIO.format(document.format))])
    return document


def placed(error: FactsError, source: Source) -> FactsError:
    """The error of an event that could not happen, with the place of that event in the file's content."""
    places = _document(source).places
    found = [places.told_by(each.message) for each in error.diagnostics]
    told = zip(error.diagnostics, found, strict=True)
    return FactsError(evolve(each, line=line, column=column) for each, (line, column) in told)


def scenario_of(
    data: object, source: str, known: Snapshot | None = None, places: DocumentPlaces = NO_PLACES
) -> Scenario:
    """The scenario in a parsed document; raises FactsError with every fault, at its ``places``.

    ``known`` are the facts, where the document's own were read with those of other files.
    """
    faults: list[Diagnostic] = []
    cluster: Cluster | None = None
    messages: tuple[Message, ...] = ()
    beyond = Beyond()
    more: tuple[Queue, ...] = ()
    unasked: Mapping[str, str] = {}
    of_scripts: frozenset[str] = frozenset()
    given = data.get("event", ()) if isinstance(data, Mapping) else ()
    try:
        snapshot = known or read_document(data, source, places)
        more = shipped(snapshot.cluster, snapshot.defined, _initiation_queues(snapshot.cluster, given))
        cluster, unasked = taken_as_there(snapshot.cluster, snapshot.untold)
        cluster, messages, beyond = with_queues(cluster, more), snapshot.messages, snapshot.beyond
        shown = (name for name, owner in snapshot.observed if owner == cluster.queue_manager.name)
        of_scripts = snapshot.defined.get("QLOCAL", frozenset()).union(shown)
    except FactsError as error:
        faults += error.diagnostics
    named = {(key, getattr(each, key)): "the facts" for each in messages for key in ("id", "group")}
    reading = _Reading(Referenced(cluster) if cluster else None, named)
    in_flight, wrong = in_flight_of(data, cluster)
    told = (*islice(reading.faults_of(given), MOST_FAULTS), *wrong)
    faults += (Diagnostic(source, message, *places.told_by(message)) for message in told)
    if faults or cluster is None:
        raise FactsError(faults)
    taken = {**unasked, **{each.name: assumed(each.name) for each in more}}
    unknown = _unknown_at_start(cluster, of_scripts.union(taken))
    return Scenario(cluster, tuple(reading.events), messages, in_flight, taken, beyond=beyond, **unknown)


def _unknown_at_start(cluster: Cluster, names: Container[str]) -> dict[str, Any]:
    """What no source tells of the local queues among ``names``, by field of the scenario."""
    local = [each for name, each in cluster.own_queues.items() if name in names]
    return {
        "unknown_handles": frozenset(each.name for each in local if each.ipprocs is None),
        "unknown_depths": frozenset(each.name for each in local if each.curdepth is None),
        "unknown_last": frozenset(each.name for each in local if each.type == "QLOCAL"),
    }


def _initiation_queues(cluster: Cluster, given: object) -> Iterator[tuple[str, str]]:
    """The local queues, each with an initiation queue that it names from the start or that an alter gives it."""
    yield from ((each.name, each.initq) for each in cluster.own_queues.values())
    for row in given if isinstance(given, list | tuple) else ():
        values = row.get("set") if isinstance(row, Mapping) else None
        named = values.get("initq") if isinstance(values, Mapping) else None
        if isinstance(named, str):
            yield str(row.get("queue")), named


_event = Maker(Event)


@frozen(eq=False)
class _Reading:
    """Reads the events of one document; ``referenced`` is None where the facts themselves are at fault.

    ``named`` are the ids and groups of messages so far, and where each was given first; ``unnamed`` are, by the label
    that replay gives instead, the puts without: how many, and which event.
    """

    referenced: Referenced | None
    named: dict[tuple[str, str], str]
    events: list[Event] = field(factory=list)
    unnamed: dict[tuple[str, str], tuple[int, str]] = field(factory=dict)

    def faults_of(self, given: object) -> Iterator[str]:
        """Every fault of the events ``given``; those without one are added to ``events``."""
        if isinstance(given, Mapping):
            yield (
                "event: one table is given where a list of tables is expected;"
                " write [[event]] in TOML, a list of objects in JSON"
            )
            return
        if not isinstance(given, list | tuple):
            yield f"event: {quoted(given)} is given where a list of tables is expected"
            return
        now = 0
        for position, row in enumerate(given, 1):
            event = _made(row)
            if event is None:
                yield from event_faults(position, row)
                continue
            label = event_label(position, event.do)
            if event.at is not None and event.at < now:
                yield f"{label}: at: {event.at} is before {now}, the time of the event before; allowed: from {now}"
            now = max(now, event.at or 0)
            if event.id and event.do == "put" and ("id", event.id) in self.named:
                before = self.named["id", event.id]
                yield f"{label}: id: {quoted(event.id)} is given twice; it stands in {before} too"
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
                yield f"{label}: {key} is missing: {quoted(name)}, as replay would call it, stands in {where}"


def _made(row: Any) -> Event | None:
    """The event of a table that has no fault of its own."""
    try:
        event = _event(row)
    except (AttributeError, KeyError, TypeError, DomainError):
        return None
    kind = event.do
    if not (row.keys() <= TAKEN_KEYS[kind] and all(getattr(event, key) for key in NEEDED_KEYS[kind])):
        return None
    if not has_own_words(event, row):
        return None
    if kind in ("put", "get") and any(beside_each_other(row)):
        return None
    return None if kind == "open" and event.mode != "OUTPUT" and any(map(row.get, OUTPUT_KEYS)) else event
