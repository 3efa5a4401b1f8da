"""What a decision rests on that no source tells: what the sources leave out, and states of channels that matter."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any

from attrs import evolve, field, frozen
from sqlglot import exp

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.exit_answer import ExitAnswer
from mqclause.answers.choice.kind import MOST_KINDS, Kind
from mqclause.answers.choice.left_open import left_open
from mqclause.answers.choice.reason import outcome_of
from mqclause.answers.choice.said import Ending, with_several_routes
from mqclause.answers.choice.sending import sending_of
from mqclause.answers.choice.states import STATES, VARIED, AskedFor, Route, asking, ifs, of_channel
from mqclause.documents import OUTCOME
from mqclause.executors.compiled import Compiled
from mqclause.executors.course import Course
from mqclause.executors.run import Run
from mqclause.executors.steps import Steps
from mqclause.language.evaluate import Scope, evaluate
from mqclause.model.assembly.incomplete import EVERY_STATE, AtOthers, Incomplete, still_asking
from mqclause.model.assembly.snapshot import Snapshot
from mqclause.model.facts.destination import Destination

MOST_CHANNELS = 20
"""About the states of how many channels, each alone, an exit is asked."""

AskExit = Callable[[Decision], ExitAnswer]
"""Asks an exit about a decision of the rules."""


@frozen
class AllAtOnce(Incomplete):
    """What the states of all channels at once would make of it, beside those that matter alone: no further fact."""


def rests_on(decision: Decision, snapshot: Snapshot, ask_exit: AskExit | None = None) -> tuple[Incomplete, ...]:
    """What is not known and could change ``decision``, which was made in the ``snapshot``'s cluster, with an exit."""
    open_still = tuple(left_open(decision, snapshot))
    if _is_settled(decision):
        return open_still
    states = () if _always_refused(decision) else unknown_states(_asked_of_rules(decision), snapshot, ask_exit)
    missing = (*snapshot.incomplete, *unknown_name(decision, snapshot), *unknown_exit(decision))
    found = (*missing, *open_still, *states)
    return tuple(still_asking(found, snapshot.asked))


def unknown_name(decision: Decision, snapshot: Snapshot) -> Iterator[Incomplete]:
    """A name that the put came to and that is not known, although no source would tell it."""
    if decision.runs or decision.reason is None:
        return
    seen, cluster = decision.resolved.last.situation, decision.cluster
    at_another = seen.queue_manager not in ("", seen.local_queue_manager)
    name, kind = (seen.queue_manager, "CLUSQMGR") if at_another else (seen.queue, "QCLUSTER")
    if name and name not in cluster.own_queues and name not in cluster.queues_by_name:
        told = {each.command for each in snapshot.incomplete}
        for what, command in snapshot.asked.lacking(name, kind) if snapshot.asked.alone else ():
            if command.replace(f"'{name}'", "*") not in told:
                yield Incomplete(f"nobody asked at {seen.local_queue_manager} {what}", name, command)
        if snapshot.partial_of and not seen.known_as_model:
            yield _asked_of_repositories(name, kind, snapshot)
    ways = {seen.xmitq: seen.xmitq_defined, seen.alias_xmitq: seen.alias_xmitq_defined,
            seen.defxmitq: seen.defxmitq_defined, name: name in cluster.own_queues or seen.known_as_model}  # fmt: skip
    for each in (each for each, defined in ways.items() if each and not defined):
        if snapshot.covered.leaves_out("QUEUE", each):
            what = f"a dump of {seen.local_queue_manager} does not tell whether there is a queue {each}"
            yield Incomplete(what, each, f"DISPLAY QUEUE('{each}') ALL")


def _asked_of_repositories(name: str, kind: str, snapshot: Snapshot) -> Incomplete:
    """What a partial repository does not know it asks the full ones for, when it is opened."""
    own, of = snapshot.cluster.queue_manager.name, ", ".join(snapshot.partial_of)
    others = snapshot.cluster.remote_queue_managers
    of_them = (each for each in others if any(map(each.is_full_in, {*each.clusters}.intersection(snapshot.partial_of))))
    full = ", ".join(each.name for each in of_them)
    what = f"whether {full or 'full repositories'} know {name}, which {own}, no full repository of {of}, does not"
    return AtOthers(what, full or name, f"DISPLAY {kind}('{name}') ALL")


def unknown_exit(decision: Decision) -> Iterator[Incomplete]:
    """An exit that would be called, and that nobody has given."""
    missing = None if decision.exit is None else decision.exit.missing
    if missing is not None:
        yield missing


def told_by(decision: Decision, snapshot: Snapshot) -> Iterator[AskedFor]:
    """What rests_on would tell of besides an exit that nobody has given, without what becomes of it: in less time."""
    yield from ((each.about, each.command) for each in left_open(decision, snapshot))
    if not _is_settled(decision):
        missing = (*snapshot.incomplete, *unknown_name(decision, snapshot))
        of_states: Iterable[AskedFor] = ()
        if snapshot.of_unknown_state and not _always_refused(decision):
            of_states = _UnknownStates.of(_asked_of_rules(decision), snapshot).told_by()
        for about, command in (*((each.about, each.command) for each in missing), *of_states):
            yield about, "" if snapshot.asked.holds(command) else command


def _always_refused(decision: Decision) -> bool:
    """Whether no transmission queue takes the message, whoever is chosen."""
    if decision.refusal is None:
        return False
    sending, call = sending_of(decision.rules), decision.put.call
    return all(sending.refusal(each, call, decision.cluster) is not None for each in decision.listed)


def _asked_of_rules(decision: Decision) -> Decision:
    """The decision as rules and exits make it, whether its transmission queue takes the message or not."""
    return decision if decision.refusal is None else evolve(decision, refusal=None)


def _is_settled(decision: Decision) -> bool:
    """Whether the names came to a queue of the local queue manager: what others have does not matter then."""
    return not decision.runs and decision.reason is None


def unknown_states(decision: Decision, snapshot: Snapshot, ask_exit: AskExit | None = None) -> Iterator[Incomplete]:
    """Channels whose status no source tells, where another status than the one taken gives another answer.

    It is decided anew for every status of each of them alone, and for every status of all of them at once; of states
    that no rule tells apart, once. An exit may tell them all apart, and is asked about MOST_CHANNELS channels alone.
    """
    return _UnknownStates.of(decision, snapshot, ask_exit).told() if snapshot.of_unknown_state else iter(())


Endings = Mapping[str, Ending]
"""How a decision ends otherwise, by the state of channels."""


@frozen(eq=False)
class _UnknownStates:
    """The ``routes`` whose status no source tells, with the one taken; those that matter ``alone``, and all at once.

    About ``asked`` of them each alone it was asked.
    """

    decision: Decision
    routes: Mapping[Route, str]
    asked: int
    alone: Mapping[Route, Endings]
    together: Endings

    @classmethod
    def of(cls, decision: Decision, snapshot: Snapshot, ask_exit: AskExit | None = None) -> _UnknownStates:
        """Asks the rules, and an exit."""
        routes = _untold(decision, snapshot)
        changed = _Changed(decision, ask_exit)
        asked = routes if ask_exit is None else _first_of(routes, decision)
        alone = {route: found for route, taken in asked.items() if (found := changed.endings({route: taken}))}
        return cls(decision, routes, len(asked), alone, changed.endings(routes) if len(routes) > 1 else {})

    def told_by(self) -> Iterator[AskedFor]:
        """The channels of which another state gives another answer, and what tells the state."""
        yield from ((channel, asking((channel, to), self.routes)) for channel, to in self.alone)
        if self.together and not self.alone:
            yield self.decision.cluster.queue_manager.name, EVERY_STATE

    def told(self) -> Iterator[Incomplete]:
        """What is not known, in words."""
        routes, local = self.routes, self.decision.cluster.queue_manager.name
        by_route = with_several_routes(self.decision.listed)
        alone = {route: _said(found, by_route) for route, found in self.alone.items()}
        for route, others in alone.items():
            yield of_channel(route, routes[route], others, routes)
        known = {answer for others in alone.values() for answer in others.values()}
        together = _said(self.together, by_route)
        news = {state: answer for state, answer in together.items() if answer not in known}
        if news:
            assumed = ", ".join(dict.fromkeys(routes.values()))
            what = f"states of {len(routes)} channels unknown; taken as {assumed}. {ifs('all of them are', news)}"
            yield (AllAtOnce if alone else Incomplete)(what, local, EVERY_STATE)
        if self.asked < len(routes):
            what = f"states of {len(routes)} channels unknown; an exit was asked about {self.asked} of them alone"
            yield Incomplete(what, local, EVERY_STATE)


def _said(endings: Endings, by_route: Container[str]) -> dict[str, str]:
    """The endings in words; one that several states lead to is worded once."""
    words = {each: each.said(by_route) for each in dict.fromkeys(endings.values())}
    return {state: words[each] for state, each in endings.items()}


def _first_of(routes: Mapping[Route, str], decision: Decision) -> dict[Route, str]:
    """MOST_CHANNELS of the routes, those of the exit's choice and of the own choice first."""
    answer = decision.exit
    chosen = [each.counter for each in (answer.chosen, answer.own_choice) if each is not None] if answer else []
    first = [route for route in dict.fromkeys([*chosen, *routes]) if route in routes]
    return {route: routes[route] for route in first[:MOST_CHANNELS]}


def _untold(decision: Decision, snapshot: Snapshot) -> dict[Route, str]:
    """The routes of the destinations whose status no source tells, with the status that is taken for it."""
    asked = {(each.channel, each.queue_manager, each.cluster): each for each in decision.listed if each.channel}
    untold = {}
    for channel in snapshot.of_unknown_state:
        listed = asked.get((channel.name, channel.queue_manager, channel.cluster))
        if listed is not None:
            untold[channel.name, channel.queue_manager] = listed.channel_status
    return untold


@frozen(eq=False)
class _Changed:
    """A decision with other states of channels."""

    decision: Decision
    ask_exit: AskExit | None = None
    _course: Course = field(init=False)

    @_course.default
    def _compiled(self) -> Course:
        # The decision may be one by an executor that explains, and is slow.
        is_compiled = isinstance(self.decision.course.executors[0], Compiled)
        return self.decision.course if is_compiled else Course.of(self.decision.rules, OUTCOME)

    def endings(self, routes: Mapping[Route, str]) -> dict[str, Ending]:
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

    def _by_exit(self, ask: AskExit, places: tuple[int, ...], taken: frozenset[str]) -> Iterator[tuple[str, Ending]]:
        now = Ending.of(self.decision)
        for state in (each for each in STATES if taken != {each}):
            listed, runs = _with_state(self._course, self.decision.kind, places, state)
            found = evolve(self.decision, level="verdict", course=self._course, listed=listed, runs=runs, exit=None)
            found.exit = ask(found)
            if not now.is_as(other := Ending.of(found)):
                yield state, other


@frozen
class _EndsAt:
    """An Ending with the places of those who are permitted, instead of these."""

    outcome: str
    places: tuple[int, ...]
    reason: str
    call: str

    @classmethod
    def of(cls, runs: Sequence[Run], listed: Sequence[Destination]) -> _EndsAt:
        place = {id(each): at for at, each in enumerate(listed)}
        failure = runs[-1].failure
        ends = ("", "") if failure is None else (failure.reason, failure.call)
        return cls(outcome_of(runs), tuple(place[id(each)] for each in runs[0].remaining), *ends)

    def among(self, listed: Sequence[Destination]) -> Ending:
        """The Ending of a choice of these."""
        return Ending(self.outcome, tuple(listed[at] for at in self.places), self.reason, self.call)


OtherEndings = tuple[tuple[tuple[str, ...], _EndsAt], ...]
"""States that rules do not tell apart, and how a choice ends with them."""


@lru_cache(MOST_KINDS)
def _other_endings(course: Course, kind: Kind, places: tuple[int, ...], taken: frozenset[str]) -> OtherEndings:
    """How a choice ends with another state than the one ``taken`` at these ``places``, where it ends otherwise."""
    now = _EndsAt.of(course.run(kind.situation, kind.listed, kind.carried), kind.listed).among(kind.listed)
    found = []
    for states in told_apart(course):
        if not taken.issubset(states):
            listed, runs = _with_state(course, kind, places, states[0])
            ending = _EndsAt.of(runs, listed)
            if not ending.among(kind.listed).is_as(now):
                found.append((states, ending))
    return tuple(found)


def _with_state(
    course: Course, kind: Kind, places: Container[int], state: str
) -> tuple[tuple[Destination, ...], tuple[Run, ...]]:
    """The destinations with that state at these places, and what the rules make of them."""
    listed = tuple(evolve(each, channel_status=state) if at in places else each for at, each in enumerate(kind.listed))
    return listed, course.run(kind.situation, listed, kind.carried)


@lru_cache
def told_apart(course: Course) -> tuple[tuple[str, ...], ...]:
    """The states of a channel in groups: by no test of the rules is one told from another of its group."""
    groups: dict[tuple[object, ...], tuple[str, ...]] = {}
    for state in STATES:
        scopes = (Scope(steps.vocabulary, None, subject=Destination(channel_status=state)) for steps in course.steps)
        answers = (answer for steps, scope in zip(course.steps, scopes, strict=True) for answer in _tests(steps, scope))
        key = tuple(answers)
        groups[key] = (*groups.get(key, ()), state)
    return tuple(groups.values())


def _tests(steps: Steps, scope: Scope) -> Iterator[object]:
    """What each test of a status says of the one in ``scope``; the status itself, where it is used in another way."""
    for tree in (*steps.expressions(), *steps.vocabulary.terms.values()):
        for column in tree.find_all(exp.Column):
            if column.name == VARIED:
                test = _test_of(column)
                alone = {each.name for each in test.find_all(exp.Column)} == {VARIED}
                yield evaluate(test if alone else column, scope)


def _test_of(tree: Any) -> Any:
    """The comparison that a column stands in; the whole that it stands in where it is compared with nothing."""
    while tree.parent is not None and not isinstance(tree, exp.Predicate):
        tree = tree.parent
    return tree
