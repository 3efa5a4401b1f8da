"""Facts documents as records: what they state of queues, processes and queue managers, as a script would."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mqclause.model.facts.objects import Process, Queue, QueueManager, RemoteQueueManager
from mqclause.model.readers.facts_document import FactsDocument
from mqclause.model.readers.facts_file import Facts
from mqclause.model.readers.record import Record, Script, Value

OF_OBJECT = ("name", "queue_manager", "type", "trigger", "clusters", "suspended")
"""The fields that are not attributes of the same name."""


def scripts_of(facts: Facts, document: FactsDocument) -> Iterator[Script]:
    """The objects of each queue manager that a facts document tells of."""
    own = facts.queue_manager.name if facts.queue_manager else ""
    found: dict[str, list[Record]] = {}
    if facts.queue_manager is not None:
        found[own] = [_record(facts.queue_manager, "QMGR", document, document.lines.line_of("queue_manager"))]
    for at, other in enumerate(facts.remote_queue_managers):
        if other.repository:
            line = document.lines.line_of("remote_queue_manager", at)
            found.setdefault(other.name, []).append(_record(other, "QMGR", document, line))
    for at, queue in enumerate(facts.queues):
        line = document.lines.line_of("queue", at)
        found.setdefault(queue.queue_manager, []).append(_record(queue, queue.type, document, line))
    for at, process in enumerate(facts.processes):
        found.setdefault(own, []).append(_record(process, "PROCESS", document, document.lines.line_of("process", at)))
    for owner, records in found.items():
        yield Script(document.source, owner, tuple(records), format=document.format)


def _record(
    fact: Queue | Process | QueueManager | RemoteQueueManager, kind: str, document: FactsDocument, line: int | None
) -> Record:
    attributes: dict[str, Value] = {}
    for each in fact.__attrs_attrs__:
        value: Any = getattr(fact, each.name)
        if each.name not in OF_OBJECT and type(value) in (str, int):
            attributes[each.name.upper()] = str(value)
    if isinstance(fact, Queue):
        attributes |= {"CLUSTER": fact.clusters} | ({"TRIGGER": ""} if fact.trigger else {})
    if isinstance(fact, RemoteQueueManager):
        attributes["REPOS"] = fact.clusters
    name = "" if kind == "QMGR" else fact.name
    return Record("define", kind, name, attributes, source=document.source, line=line)
