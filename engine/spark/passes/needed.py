"""Bindings that nothing needs are left out."""

from __future__ import annotations

from attrs import evolve

from mqclause.tables.bindings import Plan, names_in


def needed(plan: Plan) -> Plan:
    """The plan without the bindings that the answer needs nothing of.

    Example:
        ``one = a; two = one; three = two`` for the answer ``two``
        becomes ``one = a; two = one``.
    """
    found = set(names_in(plan.answer.values(), plan.bindings))
    for name in reversed(list(plan.bindings)):
        if name in found:
            found.update(names_in([plan.bindings[name]], plan.bindings))
    return evolve(plan, bindings={name: tree for name, tree in plan.bindings.items() if name in found})
