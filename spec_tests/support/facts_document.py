"""Facts documents of snapshots, as files hold them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mqclause.model.configuration.snapshot import Snapshot, build_facts_tables


def build_facts_document(snapshot: Snapshot) -> dict[str, Any]:
    """The tables of a snapshot with all of their rows."""
    return {table: list(of) if isinstance(of, Iterator) else of for table, of in build_facts_tables(snapshot).items()}
