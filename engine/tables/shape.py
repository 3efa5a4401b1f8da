"""The shape of a table: which columns it has and of which types, checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Union

from attrs import evolve, field, frozen
from sqlglot import exp

from mqclause.language.sql import Node, case, literal
from mqclause.model.diagnostic import instead, quoted, suggestion
from mqclause.model.facts.domains import Whole
from mqclause.rulebook.declaration import Declaration
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.columns import Column, Columns, TableError, columns_of, given
from mqclause.tables.demands import Demands, demands_of
from mqclause.tables.functions import ALONG, EACH, PREFIX, column, field_of

FieldType = Union[str, "Struct", "ListOf"]
"""A kind of column, decimal, huge (an integer of more than 64 bits), name (a text that is one), null (no value at all),
another type by its own name; or nested."""


@frozen
class Struct:
    """A struct: the kinds of its fields."""

    fields: Mapping[str, FieldType]


@frozen
class ListOf:
    """A list: the kind of its items."""

    item: FieldType


LIST_OF_JSON = ListOf("JSON")
"""What DuckDB reads lists of several types as, and lists of which all are empty."""


@frozen
class ValueSource:
    """Where a table has a value: its tree, of which kind it is, and what messages call it.

    That of a subject is a field of the variable EACH. What is ``checked`` is known to be in its column's domain, as it
    is kept.
    """

    value: Node
    kind: FieldType
    told: str
    checked: bool = False

    @property
    def name(self) -> str:
        """How the table writes the name of the field, in its own letter case."""
        return self.value.name

    def compared(self, of: Column) -> Node:
        """The value as it is compared: with an end of a range, which in narrower numbers would be another, as texts."""
        value = self.value.copy()
        if self.kind == LIST_OF_JSON:
            return F.each(value, F.JsonText(this=F.variable("name")), "name")
        if self.kind == "huge":
            return _exactly(value, of)
        if isinstance(self.kind, ListOf):
            return exp.cast(value, "ARRAY<TEXT>")  # an array of DuckDB's has as many items as its type says
        return exp.cast(value, "DOUBLE") if self.kind == "number" else value


def _exactly(value: Node, of: Column) -> Node:
    """An integer of any size by its digits; one that has no place in 128 bits becomes another that is not allowed."""
    digits = exp.cast(value, "TEXT")
    if not isinstance(of.domain, Whole):
        return exp.cast(digits, "DOUBLE")
    found = exp.TryCast(this=digits, to=exp.DataType.build("INT128"))
    return case([(F.is_null(value.copy()), exp.null())], F.coalesced(found, literal(of.domain.high + 1)))


Sources = Mapping[str, Sequence[ValueSource]]
"""By field of the situation where a table has it: the first that is not null counts."""


@frozen
class Shape:
    """What a table of one document has of the situation and of each subject.

    ``row`` is the struct without which a row says nothing, if there is one; ``listed`` the column of the subjects.
    ``may_be_empty`` says that a row may be without subjects, whatever the document asks of tables. ``further`` are
    words of the situation that no column gives, and what gives them here. ``said`` are the fields of the situation that
    the table has, also those that are null throughout. ``from_start`` says that what subjects carry from one choice to
    the next counts as it is before the first, whatever the table states.
    """

    about: Declaration
    situation: Sources = field(eq=repr)
    subjects: Mapping[str, ValueSource] = field(factory=dict, eq=repr)
    row: Node | None = None
    listed: str = ""
    may_be_empty: bool = False
    further: Mapping[str, Node] = field(factory=dict, eq=repr)
    said: frozenset[str] = frozenset()
    from_start: bool = False

    @property
    def situation_columns(self) -> Columns:
        """The columns that a situation can have."""
        return columns_of(self.about.situation)

    @property
    def subject_columns(self) -> Columns:
        """The columns that a subject can have in a table of this shape."""
        return given(columns_of(self.about.subject), self.said or self.situation) if self.about.subject else {}

    @property
    def demands(self) -> Demands:
        """What the document asks of rows."""
        return demands_of(self.about)


def shape_of(columns: Mapping[str, FieldType], about: Declaration) -> Shape:
    """The shape of a table of one document. Raises TableError, and TypeError for what is no declaration."""
    if not isinstance(about, Declaration):
        raise TypeError(f"declaration={quoted(about)} is none; expected one, as mqclause.documents.WORKLOAD is")
    check_free(about.row.answer, columns)
    situation, struct = situation_fields(columns, about), there(about.row.situation, columns)
    inside = columns[struct]
    said = frozenset(name.lower() for name in inside.fields) if isinstance(inside, Struct) else frozenset()
    shape = Shape(about, situation, row=column(struct), said=said)
    if about.subject is None:
        return shape
    name = there(about.row.subjects, columns)
    found = columns[name]
    if not isinstance(found, ListOf) or not isinstance(found.item, Struct):
        raise TableError(f"column {name} is {named(found)}; expected a list of structs")
    spellings = _fields(found.item, shape.subject_columns, f"{about.row.subjects}.")
    subjects = {each: ValueSource(field_of(EACH, own), found.item.fields[own], each) for each, own in spellings.items()}
    for needed, why in shape.demands.needed.items():
        if needed not in subjects:
            raise TableError(f"column {name}.{needed} is missing; {why}")
    return evolve(shape, subjects=subjects, listed=name)


def contract_shape(about: Declaration, optional: bool = False) -> Shape:
    """The shape of a table that has every column of the contract, and with ``optional`` those besides."""

    def present(facts: type | None) -> Columns:
        columns = columns_of(facts) if facts else {}
        return {name: each for name, each in columns.items() if optional or not each.optional}

    struct = about.row.situation
    situation = {
        name: [ValueSource(column(name, struct), _kind(each), f"{struct}.{name}")]
        for name, each in present(about.situation).items()
    }
    listed = present(about.subject)
    subjects = {name: ValueSource(field_of(EACH, name), _kind(each), name) for name, each in listed.items()}
    return Shape(about, situation, subjects, column(struct), about.row.subjects)


def _kind(of: Column) -> FieldType:
    return ListOf("text") if of.kind == "texts" else of.kind


def situation_fields(columns: Mapping[str, FieldType], about: Declaration) -> Sources:
    """The fields of the situation in a table, also those beside their struct. Raises TableError."""
    struct, demands = about.row.situation, demands_of(about)
    name = there(struct, columns)
    found, known = columns[name], columns_of(about.situation)
    if not isinstance(found, Struct):
        raise TableError(f"column {name} is {named(found)}; expected {demands.struct}")
    inside, beside = _fields(found, known, f"{struct}."), _beside(columns, known)
    if demands.one_of and not set(demands.one_of).intersection(inside):
        raise TableError(demands.neither)
    sources = {
        each: [
            ValueSource(column(of[each], within), kinds[of[each]], f"{struct}.{each}")
            for of, within, kinds in ((inside, name, found.fields), (beside, "", columns))
            if each in of
        ]
        for each in known
    }
    return {name: found for name, found in sources.items() if found}


def check_types(columns: Mapping[str, FieldType], about: Declaration) -> None:
    """Raises TableError for what is there of the document's columns, and can by its type not be that."""
    situation, subjects = spelt(about.row.situation, columns), spelt(about.row.subjects, columns)
    found = columns.get(situation or "")
    if isinstance(found, Struct):
        _fields(found, columns_of(about.situation), f"{about.row.situation}.")
    listed = columns.get(subjects or "")
    if about.subject is not None and isinstance(listed, ListOf) and isinstance(listed.item, Struct):
        _fields(listed.item, columns_of(about.subject), f"{about.row.subjects}.")


def _beside(columns: Mapping[str, FieldType], known: Columns) -> Mapping[str, str]:
    """The columns of a table that count where the struct of the situation does not have them, as they are spelt."""
    found = {name: spelt(name, columns) for name, each in known.items() if each.beside}
    listed = {name: own for name, own in found.items() if own is not None and columns[own] != "null"}
    return {name: own for name, own in listed.items() if fits(columns[own], known[name])}


def no_table(given: object, expected: str) -> TableError:
    """What to say of something that is given in place of a table; a type is named with its package."""
    kind = type(given)
    package = kind.__module__.partition(".")[0].strip("_")
    name = kind.__name__ if package == "builtins" else f"{package}.{kind.__name__}"
    return TableError(f"the table is a {name}; expected {expected}")


def check_free(name: str, columns: Iterable[str]) -> None:
    """Raises TableError for a table with columns whose names are not each one's own, or one of ours, in any case.

    ``name`` is the column that is to be added.
    """
    columns = list(columns)
    for taken in (each for each in columns if each.lower() == name.lower()):
        raise TableError(f"the table has a column {taken} already")
    for own in (each for each in columns if each.lower().startswith(PREFIX) and not each.startswith(ALONG)):
        raise TableError(f"column {own}: names that begin with {PREFIX} are used by mqclause itself")
    check_apart(columns)


def check_apart(names: Iterable[str], before: str = "") -> None:
    """Raises TableError for two names that are one without regard to letter case, as engines take them."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.get(name.lower())
        seen[name.lower()] = name
        if other is not None:
            what = "is there twice" if other == name else f"and {before}{other} differ in letter case only"
            raise TableError(f"column {before}{name} {what}")


def spelt(name: str, columns: Iterable[str]) -> str | None:
    """How a table writes a name, or None if it has no such column."""
    return next((each for each in columns if each.lower() == name.lower()), None)


def there(name: str, columns: Iterable[str]) -> str:
    """How a table writes the name of a column that it must have. Raises TableError, also for what is no name."""
    name = str(name)
    found = spelt(name, columns)
    if found is None:
        raise TableError(f"column {name} is missing{instead(name, columns, 'the table has')}")
    return found


def _fields(found: Struct, columns: Columns, before: str) -> Mapping[str, str]:
    """The known fields of a struct that hold anything, as they are spelt. Raises TableError."""
    check_apart(found.fields, before)
    spellings = {name.lower(): name for name in found.fields}
    check_known(found.fields, columns, before)
    for spelling, kind in found.fields.items():
        of = columns.get(spelling.lower())
        if of is not None:
            check_fits(kind, of, f"{before}{of.name}")
    listed = {name: spellings[name] for name in columns if name in spellings}
    return {name: own for name, own in listed.items() if found.fields[own] != "null"}


def check_known(fields: Iterable[str], columns: Columns, before: str) -> None:
    """Raises TableError for a field of a struct that is no column, where it is close to one that is not there.

    Close is also what MQSC calls it. All other fields are the user's own.
    """
    own = [each.lower() for each in fields]
    missing = [name for name in columns if name not in own]
    for spelling in fields:
        if spelling.lower() in columns:
            continue
        called = [name for name in missing if columns[name].mqsc == spelling.lower()]
        near = f"; did you mean {' or '.join(map(repr, called))}?" if called else suggestion(spelling.lower(), missing)
        if near:
            raise TableError(f"column {before}{spelling} is not known{near}")


def check_fits(kind: FieldType, of: Column, told: str) -> None:
    """Raises TableError if values of a kind are none of a column's, with the cast that would make them so."""
    if fits(kind, of):
        return
    expected, cast = _EXPECTED[of.kind]
    inside = kind.item if isinstance(kind, ListOf) and of.kind == "texts" else kind
    as_nested = isinstance(inside, str) and isinstance(kind, ListOf) == (of.kind == "texts")
    would_do = f" (a CAST to {cast} would do)" if as_nested else ""
    if kind == "JSON" and of.kind == "text":
        would_do = f" ({told} ->> '$' would do)"
    raise TableError(f"column {told} is {named(kind)}; expected {expected}{would_do}")


_EXPECTED = {
    "boolean": ("a boolean", "BOOLEAN"), "integer": ("an integer", "BIGINT"), "number": ("a number", "DOUBLE"),
    "text": ("a text", "STRING"), "texts": ("a list of texts", "a list of STRING"),
}  # fmt: skip


def fits(kind: FieldType, column: Column) -> bool:
    """Whether a column may be of that kind; whether a number is whole is seen row by row."""
    if column.kind == "texts" and isinstance(kind, ListOf):
        return kind.item in ("text", "null", "JSON")
    numbers = ("integer", "huge", "decimal", "number")
    return kind in ("null", column.kind) or (column.kind in numbers and kind in numbers)


def named(kind: FieldType) -> str:
    """A kind as it is named in a message."""
    if isinstance(kind, Struct | ListOf):
        return "a struct" if isinstance(kind, Struct) else "a list"
    told = {"null": "null throughout", "text": "a text", "integer": "an integer"}
    return (told | {"huge": "an integer of more than 64 bits"}).get(kind, f"a {kind}")
