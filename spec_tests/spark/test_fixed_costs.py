"""What a decision costs whatever the table: nothing is run or written again, and little goes to a worker."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

for needed in ("pyspark", "duckdb", "pyarrow"):
    pytest.importorskip(needed)

import duckdb
import pyarrow as pa
from pyspark import cloudpickle

from mqclause import spark as native
from mqclause.documents import OUTCOME
from mqclause.duckdb.table import QUERIED_TABLE, get_column_kinds, render_cluster_query, render_row_query
from mqclause.rulebook.rules import Rules
from mqclause.spark.dialect import answer_type
from mqclause.spark.table import NUMBER, answers_of
from mqclause.tables.schema import DESTINATION, PUT, build_shape
from spec_tests.support.random_rows import Row, arrow_table
from spec_tests.support.weighted_routes import cluster


def table(spark: Any, name: str = "id") -> Any:
    kinds = ({name: each.kind for name, each in columns.items()} for columns in (PUT, DESTINATION))
    put, among = (answer_type(each).simpleString() for each in kinds)
    return spark.createDataFrame([], f"{name} bigint, put {put}, destinations array<{among}>")


@pytest.mark.deep
def test_a_query_is_written_once_for_rules_and_shape(spark: Any, jobs: Callable[[], list[int]]) -> None:
    tied = cluster(20, 50)

    def decided(name: str, reading: str) -> tuple[int, int]:
        rules = Rules({"weight-step": reading})
        native.decide(table(spark, name), rules=rules)
        native.decide(table(spark, name).drop("destinations"), tied, rules)
        return render_row_query.cache_info().misses, render_cluster_query.cache_info().misses

    before = decided("id", "exact")
    assert decided("other", "exact") == before  # another table of the same shape, and the same rules loaded again
    assert decided("id", "truncated") == (before[0] + 1, before[1] + 1)
    assert jobs() == []


PROGRAM = """
import pickle, sys
sys.modules["mqclause"] = None
import pyarrow as pa
answers, table = pickle.load(open(sys.argv[1], "rb"))
print([each["queue_manager"] for found in answers(iter(table)) for each in found.to_pylist()])
"""


def test_a_worker_needs_no_more_than_duckdb_and_arrow(tmp_path: Path) -> None:
    rows: list[Row] = [({"queue": "Q"}, [{"queue_manager": name}]) for name in ("QM2", "QM3", "QM4")]
    given = arrow_table(rows).select(["put", "destinations"])
    shape = build_shape(get_column_kinds(duckdb.from_arrow(given)), OUTCOME)
    answers = answers_of(render_row_query(shape, (), Rules(), False, None))
    packed: Callable[[object], bytes] = cloudpickle.dumps
    sent = packed((answers, given.to_batches(2)))
    assert len(sent) < 80_000
    (tmp_path / "sent").write_bytes(sent)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "sent")], capture_output=True, text=True, check=False
    )
    assert done.stdout == "['QM2', 'QM3', 'QM4']\n", done.stderr
    assert list(pickle.loads(sent)[0](iter([]))) == []


def test_answers_that_come_in_another_order_are_put_in_that_of_their_rows() -> None:
    batches = pa.table({"place": range(9_000)}).to_batches(1_000)
    by = "place % 7 * (place // 3000 + 1)"
    query = f"SELECT {NUMBER}, place * 2 AS answer FROM (FROM {QUERIED_TABLE} ORDER BY {by}, place DESC)"
    found = [one for each in answers_of(query, is_numbered=True)(iter(batches)) for one in each.to_pylist()]
    assert found == [2 * place for place in range(9_000)]
    assert list(answers_of(query, is_numbered=True)(iter([]))) == []
