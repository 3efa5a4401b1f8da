"""CLEAR QLOCAL: what goes, what it is refused for, and what triggers after it. Expected by hand, from IBM's page."""

from __future__ import annotations

from typing import Any

import pytest

from mqclause import FactsError, Replay
from mqclause.model.timeline.scenario import build_scenario

REPLAY = Replay()
CLEAR = {"do": "clear", "queue": "WORK"}
PUT = {"do": "put", "queue": "WORK"}
GET = {"do": "get", "queue": "WORK"}
IN_UNIT = {"unit_of_work": "U1"}
COMMIT = {"do": "commit", "unit_of_work": "U1"}
TRIGGERED = {"trigger": True, "initq": "STARTS", "process": "P"}


def rows(*events: dict[str, Any], **work: Any) -> list[dict[str, Any]]:
    """The rows of events over a queue WORK with three messages, and names that lead to it."""
    facts = {
        "queue_manager": {"name": "QM1", "platform": "ZOS"},
        "remote_queue_manager": [{"name": "QM2"}],
        "queue": [
            {"name": "WORK", "curdepth": 3, **work},
            {"name": "AL", "type": "QALIAS", "target": "WORK"},
            {"name": "FAR", "type": "QREMOTE", "rname": "Q", "rqmname": "QM2", "xmitq": "WORK"},
            {"name": "STARTS", "ipprocs": 1},
        ],
        "process": [{"name": "P"}],
        "event": list(events),
    }
    return [row.to_json() for row in REPLAY.rows(build_scenario(facts, "s"))]


def test_all_messages_go_and_later_ones_are_found() -> None:
    found = rows(CLEAR, GET, {**PUT, "id": "NEW"}, GET)
    assert [row.get("reason") for row in found] == [None, 2033, None, None]
    assert found[-1]["got"] == ["NEW"]


@pytest.mark.parametrize("shared", [False, True])
def test_nothing_triggers_by_it_and_first_triggers_at_the_next_put(shared: bool) -> None:
    """Before it, what lay there at the start triggers by the interval alone, as nothing has triggered yet."""
    found = rows(PUT, PUT, CLEAR, PUT, PUT, shared=shared, **TRIGGERED)
    assert [[each["rule"] for each in row["trigger_messages"]] for row in found] == [
        ["trigger.11"], [], [], ["trigger.01-10"], [],
    ]  # fmt: skip
    assert found[2]["conditions"] == []


def test_depth_counts_anew() -> None:
    """TRIGDPTH 5, three are there: without the clear the second put would reach it."""
    more = {"trigtype": "DEPTH", "trigdpth": 5, **TRIGGERED}
    found = rows(PUT, CLEAR, *[PUT] * 5, **more)
    assert [len(row["trigger_messages"]) for row in found] == [0, 0, 0, 0, 0, 0, 1]


HELD: tuple[tuple[list[dict[str, Any]], dict[str, Any], int | None], ...] = (
    ([{"do": "open", "queue": "WORK", "mode": "BROWSE"}], {}, 2042),
    ([{"do": "open", "queue": "AL", "mode": "OUTPUT"}], {}, 2042),
    ([{"do": "open", "queue": "FAR", "mode": "OUTPUT"}], {"usage": "XMITQ"}, 2042),
    ([{"do": "open", "queue": "STARTS", "mode": "BROWSE"}], {}, None),
    ([], {"ipprocs": 1}, 2042),
    ([{"do": "open", "queue": "WORK", "queue_manager": "QM2"}], {"shared": True}, 2042),
    ([{**PUT, **IN_UNIT}], {}, 2055),
    ([{**GET, **IN_UNIT}], {}, 2055),
    ([{**PUT, **IN_UNIT}, COMMIT], {}, None),
    ([{"do": "open", "queue": "WORK"}, {"do": "close", "queue": "WORK"}], {}, None),
)
"""What is before, what the queue is, and the reason code of the clear."""


@pytest.mark.parametrize(("before", "work", "reason"), HELD)
def test_what_it_is_refused_for(before: list[dict[str, Any]], work: dict[str, Any], reason: int | None) -> None:
    *_, clear, get = rows(*before, CLEAR, GET, **work)
    assert clear.get("reason") == reason
    assert ("rule" in clear) is False
    assert bool(clear.get("because")) == bool(reason)
    assert get.get("reason") == (None if reason else 2033), "what is refused leaves the messages"


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"do": "clear"}, "queue is missing"),
        ({**CLEAR, "queue": "AL"}, "queue 'AL' is no local queue of 'QM1'; a clear needs one"),
        ({**CLEAR, "queue": "NONE"}, "queue 'NONE' is not known"),
        ({**CLEAR, "count": 2}, "a clear takes no key 'count'"),
    ],
)
def test_what_cannot_be_cleared(event: dict[str, Any], said: str) -> None:
    with pytest.raises(FactsError, match="event 0") as caught:
        rows(event)
    assert said in str(caught.value)
