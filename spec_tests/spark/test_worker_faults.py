"""Queries that fail. The Python that runs one ends with it, and the next would load all of ours again: they come last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

from mqclause import spark as native


def test_nothing_runs_before_an_action(spark: Any, jobs: Callable[[], list[int]]) -> None:
    put, among = "named_struct('queue', string(raise_error(string(id))))", "array(named_struct('queue_manager', 'QM2'))"
    unread = spark.range(1).selectExpr("id", f"{put} AS put", f"{among} AS destinations")
    made = native.decide(unread)
    assert "decision" in made.columns
    assert jobs() == []
    with pytest.raises(Exception, match="0"):
        made.collect()
    assert len(jobs()) == 1


def test_a_column_that_does_not_fit_is_told_by_a_function_of_sql(spark: Any) -> None:
    native.register(spark)
    found = spark.sql(
        "SELECT choose_destination(named_struct('queue', 1), array(named_struct('queue_manager', 'QM2')))"
    )
    with pytest.raises(Exception, match="column put.queue is an integer; expected a text"):
        found.collect()
