"""Rows of several tests in one table: to bind and to plan its query takes longer than to decide them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any


class Together:
    """Rows that tests ask about, decided in one query when the first of the tests wants its answers."""

    def __init__(self, decided: Callable[[list[Any]], list[Any]]) -> None:
        self._decided, self._rows, self._found = decided, list[Any](), list[Any]()

    def ask(self, *rows: Any) -> Callable[[], list[Any]]:
        """Add rows to the table; what comes back gives their answers. All are asked before the first answer."""
        assert not self._found
        first, last = len(self._rows), len(self._rows) + len(rows)
        self._rows += rows

        def answers() -> list[Any]:
            self._found = self._found or self._decided(self._rows)
            assert len(self._found) == len(self._rows)
            return self._found[first:last]

        return answers


@cache
def connection() -> Any:
    """The connection of DuckDB for tables of Arrow: one of its own for each would take more than a small query."""
    import duckdb

    return duckdb.connect()
