"""Random situations for the tests: hypothesis strategies that shrink, and a fast seeded generator.

Both cover every kind of destination and every kind of put. Facts that should tie often are drawn from a ``Mix``: a
few values for each attribute, drawn once for a situation, so that ties and differences are both frequent.
"""

from __future__ import annotations

from random import Random
from typing import Any

from attrs import frozen
from hypothesis import strategies as st

from mqclause import Channel, Cluster, Put, Queue, QueueManager, QueueManagerAlias, RemoteQueueManager, Rules
from mqclause.model.facts.objects import (
    BINDINGS,
    CHANNEL_STATES,
    PUT_CALLS,
    Ability,
    ChannelDefinition,
    ChannelState,
    PutBinding,
)

LOCAL = "QM0"
QUEUE, ALIAS, UNKNOWN = "ORDERS.IN", "ANY.CLUSTER", "NOWHERE"
OTHER_QUEUE = "STOCK_1.a/%b"
CLUSTERS = ("SALES", "STOCK", "TRADE")
CALLS = PUT_CALLS
WAYS = ("WAY.1", "WAY.2", "WAY.3")
"""Names of objects by which a put may find its way."""

BINDS: tuple[PutBinding, ...] = (*BINDINGS, "AS_Q_DEF")
REMOTE_KINDS: tuple[ChannelDefinition, ...] = ("CLUSSDRA", "CLUSSDRA", "CLUSSDR", "CLUSSDRB")
FACTORS = (0.0, 0.0, 10.1, 20.0, 20.0, 1000 / 3)
FEW_DIGITS = ((0,), (0,), (0, 0, 0, 1), (0, 1), (3, 7), tuple(range(10)))
STATES: tuple[tuple[ChannelState, ...], ...] = (
    ("RUNNING",),
    ("INACTIVE", "RUNNING", "STARTING"),
    ("RETRYING", "BINDING"),
    CHANNEL_STATES[7:],
    CHANNEL_STATES[2:],
    CHANNEL_STATES,
)
ONE_CLUSTER, TWO_CLUSTERS = (("SALES",),), (("SALES",), ("SALES", "STOCK"), ("STOCK", "SALES"))
MEMBERSHIPS = (ONE_CLUSTER, ONE_CLUSTER, TWO_CLUSTERS, TWO_CLUSTERS, (*TWO_CLUSTERS, (), ("TRADE",)))
SELDOM, OFTEN = (*[False] * 7, True), (False, True)
DISABLED = (*[(False,)] * 6, *[SELDOM] * 3, OFTEN, (True,))
SUSPENDED = ((False,), SELDOM, OFTEN, OFTEN, (True,))


@frozen
class Mix:
    """For each attribute the values that the facts of one situation draw from."""

    states: tuple[ChannelState, ...]
    disabled: tuple[bool, ...]
    suspended: tuple[bool, ...]
    channel_rank: tuple[int, ...]
    queue_rank: tuple[int, ...]
    channel_priority: tuple[int, ...]
    queue_priority: tuple[int, ...]
    network_priority: tuple[int, ...]
    numbers: tuple[int, ...]
    members: tuple[tuple[str, ...], ...]


def random_case(rng: Random) -> tuple[Cluster, Put]:
    """A cluster and a put in it, both at random."""
    count = 100 if rng.random() < 0.003 else rng.choice((0, 1, 2, 3, 4, 5, 6, 6, 8, 12))
    cluster = random_cluster(rng, count)
    return cluster, random_put(rng, cluster)


def random_cluster(rng: Random, routes: int) -> Cluster:
    """A cluster with so many channels to other queue managers."""
    mix = _random_mix(rng, routes)
    hosts = [f"QM{number}" for number in range(1, rng.randint(1, max(routes, 1)) + 1)]
    own = QueueManager(
        LOCAL,
        rng.choice((("SALES",), ("SALES", "STOCK"), CLUSTERS)),
        tuple(name for name in CLUSTERS if rng.choice(mix.suspended)),
        rng.choice(("LOCAL", "ANY")),
        rng.choice((999_999_999, 999_999_999, 999_999_999, 1, 2, 3, 5)),
        defxmitq=rng.choice(("", "", *WAYS, UNKNOWN)),
    )
    others = [
        RemoteQueueManager(host, CLUSTERS, tuple(name for name in CLUSTERS if rng.choice(mix.suspended)))
        for host in hosts
    ]
    channels = [_random_channel(rng, mix, rng.choice(hosts), number) for number in range(routes)]
    if rng.random() < 0.3:
        channels += [_random_receiver(rng, mix, number) for number in range(rng.choice((1, 1, 2)))]
    aliases = []
    if rng.random() < 0.4:
        aliases = [_random_alias(rng, mix, ALIAS, host) for host in _some(rng, [LOCAL, *hosts])]
        aliases += [_random_alias(rng, mix, hosts[0], host) for host in hosts[-1:] if rng.random() < 0.3]
    rng.shuffle(channels)
    distinct = {(each.name, each.queue_manager, each.cluster): each for each in channels}
    return Cluster(own, others, _random_queues(rng, mix, hosts), aliases, tuple(distinct.values()))


def random_put(rng: Random, cluster: Cluster) -> Put:
    """A put of any kind, mostly of a queue that ``cluster`` has."""
    named = rng.random()
    host = rng.choice([LOCAL, UNKNOWN, ALIAS, ALIAS, ALIAS, ALIAS, "QM1", "QM1", *cluster.remote])
    pcf = rng.random() < 0.3
    sent = tuple(name for name in ("QM1", "QM2", LOCAL, UNKNOWN) if pcf and rng.random() < 0.2)
    queue = "" if named > 0.75 else UNKNOWN if named > 0.73 else OTHER_QUEUE if named > 0.65 else QUEUE
    if rng.random() < 0.25:
        queue = rng.choice((*WAYS, *WAYS, UNKNOWN, QUEUE))
        host = rng.choice(("", "", LOCAL, UNKNOWN, *WAYS, host))
        return Put(queue, host, rng.choice(BINDS), rng.choice(CALLS), rng.random() < 0.2)
    bind, call, received = rng.choice(BINDS), rng.choice(CALLS), rng.random() < 0.2
    return Put(queue, "" if queue else host, bind, call, received, pcf, sent)


EDITIONS = ("wmq-6", "wmq-7.5", "mq-8.0", "mq-9.3")
"""The editions in which random clusters are decided: of each that changed something, and the one in widest use."""


def random_readings(rng: Random, edition: str = "wmq-6") -> dict[str, str]:
    """A choice for every reading that an edition has."""
    return {name: rng.choice(reading.choices) for name, reading in Rules(edition=edition).known_readings.items()}


def _random_mix(rng: Random, routes: int) -> Mix:
    numbers = rng.choice(((0,), (0, 1, 2), tuple(range(3 * routes + 1)), (2**53, 2**53 + 1, 2**63 - 2)))
    rank, queue_rank, priority, queue_priority, network = (rng.choice(FEW_DIGITS) for _ in range(5))
    disabled, suspended = rng.choice(DISABLED), rng.choice(SUSPENDED)
    return Mix(
        rng.choice(STATES), disabled, suspended, rank, queue_rank, priority, queue_priority, network, numbers,
        rng.choice(MEMBERSHIPS),
    )  # fmt: skip


def _some(rng: Random, names: list[str]) -> list[str]:
    return [name for name in names if rng.random() < 0.7]


def _random_channel(rng: Random, mix: Mix, host: str, number: int) -> Channel:
    return Channel(
        rng.choice((f"TO.{host}.{number}", f"TO.{host}")),
        host,
        rng.choice((*rng.choice(mix.members), "SALES")),
        rng.choice(REMOTE_KINDS),
        rng.choice(mix.states),
        rng.choice(mix.channel_rank),
        rng.choice(mix.channel_priority),
        rng.choice((50, 50, 1, 7, 99)),
        rng.choice(mix.network_priority),
        rng.choice(mix.numbers),
        rng.choice(FACTORS),
    )


def _random_receiver(rng: Random, mix: Mix, number: int) -> Channel:
    return Channel(
        f"TO.{LOCAL}.{number}",
        LOCAL,
        rng.choice(CLUSTERS[:2]),
        "CLUSRCVR",
        rng.choice(mix.states),
        rng.choice(mix.channel_rank),
        rng.choice(mix.channel_priority),
        rng.choice((50, 10)),
        rng.choice(mix.network_priority),
        rng.choice(mix.numbers),
        rng.choice(FACTORS),
    )


def _random_queues(rng: Random, mix: Mix, hosts: list[str]) -> list[Queue]:
    everywhere = rng.random() < 0.7
    at = [host for host in hosts if everywhere or rng.random() < 0.7]
    if rng.random() < 0.4:
        at.insert(rng.randint(0, len(at)), LOCAL)
    queues = [_random_queue(rng, mix, QUEUE, host) for host in at]
    queues += [_random_queue(rng, mix, OTHER_QUEUE, host) for host in hosts[:2]]
    return [*queues, *(_random_way(rng, name, hosts) for name in _some(rng, list(WAYS)))]


def _random_way(rng: Random, name: str, hosts: list[str]) -> Queue:
    """An object of the local queue manager that leads from its name to another, or a queue of its own."""
    names = (QUEUE, QUEUE, OTHER_QUEUE, UNKNOWN, *WAYS)
    places = ("", LOCAL, ALIAS, UNKNOWN, *WAYS, *hosts)
    return Queue(
        name,
        LOCAL,
        rng.choice(("QLOCAL", "QLOCAL", "QALIAS", "QALIAS", "QREMOTE", "QREMOTE")),
        rng.choice(names),
        rng.choice(((), (), ("SALES",))),
        put=rng.choice(("ENABLED", "ENABLED", "ENABLED", "DISABLED")),
        usage=rng.choice(("NORMAL", "XMITQ")),
        rname=rng.choice(("", *names)),
        rqmname=rng.choice(places),
        xmitq=rng.choice(("", "", "", *WAYS)),
        defbind=rng.choice(BINDINGS),
    )


def _random_queue(rng: Random, mix: Mix, name: str, host: str) -> Queue:
    return Queue(
        name,
        host,
        rng.choice(("QLOCAL", "QLOCAL", "QLOCAL", "QLOCAL", "QALIAS", "QREMOTE")),
        clusters=rng.choice(mix.members),
        put="DISABLED" if rng.choice(mix.disabled) else "ENABLED",
        clwlrank=rng.choice(mix.queue_rank),
        clwlprty=rng.choice(mix.queue_priority),
        clwluseq=rng.choice(("QMGR", "LOCAL", "ANY", "ANY")),
        defbind=rng.choice(BINDINGS),
    )


def _random_alias(rng: Random, mix: Mix, name: str, host: str) -> QueueManagerAlias:
    put: Ability = "DISABLED" if rng.choice(mix.disabled) else "ENABLED"
    return QueueManagerAlias(name, host, ("SALES",), put, rng.choice(mix.queue_rank), rng.choice(mix.queue_priority))


Drawn = dict[str, st.SearchStrategy[Any]]
DIGITS = st.sampled_from((st.just(0), st.just(0), st.sampled_from((0, 1)), st.integers(0, 9)))
ANYWHERE = st.lists(st.sampled_from(CLUSTERS), unique=True, max_size=3).map(tuple)
MEMBERS = st.sampled_from((st.just(("SALES",)), st.sampled_from(TWO_CLUSTERS), ANYWHERE))
NUMBERS = st.integers(0, 4) | st.integers(0, 2**63 - 2)


@st.composite
def clusters(draw: st.DrawFn, routes: int = 8) -> Cluster:
    """A cluster with up to so many channels to other queue managers; shrinks to one without any."""
    hosts = [f"QM{number}" for number in range(1, draw(st.integers(1, 4)) + 1)]
    members, instance, route = draw(MEMBERS), _instances(draw), _routes(draw)
    own = QueueManager(
        LOCAL, draw(members), draw(ANYWHERE), draw(st.sampled_from(("ANY", "LOCAL"))),
        draw(st.sampled_from((999_999_999, 1, 2, 3))),
    )  # fmt: skip
    others = [RemoteQueueManager(host, draw(members), draw(ANYWHERE)) for host in hosts]
    cluster = st.sampled_from(draw(st.sampled_from((("SALES",), CLUSTERS[:2], CLUSTERS))))
    to_others = st.builds(_channel, st.sampled_from(hosts), st.sampled_from(REMOTE_KINDS), cluster=cluster, **route)
    to_us = st.builds(_channel, st.just(LOCAL), st.just("CLUSRCVR"), cluster=cluster, **route)
    least = draw(st.sampled_from((0, routes // 2)))
    found = [*draw(st.lists(to_others, min_size=least, max_size=routes)), *draw(st.lists(to_us, max_size=2))]
    channels = {(each.name, each.queue_manager, each.cluster): each for each in draw(st.permutations(found))}
    at = st.sampled_from([*hosts, *hosts, LOCAL])
    one = st.builds(Queue, queue_manager=at, clusters=members, **instance)
    queues = draw(st.lists(one, min_size=draw(st.sampled_from((0, 3))), max_size=8, unique_by=_instance))
    alias = st.builds(
        QueueManagerAlias, st.sampled_from((ALIAS, "QM1")), at, members, ENABLED, instance["clwlrank"],
        instance["clwlprty"],
    )  # fmt: skip
    aliases = draw(st.lists(alias, max_size=4, unique_by=_instance))
    return Cluster(own, others, tuple(queues), tuple(aliases), tuple(channels.values()))


def _instances(draw: st.DrawFn) -> Drawn:
    """What the attributes of the queue instances of one cluster are drawn from."""
    return {
        "name": st.sampled_from((QUEUE, QUEUE, QUEUE, OTHER_QUEUE)),
        "type": st.sampled_from(("QLOCAL", "QLOCAL", "QALIAS", "QREMOTE")),
        "put": ENABLED,
        "clwlrank": draw(DIGITS),
        "clwlprty": draw(DIGITS),
        "clwluseq": st.sampled_from(("ANY", "QMGR", "LOCAL")),
        "defbind": st.sampled_from(BINDINGS),
    }


def _routes(draw: st.DrawFn) -> Drawn:
    """What the attributes of the channels of one cluster are drawn from."""
    return {
        "suffix": st.sampled_from(("", ".A", ".B")),
        "status": st.sampled_from(draw(st.sampled_from(STATES))),
        "clwlrank": draw(DIGITS),
        "clwlprty": draw(DIGITS),
        "clwlwght": st.just(50) | st.integers(1, 99),
        "netprty": draw(DIGITS),
        "dest_seq_number": NUMBERS,
        "dest_seq_factor": st.sampled_from(FACTORS) | st.floats(0, 1e6),
    }


def puts() -> st.SearchStrategy[Put]:
    """A put of a queue, or of a queue manager or alias, known or not."""
    queue = st.sampled_from((QUEUE, QUEUE, OTHER_QUEUE, UNKNOWN))
    named = st.tuples(queue, st.just("")) | st.tuples(st.just(""), st.sampled_from((ALIAS, "QM1", LOCAL, UNKNOWN)))
    sent = st.lists(st.sampled_from(("QM1", "QM2", LOCAL)), unique=True)
    rest = st.tuples(st.sampled_from(BINDS), st.sampled_from(CALLS), st.booleans(), st.booleans(), sent)
    return st.builds(lambda names, others: Put(*names, *others), named, rest)


def situations() -> st.SearchStrategy[tuple[Cluster, Put]]:
    """A cluster and a put: half of them shrink well, half are those of the seeded generator, where more remain."""
    seeded = st.integers(0, 2**32).map(lambda seed: random_case(Random(seed)))
    return st.tuples(clusters(), puts()) | seeded


def readings() -> st.SearchStrategy[dict[str, str]]:
    """A choice for every reading, the default first."""
    known = Rules().known_readings
    return st.fixed_dictionaries({name: st.sampled_from(reading.choices) for name, reading in known.items()})


def _channel(host: str, kind: ChannelDefinition, suffix: str, **values: Any) -> Channel:
    return Channel(f"TO.{host}{suffix}", host, deftype=kind, **values)


def _instance(fact: Queue | QueueManagerAlias) -> tuple[str, str]:
    return fact.name, fact.queue_manager


ENABLED = st.sampled_from(("ENABLED", "ENABLED", "ENABLED", "DISABLED"))
