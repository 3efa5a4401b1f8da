"""message_order in DuckDB and Spark, beside a plain ORDER BY of the same rows.

    python tools/bench/messages.py                          # ten million messages on twenty queues
    python tools/bench/messages.py --rows 1000000 --only duckdb --grouped 10

Of a hundred messages 40 are in groups of four, or as many as --grouped says. The Parquet file is made in a temporary
folder, always the same. The plain way sorts by queue, priority and arrival; DuckDB keeps what it made as a table, Spark
writes it to "noop". Both ways run in turns, three times each, and the best run of each counts: in seconds, and in
seconds of the processor, those of Spark's JVM with it, which other work on the machine changes less.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from mqclause.duckdb import message_order

RUNS = 3
MESSAGES = """
SELECT 'M' || i AS id, 'Q' || (i % 20) AS queue, (hash(i * 7) % 10)::INT AS priority, i AS arrival,
  CASE WHEN hash(i // 80 * 20 + i % 20) % 100 < {grouped} THEN 'G' || (i // 80 * 20 + i % 20) ELSE '' END AS "group",
  (1 + (i // 20) % 4)::INT AS sequence, "group" <> '' AND (i // 20) % 4 = 3 AS last_in_group, 100 AS length
FROM range({rows}) AS t(i)
ORDER BY hash(i)
"""
PLAIN = "SELECT * FROM messages ORDER BY queue, priority DESC, arrival"


def of_this_process() -> float:
    """Return how long the processor has worked for this process, in seconds."""
    return sum(os.times()[:2])


def show(
    name: str,
    plain: Callable[[], object],
    ordered: Callable[[], object],
    processor: Callable[[], float] = of_this_process,
) -> None:
    """Run both in turns and print two lines of the table; ``processor`` says how long it has worked so far."""
    clock: dict[Callable[[], object], list[float]] = {plain: [], ordered: []}
    worked: dict[Callable[[], object], list[float]] = {plain: [], ordered: []}
    for _ in range(RUNS):
        for run in (plain, ordered):
            before, begun = processor(), time.perf_counter()
            run()
            clock[run].append(time.perf_counter() - begun)
            worked[run].append(processor() - before)
    for line, took in ((name, clock), (f"{name}, processor", worked)):
        one, other = min(took[plain]), min(took[ordered])
        print(f"{line:20} {one:>10.2f} {other:>14.2f} {other / one:>6.1f}", flush=True)


def by_duckdb(path: Path) -> None:
    """Measure DuckDB."""
    connection = duckdb.connect()
    connection.sql(f"CREATE TABLE messages AS FROM '{path}'")

    def kept(made: Callable[[], duckdb.DuckDBPyRelation]) -> Callable[[], object]:
        def run() -> None:
            connection.sql("DROP TABLE IF EXISTS made")
            made().create("made")

        return run

    plain = kept(lambda: connection.sql(PLAIN))
    show("duckdb", plain, kept(lambda: message_order(connection.table("messages"), connection=connection)))


def by_spark(path: Path) -> None:
    """Measure Spark."""
    from pyspark.sql import DataFrame

    from mqclause.spark import local_session
    from mqclause.spark import message_order as ordered_by_spark

    spark = local_session()
    messages = spark.read.parquet(str(path))
    messages.createOrReplaceTempView("messages")

    def write(df: DataFrame) -> Callable[[], object]:
        return lambda: df.write.format("noop").mode("overwrite").save()

    def processor() -> float:
        jvm = spark._jvm.java.lang.ProcessHandle.current().info()  # type: ignore[union-attr]
        return of_this_process() + float(jvm.totalCpuDuration().get().toNanos()) / 1e9

    show("spark", write(spark.sql(PLAIN)), write(ordered_by_spark(messages)), processor)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--only", choices=("duckdb", "spark"))
    parser.add_argument("--grouped", type=int, default=40)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "messages.parquet"
        made = MESSAGES.format(rows=given.rows, grouped=given.grouped)
        duckdb.connect().sql(made).write_parquet(str(path))
        print(f"{f'{given.rows:,} rows':20} {'ORDER BY':>10} {'message_order':>14} {'ratio':>6}")
        for name, measure in (("duckdb", by_duckdb), ("spark", by_spark)):
            if given.only in (None, name):
                measure(path)


if __name__ == "__main__":
    main()
