"""Scripts and dumps of several queue managers, put together as one of them sees the cluster."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from attrs import frozen

from mqclause.model.assembly.objects import MqObject, Objects
from mqclause.model.diagnostic import Diagnostic, quoted, suggestion
from mqclause.model.facts.domains import NAME
from mqclause.model.facts.objects import Channel, Process, Queue, QueueManager, QueueManagerAlias, RemoteQueueManager
from mqclause.model.readers.record import Script

F = TypeVar("F")
PLATFORM = "Queue manager platform"


@frozen
class Placed(Generic[F]):
    """A fact with the place that states it; ``line`` is None where no line does."""

    fact: F
    source: str
    line: int | None


@frozen
class Assembly:
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


def assemble(scripts: Sequence[Script], local: str | None) -> Assembly:
    """The view of the queue manager ``local``, or of the only one if ``local`` is None.

    Scripts of the same queue manager apply one after the other; a script that names none belongs to the local one.
    """
    if not scripts:
        return Assembly()
    named = [script.queue_manager for script in scripts if script.queue_manager]
    try:
        chosen = _chosen(named, local, len(named) < len(scripts))
        members: dict[str, list[Script]] = {}
        for script in scripts:
            members.setdefault(NAME(script.queue_manager or chosen, "queue manager name"), []).append(script)
    except ValueError as fault:
        return Assembly(diagnostics=(Diagnostic(scripts[0].source, str(fault)),))
    faults: list[Diagnostic] = []
    return _View(chosen, {name: _objects(name, members[name], faults) for name in members}, members).assembly(faults)


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
    objects = Objects(name, faults)
    for script in scripts:
        for record in script.records:
            objects.apply(record)
    objects.settle()
    return objects


@frozen
class _View:
    """What the queue manager ``local`` sees of all ``members``."""

    local: str
    members: Mapping[str, Objects]
    scripts: Mapping[str, Sequence[Script]]

    def assembly(self, faults: Sequence[Diagnostic]) -> Assembly:
        everyone = self.members.values()
        manual = {sender.name for sender in self.members[self.local].channels("CLUSSDR")}
        return Assembly(
            queue_manager=self.queue_manager(),
            remote_queue_managers=tuple(self.remote(other) for other in everyone if other.name != self.local),
            queues=tuple(fact for member in everyone for fact in self.queues(member)),
            queue_manager_aliases=self.aliases(),
            channels=tuple(fact for member in everyone for fact in self.channels(member, manual)),
            processes=tuple(_placed(Process(p.name, **p.fields), p) for p in self.members[self.local].of("PROCESS")),
            diagnostics=tuple(faults),
        )

    def queue_manager(self) -> Placed[QueueManager]:
        mine = self.members[self.local]
        of = [found.fields for found in mine.of("QMGR")]
        fact = QueueManager(
            name=mine.name,
            clusters=_clusters(mine),
            suspended=tuple(mine.suspended),
            platform=_platform(self.scripts[self.local]),
            **(of[0] if of else {}),
        )
        return self.whole(fact, mine)

    def remote(self, other: Objects) -> Placed[RemoteQueueManager]:
        return self.whole(RemoteQueueManager(other.name, _clusters(other), tuple(other.suspended)), other)

    def whole(self, fact: F, member: Objects) -> Placed[F]:
        """A fact about a queue manager as a whole: it is placed at its first ALTER QMGR, or at its first source."""
        for found in member.of("QMGR"):
            return _placed(fact, found)
        return Placed(fact, self.scripts[member.name][0].source, None)

    def queues(self, member: Objects) -> Iterator[Placed[Queue]]:
        """The local queue manager's queues, and the clustered ones of another member."""
        for queue in member.of("QLOCAL", "QALIAS", "QREMOTE"):
            if _is_alias(queue) or not (queue.clusters or member.name == self.local):
                continue
            target = "" if queue.text("TARGTYPE") == "TOPIC" else queue.text("TARGET")
            fact = Queue(
                name=queue.name,
                queue_manager=member.name,
                type=queue.kind,
                target=target if queue.kind == "QALIAS" else "",
                clusters=queue.clusters,
                **queue.fields,
            )
            yield _placed(fact, queue)

    def aliases(self) -> tuple[Placed[QueueManagerAlias], ...]:
        """The queue-manager aliases, each name once for each queue manager that it resolves to."""
        found: dict[tuple[str, str], Placed[QueueManagerAlias]] = {}
        mine = self.members[self.local]
        for member in (mine, *(other for other in self.members.values() if other is not mine)):
            for remote in filter(_is_alias, member.of("QREMOTE")):
                resolved = self.resolved(remote, member)
                if resolved in self.members:
                    found.setdefault((remote.name, resolved), _placed(_alias(remote, resolved), remote))
        return tuple(found.values())

    def resolved(self, remote: MqObject, member: Objects) -> str:
        """The queue manager that messages for an alias go to: the member that has it in the cluster, or what the
        local definition names; blank if the local queue manager does not see the alias."""
        if member.name == self.local:
            return remote.text("RQMNAME") or self.local
        return member.name if remote.clusters else ""

    def channels(self, member: Objects, manual: Container[str]) -> Iterator[Placed[Channel]]:
        """The local cluster receivers, or the routes to another member that its cluster receivers make.

        ``manual`` has the names of the local cluster senders. What they say besides is not read: a sender takes
        its attributes from the receiver.
        """
        for receiver in member.channels("CLUSRCVR"):
            deftype = "CLUSSDRB" if receiver.name in manual else "CLUSSDRA"
            for cluster in receiver.clusters:
                fact = Channel(
                    name=receiver.name,
                    queue_manager=member.name,
                    cluster=cluster,
                    deftype="CLUSRCVR" if member.name == self.local else deftype,
                    **receiver.fields,
                )
                yield _placed(fact, receiver)


def _placed(fact: F, found: MqObject) -> Placed[F]:
    return Placed(fact, found.record.source, found.record.line)


def _is_alias(queue: MqObject) -> bool:
    return queue.kind == "QREMOTE" and not queue.text("RNAME")


def _alias(remote: MqObject, resolved: str) -> QueueManagerAlias:
    kept = {name: remote.fields[name] for name in ("put", "clwlrank", "clwlprty") if name in remote.fields}
    return QueueManagerAlias(remote.name, resolved, remote.clusters, **kept)


def _clusters(member: Objects) -> tuple[str, ...]:
    """The clusters that a queue manager is a member or a full repository of."""
    found = (*member.channels("CLUSRCVR"), *member.channels("CLUSSDR"), *member.of("QMGR"))
    return tuple(dict.fromkeys(cluster for each in found for cluster in each.clusters))


def _platform(scripts: Sequence[Script]) -> str:
    stated = " ".join(script.header.get(PLATFORM, "") for script in scripts).upper()
    return "ZOS" if "Z/OS" in stated or "MVS" in stated else "MULTI"
