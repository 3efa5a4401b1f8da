"""What every choice keeps to: who is never permitted, who stays, and one outcome by one rule."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import pytest
from attrs import evolve
from hypothesis import example, given
from hypothesis import strategies as st

from mqclause import Cluster, Rules
from mqclause.documents import OUTCOME
from mqclause.executors.operations import ExecutorName, LoweredRuleset
from mqclause.executors.pipeline import EXECUTORS as EXECUTORS_BY_NAME
from mqclause.model.facts.workload import Destination
from spec_tests.support.compared import EXECUTORS, Situation, identity, law, with_readings
from spec_tests.support.random_clusters import random_case, readings, situations


@law
@given(situations(), readings())
def test_a_put_disabled_destination_is_never_permitted(situation: Situation, chosen: dict[str, str]) -> None:
    cluster, put = situation
    decision = with_readings(chosen).choose(put, cluster)
    assert all(each.put_enabled for each in [*decision.permitted, *filter(None, [decision.chosen])])


@law
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
    alone = [(rule.id, LoweredRuleset.of(evolve(whole, rules=(rule,)))) for rule in whole.rules]
    return [(name, EXECUTORS_BY_NAME[executor](steps).run) for name, steps in alone]


@pytest.mark.parametrize("executor", EXECUTORS)
@law
@given(situations(), st.sampled_from(("open-2268-put-2051", "always-2268")))
@example(random_case(Random(297011)), "open-2268-put-2051")
@example(random_case(Random(29)), "open-2268-put-2051")
def test_one_outcome_and_one_rule_for_it(executor: ExecutorName, situation: Situation, chosen: str) -> None:
    cluster, put = situation
    decision = with_readings({"all-put-disabled": chosen}, executor).choose(put, cluster)
    found = decision.reason
    # What is put-disabled on the way is told beside the instances that are, or though some of them are not.
    on_the_way = decision.run is not None and decision.situation.inhibited_on_the_way
    if decision.run is not None:
        facts = {"permitted": len(decision.run.remaining)}
        rules = outcome_rules(executor, chosen)
        runs = [(name, run(decision.situation, decision.listed, None, facts)) for name, run in rules]
        applied = [name.removesuffix("_open") for name, run in runs if run.failure or run.facts.get("deferred")]
        expected = [found.rule] if found else ["outcome.deferred"] if decision.outcome == "deferred" else []
        assert applied[:1] == [name.removesuffix("_open") for name in expected]
        assert len(applied) < 2 or on_the_way
    assert (decision.outcome == "failed") == (found is not None)
    assert (decision.outcome == "chosen") == (decision.chosen is not None)
    assert decision.permitted or decision.outcome != "chosen"
    assert not decision.permitted or decision.outcome != "failed" or on_the_way


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
