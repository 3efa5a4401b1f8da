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
from spec_tests.support.random_rows import answers, arrow_struct, arrow_table, random_rows

PROGRAM = """
import json, sys
from random import Random
sys.path[:0] = sys.argv[3:]
from spec_tests.support.random_clusters import random_case
from mqclause.spark import decide, local_session
session = local_session(2, "1g", {"spark.api.mode": "connect"})
assert "connect" in type(session).__module__
rows, puts = (session.read.parquet(path) for path in sys.argv[1:3])
cluster, _ = random_case(Random(0))
for decided in decide(rows, explain=True), decide(puts, cluster):
    print(json.dumps([row.decision.asDict(recursive=True) for row in decided.orderBy("id").collect()]))
"""


def test_tables_by_a_server(tmp_path: Path) -> None:
    rng = Random(0)
    cluster, put = random_case(rng)
    given = [asdict(each) for each in (put, *(random_put(rng, cluster) for _ in range(30)))]
    puts = [None, {"queue": "NOWHERE", "call": "mqget"}, *given]
    tables = {
        "rows": arrow_table(random_rows(rng, 50)),
        "puts": pa.table({
            "id": range(len(puts)),
            "put": pa.array([each and {name: each.get(name) for name in PUT} for each in puts], arrow_struct(PUT)),
        }),
    }  # fmt: skip
    for name, table in tables.items():
        pq.write_table(table, tmp_path / f"{name}.parquet")
    files, folders = [str(tmp_path / f"{name}.parquet") for name in tables], [path for path in sys.path if path]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *files, *folders], cwd=tmp_path, capture_output=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    # Without all that Connect needs Spark leaves Python without an error.
    by_server = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert by_server == [
        answers(duckdb.decide(tables["rows"], explain=True)),
        answers(duckdb.decide(tables["puts"], cluster)),
    ]
