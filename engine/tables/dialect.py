"""Trees of a plan as text: our own functions become those of a dialect, then operations get their brackets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from string import ascii_letters
from typing import Any

from attrs import frozen
from sqlglot import Dialect, exp

from mqclause.language.sql import Node, when
from mqclause.tables.columns import letter_case
from mqclause.tables.functions import InCase

Lowering = Callable[[Any], Node]
"""What a node of one of our classes is in a dialect; its parts may be used once each."""


@frozen
class PlanDialect:
    """A dialect of sqlglot's and what each of our functions is in it."""

    name: str
    lowerings: Mapping[type, Lowering]

    def text(self, tree: Node, quoted: bool = False) -> str:
        """A tree as SQL; ``quoted`` names may be keywords."""
        return bracketed(self.lowered(tree)).sql(dialect=self.name, identify=quoted, copy=False)

    def readable(self, tree: Node) -> str:
        """A tree as SQL in lines that a person can read."""
        kind = Dialect.get_or_raise(self.name).generator_class
        lines = type("Readable", (kind,), {"paren_sql": lambda self, node: f"({self.sql(node, 'this')})"})
        made: str = lines(dialect=self.name, pretty=True).generate(bracketed(self.lowered(tree)))
        return made

    def lowered(self, tree: Node) -> Node:
        """A copy of a tree in which our functions are those of the dialect."""
        made: Node = exp.Paren(this=tree.copy())
        # The innermost first, since a function may take its arguments apart.
        for node in reversed(list(made.bfs())):
            lowering = self.lowerings.get(type(node))
            if lowering is not None:
                node.replace(lowering(node))
        return made.this.pop()  # type: ignore[no-any-return]


def call(name: str, *arguments: Node) -> Node:
    """A call of a function by its name in the dialect."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def call_named(name: str) -> Lowering:
    """A function that the dialect has under another name."""
    return lambda node: call(name, *node.iter_expressions())


def other_case(words: Node, text: Node) -> Node:
    """A text in the letter case that all words of an array have; as it is if they have none."""
    case = letter_case(each.name for each in words.expressions)
    if case == "mixed":
        return text.copy()
    # UPPER and LOWER make ASCII letters of other ones too, and not of the same ones in every engine.
    letters = "".join(sorted({letter for word in words.expressions for letter in word.name if letter in ascii_letters}))
    other = letters.lower() if case == "upper" else letters.upper()
    return call("TRANSLATE", text.copy(), exp.Literal.string(other), exp.Literal.string(letters))


def in_case(node: InCase) -> Node:
    """Changes the case of a text only where it is none of the words: Spark asks for the locale to do it."""
    words, text = node.this, node.expression
    cased = other_case(words, text)
    return text if cased == text else when(exp.In(this=text, expressions=words.expressions), text.copy(), cased)


_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.Is, exp.In, exp.Between)
_BITS = (exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseRightShift)
_LEVELS: Mapping[type, int] = {
    exp.Or: 1, exp.And: 2, exp.Not: 3, **dict.fromkeys(_COMPARISONS, 4), **dict.fromkeys(_BITS, 5),
    exp.Add: 6, exp.Sub: 6, exp.Mul: 7, exp.Div: 7, exp.Neg: 8,
}  # fmt: skip
"""How tight operations bind in every dialect."""

_CHAINS = (exp.And, exp.Or, exp.Add, exp.Mul, exp.BitwiseOr, exp.DPipe)


def bracketed(tree: Node) -> Node:
    """``tree`` with brackets around the operands that would not hold together without."""
    for node in list(tree.walk()):
        if _is_operation(node) and _is_operation(node.parent) and not _holds_together(node, node.parent):
            place = exp.Placeholder()
            node.replace(place)
            place.replace(exp.Paren(this=node))
    return tree


def _is_operation(node: object) -> bool:
    return type(node) in _LEVELS or (isinstance(node, exp.Binary) and not isinstance(node, exp.Dot | exp.PropertyEQ))


def _holds_together(node: exp.Expr, outer: exp.Expr | None) -> bool:
    in_chain = isinstance(outer, _CHAINS) and type(outer) is type(node) and node.arg_key == "this"
    return in_chain or _LEVELS.get(type(node), 0) > _LEVELS.get(type(outer), 9)
