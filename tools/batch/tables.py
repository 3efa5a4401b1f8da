# ruff: noqa: S608 (names and texts go into SQL quoted)
"""Read and write tables in Parquet, CSV and JSON Lines files."""

from __future__ import annotations

import codecs
import csv
import glob
import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Real
from pathlib import Path
from typing import Any, Literal, TextIO

import duckdb
from attrs import frozen
from duckdb import DuckDBPyConnection, DuckDBPyRelation

from mqclause.cluster.plan import Traffic
from mqclause.documents import OUTCOME
from mqclause.duckdb import traffic
from mqclause.duckdb.table import check_parquet, get_column_kinds, list_files
from mqclause.model.facts.domains import Finite, Flag, Names, Whole
from mqclause.tables.functions import ALONG, PREFIX
from mqclause.tables.row import InvalidRowError, lower_names
from mqclause.tables.schema import (
    DESTINATION,
    NOT_ALLOWED,
    PUT,
    Column,
    TableError,
    check_apart,
    check_known,
    check_types,
    find_spelling,
)
from mqclause.tools.batch.put_columns import OF_STRUCTS, AskedColumns
from mqclause.tools.errors import BatchError

FileKind = Literal["parquet", "csv", "jsonl"]
ENDINGS: Mapping[str, FileKind] = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".csv.gz": "csv",
    **{f"{ending}{more}": "jsonl" for ending in (".jsonl", ".ndjson", ".json") for more in ("", ".gz")},
}
SAMPLED_ROWS = 20_000
"""How many rows are looked at to say early that a column is missing."""

_BETWEEN = r"\s*:([^{}]|\{[^{}]*\})*"
_TWICE = "|".join(f'{name}"{_BETWEEN}"{name}' for name in dict.fromkeys([*PUT, *DESTINATION]))
KEY_TWICE = rf'"({_TWICE})"\s*:'
"""A pattern for text with an object that has a key of a put or a destination twice; it may tell too many."""

KEPT_COLUMN = f"{ALONG}{{}}"
LINE, FAULT = KEPT_COLUMN.format("line"), KEPT_COLUMN.format("fault")
"""Columns that go along while rows are decided: a row as it was read, what is wrong in it, a column as read."""

PLAIN_CELLS = {"BIGINT": "[0-9]{1,18}", "BOOLEAN": "true|false"}
"""Cells of a type that are certainly as they should be."""

RAGGED_COLUMN = "__mqclause_ragged"
"""A column of rows that have another number of values than the header: what is told of them."""

OTHER_LENGTHS = ("MISSING COLUMNS", "TOO MANY COLUMNS")
"""What DuckDB says of such rows."""

MOST_TOLD = 1 << 26
"""So many characters are told of rows that have more values than the header, each row once for each value."""

TRUNCATION_ERRORS = (EOFError, zlib.error)
"""What unpacking a file raises that is cut short, or damaged."""

Headers = Mapping[tuple[str, ...], Sequence[Path]]

WHITE_SPACE = " \t\r\n"
"""What may stand around the value of a line."""

LONGEST_ROW = 16 * 1024**2
"""The longest row of CSV or JSON Lines, in bytes."""


_CAUSE = re.compile(r"^Caused by: [\w.$]+: (\[[A-Z_.]+\] .*)", re.MULTILINE)
"""What is behind the failure of a task, which Spark 4.0 tells first."""

BELOW_ITS_FIRST = ("Expected Number of Columns", "Value with unterminated quote")
"""What DuckDB says of CSV below its first line."""


@frozen
class Table:
    """A table in files of one kind; ``path`` is the file, or the folder that holds them."""

    path: Path
    kind: FileKind
    files: tuple[Path, ...]

    @property
    def listed(self) -> str:
        """The files as a list in SQL, in which a name is no pattern."""
        return quote_sql_files(self.files)


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


def find_table(path: Path) -> Table:
    """Find the table in a file or in the files of a folder. Raises BatchError."""
    if not os.path.isdir(path):
        kind = get_file_kind(path)
        if not os.path.exists(path):
            raise BatchError(f"{path}: no such file or directory")
        if not os.path.isfile(path):
            raise BatchError(f"{path}: is a device or a named pipe; allowed: a file, or a folder of files")
        return Table(path, kind, (path,))
    files = [file for file in list_files(path) if _ending(file) in ENDINGS]
    kinds = {get_file_kind(file) for file in files}
    if len(kinds) != 1:
        found = "files of several kinds" if kinds else f"no file that ends in {', '.join(ENDINGS)}"
        raise BatchError(f"{path}: the folder holds {found}")
    return Table(path, kinds.pop(), tuple(files))


def get_file_kind(path: Path) -> FileKind:
    """Return the kind of a file by how its name ends. Raises BatchError."""
    kind = ENDINGS.get(_ending(path))
    if kind is None:
        raise BatchError(f"{path}: the name of a table ends in one of {', '.join(ENDINGS)}")
    return kind


def read_table(connection: DuckDBPyConnection, table: Table, out: FileKind, asked: AskedColumns) -> DuckDBPyRelation:
    """Read the rows of ``table`` with typed columns, and what ``written`` needs to write them as ``out``.

    In CSV and JSON Lines what puts and destinations say has the types of tables.columns whatever the rows hold; a
    row where a value does not fit has it said in a column of its own. The files of a folder are one table: of columns
    that some do not have, their rows have null. Raises BatchError, TableError and duckdb.Error.
    """
    match table.kind:
        case "parquet":
            has_one_schema(connection, table.files)
            relation = connection.sql(f"FROM read_parquet({table.listed}, union_by_name = true)")
            relation = cast_columns(relation, type_huge_integer)
        case "csv":
            relation = _csv_rows(connection, table, out, asked)
        case "jsonl":
            relation = _json_rows(connection, table, out, asked)
    if table.kind == "parquet":
        check_columns(table.path, relation.columns, asked.among(relation.columns).needed)
    return relation


def build_decisions_query(table: Table) -> str:
    """Build the decisions in a table that was written, as a query."""
    if table.kind == "parquet":
        return f"SELECT decision FROM read_parquet({table.listed})"
    fields = dict.fromkeys(("outcome", "queue_manager", "message"), "VARCHAR") | {"reason": "BIGINT"}
    if table.kind == "csv":
        return f"SELECT {_from_json('decision', fields)} AS decision FROM {build_csv_source(read_headers(table.files))}"
    options = f"format = 'newline_delimited', records = true, maximum_object_size = {LONGEST_ROW}"
    struct = f"STRUCT({', '.join(f'{name} {of}' for name, of in fields.items())})"
    return (
        f"SELECT decision FROM read_json({table.listed}, {options}, columns = {{decision: {quote_sql_text(struct)}}})"
    )


def read_headers(files: Iterable[Path]) -> Headers:
    """Read the files of a table of CSV by the names of their columns. Raises BatchError."""
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


def open_text(file: Path) -> TextIO:
    """Open a text file, unpacked."""
    zipped = file.suffix.lower() == ".gz"
    return gzip.open(file, "rt", encoding="utf-8-sig") if zipped else file.open(encoding="utf-8-sig")


def has_mixed_ends(file: Path) -> bool:
    """Return whether lines of a file of CSV end in LF and others in CR LF: of such a file DuckDB says other things."""
    if ".csv" not in (suffix.lower() for suffix in file.suffixes) or not file.is_file():
        return False
    lf = crlf = 0
    with suppress(*TRUNCATION_ERRORS), gzip.open(file) if file.suffix.lower() == ".gz" else file.open("rb") as lines:
        for line in lines:
            crlf += line.endswith(b"\r\n")
            lf += not line.endswith(b"\r\n") and line.endswith(b"\n")
            if lf and crlf:
                return True
    return False


def build_csv_source(headers: Headers) -> str:
    """Build the rows of all files, with columns of any of them."""
    return _union([f"FROM {_read(files, columns)}" for columns, files in headers.items()])


def build_ragged_source(connection: DuckDBPyConnection, headers: Headers) -> tuple[str, bool]:
    """Build the rows of all CSV files, with the column RAGGED if some rows are shorter or longer than the header.

    Such a row has null for what it lacks. Raises duckdb.Error for a file that is no CSV otherwise.
    """
    parts, found = [], False
    for number, (columns, files) in enumerate(headers.items()):
        rows = _ragged(connection, columns, files, f"mqclause_rejects_{number}")
        found = found or bool(rows)
        parts.append(f"FROM {_read(files, columns, ', ignore_errors = true' if rows else '')}")
        if rows:
            table = f"mqclause_ragged_{number}"
            typed = ", ".join(f"{quote_sql_name(name)} VARCHAR" for name in (*columns, RAGGED_COLUMN))
            connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} ({typed})")
            connection.executemany(
                f"INSERT INTO {table} VALUES ({', '.join('?' for _ in (*columns, RAGGED_COLUMN))})", rows
            )
            parts.append(f"FROM {table}")
    return _union(parts), found


class JsonObject(dict[str, Any]):
    """An object of JSON; ``twice`` are those of its keys that are there more than once."""

    twice: tuple[str, ...] = ()


def build_json_object(pairs: list[tuple[str, Any]]) -> JsonObject:
    """Build an object from its pairs, for json.loads."""
    found = JsonObject(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        found.twice = tuple(name for at, name in enumerate(names) if name in names[:at])
    return found


def find_keys_fault(fields: Mapping[str, Any], known: Collection[str], where: str = "") -> str | None:
    """Say what is wrong with the keys of an object: two that are one of the ``known``, or one that is there twice."""
    lower = {name.lower() for name in known}
    for name in fields.twice if isinstance(fields, JsonObject) else ():
        if not where or name.lower() in lower:
            return f"{where}{name} is there twice"
    try:
        lower_names({name: each for name, each in fields.items() if name.lower() in lower}, where)
    except InvalidRowError as error:
        return str(error)
    return None


def build_key_case_pattern(asked: AskedColumns) -> str:
    """Build a pattern for text with a key in another letter case than ours; blank if it can have none."""
    inside = () if asked.is_flat else (*PUT, *DESTINATION)
    names = dict.fromkeys([*asked.typed, *asked.needed, *inside])
    return f'"({"|".join(map(_other_cases, names))})"\\s*:'


def normalize_row_keys(text: str, asked: AskedColumns) -> str:
    """Normalize the letter case of keys in a row as JSON text, also inside; not where two would be one."""
    row = _read_keys(text)
    if not isinstance(row, _Pairs):
        return text
    renamed, structs = _renamed(row, [*asked.typed, *asked.needed]), () if asked.is_flat else OF_STRUCTS
    return _written(_Pairs((name, _inside(value) if name in structs else value) for name, value in renamed))


def build_json_lines_source(files: Sequence[Path]) -> str:
    """Build the lines of all files as a table with a column ``json``, which is null where a line is not JSON."""
    marked = [file for file in files if _is_marked(file)]
    plain = [file for file in files if file not in marked]
    options = f"format = 'newline_delimited', ignore_errors = true, maximum_object_size = {LONGEST_ROW}"
    parts = [f"SELECT json FROM read_json_objects({quote_sql_files(plain)}, {options})"] if plain else []
    if marked:
        # To DuckDB's reader of JSON a line with the mark is none; its reader of CSV passes over it.
        dialect = "auto_detect = false, header = false, delim = '\x1f', quote = '', escape = ''"
        size = f"max_line_size = {LONGEST_ROW}, buffer_size = {2 * LONGEST_ROW}"
        read = f"read_csv({quote_sql_files(marked)}, {dialect}, {size}, columns = {{line: 'VARCHAR'}})"
        line = f"trim(line, '{WHITE_SPACE}')"
        parts.append(f"SELECT TRY_CAST({line} AS JSON) AS json FROM {read} WHERE {line} <> ''")
    return f"({' UNION ALL '.join(parts)})"


def find_first_fault(files: Sequence[Path]) -> str:
    """Find the first line of the files that is no JSON object, or that no line is one."""
    for file in files:
        try:
            with open_text(file) as lines:
                for number, line in enumerate(lines, 1):
                    if line.strip(WHITE_SPACE) and not _is_object(line):
                        return f"{file}: line {number} is not a JSON object"
        except UnicodeDecodeError:
            return f"{file}: not UTF-8"
    return f"{files[0]}: not JSON Lines: no line holds a JSON object"


def quote_sql_text(value: str) -> str:
    """Quote a text."""
    return "'" + value.replace("'", "''") + "'"


def quote_sql_name(value: str) -> str:
    """Quote a name."""
    return '"' + value.replace('"', '""') + '"'


def build_json_pointer(key: str) -> str:
    """Build the place of a key in a JSON object."""
    return "/" + key.replace("~", "~0").replace("/", "~1")


def quote_sql_files(files: Iterable[Path]) -> str:
    """Quote files as an SQL list in which no name is a pattern."""
    return f"[{', '.join(quote_sql_text(glob.escape(str(file))) for file in files)}]"


def cast_columns(relation: DuckDBPyRelation, replace: Callable[[Any], Any]) -> DuckDBPyRelation:
    """Cast the columns of types that ``replace`` has another one for, also inside of structs, lists and maps."""
    columns = []
    for name, of in zip(map(quote_sql_name, relation.columns), relation.types, strict=True):
        cast = _replace_types(of, replace)
        columns.append(name if cast == of else f"CAST({name} AS {cast}) AS {name}")
    return relation.project(", ".join(columns))


def _replace_types(of: Any, replace: Callable[[Any], Any]) -> Any:
    match of.id:
        case "struct":
            return duckdb.struct_type({name: _replace_types(each, replace) for name, each in of.children})
        case "list":
            return duckdb.list_type(_replace_types(of.child, replace))
        case "map":
            return duckdb.map_type(_replace_types(of.key, replace), _replace_types(of.value, replace))
    return replace(of)


def type_huge_integer(of: Any) -> Any:
    """Return a decimal type for integers of more than 64 bits, which Parquet does not have."""
    return duckdb.type("DECIMAL(38, 0)") if of.id == "hugeint" else of


def type_untyped(of: Any) -> Any:
    """Return the type of texts for columns, fields and lists of the type null, which Spark reads as integers."""
    return duckdb.type("VARCHAR") if str(of) == '"NULL"' else of


def has_untyped(connection: DuckDBPyConnection, file: Path) -> bool:
    """Return whether anything in a Parquet file has the type null."""
    try:
        types = connection.read_parquet(glob.escape(str(file))).types
    except duckdb.Error:
        return False  # Spark tells what is wrong with the file, or reads it
    return any(_replace_types(each, type_untyped) != each for each in types)


def has_one_schema(connection: DuckDBPyConnection, files: Sequence[Path]) -> bool:
    """Return whether the files of a Parquet table have the same columns.

    Raises BatchError for a type that cannot be, and for columns that are one without regard to letter case.
    """
    found = []
    for file in files:
        relation = connection.read_parquet(glob.escape(str(file)))
        try:
            check_parquet(connection, glob.escape(str(file)))
            check_types(get_column_kinds(relation), OUTCOME)
        except TableError as error:
            raise BatchError(f"{file}: {error}") from None
        found.append((relation.columns, relation.types))
    return all(each == found[0] for each in found)


def check_columns(path: Path, columns: Collection[str], needed: Iterable[str]) -> None:
    """Raise BatchError for a column that is missing, or one that has a name of ours."""
    known = {name.lower() for name in columns}
    missing = next((name for name in needed if name.lower() not in known), None)
    if missing:
        raise BatchError(f"{path}: column {missing} is missing; the table has: {', '.join(columns)}")
    if "decision" in known:
        raise BatchError(f"{path}: column decision is there already")
    own = next((name for name in columns if name.lower().startswith(PREFIX)), None)
    if own:
        raise BatchError(f"{path}: column {own}: names that begin with {PREFIX} are used by mqclause itself")


def build_json_types(asked: AskedColumns) -> dict[str, Any]:
    """Build the types of the columns that are read from JSON."""
    if asked.is_flat:
        return {
            **dict.fromkeys(asked.beside, "VARCHAR"),
            **{name: get_json_type(of) for name, of in asked.flat.items()},
        }
    # What the queue manager's CLWLUSEQ is would allow QMGR in every row, also where no row says it.
    put = {name: get_json_type(column) for name, column in PUT.items() if name != "qmgr_clwluseq"}
    return {
        "put": put,
        "destinations": [{name: get_json_type(column) for name, column in DESTINATION.items()}],
        "clwlmruc": put["clwlmruc"],
        **dict.fromkeys(asked.beside, "VARCHAR"),
    }


def get_json_type(column: Column) -> Any:
    """Return the type of a column as from_json takes it."""
    match column.domain:
        case Flag():
            return "BOOLEAN"
        case Whole():
            return "BIGINT"
        case Finite():
            return "DOUBLE"
        case Names():
            return ["VARCHAR"]
    return "VARCHAR"


def build_dubious_pattern(asked: AskedColumns) -> str:
    """Build a pattern for JSON text in which a value may not have its column's type; most rows are cleared by it alone.

    from_json makes 2 of 1.5 and "5" of 5, and null of what it cannot convert; such a value is to be named.
    """
    fits = {"VARCHAR": r'[^"n\s]', "BOOLEAN": r"[^tfn\s]", "DOUBLE": r"[^-0-9n\s]|[-+.0-9]*[eE]"}
    fits |= {
        "BIGINT": r"[^-0-9n\s]|-?[0-9]*(\.0*[^0\s,}]|[eE])|-?[0-9]{19}",
        "names": r'[^\[n\s]|\[(\s*"[^"]*"\s*,)*\s*[^"\s\]]',
    }
    fits |= {"object": r"[^{n\s]", "array": r"[^\[n\s]|\[\s*[^{\s\]]"}
    names: dict[str, list[str]] = {} if asked.is_flat else {"object": ["put"], "array": ["destinations"]}
    columns = asked.flat if asked.is_flat else {each.name: each for each in (*PUT.values(), *DESTINATION.values())}
    for name, column in columns.items():
        kind = get_json_type(column)
        names.setdefault(kind if isinstance(kind, str) else "names", []).append("".join(map(_plain, name)))
    fields = [rf'"({"|".join(names[kind])})"\s*:\s*({fit})' for kind, fit in fits.items() if kind in names]
    after_an_object = [] if asked.is_flat else [r'\}\s*,\s*([^{"\s]|"([^"\\]|\\.)*"\s*[,\]])']
    return "|".join([*fields, *after_an_object])


def find_row_fault(asked: AskedColumns, texts: Mapping[str, str | None]) -> str | None:
    """Find the first value of the wrong type in the JSON text of a row's columns, if there is one."""
    row, columns = {}, asked.flat if asked.is_flat else PUT
    for name, text in texts.items():
        try:
            row[name] = json.loads(text, object_pairs_hook=build_json_object) if text is not None else None
        except (ValueError, RecursionError):
            allowed = columns[name].allowed if name in columns else "JSON text"
            row[name] = _NotJson(NOT_ALLOWED.format(column=name, value=_shown(text), allowed=allowed))
    return _row_fault(asked, row)


def find_line_fault(asked: AskedColumns, line: str) -> str | None:
    """Find the first value of the wrong type, or a key that is there twice, in a row that is one JSON object."""
    try:
        row = json.loads(line, object_pairs_hook=build_json_object)
    except (ValueError, RecursionError):
        return "the line is not JSON"
    if not isinstance(row, dict):
        return "the line is not a JSON object"
    return find_keys_fault(row, (*asked.typed, *asked.needed)) or _row_fault(asked, row)


def describe_error(source: Path, error: BaseException) -> str:
    """Describe an error in one line, with what DuckDB does not say of CSV."""
    said = get_first_line(error)
    if has_mixed_ends(source):
        return f"some of its lines end in LF, others in CR LF; write all of them alike (DuckDB: {said.rstrip('.')})"
    return said


def get_first_line(error: BaseException) -> str:
    """Return an error of a library as one line."""
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    lines = [line.strip() for line in str(error).strip().splitlines()] or [type(error).__name__]
    if lines[0].startswith("An error occurred while calling") and len(lines) > 1:  # py4j
        lines[0] = re.sub(r"^: ([\w.$]+: )*", "", lines[1])
    if lines[0].startswith("Job aborted") and (causes := _CAUSE.findall("\n".join(lines))):
        lines[0] = causes[0]
    why = [line for line in lines[1:] if line.startswith(BELOW_ITS_FIRST)]
    return ": ".join([re.sub(r"^([A-Z][A-Za-z]* )*Error: ", "", lines[0]), *why])


def _ending(path: Path) -> str:
    ending = path.suffix.lower()
    return (path.with_suffix("").suffix + ending).lower() if ending == ".gz" else ending


def _csv_rows(connection: DuckDBPyConnection, table: Table, out: FileKind, asked: AskedColumns) -> DuckDBPyRelation:
    headers = read_headers(table.files)
    columns = list(dict.fromkeys(name for header in headers for name in header))
    asked = asked.among(columns)
    check_columns(table.path, columns, asked.needed)
    source, ragged = build_ragged_source(connection, headers)
    cells, typed = _typed_cells(columns, asked), build_json_types(asked)
    parsed = [f"CASE WHEN json_valid({cell}) THEN {_from_json(cell, typed[name])} END AS {quote_sql_name(own)}"
              for name, (own, cell, _) in cells.items()]  # fmt: skip
    kept = [
        f"{quote_sql_name(own)} AS {quote_sql_name(KEPT_COLUMN.format(own))}"
        for own, *_ in cells.values()
        if out == "csv"
    ]
    texts = ", ".join(cell for _, cell, _ in cells.values())
    odd = " OR ".join(f"NOT json_valid({cell}) OR {is_odd}" for _, cell, is_odd in cells.values()) or "false"
    own = f"WHEN {RAGGED_COLUMN} IS NOT NULL THEN {RAGGED_COLUMN} " if ragged else ""
    fault = f"CASE {own}WHEN {odd} THEN mqclause_fault([{texts}]::VARCHAR[]) END AS {FAULT}"
    replaced = f"REPLACE ({', '.join(parsed)})" if parsed else ""
    every = f"* EXCLUDE ({RAGGED_COLUMN}) {replaced}" if ragged else f"* {replaced}"
    _with_functions(connection, asked, tuple(cells))
    return connection.sql(f"SELECT {', '.join([every, *kept, fault])} FROM {source}")


def _typed_cells(columns: Iterable[str], asked: AskedColumns) -> dict[str, tuple[str, str, str]]:
    """By name the columns that are no texts: how the table spells each, its text, and what odd cells are like."""
    found = {}
    kinds = {name: get_json_type(of) for name, of in asked.flat.items()} if asked.is_flat else build_json_types(asked)
    for name, kind in kinds.items():
        own = find_spelling(name, columns)
        if own is None or kind == "VARCHAR":
            continue
        cell = f"lower({quote_sql_name(own)})" if kind == "BOOLEAN" else quote_sql_name(own)
        if name in OF_STRUCTS[:2] and not asked.is_flat:
            other = quote_sql_text(build_key_case_pattern(asked))
            cell = f"CASE WHEN regexp_matches({cell}, {other}) THEN mqclause_cell({cell}) ELSE {cell} END"
            begins = r"^\s*\{" if name == "put" else r"^\s*\[\s*[{\]]"
            is_odd = _is_dubious(cell, build_dubious_pattern(asked), build_key_case_pattern(asked), KEY_TWICE)
            is_odd += f" OR NOT regexp_matches({cell}, {quote_sql_text(begins)})"
        else:
            plain = PLAIN_CELLS.get(kind) if isinstance(kind, str) else None
            is_odd = f"NOT regexp_full_match({cell}, '{plain}')" if plain else f"{cell} IS NOT NULL"
        found[name] = (own, cell, is_odd)
    return found


def _is_dubious(text: str, *patterns: str) -> str:
    return " OR ".join(f"regexp_matches({text}, {quote_sql_text(each)})" for each in patterns if each) or "false"


def _json_rows(connection: DuckDBPyConnection, table: Table, out: FileKind, asked: AskedColumns) -> DuckDBPyRelation:
    read = build_json_lines_source(table.files)
    asked = _checked_keys(connection, table, read, asked)
    _with_functions(connection, asked)
    pattern = quote_sql_text(build_key_case_pattern(asked))
    seen = f"SELECT json AS original, regexp_matches(json, {pattern}) AS other FROM {read}"
    ours = "CASE WHEN other THEN mqclause_line(original::VARCHAR)::JSON ELSE original END"
    lines = f"(SELECT original, other, {ours} AS json FROM ({seen}))"
    further = _further(connection, lines, asked, alone=out == "jsonl")
    typed = build_json_types(asked)
    beside = [name for name in OF_STRUCTS[2:] if name in typed and (out == "jsonl" or name in further)]
    wanted = {name: typed[name] for name in typed if name in (*asked.needed, *beside)}
    structure = {**{name: kind for name, kind in further.items() if name not in wanted}, **wanted}
    parsed = f"SELECT original, other, json AS line, {_from_json('json', structure)} AS row FROM {lines}"
    doubt = build_dubious_pattern(asked)
    fault = f"""CASE WHEN line IS NULL THEN 'the line is not JSON'
                     WHEN NOT starts_with(line, '{{') THEN 'the line is not a JSON object'
                     WHEN other OR {_is_dubious("line::VARCHAR", doubt, "" if asked.is_flat else KEY_TWICE)}
                       OR list_unique(json_keys(line)) < len(json_keys(line))
                     THEN mqclause_line_fault(line::VARCHAR) END AS {FAULT}"""
    columns = [f"row.{quote_sql_name(name)} AS {quote_sql_name(name)}" for name in structure]
    kept = [f"original::VARCHAR AS {LINE}"] if out == "jsonl" else []
    return connection.sql(f"SELECT {', '.join([*columns, *kept, fault])} FROM ({parsed})")


def _checked_keys(connection: DuckDBPyConnection, table: Table, lines: str, asked: AskedColumns) -> AskedColumns:
    """What is asked for as the table spells it.

    Raises BatchError if the first rows have none of a needed column, or the file is something else; and TableError.
    """
    with open_text(table.files[0]) as text:
        if text.read(SAMPLED_ROWS).lstrip().startswith("["):
            raise BatchError(f"{table.path}: a JSON array; JSON Lines has one object a line")
    first = f"(SELECT json FROM {lines} LIMIT {SAMPLED_ROWS})"
    keys_of = "CASE WHEN json_type(json) = 'OBJECT' THEN json_keys(json) END"
    query = f"SELECT count(*), list_distinct(flatten(list({keys_of}))) FROM {first}"
    [(count, keys)] = connection.execute(query).fetchall()
    if count and not keys:
        raise BatchError(f"{table.path}: not JSON Lines: no line holds a JSON object")
    asked = asked.among(sorted(keys or ()), rows=bool(keys))
    if keys:
        check_columns(table.path, keys, asked.needed)
    if asked.is_flat:
        return asked
    for struct, place, columns in (("put", "$.put", PUT), ("destinations", "$.destinations[0]", DESTINATION)):
        of_struct = f"CASE WHEN json_type(json, '{place}') = 'OBJECT' THEN json_keys(json, '{place}') END"
        [(fields,)] = connection.execute(f"SELECT list_distinct(flatten(list({of_struct}))) FROM {first}").fetchall()
        check_known(sorted(fields or ()), columns, f"{struct}.")
    return asked


def _further(connection: DuckDBPyConnection, lines: str, asked: AskedColumns, alone: bool) -> dict[str, Any]:
    """The columns of all the rows of JSON Lines with their types, as from_json takes them.

    A text that could be a date stays a text, and values of several types stay JSON. With ``alone`` only those that are
    asked for and have the type that they have. Raises TableError for keys that are no columns.
    """
    names = list(asked.spreads) if alone else _names_of(connection, lines, asked)
    further = [name for name in names if name not in build_json_types(asked)]
    if not further:
        return dict.fromkeys(names, "JSON")
    places = range(1, len(further) + 1)
    paths = ", ".join(quote_sql_text(build_json_pointer(name)) for name in further)
    parts = ", ".join(f"json_group_structure(v[{at}])" for at in places)
    large = ", ".join(f"coalesce(bool_or(regexp_matches(v[{at}]::VARCHAR, '[0-9]{{19}}')), false)" for at in places)
    values = f"SELECT json_extract(json, [{paths}]) AS v FROM {lines}"
    [(structures, are_large)] = connection.execute(f"SELECT [{parts}], [{large}] FROM ({values})").fetchall()
    # A double does not hold so many digits, and is what DuckDB writes of a HUGEINT.
    wide = {"DOUBLE": "JSON", "HUGEINT": "DECIMAL(38, 0)"}
    narrow = {"UBIGINT": "BIGINT", "HUGEINT": "BIGINT"}
    kinds = [{"NULL": "JSON", **(wide if each else narrow)} for each in are_large]
    typed = map(_structure, map(json.loads, structures), kinds)
    return {**dict.fromkeys(names, "JSON"), **dict(zip(further, typed, strict=True))}


def _names_of(connection: DuckDBPyConnection, lines: str, asked: AskedColumns) -> list[str]:
    found = f"SELECT DISTINCT unnest(json_keys(json)) AS name FROM {lines} WHERE json_type(json) = 'OBJECT'"
    names = [name for (name,) in connection.execute(f"SELECT name FROM ({found}) ORDER BY name").fetchall()]
    # What is one of ours in another letter case stands in a row that has both, which is invalid.
    ours = {name.lower(): name for name in (*build_json_types(asked), *asked.needed)}
    names = [name for name in names if ours.get(name.lower(), name) == name]
    check_apart(names)
    if "" in names:
        raise TableError("a key is blank, which no column of a table is; JSON Lines can be written")
    return names


def _structure(found: Any, kinds: Mapping[str, str]) -> Any:
    if isinstance(found, dict):
        if "" in found or len(set(map(str.lower, found))) < len(found):
            return "JSON"  # such keys are no fields of a struct
        return {name: _structure(each, kinds) for name, each in found.items()}
    return [_structure(each, kinds) for each in found] if isinstance(found, list) else kinds.get(found, found)


def _from_json(text: str, structure: Any) -> str:
    if structure == "BIGINT":
        return f"TRY_CAST({text} AS BIGINT)"
    return f"from_json({text}, {quote_sql_text(json.dumps(structure))})"


_SPECIAL: Any = "special"
"""Has a function be asked about null, too; the constant of DuckDB's for it lies elsewhere before 1.4."""


def _with_functions(connection: DuckDBPyConnection, asked: AskedColumns, cells: Sequence[str] = ()) -> None:
    """What is done with few rows, in Python; what ``mqclause_fault`` is given are the texts of ``cells``."""
    connection.create_function(
        "mqclause_fault",
        lambda texts: find_row_fault(asked, dict(zip(cells, texts, strict=True))),
        ["VARCHAR[]"],
        "VARCHAR",
        null_handling=_SPECIAL,
    )
    functions: dict[str, Callable[[str], str | None]] = {
        "mqclause_line_fault": lambda line: find_line_fault(asked, line),
        "mqclause_line": lambda line: normalize_row_keys(line, asked),
        "mqclause_cell": lambda cell: _written(_inside(_read_keys(cell))),
    }
    for name, function in functions.items():
        connection.create_function(name, function, ["VARCHAR"], "VARCHAR", null_handling=_SPECIAL)


def _header_of(file: Path) -> tuple[str, ...]:
    try:
        with open_text(file) as text:
            header = tuple(next(csv.reader(text), []))
    except UnicodeDecodeError:
        raise BatchError(f"{file}: not UTF-8") from None
    if any("\0" in name for name in header):
        raise BatchError(f"{file}: not UTF-8: byte 0 is in its first line, as in UTF-16")
    return header


def _check_beyond(file: Path, columns: int) -> None:
    """Raises BatchError for a file whose rows have very much beyond the header.

    DuckDB tells of each value that is too many, with the whole line.
    """
    told = 0
    with open_text(file) as text, suppress(csv.Error, UnicodeDecodeError, *TRUNCATION_ERRORS):
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
    types = ", ".join(f"{quote_sql_text(name)}: 'VARCHAR'" for name in columns)
    return f"read_csv({quote_sql_files(files)}, {dialect}, {size}, columns = {{{types}}}{more})"


def _other_cases(name: str) -> str:
    """Up to some place the name as it is, there another letter case, then any."""
    cased = [f"[{each.upper()}{each.lower()}]" if each.isalpha() and each.isascii() else _plain(each) for each in name]
    return "|".join(
        f"{''.join(map(_plain, name[:at]))}{each.swapcase()}{''.join(cased[at + 1 :])}"
        for at, each in enumerate(name)
        if each.isalpha() and each.isascii()
    )


def _plain(letter: str) -> str:
    return letter if letter.isascii() and (letter.isalnum() or letter == "_") else f"\\x{{{ord(letter):x}}}"


class _Pairs(list[tuple[str, Any]]):
    """An object that may have a key twice."""


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


def _read_keys(text: str) -> Any:
    """Text that is no JSON is a number as it is written."""
    try:
        return json.loads(text, object_pairs_hook=_Pairs, parse_int=_Number, parse_float=_Number)
    except (ValueError, RecursionError):
        return _Number(text)


def _inside(value: Any) -> Any:
    if isinstance(value, _Pairs):
        return _renamed(value, PUT)
    return [_renamed(each, DESTINATION) for each in value] if isinstance(value, list) else value


def _renamed(value: Any, known: Iterable[str]) -> Any:
    if not isinstance(value, _Pairs):
        return value
    ours, lower = {name.lower(): name for name in known}, [name.lower() for name, _ in value]
    return _Pairs(
        (ours.get(each, name) if lower.count(each) == 1 else name, found)
        for each, (name, found) in zip(lower, value, strict=True)
    )


def _written(value: Any) -> str:
    if isinstance(value, _Pairs):
        return f"{{{', '.join(f'{json.dumps(name)}: {_written(each)}' for name, each in value)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return value if isinstance(value, _Number) else json.dumps(value)


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _is_marked(file: Path) -> bool:
    with gzip.open(file) if file.suffix.lower() == ".gz" else file.open("rb") as text:
        return text.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8


class _NotJson(str):
    """What is wrong with a text that is no JSON."""

    __slots__ = ()


def _row_fault(asked: AskedColumns, row: Mapping[str, Any]) -> str | None:
    if asked.is_flat:
        not_json = (value for value in row.values() if isinstance(value, _NotJson))
        return next(not_json, None) or _field_fault("", row, asked.flat)
    return (
        _fault_in("put", row, dict, lambda value: _field_fault("put", value, PUT))
        or _fault_in("destinations", row, list, _destination_fault)
        or _fault_in("clwlmruc", row, Real, lambda value: _field_fault("", {"clwlmruc": value}, PUT))
    )


def _fault_in(name: str, row: Mapping[str, Any], kind: type, further: Callable[[Any], str | None]) -> str | None:
    value = row.get(name)
    if value is None:
        return None
    if isinstance(value, _NotJson):
        return str(value)
    if not isinstance(value, kind) or isinstance(value, bool):
        kinds: dict[type, str] = {dict: "a JSON object", list: "a JSON array of objects"}
        allowed = kinds.get(kind, PUT["clwlmruc"].allowed)
        return NOT_ALLOWED.format(column=name, value=_shown(value), allowed=allowed)
    return further(value)


def _destination_fault(destinations: list[Any]) -> str | None:
    for place, each in enumerate(destinations):
        where = f"destinations[{place}]"
        if each is not None and not isinstance(each, dict):
            return NOT_ALLOWED.format(column=where, value=_shown(each), allowed="a JSON object")
        if found := _field_fault(where, each or {}, DESTINATION):
            return found
    return None


def _field_fault(where: str, fields: Mapping[str, Any], columns: Mapping[str, Column]) -> str | None:
    if found := find_keys_fault(fields, columns, f"{where}." if where else ""):
        return found
    for name, column in columns.items():
        value = fields.get(name)
        if value is not None and not _fits(value, column):
            full = f"{where}.{name}" if where else name
            return NOT_ALLOWED.format(column=full, value=_shown(value), allowed=column.allowed)
    return None


def _fits(value: object, column: Column) -> bool:
    match column.domain:
        case Flag():
            return isinstance(value, bool)
        case Whole():
            # What has been a column of doubles, as pandas has after a null, is written with ".0".
            if isinstance(value, bool) or not isinstance(value, int | float):
                return False
            return value % 1 == 0 and -(2**63) <= value < 2**63
        case Finite():
            return type(value) in (int, float)
        case Names():
            return isinstance(value, list) and all(each is None or isinstance(each, str) for each in value)
    return isinstance(value, str)


def _shown(value: object) -> str:
    text = f"'{value}'" if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


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
