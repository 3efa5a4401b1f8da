"""Whole numbers of signed and unsigned columns together, which DuckDB would write to Parquet as doubles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mqclause.tools.batch.quoted import sql_name

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation


def with_all_digits(relation: DuckDBPyRelation) -> DuckDBPyRelation:
    """The relation, with such numbers as Parquet has them, also inside of structs and lists."""
    huge = [(name, of) for name, of in zip(relation.columns, relation.types, strict=True) if "HUGEINT" in str(of)]
    replaced = ", ".join(f"{sql_name(name)}::{_exact(of)} AS {sql_name(name)}" for name, of in huge)
    return relation.project(f"* REPLACE ({replaced})") if huge else relation


def _exact(of: Any) -> str:
    """A type as SQL, with decimals in place of integers of more than 64 bits."""
    match of.id:
        case "hugeint":
            return "DECIMAL(38, 0)"
        case "struct":
            return f"STRUCT({', '.join(f'{sql_name(name)} {_exact(each)}' for name, each in of.children)})"
        case "list":
            return f"{_exact(of.child)}[]"
        case "map":
            return f"MAP({_exact(of.key)}, {_exact(of.value)})"
    return str(of)
