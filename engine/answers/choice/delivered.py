"""Delivered: what stands in the way of a message to a destination after it is chosen, by the rules of delivery."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache

from attrs import define, field

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.settled import SettledBy
from mqclause.documents import DELIVERY
from mqclause.executors.course import Course
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.delivery import Beyond, Delivery
from mqclause.model.facts.destination import Destination
from mqclause.rulebook.rules import Rules

WAITING = "waits_for_channel"
"""What the rules of delivery derive of a message that waits for a channel."""


class Delivered(SettledBy):
    """What the rules say of one message on its way. The situation is a Delivery."""

    @cached_property
    def waits(self) -> bool:
        """Whether it waits for a channel."""
        return bool(self.facts[WAITING])


def delivered(seen: Delivery, rules: Rules) -> Delivered | None:
    """What rules say of a way; None where nothing is in it."""
    course = way_rules(rules)
    return None if course is None else in_the_way(seen, course)


@lru_cache(maxsize=16)
def way_rules(rules: Rules) -> Course | None:
    """The rules about ways; None where there are none."""
    return Course.of(rules, DELIVERY) if rules.in_folder(DELIVERY.name) else None


def in_the_way(seen: Delivery, course: Course) -> Delivered | None:
    """What the rules of ``course`` say of a way; None where nothing is in it."""
    if not any(course.run(seen, ())[0].facts.values()):
        return None
    return Delivered(seen, course.run(seen, (), None, True)[0], course)


def on_the_ways(
    chosen: Iterable[Destination], cluster: Cluster, rules: Rules, beyond: Beyond
) -> Iterator[tuple[Destination, Delivered]]:
    """The destinations to which something is in the way, as the cluster now is."""
    course = way_rules(rules)
    if course is not None:
        found = ((each, in_the_way(way_of(each, cluster, beyond), course)) for each in chosen)
        yield from ((each, told) for each, told in found if told is not None)


def obstacles(decision: Decision, beyond: Beyond) -> Iterator[str]:
    """The remarks on the ways to all that a decision permits, or to what an exit chose."""
    permitted = () if decision.outcome == "failed" else decision.remaining
    found = on_the_ways(permitted, decision.cluster, decision.rules, beyond)
    yield from dict.fromkeys(said for _, told in found for said in told.remarks)


@define(eq=False)
class Ways:
    """The remarks on the ways out of one queue manager over time; those of one state of its cluster are made once."""

    rules: Rules
    beyond: Beyond
    _cluster: Cluster | None = None
    _told: dict[Destination, tuple[str, ...]] = field(factory=dict)

    def obstacles(self, chosen: Destination, cluster: Cluster) -> tuple[str, ...]:
        """What stands in the way to a destination, as the cluster now is."""
        if cluster is not self._cluster:
            self._cluster, self._told = cluster, {}
        if chosen not in self._told:
            found = on_the_ways([chosen], cluster, self.rules, self.beyond)
            self._told[chosen] = tuple(said for _, told in found for said in told.remarks)
        return self._told[chosen]


def way_of(chosen: Destination, cluster: Cluster, beyond: Beyond) -> Delivery:
    """The way to a destination, which may have been chosen when the cluster was another."""
    told = beyond.hosted.get(chosen.queue_manager, {})
    leads_to = told.get(chosen.queue, "")
    return Delivery(
        cluster.queue_manager.name,
        chosen.queue,
        chosen.queue_manager,
        chosen.is_local,
        chosen.channel,
        _status_now(chosen, cluster),
        _enabled_now(chosen, cluster),
        cluster.put_disabled_here,
        _named_for(chosen.channel, beyond),
        beyond.defclxq,
        bool(told),
        chosen.queue in told,
        leads_to,
        not leads_to or _is_somewhere(leads_to, cluster, beyond),
        by_alias=chosen.is_alias,
        by_transmission_queue=chosen.transmission_queue,
        is_sent_from=beyond.sent_from is None or chosen.transmission_queue in beyond.sent_from,
    )


def _status_now(chosen: Destination, cluster: Cluster) -> str:
    routes = () if chosen.is_local else cluster.channels_by_queue_manager.get(chosen.queue_manager, ())
    same = (each for each in routes if (each.name, each.cluster) == (chosen.channel, chosen.cluster))
    return next((each.status for each in same), chosen.channel_status)


def _enabled_now(chosen: Destination, cluster: Cluster) -> bool:
    instances = () if chosen.alias else cluster.queues_by_name.get(chosen.queue, ())
    there = (each for each in instances if each.queue_manager == chosen.queue_manager)
    return next((each.put == "ENABLED" for each in there), chosen.put_enabled)


def _named_for(channel: str, beyond: Beyond) -> str:
    """The transmission queue whose CLCHNAME fits; of several the one that says most."""
    if not beyond.clchnames:
        return ""
    fitting = (name for name, pattern in beyond.clchnames.items() if channel and fnmatchcase(channel, pattern))
    return max(fitting, key=lambda name: len(beyond.clchnames[name].replace("*", "")), default="")


def _is_somewhere(queue: str, cluster: Cluster, beyond: Beyond) -> bool:
    """Whether a queue manager that is described has the queue, or one may that is not."""
    hosted = not beyond.whole or any(queue in names for names in beyond.hosted.values())
    return hosted or queue in cluster.queues_by_name
