"""Findings as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mqclause.answers.findings import Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(findings: Sequence[Finding]) -> dict[str, Any]:
    """The log of one run; its rules are those that found something."""
    rules = {each.rule.id: each.rule for each in findings}
    listed = [{"id": name, "shortDescription": {"text": rule.title}} for name, rule in sorted(rules.items())]
    driver = {"name": "mqclause", "rules": listed}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [_result(each) for each in findings]}],
    }


def _result(finding: Finding) -> dict[str, Any]:
    file, line = finding.source
    uri = Path(file).as_posix()
    place: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if line is not None:
        place["region"] = {"startLine": line}
    return {
        "ruleId": finding.rule.id,
        "level": finding.rule.severity,
        "message": {"text": f"{finding.message}. {finding.remedy}"},
        "locations": [{"physicalLocation": place}],
    }
