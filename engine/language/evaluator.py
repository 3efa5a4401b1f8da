"""Evaluate a condition on given values: the slow reference that every back end must agree with."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from attrs import define, field
from sqlglot import exp

from mqclause.language.parser import expand_terms, get_literal_value
from mqclause.language.vocabulary import Vocabulary, compute_floor

_OPERATORS: dict[type[exp.Expression], Callable[[Any, Any], Any]] = {
    exp.EQ: operator.eq, exp.NEQ: operator.ne, exp.LT: operator.lt, exp.LTE: operator.le, exp.GT: operator.gt,
    exp.GTE: operator.ge, exp.Add: operator.add, exp.Sub: operator.sub, exp.Mul: operator.mul,
    exp.Div: operator.truediv,
}  # fmt: skip

StateLookup = Callable[[Any, str], Any]
"""The value of an attribute of a subject that is carried from choice to choice, in place of the subject's own."""

Parts = Mapping[str, Any]


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


def evaluate(tree: exp.Expression, scope: Scope) -> Any:
    """Evaluate the value of a checked expression in ``scope``."""
    if type(tree) is exp.Column:
        return scope.value(tree.args["this"].args["this"])
    if type(tree) is exp.Literal:
        return get_literal_value(tree)
    meaning = _MEANINGS.get(type(tree))
    if meaning is None:
        raise TypeError(f"{tree.sql()!r} has no meaning here")
    return meaning(tree.args, scope)


Meaning = Callable[[Parts, Scope], Any]
"""What one kind of expression means: a function of its parts and the scope."""


def _binary(apply: Callable[[Any, Any], Any]) -> Meaning:
    return lambda parts, scope: apply(evaluate(parts["this"], scope), evaluate(parts["expression"], scope))


def _case(parts: Parts, scope: Scope) -> Any:
    for branch in parts["ifs"]:
        if evaluate(branch.this, scope):
            return evaluate(branch.args["true"], scope)
    return evaluate(parts["default"], scope)


def _count(parts: Parts, scope: Scope) -> int:
    return sum(1 for each in scope.remaining if evaluate(parts["this"], scope.about(each)))


_MEANINGS: dict[type[exp.Expression], Meaning] = {
    **{kind: _binary(apply) for kind, apply in _OPERATORS.items()},
    exp.Boolean: lambda parts, _: bool(parts["this"]),
    exp.Paren: lambda parts, scope: evaluate(parts["this"], scope),
    exp.Not: lambda parts, scope: not evaluate(parts["this"], scope),
    exp.And: lambda parts, scope: evaluate(parts["this"], scope) and evaluate(parts["expression"], scope),
    exp.Or: lambda parts, scope: evaluate(parts["this"], scope) or evaluate(parts["expression"], scope),
    exp.In: lambda parts, scope: evaluate(parts["this"], scope) in map(get_literal_value, parts["expressions"]),
    exp.Case: _case,
    exp.Floor: lambda parts, scope: compute_floor(evaluate(parts["this"], scope)),
    exp.ArrayContains: lambda parts, scope: evaluate(parts["expression"], scope) in evaluate(parts["this"], scope),
    exp.CountIf: _count,
}


def is_possible(tree: exp.Expression, vocabulary: Vocabulary, known: Mapping[str, Any]) -> bool:
    """Return whether the checked condition ``tree`` can hold where the attributes in ``known`` have these values."""
    scope = Scope(vocabulary, SimpleNamespace(**known))
    return _truth(expand_terms(tree, vocabulary), scope, known) is not False


def _truth(tree: exp.Expression, scope: Scope, known: Mapping[str, Any]) -> bool | None:
    """Kleene's logic: None is what is not known."""
    match tree:
        case exp.Paren():
            return _truth(tree.this, scope, known)
        case exp.Not():
            inner = _truth(tree.this, scope, known)
            return None if inner is None else not inner
        case exp.And() | exp.Or():
            deciding = isinstance(tree, exp.Or)
            both = [_truth(each, scope, known) for each in (tree.this, tree.expression)]
            return deciding if deciding in both else None if None in both else not deciding
    if all(column.name in known for column in tree.find_all(exp.Column)) and not tree.find(exp.CountIf):
        return bool(evaluate(tree, scope))
    return None
