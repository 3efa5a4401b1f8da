"""The functions on columns in Spark, against the same rows decided in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mqclause.rulebook.rule import ReadingError, RuleError
from mqclause.rulebook.rules import Rules
from mqclause.tables.row import Rows
from mqclause.tables.schema import DESTINATION, NOT_ALLOWED, render_null_fault

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

from mqclause.spark.table import DECISION_TYPE, choose_destination_udf, explain_udf

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


def table(spark: Any) -> Any:
    """ROWS as a DataFrame, numbered."""
    rows = [(place, put, listed) for place, (put, listed) in enumerate(ROWS)]
    return spark.createDataFrame(rows, f"place int, {SCHEMA}").repartition(2)


@pytest.mark.parametrize("explain", [False, True])
def test_as_decided_here(explain: bool, spark: Any) -> None:
    decided = choose_destination_udf(explain=explain)("put", "destinations").alias("decision")
    found = table(spark).select("place", decided)
    assert found.schema["decision"].dataType == DECISION_TYPE
    rows = Rows()
    assert [row.decision.asDict() for row in found.orderBy("place").collect()] == [
        rows.decision(put, listed, explain) for put, listed in ROWS
    ]


def test_the_derivation_as_text(spark: Any) -> None:
    rules = Rules({"weight-step": "truncated"})
    found = table(spark).select("place", explain_udf(rules)("put", "destinations").alias("text"))
    rows = Rows(rules)
    assert [json.loads(row.text) for row in found.orderBy("place").collect()] == [
        json.loads(json.dumps(rows.explained(put, listed))) for put, listed in ROWS
    ]


def test_in_sql(spark: Any) -> None:
    spark.udf.register("choose_destination", choose_destination_udf())
    query = "select choose_destination(named_struct('queue', 'Q'), array(named_struct('queue_manager', 'QM2', 'channel_rank', {}))) as found"
    first, second = (spark.sql(query.format(rank)).collect()[0].found for rank in ("9", "10"))
    assert (first.outcome, first.permitted) == ("chosen", 1)
    allowed = DESTINATION["channel_rank"].allowed
    message = NOT_ALLOWED.format(column="destinations[0].channel_rank", value=10, allowed=allowed)
    assert (second.outcome, second.message) == ("invalid", message)
    absent = spark.sql("select choose_destination(null, null) as found").collect()[0].found
    assert (absent.outcome, absent.message) == ("invalid", render_null_fault("put"))


@pytest.mark.parametrize("function", [choose_destination_udf, explain_udf])
def test_what_is_wrong_with_rules_is_told_at_once(function: Any, tmp_path: Path) -> None:
    with pytest.raises(ReadingError):
        function(Rules({"weight-step": "odd"}))
    (tmp_path / "workload").mkdir()
    (tmp_path / "workload" / "01_bad.toml").write_text("clause = 'workload/1'")
    with pytest.raises(RuleError):
        function(Rules(folder=tmp_path))
