"""What must not matter to a decision: the order of the facts, and what anything is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, TypeVar

from attrs import asdict, evolve
from hypothesis import given
from hypothesis import strategies as st

from mqclause import Cluster
from mqclause.model.facts.objects import Channel
from spec_tests.support.compared import Situation, engine, fell_by, identity, law, permitted, reason, with_readings
from spec_tests.support.random_clusters import readings, situations

_Fact = TypeVar("_Fact")


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
    managers, queues = _mixed(cluster.remote_queue_managers, rng), _mixed(cluster.queues, rng)
    aliases, channels = _mixed(cluster.queue_manager_aliases, rng), _mixed(others, rng)
    for receiver in reversed(receivers):
        channels.insert(rng.randint(0, next(_places(channels), len(channels))), receiver)
    return Cluster(cluster.queue_manager, managers, queues, aliases, channels)


def _mixed(table: Sequence[_Fact], rng: Random) -> list[_Fact]:
    return rng.sample(list(table), len(table))


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
