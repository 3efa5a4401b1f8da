"""Split MQSC text into commands: comments, continued lines, terminators, line numbers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

from attrs import define, field

from mqclause.model.patterns import compile_later
from mqclause.model.readers.records import BEGINS_COMMAND, VERBS

BLANK_CHARACTERS = " \t\r\f\v"
CUT_VERB = compile_later(r"\s*([A-Za-z]+)[+-]$")
"""A line that has the beginning of a verb, which goes on with the next one."""

LAST_OF_MQSC, LAST_COLUMN = 72, 80
NUMBERED = compile_later(r"^([^\n]{72})\d{8}[ \t]*(\r?)$", re.MULTILINE | re.ASCII)
"""A line of 80 columns that z/OS reads 72 of: it has a number in the others."""

BLANK_LINES = compile_later(r"(?:[ \t\r\f\v]*+\n)++")


@define
class Command:
    """The text of one command with its continued lines joined.

    ``text`` is set when the command is complete; ``cut`` says that it is still continued where the input ends.
    ``remarks`` are the comments between its lines, with their line numbers. ``columns`` are those that were taken off
    before each of its lines.
    """

    text: str = ""
    cut: bool = False
    remarks: list[tuple[str, int]] = field(factory=list)
    lines: list[int] = field(factory=list)
    starts: list[int] = field(factory=list)
    columns: list[int] = field(factory=list)
    _pieces: list[str] = field(factory=list)
    _length: int = 0
    _sign: str = ""

    def add(self, line: str, number: int) -> bool:
        """Take one more line, without its trailing blanks; true if it is the command's last one."""
        piece = line if self._sign == "-" else line.lstrip(BLANK_CHARACTERS)
        before = len(line) - len(piece)
        sign = piece[-1]
        if sign == "+" or sign == "-":
            piece = piece[:-1]
        else:
            sign = ""
            if piece[-1] == ";":
                piece = _ended(piece)
        self._sign = sign
        self.lines.append(number)
        self.starts.append(self._length)
        self.columns.append(before)
        self._pieces.append(piece)
        self._length += len(piece)
        return not sign

    @property
    def has_line_number(self) -> bool:
        """Whether the last line ends in a number where one stands on z/OS."""
        before, piece = self.columns[-1], self._pieces[-1]
        return len(piece) + before == LAST_COLUMN and piece[LAST_OF_MQSC - before :].isdigit()

    def joined(self, cut: bool = False) -> Command:
        """Return this command, complete."""
        self.text = "".join(self._pieces)
        self.cut = cut
        return self

    def find_place(self, offset: int) -> tuple[int, int]:
        """Find the number of the line that holds ``text[offset]``, and the column in it."""
        at = max(bisect_right(self.starts, offset) - 1, 0)
        return self.lines[at], self.columns[at] + offset - self.starts[at] + 1


def _begins(line: str) -> bool:
    """Whether a line begins with a verb, or with the first letters of one that goes on with the next line."""
    cut = CUT_VERB.match(line)
    return bool(BEGINS_COMMAND.match(line)) or bool(cut and any(each.startswith(cut[1].upper()) for each in VERBS))


def strip_line_numbers(pieces: Iterator[str]) -> Iterator[str]:
    """Strip the numbers in columns 73 to 80, if every line of the first piece has one that is not blank."""
    first = next(pieces, "")
    begun = first.lstrip()
    end = begun.find("\n")
    if not NUMBERED.match(begun[: end if end >= 0 else len(begun)]) or not _is_numbered(first):
        yield first
        yield from pieces
        return
    yield NUMBERED.sub(r"\1\2", first)
    for piece in pieces:
        yield NUMBERED.sub(r"\1\2", piece)


def _is_numbered(text: str) -> bool:
    return sum(1 for line in text.split("\n") if line.strip()) == sum(1 for _ in NUMBERED.finditer(text))


def _ended(line: str) -> str:
    """A line without its terminator, which ends a command even where a sign would continue it."""
    return line.rstrip(";" + BLANK_CHARACTERS).removesuffix("+")


@define
class MqscLines:
    """A text that comes in pieces of whole lines, from ``position`` of one on: the beginning of the line ``number``."""

    pieces: Iterator[str]
    text: str = ""
    position: int = 0
    number: int = 1

    def has_more(self) -> bool:
        """Return whether any line is left; ``position`` is then in the piece that has it."""
        while self.position >= len(self.text):
            piece = next(self.pieces, None)
            if piece is None:
                return False
            self.text, self.position = piece, 0
        return True

    def skip(self, position: int, lines: int) -> None:
        """Skip to ``position`` in the text, which is a number of ``lines`` further on."""
        self.position, self.number = position, self.number + lines

    def command(self, remark: Callable[[str, int], None]) -> Command | None:
        """Return the command that begins on this line; None if none does. ``remark`` is told a comment.

        A command ends at the first line that is not continued, whatever quotes are open, so that one bad
        command costs no other.
        """
        command, is_loose = Command(), False
        while self.has_more():
            here = self.position
            line, number = self._line(), self.number - 1
            if is_loose and BEGINS_COMMAND.match(line):
                self.skip(here, -1)  # what begins no command has none go on with it
                return command.joined()
            if not line:
                self._skip_blank()
            elif line.lstrip(BLANK_CHARACTERS)[0] != "*":
                if command.add(line, number):
                    return command.joined()
                is_loose = is_loose or (len(command.lines) == 1 and not _begins(line))
            elif command.lines:
                command.remarks.append((line, number))
            else:
                remark(line, number)
            if not command.lines:
                return None
        return command.joined(cut=True)

    def _skip_blank(self) -> None:
        blank = BLANK_LINES.match(self.text, self.position)
        if blank:
            self.skip(blank.end(), blank[0].count("\n"))

    def _line(self) -> str:
        end = self.text.find("\n", self.position)
        end = len(self.text) if end < 0 else end
        line = self.text[self.position : end].rstrip(BLANK_CHARACTERS)
        self.skip(end + 1, 1)
        return line
