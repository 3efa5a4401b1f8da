"""Find the tree of a condition, kept ready or parsed, and check it against a vocabulary.

An expression is two-valued: every attribute has a value, so there is no NULL. An error names the column and what is
allowed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import floor, inf, isfinite

from mqclause.language import nodes
from mqclause.language.nodes import (
    ARITHMETIC,
    ARITHMETIC_FUNCTIONS,
    COMPARISONS,
    MOST_LEVELS,
    ORDERINGS,
    TOO_DEEP,
    Expression,
    ExpressionError,
    find_column,
    strip_parentheses,
)
from mqclause.language.prebuilt import find_order, find_tree
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

MOST_NODES = 10_000
"""Nodes of an expression with all that its terms stand for: what is generated of it has as many parts."""

DIVISORS = "a number other than 0, or an attribute whose domain leaves out 0"
MOST_DIGITS = 400
"""Digits of a number."""


@lru_cache(maxsize=4096)
def parse_unchecked(text: str) -> Expression:
    """Parse ``text`` without checking words and types; the same text gives the same tree. Raises ExpressionError.

    Nobody changes a tree.
    """
    kept = find_tree(text)
    return parse_condition(text) if kept is None else kept


def parse_condition(text: str) -> Expression:
    """Parse ``text`` as a condition, without checking words and types. Raises ExpressionError for anything else."""
    from mqclause.language.syntax import read_condition  # noqa: PLC0415 - it loads sqlglot

    tree = strip_parentheses(read_condition(text))
    check_extent(tree)
    return tree


def check_extent(tree: Expression, vocabulary: Vocabulary | None = None) -> None:
    """Raise ExpressionError for a tree that is nested too deep or too large, with all that its terms stand for."""
    extents = dict[str, tuple[int, int]]()
    if vocabulary is not None:
        extents = vocabulary.extents
        if not find_terms(tree, vocabulary).keys() <= extents.keys():
            for term in _unmeasured(tree, vocabulary):
                extents[term] = _extent(vocabulary.terms[term], extents)
    size, depth = _extent(tree, extents)
    if depth > MOST_LEVELS:
        raise ExpressionError(TOO_DEEP)
    if size > MOST_NODES:
        raise ExpressionError(f"is too large when its terms are put in; allowed: {MOST_NODES} parts")


def find_terms(tree: Expression, vocabulary: Vocabulary) -> dict[str, None]:
    """Find the terms that a tree names, each once."""
    return {each: None for each in find_words(tree) if each in vocabulary.terms}


def find_used_terms(trees: Iterable[Expression], vocabulary: Vocabulary) -> dict[str, None]:
    """Find the terms that trees name, and those that these use, in the order in which they are met."""
    waiting, found = [*trees], dict[str, None]()
    for tree in waiting:
        for term in find_terms(tree, vocabulary):
            if term not in found:
                found[term] = None
                waiting.append(vocabulary.terms[term])
    return found


@lru_cache(maxsize=4096)
def find_words(tree: Expression) -> tuple[str, ...]:
    """Find the words that a tree names, each once: attributes, derived facts and terms."""
    return tuple(dict.fromkeys(column.name for column in tree.find_all(nodes.Column)))


def find_stated_name_fault(name: str) -> str:
    """Say what is wrong with a name that a rule file gives to a fact or a term; blank if nothing is."""
    if name.startswith(RESERVED_PREFIX):
        return f"is not a name for rules to give; allowed: one that does not begin with {RESERVED_PREFIX}"
    if fault := find_name_fault(name):
        return fault
    try:
        is_word = parse_unchecked(name) == nodes.Column(name)
    except ExpressionError:
        is_word = False
    return "" if is_word else "is a word of SQL; allowed: a name that is none"


def expand_terms(tree: Expression, vocabulary: Vocabulary, besides: Container[str] = ()) -> Expression:
    """Replace every term in ``tree`` by its expression, ``besides`` those."""

    def replace(node: Expression) -> Expression:
        if isinstance(node, nodes.Column) and node.name in vocabulary.terms and node.name not in besides:
            return nodes.Paren(expand_terms(vocabulary.terms[node.name], vocabulary, besides))
        return node

    return tree.transform(replace)


def has_count(tree: Expression | None, vocabulary: Vocabulary | None = None) -> bool:
    """Return whether an expression counts who remains; with a vocabulary, also by its terms."""
    if tree is None:
        return False
    terms = vocabulary.terms if vocabulary else {}
    by_term = (has_count(terms[each], vocabulary) for each in find_words(tree) if each in terms)
    return tree.find(nodes.CountIf) is not None or any(by_term)


def find_literal_texts(tree: Expression, vocabulary: Vocabulary) -> Iterator[str]:
    """Find the texts that an expression itself has for a value, in each branch, also by way of terms."""
    match tree:
        case nodes.Paren():
            yield from find_literal_texts(tree.this, vocabulary)
        case nodes.Column() if tree.name in vocabulary.terms:
            yield from find_literal_texts(vocabulary.terms[tree.name], vocabulary)
        case nodes.Literal() if tree.is_string:
            yield tree.this
        case nodes.Case():
            for value in tree.values:
                yield from find_literal_texts(value, vocabulary)


def parse(text: str, vocabulary: Vocabulary, per_subject: bool) -> Expression:
    """Parse ``text`` and check its words and types.

    ``per_subject`` says whether attributes of a destination may stand outside COUNT_IF. Raises
    ExpressionError.
    """
    tree = parse_unchecked(text)
    check_extent(tree, vocabulary)
    infer_type(tree, vocabulary, per_subject)
    return tree


def parse_order(text: str, vocabulary: Vocabulary) -> tuple[Expression, bool]:
    """Parse a sort order like ``rank DESC``: its expression, and whether the highest is first.

    Raises ExpressionError.
    """
    kept = find_order(text)
    if kept is None:
        from mqclause.language.syntax import read_order  # noqa: PLC0415 - it loads sqlglot

        kept = read_order(text)
    tree, descending = kept
    check_extent(tree, vocabulary)
    found = infer_type(tree, vocabulary, per_subject=True)
    if not (found.is_number or found.kind == "boolean"):
        raise ExpressionError(f"{tree.sql()!r} is {found}, which has no order; only numbers and truth values have")
    return strip_parentheses(tree), descending


def infer_type(tree: Expression, vocabulary: Vocabulary, per_subject: bool) -> Type:
    """Infer the type of an expression, after checking all of it. Raises ExpressionError."""
    return _Checker(vocabulary, per_subject).check(tree)


def _extent(tree: Expression, of_terms: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """How many nodes a tree has and how many levels, where each term has those that are known of it."""
    size, deepest, depth, level = 0, 0, 0, [tree]
    while level:
        depth += 1
        inner = list[Expression]()
        for node in level:
            if not isinstance(node, nodes.Column):
                size += 1
                inner += node.parts
                continue
            more, below = of_terms.get(node.name, (1, 1))
            # A term that is another term and nothing else is a level: it is walked as one.
            below += node is tree and node.name in of_terms
            size, deepest = size + more, max(deepest, depth - 1 + below)
        deepest, level = max(deepest, depth), inner
    return size, deepest


def _unmeasured(tree: Expression, vocabulary: Vocabulary) -> Iterator[str]:
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

    def check(self, tree: Expression) -> Type:
        match tree:
            case nodes.Paren():
                return self.check(tree.this)
            case nodes.Column():
                return self.word(tree)
            case nodes.Boolean():
                return BOOLEAN
            case nodes.Literal():
                return self.literal(tree)
            case nodes.And() | nodes.Or():
                self.expect(tree.this, BOOLEAN)
                return self.expect(tree.expression, BOOLEAN)
            case nodes.Not():
                return self.expect(tree.this, BOOLEAN)
            case nodes.In():
                return self.membership(tree)
            case nodes.Case():
                return self.case(tree)
            case nodes.Floor():
                self.expect(tree.this, NUMBER)
                found = self.check(tree.this)
                return self.fitting(tree, "whole", [found.least, found.most])
            case nodes.ArrayContains():
                return self.contains(tree)
            case nodes.CountIf():
                _Checker(self.vocabulary, per_subject=True).expect(tree.this, BOOLEAN)
                return WHOLE
        if isinstance(tree, COMPARISONS):
            return self.comparison(tree)
        assert isinstance(tree, ARITHMETIC)  # noqa: S101 - the language has no other node
        return self.arithmetic(tree)

    def literal(self, tree: nodes.Literal) -> Type:
        """A quoted text, a whole number or a number; numbers have 64 bits in every executor."""
        if tree.is_string:
            return TEXT
        whole, text = tree.is_int, tree.this
        # No whole number of 64 bits has more digits, and Python turns no number of very many into one.
        fits = len(text) <= MOST_DIGITS and (abs(int(text)) <= LARGEST_NUMBER if whole else isfinite(float(text)))
        if not fits:
            raise ExpressionError(f"{quote_value(text)} does not fit into 64 bits", find_column(tree))
        value = int(text) if whole else float(text)
        return Type("whole" if whole else "number", (), value, value)

    def word(self, tree: nodes.Column) -> Type:
        name = tree.name
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

    def expect(self, tree: Expression, wanted: Type) -> Type:
        found = self.check(tree)
        fits = found.is_number if wanted.is_number else found.kind == wanted.kind
        if not fits:
            raise ExpressionError(f"{tree.sql()!r} is {found}, expected {wanted}", find_column(tree))
        return wanted

    def as_number(self, tree: Expression, found: Type) -> None:
        """Raise ExpressionError where a large whole number is compared with one that may be neither whole nor exact.

        Python compares the two as they are, SQL rounds the whole one before.
        """
        is_count = isinstance(tree, nodes.CountIf)  # of which there is no bound, but no such number of subjects
        if found.kind == "whole" and not (found.is_exact or is_count):
            said = f"{tree.sql()!r} can be a whole number beyond 2^53, which is not exact beside one that is not whole"
            raise ExpressionError(f"{said}; allowed: whole numbers alone, or a quotient", find_column(tree))

    def comparison(self, tree: nodes.Binary) -> Type:
        left, right = self.check(tree.this), self.check(tree.expression)
        same = (left.is_number and right.is_number) or left.kind == right.kind != "names"
        if not same:
            raise ExpressionError(f"{tree.sql()!r} compares {left} with {right}", find_column(tree))
        if isinstance(tree, ORDERINGS) and not left.is_number:
            raise ExpressionError(f"{tree.sql()!r} orders {left}; only numbers have an order", find_column(tree))
        if left.kind == "number" and not right.is_exact and left.may_round:
            self.as_number(tree.expression, right)
        if right.kind == "number" and not left.is_exact and right.may_round:
            self.as_number(tree.this, left)
        self.same_words(tree, left, tree.expression)
        self.same_words(tree, right, tree.this)
        return BOOLEAN

    def same_words(self, tree: Expression, of: Type, value: Expression) -> None:
        if of.words and isinstance(value, nodes.Literal) and value.this not in of.words:
            near = suggest_word(value.this, of.words)
            listed = ", ".join(filter(None, of.words))
            raise ExpressionError(f"{value.this!r} is never a value here; allowed: {listed}{near}", find_column(tree))

    def membership(self, tree: nodes.In) -> Type:
        found = self.check(tree.this)
        for value in tree.expressions:
            self.expect(value, found)
            if (of := self.check(value)).kind == "number" and of.may_round:
                self.as_number(tree.this, found)
            self.same_words(tree, found, value)
        return BOOLEAN

    def case(self, tree: nodes.Case) -> Type:
        result = self.check(tree.default)
        found = [result]
        for branch in tree.branches:
            self.expect(branch.when, BOOLEAN)
            self.expect(branch.then, result)
            found.append(self.check(branch.then))
        if result.is_number:
            kind: WordKind = "whole" if all(each.kind == "whole" for each in found) else "number"
            for value in tree.values if kind == "number" else ():
                self.as_number(value, self.check(value))
            return self.fitting(tree, kind, [end for each in found for end in (each.least, each.most)])
        return result if not result.words else TEXT

    def contains(self, tree: nodes.ArrayContains) -> Type:
        names = self.check(tree.this)
        if names.kind != "names":
            raise ExpressionError(f"{tree.this.sql()!r} is {names}, expected a list of names", find_column(tree))
        self.expect(tree.expression, TEXT)
        self.same_words(tree, names, tree.expression)
        return BOOLEAN

    def arithmetic(self, tree: nodes.Binary) -> Type:
        left, right = self.check(tree.this), self.check(tree.expression)
        if not (left.is_number and right.is_number):
            raise ExpressionError(f"{tree.sql()!r}: only numbers can be reckoned with", find_column(tree))
        if isinstance(tree, nodes.Div) and not self.is_never_zero(tree.expression):
            said = f"{tree.sql()!r} divides by {tree.expression.sql()!r}, which can be 0; allowed: {DIVISORS}"
            raise ExpressionError(said, find_column(tree))
        whole = left.kind == right.kind == "whole" and not isinstance(tree, nodes.Div)
        return self.within(tree, left, right, "whole" if whole else "number")

    def within(self, tree: nodes.Binary, left: Type, right: Type, kind: WordKind) -> Type:
        """The type of a sum, difference, product or quotient, which has to stay within 64 bits where known."""
        if None in (left.least, left.most, right.least, right.most):
            return Type(kind)
        reckoned, others = ARITHMETIC_FUNCTIONS[type(tree)], (right.least, right.most)
        try:
            ends = [reckoned(one, other) for one in (left.least, left.most) for other in others]
        except OverflowError:
            ends = [inf]
        return self.fitting(tree, kind, ends)

    def fitting(self, tree: Expression, kind: WordKind, ends: Sequence[float | None]) -> Type:
        """The type of a number that is between the least and the most of ``ends``, if all are known."""
        known = [each for each in ends if each is not None]
        if any(abs(each) > LARGEST_NUMBER if kind == "whole" else not isfinite(each) for each in known):
            said = f"{tree.sql()!r} can be a number that does not fit into 64 bits"
            raise ExpressionError(said, find_column(tree))
        if len(known) < len(ends):
            return Type(kind)
        least, most = min(known), max(known)
        return Type(kind, (), floor(least), floor(most)) if kind == "whole" else Type(kind, (), least, most)

    def is_never_zero(self, tree: Expression) -> bool:
        """Whether the types show that a number is not zero."""
        match tree:
            case nodes.Paren():
                return self.is_never_zero(tree.this)
            case nodes.Literal():
                return float(tree.this) != 0
            case nodes.Column() if tree.name in self.vocabulary.terms:
                return self.is_never_zero(self.vocabulary.terms[tree.name])
            case nodes.Column():
                word = self.vocabulary.words[tree.name]
                # A fact that no rule has derived yet is 0.
                return not word.is_derived and word.type.least is not None and word.type.least > 0
            case nodes.Mul():
                # Of numbers that are very small the product is 0.
                is_whole = self.check(tree).kind == "whole"
                return is_whole and self.is_never_zero(tree.this) and self.is_never_zero(tree.expression)
            case nodes.Case():
                return all(map(self.is_never_zero, tree.values))
        return False
