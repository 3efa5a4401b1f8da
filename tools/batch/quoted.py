"""Names, texts and files as DuckDB's SQL has them."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from pathlib import Path

LONGEST_ROW = 16 * 1024**2
"""The longest row of CSV or JSON Lines, in bytes."""


def sql_text(value: str) -> str:
    """A text."""
    return "'" + value.replace("'", "''") + "'"


def sql_name(value: str) -> str:
    """A name."""
    return '"' + value.replace('"', '""') + '"'


def pointer(key: str) -> str:
    """The place of a key in a JSON object."""
    return "/" + key.replace("~", "~0").replace("/", "~1")


def sql_files(files: Iterable[Path]) -> str:
    """Files as a list, in which a name is no pattern."""
    return f"[{', '.join(sql_text(glob.escape(str(file))) for file in files)}]"
