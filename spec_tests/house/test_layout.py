"""What the folders promise: packages, subcommands, and that rules alone decide."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from mqclause.model.facts.domains import REASONS
from mqclause.rulebook.rules import Rules, get_rules_folder
from mqclause.tools.commands.declared import SUBCOMMANDS
from spec_tests.support.product import ROOT, SCRIPTS, Definition, Module, folders, installed, modules, pyproject

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
    assert [f"{module.place}:{line}: {text}" for module in asked for line, text in decides(module.tree)] == []


def test_a_clause_named_in_python_would_be_found() -> None:
    wrong = 'x = rule.clause in ("3", "11")\ny = rule.id == "workload.04a"\n"""of workload.04a"""\n'
    assert [text for _, text in decides(ast.parse(wrong))] == ["3", "11", "workload.04a"]
    wrong = 'x = readings["mru-ties"]\ny = code == REASONS["MQRC_Q_FULL"] or code == 2053\nz = "first-to-arrive"\n'
    found = sorted(text for _, text in decides(ast.parse(wrong)))
    assert found == ["2053", "MQRC_Q_FULL", "first-to-arrive", "mru-ties"]


NEAR = ("suggestion", "name_suggestion", "instead")


def says_more(tree: ast.AST) -> Iterator[int]:
    """The lines of texts in which a suggestion of a close word is not the last thing said."""
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    for node in texts:
        for part in node.values[:-1]:
            filled = part.value if isinstance(part, ast.FormattedValue) else None
            called = filled.func if isinstance(filled, ast.Call) else None
            if (isinstance(filled, ast.Name) and filled.id == "near") or (
                isinstance(called, ast.Name) and called.id in NEAR
            ):
                yield node.lineno


def test_a_close_word_is_the_last_thing_that_a_message_says() -> None:
    assert [f"{module.place}:{line}" for module in installed() for line in says_more(module.tree)] == []
    wrong = 'x = f"no{near}; allowed"\ny = f"no{suggestion(a, b)}!"\nz = f"no{instead(a, b)}"\n'
    assert [*says_more(ast.parse(wrong))] == [1, 2]


def edits_path(module: ast.Module) -> Iterator[int]:
    """The lines where ``sys.path`` is changed."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("sys.path.", "site.addsitedir")):
            yield node.lineno
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
            targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
            yield from (node.lineno for target in targets if ast.unparse(target).startswith("sys.path"))


def test_no_test_changes_where_python_looks() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "spec_tests").rglob("*.py")}
    named = {name: text for name, text in texts.items() if "sys.path" in text or "addsitedir" in text}
    assert named
    found = {name: [*edits_path(ast.parse(text))] for name, text in named.items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_what_tests_share_is_no_test() -> None:
    """A module of tests imports no other one: what two of them need stands in spec_tests/support."""
    tests = sorted((ROOT / "spec_tests").rglob("test_*.py"))
    taken = re.compile(r"^\s*(?:from|import) (spec_tests\.[\w.]*\btest_\w+)", re.MULTILINE)
    assert {path.name: found for path in tests if (found := taken.findall(path.read_text(encoding="utf-8")))} == {}
    assert taken.findall("import re\nfrom spec_tests.laws.test_x import y\n") == ["spec_tests.laws.test_x"]


def test_definitions_are_seen() -> None:
    """The checks above would hold of an empty tree; this one is not empty."""
    assert sum(isinstance(node, Definition) for module in installed() for node in ast.walk(module.tree)) > 100
    assert all(isinstance(module, Module) for module in installed())


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
