"""Find the unknown facts that could change a decision, and the DISPLAY command that would tell each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any

from attrs import evolve, field, fields, fields_dict, frozen

from mqclause.documents import OUTCOME
from mqclause.executors.compiled import CompiledExecutor
from mqclause.executors.operations import LoweredRuleset, Run
from mqclause.executors.pipeline import Pipeline
from mqclause.language import nodes
from mqclause.language.evaluator import Scope, evaluate
from mqclause.language.parser import find_words
from mqclause.model.configuration.completeness import EVERY_STATE, AtOthers, MissingInformation, drop_answered_commands
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.facts.cluster import CLUSTER_FIELDS, Cluster
from mqclause.model.facts.domains import Whole, Words, quote_name, quote_unless_plain
from mqclause.model.facts.objects import (
    Channel,
    ChannelStatus,
    Fact,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.model.facts.workload import Destination, SequenceState
from mqclause.workload.decision import Decision, DecisionResult, Engine, find_multiroute_queue_managers
from mqclause.workload.equivalence import MOST_CLASSES, EquivalenceClass
from mqclause.workload.exit_answer import ExitAnswer
from mqclause.workload.resolution import get_transmission_queue_rules

MOST_CHANNELS = 20
"""About the states of how many channels, each alone, an exit is asked."""

AskExit = Callable[[Decision], ExitAnswer]
"""Asks an exit about a decision of the rules."""

OtherResults = Mapping[str, DecisionResult]
"""How a decision ends otherwise, by the state of channels."""


@frozen
class _EndsAt:
    """An Ending with the places of those who are permitted, instead of these."""

    outcome: str
    places: tuple[int, ...]
    reason: str
    call: str

    @classmethod
    def of(cls, runs: Sequence[Run], listed: Sequence[Destination]) -> _EndsAt:
        place, ends = {id(each): at for at, each in enumerate(listed)}, DecisionResult.of_runs(runs)
        return cls(ends.outcome, tuple(place[id(each)] for each in ends.permitted), ends.reason, ends.call)

    def among(self, listed: Sequence[Destination]) -> DecisionResult:
        """The Ending of a choice of these."""
        return DecisionResult(self.outcome, tuple(listed[at] for at in self.places), self.reason, self.call)


GroupedResults = tuple[tuple[tuple[str, ...], _EndsAt], ...]
"""States that rules do not tell apart, and how a choice ends with them."""

VARIED_ATTRIBUTE = "channel_status"
"""The attribute of a destination that is varied."""

CHANNEL_STATES = tuple(
    state for state in getattr(fields(Destination), VARIED_ATTRIBUTE).metadata["domain"].words if state
)
"""Every status that a channel can have."""

MissingObject = tuple[str, str]
"""An MQ object that something is not known of, in words, and the command that tells it."""

Route = tuple[str, str]
"""A channel and the queue manager that it leads to: in every cluster it has one status."""

NAMES = ("target", "rname", "rqmname", "xmitq")
"""Attributes that can be any name: no other value can be tried."""

EXIT_NAME, SOME_EXIT = "clwlexit", "EXIT"
"""The attribute that names an exit, and a name in its place."""

BY_AN_EXIT = "An exit that it names would be called, and may choose another destination"

MOST_FACTS = 20
"""Of how many facts that are left open it is asked whether they matter."""


@frozen
class CombinedStates(MissingInformation):
    """The effect of the states of all channels at once, beside those that matter alone: no further fact."""


def find_unknowns(
    decision: Decision, snapshot: Snapshot, ask_exit: AskExit | None = None
) -> tuple[MissingInformation, ...]:
    """Find unknown facts that could change ``decision``, which was made in the ``snapshot``'s cluster, with an exit."""
    open_still = tuple(find_undisplayed_attributes(decision, snapshot))
    if _is_settled(decision):
        return open_still
    states = (
        ()
        if _always_refused(decision)
        else find_unknown_states(decision.before_sending(), snapshot.of_unknown_state, ask_exit)
    )
    missing = (*snapshot.incomplete, *find_unknown_names(decision, snapshot), *find_unknown_exits(decision))
    found = (*missing, *open_still, *states)
    return tuple(drop_answered_commands(found, snapshot.knowledge.asked))


def find_unknown_names(decision: Decision, snapshot: Snapshot) -> Iterator[MissingInformation]:
    """Find a name that the put came to and that is not known, although no source would tell it."""
    if decision.runs or decision.reason is None:
        return
    seen, cluster = decision.resolved.last.situation, decision.cluster
    at_another = seen.queue_manager not in ("", seen.local_queue_manager)
    name, kind = (seen.queue_manager, "CLUSQMGR") if at_another else (seen.queue, "QCLUSTER")
    if name and name not in cluster.own_queues and name not in cluster.queues_by_name:
        told = {each.command for each in snapshot.incomplete}
        for what, command in (
            snapshot.knowledge.asked.find_missing_commands(name, kind) if snapshot.knowledge.asked.alone else ()
        ):
            if command.replace(quote_name(name), "*") not in told:
                yield MissingInformation(f"nobody asked at {seen.local_queue_manager} {what}", name, command)
        if snapshot.others.partial_of and not seen.known_as_model:
            yield _asked_of_repositories(name, kind, snapshot)
    ways = {seen.xmitq: seen.xmitq_defined, seen.alias_xmitq: seen.alias_xmitq_defined,
            seen.defxmitq: seen.defxmitq_defined, name: name in cluster.own_queues or seen.known_as_model}  # fmt: skip
    for each in (each for each, defined in ways.items() if each and not defined):
        if snapshot.knowledge.covered.leaves_out("QUEUE", each):
            what = f"a dump of {seen.local_queue_manager} does not tell whether there is a queue {each}"
            yield MissingInformation(what, each, f"DISPLAY QUEUE({quote_name(each)}) ALL")


def find_unknown_exits(decision: Decision) -> Iterator[MissingInformation]:
    """Find an exit that would be called, and that nobody has given."""
    missing = None if decision.exit is None else decision.exit.missing
    if missing is not None:
        yield missing


def find_missing_objects(decision: Decision, snapshot: Snapshot) -> Iterator[MissingObject]:
    """Find the missing objects that ``find_unknowns`` names, without what would become of the answer: in less time."""
    yield from ((each.about, each.command) for each in find_undisplayed_attributes(decision, snapshot))
    if not _is_settled(decision):
        missing = (*snapshot.incomplete, *find_unknown_names(decision, snapshot))
        of_states: Iterable[MissingObject] = ()
        if snapshot.of_unknown_state and not _always_refused(decision):
            of_states = _UnknownStates.of(decision.before_sending(), snapshot.of_unknown_state).told_by()
        for about, command in (*((each.about, each.command) for each in missing), *of_states):
            yield about, "" if snapshot.knowledge.asked.holds(command) else command


def find_unknown_states(
    decision: Decision, channels: Collection[Channel], ask_exit: AskExit | None = None
) -> Iterator[MissingInformation]:
    """Find channels of unknown status for which another status than the assumed one changes the answer.

    It is decided anew for every status of each of them alone, and for every status of all of them at once; of states
    that no rule tells apart, once. An exit may tell them all apart, and is asked about MOST_CHANNELS channels alone.
    """
    return _UnknownStates.of(decision, channels, ask_exit).told() if channels else iter(())


@lru_cache
def group_states(course: Pipeline) -> tuple[tuple[str, ...], ...]:
    """Group the states of a channel that no test of the rules tells from one another."""
    groups: dict[tuple[object, ...], tuple[str, ...]] = {}
    for state in CHANNEL_STATES:
        scopes = (Scope(steps.vocabulary, None, subject=Destination(channel_status=state)) for steps in course.steps)
        answers = (answer for steps, scope in zip(course.steps, scopes, strict=True) for answer in _tests(steps, scope))
        key = tuple(answers)
        groups[key] = (*groups.get(key, ()), state)
    return tuple(groups.values())


def _build_status_command(route: Route, routes: Mapping[Route, str]) -> str:
    """Build the command that tells the state of one of the routes."""
    channel, queue_manager = route
    alone = sum(name == channel for name, _ in routes) == 1
    named, to = _in_mqsc(channel), _in_mqsc(queue_manager)
    return build_chstatus_command(channel) if alone else f"DISPLAY CLUSQMGR({to}) CHANNEL({named}) STATUS"


def build_chstatus_command(channel: str) -> str:
    """Build the command that tells the state of the only channel of a name."""
    return f"DISPLAY CHSTATUS({_in_mqsc(channel)})"


def render_alternatives(subject: str, answers: Mapping[str, str]) -> str:
    """Render ``If TO.QM2 is RETRYING: QM3`` for each answer, or the states that change nothing, if fewer."""
    by_answer: dict[str, list[str]] = {}
    for state, answer in answers.items():
        by_answer.setdefault(answer, []).append(state)
    kept = [state for state in CHANNEL_STATES if state not in answers]
    if len(by_answer) == 1 and 0 < len(kept) < len(answers):
        neither = f"neither {' nor '.join(kept)}" if len(kept) > 1 else f"not {kept[0]}"
        return f"If {subject} {neither}: {next(iter(by_answer))}"
    said = "; ".join(f"if {subject} {' or '.join(states)}: {answer}" for answer, states in by_answer.items())
    return said[:1].upper() + said[1:]


def find_undisplayed_attributes(decision: Decision, snapshot: Snapshot) -> Iterator[MissingInformation]:
    """Find the attributes that no display shows and that could change the decision."""
    facts = [each for each in _in_play(decision) if snapshot.unshown.of(each)] if snapshot.knowledge.leaves_open else ()
    unknown = [
        _Unknown(fact, attribute, words)
        for fact in facts[:MOST_FACTS]
        for attribute, words in snapshot.unshown.of(fact).items()
    ]
    told = dict[tuple[str, str, str], list[_Unknown]]()
    for each in _Trial.of(decision).deciding(unknown) if unknown else ():
        told.setdefault((*snapshot.unshown.get_kind_and_name(each.fact), each.fact.name), []).append(each)
    for (kind, name, of), found in told.items():
        words = dict.fromkeys(word for each in found for word in (*each.words, *each.beside))
        shown_in = "QUEUE" if kind in ("QLOCAL", "QALIAS", "QREMOTE") else kind
        command = " ".join([f"DISPLAY {shown_in}({quote_name(name)})" if name else f"DISPLAY {shown_in}", *words])
        yield from (MissingInformation(each.what, of, command) for each in found)


def _asked_of_repositories(name: str, kind: str, snapshot: Snapshot) -> MissingInformation:
    """What a partial repository does not know it asks the full ones for, when it is opened."""
    own, of = snapshot.cluster.queue_manager.name, ", ".join(snapshot.others.partial_of)
    others = snapshot.cluster.remote_queue_managers
    of_them = (
        each for each in others if any(map(each.is_full_in, {*each.clusters}.intersection(snapshot.others.partial_of)))
    )
    full = ", ".join(each.name for each in of_them)
    what = f"whether {full or 'full repositories'} know {name}, which {own}, no full repository of {of}, does not"
    return AtOthers(what, full or name, f"DISPLAY {kind}({quote_name(name)}) ALL")


def _always_refused(decision: Decision) -> bool:
    """Whether no transmission queue takes the message, whoever is chosen."""
    if decision.refusal is None:
        return False
    sending, call = get_transmission_queue_rules(decision.rules), decision.put.call
    return all(sending.refusal(each, call, decision.cluster) is not None for each in decision.listed)


def _is_settled(decision: Decision) -> bool:
    """Whether the names came to a queue of the local queue manager: what others have does not matter then."""
    return not decision.runs and decision.reason is None


@frozen(eq=False)
class _UnknownStates:
    """The ``routes`` whose status no source tells, with the one taken; those that matter ``alone``, and all at once.

    About ``asked`` of them each alone it was asked.
    """

    decision: Decision
    routes: Mapping[Route, str]
    asked: int
    alone: Mapping[Route, OtherResults]
    together: OtherResults

    @classmethod
    def of(cls, decision: Decision, channels: Iterable[Channel], ask_exit: AskExit | None = None) -> _UnknownStates:
        """Asks the rules, and an exit."""
        routes = _untold(decision, channels)
        changed = _Changed(decision, ask_exit)
        asked = routes if ask_exit is None else _first_of(routes, decision)
        alone = {route: found for route, taken in asked.items() if (found := changed.endings({route: taken}))}
        return cls(decision, routes, len(asked), alone, changed.endings(routes) if len(routes) > 1 else {})

    def told_by(self) -> Iterator[MissingObject]:
        """The channels of which another state gives another answer, and what tells the state."""
        yield from ((channel, _build_status_command((channel, to), self.routes)) for channel, to in self.alone)
        if self.together and not self.alone:
            yield self.decision.cluster.queue_manager.name, EVERY_STATE

    def told(self) -> Iterator[MissingInformation]:
        """What is not known, in words."""
        routes, local = self.routes, self.decision.cluster.queue_manager.name
        by_route = find_multiroute_queue_managers(self.decision.listed)
        alone = {route: _said(found, by_route) for route, found in self.alone.items()}
        for route, others in alone.items():
            alternatives = render_alternatives(f"{route[0]} is", others)
            what = f"channel status unknown; taken as {routes[route]}. {alternatives}"
            yield MissingInformation(what, route[0], _build_status_command(route, routes))
        known = {answer for others in alone.values() for answer in others.values()}
        together = _said(self.together, by_route)
        news = {state: answer for state, answer in together.items() if answer not in known}
        if news:
            assumed = ", ".join(dict.fromkeys(routes.values()))
            alternatives = render_alternatives("all of them are", news)
            what = f"states of {len(routes)} channels unknown; taken as {assumed}. {alternatives}"
            yield (CombinedStates if alone else MissingInformation)(what, local, EVERY_STATE)
        if self.asked < len(routes):
            what = f"states of {len(routes)} channels unknown; an exit was asked about {self.asked} of them alone"
            yield MissingInformation(what, local, EVERY_STATE)


def _said(endings: OtherResults, by_route: Container[str]) -> dict[str, str]:
    """The endings in words; one that several states lead to is worded once."""
    words = {each: each.said(by_route) for each in dict.fromkeys(endings.values())}
    return {state: words[each] for state, each in endings.items()}


def _first_of(routes: Mapping[Route, str], decision: Decision) -> dict[Route, str]:
    """MOST_CHANNELS of the routes, those of the exit's choice and of the own choice first."""
    answer = decision.exit
    chosen = [each.counter for each in (answer.chosen, answer.own_choice) if each is not None] if answer else []
    first = [route for route in dict.fromkeys([*chosen, *routes]) if route in routes]
    return {route: routes[route] for route in first[:MOST_CHANNELS]}


def _untold(decision: Decision, channels: Iterable[Channel]) -> dict[Route, str]:
    """The routes of the destinations that are among these ``channels``, with the status that is taken for each."""
    asked = {(each.channel, each.queue_manager, each.cluster): each for each in decision.listed if each.channel}
    untold = {}
    for channel in channels:
        listed = asked.get((channel.name, channel.queue_manager, channel.cluster))
        if listed is not None:
            untold[channel.name, channel.queue_manager] = listed.channel_status
    return untold


@frozen(eq=False)
class _Changed:
    """A decision with other states of channels."""

    decision: Decision
    ask_exit: AskExit | None = None
    _course: Pipeline = field(init=False)

    @_course.default
    def _compiled(self) -> Pipeline:
        # The decision may be one by an executor that explains, and is slow.
        is_compiled = isinstance(self.decision.course.executors[0], CompiledExecutor)
        return self.decision.course if is_compiled else Pipeline.of(self.decision.rules, OUTCOME)

    def endings(self, routes: Mapping[Route, str]) -> dict[str, DecisionResult]:
        """The ending for each status of all of the ``routes``, instead of the one given, by which it is another."""
        listed = self.decision.listed
        places = tuple(at for at, each in enumerate(listed) if (each.channel, each.queue_manager) in routes)
        taken = frozenset(routes.values())
        if self.ask_exit is not None:
            return dict(self._by_exit(self.ask_exit, places, taken))
        kind = self.decision.kind
        return {
            state: ending
            for states, ends in _other_endings(self._course, kind, places, taken)
            for state, ending in zip(states, repeat(ends.among(listed)))
        }

    def _by_exit(
        self, ask: AskExit, places: tuple[int, ...], taken: frozenset[str]
    ) -> Iterator[tuple[str, DecisionResult]]:
        now = DecisionResult.of(self.decision)
        for state in (each for each in CHANNEL_STATES if taken != {each}):
            listed, runs = _with_state(self._course, self.decision.kind, places, state)
            found = evolve(self.decision, level="verdict", course=self._course, listed=listed, runs=runs, exit=None)
            found.exit = ask(found)
            if not now.is_same_result_as(other := DecisionResult.of(found)):
                yield state, other


@lru_cache(MOST_CLASSES)
def _other_endings(
    course: Pipeline, kind: EquivalenceClass, places: tuple[int, ...], taken: frozenset[str]
) -> GroupedResults:
    """How a choice ends with another state than the one ``taken`` at these ``places``, where it ends otherwise."""
    now = _EndsAt.of(course.run(kind.situation, kind.listed, kind.carried), kind.listed).among(kind.listed)
    found = []
    for states in group_states(course):
        if not taken.issubset(states):
            listed, runs = _with_state(course, kind, places, states[0])
            ending = _EndsAt.of(runs, listed)
            if not ending.among(kind.listed).is_same_result_as(now):
                found.append((states, ending))
    return tuple(found)


def _with_state(
    course: Pipeline, kind: EquivalenceClass, places: Container[int], state: str
) -> tuple[tuple[Destination, ...], tuple[Run, ...]]:
    """The destinations with that state at these places, and what the rules make of them."""
    listed = tuple(evolve(each, channel_status=state) if at in places else each for at, each in enumerate(kind.listed))
    return listed, course.run(kind.situation, listed, kind.carried)


def _tests(steps: LoweredRuleset, scope: Scope) -> Iterator[object]:
    """What each test of a status says of the one in ``scope``; the status itself, where it is used in another way."""
    for tree in (*steps.expressions(), *steps.vocabulary.terms.values()):
        for column, test in _varied(tree, tree):
            alone = find_words(test) == (VARIED_ATTRIBUTE,)
            yield evaluate(test if alone else column, scope)


def _varied(tree: nodes.Expression, test: nodes.Expression) -> Iterator[tuple[nodes.Column, nodes.Expression]]:
    """Each place of a status, and the comparison that it stands in; ``test`` where it is compared with nothing."""
    if isinstance(tree, nodes.Column) and tree.name == VARIED_ATTRIBUTE:
        yield tree, test
    for each in tree.parts:
        yield from _varied(each, tree if isinstance(tree, nodes.PREDICATES) else test)


def _in_mqsc(name: str) -> str:
    """A name as a command takes it: in quotes where MQSC would fold it to upper case."""
    return quote_unless_plain(name) if name == name.upper() else quote_name(name)


def _in_play(decision: Decision) -> Iterator[Fact]:
    """What the decision looked at: queues and aliases of the names, the routes to where they are, and who is there."""
    cluster = decision.cluster
    situations = [look.situation for look in decision.resolved.looks]
    names = dict.fromkeys(name for each in situations for name in (each.queue, each.queue_manager) if name)
    yield cluster.queue_manager
    for name in names:
        yield from cluster.queues_by_name.get(name, ())
        yield from cluster.aliases_by_name.get(name, ())
    for host in dict.fromkeys(each.queue_manager for each in decision.listed):
        yield from cluster.channels_by_queue_manager.get(host, ())
        yield from [cluster.remote[host]] if host in cluster.remote else ()


@frozen(eq=False)
class _Unknown:
    """An attribute of a fact that no display shows, the keywords of MQSC that tell it, and those that do with it.

    ``answers`` are what other values make of the decision, each with these.
    """

    fact: Fact
    attribute: str
    words: Sequence[str]
    beside: dict[str, None] = field(factory=dict)
    answers: dict[str, list[str]] = field(factory=dict)

    @property
    def what(self) -> str:
        """What is not known, in words."""
        unknown = f"{self.words[0]} of {self.fact.name} is shown by no display"
        if self.attribute == EXIT_NAME:
            return f"{unknown}; taken as blank. {BY_AN_EXIT}"
        if not self.answers:
            return f"{unknown}, and leads the put on"
        said = "; ".join(f"if {' or '.join(values)}: {answer}" for answer, values in self.answers.items())
        taken = _shown(getattr(self.fact, self.attribute)) or "blank"
        return f"{unknown}; taken as {taken}. {said[:1].upper()}{said[1:]}"

    def others(self, cluster: Cluster) -> Sequence[Any]:
        """Other values that it may have: every word, the lowest and the highest number, each cluster."""
        domain = fields_dict(type(self.fact))[self.attribute].metadata["domain"]
        values: Sequence[Any] = ()
        if self.attribute in ("clusters", "suspended"):
            values = [(each,) for each in cluster.queue_manager.clusters]
        elif isinstance(domain, Words):
            values = domain.words
        elif isinstance(domain, Whole):
            values = (domain.low, domain.high)
        return [each for each in values if each != getattr(self.fact, self.attribute)]

    def said(self, value: Any) -> str:
        """That it has a value: ``CLWLUSEQ(ANY)``."""
        return f"{self.words[0]}({_shown(value)})"


@frozen(eq=False)
class _Trial:
    """A decision, to be made anew with other values of what is not known; ``now`` is how it ends."""

    decision: Decision
    engine: Engine
    now: DecisionResult

    @classmethod
    def of(cls, decision: Decision) -> _Trial:
        engine = Engine(decision.rules)
        return cls(decision, engine, _ending(engine, decision, decision.cluster))

    def deciding(self, unknown: Sequence[_Unknown]) -> list[_Unknown]:
        """Those by which the decision would be another, or could be."""
        for each in unknown:
            for value in each.others(self.decision.cluster):
                is_other = self.tried(each, {each.attribute: value}, each.said(value))
                if not is_other and each.attribute == "clusters" and self.is_own(each.fact):
                    self.try_beside(each, value, unknown)
        return [each for each in unknown if each.answers or self.leads_on(each) or self.calls(each)]

    def try_beside(self, clusters: _Unknown, value: Any, unknown: Sequence[_Unknown]) -> None:
        """In a cluster more is asked of the queue than outside of any: in it, with another attribute of it."""
        for each in (one for one in unknown if one.fact is clusters.fact and one is not clusters):
            for other in each.others(self.decision.cluster):
                changed = {clusters.attribute: value, each.attribute: other}
                if self.tried(clusters, changed, f"{clusters.said(value)} and {each.said(other)}"):
                    clusters.beside.update(dict.fromkeys(each.words))

    def tried(self, of: _Unknown, changed: Mapping[str, Any], said: str) -> bool:
        """Whether it ends otherwise with the fact changed, which is noted."""
        ending = _ending(self.engine, self.decision, VariedCluster.vary(self.decision.cluster, of.fact, changed))
        if ending.is_same_result_as(self.now):
            return False
        answer = ending.said(find_multiroute_queue_managers(self.decision.listed))
        of.answers.setdefault(answer, []).append(said)
        return True

    def leads_on(self, each: _Unknown) -> bool:
        """Whether it is a name that the put is led to."""
        followed = any(each.fact.name == look.facts["object"] for look in self.decision.resolved.looks)
        return each.attribute in NAMES and self.is_own(each.fact) and followed

    def calls(self, each: _Unknown) -> bool:
        """Whether it is the name of an exit, and one that is named would be called."""
        if each.attribute != EXIT_NAME:
            return False
        cluster = VariedCluster.vary(self.decision.cluster, each.fact, {EXIT_NAME: SOME_EXIT})
        asked = self.engine.choose(self.decision.put, cluster, _before(self.decision, cluster)).exit
        return asked is not None and asked.missing is not None

    def is_own(self, fact: Fact) -> bool:
        """Whether it is a queue of the local queue manager."""
        return isinstance(fact, Queue) and fact.queue_manager == self.decision.cluster.queue_manager.name


def _ending(engine: Engine, decision: Decision, cluster: Cluster) -> DecisionResult:
    return DecisionResult.of(engine.choose(decision.put, cluster, _before(decision, cluster), caller=None))


def _before(decision: Decision, cluster: Cluster) -> SequenceState | None:
    """The state before the decision; that a value is another than was assumed is no change since then."""
    return None if decision.before is None else evolve(decision.before, seen=cluster)


def _shown(value: Any) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


@frozen(eq=False)
class VariedCluster(Cluster):
    """A cluster with other values of one fact, whose name and host stay: what is found by name is shared.

    One is made for each value of each fact in question, so none may take a time that grows with all facts.
    """

    def __attrs_post_init__(self) -> None:
        """Its facts were checked where they come from."""

    @classmethod
    def vary(cls, cluster: Cluster, fact: Fact, changed: Mapping[str, Any]) -> VariedCluster:
        """Change one fact; what rests on facts of its class is found anew, where it is asked for."""
        found, kind = evolve(fact, **changed), type(fact)
        facts = {each.name: getattr(cluster, each.name) for each in fields(Cluster)}
        if isinstance(found, QueueManager):
            facts["queue_manager"] = found
        else:
            listed = [*facts[CLUSTER_FIELDS[kind]]]
            listed[cluster.places[id(fact)]] = found
            facts[CLUSTER_FIELDS[kind]] = listed
        varied = cls(**facts)
        shared = {name: getattr(cluster, name) for name, of in RESTS_ON.items() if kind not in of}
        if isinstance(found, Queue):
            shared |= _with_queue(cluster, fact, found, changed)
        for name, value in shared.items():
            object.__setattr__(varied, name, value)
        return varied


RESTS_ON: Mapping[str, tuple[type, ...]] = {
    "last_seq_number": (Channel,),
    "most_recently_used": (Channel,),
    "channels_by_queue_manager": (Channel,),
    "remote": (RemoteQueueManager,),
    "repositories_asked": (RemoteQueueManager, QueueManager),
    "asking_in": (QueueManager,),
    "aliases_by_name": (QueueManagerAlias,),
    "taking_from": (ChannelStatus,),
    "models": (),
    "queues_by_name": (Queue,),
    "own_queues": (Queue,),
    "serving": (Queue,),
    "full_here": (Queue,),
    "put_disabled_here": (Queue,),
}
"""What a cluster keeps of its facts once it was asked for, and the classes of facts that decide it."""


def _with_queue(cluster: Cluster, queue: Fact, found: Queue, changed: Container[str]) -> dict[str, Any]:
    """What a cluster keeps of its queues, with ``found`` in place of ``queue``."""
    by_name = cluster.queues_by_name.copy()
    by_name[found.name] = [found if each is queue else each for each in by_name[found.name]]
    if found.queue_manager != cluster.queue_manager.name:
        own = ("own_queues", "serving", "full_here", "put_disabled_here")
        return {"queues_by_name": by_name, **{name: getattr(cluster, name) for name in own}}
    same = {"serving": "clchname", "put_disabled_here": "put"}
    kept = {name: getattr(cluster, name) for name, attribute in same.items() if attribute not in changed}
    return {"queues_by_name": by_name, "own_queues": {**cluster.own_queues, found.name: found}, **kept}
