"""The same tables through Spark Connect, where a DataFrame is a plan that is sent to a server."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

for needed in ("pyspark", "duckdb", "pyarrow"):
    pytest.importorskip(needed)

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import asdict

from mqclause import duckdb
from mqclause.spark import local_session
from mqclause.spark.session import PORT, PortError
from mqclause.tables.schema import PUT
from spec_tests.support.random_clusters import random_case, random_put
from spec_tests.support.random_rows import answers, arrow_struct

PROGRAM = """
import json, sys
from random import Random
table, server, *path = sys.argv[1:]
sys.path[:0] = path
from pyspark.sql import SparkSession
from spec_tests.support.random_clusters import random_case
from mqclause.spark import decide, local_session
if server:
    session = SparkSession.builder.remote(server).getOrCreate()
else:
    session = local_session(2, "1g", {"spark.api.mode": "connect"})
assert "connect" in type(session).__module__
puts = session.read.parquet(table)
cluster, _ = random_case(Random(0))
decided = decide(puts, cluster)
rows = sorted(decided.select("id", "decision").collect(), key=lambda row: row.id)
print(json.dumps([row.decision.asDict(recursive=True) for row in rows]))
"""


@contextmanager
def taken(port: int) -> Iterator[int]:
    """A port on which a program listens: this one, or whichever has it."""
    with socket.socket() as listening:
        with suppress(OSError):
            listening.bind(("127.0.0.1", port))
            listening.listen()
        yield port or listening.getsockname()[1]


def port_of_server(spark: Any) -> int:
    """Where the server of the tests' session listens."""
    service = getattr(spark._jvm, "org.apache.spark.sql.connect.service.SparkConnectService$")
    return int(getattr(service, "MODULE$").localPort())


def check_puts(folder: Path, server: str) -> None:
    """Puts in a cluster, decided by a server at that address, or by one that is started for them."""
    rng = Random(0)
    cluster, put = random_case(rng)
    given = [asdict(each) for each in (put, *(random_put(rng, cluster) for _ in range(30)))]
    puts = [None, {"queue": "NOWHERE", "call": "mqget"}, *given]
    asked = pa.array([each and {name: each.get(name) for name in PUT} for each in puts], arrow_struct(PUT))
    table = pa.table({"id": range(len(puts)), "put": asked})
    pq.write_table(table, folder / "puts.parquet")
    given_to = [str(folder / "puts.parquet"), server, *(path for path in sys.path if path)]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *given_to], cwd=folder, capture_output=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    # Without all that Connect needs Spark leaves Python without an error.
    assert json.loads(done.stdout) == answers(duckdb.decide(table, cluster))


@pytest.mark.deep
@pytest.mark.parametrize("of_its_own", [False, True])
def test_tables_by_a_server(request: pytest.FixtureRequest, tmp_path: Path, of_its_own: bool) -> None:
    if of_its_own:
        with taken(15002):  # where Spark's own servers listen
            check_puts(tmp_path, "")
    else:
        check_puts(tmp_path, f"sc://127.0.0.1:{port_of_server(request.getfixturevalue('spark'))}")


def test_a_port_that_is_taken() -> None:
    with taken(0) as port, pytest.raises(PortError) as raised:
        local_session(config={PORT: str(port)}, connect=True)
    said = str(raised.value)
    assert said == f"spark.connect.grpc.binding.port = {port}: Address already in use; without it a free one is taken"


@pytest.mark.parametrize("given", ["65536", "-1", "http", "", "²", "15002 "])
def test_what_is_no_port(given: str) -> None:
    with pytest.raises(ValueError, match="allowed: 1 to 65535, or 0 for one that is free") as raised:
        local_session(config={PORT: given}, connect=True)
    assert str(raised.value).startswith(f"{PORT} = {given!r}; ")
