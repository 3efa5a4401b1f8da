"""A flat log of puts made at three queue managers, decided by DuckDB and Spark, beside a scan of the same file.

    python tools/bench/flat_log.py                                  # ten million rows
    python tools/bench/flat_log.py --only duckdb --rows 500000

Needs ``pip install .[bench]``. Of the rows a tenth name a queue manager too, one in a hundred has padded names, one in
a thousand a name that nobody knows. Every way runs once to warm up, then --runs times in turns; the best time counts.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from table_data import queried, whole_sum
from tables import Way, measure, noop, session, show

from mqclause import Channel, Cluster, Queue, QueueManager, RemoteQueueManager
from mqclause import duckdb as by_duckdb

SEED, GROUP = 7, 500_000
MANAGERS = [f"QM{number}" for number in range(1, 9)]
QUEUES = [f"QUEUE.{number}" for number in range(100)]
GIVEN: dict[str, Any] = {"at": "MADE_AT", "queue": "DEST", "queue_manager": "QM", "bind": "BIND"}


def clusters() -> Mapping[str, Cluster]:
    """What each of three queue managers knows of a hundred queues on eight hosts."""
    channels = [Channel(f"TO.{name}", name, "SALES", clwlwght=10 * at) for at, name in enumerate(MANAGERS, 1)]
    queues = [Queue(name, host, clusters=("SALES",), clwlprty=number % 2, defbind="NOTFIXED")
              for number, name in enumerate(QUEUES) for host in MANAGERS[number % 4 :: 2]]  # fmt: skip
    found = {}
    for own in MANAGERS[:3]:
        others = [RemoteQueueManager(each, ("SALES",)) for each in MANAGERS if each != own]
        routes = [each for each in channels if each.queue_manager != own]
        found[own] = Cluster(QueueManager(own, ("SALES",)), others, queues, (), routes)
    return found


def write_log(path: Path, rows: int) -> None:
    """The log as a file of Parquet, always the same."""
    writer = None
    for start in range(0, rows, GROUP):
        count = min(GROUP, rows - start)
        rng = np.random.default_rng((SEED, start))
        named = np.array(QUEUES, dtype=object)[rng.integers(0, len(QUEUES), count)]
        padded, unknown, both = (rng.random(count) < share for share in (0.01, 0.001, 0.1))
        named = np.where(padded, np.char.ljust(named.astype(str), 48), named)
        manager = np.array(MANAGERS, dtype=object)[rng.integers(0, len(MANAGERS), count)]
        table = pa.table({
            "MSGID": pa.array(np.arange(start, start + count)),
            "MADE_AT": pa.array(np.array(MANAGERS[:3], dtype=object)[rng.integers(0, 3, count)]),
            "DEST": pa.array(np.where(unknown, "NOWHERE", named)),
            "QM": pa.array(manager, mask=~both),
            "BIND": pa.array(np.array(["NOTFIXED", "AS_Q_DEF"], dtype=object)[rng.integers(0, 2, count)]),
            "BYTES": pa.array(rng.integers(100, 100_000, count)),
        })  # fmt: skip
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=GROUP // 5)
    if writer:
        writer.close()


Outcomes = Callable[[], list[tuple[Any, ...]]]
OUTCOMES = "SELECT decision.outcome, decision.reason, count(*) FROM decided GROUP BY ALL ORDER BY ALL"
TEXTS = ", ".join(f"sum(length({name}))" for name in ("MADE_AT", "DEST", "QM", "BIND"))
SCAN = f"SELECT sum(MSGID), {TEXTS}, sum(BYTES) FROM log"  # noqa: S608 - the names of columns


def ways_of(path: Path, rows: int, only: list[str], folder: Path) -> tuple[list[Way], dict[str, Outcomes]]:
    """A scan and the decisions by each engine, and what counts the outcomes of each."""
    found, known = list[Way](), clusters()
    outcomes: dict[str, Outcomes] = {}
    connection = duckdb.connect()

    def by_columns() -> Callable[[], Any]:
        decided = by_duckdb.decide(connection.read_parquet(str(path)), known, **GIVEN)
        query = queried(decided, "decided", f"SELECT {whole_sum()}, sum(BYTES) FROM decided").sql_query()  # noqa: S608
        return lambda: connection.execute(query).fetchall()

    def scan() -> Callable[[], Any]:
        return lambda: queried(connection.read_parquet(str(path)), "log", SCAN).fetchall()

    if "duckdb" in only:
        found += [
            Way("duckdb", "scan, list", rows, scan, "duckdb"),
            Way("duckdb", "decide", rows, by_columns, "duckdb"),
        ]
        outcomes["duckdb"] = lambda: queried(by_duckdb.decide(path, known, **GIVEN), "decided", OUTCOMES).fetchall()
    if "spark" in only:
        from mqclause.spark import decide

        spark = session(folder)
        df = spark.read.parquet(str(path))
        query = SCAN.replace("log", "{log}")
        found += [
            Way("spark", "scan, list", rows, lambda: lambda: spark.sql(query, log=df).collect(), "spark"),
            Way("spark", "decide", rows, lambda: noop(decide(df, known, **GIVEN)), "spark"),
        ]
        counted = OUTCOMES.replace("FROM decided", "FROM {decided}")
        outcomes["spark"] = lambda: [
            tuple(row) for row in spark.sql(counted, decided=decide(df, known, **GIVEN)).collect()
        ]
    return found, outcomes


def main() -> int:
    """Exit status 1 if a row is lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--only", type=lambda text: text.split(","), default=["duckdb", "spark"], help="duckdb,spark")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="mqclause-log-") as name:
        path = Path(name) / "log.parquet"
        write_log(path, given.rows)
        ways, outcomes = ways_of(path, given.rows, given.only, Path(name))
        show(measure(ways, given.runs))
        lost = 0
        for engine, counted in outcomes.items():
            found = counted()
            out = sum(count for *_, count in found)
            print(f"\n{engine}: rows out {out:,}; {found}")
            lost += out != given.rows
    return int(lost > 0)


if __name__ == "__main__":
    sys.exit(main())
