"""Administering: what events of administration do over time, as the rules of document 004 say."""

from __future__ import annotations

from collections import Counter

from attrs import define, evolve, field

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.engine import Engine
from mqclause.answers.replay.administration import Administration, Settled
from mqclause.answers.replay.arriving import Arrival
from mqclause.answers.replay.fate import Administered, ChosenAnew, MessageFate
from mqclause.answers.replay.flight import Flight, route_key
from mqclause.answers.replay.refreshing import of_known, of_route, told_as
from mqclause.answers.replay.replay_exits import ReplayExits
from mqclause.exits.session import Caller
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.objects import Put, Queue
from mqclause.model.facts.sequence import SequenceState
from mqclause.model.timeline.administered import (
    instances,
    member_named,
    refreshed,
    with_available,
    with_status,
    with_suspended,
    within,
)
from mqclause.model.timeline.event import Event, EventError
from mqclause.model.timeline.in_flight import InFlight, route_of
from mqclause.model.timeline.matter import Matter
from mqclause.model.timeline.queue_manager_state import QueueManagerState

SUSPENDED, RESUMED = "SUSPENDED", "RESUMED"
REMOVED = "REMOVED"
WAITS, MAY_BE_LOST, DEAD_LETTERED = "waits", "may_be_lost", "dead_lettered"
DELIVERED = "delivered"
FULL = "MQRC_Q_FULL"
NAMED_QUEUE_MANAGER = "queue manager"
"""What the names of a put end in where one of them is that of another queue manager of the cluster."""


@define(eq=False)
class Administering:
    """The messages in flight of one replay, and what events of administration do to them and to the cluster.

    ``cluster`` and ``sequence`` are those of the replay: set before an event, when all is as ``before`` says, and read
    after it. ``arrivals`` are then the puts on local queues that the event led to, ``coming`` how many by queue.
    """

    rules: Administration
    engine: Engine
    exits: ReplayExits
    cluster: Cluster
    sequence: SequenceState
    flights: dict[str, Flight]
    before: QueueManagerState
    arrivals: list[Event] = field(factory=list)
    coming: Counter[str] = field(factory=Counter)
    _instances: dict[str, Cluster] = field(factory=dict)
    _instances_of: Cluster | None = None

    @classmethod
    def of(
        cls, engine: Engine, exits: ReplayExits, start: QueueManagerState, messages: tuple[InFlight, ...]
    ) -> Administering:
        """At the start of a replay."""
        rules, cluster = Administration(engine.rules, engine.executor), start.cluster
        flights = {each.id: Flight(each, route_of(each, cluster)) for each in messages}
        return cls(rules, engine, exits, cluster, SequenceState.of(cluster), flights, start)

    def after(self, event: Event, before: QueueManagerState) -> Administered:
        """What ``event`` does to what there was ``before``. Raises EventError if it cannot happen."""
        self.cluster, self.before = before.cluster, before
        self.arrivals, self.coming = [], Counter()
        did = Administered(is_refresh=event.do == "refresh", has_fates=event.do in ("fail", "recover", "arrive"))
        match event.do:
            case "suspend" | "resume":
                self.suspension(event, did)
            case "refresh":
                self.refresh(event, did)
            case "fail" | "recover":
                self.reach(event, did)
            case "arrive":
                self.arrive(event, did)
        return did

    def suspension(self, event: Event, did: Administered) -> None:
        """A queue manager is suspended or resumed in a cluster, with its inbound channels if that is forced."""
        found = member_named(self.cluster, event.queue_manager)
        is_suspended = event.cluster in found.suspended
        matter = Matter(asked=event.do, kind="queue_manager", name=found.name, host=found.name,
                        cluster=event.cluster, suspended=is_suspended)  # fmt: skip
        settled = self.rules.ask(matter)
        others = tuple(each for each in found.suspended if each != event.cluster)
        now = {SUSPENDED: (*others, event.cluster), RESUMED: others}.get(settled.becomes)
        if now is not None:
            self.cluster = with_suspended(self.cluster, found.name, now)
            row = {"queue_manager": found.name, "attribute": "suspended", "value": list(now)}
            did.changed.append({**row, "rule": settled.rule_id})
        if event.do == "suspend":
            self.statuses("suspend_route", found.name, did, event.cluster, event.mode == "FORCE")

    def statuses(
        self, asked: str, host: str, did: Administered, cluster: str | None = None, forced: bool = False
    ) -> None:
        """Gives the routes to a queue manager (those in one ``cluster``, if it is given) the status that rules say."""
        status: dict[int, str] = {}
        for at, each in enumerate(self.cluster.channels):
            if each.queue_manager != host or cluster not in (None, each.cluster):
                continue
            settled = self.rules.ask(of_route(each, asked, forced))
            if settled.becomes not in ("", each.status):
                status[at] = settled.becomes
                row = {"channel": each.name, "attribute": "status", "value": settled.becomes}
                did.changed.append({**row, "rule": settled.rule_id})
        self.cluster = with_status(self.cluster, status)

    def refresh(self, event: Event, did: Administered) -> None:
        """What is known in a cluster goes, or stays."""
        removed = set()
        for each in within(self.cluster, event.cluster):
            settled = self.rules.ask(of_known(each, self.cluster, event.cluster))
            told = {**told_as(each), **settled.document()}
            (did.removed if settled.becomes == REMOVED else did.kept).append(told)
            if settled.becomes == REMOVED:
                removed.add(id(each))
        self.cluster = refreshed(self.cluster, event.cluster, removed)

    def reach(self, event: Event, did: Administered) -> None:
        """A queue manager fails, or is back: its routes, then the messages that were sent to it."""
        self.statuses(f"{event.do}_route", event.queue_manager, did)
        self.cluster = with_available(self.cluster, event.queue_manager, event.do == "recover")
        routes = {route_key(each): each for each in self.cluster.channels}
        for flight in [*self.flights.values()]:
            if flight.route.queue_manager == event.queue_manager:
                flight.route = routes.get(route_key(flight.route), flight.route)
                if event.do == "fail":
                    self.fail(flight, did)
                elif flight.waits:
                    flight.waits = False
                    did.fates.append(MessageFate(flight.message.id, self.rules.ask(flight.matter("recover"))))

    def fail(self, flight: Flight, did: Administered) -> None:
        """The fate of one message whose target fails."""
        settled, anew = self.rules.ask(matter := flight.matter("fail")), ChosenAnew()
        if settled.facts["again"]:
            failed = flight.route.queue_manager
            anew = self.choose(flight.message.queue, failed, self.exits.moving(flight.message, failed))
            settled = self.settled_by(matter, anew)
        did.fates.append(MessageFate(flight.message.id, settled, anew.to, anew.exit))
        flight.waits = settled.becomes == WAITS
        gone = settled.becomes in (MAY_BE_LOST, DEAD_LETTERED)
        if gone or (anew.to is not None and self.lands(anew.to, flight.message.persistent)):
            del self.flights[flight.message.id]
        elif anew.to is not None:
            self.send(flight.message, anew.to)

    def settled_by(self, matter: Matter, anew: ChosenAnew) -> Settled:
        """What becomes of a message whose destination was chosen anew."""
        found = self.cluster.remote.get(anew.to.queue_manager) if anew.to is not None else None
        chosen = evolve(
            matter,
            chosen_again=True,
            alternative=anew.to is not None,
            alternative_down=found is not None and not found.available,
            reason=anew.reason,
            exit_refuses=anew.exit is not None and anew.exit.dead_lettered,
            exit_keeps=anew.exit is not None and anew.exit.takes and anew.to is None and not anew.reason,
        )
        return self.rules.ask(chosen)

    def arrive(self, event: Event, did: Administered) -> None:
        """The fate of a message that arrives over a cluster channel."""
        if event.id in self.flights:
            raise EventError(f"id {event.id!r} is that of a message in flight")
        arrival = Arrival(event, self.cluster, self.engine.resolve(self.cluster, event.queue))
        full = arrival.queue is not None and not self.has_room(arrival.queue)
        settled, anew = self.rules.ask(matter := arrival.matter(full)), ChosenAnew()
        if settled.facts["again"]:
            settled = self.settled_by(matter, anew := self.instead_of(matter))
        elif settled.facts["onward"]:
            settled = self.settled_by(matter, anew := self.onward(event))
        did.fates.append(MessageFate(event.id, settled, anew.to))
        if settled.becomes == DELIVERED:
            self.deliver(arrival.put())
        elif anew.to is not None and not self.lands(anew.to, event.persistent):
            bound = arrival.where.ends == NAMED_QUEUE_MANAGER
            message = InFlight(event.id, anew.to.queue, anew.to.channel, persistent=event.persistent, bound=bound)
            self.send(message, anew.to)

    def instead_of(self, matter: Matter) -> ChosenAnew:
        """Where a message goes that met a put-disabled object: another instance of its queue, or of that object."""
        anew = self.choose(matter.name, matter.host, None)
        if anew.to is None and matter.disabled != matter.name:
            return self.choose(matter.disabled, matter.host, None)
        return anew

    def onward(self, event: Event) -> ChosenAnew:
        """Where a message goes whose queue's name leads away from here."""
        put = Put(event.queue, bind="NOTFIXED", call="MQPUT", from_cluster_channel=True)
        self.sequence = self.sequence.noticed(self.cluster, self.engine.listing)
        decision = self.engine.choose(put, self.cluster, self.sequence, caller=None)
        if decision.chosen is not None:
            self.sequence = evolve(decision.state, seen=self.cluster)
        return ChosenAnew(decision.chosen, decision.reason.name if decision.reason else "")

    def has_room(self, queue: Queue) -> bool:
        """Whether a local queue takes one message more than those that the event led to already."""
        return self.before.has_room(queue, self.coming[queue.name] + 1)

    def deliver(self, put: Event) -> None:
        """A message that the event led to lies on a local queue."""
        self.arrivals.append(put)
        self.coming[put.queue] += 1

    def lands(self, to: Destination, persistent: bool) -> bool:
        """Whether a destination is a queue here, a transmission queue too: then the message is there at once."""
        if to.is_local or to.transmission_queue:
            self.deliver(Event("put", queue=to.transmission_queue or to.queue, persistent=persistent))
            return True
        return False

    def send(self, message: InFlight, to: Destination) -> None:
        """A message goes on to a destination that it has not reached yet."""
        route = next(each for each in self.cluster.channels if route_key(each) == route_key(to))
        self.flights[message.id] = Flight(message, route)

    def choose(self, queue: str, instead_of: str, mover: Caller | None) -> ChosenAnew:
        """The destination that is chosen anew for a message, and not the queue manager ``instead_of``.

        A message that is moved has a ``mover``; one that arrives over a cluster channel calls no exit.
        """
        put = Put(queue, bind="NOTFIXED", call="MQPUT", from_cluster_channel=mover is None)
        self.sequence = self.sequence.noticed(self.cluster, self.engine.listing)
        decision = self.among(put, "", mover)
        by_exit = decision.exit
        by_rules = by_exit is None or not by_exit.called
        others = by_rules and any(each.queue_manager != instead_of for each in decision.permitted)
        if others and _is_at(decision, instead_of):
            decision = self.among(put, instead_of, None)
        chosen, reason = decision.chosen, decision.reason.name if decision.reason else ""
        if chosen is None or chosen.queue_manager == instead_of:
            return ChosenAnew(None, reason, by_exit)
        if chosen.is_local and not self.has_room(self.cluster.own_queues[chosen.queue]):
            return ChosenAnew(None, FULL, by_exit)
        self.sequence = evolve(decision.state, seen=self.cluster)
        return ChosenAnew(chosen, "", by_exit)

    def among(self, put: Put, but_for: str, caller: Caller | None) -> Decision:
        """The choice among the instances that are known, those of one queue manager left out; no name is resolved."""
        if self._instances_of is not self.cluster:
            self._instances, self._instances_of = {}, self.cluster
        if but_for not in self._instances:
            self._instances[but_for] = instances(self.cluster, but_for)
        known = self._instances[but_for]
        return self.engine.choose(put, known, evolve(self.sequence, seen=known), caller=caller)


def _is_at(decision: Decision, name: str) -> bool:
    return decision.chosen is not None and decision.chosen.queue_manager == name
