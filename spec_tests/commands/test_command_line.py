"""The command line as a whole: what it offers, and that what it cannot take is told in one line."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from mqclause.rulebook import rule_file
from mqclause.tables.flat import GIVEN_FIELDS
from mqclause.tools.batch.tables import ENDINGS
from mqclause.tools.cli import say_shortly
from mqclause.tools.commands.declared import FORMATS, PUT_FIELDS, SEVERITIES, SUBCOMMANDS, TABLE_ENDINGS
from mqclause.tools.commands.options import FORMAT_NAMES
from spec_tests.support.explain_command import bad, facts, run, written

EXAMPLES = Path(str(files("mqclause.tools") / "examples"))
QM2 = str(EXAMPLES / "QM2.mqsc")
NAMES = ", ".join(sorted(SUBCOMMANDS))


def test_the_help_tells_all_of_each_command() -> None:
    done = run("--help")
    words = " ".join(done.stdout.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert [name for name, each in SUBCOMMANDS.items() if f"{name} {say_shortly(each)}" not in words] == []


def test_what_options_allow_is_what_the_commands_know() -> None:
    """It is declared apart from them, so that help loads none of them."""
    assert sorted(FORMATS) == sorted(FORMAT_NAMES)
    assert tuple(PUT_FIELDS) == GIVEN_FIELDS
    assert SEVERITIES == rule_file.SEVERITIES
    assert tuple(ENDINGS) == TABLE_ENDINGS


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_each_option_says_what_it_is_for(name: str) -> None:
    """Behind each in its column, or on the line below it."""
    lines = run(name, "--help").stdout.partition("Examples:\n")[2].splitlines()
    options = [(line, below) for line, below in zip(lines, [*lines[1:], ""], strict=True) if line.startswith("  -")]
    assert options
    told = [line.strip().partition("  ")[2] or below.strip() for line, below in options]
    assert [
        line for (line, _), said in zip(options, told, strict=True) if not said or said.startswith(("-", "["))
    ] == []


NO_FILE = "name at least one file with facts (or - for standard input); see --help"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("explian",), f"'explian' is no command; allowed: {NAMES}; did you mean 'explain'?"),
        (("--colour",), "No such option '--colour'."),
        (("why", "Q", QM2, "--priority", "high"), "--priority: 'high' is not allowed; allowed: a whole number from 0 to 2147483647"),
        (("why", "Q", QM2, "--priority", "-1"), "--priority: '-1' is not allowed; allowed: a whole number from 0 to 2147483647"),
        (("why", "Q", QM2, "--priority", "2147483648"),
         "--priority: '2147483648' is not allowed; allowed: a whole number from 0 to 2147483647"),
        (("explain", "f", "--bind", "open2"), "Invalid value for '--bind': 'open2' is not one of 'OPEN', 'NOTFIXED', 'GROUP', 'AS_Q_DEF'."),
        (("commands", "plan"), "Invalid value for '[explain|why|check]': 'plan' is not one of 'explain', 'why', 'check'."),
        (("show-sql", "worklod"), "'worklod' is no rule and no ruleset"),
        (("retention", QM2), "Missing option '--on'."),
        (("retention", QM2, "--on", "2026-02-30"),
         "--on: '2026-02-30' is not allowed; allowed: a date like 2026-01-31, up to 9998-12-31"),
        (("batch", "none.csv", "out.csv"), "none.csv: no such file or directory"),
        (("replay",), "name one scenario file (or - for standard input); see --help"),
        (("replay", QM2), f"{QM2}: is in MQSC, which has no events; allowed: a scenario in TOML or JSON"),
        *(((name,), NO_FILE) for name in ("check", "explain", "facts", "map", "order", "plan")),
        (("why", "Q"), NO_FILE),
    ],
)  # fmt: skip
def test_what_it_cannot_take_is_told_in_one_line(arguments: tuple[str, ...], said: str) -> None:
    [line] = bad(*arguments)
    assert line.startswith(said)


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        *(((name, ""), "[FACTS]...") for name in ("check", "explain", "map", "order", "plan")),
        (("facts", ""), "INPUT..."),
        (("why", "Q", ""), "[FACTS]..."),
        (("retention", "", "--on", "2026-01-31"), "[FACTS]..."),
        (("replay", ""), "[SCENARIO]..."),
        (("batch", "", "out.csv"), "IN"),
        (("batch", "in.csv", ""), "OUT"),
        *((("explain", QM2, option, ""), option) for option in ("--with", "--lines", "--rules")),
        *((("replay", QM2, option, ""), option) for option in ("--facts", "--lines")),
        (("check", QM2, "--sarif", ""), "--sarif"),
        (("plan", QM2, "--puts", ""), "--puts"),
    ],
)  # fmt: skip
def test_a_blank_name_of_a_file_is_none_and_not_the_working_directory(arguments: tuple[str, ...], where: str) -> None:
    """As a script gives it whose variable is not set."""
    assert bad(*arguments) == [f"Invalid value for '{where}': '' is not a file name"]


def test_what_asks_for_nothing_is_no_answer(tmp_path: Path) -> None:
    """A file that a script wrote without its tables would pass for one of which all is well."""
    name = written(tmp_path, {"queue_manager": {"name": "QM1"}})
    assert bad("replay", name) == [f"{name}: has no [[event]]: nothing happens in it"]
    [line] = bad("retention", name, "--on", "2026-01-31")
    assert line.startswith("the facts have no [[information]] and no [[request]]")


def test_that_there_are_no_messages_is_told(tmp_path: Path) -> None:
    name = written(tmp_path, facts())
    assert bad("order", name) == ["the facts have no [[message]]: name a queue with --queue, or give its messages"]
    assert bad("order", name, "--json") == bad("order", name)
    content = facts(queue=[{"name": "Q"}], message=[{"id": "A", "queue": "Q"}])
    assert json.loads(run("order", written(tmp_path, content), "--json").stdout)["physical"] == ["A"]
