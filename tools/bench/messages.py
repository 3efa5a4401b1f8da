"""message_order in DuckDB and Spark, beside a plain ORDER BY of the same rows.

    python tools/bench/messages.py                          # ten million messages on twenty queues
    python tools/bench/messages.py --rows 1000000 --only duckdb --grouped 10

Of a hundred messages 40 are in groups of four, or as many as --grouped says. The Parquet file is made in a temporary
folder, always the same. The plain way sorts by queue, priority and arrival; DuckDB keeps what it made as a table, Spark
writes it to "noop". The best of three runs counts: seconds, and of DuckDB seconds of the processor, which other work on
the machine does not change.
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


def seconds(run: Callable[[], object]) -> tuple[float, float]:
    """The best time of several runs, on the clock and of the processor."""
    clock, processor = [], []
    for _ in range(RUNS):
        before, begun = os.times(), time.perf_counter()
        run()
        clock.append(time.perf_counter() - begun)
        processor.append(sum(os.times()[:2]) - sum(before[:2]))
    return min(clock), min(processor)


def shown(name: str, plain: float, ordered: float) -> None:
    """Prints a line of the table."""
    print(f"{name:20} {plain:>10.2f} {ordered:>14.2f} {ordered / plain:>6.1f}", flush=True)


def by_duckdb(path: Path) -> None:
    """Measures DuckDB."""
    connection = duckdb.connect()
    connection.sql(f"CREATE TABLE messages AS FROM '{path}'")

    def kept(made: Callable[[], duckdb.DuckDBPyRelation]) -> Callable[[], object]:
        def run() -> None:
            connection.sql("DROP TABLE IF EXISTS made")
            made().create("made")

        return run

    plain = seconds(kept(lambda: connection.sql(PLAIN)))
    ordered = seconds(kept(lambda: message_order(connection.table("messages"), connection=connection)))
    shown("duckdb", plain[0], ordered[0])
    shown("duckdb, processor", plain[1], ordered[1])


def by_spark(path: Path) -> None:
    """Measures Spark."""
    from mqclause.spark import local_session
    from mqclause.spark import message_order as ordered_by_spark

    spark = local_session()
    messages = spark.read.parquet(str(path))
    messages.createOrReplaceTempView("messages")

    def write(df: object) -> Callable[[], object]:
        return lambda: df.write.format("noop").mode("overwrite").save()  # type: ignore[attr-defined]

    plain, _ = seconds(write(spark.sql(PLAIN)))
    ordered, _ = seconds(write(ordered_by_spark(messages)))
    shown("spark", plain, ordered)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--only", choices=("duckdb", "spark"))
    parser.add_argument("--grouped", type=int, default=40)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "messages.parquet"
        duckdb.sql(MESSAGES.format(rows=given.rows, grouped=given.grouped)).write_parquet(str(path))
        print(f"{f'{given.rows:,} rows':20} {'ORDER BY':>10} {'message_order':>14} {'ratio':>6}")
        for name, measure in (("duckdb", by_duckdb), ("spark", by_spark)):
            if given.only in (None, name):
                measure(path)


if __name__ == "__main__":
    main()
