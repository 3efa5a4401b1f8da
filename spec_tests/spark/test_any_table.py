"""Any table in Spark: its names, types and rows, against DuckDB and one row at a time."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import pyarrow as pa

from mqclause import duckdb
from mqclause import spark as native
from mqclause.tables.columns import TableError
from mqclause.tables.row import Rows
from spec_tests.commands.test_batch_folders import check_union
from spec_tests.spark.test_table import collected, folder, frame
from spec_tests.support.deep import first
from spec_tests.support.random_clusters import random_case
from spec_tests.support.random_rows import answers, arrow_table

__all__ = ["folder"]


def test_flat_puts_of_several_queue_managers(spark: Any) -> None:
    cluster, _ = random_case(Random(3))
    name = cluster.queues[0].name
    rows = [
        (0, name, "QM1", "x"),
        (1, f"{name}  ", "QM2 ", "NOTFIXED"),
        (2, "NO", "QM9", ""),
        (3, "A B", "QM1", None),
        (4, None, None, "OPEN"),
    ]
    df = spark.createDataFrame(rows, "id bigint, `state` string, `At` string, c string")
    table = pa.table(dict(zip(df.columns, map(list, zip(*rows, strict=True)), strict=True)))
    clusters, given = {"QM1": cluster, "QM2": cluster}, {"at": "AT", "queue": "State", "bind": "C", "call": "MQOPEN"}
    found = native.decide(df, clusters, None, True, **given)
    assert found.columns == ["id", "state", "At", "c", "decision"]
    expected = answers(duckdb.decide(table, clusters, explain=True, **given))
    assert collected(found) == expected
    assert [each["message"] for each in expected] == [
        "c = 'x'; allowed: OPEN, NOTFIXED, GROUP, AS_Q_DEF", None, "At = 'QM9'; allowed: QM1, QM2",
        "state = 'A B'; allowed: a name of 0 to 48 characters out of A-Z a-z 0-9 . _ / %", "At = null; allowed: QM1, QM2",
    ]  # fmt: skip


TABLES = ["sample", "as it is", "limit", "chance", "union"]


@pytest.mark.parametrize("kind", first(1, TABLES))
def test_tables_that_are_not_the_same_each_time_keep_their_rows(spark: Any, kind: str) -> None:
    cluster, _ = random_case(Random(3))
    name = cluster.queues[0].name
    puts = spark.range(3000).selectExpr("id", f"IF(rand() < 0.5, '{name}', substr(uuid(), 1, 8)) AS q", "'QM1' AS mqqm")
    if kind == "as it is":
        odd = native.decide(puts, cluster, queue="q").where(f"(q = '{name}') = (decision.reason <=> 2085)")
        assert odd.count() == 0
        return
    kinds = {
        "sample": lambda: puts.sample(0.3),
        "limit": lambda: puts.limit(500),
        "chance": lambda: puts.where("rand() < 0.4"),
        "union": lambda: puts.union(puts),
    }
    df = kinds[kind]().cache()
    kept = native.decide(df, cluster, queue="q")
    assert kept.count() == df.count()
    odd = kept.where(f"q = '{name}' AND decision.outcome <> 'chosen' OR decision IS NULL")
    assert odd.where("decision.reason = 2085").count() == 0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["put", "destinations", "a", "A"], "column A and a differ in letter case only"),
        (["put", "destinations", "a", "a"], "column a is there twice"),
        (["put", "destinations", "a", "Decision"], "the table has a column Decision already"),
        (
            ["put", "destinations", "a", "MQ_NUMBER"],
            "column MQ_NUMBER: names that begin with mq_ are used by mqclause itself",
        ),
    ],
)
def test_columns_that_are_not_each_ones_own(spark: Any, columns: list[str], message: str) -> None:
    df = spark.sql("SELECT named_struct('queue', 'Q'), array(named_struct('queue_manager', 'QM2')), 1, 2").toDF(
        *columns
    )
    cluster, _ = random_case(Random(3))
    for given in (None, cluster):
        with pytest.raises(TableError) as raised:
            native.decide(df, given)
        assert str(raised.value) == message


@pytest.mark.parametrize("value", first(1, ["true", "false"]))
def test_names_in_any_letter_case_and_keywords(spark: Any, value: str) -> None:
    among = "array(named_struct('QUEUE_MANAGER', 'QM1 ', 'Channel_Rank', 1.0), named_struct('QUEUE_MANAGER', 'QM2', 'Channel_Rank', 2.0))"
    df = spark.sql(f"SELECT named_struct('Queue', 'Q', 'CALL', 'mqopen') AS PUT, {among} AS Destinations")
    names = ("spark.sql.caseSensitive", "spark.sql.ansi.enforceReservedKeywords")
    for name in names:
        spark.conf.set(name, value)
    try:
        (row,) = native.decide(df).collect()
        assert (row.decision.queue_manager, row.asDict().keys()) == ("QM2", {"PUT", "Destinations", "decision"})
    finally:
        for name in names:
            spark.conf.unset(name)


@pytest.mark.parametrize("ansi", first(1, ["false", "true"]))
def test_messages_are_those_of_the_other_engines(spark: Any, folder: Path, ansi: str) -> None:
    """Numbers as Python writes them; null and letters of other alphabets whether ANSI is on or off."""
    numbers = [-1.0, -1e7, -1.5e20, -1e-5, -1.25e-4, -123456789012345678.0, -9999999999999998.0, -1e16, -0.001]
    numbers += [float("nan"), float("inf"), float("-inf")]
    rows: list[Any] = [({"queue": "Q"}, [{"queue_manager": "QM2", "dest_seq_factor": each}]) for each in numbers]
    rows += [({"queue": "Q"}, None), ({"queue": "Q"}, []), ({"queue": "Q"}, [{"channel_status": "\ufb06ARTING"}])]
    rows += [({"queue": "Q", "bind": "NOTF\u0131XED"}, [{"queue_manager": "QM2"}])]
    rows += [({"queue": "Q"}, [{"queue_manager": "Q", name: "\u00e9 "}]) for name in ("queue", "channel", "cluster")]
    rows += [({"queue": "Q\n"}, []), ({"queue": "Q", "already_sent_to": ["A ", None, " "]}, [])]
    df = frame(spark, folder, "messages", arrow_table(rows))
    expected = [Rows().decision(put, among)["message"] for put, among in rows]
    assert None not in expected
    assert len(set(expected)) == len(rows) - 1
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    try:
        assert [each["message"] for each in collected(native.decide(df))] == expected
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")


TIES = [({"spread": "KEY"}, {}), ({"shares": True, "spread": "id"}, {"cluster_pcf": True, "already_sent_to": ["QM1"]})]


@pytest.mark.parametrize(("given", "more"), first(1, TIES))
def test_ties_are_spread_as_in_duckdb(spark: Any, given: dict[str, Any], more: dict[str, Any]) -> None:
    cluster, _ = random_case(Random(3))
    name = cluster.queues[0].name
    rows = [(at, name, f"key {at} é") for at in range(50)]
    table = pa.table(dict(zip(("id", "q", "key"), map(list, zip(*rows, strict=True)), strict=True)))
    df = spark.createDataFrame(rows, "id bigint, q string, key string")
    expected = answers(duckdb.decide(table, cluster, queue="q", **given, **more))
    assert collected(native.decide(df, cluster, queue="q", **given, **more)) == expected


def test_files_of_one_folder_may_differ_in_their_columns(spark: Any, tmp_path: Path) -> None:  # noqa: ARG001
    check_union(tmp_path / "out.parquet", "spark")
