"""What Spark's analyzer can look at together is one binding: it takes several looks at each, one after the other."""

from __future__ import annotations

from attrs import evolve
from sqlglot import exp

from mqclause.language.sql import Node
from mqclause.spark.passes.trees import found_in
from mqclause.tables.bindings import Plan, names_in
from mqclause.tables.functions import PREFIX, column, struct_of


def known_early(plan: Plan) -> Plan:
    """The plan with a binding for each field of the answer that needs none of the last bindings.

    What stands in the answer is looked at again with every binding before it.

    Example:
        ``one = a + 1; two = one + 1`` for the answer ``{first: one + b, last: two}``
        has ``answer_first = one + b`` as well, for the answer ``{first: answer_first, last: two}``.
    """
    levels = plan.levels()
    late = levels[-1] if levels else {}
    early: dict[str, Node] = {}
    for name, tree in plan.answer.items():
        used = set(names_in([tree], plan.bindings))
        if used and not isinstance(tree, exp.Column) and used.isdisjoint(late):
            early[name] = tree
    bindings = {f"{PREFIX}answer_{name}": tree for name, tree in early.items()}
    answer = {name: column(f"{PREFIX}answer_{name}") if name in early else tree for name, tree in plan.answer.items()}
    return evolve(plan, bindings={**plan.bindings, **bindings}, answer=answer)


def by_level(plan: Plan) -> Plan:
    """The plan with one binding, a struct, for those that need nothing of each other.

    Example:
        ``one = a; two = b; three = one + two`` for the answer ``three``
        becomes ``level_0 = {one: a, two: b}; three = level_0.one + level_0.two``.
    """
    path: dict[str, str] = {}
    bindings: dict[str, Node] = {}
    for number, level in enumerate(plan.levels()):
        trees = {name: found_in(tree, path) for name, tree in level.items()}
        if len(level) > 1:
            together = f"{PREFIX}level_{number}"
            path |= dict.fromkeys(level, together)
            trees = {together: struct_of(trees)}
        bindings |= trees
    return evolve(plan, bindings=bindings, answer={name: found_in(tree, path) for name, tree in plan.answer.items()})
