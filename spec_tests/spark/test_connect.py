"""The same tables through Spark Connect, where a DataFrame is a plan that is sent to a server."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
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
from mqclause.spark.connect import PORT, PortError
from mqclause.tables.columns import PUT
from spec_tests.support.deep import first
from spec_tests.support.random_clusters import random_case, random_put
from spec_tests.support.random_rows import answers, arrow_struct, occasion_table

PROGRAM = """
import json, sys
from random import Random
sys.path[:0] = sys.argv[3:]
from spec_tests.support.random_clusters import random_case
from mqclause.spark import decide, decide_triggers, local_session
session = local_session(2, "1g", {"spark.api.mode": "connect"})
assert "connect" in type(session).__module__
table, answer = session.read.parquet(sys.argv[1]), sys.argv[2]
decided = decide(table, random_case(Random(0))[0]) if answer == "decision" else decide_triggers(table)
rows = sorted(decided.select("id", answer).collect(), key=lambda row: row.id)
print(json.dumps([row[answer].asDict(recursive=True) for row in rows]))
"""


@contextmanager
def taken(port: int) -> Iterator[int]:
    """A port on which a program listens: this one, or whichever has it."""
    with socket.socket() as listening:
        with suppress(OSError):
            listening.bind(("127.0.0.1", port))
            listening.listen()
        yield port or listening.getsockname()[1]


def occasions() -> tuple[Any, list[dict[str, Any]]]:
    """A table of occasions, and what the trigger rules say of each."""
    table = occasion_table(Random(4), 40)
    return table, answers(duckdb.decide_triggers(table), "triggering")


def puts() -> tuple[Any, list[dict[str, Any]]]:
    """A table of puts in a cluster, and where each goes."""
    rng = Random(0)
    cluster, put = random_case(rng)
    given = [asdict(each) for each in (put, *(random_put(rng, cluster) for _ in range(30)))]
    every = [None, {"queue": "NOWHERE", "call": "mqget"}, *given]
    asked = pa.array([each and {name: each.get(name) for name in PUT} for each in every], arrow_struct(PUT))
    table = pa.table({"id": range(len(every)), "put": asked})
    return table, answers(duckdb.decide(table, cluster))


@pytest.mark.parametrize(("answer", "made"), first(1, [("triggering", occasions), ("decision", puts)]))
def test_tables_by_a_server_beside_another(
    tmp_path: Path, answer: str, made: Callable[[], tuple[Any, list[dict[str, Any]]]]
) -> None:
    table, expected = made()
    pq.write_table(table, tmp_path / "table.parquet")
    given_to = [str(tmp_path / "table.parquet"), answer, *(path for path in sys.path if path)]
    with taken(15002):  # where Spark's own servers listen
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *given_to], cwd=tmp_path, capture_output=True, timeout=600, check=False
        )
    assert done.returncode == 0, done.stderr.decode()
    # Without all that Connect needs Spark leaves Python without an error.
    assert json.loads(done.stdout) == expected


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
