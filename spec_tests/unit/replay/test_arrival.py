"""What becomes of a message that arrives at a queue. Expected by hand, from the document."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from mqclause.model.timeline.scenario import build_scenario
from spec_tests.support.administered import ARRIVE, FAIL, REPLAY, fates, replayed

DISABLE = {"do": "alter", "queue": "HERE", "set": {"put": "DISABLED"}}


def test_what_arrives_is_seen_by_the_trigger_rules() -> None:
    [row] = replayed(ARRIVE)
    assert fates(row) == {"A1": ("delivered", None)}
    assert {each["queue"] for each in row["conditions"]} == {"HERE"}


def test_what_arrives_is_called_by_its_id() -> None:
    """Also what is sent on to the local instance: an answer names a message by its id."""
    get = {"do": "get", "queue": "HERE", "count": 2}
    assert [row.get("got") for row in replayed(ARRIVE, get)] == [None, ["A1"], []]
    moved = {"id": "M1", "queue": "HERE", "channel": "TO.QM3"}
    there = {"name": "HERE", "queue_manager": "QM3", "clusters": ["SALES"]}
    rows = replayed({**FAIL, "queue_manager": "QM3"}, get, queue=[there], in_flight=[moved])
    assert fates(rows[0]) == {"M1": ("rerouted", "QM1")}
    assert rows[1]["got"] == ["M1"]


def test_what_arrives_leaves_the_current_group_of_puts_as_it_is() -> None:
    """A channel puts it, and no application."""
    first = {"do": "put", "queue": "HERE", "logical_order": True, "group": "X", "id": "X1"}
    last = {"do": "put", "queue": "HERE", "logical_order": True, "last_in_group": True, "id": "X2"}
    get = {"do": "get", "queue": "HERE", "options": ["LOGICAL_ORDER", "ALL_MSGS_AVAILABLE"], "count": 3}
    rows = replayed(first, ARRIVE, last, get)
    assert [row["got"] for row in rows[3:]] == [["X1"], ["X2"], ["A1"]]


def test_what_arrives_at_a_disabled_queue_goes_on_or_to_the_dead_letter_queue_or_back() -> None:
    elsewhere = {"name": "HERE", "queue_manager": "QM3", "clusters": ["SALES"]}
    failing = {**FAIL, "queue_manager": "QM3"}
    rows = replayed(DISABLE, ARRIVE, failing, queue=[elsewhere])
    assert fates(rows[1]) == {"A1": ("rerouted", "QM3")}
    assert fates(rows[2]) == {"A1": ("waits", None)}, "in flight to QM3 now"
    assert fates(replayed(DISABLE, ARRIVE, queue_manager={"deadq": "DLQ"})[1]) == {"A1": ("dead_lettered", None)}
    assert fates(replayed(DISABLE, ARRIVE)[1]) == {"A1": ("returned", None)}


ARRIVING = """
queue_manager = {name = "QM1", clusters = ["SALES"]}
remote_queue_manager = [{name = "QM2", clusters = ["SALES"]}, {name = "QM3", clusters = ["SALES"]}]
queue = [
  {name = "BASE", clusters = ["SALES"], put = "DISABLED"},
  {name = "BASE", queue_manager = "QM2", clusters = ["SALES"]},
  {name = "AL", type = "QALIAS", target = "BASE", clusters = ["SALES"]},
  {name = "OFF", type = "QALIAS", target = "ORDERS", put = "DISABLED"},
  {name = "DANGLING", type = "QALIAS", target = "NONE"},
  {name = "SMALL", maxdepth = 1},
  {name = "AL.SMALL", type = "QALIAS", target = "SMALL"},
  {name = "AT.QM3", type = "QREMOTE", rname = "ORDERS", rqmname = "QM3", clusters = ["SALES"]},
  {name = "AT.QM9", type = "QREMOTE", rname = "ORDERS", rqmname = "QM9", xmitq = "QM9"},
  {name = "HOME", type = "QREMOTE", rname = "SMALL", rqmname = "QM1"},
  {name = "QM9", usage = "XMITQ"},
  {name = "GO", type = "QALIAS", target = "ORDERS"},
  {name = "ORDERS", queue_manager = "QM3", clusters = ["SALES"]},
]
channel = [
  {name = "TO.QM2", queue_manager = "QM2", cluster = "SALES"},
  {name = "TO.QM3", queue_manager = "QM3", cluster = "SALES"},
]
"""
OFF_AT_QM3 = {"do": "alter", "queue": "ORDERS", "queue_manager": "QM3", "set": {"put": "DISABLED"}}
ONE_AT_QM9 = {"do": "alter", "queue": "QM9", "set": {"maxdepth": 1}}
OFF_AT_QM1 = {"do": "alter", "queue": "QM9", "set": {"put": "DISABLED"}}
INHIBITED = "ends with MQRC_PUT_INHIBITED (2051)"


UNDELIVERED = "undelivered"
ARRIVALS: tuple[tuple[str, tuple[Any, ...], str, str | None, str], ...] = (
    ("BASE", (), "rerouted", "BASE at QM2 by TO.QM2", "BASE at QM1 is put-disabled"),
    ("AL", (), "rerouted", "BASE at QM2 by TO.QM2", "BASE at QM1 is put-disabled"),
    ("OFF", (), UNDELIVERED, None, "OFF at QM1 is put-disabled"),
    ("DANGLING", (), UNDELIVERED, None, "ends with MQRC_UNKNOWN_ALIAS_BASE_Q (2082)"),
    ("SMALL", (), "delivered", None, "SMALL at QM1 is put-enabled"),
    ("SMALL", ("SMALL",), UNDELIVERED, None, "ends with MQRC_Q_FULL (2053)"),
    ("AL.SMALL", (), "delivered", None, "SMALL at QM1 is put-enabled"),
    ("AL.SMALL", ("SMALL",), UNDELIVERED, None, "a put to AL.SMALL at QM1 ends with MQRC_Q_FULL (2053)"),
    ("AT.QM3", (), "rerouted", "ORDERS at QM3 by TO.QM3", "AT.QM3 at QM1 is no local queue"),
    ("AT.QM9", (), "rerouted", "ORDERS at QM9 by transmission queue QM9", "AT.QM9 at QM1 is no local queue"),
    ("AT.QM9", (OFF_AT_QM1,), UNDELIVERED, None, "QM9 at QM1 is put-disabled"),
    ("AT.QM9", (ONE_AT_QM9, "QM9"), UNDELIVERED, None, "a put to AT.QM9 at QM1 ends with MQRC_Q_FULL (2053)"),
    ("HOME", (), "delivered", None, "SMALL at QM1 is put-enabled"),
    ("HOME", ("SMALL",), UNDELIVERED, None, "ends with MQRC_Q_FULL (2053)"),
    ("GO", (), "rerouted", "ORDERS at QM3 by TO.QM3", "GO at QM1 is no local queue"),
    ("GO", (OFF_AT_QM3,), UNDELIVERED, None, INHIBITED),
)
"""The queue, what is before, the fate, where it goes, and what is said of it."""


@pytest.mark.parametrize(("deadq", "undelivered"), [("DLQ", "dead_lettered"), ("", "stays")])
def test_what_arrives_for_each_kind_of_queue(deadq: str, undelivered: str) -> None:
    facts: dict[str, Any] = tomllib.loads(ARRIVING)
    facts["queue_manager"]["deadq"] = deadq
    for queue, before, fate, to, said in ARRIVALS:
        first = [each if isinstance(each, dict) else {"do": "put", "queue": each} for each in before]
        events = [*first, {"do": "arrive", "queue": queue, "id": "A"}]
        *_, row = REPLAY.rows(build_scenario({**facts, "event": events}, "s"))
        assert row.administered is not None
        [found] = row.administered.fates
        lost = "returned" if "put-disabled" in said and not deadq else undelivered
        assert found.settled.becomes == (lost if fate == UNDELIVERED else fate), queue
        assert (found.to and found.to.name) == to, queue
        assert said in found.settled.because, queue


def test_what_arrives_by_way_of_a_queue_is_seen_where_it_lies() -> None:
    facts: dict[str, Any] = tomllib.loads(ARRIVING)
    events = [{"do": "arrive", "queue": name, "id": name} for name in ("AL.SMALL", "AL.SMALL", "AT.QM9", "AT.QM3")]
    rows = [row.to_json() for row in REPLAY.rows(build_scenario({**facts, "event": events}, "s"))]
    assert [{each["queue"] for each in row["conditions"]} for row in rows] == [{"SMALL"}, set(), {"QM9"}, set()]


def test_what_went_on_to_a_queue_manager_that_was_named_is_bound_to_it() -> None:
    """By the alias, ORDERS is chosen at QM3, which is listed first: that message has QM2 left, the other has not."""
    facts: dict[str, Any] = tomllib.loads(ARRIVING)
    facts["queue"].append({"name": "ORDERS", "queue_manager": "QM2", "clusters": ["SALES"]})
    events = [{"do": "arrive", "queue": "GO", "id": "FREE"}, {"do": "arrive", "queue": "AT.QM3", "id": "NAMED"}]
    failing = {**FAIL, "queue_manager": "QM3"}
    rows = [row.to_json() for row in REPLAY.rows(build_scenario({**facts, "event": [*events, failing]}, "s"))]
    assert fates(rows[0]) | fates(rows[1]) == {"FREE": ("rerouted", "QM3"), "NAMED": ("rerouted", "QM3")}
    assert fates(rows[2]) == {"FREE": ("rerouted", "QM2"), "NAMED": ("waits", None)}


BOUND_TO = """
queue_manager = {name = "QM1", clusters = ["SALES"], deadq = "DLQ"}
remote_queue_manager = [{name = "QM2", clusters = ["SALES"]}]
queue = [
  {name = "STORE", queue_manager = "QM2", clusters = ["SALES"]},
  {name = "FRONT", type = "QALIAS", target = "STORE", clusters = ["SALES"]},
  {name = "BACK", type = "QALIAS", target = "FRONT", clusters = ["SALES"]},
  {name = "HERE", clusters = ["SALES"]},
  {name = "LEAD", type = "QALIAS", target = "HERE", clusters = ["SALES"]},
  {name = "ROAD", type = "QALIAS", target = "AWAY", clusters = ["SALES"]},
  {name = "AWAY", type = "QREMOTE", rname = "STORE", rqmname = "QM2"},
]
channel = [{name = "TO.QM2", queue_manager = "QM2", cluster = "SALES"}]
"""


@pytest.mark.parametrize(
    ("queue", "bound", "fate"),
    [
        # Free, what the alias leads to is looked for in the cluster; bound, among the own queues alone (2082).
        ("FRONT", False, "rerouted"),
        ("FRONT", True, "dead_lettered"),
        # An alias of an alias of this queue manager (2001), whether others have FRONT, or not.
        ("BACK", True, "dead_lettered"),
        # A target that is here; a remote queue definition, which leads on.
        ("LEAD", True, "delivered"),
        ("HERE", True, "delivered"),
        ("ROAD", True, "rerouted"),
    ],
)
def test_what_is_bound_to_the_host_of_an_alias(queue: str, bound: bool, fate: str) -> None:
    event = {"do": "arrive", "queue": queue, "id": "A1", "bound": bound}
    scenario = build_scenario({**tomllib.loads(BOUND_TO), "event": [event]}, "test")
    [row] = [row.to_json() for row in REPLAY.rows(scenario)]
    [told] = row["fates"]
    assert told["fate"] == fate
    assert ("2082" in told["because"] or "MQRC_UNKNOWN_ALIAS_BASE_Q" in told["because"]) == (queue == "FRONT" and bound)
