"""The project's own functions in the dialects of DuckDB and Spark."""

from __future__ import annotations

from mqclause.spark.pipeline import Pipeline
from mqclause.tables.dialect import DUCKDB, SPARK, lowered
from mqclause.tables.plan import Program


def test_one_dialect_leaves_nothing_in_another() -> None:
    source = "length_of(those(each(items, lambda each, place: item(each, place)), lambda each: each > 1))"
    duckdb, spark, again = (lowered(source, functions).sql("duckdb") for functions in (DUCKDB, SPARK, DUCKDB))
    assert duckdb == again
    assert ("list_filter" in duckdb.lower(), "list_filter" in spark.lower()) == (True, False)


def test_a_program_can_be_written_twice() -> None:
    program = Program({"mq_one": "size([1])", "mq_two": "mq_one + mq_one"}, {"found": "mq_two * mq_two"})
    first, second = (Pipeline.of(program).sql() for _ in range(2))
    assert first == second
    assert "mq_one" not in first
