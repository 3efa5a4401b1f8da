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


class Delivered(SettledBy):
    """What the rules say of one message on its way. The situation is a Delivery."""

    @cached_property
    def waits(self) -> bool:
        """Whether it only waits for a channel."""
        return bool(self.facts["waits_for_channel"])


def delivered(decision: Decision, snapshot: Snapshot) -> Delivered | None:
    """The way to the destination that was chosen in the snapshot's cluster; None where none was, or no rule says it."""
    if decision.chosen is None or not decision.rules.in_folder(DELIVERY.name):
        return None
    course, seen = Course.of(decision.rules, DELIVERY), _delivery(decision, snapshot)
    return Delivered(seen, course.run(seen, (), None, True)[0], course)


def obstacles(decision: Decision, snapshot: Snapshot) -> Iterator[str]:
    """The remarks on that way."""
    found = delivered(decision, snapshot)
    yield from found.remarks if found is not None else ()


def _delivery(decision: Decision, snapshot: Snapshot) -> Delivery:
    chosen, cluster = decision.chosen, decision.cluster
    assert chosen is not None, "asked of a choice"  # noqa: S101
    own = cluster.own_queues.values()
    # an alias of a queue manager leads to other names there, and a local queue has been looked up
    told = {} if chosen.alias or chosen.is_local else snapshot.hosted.get(chosen.queue_manager, {})
    leads_to = told.get(chosen.queue, "")
    anybody = any(leads_to in queues for queues in snapshot.hosted.values()) or bool(snapshot.incomplete)
    return Delivery(
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
