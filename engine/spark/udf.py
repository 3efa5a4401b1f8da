"""The rules as functions on the columns of a Spark DataFrame. Workers need mqclause installed too."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, functions
from pyspark.sql.types import DataType, StringType, StructField, StructType

from mqclause.rulebook.rules import Rules
from mqclause.spark.types import ANSWERED
from mqclause.tables.columns import DECISION
from mqclause.tables.row import Rows

ColumnFunction = Callable[..., Column]
"""Takes the columns ``put`` and ``destinations``, or their names; gives a column."""

ARROW_UDF = getattr(functions, "arrow_udf", None)
"""Spark's way to make a function that takes Arrow data as it is; None before 4.1."""

_ARROW = {"text": pa.string(), "integer": pa.int32(), "texts": pa.list_(pa.string())}

DECISION_TYPE = StructType([StructField(name, ANSWERED[kind]) for name, kind in DECISION.items()])
"""The type of the column ``decision`` in Spark."""

DECISION_IN_ARROW = pa.struct([(name, _ARROW[kind]) for name, kind in DECISION.items()])
"""The type of the column ``decision`` in Arrow."""


def choose_destination_udf(rules: Rules | None = None, explain: bool = False) -> ColumnFunction:
    """A function of ``put`` and ``destinations``, columns as in mqclause.tables.columns, that gives the decision.

    ``df.select("*", choose_destination_udf()("put", "destinations").alias("decision"))``: a struct of DECISION_TYPE,
    never null; a row with a fault is ``invalid``. With ``explain`` the field ``eliminated_by`` is filled. Raises
    RuleError here, not on a worker.
    """
    key = Rules.given(rules)
    rows_of(key)

    def decide(puts: Iterable[Any], destinations: Iterable[Any]) -> list[dict[str, Any]]:
        decision = rows_of(key).decision
        return [decision(put, listed, explain) for put, listed in zip(puts, destinations, strict=True)]

    return _column_function(decide, DECISION_TYPE, DECISION_IN_ARROW)


def explain_udf(rules: Rules | None = None) -> ColumnFunction:
    """A function of ``put`` and ``destinations`` that gives the decision with its derivation, as text in JSON.

    The object has the fields of the decision, ``eliminated_by`` filled, and ``steps`` as in mqclause.trace/1. Raises
    RuleError.
    """
    key = Rules.given(rules)
    rows_of(key)

    def explained(puts: Iterable[Any], destinations: Iterable[Any]) -> list[str]:
        explained = rows_of(key).explained
        found = (explained(put, listed) for put, listed in zip(puts, destinations, strict=True))
        return [json.dumps(each, ensure_ascii=False) for each in found]

    return _column_function(explained, StringType(), pa.string())


@cache
def rows_of(rules: Rules) -> Rows:
    """What decides rows by ``rules``, made once in each process: they come to a worker as their text."""
    return Rows(rules)


def _column_function(decide: Callable[..., list[Any]], kind: DataType, in_arrow: pa.DataType) -> ColumnFunction:
    """``decide``, which takes and gives lists, as a function of columns. Only plain data goes to the workers."""
    if ARROW_UDF is None:
        # Without Arrow: by way of pandas, as 4.0 does it, whole numbers beside a null would come as others.
        return functions.udf(_by_row(decide), kind, useArrow=False)

    def on_arrays(puts: pa.Array, destinations: pa.Array) -> pa.Array:
        return pa.array(decide(puts.to_pylist(), destinations.to_pylist()), in_arrow)

    function: ColumnFunction = ARROW_UDF(on_arrays, kind)
    return function


def _by_row(decide: Callable[..., list[Any]]) -> Callable[..., Any]:
    """For Spark 4.0: ``decide`` of one row at a time, given as Spark's Row."""

    def on_row(put: Any, destinations: Any) -> Any:
        listed = destinations and [each and each.asDict() for each in destinations]
        found = decide([put and put.asDict()], [listed])[0]
        return tuple(found.values()) if isinstance(found, dict) else found

    return on_row
