"""Help: examples that are true, groups of options, widths, completion; the version; colour."""

from __future__ import annotations

import importlib.metadata
import os
import pty
import shlex
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner

from mqclause.tools.commands.declared import GROUPS, SECTIONS, SUBCOMMANDS
from spec_tests.support.deep import first
from spec_tests.support.explain_command import bad, run

EXAMPLES = Path(str(files("mqclause.tools") / "examples"))
DOCUMENTS = os.environ.get("MQCLAUSE_DOCUMENTS")
BEGIN = "import sys; sys.argv[0] = 'mqclause'; from mqclause.tools.cli import main; main()"
ELSEWHERE = ("rulebook", "verify")
TRUE = [(name, line) for name, each in SUBCOMMANDS.items() for _, line in each.examples if name not in ELSEWHERE]
"""The examples of the help; those of verify need the reader's own documents, and a rulebook takes half a minute."""

LONG = ("mqclause lint --all", "mqclause mutate workload.06 --all")
TRUE.sort(key=lambda each: each[1] in LONG)


@pytest.mark.parametrize(("name", "line"), first(len(TRUE) - len(LONG), TRUE))
def test_each_example_is_true(name: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(here)
    program, *arguments = shlex.split(line)
    assert (program, arguments[0]) == ("mqclause", name)
    done = run(*arguments)
    # 1 and 3 are answers: a finding, something odd, something that moves.
    assert done.returncode in (0, 1, 3), done.stderr
    assert done.stdout.strip()
    assert "warning:" not in done.stderr


@pytest.mark.skipif(DOCUMENTS is None, reason="MQCLAUSE_DOCUMENTS names no folder")
def test_each_example_of_verify_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert DOCUMENTS is not None
    for number in ("000", "004"):
        [document] = [each for each in Path(DOCUMENTS).iterdir() if each.name.startswith(number)]
        shutil.copy(document, tmp_path / f"{number}.txt")
    monkeypatch.chdir(tmp_path)
    for _, line in SUBCOMMANDS["verify"].examples:
        done = run(*shlex.split(line)[1:])
        assert (done.returncode in (0, 1), done.stderr) == (True, "")


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_help_has_examples_and_groups(name: str) -> None:
    command, lines = SUBCOMMANDS[name], run(name, "--help").stdout.splitlines()
    assert 2 <= len(command.examples) <= 3
    for asked, line in command.examples:
        assert asked.startswith("# ")
        at = lines.index(f"  {asked}")
        assert lines[at + 1] == f"  {line}"
        assert max(map(len, lines[at : at + 2])) < 80, "as it fits an ordinary terminal"
    alone = CliRunner().invoke(command, ["-h"], prog_name=f"mqclause {name}")
    assert "".join(alone.stdout.split()) == "".join("".join(lines).split()), "as a program runs the subcommand itself"
    titles = [each.removesuffix(":") for each in lines if each.endswith(":") and not each.startswith(" ")]
    assert titles == ["Examples", *(each for each in GROUPS if each in titles)]
    assert not [each for each in lines if each.startswith("  [")], "an argument is no option"


def test_every_command_stands_in_the_help_once() -> None:
    lines = run("--help").stdout.splitlines()
    begun = [each.split()[0] for each in lines if each.startswith("  ") and each[2:3].isalpha()]
    assert [each for each in begun if each in SUBCOMMANDS] == list(SUBCOMMANDS)
    assert [each for each in SECTIONS if f"{each}:" not in lines] == []


@pytest.mark.parametrize(("columns", "widest"), [("60", 58), ("100", 98), ("300", 118)])
def test_help_is_as_wide_as_the_terminal(columns: str, widest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of examples and words apart, which are not broken."""
    monkeypatch.setenv("COLUMNS", columns)
    lines = run("check", "--help").stdout.splitlines()
    texts = [each for each in lines if not each.startswith(("  mqclause", "  --"))]
    assert widest - 12 < max(map(len, texts)) <= widest


def told(*arguments: str) -> tuple[int, str, str]:
    """The status of a run, and what it writes."""
    done = run(*arguments)
    return done.returncode, done.stdout, done.stderr


def test_help_is_asked_in_each_usual_way() -> None:
    assert [told("why", "--help"), told("why", "-h")] == [told("help", "why")] * 2
    assert told("help") == told("--help")
    assert bad("help", "wy")[0].startswith("'wy' is no command")


def test_no_arguments_at_all_get_the_help_as_a_fault() -> None:
    done = run()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == run("--help").stdout


def test_the_version() -> None:
    done = run("--version")
    assert done.stdout == f"mqclause, version {importlib.metadata.version('mqclause')}\n"


def completed(words: str, shell: str = "bash") -> list[str]:
    """What a shell is told, with the cursor behind these words."""
    asked = {
        "_MQCLAUSE_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    with pytest.MonkeyPatch.context() as environment:
        for name, value in asked.items():
            environment.setenv(name, value)
        status, said, errors = told()
    assert (status, errors) == (0, "")
    return said.splitlines()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("mqclause ex", "plain,explain"),
        ("mqclause explain --bri", "plain,--brief"),
        ("mqclause explain --call mqop", "plain,MQOPEN"),
        ("mqclause explain --reading weight-step=t", "plain,weight-step=truncated"),
        ("mqclause check --about check.14", "plain,check.14"),
        ("mqclause show-sql workload.06", "plain,workload.06"),
    ],
)
def test_bash_completes_commands_options_and_what_they_allow(words: str, said: str) -> None:
    assert said in completed(words)


def test_what_no_command_is_has_no_completions() -> None:
    """As nothing has that stands behind a misspelt word: what is typed is not disturbed."""
    assert completed("mqclause explian --") != ["plain,--brief"]


def test_zsh_completes_with_what_each_is_for() -> None:
    listed = completed("mqclause explain --bri", "zsh")
    assert listed == ["plain", "--brief", "Print the verdict alone, in one line."]


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_the_script_that_a_shell_reads(shell: str, tmp_path: Path) -> None:
    environment = {**os.environ, "_MQCLAUSE_COMPLETE": f"{shell}_source"}
    done = subprocess.run(
        [sys.executable, "-c", BEGIN], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_MQCLAUSE_COMPLETE={shell}_complete" in done.stdout
    if (there := shutil.which(shell)) is not None:
        script = tmp_path / "script"
        script.write_text(done.stdout)
        subprocess.run([there, "-n", str(script)], check=True, timeout=60)


@pytest.mark.parametrize(("variable", "coloured"), [("PATH", True), ("NO_COLOR", False)])
def test_colour_is_for_terminals_and_can_be_left_out(variable: str, coloured: bool) -> None:
    """A foreground colour is ESC [ 3x m; bold and dim are none."""
    keeper, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", variable: os.environ.get(variable, "1")}
    environment = {name: value for name, value in environment.items() if name in (variable, "PATH", "TERM")}
    command = [sys.executable, "-c", BEGIN, "explain", str(EXAMPLES / "orders.toml")]
    subprocess.run(command, stdout=terminal, env=environment, check=True, timeout=60)
    os.close(terminal)
    shown = b""
    while b"--all shows them" not in shown:
        shown += os.read(keeper, 65536)
    os.close(keeper)
    assert any(f"\x1b[{style}".encode() in shown for style in ("3", "1;3", "2;3")) is coloured


def test_there_is_no_colour_in_a_file() -> None:
    assert "\x1b" not in run("explain", str(EXAMPLES / "orders.toml")).stdout
