"""Answers that are tables: rows as values of a program, as an Arrow table and as a DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    import pyarrow

ColumnTypes = Mapping[str, Any]
"""The columns of a table, each with its type: an Arrow type's name, ``[type]`` for a list, columns for a struct."""

DESTINATION_TYPES: ColumnTypes = {"queue": "string", "queue_manager": "string", "channel": "string"}
"""What a document names a destination by."""


class AnswerRow(Protocol):
    """A row that says itself in JSON values, under the names of the columns."""

    def to_json(self) -> dict[str, Any]:
        """The row as JSON values."""
        ...


AnswerRowT = TypeVar("AnswerRowT", bound=AnswerRow)


class AnswerTable(tuple[AnswerRowT, ...]):
    """The rows of an answer, and what they are as a table."""

    columns: ColumnTypes

    def __new__(cls, rows: Iterable[AnswerRowT], columns: ColumnTypes) -> AnswerTable[AnswerRowT]:
        """The rows, of which each has ``columns``."""
        found = super().__new__(cls, rows)
        found.columns = columns
        return found

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.columns

    def to_arrow(self) -> pyarrow.Table:
        """A table with nested columns, as in JSON. Raises ImportError without pyarrow."""
        import pyarrow as arrow

        schema = arrow.schema([(name, _arrow_type(kind)) for name, kind in self.columns.items()])
        return arrow.Table.from_pylist([row.to_json() for row in self], schema)

    def to_pandas(self) -> Any:
        """A DataFrame; what is nested is in lists and dicts. Raises ImportError without pandas."""
        from pandas import DataFrame

        return DataFrame([row.to_json() for row in self], columns=list(self.columns))


def _arrow_type(kind: Any) -> Any:
    import pyarrow as arrow

    if isinstance(kind, str):
        return arrow.type_for_alias(kind)
    if isinstance(kind, list):
        return arrow.list_(_arrow_type(kind[0]))
    return arrow.struct([(name, _arrow_type(of)) for name, of in kind.items()])
