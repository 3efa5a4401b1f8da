"""Render findings: on a terminal, as SARIF, and what was read of each file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from attrs import asdict
from rich.text import Text

from mqclause.check.findings import Finding
from mqclause.model.configuration.file_reports import FileReport, Needed
from mqclause.model.diagnostics import Diagnostic
from mqclause.render.terminal import Page
from mqclause.rulebook.rule_file import SEVERITIES
from mqclause.testing.case_kinds import DocumentCounts

ALIKE_SHOWN = 3
"""So many findings that say the same of different objects are printed one by one."""

SEVERITY_STYLES = dict(zip(SEVERITIES, ("bold red", "yellow", "cyan"), strict=True))

ACCOUNTS_FORMAT = "mqclause.sources/1"


def print_findings(found: Sequence[Finding], every: bool = False, page: Page | None = None) -> None:
    """Print each finding with what mends it, then how many there are.

    Where more than ALIKE_SHOWN objects are told the same, only the first is printed, with how many more there are;
    ``every`` prints each.
    """
    page = page or Page()
    alike = Counter(each.gist for each in found)
    printed = set[tuple[str, ...]]()
    for each in found:
        more = 0 if every or alike[each.gist] <= ALIKE_SHOWN else alike[each.gist] - 1
        if not (more and each.gist in printed):
            printed.add(each.gist)
            print_finding(each, page, more)
    _count(found, page)


def print_statistics(found: Sequence[Finding]) -> None:
    """Print how many findings each check has, the most first."""
    page = Page()
    rules = {each.rule.id: each.rule for each in found}
    for (name, severity), count in Counter((each.rule.id, each.severity) for each in found).most_common():
        styled = (f"{severity:<8}", SEVERITY_STYLES[severity])
        page.line(Text.assemble(f"{count:>6}  {name:<11} ", styled, rules[name].title))
    _count(found, page)


def print_documents(found: Sequence[DocumentCounts]) -> None:
    """Print the documents that there are rules of: how many sentences of their own and of other books there are, and
    how many of both have rules; how many rules and cases there are.

    What is missing between sentences and rules stands below, a line each.
    """
    page = Page()
    page.line(f"{'document':<14}  sentences  with rules  of other books  with rules  rules  cases")
    for each in found:
        sentences = f"{each.sentences:>9}  {each.stated:>10}  {each.more:>14}  {each.more_stated:>10}"
        page.line(f"{each.document:<14}  {sentences}  {each.rules:>5}  {each.cases:>5}  {each.title}")
    for line in (line for each in found for line in each.missing):
        page.line(line)


def build_file_reports_document(
    accounts: Sequence[FileReport], needed: Sequence[Needed], faults: Sequence[Diagnostic]
) -> dict[str, Any]:
    """Build the accounts as JSON values, with what the files leave out; ``faults`` are those of the files together."""
    dangling = [{"file": each.source, **_fault(each)} for account in accounts for each in account.dangling]
    files = [_file(each) for each in accounts]
    together = {"faults": [{"file": each.source, **_fault(each)} for each in faults]} if faults else {}
    incomplete = [{**asdict(each.missing), "queue_managers": list(each.queue_managers)} for each in needed]
    return {
        "format": ACCOUNTS_FORMAT,
        "files": files,
        "dangling": dangling,
        "incomplete": None if faults else incomplete,
        **together,
    }


def print_file_reports(accounts: Sequence[FileReport], needed: Sequence[Needed], faults: Sequence[Diagnostic]) -> None:
    """Print a line for each file, and below it what could not be read or may be missing; then what all leave out."""
    for each in accounts:
        of = f" of {', '.join(each.queue_managers)}" if each.queue_managers else ""
        counted = ", ".join(f"{count} {kind}" for kind, count in each.objects.items()) or "no object"
        print(f"{each.file}: {each.format or 'no format that is read'}{of}: {counted}; read {each.read}")  # noqa: T201
        for fault in (*each.faults, *each.remarks, *each.notes, *each.dangling):
            print(f"  {fault}")  # noqa: T201
    for one in needed:
        command = f": {one.missing.command}" if one.missing.command else ""
        print(f"not told of {', '.join(one.queue_managers)}: {one.missing.what}{command}")  # noqa: T201
    for fault in faults:
        print(f"what else is needed cannot be told: {fault}")  # noqa: T201


def print_finding(finding: Finding, page: Page, more: int = 0) -> None:
    """Print one finding and what mends it; ``more`` objects are alike."""
    about = f"{finding.object_type}({finding.name})" + (f" and {more} more" if more else "")
    styled = (finding.severity, SEVERITY_STYLES[finding.severity])
    page.line(Text.assemble((finding.place, "bold"), f" {finding.rule.id} ", styled, f" {about}: {finding.message}"))
    at = f"{finding.queue_manager}: " if finding.said.typed and finding.queue_manager else ""
    like = "; the others alike, --all prints them" if more else ""
    page.line(Text(f"{at}{finding.said.remedy}{like}", "dim"), "", 4)


def _count(found: Sequence[Finding], page: Page) -> None:
    by_severity = Counter(each.severity for each in found)
    counts = ((by_severity[name], name) for name in SEVERITIES if by_severity[name])
    counted = ", ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in counts)
    page.line(f"found {counted}" if counted else Text("nothing is found", "green"))


def _file(account: FileReport) -> dict[str, Any]:
    said = (*account.remarks, *account.notes)
    remarks = {"remarks": [_fault(each) for each in said]} if said else {}
    return {
        "file": account.file,
        "format": account.format or None,
        "queue_managers": list(account.queue_managers),
        "objects": dict(account.objects),
        "read": account.read,
        "faults": [_fault(each) for each in account.faults],
        **remarks,
    }


def _fault(fault: Diagnostic) -> dict[str, Any]:
    return {"line": fault.line, "column": fault.column, "message": fault.message}
