"""Files of a stranger: what takes no end, or more than the file is large, is one line; names are shown, not obeyed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pickle
import struct
import subprocess
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from mqclause import read_files
from mqclause.model.configuration.file_reports import report_files
from mqclause.model.configuration.snapshot import Snapshot, read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import Diagnostic, FactsError
from mqclause.model.readers import encodings as container
from mqclause.model.readers import encodings as encoding
from mqclause.model.readers.encodings import FileContent, share_read_budget, unpack_files
from mqclause.model.readers.registry import FORMATS
from mqclause.tools.commands.options import find_files, read_inputs, read_named_file
from spec_tests.support.deep import every

QM1 = b"* Queue manager name: QM1\nDEFINE QLOCAL(LEDGER)\n"
NOTHING = b"* nothing is in here\n"


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def read(*given: bytes) -> Snapshot:
    return read_sources([Source(f"f{at}", data) for at, data in enumerate(given)])


def fault(*given: bytes) -> str:
    with pytest.raises(FactsError) as caught:
        read(*given)
    lines = [*map(str, caught.value.diagnostics)]
    assert all(line.isprintable() for line in lines)
    return lines[-1]


def seconds(asked: Callable[[], object]) -> float:
    begun = time.process_time()
    asked()
    return time.process_time() - begun


def walked(data: bytes) -> int:
    """How many files are in an archive, each read to its end."""
    return len([b"".join(content.pieces()) for _, content in unpack_files(data, "f")])


@pytest.mark.parametrize(
    "files",
    [
        lambda number: zipped({f"{at}.mqsc": b"* x" for at in range(number)}, zipfile.ZIP_STORED),
        lambda number: zipped({f"{at}/{at}.mqsc": QM1 for at in range(number)}),
        lambda number: zipped({f"{at}.gz": gzip.compress(QM1) for at in range(number)}),
        lambda number: gzip.compress(NOTHING) * number,
        lambda number: gzip.compress(os.urandom(1 << 20)) + gzip.compress(b"") * (10 * number),
        lambda number: gzip.compress(b"*") * number + b"\0" * number,
    ],
    ids=["stored", "in folders", "gzip in zip", "members", "many behind a large one", "padded"],
)
def test_many_files_in_one_take_as_long_as_they_are_many(files: Callable[[int], bytes]) -> None:
    few, many = files(500), files(4000)
    walked(few)
    assert seconds(lambda: walked(many)) < 8 * 4 * seconds(lambda: walked(few)) + 0.5


def test_an_archive_is_a_value_that_is_opened_where_it_is_needed() -> None:
    (name, content), *_ = pickle.loads(pickle.dumps([*unpack_files(zipped({"a": QM1, "b": QM1}), "f")]))
    assert (name, b"".join(content.pieces())) == ("f/a", QM1)


SMALL = 1 << 20


@pytest.fixture
def a_megabyte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "MOST_UNPACKED", SMALL)


@pytest.mark.usefixtures("a_megabyte")
@pytest.mark.parametrize(
    "given",
    [
        (gzip.compress(b"*" * (SMALL + 1)),),
        (gzip.compress(b"*" * 600_000) * 2,),
        (gzip.compress(b"*" * 600_000), gzip.compress(b"*" * 600_000)),
        (zipped({"a": b"*" * 600_000, "b": b"*" * 600_000}),),
        (zipped({"a": b"*" * 600_000}), zipped({"b": b"*" * 600_000})),
        (zipped({f"{at}.gz": gzip.compress(b"*\n" * 300_000) for at in range(2)}),),
        (zipped({"same.gz": gzip.compress(b"*\n" * 300_000)}), gzip.compress(b"*\n" * 300_000)),
        (zipped({"a": b"*" * 600_000}, zipfile.ZIP_BZIP2), zipped({"a": b"*" * 600_000}, zipfile.ZIP_LZMA)),
    ],
    ids=["one", "members", "two", "in one zip", "in two", "gzip in zip", "zip and gzip", "bzip2 and LZMA"],
)
def test_what_is_unpacked_counts_together(given: tuple[bytes, ...]) -> None:
    assert "holds more than 1 MB when it is unpacked, with what was unpacked before it" in fault(*given)


@pytest.mark.usefixtures("a_megabyte")
def test_what_is_looked_at_twice_counts_once_and_plain_files_not() -> None:
    comment = b"*" + b" " * 300_000 + b"\n"
    packed = gzip.compress(QM1 + comment), zipped({"a.gz": gzip.compress(comment + b"DEFINE QLOCAL(B)")})
    queues = read(*packed, 5 * comment + b"DEFINE QLOCAL(C)").cluster.queues
    assert sorted(each.name for each in queues) == ["B", "C", "LEDGER"]


@pytest.mark.usefixtures("a_megabyte")
def test_each_command_may_unpack_as_much() -> None:
    packed = gzip.compress(QM1 + b"*" * 600_000)
    for _ in range(3):
        read(packed)
    with share_read_budget():
        read(packed)
        assert "holds more than 1 MB" in fault(packed + packed)


def test_files_are_counted_in_folders_and_archives_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "MOST_FILES", 5)
    for name in ("a", "b", "c", "d"):
        (tmp_path / name).write_bytes(NOTHING)
    (tmp_path / "e.zip").write_bytes(zipped({"x": QM1, "y": NOTHING}))
    with share_read_budget():
        found = read_inputs((str(tmp_path),))
        with pytest.raises(FactsError, match="more than 5 files are to be read"):
            read_sources(found)
    monkeypatch.setattr(container, "MOST_FILES", 4)
    with pytest.raises(FactsError, match="more than 4 files are to be read"):
        find_files((str(tmp_path),))


@pytest.mark.parametrize("end", every(2, [b"", b"\n", b"\nDEFINE QLOCAL(A)\n"]))
def test_a_line_has_an_end(monkeypatch: pytest.MonkeyPatch, end: bytes) -> None:
    monkeypatch.setattr(encoding, "LONGEST_LINE", 5 << 20)
    line = gzip.compress(QM1 + b"*" * (14 << 20) + end)
    assert fault(line) == "f0: has a line of more than 5 MB"
    assert fault(b"* " * (7 << 20) + end) == "f0: has a line of more than 5 MB"
    assert next(each.name for each in read(QM1 + b"*" * (4 << 20) + end).cluster.queues) == "LEDGER"


def damaged(data: bytes, of: bytes) -> bytes:
    """A zip file, in which some bytes of what is packed are otherwise."""
    at = data.index(of)
    return data[:at] + bytes(each ^ 0x55 for each in data[at : at + 12]) + data[at + 12 :]


BROKEN = {
    "bzip2": damaged(zipped({"q": QM1}, zipfile.ZIP_BZIP2), b"BZh"),
    "LZMA": damaged(zipped({"q": QM1}, zipfile.ZIP_LZMA), b"\t\x04\x05\x00")[:-1] + b"\0",
    "deflate": damaged(zipped({"q": QM1 * 9}), zlib.compress(QM1 * 9, wbits=-15)[:6]),
    "header": damaged(zipped({"q": QM1}), b"PK\x03\x04")[:0] + b"PK\x03\x04" + b"\xff" * 60,
    "list": zipped({"q": QM1}).replace(b"PK\x01\x02", b"PK\x01\x03"),
    "method": zipped({"q": QM1}, zipfile.ZIP_STORED).replace(struct.pack("<H", 20) + b"\0\0\0\0", struct.pack("<H", 20) + b"\0\0\x63\0"),
    "name": zipped({"qé": QM1}).replace("qé".encode(), b"q\xff\xff"),
    "gzip in it": zipped({"q.gz": gzip.compress(QM1)[:-6]}),
    "bzip2 alone": zipped({"q": bz2.compress(QM1)}),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_an_archive_that_is_damaged_is_one_line(what: str) -> None:
    assert fault(BROKEN[what]).startswith("f0")


NAMES = ("\x1b[2Jgone", "a\nb", "\x07", "\u202ecod", "\udcff", "\x9b31m", "\r", "\x7f", "a\u2028b")
"""Names of files that a terminal would obey, or that no encoding has."""


@pytest.mark.parametrize("name", NAMES)
def test_names_are_shown_and_not_obeyed(tmp_path: Path, name: str) -> None:
    said = Diagnostic(f"{name}.mqsc", "is wrong", 3)
    assert str(said).isprintable()
    path = tmp_path / f"{name}.mqsc"
    path.write_bytes(QM1 + b"DEFINE NOTHING(A)\n")
    with pytest.raises(FactsError) as caught:
        read_files([path])
    assert str(caught.value).isprintable()
    path.write_bytes(QM1)
    assert str(read_files([path]).provenance).isprintable()
    within = (
        zipped({f"{name}.mqsc": QM1 + b"DEFINE NOTHING(A)\n"}) if name.isascii() and "\0" not in name else b"PK\x05\x06"
    )
    assert fault(within).startswith("f0")


@pytest.mark.parametrize("name", ["pipe", "/dev/zero", "/dev/null", "/dev/tty", "/dev/full"])
def test_pipes_with_names_and_devices_are_not_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (named,) = find_files((str(tmp_path / name),))
    with pytest.raises(click.ClickException, match="is a named pipe|is a device|no such (file|device)"):
        read_named_file(named)
    with pytest.raises(OSError, match="is a named pipe|is a device|[Nn]o such"):
        read_files([tmp_path / name])
    with pytest.raises(FactsError, match="is a named pipe|is a device|no such"):
        next(FileContent(tmp_path / name).pieces())


def test_what_a_shell_passes_is_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, QM1)
    os.close(writing)
    (named,) = find_files((f"/dev/fd/{reading}",))
    assert named.read().data == QM1
    os.close(reading)


def test_what_comes_through_a_pipe_may_never_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is kept until it is read: so it is bounded like what is unpacked."""
    monkeypatch.setattr(container, "LARGE", SMALL >> 2)
    monkeypatch.setattr(container, "MOST_UNPACKED", SMALL)
    with subprocess.Popen(["yes", "* a remark"], stdout=subprocess.PIPE) as endless:
        assert endless.stdout is not None
        with pytest.raises(FactsError, match=r"^/dev/fd/\d+: holds more than .* MB; name a file$"):
            read_inputs((f"/dev/fd/{endless.stdout.fileno()}",))
        endless.kill()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (bz2.compress(QM1), "is packed as bzip2; allowed: gzip and zip"),
        (lzma.compress(QM1), "is packed as xz; allowed: gzip and zip"),
        (b"\x28\xb5\x2f\xfd\x00\x01", "is packed as zstd; allowed: gzip and zip"),
        (b"* no archive\x00", "is not text: byte 0 at offset 12"),
    ],
    ids=["bzip2", "xz", "zstd", "none"],
)
def test_what_packs_it_is_named(data: bytes, said: str) -> None:
    assert fault(data) == f"f0: {said}"


@pytest.mark.parametrize("outside", [bytes, gzip.compress])
def test_a_tar_file_is_named(outside: Callable[[bytes], bytes]) -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        member = tarfile.TarInfo("QM1.mqsc")
        member.size = len(QM1)
        tar.addfile(member, io.BytesIO(QM1))
    assert fault(outside(made.getvalue())).startswith("f0: is a tar file; allowed: the files in it")


def test_what_is_no_text_is_told_by_its_first_piece() -> None:
    class Endless:
        def pieces(self):  # type: ignore[no-untyped-def]
            yield b"\0" * 10
            raise AssertionError("nobody reads on")

    with pytest.raises(FactsError, match="is not text: byte 0 at offset 0"):
        read_sources([Source("f", Endless())])


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """A folder of folders that lead back to it in five ways, with two files."""
    for name in ("a", "b", "b/c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "up").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to(".")
    (tmp_path / "round").symlink_to("b/c/up")
    for name in ("1.mqsc", "b/c/2.mqsc", ".hidden.mqsc", "b/3.txt"):
        (tmp_path / name).write_bytes(QM1)
    return tmp_path


@pytest.mark.parametrize("pattern", ["**/*.mqsc", "**/**/*.mqsc", "*/**/*.mqsc", "**/c/**/*.mqsc", "**/[0-9].mqsc"])
def test_folders_that_lead_in_a_circle_are_walked_once(
    linked: Path, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {each.path for each in find_files((f"{linked}/{pattern}",))}
    # A link is followed where the pattern names it, by a star that stands for one folder; the circle is walked once.
    through = {each for each in found if {"up", "self", "round"} & {*Path(each).parts}}
    assert bool(through) == pattern.startswith("*/")
    at_top = {f"{linked}/1.mqsc"} if "/c/" not in pattern and not pattern.startswith("*/") else set()
    assert found - through == {f"{linked}/b/c/2.mqsc"} | at_top
    monkeypatch.chdir(linked)
    assert {str(linked / each.path) for each in find_files((pattern,))} == found


@pytest.mark.parametrize("name", [each.name for each in FORMATS])
@pytest.mark.parametrize(
    "data", [b"x", b"* x\n", b"a: b\n", b"{}", b"[]", b"#!/bin/sh\n", b"//A JOB\n", b"AMQ8409: x\n", b"\0\1"]
)
def test_what_is_said_to_be_of_a_format_and_is_not(name: str, data: bytes) -> None:
    with pytest.raises(FactsError) as caught:
        read_sources([Source("f", data, format=name)])
    assert all(str(each).startswith("f") for each in caught.value.diagnostics)


def encrypted(data: bytes) -> bytes:
    """A zip file of one file that says of it, before it and in its list, that it is encrypted."""
    changed = bytearray(data)
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        changed[changed.find(signature) + flags] |= 1
    return bytes(changed)


def test_a_file_that_is_encrypted_is_told_of_in_words() -> None:
    with pytest.raises(FactsError) as caught:
        read_sources([Source("z.zip", encrypted(zipped({"QM1.mqsc": QM1})))])
    assert str(caught.value) == "z.zip/QM1.mqsc: is encrypted; unpack it first"


@pytest.mark.usefixtures("a_megabyte")
def test_past_the_limit_there_is_one_line_however_many_files_there_are() -> None:
    """Also where each is one that would be passed by, and where what each file comes to is asked for."""
    packed = gzip.compress(b"*\n" * 300_000)
    many = Source("z.zip", zipped({f"{at}.gz": packed for at in range(5)}), found=True)
    for read in (read_sources, report_files):
        with share_read_budget(), pytest.raises(FactsError) as caught:
            read([many, Source("other.gz", packed, found=True)])
        (told,) = caught.value.diagnostics
        assert str(told).startswith("z.zip/1.gz: holds more than 1 MB when it is unpacked")
