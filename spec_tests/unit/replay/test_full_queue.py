"""MAXDEPTH: a put that would exceed it fails with 2053 (MQRC_Q_FULL) and changes nothing; so on initiation queues."""

from __future__ import annotations

from typing import Any

from mqclause import Replay
from mqclause.model.timeline.scenario import build_scenario

PUT: dict[str, Any] = {"do": "put", "queue": "APPQ"}
IN_UNIT = {**PUT, "unit_of_work": "U1"}


def reasons(*events: dict[str, Any], **appq: Any) -> list[int | None]:
    """The reason of each event, with APPQ that holds two messages."""
    facts = {"queue_manager": {"name": "QM1"}, "queue": [{"name": "APPQ", "maxdepth": 2, **appq}]}
    rows = Replay().rows(build_scenario({**facts, "event": list(events)}, "test"))
    return [row.to_json().get("reason") for row in rows]


def test_the_third_message() -> None:
    assert reasons(PUT, PUT, PUT, {"do": "get", "queue": "APPQ"}, PUT, PUT) == [None, None, 2053, None, None, 2053]


def test_messages_that_were_there() -> None:
    assert reasons(PUT, PUT, curdepth=1) == [None, 2053]


def test_messages_that_are_not_committed_take_their_place() -> None:
    backout = {"do": "backout", "unit_of_work": "U1"}
    assert reasons(IN_UNIT, IN_UNIT, PUT, backout, PUT) == [None, None, 2053, None, None]


def test_segments_are_messages() -> None:
    assert reasons({**PUT, "segments": 3}, {**PUT, "segments": 2}, PUT) == [2053, None, 2053]


def test_a_put_by_way_of_an_alias() -> None:
    facts = {
        "queue_manager": {"name": "QM1"},
        "queue": [{"name": "APPQ", "maxdepth": 0}, {"name": "AL", "type": "QALIAS", "target": "APPQ"}],
        "event": [{"do": "put", "queue": "AL"}, {"do": "alter", "queue": "APPQ", "set": {"maxdepth": 1}}, PUT],
    }
    rows = [row.to_json() for row in Replay().rows(build_scenario(facts, "test"))]
    assert [row.get("reason") for row in rows] == [2053, None, None]


def test_a_queue_of_which_it_is_not_said() -> None:
    assert reasons({**PUT, "count": 3}, PUT, maxdepth=3)[-1] == 2053
    facts = {"queue_manager": {"name": "QM1"}, "queue": [{"name": "APPQ"}], "event": [{**PUT, "count": 5001}]}
    *_, last = Replay().rows(build_scenario(facts, "test"))
    assert last.reason is None


def with_full_initq(*events: dict[str, Any], **queue_manager: Any) -> list[dict[str, Any]]:
    """The rows of events behind the open of INITQ, which takes one message, by a trigger monitor; APPQ is EVERY."""
    facts = {
        "queue_manager": {"name": "QM1", **queue_manager},
        "queue": [
            {"name": "APPQ", "trigger": True, "trigtype": "EVERY", "initq": "INITQ", "process": "P"},
            {"name": "INITQ", "maxdepth": 1},
        ],
        "process": [{"name": "P"}],
        "event": [{"do": "open", "queue": "INITQ", "mode": "INPUT_SHARED", "by": "MONITOR"}, *events],
    }
    return [row.to_json() for row in Replay().rows(build_scenario(facts, "test"))][1:]


FULL = (
    "the trigger message for APPQ is not put on its initiation queue (with this put INITQ would hold 2 messages; MAXDEPTH "
    "allows 1); "
)
GET = {"do": "get", "queue": "INITQ"}


def test_a_trigger_message_for_which_the_initiation_queue_has_no_room_goes_to_the_dead_letter_queue() -> None:
    """It is created and its event is over all the same; after the first was got there is room for one again."""
    first, second, got, none, third, found = with_full_initq(PUT, PUT, GET, GET, PUT, GET, deadq="DLQ")
    assert [len(row["trigger_messages"]) for row in (first, second, third)] == [1, 1, 1]
    assert (second["remarks"], none["reason"]) == ([f"{FULL}it goes to the dead-letter queue DLQ"], 2033)
    assert ["remarks" in row for row in (first, third)] == [False, False]
    assert len(got["got"]) == len(found["got"]) == 1


def test_without_a_dead_letter_queue_it_is_discarded() -> None:
    assert with_full_initq(PUT, PUT)[1]["remarks"] == [f"{FULL}DEADQ is blank: it is discarded"]


def test_a_trigger_message_that_a_unit_of_work_holds_back_takes_its_place() -> None:
    commit = {"do": "commit", "unit_of_work": "U1"}
    held, full, none, ended, found, nothing = with_full_initq(IN_UNIT, PUT, GET, commit, GET, GET)
    assert (held["trigger_messages"][0]["available"], full["trigger_messages"][0]["available"]) == (False, True)
    assert full["remarks"] == [f"{FULL}DEADQ is blank: it is discarded"]
    assert (none["reason"], len(ended["released"]), len(found["got"]), nothing["reason"]) == (2033, 1, 1, 2033)


def test_a_restart_leaves_no_place_taken_by_what_was_held_back() -> None:
    opens = {"do": "open", "queue": "INITQ", "mode": "INPUT_SHARED", "by": "MONITOR"}
    *_, again = with_full_initq(IN_UNIT, {"do": "restart"}, opens, PUT)
    assert (len(again["trigger_messages"]), "remarks" in again) == (1, False)


def test_a_trigger_message_stands_where_it_was_written_and_not_where_it_was_released() -> None:
    commit = {"do": "commit", "unit_of_work": "U1"}
    alter = {"do": "alter", "queue": "INITQ", "set": {"maxdepth": 9}}
    mine = {"do": "put", "queue": "INITQ", "id": "MINE"}
    *_, first, second = with_full_initq(alter, IN_UNIT, mine, commit, GET, GET)
    assert first["got"] != ["MINE"]
    assert second["got"] == ["MINE"]
