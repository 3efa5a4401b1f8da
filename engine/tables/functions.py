"""The functions of SQL that plans are written with, and bindings: names for values that are computed once.

Places in a list count from 0, but for what ``place_of`` gives. A function of each item is an ``exp.Lambda``, whose
variables are identifiers and no columns, so that the columns of a tree are what it needs of a row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import ClassVar

from attrs import define, field, frozen
from sqlglot import exp

from mqclause.language.sql import Node

PREFIX = "__mqclause_"
"""What the names of bindings, and of all columns that are added for our own use, begin with. Others are the user's."""

ALONG = f"{PREFIX}along_"
"""What names of columns begin with that ``mqclause batch`` has go along with those of the user."""


def build_variable(name: str) -> exp.Identifier:
    """The variable of a function."""
    return exp.to_identifier(name)


EACH = build_variable(f"{PREFIX}each")
"""The variable of a function of structs: one that is no column's name, since fields of columns look like its fields."""


def build_list(items: list[Node], kind: str) -> Node:
    """A list of items of a type of SQL's."""
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


class WordPlace(_OfTwo):
    """The place of a text in an array of words, in the letter case of the words or as it is; from 1, or null."""


class InCase(_OfTwo):
    """A text in the letter case of an array of words; mixed words leave it as it is."""


class _OfOne(exp.Expression, exp.Func):
    arg_types: ClassVar[dict[str, bool]] = {"this": True}


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


def build_column(name: str, struct: str = "") -> exp.Column:
    """A column, or a field of a struct that is one."""
    return exp.column(name, table=struct or None)


def get_field(struct: Node, name: str) -> Node:
    """A field of a struct that is no column."""
    return exp.Dot(this=struct, expression=exp.to_identifier(name))


def build_lambda(result: Node, *variables: str) -> exp.Lambda:
    """A function of each item of a list."""
    return exp.Lambda(this=result, expressions=[build_variable(each) for each in variables])


def map_items(items: Node, result: Node, *variables: str) -> Node:
    """``result`` of each item, which is ``c`` in it unless other ``variables`` are named; a second one is its place."""
    return exp.Transform(this=items, expression=build_lambda(result, *(variables or ("c",))))


def filter_items(items: Node, condition: Node, *variables: str) -> Node:
    """The items for which the condition holds; variables are as in ``each``."""
    return exp.ArrayFilter(this=items, expression=build_lambda(condition, *(variables or ("c",))))


def get_item(items: Node, place: Node | int) -> Node:
    """The item at a place."""
    return Item(this=items, expression=exp.Literal.number(place) if isinstance(place, int) else place)


def take_first(items: Node, number: Node) -> Node:
    """The first so many items."""
    return exp.ArraySlice(this=items, start=exp.Literal.number(1), end=number)


def has_item(items: Node, one: Node) -> Node:
    """Whether an item is in a list."""
    return exp.ArrayContains(this=items, expression=one)


def find_place(items: Node, one: Node) -> Node:
    """The place of an item in a list, here from 1; null if it is not there."""
    return exp.ArrayPosition(this=items, expression=one)


def count_items(items: Node) -> Node:
    """How many items there are."""
    return exp.ArraySize(this=items)


def has_more_than(items: Node, number: int) -> Node:
    """Whether there are more than so many items."""
    return exp.GT(this=count_items(items), expression=exp.Literal.number(number))


def concat_lists(one: Node, other: Node) -> Node:
    """One list, then the other."""
    return exp.ArrayConcat(this=one, expressions=[other])


def sort_items(items: Node, descending: bool = False) -> Node:
    """A list in order."""
    return Sorted(this=items, expression=exp.false() if descending else exp.true())


def coalesce(value: Node, *others: Node) -> Node:
    """The first of the values that is not null."""
    return exp.Coalesce(this=value, expressions=list(others))


def is_null(value: Node) -> Node:
    """Whether a value is null."""
    return exp.Is(this=value, expression=exp.null())


def build_struct(fields: Mapping[str, Node]) -> Node:
    """A struct of these fields."""
    made = [exp.PropertyEQ(this=exp.to_identifier(name), expression=value) for name, value in fields.items()]
    return exp.Struct(expressions=made)


def concat_texts(*parts: Node | str) -> Node:
    """Texts one after the other."""
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
        """Binds ``tree`` to a variation of ``name``, unless it is a binding itself; returns the binding as a column."""
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
        """The binding that is made of an equal tree already, or a new one."""
        made = self._made.get(tree)
        return build_column(made) if made else self.bind(name, tree)

    def once(self, name: str, tree: Node) -> Node:
        """The binding of exactly that name, made of ``tree`` if it is not there yet."""
        return build_column(f"{PREFIX}{name}") if f"{PREFIX}{name}" in self.found else self.bind(name, tree)

    def spelt_out(self, tree: Node) -> Node:
        """The tree over the columns of the row alone: each binding is replaced by what it is made of."""

        def made_of(node: Node) -> Node:
            is_bound = isinstance(node, exp.Column) and node.name in self.found
            return self.spelt_out(self.found[node.name]) if is_bound else node

        return tree.copy().transform(made_of)


@frozen(eq=False)
class Plan:
    """What answers a row: ``bindings`` in order, each over the columns of the row and those before, and a struct.

    ``made`` are the names of the bindings that each rule made, by its id; several rules may be one pass. ``legend``
    says of each packed word how it stands in the number that is a subject.
    """

    bindings: Mapping[str, Node]
    answer: Mapping[str, Node]
    made: Mapping[str, Collection[str]] = field(factory=dict)
    legend: Mapping[str, str] = field(factory=dict)

    def levels(self) -> list[dict[str, Node]]:
        """The bindings in groups: those of one need nothing of each other, only of the groups before."""
        level: dict[str, int] = {}
        groups: list[dict[str, Node]] = []
        for name, tree in self.bindings.items():
            level[name] = 1 + max((level[used] for used in find_bindings([tree], level)), default=-1)
            if level[name] == len(groups):
                groups.append({})
            groups[level[name]][name] = tree
        return groups


def find_bindings(trees: Iterable[Node], known: Collection[str]) -> Iterator[str]:
    """The bindings that trees use; a binding may be a struct, of which they use a field."""
    for tree in trees:
        for each in tree.find_all(exp.Column):
            name = each.parts[0].name
            if name in known:
                yield name
