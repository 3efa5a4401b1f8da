"""What a search for changes gives other values: read off the rules, and off the destinations of a decision."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from attrs import fields
from sqlglot import exp

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.kind import MOST_KINDS
from mqclause.executors.course import Course
from mqclause.executors.steps import Let
from mqclause.language.check import COMPARISONS
from mqclause.model.facts.destination import Destination


def looked_at(course: Course) -> set[str]:
    """The attributes that decide who remains, or whether a rule applies."""
    return {column.name for tree in _deciding(course) for column in tree.find_all(exp.Column)}


def numbers_for(attribute: str, decision: Decision) -> list[int]:
    """The numbers that a destination's attribute may get.

    They are those that it, or another one of its range, is of some destination, those that a rule compares it with, and
    those next to them, in its range.
    """
    domains: dict[str, Any] = {each.name: each.metadata.get("domain") for each in fields(Destination)}
    domain = domains[attribute]
    alike = [name for name, other in domains.items() if other == domain]
    found = {getattr(each, name) for each in decision.listed for name in alike}
    found |= _compared(decision.course).get(attribute, set())
    near = {number + step for number in found for step in (-1, 0, 1)}
    return sorted(number for number in near if domain.low <= number <= domain.high)


def _deciding(course: Course) -> Iterator[exp.Expression]:
    """The expressions of all rules and terms, without what a destination gets by being chosen."""
    for steps in course.steps:
        advancing = {id(value.value) for step in steps.steps if isinstance(step, Let) and step.of == "chosen"
                     for value in step.values}  # fmt: skip
        for tree in (*steps.expressions(), *steps.vocabulary.terms.values()):
            if id(tree) not in advancing and isinstance(tree, exp.Expression):
                yield tree


@lru_cache(MOST_KINDS)
def _compared(course: Course) -> Mapping[str, set[int]]:
    """The whole numbers that rules compare words with, by word."""
    found = defaultdict[str, set[int]](set)
    for tree in _deciding(course):
        for test in tree.find_all(*COMPARISONS):
            for word, number in ((test.left, test.right), (test.right, test.left)):
                if isinstance(word, exp.Column) and number.is_int:
                    found[word.name].add(number.to_py())
    return found
