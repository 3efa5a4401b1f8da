"""Names of queue managers and queues that options give: padded with blanks, as MQ pads them, or no names at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from spec_tests.support.explain_command import EXAMPLE, bad, run, written

SALES = [str(Path(EXAMPLE).parent / "sales" / f"QM{number}.mqsc") for number in (1, 2, 3)]
QM1 = ("--from", "QM1")


@pytest.mark.parametrize(
    ("command", "names"),
    [
        (["map", "--from"], "QM1"),
        (["map", "--queue"], "ORDERS.IN"),
        (["check", "--from"], "QM2"),
        (["facts", "--from"], "QM2"),
        (["plan", "--suspend", "QM2", "--from"], "QM1"),
        (["plan", "--without"], "QM2"),
        (["plan", "--fail"], "QM2"),
        (["plan", "--suspend"], "QM2"),
        (["explain", *QM1, "--put", "ORDERS.IN", "--why-not"], "QM2"),
        (["explain", *QM1, "--to-queue-manager"], "QM2"),
        (["explain", *QM1, "--put"], "ORDERS.IN"),
        (["order", "--from", "QM2", "--queue"], "ORDERS.IN"),
        (["why", "--from", "QM2"], "ORDERS.IN"),
    ],
)
def test_blanks_that_pad_a_name_are_no_part_of_it(command: list[str], names: str) -> None:
    found, expected = (run(*command, name, *SALES) for name in (f"{names}  ", names))
    assert (found.returncode, found.stdout, found.stderr) == (
        expected.returncode, expected.stdout, expected.stderr,
    )  # fmt: skip
    assert "not known" not in found.stderr


def test_nor_of_one_in_an_argument() -> None:
    changed = ["map", "--set", "QLOCAL('ORDERS.IN ') QMGR('QM3 ') CLWLPRTY(5)", "--queue", "ORDERS.IN"]
    assert "from QM1, QM3  QM3" in run(*changed, *SALES).stdout
    assert run("map", f"QM1 ={SALES[0]}", *SALES[1:]).stdout == run("map", *SALES).stdout


@pytest.mark.parametrize("name", ["", " ", "Q" * 49])
@pytest.mark.parametrize("command", ["map", "plan", "check", "facts", "explain", "order"])
def test_a_queue_manager_that_has_no_name_is_refused(command: str, name: str) -> None:
    """``--from "$QMGR"`` of a variable that is not set is no question about nobody."""
    done = run(command, "--from", name, *SALES)
    said = f"--from: local queue manager: '{name.strip()}' is not allowed; allowed: text of 1 to 48 characters"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(said)


@pytest.mark.parametrize("name", ["", " "])
def test_nor_is_it_that_of_a_scenario(name: str) -> None:
    scenario = str(Path(EXAMPLE).parent / "orders_trigger.toml")
    done = run("replay", scenario, "--from", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("--from: local queue manager: '' is not allowed; allowed: text of 1 to 48 characters")


def test_who_leaves_is_asked_nothing() -> None:
    """Its rows are those of nobody, and what it knows is no longer to be looked at."""
    done = run("plan", *QM1, "--without", "QM1", *SALES)
    assert (done.returncode, done.stdout, done.stderr) == (0, "nothing changes: every put goes where it went\n", "")


def test_a_file_that_names_nobody_beside_one_that_does(tmp_path: Path) -> None:
    """It may be of another queue manager; the caller is told how to say so."""
    named = written(tmp_path, "* Queue manager name: QM4\nDEFINE QLOCAL(A)\n", "QM4.mqsc")
    other = written(tmp_path, "DEFINE QLOCAL(B)\n", "more.mqsc")
    said = "names no queue manager: taken as QM4's, as another file is; NAME=FILE says whose it is"
    assert run("explain", named, other, "--put", "B").stderr.splitlines() == [f"remark: {other}: {said}"]
    assert run("explain", named, f"QM4={other}", "--put", "B").stderr == ""
    assert run("explain", other, "--from", "QM4", "--put", "B").stderr == "", "nothing says otherwise"
    assert run("explain", named, "--with", other, "--put", "B").stderr == "", "a change is not a description"


@pytest.mark.parametrize(
    "command",
    [("explain", "--put", "Q"), ("check",), ("facts",), ("facts", "--sources"), ("map",), ("plan", "--fail", "QM1")],
)
def test_a_facts_file_is_not_of_whom_it_is_given_as(tmp_path: Path, command: tuple[str, ...]) -> None:
    name = written(tmp_path, '[queue_manager]\nname = "QM1"\n[[queue]]\nname = "Q"\n', "own.toml")
    assert bad(*command, f"QM7={name}") == [f"{name}:2:1: is given as 'QM7', but says that it is of QM1"]
