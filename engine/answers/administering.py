"""Administering: what events of administration do over time, as the rules of document 004 say."""

from __future__ import annotations

from attrs import define, evolve, field

from mqclause.answers.administration import Administration
from mqclause.answers.decision import Decision
from mqclause.answers.engine import Engine
from mqclause.answers.exit_answer import ExitAnswer
from mqclause.answers.fate import Administered, MessageFate
from mqclause.answers.replay_exits import ReplayExits
from mqclause.exits.session import Caller
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.objects import Channel, Put, Queue, QueueManager, QueueManagerAlias, RemoteQueueManager
from mqclause.model.facts.sequence import SequenceState
from mqclause.model.timeline.administered import (
    Known,
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

SUSPENDED, RESUMED = "SUSPENDED", "RESUMED"
REMOVED = "REMOVED"
WAITS, MAY_BE_LOST, DEAD_LETTERED = "waits", "may_be_lost", "dead_lettered"
DELIVERED = "delivered"


@define(eq=False)
class Flight:
    """A message on its way by ``route``; whether it ``waits`` for its target to come back."""

    message: InFlight
    route: Channel
    waits: bool = False


@define(eq=False)
class Administering:
    """The messages in flight of one replay, and what events of administration do to them and to the cluster.

    ``cluster`` and ``sequence`` are those of the replay: set before an event, read after it. ``arrivals`` are then the
    puts on local queues that the event led to.
    """

    rules: Administration
    engine: Engine
    exits: ReplayExits
    cluster: Cluster
    sequence: SequenceState
    flights: dict[str, Flight]
    arrivals: list[Event] = field(factory=list)
    _instances: dict[str, Cluster] = field(factory=dict)

    @classmethod
    def of(cls, engine: Engine, exits: ReplayExits, cluster: Cluster, messages: tuple[InFlight, ...]) -> Administering:
        """At the start of a replay."""
        rules = Administration(engine.rules, engine.executor)
        flights = {each.id: Flight(each, route_of(each, cluster)) for each in messages}
        return cls(rules, engine, exits, cluster, SequenceState.of(cluster), flights)

    def after(self, event: Event) -> Administered:
        """What ``event`` does. Raises EventError if it cannot happen."""
        self.arrivals, self._instances = [], {}
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
            settled = self.rules.ask(_of_route(each, asked, forced))
            if settled.becomes not in ("", each.status):
                status[at] = settled.becomes
                row = {"channel": each.name, "attribute": "status", "value": settled.becomes}
                did.changed.append({**row, "rule": settled.rule_id})
        self.cluster = with_status(self.cluster, status)

    def refresh(self, event: Event, did: Administered) -> None:
        """What is known in a cluster goes, or stays."""
        removed = set()
        for each in within(self.cluster, event.cluster):
            settled = self.rules.ask(self.of_known(each, event.cluster))
            told = {**_named(each), **settled.document()}
            (did.removed if settled.becomes == REMOVED else did.kept).append(told)
            if settled.becomes == REMOVED:
                removed.add(id(each))
        self.cluster = refreshed(self.cluster, event.cluster, removed)

    def of_known(self, each: Known, cluster: str) -> Matter:
        """What a refresh meets."""
        own = self.cluster.queue_manager.name
        if isinstance(each, Channel):
            return evolve(_of_route(each, "refresh"), owned=each.queue_manager == own,
                          full_repository=self.is_repository(each.queue_manager))  # fmt: skip
        kind = "queue_manager" if isinstance(each, QueueManager | RemoteQueueManager) else "queue"
        host = _host_of(each)
        return Matter(asked="refresh", kind=kind, name=each.name, host=host, cluster=cluster, owned=host == own)

    def is_repository(self, name: str) -> bool:
        """Whether another queue manager is a full repository."""
        found = self.cluster.remote.get(name)
        return found is not None and found.repository

    def reach(self, event: Event, did: Administered) -> None:
        """A queue manager fails, or is back: its routes, then the messages that were sent to it."""
        self.statuses(f"{event.do}_route", event.queue_manager, did)
        self.cluster = with_available(self.cluster, event.queue_manager, event.do == "recover")
        for flight in [*self.flights.values()]:
            if flight.route.queue_manager == event.queue_manager:
                if event.do == "fail":
                    self.fail(flight, did)
                elif flight.waits:
                    flight.waits = False
                    did.fates.append(MessageFate(flight.message.id, self.rules.ask(_of_flight(flight, "recover"))))

    def fail(self, flight: Flight, did: Administered) -> None:
        """The fate of one message whose target fails."""
        settled, chosen, by_exit = self.rules.ask(matter := _of_flight(flight, "fail")), None, None
        if settled.facts["again"]:
            failed = flight.route.queue_manager
            chosen, by_exit = self.choose(flight.message.queue, failed, self.exits.moving(flight.message, failed))
            refuses = by_exit is not None and by_exit.dead_lettered
            keeps = by_exit is not None and by_exit.takes and chosen is None
            matter = evolve(
                matter, chosen_again=True, alternative=chosen is not None, exit_refuses=refuses, exit_keeps=keeps
            )
            settled = self.rules.ask(matter)
        did.fates.append(MessageFate(flight.message.id, settled, chosen, by_exit))
        flight.waits = settled.becomes == WAITS
        if settled.becomes in (MAY_BE_LOST, DEAD_LETTERED):
            del self.flights[flight.message.id]
        elif chosen is not None:
            self.send(flight.message, chosen)

    def arrive(self, event: Event, did: Administered) -> None:
        """The fate of a message that arrives over a cluster channel."""
        if event.id in self.flights:
            raise EventError(f"id {event.id!r} is that of a message in flight")
        own = self.cluster.queue_manager
        matter = Matter(asked="arrive", kind="message", name=event.queue, host=own.name,
                        put_enabled=self.is_enabled(event.queue), dead_letter_queue=bool(own.deadq))  # fmt: skip
        settled, chosen = self.rules.ask(matter), None
        if settled.facts["again"]:
            chosen, _ = self.choose(event.queue, own.name, None)
            settled = self.rules.ask(evolve(matter, chosen_again=True, alternative=chosen is not None))
        did.fates.append(MessageFate(event.id, settled, chosen))
        if settled.becomes == DELIVERED:
            self.arrivals.append(Event("put", queue=event.queue, persistent=event.persistent))
        elif chosen is not None:
            self.send(InFlight(event.id, event.queue, chosen.channel, persistent=event.persistent), chosen)

    def is_enabled(self, name: str) -> bool:
        """Whether a queue here takes messages, and what it is an alias of."""
        queue = self.cluster.own_queues[name]
        base = self.cluster.own_queues.get(queue.target, queue) if queue.type == "QALIAS" else queue
        return queue.put == base.put == "ENABLED"

    def send(self, message: InFlight, to: Destination) -> None:
        """A message goes on to another destination; one that is local arrives there."""
        if to.is_local:
            self.flights.pop(message.id, None)
            self.arrivals.append(Event("put", queue=to.queue, persistent=message.persistent))
            return
        route = next(each for each in self.cluster.channels if _leads(each, to))
        self.flights[message.id] = Flight(message, route)

    def choose(self, queue: str, instead_of: str, mover: Caller | None) -> tuple[Destination | None, ExitAnswer | None]:
        """The destination that is chosen anew, and not ``instead_of``, and what an exit made of the choice.

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
        chosen = decision.chosen
        if chosen is None or chosen.queue_manager == instead_of:
            return None, by_exit
        self.sequence = evolve(decision.state, seen=self.cluster)
        return chosen, by_exit

    def among(self, put: Put, but_for: str, caller: Caller | None) -> Decision:
        """The choice among the instances that are known, those of one queue manager left out; no name is resolved."""
        if but_for not in self._instances:
            self._instances[but_for] = instances(self.cluster, but_for)
        known = self._instances[but_for]
        return self.engine.choose(put, known, evolve(self.sequence, seen=known), caller=caller)


def _is_at(decision: Decision, name: str) -> bool:
    return decision.chosen is not None and decision.chosen.queue_manager == name


def _of_route(channel: Channel, asked: str, forced: bool = False) -> Matter:
    return Matter(
        asked=asked,
        kind="channel",
        name=channel.name,
        host=channel.queue_manager,
        cluster=channel.cluster,
        forced=forced,
        status=channel.status,
        deftype=channel.deftype,
        waiting=channel.messages,
    )


def _of_flight(flight: Flight, asked: str) -> Matter:
    message, route = flight.message, flight.route
    return Matter(
        asked=asked,
        kind="message",
        name=route.name,
        host=route.queue_manager,
        cluster=route.cluster,
        persistent=message.persistent,
        fast=route.npmspeed == "FAST",
        bound=message.bound,
        in_doubt=message.in_doubt,
        delivered=message.delivered,
    )


def _leads(channel: Channel, to: Destination) -> bool:
    return (channel.name, channel.queue_manager, channel.cluster) == (to.channel, to.queue_manager, to.cluster)


def _host_of(each: QueueManager | RemoteQueueManager | Queue | QueueManagerAlias) -> str:
    if isinstance(each, QueueManager | RemoteQueueManager):
        return each.name
    return each.routed_to if isinstance(each, QueueManagerAlias) else each.queue_manager


def _named(each: Known) -> dict[str, str]:
    """How a row names what a refresh removes or keeps."""
    match each:
        case QueueManager() | RemoteQueueManager():
            return {"queue_manager": each.name}
        case Channel():
            return {"channel": each.name, "queue_manager": each.queue_manager}
    return {"queue": each.name, "queue_manager": _host_of(each)}
