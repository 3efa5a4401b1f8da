"""Destinations: what a put can reach. A queue instance, an alias or a queue manager on a route, or the local one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import Any

from attrs import evolve, fields, frozen

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import (
    DIGIT,
    GIVEN_CHANNEL,
    GIVEN_NAME,
    LARGEST_NUMBER,
    NAME_GIVEN,
    Finite,
    Flag,
    InTable,
    Whole,
    Words,
    seen,
    unseen,
)
from mqclause.model.facts.objects import CHANNEL_STATES, DEFTYPES, Channel, Put, Queue, QueueManagerAlias

DEFAULT_WEIGHT = 50
MOST_LISTS = 100_000
"""How many lists of destinations a cluster keeps: any name may be kept beside that of a queue manager."""

CounterKey = tuple[str, str]
"""Whose counters: channel name and queue manager; the channel is blank for a local instance without CLUSRCVR."""

NO_COUNTER: CounterKey = ("", "")


@frozen(eq=False)
class Destination:
    """One destination as the rules see it. Every attribute has a value; a blank name or word means "none".

    A destination without a route (the local instance when no CLUSRCVR is given) has a blank channel, cluster
    and channel_status. ``transmission_queue`` is the one that a name led to past the cluster; ``on_receiver`` says
    that the local instance stands on a CLUSRCVR channel. ``cluster_told``: its cluster tells it from another one on the
    same channel. Identity, not value, tells two destinations apart.

    By these terms say the attributes that depend on clusters: the queue is ``queue_clustered``, and ``queue_shared`` if
    one of its clusters is one of the local queue manager's; the channel is ``channel_in_cluster_of_queue``, and
    ``channel_in_own_cluster`` of the local queue manager; the host is ``suspended_on_route`` in the channel's cluster,
    ``suspended_everywhere`` in all clusters of the queue. Before a local CLUSRCVR so many ``like_receivers_before`` are
    listed: in a cluster of the queue if it is in one, else in none. ``some_receiver_in_cluster_of_queue``: one of them,
    this or another, is in one.
    """

    queue: str = seen(GIVEN_NAME, "")
    queue_manager: str = seen(NAME_GIVEN, "")
    channel: str = seen(GIVEN_CHANNEL, "")
    cluster: str = seen(GIVEN_NAME, "")
    is_local: bool = False
    is_alias: bool = False
    put_enabled: bool = seen(Flag(), True, InTable(mqsc="put"))
    suspended: bool = False
    shares_cluster: bool = True
    channel_in_queue_cluster: bool = True
    channel_manual: bool = False
    clwluseq: str = seen(
        Words(("LOCAL", "ANY", "QMGR")), "QMGR", InTable(null="LOCAL", words_with={"QMGR": "qmgr_clwluseq"})
    )
    channel_status: str = seen(Words((*CHANNEL_STATES, "")), "", InTable(null="INACTIVE", mqsc="status"))
    channel_rank: int = seen(DIGIT, 0, InTable(mqsc="clwlrank"))
    channel_priority: int = seen(DIGIT, 0, InTable(mqsc="clwlprty"))
    channel_weight: int = seen(Whole(1, 99), DEFAULT_WEIGHT, InTable(mqsc="clwlwght"))
    network_priority: int = seen(DIGIT, 0, InTable(mqsc="netprty"))
    queue_rank: int = seen(DIGIT, 0, InTable(mqsc="clwlrank"))
    queue_priority: int = seen(DIGIT, 0, InTable(mqsc="clwlprty"))
    dest_seq_number: int = seen(Whole(0, LARGEST_NUMBER), 0)
    dest_seq_factor: float = seen(Finite(0.0), 0.0)
    queue_type: str = seen(Words(("QLOCAL", "QALIAS", "QREMOTE", "")), "", InTable(null="QLOCAL", optional=True))
    deftype: str = unseen("", Words((*DEFTYPES, "")))
    alias: str = unseen("")
    transmission_queue: str = unseen("")
    on_receiver: bool = unseen(False)
    queue_clustered: bool = unseen(False)
    queue_shared: bool = unseen(False)
    channel_in_cluster_of_queue: bool = unseen(False)
    channel_in_own_cluster: bool = unseen(False)
    suspended_on_route: bool = unseen(False)
    suspended_everywhere: bool = unseen(False)
    like_receivers_before: int = unseen(0)
    some_receiver_in_cluster_of_queue: bool = unseen(False)
    counter: tuple[str, str] = unseen(NO_COUNTER)
    cluster_told: bool = unseen(False)

    @property
    def name(self) -> str:
        """How a person names it: ``ORDERS.IN at QM2 by TO.QM2``."""
        return f"{self.queue} at {self.host}" if self.queue else self.host

    @property
    def host(self) -> str:
        """Where it is and by which route: ``QM2 by TO.QM2``, ``QM1 (local)``, ``QM2 for ANY.CLUSTER by TO.QM2``."""
        where = f"{self.queue_manager} for {self.alias}" if self.alias else self.queue_manager
        where += " (local)" if self.is_local else ""
        if self.transmission_queue:
            return f"{where} by transmission queue {self.transmission_queue}"
        route = self.channel
        # A local put uses no channel; its receiver lends status and weight.
        if not route or (self.is_local and not self.on_receiver):
            return where
        return f"{where} by {route} in {self.cluster}" if self.cluster_told else f"{where} by {route}"


@frozen(eq=False)
class Listing:
    """What rules say of destinations before they choose among them: see mqclause.executors.listing.

    ``kept_queue`` is the queue that all but an ``own_alias`` keep in a situation, blank if each has its own. An
    ``own_definition`` is listed for no name: it leads elsewhere.
    The local instance stands once for each CLUSRCVR that ``lends`` it its attributes; ``on_each_receiver`` says that it
    stands on them, so that they are routes. ``said`` are the attributes that terms say of what is stated of a
    destination. ``watched`` gives the values of a destination that are compared from one choice to the next, in groups;
    None for a group that does not concern it.
    """

    kept_queue: Callable[[Any], str]
    own_alias: Callable[[Destination], bool]
    own_definition: Callable[[Destination], bool]
    on_each_receiver: bool
    lends: Callable[[Destination], bool]
    said: Callable[[StatedDestination], dict[str, Any]]
    watched: Callable[[Destination], tuple[tuple[Any, ...] | None, ...]]


class StatedDestination:
    """What is stated of a destination; what is not has its default."""

    def __init__(self, stated: dict[str, Any]) -> None:
        self.__dict__ = stated


for _each in fields(Destination):
    setattr(StatedDestination, _each.name, _each.default)


def destinations(cluster: Cluster, put: Put, listing: Listing, seen: Any = None) -> tuple[Destination, ...]:
    """The destinations that ``put`` names, in listing order, before any rule chooses.

    ``seen`` is the situation, by which they may keep a queue that was named beside a queue manager. Raises ValueError
    for a put that names nothing or both.
    """
    kept = "" if seen is None else listing.kept_queue(seen)
    key = (put.queue, put.queue_manager, listing, kept)
    found: tuple[Destination, ...] | None = cluster.destinations.get(key)
    if found is None:
        if bool(put.queue) == bool(put.queue_manager):
            raise ValueError("a put names either a queue or a queue manager")
        named = _of_queue if put.queue else _of_queue_manager
        found = tuple(named(cluster, put.queue or put.queue_manager, listing))
        if kept:
            found = tuple(evolve(each, queue=kept) for each in found if not listing.own_alias(each))
        found = _told_apart(tuple(each for each in found if not listing.own_definition(each)))
        if len(cluster.destinations) >= MOST_LISTS:
            cluster.destinations.clear()
        if found:
            cluster.destinations[key] = found
    return found


def _told_apart(listed: tuple[Destination, ...]) -> tuple[Destination, ...]:
    """``listed``, those that have all but their cluster in common named with that."""
    if len({(each.queue_manager, each.channel, each.alias) for each in listed}) == len(listed):
        return listed
    alike = Counter(each.host for each in listed)
    return tuple(evolve(each, cluster_told=True) if alike[each.host] > 1 else each for each in listed)


def _of_queue(cluster: Cluster, name: str, listing: Listing) -> Iterator[Destination]:
    own = frozenset(cluster.queue_manager.clusters)
    for queue in cluster.queues_by_name.get(name, ()):
        instance = _of_clusters(queue, own)
        if queue.queue_manager == cluster.queue_manager.name:
            yield from _local(cluster, instance, queue.clusters, listing)
            continue
        for channel in _routes(cluster, queue.queue_manager):
            inside = channel.cluster in queue.clusters
            route = _route(cluster, channel)
            yield _destination(listing, {**route, **instance, "channel_in_cluster_of_queue": inside})


def _local(
    cluster: Cluster, named: dict[str, Any], clusters: Collection[str], listing: Listing
) -> Iterator[Destination]:
    """What is local, and in ``clusters``, takes status, weight and counters from a local CLUSRCVR, if one is given."""
    own = cluster.queue_manager
    everywhere = bool(clusters) and frozenset(own.suspended).issuperset(clusters)
    here = {**named, "is_local": True, "suspended_everywhere": everywhere}
    channels = [each for each in _routes(cluster, own.name) if each.deftype == "CLUSRCVR"]
    inside = [each.cluster in clusters for each in channels]
    receivers = [
        _destination(
            listing,
            {
                **_route(cluster, channel),
                **here,
                "channel_in_cluster_of_queue": inside[at],
                "some_receiver_in_cluster_of_queue": any(inside),
                "like_receivers_before": inside[:at].count(inside[at]),
                "on_receiver": listing.on_each_receiver,
            },
        )
        for at, channel in enumerate(channels)
    ]
    alone = {**here, "queue_manager": own.name, "counter": ("", own.name)}
    yield from [each for each in receivers if listing.lends(each)] or [_destination(listing, alone)]


def _of_queue_manager(cluster: Cluster, name: str, listing: Listing) -> Iterator[Destination]:
    for alias in cluster.aliases_by_name.get(name, ()):
        yield from _to_queue_manager(cluster, alias.routed_to, _alias(alias), alias.clusters, listing)
    if name == cluster.queue_manager.name or name in cluster.remote:
        yield from _to_queue_manager(cluster, name, {}, cluster.queue_manager.clusters, listing)


def _to_queue_manager(
    cluster: Cluster, name: str, named: dict[str, Any], clusters: Collection[str], listing: Listing
) -> Iterator[Destination]:
    routes = (_destination(listing, {**_route(cluster, channel), **named}) for channel in _routes(cluster, name))
    yield from _local(cluster, named, clusters, listing) if name == cluster.queue_manager.name else routes


def _destination(listing: Listing, stated: dict[str, Any]) -> Destination:
    """The destination of which that is stated, with what terms say of it."""
    stated.update(listing.said(StatedDestination(stated)))
    return Destination(**stated)


def _routes(cluster: Cluster, queue_manager: str) -> list[Channel]:
    return cluster.channels_by_queue_manager.get(queue_manager, [])


def look_of(fact: Queue | Channel) -> tuple[Any, ...]:
    """How an instance, or a route, looks to whoever chooses: all that a destination has of it but names."""
    return tuple((_instance(fact) if isinstance(fact, Queue) else _channel(fact)).values())


def _instance(queue: Queue) -> dict[str, Any]:
    return {
        "queue_type": queue.type,
        "put_enabled": queue.put == "ENABLED",
        "clwluseq": queue.clwluseq,
        "queue_rank": queue.clwlrank,
        "queue_priority": queue.clwlprty,
    }


def _alias(alias: QueueManagerAlias) -> dict[str, Any]:
    return {
        "alias": alias.name,
        "is_alias": True,
        "put_enabled": alias.put == "ENABLED",
        "queue_rank": alias.clwlrank,
        "queue_priority": alias.clwlprty,
    }


def _of_clusters(queue: Queue, own: frozenset[str]) -> dict[str, Any]:
    """An instance, with what its clusters are to the local queue manager, which is in its ``own``."""
    return {
        **_instance(queue),
        "queue": queue.name,
        "queue_clustered": bool(queue.clusters),
        "queue_shared": not own.isdisjoint(queue.clusters),
    }


def _route(cluster: Cluster, channel: Channel) -> dict[str, Any]:
    own = cluster.queue_manager
    host = own if channel.queue_manager == own.name else cluster.remote.get(channel.queue_manager)
    counted = cluster.most_recently_used[channel.name, channel.queue_manager]
    return {
        "queue_manager": channel.queue_manager,
        "channel": channel.name,
        "cluster": channel.cluster,
        "suspended_on_route": host is not None and channel.cluster in host.suspended,
        "channel_in_own_cluster": channel.cluster in own.clusters,
        "dest_seq_number": counted.dest_seq_number,
        "dest_seq_factor": counted.dest_seq_factor,
        "counter": (channel.name, channel.queue_manager),
        **_channel(channel),
    }


def _channel(channel: Channel) -> dict[str, Any]:
    return {
        "deftype": channel.deftype,
        "channel_status": channel.status,
        "channel_rank": channel.clwlrank,
        "channel_priority": channel.clwlprty,
        "channel_weight": channel.clwlwght,
        "network_priority": channel.netprty,
    }
