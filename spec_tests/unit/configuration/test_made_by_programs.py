"""Clusters that a program has made, or changed: it tells what no source does."""

from __future__ import annotations

from importlib.resources import files

from attrs import evolve

from mqclause import (
    Channel,
    Cluster,
    Engine,
    Explanation,
    Put,
    Queue,
    QueueManager,
    RemoteQueueManager,
    Snapshot,
    cluster_map,
    read_files,
)

SALES = files("mqclause.tools") / "examples" / "sales"
MADE = Cluster(
    QueueManager("QM1", clusters=("S",)),
    [RemoteQueueManager("QM2", clusters=("S",))],
    [Queue("Q", "QM2", clusters=("S",))],
    channels=[Channel("TO.QM2", "QM2", "S")],
)


def explained(snapshot: Snapshot, queue: str) -> Explanation:
    decision = Engine().choose(Put(queue=queue), snapshot.cluster, explain="rule")
    return Explanation.of(decision, snapshot)


def test_of_a_cluster_that_no_source_describes_nothing_is_unknown() -> None:
    assert explained(Snapshot(MADE), "Q").incomplete == ()
    (row,) = cluster_map(MADE)
    assert (row.to_json()["outcome"], row.incomplete) == ("chosen", ())


def test_what_a_program_has_changed_is_told_and_the_rest_is_unknown_as_before() -> None:
    """Dumps show no status: with TO.QM2 inactive QM2 and QM3 are as good, and with a state below that QM3 alone is."""
    read = read_files([str(SALES / f"QM{number}.mqsc") for number in (1, 2, 3)], local="QM1")
    running = read.cluster.with_status("TO.QM2", "RUNNING")
    more = evolve(running, channels=[*running.channels, Channel("NEW", "QM3", "SALES")])
    unknown = [
        sorted({each.object for each in explained(evolve(read, cluster=cluster), "ORDERS.IN").incomplete})
        for cluster in (read.cluster, running, more)
    ]
    assert unknown == [["TO.QM2", "TO.QM3"], ["TO.QM3"], ["TO.QM3"]]
