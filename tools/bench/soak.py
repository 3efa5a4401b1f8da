"""A soak of the chaining executor: very many decisions, each compared with compiled, and memory watched.

    python tools/bench/soak.py [DECISIONS] [--seed N]
    python tools/bench/soak.py --misuse NAME

``--misuse`` shows, in a process of its own, what comes of a way of using durable_rules that the executor avoids.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import durable_rules_engine
from attrs import frozen
from durable.engine import Host

from mqclause import Cluster, Decision, Engine, Put

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from spec_tests.support.random_clusters import random_case, random_put

PUTS_PER_CLUSTER = 5
SESSIONS = 100_000
SECONDS = 60
"""How long a misuse may run before it counts as one that never ends."""


@frozen
class Soaked:
    """How a soak went; memory is the resident set in megabytes."""

    decisions: int
    disagreements: int
    seconds: float
    start_mb: float
    tenth_mb: float
    end_mb: float


def resident_mb() -> float:
    """Return the resident set of this process; where the system does not tell, its highest so far."""
    pages = Path("/proc/self/statm")
    if pages.exists():
        return int(pages.read_text().split()[1]) * resource.getpagesize() / 2**20
    scale = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale


def cases(seed: int) -> Iterator[tuple[Cluster, Put]]:
    """Yield random situations without end: several puts in each cluster."""
    rng = Random(seed)
    while True:
        cluster, put = random_case(rng)
        yield cluster, put
        for _ in range(PUTS_PER_CLUSTER - 1):
            yield cluster, random_put(rng, cluster)


def soak(decisions: int, seed: int) -> Soaked:
    """Make so many decisions with both executors."""
    compiled, chaining = Engine(executor="compiled"), Engine(executor="chaining")
    start_mb, began = resident_mb(), time.perf_counter()
    tenth_mb, disagreements = start_mb, 0
    for number, (cluster, put) in zip(range(1, decisions + 1), cases(seed), strict=False):
        disagreements += answer(chaining.choose(put, cluster)) != answer(compiled.choose(put, cluster))
        if number == decisions // 10:
            tenth_mb = resident_mb()
    seconds = time.perf_counter() - began
    return Soaked(decisions, disagreements, seconds, start_mb, tenth_mb, resident_mb())


def answer(decision: Decision) -> tuple[Any, ...]:
    """Return the whole answer; destinations are the very same objects for both executors."""
    looks = [(each.run.failure, each.facts) for each in decision.resolved.looks]
    runs = [(list(run.remaining), run.chosen, run.facts, run.failure) for run in decision.runs]
    return decision.outcome, looks, runs


ONE_TEST = {"rule": {"all": [{"m": {"number": 1}}]}}
EVERY_FACT = {"every": {"all": [{"m": {"$ex": {"subject": 1}}}]}}


def misuse_host() -> str:
    """Use durable.engine.Host with the threads that it starts; its action notes who matched, then the session goes."""
    matched: list[int] = []
    actions = {"rule": lambda found: matched.append(found.m.subject), "every": lambda _: None}
    rules = {name: {**rule, "run": actions[name]} for name, rule in (ONE_TEST | EVERY_FACT).items()}
    host = Host({"host": rules})
    wrong = 0
    for session in range(SESSIONS):
        matched.clear()
        for subject in range(6):
            host.assert_fact("host", {"subject": subject, "number": subject % 2, "sid": str(session)})
        wrong += sorted(matched) != [1, 3, 5]
        host.delete_state("host", str(session))
    return f"{SESSIONS} sessions, {wrong} with a wrong answer"


def misuse_host_exception() -> str:
    """Have durable.engine.Host run an action that raises."""
    rules = {name: {**rule, "run": lambda _: 1 / 0} for name, rule in (ONE_TEST | EVERY_FACT).items()}
    state = Host({"host": rules}).assert_fact("host", {"subject": 0, "number": 1, "sid": "1"})
    return f"no exception; the state says {str(state.get('exception'))[:60]!r}"


def misuse_unmatched() -> str:
    """Open a session for each fact, and have no rule that the fact matches."""
    return unmatched(delete=False)


def misuse_unmatched_delete() -> str:
    """Do the same, with the session deleted."""
    return unmatched(delete=True)


def unmatched(delete: bool) -> str:
    handle = durable_rules_engine.create_ruleset("unmatched", json.dumps(ONE_TEST))
    code = 0
    for session in range(SESSIONS):
        fact = json.dumps({"subject": 0, "number": 2, "sid": str(session)})
        try:
            code, _ = durable_rules_engine.assert_fact(handle, fact)
        except MemoryError:
            return f"MemoryError at session {session}"
        if delete:
            durable_rules_engine.delete_state(handle, str(session))
    return f"{SESSIONS} sessions, each fact answered with code {code} (not handled), {resident_mb():.0f} MB"


def misuse_same_fact() -> str:
    """Assert many facts in one session, all different: the library tells them apart by a hash of 32 bits."""
    handle = durable_rules_engine.create_ruleset("same", json.dumps(ONE_TEST | EVERY_FACT))
    for subject in range(200_000):
        code, state = durable_rules_engine.assert_fact(handle, json.dumps({"subject": subject, "sid": "1"}))
        if code:
            return f"fact {subject} refused with code {code} (already observed)"
        firing = durable_rules_engine.start_action_for_state(handle, state)[1]
        while firing:
            firing = durable_rules_engine.complete_and_start_action(handle, state)
    return "200,000 facts"


MISUSES: dict[str, Callable[[], str]] = {
    "host": misuse_host,
    "host-exception": misuse_host_exception,
    "unmatched": misuse_unmatched,
    "unmatched-delete": misuse_unmatched_delete,
    "same-fact": misuse_same_fact,
}


def misused(name: str) -> str:
    """Try a misuse in a process of its own, and return what it ends in."""
    program = [sys.executable, str(Path(__file__).resolve()), "--misuse-here", name]
    try:
        done = subprocess.run(program, capture_output=True, text=True, timeout=SECONDS, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        return f"no end within {SECONDS} seconds"
    if done.returncode < 0:
        return f"the process died of signal {-done.returncode}"
    return done.stdout.strip() or (done.stderr.strip().splitlines() or ["nothing"])[-1]


def main() -> int:
    """Exit status 1 when the executors disagreed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("decisions", type=int, nargs="?", default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misuse", choices=MISUSES)
    parser.add_argument("--misuse-here", choices=MISUSES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.misuse_here:
        print(MISUSES[given.misuse_here]())
        return 0
    if given.misuse:
        print(f"{given.misuse}: {MISUSES[given.misuse].__doc__}\n{misused(given.misuse)}")
        return 0
    went = soak(given.decisions, given.seed)
    print(f"decisions      {went.decisions}")
    print(f"disagreements  {went.disagreements}")
    print(f"seconds        {went.seconds:.1f}")
    print(f"start MB       {went.start_mb:.1f}")
    print(f"10 % MB        {went.tenth_mb:.1f}")
    print(f"end MB         {went.end_mb:.1f}")
    return int(went.disagreements > 0)


if __name__ == "__main__":
    sys.exit(main())
