"""All findings of some files: as a table, as JSON, and as SARIF."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import PurePath
from typing import Any, Self
from urllib.parse import quote

from mqclause.answers import AnswerTable
from mqclause.check.findings import CheckPage, Checks, Finding, inspected
from mqclause.model.configuration.changes import CHANGES
from mqclause.model.configuration.sources import STANDARD_INPUT, Input
from mqclause.model.diagnostics import Diagnostic, name_argument
from mqclause.rulebook.rule_file import SEVERITIES

FINDINGS_FORMAT = "mqclause.findings/1"

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class Findings(AnswerTable[Finding]):
    """What the checks found, by file and line; ``warnings`` say what was passed by or could not be judged.

    ``remarks`` say what is odd about the command levels that it rests on.
    """

    written_by = "findings"
    row_kind = Finding
    rows_key = "findings"

    warnings: tuple[Diagnostic, ...] = ()
    remarks: tuple[str, ...] = ()
    checks: Checks

    @classmethod
    def of(
        cls,
        found: Iterable[Finding],
        checks: Checks,
        warnings: Iterable[Diagnostic] = (),
        remarks: Iterable[str] = (),
    ) -> Self:
        """Return findings that these checks made."""
        made = cls(found, checks.engine.rules.origin)
        made.checks, made.warnings, made.remarks = checks, tuple(warnings), tuple(remarks)
        return made

    def of_rows(self, rows: Iterable[Finding]) -> Self:
        """Return some findings of the same checks, with the same warnings."""
        return type(self).of(rows, self.checks, self.warnings, self.remarks)

    @property
    def worst(self) -> str:
        """The gravest severity: error, warning or note; blank if nothing is found."""
        return min((each.severity for each in self), key=SEVERITIES.index, default="")

    def to_sarif(self) -> dict[str, Any]:
        """Return the findings as SARIF 2.1.0, as servers of code take them."""
        return build_sarif(self, self.checks)


def check_files(
    *inputs: Input,
    checks: Checks | None = None,
    at: str | None = None,
    lenient: bool = False,
    changes: Iterable[str] = (),
) -> Findings:
    """Check what is read: see ``read`` for ``inputs``, ``at`` and ``lenient``, ``inspected`` for the others.

    Raises FactsError, and OSError for a file that cannot be opened.
    """
    made = Checks() if checks is None else checks
    inspection = inspected(inputs, made, at, lenient, changes)
    found = inspection.findings()
    return Findings.of(found, made, inspection.warnings, inspection.remarks)


def build_sarif(findings: Sequence[Finding], checks: Checks) -> dict[str, Any]:
    """Build the log of one run; its rules are those that found something, each with its page."""
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
    is_option = finding.file == name_argument(CHANGES) or finding.file.startswith("--")
    if not is_option and finding.file != STANDARD_INPUT:
        physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.file)}}
        if finding.line is not None:
            physical["region"] = {"startLine": finding.line}
        location["physicalLocation"] = physical
    return location


def _uri(file: str) -> str:
    """A file as a URI; a path in the working directory stays relative to it."""
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
