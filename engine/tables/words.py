"""What a row says of its situation: each word that the rules use as a binding, with its default where there is null."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import nextafter
from typing import Any

from attrs import NOTHING, field, fields, frozen
from sqlglot import exp

from mqclause.language.sql import Node, case, either, equal, literal, when
from mqclause.model.facts.domains import NOT_IN_NAMES, Finite, Name, Names, Whole, Words
from mqclause.tables.bindings import Bindings
from mqclause.tables.columns import Column, Columns
from mqclause.tables.functions import (
    PREFIX,
    InCase,
    ListAsText,
    NoneOf,
    TextLength,
    Unpadded,
    coalesced,
    each,
    function,
    variable,
)
from mqclause.tables.shape import FieldType, Shape, Sources

LARGEST_DOUBLE = 1.7976931348623157e308
"""The upper bound of numbers: it leaves out infinity, and NaN where that is the greatest of all."""


ODD_NAMES = f"{PREFIX}odd_names"
"""Whether names of a row are to be looked at one by one: a subject's is padded, or any may be none."""


ODD_LETTER = f"[^{''.join(letter for letter in map(chr, range(128)) if not NOT_IN_NAMES.match(letter))}]"
"""A character that no name of MQ has, as a regular expression.

It has each letter itself: Java looks those up in a table, and tries ranges one after the other, slowly.
"""


class NotInTableError(ValueError):
    """A rule asks for what a table does not say."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} is no column of a table, so the rule cannot be run on tables")


@frozen
class RowWords:
    """The words of the situation ``struct``: what is not in the table is its default.

    ``unseen`` are words that no column gives, ``further`` those that something else does.
    """

    struct: str
    columns: Columns
    sources: Sources
    unseen: Mapping[str, Any]
    bindings: Bindings
    further: Mapping[str, Node] = field(factory=dict)

    @classmethod
    def of(cls, shape: Shape, bindings: Bindings) -> RowWords:
        """The words of the situation in a table of that shape."""
        columns = shape.situation_columns
        seen = {each.word for each in columns.values()}
        unseen = {each.name: each.default for each in fields(shape.about.situation) if each.name not in seen}
        return cls(shape.about.row.situation, columns, shape.situation, unseen, bindings, shape.further)

    def word(self, name: str) -> Node:
        """The binding, or the value, of a word of the situation."""
        if name in self.further:
            return self.bindings.once(name, self.further[name])
        if name in self.unseen:
            if self.unseen[name] is NOTHING:
                raise NotInTableError(name)
            return literal(self.unseen[name])
        of = next(each for each in self.columns.values() if each.word == name)
        if not self.is_there(of):
            return literal(of.stands_for.get(of.default, of.default))
        found = self.checked(of)
        if not of.stands_for:
            return found
        meant = [(equal(found, word), literal(as_)) for word, as_ in of.stands_for.items()]
        return self.bindings.once(f"{of.name}_meant", case(meant, found))

    def is_there(self, of: Column) -> bool:
        """Whether the table has a column."""
        return of.name in self.sources

    def checked(self, of: Column) -> Node:
        """The binding of a column's value; a number of any type becomes one of 64 bits, which all in range are."""
        if not self.is_there(of):
            return literal(of.default)
        value = self.value(of)
        if isinstance(of.domain, Whole | Finite):
            wrong = self._outside(of)
            in_range = value if wrong is None else when(wrong, literal(of.domain.low), value)
            value = exp.cast(in_range, "BIGINT" if of.kind == "integer" else "DOUBLE")
        return self.bindings.once(f"{self.struct}_{of.name}", value)

    def value(self, of: Column, as_kept: bool = True) -> Node:
        """The value of a column, never null; words and names as they are kept, or as the row has them."""
        value = coalesced(*self.given(of), literal(of.default)) if self.is_there(of) else literal(of.default)
        return kept(of, value) if as_kept else value

    def given(self, of: Column) -> list[Node]:
        """What the row has in a column, each of which may be null."""
        return [source.compared(of) for source in self.sources[of.name]]

    def kinds(self, of: Column) -> list[FieldType]:
        """Of which kinds that is."""
        return [source.kind for source in self.sources[of.name]]

    def _outside(self, of: Column) -> Node | None:
        value = self.checked(of) if isinstance(of.domain, Words) else self.value(of, as_kept=False)
        return outside(of, value, self.kinds(of))

    def names(self) -> Iterator[tuple[Node, Node]]:
        """Each name that a row gives, or list of them as one text, and whether any is too long, or a blank item."""
        for of in self.columns.values():
            if self.is_there(of) and "name" not in self.kinds(of):
                found = self.checked(of)
                match of.domain:
                    case Name() as one:
                        yield found, is_too_long(one, found)
                    case Names(Name() as one):
                        name = variable("name")
                        wrong = function(either([equal(name, ""), is_too_long(one, name)]), "name")
                        yield ListAsText(this=found), exp.Not(this=NoneOf(this=found.copy(), expression=wrong))

    def faults(self) -> Iterator[tuple[Column, Node]]:
        """Each column that may be out of its domain, and whether it is."""
        for of in self.columns.values():
            if self.is_there(of):
                wrong = self._outside(of)
                if wrong is not None:
                    yield of, wrong


def kept(of: Column, value: Node) -> Node:
    """A word in the letter case of its column's words, a name without the blanks that pad it; the rest as it is."""
    match of.domain:
        case Words():
            return InCase(this=word_list(of), expression=value)
        case Name():
            return Unpadded(this=value)
        case Names(Name()):
            return each(value, Unpadded(this=variable("name")), "name")
    return value


def word_list(of: Column) -> Node:
    """The words of a column as an array."""
    assert isinstance(of.domain, Words)  # noqa: S101 - told to the type checker
    return exp.Array(expressions=[literal(word) for word in of.domain.words])


def outside(of: Column, value: Node, kinds: Collection[FieldType]) -> Node | None:
    """Whether a value that is not null, of one of these kinds, is outside of a column's domain; None if it cannot be.

    A word is taken as it is kept, all else as the row has it.
    """
    match of.domain:
        case Words():
            return exp.Not(this=exp.In(this=value, expressions=word_list(of).expressions))
        case Whole(low, high):
            if "number" in kinds and float(high) > high:
                # As a double the end would be the next larger one.
                high = int(nextafter(high, 0.0))
            return either(
                [not_between(value, low, high), *([is_broken(value)] if {*kinds} - {"integer", "huge"} else [])]
            )
        case Finite(low):
            return not_between(value, low, LARGEST_DOUBLE)
        case Name():
            return None if "name" in kinds else no_name(of.domain, value)
        case Names(Name() as one):
            name = variable("name")
            wrong = coalesced(no_name(one, name), exp.false())
            return exp.Not(this=NoneOf(this=value, expression=function(wrong, "name")))
    return None


def is_broken(value: Node) -> Node:
    """Whether a number is not whole."""
    return exp.NEQ(this=value, expression=exp.Floor(this=value.copy()))


def no_name(domain: Name, value: Node) -> Node:
    """Whether a text, padded or not, is no name that MQ allows; blank is one that may be left out."""
    name = Unpadded(this=value)
    blank = [equal(name.copy(), "")] if domain.least else []
    return either([*blank, exp.RegexpLike(this=name, expression=literal(ODD_LETTER)), is_too_long(domain, name.copy())])


def is_too_long(domain: Name, name: Node) -> Node:
    """Whether a name is longer than MQ allows."""
    return exp.GT(this=TextLength(this=name.copy()), expression=literal(domain.most))


def is_of_names(of: Column) -> bool:
    """Whether a column holds names that are looked at one by one."""
    return isinstance(of.domain, Name) or (isinstance(of.domain, Names) and isinstance(of.domain.each, Name))


def not_between(value: Node, low: float, high: float) -> Node:
    """Whether a number is outside of a range."""
    return exp.Not(this=exp.Between(this=value, low=literal(low), high=literal(high)))
