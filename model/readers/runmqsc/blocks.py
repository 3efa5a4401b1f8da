"""runmqsc's output to blocks: commands that are echoed, and what stands below a message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from attrs import define, field

TIME = re.compile(r"^\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\s", re.ASCII)
"""What container and system logs put before each line."""

MESSAGE = re.compile(r"[ \t]*(?:AMQ(\d{4})([A-Z]?):|CSQ[A-Z]\d{3}([A-Z])\b)", re.ASCII)
ECHO = re.compile(r"[ \t]+(\d*)[ \t]*: ?(.*)", re.ASCII | re.DOTALL)
SESSION = re.compile(r"[ \t]*Starting MQSC for queue manager (\S+?)\.?$")
ATTRIBUTE = re.compile(r"\s*[A-Z][A-Z0-9]*(?:\(|\s|$)", re.ASCII)
END_OF_OBJECT = re.compile(r"\s*END [A-Z]")

REFUSED = frozenset(["8101", "8118", "8135", "8147", "8150", "8226", "8227", "8229", "8242", "8405", "8426", "8427"])
"""The messages of old releases, which have no letter, that say that a command was not carried out."""


@define
class Block:
    """Numbered lines, and what they are.

    *starts*: a session begins, with the queue manager that ``name`` has; *command*: echoed, without its number;
    *object*: the attributes below a message. ``refused`` if the message says that the command failed.
    """

    kind: Literal["starts", "command", "object"]
    line: int
    name: str = ""
    refused: bool = False
    lines: list[tuple[int, str]] = field(factory=list)


def blocks(text: str) -> Iterator[Block]:
    """The blocks of ``text`` in order. A blank line or any other text ends the attributes below a message."""
    block: Block | None = None
    for number, raw in enumerate(text.split("\n"), 1):
        line = TIME.sub("", raw.rstrip()) if raw[:1].isdigit() else raw.rstrip()
        begun = _begun(line, number, block)
        if begun:
            if block:
                yield block
            block = begun
        elif block and _belongs(line, block):
            block.lines.append((number, _without_echo(line, block)))
        elif block and block.kind == "object":
            yield block
            block = None
    if block:
        yield block


def _begun(line: str, number: int, block: Block | None) -> Block | None:
    """The block that begins with ``line``, if one does."""
    message = MESSAGE.match(line)
    if message:
        return Block("object", number, refused=message[1] in REFUSED or (message[2] or message[3]) in ("E", "S"))
    starting = SESSION.match(line)
    if starting:
        return Block("starts", number, starting[1])
    echo = ECHO.match(line)
    if echo and (echo[1] or block is None or block.kind != "command"):
        return Block("command", number, lines=[(number, echo[2])])
    return None


def _belongs(line: str, block: Block) -> bool:
    if block.kind == "command":
        return bool(ECHO.match(line))
    if block.kind == "starts" or not line or END_OF_OBJECT.match(line):
        return False
    return bool(ATTRIBUTE.match(line) or (block.lines and line[0] in " \t" and _is_open(block)))


def _without_echo(line: str, block: Block) -> str:
    echo = ECHO.match(line) if block.kind == "command" else None
    return echo[2] if echo else line


def _is_open(block: Block) -> bool:
    """Whether the value at the end of the last line goes on."""
    last = block.lines[-1][1]
    return last.count("(") > last.count(")") or not ATTRIBUTE.match(last)
