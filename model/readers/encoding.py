"""Bytes to text, in the encodings that dumps and captures come in."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

from attrs import define, field, frozen

from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.readers.container import GZIP, ZIP
from mqclause.model.readers.content import LONGEST_LINE, Content, content_of
from mqclause.model.readers.facts_document import BYTE_ORDER_MARK

NOT_BLANK = re.compile(r"\s*\S")
SAMPLE = 4000
"""So many bytes tell UTF-16 without a byte order mark from what is no text."""

EBCDIC = "cp037"
OF_1047 = str.maketrans("¬Ý^[]¨", "^[¬Ý¨]")
"""What z/OS's page 1047 has in the places of these signs of page 37, which Python knows."""

EBCDIC_BLANK, BLANK = b"\x40", b" "
LINE_ENDS = (b"\x15", b"\x25")
RECORDS = "records of EBCDIC"
PACKED_TWICE = "is packed, in a file that is packed itself; unpack it first"
RECORD, COLUMNS = 80, 72
"""Of a data set without line ends: the length of its records, and how many columns of them are MQSC."""


@frozen(eq=False)
class Decoded:
    """A text, and why it may not be a facts document, which is in UTF-8; None if it may."""

    content: Content
    encoding: str
    source: str
    fault: Diagnostic | None = None

    def pieces(self) -> Iterator[str]:
        """The text in pieces, each of them with the ends of its lines, LF or CR LF; without a byte order mark."""
        if self.encoding == RECORDS:
            yield _of_records(b"".join(self.content.pieces()))
            return
        decoded: Iterator[str] = codecs.iterdecode(self.content.pieces(), self.encoding, "replace")
        if self.encoding == EBCDIC:
            decoded = (text.replace("\x85", "\n").translate(OF_1047) for text in decoded)
        for at, piece in enumerate(_by_lines(decoded, self.source)):
            yield piece if at else _begun(piece)


def _begun(first: str) -> str:
    """The first piece without a byte order mark. Where no line ends in LF, CR alone ends them."""
    text = first.removeprefix(BYTE_ORDER_MARK)
    return text if "\n" in text else text.replace("\r", "\n")


def text_from(data: bytes | Content, source: str) -> Decoded:
    """The text in ``data``; raises FactsError if it is none.

    UTF-8, UTF-32 with a byte order mark, UTF-16 with and without one, EBCDIC (page 1047) by its blanks, else Latin-1.
    """
    found = _decoded(content_of(data), source)
    if not any(NOT_BLANK.match(piece) for piece in found.pieces()):
        raise FactsError([Diagnostic(source, "is empty")])
    return found


def _decoded(content: Content, source: str) -> Decoded:
    sample = next(content.pieces(), b"")[:SAMPLE]
    wide = _utf_32(sample) or _utf_16(sample)
    if wide:
        return Decoded(
            content, wide, source, Diagnostic(source, f"is {wide[:6].upper()} text; allowed for facts: UTF-8")
        )
    look = _Look()
    for piece in content.pieces():
        look.at(piece)
        if look.zero_at is not None:
            break
    if look.zero_at is not None:
        is_packed = sample.startswith((GZIP, ZIP))
        said = PACKED_TWICE if is_packed else f"is not text: byte 0 at offset {look.zero_at}"
        raise FactsError([Diagnostic(source, said)])
    look.at(b"", final=True)
    if look.fault is None:
        return Decoded(content, "utf-8", source)
    encoding = "latin-1"
    if _is_ebcdic(sample):
        encoding = EBCDIC if look.has_line_ends else RECORDS
    message, line = look.fault
    return Decoded(content, encoding, source, Diagnostic(source, message, line))


@define
class _Look:
    """A walk over bytes: where one is zero, where they are no UTF-8, and whether EBCDIC's line ends are there."""

    zero_at: int | None = None
    fault: tuple[str, int] | None = None
    has_line_ends: bool = False
    _size: int = 0
    _lines: int = 1
    _decoder: codecs.IncrementalDecoder = field(factory=codecs.getincrementaldecoder("utf-8"))

    def at(self, piece: bytes, final: bool = False) -> None:
        """Go on by one piece."""
        before, _ = self._decoder.getstate()
        if before or not piece.isascii() or final:
            self._decode(piece, len(before), final)
        if self.zero_at is None and b"\0" in piece:
            self.zero_at = self._size + piece.index(0)
        self.has_line_ends = self.has_line_ends or any(end in piece for end in LINE_ENDS)
        self._size += len(piece)
        self._lines += 0 if self.fault else piece.count(b"\n")

    def _decode(self, piece: bytes, before: int, final: bool) -> None:
        if self.fault:
            return
        try:
            self._decoder.decode(piece, final)
        except UnicodeDecodeError as error:
            read, at = error.object, error.start
            message = f"is not UTF-8 text: byte 0x{read[at]:02x} at offset {self._size - before + at}"
            self.fault = message, self._lines + read.count(b"\n", 0, at)
            self._decoder.reset()


def _by_lines(texts: Iterable[str], source: str) -> Iterator[str]:
    """The texts, cut anew behind ends of lines. Raises FactsError for a line that is too long."""
    waiting: list[str] = []
    size = 0
    for text in texts:
        end = waiting[-1].rfind("\n") + 1 if waiting else 0
        size = len(text) if "\n" in text else size + len(text)
        if size > LONGEST_LINE:
            raise FactsError([Diagnostic(source, f"has a line of more than {LONGEST_LINE >> 20} MB")])
        if end:
            *begun, last = waiting
            yield "".join((*begun, last[:end]))
            waiting = [last[end:]]
        waiting.append(text)
    if any(waiting):
        yield "".join(waiting)


def _utf_32(sample: bytes) -> str:
    """The name of the encoding if the byte order mark is that of UTF-32, which begins as that of UTF-16 does."""
    return "utf-32" if sample.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)) else ""


def _utf_16(sample: bytes) -> str:
    """The name of the encoding if it is UTF-16: PowerShell writes it, with a mark or without; else blank."""
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    odd, even = sample[1::2].count(0), sample[::2].count(0)
    if 2 * max(odd, even) < len(sample[1::2]) or len(sample) < 2:
        return ""
    return "utf-16-le" if odd > even == 0 else "utf-16-be" if even > odd == 0 else ""


def _is_ebcdic(sample: bytes) -> bool:
    """Whether there are more of EBCDIC's blanks than of those of all other encodings."""
    return sample.count(EBCDIC_BLANK) > sample.count(BLANK)


def _of_records(data: bytes) -> str:
    records = [data[at : at + RECORD][:COLUMNS] for at in range(0, len(data), RECORD)]
    return "\n".join(record.decode(EBCDIC) for record in records).translate(OF_1047)
