"""Findings on a terminal, as linters print theirs; and the page of a check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click
from rich.text import Text

from mqclause.answers.check_page import CheckPage, pages
from mqclause.answers.findings import Checks, Finding
from mqclause.model.diagnostic import quoted, suggestion
from mqclause.rulebook.finding import SEVERITIES
from mqclause.tools.render.page import Page

SEVERITY_STYLES = dict(zip(SEVERITIES, ("bold red", "yellow", "cyan"), strict=True))


def print_findings(found: Sequence[Finding], page: Page | None = None) -> None:
    """Prints each finding with what mends it, then how many there are."""
    page = page or Page()
    for each in found:
        about = f"{each.object_type}({each.name})"
        head = (f" {each.rule.id} ", each.rule.severity)
        said = f" {about}: {each.message}"
        styled = (head[1], SEVERITY_STYLES[each.rule.severity])
        page.line(Text.assemble((each.place, "bold"), head[0], styled, said))
        page.line(Text(each.remedy, "dim"), "", 4)
    _count(found, page)


def print_statistics(found: Sequence[Finding], page: Page | None = None) -> None:
    """Prints how many findings each check has, the most first."""
    page = page or Page()
    rules = {each.rule.id: each.rule for each in found}
    for name, count in Counter(each.rule.id for each in found).most_common():
        rule = rules[name]
        page.line(
            Text.assemble(
                f"{count:>6}  {name:<11} ", (f"{rule.severity:<8}", SEVERITY_STYLES[rule.severity]), rule.title
            )
        )
    _count(found, page)


def _count(found: Sequence[Finding], page: Page) -> None:
    by_severity = Counter(each.rule.severity for each in found)
    counts = ((by_severity[name], name) for name in SEVERITIES if by_severity[name])
    counted = ", ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in counts)
    page.line(f"found {counted}" if counted else Text("nothing is found", "green"))


def print_page(checks: Checks, asked: str, page: Page | None = None) -> None:
    """Prints the page of a check, or of every one for ``all``. Raises UsageError for one that is not known."""
    page = page or Page()
    if asked != "all" and asked not in checks.rules:
        raise click.UsageError(
            f"--about: {quoted(asked)} is no check{suggestion(asked, checks.rules)}; 'all' tells of each"
        )
    text = pages(checks) if asked == "all" else CheckPage.of(checks, asked).markdown()
    for line in text.splitlines():
        page.line(line)
