"""Write answers: to standard output, in UTF-8, and to files that options name; warnings go to standard error."""

from __future__ import annotations

import csv
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import click

from mqclause.executors.pipeline import NotInstalledError
from mqclause.model.diagnostics import escape_controls, quote_value
from mqclause.tools.errors import NotWrittenError

ORIGIN = "mqclause.origin"
"""Under which name the context of a command keeps where its rules are from, if they are not ours."""

WARNED = "mqclause.warned"
"""Under which name the context of a command keeps the warnings and remarks that it has written."""


JSON = re.compile(rb"\{")
PAGE = re.compile(rb"<!DOCTYPE html>.{,1000}<meta name=\"generator\" content=\"mqclause ", re.DOTALL)
DRAWING = re.compile(rb"<svg [^>]{,300}data-made-by=\"mqclause\"")
"""What a file begins with that may be replaced."""

BEGINNING = 2_000
"""So many bytes of a file tell what it is."""

LIBRARIES = ("jinja2", "markupsafe")


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


def check_replaceable(option: str, path: str | None, begins: re.Pattern[bytes], what: str) -> None:
    """Check that a file is new, empty, or ``what`` of before. Raises UsageError.

    It may be one of FACTS, where the name of the file to be written was left out.
    """
    try:
        with Path(path).open("rb") if path and os.path.isfile(path) else BytesIO() as file:
            beginning = file.read(BEGINNING)
    except OSError:  # it cannot be written either, which is told then
        return
    if beginning and not begins.match(beginning):
        raise click.UsageError(f"{option}: {quote_value(path)} is there and is not {what}; allowed: another name")


def write_answer(path: str, text: str) -> None:
    """Write an answer to a file. Raises NotWrittenError."""
    try:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise NotWrittenError(f"{path}: {(error.strerror or 'cannot be written').lower()}") from None


def write_page(path: str, view: object) -> None:
    """Write a page, with what the command has written to standard error: who reads the page does not see that.

    Raises NotWrittenError.
    """
    write_answer(path, import_module("mqclause.pages.page").render_page(view, list_warnings()))


def check_page(path: str | None, is_drawn: bool = False) -> None:
    """Check that --html can be written: what makes pages is there, and the file is new or a page of before.

    Diagrams have to be laid out, too, where one ``is_drawn``. Raises UsageError and NotInstalledError.
    """
    if path is None:
        return
    load_pages("--html", is_drawn)
    check_replaceable("--html", path, PAGE, "a page of mqclause")


def check_drawing(path: str | None) -> None:
    """Check that --svg can be written, in the same way. Raises UsageError and NotInstalledError."""
    if path is None:
        return
    load_pages("--svg", is_drawn=True)
    check_replaceable("--svg", path, DRAWING, "a drawing of mqclause")


def load_pages(option: str, is_drawn: bool = False) -> None:
    """Load what makes pages, and what lays out diagrams if one ``is_drawn``. Raises NotInstalledError."""
    try:
        import_module("mqclause.pages.page")
        if is_drawn:
            import_module("mqclause.pages.diagram").check_layout()
    except ModuleNotFoundError as error:
        if error.name not in LIBRARIES:
            raise
        raise NotInstalledError(f"{option} needs Jinja2: pip install 'mqclause[html]'") from None
