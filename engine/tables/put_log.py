"""A log of puts as it is counted: columns queue, from (where the put was made) and, if there is one, count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlglot import exp, parse_one

from mqclause.answers.cluster.traffic import Traffic
from mqclause.language.sql import Node, literal
from mqclause.tables.columns import TableError
from mqclause.tables.shape import check_apart, spelt, there

NAME_COLUMNS = ("queue", "from")
COUNT_COLUMN = "count"

MOST = 10**15
"""More puts than that are no count: a double has no longer every whole number."""

COUNTED_AS = f"""CASE WHEN n IS NULL THEN 1
    WHEN TRY_CAST(CAST(n AS TEXT) AS DOUBLE) >= 0 AND TRY_CAST(CAST(n AS TEXT) AS DOUBLE) < {MOST}
     AND TRY_CAST(CAST(n AS TEXT) AS DOUBLE) = FLOOR(TRY_CAST(CAST(n AS TEXT) AS DOUBLE))
    THEN CAST(TRY_CAST(CAST(n AS TEXT) AS DOUBLE) AS BIGINT) END"""
"""A count is a whole number from 0, whatever type it has; null is one put."""


def grouped_by(columns: Iterable[str]) -> dict[str, Node]:
    """What the rows are counted by, with the names of its columns. Raises TableError."""
    found = list(columns)
    check_apart(found)
    names = zip(("queue", "member"), NAME_COLUMNS, strict=True)
    return {name: _of("RTRIM(CAST(n AS TEXT), ' ')", there(of, found)) for name, of in names}


def measured(columns: Iterable[str]) -> dict[str, Node]:
    """What is counted: puts, rows whose count is none, and one such count."""
    count = spelt(COUNT_COLUMN, columns)
    if count is None:
        return {"puts": exp.Count(this=exp.Star()), "bad": literal(0), "example": exp.null()}
    return {
        "puts": _of(f"SUM({COUNTED_AS})", count),
        "bad": _of(f"COUNT(*) - COUNT({COUNTED_AS})", count),
        "example": _of(f"MIN(CASE WHEN {COUNTED_AS} IS NULL THEN CAST(n AS TEXT) END)", count),
    }


def traffic_of(rows: Iterable[Mapping[str, Any]]) -> Traffic:
    """The puts in rows of the columns above. Raises TableError for names that are missing and counts that are none."""
    counted = list(rows)
    # Engines count in any order: of several faults the same one is told.
    for bad in sorted(str(row["example"]) for row in counted if row["bad"]):
        raise TableError(f"column {COUNT_COLUMN}: {bad!r} is no whole number from 0 to {MOST - 1}")
    for name, of in zip(("queue", "member"), NAME_COLUMNS, strict=True):
        if not all(row[name] for row in counted):
            raise TableError(f"column {of} is null or blank in some row; a put is of a queue, at a queue manager")
    return Traffic({(row["queue"], row["member"]): int(row["puts"]) for row in counted})


def _of(text: str, name: str) -> Node:
    """An expression about the column ``name``, which ``text`` calls n."""
    tree = parse_one(text, dialect="duckdb")
    named = exp.column(name, quoted=True)
    return tree.transform(lambda node: named.copy() if isinstance(node, exp.Column) and node.name == "n" else node)
