"""Output: exit statuses, any encoding, a full disk, a closed pipe, and what is said of an error of ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from mqclause import ReadingError
from mqclause.tools.cli import REPLACEMENTS, Subcommands, command_line
from spec_tests.support.deep import first
from spec_tests.support.explain_command import run

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
import gc, io, json, os, sys
from mqclause.tools.cli import command_line, main

outputs, commands = map(json.loads, sys.argv[1:])
sys.stdout = io.TextIOWrapper(io.BytesIO())
for arguments in commands:
    command_line(arguments, standalone_mode=False)
sys.stdout, ended = sys.__stdout__, []
gc.freeze()
for output in outputs:
    for arguments in commands:
        child = os.fork()
        if child == 0:
            os.dup2(output, 1)
            os.dup2(os.open("said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
            sys.argv[1:] = arguments
            main()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with open("said") as said:
            ended.append((status, said.read().splitlines()))
print(json.dumps(ended))
"""
"""Runs command lines that write to each of these outputs, in a process each that has all loaded that they need."""

FULL = Path("/dev/full")


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[int, list[str]]]]:
    """By what they write to, of each command: its status, and what it says on standard error."""
    reading, writing = os.pipe()
    os.close(reading)
    outputs = {"closed pipe": writing} | ({"full disk": os.open(FULL, os.O_WRONLY)} if FULL.exists() else {})
    given = [sys.executable, "-c", EACH, json.dumps([*outputs.values()]), json.dumps(COMMANDS)]
    folder, fds = tmp_path_factory.mktemp("ended"), tuple(outputs.values())
    try:
        done = subprocess.run(given, capture_output=True, cwd=folder, timeout=600, check=False, pass_fds=fds)
    finally:
        for each in fds:
            os.close(each)
    assert (done.returncode, done.stderr) == (0, b"")
    told = [(status, said) for status, said in json.loads(done.stdout)]
    count = len(COMMANDS)
    assert len(told) == len(outputs) * count
    return {name: told[at * count : (at + 1) * count] for at, name in enumerate(outputs)}


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
def test_a_full_disk_is_one_line_and_a_status(ended: dict[str, list[tuple[int, list[str]]]]) -> None:
    assert ended["full disk"] == [(4, ["standard output: no space left on device"])] * len(COMMANDS)


def test_a_closed_pipe_is_no_fault(ended: dict[str, list[tuple[int, list[str]]]]) -> None:
    assert ended["closed pipe"] == [(0, [])] * len(COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "status"),
    first(
        2,
        [
            (("explain", ORDERS, "--json", "--exit", "A=json:dumps"), 0),
            (("map", "none"), 2),
            (("check", QM2, "--json"), 0),
        ],
    ),
)
def test_nothing_of_a_closed_standard_error_is_in_the_answer(arguments: tuple[str, ...], status: int) -> None:
    """Neither remarks, nor the line about a fault."""
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-c", MAIN, *arguments]
    done = subprocess.run(command, capture_output=True, timeout=600, check=False)
    assert done.returncode == status
    assert len([json.loads(line) for line in done.stdout.splitlines()]) == (status == 0)


def test_a_working_directory_that_is_gone_is_told(tmp_path: Path) -> None:
    """In it, and above it, a check looks for its settings."""
    gone = f"mkdir {tmp_path}/gone && cd {tmp_path}/gone && rmdir {tmp_path}/gone"
    command = ["sh", "-c", f'{gone} && exec "$@"', "sh", sys.executable, "-c", MAIN, "check", QM2]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == "the working directory is no longer there"


@pytest.mark.parametrize(("encoding", "dash", "dots"), [("ascii", "-", "..."), ("cp1252", "–", "…")])
def test_text_in_any_encoding(encoding: str, dash: str, dots: str) -> None:
    done = run("why", "ORDERS.IN", QM2, encoding=encoding)
    assert (done.returncode, done.stderr) == (1, "")
    assert f"DEFINE PROCESS('ORDERS.SERVER') APPLICID('{dots}')" in done.stdout
    every = run("explain", ORDERS, "--all", encoding=encoding).stdout
    last = "The least recently used of several is chosen, of equal ones the one listed first"
    assert f"    12     {dash}  {last}" in every.splitlines()


def test_every_sign_that_is_printed_has_something_in_its_place() -> None:
    """A question mark stands for what a file says alone."""
    done = run("retention", str(Path(ORDERS).parent / "held.toml"), "--on", "2026-02-15", encoding="ascii")
    assert "sent 2026-01-01 - due again 2026-01-28 - expires 2026-01-31" in done.stdout
    texts = [file.read_text() for file in (Path(__file__).parents[2] / "tools" / "render").glob("*.py")]
    used = {each for text in texts for each in text if not each.isascii()}
    assert used <= REPLACEMENTS.keys()


def test_text_in_the_locale_of_a_process() -> None:
    """Python makes the streams of such a process ASCII."""
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
    command = [sys.executable, "-c", MAIN, "why", "ORDERS.IN", QM2]
    done = subprocess.run(command, capture_output=True, timeout=600, check=False, env={**os.environ, **locale})
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"DEFINE PROCESS('ORDERS.SERVER') APPLICID('...')" in done.stdout


def test_json_is_utf_8_in_any_encoding() -> None:
    facts = {"queue_manager": {"name": "QM1"}, "process": [{"name": "P", "applicid": "/opt/ö"}]}
    queues = [{"name": "A", "trigger": True, "process": "P", "initq": "I"}, {"name": "I"}]
    events = [{"do": "open", "queue": "I", "mode": "INPUT_SHARED"}, {"do": "put", "queue": "A"}]
    scenario = json.dumps({**facts, "queue": queues, "event": events}).encode()
    done = run("replay", "-", "--json", stdin=scenario, encoding="latin-1")
    told = done.stdout.encode("latin-1").decode("utf-8")
    assert json.loads(told.splitlines()[1])["trigger_messages"][0]["appl_id"] == "/opt/ö"


def test_a_fault_in_any_encoding() -> None:
    facts = '[queue_manager]\nname = "QM1"\nclwluseq = "ä"\n'.encode()
    done = run("explain", "-", stdin=facts, encoding="ascii")
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert "clwluseq: '?' is not allowed; allowed: LOCAL, ANY" in line


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of ours."""
    monkeypatch.setattr(Subcommands, "get_command", lambda *_: 1 / 0)


@pytest.mark.usefixtures("planted")
def test_an_error_of_ours_is_one_line() -> None:
    done = run("explain", ORDERS)
    assert (done.returncode, done.stdout) == (5, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("error in mqclause itself: ZeroDivisionError: division by zero; please report it")


@pytest.mark.usefixtures("planted")
def test_an_error_of_ours_shows_where_if_it_is_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQCLAUSE_TRACEBACK", "1")
    said = run("explain", ORDERS).stderr
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
