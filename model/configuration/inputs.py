"""What is read: files, folders, patterns, ``QM1=FILE``, texts, open files and parsed JSON become sources."""

from __future__ import annotations

import json
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from glob import escape, glob, has_magic
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias

from attrs import frozen

from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import Diagnostic, FactsError, check_several, check_type, quote_value
from mqclause.model.readers.encodings import (
    LARGE,
    MOST_UNPACKED,
    PIECE,
    Content,
    FileContent,
    GzipContent,
    MemoryContent,
    get_read_budget,
    open_file,
)

STANDARD_INPUT = "-"

ANY_FOLDERS = re.compile(r"(?:^|(?<=/))(?:\*\*/)*\*\*(?:/|$)")
"""The part of a pattern that stands for folders in folders."""


class OpenFile(Protocol):
    """Something that is open to be read: a file, a response of a server, ``io.StringIO``."""

    def read(self) -> str | bytes:
        """Return all that is left in it."""
        ...


Input: TypeAlias = str | Path | bytes | OpenFile | Source | Mapping[str, Any] | list[Any]
"""What can be read: the name of a file or of several, what is in one, an open file, parsed JSON or TOML."""


@frozen
class NamedFile:
    """A file that is named, or that is ``found`` in a folder or by a pattern."""

    path: str
    owner: str = ""
    found: bool = False
    format: str = ""

    def read(self) -> Source:
        """Read the file. Raises OSError where it cannot be opened, FactsError for what is no name of one."""
        return Source(self.path, read_file_content(self.path), self.owner, self.found, format=self.format)


def text(of: str | bytes, name: str = "text", queue_manager: str = "") -> Source:
    """Return a text in memory as a source, by a name that messages have; ``queue_manager`` says whose it is."""
    check_type("name", name, str)
    check_type("queue_manager", queue_manager, str)
    data = of.encode() if isinstance(of, str) else check_type("of", of, bytes, " or str")
    return Source(name, data, queue_manager)


def list_sources(inputs: Iterable[Input]) -> list[Source]:
    """Read what each input names or holds. Raises FactsError, OSError for a file that cannot be opened, TypeError.

    Nothing to read is a FactsError: an answer about nothing would say that all is well.
    """
    check_several("sources", inputs)
    found = [source for place, each in enumerate(inputs, 1) for source in _sources_of(each, place)]
    if not found:
        raise FactsError([Diagnostic("sources", "none is given; expected files, texts or parsed JSON to read")])
    return found


def _sources_of(given: Input, place: int) -> Iterator[Source]:
    """The sources of one input, which is called by its ``place`` where it has no name."""
    match given:
        case Source():
            yield given
        case str():
            yield from (each.read() for each in find_named_files(given))
        case Path():
            found = [*_in_folder(str(given))]
            if not found:
                raise FactsError([Diagnostic(str(given), "no file is there")])
            yield from (each.read() for each in found)
        case bytes():
            yield text(given, f"source {place}")
        case Mapping() | list():
            yield text(json.dumps(given, default=_as_text), f"source {place}")
        case _ if callable(getattr(given, "read", None)):
            name = getattr(given, "name", None)
            yield text(given.read(), name if isinstance(name, str) else f"source {place}")
        case _:
            raise TypeError(
                f"source {place} is of the type {type(given).__name__}; "
                "expected a path, bytes, an open file, text(…) or parsed JSON"
            )


def _as_text(value: object) -> str:
    """What TOML has and JSON has not: a day and a time."""
    if hasattr(value, "isoformat"):
        return str(value)
    raise TypeError(f"{quote_value(value)} is of the type {type(value).__name__}, which neither JSON nor TOML has")


def find_named_files(name: str) -> Iterator[NamedFile]:
    """Find the files that a name stands for: ``-``, a file, a folder, a pattern, ``QM1=FILE``. Raises FactsError."""
    owner, equals, path = name.partition("=")
    owner = owner.rstrip(" ")
    if not equals or os.path.exists(name):
        owner, path = "", name
    if os.path.isdir(path):
        found = [*_in_folder(path)]
    elif path != STANDARD_INPUT and has_magic(path) and not os.path.exists(path):
        fitting = {each for each in map(Path, _fitting(path)) if os.path.isfile(each)}
        found = [NamedFile(str(each), found=True) for each in sorted(fitting)]
    else:
        yield NamedFile(path, owner)
        return
    if owner:
        raise FactsError([Diagnostic(name, f"allowed behind {owner}= is one file")])
    if not found:
        raise FactsError([Diagnostic(path, "no file is there")])
    get_read_budget().read(len(found), path)
    yield from found


def _in_folder(path: str) -> Iterator[NamedFile]:
    """The files of a folder, or the file that is none."""
    if not os.path.isdir(path):
        yield NamedFile(path)
        return
    for each in sorted(each for each in _below(Path(path)) if os.path.isfile(each)):
        yield NamedFile(str(each), found=True)


def _below(folder: Path) -> Iterator[Path]:
    """The files of a folder and of those in it, but for hidden ones; a link to a folder is not followed."""
    for above, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if not each.startswith(".")]
        yield from (Path(above, each) for each in files if not each.startswith("."))


def _fitting(pattern: str) -> Iterator[str]:
    """What fits a pattern, as of a shell; ``**`` stands for a folder and those in it, as where a folder is named."""
    found = ANY_FOLDERS.search(pattern)
    if found is None:
        yield from glob(pattern)
        return
    before, behind = pattern[: found.start()], pattern[found.end() :]
    for start in glob(before) if before else [""]:
        for above, folders, _ in os.walk(start or os.curdir):
            folders[:] = [each for each in folders if not each.startswith(".")]
            within = above if start else above[len("./") :]
            yield from _fitting(os.path.join(escape(within), behind or "*"))


def open_named(name: str) -> BinaryIO:
    """Open a file, or standard input for ``-``. Raises OSError, FactsError for what is no name of a file."""
    if name == STANDARD_INPUT:
        if sys.stdin is None:
            raise FactsError([Diagnostic(name, "standard input is closed")])
        if sys.stdin.closed:  # As the first one that read it has left it.
            raise FactsError([Diagnostic(name, "standard input is named twice; allowed: once")])
        return sys.stdin.buffer
    try:
        return open_file(name)
    except ValueError:
        raise FactsError([Diagnostic(name, "is not a file name")]) from None


def read_file_content(name: str) -> bytes | Content:
    """Read a file, or return what reads a large one; ``-`` is standard input. Raises what ``open_named`` raises."""
    with open_named(name) as file:
        data = file.read(LARGE + 1)
        return data if len(data) <= LARGE else _large(name, file, data)


def _large(name: str, file: BinaryIO, begun: bytes) -> Content:
    """What reads the file once more, or what was read of a pipe, which is kept packed."""
    if os.path.isfile(name):
        return FileContent(Path(name))
    packer = zlib.compressobj(level=1, wbits=31)
    packed, size = [packer.compress(begun)], len(begun)
    while piece := file.read(PIECE):
        size += len(piece)
        if size > MOST_UNPACKED:  # A pipe may never end.
            raise FactsError([Diagnostic(name, f"holds more than {MOST_UNPACKED >> 20} MB; name a file")])
        packed.append(packer.compress(piece))
    return GzipContent(MemoryContent(b"".join([*packed, packer.flush()])), name)
