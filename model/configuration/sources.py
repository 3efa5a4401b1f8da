"""Sources and provenance: where each fact comes from, and how facts of several sources are merged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from attrs import define, evolve, field, frozen

from mqclause.model.diagnostics import Diagnostic, FactsError, escape_controls, quote_value
from mqclause.model.facts.cluster import CLUSTER_FIELDS, Cluster, Contradiction, ContradictionError
from mqclause.model.facts.messages import find_invalid_messages
from mqclause.model.facts.objects import (
    Channel,
    Fact,
    Process,
    Put,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.model.readers.encodings import Content, read_content, unpack_files
from mqclause.model.readers.facts_files import LIST_TABLES, UNKNOWABLE_TABLES, Facts
from mqclause.model.readers.formats import FactsDocument
from mqclause.model.readers.mqsc import BEGINNING
from mqclause.model.readers.records import LinePlace, Record, Script, Value

NO_FILE = "no file is in it"
"""What is wrong with an archive of nothing."""

FactT = TypeVar("FactT")

OriginKind = Literal["stated", "observed", "defaulted", "unknown"]

Identity = tuple[object, ...]
"""What tells a fact from all others of a cluster."""

OBJECT_FIELDS = ("name", "queue_manager", "type", "trigger", "clusters", "suspended", "platform", "host")
"""The fields that are not attributes of the same name."""

AS_A_SCRIPT = Queue | Process | QueueManager | RemoteQueueManager | QueueManagerAlias | Channel


@frozen
class Source:
    """A file's content, which of a large one is read later, and its name as messages show it (``-``: standard input).

    What of the name a terminal would obey is escaped. ``queue_manager`` says whose script or log it is, if it does not
    say so itself. A file that was ``found`` in a
    folder, and not named, is passed by with a warning where it is in no format that is read. An ``overlay`` changes
    what all other files say. ``format`` names the format that it is in; blank: its content tells.
    """

    name: str = field(converter=escape_controls)
    data: bytes | Content
    queue_manager: str = ""
    found: bool = False
    overlay: bool = field(default=False, kw_only=True)
    format: str = field(default="", kw_only=True)

    @classmethod
    def at(cls, path: str | Path) -> Source:
        """The file at ``path``; raises OSError if it cannot be opened."""
        return cls(str(path), read_content(path))


@define(eq=False)
class SourceFiles:
    """The files in ``source``, to be read one after the other; what is wrong with one costs none of the others.

    Those in a zip file are found there, as in a folder: what cannot be read is passed by with a warning, unless the
    source is named, or said to be of a queue manager, and nothing in it can be. ``unread`` are the names of such files.
    """

    source: Source
    faults: list[Diagnostic]
    warnings: list[Diagnostic]
    unread: list[str] = field(factory=list)
    _refused: list[Diagnostic] = field(factory=list)
    _any_read: bool = False

    def __iter__(self) -> Iterator[Source]:
        source, is_empty = self.source, True
        try:
            for name, data in unpack_files(source.data, source.name):
                is_empty = False
                yield evolve(source, name=name, data=data, found=source.found or self._is_found(name))
            if is_empty:
                raise FactsError([Diagnostic(source.name, NO_FILE)])
        except FactsError as error:
            self.unread.append(source.name)
            (self.warnings if source.found else self.faults).extend(error.diagnostics)
        is_found = source.found or (self._any_read and not source.queue_manager)
        (self.warnings if is_found else self.faults).extend(self._refused)

    @contextmanager
    def reading(self, file: Source) -> Iterator[None]:
        """Has one of the files passed by if it cannot be read."""
        try:
            yield
        except FactsError as error:
            self.unread.append(file.name)
            self._refused.extend(error.diagnostics)
        else:
            self._any_read = True

    def _is_found(self, name: str) -> bool:
        return name != self.source.name and not self.source.queue_manager


def drop_duplicate_dumps(scripts: Iterable[Script], faults: list[Diagnostic]) -> list[Script]:
    """The scripts without further dumps of one queue manager; what contradicts the first one goes to ``faults``.

    What a dump shows in comments may differ. A script that is no dump is an overlay, and stays; so does a dump of other
    objects than the first one.
    """
    dumps: dict[object, Script] = {}
    kept = []
    for script in scripts:
        of = script.queue_manager, tuple(each.ended() for each in script.coverage)
        first = dumps.setdefault(of, script) if BEGINNING in script.header else script
        if first is script:
            kept.append(script)
        else:
            faults.extend(_differences(first, script))
    return kept


@frozen
class Origin:
    """Where the value of one attribute comes from.

    ``how``: a definition, an alter or a facts file has *stated* it; a dump has *observed* it, and shows it although
    no command sets it; or it is *defaulted*: nobody says it, and MQ's default holds; or a facts file says that it is
    *unknown*. ``source``, ``line`` and ``column`` are where the value stands or, of a default, where the object begins;
    each is None where it cannot be told.
    """

    how: OriginKind
    source: str
    line: int | None = None
    column: int | None = field(default=None, eq=False)

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"


@frozen(eq=False, weakref_slot=False)
class PlacedFact(Generic[FactT]):
    """A fact, and the place where it stands as messages name it: a line of a script, or a table of a facts file.

    ``line`` is None where no line states it, and of a table. ``origin`` answers for each attribute; it looks when it
    is asked.
    """

    fact: FactT
    source: str
    line: int | None
    origin: Callable[[str], Origin]
    table: str = ""

    def __str__(self) -> str:
        if self.table:
            return f"{self.source} ({self.table})"
        return self.source if self.line is None else f"{self.source}:{self.line}"


class Provenance:
    """The origin of each attribute of each fact of a snapshot, and of its put."""

    def __init__(self, placed: Iterable[PlacedFact[Any]]) -> None:
        self.placed = tuple(placed)
        self._named = _by_name(self.placed)

    def of(self, fact: Fact | Put, attribute: str) -> Origin:
        """Where ``attribute`` of ``fact`` comes from; ``name`` is where the fact itself is stated.

        Of a fact of a dump ``attribute`` may also be what the dump shows besides: CURDEPTH and the like. A cluster
        that a namelist names stands where the object names the namelist. Raises KeyError for a fact that is not
        the snapshot's, and AttributeError for an attribute that it does not have.
        """
        origin = self._found(fact).origin(attribute)
        if origin.how != "observed":
            getattr(fact, attribute)
        return origin

    def tells(self, fact: Fact | Put, attribute: str) -> bool:
        """Whether the sources tell ``attribute`` of ``fact``: they say it, or a facts file leaves it at its default.

        A script or a dump that does not show an attribute tells nothing of it. What is not as the sources have it, or
        is in none of them, a program has made so, which is told.
        """
        try:
            known = self._found(fact)
        except KeyError:
            return True
        if getattr(known.fact, attribute) != getattr(fact, attribute):
            return True
        how = known.origin(attribute).how
        return how != "unknown" and (how != "defaulted" or bool(known.table))

    def holds(self, fact: Fact | Put) -> bool:
        """Whether it is a fact of the sources, as these have it."""
        try:
            return bool(self._found(fact).fact == fact)
        except KeyError:
            return False

    def _found(self, fact: Fact | Put) -> PlacedFact[Any]:
        known = self._named[_name(fact)]
        if isinstance(known, dict):
            return known[_identity(fact)]
        if _identity(known.fact) != _identity(fact):
            raise KeyError(_identity(fact))
        return known


def place_table(fact: FactT, document: FactsDocument, table: str) -> PlacedFact[FactT]:
    """The fact of a table that stands once."""
    return PlacedFact(fact, document.source, None, partial(_origin, document, (table,)), table)


def place_rows(facts: Facts, document: FactsDocument) -> Iterator[PlacedFact[Any]]:
    """The facts of the lists of ``document``, which ``facts`` was made of."""
    for name, table in LIST_TABLES.items():
        for position, fact in enumerate(getattr(facts, name)):
            origin = partial(_origin, document, (table, position))
            yield PlacedFact(fact, document.source, None, origin, f"{table} {position + 1}")


def find_misplaced_messages(files: Iterable[tuple[Facts, FactsDocument]], cluster: Cluster) -> Iterator[Diagnostic]:
    """What is wrong with messages of facts documents, seen from the queues of ``cluster`` and from one another."""
    listed = [(document, at, each) for facts, document in files for at, each in enumerate(facts.messages)]
    for found, message in find_invalid_messages([each for _, _, each in listed], cluster):
        document, at, wrong = listed[found]
        place = document.places.place_of("message", at)
        yield Diagnostic(document.source, f"message {at + 1} {quote_value(wrong.id)}: {message}", *place)


def place_facts(facts: Facts, document: FactsDocument) -> Iterator[PlacedFact[Any]]:
    """Every fact of ``document``, and its put."""
    if facts.queue_manager is not None:
        yield place_table(facts.queue_manager, document, "queue_manager")
    yield from place_rows(facts, document)
    if facts.put is not None:
        yield place_table(facts.put, document, "put")


class MergedFacts(NamedTuple):
    """A cluster, the facts that it is made of, and warnings about those that were left out."""

    cluster: Cluster
    placed: Sequence[PlacedFact[Any]]
    warnings: tuple[Diagnostic, ...]


def merge_facts(
    own: PlacedFact[QueueManager],
    others: Iterable[PlacedFact[Any]],
    lenient: bool = False,
) -> MergedFacts:
    """The cluster of all facts, in their order; raises FactsError if they contradict each other.

    With ``lenient`` a fact of a script that contradicts the others is left out, with a warning.
    """
    kept, warnings = list(others), list[Diagnostic]()
    while True:
        try:
            return MergedFacts(_cluster(own, kept), [own, *kept], tuple(warnings))
        except ContradictionError as error:
            placed = {id(each.fact): each for each in (own, *kept)}
            told = [_told(each, placed) for each in error.contradictions]
            wrong = {id(each.fact) for each in error.contradictions}
            if not lenient or any(placed[one].table for one in wrong):
                raise FactsError(told) from None
            warnings += told
            kept = [each for each in kept if id(each.fact) not in wrong]


def build_scripts(facts: Facts, document: FactsDocument) -> Iterator[Script]:
    """The objects of each queue manager that a facts document tells of."""
    own = facts.queue_manager.name if facts.queue_manager else ""
    found: dict[str, list[Record]] = {own: [*_about_others(facts, own, document)]}
    untold = document.data.get("unknown", {}).get("clusters", ())
    in_none: dict[str, Value] = {"CLUSTER": ""}  # what the document leaves out is told all the same: in none
    for at, queue in enumerate(facts.queues):
        more = _clusters(queue.clusters) or ({} if queue.name in untold else in_none)
        more = more | ({"TRIGGER": ""} if queue.trigger else {})
        found.setdefault(queue.queue_manager, []).append(_record(queue, queue.type, document, ("queue", at), more))
    for at, alias in enumerate(facts.queue_manager_aliases):
        more = _clusters(alias.clusters) | {"RQMNAME": alias.queue_manager}
        path = ("queue_manager_alias", at)
        found.setdefault(alias.routed_to, []).append(_record(alias, "QREMOTE", document, path, more))
    found[own] += [_record(each, "PROCESS", document, ("process", at)) for at, each in enumerate(facts.processes)]
    found[own] += _channels(facts, document)
    several = [each.clusters for each in facts.queues] + [each.clusters for each in facts.queue_manager_aliases]
    listed = {_listed(names): names for names in several}
    namelists = [_namelist(name, names, document) for name, names in listed.items() if names]
    for owner, records in found.items():
        yield Script(document.source, owner, (*namelists, *records), format=document.format)


def _differences(first: Script, other: Script) -> list[Diagnostic]:
    for one, two in zip_longest(first.records, other.records):
        if one is None or two is None or _stated(one) != _stated(two):
            differs = two or one
            what = f"{differs.kind} {quote_value(differs.name)}" if differs.name else differs.kind
            message = (
                f"is another dump of {quote_value(other.queue_manager)} than {first.source}: they differ from {what} on"
            )
            return [Diagnostic(other.source, message, two.line if two else None)]
    return []


def _stated(record: Record) -> tuple[object, ...]:
    return record.action, record.kind, record.name, dict(record.attributes)


def _by_name(placed: Iterable[PlacedFact[Any]]) -> dict[str, PlacedFact[Any] | dict[Identity, PlacedFact[Any]]]:
    """The only fact of a name, as most are; or those of the name, by what tells them apart."""
    found: dict[str, PlacedFact[Any] | dict[Identity, PlacedFact[Any]]] = {}
    for each in placed:
        known = found.setdefault(_name(each.fact), each)
        if known is each:
            continue
        if isinstance(known, PlacedFact):
            known = found[_name(each.fact)] = {_identity(known.fact): known}
        known[_identity(each.fact)] = each
    return found


def _name(fact: Fact | Put) -> str:
    return "" if isinstance(fact, Put) else fact.name


def _identity(fact: Fact | Put) -> Identity:
    """There is one put."""
    if isinstance(fact, Put):
        return (Put,)
    of = (getattr(fact, key, "") for key in ("queue_manager", "cluster", "host", "conname"))
    return type(fact), fact.name, *of


def _origin(document: FactsDocument, path: tuple[str | int, ...], attribute: str) -> Origin:
    """A key that is left out is defaulted; a queue without queue_manager is on the local one."""
    given = document.data
    for step in path:
        given = given[step]
    if attribute in given:
        return Origin("stated", document.source, *document.places.place_of(*path, attribute))
    if path[0] in UNKNOWABLE_TABLES.get(attribute, ()) and given["name"] in document.data.get("unknown", {}).get(
        attribute, ()
    ):
        return Origin("unknown", document.source, *document.places.place_of("unknown", attribute))
    return Origin("defaulted", document.source, *document.places.place_of(*path))


def _cluster(own: PlacedFact[QueueManager], others: Iterable[PlacedFact[Any]]) -> Cluster:
    lists: dict[str, list[Any]] = {name: [] for name in CLUSTER_FIELDS.values()}
    for each in others:
        lists[CLUSTER_FIELDS[type(each.fact)]].append(each.fact)
    return Cluster(own.fact, **lists)


def _told(wrong: Contradiction, placed: dict[int, PlacedFact[Any]]) -> Diagnostic:
    place = placed[id(wrong.fact)]
    message = wrong.message
    if wrong.earlier is not None:
        message += f"; it stands in {placed[id(wrong.earlier)]} and in {place}"
    if place.line is not None:
        return Diagnostic(place.source, message, place.line)
    name = place.origin("name")
    return Diagnostic(place.source, message, name.line, name.column)


def _about_others(facts: Facts, own: str, document: FactsDocument) -> Iterator[Record]:
    """The queue manager itself, and what it knows of the other members."""
    if facts.queue_manager is not None:
        path = ("queue_manager",)
        yield _record(facts.queue_manager, "QMGR", document, path, {"PLATFORM": facts.queue_manager.platform})
        known = facts.queue_manager
        yield from (_row(own, document, path, _in_cluster(name, known.suspended)) for name in known.clusters)
    for at, each in enumerate(facts.remote_queue_managers):
        for name in each.clusters:
            kind = "REPOS" if each.is_full_in(name) else "NORMAL"
            attributes = _in_cluster(name, each.suspended) | {"QMTYPE": kind}
            yield _row(each.name, document, ("remote_queue_manager", at), attributes)
    for at, channel in enumerate(facts.channels):
        row: dict[str, Value] = {"CHANNEL": channel.name, "CLUSTER": channel.cluster, "DEFTYPE": channel.deftype}
        yield _row(channel.queue_manager, document, ("channel", at), _values(channel) | row)


def _channels(facts: Facts, document: FactsDocument) -> Iterator[Record]:
    """The channels that belong to no cluster, each as it is defined and, where that is known, as it is displayed."""
    unknown = document.data.get("unknown", {}).get("status", ())
    defined = set[str]()
    for at, each in enumerate(facts.channel_statuses):
        line, _ = document.places.place_of("channel_status", at)
        of: dict[str, Value] = {"CHLTYPE": each.type, "XMITQ": each.xmitq, "CONNAME": each.conname}
        if each.name not in defined:
            defined.add(each.name)
            yield Record("define", "CHANNEL", each.name, of, source=document.source, line=line)
        if "status" in document.data["channel_status"][at] or each.name not in unknown:
            row = of | {"RQMNAME": each.queue_manager, "STATUS": each.status}
            yield Record("observe", "CHSTATUS", each.name, row, source=document.source, line=line)


def _record(
    fact: AS_A_SCRIPT,
    kind: str,
    document: FactsDocument,
    path: tuple[str | int, ...],
    more: dict[str, Value] | None = None,
) -> Record:
    attributes = _values(fact) | (more or {})
    line, _ = document.places.place_of(*path)
    found = [_place_of(document, path, name) for name in attributes] if line else []
    places = [(of - line, column) if of else (0, 0) for of, column in found if line]
    name = "" if kind == "QMGR" else fact.name
    return Record("define", kind, name, attributes, source=document.source, line=line, places=places)


def _row(name: str, document: FactsDocument, path: tuple[str | int, ...], attributes: dict[str, Value]) -> Record:
    """What is known of a queue manager in a cluster, as DISPLAY CLUSQMGR shows it."""
    line, _ = document.places.place_of(*path)
    return Record("observe", "CLUSQMGR", name, attributes, source=document.source, line=line)


def _in_cluster(name: str, suspended: Sequence[str]) -> dict[str, Value]:
    return {"CLUSTER": name, "SUSPEND": "YES" if name in suspended else "NO"}


def _values(fact: AS_A_SCRIPT) -> dict[str, Value]:
    """The attributes of a fact that are text or a number."""
    values: dict[str, Any] = {each.name: getattr(fact, each.name) for each in fact.__attrs_attrs__}
    return {
        name.upper(): str(value)
        for name, value in values.items()
        if name not in OBJECT_FIELDS and type(value) in (str, int)
    }


def _place_of(document: FactsDocument, path: tuple[str | int, ...], attribute: str) -> LinePlace:
    """Where a key stands; (0, 0) if it is left out."""
    key = "clusters" if attribute in ("CLUSTER", "CLUSNL") else attribute.lower()
    line, column = document.places.place_of(*path, key)
    return line or 0, column or 0


def _clusters(names: Sequence[str]) -> dict[str, Value]:
    """How a script says in which clusters something is: several are a namelist's."""
    return {"CLUSTER": names[0]} if len(names) == 1 else {"CLUSNL": _listed(names)} if names else {}


def _namelist(name: str, names: tuple[str, ...], document: FactsDocument) -> Record:
    """The namelist of several clusters: each script of the document has it."""
    return Record("define", "NAMELIST", name, {"NAMES": names, "REPLACE": ""}, source=document.source)


def _listed(names: Sequence[str]) -> str:
    return ",".join(names)
