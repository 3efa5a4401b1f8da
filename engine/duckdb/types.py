"""Types of DuckDB: what each kind of column is, and of which kind what is there is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mqclause.tables.columns import Column, ColumnKind
from mqclause.tables.shape import FieldType, ListOf, Struct

DUCKDB_TYPES: Mapping[ColumnKind, Any] = {
    "boolean": "BOOLEAN", "integer": "BIGINT", "number": "DOUBLE", "text": "VARCHAR", "texts": ["VARCHAR"],
}  # fmt: skip
"""The type of each kind of column, as from_json takes it."""

ANSWERED: Mapping[ColumnKind, Any] = {**DUCKDB_TYPES, "integer": "INTEGER"}
"""The same in an answer, where whole numbers are reason codes and counts."""

_INTEGERS = (
    "tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint",
)  # fmt: skip
_KINDS = {
    **dict.fromkeys(_INTEGERS, "integer"), **dict.fromkeys(("hugeint", "uhugeint", "bignum"), "huge"),
    "float": "number", "double": "number", "decimal": "decimal",
    "boolean": "boolean", "varchar": "text", "enum": "text", '"null"': "null", "sqlnull": "null", "null": "null",
}  # fmt: skip


def struct_type(columns: Mapping[str, Column]) -> dict[str, Any]:
    """The type of a struct of these columns, as from_json takes it."""
    return {name: DUCKDB_TYPES[each.kind] for name, each in columns.items()}


def kind_of(found: Any) -> FieldType:
    """A type of DuckDB's as the checks know it."""
    if found.id == "struct":
        return Struct({name: kind_of(child) for name, child in found.children})
    if found.id in ("list", "array"):
        return ListOf(kind_of(found.children[0][1]))
    if str(found) == "JSON":
        return "JSON"  # what is of several types; to DuckDB it is a text
    return _KINDS.get(found.id, str(found))
