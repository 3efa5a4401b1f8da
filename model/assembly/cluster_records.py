"""Cluster records: what queue managers know of a clustered queue, which need not be as its owner has it by now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import fields, frozen

from mqclause.model.assembly.attributes import FACT_ATTRIBUTES
from mqclause.model.assembly.configured import FileLine
from mqclause.model.assembly.mq_object import MqObject
from mqclause.model.assembly.objects import Objects
from mqclause.model.assembly.observed import over
from mqclause.model.assembly.provenance import Placed
from mqclause.model.diagnostic import Diagnostic
from mqclause.model.facts.objects import Queue
from mqclause.model.readers.record import Record

RECORDED = tuple(name for name, _ in FACT_ATTRIBUTES["QCLUSTER"].values() if name)
"""The attributes of a queue that go round in its clusters, as fields of facts."""

_DEFAULTS: Mapping[str, Any] = {each.name: each.default for each in fields(Queue) if each.name in RECORDED}

COUNTS = "which counts for choices made at {}"


@frozen(eq=False)
class ClusterRecord:
    """What ``at`` displays of a queue that ``owner`` has in a cluster: the ``values`` shown, and where."""

    name: str
    owner: str
    cluster: str
    at: str
    values: Mapping[str, Any]
    place: FileLine

    @classmethod
    def of(cls, row: MqObject, at: str) -> ClusterRecord:
        """What a row of DISPLAY QCLUSTER shows."""
        place = row.record.source, row.record.line
        return cls(row.name, row.text("CLUSQMGR"), row.text("CLUSTER"), at, row.fields, place)


def records_of(rows: Iterable[MqObject]) -> list[MqObject]:
    """The rows that tell of a queue, or of an alias of a queue manager, in a cluster, and whose it is."""
    return [row for row in rows if row.kind == "QCLUSTER" and row.text("CLUSQMGR") and row.text("CLUSTER")]


def outdated_records(
    rows: Sequence[MqObject], local: str, members: Mapping[str, Objects], heard_of: Iterable[Objects]
) -> Iterator[Diagnostic]:
    """Where a row that ``local`` displays, or the owner of a queue of its own, is not as the owner has the queue.

    Of what owners display it tells those alone that ``local`` has ``heard_of`` by their channels: of any other one it
    knows just the rows that it displays itself.
    """
    own = (row for member in heard_of if member.name != local
           for row in records_of(member.rows) if row.text("CLUSQMGR") == member.name)  # fmt: skip
    shown = (*((row, local) for row in records_of(rows)), *((row, row.text("CLUSQMGR")) for row in own))
    owned = {owner: _queues(members[owner]) for owner in {row.text("CLUSQMGR") for row, _ in shown} & members.keys()}
    for row, at in shown:
        owner = row.text("CLUSQMGR")
        found = owned.get(owner, {}).get(row.name)
        for name in () if found is None else _differing(row, found):
            assert found is not None, "else nothing differs"  # noqa: S101
            word, value = name.upper(), found.fields.get(name, _DEFAULTS[name])
            there, here = (each.stating(word) or each.record for each in (found, row))
            counts = COUNTS.format("other queue managers" if at == owner else at)
            known = f"{row.fields[name]} in what {at} knows of it ({_place(here, word)}), {counts}"
            said = f"{word} of {row.name} is {value} at {owner} ({_place(there, word)}), and {known}"
            yield Diagnostic(here.source, said, *here.place_of(word))


def _queues(owner: Objects) -> dict[str, MqObject]:
    return {each.name: each for each in owner.of("QLOCAL", "QALIAS", "QREMOTE")}


def _differing(row: MqObject, found: MqObject) -> Iterator[str]:
    """The attributes that a row shows otherwise than the owner's queue is known to have them."""
    if found.clusters and row.text("CLUSTER") not in found.clusters:
        return
    is_defined = any(each.action == "define" for each in found.statements)
    for name in RECORDED:
        is_told = name in row.fields and (is_defined or name in found.fields)
        if is_told and row.fields[name] != found.fields.get(name, _DEFAULTS[name]):
            yield name


def as_published(placed: Iterable[Placed[Any]], rows: Iterable[MqObject]) -> Iterator[Placed[Any]]:
    """The queues of a member as others know them: by what it displays of its own in its clusters, where it does."""
    shown = {(row.name, row.text("CLUSTER")): row for row in records_of(rows)}
    for each in placed:
        keys = ((each.fact.name, cluster) for cluster in each.fact.clusters)
        row = next((shown[key] for key in keys if key in shown), None)
        if row is None:
            yield each
        else:
            kept = [name for name in RECORDED if name in row.fields and hasattr(each.fact, name)]
            yield over(each, row, {name: row.fields[name] for name in kept})


def _place(record: Record, word: str) -> str:
    line = record.line_of(word)
    return record.source if line is None else f"{record.source}:{line}"
