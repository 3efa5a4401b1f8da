"""Find what keeps a message from its queue after its destination is chosen, by the rules of delivery."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Any

from attrs import define, evolve, field

from mqclause.answers import RuleAnswer
from mqclause.documents import DELIVERY
from mqclause.executors.pipeline import Pipeline
from mqclause.model.diagnostics import find_closest
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.delivery import (
    Delivery,
    DeliveryContext,
    describe_takers,
    find_serving_queue,
    get_channel_queue,
)
from mqclause.model.facts.domains import LARGEST
from mqclause.model.facts.objects import Channel, Queue
from mqclause.model.facts.workload import Destination
from mqclause.rulebook.rules import Rules
from mqclause.workload.decision import Decision
from mqclause.workload.resolution import Resolution, build_sending_delivery

WAITING_FACT = "waits_for_channel"
"""What the rules of delivery derive of a message that waits for a channel."""

NEW_BEGINNING = "rest_of_group_is_balanced"
"""What they derive of a message of a group whose rest goes where it goes, and no longer where the first one went."""


class DeliveryAnswer(RuleAnswer):
    """The answer of the rules about one message on its way. The situation is a Delivery."""

    @cached_property
    def waits(self) -> bool:
        """Whether it waits for a channel."""
        return bool(self.facts[WAITING_FACT])


def check_delivery(seen: Delivery, rules: Rules) -> DeliveryAnswer | None:
    """Run the rules of delivery on a way; None if nothing is in it."""
    course = _way_rules(rules)
    if course is None or not any(course.run(seen, ())[0].facts.values()):
        return None
    return DeliveryAnswer.of(seen, course)


def list_delivery_remarks(seen: Delivery, rules: Rules) -> tuple[str, ...]:
    """List what the rules of delivery remark on a way."""
    found = check_delivery(seen, rules)
    return () if found is None else tuple(found.remarks)


@lru_cache(maxsize=16)
def _way_rules(rules: Rules) -> Pipeline | None:
    """The rules about ways; None where there are none."""
    return Pipeline.of(rules, DELIVERY) if rules.in_folder(DELIVERY.name) else None


def check_deliveries(
    chosen: Iterable[Destination], decision: Decision, beyond: DeliveryContext, bound: bool = False
) -> dict[Destination, DeliveryAnswer]:
    """Find destinations, chosen by a decision or as good as that, to which something is in the way.

    Messages are bound as the decision has it, or ``bound`` all the same.
    """
    rules, cluster, bound = decision.rules, decision.cluster, bound or decision.binds
    found = ((each, check_delivery(_build_delivery(each, cluster, beyond, bound), rules)) for each in chosen)
    return {each: told for each, told in found if told is not None}


def find_obstacles(decision: Decision, beyond: DeliveryContext) -> tuple[str, ...]:
    """Find the remarks on the ways to all that a decision permits, or an exit chose, and on values stated in vain."""
    if decision.refusal is not None:
        return find_refusal_remarks(decision, beyond)
    if decision.outcome == "failed":
        return ()
    found = [*check_deliveries(decision.remaining, decision, beyond).values(), *_on_overridden(decision, beyond)]
    found += check_listed_states(decision)
    of_aliases = find_alias_remarks(decision.resolved, decision.cluster, decision.rules)
    return tuple(dict.fromkeys([*(said for told in found for said in told.remarks), *of_aliases]))


def find_alias_remarks(resolved: Resolution, cluster: Cluster, rules: Rules) -> tuple[str, ...]:
    """Find the remarks on objects here that led the put on, and that limit how long its message lives."""
    if not resolved.followed:
        return ()
    local, own = cluster.queue_manager.name, cluster.own_queues
    led = [own[name] for look in resolved.followed if (name := look.facts["object"]) in own]
    ways = (Delivery(local, each.name, local, is_local=True, capexpry=each.capexpry) for each in led if each.capexpry)
    return tuple(dict.fromkeys(said for each in ways for said in list_delivery_remarks(each, rules)))


def _on_overridden(decision: Decision, beyond: DeliveryContext) -> Iterator[DeliveryAnswer]:
    """What is said of the values that a CLUSSDR states, of every route that there was to choose from."""
    sender = decision.cluster.queue_manager.name
    for each in decision.listed if beyond.overridden else ():
        stated = "" if each.is_local else beyond.overridden.get(each.channel, "")
        seen = Delivery(sender, "", each.queue_manager, channel=each.channel, overridden=stated)
        yield from filter(None, [check_delivery(seen, decision.rules) if stated else None])


def check_listed_states(decision: Decision, besides: Collection[str] = ()) -> list[DeliveryAnswer]:
    """Find what is said of the states of channels that there were to choose from, but ``besides``, once for each."""
    own, rules = decision.cluster.queue_manager, decision.rules
    states = dict.fromkeys(each.channel_status for each in decision.listed if not each.is_local)
    sender = own.name, own.platform, own.command_level > 0
    return [*filter(None, (_check_state(each, *sender, rules) for each in states if each not in besides))]


@lru_cache(maxsize=1024)
def _check_state(state: str, sender: str, platform: str, level_told: bool, rules: Rules) -> DeliveryAnswer | None:
    """What is said of a state, which is one of a few: the same in all decisions of a queue manager."""
    return check_delivery(Delivery(sender, platform=platform, level_told=level_told, listed_status=state), rules)


def check_group(
    chosen: Destination, group: str, first: Destination, cluster: Cluster, rules: Rules
) -> DeliveryAnswer | None:
    """Find what is said of a message of a group that another destination was chosen for than for the group's first."""
    enabled, own = _takes_puts(_queue_there(first, cluster), first), cluster.queue_manager.name
    seen = Delivery(own, chosen.queue, chosen.queue_manager, chosen.is_local, group=group, group_at=first.queue_manager,
                    group_takes_puts=enabled)  # fmt: skip
    return check_delivery(seen, rules)


def find_refusal_remarks(decision: Decision, beyond: DeliveryContext) -> tuple[str, ...]:
    """Find the remarks on the transmission queue that does not take the message of a put."""
    taken = decision.candidate
    if taken is None:
        return ()
    seen = build_sending_delivery(taken.channel, decision.cluster)
    return list_delivery_remarks(evolve(seen, defclxq=seen.defclxq or beyond.defclxq), decision.rules)


_WayKey = tuple[Destination | str, bool]


@define(eq=False)
class DeliveryRemarks:
    """The remarks on the ways out of one queue manager over time; those of one state of its cluster are made once."""

    rules: Rules
    beyond: DeliveryContext
    _cluster: Cluster | None = None
    _told: dict[_WayKey, tuple[str, ...]] = field(factory=dict)

    def obstacles(self, chosen: Destination, cluster: Cluster, bound: bool = False) -> tuple[str, ...]:
        """Find the obstacles on the way to a destination in the cluster as it is now.

        A message that is ``bound`` goes to that destination alone.
        """

        def build() -> Delivery:
            now = _status_now(chosen, cluster)
            return evolve(_build_delivery(chosen, cluster, self.beyond, bound), channel_status=now)

        return self._remarks((chosen, bound), cluster, build)

    def started(self, queue: str, cluster: Cluster) -> tuple[str, ...]:
        """Find the obstacles that keep a trigger message for a queue here from starting anything."""
        started = cluster.own_queues[queue]
        return self._remarks((queue, False), cluster, lambda: build_trigger_delivery(started, cluster, self.beyond))

    def arrived(self, queue: str, cluster: Cluster) -> tuple[str, ...]:
        """Return the remarks about a message on a queue here that no workload rule sent there."""
        here = Destination(queue, cluster.queue_manager.name, is_local=True)
        return self._remarks((queue, True), cluster, lambda: _build_delivery(here, cluster, self.beyond))

    def find_obstacles_ahead(self, queue: str, route: Channel, cluster: Cluster) -> tuple[str, ...]:
        """Find what a message for ``queue`` that has left, or leaves now, meets at the end of its ``route``."""
        sent = Destination(queue, route.queue_manager, route.name, route.cluster, channel_status=route.status)
        # What is put-disabled or full here is behind it.
        way = evolve(_build_delivery(sent, cluster, self.beyond), put_disabled_here=(), full_here=())
        return list_delivery_remarks(way, self.rules)

    def _remarks(self, way: _WayKey, cluster: Cluster, build: Callable[[], Delivery]) -> tuple[str, ...]:
        """The remarks on a way, made once for a state of the cluster."""
        if cluster is not self._cluster:
            self._cluster, self._told = cluster, {}
        if way not in self._told:
            self._told[way] = list_delivery_remarks(build(), self.rules)
        return self._told[way]


def _build_delivery(chosen: Destination, cluster: Cluster, beyond: DeliveryContext, bound: bool = False) -> Delivery:
    """Build the way to a destination. What is named beside a queue manager is looked at where it leads to, too."""
    told = beyond.hosted.get(chosen.queue_manager, {})
    found = _queue_there(chosen, cluster)
    leads_to, there = told.get(chosen.queue, ""), None if chosen.is_local else found
    return Delivery(
        cluster.queue_manager.name,
        chosen.queue,
        chosen.queue_manager,
        chosen.is_local,
        chosen.channel,
        chosen.channel_status,
        _takes_puts(found, chosen),
        cluster.put_disabled_here,
        beyond.shown_queues.get(chosen.channel, "") or find_serving_queue(chosen.channel, cluster.serving),
        cluster.queue_manager.defclxq or beyond.defclxq,
        chosen.queue_manager in beyond.told_wholly,
        chosen.queue in told,
        leads_to,
        not leads_to or _is_somewhere(leads_to, cluster, beyond),
        not leads_to or leads_to in told,
        bound,
        by_alias=chosen.is_alias,
        alias_of_model=leads_to in beyond.models.get(chosen.queue_manager, ()),
        suspended=chosen.suspended,
        shares_queues=cluster.queue_manager.igq == "ENABLED",
        is_missing=beyond.shown_queues.get(chosen.channel, "") in beyond.no_queues,
        full_here=cluster.full_here,
        queue_of_channel=get_channel_queue(chosen.channel),
        overridden=beyond.overridden.get(chosen.channel, ""),
        depth=(there.curdepth or 0) if there else 0,
        maxdepth=there.maxdepth if there else LARGEST,
        stream_queue=found.streamq if found else "",
        capexpry=found.capexpry if found else 0,
        platform=cluster.queue_manager.platform,
        level_told=cluster.queue_manager.command_level > 0,
        **_on_transmission_queue(chosen.transmission_queue, cluster, beyond),
    )


def build_trigger_delivery(queue: Queue, cluster: Cluster, beyond: DeliveryContext) -> Delivery:
    """Build the way of a trigger message for a queue, as far as a channel that it starts."""
    taking = cluster.taking_from.get(queue.name, ())
    meant = [each for each in cluster.channel_statuses if each.name == queue.trigdata] if queue.trigdata else taking
    takers = describe_takers(meant, beyond.unknown_state)
    return Delivery(**_triggered(queue, beyond), **takers, is_sent_from=_is_sent_from(queue.name, beyond))


def _on_transmission_queue(name: str, cluster: Cluster, beyond: DeliveryContext) -> dict[str, Any]:
    """What is told of a transmission queue that a message leaves by, other than that of the cluster."""
    if not name:
        return {}
    found = cluster.own_queues.get(name)
    is_triggered = found is not None and found.trigger
    return {
        "by_transmission_queue": name,
        "is_sent_from": _is_sent_from(name, beyond),
        "is_triggered": is_triggered,
        **describe_takers(cluster.taking_from.get(name, ()), beyond.unknown_state),
        **(_triggered(found, beyond) if found is not None and is_triggered else {}),
    }


def _is_sent_from(transmission_queue: str, beyond: DeliveryContext) -> bool:
    return beyond.sent_from is None or transmission_queue in beyond.sent_from


def _triggered(queue: Queue, beyond: DeliveryContext) -> dict[str, Any]:
    """A queue for which trigger messages are written, and what they start."""
    is_channel = queue.trigdata not in beyond.no_channels
    return {
        "triggered_queue": queue.name,
        "usage": queue.usage,
        "process": queue.process,
        "initq": queue.initq,
        "trigdata": queue.trigdata,
        "trigdata_is_channel": is_channel,
        "like_trigdata": "" if is_channel else find_closest(queue.trigdata, beyond.channels),
    }


def _status_now(chosen: Destination, cluster: Cluster) -> str:
    routes = () if chosen.is_local else cluster.channels_by_queue_manager.get(chosen.queue_manager, ())
    same = (each for each in routes if (each.name, each.cluster) == (chosen.channel, chosen.cluster))
    return next((each.status for each in same), chosen.channel_status)


def _takes_puts(found: Queue | None, chosen: Destination) -> bool:
    return chosen.put_enabled if found is None else found.put == "ENABLED"


def _queue_there(chosen: Destination, cluster: Cluster) -> Queue | None:
    """The queue at the target that has the chosen name; None where that is an alias of a queue manager."""
    found = () if chosen.alias else cluster.queues_by_name.get(chosen.queue, ())
    return next((each for each in found if each.queue_manager == chosen.queue_manager), None)


def _is_somewhere(queue: str, cluster: Cluster, beyond: DeliveryContext) -> bool:
    """Whether a queue manager that is described has the queue, or one may that is not."""
    hosted = not beyond.whole or any(queue in names for names in beyond.hosted.values())
    return hosted or queue in cluster.queues_by_name
