"""Files in gzip and zip to what is in them."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator

from attrs import frozen

from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.readers.content import PIECE, Content, content_of, of_full_size

GZIP, ZIP, EMPTY_ZIP = b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06"
MOST_UNPACKED = 1 << 30
"""So many bytes may be in one file: more than any queue manager's dump has."""

OF_MACOS = "__MACOSX"
"""The folder in which macOS packs what it knows of the other files."""

TOO_LARGE = f"holds more than {MOST_UNPACKED >> 20} MB when it is unpacked; unpack it first"
NO_GZIP = "something follows what is packed"
UNREADABLE = (zlib.error, zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError)


def unpacked(data: bytes | Content, source: str) -> Iterator[tuple[str, Content]]:
    """The files in ``data`` with their names; ``data`` itself if it is packed in neither. Raises FactsError.

    What a file holds is unpacked when its pieces are asked for.
    """
    content = content_of(data)
    begins = next(content.pieces(), b"")
    if begins.startswith(GZIP):
        yield source, Gunzipped(content, source)
    elif begins.startswith((ZIP, EMPTY_ZIP)):
        yield from _unzipped(b"".join(content.pieces()), source)
    else:
        yield source, content


@frozen(eq=False)
class Gunzipped:
    """What is in a gzip file: its members, one after the other."""

    packed: Content
    source: str

    def pieces(self) -> Iterator[bytes]:
        """As of Content."""
        size = 0
        try:
            for piece in of_full_size(_gunzipped(self.packed.pieces())):
                size += len(piece)
                if size > MOST_UNPACKED:
                    raise _too_large(self.source)
                yield piece
        except UNREADABLE as error:
            raise _cannot_be(self.source, error) from None


def _gunzipped(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """What follows the last member and is none may be zeros, which pad it. Raises EOFError and zlib.error."""
    unpacker, left = None, b""
    for piece in pieces:
        left += piece
        while left:
            if unpacker is None and len(left) < len(GZIP):
                break  # too little to tell
            if unpacker is None and not left.startswith(GZIP):
                if left.strip(b"\0"):
                    raise EOFError(NO_GZIP)
                left = b""
                continue
            unpacker = unpacker or zlib.decompressobj(wbits=31)
            yield unpacker.decompress(left, PIECE)
            left = unpacker.unconsumed_tail
            if unpacker.eof:
                left, unpacker = unpacker.unused_data, None
    if unpacker is not None:
        raise EOFError("it ends too early")
    if left.strip(b"\0"):
        raise EOFError(NO_GZIP)


@frozen(eq=False)
class _Unzipped:
    """What is in one file of a zip file."""

    archive: bytes
    member: zipfile.ZipInfo
    source: str

    def pieces(self) -> Iterator[bytes]:
        """As of Content."""
        try:
            with zipfile.ZipFile(io.BytesIO(self.archive)) as archive, archive.open(self.member) as file:
                while piece := file.read(PIECE):
                    yield piece
        except UNREADABLE as error:
            raise _cannot_be(self.source, error) from None


@frozen(eq=False)
class _Member:
    """What is in one file of a zip file, which may be packed in gzip besides."""

    unzipped: _Unzipped
    source: str

    def pieces(self) -> Iterator[bytes]:
        """As of Content."""
        is_gzip = next(self.unzipped.pieces(), b"").startswith(GZIP)
        yield from (Gunzipped(self.unzipped, self.source) if is_gzip else self.unzipped).pieces()


def _unzipped(data: bytes, source: str) -> Iterator[tuple[str, Content]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            listed = [each for each in archive.infolist() if not (each.is_dir() or _is_hidden(each.filename))]
    except UNREADABLE as error:
        raise _cannot_be(source, error) from None
    size = 0
    for each in listed:
        size += each.file_size  # no more than that is ever unpacked, whatever there is
        if size > MOST_UNPACKED:
            raise _too_large(source)
        name = f"{source}/{each.filename}"
        yield name, _Member(_Unzipped(data, each, name), name)


def _is_hidden(name: str) -> bool:
    """Whether a folder would not be looked through for it either."""
    parts = name.split("/")
    return OF_MACOS in parts or any(part.startswith(".") and part.strip(".") for part in parts)


def _cannot_be(source: str, error: Exception) -> FactsError:
    return FactsError([Diagnostic(source, f"cannot be unpacked: {error}")])


def _too_large(source: str) -> FactsError:
    return FactsError([Diagnostic(source, TOO_LARGE)])
