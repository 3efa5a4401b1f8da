"""Rows that a cluster workload exit is called for, in Spark: Python decides them, on the workers."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from mqclause import read_document
from mqclause.exits import MQWXP
from spec_tests.support.deep import first
from spec_tests.support.exit_scene import NAME, facts
from spec_tests.support.spark_tables import from_rows

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

from mqclause.spark import decide
from mqclause.spark.table import DECISION_TYPE

# Number, local queue manager, queue, binding, call, CLWLMRUC; who is chosen without the exit, and with it.
ROWS = [
    (0, "QM1", "Q", "NOTFIXED", "MQPUT", None, "QM2", "QM4"),
    (1, "QM1", "Q", "OPEN", "mqopen", None, "QM2", "QM4"),
    (2, "QM1", "Q", "NOTFIXED", "MQOPEN", None, "deferred", "deferred"),
    (3, "QM1", "Q", None, "MQPUT1", 1, "QM2", 2266),
    (4, "QM1", "NONE", None, "MQPUT1", None, 2085, 2085),
    (5, "QM1", "Q", "LOOSE", "MQPUT", None, "invalid", "invalid"),
    (6, "QM9", "Q", "NOTFIXED", "MQPUT", None, "QM2", "QM2"),
    (7, "QM8", "Q", "NOTFIXED", "MQPUT", None, "invalid", "invalid"),
]


@pytest.mark.parametrize("called", first(1, [True, False]))
def test_the_exit_decides_where_it_is_called(spark: Any, called: bool) -> None:
    def third(wxp: MQWXP) -> None:
        if wxp.CLWLMRUChannels == 1:
            raise ValueError("boom")
        wxp.DestinationChosen = 3

    known = read_document(facts(), "facts").cluster
    clusters = {"QM1": known, "QM9": evolve(known, queue_manager=evolve(known.queue_manager, name="QM9", clwlexit=""))}
    rows = [(number, at, {"queue": queue, "bind": bind, "call": call, "clwlmruc": most})
            for number, at, queue, bind, call, most, *_ in ROWS]  # fmt: skip
    schema = "number int, place string, put struct<queue: string, bind: string, call: string, clwlmruc: int>"
    table = from_rows(spark, rows, schema)
    decided = decide(table, clusters, at="place", exits={NAME: third} if called else {})
    assert decided.columns == [*table.columns, "decision"]
    assert decided.schema["decision"].dataType == DECISION_TYPE
    found = {row.number: row.decision for row in decided.collect()}
    told = [each.queue_manager or each.reason or each.outcome for each in (found[row[0]] for row in ROWS)]
    assert told == [row[-1] if called else row[-2] for row in ROWS]
