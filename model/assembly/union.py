"""One snapshot from the facts of several files: united, checked against each other, every fault with its place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.facts.cluster import Cluster, Contradiction, ContradictionError
from mqclause.model.facts.objects import Fact, QueueManager
from mqclause.model.readers.facts_file import Facts

FIELDS = {
    "remote_queue_managers": "remote_queue_manager",
    "queues": "queue",
    "queue_manager_aliases": "queue_manager_alias",
    "channels": "channel",
    "processes": "process",
}
"""The fields of facts, documents and clusters that hold lists, and the table of each."""


class Place(NamedTuple):
    """Where a fact stands: a line of a script (None where no line states it), or a table of a facts file."""

    source: str
    line: int | None
    table: str = ""

    def __str__(self) -> str:
        if self.table:
            return f"{self.source} ({self.table})"
        return self.source if self.line is None else f"{self.source}:{self.line}"


class Listed(NamedTuple):
    """A fact, the field of the cluster that it belongs to, and where it stands."""

    field: str
    fact: Fact
    place: Place


def listed_facts(facts: Facts) -> list[Listed]:
    """The facts of a facts file's lists with their places."""
    return [
        Listed(field, fact, Place(facts.source, None, f"{table} {position}"))
        for field, table in FIELDS.items()
        for position, fact in enumerate(getattr(facts, field), 1)
    ]


def united(
    own: QueueManager, at: Place, listed: Iterable[Listed], lenient: bool = False
) -> tuple[Cluster, tuple[Diagnostic, ...]]:
    """The cluster of all facts, in their order, and warnings; raises FactsError if they contradict each other.

    With ``lenient`` a fact of a script that contradicts the others is left out, with a warning.
    """
    kept, warnings = list(listed), list[Diagnostic]()
    while True:
        try:
            return cluster_of(own, kept), tuple(warnings)
        except ContradictionError as error:
            places = {id(own): at} | {id(each.fact): each.place for each in kept}
            told = [_told(each, places) for each in error.contradictions]
            wrong = {id(each.fact) for each in error.contradictions}
            if not lenient or any(places[one].table for one in wrong):
                raise FactsError(told) from None
            warnings += told
            kept = [each for each in kept if id(each.fact) not in wrong]


def cluster_of(own: QueueManager, listed: Iterable[Listed]) -> Cluster:
    """The cluster of these facts; raises ContradictionError."""
    lists: dict[str, list[Any]] = {field: [] for field in FIELDS}
    for each in listed:
        lists[each.field].append(each.fact)
    return Cluster(own, **lists)


def _told(wrong: Contradiction, places: dict[int, Place]) -> Diagnostic:
    place = places[id(wrong.fact)]
    message = wrong.message
    if wrong.earlier is not None:
        message += f"; it stands in {places[id(wrong.earlier)]} and in {place}"
    return Diagnostic(place.source, message, place.line)
