"""Functions of the plan: nodes of our own, which each back end writes in its dialect; sqlglot writes all the rest.

Places in a list count from 0. A function of each item is an ``exp.Lambda``, whose variables are identifiers and no
columns, so that the columns of a tree are what it needs of a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sqlglot import exp

from mqclause.language.sql import Node

PREFIX = "mq_"
"""What the names of bindings begin with, so that they are no column's."""


class _OfOne(exp.Expression, exp.Func):
    arg_types: ClassVar[dict[str, bool]] = {"this": True}


class _OfTwo(exp.Expression, exp.Func):
    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expression": True}


class Each(_OfTwo):
    """The function of each item of a list; a second variable is the item's place."""


class Those(_OfTwo):
    """The items of a list for which the function holds."""


class NoneOf(_OfTwo):
    """Whether the function holds for no item of a list."""


class Item(_OfTwo):
    """The item of a list at a place, null outside."""


class FirstOf(_OfTwo):
    """The first so many items of a list."""


class Has(_OfTwo):
    """Whether a list has an item."""


class PlaceOf(_OfTwo):
    """The place of an item in a list, here from 1; null if it is not there."""


class Joined(_OfTwo):
    """The items of one list, then those of another."""


class LengthOf(_OfOne):
    """How many items a list has."""


class Sorted(_OfTwo):
    """A list in order: from its lowest item if the second argument is TRUE, from its highest if it is FALSE."""


class Highest(_OfOne):
    """The highest item of a list that is not null."""


class Lowest(_OfOne):
    """The lowest item of a list that is not null."""


class DifferingBits(_OfTwo):
    """The bits in which the numbers of a list differ, and one of the numbers."""


class WordPlace(_OfTwo):
    """The place of a text in an array of words, in the letter case of the words or as it is; from 1, or null."""


class InCase(_OfTwo):
    """A text in the letter case of an array of words; mixed words leave it as it is."""


class Unpadded(_OfOne):
    """A text without the blanks at its end."""


class TextLength(_OfOne):
    """How long a text is, in characters or in bytes."""


class TogetherAsText(_OfOne):
    """The texts of a tuple one after the other; those that are null are left out."""


class ListAsText(_OfOne):
    """The texts of a list in the same way."""


class HasOddLetters(_OfOne):
    """Whether a text has a character that no name of MQ has; it may hold of a few texts that have none."""


class FloatText(_OfOne):
    """A floating-point number as text, the way that Python writes it: 1.5, 1e+20, inf."""


class Total(_OfOne):
    """The sum of a list of whole numbers; of none it is 0."""


class Hashed(_OfOne):
    """The first ten hexadecimal digits of the MD5 of a text, as a number."""


class Bucket(exp.Expression, exp.Func):
    """A whole number of 64 bits for several values: always the same for the same ones, by chance for others."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}
    is_var_len_args = True


class Apart(_OfOne):
    """A text that only few rows need, evaluated on its own."""


class Gathered(_OfTwo):
    """The list of a value in those rows of a window for which a condition holds."""


class Folded(exp.Expression, exp.Func):
    """What a function of two, kept so far and item, makes of a list from a start on; null of no list."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expression": True, "start": True}


def column(name: str, struct: str = "") -> exp.Column:
    """A column, or a field of a struct that is one."""
    return exp.column(name, table=struct or None)


def variable(name: str) -> exp.Identifier:
    """The variable of a function."""
    return exp.to_identifier(name)


EACH = variable(f"{PREFIX}each")
"""The variable of a function of structs: one that is no column's name, since fields of columns look like its fields."""


def field_of(struct: Node, name: str) -> Node:
    """A field of a struct that is no column."""
    return exp.Dot(this=struct, expression=exp.to_identifier(name))


def function(result: Node, *variables: str) -> exp.Lambda:
    """A function of each item of a list."""
    return exp.Lambda(this=result, expressions=[variable(each) for each in variables])


def each(items: Node, result: Node, *variables: str) -> Node:
    """``result`` of each item, which is ``c`` in it unless other ``variables`` are named."""
    return Each(this=items, expression=function(result, *(variables or ("c",))))


def those(items: Node, condition: Node, name: str = "c") -> Node:
    """The items for which the condition holds."""
    return Those(this=items, expression=function(condition, name))


def item(items: Node, place: Node | int) -> Node:
    """The item at a place."""
    return Item(this=items, expression=exp.Literal.number(place) if isinstance(place, int) else place)


def length_of(items: Node) -> Node:
    """How many items there are."""
    return LengthOf(this=items)


def more_than(items: Node, number: int) -> Node:
    """Whether there are more than so many items."""
    return exp.GT(this=length_of(items), expression=exp.Literal.number(number))


def joined(one: Node, other: Node) -> Node:
    """One list, then the other."""
    return Joined(this=one, expression=other)


def in_order(items: Node, descending: bool = False) -> Node:
    """A list in order."""
    return Sorted(this=items, expression=exp.false() if descending else exp.true())


def coalesced(value: Node, *others: Node) -> Node:
    """The first of the values that is not null."""
    return exp.Coalesce(this=value, expressions=list(others))


def is_null(value: Node) -> Node:
    """Whether a value is null."""
    return exp.Is(this=value, expression=exp.null())


def struct_of(fields: Mapping[str, Node]) -> Node:
    """A struct of these fields."""
    made = [exp.PropertyEQ(this=exp.to_identifier(name), expression=value) for name, value in fields.items()]
    return exp.Struct(expressions=made)


def texts(*parts: Node | str) -> Node:
    """Texts one after the other."""
    whole, *rest = [exp.Literal.string(each) if isinstance(each, str) else each for each in parts]
    for each in rest:
        whole = exp.DPipe(this=whole, expression=each, safe=True)
    return whole


def list_of(items: list[Node], kind: str) -> Node:
    """A list of items of a type of SQL's."""
    return exp.cast(exp.Array(expressions=items), f"ARRAY<{kind}>")


NOBODY = list_of([], "BIGINT")
"""No subjects. A tree like this one is copied when it is bound."""
