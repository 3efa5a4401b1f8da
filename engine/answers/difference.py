"""What a change does to a cluster: the rows of its map that differ, and the clauses that make the difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from attrs import frozen

from mqclause.answers.cluster_map import MapRow, map_row, queues_in_clusters, side_document
from mqclause.answers.counterfactual import fates
from mqclause.answers.decision import Decision
from mqclause.answers.decision_document import destination_document
from mqclause.answers.engine import Engine
from mqclause.answers.shares import Share
from mqclause.model.assembly.snapshot import Snapshot
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.sequence import changes
from mqclause.rulebook.rule import Rule

PLAN_FORMAT = "mqclause.plan/1"

Side = Literal["before", "after"]

DestinationKey = tuple[str, str, str]
"""What a destination is told by: queue, queue manager and route; a local one is the same whatever the route."""


@frozen(eq=False)
class Cause:
    """Why a destination gets nothing on one side: it fell by ``rule``, or (None) it is no destination there."""

    side: Side
    destination: Destination
    rule: Rule | None
    because: str

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        rule = self.rule
        return {
            "side": self.side,
            "destination": destination_document(self.destination),
            "rule": rule and rule.id,
            "clause": rule and rule.clause,
            "because": self.because,
        }


@frozen(eq=False)
class PlanRow:
    """A row of the map before and after a change."""

    before: MapRow
    after: MapRow
    engine: Engine

    @property
    def queue(self) -> str:
        """The queue that is put to."""
        return self.before.queue

    @property
    def member(self) -> str:
        """The queue manager where the puts are made."""
        return self.before.member

    @property
    def differs(self) -> bool:
        """Whether anything is another on the other side."""
        one, other = self.before.decision, self.after.decision
        ends = [(each.outcome, each.reason and (each.reason.code, each.reason.call)) for each in (one, other)]
        return ends[0] != ends[1] or parts(self.before.shares) != parts(self.after.shares)

    @property
    def moved(self) -> Fraction:
        """The part of the puts that goes elsewhere: 1 where only one side has destinations, 0 where none has."""
        one, other = parts(self.before.shares), parts(self.after.shares)
        if bool(one) != bool(other):
            return Fraction(1)
        keys, none = dict.fromkeys([*one, *other]), Fraction(0)
        return sum((abs(one.get(key, none) - other.get(key, none)) for key in keys), none) / 2

    @cached_property
    def because(self) -> tuple[Cause, ...]:
        """For each destination that has a share on one side alone, why it has none on the other."""
        return (*self._lost("before", self.before, self.after), *self._lost("after", self.after, self.before))

    def _lost(self, side: Side, row: MapRow, other: MapRow) -> Iterator[Cause]:
        kept = parts(row.shares)
        lost = [each.destination for each in other.shares if key_of(each.destination) not in kept]
        if lost:
            decision = self._explained(row)
            told = {key_of(each): (rule, because) for each, rule, because in fates(decision)}
            for each in lost:
                rule, because = told.get(key_of(each)) or (None, _not_listed(each, decision))
                yield Cause(side, each, rule, because)

    def _explained(self, row: MapRow) -> Decision:
        decision = row.decision
        return self.engine.choose(decision.put, decision.cluster, decision.before, explain="rule")

    def to_json(self) -> dict[str, Any]:
        """The row as it stands in the document ``mqclause.plan/1``."""
        return {
            "queue": self.queue,
            "from": self.member,
            "moved": float(self.moved),
            "before": side_document(self.before),
            "after": side_document(self.after),
            "because": [each.to_json() for each in self.because],
        }


def plan(
    before: Sequence[Snapshot], after: Sequence[Snapshot], engine: Engine | None = None, bind: str = "NOTFIXED"
) -> list[PlanRow]:
    """The rows of the map that differ between two states of a cluster, those that move most traffic first.

    Each state has a snapshot for each member, as ``read_members`` gives them. Members that only one state has give no
    row; a queue that nobody has any more is 2085.
    """
    engine = engine or Engine()
    members = {each.cluster.queue_manager.name: each for each in after}
    pairs = [(each, members[name]) for each in before if (name := each.cluster.queue_manager.name) in members]
    rows = (row for one, other in pairs for row in _rows(one, other, engine, bind))
    return sorted((row for row in rows if row.differs), key=lambda row: (-row.moved, row.queue, row.member))


def restarting(before: Iterable[Snapshot], after: Iterable[Snapshot], engine: Engine) -> list[str]:
    """The members whose sequence factors restart at zero when one state becomes the other: clause 12."""
    members = {each.cluster.queue_manager.name: each.cluster for each in after}
    found = []
    for each in before:
        name = each.cluster.queue_manager.name
        if name in members and any(changes(each.cluster, members[name], engine.watch)):
            found.append(name)
    return sorted(found)


def _rows(before: Snapshot, after: Snapshot, engine: Engine, bind: str) -> Iterator[PlanRow]:
    names = dict.fromkeys([*queues_in_clusters(before.cluster), *queues_in_clusters(after.cluster)])
    for name in names if before is not after else ():
        yield PlanRow(map_row(before, name, engine, bind), map_row(after, name, engine, bind), engine)


def key_of(destination: Destination) -> DestinationKey:
    """What tells it from the others of the same put."""
    route = "" if destination.is_local else destination.transmission_queue or destination.channel
    return destination.queue, destination.queue_manager, route


def parts(found: Iterable[Share]) -> Mapping[DestinationKey, Fraction]:
    """The parts by destination."""
    total: dict[DestinationKey, Fraction] = {}
    for each in found:
        key = key_of(each.destination)
        total[key] = total.get(key, Fraction(0)) + each.part
    return total


def _not_listed(destination: Destination, decision: Decision) -> str:
    if not decision.runs and decision.reason is not None:
        return decision.reason.because
    if not decision.runs:
        return "; ".join(look.because for look in decision.resolved.looks)
    queue = destination.queue or "it"
    return f"{destination.queue_manager} has no instance of {queue} to which {_at(decision)} has a route"


def _at(decision: Decision) -> str:
    return decision.cluster.queue_manager.name
