"""An engine is one, whichever executor it runs, at whatever level, in how many threads; it changes nothing it is given."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from random import Random

import pytest
from attrs import asdict, evolve
from hypothesis import given
from hypothesis import strategies as st

from mqclause import Engine
from mqclause.executors.operations import ExecutorName
from mqclause.model.facts.objects import CHANNEL_STATES, ChannelState
from mqclause.model.facts.workload import SequenceState
from mqclause.workload.decision import LEVELS
from spec_tests.support.compared import EXECUTORS, Situation, engine, essence, law, outline, with_readings
from spec_tests.support.random_clusters import random_case, readings, situations


@law
@given(situations(), readings())
def test_executors_agree(situation: Situation, chosen: dict[str, str]) -> None:
    cluster, put = situation
    for each in ({}, chosen):
        ours, *others = (
            with_readings(each, executor).choose(put, cluster, explain="condition") for executor in EXECUTORS
        )
        for other in others:
            assert ours.to_json() == other.to_json()
            assert outline(ours) == outline(other)


@law
@given(situations(), st.sampled_from(CHANNEL_STATES), st.integers(1, 99))
def test_executors_agree_on_the_next_choice_too(situation: Situation, status: ChannelState, weight: int) -> None:
    cluster, put = situation
    later = evolve(cluster, channels=[evolve(each, status=status, clwlwght=weight) for each in cluster.channels])
    for after in (cluster, later):
        documents = []
        for executor in EXECUTORS:
            state = engine(executor).choose(put, cluster).state
            second = engine(executor).choose(put, after, state, "condition")
            documents.append((second.to_json(), dict(second.state.counters)))
        assert all(each == documents[0] for each in documents)


@law
@given(situations(), readings(), st.sampled_from(EXECUTORS))
def test_every_level_gives_the_same_answer(
    situation: Situation, chosen: dict[str, str], executor: ExecutorName
) -> None:
    cluster, put = situation
    decisions = [with_readings(chosen, executor).choose(put, cluster, explain=level) for level in LEVELS]
    assert all(essence(each) == essence(decisions[0]) for each in decisions)
    assert decisions[0].permitted == ()
    assert decisions[1].permitted == decisions[2].permitted == decisions[3].permitted


@pytest.mark.parametrize("executor", EXECUTORS)
@law
@given(situations())
def test_inputs_stay_as_they_are(executor: ExecutorName, situation: Situation) -> None:
    cluster, put = situation
    state = SequenceState.of(cluster)
    before = deepcopy((asdict(cluster), asdict(put), dict(state.counters), state.last_number))
    first = engine(executor).choose(put, cluster, state, "condition")
    second = engine(executor).choose(put, cluster, state, "condition")
    assert first.to_json() == second.to_json()
    assert essence(first) == essence(second)
    assert (asdict(cluster), asdict(put), dict(state.counters), state.last_number) == before


@pytest.mark.parametrize("executor", EXECUTORS)
def test_threads_share_an_engine(executor: ExecutorName) -> None:
    rng = Random(8)
    cases = [random_case(rng) for _ in range(30)]
    shared = Engine(executor=executor)
    expected = [engine().choose(put, cluster, explain="condition").to_json() for cluster, put in cases]

    def work(order: Random) -> bool:
        numbers = order.sample(range(len(cases)), len(cases))
        found = [(each, shared.choose(cases[each][1], cases[each][0], explain="condition")) for each in numbers]
        return all(decision.to_json() == expected[each] for each, decision in found)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, map(Random, range(4))))
