"""Write conditions as SQL: trees of sqlglot of the nodes of the language.

Logic is two-valued: every value is there. What is known beforehand is folded as a tree is built, so that a rule that
cannot apply leaves no SQL. Trees group by their shape alone; brackets are put where they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Protocol

from sqlglot import exp

from mqclause.language import nodes
from mqclause.language.nodes import COMPARISON_FUNCTIONS, Expression, get_literal_value
from mqclause.language.parser import expand_terms, find_terms, has_count, infer_type
from mqclause.language.vocabulary import Vocabulary

Node = exp.Expression

_KINDS: dict[type[Expression], type[Node]] = {
    nodes.EQ: exp.EQ, nodes.NEQ: exp.NEQ, nodes.LT: exp.LT, nodes.LTE: exp.LTE, nodes.GT: exp.GT, nodes.GTE: exp.GTE,
    nodes.Add: exp.Add, nodes.Sub: exp.Sub, nodes.Mul: exp.Mul, nodes.Div: exp.Div,
}  # fmt: skip
"""What operators of the language are in SQL."""


class SqlWords(Protocol):
    """The SQL that stands for the words of a condition."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The words."""

    def word(self, name: str) -> Node:
        """Return an attribute or a derived fact."""

    def term(self, name: str) -> Node | None:
        """Return a term that is not written out where it is used, else None."""

    def compared(self, tree: nodes.Binary | nodes.In, found: Node) -> Node:
        """Return the SQL of the comparison ``tree``, to be written in place of ``found``."""

    def has(self, names: Node, name: Node) -> Node:
        """Return whether a list of names has a name."""

    def count(self, condition: Expression) -> Node:
        """Count how many of those that remain the condition holds of."""


def build_sql(tree: Expression, meaning: SqlWords) -> Node:
    """Build a condition's tree as SQL."""
    asked = {name: meaning.term(name) for name in find_terms(tree, meaning.vocabulary)}
    once = {name: found for name, found in asked.items() if found is not None}
    return _written(expand_terms(tree, meaning.vocabulary, once), meaning, once)


def build_literal(value: object) -> Node:
    """Build a value of the language; numbers that are not whole are of 64 bits, not decimal."""
    match value:
        case bool():
            return exp.true() if value else exp.false()
        case str():
            return exp.Literal.string(value)
        case float():
            text = repr(value)
            return exp.Literal(this=text if "e" in text else f"{text}e0", is_string=False)
        case int():
            return exp.Literal.number(value)
        case tuple():
            return exp.cast(exp.Array(expressions=[build_literal(each) for each in value]), "ARRAY<TEXT>")
    raise TypeError(f"{value!r} is no value of the language")


def build_equality(one: Node, other: Node | str | int) -> Node:
    """Return whether two values are the same; ``other`` may be a value of the language."""
    return exp.EQ(this=one, expression=build_literal(other) if isinstance(other, str | int) else other)


def is_known(tree: Node) -> bool:
    """Return whether a tree is a value."""
    return isinstance(tree, exp.Literal | exp.Boolean)


def get_value(tree: Node) -> object:
    """Return the value of a tree that is one."""
    if not isinstance(tree, exp.Literal):
        return bool(tree.this)
    return str(tree.this) if tree.is_string else int(tree.this) if tree.is_int else float(tree.this)


def is_true(tree: Node) -> bool:
    """Return whether a tree is the value TRUE."""
    return isinstance(tree, exp.Boolean) and bool(tree.this)


def is_false(tree: Node) -> bool:
    """Return whether a tree is the value FALSE."""
    return isinstance(tree, exp.Boolean) and not tree.this


def build_and(*conditions: Node) -> Node:
    """Return whether all hold."""
    return _joined(exp.And, conditions, leaves_out=is_true, decides=is_false)


def build_or(conditions: Iterable[Node]) -> Node:
    """Return whether any holds."""
    return _joined(exp.Or, list(conditions), leaves_out=is_false, decides=is_true)


def build_not(condition: Node) -> Node:
    """Return whether a condition does not hold."""
    if isinstance(condition, exp.Boolean):
        return build_literal(not condition.this)
    return condition.this if isinstance(condition, exp.Not) else exp.Not(this=condition)


def build_if(condition: Node, then: Node, otherwise: Node | None = None) -> Node:
    """Build a conditional: ``then`` where the condition holds, else ``otherwise``; the other is not evaluated."""
    return build_case([(condition, then)], otherwise)


def build_case(branches: Iterable[tuple[Node, Node]], otherwise: Node | None = None) -> Node:
    """Build a CASE: the value beside the first condition that holds."""
    ifs = []
    for condition, then in branches:
        if is_true(condition):
            otherwise = then
            break
        if not is_false(condition):
            ifs.append(exp.If(this=condition, true=then))
    if not ifs:
        return otherwise if otherwise is not None else exp.null()
    if len(ifs) == 1 and is_true(ifs[0].args["true"]) and otherwise is not None and is_false(otherwise):
        alone: Node = ifs[0].this
        return alone
    return exp.Case(ifs=ifs, default=otherwise)


def _written(tree: Expression, meaning: SqlWords, once: Mapping[str, Node]) -> Node:
    """A condition as SQL; terms that are written ``once`` stand in it by name."""
    if isinstance(tree, nodes.PREDICATES):
        return meaning.compared(tree, _compared(tree, meaning, once))
    if isinstance(tree, nodes.ARITHMETIC):
        kind, parts = _KINDS[type(tree)], [_written(each, meaning, once) for each in tree.parts]
        return kind(this=parts[0], expression=parts[1])
    match tree:
        case nodes.Paren():
            return _written(tree.this, meaning, once)
        case nodes.And():
            left, right = (_written(each, meaning, once) for each in tree.parts)
            # Counting takes a pass over the list: only where the answer depends on it.
            return build_if(left, right, exp.false()) if has_count(tree.expression) else build_and(left, right)
        case nodes.Or():
            return build_or(_written(each, meaning, once) for each in tree.parts)
        case nodes.Not():
            return build_not(_written(tree.this, meaning, once))
        case nodes.Column():
            return once[tree.name].copy() if tree.name in once else meaning.word(tree.name)
        case nodes.Boolean():
            return build_literal(tree.this)
        case nodes.Literal():
            return build_literal(get_literal_value(tree))
        case nodes.Case():
            branches = [
                (_written(each.when, meaning, once), _written(each.then, meaning, once)) for each in tree.branches
            ]
            return build_case(branches, _written(tree.default, meaning, once))
        case nodes.Floor():
            inner = _written(tree.this, meaning, once)
            if infer_type(tree.this, meaning.vocabulary, per_subject=True).kind == "whole":
                return inner  # a floor in SQL makes it a number that holds no large whole number
            return exp.cast(exp.Floor(this=inner), "BIGINT")
        case nodes.ArrayContains():
            return meaning.has(_written(tree.this, meaning, once), _written(tree.expression, meaning, once))
        case nodes.CountIf():
            return meaning.count(tree.this)
    raise TypeError(f"{tree.sql()!r} cannot be run on tables")


def _compared(tree: nodes.Binary | nodes.In, meaning: SqlWords, once: Mapping[str, Node]) -> Node:
    one = _written(tree.this, meaning, once)
    if isinstance(tree, nodes.In):
        listed = [_written(each, meaning, once) for each in tree.expressions]
        known = is_known(one)
        return (
            build_literal(get_value(one) in map(get_value, listed)) if known else exp.In(this=one, expressions=listed)
        )
    other = _written(tree.expression, meaning, once)
    if is_known(one) and is_known(other):
        return build_literal(COMPARISON_FUNCTIONS[type(tree)](get_value(one), get_value(other)))
    return _KINDS[type(tree)](this=one, expression=other)


def _joined(
    kind: type[exp.And | exp.Or],
    conditions: Sequence[Node],
    leaves_out: Callable[[Node], bool],
    decides: Callable[[Node], bool],
) -> Node:
    parts = [each for each in conditions if not leaves_out(each)]
    deciding = next(filter(decides, parts), None)
    if deciding is not None or not parts:
        return deciding if deciding is not None else build_literal(kind is exp.And)
    return reduce(lambda one, other: kind(this=one, expression=other), parts)
