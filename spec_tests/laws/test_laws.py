"""Laws that every decision keeps, whatever the situation: checked with every executor on random clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from functools import cache
from random import Random
from typing import Any

import pytest
from attrs import asdict, evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqclause import Cluster, Decision, Engine, Put, Rules
from mqclause.answers.decision import LEVELS
from mqclause.documents import OUTCOME
from mqclause.executors.course import EXECUTORS as EXECUTORS_BY_NAME
from mqclause.executors.run import ExecutorName, Run
from mqclause.executors.steps import Steps
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.objects import CHANNEL_STATES, Channel
from mqclause.model.facts.sequence import SequenceState
from spec_tests.support.random_clusters import random_case, random_put, readings, situations

law = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
EXECUTORS: tuple[ExecutorName, ...] = ("compiled", "chaining", "plain")
Situation = tuple[Cluster, Put]
Identity = tuple[str, str, str, str, str]


@cache
def engine(executor: ExecutorName = "compiled", chosen: tuple[tuple[str, str], ...] = ()) -> Engine:
    """An engine for these readings, made once: durable_rules never gives the memory of its networks back."""
    return Engine(Rules(dict(chosen)), executor)


def with_readings(chosen: dict[str, str], executor: ExecutorName = "compiled") -> Engine:
    return engine(executor, tuple(sorted(chosen.items())))


def identity(each: Destination) -> Identity:
    """What tells a destination from another one of the same put."""
    return each.queue, each.alias, each.queue_manager, each.channel, each.cluster


def permitted(decision: Decision) -> set[Identity]:
    return {identity(each) for each in decision.permitted}


def fell_by(decision: Decision) -> dict[Identity, str]:
    return {identity(each): rule for each, rule in decision.fell_by().items()}


def reason(decision: Decision) -> tuple[str, int, str, str] | None:
    found = decision.reason
    return found and (found.name, found.code, found.call, found.rule)


def essence(decision: Decision) -> tuple[Any, ...]:
    """All that a decision without explanation says."""
    chosen, advance = decision.chosen, decision.advance
    state = decision.state
    return decision.outcome, reason(decision), chosen, advance, dict(state.counters), state.last_number


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
            assert ours.fell_by() == other.fell_by()
            assert all(map(Run.says_the_same, ours.runs, other.runs))


@law
@given(situations(), st.sampled_from(CHANNEL_STATES), st.integers(1, 99))
def test_executors_agree_on_the_next_choice_too(situation: Situation, status: str, weight: int) -> None:
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
@given(situations(), readings(), st.randoms(use_true_random=False))
def test_the_order_of_facts_is_irrelevant(situation: Situation, chosen: dict[str, str], rng: Random) -> None:
    cluster, put = situation
    put = evolve(
        put,
        bind=engine().resolve(cluster, put.queue, put.queue_manager).default_binding
        if put.bind == "AS_Q_DEF"
        else put.bind,
    )
    tried = with_readings({**chosen, "mru-ties": "any"})
    one = tried.choose(put, cluster, explain="rule")
    other = tried.choose(put, shuffled(cluster, rng), explain="rule")
    assert (one.outcome, reason(one)) == (other.outcome, reason(other))
    assert permitted(one) == permitted(other)
    assert fell_by(one) == fell_by(other)


def shuffled(cluster: Cluster, rng: Random) -> Cluster:
    """The same facts in another order; of the local receivers the one listed first stays so: it is the one used."""
    receivers = [each for each in cluster.channels if each.deftype == "CLUSRCVR"]
    others = [each for each in cluster.channels if each.deftype != "CLUSRCVR"]
    tables = [cluster.remote_queue_managers, cluster.queues, cluster.queue_manager_aliases, others]
    managers, queues, aliases, channels = (rng.sample(list(table), len(table)) for table in tables)
    for receiver in reversed(receivers):
        channels.insert(rng.randint(0, next(_places(channels), len(channels))), receiver)
    return Cluster(cluster.queue_manager, managers, queues, aliases, channels)


def _places(channels: list[Channel]) -> Iterator[int]:
    return (place for place, each in enumerate(channels) if each.deftype == "CLUSRCVR")


@law
@given(situations(), readings())
def test_names_are_irrelevant(situation: Situation, chosen: dict[str, str]) -> None:
    cluster, put = situation
    one = with_readings(chosen).choose(put, cluster, explain="rule")
    other = with_readings(chosen).choose(renamed(put), renamed_cluster(cluster), explain="rule")
    assert (one.outcome, reason(one)) == (other.outcome, reason(other))
    assert [_backwards(identity(each)) for each in one.permitted] == [identity(each) for each in other.permitted]
    assert {_backwards(each): rule for each, rule in fell_by(one).items()} == fell_by(other)


def renamed_cluster(cluster: Cluster) -> Cluster:
    tables = [
        cluster.remote_queue_managers, cluster.queues, cluster.queue_manager_aliases, cluster.channels,
    ]  # fmt: skip
    return Cluster(renamed(cluster.queue_manager), *([renamed(fact) for fact in table] for table in tables))


def renamed(fact: Any) -> Any:
    """A fact with every name in it spelt backwards."""
    names = {"name", "queue_manager", "queue", "cluster", "clusters", "suspended", "already_sent_to"}
    names |= {"target", "rname", "rqmname", "xmitq", "defxmitq", "host"}
    return evolve(fact, **{key: _backwards(value) for key, value in asdict(fact).items() if key in names})


def _backwards(value: Any) -> Any:
    return value[::-1] if isinstance(value, str) else tuple(each[::-1] for each in value)


@law
@given(situations(), readings())
def test_a_put_disabled_destination_is_never_permitted(situation: Situation, chosen: dict[str, str]) -> None:
    cluster, put = situation
    decision = with_readings(chosen).choose(put, cluster)
    assert all(each.put_enabled for each in [*decision.permitted, *filter(None, [decision.chosen])])


@settings(law, max_examples=80)
@given(situations(), readings())
def test_no_suspended_one_while_a_resumed_one_is_left(situation: Situation, chosen: dict[str, str]) -> None:
    cluster, put = situation
    decision = with_readings(chosen).choose(put, cluster, explain="rule")
    before = [step.rule.id for step in decision.steps if step.rule.id < "workload.05"]
    left = [each for each in decision.listed if decision.fell_by().get(each) not in before]
    if not any(each.is_local for each in left) and not all(each.suspended for each in left):
        assert not any(each.suspended for each in decision.permitted)


@pytest.mark.parametrize("attribute", ["channel rank", "queue rank", "queue priority"])
@law
@given(situations(), readings(), st.integers(1, 9))
def test_raising_the_chosen_one_keeps_it(attribute: str, situation: Situation, chosen: dict[str, str], by: int) -> None:
    cluster, put = situation
    before = with_readings(chosen).choose(put, cluster).chosen
    if before is None:
        return
    after = with_readings(chosen).choose(put, raised(cluster, before, attribute, by)).chosen
    assert after is not None
    # A channel's rank raises every route over that channel, not the alias over it.
    if attribute == "channel rank" and before.alias:
        assert (after.queue_manager, after.channel, after.cluster) == identity(before)[2:]
        return
    if attribute == "channel rank":
        assert identity(after) == identity(before)
    # With the other queues out, another channel to the same queue may come first: one that clause 5 prefers once the
    # local instance is gone, or one that clause 11c had no room for.
    assert identity(after)[:3] == identity(before)[:3]


def raised(cluster: Cluster, chosen: Destination, attribute: str, by: int) -> Cluster:
    """The cluster with the rank or priority of the chosen channel, or of the chosen instance or alias, raised."""
    key = "clwlprty" if attribute == "queue priority" else "clwlrank"

    def more(fact: Any, *names: str) -> Any:
        same = tuple(getattr(fact, name) for name in names) == wanted
        return evolve(fact, **{key: min(9, getattr(fact, key) + by)}) if same else fact

    if attribute == "channel rank":
        wanted: tuple[str, ...] = (chosen.channel, chosen.queue_manager, chosen.cluster)
        return evolve(cluster, channels=[more(each, "name", "queue_manager", "cluster") for each in cluster.channels])
    wanted = (chosen.alias or chosen.queue, chosen.queue_manager)
    queues = [more(each, "name", "queue_manager") for each in cluster.queues if not chosen.alias]
    aliases = [more(each, "name", "queue_manager") for each in cluster.queue_manager_aliases]
    return evolve(cluster, queues=queues, queue_manager_aliases=aliases)


@cache
def outcome_rules(executor: ExecutorName, chosen: str) -> list[tuple[str, Callable[..., Any]]]:
    """Each outcome rule as a ruleset of its own."""
    whole = Rules({"all-put-disabled": chosen}).ruleset(OUTCOME)
    alone = [(rule.id, Steps.of(evolve(whole, rules=(rule,)))) for rule in whole.rules]
    return [(name, EXECUTORS_BY_NAME[executor](steps).run) for name, steps in alone]


@pytest.mark.parametrize("executor", EXECUTORS)
@law
@given(situations(), st.sampled_from(("open-2268-put-2051", "always-2268")))
def test_one_outcome_and_one_rule_for_it(executor: ExecutorName, situation: Situation, chosen: str) -> None:
    cluster, put = situation
    decision = with_readings({"all-put-disabled": chosen}, executor).choose(put, cluster)
    found = decision.reason
    if decision.run is not None:
        facts = {"permitted": len(decision.run.remaining)}
        rules = outcome_rules(executor, chosen)
        runs = [(name, run(decision.situation, decision.listed, None, facts)) for name, run in rules]
        applied = [name for name, run in runs if run.failure or run.facts.get("deferred")]
        expected = [found.rule] if found else ["outcome.deferred"] if decision.outcome == "deferred" else []
        assert [name.removesuffix("_open") for name in applied] == [name.removesuffix("_open") for name in expected]
    assert (decision.outcome == "failed") == (found is not None)
    assert (decision.outcome == "chosen") == (decision.chosen is not None)
    assert decision.permitted or decision.outcome != "chosen"
    assert not decision.permitted or decision.outcome != "failed"


@law
@given(situations(), readings())
def test_every_destination_is_permitted_or_fell_once(situation: Situation, chosen: dict[str, str]) -> None:
    cluster, put = situation
    decision = with_readings(chosen).choose(put, cluster, explain="rule")
    fallen = [fate.subject for step in decision.steps for fate in step.eliminated]
    assert sorted(map(id, [*fallen, *decision.permitted])) == sorted(map(id, decision.listed))
    left = len(decision.listed)
    for step in decision.steps:
        out = step.set_aside or step.eliminated
        left += len(step.taken_back) - len(out)
        assert step.remaining == left, step.rule.id
        assert step.applied or not (out or step.taken_back or step.derived)


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
    cases = [random_case(rng) for _ in range(100)]
    shared = Engine(executor=executor)
    expected = [engine().choose(put, cluster, explain="condition").to_json() for cluster, put in cases]

    def work(order: Random) -> bool:
        numbers = order.sample(range(len(cases)), len(cases))
        found = [(each, shared.choose(cases[each][1], cases[each][0], explain="condition")) for each in numbers]
        return all(decision.to_json() == expected[each] for each, decision in found)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, map(Random, range(16))))


@pytest.mark.parametrize("executor", EXECUTORS)
def test_state_over_a_sequence_of_puts(executor: ExecutorName) -> None:
    rng = Random(12)
    for _ in range(60):
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
        if each.queue and each.put_enabled and decision.situation.put_queue
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
    suspended = [evolve(each, suspended=["SALES"]) for each in cluster.remote_queue_managers]
    first = cluster.channels[0]
    is_route = first.queue_manager != cluster.queue_manager.name and first.cluster in cluster.queue_manager.clusters
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
