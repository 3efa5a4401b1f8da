"""Thresholds: how many messages make a difference to the trigger rules, as their comparisons say."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from math import ceil, floor, isfinite
from typing import NamedTuple

from sqlglot import exp

from mqclause.executors.steps import Let, Steps
from mqclause.language.evaluate import Scope, evaluate
from mqclause.language.parse import expanded
from mqclause.model.timeline.occasion import DEPTHS, TOTAL_DEPTHS, Occasion
from mqclause.rulebook.rule import Expression

FROM: Mapping[type[exp.Expression], tuple[int, ...]] = {
    exp.GTE: (0,),
    exp.LT: (0,),
    exp.GT: (1,),
    exp.LTE: (1,),
    exp.EQ: (0, 1),
    exp.NEQ: (0, 1),
}
"""From which numbers on a comparison with one says something else than below: so many above it."""

MIRRORED: Mapping[type[exp.Expression], type[exp.Expression]] = {
    exp.GTE: exp.LTE,
    exp.LTE: exp.GTE,
    exp.GT: exp.LT,
    exp.LT: exp.GT,
}


class Compared(NamedTuple):
    """What a number of messages is compared with, and from how many above that on the comparison says another thing."""

    with_what: Expression
    above: tuple[int, ...]


def thresholds(steps: Steps, occasion: Occasion) -> frozenset[int]:
    """The numbers of messages before a put at which a comparison of the rules turns for a queue, described as occasion.

    What is compared may count the message that is put, too. What rules derive is not known here, and blank.
    """
    scope = Scope(steps.vocabulary, occasion)
    found = ((evaluate(each.with_what, scope), each.above) for each in _compared(steps))
    turns = (whole + more - put for value, above in found if isfinite(value) for whole in (floor(value), ceil(value))
             for more in above for put in (0, 1))  # fmt: skip
    return frozenset(each for each in turns if each >= 0)


@lru_cache(maxsize=16)
def _compared(steps: Steps) -> tuple[Compared, ...]:
    """What the rules compare numbers of messages with, of a queue or its queue manager alone."""
    trees = [expanded(tree, steps.vocabulary) for tree in steps.expressions()]
    counts = _counts(steps)
    found = (each for tree in trees for each in _comparisons(tree, counts))
    return tuple(dict.fromkeys(found))


def _counts(steps: Steps) -> frozenset[str]:
    """The attributes that are numbers of messages, and the facts that rules derive of them."""
    values = [each for step in steps.steps if isinstance(step, Let) for each in step.values]
    derived = [(each.name, expanded(each.value, steps.vocabulary)) for each in values]
    words, before = frozenset({*DEPTHS, *TOTAL_DEPTHS}), frozenset[str]()
    while words != before:
        before = words
        words |= {name for name, tree in derived if _names(tree, before) and _is_number(name, steps)}
    return words


def _is_number(name: str, steps: Steps) -> bool:
    word = steps.vocabulary.words.get(name)
    return word is not None and word.type.is_number


def _comparisons(tree: Expression, counts: Collection[str]) -> Iterator[Compared]:
    for node in tree.find_all(*FROM):
        kind: type[Expression] = type(node)
        sides = ((node.this, node.expression, kind), (node.expression, node.this, MIRRORED.get(kind, kind)))
        for one, other, said in sides:
            if _names(one, counts) and not _names(other, counts):
                yield Compared(other, FROM[said])


def _names(tree: Expression, words: Collection[str]) -> bool:
    return any(column.name in words for column in tree.find_all(exp.Column))
