"""Conditions as durable_rules matches them: tests of one fact's attributes, joined by AND and OR."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import frozen
from sqlglot import exp

from mqclause.executors.durable import FACT, alternatives, has_plain_digits
from mqclause.language.evaluate import Scope, evaluate
from mqclause.language.parse import literal_value, unwrapped
from mqclause.rulebook.rule import Expression

_TESTS: dict[type[Expression], str] = {
    exp.EQ: "", exp.NEQ: "$neq", exp.LT: "$lt", exp.LTE: "$lte", exp.GT: "$gt", exp.GTE: "$gte",
}  # fmt: skip
OPPOSITE: dict[type[Expression], type[Expression]] = {
    exp.EQ: exp.NEQ, exp.NEQ: exp.EQ, exp.LT: exp.GTE, exp.GTE: exp.LT, exp.GT: exp.LTE, exp.LTE: exp.GT,
}  # fmt: skip


MOST_ALTERNATIVES = 256
"""A condition that can be met in more ways is worked out before: durable_rules tries each of them on every fact."""


@frozen
class Pattern:
    """A condition as durable_rules matches it: its JSON form, and what gives the values of the attributes in it."""

    form: str
    attributes: Mapping[str, Expression]

    @classmethod
    def of(cls, condition: Expression) -> Pattern:
        """The pattern of a checked condition."""
        builder = _PatternBuilder()
        form = builder.form(condition, True)
        if alternatives(form) > MOST_ALTERNATIVES:
            builder = _PatternBuilder()
            form = {builder.attribute(condition): True}
        return cls(json.dumps(form, sort_keys=True), builder.attributes)

    def fact(self, subject: int, scope: Scope) -> dict[str, Any]:
        """The fact to assert about ``subject``: every attribute that the condition names."""
        return {FACT: subject, **{name: evaluate(tree, scope) for name, tree in self.attributes.items()}}


class _PatternBuilder:
    """Turns an expression into tests of one fact's attributes; NOT is pushed down to the single tests.

    What durable_rules cannot test itself (arithmetic, CASE, lists) becomes an attribute of its own.
    """

    def __init__(self) -> None:
        self.attributes: dict[str, Expression] = {}
        self._names: dict[Expression, str] = {}

    def form(self, tree: Expression, positive: bool) -> dict[str, Any]:
        tree = unwrapped(tree)
        match tree:
            case exp.Not():
                return self.form(tree.this, not positive)
            case exp.And() | exp.Or():
                parts = [self.form(tree.this, positive), self.form(tree.expression, positive)]
                return {"$and" if isinstance(tree, exp.And) == positive else "$or": parts}
            case exp.In():
                equal = [exp.EQ(this=tree.this.copy(), expression=value.copy()) for value in tree.expressions]
                forms = [self.form(each, positive) for each in equal]
                return forms[0] if len(forms) == 1 else {"$or" if positive else "$and": forms}
        kind: type[Expression] = type(tree)
        if kind in _TESTS:
            return self.comparison(_TESTS[kind if positive else OPPOSITE[kind]], tree)
        return {self.attribute(tree): positive}

    def comparison(self, operator: str, tree: Expression) -> dict[str, Any]:
        left, right = self.attribute(tree.this), unwrapped(tree.expression)
        value: Any = literal_value(right) if isinstance(right, exp.Literal) else None
        if value is None or (isinstance(value, float) and not has_plain_digits(value)):
            value = {"$m": self.attribute(right)}
        return {operator: {left: value}} if operator else {left: value}

    def attribute(self, tree: Expression) -> str:
        tree = unwrapped(tree)
        # Numbered: a name of a rule's could be that of an attribute which the library or the adapter gives a fact.
        name = self._names.setdefault(tree, f"a{len(self._names)}")
        self.attributes[name] = tree
        return name
