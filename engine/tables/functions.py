"""The functions of SQL that plans are written with, and bindings: names for values that are computed once.

Places in a list count from 0, but for what ``find_place`` gives. A function of each item is an ``exp.Lambda``, whose
variables are identifiers and no columns, so that the columns of a tree are what it needs of a row.

Trees may share what they are built of: they are copied when they are bound, and when they are rendered.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from attrs import define, field, frozen
from sqlglot import exp

from mqclause.language.sql import Node, build_literal

PREFIX = "__mqclause_"
"""What the names of bindings, and of all columns that are added for our own use, begin with. Others are the user's."""

ALONG = f"{PREFIX}along_"
"""What names of columns begin with that ``mqclause batch`` has go along with those of the user."""


def build_variable(name: str) -> exp.Identifier:
    """Write the variable of a lambda."""
    return exp.to_identifier(name)


EACH = build_variable(f"{PREFIX}each")
"""The variable of a function of structs: one that is no column's name, since fields of columns look like its fields."""


def build_list(items: list[Node], kind: str) -> Node:
    """Write a list of items of an SQL type."""
    return exp.cast(exp.Array(expressions=items), f"ARRAY<{kind}>")


NO_SUBJECTS = build_list([], "BIGINT")
"""No subjects. A tree like this one is copied when it is bound."""


class _OfTwo(exp.Expression, exp.Func):
    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expression": True}


class NoneOf(_OfTwo):
    """Whether the function holds for no item of a list."""


class Item(_OfTwo):
    """The item of a list at a place, null outside."""


class Sorted(_OfTwo):
    """A list in order: from its lowest item if the second argument is TRUE, from its highest if it is FALSE."""


class DifferingBits(_OfTwo):
    """The bits in which the numbers of a list differ, and one of the numbers."""


class _OfOne(exp.Expression, exp.Func):
    arg_types: ClassVar[dict[str, bool]] = {"this": True}


class Unpadded(_OfOne):
    """A text without the blanks at its end."""


class JsonText(_OfOne):
    """The text that a JSON value is; of what is none, one that no name of MQ is."""


class TextLength(_OfOne):
    """The length of a text, in characters or in bytes."""


class TogetherAsText(_OfOne):
    """The texts of a tuple one after the other; those that are null are left out."""


class ListAsText(_OfOne):
    """The texts of a list in the same way."""


class HasOddLetters(_OfOne):
    """Whether a text has a character that no name of MQ has; it may hold of a few texts that have none."""


class FloatText(_OfOne):
    """A floating-point number as text, the way that Python writes it: 1.5, 1e+20, inf."""


class Total(_OfOne):
    """The sum of a list of numbers, as a floating-point number; of none it is 0."""


class Hashed(_OfOne):
    """The first ten hexadecimal digits of the MD5 of a text, as a number."""


class Bucket(exp.Expression, exp.Func):
    """A whole number of 64 bits for several values: always the same for the same ones, by chance for others."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}
    is_var_len_args = True


class Apart(_OfOne):
    """A value that only few rows need, kept out of what is evaluated for all."""


class Gathered(_OfTwo):
    """The list of a value in those rows of a window for which a condition holds."""


def build_column(name: str, struct: str = "") -> exp.Column:
    """Write a column, or a field of a struct that is one."""
    return exp.column(name, table=struct or None)


def get_field(struct: Node, name: str) -> Node:
    """Write a field of a struct that is no column."""
    return exp.Dot(this=struct, expression=exp.to_identifier(name))


def build_lambda(result: Node, *variables: str) -> exp.Lambda:
    """Write a lambda over the items of a list."""
    return exp.Lambda(this=result, expressions=[build_variable(each) for each in variables])


def map_items(items: Node, result: Node, *variables: str) -> Node:
    """Write ``result`` for each item of a list.

    The item is ``c`` in it unless ``variables`` name another; a second variable is the item's place.
    """
    return exp.Transform(this=items, expression=build_lambda(result, *(variables or ("c",))))


def filter_items(items: Node, condition: Node, *variables: str) -> Node:
    """Write the items for which a condition holds; variables are as in ``map_items``."""
    return exp.ArrayFilter(this=items, expression=build_lambda(condition, *(variables or ("c",))))


def get_item(items: Node, place: Node | int) -> Node:
    """Write the item at a place."""
    return Item(this=items, expression=exp.Literal.number(place) if isinstance(place, int) else place)


def take_first(items: Node, number: Node) -> Node:
    """Write the first ``number`` items of a list."""
    return exp.ArraySlice(this=items, start=exp.Literal.number(1), end=number)


def has_item(items: Node, one: Node) -> Node:
    """Write the test whether an item is in a list."""
    return exp.ArrayContains(this=items, expression=one)


def find_place(items: Node, one: Node) -> Node:
    """Write the place of an item in a list, from 1; null if it is not there."""
    return exp.ArrayPosition(this=items, expression=one)


def count_items(items: Node) -> Node:
    """Write the number of items."""
    return exp.ArraySize(this=items)


def has_more_than(items: Node, number: int) -> Node:
    """Write the test whether a list has more than ``number`` items."""
    return exp.GT(this=count_items(items), expression=exp.Literal.number(number))


def concat_lists(one: Node, other: Node) -> Node:
    """Write one list followed by the other."""
    return exp.ArrayConcat(this=one, expressions=[other])


def sort_items(items: Node, descending: bool = False) -> Node:
    """Write a list in order."""
    return Sorted(this=items, expression=exp.false() if descending else exp.true())


def coalesce(value: Node, *others: Node) -> Node:
    """Write the first of the values that is not null."""
    return exp.Coalesce(this=value, expressions=list(others))


def is_null(value: Node) -> Node:
    """Write the test whether a value is null."""
    return exp.Is(this=value, expression=exp.null())


def build_struct(fields: Mapping[str, Node]) -> Node:
    """Write a struct of these fields."""
    made = [exp.PropertyEQ(this=exp.to_identifier(name), expression=value) for name, value in fields.items()]
    return exp.Struct(expressions=made)


def _build_operation(kind: Callable[..., Any]) -> Callable[[Node, Node | str | float], Node]:
    def write(one: Node, other: Node | str | float) -> Node:
        made: Node = kind(this=one, expression=other if isinstance(other, exp.Expression) else build_literal(other))
        return made

    return write


add, subtract, multiply, divide = map(_build_operation, (exp.Add, exp.Sub, exp.Mul, exp.Div))
is_greater, is_at_least, is_less, is_unequal = map(_build_operation, (exp.GT, exp.GTE, exp.LT, exp.NEQ))
bit_and, bit_xor, shift_right = map(_build_operation, (exp.BitwiseAnd, exp.BitwiseXor, exp.BitwiseRightShift))
"""Write an operation on two values, of which the second may be a number or a text itself."""


def concat_texts(*parts: Node | str) -> Node:
    """Write texts one after the other."""
    whole, *rest = [exp.Literal.string(each) if isinstance(each, str) else each for each in parts]
    for each in rest:
        whole = exp.DPipe(this=whole, expression=each, safe=True)
    return whole


@define
class Bindings:
    """Collects bindings in order. A tree is copied when it is bound, so trees may share what they are built of."""

    found: dict[str, Node] = field(factory=dict)
    _made: dict[Node, str] = field(factory=dict)

    def bind(self, name: str, tree: Node) -> Node:
        """Bind ``tree`` to a variation of ``name``, unless it is a binding itself; return the binding as a column."""
        if isinstance(tree, exp.Column) and tree.name in self.found:
            return tree
        unique, number = f"{PREFIX}{name}", 1
        while unique in self.found:
            number += 1
            unique = f"{PREFIX}{name}_{number}"
        self.found[unique] = kept = tree.copy()
        self._made.setdefault(kept, unique)
        return build_column(unique)

    def same(self, name: str, tree: Node) -> Node:
        """Return the binding of an equal tree, or bind it."""
        made = self._made.get(tree)
        return build_column(made) if made else self.bind(name, tree)

    def once(self, name: str, tree: Node) -> Node:
        """Return the binding of exactly that name; bind ``tree`` to it if it is not there yet."""
        return build_column(f"{PREFIX}{name}") if f"{PREFIX}{name}" in self.found else self.bind(name, tree)

    def spelt_out(self, tree: Node) -> Node:
        """Replace each binding in a tree by what it is made of, down to the columns of the row."""

        def made_of(node: Node) -> Node:
            is_bound = isinstance(node, exp.Column) and node.name in self.found
            return self.spelt_out(self.found[node.name]) if is_bound else node

        return tree.transform(made_of)


@frozen(eq=False)
class Plan:
    """A plan that answers a row: ``bindings`` in order, each over columns and earlier bindings, and a struct.

    ``made`` are the names of the bindings that each rule made, by its id; several rules may be one pass. ``legend``
    says of each packed word how it stands in the number that is a subject.
    """

    bindings: Mapping[str, Node]
    answer: Mapping[str, Node]
    made: Mapping[str, Collection[str]] = field(factory=dict)
    legend: Mapping[str, str] = field(factory=dict)

    def levels(self) -> list[dict[str, Node]]:
        """Group the bindings into levels, each of which needs only the levels before it."""
        level: dict[str, int] = {}
        groups: list[dict[str, Node]] = []
        for name, tree in self.bindings.items():
            level[name] = 1 + max((level[used] for used in find_bindings([tree], level)), default=-1)
            if level[name] == len(groups):
                groups.append({})
            groups[level[name]][name] = tree
        return groups


def find_bindings(trees: Iterable[Node], known: Collection[str]) -> Iterator[str]:
    """Find the bindings that trees use; a binding may be a struct, of which they use a field."""
    for tree in trees:
        for each in tree.find_all(exp.Column):
            name = each.parts[0].name
            if name in known:
                yield name
