"""Whose session of runmqsc begins on a line: by what was typed, or by what runmqsc says in any language."""

from __future__ import annotations

import re

NAME = r"[A-Za-z0-9._/%]{1,48}"
TYPED = re.compile(
    rf"(?:^|[\s;|&(/>$#%\\\"'`])runmqsc(?:\.exe)?(?:\s+-(?:[ufwmr]\s*\S+|[a-z]+))*\s+({NAME})(?=[\s;|&<>)\"'`]|$)",
    re.ASCII,
)
"""runmqsc with its options, as it is called in a shell, and the queue manager that it is called for."""

LATIN = "A-Za-z0-9\u00c0-\u024f"
WORD = re.compile(rf"(?<![{LATIN}])[A-Za-z0-9._/%]+(?![{LATIN}])")
OTHER_SCRIPT = re.compile("[\u0370-\uffff]")
"""A letter of a language that is not written in Latin ones, in which a queue manager's name is."""

BEHIND_MANAGER = re.compile(
    "(?:[Mm]anager|[Gg]estionnaire de files d.attente|[Gg]estor de colas|[Gg]estore (?:di )?code"
    f"|[Gg]erenciador de [Ff]ilas)\\s+({NAME})(?![{LATIN}])"
)
LIKE_A_NAME = re.compile(r"[A-Z0-9._/%]+|\S*[0-9._/%]\S*")
"""A word as names of queue managers are, and other words are not."""


def typed_name(line: str) -> str:
    """The queue manager that runmqsc is called for in a shell; blank if the line does not call it for one."""
    typed = TYPED.search(line)
    return typed[1] if typed else ""


def named_in(line: str) -> str:
    """The queue manager that runmqsc says it starts for, in any language; blank where no word is sure to be one."""
    known = BEHIND_MANAGER.search(line)
    if known:
        return known[1].rstrip(".")
    words = [word for each in WORD.findall(line) if (word := each.strip(".")) not in ("", "MQSC")]
    found = words if OTHER_SCRIPT.search(line) else [each for each in words if LIKE_A_NAME.fullmatch(each)]
    return found[0] if len(found) == 1 else ""
