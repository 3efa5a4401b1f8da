"""Adversarial rows, schemas and puts in every way of Spark, against one row at a time and against the engine."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

for needed in ("pyspark", "duckdb", "pyarrow"):
    pytest.importorskip(needed)

import pyarrow as pa
import pyarrow.parquet as pq

from mqclause import Cluster, Rules
from mqclause import spark as native
from mqclause.tables.row import Rows
from spec_tests.support.adversarial import adversarial_rows, check_puts_in_clusters, random_table
from spec_tests.support.deep import asked, first
from spec_tests.support.random_rows import Row, arrow_table
from spec_tests.support.spark_tables import collected, frame

BY_ROW = Rows()


@pytest.mark.deep
def test_adversarial_rows_in_every_way(spark: Any, folder: Path) -> None:
    number = 30_000
    rows = adversarial_rows(Random(number), number)
    df = frame(spark, folder, f"adversarial{number}", arrow_table(rows))
    expected = [BY_ROW.decision(*row, explain=True) for row in rows]
    df.createOrReplaceTempView("adversarial")

    def registered() -> Any:
        native.register(spark, explain=True)
        return spark.sql("SELECT id, choose_destination(put, destinations) AS decision FROM adversarial")

    decided: dict[str, Callable[[], Any]] = {
        "decide": lambda: native.decide(df, explain=True),
        "column": lambda: df.withColumn("decision", native.choose_destination("put", "destinations", explain=True)),
        "udf": lambda: df.withColumn("decision", native.choose_destination_udf(explain=True)("put", "destinations")),
        "sql": registered,
    }
    for way, made in decided.items():
        for row, one, other in zip(rows, collected(made().select("id", "decision")), expected, strict=True):
            assert one == other, (way, row)


@pytest.mark.parametrize("number", [1, pytest.param(asked("SCHEMAS", 10), marks=pytest.mark.deep)])
def test_random_schemas(spark: Any, folder: Path, number: int) -> None:
    rng = Random(number)
    for place in range(number):
        table, rows = random_table(rng, 60, nulls=False)
        decided = native.decide(frame(spark, folder, f"schema{number}-{place}", table), explain=True)
        assert decided.columns == [*table.column_names, "decision"]
        for row, one in zip(rows, collected(decided), strict=True):
            assert one == BY_ROW.decision(*row, explain=True), (table.schema, row)


@pytest.mark.parametrize(("number", "streamed"), first(1, [(1, True), (5, False), (5, True)]))
def test_adversarial_puts_in_clusters(spark: Any, folder: Path, number: int, streamed: bool) -> None:
    """Also where the puts arrive one after the other."""
    places = count()

    def decided(table: pa.Table, cluster: Cluster, rules: Rules) -> list[Any]:
        name = f"puts{number}-{next(places)}-{streamed}"
        df = frame(spark, folder / name, "puts", table)
        if not streamed:
            return collected(native.decide(df, cluster, rules, explain=True))
        arriving = spark.readStream.schema(df.schema).parquet(str(folder / name))
        stream = native.decide(arriving, cluster, rules, explain=True).writeStream.format("memory")
        assert stream.queryName("decided").trigger(availableNow=True).start().awaitTermination(600)
        return collected(spark.table("decided"))

    check_puts_in_clusters(number, 300, decided)


PROGRAM = """
import json, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from mqclause.spark import choose_destination, choose_destination_udf, decide, local_session, register
session = local_session(2, "1g", connect=True)
register(session, explain=True)
for path in sorted(Path(sys.argv[1]).glob("*.parquet")):
    rows = session.read.parquet(str(path))
    rows.createOrReplaceTempView("adversarial")
    ways = {
        "decide": lambda: decide(rows, explain=True),
        "column": lambda: rows.withColumn("decision", choose_destination("put", "destinations", explain=True)),
        "udf": lambda: rows.withColumn("decision", choose_destination_udf(explain=True)("put", "destinations")),
        "sql": lambda: session.sql("SELECT id, choose_destination(put, destinations) AS decision FROM adversarial"),
    }
    for way in ways if path.stem == "rows" else ["decide"]:
        found = sorted(ways[way]().select("id", "decision").collect(), key=lambda row: row.id)
        print(json.dumps([path.stem, way, [row.decision.asDict(recursive=True) for row in found]]))
"""


@pytest.mark.deep
def test_adversarial_rows_and_schemas_by_a_connect_server(tmp_path: Path) -> None:
    rng = Random(9)
    given: dict[str, list[Row]] = {"rows": adversarial_rows(rng, asked("ROWS", 3_000))}
    pq.write_table(arrow_table(given["rows"]), tmp_path / "rows.parquet")
    for number in range(asked("SCHEMAS", 3)):
        table, given[f"schema{number}"] = random_table(rng, 60, nulls=False)
        pq.write_table(table, tmp_path / f"schema{number}.parquet")
    arguments = [str(tmp_path), *(path for path in sys.path if path)]
    with (tmp_path / "decided").open("wb+") as out:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *arguments], cwd=tmp_path, stdout=out, stderr=subprocess.PIPE, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        out.seek(0)
        decided = [json.loads(line) for line in out]
    assert len(decided) == len(given) + 3
    expected = {stem: [BY_ROW.decision(*row, explain=True) for row in rows] for stem, rows in given.items()}
    for stem, way, found in decided:
        for row, one, other in zip(given[stem], found, expected[stem], strict=True):
            assert one == other, (stem, way, row)
