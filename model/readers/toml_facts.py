"""Facts documents in TOML: the parser of the standard library, and where tables and keys stand."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from attrs import define, field

from mqclause.model.readers.facts_document import (
    LONGEST_PATH,
    DocumentPath,
    DocumentPlaces,
    FactsDocument,
    TextPlace,
    faulty,
    parsed,
)
from mqclause.model.readers.facts_file import FACTS_TITLE, TABLES
from mqclause.model.readers.format import Confidence, Format
from mqclause.model.readers.mqsc.words import BEGINS_COMMAND
from mqclause.model.readers.toml_text import read_toml

LONGEST_TOLD = 200
"""How much of the parser's message is shown."""

TOML_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")

# A table header or a key on a line of its own: no line of MQSC starts like this.
TABLE_HEADER = re.compile(
    rf"^[ \t]*\[{{1,2}}[ \t]*(?:{'|'.join(TABLES)})[\w-]*[ \t]*\]{{1,2}}[ \t]*(?:#.*)?\r?$", re.MULTILINE
)
BEGINS_SCRIPT = re.compile(rf"\s*+(?:\*|{BEGINS_COMMAND.pattern})", re.IGNORECASE)
ANY_TABLE_HEADER = re.compile(r"\s*\[{1,2}[ \t]*[A-Za-z_][\w.-]*[ \t]*\]{1,2}[ \t]*(?:#.*)?(?:\r?\n|$)")
FIRST_LINE = re.compile(r"(?:[ \t]*+(?:#[^\n]*+)?\r?\n)*+[ \t]*+(?:$|\[|#|[^\n=]*=)")
"""How TOML begins: with a table, with a key and its value, or with nothing but comments."""

KEY_FIRST = re.compile(r"(?:\s*#.*\n)*\s*[\w.-]+[ \t]*=")

TOML_WORD = re.compile(
    r'''"""(?:\\.|[^"\\]|"{1,2}(?!"))*+"{3,5}|\'{3}(?:[^']|'{1,2}(?!'))*+'{3,5}'''
    r"""|"(?:\\.|[^"\\\n])*+"|'[^'\n]*+'|\#[^\n]*+|[\[\]{},=\n]|[A-Za-z0-9_-]++""",
    re.DOTALL,
)
"""A string, a comment, a sign, the end of a line or a bare word. Points between keys are passed over."""


def _recognised(text: str, name: str) -> Confidence:
    """By its name or a header of our tables, but for what begins as a script; perhaps, if it looks like other TOML."""
    if name.lower().endswith(".toml"):
        return Confidence.SURE
    if "[" in text and not BEGINS_SCRIPT.match(text) and TABLE_HEADER.search(text):
        return Confidence.SURE
    if ANY_TABLE_HEADER.match(text) or KEY_FIRST.match(text):
        return Confidence.LIKELY
    if FIRST_LINE.match(text) and not parse_toml(text, "").diagnostics:
        return Confidence.LIKELY
    return Confidence.NO


def parse_toml(text: str, source: str) -> FactsDocument:
    """The document that ``text`` spells. Never raises; what is wrong with the text stands in its diagnostics."""
    return parsed(text, source, _parse)


def _parse(text: str, source: str) -> FactsDocument:
    try:
        return FactsDocument(source, read_toml(text), places=DocumentPlaces(text, toml_places))
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = TOML_PLACE.search(message)
        said = (message[: place.start()] if place else message)[:LONGEST_TOLD]
        if place and place[1]:
            return faulty(source, f"is not TOML: {said}", int(place[1]), int(place[2]))
        return faulty(source, f"is not TOML: {said} at the end", text.rstrip().count("\n") + 1)


def toml_places(text: str) -> Mapping[DocumentPath, TextPlace]:
    """Where each table and key of ``text``, which must be TOML, begins."""
    scan = _Scan()
    line, begun, end = 1, 0, 0
    for word in TOML_WORD.finditer(text):
        ended = text.count("\n", end, word.start())
        if ended:
            line, begun = line + ended, text.rfind("\n", end, word.start()) + 1
        end = word.start()
        scan.take(word[0], (line, end - begun + 1))
    scan.take("\n", (line, 1))
    return scan.found


class _Open(NamedTuple):
    """A table, or a list at the ``position`` of one of its values, that the scan is inside of."""

    path: DocumentPath
    position: int | None = None


@define
class _Scan:
    """A walk over the words of a document. ``inside`` starts with the table of the last header.

    ``keys`` has the words so far of a key or a header, which began at ``begun``; ``header`` the brackets
    of a header. ``value`` is the path of the value that is being read; None where a key is expected.
    """

    found: dict[DocumentPath, TextPlace] = field(factory=dict)
    inside: list[_Open] = field(factory=lambda: [_Open(())])
    keys: list[str] = field(factory=list)
    begun: TextPlace = (0, 0)
    header: str = ""
    value: DocumentPath | None = None
    tables: Counter[DocumentPath] = field(factory=Counter)

    def take(self, word: str, place: TextPlace) -> None:
        """Go on by one word, which begins at ``place``."""
        if word == "\n":
            self._end_line()
        elif word[0] == "#":
            return
        elif self.value is not None:
            self._in_value(self.value, word, place)
        else:
            self._before_value(word, place)

    def _before_value(self, word: str, place: TextPlace) -> None:
        if not (self.keys or self.header):
            self.begun = place
        if word in "[]":
            self.header += word
        elif word == "=":
            self.value = (*self.inside[-1].path, *self.keys)
            self._note(self.value, self.begun)
            self.keys = []
        elif word == "}":
            self._close()
        elif word != ",":
            self.keys.append(_key(word))

    def _in_value(self, value: DocumentPath, word: str, place: TextPlace) -> None:
        path, position = self.inside[-1]
        if word == "[":
            self.inside.append(_Open(value, 0))
            self.value = (*value, 0)
        elif word == "{":
            self._note(value, place)
            self.inside.append(_Open(value))
            self.value = None
        elif word in "]}":
            self._close()
        elif word == "," and position is not None:
            self.inside[-1] = _Open(path, position + 1)
            self.value = (*path, position + 1)
        elif word == ",":
            self.value = None

    def _close(self) -> None:
        self.value = self.inside.pop().path

    def _end_line(self) -> None:
        if self.header:
            keys = self.keys[: LONGEST_PATH + 1]  # behind them no place is kept
            self.inside = [_Open(self._table(keys, self.header.startswith("[[")))]
            self._note(self.inside[0].path, self.begun)
            self.keys, self.header = [], ""
        if len(self.inside) == 1:
            self.value = None

    def _table(self, keys: Sequence[str], listed: bool) -> DocumentPath:
        """The path of the table whose header names ``keys``: the next one of its list, if it is ``listed``."""
        path: DocumentPath = ()
        for key in keys[:-1]:
            path = (*path, key)
            if path in self.tables:
                path = (*path, self.tables[path] - 1)
        path = (*path, *keys[-1:])
        if listed:
            self.tables[path] += 1
            return (*path, self.tables[path] - 1)
        return path

    def _note(self, path: DocumentPath, place: TextPlace) -> None:
        """Keep the place of a table or key, and of the tables that a dotted key is the first to name."""
        for length in range(1, min(len(path), LONGEST_PATH) + 1):
            self.found.setdefault(path[:length], place)


def _key(word: str) -> str:
    return str(tomllib.loads(f"key = {word}")["key"]) if word[0] in "\"'" else word


TOML = Format("TOML", FACTS_TITLE, _recognised, parse_toml)
