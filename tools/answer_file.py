"""Write an answer to a file that an option names: one that is new, or that has such an answer already."""

from __future__ import annotations

import os
import re
from importlib import import_module
from io import BytesIO
from pathlib import Path

import click

from mqclause.executors.pipeline import NotInstalledError
from mqclause.model.diagnostics import quote_value
from mqclause.tools.errors import NotWrittenError
from mqclause.tools.streams import list_warnings

JSON = re.compile(rb"\{")
PAGE = re.compile(rb"<!DOCTYPE html>.{,1000}<meta name=\"generator\" content=\"mqclause ", re.DOTALL)
DRAWING = re.compile(rb"<svg [^>]{,300}data-made-by=\"mqclause\"")
"""What a file begins with that may be replaced."""

BEGINNING = 2_000
"""So many bytes of a file tell what it is."""

LIBRARIES = ("jinja2", "markupsafe")


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
