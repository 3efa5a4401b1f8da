"""Numbers beside bits have the type of these: to find that out takes Spark's analyzer another look."""

from __future__ import annotations

from sqlglot import exp

from mqclause.language.sql import Node

OF_BITS = (exp.BitwiseAnd, exp.BitwiseRightShift)


def typed(tree: Node) -> Node:
    """The tree, in which whole numbers beside bits, which are of 64 bits, are so too.

    Example:
        ``c & 15 = 7`` becomes ``c & 15L = 7L``.
    """
    for node in list(tree.find_all(*OF_BITS, exp.EQ, exp.NEQ)):
        beside = [node.this] if isinstance(node, exp.BitwiseRightShift) else [node.this, node.expression]
        if isinstance(node, OF_BITS) or any(isinstance(each, exp.BitwiseAnd) for each in beside):
            for each in beside:
                if isinstance(each, exp.Literal) and each.is_number and each.name.isdecimal():
                    each.replace(exp.Literal(this=f"{each.name}L", is_string=False))
    return tree
