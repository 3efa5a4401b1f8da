"""Rows that a cluster workload exit is called for, in Spark: an Arrow UDF decides them in Python, on the workers."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody names it
from pyspark.sql.types import StringType

from mqclause.documents import OUTCOME
from mqclause.spark.expression import expression
from mqclause.spark.udf import ARROW_UDF, DECISION_TYPE
from mqclause.tables.cluster_puts import ClusterPuts
from mqclause.tables.exit_rows import ExitRows, calls_exit, said_by
from mqclause.tables.functions import column

_SAID, _BY_EXIT = "__mqclause_said", "__mqclause_by_exit"
"""Columns on the way: what the put of a row says if an exit is called for it, and what is decided then."""


def decided_by_exits(decided: DataFrame, puts: ClusterPuts, rows: ExitRows) -> DataFrame:
    """The table ``decided``, with what the exits make of it."""
    answer = OUTCOME.row.answer
    called = expression(calls_exit(puts, rows, column("outcome", answer)))
    said = decided.withColumn(_SAID, F.when(called, F.to_json(expression(said_by(puts)))))
    # Spark asks a function of Python about every row: null says that there is nothing to ask.
    asked = said.withColumn(_BY_EXIT, _function(rows)(expression(puts.place).cast("int"), F.col(_SAID)))
    by_exit = F.coalesce(F.from_json(_BY_EXIT, DECISION_TYPE), F.col(answer))
    return asked.withColumn(answer, by_exit).drop(_SAID, _BY_EXIT)


def _function(rows: ExitRows) -> Any:
    """A function of the place of a row's queue manager and of what its put says."""
    if ARROW_UDF is None:
        return F.udf(lambda at, said: rows.decisions([at], [said])[0], StringType(), useArrow=False)

    def on_arrays(ats: pa.Array, said: pa.Array) -> pa.Array:
        return pa.array(rows.decisions(ats.to_pylist(), said.to_pylist()), pa.string())

    function: Column = ARROW_UDF(on_arrays, StringType())
    return function
