"""What is told of an input, without the column: tests of columns are in ``test_places.py``."""

from __future__ import annotations

from mqclause.model.diagnostics import Diagnostic


def without_column(told: Diagnostic) -> str:
    """``file:line: message``."""
    return str(Diagnostic(told.source, told.message, told.line))
