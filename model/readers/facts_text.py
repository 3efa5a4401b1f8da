"""TOML and JSON text to the document that it spells: the parsers of the standard library, with every fault told."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any, Literal, NoReturn

from attrs import frozen

from mqclause.model.diagnostic import Diagnostic, quoted

Format = Literal["toml", "json"]

BYTE_ORDER_MARK = "\ufeff"

LONGEST = 200
"""How much of a parser's message or of a key is shown."""

TOML_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")

# A JSON string, or a word that Python's parser takes for a number although JSON has no such.
STRING_OR_CONSTANT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|-?Infinity|NaN', re.DOTALL)


@frozen
class Document:
    """A parsed text: ``data`` as tables, lists and values; None if it cannot be parsed, as ``diagnostics`` tells."""

    source: str
    data: Any = None
    diagnostics: tuple[Diagnostic, ...] = ()


class Repeating(dict[str, Any]):
    """A JSON object in which the keys ``repeated`` stand more than once."""

    repeated: tuple[str, ...] = ()


class _ConstantError(ValueError):
    """NaN or Infinity in JSON."""


def parse_document(text: str, source: str, format: Format) -> Document:  # noqa: A002 - the word a caller expects
    """The document that ``text`` spells. Never raises; what is wrong with the text stands in its diagnostics."""
    text = text.removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        return Document(source, None, (Diagnostic(source, "is empty"),))
    parse = _parse_toml if format == "toml" else _parse_json
    try:
        return parse(text, source)
    except RecursionError:
        return Document(source, None, (Diagnostic(source, "is nested too deep"),))
    except ValueError:
        # What remains after the parsers' own errors: Python's limit for the digits of a number.
        return Document(source, None, (Diagnostic(source, "holds a number of too many digits"),))


def is_toml(text: str) -> bool:
    """Whether ``text`` parses as TOML."""
    return not parse_document(text, "", "toml").diagnostics


def labelled(table: str, position: int | None, given: object) -> str:
    """How a message names a table: ``queue 2 'ORDERS.IN'``."""
    name = given.get("name") if isinstance(given, dict) else None
    words = [table, *([str(position)] if position else []), *([quoted(name)] if isinstance(name, str) else [])]
    return " ".join(words)


def _parse_toml(text: str, source: str) -> Document:
    try:
        return Document(source, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = TOML_PLACE.search(message)
        said = (message[: place.start()] if place else message)[:LONGEST]
        if place and place[1]:
            fault = Diagnostic(source, f"is not TOML: {said} at column {place[2]}", int(place[1]))
        else:
            fault = Diagnostic(source, f"is not TOML: {said} at the end", text.rstrip().count("\n") + 1)
        return Document(source, None, (fault,))


def _parse_json(text: str, source: str) -> Document:
    repeating: list[Repeating] = []
    try:
        data = json.loads(text, object_pairs_hook=partial(_object, repeating), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        fault = Diagnostic(source, f"is not JSON: {error.msg} at column {error.colno}", error.lineno)
        return Document(source, None, (fault,))
    except _ConstantError:
        return Document(source, None, (_constant_fault(text, source),))
    if not repeating:
        return Document(source, data)
    return Document(source, data, tuple(Diagnostic(source, message) for message in _repeated(data)))


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
    return Diagnostic(source, f"is not JSON: {found[0]} is no number of JSON, at column {column}", line)


def _repeated(data: object) -> Iterator[str]:
    """A message for each key that stands more than once in its object."""
    waiting: list[tuple[str, object]] = [("", data)]
    while waiting:
        label, value = waiting.pop()
        if isinstance(value, Repeating):
            for key in value.repeated:
                yield f"{label}key {quoted(key)} is given more than once"
        if isinstance(value, dict):
            waiting += [child for key in reversed(value) for child in _children(label, key, value[key])]


def _children(label: str, key: str, value: object) -> list[tuple[str, object]]:
    shown = key if key.isidentifier() and len(key) < LONGEST else quoted(key)
    if isinstance(value, list):
        rows = [(f"{label}{labelled(shown, at, row)}: ", row) for at, row in enumerate(value, 1)]
        return rows[::-1]
    return [(f"{label}{labelled(shown, None, value)}: ", value)]
