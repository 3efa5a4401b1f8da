"""Exits over time: handles, starts of the queue manager, alterations of CLWLEXIT."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mqclause import Replay
from mqclause.exits import MQWXP
from spec_tests.support.exit_scene import HOSTS, NAME, Exit, scenario, taking, writing, written

OPEN = {"do": "open", "queue": "Q", "mode": "OUTPUT", "by": "APP"}
PUT: dict[str, Any] = {"do": "put", "queue": "Q", "by": "APP"}
CLOSE = {"do": "close", "queue": "Q", "by": "APP"}
RESTART = {"do": "restart"}
UNBOUND = {"queues": {host: {"defbind": "NOTFIXED"} for host in HOSTS}}


def rows(events: list[dict[str, Any]], exits: dict[str, Exit], **changes: Any) -> list[dict[str, Any]]:
    """The rows of a scenario, as documents."""
    with Replay(exits=exits) as replay:
        return [each.to_json() for each in replay.rows(scenario(events, **changes))]


def went(found: list[dict[str, Any]]) -> list[str | int | None]:
    """By event: the queue manager that it was routed to, or the reason code."""
    routed = [each["routed"] for each in found]
    return [each and (each["failed"]["code"] if "failed" in each else each["queue_manager"]) for each in routed]


def reasons(path: Path) -> list[str]:
    return [reason for (reason,) in written(path)]


def test_bound_by_the_open_it_is_called_once(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", "ExitReason")
    found = rows([OPEN, PUT, PUT, CLOSE], {NAME: look})
    assert reasons(tmp_path / "seen") == ["INIT", "CLWL_OPEN", "TERM"]
    assert [each.get("exit", {}).get("reason") for each in found] == ["CLWL_OPEN", None, None, None]
    assert went(rows([OPEN, PUT, PUT], {NAME: taking(3)})) == ["QM4", "QM4", "QM4"]


def test_not_bound_it_is_called_by_the_open_and_by_each_put(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", "ExitReason")
    rows([{**OPEN, "bind": "NOTFIXED"}, PUT, {**PUT, "count": 2}], {NAME: look})
    assert reasons(tmp_path / "seen") == ["INIT", "CLWL_OPEN", "CLWL_PUT", "CLWL_PUT", "CLWL_PUT", "TERM"]
    found = rows([{**OPEN, "bind": "NOTFIXED"}, PUT], {NAME: taking(3)})
    assert went(found) == [None, "QM4"]


def test_each_mqput1_calls_it(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", "ExitReason")
    rows([PUT, PUT], {NAME: look})
    assert reasons(tmp_path / "seen") == ["INIT", "CLWL_PUT", "CLWL_PUT", "TERM"]


def test_the_message_of_a_put(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", "MsgLength", "MsgBufferLength", "MsgDesc")
    events = [{**PUT, "length": 250, "priority": 7, "persistent": False}, PUT]
    rows(events, {NAME: look}, queue_manager={"clwllen": 200})
    assert written(tmp_path / "seen")[1:3] == [
        [250, 200, {"Priority": 7, "Persistence": 0}],
        [100, 100, {"Priority": -1, "Persistence": 1}],
    ]


def test_after_a_failure_the_handle_behaves_as_if_there_were_no_exit() -> None:
    other = {"by": "OTHER"}
    events = [{**OPEN, "bind": "NOTFIXED"}, {**OPEN, "bind": "NOTFIXED", **other}, PUT, PUT, {**PUT, **other}, CLOSE,
              {**OPEN, "bind": "NOTFIXED"}, PUT]  # fmt: skip
    calls = iter(range(99))

    def fails(wxp: MQWXP) -> None:
        wxp.DestinationChosen = 3
        if wxp.ExitReason == "CLWL_PUT" and next(calls) == 0:
            raise ValueError("boom")

    found = rows(events, {NAME: fails})
    assert went(found) == [None, None, 2266, "QM2", "QM4", None, None, "QM4"]
    assert found[3]["exit"]["called"] is False
    assert found[2]["routed"]["failed"] == {"name": "MQRC_CLUSTER_EXIT_ERROR", "code": 2266, "call": "MQPUT"}


def test_an_mqput1_is_a_handle_of_its_own() -> None:
    calls = iter(range(99))

    def fails_first(wxp: MQWXP) -> None:
        wxp.DestinationChosen = 3
        if wxp.DestinationArray and next(calls) == 0:
            raise ValueError("boom")

    assert went(rows([PUT, PUT], {NAME: fails_first})) == [2266, "QM4"]


@pytest.mark.parametrize("bind", ["OPEN", "NOTFIXED"])
def test_an_open_that_the_exit_rejects_leaves_no_handle(bind: str) -> None:
    def rejects_opens(wxp: MQWXP) -> None:
        wxp.DestinationChosen = 3
        if wxp.ExitReason == "CLWL_OPEN":
            wxp.ExitResponse = "SUPPRESS_FUNCTION"

    found = rows([{**OPEN, "bind": bind}, PUT], {NAME: rejects_opens})
    assert found[0]["routed"]["failed"] == {"name": "MQRC_STOPPED_BY_CLUSTER_EXIT", "code": 2188, "call": "MQOPEN"}
    assert went(found) == [2188, "QM4"]  # an MQPUT1


def test_an_open_that_fixes_nothing_fails_with_the_exit_and_leaves_no_handle() -> None:
    def fails_at_opens(wxp: MQWXP) -> None:
        wxp.DestinationChosen = 3
        if wxp.ExitReason == "CLWL_OPEN":
            raise ValueError("boom")

    found = rows([{**OPEN, "bind": "NOTFIXED"}, PUT, PUT], {NAME: fails_at_opens})
    assert found[0]["routed"]["failed"] == {"name": "MQRC_CLUSTER_EXIT_ERROR", "code": 2266, "call": "MQOPEN"}
    # There is no handle that the exit could be off for: the puts are MQPUT1s, and call it.
    assert went(found) == [2266, "QM4", "QM4"]


def test_a_put_after_a_failed_open_is_made_on_the_handle_that_is_still_there() -> None:
    calls = iter(range(99))

    def rejects_the_second(wxp: MQWXP) -> None:
        wxp.DestinationChosen = 3
        if wxp.ExitReason == "CLWL_OPEN" and next(calls) == 1:
            wxp.ExitResponse = "SUPPRESS_FUNCTION"

    found = rows([OPEN, OPEN, PUT, CLOSE], {NAME: rejects_the_second})
    assert went(found) == ["QM4", 2188, "QM4", None]
    assert "exit" not in found[2]  # bound by the first open


def test_suppress_exit_lasts_until_the_restart(tmp_path: Path) -> None:
    path = tmp_path / "seen"

    def once(wxp: MQWXP) -> None:
        writing(path, "ExitReason")(wxp)
        wxp.DestinationChosen, wxp.ExitResponse = 3, "SUPPRESS_EXIT"

    found = rows([PUT, PUT, RESTART, PUT, PUT], {NAME: once})
    assert went(found) == ["QM4", "QM2", None, "QM4", "QM3"]
    assert reasons(path) == ["INIT", "CLWL_PUT", "TERM", "INIT", "CLWL_PUT", "TERM"]


def test_counters_move_by_what_the_exit_chose() -> None:
    only_first = iter([0, 1])

    def third_first(wxp: MQWXP) -> None:
        if wxp.DestinationArray and next(only_first, 1) == 0:
            wxp.DestinationChosen = 3

    # QM4 has 20, so the rules choose among QM2 and QM3, and then QM4's turn is over as theirs is.
    assert went(rows([PUT] * 4, {NAME: third_first}, **UNBOUND)) == ["QM4", "QM2", "QM3", "QM4"]


ALTER = {"do": "alter", "set": {"clwlexit": "new"}}
BOTH = {NAME: taking(2), "new": taking(3)}


def test_off_zos_a_new_clwlexit_counts_from_the_next_start_on() -> None:
    assert went(rows([PUT, ALTER, PUT, OPEN, RESTART, PUT], BOTH)) == ["QM3", None, "QM3", "QM3", None, "QM4"]


def test_off_zos_a_blank_one_too() -> None:
    found = rows([{"do": "alter", "set": {"clwlexit": ""}}, PUT, RESTART, PUT], BOTH)
    assert went(found) == [None, "QM3", None, "QM2"]


def test_on_zos_a_new_clwlexit_counts_from_the_next_connection_on() -> None:
    unbound = {**OPEN, "bind": "NOTFIXED"}
    events = [unbound, PUT, ALTER, PUT, {**PUT, "by": "OTHER"}, CLOSE, PUT, unbound, PUT]
    found = rows(events, BOTH, queue_manager={"platform": "ZOS"})
    assert went(found) == [None, "QM3", None, "QM3", "QM4", None, "QM4", None, "QM4"]


def test_on_zos_an_open_that_fails_leaves_no_connection() -> None:
    """It leaves no handle, and a scenario tells of no other connections."""
    exits = {NAME: taking(2, "SUPPRESS_FUNCTION"), "new": taking(3)}
    found = rows([OPEN, ALTER, PUT, OPEN, PUT], exits, queue_manager={"platform": "ZOS"})
    assert went(found) == [2188, None, "QM4", "QM4", "QM4"]


def test_replays_of_one_replay_know_nothing_of_each_other(tmp_path: Path) -> None:
    exits = {NAME: writing(tmp_path / "seen", of=lambda wxp: [wxp.ExitReason, wxp.ExitUserArea[0]])}
    with Replay(exits=exits) as replay:
        for _ in range(2):
            list(replay.rows(scenario([PUT])))
    assert written(tmp_path / "seen") == [["INIT", 0], ["CLWL_PUT", 0], ["TERM", 0]] * 2


def test_without_an_exit_the_rows_are_as_ever() -> None:
    found = rows([PUT], {})
    assert went(found) == ["QM2"]
    assert "exit" not in found[0]


def test_a_local_queue_calls_none() -> None:
    local = [{"name": "L", "queue_manager": "QM1"}]
    found = rows([{"do": "put", "queue": "L"}], {NAME: taking(1)}, local=local)
    assert "exit" not in found[0]


ALIAS: dict[str, Any] = {"local": [{"name": "LA", "type": "QALIAS", "target": "Q", "put": "DISABLED"}]}


def test_a_put_on_a_handle_that_is_bound_by_way_of_something_disabled_asks_nobody() -> None:
    """The open has called the exit, and fixed QM4: the put fails with 2051, and its row tells of no exit."""
    opened, put = rows([{**OPEN, "queue": "LA"}, {**PUT, "queue": "LA"}], {NAME: taking(3)}, **ALIAS)
    assert (opened["exit"]["called"], opened["routed"]["queue_manager"]) == (True, "QM4")
    assert put["routed"]["failed"] == {"name": "MQRC_PUT_INHIBITED", "code": 2051, "call": "MQPUT"}
    assert "exit" not in put


def test_that_clwlexit_was_altered_since_is_a_remark() -> None:
    """Off z/OS: a new name from the next start on, and a blank one too; nothing before, nothing after."""
    given: dict[str, Any] = {"queue_manager": {"clwlexit": ""}}
    altered, blanked = {"do": "alter", "set": {"clwlexit": NAME}}, {"do": "alter", "set": {"clwlexit": ""}}
    found = rows([PUT, altered, PUT, RESTART, PUT, blanked, PUT, RESTART, PUT], {NAME: taking(2)}, **given)
    later = "which takes effect at the next start of the queue manager"
    assert [each.get("remarks", []) for each in found if each["do"] == "put"] == [
        [],
        [f"CLWLEXIT was altered to {NAME}, {later}"],
        [],
        [f"CLWLEXIT was altered to blank, {later}"],
        [],
    ]
    assert [each.get("exit", {}).get("called") for each in found] == [*[None] * 4, True, None, True, None, None]


def test_a_failure_at_init_is_told_once() -> None:
    def fails_at_init(wxp: MQWXP) -> None:
        if wxp.ExitReason == "INIT":
            raise ValueError("boom")
        wxp.DestinationChosen = 3

    found = rows([PUT, PUT], {NAME: fails_at_init})
    assert went(found) == ["QM4", "QM4"]
    [remark] = found[0]["remarks"]
    assert remark.startswith("the exit failed at INIT, which fails no call: ")
    assert "boom" in remark
    assert "remarks" not in found[1]
