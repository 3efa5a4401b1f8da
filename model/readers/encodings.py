"""Bytes to text: files, archives, and the encodings that dumps and captures come in."""

from __future__ import annotations

import codecs
import errno
import gzip
import io
import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from attrs import define, field, frozen

from mqclause.model.diagnostics import Diagnostic, FactsError, escape_controls
from mqclause.model.patterns import compile_later
from mqclause.model.readers.formats import BYTE_ORDER_MARK

NOT_BLANK = compile_later(r"\s*\S")
SAMPLE = 4000
"""So many bytes tell UTF-16 without a byte order mark from what is no text."""

EBCDIC = "cp037"
PAGE_1047_SIGNS = str.maketrans("¬Ý^[]¨", "^[¬Ý¨]")
"""What z/OS's page 1047 has in the places of these signs of page 37, which Python knows."""

EBCDIC_BLANK, BLANK = b"\x40", b" "
LINE_ENDS = (b"\x15", b"\x25")
RECORDS = "records of EBCDIC"
PACKED_TWICE = "is packed, in a file that is packed itself; unpack it first"
RECORD, COLUMNS = 80, 72
"""Of a data set without line ends: the length of its records, and how many columns of them are MQSC."""

GZIP, ZIP, EMPTY_ZIP = b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06"
PACKED_OTHERWISE = {
    b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf": "7-Zip", b"Rar!": "RAR",
}  # fmt: skip
"""How a file begins that is packed in another way than those that are unpacked here."""

TAR, TAR_AT = b"ustar", 257
"""What stands in the first header of a tar file, and where."""

MOST_UNPACKED = 1 << 30
"""So many bytes may be unpacked in all: more than the dumps of many queue managers have."""

MACOS_FOLDER = "__MACOSX"
"""The folder in which macOS packs what it knows of the other files."""

ENCRYPTED, LOCKED = 1, "is encrypted; unpack it first"
"""The flag of such a file in an archive, and what is told of it."""

UNREADABLE = (
    zlib.error, lzma.LZMAError, zipfile.BadZipFile, struct.error, EOFError, NotImplementedError, RuntimeError, OSError,
    ValueError, MemoryError,
)  # fmt: skip
"""What a packed file that is damaged, or made to be, can end in."""

_allowance: ContextVar[ReadBudget | None] = ContextVar("allowance", default=None)

PIECE = 1 << 22
"""So many bytes are in one piece; what is smaller is one."""

LONGEST_LINE = 64 << 20
"""So many bytes, or characters, may be in a line."""

MOST_FILES = 100_000
"""So many files may be read in all, in folders and in archives."""

LARGE = 10_000_000
"""A file of more bytes is read when it is looked at, and not before."""

PIPE_FOLDERS = ("/dev/fd/", "/proc/")
"""Where the files stand that are open already."""


@frozen(eq=False)
class DecodedText:
    """A text, and why it may not be a facts document, which is in UTF-8; None if it may."""

    content: Content
    encoding: str
    source: str
    fault: Diagnostic | None = None

    def pieces(self) -> Iterator[str]:
        """Return the text in pieces, without a byte order mark; line ends stay as they are, LF or CR LF."""
        if self.encoding == RECORDS:
            yield _of_records(b"".join(self.content.pieces()))
            return
        decoded: Iterator[str] = codecs.iterdecode(self.content.pieces(), self.encoding, "replace")
        if self.encoding == EBCDIC:
            decoded = (text.replace("\x85", "\n").translate(PAGE_1047_SIGNS) for text in decoded)
        for at, piece in enumerate(_by_lines(decoded, self.source)):
            yield piece if at else _begun(piece)


def decode_text(data: bytes | Content, source: str) -> DecodedText:
    """Decode the text in ``data``; raises FactsError if it is not text.

    UTF-8, UTF-32 with a byte order mark, UTF-16 with and without one, EBCDIC (page 1047) by its blanks, else Latin-1.
    """
    found = _decoded(wrap_content(data), source)
    if not any(NOT_BLANK.match(piece) for piece in found.pieces()):
        raise FactsError([Diagnostic(source, "is empty")])
    return found


class ReadLimitError(FactsError):
    """More is to be read than one command may read: no file is read after it, and none is passed by for it."""


@define(eq=False)
class ReadBudget:
    """The rest of a budget: bytes to unpack, each counted once however often it is read, and files."""

    _sizes: dict[str, int] = field(factory=dict)
    _unpacked: int = 0
    _files: int = 0

    def unpack(self, packed: str, size: int, source: str) -> None:
        """Count the ``size`` bytes unpacked so far of the file ``packed``. Raises ReadLimitError beyond the limit."""
        more = size - self._sizes.get(packed, 0)
        if more <= 0:
            return
        self._sizes[packed] = size
        self._unpacked += more
        if self._unpacked > MOST_UNPACKED:
            said = f"holds more than {MOST_UNPACKED >> 20} MB when it is unpacked, with what was unpacked before it"
            raise ReadLimitError([Diagnostic(source, f"{said}; unpack it first")])

    def read(self, files: int, source: str) -> None:
        """Count a number of ``files`` as read. Raises ReadLimitError beyond the limit."""
        self._files += files
        if self._files > MOST_FILES:
            raise ReadLimitError([Diagnostic(source, f"more than {MOST_FILES} files are to be read; allowed: so many")])


@contextmanager
def share_read_budget() -> Iterator[None]:
    """Count everything that is read within against one limit; elsewhere each file has a limit of its own."""
    before = _allowance.set(get_read_budget())
    try:
        yield
    finally:
        _allowance.reset(before)


def get_read_budget() -> ReadBudget:
    """Return the budget of bytes and files that is left for whoever reads now."""
    return _allowance.get() or ReadBudget()


def unpack_files(data: bytes | Content, source: str) -> Iterator[tuple[str, Content]]:
    """Unpack the files in ``data`` with their names; ``data`` itself if it is packed in neither. Raises FactsError.

    What a file holds is unpacked when its pieces are asked for.
    """
    content = wrap_content(data)
    begins = next(content.pieces(), b"")
    if begins.startswith(GZIP):
        yield source, GzipContent(content, source, get_read_budget())
    elif begins.startswith((ZIP, EMPTY_ZIP)):
        yield from _unzipped(_Archive(b"".join(content.pieces())), source, get_read_budget())
    else:
        yield source, content


@frozen(eq=False)
class GzipContent:
    """The content of a gzip file: its members in order. It counts for an allowance, if there is one."""

    packed: Content
    source: str
    counted: ReadBudget | None = None
    name: str = ""

    def pieces(self) -> Iterator[bytes]:
        """Yield the unpacked bytes in pieces."""
        size = 0
        try:
            with gzip.GzipFile(fileobj=io.BufferedReader(_PackedFile(self.packed.pieces()))) as file:
                while piece := file.read(PIECE):
                    size += len(piece)
                    if self.counted is not None:
                        self.counted.unpack(self.name or self.source, size, self.source)
                    yield piece
        except FactsError:
            raise
        except EOFError:
            raise _cannot_be(self.source, "it ends too early") from None
        except UNREADABLE as error:
            follows = "Not a gzipped file" in str(error)  # as the first member began like one
            raise _cannot_be(self.source, "something follows what is packed" if follows else error) from None


class Content(Protocol):
    """Bytes that can be read any number of times."""

    def pieces(self) -> Iterator[bytes]:
        """Return all of them from the beginning, at most PIECE at once. Raises FactsError where they cannot be read."""


@frozen(eq=False)
class MemoryContent:
    """Bytes in memory."""

    data: bytes

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes in one piece."""
        if len(self.data) <= PIECE:
            yield self.data
            return
        view = memoryview(self.data)
        yield from (bytes(view[at : at + PIECE]) for at in range(0, len(view), PIECE))


@frozen(eq=False)
class FileContent:
    """The bytes of a file."""

    path: Path

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes of the file in pieces."""
        try:
            with open_file(self.path) as file:
                while piece := file.read(PIECE):
                    yield piece
        except OSError as error:
            why = (error.strerror or "cannot be read").lower()
            raise FactsError([Diagnostic(str(self.path), why)]) from None


def open_file(path: str | Path) -> BinaryIO:
    """Open a file to be read. Raises OSError, also for a device or a named pipe, which might never end or begin.

    What a shell passes as a pipe, ``<(command)``, is read.
    """
    mode = os.stat(path).st_mode
    is_named_pipe = stat.S_ISFIFO(mode) and not os.path.realpath(path).startswith(PIPE_FOLDERS)
    if is_named_pipe or stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise OSError(errno.EINVAL, "is a named pipe; - reads standard input" if is_named_pipe else "is a device")
    return open(path, "rb")


def find_link_fault(path: str | Path, folder: str | Path) -> str:
    """Find what is wrong with a link in a stranger's folder: it leads out of that; blank where nothing is.

    Nothing is read but what was named, and that is the folder.
    """
    if not os.path.islink(path):
        return ""
    root, target = os.path.realpath(folder), os.path.realpath(path)
    inside = target == root or target.startswith(os.path.join(root, ""))
    return "" if inside else "is a link that leads out of the folder; allowed: the file itself"


def wrap_content(data: bytes | Content) -> Content:
    """Wrap ``data`` as Content."""
    return MemoryContent(data) if isinstance(data, bytes) else data


def read_content(file: BinaryIO, name: str) -> bytes | Content:
    """Read a file that is open; for a large one return what reads it once more. A large pipe is kept packed.

    Raises FactsError for a pipe that does not end.
    """
    begun = file.read(LARGE + 1)
    if len(begun) <= LARGE:
        return begun
    if os.path.isfile(name):
        return FileContent(Path(name))
    packer = zlib.compressobj(level=1, wbits=31)
    packed, size = [packer.compress(begun)], len(begun)
    while piece := file.read(PIECE):
        size += len(piece)
        if size > MOST_UNPACKED:
            raise FactsError([Diagnostic(name, f"holds more than {MOST_UNPACKED >> 20} MB; name a file")])
        packed.append(packer.compress(piece))
    return GzipContent(MemoryContent(b"".join([*packed, packer.flush()])), name)


def _begun(first: str) -> str:
    """The first piece without a byte order mark. Where no line ends in LF, CR alone ends them."""
    text = first.removeprefix(BYTE_ORDER_MARK)
    return text if "\n" in text else text.replace("\r", "\n")


def _decoded(content: Content, source: str) -> DecodedText:
    sample = next(content.pieces(), b"")[:SAMPLE]
    if wide := _find_wide_encoding(sample):
        return DecodedText(
            content, wide, source, Diagnostic(source, f"is {wide[:6].upper()} text; allowed for facts: UTF-8")
        )
    look = _Look()
    for piece in content.pieces():
        look.at(piece)
        if look.zero_at is not None:
            break
    if look.zero_at is not None:
        raise FactsError([Diagnostic(source, _what_is_no_text(sample, look.zero_at))])
    look.at(b"", final=True)
    if look.fault is None:
        return DecodedText(content, "utf-8", source)
    encoding = "latin-1"
    if sample.count(EBCDIC_BLANK) > sample.count(BLANK):
        encoding = EBCDIC if look.has_line_ends else RECORDS
    message, line = look.fault
    return DecodedText(content, encoding, source, Diagnostic(source, message, line))


def _what_is_no_text(sample: bytes, zero_at: int) -> str:
    if sample.startswith((GZIP, ZIP)):
        return PACKED_TWICE
    if sample.startswith(TAR, TAR_AT):
        return "is a tar file; allowed: the files in it, a folder or a zip file with them"
    packed = next((name for begins, name in PACKED_OTHERWISE.items() if sample.startswith(begins)), None)
    return f"is packed as {packed}; allowed: gzip and zip" if packed else f"is not text: byte 0 at offset {zero_at}"


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


def _find_wide_encoding(sample: bytes) -> str:
    """UTF-32 by its mark, or UTF-16, which PowerShell writes with a mark or without; else blank."""
    if sample.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"  # its mark begins as that of UTF-16 does
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    odd, even = sample[1::2].count(0), sample[::2].count(0)
    if 2 * max(odd, even) < len(sample[1::2]) or len(sample) < 2:
        return ""
    return "utf-16-le" if odd > even == 0 else "utf-16-be" if even > odd == 0 else ""


def _of_records(data: bytes) -> str:
    records = [data[at : at + RECORD][:COLUMNS] for at in range(0, len(data), RECORD)]
    return "\n".join(record.decode(EBCDIC) for record in records).translate(PAGE_1047_SIGNS)


class _PackedFile(io.RawIOBase):
    """Pieces of bytes as a file that can be read."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._rest = pieces, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest and (piece := next(self._pieces, None)) is not None:
            self._rest = memoryview(piece)
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


@frozen(eq=False, slots=False)
class _Archive:
    """A zip file, which is opened once for all that is in it: to open it is to read the list of its files."""

    data: bytes

    @cached_property
    def opened(self) -> zipfile.ZipFile:
        """The archive, to read from. Raises what is UNREADABLE."""
        return zipfile.ZipFile(io.BytesIO(self.data))

    def __reduce__(self) -> tuple[Any, ...]:
        return _Archive, (self.data,)


@frozen(eq=False)
class _Unzipped:
    """What is in one file of a zip file."""

    archive: _Archive
    member: zipfile.ZipInfo
    source: str

    def pieces(self) -> Iterator[bytes]:
        """As of Content."""
        if self.member.flag_bits & ENCRYPTED:
            raise FactsError([Diagnostic(self.source, LOCKED)])
        try:
            with self.archive.opened.open(self.member) as file:
                while piece := file.read(PIECE):
                    yield piece
        except UNREADABLE as error:
            raise _cannot_be(self.source, error) from None


@frozen(eq=False)
class _Member:
    """What is in one file of a zip file, which may be packed in gzip besides."""

    unzipped: _Unzipped
    source: str
    counted: ReadBudget
    name: str

    def pieces(self) -> Iterator[bytes]:
        """As of Content."""
        is_gzip = next(self.unzipped.pieces(), b"").startswith(GZIP)
        packed = GzipContent(self.unzipped, self.source, self.counted, self.name)
        yield from (packed if is_gzip else self.unzipped).pieces()


def _unzipped(archive: _Archive, source: str, counted: ReadBudget) -> Iterator[tuple[str, Content]]:
    try:
        listed = [each for each in archive.opened.infolist() if not (each.is_dir() or _is_hidden(each.filename))]
    except UNREADABLE as error:
        raise _cannot_be(source, error) from None
    counted.read(len(listed), source)
    # No more is ever unpacked than is said there, whatever there is.
    counted.unpack(f"{source}/", sum(each.file_size for each in listed), source)
    for at, each in enumerate(listed):
        name = f"{source}/{escape_controls(each.filename)}"
        yield name, _Member(_Unzipped(archive, each, name), name, counted, f"{source}/{at}/")


def _is_hidden(name: str) -> bool:
    """Whether a folder would not be looked through for it either."""
    parts = name.split("/")
    return MACOS_FOLDER in parts or any(part.startswith(".") and part.strip(".") for part in parts)


def _cannot_be(source: str, why: object) -> FactsError:
    return FactsError([Diagnostic(source, f"cannot be unpacked: {why}")])
