"""What the map of a large cluster costs, the plan of a change, real puts beside their scan, and a counterfactual.

    python tools/bench/cluster.py [QUEUES [MEMBERS [PUTS]]]

Each member hosts half of the queues, taken at random. Seconds of the processor, so that what else runs counts little.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from random import Random

import duckdb

from mqclause import Engine, Put, cluster_map, plan, read_members, why_not
from mqclause.duckdb import traffic
from mqclause.model.configuration.members import Members, apply_changes_everywhere
from mqclause.model.configuration.sources import Source

CHANGES = ("QLOCAL(Q000) QMGR(QM00) CLWLPRTY(5)", "CHANNEL(TO.QM01) CLWLWGHT(99)")
GIVEN = (200, 20, 10_000_000)


def scripts(queues: int, members: int) -> list[Source]:
    """Write a script of each member."""
    rng, found = Random(1), []
    for number in range(members):
        name = f"QM{number:02}"
        lines = [f"* Queue manager name: {name}", f"DEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CLUSTER(S)"]
        hosted = [each for each in range(queues) if (each, number) == (0, 0) or rng.random() < 0.5]
        lines += [f"DEFINE QLOCAL(Q{each:03}) CLUSTER(S)" for each in hosted]
        found.append(Source(f"{name}.mqsc", "\n".join(lines).encode()))
    return found


class Laps:
    """Prints what each part took."""

    def __init__(self) -> None:
        self._at = time.process_time()

    def lap(self, name: str) -> None:
        """Say how long it is since the one before."""
        now = time.process_time()
        print(f"{now - self._at:7.2f} s  {name}")
        self._at = time.process_time()


def answers(queues: int, members: int, laps: Laps) -> None:
    """Ask for the map, the plan and why not."""
    before = read_members(scripts(queues, members))
    laps.lap(f"{members} scripts of {queues} queues read")
    rows = cluster_map(before)
    assert all(row.to_json() for row in rows)  # noqa: S101
    laps.lap(f"map, {len(rows)} rows with what they rest on")
    after = apply_changes_everywhere(before, CHANGES)
    laps.lap("two changes carried out at every member")
    found = plan(before, after)
    assert all(row.to_json() for row in found)  # noqa: S101
    laps.lap(f"plan, {len(found)} rows")
    _counterfactual(before, laps)


def _counterfactual(members: Members, laps: Laps) -> None:
    """Why not a host that is suspended, of as many as there are."""
    cluster, engine = members[-1].cluster, Engine()
    name, hosts = max(cluster.queues_by_name.items(), key=lambda each: len(each[1]))
    other = next(each.queue_manager for each in hosts if each.queue_manager in cluster.remote)
    decision = engine.choose(Put(queue=name, bind="NOTFIXED"), cluster.suspend(other), explain="rule")
    answer = why_not(decision, other)
    laps.lap(f"why not: {len(answer.changes)} sets of up to {answer.searched} commands, {len(hosts)} hosts")


def puts(queues: int, members: int, count: int, laps: Laps) -> None:
    """Count a log of puts, beside the scan of its two columns."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "puts.parquet"
        columns = f"format('Q{{:03}}', i * 7919 % {queues}) AS queue, format('QM{{:02}}', i % {members}) AS \"from\""
        duckdb.sql(f"COPY (SELECT {columns} FROM range({count}) AS t(i)) TO '{file}'")  # noqa: S608
        laps.lap(f"{count:,} puts written")
        duckdb.execute(f"SELECT sum(strlen(queue) + strlen(\"from\")) FROM '{file}'").fetchall()  # noqa: S608
        laps.lap("scan of them")
        assert traffic(file).total == count  # noqa: S101
        laps.lap("traffic")


def main() -> None:
    """Measure it all and print it."""
    queues, members, count = [*map(int, sys.argv[1:]), *GIVEN[len(sys.argv) - 1 :]]
    laps = Laps()
    answers(queues, members, laps)
    puts(queues, members, count, laps)


if __name__ == "__main__":
    main()
