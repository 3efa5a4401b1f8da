"""Files that a folder holds and nobody named: what is in no format that is read is passed by with a warning."""

from __future__ import annotations

from pathlib import Path

import pytest

from spec_tests.support.explain_command import bad, run

READ = """* Queue manager name: QM1
DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CLUSTER(S) CONNAME('h') BATCHHB(1000)
DEFINE QLOCAL(Q) CLUSTER(S)
"""
NOT_READ = {"letter": "Dear reader,\n", "package.json": '{"name": "orders"}', "tools.toml": "[tool]\nindent = 4\n"}
COMMANDS = [
    ("explain", "--put", "Q"),
    ("why", "Q"),
    ("check",),
    ("map",),
    ("plan", "--suspend", "QM1"),
    ("facts",),
    ("order",),
    ("retention", "--on", "2026-01-31"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in NOT_READ.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_what_is_in_no_format_is_passed_by(folder: Path, command: tuple[str, ...]) -> None:
    (folder / "QM1.mqsc").write_text(READ)
    done, alone = run(*command, str(folder)), run(*command, str(folder / "QM1.mqsc"))
    assert (done.returncode, done.stdout) == (alone.returncode, alone.stdout)
    told = [line for line in done.stderr.splitlines() if line not in alone.stderr.splitlines()]
    assert [line.removeprefix(f"warning: {folder}/").partition(":")[0] for line in told] == list(NOT_READ)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_nothing_but_such_files_is_bad_input(folder: Path, command: tuple[str, ...]) -> None:
    lines = bad(*command, str(folder))
    assert [line.removeprefix(f"{folder}/").partition(":")[0] for line in lines] == list(NOT_READ)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("name", NOT_READ)
def test_where_it_is_named_it_is_a_fault(folder: Path, command: tuple[str, ...], name: str) -> None:
    assert [line.partition(":")[0] for line in bad(*command, str(folder / name))] == [str(folder / name)]
