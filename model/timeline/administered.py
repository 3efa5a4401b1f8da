"""What commands and accidents of administration do to the facts: the snapshot before, and after. It knows no rule."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from attrs import evolve

from mqclause.model.diagnostic import quoted
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Channel, Queue, QueueManager, QueueManagerAlias, RemoteQueueManager
from mqclause.model.timeline.alteration import unknown
from mqclause.model.timeline.event import Event

Member = QueueManager | RemoteQueueManager
Known = QueueManager | RemoteQueueManager | Queue | QueueManagerAlias | Channel
"""What a refresh looks at."""


def administration_faults(cluster: Cluster, event: Event) -> Iterator[str]:
    """What is wrong with the objects that an event of administration names."""
    own = cluster.queue_manager
    named = event.queue_manager or own.name
    if event.do == "arrive":
        if event.queue not in cluster.own_queues:
            hosts = ", ".join(each.queue_manager for each in cluster.queues_by_name.get(event.queue, ()))
            known = unknown("queue", event.queue, cluster.own_queues) + f", hosted by {quoted(own.name)}"
            yield f"queue {quoted(event.queue)} is hosted by {hosts}, not by {quoted(own.name)}" if hosts else known
        return
    if named != own.name and named not in cluster.remote:
        yield unknown("queue_manager", named, (own.name, *cluster.remote))
    elif event.do in ("fail", "recover"):
        if named == own.name:
            others = ", ".join(cluster.remote) or "none is known"
            yield f"queue_manager: {quoted(named)} is the local queue manager; allowed: another one: {others}"
    elif event.cluster not in member_named(cluster, named).clusters:
        clusters = ", ".join(member_named(cluster, named).clusters) or "none"
        yield f"cluster: {quoted(named)} is not in {quoted(event.cluster)}; its clusters: {clusters}"


def member_named(cluster: Cluster, name: str) -> Member:
    """The queue manager of that name, the local one or another. Raises KeyError."""
    return cluster.queue_manager if name in ("", cluster.queue_manager.name) else cluster.remote[name]


def with_suspended(cluster: Cluster, name: str, suspended: tuple[str, ...]) -> Cluster:
    """The snapshot with a queue manager suspended in these clusters, and no others."""
    found = member_named(cluster, name)
    after: Any = evolve(found, suspended=suspended)
    if isinstance(found, QueueManager):
        return evolve(cluster, queue_manager=after)
    others = (after if each is found else each for each in cluster.remote_queue_managers)
    return evolve(cluster, remote_queue_managers=tuple(others))


def with_available(cluster: Cluster, name: str, available: bool) -> Cluster:
    """The snapshot after another queue manager failed, or came back."""
    found = cluster.remote[name]
    others = (evolve(each, available=available) if each is found else each for each in cluster.remote_queue_managers)
    return evolve(cluster, remote_queue_managers=tuple(others))


def with_status(cluster: Cluster, status: dict[int, str]) -> Cluster:
    """The snapshot with another status of some channels, by their place in the list."""
    if not status:
        return cluster
    channels = (evolve(each, status=status[at]) if at in status else each for at, each in enumerate(cluster.channels))
    return evolve(cluster, channels=tuple(channels))


def within(cluster: Cluster, name: str) -> Iterator[Known]:
    """All that is known in the cluster ``name``: queue managers, queues, aliases, then channels."""
    for listed in (
        (cluster.queue_manager,),
        cluster.remote_queue_managers,
        cluster.queues,
        cluster.queue_manager_aliases,
    ):
        yield from (each for each in listed if name in each.clusters)
    yield from (each for each in cluster.channels if each.cluster == name)


def instances(cluster: Cluster, but_for: str = "") -> Cluster:
    """The snapshot as far as the choice for a message on its way sees it: its queue's instances in clusters.

    Its name was resolved where it was put, so what else has that name here is none. Those of one queue manager are left
    out, with the routes to it.
    """
    own = cluster.queue_manager.name
    return evolve(
        cluster,
        queues=tuple(
            each
            for each in cluster.queues
            if each.queue_manager != but_for
            and (each.queue_manager != own or (each.type == "QLOCAL" and each.clusters))
        ),
        channels=tuple(each for each in cluster.channels if each.queue_manager != but_for),
    )


def refreshed(cluster: Cluster, name: str, removed: Collection[int], unnamed: Collection[int]) -> Cluster:
    """The snapshot with what is ``removed`` (ids of objects) gone from the cluster ``name``.

    What is in further clusters stays there. Of a queue manager the name stays, in no cluster, unless it is ``unnamed``
    (ids again) and no channel leads to it any more.
    """
    channels = tuple(each for each in cluster.channels if id(each) not in removed)
    reached = {each.queue_manager for each in channels}

    def left(listed: Any) -> Iterator[Any]:
        for each in listed:
            forgotten = isinstance(each, RemoteQueueManager) and name not in each.clusters
            if id(each) not in removed and not forgotten:
                yield each
            elif (after := _outside(each, name)).clusters or stays(each):
                yield after

    def stays(each: Any) -> bool:
        return isinstance(each, RemoteQueueManager) and (id(each) not in unnamed or each.name in reached)

    return evolve(
        cluster,
        remote_queue_managers=tuple(left(cluster.remote_queue_managers)),
        queues=tuple(left(cluster.queues)),
        queue_manager_aliases=tuple(left(cluster.queue_manager_aliases)),
        channels=channels,
    )


def _outside(each: Any, name: str) -> Any:
    clusters = tuple(other for other in each.clusters if other != name)
    if isinstance(each, RemoteQueueManager):
        return evolve(each, clusters=clusters, suspended=tuple(other for other in each.suspended if other != name))
    return evolve(each, clusters=clusters)
