"""The bytes of a source: in memory, in a file, or packed; in pieces, so that a large one is never there as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from attrs import frozen

from mqclause.model.diagnostic import Diagnostic, FactsError

PIECE = 1 << 22
"""So many bytes are in one piece; what is smaller is one."""

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
            with self.path.open("rb") as file:
                while piece := file.read(PIECE):
                    yield piece
        except OSError as error:
            why = (error.strerror or "cannot be read").lower()
            raise FactsError([Diagnostic(str(self.path), why)]) from None


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
    with Path(path).open("rb") as file:
        data = file.read(LARGE + 1)
        return InFile(Path(path)) if len(data) > LARGE and Path(path).is_file() else data + file.read()
