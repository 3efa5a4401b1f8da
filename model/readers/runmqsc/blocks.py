"""runmqsc's output to blocks: commands that are echoed, and what stands below a message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from attrs import define, field

from mqclause.model.readers.runmqsc.owner import named_in, typed_name
from mqclause.model.readers.runmqsc.prefix import Prefix

HEAD = r"[ \t]*+(?:AMQ(\d{4})([A-Z]?+):|CSQ[A-Z0-9]\d{3}([A-Z])\b)"
"""A message of runmqsc, with its number and letter; or one of z/OS, with its letter."""

WORD = r"[A-Z][A-Z0-9]*+"
MESSAGE = re.compile(HEAD, re.ASCII)
ECHO = re.compile(r"((?:[ \t]+|(?=\d+[ \t]+: ))(\d*)[ \t]*: ?)(.*)", re.ASCII | re.DOTALL)
FURTHER_ECHO = re.compile(r"([ \t]*+(): ?)(.*)", re.ASCII | re.DOTALL)
"""A further line of a command that is echoed, in a log without its indentation, too."""

BANNER = re.compile(r"[ \t]*5724-\w+ \(C\)", re.ASCII)
"""The line above the one that says for which queue manager MQSC starts, which is translated."""

SESSION = re.compile(r"[ \t]*Starting MQSC for queue manager (\S+?)\.?$")
ATTRIBUTE = re.compile(rf"\s*{WORD}(?:\(|\s|$)", re.ASCII)
OTHER_WORD = re.compile(rf"(?:{WORD}\s+)*(?!{WORD}(?:[(\s]|$))\S", re.ASCII)
"""How a line goes on that no attribute stands on, although its first word is written like one."""

END_OF_OBJECT = re.compile(r"\s*END [A-Z]")
FIRST_WORDS = "QMNAME|QUEUE|CLUSQMGR|CHANNEL|NAMELIST|PROCESS|CHSTATUS|QSTATUS"
ON_THE_MESSAGE = re.compile(rf"\b(?:{FIRST_WORDS})\(")
"""The attribute that an object begins with, where it stands behind its message on the same line."""

AFTER_BLANK = rf"[ \t]++{WORD}(?:\(|[ \t\r]*+(?:\n|$)|[ \t]++{WORD}(?:\(|[ \t\r]*+(?:\n|$)))"
GOES_ON_AFTER_BLANK = re.compile(AFTER_BLANK, re.ASCII)
"""A line that goes on with an object although the one above it is blank: all lines of a log may have one below."""

UNINDENTED = re.compile(rf"{WORD}\(", re.ASCII)
"""The same line in a log that has lost its indentation; it has a value, to be told from what others write."""

REST_OF_WORD = re.compile(rf"[A-Z0-9]*+(?:\(|$|\s++{WORD}(?:\(|$))", re.ASCII)
"""How a line begins that goes on where a terminal's width has cut an attribute's name."""

FIRST_WORD = re.compile(rf"[ \t]*+(?:{FIRST_WORDS})\(")
"""The beginning of the first line of an object."""

STRAY_MESSAGE = re.compile(r"(?:\S*[A-Z]AMQ\d{4}[A-Z]?:|\S*[A-Z]PLAY +\w+\()")
"""A message or a command with other output before it: two programs wrote into one log."""

CONTINUED = re.compile(r"[\s)][+-]$")
"""The end of a line of a script."""

VALUE = rf"\([^()\n]*+(?:\([^()\n]*+\)(?:(?!  {WORD}\()[^()\n])*+)*+\)"
"""A value in which no other attribute seems to stand behind a parenthesis that is closed."""

NO_ATTRIBUTE = r"[ \t]*+(?:END [A-Z]|CSQ[A-Z0-9]\d{3}[A-Z]\b)"
SIMPLE_LINE = rf"(?!{NO_ATTRIBUTE})[ \t]*+(?:{WORD}(?:{VALUE}(?=[ \t\r\n]))?+[ \t\r]*+)++\n"
SIMPLE_OBJECT = re.compile(
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


BlockLine = tuple[int, str, int]
"""The number of a line, what stands on it, and how many columns were taken off before that."""


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


def blocks(texts: Iterable[str]) -> Iterator[Block]:
    """The blocks of a text, which comes in pieces of whole lines. What is no attribute ends an object."""
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


def _taken(line: str, before: int, number: int, block: Block) -> bool:
    """Whether ``line`` is one of the block, which then has it; of an object a blank one is passed over."""
    if not line and block.kind == "object" and not block.refused:
        block.is_spaced = not block.lines if block.is_spaced is None else block.is_spaced
        block.is_after_blank = True
        return True
    if not _belongs(line, block):
        return False
    block.is_after_blank = False
    block.lines.append(_without_echo(line, before, number, block))
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
    number, prefix = 1, Prefix()
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
        return Block("starts", number, named_in(line), said=line.strip())
    echo = ECHO.match(line)
    if echo and (echo[2] or block is None or block.kind != "command"):
        return Block("command", number, echo[2], lines=[(number, echo[3], before + echo.end(1))])
    if STRAY_MESSAGE.match(line):
        return Block("stray", number)
    typed = typed_name(line) if "runmqsc" in line and _is_typed(line) else ""
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


def _without_echo(line: str, before: int, number: int, block: Block) -> BlockLine:
    echo = FURTHER_ECHO.match(line) if block.kind == "command" else None
    return (number, echo[3], before + echo.end(1)) if echo else (number, line, before)
