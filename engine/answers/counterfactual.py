"""Why not that queue manager: the clause by which it falls, and the smallest changes by which it would not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations as choices
from itertools import groupby
from typing import Any

from attrs import evolve, frozen

from mqclause.answers.commands import AdminCommand, admin_commands
from mqclause.answers.decision import Decision
from mqclause.answers.decision_document import destination_document
from mqclause.answers.engine import Engine
from mqclause.documents import OUTCOME
from mqclause.executors.course import Course
from mqclause.model.facts.destination import Destination
from mqclause.rulebook.rule import Rule

SEARCHED = 2
"""How many commands a set has at most."""

MOST_RUNS = 20_000
"""Sets that are tried; where there are more, those of one command are."""

Commands = tuple[AdminCommand, ...]


@frozen(eq=False)
class WhyNot:
    """What keeps a queue manager from being permitted.

    ``fallen`` are its destinations with the rule by which each fell and why; ``changes`` the smallest sets of at most
    ``searched`` commands after which it is permitted, each verified by the rules on the changed facts.
    """

    queue_manager: str
    permitted: bool
    fallen: tuple[tuple[Destination, Rule, str], ...]
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
    fates = [(fate.subject, step.rule, fate.because) for step in decision.steps for fate in step.eliminated]
    fallen = tuple(each for each in fates if each[0].queue_manager == queue_manager)
    permitted = any(each.queue_manager == queue_manager for each in decision.permitted)
    if permitted or not fallen:
        return WhyNot(queue_manager, permitted, fallen, (), SEARCHED)
    changes, searched = counterfactuals(decision, queue_manager)
    return WhyNot(queue_manager, False, fallen, changes, searched)


def counterfactuals(decision: Decision, queue_manager: str) -> tuple[tuple[Commands, ...], int]:
    """The smallest sets of commands after which ``queue_manager`` is permitted, and how many commands they may have.

    Of the sets that give the same attributes other values it is the one with the least change; none contains a smaller
    one that does.
    """
    known = admin_commands(decision)
    attributes = [list(of) for _, of in groupby(sorted(known, key=lambda one: one.sets), key=lambda one: one.sets)]
    size = SEARCHED if len(known) ** 2 / 2 <= MOST_RUNS else 1
    found: list[Commands] = []
    for count in range(1, size + 1):
        smaller = [{each.sets for each in commands} for commands in found]
        for chosen in choices(attributes, count):
            names = {of[0].sets for of in chosen}
            if not any(one <= names for one in smaller):
                found += _least(decision, chosen, queue_manager)
    return tuple(found), size


def _least(decision: Decision, chosen: Sequence[list[AdminCommand]], queue_manager: str) -> Iterator[Commands]:
    """Of the values of these attributes those with the least change by which it is permitted, if there are any."""
    sets: list[Commands] = [()]
    for of in chosen:
        sets = [(*before, each) for before in sets for each in of]
    for commands in sorted(sets, key=lambda of: sum(each.distance for each in of)):
        if _permits(decision, commands, queue_manager) and verified(decision, commands, queue_manager):
            yield commands
            return


def _permits(decision: Decision, commands: Commands, queue_manager: str) -> bool:
    """Whether the rules leave it, by what the commands do to what they see."""
    listed, seen = decision.listed, decision.situation
    for command in commands:
        listed, seen = tuple(map(command.on_destination, listed)), command.on_situation(seen)
    carried = None if decision.before is None else decision.before.counters
    # The decision may be one by an executor that explains, and is slow.
    runs = Course.of(decision.rules, OUTCOME).run(seen, listed, carried)
    return not runs[-1].failure and any(each.queue_manager == queue_manager for each in runs[0].remaining)


def verified(decision: Decision, commands: Commands, queue_manager: str) -> bool:
    """Whether it is permitted where the commands have changed the facts."""
    cluster = decision.cluster
    for command in commands:
        cluster = command.on_facts(cluster)
    after = Engine(decision.rules).choose(
        decision.put, cluster, decision.before and evolve(decision.before, seen=cluster)
    )
    return after.outcome != "failed" and any(each.queue_manager == queue_manager for each in after.permitted)
