"""Traffic counted by DuckDB: a log of puts of any size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mqclause.answers.cluster.traffic import Traffic
from mqclause.duckdb.dialect import DUCKDB
from mqclause.duckdb.sources import GivenTable
from mqclause.tables.put_log import grouped_by, measured, traffic_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def traffic(source: DuckDBPyRelation | str | Path | Any, connection: DuckDBPyConnection | None = None) -> Traffic:
    """How many puts ``source`` has of each queue at each queue manager, by its columns queue, from and count.

    It is a relation, a DataFrame or Arrow table, or the path of Parquet files. ``from`` is where the put was made;
    ``count`` may be missing: a row is one put. Raises TableError.
    """
    relation = GivenTable.of(source, connection).relation
    keys, values = grouped_by(relation.columns), measured(relation.columns)
    columns = {**keys, **values}
    aggregated = relation.aggregate(
        ", ".join(f"{DUCKDB.text(tree)} AS {name}" for name, tree in columns.items()),
        ", ".join(DUCKDB.text(tree) for tree in keys.values()),
    )
    return traffic_of(dict(zip(columns, row, strict=True)) for row in aggregated.fetchall())
