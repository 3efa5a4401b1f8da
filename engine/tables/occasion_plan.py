"""The trigger conditions as a program over one struct, ``occasion``."""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce

from mqclause.rulebook.rule import Conclude, Derive, Rule, Ruleset
from mqclause.tables.binding import Bindings, either
from mqclause.tables.condition import Names, sql_literal
from mqclause.tables.faults import fields_fault
from mqclause.tables.occasion_columns import OCCASION, TRIGGERING
from mqclause.tables.plan import NO_TEXTS, Program, written
from mqclause.tables.row_words import RowWords
from mqclause.tables.steps import Steps


def occasion_program(ruleset: Ruleset, present: Collection[str]) -> Program:
    """What the trigger rules say about ``occasion``; its fields are those of trigger_columns.TRIGGERING.

    ``present`` are the fields of ``occasion`` that the table has. Raises RuleError.
    """
    bindings = Bindings()
    facts: dict[str, str] = {}
    occasion = RowWords("occasion", OCCASION, present, {}, {}, bindings, facts)
    steps = Steps(
        ruleset,
        Names(ruleset.vocabulary, None, occasion.binding, bindings=bindings),
        bindings,
        occasion.constants,
        facts,
    )
    written(steps)
    invalid = bindings.bind("invalid", either(["occasion IS NULL", *(fault for _, fault in occasion.faults())]))
    valid = f"NOT {invalid}"
    rule = bindings.bind("rule", _first_rule(steps))
    outcome = f"WHEN {rule} IS NOT NULL THEN 'triggers' ELSE 'silent' END"
    fault = fields_fault(occasion, "occasion is null; a row needs the occasion that it asks about")
    result = {
        "outcome": f"CASE WHEN {invalid} THEN 'invalid' {outcome}",
        "rule": f"CASE WHEN {valid} THEN {rule} END",
        "available": f"CASE WHEN {valid} THEN {facts['available']} END",
        "turns_off": f"CASE WHEN {valid} THEN {_turns_off(steps)} END",
        "failing": f"CASE WHEN {valid} THEN {_failing(steps)} END",
        "message": f"CASE WHEN {invalid} THEN apart({fault}) END",
    }
    return Program(bindings.found, {name: result[name] for name in TRIGGERING})


def _first_rule(steps: Steps) -> str:
    branches = [
        f"WHEN {steps.concluded[rule.id]} THEN {sql_literal(rule.id)}"
        for rule in steps.ruleset.rules
        if isinstance(rule.action, Conclude) and rule.action.fact == "trigger_message"
    ]
    return f"CASE {' '.join(branches)} ELSE CAST(NULL AS TEXT) END"


def _turns_off(steps: Steps) -> str:
    derives = any(_derives(rule, "trigger_off") for rule in steps.ruleset.rules)
    return steps.facts["trigger_off"] if derives else "FALSE"


def _derives(rule: Rule, fact: str) -> bool:
    return isinstance(rule.action, Derive) and any(name == fact for name, _ in rule.action.values)


def _failing(steps: Steps) -> str:
    """The ids of the conditions that were examined for a conclusion that was asked for, and do not hold."""
    asked: dict[str, list[str]] = {}
    for rule in steps.ruleset.rules:
        if isinstance(rule.action, Conclude):
            for need in rule.action.needs:
                asked.setdefault(need, []).append(steps.asked[rule.id])
    parts = []
    for rule_id, holds in steps.held.items():
        wanted = asked.get(rule_id, [])
        if wanted:
            condition = f"{either(wanted)} AND NOT {holds}"
            parts.append(f"CASE WHEN {condition} THEN [{sql_literal(rule_id)}] ELSE {NO_NAMES} END")
    return reduce(lambda one, other: f"joined({one}, {other})", parts, NO_NAMES)


NO_NAMES = NO_TEXTS.replace("NULL", "[]")
