"""Tables of messages, and the order that DuckDB, and the rules over messages in memory, give them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from mqclause.duckdb import message_order
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.messages import Message
from mqclause.model.facts.objects import Queue
from mqclause.retrieval.order import Retrieval
from mqclause.rulebook.rules import Rules
from spec_tests.support.random_messages import COLUMNS
from spec_tests.support.together import connection

OF_QUEUE = ("arrival", "msgdlvsq", "defprty")
READINGS = ("first-in-sequence", "first-to-arrive")

TYPES = {
    "string": pa.string(), "int": pa.int32(), "bigint": pa.int64(), "boolean": pa.bool_(),
}  # fmt: skip


def ordered(rows: list[dict[str, Any]], cluster: Cluster | None = None, rules: Rules | None = None) -> dict[str, Any]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    schema = pa.schema([(name, TYPES[COLUMNS.get(name, "string")]) for name in names])
    table = pa.table({name: [row.get(name) for row in rows] for name in names}, schema)
    found = message_order(table, cluster, rules, connection=connection()).project("id, message_order").fetchall()
    assert sorted(name for name, _ in found) == sorted(row["id"] for row in rows)
    return dict(found)


def in_place(found: Mapping[str, Any], name: str) -> list[str]:
    places = {each[name]: message for message, each in found.items() if each[name] is not None}
    return [places[place] for place in range(1, len(places) + 1)]


def as_retrieval_says(rows: Iterable[Mapping[str, Any]], rules: Rules) -> dict[str, dict[str, Any]]:
    """What a table should say of the messages of one queue, by the rules over messages in memory."""
    listed = sorted(rows, key=lambda row: row["arrival"])
    given = {key: listed[0][key] for key in ("msgdlvsq", "defprty") if listed[0][key] is not None}
    messages = [
        Message(**{key: value for key, value in row.items() if key not in OF_QUEUE and value is not None})
        for row in listed
    ]
    order = Retrieval(rules).order(messages, Queue(listed[0]["queue"], "QM1", **given), "QM1")
    fell = {(each.message, each.of): each.rule.id for each in order.left_out}
    places = {
        name: {each.id: place for place, each in enumerate(getattr(order, name), 1)} for name in ("physical", "logical")
    }
    return {
        each.id: {
            **{name: places[name].get(each.id) for name in places},
            **{f"left_out_of_{name}": fell.get((each.id, name)) for name in places},
            "message": None,
        }
        for each in messages
    }
