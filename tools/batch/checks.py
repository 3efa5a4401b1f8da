"""The columns of the tables of ``mqclause batch``, checked before a row is read."""

from __future__ import annotations

import glob
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mqclause.documents import OUTCOME
from mqclause.tables.columns import TableError
from mqclause.tables.shape import check_types
from mqclause.tools.errors import BatchError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

OWN = "__mqclause_"
"""What our own columns begin with."""


def is_one_schema(connection: DuckDBPyConnection, files: Sequence[Path]) -> bool:
    """Whether the files of a Parquet table have the same columns.

    Raises BatchError for a type that cannot be, and for columns that are one without regard to letter case.
    """
    from mqclause.duckdb.sources import check_parquet
    from mqclause.duckdb.table import kinds_of

    found = []
    for file in files:
        relation = connection.read_parquet(glob.escape(str(file)))
        try:
            check_parquet(connection, glob.escape(str(file)))
            check_types(kinds_of(relation), OUTCOME)
        except TableError as error:
            raise BatchError(f"{file}: {error}") from None
        found.append((relation.columns, relation.types))
    return all(each == found[0] for each in found)


def check_columns(path: Path, columns: Collection[str], needed: Iterable[str]) -> None:
    """Raises BatchError for a column that is missing, or one that has a name of ours."""
    known = {name.lower() for name in columns}
    missing = next((name for name in needed if name.lower() not in known), None)
    if missing:
        raise BatchError(f"{path}: column {missing} is missing; the table has: {', '.join(columns)}")
    if "decision" in known:
        raise BatchError(f"{path}: column decision is there already")
    own = next((name for name in columns if name.lower().startswith(OWN)), None)
    if own:
        raise BatchError(f"{path}: column {own}: names that begin with {OWN} are used by mqclause itself")
