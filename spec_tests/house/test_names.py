"""Public names are documented, fit a reader, and are the same in both back ends."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator
from importlib import import_module

import pytest

import mqclause
from spec_tests.support.product import ROOT, Definition, Function, Module, installed, modules

LONGEST_MODULE, LONGEST_FUNCTION = 1000, 40
"""In lines."""

BACK_ENDS = ("mqclause.duckdb", "mqclause.spark")
TABLES = {"DuckDBPyRelation": "DataFrame"}
"""What is a table in DuckDB, and in Spark."""

RAISES = re.compile(r"Raises ([^.]*)\.")
REFERENCE = re.compile(r"``([A-Za-z_][\w.]*)``|\b(mqclause(?:\.\w+)+)\b(?!/)|\b([A-Z]+_[A-Z_]+)\b|Raises (\w+Error)")
"""What a docstring refers to by name: in backticks, a module, a constant, an error."""

OF_OTHERS = {"mqclause.toml", "setup.py", "MQMD_DEFAULT", "PySparkRuntimeError"}
"""What docstrings name that the product only uses."""


def documented(module: Module) -> Iterator[tuple[str, Definition]]:
    """Every public class, function and method, with its name."""
    waiting: list[tuple[str, ast.AST]] = [(module.place, module.tree)]
    for place, parent in waiting:
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, Definition) and not node.name.startswith("_"):
                name = f"{place}:{node.name}" if parent is module.tree else f"{place}.{node.name}"
                yield name, node
                if isinstance(node, ast.ClassDef):
                    waiting.append((name, node))


def inherited(node: Definition, classes: dict[str, ast.ClassDef]) -> set[str]:
    """The methods that the bases of a class document."""
    if not isinstance(node, ast.ClassDef):
        return set()
    bases = [classes[name] for base in node.bases if (name := ast.unparse(base).rpartition(".")[2]) in classes]
    own = {each.name for base in bases for each in base.body if isinstance(each, Function) and ast.get_docstring(each)}
    return own.union(*(inherited(base, classes) for base in bases))


def test_every_public_name_is_documented() -> None:
    classes = {
        node.name: node for module in installed() for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)
    }
    missing = []
    for module in installed():
        known = dict(documented(module))
        for name, node in known.items():
            owner = known.get(name.rpartition(".")[0])
            said = inherited(owner, classes) if owner is not None else set()
            if not ast.get_docstring(node) and node.name not in said:
                missing.append(name)
    assert not missing, "\n".join(["without a docstring:", *missing])


NO_ORDERS = {
    "A",
    "An",
    "Both",
    "Each",
    "Every",
    "How",
    "If",
    "In",
    "Many",
    "None",
    "So",
    "The",
    "What",
    "When",
    "Where",
    "Whether",
}
"""What no sentence that tells somebody to do something begins with."""


def is_value(node: Function) -> bool:
    """Whether a function is a property, or gives a field its default: its docstring names what it is."""
    return any(ast.unparse(each).endswith(("property", ".default", ".setter")) for each in node.decorator_list)


def test_the_docstring_of_a_function_says_what_to_do() -> None:
    """In the imperative: an order begins with no article, and its verb does not end in s."""
    told = [
        (name, (ast.get_docstring(node) or "Do").split()[0].strip(",."))
        for module in modules().values() for name, node in documented(module)
        if isinstance(node, Function) and not is_value(node)
    ]  # fmt: skip
    assert len(told) > 1_000
    wrong = [f"{name}: {word}" for name, word in told if word in NO_ORDERS or re.search("(?<!s)s$", word)]
    assert not wrong, "\n".join(["no order:", *wrong])


def test_a_module_and_its_functions_fit_a_reader() -> None:
    long = [module.place for module in installed() if len(module.text.splitlines()) > LONGEST_MODULE]
    for module in installed():
        for each in module.functions():
            if (each.end_lineno or each.lineno) - each.lineno >= LONGEST_FUNCTION:
                long.append(f"{module.place}:{each.lineno} {each.name}")
    assert long == []


def test_every_module_says_what_it_holds() -> None:
    assert [module.place for module in installed() if not ast.get_docstring(module.tree)] == []


def test_what_a_docstring_refers_to_is_there() -> None:
    """A name that was changed in the code alone sends its reader to nothing."""
    rules = " ".join(path.read_text(encoding="utf-8") for path in ROOT.joinpath("rules").rglob("*.toml"))
    known, said = set(re.findall(r"\w+", rules)), list[tuple[str, str]]()
    for module in modules().values():
        lines = module.text.splitlines()
        for node in ast.walk(module.tree):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or 0) - node.lineno + 1)
                said += ((module.place, "".join(found)) for found in REFERENCE.findall(node.value.value))
        known |= set(re.findall(r"\w+", "\n".join(lines)))
    assert {(place, name) for place, name in said if name not in OF_OTHERS and not is_there(name, known)} == set()


def test_the_examples_of_docstrings_run() -> None:
    examples = [module.name for module in installed() if ">>> " in module.text]
    assert examples
    assert [name for name in examples if doctest.testmod(import_module(name)).failed] == []


def is_there(name: str, known: set[str]) -> bool:
    """Whether a name, with dots or without, is one of the product's: a module's, or one that its code has."""
    if not name.startswith("mqclause."):
        return known.issuperset(filter(None, name.split(".")))
    above, _, last = name.rpartition(".")
    return name in modules() or (above in modules() and re.search(rf"\b{last}\b", modules()[above].text) is not None)


def test_the_stub_of_the_package_has_the_names_that_it_loads() -> None:
    stub = ast.parse(modules()["mqclause"].path.with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [each for each in stub.body if isinstance(each, ast.ImportFrom)]
    typed = {name.name: import_module(each.module or "") for each in imports for name in each.names}
    assert sorted(typed) == mqclause.__all__
    assert all(getattr(mqclause, name) is getattr(module, name) for name, module in typed.items())


def test_a_name_that_the_package_does_not_have_is_no_name_to_type_checkers_either() -> None:
    with pytest.raises(ImportError, match="cannot import name 'Engin'"):
        from mqclause import Engin  # type: ignore[attr-defined] # noqa: F401


def functions_of(back_end: str) -> dict[str, Function]:
    """The public functions of a back end by name."""
    room = [module for module in installed() if module.name.startswith(f"{back_end}.")]
    found = {each.name: each for module in room for each in module.tree.body if isinstance(each, Function)}
    return {name: found[name] for name in modules()[back_end].exported() if name in found}


def options(function: Function) -> list[str]:
    """The parameters after the table, as they are written, in order; a connection is DuckDB's own."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    written = [f"{each.arg}: {ast.unparse(each.annotation) if each.annotation else ''}" for each in every[1:]]
    return [each for each in written if not each.startswith("connection:")]


def test_what_duckdb_does_spark_does_by_the_same_name() -> None:
    assert set(modules()["mqclause.duckdb"].exported()) <= set(modules()["mqclause.spark"].exported())


def test_both_back_ends_mean_the_same_by_a_name() -> None:
    duckdb, spark = (functions_of(back_end) for back_end in BACK_ENDS)
    assert duckdb
    for name, function in duckdb.items():
        other = spark.get(name, function)  # Spark's package has some of them as they are
        assert options(function) == options(other), f"{name} takes other arguments in Spark"
        assert raises(function) == raises(other), f"{name} says that it raises something else in Spark"
        gives = [ast.unparse(each.returns).split(".")[-1] if each.returns else "" for each in (function, other)]
        assert TABLES.get(gives[0], gives[0]) == gives[1], f"{name} gives something else in Spark"


def raises(function: Function) -> set[str]:
    """The errors that a docstring names."""
    return set(re.findall(r"\w+Error", " ".join(RAISES.findall(ast.get_docstring(function) or ""))))
