"""The rules as native Spark columns, against one row at a time and against DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812

from mqclause import Cluster, Engine, Put, QueueManager, duckdb
from mqclause import spark as native
from mqclause.rulebook.rules import Rules
from mqclause.spark.session import java_home
from mqclause.tables.row import Rows
from mqclause.tables.schema import PUT, TableError, render_null_fault
from spec_tests.support.adversarial import adversarial_rows
from spec_tests.support.deep import first
from spec_tests.support.led_on import AS_THE_LOCAL_ONE, TWO_WAYS, rules_that_say_a_name
from spec_tests.support.many_clusters import batches, table_row
from spec_tests.support.pairs import by_engine
from spec_tests.support.parcels import PARCELS, parcel_rows, parcel_rules, parcel_table
from spec_tests.support.random_clusters import random_readings
from spec_tests.support.random_rows import Row, answers, arrow_struct, arrow_table, occasion_table, random_rows
from spec_tests.support.spark_tables import collected, frame, from_rows

STRUCT = (
    "struct<outcome:string,queue:string,queue_manager:string,channel:string,reason:int,permitted:int,"
    "eliminated_by:array<string>,message:string,transmission_queue:string>"
)


def test_the_session_runs_the_java_that_was_found_and_collects_garbage_in_parallel(spark: Any) -> None:
    java = spark.sparkContext._jvm.java.lang
    assert Path(java.System.getProperty("java.home")).resolve() == java_home().resolve()
    collectors = java.management.ManagementFactory.getGarbageCollectorMXBeans()
    assert {each.getName() for each in collectors} == {"PS MarkSweep", "PS Scavenge"}


@pytest.mark.parametrize(
    ("seed", "clusters", "each", "ansi"),
    first(1, [(5, 20, 20, "false"), (0, 0, 1, "true"), (5, 20, 20, "true"), (7, 20_000, 2_000, "true")]),
)
def test_as_each_row_is_decided(spark: Any, folder: Path, seed: int, clusters: int, each: int, ansi: str) -> None:
    """Puts in very many clusters are the rows of a few tables: what their names come to, with the destinations there."""
    rng = Random(seed)
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    try:
        for number, cases in enumerate([batch.cases for batch in batches(clusters, each)] or [()]):
            # The second table is decided by the default readings.
            rules = Rules(random_readings(rng) if seed and number != 1 else {})
            more = [*rows_of_messages(), *random_rows(rng, 300, optional=seed > 0)]
            check_each_row(spark, folder / f"rows{seed}{ansi}", rules, cases, more)
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")


def rows_of_messages() -> list[Row]:
    """Rows that a message of its own is told of: numbers as Python writes them, null and letters of other alphabets."""
    numbers = [-1.0, -1e7, -1.5e20, -1e-5, -1.25e-4, -123456789012345678.0, -9999999999999998.0, -1e16, -0.001]
    numbers += [float("nan"), float("inf"), float("-inf")]
    rows: list[Any] = [({"queue": "Q"}, [{"queue_manager": "QM2", "dest_seq_factor": each}]) for each in numbers]
    rows += [({"queue": "Q"}, None), ({"queue": "Q"}, []), ({"queue": "Q"}, [{"channel_status": "\ufb06ARTING"}])]
    rows += [({"queue": "Q", "bind": "NOTF\u0131XED"}, [{"queue_manager": "QM2"}])]
    rows += [({"queue": "Q"}, [{"queue_manager": "Q", name: "\u00e9 "}]) for name in ("queue", "channel", "cluster")]
    rows += [({"queue": "Q\n"}, []), ({"queue": "Q", "already_sent_to": ["A ", None, " "]}, [])]
    messages = {Rows().decision(put, among)["message"] for put, among in rows}
    assert None not in messages
    assert len(messages) == len(rows) - 1
    return rows


def check_each_row(
    spark: Any, folder: Path, rules: Rules, cases: Sequence[tuple[Cluster, Put]], more: list[Row]
) -> None:
    engine, ours, optional = Engine(rules), Rows(rules), len(cases) > 0
    made = [made for case in cases if (made := table_row(engine, *case)) is not None]
    rows: list[Row] = [*(row for row, _ in made), *more]
    table = arrow_table(rows, optional).append_column("d", pa.array(["kept"] * len(rows)))
    table = table.append_column("key_queue", pa.array(range(len(rows))))
    df = frame(spark, folder, "rows", table)
    found = native.decide(df, rules=rules, explain=True)
    assert found.columns == ["id", "put", "destinations", "d", "key_queue", "decision"]
    assert found.schema["decision"].dataType.simpleString() == STRUCT
    decided = [*(decision for _, decision in made), *(ours.decision(*row, explain=True) for row in more)]
    every = sorted(found.collect(), key=lambda row: row["id"])
    for row, one, other in zip(rows, every, decided, strict=True):
        assert one["decision"].asDict(recursive=True) == other, row
    assert [(each["d"], each["key_queue"]) for each in every] == [("kept", number) for number in range(len(rows))]


def check_in_sql(spark: Any, folder: Path) -> None:
    rows = adversarial_rows(Random(3), 300)
    frame(spark, folder, "sql", arrow_table(rows)).createOrReplaceTempView("asked")
    native.register(spark, explain=True)
    found = spark.sql("SELECT id, choose_destination(put, destinations) AS decision FROM asked")
    ours = Rows()
    for row, one in zip(rows, collected(found), strict=True):
        assert one == ours.decision(*row, explain=True), row
    (told, of_triggers) = spark.sql(
        "SELECT choose_destination(NULL, NULL).message, trigger_conditions(NULL).message"
    ).first()
    assert (told, of_triggers) == (render_null_fault("put"), render_null_fault("occasion"))


def check_columns_of_other_names(spark: Any, folder: Path) -> None:
    rows = random_rows(Random(2), 200)
    df = frame(spark, folder, "columns", arrow_table(rows))
    renamed = df.select("id", F.struct("put").alias("given"), F.col("destinations").alias("among"))
    chosen = native.choose_destination(F.col("given.put"), "among")
    found = collected(renamed.select("id", chosen.alias("decision")))
    ours = Rows()
    for row, one in zip(rows, found, strict=True):
        assert one == ours.decision(*row), row
    one = df.select(native.choose_destination().alias("decision")).schema["decision"]
    assert one.dataType.simpleString() == STRUCT


@pytest.mark.parametrize("check", first(1, [check_in_sql, check_columns_of_other_names]))
def test_a_decision_is_an_expression(spark: Any, folder: Path, check: Callable[[Any, Path], None]) -> None:
    check(spark, folder)


def test_traffic_as_duckdb_counts_it(spark: Any) -> None:
    rows = pa.table({"Queue": ["Q ", "Q", "R"], "FROM": ["QM1", "QM1", "QM2"], "count": ["3", None, "7"]})
    found = native.traffic(spark.createDataFrame(rows))
    assert found.puts == duckdb.traffic(rows).puts == {("Q", "QM1"): 4, ("R", "QM2"): 7}
    wrong = from_rows(spark, [("Q", "QM1", -1.5)], "queue STRING, `from` STRING, count DOUBLE")
    with pytest.raises(TableError, match=r"column count: '-1\.5' is no whole number"):
        native.traffic(wrong)


def told_in_duckdb(chosen: dict[str, str]) -> tuple[Any, list[dict[str, Any]]]:
    """A table of occasions, and what the trigger rules say about each under the readings ``chosen``."""
    table = occasion_table(Random(4), 400)
    return table, answers(duckdb.decide_triggers(table, Rules(chosen)), "triggering")


@pytest.mark.parametrize("way", first(1, ["column", "sql", "table"]))
def test_occasions(spark: Any, folder: Path, way: str) -> None:
    chosen = random_readings(Random(5))
    table, expected = told_in_duckdb(chosen)
    df = frame(spark, folder, "occasions", table)
    match way:
        case "column":
            given = native.trigger_conditions(F.col("asked"), Rules(chosen))
            found = df.withColumnRenamed("occasion", "asked").withColumn("triggering", given)
        case "sql":
            native.register(spark, Rules(chosen))
            df.createOrReplaceTempView("occasions")
            found = spark.sql("SELECT id, trigger_conditions(occasion) AS triggering FROM occasions")
        case _:
            found = native.decide_triggers(df, Rules(chosen))
    assert collected(found, "triggering") == expected


@pytest.mark.parametrize("explain", first(1, [True, False]))
def test_a_document_that_is_not_ours(spark: Any, folder: Path, tmp_path: Path, explain: bool) -> None:
    rules, table = parcel_rules(tmp_path), parcel_table(parcel_rows(Random(8), 400))
    df = frame(spark, folder, "parcels", table)
    expected = answers(duckdb.apply_rules(table, PARCELS, rules, explain), "brought")
    found = native.apply_rules(df, PARCELS, rules, explain)
    assert found.columns == [*table.column_names, "brought"]
    assert collected(found, "brought") == expected


@pytest.mark.parametrize("lead", first(1, ["said", "on"]))
def test_names_that_rules_of_ones_own_say_or_lead_on(spark: Any, folder: Path, lead: str) -> None:
    as_local = Rules().with_files({"resolution/04b_as_none.toml": AS_THE_LOCAL_ONE})
    rules = rules_that_say_a_name() if lead == "said" else as_local
    odd: list[dict[str, Any]] = [{}, {"already_sent_to": ["QM9"]}, {"clwlmruc": 1}]
    puts = [{**dict.fromkeys(PUT), "queue": queue, "queue_manager": beside, **more}
            for queue in ("PAY", "OWN", "THEIRS", "LOST", None) for beside in ("QM2", "NOBODY", None) for more in odd
            if queue or beside]  # fmt: skip
    table = pa.table({"id": range(len(puts)), "put": pa.array(puts, arrow_struct(PUT))})
    found = collected(native.decide(frame(spark, folder, f"led_{lead}", table), TWO_WAYS, rules, explain=True))
    engine = Engine(rules)
    assert found == [by_engine(engine, TWO_WAYS, put) for put in puts]


@pytest.mark.parametrize(
    ("put", "destinations", "message"),
    [
        ("'Q'", "array(named_struct('queue_manager', 'A'))", "column put is a text; expected a struct with queue or queue_manager"),
        ("named_struct('queue', 1)", "array(named_struct('queue_manager', 'A'))", "column put.queue is an integer; expected a text (a CAST to STRING would do)"),
        ("named_struct('queue', 'Q')", "array('A')", "column destinations is a list; expected a list of structs"),
        ("named_struct('queue', 'Q')", "array(named_struct('queue_manager', 'A', 'channel_rank', '1'))",
         "column destinations.channel_rank is a text; expected an integer (a CAST to BIGINT would do)"),
        ("named_struct('queue', 'Q')", "array(named_struct('queue_manager', 'A', 'channel_rank', current_date()))",
         "column destinations.channel_rank is a date; expected an integer (a CAST to BIGINT would do)"),
        ("named_struct('queue', 'Q')", "array(named_struct('queue_manager', 'A', 'put_enabeld', true))",
         "column destinations.put_enabeld is not known; did you mean 'put_enabled'?"),
    ],
)  # fmt: skip
def test_what_a_table_may_not_be(
    spark: Any, jobs: Callable[[], list[int]], put: str, destinations: str, message: str
) -> None:
    df = spark.range(1).selectExpr(f"{put} AS put", f"{destinations} AS destinations")
    with pytest.raises(TableError) as raised:
        native.decide(df)
    assert str(raised.value) == message
    assert jobs() == []


OTHERS = {
    "pandas.DataFrame": pa.table({"put": ["Q"]}).to_pandas(),
    "pyarrow.Table": pa.table({"put": ["Q"]}),
    "str": "puts.parquet",
    "NoneType": None,
}


@pytest.mark.parametrize(("name", "given"), OTHERS.items())
def test_what_is_no_table_of_sparks(name: str, given: Any) -> None:
    cluster = Cluster(QueueManager("QM1"), (), (), (), ())
    for function, more in (
        (native.decide, {}), (native.decide, {"cluster": cluster}), (native.decide_triggers, {}),
        (native.apply_rules, {"declaration": PARCELS}), (native.message_order, {}), (native.traffic, {}),
        (native.replay, {"cluster": cluster}), (native.replay_stream, {"cluster": cluster}),
    ):  # fmt: skip
        with pytest.raises(TableError, match=f"^the table is a {name}; expected a DataFrame of Spark's, as "):
            function(given, **more)


def test_what_else_is_given_instead(spark: Any) -> None:
    with pytest.raises(TypeError, match="^the session is a str; expected a SparkSession"):
        native.register("spark")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^destinations is a int; expected a column or its name"):
        native.choose_destination("put", 5)  # type: ignore[arg-type]
    with pytest.raises(TableError, match="^the cluster is a str; expected a Cluster"):
        native.replay(spark.range(1), "QM1")  # type: ignore[arg-type]


def test_a_decision_that_is_there_already(spark: Any) -> None:
    df = spark.range(1).selectExpr("named_struct('queue', 'Q') AS put", "1 AS decision")
    with pytest.raises(TableError, match="^the table has a column decision already$"):
        native.decide(df)
