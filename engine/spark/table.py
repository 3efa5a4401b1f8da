"""Tables decided by Spark with native columns: no Python runs where the rows are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession

from mqclause.documents import OUTCOME, TRIGGER, WORKLOAD
from mqclause.exits.process import Exit
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.declaration import Declaration
from mqclause.rulebook.rules import Rules
from mqclause.spark.dialect import SPARK
from mqclause.spark.exits import decided_by_exits
from mqclause.spark.expression import answer_of, answer_text, look_enough
from mqclause.spark.joined import decided_in_cluster, numbered, spread_over
from mqclause.spark.passes import one_expression
from mqclause.spark.types import kinds_of, struct_type
from mqclause.tables.answers import decision, evaluation, triggering
from mqclause.tables.bindings import Plan
from mqclause.tables.columns import DESTINATION, OCCASION, PUT
from mqclause.tables.exit_rows import ExitRows
from mqclause.tables.flat import check_no_cluster, cluster_puts
from mqclause.tables.plan import plan_of
from mqclause.tables.shape import contract_shape, shape_of
from mqclause.tables.shares import DECIDED, TIES, Spread, as_decided, ties_plan
from mqclause.tables.shown import shown_sql


def choose_destination(
    put: Column | str = "put",
    destinations: Column | str = "destinations",
    rules: Rules | None = None,
    explain: bool = False,
) -> Column:
    """The decision about a put among its destinations, as a struct: see mqclause.tables.columns.

    The structs have the columns of the contract; for a table that has other ones, use decide. Raises RuleError.
    """
    return answer_of(_decision_plan(rules, explain), put=put, destinations=destinations)


def trigger_conditions(occasion: Column | str = "occasion", rules: Rules | None = None) -> Column:
    """What the trigger rules say about an occasion, as a struct: see mqclause.tables.columns.

    The struct has every field of an occasion. Raises RuleError.
    """
    return answer_of(_triggering_plan(rules), occasion=occasion)


def decide(
    df: DataFrame,
    cluster: Cluster | Mapping[str, Cluster] | None = None,
    rules: Rules | None = None,
    explain: bool = False,
    at: str | None = None,
    shares: bool = False,
    spread: str | None = None,
    exits: Mapping[str, Exit] | None = None,
    exit_limit: float | None = None,
    **put: Any,
) -> DataFrame:
    """``df`` with a column ``decision`` about its ``put`` and ``destinations``.

    With a ``cluster`` the table needs no ``destinations``: they are those that each put names there, and what puts
    can say is decided once, before they are read. ``cluster`` may be several, by the names of their local queue
    managers, of which the column ``at`` has one in each row. Then ``put`` may say where a flat table has the fields of
    a put: ``queue="DEST", bind="NOTFIXED"`` names a column, or what is the same in all rows; where it could be either,
    ``bind=constant("GROUP")`` is the latter. ``df`` may be a stream of puts. No action is triggered.

    Of several permitted destinations the first listed is taken. ``decision.shares``, with ``shares``, lists those that
    get puts in the long run, and their parts; by the column ``spread`` a row takes one of them, always the same, in
    these parts, as if nothing had been put yet; null counts as a value of its own. Where CLWLEXIT names one of
    ``exits``, Python decides: see mqclause.tables.exit_rows. Raises TableError and RuleError.
    """
    columns, rules = kinds_of(df), Rules.given(rules)
    spreading = Spread.of(columns, shares, spread)
    if cluster is not None:
        puts = cluster_puts(columns, cluster, at, put, spreading)
        rules = puts.of_one_edition(rules)
        by_exits = ExitRows.of(puts, rules, exits, exit_limit, explain, spreading)
        decided = decided_in_cluster(df, puts, rules, explain, spreading)
        return decided_by_exits(decided, puts, by_exits) if by_exits else decided
    check_no_cluster(at, put if exits is None else {**put, "exits": exits})
    shape = shape_of(columns, OUTCOME)
    plan = plan_of(rules, as_decided(shape, spreading), decision, WORKLOAD if explain else None)
    if spreading is None:
        return _answered(df, plan, OUTCOME)
    tied = answer_of(ties_plan(rules, shape))["ties"]
    return spread_over(numbered(df, spreading).withColumns({TIES: tied, DECIDED: answer_of(plan)}), spreading)


def decide_triggers(df: DataFrame, rules: Rules | None = None) -> DataFrame:
    """``df`` with a column ``triggering`` about its ``occasion``. Raises TableError and RuleError."""
    plan = plan_of(Rules.given(rules), shape_of(kinds_of(df), TRIGGER), triggering)
    return _answered(df, plan, TRIGGER)


def apply_rules(
    df: DataFrame, declaration: Declaration, rules: Rules | None = None, explain: bool = False
) -> DataFrame:
    """``df`` with the answer of one document's rules, in the columns that ``declaration`` names.

    The fields of the answer are those of mqclause.tables.answers.evaluation; with ``explain``, ``eliminated_by`` says
    by which rule each subject fell. Raises TableError and RuleError.
    """
    shape = shape_of(kinds_of(df), declaration)
    plan = plan_of(Rules.given(rules), shape, evaluation, declaration if explain else None)
    return _answered(df, plan, declaration)


def show_sql(name: str, rules: Rules | None = None) -> str:
    """What a rule (``workload.06``) or a ruleset (``workload``) becomes in Spark's SQL, to be read.

    Raises UnknownRuleError and RuleError.
    """
    return shown_sql(name, Rules.given(rules), SPARK, lambda plan, _: one_expression(plan))


def register(spark: SparkSession, rules: Rules | None = None, explain: bool = False) -> None:
    """Makes ``choose_destination(put, destinations)`` and ``trigger_conditions(occasion)`` functions of SQL.

    They take structs with the columns of the contract in its order (Spark matches them by place), and are there
    until the session ends. Raises RuleError.
    """
    look_enough(spark)
    put, destination, occasion = (struct_type(each).simpleString() for each in (PUT, DESTINATION, OCCASION))
    for function, plan in (
        (f"choose_destination(put {put}, destinations array<{destination}>)", _decision_plan(rules, explain)),
        (f"trigger_conditions(occasion {occasion})", _triggering_plan(rules)),
    ):
        spark.sql(f"CREATE OR REPLACE TEMPORARY FUNCTION {function} RETURN {answer_text(plan)}")


def _decision_plan(rules: Rules | None, explain: bool) -> Plan:
    return plan_of(Rules.given(rules), contract_shape(OUTCOME), decision, WORKLOAD if explain else None)


def _triggering_plan(rules: Rules | None) -> Plan:
    return plan_of(Rules.given(rules), contract_shape(TRIGGER), triggering)


def _answered(df: DataFrame, plan: Plan, about: Declaration) -> DataFrame:
    return df.withColumn(about.row.answer, answer_of(plan))
