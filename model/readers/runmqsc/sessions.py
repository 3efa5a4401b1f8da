"""Where sessions of runmqsc begin and end in a log, and what they say of themselves: a log may be cut."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from attrs import define, field

from mqclause.model.diagnostic import Diagnostic

SIGN, BEFORE_IT = "MQSC ", "Starting "
BEGIN_OR_END = re.compile(r"MQSC (?:(for queue manager)|commands? read)")
NUMBER_BEFORE = re.compile(r"(\d+|One|No) $")
WORDS = {"No": 0, "One": 1}
LONGEST_COUNT = 12

UNENDED = "this session does not say how many commands it read: the log may be cut"
FEWER = "says that {} MQSC commands were read, and {} of them are in the log: it may be cut"


@define
class Sessions:
    """The sessions of one log, on the lines on which they begin and end.

    ``ended`` has with each line the number of the commands that the session says it read; None if that cannot be read.
    ``echoed`` are the lines of numbered commands, ``last`` is the last character of the log.
    """

    source: str
    begun: list[int] = field(factory=list)
    ended: list[tuple[int, int | None]] = field(factory=list)
    echoed: list[int] = field(factory=list)
    last: str = "\n"
    _lines: int = 1

    def watching(self, pieces: Iterable[str]) -> Iterator[str]:
        """The same pieces; what they say of sessions is noted."""
        for text in pieces:
            self._look(text)
            if text:
                self.last = text[-1]
            yield text

    def is_cut_at(self, line: int) -> bool:
        """Whether the log ends within that line: in an attribute, or where more was to come."""
        is_open = bool(self.begun) and (not self.ended or self.ended[-1][0] < self.begun[-1])
        return line == self._lines and (self.last not in ")\n" or (self.last == ")" and is_open))

    def _look(self, text: str) -> None:
        at, counted = text.find(SIGN), 0
        while at >= 0:
            found = BEGIN_OR_END.match(text, at)
            if found:
                self._lines += text.count("\n", counted, at)
                counted = at
                if found[1] and text.endswith(BEFORE_IT, 0, at):
                    self.begun.append(self._lines)
                elif not found[1]:
                    self.ended.append((self._lines, _number(text[max(0, at - LONGEST_COUNT) : at])))
            at = text.find(SIGN, at + len(SIGN))
        self._lines += text.count("\n", counted)

    def remarks(self) -> Iterator[Diagnostic]:
        """What seems to be missing."""
        ends = [line for line, _ in self.ended]
        for line, following in zip(self.begun, [*self.begun[1:], None], strict=True) if len(self.begun) > 1 else ():
            if ends and not _between(ends, line, following):
                yield Diagnostic(self.source, UNENDED, line)
        before = 0
        for line, count in self.ended:
            echoed = _between(self.echoed, before, line)
            if count and 0 < echoed < count:
                yield Diagnostic(self.source, FEWER.format(count, echoed), line)
            before = line


def _number(before: str) -> int | None:
    """The number that stands at the end of ``before``."""
    found = NUMBER_BEFORE.search(before)
    return None if found is None else WORDS[found[1]] if found[1] in WORDS else int(found[1])


def _between(lines: Sequence[int], after: int, before: int | None) -> int:
    """How many of the sorted ``lines`` stand there."""
    end = len(lines) if before is None else bisect_left(lines, before)
    return end - bisect_left(lines, after)
