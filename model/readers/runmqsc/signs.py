"""By which lines runmqsc's output is told from other texts: a message, the line it begins with, an echoed command.

A script may show or name output in its comments and texts, which makes it no log: a sign counts where neither a comment
nor a command of a script stands around it, nor the end of one above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import define, field

from mqclause.model.readers.mqsc.words import BEGINS_COMMAND, ENDS
from mqclause.model.readers.runmqsc.prefix import SYSLOG

FARTHEST, FARTHEST_IN_SYSLOG = 40, 80
"""So many characters may stand before a sign on its line: what logs put there, or the number of a command."""

MESSAGE = re.compile(r"AMQ\d{4}[A-Z]?: |5724-\w+ \(C\)|CSQ[A-Z0-9]\d{3}[A-Z] ", re.ASCII)
ECHO = re.compile(r"[ \t]+\d+ ?: [A-Za-z]+ ", re.ASCII)
SIGNS = ("AMQ", "5724-", "CSQ", ": ")
"""What is looked for first, as that takes less time."""

SCRIPT_TO_ITS_END = re.compile(
    rf"{BEGINS_COMMAND.pattern}[^\n]*\n(?:[^\n]*\n)*?[ \t]*(?:{'|'.join(sorted(ENDS))})[ \t]*;?[ \t]*\r?\n",
    re.IGNORECASE,
)
QUOTES = "'\""
MOST_ABOVE = 400
"""So many lines above a sign are looked at, whether a command of a script goes on there."""


def shows_output(text: str) -> bool:
    """Whether runmqsc has written a line of ``text``."""
    lines = ScriptLines(text)
    return any(not lines.is_remark(begun, at) for begun, at in _signs(text))


def _signs(text: str) -> Iterator[tuple[int, int]]:
    """Where a line begins that has a sign, and where the sign does."""
    for sign in SIGNS:
        at = text.find(sign)
        while at >= 0:
            begun = text.rfind("\n", max(0, at - FARTHEST_IN_SYSLOG - 1), at) + 1
            if begun or at <= FARTHEST_IN_SYSLOG:
                is_near = at - begun <= FARTHEST or SYSLOG.match(text, begun)
                if sign == ": " and ECHO.match(text, begun):
                    yield begun, begun
                elif is_near and MESSAGE.match(text, at):
                    yield begun, at
            at = text.find(sign, at + 1)


@define
class ScriptLines:
    """A text that may be a script, and of the line that was looked at last whether a command goes on there."""

    text: str
    _known: dict[int, bool] = field(factory=dict)
    _end: int | None = None

    def is_remark(self, begun: int, at: int) -> bool:
        """Whether the line from ``begun`` on is part of a script, which shows or names there what stands at ``at``."""
        before = self.text[begun:at]
        if before.lstrip()[:1] == "*" or BEGINS_COMMAND.match(before) or _is_open(before):
            return True
        return self.goes_on(begun) or begun >= self.end()

    def goes_on(self, begun: int) -> bool:
        """Whether a command that begins above goes on with the line from ``begun`` on."""
        at, found = begun, False
        for _ in range(MOST_ABOVE):
            if not at or found:
                break
            above = self.text.rfind("\n", 0, at - 1) + 1
            line = self.text[above : at - 1].strip()
            at = above
            if line and line[0] != "*":
                if line[-1] not in "+-":
                    break
                found = self._known.get(above, False) or bool(BEGINS_COMMAND.match(line))
        self._known = {begun: found}
        return found

    def end(self) -> int:
        """Where a script has ended that stands first in the text, if one does; what follows is not read."""
        if self._end is None:
            first = BEGIN_OF_TEXT.match(self.text)
            found = SCRIPT_TO_ITS_END.match(self.text, first.end() if first else 0)
            self._end = found.end() if found else len(self.text) + 1
        return self._end


def _is_open(before: str) -> bool:
    """Whether a value or a quoted text is open; the quotes of a list stand first on their lines."""
    if before.strip() in QUOTES:
        return False
    return before.count("(") > before.count(")") or any(before.count(quote) % 2 for quote in QUOTES)


BEGIN_OF_TEXT = re.compile(r"(?:[ \t]*(?:\*[^\n]*)?\r?\n)*")
