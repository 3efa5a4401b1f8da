"""Functions of the plan: sqlglot's nodes, and where it has none nodes of our own, which each back end writes itself.

Places in a list count from 0, but for what ``place_of`` gives. A function of each item is an ``exp.Lambda``, whose
variables are identifiers and no columns, so that the columns of a tree are what it needs of a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sqlglot import exp

from mqclause.language.sql import Node

PREFIX = "__mqclause_"
"""What the names of bindings, and of all columns that are added for our own use, begin with. Others are the user's."""

ALONG = f"{PREFIX}along_"
"""What names of columns begin with that ``mqclause batch`` has go along with those of the user."""


class _OfOne(exp.Expression, exp.Func):
    arg_types: ClassVar[dict[str, bool]] = {"this": True}


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


class WordPlace(_OfTwo):
    """The place of a text in an array of words, in the letter case of the words or as it is; from 1, or null."""


class InCase(_OfTwo):
    """A text in the letter case of an array of words; mixed words leave it as it is."""


class Unpadded(_OfOne):
    """A text without the blanks at its end."""


class JsonText(_OfOne):
    """The text that a JSON value is; of what is none, one that no name of MQ is."""


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
    """``result`` of each item, which is ``c`` in it unless other ``variables`` are named; a second one is its place."""
    return exp.Transform(this=items, expression=function(result, *(variables or ("c",))))


def those(items: Node, condition: Node, *variables: str) -> Node:
    """The items for which the condition holds; variables are as in ``each``."""
    return exp.ArrayFilter(this=items, expression=function(condition, *(variables or ("c",))))


def item(items: Node, place: Node | int) -> Node:
    """The item at a place."""
    return Item(this=items, expression=exp.Literal.number(place) if isinstance(place, int) else place)


def first_of(items: Node, number: Node) -> Node:
    """The first so many items."""
    return exp.ArraySlice(this=items, start=exp.Literal.number(1), end=number)


def has(items: Node, one: Node) -> Node:
    """Whether an item is in a list."""
    return exp.ArrayContains(this=items, expression=one)


def place_of(items: Node, one: Node) -> Node:
    """The place of an item in a list, here from 1; null if it is not there."""
    return exp.ArrayPosition(this=items, expression=one)


def length_of(items: Node) -> Node:
    """How many items there are."""
    return exp.ArraySize(this=items)


def more_than(items: Node, number: int) -> Node:
    """Whether there are more than so many items."""
    return exp.GT(this=length_of(items), expression=exp.Literal.number(number))


def joined(one: Node, other: Node) -> Node:
    """One list, then the other."""
    return exp.ArrayConcat(this=one, expressions=[other])


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
