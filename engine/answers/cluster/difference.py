"""What a change does to a cluster: the rows of its map that differ, and the clauses that make the difference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from attrs import frozen

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.decision_document import destination_document
from mqclause.answers.choice.engine import Engine
from mqclause.answers.choice.rows import DESTINATION_TYPES, AnswerTable, ColumnTypes
from mqclause.answers.choice.shares import Share
from mqclause.answers.cluster.cluster_map import (
    OF_OPENS,
    SIDE,
    ClusterState,
    MapRow,
    alias_row,
    aliases_in_clusters,
    map_row,
    queues_in_clusters,
    side_document,
    snapshots_of,
)
from mqclause.answers.cluster.counterfactual import fates
from mqclause.answers.cluster.exit_shares import choice_after_start
from mqclause.answers.cluster.news import news
from mqclause.answers.cluster.traffic import Traffic
from mqclause.documents import WORKLOAD
from mqclause.model.assembly.snapshot import Snapshot
from mqclause.model.diagnostic import of_type
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.destination import Destination
from mqclause.model.facts.sequence import changes
from mqclause.rulebook.rule import Rule

PLAN_FORMAT = "mqclause.plan/1"

Side = Literal["before", "after"]

BothSides = tuple[Snapshot, Snapshot, str]
"""A member before and after a change, and a queue."""

PLAN_COLUMNS: ColumnTypes = {
    "queue": "string",
    "from": "string",
    "moved": "float64",
    "weight": "int64",
    "before": SIDE,
    "after": SIDE,
    "because": [
        {"side": "string", "destination": DESTINATION_TYPES, "rule": "string", "clause": "string", "because": "string"}
    ],
}

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
    """A row of the map before and after a change; ``weight`` is how many puts were really made, where that is known."""

    before: MapRow
    after: MapRow
    engine: Engine
    weight: int | None = None

    @property
    def name(self) -> str:
        """The queue or the alias, as the row of a map names it."""
        return self.before.name

    @property
    def queue(self) -> str:
        """The queue that is put to; blank where an alias of a queue manager is named."""
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

    @cached_property
    def in_question(self) -> tuple[tuple[Side, MapRow], ...]:
        """The sides that rest on what is not known: both, unless the rules see the same after the change as before."""
        one, other = self.before.decision, self.after.decision
        is_same = not (one.runs or other.runs) or (one.runs and other.runs and one.kind == other.kind)
        if self.before is self.after or (is_same and not self.differs):
            return ()
        sides: tuple[tuple[Side, MapRow], ...] = (("before", self.before), ("after", self.after))
        return tuple((side, row) for side, row in sides if row.told_by)

    @cached_property
    def held_up(self) -> tuple[Share, ...]:
        """The parts of the puts that wait for a channel after the change and did not wait before."""
        waiting = self.after.waiting if self.after is not self.before else ()
        waited = {key_of(each.destination) for each in self.before.waiting} if waiting else set()
        return tuple(each for each in waiting if key_of(each.destination) not in waited)

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What is to be said of the puts after the change and was not before, whether they go elsewhere or not.

        That the parts are of opens is said of all that move.
        """
        told = (*news(self.before, self.after), *([OF_OPENS] if self.differs and self.is_of_opens else []))
        return tuple(dict.fromkeys(told))

    @property
    def is_of_opens(self) -> bool:
        """Whether the parts are of opens: after the change or, if nothing is chosen then, before it."""
        return (self.after if self.after.shares else self.before).is_of_opens

    @property
    def moved(self) -> Fraction:
        """The part of the puts that goes elsewhere: 1 where only one side has destinations, 0 where none has."""
        one, other = parts(self.before.shares), parts(self.after.shares)
        if bool(one) != bool(other):
            return Fraction(1)
        keys, none = dict.fromkeys([*one, *other]), Fraction(0)
        return sum((abs(one.get(key, none) - other.get(key, none)) for key in keys), none) / 2

    @property
    def puts_moved(self) -> Fraction:
        """How many puts go elsewhere; of unknown traffic none."""
        return self.moved * (self.weight or 0)

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
        return choice_after_start(decision.put, decision.cluster, self.engine, decision.before, "rule")

    def to_json(self) -> dict[str, Any]:
        """The row as it stands in the document ``mqclause.plan/1``."""
        return {
            **self.before.named,
            "from": self.member,
            "moved": float(self.moved),
            **({} if self.weight is None else {"weight": self.weight}),
            "before": side_document(self.before),
            "after": side_document(self.after),
            "because": [each.to_json() for each in self.because],
        }


def plan(
    before: ClusterState,
    after: ClusterState,
    engine: Engine | None = None,
    bind: str = "NOTFIXED",
    traffic: Traffic | None = None,
) -> AnswerTable[PlanRow]:
    """The rows of the map that differ between two states of a cluster, those that move most puts first.

    A state is a snapshot, or what it knows, of each member (or of one), as ``read_members`` gives them. Members that
    only one state has give no row; a queue that nobody has any more is 2085. ``traffic`` weighs the rows.
    """
    engine = Engine.given(engine)
    if traffic is not None:
        of_type("traffic", traffic, Traffic, ", as mqclause.duckdb.traffic gives")
    found = (row_of(asked, engine, bind, traffic) for asked in both_sides(before, after))
    return ordered(row for row in found if row.differs)


def both_sides(
    before: ClusterState, after: ClusterState, names: Callable[[Cluster], list[str]] = queues_in_clusters
) -> list[BothSides]:
    """What plan looks at: each member that both states have, with each queue that either knows in a cluster.

    Or with what else ``names`` finds in each state.
    """
    members = {each.cluster.queue_manager.name: each for each in snapshots_of(after)}
    pairs = ((one, members.get(one.cluster.queue_manager.name)) for one in snapshots_of(before))
    return [
        (one, other, name)
        for one, other in pairs
        if other is not None
        for name in dict.fromkeys([*names(one.cluster), *names(other.cluster)])
    ]


def alias_rows_of(before: ClusterState, after: ClusterState, engine: Engine, bind: str) -> list[PlanRow]:
    """The rows of the aliases of queue managers that either state knows in a cluster, whether they differ or not."""
    found = []
    for one, other, name in both_sides(before, after, aliases_in_clusters):
        was = alias_row(one, name, engine, bind)
        found.append(PlanRow(was, was if one is other else alias_row(other, name, engine, bind), engine))
    return found


def row_of(asked: BothSides, engine: Engine, bind: str, traffic: Traffic | None = None) -> PlanRow:
    """The row of one queue at one member, whether it differs or not."""
    before, after, queue = asked
    one = map_row(before, queue, engine, bind)
    other = one if before is after else map_row(after, queue, engine, bind)
    weight = None if traffic is None else traffic.puts.get((queue, one.member), 0)
    return PlanRow(one, other, engine, weight)


def ordered(rows: Iterable[PlanRow]) -> AnswerTable[PlanRow]:
    """The rows, those first that move most puts."""
    return AnswerTable(sorted(rows, key=lambda row: (-row.puts_moved, -row.moved, row.queue, row.member)), PLAN_COLUMNS)


def restarting(before: ClusterState, after: ClusterState, engine: Engine) -> list[str]:
    """The members whose sequence factors restart at zero when one state becomes the other."""
    members = {each.cluster.queue_manager.name: each.cluster for each in snapshots_of(after)}
    found = []
    for each in snapshots_of(before):
        name = each.cluster.queue_manager.name
        if name in members and any(changes(each.cluster, members[name], engine.listing)):
            found.append(name)
    return sorted(found)


def restarting_by(engine: Engine) -> str:
    """The number of the clause whose rule says at which changes they do."""
    return next((rule.clause for rule in engine.rules.ruleset(WORKLOAD).rules if rule.notices), "")


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
    queue, local = destination.queue, decision.cluster.queue_manager.name
    if not queue:
        return f"{decision.put.queue_manager} does not lead to {destination.queue_manager} from {local}"
    if destination.is_local:
        return f"{local} has no {queue} of its own"
    return f"{destination.queue_manager} has no instance of {queue} to which {local} has a route"
