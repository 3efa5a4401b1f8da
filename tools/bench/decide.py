"""The same decisions by compiled, chaining, CLIPS and ZEN: answers compared, then timed in interleaved rounds.

    python tools/bench/decide.py [DECISIONS] [--rounds N]

Needs ``pip install .[bench]``. Each decision is a put of a queue with six remote destinations, with facts of its own.
Cluster objects with their destinations (for compiled and chaining) and plain values (for CLIPS and ZEN) are made
beforehand. CLIPS runs workload.clp and gets its facts by deffunctions, the fastest way in that clipspy has and one
that keeps no facts alive; ZEN runs one graph with an expression node, zen_steps.py.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Protocol

import clips
import zen
from zen_steps import STEPS

from mqclause import Channel, Cluster, Decision, Engine, Put, Queue, QueueManager, RemoteQueueManager
from mqclause.model.facts.objects import CHANNEL_STATES
from mqclause.model.facts.workload import Destination, list_destinations

QUEUE, DESTINATIONS = "ORDERS.IN", 6
Case = tuple[Put, Cluster]
Answer = tuple[int, int, int, float, int]
"""The place of the chosen destination (-1: none), how many are permitted, the reason code, and the new counters."""
FIELDS = (
    "queue_manager", "is_local", "clwluseq", "put_enabled", "shares_cluster", "channel_in_queue_cluster", "suspended",
    "channel_manual", "channel_status", "channel_rank", "queue_rank", "network_priority", "queue_priority",
    "dest_seq_number", "dest_seq_factor", "channel_weight",
)  # fmt: skip


def random_case(rng: Random) -> Case:
    """Build a put, and a cluster with a queue on five queue managers, one of them behind two channels."""
    hosts = [f"QM{number}" for number in range(1, DESTINATIONS)]
    states = CHANNEL_STATES[rng.choice((0, 0, 2, 6)) :]
    ranks, priorities = (rng.choice(((0,), (0,), (0, 0, 0, 1), range(10))) for _ in range(2))
    disabled = rng.choice((0.0, 0.0, 0.0, 0.1, 0.3, 1.0))
    channels = [
        Channel(
            f"TO.{host}.{number}", host, rng.choice(("SALES", "SALES", "SALES", "STOCK")),
            rng.choice(("CLUSSDRA", "CLUSSDR")), rng.choice(states), rng.choice(ranks), 0, rng.randint(1, 99),
            rng.choice((0, 0, 5)), rng.randint(0, 9), rng.choice((0.0, 0.0, 20.0, 40.5)),
        )
        for number, host in enumerate([*hosts, "QM1"])
    ]  # fmt: skip
    queues = [
        Queue(
            QUEUE, host, clusters=rng.choice((("SALES",), ("SALES", "STOCK"))), clwlrank=rng.choice(ranks),
            put="DISABLED" if rng.random() < disabled else "ENABLED", clwlprty=rng.choice(priorities),
        )
        for host in hosts
    ]  # fmt: skip
    others = [RemoteQueueManager(host, ("SALES",), ("SALES",) if rng.random() < 0.2 else ()) for host in hosts]
    own = QueueManager("QM0", ("SALES",), clwlmruc=rng.choice((999_999_999, 999_999_999, 1, 3)))
    pcf = rng.random() < 0.2
    sent = ("QM1", "QM4") if pcf else ()
    return Put(QUEUE, cluster_pcf=pcf, already_sent_to=sent), Cluster(own, others, queues, (), channels)


LISTING = Engine().listing


def listed(case: Case) -> tuple[Destination, ...]:
    return list_destinations(case[1], case[0], LISTING)


def answer(decision: Decision) -> Answer:
    """Return what is compared, from a decision of our own."""
    reason, advance = decision.reason, decision.advance
    place = -1 if decision.chosen is None else decision.listed.index(decision.chosen)
    after = (advance.dest_seq_factor, advance.dest_seq_number) if advance else (0.0, 0)
    return place, len(decision.remaining), reason.code if reason else 0, *after


class Other(Protocol):
    """An engine that is compared; what it needs of a case is made beforehand."""

    def prepare(self, case: Case) -> Any: ...

    def decide(self, prepared: Any) -> Answer: ...


class Clips:
    """The decisions by CLIPS rules."""

    def __init__(self) -> None:
        self.environment = clips.Environment()
        self.environment.load(str(Path(__file__).with_name("workload.clp")))
        self.enter_put = self.environment.find_function("enter-put")
        self.enter = self.environment.find_function("enter")
        names = ("chosen", "permitted", "reason", "factor", "number")
        self.results = [self.environment.find_global(name) for name in names]

    def prepare(self, case: Case) -> tuple[tuple[Any, ...], list[tuple[Any, ...]]]:
        put, cluster = case
        use = clips.Symbol(cluster.queue_manager.clwluseq)
        head = (put.cluster_pcf, put.from_cluster_channel, use, cluster.queue_manager.clwlmruc, cluster.last_seq_number)
        sent = map(clips.Symbol, put.already_sent_to)
        rows = [[getattr(each, name) for name in FIELDS] for each in listed(case)]
        words = [[clips.Symbol(value) if isinstance(value, str) else value for value in row] for row in rows]
        return (*head, *sent), [(place, *row) for place, row in enumerate(words)]

    def decide(self, prepared: tuple[tuple[Any, ...], list[tuple[Any, ...]]]) -> Answer:
        put, rows = prepared
        enter = self.enter
        self.environment.reset()
        self.enter_put(*put)
        for row in rows:
            enter(*row)
        self.environment.run()
        chosen, permitted, reason, factor, number = [each.value for each in self.results]
        return chosen, permitted, reason, factor, number


class Zen:
    """The decisions by a ZEN graph: input, one expression node, output."""

    def __init__(self) -> None:
        expressions = [{"id": key, "key": key, "value": value} for key, value in STEPS]
        nodes: list[dict[str, Any]] = [
            {"id": "input", "type": "inputNode"},
            {"id": "steps", "type": "expressionNode", "content": {"expressions": expressions}},
            {"id": "output", "type": "outputNode"},
        ]
        pairs = [("input", "steps"), ("steps", "output")]
        edges = [{"id": one + other, "type": "edge", "sourceId": one, "targetId": other} for one, other in pairs]
        named = [{**node, "name": node["id"], "position": {"x": 0, "y": 0}} for node in nodes]
        self.decision = zen.ZenEngine().create_decision(json.dumps({"nodes": named, "edges": edges}))

    def prepare(self, case: Case) -> dict[str, Any]:
        put, cluster = case
        rows = [{"id": n, **{name: getattr(each, name) for name in FIELDS}} for n, each in enumerate(listed(case))]
        return {
            "pcf": put.cluster_pcf, "sent": list(put.already_sent_to), "came": put.from_cluster_channel,
            "use": cluster.queue_manager.clwluseq, "mruc": cluster.queue_manager.clwlmruc,
            "last": cluster.last_seq_number, "all": rows,
        }  # fmt: skip

    def decide(self, prepared: dict[str, Any]) -> Answer:
        found = self.decision.evaluate(prepared)["result"]
        return found["chosen"], found["permitted"], found["reason"], found["factor"], found["number"]


Runner = tuple[str, Callable[[Any], Any], Sequence[Any]]


def own_runners(cases: Sequence[Case]) -> list[Runner]:
    """List the runners: compiled at every level, with and without the steps and the document read; chaining."""
    compiled, chaining = Engine(executor="compiled"), Engine(executor="chaining")

    def at(level: Any, then: Callable[[Decision], Any] | None = None) -> Callable[[Case], Any]:
        if then is None:
            return lambda case: compiled.choose(case[0], case[1], None, level)
        return lambda case: then(compiled.choose(case[0], case[1], None, level))

    found: list[Runner] = [(f"compiled {level}", at(level), cases) for level in ("verdict", "off", "rule", "condition")]
    for level in ("rule", "condition"):
        found.append((f"compiled {level}, steps read", at(level, lambda decision: decision.steps), cases))
        found.append((f"compiled {level}, as JSON", at(level, lambda each: json.dumps(each.to_json())), cases))
    return [*found, ("chaining verdict", lambda case: chaining.choose(case[0], case[1]), cases)]


def compare(cases: Sequence[Case], others: Mapping[str, Other]) -> int:
    """Count how many answers differ from compiled's, and print it by engine."""
    compiled, chaining = Engine(executor="compiled"), Engine(executor="chaining")
    expected = [answer(compiled.choose(*case)) for case in cases]
    found = {"chaining": [answer(chaining.choose(*case)) for case in cases]}
    for name, engine in others.items():
        found[name] = [engine.decide(engine.prepare(case)) for case in cases]
    total = 0
    for name, answers in found.items():
        different = [number for number in range(len(cases)) if not same(answers[number], expected[number])]
        first = different and f"; the first: {answers[different[0]]}, compiled {expected[different[0]]}"
        print(f"answers of {name}: {len(cases) - len(different)} the same, {len(different)} different{first or ''}")
        total += len(different)
    return total


def same(one: Answer, other: Answer) -> bool:
    return (*one[:3], one[4]) == (*other[:3], other[4]) and abs(one[3] - other[3]) < 1e-9


def measure(runners: Sequence[Runner], rounds: int) -> dict[str, float]:
    """Measure the microseconds of a decision, the median of interleaved rounds."""
    seen: dict[str, list[float]] = {name: [] for name, _, _ in runners}
    gc.collect()
    gc.freeze()  # what was prepared is nobody's garbage
    for _ in range(rounds):
        for name, decide, prepared in runners:
            began = time.perf_counter()
            for each in prepared:
                decide(each)
            seen[name].append((time.perf_counter() - began) / len(prepared) * 1e6)
    return {name: median(times) for name, times in seen.items()}


def main() -> int:
    """Exit status 1 when an answer differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("decisions", type=int, nargs="?", default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    rng = Random(6)
    cases = [random_case(rng) for _ in range(given.decisions)]
    others: dict[str, Other] = {"CLIPS": Clips(), "ZEN": Zen()}
    different = compare(cases, others)
    runners = own_runners(cases)
    runners += [(name, engine.decide, list(map(engine.prepare, cases))) for name, engine in others.items()]
    times = measure(runners, given.rounds)
    base = times["compiled verdict"]
    print(f"\n{'':32}{'µs':>9}{'ratio':>9}")
    for name, took in times.items():
        print(f"{name:32}{took:9.1f}{took / base:9.2f}")
    fastest = min(others, key=times.__getitem__)
    print(f"\nfastest other ({fastest}) / compiled verdict: {times[fastest] / base:.1f}")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
