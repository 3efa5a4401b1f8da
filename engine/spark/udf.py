"""The rules as functions on the columns of a Spark DataFrame. Workers need mqclause installed too."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, SparkSession, functions
from pyspark.sql.types import DataType, StringType, StructType

from mqclause.documents import DOCUMENTS, OUTCOME, TRIGGER, WORKLOAD
from mqclause.duckdb.table import kinds_of, text_of
from mqclause.rulebook.declaration import Declaration
from mqclause.rulebook.rules import Rules
from mqclause.spark.types import answer_type
from mqclause.spark.worker import ARROW_UDF, answers_of, column_function
from mqclause.tables.answers import decision, triggering
from mqclause.tables.columns import DECISION, TRIGGERING, Columns, columns_of
from mqclause.tables.plan import AnswerFields, plan_of
from mqclause.tables.row import Rows
from mqclause.tables.shape import contract_shape, shape_of

ColumnFunction = Callable[..., Column]
"""Takes columns, or their names; gives a column."""

DECISION_TYPE = answer_type(DECISION)
"""The type of the column ``decision`` in Spark."""

TRIGGERING_TYPE = answer_type(TRIGGERING)
"""The type of the column ``triggering`` in Spark."""

_ARROW = {
    "boolean": pa.bool_(), "integer": pa.int64(), "number": pa.float64(), "text": pa.string(),
    "texts": pa.list_(pa.string()),
}  # fmt: skip

DECISION_IN_ARROW = pa.struct([(name, {**_ARROW, "integer": pa.int32()}[kind]) for name, kind in DECISION.items()])
"""The type of the column ``decision`` in Arrow."""


def choose_destination(
    put: Column | str = "put",
    destinations: Column | str = "destinations",
    rules: Rules | None = None,
    explain: bool = False,
) -> Column:
    """The decision about a put among its destinations, as a struct: see choose_destination_udf.

    Raises TypeError for what is no column, and RuleError.
    """
    _check_columns(put=put, destinations=destinations)
    return choose_destination_udf(rules, explain)(put, destinations)


def trigger_conditions(occasion: Column | str = "occasion", rules: Rules | None = None) -> Column:
    """What the trigger rules say about an occasion, as a struct: see mqclause.tables.columns.

    Raises TypeError for what is no column, RuleError, and RuntimeError in Spark 4.0, where decide_triggers does it.
    """
    _check_columns(occasion=occasion)
    return _triggering_udf(Rules.given(rules))(occasion)


def register(spark: SparkSession, rules: Rules | None = None, explain: bool = False) -> None:
    """Makes ``choose_destination(put, destinations)`` and ``trigger_conditions(occasion)`` functions of SQL.

    They take the structs that the functions of columns take, and are there until the session ends. Raises RuleError,
    TypeError for what is no session, RuntimeError in Spark 4.0, and PySparkRuntimeError where no session is there any
    more.
    """
    if not hasattr(spark, "udf"):
        raise TypeError(f"the session is a {type(spark).__name__}; expected a SparkSession")
    SparkSession.active()  # a function that is made without one has PySpark look for a server of SPARK_REMOTE
    triggers = _triggering_udf(Rules.given(rules))
    spark.udf.register("choose_destination", choose_destination_udf(rules, explain))
    spark.udf.register("trigger_conditions", triggers)


def choose_destination_udf(rules: Rules | None = None, explain: bool = False) -> ColumnFunction:
    """A function of ``put`` and ``destinations``, columns as in mqclause.tables.columns, that gives the decision.

    ``df.select("*", choose_destination_udf()("put", "destinations").alias("decision"))``: a struct of DECISION_TYPE,
    never null; a row with a fault is ``invalid``. The structs may have any of the fields, in any order, and others.
    With ``explain`` the field ``eliminated_by`` is filled. DuckDB decides in Spark's workers; in Spark 4.0, where they
    are given no Arrow data, the compiled rules do, row by row. Raises RuleError here, not on a worker.
    """
    key = Rules.given(rules)
    if ARROW_UDF is not None:
        return _answering_udf(key, OUTCOME, decision, WORKLOAD if explain else None, DECISION_TYPE)
    rows_of(key)

    def decide(puts: Iterable[Any], destinations: Iterable[Any]) -> list[dict[str, Any]]:
        one = rows_of(key).decision
        return [one(put, listed, explain) for put, listed in zip(puts, destinations, strict=True)]

    return _row_function(decide, DECISION_TYPE)


def explain_udf(rules: Rules | None = None) -> ColumnFunction:
    """A function of ``put`` and ``destinations`` that gives the decision with its derivation, as text in JSON.

    The object has the fields of the decision, ``eliminated_by`` filled, and ``steps`` as in mqclause.trace/1. The
    compiled rules decide, row by row. Raises RuleError.
    """
    key = Rules.given(rules)
    rows_of(key)

    def explained(puts: Iterable[Any], destinations: Iterable[Any]) -> list[str]:
        one = rows_of(key).explained
        found = (one(put, listed) for put, listed in zip(puts, destinations, strict=True))
        return [json.dumps(each, ensure_ascii=False) for each in found]

    def on_arrays(puts: pa.Array, destinations: pa.Array) -> pa.Array:
        return pa.array(explained(puts.to_pylist(), destinations.to_pylist()), pa.string())

    if ARROW_UDF is None:
        return _row_function(explained, StringType())
    function: ColumnFunction = ARROW_UDF(on_arrays, StringType())
    return function


@cache
def rows_of(rules: Rules) -> Rows:
    """What decides rows by ``rules``, made once in each process: they come to a worker as their text."""
    return Rows(rules)


def _triggering_udf(rules: Rules) -> ColumnFunction:
    if ARROW_UDF is None:
        raise RuntimeError("trigger_conditions needs Spark 4.1 or newer; decide_triggers does it for a DataFrame")
    return _answering_udf(rules, TRIGGER, triggering, None, TRIGGERING_TYPE)


def _answering_udf(
    rules: Rules, about: Declaration, answer: AnswerFields, traced: Declaration | None, kind: StructType
) -> ColumnFunction:
    """A function of the columns of a document's tables; which fields they have is seen where they are."""
    plan_of(rules, contract_shape(about), answer, traced)
    # A declaration is known by itself, and what is sent is another one: only its name goes there.
    given = rules, about.name, answer, traced is not None

    def query(relation: Any) -> str:
        return _query(relation, *given)

    void = {about.row.situation: _in_arrow(columns_of(about.situation))}
    if about.subject is not None:
        void[about.row.subjects] = pa.list_(_in_arrow(columns_of(about.subject)))
    function: ColumnFunction = column_function(answers_of(query), kind, [*void], void)
    return function


def _query(relation: Any, rules: Rules, name: str, answer: AnswerFields, is_traced: bool) -> str:
    about = DOCUMENTS[name]
    plan = plan_of(rules, shape_of(kinds_of(relation), about), answer, about.course[0] if is_traced else None)
    return text_of(plan, (), about.row.answer)


def _in_arrow(columns: Columns) -> pa.DataType:
    return pa.struct([(name, _ARROW[each.kind]) for name, each in columns.items()])


def _check_columns(**given: object) -> None:
    for name, each in given.items():
        if not isinstance(each, Column | str):
            raise TypeError(f"{name} is a {type(each).__name__}; expected a column or its name")


def _row_function(decide: Callable[..., list[Any]], kind: DataType) -> ColumnFunction:
    """For Spark 4.0: ``decide``, which takes and gives lists, of one row at a time, given as Spark's Row.

    Without Arrow: by way of pandas, whole numbers beside a null would come as others.
    """

    def on_row(put: Any, destinations: Any) -> Any:
        listed = destinations and [each and each.asDict() for each in destinations]
        found = decide([put and put.asDict()], [listed])[0]
        return tuple(found.values()) if isinstance(found, dict) else found

    return functions.udf(on_row, kind, useArrow=False)
