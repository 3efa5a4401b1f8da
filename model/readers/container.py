"""Files in gzip and zip to what is in them."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator

from attrs import frozen

from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.readers.content import PIECE, Content, content_of, of_full_size

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
MOST_UNPACKED = 1 << 30
"""So many bytes may be in one file: more than any queue manager's dump has."""

TOO_LARGE = f"holds more than {MOST_UNPACKED >> 20} MB when it is unpacked; unpack it first"
UNREADABLE = (zlib.error, zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError)


def unpacked(data: bytes | Content, source: str) -> Iterator[tuple[str, Content]]:
    """The files in ``data`` with their names; ``data`` itself if it is packed in neither. Raises FactsError.

    What a file holds is unpacked when its pieces are asked for.
    """
    content = content_of(data)
    begins = next(content.pieces(), b"")
    if begins.startswith(GZIP):
        yield source, Gunzipped(content, source)
    elif begins.startswith(ZIP):
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
    """What follows the last member and is none is passed over. Raises EOFError and zlib.error."""
    unpacker, left = None, b""
    for piece in pieces:
        left += piece
        while left:
            if unpacker is None and len(left) < len(GZIP):
                break  # too little to tell
            if unpacker is None and not left.startswith(GZIP):
                return
            unpacker = unpacker or zlib.decompressobj(wbits=31)
            yield unpacker.decompress(left, PIECE)
            left = unpacker.unconsumed_tail
            if unpacker.eof:
                left, unpacker = unpacker.unused_data, None
    if unpacker is not None:
        raise EOFError("it ends too early")


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


def _unzipped(data: bytes, source: str) -> Iterator[tuple[str, Content]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            listed = [each for each in archive.infolist() if not each.is_dir()]
    except UNREADABLE as error:
        raise _cannot_be(source, error) from None
    size = 0
    for each in listed:
        size += each.file_size  # no more than that is ever unpacked, whatever there is
        if size > MOST_UNPACKED:
            raise _too_large(source)
        yield f"{source}/{each.filename}", _Unzipped(data, each, source)


def _cannot_be(source: str, error: Exception) -> FactsError:
    return FactsError([Diagnostic(source, f"cannot be unpacked: {error}")])


def _too_large(source: str) -> FactsError:
    return FactsError([Diagnostic(source, TOO_LARGE)])
