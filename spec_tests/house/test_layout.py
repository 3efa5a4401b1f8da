"""What the folders promise: packages are whole, papers name what is there, and rules alone decide."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from mqclause.model.facts.domains import REASONS
from mqclause.rulebook.rules import Rules, get_rules_folder
from mqclause.tools.commands.declared import SUBCOMMANDS
from spec_tests.support.product import ROOT, SCRIPTS, folders, installed, modules, pyproject

RULESETS = sorted(path.name for path in get_rules_folder().iterdir() if path.is_dir() and path.name != "documents")
RULE = re.compile(rf"\b({'|'.join(RULESETS)})[./]\d")
NUMBER = re.compile(r"\d{1,2}[a-z]?|note")
REASON = re.compile(r"MQRC_[A-Z0-9_]+")
OF_READINGS = {
    *Rules().known_readings,
    *(choice for each in Rules().known_readings.values() for choice in each.choices if "-" in choice),
    *Rules().known_editions,
}
"""Readings and editions, and what is chosen of readings where no other word is written so."""

REASONS_ARE_LISTED = "mqclause.model.facts.domains"


def test_packages_are_the_folders_with_modules() -> None:
    described = pyproject()["tool"]["setuptools"]["packages"]
    assert described == sorted(described)
    with_modules = {each.name if each.is_folder else each.name.rpartition(".")[0] for each in modules().values()}
    assert set(described) == with_modules - {SCRIPTS}
    assert [name for name in described if not modules()[name].is_folder] == []


def test_every_file_of_the_rules_is_shipped() -> None:
    data = pyproject()["tool"]["setuptools"]["package-data"]
    for package in sorted({"mqclause.rules", "mqclause.cases"} & set(folders())):
        folder = folders()[package]
        shipped = {path for pattern in data[package] for path in folder.glob(pattern)}
        assert sorted(folder.rglob("*.toml")) == sorted(path for path in shipped if path.suffix == ".toml")


def decides(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Texts by which Python would know one rule, clause, reading or reason from another, with the line."""
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            if RULE.search(node.value) or REASON.search(node.value) or node.value in OF_READINGS:
                yield node.lineno, node.value
        elif isinstance(node, ast.Constant) and type(node.value) is int and node.value in REASONS.values():
            yield node.lineno, str(node.value)
        elif isinstance(node, ast.Compare | ast.Tuple | ast.List | ast.Set | ast.Dict | ast.MatchValue):
            texts = [each.value for each in ast.iter_child_nodes(node) if isinstance(each, ast.Constant)]
            yield from (
                (node.lineno, text)
                for text in texts
                if isinstance(text, str) and NUMBER.fullmatch(text) and text != "0"
            )


def test_no_rule_clause_reading_or_reason_is_named_in_python() -> None:
    asked = [module for module in installed() if module.name != REASONS_ARE_LISTED]
    assert asked
    assert [f"{module.place}:{line}: {text}" for module in asked for line, text in decides(module.tree)] == []


def test_a_clause_named_in_python_would_be_found() -> None:
    wrong = 'x = rule.clause in ("3", "11")\ny = rule.id == "workload.04a"\n"""of workload.04a"""\n'
    assert [text for _, text in decides(ast.parse(wrong))] == ["3", "11", "workload.04a"]
    wrong = 'x = readings["mru-ties"]\ny = code == REASONS["MQRC_Q_FULL"] or code == 2053\nz = "first-to-arrive"\n'
    found = sorted(text for _, text in decides(ast.parse(wrong)))
    assert found == ["2053", "MQRC_Q_FULL", "first-to-arrive", "mru-ties"]


PAPERS = (
    "README.md", "CONTRIBUTING.md", "engine/README.md", "rules/README.md", "tools/README.md",
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md")),
)  # fmt: skip
OF_THE_PROJECT = re.compile(r"`((?:rules|engine|model|tools|spec_tests)/[^`<*…\s]*|[a-z_]+\.py)`")


def missing_in(paper: str) -> Iterator[str]:
    """The files and folders that a paper names and that are not there; a bare name is of a folder named before it."""
    text = (ROOT / paper).read_text(encoding="utf-8")
    folders_named: list[Path] = []
    for line in text.splitlines():
        for name in OF_THE_PROJECT.findall(line):
            if "/" in name:
                found = ROOT / name
                folders_named.append(found if found.is_dir() else found.parent)
            else:
                found = next(
                    (folder / name for folder in reversed(folders_named) if (folder / name).exists()), ROOT / name
                )
            if not found.exists():
                yield f"{paper}: {name}"


def test_what_the_papers_name_is_there() -> None:
    assert [name for paper in PAPERS for name in missing_in(paper)] == []


def test_every_word_of_the_command_line_is_in_a_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in SUBCOMMANDS if f"mqclause {name}" not in readme] == []
