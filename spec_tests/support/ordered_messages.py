"""Tables of messages, and the order that DuckDB gives them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from mqclause.duckdb import message_order
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.rules import Rules
from spec_tests.support.random_messages import COLUMNS

READINGS = ("first-in-sequence", "first-to-arrive")

TYPES = {
    "string": pa.string(), "int": pa.int32(), "bigint": pa.int64(), "boolean": pa.bool_(),
}  # fmt: skip


def ordered(rows: list[dict[str, Any]], cluster: Cluster | None = None, rules: Rules | None = None) -> dict[str, Any]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    schema = pa.schema([(name, TYPES[COLUMNS.get(name, "string")]) for name in names])
    table = pa.table({name: [row.get(name) for row in rows] for name in names}, schema)
    found = message_order(table, cluster, rules).project("id, message_order").fetchall()
    assert sorted(name for name, _ in found) == sorted(row["id"] for row in rows)
    return dict(found)
