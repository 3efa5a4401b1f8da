"""Explanations are filled with what a rule saw, not with what was known when the rules had ended."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqclause import Channel, Cluster, Engine, Put, Queue, QueueManager, RemoteQueueManager, Rules, SequenceState
from mqclause.documents import TRIGGER
from mqclause.executors.operations import ExecutorName, LoweredRuleset, Run
from mqclause.executors.pipeline import Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.language.evaluator import Scope
from mqclause.model.facts.workload import DestinationSequence as Counter
from mqclause.model.timeline.scenario import build_scenario
from mqclause.replay.runner import Replay
from mqclause.trace import RuleInput, list_rule_inputs
from spec_tests.support.delivery import EVERY_EXECUTOR
from spec_tests.support.random_clusters import readings, situations
from spec_tests.support.trigger_scenarios import random_scenario

executors = pytest.mark.parametrize("executor", EVERY_EXECUTOR)
law = settings(deadline=None, suppress_health_check=list(HealthCheck))
PUT = Put(queue="ORDERS.IN")
HOSTS = ("QM2", "QM3", "QM4")


def cluster(*hosts: str) -> Cluster:
    """QM1 local; each host has the queue behind one running channel."""
    return Cluster(
        QueueManager("QM1", clusters=("SALES",)),
        [RemoteQueueManager(host, ("SALES",)) for host in hosts],
        [Queue("ORDERS.IN", host, clusters=("SALES",)) for host in hosts],
        (),
        [Channel(f"TO.{host}", host, "SALES", status="RUNNING") for host in hosts],
    )


def state(factors: Mapping[str, float], seen: Cluster) -> SequenceState:
    counters = {(f"TO.{host}", host): Counter(factor, 3) for host, factor in factors.items()}
    return SequenceState(counters, 7, seen)


def with_rules(**texts: str) -> Rules:
    return Rules().with_files({f"workload/{name.removeprefix('r')}.toml": text for name, text in texts.items()})


BEFORE_THE_RESET = """
clause = "workload/12"
title = "Before 12a: who has the lowest factor"
before = "workload.12a"
[keep]
lowest = "dest_seq_factor"
because = "factor {dest_seq_factor} is above {lowest}"
"""


@executors
def test_a_rule_before_the_reset_is_explained_with_the_factors_that_it_saw(executor: ExecutorName) -> None:
    given, later = cluster("QM2", "QM3"), cluster(*HOSTS)
    engine = Engine(with_rules(r12z_lowest_factor=BEFORE_THE_RESET), executor)
    decision = engine.choose(PUT, later, state({"QM2": 20.0, "QM3": 40.0, "QM4": 60.0}, given), "condition")
    step = next(each for each in decision.steps if each.rule.id == "workload.12z")
    assert [(fate.subject.queue_manager, fate.because) for fate in step.eliminated] == [
        ("QM3", "factor 40 is above 20"),
        ("QM4", "factor 60 is above 20"),
    ]
    assert [test.values for fate in step.eliminated for test in fate.tests] == [
        {"dest_seq_factor": 40.0},
        {"dest_seq_factor": 60.0},
    ]
    reset = next(each for each in decision.steps if each.rule.id == "workload.12a")
    assert (reset.applied, reset.derived) == (True, {"dest_seq_factor": 0.0})
    assert (decision.advance and decision.advance.dest_seq_factor) == 20.0


def test_a_rule_after_the_reset_is_explained_with_the_factors_that_it_left() -> None:
    after = BEFORE_THE_RESET.replace("before", "after", 1).replace("lowest factor", "lowest factor then")
    after = after.replace('lowest = "dest_seq_factor"', 'lowest = "dest_seq_factor + dest_seq_number"')
    text = after.replace("{lowest}", "{lowest} ({dest_seq_number})")
    given, later = cluster("QM2", "QM3"), cluster(*HOSTS)
    for executor in EVERY_EXECUTOR:
        before = SequenceState(
            {("TO.QM2", "QM2"): Counter(20.0, 3), ("TO.QM3", "QM3"): Counter(40.0, 2), ("TO.QM4", "QM4"): Counter(9.0, 2)},
            3, given,
        )  # fmt: skip
        decision = Engine(with_rules(r12z_after=text), executor).choose(PUT, later, before, "rule")
        [fell] = [fate for step in decision.steps for fate in step.eliminated if step.rule.id == "workload.12z"]
        assert (fell.subject.queue_manager, fell.because) == ("QM2", "factor 0 is above 2 (3)")


COUNTED_BEFORE = """
clause = "workload/4"
title = "Worse than the best of many"
[keep]
highest = "channel_rank"
because = "rank {channel_rank} among {remaining}, the best is {highest}"
"""


def test_a_count_in_a_sentence_is_of_those_that_the_rule_saw() -> None:
    given = cluster(*HOSTS)
    ranked = [evolve(each, clwlrank=rank) for each, rank in zip(given.channels, (1, 5, 3), strict=True)]
    for executor in EVERY_EXECUTOR:
        decision = Engine(with_rules(r03d_many=COUNTED_BEFORE), executor).choose(
            PUT, evolve(given, channels=ranked), explain="rule"
        )
        said = [fate.because for step in decision.steps for fate in step.eliminated]
        assert said == ["rank 1 among 3, the best is 5", "rank 3 among 3, the best is 5"]
        assert decision.chosen is not None


def every(**values: str) -> str:
    """The text of rule 12a with these values for every destination."""
    derived = "\n".join(f'{name} = "{value}"' for name, value in values.items())
    return (
        Rules().files["workload/12a_reset_factors.toml"].partition("[derive]")[0]
        + f'[derive]\nof = "every"\n{derived}\n'
    )


@executors
def test_every_counter_gets_the_value_that_is_derived(executor: ExecutorName) -> None:
    given, later = cluster("QM2", "QM3"), cluster(*HOSTS)
    rules = Rules().with_files({"workload/12a_reset_factors.toml": every(dest_seq_factor="7.5")})
    # QM3 is not reached any more but known; QM4 is new, and no counter of it yet.
    disabled = evolve(
        later, queues=[evolve(q, put="DISABLED") if q.queue_manager == "QM3" else q for q in later.queues]
    )
    decision = Engine(rules, executor).choose(PUT, disabled, state({"QM2": 20.0, "QM3": 40.0}, given))
    assert decision.chosen is not None
    assert decision.chosen.queue_manager == "QM4"
    assert dict(decision.state.counters) == {
        ("TO.QM2", "QM2"): (7.5, 3),
        ("TO.QM3", "QM3"): (7.5, 3),
        ("TO.QM4", "QM4"): (27.5, 8),
    }
    assert decision.state.last_number == 8


@executors
def test_every_number_may_be_derived_too(executor: ExecutorName) -> None:
    given, later = cluster("QM2", "QM3"), cluster(*HOSTS)
    rules = Rules().with_files({"workload/12a_reset_factors.toml": every(dest_seq_number="100", dest_seq_factor="1.0")})
    decision = Engine(rules, executor).choose(PUT, later, state({"QM2": 20.0, "QM3": 40.0}, given))
    assert decision.chosen is not None
    assert decision.chosen.queue_manager == "QM2"
    assert dict(decision.state.counters) == {
        ("TO.QM2", "QM2"): (21.0, 8),
        ("TO.QM3", "QM3"): (1.0, 100),
        ("TO.QM4", "QM4"): (1.0, 100),
    }
    alone = Rules().with_files({"workload/12a_reset_factors.toml": every(dest_seq_number="100")})
    decision = Engine(alone, executor).choose(PUT, later, state({"QM2": 20.0, "QM3": 40.0}, given))
    # The factors are as they were; a destination without a counter starts at 0.
    assert dict(decision.state.counters) == {
        ("TO.QM2", "QM2"): (20.0, 100),
        ("TO.QM3", "QM3"): (40.0, 100),
        ("TO.QM4", "QM4"): (20.0, 8),
    }


@executors
def test_what_is_derived_for_every_counter_counts_where_nothing_is_chosen(executor: ExecutorName) -> None:
    given, later = cluster("QM2"), cluster("QM2", "QM3")
    rules = Rules().with_files({"workload/12a_reset_factors.toml": every(dest_seq_factor="7.5")})
    disabled = evolve(later, queues=[evolve(each, put="DISABLED") for each in later.queues])
    decision = Engine(rules, executor).choose(PUT, disabled, state({"QM2": 20.0}, given))
    assert decision.outcome == "failed"
    assert dict(decision.state.counters) == {("TO.QM2", "QM2"): (7.5, 3), ("TO.QM3", "QM3"): (7.5, 0)}


def found_again(steps: LoweredRuleset, run: Run, listed: Any, first: Scope) -> list[RuleInput]:
    """What each rule saw, from the trace alone; facts that are not derived yet are blank."""
    saw = list_rule_inputs(steps.ruleset, run._replace(saw=None), listed, first)
    return [each._replace(remaining=places(each.remaining, listed), facts=known(steps, each)) for each in saw]


def kept(steps: LoweredRuleset, run: Run, listed: Any) -> list[RuleInput]:
    """What each rule saw as the executor kept it."""
    assert run.saw is not None
    return [RuleInput(places(each.remaining, listed), known(steps, each), each.every) for each in run.saw]


def places(remaining: Any, listed: Any) -> list[int]:
    """Where those that remain were listed: an engine lists destinations of its own."""
    at = {id(each): place for place, each in enumerate(listed)}
    return [at[id(each)] for each in remaining]


def known(steps: LoweredRuleset, seen: RuleInput | Scope) -> dict[str, Any]:
    """The facts that rules derive, without those that the lowering added."""
    derived = [word for word in steps.ruleset.vocabulary.words.values() if word.is_derived]
    return {word.name: seen.facts.get(word.name, word.blank) for word in derived}


@law
@given(situations(), readings(), st.booleans())
def test_what_a_rule_saw_is_found_again_from_the_trace(
    situation: tuple[Cluster, Put], chosen: dict[str, str], again: bool
) -> None:
    given_cluster, put = situation
    for rules in (Rules(chosen), with_rules(r12z_lowest_factor=BEFORE_THE_RESET).under(chosen)):
        before = Engine(rules).choose(put, given_cluster).state if again else None
        plain, *others = (
            Engine(rules, executor).choose(put, given_cluster, before, "rule") for executor in reversed(EVERY_EXECUTOR)
        )
        for number, steps in enumerate(plain.course.steps if plain.runs else ()):
            saw = kept(steps, plain.runs[number], plain.listed)
            for decision in (plain, *others):
                first = decision._first_scope(number)
                assert found_again(steps, decision.runs[number], decision.listed, first) == saw


@law
@given(st.randoms(use_true_random=False))
def test_what_a_trigger_rule_saw_is_found_again_from_the_trace(rng: Random) -> None:
    rows = list(Replay(executor="plain").rows(build_scenario(random_scenario(rng), "law")))
    compiled = Pipeline.of(Rules(), TRIGGER)
    for examination in (each for row in rows for each in row.examinations):
        steps, run = examination.course.steps[0], examination.run
        first = build_first_scope(steps, examination.occasion, (), None, {})
        saw = kept(steps, run, ())
        assert found_again(steps, run, (), first) == saw
        assert found_again(steps, compiled.run(examination.occasion, (), traced=True)[0], (), first) == saw


@pytest.mark.parametrize("level", ["off", "rule"])
@executors
def test_the_reason_of_a_failed_call_tells_what_its_rule_saw(executor: ExecutorName, level: Any) -> None:
    derives = 'clause = "outcome/2051"\ntitle = "T"\n[derive]\ntried = "within_reach + 7"\n'
    path = "outcome/2085_unknown_object_name.toml"
    fails = Rules().files[path].replace('"no destination of queue {put_queue} is left"', '"{tried} tried"')
    rules = Rules().with_files({"outcome/01_tried.toml": derives, path: fails})
    facts = cluster("QM2")
    # Nothing of that name is within reach: its queue manager has no channel here.
    nobody = evolve(
        facts,
        remote_queue_managers=[*facts.remote_queue_managers, RemoteQueueManager("QM9", ("SALES",))],
        queues=[*facts.queues, Queue("NOWHERE", "QM9", clusters=("SALES",))],
    )
    decision = Engine(rules, executor).choose(Put(queue="NOWHERE", call="MQOPEN"), nobody, explain=level)
    assert decision.reason is not None
    assert (decision.reason.code, decision.reason.because) == (2085, "7 tried")


def test_without_a_rule_that_derives_it_a_counter_stays() -> None:
    rules = Rules().with_files({"workload/12e_advance_number.toml": None})
    found = cluster("QM2")
    decision = Engine(rules).choose(PUT, found, state({"QM2": 4.0}, found))
    assert decision.advance is not None
    assert (decision.advance.dest_seq_factor, decision.advance.dest_seq_number) == (24.0, 3)
    assert decision.state.counters["TO.QM2", "QM2"] == Counter(24.0, 3)
