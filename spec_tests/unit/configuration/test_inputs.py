"""The encodings and containers that files come in, and whose a file is."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
import zlib
from pathlib import Path

import click
import pytest

from mqclause.check.findings import inspected
from mqclause.model.configuration.file_reports import report_files
from mqclause.model.configuration.snapshot import Snapshot, read_sources
from mqclause.model.configuration.sources import Source, list_sources
from mqclause.model.diagnostics import FactsError
from mqclause.model.readers import encodings as container
from mqclause.tools.commands.options import read_inputs

TEXT = "* Queue manager name: QM1\nDEFINE QLOCAL('A') DESCR('café')\n"
MEMBER = "DEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(SALES)\nDEFINE QLOCAL(Q) CLUSTER(SALES)\n"


def read(data: bytes) -> Snapshot:
    return read_sources([Source("f", data)])


def fault(*given: Source) -> str:
    with pytest.raises(FactsError) as caught:
        read_sources(given)
    (found,) = caught.value.diagnostics
    return str(found)


def records(text: str) -> bytes:
    """The text as a data set of z/OS: records of 80 bytes, with numbers in the last eight columns."""
    lines = [line.ljust(72)[:72] + f"{number:08}" for number, line in enumerate(text.splitlines())]
    return "".join(lines).encode("cp037")


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
        TEXT.encode("latin-1"),
        TEXT.replace("\n", "\r").encode("utf-8-sig"),
        TEXT.replace("\n", "\x85").encode("cp037"),
        records(TEXT),
        gzip.compress(TEXT.encode(), mtime=0),
        gzip.compress(TEXT[:30].encode(), mtime=0) + gzip.compress(TEXT[30:].encode("latin-1"), mtime=0),
    ],
)
def test_a_script_in_the_encodings_that_it_comes_in(data: bytes) -> None:
    cluster = read(data).cluster
    assert (cluster.queue_manager.name, [queue.name for queue in cluster.queues]) == ("QM1", ["A"])


def test_a_name_that_no_queue_manager_has_is_told_where_it_stands() -> None:
    long = "X" * 49
    told = (
        f"queue manager name: '{long}' is not allowed; allowed: text of 1 to 48 characters, without control characters"
    )
    one, two = Source("1", TEXT.encode()), Source("2", f"* x\n{TEXT.replace('QM1', long)}".encode())
    assert fault(one, two) == f"2:2: {told}"


def test_a_zip_of_dumps() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("QM1", "QM2"):
            archive.writestr(f"dumps/{name}.mqsc", f"* Queue manager name: {name}\n" + MEMBER.format(name))
    snapshot = read_sources([Source("all.zip", packed.getvalue())], "QM1")
    assert [queue.queue_manager for queue in snapshot.cluster.queues] == ["QM1", "QM2"]
    assert snapshot.provenance.of(snapshot.cluster.queues[1], "name").source == "all.zip/dumps/QM2.mqsc"


def zipped(**files: bytes) -> bytes:
    """A zip of files, in whose names ``__`` stands for a slash and ``_`` for the point."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return packed.getvalue()


MEMBERS = [f"* Queue manager name: {name}\n{MEMBER.format(name)}".encode() for name in ("QM1", "QM2")]


def test_what_is_found_in_a_zip_and_is_in_no_format_is_passed_by_as_in_a_folder() -> None:
    one, two = MEMBERS
    archive = zipped(a__QM1_mqsc=one, a__README_md=b"Dear reader", a___DS_Store=b"\0\1", b__QM2_gz=gzip.compress(two))
    for found in (False, True):
        snapshot = read_sources([Source("z", archive, found=found)], "QM1")
        assert [queue.queue_manager for queue in snapshot.cluster.queues] == ["QM1", "QM2"]
        assert [each.source for each in snapshot.warnings] == ["z/a/README.md"]
    with_macos = zipped(QM1_mqsc=one).replace(b"QM1.mqsc", b"__MACOSX")  # one name for another of the same length
    assert fault(Source("z", with_macos)) == "z: no file is in it"
    with pytest.raises(FactsError, match="^z: no file is in it$"):
        report_files([Source("z", with_macos)])
    assert fault(Source("z", zipped(README_md=b"Dear reader"))).startswith("z/README.md: is in no format that is read")
    assert fault(Source("z", zipped(QM1=one, README_md=b"Dear reader"), "QM1")).startswith("z/README.md: is in no")
    assert fault(Source("z", zipped(in_zip=zipped(QM1=one)))).startswith(
        "z/in.zip: is packed, in a file that is packed"
    )


def test_a_zip_that_is_named_and_has_nothing_to_read_is_a_fault_beside_other_files() -> None:
    with pytest.raises(FactsError) as caught:
        read_sources([Source("QM1", MEMBERS[0]), Source("z", zipped(README_md=b"Dear reader"))])
    assert [each.source for each in caught.value.diagnostics] == ["z/README.md"]


def test_what_follows_what_is_packed_is_not_lost() -> None:
    packed = gzip.compress(MEMBERS[0])
    for zeros in (b"", b"\0", b"\0" * 512):
        assert read_sources([Source("f", packed + zeros)]).cluster.queue_manager.name == "QM1"
    for more in (b"D", b"DEFINE QLOCAL(LOST)\n", b"\0\0DEFINE"):
        assert fault(Source("f", packed + more)) == "f: cannot be unpacked: something follows what is packed"


def test_what_cannot_be_unpacked() -> None:
    assert fault(Source("f", gzip.compress(TEXT.encode(), mtime=0)[:20])) == "f: cannot be unpacked: it ends too early"
    assert fault(Source("f", b"PK\x03\x04 and nothing else")).startswith("f: cannot be unpacked: ")


def test_what_is_unpacked_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "MOST_UNPACKED", 1 << 20)
    bomb = zlib.compress(b" " * (1 << 22), wbits=31)
    assert len(bomb) < 10_000
    assert fault(Source("f", bomb)).startswith("f: holds more than ")


def test_the_caller_says_whose_a_script_is() -> None:
    given = [Source(name, MEMBER.format(name).encode(), name) for name in ("QM1", "QM2")]
    assert [queue.queue_manager for queue in read_sources(given, "QM2").cluster.queues] == ["QM1", "QM2"]


def test_a_name_that_the_file_contradicts() -> None:
    said = fault(Source("f", b"* first\n" + TEXT.encode(), "QM7"))
    assert said == "f:2: is given as 'QM7', but says that it is of QM1"


def test_a_facts_file_is_of_its_local_queue_manager() -> None:
    """One without a table of it is anybody's."""
    text = b'[[queue]]\nname = "Q"\n'
    said = fault(Source("f", b'# first\n[queue_manager]\nname = "QM1"\n' + text, "QM7"))
    assert said == "f:3:1: is given as 'QM7', but says that it is of QM1"
    local = Source("f", b'[queue_manager]\nname = "QM1"\n', "QM1")
    assert [queue.name for queue in read_sources([local, Source("more", text, "QM7")]).cluster.queues] == ["Q"]


def test_what_is_found_and_in_no_format_is_passed_by() -> None:
    letter = Source("letter", b"Dear reader,\n", found=True)
    found = read_sources([letter, Source("f", TEXT.encode(), found=True)])
    assert [each.source for each in found.warnings] == ["letter"]
    assert fault(letter).startswith("letter: is in no format that is read")


class TestArguments:
    """What the command line makes of FACTS."""

    def test_names_before_files(self, tmp_path: Path) -> None:
        for name in ("QM1", "QM2"):
            (tmp_path / f"{name}.txt").write_text(MEMBER.format(name))
        (tmp_path / "a=b.txt").write_text(TEXT)
        found = read_inputs((f"QM1={tmp_path}/QM1.txt", f"{tmp_path}/a=b.txt"))
        assert [(each.name, each.queue_manager) for each in found] == [
            (f"{tmp_path}/QM1.txt", "QM1"),
            (f"{tmp_path}/a=b.txt", ""),
        ]

    def test_a_folder_and_a_pattern(self, tmp_path: Path) -> None:
        (tmp_path / "sub").mkdir()
        (tmp_path / ".hidden").write_text("no")
        for name in ("QM1", "QM2"):
            (tmp_path / "sub" / f"{name}.mqsc").write_text(f"* Queue manager name: {name}\n" + MEMBER.format(name))
        for named in (str(tmp_path), f"{tmp_path}/**/*.mqsc"):
            found = read_inputs((named,))
            assert [(Path(each.name).name, each.found) for each in found] == [("QM1.mqsc", True), ("QM2.mqsc", True)]
            assert [queue.queue_manager for queue in read_sources(found, "QM1").cluster.queues] == ["QM1", "QM2"]

    def test_what_is_not_there(self, tmp_path: Path) -> None:
        for named, told in [
            (f"{tmp_path}/*.mqsc", "no file is there"),
            (str(tmp_path), "no file is there"),
            (f"QM1={tmp_path}", "allowed behind QM1= is one file"),
            (f"{tmp_path}/none", "no such file or directory"),
        ]:
            with pytest.raises((click.ClickException, FactsError)) as caught:
                read_inputs((named,))
            assert str(caught.value).endswith(told)


SHOWS_A_QUEUE = (
    '{"commandResponse": [{"parameters": {"qmname": "QM1"}}, {"parameters": {"queue": "A", "type": "QLOCAL"}}]}'
)


@pytest.mark.parametrize(
    "text",
    [
        '{"commandResponse": []}',
        '{"commandResponse": [{"completionCode": 2, "message": ["AMQ8147E: IBM MQ object A not found."]}]}',
        '{"commandResponse": [{"text": ["a word"]}]}',
    ],
    ids=["no answer", "not found", "no display"],
)
def test_answers_that_show_nothing_tell_nothing(text: str) -> None:
    """Not that nothing is there; beside an answer that shows something they say no less than that."""
    silent, other = Source("a.json", text.encode()), Source("b.json", SHOWS_A_QUEUE.encode())
    said = re.escape("a.json: nothing is shown here: no object and no status")
    for asked in (lambda: read_sources([silent], "QM1"), lambda: inspected([silent]).findings()):
        with pytest.raises(FactsError, match=said):
            asked()
    assert "A" in read_sources([silent, other]).cluster.own_queues
    assert inspected([silent, other]).findings() == []


@pytest.mark.parametrize(
    ("named", "read"),
    [
        (["conf", "conf/QM1.mqsc"], ["QM1.mqsc", "QM2.mqsc"]),
        (["conf/QM2.mqsc", "conf", "conf/../conf/QM2.mqsc"], ["QM2.mqsc", "QM1.mqsc"]),
        (["conf/*.mqsc", "conf/*.mqsc"], ["QM1.mqsc", "QM2.mqsc"]),
        (["conf", "QM2=conf/QM2.mqsc"], ["QM1.mqsc", "QM2=QM2.mqsc"]),
        (["conf/QM2.mqsc", "QM2=conf/QM2.mqsc"], ["QM2=QM2.mqsc"]),
        (["QM1=conf/QM2.mqsc", "QM2=conf/QM2.mqsc"], ["QM1=QM2.mqsc", "QM2=QM2.mqsc"]),
    ],
)
def test_a_file_that_is_named_again_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: list[str], read: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("conf").mkdir()
    for name in ("QM1", "QM2"):
        Path("conf", f"{name}.mqsc").write_text("DEFINE QLOCAL(Q)\n")

    def told(sources: list[Source]) -> list[str]:
        return ["=".join(filter(None, (each.queue_manager, Path(each.name).name))) for each in sources]

    assert told(list_sources(named)) == read
    assert told(read_inputs(tuple(named))) == read


def test_a_file_of_no_format_that_is_named_is_a_fault_though_it_is_found_too(tmp_path: Path) -> None:
    (tmp_path / "QM1.mqsc").write_text(TEXT)
    (tmp_path / "notes").write_text("nothing of MQ")
    assert read_sources(list_sources([str(tmp_path)])).cluster.queues
    with pytest.raises(FactsError, match="is in no format that is read"):
        read_sources(list_sources([str(tmp_path), str(tmp_path / "notes")]))
