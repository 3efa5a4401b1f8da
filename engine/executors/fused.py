"""Steps fused: neighbours that eliminate under the same condition as one, for where no trace tells them apart."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve
from sqlglot import exp

from mqclause.executors.steps import Filter, Step, Steps
from mqclause.language.sql import counts
from mqclause.language.vocabulary import Vocabulary
from mqclause.rulebook.rule import Expression


def fused(steps: Steps) -> Steps:
    """The same steps in fewer. What counts those that remain stays alone: it sees what the step before it left."""
    groups: list[list[Step]] = []
    for step in steps.steps:
        if groups and _fall_at_once(groups[-1][0], step, steps.vocabulary):
            groups[-1].append(step)
        else:
            groups.append([step])
    return evolve(steps, steps=tuple(map(_as_one, groups)))


def _fall_at_once(one: Step, other: Step, vocabulary: Vocabulary) -> bool:
    if not (isinstance(one, Filter) and isinstance(other, Filter) and one.fate == other.fate == "out"):
        return False
    return one.when == other.when and not any(counts(tree, vocabulary) for tree in (one.where, other.when, other.where))


def _as_one(group: Sequence[Step]) -> Step:
    wheres = [step.where for step in group if isinstance(step, Filter)]
    return Filter(group[0].rule, group[0].when, _either(wheres), "out") if len(wheres) > 1 else group[0]


def _either(trees: Sequence[Expression]) -> Expression:
    """That one of them holds; halved again and again, for Python takes few brackets within one another."""
    if len(trees) == 1:
        return exp.paren(trees[0])
    half = len(trees) // 2
    return exp.Or(this=_either(trees[:half]), expression=_either(trees[half:]))
