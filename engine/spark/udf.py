"""The rules as functions on the columns of a Spark DataFrame. Workers need mqclause installed too."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, functions
from pyspark.sql.types import ArrayType, DataType, IntegerType, StringType, StructField, StructType

from mqclause.tables.columns import DECISION
from mqclause.tables.row import Rows

ColumnFunction = Callable[..., Column]
"""Takes the columns ``put`` and ``destinations``, or their names; gives a column."""

Readings = tuple[tuple[str, str], ...]

ARROW_UDF = getattr(functions, "arrow_udf", None)
"""Spark's way to make a function that takes Arrow data as it is; None before 4.1."""

_SPARK = {"text": StringType(), "integer": IntegerType(), "texts": ArrayType(StringType())}
_ARROW = {"text": pa.string(), "integer": pa.int32(), "texts": pa.list_(pa.string())}

DECISION_TYPE = StructType([StructField(name, _SPARK[kind]) for name, kind in DECISION.items()])
"""The type of the column ``decision`` in Spark."""

DECISION_IN_ARROW = pa.struct([(name, _ARROW[kind]) for name, kind in DECISION.items()])
"""The type of the column ``decision`` in Arrow."""


def choose_destination_udf(readings: Mapping[str, str] | None = None, explain: bool = False) -> ColumnFunction:
    """A function of ``put`` and ``destinations``, columns as in mqclause.tables.columns, that gives the decision.

    ``df.select("*", choose_destination_udf()("put", "destinations").alias("decision"))``: a struct of DECISION_TYPE,
    never null; a row with a fault is ``invalid``. With ``explain`` the field ``eliminated_by`` is filled. Raises
    ReadingError here, not on a worker.
    """
    key = key_of(readings, rows_of)

    def decide(puts: Iterable[Any], destinations: Iterable[Any]) -> list[dict[str, Any]]:
        decision = rows_of(key).decision
        return [decision(put, listed, explain) for put, listed in zip(puts, destinations, strict=True)]

    return _column_function(decide, DECISION_TYPE, DECISION_IN_ARROW)


def explain_udf(readings: Mapping[str, str] | None = None) -> ColumnFunction:
    """A function of ``put`` and ``destinations`` that gives the decision with its derivation, as text in JSON.

    The object has the fields of the decision, ``eliminated_by`` filled, and ``steps`` as in mqclause.trace/1. Raises
    ReadingError.
    """
    key = key_of(readings, rows_of)

    def explained(puts: Iterable[Any], destinations: Iterable[Any]) -> list[str]:
        explained = rows_of(key).explained
        found = (explained(put, listed) for put, listed in zip(puts, destinations, strict=True))
        return [json.dumps(each, ensure_ascii=False) for each in found]

    return _column_function(explained, StringType(), pa.string())


@cache
def rows_of(readings: Readings) -> Rows:
    """The rules under ``readings``, loaded once in each process. Raises ReadingError."""
    return Rows(dict(readings))


def key_of(readings: Mapping[str, str] | None, loaded: Callable[[Readings], object]) -> Readings:
    """``readings`` as they go to the workers, which call ``loaded`` with them. Raises ReadingError here already."""
    key = tuple(sorted((readings or {}).items()))
    loaded(key)
    return key


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
