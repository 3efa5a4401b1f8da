"""The formats: which one a file is in is told by what stands in it, as names and endings of dumps and captures vary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from attrs import evolve

from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.readers.facts_document import BYTE_ORDER_MARK
from mqclause.model.readers.format import Confidence, Contents, Format
from mqclause.model.readers.json_facts import JSON
from mqclause.model.readers.mqsc.format import MQSC
from mqclause.model.readers.mqweb import MQWEB
from mqclause.model.readers.runmqsc.format import RUNMQSC
from mqclause.model.readers.toml_facts import TOML

FORMATS = (
    MQWEB,
    JSON,
    TOML,
    RUNMQSC,
    MQSC,
)
"""In the order in which they are tried: the first that is sure, else the first that is likely."""

NOT_BLANK = re.compile(r"\s*\S")


def contents_of(data: bytes, source: str, formats: Sequence[Format] = FORMATS) -> Contents:
    """What a file holds, by the reader of its format; raises FactsError if it is no text or in none of ``formats``."""
    text = text_of(data, source)
    found = format_of(text, source, formats)
    if found is None:
        raise _refused(source, f"is in no format that is read: it has no MQSC command; allowed: {_titles(formats)}")
    if found.read is None:
        raise _refused(source, f"is {found.title}; this format is not read yet; allowed: {_titles(formats)}")
    return evolve(found.read(text, source), format=found.name)


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
    if NOT_BLANK.match(text) is None:
        raise _refused(source, "is empty")
    return text


def format_of(text: str, source: str, formats: Sequence[Format] = FORMATS) -> Format | None:
    """The format of ``text``, which is not blank; None if it is in none of ``formats``."""
    likely: Format | None = None
    for each in formats:
        confidence = each.recognised(text, source)
        if confidence is Confidence.SURE:
            return each
        if confidence is Confidence.LIKELY and likely is None:
            likely = each
    return likely


def _titles(formats: Iterable[Format]) -> str:
    """The formats that are read, as messages list them; in TOML and in JSON it is the same documents."""
    return ", ".join(dict.fromkeys(each.title for each in formats if each.read))


def _refused(source: str, message: str) -> FactsError:
    return FactsError([Diagnostic(source, message)])
