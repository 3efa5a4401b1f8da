"""Large texts, which are read in pieces: the same as if they were there as a whole."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from mqclause.model.diagnostics import FactsError
from mqclause.model.readers.encodings import (
    PIECE,
    FileContent,
    GzipContent,
    MemoryContent,
    decode_text,
    unpack_files,
)
from mqclause.model.readers.mqsc import read_mqsc
from mqclause.model.readers.registry import read_contents
from mqclause.model.readers.runmqsc import read_runmqsc
from spec_tests.support.deep import first

SCRIPT = """* Queue manager name: QM1
DEFINE QLOCAL('A') +
*  CURDEPTH(7) +
   DESCR('a long -
 one') +
   CLWLPRTY(3)

DEFINE QALIAS(B) TARGET(A)
DEFINE QALIAS(C) TARGET(
ALTER QLOCAL('A') +
   PUT(DISABLED)"""
LOG = """Starting MQSC for queue manager QM1.
     1 : DISPLAY QUEUE(*) ALL
AMQ8409I: Display Queue details.
   QUEUE(A)                                TYPE(QLOCAL)
   DESCR(goes
     on)                                   PUT(ENABLED)
AMQ8409I: Display Queue details.
   QUEUE(B)                                TYPE(QALIAS)
   TARGET(A)
     2 : DISPLAY +
       : CLUSQMGR(*)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM1)                           CHANNEL(TO.QM1)
   CLUSTER(S)                              DEFTYPE(CLUSRCVR)
3 MQSC commands read.
"""


def cut(text: str, at: list[int]) -> Iterator[str]:
    """The text, cut behind those of its lines."""
    lines = text.splitlines(keepends=True)
    ends = [0, *sorted(each % len(lines) for each in at), len(lines)]
    yield from filter(None, ("".join(lines[one:two]) for one, two in pairwise(ends)))


@given(st.lists(st.integers(0, 50), max_size=6))
def test_wherever_a_text_is_cut_it_says_the_same(at: list[int]) -> None:
    assert read_mqsc(cut(SCRIPT, at), "f") == read_mqsc(SCRIPT, "f")
    assert read_runmqsc(cut(LOG, at), "f") == read_runmqsc(LOG, "f")


@frozen(eq=False)
class Bits:
    """Bytes in pieces of that size."""

    data: bytes
    size: int

    def pieces(self) -> Iterator[bytes]:
        """As of Content."""
        yield from (self.data[at : at + self.size] for at in range(0, len(self.data), self.size))


@given(st.integers(1, 90), st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "latin-1", "cp037"]))
def test_an_encoding_is_told_and_read_wherever_the_bytes_are_cut(size: int, encoding: str) -> None:
    ends = {"cp037": "\x85", "latin-1": "\r", "utf-16": "\r\n"}
    text = SCRIPT.replace("long", "lang und größer").replace("\n", ends.get(encoding, "\n"))
    data = text.encode(encoding)
    whole, cut_up = decode_text(data, "f"), decode_text(Bits(data, max(size, 4)), "f")
    assert "".join(cut_up.pieces()) == "".join(whole.pieces())
    assert cut_up.fault == whole.fault
    assert all(each.endswith("\n") for each in [*cut_up.pieces()][:-1])


@given(st.integers(1, 90), st.binary(max_size=40), st.booleans())
def test_a_gzip_file_of_two_members_and_what_follows_it(size: int, more: bytes, follows: bool) -> None:
    packed = gzip.compress(LOG.encode(), mtime=0) + gzip.compress(more, mtime=0) + (b"\0" * 9 if follows else b"")
    assert b"".join(GzipContent(Bits(packed, size), "f").pieces()) == LOG.encode() + more


def test_where_bytes_are_no_text_is_counted_over_all_pieces() -> None:
    data = b"DEFINE QLOCAL(A)\n" * 3 + b"\xff\n" + b"a\nb\nc\xe9" * 9
    for size in (4, 7, 1000):
        fault = decode_text(Bits(data, size), "f").fault
        assert str(fault) == "f:4: is not UTF-8 text: byte 0xff at offset 51"
        with pytest.raises(FactsError, match=r"^f: is not text: byte 0 at offset 107$"):
            decode_text(Bits(data + b"\0", size), "f")


def test_a_large_file_is_told_by_its_beginning_unless_it_holds_output_of_runmqsc(tmp_path: Path) -> None:
    script = "DEFINE QLOCAL(A)\n" + f"*{' ' * 2000}\n" * (PIECE // 2000)
    for more, name in (("", "MQSC"), ("AMQ8006I: IBM MQ queue created.\n", "runmqsc")):
        (tmp_path / "f").write_text(script + more)
        assert read_contents(FileContent(tmp_path / "f"), "f").format == name
    assert (
        read_contents(MemoryContent(b'{"queue": [], "note": "' + b"AMQ8006I: \\n" * (PIECE // 10) + b'"}'), "f").format
        == "JSON"
    )


def test_a_file_that_is_gone_when_it_is_read(tmp_path: Path) -> None:
    with pytest.raises(FactsError, match=r"f: no such file or directory$"):
        list(unpack_files(FileContent(tmp_path / "f"), "f"))


def test_small_pieces_are_put_together() -> None:
    packed = [gzip.compress(each) for each in (b"a", b"", b"b")]
    assert list(GzipContent(MemoryContent(b"".join(packed)), "f").pieces()) == [b"ab"]


def test_what_is_in_no_format_is_never_there_as_a_whole() -> None:
    """Remarks alone, packed to a thousandth: 12 pieces, of which two are there at a time, with what is made of one."""
    packed = gzip.compress((b"* nothing is said here".ljust(9999) + b"\n") * (12 * PIECE // 10_000))
    tracemalloc.start()
    try:
        with pytest.raises(FactsError, match="is in no format that is read"):
            read_contents(GzipContent(MemoryContent(packed), "a.gz"), "a.gz")
        assert tracemalloc.get_traced_memory()[1] < 8 * PIECE
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("end", "name"),
    [("DEFINE QLOCAL(A)\n", "MQSC"), ('[queue_manager]\nname = "QM1"\n', "TOML")],
)
def test_what_stands_behind_a_piece_of_remarks_alone_is_read(end: str, name: str) -> None:
    remark = ("* nothing" if name == "MQSC" else "# nothing").ljust(9999) + "\n"
    text = remark * (PIECE // 10_000 + 1) + end
    assert read_contents(text.encode(), "a").format == name


@pytest.mark.parametrize(
    "begun",
    first(1, ["", (" " * 999 + "\n") * (PIECE // 1000 + 1)]),
    ids=["at once", "behind a piece of blanks"],
)
def test_json_of_several_pieces_is_read_as_a_whole(begun: str) -> None:
    text = begun + '{"queue_manager": {"name": "QM1", "descr": "' + " " * PIECE + '"}}'
    assert read_contents(text.encode(), "a").format == "JSON"
