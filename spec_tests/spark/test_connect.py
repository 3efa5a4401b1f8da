"""The same tables through Spark Connect, where a DataFrame is a plan that is sent to a server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

for needed in ("pyspark", "duckdb", "pyarrow"):
    pytest.importorskip(needed)

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import asdict

from mqclause import duckdb
from mqclause.tables.columns import PUT
from spec_tests.support.random_clusters import random_case, random_put
from spec_tests.support.random_rows import answers, arrow_struct

PROGRAM = """
import json, sys
from random import Random
sys.path[:0] = sys.argv[2:]
from spec_tests.support.random_clusters import random_case
from mqclause.spark import decide, local_session
session = local_session(2, "1g", {"spark.api.mode": "connect"})
assert "connect" in type(session).__module__
puts = session.read.parquet(sys.argv[1])
cluster, _ = random_case(Random(0))
decided = decide(puts, cluster)
rows = sorted(decided.select("id", "decision").collect(), key=lambda row: row.id)
print(json.dumps([row.decision.asDict(recursive=True) for row in rows]))
"""


def test_tables_by_a_server(tmp_path: Path) -> None:
    rng = Random(0)
    cluster, put = random_case(rng)
    given = [asdict(each) for each in (put, *(random_put(rng, cluster) for _ in range(30)))]
    puts = [None, {"queue": "NOWHERE", "call": "mqget"}, *given]
    asked = pa.array([each and {name: each.get(name) for name in PUT} for each in puts], arrow_struct(PUT))
    table = pa.table({"id": range(len(puts)), "put": asked})
    pq.write_table(table, tmp_path / "puts.parquet")
    given_to = [str(tmp_path / "puts.parquet"), *(path for path in sys.path if path)]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *given_to], cwd=tmp_path, capture_output=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    # Without all that Connect needs Spark leaves Python without an error.
    assert json.loads(done.stdout) == answers(duckdb.decide(table, cluster))
