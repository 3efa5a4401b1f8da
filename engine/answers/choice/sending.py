"""Sending: the transmission queue that a put over a cluster channel goes to, and whether it takes the message."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from mqclause.answers.choice.reason import Reason
from mqclause.answers.choice.settled import SettledBy
from mqclause.documents import CALL, DELIVERY
from mqclause.executors.course import Course
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.constants import REASONS
from mqclause.model.facts.delivery import Delivery, queue_of_channel, serving_queue
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.objects import Queue
from mqclause.model.facts.queue_call import QueueCall
from mqclause.rulebook.rules import Rules

TRANSMISSION_QUEUE = "transmission_queue"
"""The term of the rules of delivery that names the queue."""

Depths = Callable[[str], int]
"""How many messages are on a local queue, by its name."""


class Sending:
    """Which puts over cluster channels fail at their transmission queue, by the rules of delivery and of calls."""

    def __init__(self, rules: Rules) -> None:
        asked = rules.in_folder(DELIVERY.name) and rules.in_folder(CALL.name)
        self.ways = Course.of(rules, DELIVERY) if asked else None
        self.calls = Course.of(rules, CALL) if asked else None

    def refusal(
        self, sent: Destination | None, call: str, cluster: Cluster, depths: Depths | None = None
    ) -> Reason | None:
        """The reason code of a ``call`` that puts a message for ``sent``, as far as facts tell; None if there is none.

        An open puts nothing. ``depths`` say what is on the queues now, where that is not what the facts have.
        """
        if sent is None or call == "MQOPEN" or sent.is_local or not sent.channel or not cluster.own_queues:
            return None
        if depths is not None:
            return self._refusal(sent, call, cluster, depths)
        key = (self, sent.channel, call)
        if key not in cluster.refusals:
            cluster.refusals[key] = self._refusal(sent, call, cluster, lambda name: _depth_in(cluster, name))
        found: Reason | None = cluster.refusals[key]
        return found

    def queue(self, channel: str, cluster: Cluster) -> Queue | None:
        """The local queue that messages for a cluster channel are put on; None where no fact tells of it."""
        key = (self, channel)
        if key not in cluster.refusals:
            seen = until_sent(channel, cluster)
            name = "" if self.ways is None else SettledBy.of(seen, self.ways).value(TRANSMISSION_QUEUE)
            cluster.refusals[key] = cluster.own_queues.get(name)
        found: Queue | None = cluster.refusals[key]
        return found if found is not None and found.type == "QLOCAL" else None

    def _refusal(self, sent: Destination, call: str, cluster: Cluster, depths: Depths) -> Reason | None:
        queue = self.queue(sent.channel, cluster)
        if queue is None or self.calls is None:
            return None
        seen = QueueCall(
            queue.name, call, queue.put, queue.put, depths(queue.name), 1, queue.maxdepth, shared=queue.shared,
            named=queue.name,
        )  # fmt: skip
        failure = self.calls.run(seen, ())[0].failure
        if failure is None:
            return None
        told = SettledBy.of(seen, self.calls)
        rule = told.rule.id if told.rule else ""
        return Reason(failure.reason, REASONS[failure.reason], failure.call, rule, told.because)


def until_sent(channel: str, cluster: Cluster) -> Delivery:
    """The way of a message as far as the transmission queue of a channel."""
    own = cluster.queue_manager
    return Delivery(
        own.name, channel=channel, own_transmission_queue=serving_queue(channel, cluster.serving),
        defclxq=own.defclxq, queue_of_channel=queue_of_channel(channel), put_disabled_here=cluster.put_disabled_here,
        full_here=cluster.full_here,
    )  # fmt: skip


def _depth_in(cluster: Cluster, queue: str) -> int:
    return cluster.own_queues[queue].curdepth or 0


@lru_cache(maxsize=16)
def sending_of(rules: Rules) -> Sending:
    """Made once for the same rules."""
    return Sending(rules)
