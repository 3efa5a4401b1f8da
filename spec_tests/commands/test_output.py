"""Output: exit statuses, any locale, a full disk, a closed pipe, and what is said of an error of ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from mqclause import ReadingError
from mqclause.tools.cli import command_line

EXAMPLES = files("mqclause.tools") / "examples"
ORDERS, QM2, SCENARIO = (str(EXAMPLES / name) for name in ("orders.toml", "QM2.mqsc", "orders_trigger.toml"))
JSON_LINES = str(EXAMPLES / "sales" / "puts.jsonl")
MAIN = "from mqclause.tools.cli import main; main()"

GIVEN = {
    "explain": [ORDERS],
    "why": ["ORDERS.IN", QM2],
    "replay": [SCENARIO],
    "show-sql": ["workload"],
    "batch": [JSON_LINES, "out.parquet"],
}
"""Arguments of commands that take an edition."""

COMMANDS = [
    ("explain", ORDERS, "--all"),
    ("explain", ORDERS, "--json"),
    ("why", "ORDERS.IN", QM2),
    ("replay", SCENARIO),
    ("replay", SCENARIO, "--json"),
    ("show-sql", "workload.06"),
    ("--help",),
]

EACH = """
import json, os, sys
from mqclause.tools.cli import main
import mqclause.tools.commands.explain, mqclause.tools.commands.replay, mqclause.tools.commands.why
for number, arguments in enumerate(json.loads(sys.argv[1])):
    child = os.fork()
    if child == 0:
        os.dup2(os.open(f"{number}.err", os.O_WRONLY | os.O_CREAT), 2)
        sys.argv[1:] = arguments
        main()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with open("statuses", "a") as statuses:
        print(status, file=statuses)
"""
"""Runs each of several command lines in a process of its own, all of which have imported the product once."""


def run(
    *arguments: str, stdin: bytes = b"", main: str = MAIN, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, **environment}
    command = [sys.executable, "-c", main, *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=600, check=False, env=env)


def ended(folder: Path, stdout: int) -> dict[str, tuple[int, list[str]]]:
    """Of each command that writes to ``stdout``: its status, and what it says on standard error."""
    given = [sys.executable, "-c", EACH, json.dumps(COMMANDS)]
    done = subprocess.run(given, stdout=stdout, stderr=subprocess.PIPE, cwd=folder, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    statuses = map(int, (folder / "statuses").read_text().split())
    said = ((folder / f"{number}.err").read_text().splitlines() for number in range(len(COMMANDS)))
    return {" ".join(command): each for command, each in zip(COMMANDS, zip(statuses, said, strict=True), strict=True)}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_one_line_and_a_status(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        found = ended(tmp_path, full.fileno())
    assert found == {" ".join(each): (4, ["standard output: no space left on device"]) for each in COMMANDS}


def test_a_closed_pipe_is_no_fault(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert ended(tmp_path, writing) == {" ".join(each): (0, []) for each in COMMANDS}
    finally:
        os.close(writing)


LOCALES = [
    {"PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""},
    {"PYTHONIOENCODING": "cp1252"},
]


@pytest.mark.parametrize("locale", LOCALES, ids=["ascii", "C", "cp1252"])
def test_text_in_any_locale(locale: dict[str, str]) -> None:
    dash, dots = (b"\x96", b"\x85") if "cp1252" in locale.values() else (b"-", b"...")
    done = run("why", "ORDERS.IN", QM2, **locale)
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"DEFINE PROCESS('ORDERS.SERVER') APPLICID('" + dots + b"')" in done.stdout
    if "LC_ALL" not in locale:
        every = run("explain", ORDERS, "--all", **locale).stdout
        last = b"The least recently used of several is chosen, of equal ones the one listed first"
        assert b"    12     " + dash + b"  " + last in every.splitlines()


def test_json_is_utf_8_in_any_locale() -> None:
    facts = {"queue_manager": {"name": "QM1"}, "process": [{"name": "P", "applicid": "/opt/ö"}]}
    queues = [{"name": "A", "trigger": True, "process": "P", "initq": "I"}, {"name": "I"}]
    events = [{"do": "open", "queue": "I", "mode": "INPUT_SHARED"}, {"do": "put", "queue": "A"}]
    scenario = json.dumps({**facts, "queue": queues, "event": events}).encode()
    done = run("replay", "-", "--json", stdin=scenario, PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout.decode("utf-8").splitlines()[1])["trigger_messages"][0]["appl_id"] == "/opt/ö"


def test_a_fault_in_any_locale() -> None:
    facts = '[queue_manager]\nname = "QM1"\nclwldatä = 1\n'.encode()
    done = run("explain", "-", stdin=facts, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stdout) == (2, b"")
    assert len(done.stderr.splitlines()) == 1


PLANTED = "import mqclause.tools.cli as cli; cli.Subcommands.get_command = lambda *_: 1 / 0; cli.main()"


def test_an_error_of_ours_is_one_line() -> None:
    done = run("explain", ORDERS, main=PLANTED)
    assert (done.returncode, done.stdout) == (5, b"")
    [line] = done.stderr.decode().splitlines()
    assert line.startswith("error in mqclause itself: ZeroDivisionError: division by zero; please report it")


def test_an_error_of_ours_shows_where_if_it_is_asked_to() -> None:
    said = run("explain", ORDERS, main=PLANTED, MQCLAUSE_TRACEBACK="1").stderr.decode()
    assert "Traceback" in said
    assert "error in mqclause itself" in said.splitlines()[-1]


def test_a_table_that_does_not_fit_the_disk(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    lines = "".join(
        f'{{"put": {{"queue": "Q{n}"}}, "destinations": [{{"queue_manager": "QM{n}"}}]}}\n' for n in range(2000)
    )
    (tmp_path / "in.jsonl").write_text(lines)
    out = tmp_path / "out.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "batch", str(tmp_path / "in.jsonl"), str(out)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)),
        capture_output=True, timeout=600, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (4, b"")
    assert done.stderr.decode().splitlines() == [f"{out}: file too large"]
    assert not out.exists()


@pytest.mark.parametrize("command", sorted(GIVEN))
def test_an_edition_that_there_is_not(command: str) -> None:
    with pytest.raises(ReadingError, match="edition 'wmq-0' is not known.*allowed: wmq-6"):
        command_line([command, *GIVEN[command], "--edition", "wmq-0"], standalone_mode=False)


def test_the_edition_that_there_is(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert command_line(["explain", ORDERS, "--edition", "wmq-6", "--json"], standalone_mode=False) == 0
    assert json.loads(capsysbinary.readouterr().out)["edition"] == "wmq-6"
