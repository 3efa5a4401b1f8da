"""What DuckDB is given as a table. It gives columns of one name others of its own, which is told before it does."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen
from sqlglot import exp

from mqclause.duckdb.dialect import DUCKDB
from mqclause.language.sql import literal
from mqclause.tables.columns import TableError
from mqclause.tables.dialect import call
from mqclause.tables.functions import column
from mqclause.tables.shape import check_apart, no_table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


ASKED_OF = "__mqclause_given_5f0c6e1d94b24a7d"
"""What a query calls the table that it is a query of. A table of a connection's would win over the one that is meant,
so this is a name that nobody gives."""


@frozen
class GivenTable:
    """A table as a relation, and the connection that it is asked on; of a relation that may be unknown.

    ``is_sized`` says that DuckDB knows about how many rows it has, which it does not of a stream.
    """

    relation: DuckDBPyRelation
    connection: DuckDBPyConnection | None
    is_sized: bool = True

    @classmethod
    def of(cls, source: Any, connection: DuckDBPyConnection | None) -> GivenTable:
        """What ``source`` is: a relation, a DataFrame, an Arrow table, or the path, pattern or folder of Parquet files.

        Those are read on a connection of our own where none is given. Raises TableError for what is no table, and for
        two columns that are one without regard to letter case.
        """
        import duckdb

        if isinstance(source, duckdb.DuckDBPyRelation):
            return cls(source, connection)
        made = connection or _own_connection()
        if isinstance(source, str | Path):
            return cls(_relation_of_files(made, str(source)), made)
        expected = "a relation, a DataFrame, an Arrow table or the path of a Parquet file"
        if hasattr(source, "iloc") and not hasattr(source, "columns"):
            raise no_table(source, expected)  # one column of pandas: it depends on DuckDB's release what comes of it
        check_apart(map(str, _names(source)))
        try:
            return cls(_found(made, source, f"SELECT * FROM {ASKED_OF}"), made, hasattr(source, "__len__"))
        except duckdb.InvalidInputException:
            raise no_table(source, expected) from None

    def asked(self, query: str) -> DuckDBPyRelation:
        """A query of ``ASKED_OF``, which is the relation: by the connection, where that is known.

        DuckDB 2.0 reads the text of a query once if a connection is asked, five times if a relation is.
        """
        import duckdb

        if self.connection is not None:
            # It may be another than the relation's, or be set to find nothing in Python.
            with suppress(duckdb.InvalidInputException, duckdb.CatalogException):
                return _found(self.connection, self.relation, query)
        found = self.relation.query(ASKED_OF, query)
        assert found is not None  # noqa: S101 - a SELECT gives a relation
        return found


def _found(
    connection: DuckDBPyConnection,
    __mqclause_given_5f0c6e1d94b24a7d: Any,
    query: str,
) -> DuckDBPyRelation:
    """DuckDB finds what it has no table of among the variables of who calls it: ASKED_OF."""
    return connection.sql(query)


def _own_connection() -> DuckDBPyConnection:
    """One that its relations keep open; before 2.0 they keep none, and DuckDB's default one is there to the end."""
    import duckdb

    return duckdb.connect() if int(duckdb.__version__.partition(".")[0]) > 1 else duckdb.default_connection()


def _relation_of_files(connection: DuckDBPyConnection, files: str) -> DuckDBPyRelation:
    import duckdb

    listed = [files]
    if os.path.isdir(files):
        listed = [glob.escape(str(each)) for each in files_inside(Path(files)) if each.suffix.lower() == ".parquet"]
        if not listed:
            raise TableError(f"{files}: the folder holds no file that ends in .parquet")
    try:
        for each in listed:
            check_parquet(connection, each)
        return connection.sql(f"FROM {_parquet(listed)}")
    except duckdb.IOException as error:
        raise TableError(f"{files}: {_said(error)}") from None
    except duckdb.InvalidInputException as error:
        other = "what is in other files is given as a relation, as of duckdb.read_csv"
        raise TableError(f"{files}: is no Parquet file ({_said(error)}); {other}") from None


def files_inside(folder: Path) -> list[Path]:
    """The files of a table that is a folder, and of the folders in it, without those that are hidden."""
    inside = (each for each in folder.rglob("*") if not any(part[0] in "._" for part in each.relative_to(folder).parts))
    return sorted(each for each in inside if os.path.isfile(each))


def _parquet(files: Iterable[str]) -> str:
    """Parquet files as one table: the union of their columns by name, and what the names of their folders say."""
    by_name = exp.EQ(this=column("union_by_name"), expression=exp.true())
    return DUCKDB.text(call("READ_PARQUET", exp.Array(expressions=[literal(each) for each in files]), by_name))


def _said(error: Exception) -> str:
    """What DuckDB says, without the kind of the error and the place in a query that is ours."""
    said = str(error).splitlines()[0]
    return said.partition(" Error: ")[2] or said


def _names(source: Any) -> Iterable[object]:
    """The names of the columns of pandas, polars, Arrow, or of a mapping of arrays."""
    if isinstance(source, Mapping):
        return source
    # A frame of polars that is not collected warns where it is asked for its schema otherwise.
    schema = source.collect_schema() if hasattr(source, "collect_schema") else getattr(source, "schema", None)
    found = source.columns if hasattr(source, "iloc") else getattr(schema, "names", ())
    return found() if callable(found) else found


def check_parquet(connection: DuckDBPyConnection, files: str) -> None:
    """Raises TableError for a file of a pattern where two columns, or two fields of a struct, have one name."""
    nodes = iter(connection.execute("SELECT name, num_children FROM parquet_schema(?)", [files]).fetchall())
    for _root, count in nodes:
        _check_inside(nodes, count, "")


def _check_inside(nodes: Iterator[tuple[str, int | None]], count: int | None, before: str) -> None:
    """Looks at the next ``count`` of the nodes of a schema, each of which is followed by what is inside it."""
    names = []
    for name, inside in islice(nodes, count or 0):
        names.append(name)
        _check_inside(nodes, inside, f"{before}{name}.")
    check_apart(names, before)
