"""A cluster as a table: for each name that a put can give, the destinations that it names and its default binding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import asdict

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.destination import destinations
from mqclause.model.facts.objects import Put
from mqclause.model.facts.situation import default_binding
from mqclause.tables.columns import DESTINATION, Column


def snapshot_rows(cluster: Cluster, every_local_channel: bool) -> Iterator[dict[str, Any]]:
    """A row for each queue, queue manager and alias: ``queue``, ``queue_manager``, ``defbind``, ``destinations``.

    A destination has the columns of columns.DESTINATION, null where a row of a table has null.
    """
    for put in named_puts(cluster):
        yield _row(cluster, put, every_local_channel)


def named_puts(cluster: Cluster) -> list[Put]:
    """A put to each name in the cluster."""
    named = dict.fromkeys([*queue_managers(cluster), *cluster.aliases_by_name])
    return [Put(queue=name) for name in cluster.queues_by_name] + [Put(queue_manager=name) for name in named]


def queue_managers(cluster: Cluster) -> list[str]:
    """The local queue manager and the others."""
    return [cluster.queue_manager.name, *cluster.remote]


def _row(cluster: Cluster, put: Put, every_local_channel: bool) -> dict[str, Any]:
    found = [asdict(each) for each in destinations(cluster, put, every_local_channel)]
    return {
        "queue": put.queue,
        "queue_manager": put.queue_manager,
        "defbind": default_binding(put, cluster),
        "destinations": [{name: _value(each[name], column) for name, column in DESTINATION.items()} for each in found],
    }


def _value(value: object, column: Column) -> object:
    """A blank is null in a table, but for a name, which is blank there too."""
    if value == "" and column.name in ("channel_status", "queue_type"):
        return None
    return value
