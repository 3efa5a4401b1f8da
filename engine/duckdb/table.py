"""Tables decided by DuckDB: a file or a table on one machine, larger than its memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from mqclause.documents import OUTCOME, TRIGGER, WORKLOAD
from mqclause.duckdb.dialect import DUCKDB, by_column
from mqclause.duckdb.types import DUCKDB_TYPES, kind_of, struct_type
from mqclause.language.sql import Node, literal, negated, when
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.declaration import Declaration
from mqclause.rulebook.rules import Rules
from mqclause.tables.answers import decision, evaluation, triggering
from mqclause.tables.bindings import Plan
from mqclause.tables.cluster_puts import ASKED, NAMED_PUTS, PUT_NAMES, asked, is_named, put_values, snapshot_rows
from mqclause.tables.columns import DESTINATION
from mqclause.tables.dialect import call
from mqclause.tables.functions import column, is_null, struct_of
from mqclause.tables.plan import plan_of
from mqclause.tables.shape import FieldType, check_free, shape_of
from mqclause.tables.shown import shown_sql

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

TABLE, KEY = "puts", "mq_key"
"""What a query calls the relation that it is a query of, and what a put asks."""


def decide(
    source: DuckDBPyRelation | str | Path | Any,
    cluster: Cluster | None = None,
    rules: Rules | None = None,
    explain: bool = False,
    connection: DuckDBPyConnection | None = None,
) -> DuckDBPyRelation:
    """The table ``source`` with a column ``decision``: see mqclause.tables.columns for what goes in and comes out.

    ``source`` is a relation, a DataFrame or Arrow table, or the path of a Parquet file. Nothing is read until the
    relation is; it streams. With a ``cluster`` the table needs no ``destinations``: they are those that each put
    names there, and what several rows ask alike is decided once. With ``explain``, ``decision.eliminated_by`` says by
    which rule each destination fell. Raises TableError and RuleError.
    """
    relation, rules, traced = _relation(source, connection), rules or Rules(), WORKLOAD if explain else None
    columns = _columns(relation)
    if cluster is None:
        return _answered(relation, plan_of(rules, shape_of(columns, OUTCOME), decision, traced), OUTCOME)
    check_free(OUTCOME.row.answer, columns)
    plan = plan_of(rules, ASKED, decision, traced)
    return _queried(relation, _joined(columns, cluster, rules, plan))


def decide_triggers(
    source: DuckDBPyRelation | str | Path | Any,
    rules: Rules | None = None,
    connection: DuckDBPyConnection | None = None,
) -> DuckDBPyRelation:
    """The table ``source`` with a column ``triggering``, by its column ``occasion``: see mqclause.tables.columns.

    Raises TableError and RuleError.
    """
    relation = _relation(source, connection)
    plan = plan_of(rules or Rules(), shape_of(_columns(relation), TRIGGER), triggering)
    return _answered(relation, plan, TRIGGER)


def apply_rules(
    source: DuckDBPyRelation | str | Path | Any,
    declaration: Declaration,
    rules: Rules | None = None,
    explain: bool = False,
    connection: DuckDBPyConnection | None = None,
) -> DuckDBPyRelation:
    """The table ``source`` with the answer of one document's rules, in the columns that ``declaration`` names.

    The fields of the answer are those of mqclause.tables.answers.evaluation; with ``explain``, ``eliminated_by`` says
    by which rule each subject fell. Raises TableError and RuleError.
    """
    relation = _relation(source, connection)
    shape = shape_of(_columns(relation), declaration)
    plan = plan_of(rules or Rules(), shape, evaluation, declaration if explain else None)
    return _answered(relation, plan, declaration)


def show_sql(name: str, rules: Rules | None = None) -> str:
    """What a rule (``workload.06``) or a ruleset (``workload``) becomes in DuckDB's SQL, to be read.

    Raises UnknownRuleError and RuleError.
    """
    return shown_sql(name, rules or Rules(), DUCKDB, _query)


def _query(plan: Plan, about: Declaration) -> Node:
    return _projected(plan, TABLE, [exp.Star()], about.row.answer)


def _answered(relation: DuckDBPyRelation, plan: Plan, about: Declaration) -> DuckDBPyRelation:
    kept = [exp.column(name, quoted=True) for name in relation.columns]
    return _queried(relation, _projected(plan, TABLE, kept, about.row.answer))


def _queried(relation: DuckDBPyRelation, query: exp.Select) -> DuckDBPyRelation:
    found = relation.query(TABLE, DUCKDB.text(query))
    assert found is not None  # noqa: S101 - a SELECT gives a relation
    return found


def _projected(plan: Plan, source: str, kept: Iterable[Node], name: str) -> exp.Select:
    """A plan as a query of ``source``; bindings that need nothing of each other are one projection."""
    query, levels = exp.Select(), by_column(plan).levels()
    for number, level in enumerate(levels):
        bound = [exp.alias_(tree, binding, copy=False) for binding, tree in level.items()]
        projection = exp.select("*", *bound, copy=False).from_(source)
        source = f"mq_level_{number}"
        query = query.with_(source, projection, materialized=False, copy=False)
    answer = exp.alias_(struct_of(plan.answer), name)
    return query.select(*kept, answer, copy=False).from_(source, copy=False)


def _joined(columns: Mapping[str, FieldType], cluster: Cluster, rules: Rules, plan: Plan) -> exp.Select:
    """What puts ask is decided once for all that ask alike; every put then finds its answer."""
    given = put_values(columns, cluster)
    key = when(negated(is_null(exp.column("put"))), struct_of(given))
    said = {name: column(name, KEY) for name in given}
    put = exp.alias_(when(negated(is_null(column(KEY))), struct_of(asked(said, cluster))), "put")
    different = exp.select(KEY).distinct().from_("mq_keyed")
    with_destinations = exp.select(KEY, put, "destinations").from_(different.subquery("mq_different"))
    answers = _projected(plan, "mq_asked", [column(KEY)], "decision")
    same = exp.NullSafeEQ(this=column(KEY, "mq_keyed"), expression=column(KEY, "mq_answers"))
    return (
        exp.select(*(exp.column(name, table="mq_keyed", quoted=True) for name in columns), "mq_answers.decision")
        .with_(NAMED_PUTS, _rows(snapshot_rows(cluster, rules)), materialized=True)
        .with_("mq_keyed", exp.select("*", exp.alias_(key, KEY)).from_(TABLE), materialized=False)
        .with_("mq_asked", with_destinations.join(NAMED_PUTS, on=is_named(said), join_type="left"))
        .with_("mq_answers", answers)
        .from_("mq_keyed")
        .join("mq_answers", on=same, join_type="left")
    )


def _rows(rows: Iterable[Mapping[str, Any]]) -> exp.Select:
    """The rows of a snapshot as a query: a text of JSON, so that nothing is registered anywhere."""
    names = dict.fromkeys((*PUT_NAMES, "defbind"), DUCKDB_TYPES["text"])
    types = [{**names, "destinations": [struct_type(DESTINATION)]}]
    text = literal(json.dumps(list(rows), ensure_ascii=False))
    row = exp.alias_(call("UNNEST", call("FROM_JSON", text, literal(json.dumps(types)))), "row")
    return exp.select("row.*").from_(exp.select(row).subquery("mq_rows"))


def _relation(source: Any, connection: DuckDBPyConnection | None) -> DuckDBPyRelation:
    import duckdb

    if isinstance(source, duckdb.DuckDBPyRelation):
        return source
    made = connection or duckdb.connect()
    if isinstance(source, str | Path):
        return made.read_parquet(str(source))
    return made.sql("SELECT * FROM source")


def _columns(relation: DuckDBPyRelation) -> dict[str, FieldType]:
    return dict(zip(relation.columns, map(kind_of, relation.types), strict=True))
