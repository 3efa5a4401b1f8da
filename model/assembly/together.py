"""Queue managers together: what can be said of an object only when the files of all of them are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from mqclause.model.assembly.configured import WORKLOAD_ATTRIBUTES, ConfiguredMember, ConfiguredObject, FileLine
from mqclause.model.assembly.inserts import INSERT
from mqclause.model.assembly.mq_object import MqObject
from mqclause.model.diagnostic import Diagnostic
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Channel, Queue, QueueManager, RemoteQueueManager

ALIKE = ("defbind", "defprty", "clwluseq")
"""What the hosts of a queue should have alike."""

Appearance = tuple[tuple[Any, ...], ...]
"""What the workload rules see of an instance, and of each route to it."""

OBSERVER = "ANYBODY.ELSE"
"""A member that hosts nothing: what it cannot reach nobody else can."""


@frozen(eq=False)
class Contribution:
    """What one queue manager's files tell of its clusters: its own queues and receivers, and those displayed of others.

    ``knows_all``: nothing is in these clusters but what the files tell, as in a facts document. What a file without a
    name (``is_named``) says may be said of many queue managers.
    ``senders`` are its CLUSSDR channels, as cluster, name and place, ``repositories`` the clusters of which it is a
    full repository, by its own files; ``others`` are full repositories by what it displays, as cluster and name.
    """

    queue_manager: QueueManager
    clusters: frozenset[str]
    knows_all: bool
    is_named: bool
    queues: tuple[Queue, ...] = ()
    receivers: tuple[Channel, ...] = ()
    senders: tuple[tuple[str, str, FileLine], ...] = ()
    repositories: frozenset[str] = frozenset()
    others: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, member: ConfiguredMember) -> Contribution:
        """What a member contributes."""
        objects = member.objects
        own = member.clustered_queues()
        rows = [row for row in objects.rows if row.text("CLUSTER")]
        displayed = [_displayed(row) for row in rows if row.kind == "QCLUSTER" and row.text("CLUSQMGR")]
        receivers = [
            _receiver(each, member.name, name) for each in objects.channels("CLUSRCVR") for name in each.clusters
        ]
        routes = [_route(row) for row in rows if row.kind == "CLUSQMGR" and row.text("CHANNEL")]
        repositories = frozenset(name for each in objects.of("QMGR") for name in each.clusters)
        members = (*objects.channels("CLUSRCVR"), *objects.channels("CLUSSDR"), *objects.of("QMGR"))
        return cls(
            member.queue_manager,
            frozenset(name for each in members for name in each.clusters) | {row.text("CLUSTER") for row in rows},
            member.knows_all,
            bool(member.owner),
            (*own, *displayed),
            (*receivers, *routes),
            tuple(
                (name, each.name, (each.record.source, each.record.line))
                for each in objects.channels("CLUSSDR")
                for name in each.clusters
            ),
            repositories,
            frozenset((row.text("CLUSTER"), row.name) for row in rows if row.text("QMTYPE") == "REPOS"),
        )

    @property
    def name(self) -> str:
        """The queue manager's name."""
        return self.queue_manager.name


@define(eq=False)
class Together:
    """What all of them tell. An own file of a queue manager counts before what others display of it.

    ``fell_by`` is found later, by the rules: why a host of a queue in a cluster that looks so is not chosen.
    """

    described: dict[str, Contribution]
    queues: dict[tuple[str, str], dict[str, Queue]] = field(factory=dict)
    receivers: dict[tuple[str, str], dict[str, Channel]] = field(factory=dict)
    by_channel: dict[str, Channel] = field(factory=dict)
    repositories: dict[str, set[str]] = field(factory=dict)
    members: dict[str, set[str]] = field(factory=dict)
    unanswered: dict[str, set[str]] = field(factory=dict)
    closed: set[str] = field(factory=set)
    many: set[str] = field(factory=set)
    fell_by: dict[tuple[str, str, Appearance], str] = field(factory=dict)
    _speakers: dict[str, str] = field(factory=dict)
    _of_hosts: dict[tuple[str, tuple[str, ...]], dict[str, Any]] = field(factory=dict)
    _looks: dict[tuple[str, str], dict[str, Appearance]] = field(factory=dict)

    @classmethod
    def of(cls, contributions: Sequence[Contribution]) -> Together:
        """What the contributions say together, whatever their order."""
        found = cls({each.name: each for each in contributions})
        ordered = sorted(contributions, key=lambda each: each.name)
        for own in (True, False):
            for each in ordered:
                found.take(each, own)
        for each in ordered:
            for cluster, sender, _ in each.senders:
                if sender not in found.by_channel:
                    found.unanswered.setdefault(cluster, set()).add(sender)
        return found

    def take(self, each: Contribution, own: bool) -> None:
        """Takes what a queue manager says of itself, or what it displays of others."""
        for queue in each.queues:
            if (queue.queue_manager == each.name) == own and (own or queue.queue_manager not in self.described):
                for cluster in queue.clusters:
                    self.queues.setdefault((queue.name, cluster), {}).setdefault(queue.queue_manager, queue)
        for channel in each.receivers:
            if (channel.queue_manager == each.name) == own and (own or channel.queue_manager not in self.described):
                self.receivers.setdefault((channel.queue_manager, channel.cluster), {}).setdefault(
                    channel.name, channel
                )
                self.by_channel.setdefault(channel.name, channel)
        if own:
            self.closed |= each.clusters if each.knows_all else frozenset()
            if not each.is_named:
                self.many |= each.clusters.union(*(queue.clusters for queue in each.queues))
            for cluster in each.clusters:
                self.members.setdefault(cluster, set()).add(each.name)
            for cluster in each.repositories:
                self.repositories.setdefault(cluster, set()).add(each.name)
        else:
            for cluster, name in each.others:
                self.repositories.setdefault(cluster, set()).add(name)

    def instances(self, name: str, clusters: Sequence[str]) -> dict[str, Queue]:
        """The instances of a queue in some clusters, by host."""
        found: dict[str, Queue] = {}
        for cluster in clusters:
            for host, queue in self.queues.get((name, cluster), {}).items():
                found.setdefault(host, queue)
        return found

    def seen(self, about: ConfiguredObject) -> Iterator[ConfiguredObject]:
        """The object with what the others make of it; a channel for each thing that there is to say of it."""
        if about.chltype == "CLUSRCVR":
            yield from (self.receiver(about, name) for name in about.clusters)
        elif about.chltype == "CLUSSDR":
            differing = [*self.differing(about)]
            yield from (evolve(about, receiver_differs=name.upper()) for name in differing or [""])
        elif about.object_type == "QMGR" or not about.clustered:
            yield about
        else:
            yield evolve(about, **self.hosts_of(about.name, about.clusters))

    def hosts_of(self, name: str, clusters: tuple[str, ...]) -> dict[str, Any]:
        """What the hosts of a clustered queue have."""
        key = (name, clusters)
        if key not in self._of_hosts:
            hosts = [*self.instances(*key).values()]
            same = {f"same_{name}": len({getattr(each, name) for each in hosts}) < 2 for name in ALIKE}
            enabled = sum(each.put == "ENABLED" for each in hosts)
            described = not any(map(self.lacks_members, clusters))
            self._of_hosts[key] = {"hosts": len(hosts), "enabled_hosts": enabled, "all_members_described": described,
                                   **same}  # fmt: skip
        return self._of_hosts[key]

    def receiver(self, about: ConfiguredObject, cluster: str) -> ConfiguredObject:
        """A receiver with what one of its clusters has."""
        full = self.repositories.get(cluster, set())
        return evolve(
            about,
            clusters=(cluster,),
            cluster=cluster,
            repositories=len(full),
            repository=about.queue_manager in full,
            speaks_for_cluster=about.queue_manager == self.speaker(cluster) and not INSERT.search(cluster),
            all_members_described=not self.is_open(frozenset((cluster,))),
        )

    def differing(self, about: ConfiguredObject) -> Iterator[str]:
        """The workload attributes that a sender states otherwise than the receiver of its name."""
        receiver = self.by_channel.get(about.name)
        for name, value in about.states.items():
            if receiver is not None and getattr(receiver, name) != value:
                yield name

    def speaker(self, cluster: str) -> str:
        """The member at which to say what a cluster lacks: the first by name of those that have a receiver in it.

        It is one that is no full repository, if there is one: it may become one.
        """
        if not self._speakers:
            members: dict[str, set[str]] = {}
            for host, name in self.receivers:
                if host in self.described:
                    members.setdefault(name, set()).add(host)
            self._speakers |= {
                name: min(hosts - self.repositories.get(name, set()) or hosts) for name, hosts in members.items()
            }
        return self._speakers.get(cluster, "")

    def unjudged(self, local: str | None) -> Iterator[Diagnostic]:
        """What a CLUSSDR leads to that no file describes; with ``local`` only where that queue manager has it."""
        told = set[tuple[str, str]]()
        for owner, each in sorted(self.described.items()):
            for cluster, sender, (file, line) in each.senders if local in (None, owner) else ():
                if sender in self.unanswered.get(cluster, ()) and (cluster, sender) not in told:
                    told.add((cluster, sender))
                    leads = f"CHANNEL({sender}): leads to a member of {cluster} that no file describes"
                    lacks = "which queues it hosts and whether it is a full repository is not judged"
                    asked = f"DISPLAY CLUSQMGR(*) CHANNEL at {owner} names it, dmpmqcfg -a there tells the rest"
                    yield Diagnostic(file, f"{leads}: {lacks}; {asked}", line)

    def is_known(self, about: ConfiguredObject, local: str) -> bool:
        """Whether ``local`` knows of an object: its own, or one that comes into a cluster that it is in."""
        mine = self.described[local].clusters if local in self.described else frozenset()
        shared = about.chltype != "CLUSSDR" and not mine.isdisjoint(about.clusters)
        return about.queue_manager == local or shared

    def is_open(self, clusters: frozenset[str]) -> bool:
        """Whether there may be more queues and queue managers in a cluster than the files tell."""
        unsure = clusters - self.closed
        return any(self.lacks_members(name) or len(self.members.get(name, ())) < 2 for name in unsure)

    def lacks_members(self, cluster: str) -> bool:
        """Whether something tells that there are more members than the files describe."""
        return cluster in self.many or cluster in self.unanswered

    def looks(self, name: str, cluster: str) -> Mapping[str, Appearance]:
        """How the hosts of a queue in a cluster look to whoever chooses, each with the routes to it."""
        key = (name, cluster)
        if key not in self._looks:
            self._looks[key] = {
                host: (_look(queue), *map(_look, self.receivers.get((host, cluster), {}).values()))
                for host, queue in self.queues.get(key, {}).items()
            }
        return self._looks[key]

    def trial(self, about: ConfiguredObject, cluster: str) -> Cluster:
        """What somebody else in ``cluster`` sees of a clustered queue: only the channel to this host is not stopped."""
        hosts = self.queues.get((about.name, cluster), {})
        channels = [
            evolve(each, status="RUNNING" if host == about.queue_manager else "STOPPED", deftype="CLUSSDRA")
            for host in hosts
            for each in self.receivers.get((host, cluster), {}).values()
        ]
        remotes = [RemoteQueueManager(host, (cluster,)) for host in hosts]
        queues = [evolve(each, clusters=(cluster,)) for each in hosts.values()]
        return Cluster(QueueManager(OBSERVER, (cluster,)), remotes, queues, (), channels)

    def around(self, about: ConfiguredObject) -> Cluster:
        """What an alias or a remote definition can lead to, as its queue manager knows it."""
        of = self.described[about.queue_manager]
        own, clusters = of.queue_manager, tuple(sorted(of.clusters))
        queue, *others = about.beside
        names = sorted({queue.target, queue.rname} - {""})
        remote = [each for name in names for each in self.instances(name, clusters).values()]
        remote = [each for each in remote if each.queue_manager != own.name]
        known = {each.queue_manager for each in remote}
        if queue.rqmname and (self.is_open(of.clusters) or self.knows(queue.rqmname, of.clusters)):
            known.add(queue.rqmname)
        if self.is_open(of.clusters):
            known.add(OBSERVER)
            remote += [Queue(name, OBSERVER, clusters=clusters) for name in names]
        remotes = [RemoteQueueManager(name, clusters) for name in sorted(known - {own.name})]
        return Cluster(evolve(own, clusters=clusters), remotes, (queue, *others, *remote))

    def knows(self, queue_manager: str, clusters: frozenset[str]) -> bool:
        """Whether a queue manager, or an alias of one, is known in a cluster."""
        of_aliases = any((queue_manager, name) in self.queues for name in clusters)
        return of_aliases or any((queue_manager, name) in self.receivers for name in clusters)


def _displayed(row: MqObject) -> Queue:
    kind = row.text("CLUSQT") or "QLOCAL"
    kind = "QREMOTE" if kind == "QMGR" else kind
    return Queue(row.name, row.text("CLUSQMGR"), kind, clusters=(row.text("CLUSTER"),), **row.fields_of_queue())


def _receiver(found: MqObject, owner: str, cluster: str) -> Channel:
    return Channel(found.name, owner, cluster, "CLUSRCVR", **found.fields)


def _route(row: MqObject) -> Channel:
    fields: Mapping[str, Any] = {name: row.fields[name] for name in ("clwlrank", "clwlprty", "clwlwght", "netprty")
                                 if name in row.fields}  # fmt: skip
    return Channel(row.text("CHANNEL"), row.name, row.text("CLUSTER"), **fields)


def _look(fact: Queue | Channel) -> tuple[Any, ...]:
    """How an instance, or a route, looks to whoever chooses."""
    names = ("put", "clwlrank", "clwlprty") if isinstance(fact, Queue) else (*WORKLOAD_ATTRIBUTES, "netprty")
    return tuple(getattr(fact, name) for name in names)
