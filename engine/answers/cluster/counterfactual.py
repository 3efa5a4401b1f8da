"""Why not that queue manager: the clause by which it falls, and the smallest changes by which it would not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations as choices
from itertools import product
from typing import Any, Self

from attrs import asdict, define, evolve, field, frozen

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.decision_document import destination_document
from mqclause.answers.choice.engine import Engine
from mqclause.answers.choice.rows import AnswerTable, ColumnTypes
from mqclause.answers.choice.sending import sending_of
from mqclause.answers.cluster.alike import Alike, Likeness, Place
from mqclause.answers.cluster.commands import AdminCommand, Attribute, admin_commands
from mqclause.answers.cluster.exit_search import MOST_PAIRS, AskedExit, SearchEndedError, exit_commands, says_more
from mqclause.documents import CALL, OUTCOME
from mqclause.executors.course import Course
from mqclause.exits.session import ANYBODY, Caller
from mqclause.model.assembly.incomplete import Incomplete
from mqclause.model.diagnostic import of_type
from mqclause.model.facts.destination import Destination
from mqclause.rulebook.rule import Rule

SEARCHED = 2
"""How many commands a set has at most."""

MOST_LOOKS = 1_000_000
"""Destinations that the rules look at in all sets that are tried: some seconds. Where there are more, those of one
command are tried alone."""

Commands = tuple[AdminCommand, ...]

Fallen = tuple[Destination, Rule, str]
"""A destination, the rule by which it falls, and why."""


COUNTERFACTUAL: ColumnTypes = {"commands": [{"queue_manager": "string", "command": "string"}]}


@frozen(eq=False)
class Counterfactual:
    """Commands that together would have a queue manager permitted, and none of them could be left out."""

    commands: Commands

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {"commands": [each.to_json() for each in self.commands]}


@frozen(eq=False)
class WhyNot:
    """What keeps a queue manager from being permitted.

    ``fallen`` are its destinations with the rule by which each falls and why; ``changes`` the smallest sets of at most
    ``searched`` commands after which it is permitted, each verified by the rules on the changed facts, and by the exit
    where one is called. ``ended`` says why not all of the sets were tried; blank if they were. ``absent`` says what is
    known of it where it is no destination, with a command for the local queue manager.
    """

    queue_manager: str
    permitted: bool
    fallen: tuple[Fallen, ...]
    changes: tuple[Commands, ...]
    searched: int
    ended: str = ""
    by_exit: bool = False
    absent: Incomplete | None = None

    def to_json(self) -> dict[str, Any]:
        """As it stands in the trace."""
        document: dict[str, Any] = {
            "destinations": [
                {"destination": destination_document(each), "rule": rule.id, "clause": rule.clause, "because": because}
                for each, rule, because in self.fallen
            ],
            "changes": [[each.to_json() for each in commands] for commands in self.changes],
            "searched": self.searched,
        }
        document |= {"ended": self.ended} if self.ended else {}
        document |= {"absent": asdict(self.absent)} if self.absent else {}
        return document | ({"permitted": True} if self.permitted else {})


def why_not(decision: Decision, queue_manager: str, engine: Engine | None = None, caller: Caller = ANYBODY) -> WhyNot:
    """Why ``queue_manager`` is not among the permitted of a decision made at level ``rule`` or ``condition``.

    Where an exit takes part, the ``engine`` is needed that has it, and the ``caller`` of the decision. Raises
    ValueError without, and below level ``rule``.
    """
    of_type("decision", decision, Decision)
    of_type("queue_manager", queue_manager, str)
    fallen = tuple(each for each in fates(decision) if each[0].queue_manager == queue_manager)
    permitted = decision.outcome != "failed" and _is_among(decision.permitted, queue_manager)
    if permitted or not fallen:
        return WhyNot(queue_manager, permitted, fallen, (), SEARCHED)
    if decision.refusal is not None:
        return WhyNot(queue_manager, False, fallen, (), 0, f"no change was tried: {decision.refusal.because}")
    search = _Search.of(decision, queue_manager, engine, caller)
    search.run()
    changes, by_exit = search.changes, search.exit is not None
    return WhyNot(queue_manager, False, fallen, changes, search.searched, search.ended, by_exit)


def fates(decision: Decision) -> Iterator[Fallen]:
    """By which rule each destination falls, and why: what is left where the call fails, by the rule that ends it.

    What an exit takes has fallen by none; by the exit falls what the rules had left.
    """
    answer, reason = decision.exit, decision.reason
    taken = None if answer is None else answer.chosen
    decision.check_traced()
    for step in decision.steps:
        yield from ((fate.subject, step.rule, fate.because) for fate in step.eliminated if fate.subject is not taken)
    if answer is not None and decision.run is not None and (answer.failed or answer.overrides):
        left = (each for each in decision.run.remaining if each is not taken)
        yield from ((each, answer.rule, answer.because) for each in left)
        return
    if decision.refusal is not None:
        yield from _refused(decision)
        return
    for rule in (each for ruleset in decision.rulesets for each in ruleset.rules):
        if reason is not None and rule.id == reason.rule:
            yield from ((each, rule, reason.because) for each in decision.remaining)


def _refused(decision: Decision) -> Iterator[Fallen]:
    """Those that rules and exits leave, and for which the transmission queue takes no message."""
    left = decision.run.remaining if decision.run is not None else ()
    sending, known = sending_of(decision.rules), decision.rules.ruleset(CALL)
    for each in left:
        refusal = sending.refusal(each, decision.put.call, decision.cluster)
        if refusal is not None:
            yield each, known.rule(refusal.rule), refusal.because


def counterfactuals(
    decision: Decision, destination: Destination | str, engine: Engine | None = None, caller: Caller = ANYBODY
) -> AnswerTable[Counterfactual]:
    """The smallest sets of commands after which a destination's queue manager, or the one of a name, is permitted.

    Each is verified by the rules on the changed facts, and by the exit where one is called; ``why_not`` says how many
    commands a set has at most, and what ``engine`` and ``caller`` are for.
    """
    of_type("decision", decision, Decision)
    name = destination.queue_manager if isinstance(destination, Destination) else destination
    of_type("destination", name, str, " or Destination")
    if decision.refusal is not None or (decision.outcome != "failed" and _is_among(decision.remaining, name)):
        return AnswerTable((), COUNTERFACTUAL)
    search = _Search.of(decision, name, engine, caller)
    search.run()
    return AnswerTable(map(Counterfactual, search.changes), COUNTERFACTUAL)


@define(eq=False)
class _Search:
    """The search for the smallest sets of commands after which ``queue_manager`` is permitted.

    Of the sets that give the same attributes other values it is the one with the least change; none contains a smaller
    one that does. ``searched`` is how many commands a set has at most, of which all were tried.
    """

    decision: Decision
    queue_manager: str
    attributes: dict[Attribute, list[AdminCommand]]
    exit: AskedExit | None
    found: dict[frozenset[Attribute], Commands] = field(factory=dict)
    searched: int = 0
    ended: str = ""

    @classmethod
    def of(cls, decision: Decision, queue_manager: str, engine: Engine | None, caller: Caller) -> Self:
        """Raises ValueError where an exit takes part and no engine has it."""
        more: tuple[AdminCommand, ...] = ()
        asked: AskedExit | None = None
        if says_more(decision):
            if engine is None or not engine.exits.names:
                raise ValueError("the decision is one with an exit; give the engine that has it: engine=…")
            more, asked = tuple(exit_commands(decision, queue_manager)), AskedExit(decision, engine, caller)
        # The decision may be one by an executor that explains, and is slow.
        decision = evolve(decision, course=Course.of(decision.rules, OUTCOME))
        attributes: dict[Attribute, list[AdminCommand]] = {}
        for command in (*admin_commands(decision), *more):
            attributes.setdefault(command.sets, []).append(command)
        return cls(decision, queue_manager, attributes, asked)

    @property
    def changes(self) -> tuple[Commands, ...]:
        """The sets that were found, as they were found, but those last by which something stops working."""
        return tuple(sorted(self.found.values(), key=lambda commands: any(each.stops for each in commands)))

    def run(self) -> None:
        """Tries sets of one command, and of two where they are not too many."""
        alike = Alike(self.decision.listed, self.decision.situation, self.queue_manager)
        size, places = self._size(alike), _places(self.attributes.values())
        try:
            for count in range(1, size + 1):
                hopeless: set[Likeness] = set()
                for chosen in choices(self.attributes, count):
                    shape = alike.shape(places[name] for name in chosen)
                    if (self.exit is None and shape in hopeless) or any(map(frozenset(chosen).issuperset, self.found)):
                        continue
                    commands = self._least([self.attributes[name] for name in chosen])
                    if commands:
                        self.found[frozenset(chosen)] = commands
                    else:
                        hopeless.add(shape)
                for name in [each for each in self.attributes if frozenset([each]) in self.found]:
                    del self.attributes[name]
                self.searched = count
        except SearchEndedError as error:
            self.ended = str(error)

    def _size(self, alike: Alike) -> int:
        """How many commands a set may have. An exit may tell all hosts apart, so none stands for others like it."""
        if self.exit is not None:
            return SEARCHED if sum(map(len, self.attributes.values())) ** 2 / 2 <= MOST_PAIRS else 1
        told = alike.first_ones(SEARCHED)
        tried = sum(len(of) for of in self.attributes.values() if of[0].concerns in told)
        return SEARCHED if len(self.decision.listed) * tried**2 / 2 <= MOST_LOOKS else 1

    def _least(self, chosen: Sequence[Sequence[AdminCommand]]) -> Commands:
        """Of the values of these attributes those with the least change by which it is permitted; empty: none."""
        for commands in sorted(product(*chosen), key=lambda of: sum(each.distance for each in of)):
            if self._permitted_after(commands):
                return commands
        return ()

    def _permitted_after(self, commands: Commands) -> bool:
        if self.exit is not None:
            return self.exit.permits(commands, self.queue_manager)
        decision, name = self.decision, self.queue_manager
        return _permits(decision, commands, name) and verified(decision, commands, name)


def _places(attributes: Iterable[Sequence[AdminCommand]]) -> dict[Attribute, Place]:
    """For each attribute the queue manager that it concerns, and its number among those that do."""
    counts = Counter[str]()
    found = {}
    for of in attributes:
        counts[of[0].concerns] += 1
        found[of[0].sets] = (of[0].concerns, counts[of[0].concerns])
    return found


def _permits(decision: Decision, commands: Commands, queue_manager: str) -> bool:
    """Whether the rules leave it, by what the commands do to what they see."""
    listed, seen = [_after(each, commands) for each in decision.listed], decision.situation
    for command in commands:
        seen = command.on_situation(seen)
    carried = None if decision.before is None else decision.before.counters
    runs = decision.course.run(seen, listed, carried)
    return not runs[-1].failure and _is_among(runs[0].remaining, queue_manager)


def _after(destination: Destination, commands: Commands) -> Destination:
    """What the commands make of it; what one makes of a destination of the decision is asked for many times."""
    found = destination
    for command in commands:
        found = command.made_of(found) if found is destination else command.on_destination(found)
    return found


def verified(decision: Decision, commands: Commands, queue_manager: str) -> bool:
    """Whether it is permitted where the commands have changed the facts."""
    cluster = decision.cluster
    for command in commands:
        cluster = command.on_facts(cluster)
    after = Engine(decision.rules).choose(
        decision.put, cluster, decision.before and evolve(decision.before, seen=cluster)
    )
    return after.outcome != "failed" and _is_among(after.permitted, queue_manager)


def _is_among(destinations: Iterable[Destination], queue_manager: str) -> bool:
    return any(each.queue_manager == queue_manager for each in destinations)
