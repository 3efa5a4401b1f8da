"""Puts that arrive in micro-batches."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

from pyspark.sql import GroupedData

from mqclause.spark.replay import replay, replay_stream
from mqclause.tables.schema import TableError
from spec_tests.support.spark_tables import PUT, queue
from spec_tests.support.weighted_routes import cluster

IS_THERE = hasattr(GroupedData, "transformWithState")
COLUMNS = f"`q.m` string, `When` struct<at: int>, {PUT}"
NAMED: dict[str, Any] = {"by": "Q.M", "order": "WHEN.AT"}


def arrive(spark: Any, folder: Path, *numbers: int) -> None:
    """Puts of these numbers in a file of their own, for two queue managers; every seventh names nothing, some are padded."""
    sites = [(f"QM1{' ' * (at % 3)}" if one else "QMA", at) for at in numbers for one in (True, False)]
    rows = [(site, (at,), queue("" if at % 7 == 6 else "ORDERS.IN")) for site, at in sites]
    spark.createDataFrame(rows, COLUMNS).coalesce(1).write.mode("append").parquet(str(folder / "in"))


def run_until_there_is_no_more(spark: Any, folder: Path, given: Any) -> None:
    puts = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    found = replay_stream(puts, given, explain=True, **NAMED)
    assert found.columns == [*puts.columns, "decision"]
    query = (
        found.writeStream.format("parquet")
        .options(path=str(folder / "out"), checkpointLocation=str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    assert query.awaitTermination(600)
    assert query.exception() is None


@pytest.mark.skipif(not IS_THERE, reason="Spark 4.0 has no state of Python's")
@pytest.mark.parametrize(
    "runs", [[[(3, 1, 0, 2)], [range(10, 3, -1)]], [[(3, 1, 0, 2), (5, 4, 6)], [range(20, 6, -1)]]]
)
@pytest.mark.deep
def test_the_counters_go_from_batch_to_batch_and_outlive_a_restart(
    spark: Any, tmp_path: Path, runs: list[list[Iterable[int]]]
) -> None:
    """A batch for each file that arrives; after a restart the query goes on with what it kept."""
    given = {"QM1": cluster(20, 50, 20, 10)}
    provider = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", provider)
    partitions = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    try:
        for files in runs:
            for numbers in files:
                arrive(spark, tmp_path, *numbers)
            run_until_there_is_no_more(spark, tmp_path, given)
    finally:
        spark.conf.unset("spark.sql.streaming.stateStore.providerClass")
        spark.conf.set("spark.sql.shuffle.partitions", partitions)
    at_once = replay(spark.read.schema(COLUMNS).parquet(str(tmp_path / "in")), given, explain=True, **NAMED)
    arrived, expected = (
        table.orderBy("`q.m`", "When.at").collect() for table in (spark.read.parquet(str(tmp_path / "out")), at_once)
    )
    assert len(arrived) == 2 * sum(len([*numbers]) for files in runs for numbers in files)
    assert arrived == expected


@pytest.mark.skipif(not IS_THERE, reason="Spark 4.0 has no state of Python's")
def test_a_column_that_is_not_there(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    puts = spark.readStream.schema(COLUMNS).parquet(str(tmp_path / "in"))
    with pytest.raises(TableError, match="^column when is missing; the table has: q.m, put$"):
        replay_stream(puts.drop("When"), cluster(50), by="q.m", order="when")


@pytest.mark.skipif(IS_THERE, reason="Spark has it since 4.1")
def test_what_spark_4_0_is_told(spark: Any) -> None:
    with pytest.raises(RuntimeError, match=r"replay_stream needs Spark 4\.1 or newer; this is 4\.0\."):
        replay_stream(spark.createDataFrame([], COLUMNS), {"QM1": cluster(20)}, by="site")
