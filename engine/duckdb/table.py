"""Tables of puts decided by DuckDB: a file or a table on one machine, larger than its memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import Finite, Flag, Names, Whole
from mqclause.rulebook.loader import load_ruleset
from mqclause.rulebook.reading import every_local_channel
from mqclause.tables.cluster_rows import snapshot_rows
from mqclause.tables.columns import DESTINATION, PUT, Column
from mqclause.tables.dialect import DUCKDB, lowered
from mqclause.tables.joined import NUMBER, SAID, SITUATION, JoinedPuts, joined_puts
from mqclause.tables.occasion_plan import occasion_program
from mqclause.tables.plan import Program, put_program
from mqclause.tables.shape import Kind, ListOf, Struct, check_free, occasion_fields, shape_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

INTEGERS = {"tinyint", "smallint", "integer", "bigint", "hugeint", "utinyint", "usmallint", "uinteger", "ubigint"}
NUMBERS = {"float", "double", "decimal"}
KINDS = {
    **dict.fromkeys(INTEGERS, "integer"), **dict.fromkeys(NUMBERS, "number"),
    "boolean": "boolean", "varchar": "text", "enum": "text", '"null"': "null", "sqlnull": "null", "null": "null",
}  # fmt: skip


def decide(
    source: DuckDBPyRelation | str | Path | Any,
    cluster: Cluster | None = None,
    readings: Mapping[str, str] | None = None,
    explain: bool = False,
    rules: Path | None = None,
    connection: DuckDBPyConnection | None = None,
) -> DuckDBPyRelation:
    """The table ``source`` with a column ``decision``: see mqclause.tables.columns for what goes in and comes out.

    ``source`` is a relation, a DataFrame or Arrow table, or the path of a Parquet file. Nothing is read until the
    relation is; it streams. With a ``cluster`` the table needs no ``destinations``: they are those that each put
    names there, and what several rows ask alike is decided once (see mqclause.tables.joined). With ``explain``,
    ``decision.eliminated_by`` says by which rule each destination fell. Raises TableError, ReadingError and RuleError.
    """
    relation = _relation(source, connection)
    columns = dict(zip(relation.columns, map(_kind, relation.types), strict=True))
    check_free("decision", columns)
    rulesets = load_ruleset("workload", readings, rules), load_ruleset("outcome", readings, rules)
    if cluster is None:
        return _bound(relation, put_program(*rulesets, shape_of(columns), explain), "decision")
    every_channel = every_local_channel(dict(rulesets[0].readings))
    joined = joined_puts(columns, cluster)
    program = put_program(*rulesets, joined.shape, explain)
    return _query(relation, _joined_query(joined, program, cluster, every_channel, relation.columns))


def trigger_conditions(
    source: DuckDBPyRelation | str | Path | Any,
    readings: Mapping[str, str] | None = None,
    rules: Path | None = None,
    connection: DuckDBPyConnection | None = None,
) -> DuckDBPyRelation:
    """The table ``source`` with a column ``triggering``, by its column ``occasion``: see tables.occasion_columns.

    Raises TableError, ReadingError and RuleError.
    """
    relation = _relation(source, connection)
    columns = dict(zip(relation.columns, map(_kind, relation.types), strict=True))
    check_free("triggering", columns)
    program = occasion_program(load_ruleset("trigger", readings, rules), occasion_fields(columns))
    return _bound(relation, program, "triggering")


def _bound(relation: DuckDBPyRelation, program: Program, name: str) -> DuckDBPyRelation:
    """``relation`` with the program's result as a column; a projection for those that need nothing of each other."""
    return _query(relation, projections(program, name, "puts", relation.columns))


def _query(relation: DuckDBPyRelation, query: str) -> DuckDBPyRelation:
    """A query of the relation, which it calls puts."""
    found = relation.query("puts", query)
    assert found is not None  # noqa: S101 - a SELECT gives a relation
    return found


def projections(program: Program, name: str, table: str, columns: list[str]) -> str:
    """The program as a query of ``table``."""
    query = f"SELECT * FROM {table}"
    for level in program.levels():
        bound = ", ".join(f"{_sql(source)} AS {binding}" for binding, source in level.items())
        query = f"SELECT *, {bound} FROM ({query})"
    fields = ", ".join(f"'{field}': {_sql(source)}" for field, source in program.result.items())
    kept = ", ".join(map(_quoted, columns))
    return f"SELECT {kept}, {{{fields}}} AS {name} FROM ({query})"


def _joined_query(
    joined: JoinedPuts, program: Program, cluster: Cluster, every_channel: bool, columns: list[str]
) -> str:
    """Each situation is decided once and found by its number; those of odd puts have numbers below 0."""
    count = len(joined.said)
    odd = {name: f"put.{name}" for name in joined.put}
    kept = ", ".join(f"keyed.{_quoted(column)}" for column in columns)
    return f"""
        WITH mq_named AS MATERIALIZED ({_snapshot(cluster, every_channel)}),
        mq_said AS MATERIALIZED ({_said(joined.said)}),
        numbered AS NOT MATERIALIZED (
            SELECT puts.*, mq_named.mq_name * {count} + {_sql(joined.number)} AS {NUMBER}
            FROM puts LEFT JOIN mq_named ON {_sql(joined.found(joined.put))}
        ),
        keyed AS NOT MATERIALIZED (
            SELECT *, CASE WHEN {NUMBER} IS NULL
                THEN {{'put': CASE WHEN put IS NOT NULL THEN {_struct(joined.put)} END}} END AS mq_odd
            FROM numbered
        ),
        odd AS MATERIALIZED (
            SELECT mq_odd, -row_number() OVER () AS {NUMBER}
            FROM (SELECT DISTINCT mq_odd FROM keyed WHERE {NUMBER} IS NULL)
        ),
        asked AS (
            SELECT mq_named.mq_name * {count} + mq_said.{NUMBER} AS {NUMBER}, {_struct(joined.asked(SITUATION))} AS put,
                destinations
            FROM mq_named CROSS JOIN mq_said
            UNION ALL
            SELECT {NUMBER}, CASE WHEN put IS NOT NULL THEN {_struct(joined.asked(odd))} END, destinations
            FROM (SELECT {NUMBER}, mq_odd.put AS put FROM odd) LEFT JOIN mq_named ON {_sql(joined.found(odd))}
        ),
        decided AS ({projections(program, "decision", "asked", [NUMBER])})
        SELECT {kept}, decided.decision
        FROM keyed LEFT JOIN odd USING (mq_odd)
            JOIN decided ON COALESCE(keyed.{NUMBER}, odd.{NUMBER}) = decided.{NUMBER}
    """


def _struct(fields: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"'{name}': {_sql(source)}" for name, source in fields.items()) + "}"


def _snapshot(cluster: Cluster, every_channel: bool) -> str:
    """The snapshot as a query; ``mq_name`` counts its rows."""
    listed = {name: _type(column) for name, column in DESTINATION.items()}
    names = dict.fromkeys(("queue", "queue_manager", "defbind"), "VARCHAR")
    rows = [{**row, "mq_name": at} for at, row in enumerate(snapshot_rows(cluster, every_channel))]
    return _rows(rows, {**names, "destinations": [listed], "mq_name": "BIGINT"})


def _said(said: Sequence[Mapping[str, Any]]) -> str:
    """What puts can say as a query."""
    types = {name: _type(PUT[name]) for name in SAID}
    return _rows([{**each, NUMBER: at} for at, each in enumerate(said)], {**types, NUMBER: "BIGINT"})


def _rows(rows: list[dict[str, Any]], types: Mapping[str, Any]) -> str:
    """Rows as a query: a text of JSON, so that nothing is registered anywhere."""
    text = json.dumps(rows, ensure_ascii=False).replace("'", "''")
    return f"SELECT row.* FROM (SELECT unnest(from_json('{text}', '{json.dumps([types])}')) AS row)"


def _type(column: Column) -> Any:
    kinds: dict[type, Any] = {Flag: "BOOLEAN", Whole: "BIGINT", Finite: "DOUBLE", Names: ["VARCHAR"]}
    return kinds.get(type(column.domain), "VARCHAR")


def _quoted(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _sql(source: str) -> str:
    return lowered(source, DUCKDB).sql(dialect="duckdb")


def _relation(source: Any, connection: DuckDBPyConnection | None) -> DuckDBPyRelation:
    import duckdb

    if isinstance(source, duckdb.DuckDBPyRelation):
        return source
    made = connection or duckdb.connect()
    if isinstance(source, str | Path):
        return made.read_parquet(str(source))
    return made.sql("SELECT * FROM source")


def _kind(found: Any) -> Kind:
    """A type of DuckDB's as the checks know it."""
    if found.id == "struct":
        return Struct({name: _kind(child) for name, child in found.children})
    if found.id == "list":
        return ListOf(_kind(found.children[0][1]))
    return KINDS.get(found.id, str(found))
