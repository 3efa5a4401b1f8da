"""Plans as columns of Spark."""

from __future__ import annotations

from functools import lru_cache

from pyspark.errors import PySparkRuntimeError
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody names it
from sqlglot import exp

from mqclause.language.sql import Node
from mqclause.spark.dialect import SPARK
from mqclause.spark.passes import one_expression
from mqclause.tables.bindings import Plan
from mqclause.tables.dialect import call
from mqclause.tables.functions import function, variable

LOOKS = "spark.sql.analyzer.maxIterations"
ENOUGH_LOOKS = 1000
"""Spark's analyzer takes two or three looks for each step of the rules, and gives up after a hundred by default."""

SPARK_WRITES = 25
"""Arguments of a call that Spark writes when it explains a plan, unless spark.sql.debug.maxToStringFields says more."""


def expression(tree: Node) -> Column:
    """A tree as a column."""
    return F.expr(SPARK.text(tree, quoted=True))


def answer_of(plan: Plan, **inputs: Column | str) -> Column:
    """The answer of a plan over its inputs; in a struct of their own where they have other names than it uses.

    Raises TypeError for what is no column, and PySparkRuntimeError where no session is there.
    """
    for name, given in inputs.items():
        if not isinstance(given, Column | str):
            raise TypeError(f"{name} is a {type(given).__name__}; expected a column or its name")
    look_enough(SparkSession.active())
    if all(isinstance(given, str) and given == name for name, given in inputs.items()):
        return F.expr(answer_text(plan))
    row = F.struct(*((F.col(given) if isinstance(given, str) else given).alias(name) for name, given in inputs.items()))
    same = expression(function(variable("row"), "row", "nothing"))
    return F.call_function("aggregate", F.array(), row, same, F.expr(answer_text(plan, *inputs)))


@lru_cache(maxsize=64)
def answer_text(plan: Plan, *inputs: str) -> str:
    """The answer of a plan in Spark's SQL, written once for each; with ``inputs`` as a function of their ``row``."""
    answer = in_brief(one_expression(plan, inputs))
    return SPARK.text(function(answer, "row") if inputs else answer, quoted=True)


def in_brief(tree: Node) -> Node:
    """The value of a tree, which an explained plan leaves out: it comes after as many arguments as Spark writes."""
    return call("GREATEST", *(exp.null() for _ in range(SPARK_WRITES)), tree)


def look_enough(spark: SparkSession) -> None:
    """Lets the analyzer of a session look as often as it needs to.

    Raises TypeError for what is none, and PySparkRuntimeError for one that was stopped.
    """
    if not hasattr(spark, "conf"):
        raise TypeError(f"the session is a {type(spark).__name__}; expected a SparkSession")
    # One of Connect has no context: it tells by itself that it was stopped.
    if getattr(getattr(spark, "_sc", None), "_jsc", spark) is None:
        raise PySparkRuntimeError(errorClass="NO_ACTIVE_OR_DEFAULT_SESSION", messageParameters={})
    if int(spark.conf.get(LOOKS) or 0) < ENOUGH_LOOKS:
        spark.conf.set(LOOKS, str(ENOUGH_LOOKS))
