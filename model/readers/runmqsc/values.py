"""The attributes of one displayed object: unquoted values in parentheses, and words without a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mqclause.model.diagnostic import is_secret
from mqclause.model.readers.mqsc.words import NAME_VALUED, TEXTUAL
from mqclause.model.readers.runmqsc.blocks import ATTRIBUTE, VALUE, WORD, WRAPPED, Block, BlockLine

NESTED_TWICE = r"[^()]*+(?:\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)[^()]*+)*+"
NEXT = rf"(?=\s*+(?:{WORD}(?:[(\s]|$)|$))"

SIMPLE = re.compile(rf"(\n?)[ \t\r]*+({WORD})({VALUE})?+", re.ASCII)
"""An attribute of a simple object, at the beginning of a line if that is so."""

DISPLAYED = re.compile(rf"\s*+({WORD})(?:\(({NESTED_TWICE})\){NEXT}|(?=\s|$))", re.ASCII)
"""An attribute whose parentheses are balanced, or a word without a value."""

ENDS_VALUE = re.compile(rf"\)(?=\s+{WORD}(?:[(\s]|$)|\s*$)", re.ASCII)
UNBALANCED = re.compile(rf"\s*+({WORD})\((.*?){ENDS_VALUE.pattern}", re.ASCII | re.DOTALL)
"""An attribute whose value ends before the next attribute or at the end: values are not quoted or escaped."""

SHOWN_LINE = re.compile(rf"\s*+{WORD}\(", re.ASCII)
"""A line that begins with an attribute and its value."""

SECOND_COLUMN = 43
"""Where the second attribute of a line begins, if the first one leaves room for it: counted from 0."""

CELL = re.compile(rf"\s*({WORD})(?:\((.*)\))?\s*", re.ASCII | re.DOTALL)

WITH_PORT = re.compile(r" *SYSTEM\.TEMPQMGR\.[^\s()]*(?:\([^\s()]*\)?(?:,[^\s()]*)?)* *")
"""The name of a queue manager that its CLUSSDR has not reached yet: made of CONNAME, and no longer than a name."""

FOLLOWING = re.compile(rf"\)  +({WORD})\(")
INSIDE = re.compile(rf"({WORD})\s*\(", re.ASCII)

ShownAttribute = tuple[str, str, tuple[int, int]]
"""The name of an attribute, its value, and its line and column."""


class UnshownError(Exception):
    """A line on which no attribute stands although an object's attributes go on there."""

    def __init__(self, line: int, column: int) -> None:
        self.line, self.column = line, column
        super().__init__(line)


def displayed(block: Block) -> Iterator[ShownAttribute]:
    """The attributes of a block; a value may go on on the next line.

    Raises UnshownError.
    """
    return _simple(block.text, block.line + 1) if block.text else _in_lines(block.lines)


def _simple(text: str, line: int) -> Iterator[ShownAttribute]:
    begun = 0
    for found in SIMPLE.finditer(text):
        newline, word, value = found.groups()
        if newline:
            line, begun = line + 1, found.end(1)
        if word:
            yield word, value[1:-1].strip(" ") if value else "", (line, found.start(2) - begun + 1)


def _in_lines(lines: Sequence[BlockLine]) -> Iterator[ShownAttribute]:
    waiting: list[str] = []
    number = before = depth = tried = 0
    for at, (of, line, cut) in enumerate(lines):
        if not waiting:
            number, before, depth = of, cut, 0
        depth += line.count("(") - line.count(")")
        waiting.append(line.strip() if waiting else line)
        following = lines[at + 1][1] if at + 1 < len(lines) else ""
        if (depth > 0 and (len(waiting) > 1 or not _begins(following))) or _is_cut(line, following):
            continue  # the value goes on: looked at again when it may be whole
        found, rest, tried = _attributes("".join(waiting), tried)
        yield from ((name, value, (number, before + column)) for name, value, column in found)
        waiting = [rest] if rest else []
        if waiting and before + len(line) < WRAPPED and SHOWN_LINE.match(following):
            raise UnshownError(number, before + 1 + len(line) - len(rest.lstrip()))
    if waiting:
        found, rest, _ = _attributes("".join(waiting), tried)
        if rest:
            raise UnshownError(number, before + 1 + len(waiting[0]) - len(waiting[0].lstrip()))
        yield from ((name, value, (number, before + column)) for name, value, column in found)


def _begins(line: str) -> bool:
    return not line or bool(ATTRIBUTE.match(line))


def _is_cut(line: str, following: str) -> bool:
    """Whether a line was cut where a terminal ends: the next one is not indented."""
    return len(line) >= WRAPPED and line[0] in " \t" and following[:1] not in ("", " ", "\t")


def _attributes(text: str, tried: int) -> tuple[list[tuple[str, str, int]], str, int]:
    """The attributes in ``text`` with their columns, and what is left because its value goes on.

    No parenthesis before ``tried`` ends a value that is unbalanced; last comes so much of what is left.
    """
    found, position, end = list[tuple[str, str, int]](), 0, len(text.rstrip())
    while position < end:
        next_one = DISPLAYED.match(text, position)
        if next_one is None or next_one.start(1) < SECOND_COLUMN < next_one.end():
            cells = _in_columns(text, position)
            if cells:
                return [*found, *map(_attribute, cells)], "", 0
            if next_one is None and ENDS_VALUE.search(text, max(position, tried)):
                next_one = UNBALANCED.match(text, position)
        if next_one is None or _may_be_two(next_one) or _is_no_name(next_one):
            return found, text[position:], 0 if next_one else len(text) - position
        found.append(_attribute(next_one))
        position = next_one.end()
    return found, "", 0


def _may_be_two(found: re.Match[str]) -> bool:
    """Whether another attribute seems to stand in a value, behind a parenthesis that is closed: it may be its own."""
    return any(word in TEXTUAL for word in FOLLOWING.findall(found[2] or "")) if found.lastindex == 2 else False


def _is_no_name(found: re.Match[str]) -> bool:
    """Whether a name has taken in what stands behind it: its own parenthesis is lost."""
    if found[1] not in NAME_VALUED or found.lastindex != 2:
        return False
    return ("(" in found[2] or ")" in found[2]) and not WITH_PORT.fullmatch(found[2])


def _attribute(found: re.Match[str]) -> tuple[str, str, int]:
    value = (found[2] or "").strip(" ") if found.lastindex == 2 else ""
    return found[1], "" if _may_hide(value) else value, found.start(1) + 1


def _may_hide(value: str) -> bool:
    """Whether a value that was put together of several lines has taken in an attribute that is a secret."""
    return "(" in value and any(is_secret(word) for word in INSIDE.findall(value))


def _in_columns(text: str, position: int) -> list[re.Match[str]]:
    """The attributes from ``position`` on by the two columns of a line; none if they do not stand in these."""
    if not (position < SECOND_COLUMN < len(text) and text[SECOND_COLUMN - 1] == " "):
        return []
    first = CELL.fullmatch(text, position, SECOND_COLUMN)
    cells = [first, CELL.fullmatch(text, SECOND_COLUMN)] if first else []
    found = [each for each in cells if each and not _may_be_two(each) and not _is_no_name(each)]
    return found if len(found) == len(cells) else []
