"""Files in gzip and zip to what is in them; how much one command may unpack."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any

from attrs import define, field, frozen

from mqclause.model.diagnostic import Diagnostic, FactsError, visible
from mqclause.model.readers.content import MOST_FILES, PIECE, Content, content_of, of_full_size

GZIP, ZIP, EMPTY_ZIP = b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06"
MOST_UNPACKED = 1 << 30
"""So many bytes may be unpacked in all: more than the dumps of many queue managers have."""

LEAST_FED = 1 << 12
"""So many bytes are unpacked at first of a member of a gzip file: what is behind it is copied for the next one."""

OF_MACOS = "__MACOSX"
"""The folder in which macOS packs what it knows of the other files."""

NO_GZIP = "something follows what is packed"
UNREADABLE = (
    zlib.error, lzma.LZMAError, zipfile.BadZipFile, struct.error, EOFError, NotImplementedError, RuntimeError, OSError,
    ValueError, MemoryError,
)  # fmt: skip
"""What a packed file that is damaged, or made to be, can end in."""


@define(eq=False)
class Allowance:
    """How much may still be read: bytes that are unpacked, each once however often it is read, and files."""

    _sizes: dict[str, int] = field(factory=dict)
    _unpacked: int = 0
    _files: int = 0

    def unpack(self, packed: str, size: int, source: str) -> None:
        """Counts so many bytes of what is ``packed``, all that were unpacked of it so far. Raises FactsError."""
        more = size - self._sizes.get(packed, 0)
        if more <= 0:
            return
        self._sizes[packed] = size
        self._unpacked += more
        if self._unpacked > MOST_UNPACKED:
            said = f"holds more than {MOST_UNPACKED >> 20} MB when it is unpacked, with what was unpacked before it"
            raise FactsError([Diagnostic(source, f"{said}; unpack it first")])

    def read(self, files: int, source: str) -> None:
        """Counts so many files. Raises FactsError."""
        self._files += files
        if self._files > MOST_FILES:
            raise FactsError([Diagnostic(source, f"more than {MOST_FILES} files are to be read; allowed: so many")])


_allowance: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


@contextmanager
def one_allowance() -> Iterator[None]:
    """Has all that is unpacked within count together, also with what is around it; elsewhere each file counts alone."""
    before = _allowance.set(allowance())
    try:
        yield
    finally:
        _allowance.reset(before)


def allowance() -> Allowance:
    """What is left for whoever reads now."""
    return _allowance.get() or Allowance()


def unpacked(data: bytes | Content, source: str) -> Iterator[tuple[str, Content]]:
    """The files in ``data`` with their names; ``data`` itself if it is packed in neither. Raises FactsError.

    What a file holds is unpacked when its pieces are asked for.
    """
    content = content_of(data)
    begins = next(content.pieces(), b"")
    if begins.startswith(GZIP):
        yield source, Gunzipped(content, source, allowance())
    elif begins.startswith((ZIP, EMPTY_ZIP)):
        yield from _unzipped(_Archive(b"".join(content.pieces())), source, allowance())
    else:
        yield source, content


@frozen(eq=False)
class Gunzipped:
    """What is in a gzip file: its members, one after the other. It counts for an allowance, if there is one."""

    packed: Content
    source: str
    counted: Allowance | None = None
    name: str = ""

    def pieces(self) -> Iterator[bytes]:
        """As of Content."""
        size = 0
        try:
            for piece in of_full_size(_gunzipped(self.packed.pieces())):
                size += len(piece)
                if self.counted is not None:
                    self.counted.unpack(self.name or self.source, size, self.source)
                yield piece
        except FactsError:
            raise
        except UNREADABLE as error:
            raise _cannot_be(self.source, error) from None


def _gunzipped(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """What follows the last member and is none may be zeros, which pad it. Raises EOFError and zlib.error."""
    unpacker, begun = None, b""
    for piece in pieces:
        data, at, fed = begun + piece, 0, LEAST_FED
        begun = b""
        while at < len(data):
            if unpacker is None:
                if len(data) - at < len(GZIP):
                    begun = data[at:]  # too little to tell
                    break
                if not data.startswith(GZIP, at):
                    _check_padding(data[at:])
                    break
                unpacker, fed = zlib.decompressobj(wbits=31), LEAST_FED
            given = data[at : at + fed]
            yield unpacker.decompress(given, PIECE)
            at += len(given) - len(unpacker.unconsumed_tail) - len(unpacker.unused_data)
            # What is behind a member is copied: little of it, unless the member is large itself.
            fed = min(2 * fed, PIECE)
            if unpacker.eof:
                unpacker = None
    if unpacker is not None:
        raise EOFError("it ends too early")
    _check_padding(begun)


def _check_padding(data: bytes) -> None:
    if data.strip(b"\0"):
        raise EOFError(NO_GZIP)


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
    counted: Allowance
    name: str

    def pieces(self) -> Iterator[bytes]:
        """As of Content."""
        is_gzip = next(self.unzipped.pieces(), b"").startswith(GZIP)
        packed = Gunzipped(self.unzipped, self.source, self.counted, self.name)
        yield from (packed if is_gzip else self.unzipped).pieces()


def _unzipped(archive: _Archive, source: str, counted: Allowance) -> Iterator[tuple[str, Content]]:
    try:
        listed = [each for each in archive.opened.infolist() if not (each.is_dir() or _is_hidden(each.filename))]
    except UNREADABLE as error:
        raise _cannot_be(source, error) from None
    counted.read(len(listed), source)
    # No more is ever unpacked than is said there, whatever there is.
    counted.unpack(f"{source}/", sum(each.file_size for each in listed), source)
    for at, each in enumerate(listed):
        name = f"{source}/{visible(each.filename)}"
        yield name, _Member(_Unzipped(archive, each, name), name, counted, f"{source}/{at}/")


def _is_hidden(name: str) -> bool:
    """Whether a folder would not be looked through for it either."""
    parts = name.split("/")
    return OF_MACOS in parts or any(part.startswith(".") and part.strip(".") for part in parts)


def _cannot_be(source: str, error: Exception) -> FactsError:
    return FactsError([Diagnostic(source, f"cannot be unpacked: {error}")])
