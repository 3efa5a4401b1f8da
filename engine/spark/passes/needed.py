"""Bindings that nothing needs are left out."""

from __future__ import annotations

from attrs import evolve

from mqclause.tables.bindings import Plan, names_in


def needed(plan: Plan) -> Plan:
    """The plan without the bindings that the answer needs nothing of.

    Example:
        ``mq_one = a; mq_two = mq_one; mq_three = mq_two`` for the answer ``mq_two``
        becomes ``mq_one = a; mq_two = mq_one``.
    """
    found = set(names_in(plan.answer.values(), plan.bindings))
    for name in reversed(list(plan.bindings)):
        if name in found:
            found.update(names_in([plan.bindings[name]], plan.bindings))
    return evolve(plan, bindings={name: tree for name, tree in plan.bindings.items() if name in found})
