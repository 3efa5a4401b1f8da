"""Findings on a terminal, as linters print theirs; and the page of a check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click
from rich.text import Text

from mqclause.answers.cases.counted import Counted
from mqclause.answers.check.check_page import CheckPage, pages
from mqclause.answers.check.findings import Checks, Finding
from mqclause.model.diagnostic import quoted, suggestion
from mqclause.rulebook.finding import SEVERITIES
from mqclause.tools.render.page import Page

ALIKE_SHOWN = 3
"""So many findings that say the same of different objects are printed one by one."""

SEVERITY_STYLES = dict(zip(SEVERITIES, ("bold red", "yellow", "cyan"), strict=True))


def print_findings(found: Sequence[Finding], every: bool = False, page: Page | None = None) -> None:
    """Prints each finding with what mends it, then how many there are.

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
            _print(each, more, page)
    _count(found, page)


def _print(finding: Finding, more: int, page: Page) -> None:
    about = f"{finding.object_type}({finding.name})" + (f" and {more} more" if more else "")
    styled = (finding.severity, SEVERITY_STYLES[finding.severity])
    page.line(Text.assemble((finding.place, "bold"), f" {finding.rule.id} ", styled, f" {about}: {finding.message}"))
    at = f"{finding.queue_manager}: " if finding.said.typed and finding.queue_manager else ""
    like = "; the others alike, --all prints them" if more else ""
    page.line(Text(f"{at}{finding.said.remedy}{like}", "dim"), "", 4)


def print_statistics(found: Sequence[Finding], page: Page | None = None) -> None:
    """Prints how many findings each check has, the most first."""
    page = page or Page()
    rules = {each.rule.id: each.rule for each in found}
    for (name, severity), count in Counter((each.rule.id, each.severity) for each in found).most_common():
        styled = (f"{severity:<8}", SEVERITY_STYLES[severity])
        page.line(Text.assemble(f"{count:>6}  {name:<11} ", styled, rules[name].title))
    _count(found, page)


def _count(found: Sequence[Finding], page: Page) -> None:
    by_severity = Counter(each.severity for each in found)
    counts = ((by_severity[name], name) for name in SEVERITIES if by_severity[name])
    counted = ", ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in counts)
    page.line(f"found {counted}" if counted else Text("nothing is found", "green"))


def print_page(checks: Checks, asked: str, page: Page | None = None) -> None:
    """Prints the page of a check, or of every one for ``all``. Raises UsageError for one that is not known."""
    page = page or Page()
    if asked != "all" and asked not in checks.rules:
        others = "'all' tells of each, 'documents' counts what the rules state"
        raise click.UsageError(f"--about: {quoted(asked)} is no check; {others}{suggestion(asked, checks.rules)}")
    text = pages(checks) if asked == "all" else CheckPage.of(checks, asked).markdown()
    for line in text.splitlines():
        page.line(line)


def print_documents(found: Sequence[Counted], page: Page | None = None) -> None:
    """Prints the documents that there are rules of: how many of their own sentences have rules, how many sentences of
    other books those rest on, how many rules and cases there are.

    What is missing between sentences and rules stands below, a line each.
    """
    page = page or Page()
    page.line(f"{'document':<14}  sentences  with rules  of other books  rules  cases")
    for each in found:
        sentences = f"{each.sentences:>9}  {each.stated:>10}  {each.more:>14}"
        page.line(f"{each.document:<14}  {sentences}  {each.rules:>5}  {each.cases:>5}  {each.title}")
    for line in (line for each in found for line in each.missing):
        page.line(line)
