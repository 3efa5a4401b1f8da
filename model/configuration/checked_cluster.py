"""What the check rules see of several queue managers together."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, wraps
from operator import attrgetter
from typing import Any, TypeVar, TypeVarTuple

from attrs import define, evolve, field, frozen

from mqclause.model.configuration.attributes import FACT_ATTRIBUTES
from mqclause.model.configuration.checked_member import MANUAL_DEFTYPES, Contribution, OnDisplay
from mqclause.model.configuration.checked_objects import (
    OFF,
    QUEUE_ATTRIBUTES,
    TEMPORARY_NAME_PREFIX,
    ConfiguredObject,
)
from mqclause.model.configuration.cluster_records import RECORDED_ATTRIBUTES
from mqclause.model.configuration.completeness import INSERT, has_matching_receiver
from mqclause.model.configuration.knowledge import CommandLevel
from mqclause.model.configuration.objects import CONFIGURED_QUEUES
from mqclause.model.diagnostics import Diagnostic, find_closest
from mqclause.model.facts.cluster import SUGGESTIONS, Cluster
from mqclause.model.facts.objects import (
    Channel,
    ChannelState,
    ModelQueue,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.model.facts.workload import get_appearance

AnswerT = TypeVar("AnswerT")
GivenT = TypeVarTuple("GivenT")

Appearance = tuple[tuple[Any, ...], ...]
"""What the workload rules see of an instance, and of each route to it."""

_ATTRIBUTES_OF = attrgetter(*QUEUE_ATTRIBUTES)

_LACKED = {
    kind: frozenset(name for name, _ in FACT_ATTRIBUTES["QLOCAL"].values())
    - {name for name, _ in FACT_ATTRIBUTES[kind].values()}
    for kind in CONFIGURED_QUEUES
}
"""The attributes of a local queue that a queue of another type has not, like CLWLUSEQ."""

_VALUES_OF = attrgetter(*(name for name in QUEUE_ATTRIBUTES if name not in ("descr", "target", "base_queue", "rname")))
"""All of a queue but texts that are its own, and what it leads to."""

MOST_LEVELS, MOST_NAMES = 4, 3
"""So many command levels are listed, and queue managers of each."""

OBSERVER = "anybody else"
"""A member that hosts nothing: what it cannot reach nobody else can. Nobody can be called so, nor as below."""

NAMELESS = "this queue manager"
"""How a queue manager is named, whose name no file tells, while names are resolved."""

ANY_QUEUE = "any queue"
"""The queue that is named where it is asked what an alias of a queue manager leads to: it is there wherever that is."""


@frozen(eq=False)
class QueueHosts:
    """The hosts of a queue, or of an alias of a queue manager, in all clusters in which it is known.

    ``queues`` are the definitions by host, each with its clusters, and ``routes`` those to hosts there.
    """

    name: str
    is_alias: bool
    queues: Mapping[str, Queue]
    routes: Mapping[str, Sequence[Channel]]

    @cached_property
    def clusters(self) -> frozenset[str]:
        """The clusters in which a host has it."""
        return frozenset(name for each in self.queues.values() for name in each.clusters)

    @cached_property
    def appearances(self) -> Mapping[str, Appearance]:
        """How each host looks to the workload rules, with its clusters and the routes to it."""
        return {
            host: (
                (queue.clusters, bool(queue.rname)),
                get_appearance(queue),
                *((each.cluster, *get_appearance(each)) for each in self.routes.get(host, ())),
            )
            for host, queue in self.queues.items()
        }


@frozen(eq=False)
class AlikeMembers:
    """Members that see the hosts of a queue alike, but for their names; hosts of it look alike, too, if ``are_hosts``.

    The files tell CLWLUSEQ of those that are ``described``. ``seat`` is what tells them from others.
    """

    names: tuple[str, ...]
    clusters: frozenset[str]
    seat: tuple[Any, ...]
    are_hosts: bool = False
    described: bool = False


def _remembered(
    answer: Callable[[ClusterCheckContext, *GivenT], AnswerT],
) -> Callable[[ClusterCheckContext, *GivenT], AnswerT]:
    """Have a method give again what it answered before, where it is asked the same."""

    @wraps(answer)
    def remember(context: ClusterCheckContext, *given: *GivenT) -> AnswerT:
        key = answer.__name__, *given
        if key not in context.answers:
            context.answers[key] = answer(context, *given)
        kept: AnswerT = context.answers[key]
        return kept

    return remember


@define(eq=False)
class ClusterCheckContext:
    """What all queue managers tell together. A queue manager's own file counts before the displays of others.

    What is found later, by the rules: ``fell_by``, why a host of a queue in a cluster that looks so is not chosen;
    ``reached``, the hosts that are, beside others of some looks, whatever the queue is called;
    ``led_by``, the transmission queue by which an alias or a remote definition of a kind leads somewhere;
    ``parted``, in which choices of hosts editions part, and ``parted_alike`` by all that such hosts look like,
    with ``numbered_looks``.
    """

    described: dict[str, Contribution]
    queues: dict[tuple[str, str], dict[str, Queue]] = field(factory=dict)
    receivers: dict[tuple[str, str], dict[str, Channel]] = field(factory=dict)
    by_channel: dict[str, Channel] = field(factory=dict)
    repositories: dict[str, set[str]] = field(factory=dict)
    partials: set[tuple[str, str]] = field(factory=set)
    connames: dict[str, str] = field(factory=dict)
    members: dict[str, set[str]] = field(factory=dict)
    unanswered: dict[str, set[str]] = field(factory=dict)
    closed: set[str] = field(factory=set)
    many: set[str] = field(factory=set)
    fell_by: dict[tuple[str, tuple[str, ...], tuple[int, ...], Appearance], str] = field(factory=dict)
    reached: set[tuple[object, ...]] = field(factory=set)
    led_by: dict[object, str] = field(factory=dict)
    parted: dict[tuple[str, bool], Any] = field(factory=dict)
    parted_alike: dict[object, Any] = field(factory=dict)
    numbered_looks: dict[Appearance, int] = field(factory=dict)
    displayed: dict[OnDisplay, frozenset[str]] = field(factory=dict)
    told_levels: dict[str, CommandLevel] = field(factory=dict)
    levels: Mapping[str, int] = field(factory=dict)
    answers: dict[tuple[object, ...], Any] = field(factory=dict)
    _around: dict[tuple[str, bool], Cluster] = field(factory=dict)
    _near: dict[tuple[str, str, frozenset[str]], str] = field(factory=dict)

    @classmethod
    def of(
        cls, contributions: Sequence[Contribution], levels: Mapping[str, int] | None = None, level: int = 0
    ) -> ClusterCheckContext:
        """Merge the contributions of queue managers, whatever their order.

        ``levels`` are command levels that count before those that files tell; ``level``, unless it is 0, is that of
        each queue manager.
        """
        found = cls({each.name: each for each in contributions})
        ordered = sorted(contributions, key=lambda each: each.name)
        for own in (True, False):
            for each in ordered:
                found.add_contribution(each, own)
        for each in ordered:
            for cluster, sender, _ in each.senders:
                if not has_matching_receiver(sender, found.by_channel):
                    found.unanswered.setdefault(cluster, set()).add(sender)
        found.levels = {name: each.level for name, each in found.told_levels.items() if each.level} | dict(levels or {})
        if level:
            known = {*found.described, *(host for host, _ in found.receivers)}
            found.levels = dict.fromkeys(known, level)
        return found

    def add_contribution(self, each: Contribution, own: bool) -> None:
        """Add what a queue manager says of itself (``own``), or what it displays of others."""
        for name, level in each.levels.items():
            if (name == each.name) == own:
                before = self.told_levels.get(name)
                known = () if before is None else before.statements
                self.told_levels[name] = evolve(level, queue_manager=name, statements=(*known, *level.statements))
        for queue in each.queues:
            if self._counts(queue.queue_manager, each.name, own):
                for cluster in queue.clusters:
                    self.queues.setdefault((queue.name, cluster), {}).setdefault(queue.queue_manager, queue)
        for shown, told in each.displayed.items():
            if self._counts(shown[2], each.name, own):
                self.displayed[shown] = self.displayed.get(shown, told) & told
        for channel in each.receivers:
            if self._counts(channel.queue_manager, each.name, own):
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
            if each.is_named and each.tells_repositories and not each.knows_all:
                self.partials |= {(name, each.name) for name in each.clusters - each.repositories}
        else:
            for cluster, name in each.others:
                self.repositories.setdefault(cluster, set()).add(name)
            self.partials |= {found for found in each.partials if not self._tells_of_itself(found[1])}
        for name, conname in each.connames.items():
            of = self.by_channel.get(name)
            if (of is not None and of.queue_manager == each.name) == own:
                self.connames.setdefault(name, conname)

    def _counts(self, owner: str, teller: str, own: bool) -> bool:
        """Whether it is looked at now what a queue manager tells of an object of the owner.

        A display counts where the owner's own files do not tell of it: none was given, or a facts document, which
        tells of the members' routes at the queue manager that it is about.
        """
        if own:
            return owner == teller
        return owner != teller and (owner not in self.described or self.described[owner].knows_all)

    def _tells_of_itself(self, name: str) -> bool:
        """Whether files of a queue manager tell of what it is a full repository."""
        return name in self.described and self.described[name].tells_repositories

    def list_instances(self, name: str, clusters: Sequence[str]) -> dict[str, Queue]:
        """List the instances of a queue in some clusters, by host."""
        found: dict[str, Queue] = {}
        for cluster in clusters:
            for host, queue in self.queues.get((name, cluster), {}).items():
                found.setdefault(host, queue)
        return found

    def list_views(self, about: ConfiguredObject) -> Iterator[ConfiguredObject]:
        """List the object once for each of its clusters, with what other queue managers make of it."""
        if about.is_membership:
            yield from (self.describe_member(about, name) for name in about.clusters)
        elif about.is_route:
            yield from self.describe_route(about)
        elif about.chltype == "CLUSSDR":
            differing, seen = [*self.find_differing_states(about)], self.describe_sender(about)
            yield from (seen.replace(receiver_differs=name.upper()) for name in differing or [""])
        elif about.shown_at and about.queue_manager in self.described:
            return  # by its own files
        elif about.object_type in ("CHANNEL", "QMGR") or not about.clustered:
            yield about
        else:
            others = not self.list_clusters(about.name).issubset(about.clusters)
            for name in about.clusters:
                now = self.queues.get((about.name, name), {}).get(about.queue_manager)
                # A change may have another than the row that was displayed.
                put = about.put if now is None or not about.shown_at else now.put
                used = "QMGR" if now is None or about.shown_at else now.clwluseq
                hosts = self.describe_hosts(about.name, name)
                if now is not None:
                    hosts = hosts | {"clwlrank": now.clwlrank}
                yield about.replace(clusters=(name,), cluster=name, put=put, clwluseq=used, in_others=others, **hosts)

    @_remembered
    def describe_hosts(self, name: str, cluster: str) -> dict[str, Any]:
        """Describe the hosts of a queue in a cluster."""
        hosts = [*self.queues.get((name, cluster), {}).values()]
        return {
            "hosts": len(hosts),
            "enabled_hosts": sum(each.put == "ENABLED" for each in hosts),
            "hosts_differ_in": tuple(name.upper() for name in self.find_differing_attributes(hosts)),
            **self.describe_knowledge((cluster,)),
        }

    def list_clusters(self, name: str) -> frozenset[str]:
        """List the clusters in which a queue has a host."""
        return frozenset(self._clusters_of.get(name, ()))

    @cached_property
    def _clusters_of(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for queue, cluster in self.queues:
            found.setdefault(queue, []).append(cluster)
        return found

    @_remembered
    def rank_differently(self, name: str) -> bool:
        """Return whether hosts of a queue, or channels to them, have several ranks: else no rank decides."""
        ranks, of_channels = set[int](), set[int]()
        for cluster in self.list_clusters(name):
            hosts = self.queues[name, cluster]
            ranks.update(each.clwlrank for each in hosts.values())
            of_channels.update(*(self._channel_ranks.get((each, cluster), ()) for each in (*hosts, name)))
        return len(ranks) > 1 or len(of_channels) > 1

    @cached_property
    def _channel_ranks(self) -> Mapping[tuple[str, str], frozenset[int]]:
        """The ranks of the channels to each host in a cluster."""
        return {key: frozenset(each.clwlrank for each in of.values()) for key, of in self.receivers.items()}

    def collect_hosts(self, name: str, is_alias: bool) -> QueueHosts:
        """Collect the hosts of a queue, or of an alias of a queue manager, in all clusters."""
        definitions, joined = dict[str, Queue](), dict[str, list[str]]()
        for cluster in sorted(self.list_clusters(name)):
            for host, queue in self.queues[name, cluster].items():
                if is_manager_alias(queue) == is_alias:
                    definitions.setdefault(host, queue)
                    joined.setdefault(host, []).append(cluster)
        queues = {
            host: each if each.clusters == (known := tuple(joined[host])) else evolve(each, clusters=known)
            for host, each in definitions.items()
        }
        hosts = QueueHosts(name, is_alias, queues, {})
        led_to = {host: each.clusters for host, each in queues.items()}
        if is_alias:  # a queue manager of that name competes with its aliases
            led_to.setdefault(name, tuple(sorted(hosts.clusters)))
        routes = {
            host: [channel for each in clusters for channel in self.list_routes_in_state(host, each, "RUNNING")]
            for host, clusters in led_to.items()
        }
        return evolve(hosts, routes={host: found for host, found in routes.items() if found})

    @_remembered
    def list_routes_in_state(self, host: str, cluster: str, status: ChannelState) -> Sequence[Channel]:
        """List the routes to a host in a cluster as another member sees them, in a state that is given."""
        found = self.receivers.get((host, cluster), {}).values()
        return [evolve(each, status=status, deftype="CLUSSDRA") for each in found]

    def list_followers(self, hosts: QueueHosts) -> frozenset[str]:
        """List the members that follow a definition of their own, of a host or in no cluster, and do not choose."""
        if hosts.is_alias:
            return frozenset()  # an alias that is named alone competes at its own host, too
        apart = (name for name, each in self.described.items() if hosts.name in each.names and name not in hosts.queues)
        return frozenset((*apart, *(name for name, each in hosts.queues.items() if each.type != "QLOCAL")))

    def list_alike_members(self, hosts: QueueHosts, looks: Mapping[str, int], by_name: bool) -> list[AlikeMembers]:
        """List the members that choose among hosts, together where they see them alike; ``by_name`` each is alone.

        ``looks`` tell how hosts look to the rules. Who follows a definition of his own does not choose.
        """
        found, apart = dict[tuple[Any, ...], list[str]](), self.list_followers(hosts)
        for seat, (clusters, names) in enumerate(self.seats):
            if shared := clusters & hosts.clusters:
                for name in names:
                    if name not in apart:
                        look = looks.get(name, OFF)
                        key = look, seat, look != OFF and self.tells_use_of(name), name if by_name else "", shared
                        found.setdefault(key, []).append(name)
        return [
            AlikeMembers(tuple(names), key[-1], key[:-1], key[0] != OFF, key[2])
            for key, names in sorted(found.items(), key=lambda each: each[0][:-1])
        ]

    def find_definition(self, about: ConfiguredObject) -> Queue | None:
        """Find the definition of a queue that is known in a cluster."""
        known = (self.queues.get((about.name, each), {}).get(about.queue_manager) for each in about.clusters)
        return next(filter(None, known), None)

    @cached_property
    def seats(self) -> Sequence[tuple[frozenset[str], list[str]]]:
        """The members, with their clusters; together those of which a choice sees the same, but their names."""
        found = dict[QueueManager, tuple[frozenset[str], list[str]]]()
        joined = dict[str, set[str]]()
        for name, cluster in self.receivers:
            joined.setdefault(name, set()).add(cluster)
        for name, each in self.described.items():
            if each.knows_all or name not in joined:
                joined.setdefault(name, set()).update(each.clusters)
        for name in sorted(joined):
            clusters = frozenset(joined[name])
            key = evolve(self.build_local_queue_manager(name, clusters), name=OBSERVER)
            found.setdefault(key, (clusters, []))[1].append(name)
        return [*found.values()]

    @cached_property
    def _seat_of(self) -> Mapping[str, int]:
        return {name: at for at, (_, names) in enumerate(self.seats) for name in names}

    def get_seat(self, name: str) -> tuple[int, bool]:
        """Return the place of a queue manager among the seats, and whether files tell CLWLUSEQ of it."""
        return self._seat_of.get(name, OFF), self.tells_use_of(name)

    def tells_use_of(self, name: str) -> bool:
        """Return whether files tell CLWLUSEQ of a queue manager: not a facts document that is about another one."""
        of = self.described.get(name)
        return of is not None and not (of.knows_all and not of.clusters)

    def build_local_queue_manager(self, name: str, clusters: Collection[str]) -> QueueManager:
        """Build a member as the queue manager where a call is made."""
        of = self.described.get(name)
        own = QueueManager(name) if of is None else of.queue_manager
        level = self.levels.get(name, 0)
        return evolve(own, clusters=tuple(sorted(clusters)), command_level=level, suspended=(), deadq="", defxmitq="")

    def build_member_cluster(self, hosts: QueueHosts, own: QueueManager) -> Cluster:
        """Build what a member knows of the hosts of a queue: they are reached by any route, whatever its state."""
        joined = frozenset(own.clusters)
        seen = {host: each for host, each in hosts.queues.items() if not joined.isdisjoint(each.clusters)}
        remotes = [RemoteQueueManager(each, own.clusters) for each in {**seen, **hosts.routes} if each != own.name]
        channels = [
            each if host != own.name else evolve(each, deftype="CLUSRCVR")
            for host, of in hosts.routes.items()
            for each in of
            if each.cluster in joined
        ]
        if not hosts.is_alias:
            return Cluster(own, remotes, seen.values(), (), channels)
        aliases = [
            QueueManagerAlias(each.name, host, each.clusters, each.put, each.clwlrank, each.clwlprty)
            for host, each in seen.items()
        ]
        return Cluster(own, remotes, (), aliases, channels)

    @_remembered
    def describe_levels(self, clusters: frozenset[str]) -> str:
        """Describe the command levels of the members of clusters, as far as the files tell."""
        by_level: dict[int, list[str]] = {}
        for name in sorted(set().union(*map(self._members_of, clusters))):
            by_level.setdefault(self.levels.get(name, 0), []).append(name)
        told = sorted(by_level.keys() - {0})[:MOST_LEVELS]
        return "; ".join(f"{each}: {render_names(by_level[each])}" for each in told)

    @_remembered
    def list_levels(self, cluster: str) -> tuple[int, ...]:
        """List the command levels of the members of a cluster, with 0 for one that is not known."""
        return tuple(sorted({self.levels.get(name, 0) for name in self._members_of(cluster)}))

    @_remembered
    def list_asking(self, name: str, cluster: str) -> Mapping[tuple[str, ...], tuple[int, ...]]:
        """List those members of a cluster that do not host a queue, by the clusters of the queue that they are in.

        Of members of the same ones their command levels are told, with 0 for one that is not known.
        """
        of_queue = self.list_clusters(name)
        hosts = {host for each in of_queue for host in self.queues[name, each] if self._is_member(host, cluster)}
        levels = dict[tuple[str, ...], tuple[int, ...]]()
        for joined, level in sorted(self._count_joined(cluster, of_queue) - self._count(hosts, of_queue)):
            levels[joined] = (*levels.get(joined, ()), level)
        return levels

    @_remembered
    def _count_joined(self, cluster: str, clusters: frozenset[str]) -> Counter[tuple[tuple[str, ...], int]]:
        return self._count(self._members_of(cluster), clusters)

    def _count(self, members: Iterable[str], clusters: frozenset[str]) -> Counter[tuple[tuple[str, ...], int]]:
        """How many members are in the same ones of these clusters and of the same level."""
        return Counter((self._list_joined(each, clusters), self.levels.get(each, 0)) for each in members)

    def _list_joined(self, name: str, clusters: frozenset[str]) -> tuple[str, ...]:
        """The clusters, of these, that a queue manager is known in."""
        return tuple(sorted(each for each in clusters if self._is_member(name, each)))

    def _is_member(self, name: str, cluster: str) -> bool:
        return (name, cluster) in self.receivers or name in self.members.get(cluster, ())

    def _members_of(self, cluster: str) -> set[str]:
        """The queue managers that are known in a cluster."""
        return {host for host, of in self.receivers if of == cluster} | self.members.get(cluster, set())

    def describe_knowledge(self, clusters: Iterable[str]) -> dict[str, Any]:
        """Describe what the files tell of the members of some clusters: of the one that they tell least of."""
        unsure = [name for name in clusters if name not in self.closed]
        return {
            "is_told_whole": not unsure,
            "members": min((len(self.members.get(name, ())) for name in unsure), default=0),
            "more_members": any(name in self.many or name in self.unanswered for name in unsure),
        }

    def find_differing_attributes(self, hosts: Sequence[Queue]) -> Iterator[str]:
        """Find the attributes in which hosts of a queue are known to differ."""
        told = [self.displayed.get(("QUEUE", each.name, each.queue_manager)) for each in hosts]
        for name, values in zip(QUEUE_ATTRIBUTES, zip(*map(_ATTRIBUTES_OF, hosts), strict=True), strict=bool(hosts)):
            if len(set(values)) > 1:
                known = {
                    value
                    for value, of, host in zip(values, told, hosts, strict=True)
                    if (of is None or name in of) and name not in _LACKED[host.type]
                }
                yield from [name] if len(known) > 1 else []

    def describe_member(self, about: ConfiguredObject, cluster: str) -> ConfiguredObject:
        """Describe a queue manager as a member of one of its clusters."""
        full, name = self.repositories.get(cluster, set()), about.queue_manager
        own = self.described[name]
        elsewhere = own.clusters - {cluster}
        manual = {(sender, to) for of, sender, to in own.manual if of == cluster}
        return about.replace(
            repository=name in full,
            own_repository_told=name in full or (cluster, name) in self.partials,
            repository_elsewhere=bool(own.repositories - {cluster}),
            other_clusters=len(elsewhere),
            fewest_repositories_elsewhere=min((len(self.repositories.get(each, ())) for each in elsewhere), default=0),
            manual_senders=len({sender for sender, _ in manual}),
            senders_told=own.tells_senders,
            reaches_repository=any(not self.is_known_non_repository(cluster, *each) for each in manual),
            unjoined_repositories=", ".join(
                sorted(each for each in full - {name} if not self.has_sender_to(each, cluster, manual))
            ),
            **self.count_members(name, cluster),
            **self.describe_cluster(cluster),
        )

    def describe_cluster(self, cluster: str) -> dict[str, Any]:
        """Describe a cluster, as far as the files tell of its members."""
        told = all(self.described[each].tells_repositories for each in self.members.get(cluster, ()))
        full = self.repositories.get(cluster, ())
        return {
            "cluster": cluster,
            "repositories": len(full),
            "repositories_told": told,
            **self.describe_knowledge((cluster,)),
        }

    def is_known_non_repository(self, cluster: str, sender: str, to: str) -> bool:
        """Return whether a defined sender is known to lead to no full repository, or not to have reached its own."""
        target = to or getattr(self.by_channel.get(sender), "queue_manager", "")
        return (cluster, target) in self.partials or target.startswith(TEMPORARY_NAME_PREFIX)

    def has_sender_to(self, queue_manager: str, cluster: str, manual: Iterable[tuple[str, str]]) -> bool:
        """Return whether a defined sender leads to a queue manager, by its receivers.

        It counts as leading there where no file shows the receivers.
        """
        receivers = self.receivers.get((queue_manager, cluster), {})
        return not receivers or any(
            to == queue_manager
            or sender in receivers
            or (INSERT.search(sender) and has_matching_receiver(sender, self.by_channel))
            for sender, to in manual
        )

    def describe_route(self, about: ConfiguredObject) -> Iterator[ConfiguredObject]:
        """Describe a route in its cluster, and where it leads; gives nothing for a channel that is no route.

        One that a display shows as a channel of a cluster is one, whatever cluster that is.
        """
        to = self.by_channel.get(about.name)
        clusters = about.clusters or ((to.cluster,) if to is not None else ())
        leads_to = about.leads_to or (to.queue_manager if to is not None else "")
        if clusters and not self.described[about.queue_manager].clusters.isdisjoint(clusters):
            is_manual = about.deftype in MANUAL_DEFTYPES
            partial = is_manual and (clusters[0], leads_to) in self.partials
            more = self.describe_cluster(clusters[0])
            yield about.replace(clusters=clusters, leads_to=leads_to, leads_to_partial=partial, **more)
        elif about.is_shown and not about.clusters:
            yield about.replace(leads_to=leads_to)

    def describe_sender(self, about: ConfiguredObject) -> ConfiguredObject:
        """Describe a defined sender: where it leads, and how the receiver of its name is reached."""
        to = self.by_channel.get(about.name)
        if to is None:
            return about
        partial = next((each for each in about.clusters if (each, to.queue_manager) in self.partials), "")
        more = self.describe_cluster(partial or next(iter(about.clusters), ""))
        conname = self.connames.get(about.name, "")
        there, here = _parse_addresses(conname), _parse_addresses(about.conname)
        apart = bool(conname and about.conname) and there.isdisjoint(here)
        is_told = not INSERT.search(conname + about.conname)
        return about.replace(leads_to=to.queue_manager, leads_to_partial=bool(partial), receiver_conname=conname,
                      connects_elsewhere=apart and is_told, **more)  # fmt: skip

    def find_differing_states(self, about: ConfiguredObject) -> Iterator[str]:
        """Find the attributes that a sender states otherwise than the receiver of its name."""
        receiver = self.by_channel.get(about.name)
        told = None if receiver is None else self.displayed.get(("CHANNEL", receiver.name, receiver.queue_manager))
        for name, value in about.states.items():
            if receiver is not None and (told is None or name in told) and getattr(receiver, name) != value:
                yield name

    def count_members(self, queue_manager: str, cluster: str) -> dict[str, Any]:
        """Count the members of a cluster by kind, so that one of several like ones can be chosen to report."""
        kinds = self._by_kind.get(cluster, ([], []))
        alike = kinds[queue_manager in self.repositories.get(cluster, ())]
        return {
            "partial_members": len(kinds[0]),
            "like_members_before": bisect_left(alike, queue_manager),
            "cluster_is_named": not INSERT.search(cluster),
        }

    @cached_property
    def _by_kind(self) -> Mapping[str, tuple[list[str], list[str]]]:
        """The described members of each cluster, first those that are no full repositories."""
        found: dict[str, tuple[list[str], list[str]]] = {}
        for host, name in sorted(self.receivers):
            if host in self.described:
                found.setdefault(name, ([], []))[host in self.repositories.get(name, ())].append(host)
        return found

    def find_odd_levels(self) -> Iterator[Diagnostic]:
        """Find command levels that files tell twice and otherwise, or that are none."""
        for _, each in sorted(self.told_levels.items()):
            yield from each.find_remarks()

    def find_undescribed_members(self, local: str | None) -> Iterator[Diagnostic]:
        """Find CLUSSDRs that lead to a member that no file describes; with ``local`` those of that queue manager."""
        told = set[tuple[str, str]]()
        for owner, each in sorted(self.described.items()):
            for cluster, sender, (file, line) in each.senders if local in (None, owner) else ():
                if sender in self.unanswered.get(cluster, ()) and (cluster, sender) not in told:
                    told.add((cluster, sender))
                    leads = f"CHANNEL({sender}): leads to a member of {cluster} that no file describes"
                    lacks = "which queues it hosts and whether it is a full repository is not judged"
                    asked = f"DISPLAY CLUSQMGR(*) CHANNEL at {owner} names it, dmpmqcfg -a there tells the rest"
                    yield Diagnostic(file, f"{leads}: {lacks}; {asked}", line)

    def find_outdated_records(self) -> Iterator[ConfiguredObject]:
        """Find each queue of which a queue manager knows an attribute otherwise than its owner has it."""
        for record in (record for _, each in sorted(self.described.items()) for record in each.records):
            owner = self.described.get(record.owner)
            own = self.queues.get((record.name, record.cluster), {}).get(record.owner)
            if owner is not None and own is not None:
                told = self.displayed.get(("QUEUE", record.name, record.owner), frozenset(RECORDED_ATTRIBUTES))
                for name in RECORDED_ATTRIBUTES:
                    is_told = name in record.values and name in told and (record.name, name) not in owner.altered
                    if is_told and record.values[name] != getattr(own, name):
                        yield ConfiguredObject(
                            own.type, record.name, record.owner, owner=record.owner if owner.is_named else "",
                            clusters=(record.cluster,), places={"": record.place}, record_differs=name.upper(),
                            recorded=str(record.values[name]), defined=str(getattr(own, name)), recorded_at=record.at,
                        )  # fmt: skip

    def build_local_view(self, about: ConfiguredObject, local: str | None) -> ConfiguredObject:
        """Add whether the object is one of ``local``, and whether they share a cluster."""
        if local is None:
            return about
        mine = self.described[local].clusters if local in self.described else frozenset()
        shared = not mine.isdisjoint(about.clusters)
        return about.replace(is_own=about.queue_manager == local, in_shared_cluster=shared)

    @_remembered
    def describe_appearances(self, name: str, clusters: tuple[str, ...]) -> Mapping[str, Appearance]:
        """Describe how the hosts of a queue in clusters look to the workload rules, each with the routes to it."""
        found = dict[str, Appearance]()
        for host, queue in self.list_instances(name, clusters).items():
            known = (each for each in clusters if host in self.queues.get((name, each), ()))
            routes = (route for each in known for route in self.receivers.get((host, each), {}).values())
            found[host] = (get_appearance(queue), *map(get_appearance, routes))
        return found

    def build_trial_cluster(self, about: ConfiguredObject, clusters: tuple[str, ...], level: int) -> Cluster:
        """Build ``clusters`` as another member of them sees them, where only channels to this host are not stopped.

        ``level`` is his command level.
        """
        channels, remotes, queues = list[Channel](), list[RemoteQueueManager](), list[Queue]()
        for host, queue in self.list_instances(about.name, clusters).items():
            known = tuple(each for each in clusters if host in self.queues.get((about.name, each), ()))
            status: ChannelState = "RUNNING" if host == about.queue_manager else "STOPPED"
            channels += [route for each in known for route in self.list_routes_in_state(host, each, status)]
            remotes.append(RemoteQueueManager(host, known))
            queues.append(queue if queue.clusters == known else evolve(queue, clusters=known))
        return Cluster(QueueManager(OBSERVER, clusters, command_level=level), remotes, queues, (), channels)

    def build_surrounding_cluster(self, about: ConfiguredObject, more: bool) -> Cluster:
        """Build the cluster that an alias or a remote definition can lead to, as its queue manager knows it.

        With ``more`` a member that no file describes has every queue, and is every queue manager, that is named.
        """
        key = about.queue_manager, more
        if key not in self._around:
            self._around[key] = self._build_surrounding_cluster(about, more)
        return self._around[key]

    def get_equivalence_key(self, about: ConfiguredObject, queue: Queue) -> tuple[object, ...] | None:
        """Return all that rules of names see of an alias, or a remote definition, and its target, but two names.

        These are its own and that of the queue that it leads to, where nothing else has them; None if something has.
        """
        cluster, target = self.build_surrounding_cluster(about, False), queue.base_queue or queue.rname
        ways = (queue.rqmname, queue.xmitq, cluster.queue_manager.defxmitq)
        led_to = cluster.own_queues.get(target)
        for name in (queue.name, target):
            has_it = name in cluster.remote or name in cluster.aliases_by_name or name in cluster.models
            if has_it or name in ways or len(cluster.queues_by_name.get(name, ())) != (name in cluster.own_queues):
                return None
        if not target or target == queue.name or (led_to is not None and (led_to.base_queue or led_to.rname)):
            return None
        of_target = led_to and (led_to.type, *_VALUES_OF(led_to))
        return about.queue_manager, queue.type, ways, _VALUES_OF(queue), of_target

    def _build_surrounding_cluster(self, about: ConfiguredObject, more: bool) -> Cluster:
        of = self.described[about.queue_manager]
        own = of.queue_manager if of.is_named else evolve(of.queue_manager, name=NAMELESS)
        clusters = tuple(sorted(of.clusters))
        beside = [
            each if each.queue_manager == own.name else evolve(each, queue_manager=own.name)
            for each in about.linked_queues
        ]
        names = sorted({name for each in about.linked_queues for name in (each.base_queue, each.rname)} - {""})
        remote = [each for name in names for each in self.list_instances(name, clusters).values()]
        remote = [each for each in remote if each.queue_manager != own.name]
        known = {each.queue_manager for each in remote}
        named = {each.rqmname for each in about.linked_queues} - {""}
        known |= {name for name in named if more or self.is_known_in(name, of.clusters)}
        if more:
            known.add(OBSERVER)
            remote += [Queue(name, OBSERVER, clusters=clusters) for name in names]
        remotes = [RemoteQueueManager(name, clusters) for name in sorted(known - {own.name})]
        queues = (*beside, Queue(ANY_QUEUE, own.name), *remote)
        return Cluster(evolve(own, clusters=clusters), remotes, queues, model_queues=map(ModelQueue, about.models))

    def is_hosted_elsewhere(self, queue: str, queue_manager: str) -> bool:
        """Return whether others have a queue in a cluster that a queue manager is in."""
        hosts = self.list_instances(queue, sorted(self.described[queue_manager].clusters))
        return bool(hosts.keys() - {queue_manager})

    def find_similar_queue(self, name: str, about: ConfiguredObject, led: frozenset[str]) -> str:
        """Find a queue of its queue manager, or in the clusters of that, with nearly this name; blank if none is.

        None of those that ``led`` to the name.
        """
        key = (name, about.queue_manager, led)
        if key not in self._near and len(self._near) >= SUGGESTIONS:
            return ""  # each search goes through all of the names
        clusters = self.described[about.queue_manager].clusters
        known = about.names.union(queue for queue, cluster in self.queues if cluster in clusters)
        return self._near.setdefault(key, find_closest(name, sorted(known - led - {about.name, name})))

    def describe_surrounding_knowledge(self, about: ConfiguredObject) -> dict[str, Any]:
        """Describe what the files tell of the members of all clusters of an object's queue manager."""
        return self.describe_knowledge(self.described[about.queue_manager].clusters)

    def is_known_in(self, queue_manager: str, clusters: frozenset[str]) -> bool:
        """Return whether a queue manager, or an alias of one, is known in a cluster."""
        of_aliases = any((queue_manager, name) in self.queues for name in clusters)
        return of_aliases or any((queue_manager, name) in self.receivers for name in clusters)


def is_manager_alias(queue: Queue | None) -> bool:
    """Return whether there is a definition, and it is an alias of a queue manager."""
    return queue is not None and queue.type == "QREMOTE" and not queue.rname


def render_names(names: Sequence[str]) -> str:
    """Render the first few of some queue managers, and how many more there are."""
    more = len(names) - MOST_NAMES
    return ", ".join([*names[:MOST_NAMES], *([f"{more} more"] if more > 0 else [])])


def _parse_addresses(conname: str) -> frozenset[tuple[str, str]]:
    """Parse CONNAME to the hosts that it lists, each with its port: 1414 where none is stated."""
    found = (part.strip(" ").rstrip(")").partition("(") for part in conname.split(",") if part.strip(" "))
    return frozenset((host.strip(" ").lower(), port.strip(" ") or "1414") for host, _, port in found)
