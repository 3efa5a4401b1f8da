"""``why`` and ``replay`` tell the same: a verdict is what a put leads to, whatever it is that is not known."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from random import Random
from typing import Any

from attrs import evolve
from hypothesis import HealthCheck, given, settings

from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.facts.cluster import Cluster
from mqclause.model.readers.mqsc import read_mqsc
from mqclause.model.timeline.events import Event
from mqclause.model.timeline.scenario import Scenario, build_scenario
from mqclause.trigger.why import Verdict, Why
from spec_tests.support.trigger_scenarios import APPLICATIONS, facts, replay, seeds

law = settings(deadline=None, suppress_health_check=list(HealthCheck))
WHY = Why()
COUNTS = (0, 1, 2)
VERDICTS: dict[frozenset[bool], Verdict] = {
    frozenset({True}): "triggers",
    frozenset({False}): "does not",
    frozenset({True, False}): "depends",
}


def random_cluster(rng: Random, **own: Any) -> Cluster:
    """Queues that are not shared, with some messages; who has them open is known of some."""
    tables = facts(rng)
    tables["queue_manager"] |= own
    for queue in tables["queue"]:
        queue |= {"shared": False, "put": rng.choice(("ENABLED",) * 9 + ("DISABLED",))}
        queue |= {"curdepth": rng.choice((0, 0, 1, 2, 5))} if rng.random() < 0.7 else {}
        queue |= {"ipprocs": rng.choice(COUNTS)} if rng.random() < 0.7 else {}
    return build_scenario(tables, "law").cluster


def triggers(cluster: Cluster, name: str, priority: int) -> bool:
    """Whether a put of a scenario writes a trigger message for the queue."""
    events = (Event(do="put", queue=name, priority=priority),)
    (row,) = replay().rows(Scenario(cluster, events))
    return bool(row.trigger_messages)


def with_opens(cluster: Cluster, ipprocs: Mapping[str, int]) -> Cluster:
    """The cluster with ``ipprocs`` of some queues stated."""
    queues = [evolve(each, ipprocs=ipprocs.get(each.name, each.ipprocs)) for each in cluster.queues]
    return evolve(cluster, queues=queues)


@law
@given(seeds)
def test_a_verdict_is_what_puts_lead_to(rng: Random) -> None:
    """TRIGINT(0): when the last trigger message was written decides nothing."""
    cluster = random_cluster(rng, trigint=0)
    priority = rng.choice((0, 4, 12))
    for name in APPLICATIONS:
        unknown = [each.name for each in cluster.queues if each.ipprocs is None]
        opens = [dict(zip(unknown, counts, strict=True)) for counts in product(COUNTS, repeat=len(unknown))]
        stated = [with_opens(cluster, opens_of) for opens_of in opens]
        found = frozenset(triggers(each, name, priority) for each in stated)
        (queue,) = (each for each in cluster.queues if each.name == name)
        assert WHY.ask(queue, Snapshot(cluster), priority).verdict == VERDICTS[found]


@law
@given(seeds)
def test_a_certain_verdict_holds_in_a_replay(rng: Random) -> None:
    """Whatever TRIGINT is: a replay is one of the ways in which it can be that no trigger message was written yet."""
    cluster = random_cluster(rng)
    for name in APPLICATIONS:
        (queue,) = (each for each in cluster.queues if each.name == name)
        answer = WHY.ask(queue, Snapshot(cluster))
        put = triggers(cluster, name, queue.defprty)
        assert answer.verdict in ("depends", VERDICTS[frozenset({put})])
        assert (answer.verdict == "triggers") == (not answer.doubts and answer.reason is None)
        assert bool(answer.requirement) == (answer.verdict == "depends")
        assert {fact for doubt in answer.doubts for fact in doubt.by} <= {*answer.deciding_unknowns}
        assert read_mqsc("\n".join(fact.command for fact in answer.deciding_unknowns), "commands").diagnostics == ()
