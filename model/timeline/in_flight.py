"""Messages in flight: sent on a route, and not yet known to have arrived."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from attrs import frozen

from mqclause.model.diagnostic import quoted
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import CHANNEL_NAME, NAME, NAME_OR_BLANK, Flag, Maker, attribute
from mqclause.model.facts.objects import Channel
from mqclause.model.readers.facts_document import labelled
from mqclause.model.readers.facts_file import MOST_FAULTS
from mqclause.model.timeline.alteration import unknown
from mqclause.model.timeline.further_tables import rows_in


@frozen
class InFlight:
    """A message on its way by the route ``channel``; ``queue_manager`` and ``cluster`` tell routes of one name apart.

    ``bound``: to that queue manager; ``delivered``: it is on the queue there already; ``cluster_pcf``: it is one by
    which queue managers of a cluster tell each other what they know.
    """

    id: str = attribute(NAME)
    queue: str = attribute(NAME)
    channel: str = attribute(CHANNEL_NAME)
    queue_manager: str = attribute(NAME_OR_BLANK, "")
    cluster: str = attribute(NAME_OR_BLANK, "")
    persistent: bool = attribute(Flag(), True)
    bound: bool = attribute(Flag(), False)
    in_doubt: bool = attribute(Flag(), False)
    delivered: bool = attribute(Flag(), False)
    cluster_pcf: bool = attribute(Flag(), False)


_maker = Maker(InFlight)


def in_flight_of(data: object, cluster: Cluster | None) -> tuple[tuple[InFlight, ...], list[str]]:
    """The messages in flight of a document, and every fault; ``cluster`` is None where its facts are at fault."""
    made, faults = rows_in(data, "in_flight", _maker)
    if cluster is not None and not faults:
        faults = list(islice(_faults(made, cluster), MOST_FAULTS))
    return tuple(made), faults


def route_of(message: InFlight, cluster: Cluster) -> Channel:
    """The route on which it was sent. Raises KeyError."""
    for channel in cluster.channels:
        if _is_route(message, channel):
            return channel
    raise KeyError(message.channel)


def _is_route(message: InFlight, channel: Channel) -> bool:
    return (
        channel.name == message.channel
        and message.queue_manager in ("", channel.queue_manager)
        and message.cluster in ("", channel.cluster)
    )


def _faults(made: list[InFlight], cluster: Cluster) -> Iterator[str]:
    ids: set[str] = set()
    routes: dict[tuple[str, str, str], list[Channel]] = {}
    senders = [channel for channel in cluster.channels if channel.deftype != "CLUSRCVR"]
    for at, each in enumerate(made, 1):
        label = labelled("in_flight", at, {"name": each.id})
        if each.id in ids:
            yield f"{label}: id: {quoted(each.id)} is given twice"
        ids.add(each.id)
        if each.queue not in cluster.queues_by_name:
            yield f"{label}: {unknown('queue', each.queue, cluster.queues_by_name)}"
        key = (each.channel, each.queue_manager, each.cluster)
        if key not in routes:
            routes[key] = [channel for channel in senders if _is_route(each, channel)]
        yield from (f"{label}: {fault}" for fault in _route_faults(each, routes[key], senders))
        yield from (f"{label}: {fault}" for fault in _doubt_faults(each, routes[key]))


def _doubt_faults(each: InFlight, found: list[Channel]) -> Iterator[str]:
    """A message that a channel sends outside its batches is never in doubt."""
    if each.in_doubt and not each.persistent and any(route.npmspeed == "FAST" for route in found):
        yield (
            f"in_doubt: True is not allowed of a message that is not persistent on {each.channel}, which has"
            " NPMSPEED(FAST); allowed: persistent = true, or npmspeed = 'NORMAL' of that channel"
        )


def _route_faults(each: InFlight, found: list[Channel], senders: list[Channel]) -> Iterator[str]:
    if not found:
        named = [channel for channel in senders if channel.name == each.channel]
        if not named:
            yield unknown("channel", each.channel, (channel.name for channel in senders))
            return
        leads = ", ".join(f"{channel.queue_manager} in {quoted(channel.cluster)}" for channel in named)
        yield f"channel {quoted(each.channel)} leads elsewhere; allowed: {leads}"
    elif len(found) > 1:
        leads = ", ".join(f"{channel.queue_manager} in {quoted(channel.cluster)}" for channel in found)
        yield f"channel {quoted(each.channel)} is several routes; name one with queue_manager and cluster: {leads}"
