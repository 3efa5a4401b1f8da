"""The tables of ``mqclause batch``: Parquet, CSV and JSON Lines read and written by DuckDB."""
# ruff: noqa: S608 (names and texts go into SQL quoted)

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from attrs import frozen

from mqclause.duckdb.sources import files_inside
from mqclause.tables.columns import DESTINATION, PUT, TableError
from mqclause.tables.functions import ALONG
from mqclause.tables.shape import check_apart, check_known, spelt
from mqclause.tools.batch.asked import OF_STRUCTS, AskedColumns
from mqclause.tools.batch.checks import check_columns, is_one_schema
from mqclause.tools.batch.csv_rows import RAGGED, csv_source, headers_of, opened, ragged_source
from mqclause.tools.batch.digits import with_all_digits
from mqclause.tools.batch.faults import dubious, fault_of, fault_of_line, json_type, types
from mqclause.tools.batch.keys import cell_in_our_case, in_our_case, key_twice, keys_in_other_case
from mqclause.tools.batch.lines import json_lines
from mqclause.tools.batch.quoted import LONGEST_ROW, pointer, sql_files, sql_name, sql_text
from mqclause.tools.errors import BatchError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

FileKind = Literal["parquet", "csv", "jsonl"]
ENDINGS: Mapping[str, FileKind] = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".csv.gz": "csv",
    **{f"{ending}{more}": "jsonl" for ending in (".jsonl", ".ndjson", ".json") for more in ("", ".gz")},
}
SNIFFED = 20_000
"""How many rows are looked at to say early that a column is missing."""

KEY_TWICE = key_twice()

KEPT = f"{ALONG}{{}}"
LINE, FAULT = KEPT.format("line"), KEPT.format("fault")
"""Columns that go along while rows are decided: a row as it was read, what is wrong in it, a column as read."""


@frozen
class Table:
    """A table in files of one kind; ``path`` is the file, or the folder that holds them."""

    path: Path
    kind: FileKind
    files: tuple[Path, ...]

    @property
    def listed(self) -> str:
        """The files as a list in SQL, in which a name is no pattern."""
        return sql_files(self.files)


def table_in(path: Path) -> Table:
    """The table in a file or in the files of a folder. Raises BatchError."""
    if not os.path.isdir(path):
        kind = file_kind(path)
        if not os.path.exists(path):
            raise BatchError(f"{path}: no such file or directory")
        if not os.path.isfile(path):
            raise BatchError(f"{path}: is a device or a named pipe; allowed: a file, or a folder of files")
        return Table(path, kind, (path,))
    files = [file for file in files_inside(path) if _ending(file) in ENDINGS]
    kinds = {file_kind(file) for file in files}
    if len(kinds) != 1:
        found = "files of several kinds" if kinds else f"no file that ends in {', '.join(ENDINGS)}"
        raise BatchError(f"{path}: the folder holds {found}")
    return Table(path, kinds.pop(), tuple(files))


def file_kind(path: Path) -> FileKind:
    """What kind of file ``path`` names, by how it ends. Raises BatchError."""
    kind = ENDINGS.get(_ending(path))
    if kind is None:
        raise BatchError(f"{path}: the name of a table ends in one of {', '.join(ENDINGS)}")
    return kind


def _ending(path: Path) -> str:
    ending = path.suffix.lower()
    return (path.with_suffix("").suffix + ending).lower() if ending == ".gz" else ending


def read_table(connection: DuckDBPyConnection, table: Table, out: FileKind, asked: AskedColumns) -> DuckDBPyRelation:
    """The rows of ``table`` with typed columns, and what ``written`` needs to write them as ``out``.

    In CSV and JSON Lines what puts and destinations say has the types of tables.columns whatever the rows hold; a
    row where a value does not fit has it said in a column of its own. The files of a folder are one table: of columns
    that some do not have, their rows have null. Raises BatchError, TableError and duckdb.Error.
    """
    match table.kind:
        case "parquet":
            is_one_schema(connection, table.files)
            relation = with_all_digits(connection.sql(f"FROM read_parquet({table.listed}, union_by_name = true)"))
        case "csv":
            relation = _csv_rows(connection, table, out, asked)
        case "jsonl":
            relation = _json_rows(connection, table, out, asked)
    if table.kind == "parquet":
        check_columns(table.path, relation.columns, asked.among(relation.columns).needed)
    return relation


def _csv_rows(connection: DuckDBPyConnection, table: Table, out: FileKind, asked: AskedColumns) -> DuckDBPyRelation:
    headers = headers_of(table.files)
    columns = list(dict.fromkeys(name for header in headers for name in header))
    asked = asked.among(columns)
    check_columns(table.path, columns, asked.needed)
    source, ragged = ragged_source(connection, headers)
    cells, typed = _typed_cells(columns, asked), types(asked)
    parsed = [f"CASE WHEN json_valid({cell}) THEN {_from_json(cell, typed[name])} END AS {sql_name(own)}"
              for name, (own, cell, _) in cells.items()]  # fmt: skip
    kept = [f"{sql_name(own)} AS {sql_name(KEPT.format(own))}" for own, *_ in cells.values() if out == "csv"]
    texts = ", ".join(cell for _, cell, _ in cells.values())
    odd = " OR ".join(f"NOT json_valid({cell}) OR {is_odd}" for _, cell, is_odd in cells.values()) or "false"
    own = f"WHEN {RAGGED} IS NOT NULL THEN {RAGGED} " if ragged else ""
    fault = f"CASE {own}WHEN {odd} THEN mqclause_fault([{texts}]::VARCHAR[]) END AS {FAULT}"
    replaced = f"REPLACE ({', '.join(parsed)})" if parsed else ""
    every = f"* EXCLUDE ({RAGGED}) {replaced}" if ragged else f"* {replaced}"
    _with_functions(connection, asked, tuple(cells))
    return connection.sql(f"SELECT {', '.join([every, *kept, fault])} FROM {source}")


PLAIN_CELLS = {"BIGINT": "[0-9]{1,18}", "BOOLEAN": "true|false"}
"""Cells of a type that are certainly as they should be."""


def _typed_cells(columns: Iterable[str], asked: AskedColumns) -> dict[str, tuple[str, str, str]]:
    """By name the columns that are no texts: how the table spells each, its text, and what odd cells are like."""
    found = {}
    kinds = {name: json_type(of) for name, of in asked.flat.items()} if asked.is_flat else types(asked)
    for name, kind in kinds.items():
        own = spelt(name, columns)
        if own is None or kind == "VARCHAR":
            continue
        cell = f"lower({sql_name(own)})" if kind == "BOOLEAN" else sql_name(own)
        if name in OF_STRUCTS[:2] and not asked.is_flat:
            other = sql_text(keys_in_other_case(asked))
            cell = f"CASE WHEN regexp_matches({cell}, {other}) THEN mqclause_cell({cell}) ELSE {cell} END"
            begins = r"^\s*\{" if name == "put" else r"^\s*\[\s*[{\]]"
            is_odd = _is_dubious(cell, dubious(asked), keys_in_other_case(asked), KEY_TWICE)
            is_odd += f" OR NOT regexp_matches({cell}, {sql_text(begins)})"
        else:
            plain = PLAIN_CELLS.get(kind) if isinstance(kind, str) else None
            is_odd = f"NOT regexp_full_match({cell}, '{plain}')" if plain else f"{cell} IS NOT NULL"
        found[name] = (own, cell, is_odd)
    return found


def _is_dubious(text: str, *patterns: str) -> str:
    return " OR ".join(f"regexp_matches({text}, {sql_text(each)})" for each in patterns if each) or "false"


def _json_rows(connection: DuckDBPyConnection, table: Table, out: FileKind, asked: AskedColumns) -> DuckDBPyRelation:
    read = json_lines(table.files)
    asked = _checked_keys(connection, table, read, asked)
    _with_functions(connection, asked)
    seen = f"SELECT json AS original, regexp_matches(json, {sql_text(keys_in_other_case(asked))}) AS other FROM {read}"
    ours = "CASE WHEN other THEN mqclause_line(original::VARCHAR)::JSON ELSE original END"
    lines = f"(SELECT original, other, {ours} AS json FROM ({seen}))"
    further = _further(connection, lines, asked, alone=out == "jsonl")
    typed = types(asked)
    beside = [name for name in OF_STRUCTS[2:] if name in typed and (out == "jsonl" or name in further)]
    wanted = {name: typed[name] for name in typed if name in (*asked.needed, *beside)}
    structure = {**{name: kind for name, kind in further.items() if name not in wanted}, **wanted}
    parsed = f"SELECT original, other, json AS line, {_from_json('json', structure)} AS row FROM {lines}"
    fault = f"""CASE WHEN line IS NULL THEN 'the line is not JSON'
                     WHEN NOT starts_with(line, '{{') THEN 'the line is not a JSON object'
                     WHEN other OR {_is_dubious("line::VARCHAR", dubious(asked), "" if asked.is_flat else KEY_TWICE)}
                       OR list_unique(json_keys(line)) < len(json_keys(line))
                     THEN mqclause_line_fault(line::VARCHAR) END AS {FAULT}"""
    columns = [f"row.{sql_name(name)} AS {sql_name(name)}" for name in structure]
    kept = [f"original::VARCHAR AS {LINE}"] if out == "jsonl" else []
    return connection.sql(f"SELECT {', '.join([*columns, *kept, fault])} FROM ({parsed})")


def _checked_keys(connection: DuckDBPyConnection, table: Table, lines: str, asked: AskedColumns) -> AskedColumns:
    """What is asked for as the table spells it.

    Raises BatchError if the first rows have none of a needed column, or the file is something else; and TableError.
    """
    with opened(table.files[0]) as text:
        if text.read(SNIFFED).lstrip().startswith("["):
            raise BatchError(f"{table.path}: a JSON array; JSON Lines has one object a line")
    first = f"(SELECT json FROM {lines} LIMIT {SNIFFED})"
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
    further = [name for name in names if name not in types(asked)]
    if not further:
        return dict.fromkeys(names, "JSON")
    places = range(1, len(further) + 1)
    paths = ", ".join(sql_text(pointer(name)) for name in further)
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
    ours = {name.lower(): name for name in (*types(asked), *asked.needed)}
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
    return f"from_json({text}, {sql_text(json.dumps(structure))})"


def _with_functions(connection: DuckDBPyConnection, asked: AskedColumns, cells: Sequence[str] = ()) -> None:
    """What is done with few rows, in Python; what ``mqclause_fault`` is given are the texts of ``cells``."""
    from duckdb.func import SPECIAL
    from duckdb.sqltypes import VARCHAR

    connection.create_function(
        "mqclause_fault",
        lambda texts: fault_of(asked, dict(zip(cells, texts, strict=True))),
        [f"{VARCHAR}[]"],
        VARCHAR,
        null_handling=SPECIAL,
    )
    functions: dict[str, Callable[[str], str | None]] = {
        "mqclause_line_fault": lambda line: fault_of_line(asked, line),
        "mqclause_line": lambda line: in_our_case(line, asked),
        "mqclause_cell": cell_in_our_case,
    }
    for name, function in functions.items():
        connection.create_function(name, function, [VARCHAR], VARCHAR, null_handling=SPECIAL)


def written(relation: DuckDBPyRelation, path: Path, kind: FileKind) -> str:
    """The statement that writes decided rows, which it reads from the view ``mqclause_decided``, to ``path``."""
    # Asked before there is a view: after it DuckDB binds the whole query again, each time that it is asked.
    kinds = dict(zip(relation.columns, relation.types, strict=True))
    relation.create_view("mqclause_decided", replace=True)
    kept = [name for name in kinds if name.startswith(KEPT.format(""))]
    values = {name: sql_name(name) for name in kinds if name not in kept}
    values["decision"] = decision = _decision(kinds["decision"]) if FAULT in kept else "decision"
    if kind == "csv":
        nested = {name for name, of in kinds.items() if of.id in ("struct", "list", "map", "array", "union", "variant")}
        values |= {name: f"to_json({value})::VARCHAR" for name, value in values.items() if name in nested}
        values |= {name: KEPT.format(name) for name in values if KEPT.format(name) in kept}
    if LINE in kept and kind == "jsonl":
        # As read, a line has no space at its ends.
        head = f"CASE WHEN starts_with({LINE}, '{{') THEN left({LINE}, -1) END"
        comma = f"CASE WHEN strlen({LINE}) < 99 AND regexp_full_match({LINE}, '\\{{\\s*\\}}') THEN '' ELSE ', ' END"
        values = {"line": f"concat(coalesce(({head}) || ({comma}), '{{'), '\"decision\":', to_json({decision}), '}}')"}
    columns = ", ".join(f"{value} AS {sql_name(name)}" for name, value in values.items())
    form = _format(kind, LINE in kept, path.name.endswith(".gz"))
    return f"COPY (SELECT {columns} FROM mqclause_decided) TO {sql_text(str(path))} ({form})"


def _decision(kind: Any) -> str:
    """The decision, which for a row with a value of the wrong type is that it is invalid."""
    given = {"outcome": "'invalid'", "message": FAULT}
    fields = ", ".join(f"{sql_text(name)}: {given.get(name, 'NULL')}" for name, _ in kind.children)
    return f"CASE WHEN {FAULT} IS NULL THEN decision ELSE {{{fields}}}::{kind} END"


def _format(kind: FileKind, lines: bool, zipped: bool) -> str:
    compression = ", COMPRESSION gzip" if zipped else ""
    if kind == "parquet":
        return "FORMAT parquet, COMPRESSION zstd"
    if kind == "csv":
        return f"FORMAT csv, HEADER true{compression}"
    raw = "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x1f'"
    return f"{raw if lines else 'FORMAT json'}{compression}"


def decisions(table: Table) -> str:
    """The decisions in a table that was written, as a query."""
    if table.kind == "parquet":
        return f"SELECT decision FROM read_parquet({table.listed})"
    fields = dict.fromkeys(("outcome", "queue_manager", "message"), "VARCHAR") | {"reason": "BIGINT"}
    if table.kind == "csv":
        return f"SELECT {_from_json('decision', fields)} AS decision FROM {csv_source(headers_of(table.files))}"
    options = f"format = 'newline_delimited', records = true, maximum_object_size = {LONGEST_ROW}"
    struct = f"STRUCT({', '.join(f'{name} {of}' for name, of in fields.items())})"
    return f"SELECT decision FROM read_json({table.listed}, {options}, columns = {{decision: {sql_text(struct)}}})"
