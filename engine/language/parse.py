"""The condition language: SQL expressions, parsed by sqlglot to trees. They are checked in mqclause.language.check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from logging import LogRecord, getLogger

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from mqclause.language.vocabulary import OF_OURS, Vocabulary, fault_of_name

ALLOWED = (
    "AND, OR, NOT, = <> < <= > >=, + - * /, IN (…), CASE WHEN … THEN … ELSE … END, "
    "FLOOR(x), ARRAY_CONTAINS(names, name), COUNT_IF(condition)"
)

LONGEST = 10_000
"""Characters of an expression."""

DEEPEST = 60
"""Levels of an expression, one in another: what is generated of it has to stay within the limits of its language."""

MOST_NODES = 10_000
"""Nodes of an expression with all that its terms stand for: what is generated of it has as many parts."""

TOO_DEEP = f"is nested too deep; allowed: {DEEPEST} levels"


class ExpressionError(ValueError):
    """An expression that is not in the language; ``column`` counts from 1, or is None where it is not known."""

    def __init__(self, message: str, column: int | None = None) -> None:
        self.column = column
        super().__init__(message if column is None else f"column {column}: {message}")


@lru_cache(maxsize=4096)
def parse_unchecked(text: str) -> exp.Expression:
    """``text`` as a tree whose words and types are not checked yet, the same for the same text. Raises ExpressionError.

    Nobody changes a tree: what is made of one is made of a copy.
    """
    try:
        tree = tree_of(text, exp.Condition)
    except ExpressionError:
        # What is no expression may be a statement, of which more can be said.
        tree = tree_of(text)
    tree = unwrapped(tree)
    check_extent(tree)
    return tree


def tree_of(text: str, into: type[exp.Condition] | type[exp.Ordered] | None = None) -> exp.Expression:
    """The tree of ``text``, of the kind ``into`` if that is given. Raises ExpressionError."""
    if len(text) > LONGEST:
        raise ExpressionError(f"has {len(text)} characters; allowed: {LONGEST}")
    try:
        tree = sqlglot.parse_one(text, into=into) if into else _statement(text)
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


def _statement(text: str) -> exp.Expr:
    """The tree of a statement. Of one that it does not know, sqlglot logs a line; ours is told instead."""
    log = getLogger("sqlglot")
    log.addFilter(_nothing)
    try:
        return sqlglot.parse_one(text)
    finally:
        log.removeFilter(_nothing)


def _nothing(_: LogRecord) -> bool:
    return False


def check_extent(tree: exp.Expression, vocabulary: Vocabulary | None = None) -> None:
    """Raises ExpressionError for a tree that is nested too deep or too large, with all that its terms stand for."""
    extents = dict[str, tuple[int, int]]()
    if vocabulary is not None:
        extents = vocabulary.extents
        for term in _unmeasured(tree, vocabulary):
            extents[term] = _extent(vocabulary.terms[term], extents)
    nodes, depth = _extent(tree, extents)
    if depth > DEEPEST:
        raise ExpressionError(TOO_DEEP)
    if nodes > MOST_NODES:
        raise ExpressionError(f"is too large when its terms are put in; allowed: {MOST_NODES} parts")


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
    waiting: list[tuple[str | None, Iterator[str]]] = [(None, iter(terms_in(tree, vocabulary)))]
    while waiting:
        term, used = waiting[-1]
        name = next((each for each in used if each not in vocabulary.extents), None)
        if name is not None:
            waiting.append((name, iter(terms_in(vocabulary.terms[name], vocabulary))))
            continue
        waiting.pop()
        if term is not None:
            yield term


def terms_in(tree: exp.Expression, vocabulary: Vocabulary) -> dict[str, None]:
    """The terms that a tree names, each once."""
    return dict.fromkeys(each.name for each in tree.find_all(exp.Column) if each.name in vocabulary.terms)


def fault_of_stated_name(name: str) -> str:
    """What is wrong with a name that a rule file gives to a fact or a term; blank if nothing is."""
    if name.startswith(OF_OURS):
        return f"is not a name for rules to give; allowed: one that does not begin with {OF_OURS}"
    if fault := fault_of_name(name):
        return fault
    try:
        found = parse_unchecked(name)
    except ExpressionError:
        found = exp.null()
    return "" if found == exp.column(name) else "is a word of SQL; allowed: a name that is none"


def unwrapped(tree: exp.Expression) -> exp.Expression:
    """``tree`` without brackets that group nothing."""
    while isinstance(tree, exp.Paren):
        tree = tree.this
    return tree


def column_of(tree: exp.Expression) -> int | None:
    """Where in its text a tree begins, counted from 1."""
    starts = [node.meta["start"] for node in tree.find_all(exp.Identifier) if "start" in node.meta]
    return min(starts) + 1 if starts else None


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


def words_given(tree: exp.Expression, vocabulary: Vocabulary) -> Iterator[str]:
    """The texts that an expression itself has for a value, in each branch, also by way of terms."""
    match tree:
        case exp.Paren():
            yield from words_given(tree.this, vocabulary)
        case exp.Column() if tree.name in vocabulary.terms:
            yield from words_given(vocabulary.terms[tree.name], vocabulary)
        case exp.Literal() if tree.is_string:
            yield str(tree.this)
        case exp.Case():
            for branch in (*(each.args["true"] for each in tree.args["ifs"]), tree.args["default"]):
                yield from words_given(branch, vocabulary)
