"""Counterfactuals: of all that rules look at, no smaller or other set of changes does it than those that are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from random import Random
from typing import Any

import pytest
from attrs import evolve

from mqclause import Channel, Cluster, Decision, Engine, Put, Queue, QueueManagerAlias
from mqclause.cluster.counterfactuals import why_not
from spec_tests.support.random_clusters import random_cluster, random_put

Setting = tuple[tuple[str, ...], Callable[[Cluster, Any], Cluster], list[Any]]
"""An attribute of an object, what sets it in the facts, and the values that it can have."""

DIGITS = list(range(10))
OF_INSTANCE: dict[str, list[Any]] = {"put": ["ENABLED", "DISABLED"], "clwlrank": DIGITS, "clwlprty": DIGITS}
OF_ROUTE = {"clwlrank": DIGITS, "clwlprty": DIGITS, "netprty": DIGITS}
LISTS = ("queues", "queue_manager_aliases", "channels", "remote_queue_managers")


def settings(decision: Decision) -> Iterator[Setting]:
    """Everything that an administrator could set of what a put can reach, found in the facts alone."""
    cluster = decision.cluster
    for each in decision.listed:
        host, local = each.queue_manager, each.is_local
        if each.is_alias:
            yield from _of("QUEUE", OF_INSTANCE, _alias(each.alias, host), host, each.alias)
        elif decision.resolved.named.queue:
            name = decision.resolved.named.queue
            words: dict[str, list[Any]] = {"clwluseq": ["QMGR", "LOCAL", "ANY"]} if local else {}
            yield from _of("QUEUE", OF_INSTANCE | words, _queue(name, host), host, name)
        if each.channel and not local:
            yield from _of("CHANNEL", OF_ROUTE, _route(each.channel, host), host, each.channel)
            states = {"status": ["RUNNING", "STOPPED"]}
            yield from _of("STATUS", states, _sender(each.channel), cluster.queue_manager.name, each.channel)
            yield (host, each.cluster, "SUSPEND"), _suspending(host, each.cluster), [True, False]
    own = {"clwluseq": ["LOCAL", "ANY"], "clwlmruc": range(1, len(decision.listed) + 1)}
    for field, values in own.items():
        yield (cluster.queue_manager.name, "QMGR", field.upper()), _own(field), list(values)
    for look in decision.resolved.followed:
        here = cluster.queue_manager.name
        fact = _either(_queue(look.facts["object"], here), _alias(look.facts["object"], here))
        yield from _of("QUEUE", {"put": ["ENABLED"]}, fact, here, look.facts["object"])


def _of(
    kind: str, fields: dict[str, list[Any]], fact: Callable[[Any], bool], host: str, name: str
) -> Iterator[Setting]:
    for field, values in fields.items():
        yield (host, kind, name, field.upper()), _setting(fact, field), values


def _setting(fact: Callable[[Any], bool], field: str) -> Callable[[Cluster, Any], Cluster]:
    def put_in(cluster: Cluster, value: Any) -> Cluster:
        lists: dict[str, Any] = {
            name: tuple(evolve(each, **{field: value}) if fact(each) else each for each in getattr(cluster, name))
            for name in LISTS
        }
        return evolve(cluster, **lists)

    return put_in


def _own(field: str) -> Callable[[Cluster, Any], Cluster]:
    return lambda cluster, value: evolve(cluster, queue_manager=evolve(cluster.queue_manager, **{field: value}))


def _suspending(host: str, name: str) -> Callable[[Cluster, Any], Cluster]:
    def put_in(cluster: Cluster, value: Any) -> Cluster:
        found = []
        for each in cluster.remote_queue_managers:
            others = tuple(one for one in each.suspended if one != name)
            found.append(evolve(each, suspended=(*others, name) if value else others) if each.name == host else each)
        return evolve(cluster, remote_queue_managers=tuple(found))

    return put_in


def _queue(name: str, host: str) -> Callable[[Any], bool]:
    return lambda fact: isinstance(fact, Queue) and (fact.name, fact.queue_manager) == (name, host)


def _alias(name: str, host: str) -> Callable[[Any], bool]:
    return lambda fact: isinstance(fact, QueueManagerAlias) and (fact.name, fact.routed_to) == (name, host)


def _route(name: str, host: str) -> Callable[[Any], bool]:
    return lambda fact: isinstance(fact, Channel) and (fact.name, fact.queue_manager) == (name, host)


def _sender(name: str) -> Callable[[Any], bool]:
    return lambda fact: isinstance(fact, Channel) and fact.name == name and fact.deftype != "CLUSRCVR"


def _either(*facts: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda fact: any(each(fact) for each in facts)


def permits(engine: Engine, cluster: Cluster, put: Put, other: str) -> bool:
    decision = engine.choose(put, cluster)
    return decision.outcome != "failed" and other in {each.queue_manager for each in decision.permitted}


def some_values_do(engine: Engine, decision: Decision, chosen: tuple[Setting, ...], other: str) -> bool:
    """Whether any values of these attributes have it permitted."""
    for values in product(*(values for _, _, values in chosen)):
        cluster = decision.cluster
        for (_, put_in, _), value in zip(chosen, values, strict=True):
            cluster = put_in(cluster, value)
        if permits(engine, cluster, decision.put, other):
            return True
    return False


def smallest(engine: Engine, decision: Decision, other: str, size: int) -> set[frozenset[tuple[str, ...]]]:
    """The smallest sets of attributes, up to that size, of which some values have ``other`` permitted."""
    known = list({each[0]: each for each in settings(decision)}.values())
    found: set[frozenset[tuple[str, ...]]] = set()
    for count in range(1, size + 1):
        for chosen in combinations(known, count):
            names = frozenset(each[0] for each in chosen)
            if not any(each <= names for each in found) and some_values_do(engine, decision, chosen, other):
                found.add(names)
    return found


def named(sets: tuple[str, ...]) -> tuple[str, ...]:
    """An attribute that a command sets, as ``settings`` names it."""
    if sets[-1] == "STATUS":
        return (sets[0], "STATUS", sets[1], "STATUS")
    if sets[-1] == "SUSPEND" or sets[1] == "QMGR":
        return (*sets[:-1], sets[-1].upper())
    kind, _, rest = sets[1].removeprefix("ALTER ").partition("('")
    name = rest.partition("')")[0]
    return (sets[0], "QUEUE" if kind in ("QLOCAL", "QALIAS", "QREMOTE") else kind, name, sets[-1])


@pytest.mark.parametrize(
    ("questions", "size"),
    [(4, 1), pytest.param(60, 1, marks=pytest.mark.deep), pytest.param(5, 2, marks=pytest.mark.deep)],
)
def test_no_set_of_that_size_is_missed(questions: int, size: int) -> None:
    rng, engine, asked = Random(31), Engine(), 0
    while asked < questions:
        cluster = random_cluster(rng, 2 if size > 1 else rng.choice((2, 3, 4)))
        decision = engine.choose(random_put(rng, cluster), cluster, explain="rule")
        for other in cluster.remote:
            answer = why_not(decision, other)
            if answer.permitted or not answer.fallen:
                continue
            asked += 1
            told = {
                frozenset(named(each.sets) for each in commands) for commands in answer.changes if len(commands) <= size
            }
            # What takes a queue into a cluster is not among the settings here.
            told = {each for each in told if not any(name[-1] == "CLUSTER" for name in each)}
            expected = smallest(engine, decision, other, size)
            assert told == expected
