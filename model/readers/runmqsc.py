"""Read the output of runmqsc: sessions, messages, and the attributes displayed below them.

A script may show or name output in its comments and texts, which makes it no log: a sign counts where neither a comment
nor a command of a script stands around it, nor the end of one above it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from attrs import Factory, define, evolve, field

from mqclause.model.diagnostics import Diagnostic, Diagnostics, is_secret
from mqclause.model.patterns import compile_later
from mqclause.model.readers.formats import BYTE_ORDER_MARK, Confidence, Format
from mqclause.model.readers.mqsc import COMMAND_REFUSED, NOT_AUTHORIZED, OWNER, read_embedded
from mqclause.model.readers.records import (
    BEGINS_COMMAND,
    ENDS,
    EVERY_NOUN,
    NAME_VALUED,
    TEXT_ATTRIBUTES,
    AttributeShapes,
    Inquiry,
    LinePlace,
    Record,
    Script,
    TextCache,
    Value,
    describe_unknown,
    expand_synonyms,
)

STRAY = "another program's output stands in this line; what was displayed around it is read as far as it goes"
HEADLESS = "the message above this object is missing: lines before it may be missing, too"
RUN_TOGETHER = "{} stands twice in one object: lines between two objects are missing; neither is read"
UNTOLD = "a line is missing that tells what this object is or what it is called; it is not read"
UNKNOWN_KIND = "what begins with {} is of no kind that is known: passed by"
OWNERLESS = (
    "a session of another queue manager begins here, and nothing tells which; allowed: its log alone, as QMGR=FILE"
)
NOTHING_ANSWERED = "nothing is shown here: no command was carried out"
ENDS_WITHIN = "the log ends within this object: the last of it may be missing"
UNSHOWN = "no attribute that runmqsc displays stands here; the object is not read"

STARTING_LINE = r"(?<![A-Za-z0-9._/%]){}(?![A-Za-z0-9_/%])"
"""A queue manager's name in the line with which its session begins."""

HEAD = r"[ \t]*+(?:AMQ(\d{4})([A-Z]?+):|CSQ[A-Z0-9]\d{3}([A-Z])\b)"
"""A message of runmqsc, with its number and letter; or one of z/OS, with its letter."""

WORD = r"[A-Z][A-Z0-9]*+"
MESSAGE = compile_later(HEAD, re.ASCII)
ECHO = compile_later(r"((?:[ \t]+|(?=\d+[ \t]+: ))(\d*)[ \t]*: ?)(.*)", re.ASCII | re.DOTALL)
FURTHER_ECHO = compile_later(r"([ \t]*+(): ?)(.*)", re.ASCII | re.DOTALL)
"""A further line of a command that is echoed, in a log without its indentation, too."""

BANNER = compile_later(r"[ \t]*5724-\w+ \(C\)", re.ASCII)
"""The line above the one that says for which queue manager MQSC starts, which is translated."""

SESSION = compile_later(r"[ \t]*Starting MQSC for queue manager (\S+?)\.?$")
ATTRIBUTE = compile_later(rf"\s*{WORD}(?:\(|\s|$)", re.ASCII)
OTHER_WORD = compile_later(rf"(?:{WORD}\s+)*(?!{WORD}(?:[(\s]|$))\S", re.ASCII)
"""How a line goes on that no attribute stands on, although its first word is written like one."""

END_OF_OBJECT = compile_later(r"\s*END [A-Z]")
FIRST_WORDS = "QMNAME|QUEUE|CLUSQMGR|CHANNEL|NAMELIST|PROCESS|CHSTATUS|QSTATUS"
ON_THE_MESSAGE = compile_later(rf"\b(?:{FIRST_WORDS})\(")
"""The attribute that an object begins with, where it stands behind its message on the same line."""

AFTER_BLANK = rf"[ \t]++{WORD}(?:\(|[ \t\r]*+(?:\n|$)|[ \t]++{WORD}(?:\(|[ \t\r]*+(?:\n|$)))"
GOES_ON_AFTER_BLANK = compile_later(AFTER_BLANK, re.ASCII)
"""A line that goes on with an object although the one above it is blank: all lines of a log may have one below."""

UNINDENTED = compile_later(rf"{WORD}\(", re.ASCII)
"""The same line in a log that has lost its indentation; it has a value, to be told from what others write."""

REST_OF_WORD = compile_later(rf"[A-Z0-9]*+(?:\(|$|\s++{WORD}(?:\(|$))", re.ASCII)
"""How a line begins that goes on where a terminal's width has cut an attribute's name."""

FIRST_WORD = compile_later(rf"[ \t]*+(?:{FIRST_WORDS})\(")
"""The beginning of the first line of an object."""

STRAY_MESSAGE = compile_later(r"(?:\S*[A-Z]AMQ\d{4}[A-Z]?:|(?!DISPLAY )\S*[A-Z]PLAY +\w+\()")
"""A message or a command with other output before it: two programs wrote into one log."""

CONTINUED = compile_later(r"[\s)][+-]$")
"""The end of a line of a script."""

VALUE = rf"\([^()\n]*+(?:\([^()\n]*+\)(?:(?!  {WORD}\()[^()\n])*+)*+\)"
"""A value in which no other attribute seems to stand behind a parenthesis that is closed."""

NO_ATTRIBUTE = r"[ \t]*+(?:END [A-Z]|CSQ[A-Z0-9]\d{3}[A-Z]\b)"
SIMPLE_LINE = rf"(?!{NO_ATTRIBUTE})[ \t]*+(?:{WORD}(?:{VALUE}(?=[ \t\r\n]))?+[ \t\r]*+)++\n"
SIMPLE_OBJECT = compile_later(
    rf"{HEAD}[^\n(]*+\n((?:{SIMPLE_LINE})++)"
    rf"(?=[ \t]*+(?:AMQ\d|\d++ *:)|{NO_ATTRIBUTE}|(?:[ \t]*+\r?\n)++(?!{AFTER_BLANK}|{WORD}\()[ \t]*+[^ \t\r\n])",
    re.ASCII,
)
"""A message with the attributes below it, none of which goes on on the next line; what stands behind is none."""

NEW_PAGE = "\f"
WRAPPED = 72
"""A line that is cut by the width of a terminal is longer."""

REFUSED = frozenset(["8101", "8118", "8135", "8147", "8150", "8226", "8227", "8229", "8242", "8405", "8426", "8427"])
"""The messages of old releases, which have no letter, that say that a command was not carried out."""

NOT_THERE = "8147"
"""The message that says that there is no such object: it answers what a command asks."""

BY_NAME = {
    "QMNAME": "QMGR", "PROCESS": "PROCESS", "NAMELIST": "NAMELIST", "CLUSQMGR": "CLUSQMGR", "CHSTATUS": "CHSTATUS",
    "QSTATUS": "QSTATUS",
}  # fmt: skip
"""The kinds of objects whose first attribute alone tells them. A status has its kind for that on z/OS alone."""

QUEUES = ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL", "QCLUSTER")
STATUS_WORDS = ("STATUS", "CURRENT", "SAVED", "SHORT")

WITHIN = {"QUEUE": {"CLUSQMGR", "CHANNEL", "PROCESS"}, "CLUSQMGR": {"CHANNEL"}}
"""The attributes with which some objects begin and that others have too, by the attribute that those begin with."""

BEGINNINGS = frozenset({"QUEUE", "CLUSQMGR", "CHANNEL", "PROCESS", "NAMELIST", "CHSTATUS", "QSTATUS"})
PASSED_BY = EVERY_NOUN | {
    "APPLNAME", "APPLTAG", "CHLAUTH", "CONNAME", "ENTITY", "EXTCONN", "INSTANCE", "NAME", "OBJNAME", "PROFILE", "QMID",
    "QMNAME", "QMURID", "QSGNAME", "SERVCOMP", "SUBID", "SUBNAME", "URDISP",
}  # fmt: skip
"""The attributes with which objects begin that no decision rests on, beside the kinds of objects."""

READ_BELOW = frozenset({"8407", "8408", "8409", "8414", "8417", "8441", "8450", "8550"})
"""The messages below which an object is displayed that is read."""

NAME = r"[A-Za-z0-9._/%]{1,48}"
TYPED = compile_later(
    rf"(?:^|[\s;|&(/>$#%\\\"'`])runmqsc(?:\.exe)?(?:\s+-(?:[ufwmr]\s*\S+|[a-z]+))*\s+({NAME})(?=[\s;|&<>)\"'`]|$)",
    re.ASCII,
)
"""runmqsc with its options, as it is called in a shell, and the queue manager that it is called for."""

LATIN = "A-Za-z0-9\u00c0-\u024f"
OWNER_WORD = compile_later(rf"(?<![{LATIN}])[A-Za-z0-9._/%]+(?![{LATIN}])")
OTHER_SCRIPT = compile_later("[\u0370-\uffff]")
"""A letter of a language that is not written in Latin ones, in which a queue manager's name is."""

BEHIND_MANAGER = compile_later(
    "(?:[Mm]anager|[Gg]estionnaire de files d.attente|[Gg]estor de colas|[Gg]estore (?:di )?code"
    f"|[Gg]erenciador de [Ff]ilas)\\s+({NAME})(?![{LATIN}])"
)
LIKE_A_NAME = compile_later(r"[A-Z0-9._/%]+|\S*[0-9._/%]\S*")
"""A word as names of queue managers are, and other words are not."""

TIME = compile_later(r"^\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\s", re.ASCII)
"""What container and system logs put before each line."""

JOB = r"(?:STC|JOB|TSU|[STJ])\d{5,7}"
JOB_LOG = compile_later(rf"[ ]?\d\d\.\d\d\.\d\d {JOB} {{1,2}}[-*@+&]?", re.ASCII)
SYSLOG = compile_later(
    r"[NMOX][RIC ]? ?[0-9A-F]{7} \S{1,8} +\d{5,7} \d\d:\d\d:\d\d\.\d\d \S{0,8} +[0-9A-F]{8} {1,2}[-*@+&]?", re.ASCII
)
"""What z/OS puts before the first line of a message, in the log of a job and in that of the system."""

NUMBERED = compile_later(r" (\d{3})$", re.ASCII)
"""The number at the end of a message of z/OS that has further lines, which begin with it."""

FURTHER = r"(?:[DELS][RIC ]? *|[ ]*)(?<!\d){} (?:[0-9A-F]{{8}} ?)?"

FIRST_SIGN = compile_later(
    r"AMQ\d{4}[A-Z]?: |CSQ[A-Z0-9]\d{3}[A-Z] |5724-\w+ \(C\)|Starting MQSC for queue manager |[ \t]+\d+ : [A-Za-z]+ ",
    re.ASCII,
)
"""How lines begin that tell runmqsc's output: what stands before the first of them is put there by the log."""

NO_WORD = compile_later(r"[^A-Za-z0-9.]$")
"""How a prefix ends; another program's output may end in anything."""

QUOTES = "\"'"
QUOTED_END = compile_later(r"[\"'],?$")

SIGN, BEFORE_IT = "MQSC ", "Starting "
BEGIN_OR_END = compile_later(r"MQSC (?:(for queue manager)|commands? read)")
NUMBER_BEFORE = compile_later(r"(\d+|One|No) $")
WORDS = {"No": 0, "One": 1}
LONGEST_COUNT = 12

ENDS_EARLY = "the log ends with this object, which shows fewer attributes than those above it: the log may be cut"
UNENDED = "this session does not say how many commands it read: the log may be cut"
FEWER = "says that {} MQSC commands were read, and {} of them are in the log: it may be cut"

FARTHEST, FARTHEST_IN_SYSLOG = 40, 80
"""So many characters may stand before a sign on its line: what logs put there, or the number of a command."""

MESSAGE_LINE = compile_later(r"AMQ\d{4}[A-Z]?: |5724-\w+ \(C\)|CSQ[A-Z0-9]\d{3}[A-Z] ", re.ASCII)
ECHO_LINE = compile_later(r"[ \t]+\d+ ?: [A-Za-z]+ ", re.ASCII)
SIGNS = ("AMQ", "5724-", "CSQ", ": ")
"""What is looked for first, as that takes less time."""

SCRIPT_TO_ITS_END = compile_later(
    rf"{BEGINS_COMMAND.pattern}[^\n]*\n(?:[^\n]*\n)*?[ \t]*(?:{'|'.join(sorted(ENDS))})[ \t]*;?[ \t]*\r?\n",
    re.IGNORECASE,
)
MOST_ABOVE = 400
"""So many lines above a sign are looked at, whether a command of a script goes on there."""

BEGIN_OF_TEXT = compile_later(r"(?:[ \t]*(?:\*[^\n]*)?\r?\n)*")

NESTED_TWICE = r"[^()]*+(?:\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)[^()]*+)*+"
NEXT = rf"(?=\s*+(?:{WORD}(?:[(\s]|$)|$))"

SIMPLE = compile_later(rf"(\n?)[ \t\r]*+({WORD})({VALUE})?+", re.ASCII)
"""An attribute of a simple object, at the beginning of a line if that is so."""

DISPLAYED = compile_later(rf"\s*+({WORD})(?:\(({NESTED_TWICE})\){NEXT}|(?=\s|$))", re.ASCII)
"""An attribute whose parentheses are balanced, or a word without a value."""

ENDS_VALUE = compile_later(rf"\)(?=\s+{WORD}(?:[(\s]|$)|\s*$)", re.ASCII)
UNBALANCED = compile_later(rf"\s*+({WORD})\((.*?){ENDS_VALUE.pattern}", re.ASCII | re.DOTALL)
"""An attribute whose value ends before the next attribute or at the end: values are not quoted or escaped."""

SHOWN_LINE = compile_later(rf"\s*+{WORD}\(", re.ASCII)
"""A line that begins with an attribute and its value."""

SECOND_COLUMN = 43
"""Where the second attribute of a line begins, if the first one leaves room for it: counted from 0."""

CELL = compile_later(rf"\s*({WORD})(?:\((.*)\))?\s*", re.ASCII | re.DOTALL)

WITH_PORT = compile_later(r" *SYSTEM\.TEMPQMGR\.[^\s()]*(?:\([^\s()]*\)?(?:,[^\s()]*)?)* *")
"""The name of a queue manager that its CLUSSDR has not reached yet: made of CONNAME, and no longer than a name."""

FOLLOWING = compile_later(rf"\)  +({WORD})\(")
INSIDE = compile_later(rf"({WORD})\s*\(", re.ASCII)


def read_runmqsc(text: str | Iterable[str], source: str) -> Script:
    """Read what was displayed, which may come in pieces of whole lines: each object as a record of *observe*.

    Commands that are echoed and that no message refuses are records as in a script. A session with another queue
    manager is one of the ``further`` scripts. Objects of kinds that no decision rests on are passed by; the values of
    passwords and keys are dropped. Never raises.
    """
    sessions, said = [_Session(source)], SessionLog(source)
    block: Block | None = None
    for block in _split_blocks(
        said.watch_pieces([text.removeprefix(BYTE_ORDER_MARK)] if isinstance(text, str) else text)
    ):
        if block.kind == "starts" and sessions[-1].is_of_another(block):
            sessions.append(_Session(source))
        elif block.kind == "command" and block.name and not _is_end(block.lines[0][1]):
            said.echoed.append(block.line)
        sessions[-1].take(block)
    if block and block.lines and said.is_cut_at(block.lines[-1][0]):
        sessions[-1].cut(ENDS_WITHIN, block.line)
    elif block and (block.lines or block.text) and said.is_open and sessions[-1].ends_within_object():
        sessions[-1].cut(ENDS_EARLY, sessions[-1].records[-1].line)
    _name(sessions)
    first, *others = scripts = [session.script() for session in sessions]
    # Of what is asked for there may be none, but of a queue manager: that is always there, to be shown.
    answered = any(each.records or any(one.kind != "QMGR" for one in each.asked) for each in scripts)
    if not answered and not any(session.shows for session in sessions):
        first = evolve(first, diagnostics=(*first.diagnostics, Diagnostic(source, NOTHING_ANSWERED)))
    return evolve(first, further=tuple(others), remarks=(*first.remarks, *said.remarks()))


@define
class Block:
    """Numbered lines, and what they are.

    *banner*: runmqsc begins; *starts*: a session begins, with the queue manager that ``name`` has, or that stands
    somewhere in ``said``; *command*: echoed, whose number ``name`` is; *object*: the attributes below the message of
    number ``name``; *stray*: a line that another program wrote into. ``refused`` if the message says that the command
    failed, ``headless`` if an object's message is missing. Of an object that is simple the attributes stand in
    ``text``, which begins on the next line.
    """

    kind: Literal["banner", "starts", "command", "object", "stray"]
    line: int
    name: str = ""
    refused: bool = False
    headless: bool = False
    lines: list[BlockLine] = field(factory=list)
    text: str = ""
    said: str = ""
    # Whether lines have blank ones between them: below the message (None: not known yet), and now.
    is_spaced: bool | None = None
    is_after_blank: bool = False

    @property
    def is_unindented(self) -> bool:
        """Whether the attributes stand at the beginning of their lines, or none is there yet."""
        return not self.lines or self.lines[-1][1][:1] not in (" ", "\t")


def _split_blocks(texts: Iterable[str]) -> Iterator[Block]:
    """Split a text, which comes in pieces of whole lines, into blocks. What is no attribute ends an object."""
    block: Block | None = None
    foreign, was_unindented = 0, False
    for number, found in _parts(texts):
        begun = found if isinstance(found, Block) else _begun(*found, number, block)
        if begun is None and not isinstance(found, Block):
            if block and _taken(*found, number, block):
                continue
            begun = _headless(*found, number)
            if begun is None and foreign and _is_left(found[0], was_unindented):
                begun = Block("stray", foreign)
            elif block and block.kind == "object" and found[0] and not END_OF_OBJECT.match(found[0]):
                foreign = 0 if CONTINUED.search(found[0]) else number
                was_unindented = bool(block.lines) and block.is_unindented
        if block and (begun or block.kind == "object"):
            yield block
            block = None
        foreign = 0 if begun else foreign
        block = begun or block
    if block:
        yield block


def detect_kind(shown: Mapping[str, Value]) -> str:
    """Detect the kind of what was displayed, told by its attributes, in any language; blank if it is passed by."""
    first = next(iter(shown), "")
    if first == "QUEUE":
        return _kind_of_queue(shown)
    if first == "CHANNEL":
        return "CHSTATUS" if any(word in shown for word in STATUS_WORDS) else "CHANNEL" if "CHLTYPE" in shown else ""
    if first == "QMNAME" and "STATUS" in shown:
        return ""  # of DISPLAY QMSTATUS, or of dspmq
    return BY_NAME.get(first, "")


def _is_next_object(word: str, first: str) -> bool:
    """Return whether the attribute ``word`` begins the next object, after one that began with ``first``."""
    if word == first:
        return True
    return word in BEGINNINGS and first in (*BEGINNINGS, "QMNAME") and word not in WITHIN.get(first, ())


@lru_cache(maxsize=1024)
def _is_partial_word(word: str) -> bool:
    """Return whether a word that stands alone is the beginning of an attribute's name."""
    return word not in TEXT_ATTRIBUTES and any(each.startswith(word) for each in TEXT_ATTRIBUTES)


def find_invoked_name(line: str) -> str:
    """Find the queue manager that runmqsc is called for in a shell; blank if the line does not call it for one."""
    typed = TYPED.search(line)
    return typed[1] if typed else ""


def _find_started_name(line: str) -> str:
    """Find the queue manager that runmqsc says it starts for, in any language; blank if no word is sure to be one."""
    known = BEHIND_MANAGER.search(line)
    if known:
        return known[1].rstrip(".")
    words = [word for each in OWNER_WORD.findall(line) if (word := each.strip(".")) not in ("", "MQSC")]
    found = words if OTHER_SCRIPT.search(line) else [each for each in words if LIKE_A_NAME.fullmatch(each)]
    return found[0] if len(found) == 1 else ""


@define
class LogPrefix:
    """Takes off each line what the log put there, as it did on the first line that tells runmqsc's output."""

    shape: re.Pattern[str] | None = None
    is_quoted: bool = False
    _is_looked_for: bool = True
    # Of the message of z/OS that a line belongs to: what its further lines begin with.
    _further: re.Pattern[str] | None = None
    _is_of_zos: bool = False

    def without(self, line: str) -> tuple[str, int]:
        """Return the line without its prefix, and how long that is."""
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


@define
class SessionLog:
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

    def watch_pieces(self, pieces: Iterable[str]) -> Iterator[str]:
        """Pass the pieces on and note what they say of sessions."""
        for text in pieces:
            self._look(text)
            if text:
                self.last = text[-1]
            yield text

    @property
    def is_open(self) -> bool:
        """Whether no line says of the last session how many commands it read."""
        return not self.ended or (bool(self.begun) and self.ended[-1][0] < self.begun[-1])

    def is_cut_at(self, line: int) -> bool:
        """Return whether the log ends within that line: in an attribute, or where more was to come."""
        is_more_to_come = self.last == ")" and bool(self.begun) and self.is_open
        return line == self._lines and (self.last not in ")\n" or is_more_to_come)

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
        """List what seems to be missing in the log."""
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


def has_output(text: str) -> bool:
    """Return whether runmqsc has written a line of ``text``."""
    lines = ScriptLines(text)
    return any(not lines.is_remark(begun, at) for begun, at in _signs(text))


@define
class ScriptLines:
    """A text that may be a script, and of the line that was looked at last whether a command goes on there."""

    text: str
    _known: dict[int, bool] = field(factory=dict)
    _end: int | None = None

    def is_remark(self, begun: int, at: int) -> bool:
        """Return whether the line from ``begun`` on is part of a script that shows or names what is at ``at``."""
        before = self.text[begun:at]
        if before.lstrip()[:1] == "*" or BEGINS_COMMAND.match(before) or _is_open_line(before):
            return True
        return self.is_continued(begun) or begun >= self.end()

    def is_continued(self, begun: int) -> bool:
        """Return whether a command that begins above goes on with the line from ``begun`` on."""
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
        """Find where a script ends that stands first in the text; what follows is not read."""
        if self._end is None:
            first = BEGIN_OF_TEXT.match(self.text)
            found = SCRIPT_TO_ITS_END.match(self.text, first.end() if first else 0)
            self._end = found.end() if found else len(self.text) + 1
        return self._end


class MissingAttributeError(Exception):
    """A line on which no attribute stands although an object's attributes go on there."""

    def __init__(self, line: int, column: int) -> None:
        self.line, self.column = line, column
        super().__init__(line)


def _recognised(text: str, _: str) -> Confidence:
    """By a numbered message, the line that runmqsc begins with, or an echoed command."""
    return Confidence.sure_if(has_output(text))


@define
class _Session:
    """What was done and displayed at one queue manager."""

    source: str
    owner: str = ""
    owner_line: int = 0
    # What it begins with, where that does not tell the owner in English, and on which line.
    said: str = ""
    said_line: int = 0
    records: list[Record] = field(factory=list)
    commands: list[Block] = field(factory=list)
    remarks: list[Diagnostic] = field(factory=list)
    asked: list[Inquiry] = field(factory=list)
    # Whether the last command has had no answer yet, and how many records there were before it.
    is_open: bool = False
    before_command: int = 0
    shows: bool = False
    # What objects begin with whose kind is not known.
    unknown: set[str] = field(factory=set)
    faults: Diagnostics = field(default=Factory(lambda self: Diagnostics(self.source), takes_self=True))
    alike: TextCache = field(factory=lambda: TextCache(AttributeShapes))
    places: TextCache = field(factory=lambda: TextCache(lambda places: places))

    def script(self) -> Script:
        if self.is_open:
            self.forget_asked(self.commands[-1])
        header = {OWNER: self.owner} if self.owner else {}
        lines = dict.fromkeys(header, self.owner_line)
        stated = _echoed(self.commands, self.source)
        faults = (*stated.diagnostics, *self.faults.found)
        records = (*stated.records, *self.records)
        asked = tuple(self.asked)
        return Script(self.source, self.owner, records, faults, header, lines, remarks=tuple(self.remarks), asked=asked)

    def is_of_another(self, starts: Block) -> bool:
        """Whether a session begins there with another queue manager."""
        if starts.name:
            return self.owner not in ("", starts.name)
        return bool(self.said or self.shows or self.commands) and self.said != starts.said

    def take(self, block: Block) -> None:
        if block.kind == "starts":
            self.said, self.said_line = block.said, block.line
            if block.name:
                self.own(block.name, block.line)
        elif block.kind == "command":
            self.commands.append(block)
            self.is_open, self.before_command = True, len(self.records)
            self.asked.extend(_asked_by(block))
        elif block.kind == "stray":
            self.faults.add(STRAY, block.line)
        elif block.refused:
            self.refuse(block)
        elif block.kind == "object":
            self.display(block)

    def refuse(self, message: Block) -> None:
        """The last command was not carried out, which several messages may say. NOT_THERE answers what it asks for."""
        if f"AMQ{message.name}" == NOT_AUTHORIZED:
            self.remarks.append(Diagnostic(self.source, COMMAND_REFUSED.format(NOT_AUTHORIZED), message.line))
        if self.is_open:
            refused, self.is_open = self.commands.pop(), False
            if message.name != NOT_THERE:
                self.forget_asked(refused)

    def ends_within_object(self) -> bool:
        """Whether the last object shows fewer attributes than another one of its kind that the last command shows."""
        shown = self.records[self.before_command :]
        return any(shown[-1].is_beginning_of(each) for each in shown[:-1])

    def cut(self, said: str, line: int | None) -> None:
        """Note that the log ends there: of what the last command asks for not all may be shown."""
        self.remarks.append(Diagnostic(self.source, said, line))
        if self.commands and not self.is_open:
            self.forget_asked(self.commands[-1])

    def forget_asked(self, command: Block) -> None:
        """What the last command asks for was not answered."""
        self.asked = self.asked[: len(self.asked) - len([*_asked_by(command)])]

    def display(self, block: Block) -> None:
        self.shows, self.is_open = self.shows or bool(block.lines or block.text), False
        try:
            shown = list(_simple(block.text, block.line + 1) if block.text else _in_lines(block.lines))
        except MissingAttributeError as fault:
            self.faults.add(UNSHOWN, fault.line, fault.column)
            return
        kind = detect_kind({word: value for word, value, _ in shown})
        if block.name in READ_BELOW and shown and not kind:
            self.faults.add(UNTOLD, block.line)
            return
        if shown and not kind:
            self.pass_by(shown[0])
        cut = [place for word, value, place in shown if not value and _is_partial_word(word)] if kind else []
        if cut:
            self.faults.add(UNSHOWN, *cut[0])
            return
        begun = self.observe(shown, 0, block.line, block.headless)
        while begun < len(shown):
            begun = self.observe(shown, begun, shown[begun][2][0], headless=True)

    def pass_by(self, first: ShownAttribute) -> None:
        """Say so where what is passed by is of no kind that is known: once for each attribute that it begins with."""
        word, _, (line, column) = first
        if word not in PASSED_BY and word not in self.unknown:
            self.unknown.add(word)
            self.remarks.append(Diagnostic(self.source, UNKNOWN_KIND.format(word), line, column))

    def observe(self, shown: list[ShownAttribute], begun: int, of: int, headless: bool) -> int:
        """Records the object whose attributes begin there, on line ``of``; where those of the next one begin."""
        values: dict[str, Value] = {}
        places = []
        end = mixed = len(shown)
        for at in range(begun, end):
            word, value, (line, column) = shown[at]
            if at > begun and _is_next_object(word, shown[begun][0]):
                end = at
                break
            if word in values:
                mixed = min(mixed, at)
            else:
                values[word] = _value(word, value)
                places.append((line - of, column))
        values = expand_synonyms(values)
        kind = detect_kind(values)
        if kind and mixed < end:
            self.faults.add(RUN_TOGETHER.format(shown[mixed][0]), *shown[mixed][2])
        elif kind:
            if headless:
                self.remarks.append(Diagnostic(self.source, HEADLESS, of))
            name = str(values.pop(shown[begun][0]))
            if kind == "QMGR" or (kind == "CLUSQMGR" and values.get("DEFTYPE") == "CLUSRCVR"):
                self.own(name, of + places[0][0])
            self.record(kind, "" if kind == "QMGR" else name, values, of, places[1:])
        return end

    def record(self, kind: str, name: str, values: Mapping[str, Value], line: int, places: list[LinePlace]) -> None:
        stated = self.alike[tuple(values)].values([*values.values()])
        shared = self.places[tuple(places)]
        self.records.append(Record("observe", kind, name, stated, source=self.source, line=line, places=shared))
        told = describe_unknown(kind, tuple(values), self.unknown)
        self.remarks += (Diagnostic(self.source, each, line) for each in told)

    def own(self, name: str, line: int) -> None:
        """Take the name of the queue manager that displays: it says so itself, or it owns a CLUSRCVR."""
        if not self.owner:
            self.owner, self.owner_line = name, line


def _name(sessions: Sequence[_Session]) -> None:
    """Sessions that begin in the same words tell by what is there in the place of a name that is known."""
    known = [each for each in sessions if each.said and each.owner]
    shapes = [STARTING_LINE.format(re.escape(each.owner)) for each in known]
    parts = [re.split(shape, each.said) for shape, each in zip(shapes, known, strict=True)]
    for session in sessions if len(sessions) > 1 else ():
        if session.said and not session.owner:
            for before, after in (each for each in parts if len(each) == 2):
                found = re.fullmatch(rf"{re.escape(before)}([A-Za-z0-9._/%]+?){re.escape(after)}", session.said)
                if found:
                    session.own(found[1], session.said_line)
        if session.said and not session.owner:
            session.faults.add(OWNERLESS, session.said_line)


def _asked_by(command: Block) -> Iterator[Inquiry]:
    """What a DISPLAY command asks for, also where there is none."""
    asks = Inquiry.of(" ".join(line.rstrip(" +-;") for _, line, _ in command.lines))
    if asks is not None:
        yield asks


def _echoed(commands: Sequence[Block], source: str) -> Script:
    """What the echoed commands state, on their lines and in their columns."""
    lines = [each for block in commands for each in block.lines]
    return read_embedded(((number, "" if _is_end(line) else line, before) for number, line, before in lines), source)


def _is_end(line: str) -> bool:
    return line.strip(" ;").upper() in ENDS


def _value(word: str, value: str) -> Value:
    if is_secret(word):
        return ""
    return tuple(part.strip() for part in value.split(",")) if word == "NAMES" and "," in value else value


def _taken(line: str, before: int, number: int, block: Block) -> bool:
    """Whether ``line`` is one of the block, which then has it; of an object a blank one is passed over."""
    if not line and block.kind == "object" and not block.refused:
        block.is_spaced = not block.lines if block.is_spaced is None else block.is_spaced
        block.is_after_blank = True
        return True
    if not _belongs(line, block):
        return False
    block.is_after_blank = False
    echo = FURTHER_ECHO.match(line) if block.kind == "command" else None
    block.lines.append((number, echo[3], before + echo.end(1)) if echo else (number, line, before))
    return True


def _is_left(line: str, is_unindented: bool) -> bool:
    """Whether ``line`` has attributes of an object that has ended: no lines of a script, and of no other object."""
    if line[:1] not in (" ", "\t") and FIRST_WORD.match(line):
        return False
    return _is_further(line, is_unindented) and "(" in line and not CONTINUED.search(line)


def _is_further(line: str, is_unindented: bool) -> bool:
    """Whether ``line`` has attributes although those above it end with another line."""
    return bool(GOES_ON_AFTER_BLANK.match(line) or (is_unindented and UNINDENTED.match(line)))


def _parts(texts: Iterable[str]) -> Iterator[tuple[int, Block | tuple[str, int]]]:
    """The number of each line, and the line without what stands before it, which is so long; simple objects as one."""
    number, prefix = 1, LogPrefix()
    for text in texts:
        position = 0
        while position < len(text):
            simple = SIMPLE_OBJECT.match(text, position)
            if simple:
                yield number, Block("object", number, simple[1] or "", _refuses(simple), text=simple[4])
                number += text.count("\n", position, simple.end())
                position = simple.end()
            else:
                end = text.find("\n", position)
                end = len(text) if end < 0 else end
                line = text[position:end].rstrip()
                yield number, prefix.without(" " + line[1:] if line[:1] == NEW_PAGE else line)
                position, number = end + 1, number + 1


def _refuses(message: re.Match[str]) -> bool:
    return message[1] in REFUSED or (message[2] or message[3]) in ("E", "S")


def _begun(line: str, before: int, number: int, block: Block | None) -> Block | None:
    """The block that begins with ``line``, if one does."""
    message = MESSAGE.match(line)
    if message:
        first = ON_THE_MESSAGE.search(line, message.end())
        lines = [(number, line[first.start() :], before + first.start())] if first else []
        return Block("object", number, message[1] or "", _refuses(message), lines=lines)
    starting = SESSION.match(line)
    if starting:
        return Block("starts", number, starting[1])
    if BANNER.match(line):
        return Block("banner", number)
    if block and block.kind == "banner" and "MQSC" in line:
        return Block("starts", number, _find_started_name(line), said=line.strip())
    echo = ECHO.match(line)
    if echo and (echo[2] or block is None or block.kind != "command"):
        return Block("command", number, echo[2], lines=[(number, echo[3], before + echo.end(1))])
    if STRAY_MESSAGE.match(line):
        return Block("stray", number)
    typed = find_invoked_name(line) if "runmqsc" in line and _is_typed(line) else ""
    return Block("starts", number, typed) if typed else None


def _is_typed(line: str) -> bool:
    """Whether a line can be what was typed for a shell: no echo, no comment, and no attribute of an object."""
    return not (FURTHER_ECHO.match(line) or ATTRIBUTE.match(line) or line.lstrip()[0] == "*")


def _headless(line: str, before: int, number: int) -> Block | None:
    """The object that begins with ``line`` although no message stands above it, if one does."""
    indented = line[:1] in (" ", "\t") and FIRST_WORD.match(line)
    return Block("object", number, headless=True, lines=[(number, line, before)]) if indented else None


def _belongs(line: str, block: Block) -> bool:
    if block.kind == "command":
        return bool(FURTHER_ECHO.match(line))
    if block.kind != "object" or not line or END_OF_OBJECT.match(line):
        return False
    if block.is_after_blank:
        return _is_further(line, block.is_unindented) and bool(block.is_spaced or not FIRST_WORD.match(line))
    if ATTRIBUTE.match(line):
        return not _is_footer(line, block)
    return bool(block.lines and _goes_on(line, block))


def _is_footer(line: str, block: Block) -> bool:
    """Whether a line is what runmqsc ends with, in a language in which that begins with MQSC, or a remark like it."""
    if not block.lines or line[0] in " \t":
        return False
    if not OTHER_WORD.match(line) and (block.is_unindented or "(" in line):
        return False
    _, last, before = block.lines[-1]
    return last.count("(") <= last.count(")") and before + len(last) < WRAPPED


def _goes_on(line: str, block: Block) -> bool:
    """Whether the value at the end of the last line goes on: indented, or cut where a terminal's line ends."""
    _, last, before = block.lines[-1]
    if line[0] not in " \t":
        return before + len(last) >= WRAPPED and bool(
            _is_open(last) or (re.search(rf"[ )]{WORD}$", last) and REST_OF_WORD.match(line))
        )
    return _is_open(last)


def _is_open(line: str) -> bool:
    return line.count("(") > line.count(")") or not ATTRIBUTE.match(line)


def _kind_of_queue(shown: Mapping[str, Value]) -> str:
    told = str(shown.get("TYPE", "")) or ("QCLUSTER" if "CLUSQMGR" in shown else "QLOCAL")
    if told in ("QUEUE", "HANDLE"):
        return "QSTATUS"
    return told if told in QUEUES else ""


def _number(before: str) -> int | None:
    """The number that stands at the end of ``before``."""
    found = NUMBER_BEFORE.search(before)
    return None if found is None else WORDS[found[1]] if found[1] in WORDS else int(found[1])


def _between(lines: Sequence[int], after: int, before: int | None) -> int:
    """How many of the sorted ``lines`` stand there."""
    end = len(lines) if before is None else bisect_left(lines, before)
    return end - bisect_left(lines, after)


def _signs(text: str) -> Iterator[tuple[int, int]]:
    """Where a line begins that has a sign, and where the sign does."""
    for sign in SIGNS:
        at = text.find(sign)
        while at >= 0:
            begun = text.rfind("\n", max(0, at - FARTHEST_IN_SYSLOG - 1), at) + 1
            if begun or at <= FARTHEST_IN_SYSLOG:
                is_near = at - begun <= FARTHEST or SYSLOG.match(text, begun)
                if sign == ": " and ECHO_LINE.match(text, begun):
                    yield begun, begun
                elif is_near and MESSAGE_LINE.match(text, at):
                    yield begun, at
            at = text.find(sign, at + 1)


def _is_open_line(before: str) -> bool:
    """Whether a value or a quoted text is open; the quotes of a list stand first on their lines."""
    if before.strip() in QUOTES:
        return False
    return before.count("(") > before.count(")") or any(before.count(quote) % 2 for quote in QUOTES)


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
        goes_on = depth > 0 and (len(waiting) > 1 or (following and not ATTRIBUTE.match(following)))
        if goes_on or _is_cut(line, following):
            continue  # the value goes on: looked at again when it may be whole
        found, rest, tried = _attributes("".join(waiting), tried)
        yield from ((name, value, (number, before + column)) for name, value, column in found)
        waiting = [rest] if rest else []
        if waiting and before + len(line) < WRAPPED and SHOWN_LINE.match(following):
            raise MissingAttributeError(number, before + 1 + len(line) - len(rest.lstrip()))
    if waiting:
        found, rest, _ = _attributes("".join(waiting), tried)
        if rest:
            raise MissingAttributeError(number, before + 1 + len(waiting[0]) - len(waiting[0].lstrip()))
        yield from ((name, value, (number, before + column)) for name, value, column in found)


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
    return any(word in TEXT_ATTRIBUTES for word in FOLLOWING.findall(found[2] or "")) if found.lastindex == 2 else False


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


RUNMQSC = Format("runmqsc", "output of runmqsc", _recognised, read_runmqsc, in_pieces=True)

BlockLine = tuple[int, str, int]
"""The number of a line, what stands on it, and how many columns were taken off before that."""

ShownAttribute = tuple[str, str, tuple[int, int]]
"""The name of an attribute, its value, and its line and column."""
