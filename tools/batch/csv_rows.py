"""The rows of CSV: all values are texts. A row of another length than the header is a row too."""
# ruff: noqa: S608 (names and texts go into SQL quoted)

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from mqclause.tables.columns import TableError
from mqclause.tables.shape import check_apart
from mqclause.tools.batch.quoted import LONGEST_ROW, sql_files, sql_name, sql_text
from mqclause.tools.errors import BatchError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

RAGGED = "__mqclause_ragged"
"""A column of rows that have another number of values than the header: what is told of them."""

OTHER_LENGTHS = ("MISSING COLUMNS", "TOO MANY COLUMNS")
"""What DuckDB says of such rows."""

MOST_TOLD = 1 << 26
"""So many characters are told of rows that have more values than the header, each row once for each value."""

NOT_WHOLE = (EOFError, zlib.error)
"""What unpacking a file raises that is cut short, or damaged."""

Headers = Mapping[tuple[str, ...], Sequence[Path]]


def headers_of(files: Iterable[Path]) -> Headers:
    """The files of a table of CSV by the names of their columns. Raises BatchError."""
    found: dict[tuple[str, ...], list[Path]] = {}
    for file in files:
        header = _header_of(file)
        if not header:
            raise BatchError(f"{file}: has no line with the names of columns")
        if "" in header:
            raise BatchError(f"{file}: column {header.index('') + 1} of {len(header)} has no name")
        try:
            check_apart(header)
        except TableError as error:
            raise BatchError(f"{file}: {error}") from None
        found.setdefault(header, []).append(file)
    return found


def _header_of(file: Path) -> tuple[str, ...]:
    try:
        with opened(file) as text:
            header = tuple(next(csv.reader(text), []))
    except UnicodeDecodeError:
        raise BatchError(f"{file}: not UTF-8") from None
    if any("\0" in name for name in header):
        raise BatchError(f"{file}: not UTF-8: byte 0 is in its first line, as in UTF-16")
    return header


def opened(file: Path) -> TextIO:
    """A text file, unpacked."""
    zipped = file.suffix.lower() == ".gz"
    return gzip.open(file, "rt", encoding="utf-8-sig") if zipped else file.open(encoding="utf-8-sig")


def has_mixed_ends(file: Path) -> bool:
    """Whether lines of a file of CSV end in LF and others in CR LF: of such a file DuckDB says other things."""
    if ".csv" not in (suffix.lower() for suffix in file.suffixes) or not file.is_file():
        return False
    lf = crlf = 0
    with suppress(*NOT_WHOLE), gzip.open(file) if file.suffix.lower() == ".gz" else file.open("rb") as lines:
        for line in lines:
            crlf += line.endswith(b"\r\n")
            lf += not line.endswith(b"\r\n") and line.endswith(b"\n")
            if lf and crlf:
                return True
    return False


def csv_source(headers: Headers) -> str:
    """The rows of all files, with columns of any of them."""
    return _union([f"FROM {_read(files, columns)}" for columns, files in headers.items()])


def ragged_source(connection: DuckDBPyConnection, headers: Headers) -> tuple[str, bool]:
    """The same with rows of another length than the header, if there are any: then with a column RAGGED.

    Such a row has null for what it lacks. Raises duckdb.Error for a file that is no CSV otherwise.
    """
    parts, found = [], False
    for number, (columns, files) in enumerate(headers.items()):
        rows = _ragged(connection, columns, files, f"mqclause_rejects_{number}")
        found = found or bool(rows)
        parts.append(f"FROM {_read(files, columns, ', ignore_errors = true' if rows else '')}")
        if rows:
            table = f"mqclause_ragged_{number}"
            typed = ", ".join(f"{sql_name(name)} VARCHAR" for name in (*columns, RAGGED))
            connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} ({typed})")
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' for _ in (*columns, RAGGED))})", rows)
            parts.append(f"FROM {table}")
    return _union(parts), found


def _check_beyond(file: Path, columns: int) -> None:
    """Raises BatchError for a file whose rows have very much beyond the header.

    DuckDB tells of each value that is too many, with the whole line.
    """
    told = 0
    with opened(file) as text, suppress(csv.Error, UnicodeDecodeError, *NOT_WHOLE):
        rows = csv.reader(text)
        for row in rows:
            beyond = max(len(row) - columns, 0)
            told += beyond * sum(len(value) + 1 for value in row) if beyond else 0
            if told > MOST_TOLD:
                raise BatchError(f"{file}: line {rows.line_num} has {len(row)} values, the header {columns}; too many")


def _ragged(
    connection: DuckDBPyConnection, columns: Sequence[str], files: Sequence[Path], table: str
) -> list[list[str | None]]:
    """The rows of another length, each with what is told of it; none where something else is wrong, told later."""
    import duckdb  # which may not be there, as is told elsewhere

    with suppress(duckdb.Error):
        connection.execute(f"SELECT count(*) FROM {_read(files, columns)}").fetchall()
        return []
    for file in files:
        _check_beyond(file, len(columns))
    into = f"rejects_limit = 0, rejects_table = '{table}', rejects_scan = '{table}_scans'"
    rejects = f", ignore_errors = true, store_rejects = true, {into}"
    connection.execute(f"SELECT count(*) FROM {_read(files, columns, rejects)}").fetchall()
    said = "any_value(csv_line), list_distinct(list(error_type))"
    query = f"SELECT scan_id, file_id, line, {said} FROM {table} GROUP BY scan_id, file_id, line ORDER BY ALL"
    found = connection.execute(query).fetchall()
    if not all(set(map(str, kinds)) <= {*OTHER_LENGTHS} for *_, kinds in found):
        return []
    return [_padded(next(csv.reader(io.StringIO(text)), []), line, len(columns)) for *_, line, text, _ in found]


def _padded(values: list[str], line: int, length: int) -> list[str | None]:
    """DuckDB counts the header and rows, not the lines of a value that has several."""
    kept = [each or None for each in values[:length]]
    more = ", ".join(f"'{each}'" for each in values[length:])
    count = f"{len(values)} {'value' if len(values) == 1 else 'values'}"
    told = f"row {line - 1} has {count}; the header has {length}{f': left over {more}' if more else ''}"
    return [*kept, *[None] * (length - len(kept)), told]


def _union(parts: Iterable[str]) -> str:
    return f"({' UNION ALL BY NAME '.join(parts)})"


def _read(files: Iterable[Path], columns: Iterable[str], more: str = "") -> str:
    dialect = (
        """auto_detect = false, header = true, delim = ',', quote = '"', escape = '"', allow_quoted_nulls = false"""
    )
    size = f"max_line_size = {LONGEST_ROW}, buffer_size = {2 * LONGEST_ROW}"
    types = ", ".join(f"{sql_text(name)}: 'VARCHAR'" for name in columns)
    return f"read_csv({sql_files(files)}, {dialect}, {size}, columns = {{{types}}}{more})"
