"""Laws of administration over time, on random clusters: who gets a message, what a refresh spares, one fate each."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqclause.model.timeline.scenario import build_scenario
from mqclause.replay.runner import Replay

REPLAY = Replay()
HOSTS = ("QM2", "QM3", "QM4")
STATES = ("INACTIVE", "RUNNING", "STARTING", "RETRYING", "STOPPED")
FLAGS = ("persistent", "bound", "in_doubt", "delivered")

words = st.sampled_from
flags = st.fixed_dictionaries({name: st.booleans() for name in FLAGS})
routes = st.fixed_dictionaries(
    {
        "status": words(STATES),
        "deftype": words(("CLUSSDRA", "CLUSSDRB", "CLUSSDR")),
        "messages": st.integers(0, 1),
        "npmspeed": words(("FAST", "NORMAL")),
    }
)
queues = st.fixed_dictionaries({"put": words(("ENABLED", "ENABLED", "DISABLED"))})


@st.composite
def clusters(draw: st.DrawFn) -> dict[str, Any]:
    """A cluster S as QM1 sees it: a host may have the queue, and one route or two."""
    own = {"name": "QM1", "clusters": ["S"], "clwluseq": draw(words(("LOCAL", "ANY"))), "deadq": draw(words(("", "D")))}
    listed = [{"name": "Q", "queue_manager": name, "clusters": ["S"], **draw(queues)} for name in ("QM1", *HOSTS)]
    kept = [each for each in listed if each["queue_manager"] == "QM2" or draw(st.booleans())]
    channels = [
        {"name": f"TO.{name}.{number}", "queue_manager": name, "cluster": "S", **draw(routes)}
        for name in HOSTS
        for number in range(draw(st.integers(1, 2)))
    ]
    remote = [{"name": name, "clusters": ["S"], "repository": draw(st.booleans())} for name in HOSTS]
    return {"queue_manager": own, "remote_queue_manager": remote, "queue": kept, "channel": channels}


def rows(facts: dict[str, Any], *events: dict[str, Any], **tables: Any) -> list[dict[str, Any]]:
    document = {**facts, **tables, "event": list(events)}
    return [row.to_json() for row in REPLAY.rows(build_scenario(document, "s"))]


def to(row: dict[str, Any]) -> str | None:
    """Where a put was routed to; None for a put that failed."""
    return (row["routed"] or {}).get("queue_manager")


DAILY = settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])


@DAILY
@given(clusters(), st.sets(words(HOSTS), min_size=1))
def test_a_suspended_queue_manager_is_put_to_only_if_nobody_else_is_left_or_it_is_named(
    facts: dict[str, Any], suspended: set[str]
) -> None:
    events = [{"do": "suspend", "queue_manager": name, "cluster": "S"} for name in sorted(suspended)]
    others = {"do": "put", "queue": "Q"}
    named = {"do": "put", "queue": "Q", "to_queue_manager": min(suspended)}
    *_, put, direct = rows(facts, *events, others, named)
    enabled = {each["queue_manager"] for each in facts["queue"] if each["put"] == "ENABLED"}
    assert to(put) not in suspended or enabled <= suspended or "QM1" in enabled
    assert to(put) in enabled or not enabled
    assert to(direct) == min(suspended)


@DAILY
@given(clusters())
def test_a_put_at_a_suspended_queue_manager_goes_to_its_own_queue(facts: dict[str, Any]) -> None:
    """Clause 3 comes before clause 5: with CLWLUSEQ(LOCAL) its own queue is taken, suspended or not."""
    facts["queue_manager"]["clwluseq"] = "LOCAL"
    hosted = any(each["queue_manager"] == "QM1" and each["put"] == "ENABLED" for each in facts["queue"])
    _, put = rows(facts, {"do": "suspend", "cluster": "S"}, {"do": "put", "queue": "Q"})
    assert not hosted or to(put) == "QM1"


@DAILY
@given(clusters())
def test_a_refresh_removes_nothing_of_the_local_queue_manager_and_tells_each_thing_once(facts: dict[str, Any]) -> None:
    [row] = rows(facts, {"do": "refresh", "cluster": "S"})
    keys = ("queue", "channel", "queue_manager")
    removed, kept = ([tuple(each.get(key) for key in keys) for each in row[name]] for name in ("removed", "kept"))
    assert all(host != "QM1" for *_, host in removed)
    own = [("Q", None, "QM1")] if any(each["queue_manager"] == "QM1" for each in facts["queue"]) else []
    assert set(own) <= set(kept)
    assert len(removed + kept) == len({*removed, *kept}) == 4 + len(facts["queue"]) + len(facts["channel"])
    spared = {each["name"] for each in facts["channel"] if each["deftype"] != "CLUSSDRA" or each["messages"]}
    assert spared <= {channel for _, channel, _ in kept}


@DAILY
@given(clusters(), st.lists(flags, max_size=5), st.lists(words(HOSTS), min_size=1, max_size=3))
def test_every_message_in_flight_has_one_fate_each_time_its_target_fails(
    facts: dict[str, Any], messages: list[dict[str, bool]], failing: list[str]
) -> None:
    is_fast = facts["channel"][0]["npmspeed"] == "FAST"
    told = [each for each in messages if each["persistent"] or not each["in_doubt"] or not is_fast]
    in_flight: list[dict[str, Any]] = [
        {"id": f"M{number}", "queue": "Q", "channel": "TO.QM2.0", **each} for number, each in enumerate(told)
    ]
    at = {each["id"]: "QM2" for each in in_flight}
    for row, failed in zip(
        rows(facts, *({"do": "fail", "queue_manager": name} for name in failing), in_flight=in_flight),
        failing,
        strict=True,
    ):
        assert sorted(fate["message"] for fate in row["fates"]) == sorted(
            name for name, host in at.items() if host == failed
        )
        for fate in row["fates"]:
            assert (fate["to"] is not None) == (fate["fate"] == "rerouted")
            assert fate["fate"] in ("waits", "rerouted", "may_be_lost")
            if fate["fate"] == "rerouted":
                assert fate["to"]["queue_manager"] != failed
                at[fate["message"]] = fate["to"]["queue_manager"]
            if fate["fate"] == "may_be_lost":
                del at[fate["message"]]


@DAILY
@given(clusters(), st.integers(1, 3), st.booleans())
def test_what_arrives_has_one_fate_and_lies_here_as_long_as_the_queue_takes_it(
    facts: dict[str, Any], maxdepth: int, disabled: bool
) -> None:
    own = {"name": "Q", "queue_manager": "QM1", "clusters": ["S"], "maxdepth": maxdepth}
    put = {"put": "DISABLED" if disabled else "ENABLED"}
    facts["queue"] = [each for each in facts["queue"] if each["queue_manager"] != "QM1"] + [{**own, **put}]
    elsewhere = {each["queue_manager"] for each in facts["queue"][:-1] if each["put"] == "ENABLED"}
    undelivered = "dead_lettered" if facts["queue_manager"]["deadq"] else "returned" if disabled else "stays"
    for number, row in enumerate(rows(facts, *({"do": "arrive", "queue": "Q", "id": f"A{at}"} for at in range(4)))):
        [fate] = row["fates"]
        assert (fate["to"] is not None) == (fate["fate"] == "rerouted")
        if not disabled:
            assert fate["fate"] == ("delivered" if number < maxdepth else undelivered)
        elif elsewhere:
            assert fate["to"]["queue_manager"] in elsewhere
        else:
            assert fate["fate"] == undelivered


@DAILY
@given(clusters(), words(HOSTS))
def test_what_waited_is_sent_when_its_target_is_back_and_stopped_routes_stay_stopped(
    facts: dict[str, Any], failed: str
) -> None:
    route = next(each["name"] for each in facts["channel"] if each["queue_manager"] == failed)
    in_flight = [{"id": "M", "queue": "Q", "channel": route, "bound": True}]
    events = [{"do": do, "queue_manager": failed} for do in ("fail", "recover")]
    fail, recover = rows(facts, *events, in_flight=in_flight)
    is_stopped = next(each["status"] for each in facts["channel"] if each["name"] == route) == "STOPPED"
    assert [(row["fates"][0]["message"], row["fates"][0]["fate"]) for row in (fail, recover)] == [
        ("M", "waits"),
        ("M", "waits" if is_stopped else "sent"),
    ]
    moving = {
        each["name"] for each in facts["channel"] if each["queue_manager"] == failed and each["status"] != "STOPPED"
    }
    assert {(each["channel"], each["value"]) for each in recover["changed"]} == {(name, "INACTIVE") for name in moving}
