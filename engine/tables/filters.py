"""Filters as bindings: each looks at every subject alone."""

from __future__ import annotations

from collections.abc import Sequence

from mqclause.executors.steps import Filter
from mqclause.language.sql import Node, both, case, either, equal, is_false, literal, negated, when
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.standing import Standing


def eliminate(standing: Standing, filters: Sequence[Filter]) -> None:
    """Those of whom any of the filters' conditions holds are out."""
    meaning, step = standing.meaning, filters[0]
    wheres = [(meaning.of(each.where), literal(each.rule.id)) for each in filters]
    fell = either(where for where, _ in wheres)
    condition = standing.applies(step, standing.is_open, either(meaning.may_hold(each.where) for each in filters))
    if not is_false(condition):
        standing.kept(step.rule, negated(fell), condition, case(wheres) if len(wheres) > 1 else None)


def set_aside(standing: Standing, step: Filter) -> None:
    """Those of whom the condition holds are listed apart."""
    before, where = standing.remaining, standing.meaning.of(step.where)
    condition = standing.applies(step, standing.is_open, standing.meaning.may_hold(step.where))
    found = when(condition, F.those(before, where), F.NOBODY)
    standing.kept(step.rule, negated(where), condition)
    aside = found if standing.aside is F.NOBODY else F.joined(standing.aside, found)
    standing.aside = standing.bind(step.rule, "aside", aside)


def take_back(standing: Standing, step: Filter) -> None:
    """Those set aside of whom the condition holds remain again, each in its place."""
    before, aside, where = standing.remaining, standing.aside, standing.meaning.of(step.where)
    condition = standing.applies(step, standing.is_open, F.more_than(aside, 0))
    if aside is F.NOBODY or is_false(condition):
        return
    taken = F.those(aside, where)
    after = when(condition, standing.as_listed(F.joined(before, taken)), before)
    standing.remaining = standing.bind(step.rule, "left", after)
    left = when(condition, F.those(aside, negated(where)), aside)
    standing.aside = standing.bind(step.rule, "aside", left)


def choose(standing: Standing, filters: Sequence[Filter]) -> None:
    """Of consecutive choices the first that finds anybody decides, so all can look at the same list."""
    remaining, last = standing.remaining, filters[-1].rule
    found: list[tuple[Node, Node]] = []
    by: list[tuple[Node, Node]] = []
    for step in filters:
        where = standing.meaning.of(step.where)
        condition = standing.applies(step, standing.is_open, standing.meaning.may_hold(step.where))
        if not (is_false(condition) or is_false(where)):
            those = F.those(remaining, where)
            those = standing.turned(those) if step.last_first else those
            chosen = standing.bind(step.rule, "chosen", when(condition, those, F.NOBODY))
            found.append((F.more_than(chosen, 0), chosen))
            by.append((F.more_than(chosen, 0), literal(step.rule.id)))
    if found:
        standing.left(last, case(found, remaining), standing.bind(last, "by", case(by)))
        still_open = both(*(equal(F.length_of(chosen), 0) for _, chosen in found))
        standing.ended = standing.bind(last, "ended", either([standing.ended, negated(still_open)]))
        standing.is_open = standing.bind(last, "open", both(standing.is_open, negated(standing.ended)))
