"""Where a table has what its puts say: in structs, or in columns that options name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from attrs import evolve, field, frozen

from mqclause.model.facts.cluster import Cluster
from mqclause.tables.flat import Constant, meant, same_in_all
from mqclause.tables.schema import PUT, Column, TableError, find_spelling

OF_STRUCTS = ("put", "destinations", "clwlmruc")
"""The columns of rows that have a struct put."""

SAME = "="
"""What stands before a word that is the same in every row, and no column."""


def spell_put(
    words: Mapping[str, str], clusters: Iterable[Cluster], columns: Collection[str], rows: bool = True
) -> dict[str, str | Constant]:
    """Return for each field of a put that has a word its column, as the table spells it, or its constant.

    Raises TableError for a word that is neither; without ``rows`` nothing tells by which columns, and it is a column.
    """
    found: dict[str, str | Constant] = {}
    for name, word in words.items():
        try:
            found[name] = _meant(PUT[name], word, columns if rows else (), clusters)
        except TableError:
            if rows:
                raise
            found[name] = word
    return found


def _meant(of: Column, word: str, columns: Collection[str], clusters: Iterable[Cluster]) -> str | Constant:
    if word.startswith(SAME):
        value = Constant(_value(of, word.removeprefix(SAME)))
        return meant(columns, of, value, same_in_all(of, value), clusters)
    # Any word could be a list of one name: it is a column.
    same = same_in_all(of, word if of.kind == "texts" else _value(of, word))
    return meant(columns, of, word, same, clusters, f"--{get_option_name(of.name)} {SAME}{word}")


def get_option_name(field_of_put: str) -> str:
    """Return the option that names the column of a field of a put."""
    return field_of_put.replace("_", "-")


def _value(of: Column, word: str) -> Any:
    """A word as a value of the field's kind; one that is none stays a word, which the field refuses."""
    match of.kind:
        case "boolean":
            return {"true": True, "false": False}.get(word.lower(), word)
        case "integer":
            return int(word) if word.isascii() and word.isdigit() else word
        case "texts":
            return word.split(",")
    return word


@frozen
class AskedColumns:
    """The columns of a table that are asked for, as the table spells them once that is known.

    ``structs`` are put and destinations, of which some have to be there. In place of them ``words`` of options say by
    field of a put where it is, and ``flat`` has by column the field that it holds. The texts ``beside`` them, and the
    column that ``spreads`` rows, are named by options.
    """

    structs: tuple[str, ...] = ()
    words: Mapping[str, str] = field(factory=dict)
    clusters: tuple[Cluster, ...] = ()
    flat: Mapping[str, Column] = field(factory=dict)
    beside: tuple[str, ...] = ()
    spreads: tuple[str, ...] = ()

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that have to be there; those of a flat table too, where they are known."""
        return tuple(dict.fromkeys((*self.structs, *self.flat, *self.beside, *self.spreads)))

    @property
    def typed(self) -> tuple[str, ...]:
        """The columns that have a type of ours, whatever the rows hold, if they are there."""
        return (*self.flat, *self.beside) if self.is_flat else (*OF_STRUCTS, *self.beside)

    @property
    def is_flat(self) -> bool:
        """Whether puts are in columns, and a column that is called put is none of ours."""
        return bool(self.words)

    def among(self, columns: Collection[str], rows: bool = True) -> AskedColumns:
        """Spell the columns as the table with these columns does; without ``rows`` nothing tells by which.

        Raises TableError for a word that is no column and no value.
        """
        found = spell_put(self.words, self.clusters, columns, rows)
        flat = {name: PUT[of] for of, name in found.items() if isinstance(name, str)}
        beside = tuple(find_spelling(each, columns) or each for each in self.beside)
        spreads = tuple(find_spelling(each, columns) or each for each in self.spreads)
        return evolve(self, flat=flat, beside=beside, spreads=spreads)
