"""Modules and functions of a size to read."""

from __future__ import annotations

from statistics import median

import pytest

from spec_tests.support.product import ROOT, Module, modules

LONGEST_MODULE = 300
LONGEST_FUNCTION = 40


def lengths(module: Module) -> dict[str, int]:
    """The lines of each function, by place and name."""
    return {
        f"{module.place}:{each.lineno} {each.name}": (each.end_lineno or each.lineno) - each.lineno + 1
        for each in module.functions()
    }


def test_a_module_and_its_functions_fit_a_reader() -> None:
    texts = {module.place: len(module.text.splitlines()) for module in modules().values()}
    functions = {name: lines for module in modules().values() for name, lines in lengths(module).items()}
    assert {name: lines for name, lines in texts.items() if lines > LONGEST_MODULE} == {}
    assert {name: lines for name, lines in functions.items() if lines > LONGEST_FUNCTION} == {}


def test_a_module_of_tests_fits_a_reader() -> None:
    files = sorted((ROOT / "spec_tests").rglob("*.py"))
    texts = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {name: lines for name, lines in texts.items() if lines > LONGEST_MODULE} == {}


def test_medians(capsys: pytest.CaptureFixture[str]) -> None:
    files = [len(module.text.splitlines()) for module in modules().values() if not module.is_folder]
    functions = [lines for module in modules().values() for lines in lengths(module).values()]
    with capsys.disabled():
        print(f"\n{len(files)} modules: median {median(files):g} lines, longest {max(files)} (targets 120, 300)")  # noqa: T201
        print(f"{len(functions)} functions: median {median(functions):g} lines, longest {max(functions)} (6, 40)")  # noqa: T201
    assert files
    assert functions
