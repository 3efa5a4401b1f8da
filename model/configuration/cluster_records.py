"""What displays show of a cluster's queues and routes, beside the objects of their owners."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import fields, frozen

from mqclause.model.configuration.attributes import FACT_ATTRIBUTES
from mqclause.model.configuration.objects import CONFIGURED_QUEUES, MqObject, QueueManagerObjects
from mqclause.model.configuration.provenance import PlacedFact
from mqclause.model.diagnostics import Diagnostic
from mqclause.model.facts.objects import Channel, Queue

FileLine = tuple[str, int | None]
"""A file and a line of it."""

RECORDED_ATTRIBUTES = tuple(name for name, _ in FACT_ATTRIBUTES["QCLUSTER"].values() if name)
"""The attributes of a queue that go round in its clusters, as fields of facts."""

_SHOWN_OF_ROUTES = {name for name, _ in FACT_ATTRIBUTES["CLUSQMGR"].values() if name}
ROUTE_ATTRIBUTES = tuple(name for name, _ in FACT_ATTRIBUTES["CHANNEL"].values() if name in _SHOWN_OF_ROUTES)
"""The attributes of a CLUSRCVR that go round in its clusters, as fields of facts."""

MADE_BY_RECEIVERS = ("CLUSSDRA", "CLUSSDRB")
"""The DEFTYPE of routes that have their attributes from the CLUSRCVR."""

_DEFAULTS: Mapping[str, Any] = {
    each.name: each.default
    for of, names in ((Queue, RECORDED_ATTRIBUTES), (Channel, ROUTE_ATTRIBUTES))
    for each in fields(of)
    if each.name in names
}

COUNTS = "which counts for choices made at {}"


@frozen(eq=False)
class ClusterRecord:
    """The record that ``at`` displays of a queue of ``owner`` in a cluster: the ``values`` shown, and where."""

    name: str
    owner: str
    cluster: str
    at: str
    values: Mapping[str, Any]
    place: FileLine

    @classmethod
    def of(cls, row: MqObject, at: str) -> ClusterRecord:
        """Read a row of DISPLAY QCLUSTER."""
        place = row.record.source, row.record.line
        return cls(row.name, row.text("CLUSQMGR"), row.text("CLUSTER"), at, row.fields, place)


def _select_cluster_records(rows: Iterable[MqObject]) -> list[MqObject]:
    """Select the rows that tell of a queue, or of a queue-manager alias, in a cluster, and whose it is."""
    return [row for row in rows if row.kind == "QCLUSTER" and row.text("CLUSQMGR") and row.text("CLUSTER")]


def find_outdated_records(
    rows: Sequence[MqObject],
    local: str,
    members: Mapping[str, QueueManagerObjects],
    heard_of: Iterable[QueueManagerObjects],
) -> Iterator[Diagnostic]:
    """Find displayed rows that differ from the owner's queue: those of ``local``, and of owners themselves.

    Of what owners display it tells those alone that ``local`` has ``heard_of`` by their channels: of any other one it
    knows just the rows that it displays itself.
    """
    own = (row for member in heard_of if member.name != local
           for row in _select_cluster_records(member.rows) if row.text("CLUSQMGR") == member.name)  # fmt: skip
    shown = (*((row, local) for row in _select_cluster_records(rows)), *((row, row.text("CLUSQMGR")) for row in own))
    owned = {
        owner: {each.name: each for each in members[owner].of(*CONFIGURED_QUEUES)}
        for owner in {row.text("CLUSQMGR") for row, _ in shown} & members.keys()
    }
    for row, at in shown:
        owner = row.text("CLUSQMGR")
        found = owned.get(owner, {}).get(row.name)
        if found is not None:
            yield from _tell_differing(row, found, owner, at, RECORDED_ATTRIBUTES)


def find_outdated_routes(
    rows: Iterable[MqObject], local: str, members: Mapping[str, QueueManagerObjects]
) -> Iterator[Diagnostic]:
    """Find rows of DISPLAY CLUSQMGR at ``local`` that differ from the CLUSRCVR of those whom they are about."""
    for row in rows:
        if row.name in members and row.name != local and row.fields.get("deftype") in MADE_BY_RECEIVERS:
            for found in members[row.name].channels("CLUSRCVR"):
                if found.name == row.text("CHANNEL"):
                    yield from _tell_differing(row, found, row.name, local, ROUTE_ATTRIBUTES)


def _tell_differing(
    row: MqObject, found: MqObject, owner: str, at: str, names: Collection[str]
) -> Iterator[Diagnostic]:
    """Tell what ``at`` shows in a row otherwise than it is ``found`` with its ``owner``."""
    for name in _find_differing_attributes(row, found, names):
        word, value = name.upper(), found.fields.get(name, _DEFAULTS[name])
        there, here = (each.find_statement(word) or each.record for each in (found, row))
        counts = COUNTS.format("other queue managers" if at == owner else at)
        known = f"{row.fields[name]} in what {at} knows of it ({here.describe_place(word)}), {counts}"
        message = f"{word} of {found.name} is {value} at {owner} ({there.describe_place(word)}), and {known}"
        yield Diagnostic(here.source, message, *here.place_of(word))


def apply_published_attributes(
    placed: Iterable[PlacedFact[Any]], rows: Iterable[MqObject]
) -> Iterator[PlacedFact[Any]]:
    """Apply what a member displays of its own queues in clusters: so others know them."""
    shown = {(row.name, row.text("CLUSTER")): row for row in _select_cluster_records(rows)}
    for each in placed:
        keys = ((each.fact.name, cluster) for cluster in each.fact.clusters)
        row = next((shown[key] for key in keys if key in shown), None)
        if row is None:
            yield each
        else:
            kept = [name for name in RECORDED_ATTRIBUTES if name in row.fields and hasattr(each.fact, name)]
            yield each.replace_values({name: row.fields[name] for name in kept}, row.origin)


def _find_differing_attributes(row: MqObject, found: MqObject, names: Collection[str]) -> Iterator[str]:
    """The attributes that a row shows otherwise than the owner's object is known to have them."""
    if found.clusters and row.text("CLUSTER") not in found.clusters:
        return
    is_defined = any(each.action == "define" for each in found.statements)
    for name in names:
        is_told = name in row.fields and (is_defined or name in found.fields)
        if is_told and row.fields[name] != found.fields.get(name, _DEFAULTS[name]):
            yield name
