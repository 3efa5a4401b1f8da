"""The words of one MQSC command: keywords with their values, by quotes and depth."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from mqclause.model.diagnostic import quoted, suggestion
from mqclause.model.readers.mqsc.words import NAME_VALUED, SYNONYMS
from mqclause.model.readers.record import Value

LONGEST_WORD = 16
"""No word of MQSC is longer; longer ones are not compared with them."""

QUOTED = r"'([^']*+(?:''[^']*+)*+)'"
KEYWORD = r"[A-Za-z][A-Za-z0-9]*+"

PARAMETER = re.compile(
    rf"""[\s,]*+ ({KEYWORD})
         (?: \s*+ \( (?: \s*+ (?: {QUOTED} | ([^\s,'"()]*+) ) \s*+ \) | () ) )?+""",
    re.ASCII | re.VERBOSE,
)
"""A keyword, with its value if that is one text; group 4 stands for a value that needs a closer look."""

ITEM = re.compile(
    rf"""[\s,]*+ (?: {QUOTED} (?=[\s,)]|\Z) | "([^"]*+)" (?=[\s,)]|\Z)
         | ((?: \{{\{{[^{{}}]*+\}}\}} | \$\{{[^{{}}]*+\}} | [^\s,'"()] )++) (?!['"]) | (\() | (\)) )""",
    re.ASCII | re.VERBOSE,
)
"""One text of a list (single-quoted, double-quoted, unquoted), or a parenthesis. A template is one text."""

NESTED = re.compile(r"""['"()]""")
REMARKS = ("*", "#", "//", "/*", "--", "<!--")
"""How a remark begins that somebody has put behind a command."""

OPENS_TEMPLATE = "{{"
"""What begins something that is yet to be filled in: anything may stand in it."""

QUOTE_INSIDE = "a quote stands inside an unquoted value"
GAP = re.compile(r"[\s,]*+", re.ASCII)


class UnreadableError(Exception):
    """A command that is not MQSC: what is wrong, and at which offset. The message quotes no value.

    ``word`` is the word that is not one of ``known``, which may be a misspelt one of them.
    """

    def __init__(self, message: str, offset: int, word: str = "", known: Collection[str] = ()) -> None:
        self.message = message
        self.offset = offset
        self.word = word
        self.known = known
        super().__init__(message)

    def suggesting(self) -> str:
        """The message, or a better one if ``word`` is near a known one.

        A word that is near none is not shown, if the message does not show it: it may be the rest of a password
        after a broken line.
        """
        near = suggestion(self.word, self.known) if 0 < len(self.word) <= LONGEST_WORD else ""
        if not near:
            return self.message
        return f"{self.message}{near}" if self.message.endswith(self.word) else f"{quoted(self.word)} is unknown{near}"


def parameters(text: str) -> Iterator[tuple[str, Value | None, int]]:
    """Each keyword of ``text`` in upper case with its value, or None if it has none, and its offset.

    Values without quotes are put in upper case, those in quotes kept. Raises UnreadableError.
    """
    position = 0
    end = len(text.rstrip(" ,\t\r\f\v"))
    while position < end:
        found = PARAMETER.match(text, position)
        if found is None:
            raise _no_keyword(text, position)
        value: Value | None = None
        position = found.end()
        form = found.lastindex
        if form == 2:
            value = unescaped(found[2])
        elif form == 3:
            value = found[3].upper()
        elif form == 4:
            value, position = _value(text, position, found[1].upper())
        yield found[1].upper(), value, found.start(1)


def unescaped(quoted: str) -> str:
    """What stands between quotes, as it is meant."""
    text = quoted.replace("''", "'")
    return text if text.strip(" ") else ""


def _value(text: str, start: int, keyword: str) -> tuple[Value, int]:
    """The value whose opening parenthesis ends at ``start``, and the offset behind its closing one."""
    items: list[str] = []
    position = start
    while True:
        found = ITEM.match(text, position)
        if found is None:
            raise _no_value(text, position, keyword)
        position = found.end()
        form = found.lastindex
        if form == 5:
            return (items[0] if len(items) == 1 else tuple(items)) if items else "", position
        if form == 4:
            return _nested(text, start, keyword)
        items.append(_item(found))


def _item(found: re.Match[str]) -> str:
    if found.lastindex == 1:
        return unescaped(found[1])
    if found.lastindex == 2:
        return unescaped(found[2].replace("'", "''"))
    return found[3].upper()


def _nested(text: str, start: int, keyword: str) -> tuple[str, int]:
    """A value with parentheses outside quotes, such as ``host(1414)``: all of it is one text."""
    depth = 1
    for found in NESTED.finditer(text, start):
        if found[0] in "'\"":
            raise UnreadableError(f"{keyword}: {QUOTE_INSIDE}", found.start())
        depth += 1 if found[0] == "(" else -1
        if depth == 0:
            value = text[start : found.start()].strip().upper()
            if SYNONYMS.get(keyword, keyword) in NAME_VALUED and OPENS_TEMPLATE not in value:
                raise UnreadableError(f"{keyword}: a parenthesis stands in a name", start)
            return value, found.end()
    raise UnreadableError(f"{keyword}: a parenthesis is opened but not closed in this command", start)


def _no_keyword(text: str, position: int) -> UnreadableError:
    offset = _skipped(text, position)
    sign = text[offset]
    if sign == ";":
        return UnreadableError("';' ends a command, and the next one starts on a new line", offset)
    if sign == ")":
        return UnreadableError("a parenthesis is closed but not opened", offset)
    if sign == "(":
        return UnreadableError("a value in parentheses stands without a keyword", offset)
    if sign in "'\"":
        return UnreadableError("a quoted text stands outside parentheses", offset)
    if text.startswith(REMARKS, offset):
        return UnreadableError("a remark needs a line of its own, which begins with *", offset)
    return UnreadableError("what stands here is no keyword; a keyword has letters and digits only", offset)


def _no_value(text: str, position: int, keyword: str) -> UnreadableError:
    offset = _skipped(text, position)
    if offset == len(text):
        return UnreadableError(f"{keyword}: a parenthesis is opened but not closed in this command", offset)
    quote = text[offset]
    if quote in "'\"":
        if text.count(quote, offset) % 2:
            return UnreadableError(f"{keyword}: a quote is opened but not closed in this command", offset)
        return UnreadableError(f"{keyword}: text follows a closing quote; an apostrophe is written ''", offset)
    return UnreadableError(f"{keyword}: {QUOTE_INSIDE}", offset)


def _skipped(text: str, position: int) -> int:
    gap = GAP.match(text, position)
    return gap.end() if gap else position
