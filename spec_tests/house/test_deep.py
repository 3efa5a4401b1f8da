"""What is run on very many cases with ``-m deep`` is run on fewer without it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from spec_tests.support.product import ROOT

DEEP = "pytest.mark.deep"


def alone(tree: ast.AST) -> Iterator[int]:
    """The lines where a whole test, class or module is deep, or where every value of a parameter is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from (node.lineno for each in node.decorator_list if ast.unparse(each) == DEEP)
        elif (
            isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark" and DEEP in ast.unparse(node)
        ):
            yield node.lineno
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.parametrize":
            values = node.args[1].elts if isinstance(node.args[1], ast.List | ast.Tuple) else []
            if values and all(DEEP in ast.unparse(value) for value in values):
                yield node.lineno


def test_every_deep_test_has_a_smaller_version() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "spec_tests").rglob("test_*.py"))}
    found = {name: [*alone(ast.parse(text))] for name, text in texts.items() if DEEP in text}
    assert found
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_deep_test_without_a_smaller_version_would_be_found() -> None:
    whole = "@pytest.mark.deep\ndef test() -> None: ...\n"
    value = "pytest.param(9, marks=pytest.mark.deep)"
    parametrized = "@pytest.mark.parametrize('count', [{}])\ndef test(count: int) -> None: ...\n"
    assert [*alone(ast.parse(whole))] == [2]
    assert [*alone(ast.parse(parametrized.format(value)))] == [1]
    assert [*alone(ast.parse(parametrized.format(f"3, {value}")))] == []
