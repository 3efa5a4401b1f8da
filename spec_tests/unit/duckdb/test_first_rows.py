"""The first rows of a decided table: DuckDB's optimizer has a way of its own for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb

PUTS = """
SELECT id, {'queue': 'Q'} AS put, [{'queue': 'Q', 'queue_manager': 'QM' || id % 3 + 1}] AS destinations FROM range(9) AS t(id)
"""
FIRST_ROWS = """
import resource, sys
import duckdb
from mqclause.duckdb import decide
resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
[file] = sys.argv[1:]
connection = duckdb.connect()
connection.sql(f"CREATE TABLE kept AS FROM '{file}'")
for source in (file, connection.table("kept")):
    decided = decide(source, connection=connection)
    for rows in (decided.order("id DESC").limit(2), decided.limit(2), decided.query("t", "FROM t USING SAMPLE 2")):
        print(sorted(rows.project("decision.queue_manager").fetchall()))
"""


def test_the_first_rows_of_an_order(tmp_path: Path) -> None:
    """In little memory: where the optimizer writes all levels into one another, it has never enough."""
    file = tmp_path / "rows.parquet"
    duckdb.execute(f"COPY ({PUTS}) TO '{file}' (FORMAT parquet)")
    done = subprocess.run(
        [sys.executable, "-c", FIRST_ROWS, str(file)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""
    # Of nine rows the last two, of which each has one destination.
    lines = done.stdout.splitlines()
    assert lines[0] == lines[3] == "[('QM2',), ('QM3',)]"
    assert [line.count("QM") for line in lines] == [2] * 6
