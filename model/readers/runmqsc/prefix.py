"""What a log puts before each line of runmqsc's output: a time, the name of a container, the quotes of a list."""

from __future__ import annotations

import re

from attrs import define

TIME = re.compile(r"^\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\s", re.ASCII)
"""What container and system logs put before each line."""

JOB = r"(?:STC|JOB|TSU|[STJ])\d{5,7}"
JOB_LOG = re.compile(rf"[ ]?\d\d\.\d\d\.\d\d {JOB} {{1,2}}[-*@+&]?", re.ASCII)
SYSLOG = re.compile(
    r"[NMOX][RIC ]? ?[0-9A-F]{7} \S{1,8} +\d{5,7} \d\d:\d\d:\d\d\.\d\d \S{0,8} +[0-9A-F]{8} {1,2}[-*@+&]?", re.ASCII
)
"""What z/OS puts before the first line of a message, in the log of a job and in that of the system."""

NUMBERED = re.compile(r" (\d{3})$", re.ASCII)
"""The number at the end of a message of z/OS that has further lines, which begin with it."""

FURTHER = r"(?:[DELS][RIC ]? *|[ ]*)(?<!\d){} (?:[0-9A-F]{{8}} ?)?"

FIRST_SIGN = re.compile(
    r"AMQ\d{4}[A-Z]?: |CSQ[A-Z0-9]\d{3}[A-Z] |5724-\w+ \(C\)|Starting MQSC for queue manager |[ \t]+\d+ : [A-Za-z]+ ",
    re.ASCII,
)
"""How lines begin that tell runmqsc's output: what stands before the first of them is put there by the log."""

NO_WORD = re.compile(r"[^A-Za-z0-9.]$")
"""How a prefix ends; another program's output may end in anything."""

QUOTES = "\"'"
QUOTED_END = re.compile(r"[\"'],?$")


@define
class Prefix:
    """Takes off each line what the log put there, as it did on the first line that tells runmqsc's output."""

    shape: re.Pattern[str] | None = None
    is_quoted: bool = False
    _is_looked_for: bool = True
    # Of the message of z/OS that a line belongs to: what its further lines begin with.
    _further: re.Pattern[str] | None = None
    _is_of_zos: bool = False

    def without(self, line: str) -> tuple[str, int]:
        """The line without its prefix, and how long that is."""
        if self._is_looked_for:
            self._look(line)
        if self._is_of_zos:
            return self._without_that_of_zos(line)
        found = self.shape.match(line) if self.shape else None
        found = found or (TIME.match(line) if line[:1].isdigit() else None)
        if found is None:
            return line, 0
        rest = line[found.end() :]
        return (QUOTED_END.sub("", rest) if self.is_quoted else rest), found.end()

    def _without_that_of_zos(self, line: str) -> tuple[str, int]:
        """The same in a log of z/OS, where the first line of a message tells what its others begin with."""
        found = JOB_LOG.match(line) or SYSLOG.match(line)
        if found:
            numbered = NUMBERED.search(line)
            self._further = re.compile(FURTHER.format(numbered[1])) if numbered else None
            end = numbered.start() if numbered else len(line)
            return line[found.end() : end].rstrip(), found.end()
        found = self._further.match(line) if self._further else None
        return (line[found.end() :], found.end()) if found else (line, 0)

    def _look(self, line: str) -> None:
        sign = FIRST_SIGN.search(line)
        if sign is None:
            return
        before = line[: sign.start()]
        if JOB_LOG.fullmatch(before) or SYSLOG.fullmatch(before):
            self._is_of_zos, self._is_looked_for = True, False
            return
        self._is_looked_for = bool(before.strip()) and not NO_WORD.search(before)
        if before.strip() and not self._is_looked_for:
            kept = before.rstrip()
            numbered = "".join(r"\d+" if part.isdigit() else re.escape(part) for part in re.split(r"(\d+)", kept))
            self.shape = re.compile(f"{numbered}(?:{re.escape(before[len(kept) :])}|$)", re.ASCII)
            self.is_quoted = kept[-1] in QUOTES
