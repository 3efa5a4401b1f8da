"""Search whether conditions can hold together: over the values that make a difference to what they compare.

A condition looks at finitely many attributes, and compares each with finitely many values: those values, others beside
them, and new names where names are compared stand for all that there are. Where that is not so (numbers are reckoned
with), or the search ends before its end, the answer says that it is not exhaustive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, combinations
from typing import Any, NamedTuple

from attrs import define, field, frozen

from mqclause.language import nodes, parser
from mqclause.language.nodes import get_literal_value, strip_parentheses
from mqclause.language.parser import find_used_terms
from mqclause.language.vocabulary import Type, Vocabulary
from mqclause.rulebook.rule import Expression

MOST_LOOKS = 60_000
"""So many times a condition is looked at, in situations some of whose attributes are still open."""

MOST_NAMES = 4
"""So many names that are no others' are tried where names are compared with one another."""

MOST_BESIDE = 8
"""So many numbers beside each that is compared with are tried where numbers are compared with one another."""

COUNT = "COUNT_IF"

Assignment = dict[str, Any]
Truth = Callable[[Assignment], Any]
"""The value of an expression by what is known of its words; None: not known yet."""

_ARITHMETIC = (*nodes.ARITHMETIC, nodes.Floor)
_FUNCTIONS = {**nodes.COMPARISON_FUNCTIONS, **nodes.ARITHMETIC_FUNCTIONS}


class Verdict(NamedTuple):
    """Whether conditions can hold together, and values by which they do; ``exhaustive`` where all were looked at."""

    possible: bool
    exhaustive: bool
    example: Mapping[str, Any] | None = None

    @property
    def impossible(self) -> bool:
        """Whether it is certain that they cannot."""
        return self.exhaustive and not self.possible


@frozen
class Constraint:
    """A condition in words of a ``vocabulary``; ``naming`` calls a word as others do that mean the same by it.

    The ``others`` are to hold with it; ``negated``, one of all these is not to.
    """

    tree: Expression
    vocabulary: Vocabulary
    naming: Callable[[str], str] = str
    others: tuple[Expression, ...] = ()
    negated: bool = False


def find_words(tree: Expression, vocabulary: Vocabulary) -> set[str]:
    """Find the words that an expression looks at, also by way of terms."""
    terms = find_used_terms([tree], vocabulary)
    trees = (tree, *(vocabulary.terms[each] for each in terms))
    return {word for each in trees for word in parser.find_words(each)} - terms.keys()


@define
class _Reader:
    """Reads conditions into functions of what is known, and gathers what they compare."""

    types: dict[str, Type] = field(factory=dict)
    numbers: set[float] = field(factory=set)
    texts: set[str] = field(factory=set)
    mixed: set[str] = field(factory=set)
    """Words that are compared with other words."""

    exhaustive: bool = True
    inside: list[tuple[str, ...]] = field(factory=list)

    def read(self, constraint: Constraint) -> tuple[Truth, tuple[str, ...]]:
        """Read a condition: what tells its truth, and the words that it looks at."""
        words: dict[str, None] = {}
        truth = self._read(constraint.tree, constraint, words)
        for tree in constraint.others:
            truth = _connective(truth, self._read(tree, constraint, words), deciding=False)
        if constraint.negated:
            held = truth
            return (lambda known: None if (found := held(known)) is None else not found), tuple(words)
        return truth, tuple(words)

    def _read(self, tree: Expression, of: Constraint, words: dict[str, None]) -> Truth:
        tree = strip_parentheses(tree)
        match tree:
            case nodes.Literal():
                return self._constant(get_literal_value(tree))
            case nodes.Boolean():
                return self._constant(bool(tree.this))
            case nodes.Column() if tree.name in of.vocabulary.terms:
                return self._read(of.vocabulary.terms[tree.name], of, words)
            case nodes.Column():
                return self._word(of.naming(tree.name), of.vocabulary.words[tree.name].type, words)
            case nodes.CountIf():
                return self._word(of.naming(f"{COUNT}({tree.this.sql()})"), Type("whole", (), 0), words)
            case nodes.Not():
                inner = self._read(tree.this, of, words)
                return lambda known: None if (found := inner(known)) is None else not found
            case nodes.And() | nodes.Or():
                sides = [self._read(each, of, words) for each in (tree.this, tree.expression)]
                return _connective(sides[0], sides[1], isinstance(tree, nodes.Or))
            case nodes.In():
                inner = self._read(tree.this, of, words)
                listed = {get_literal_value(each) for each in tree.expressions}
                for each in listed:
                    self._constant(each)
                return lambda known: None if (found := inner(known)) is None else found in listed
            case nodes.Case():
                return self._case(tree, of, words)
            case nodes.ArrayContains():
                names, name = (self._read(each, of, words) for each in (tree.this, tree.expression))
                self._compared(tree, of)
                return _binary(lambda listed, one: one in listed, names, name)
            case nodes.Floor():
                inner = self._read(tree.this, of, words)
                self.exhaustive = False
                return lambda known: None if (found := inner(known)) is None else int(found // 1)
        assert isinstance(tree, nodes.Binary)  # noqa: S101 - the language has no other node
        left, right = self._read(tree.this, of, words), self._read(tree.expression, of, words)
        self.exhaustive &= not isinstance(tree, _ARITHMETIC)
        self._compared(tree, of)
        return _binary(_FUNCTIONS[type(tree)], left, right)

    def _constant(self, value: Any) -> Truth:
        if isinstance(value, str):
            self.texts.add(value)
        elif not isinstance(value, bool):
            self.numbers.add(value)
        return lambda _: value

    def _word(self, name: str, kind: Type, words: dict[str, None]) -> Truth:
        words[name] = None
        self.types.setdefault(name, kind)
        return lambda known: known.get(name)

    def _compared(self, tree: nodes.Binary, of: Constraint) -> None:
        """Notes the words that are compared with one another."""
        sides = [*map(strip_parentheses, tree.parts)]
        if all(not isinstance(each, nodes.Literal) for each in sides):
            for side in sides:
                self.mixed |= {of.naming(name) for name in find_words(side, of.vocabulary)}
                self.mixed |= {of.naming(f"{COUNT}({each.this.sql()})") for each in side.find_all(nodes.CountIf)}

    def _case(self, tree: nodes.Case, of: Constraint, words: dict[str, None]) -> Truth:
        branches = [(self._read(each.when, of, words), self._read(each.then, of, words)) for each in tree.branches]
        default = self._read(tree.default, of, words)

        def value(known: Assignment) -> Any:
            for condition, result in branches:
                holds = condition(known)
                if holds is None:
                    return None
                if holds:
                    return result(known)
            return default(known)

        return value

    def values(self, name: str, given: Mapping[str, Sequence[Any]]) -> tuple[Any, ...]:
        """The values of a word that make a difference, or the only ones that it can have."""
        if name in given:
            return tuple(given[name])
        kind = self.types[name]
        match kind.kind:
            case "boolean":
                return False, True
            case "text":
                return kind.words or self._names()
            case "names":
                listed = [each for each in self._names() if each]
                has_few = len(listed) <= 2 * MOST_NAMES
                self.exhaustive &= has_few
                return tuple(chain.from_iterable(combinations(listed, size) for size in range(3 if has_few else 2)))
        return self._numbers(name, kind)

    def _names(self) -> tuple[str, ...]:
        """The texts that are compared with, none, and as many others as there are words that could be such."""
        open_words = [name for name in self.mixed if self.types.get(name, Type("text")).kind in ("text", "names")]
        self.exhaustive &= len(open_words) <= MOST_NAMES
        new = (f"NAME{number}" for number in range(1, max(1, min(len(open_words), MOST_NAMES)) + 1))
        return tuple(dict.fromkeys(("", *sorted(self.texts), *new)))

    def _numbers(self, name: str, kind: Type) -> tuple[Any, ...]:
        """What is compared with, and what lies beside: as many as there are numbers that are compared together."""
        together = sum(self.types[each].is_number for each in self.mixed if each in self.types)
        beside = max(1, min(together, MOST_BESIDE))
        self.exhaustive &= together <= MOST_BESIDE
        steps = [number for near in range(1, beside + 1) for number in (-near, near)]
        found = {value + step for value in self.numbers or {0} for step in (0, *steps)}
        found |= {end for end in (kind.least, kind.most) if end is not None and name in self.mixed}
        if kind.kind == "number":
            found |= {value + 0.5 for value in found}
        else:
            found = {int(value) for value in found}
        low, high = kind.least, kind.most
        return tuple(sorted(v for v in found if (low is None or v >= low) and (high is None or v <= high)))


def _connective(left: Truth, right: Truth, deciding: bool) -> Truth:
    """That one of two holds, or both: one that decides is enough."""

    def value(known: Assignment) -> Any:
        one = left(known)
        if one is deciding:
            return deciding
        other = right(known)
        if other is deciding:
            return deciding
        return None if one is None or other is None else not deciding

    return value


def _binary(apply: Callable[[Any, Any], Any], left: Truth, right: Truth) -> Truth:
    def value(known: Assignment) -> Any:
        one, other = left(known), right(known)
        if one is None or other is None:
            return None
        try:
            return apply(one, other)
        except ZeroDivisionError:
            return False

    return value


def search(constraints: Iterable[Constraint], given: Mapping[str, Sequence[Any]] = {}) -> Verdict:
    """Search for values by which all conditions hold. ``given`` are words that can have some values alone."""
    reader = _Reader()
    read = [reader.read(each) for each in constraints]
    domains = {name: reader.values(name, given) for _, words in read for name in words}
    looking = _Search([truth for truth, _ in read], [words for _, words in read], domains)
    found = looking.run({}, range(len(read)))
    return Verdict(found is not None, reader.exhaustive and looking.left > 0, found)


@define
class _Search:
    """Tries values, the words of the first condition that is still open first."""

    truths: Sequence[Truth]
    words: Sequence[Sequence[str]]
    domains: Mapping[str, Sequence[Any]]
    left: int = MOST_LOOKS

    def run(self, known: Assignment, waiting: Sequence[int]) -> Assignment | None:
        """Return values by which the waiting conditions hold; None if there are none, or not enough was tried."""
        self.left -= len(waiting)
        if self.left <= 0:
            return None
        still_open = list[int]()
        for at in waiting:
            holds = self.truths[at](known)
            if holds is None:
                still_open.append(at)
            elif not holds:
                return None
        if not still_open:
            return dict(known)
        name = next(name for name in self.words[still_open[0]] if name not in known)
        for value in self.domains[name]:
            known[name] = value
            if (done := self.run(known, still_open)) is not None:
                return done
        known.pop(name, None)
        return None
