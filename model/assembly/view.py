"""Scripts and dumps of several queue managers, put together as one of them sees the cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import frozen

from mqclause.model.assembly.objects import MqObject, Objects
from mqclause.model.assembly.provenance import FactT, Origin, Placed
from mqclause.model.diagnostic import Diagnostic, quoted, suggestion
from mqclause.model.facts.cluster import LISTS
from mqclause.model.facts.domains import NAME
from mqclause.model.facts.objects import Channel, Process, Queue, QueueManager, QueueManagerAlias, RemoteQueueManager
from mqclause.model.readers.mqsc.script import OWNER
from mqclause.model.readers.record import Script

PLATFORM = "Queue manager platform"


@frozen
class View:
    """The facts that the local queue manager sees, and the faults met on the way.

    ``queue_manager`` is None if it cannot be told which one is local; there are no other facts then.
    ``diagnostics`` does not repeat those of the scripts.
    """

    queue_manager: Placed[QueueManager] | None = None
    remote_queue_managers: tuple[Placed[RemoteQueueManager], ...] = ()
    queues: tuple[Placed[Queue], ...] = ()
    queue_manager_aliases: tuple[Placed[QueueManagerAlias], ...] = ()
    channels: tuple[Placed[Channel], ...] = ()
    processes: tuple[Placed[Process], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    def listed(self) -> list[Placed[Any]]:
        """The facts of all lists."""
        return [each for name in LISTS.values() for each in getattr(self, name)]


def assemble(scripts: Sequence[Script], local: str | None) -> View:
    """The view of the queue manager ``local``, or of the only one if ``local`` is None.

    Scripts of the same queue manager apply one after the other; a script that names none belongs to the local one.
    """
    if not scripts:
        return View()
    named = [script.queue_manager for script in scripts if script.queue_manager]
    try:
        chosen = _chosen(named, local, len(named) < len(scripts))
        members: dict[str, list[Script]] = {}
        for script in scripts:
            members.setdefault(NAME(script.queue_manager or chosen, "queue manager name"), []).append(script)
    except ValueError as fault:
        return View(diagnostics=(Diagnostic(scripts[0].source, str(fault)),))
    faults: list[Diagnostic] = []
    return _Seen(chosen, {name: _objects(name, members[name], faults) for name in members}).view(faults)


def _chosen(named: Sequence[str], local: str | None, nameless: bool) -> str:
    """The local queue manager's name; raises ValueError with what is wrong."""
    names = list(dict.fromkeys(named))
    listing = ", ".join(names)
    if local is not None:
        if local in names or nameless:
            return local
        near = suggestion(local, names)
        raise ValueError(f"no source describes the queue manager {quoted(local)}; described: {listing}{near}")
    if len(names) == 1:
        return names[0]
    if names:
        raise ValueError(f"several queue managers are described: {listing}; say with --from which one is local")
    raise ValueError("does not name its queue manager; name it with --from")


def _objects(name: str, scripts: Sequence[Script], faults: list[Diagnostic]) -> Objects:
    objects = Objects(name, faults, scripts)
    for script in scripts:
        for record in script.records:
            objects.apply(record)
    objects.settle()
    return objects


@frozen
class _Seen:
    """What the queue manager ``local`` sees of all ``members``."""

    local: str
    members: Mapping[str, Objects]

    def view(self, faults: Sequence[Diagnostic]) -> View:
        everyone, mine = self.members.values(), self.members[self.local]
        manual = {sender.name: sender for sender in mine.channels("CLUSSDR")}
        return View(
            queue_manager=self.queue_manager(),
            remote_queue_managers=tuple(self.remote(other) for other in everyone if other.name != self.local),
            queues=tuple(fact for member in everyone for fact in self.queues(member)),
            queue_manager_aliases=self.aliases(),
            channels=tuple(fact for member in everyone for fact in self.channels(member, manual)),
            processes=tuple(_placed(Process(p.name, **p.fields), p) for p in mine.of("PROCESS")),
            diagnostics=tuple(faults),
        )

    def queue_manager(self) -> Placed[QueueManager]:
        mine = self.members[self.local]
        of = [found.fields for found in mine.of("QMGR")]
        fact = QueueManager(
            name=mine.name,
            clusters=_clusters(mine),
            suspended=tuple(mine.suspended),
            platform=_platform(mine.scripts),
            **(of[0] if of else {}),
        )
        return _placed_whole(fact, mine)

    def remote(self, other: Objects) -> Placed[RemoteQueueManager]:
        return _placed_whole(RemoteQueueManager(other.name, _clusters(other), tuple(other.suspended)), other)

    def queues(self, member: Objects) -> Iterator[Placed[Queue]]:
        """The local queue manager's queues, and the clustered ones of another member."""
        host = member.header_origin(OWNER)
        for queue in member.of("QLOCAL", "QALIAS", "QREMOTE"):
            if _is_alias(queue) or not (queue.clusters or member.name == self.local):
                continue
            topic = queue.text("TARGTYPE") == "TOPIC"
            fact = Queue(
                name=queue.name,
                queue_manager=member.name,
                type=queue.kind,
                target=queue.text("TARGET") if queue.kind == "QALIAS" and not topic else "",
                clusters=queue.clusters,
                **queue.fields,
            )
            target = queue.origin_of("TARGTYPE") if topic else None
            yield _placed(fact, queue, queue_manager=host or queue.origin("name"), target=target)

    def aliases(self) -> tuple[Placed[QueueManagerAlias], ...]:
        """The queue-manager aliases, each name once for each queue manager that it resolves to."""
        found: dict[tuple[str, str], Placed[QueueManagerAlias]] = {}
        mine = self.members[self.local]
        for member in (mine, *(other for other in self.members.values() if other is not mine)):
            for remote in filter(_is_alias, member.of("QREMOTE")):
                resolved = self.resolved(remote, member)
                if resolved in self.members:
                    by = remote.origin_of("RQMNAME") if member is mine else member.header_origin(OWNER)
                    placed = _placed(_alias(remote, resolved), remote, queue_manager=by or remote.origin("name"))
                    found.setdefault((remote.name, resolved), placed)
        return tuple(found.values())

    def resolved(self, remote: MqObject, member: Objects) -> str:
        """The queue manager that messages for an alias go to: the member that has it in the cluster, or what the
        local definition names; blank if the local queue manager does not see the alias."""
        if member.name == self.local:
            return remote.text("RQMNAME") or self.local
        return member.name if remote.clusters else ""

    def channels(self, member: Objects, manual: Mapping[str, MqObject]) -> Iterator[Placed[Channel]]:
        """The local cluster receivers, or the routes to another member that its cluster receivers make.

        ``manual`` has the local cluster senders by name. What they say besides is not read: a sender takes its
        attributes from the receiver.
        """
        host = member.header_origin(OWNER)
        for receiver in member.channels("CLUSRCVR"):
            sender = manual.get(receiver.name)
            deftype = "CLUSSDRB" if sender else "CLUSSDRA"
            for cluster in receiver.clusters:
                fact = Channel(
                    name=receiver.name,
                    queue_manager=member.name,
                    cluster=cluster,
                    deftype="CLUSRCVR" if member.name == self.local else deftype,
                    **receiver.fields,
                )
                typed = (sender or receiver).origin("deftype")
                yield _placed(fact, receiver, queue_manager=host or receiver.origin("name"), deftype=typed)


def _placed(fact: FactT, found: MqObject, **known: Origin | None) -> Placed[FactT]:
    """A fact that is made of one object; ``known`` are the origins of what other statements say of it."""
    return Placed(fact, found.record.source, found.record.line, partial(_origin, found, known))


def _origin(found: MqObject, known: Mapping[str, Origin | None], attribute: str) -> Origin:
    return known.get(attribute) or found.origin(attribute)


def _placed_whole(fact: FactT, member: Objects) -> Placed[FactT]:
    """A fact about a queue manager as a whole: it is placed at its first ALTER QMGR, or at its first source."""
    origin = partial(_origin_of_whole, member)
    for found in member.of("QMGR"):
        return Placed(fact, found.record.source, found.record.line, origin)
    return Placed(fact, member.scripts[0].source, None, origin)


def _origin_of_whole(member: Objects, attribute: str) -> Origin:
    """What a header says is observed; a cluster is stated by the first object that is in one."""
    found: Origin | None = None
    if attribute in ("name", "platform"):
        found = member.header_origin(OWNER if attribute == "name" else PLATFORM)
    elif attribute == "clusters":
        found = next((each.origin("clusters") for each in _clustered(member) if each.clusters), None)
    elif attribute == "suspended" and member.suspension:
        record = member.suspension
        by = "CLUSTER" if record.listed("CLUSTER") else "CLUSNL"
        found = Origin("stated", record.source, record.line_of(by))
    if found is None:
        found = next((each.origin(attribute) for each in member.of("QMGR")), None)
    return found or Origin("stated" if attribute == "name" else "defaulted", member.scripts[0].source)


def _is_alias(queue: MqObject) -> bool:
    return queue.kind == "QREMOTE" and not queue.text("RNAME")


def _alias(remote: MqObject, resolved: str) -> QueueManagerAlias:
    kept = {name: remote.fields[name] for name in ("put", "clwlrank", "clwlprty") if name in remote.fields}
    return QueueManagerAlias(remote.name, resolved, remote.clusters, **kept)


def _clusters(member: Objects) -> tuple[str, ...]:
    """The clusters that a queue manager is a member or a full repository of."""
    return tuple(dict.fromkeys(cluster for each in _clustered(member) for cluster in each.clusters))


def _clustered(member: Objects) -> tuple[MqObject, ...]:
    return (*member.channels("CLUSRCVR"), *member.channels("CLUSSDR"), *member.of("QMGR"))


def _platform(scripts: Sequence[Script]) -> str:
    stated = " ".join(script.header.get(PLATFORM, "") for script in scripts).upper()
    return "ZOS" if "Z/OS" in stated or "MVS" in stated else "MULTI"
