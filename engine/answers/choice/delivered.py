"""Delivered: what stands in the way of a message to a destination after it is chosen, by the rules of delivery."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.settled import SettledBy
from mqclause.documents import DELIVERY
from mqclause.executors.course import Course
from mqclause.model.assembly.snapshot import Snapshot
from mqclause.model.facts.delivery import Delivery
from mqclause.model.facts.destination import Destination
from mqclause.rulebook.rules import Rules

WAITING = "waits_for_channel"
"""What the rules of delivery derive of a message that only waits for a channel."""


class Delivered(SettledBy):
    """What the rules say of one message on its way. The situation is a Delivery."""

    @property
    def lasting(self) -> list[str]:
        """What stands in the way besides that it waits for a channel."""
        return [said for derived, said in self.remarked() if WAITING not in derived]

    @cached_property
    def waits(self) -> bool:
        """Whether it only waits for a channel."""
        return bool(self.facts[WAITING])


def delivered(seen: Delivery, rules: Rules) -> Delivered | None:
    """What rules say of a way; None where there are no rules about it."""
    if not rules.in_folder(DELIVERY.name):
        return None
    course = Course.of(rules, DELIVERY)
    return Delivered(seen, course.run(seen, (), None, True)[0], course)


def obstacles(decision: Decision, snapshot: Snapshot) -> Iterator[str]:
    """The remarks on the way to the destination that was chosen in the snapshot's cluster, if one was."""
    way = way_to(decision, snapshot)
    found = None if way is None else delivered(way, decision.rules)
    yield from found.remarks if found is not None else ()


def way_to(decision: Decision, snapshot: Snapshot) -> Delivery | None:
    """The way to what was chosen; None where nothing was."""
    return None if decision.chosen is None else way_of(decision.chosen, decision, snapshot)


def way_of(chosen: Destination, decision: Decision, snapshot: Snapshot) -> Delivery:
    """The way to one of the destinations that a decision permits."""
    cluster = decision.cluster
    own = cluster.own_queues.values()
    # an alias of a queue manager leads to other names there, and a local queue has been looked up
    told = {} if chosen.alias or chosen.is_local else snapshot.hosted.get(chosen.queue_manager, {})
    leads_to = told.get(chosen.queue, "")
    anybody = any(leads_to in queues for queues in snapshot.hosted.values()) or bool(snapshot.incomplete)
    return Delivery(
        cluster.queue_manager.name,
        chosen.queue,
        chosen.queue_manager,
        chosen.is_local,
        chosen.channel,
        chosen.channel_status,
        chosen.put_enabled,
        tuple(each.name for each in own if each.put == "DISABLED"),
        bool(told),
        chosen.queue in told,
        leads_to,
        anybody or any(leads_to in (each.name, "") for each in cluster.queues),
    )
