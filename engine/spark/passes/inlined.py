"""Bindings that are as quick to evaluate where they are used stand there, and so do those that are used once."""

from __future__ import annotations

from sqlglot import exp

from mqclause.language.sql import Node
from mqclause.spark.passes.trees import Uses, closed, uses_in, without_functions
from mqclause.tables.bindings import Plan

READING = (
    exp.Column, exp.Identifier, exp.Coalesce, exp.Literal, exp.Boolean, exp.Cast, exp.DataType, exp.Array,
    exp.ArraySize,
)  # fmt: skip
MOST_COMPARED = 12
"""Comparisons that a binding may become by standing where it is used: each is looked at again by Spark's analyzer."""

COMPARING = (exp.EQ, exp.NEQ, exp.Not, exp.And, exp.Or, exp.Case, exp.If)


def inlined(plan: Plan) -> Plan:
    """The plan without bindings that are quick, and without those that are used once but not for each item of a list.

    Example:
        ``queue = COALESCE(put.queue, ''); few = FILTER(items, c -> c > 1)`` for the answer
        ``CASE WHEN queue = '' THEN ARRAY_LENGTH(few) ELSE queue END``
        becomes ``CASE WHEN COALESCE(put.queue, '') = '' THEN ARRAY_LENGTH(FILTER(items, c -> c > 1))
        ELSE COALESCE(put.queue, '') END``.
    """
    trees, gone = without_functions(plan), list[str]()
    uses = uses_in([*trees.bindings.values(), *trees.answer.values()])
    for name, root in trees.bindings.items():
        tree, found = root.this, uses[name]
        if _is_quick(tree) and len(found) * _compared(tree) <= MOST_COMPARED:
            gone.append(name)
            _replaced(found, tree, uses)
        elif len(found) == 1 and not found[0].table and found[0].find_ancestor(exp.Lambda) is None:
            gone.append(name)
            found[0].replace(tree)
    return closed(trees, gone)


def _is_quick(tree: Node) -> bool:
    """Whether a tree reads what the row says, or its default, or the length of a list, or compares two such.

    Spark takes as long to bind a value as to compare twice.
    """
    return _compared(tree) <= 2 and all(isinstance(each, READING + COMPARING) for each in tree.walk())


def _compared(tree: Node) -> int:
    return sum(isinstance(each, exp.EQ | exp.NEQ) for each in tree.walk())


def _replaced(places: list[exp.Column], tree: Node, uses: Uses) -> None:
    """Puts a tree wherever its binding is used; what it uses in turn is then used in each place."""
    for place in places:
        copy = tree.copy()
        for name, found in uses_in([copy]).items():
            uses[name] += found
        place.replace(copy)
