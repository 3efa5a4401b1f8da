"""The shape of a table: which columns it has and of which types, checked before anything runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Union

from attrs import evolve, frozen

from mqclause.model.diagnostic import suggestion
from mqclause.model.facts.domains import Finite, Flag, Names, Whole
from mqclause.tables.binding import PREFIX
from mqclause.tables.columns import DESTINATION, DESTINATION_OR_QMGR, PUT, Column, TableError
from mqclause.tables.occasion_columns import OCCASION

Kind = Union[str, "Struct", "ListOf"]
"""boolean, integer, number, text, null (a column without any value), another type by its own name; or nested."""


@frozen
class Struct:
    """A struct: the kinds of its fields."""

    fields: Mapping[str, Kind]


@frozen
class ListOf:
    """A list: the kind of its items."""

    item: Kind


@frozen
class Shape:
    """What a table has: the fields of ``put`` and of ``destinations``, and fields of the put ``beside`` it.

    ``may_be_empty`` says that a row may be without destinations: what is put to does not exist.
    """

    put: Collection[str]
    destinations: Collection[str]
    beside: Collection[str] = ()
    may_be_empty: bool = False


def shape_of(columns: Mapping[str, Kind]) -> Shape:
    """The shape of a table with a ``put`` and ``destinations``. Raises TableError."""
    put = put_fields(columns)
    _needed("destinations", columns)
    found = columns["destinations"]
    if not isinstance(found, ListOf) or not isinstance(found.item, Struct):
        raise TableError(f"column destinations is {named(found)}; expected a list of structs")
    shape = Shape(put, (), beside_put(columns))
    fields = _fields(found.item, destination_columns(shape), "destinations.")
    if "queue_manager" not in fields:
        raise TableError("column destinations.queue_manager is missing; every destination has a queue manager")
    return evolve(shape, destinations=fields)


def put_fields(columns: Mapping[str, Kind]) -> Collection[str]:
    """The fields of ``put`` in a table. Raises TableError."""
    _needed("put", columns)
    found = columns["put"]
    if not isinstance(found, Struct):
        raise TableError(f"column put is {named(found)}; expected a struct with queue or queue_manager")
    fields = _fields(found, PUT, "put.")
    if not {"queue", "queue_manager"}.intersection(fields):
        raise TableError("column put has neither queue nor queue_manager; a put names one of them")
    return fields


def beside_put(columns: Mapping[str, Kind]) -> Collection[str]:
    """The columns of a table that count where ``put`` does not have them."""
    return [name for name in ("clwlmruc",) if columns.get(name) == "integer"]


def check_free(name: str, columns: Collection[str]) -> None:
    """Raises TableError if a table has the column that is to be added, or one with a name that we use ourselves."""
    if name in columns:
        raise TableError(f"the table has a column {name} already")
    for column in columns:
        if column.startswith(PREFIX):
            raise TableError(f"column {column}: names that begin with {PREFIX} are used by mqclause itself")


def occasion_fields(columns: Mapping[str, Kind]) -> Collection[str]:
    """The fields of ``occasion`` in a table. Raises TableError."""
    _needed("occasion", columns)
    found = columns["occasion"]
    if not isinstance(found, Struct):
        raise TableError(f"column occasion is {named(found)}; expected a struct with the facts about a queue")
    return _fields(found, OCCASION, "occasion.")


def destination_columns(shape: Shape) -> Mapping[str, Column]:
    """The columns of a destination in a table of this shape."""
    return DESTINATION_OR_QMGR if "qmgr_clwluseq" in shape.put else DESTINATION


def _needed(name: str, columns: Mapping[str, Kind]) -> None:
    if name not in columns:
        near = suggestion(name, columns)
        raise TableError(f"column {name} is missing{near}; the table has: {', '.join(columns)}")


def _fields(found: Struct, columns: Mapping[str, Column], before: str) -> Collection[str]:
    missing = [name for name in columns if name not in found.fields]
    for name, kind in found.fields.items():
        column = columns.get(name)
        near = suggestion(name, missing)
        if column is None and near:
            raise TableError(f"column {before}{name} is not known{near}")
        if column is not None and not _fits(kind, column):
            raise TableError(f"column {before}{name} is {named(kind)}; expected {_expected(column)}")
    return [name for name in columns if found.fields.get(name, "null") != "null"]


def _fits(kind: Kind, column: Column) -> bool:
    match column.domain:
        case Flag():
            return kind in ("boolean", "null")
        case Whole():
            return kind in ("integer", "null")
        case Finite():
            return kind in ("integer", "number", "null")
        case Names():
            return kind == "null" or (isinstance(kind, ListOf) and kind.item in ("text", "null"))
    return kind in ("text", "null")


def _expected(column: Column) -> str:
    kinds = {Flag: "a boolean", Whole: "an integer", Finite: "a number", Names: "a list of texts"}
    return kinds.get(type(column.domain), "a text")


def named(kind: Kind) -> str:
    """A kind as it is named in a message."""
    if isinstance(kind, Struct):
        return "a struct"
    if isinstance(kind, ListOf):
        return "a list"
    return {"null": "null throughout", "text": "a text", "integer": "an integer"}.get(kind, f"a {kind}")
