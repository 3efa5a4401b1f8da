"""The puts of ``mqclause plan --puts``: a log in Parquet, CSV or JSON Lines, counted by DuckDB."""
# ruff: noqa: S608 (names and texts go into SQL quoted)

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mqclause.answers.cluster.traffic import Traffic
from mqclause.tables.columns import TableError
from mqclause.tools.batch.csv_rows import NOT_WHOLE, csv_source, headers_of
from mqclause.tools.batch.faults import said_of
from mqclause.tools.batch.files import Table, table_in
from mqclause.tools.batch.lines import first_fault, json_lines
from mqclause.tools.batch.quoted import pointer, sql_name, sql_text
from mqclause.tools.errors import BatchError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def traffic_in(name: str) -> Traffic:
    """The puts in a file, or in the files of a folder: columns queue, from and, if there is one, count.

    Raises BatchError.
    """
    # Loaded where it is asked for.
    import duckdb

    from mqclause.duckdb import traffic

    table = table_in(Path(name))
    with duckdb.connect() as connection:
        try:
            return traffic(_relation(connection, table))
        except TableError as error:
            raise BatchError(f"{name}: {error}") from None
        except (duckdb.Error, *NOT_WHOLE) as error:
            raise BatchError(f"{name}: {said_of(table.path, error)}") from None


def _relation(connection: DuckDBPyConnection, table: Table) -> DuckDBPyRelation:
    """The rows of all files, with columns of any of them. Raises BatchError."""
    match table.kind:
        case "parquet":
            return connection.sql(f"FROM read_parquet({table.listed}, union_by_name = true)")
        case "csv":
            return connection.sql(f"FROM {csv_source(headers_of(table.files))}")
        case "jsonl":
            return _of_lines(connection, table)


def _of_lines(connection: DuckDBPyConnection, table: Table) -> DuckDBPyRelation:
    """The lines with a column of texts for each key that any of them has."""
    lines = json_lines(table.files)
    keys_of = "CASE WHEN json_type(json) = 'OBJECT' THEN json_keys(json) END"
    found = connection.execute(f"SELECT DISTINCT {keys_of} FROM {lines}").fetchall()
    if not found or (None,) in found:
        raise BatchError(first_fault(table.files))
    names = dict.fromkeys(name for (keys,) in found for name in keys)
    values = (f"json_extract_string(json, {sql_text(pointer(name))}) AS {sql_name(name)}" for name in names)
    return connection.sql(f"SELECT {', '.join(values)} FROM {lines}")
