"""Shares in the long run: what clause 12 comes to when a put is repeated, in closed form and by repeating it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from mqclause import Cluster, Decision, Engine, Put, Rules, SequenceState, shares
from spec_tests.support.random_clusters import QUEUE, random_case, random_readings
from spec_tests.support.weighted_routes import PUT, cluster

LONG = 800
"""Puts: each share is off by less than one choice of every destination."""


def parts(decision: Decision) -> dict[str, Fraction]:
    """Shares by queue manager."""
    return {each.destination.queue_manager: each.part for each in shares(decision)}


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ((50,), {"QM2": Fraction(1)}),
        ((50, 50), {"QM2": Fraction(1, 2), "QM3": Fraction(1, 2)}),
        ((99, 50, 50), {"QM2": Fraction(99, 199), "QM3": Fraction(50, 199), "QM4": Fraction(50, 199)}),
        ((1, 99), {"QM2": Fraction(1, 100), "QM3": Fraction(99, 100)}),
    ],
)
def test_shares_are_in_proportion_to_weights(weights: tuple[int, ...], expected: dict[str, Fraction]) -> None:
    assert parts(Engine().choose(PUT, cluster(*weights))) == expected


def test_where_steps_are_whole_numbers_shares_are_in_proportion_to_these() -> None:
    # 1000 / 99 is 10 then, and 1000 / 50 is 20.
    engine = Engine(Rules({"weight-step": "truncated"}))
    assert parts(engine.choose(PUT, cluster(99, 50))) == {"QM2": Fraction(2, 3), "QM3": Fraction(1, 3)}


@pytest.mark.parametrize("ties", ["keep-first-listed", "any"])
def test_of_channels_that_clwlmruc_cuts_the_first_listed_have_all(ties: str) -> None:
    given = cluster(50, 50, 50)
    few = Cluster(
        type(given.queue_manager)("QM1", ("SALES",), clwlmruc=2),
        given.remote_queue_managers, given.queues, (), given.channels,
    )  # fmt: skip
    found = parts(Engine(Rules({"mru-ties": ties})).choose(PUT, few))
    assert found == {"QM2": Fraction(1, 2), "QM3": Fraction(1, 2)}


def test_nothing_is_shared_where_nothing_is_chosen() -> None:
    assert shares(Engine().choose(Put(queue="NOWHERE"), cluster(50))) == ()


def repeated(engine: Engine, put: Put, given: Cluster, times: int) -> dict[Any, float]:
    """The parts of so many puts in a row that each destination gets, from fresh counters."""
    state, counts = SequenceState({}, 0, given), Counter[Any]()
    for _ in range(times):
        decision = engine.choose(put, given, state, explain="off")
        counts[decision.chosen] += 1
        state = decision.state
    return {each: count / times for each, count in counts.items()}


@pytest.mark.parametrize(("clusters", "times"), [(2, LONG), pytest.param(6, 100_000, marks=pytest.mark.deep)])
def test_shares_are_what_repeated_puts_come_to(clusters: int, times: int) -> None:
    rng, shared = Random(21), 0
    while shared < clusters:
        given, _ = random_case(rng)
        put = Put(queue=QUEUE, bind="NOTFIXED")
        engine = Engine(Rules(random_readings(rng)))
        decision = engine.choose(put, given)
        found = {each.destination: each.part for each in shares(decision)}
        assert sum(found.values()) in (0, 1)
        if found and len(decision.listed) > 1:
            shared += 1
            counted = repeated(engine, put, given, times)
            assert counted.keys() >= found.keys()
            # Before who stays is settled, one may be chosen that is never chosen again.
            for each, part in counted.items():
                assert abs(part - found.get(each, 0)) < (len(counted) + 1) / times
