"""Every rule that makes findings has an example in which it finds something, one in which it does not, and a page."""

from __future__ import annotations

import re

import pytest

from mqclause.check.findings import CheckPage, Checks, inspected, render_pages
from mqclause.model.configuration.sources import Source
from spec_tests.support.product import ROOT

CHECKS = Checks()
FENCED = re.compile(r"```\n(.*?)\n```", re.DOTALL)


def found_in(files: list[str]) -> list[str]:
    sources = [Source(f"{at}.mqsc", text.encode()) for at, text in enumerate(files)]
    return [each.rule.id for each in inspected(sources, CHECKS).findings()]


@pytest.mark.parametrize("name", CHECKS.rules)
def test_its_example_violates_it_and_the_clean_one_does_not(name: str) -> None:
    """Each block of its page is a file as it stands."""
    _, found, clean = re.split("Found in.*:|Not in.*:", CheckPage.of(CHECKS, name).render_markdown())
    assert name in found_in(FENCED.findall(found))
    wrong = found_in(FENCED.findall(clean))
    assert name not in wrong
    assert set(wrong) <= {"check.21"}, "nothing else is wrong, but that one member alone is no whole cluster"


@pytest.mark.parametrize("name", CHECKS.rules)
def test_its_page_says_all_of_it(name: str) -> None:
    page, rule = CheckPage.of(CHECKS, name), CHECKS.rules[name]
    text = page.render_markdown()
    assert page.document, "the clause is one of a document"
    for part in (
        rule.title,
        rule.why,
        " or ".join(rule.severities),
        rule.attribute.upper() if rule.attribute.isidentifier() else "the one that it names",
        f"clause {rule.follows.partition('/')[2]}",
    ):
        assert part in text


def test_the_pages_that_come_with_the_project_are_those_of_the_rules() -> None:
    written = (ROOT / "rules" / "check" / "README.md").read_text(encoding="utf-8")
    assert written.splitlines() == render_pages(CHECKS).splitlines(), (
        "mqclause check --about all > rules/check/README.md"
    )
