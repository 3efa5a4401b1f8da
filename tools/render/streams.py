"""Standard output and standard error: text in any locale, JSON in UTF-8."""

from __future__ import annotations

import codecs
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any

from mqclause.model.diagnostics import escape_controls

REPLACEMENTS = {"–": "-", "—": "-", "…": "...", "‘": "'", "’": "'", "“": '"', "”": '"', "×": "x", "·": "-", "→": "->"}
"""What stands for a character that the locale's encoding does not have; a question mark for any other."""


class OutputError(Exception):
    """Standard output takes no more. ``is_closed`` where its reader went, who has had enough."""

    def __init__(self, error: OSError) -> None:
        self.is_closed = isinstance(error, BrokenPipeError)
        super().__init__(f"standard output: {(error.strerror or 'cannot be written').lower()}")


def prepare_streams() -> None:
    """Have standard output raise OutputError, and both streams replace what their encoding does not have.

    What is said on a standard error that is closed is lost: it would stand in the answer, where print() puts it.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for as long as the process lives
    codecs.register_error("mqclause", _replaced)
    out = sys.stdout
    if isinstance(out, TextIOWrapper) and not out.isatty():
        raw = _Output(out.fileno(), "wb", closefd=False)
        sys.stdout = TextIOWrapper(BufferedWriter(raw), encoding=out.encoding, line_buffering=out.line_buffering)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="mqclause")


def abandon_output() -> None:
    """Give what is still in the buffer to nobody, so that nothing is left to be written when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def encode_json_line(document: Any) -> bytes:
    """Encode a document as a line of JSON, in UTF-8 whatever the locale is."""
    return f"{json.dumps(document, ensure_ascii=False)}\n".encode()


def print_json(document: Any) -> None:
    """Write a document to standard output as a line of JSON."""
    sys.stdout.flush()
    sys.stdout.buffer.write(encode_json_line(document))


def render_json(document: Mapping[str, Any]) -> Iterator[str]:
    """Render a document as a line of JSON, in pieces: a value that is an iterator is a list, never there as a whole."""
    for number, (key, value) in enumerate(document.items()):
        yield f"{', ' if number else '{'}{json.dumps(key)}: "
        if isinstance(value, Iterator):
            yield "["
            for at, each in enumerate(value):
                yield f"{', ' if at else ''}{json.dumps(each, ensure_ascii=False)}"
            yield "]"
        else:
            yield json.dumps(value, ensure_ascii=False)
    yield "}\n"


def print_pieces(pieces: Iterable[str]) -> None:
    """Write a text to standard output in UTF-8, whatever the locale is."""
    sys.stdout.flush()
    sys.stdout.buffer.writelines(each.encode() for each in pieces)


def print_warnings(warnings: Iterable[object], remarks: Iterable[object] = ()) -> None:
    """Write each warning once, as a line of standard error, and then each remark about the sources."""
    for label, listed in (("warning", warnings), ("remark", remarks)):
        for each in dict.fromkeys(map(str, listed)):
            print(f"{label}: {escape_controls(each)}", file=sys.stderr)  # noqa: T201


class _Output(FileIO):
    """A file or a pipe whose errors are told from all others; libraries make their own of an OSError."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OutputError(error) from None


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    left_out = error.object[error.start : error.end]
    return "".join(REPLACEMENTS.get(each, "?") for each in left_out), error.end
