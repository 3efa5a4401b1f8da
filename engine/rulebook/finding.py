"""What a rule file says of the findings that the rule makes: how grave they are, about what, why, with an example."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mqclause.model.diagnostic import quoted, suggestion
from mqclause.rulebook.errors import RuleError
from mqclause.rulebook.rule import Example, Expression
from mqclause.rulebook.rule_file import RuleFile

SEVERITIES = tuple("error warning note".split())  # noqa: SIM905 - no clause is meant
FINDING_KEYS = ("severity", "graver", "attribute", "misplaced", "together", "follows", "why", "example")
TOGETHER = ("queue_manager",)
"""By what findings that say the same of several objects can be told as one."""
_SHOWN = ("found", "clean")


def of_findings(file: RuleFile) -> dict[str, Any]:
    """The fields of a rule that makes findings where its condition does not hold; none of them if it makes none.

    Raises RuleError.
    """
    if "severity" not in file.table:
        if stated := [key for key in FINDING_KEYS if key in file.table and key != "follows"]:
            raise RuleError(file.path, stated[0], "is said of a finding; severity is missing")
        return {}
    if not isinstance(holds := file.table.get("holds"), dict):
        raise RuleError(file.path, "severity", "is said of a condition, and the rule has none: no [holds]")
    file.text(holds, "because", "holds")
    texts = {"attribute": file.because(file.table, "", part="attribute").text, "why": file.text(file.table, "why", "")}
    follows = file.text(file.table, "follows" if "follows" in file.table else "clause", "")
    file.check_clause("follows", follows)
    shown = file.table.get("example")
    if not isinstance(shown, dict) or set(shown) != set(_SHOWN):
        raise RuleError(file.path, "example", f"is a table with the keys {' and '.join(_SHOWN)}")
    example = Example(*(file.text(shown, key, "example") for key in _SHOWN))
    severity = _among(file, "severity", file.table["severity"], SEVERITIES)
    graver = tuple(_graver(file, SEVERITIES[: SEVERITIES.index(severity)]))
    together = _among(file, "together", file.table["together"], TOGETHER) if "together" in file.table else ""
    found = {"severity": severity, "graver": graver, "follows": follows, "example": example, "together": together}
    return {**texts, **found, "misplaced": dict(_misplaced(file))}


def _misplaced(file: RuleFile) -> Iterator[tuple[str, frozenset[str]]]:
    """Attributes, by type of object, that are read although MQSC does not have them there."""
    stated = file.table.get("misplaced", {})
    if not isinstance(stated, dict):
        raise RuleError(file.path, "misplaced", "is a table of lists of attributes, by type of object")
    for kind, names in stated.items():
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise RuleError(file.path, f"misplaced.{kind}", "is a list of attributes of MQSC")
        yield kind, frozenset(names)


def _graver(file: RuleFile, allowed: Sequence[str]) -> Iterator[tuple[str, Expression]]:
    """The severities above the rule's own, the gravest first, each with the condition under which it counts."""
    table = file.table.get("graver", {})
    if not isinstance(table, dict):
        raise RuleError(file.path, "graver", "is a table of severities, each with a condition")
    for name in table:
        _among(file, f"graver.{name}", name, allowed)
    for name in allowed:
        if name in table:
            yield name, file.condition(table, name, "graver", per_subject=False)


def _among(file: RuleFile, key: str, given: object, allowed: Sequence[str]) -> str:
    if given not in allowed:
        near = suggestion(str(given), allowed)
        listed = ", ".join(allowed) or "nothing, for nothing is graver"
        raise RuleError(file.path, key, f"{quoted(given)} is not allowed; allowed: {listed}{near}")
    return str(given)
