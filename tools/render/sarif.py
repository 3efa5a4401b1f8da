"""Findings as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from mqclause.answers.check_page import CheckPage
from mqclause.answers.findings import Checks, Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(findings: Sequence[Finding], checks: Checks) -> dict[str, Any]:
    """The log of one run; its rules are those that found something, each with its page."""
    names = sorted({each.rule.id for each in findings})
    places = {name: at for at, name in enumerate(names)}
    listed = [_rule(CheckPage.of(checks, name)) for name in names]
    driver = {"name": "mqclause", "version": version("mqclause"), "rules": listed}
    results = [_result(each, places[each.rule.id]) for each in findings]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _rule(page: CheckPage) -> dict[str, Any]:
    rule = page.rule
    return {
        "id": rule.id,
        "shortDescription": {"text": f"{rule.title}."},
        "fullDescription": {"text": rule.why},
        "help": {"text": page.help(), "markdown": page.help()},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"clause": rule.follows},
    }


def _result(finding: Finding, place: int) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.file)}}
    if finding.line is not None:
        location["region"] = {"startLine": finding.line}
    named = {
        "name": finding.name,
        "fullyQualifiedName": f"{finding.queue_manager}/{finding.object_type}({finding.name})",
    }
    return {
        "ruleId": finding.rule.id,
        "ruleIndex": place,
        "level": finding.rule.severity,
        "message": {"text": f"{finding.object_type}({finding.name}): {finding.message}. {finding.remedy}".rstrip(". ")},
        "locations": [{"physicalLocation": location, "logicalLocations": [named]}],
    }


def _uri(file: str) -> str:
    """A file as a URI; a path in the working directory stays relative to it."""
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
