"""A cluster as its local queue manager knows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar, Unpack

from attrs import evolve, field, fields, frozen

from mqclause.model.diagnostics import (
    ArgumentError,
    Diagnostic,
    FactsError,
    check_each,
    check_type,
    quote_value,
    suggest_name,
    suggest_word,
)
from mqclause.model.facts.domains import CHANNEL_NAME
from mqclause.model.facts.objects import (
    Channel,
    ChannelAttributes,
    ChannelState,
    ChannelStatus,
    Fact,
    ModelQueue,
    Process,
    Queue,
    QueueAttributes,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)

_F = TypeVar("_F")

HostedFact: TypeAlias = Queue | QueueManagerAlias | Channel
"""A fact that names its queue manager."""

CLUSTER_FIELDS: dict[type, str] = {
    RemoteQueueManager: "remote_queue_managers",
    Queue: "queues",
    QueueManagerAlias: "queue_manager_aliases",
    Channel: "channels",
    Process: "processes",
    ModelQueue: "model_queues",
    ChannelStatus: "channel_statuses",
}
"""The field of a cluster that holds the facts of each class."""

NO_QUEUES: Mapping[str, Iterable[str]] = {}

SUGGESTIONS = 20
"""How many unknown queue managers get a "did you mean"."""

_sequence: Callable[[Channel], Any] = attrgetter("dest_seq_number", "dest_seq_factor")
_NAME: Callable[[Fact], object] = attrgetter("name")
_INSTANCE: Callable[[Fact], object] = attrgetter("name", "queue_manager")
_QUEUE_MANAGER: Callable[[HostedFact], str] = attrgetter("queue_manager")
_ROUTE: Callable[[Fact], object] = attrgetter("name", "queue_manager", "cluster")
_CONNECTION: Callable[[Fact], object] = attrgetter("name", "type", "conname", "queue_manager")


def _of_alias(alias: Any) -> tuple[str, ...]:
    """What tells two aliases apart: also who advertises them, where that is another queue manager."""
    own = (alias.name, alias.queue_manager)
    return own if alias.routed_to == alias.queue_manager else (*own, alias.routed_to)


@frozen
class Contradiction:
    """A fact that cannot stand beside the others; ``earlier`` is the one that it repeats, if it does."""

    fact: Fact
    message: str
    earlier: Fact | None = None


class ContradictionError(FactsError):
    """Facts that contradict each other; ``contradictions`` says which."""

    def __init__(self, found: Iterable[Contradiction]) -> None:
        self.contradictions = tuple(found)
        super().__init__(Diagnostic("facts", each.message) for each in self.contradictions)


@frozen(cache_hash=True)
class Cluster:
    """What one queue manager knows: its own objects, others' queue instances and aliases, and the routes to them.

    Objects stand in the order in which they were listed. ``channel_statuses`` are how its channels are that belong to
    no cluster. Raises ContradictionError when two facts contradict each other: the same object twice, or a queue
    manager that is named but not known.
    """

    queue_manager: QueueManager
    remote_queue_managers: tuple[RemoteQueueManager, ...] = field(default=(), converter=tuple[RemoteQueueManager, ...])
    queues: tuple[Queue, ...] = field(default=(), converter=tuple[Queue, ...])
    queue_manager_aliases: tuple[QueueManagerAlias, ...] = field(default=(), converter=tuple[QueueManagerAlias, ...])
    channels: tuple[Channel, ...] = field(default=(), converter=tuple[Channel, ...])
    processes: tuple[Process, ...] = field(default=(), converter=tuple[Process, ...])
    model_queues: tuple[ModelQueue, ...] = field(default=(), converter=tuple[ModelQueue, ...])
    channel_statuses: tuple[ChannelStatus, ...] = field(default=(), converter=tuple[ChannelStatus, ...])

    def __attrs_post_init__(self) -> None:
        check_type("queue_manager", self.queue_manager, QueueManager)
        if found := tuple(_find_contradictions(self)):
            raise ContradictionError(found)

    def __repr__(self) -> str:
        return f"<Cluster: {self}>"

    def __str__(self) -> str:
        known = {"queue": self.queues, "channel": self.channels, "other queue manager": self.remote_queue_managers}
        counted = (f"{len(each)} {name}{'s' * (len(each) != 1)}" for name, each in known.items())
        return f"{self.queue_manager.name}, which knows {', '.join(counted)}"

    @classmethod
    def of(
        cls, cluster: str, at: str, members: Iterable[str], queues: Mapping[str, Iterable[str]] = NO_QUEUES
    ) -> Cluster:
        """Return what the queue manager ``at`` knows of a cluster where all is as MQ's defaults have it.

        ``queues`` are the hosts of each queue. The channel to each member is called ``TO.`` and its name, and runs.
        """
        hosted = check_hosts(queues)
        others = [each for each in check_names("members", members) if each != at]
        return cls(
            QueueManager(at, clusters=(cluster,)),
            [RemoteQueueManager(each, clusters=(cluster,)) for each in others],
            [Queue(name, host, clusters=(cluster,)) for name, hosts in hosted.items() for host in hosts],
            channels=[
                Channel(f"TO.{at}"[: CHANNEL_NAME.most], at, cluster, deftype="CLUSRCVR"),
                *(Channel(f"TO.{each}"[: CHANNEL_NAME.most], each, cluster, status="RUNNING") for each in others),
            ],
        )

    def suspend(self, queue_manager: str, *clusters: str) -> Cluster:
        """Return the cluster with a queue manager suspended, in ``clusters`` or in all that it is in.

        Raises ValueError for one that is not known, or a cluster that it is not in.
        """
        return self._with_suspended(queue_manager, clusters, lambda now, these: (*now, *these))

    def resume(self, queue_manager: str, *clusters: str) -> Cluster:
        """Return the cluster with a queue manager no longer suspended, in ``clusters`` or in all that it is in.

        Raises ValueError for one that is not known, or a cluster that it is not in.
        """
        return self._with_suspended(
            queue_manager, clusters, lambda now, these: tuple(each for each in now if each not in these)
        )

    def _with_suspended(
        self,
        queue_manager: str,
        clusters: tuple[str, ...],
        change: Callable[[tuple[str, ...], tuple[str, ...]], tuple[str, ...]],
    ) -> Cluster:
        own, queue_manager = self.queue_manager, check_type("queue_manager", queue_manager, str).rstrip(" ")
        clusters = tuple(each.rstrip(" ") for each in check_each("clusters", clusters, str))
        member = own if queue_manager == own.name else self.remote.get(queue_manager)
        if member is None:
            raise _unknown("queue manager", queue_manager, [own.name, *self.remote])
        for name in clusters:
            if name not in member.clusters:
                raise _unknown(f"cluster of {queue_manager}", name, member.clusters)
        suspended = change(member.suspended, clusters or member.clusters)
        return replace_objects(self, [member], [evolve(member, suspended=suspended)])

    def with_status(self, channel: str, status: ChannelState) -> Cluster:
        """Return the cluster with every channel of a name in a state. Raises ValueError if there is none."""
        channel = check_type("channel", channel, str).rstrip(" ")
        names = [*(each.name for each in self.channels), *(each.name for each in self.channel_statuses)]
        if channel not in names:
            raise _unknown("channel", channel, names)

        def changed(of: Iterable[Any]) -> Iterator[Any]:
            return (evolve(each, status=status) if each.name == channel else each for each in of)

        return evolve(self, channels=changed(self.channels), channel_statuses=changed(self.channel_statuses))

    def with_queue(self, name: str, queue_manager: str, **attributes: Unpack[QueueAttributes]) -> Cluster:
        """Return the cluster with other attributes of a queue instance, or with one more instance.

        One more is in the clusters of its queue manager unless they are given. Raises ValueError for a queue manager
        that is not known, an attribute that queues do not have, or a value outside of its range.
        """
        name, queue_manager, members = self._named(name, queue_manager)
        _check_attributes(Queue, "a queue", attributes)
        found = [each for each in self.queues_by_name.get(name, ()) if each.queue_manager == queue_manager]
        if not found:
            given: dict[str, Any] = {"clusters": members[queue_manager].clusters, **attributes}
            return evolve(self, queues=(*self.queues, Queue(name, queue_manager, **given)))
        return replace_objects(self, found, [evolve(each, **attributes) for each in found])

    def with_channel(self, name: str, queue_manager: str, **attributes: Unpack[ChannelAttributes]) -> Cluster:
        """Return the cluster with other attributes of the channel to a queue manager, or with one more channel.

        One more is in the first cluster of its queue manager unless one is given. Raises ValueError as ``with_queue``.
        """
        name, queue_manager, members = self._named(name, queue_manager)
        _check_attributes(Channel, "a channel", attributes)
        found = [each for each in self.channels if (each.name, each.queue_manager) == (name, queue_manager)]
        if not found:
            given: dict[str, Any] = {"cluster": next(iter(members[queue_manager].clusters), ""), **attributes}
            return evolve(self, channels=(*self.channels, Channel(name, queue_manager, **given)))
        return replace_objects(self, found, [evolve(each, **attributes) for each in found])

    def without(self, queue_manager: str) -> Cluster:
        """Return the cluster without another queue manager and what it has. Raises ValueError for an unknown one."""
        name = check_type("queue_manager", queue_manager, str).rstrip(" ")
        if name not in self.remote:
            raise _unknown("other queue manager", name, self.remote)
        return evolve(
            self,
            remote_queue_managers=(each for each in self.remote_queue_managers if each.name != name),
            queues=(each for each in self.queues if each.queue_manager != name),
            queue_manager_aliases=(each for each in self.queue_manager_aliases if each.routed_to != name),
            channels=(each for each in self.channels if each.queue_manager != name),
        )

    def _named(self, name: str, queue_manager: str) -> tuple[str, str, dict[str, QueueManager | RemoteQueueManager]]:
        """Two names without the blanks that pad them, and the queue managers. Raises ValueError for an unknown one."""
        own = self.queue_manager
        name, queue_manager = (check_type("a name", each, str).rstrip(" ") for each in (name, queue_manager))
        members: dict[str, QueueManager | RemoteQueueManager] = {own.name: own, **self.remote}
        if queue_manager not in members:
            raise _unknown("queue manager", queue_manager, members)
        return name, queue_manager, members

    def refusal(self, queue: str, queue_manager: str) -> str:
        """Say what is wrong with a put that gives these names to the local queue manager; blank: it is decided."""
        if queue not in self.models or queue_manager not in ("", self.queue_manager.name):
            return ""
        made = "an open of it makes a queue of a generated name; name that queue"
        return f"queue {quote_value(queue)} is a model queue: {made}"

    @cached_property
    def places(self) -> dict[int, int]:
        """The place of each fact among those of its class, by the fact's identity."""
        listed = (getattr(self, name) for name in CLUSTER_FIELDS.values())
        return {id(each): place for facts in listed for place, each in enumerate(facts)}

    @cached_property
    def destinations(self) -> dict[tuple[str, str, Any, str], Any]:
        """The destinations already built for a name; see mqclause.model.facts.workload."""
        return {}

    @cached_property
    def resolutions(self) -> dict[Any, Any]:
        """Where names lead that were already resolved; see mqclause.workload.resolution."""
        return {}

    @cached_property
    def counters(self) -> dict[tuple[str, str], Any]:
        """The counters that the channels start from, once they are asked for: what SequenceState reckons with."""
        return {}

    @cached_property
    def last_seq_number(self) -> int:
        """The sequence number of the previous choice: the highest among the channels."""
        return max((channel.dest_seq_number for channel in self.channels), default=0)

    @cached_property
    def most_recently_used(self) -> dict[tuple[str, str], Channel]:
        """By channel name and queue manager, the channel with the highest sequence number, and of such the factor.

        A receiver in several clusters stands once for each, and is one channel.
        """
        found: dict[tuple[str, str], Channel] = {}
        for channel in self.channels:
            known = found.setdefault((channel.name, channel.queue_manager), channel)
            if known is not channel and _sequence(known) < _sequence(channel):
                found[channel.name, channel.queue_manager] = channel
        return found

    @cached_property
    def remote(self) -> dict[str, RemoteQueueManager]:
        """The other queue managers by name."""
        return {known.name: known for known in self.remote_queue_managers}

    @cached_property
    def own_queues(self) -> dict[str, Queue]:
        """The local queue manager's own queues, of any type, by name."""
        local = self.queue_manager.name
        return {queue.name: queue for queue in self.queues if queue.queue_manager == local}

    @cached_property
    def models(self) -> frozenset[str]:
        """The names of the local queue manager's model queues."""
        return frozenset(each.name for each in self.model_queues) - self.own_queues.keys()

    @cached_property
    def repositories_asked(self) -> tuple[str, ...]:
        """The full repositories that are asked for a name which is not known."""
        full = [each for each in self.remote_queue_managers if each.repository]
        mine = frozenset(self.asking_in) if full else frozenset[str]()
        return tuple(each.name for each in full if any(map(each.is_full_in, mine.intersection(each.clusters))))

    @cached_property
    def asking_in(self) -> tuple[str, ...]:
        """The clusters of which the local queue manager is no full repository."""
        own = self.queue_manager
        return tuple(each for each in own.clusters if not own.is_full_in(each))

    @cached_property
    def refusals(self) -> dict[Any, Any]:
        """What transmission queues refuse, once it is asked for; see mqclause.workload.resolution."""
        return {}

    @cached_property
    def serving(self) -> dict[str, str]:
        """The local queue manager's own queues that serve some cluster channels, with their CLCHNAME."""
        return {each.name: each.clchname for each in self.own_queues.values() if each.clchname}

    @cached_property
    def full_here(self) -> tuple[str, ...]:
        """The local queue manager's own local queues that are known to hold as many messages as they take."""
        local = (each for each in self.own_queues.values() if each.type == "QLOCAL")
        return tuple(each.name for each in local if (each.curdepth or 0) >= each.maxdepth)

    @cached_property
    def put_disabled_here(self) -> tuple[str, ...]:
        """The local queue manager's own queues that are put-disabled."""
        return tuple(each.name for each in self.own_queues.values() if each.put == "DISABLED")

    @cached_property
    def queues_by_name(self) -> dict[str, list[Queue]]:
        """The instances of each queue name, in listing order."""
        return _grouped(self.queues, lambda queue: queue.name)

    @cached_property
    def aliases_by_name(self) -> dict[str, list[QueueManagerAlias]]:
        """The queue-manager aliases of each name, in listing order."""
        return _grouped(self.queue_manager_aliases, lambda alias: alias.name)

    @cached_property
    def taking_from(self) -> dict[str, list[ChannelStatus]]:
        """The channels outside clusters that take messages from each transmission queue."""
        return _grouped((each for each in self.channel_statuses if each.xmitq), lambda channel: channel.xmitq)

    @cached_property
    def channels_by_queue_manager(self) -> dict[str, list[Channel]]:
        """The channels that lead to each queue manager, in listing order."""
        return _grouped(self.channels, lambda channel: channel.queue_manager)


def check_names(what: str, given: Iterable[str]) -> tuple[str, ...]:
    """Return names that are given as a list, without the blanks that pad them.

    Raises TypeError for one text in the place of a list, ArgumentError for a name that is given twice.
    """
    names = tuple(each.rstrip(" ") for each in check_each(what, given, str))
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            raise ArgumentError(f"{what}: {quote_value(name)} is given twice")
    return names


def check_hosts(queues: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Return the hosts of each queue. Raises TypeError and ArgumentError for what names none."""
    if not isinstance(queues, Mapping):
        check_type("queues", queues, dict, ", the hosts of each queue by its name")
    return {name: check_names(f"hosts of {quote_value(name)}", hosts) for name, hosts in queues.items()}


def _check_attributes(of: type[Queue | Channel], what: str, attributes: Mapping[str, Any]) -> None:
    """Raises ValueError for an attribute that such an object does not have, or that says which one it is."""
    known = [each.name for each in fields(of) if each.name not in ("name", "queue_manager")]
    for key in [each for each in attributes if each not in known]:
        raise _unknown(f"attribute of {what}", key, known, suggest_word(key.lower(), known))


def _unknown(what: str, name: str, known: Iterable[str], near: str = "") -> ArgumentError:
    known = list(dict.fromkeys(known))
    return ArgumentError(
        f"{quote_value(name)} is no {what}; known: {', '.join(known)}{near or suggest_name(name, known)}"
    )


def replace_objects(cluster: Cluster, old: Sequence[Fact], new: Sequence[Fact]) -> Cluster:
    """Replace objects of one kind, each by the new one at its place. Raises ContradictionError."""
    if not new:
        return cluster
    changed: dict[str, Any] = {"queue_manager": new[0]}
    if name := CLUSTER_FIELDS.get(type(new[0]), ""):
        by_id = {id(before): after for before, after in zip(old, new, strict=True)}
        changed = {name: tuple(by_id.get(id(each), each) for each in getattr(cluster, name))}
    return evolve(cluster, **changed)


def list_facts(cluster: Cluster) -> Iterator[Any]:
    """List all facts of a cluster, the local queue manager first."""
    yield cluster.queue_manager
    for name in CLUSTER_FIELDS.values():
        yield from getattr(cluster, name)


def _find_contradictions(cluster: Cluster) -> Iterator[Contradiction]:
    """Find every fact that cannot stand beside the others, with what is wrong with it."""
    local = cluster.queue_manager.name
    known = {local, *(other.name for other in cluster.remote_queue_managers)}
    for table, facts, kind, key in (each for each in _identities(cluster) if each[1]):
        if not {kind}.issuperset(map(type, facts)):
            for each in facts:
                check_type(table, each, kind)
        if len({*map(key, facts)}) < len(facts):
            yield from _repeated(facts, table, key)
    for other in cluster.remote_queue_managers:
        if other.name == local:
            message = f"remote_queue_manager {quote_value(local)}: this is the local queue manager"
            yield Contradiction(other, message, cluster.queue_manager)
    near: dict[str, str] = {}
    for table, hosted, host in _hosted(cluster):
        for fact in () if known.issuperset(map(host, hosted)) else hosted:
            if (of := host(fact)) not in known:
                yield Contradiction(fact, _unknown_host(table, fact, of, known, near))
    for channel in cluster.channels:
        if channel.deftype == "CLUSRCVR" and channel.queue_manager != local:
            yield Contradiction(
                channel,
                f"channel {quote_value(channel.name)}: deftype CLUSRCVR is the local queue manager's own receiver,"
                f" but queue_manager is {quote_value(channel.queue_manager)};"
                " allowed here: CLUSSDR, CLUSSDRA, CLUSSDRB",
            )


def _identities(cluster: Cluster) -> tuple[tuple[str, tuple[Fact, ...], type[Fact], Callable[[Fact], object]], ...]:
    return (
        ("remote_queue_manager", cluster.remote_queue_managers, RemoteQueueManager, _NAME),
        ("queue", cluster.queues, Queue, _INSTANCE),
        ("queue_manager_alias", cluster.queue_manager_aliases, QueueManagerAlias, _of_alias),
        ("channel", cluster.channels, Channel, _ROUTE),
        ("process", cluster.processes, Process, _NAME),
        ("model_queue", cluster.model_queues, ModelQueue, _NAME),
        ("channel_status", cluster.channel_statuses, ChannelStatus, _CONNECTION),
    )


def _hosted(cluster: Cluster) -> tuple[tuple[str, tuple[HostedFact, ...], Callable[[Any], str]], ...]:
    """The facts of which a queue manager has to be known, and which that is.

    What an alias resolves to may lie beyond the cluster if another one advertises it.
    """
    return (
        ("queue", cluster.queues, _QUEUE_MANAGER),
        ("queue_manager_alias", cluster.queue_manager_aliases, lambda alias: alias.host or alias.queue_manager),
        ("channel", cluster.channels, _QUEUE_MANAGER),
    )


def _repeated(facts: Iterable[Fact], table: str, key: Callable[[Fact], object]) -> Iterator[Contradiction]:
    seen: dict[object, Fact] = {}
    for fact in facts:
        identity = key(fact)
        first = seen.setdefault(identity, fact)
        if first is not fact:
            names = identity if isinstance(identity, tuple) else (identity,)
            yield Contradiction(fact, f"{table} {' '.join(map(quote_value, names))} is given twice", first)


def _unknown_host(table: str, fact: HostedFact, host: str, known: set[str], near: dict[str, str]) -> str:
    """What is wrong with a fact whose queue manager is not known; ``near`` keeps the suggestions made so far."""
    if host not in near:
        # Finding a close name is a search of all of them: worth it for the first few only.
        near[host] = suggest_name(host, known) if len(near) < SUGGESTIONS else ""
    key = "host" if isinstance(fact, QueueManagerAlias) and fact.host else "queue_manager"
    return (
        f"{table} {quote_value(fact.name)}: {key} {quote_value(host)} is not known;"
        f" allowed: the local queue manager or one under remote_queue_manager{near[host]}"
    )


def _grouped(facts: Iterable[_F], key: Callable[[_F], str]) -> dict[str, list[_F]]:
    groups: dict[str, list[_F]] = {}
    for fact in facts:
        known = groups.get(name := key(fact))
        if known is None:
            groups[name] = [fact]  # takes less room than a list that one is appended to
        else:
            known.append(fact)
    return groups
