"""What the workload rules see: destinations, the put's situation, and the sequence counters of channels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from attrs import define, evolve, field, frozen

from mqclause.model.diagnostics import ArgumentError, check_type
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import (
    DIGIT,
    GIVEN_CHANNEL,
    GIVEN_NAME,
    GIVEN_NAMES,
    LARGEST,
    LARGEST_NUMBER,
    NAME_GIVEN,
    Finite,
    Flag,
    TableColumn,
    Whole,
    Words,
    internal_field,
    rule_field,
)
from mqclause.model.facts.objects import BINDINGS, CHANNEL_STATES, DEFTYPES, Channel, Put, Queue, QueueManagerAlias

DEFAULT_WEIGHT = 50
MOST_LISTS = 100_000
"""How many lists of destinations a cluster keeps: any name may be kept beside that of a queue manager."""

CounterKey = tuple[str, str]
"""Whose counters: channel name and queue manager; the channel is blank for a local instance without CLUSRCVR."""

NO_COUNTER: CounterKey = ("", "")


class DestinationSequence(NamedTuple):
    """The sequence factor (advanced by about 1000 / weight) and the sequence number of one channel."""

    dest_seq_factor: float
    dest_seq_number: int


START = DestinationSequence(0.0, 0)


class SnapshotChanges(NamedTuple):
    """What happened between two snapshots, as far as the sequence factors care."""

    attributes_altered: bool = False
    destination_added: bool = False


UNCHANGED = SnapshotChanges()


# One is made for every route of a name, and attrs takes three times as long where it is frozen; nobody changes one.
@define(unsafe_hash=True, cache_hash=True, repr=False)
class Destination:
    """One destination as the rules see it. Every attribute has a value; a blank name or word means "none".

    What each means is in the vocabulary of the workload rules, ``engine/audit/vocabulary.toml``. A destination without
    a route (the local instance when no CLUSRCVR is given) has a blank channel, cluster and channel_status. Before a
    local CLUSRCVR so many ``like_receivers_before`` are listed: in a cluster of the queue if it is in one, else in
    none.
    """

    queue: str = rule_field(GIVEN_NAME, "")
    queue_manager: str = rule_field(NAME_GIVEN, "")
    channel: str = rule_field(GIVEN_CHANNEL, "")
    cluster: str = rule_field(GIVEN_NAME, "")
    is_local: bool = False
    is_alias: bool = False
    put_enabled: bool = rule_field(Flag(), True, TableColumn(mqsc="put"))
    suspended: bool = False
    shares_cluster: bool = True
    channel_in_queue_cluster: bool = True
    channel_manual: bool = False
    clwluseq: str = rule_field(
        Words(("LOCAL", "ANY", "QMGR")), "QMGR", TableColumn(null="LOCAL", words_with={"QMGR": "qmgr_clwluseq"})
    )
    channel_status: str = rule_field(Words((*CHANNEL_STATES, "")), "", TableColumn(null="INACTIVE", mqsc="status"))
    channel_rank: int = rule_field(DIGIT, 0, TableColumn(mqsc="clwlrank"))
    channel_priority: int = rule_field(DIGIT, 0, TableColumn(mqsc="clwlprty"))
    channel_weight: int = rule_field(Whole(1, 99), DEFAULT_WEIGHT, TableColumn(mqsc="clwlwght"))
    network_priority: int = rule_field(DIGIT, 0, TableColumn(mqsc="netprty"))
    queue_rank: int = rule_field(DIGIT, 0, TableColumn(mqsc="clwlrank"))
    queue_priority: int = rule_field(DIGIT, 0, TableColumn(mqsc="clwlprty"))
    dest_seq_number: int = rule_field(Whole(0, LARGEST_NUMBER), 0)
    dest_seq_factor: float = rule_field(Finite(0.0), 0.0)
    queue_type: str = rule_field(
        Words(("QLOCAL", "QALIAS", "QREMOTE", "")), "", TableColumn(null="QLOCAL", optional=True)
    )
    deftype: str = internal_field("", Words((*DEFTYPES, "")))
    alias: str = internal_field("")
    transmission_queue: str = internal_field("")
    on_receiver: bool = internal_field(False)
    queue_clustered: bool = internal_field(False)
    queue_shared: bool = internal_field(False)
    channel_in_cluster_of_queue: bool = internal_field(False)
    channel_in_own_cluster: bool = internal_field(False)
    suspended_on_route: bool = internal_field(False)
    suspended_everywhere: bool = internal_field(False)
    like_receivers_before: int = internal_field(0)
    some_receiver_in_cluster_of_queue: bool = internal_field(False)
    counter: tuple[str, str] = internal_field(NO_COUNTER)
    cluster_told: bool = internal_field(False)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<Destination: {self.name}>"

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What tells it from other destinations of a put, whatever its attributes: names of queue and queue manager,
        of its channel, and of the cluster.
        """
        return self.queue, self.queue_manager, self.channel, self.cluster

    def to_json(self) -> dict[str, Any]:
        """Return it as documents have it: by its names."""
        document = {
            "queue": self.queue or None,
            "queue_manager": self.queue_manager,
            "channel": self.channel or None,
        }
        if self.transmission_queue:
            document["transmission_queue"] = self.transmission_queue
        return document

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


@frozen(cache_hash=True)
class DestinationListing:
    """What rules say of destinations before they choose among them: see mqclause.executors.operations.build_listing.

    ``kept_queue`` is the queue that all but an ``own_alias`` keep in a situation, blank if each has its own. An
    ``own_definition`` is listed for no name: it leads elsewhere.
    The local instance stands once for each CLUSRCVR that ``lends`` it its attributes; ``on_each_receiver`` says that it
    stands on them, so that they are routes. ``said`` are the attributes that terms say of what is stated of a
    destination. ``watched`` gives the values of a destination that are compared from one choice to the next, in groups;
    None for a group that does not concern it. ``written`` is what they are compiled from: two are equal that are
    written alike.
    """

    kept_queue: Callable[[Any], str] = field(eq=False)
    own_alias: Callable[[Destination], bool] = field(eq=False)
    own_definition: Callable[[Destination], bool] = field(eq=False)
    on_each_receiver: bool = field(eq=False)
    lends: Callable[[Destination], bool] = field(eq=False)
    said: Callable[[Destination], dict[str, Any]] = field(eq=False)
    watched: Callable[[Destination], tuple[tuple[Any, ...] | None, ...]] = field(eq=False)
    written: tuple[object, ...]


def list_destinations(
    cluster: Cluster, put: Put, listing: DestinationListing, seen: Any = None
) -> tuple[Destination, ...]:
    """List the destinations that ``put`` names, in listing order, before any rule chooses.

    ``seen`` is the situation, by which they may keep a queue that was named beside a queue manager. Raises ValueError
    for a put that names nothing or both.
    """
    kept = "" if seen is None else listing.kept_queue(seen)
    key = (put.queue, put.queue_manager, listing, kept)
    found: tuple[Destination, ...] | None = cluster.destinations.get(key)
    if found is None:
        if bool(put.queue) == bool(put.queue_manager):
            raise ArgumentError("a put names either a queue or a queue manager")
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


def get_appearance(fact: Queue | Channel) -> tuple[Any, ...]:
    """Return all that a choice sees of an instance or a route but names."""
    return tuple((_instance(fact) if isinstance(fact, Queue) else _channel(fact)).values())


@frozen
class SequenceState:
    """The counters of every channel after a choice; pass it to the next choice of the same queue manager.

    ``last_number`` is the sequence number of the previous choice; ``seen`` is the snapshot against which the next
    choice looks for altered attributes and new destinations, ``pending`` what was noticed already.
    """

    counters: Mapping[CounterKey, DestinationSequence] = field(hash=False)
    last_number: int
    seen: Cluster = field(repr=False)
    pending: SnapshotChanges = UNCHANGED

    @classmethod
    def of(cls, cluster: Cluster) -> SequenceState:
        """Return the state that the facts themselves give: each channel's dest_seq_factor and dest_seq_number."""
        if not check_type("cluster", cluster, Cluster, ", as snapshot.cluster").counters:
            channels = cluster.most_recently_used.items()
            cluster.counters.update(
                {key: DestinationSequence(of.dest_seq_factor, of.dest_seq_number) for key, of in channels}
            )
        return cls(dict(cluster.counters), cluster.last_seq_number, cluster)

    def noticed(self, cluster: Cluster, listing: DestinationListing) -> SequenceState:
        """Return the same state, with the snapshot as it is now and what changed since the one before."""
        if cluster is self.seen:
            return self
        now, before = find_changes(self.seen, cluster, listing), self.pending
        altered = now.attributes_altered or before.attributes_altered
        added = now.destination_added or before.destination_added
        return SequenceState(self.counters, self.last_number, cluster, SnapshotChanges(altered, added))

    def with_every(self, values: Mapping[str, Any], among: Iterable[Destination]) -> SequenceState:
        """Return the state with these values in every counter, those of ``among`` included.

        ``values`` has one or both of dest_seq_factor and dest_seq_number.
        """
        keys = dict.fromkeys([*self.counters, *(each.counter for each in among)])
        counters = {key: self.counters.get(key, START)._replace(**values) for key in keys}
        return SequenceState(counters, values.get("dest_seq_number", self.last_number), self.seen)

    def after(self, chosen: Destination, counter: DestinationSequence) -> SequenceState:
        """Return the state after ``chosen`` was chosen and got ``counter``."""
        return SequenceState({**self.counters, chosen.counter: counter}, counter.dest_seq_number, self.seen)


def find_changes(before: Cluster, after: Cluster, listing: DestinationListing) -> SnapshotChanges:
    """Return whether something watched was altered, and whether a destination is new; one gone is neither."""
    if before is after:
        return UNCHANGED
    puts = tuple(_touched(before, after))
    old, new = (dict(_watched(cluster, puts, listing)) for cluster in (before, after))
    altered = added = False
    for key, groups in new.items():
        was = old.get(key)
        added = added or was is None
        pairs = zip(groups, was or (), strict=False)
        altered = altered or any(one != other for one, other in pairs if one is not None and other is not None)
    return SnapshotChanges(altered, added)


@define(eq=False)  # One is made for every put, and attrs takes five times as long where it is frozen.
class Situation:
    """The put and the local queue manager. Every attribute has a value; a blank text means "none".

    In a table a row says nothing of DEFBIND, so AS_Q_DEF of ``bind`` is MQ's default there.
    """

    put_queue: str = rule_field(GIVEN_NAME, "", TableColumn("queue"))
    put_queue_manager: str = rule_field(GIVEN_NAME, "", TableColumn("queue_manager"))
    bind: str = rule_field(Words(BINDINGS), "OPEN", TableColumn(null="AS_Q_DEF", stands_for={"AS_Q_DEF": "OPEN"}))
    mqi_call: str = rule_field(Words(("MQOPEN", "MQPUT", "MQPUT1")), "MQPUT", TableColumn("call"))
    from_cluster_channel: bool = False
    cluster_pcf: bool = False
    already_sent_to: tuple[str, ...] = rule_field(GIVEN_NAMES, ())
    clwlmruc: int = rule_field(Whole(1, LARGEST), LARGEST, TableColumn(beside=True))
    qmgr_clwluseq: str = rule_field(Words(("LOCAL", "ANY")), "LOCAL", TableColumn(optional=True))
    last_seq_number: int = internal_field(0)
    attributes_altered: bool = internal_field(False)
    destination_added: bool = internal_field(False)
    inhibited_on_the_way: bool = internal_field(False)
    inhibited_by: str = internal_field("")


def build_situation(
    put: Put,
    names: tuple[str, str],
    bind: str,
    cluster: Cluster,
    last_seq_number: int,
    changed: SnapshotChanges = UNCHANGED,
    inhibited_by: str = "",
) -> Situation:
    """Build the situation of ``put`` at the local queue manager of ``cluster``.

    ``names`` are the queue and the queue manager that its own come to, ``bind`` the binding in effect; ``inhibited_by``
    is an object on the way that is put-disabled.
    """
    own, (queue, queue_manager) = cluster.queue_manager, names
    return Situation(
        queue,
        queue_manager,
        bind,
        put.call,
        put.from_cluster_channel,
        put.cluster_pcf,
        put.already_sent_to,
        own.clwlmruc,
        own.clwluseq,
        last_seq_number,
        changed.attributes_altered,
        changed.destination_added,
        bool(inhibited_by),
        inhibited_by,
    )


def _told_apart(listed: tuple[Destination, ...]) -> tuple[Destination, ...]:
    """``listed``, those that have all but their cluster in common named with that."""
    if len({(each.queue_manager, each.channel, each.alias) for each in listed}) == len(listed):
        return listed
    alike = Counter(each.host for each in listed)
    return tuple(evolve(each, cluster_told=True) if alike[each.host] > 1 else each for each in listed)


def _of_queue(cluster: Cluster, name: str, listing: DestinationListing) -> Iterator[Destination]:
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
    cluster: Cluster, named: dict[str, Any], clusters: Collection[str], listing: DestinationListing
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


def _of_queue_manager(cluster: Cluster, name: str, listing: DestinationListing) -> Iterator[Destination]:
    for alias in cluster.aliases_by_name.get(name, ()):
        yield from _to_queue_manager(cluster, alias.routed_to, _alias(alias), alias.clusters, listing)
    if name == cluster.queue_manager.name or name in cluster.remote:
        yield from _to_queue_manager(cluster, name, {}, cluster.queue_manager.clusters, listing)


def _to_queue_manager(
    cluster: Cluster, name: str, named: dict[str, Any], clusters: Collection[str], listing: DestinationListing
) -> Iterator[Destination]:
    routes = (_destination(listing, {**_route(cluster, channel), **named}) for channel in _routes(cluster, name))
    yield from _local(cluster, named, clusters, listing) if name == cluster.queue_manager.name else routes


def _destination(listing: DestinationListing, stated: dict[str, Any]) -> Destination:
    """The destination of which that is stated, with what terms say of it."""
    made = Destination(**stated)
    for name, value in listing.said(made).items():
        setattr(made, name, value)
    return made


def _routes(cluster: Cluster, queue_manager: str) -> list[Channel]:
    return cluster.channels_by_queue_manager.get(queue_manager, [])


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


def _touched(before: Cluster, after: Cluster) -> Iterator[Put]:
    """The names whose destinations may differ between two snapshots: those of the facts that are not the same."""
    differ: set[Put] = set()
    if before.queue_manager.clusters != after.queue_manager.clusters:
        for cluster in (before, after):
            differ.update(Put.as_written(name) for name in cluster.queues_by_name)
            differ.update(Put.as_written("", name) for name in (*cluster.aliases_by_name, *cluster.remote))
    for queue in _not_in_both(before.queues, after.queues):
        differ.add(Put.as_written(queue.name))
    for alias in _not_in_both(before.queue_manager_aliases, after.queue_manager_aliases):
        differ.add(Put.as_written("", alias.name))
    for channel in _not_in_both(before.channels, after.channels):
        differ.add(Put.as_written("", channel.queue_manager))
        # A route in a cluster of ours passes the cluster tests for its queue manager's name too; in another one it may
        # do so for a queue alone.
        if channel.cluster not in after.queue_manager.clusters:
            hosted = (each for each in after.queues if each.queue_manager == channel.queue_manager)
            differ.update(Put.as_written(each.name) for each in hosted)
    yield from differ


def _not_in_both(before: Iterable[Any], after: Iterable[Any]) -> list[Any]:
    """The facts that only one of two snapshots holds; what was not altered is the same object in both."""
    old, new = ({id(each): each for each in facts} for facts in (before, after))
    return [each for key, each in (*old.items(), *new.items()) if not (key in old and key in new)]


def _watched(
    cluster: Cluster, puts: Iterable[Put], listing: DestinationListing
) -> Iterator[tuple[tuple[str, ...], tuple[tuple[Any, ...] | None, ...]]]:
    """What is watched of the destinations of names, by what tells them apart."""
    for put in puts:
        for each in list_destinations(cluster, put, listing):
            values = listing.watched(each)
            if any(group is not None for group in values):
                route = ("", "") if each.is_local else (each.channel, each.cluster)
                yield (each.queue, each.alias, each.queue_manager, *route), values
