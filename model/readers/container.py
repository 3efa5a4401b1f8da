"""Files in gzip and zip to what is in them."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator

from mqclause.model.diagnostic import Diagnostic, FactsError

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
MOST_UNPACKED = 1 << 30
"""So many bytes may be in one file: more than any queue manager's dump has."""

TOO_LARGE = f"holds more than {MOST_UNPACKED >> 20} MB when it is unpacked; unpack it first"


def unpacked(data: bytes, source: str) -> Iterator[tuple[str, bytes]]:
    """The files in ``data`` with their names; ``data`` itself if it is packed in neither. Raises FactsError."""
    try:
        if data.startswith(GZIP):
            yield source, _gunzipped(data)
        elif data.startswith(ZIP):
            yield from _unzipped(data, source)
        else:
            yield source, data
    except (zlib.error, zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise FactsError([Diagnostic(source, f"cannot be unpacked: {error}")]) from None
    except OverflowError:
        raise FactsError([Diagnostic(source, TOO_LARGE)]) from None


def _gunzipped(data: bytes) -> bytes:
    """The members of a gzip file, one after the other; raises OverflowError."""
    parts, size = list[bytes](), 0
    while data.startswith(GZIP):
        unpacker = zlib.decompressobj(wbits=31)
        parts.append(unpacker.decompress(data, MOST_UNPACKED - size + 1))
        size += len(parts[-1])
        if size > MOST_UNPACKED:
            raise OverflowError
        if not unpacker.eof:
            raise EOFError("it ends too early")
        data = unpacker.unused_data
    return b"".join(parts)


def _unzipped(data: bytes, source: str) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = 0
        for each in archive.infolist():
            if not each.is_dir():
                with archive.open(each) as file:
                    content = file.read(MOST_UNPACKED - size + 1)
                size += len(content)
                if size > MOST_UNPACKED:
                    raise OverflowError
                yield f"{source}/{each.filename}", content
