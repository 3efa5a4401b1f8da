"""What decide is given besides a table: the clusters, and where a flat table has what its puts say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlglot import exp

from mqclause.documents.workload import OUTCOME
from mqclause.language.sql import Node, literal
from mqclause.model.diagnostic import DomainError, instead
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import NAME_GIVEN
from mqclause.tables.cluster_puts import ClusterPuts
from mqclause.tables.columns import PUT, Column, TableError
from mqclause.tables.demands import PUT_NAMES
from mqclause.tables.functions import column
from mqclause.tables.shape import (
    FieldType,
    ListOf,
    Sources,
    ValueSource,
    check_fits,
    check_free,
    situation_fields,
    spelt,
    there,
)
from mqclause.tables.shares import Spread, from_start

GIVEN = tuple(name for name, each in PUT.items() if not each.optional)
"""What decide may be told of puts: the fields that the cluster does not say."""


def cluster_puts(
    columns: Mapping[str, FieldType],
    clusters: Cluster | Mapping[str, Cluster],
    at: str | None,
    given: Mapping[str, Any],
    spread: Spread | None = None,
) -> ClusterPuts:
    """The puts of a table with these columns: in a struct ``put``, or where it is ``given``. Raises TableError."""
    check_free(OUTCOME.row.answer, columns)
    by_name = _by_name(clusters, at)
    if spread is not None and spread.from_start:
        by_name = {name: from_start(each) for name, each in by_name.items()}
    where = None if at is None else _source_at(columns, at)
    if given:
        return ClusterPuts(by_name, _flat(columns, given, by_name.values()), None, where)
    if spelt("put", columns) is None:
        flat = 'of a flat table say which columns its puts are in, like queue="DEST"'
        raise TableError(f"column put is missing; {flat}{instead('put', columns, 'the table has')}")
    return ClusterPuts(by_name, situation_fields(columns, OUTCOME), column(there("put", columns)), where)


def check_no_cluster(at: str | None, given: Mapping[str, Any]) -> None:
    """Raises TableError where something is told that only a cluster needs."""
    for name in (*(["at"] if at is not None else []), *given):
        raise TableError(f"{name}=…: is for puts that a cluster is given for; this table has its own destinations")


def check_clusters(clusters: Cluster | Mapping[Any, Cluster]) -> None:
    """Raises TableError for what is neither a cluster nor several."""
    for each in clusters.values() if isinstance(clusters, Mapping) else [clusters]:
        check_cluster(each)


def check_cluster(given: object) -> None:
    """Raises TableError for what is no cluster."""
    if not isinstance(given, Cluster):
        raise TableError(f"the cluster is a {type(given).__name__}; expected a Cluster, as a snapshot's .cluster is")


def _by_name(clusters: Cluster | Mapping[str, Cluster], at: str | None) -> Mapping[str, Cluster]:
    check_clusters(clusters)
    if isinstance(clusters, Cluster):
        if at is not None:
            raise TableError(f"at={at!r}: several clusters are needed, by the names of their local queue managers")
        return {clusters.queue_manager.name: clusters}
    if at is None:
        raise TableError("several clusters are given; at=… names the column with the local queue manager of each row")
    if not clusters:
        raise TableError("no cluster is given")
    try:
        return {NAME_GIVEN(name, "at"): each for name, each in clusters.items()}
    except DomainError as error:
        raise TableError(str(error)) from None


def _source_at(columns: Mapping[str, FieldType], at: str) -> ValueSource:
    own = there(at, columns)
    check_fits(columns[own], Column(own, NAME_GIVEN, ""), own)
    value: Node = exp.column(own, quoted=True)
    return ValueSource(exp.cast(exp.null(), "TEXT") if columns[own] == "null" else value, "text", own)


def _flat(columns: Mapping[str, FieldType], given: Mapping[str, Any], clusters: Collection[Cluster]) -> Sources:
    for name in given:
        if name not in GIVEN:
            raise TableError(f"{name}=…: not a field of a put{instead(name, GIVEN)}")
    if all(given.get(name) is None for name in PUT_NAMES):
        raise TableError(f"a put names one of them: {'=… or '.join(PUT_NAMES)}=…")
    found = {name: _source(columns, PUT[name], value, clusters) for name, value in given.items() if value is not None}
    return {name: [found[name]] for name in PUT if name in found and found[name].kind != "null"}


def _source(columns: Mapping[str, FieldType], of: Column, value: Any, clusters: Collection[Cluster]) -> ValueSource:
    """A column of the table, or a value that is the same in all rows."""
    own = spelt(value, columns) if isinstance(value, str) else None
    if own is not None:
        check_fits(columns[own], of, own)
        return ValueSource(exp.column(own, quoted=True), columns[own], own)
    try:
        same = of.domain(value, of.name)
    except DomainError as error:
        raise TableError(_no_column(of, value, columns) if isinstance(value, str) else str(error)) from None
    if of.name in PUT_NAMES and not any(same in known for each in clusters for known in _names(each)):
        raise TableError(_no_column(of, value, columns))
    return ValueSource(literal(same), ListOf("text") if of.kind == "texts" else of.kind, of.name)


def _names(cluster: Cluster) -> Iterable[Collection[str]]:
    own = (cluster.queue_manager.name,)
    return cluster.queues_by_name, cluster.aliases_by_name, cluster.remote, own


def _no_column(of: Column, value: str, columns: Collection[str]) -> str:
    """A word that is neither a column nor what the field may hold in every row."""
    what = "name in the cluster" if of.name in PUT_NAMES else "value that it may have"
    return f"{of.name}={value!r} is neither a column nor a {what}{instead(value, columns, 'the table has')}"
