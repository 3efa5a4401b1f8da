"""Administering: what events of administration do over time, as the rules of document 004 say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from attrs import define, evolve, field

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.engine import Engine
from mqclause.answers.choice.exit_answer import ExitAnswer
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
    administration_faults,
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
WAITS, DELIVERED, REROUTED = "waits", "delivered", "rerouted"
CHOICES_AT_MOST = 2
"""How often the rules may have a message's destination chosen anew at one event."""


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
        for fault in administration_faults(before.cluster, event):
            raise EventError(f"{fault}, as of this event")
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
        removed, forgotten = set(), set()
        messages = {each.route.queue_manager for each in self.flights.values()}
        for each in within(self.cluster, event.cluster):
            settled = self.rules.ask(of_known(each, self.cluster, event.cluster))
            told = {**told_as(each), **settled.document()}
            (did.removed if settled.becomes == REMOVED else did.kept).append(told)
            if settled.becomes == REMOVED:
                removed.add(id(each))
                if not settled.facts["name_stays"] and each.name not in messages:
                    forgotten.add(id(each))
        self.cluster = refreshed(self.cluster, event.cluster, removed, forgotten)

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
        message, failed = flight.message, flight.route.queue_manager

        def choose(asked: Settled) -> ChosenAnew:
            if asked.facts["but_for"]:
                return self.choose(message.queue, failed, None, failed)
            return self.choose(message.queue, failed, self.exits.moving(message, failed))

        settled, to, asked = self.decided(flight.matter("fail"), choose)
        did.fates.append(MessageFate(message.id, settled, to, asked))
        flight.waits = settled.becomes == WAITS
        if settled.facts["gone"] or (to is not None and self.lands(to, message)):
            del self.flights[message.id]
        elif to is not None:
            self.send(message, to, settled)

    def decided(
        self, matter: Matter, choose: Callable[[Settled], ChosenAnew]
    ) -> tuple[Settled, Destination | None, ExitAnswer | None]:
        """What becomes of a message, where it goes, and what an exit made of that; rules may ask for another choice."""
        settled, anew, exits = self.rules.ask(matter), ChosenAnew(), None
        for _ in range(CHOICES_AT_MOST):
            if not (settled.facts["again"] or settled.facts["onward"]):
                break
            anew = choose(settled)
            exits = exits or anew.exit
            matter = anew.matter(matter, settled.facts["behind"], self.cluster.remote)
            settled = self.rules.ask(matter)
        if settled.becomes != REROUTED or anew.to is None:
            return settled, None, exits
        if anew.state is not None:
            self.sequence = evolve(anew.state, seen=self.cluster)
        return settled, anew.to, exits

    def arrive(self, event: Event, did: Administered) -> None:
        """The fate of a message that arrives over a cluster channel."""
        if event.id in self.flights:
            raise EventError(f"id {event.id!r} is that of a message in flight")
        arrival = Arrival(event, self.cluster, self.engine.resolve(self.cluster, event.queue))
        matter = arrival.matter(arrival.queue is not None and not self.has_room(arrival.queue))

        def choose(asked: Settled) -> ChosenAnew:
            if asked.facts["onward"]:
                return self.onward(event)
            return self.choose(matter.disabled if asked.facts["behind"] else matter.name, matter.host, None)

        settled, to, _ = self.decided(matter, choose)
        did.fates.append(MessageFate(event.id, settled, to))
        if settled.becomes == DELIVERED:
            self.deliver(arrival.put())
        elif to is not None and not self.lands(to, event):
            bound = bool(settled.facts["binds"])
            message = InFlight(event.id, to.queue, to.channel, persistent=event.persistent, bound=bound)
            self.send(message, to, settled)

    def onward(self, event: Event) -> ChosenAnew:
        """Where a message goes whose queue's name leads away from here."""
        put = Put.as_written(event.queue, bind="NOTFIXED", call="MQPUT", from_cluster_channel=True)
        self.sequence = self.sequence.noticed(self.cluster, self.engine.listing)
        return self.chosen(self.engine.choose(put, self.cluster, self.sequence, caller=None))

    def has_room(self, queue: Queue) -> bool:
        """Whether a local queue takes one message more than those that the event led to already."""
        return self.before.has_room(queue, self.coming[queue.name] + 1)

    def deliver(self, put: Event) -> None:
        """A message that the event led to lies on a local queue."""
        self.arrivals.append(put)
        self.coming[put.queue] += 1

    def lands(self, to: Destination, message: InFlight | Event) -> bool:
        """Whether a destination is a queue here, a transmission queue too: then the message is there at once."""
        if to.is_local or to.transmission_queue:
            name = to.transmission_queue or to.queue
            self.deliver(Event("put", queue=name, id=message.id, persistent=message.persistent))
            return True
        return False

    def send(self, message: InFlight, to: Destination, settled: Settled) -> None:
        """A message goes on to a destination that it has not reached yet; it may have to wait for that, too."""
        route = next(each for each in self.cluster.channels if route_key(each) == route_key(to))
        self.flights[message.id] = Flight(message, route, bool(settled.facts["held"]))

    def choose(self, queue: str, instead_of: str, mover: Caller | None, but_for: str = "") -> ChosenAnew:
        """The destination that is chosen anew for a message: another than ``instead_of``, if it is not left out before.

        ``but_for`` is the queue manager that is left out before anybody chooses; blank: none.

        A message that is moved has a ``mover``; one that arrives over a cluster channel calls no exit.
        """
        put = Put.as_written(queue, bind="NOTFIXED", call="MQPUT", from_cluster_channel=mover is None and not but_for)
        self.sequence = self.sequence.noticed(self.cluster, self.engine.listing)
        decision = self.among(put, but_for, mover)
        if decision.chosen is None or decision.chosen.queue_manager != instead_of:
            return self.chosen(decision)
        others = any(each.queue_manager != instead_of for each in decision.permitted)
        return ChosenAnew(exit=decision.exit, others=others)

    def chosen(self, decision: Decision) -> ChosenAnew:
        """What a decision makes of a message."""
        to, reason = decision.chosen, decision.reason.name if decision.reason else ""
        lies = "" if to is None else to.transmission_queue or (to.queue if to.is_local else "")
        full = bool(lies) and not self.has_room(self.cluster.own_queues[lies])
        return ChosenAnew(to, reason, decision.exit, full=full, state=decision.state)

    def among(self, put: Put, but_for: str, caller: Caller | None) -> Decision:
        """The choice among the instances that are known, those of one queue manager left out; no name is resolved."""
        if self._instances_of is not self.cluster:
            self._instances, self._instances_of = {}, self.cluster
        if but_for not in self._instances:
            self._instances[but_for] = instances(self.cluster, but_for)
        known = self._instances[but_for]
        return self.engine.choose(put, known, evolve(self.sequence, seen=known), caller=caller)
