"""The trees of a plan, to be changed: each can be replaced whole, and all uses of a name are known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from attrs import evolve
from sqlglot import exp

from mqclause.language.sql import Node
from mqclause.tables.bindings import Plan

Uses = dict[str, list[exp.Column]]
"""The places in which each name is used."""


def without_functions(plan: Plan) -> Plan:
    """A copy of a plan whose trees may be changed: each stands in brackets, below which it can be replaced whole."""

    def each(trees: Mapping[str, Node]) -> dict[str, Node]:
        return {name: exp.Paren(this=tree.copy()) for name, tree in trees.items()}

    return evolve(plan, bindings=each(plan.bindings), answer=each(plan.answer))


def closed(plan: Plan, gone: Collection[str]) -> Plan:
    """The plan that was opened, as its trees are now, without the bindings that are ``gone``."""
    bindings = {name: tree.this for name, tree in plan.bindings.items() if name not in gone}
    return evolve(plan, bindings=bindings, answer={name: tree.this for name, tree in plan.answer.items()})


def uses_in(trees: Iterable[Node]) -> Uses:
    """Each column is a use of its own name and of the one that it is a field of."""
    found: Uses = defaultdict(list)
    for tree in trees:
        for each in tree.find_all(exp.Column):
            for name in {each.name, each.table}:
                found[name].append(each)
    return found


def found_in(tree: Node, path: Mapping[str, str]) -> Node:
    """A copy of a tree in which names are found that do not stand alone: ``path`` says in which struct."""

    def found(each: Node) -> Node:
        if not isinstance(each, exp.Column) or each.parts[0].name not in path:
            return each
        parts: list[Any] = [*reversed(each.parts), path[each.parts[0].name]]
        return exp.column(*parts)

    return tree.transform(found)
