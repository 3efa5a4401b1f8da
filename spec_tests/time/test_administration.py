"""Events of administration over time: suspension, refresh, failure, arrival. Expected by hand, from the document."""

from __future__ import annotations

import copy
import itertools
import tomllib
from typing import Any

import pytest

from mqclause import FactsError, Replay, Rules
from mqclause.answers.replay_document import row_document
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


@pytest.mark.parametrize(
    ("persistent", "fast", "in_doubt", "bound", "delivered", "alternative"),
    list(itertools.product((True, False), repeat=6)),
)
def test_the_fate_of_every_kind_of_message(
    persistent: bool, fast: bool, in_doubt: bool, bound: bool, delivered: bool, alternative: bool
) -> None:
    message = sent("NEW.QM2", persistent=persistent, in_doubt=in_doubt, bound=bound, delivered=delivered)
    route = {"name": "NEW.QM2", "queue_manager": "QM2", "cluster": "SALES", "npmspeed": "FAST" if fast else "NORMAL"}
    stop = [{"do": "alter", "channel": name, "set": {"status": "STOPPED"}} for name in ("TO.QM3", "PAY.QM3")]
    row = replayed(*([] if alternative else stop), FAIL, channel=[route], in_flight=[message])[-1]
    if delivered or in_doubt:
        expected: tuple[str, str | None] = ("waits", None)
    elif not persistent and fast:
        expected = ("may_be_lost", None)
    else:
        expected = ("rerouted", "QM3") if alternative and not bound else ("waits", None)
    assert fates(row) == {"M1": expected}


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
        ({**ARRIVE, "queue": "ORDERS.IN"}, [], "queue 'ORDERS.IN' is not known"),
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
