"""What a call of a cluster workload exit costs: choices with an exit and without, in turns; and one that loops.

python tools/bench/exits.py [CHOICES]

CPU time is that of the caller and of the exit's own process together. What the clock shows is the best of the rounds.
"""

from __future__ import annotations

import sys
import time
from resource import RUSAGE_CHILDREN, getrusage

from attrs import define, evolve

from mqclause import Channel, Cluster, Engine, Put, Queue, QueueManager, RemoteQueueManager
from mqclause.exits import MQWXP, Caller, prefer_channel
from mqclause.exits.process import ANYBODY
from mqclause.model.facts.workload import SequenceState

HOSTS = ("QM2", "QM3", "QM4")
ROUNDS = 10
LIMIT = 0.5
"""The limit of the exit that loops, in seconds."""


def does_nothing(wxp: MQWXP) -> None:
    """Do the least that an exit can do."""


def loops(wxp: MQWXP) -> None:
    """Do not return, where there is something to choose."""
    while wxp.DestinationArray:
        pass


def the_cluster(exit_name: str) -> Cluster:
    """Return what QM1 knows, which puts to Q, of three hosts."""
    own = QueueManager("QM1", ("S",), clwlexit=exit_name, clwldata="TO.QM3")
    return Cluster(
        own,
        [RemoteQueueManager(each, ("S",)) for each in HOSTS],
        [Queue("Q", each, clusters=("S",), defbind="NOTFIXED") for each in HOSTS],
        channels=[Channel(f"TO.{each}", each, "S", status="RUNNING") for each in HOSTS],
    )


@define
class Kind:
    """Choices of one kind, and what they have cost: seconds of CPU in all, and by the clock of one at best."""

    name: str
    engine: Engine
    cluster: Cluster
    caller: Caller = ANYBODY
    cpu: float = 0.0
    best: float = float("inf")
    state: SequenceState | None = None

    def take_turn(self, choices: int) -> None:
        """Make so many choices, each with the counters of the one before."""
        put, began, used = Put(queue="Q"), time.perf_counter(), time.process_time()
        for _ in range(choices):
            self.state = self.engine.choose(put, self.cluster, self.state, "off", self.caller).state
        self.cpu += time.process_time() - used
        self.best = min(self.best, (time.perf_counter() - began) / choices)

    def end(self) -> None:
        """End the exit's process, whose time is known then."""
        before = getrusage(RUSAGE_CHILDREN)
        self.engine.close()
        after = getrusage(RUSAGE_CHILDREN)
        self.cpu += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(choices: int) -> list[Kind]:
    """Measure each kind; in each of the rounds each has its turn."""
    plain = the_cluster("")
    named = evolve(plain, queue_manager=evolve(plain.queue_manager, clwlexit="x"))
    kinds = [
        Kind("without an exit", Engine(), plain),
        Kind("an exit that does nothing", Engine(exits={"x": does_nothing}), named),
        Kind("prefer_channel", Engine(exits={"x": prefer_channel}), named),
    ]
    for _ in range(ROUNDS):
        for each in kinds:
            each.take_turn(choices // ROUNDS)
    for each in kinds:
        each.end()
    return kinds


def of_one_that_loops(choices: int) -> tuple[float, Kind]:
    """Measure how long the first choice on a handle takes, and what the others on it cost."""
    looping = Kind("after one that looped", Engine(exits={"x": loops}, exit_limit=LIMIT), the_cluster("x"), Caller("h"))
    looping.take_turn(1)
    first, looping.cpu, looping.best = looping.best, 0.0, float("inf")
    looping.take_turn(choices)
    looping.engine.close()
    return first, looping


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    found = measured(asked)
    print(f"{asked:,} choices of each kind: CPU of one, how many times that without an exit, and by the clock")
    for kind in found:
        cpu = kind.cpu / asked * 1e6
        print(f"{cpu:8.1f} µs  x{kind.cpu / found[0].cpu:5.1f}  {kind.best * 1e6:8.1f} µs  {kind.name}")
    took, later = of_one_that_loops(asked // ROUNDS)
    print(f"an exit that loops, with a limit of {LIMIT} s: the first choice on its handle takes {took:.2f} s,")
    print(f"each of the {asked // ROUNDS:,} after it {later.cpu / (asked // ROUNDS) * 1e6:.1f} µs of CPU")
