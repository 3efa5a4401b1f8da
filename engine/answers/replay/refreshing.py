"""Refreshing: what a REFRESH CLUSTER meets, as the rules see it and as a row of a replay tells it."""

from __future__ import annotations

from attrs import evolve

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Channel, Queue, QueueManager, QueueManagerAlias, RemoteQueueManager
from mqclause.model.timeline.administered import Known
from mqclause.model.timeline.matter import Matter


def of_route(channel: Channel, asked: str, forced: bool = False) -> Matter:
    """What the rules see of a route that an event touches."""
    return Matter(
        asked=asked,
        kind="channel",
        name=channel.name,
        host=channel.queue_manager,
        cluster=channel.cluster,
        forced=forced,
        status=channel.status,
        deftype=channel.deftype,
        waiting=channel.messages,
    )


def of_known(each: Known, known: Cluster, name: str) -> Matter:
    """What the rules see of something that is ``known`` in the cluster ``name``."""
    own = known.queue_manager.name
    if isinstance(each, Channel):
        leads_to = known.remote.get(each.queue_manager)
        is_repository = leads_to is not None and leads_to.repository
        return evolve(of_route(each, "refresh"), owned=each.queue_manager == own, full_repository=is_repository)
    kind = "queue_manager" if isinstance(each, QueueManager | RemoteQueueManager) else "queue"
    host = _host_of(each)
    return Matter(
        asked="refresh",
        kind=kind,
        name=each.name,
        host=host,
        cluster=name,
        owned=host == own,
        also_elsewhere=any(other != name for other in each.clusters),
    )


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
