"""One cluster of the facts of all sources, checked against each other; what contradicts is told with its places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from mqclause.model.assembly.provenance import Placed
from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.facts.cluster import LISTS, Cluster, Contradiction, ContradictionError
from mqclause.model.facts.objects import QueueManager


class Agreed(NamedTuple):
    """A cluster, the facts that it is made of, and warnings about those that were left out."""

    cluster: Cluster
    placed: Sequence[Placed[Any]]
    warnings: tuple[Diagnostic, ...]


def agreed(
    own: Placed[QueueManager],
    others: Iterable[Placed[Any]],
    lenient: bool = False,
) -> Agreed:
    """The cluster of all facts, in their order; raises FactsError if they contradict each other.

    With ``lenient`` a fact of a script that contradicts the others is left out, with a warning.
    """
    kept, warnings = list(others), list[Diagnostic]()
    while True:
        try:
            return Agreed(_cluster(own, kept), [own, *kept], tuple(warnings))
        except ContradictionError as error:
            placed = {id(each.fact): each for each in (own, *kept)}
            told = [_told(each, placed) for each in error.contradictions]
            wrong = {id(each.fact) for each in error.contradictions}
            if not lenient or any(placed[one].table for one in wrong):
                raise FactsError(told) from None
            warnings += told
            kept = [each for each in kept if id(each.fact) not in wrong]


def _cluster(own: Placed[QueueManager], others: Iterable[Placed[Any]]) -> Cluster:
    lists: dict[str, list[Any]] = {name: [] for name in LISTS.values()}
    for each in others:
        lists[LISTS[type(each.fact)]].append(each.fact)
    return Cluster(own.fact, **lists)


def _told(wrong: Contradiction, placed: dict[int, Placed[Any]]) -> Diagnostic:
    place = placed[id(wrong.fact)]
    message = wrong.message
    if wrong.earlier is not None:
        message += f"; it stands in {placed[id(wrong.earlier)]} and in {place}"
    if place.line is not None:
        return Diagnostic(place.source, message, place.line)
    name = place.origin("name")
    return Diagnostic(place.source, message, name.line, name.column)
