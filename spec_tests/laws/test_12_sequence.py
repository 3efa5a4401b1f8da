"""Clause 12 over many puts: shares by weight, and what a reset leaves."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from attrs import evolve

from mqclause import Channel, Cluster, Engine, Put, Queue, Rules, SequenceState
from mqclause.executors.operations import ExecutorName
from spec_tests.support.weighted_routes import PUT, cluster

PUTS = 10_000


def weighted(given: Cluster, name: str, weight: int) -> Cluster:
    """``given`` with another weight for one channel."""
    channels = [evolve(each, clwlwght=weight) if each.name == name else each for each in given.channels]
    return evolve(given, channels=tuple(channels))


def run(
    engine: Engine, given: Cluster, puts: int, state: SequenceState | None = None
) -> tuple[list[str], SequenceState]:
    """The queue managers chosen for so many puts in a row, and the state after them."""
    chosen = []
    for _ in range(puts):
        decision = engine.choose(PUT, given, state, explain="off")
        assert decision.chosen is not None
        chosen.append(decision.chosen.queue_manager)
        state = decision.state
    assert state is not None
    return chosen, state


def factors(state: SequenceState) -> dict[str, float]:
    """Sequence factors by queue manager."""
    return {key[1]: counter.dest_seq_factor for key, counter in state.counters.items()}


def numbers(state: SequenceState) -> dict[str, int]:
    """Sequence numbers by queue manager."""
    return {key[1]: counter.dest_seq_number for key, counter in state.counters.items()}


@pytest.mark.parametrize("step", ["exact", "truncated"])
def test_shares_are_as_the_weights(step: str) -> None:
    chosen, _ = run(Engine(Rules({"weight-step": step})), cluster(20, 50, 20, 10), PUTS)
    assert Counter(chosen) == {"QM2": 2000, "QM3": 5000, "QM4": 2000, "QM5": 1000}


@pytest.mark.parametrize(
    ("weights", "step", "shares"),
    [
        ((20, 40, 60), "exact", (1667, 3333, 5000)),
        ((20, 40, 60), "truncated", (1633, 3265, 5102)),
        ((50, 99), "exact", (3356, 6644)),
        ((50, 99), "truncated", (3334, 6666)),
    ],
)
def test_the_step_decides_the_shares(weights: tuple[int, ...], step: str, shares: tuple[int, ...]) -> None:
    chosen, _ = run(Engine(Rules({"weight-step": step})), cluster(*weights), PUTS)
    counted = Counter(chosen)
    for number, share in enumerate(shares, 2):
        assert abs(counted[f"QM{number}"] - share) <= 2, counted


def with_local(given: Cluster, receivers: int) -> Cluster:
    """``given`` with a local instance that competes, and so many local receivers."""
    own = Queue(name="ORDERS.IN", queue_manager="QM1", clusters=("SALES",), clwluseq="ANY")
    names = [f"TO.QM1.{number}" for number in range(receivers)]
    added = [Channel(name=name, queue_manager="QM1", cluster="SALES", deftype="CLUSRCVR") for name in names]
    return evolve(given, queues=(own, *given.queues), channels=(*given.channels, *added))


@pytest.mark.parametrize("receivers", [0, 1, 4])
def test_a_local_instance_has_one_share(receivers: int) -> None:
    chosen, _ = run(Engine(), with_local(cluster(50, 50, 50), receivers), 400)
    assert Counter(chosen) == {"QM1": 100, "QM2": 100, "QM3": 100, "QM4": 100}


def test_read_so_that_receivers_compete_each_has_a_share() -> None:
    engine = Engine(Rules({"local-instance-competes": "clusrcvr-channels"}))
    chosen, _ = run(engine, with_local(cluster(50), 4), 1000)
    assert Counter(chosen) == {"QM1": 800, "QM2": 200}


def test_equal_weights_take_turns() -> None:
    chosen, _ = run(Engine(), cluster(50, 50, 50), 9)
    assert chosen == ["QM2", "QM3", "QM4"] * 3


def test_all_executors_choose_the_same_over_time() -> None:
    executors: tuple[ExecutorName, ...] = ("compiled", "chaining", "plain")
    compiled, *others = (run(Engine(executor=name), cluster(20, 50, 20, 10), 100) for name in executors)
    for other in others:
        assert compiled[0] == other[0]
        assert factors(compiled[1]) == factors(other[1])
        assert numbers(compiled[1]) == numbers(other[1])


def test_each_choice_gets_the_next_number() -> None:
    _, state = run(Engine(), cluster(50, 50), 7)
    assert numbers(state) == {"QM2": 7, "QM3": 6}
    assert state.last_number == 7


def test_most_recently_used_channels_stay_the_same() -> None:
    few = cluster(50, 50, 50)
    few = evolve(few, queue_manager=evolve(few.queue_manager, clwlmruc=2))
    chosen, _ = run(Engine(), few, 20)
    assert set(chosen[2:]) == set(chosen[:2])
    assert len(set(chosen)) == 2


def test_an_altered_weight_sets_every_factor_to_zero_and_no_number() -> None:
    engine, before = Engine(), cluster(50, 10)
    _, state = run(engine, before, 4)
    assert factors(state) == {"QM2": 60.0, "QM3": 100.0}
    assert numbers(state) == {"QM2": 4, "QM3": 2}
    chosen, after = run(engine, weighted(before, "TO.QM2", 25), 1, state)
    assert chosen == ["QM3"]
    assert factors(after) == {"QM2": 0.0, "QM3": 100.0}
    assert numbers(after) == {"QM2": 4, "QM3": 5}


def test_factors_are_set_back_once_for_one_change() -> None:
    engine, before = Engine(), cluster(50, 10)
    _, state = run(engine, before, 4)
    _, after = run(engine, weighted(before, "TO.QM2", 25), 2, state)
    assert factors(after) == {"QM2": 40.0, "QM3": 100.0}


def test_a_new_destination_sets_every_factor_to_zero() -> None:
    engine = Engine()
    _, state = run(engine, cluster(50, 50), 10)
    chosen, after = run(engine, cluster(50, 50, 50), 3, state)
    assert chosen == ["QM4", "QM2", "QM3"]
    assert factors(after) == {"QM2": 20.0, "QM3": 20.0, "QM4": 20.0}


def test_after_a_reset_the_shares_are_as_the_new_weights() -> None:
    engine, before = Engine(), cluster(50, 50)
    _, state = run(engine, before, 1000)
    chosen, _ = run(engine, weighted(before, "TO.QM2", 25), 3000, state)
    assert Counter(chosen) == {"QM2": 1000, "QM3": 2000}


@pytest.mark.parametrize("change", [{"status": "STOPPED"}, {"deftype": "CLUSSDRB"}])
def test_what_is_no_workload_attribute_leaves_the_factors(change: dict[str, Any]) -> None:
    engine, before = Engine(), cluster(50, 50)
    _, state = run(engine, before, 4)
    first, *others = before.channels
    _, after = run(engine, evolve(before, channels=(evolve(first, **change), *others)), 1, state)
    assert sum(factors(after).values()) == sum(factors(state).values()) + 20.0


def test_a_route_that_passes_the_tests_for_a_queue_alone_sets_the_factors_to_zero() -> None:
    """ORDERS.IN is in STOCK too, where QM1 is not: clause 1 lets the route in STOCK pass, clause 2 would not."""
    given = cluster(50, 50)
    both = [evolve(each, clusters=("SALES", "STOCK")) for each in given.queues]
    more = Channel(name="STOCK.QM2", queue_manager="QM2", cluster="STOCK", clwlprty=1)
    before = evolve(given, queues=both, channels=(*given.channels, more))
    engine = Engine()
    _, state = run(engine, before, 3)
    assert [each.dest_seq_factor for each in state.counters.values()] == [20.0, 20.0, 20.0]
    _, after = run(engine, evolve(before, channels=(*given.channels, evolve(more, clwlwght=99))), 1, state)
    assert sorted(each.dest_seq_factor for each in after.counters.values()) == [0.0, 0.0, 20.0]


def test_a_new_destination_does_not_set_back_twice() -> None:
    engine = Engine()
    _, state = run(engine, cluster(50, 50), 2)
    three = cluster(50, 50, 50)
    _, state = run(engine, three, 1, state)
    chosen, after = run(engine, evolve(three), 1, state)
    assert chosen == ["QM2"]
    assert factors(after) == {"QM2": 20.0, "QM3": 0.0, "QM4": 20.0}


def test_counters_are_kept_for_the_channel_over_all_queues() -> None:
    engine, given = Engine(), cluster(50, 50)
    other = Queue(name="STOCK.IN", queue_manager="QM2", clusters=("SALES",))
    given = evolve(given, queues=(*given.queues, other))
    state = engine.choose(Put(queue="STOCK.IN"), given).state
    decision = engine.choose(PUT, given, state)
    assert decision.chosen is not None
    assert decision.chosen.queue_manager == "QM3"
    assert decision.advance is not None
    assert decision.advance.dest_seq_number == 2
