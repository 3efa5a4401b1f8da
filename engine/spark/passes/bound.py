"""Bindings around what uses them: a plan as one tree."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from sqlglot import exp

from mqclause.language.sql import Node
from mqclause.spark.passes.trees import found_in
from mqclause.tables.bindings import Plan, names_in
from mqclause.tables.functions import struct_of

DEEPEST_STATE = 50
"""Bindings around one another."""


class Bound(exp.Expression, exp.Func):
    """``result``, in which the name ``this`` is ``value``."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "value": True, "result": True}


def bound(name: str, value: Node, result: Node) -> Node:
    """``result``, in which ``name`` is ``value``."""
    return Bound(this=exp.to_identifier(name), value=value, result=result)


def nested(plan: Plan, inputs: Collection[str] = ()) -> Node:
    """The answer of a plan with each binding around all that comes after it; ``inputs`` are fields of ``row``.

    So that many rules do not nest too deep for a parser, some bindings at a time make a state, a struct of what later
    ones need.

    Example:
        ``one = a; two = one + b`` for the answer ``{sum: two}``
        becomes ``BOUND(one, a, BOUND(two, one + b, {sum: two}))``.
    """
    every = list(plan.bindings)
    blocks = [every[start : start + DEEPEST_STATE] for start in range(0, len(every), DEEPEST_STATE)] or [[]]
    path: dict[str, str] = dict.fromkeys(inputs, "row")
    state: Node | None = None
    for block in blocks:
        fields = plan.answer if block is blocks[-1] else _kept_after(plan, every.index(block[-1]) + 1)
        tree = struct_of({name: found_in(node, path) for name, node in fields.items()})
        for name in reversed(block):
            tree = bound(name, found_in(plan.bindings[name], path), tree)
        state = bound("state", state, tree) if state is not None else tree
        path |= dict.fromkeys(block, "state")
    assert state is not None  # noqa: S101 - there is a block at least
    return state


def _kept_after(plan: Plan, count: int) -> dict[str, Node]:
    """Those of the first ``count`` bindings that later ones or the answer use, each as it stands."""
    made, later = list(plan.bindings)[:count], list(plan.bindings.values())[count:]
    used = set(names_in((*later, *plan.answer.values()), plan.bindings))
    return {name: exp.column(name) for name in made if name in used}
