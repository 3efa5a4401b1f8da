"""TOML to tables: the parser of the standard library, with a bound on what would cost it more than the text is long."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_PARTS = 100
"""So many parts may a key or the header of a table have: the parser takes the square of their number."""

_PART = r"""(?:[\w-]++|"(?:\\.|[^"\\\n])*+"|'[^'\n]*+')"""
_WORD = re.compile(
    r'''"""(?:\\.|[^"\\]|"{1,2}(?!"))*+"{3,5}|\'{3}(?:[^']|'{1,2}(?!'))*+'{3,5}|\#[^\n]*+'''
    rf"""|(?P<key>{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MOST_PARTS},}}+)"""
    rf"""|{_PART}|.""",
    re.DOTALL,
)
"""A string of several lines, a comment, a key of too many parts, one part of any other or a string, or a sign."""


def read_toml(text: str) -> dict[str, Any]:
    """The tables that a text spells.

    Raises TOMLDecodeError, RecursionError for tables or lists that are nested too deep, and ValueError for a number of
    too many digits.
    """
    if any(line.count(".") >= MOST_PARTS for line in text.split("\n")):
        _check_keys(text)
    return tomllib.loads(text)


def _check_keys(text: str) -> None:
    """Raises TOMLDecodeError for a key of too many parts."""
    for word in _WORD.finditer(text):
        if word["key"] is not None:
            start = word.start()
            line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
            said = f"a key has more than {MOST_PARTS} parts (at line {line}, column {column})"
            raise tomllib.TOMLDecodeError(said)
