"""The order of messages in Spark is that in DuckDB."""

from __future__ import annotations

from random import Random

import pytest
from pyspark.sql import SparkSession

from mqclause.rulebook.rules import Rules
from mqclause.spark import message_order
from spec_tests.support.ordered_messages import READINGS, ordered
from spec_tests.support.random_messages import COLUMNS, random_rows
from spec_tests.support.spark_tables import from_rows

SCHEMA = ", ".join(f"`{name}` {kind}" for name, kind in COLUMNS.items())


@pytest.mark.parametrize("reading", [READINGS[0], pytest.param(READINGS[1], marks=pytest.mark.deep)])
def test_as_in_duckdb(spark: SparkSession, reading: str) -> None:
    rows, rules = random_rows(Random(3), 60), Rules({"group-position": reading})
    names = ("A-B", "Q" * 49, "é", "", "Q0 ")
    rows += [{**rows[0], "id": f"named {name}", "queue": name} for name in names]
    df = from_rows(spark, rows, SCHEMA)
    found = message_order(df, rules=rules).select("id", "message_order").collect()
    assert {row["id"]: row["message_order"].asDict() for row in found} == ordered(rows, rules=rules)
