"""Administering: what events of administration do over time, as the rules of document 004 say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from attrs import define, evolve, field

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.engine import Engine
from mqclause.answers.choice.exit_answer import ExitAnswer
from mqclause.answers.choice.ways import Ways
from mqclause.answers.replay.administration import Administration, Settled
from mqclause.answers.replay.arriving import Arrival
from mqclause.answers.replay.fate import Administered, ChosenAnew, MessageFate
from mqclause.answers.replay.flight import Flight, route_key
from mqclause.answers.replay.refreshing import of_command, of_known, of_put, of_route, told_as
from mqclause.answers.replay.replay_exits import ReplayExits
from mqclause.exits.session import Caller
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.objects import Channel, Put, Queue
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
WAITS, DELIVERED, REROUTED, SENT = "waits", "delivered", "rerouted", "sent"
CHOICES_AT_MOST = 2
"""How often the rules may have a message's destination chosen anew at one event."""


@define(eq=False)
class Administering:
    """The messages in flight of one replay, and what events of administration do to them and to the cluster.

    ``cluster`` and ``sequence`` are those of the replay: set before an event, when all is as ``before`` says, and read
    after it. ``arrivals`` are then the puts on local queues that the event led to, ``coming`` how many by queue.
    ``forgotten`` are the names of queues and queue managers that a refresh removed, each with the clusters.
    """

    rules: Administration
    engine: Engine
    exits: ReplayExits
    cluster: Cluster
    sequence: SequenceState
    flights: dict[str, Flight]
    before: QueueManagerState
    ways: Ways
    forgotten: dict[str, set[str]] = field(factory=dict)
    arrivals: list[Event] = field(factory=list)
    coming: Counter[str] = field(factory=Counter)
    _instances: dict[str, Cluster] = field(factory=dict)
    _instances_of: Cluster | None = None

    @classmethod
    def of(
        cls,
        engine: Engine,
        exits: ReplayExits,
        start: QueueManagerState,
        messages: tuple[InFlight, ...],
        ways: Ways,
    ) -> Administering:
        """At the start of a replay; ``ways`` say what messages meet on their way."""
        rules, cluster = Administration(engine.rules, engine.executor), start.cluster
        flights = {each.id: Flight(each, route_of(each, cluster)) for each in messages}
        return cls(rules, engine, exits, cluster, SequenceState.of(cluster), flights, start, ways)

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
            self.statuses("suspend_route", found.name, did, event.cluster, event.suspend_mode)

    def statuses(self, asked: str, host: str, did: Administered, cluster: str | None = None, mode: str = "") -> None:
        """Gives the routes to a queue manager (those in one ``cluster``, if it is given) the status that rules say.

        Of the local queue manager also those that lead out of it.
        """
        status: dict[int, str] = {}
        is_local = host == self.cluster.queue_manager.name
        for at, each in enumerate(self.cluster.channels):
            outbound = is_local and each.queue_manager != host
            if not (each.queue_manager == host or outbound) or cluster not in (None, each.cluster):
                continue
            settled = self.rules.ask(of_route(each, asked, mode, outbound))
            if settled.becomes not in ("", each.status):
                status[at] = settled.becomes
                row = {"channel": each.name, "attribute": "status", "value": settled.becomes}
                did.changed.append({**row, "rule": settled.rule_id})
        self.cluster = with_status(self.cluster, status)

    def refresh(self, event: Event, did: Administered) -> None:
        """What is known in a cluster goes, or stays, unless the command is refused."""
        command = of_command(event, self.cluster)
        settled = self.rules.ask(command)
        if settled.facts["refused"]:
            did.refused = settled
            return
        removed, forgotten = set(), set()
        messages = {each.route.queue_manager for each in self.flights.values()}
        in_flight = Counter(route_key(each.route) for each in self.flights.values() if not each.message.delivered)
        for each in within(self.cluster, event.cluster):
            count = in_flight[route_key(each)] if isinstance(each, Channel) else 0
            settled = self.rules.ask(of_known(each, command, self.cluster, count))
            told = {**told_as(each), **settled.document()}
            (did.removed if settled.becomes == REMOVED else did.kept).append(told)
            if settled.becomes == REMOVED:
                removed.add(id(each))
                if not isinstance(each, Channel):
                    self.forgotten.setdefault(each.name, set()).add(event.cluster)
                if not settled.facts["name_stays"] and each.name not in messages:
                    forgotten.add(id(each))
        self.cluster = refreshed(self.cluster, event.cluster, removed, forgotten)

    def asked_again(self, decision: Decision, cluster: Cluster) -> str:
        """Of a call that fails, that MQ would ask a full repository for what a refresh removed; else blank."""
        seen = decision.resolved.last.situation
        named = seen.queue if seen.queue_manager in ("", seen.local_queue_manager) else seen.queue_manager
        if named not in self.forgotten or decision.reason is None:
            return ""
        settled = self.rules.ask(of_put(named, decision.reason.name, self.forgotten[named], cluster))
        return settled.because if settled.facts["asks_again"] else ""

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
                    settled = self.rules.ask(flight.matter("recover"))
                    flight.waits = settled.becomes == WAITS
                    ahead = self.ways.ahead(flight.message.queue, flight.route, self.cluster)
                    told = ahead if settled.becomes == SENT else ()
                    did.fates.append(MessageFate(flight.message.id, settled, remarks=told))

    def fail(self, flight: Flight, did: Administered) -> None:
        """The fate of one message whose target fails."""
        message = flight.message
        settled, to, asked = self.decided(flight.matter("fail"), self.anew(message, flight.route.queue_manager))
        did.fates.append(MessageFate(message.id, settled, to, asked))
        flight.waits = settled.becomes == WAITS
        if settled.facts["gone"] or (to is not None and self.lands(to, message)):
            del self.flights[message.id]
        elif to is not None:
            self.send(message, to, settled)

    def anew(self, message: InFlight, failed: str) -> Callable[[Settled], ChosenAnew]:
        """Chooses another destination for a message whose target has failed, as rules ask for it."""
        put = _unbound(message.queue, cluster_pcf=message.cluster_pcf)

        def choose(asked: Settled) -> ChosenAnew:
            if asked.facts["but_for"]:
                return self.choose(put, failed, None, failed)
            return self.choose(put, failed, self.exits.moving(message, failed))

        return choose

    def unavailable(self, message: InFlight, chosen: Destination, before: QueueManagerState) -> Administered:
        """What becomes of a message that is put just now, for a queue manager that has failed: an exit is asked again.

        Raises as ``after``.
        """
        self.cluster, self.before = before.cluster, before
        self.arrivals, self.coming = [], Counter()
        failed = chosen.queue_manager
        matter = Matter(
            asked="unavailable", kind="message", name=chosen.channel, host=failed, cluster=chosen.cluster,
            status=chosen.channel_status, persistent=message.persistent,
        )  # fmt: skip
        settled, to, asked = self.decided(matter, self.anew(message, failed))
        return Administered(has_fates=True, fates=[MessageFate(message.id, settled, to, asked)])

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
        # A message that is bound names this queue manager beside the queue.
        names = (event.queue, self.cluster.queue_manager.name if event.bound else "")
        arrival = Arrival(event, self.cluster, self.engine.resolve(self.cluster, *names))
        matter = arrival.matter(arrival.queue is not None and not self.has_room(arrival.queue))

        def choose(asked: Settled) -> ChosenAnew:
            if asked.facts["onward"]:
                return self.onward(*names)
            queue = matter.disabled if asked.facts["behind"] else matter.name
            return self.choose(_unbound(queue, from_cluster_channel=True), matter.host, None)

        settled, to, _ = self.decided(matter, choose)
        did.fates.append(MessageFate(event.id, settled, to))
        if settled.becomes == DELIVERED:
            self.deliver(arrival.put())
        elif to is not None and not self.lands(to, event):
            bound = bool(settled.facts["binds"])
            message = InFlight(event.id, to.queue, to.channel, persistent=event.persistent, bound=bound)
            self.send(message, to, settled)

    def onward(self, queue: str, queue_manager: str) -> ChosenAnew:
        """Where a message goes whose names lead away from here."""
        put = _unbound(queue, queue_manager=queue_manager, from_cluster_channel=True)
        self.sequence = self.sequence.noticed(self.cluster, self.engine.listing)
        depths = self.before.depth_of
        return self.chosen(self.engine.choose(put, self.cluster, self.sequence, caller=None, depths=depths))

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

    def choose(self, put: Put, instead_of: str, mover: Caller | None, but_for: str = "") -> ChosenAnew:
        """The destination that is chosen anew for a message: another than ``instead_of``, if it is not left out before.

        ``but_for`` is the queue manager that is left out before anybody chooses; blank: none.

        A message that is moved has a ``mover``; one that arrives over a cluster channel calls no exit.
        """
        self.sequence = self.sequence.noticed(self.cluster, self.engine.listing)
        decision = self.among(put, but_for, mover)
        if put.from_cluster_channel:
            depths, taken = self.before.depth_of, decision.candidate
            decision.refusal = self.engine.sending.refusal(taken, put.call, self.cluster, depths)
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


def _unbound(queue: str, **more: Any) -> Put:
    """A message for ``queue``, to be put where the rules then choose."""
    return Put.as_written(queue, bind="NOTFIXED", call="MQPUT", **more)
