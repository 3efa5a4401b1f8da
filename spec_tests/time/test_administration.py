"""Events of administration over time: suspension, refresh, failure, arrival. Expected by hand, from the document."""

from __future__ import annotations

import copy
import itertools
import tomllib
from typing import Any

import pytest

from mqclause import FactsError, Replay, Rules
from mqclause.answers.replay.replay_document import row_document
from mqclause.model.timeline.scenario import scenario_of

FACTS = """
queue_manager = {name = "QM1", clusters = ["SALES", "PAY"]}
remote_queue_manager = [
  {name = "QM2", clusters = ["SALES"], repository = true},
  {name = "QM3", clusters = ["SALES", "PAY"]},
]
queue = [
  {name = "ORDERS.IN", queue_manager = "QM2", clusters = ["SALES"]},
  {name = "ORDERS.IN", queue_manager = "QM3", clusters = ["SALES", "PAY"]},
  {name = "HERE", clusters = ["SALES"], defprty = 3},
]
channel = [
  {name = "TO.QM2", queue_manager = "QM2", cluster = "SALES", status = "RUNNING"},
  {name = "TO.QM3", queue_manager = "QM3", cluster = "SALES"},
  {name = "PAY.QM3", queue_manager = "QM3", cluster = "PAY"},
  {name = "TO.QM1", queue_manager = "QM1", cluster = "SALES", deftype = "CLUSRCVR"},
]
"""
REPLAY = Replay()


def replayed(*events: dict[str, Any], readings: dict[str, str] | None = None, **more: Any) -> list[dict[str, Any]]:
    """The rows of events over the facts, with rows of ``more`` tables added."""
    facts: dict[str, Any] = copy.deepcopy(tomllib.loads(FACTS))
    for table, given in more.items():
        facts[table] = {**facts[table], **given} if isinstance(given, dict) else [*facts.get(table, []), *given]
    replay = Replay(Rules(readings)) if readings else REPLAY
    return [row_document(row) for row in replay.rows(scenario_of({**facts, "event": list(events)}, "s"))]


def changed(row: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(each.get("channel") or each["queue_manager"], each["value"]) for each in row["changed"]]


def fates(row: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    return {each["message"]: (each["fate"], each["to"] and each["to"]["queue_manager"]) for each in row["fates"]}


SUSPEND = {"do": "suspend", "queue_manager": "QM2", "cluster": "SALES"}
PUT = {"do": "put", "queue": "ORDERS.IN"}
FAIL = {"do": "fail", "queue_manager": "QM2"}
RECOVER = {"do": "recover", "queue_manager": "QM2"}


def sent(channel: str = "TO.QM2", **flags: Any) -> dict[str, Any]:
    return {"id": "M1", "queue": "ORDERS.IN", "channel": channel, **flags}


def test_a_suspended_queue_manager_is_avoided_until_it_resumes() -> None:
    rows = replayed(SUSPEND, *[PUT] * 4, SUSPEND, {**SUSPEND, "do": "resume"}, PUT, PUT)
    assert changed(rows[0]) == [("QM2", ["SALES"])]
    assert {row["routed"]["queue_manager"] for row in rows[1:5]} == {"QM3"}
    assert changed(rows[5]) == []
    assert changed(rows[6]) == [("QM2", [])]
    assert "QM2" in {row["routed"]["queue_manager"] for row in rows[7:]}


def test_if_all_are_suspended_that_counts_for_nothing() -> None:
    third = {**SUSPEND, "queue_manager": "QM3"}
    rows = replayed(SUSPEND, third, {**third, "cluster": "PAY"}, *[PUT] * 3)
    assert {row["routed"]["queue_manager"] for row in rows[3:]} == {"QM2", "QM3"}


@pytest.mark.parametrize(("choice", "status"), [("stopped", "STOPPED"), ("retrying", "RETRYING")])
def test_force_ends_inbound_channels_of_that_cluster(choice: str, status: str) -> None:
    force = {**SUSPEND, "queue_manager": "QM3", "mode": "force"}
    [row] = replayed(force, readings={"forced-channels": choice})
    assert changed(row) == [("QM3", ["SALES"]), ("TO.QM3", status)]


def test_force_on_the_local_queue_manager_ends_its_receiver() -> None:
    [row] = replayed({"do": "suspend", "cluster": "SALES", "mode": "FORCE"})
    assert changed(row) == [("QM1", ["SALES"]), ("TO.QM1", "STOPPED")]


def test_a_suspension_lists_what_changes_and_a_resumption_starts_no_channel() -> None:
    """QM3 is in two clusters: each has its own suspension, FORCE ends the channel of its cluster alone, and once."""
    sales, pay = {**SUSPEND, "queue_manager": "QM3"}, {**SUSPEND, "queue_manager": "QM3", "cluster": "PAY"}
    events = [
        ({"do": "suspend", "cluster": "PAY"}, [("QM1", ["PAY"])]),
        ({"do": "resume", "queue_manager": "QM1", "cluster": "PAY"}, [("QM1", [])]),
        (sales, [("QM3", ["SALES"])]),
        (pay, [("QM3", ["SALES", "PAY"])]),
        ({**pay, "mode": "QUIESCE"}, []),
        ({**pay, "mode": "FORCE"}, [("PAY.QM3", "STOPPED")]),
        ({**pay, "mode": "FORCE"}, []),
        ({**sales, "do": "resume"}, [("QM3", ["PAY"])]),
        ({**sales, "do": "resume"}, []),
        ({**pay, "do": "resume"}, [("QM3", [])]),
        ({**pay, "mode": "FORCE"}, [("QM3", ["PAY"])]),
    ]
    assert [changed(row) for row in replayed(*(event for event, _ in events))] == [listed for _, listed in events]


STATES = {
    "INACTIVE", "RUNNING", "BINDING", "INITIALIZING", "STARTING", "STOPPING", "RETRYING", "REQUESTING", "PAUSED",
    "STOPPED",
}  # fmt: skip


def test_what_becomes_of_a_channel_in_each_state() -> None:
    """A failure leaves it RETRYING and a return INACTIVE, but for STOPPED; what it is already is not listed."""
    states = sorted(STATES)
    routes = [{"name": state, "queue_manager": "QM4", "cluster": "SALES", "status": state} for state in states]
    fourth = {"name": "QM4", "clusters": ["SALES"]}
    failing, back = {**FAIL, "queue_manager": "QM4"}, {**RECOVER, "queue_manager": "QM4"}
    force = {**SUSPEND, "queue_manager": "QM4", "mode": "FORCE"}
    given: dict[str, Any] = {"remote_queue_manager": [fourth], "channel": routes}
    fail, recover, again = replayed(failing, back, back, **given)
    assert set(changed(fail)) == {(state, "RETRYING") for state in STATES - {"STOPPED", "RETRYING"}}
    assert set(changed(recover)) == {(state, "INACTIVE") for state in STATES - {"STOPPED"}}
    assert changed(again) == []
    assert set(changed(replayed(back, **given)[0])) == {
        (state, "INACTIVE") for state in STATES - {"STOPPED", "INACTIVE"}
    }
    assert set(changed(replayed(force, **given)[0])[1:]) == {(state, "STOPPED") for state in STATES - {"STOPPED"}}


@pytest.mark.parametrize("repository", [False, True])
def test_which_channels_a_refresh_spares(repository: bool) -> None:
    """Of another member: one that an administrator defined, one with messages, any to a full repository."""
    fourth = {"name": "QM4", "clusters": ["SALES", "PAY"], "repository": repository}
    kinds = list(itertools.product(("CLUSSDR", "CLUSSDRA", "CLUSSDRB"), (0, 1), ("SALES", "PAY")))
    routes = [
        {"name": f"{kind}.{count}", "queue_manager": "QM4", "cluster": cluster, "deftype": kind, "messages": count}
        for kind, count, cluster in kinds
    ]
    given: dict[str, Any] = {"remote_queue_manager": [fourth], "channel": routes}
    [row] = replayed({"do": "refresh", "cluster": "SALES"}, **given)
    removed, kept = (
        {each["channel"] for each in row[name] if each.get("channel") and each["queue_manager"] == "QM4"}
        for name in ("removed", "kept")
    )
    assert removed == (set() if repository else {"CLUSSDRA.0"})
    assert kept == {f"{kind}.{count}" for kind, count, _ in kinds} - removed


def test_a_refresh_removes_aliases_of_others_and_suspensions_in_that_cluster_alone() -> None:
    aliases = [
        {"name": "ANY", "queue_manager": "QM3", "clusters": ["SALES", "PAY"]},
        {"name": "ANY", "queue_manager": "QM1", "clusters": ["SALES"]},
    ]
    third = {**SUSPEND, "queue_manager": "QM3"}
    rows = replayed(
        third, {**third, "cluster": "PAY"}, {"do": "refresh", "cluster": "SALES"},
        {**third, "cluster": "PAY"}, queue_manager_alias=aliases,
    )  # fmt: skip
    listed = {
        name: [(each.get("queue"), each["queue_manager"]) for each in rows[2][name]] for name in ("removed", "kept")
    }
    assert ("ANY", "QM3") in listed["removed"]
    assert ("ANY", "QM1") in listed["kept"]
    assert changed(rows[3]) == [], "it is suspended in PAY still"


def test_a_refresh_removes_what_others_own_and_spares_the_rest() -> None:
    waiting = {"name": "OLD.QM3", "queue_manager": "QM3", "cluster": "SALES", "messages": 2}
    manual = {"name": "SDR.QM3", "queue_manager": "QM3", "cluster": "SALES", "deftype": "CLUSSDR"}
    row, put, here = replayed(
        {"do": "refresh", "cluster": "SALES"}, PUT, {"do": "put", "queue": "HERE"}, channel=[waiting, manual]
    )
    named = [(each.get("queue") or each.get("channel"), each["queue_manager"]) for each in row["removed"]]
    assert named == [(None, "QM2"), (None, "QM3"), ("ORDERS.IN", "QM2"), ("ORDERS.IN", "QM3"), ("TO.QM3", "QM3")]
    kept = {each.get("queue") or each.get("channel") for each in row["kept"]}
    assert kept == {None, "HERE", "TO.QM2", "TO.QM1", "OLD.QM3", "SDR.QM3"}
    assert put["routed"]["queue_manager"] == "QM3", "known in PAY still"
    assert here["routed"]["queue_manager"] == "QM1"


def test_a_queue_that_nobody_is_known_to_host_any_more_is_unknown() -> None:
    rows = replayed({"do": "refresh", "cluster": "SALES"}, {"do": "refresh", "cluster": "PAY"}, PUT)
    assert rows[2]["routed"]["failed"]["code"] == 2085


FORGOTTEN: tuple[tuple[str, str, str, int | str], ...] = (
    ("known", "CLUSSDRA", "", 2086),
    ("unknown", "CLUSSDRA", "", 2087),
    ("unknown", "CLUSSDRA", "XQ", "QM4"),
    ("known", "CLUSSDR", "", "QM4"),
    ("unknown", "CLUSSDR", "XQ", "QM4"),
)
"""By the reading, the channel to QM4 and DEFXMITQ: what a put that names QM4 ends with, or where it goes."""


@pytest.mark.parametrize(("choice", "deftype", "defxmitq", "ends"), FORGOTTEN)
def test_a_queue_manager_that_a_refresh_removed_is_named(
    choice: str, deftype: str, defxmitq: str, ends: int | str
) -> None:
    """While a channel leads to it, that is the way; without one, it is known by name, or as good as never heard of."""
    route = {"name": "TO.QM4", "queue_manager": "QM4", "cluster": "SALES", "deftype": deftype}
    *_, row = replayed(
        {"do": "refresh", "cluster": "SALES"}, {**PUT, "to_queue_manager": "QM4"},
        readings={"refreshed-queue-manager": choice}, queue_manager={"defxmitq": defxmitq},
        remote_queue_manager=[{"name": "QM4", "clusters": ["SALES"]}], channel=[route],
        queue=[{"name": "XQ", "usage": "XMITQ"}],
    )  # fmt: skip
    routed = row["routed"]
    assert (routed["failed"]["code"] if "failed" in routed else routed["queue_manager"]) == ends
    assert routed.get("transmission_queue", "") == (defxmitq if deftype == "CLUSSDRA" and choice == "unknown" else "")


@pytest.mark.parametrize("do", ["suspend", "resume"])
def test_a_queue_manager_is_not_suspended_where_a_refresh_removed_it(do: str) -> None:
    refresh = {"do": "refresh", "cluster": "SALES"}
    with pytest.raises(FactsError, match=rf"event 2 \({do}\)") as caught:
        replayed(refresh, {**SUSPEND, "do": do})
    assert "cluster: 'QM2' is not in 'SALES'; its clusters: none, as of this event" in str(caught.value)
    third = {**SUSPEND, "do": do, "queue_manager": "QM3"}
    assert len(replayed(refresh, {**third, "cluster": "PAY"})) == 2, "it is known in PAY still"


@pytest.mark.parametrize("choice", ["known", "unknown"])
def test_what_waits_for_a_queue_manager_is_sent_though_a_refresh_removed_that(choice: str) -> None:
    readings = {"refreshed-queue-manager": choice}
    repository = {"name": "QM4", "clusters": ["SALES"]}
    route = {"name": "TO.QM4", "queue_manager": "QM4", "cluster": "SALES"}
    fourth = {"queue_manager": "QM4"}
    *_, row = replayed(
        {**FAIL, **fourth}, {"do": "refresh", "cluster": "SALES"}, {**RECOVER, **fourth}, readings=readings,
        remote_queue_manager=[repository], channel=[route], in_flight=[sent("TO.QM4", bound=True)],
    )  # fmt: skip
    assert fates(row) == {"M1": ("sent", None)}


@pytest.mark.parametrize("alternative", [True, False])
def test_the_fate_of_every_kind_of_message(alternative: bool) -> None:
    """By what the message is, and NPMSPEED of its channel: persistent, fast, in doubt, bound, delivered."""
    kinds = {"".join(map(str, map(int, kind))): kind for kind in itertools.product((True, False), repeat=5)}
    flags = ("persistent", "in_doubt", "bound", "delivered")
    messages = [
        {**sent("FAST" if fast else "SLOW"), "id": name, **dict(zip(flags, (persistent, *rest), strict=True))}
        for name, (persistent, fast, *rest) in kinds.items()
    ]
    routes = [
        {"name": name, "queue_manager": "QM2", "cluster": "SALES", "npmspeed": speed}
        for name, speed in (("FAST", "FAST"), ("SLOW", "NORMAL"))
    ]
    stop = [{"do": "alter", "channel": name, "set": {"status": "STOPPED"}} for name in ("TO.QM3", "PAY.QM3")]
    row = replayed(*([] if alternative else stop), FAIL, channel=routes, in_flight=messages)[-1]
    expected: dict[str, tuple[str, str | None]] = {}
    for name, (persistent, fast, in_doubt, bound, delivered) in kinds.items():
        expected[name] = ("waits", None)
        if not (delivered or in_doubt):
            if not persistent and fast:
                expected[name] = ("may_be_lost", None)
            elif alternative and not bound:
                expected[name] = ("rerouted", "QM3")
    assert fates(row) == expected


def test_a_message_follows_the_queue_manager_that_it_was_sent_to() -> None:
    rows = replayed(FAIL, RECOVER, {**FAIL, "queue_manager": "QM3"}, in_flight=[sent()])
    assert changed(rows[0]) == [("TO.QM2", "RETRYING")]
    assert fates(rows[0]) == {"M1": ("rerouted", "QM3")}
    assert (changed(rows[1]), fates(rows[1])) == ([("TO.QM2", "INACTIVE")], {})
    assert fates(rows[2]) == {"M1": ("rerouted", "QM2")}


def test_a_message_that_waited_is_sent_when_its_target_is_back() -> None:
    rows = replayed(FAIL, RECOVER, RECOVER, FAIL, in_flight=[sent(bound=True)])
    assert [fates(row) for row in rows] == [
        {"M1": ("waits", None)},
        {"M1": ("sent", None)},
        {},
        {"M1": ("waits", None)},
    ]


def test_one_that_is_sent_to_a_queue_manager_that_is_down_waits_for_it() -> None:
    """QM3 is down: M1, from QM2 that fails, and A1, that arrives, are sent to it and leave when it is back."""
    here, third = {"name": "ORDERS.IN", "clusters": ["SALES"], "put": "DISABLED"}, {"queue_manager": "QM3"}
    arrives = {"do": "arrive", "queue": "ORDERS.IN", "id": "A1"}
    stop = {"do": "alter", "channel": "TO.QM2", "set": {"status": "STOPPED"}}
    back = {**RECOVER, **third}
    rows = replayed({**FAIL, **third}, FAIL, stop, arrives, back, back, queue=[here], in_flight=[sent()])
    assert [fates(row) for row in (rows[0], rows[1], rows[3], rows[4], rows[5])] == [
        {},
        {"M1": ("rerouted", "QM3")},
        {"A1": ("rerouted", "QM3")},
        {"M1": ("sent", None), "A1": ("sent", None)},
        {},
    ]


@pytest.mark.parametrize(("choice", "again"), [("gone", {}), ("judged-anew", {"M1": ("may_be_lost", None)})])
def test_a_message_that_may_be_lost_is_told_once_or_judged_anew(choice: str, again: dict[str, Any]) -> None:
    rows = replayed(FAIL, RECOVER, FAIL, in_flight=[sent(persistent=False)], readings={"may-be-lost": choice})
    assert [fates(row) for row in rows] == [{"M1": ("may_be_lost", None)}, {}, again]


def test_a_stopped_route_stays_stopped() -> None:
    stop = {"do": "alter", "channel": "TO.QM2", "set": {"status": "STOPPED"}}
    assert [changed(row) for row in replayed(stop, FAIL, RECOVER)] == [[], [], []]


def test_rerouted_messages_move_the_counters_of_their_channel() -> None:
    """Of two targets left, three messages and then a put alternate."""
    fourth = {"name": "QM4", "clusters": ["SALES"]}
    queue = {"name": "ORDERS.IN", "queue_manager": "QM4", "clusters": ["SALES"]}
    route = {"name": "TO.QM4", "queue_manager": "QM4", "cluster": "SALES"}
    pay = {"do": "alter", "channel": "PAY.QM3", "set": {"status": "STOPPED"}}
    messages = [{**sent(), "id": f"M{number}"} for number in range(3)]
    rows = replayed(pay, FAIL, PUT, remote_queue_manager=[fourth], queue=[queue], channel=[route], in_flight=messages)
    targets = [each["to"]["queue_manager"] for each in rows[1]["fates"]] + [rows[2]["routed"]["queue_manager"]]
    assert sorted(targets[:2]) == sorted(targets[2:]) == ["QM3", "QM4"]


ARRIVE = {"do": "arrive", "queue": "HERE", "id": "A1"}
DISABLE = {"do": "alter", "queue": "HERE", "set": {"put": "DISABLED"}}


def test_what_arrives_is_seen_by_the_trigger_rules() -> None:
    [row] = replayed(ARRIVE)
    assert fates(row) == {"A1": ("delivered", None)}
    assert {each["queue"] for each in row["conditions"]} == {"HERE"}


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
INHIBITED = "ends with MQRC_PUT_INHIBITED"


UNDELIVERED = "undelivered"
ARRIVALS: tuple[tuple[str, tuple[Any, ...], str, str | None, str], ...] = (
    ("BASE", (), "rerouted", "BASE at QM2 by TO.QM2", "BASE at QM1 is put-disabled"),
    ("AL", (), "rerouted", "BASE at QM2 by TO.QM2", "BASE at QM1 is put-disabled"),
    ("OFF", (), UNDELIVERED, None, "OFF at QM1 is put-disabled"),
    ("DANGLING", (), UNDELIVERED, None, "ends with MQRC_UNKNOWN_ALIAS_BASE_Q"),
    ("SMALL", (), "delivered", None, "SMALL at QM1 is put-enabled"),
    ("SMALL", ("SMALL",), UNDELIVERED, None, "ends with MQRC_Q_FULL"),
    ("AL.SMALL", (), "delivered", None, "SMALL at QM1 is put-enabled"),
    ("AL.SMALL", ("SMALL",), UNDELIVERED, None, "a put to AL.SMALL at QM1 ends with MQRC_Q_FULL"),
    ("AT.QM3", (), "rerouted", "ORDERS at QM3 by TO.QM3", "AT.QM3 at QM1 is no local queue"),
    ("AT.QM9", (), "rerouted", "ORDERS at QM9 by transmission queue QM9", "AT.QM9 at QM1 is no local queue"),
    ("AT.QM9", (OFF_AT_QM1,), UNDELIVERED, None, "QM9 at QM1 is put-disabled"),
    ("AT.QM9", (ONE_AT_QM9, "QM9"), UNDELIVERED, None, "a put to AT.QM9 at QM1 ends with MQRC_Q_FULL"),
    ("HOME", (), "delivered", None, "SMALL at QM1 is put-enabled"),
    ("HOME", ("SMALL",), UNDELIVERED, None, "ends with MQRC_Q_FULL"),
    ("GO", (), "rerouted", "ORDERS at QM3 by TO.QM3", "GO at QM1 is no local queue"),
    ("GO", (OFF_AT_QM3,), UNDELIVERED, None, INHIBITED),
)
"""The queue, what is before, the fate, where it goes, and what is said of it."""


@pytest.mark.parametrize(("deadq", "undelivered"), [("DLQ", "dead_lettered"), ("", "returned")])
def test_what_arrives_for_each_kind_of_queue(deadq: str, undelivered: str) -> None:
    facts: dict[str, Any] = tomllib.loads(ARRIVING)
    facts["queue_manager"]["deadq"] = deadq
    for queue, before, fate, to, said in ARRIVALS:
        first = [each if isinstance(each, dict) else {"do": "put", "queue": each} for each in before]
        events = [*first, {"do": "arrive", "queue": queue, "id": "A"}]
        *_, row = REPLAY.rows(scenario_of({**facts, "event": events}, "s"))
        assert row.administered is not None
        [found] = row.administered.fates
        assert found.settled.becomes == (undelivered if fate == UNDELIVERED else fate), queue
        assert (found.to and found.to.name) == to, queue
        assert said in found.settled.because, queue


def test_what_arrives_by_way_of_a_queue_is_seen_where_it_lies() -> None:
    facts: dict[str, Any] = tomllib.loads(ARRIVING)
    events = [{"do": "arrive", "queue": name, "id": name} for name in ("AL.SMALL", "AL.SMALL", "AT.QM9", "AT.QM3")]
    rows = [row_document(row) for row in REPLAY.rows(scenario_of({**facts, "event": events}, "s"))]
    assert [{each["queue"] for each in row["conditions"]} for row in rows] == [{"SMALL"}, set(), {"QM9"}, set()]


def test_what_went_on_to_a_queue_manager_that_was_named_is_bound_to_it() -> None:
    """By the alias, ORDERS is chosen at QM3, which is listed first: that message has QM2 left, the other has not."""
    facts: dict[str, Any] = tomllib.loads(ARRIVING)
    facts["queue"].append({"name": "ORDERS", "queue_manager": "QM2", "clusters": ["SALES"]})
    events = [{"do": "arrive", "queue": "GO", "id": "FREE"}, {"do": "arrive", "queue": "AT.QM3", "id": "NAMED"}]
    failing = {**FAIL, "queue_manager": "QM3"}
    rows = [row_document(row) for row in REPLAY.rows(scenario_of({**facts, "event": [*events, failing]}, "s"))]
    assert fates(rows[0]) | fates(rows[1]) == {"FREE": ("rerouted", "QM3"), "NAMED": ("rerouted", "QM3")}
    assert fates(rows[2]) == {"FREE": ("rerouted", "QM2"), "NAMED": ("waits", None)}


def test_rerouted_messages_fill_a_queue_here_up_to_its_maxdepth() -> None:
    """Three leave QM2, QM3 has stopped channels: the local queue takes two, with one message there already."""
    stop = [{"do": "alter", "channel": name, "set": {"status": "STOPPED"}} for name in ("TO.QM3", "PAY.QM3")]
    here = {"name": "ORDERS.IN", "clusters": ["SALES"], "maxdepth": 3}
    messages = [{**sent(), "id": f"M{number}"} for number in range(3)]
    rows = replayed(*stop, PUT, FAIL, {**PUT, "to_queue_manager": "QM1"}, queue=[here], in_flight=messages)
    assert rows[2]["routed"]["queue_manager"] == "QM1"
    assert [fate for fate, _ in fates(rows[3]).values()] == ["rerouted", "rerouted", "waits"]
    assert rows[4]["reason"] == 2053


@pytest.mark.parametrize(
    ("flags", "events", "fate", "said"),
    [
        ({}, (), "sent", "its channel sends it"),
        ({"in_doubt": True}, (), "sent", "finds out whether it is there"),
        ({"delivered": True}, (), "delivered", "it is on a queue of QM2 already"),
        ({"bound": True}, ("STOPPED",), "sent", "which is STOPPED"),
    ],
)
def test_what_waited_when_its_target_is_back(
    flags: dict[str, bool], events: tuple[str, ...], fate: str, said: str
) -> None:
    changes = [{"do": "alter", "channel": "TO.QM2", "set": {"status": each}} for each in events]
    message = sent(**(flags or {"bound": True}))
    *_, row = replayed(*changes, FAIL, RECOVER, in_flight=[message])
    [found] = row["fates"]
    assert (found["fate"], said in found["because"]) == (fate, True)


def test_the_speed_of_a_channel_is_that_of_the_moment() -> None:
    slower = {"do": "alter", "channel": "TO.QM2", "set": {"npmspeed": "NORMAL"}}
    message = sent(persistent=False)
    assert fates(replayed(FAIL, in_flight=[message])[0]) == {"M1": ("may_be_lost", None)}
    assert fates(replayed(slower, FAIL, in_flight=[message])[1]) == {"M1": ("rerouted", "QM3")}


@pytest.mark.parametrize(
    ("event", "messages", "said"),
    [
        ({**FAIL, "queue_manager": "QM1"}, [], "'QM1' is the local queue manager"),
        ({**FAIL, "queue_manager": "QM9"}, [], "queue_manager 'QM9' is not known"),
        ({**SUSPEND, "cluster": "PAY"}, [], "'QM2' is not in 'PAY'"),
        ({"do": "refresh", "cluster": "NONE"}, [], "'QM1' is not in 'NONE'"),
        ({**SUSPEND, "mode": "SHARED"}, [], "mode: 'SHARED' is not allowed; allowed: QUIESCE, FORCE"),
        ({"do": "open", "queue": "HERE", "mode": "FORCE"}, [], "mode: 'FORCE' is not allowed; allowed: INPUT_SHARED"),
        ({"do": "arrive", "queue": "HERE"}, [], "id is missing"),
        ({**ARRIVE, "queue": "ORDERS.IN"}, [], "queue 'ORDERS.IN' is hosted by QM2, QM3, not by 'QM1'"),
        ({**ARRIVE, "queue": "NONE"}, [], "queue 'NONE' is not known"),
        ({**ARRIVE, "id": "M1"}, [sent()], "'M1' is that of a message in flight"),
        (FAIL, [sent(), sent()], "in_flight 2 'M1': id: 'M1' is given twice"),
        (FAIL, [sent("TO.QM9")], "in_flight 1 'M1': channel 'TO.QM9' is not known"),
        (FAIL, [sent(queue_manager="QM3")], "channel 'TO.QM2' leads elsewhere"),
        (FAIL, [{**sent(), "queue": "X"}], "in_flight 1 'M1': queue 'X' is not known"),
    ],
)
def test_bad_input_is_told(event: dict[str, Any], messages: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(FactsError) as caught:
        replayed(event, in_flight=messages)
    assert said in str(caught.value)
