"""Where the attributes of what short texts say come from."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from mqclause.model.configuration.snapshot import Snapshot, read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.facts.objects import Queue


def read(local: str | None = None, lenient: bool = False, **texts: str) -> Snapshot:
    """The snapshot of texts by the name of their source; a text's first line is the one after the quotes."""
    return read_sources([Source(name, dedent(text[1:]).encode()) for name, text in texts.items()], local, lenient)


def queue(snapshot: Snapshot, name: str) -> Queue:
    return next(each for each in snapshot.cluster.queues if each.name == name)


def origins(snapshot: Snapshot, fact: Any, names: str) -> dict[str, tuple[str, int | None]]:
    """How each of the attributes comes about, and on which line of its file."""
    found = {name: snapshot.provenance.of(fact, name) for name in names.split()}
    return {name: (origin.how, origin.line) for name, origin in found.items()}
