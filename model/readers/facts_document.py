"""A facts document as it was parsed, whatever it was written in, with the lines on which its tables and keys stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from attrs import frozen

from mqclause.model.diagnostic import Diagnostic, quoted

BYTE_ORDER_MARK = "\ufeff"

DocumentPath = tuple[str | int, ...]
"""Where a value stands in a document: keys, and positions in lists from 0; ``("queue", 1, "clwlrank")``."""

LONGEST_PATH = 3
"""How long the paths of tables and of their keys are; what stands deeper has no line."""


TABLE_LABEL = re.compile(r"([a-z_]+) ([0-9]{1,9})\b", re.ASCII)


@frozen(eq=False)
class DocumentLines:
    """The line of each table and key in ``text``: looked for when it is first asked for, as parsers do not tell."""

    text: str
    find: Callable[[str], Mapping[DocumentPath, int]]

    def line_of(self, *path: str | int) -> int | None:
        """The line on which the table or the key begins; None if that cannot be told."""
        return self._found.get(path)

    def nearest(self, *path: str | int) -> int | None:
        """The line of the innermost table or key around ``path`` of which it can be told."""
        return next((self._found[path[:end]] for end in range(len(path), 0, -1) if path[:end] in self._found), None)

    def told_by(self, message: str) -> int | None:
        """The line of the table that ``message`` is about, if it begins with that, as ``labelled`` says it."""
        label = TABLE_LABEL.match(message)
        return self.nearest(label[1], int(label[2]) - 1) if label else None

    @cached_property
    def _found(self) -> Mapping[DocumentPath, int]:
        return self.find(self.text)


NO_LINES = DocumentLines("", lambda _: {})
"""Of a document that was given as values and not as text."""


@frozen
class FactsDocument:
    """A parsed text: ``data`` as tables, lists and values; None if it cannot be parsed, as ``diagnostics`` tells.

    ``format`` is the name of the format that it is written in, if it was told by its content.
    """

    source: str
    data: Any = None
    diagnostics: tuple[Diagnostic, ...] = ()
    lines: DocumentLines = NO_LINES
    format: str = ""


def parsed(text: str, source: str, parse: Callable[[str, str], FactsDocument]) -> FactsDocument:
    """What ``parse`` makes of the text and its source's name, with the faults that no parser tells. Never raises."""
    text = text.removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        return faulty(source, "is empty")
    try:
        return parse(text, source)
    except RecursionError:
        return faulty(source, "is nested too deep")
    except ValueError:
        # What remains after the parsers' own errors: Python's limit for the digits of a number.
        return faulty(source, "holds a number of too many digits")


def faulty(source: str, message: str, line: int | None = None, column: int | None = None) -> FactsDocument:
    """A document that cannot be parsed."""
    return FactsDocument(source, None, (Diagnostic(source, message, line, column),))


def labelled(table: str, position: int | None, given: object) -> str:
    """How a message names a table: ``queue 2 'ORDERS.IN'``."""
    name = given.get("name", given.get("id")) if isinstance(given, dict) else None
    words = [table, *([str(position)] if position else []), *([quoted(name)] if isinstance(name, str) else [])]
    return " ".join(words)
