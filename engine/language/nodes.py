"""The nodes of conditions: small, immutable trees that compare by value.

The language has no others. ``syntax.py`` makes them from SQL text. What checks, runs or rewrites conditions knows only
these nodes, so rules that are kept ready need no SQL parser.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, ClassVar, Final, Self, TypeVar

ALLOWED = (
    "AND, OR, NOT, = <> < <= > >=, + - * /, IN (…), CASE WHEN … THEN … ELSE … END, "
    "FLOOR(x), ARRAY_CONTAINS(names, name), COUNT_IF(condition)"
)

MOST_CHARACTERS = 10_000
"""Characters of an expression."""

MOST_LEVELS = 60
"""Levels of an expression, one in another: what is generated of it has to stay within the limits of its language."""

TOO_DEEP = f"is nested too deep; allowed: {MOST_LEVELS} levels"

Found = TypeVar("Found", bound="Expression")


class ExpressionError(ValueError):
    """An expression that is not in the language; ``column`` counts from 1, or is None where it is not known."""

    def __init__(self, message: str, column: int | None = None) -> None:
        self.column = column
        super().__init__(message if column is None else f"column {column}: {message}")


class Expression:
    """A node: its ``parts`` are the expressions that it consists of, in the order in which they are written."""

    __slots__ = ("_hash",)

    def __init__(self, *key: object) -> None:
        self._hash: Final = hash((type(self), key))

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The expressions that it consists of."""
        return ()

    @classmethod
    def build(cls, *parts: Any) -> Self:
        """Build a node of its parts."""
        return cls(*parts)

    def sql(self) -> str:
        """Write it as rule files have it."""
        raise NotImplementedError

    def walk(self, outside: type[Expression] | None = None) -> Iterator[Expression]:
        """List the node and all below it, level by level; what is below a node of the kind ``outside`` is left out."""
        waiting = deque[Expression]((self,))
        while waiting:
            node = waiting.popleft()
            yield node
            if outside is None or not isinstance(node, outside):
                waiting.extend(node.parts)

    def find_all(self, *kinds: type[Found], outside: type[Expression] | None = None) -> Iterator[Found]:
        """Find the nodes of these kinds, level by level; see ``walk``."""
        return (node for node in self.walk(outside) if isinstance(node, kinds))

    def find(self, kind: type[Found]) -> Found | None:
        """Find the first node of a kind, if there is one."""
        return next(self.find_all(kind), None)

    def transform(self, change: Callable[[Expression], Expression]) -> Expression:
        """Replace each node by what ``change`` returns for it, from the top; a replaced node is not descended into."""
        changed = change(self)
        if changed is not self or not self.parts:
            return changed
        parts = [each.transform(change) for each in self.parts]
        return self if all(map(operator.is_, parts, self.parts)) else self.build(*parts)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other) or not isinstance(other, Expression):
            return NotImplemented
        return self._hash == other._hash and self._key() == other._key()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).build, self.parts

    def __repr__(self) -> str:
        return self.sql()

    def _key(self) -> tuple[object, ...]:
        return self.parts


class Column(Expression):
    """A word: an attribute, a derived fact or a term; ``start`` is where it stands in its text, if in one."""

    __slots__ = ("name", "start")

    def __init__(self, name: str, start: int | None = None) -> None:
        self.name: Final = name
        self.start: Final = start
        super().__init__(name)

    def sql(self) -> str:
        """Write the word."""
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return Column, (self.name, self.start)

    def _key(self) -> tuple[object, ...]:
        return (self.name,)


class Literal(Expression):
    """A text, or a number as it is written."""

    __slots__ = ("is_string", "this")

    def __init__(self, this: str, is_string: bool) -> None:
        self.this: Final = this
        self.is_string: Final = is_string
        super().__init__(this, is_string)

    @property
    def is_int(self) -> bool:
        """Whether it is a whole number."""
        return not self.is_string and self.this.removeprefix("-").isdigit()

    def sql(self) -> str:
        """Write the value."""
        return "'{}'".format(self.this.replace("'", "''")) if self.is_string else self.this

    def __reduce__(self) -> tuple[Any, ...]:
        return Literal, (self.this, self.is_string)

    def _key(self) -> tuple[object, ...]:
        return self.this, self.is_string


class Boolean(Expression):
    """TRUE or FALSE."""

    __slots__ = ("this",)

    def __init__(self, this: bool) -> None:
        self.this: Final = this
        super().__init__(this)

    def sql(self) -> str:
        """Write the value."""
        return "TRUE" if self.this else "FALSE"

    def __reduce__(self) -> tuple[Any, ...]:
        return Boolean, (self.this,)

    def _key(self) -> tuple[object, ...]:
        return (self.this,)


class Unary(Expression):
    """A node of one part, and what is written around it."""

    __slots__ = ("this",)
    __match_args__ = ("this",)
    form: ClassVar[str]

    def __init__(self, this: Expression) -> None:
        self.this: Final = this
        super().__init__(this)

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The part."""
        return (self.this,)

    def sql(self) -> str:
        """Write it with its part."""
        return self.form.format(self.this.sql())


class Paren(Unary):
    """An expression in parentheses."""

    __slots__ = ()
    form = "({})"


class Not(Unary):
    """A condition that does not hold."""

    __slots__ = ()
    form = "NOT {}"


class Floor(Unary):
    """The whole number at or below a number."""

    __slots__ = ()
    form = "FLOOR({})"


class CountIf(Unary):
    """The number of remaining candidates for which a condition holds."""

    __slots__ = ()
    form = "COUNT_IF({})"


class Binary(Expression):
    """A node of two parts, and what is written around them."""

    __slots__ = ("expression", "this")
    __match_args__ = ("this", "expression")
    form: ClassVar[str]

    def __init__(self, this: Expression, expression: Expression) -> None:
        self.this: Final = this
        self.expression: Final = expression
        super().__init__(this, expression)

    @property
    def parts(self) -> tuple[Expression, ...]:
        """Both parts."""
        return self.this, self.expression

    def sql(self) -> str:
        """Write it with its parts."""
        return self.form.format(self.this.sql(), self.expression.sql())


class And(Binary):
    """Two conditions that both hold."""

    __slots__ = ()
    form = "{} AND {}"


class Or(Binary):
    """Two conditions of which at least one holds."""

    __slots__ = ()
    form = "{} OR {}"


class EQ(Binary):
    """Two values that are the same."""

    __slots__ = ()
    form = "{} = {}"


class NEQ(Binary):
    """Two values that differ."""

    __slots__ = ()
    form = "{} <> {}"


class LT(Binary):
    """A number below another."""

    __slots__ = ()
    form = "{} < {}"


class LTE(Binary):
    """A number at or below another."""

    __slots__ = ()
    form = "{} <= {}"


class GT(Binary):
    """A number above another."""

    __slots__ = ()
    form = "{} > {}"


class GTE(Binary):
    """A number at or above another."""

    __slots__ = ()
    form = "{} >= {}"


class Add(Binary):
    """A sum."""

    __slots__ = ()
    form = "{} + {}"


class Sub(Binary):
    """A difference."""

    __slots__ = ()
    form = "{} - {}"


class Mul(Binary):
    """A product."""

    __slots__ = ()
    form = "{} * {}"


class Div(Binary):
    """A quotient."""

    __slots__ = ()
    form = "{} / {}"


class ArrayContains(Binary):
    """A list of names that has a name."""

    __slots__ = ()
    form = "ARRAY_CONTAINS({}, {})"


class In(Expression):
    """A value that is one of those listed."""

    __slots__ = ("expressions", "this")

    def __init__(self, this: Expression, expressions: Sequence[Literal]) -> None:
        self.this: Final = this
        self.expressions: Final = tuple(expressions)
        super().__init__(this, self.expressions)

    @classmethod
    def build(cls, *parts: Any) -> Self:
        """Build the node of the value and of those listed."""
        return cls(parts[0], parts[1:])

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The value and those listed."""
        return self.this, *self.expressions

    def sql(self) -> str:
        """Write it with its list."""
        return f"{self.this.sql()} IN ({', '.join(each.sql() for each in self.expressions)})"


class Branch(Expression):
    """A branch of a CASE: what it comes to when a condition holds."""

    __slots__ = ("then", "when")

    def __init__(self, when: Expression, then: Expression) -> None:
        self.when: Final = when
        self.then: Final = then
        super().__init__(when, then)

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The condition and the value."""
        return self.when, self.then

    def sql(self) -> str:
        """Write it within a CASE."""
        return f"WHEN {self.when.sql()} THEN {self.then.sql()}"


class Case(Expression):
    """The value of the first branch whose condition holds, else the ``default``."""

    __slots__ = ("branches", "default")

    def __init__(self, branches: Sequence[Branch], default: Expression) -> None:
        self.branches: Final = tuple(branches)
        self.default: Final = default
        super().__init__(self.branches, default)

    @classmethod
    def build(cls, *parts: Any) -> Self:
        """Build the node of its branches and, behind them, the default."""
        return cls(parts[:-1], parts[-1])

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The branches and the default."""
        return *self.branches, self.default

    @property
    def values(self) -> tuple[Expression, ...]:
        """All that it can come to."""
        return *(each.then for each in self.branches), self.default

    def sql(self) -> str:
        """Write it with its branches."""
        return f"CASE {' '.join(each.sql() for each in self.branches)} ELSE {self.default.sql()} END"


TRUE = Boolean(True)
FALSE = Boolean(False)


def _divide(one: float, other: float) -> float:
    """Divide as SQL does, which makes numbers of 64 bits of whole ones first."""
    return float(one) / float(other)


COMPARISON_FUNCTIONS: Mapping[type[Binary], Callable[[Any, Any], bool]] = {
    EQ: operator.eq, NEQ: operator.ne, LT: operator.lt, LTE: operator.le, GT: operator.gt, GTE: operator.ge,
}  # fmt: skip
ARITHMETIC_FUNCTIONS: Mapping[type[Binary], Callable[[Any, Any], Any]] = {
    Add: operator.add, Sub: operator.sub, Mul: operator.mul, Div: _divide,
}  # fmt: skip
"""What operators give where both values are known."""

COMPARISONS, ARITHMETIC = tuple(COMPARISON_FUNCTIONS), tuple(ARITHMETIC_FUNCTIONS)
ORDERINGS = (LT, LTE, GT, GTE)
PREDICATES: tuple[type[Binary | In], ...] = (*COMPARISONS, In)
"""Conditions that contain no other condition."""

WITH_PARTS: tuple[type[Expression], ...] = (
    And, Or, Not, Paren, *COMPARISONS, *ARITHMETIC, ArrayContains, In, Branch, Case, Floor, CountIf,
)  # fmt: skip
"""The kinds of nodes that have parts."""


def build_value(value: str | float) -> Literal | Boolean:
    """Build a value of the language."""
    if isinstance(value, bool):
        return Boolean(value)
    return Literal(value, True) if isinstance(value, str) else Literal(repr(value), False)


def get_literal_value(tree: Literal) -> str | int | float:
    """Return the value of a literal as Python holds it."""
    if tree.is_string:
        return tree.this
    return int(tree.this) if tree.is_int else float(tree.this)


def strip_parentheses(tree: Expression) -> Expression:
    """Remove the parentheses of ``tree`` that group nothing."""
    while isinstance(tree, Paren):
        tree = tree.this
    return tree


def get_word(tree: Expression) -> str:
    """Return the name of the word that a tree is; blank if it is none."""
    plain = strip_parentheses(tree)
    return plain.name if isinstance(plain, Column) else ""


def build_and(*conditions: Expression) -> Expression:
    """Build the condition that all of these hold."""
    return reduce(And, conditions)


def find_column(tree: Expression) -> int | None:
    """Find where in its text a tree begins, counted from 1."""
    starts = [word.start for word in tree.find_all(Column) if word.start is not None]
    return min(starts) + 1 if starts else None
