"""Very many clusters, each with a put that may find its way by aliases, remote definitions and private queues."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from attrs import frozen

from mqclause import Cluster, Decision, Engine, Put
from mqclause.model.facts.workload import Destination, build_situation
from mqclause.tables.schema import DESTINATION, PUT
from mqclause.workload.resolution import Resolution
from spec_tests.support.random_clusters import EDITIONS, random_case, random_readings

Row = tuple[dict[str, Any], list[dict[str, Any] | None]]


@frozen
class Batch:
    """Clusters with a put in each, and the edition and readings by which they are decided."""

    edition: str
    readings: dict[str, str]
    cases: tuple[tuple[Cluster, Put], ...]


def batches(clusters: int, each: int) -> Iterator[Batch]:
    """So many clusters, always the same: in batches of ``each``, one after the other in each edition, and of two in a row
    of these the readings of one at random."""
    rng = Random(20240611)
    for number in range(clusters // each):
        edition = EDITIONS[number % len(EDITIONS)]
        readings = random_readings(rng, edition) if number // len(EDITIONS) % 2 else {}
        yield Batch(edition, readings, tuple(random_case(rng) for _ in range(each)))


def table_row(engine: Engine, cluster: Cluster, put: Put) -> tuple[Row, dict[str, Any]] | None:
    """The row of what the names of a put come to, and the decision that its table gives.

    None where no workload rule is asked, where nobody is listed, and where an object on the way is put-disabled: of
    that a row says nothing.
    """
    where = engine.resolve(cluster, put.queue, put.queue_manager, put.call)
    if not where.needs_workload_rules or where.inhibited:
        return None
    decision = engine.choose(put, cluster, explain="rule")
    row: Row = _put_row(put, cluster, where), [_destination_row(each) for each in decision.listed]
    return (row, told(decision)) if decision.listed else None


def _put_row(put: Put, cluster: Cluster, where: Resolution) -> dict[str, Any]:
    seen = build_situation(put, where.names, where.default_binding if put.bind == "AS_Q_DEF" else put.bind, cluster, 0)
    values = {name: getattr(put, name, None) for name in PUT}
    named = {"queue": where.named.queue, "queue_manager": where.named.queue_manager}
    return {**values, **named, "bind": seen.bind, "clwlmruc": seen.clwlmruc, "qmgr_clwluseq": seen.qmgr_clwluseq}


def _destination_row(destination: Destination) -> dict[str, Any]:
    values = {name: getattr(destination, name) for name in DESTINATION}
    return {name: None if value == "" else value for name, value in values.items()}


def told(decision: Decision) -> dict[str, Any]:
    """What a table says of a decision, with the rule by which each destination fell."""
    to, fell = decision.chosen, decision.fell_by() if decision.runs else {}
    return {
        "outcome": decision.outcome,
        "queue": to and (to.queue or None),
        "queue_manager": to and to.queue_manager,
        "channel": to and (to.channel or None),
        "reason": decision.reason and decision.reason.code,
        "permitted": len(decision.permitted),
        "eliminated_by": [fell.get(each) for each in decision.listed],
        "message": None,
        "transmission_queue": to and (to.transmission_queue or None),
    }
