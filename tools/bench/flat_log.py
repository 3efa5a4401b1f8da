"""A flat log of puts made at three queue managers, decided by DuckDB and Spark, beside a scan of the same file.

    python tools/bench/flat_log.py                                  # ten million rows
    python tools/bench/flat_log.py --only duckdb --rows 500000
    python tools/bench/flat_log.py --names --rows 2000000           # DuckDB's CPU beside that of GROUP BY names

Needs ``pip install .[bench]``. Of the rows a tenth name a queue manager too, one in a hundred has padded names, one in
a thousand one of 750 names that nobody knows. Every way runs once to warm up, then --runs times in turns; the best time
counts. With --names, CPU seconds of the process count: bytes by the columns of the names, and by what is decided of
them, in Parquet and in a table, of plain names and of names that are all padded to 48.
"""

from __future__ import annotations

import argparse
import sys
import time
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
    """Return what each of three queue managers knows of a hundred queues on eight hosts."""
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
    """Write the log as a file of Parquet, always the same."""
    writer = None
    for start in range(0, rows, GROUP):
        count = min(GROUP, rows - start)
        rng = np.random.default_rng((SEED, start))
        named = np.array(QUEUES, dtype=object)[rng.integers(0, len(QUEUES), count)]
        padded, unknown, both = (rng.random(count) < share for share in (0.01, 0.001, 0.1))
        named = np.where(padded, np.char.ljust(named.astype(str), 48), named)
        nowhere = np.char.add("NOWHERE.", rng.integers(0, 750, count).astype(str)).astype(object)
        manager = np.array(MANAGERS, dtype=object)[rng.integers(0, len(MANAGERS), count)]
        table = pa.table({
            "MSGID": pa.array(np.arange(start, start + count)),
            "MADE_AT": pa.array(np.array(MANAGERS[:3], dtype=object)[rng.integers(0, 3, count)]),
            "DEST": pa.array(np.where(unknown, nowhere, named)),
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
    """Return a scan and the decisions by each engine, and what counts the outcomes of each."""
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


BY_NAMES = {
    "queue": ("DEST", {"queue": "DEST"}),
    "three names": ("MADE_AT, DEST, QM", {name: GIVEN[name] for name in ("at", "queue", "queue_manager")}),
}
"""Ways to say what a put names: the columns that it is in, and what decide is given."""


def compare_with_group_by(path: Path, rows: int, runs: int) -> None:
    """Print CPU seconds of DuckDB for GROUP BY names, and how many times as many decide takes."""
    connection, known = duckdb.connect(), clusters()
    padded = "* REPLACE (rpad(DEST, 48, ' ') AS DEST, rpad(MADE_AT, 48, ' ') AS MADE_AT, rpad(QM, 48, ' ') AS QM)"
    file = path.with_name("padded.parquet")
    connection.execute(f"COPY (SELECT {padded} FROM '{path}') TO '{file}' (ROW_GROUP_SIZE {GROUP // 5})")  # noqa: S608
    connection.execute(f"CREATE TABLE plain AS FROM '{path}'; CREATE TABLE padded AS FROM '{file}'")
    for table in (f"'{path}'", f"'{file}'", "plain", "padded"):
        relation = connection.sql(f"FROM {table}")
        for label, (columns, given) in BY_NAMES.items():
            cluster = known if "at" in given else known["QM1"]
            named: dict[str, Any] = dict(given)
            plain = by_duckdb.decide(relation, cluster, **named)
            spread = by_duckdb.decide(relation, cluster, spread="MSGID", **named)
            by_names = f"SELECT {columns}, count(*), sum(BYTES) FROM log GROUP BY ALL"  # noqa: S608
            by_manager = "SELECT decision.queue_manager, count(*), sum(BYTES) FROM decided GROUP BY ALL"
            asked = {
                "GROUP BY names": queried(relation, "log", by_names),
                "decide": queried(plain, "decided", by_manager),
                "decide, spread": queried(spread, "decided", by_manager),
                "decide, all fields": queried(plain, "decided", f"SELECT {whole_sum()}, sum(BYTES) FROM decided"),  # noqa: S608
            }
            took = cpu_of({name: each.sql_query() for name, each in asked.items()}, connection, runs)
            least = took["GROUP BY names"]
            told = ", ".join(f"{name} {seconds / least:.2f}" for name, seconds in took.items())
            print(
                f"{Path(table.strip(chr(39))).name}, {label}: {least / rows * 1e9:.1f} ns of CPU a row; {told}",
                flush=True,
            )


def cpu_of(queries: Mapping[str, str], connection: duckdb.DuckDBPyConnection, runs: int) -> dict[str, float]:
    """Return the CPU seconds of the best run of each query after one to warm up, in turns."""
    took = dict.fromkeys(queries, float("inf"))
    for number in range(runs + 1):
        for name, query in queries.items():
            began = time.process_time()
            connection.execute(query).fetchall()
            if number:
                took[name] = min(took[name], time.process_time() - began)
    return took


def main() -> int:
    """Exit status 1 if a row is lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--only", type=lambda text: text.split(","), default=["duckdb", "spark"], help="duckdb,spark")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--names", action="store_true", help="CPU of DuckDB beside that of GROUP BY names")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="mqclause-log-") as name:
        path = Path(name) / "log.parquet"
        write_log(path, given.rows)
        if given.names:
            compare_with_group_by(path, given.rows, given.runs)
            return 0
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
