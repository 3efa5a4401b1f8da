"""Bytes to text, in the encodings that dumps and captures come in."""

from __future__ import annotations

import re

from attrs import frozen

from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.readers.facts_document import BYTE_ORDER_MARK

NOT_BLANK = re.compile(r"\s*\S")
SAMPLE = 4000
"""So many bytes tell UTF-16 without a byte order mark from what is no text."""

EBCDIC = "cp037"
EBCDIC_COMMAND = re.compile(
    rb"(?:^|[\x15\x25\x40\xf0-\xf9])(?:"
    + b"|".join(re.escape(each.encode(EBCDIC)) for each in ("DEFINE", "ALTER", "DEF", "DISPLAY", "* ", "ALT"))
    + rb")\x40"
)
LINE_ENDS = (b"\x15", b"\x25")
RECORD, COLUMNS = 80, 72
"""Of a data set without line ends: the length of its records, and how many columns of them are MQSC."""


@frozen
class Decoded:
    """A text, and why it may not be a facts document, which is in UTF-8; None if it may."""

    text: str
    fault: Diagnostic | None = None


def text_from(data: bytes, source: str) -> Decoded:
    """The text in ``data``, without a byte order mark; raises FactsError if it is none.

    UTF-8, UTF-16 with and without a byte order mark, EBCDIC if it holds MQSC, else Latin-1.
    """
    found = _decoded(data, source)
    if NOT_BLANK.match(found.text) is None:
        raise FactsError([Diagnostic(source, "is empty")])
    return found


def _decoded(data: bytes, source: str) -> Decoded:
    wide = _utf_16(data)
    if wide:
        text = data.decode(wide, errors="replace").removeprefix(BYTE_ORDER_MARK)
        return Decoded(text, Diagnostic(source, "is UTF-16 text; allowed for facts: UTF-8"))
    if b"\0" in data:
        raise FactsError([Diagnostic(source, f"is not text: byte 0 at offset {data.index(0)}")])
    try:
        return Decoded(data.decode().removeprefix(BYTE_ORDER_MARK))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"is not UTF-8 text: byte 0x{data[error.start]:02x} at offset {error.start}"
        text = _ebcdic(data) if EBCDIC_COMMAND.search(data, 0, SAMPLE) else data.decode("latin-1")
        return Decoded(text, Diagnostic(source, message, line))


def _utf_16(data: bytes) -> str:
    """The name of the encoding if ``data`` is UTF-16: PowerShell writes it, with a mark or without; else blank."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    sample = data[:SAMPLE]
    odd, even = sample[1::2].count(0), sample[::2].count(0)
    if 2 * max(odd, even) < len(sample[1::2]) or len(sample) < 2:
        return ""
    return "utf-16-le" if odd > even == 0 else "utf-16-be" if even > odd == 0 else ""


def _ebcdic(data: bytes) -> str:
    if any(end in data for end in LINE_ENDS):
        return data.decode(EBCDIC).replace("\x85", "\n")
    records = [data[at : at + RECORD][:COLUMNS] for at in range(0, len(data), RECORD)]
    return "\n".join(record.decode(EBCDIC) for record in records)
