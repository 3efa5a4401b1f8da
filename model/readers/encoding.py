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
OF_1047 = str.maketrans("¬Ý^[]¨", "^[¬Ý¨]")
"""What z/OS's page 1047 has in the places of these signs of page 37, which Python knows."""

EBCDIC_BLANK, BLANK = b"\x40", b" "
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

    UTF-8, UTF-16 with and without a byte order mark, EBCDIC (page 1047) by its blanks, else Latin-1.
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
        text = _ebcdic(data) if _is_ebcdic(data) else data.decode("latin-1")
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


def _is_ebcdic(data: bytes) -> bool:
    """Whether there are more of EBCDIC's blanks than of those of all other encodings."""
    sample = data[:SAMPLE]
    return sample.count(EBCDIC_BLANK) > sample.count(BLANK)


def _ebcdic(data: bytes) -> str:
    if any(end in data for end in LINE_ENDS):
        return data.decode(EBCDIC).replace("\x85", "\n").translate(OF_1047)
    records = [data[at : at + RECORD][:COLUMNS] for at in range(0, len(data), RECORD)]
    return "\n".join(record.decode(EBCDIC) for record in records).translate(OF_1047)
