"""The condition language: SQL expressions, parsed by sqlglot, held to a short white list and typed.

An expression is two-valued: every attribute has a value, so there is no NULL. What is not on the white list,
a word that is not known and a type that does not fit are errors that name the column and what is allowed.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from mqclause.language.vocabulary import BOOLEAN, NUMBER, TEXT, WHOLE, Type, Vocabulary
from mqclause.model.diagnostic import suggestion

COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
ORDERINGS = (exp.LT, exp.LTE, exp.GT, exp.GTE)
ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div)
ALLOWED = (
    "AND, OR, NOT, = <> < <= > >=, + - * /, IN (…), CASE WHEN … THEN … ELSE … END, "
    "FLOOR(x), ARRAY_CONTAINS(names, name), COUNT_IF(condition)"
)


class ExpressionError(ValueError):
    """An expression that is not in the language; ``column`` counts from 1, or is None where it is not known."""

    def __init__(self, message: str, column: int | None = None) -> None:
        self.column = column
        super().__init__(message if column is None else f"column {column}: {message}")


def parse(text: str, vocabulary: Vocabulary, per_destination: bool) -> exp.Expression:
    """``text`` as a checked expression tree.

    ``per_destination`` says whether attributes of a destination may stand outside COUNT_IF. Raises
    ExpressionError.
    """
    tree = parse_unchecked(text)
    type_of(tree, vocabulary, per_destination)
    return tree


def parse_unchecked(text: str) -> exp.Expression:
    """``text`` as a tree whose words and types are not checked yet. Raises ExpressionError."""
    try:
        parsed = sqlglot.parse_one(text)
    except ParseError as error:
        first = error.errors[0] if error.errors else {}
        what = first.get("highlight") or text
        raise ExpressionError(f"not an expression at {what!r}; allowed: {ALLOWED}", first.get("col")) from None
    except TokenError:
        raise ExpressionError(f"not an expression: {text!r}; is a quote or bracket left open?") from None
    if not isinstance(parsed, exp.Expression):
        raise ExpressionError(f"not an expression: {text!r}")
    return unwrapped(parsed)


def unwrapped(tree: exp.Expression) -> exp.Expression:
    """``tree`` without brackets that group nothing."""
    while isinstance(tree, exp.Paren):
        tree = tree.this
    return tree


def column_of(tree: exp.Expression) -> int | None:
    """Where in its text a tree begins, counted from 1."""
    starts = [node.meta["start"] for node in tree.find_all(exp.Identifier) if "start" in node.meta]
    return min(starts) + 1 if starts else None


def type_of(tree: exp.Expression, vocabulary: Vocabulary, per_destination: bool) -> Type:
    """The type of an expression, after checking all of it. Raises ExpressionError."""
    return _Checker(vocabulary, per_destination).check(tree)


class _Checker:
    """Walks a tree once; each method checks one family of nodes and returns its type."""

    def __init__(self, vocabulary: Vocabulary, per_destination: bool) -> None:
        self.vocabulary = vocabulary
        self.per_destination = per_destination

    def check(self, tree: exp.Expression) -> Type:
        match tree:
            case exp.Paren():
                return self.check(tree.this)
            case exp.Column():
                return self.word(tree)
            case exp.Boolean():
                return BOOLEAN
            case exp.Literal():
                return literal_type(tree)
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
                return WHOLE
            case exp.ArrayContains():
                return self.contains(tree)
            case exp.CountIf():
                _Checker(self.vocabulary, per_destination=True).expect(tree.this, BOOLEAN)
                return WHOLE
        if isinstance(tree, COMPARISONS):
            return self.comparison(tree)
        if isinstance(tree, ARITHMETIC):
            return self.arithmetic(tree)
        raise ExpressionError(f"{tree.sql()!r} is not allowed here; allowed: {ALLOWED}", column_of(tree))

    def word(self, tree: exp.Column) -> Type:
        name = tree.name
        if tree.table:
            raise ExpressionError(f"{tree.sql()!r} is not a word; words have no dots", column_of(tree))
        if name in self.vocabulary.terms:
            return self.check(self.vocabulary.terms[name])
        known = self.vocabulary.words.get(name)
        if known is None:
            near = suggestion(name, self.vocabulary.names())
            raise ExpressionError(f"{name!r} is not an attribute, a derived fact or a term{near}", column_of(tree))
        if known.about == "destination" and not self.per_destination:
            raise ExpressionError(
                f"{name!r} is an attribute of one destination; here it may stand only inside COUNT_IF(…)",
                column_of(tree),
            )
        return known.type

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
        for branch in tree.args["ifs"]:
            self.expect(branch.this, BOOLEAN)
            self.expect(branch.args["true"], result)
        return result if not result.words else TEXT

    def contains(self, tree: exp.ArrayContains) -> Type:
        names = self.check(tree.this)
        if names.kind != "names":
            raise ExpressionError(f"{tree.this.sql()!r} is {names}, expected a list of names", column_of(tree))
        self.expect(tree.expression, TEXT)
        return BOOLEAN

    def arithmetic(self, tree: exp.Expression) -> Type:
        left, right = self.check(tree.this), self.check(tree.expression)
        if not (left.is_number and right.is_number):
            raise ExpressionError(f"{tree.sql()!r}: only numbers can be reckoned with", column_of(tree))
        whole = left.kind == right.kind == "whole" and not isinstance(tree, exp.Div)
        return WHOLE if whole else NUMBER


def literal_type(tree: exp.Literal) -> Type:
    """A quoted text, a whole number or a number."""
    if tree.is_string:
        return TEXT
    return WHOLE if tree.is_int else NUMBER


def literal_value(tree: exp.Literal) -> str | int | float:
    """The value of a literal as Python holds it."""
    if tree.is_string:
        return str(tree.this)
    return int(tree.this) if tree.is_int else float(tree.this)


def expanded(tree: exp.Expression, vocabulary: Vocabulary) -> exp.Expression:
    """``tree`` with every term replaced by what it stands for."""

    def replace(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Column) and node.name in vocabulary.terms:
            return exp.Paren(this=expanded(vocabulary.terms[node.name], vocabulary))
        return node

    return tree.transform(replace)
