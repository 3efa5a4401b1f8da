"""What a shell completes values of options with, beside the words that an option itself lists."""

from __future__ import annotations

from mqclause.audit.lint import get_checks
from mqclause.check.findings import Checks
from mqclause.documents import DOCUMENTS
from mqclause.rulebook.rules import Rules, get_rule_id


def list_readings() -> list[str]:
    """List the readings with each of their choices, as ID=CHOICE."""
    return [f"{each.id}={choice}" for each in Rules().known_readings.values() for choice in each.choices]


def list_editions() -> list[str]:
    """List the editions."""
    return ["auto", *Rules().known_editions]


def list_checks() -> list[str]:
    """List the ids of the checks."""
    return list(Checks().rules)


def list_lint_checks() -> list[str]:
    """List the codes of the checks of rule files."""
    return ["all", *(each.code for each in get_checks())]


def list_rulesets() -> list[str]:
    """List the rulesets."""
    return list(DOCUMENTS)


def list_rules() -> list[str]:
    """List the rulesets, and the rules of all of them."""
    rules = Rules()
    paths = [f"{name}/{path}" for name in DOCUMENTS for path in rules.in_folder(name)]
    return [*DOCUMENTS, *map(get_rule_id, paths)]
