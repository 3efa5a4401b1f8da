"""Laws that every replay keeps, whatever happens: checked with every executor on random scenarios."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqclause.executors.operations import ExecutorName
from mqclause.model.timeline.scenario import build_scenario
from mqclause.model.timeline.transitions import QueueManagerState
from mqclause.replay.runner import Row
from mqclause.trigger.examination import Examination
from spec_tests.support.deep import asked
from spec_tests.support.one_queue_manager import reaching, step
from spec_tests.support.trigger_scenarios import random_scenario, replay, seeds

law = settings(deadline=None, suppress_health_check=list(HealthCheck))
EXECUTORS: tuple[ExecutorName, ...] = ("compiled", "chaining", "plain")
OTHER_READINGS = (
    ("backed-out-every", "released"),
    ("depth-turns-off", "no"),
    ("interval-before-first", "from-start"),
    ("shared-queue-arrival", "put"),
    ("shared-queue-and-every", "stops"),
    ("served-elsewhere-until", "all-close"),
    ("there-before", "any-priority"),
    ("only-application", "other-names"),
    ("only-application-where", "queue-manager"),
    ("released-by-type", "at-the-end"),
    ("one-alter", "each-clause"),
)
READINGS = ((), *((each,) for each in OTHER_READINGS), OTHER_READINGS)
"""The defaults, each other choice alone, and all of them."""

NEEDED = {
    "trigger.01-10": {"1", "2", "3", "6", "7", "8", "9", "10"},
    "trigger.11": {"2", "6", "7", "8", "9", "10", "11"},
    "trigger.12": {"6", "7", "8", "9", "10", "12"},
    "trigger.13": {"6", "7", "9", "10", "13"},
    "trigger.13.1": {"6", "7", "8", "9", "10", "13.1"},
    "trigger.13.2": {"6", "7", "8", "9", "10", "13.2"},
    "trigger.13.3": {"6", "7", "9", "10", "13.3"},
}
"""The conditions behind each rule that writes a trigger message; 4 and 5 besides, where they apply."""
WITHOUT_4 = {"trigger.12"}


def rows_of(scenario: dict[str, Any], executor: ExecutorName = "compiled", **kept: Any) -> list[Row]:
    return list(replay(executor, **kept).rows(build_scenario(scenario, "law")))


def documents(scenario: dict[str, Any], executor: ExecutorName = "compiled", **kept: Any) -> list[dict[str, Any]]:
    return [row.to_json() for row in rows_of(scenario, executor, **kept)]


@law
@given(seeds, st.sampled_from(READINGS))
def test_executors_tell_the_same(rng: Random, readings: tuple[tuple[str, str], ...]) -> None:
    scenario = random_scenario(rng)
    ours, *others = (documents(scenario, each, readings=readings) for each in EXECUTORS)
    assert all(each == ours for each in others)


@pytest.mark.parametrize("scenarios", [20, pytest.param(asked("SCENARIOS", 400), marks=pytest.mark.deep)])
def test_agreement_of_executors(scenarios: int) -> None:
    rng = Random(20240917)
    for number in range(scenarios):
        scenario = build_scenario(random_scenario(rng), "law")
        for ours, *others in zip(*(replay(each).rows(scenario) for each in EXECUTORS), strict=True):
            assert all(outline(each) == outline(ours) for each in others), (number, ours.number)


def outline(row: Row) -> list[Any]:
    """What an event led to, in a form that compares quickly."""
    told: list[Any] = [row.number, row.reason, [(each.queue, each.created_by_event) for each in row.released]]
    told += [(each.examination.occasion.queue, each.available) for each in row.trigger_messages]
    for each in row.examinations:
        wrote = each.rule and each.rule.id
        told.append((wrote, each.fields, [(rule.id, holds) for rule, holds in each.list_examined_rules()]))
    return told


def written(rows: list[Row]) -> Iterator[Examination]:
    for row in rows:
        for message in row.trigger_messages:
            yield message.examination


@law
@given(seeds)
def test_no_trigger_message_without_its_conditions(rng: Random) -> None:
    for examination in written(rows_of(random_scenario(rng, 25))):
        assert examination.rule is not None
        rule = examination.rule.id
        required = NEEDED[rule] | (set() if rule in WITHOUT_4 else {"4", "5"})
        conditions = [(each.clause, holds) for each, holds in examination.list_examined_rules()]
        assert NEEDED[rule] <= {clause for clause, _ in conditions}
        assert [clause for clause, holds in conditions if clause in required and not holds] == []


@law
@given(seeds)
def test_what_does_not_trigger_is_explained(rng: Random) -> None:
    for row in rows_of(random_scenario(rng, 25)):
        for examination in row.examinations:
            conditions = list(examination.conditions)
            if examination.rule is None and conditions:
                assert [each for each in conditions if not each.holds]
            assert all(each.because for each in conditions if not each.holds)


@law
@given(seeds)
def test_one_event_writes_one_trigger_message_for_a_queue(rng: Random) -> None:
    for row in rows_of(random_scenario(rng, 25)):
        queues = [each.examination.occasion.queue for each in row.trigger_messages]
        if row.event.do != "commit":
            assert len(queues) == len(set(queues))
        assert row.event.do in ("put", "commit", "close", "alter", "open") or not queues


@law
@given(seeds, st.integers(0, 16))
def test_the_beginning_of_a_scenario_gives_the_beginning_of_its_rows(rng: Random, events: int) -> None:
    scenario = random_scenario(rng)
    beginning = {**scenario, "event": scenario["event"][:events]}
    told = documents(beginning)
    assert told == documents(scenario)[: len(told)]


@law
@given(seeds, st.lists(st.sampled_from(("put", "get", "segments")), min_size=1))
def test_a_backout_of_everything_leaves_the_depth_as_before(rng: Random, work: list[str]) -> None:
    scenario = random_scenario(rng)
    calls: dict[str, dict[str, Any]] = {
        "put": {"do": "put", "queue": "APPQ", "priority": 4},
        "get": {"do": "get", "queue": "APPQ"},
        "segments": {"do": "put", "queue": "APPQ", "segments": 3},
    }
    extra = [{**calls[each], "unit_of_work": "U9"} for each in work]
    whole = build_scenario(
        {**scenario, "event": [*scenario["event"], *extra, {"do": "backout", "unit_of_work": "U9"}]}, "law"
    )
    state = QueueManagerState.of(whole.cluster, replay().triggers.callbacks)
    depths = []
    for event in whole.events:
        for _ in range(event.count):
            state, _, _ = step(state, event)
        depths.append([state.queue("APPQ").counted(reaching(lowest))[0] for lowest in range(10)])
    assert depths[-1] == depths[len(scenario["event"]) - 1]


def first_scenario(rng: Random) -> dict[str, Any]:
    """Puts, gets, opens and closes over time on one queue of type FIRST with TRIGMPRI 4; nothing else hinders."""
    now, opened = 0, 0
    events: list[dict[str, Any]] = [{"do": "open", "queue": "INITQ", "by": "TRIGMON"}]
    for _ in range(30):
        now += rng.choice((0, 0, 1, 5, 10))
        kind = rng.choice(("put", "put", "put", "get", "get", "open", "close"))
        kind = "open" if kind == "close" and not opened else kind
        opened += {"open": 1, "close": -1}.get(kind, 0)
        events.append(
            {"do": kind, "queue": "APPQ", "at": now, **({"priority": rng.choice((3, 4, 5))} if kind == "put" else {})}
        )
    queue = {"name": "APPQ", "trigger": True, "trigmpri": 4, "process": "P", "initq": "INITQ"}
    manager = {"name": "QM1", "trigint": 10}
    return {"queue_manager": manager, "queue": [queue, {"name": "INITQ"}], "process": [{"name": "P"}], "event": events}


def first_in_plain_words(events: list[dict[str, Any]]) -> Iterator[int]:
    """The events that write a trigger message: the numbered conditions once more, for that one queue."""
    messages: list[int] = []
    opened, last = 0, None
    for number, event in enumerate(events):
        due = False
        waiting = sum(priority >= 4 for priority in messages)
        if event["do"] == "put":
            elapsed = last is None or event["at"] - last >= 10
            due = event["priority"] >= 4 and opened == 0 and (waiting == 0 or elapsed)
            messages.append(event["priority"])
        elif event["do"] == "get" and messages:
            messages.remove(max(messages))
        elif event["do"] == "open" and event["queue"] == "APPQ":
            opened += 1
        elif event["do"] == "close":
            opened -= 1
            due = opened == 0 and waiting > 0
        if due:
            last = event["at"]
            yield number


@law
@given(seeds)
def test_first_triggers_once_until_the_queue_is_empty_or_the_interval_over(rng: Random) -> None:
    scenario = first_scenario(rng)
    got = [row.number for row in rows_of(scenario) for _ in row.trigger_messages]
    assert got == list(first_in_plain_words(scenario["event"]))


def clustered(*weights: int, local: bool = False) -> dict[str, Any]:
    """ORDERS.IN at QM2, QM3 … behind a running channel of each weight, and here too if ``local``."""
    names = [f"QM{number}" for number, _ in enumerate(weights, 2)]
    queue = {"name": "ORDERS.IN", "clusters": ["SALES"], "defbind": "NOTFIXED"}
    here = {"clwluseq": "ANY", "trigger": True, "trigtype": "EVERY", "process": "P", "initq": "INITQ"}
    return {
        "queue_manager": {"name": "QM1", "clusters": ["SALES"]},
        "remote_queue_manager": [{"name": name, "clusters": ["SALES"]} for name in names],
        "queue": [
            *({**queue, "queue_manager": name} for name in names),
            *([{**queue, **here}] if local else []),
            {"name": "INITQ"},
        ],
        "channel": [
            {"name": f"TO.{name}", "queue_manager": name, "cluster": "SALES", "status": "RUNNING", "clwlwght": weight}
            for name, weight in zip(names, weights, strict=True)
        ],
        "process": [{"name": "P"}],
    }


@pytest.mark.parametrize("opened", [True, False], ids=["MQPUT", "MQPUT1"])
def test_puts_are_shared_out_by_weight(opened: bool) -> None:
    put = {"do": "put", "queue": "ORDERS.IN", "by": "APP1", "count": 1_000}
    handle = {"do": "open", "queue": "ORDERS.IN", "by": "APP1", "mode": "OUTPUT", "bind": "NOTFIXED"}
    scenario = {**clustered(20, 50, 20, 10), "event": [handle, put] if opened else [put]}
    shares: dict[str, int] = {}
    for row in replay().rows(build_scenario(scenario, "law")):
        if row.event.do == "put":
            where = row.to_json()["routed"]["queue_manager"]
            shares[where] = shares.get(where, 0) + 1
    assert shares == {"QM2": 200, "QM3": 500, "QM4": 200, "QM5": 100}


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_put_that_stays_here_triggers_here(executor: ExecutorName) -> None:
    monitor = {"do": "open", "queue": "INITQ", "by": "TRIGMON"}
    scenario = {**clustered(50, local=True), "event": [monitor, {"do": "put", "queue": "ORDERS.IN", "count": 10}]}
    puts = documents(scenario, executor)[1:]
    here = [row for row in puts if row["routed"]["queue_manager"] == "QM1"]
    assert len(here) == 5
    assert all([each["rule"] for each in row["trigger_messages"]] == ["trigger.01-10"] for row in here)
    assert not any(row["trigger_messages"] or row["conditions"] for row in puts if row not in here)
