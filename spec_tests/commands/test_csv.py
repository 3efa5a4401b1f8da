"""CSV: each answer that has rows is a table, with the same columns whatever is in it."""

from __future__ import annotations

import csv
import re
from importlib.resources import files
from io import StringIO
from pathlib import Path

import pytest

from mqclause.rulebook.case_files import get_cases_folder
from mqclause.tools.commands.declared import SUBCOMMANDS
from spec_tests.support.explain_command import bad, facts, run, written

EXAMPLES = Path(str(files("mqclause.tools") / "examples"))
WITHOUT_ROWS = ("batch", "commands", "compare", "rulebook", "schema", "show-sql")
"""Answers that are files, a text, two texts side by side."""


def rows(*arguments: str) -> list[dict[str, str]]:
    done = run(*arguments, "--csv")
    assert done.returncode in (0, 1), done.stderr
    return list(csv.DictReader(StringIO(done.stdout)))


def test_every_command_with_rows_has_the_option() -> None:
    lacking = [
        name for name, each in SUBCOMMANDS.items() if "--csv" not in [one for p in each.params for one in p.opts]
    ]
    assert sorted(lacking) == sorted(WITHOUT_ROWS)


def test_a_decision_is_a_line_for_each_destination(tmp_path: Path) -> None:
    """The channel rank of TO.QM2 is higher: it alone is left."""
    [first, second] = rows("explain", written(tmp_path, facts()))
    assert (first["queue_manager"], first["permitted"], first["chosen"], first["rule"]) == ("QM2", "true", "true", "")
    assert (second["queue_manager"], second["permitted"], second["rule"]) == ("QM3", "false", "workload.04a")


def test_a_finding_has_its_object_and_its_place(tmp_path: Path) -> None:
    (tmp_path / "QM1.mqsc").write_text("* Queue manager name: QM1\nDEFINE QLOCAL(A) TRIGGER INITQ(NONE) PROCESS(P)\n")
    found = rows("check", str(tmp_path / "QM1.mqsc"))
    assert {(each["object.type"], each["object.name"], each["source.line"]) for each in found} == {("QLOCAL", "A", "2")}
    (tmp_path / "QM1.mqsc").write_text("* Queue manager name: QM1\nDEFINE QLOCAL(A)\n")
    assert run("check", str(tmp_path / "QM1.mqsc"), "--csv").stdout.startswith("rule,document,clause,severity,")


def test_no_cell_commands_a_terminal(tmp_path: Path) -> None:
    """A remedy of several commands keeps its lines."""
    [there] = (get_cases_folder() / "workload").glob("06_*.toml")
    (tmp_path / "workload").mkdir()
    text = re.sub('(?m)^name *= *"', r"\g<0>\\u001b[2J", there.read_text(encoding="utf-8"))
    (tmp_path / "workload" / there.name).write_text(text, encoding="utf-8")
    done = run("test", "workload.06", "--cases", str(tmp_path), "--csv")
    assert (done.returncode, "\x1b" in done.stdout, "\\x1b[2J" in done.stdout) == (0, False, True), done
    assert "\n" in next(each["remedy"] for each in rows("why", "ORDERS.IN", str(EXAMPLES / "QM2.mqsc")))


def test_conditions_messages_events_items_and_files() -> None:
    conditions = rows("why", "ORDERS.IN", str(EXAMPLES / "QM2.mqsc"))
    assert {(each["queue"], each["verdict"]) for each in conditions} == {("ORDERS.IN", "does not")}
    assert "trigger.06a" in {each["rule"] for each in conditions}
    places = rows("order", str(EXAMPLES / "figure_11.toml"))
    assert [each["message"] for each in places if each["order"] == "logical"] == [
        "A", "Y1", "Y2", "Y3.1", "Y3.2", "Z1", "Z2", "B",
    ]  # fmt: skip
    events = rows("replay", str(EXAMPLES / "orders_trigger.toml"))
    assert [each["event"] for each in events] == [str(number) for number in range(len(events))]
    items = rows("retention", "--on", "2026-02-15", str(EXAMPLES / "held.toml"))
    assert [(each["kind"], each["state"]) for each in items] == [("information", "grace"), ("requests", "current")]
    [file] = rows("facts", "--sources", str(EXAMPLES / "QM2.mqsc"))
    assert (file["format"], file["queue_managers"]) == ("MQSC", '["QM2"]')


def test_what_becomes_of_rules() -> None:
    cases = rows("test", "workload.06")
    assert {(each["rule"], each["passed"]) for each in cases} == {("workload.06", "true")}
    assert {each["status"] for each in rows("mutate", "workload.06")} <= {"killed", "equivalent"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", "--brief"),
        ("explain", "--json"),
        ("explain", "--lines", "f.jsonl"),
        ("check", "--statistics"),
        ("check", "--about", "check.14"),
        ("facts",),
        ("replay", "--json"),
        ("test", "--coverage"),
    ],
)
def test_one_answer_has_one_form(arguments: tuple[str, ...], tmp_path: Path) -> None:
    named = () if arguments[0] == "test" or "--lines" in arguments else (written(tmp_path, facts()),)
    [line] = bad(*arguments, *named, "--csv")
    assert "--csv" in line
