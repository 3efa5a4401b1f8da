"""What a rule file says of the findings that the rule makes: how grave they are, about what, why, with an example."""

from __future__ import annotations

from typing import Any

from mqclause.model.diagnostic import quoted, suggestion
from mqclause.rulebook.errors import RuleError
from mqclause.rulebook.rule import Example
from mqclause.rulebook.rule_file import RuleFile

SEVERITIES = tuple("error warning note".split())  # noqa: SIM905 - no clause is meant
FINDING_KEYS = ("severity", "attribute", "follows", "why", "example")
_SHOWN = ("found", "clean")


def of_findings(file: RuleFile) -> dict[str, Any]:
    """The fields of a rule that makes findings where its condition does not hold; none of them if it makes none.

    Raises RuleError.
    """
    if "severity" not in file.table:
        if stated := [key for key in FINDING_KEYS if key in file.table and key != "follows"]:
            raise RuleError(file.path, stated[0], "is said of a finding; severity is missing")
        return {}
    texts = {key: file.text(file.table, key, "") for key in ("attribute", "why")}
    follows = file.text(file.table, "follows" if "follows" in file.table else "clause", "")
    shown = file.table.get("example")
    if not isinstance(shown, dict) or set(shown) != set(_SHOWN):
        raise RuleError(file.path, "example", f"is a table with the keys {' and '.join(_SHOWN)}")
    example = Example(*(file.text(shown, key, "example") for key in _SHOWN))
    return {**texts, "severity": _severity(file), "follows": follows, "example": example}


def _severity(file: RuleFile) -> str:
    """How grave a finding is."""
    severity = file.table["severity"]
    if severity not in SEVERITIES:
        near = suggestion(str(severity), SEVERITIES)
        said = f"{quoted(severity)} is not allowed; allowed: {', '.join(SEVERITIES)}{near}"
        raise RuleError(file.path, "severity", said)
    return str(severity)
