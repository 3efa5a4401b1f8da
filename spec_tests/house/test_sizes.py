"""Modules and functions of a size to read."""

from __future__ import annotations

from statistics import median

from spec_tests.support.product import ROOT, Module, modules

LONGEST_MODULE = 1000
LONGEST_FUNCTION, MEDIAN_FUNCTION = 40, 6
"""In lines."""


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


def test_most_functions_are_short() -> None:
    functions = [lines for module in modules().values() for lines in lengths(module).values()]
    assert median(functions) <= MEDIAN_FUNCTION
