"""The columns of the tables of ``mqclause batch``, checked before a row is read."""

from __future__ import annotations

import glob
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mqclause.documents import OUTCOME
from mqclause.tables.columns import TableError
from mqclause.tables.functions import PREFIX
from mqclause.tables.shape import check_types
from mqclause.tools.batch.quoted import sql_name
from mqclause.tools.errors import BatchError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


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


def has_untyped(connection: DuckDBPyConnection, file: Path) -> bool:
    """Whether a Parquet file has columns, fields or lists of no type but null, which Spark takes for integers."""
    import duckdb

    try:
        types = connection.read_parquet(glob.escape(str(file))).types
    except duckdb.Error:
        return False  # Spark tells what is wrong with the file, or reads it
    return any(_typed(each) != each for each in types)


def with_types(relation: DuckDBPyRelation) -> DuckDBPyRelation:
    """The same with texts for what has no type but null."""
    columns = []
    for name, of in zip(map(sql_name, relation.columns), relation.types, strict=True):
        columns.append(name if _typed(of) == of else f"CAST({name} AS {_typed(of)}) AS {name}")
    return relation.project(", ".join(columns))


def _typed(found: Any) -> Any:
    import duckdb

    if found.id == "struct":
        return duckdb.struct_type({name: _typed(child) for name, child in found.children})
    if found.id == "list":
        return duckdb.list_type(_typed(found.children[0][1]))
    return duckdb.type("VARCHAR") if str(found) == '"NULL"' else found


def check_columns(path: Path, columns: Collection[str], needed: Iterable[str]) -> None:
    """Raises BatchError for a column that is missing, or one that has a name of ours."""
    known = {name.lower() for name in columns}
    missing = next((name for name in needed if name.lower() not in known), None)
    if missing:
        raise BatchError(f"{path}: column {missing} is missing; the table has: {', '.join(columns)}")
    if "decision" in known:
        raise BatchError(f"{path}: column decision is there already")
    own = next((name for name in columns if name.lower().startswith(PREFIX)), None)
    if own:
        raise BatchError(f"{path}: column {own}: names that begin with {PREFIX} are used by mqclause itself")
