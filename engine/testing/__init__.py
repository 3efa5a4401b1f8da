"""Assertions and a pytest fixture for a suite that tests a cluster; and the cases of the rules, with their mutants.

A name is loaded when it is first used; type checkers read them in the stub beside this.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["assert_fails", "assert_no_findings", "assert_routes", "assert_triggers"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.assertions"), name)
    globals()[name] = found
    return found
