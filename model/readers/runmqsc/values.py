"""The attributes of one displayed object: unquoted values in parentheses, and words without a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

NESTED_TWICE = r"[^()]*+(?:\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)[^()]*+)*+"

DISPLAYED = re.compile(rf"\s*+([A-Z][A-Z0-9]*+)(?:\(({NESTED_TWICE})\)(?=\s|[A-Z]|$)|(?=\s|$))", re.ASCII)
"""An attribute whose parentheses are balanced, or a word without a value."""

UNBALANCED = re.compile(r"\s*+([A-Z][A-Z0-9]*+)\((.*?)\)(?=\s+[A-Z][A-Z0-9]*+\(|\s*$)", re.ASCII | re.DOTALL)
"""An attribute whose value ends before the next attribute or at the end: values are not quoted or escaped."""

ShownAttribute = tuple[str, str, int]
"""The name of an attribute, its value, and its line."""


class UnshownError(Exception):
    """A line on which no attribute stands although an object's attributes go on there."""

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(line)


def displayed(lines: Sequence[tuple[int, str]]) -> Iterator[ShownAttribute]:
    """The attributes on ``lines``, which have their numbers; a value may go on on the next ones.

    Raises UnshownError.
    """
    waiting: list[str] = []
    begun = depth = 0
    for number, line in lines:
        begun = begun if waiting else number
        depth = (depth if waiting else 0) + line.count("(") - line.count(")")
        waiting.append(line.strip())
        if len(waiting) > 1 and depth > 0:
            continue  # the value goes on: looked at again when it may be whole
        found, rest = _attributes("".join(waiting))
        yield from ((name, value, begun) for name, value in found)
        waiting = [rest] if rest else []
    if waiting:
        raise UnshownError(begun)


def _attributes(text: str) -> tuple[list[tuple[str, str]], str]:
    """The attributes in ``text``, and what is left because its value goes on."""
    found, position, end = list[tuple[str, str]](), 0, len(text.rstrip())
    while position < end:
        next_one = DISPLAYED.match(text, position) or UNBALANCED.match(text, position)
        if next_one is None:
            return found, text[position:]
        found.append((next_one[1], (next_one[2] or "").strip(" ") if next_one.lastindex == 2 else ""))
        position = next_one.end()
    return found, ""
