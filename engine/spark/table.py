"""Tables decided by Spark: DuckDB runs the rules in its Python workers, where the rows are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import evolve
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody names it
from pyspark.sql.types import StructType
from sqlglot import exp

from mqclause.documents import OUTCOME, TRIGGER
from mqclause.duckdb.exits import decided_by_exits
from mqclause.duckdb.table import text_in_cluster, text_of, text_of_rows
from mqclause.exits.process import Exit
from mqclause.language.sql import Node
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.declaration import Declaration
from mqclause.rulebook.rules import Rules
from mqclause.spark.joined import joined_with_known
from mqclause.spark.types import decision_type, kinds_of, quoted, type_named
from mqclause.spark.udf import TRIGGERING_TYPE
from mqclause.spark.worker import NUMBER, Answers, answered, answers_of, numbered_answers_of
from mqclause.tables.answers import evaluation, evaluation_types, triggering
from mqclause.tables.bindings import Plan
from mqclause.tables.cluster_puts import ClusterPuts
from mqclause.tables.exit_rows import ExitRows
from mqclause.tables.flat import check_no_cluster, cluster_puts
from mqclause.tables.functions import PREFIX
from mqclause.tables.functions import column as column_of
from mqclause.tables.plan import plan_of
from mqclause.tables.shape import Shape, ValueSource, shape_of
from mqclause.tables.shares import ROW, Spread

SOMETHING = f"{PREFIX}something"
"""A column on the way: what workers are given that need none of the table's."""


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
    asked, spreads = _spread(spreading := Spread.of(columns, shares, spread))
    if cluster is None:
        check_no_cluster(at, put if exits is None else {**put, "exits": exits})
        needed = _needed_of(shape := shape_of(columns, OUTCOME)) | spreads
        answers = answers_of(text_of_rows(shape, () if asked is None else _kept(needed), rules, explain, asked))
    else:
        puts = cluster_puts(columns, cluster, at, put, spreading)
        rules = puts.of_one_edition(rules)
        by_exits = ExitRows.of(puts, rules, exits, exit_limit, explain, spreading)
        if by_exits is None and not puts.says_odd:
            return joined_with_known(df, puts, rules, explain, asked)
        needed = _needed_in_cluster(puts) | spreads
        answers = _answers_in_cluster(puts, needed, rules, explain, asked, by_exits)
    return answered(df, answers, OUTCOME.row.answer, decision_type(shares), needed)


def _answers_in_cluster(
    puts: ClusterPuts,
    needed: Iterable[str],
    rules: Rules,
    explain: bool,
    spread: Spread | None,
    by_exits: ExitRows | None,
) -> Answers:
    text = text_in_cluster(puts, (*_kept(needed), NUMBER), rules, explain, spread)
    if by_exits is None:
        return numbered_answers_of(text)
    return numbered_answers_of(text, lambda asked, decided: decided_by_exits(decided, puts, by_exits, asked))


def decide_triggers(df: DataFrame, rules: Rules | None = None) -> DataFrame:
    """``df`` with a column ``triggering`` about its ``occasion``. Raises TableError and RuleError."""
    shape = shape_of(kinds_of(df), TRIGGER)
    return _answered(df, plan_of(Rules.given(rules), shape, triggering), shape, TRIGGERING_TYPE)


def apply_rules(
    df: DataFrame, declaration: Declaration, rules: Rules | None = None, explain: bool = False
) -> DataFrame:
    """``df`` with the answer of one document's rules, in the columns that ``declaration`` names.

    The fields of the answer are those of mqclause.tables.answers.evaluation; with ``explain``, ``eliminated_by`` says
    by which rule each subject fell. Raises TableError and RuleError.
    """
    shape, rules = shape_of(kinds_of(df), declaration), Rules.given(rules)
    plan = plan_of(rules, shape, evaluation, declaration if explain else None)
    types = evaluation_types(rules, declaration)
    kind = StructType()
    for name, each in types.items():
        kind.add(name, type_named(each))
    return _answered(df, plan, shape, kind)


def _answered(df: DataFrame, plan: Plan, shape: Shape, kind: StructType) -> DataFrame:
    name = shape.about.row.answer
    return answered(df, answers_of(text_of(plan, (), name)), name, kind, _needed_of(shape))


def _needed_of(shape: Shape) -> dict[str, Column]:
    """The columns of a table that the rules are asked about."""
    trees = [each for each in (shape.row, column_of(shape.listed) if shape.listed else None) if each is not None]
    return _needed([each for found in shape.situation.values() for each in found], trees)


def _needed_in_cluster(puts: ClusterPuts) -> dict[str, Column]:
    sources = [each for found in puts.sources.values() for each in found] + ([puts.at] if puts.at else [])
    return _needed(sources, [] if puts.struct is None else [puts.struct])


def _needed(sources: Iterable[ValueSource], trees: Iterable[Node]) -> dict[str, Column]:
    """The columns that stand in them, each by its name."""
    every = [*trees, *(each.value for each in sources)]
    names = dict.fromkeys(each.parts[0].name for tree in every for each in tree.find_all(exp.Column))
    return {name: quoted(name) for name in names} or {SOMETHING: F.lit(True)}


def _spread(spread: Spread | None) -> tuple[Spread | None, dict[str, Column]]:
    """What workers are told of ties, and the columns that they need for it."""
    if spread is None or spread.by is None:
        return spread, {}
    return evolve(spread, has_rows=True), {spread.by: quoted(spread.by), ROW: F.monotonically_increasing_id()}


def _kept(needed: Iterable[str]) -> tuple[str, ...]:
    """The columns that a query keeps until it has the answer, but for the one that it keeps by itself."""
    return tuple(name for name in needed if name != ROW)
