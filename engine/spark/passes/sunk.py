"""What only one branch of a CASE uses is bound in that branch: rows that take another do without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from mqclause.language.sql import Node
from mqclause.spark.passes.bound import bound
from mqclause.spark.passes.trees import closed, uses_in, without_functions
from mqclause.tables.bindings import Plan


def sunk(plan: Plan) -> Plan:
    """The plan without the bindings that only one branch of a CASE uses: it binds them itself, where it is taken.

    Example:
        ``few = FILTER(items, c -> c > 1)`` for the answer ``CASE WHEN wanted THEN ARRAY_CONCAT(few, few) END``
        becomes ``CASE WHEN wanted THEN BOUND(few, FILTER(items, c -> c > 1), ARRAY_CONCAT(few, few)) END``.
    """
    trees, gone = without_functions(plan), list[str]()
    uses = uses_in([*trees.bindings.values(), *trees.answer.values()])
    for name in reversed(list(plan.bindings)):
        branch = _branch_of(uses[name])
        if branch is not None:
            gone.append(name)
            place = exp.Placeholder()
            branch.replace(place)
            place.replace(bound(name, _where_it_holds(trees.bindings[name].this, place), branch))
    return closed(trees, gone)


def _where_it_holds(tree: Node, branch: Node) -> Node:
    """What a value comes to in the branch of a CASE whose condition is also that of the value."""
    known = branch.parent.this if branch.arg_key == "true" and isinstance(branch.parent, exp.If) else None
    ifs = tree.args["ifs"] if isinstance(tree, exp.Case) else []
    return ifs[0].args["true"] if ifs and ifs[0].this == known else tree


def _branch_of(uses: Sequence[Node]) -> Node | None:
    """The innermost branch of a CASE that all the uses are in."""
    if not uses:
        return None
    first, *others = ({id(branch): branch for branch in _branches(use)} for use in uses)
    return next((branch for found, branch in first.items() if all(found in other for other in others)), None)


def _branches(node: Node) -> Iterator[Node]:
    """The branches that a node is in, the innermost first, without those evaluated for each item of a list."""
    found: list[Node] = []
    while isinstance(parent := node.parent, exp.Expression):
        if isinstance(parent, exp.Lambda):
            found.clear()
        elif (node.arg_key == "true" and isinstance(parent, exp.If)) or node.arg_key == "default":
            found.append(node)
        node = parent
    return iter(found)
