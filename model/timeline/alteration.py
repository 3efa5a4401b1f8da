"""Alterations: the snapshot after an ALTER command or an MQSET call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from attrs import evolve, fields

from mqclause.model.diagnostic import DomainError, quoted, suggestion
from mqclause.model.facts.cluster import LISTS, Cluster, ContradictionError
from mqclause.model.facts.domains import Domain
from mqclause.model.facts.objects import Channel, Queue, QueueManager, RemoteQueueManager
from mqclause.model.timeline.event import Event, EventError

FIXED = frozenset({"name", "queue_manager", "curdepth", "ipprocs"})
"""What tells one object from another, and what calls change: no alter changes it."""

Altered = Queue | Channel | QueueManager | RemoteQueueManager

ALTERABLE: dict[type, Mapping[str, Domain]] = {
    each: {at.name: at.metadata["domain"] for at in fields(each) if at.name not in FIXED}
    for each in (Queue, Channel, RemoteQueueManager)
}
"""The attributes that an alter can change, by class of fact, with their domains."""

ALTERABLE[QueueManager] = {at.name: at.metadata["domain"] for at in fields(QueueManager) if at.name != "name"}


class QueueChange(NamedTuple):
    """A local queue before and after an alter."""

    before: Queue
    after: Queue


class Alteration(NamedTuple):
    """The snapshot after an alter; ``queue`` is the local queue that it changed, if it did."""

    cluster: Cluster
    queue: QueueChange | None


def altered(cluster: Cluster, event: Event) -> Alteration:
    """What the alter ``event`` makes of ``cluster``; raises EventError if it cannot be."""
    try:
        found = objects(cluster, event)
    except EventError as error:  # it is in the facts, and a refresh has removed it
        raise EventError(f"as of this event {error}") from None
    _check_names(found[0], event.set)
    try:
        changed = [_evolved(each, event.set) for each in found]
        after = _replaced(cluster, found, changed)
    except (DomainError, ContradictionError) as error:
        raise EventError(f"set: {error}") from None
    old, new = found[0], changed[0]
    if isinstance(old, Queue) and isinstance(new, Queue) and old.queue_manager == cluster.queue_manager.name:
        return Alteration(after, QueueChange(old, new))
    return Alteration(after, None)


def _check_names(of: Altered, names: Iterable[str]) -> None:
    for name in names:
        if name not in ALTERABLE[type(of)]:
            raise EventError(f"set: unknown attribute {quoted(name)}; allowed: {', '.join(ALTERABLE[type(of)])}")


def _evolved(of: Any, changes: Mapping[str, object]) -> Any:
    return evolve(of, **changes)


def with_attribute(cluster: Cluster, queue: Queue, name: str, value: object) -> Cluster:
    """``cluster`` with one attribute of ``queue`` changed."""
    return _replaced(cluster, [queue], [_evolved(queue, {name: value})])


def objects(cluster: Cluster, event: Event) -> Sequence[Altered]:
    """The objects that an alter names, all of one kind; raises EventError if there is none."""
    if event.channel:
        if event.queue or event.queue_manager:
            raise EventError("names a channel together with another object; allowed: one object")
        return _known(
            [each for each in cluster.channels if each.name == event.channel],
            "channel",
            event.channel,
            (each.name for each in cluster.channels),
        )
    if event.queue:
        return [_queue(cluster, event)]
    own = cluster.queue_manager
    if event.queue_manager in ("", own.name):
        return [own]
    other = cluster.remote.get(event.queue_manager)
    return _known([other] if other else [], "queue_manager", event.queue_manager, (own.name, *cluster.remote))


def _queue(cluster: Cluster, event: Event) -> Queue:
    host = event.queue_manager or cluster.queue_manager.name
    instances = cluster.queues_by_name.get(event.queue, ())
    for queue in instances:
        if queue.queue_manager == host:
            return queue
    if not instances:
        _known([], "queue", event.queue, cluster.queues_by_name)
    hosts = ", ".join(queue.queue_manager for queue in instances)
    raise EventError(f"queue {quoted(event.queue)} has no instance on {quoted(host)}; queue_manager allowed: {hosts}")


def _known(found: Sequence[Altered], table: str, name: str, known: Iterable[str]) -> Sequence[Altered]:
    if not found:
        raise EventError(unknown(table, name, known))
    return found


def unknown(table: str, name: str, known: Iterable[str]) -> str:
    """What is wrong with the name of an object that is not in the facts."""
    return f"{table} {quoted(name)} is not known; allowed: one of the facts{suggestion(name, known)}"


def _replaced(cluster: Cluster, old: Sequence[Altered], new: Sequence[Altered]) -> Cluster:
    """``cluster`` with objects of one kind replaced."""
    changed: Cluster
    if isinstance(old[0], QueueManager):
        changed = _evolved(cluster, {"queue_manager": new[0]})
        return changed
    name = LISTS[type(old[0])]
    by_id = {id(before): after for before, after in zip(old, new, strict=True)}
    changed = _evolved(cluster, {name: tuple(by_id.get(id(each), each) for each in getattr(cluster, name))})
    return changed
