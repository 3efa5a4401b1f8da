"""Executors and tables decide very many clusters alike, with who fell by which rule."""

from __future__ import annotations

import json
from functools import cache

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

from mqclause import Engine, Rules
from mqclause.duckdb import decide
from mqclause.executors.operations import ExecutorName
from mqclause.workload.decision import Level
from spec_tests.support.compared import outline
from spec_tests.support.deep import asked
from spec_tests.support.many_clusters import batches, table_row
from spec_tests.support.random_rows import answers, arrow_table

OTHERS: tuple[ExecutorName, ...] = ("chaining", "plain")
MANY = pytest.mark.parametrize(
    ("clusters", "each"),
    [(48, 12), pytest.param(asked("CLUSTERS", 12_000), 500, marks=pytest.mark.deep)],
    ids=["few", "many"],
)


@cache
def engine(executor: ExecutorName, edition: str, readings: tuple[tuple[str, str], ...]) -> Engine:
    """Made once: durable_rules never gives the memory of its networks back."""
    return Engine(Rules(dict(readings), edition), executor)


@MANY
def test_executors(clusters: int, each: int) -> None:
    for batch in batches(clusters, each):
        read = batch.edition, tuple(sorted(batch.readings.items()))
        ours, others = engine("compiled", *read), [engine(executor, *read) for executor in OTHERS]
        for number, (cluster, put) in enumerate(batch.cases):
            level: Level = "condition" if number % 50 == 0 else "rule"
            one = ours.choose(put, cluster, None, level)
            for other in (each.choose(put, cluster, None, level) for each in others):
                assert outline(one) == outline(other), (number, put)
                if level == "condition":
                    assert json.dumps(one.to_json()) == json.dumps(other.to_json()), (number, put)


@MANY
def test_a_table(clusters: int, each: int) -> None:
    """All puts of a batch are the rows of one table: what their names come to, with the destinations there."""
    for batch in batches(clusters, each):
        ours = engine("compiled", batch.edition, tuple(sorted(batch.readings.items())))
        made = [one for case in batch.cases if (one := table_row(ours, *case)) is not None]
        assert len(made) >= each // 4
        rows = [row for row, _ in made]
        found = answers(decide(arrow_table(rows, optional=True), rules=ours.rules, explain=True))
        for (row, expected), decision in zip(made, found, strict=True):
            assert decision == expected, row
