"""Tables that a facts document holds beside the facts: each row checked, every fault told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from mqclause.model.diagnostic import DomainError, given_as, quoted, suggestion
from mqclause.model.facts.domains import Maker
from mqclause.model.readers.facts_document import labelled

_Row = TypeVar("_Row")


def rows_in(data: object, table: str, maker: Maker[_Row]) -> tuple[list[_Row], list[str]]:
    """What the rows of a table in a parsed document make, or every fault of them. Never raises."""
    given = data.get(table, ()) if isinstance(data, Mapping) else ()
    if isinstance(given, Mapping):
        said = f"write [[{table}]] in TOML, a list of objects in JSON"
        return [], [f"{table}: one table is given where a list of tables is expected; {said}"]
    if not isinstance(given, list | tuple):
        return [], [f"{table}: {quoted(given)} is given where a list of tables is expected"]
    made: list[_Row] = []
    faults: list[str] = []
    for position, row in enumerate(given, 1):
        try:
            made.append(maker(row))
        except (AttributeError, KeyError, TypeError, DomainError):
            faults += row_faults(labelled(table, position, row), row, maker)
    return made, faults


def row_faults(label: str, row: Any, maker: Maker[Any]) -> Iterator[str]:
    """Every fault of one row."""
    if not isinstance(row, Mapping):
        yield f"{label}: {quoted(row)} is given where a table is expected"
        return
    for key, value in row.items():
        domain = maker.domains.get(key)
        if domain is None:
            near = suggestion(key, maker.domains) if isinstance(key, str) else ""
            allowed = f"allowed: {', '.join(maker.domains)}{near}"
            yield f"{label}: unknown key {quoted(key)}{given_as(key, value)}; {allowed}"
            continue
        try:
            domain(value, key)
        except DomainError as error:
            yield f"{label}: {error}"
    yield from (f"{label}: {key} is missing; it must be given" for key in maker.required if key not in row)
