"""``mqclause replay`` and ``mqclause why`` as they are run."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from spec_tests.commands.test_explain import bad, run, written

EXAMPLE = str(files("mqclause.tools") / "examples" / "orders_trigger.toml")


def scenario(*events: dict[str, Any], **tables: Any) -> dict[str, Any]:
    """APPQ with a process, an initiation queue and a trigger monitor, then ``events``."""
    monitor = {"do": "open", "queue": "INITQ", "mode": "INPUT_SHARED", "by": "TM"}
    return {
        "queue_manager": {"name": "QM1"},
        "queue": [{"name": "APPQ", "trigger": True, "process": "P", "initq": "INITQ"}, {"name": "INITQ"}],
        "process": [{"name": "P", "applicid": "/opt/orders"}],
        "event": [monitor, *events],
        **tables,
    }


def test_the_timeline_for_a_person() -> None:
    done = run("replay", EXAMPLE)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[:3] == [
        "0 put ORDERS.IN",
        "no trigger message for ORDERS.IN",
        "8  no trigger monitor has the initiation queue ORDERS.INITQ open for input",
    ]
    assert "trigger message for ORDERS.IN by trigger.13.3" in lines
    assert "trigger message for ORDERS.IN by trigger.12" in lines


def test_one_object_for_each_event(tmp_path: Path) -> None:
    put = {"do": "put", "queue": "APPQ"}
    done = run("replay", written(tmp_path, scenario(put, {**put, "count": 2})), "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["event"], row["do"], row.get("repeat")) for row in rows] == [
        (0, "open", None), (1, "put", None), (2, "put", 0), (2, "put", 1),
    ]  # fmt: skip
    assert rows[1]["trigger_messages"] == [
        {
            "queue": "APPQ", "initiation_queue": "INITQ", "process": "P", "trigger_data": "",
            "appl_type": "UNIX", "appl_id": "/opt/orders", "env_data": "", "user_data": "",
            "rule": "trigger.01-10", "available": True,
        }
    ]  # fmt: skip
    assert {"queue": "APPQ", "rule": "trigger.02", "clause": "2", "holds": True} in rows[1]["conditions"]
    assert (rows[1]["routed"], rows[1]["released"], rows[1]["changed"]) == (None, [], [])
    assert [row["trigger_messages"] for row in rows[2:]] == [[], []]


def test_a_get_that_finds_nothing_is_a_result(tmp_path: Path) -> None:
    done = run("replay", written(tmp_path, scenario({"do": "get", "queue": "APPQ"})), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[-1])["reason"] == 2033


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"do": "commit", "unit_of_work": "U1"}, "U1"),
        ({"do": "close", "queue": "APPQ"}, "has not opened queue 'APPQ'"),
        ({"do": "put", "queue": "NONE"}, "NONE"),
        ({"do": "put", "queue": "APPQ", "priority": -1}, "priority"),
        ({"do": "put", "queue": "APPQ", "count": 0}, "count"),
        ({"do": "jump"}, "jump"),
        ({"do": "alter", "queue": "APPQ", "set": {"trigtyp": "EVERY"}}, "did you mean 'trigtype'?"),
    ],
)
def test_events_that_cannot_be(tmp_path: Path, event: dict[str, Any], said: str) -> None:
    [line] = bad("replay", written(tmp_path, scenario(event)), "--json")
    assert said in line


def test_time_does_not_go_back(tmp_path: Path) -> None:
    events = [{"do": "advance", "at": 10}, {"do": "advance", "at": 5}]
    [line] = bad("replay", written(tmp_path, scenario(*events)))
    assert "at: 5 is before 10" in line


def test_scenarios_in_lines() -> None:
    good = json.dumps(scenario({"do": "put", "queue": "APPQ"}))
    wrong = json.dumps(scenario({"do": "close", "queue": "APPQ"}))
    done = run("replay", "--lines", "-", stdin=f"{good}\n{wrong}\n{good}\n".encode())
    first, second, third = (json.loads(line) for line in done.stdout.splitlines())
    assert done.returncode == 2
    assert first == third
    assert [row["event"] for row in first] == [0, 1]
    assert "line 2" in second["error"]


def test_why_names_conditions_and_commands(tmp_path: Path) -> None:
    name = written(tmp_path, "DEFINE QLOCAL(APPQ) NOTRIGGER INITQ(NO.INITQ) PROCESS(P)\n", "QM1.mqsc")
    done = run("why", "APPQ", name, "--from", "QM1", "--json")
    [answer] = json.loads(done.stdout)
    failing = {row["rule"]: row for row in answer["conditions"] if not row["holds"]}
    assert (done.returncode, answer["triggers"]) == (1, False)
    assert set(failing) >= {"trigger.06a", "trigger.07", "trigger.08", "trigger.09"}
    assert failing["trigger.06a"]["because"] == "process P is not defined"
    assert failing["trigger.09"]["remedy"] == "ALTER QLOCAL('APPQ') TRIGGER"
    assert "CURDEPTH of APPQ is 0" in answer["assumptions"]


DUMP = """* Queue manager name: QM1
DEFINE QLOCAL('APPQ') +
*  CURDEPTH({depth}) +
*  IPPROCS(0) +
   TRIGGER +
   INITQ('INITQ') +
   PROCESS('P') +
   REPLACE
DEFINE QLOCAL('INITQ') +
*  IPPROCS(1) +
   REPLACE
DEFINE PROCESS('P') APPLICID('/opt/orders')
"""


def test_why_takes_depth_and_opens_from_the_dump(tmp_path: Path) -> None:
    done = run("why", "APPQ", written(tmp_path, DUMP.format(depth=0), "QM1.txt"))
    assert done.returncode == 0
    assert "a message put now would trigger" in done.stdout
    filled = run("why", "APPQ", written(tmp_path, DUMP.format(depth=7), "QM1.txt"))
    assert "each of the 7 messages has priority TRIGMPRI or higher" in filled.stdout


def test_why_of_every_triggered_queue(tmp_path: Path) -> None:
    done = run("why", "*", written(tmp_path, DUMP.format(depth=0), "QM1.txt"), "--json")
    assert [answer["queue"] for answer in json.loads(done.stdout)] == ["APPQ"]


def test_why_of_no_queue(tmp_path: Path) -> None:
    [line] = bad("why", "APQ", written(tmp_path, DUMP.format(depth=0), "QM1.txt"))
    assert line == "'APQ' is not a local queue of QM1; did you mean 'APPQ'?"


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_event_that_cannot_be_leaves_no_output_behind(tmp_path: Path, form: tuple[str, ...]) -> None:
    events = [{"do": "put", "queue": "APPQ"}, {"do": "close", "queue": "APPQ"}]
    [line] = bad("replay", written(tmp_path, scenario(*events)), *form)
    assert "has not opened queue 'APPQ'" in line
