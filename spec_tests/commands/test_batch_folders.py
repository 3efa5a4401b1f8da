"""Tables of ``mqclause batch`` in several files, and puts made at several queue managers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click import UsageError
from click.testing import CliRunner

from mqclause.model.diagnostics import FactsError
from mqclause.tools.cli import command_line
from mqclause.tools.errors import BatchError
from spec_tests.support.batch_files import batch, read, written
from spec_tests.support.batch_folders import check_type, check_union


def test_files_of_one_folder_may_differ_in_their_columns(tmp_path: Path) -> None:
    check_union(tmp_path / "out.parquet", "duckdb")


def test_a_type_that_cannot_be_is_told_with_its_file(tmp_path: Path) -> None:
    check_type(tmp_path, "duckdb")


def test_csv_files_of_one_folder_may_differ_in_their_columns(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    among = json.dumps([{"queue_manager": "QM2"}])
    written(folder / "a.csv", [{"put": {"queue": "Q"}, "destinations": among, "note": "x"}])
    written(folder / "b.csv", [{"extra": "y", "destinations": among, "put": {"queue": "Q"}}])
    assert batch(folder, tmp_path / "out.csv")["queue_managers"] == {"QM2": 2}
    assert sorted((each["note"], each["extra"]) for each in read(tmp_path / "out.csv")) == [("", "y"), ("x", "")]


DUMP = """* Queue manager name: {name}
DEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CLUSTER(S) CONNAME('h')
"""


def test_puts_made_at_several_queue_managers(tmp_path: Path) -> None:
    for name, queue in (
        ("QM1", ""),
        ("QM2", "DEFINE QLOCAL(Q) CLUSTER(S)\n"),
        ("QM3", "DEFINE QLOCAL(Q) CLUSTER(S) CLWLPRTY(5)\n"),
    ):
        (tmp_path / f"{name}.mqsc").write_text(DUMP.format(name=name) + queue)
    rows: list[dict[str, Any]] = [
        {"id": number, "qmgr": name, "put": {"queue": "Q"}} for number, name in enumerate(("QM1", "QM2 ", "QM3", "QM9"))
    ]
    facts = [each for name in ("QM1", "QM2", "QM3") for each in ("--facts", tmp_path / f"{name}.mqsc")]
    for kind in ("parquet", "csv"):
        source = written(tmp_path / f"in.{kind}", rows)
        summary = batch(source, tmp_path / f"out.{kind}", *facts, "--at", "qmgr")
        # QM1 goes where CLWLPRTY is highest; at QM2 and QM3 the local queue is taken, by CLWLUSEQ(LOCAL).
        assert (summary["status"], summary["queue_managers"]) == (2, {"QM2": 1, "QM3": 2}), kind
        assert summary["outcomes"]["invalid"] == 1
    messages = [each["decision"]["message"] for each in read(tmp_path / "out.parquet")]
    assert messages == [None, None, None, "qmgr = 'QM9'; allowed: QM1, QM2, QM3"]


def test_what_is_odd_about_the_facts_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "facts"
    folder.mkdir()
    (folder / "QM1.mqsc").write_text(f"{DUMP.format(name='QM1')}DEFINE QMODEL(M)\n")
    (folder / "notes").write_text("Nothing that anybody could read as a command.\n")
    source = written(tmp_path / "in.jsonl", [{"qmgr": "QM1", "put": {"queue": "M"}}])
    asked = ["batch", str(source), str(tmp_path / "out.jsonl"), "--facts", str(folder), "--json"]
    for more in ([], ["--at", "qmgr"]):
        done = CliRunner().invoke(command_line, [*asked, *more], standalone_mode=False)
        assert (done.exception, done.return_value) == (None, 2)
        assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["warning"], done.stderr
        assert "notes" in done.stderr
        (row,) = read(tmp_path / "out.jsonl")
        made = "an open of it makes a queue of a generated name; name that queue"
        assert row["decision"]["message"] == f"put: queue 'M' is a model queue: {made}"


@pytest.mark.parametrize(
    "more", [("--from", "QM1"), ("--from", ""), ("--set", "QMGR CLWLUSEQ(ANY)"), ("--status", "C=STOPPED")]
)
def test_what_is_said_of_facts_needs_them(tmp_path: Path, more: tuple[str, ...]) -> None:
    """It would count nowhere."""
    source = written(tmp_path / "in.jsonl", [{"put": {"queue": "Q"}, "destinations": []}])
    with pytest.raises(UsageError, match="^--from, --set and --status need --facts$"):
        batch(source, tmp_path / "out.jsonl", *more)


def test_what_at_needs(tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", [{"put": {"queue": "Q"}}])
    (tmp_path / "QM1.mqsc").write_text(DUMP.format(name="QM1"))
    with pytest.raises(BatchError, match="column qmgr is missing; the table has: put$"):
        batch(source, tmp_path / "out.jsonl", "--facts", tmp_path / "QM1.mqsc", "--at", "qmgr")
    with pytest.raises(UsageError, match="^--at: '' is no column$"):
        batch(source, tmp_path / "out.jsonl", "--facts", tmp_path / "QM1.mqsc", "--at", "")
    for more in ((), ("--facts", tmp_path / "QM1.mqsc", "--from", "QM1")):
        with pytest.raises(Exception, match="--at needs --facts, and goes without --from"):
            batch(source, tmp_path / "out.jsonl", *more, "--at", "qmgr")
    (tmp_path / "facts.toml").write_text('[queue_manager]\nname = "QM1"\n')
    facts = [each for name in ("QM1.mqsc", "facts.toml") for each in ("--facts", tmp_path / name)]
    with pytest.raises(FactsError, match="queue_manager 'QM1': another source describes it too"):
        batch(source, tmp_path / "out.jsonl", *facts, "--at", "put")
