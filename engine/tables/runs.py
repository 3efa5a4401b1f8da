"""Runs: consecutive rules that do nothing in a row unless it has what they need, and what of them is one pass."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Literal

from mqclause.language.vocabulary import Vocabulary
from mqclause.rulebook.rule import Choose, Eliminate, Expression, Keep, Rule, Ruleset, TakeBack
from mqclause.tables.constant import counts_by_terms

Need = Literal["several", "aside", "nothing"]
"""Several that remain, anybody set aside, or nothing in particular."""

Pass = list[tuple[int, Rule]]
"""Rules that look at the same list of destinations and are written as one, with their numbers from 1."""


def runs(ruleset: Ruleset) -> Iterator[tuple[Need, list[Pass]]]:
    """The rules in order, by what they need, then by passes."""
    for need, run in groupby(enumerate(ruleset.rules, start=1), lambda numbered: _need(numbered[1])):
        together = groupby(run, lambda numbered: _together(numbered, ruleset.vocabulary))
        yield need, [list(rules) for _, rules in together]


def _need(rule: Rule) -> Need:
    match rule.action:
        case Keep() | Choose(where=None):
            return "several"
        case TakeBack():
            return "aside"
    return "nothing"


def _together(numbered: tuple[int, Rule], vocabulary: Vocabulary) -> object:
    """What neighbours have in common that are one pass: eliminations their condition, choices that they are some.

    Who counts has to see what the one before left.
    """
    number, rule = numbered
    match rule.action:
        case Eliminate(where=where) if not (counts(rule.when, vocabulary) or counts(where, vocabulary)):
            return rule.when and rule.when.sql()
        case Choose(where=where) if where is not None:
            return "choose"
    return number


def counts(tree: Expression | None, vocabulary: Vocabulary) -> bool:
    """Whether a condition counts destinations."""
    return tree is not None and counts_by_terms(tree, vocabulary)
