"""What a choice leaves to the next one: the number of the choice, and the factors, which restart after a change."""

from __future__ import annotations

from random import Random

import pytest
from attrs import evolve
from hypothesis import assume, given

from mqclause import Decision
from mqclause.executors.operations import ExecutorName
from mqclause.model.facts.objects import Channel
from mqclause.model.facts.workload import SequenceState
from spec_tests.support.compared import EXECUTORS, Situation, engine, law
from spec_tests.support.random_clusters import random_case, random_put, situations


@pytest.mark.parametrize("executor", EXECUTORS)
def test_state_over_a_sequence_of_puts(executor: ExecutorName) -> None:
    rng = Random(12)
    for _ in range(25):
        cluster, put = random_case(rng)
        state = SequenceState.of(cluster)
        for _ in range(8):
            decision = engine(executor).choose(put, cluster, state)
            check_advance(state, decision)
            state, put = decision.state, random_put(rng, cluster)


def decided_by_clause_12(decision: Decision) -> bool:
    """Whether the workload rules were asked, and clause 3 has not chosen outright."""
    if decision.run is None:
        return False
    local_first = (decision.situation.from_cluster_channel, decision.situation.qmgr_clwluseq == "LOCAL")
    return not any(
        each.is_local and (each.clwluseq == "LOCAL" or local_first[0] or (local_first[1] and each.clwluseq == "QMGR"))
        for each in decision.listed
        if each.queue and each.put_enabled and decision.resolved.named.queue
    )


def check_advance(before: SequenceState, decision: Decision) -> None:
    """The number rises by one with a choice, and only the chosen channel's counters change."""
    after, chosen = decision.state, decision.chosen
    if chosen is None or not decided_by_clause_12(decision):
        assert decision.advance is None
        assert (dict(after.counters), after.last_number) == (dict(before.counters), before.last_number)
        return
    assert after.last_number == before.last_number + 1
    factor, _ = before.counters.get(chosen.counter, (0.0, 0))
    advanced = (factor + 1000 / chosen.channel_weight, after.last_number)
    assert dict(after.counters) == {**before.counters, chosen.counter: advanced}


def _heavier(channel: Channel) -> Channel:
    return evolve(channel, clwlwght=channel.clwlwght % 99 + 1)


def _stopped(channel: Channel) -> Channel:
    return evolve(channel, status="STOPPED" if channel.status != "STOPPED" else "RUNNING")


@law
@given(situations().filter(lambda found: found[0].channels))
def test_factors_start_again_when_an_attribute_is_altered(situation: Situation) -> None:
    cluster, put = situation
    state = engine().choose(put, cluster).state
    suspended = [evolve(each, suspended=("SALES",)) for each in cluster.remote_queue_managers]
    first = cluster.channels[0]
    is_route = first.queue_manager != cluster.queue_manager.name
    # A queue may be known in a cluster of this queue manager beside the channel's, which it is not in: then both hold.
    assume(not is_route or first.cluster in cluster.queue_manager.clusters)
    for change, resets in ((_stopped, False), (_heavier, is_route)):
        changed = evolve(cluster, channels=[change(first), *cluster.channels[1:]])
        if not resets:
            changed = evolve(changed, remote_queue_managers=suspended)
        decision = engine().choose(put, changed, state)
        check_factors(state, decision, resets and decided_by_clause_12(decision))


def check_factors(before: SequenceState, decision: Decision, reset: bool) -> None:
    """Every factor but the chosen one's is as before, or zero."""
    chosen = decision.chosen
    for key, counter in decision.state.counters.items():
        if chosen is None or key != chosen.counter:
            assert counter.dest_seq_factor == (0.0 if reset else before.counters[key].dest_seq_factor)
        elif reset:
            assert counter.dest_seq_factor == 1000 / chosen.channel_weight
