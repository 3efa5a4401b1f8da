"""What a row says besides its destinations, as bindings: each word that the rules use, with its default for null."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from attrs import define

from mqclause.model.facts.domains import Names, Whole, Words
from mqclause.tables.binding import Bindings, either
from mqclause.tables.columns import Column
from mqclause.tables.condition import sql_literal


@define
class RowWords:
    """The words of a struct column ``struct`` (``put``, ``occasion``): what is not in the table is its default.

    Columns ``beside`` the struct count where its own field is null. ``known_as`` maps fields to the words that the
    rules use; ``values`` are words that no field gives.
    """

    struct: str
    columns: Mapping[str, Column]
    present: Collection[str]
    known_as: Mapping[str, str]
    values: Mapping[str, Any]
    bindings: Bindings
    facts: Mapping[str, str]
    beside: Collection[str] = ()

    def binding(self, word: str) -> str:
        """The binding, or the constant, of a word of the situation."""
        if word in self.facts:
            return self.facts[word]
        for name, column in self.columns.items():
            if self.known_as.get(name, name) == word:
                return self._of(column)
        return sql_literal(self.values[word])

    @property
    def constants(self) -> dict[str, Any]:
        """The words whose value is the same in every row."""
        absent = {
            self.known_as.get(name, name): column.default
            for name, column in self.columns.items()
            if name not in self.present and name not in self.beside
        }
        return {**self.values, **absent}

    def _of(self, column: Column) -> str:
        if column.name not in self.present and column.name not in self.beside:
            return names_literal(column.default) if isinstance(column.domain, Names) else sql_literal(column.default)
        return self.bindings.once(f"{self.struct}_{column.name}", self._of_type(column))

    def _of_type(self, column: Column) -> str:
        """SQL: the value as the rules use it: a whole number of any width as a BIGINT, which all in range are."""
        value = self.value(column)
        if not isinstance(column.domain, Whole):
            return value
        return f"CAST(CASE WHEN {outside(column, value)} THEN {column.domain.low} ELSE {value} END AS BIGINT)"

    def value(self, column: Column, upper: bool = True) -> str:
        """SQL: the value of a column, never null; words in upper case unless they are to be shown as they are."""
        default = names_literal(()) if isinstance(column.domain, Names) else sql_literal(column.default)
        own = [f"{self.struct}.{column.name}"] if column.name in self.present else []
        beside = [column.name] if column.name in self.beside else []
        value = f"COALESCE({', '.join([*own, *beside, default])})"
        return in_case(column, value) if upper else value

    def faults(self) -> Iterator[tuple[Column, str]]:
        """Each column that may be out of its domain, and SQL that says whether it is."""
        for name, column in self.columns.items():
            if name in self.present or name in self.beside:
                fault = outside(column, self.value(column) if isinstance(column.domain, Whole) else self._of(column))
                if fault:
                    yield column, fault


def in_case(column: Column, value: str) -> str:
    """SQL: a word in the letter case of its column's words; what is no word as it is."""
    if not isinstance(column.domain, Words):
        return value
    listed = ", ".join(f"'{word}'" for word in column.domain.words)
    return f"{'upper' if ''.join(column.domain.words).isupper() else 'lower'}_word([{listed}], {value})"


def outside(column: Column, value: str) -> str:
    """SQL: whether a value that is not null is outside of a column's domain; blank if it cannot be."""
    match column.domain:
        case Words(words):
            return f"{value} NOT IN ({', '.join(sql_literal(word) for word in words)})"
        case Whole(low, high):
            return f"{value} NOT BETWEEN {low} AND {high}"
    return ""


def names_literal(names: Collection[str]) -> str:
    """SQL: a list of names."""
    return f"CAST([{', '.join(map(sql_literal, names))}] AS TEXT[])"


def any_fault(faults: Iterator[tuple[Column, str]]) -> str:
    """SQL: whether any column is out of its domain."""
    return either(fault for _, fault in faults)
