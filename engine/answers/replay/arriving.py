"""Arriving: what a message that comes over a cluster channel meets under the name of its queue."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from mqclause.answers.choice.resolution import Look, Resolved
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Queue
from mqclause.model.timeline.event import Event
from mqclause.model.timeline.matter import Matter

NAMED_QUEUE_MANAGER = "queue manager"
"""What the names of a put end in where one of them is that of another queue manager of the cluster."""


@frozen(eq=False)
class Arrival:
    """The way of a message that arrives: ``where`` is what its queue's name comes to at the local queue manager."""

    event: Event
    cluster: Cluster
    where: Resolved

    @property
    def queue(self) -> Queue | None:
        """The local queue that the name comes to: one in no cluster, or the local instance."""
        if not self.where.stays_local and self.where.ends != "queue":
            return None
        return self.cluster.own_queues.get(self.where.names[0])

    @property
    def disabled(self) -> str:
        """The first object on the way that is put-disabled; blank if none is."""
        own = self.cluster.own_queues
        met = (name for look in self.where.looks for name in _met(look))
        return next((name for name in met if name in own and own[name].put == "DISABLED"), "")

    def put(self) -> Event:
        """The put on the local queue that it comes to, with the priority of what was named."""
        priority = self.where.default_priority if self.where.followed else None
        name, persistent = self.where.names[0], self.event.persistent
        return Event("put", queue=name, id=self.event.id, priority=priority, persistent=persistent)

    def matter(self, full: bool) -> Matter:
        """What the rules see of it; ``full`` is the queue that it comes to."""
        own, reason, found = self.cluster.queue_manager, self.where.reason, bool(self.where.ends)
        return Matter(
            asked="arrive",
            kind="message",
            name=self.event.queue,
            host=own.name,
            persistent=self.event.persistent,
            bound=self.event.bound,
            leads="" if not found else "elsewhere" if self.queue is None else "here",
            base=self.where.names[0] if found else "",
            disabled=self.disabled,
            full=full,
            queue_manager_named=self.where.ends == NAMED_QUEUE_MANAGER,
            reason=reason.name if reason and not found else "",
            dead_letter_queue=bool(own.deadq),
        )


def _met(look: Look) -> Iterator[str]:
    """The objects of the local queue manager at which a look found its names."""
    if look.facts["object"]:
        yield look.facts["object"]
    elif look.holds("here"):
        yield look.situation.queue
    yield look.facts["transmission_queue"]
