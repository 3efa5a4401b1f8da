"""Plans read from text, for tests: our own functions by the names under which sqlglot prints them."""

from __future__ import annotations

import sqlglot
from sqlglot import Dialect, exp, parse_one

from mqclause.language.sql import Node
from mqclause.tables import functions
from mqclause.tables.functions import Plan
from mqclause.tables.query import add_parentheses

OURS = [each for each in vars(functions).values() if isinstance(each, type) and issubclass(each, exp.Func)]


class PlanText(Dialect):
    class Parser(sqlglot.Parser):
        FUNCTIONS = {  # noqa: RUF012 - as in sqlglot
            **sqlglot.Parser.FUNCTIONS,
            **{each.sql_name(): each.from_arg_list for each in OURS if not each.__name__.startswith("_")},
        }


def tree(text: str) -> Node:
    """The tree of a text; brackets group it and are no part of it."""
    root = exp.Tuple(expressions=[parse_one(text, read=PlanText)])
    for group in reversed(list(root.find_all(exp.Paren))):
        group.replace(group.this)
    found: Node = root.expressions[0].pop()
    return found


def text(found: Plan) -> list[str]:
    """The bindings of a plan and its answer, a line each."""
    lines = [f"{name} = {plain(each)}" for name, each in found.bindings.items()]
    return [*lines, *(f"{name}: {plain(each)}" for name, each in found.answer.items())]


def plain(node: Node) -> str:
    """A tree as text, with the brackets that it needs."""
    return add_parentheses(node.copy()).sql(dialect=PlanText)
