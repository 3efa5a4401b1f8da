"""Snapshots of all members of a cluster, each from its own files, and changes to all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Self, Unpack

from attrs import evolve

from mqclause.model.configuration.attributes import MEMBERSHIP
from mqclause.model.configuration.changes import (
    ConfigurationChange,
    apply_change,
    build_ambiguity_error,
    build_option_error,
    describe_other_owners,
    get_owner,
    is_change_target,
    parse_change,
    replace_fields,
)
from mqclause.model.configuration.completeness import suggest_insert
from mqclause.model.configuration.objects import ALIAS_ATTRIBUTES
from mqclause.model.configuration.provenance import PlacedFact
from mqclause.model.configuration.snapshot import (
    Snapshot,
    read_every_snapshot,
    read_sources,
    replace_cluster,
    replace_facts,
)
from mqclause.model.configuration.sources import Input, list_sources
from mqclause.model.diagnostics import (
    ArgumentError,
    Diagnostic,
    FactsError,
    call_arguments,
    check_each,
    check_type,
    name_argument,
    quote_value,
    suggest_name,
)
from mqclause.model.facts.cluster import NO_QUEUES, Cluster, check_hosts, check_names
from mqclause.model.facts.objects import (
    Channel,
    ChannelAttributes,
    ChannelState,
    Put,
    Queue,
    QueueAttributes,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.model.readers.formats import Format
from mqclause.model.readers.registry import FORMATS


class Members(tuple[Snapshot, ...]):
    """What each queue manager of a cluster knows, one snapshot for each: a tuple, and what if one were otherwise.

    What changes is changed for every member that knows of it, as the methods of the same names do it for the cluster
    that one member knows.
    """

    __slots__ = ()

    @classmethod
    def of(
        cls, cluster: str, queue_managers: Iterable[str], queues: Mapping[str, Iterable[str]] = NO_QUEUES
    ) -> Members:
        """Return what each member of a cluster knows where all is as MQ's defaults have it.

        ``queue_managers`` are the names of all members, ``queues`` the hosts of each queue by its name:
        ``Members.of("SALES", ["QM1", "QM2"], {"ORDERS.IN": ["QM2"]})``. The channel to each member is called ``TO.``
        and its name, and runs. Raises ValueError for a name that is none, that is given twice, or that is no member.
        """
        names, hosts = check_names("queue_managers", queue_managers), check_hosts(queues)
        if not names:
            raise ArgumentError("queue_managers: none is given; expected the names of the members")
        return cls(Snapshot(Cluster.of(cluster, each, names, hosts)) for each in names)

    def __new__(cls, members: Iterable[Snapshot] = ()) -> Self:
        """The members, each told once. Raises TypeError for what is no snapshot, ArgumentError for one told twice."""
        found = super().__new__(cls, check_each("members", members, Snapshot, ", as read_files gives"))
        check_names("members", found.names)
        return found

    def __repr__(self) -> str:
        return f"<Members: {', '.join(self.names)}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the queue managers."""
        return tuple(map(get_local_name, self))

    def at(self, name: str) -> Snapshot:
        """Return the snapshot of one queue manager. Raises FactsError for one that no source describes."""
        found = next((each for each in self if get_local_name(each) == name), None)
        if found is None:
            near = suggest_name(name, self.names)
            said = (
                f"no source describes the queue manager {quote_value(name)}; described: {', '.join(self.names)}{near}"
            )
            raise FactsError([Diagnostic(name_argument("at"), said)])
        return found

    def suspend(self, queue_manager: str, *clusters: str) -> Members:
        """Return the members with one suspended, in ``clusters`` or in all that it is in. Raises ValueError."""
        return self._suspended(queue_manager, Cluster.suspend, clusters)

    def resume(self, queue_manager: str, *clusters: str) -> Members:
        """Return the members with one resumed, in ``clusters`` or in all that it is in. Raises ValueError."""
        return self._suspended(queue_manager, Cluster.resume, clusters)

    def without(self, queue_manager: str) -> Members:
        """Return the other members, of which none knows anything of this one. Raises FactsError."""
        return remove_member(self, queue_manager)

    def with_status(self, channel: str, status: ChannelState, at: str = "") -> Members:
        """Return the members with a channel in a state: at one queue manager, or at all that send by it.

        A name that ends in ``*`` stands for all that begin so: ``with_status("*", "RUNNING")`` says it of every route.
        Raises ValueError if nobody does, or that one does not.
        """
        channel, at = check_type("channel", channel, str).rstrip(" "), check_type("at", at, str).rstrip(" ")
        asked = (self.at(at),) if at else self
        sending = {
            get_local_name(member): {each.name for each in member.cluster.channels if each.deftype != "CLUSRCVR"}
            for member in asked
        }
        known = sorted(set().union(*sending.values()))
        start = channel.removesuffix("*")
        meant = {each for each in known if each == channel or (start != channel and each.startswith(start))}
        if not meant:
            there = f" at {at}" if at else ""
            raise ArgumentError(f"channel {quote_value(channel)} is not known{there}{suggest_name(channel, known)}")

        def changed(cluster: Cluster) -> Cluster:
            own = meant.intersection(sending.get(cluster.queue_manager.name, ()))
            return reduce(lambda before, name: before.with_status(name, status), sorted(own), cluster)

        return self._each(changed)

    def with_queue(self, name: str, queue_manager: str, **attributes: Unpack[QueueAttributes]) -> Members:
        """Return the members with other attributes of a queue instance, or with one more. Raises ValueError."""

        def changed(cluster: Cluster, _: str) -> Cluster:
            if "clusters" not in attributes or cluster.queue_manager.name == queue_manager:
                return cluster.with_queue(name, queue_manager, **attributes)
            own = cluster.queue_manager.clusters
            shared = tuple(each for each in check_names("clusters", attributes["clusters"]) if each in own)
            given: dict[str, Any] = {**attributes, "clusters": shared}
            return cluster.with_queue(name, queue_manager, **given) if shared else cluster

        return self._where_known(queue_manager, changed)

    def with_channel(self, name: str, queue_manager: str, **attributes: Unpack[ChannelAttributes]) -> Members:
        """Return the members with other attributes of the channel to a queue manager, or with one more.

        Raises ValueError.
        """

        def changed(cluster: Cluster, _: str) -> Cluster:
            is_own = cluster.queue_manager.name == queue_manager
            given: dict[str, Any] = {**attributes, "deftype": "CLUSRCVR"} if is_own else {**attributes}
            return cluster.with_channel(name, queue_manager, **given)

        return self._where_known(queue_manager, changed)

    def set(self, *commands: str) -> Members:
        """Return the members after commands such as ``QLOCAL(Q) QMGR(QM2) CLWLPRTY(5)``. Raises FactsError."""
        return apply_changes_everywhere(self, commands)

    def _suspended(self, queue_manager: str, change: Callable[..., Cluster], clusters: tuple[str, ...]) -> Members:
        """The members with a change in ``clusters``, each in those that it knows the queue manager to be in."""
        asked = check_names("clusters", clusters)
        name = check_type("queue_manager", queue_manager, str).rstrip(" ")
        known = dict.fromkeys(each for member in self for each in _list_clusters_of(member, name))
        for each in asked:
            if known and each not in known:
                listed = f"known: {', '.join(known)}{suggest_name(each, known)}"
                raise ArgumentError(f"{quote_value(each)} is no cluster of {name}; {listed}")

        def changed(cluster: Cluster, _: str) -> Cluster:
            shared = [each for each in asked if each in _list_clusters_of(Snapshot(cluster), name)]
            return change(cluster, name, *shared) if shared or not asked else cluster

        return self._where_known(name, changed)

    def _where_known(self, queue_manager: str, change: Callable[..., Cluster], *more: str) -> Members:
        """The members, those with a change that know of a queue manager; ValueError if none does."""
        name = check_type("queue_manager", queue_manager, str).rstrip(" ")
        known = dict.fromkeys(each for member in self for each in (get_local_name(member), *member.cluster.remote))
        if name not in known:
            listed = f"known: {', '.join(known)}{suggest_name(name, known)}"
            raise ArgumentError(f"{quote_value(name)} is no queue manager; {listed}")
        return self._each(
            lambda cluster: (
                change(cluster, name, *more)
                if name == cluster.queue_manager.name or name in cluster.remote
                else cluster
            )
        )

    def _each(self, change: Callable[[Cluster], Cluster]) -> Members:
        return Members(replace_cluster(each, change(each.cluster)) for each in self)


def read(*inputs: Input, at: str | None = None, lenient: bool = False, formats: Sequence[Format] = FORMATS) -> Members:
    """Read what each queue manager knows by all that is given.

    An input is the name of a file, of a folder or a pattern, ``QM1=FILE``, what is in a file as bytes or ``text(…)``,
    an open file, or parsed JSON. ``at`` names the only queue manager that is asked about. With ``lenient`` a fault in
    one of MQ's own formats is a warning, and its command is left out. Raises FactsError with every fault, and OSError
    for a file that cannot be opened.
    """
    with call_arguments({"local": name_argument("at")}):
        return read_members(inputs, at, lenient, formats)


def read_members(
    sources: Iterable[Input],
    local: str | None = None,
    lenient: bool = False,
    formats: Sequence[Format] = FORMATS,
) -> Members:
    """Read a snapshot for each queue manager that ``sources`` describe, or for ``local`` alone: see ``read``."""
    return Members(read_every_snapshot(list_sources(sources), local, lenient, formats))


def read_files(
    paths: Iterable[Input], local: str | None = None, lenient: bool = False, formats: Sequence[Format] = FORMATS
) -> Snapshot:
    """Read to the snapshot that ``local`` sees: see ``read``. Raises FactsError also where it is left open whose."""
    return read_sources(list_sources(paths), local, lenient, formats)


_ADVERTISED = Queue | QueueManagerAlias

OWN_STATE, EVERYWHERE = frozenset({"STATUS"}), frozenset({"SUSPEND"})


def apply_changes_everywhere(members: Iterable[Snapshot], commands: Iterable[str]) -> Members:
    """Apply each command to all members, as ``QLOCAL(Q) QMGR(QM2) CLWLPRTY(5)``; raises FactsError.

    STATUS of a channel belongs to the one that puts: with QMGR(…) to that one alone. What nobody but its owner knows
    is changed there alone, and a queue that comes into a cluster is known to all who are in that.
    """
    found = Members(members)
    for text in commands:
        for part in _split_change(parse_change(text)):
            found = _apply_everywhere(found, part)
    return found


def remove_member(members: Iterable[Snapshot], name: str) -> Members:
    """Remove the member ``name`` from the cluster: nobody knows anything of it. Raises FactsError."""
    found = Members(members)
    _check_member(found, name, name_argument("without"))
    return Members(
        replace_facts(each, [placed for placed in each.provenance.placed if not _belongs_to(placed.fact, name)])
        for each in found
        if get_local_name(each) != name
    )


def fail_member(members: Iterable[Snapshot], name: str, becomes: Callable[[Channel], str]) -> Members:
    """Give every channel to ``name`` the status that ``becomes`` gives, unless that is blank. Raises FactsError."""

    def status(fact: Any) -> Mapping[str, Any]:
        is_route = isinstance(fact, Channel) and fact.queue_manager == name and fact.deftype != "CLUSRCVR"
        now = becomes(fact) if is_route else ""
        return {"status": now} if now else {}

    return _for_all(members, name, name_argument("fail"), status)


def list_changed_routes(before: Members, after: Members) -> dict[str, list[Channel]]:
    """List, by member, its channels as they are ``after`` a change, where the member sees them in another state."""
    had = {get_local_name(each): _list_route_states(each) for each in before}
    found = {}
    for each in after:
        states = had.get(name := get_local_name(each), {})
        changed = [
            route for key, route in _list_route_states(each).items() if states.get(key, route).status != route.status
        ]
        if changed:
            found[name] = changed
    return found


def _list_route_states(member: Snapshot) -> dict[tuple[str, str, str], Channel]:
    return {(each.name, each.queue_manager, each.cluster): each for each in member.cluster.channels}


def suspend_member(members: Iterable[Snapshot], name: str) -> Members:
    """Suspend ``name`` in every cluster of its. Raises FactsError."""
    return _for_all(
        members,
        name,
        name_argument("suspend"),
        lambda fact: {"suspended": fact.clusters} if _is_queue_manager(fact, name) else {},
    )


def set_command_level(member: Snapshot, level: int, option: str) -> Snapshot:
    """Set the command level of the member's own queue manager, as ``option`` states it."""
    name = get_local_name(member)
    return _with_fields(
        member,
        option,
        lambda fact: {"command_level": level} if isinstance(fact, QueueManager) and fact.name == name else {},
    )


def _list_clusters_of(member: Snapshot, name: str) -> tuple[str, ...]:
    """The clusters in which a member knows a queue manager to be; none if it does not know that."""
    own, other = member.cluster.queue_manager, member.cluster.remote.get(name)
    return own.clusters if own.name == name else other.clusters if other is not None else ()


def get_local_name(member: Snapshot) -> str:
    """Return the queue manager whose snapshot it is."""
    return member.cluster.queue_manager.name


def _split_change(change: ConfigurationChange) -> Iterator[ConfigurationChange]:
    """The change in parts that each concern the same members."""
    stated = change.attributes.keys()
    for words in (stated & OWN_STATE, stated & EVERYWHERE, stated - OWN_STATE - EVERYWHERE):
        if words:
            yield evolve(change, attributes={word: change.attributes[word] for word in stated if word in words})


def _apply_everywhere(members: Members, change: ConfigurationChange) -> Members:
    if change.kind == "QMGR" and not change.name:
        owners = [get_local_name(each) for each in members]
        if len(owners) > 1:
            raise build_ambiguity_error(change, owners)
        change = evolve(change, name=owners[0])
    asked = change
    if set(change.attributes) <= OWN_STATE and change.owner:
        change, concerned = evolve(change, owner=""), {change.owner}
    elif change.kind == "QMGR" and not set(change.attributes) <= EVERYWHERE:
        concerned = {change.name}
    else:
        concerned = {get_local_name(each) for each in members}
    found = {id(each): _find_targets(each, change) if get_local_name(each) in concerned else [] for each in members}
    owner = _find_owner(members, asked, [each for meant in found.values() for each in meant])
    after = Members(_apply_to_member(each, change, found[id(each)]) for each in members)
    if MEMBERSHIP & set(change.attributes):
        return _advertise(after, evolve(change, owner=owner))
    return after


def _find_targets(member: Snapshot, change: ConfigurationChange) -> list[PlacedFact[Any]]:
    return [each for each in member.provenance.placed if is_change_target(each.fact, change, get_local_name(member))]


def _find_owner(members: Members, change: ConfigurationChange, found: Sequence[PlacedFact[Any]]) -> str:
    """Whose object is meant; raises FactsError unless that is clear."""
    if not found:
        raise build_option_error(f"{change.object} {_describe_unknown(members, change)}")
    owners = sorted({get_owner(each.fact) for each in found})
    if len(owners) > 1 and not set(change.attributes) <= OWN_STATE:
        raise build_ambiguity_error(change, owners)
    return " ".join(owners[:1])


def _describe_unknown(members: Members, change: ConfigurationChange) -> str:
    """What is known instead of the object that a change names."""
    facts = [each.fact for member in members for each in member.provenance.placed if not isinstance(each.fact, Put)]
    named = {type(fact).__name__: fact for fact in facts if fact.name == change.name}
    if change.kind == "QMGR" and RemoteQueueManager.__name__ in named:
        return f"is described by no source; {', '.join(change.attributes)} is known to that queue manager alone"
    if change.owner and set(change.attributes) <= OWN_STATE:
        return f"is not known: STATUS is that of a channel by which {change.owner} sends, and it has none of that name"
    nobody = evolve(change, owner="")
    owners = {get_owner(each.fact) for member in members for each in _find_targets(member, nobody) if change.owner}
    if owners:
        return describe_other_owners(change, owners)
    known = sorted({fact.name for fact in facts} - {change.name})
    return f"is not known{suggest_insert(change.name, known) or suggest_name(change.name, known)}"


def _apply_to_member(member: Snapshot, change: ConfigurationChange, meant: Sequence[PlacedFact[Any]]) -> Snapshot:
    if not meant:
        return member
    placed = [apply_change(each, change) if each in meant else each for each in member.provenance.placed]
    return replace_facts(member, placed)


def _advertise(members: Members, change: ConfigurationChange) -> Members:
    """What is known of a queue or an alias that comes into a cluster or leaves one: it, in the clusters they share."""
    owner = next((each for each in members if get_local_name(each) == change.owner), None)
    found = [each for each in _find_targets(owner, change) if isinstance(each.fact, _ADVERTISED)] if owner else []
    known = [_build_advertised_fact(each) for each in found]
    aliases = [each for each in known if isinstance(each.fact, QueueManagerAlias)]
    return Members(reduce(_update_advertised, aliases if each is owner else known, each) for each in members)


def _build_advertised_fact(placed: PlacedFact[Any]) -> PlacedFact[Any]:
    """The definition of a queue-manager alias as an alias; anything else as it is."""
    own = placed.fact
    if not isinstance(own, Queue) or own.type != "QREMOTE" or own.rname:
        return placed
    to, host = own.rqmname or own.queue_manager, own.queue_manager
    kept = {name: getattr(own, name) for name in ALIAS_ATTRIBUTES}
    return evolve(placed, fact=QueueManagerAlias(own.name, to, own.clusters, host=host, **kept))


def _update_advertised(member: Snapshot, instance: PlacedFact[Queue | QueueManagerAlias]) -> Snapshot:
    """It stays in its place among what is listed, or comes last."""
    told, host = instance.fact, get_owner(instance.fact)
    shared = tuple(name for name in told.clusters if name in member.cluster.queue_manager.clusters)
    is_known = shared and host in (get_local_name(member), *member.cluster.remote)
    known = [evolve(instance, fact=evolve(told, clusters=shared))] if is_known else []
    placed = list(member.provenance.placed)
    at = next((at for at, each in enumerate(placed) if _is_instance(each.fact, told)), len(placed))
    return replace_facts(member, [*placed[:at], *known, *placed[at + 1 :]])


def _is_instance(fact: object, told: Queue | QueueManagerAlias) -> bool:
    return isinstance(fact, type(told)) and (fact.name, get_owner(fact)) == (told.name, get_owner(told))


def _belongs_to(fact: object, name: str) -> bool:
    of_it = isinstance(fact, Queue | Channel | QueueManagerAlias) and get_owner(fact) == name
    return _is_queue_manager(fact, name) or of_it


def _is_queue_manager(fact: object, name: str) -> bool:
    return isinstance(fact, QueueManager | RemoteQueueManager) and fact.name == name


def _for_all(
    members: Iterable[Snapshot], name: str, option: str, fields: Callable[[Any], Mapping[str, Any]]
) -> Members:
    """The members with ``fields`` set on each fact for which there are any."""
    found = Members(members)
    _check_member(found, name, option)
    return Members(_with_fields(each, option, fields) for each in found)


def _with_fields(member: Snapshot, option: str, fields: Callable[[Any], Mapping[str, Any]]) -> Snapshot:
    placed = [(each, fields(each.fact)) for each in member.provenance.placed]
    return replace_facts(member, [replace_fields(each, new, option) if new else each for each, new in placed])


def _check_member(members: Members, name: str, option: str) -> None:
    known = {name for each in members for name in (get_local_name(each), *each.cluster.remote)}
    if name not in known:
        message = f"queue manager {quote_value(name)} is not known{suggest_name(name, sorted(known))}"
        raise FactsError([Diagnostic(option, message)])
