"""Unfulfilled: what there is to say of a condition of the checks that an object does not fulfil."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from mqclause.executors.course import Course
from mqclause.executors.plain import first_scope
from mqclause.executors.run import Applied, Run
from mqclause.language.evaluate import evaluate
from mqclause.rulebook.rule import Because, Holds, Rule
from mqclause.trace.record import scope_of, seen_by
from mqclause.trace.sentence import sentence

DERIVED = Applied._fields.index("derived")
"""Where a trace has what a step derived."""


@frozen
class Unfulfilled:
    """One rule whose condition does not hold: how grave that is, about which attribute, what to say and what mends it.

    The remedy is to be typed, if it is ``typed``; else it is advice.
    """

    rule: Rule
    severity: str
    attribute: str
    message: str
    remedy: str = ""
    typed: bool = False


def unfulfilled(course: Course, about: Any, run: Run) -> Iterator[Unfulfilled]:
    """What a traced run of the checks found of the object ``about``: conditions with a severity that do not hold."""
    ruleset = course.rulesets[0]
    for rule, did in zip(ruleset.rules, run.trace or (), strict=True):
        if did is not None and rule.severity and (derived := did[DERIVED]) and not derived["holds"]:
            yield _said(course, about, run, rule)


def _said(course: Course, about: Any, run: Run, rule: Rule) -> Unfulfilled:
    ruleset = course.rulesets[0]
    first = first_scope(course.steps[0], about, (), None, {})
    scope = scope_of(list(seen_by(ruleset, run, (), first))[ruleset.rules.index(rule)], first)
    severity = next((name for name, when in rule.graver if evaluate(when, scope)), rule.severity)
    attribute = sentence(ruleset, rule, None, scope, Because(rule.attribute)).lower()
    message, remedy, typed = sentence(ruleset, rule, None, scope), "", False
    for each in rule.action.remedies if isinstance(rule.action, Holds) else ():
        text = each.command or each.advice
        if text is not None and (each.when is None or evaluate(each.when, scope)):
            remedy, typed = sentence(ruleset, rule, None, scope, text), each.command is not None
            break
    return Unfulfilled(rule, severity, attribute, message, remedy, typed)
