"""What is wrong with an invalid row, as SQL: the column, its value, and what is allowed. Only such rows evaluate it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mqclause.model.facts.domains import Finite, Words
from mqclause.tables.columns import (
    NAMES_BOTH,
    NAMES_NOTHING,
    NO_DESTINATIONS,
    NO_PUT,
    NOT_ALLOWED,
    NULL_DESTINATION,
    Column,
)
from mqclause.tables.condition import sql_literal
from mqclause.tables.packing import LARGEST_DOUBLE, Packing
from mqclause.tables.row_words import RowWords, outside


def fields_fault(row: RowWords, null: str) -> str:
    """SQL: what is wrong with the fields of a struct, or null; ``null`` is what is said of a struct that is null."""
    return f"CASE {' '.join(_branches(row, null))} END"


def _branches(row: RowWords, null: str) -> list[str]:
    branches = [f"WHEN {row.struct} IS NULL THEN {sql_literal(null)}"]
    for column, fault in row.faults():
        told = _not_allowed(column, f"{row.struct}.", row.value(column, upper=False))
        branches.append(f"WHEN {fault} THEN {told}")
    return branches


def put_fault(put: RowWords) -> str:
    """SQL: what is wrong with ``put``, or null."""
    branches = _branches(put, NO_PUT)
    queue, queue_manager = put.binding("put_queue"), put.binding("put_queue_manager")
    branches.append(f"WHEN {queue} = '' AND {queue_manager} = '' THEN {sql_literal(NAMES_NOTHING)}")
    branches.append(f"WHEN {queue} <> '' AND {queue_manager} <> '' THEN {sql_literal(NAMES_BOTH)}")
    return f"CASE {' '.join(branches)} END"


def destinations_fault(packing: Packing) -> str:
    """SQL: what is wrong with the first destination that is not as it should be, or null."""
    null = "'" + NULL_DESTINATION.replace("{place}", "' || CAST(place AS TEXT) || '") + "'"
    branches = [f"WHEN mq_each IS NULL THEN {null}"]
    for column, fault in _faults(packing.columns, packing.present):
        before = "destinations[' || CAST(place AS TEXT) || ']."
        branches.append(f"WHEN {fault} THEN {_not_allowed(column, before, f'mq_each.{column.name}')}")
    each = f"each(destinations, lambda mq_each, place: CASE {' '.join(branches)} END)"
    first = f"item(those({each}, lambda fault: fault IS NOT NULL), 0)"
    return f"CASE WHEN COALESCE(length_of(destinations), 0) = 0 THEN {sql_literal(NO_DESTINATIONS)} ELSE {first} END"


def _faults(columns: Mapping[str, Column], present: object) -> Iterator[tuple[Column, str]]:
    for name, column in columns.items():
        if name not in present:  # type: ignore[operator]
            continue
        value = f"COALESCE(mq_each.{name}, {sql_literal(column.default)})"
        if isinstance(column.domain, Finite):
            yield column, f"NOT ({value} BETWEEN {column.domain.low:g} AND {LARGEST_DOUBLE})"
        else:
            fault = outside(column, f"UPPER({value})" if isinstance(column.domain, Words) else value)
            if fault:
                yield column, fault


def _not_allowed(column: Column, before: str, value: str) -> str:
    quote = "''" if isinstance(column.domain, Words) else ""
    shown = f"' || {quoted(value) if quote else f'CAST({value} AS TEXT)'} || '"
    allowed = column.allowed.replace("'", "''")
    text = NOT_ALLOWED.replace("{column}", f"{before}{column.name}").replace("{allowed}", allowed)
    return "'" + text.replace("{value}", shown) + "'"


def quoted(value: str) -> str:
    """SQL: a text in single quotes."""
    return f"'''' || {value} || ''''"
