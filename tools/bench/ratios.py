"""What costs what on tables: each way of DuckDB's decide beside the cheapest one, and a choice in a program.

    python tools/bench/ratios.py [ROWS]

Processor time, the best of three after one to warm up. The flat log has names of which half are padded to 48 and one
in a thousand is known to nobody; a tenth as many rows have six destinations of their own. The table in engine/README.md
has what it prints.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
from table_data import write_table

from mqclause import Engine, Put, read_files
from mqclause.duckdb import decide
from mqclause.workload.decision import Level

EXAMPLES = Path(str(files("mqclause.tools"))) / "examples" / "sales"
CLUSTER = read_files([EXAMPLES / f"{name}.mqsc" for name in ("QM1", "QM2", "QM3")], local="QM1").cluster
NAMES = "['ORDERS.IN', 'INVOICES.IN', 'REFUNDS.IN'][1 + mod(i, 3)]"
LOG = f"""SELECT i AS id, mod(i, 5000) AS bytes, CASE WHEN mod(i, 2) = 0 THEN rpad(name, 48, ' ') ELSE name END AS dest
    FROM (SELECT i, CASE WHEN mod(i, 1000) = 0 THEN 'NOBODY.KNOWS' ELSE {NAMES} END AS name FROM range(%d) AS r(i))"""  # noqa: S608
TAKEN = "count(decision.outcome), sum(length(decision.queue_manager)), sum(length(decision.channel))"
WAYS: dict[str, dict[str, Any]] = {
    "decide": {},
    "explain": {"explain": True},
    "shares": {"shares": True},
    "spread": {"spread": "id"},
}


def seconds(job: Callable[[], object]) -> float:
    """Measure the processor time of the best of three runs."""
    job()
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        job()
        best = min(best, time.process_time() - begun)
    return best


def show(name: str, took: float, rows: int, beside: float) -> None:
    """Print a line of the table."""
    print(f"{name:40} {took / rows * 1e6:8.3f} us a row {took / beside:8.1f}")


def flat(connection: duckdb.DuckDBPyConnection, file: Path, rows: int) -> None:
    """Measure the ways of a log in a cluster, beside counting it by name."""
    connection.execute(f"COPY ({LOG % rows}) TO '{file}'")
    log = connection.read_parquet(str(file))
    counted = seconds(lambda: log.aggregate("dest, count(*), sum(bytes)").fetchall())
    show("flat log: GROUP BY name", counted, rows, counted)
    for name, options in WAYS.items():
        decided = decide(log, CLUSTER, queue="dest", connection=connection, **options)
        show(f"flat log: {name}", seconds(lambda found=decided: found.aggregate(TAKEN).fetchall()), rows, counted)  # type: ignore[misc]


def own(connection: duckdb.DuckDBPyConnection, file: Path, rows: int) -> None:
    """Measure the ways of rows with destinations of their own, beside the plain one."""
    write_table(file, rows)
    table, plain = connection.read_parquet(str(file)), 0.0
    for name, options in WAYS.items():
        if "spread" not in options:
            decided = decide(table, connection=connection, **options)
            took = seconds(lambda found=decided: found.aggregate(TAKEN).fetchall())  # type: ignore[misc]
            plain = plain or took
            show(f"six destinations of their own: {name}", took, rows, plain)


def program() -> None:
    """Measure a choice in a program."""
    engine, put, puts = Engine(), Put(queue="ORDERS.IN", bind="NOTFIXED"), 10_000

    def choices(level: Level) -> None:
        for _ in range(puts):
            engine.choose(put, CLUSTER, explain=level)

    verdict = seconds(lambda: choices("verdict"))
    show("choose in a program", verdict, puts, verdict)
    show("choose in a program: explain", seconds(lambda: choices("rule")), puts, verdict)


def main() -> None:
    """Print the table."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    with TemporaryDirectory() as folder, duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        flat(connection, Path(folder) / "log.parquet", rows)
        own(connection, Path(folder) / "puts.parquet", rows // 10)
    program()


if __name__ == "__main__":
    main()
