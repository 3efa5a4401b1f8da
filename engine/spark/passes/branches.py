"""Runs of rules stand in one branch of a CASE: rows that have nothing for them take the other."""

from __future__ import annotations

from attrs import evolve
from sqlglot import exp

from mqclause.language.sql import Node, when
from mqclause.tables.bindings import Plan
from mqclause.tables.functions import column


def in_branches(plan: Plan) -> Plan:
    """The plan with a binding after each run, which is used in place of the list that the run made.

    Example:
        A run from ``all`` to ``left`` for rows in which ``ARRAY_LENGTH(all) > 1``:
        ``left_run = CASE WHEN ARRAY_LENGTH(all) > 1 THEN left ELSE all END``
        comes after ``left``, and stands for it from there on.
    """
    spans = {span.after.name: span for span in plan.spans}
    instead: dict[str, str] = {}

    def renamed(tree: Node) -> Node:
        def one(node: Node) -> Node:
            known = isinstance(node, exp.Column) and not node.table and node.name in instead
            return column(instead[node.name]) if known else node

        return tree.transform(one)

    bindings: dict[str, Node] = {}
    for name, tree in plan.bindings.items():
        bindings[name] = renamed(tree)
        if name in spans:
            span = spans[name]
            bindings[f"{name}_run"] = when(renamed(span.condition), span.after.copy(), renamed(span.before))
            instead[name] = f"{name}_run"
    return evolve(plan, bindings=bindings, answer={name: renamed(tree) for name, tree in plan.answer.items()}, spans=())
