"""Simulate administration (suspend, refresh, fail): its effect on routes, repositories and messages in flight."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from attrs import define, evolve, field, frozen

from mqclause.answers import RuleAnswer
from mqclause.documents import ADMINISTRATION
from mqclause.executors.pipeline import DocumentRules
from mqclause.exits.process import ANYBODY, Caller, Exits, ExitSession
from mqclause.model.diagnostics import name_argument
from mqclause.model.exits import MQPER_NOT_PERSISTENT, MQPER_PERSISTENT, NO_DESCRIPTOR, OfferedMessage
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Channel, Put, Queue, QueueManager, QueueManagerAlias, RemoteQueueManager
from mqclause.model.facts.workload import Destination, SequenceState
from mqclause.model.timeline.administration import (
    AdministrationSubject,
    InFlightMessage,
    Information,
    KnownObject,
    RepositoryContent,
    Request,
    apply_refresh,
    find_administration_faults,
    find_route,
    get_member,
    list_known_objects,
    select_instances,
    set_available,
    set_status,
    set_suspended,
)
from mqclause.model.timeline.events import Event, EventError
from mqclause.model.timeline.transitions import QueueManagerState
from mqclause.model.timeline.trigger_events import Handle
from mqclause.rulebook.rules import Rules
from mqclause.trace import join_names
from mqclause.workload.decision import Decision, Engine
from mqclause.workload.delivery import DeliveryRemarks
from mqclause.workload.editions import begin_with_edition, describe_evidence
from mqclause.workload.exit_answer import ExitAnswer
from mqclause.workload.resolution import Resolution, ResolutionStep

SUSPENDED, RESUMED = "SUSPENDED", "RESUMED"
REMOVED = "REMOVED"
WAITS, DELIVERED, REROUTED, SENT = "waits", "delivered", "rerouted", "sent"
CHOICES_AT_MOST = 2
"""How often the rules may have a message's destination chosen anew at one event."""

NAMED_QUEUE_MANAGER = "queue manager"
"""What the names of a put end in where one of them is that of another queue manager of the cluster."""

COMMANDS = ("suspend", "resume", "refresh")
"""The events that are commands: these do what the rules say, without regard to messages."""

RouteKey = tuple[str, str, str]


@define(eq=False)
class AdministrationSimulator:
    """The messages in flight of one replay, and what events of administration do to them and to the cluster.

    ``cluster`` and ``sequence`` are those of the replay: set before an event, when all is as ``before`` says, and read
    after it. ``arrivals`` are then the puts on local queues that the event led to, ``coming`` how many by queue.
    ``forgotten`` are the names of queues and queue managers that a refresh removed, each with the clusters. Of the
    commands in ``told`` it was told that another edition does something else.
    """

    rules: AdministrationRules
    engine: Engine
    exits: ReplayExits
    cluster: Cluster
    sequence: SequenceState
    flights: dict[str, RoutedMessage]
    before: QueueManagerState
    ways: DeliveryRemarks
    forgotten: dict[str, set[str]] = field(factory=dict)
    arrivals: list[Event] = field(factory=list)
    coming: Counter[str] = field(factory=Counter)
    told: set[str] = field(factory=set)
    _instances: dict[str, Cluster] = field(factory=dict)
    _instances_of: Cluster | None = None

    @classmethod
    def of(
        cls,
        engine: Engine,
        exits: ReplayExits,
        start: QueueManagerState,
        messages: tuple[InFlightMessage, ...],
        ways: DeliveryRemarks,
    ) -> AdministrationSimulator:
        """Build the simulator at the start of a replay; ``ways`` are the routes that messages take."""
        rules, cluster = AdministrationRules(engine.rules, engine.executor), start.cluster
        flights = {each.id: RoutedMessage(each, find_route(each, cluster)) for each in messages}
        return cls(rules, engine, exits, cluster, SequenceState.of(cluster), flights, start, ways)

    def follow(self, engine: Engine) -> None:
        """Use the rules of ``engine`` from now on."""
        if engine.rules != self.engine.rules:
            self.told.clear()
        self.engine, self.rules = engine, AdministrationRules(engine.rules, engine.executor)
        self.ways = DeliveryRemarks(engine.rules, self.ways.beyond)

    def after(self, event: Event, before: QueueManagerState) -> AdministrationResult:
        """Apply ``event`` to the state ``before``. Raises EventError if it cannot happen."""
        self.cluster, self.before = before.cluster, before
        self.arrivals, self.coming = [], Counter()
        for fault in find_administration_faults(before.cluster, event):
            raise EventError(f"{fault}, as of this event")
        did = AdministrationResult(
            is_refresh=event.do == "refresh", has_fates=event.do in ("fail", "recover", "arrive")
        )
        match event.do:
            case "suspend" | "resume":
                self.change_suspension(event, did)
            case "refresh":
                self.apply_refresh(event, did)
            case "fail" | "recover":
                self.reach(event, did)
            case "arrive":
                self.apply_arrival(event, did)
        return did

    def describe_other_edition(self, event: Event, before: QueueManagerState, did: AdministrationResult) -> str:
        """Tell that a command does something else in another edition of MQ; blank if not, and if it was told."""
        if event.do not in COMMANDS or event.do in self.told:
            return ""
        rules, own = self.engine.rules, before.cluster.queue_manager
        stated = rules.about(ADMINISTRATION).stated_editions
        known = rules.known_editions
        for edition in (known[0], *(each for each in known if each in stated)):
            other = evolve(self, rules=AdministrationRules(rules.in_edition(edition)), forgotten={})
            does = other.after(event, before)
            if does.summary() != did.summary():
                self.told.add(event.do)
                source = rules.describe_edition_source(own.name, own.command_level)
                is_newer = known.index(edition) > known.index(rules.edition)
                since = f"in {edition}" if edition == known[0] else f"from {edition} on"
                begun = begin_with_edition(rules, source, own.name)
                newer = (edition, does, did) if is_newer else (rules.edition, did, does)
                shown = f"{since} {event.do} does something else, as {name_argument('edition')} {edition} shows"
                return f"{begun}; {shown}{_describe_evidence(rules, *newer)}"
        return ""

    def change_suspension(self, event: Event, did: AdministrationResult) -> None:
        """Suspend or resume a queue manager in a cluster, with its inbound channels if that is forced."""
        found = get_member(self.cluster, event.queue_manager)
        is_suspended = event.cluster in found.suspended
        matter = AdministrationSubject(asked=event.do, kind="queue_manager", name=found.name, host=found.name,
                        cluster=event.cluster, suspended=is_suspended)  # fmt: skip
        settled = self.rules.ask(matter)
        others = tuple(each for each in found.suspended if each != event.cluster)
        now = {SUSPENDED: (*others, event.cluster), RESUMED: others}.get(settled.becomes)
        if now is not None:
            self.cluster = set_suspended(self.cluster, found.name, now)
            row = {"queue_manager": found.name, "attribute": "suspended", "value": list(now)}
            did.changed.append({**row, "rule": settled.rule_id})
        if event.do == "suspend":
            self.set_route_statuses("suspend_route", found.name, did, event.cluster, event.suspend_mode)

    def set_route_statuses(
        self, asked: str, host: str, did: AdministrationResult, cluster: str | None = None, mode: str = ""
    ) -> None:
        """Give the routes to a queue manager (those in one ``cluster``, if it is given) the status that rules say.

        Of the local queue manager also those that lead out of it.
        """
        status: dict[int, str] = {}
        is_local = host == self.cluster.queue_manager.name
        for at, each in enumerate(self.cluster.channels):
            outbound = is_local and each.queue_manager != host
            if not (each.queue_manager == host or outbound) or cluster not in (None, each.cluster):
                continue
            settled = self.rules.ask(build_route_subject(each, asked, mode, outbound))
            if settled.becomes not in ("", each.status):
                status[at] = settled.becomes
                row = {"channel": each.name, "attribute": "status", "value": settled.becomes}
                did.changed.append({**row, "rule": settled.rule_id})
        self.cluster = set_status(self.cluster, status)

    def apply_refresh(self, event: Event, did: AdministrationResult) -> None:
        """Remove or keep what is known in a cluster, as rules say, unless the command is refused."""
        command = _build_command_subject(event, self.cluster)
        settled = self.rules.ask(command)
        if settled.facts["refused"]:
            did.refused = settled
            return
        removed, forgotten = set(), set()
        messages = {each.route.queue_manager for each in self.flights.values()}
        in_flight = Counter(_get_route_key(each.route) for each in self.flights.values() if not each.message.delivered)
        for each in list_known_objects(self.cluster, event.cluster):
            count = in_flight[_get_route_key(each)] if isinstance(each, Channel) else 0
            settled = self.rules.ask(_build_known_subject(each, command, self.cluster, count))
            told = {**_build_known_row(each), **settled.document()}
            (did.removed if settled.becomes == REMOVED else did.kept).append(told)
            if settled.becomes == REMOVED:
                removed.add(id(each))
                if not isinstance(each, Channel):
                    self.forgotten.setdefault(each.name, set()).add(event.cluster)
                if not settled.facts["name_stays"] and each.name not in messages:
                    forgotten.add(id(each))
        self.cluster = apply_refresh(self.cluster, event.cluster, removed, forgotten)

    def describe_repository_request(self, decision: Decision, cluster: Cluster) -> str:
        """Describe that MQ would ask a full repository for what a refresh removed, if a call fails; else blank."""
        seen = decision.resolved.last.situation
        named = seen.queue if seen.queue_manager in ("", seen.local_queue_manager) else seen.queue_manager
        if named not in self.forgotten or decision.reason is None:
            return ""
        settled = self.rules.ask(_build_put_subject(named, decision.reason.name, self.forgotten[named], cluster))
        return settled.because if settled.rule is not None else ""

    def reach(self, event: Event, did: AdministrationResult) -> None:
        """Apply the failure of a queue manager, or its return, to its routes, then to the messages sent to it."""
        self.set_route_statuses(f"{event.do}_route", event.queue_manager, did)
        self.cluster = set_available(self.cluster, event.queue_manager, event.do == "recover")
        routes = {_get_route_key(each): each for each in self.cluster.channels}
        for flight in [*self.flights.values()]:
            if flight.route.queue_manager == event.queue_manager:
                flight.route = routes.get(_get_route_key(flight.route), flight.route)
                if event.do == "fail":
                    self.fail(flight, did)
                elif flight.waits:
                    settled = self.rules.ask(flight.matter("recover"))
                    flight.waits = settled.becomes == WAITS
                    ahead = self.ways.find_obstacles_ahead(flight.message.queue, flight.route, self.cluster)
                    told = ahead if settled.becomes == SENT else ()
                    did.fates.append(MessageFate(flight.message.id, settled, remarks=told))

    def fail(self, flight: RoutedMessage, did: AdministrationResult) -> None:
        """Return the fate of one message whose target fails."""
        message = flight.message
        settled, to, asked = self.decided(
            flight.matter("fail"), self.build_rechoice(message, flight.route.queue_manager)
        )
        did.fates.append(MessageFate(message.id, settled, to, asked))
        flight.waits = settled.becomes == WAITS
        if settled.facts["gone"] or (to is not None and self.is_local_delivery(to, message)):
            del self.flights[message.id]
        elif to is not None:
            self.forward_message(message, to, settled)

    def build_rechoice(
        self, message: InFlightMessage, failed: str
    ) -> Callable[[AdministrationAnswer], AlternativeChoice]:
        """Choose another destination for a message whose target has failed, where rules ask for it."""
        put = _unbound(message.queue, cluster_pcf=message.cluster_pcf)

        def choose(asked: AdministrationAnswer) -> AlternativeChoice:
            if asked.facts["but_for"]:
                return self.choose(put, failed, None, failed)
            return self.choose(put, failed, self.exits.moving(message, failed))

        return choose

    def handle_unavailable_target(
        self, message: InFlightMessage, chosen: Destination, before: QueueManagerState
    ) -> AdministrationResult:
        """Decide about a message put now for a queue manager that has failed; an exit is asked again.

        Raises as ``after``.
        """
        self.cluster, self.before = before.cluster, before
        self.arrivals, self.coming = [], Counter()
        failed = chosen.queue_manager
        matter = AdministrationSubject(
            asked="unavailable", kind="message", name=chosen.channel, host=failed, cluster=chosen.cluster,
            status=chosen.channel_status, persistent=message.persistent,
        )  # fmt: skip
        settled, to, asked = self.decided(matter, self.build_rechoice(message, failed))
        return AdministrationResult(has_fates=True, fates=[MessageFate(message.id, settled, to, asked)])

    def decided(
        self, matter: AdministrationSubject, choose: Callable[[AdministrationAnswer], AlternativeChoice]
    ) -> tuple[AdministrationAnswer, Destination | None, ExitAnswer | None]:
        """Decide about a message: where it goes, and what an exit made of that; rules may ask for another choice."""
        settled, anew, exits = self.rules.ask(matter), AlternativeChoice(), None
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

    def apply_arrival(self, event: Event, did: AdministrationResult) -> None:
        """Return the fate of a message that arrives over a cluster channel."""
        if event.id in self.flights:
            raise EventError(f"id {event.id!r} is that of a message in flight")
        # A message that is bound names this queue manager beside the queue.
        names = (event.queue, self.cluster.queue_manager.name if event.bound else "")
        arrival = Arrival(event, self.cluster, self.engine.resolve(self.cluster, *names))
        matter = arrival.matter(arrival.queue is not None and not self.has_room(arrival.queue))

        def choose(asked: AdministrationAnswer) -> AlternativeChoice:
            if asked.facts["onward"]:
                return self.choose_onward(*names)
            queue = matter.disabled if asked.facts["behind"] else matter.name
            return self.choose(_unbound(queue, from_cluster_channel=True), matter.host, None)

        settled, to, _ = self.decided(matter, choose)
        did.fates.append(MessageFate(event.id, settled, to))
        if settled.becomes == DELIVERED:
            self.deliver_message(arrival.put())
        elif to is not None and not self.is_local_delivery(to, event):
            bound = bool(settled.facts["binds"])
            message = InFlightMessage(event.id, to.queue, to.channel, persistent=event.persistent, bound=bound)
            self.forward_message(message, to, settled)

    def choose_onward(self, queue: str, queue_manager: str) -> AlternativeChoice:
        """Choose where a message goes whose names lead away from here."""
        put = _unbound(queue, queue_manager=queue_manager, from_cluster_channel=True)
        self.sequence = self.sequence.noticed(self.cluster, self.engine.listing)
        depths = self.before.get_depth
        return self.chosen(self.engine.choose(put, self.cluster, self.sequence, caller=None, depths=depths))

    def has_room(self, queue: Queue) -> bool:
        """Return whether a local queue takes one message more than those that the event led to already."""
        return self.before.has_room(queue, self.coming[queue.name] + 1)

    def deliver_message(self, put: Event) -> None:
        """Note a message that the event put on a local queue."""
        self.arrivals.append(put)
        self.coming[put.queue] += 1

    def is_local_delivery(self, to: Destination, message: InFlightMessage | Event) -> bool:
        """Return whether a destination is a queue here, a transmission queue too: then the message is there at once."""
        if to.is_local or to.transmission_queue:
            name = to.transmission_queue or to.queue
            self.deliver_message(Event("put", queue=name, id=message.id, persistent=message.persistent))
            return True
        return False

    def forward_message(self, message: InFlightMessage, to: Destination, settled: AdministrationAnswer) -> None:
        """Send a message on to a destination that it has not reached yet; it may have to wait for that, too."""
        route = next(each for each in self.cluster.channels if _get_route_key(each) == _get_route_key(to))
        self.flights[message.id] = RoutedMessage(message, route, bool(settled.facts["held"]))

    def choose(self, put: Put, instead_of: str, mover: Caller | None, but_for: str = "") -> AlternativeChoice:
        """Choose a new destination for a message, which is not ``instead_of``.

        ``but_for`` is the queue manager that is left out before anybody chooses; blank: none.

        A message that is moved has a ``mover``; one that arrives over a cluster channel calls no exit.
        """
        self.sequence = self.sequence.noticed(self.cluster, self.engine.listing)
        decision = self.among(put, but_for, mover)
        if put.from_cluster_channel:
            depths, taken = self.before.get_depth, decision.candidate
            decision.refusal = self.engine.sending.refusal(taken, put.call, self.cluster, depths)
        if decision.chosen is None or decision.chosen.queue_manager != instead_of:
            return self.chosen(decision)
        others = any(each.queue_manager != instead_of for each in decision.permitted)
        return AlternativeChoice(exit=decision.exit, others=others)

    def chosen(self, decision: Decision) -> AlternativeChoice:
        """Turn a decision into the fate of a message."""
        to, reason = decision.chosen, decision.reason.name if decision.reason else ""
        lies = "" if to is None else to.transmission_queue or (to.queue if to.is_local else "")
        full = bool(lies) and not self.has_room(self.cluster.own_queues[lies])
        return AlternativeChoice(to, reason, decision.exit, full=full, state=decision.state)

    def among(self, put: Put, but_for: str, caller: Caller | None) -> Decision:
        """Choose among the instances that are known but those of one queue manager; no name is resolved."""
        if self._instances_of is not self.cluster:
            self._instances, self._instances_of = {}, self.cluster
        if but_for not in self._instances:
            self._instances[but_for] = select_instances(self.cluster, but_for)
        known = self._instances[but_for]
        return self.engine.choose(put, known, evolve(self.sequence, seen=known), caller=caller)


class AdministrationAnswer(RuleAnswer):
    """The answer about a subject: the ``rule`` that settles it (None: nothing does), and the derived facts."""

    @property
    def becomes(self) -> str:
        """The fate in a word; blank if nothing happens."""
        found: str = self.facts["becomes"]
        return found

    @property
    def rule_id(self) -> str:
        """The id of that rule; blank where nothing becomes of it."""
        return self.rule.id if self.rule else ""


class AdministrationRules(DocumentRules):
    """The rules of administration."""

    document = ADMINISTRATION

    def ask(self, matter: AdministrationSubject) -> AdministrationAnswer:
        """Run the rules of administration on one subject."""
        return AdministrationAnswer.of(matter, self.course)


@frozen(eq=False)
class Arrival:
    """The way of a message that arrives: ``where`` is what its queue's name comes to at the local queue manager."""

    event: Event
    cluster: Cluster
    where: Resolution

    @property
    def queue(self) -> Queue | None:
        """The local queue that the name comes to: one in no cluster, or the local instance."""
        if not self.where.is_local and self.where.ends != "queue":
            return None
        return self.cluster.own_queues.get(self.where.names[0])

    @property
    def disabled(self) -> str:
        """The first object on the way that is put-disabled; blank if none is."""
        own = self.cluster.own_queues
        met = (name for look in self.where.looks for name in _met(look))
        return next((name for name in met if name in own and own[name].put == "DISABLED"), "")

    def put(self) -> Event:
        """Return the put on the local queue that it comes to, with the priority of what was named."""
        priority = self.where.default_priority if self.where.followed else None
        name, persistent = self.where.names[0], self.event.persistent
        return Event("put", queue=name, id=self.event.id, priority=priority, persistent=persistent)

    def matter(self, full: bool) -> AdministrationSubject:
        """Build what the rules see of an arrival; ``full`` is the queue that it comes to."""
        own, reason, found = self.cluster.queue_manager, self.where.reason, bool(self.where.ends)
        return AdministrationSubject(
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


@frozen
class MessageFate:
    """What becomes of a message in flight; ``to`` is where it is sent instead, ``exit`` what became of that with
    an exit, called or not. ``remarks`` say what it will meet.
    """

    message: str
    settled: AdministrationAnswer
    to: Destination | None = None
    exit: ExitAnswer | None = None
    remarks: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the fate as in a row of ``mqclause replay``."""
        to = self.to and self.to.to_json()
        found = {"message": self.message, "fate": self.settled.becomes, "to": to, **self.settled.document()}
        found |= {"remarks": list(self.remarks)} if self.remarks else {}
        if self.exit is None or not self.exit.called:
            return found
        return {**found, "exit": self.exit.document(Destination.to_json)}


@frozen(eq=False)
class AlternativeChoice:
    """Another choice for a message: where it would go now, or the reason code that the choice ends in.

    Both are blank where the choice is the place that it had; ``others`` says that there were others to choose, and
    ``full`` that it would go to a queue here that has no room. ``exit`` is what an exit made of it, ``state`` the
    sequence state if it goes there.
    """

    to: Destination | None = None
    reason: str = ""
    exit: ExitAnswer | None = None
    others: bool = False
    full: bool = False
    state: SequenceState | None = None

    def matter(
        self, before: AdministrationSubject, behind: bool, hosts: Mapping[str, RemoteQueueManager]
    ) -> AdministrationSubject:
        """Build what the rules see of a message for which this was chosen; ``before`` is what they saw."""
        host = None if self.to is None else hosts.get(self.to.queue_manager)
        return evolve(
            before,
            chosen_again=True,
            chosen_behind=behind,
            alternative=self.to is not None,
            alternative_down=host is not None and not host.available,
            others_permitted=self.others,
            full=self.full,
            reason=self.reason,
            exit_refuses=self.exit is not None and self.exit.dead_lettered,
            exit_fails=self.exit is not None and self.exit.fails,
            exit_keeps=self.exit is not None and self.exit.has_overridden and self.to is None and not self.reason,
        )


@define
class AdministrationResult:
    """The effects of an event of administration. ``changed``, ``removed`` and ``kept`` are rows of documents.

    ``refused`` is the rule's answer where a command is, with the message that says so.
    """

    changed: list[dict[str, Any]] = field(factory=list)
    removed: list[dict[str, Any]] = field(factory=list)
    kept: list[dict[str, Any]] = field(factory=list)
    fates: list[MessageFate] = field(factory=list)
    refused: AdministrationAnswer | None = None
    is_refresh: bool = False
    has_fates: bool = False

    def summary(self) -> list[Mapping[str, Any]]:
        """Summarize the effects, without rules and reasons."""
        refused = [] if self.refused is None else [{"refused": self.refused.facts["refused"]}]
        did = ({**row, "to": name} for name in ("changed", "removed", "kept") for row in getattr(self, name))
        return [*refused, *({key: row[key] for key in row.keys() - {"rule", "clause", "because"}} for row in did)]

    def list_rules(self) -> Iterator[str]:
        """List the rules by which it did what it did."""
        if self.refused is not None:
            yield self.refused.rule_id
        yield from (row["rule"] for row in (*self.changed, *self.removed, *self.kept) if "rule" in row)

    def document(self) -> dict[str, Any]:
        """Return the keys that this adds to a row of ``mqclause replay``."""
        found: dict[str, Any] = {"removed": self.removed, "kept": self.kept} if self.is_refresh else {}
        if self.refused is not None:
            found["refused"] = {"message": self.refused.facts["refused"], **self.refused.document()}
        return found | ({"fates": [each.document() for each in self.fates]} if self.has_fates else {})


def _describe_evidence(rules: Rules, edition: str, later: AdministrationResult, earlier: AdministrationResult) -> str:
    """Say how it is known what an event does in the later of two editions: by the first rule that it had not before."""
    before = {*earlier.list_rules()}
    new = next((each for each in later.list_rules() if each not in before), "")
    return describe_evidence(rules, edition, new)


def build_route_subject(channel: Channel, asked: str, mode: str = "", outbound: bool = False) -> AdministrationSubject:
    """Build what the rules see of a route that an event touches."""
    return AdministrationSubject(
        asked=asked,
        kind="channel",
        name=channel.name,
        host=channel.queue_manager,
        cluster=channel.cluster,
        mode=mode,
        status=channel.status,
        deftype=channel.deftype,
        waiting=channel.messages,
        outbound=outbound,
    )


def _build_command_subject(event: Event, known: Cluster) -> AdministrationSubject:
    """Build what the rules see of the command itself."""
    own = known.queue_manager
    return AdministrationSubject(
        asked="refresh_command",
        kind="queue_manager",
        name=own.name,
        host=own.name,
        cluster=event.cluster,
        repos=event.repos,
        at_full_repository=own.is_full_in(event.cluster),
    )


def _build_known_subject(
    each: KnownObject, command: AdministrationSubject, known: Cluster, in_flight: int
) -> AdministrationSubject:
    """Build what the rules see of something that is ``known`` in the cluster of a ``command``.

    On a route so many messages are ``in_flight``.
    """
    own, name = known.queue_manager.name, command.cluster
    if isinstance(each, Channel):
        leads_to = known.remote.get(each.queue_manager)
        is_repository = leads_to is not None and leads_to.is_full_in(each.cluster)
        return evolve(
            build_route_subject(each, "refresh"),
            owned=each.queue_manager == own,
            in_flight=in_flight,
            full_repository=is_repository,
            repos=command.repos,
        )
    is_member = isinstance(each, QueueManager | RemoteQueueManager)
    host = _host_of(each)
    return evolve(
        command,
        asked="refresh",
        kind="queue_manager" if is_member else "queue",
        name=each.name,
        host=host,
        owned=host == own,
        full_repository=isinstance(each, QueueManager | RemoteQueueManager) and each.is_full_in(name),
        also_elsewhere=any(other != name for other in each.clusters),
    )


def _build_put_subject(named: str, reason: str, clusters: Collection[str], known: Cluster) -> AdministrationSubject:
    """Build what the rules see of a put that fails, to a name that a refresh of each of the ``clusters`` removed."""
    routes = known.channels_by_queue_manager
    reached = [
        each.name for each in known.remote_queue_managers
        if any(route.cluster in clusters and each.is_full_in(route.cluster) for route in routes.get(each.name, ()))
    ]  # fmt: skip
    own = known.queue_manager
    return AdministrationSubject(
        asked="put",
        name=named,
        host=own.name,
        reason=reason,
        repositories=join_names(reached, "or"),
        at_full_repository=all(map(own.is_full_in, clusters)),
    )


def _build_known_row(each: KnownObject) -> dict[str, str]:
    """Build the entry of a row for an object that a refresh removes or keeps."""
    match each:
        case QueueManager() | RemoteQueueManager():
            return {"queue_manager": each.name}
        case Channel():
            return {"channel": each.name, "queue_manager": each.queue_manager}
    return {"queue": each.name, "queue_manager": _host_of(each)}


@define(eq=False)
class RoutedMessage:
    """A message on its way by ``route``; whether it ``waits`` for its target to come back."""

    message: InFlightMessage
    route: Channel
    waits: bool = False

    def matter(self, asked: str) -> AdministrationSubject:
        """Build what the rules see of the message."""
        message, route = self.message, self.route
        return AdministrationSubject(
            asked=asked,
            kind="message",
            name=route.name,
            host=route.queue_manager,
            cluster=route.cluster,
            status=route.status,
            persistent=message.persistent,
            fast=route.npmspeed == "FAST",
            bound=message.bound,
            in_doubt=message.in_doubt,
            delivered=message.delivered,
        )


def _get_route_key(route: Channel | Destination) -> RouteKey:
    """Return the key of a route: its channel, where it leads, and the cluster."""
    name = route.name if isinstance(route, Channel) else route.channel
    return name, route.queue_manager, route.cluster


@define(eq=False)
class ReplayExits:
    """The memory of exits while the queue manager runs.

    ``at_start`` is CLWLEXIT at the latest start. ``connected`` has, by application, what it was when that opened the
    first of the handles that it still has: a scenario tells of no other connections. ``matters`` says that there is an
    exit, or that CLWLEXIT ever named one.
    """

    exits: Exits
    at_start: str
    session: ExitSession = field(factory=ExitSession)
    connected: dict[str, str] = field(factory=dict)
    matters: bool = field(init=False)

    @matters.default
    def _at_first(self) -> bool:
        return bool(self.exits.names or self.at_start)

    def caller(self, event: Event, handle: Handle | None) -> Caller:
        """Return the caller whose put ``event`` needs a choice; ``handle`` is the one that a put is made on."""
        if not self.matters:
            return ANYBODY
        message = None
        if event.do == "put":
            persistence = MQPER_PERSISTENT if event.persistent else MQPER_NOT_PERSISTENT
            descriptor = {**NO_DESCRIPTOR, "Persistence": persistence}
            if event.priority is not None:
                descriptor["Priority"] = event.priority
            message = OfferedMessage(event.length, None, descriptor)
        at_connection = self.connected.get(event.by)
        number = None if handle is None else handle.id
        return Caller(number, message, self.at_start, at_connection, session=self.session)

    def moving(self, message: InFlightMessage, left: str) -> Caller:
        """Return the caller of a choice for a message whose target ``left`` failed: the channel, on no handle."""
        persistence = MQPER_PERSISTENT if message.persistent else MQPER_NOT_PERSISTENT
        offered = OfferedMessage(Put().length, None, {**NO_DESCRIPTOR, "Persistence": persistence})
        return Caller(None, offered, self.at_start, None, left, session=self.session)

    def record_event(self, event: Event, after: QueueManagerState) -> None:
        """Take note of an event that was carried out; ``after`` is the queue manager then."""
        now = after.cluster.queue_manager.clwlexit
        self.matters = self.matters or bool(now)
        if event.do in ("open", "close"):
            if not any(each.application == event.by for each in after.handles.open):
                self.connected.pop(event.by, None)
            elif event.do == "open":
                self.connected.setdefault(event.by, now)
        elif event.do == "restart":
            self.end()
            self.connected.clear()
            self.at_start = now

    def end(self) -> None:
        """Call the exits with TERM; what they remember is gone."""
        self.exits.end(self.session)


def _unbound(queue: str, **more: Any) -> Put:
    """A message for ``queue``, to be put where the rules then choose."""
    return Put.as_written(queue, bind="NOTFIXED", call="MQPUT", **more)


def _met(look: ResolutionStep) -> Iterator[str]:
    """The objects of the local queue manager at which a look found its names."""
    if look.facts["object"]:
        yield look.facts["object"]
    elif look.holds("here"):
        yield look.situation.queue
    yield look.facts["transmission_queue"]


def _host_of(each: QueueManager | RemoteQueueManager | Queue | QueueManagerAlias) -> str:
    if isinstance(each, QueueManager | RemoteQueueManager):
        return each.name
    return each.routed_to if isinstance(each, QueueManagerAlias) else each.queue_manager


@frozen
class InformationState:
    """Information as it is on a day."""

    information: Information
    settled: AdministrationAnswer

    def day(self, *facts: str) -> date:
        """Return the day that is the sum of some facts, in days, after the information was sent."""
        return self.information.sent + timedelta(days=sum(self.settled.facts[fact] for fact in facts))

    def document(self) -> dict[str, Any]:
        """Return the state as in the JSON of ``mqclause retention``."""
        facts = self.settled.facts
        return {
            "name": self.information.name,
            "owner": self.information.owner,
            "state": facts["state"],
            "sent": str(self.information.sent),
            "resend_due": str(self.day("resend_after")),
            "expires": str(self.day("lifetime")),
            "removed": str(self.day("lifetime", "grace_period")),
            "answers_new_requests": facts["answers_new_requests"],
            "owner_in_cluster": facts["owner_in_cluster"],
            **self.settled.document(),
        }


@frozen
class RequestState:
    """A request as it is on a day; ``made`` is the day of the one in force."""

    request: Request
    made: date
    settled: AdministrationAnswer

    def day(self, fact: str) -> date:
        """Return the day that is a fact's number of days after the request was made."""
        days: int = self.settled.facts[fact]
        return self.made + timedelta(days=days)

    def document(self) -> dict[str, Any]:
        """Return the state as in the JSON of ``mqclause retention``."""
        return {
            "name": self.request.name,
            "by": self.request.by,
            "state": self.settled.facts["state"],
            "made": str(self.made),
            "check_due": str(self.day("check_after")),
            "expires": str(self.day("request_lifetime")),
            **self.settled.document(),
        }


@frozen
class Retention:
    """The information and requests that are held on a day."""

    on: date
    information: tuple[InformationState, ...]
    requests: tuple[RequestState, ...]

    def document(self) -> dict[str, Any]:
        """Return the JSON of ``mqclause retention``."""
        return {
            "format": "mqclause.retention/1",
            "on": str(self.on),
            "information": [each.document() for each in self.information],
            "requests": [each.document() for each in self.requests],
        }


def build_retention(rules: AdministrationRules, held: RepositoryContent, on: date) -> Retention:
    """Build the state of everything that repositories hold on the day ``on``; only references may be of later days."""
    latest: dict[str, date] = {}
    for each in held.information:
        latest[each.owner] = max(each.sent, latest.get(each.owner, each.sent))
    information = tuple(
        InformationState(each, rules.ask(_of_information(each, on, latest[each.owner]))) for each in held.information
    )
    return Retention(on, information, tuple(_request_on(rules, each, on) for each in held.requests))


def _of_information(each: Information, on: date, latest: date) -> AdministrationSubject:
    age, owner_age = (on - each.sent).days, (on - latest).days
    return AdministrationSubject(asked="information", name=each.name, host=each.owner, age=age, owner_age=owner_age)


def _request_on(rules: AdministrationRules, request: Request, on: date) -> RequestState:
    """The request that is in force: each day on which something may happen to it is looked at, in order."""
    matter = AdministrationSubject(asked="request", name=request.name, host=request.by)
    made = day = request.made
    referenced, referenced_on = False, frozenset(request.referenced)
    while True:
        today = day in referenced_on
        referenced = referenced or today
        found = rules.ask(evolve(matter, age=(day - made).days, referenced=referenced, referenced_today=today))
        if found.facts["remade"]:
            made, referenced = day, today
        if day >= on:
            return RequestState(request, made, found)
        day = min((on, *_days_after(request.referenced, day, made, found)))


def _days_after(days: Sequence[date], day: date, made: date, found: AdministrationAnswer) -> Iterator[date]:
    """The days after ``day`` on which something may happen next: that of a reference, and that of the check."""
    check = made + timedelta(days=found.facts["check_after"])
    yield from days[bisect_right(days, day) :][:1]
    if check > day:
        yield check
