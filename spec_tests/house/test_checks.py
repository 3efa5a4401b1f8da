"""Every rule that makes findings has an example in which it finds something, one in which it does not, and a page."""

from __future__ import annotations

import re

import pytest

from mqclause.answers.check_page import CheckPage, pages
from mqclause.answers.findings import Checks
from mqclause.answers.inspection import inspected
from mqclause.model.assembly.snapshot import Source
from spec_tests.support.product import ROOT

CHECKS = Checks()
MEMBERS = re.compile(r"(?m)^(?=\* Queue manager name:)")


def found_in(script: str) -> list[str]:
    parts = [part for part in MEMBERS.split(script) if part.strip()]
    sources = [Source(f"{at}.mqsc", part.encode()) for at, part in enumerate(parts)]
    return [each.rule.id for each in inspected(sources, CHECKS).findings()]


@pytest.mark.parametrize("name", CHECKS.rules)
def test_its_example_violates_it_and_the_clean_one_does_not(name: str) -> None:
    example = CHECKS.rules[name].example
    assert example is not None
    assert name in found_in(example.found)
    clean = found_in(example.clean)
    assert name not in clean
    assert set(clean) <= {"check.21b"}, "nothing else is wrong, but that one member alone is no whole cluster"


@pytest.mark.parametrize("name", CHECKS.rules)
def test_its_page_says_all_of_it(name: str) -> None:
    page, rule = CheckPage.of(CHECKS, name), CHECKS.rules[name]
    text = page.markdown()
    assert page.document, "the clause is one of a document"
    for part in (
        rule.title,
        rule.why,
        rule.severity,
        rule.attribute.upper(),
        f"clause {rule.follows.partition('/')[2]}",
    ):
        assert part in text


def test_the_pages_that_come_with_the_project_are_those_of_the_rules() -> None:
    written = (ROOT / "rules" / "check" / "README.md").read_text(encoding="utf-8")
    assert written.splitlines() == pages(CHECKS).splitlines(), "mqclause check --about all > rules/check/README.md"
