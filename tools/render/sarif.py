"""Findings as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from mqclause.answers.check.check_page import CheckPage
from mqclause.answers.check.findings import Checks, Finding
from mqclause.model.assembly.change import OPTION

NO_FILES = (OPTION, "-")
"""What stands in the place of a file's name where an option says something, and for standard input."""

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
        "defaultConfiguration": {"level": rule.severities[0]},
        "properties": {"clause": rule.follows},
    }


def _result(finding: Finding, place: int) -> dict[str, Any]:
    about = f"{finding.object_type}({finding.name})"
    return {
        "ruleId": finding.rule.id,
        "ruleIndex": place,
        "level": finding.severity,
        "message": {"text": f"{about}: {finding.message}. {finding.said.remedy}".rstrip(". ")},
        "locations": [_location(finding, about)],
    }


def _location(finding: Finding, about: str) -> dict[str, Any]:
    """The object, and its place in a file; what an option says, or standard input, is in none."""
    named = {"name": finding.name, "fullyQualifiedName": f"{finding.queue_manager}/{about}", "kind": "resource"}
    location: dict[str, Any] = {"logicalLocations": [named]}
    if finding.file not in NO_FILES:
        physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.file)}}
        if finding.line is not None:
            physical["region"] = {"startLine": finding.line}
        location["physicalLocation"] = physical
    return location


def _uri(file: str) -> str:
    """A file as a URI; a path in the working directory stays relative to it."""
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
