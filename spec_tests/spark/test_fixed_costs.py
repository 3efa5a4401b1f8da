"""What a decision costs whatever the table: nothing is run or written again, and a plan stays of a size to be read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

from mqclause import spark as native
from mqclause.rulebook.rules import Rules
from mqclause.spark.expression import answer_text
from mqclause.spark.types import struct_type
from mqclause.tables.columns import DESTINATION, PUT
from spec_tests.support.deep import first
from spec_tests.support.weighted_routes import cluster


def table(spark: Any, name: str = "id") -> Any:
    put, among = (struct_type(each).simpleString() for each in (PUT, DESTINATION))
    return spark.createDataFrame([], f"{name} bigint, put {put}, destinations array<{among}>")


def by_rows(spark: Any, name: str = "id", reading: str = "exact") -> None:
    native.decide(table(spark, name), rules=Rules({"weight-step": reading}))


def by_cluster(spark: Any, name: str = "id", reading: str = "exact") -> None:
    own = table(spark, name).drop("destinations")
    native.decide(own, cluster(20, 50 if name == "id" else 60), Rules({"weight-step": reading}))


@pytest.mark.parametrize("decide", first(1, [by_rows, by_cluster]))
def test_an_expression_is_written_once_for_rules_and_shape(
    spark: Any, jobs: Callable[[], list[int]], decide: Callable[..., None]
) -> None:
    decide(spark)
    before = answer_text.cache_info()
    decide(spark, "other")  # another table of the same shape, and the same rules loaded again
    after = answer_text.cache_info()
    assert (after.misses, after.hits) == (before.misses, before.hits + 1)
    decide(spark, reading="truncated")
    decide(spark, "clwlmruc")
    assert answer_text.cache_info().misses == before.misses + 2
    assert jobs() == []


def told(df: Any, capsys: pytest.CaptureFixture[str]) -> list[str]:
    df.explain()
    return re.sub(r"#\d+L?", "", capsys.readouterr().out).splitlines()


def test_a_plan_fits_a_screen_unless_all_of_it_is_asked_for(spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    decided = native.decide(table(spark), explain=True)
    lines = told(decided, capsys)
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 400
    (line,) = (line for line in lines if "AS decision" in line)
    assert "greatest(null, null, " in line
    assert "... 1 more fields) AS decision]" in line
    spark.conf.set("spark.sql.debug.maxToStringFields", "100")
    try:
        whole = "".join(told(decided, capsys))
    finally:
        spark.conf.unset("spark.sql.debug.maxToStringFields")
    assert "__mqclause_workload_12c_left" in whole
    assert "Python" not in whole
    assert len(whole) <= 56_000


def test_a_plan_with_a_cluster_can_be_paged_through(spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(native.decide(table(spark).drop("destinations"), cluster(20, 50)), capsys)
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 2_000
    assert sum(map(len, lines)) <= 9_000
    assert "Python" not in "".join(lines)
