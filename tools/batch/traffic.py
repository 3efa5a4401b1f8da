"""The puts of ``mqclause plan --puts``: a log in Parquet, CSV or JSON Lines, counted by DuckDB."""

from __future__ import annotations

from pathlib import Path

from mqclause.answers.cluster.traffic import Traffic
from mqclause.tables.columns import TableError
from mqclause.tools.batch.csv_rows import csv_source, headers_of
from mqclause.tools.batch.faults import first_line
from mqclause.tools.batch.files import Table, table_in
from mqclause.tools.batch.quoted import LONGEST_ROW
from mqclause.tools.errors import BatchError


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
            return traffic(connection.sql(f"FROM {_source(table)}"))
        except TableError as error:
            raise BatchError(f"{name}: {error}") from None
        except duckdb.Error as error:
            raise BatchError(f"{name}: {first_line(error)}") from None


def _source(table: Table) -> str:
    """The rows of all files, with columns of any of them. Raises BatchError."""
    match table.kind:
        case "parquet":
            return f"read_parquet({table.listed}, union_by_name = true)"
        case "csv":
            return csv_source(headers_of(table.files))
    options = f"format = 'newline_delimited', records = true, maximum_object_size = {LONGEST_ROW}"
    return f"read_json({table.listed}, {options}, union_by_name = true)"
