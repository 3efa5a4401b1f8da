"""Read any source as scripts, which is what checks look at: facts documents become commands that define."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from attrs import evolve

from mqclause.model.configuration.command_levels import write_version
from mqclause.model.configuration.sources import Source, SourceReader, read_file
from mqclause.model.facts.objects import Channel, Process, Queue, QueueManager, QueueManagerAlias, RemoteQueueManager
from mqclause.model.readers.facts_files import Facts, read_facts
from mqclause.model.readers.formats import FactsDocument
from mqclause.model.readers.mqsc import MQSC, Misplaced, read_mqsc
from mqclause.model.readers.records import LinePlace, Record, Script, Value
from mqclause.model.readers.registry import FORMATS

OBJECT_FIELDS = ("name", "queue_manager", "type", "trigger", "clusters", "suspended", "platform", "host")
"""The fields that are not attributes of the same name."""


AS_A_SCRIPT = Queue | Process | QueueManager | RemoteQueueManager | QueueManagerAlias | Channel


def read_scripts(source: Source, misplaced: Misplaced, reader: SourceReader) -> Iterator[Script]:
    """Read the scripts in a source; ``reader`` gathers what is wrong with it.

    What is ``misplaced`` is no fault of a script: a check finds it.
    """
    reading = partial(read_mqsc, kept=misplaced)
    formats = [evolve(each, read=reading) if each is MQSC else each for each in FORMATS]
    for contents in reader.read(source, partial(read_file, formats=formats)):
        if isinstance(contents, FactsDocument):
            facts = read_facts(contents.data, contents.source, "?", places=contents.places)
            faults = contents.diagnostics or facts.diagnostics
            reader.faults += faults
            yield from () if faults else build_scripts(facts, contents)
        else:
            for script in contents:
                reader.add_script_faults(script.diagnostics)
            yield from (evolve(each, overlay=source.overlay) for each in contents)


def build_scripts(facts: Facts, document: FactsDocument) -> Iterator[Script]:
    """Write what a facts document tells as a script for each queue manager."""
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


def _about_others(facts: Facts, own: str, document: FactsDocument) -> Iterator[Record]:
    """The queue manager itself, and what it knows of the other members."""
    if facts.queue_manager is not None:
        path = ("queue_manager",)
        known = facts.queue_manager
        level: dict[str, Value] = {"CMDLEVEL": str(known.command_level)} if known.command_level else {}
        yield _record(known, "QMGR", document, path, {"PLATFORM": known.platform, **level})
        yield from (_row(own, document, path, _in_cluster(name, known.suspended)) for name in known.clusters)
    for at, each in enumerate(facts.remote_queue_managers):
        for name in each.clusters:
            kind = "REPOS" if each.is_full_in(name) else "NORMAL"
            attributes = _in_cluster(name, each.suspended) | {"QMTYPE": kind}
            attributes |= {"VERSION": write_version(each.command_level)} if each.command_level else {}
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
