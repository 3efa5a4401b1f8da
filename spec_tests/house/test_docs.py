"""The documentation is whole: each word that rules see has its meaning, each page its place, each paper its size."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from mqclause.audit.accounts import find_derived, list_facts, read_meanings
from mqclause.language.vocabulary import build_words
from mqclause.tables.schema import DECISION, TRIGGERING

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FOLDERS = ("engine", "rules", "tools")
"""The folders whose paper points to the pages."""


def load_hooks() -> Any:
    """The module by which mkdocs makes the generated pages; to use it takes no mkdocs."""
    spec = spec_from_file_location("docs_hooks", DOCS / "hooks.py")
    assert spec is not None
    assert spec.loader is not None
    hooks = module_from_spec(spec)
    spec.loader.exec_module(hooks)
    return hooks


HOOKS = load_hooks()
FACTS = {f"{declaration.name}.{about}": (kind, about) for declaration, about, kind in list_facts()}


@pytest.mark.parametrize("section", FACTS)
def test_each_attribute_that_rules_see_has_a_meaning(section: str) -> None:
    kind, about = FACTS[section]
    meanings = read_meanings()[kind, about]
    assert set(meanings) == set(build_words(kind, about)), f"engine/audit/vocabulary.toml, [{section}.…]"
    assert [word for word, (_, means) in meanings.items() if not re.fullmatch(r"[A-Z].*[^.]\.", means)] == []


def test_no_meanings_are_left_of_facts_that_are_gone() -> None:
    assert set(read_meanings()) == set(FACTS.values())


def test_the_vocabulary_has_every_word_of_every_document() -> None:
    page = HOOKS.build_vocabulary_page()
    for declaration in HOOKS.DOCUMENTS.values():
        section = page.partition(f"\n## {declaration.name}\n")[2].partition("\n## ")[0]
        terms = HOOKS.RULES.toml("terms.toml").get(declaration.name, {})
        words = {*terms, *find_derived(HOOKS.RULES, declaration), *declaration.asks}
        assert {word for word in words if f"| `{word}` |" not in section} == set(), declaration.name


def test_each_page_has_its_place_in_the_site() -> None:
    """One that mkdocs.yml does not list would be found by nobody; generated ones have theirs, too."""
    listed = set(re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE))
    written = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    generated = {f"reference/{name}.md" for name in HOOKS.build_pages()}
    assert not written & generated
    assert listed == written | generated


def test_each_public_name_is_in_the_api() -> None:
    page = HOOKS.build_api_page()
    import mqclause.exits

    names = [*mqclause.__all__, *mqclause.exits.__all__]
    assert [name for name in names if not re.search(rf"(?m)^::: mqclause\.(\w+\.)*{name}$", page)] == []


@pytest.mark.parametrize(
    ("paper", "most"),
    [("README.md", 6_000), ("CONTRIBUTING.md", 8_000), *((f"{name}/README.md", 1_500) for name in FOLDERS)],
)
def test_a_paper_that_points_elsewhere_is_short(paper: str, most: int) -> None:
    assert len((ROOT / paper).read_bytes()) <= most


@pytest.mark.parametrize("paper", ["README.md", "CONTRIBUTING.md", *(f"{name}/README.md" for name in FOLDERS)])
def test_the_links_of_a_paper_lead_somewhere(paper: str) -> None:
    """Those of pages are followed when the site is built."""
    links = re.findall(r"\]\(([^):#]+)[^)]*\)", (ROOT / paper).read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (ROOT / paper).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize("fields", [{*DECISION, "shares"}, {*TRIGGERING}], ids=["decision", "triggering"])
def test_the_fields_of_an_answer_in_a_table_have_their_meanings(fields: set[str]) -> None:
    tables = DOCS.joinpath("how-to/tables.md").read_text(encoding="utf-8").split("| field | type |")[1:]
    rows = [re.findall(r"(?m)^\| (`[^|]*`) \|", each.partition("\n\n")[0]) for each in tables]
    assert fields in [set(re.findall(r"\w+", " ".join(each))) for each in rows]
