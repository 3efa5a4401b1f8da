"""``mqclause replay`` as it is run."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from spec_tests.support.explain_command import bad, run, written

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


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_event_that_cannot_be_leaves_no_output_behind(tmp_path: Path, form: tuple[str, ...]) -> None:
    events = [{"do": "put", "queue": "APPQ"}, {"do": "close", "queue": "APPQ"}]
    [line] = bad("replay", written(tmp_path, scenario(*events)), *form)
    assert "has not opened queue 'APPQ'" in line


def test_the_timeline_says_what_a_put_says_of_its_message_and_what_a_get_asks_for(tmp_path: Path) -> None:
    put = {"do": "put", "queue": "APPQ", "id": "Y1", "group": "Y", "logical_order": True}
    get = {"do": "get", "queue": "APPQ", "options": ["BROWSE_FIRST"], "match": {"group": "Y", "sequence": 1}}
    told = run("replay", written(tmp_path, scenario(put, get))).stdout
    assert "1 put APPQ Y1 of Y LOGICAL_ORDER\n" in told
    assert "2 get APPQ BROWSE_FIRST where group is Y where sequence is 1\n" in told
