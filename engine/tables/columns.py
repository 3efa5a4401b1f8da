"""The columns of tables: what a struct of a situation and a list of subjects hold, and what an answer says.

They derive from the classes that the rules see. A value that is null has the column's default; one outside its domain
makes the row invalid.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any, Literal, get_type_hints

from attrs import NOTHING, evolve, field, fields, frozen

from mqclause.model.facts.destination import Destination
from mqclause.model.facts.domains import LARGEST, Domain, Finite, Flag, InTable, Name, Names, Text, Whole, Words
from mqclause.model.facts.situation import Situation
from mqclause.model.timeline.occasion import Occasion


class TableError(ValueError):
    """A table that cannot be decided: a column is missing or of a wrong type. One line that names it."""


ColumnKind = Literal["boolean", "integer", "number", "text", "texts"]

LARGEST_COUNT = 2**62 - 1
"""The largest whole number of a field that says nothing of its domain: two of them can be added up."""

_KINDS: Mapping[type, ColumnKind] = {
    Flag: "boolean", Whole: "integer", Finite: "number", Names: "texts", Words: "text", Text: "text", Name: "text",
}  # fmt: skip
_DOMAINS: Mapping[Any, Domain] = {bool: Flag(), int: Whole(0, LARGEST_COUNT), float: Finite(0.0), str: Text(LARGEST)}


@frozen
class Column:
    """A field of a struct: its domain, and its value where a row holds null.

    ``word`` is the name that the rules know it by. The rest is as in model.facts.domains.InTable.
    """

    name: str
    domain: Domain
    default: Any
    optional: bool = False
    word: str = ""
    beside: bool = False
    stands_for: Mapping[str, str] = field(factory=dict)
    words_with: Mapping[str, str] = field(factory=dict)
    mqsc: str = ""

    @property
    def kind(self) -> ColumnKind:
        """Of which type the column is; every back end has one type for each kind."""
        return _KINDS[type(self.domain)]

    @property
    def needed(self) -> bool:
        """Whether null is no value of it."""
        return isinstance(self.domain, Name) and self.domain.least > 0

    @property
    def allowed(self) -> str:
        """The values that a row may hold, for a person."""
        match self.domain:
            case Words(words):
                return ", ".join(word for word in words if word)
            case Whole(low, high):
                return f"a whole number from {low} to {high}"
            case Finite(low):
                return f"a finite number from {low:g}"
            case Flag():
                return "true, false"
            case Names():
                return "a list of names"
            case Name():
                return self.domain.described
        return "text"


Columns = Mapping[str, Column]


def letter_case(words: Iterable[str]) -> Literal["upper", "lower", "mixed"]:
    """The letter case of all words: a row may write them in any, unless they are mixed."""
    letters = "".join(words)
    return "upper" if letters.isupper() else "lower" if letters.islower() else "mixed"


@cache
def columns_of(facts: type) -> Columns:
    """The columns of an attrs class by name, in the order of its fields."""
    hints = get_type_hints(facts)
    found = {}
    for each in fields(facts):
        in_table = each.metadata.get("in_table", InTable())
        if in_table is not None:
            domain = each.metadata.get("domain") or _DOMAINS[hints[each.name]]
            default = in_table.null if in_table.null is not ... else "" if each.default is NOTHING else each.default
            column = _column(in_table.column or each.name, each.name, domain, default, in_table)
            found[column.name] = column
    return found


def _column(name: str, word: str, domain: Domain, default: Any, how: InTable) -> Column:
    if isinstance(domain, Words):
        # A blank word stands for "none", which in a table null does where it has no other meaning.
        listed = [each for each in domain.words if (each or default == "") and each not in how.words_with]
        domain = Words((*listed, *how.stands_for))
    return Column(name, domain, default, how.optional, word, how.beside, how.stands_for, how.words_with, how.mqsc)


def given(columns: Columns, situation: Collection[str]) -> Columns:
    """The columns of a subject in a table whose situation has these columns: some words are allowed with some only."""

    def allowing(column: Column) -> Column:
        more = [word for word, needed in column.words_with.items() if needed in situation]
        return evolve(column, domain=Words((*column.domain.words, *more))) if more else column  # type: ignore[union-attr]

    return {name: allowing(column) for name, column in columns.items()}


PUT = columns_of(Situation)
"""The fields of ``put``. With AS_Q_DEF a row says nothing of DEFBIND, so MQ's default OPEN is in effect."""

DESTINATION = columns_of(Destination)
"""The fields of each of ``destinations``."""

OCCASION = columns_of(Occasion)
"""The fields of ``occasion``."""

DECISION: Mapping[str, ColumnKind] = {
    "outcome": "text",
    "queue": "text",
    "queue_manager": "text",
    "channel": "text",
    "reason": "integer",
    "permitted": "integer",
    "eliminated_by": "texts",
    "message": "text",
    "transmission_queue": "text",
}
"""The fields of ``decision`` and their types."""

TRIGGERING: Mapping[str, ColumnKind] = {
    "outcome": "text",
    "rule": "text",
    "available": "boolean",
    "turns_off": "boolean",
    "failing": "texts",
    "message": "text",
}
"""The fields of ``triggering``: ``triggers``, ``silent`` or ``invalid``; the rule by which a trigger message is
written; whether it is available at once; whether it switches triggering off; the conditions that do not hold."""

NULL_SUBJECT = "{subjects}[{place}] is null"
NOT_ALLOWED = "{column} = {value}; allowed: {allowed}"
"""What is wrong with an invalid row; places count from 0. See mqclause.tables.demands for what documents ask."""
