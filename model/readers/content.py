"""The bytes of a source: in memory, in a file, or packed; in pieces, so that a large one is never there as a whole."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from attrs import frozen

from mqclause.model.diagnostic import Diagnostic, FactsError

PIECE = 1 << 22
"""So many bytes are in one piece; what is smaller is one."""

LONGEST_LINE = 64 << 20
"""So many bytes, or characters, may be in a line."""

MOST_FILES = 100_000
"""So many files may be read in all, in folders and in archives."""

LARGE = 10_000_000
"""A file of more bytes is read when it is looked at, and not before."""


class Content(Protocol):
    """Bytes that can be read any number of times."""

    def pieces(self) -> Iterator[bytes]:
        """All of them from the beginning, at most PIECE at once. Raises FactsError where they cannot be read."""


@frozen(eq=False)
class InMemory:
    """Bytes that are there."""

    data: bytes

    def pieces(self) -> Iterator[bytes]:
        """As of Content."""
        if len(self.data) <= PIECE:
            yield self.data
            return
        view = memoryview(self.data)
        yield from (bytes(view[at : at + PIECE]) for at in range(0, len(view), PIECE))


@frozen(eq=False)
class InFile:
    """The bytes of a file."""

    path: Path

    def pieces(self) -> Iterator[bytes]:
        """As of Content."""
        try:
            with opened(self.path) as file:
                while piece := file.read(PIECE):
                    yield piece
        except OSError as error:
            why = (error.strerror or "cannot be read").lower()
            raise FactsError([Diagnostic(str(self.path), why)]) from None


def opened(path: str | Path) -> BinaryIO:
    """A file, open to be read. Raises OSError, also for a device or a named pipe, which might never end or begin.

    What a shell passes as a pipe, ``<(command)``, is read.
    """
    mode = os.stat(path).st_mode
    is_named_pipe = stat.S_ISFIFO(mode) and not os.path.realpath(path).startswith(PASSED)
    if is_named_pipe or stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise OSError(errno.EINVAL, "is a named pipe; - reads standard input" if is_named_pipe else "is a device")
    return Path(path).open("rb")


PASSED = ("/dev/fd/", "/proc/")
"""Where the files stand that are open already."""


def content_of(data: bytes | Content) -> Content:
    """``data`` as content."""
    return InMemory(data) if isinstance(data, bytes) else data


def of_full_size(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, put together to pieces of PIECE bytes at least; the last may be smaller."""
    waiting, size = list[bytes](), 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= PIECE:
            yield b"".join(waiting)
            waiting, size = [], 0
    if size:
        yield b"".join(waiting)


def of_file(path: str | Path) -> bytes | Content:
    """What is in a file; of a large one what reads it. Raises OSError for a file that cannot be opened."""
    with opened(path) as file:
        data = file.read(LARGE + 1)
        return InFile(Path(path)) if len(data) > LARGE and Path(path).is_file() else data + file.read()
