"""Rows that a cluster workload exit is called for, in DuckDB: a function of Python decides them, row by row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sqlglot import exp

from mqclause.documents import OUTCOME
from mqclause.duckdb.dialect import DUCKDB
from mqclause.duckdb.types import ANSWERED
from mqclause.language.sql import case
from mqclause.tables.cluster_puts import ClusterPuts
from mqclause.tables.columns import DECISION, TableError
from mqclause.tables.dialect import call
from mqclause.tables.exit_rows import ExitRows, calls_exit, said_by
from mqclause.tables.functions import column

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

NO_FUNCTION = (
    "exits=…: a function of Python is known to one connection of DuckDB's; connection=… is needed for a relation of "
    "another one than the default"
)


def decided_by_exits(
    decided: DuckDBPyRelation, puts: ClusterPuts, rows: ExitRows, connection: DuckDBPyConnection | None
) -> DuckDBPyRelation:
    """The table ``decided``, with what the exits make of it.

    Raises TableError if it is not of that connection, and where there is no numpy, which DuckDB's functions need.
    """
    import duckdb

    name, answer = f"__mqclause_exit_{rows.key}", OUTCOME.row.answer

    def decide(at: int, said: str) -> str | None:
        return rows.decisions([at], [said])[0]

    made = connection or duckdb.default_connection()
    try:
        made.create_function(name, decide, ["INTEGER", "VARCHAR"], "VARCHAR")
    except duckdb.InvalidInputException as error:
        raise TableError(f"exits=…: {str(error).strip()}") from None
    asked = call(name, exp.cast(puts.place, "INT"), exp.cast(call("TO_JSON", said_by(puts)), "TEXT"))
    types = {each: ANSWERED[kind] for each, kind in DECISION.items()}
    found = call("FROM_JSON", asked, exp.Literal.string(json.dumps(types)))
    by_exit = case([(calls_exit(puts, rows, column("outcome", answer)), found)], column(answer))
    kept = [exp.column(each, quoted=True) for each in decided.columns if each != answer]
    query = exp.select(*kept, exp.alias_(by_exit, answer)).from_("__mqclause_decided")
    try:
        after = decided.query("__mqclause_decided", DUCKDB.text(query))
    except duckdb.CatalogException:
        raise TableError(NO_FUNCTION) from None
    assert after is not None  # noqa: S101 - a SELECT gives a relation
    return after
