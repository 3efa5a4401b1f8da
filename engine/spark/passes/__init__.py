"""A plan as one expression, for a back end where a column is one: passes over its trees, one after the other.

Spark's analyzer looks at one binding after the other, each time at the whole expression, and gives up after a hundred
looks. It takes longer than all that Python does, so few bindings are made, and what it can do at once stands together.
"""

from __future__ import annotations

from collections.abc import Collection

from mqclause.language.sql import Node
from mqclause.spark.passes.bound import nested
from mqclause.spark.passes.branches import in_branches
from mqclause.spark.passes.inlined import inlined
from mqclause.spark.passes.needed import needed
from mqclause.spark.passes.sunk import sunk
from mqclause.spark.passes.together import by_level, known_early
from mqclause.spark.passes.typed import typed
from mqclause.tables.bindings import Plan


def one_expression(plan: Plan, inputs: Collection[str] = ()) -> Node:
    """The answer of a plan over the columns that it is about; ``inputs`` are fields of ``row``."""
    few = sunk(inlined(needed(in_branches(plan))))
    return typed(nested(by_level(known_early(few)), inputs))
