"""Which format a file is in: told by what stands in it, as names and endings of dumps and captures vary."""

from __future__ import annotations

import re
from typing import Literal

from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.readers.facts_file import TABLES
from mqclause.model.readers.facts_text import BYTE_ORDER_MARK, is_toml
from mqclause.model.readers.mqsc.words import ATTRIBUTE_NOUNS, NOUNS, SYNONYMS, VERB_SYNONYMS, VERBS

READ = "facts in TOML or JSON, MQSC scripts and dumps (dmpmqcfg)"
"""The formats that are read, as messages list them."""

FIRST = re.compile(r"\s*(\S)")

# A table header or a key on a line of its own: no line of MQSC starts like this.
TABLE_HEADER = re.compile(
    rf"^[ \t]*\[{{1,2}}[ \t]*(?:{'|'.join(TABLES)})[\w-]*[ \t]*\]{{1,2}}[ \t]*(?:#.*)?\r?$", re.MULTILINE
)
ANY_TABLE_HEADER = re.compile(r"\s*\[{1,2}[ \t]*[A-Za-z_][\w.-]*[ \t]*\]{1,2}[ \t]*(?:#.*)?(?:\r?\n|$)")
KEY_FIRST = re.compile(r"(?:\s*#.*\n)*\s*[\w.-]+[ \t]*=")

VERB = "|".join(sorted({*VERBS, *VERB_SYNONYMS}))
NOUN = "|".join(sorted({*NOUNS, *ATTRIBUTE_NOUNS, *SYNONYMS}))

# A verb at the start of a line is not enough: sentences start with "Set" and "Define" too.
MQSC_COMMAND = re.compile(
    rf"^[ \t]*(?:{VERB})\b[^\n]*(?:\w\(|\b(?:{NOUN})[ \t]*\(|\bQMGR\b|[+-][ \t]*\r?$)",
    re.MULTILINE | re.IGNORECASE,
)
DUMP_HEADER = re.compile(r"^\*[ \t]*Queue manager name:", re.MULTILINE)
RUNMQSC_OUTPUT = re.compile(r"^[ \t]*(?:AMQ\d{4}[A-Z]?: |5724-\w+ \(C\))", re.MULTILINE)


def text_of(data: bytes, source: str) -> str:
    """The text in ``data``, without a byte order mark; raises FactsError if it is none."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _refused(source, "is UTF-16 text; allowed: UTF-8")
    if b"\0" in data:
        raise _refused(source, f"is not text: byte 0 at offset {data.index(0)}")
    try:
        text = data.decode().removeprefix(BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"is not UTF-8 text: byte 0x{data[error.start]:02x} at offset {error.start}"
        raise FactsError([Diagnostic(source, message, line)]) from None
    if FIRST.match(text) is None:
        raise _refused(source, "is empty")
    return text


def format_of(text: str, source: str) -> Literal["toml", "json", "mqsc"]:
    """The format of ``text``, which is not blank; raises FactsError if it is in none that is read."""
    first = FIRST.match(text)
    if first and first[1] in "{[" and not ANY_TABLE_HEADER.match(text):
        return "json"
    if source.lower().endswith(".toml") or TABLE_HEADER.search(text):
        return "toml"
    if RUNMQSC_OUTPUT.search(text):
        raise _refused(source, f"is output of runmqsc; this format is not read yet; allowed: {READ}")
    if MQSC_COMMAND.search(text) or DUMP_HEADER.search(text):
        return "mqsc"
    if ANY_TABLE_HEADER.match(text) or KEY_FIRST.match(text) or is_toml(text):
        return "toml"
    raise _refused(source, f"is in no format that is read: it has no MQSC command; allowed: {READ}")


def _refused(source: str, message: str) -> FactsError:
    return FactsError([Diagnostic(source, message)])
