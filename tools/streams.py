"""Write JSON and text to standard output, in UTF-8, and warnings to standard error."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import click

from mqclause.model.diagnostics import escape_controls

ORIGIN = "mqclause.origin"
"""Under which name the context of a command keeps where its rules are from, if they are not ours."""

WARNED = "mqclause.warned"
"""Under which name the context of a command keeps the warnings and remarks that it has written."""


def encode_json_line(document: Any) -> bytes:
    """Encode a document as a line of JSON in UTF-8, with the folder of the rules if --rules gives one."""
    return f"{json.dumps(mark_origin(document), ensure_ascii=False)}\n".encode()


def mark_origin(document: Any) -> Any:
    """Mark a document, or each of a list, with the rules that the command goes by, where --rules gives others."""
    context = click.get_current_context(silent=True)
    origin = None if context is None else context.meta.get(ORIGIN)
    if origin is None:
        return document
    if isinstance(document, list):
        return [mark_origin(each) for each in document]
    return {**document, "rules": origin.to_json()}


def print_json(document: Any) -> None:
    """Write a document to standard output as a line of JSON."""
    sys.stdout.flush()
    sys.stdout.buffer.write(encode_json_line(document))


def write_csv(columns: Sequence[str], lines: Iterable[Sequence[Any]]) -> None:
    """Write lines as CSV to standard output, under the names of the columns."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(_escape_cell, line) for line in lines)


def _escape_cell(value: Any) -> Any:
    """The lines of a text without what a terminal obeys, as a name of a file may have it."""
    return escape_controls(value, "\n") if isinstance(value, str) else value


def print_rows(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows of JSON as CSV. ``object.name`` is a value within another one; a list or a table is JSON text."""
    paths = [each.split(".") for each in columns]
    write_csv(columns, ([_get_cell(row, path) for path in paths] for row in rows))


def _get_cell(row: Mapping[str, Any], path: Sequence[str]) -> Any:
    value: Any = row
    for key in path:
        value = None if value is None else value.get(key)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, bool | list | dict) else value


def print_origin(begins: str = "", err: bool = False) -> None:
    """Print by whose rules a command has answered, where they are not ours: a line behind what it ``begins`` with."""
    origin = click.get_current_context().meta.get(ORIGIN)
    if origin is not None:
        click.echo(f"{begins}answered {origin}", err=err)


def render_json(document: Mapping[str, Any]) -> Iterator[str]:
    """Render a document as a line of JSON, in pieces: a value that is an iterator is a list, never there as a whole."""
    for number, (key, value) in enumerate(mark_origin(document).items()):
        yield f"{', ' if number else '{'}{json.dumps(key)}: "
        if isinstance(value, Iterator):
            yield "["
            for at, each in enumerate(value):
                yield f"{', ' if at else ''}{json.dumps(each, ensure_ascii=False)}"
            yield "]"
        else:
            yield json.dumps(value, ensure_ascii=False)
    yield "}\n"


def print_pieces(pieces: Iterable[str]) -> None:
    """Write a text to standard output in UTF-8, whatever the locale is."""
    sys.stdout.flush()
    sys.stdout.buffer.writelines(each.encode() for each in pieces)


def print_warnings(warnings: Iterable[object], remarks: Iterable[object] = ()) -> None:
    """Write each warning once, as a line of standard error, and then each remark about the sources."""
    context = click.get_current_context(silent=True)
    for label, listed in (("warning", warnings), ("remark", remarks)):
        for each in dict.fromkeys(map(str, listed)):
            print(f"{label}: {escape_controls(each)}", file=sys.stderr)  # noqa: T201
            if context is not None:
                context.meta.setdefault(WARNED, []).append(each)


def list_warnings() -> list[str]:
    """List the warnings and remarks that the command has written, each once."""
    return [*dict.fromkeys(click.get_current_context().meta.get(WARNED, ()))]
