"""Random puts of a table that name a queue, a queue manager or both; and the engine's decision about such a row."""

from __future__ import annotations

from random import Random
from typing import Any

from attrs import evolve

from mqclause import Cluster, Engine, Put
from mqclause.tables.cluster_puts import build_answer
from spec_tests.support.random_clusters import ALIAS, BINDS, CALLS, LOCAL, OTHER_QUEUE, QUEUE, UNKNOWN, WAYS

QUEUES = (QUEUE, OTHER_QUEUE, UNKNOWN, "NONE.0", *WAYS)
PLACES = (LOCAL, ALIAS, UNKNOWN, *WAYS)


def random_pairs(rng: Random, cluster: Cluster, number: int) -> list[dict[str, Any]]:
    """So many puts as rows hold them; any name may stand in either place, and half of the puts are odd."""
    names = [*QUEUES, *PLACES, *cluster.remote]
    found: list[dict[str, Any]] = []
    while len(found) < number:
        queue, manager = rng.choice(("", *QUEUES, rng.choice(names))), rng.choice(("", *PLACES, rng.choice(names)))
        odd, pcf = rng.random() < 0.5, rng.random() < 0.4
        put = {
            "queue": queue, "queue_manager": manager, "bind": rng.choice(BINDS), "call": rng.choice(CALLS),
            "from_cluster_channel": rng.random() < 0.2, "cluster_pcf": pcf,
            "already_sent_to": [name for name in ("QM1", "QM2", LOCAL) if odd and rng.random() < 0.4],
            "clwlmruc": rng.choice((None, 1, 2)) if odd else None,
        }  # fmt: skip
        found += [put] if queue or manager else []
    return found


def by_engine(engine: Engine, cluster: Cluster, row: dict[str, Any], explain: bool = True) -> dict[str, Any]:
    """The engine's decision about the put of a row, as a table has it."""
    fields = dict(row)
    clwlmruc = fields.pop("clwlmruc", None)
    own = cluster.queue_manager
    known = cluster if clwlmruc is None else evolve(cluster, queue_manager=evolve(own, clwlmruc=clwlmruc))
    put = Put(**{name: value for name, value in fields.items() if value is not None})
    return build_answer(engine.choose(put, known, explain="rule" if explain else "verdict"), explain)
