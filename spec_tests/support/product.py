"""The modules of the product as they stand in the tree, for tests of the house."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from attrs import define

ROOT = Path(__file__).parents[2]
SCRIPTS = "mqclause.tools.bench"
"""Programs of their own, run by their path and not installed."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Function = ast.FunctionDef | ast.AsyncFunctionDef


@define(eq=False)
class Module:
    """One file of Python: its name as a program imports it, and where it lies."""

    name: str
    path: Path
    is_folder: bool

    @property
    def place(self) -> str:
        """Its path within the project."""
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        """What it says."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax."""
        return ast.parse(self.text)

    def public_names(self) -> Iterator[str]:
        """The public classes, functions, constants and types that it defines at its top level."""
        for node in self.tree.body:
            if isinstance(node, Definition):
                names = [node.name]
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                each = [one for target in targets for one in getattr(target, "elts", [target])]
                names = [name.id for name in each if isinstance(name, ast.Name)]
            else:
                continue
            yield from (name for name in names if not name.startswith("_"))

    def functions(self) -> Iterator[Function]:
        """Every function and method."""
        yield from (node for node in ast.walk(self.tree) if isinstance(node, Function))

    def exported(self) -> list[str]:
        """What ``__all__`` says."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                names: list[str] = ast.literal_eval(node.value)
                return names
        raise AssertionError(f"{self.place} has no __all__")


@cache
def pyproject() -> dict[str, Any]:
    """The project's own description."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def folders() -> dict[str, Path]:
    """The folder of each package that is not named like its folder."""
    return {name: ROOT / path for name, path in pyproject()["tool"]["setuptools"]["package-dir"].items()}


@cache
def modules() -> dict[str, Module]:
    """Every module of the product by name."""
    found = {}
    for package, folder in folders().items():
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            is_folder = parts[-1] == "__init__"
            name = ".".join([package, *(parts[:-1] if is_folder else parts)])
            found[name] = Module(name, path, is_folder)
    return found


def installed() -> list[Module]:
    """The modules that are installed: all but the benchmarks."""
    return [each for each in modules().values() if not each.name.startswith(SCRIPTS)]
