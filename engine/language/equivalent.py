"""Whether two conditions say the same, in whatever words: they hold alike for all that their comparisons can give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from sqlglot import exp

from mqclause.language.parse import expanded
from mqclause.language.sql import COMPARED
from mqclause.language.vocabulary import Vocabulary

LIES = (-1, 0, 1)
"""How one value lies to another: below, at or above it."""

MOST_COMBINATIONS = 5_000
"""Conditions with more of them say the same only in the same words."""


def equivalent(one: exp.Expression, other: exp.Expression, vocabulary: Vocabulary) -> bool:
    """Whether two checked conditions about the same words hold of the same, whatever the comparisons in them give."""
    if one == other:
        return True
    trees = [expanded(each, vocabulary) for each in (one, other)]
    words, others = ({each.name for each in tree.find_all(exp.Column)} for tree in trees)
    if words != others:
        return False
    asked = dict(pair for tree in trees for pair in _asked(tree))
    size = 1
    for outcomes in asked.values():
        size *= len(outcomes)
    if size > MOST_COMBINATIONS:
        return False
    every = (dict(zip(asked, each, strict=True)) for each in product(*asked.values()))
    return all(_holds(trees[0], given) == _holds(trees[1], given) for given in every)


def _asked(tree: exp.Expression) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What a condition turns on, and what each of that can be."""
    match tree:
        case exp.Paren() | exp.Not():
            yield from _asked(tree.this)
        case exp.And() | exp.Or():
            for each in (tree.this, tree.expression):
                yield from _asked(each)
        case exp.Boolean():
            return
        case _ if type(tree) in COMPARED:
            yield _compared(tree)[0], LIES
        case _:
            yield tree.sql(), (False, True)


def _holds(tree: exp.Expression, given: Mapping[str, int]) -> bool:
    match tree:
        case exp.Paren():
            return _holds(tree.this, given)
        case exp.Not():
            return not _holds(tree.this, given)
        case exp.And():
            return _holds(tree.this, given) and _holds(tree.expression, given)
        case exp.Or():
            return _holds(tree.this, given) or _holds(tree.expression, given)
        case exp.Boolean():
            return bool(tree.this)
    if type(tree) in COMPARED:
        values, turned = _compared(tree)
        return COMPARED[type(tree)](-given[values] if turned else given[values], 0)
    return bool(given[tree.sql()])


def _compared(tree: exp.Expression) -> tuple[str, bool]:
    """The two values of a comparison, the same whichever stands first, and whether they stand the other way round."""
    one, other = tree.this.sql(), tree.expression.sql()
    return f"{min(one, other)} : {max(one, other)}", one > other
