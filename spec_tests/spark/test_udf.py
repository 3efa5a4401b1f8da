"""The functions on columns in Spark, against the same rows decided in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mqclause.rulebook.rule import ReadingError, RuleError
from mqclause.rulebook.rules import Rules
from mqclause.tables.row import Rows

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

from pyspark.sql import functions as F  # noqa: N812

from mqclause.spark.table import DECISION_TYPE, choose_destination_udf, explain_udf
from spec_tests.support.spark_tables import from_rows

SCHEMA = """
    put struct<queue: string, queue_manager: string, bind: string, call: string, from_cluster_channel: boolean,
        cluster_pcf: boolean, already_sent_to: array<string>, clwlmruc: int, unknown: timestamp>,
    destinations array<struct<queue: string, queue_manager: string, channel: string, is_local: boolean,
        put_enabled: boolean, clwluseq: string, channel_status: string, channel_rank: int, channel_weight: int,
        dest_seq_number: bigint, dest_seq_factor: double, note: string>>
"""


def remote(name: str, **fields: Any) -> dict[str, Any]:
    """A destination at ``name``; the fields not given are absent."""
    return {"queue": "Q", "queue_manager": name, "channel": f"TO.{name}", **fields}


ROWS: list[tuple[Any, Any]] = [
    ({"queue": "Q"}, [remote("QM2", channel_rank=1), remote("QM3", channel_status="running")]),
    ({"queue": "Q"}, [remote("QM2", dest_seq_factor=20.0, dest_seq_number=2**40), remote("QM3")]),
    ({"queue": "Q", "already_sent_to": ["QM2", None], "cluster_pcf": True}, [remote("QM2"), remote("QM3")]),
    ({"queue_manager": "QM2"}, [remote("QM2", queue=None)]),
    ({"queue": "Q"}, [remote("QM2", put_enabled=False)]),
    ({"queue": "Q", "bind": "NOTFIXED", "call": "MQOPEN"}, [remote("QM2")]),
    ({"queue": "Q"}, [{"queue": "Q", "queue_manager": "QM1", "is_local": True}, remote("QM2")]),
    (None, None),
    ({"queue": "Q"}, None),
    ({"queue": "Q"}, []),
    ({"queue": "Q"}, [remote("QM2"), None]),
    ({"queue": "Q"}, [remote("QM2", dest_seq_factor=float("nan"))]),
    ({"queue": "Q"}, [remote("QM2", clwluseq="QMGR")]),
]


BY_CHANNELS = Rules({"local-instance-competes": "clusrcvr-channels"})
"""By these another one is taken where a local queue is among them."""


@pytest.fixture(scope="module")
def decided(spark: Any) -> Any:
    """ROWS as every function decides them, by their places: one query, since each begins by binding its SQL anew."""
    rows = [(place, put, listed) for place, (put, listed) in enumerate(ROWS)]
    functions = {
        "plain": choose_destination_udf(),
        "text": explain_udf(BY_CHANNELS),
    }
    columns = [function("put", "destinations").alias(name) for name, function in functions.items()]
    found = from_rows(spark, rows, f"place int, {SCHEMA}").select("place", *columns)
    assert found.schema["plain"].dataType == DECISION_TYPE
    return sorted(found.collect(), key=lambda row: row.place)


def test_as_decided_here(decided: Any) -> None:
    rows = Rows()
    assert [row.plain.asDict() for row in decided] == [rows.decision(put, listed) for put, listed in ROWS]


def test_the_derivation_as_text(decided: Any) -> None:
    rows = Rows(BY_CHANNELS)
    assert [json.loads(row.text) for row in decided] == [
        json.loads(json.dumps(rows.explained(put, listed))) for put, listed in ROWS
    ]


def test_structs_without_a_field_are_rows_with_a_fault(spark: Any) -> None:
    named, nothing = F.struct(F.lit("QM2").alias("queue_manager")), F.struct()
    asked = [(nothing, named), (F.struct(F.lit("Q").alias("queue")), nothing)]
    columns = [explain_udf()(put, F.array(each)) for put, each in asked]
    expected = [Rows().explained({}, [{"queue_manager": "QM2"}]), Rows().explained({"queue": "Q"}, [{}])]
    assert [each["outcome"] for each in expected] == ["invalid", "invalid"]
    assert [json.loads(each) for each in spark.range(1).select(*columns).first()] == expected


@pytest.mark.parametrize("function", [choose_destination_udf, explain_udf])
def test_what_is_wrong_with_rules_is_told_at_once(function: Any, tmp_path: Path) -> None:
    with pytest.raises(ReadingError):
        function(Rules({"weight-step": "odd"}))
    (tmp_path / "workload").mkdir()
    (tmp_path / "workload" / "01_bad.toml").write_text("clause = 'workload/1'")
    with pytest.raises(RuleError):
        function(Rules(folder=tmp_path))
