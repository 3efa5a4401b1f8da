"""The shape of a table: which columns it has and of which types, checked before anything runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Union

from attrs import frozen

from mqclause.model.diagnostic import suggestion
from mqclause.rulebook.declaration import Declaration
from mqclause.tables.columns import Column, Columns, TableError, columns_of, given
from mqclause.tables.demands import Demands, demands_of
from mqclause.tables.functions import PREFIX

FieldType = Union[str, "Struct", "ListOf"]
"""A kind of column, null (a column without any value), another type by its own name; or nested."""


@frozen
class Struct:
    """A struct: the kinds of its fields."""

    fields: Mapping[str, FieldType]


@frozen
class ListOf:
    """A list: the kind of its items."""

    item: FieldType


@frozen
class Shape:
    """What a table of one document has: fields of the situation and of the subjects, and some ``beside`` their struct.

    ``may_be_empty`` says that a row may be without subjects, whatever the document asks of tables.
    """

    about: Declaration
    situation: Collection[str]
    subjects: Collection[str] = ()
    beside: Collection[str] = ()
    may_be_empty: bool = False

    @property
    def situation_columns(self) -> Columns:
        """The columns that a situation can have."""
        return columns_of(self.about.situation)

    @property
    def subject_columns(self) -> Columns:
        """The columns that a subject can have in a table of this shape."""
        return given(columns_of(self.about.subject), self.situation) if self.about.subject else {}

    @property
    def demands(self) -> Demands:
        """What the document asks of rows."""
        return demands_of(self.about)


def shape_of(columns: Mapping[str, FieldType], about: Declaration) -> Shape:
    """The shape of a table of one document. Raises TableError."""
    check_free(about.row.answer, columns)
    situation, beside = situation_fields(columns, about), beside_fields(columns, about)
    shape = Shape(about, situation, (), beside)
    if about.subject is None:
        return shape
    name = about.row.subjects
    _check_there(name, columns)
    found = columns[name]
    if not isinstance(found, ListOf) or not isinstance(found.item, Struct):
        raise TableError(f"column {name} is {named(found)}; expected a list of structs")
    subjects = _fields(found.item, shape.subject_columns, f"{name}.")
    for needed, why in shape.demands.needed.items():
        if needed not in subjects:
            raise TableError(f"column {name}.{needed} is missing; {why}")
    return Shape(about, situation, subjects, beside)


def contract_shape(about: Declaration) -> Shape:
    """The shape of a table that has every column but the optional ones."""

    def present(facts: type | None) -> Collection[str]:
        return [name for name, each in columns_of(facts).items() if not each.optional] if facts else ()

    return Shape(about, present(about.situation), present(about.subject))


def situation_fields(columns: Mapping[str, FieldType], about: Declaration) -> Collection[str]:
    """The fields of the situation in a table. Raises TableError."""
    name, demands = about.row.situation, demands_of(about)
    _check_there(name, columns)
    found = columns[name]
    if not isinstance(found, Struct):
        raise TableError(f"column {name} is {named(found)}; expected {demands.struct}")
    fields = _fields(found, columns_of(about.situation), f"{name}.")
    if demands.one_of and not set(demands.one_of).intersection(fields):
        raise TableError(demands.neither)
    return fields


def beside_fields(columns: Mapping[str, FieldType], about: Declaration) -> Collection[str]:
    """The columns of a table that count where the struct of the situation does not have them."""
    return [
        name for name, each in columns_of(about.situation).items() if each.beside and columns.get(name) == each.kind
    ]


def check_free(name: str, columns: Collection[str]) -> None:
    """Raises TableError if a table has the column that is to be added, or one with a name that we use ourselves."""
    if name in columns:
        raise TableError(f"the table has a column {name} already")
    for column in columns:
        if column.startswith(PREFIX):
            raise TableError(f"column {column}: names that begin with {PREFIX} are used by mqclause itself")


def _check_there(name: str, columns: Mapping[str, FieldType]) -> None:
    if name not in columns:
        near = suggestion(name, columns)
        raise TableError(f"column {name} is missing{near}; the table has: {', '.join(columns)}")


def _fields(found: Struct, columns: Columns, before: str) -> Collection[str]:
    missing = [name for name in columns if name not in found.fields]
    for name, kind in found.fields.items():
        column = columns.get(name)
        near = suggestion(name, missing)
        if column is None and near:
            raise TableError(f"column {before}{name} is not known{near}")
        if column is not None and not _fits(kind, column):
            raise TableError(f"column {before}{name} is {named(kind)}; expected {_EXPECTED[column.kind]}")
    return [name for name in columns if found.fields.get(name, "null") != "null"]


_EXPECTED = {
    "boolean": "a boolean", "integer": "an integer", "number": "a number", "text": "a text", "texts": "a list of texts",
}  # fmt: skip


def _fits(kind: FieldType, column: Column) -> bool:
    if column.kind == "texts" and isinstance(kind, ListOf):
        return kind.item in ("text", "null")
    return kind in ("null", column.kind) or (column.kind == "number" and kind == "integer")


def named(kind: FieldType) -> str:
    """A kind as it is named in a message."""
    if isinstance(kind, Struct):
        return "a struct"
    if isinstance(kind, ListOf):
        return "a list"
    return {"null": "null throughout", "text": "a text", "integer": "an integer"}.get(kind, f"a {kind}")
