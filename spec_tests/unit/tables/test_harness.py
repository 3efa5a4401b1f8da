"""Adversarial rows, schemas and puts in DuckDB, against one row at a time and against the engine."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

from mqclause.duckdb import decide
from mqclause.tables.row import Rows
from spec_tests.support.adversarial import adversarial_rows, check_puts_in_clusters, random_table
from spec_tests.support.deep import asked
from spec_tests.support.random_rows import answers, arrow_table
from spec_tests.support.together import connection

BY_ROW = Rows()


@pytest.mark.parametrize("number", [250, pytest.param(asked("ROWS", 20_000), marks=pytest.mark.deep)])
def test_adversarial_rows(number: int) -> None:
    rng = Random(number)
    outcomes = set()
    for optional in (False, True):
        rows = adversarial_rows(rng, number // 2, optional)
        found = answers(decide(arrow_table(rows, optional), explain=True, connection=connection()))
        for row, one in zip(rows, found, strict=True):
            assert one == BY_ROW.decision(*row, explain=True), row
            outcomes.add(one["outcome"])
    assert outcomes == {"chosen", "failed", "deferred", "invalid"}


@pytest.mark.parametrize("number", [2, pytest.param(asked("SCHEMAS", 30), marks=pytest.mark.deep)])
def test_random_schemas(number: int) -> None:
    rng = Random(number)
    for _ in range(number):
        table, rows = random_table(rng, 60)
        relation = decide(table, explain=True, connection=connection())
        assert relation.columns == [*table.column_names, "decision"]
        for row, one in zip(rows, answers(relation), strict=True):
            assert one == BY_ROW.decision(*row, explain=True), (table.schema, row)


@pytest.mark.parametrize("number", [2, pytest.param(8, marks=pytest.mark.deep)])
def test_adversarial_puts_in_clusters(number: int) -> None:
    check_puts_in_clusters(
        number, 150, lambda table, cluster, rules: answers(decide(table, cluster, rules, True, connection=connection()))
    )


def test_what_the_alphabet_has() -> None:
    rng = Random(1)
    rows = adversarial_rows(rng, 3000)
    messages: set[Any] = {BY_ROW.decision(*row)["message"] for row in rows}
    told = " ".join(map(str, messages))
    for part in ("nan", "-1", "9223372036854775807", "'A B'", "'é'", "\ufb06", "is null", "already_sent_to[", "''"):
        assert part in told
