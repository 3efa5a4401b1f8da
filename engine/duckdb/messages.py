"""The order of messages in DuckDB: a relation of messages in, the same with the place of each out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from mqclause.duckdb.dialect import DUCKDB
from mqclause.duckdb.sources import ASKED_OF, GivenTable
from mqclause.duckdb.table import kinds_of, with_first
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.rules import Rules
from mqclause.tables.message_query import MESSAGES, message_query
from mqclause.tables.shape import check_apart

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def message_order(
    source: DuckDBPyRelation | str | Path | Any,
    cluster: Cluster | None = None,
    rules: Rules | None = None,
    connection: DuckDBPyConnection | None = None,
) -> DuckDBPyRelation:
    """The messages of ``source`` with a column ``message_order``: see mqclause.tables.message_columns.

    A row is a message, with the keys of ``[[message]]`` as columns, and ``arrival``, by which those of equal priority
    lie one behind the other. ``source`` is a relation, a DataFrame or Arrow table, or the path of Parquet files. What
    a queue's MSGDLVSQ and DEFPRTY are, columns of these names say, or the ``cluster``. It is read once, when the
    relation is; every row comes out, with its columns as they were. Raises TableError and RuleError.
    """
    given = GivenTable.of(source, connection)
    check_apart(given.relation.columns)
    query = message_query(kinds_of(given.relation), cluster, Rules.given(rules), numbered=True)
    # The query asks twice for its rows, which need not be the same each time: those of a sample are not.
    once = exp.select("*").from_(ASKED_OF)
    return given.asked(DUCKDB.text(with_first(query, MESSAGES, once, True), quoted=True))
