"""MAXDEPTH: a put that would exceed it fails with 2053 (MQRC_Q_FULL) and changes nothing."""

from __future__ import annotations

from typing import Any

from mqclause import Replay
from mqclause.answers.replay.replay_document import row_document
from mqclause.model.timeline.scenario import scenario_of

PUT: dict[str, Any] = {"do": "put", "queue": "APPQ"}
IN_UNIT = {**PUT, "unit_of_work": "U1"}


def reasons(*events: dict[str, Any], **appq: Any) -> list[int | None]:
    """The reason of each event, with APPQ that holds two messages."""
    facts = {"queue_manager": {"name": "QM1"}, "queue": [{"name": "APPQ", "maxdepth": 2, **appq}]}
    rows = Replay().rows(scenario_of({**facts, "event": list(events)}, "test"))
    return [row_document(row).get("reason") for row in rows]


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
    rows = [row_document(row) for row in Replay().rows(scenario_of(facts, "test"))]
    assert [row.get("reason") for row in rows] == [2053, None, None]


def test_a_queue_of_which_it_is_not_said() -> None:
    assert reasons({**PUT, "count": 5001}, PUT, maxdepth=5001)[-1] == 2053
    facts = {"queue_manager": {"name": "QM1"}, "queue": [{"name": "APPQ"}], "event": [{**PUT, "count": 5001}]}
    *_, last = Replay().rows(scenario_of(facts, "test"))
    assert last.reason is None
