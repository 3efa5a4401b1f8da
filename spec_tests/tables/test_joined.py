"""The key of a put in a cluster says all that makes a difference: the put is read from it as it was written."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import duckdb
import pyarrow as pa
from random_rows import arrow_struct

from mqclause import Cluster, QueueManager
from mqclause.columns import PUT
from mqclause.sql.dialect import DUCKDB, lowered
from mqclause.sql.joined import BITS, LAYOUT, TEXT, joined_puts
from mqclause.sql.shape import ListOf, Struct

CLUSTER = Cluster(QueueManager("QM1", clusters=("SALES",), clwlmruc=7))
READ_AS_NULL: dict[str, Any] = {
    "queue": "", "queue_manager": "", "bind": "AS_Q_DEF", "call": "MQPUT", "from_cluster_channel": False,
    "cluster_pcf": False, "already_sent_to": [], "clwlmruc": 7,
}  # fmt: skip
PUTS: list[dict[str, Any]] = [
    {},
    {"queue": "Q"},
    {"queue_manager": "QM2", "bind": "GROUP", "call": "MQPUT1", "cluster_pcf": True},
    {"queue": "Q", "bind": "OPEN", "call": "MQOPEN", "from_cluster_channel": True, "clwlmruc": 999_999_999},
    *({"queue": name, "already_sent_to": sent} for name in ("", "Q", "é𝄞e\u0301", "Q" * 125, "Q" * 126, "Q" * 500)
      for sent in (["QM2"], [""], ["é𝄞"], [None], ["QM2", "QM3"], ["QM2", None])),
    {"queue": "Q", "already_sent_to": ["QM2"], "call": "mqget"},
    {"queue": "Q", "bind": "", "clwlmruc": -1},
]  # fmt: skip


def sql(source: str) -> str:
    return lowered(source, DUCKDB).sql(dialect="duckdb")


@pytest.mark.parametrize("put", PUTS)
def test_a_put_is_read_from_its_key_as_it_was_written(put: dict[str, Any]) -> None:
    puts = pa.table({"put": pa.array([dict.fromkeys(PUT) | put], arrow_struct(PUT))})
    kinds = dict.fromkeys(PUT, "text") | {"already_sent_to": ListOf("text"), "clwlmruc": "integer"}
    kinds |= {"from_cluster_channel": "boolean", "cluster_pcf": "boolean"}
    joined = joined_puts({"put": Struct(kinds)}, CLUSTER)
    fields = ", ".join(f"{sql(joined.put[name])} AS {name}" for name in LAYOUT)
    keys = f"SELECT {BITS}, {sql(joined.text)} AS {TEXT} FROM (SELECT put, {sql(joined.bits)} AS {BITS} FROM puts)"
    read = duckdb.from_arrow(puts).query("puts", f"SELECT {fields} FROM ({keys})").to_arrow_table().to_pylist()
    assert read == [READ_AS_NULL | put]
