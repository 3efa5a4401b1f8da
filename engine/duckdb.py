"""Tables of puts decided by DuckDB: a file or a table on one machine, larger than its memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mqclause.columns import DESTINATION, Column
from mqclause.loader import load_ruleset
from mqclause.model.cluster import Cluster
from mqclause.model.domain import Finite, Flag, Whole
from mqclause.reading import every_local_channel
from mqclause.snapshot import snapshot_rows
from mqclause.sql.dialect import DUCKDB, lowered
from mqclause.sql.joined import BITS, TEXT, JoinedPuts, joined_puts
from mqclause.sql.program import Program, put_program
from mqclause.sql.shape import Kind, ListOf, Struct, check_free, occasion_fields, shape_of
from mqclause.sql.triggering import occasion_program

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
    """The table ``source`` with a column ``decision``: see mqclause.columns for what goes in and comes out.

    ``source`` is a relation, a DataFrame or Arrow table, or the path of a Parquet file. Nothing is read until the
    relation is; it streams. With a ``cluster`` the table needs no ``destinations``: they are those that each put
    names there, and what several rows ask alike is decided once. With ``explain``, ``decision.eliminated_by`` says
    by which rule each destination fell. Raises TableError, ReadingError and RuleError.
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
    """The table ``source`` with a column ``triggering``, by its column ``occasion``: see mqclause.trigger_columns.

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
    """Each distinct key is joined with what it names and decided; then each put with the decision about its key."""
    put = ", ".join(f"'{name}': {_sql(source)}" for name, source in joined.asked.items())
    names = " AND ".join(f"{_sql(joined.put[name])} = named.{name}" for name in ("queue", "queue_manager"))
    decided = projections(program, "decision", "asked", [BITS, TEXT])
    kept = ", ".join(f"keyed.{_quoted(column)}" for column in columns)
    return f"""
        WITH named AS ({_snapshot(cluster, every_channel)}),
        keyed AS NOT MATERIALIZED (
            SELECT *, {_sql(joined.text)} AS {TEXT} FROM (SELECT *, {_sql(joined.bits)} AS {BITS} FROM puts)
        ),
        -- A condition that always holds: without one the keys count as as many as the puts, and the join is made of
        -- a table of the puts, not of the keys.
        keys AS (SELECT {BITS}, {TEXT} FROM keyed GROUP BY ALL HAVING count(*) > 0),
        asked AS (
            SELECT keys.*, CASE WHEN {BITS} >= 0 THEN {{{put}}} END AS put, named.destinations
            FROM keys LEFT JOIN named ON {names}
        ),
        decided AS ({decided})
        SELECT {kept}, decided.decision FROM keyed JOIN decided USING ({BITS}, {TEXT})
    """


def _snapshot(cluster: Cluster, every_channel: bool) -> str:
    """The snapshot as a query: a text of JSON, so that nothing is registered anywhere."""
    rows = json.dumps(list(snapshot_rows(cluster, every_channel)), ensure_ascii=False).replace("'", "''")
    fields = ", ".join(f'"{name}": "{_type(column)}"' for name, column in DESTINATION.items())
    names = ", ".join(f'"{name}": "VARCHAR"' for name in ("queue", "queue_manager", "defbind"))
    structure = f'[{{{names}, "destinations": [{{{fields}}}]}}]'
    return f"SELECT row.* FROM (SELECT unnest(from_json('{rows}', '{structure}')) AS row)"


def _type(column: Column) -> str:
    kinds: dict[type, str] = {Flag: "BOOLEAN", Whole: "BIGINT", Finite: "DOUBLE"}
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
