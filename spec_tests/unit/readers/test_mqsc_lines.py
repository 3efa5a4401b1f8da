"""Lines of scripts that are no MQSC, or not all of it: each is told once, and costs no command."""

from __future__ import annotations

import pytest

from mqclause.model.readers.mqsc import read_mqsc
from mqclause.model.readers.records import Script
from mqclause.model.readers.registry import read_contents

ALLOWED = "allowed: ALTER, DEFINE, DELETE and the other verbs of MQSC"


def read(text: str) -> tuple[list[str], list[str]]:
    script = read_mqsc(text, "f")
    return [each.name for each in script.records], [str(each) for each in script.diagnostics]


@pytest.mark.parametrize("line", ["a.mqsc: |-", "notes -", "list: +", "--- -", "* -", "- DEFINE it -"])
def test_a_line_that_begins_no_command_has_none_go_on_with_it(line: str) -> None:
    names, faults = read(f"{line}\nDEFINE QLOCAL(A)\nDEFINE QLOCAL(B)\n")
    assert names == ["A", "B"]
    assert len(faults) == (line[0] != "*")


def test_a_verb_may_be_cut_by_the_end_of_its_line() -> None:
    assert read("D-\nEFINE QLOCAL(A)\nDEFI+\n  NE QLOCAL(B)\nDEF-\nINE QLOCAL(C)\n") == (["A", "B", "C"], [])


def test_a_misspelt_verb_costs_all_of_its_command_and_no_other() -> None:
    names, faults = read(
        "DEFIEN QLOCAL(A) +\n  CLUSTER(S) +\n  REPLACE\nDEFINE QLOCAL(B)\nDEFNE QLOCAL(C) +\nDEFINE QLOCAL(D)\n"
    )
    assert names == ["B", "D"]
    assert [each.partition(": ")[0] for each in faults] == ["f:1:1", "f:5:1"]


def test_a_run_of_lines_that_are_no_mqsc_is_one_fault() -> None:
    names, faults = read("# how\n\nto: do\n* a remark\n- it\nDEFINE QLOCAL(A)\n## more\n")
    assert names == ["A"]
    assert faults == [
        f"f:1:1: no MQSC command starts here, nor down to line 5; {ALLOWED}",
        f"f:7:1: no MQSC command starts here; {ALLOWED}",
    ]


@pytest.mark.parametrize("between", ["DEFINE QLOCAL(A)", "DISPLAY QMGR", "DEFINE QLOCAL(", "DEFIEN QLOCAL(A)"])
def test_what_stands_between_ends_the_run(between: str) -> None:
    _, faults = read(f"1.\n{between}\n2.\n")
    assert [each for each in faults if "no MQSC command" in each] == [
        f"f:{line}:1: no MQSC command starts here; {ALLOWED}" for line in (1, 3)
    ]


@pytest.mark.parametrize("line", ["{% if cluster %}", "{{- if .Values.on }}", "{# all #}", "<% if on %>"])
def test_a_line_of_a_template_is_told_as_one(line: str) -> None:
    script = read_contents(f"{line}\nDEFINE QLOCAL(A)\n".encode(), "f")
    assert isinstance(script, Script)
    assert [str(each) for each in script.diagnostics] == [
        "f:1:1: a line of a template stands here; allowed: what is made of it when it is filled in"
    ]
    assert [each.name for each in script.records] == ["A"]


def numbered(*lines: str) -> str:
    return "".join(f"{line:<72}{at:06}00\n" for at, line in enumerate(lines, 1))


COMMANDS = ("DEFINE QLOCAL('A')  +", "   CLUSTER(SALES)  +", "   CLWLPRTY(4)", "*  A REMARK", "DEFINE QLOCAL(B)")


def test_numbers_in_columns_73_to_80_of_every_line_are_no_mqsc() -> None:
    for text in (numbered(*COMMANDS), numbered(*COMMANDS).replace("\n", "\r\n"), numbered(*COMMANDS[:3]) + "\n \n"):
        script = read_mqsc(text, "f")
        assert script.diagnostics == ()
        assert script.records[0].attributes == {"CLUSTER": "SALES", "CLWLPRTY": "4"}
        assert script.records[0].place_of("CLWLPRTY") == (3, 4)
    pieces = read_mqsc(iter([numbered(*COMMANDS), numbered("DEFINE QLOCAL(C)")]), "f")
    assert [each.name for each in pieces.records] == ["A", "B", "C"]


def test_numbers_on_some_lines_are_told() -> None:
    _, faults = read(numbered("DEFINE QLOCAL(A)", "DEFINE QLOCAL(B)") + "DEFINE QLOCAL(C)\n")
    said = "columns 73 to 80 have a number here, and not on every line; allowed: on all of them, as on z/OS, or on none"
    assert [each.partition(": ")[2] for each in faults] == [said, said]


def test_a_value_that_ends_in_column_80_is_no_number() -> None:
    text = f"DEFINE QLOCAL(A) DESCR('{'x' * 46}12345678')\n"
    assert len(text) > 80
    assert read(text) == (["A"], [])
