"""Flight: a message on its way over a route, as long as a replay lasts."""

from __future__ import annotations

from attrs import define

from mqclause.model.facts.destination import Destination
from mqclause.model.facts.objects import Channel
from mqclause.model.timeline.in_flight import InFlight
from mqclause.model.timeline.matter import Matter

RouteKey = tuple[str, str, str]


@define(eq=False)
class Flight:
    """A message on its way by ``route``; whether it ``waits`` for its target to come back."""

    message: InFlight
    route: Channel
    waits: bool = False

    def matter(self, asked: str) -> Matter:
        """What the rules see of it."""
        message, route = self.message, self.route
        return Matter(
            asked=asked,
            kind="message",
            name=route.name,
            host=route.queue_manager,
            cluster=route.cluster,
            status=route.status,
            persistent=message.persistent,
            fast=route.npmspeed == "FAST",
            bound=message.bound,
            in_doubt=message.in_doubt,
            delivered=message.delivered,
        )


def route_key(route: Channel | Destination) -> RouteKey:
    """What tells a route from others: its channel, where it leads, and the cluster."""
    name = route.name if isinstance(route, Channel) else route.channel
    return name, route.queue_manager, route.cluster
