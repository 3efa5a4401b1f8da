"""Facts documents in JSON: the parser of the standard library with every fault told, and where keys stand."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NoReturn

from mqclause.model.diagnostic import Diagnostic, quoted
from mqclause.model.readers.facts_document import (
    LONGEST_PATH,
    DocumentPath,
    DocumentPlaces,
    FactsDocument,
    TextPlace,
    faulty,
    labelled,
    parsed,
)
from mqclause.model.readers.facts_file import FACTS_TITLE
from mqclause.model.readers.format import Confidence, Format
from mqclause.model.readers.toml_facts import ANY_TABLE_HEADER

LONGEST_KEY = 200
"""A longer key is shown cut."""

JSON_OPENING = re.compile(r"\s*[{[]")
SURE_OPENING = re.compile(r"\s*[{[](?:\s*[{[])*\s*[\"}\]]")
"""How JSON begins, and nothing else: a prompt and a template begin with a bracket or a brace, too."""

BETWEEN_VALUES = re.compile(r"[\s,\x1e]*")

# A JSON string, or a word that Python's parser takes for a number although JSON has no such.
STRING_OR_CONSTANT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|-?Infinity|NaN', re.DOTALL)

JSON_SIGN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]:,\n]')
"""A string, a sign of JSON's, or the end of a line; numbers and words are passed over."""


class Repeating(dict[str, Any]):
    """A JSON object in which the keys ``repeated`` stand more than once."""

    repeated: tuple[str, ...] = ()


class _ConstantError(ValueError):
    """NaN or Infinity in JSON."""


def _recognised(text: str, _: str) -> Confidence:
    """By its first signs, or because it parses; not where these begin a table of TOML."""
    if not JSON_OPENING.match(text) or ANY_TABLE_HEADER.match(text):
        return Confidence.NO
    return Confidence.sure_if(SURE_OPENING.match(text) or json_values(text))


def json_values(text: str) -> list[tuple[Any, int]]:
    """The values that stand in ``text`` one after the other, each with its first line; none if it is no JSON."""
    found, at, line = list[tuple[Any, int]](), 0, 1
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    begun = BETWEEN_VALUES.match(text)
    end = begun.end() if begun else 0
    try:
        while end < len(text):
            line += text.count("\n", at, end)
            at = end
            value, end = decoder.raw_decode(text, at)
            found.append((value, line))
            gap = BETWEEN_VALUES.match(text, end)
            end = gap.end() if gap else end
    except (ValueError, RecursionError):
        return []
    return found


def parse_json(text: str, source: str) -> FactsDocument:
    """The document that ``text`` spells. Never raises; what is wrong with the text stands in its diagnostics."""
    return parsed(text, source, _parse)


def _parse(text: str, source: str) -> FactsDocument:
    repeating: list[Repeating] = []
    try:
        data = json.loads(text, object_pairs_hook=partial(_object, repeating), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        return faulty(source, f"is not JSON: {error.msg}", error.lineno, error.colno)
    except _ConstantError:
        return FactsDocument(source, None, (_constant_fault(text, source),))
    places = DocumentPlaces(text, json_places)
    told = _repeated(data) if repeating else ()
    faults = tuple(Diagnostic(source, message, *places.nearest(*path)) for path, message in told)
    return FactsDocument(source, data, faults, places)


def _object(found: list[Repeating], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    repeating = Repeating(made)
    times = Counter(key for key, _ in pairs)
    repeating.repeated = tuple(key for key in made if times[key] > 1)
    found.append(repeating)
    return repeating


def _refuse_constant(word: str) -> NoReturn:
    raise _ConstantError(word)


def _constant_fault(text: str, source: str) -> Diagnostic:
    """Where NaN or Infinity stands: the parser does not say."""
    found = next(match for match in STRING_OR_CONSTANT.finditer(text) if not match[0].startswith('"'))
    line = text.count("\n", 0, found.start()) + 1
    column = found.start() - text.rfind("\n", 0, found.start())
    return Diagnostic(source, f"is not JSON: {found[0]} is no number of JSON", line, column)


def _repeated(data: object) -> Iterator[tuple[DocumentPath, str]]:
    """Where a key stands that stands more than once in its object, and a message."""
    waiting: list[tuple[DocumentPath, str, object]] = [((), "", data)]
    while waiting:
        path, label, value = waiting.pop()
        if isinstance(value, Repeating):
            for key in value.repeated:
                yield (*path, key), f"{label}key {quoted(key)} is given more than once"
        if isinstance(value, dict):
            waiting += [child for key in reversed(value) for child in _children(path, label, key, value[key])]


def _children(path: DocumentPath, label: str, key: str, value: object) -> list[tuple[DocumentPath, str, object]]:
    shown = key if key.isidentifier() and len(key) < LONGEST_KEY else quoted(key)
    if isinstance(value, list):
        rows = [((*path, key, at - 1), f"{label}{labelled(shown, at, row)}: ", row) for at, row in enumerate(value, 1)]
        return rows[::-1]
    return [((*path, key), f"{label}{labelled(shown, None, value)}: ", value)]


def json_places(text: str) -> Mapping[DocumentPath, TextPlace]:
    """Where each object and key of ``text``, which must be JSON, begins."""
    found: dict[DocumentPath, TextPlace] = {}
    inside: list[str | int] = []
    string, key, line, begun = "", (1, 1), 1, 0
    for match in JSON_SIGN.finditer(text):
        sign = match[0]
        if sign == "\n":
            line, begun = line + 1, match.end()
        elif sign[0] == '"':
            string, key = sign, (line, match.start() - begun + 1)
        elif sign == ":":
            inside[-1] = json.loads(string)
            _note(found, inside, key)
        elif sign == ",":
            inside[-1] = inside[-1] + 1 if isinstance(inside[-1], int) else ""
        elif sign in "{[":
            _note(found, inside, (line, match.start() - begun + 1))
            inside.append("" if sign == "{" else 0)
        else:
            inside.pop()
    return found


def _note(found: dict[DocumentPath, TextPlace], inside: list[str | int], place: TextPlace) -> None:
    if len(inside) <= LONGEST_PATH:
        found.setdefault(tuple(inside), place)


JSON = Format("JSON", FACTS_TITLE, _recognised, parse_json)
