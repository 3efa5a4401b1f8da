"""The types of a table's columns in JSON text, and in one line what is wrong with a value or with a whole run."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any

from mqclause.model.facts.domains import Finite, Flag, Names, Whole
from mqclause.tables.columns import DESTINATION, NOT_ALLOWED, PUT, Column
from mqclause.tools.batch.asked import AskedColumns
from mqclause.tools.batch.csv_rows import has_mixed_ends
from mqclause.tools.batch.keys import in_pattern, json_object, keys_fault
from mqclause.tools.errors import BatchError, NotWrittenError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What writing fails with where there is no room; libraries tell it in the words of the system."""

_CAUSE = re.compile(r"^Caused by: [\w.$]+: (\[[A-Z_.]+\] .*)", re.MULTILINE)
"""What is behind the failure of a task, which Spark 4.0 tells first."""

BELOW_ITS_FIRST = ("Expected Number of Columns", "Value with unterminated quote")
"""What DuckDB says of CSV below its first line."""


def types(asked: AskedColumns) -> dict[str, Any]:
    """The types of the columns that are read from JSON."""
    if asked.is_flat:
        return {**dict.fromkeys(asked.beside, "VARCHAR"), **{name: json_type(of) for name, of in asked.flat.items()}}
    # What the queue manager's CLWLUSEQ is would allow QMGR in every row, also where no row says it.
    put = {name: json_type(column) for name, column in PUT.items() if name != "qmgr_clwluseq"}
    return {
        "put": put,
        "destinations": [{name: json_type(column) for name, column in DESTINATION.items()}],
        "clwlmruc": put["clwlmruc"],
        **dict.fromkeys(asked.beside, "VARCHAR"),
    }


def json_type(column: Column) -> Any:
    """The type of a column as from_json takes it."""
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


def dubious(asked: AskedColumns) -> str:
    """A pattern for JSON text in which a value may not have its column's type; most rows are cleared by it alone.

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
        kind = json_type(column)
        names.setdefault(kind if isinstance(kind, str) else "names", []).append(in_pattern(name))
    fields = [rf'"({"|".join(names[kind])})"\s*:\s*({fit})' for kind, fit in fits.items() if kind in names]
    after_an_object = [] if asked.is_flat else [r'\}\s*,\s*([^{"\s]|"([^"\\]|\\.)*"\s*[,\]])']
    return "|".join([*fields, *after_an_object])


def fault_of(asked: AskedColumns, texts: Mapping[str, str | None]) -> str | None:
    """What is the first value of the wrong type in the JSON text of a row's columns, if there is one."""
    row, columns = {}, asked.flat if asked.is_flat else PUT
    for name, text in texts.items():
        try:
            row[name] = json.loads(text, object_pairs_hook=json_object) if text is not None else None
        except (ValueError, RecursionError):
            allowed = columns[name].allowed if name in columns else "JSON text"
            row[name] = _NotJson(NOT_ALLOWED.format(column=name, value=_shown(text), allowed=allowed))
    return _row_fault(asked, row)


def fault_of_line(asked: AskedColumns, line: str) -> str | None:
    """The same of a row that is one JSON object, in which a key may also be there twice."""
    try:
        row = json.loads(line, object_pairs_hook=json_object)
    except (ValueError, RecursionError):
        return "the line is not JSON"
    if not isinstance(row, dict):
        return "the line is not a JSON object"
    return keys_fault(row, (*asked.typed, *asked.needed)) or _row_fault(asked, row)


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
    if found := keys_fault(fields, columns, f"{where}." if where else ""):
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


def failed(source: Path, out: Path, error: BaseException) -> BatchError:
    """An error of a library or of the disk: what cannot be written to ``out`` is told from bad input."""
    for full in map(os.strerror, NO_ROOM):
        if full in str(error):
            return NotWrittenError(f"{out}: {full.lower()}")
    return BatchError(f"{source}: {said_of(source, error)}")


def said_of(source: Path, error: BaseException) -> str:
    """The same as one line, behind what DuckDB does not say of CSV."""
    said = first_line(error)
    if has_mixed_ends(source):
        return f"some of its lines end in LF, others in CR LF; write all of them alike (DuckDB: {said.rstrip('.')})"
    return said


def first_line(error: BaseException) -> str:
    """An error of a library as one line."""
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    lines = [line.strip() for line in str(error).strip().splitlines()] or [type(error).__name__]
    if lines[0].startswith("An error occurred while calling") and len(lines) > 1:  # py4j
        lines[0] = re.sub(r"^: ([\w.$]+: )*", "", lines[1])
    if lines[0].startswith("Job aborted") and (causes := _CAUSE.findall("\n".join(lines))):
        lines[0] = causes[0]
    why = [line for line in lines[1:] if line.startswith(BELOW_ITS_FIRST)]
    return ": ".join([re.sub(r"^([A-Z][A-Za-z]* )*Error: ", "", lines[0]), *why])
