"""What a format is, and facts documents with the places of their keys."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from enum import IntEnum
from functools import cached_property
from typing import Any

from attrs import frozen

from mqclause.model.diagnostics import Diagnostic, quote_value
from mqclause.model.readers.records import Script

NO_PLACE = (None, None)

NUMBERED_FROM_0 = frozenset({"event"})
"""Tables that messages number from 0, as the rows of a replay do; those of other kinds are counted from 1."""

TABLE_LABEL = re.compile(r"([a-z_]+)(?: ([0-9]{1,9})\b|: )", re.ASCII)


@frozen(eq=False)
class DocumentPlaces:
    """Where each table and key in ``text`` stands: looked for when it is first asked for, as parsers do not tell."""

    text: str
    find: Callable[[str], Mapping[DocumentPath, TextPlace]]

    def place_of(self, *path: str | int) -> TextPlace | tuple[None, None]:
        """Return the line and the column at which the table or the key begins; NO_PLACE if that cannot be told."""
        return self._found.get(path, NO_PLACE)

    def find_nearest(self, *path: str | int) -> TextPlace | tuple[None, None]:
        """Find the place of the innermost table or key around ``path`` of which it can be told."""
        around = (path[:end] for end in range(len(path), 0, -1))
        return next((self._found[each] for each in around if each in self._found), NO_PLACE)

    def told_by(self, message: str) -> TextPlace | tuple[None, None]:
        """Return the place of the table that ``message`` is about, if it begins as ``render_table_label`` has it."""
        label = TABLE_LABEL.match(message)
        if label is None:
            return NO_PLACE
        at = [int(label[2]) - 1 + (label[1] in NUMBERED_FROM_0)] if label[2] else []
        return self.find_nearest(label[1], *at)

    @cached_property
    def _found(self) -> Mapping[DocumentPath, TextPlace]:
        return self.find(self.text)


NO_PLACES = DocumentPlaces("", lambda _: {})
"""Of a document that was given as values and not as text."""


@frozen
class FactsDocument:
    """A parsed text: ``data`` as tables, lists and values; None if it cannot be parsed, as ``diagnostics`` tells.

    ``format`` is the name of the format that it is written in, if it was told by its content.
    """

    source: str
    data: Any = None
    diagnostics: tuple[Diagnostic, ...] = ()
    places: DocumentPlaces = NO_PLACES
    format: str = ""


Contents = FactsDocument | Script
"""What one file holds: the tables of a facts document, or the records of one of MQ's own formats."""

BYTE_ORDER_MARK = "\ufeff"

DocumentPath = tuple[str | int, ...]
"""Where a value stands in a document: keys, and positions in lists from 0; ``("queue", 1, "clwlrank")``."""

LONGEST_PATH = 3
"""How long the paths of tables and of their keys are; what stands deeper has no place."""

TextPlace = tuple[int, int]
"""A line and a column, both counted from 1."""


class Confidence(IntEnum):
    """The degree to which a format is sure that a text is in it."""

    NO = 0
    LIKELY = 1
    SURE = 2

    @classmethod
    def sure_if(cls, told: object) -> Confidence:
        """Return SURE if ``told`` is true or something, else NO."""
        return cls.SURE if told else cls.NO


@frozen
class Format:
    """One format that a file can be in.

    ``title`` is how messages list it. ``recognised`` looks at a text, which is not blank, and the name of its file.
    ``read`` makes the contents of a text and a source's name and never raises: faults stand in their diagnostics, also
    that a text is not in the format at all, as whoever names the format of a file may be wrong.
    It is None for a format that is told from the others so that it can be refused: ``refused`` says what is there. With
    ``in_pieces`` it takes a large text in pieces, too, each of which ends with a line, and ``recognised`` need not see
    all of them at once.
    """

    name: str
    title: str
    recognised: Callable[[str, str], Confidence]
    read: Callable[[Any, str], Contents] | None = None
    in_pieces: bool = False
    refused: Callable[[str], str] | None = None


def parse_document(text: str, source: str, parse: Callable[[str, str], FactsDocument]) -> FactsDocument:
    """Parse a text with ``parse``, and report faults that no parser reports. Never raises."""
    text = text.removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        return build_faulty_document(source, "is empty")
    try:
        return parse(text, source)
    except RecursionError:
        return build_faulty_document(source, "is nested too deep")
    except ValueError:
        # What remains after the parsers' own errors: Python's limit for the digits of a number.
        most, numbers = sys.get_int_max_str_digits(), re.finditer("[0-9][0-9_]*", text)
        at = next((each.start() for each in numbers if len(each[0].replace("_", "")) > most), None)
        line = None if at is None else text.count("\n", 0, at) + 1
        return build_faulty_document(source, "holds a number of too many digits", line)


def build_faulty_document(
    source: str, message: str, line: int | None = None, column: int | None = None
) -> FactsDocument:
    """Build a document that cannot be parsed."""
    return FactsDocument(source, None, (Diagnostic(source, message, line, column),))


def describe_wrong_list(table: str, given: object) -> str:
    """Say what stands in the place of a list of tables; blank where there is one."""
    if isinstance(given, Mapping):
        how = f"write [[{table}]] in TOML, a list of objects in JSON"
        return f"{table}: one table is given where a list of tables is expected; {how}"
    if isinstance(given, list | tuple):
        return ""
    return f"{table}: {quote_value(given)} is given where a list of tables is expected"


def render_table_label(table: str, position: int | None, given: object) -> str:
    """Render the name of the table at ``position``, counted from 1: ``queue 2 'ORDERS.IN'``. See NUMBERED_FROM_0."""
    name = given.get("name", given.get("id")) if isinstance(given, dict) else None
    number = [] if position is None else [str(position - (table in NUMBERED_FROM_0))]
    words = [table, *number, *([quote_value(name)] if isinstance(name, str) else [])]
    return " ".join(words)
