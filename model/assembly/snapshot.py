"""Files in any mix of the formats that are read to one snapshot: the cluster and the put."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from attrs import evolve, field, frozen

from mqclause.model.assembly.union import FIELDS, Listed, Place, listed_facts, united
from mqclause.model.assembly.view import Assembly, Placed, assemble
from mqclause.model.diagnostic import Diagnostic, DomainError, FactsError, quoted, suggestion
from mqclause.model.facts.cluster import Cluster, ContradictionError
from mqclause.model.facts.domains import NAME
from mqclause.model.facts.objects import Put, QueueManager
from mqclause.model.readers.facts_file import Facts, read_facts
from mqclause.model.readers.facts_text import Document, parse_document
from mqclause.model.readers.mqsc.script import read_mqsc
from mqclause.model.readers.record import Script
from mqclause.model.readers.registry import READ, format_of, text_of

NOT_IN_A_SCRIPT = "scripts and dumps hold no channel status and no sequence numbers: taken as INACTIVE and 0"
NO_LOCAL = "no local queue manager: a facts file needs a queue_manager table where there is no script or dump"


@frozen
class Source:
    """A file's content and its name as messages show it (``-`` for standard input)."""

    name: str
    data: bytes


@frozen(eq=False)
class Snapshot:
    """What was read: the cluster, the put if one is given, and what was left out in lenient mode.

    ``assumptions`` say what the sources cannot tell, and what was taken in its place. ``observed`` holds what a
    dump says of a queue besides its definition, by queue and queue manager: CURDEPTH, IPPROCS and the like.
    """

    cluster: Cluster
    put: Put | None = None
    warnings: tuple[Diagnostic, ...] = ()
    assumptions: tuple[str, ...] = ()
    observed: Mapping[tuple[str, str], Mapping[str, str]] = field(factory=dict)


@frozen(eq=False)
class _Opened:
    """The files as parsed, and what was wrong with them."""

    documents: list[Document] = field(factory=list)
    scripts: list[Script] = field(factory=list)
    faults: list[Diagnostic] = field(factory=list)
    warnings: list[Diagnostic] = field(factory=list)


def read_sources(sources: Sequence[Source], local: str | None = None, lenient: bool = False) -> Snapshot:
    """The snapshot in ``sources``; raises FactsError with every fault.

    ``local`` names the local queue manager where several dumps are given. With ``lenient`` a fault in one of
    MQ's own formats is a warning, and its command is left out; a fault in a facts file stays a fault.
    """
    opened = _opened(sources, lenient)
    name = _local_name(opened, _checked(local))
    assembly = _assembled(opened, name, lenient)
    seen = assembly.queue_manager if assembly else None
    # Where no host can be told, that is the fault: not each queue without one.
    host = name or (seen.fact.name if seen else "?")
    files = [read_facts(document.data, document.source, host) for document in opened.documents]
    for facts in files:
        opened.faults.extend(facts.diagnostics)
    put = _the_put(files, opened.faults)
    if opened.faults:
        raise FactsError(opened.faults)
    queue_manager, place = _own(files, assembly, sources)
    cluster, warnings = united(queue_manager, place, _listed(sources, files, assembly), lenient)
    assumptions = (NOT_IN_A_SCRIPT,) if opened.scripts else ()
    observed = {
        (record.name, script.queue_manager or cluster.queue_manager.name): record.informational
        for script in opened.scripts
        for record in script.records
        if record.kind == "QLOCAL" and record.informational
    }
    return Snapshot(cluster, put, (*opened.warnings, *warnings), assumptions, observed)


def read_files(paths: Iterable[str | Path], local: str | None = None, lenient: bool = False) -> Snapshot:
    """The snapshot in files; as ``read_sources``. Raises OSError for a file that cannot be opened."""
    return read_sources([Source(str(path), Path(path).read_bytes()) for path in paths], local, lenient)


def read_document(data: object, source: str) -> Snapshot:
    """The snapshot in one parsed facts document; raises FactsError with every fault."""
    facts = read_facts(data, source)
    own = facts.queue_manager
    if facts.diagnostics or own is None:
        raise FactsError(facts.diagnostics or [Diagnostic(source, "queue_manager is missing; it must be given")])
    try:
        cluster = Cluster(
            own,
            facts.remote_queue_managers,
            facts.queues,
            facts.queue_manager_aliases,
            facts.channels,
            facts.processes,
        )
    except ContradictionError:
        # The same once more, with the place of each fact.
        cluster, _ = united(own, Place(source, None, "queue_manager"), listed_facts(facts))
    return Snapshot(cluster, facts.put)


def _opened(sources: Iterable[Source], lenient: bool) -> _Opened:
    opened = _Opened()
    for source in sources:
        try:
            _open(source, opened, opened.warnings if lenient else opened.faults)
        except FactsError as error:
            opened.faults.extend(error.diagnostics)
    return opened


def _open(source: Source, opened: _Opened, script_faults: list[Diagnostic]) -> None:
    text = text_of(source.data, source.name)
    found = format_of(text, source.name)
    if found == "mqsc":
        script = read_mqsc(text, source.name)
        script_faults.extend(script.diagnostics)
        opened.scripts.append(script)
        return
    document = parse_document(text, source.name, found)
    opened.faults.extend(document.diagnostics)
    if isinstance(document.data, dict) and "commandResponse" in document.data:
        message = f"is output of mqweb (commandResponse); this format is not read yet; allowed: {READ}"
        raise FactsError([Diagnostic(source.name, message)])
    if document.data is not None or not document.diagnostics:
        opened.documents.append(document)


def _checked(local: str | None) -> str | None:
    try:
        return None if local is None else NAME(local, "local queue manager")
    except DomainError as error:
        raise FactsError([Diagnostic("facts", str(error))]) from None


def _local_name(opened: _Opened, local: str | None) -> str | None:
    """The local queue manager's name if a facts file or the caller says it."""
    stated = [(document.source, name) for document in opened.documents if (name := _stated(document)) is not None]
    for source, name in stated[1:]:
        message = f"queue_manager {quoted(name)}: {stated[0][0]} has a queue_manager table too; allowed: one"
        opened.faults.append(Diagnostic(source, message))
    if not stated:
        return local
    source, name = stated[0]
    if local not in (None, name):
        opened.faults.append(Diagnostic(source, _not_the_local(name, local or "", opened)))
    return name


def _not_the_local(name: str, local: str, opened: _Opened) -> str:
    known = dict.fromkeys([name, *(script.queue_manager for script in opened.scripts if script.queue_manager)])
    wanted = f"but {quoted(local)} is asked for; known: {', '.join(known)}"
    near = "" if local in known else suggestion(local, known)
    return f"queue_manager {quoted(name)} is the local queue manager, {wanted}{near}"


def _stated(document: Document) -> str | None:
    """The name of the document's local queue manager; None if it has none, or one that cannot be."""
    try:
        return NAME(document.data["queue_manager"]["name"], "name")
    except (DomainError, KeyError, TypeError, IndexError):
        return None


def _assembled(opened: _Opened, name: str | None, lenient: bool) -> Assembly | None:
    """What the scripts say, seen from the queue manager ``name``, which a facts file may describe."""
    if not opened.scripts:
        return None
    described = [Script(document.source, name, ()) for document in opened.documents if name and _stated(document)]
    assembly = assemble([*opened.scripts, *described[:1]], name)
    forgiven = lenient and assembly.queue_manager is not None
    (opened.warnings if forgiven else opened.faults).extend(assembly.diagnostics)
    return assembly


def _the_put(files: Iterable[Facts], faults: list[Diagnostic]) -> Put | None:
    given = [facts for facts in files if facts.put is not None]
    for facts in given[1:]:
        message = f"put is given twice; it stands in {given[0].source} and in {facts.source}; allowed: one"
        faults.append(Diagnostic(facts.source, message))
    return given[0].put if given else None


def _own(files: Iterable[Facts], assembly: Assembly | None, sources: Sequence[Source]) -> tuple[QueueManager, Place]:
    """The local queue manager and where it stands; raises FactsError if there is none, or two."""
    seen = assembly.queue_manager if assembly else None
    for facts in files:
        if facts.queue_manager:
            place = Place(facts.source, None, "queue_manager")
            return (_completed(facts.queue_manager, place, seen) if seen else facts.queue_manager), place
    if seen is None:
        raise FactsError([Diagnostic(", ".join(source.name for source in sources) or "facts", NO_LOCAL)])
    return seen.fact, Place(seen.source, seen.line)


def _completed(own: QueueManager, place: Place, seen: Placed[QueueManager]) -> QueueManager:
    """The facts file's queue manager, in the clusters of its scripts where the file gives none.

    Raises FactsError if a script states the attributes of the queue manager too.
    """
    if seen.line is not None:
        there = Place(seen.source, seen.line)
        message = f"queue_manager {quoted(own.name)} is given twice; it stands in {place} and in {there}"
        raise FactsError([Diagnostic(seen.source, message, seen.line)])
    clusters, suspended = own.clusters or seen.fact.clusters, own.suspended or seen.fact.suspended
    return evolve(own, clusters=clusters, suspended=suspended)


def _listed(sources: Iterable[Source], files: Iterable[Facts], assembly: Assembly | None) -> list[Listed]:
    """The facts of all lists, in the order of their sources."""
    found = [each for facts in files for each in listed_facts(facts)]
    if assembly:
        found += [
            Listed(name, each.fact, Place(each.source, each.line))
            for name in FIELDS
            for each in getattr(assembly, name)
        ]
    rank = {source.name: at for at, source in enumerate(sources)}
    return sorted(found, key=lambda each: rank[each.place.source])
