# ruff: noqa: S608 (names and texts go into SQL quoted)
"""Count the puts of ``mqclause plan --puts``: a log in Parquet, CSV or JSON Lines."""

from __future__ import annotations

from pathlib import Path

import duckdb
from duckdb import DuckDBPyConnection, DuckDBPyRelation

from mqclause.cluster.plan import Traffic
from mqclause.duckdb import traffic
from mqclause.tables.schema import TableError
from mqclause.tools.batch.tables import (
    TRUNCATION_ERRORS,
    Table,
    build_csv_source,
    build_json_lines_source,
    build_json_pointer,
    describe_error,
    find_first_fault,
    find_table,
    quote_sql_name,
    quote_sql_text,
    read_headers,
)
from mqclause.tools.errors import BatchError


def read_traffic(name: str) -> Traffic:
    """Read the puts in a file, or in the files of a folder: columns queue, from and, if there is one, count.

    Raises BatchError.
    """
    table = find_table(Path(name))
    with duckdb.connect() as connection:
        try:
            return traffic(_relation(connection, table))
        except TableError as error:
            raise BatchError(f"{name}: {error}") from None
        except (duckdb.Error, *TRUNCATION_ERRORS) as error:
            raise BatchError(f"{name}: {describe_error(table.path, error)}") from None


def _relation(connection: DuckDBPyConnection, table: Table) -> DuckDBPyRelation:
    """The rows of all files, with columns of any of them. Raises BatchError."""
    match table.kind:
        case "parquet":
            return connection.sql(f"FROM read_parquet({table.listed}, union_by_name = true)")
        case "csv":
            return connection.sql(f"FROM {build_csv_source(read_headers(table.files))}")
        case "jsonl":
            return _of_lines(connection, table)


def _of_lines(connection: DuckDBPyConnection, table: Table) -> DuckDBPyRelation:
    """The lines with a column of texts for each key that any of them has."""
    lines = build_json_lines_source(table.files)
    keys_of = "CASE WHEN json_type(json) = 'OBJECT' THEN json_keys(json) END"
    found = connection.execute(f"SELECT DISTINCT {keys_of} FROM {lines}").fetchall()
    if not found or (None,) in found:
        raise BatchError(find_first_fault(table.files))
    names = dict.fromkeys(name for (keys,) in found for name in keys)
    values = (
        f"json_extract_string(json, {quote_sql_text(build_json_pointer(name))}) AS {quote_sql_name(name)}"
        for name in names
    )
    return connection.sql(f"SELECT {', '.join(values)} FROM {lines}")
