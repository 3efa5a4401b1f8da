"""The plain meaning of an expression: a walk over its tree with the values at hand. Slow, small, and the reference."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import define, field
from sqlglot import exp

from mqclause.language.parse import literal_value
from mqclause.language.vocabulary import Vocabulary, floored

_OPERATORS: dict[type[exp.Expression], Callable[[Any, Any], Any]] = {
    exp.EQ: operator.eq, exp.NEQ: operator.ne, exp.LT: operator.lt, exp.LTE: operator.le, exp.GT: operator.gt,
    exp.GTE: operator.ge, exp.Add: operator.add, exp.Sub: operator.sub, exp.Mul: operator.mul,
    exp.Div: operator.truediv,
}  # fmt: skip


CarriedValue = Callable[[Any, str], Any]
"""The value of an attribute of a subject that is carried from choice to choice, in place of the subject's own."""


@define(eq=False)  # One is made for every subject that is looked at, and attrs takes four times as long if frozen.
class Scope:
    """What an expression can see: the situation, one subject or none, who remains, and the facts derived so far.

    ``facts`` are derived about the situation, ``every`` about every subject; ``carried`` (if given) holds the
    attributes that are carried from choice to choice.
    """

    vocabulary: Vocabulary
    situation: Any
    remaining: Sequence[Any] = ()
    carried: CarriedValue | None = None
    facts: Mapping[str, Any] = field(factory=dict)
    every: Mapping[str, Any] = field(factory=dict)
    subject: Any = None
    _known: dict[str, Any] | None = field(default=None, init=False, repr=False)

    def left(self, remaining: Sequence[Any]) -> Scope:
        """The same values, where these remain."""
        return Scope(self.vocabulary, self.situation, remaining, self.carried, self.facts, self.every)

    def knowing(self, facts: Mapping[str, Any], every: Mapping[str, Any]) -> Scope:
        """The same values, with more facts about the situation and about every subject."""
        facts, every = {**self.facts, **facts}, {**self.every, **every}
        return Scope(self.vocabulary, self.situation, self.remaining, self.carried, facts, every)

    def about(self, subject: Any) -> Scope:
        """The same values, seen from ``subject``."""
        return Scope(self.vocabulary, self.situation, self.remaining, self.carried, self.facts, self.every, subject)

    def value(self, name: str) -> Any:
        """The value of an attribute, a derived fact or a term."""
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
    """The value of a checked expression in ``scope``."""
    if type(tree) is exp.Column:
        return scope.value(tree.args["this"].args["this"])
    if type(tree) is exp.Literal:
        return literal_value(tree)
    meaning = _MEANINGS.get(type(tree))
    if meaning is None:
        raise TypeError(f"{tree.sql()!r} has no meaning here")
    return meaning(tree.args, scope)


Parts = Mapping[str, Any]
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
    exp.In: lambda parts, scope: evaluate(parts["this"], scope) in map(literal_value, parts["expressions"]),
    exp.Case: _case,
    exp.Floor: lambda parts, scope: floored(evaluate(parts["this"], scope)),
    exp.ArrayContains: lambda parts, scope: evaluate(parts["expression"], scope) in evaluate(parts["this"], scope),
    exp.CountIf: _count,
}
