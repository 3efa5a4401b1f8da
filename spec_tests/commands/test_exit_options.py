"""``--exit NAME=MODULE:FUNCTION`` and ``--exit-limit`` of explain and replay."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
from click.testing import CliRunner, Result

from mqclause import Engine
from mqclause.tools.cli import command_line
from mqclause.tools.commands.options import Inputs
from spec_tests.support.exit_scene import facts
from spec_tests.support.explain_command import SCHEMA, run, run_alone, written

PREFER = "myexit=mqclause.exits:prefer_channel"
OWN_MODULE = """
print("imported")

def second(wxp):
    print("called", wxp.ExitReason)
    if wxp.DestinationArray:
        wxp.DestinationChosen = 2

def loops(wxp):
    while True:
        pass

def once(wxp):
    wxp.DestinationChosen, wxp.ExitResponse = 3, "SUPPRESS_EXIT"

def no_parameter():
    pass

def two(wxp, more):
    pass

async def later(wxp):
    pass

NOT_CALLABLE = 3

def raises(wxp):
    if wxp.ExitReason not in ("INIT", "TERM"):
        raise KeyError("CRATES")

def ends(wxp):
    if wxp.ExitReason not in ("INIT", "TERM"):
        import os
        os._exit(0)

def refuses(wxp):
    if wxp.ExitReason not in ("INIT", "TERM"):
        wxp.ExitResponse = "SUPPRESS_FUNCTION"

def raises_at_the_end(wxp):
    if wxp.ExitReason == "TERM":
        raise KeyError("CRATES")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a module of exits."""
    (tmp_path / "my_exits.py").write_text(OWN_MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    sys.modules.pop("my_exits", None)
    return tmp_path


def called(*arguments: str, lines: str = "") -> Result:
    """What a command prints, run in this process."""
    done = CliRunner().invoke(command_line, arguments, input=lines, standalone_mode=False)
    if done.exception:
        raise done.exception
    return done


def test_the_sample_for_a_person(tmp_path: Path) -> None:
    name = written(tmp_path, facts())
    done = called("explain", name, "--exit", PREFER)
    assert done.return_value == 0
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "exit called with CLWL_PUT and 3 destinations; own choice: QM2 by TO.QM2" in lines
    assert "the exit answered OK and chose destination 2 of 3: QM3 by TO.QM3" in lines
    assert "goes to Q at QM3 by TO.QM3, which the exit chose" in lines


def test_with_the_channel_retrying_the_own_choice_stands(tmp_path: Path) -> None:
    name = written(tmp_path, facts(channels={"QM3": {"status": "RETRYING"}}))
    lines = [" ".join(line.split()) for line in called("explain", name, "--exit", PREFER).stdout.splitlines()]
    assert "the exit answered OK and left the choice at destination 1 of 3: QM2 by TO.QM2" in lines
    assert "goes to Q at QM2 by TO.QM2" in lines


def test_the_trace_as_json(tmp_path: Path) -> None:
    trace = json.loads(called("explain", written(tmp_path, facts()), "--json", "--exit", PREFER).stdout)
    jsonschema.validate(trace, SCHEMA)
    assert trace["exit"]["chosen"] == trace["chosen"] == {"queue": "Q", "queue_manager": "QM3", "channel": "TO.QM3"}


def test_a_function_of_the_working_folder_and_what_it_prints(folder: Path) -> None:
    name = written(folder, facts())
    done = run_alone("explain", name, "--json", "--exit", "myexit=my_exits:second")
    assert json.loads(done.stdout)["chosen"]["queue_manager"] == "QM3"
    assert done.stderr.splitlines() == ["imported", "called INIT", "called CLWL_PUT", "called TERM"]


def test_an_exit_that_does_not_return(folder: Path) -> None:
    done = called(
        "explain", written(folder, facts()), "--json", "--exit", "myexit=my_exits:loops", "--exit-limit", "0.2"
    )
    assert done.return_value == 1
    assert json.loads(done.stdout)["reason"] == {"name": "MQRC_CLUSTER_EXIT_ERROR", "code": 2266, "call": "MQPUT"}


def test_without_an_option_the_limit_is_30_seconds() -> None:
    given = Inputs(exits=(PREFER,), exit_limit=None).load_exits()
    with Engine(exits=given.given, exit_limit=given.limit) as engine:
        assert engine.exits.limit == 30


def test_a_name_that_is_not_given_is_a_remark(tmp_path: Path) -> None:
    done = called("explain", written(tmp_path, facts()), "--json", "--exit", "other=mqclause.exits:prefer_channel")
    trace = json.loads(done.stdout)
    assert (done.return_value, trace["chosen"]["queue_manager"], "exit" in trace) == (0, "QM2", False)
    assert trace["remarks"][0].startswith("no exit is given for CLWLEXIT(myexit)")


def test_a_name_with_an_equals_sign(tmp_path: Path) -> None:
    name = written(tmp_path, facts(queue_manager={"clwlexit": "a=b(c)"}))
    trace = json.loads(called("explain", name, "--json", "--exit", "a=b(c)=mqclause.exits:prefer_channel").stdout)
    assert trace["chosen"]["queue_manager"] == "QM3"


@pytest.mark.usefixtures("folder")
def test_lines_are_queue_managers_of_their_own() -> None:
    line = json.dumps(facts())
    done = called("explain", "--lines", "-", "--exit", "myexit=my_exits:once", lines=f"{line}\n{{}}\n{line}\n")
    first, bad, last = map(json.loads, done.stdout.splitlines())
    assert [first["chosen"]["queue_manager"], last["chosen"]["queue_manager"]] == ["QM4", "QM4"]
    assert (done.return_value, list(bad)) == (2, ["error"])


def test_what_the_exits_answer_rests_on(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        receiver = f"DEFINE CHANNEL(TO.QM{number}) CHLTYPE(CLUSRCVR) CLUSTER(S)\n"
        queue = "DEFINE QLOCAL(Q) CLUSTER(S)\n" if number > 1 else "ALTER QMGR CLWLEXIT('myexit') CLWLDATA(TO.QM3)\n"
        (tmp_path / f"QM{number}.mqsc").write_text(f"* Queue manager name: QM{number}\n{receiver}{queue}")
    told = called(
        "explain", str(tmp_path), "--from", "QM1", "--put", "Q", "--call", "MQPUT1", "--json", "--exit", PREFER
    )
    trace = json.loads(told.stdout)
    assert trace["chosen"]["queue_manager"] == "QM3"
    # The exit takes QM3 while its channel can be used; else it leaves the choice to the rules.
    (missing,) = trace["incomplete"]
    assert missing["what"] == (
        "channel status unknown; taken as INACTIVE. If TO.QM3 is RETRYING or REQUESTING or PAUSED or STOPPED or "
        "SWITCHING: QM2"
    )


def test_of_many_channels_an_exit_is_asked_about_few_alone(tmp_path: Path) -> None:
    text = "* Queue manager name: QM{0}\nDEFINE CHANNEL(TO.QM{0}) CHLTYPE(CLUSRCVR) CLUSTER(S)\n"
    (tmp_path / "QM1.mqsc").write_text(text.format(1) + "ALTER QMGR CLWLEXIT('myexit') CLWLDATA(TO.QM25)\n")
    for number in range(10, 34):
        (tmp_path / f"QM{number}.mqsc").write_text(text.format(number) + "DEFINE QLOCAL(Q) CLUSTER(S)\n")
    told = called(
        "explain", str(tmp_path), "--from", "QM1", "--put", "Q", "--call", "MQPUT1", "--json", "--exit", PREFER
    )
    chosen, rest = json.loads(told.stdout)["incomplete"]
    assert chosen["object"] == "TO.QM25"
    assert rest["what"] == "states of 24 channels unknown; an exit was asked about 20 of them alone"


SCENARIO: dict[str, Any] = {**facts(), "event": [{"do": "put", "queue": "Q", "count": 2}]}


def test_a_scenario(folder: Path) -> None:
    done = called("replay", written(folder, SCENARIO), "--json", "--exit", "myexit=my_exits:once")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["routed"]["queue_manager"] for each in found] == ["QM4", "QM2"]
    assert [each["exit"]["called"] for each in found] == [True, False]


def test_a_scenario_for_a_person(folder: Path) -> None:
    done = called("replay", written(folder, SCENARIO), "--exit", "myexit=my_exits:once")
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[:5] == [
        "0 put Q (1 of 2)",
        "exit called with CLWL_PUT and 3 destinations; own choice: QM2 by TO.QM2",
        "the exit answered SUPPRESS_EXIT and chose destination 3 of 3: QM4 by TO.QM4",
        "goes to Q at QM4 by TO.QM4",
        "0 put Q (2 of 2)",
    ]
    assert lines[5].startswith("exit not called: the exit answered SUPPRESS_EXIT")


@pytest.mark.usefixtures("folder")
def test_lines_of_scenarios() -> None:
    line = json.dumps(SCENARIO) + "\n"
    done = called("replay", "--lines", "-", "--exit", "myexit=my_exits:once", lines=line * 2)
    found = [[row["routed"]["queue_manager"] for row in json.loads(each)] for each in done.stdout.splitlines()]
    assert found == [["QM4", "QM2"], ["QM4", "QM2"]]


@pytest.mark.parametrize(
    ("exit", "reason", "status"),
    [("raises", 2266, 1), ("ends", 2266, 1), ("refuses", 2188, 1), ("raises_at_the_end", None, 0), ("second", None, 0)],
)
def test_what_becomes_of_an_exit_decides_the_status(folder: Path, exit: str, reason: int | None, status: int) -> None:  # noqa: A002 - MQ's word
    """An exit that breaks down is no error of ours and no bad input: the put ends in a reason code, and a replay goes on."""
    given = ("--json", "--exit", f"myexit=my_exits:{exit}")
    done = called("explain", written(folder, facts()), *given)
    assert (done.return_value, (json.loads(done.stdout)["reason"] or {}).get("code")) == (status, reason)
    again = called("replay", written(folder, SCENARIO, "scenario.json"), *given)
    assert (again.return_value, len(again.stdout.splitlines())) == (0, 2)


def test_what_cannot_be_used_is_bad_input_in_one_line(folder: Path) -> None:
    done = run("replay", written(folder, SCENARIO), "--exit", "myexit=my_exits:third")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[1:] == [
        "--exit 'myexit=my_exits:third': AttributeError: module 'my_exits' has no attribute 'third'"
    ]


@pytest.mark.parametrize(
    ("exits", "limit", "said"),
    [
        (
            ["my_exits.py:second"],
            "30",
            "--exit 'my_exits.py:second' is not NAME=MODULE:FUNCTION; NAME is that in CLWLEXIT",
        ),
        (["=my_exits:second"], "30", "--exit '=my_exits:second' is not NAME=MODULE:FUNCTION"),
        (["myexit=my_exits"], "30", "--exit 'myexit=my_exits' is not NAME=MODULE:FUNCTION"),
        (["myexit=nowhere:f"], "30", "--exit 'myexit=nowhere:f': ModuleNotFoundError: No module named 'nowhere'"),
        (["myexit=my_exits:third"], "30", "--exit 'myexit=my_exits:third': AttributeError: module 'my_exits' has"),
        (
            ["myexit=my_exits:no_parameter"],
            "30",
            "--exit 'myexit=my_exits:no_parameter': no_parameter() of my_exits does not",
        ),
        (
            ["myexit=my_exits:two"],
            "30",
            "--exit 'myexit=my_exits:two': two(wxp, more) of my_exits does not take one MQWXP",
        ),
        (
            ["myexit=my_exits:later"],
            "30",
            "--exit 'myexit=my_exits:later': later of my_exits is a coroutine or a generator",
        ),
        (["myexit=my_exits:NOT_CALLABLE"], "30", "--exit 'myexit=my_exits:NOT_CALLABLE': NOT_CALLABLE of my_exits"),
        ([PREFER, PREFER], "30", f"--exit '{PREFER}': an exit 'myexit' is given already"),
        ([], "0", "--exit-limit '0' is not allowed; allowed: a number of seconds above 0"),
        ([], "nan", "--exit-limit 'nan' is not allowed; allowed: a number of seconds above 0"),
        ([], "soon", "--exit-limit 'soon' is not allowed; allowed: a number of seconds above 0"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_cannot_be_used(exits: list[str], limit: str, said: str) -> None:
    with pytest.raises(click.UsageError) as caught:
        Inputs(exits=tuple(exits), exit_limit=limit).load_exits()
    assert caught.value.message.startswith(said)
    assert "\n" not in caught.value.message


def test_the_rows_of_a_table(tmp_path: Path) -> None:
    known, puts, out = written(tmp_path, facts()), tmp_path / "puts.jsonl", tmp_path / "decided.jsonl"
    puts.write_text('{"put": {"queue": "Q"}}\n{"put": {"queue": "NONE"}}\n')
    done = called("batch", str(puts), str(out), "--facts", known, "--exit", PREFER)
    assert done.return_value == 0
    assert done.stderr.splitlines()[0] == "decided in Python, not in SQL: rows of QM1 (CLWLEXIT myexit)"
    found = [json.loads(line)["decision"] for line in out.read_text().splitlines()]
    assert {each["queue_manager"] or each["reason"] for each in found} == {"QM3", 2085}
    with pytest.raises(click.UsageError, match="--exit needs --facts"):
        called("batch", str(puts), str(out), "--exit", PREFER)


def test_an_exit_that_clwlexit_does_not_name_is_told_and_which_was_meant(folder: Path) -> None:
    folded = written(folder, facts(queue_manager={"clwlexit": "MYEXIT"}))
    said = "remark: the exit 'myexit' is not called: CLWLEXIT is 'MYEXIT'; quote it in MQSC: CLWLEXIT('myexit')"
    assert run("explain", folded, "--exit", PREFER).stderr.startswith(said)
    blank = written(folder, facts(queue_manager={"clwlexit": ""}))
    assert (
        run("explain", blank, "--exit", PREFER).stderr == "remark: the exit 'myexit' is not called: CLWLEXIT is blank\n"
    )
    assert run("explain", written(folder, facts()), "--exit", PREFER).stderr == ""


@pytest.mark.usefixtures("folder")
def test_over_time_and_in_lines_every_name_counts(tmp_path: Path) -> None:
    events = [{"do": "alter", "set": {"clwlexit": "other"}}, {"do": "restart"}, {"do": "put", "queue": "Q"}]
    line = json.dumps(facts() | {"event": events})
    name = written(tmp_path, line)
    given = ("--exit", PREFER, "--exit", "other=my_exits:once", "--exit", "third=my_exits:once")
    said = "remark: the exit 'third' is not called: CLWLEXIT is 'myexit' or 'other'\n"
    found = run("replay", name, "--json", *given)
    assert (found.stderr.removeprefix("imported\n"), json.loads(found.stdout.splitlines()[2])["routed"]["queue_manager"]) == (
        said, "QM4",
    )  # fmt: skip
    assert run("replay", "--lines", "-", *given, stdin=line.encode()).stderr == said
    both = "".join(json.dumps(facts(queue_manager={"clwlexit": each})) + "\n" for each in ("myexit", "other"))
    assert run("explain", "--lines", "-", *given, stdin=both.encode()).stderr == said
