"""Any table in Spark: its names, types and rows, against DuckDB and one row at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import pyarrow as pa

from mqclause import duckdb
from mqclause import spark as native
from mqclause.tables.schema import TableError
from spec_tests.support.batch_folders import check_type, check_union
from spec_tests.support.deep import first
from spec_tests.support.random_rows import answers
from spec_tests.support.spark_tables import collected, from_rows
from spec_tests.support.weighted_routes import cluster

SPREADS = [
    ({"spread": "KEY"}, {}, False),
    ({"spread": "KEY"}, {}, True),
    ({"shares": True, "spread": "id"}, {"cluster_pcf": True, "already_sent_to": ["QM2"]}, True),
]


@pytest.mark.parametrize(("given", "more", "explain"), first(1, SPREADS))
def test_flat_puts_of_several_queue_managers_are_spread_as_in_duckdb(
    spark: Any, given: dict[str, Any], more: dict[str, Any], explain: bool
) -> None:
    name, tied = "ORDERS.IN", cluster(20, 50, 20, 10)
    rows: list[tuple[Any, ...]] = [
        (0, name, "QM1", "x"),
        (1, f"{name}  ", "QM2 ", "NOTFIXED"),
        (2, "NO", "QM9", ""),
        (3, "A B", "QM1", None),
        (4, None, None, "OPEN"),
        *((at, name, "QM1", "OPEN") for at in range(5, 50)),
    ]
    rows = [(*row, f"key {row[0]} é") for row in rows]
    df = from_rows(spark, rows, "id bigint, `state` string, `At` string, c string, key string")
    table = pa.table(dict(zip(df.columns, map(list, zip(*rows, strict=True)), strict=True)))
    clusters = {"QM1": tied, "QM2": tied}
    named: dict[str, Any] = {"at": "AT", "queue": "State", "bind": "C", "call": "MQOPEN"}
    found = native.decide(df, clusters, None, explain, **named, **given, **more)
    assert found.columns == ["id", "state", "At", "c", "key", "decision"]
    expected = answers(duckdb.decide(table, clusters, explain=explain, **named, **given, **more))
    assert collected(found) == expected
    assert {"QM3", "QM4"} <= {each["queue_manager"] for each in expected[5:]}
    assert [each["message"] for each in expected[:5]] == [
        "c = 'x'; allowed: OPEN, NOTFIXED, GROUP, AS_Q_DEF", None, "At = 'QM9'; allowed: QM1, QM2",
        "state = 'A B'; allowed: a name of 0 to 48 characters out of A-Z a-z 0-9 . _ / %", "At = null; allowed: QM1, QM2",
    ]  # fmt: skip


def test_rows_with_their_own_destinations_are_spread_as_in_duckdb(spark: Any) -> None:
    """But for those whose value is null: their place in the table is Spark's own, which is DuckDB's in the first
    partition and another in those after it.
    """
    put, listed = (
        "named_struct('queue', 'Q') AS put",
        "transform(array('QM2', 'QM3'), n -> named_struct('queue_manager', n))",
    )
    keys = "IF(id % 3 = 0, NULL, id * 7919) AS `a key`"
    df = spark.range(0, 400, 1, 2).selectExpr("id", put, f"{listed} AS destinations", keys)
    given: dict[str, Any] = {"spread": "A key", "shares": True}
    found = native.decide(df, **given)
    expected = answers(duckdb.decide(df.toArrow(), **given))
    decided = collected(found)
    assert decided[:200] == expected[:200]
    assert [one for at, one in enumerate(decided) if at % 3] == [one for at, one in enumerate(expected) if at % 3]
    assert decided[1]["shares"] == [
        {"queue": None, "queue_manager": name, "channel": None, "share": 0.5} for name in ("QM2", "QM3")
    ]
    taken = [one["queue_manager"] for one in decided[::3]]
    assert 40 < taken.count("QM2") < 94  # of 134, evenly
    assert found.columns == [*df.columns, "decision"]


TABLES = ["sample", "as it is", "limit", "chance", "union"]


@pytest.mark.parametrize("kind", first(1, TABLES))
def test_tables_that_are_not_the_same_each_time_keep_their_rows(
    spark: Any, jobs: Callable[[], list[int]], kind: str
) -> None:
    name, known = "ORDERS.IN", cluster(20, 50)
    puts = spark.range(0, 3000, 1, 1).selectExpr(
        "id", f"IF(rand() < 0.5, '{name}', substr(uuid(), 1, 8)) AS q", "'QM1' AS mqqm"
    )
    if kind == "as it is":
        wrong = native.decide(puts, known, queue="q").where(f"(q = '{name}') = (decision.reason <=> 2085)")
        assert wrong.count() == 0
        return
    kinds = {
        "sample": lambda: puts.sample(0.3),
        "limit": lambda: puts.limit(500),
        "chance": lambda: puts.where("rand() < 0.4"),
        "union": lambda: puts.union(puts),
    }
    df = kinds[kind]().cache()
    odd = f"(q = '{name}') <> (decision.outcome <=> 'chosen') OR decision IS NULL"
    counted = native.decide(df, known, queue="q").selectExpr("count(*)", f"count_if({odd})")
    assert jobs() == []
    assert [tuple(row) for row in counted.collect()] == [(df.count(), 0)]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["put", "destinations", "a", "A"], "column A and a differ in letter case only"),
        (["put", "destinations", "a", "a"], "column a is there twice"),
        (["put", "destinations", "a", "Decision"], "the table has a column Decision already"),
        (
            ["put", "destinations", "a", "__MQClause_Number"],
            "column __MQClause_Number: names that begin with __mqclause_ are used by mqclause itself",
        ),
    ],
)
def test_columns_that_are_not_each_ones_own(spark: Any, columns: list[str], message: str) -> None:
    df = spark.sql("SELECT named_struct('queue', 'Q'), array(named_struct('queue_manager', 'QM2')), 1, 2").toDF(
        *columns
    )
    for given in (None, cluster(50)):
        with pytest.raises(TableError) as raised:
            native.decide(df, given)
        assert str(raised.value) == message


KINDS = {
    "Channel_Rank": "decimal(5, 0)",
    "QUEUE_RANK": "smallint",
    "channel_weight": "double",
    "queue_Priority": "tinyint",
}


@pytest.mark.parametrize("value", first(1, ["true", "false"]))
def test_names_in_any_letter_case_and_keywords_and_numbers_of_other_types(spark: Any, value: str) -> None:
    whole = ", ".join(f"'{name}', cast(n % 2 + 1 AS {kind})" for name, kind in KINDS.items())
    fields = f"'QUEUE_MANAGER', 'QM' || n || ' ', {whole}, 'dest_seq_factor', cast(5 - n AS decimal(9, 2))"
    among = f"transform(array(2, 3, 5), n -> named_struct({fields}))"
    df = spark.sql(f"SELECT named_struct('Queue', 'Q', 'CALL', 'mqopen') AS PUT, {among} AS Destinations")
    names = ("spark.sql.caseSensitive", "spark.sql.ansi.enforceReservedKeywords")
    for name in names:
        spark.conf.set(name, value)
    try:
        (row,) = native.decide(df).collect()
        # Of the two with channel rank 2 the one with the lower sequence factor.
        assert (row.decision.queue_manager, row.decision.permitted) == ("QM5", 1)
        assert {*row.asDict()} == {"PUT", "Destinations", "decision"}
    finally:
        for name in names:
            spark.conf.unset(name)


@pytest.mark.deep
def test_files_of_one_folder_may_differ_in_their_columns(spark: Any, tmp_path: Path) -> None:  # noqa: ARG001
    check_union(tmp_path / "out.parquet", "spark")
    check_type(tmp_path, "spark")


def test_structs_of_columns_have_any_of_the_fields(spark: Any) -> None:
    listed = "array(named_struct('note', 1, 'channel_rank', 2.0, 'queue_manager', 'QM2'), NULL)"
    df = spark.sql(f"SELECT named_struct('queue', 'Q') AS put, {listed} AS among, slice({listed}, 1, 1) AS few")
    found = df.select(native.choose_destination("put", "among").message, native.choose_destination("put", "few"))
    message, decision = found.first()
    assert message == "destinations[1] is null"
    assert (decision.queue_manager, decision.permitted) == ("QM2", 1)


# What neither Arrow nor DuckDB would give back as it is, or has another name for.
FURTHER = {
    "`a.b`": "CAST(1.50 AS DECIMAL(9, 2))", "`c``d`": "X'00FF'", "`größe`": "map('k', array(1, NULL))",
    "`local`": "TIMESTAMP_NTZ '2024-02-29 12:00:00.123456'", "`moment`": "TIMESTAMP '2024-02-29 12:00:00.123456'",
    "`nothing`": "NULL", "`float`": "CAST('NaN' AS FLOAT)", "`nested`": "named_struct('x', array(named_struct('y', 1Y)))",
}  # fmt: skip
NOT_IN_ARROW = {"`months`": "INTERVAL '1-2' YEAR TO MONTH", "`calendar`": "make_interval(1, 2, 3)"}


@pytest.mark.parametrize("more", [FURTHER, FURTHER | NOT_IN_ARROW])
def test_further_columns_come_through_as_they_were(spark: Any, more: dict[str, str]) -> None:
    extra = ", 'months', INTERVAL '1' MONTH" if more is not FURTHER else ""
    put = f"named_struct('queue', 'Q', 'note', 'x' {extra}) AS put"
    listed = f"array(named_struct('queue_manager', 'QM' || id, 'note', 2 {extra}), NULL) AS destinations"
    columns = [f"{value} AS {name}" for name, value in more.items()]
    df = spark.range(0, 3, 1, 1).selectExpr("id", put, listed, *columns)
    found = native.decide(df)
    assert found.schema.fields[:-1] == df.schema.fields
    as_text = [f"CAST({name} AS STRING)" for name in more if "calendar" not in name and "nothing" not in name]
    rows, before = (sorted(table.selectExpr("id", *as_text).collect()) for table in (found, df))
    assert rows == before
    assert {row.message for row in found.select("decision.message").collect()} == {"destinations[1] is null"}
