"""What holds of every choice: an exit that does nothing, or takes the own choice, changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from attrs import evolve
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mqclause import Cluster, Decision, Engine, Put
from mqclause.executors.pipeline import EXECUTORS
from mqclause.exits import MQWXP, Caller
from mqclause.exits.process import ExitSession
from spec_tests.support.exit_scene import NAME
from spec_tests.support.random_clusters import random_case, situations

law = settings(deadline=None, suppress_health_check=list(HealthCheck))
SITUATIONS = situations()


def does_nothing(wxp: MQWXP) -> None:
    pass


def takes_the_own_choice(wxp: MQWXP) -> None:
    wxp.DestinationChosen = int(wxp.DestinationChosen)


def obeys(wxp: MQWXP) -> None:
    """Does what CLWLDATA says: a number and a response."""
    number, _, response = wxp.ExitData.partition(" ")
    if wxp.DestinationArray:
        wxp.DestinationChosen, wxp.ExitResponse = int(number), response


@pytest.fixture(scope="module")
def plain() -> Engine:
    """An engine without exits."""
    return Engine()


@pytest.fixture(scope="module", params=[does_nothing, takes_the_own_choice])
def idle(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine with an exit that does nothing to the choice."""
    with Engine(exits={NAME: request.param}) as engine:
        yield engine


@pytest.fixture(scope="module")
def obedient() -> Iterator[Engine]:
    """An engine whose exit does what CLWLDATA says."""
    with Engine(exits={NAME: obeys}) as engine:
        yield engine


def asked(engine: Engine, cluster: Cluster, put: Put, data: str = "") -> Decision:
    named = evolve(cluster, queue_manager=evolve(cluster.queue_manager, clwlexit=NAME, clwldata=data))
    return engine.choose(put, named, explain="rule", caller=Caller(session=ExitSession()))


def document(decision: Decision) -> dict[str, Any]:
    """All that is told but what is about exits."""
    found = {key: value for key, value in decision.to_json().items() if key != "exit"}
    return {**found, "remarks": [each for each in found["remarks"] if "CLWLEXIT" not in each]}


@law
@given(situation=SITUATIONS)
def test_an_exit_that_does_nothing_changes_no_decision(
    plain: Engine, idle: Engine, situation: tuple[Cluster, Put]
) -> None:
    cluster, put = situation
    without, found = asked(plain, cluster, put), asked(idle, cluster, put)
    assert document(found) == document(without)
    assert found.state.counters == without.state.counters


@law
@given(
    situation=SITUATIONS,
    number=st.integers(-1, 5),
    response=st.sampled_from(("OK", "OK", "OK", "SUPPRESS_EXIT", "SUPPRESS_FUNCTION", "ok")),
)
@example(situation=random_case(Random(5424)), number=0, response="OK")  # an alias on the way is put-disabled
def test_what_an_exit_can_do(obedient: Engine, situation: tuple[Cluster, Put], number: int, response: str) -> None:
    cluster, put = situation
    found = asked(obedient, cluster, put, f"{number} {response}")
    answer = found.exit
    if answer is None:
        assert not found.runs  # no workload rule was asked, so no exit is
        return
    asks_at_open = put.call == "MQOPEN" or (put.call == "MQPUT" and found.situation.bind == "OPEN")
    fails_before = found.resolved.inhibited and not asks_at_open
    assert answer.called == (bool(answer.offered) and not fails_before)
    if not answer.called:
        return
    assert found.run is not None
    assert answer.own_choice is next(iter(found.run.remaining), None)
    assert answer.own_choice is None or answer.own_choice in answer.offered
    if response not in ("OK", "SUPPRESS_EXIT"):
        assert found.reason is not None
        assert (found.outcome, found.reason.code) == ("failed", 2188)
    elif put.call == "MQOPEN" and found.situation.bind != "OPEN":
        assert answer.chosen is None
        assert found.outcome in ("deferred", "failed")
    elif 1 <= number <= len(answer.offered):
        assert found.chosen is answer.chosen is answer.offered[number - 1]
        assert found.chosen in found.permitted
        advance = found.advance
        if advance is None:  # a rule before clause 12 left the local queue alone: nothing is counted
            assert found.chosen.is_local
            assert not found.run.facts["balanced"]
        else:
            assert found.state.last_number == advance.dest_seq_number
    else:
        assert answer.chosen is answer.own_choice


@settings(law, max_examples=10)
@given(situation=SITUATIONS, number=st.integers(0, 4))
def test_every_executor_says_the_same(situation: tuple[Cluster, Put], number: int) -> None:
    cluster, put = situation
    documents = []
    for executor in EXECUTORS:
        with Engine(executor=executor, exits={NAME: obeys}) as engine:
            documents.append(asked(engine, cluster, put, f"{number} OK").to_json())
    assert all(each == documents[0] for each in documents)
