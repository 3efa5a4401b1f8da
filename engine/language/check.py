"""Checks of expressions: what is not on the white list, unknown words, types that do not fit, numbers out of range.

An expression is two-valued: every attribute has a value, so there is no NULL. An error names the column and what is
allowed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import floor, inf, isfinite
from typing import Any

from sqlglot import exp

from mqclause.language.parse import (
    ALLOWED,
    ExpressionError,
    check_extent,
    column_of,
    parse_unchecked,
    tree_of,
    unwrapped,
)
from mqclause.language.vocabulary import BOOLEAN, NUMBER, TEXT, WHOLE, Type, Vocabulary, WordKind
from mqclause.model.diagnostic import quoted, suggestion
from mqclause.model.facts.domains import LARGEST_NUMBER

COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
ORDERINGS = (exp.LT, exp.LTE, exp.GT, exp.GTE)
_ARITHMETIC: dict[type[exp.Expression], Callable[[Any, Any], Any]] = {
    exp.Add: operator.add, exp.Sub: operator.sub, exp.Mul: operator.mul, exp.Div: operator.truediv,
}  # fmt: skip
ARITHMETIC = tuple(_ARITHMETIC)

DIVISORS = "a number other than 0, or an attribute whose domain leaves out 0"
WIDEST = 400
"""Digits of a number."""


def parse(text: str, vocabulary: Vocabulary, per_subject: bool) -> exp.Expression:
    """``text`` as a checked expression tree.

    ``per_subject`` says whether attributes of a destination may stand outside COUNT_IF. Raises
    ExpressionError.
    """
    tree = parse_unchecked(text)
    check_extent(tree, vocabulary)
    type_of(tree, vocabulary, per_subject)
    return tree


def parse_order(text: str, vocabulary: Vocabulary) -> tuple[exp.Expression, bool]:
    """``text`` as what subjects are ordered by, and whether from the highest: ``rank DESC``. Raises ExpressionError."""
    ordered = tree_of(text, exp.Ordered)
    if ordered.args.get("with_fill") or "NULLS" in text.upper().split():
        raise ExpressionError(f"{text!r}: an order is an expression, with DESC or without")
    tree, descending = ordered.this, bool(ordered.args.get("desc"))
    check_extent(tree, vocabulary)
    found = type_of(tree, vocabulary, per_subject=True)
    if not (found.is_number or found.kind == "boolean"):
        raise ExpressionError(f"{tree.sql()!r} is {found}, which has no order; only numbers and truth values have")
    return unwrapped(tree), descending


def type_of(tree: exp.Expression, vocabulary: Vocabulary, per_subject: bool) -> Type:
    """The type of an expression, after checking all of it. Raises ExpressionError."""
    return _Checker(vocabulary, per_subject).check(tree)


class _Checker:
    """Walks a tree once; each method checks one family of nodes and returns its type."""

    def __init__(self, vocabulary: Vocabulary, per_subject: bool) -> None:
        self.vocabulary = vocabulary
        self.per_subject = per_subject

    def check(self, tree: exp.Expression) -> Type:
        match tree:
            case exp.Paren():
                return self.check(tree.this)
            case exp.Column():
                return self.word(tree)
            case exp.Boolean():
                return BOOLEAN
            case exp.Literal():
                return self.literal(tree)
            case exp.And() | exp.Or():
                self.expect(tree.this, BOOLEAN)
                return self.expect(tree.expression, BOOLEAN)
            case exp.Not():
                return self.expect(tree.this, BOOLEAN)
            case exp.In():
                return self.membership(tree)
            case exp.Case():
                return self.case(tree)
            case exp.Floor() if not any(value for key, value in tree.args.items() if key != "this"):
                self.expect(tree.this, NUMBER)
                found = self.check(tree.this)
                return self.fitting(tree, "whole", [found.least, found.most])
            case exp.ArrayContains():
                return self.contains(tree)
            case exp.CountIf():
                _Checker(self.vocabulary, per_subject=True).expect(tree.this, BOOLEAN)
                return WHOLE
        if isinstance(tree, COMPARISONS):
            return self.comparison(tree)
        if isinstance(tree, ARITHMETIC):
            return self.arithmetic(tree)
        raise ExpressionError(f"{tree.sql()!r} is not allowed here; allowed: {ALLOWED}", column_of(tree))

    def literal(self, tree: exp.Literal) -> Type:
        """A quoted text, a whole number or a number; numbers have 64 bits in every executor."""
        if tree.is_string:
            return TEXT
        whole, text = tree.is_int, str(tree.this)
        # No whole number of 64 bits has more digits, and Python turns no number of very many into one.
        fits = len(text) <= WIDEST and (abs(int(text)) <= LARGEST_NUMBER if whole else isfinite(float(text)))
        if not fits:
            raise ExpressionError(f"{quoted(text)} does not fit into 64 bits", column_of(tree))
        value = int(text) if whole else float(text)
        return Type("whole" if whole else "number", (), value, value)

    def word(self, tree: exp.Column) -> Type:
        name = tree.name
        if tree.table:
            raise ExpressionError(f"{tree.sql()!r} is not a word; words have no dots", column_of(tree))
        if name in self.vocabulary.terms:
            return self.term(name)
        known = self.vocabulary.words.get(name)
        if known is None:
            near = suggestion(name, self.vocabulary.names())
            raise ExpressionError(f"{name!r} is not an attribute, a derived fact or a term{near}", column_of(tree))
        if known.about == "subject" and not self.per_subject:
            raise ExpressionError(
                f"{name!r} is an attribute of one {self.vocabulary.subject}; here it may stand only inside COUNT_IF(…)",
                column_of(tree),
            )
        return known.type

    def term(self, name: str) -> Type:
        """The type of a term, which is checked once for all that use it."""
        key = name, self.per_subject
        if key not in self.vocabulary.types:
            self.vocabulary.types[key] = self.check(self.vocabulary.terms[name])
        return self.vocabulary.types[key]

    def expect(self, tree: exp.Expression, wanted: Type) -> Type:
        found = self.check(tree)
        fits = found.is_number if wanted.is_number else found.kind == wanted.kind
        if not fits:
            raise ExpressionError(f"{tree.sql()!r} is {found}, expected {wanted}", column_of(tree))
        return wanted

    def comparison(self, tree: exp.Expression) -> Type:
        left, right = self.check(tree.this), self.check(tree.expression)
        same = (left.is_number and right.is_number) or left.kind == right.kind != "names"
        if not same:
            raise ExpressionError(f"{tree.sql()!r} compares {left} with {right}", column_of(tree))
        if isinstance(tree, ORDERINGS) and not left.is_number:
            raise ExpressionError(f"{tree.sql()!r} orders {left}; only numbers have an order", column_of(tree))
        self.same_words(tree, left, tree.expression)
        self.same_words(tree, right, tree.this)
        return BOOLEAN

    def same_words(self, tree: exp.Expression, of: Type, value: exp.Expression) -> None:
        if of.words and isinstance(value, exp.Literal) and value.this not in of.words:
            near = suggestion(value.this, of.words)
            listed = ", ".join(filter(None, of.words))
            raise ExpressionError(f"{value.this!r} is never a value here; allowed: {listed}{near}", column_of(tree))

    def membership(self, tree: exp.In) -> Type:
        found = self.check(tree.this)
        if tree.args.get("query") or not tree.expressions:
            raise ExpressionError(f"{tree.sql()!r}: IN takes a list of values", column_of(tree))
        for value in tree.expressions:
            if not isinstance(value, exp.Literal):
                raise ExpressionError(f"{tree.sql()!r}: IN takes a list of values", column_of(tree))
            self.expect(value, found)
            self.same_words(tree, found, value)
        return BOOLEAN

    def case(self, tree: exp.Case) -> Type:
        if tree.this is not None or tree.args.get("default") is None:
            raise ExpressionError(f"{tree.sql()!r}: write CASE WHEN … THEN … ELSE … END", column_of(tree))
        result = self.check(tree.args["default"])
        found = [result]
        for branch in tree.args["ifs"]:
            self.expect(branch.this, BOOLEAN)
            self.expect(branch.args["true"], result)
            found.append(self.check(branch.args["true"]))
        if result.is_number:
            kind: WordKind = "whole" if all(each.kind == "whole" for each in found) else "number"
            return self.fitting(tree, kind, [end for each in found for end in (each.least, each.most)])
        return result if not result.words else TEXT

    def contains(self, tree: exp.ArrayContains) -> Type:
        names = self.check(tree.this)
        if names.kind != "names":
            raise ExpressionError(f"{tree.this.sql()!r} is {names}, expected a list of names", column_of(tree))
        self.expect(tree.expression, TEXT)
        self.same_words(tree, names, tree.expression)
        return BOOLEAN

    def arithmetic(self, tree: exp.Expression) -> Type:
        left, right = self.check(tree.this), self.check(tree.expression)
        if not (left.is_number and right.is_number):
            raise ExpressionError(f"{tree.sql()!r}: only numbers can be reckoned with", column_of(tree))
        if isinstance(tree, exp.Div) and not self.is_never_zero(tree.expression):
            said = f"{tree.sql()!r} divides by {tree.expression.sql()!r}, which can be 0; allowed: {DIVISORS}"
            raise ExpressionError(said, column_of(tree))
        whole = left.kind == right.kind == "whole" and not isinstance(tree, exp.Div)
        return self.within(tree, left, right, "whole" if whole else "number")

    def within(self, tree: exp.Expression, left: Type, right: Type, kind: WordKind) -> Type:
        """The type of a sum, difference, product or quotient, which has to stay within 64 bits where known."""
        if None in (left.least, left.most, right.least, right.most):
            return Type(kind)
        reckoned, others = _ARITHMETIC[type(tree)], (right.least, right.most)
        try:
            ends = [reckoned(one, other) for one in (left.least, left.most) for other in others]
        except OverflowError:
            ends = [inf]
        return self.fitting(tree, kind, ends)

    def fitting(self, tree: exp.Expression, kind: WordKind, ends: Sequence[float | None]) -> Type:
        """The type of a number that is between the least and the most of ``ends``, if all are known."""
        known = [each for each in ends if each is not None]
        if any(abs(each) > LARGEST_NUMBER if kind == "whole" else not isfinite(each) for each in known):
            said = f"{tree.sql()!r} can be a number that does not fit into 64 bits"
            raise ExpressionError(said, column_of(tree))
        if len(known) < len(ends):
            return Type(kind)
        least, most = min(known), max(known)
        return Type(kind, (), floor(least), floor(most)) if kind == "whole" else Type(kind, (), least, most)

    def is_never_zero(self, tree: exp.Expression) -> bool:
        """Whether the types show that a number is not zero."""
        match tree:
            case exp.Paren():
                return self.is_never_zero(tree.this)
            case exp.Literal():
                return float(tree.this) != 0
            case exp.Column() if tree.name in self.vocabulary.terms:
                return self.is_never_zero(self.vocabulary.terms[tree.name])
            case exp.Column():
                word = self.vocabulary.words[tree.name]
                # A fact that no rule has derived yet is 0.
                return not word.is_derived and word.type.least is not None and word.type.least > 0
            case exp.Mul():
                # Of numbers that are very small the product is 0.
                is_whole = self.check(tree).kind == "whole"
                return is_whole and self.is_never_zero(tree.this) and self.is_never_zero(tree.expression)
            case exp.Case():
                values = [branch.args["true"] for branch in tree.args["ifs"]]
                return all(map(self.is_never_zero, [*values, tree.args["default"]]))
        return False
