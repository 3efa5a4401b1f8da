"""Refreshing: what a REFRESH CLUSTER meets, as the rules see it and as a row of a replay tells it."""

from __future__ import annotations

from collections.abc import Collection

from attrs import evolve

from mqclause.answers.choice.said import listing
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Channel, Queue, QueueManager, QueueManagerAlias, RemoteQueueManager
from mqclause.model.timeline.administered import Known
from mqclause.model.timeline.event import Event
from mqclause.model.timeline.matter import Matter


def of_route(channel: Channel, asked: str, mode: str = "", outbound: bool = False) -> Matter:
    """What the rules see of a route that an event touches."""
    return Matter(
        asked=asked,
        kind="channel",
        name=channel.name,
        host=channel.queue_manager,
        cluster=channel.cluster,
        mode=mode,
        status=channel.status,
        deftype=channel.deftype,
        waiting=channel.messages,
        outbound=outbound,
    )


def of_command(event: Event, known: Cluster) -> Matter:
    """What the rules see of the command itself."""
    own = known.queue_manager
    return Matter(
        asked="refresh_command",
        kind="queue_manager",
        name=own.name,
        host=own.name,
        cluster=event.cluster,
        repos=event.repos,
        at_full_repository=own.is_full_in(event.cluster),
    )


def of_known(each: Known, command: Matter, known: Cluster, in_flight: int) -> Matter:
    """What the rules see of something that is ``known`` in the cluster of a ``command``.

    On a route so many messages are ``in_flight``.
    """
    own, name = known.queue_manager.name, command.cluster
    if isinstance(each, Channel):
        leads_to = known.remote.get(each.queue_manager)
        is_repository = leads_to is not None and leads_to.is_full_in(each.cluster)
        return evolve(
            of_route(each, "refresh"),
            owned=each.queue_manager == own,
            in_flight=in_flight,
            full_repository=is_repository,
            repos=command.repos,
        )
    is_member = isinstance(each, QueueManager | RemoteQueueManager)
    host = _host_of(each)
    return evolve(
        command,
        asked="refresh",
        kind="queue_manager" if is_member else "queue",
        name=each.name,
        host=host,
        owned=host == own,
        full_repository=isinstance(each, QueueManager | RemoteQueueManager) and each.is_full_in(name),
        also_elsewhere=any(other != name for other in each.clusters),
    )


def of_put(named: str, reason: str, clusters: Collection[str], known: Cluster) -> Matter:
    """What the rules see of a put that fails, to a name that a refresh of each of the ``clusters`` removed."""
    routes = known.channels_by_queue_manager
    reached = [
        each.name for each in known.remote_queue_managers
        if any(route.cluster in clusters and each.is_full_in(route.cluster) for route in routes.get(each.name, ()))
    ]  # fmt: skip
    return Matter(asked="put", name=named, reason=reason, repositories=listing(reached, "or"))


def told_as(each: Known) -> dict[str, str]:
    """How a row names what a refresh removes or keeps."""
    match each:
        case QueueManager() | RemoteQueueManager():
            return {"queue_manager": each.name}
        case Channel():
            return {"channel": each.name, "queue_manager": each.queue_manager}
    return {"queue": each.name, "queue_manager": _host_of(each)}


def _host_of(each: QueueManager | RemoteQueueManager | Queue | QueueManagerAlias) -> str:
    if isinstance(each, QueueManager | RemoteQueueManager):
        return each.name
    return each.routed_to if isinstance(each, QueueManagerAlias) else each.queue_manager
