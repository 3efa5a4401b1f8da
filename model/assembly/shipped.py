"""Shipped queues: the initiation queues that every queue manager is created with, and no script defines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import evolve

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Queue

SHIPPED = "SYSTEM."
"""How the names of the objects begin that every queue manager is created with."""


def shipped(
    cluster: Cluster, defined: Mapping[str, frozenset[str]], named_by: Iterable[tuple[str, str]]
) -> tuple[Queue, ...]:
    """The initiation queues that are taken to be there; ``defined`` is what scripts define, by kind.

    ``named_by`` are local queues, each with the initiation queue that it names. A facts file tells all that there is,
    so that nothing is assumed for a queue that no script defines.
    """
    own, in_scripts = cluster.queue_manager.name, defined.get("QLOCAL", ())
    names = dict.fromkeys(initq for name, initq in named_by if name in in_scripts and initq.startswith(SHIPPED))
    known = (cluster.own_queues, cluster.models)
    return tuple(Queue(name, own, curdepth=None) for name in names if not any(name in each for each in known))


def with_queues(cluster: Cluster, more: tuple[Queue, ...]) -> Cluster:
    """``cluster`` with ``more`` queues."""
    return evolve(cluster, queues=(*cluster.queues, *more)) if more else cluster


def assumed(name: str) -> str:
    """What is assumed of the queue ``name``."""
    return f"{name} is defined as every queue manager is created with it"
