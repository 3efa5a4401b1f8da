"""Packed destinations: what the rules ask of a destination, in the bits of one whole number.

The lists that the rules make smaller step by step hold such numbers, not whole structs: they are copied in one go.
From the lowest bit on, a number holds a flag in one bit, a word as its place in the list of words (0: another word),
a small whole number as it is; above all those, the place of the destination in its row, so that numbers in order are
destinations in listing order. What does not fit (names, sequence numbers) is looked up by that place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from attrs import frozen

from mqclause.model.facts.domains import Finite, Flag, Whole, Words
from mqclause.tables.binding import EMPTY
from mqclause.tables.columns import Column

WIDEST_PACKED = 10
"""Bits; whole numbers that may have more are looked up."""


@frozen
class Bits:
    """Where a column stands in the packed number: how far up, and how many bits."""

    shift: int
    width: int

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1


@frozen
class Packing:
    """Which columns of a destination are packed, and how; ``present`` are those that the table has."""

    columns: Mapping[str, Column]
    present: Collection[str]
    bits: Mapping[str, Bits]
    place_shift: int

    @classmethod
    def of(cls, columns: Mapping[str, Column], present: Collection[str], used: Collection[str]) -> Packing:
        """Packs the ``used`` columns that are small enough."""
        bits: dict[str, Bits] = {}
        shift = 0
        for name, column in columns.items():
            width = _width(column)
            if name in used and 0 < width <= WIDEST_PACKED:
                bits[name] = Bits(shift, width)
                shift += width
        return cls(columns, present, bits, shift)

    def source(self) -> str:
        """SQL: ``destinations`` as a list of packed numbers; -1 for a destination that is not as it should be."""
        parts = [f"CAST(place AS BIGINT) * {1 << self.place_shift}", *self._parts()]
        # A column that is null is in range, by its default: of several conditions only one that holds counts.
        wrong = f"COALESCE({' OR '.join(['mq_each IS NULL', *self._out_of_range()])}, FALSE)"
        number = f"CASE WHEN NOT {wrong} THEN {' | '.join(parts)} END"
        return f"COALESCE(each(destinations, lambda mq_each, place: COALESCE({number}, -1)), {EMPTY})"

    def _parts(self) -> Iterator[str]:
        for name, column in self.columns.items():
            bits = self.bits.get(name)
            unit = 1 << bits.shift if bits else 0
            if isinstance(column.domain, Words) and name in self.present:
                # A word that does not exist has no place: the whole number becomes null.
                yield f"{word_place(column, f'mq_each.{name}')} * CAST({unit} AS BIGINT)"
            elif bits and name not in self.present:
                yield str(self.constant(column) * unit)
            elif bits and isinstance(column.domain, Flag):
                yes, no = (f"mq_each.{name}", "") if not column.default else (f"NOT mq_each.{name}", "NOT ")
                yield f"CASE WHEN {yes} THEN {0 if no else unit} ELSE {unit if no else 0} END"
            elif bits:
                yield f"CAST(COALESCE(mq_each.{name}, {column.default}) AS BIGINT) * {unit}"

    def constant(self, column: Column) -> int:
        """What is packed of the column's default."""
        if isinstance(column.domain, Words):
            return column.domain.words.index(column.default) + 1
        return int(column.default)

    def _out_of_range(self) -> Iterator[str]:
        for name in self.present:
            match self.columns[name].domain:
                case Whole(low, high):
                    yield f"mq_each.{name} NOT BETWEEN {low} AND {high}"
                case Finite(low):
                    # The upper bound leaves out infinity, and NaN where it is the greatest of all numbers.
                    yield f"mq_each.{name} NOT BETWEEN {low:g} AND {LARGEST_DOUBLE}"

    def place(self, variable: str) -> str:
        """SQL: the place of a packed destination in its row, from 0."""
        return f"({variable} >> {self.place_shift})"


LARGEST_DOUBLE = "CAST('1.7976931348623157E308' AS DOUBLE)"


def word_place(column: Column, value: str) -> str:
    """SQL: the place of a word in its column's list, from 1; null if it does not exist."""
    assert isinstance(column.domain, Words)  # noqa: S101 - told to the type checker
    listed = ", ".join(f"'{word}'" for word in column.domain.words)
    return f"word_place([{listed}], COALESCE({value}, '{column.default}'))"


def _width(column: Column) -> int:
    """How many bits hold a value of a column; 0 for what is no flag, word or whole number."""
    match column.domain:
        case Flag():
            return 1
        case Words(words):
            return len(words).bit_length()
        case Whole(_, high):
            return high.bit_length()
    return 0
