"""Plans: what answers a row of a table of one document, by the rules of all documents of its course."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from attrs import frozen
from sqlglot import exp

from mqclause.executors.steps import Steps
from mqclause.language.parse import expanded
from mqclause.language.sql import Node, case, literal
from mqclause.rulebook.declaration import Declaration
from mqclause.rulebook.rules import Rules
from mqclause.tables.bindings import Bindings, Plan
from mqclause.tables.faults import is_invalid, situation_faults, subjects_fault
from mqclause.tables.functions import NOBODY, DifferingBits, coalesced, column, item
from mqclause.tables.meaning import FIRST, RowMeaning
from mqclause.tables.packing import Packing
from mqclause.tables.shape import Shape
from mqclause.tables.standing import Standing
from mqclause.tables.steps import Writing
from mqclause.tables.words import RowWords


@frozen
class Written:
    """What answers are made of: the rules of each document of the course as they were written, and the row's faults.

    ``invalid`` is the binding that says whether the row has a fault, ``fault`` the text that says which. Without
    subjects there is no ``packing``.
    """

    bindings: Bindings
    course: Sequence[Writing]
    packing: Packing | None
    invalid: Node
    fault: Node


AnswerFields = Callable[[Written], Mapping[str, Node]]
"""The fields of the struct that answers a row."""


@lru_cache(maxsize=64)
def plan_of(
    rules: Rules,
    shape: Shape,
    answer: AnswerFields,
    traced: Declaration | None = None,
    settled: Callable[[Steps], Steps] = lambda steps: steps,
) -> Plan:
    """The plan for tables of that shape, made once. What becomes of each subject is told by the document ``traced``.

    ``settled`` changes the steps of each document. Raises RuleError for a rule that cannot be run on tables.
    """
    course = [settled(each) for each in Steps.course([rules.ruleset(each) for each in shape.about.course])]
    bindings = Bindings()
    words = RowWords.of(shape, bindings)
    packing = Packing.of(shape, _used(course)) if shape.about.subject else None
    listed = _listed(packing, bindings) if packing else NOBODY
    invalid = bindings.bind("invalid", is_invalid(words, packing, shape, listed, bindings))
    written: list[Writing] = []
    facts: dict[str, Node] = {}
    for steps in course:
        meaning = RowMeaning(steps.vocabulary, packing, words, bindings, listed, facts, _at_start(steps, shape))
        writing = Writing(steps, Standing(meaning, listed, traced is steps.ruleset.about))
        writing.write()
        written.append(writing)
        facts = {name: bindings.bind(name, writing.standing.meaning.of(tree)) for name, tree in steps.hands_on.items()}
    found = Written(bindings, written, packing, invalid, _fault(words, packing, shape))
    fields = {name: tree.copy() for name, tree in answer(found).items()}
    made = {rule: names for each in written for rule, names in each.made.items()}
    return Plan(bindings.found, fields, made, packing.legend() if packing else {})


def _listed(packing: Packing, bindings: Bindings) -> Node:
    listed = bindings.bind(f"{packing.listed}_packed", packing.packed())
    bindings.bind("first", coalesced(item(listed, 0), literal(0)))
    bindings.bind("mixed", DifferingBits(this=listed, expression=column(FIRST)))
    return listed


def _at_start(steps: Steps, shape: Shape) -> Mapping[str, Node]:
    """What stands in place of what subjects carry, where that counts as it is before the first choice."""
    carried = steps.ruleset.about.carried
    if carried is None or not shape.from_start:
        return {}
    return {name: literal(value) for name, value in zip(carried.names, carried.start, strict=True)}


def _fault(words: RowWords, packing: Packing | None, shape: Shape) -> Node:
    found = case(situation_faults(words, shape))
    return coalesced(found, subjects_fault(packing, shape)) if packing else found


def _used(course: Sequence[Steps]) -> set[str]:
    """The words that the rules use, also by way of terms."""
    return {
        each.name
        for steps in course
        for tree in steps.expressions()
        for each in expanded(tree, steps.vocabulary).find_all(exp.Column)
    }
