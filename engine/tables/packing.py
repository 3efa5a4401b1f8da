"""Packed subjects: what the rules ask of a subject, in the bits of one whole number.

The lists that the rules make smaller step by step hold such numbers, not whole structs: they are copied in one go.
From the lowest bit on, a number holds a flag in one bit, a word as its place in the list of words (0: another word),
a small whole number as it is; above all those, the place of the subject in its row, so that numbers in order are
subjects in listing order. What does not fit (names, sequence numbers) is looked up by that place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import reduce

from attrs import frozen
from sqlglot import exp

from mqclause.language.sql import Node, either, equal, literal, when
from mqclause.model.facts.domains import Flag, Name, Whole, Words
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.columns import Column, Columns
from mqclause.tables.shape import Shape, ValueSource
from mqclause.tables.words import kept, outside, word_list

WIDEST_PACKED = 10
"""Bits; whole numbers that may have more are looked up."""

ALL_PACKED = 44
"""Bits; what comes after so many is looked up, so that places have room above them."""


@frozen
class Bits:
    """Where a column stands in the packed number: how far up, and how many bits."""

    shift: int
    width: int

    @property
    def mask(self) -> int:
        """The bits, from the lowest on."""
        return (1 << self.width) - 1


@frozen
class Packing:
    """Which columns of a subject are packed, and how; columns go by the word of the rules. ``present`` has the table.

    ``listed`` is the column with the list of subjects, ``used`` are the words that rules ask for.
    """

    listed: str
    columns: Columns
    present: Mapping[str, ValueSource]
    bits: Mapping[str, Bits]
    place_shift: int
    used: Collection[str]

    @classmethod
    def of(cls, shape: Shape, used: Collection[str]) -> Packing:
        """Packs the ``used`` columns that are small enough."""
        columns = {each.word: each for each in shape.subject_columns.values()}
        bits: dict[str, Bits] = {}
        shift = 0
        for word, of in columns.items():
            width = _width(of)
            if word in used and 0 < width <= WIDEST_PACKED and shift + width <= ALL_PACKED:
                bits[word] = Bits(shift, width)
                shift += width
        present = {word: shape.subjects[of.name] for word, of in columns.items() if of.name in shape.subjects}
        return cls(shape.listed, columns, present, bits, shift, used)

    def legend(self) -> dict[str, str]:
        """For each packed word where it stands in a number and what stands there, for a person."""
        found = {}
        for word, bits in self.bits.items():
            domain, last = self.columns[word].domain, bits.shift + bits.width - 1
            where = f"bit {bits.shift}" if bits.width == 1 else f"bits {bits.shift} to {last}"
            places = enumerate(domain.words, 1) if isinstance(domain, Words) else ()
            means = ", ".join(f"{place} {each}" for place, each in places)
            found[word] = f"{word}: {where}{': ' if means else ''}{means}"
        return found

    def packed(self) -> Node:
        """The list of subjects as packed numbers; -1 for a subject that is not as it should be, but for its names."""
        place: Node = exp.Mul(this=exp.cast(F.variable("place"), "BIGINT"), expression=literal(1 << self.place_shift))
        number = reduce(lambda one, other: exp.BitwiseOr(this=one, expression=other), self._parts(), place)
        # A column that is null is in range, by its default: of several conditions only one that holds counts.
        wrong = F.coalesced(either([F.is_null(F.EACH), *self._out_of_range()]), exp.false())
        checked = F.coalesced(when(exp.Not(this=wrong), number), literal(-1))
        return F.coalesced(F.each(F.column(self.listed), checked, F.EACH.name, "place"), F.NOBODY)

    def _parts(self) -> Iterator[Node]:
        for word, of in self.columns.items():
            bits = self.bits.get(word)
            unit = 1 << bits.shift if bits else 0
            value = self.own(word)
            if isinstance(of.domain, Words) and word in self.present:
                # A word that does not exist has no place: the whole number becomes null.
                yield exp.Mul(this=word_place(of, value), expression=exp.cast(literal(unit), "BIGINT"))
            elif bits and word not in self.present:
                yield literal(_packed_default(of) * unit)
            elif bits and isinstance(of.domain, Flag):
                set_by = exp.Not(this=value) if of.default else value
                yield when(set_by, literal(0 if of.default else unit), literal(unit if of.default else 0))
            elif bits:
                yield exp.Mul(
                    this=exp.cast(F.coalesced(value, literal(of.default)), "BIGINT"), expression=literal(unit)
                )

    def own(self, word: str) -> Node:
        """A field of the subject that is asked about; null where it may be."""
        return self.present[word].compared(self.columns[word]) if word in self.present else exp.null()

    def _out_of_range(self) -> Iterator[Node]:
        for word, each in self.present.items():
            of = self.columns[word]
            if of.needed and not each.checked:
                yield equal(F.coalesced(self.own(word), literal("")), "")
            # A word that does not exist is seen by its place, and names that are there are looked at apart.
            known = each.checked or isinstance(of.domain, Words | Name)
            wrong = None if known else outside(of, self.own(word), [each.kind])
            if wrong is not None:
                yield wrong

    def names(self) -> dict[str, Name]:
        """The words that are names of a subject, but for those that are checked."""
        found = {word: self.columns[word].domain for word, each in self.present.items() if not each.checked}
        return {word: domain for word, domain in found.items() if isinstance(domain, Name)}

    def place(self, subject: Node) -> Node:
        """The place of a packed subject in its row, from 0."""
        return exp.BitwiseRightShift(this=subject, expression=literal(self.place_shift))

    def value(self, word: str, subject: Node) -> Node:
        """What is packed of a column: a whole number."""
        bits = self.bits[word]
        shifted = exp.BitwiseRightShift(this=subject, expression=literal(bits.shift))
        return exp.BitwiseAnd(this=shifted, expression=literal(bits.mask))

    def flag(self, word: str, subject: Node) -> Node:
        """A packed flag as a truth value."""
        return has_bits(subject, 1 << self.bits[word].shift)

    def looked_up(self, word: str, subject: Node) -> Node:
        """The value of a column at the subject's place."""
        of = self.columns[word]
        default = literal(of.default)
        if word not in self.present:
            return default
        found = F.field_of(F.item(F.column(self.listed), self.place(subject)), self.present[word].name)
        value = F.coalesced(found if self.present[word].checked else kept(of, found), default)
        is_as_kept = self.present[word].kind == of.kind or of.kind not in ("integer", "number")
        return value if is_as_kept else exp.cast(value, "BIGINT" if of.kind == "integer" else "DOUBLE")


def has_bits(number: Node, bits: int) -> Node:
    """Whether a number has any of the bits."""
    return exp.NEQ(this=exp.BitwiseAnd(this=number, expression=literal(bits)), expression=literal(0))


def word_place(of: Column, value: Node) -> Node:
    """The place of a word in its column's list, from 1; null if it does not exist."""
    return F.WordPlace(this=word_list(of), expression=F.coalesced(value, literal(of.default)))


def _packed_default(of: Column) -> int:
    if isinstance(of.domain, Words):
        return of.domain.words.index(of.default) + 1
    return int(of.default)


def _width(of: Column) -> int:
    """How many bits hold a value of a column; 0 for what is no flag, word or whole number from 0 on."""
    match of.domain:
        case Flag():
            return 1
        case Words(words):
            return len(words).bit_length()
        case Whole(low, high):
            return high.bit_length() if low >= 0 else 0
    return 0
