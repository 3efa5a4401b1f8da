"""Write conditions as SQL trees, and test whether two conditions are equivalent.

Logic is two-valued: every value is there. What is known beforehand is folded as a tree is built, so that a rule that
cannot apply leaves no SQL. Trees group by their shape alone; brackets are put where they are written.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import product
from typing import Any, Protocol

from sqlglot import exp

from mqclause.language.parser import expand_terms, get_literal_value, strip_parentheses
from mqclause.language.vocabulary import Vocabulary

Node = exp.Expression

COMPARISON_FUNCTIONS: dict[type[Node], Callable[[Any, Any], bool]] = {
    exp.EQ: operator.eq, exp.NEQ: operator.ne, exp.LT: operator.lt, exp.LTE: operator.le, exp.GT: operator.gt,
    exp.GTE: operator.ge,
}  # fmt: skip
"""Comparisons, and what they give where both values are known."""

ARITHMETIC_NODES = (exp.Add, exp.Sub, exp.Mul, exp.Div)

ORDER_SIGNS = (-1, 0, 1)
"""How one value lies to another: below, at or above it."""

MOST_COMBINATIONS = 5_000
"""Conditions with more of them say the same only in the same words."""


class SqlWords(Protocol):
    """The SQL that stands for the words of a condition."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The words."""

    def word(self, name: str) -> Node:
        """Return an attribute or a derived fact."""

    def term(self, name: str) -> Node | None:
        """Return a term that is not written out where it is used, else None."""

    def compared(self, tree: Node, found: Node) -> Node:
        """Return the SQL of the comparison ``tree``, to be written in place of ``found``."""

    def has(self, names: Node, name: Node) -> Node:
        """Return whether a list of names has a name."""

    def count(self, condition: Node) -> Node:
        """Count how many of those that remain the condition holds of."""


def build_sql(tree: Node, meaning: SqlWords) -> Node:
    """Build a condition's tree as SQL."""

    terms = meaning.vocabulary.terms

    def spell_out(node: Node) -> Node:
        if not isinstance(node, exp.Column) or node.name not in terms:
            return node
        found = meaning.term(node.name)
        return (
            exp.Paren(this=expand_terms(terms[node.name], meaning.vocabulary))
            if found is None
            else exp.Placeholder(this=found)
        )

    # What names no term is read as it is: a copy takes longer.
    has_terms = any(each.name in terms for each in tree.find_all(exp.Column))
    return _written(tree.transform(spell_out) if has_terms else tree, meaning)


def has_count(tree: Node | None, vocabulary: Vocabulary | None = None) -> bool:
    """Return whether an expression counts who remains; with a vocabulary, also by its terms."""
    if tree is None:
        return False
    terms = vocabulary.terms if vocabulary else {}
    by_term = (has_count(terms[each.name], vocabulary) for each in tree.find_all(exp.Column) if each.name in terms)
    return tree.find(exp.CountIf) is not None or any(by_term)


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
    return get_literal_value(tree) if isinstance(tree, exp.Literal) else bool(tree.this)


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


def get_word(tree: Node) -> str:
    """Return the name of the word that a tree is; blank if it is none."""
    plain = strip_parentheses(tree)
    return plain.name if isinstance(plain, exp.Column) else ""


def is_equivalent(one: exp.Expression, other: exp.Expression, vocabulary: Vocabulary) -> bool:
    """Return whether two checked conditions are equivalent, whatever the comparisons in them give."""
    if one == other:
        return True
    trees = [expand_terms(each, vocabulary) for each in (one, other)]
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


def _written(tree: Node, meaning: SqlWords) -> Node:
    if isinstance(tree, (*COMPARISON_FUNCTIONS, exp.In)):
        return meaning.compared(tree, _compared(tree, meaning))
    if isinstance(tree, ARITHMETIC_NODES):
        return type(tree)(this=_written(tree.this, meaning), expression=_written(tree.expression, meaning))
    match tree:
        case exp.Paren():
            return _written(tree.this, meaning)
        case exp.And():
            return _and(tree, meaning)
        case exp.Or():
            return build_or(_written(each, meaning) for each in (tree.this, tree.expression))
        case exp.Not():
            return build_not(_written(tree.this, meaning))
        case exp.Placeholder():
            found: Node = tree.this
            return found
        case exp.Column():
            return meaning.word(tree.name)
        case exp.Boolean():
            return build_literal(bool(tree.this))
        case exp.Literal():
            return build_literal(get_literal_value(tree))
        case exp.Case():
            branches = [
                (_written(each.this, meaning), _written(each.args["true"], meaning)) for each in tree.args["ifs"]
            ]
            return build_case(branches, _written(tree.args["default"], meaning))
        case exp.Floor():
            return exp.cast(exp.Floor(this=_written(tree.this, meaning)), "BIGINT")
        case exp.ArrayContains():
            return meaning.has(_written(tree.this, meaning), _written(tree.expression, meaning))
        case exp.CountIf():
            return meaning.count(tree.this)
    raise TypeError(f"{tree.sql()!r} cannot be run on tables")


def _and(tree: exp.And, meaning: SqlWords) -> Node:
    left, right = _written(tree.this, meaning), _written(tree.expression, meaning)
    # Counting takes a pass over the list: only where the answer depends on it.
    return build_if(left, right, exp.false()) if has_count(tree.expression) else build_and(left, right)


def _compared(tree: Node, meaning: SqlWords) -> Node:
    one = _written(tree.this, meaning)
    if isinstance(tree, exp.In):
        listed = [_written(each, meaning) for each in tree.expressions]
        known = is_known(one)
        return (
            build_literal(get_value(one) in map(get_value, listed)) if known else exp.In(this=one, expressions=listed)
        )
    other = _written(tree.expression, meaning)
    if is_known(one) and is_known(other):
        return build_literal(COMPARISON_FUNCTIONS[type(tree)](get_value(one), get_value(other)))
    return type(tree)(this=one, expression=other)


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
        case _ if type(tree) in COMPARISON_FUNCTIONS:
            yield _compared_values(tree)[0], ORDER_SIGNS
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
    if type(tree) in COMPARISON_FUNCTIONS:
        values, turned = _compared_values(tree)
        return COMPARISON_FUNCTIONS[type(tree)](-given[values] if turned else given[values], 0)
    return bool(given[tree.sql()])


def _compared_values(tree: exp.Expression) -> tuple[str, bool]:
    """The two values of a comparison, the same whichever stands first, and whether they stand the other way round."""
    one, other = tree.this.sql(), tree.expression.sql()
    return f"{min(one, other)} : {max(one, other)}", one > other
