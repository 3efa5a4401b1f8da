"""The lines of JSON Lines. A file may begin with a byte order mark, as Windows writes it."""
# ruff: noqa: S608 (names and texts go into SQL quoted)

from __future__ import annotations

import codecs
import gzip
import json
from collections.abc import Sequence
from pathlib import Path

from mqclause.tools.batch.csv_rows import opened
from mqclause.tools.batch.quoted import LONGEST_ROW, sql_files

AROUND = " \t\r\n"
"""What may stand around the value of a line."""


def json_lines(files: Sequence[Path]) -> str:
    """The lines of all files as a table with a column ``json``, which is null where a line is not JSON."""
    marked = [file for file in files if _is_marked(file)]
    plain = [file for file in files if file not in marked]
    options = f"format = 'newline_delimited', ignore_errors = true, maximum_object_size = {LONGEST_ROW}"
    parts = [f"SELECT json FROM read_json_objects({sql_files(plain)}, {options})"] if plain else []
    if marked:
        # To DuckDB's reader of JSON a line with the mark is none; its reader of CSV passes over it.
        dialect = "auto_detect = false, header = false, delim = '\x1f', quote = '', escape = ''"
        size = f"max_line_size = {LONGEST_ROW}, buffer_size = {2 * LONGEST_ROW}"
        read = f"read_csv({sql_files(marked)}, {dialect}, {size}, columns = {{line: 'VARCHAR'}})"
        line = f"trim(line, '{AROUND}')"
        parts.append(f"SELECT TRY_CAST({line} AS JSON) AS json FROM {read} WHERE {line} <> ''")
    return f"({' UNION ALL '.join(parts)})"


def first_fault(files: Sequence[Path]) -> str:
    """The first line of the files that is no JSON object, or that no line is one."""
    for file in files:
        try:
            with opened(file) as lines:
                for number, line in enumerate(lines, 1):
                    if line.strip(AROUND) and not _is_object(line):
                        return f"{file}: line {number} is not a JSON object"
        except UnicodeDecodeError:
            return f"{file}: not UTF-8"
    return f"{files[0]}: not JSON Lines: no line holds a JSON object"


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _is_marked(file: Path) -> bool:
    with gzip.open(file) if file.suffix.lower() == ".gz" else file.open("rb") as text:
        return text.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
