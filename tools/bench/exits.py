"""What a call of a cluster workload exit costs: choices with an exit and without, in turns.

python tools/bench/exits.py [CHOICES]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any

from attrs import evolve

from mqclause import Channel, Cluster, Engine, Put, Queue, QueueManager, RemoteQueueManager
from mqclause.exits import MQWXP, prefer_channel

HOSTS = ("QM2", "QM3", "QM4")
ROUNDS = 10


def does_nothing(wxp: MQWXP) -> None:
    """The least that an exit can do."""


def the_cluster(exit_name: str) -> Cluster:
    """QM1 puts to Q, which three queue managers host."""
    own = QueueManager("QM1", ("S",), clwlexit=exit_name, clwldata="TO.QM3")
    return Cluster(
        own,
        [RemoteQueueManager(each, ("S",)) for each in HOSTS],
        [Queue("Q", each, clusters=("S",), defbind="NOTFIXED") for each in HOSTS],
        channels=[Channel(f"TO.{each}", each, "S", status="RUNNING") for each in HOSTS],
    )


def seconds(engine: Engine, cluster: Cluster, choices: int) -> float:
    """The time of so many choices, each with the counters of the one before."""
    put, state = Put(queue="Q"), None
    began = time.perf_counter()
    for _ in range(choices):
        state = engine.choose(put, cluster, state, explain="off").state
    return time.perf_counter() - began


def measured(choices: int) -> Mapping[str, float]:
    """Microseconds of a choice, by kind: the best of the rounds, in which each kind has its turn."""
    exits: dict[str, Any] = {"nothing": does_nothing, "prefer": prefer_channel}
    best: dict[str, float] = {}
    with Engine(exits=exits) as engine:
        plain = the_cluster("")
        kinds = {"without an exit": (Engine(), plain)}
        for name, said in (("nothing", "an exit that does nothing"), ("prefer", "prefer_channel")):
            named = evolve(plain.queue_manager, clwlexit=name)
            kinds[said] = (engine, evolve(plain, queue_manager=named))
        for _ in range(ROUNDS):
            for kind, (asked, cluster) in kinds.items():
                took = seconds(asked, cluster, choices // ROUNDS) / (choices // ROUNDS) * 1e6
                best[kind] = min(took, best.get(kind, took))
    return best


if __name__ == "__main__":
    for kind, took in measured(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000).items():
        print(f"{took:8.1f} µs  {kind}")
