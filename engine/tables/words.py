"""What a row says of its situation: each word that the rules use as a binding, with its default where there is null."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from attrs import NOTHING, fields, frozen
from sqlglot import exp

from mqclause.language.sql import Node, case, literal, when
from mqclause.model.facts.domains import Finite, Whole, Words
from mqclause.tables.bindings import Bindings
from mqclause.tables.columns import Column, Columns
from mqclause.tables.functions import InCase, coalesced, column
from mqclause.tables.shape import Shape

LARGEST_DOUBLE = 1.7976931348623157e308
"""The upper bound of numbers: it leaves out infinity, and NaN where that is the greatest of all."""


class NotInTableError(ValueError):
    """A rule asks for what a table does not say."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} is no column of a table, so the rule cannot be run on tables")


@frozen
class RowWords:
    """The words of a struct column ``struct``: what is not in the table is its default.

    Columns ``beside`` the struct count where its own field is null. ``unseen`` are words that no column gives.
    """

    struct: str
    columns: Columns
    present: Collection[str]
    beside: Collection[str]
    unseen: Mapping[str, Any]
    bindings: Bindings

    @classmethod
    def of(cls, shape: Shape, bindings: Bindings) -> RowWords:
        """The words of the situation in a table of that shape."""
        columns = shape.situation_columns
        seen = {each.word for each in columns.values()}
        unseen = {each.name: each.default for each in fields(shape.about.situation) if each.name not in seen}
        return cls(shape.about.row.situation, columns, shape.situation, shape.beside, unseen, bindings)

    def word(self, name: str) -> Node:
        """The binding, or the value, of a word of the situation."""
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
        meant = [(exp.EQ(this=found, expression=literal(word)), literal(as_)) for word, as_ in of.stands_for.items()]
        return self.bindings.once(f"{of.name}_meant", case(meant, found))

    def is_there(self, of: Column) -> bool:
        """Whether the table has a column."""
        return of.name in self.present or of.name in self.beside

    def checked(self, of: Column) -> Node:
        """The binding of a column's value; a number of any width becomes one of 64 bits, which all in range are."""
        if not self.is_there(of):
            return literal(of.default)
        value = self.value(of)
        if isinstance(of.domain, Whole | Finite):
            wrong = outside(of, value)
            in_range = value if wrong is None else when(wrong, literal(of.domain.low), value)
            value = exp.cast(in_range, "BIGINT" if of.kind == "integer" else "DOUBLE")
        return self.bindings.once(f"{self.struct}_{of.name}", value)

    def value(self, of: Column, in_case: bool = True) -> Node:
        """The value of a column, never null; words in their letter case unless they are to be shown as they are."""
        own = [column(of.name, self.struct)] if of.name in self.present else []
        beside = [column(of.name)] if of.name in self.beside else []
        value = coalesced(*own, *beside, literal(of.default))
        return cased(of, value) if in_case else value

    def faults(self) -> Iterator[tuple[Column, Node]]:
        """Each column that may be out of its domain, and whether it is."""
        for of in self.columns.values():
            if self.is_there(of):
                wrong = outside(of, self.checked(of) if isinstance(of.domain, Words) else self.value(of))
                if wrong is not None:
                    yield of, wrong


def cased(of: Column, value: Node) -> Node:
    """A word in the letter case of its column's words; what is no word as it is."""
    return InCase(this=word_list(of), expression=value) if isinstance(of.domain, Words) else value


def word_list(of: Column) -> Node:
    """The words of a column as an array."""
    assert isinstance(of.domain, Words)  # noqa: S101 - told to the type checker
    return exp.Array(expressions=[literal(word) for word in of.domain.words])


def outside(of: Column, value: Node) -> Node | None:
    """Whether a value that is not null is outside of a column's domain; None if it cannot be."""
    match of.domain:
        case Words():
            return exp.Not(this=exp.In(this=value, expressions=word_list(of).expressions))
        case Whole(low, high):
            return not_between(value, low, high)
        case Finite(low):
            return not_between(value, low, LARGEST_DOUBLE)
    return None


def not_between(value: Node, low: float, high: float) -> Node:
    """Whether a number is outside of a range."""
    return exp.Not(this=exp.Between(this=value, low=literal(low), high=literal(high)))
