"""The puts of ``mqclause plan --puts``: a log in Parquet, CSV or JSON Lines, counted by DuckDB."""

from __future__ import annotations

from pathlib import Path

from mqclause.answers.cluster.traffic import Traffic
from mqclause.tables.columns import TableError
from mqclause.tools.batch.files import FileKind, table_in
from mqclause.tools.batch.quoted import LONGEST_ROW
from mqclause.tools.errors import BatchError

READ: dict[FileKind, str] = {
    "parquet": "read_parquet({files}, union_by_name = true)",
    "csv": f"""read_csv({{files}}, header = true, delim = ',', quote = '"', escape = '"', all_varchar = true,
               union_by_name = true, max_line_size = {LONGEST_ROW})""",
    "jsonl": f"""read_json({{files}}, format = 'newline_delimited', union_by_name = true, records = true,
                 maximum_object_size = {LONGEST_ROW})""",
}


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
            return traffic(connection.sql(f"FROM {READ[table.kind].format(files=table.listed)}"))
        except TableError as error:
            raise BatchError(f"{name}: {error}") from None
        except duckdb.Error as error:
            raise BatchError(f"{name}: {str(error).splitlines()[0]}") from None
