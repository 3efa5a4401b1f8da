"""The names that puts can give in a cluster, and what the engine decides of all that they can say besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count, product
from typing import Any

from attrs import asdict, frozen

from mqclause.answers.decision import Decision
from mqclause.answers.engine import Engine
from mqclause.model.diagnostic import DomainError
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.destination import destinations
from mqclause.model.facts.objects import Put
from mqclause.rulebook.rules import Rules
from mqclause.tables.columns import DESTINATION, PUT, Column
from mqclause.tables.demands import OF_PUTS
from mqclause.tables.shares import ties_in

PUT_NAMES = OF_PUTS.one_of
"""The fields by which a put names what it asks for."""

PUT_SAYS = tuple(name for name, each in PUT.items() if name not in PUT_NAMES and not each.optional)
"""What else a put says."""


def _can_say() -> dict[str, Sequence[Any]]:
    """What a put can say in each field without being odd. Its CLWLMRUC is the queue manager's."""
    every: dict[str, Sequence[Any]] = {"boolean": (False, True), "texts": ((),), "integer": (None,)}
    return {name: every.get(PUT[name].kind) or PUT[name].domain.words for name in PUT_SAYS}  # type: ignore[union-attr]


CAN_SAY = _can_say()
"""All that a put can say besides a name, field by field; numbers count through the last field first."""


@frozen
class NamedPut:
    """A name that puts can give in the cluster ``at``, by its number; nobody gives one that is ``unknown``."""

    at: int
    id: int
    put: Put
    unknown: bool = False

    def row(self, cluster: Cluster, rules: Rules) -> dict[str, Any]:
        """``queue``, ``queue_manager``, ``defbind`` and the ``destinations``, as a table has them."""
        engine = Engine(rules)
        where = engine.resolve(cluster, self.put.queue, self.put.queue_manager)
        found = destinations(cluster, where.named, engine.listing, where.kept) if where.asks_workload else ()
        listed = [asdict(each) for each in found]
        return {
            "at": self.at,
            "id": self.id,
            "queue": self.put.queue,
            "queue_manager": self.put.queue_manager,
            "defbind": where.default_binding,
            "asks": where.asks_workload,
            "destinations": [{name: _value(each[of.word], of) for name, of in DESTINATION.items()} for each in listed],
        }


def names_of(cluster: Cluster, at: int = 0) -> Sequence[NamedPut]:
    """The names in a cluster, each with its number, and then those for unknown ones."""
    managers = [cluster.queue_manager.name, *cluster.remote]
    named = [{"queue": name} for name in cluster.queues_by_name]
    named += [{"queue_manager": name} for name in dict.fromkeys([*managers, *cluster.aliases_by_name])]
    puts = [put for each in named if (put := _put(each)) is not None]
    free = next(name for name in (f"NONE.{number}" for number in count()) if not _is_taken(cluster, name))
    known = [NamedPut(at, number, put) for number, put in enumerate(puts, at << 32)]
    unknown = [Put(queue=free), Put(queue_manager=free)]
    return [*known, *(NamedPut(at, -2 * at - 1 - each, put, unknown=True) for each, put in enumerate(unknown))]


def _put(named: Mapping[str, Any]) -> Put | None:
    """None for a name in the facts that no put can give."""
    try:
        return Put(**named)
    except DomainError:
        return None


def _is_taken(cluster: Cluster, name: str) -> bool:
    return name in cluster.queues_by_name or name in cluster.aliases_by_name or name in cluster.remote


@lru_cache(maxsize=32)
def decided_puts(
    cluster: Cluster, rules: Rules, explain: bool, with_ties: bool = False
) -> Sequence[Sequence[dict[str, Any]]]:
    """For each of the names in a cluster what is decided of all that a put can say of it, by number.

    That is the ``decision``, and who ``ties`` in the long run.
    """
    engine = Engine(rules)
    said = [dict(zip(CAN_SAY, each, strict=True)) for each in product(*CAN_SAY.values())]
    for each in said:
        del each["clwlmruc"]
    found = []
    for named in names_of(cluster):
        name = {key: getattr(named.put, key) for key in PUT_NAMES}
        decisions = [engine.choose(Put(**name, **each), cluster, None, "rule" if explain else "off") for each in said]
        found.append([
            {
                "decision": answered(each, explain),
                **({"ties": ties_in(engine, each.put, cluster)} if with_ties else {}),
            }
            for each in decisions
        ])  # fmt: skip
    return found


def answered(found: Decision, explain: bool) -> dict[str, Any]:
    """The fields of columns.DECISION."""
    to, fell = found.chosen, found.fell_by() if explain and found.runs else {}
    return {
        "outcome": found.outcome,
        "queue": to and (to.queue or None),
        "queue_manager": to and (to.queue_manager or None),
        "channel": to and (to.channel or None),
        "reason": found.reason and found.reason.code,
        "permitted": len(found.remaining),
        "eliminated_by": [fell.get(each) for each in found.listed] if explain else None,
        "message": None,
        "transmission_queue": to and (to.transmission_queue or None),
    }


def _value(value: object, of: Column) -> object:
    """A blank word is null in a table."""
    return None if value == "" and of.default != "" else value
