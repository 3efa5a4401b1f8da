"""What ``mqclause batch`` refuses, in one line, and that nothing is left of a run that does not end well."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mqclause.tools.batch.run import create_folder_beside
from mqclause.tools.batch.tables import find_table, read_traffic
from mqclause.tools.errors import BatchError
from spec_tests.support.batch_files import ENTRY, batch, read, row, run, written
from spec_tests.support.deep import first
from spec_tests.support.explain_command import bad

BAD = [
    ("none.parquet", "out.csv", "none.parquet: no such file or directory"),
    ("in.txt", "out.csv", "in.txt: the name of a table ends in one of .parquet, .csv, .csv.gz, .jsonl, "),
    ("in.csv", "out.xlsx", "out.xlsx: the name of a table ends in one of "),
    ("in.csv", "none/out.csv", "there is no folder "),
    ("in.csv", "in.csv", "in.csv: the output may not be the input or in its folder"),
    ("in.csv", "out.csv", "in.csv: column put is missing; the table has: a, b"),
    ("in.parquet", "out.csv", "in.parquet: "),
    ("array.json", "out.csv", "array.json: a JSON array; JSON Lines has one object a line"),
    ("one.json", "out.csv", "one.json: not JSON Lines: no line holds a JSON object"),
    ("done.csv", "out.csv", "done.csv: column decision is there already"),
    ("typed.parquet", "out.csv", "typed.parquet: column put is "),
    ("empty", "out.csv", "empty: the folder holds no file that ends in "),
    ("twice.parquet", "out.csv", "twice.parquet: column A and a differ in letter case only"),
    ("cased.jsonl", "out.csv", "cased.jsonl: column a and A differ in letter case only"),
    (
        "blank.jsonl",
        "out.parquet",
        "blank.jsonl: a key is blank, which no column of a table is; JSON Lines can be written",
    ),
    ("open.csv", "out.csv", "open.csv: CSV Error on Line: 2: Value with unterminated quote found."),
    (
        "mixed.csv",
        "out.csv",
        "mixed.csv: some of its lines end in LF, others in CR LF; write all of them alike (DuckDB: ",
    ),
    ("nameless", "out.csv", "0.csv: has no line with the names of columns"),
    ("unnamed.csv", "out.csv", "unnamed.csv: column 2 of 3 has no name"),
    ("cut.jsonl.gz", "out.csv", "cut.jsonl.gz: Compressed file ended before the end-of-stream marker was reached"),
    ("cut.csv.gz", "out.csv", "cut.csv.gz: Compressed file ended before the end-of-stream marker was reached"),
]


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every kind of bad input."""
    tmp_path = tmp_path_factory.mktemp("faulty")
    (tmp_path / "in.csv").write_text("a,b\n1,2\n")
    (tmp_path / "in.txt").write_text("a")
    (tmp_path / "in.parquet").write_text("this is no Parquet file")
    (tmp_path / "array.json").write_text('[\n  {"put": {}}\n]\n')
    (tmp_path / "one.json").write_text('{\n  "put": {}\n}\n')
    (tmp_path / "done.csv").write_text("put,destinations,decision\n{},[],\n")
    (tmp_path / "empty").mkdir()
    duckdb.execute(f"COPY (SELECT 1 AS put, 2 AS destinations) TO '{tmp_path}/typed.parquet'")
    pq.write_table(pa.table([pa.array([1])] * 4, names=["put", "destinations", "a", "A"]), tmp_path / "twice.parquet")
    (tmp_path / "cased.jsonl").write_text('{"put": {}, "destinations": [], "a": 1, "A": 2}\n')
    (tmp_path / "blank.jsonl").write_text('{"put": {}, "destinations": [], "": 1}\n')
    (tmp_path / "open.csv").write_text('put,destinations\n"{},[]\n')
    (tmp_path / "mixed.csv").write_bytes(b'put,destinations\n"{}","[]"\r\n"{}","[]"\n')
    (tmp_path / "unnamed.csv").write_text("put,,destinations\n{},1,[]\n")
    for name in ("cut.jsonl.gz", "cut.csv.gz"):
        (tmp_path / name).write_bytes(gzip.compress(b'{"put": {}, "destinations": []}\n')[:20])
    (tmp_path / "nameless").mkdir()
    (tmp_path / "nameless" / "0.csv").touch()
    return tmp_path


@pytest.mark.parametrize(("source", "out", "said"), BAD)
def test_bad_input_is_one_line_and_leaves_nothing(
    faulty: Path, tmp_path: Path, source: str, out: str, said: str
) -> None:
    shutil.copytree(faulty, tmp_path, dirs_exist_ok=True)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(BatchError) as raised:
        batch(tmp_path / source, tmp_path / out)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "in.csv").read_text() == "a,b\n1,2\n"


def test_what_is_said_of_bad_input_on_the_command_line(tmp_path: Path) -> None:
    done = run(tmp_path / "none.csv", tmp_path / "out.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{tmp_path / 'none.csv'}: no such file or directory\n"
    given = [str(written(tmp_path / "in.csv", [row(0)])), str(tmp_path / "out.csv")]
    assert bad("batch", *given, "--memory", "much") == [
        "Invalid value for '--memory': 'much' is not a size like 2GB or 512MB"
    ]


@pytest.mark.parametrize(
    ("module", "engine", "install"), [("duckdb", "duckdb", "duckdb"), ("pyspark", "spark", "'mqclause[spark]'")]
)
def test_a_library_that_is_not_installed(tmp_path: Path, module: str, engine: str, install: str) -> None:
    source = written(tmp_path / "in.parquet", [row(0)])
    code = f"import sys; sys.modules[{module!r}] = None; {ENTRY[2]}"
    command = [sys.executable, "-c", code, "batch", str(source), str(tmp_path / "out.parquet"), "--engine", engine]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(f"is not installed: pip install {install}\n")
    assert done.stderr.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == [source]


def test_an_output_is_replaced_only_when_it_is_complete(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("before")
    (tmp_path / "bad.csv").write_bytes(b"put,destinations\n" + b"{},[]\n" * 5000 + b"{},\xff\n")
    with pytest.raises(BatchError):
        batch(tmp_path / "bad.csv", out)
    assert out.read_text() == "before"
    batch(written(tmp_path / "in.csv", [row(0)]), out)
    assert len(read(out)) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"bad.csv", "in.csv", "out.csv"}


KILLED = """
import os, pathlib, signal, sys
from mqclause.tools.batch.run import create_folder_beside
out = pathlib.Path(sys.argv[1])
with create_folder_beside(out) as folder:
    (folder / "spill").mkdir()
    (folder / "spill" / "part").write_text("half")
    if sys.argv[2:]:
        out.rename(folder / "old")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="no such signals, and no such locks")
def test_what_a_killed_run_left_is_told_and_removed_by_the_next(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A run that still goes, what is not of its form, and what links to something else stay as they are."""
    source, out = written(tmp_path / "in.jsonl", [row(0)]), tmp_path / "out.jsonl"
    out.mkdir()  # as Spark leaves a table in several files
    (out / "part-0.parquet").write_text("before")
    subprocess.run(
        [sys.executable, "-c", KILLED, str(out), "amid renaming"], timeout=60, check=False, start_new_session=True
    )
    (left,) = (each for each in tmp_path.iterdir() if each.name.startswith("."))
    assert not out.exists()
    not_ours = [tmp_path / name for name in (".out.jsonl.abcdefgh", ".out.jsonl.notes", ".out2.jsonl.abcdefgh")]
    for each in not_ours:
        each.mkdir()
    (tmp_path / ".out.jsonl.00000000").symlink_to(not_ours[1])
    with create_folder_beside(out) as running:
        told = f"{out}: what a run that was killed had left beside it is removed: {left.name}; what was there before is back"
        assert capfd.readouterr().err == f"remark: {told}\n"
        assert (out / "part-0.parquet").read_text() == "before"
        before = sorted(tmp_path.iterdir())
        batch(source, out)
        assert sorted(tmp_path.iterdir()) == before
        assert capfd.readouterr().err == ""
        assert read(out)[0]["decision"]["queue_manager"] == "QM2"
    assert not running.exists()


def _signalled(source: Path, out: Path, number: int | None) -> tuple[float, int, str, str]:
    """How long a run takes, in seconds, once it writes and is sent the signal; its status and what it prints."""
    # A shell has what it runs in the background ignore Ctrl-C, and that is handed down.
    code = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {ENTRY[2]}"
    command = [sys.executable, "-c", code, "batch", str(source), str(out)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as process:
        until = time.monotonic() + 600
        while not any(out.parent.glob(f".out*/{out.name}")) and time.monotonic() < until:
            time.sleep(0.02)
        begun = time.monotonic()
        if number is not None:
            process.send_signal(number)
        stdout, stderr = process.communicate(timeout=600)
    return time.monotonic() - begun, process.returncode, stdout, stderr


@pytest.mark.skipif(os.name == "nt", reason="no such signals")
@pytest.mark.parametrize(("number", "status"), first(1, [(signal.SIGINT, 2), (signal.SIGTERM, 143)]))
def test_an_interrupted_run_leaves_nothing(tmp_path: Path, number: int, status: int) -> None:
    one, source, part = (tmp_path / name for name in ("one.jsonl", "in.parquet", "part.parquet"))
    written(one, [row(0)])
    for path, rows in ((part, 100_000), (source, 20 * 100_000)):
        duckdb.execute(f"COPY (SELECT one.* FROM '{one}' AS one, range({rows})) TO '{path}'")
    out = tmp_path / "out.parquet"
    of_part, *_ = _signalled(part, out, None)
    for path in (one, part, out):
        path.unlink()
    took, returned, stdout, stderr = _signalled(source, out, number)
    assert (returned, stdout) == (status, "")
    assert stderr.strip() == ("interrupted" if number == signal.SIGINT else "")
    assert took < 10 * of_part, "the run ended, but not before half of its rows could be decided"
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize("kind", ["named pipe", "link to a device"])
def test_what_might_never_begin_or_end_is_not_read(tmp_path: Path, kind: str) -> None:
    """Also where it is called like a table; in the log of puts that a plan weighs, too."""
    source = tmp_path / "in.jsonl"
    if kind == "named pipe":
        os.mkfifo(source)
    else:
        source.symlink_to("/dev/zero")
    for read_by in (lambda: find_table(source), lambda: read_traffic(str(source))):
        with pytest.raises(BatchError, match=r"in\.jsonl: is a device or a named pipe"):
            read_by()
