"""The plain meaning of an expression: a walk over its tree with the values at hand. Slow, small, and the reference."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from math import floor
from typing import Any

from attrs import field, frozen
from sqlglot import exp

from mqclause.language.parse import literal_value
from mqclause.language.vocabulary import BLANKS, Vocabulary
from mqclause.model.facts.destination import CounterKey, Destination
from mqclause.model.facts.sequence import START, Counter
from mqclause.model.facts.situation import Situation

OPERATORS: dict[type[exp.Expression], Callable[[Any, Any], Any]] = {
    exp.EQ: operator.eq, exp.NEQ: operator.ne, exp.LT: operator.lt, exp.LTE: operator.le, exp.GT: operator.gt,
    exp.GTE: operator.ge, exp.Add: operator.add, exp.Sub: operator.sub, exp.Mul: operator.mul,
    exp.Div: operator.truediv,
}  # fmt: skip


@frozen
class Scope:
    """What an expression can see: the put, one destination or none, who remains, and the facts derived so far.

    ``facts`` are derived about the put, ``every`` about every destination; ``counters`` (if given) hold the
    sequence attributes.
    """

    vocabulary: Vocabulary
    put: Situation
    remaining: Sequence[Destination] = ()
    counters: Mapping[CounterKey, Counter] | None = None
    facts: Mapping[str, Any] = field(factory=dict)
    every: Mapping[str, Any] = field(factory=dict)
    destination: Destination | None = None
    _known: dict[str, Any] = field(factory=dict, init=False, repr=False, eq=False)

    def about(self, destination: Destination) -> Scope:
        """The same values, seen from ``destination``."""
        return Scope(self.vocabulary, self.put, self.remaining, self.counters, self.facts, self.every, destination)

    def value(self, name: str) -> Any:
        """The value of an attribute, a derived fact or a term."""
        if name in self.vocabulary.terms:
            # A scope never changes, so neither does a term; counts of who remains are asked for again and again.
            if name not in self._known:
                self._known[name] = evaluate(self.vocabulary.terms[name], self)
            return self._known[name]
        word = self.vocabulary.words[name]
        if word.about == "destination":
            return self._of_destination(name)
        if hasattr(self.put, name):
            return getattr(self.put, name)
        return self.facts.get(name, BLANKS[word.type.kind])

    def _of_destination(self, name: str) -> Any:
        assert self.destination is not None, name  # noqa: S101 - a checked expression has one
        if name in self.every:
            return self.every[name]
        if self.counters is not None and name in Counter._fields:
            return getattr(self.counters.get(self.destination.counter, START), name)
        return getattr(self.destination, name)


def evaluate(tree: exp.Expression, scope: Scope) -> Any:
    """The value of a checked expression in ``scope``."""
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
    **{kind: _binary(apply) for kind, apply in OPERATORS.items()},
    exp.Column: lambda parts, scope: scope.value(parts["this"].args["this"]),
    exp.Boolean: lambda parts, _: bool(parts["this"]),
    exp.Paren: lambda parts, scope: evaluate(parts["this"], scope),
    exp.Not: lambda parts, scope: not evaluate(parts["this"], scope),
    exp.And: lambda parts, scope: evaluate(parts["this"], scope) and evaluate(parts["expression"], scope),
    exp.Or: lambda parts, scope: evaluate(parts["this"], scope) or evaluate(parts["expression"], scope),
    exp.In: lambda parts, scope: evaluate(parts["this"], scope) in map(literal_value, parts["expressions"]),
    exp.Case: _case,
    exp.Floor: lambda parts, scope: floor(evaluate(parts["this"], scope)),
    exp.ArrayContains: lambda parts, scope: evaluate(parts["expression"], scope) in evaluate(parts["this"], scope),
    exp.CountIf: _count,
}
