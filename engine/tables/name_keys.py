"""By what the names of a row are found among those that puts can give, and the row's own names in what is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen
from sqlglot import exp

from mqclause.language.sql import Node, both, case, either, equal, literal, negated
from mqclause.tables import functions as F  # noqa: N812 - the functions of plans
from mqclause.tables.demands import PUT_NAMES
from mqclause.tables.named_puts import AS_NAMED, NamedPuts, unknown_number

AT, ID = "__mqclause_at", "__mqclause_id"
"""Columns on the way: the place of the row's cluster, and what its put names."""

KEYS = {name: f"__mqclause_{name}" for name in PUT_NAMES}
BY_QUEUE, BY_MANAGER = "__mqclause_by_queue", "__mqclause_by_manager"
"""Columns on the way: the names that a put gives, and those that they are found by."""


@frozen
class NameKeys:
    """How names are found in each of the clusters, by the rules of one engine.

    ``of_cluster`` takes a value for each cluster, and of which kind they are, and gives that of the row's.
    """

    clusters: Sequence[NamedPuts]
    of_cluster: Callable[[Sequence[Node], str], Node]

    def by_name(self, in_both: bool) -> dict[str, Node]:
        """BY_QUEUE and BY_MANAGER; ``in_both``: a row can give a queue beside a queue manager."""
        return {BY_QUEUE: self._queue(in_both), BY_MANAGER: self._manager()}

    @property
    def _apart(self) -> Node:
        """Whether in the row's cluster a name that nobody knows is found like any other."""
        return self.of_cluster([literal(each.apart) for each in self.clusters], "BOOLEAN")

    def _listed(self, names: Callable[[NamedPuts], Sequence[str]]) -> Node:
        return self.of_cluster([literal(tuple(names(each))) for each in self.clusters], "ARRAY<TEXT>")

    def _manager(self) -> Node:
        own = F.column(KEYS["queue_manager"])
        if not any(each.apart for each in self.clusters):
            return own
        stands = both(self._apart, is_given(own.name), negated(F.has(self._listed(lambda each: each.managers), own)))
        return case([(stands, literal(AS_NAMED["queue_manager"]))], own)

    def _queue(self, in_both: bool) -> Node:
        own, stands = F.column(KEYS["queue"]), []
        if in_both:
            is_kept = both(*map(is_given, KEYS.values()), F.is_null(self._beside()))
            said = [literal(name) for name in self.clusters[0].said]
            stands.append(both(is_kept, negated(exp.In(this=own.copy(), expressions=said))) if said else is_kept)
        if any(each.apart for each in self.clusters):
            is_known = F.has(self._listed(lambda each: each.queues), own)
            stands.append(both(self._apart, is_given(own.name), negated(is_known)))
        return case([(each, literal(AS_NAMED["queue"])) for each in stands], own) if stands else own

    def _beside(self) -> Node:
        """The place of the queue manager among those beside which the name of a queue is looked up, from 1, or null."""
        return F.place_of(self._listed(lambda each: each.beside), self._manager())

    def unknown_kind(self) -> Node:
        """Of which kind names are that nobody knows: see unknown_number."""
        beside = exp.Add(this=self._beside(), expression=literal(2))
        return case(
            [(negated(is_given(KEYS["queue_manager"])), literal(0)), (negated(is_given(KEYS["queue"])), literal(1))],
            F.coalesced(beside, literal(2)),
        )

    def unknown_id(self) -> Node:
        """The id of names that nobody knows: see unknown_number."""
        place = self.unknown_kind()
        at = exp.Mul(this=F.column(AT), expression=literal(unknown_number(1, 0) - unknown_number(0, 0)))
        return exp.Sub(this=exp.Add(this=at, expression=literal(unknown_number(0, 0))), expression=place)


def is_given(key: str) -> Node:
    """Whether a row gives the name of a key."""
    return exp.NEQ(this=F.column(key), expression=literal(""))


def is_name() -> Node:
    """Whether a row of names is what a put names in its cluster."""
    found_by = {AT: "at", BY_QUEUE: "queue", BY_MANAGER: "queue_manager"}
    return both(*(equal(F.column(own), F.column(of, "__mqclause_names")) for own, of in found_by.items()))


def stands_for_any() -> Node:
    """Whether a row is found by what stands for any name."""
    by = {"queue": BY_QUEUE, "queue_manager": BY_MANAGER}
    return either(equal(F.column(key), AS_NAMED[name]) for name, key in by.items())


def as_named(fields: Mapping[str, Node]) -> dict[str, Node]:
    """Fields of an answer with the names of the row where they stand in it."""
    return {
        name: case([(equal(value.copy(), AS_NAMED[of]), F.column(key)) for of, key in KEYS.items()], value.copy())
        for name, value in fields.items()
    }


def told_names(answers: Iterator[Mapping[str, Any]]) -> bool:
    """Whether a name of the row stands in any of the answers."""
    return any(value in AS_NAMED.values() for one in answers for value in one.values() if isinstance(value, str))
