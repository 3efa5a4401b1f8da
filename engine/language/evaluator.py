"""Evaluate a condition on given values: the slow reference that every back end must agree with.

Besides, on what is known of the values alone: whether a condition is possible, and whether two are equivalent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from types import SimpleNamespace
from typing import Any

from attrs import define, field

from mqclause.language import nodes
from mqclause.language.nodes import ARITHMETIC_FUNCTIONS, COMPARISON_FUNCTIONS, Expression, get_literal_value
from mqclause.language.parser import expand_terms
from mqclause.language.vocabulary import Vocabulary, compute_floor

ORDER_SIGNS = (-1, 0, 1)
"""How one value lies to another: below, at or above it."""

MOST_COMBINATIONS = 5_000
"""Conditions with more of them say the same only in the same words."""

StateLookup = Callable[[Any, str], Any]
"""The value of an attribute of a subject that is carried from choice to choice, in place of the subject's own."""


@define(eq=False)  # One is made for every subject that is looked at, and attrs takes four times as long if frozen.
class Scope:
    """The values that an expression can see: the situation, one subject or none, who remains, and derived facts.

    ``facts`` are derived about the situation, ``every`` about every subject; ``carried`` (if given) holds the
    attributes that are carried from choice to choice.
    """

    vocabulary: Vocabulary
    situation: Any
    remaining: Sequence[Any] = ()
    carried: StateLookup | None = None
    facts: Mapping[str, Any] = field(factory=dict)
    every: Mapping[str, Any] = field(factory=dict)
    subject: Any = None
    _known: dict[str, Any] | None = field(default=None, init=False, repr=False)

    def left(self, remaining: Sequence[Any]) -> Scope:
        """Return these values with other remaining subjects."""
        return Scope(self.vocabulary, self.situation, remaining, self.carried, self.facts, self.every)

    def with_facts(self, facts: Mapping[str, Any], every: Mapping[str, Any]) -> Scope:
        """Return these values with more facts about the situation and about every subject."""
        facts, every = {**self.facts, **facts}, {**self.every, **every}
        return Scope(self.vocabulary, self.situation, self.remaining, self.carried, facts, every)

    def about(self, subject: Any) -> Scope:
        """Return these values as seen from ``subject``."""
        return Scope(self.vocabulary, self.situation, self.remaining, self.carried, self.facts, self.every, subject)

    def value(self, name: str) -> Any:
        """Return the value of an attribute, a derived fact or a term."""
        if name in self.vocabulary.terms:
            # A scope never changes, so neither does a term; counts of who remains are asked for again and again.
            known = self._known
            if known is None:
                known = self._known = {}
            if name not in known:
                known[name] = evaluate(self.vocabulary.terms[name], self)
            return known[name]
        word = self.vocabulary.words[name]
        if word.about == "subject":
            assert self.subject is not None, name  # noqa: S101 - a checked expression has one
            if name in self.every:
                return self.every[name]
            if word.is_carried and self.carried is not None:
                return self.carried(self.subject, name)
            return getattr(self.subject, name)
        if name in self.facts:
            return self.facts[name]
        return word.blank if word.is_derived else getattr(self.situation, name)


def evaluate(tree: Expression, scope: Scope) -> Any:
    """Evaluate the value of a checked expression in ``scope``."""
    if isinstance(tree, nodes.Column):
        return scope.value(tree.name)
    if isinstance(tree, nodes.Literal):
        return get_literal_value(tree)
    meaning = _MEANINGS.get(type(tree))
    if meaning is None:
        raise TypeError(f"{tree.sql()!r} has no meaning here")
    return meaning(tree, scope)


Meaning = Callable[[Any, Scope], Any]
"""What one kind of expression means: a function of its node and the scope."""


def _binary(apply: Callable[[Any, Any], Any]) -> Meaning:
    return lambda tree, scope: apply(evaluate(tree.this, scope), evaluate(tree.expression, scope))


def _case(tree: nodes.Case, scope: Scope) -> Any:
    for branch in tree.branches:
        if evaluate(branch.when, scope):
            return evaluate(branch.then, scope)
    return evaluate(tree.default, scope)


_MEANINGS: dict[type[Expression], Meaning] = {
    **{kind: _binary(apply) for kind, apply in {**COMPARISON_FUNCTIONS, **ARITHMETIC_FUNCTIONS}.items()},
    nodes.Boolean: lambda tree, _: tree.this,
    nodes.Paren: lambda tree, scope: evaluate(tree.this, scope),
    nodes.Not: lambda tree, scope: not evaluate(tree.this, scope),
    nodes.And: lambda tree, scope: evaluate(tree.this, scope) and evaluate(tree.expression, scope),
    nodes.Or: lambda tree, scope: evaluate(tree.this, scope) or evaluate(tree.expression, scope),
    nodes.In: lambda tree, scope: evaluate(tree.this, scope) in map(get_literal_value, tree.expressions),
    nodes.Case: _case,
    nodes.Floor: lambda tree, scope: compute_floor(evaluate(tree.this, scope)),
    nodes.ArrayContains: lambda tree, scope: evaluate(tree.expression, scope) in evaluate(tree.this, scope),
    nodes.CountIf: lambda tree, scope: sum(1 for each in scope.remaining if evaluate(tree.this, scope.about(each))),
}


def is_possible(tree: Expression, vocabulary: Vocabulary, known: Mapping[str, Any]) -> bool:
    """Return whether the checked condition ``tree`` can hold where the attributes in ``known`` have these values."""
    scope = Scope(vocabulary, SimpleNamespace(**known))
    return _truth(expand_terms(tree, vocabulary), scope, known) is not False


def _truth(tree: Expression, scope: Scope, known: Mapping[str, Any]) -> bool | None:
    """Kleene's logic: None is what is not known."""
    match tree:
        case nodes.Paren():
            return _truth(tree.this, scope, known)
        case nodes.Not():
            inner = _truth(tree.this, scope, known)
            return None if inner is None else not inner
        case nodes.And() | nodes.Or():
            deciding = isinstance(tree, nodes.Or)
            both = [_truth(each, scope, known) for each in (tree.this, tree.expression)]
            return deciding if deciding in both else None if None in both else not deciding
    if all(column.name in known for column in tree.find_all(nodes.Column)) and not tree.find(nodes.CountIf):
        return bool(evaluate(tree, scope))
    return None


def is_equivalent(one: Expression, other: Expression, vocabulary: Vocabulary) -> bool:
    """Return whether two checked conditions are equivalent, whatever the comparisons in them give."""
    if one == other:
        return True
    trees = [expand_terms(each, vocabulary) for each in (one, other)]
    words, others = ({each.name for each in tree.find_all(nodes.Column)} for tree in trees)
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


def _asked(tree: Expression) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What a condition turns on, and what each of that can be."""
    match tree:
        case nodes.Paren() | nodes.Not():
            yield from _asked(tree.this)
        case nodes.And() | nodes.Or():
            for each in (tree.this, tree.expression):
                yield from _asked(each)
        case nodes.Boolean():
            return
        case _ if isinstance(tree, nodes.COMPARISONS):
            yield _compared_values(tree)[0], ORDER_SIGNS
        case _:
            yield tree.sql(), (False, True)


def _holds(tree: Expression, given: Mapping[str, int]) -> bool:
    match tree:
        case nodes.Paren():
            return _holds(tree.this, given)
        case nodes.Not():
            return not _holds(tree.this, given)
        case nodes.And():
            return _holds(tree.this, given) and _holds(tree.expression, given)
        case nodes.Or():
            return _holds(tree.this, given) or _holds(tree.expression, given)
        case nodes.Boolean():
            return tree.this
    if isinstance(tree, nodes.COMPARISONS):
        values, turned = _compared_values(tree)
        return COMPARISON_FUNCTIONS[type(tree)](-given[values] if turned else given[values], 0)
    return bool(given[tree.sql()])


def _compared_values(tree: nodes.Binary) -> tuple[str, bool]:
    """The two values of a comparison, the same whichever stands first, and whether they stand the other way round."""
    one, other = tree.this.sql(), tree.expression.sql()
    return f"{min(one, other)} : {max(one, other)}", one > other
