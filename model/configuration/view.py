"""Build the cluster as one queue manager sees it; report what was read of each file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Self, cast

from attrs import define, field, frozen

from mqclause.model.configuration.cluster_records import (
    apply_published_attributes,
    find_outdated_records,
    find_outdated_routes,
)
from mqclause.model.configuration.completeness import Membership, fill_in_inserts, find_open_names, has_complete_dump
from mqclause.model.configuration.objects import (
    CONFIGURED_QUEUES,
    PLATFORM,
    Origins,
    QueueManagerObjects,
    ViewCache,
    build_alias,
    detect_platform,
    place_fact,
    place_queue,
)
from mqclause.model.configuration.provenance import FactT, Origin, PlacedFact
from mqclause.model.configuration.status import ChannelStates, DisplayedRows, build_channel_statuses, drop_outdated_rows
from mqclause.model.diagnostics import Diagnostic, name_argument, quote_value, suggest_name
from mqclause.model.facts.cluster import CLUSTER_FIELDS
from mqclause.model.facts.domains import NAME
from mqclause.model.facts.objects import (
    Channel,
    ChannelDefinition,
    ChannelState,
    ChannelStatus,
    ModelQueue,
    Process,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.model.readers.mqsc import OWNER
from mqclause.model.readers.records import Script

FOREIGN_CHANNELS_IGNORED = "channels are its own: left out"
"""What is told of a command that changes what another queue manager knows, and this one does not."""

UNKNOWN_STATE = "INACTIVE"
"""What a channel's state is taken as where no command says it."""


@frozen
class OtherMembers:
    """What files tell of queue managers other than the local one.

    ``hosted`` has the queues of each that is described, with the names that aliases lead to, ``models`` the model
    queues of those that have any; of ``told_wholly`` a dump tells all. ``strangers`` share no cluster with the local
    one, which shows itself as no full repository of the clusters that it is ``partial_of``.
    """

    hosted: Mapping[str, Mapping[str, str]] = field(factory=dict)
    models: Mapping[str, frozenset[str]] = field(factory=dict)
    told_wholly: frozenset[str] = frozenset()
    strangers: tuple[str, ...] = ()
    partial_of: tuple[str, ...] = ()


@frozen
class ClusterView:
    """The facts that the local queue manager sees, and the faults met on the way.

    ``queue_manager`` is None if it cannot be told which one is local; there are no other facts then.
    ``diagnostics`` does not repeat those of the scripts; ``warnings`` tell what was not carried out. ``known`` says
    of each of its clusters who is described, ``unjoined`` are members without a receiver in one of its clusters, each
    with the cluster. ``displayed`` are the clusters of which it shows the queue managers that it knows;
    ``repositories`` say how far. ``remarks`` tell of different things shown. ``others`` is what is told of others.
    """

    queue_manager: PlacedFact[QueueManager] | None = None
    remote_queue_managers: tuple[PlacedFact[RemoteQueueManager], ...] = ()
    queues: tuple[PlacedFact[Queue], ...] = ()
    queue_manager_aliases: tuple[PlacedFact[QueueManagerAlias], ...] = ()
    channels: tuple[PlacedFact[Channel], ...] = ()
    processes: tuple[PlacedFact[Process], ...] = ()
    model_queues: tuple[PlacedFact[ModelQueue], ...] = ()
    channel_statuses: tuple[PlacedFact[ChannelStatus], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    remarks: tuple[Diagnostic, ...] = ()
    known: tuple[Membership, ...] = ()
    unjoined: tuple[tuple[str, str], ...] = ()
    displayed: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    others: OtherMembers = OtherMembers()

    def listed(self) -> list[PlacedFact[Any]]:
        """List the facts of all lists."""
        return [each for name in CLUSTER_FIELDS.values() for each in getattr(self, name)]


def build_view(
    scripts: Sequence[Script],
    local: str | None,
    clusters: Sequence[str] | None = (),
    cache: ViewCache | None = None,
) -> ClusterView:
    """Build the view of the queue manager ``local``, or of the only one if ``local`` is None.

    Scripts of the same queue manager apply one after the other; a script that names none belongs to the local one.
    ``clusters`` are those that it is in besides what its scripts say; None: they are not known, and nothing that the
    others have is out of its sight. ``cache`` keeps what is the same for other local queue managers.
    """
    if not scripts:
        return ClusterView()
    named = [script.queue_manager for script in scripts if script.queue_manager]
    source = name_argument("local") if named else scripts[0].source
    try:
        chosen = _choose_local(named, local, len(scripts) - len(named))
        source, members = scripts[0].source, dict[str, list[Script]]()
        for script in scripts:
            owner = NAME(script.queue_manager or chosen, "queue manager name")
            members.setdefault(owner, []).append(script)
    except ValueError as fault:
        return ClusterView(diagnostics=(Diagnostic(source, str(fault)),))
    return ViewBuilder.from_scripts(members, chosen, clusters, ViewCache() if cache is None else cache).build()


def _choose_local(named: Sequence[str], local: str | None, nameless: int) -> str:
    """The local queue manager's name; raises ValueError with what is wrong."""
    names = list(dict.fromkeys(named))
    listing = ", ".join(names)
    if local is not None:
        if local in names or nameless:
            return local
        near = suggest_name(local, names)
        raise ValueError(f"no source describes the queue manager {quote_value(local)}; described: {listing}{near}")
    if len(names) == 1:
        return names[0]
    if names:
        raise ValueError(f"several queue managers are described: {listing}; say which one is local")
    more = f" (as {nameless} files here: give each so if they are of several queue managers)" if nameless > 1 else ""
    by = name_argument("local")
    raise ValueError(f"does not name its queue manager; name it with {by}, or give it as QMGR=FILE{more}")


def _find_unnamed_sources(local: str, scripts: Iterable[Script]) -> Iterator[Diagnostic]:
    """Find files that do not say whose they are, where another one says that it is of ``local``."""
    files = [script for script in scripts if not script.overlay]
    if any(script.queue_manager for script in files):
        for source in dict.fromkeys(script.source for script in files if script.records and not script.queue_manager):
            message = f"names no queue manager: taken as {local}'s, as another file is; NAME=FILE says whose it is"
            yield Diagnostic(source, message)


@define(eq=False)
class ViewBuilder:
    """Build what the queue manager ``local``, which is in ``clusters``, sees of the objects of all ``members``.

    It sees all of its own, and of others what they have in a cluster that it is in, too (``everyone`` has those others
    and itself). What it displays itself of others counts before what these say.
    """

    local: str
    members: Mapping[str, QueueManagerObjects]
    clusters: frozenset[str] | None
    shown: DisplayedRows
    cache: ViewCache
    own: QueueManagerObjects = field(init=False)
    states: ChannelStates = field(init=False)
    everyone: Sequence[QueueManagerObjects] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.own = self.members[self.local]
        self.states = ChannelStates.from_objects(self.own)
        self.everyone = [
            each for each in self.members.values() if each is self.own or self.get_sight(each)(each.clusters)
        ]

    @classmethod
    def from_scripts(
        cls, scripts: Mapping[str, Sequence[Script]], local: str, clusters: Sequence[str] | None, cache: ViewCache
    ) -> Self:
        """Build the objects of each queue manager by its scripts."""
        members = {name: _build_objects(name, of, cache) for name, of in scripts.items()}
        own = members[local]
        shown = DisplayedRows(local, [*drop_outdated_rows(own.rows, members, local)], own.asked)
        mine = None if clusters is None else frozenset((*clusters, *own.clusters, *shown.clusters))
        return cls(local, members, mine, shown, cache)

    def build(self) -> ClusterView:
        """Build the view. The warnings come last: those of channels rest on which routes there are."""
        shown, members, everyone = self.shown, self.members, self.everyone
        channels = tuple(shown.merge_channels(self.build_routes(), self.states))
        others = tuple(build_channel_statuses(self.own, shown.get_rows("CHSTATUS"), self.states, shown.asked))
        return ClusterView(
            queue_manager=shown.merge_queue_manager(self.build_queue_manager()),
            remote_queue_managers=tuple(
                shown.merge_remotes(self.build_remote(each) for each in everyone if each is not self.own)
            ),
            queues=tuple(
                shown.merge_queues(
                    fact for each in everyone for fact in self.apply_published(each, self.build_queues(each))
                )
            ),
            queue_manager_aliases=tuple(
                shown.merge_aliases(
                    fact for each in everyone for fact in self.apply_published(each, self.build_aliases(each))
                )
            ),
            channels=channels,
            processes=tuple(place_fact(Process(p.name, **p.fields), p) for p in self.own.of("PROCESS")),
            model_queues=tuple(place_fact(ModelQueue(each.name), each) for each in self.own.of("QMODEL")),
            diagnostics=tuple(fault for each in members.values() for fault in each.faults),
            warnings=tuple(self.find_warnings()),
            known=tuple(
                _build_membership(cluster, everyone) for cluster in self.select_own_clusters(self.own.clusters)
            ),
            unjoined=tuple(
                (each.name, name)
                for each in members.values()
                for name in self.select_own_clusters(each.unjoined_clusters)
            ),
            displayed=shown.clusters_with_members,
            repositories=tuple(shown.describe_repositories()),
            remarks=(*shown.find_differences(), *shown.find_namesakes(), *self.find_remarks()),
            channel_statuses=others,
            others=self.build_other_members(),
        )

    def build_other_members(self) -> OtherMembers:
        """Gather what is told of the other queue managers, whoever sees them."""
        members, shown = self.members.items(), {row.name for row in self.shown.get_rows("CLUSQMGR")}
        return OtherMembers(
            {name: each.queue_targets for name, each in members if each is not self.own},
            {name: each.models for name, each in members if each.models},
            frozenset(name for name, each in members if has_complete_dump(each.scripts)),
            tuple(name for name, each in members if each not in self.everyone and name not in shown),
            self.shown.partial_of,
        )

    def find_remarks(self) -> Iterator[Diagnostic]:
        """Find what is odd in what the local queue manager, and those that it knows, have or show."""
        mine, everyone = self.own, self.everyone
        yield from (*mine.remarks, *(one for each in everyone for one in each.list_contradictions(mine)))
        yield from find_open_names(one for each in everyone for one in each.scripts)
        yield from _find_unnamed_sources(self.local, mine.scripts)
        yield from find_outdated_records(self.shown.get_rows("QCLUSTER"), self.local, self.members, everyone)
        yield from find_outdated_routes(self.shown.get_rows("CLUSQMGR"), self.local, self.members)

    def apply_published(
        self, member: QueueManagerObjects, placed: Iterator[PlacedFact[FactT]]
    ) -> Iterable[PlacedFact[FactT]]:
        """Apply what a member displays of its own queues: so the local queue manager knows them."""
        own = [row for row in member.rows if row.text("CLUSQMGR") == member.name] if member.name != self.local else ()
        return apply_published_attributes(placed, own) if own else placed

    def select_own_clusters(self, clusters: Iterable[str]) -> tuple[str, ...]:
        """Select those of ``clusters`` that the local queue manager is in: it knows of no other ones."""
        return tuple(each for each in clusters if self.clusters is None or each in self.clusters)

    def get_sight(self, member: QueueManagerObjects) -> Callable[[Iterable[str]], tuple[str, ...]]:
        """Return a function that selects the clusters of an object of ``member`` in which it is visible."""
        if member.name == self.local:
            return tuple
        return lambda clusters: member.select_visible(self.select_own_clusters(clusters))

    def find_warnings(self) -> Iterator[Diagnostic]:
        """Find what the commands of all members ask for and nobody carries out."""
        for member in self.members.values():
            yield from member.warnings
            shown = self.shown.clusters if member.name == self.local else ()
            yield from member.find_foreign_suspensions((*member.clusters, *shown))
            for record in member.operated if member.name != self.local else ():
                message = f"{record.action.upper()}: the states of {member.name}'s {FOREIGN_CHANNELS_IGNORED}"
                yield record.build_diagnostic(message)
        yield from self.states.find_warnings()

    def build_queue_manager(self) -> PlacedFact[QueueManager]:
        """Build the local queue manager by its own objects."""
        mine = self.own
        of = [found.fields for found in mine.of("QMGR")]
        clusters, full = mine.clusters, {name for found in mine.of("QMGR") for name in found.clusters}
        fact = QueueManager(
            name=mine.name,
            clusters=clusters,
            suspended=tuple(mine.suspended),
            repository=bool(full),
            partial_in=tuple(each for each in clusters if each not in full) if full else (),
            platform=detect_platform(mine.scripts, " ".join(found.text("PLATFORM") for found in mine.of("QMGR"))),
            **(of[0] if of else {}),
        )
        return _place_whole(fact, mine)

    def build_remote(self, other: QueueManagerObjects) -> PlacedFact[RemoteQueueManager]:
        """Build what the local queue manager learns of another one, by the objects of that."""
        sight = self.get_sight(other)
        suspended = sight(other.suspended)
        clusters = sight(other.clusters)
        full = {name for each in other.of("QMGR") for name in sight(each.clusters)}
        partial_in = tuple(each for each in clusters if each not in full) if full else ()
        return _place_whole(RemoteQueueManager(other.name, clusters, suspended, bool(full), partial_in), other)

    def build_queues(self, member: QueueManagerObjects) -> Iterator[PlacedFact[Queue]]:
        """Build the local queue manager's queues, or the clustered ones of another member."""
        host = member.find_header_origin(OWNER)
        of_host: Origins = {"queue_manager": host}
        sight = self.get_sight(member)
        for queue in member.of(*CONFIGURED_QUEUES):
            clusters = sight(queue.clusters)
            if member.name != self.local and (queue.is_manager_alias or not clusters):
                continue
            make = partial(place_queue, queue, member.name, clusters, of_host if host else None)
            yield make() if member.name == self.local else self.cache.get_or_make((queue, clusters), make)

    def build_aliases(self, member: QueueManagerObjects) -> Iterator[PlacedFact[QueueManagerAlias]]:
        """Build the queue-manager aliases that ``member`` has in a cluster."""
        by, sight = member.find_header_origin(OWNER), self.get_sight(member)
        for remote in member.of("QREMOTE"):
            if remote.is_manager_alias and (clusters := sight(remote.clusters)):
                stated = remote.find_origin("RQMNAME") if remote.text("RQMNAME") else None
                alias, of_name = build_alias(remote, member.name, clusters), remote.origin("name")
                # Where it resolves to its host, that is none to be stated.
                known = {"queue_manager": stated or by or of_name} | ({"host": by or of_name} if alias.host else {})
                yield place_fact(alias, remote, known)

    def build_routes(self) -> Iterator[PlacedFact[Channel]]:
        """Build the local cluster receivers, and the routes to other members that their receivers make.

        Of a local cluster sender only its type is read: it takes its attributes from the receiver.
        """
        manual = {sender.name: sender for sender in self.own.channels("CLUSSDR")}
        for member in self.everyone:
            host, sight, is_own = member.find_header_origin(OWNER), self.get_sight(member), member is self.own
            for receiver in member.channels("CLUSRCVR"):
                sender = manual.get(receiver.name)
                deftype = "CLUSRCVR" if is_own else "CLUSSDRB" if sender else "CLUSSDRA"
                state, stated = self.states.find_route_state(receiver.name, member.name) or (UNKNOWN_STATE, None)
                typed = (sender or receiver).origin("deftype")
                by = {"queue_manager": host or receiver.origin("name"), "deftype": typed, "status": stated}
                for cluster in sight(receiver.clusters):
                    fact = Channel(
                        receiver.name,
                        member.name,
                        cluster,
                        cast(ChannelDefinition, deftype),
                        cast(ChannelState, state),
                        **receiver.fields,
                    )
                    yield place_fact(fact, receiver, by)


def _build_objects(name: str, scripts: Sequence[Script], cache: ViewCache) -> QueueManagerObjects:
    """The objects of a queue manager, with its name in the place of inserts."""
    make = partial(QueueManagerObjects.from_scripts, name)
    # The key names the scripts by identity: beside the objects they are kept, so that no other script gets their id.
    key = (name, *map(id, scripts))
    _, objects = cache.get_or_make(key, lambda: (scripts, make([fill_in_inserts(each, name) for each in scripts])))
    return objects


def _place_whole(fact: FactT, member: QueueManagerObjects) -> PlacedFact[FactT]:
    """A fact about a queue manager as a whole: it is placed at its first ALTER QMGR, or at its first source."""
    origin = partial(_find_origin_of_whole, member)
    for found in member.of("QMGR"):
        return PlacedFact(fact, found.record.source, found.record.line, origin)
    return PlacedFact(fact, member.scripts[0].source, None, origin)


def _find_origin_of_whole(member: QueueManagerObjects, attribute: str) -> Origin:
    """What a header says is observed; a cluster is stated by the first object that is in one."""
    found: Origin | None = None
    if attribute in ("name", "platform"):
        found = member.find_header_origin(OWNER if attribute == "name" else PLATFORM)
    elif attribute == "clusters":
        found = next((each.origin("clusters") for each in member.clustered_objects if each.clusters), None)
    elif attribute == "suspended" and member.suspension:
        record = member.suspension
        by = "CLUSTER" if record.listed("CLUSTER") else "CLUSNL"
        found = Origin.of_record("stated", record, by)
    if found is None:
        found = next((each.origin(attribute) for each in member.of("QMGR")), None)
    return found or Origin("stated" if attribute == "name" else "defaulted", member.scripts[0].source)


def _build_membership(cluster: str, everyone: Sequence[QueueManagerObjects]) -> Membership:
    members = tuple(member.name for member in everyone if cluster in member.clusters)
    senders = [each for member in everyone for each in member.channels("CLUSSDR") if cluster in each.clusters]
    return Membership(cluster, members, tuple(sender.name for sender in senders))
