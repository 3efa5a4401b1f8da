"""Equivalence classes of choices: choices that differ only in names leave the same places of their lists."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, get_type_hints

from attrs import field, fields, frozen

from mqclause.executors.operations import CarriedValues, Let, LoweredRuleset, Rank
from mqclause.executors.pipeline import Pipeline
from mqclause.language import nodes
from mqclause.language.parser import find_words
from mqclause.model.facts.domains import Words
from mqclause.model.facts.workload import Destination, Situation

MOST_CLASSES = 4096
"""Of how many kinds an answer is kept."""


def _names_in(of: type[Any]) -> tuple[str, ...]:
    """The fields that hold names: text, or texts, of no closed list of words."""
    kinds = get_type_hints(of)
    texts = (each for each in fields(of) if kinds[each.name] in (str, tuple[str, ...], tuple[str, str]))
    return tuple(each.name for each in texts if not isinstance(each.metadata.get("domain"), Words))


def _reader(of: type[Any], names: Sequence[str]) -> tuple[Callable[[Any], tuple[Any, ...]], ...]:
    others = [each.name for each in fields(of) if each.name not in names]
    return attrgetter(*others), attrgetter(*names)


SITUATION_NAMES, DESTINATION_NAMES = _names_in(Situation), _names_in(Destination)
NAME_ATTRIBUTES = frozenset({*SITUATION_NAMES, *DESTINATION_NAMES})
_SITUATION, _DESTINATION = _reader(Situation, SITUATION_NAMES), _reader(Destination, DESTINATION_NAMES)


@frozen(cache_hash=True)
class EquivalenceClass:
    """A situation and its destinations, equal to others that differ in names alone, where rules do not go by these.

    Which names are the same as one another is part of it. ``carried`` are the counters that go before the facts'.
    """

    told_by: tuple[object, ...]
    situation: Situation = field(eq=False, repr=False)
    listed: tuple[Destination, ...] = field(eq=False, repr=False)
    carried: CarriedValues | None = field(eq=False, repr=False)

    @classmethod
    def of(
        cls, course: Pipeline, seen: Situation, listed: tuple[Destination, ...], carried: CarriedValues | None
    ) -> EquivalenceClass:
        """Return the kind of a choice by the rules of ``course``."""
        numbers: dict[object, object] = {}
        number: Callable[[object], object] = (
            (lambda name: name) if has_name_tests(course) else lambda name: numbers.setdefault(name, len(numbers))
        )
        values, names = _SITUATION
        told: list[object] = [values(seen)]
        for name in names(seen):
            told += map(number, name) if isinstance(name, tuple) else [name and number(name)]
        values, names = _DESTINATION
        for each in listed:
            told += values(each), *[name and number(name) for name in names(each)]
        if carried is not None:
            told.append(tuple(carried.get(each.counter) for each in listed))
        return cls(tuple(told), seen, listed, carried)


@lru_cache
def has_name_tests(course: Pipeline) -> bool:
    """Return whether a rule looks into a name or at the order of names, beyond equality and blankness."""
    return any(_looks_into_names(steps) for steps in course.steps)


@lru_cache(maxsize=256)
def _looks_into_names(steps: LoweredRuleset) -> bool:
    looking, before = set[str](), -1
    while before < len(looking):  # a term may stand on another one
        before = len(looking)
        looking |= {name for name, tree in steps.vocabulary.terms.items() if _is_of_names(tree, looking)}
    return any(_is_of_names(tree, looking) for tree in _deciding(steps))


def _is_of_names(tree: nodes.Expression, terms: Collection[str]) -> bool:
    words, names = _looked_at(tree)
    return bool(names) or not words.isdisjoint(terms)


@lru_cache(maxsize=4096)
def _looked_at(tree: nodes.Expression) -> tuple[frozenset[str], frozenset[str]]:
    """The words of an expression, and those of them that are names of which more is asked than equality."""
    looking = (test for test in (nodes.Paren(tree), *tree.walk()) if not _only_compares(test))
    words = (each.name for test in looking for each in test.parts if isinstance(each, nodes.Column))
    return frozenset(find_words(tree)), frozenset(words) & NAME_ATTRIBUTES


def _deciding(steps: LoweredRuleset) -> Iterator[nodes.Expression]:
    """Every expression in which a name could decide: not those that only say by which attributes there are groups."""
    ordering = (step for step in steps.steps if isinstance(step, Rank | Let))
    ranked = {id(tree) for step in ordering for tree in _values(step)}
    return (tree for tree in steps.expressions() if id(tree) in ranked or not isinstance(tree, nodes.Column))


def _values(step: Rank | Let) -> list[nodes.Expression]:
    return [each.by for each in step.keys] if isinstance(step, Rank) else [each.value for each in step.values]


def _only_compares(test: nodes.Expression) -> bool:
    """Whether it is only asked if a name is that of another column, or blank."""
    return isinstance(test, nodes.EQ | nodes.NEQ | nodes.ArrayContains) and all(map(_is_plain, test.parts))


def _is_plain(side: Any) -> bool:
    return isinstance(side, nodes.Column) or (isinstance(side, nodes.Literal) and side.this == "")
