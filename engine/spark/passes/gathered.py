"""Lists that grow in a branch: the branch is what is joined to them, so that such a list is used once and bare."""

from __future__ import annotations

from attrs import evolve
from sqlglot import exp

from mqclause.language.sql import Node, case
from mqclause.tables.bindings import Plan
from mqclause.tables.functions import NOBODY, joined


def gathered(plan: Plan) -> Plan:
    """The plan with each list that only grows as one list joined to another.

    Example:
        ``mq_more = CASE WHEN wanted THEN ARRAY_CONCAT(mq_some, items) ELSE mq_some END``
        becomes ``mq_more = ARRAY_CONCAT(mq_some, CASE WHEN wanted THEN items ELSE NOBODY END)``.
    """
    return evolve(plan, bindings={name: _gathered(tree) for name, tree in plan.bindings.items()})


def _gathered(tree: Node) -> Node:
    before = tree.args.get("default") if isinstance(tree, exp.Case) else None
    if before is None:
        return tree
    branches = [(each.this, each.args["true"]) for each in tree.args["ifs"]]
    if not all(isinstance(true, exp.ArrayConcat) and true.this == before for _, true in branches):
        return tree
    more = case([(condition.copy(), true.expressions[0].copy()) for condition, true in branches], NOBODY.copy())
    return more if before == NOBODY else joined(before.copy(), more)
