"""Answers and facts are values: what is read or asked again is equal and hashes alike, also in another process."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from datetime import date
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings

from mqclause import (
    Decision,
    Engine,
    Explanation,
    MapRow,
    Put,
    Replay,
    Retrieval,
    Why,
    cluster_map,
    inspected,
    next_get,
    plan,
    read_document,
    read_files,
    read_members,
    read_scenario,
    shares,
    why_not,
)
from mqclause.model.configuration.sources import Source
from mqclause.model.timeline.administration import read_repository_content
from mqclause.model.timeline.scenario import build_scenario
from mqclause.replay.administration import AdministrationRules, build_retention
from mqclause.workload.decision import LEVELS
from spec_tests.support.compared import Situation, law
from spec_tests.support.random_clusters import situations
from spec_tests.support.trigger_scenarios import random_scenario

EXAMPLES = Path(str(files("mqclause.tools") / "examples"))
SALES = [EXAMPLES / "sales" / f"QM{number}.mqsc" for number in (1, 2, 3)]
DUMPS = [EXAMPLES / name for name in ("QM1.log", "QM2.mqsc")]


def anew(value: Any) -> Any:
    """The same, made of nothing that the original is made of."""
    return pickle.loads(pickle.dumps(value))


def check_equal(one: Any, other: Any) -> None:
    assert one == other
    assert hash(one) == hash(other)
    assert {one: "kept"}[anew(other)] == "kept"


@law
@given(situations())
def test_what_is_decided_of_equal_facts_is_equal(situation: Situation) -> None:
    cluster, put = situation
    again = anew(cluster)
    check_equal(cluster, again)
    for level in LEVELS:
        one, other = (Engine().choose(put, each, explain=level) for each in (cluster, again))
        check_equal(one, other)
        check_equal(one.state, other.state)
        assert one.chosen == other.chosen
        assert len({*one.permitted, *other.permitted}) == len(one.permitted)
        assert one.steps == other.steps
        assert Engine().choose(put, again, one.state, level) == Engine().choose(put, cluster, other.state, level)
    recorded = Decision.from_json(one.to_json_text())
    check_equal(recorded, Decision.from_json(other.to_json()))
    assert recorded.to_json() == one.to_json()
    check_equal(shares(one), shares(other))
    check_equal(cluster_map(cluster), cluster_map(again))
    for row in cluster_map(cluster):
        assert MapRow.from_json(json.dumps(row.to_json())).to_json() == row.to_json()
    if one.runs and one.listed:
        known = one.listed[-1].queue_manager
        check_equal(why_not(one, known), why_not(other, known))


@settings(law, max_examples=25)
@given(situations())
def test_what_differs_in_one_value_is_not_equal(situation: Situation) -> None:
    cluster, put = situation
    own = cluster.queue_manager
    other = evolve(cluster, queue_manager=evolve(own, clwlmruc=own.clwlmruc % 9 + 1))
    assert cluster != other
    assert Engine().choose(put, cluster) != Engine().choose(put, other)
    asked = evolve(put, call="MQPUT1" if put.call == "MQPUT" else "MQPUT")
    assert Engine().choose(put, cluster) != Engine().choose(asked, cluster)


def test_by_whichever_executor() -> None:
    cluster = read_files(SALES, local="QM1").cluster
    check_equal(*(Engine(executor=name).choose(Put("ORDERS.IN"), cluster) for name in ("compiled", "plain")))


def _decided(other: bool) -> list[Any]:
    snapshot = read_files(SALES, local="QM1")
    cluster = snapshot.cluster.suspend("QM3") if other else snapshot.cluster
    decision = Engine().choose(Put("ORDERS.IN"), cluster, explain="rule")
    return [snapshot, decision, Explanation.of(decision, snapshot), *decision.other_readings(), *decision.steps]


def _planned(other: bool) -> list[Any]:
    before = read_members(SALES)
    return [plan(before, [each.cluster.suspend("QM2" if other else "QM3") for each in before])]


def _examined(other: bool) -> list[Any]:
    answer = Why().ask("ORDERS.IN", read_files([EXAMPLES / "QM2.mqsc"]), priority=1 if other else None)
    return [answer, *answer.doubts, *answer.found.values()]


def _replayed(other: bool) -> list[Any]:
    rows = Replay().rows(read_scenario(EXAMPLES / "status_queue.toml"))
    random = Replay().rows(build_scenario(random_scenario(Random(11 if other else 7), 20), "law"))
    return [*rows, *random]


def _ordered(other: bool) -> list[Any]:
    messages = [{"queue": "APPQ", "id": name, "group": "G", "sequence": at} for at, name in enumerate("ab", 1)]
    tables = {"queue_manager": {"name": "QM1"}, "queue": [{"name": "APPQ"}], "message": messages}
    snapshot = read_document(tables, "messages")
    cluster, waiting = snapshot.cluster, snapshot.messages[: 1 if other else 2]
    return [*Retrieval().orders(waiting, cluster), next_get(Retrieval(), cluster, waiting, "APPQ")]


def _kept(other: bool) -> list[Any]:
    day = date(2026, 3, 31 if other else 1)
    found = build_retention(
        AdministrationRules(), read_repository_content([Source.at(EXAMPLES / "held.toml")], day), day
    )
    return [found, *found.information, *found.requests]


@pytest.mark.parametrize("made", [_decided, _planned, _examined, _replayed, _ordered, _kept])
def test_what_is_read_and_asked_again_is_equal(made: Callable[[bool], list[Any]]) -> None:
    found = made(False)
    assert found
    for one, other in zip(found, made(False), strict=True):
        check_equal(one, other)
        assert anew(one) == one
    assert found != made(True)


def test_findings_are_told_by_what_they_say() -> None:
    found = [inspected(SALES).findings() for _ in range(2)]
    assert found[0]
    assert anew(found[0]) == found[0] == found[1]
    assert len({*found[0], *found[1], *anew(found[0])}) == len({each.key for each in found[0]})


def test_a_decision_is_small_where_it_is_sent() -> None:
    decision = Engine().choose(Put("ORDERS.IN"), read_files(SALES, local="QM1").cluster, explain="condition")
    assert decision.steps
    assert len(pickle.dumps(decision)) < 20_000
