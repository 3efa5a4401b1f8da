"""Why not that queue manager: the clause by which it falls, and the smallest changes by which it would not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations as choices
from itertools import product
from typing import Any

from attrs import evolve, frozen

from mqclause.answers.alike import Alike, Likeness, Place
from mqclause.answers.commands import AdminCommand, Attribute, admin_commands
from mqclause.answers.decision import Decision
from mqclause.answers.decision_document import destination_document
from mqclause.answers.engine import Engine
from mqclause.answers.rows import AnswerTable, ColumnTypes
from mqclause.documents import OUTCOME
from mqclause.executors.course import Course
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
    ``searched`` commands after which it is permitted, each verified by the rules on the changed facts.
    """

    queue_manager: str
    permitted: bool
    fallen: tuple[Fallen, ...]
    changes: tuple[Commands, ...]
    searched: int

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
        return document | ({"permitted": True} if self.permitted else {})


def why_not(decision: Decision, queue_manager: str) -> WhyNot:
    """Why ``queue_manager`` is not among the permitted of a decision made at level ``rule`` or ``condition``."""
    fallen = tuple(each for each in fates(decision) if each[0].queue_manager == queue_manager)
    permitted = decision.outcome != "failed" and _is_among(decision.permitted, queue_manager)
    if permitted or not fallen:
        return WhyNot(queue_manager, permitted, fallen, (), SEARCHED)
    changes, searched = smallest(decision, queue_manager)
    return WhyNot(queue_manager, False, fallen, changes, searched)


def fates(decision: Decision) -> Iterator[Fallen]:
    """By which rule each destination falls, and why: what is left where the call fails, by the rule that ends it."""
    for step in decision.steps:
        yield from ((fate.subject, step.rule, fate.because) for fate in step.eliminated)
    reason = decision.reason
    for rule in (each for ruleset in decision.rulesets for each in ruleset.rules):
        if reason is not None and rule.id == reason.rule:
            yield from ((each, rule, reason.because) for each in decision.remaining)


def counterfactuals(decision: Decision, destination: Destination | str) -> AnswerTable[Counterfactual]:
    """The smallest sets of commands after which a destination's queue manager, or the one of a name, is permitted.

    Each is verified by the rules on the changed facts; ``why_not`` says how many commands a set has at most.
    """
    name = destination if isinstance(destination, str) else destination.queue_manager
    if decision.outcome != "failed" and _is_among(decision.remaining, name):
        return AnswerTable((), COUNTERFACTUAL)
    return AnswerTable(map(Counterfactual, smallest(decision, name)[0]), COUNTERFACTUAL)


def smallest(decision: Decision, queue_manager: str) -> tuple[tuple[Commands, ...], int]:
    """The smallest sets of commands after which ``queue_manager`` is permitted, and how many commands they may have.

    Of the sets that give the same attributes other values it is the one with the least change; none contains a smaller
    one that does.
    """
    # The decision may be one by an executor that explains, and is slow.
    decision = evolve(decision, course=Course.of(decision.rules, OUTCOME))
    attributes: dict[Attribute, list[AdminCommand]] = {}
    for command in admin_commands(decision):
        attributes.setdefault(command.sets, []).append(command)
    alike = Alike(decision.listed, decision.situation, queue_manager)
    told = alike.first_ones(SEARCHED)
    tried = sum(len(of) for of in attributes.values() if of[0].concerns in told)
    size = SEARCHED if len(decision.listed) * tried**2 / 2 <= MOST_LOOKS else 1
    places, found = _places(attributes.values()), dict[frozenset[Attribute], Commands]()
    for count in range(1, size + 1):
        hopeless: set[Likeness] = set()
        for chosen in choices(attributes, count):
            shape = alike.shape(places[name] for name in chosen)
            if shape in hopeless or any(smaller.issubset(chosen) for smaller in found):
                continue
            commands = _least(decision, [attributes[name] for name in chosen], queue_manager)
            if commands:
                found[frozenset(chosen)] = commands
            else:
                hopeless.add(shape)
        for name in [each for each in attributes if frozenset([each]) in found]:
            del attributes[name]
    return tuple(found.values()), size


def _places(attributes: Iterable[Sequence[AdminCommand]]) -> dict[Attribute, Place]:
    """For each attribute the queue manager that it concerns, and its number among those that do."""
    counts = Counter[str]()
    found = {}
    for of in attributes:
        counts[of[0].concerns] += 1
        found[of[0].sets] = (of[0].concerns, counts[of[0].concerns])
    return found


def _least(decision: Decision, chosen: Sequence[Sequence[AdminCommand]], queue_manager: str) -> Commands:
    """Of the values of these attributes those with the least change by which it is permitted; empty: there are none."""
    for commands in sorted(product(*chosen), key=lambda of: sum(each.distance for each in of)):
        if _permits(decision, commands, queue_manager) and verified(decision, commands, queue_manager):
            return commands
    return ()


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
