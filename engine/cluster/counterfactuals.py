"""Explain why a put does not go to a queue manager, and find the smallest changes that would send it there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial, reduce
from itertools import combinations as choices
from itertools import product, starmap
from time import monotonic
from typing import Any, Self

from attrs import asdict, define, evolve, field, fields, frozen

from mqclause.answers import AnswerTable, ShownAnswer
from mqclause.cluster.admin_commands import AdminCommand, Attribute, explain_absence, list_admin_commands, set_own
from mqclause.documents import CALL, OUTCOME
from mqclause.executors.pipeline import Pipeline
from mqclause.exits.process import ANYBODY, Caller, ExitSession
from mqclause.model.configuration.completeness import MissingInformation
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.diagnostics import ArgumentError, check_type, suggest_name
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import quote_name
from mqclause.model.facts.workload import Destination, SequenceState, Situation
from mqclause.rulebook.rule import Rule, identify_rule
from mqclause.rulebook.rules import RulesOrigin
from mqclause.workload.decision import Decision, Engine
from mqclause.workload.resolution import get_transmission_queue_rules

MOST_COMMANDS = 2
"""How many commands a set has at most."""

MOST_LOOKS = 1_000_000
"""Destinations that the rules look at in all sets that are tried: some seconds. Where there are more, those of one
command are tried alone."""

Commands = tuple[AdminCommand, ...]

Elimination = tuple[Destination, Rule, str]
"""A destination, the rule by which it falls, and why."""


def _identify(fallen: Sequence[Elimination]) -> tuple[object, ...]:
    return tuple((each, identify_rule(rule), because) for each, rule, because in fallen)


NAME_ATTRIBUTES = frozenset({"queue_manager", "channel", "counter"})
"""The attributes of a destination that only say which one it is."""

DISTINGUISHING_ATTRIBUTES = tuple(each.name for each in fields(Destination) if each.name not in NAME_ATTRIBUTES)

ClassMember = tuple[str, int]
"""A queue manager, and a number that says the same of those that are alike."""

SymmetryClass = tuple[tuple[int, ...], ...]
"""Places by queue manager, any of those that are alike: what is done at places of one shape does the same."""

MOST_PAIRS = 10_000
"""About how many pairs of commands an exit is asked at most: a second or two. Where there are more, none is tried."""


@frozen(repr=False)
class Counterfactual(ShownAnswer):
    """A smallest set of commands after which a queue manager would be permitted."""

    written_by = "trace#/$defs/counterfactual"

    commands: Commands

    def to_json(self) -> dict[str, Any]:
        """Return the commands as JSON values."""
        return {"commands": [each.to_json() for each in self.commands]}


class Counterfactuals(AnswerTable[Counterfactual]):
    """The smallest sets of commands after which a queue manager would be permitted, each verified."""

    written_by = Counterfactual.written_by
    row_kind = Counterfactual
    rows_key = ""


@frozen(repr=False)
class WhyNot(ShownAnswer):
    """Why a queue manager is not among the permitted, and the changes after which it would be.

    ``fallen`` are its destinations with the rule by which each falls and why; ``changes`` the smallest sets of at most
    ``searched`` commands after which it is permitted, each verified by the rules on the changed facts, and by the exit
    where one is called. ``ended`` says why not all of the sets were tried; blank if they were. ``absent`` says what is
    known of it where it is no destination, with a command for the local queue manager.
    """

    written_by = "trace#/properties/why_not"

    queue_manager: str
    permitted: bool
    fallen: tuple[Elimination, ...] = field(eq=_identify)
    changes: tuple[Commands, ...]
    searched: int
    ended: str = ""
    by_exit: bool = False
    absent: MissingInformation | None = None
    origin: RulesOrigin | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the answer as it stands in the trace, ``mqclause.trace/1``."""
        document: dict[str, Any] = {
            "queue_manager": self.queue_manager,
            "destinations": [
                {
                    "destination": each.to_json(),
                    "rule": rule.id,
                    "clause": rule.clause,
                    "because": because,
                }
                for each, rule, because in self.fallen
            ],
            "changes": [[each.to_json() for each in commands] for commands in self.changes],
            "searched": self.searched,
        }
        document |= {"ended": self.ended} if self.ended else {}
        document |= {"absent": asdict(self.absent)} if self.absent else {}
        return document | ({"permitted": True} if self.permitted else {}) | self.origin_keys


def why_not(
    decision: Decision,
    queue_manager: str,
    engine: Engine | None = None,
    caller: Caller = ANYBODY,
    *,
    limit: int = MOST_COMMANDS,
    deadline: float | None = None,
    snapshot: Snapshot | None = None,
) -> WhyNot:
    """Explain why ``queue_manager`` is not permitted by a decision made at level ``rule`` or ``condition``.

    Where an exit takes part, the ``engine`` is needed that has it, and the ``caller`` of the decision. A set of
    commands has at most ``limit`` of them, 0 to 2, and the search ends after ``deadline`` seconds (None: never); what
    was found till then is told, and that it ended. The ``snapshot`` of the decision tells what
    its files say of a queue manager that is no destination. Raises ValueError without the engine, and below level
    ``rule``, and ArgumentError for a queue manager that is not known.
    """
    check_type("decision", decision, Decision)
    check_type("queue_manager", queue_manager, str)
    _check_asked(engine, deadline)
    if limit not in range(MOST_COMMANDS + 1):
        raise ArgumentError(f"limit={limit!r} is not allowed; allowed: 0 to {MOST_COMMANDS} commands")
    known_by_name = () if snapshot is None else snapshot.others.strangers
    if unknown := describe_unknown_queue_manager(decision, queue_manager, known_by_name):
        raise ArgumentError(unknown)
    found = _find_why_not(decision, queue_manager, engine, caller, limit, deadline)
    if found.permitted or found.fallen:
        return found
    return evolve(found, absent=explain_absence(decision, queue_manager, snapshot or Snapshot(decision.cluster)))


def _check_asked(engine: object, deadline: object = None) -> None:
    """Raise TypeError unless the engine is one, and the deadline a number of seconds, or none is given."""
    if engine is not None:
        check_type("engine", engine, Engine)
    if deadline is not None and (isinstance(deadline, bool) or not isinstance(deadline, int | float)):
        raise TypeError(f"deadline is of the type {type(deadline).__name__}; expected a number of seconds or None")


def describe_unknown_queue_manager(decision: Decision, name: str, others: Iterable[str] = ()) -> str:
    """Say that nothing of a queue manager is known where the decision is made; blank if something, or of ``others``."""
    cluster = decision.cluster
    local = cluster.queue_manager.name
    known = [local, *cluster.remote, *others]
    if name in known:
        return ""
    tells = f" (DISPLAY CLUSQMGR({quote_name(name)}) there tells whether that is so)"
    return f"queue manager {name!r} is not known at {local}{tells}{suggest_name(name, known)}"


def _find_why_not(
    decision: Decision,
    queue_manager: str,
    engine: Engine | None,
    caller: Caller = ANYBODY,
    limit: int = MOST_COMMANDS,
    deadline: float | None = None,
) -> WhyNot:
    """Find why a queue manager, known or not, is not permitted: see ``why_not``."""
    fallen = tuple(each for each in find_eliminations(decision) if each[0].queue_manager == queue_manager)
    permitted = decision.outcome != "failed" and _is_among(decision.permitted, queue_manager)
    if permitted or not fallen:
        return WhyNot(queue_manager, permitted, fallen, (), MOST_COMMANDS, origin=decision.origin)
    if decision.refusal is not None:
        ended = f"no change was tried: {decision.refusal.because}"
        return WhyNot(queue_manager, False, fallen, (), 0, ended, origin=decision.origin)
    search = _Search.of(decision, queue_manager, engine, caller)
    search.run(limit, deadline)
    found = WhyNot(queue_manager, False, fallen, search.changes, search.searched, origin=decision.origin)
    return evolve(found, ended=search.ended, by_exit=search.exit is not None)


def find_eliminations(decision: Decision) -> Iterator[Elimination]:
    """Find the rule that removes each destination, and why; the rule that ends a call removes those left.

    What an exit takes has fallen by none; by the exit falls what the rules had left.
    """
    answer, reason = decision.exit, decision.reason
    taken = None if answer is None else answer.chosen
    decision.check_traced()
    for step in decision.steps:
        yield from ((fate.subject, step.rule, fate.because) for fate in step.eliminated if fate.subject is not taken)
    if answer is not None and decision.run is not None and (answer.failed or answer.has_overridden):
        left = (each for each in decision.run.remaining if each is not taken)
        yield from ((each, answer.rule, answer.because) for each in left)
        return
    if decision.refusal is not None:
        yield from _refused(decision)
        return
    for rule in (each for ruleset in decision.rulesets for each in ruleset.rules):
        if reason is not None and rule.id == reason.rule:
            yield from ((each, rule, reason.because) for each in decision.remaining)


def counterfactuals(
    decision: Decision, destination: Destination | str, engine: Engine | None = None, caller: Caller = ANYBODY
) -> Counterfactuals:
    """Find the smallest sets of commands after which a destination's queue manager, or a named one, is permitted.

    Each is verified by the rules on the changed facts, and by the exit where one is called; ``why_not`` says how many
    commands a set has at most, and what ``engine`` and ``caller`` are for. Raises ArgumentError for a queue manager
    that is not known.
    """
    check_type("decision", decision, Decision)
    name = destination.queue_manager if isinstance(destination, Destination) else destination
    check_type("destination", name, str, " or Destination")
    _check_asked(engine)
    if unknown := describe_unknown_queue_manager(decision, name):
        raise ArgumentError(unknown)
    if decision.refusal is not None or (decision.outcome != "failed" and _is_among(decision.remaining, name)):
        return Counterfactuals(origin=decision.origin)
    search = _Search.of(decision, name, engine, caller)
    search.run()
    return Counterfactuals(map(Counterfactual, search.changes), decision.origin)


def _is_verified(decision: Decision, commands: Commands, queue_manager: str) -> bool:
    """Whether it is permitted where the commands have changed the facts."""
    after = Engine(decision.rules).choose(decision.put, *_change(decision, commands))
    return after.outcome != "failed" and _is_among(after.permitted, queue_manager)


def _change(decision: Decision, commands: Iterable[AdminCommand]) -> tuple[Cluster, SequenceState | None]:
    """The cluster and the sequence state of a decision where the commands have changed the facts."""
    cluster = reduce(lambda known, command: command.on_facts(known), commands, decision.cluster)
    return cluster, decision.before and evolve(decision.before, seen=cluster)


@frozen(eq=False)
class SymmetryClasses:
    """The queue managers of some destinations in ``groups`` by name: those of one group have everything alike.

    ``apart`` is in a group of its own. Where CLWLMRUC cuts, the order of the list tells destinations apart.
    """

    listed: tuple[Destination, ...]
    situation: Situation
    apart: str
    groups: dict[str, int] = field(init=False)

    @groups.default
    def _numbered(self) -> dict[str, int]:
        numbers: dict[object, int] = {}
        hosts = dict.fromkeys(each.queue_manager for each in self.listed)
        return {host: numbers.setdefault(self._told_by(host), len(numbers)) for host in hosts}

    def _told_by(self, host: str) -> object:
        own = [each for each in self.listed if each.queue_manager == host]
        others = {each.channel for each in self.listed if each.queue_manager != host}
        unlike = host == self.apart or self.situation.clwlmruc < len(self.listed)
        if unlike or host in self.situation.already_sent_to or any(each.channel in others for each in own):
            return host
        return tuple(getattr(each, name) for each in own for name in DISTINGUISHING_ATTRIBUTES)

    def shape(self, places: Iterable[ClassMember]) -> SymmetryClass:
        """Return the form of a set of changes in which queue managers of one class are not told apart."""
        by_host: dict[str, list[int]] = {}
        for host, number in places:
            by_host.setdefault(host, []).append(number)
        return tuple(sorted((self.groups.get(host, -1), *sorted(of)) for host, of in by_host.items()))

    def select_representatives(self, count: int) -> Collection[str]:
        """Select as many queue managers of each class as one change can concern."""
        seen = Counter[int]()
        return {host for host, group in self.groups.items() if (seen.update([group]) or seen[group]) <= count}


Look = tuple[int, str]
"""An attribute of the destination at a place, or of the situation."""

IN_SITUATION = -1


class _Watched:
    """What rules look at, each look noted."""

    __slots__ = ("_looked", "_of", "_place")

    def __init__(self, of: object, place: int, looked: set[Look]) -> None:
        self._of, self._place, self._looked = of, place, looked

    def __getattr__(self, name: str) -> Any:
        self._looked.add((self._place, name))
        return getattr(self._of, name)


def _differing(one: Situation | Destination, other: Situation | Destination) -> set[str]:
    """The attributes in which two are not alike."""
    names = () if one is other else (each.name for each in fields(type(one)))
    return {name for name in names if getattr(one, name) != getattr(other, name)}


class SearchTimeoutError(Exception):
    """The exit, or the search, has had its time; the message says how much, and for what."""


def has_exit_call(decision: Decision) -> bool:
    """Return whether an exit would be called, so that rules alone do not tell the effect of a change."""
    answer = decision.exit
    return answer is not None and answer.is_given and not (answer.call.suppressed or answer.call.failed_on_handle)


def _list_exit_commands(decision: Decision, queue_manager: str) -> Iterator[AdminCommand]:
    """List commands that only an exit would notice: CLWLDATA with each channel's name, the wanted first, then blank."""
    own = decision.cluster.queue_manager
    wanted = sorted(decision.listed, key=lambda each: each.queue_manager != queue_manager)
    for value in dict.fromkeys([*(each.channel for each in wanted if each.channel), ""]):
        if value != own.clwldata:
            command, data = f"ALTER QMGR CLWLDATA({quote_name(value or ' ')})", {"clwldata": value}
            sets = (own.name, "QMGR", "CLWLDATA")
            yield AdminCommand(own.name, own.name, command, sets, on_facts=partial(set_own, values=data))


@define
class ExitSearch:
    """Decides again, with the exit, after each change: at a queue manager that has just been started.

    All its calls together have the time that one may take, the ``exit_limit``; the first that runs into it ends the
    search. ``tried`` counts the changes.
    """

    decision: Decision
    engine: Engine
    caller: Caller
    tried: int = 0
    _until: float = field(init=False)

    @_until.default
    def _ends(self) -> float:
        return monotonic() + self.engine.exits.seconds

    def is_permitted(self, commands: Sequence[AdminCommand], name: str) -> bool:
        """Return whether a queue manager is permitted where the commands have changed the facts.

        Raises SearchTimeoutError.
        Of several that the rules permit each has its turn, and the exit has to leave it that.
        """
        self.tried += 1
        found = self._after(commands)
        if found.outcome == "failed":
            return False
        if found.exit is None or not found.exit.is_choice_taken:
            return any(each.queue_manager == name for each in found.permitted)
        if found.chosen is not None and found.chosen.queue_manager == name:
            return True
        if found.run is None or all(each.queue_manager != name for each in found.run.remaining):
            return False
        chosen = self._after(commands, turn=name).chosen
        return chosen is not None and chosen.queue_manager == name

    def _after(self, commands: Sequence[AdminCommand], turn: str = "") -> Decision:
        """The decision where the commands have changed the facts."""
        answer = self.decision.exit
        if answer is not None and answer.call.timed_out:
            raise SearchTimeoutError("no change was tried: the exit does not return in time")
        session = ExitSession()
        asked = evolve(self.caller, session=session, turn=turn)
        found = self.engine.choose(self.decision.put, *_change(self.decision, commands), "verdict", asked)
        self.engine.exits.end(session)
        if monotonic() > self._until or (found.exit is not None and found.exit.call.timed_out):
            limit = f"{self.engine.exits.seconds:g} s"
            raise SearchTimeoutError(
                f"the search ended with change {self.tried}: the exit may take {limit} in all of it"
            )
        return found


def _refused(decision: Decision) -> Iterator[Elimination]:
    """Those that rules and exits leave, and for which the transmission queue takes no message."""
    left = decision.run.remaining if decision.run is not None else ()
    sending, known = get_transmission_queue_rules(decision.rules), decision.rules.ruleset(CALL)
    for each in left:
        refusal = sending.refusal(each, decision.put.call, decision.cluster)
        if refusal is not None:
            yield each, known.rule(refusal.rule), refusal.because


@define(eq=False)
class _Search:
    """The search for the smallest sets of commands after which ``queue_manager`` is permitted.

    Of the sets that give the same attributes other values it is the one with the least change; none contains a smaller
    one that does. ``searched`` is how many commands a set has at most, of which all were tried.
    """

    decision: Decision
    queue_manager: str
    attributes: dict[Attribute, list[AdminCommand]]
    exit: ExitSearch | None
    found: dict[frozenset[Attribute], Commands] = field(factory=dict)
    searched: int = 0
    ended: str = ""
    _effects: dict[int, dict[int, Destination]] = field(factory=dict, init=False)
    _watched: dict[Attribute, tuple[set[Look], set[Look]]] = field(factory=dict, init=False)

    @classmethod
    def of(cls, decision: Decision, queue_manager: str, engine: Engine | None, caller: Caller) -> Self:
        """Raises ValueError where an exit takes part and no engine has it."""
        more: tuple[AdminCommand, ...] = ()
        asked: ExitSearch | None = None
        if has_exit_call(decision):
            if engine is None or not engine.exits.names:
                raise ArgumentError("the decision is one with an exit; give the engine that has it: engine=…")
            more, asked = tuple(_list_exit_commands(decision, queue_manager)), ExitSearch(decision, engine, caller)
        # The decision may be one by an executor that explains, and is slow.
        decision = evolve(decision, course=Pipeline.of(decision.rules, OUTCOME))
        attributes: dict[Attribute, list[AdminCommand]] = {}
        for command in (*list_admin_commands(decision), *more):
            attributes.setdefault(command.sets, []).append(command)
        return cls(decision, queue_manager, attributes, asked)

    @property
    def changes(self) -> tuple[Commands, ...]:
        """The sets that were found, as they were found, but those last by which something stops working."""
        return tuple(sorted(self.found.values(), key=lambda commands: any(each.stops for each in commands)))

    def run(self, limit: int = MOST_COMMANDS, deadline: float | None = None) -> None:
        """Tries sets of one command, and of two where they are not too many, up to ``limit`` and the deadline."""
        alike = SymmetryClasses(self.decision.listed, self.decision.situation, self.queue_manager)
        size, places = min(limit, self._size(alike)), _places(self.attributes.values())
        until = None if deadline is None else monotonic() + deadline
        try:
            for count in range(1, size + 1):
                hopeless: set[SymmetryClass] = set()
                for chosen in choices(self.attributes, count):
                    if until is not None and monotonic() > until:
                        raise SearchTimeoutError(f"the search ended after {deadline:g} s, before all sets were tried")
                    shape = alike.shape(places[name] for name in chosen)
                    if (self.exit is None and shape in hopeless) or any(map(frozenset(chosen).issuperset, self.found)):
                        continue
                    if self.exit is None and not all(starmap(self._meet, choices(chosen, 2))):
                        hopeless.add(shape)
                        continue
                    commands = self._least([self.attributes[name] for name in chosen])
                    if commands:
                        self.found[frozenset(chosen)] = commands
                    else:
                        hopeless.add(shape)
                for name in [each for each in self.attributes if frozenset([each]) in self.found]:
                    del self.attributes[name]
                self.searched = count
        except SearchTimeoutError as error:
            self.ended = str(error)

    def _size(self, alike: SymmetryClasses) -> int:
        """How many commands a set may have. An exit may tell all hosts apart, so none stands for others like it."""
        if self.exit is not None:
            return MOST_COMMANDS if sum(map(len, self.attributes.values())) ** 2 / 2 <= MOST_PAIRS else 1
        told = alike.select_representatives(MOST_COMMANDS)
        tried = sum(len(of) for of in self.attributes.values() if of[0].concerns in told)
        return MOST_COMMANDS if len(self.decision.listed) * tried**2 / 2 <= MOST_LOOKS else 1

    def _least(self, chosen: Sequence[Sequence[AdminCommand]]) -> Commands:
        """Of the values of these attributes those with the least change by which it is permitted; empty: none."""
        for commands in sorted(product(*chosen), key=lambda of: sum(each.distance for each in of)):
            if self._permitted_after(commands):
                return commands
        return ()

    def _permitted_after(self, commands: Commands) -> bool:
        if self.exit is not None:
            return self.exit.is_permitted(commands, self.queue_manager)
        return self._permits(commands) and _is_verified(self.decision, commands, self.queue_manager)

    def _permits(self, commands: Commands) -> bool:
        """Whether the rules leave it, by what the commands do to what they see."""
        (seen, listed), course = self._after(commands), self.decision.course
        if not _is_among(course.run_first(seen, listed, self.decision.carried).remaining, self.queue_manager):
            return False
        return not course.run(seen, listed, self.decision.carried)[-1].failure

    def _after(self, commands: Iterable[AdminCommand]) -> tuple[Situation, list[Destination]]:
        """What the rules see after the commands."""
        given = self.decision.listed
        listed, seen = [*given], self.decision.situation
        for command in commands:
            effect = self._effect(command)
            for place, each in enumerate(listed):
                if each is not given[place]:
                    listed[place] = command.on_destination(each)
                elif place in effect:
                    listed[place] = effect[place]
            seen = command.on_situation(seen)
        return seen, listed

    def _meet(self, one: Attribute, other: Attribute) -> bool:
        """Whether two attributes together may do what neither does: after each the rules look at the other.

        Where they do not, they go as they go without it.
        """
        (looked, touched), (others, touching) = self._watch(one), self._watch(other)
        return not (looked.isdisjoint(touching) or others.isdisjoint(touched)) or not touched.isdisjoint(touching)

    def _watch(self, attribute: Attribute) -> tuple[set[Look], set[Look]]:
        """What the rules look at after the commands for an attribute, and what these change."""
        found = self._watched.get(attribute)
        if found is None:
            looked, touched = found = self._watched[attribute] = set(), set()
            for command in self.attributes[attribute]:
                seen, listed = self._after((command,))
                watched = [_Watched(each, place, looked) for place, each in enumerate(listed)]
                self.decision.course.run(_Watched(seen, IN_SITUATION, looked), watched, self.decision.carried)
                after = self._effect(command)
                names = {name for place in after for name in _differing(self.decision.listed[place], after[place])}
                touched |= {(place, name) for place in after for name in names}
                touched |= {(IN_SITUATION, name) for name in _differing(self.decision.situation, seen)}
        return found

    def _effect(self, command: AdminCommand) -> dict[int, Destination]:
        """The destinations of the decision that a command changes, by place, as it leaves them."""
        found = self._effects.get(id(command))
        if found is None:
            made = ((place, each, command.on_destination(each)) for place, each in enumerate(self.decision.listed))
            found = self._effects[id(command)] = {place: after for place, each, after in made if after is not each}
        return found


def _places(attributes: Iterable[Sequence[AdminCommand]]) -> dict[Attribute, ClassMember]:
    """For each attribute the queue manager that it concerns, and its number among those that do."""
    counts = Counter[str]()
    found = {}
    for of in attributes:
        counts[of[0].concerns] += 1
        found[of[0].sets] = (of[0].concerns, counts[of[0].concerns])
    return found


def _is_among(destinations: Iterable[Destination], queue_manager: str) -> bool:
    return any(each.queue_manager == queue_manager for each in destinations)
