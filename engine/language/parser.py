"""Parse conditions from SQL text to typed trees, and check them against a vocabulary.

An expression is two-valued: every attribute has a value, so there is no NULL. An error names the column and what is
allowed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from logging import LogRecord, getLogger
from math import floor, inf, isfinite
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from mqclause.language.prebuilt import find_tree
from mqclause.language.vocabulary import (
    BOOLEAN,
    NUMBER,
    RESERVED_PREFIX,
    TEXT,
    WHOLE,
    Type,
    Vocabulary,
    WordKind,
    find_name_fault,
)
from mqclause.model.diagnostics import quote_value, suggest_word
from mqclause.model.facts.domains import LARGEST_NUMBER

ALLOWED = (
    "AND, OR, NOT, = <> < <= > >=, + - * /, IN (…), CASE WHEN … THEN … ELSE … END, "
    "FLOOR(x), ARRAY_CONTAINS(names, name), COUNT_IF(condition)"
)

MOST_CHARACTERS = 10_000
"""Characters of an expression."""

MOST_LEVELS = 60
"""Levels of an expression, one in another: what is generated of it has to stay within the limits of its language."""

MOST_NODES = 10_000
"""Nodes of an expression with all that its terms stand for: what is generated of it has as many parts."""

TOO_DEEP = f"is nested too deep; allowed: {MOST_LEVELS} levels"

COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
ORDERINGS = (exp.LT, exp.LTE, exp.GT, exp.GTE)
_ARITHMETIC: dict[type[exp.Expression], Callable[[Any, Any], Any]] = {
    exp.Add: operator.add, exp.Sub: operator.sub, exp.Mul: operator.mul, exp.Div: operator.truediv,
}  # fmt: skip
ARITHMETIC = tuple(_ARITHMETIC)

DIVISORS = "a number other than 0, or an attribute whose domain leaves out 0"
MOST_DIGITS = 400
"""Digits of a number."""


class ExpressionError(ValueError):
    """An expression that is not in the language; ``column`` counts from 1, or is None where it is not known."""

    def __init__(self, message: str, column: int | None = None) -> None:
        self.column = column
        super().__init__(message if column is None else f"column {column}: {message}")


@lru_cache(maxsize=4096)
def parse_unchecked(text: str) -> exp.Expression:
    """Parse ``text`` without checking words and types; the same text gives the same tree. Raises ExpressionError.

    Nobody changes a tree: what is made of one is made of a copy.
    """
    if (kept := find_tree(text)) is not None:
        return kept
    try:
        return parse_condition(text)
    except ExpressionError:
        # What is no expression may be a statement, of which more can be said.
        tree = strip_parentheses(parse_tree(text))
    check_extent(tree)
    return tree


def parse_condition(text: str) -> exp.Expression:
    """Parse ``text`` as a condition, without checking words and types. Raises ExpressionError for anything else."""
    tree = strip_parentheses(parse_tree(text, exp.Condition))
    check_extent(tree)
    return tree


def parse_tree(text: str, into: type[exp.Condition] | type[exp.Ordered] | None = None) -> exp.Expression:
    """Parse the tree of ``text``, of the kind ``into`` if that is given. Raises ExpressionError."""
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(f"has {len(text)} characters; allowed: {MOST_CHARACTERS}")
    try:
        tree = _parse_quietly(text, into)
    except RecursionError:
        raise ExpressionError(TOO_DEEP) from None
    except ParseError as error:
        first = error.errors[0] if error.errors else {}
        what = first.get("highlight") or text
        raise ExpressionError(f"not an expression at {what!r}; allowed: {ALLOWED}", first.get("col")) from None
    except TokenError:
        raise ExpressionError(f"not an expression: {text!r}; is a quote or bracket left open?") from None
    if not isinstance(tree, exp.Expression):
        raise ExpressionError(f"not an expression: {text!r}")
    return tree


def check_extent(tree: exp.Expression, vocabulary: Vocabulary | None = None) -> None:
    """Raise ExpressionError for a tree that is nested too deep or too large, with all that its terms stand for."""
    extents = dict[str, tuple[int, int]]()
    if vocabulary is not None:
        extents = vocabulary.extents
        for term in _unmeasured(tree, vocabulary):
            extents[term] = _extent(vocabulary.terms[term], extents)
    nodes, depth = _extent(tree, extents)
    if depth > MOST_LEVELS:
        raise ExpressionError(TOO_DEEP)
    if nodes > MOST_NODES:
        raise ExpressionError(f"is too large when its terms are put in; allowed: {MOST_NODES} parts")


def find_terms(tree: exp.Expression, vocabulary: Vocabulary) -> dict[str, None]:
    """Find the terms that a tree names, each once."""
    return {each: None for each in find_words(tree) if each in vocabulary.terms}


@lru_cache(maxsize=4096)
def find_words(tree: exp.Expression) -> tuple[str, ...]:
    """Find the words that a tree names, each once: attributes, derived facts and terms."""
    return tuple(dict.fromkeys(column.name for column in tree.find_all(exp.Column)))


def find_expanded_words(tree: exp.Expression, vocabulary: Vocabulary) -> Iterator[str]:
    """Find the words that a tree names, by its terms too; those that a term is made of stand in its place."""
    for name in find_words(tree):
        if name in vocabulary.terms:
            yield from find_expanded_words(vocabulary.terms[name], vocabulary)
        else:
            yield name


def find_stated_name_fault(name: str) -> str:
    """Say what is wrong with a name that a rule file gives to a fact or a term; blank if nothing is."""
    if name.startswith(RESERVED_PREFIX):
        return f"is not a name for rules to give; allowed: one that does not begin with {RESERVED_PREFIX}"
    if fault := find_name_fault(name):
        return fault
    try:
        found = parse_unchecked(name)
    except ExpressionError:
        found = exp.null()
    return "" if found == exp.column(name) else "is a word of SQL; allowed: a name that is none"


def strip_parentheses(tree: exp.Expression) -> exp.Expression:
    """Remove the parentheses of ``tree`` that group nothing."""
    while isinstance(tree, exp.Paren):
        tree = tree.this
    return tree


def find_column(tree: exp.Expression) -> int | None:
    """Find where in its text a tree begins, counted from 1."""
    starts = [node.meta["start"] for node in tree.find_all(exp.Identifier) if "start" in node.meta]
    return min(starts) + 1 if starts else None


def get_literal_value(tree: exp.Literal) -> str | int | float:
    """Return the value of a literal as Python holds it."""
    if tree.is_string:
        return str(tree.this)
    return int(tree.this) if tree.is_int else float(tree.this)


def expand_terms(tree: exp.Expression, vocabulary: Vocabulary) -> exp.Expression:
    """Replace every term in ``tree`` by its expression."""

    def replace(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Column) and node.name in vocabulary.terms:
            return exp.Paren(this=expand_terms(vocabulary.terms[node.name], vocabulary))
        return node

    return tree.transform(replace)


def find_literal_texts(tree: exp.Expression, vocabulary: Vocabulary) -> Iterator[str]:
    """Find the texts that an expression itself has for a value, in each branch, also by way of terms."""
    match tree:
        case exp.Paren():
            yield from find_literal_texts(tree.this, vocabulary)
        case exp.Column() if tree.name in vocabulary.terms:
            yield from find_literal_texts(vocabulary.terms[tree.name], vocabulary)
        case exp.Literal() if tree.is_string:
            yield str(tree.this)
        case exp.Case():
            for branch in (*(each.args["true"] for each in tree.args["ifs"]), tree.args["default"]):
                yield from find_literal_texts(branch, vocabulary)


def parse(text: str, vocabulary: Vocabulary, per_subject: bool) -> exp.Expression:
    """Parse ``text`` and check its words and types.

    ``per_subject`` says whether attributes of a destination may stand outside COUNT_IF. Raises
    ExpressionError.
    """
    tree = parse_unchecked(text)
    check_extent(tree, vocabulary)
    infer_type(tree, vocabulary, per_subject)
    return tree


def parse_order(text: str, vocabulary: Vocabulary) -> tuple[exp.Expression, bool]:
    """Parse a sort order like ``rank DESC``: its expression, and whether the highest is first.

    Raises ExpressionError.
    """
    ordered = parse_tree(text, exp.Ordered)
    if ordered.args.get("with_fill") or "NULLS" in text.upper().split():
        raise ExpressionError(f"{text!r}: an order is an expression, with DESC or without")
    tree, descending = ordered.this, bool(ordered.args.get("desc"))
    check_extent(tree, vocabulary)
    found = infer_type(tree, vocabulary, per_subject=True)
    if not (found.is_number or found.kind == "boolean"):
        raise ExpressionError(f"{tree.sql()!r} is {found}, which has no order; only numbers and truth values have")
    return strip_parentheses(tree), descending


def infer_type(tree: exp.Expression, vocabulary: Vocabulary, per_subject: bool) -> Type:
    """Infer the type of an expression, after checking all of it. Raises ExpressionError."""
    return _Checker(vocabulary, per_subject).check(tree)


def _parse_quietly(text: str, into: type[exp.Expr] | None) -> exp.Expr:
    """The tree of a text. Of what it does not know, sqlglot logs a line; ours is told instead."""
    log = getLogger("sqlglot")
    log.addFilter(_nothing)
    try:
        return sqlglot.parse_one(text, into=into) if into else sqlglot.parse_one(text)
    finally:
        log.removeFilter(_nothing)


def _nothing(_: LogRecord) -> bool:
    return False


def _extent(tree: exp.Expression, of_terms: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """How many nodes a tree has and how many levels, where each term has those that are known of it."""
    nodes, deepest, depth, level = 0, 0, 0, [tree]
    while level:
        depth += 1
        inner = list[exp.Expression]()
        for node in level:
            if not isinstance(node, exp.Column):
                nodes += 1
                inner += node.iter_expressions()
                continue
            more, below = of_terms.get(node.name, (1, 1))
            # A term that is another term and nothing else is a level: it is walked as one.
            below += node is tree and node.name in of_terms
            nodes, deepest = nodes + more, max(deepest, depth - 1 + below)
        deepest, level = max(deepest, depth), inner
    return nodes, deepest


def _unmeasured(tree: exp.Expression, vocabulary: Vocabulary) -> Iterator[str]:
    """The terms of a tree, and of those, that are not measured yet, each behind those that it uses."""
    waiting: list[tuple[str | None, Iterator[str]]] = [(None, iter(find_terms(tree, vocabulary)))]
    while waiting:
        term, used = waiting[-1]
        name = next((each for each in used if each not in vocabulary.extents), None)
        if name is not None:
            waiting.append((name, iter(find_terms(vocabulary.terms[name], vocabulary))))
            continue
        waiting.pop()
        if term is not None:
            yield term


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
        raise ExpressionError(f"{tree.sql()!r} is not allowed here; allowed: {ALLOWED}", find_column(tree))

    def literal(self, tree: exp.Literal) -> Type:
        """A quoted text, a whole number or a number; numbers have 64 bits in every executor."""
        if tree.is_string:
            return TEXT
        whole, text = tree.is_int, str(tree.this)
        # No whole number of 64 bits has more digits, and Python turns no number of very many into one.
        fits = len(text) <= MOST_DIGITS and (abs(int(text)) <= LARGEST_NUMBER if whole else isfinite(float(text)))
        if not fits:
            raise ExpressionError(f"{quote_value(text)} does not fit into 64 bits", find_column(tree))
        value = int(text) if whole else float(text)
        return Type("whole" if whole else "number", (), value, value)

    def word(self, tree: exp.Column) -> Type:
        name = tree.name
        if tree.table:
            raise ExpressionError(f"{tree.sql()!r} is not a word; words have no dots", find_column(tree))
        if name in self.vocabulary.terms:
            return self.term(name)
        known = self.vocabulary.words.get(name)
        if known is None:
            near = suggest_word(name, self.vocabulary.names())
            raise ExpressionError(f"{name!r} is not an attribute, a derived fact or a term{near}", find_column(tree))
        if known.about == "subject" and not self.per_subject:
            raise ExpressionError(
                f"{name!r} is an attribute of one {self.vocabulary.subject}; here it may stand only inside COUNT_IF(…)",
                find_column(tree),
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
            raise ExpressionError(f"{tree.sql()!r} is {found}, expected {wanted}", find_column(tree))
        return wanted

    def comparison(self, tree: exp.Expression) -> Type:
        left, right = self.check(tree.this), self.check(tree.expression)
        same = (left.is_number and right.is_number) or left.kind == right.kind != "names"
        if not same:
            raise ExpressionError(f"{tree.sql()!r} compares {left} with {right}", find_column(tree))
        if isinstance(tree, ORDERINGS) and not left.is_number:
            raise ExpressionError(f"{tree.sql()!r} orders {left}; only numbers have an order", find_column(tree))
        self.same_words(tree, left, tree.expression)
        self.same_words(tree, right, tree.this)
        return BOOLEAN

    def same_words(self, tree: exp.Expression, of: Type, value: exp.Expression) -> None:
        if of.words and isinstance(value, exp.Literal) and value.this not in of.words:
            near = suggest_word(value.this, of.words)
            listed = ", ".join(filter(None, of.words))
            raise ExpressionError(f"{value.this!r} is never a value here; allowed: {listed}{near}", find_column(tree))

    def membership(self, tree: exp.In) -> Type:
        found = self.check(tree.this)
        if tree.args.get("query") or not tree.expressions:
            raise ExpressionError(f"{tree.sql()!r}: IN takes a list of values", find_column(tree))
        for value in tree.expressions:
            if not isinstance(value, exp.Literal):
                raise ExpressionError(f"{tree.sql()!r}: IN takes a list of values", find_column(tree))
            self.expect(value, found)
            self.same_words(tree, found, value)
        return BOOLEAN

    def case(self, tree: exp.Case) -> Type:
        if tree.this is not None or tree.args.get("default") is None:
            raise ExpressionError(f"{tree.sql()!r}: write CASE WHEN … THEN … ELSE … END", find_column(tree))
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
            raise ExpressionError(f"{tree.this.sql()!r} is {names}, expected a list of names", find_column(tree))
        self.expect(tree.expression, TEXT)
        self.same_words(tree, names, tree.expression)
        return BOOLEAN

    def arithmetic(self, tree: exp.Expression) -> Type:
        left, right = self.check(tree.this), self.check(tree.expression)
        if not (left.is_number and right.is_number):
            raise ExpressionError(f"{tree.sql()!r}: only numbers can be reckoned with", find_column(tree))
        if isinstance(tree, exp.Div) and not self.is_never_zero(tree.expression):
            said = f"{tree.sql()!r} divides by {tree.expression.sql()!r}, which can be 0; allowed: {DIVISORS}"
            raise ExpressionError(said, find_column(tree))
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
            raise ExpressionError(said, find_column(tree))
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
