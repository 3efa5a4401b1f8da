"""What would be: a cluster with one thing changed, checked, and the old one as it was."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqclause import Channel, Cluster, Engine, Put, Queue, QueueManager, RemoteQueueManager

CLUSTER = Cluster(
    QueueManager("QM1", clusters=("S",)),
    [RemoteQueueManager(name, ("S", "T")) for name in ("QM2", "QM3")],
    [Queue("Q", name, clusters=("S",)) for name in ("QM2", "QM3")],
    [],
    [Channel(f"TO.{name}", name, "S") for name in ("QM2", "QM3")],
)


def chosen(cluster: Cluster, queue: str = "Q") -> str | None:
    to = Engine().choose(Put(queue=queue), cluster).chosen
    return to.queue_manager if to else None


def test_each_gives_a_new_cluster() -> None:
    assert chosen(CLUSTER.suspend("QM2")) == "QM3"
    assert chosen(CLUSTER.suspend("QM2", "T")) == "QM2"
    assert CLUSTER.suspend("QM2").remote["QM2"].suspended == ("S", "T")
    assert CLUSTER.suspend("QM1").queue_manager.suspended == ("S",)
    assert chosen(CLUSTER.with_status("TO.QM2", "stopped")) == "QM3"  # type: ignore[arg-type] # in any letter case
    assert chosen(CLUSTER.with_queue("Q", "QM3", clwlprty=5)) == "QM3"
    assert chosen(CLUSTER.with_queue("Q", "QM1")) == "QM1"
    assert CLUSTER.with_queue("N", "QM3").queues[-1] == Queue("N", "QM3", clusters=("S", "T"))
    assert chosen(CLUSTER) == "QM2"


def test_blanks_that_pad_names_are_no_part_of_them() -> None:
    assert chosen(CLUSTER.suspend("QM2".ljust(48), "S".ljust(48))) == "QM3"
    assert chosen(CLUSTER.with_status("TO.QM2".ljust(20), "STOPPED")) == "QM3"
    padded = CLUSTER.with_queue("Q".ljust(48), "QM3".ljust(48), clwlprty=5)
    assert (chosen(padded), len(padded.queues)) == ("QM3", 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda: CLUSTER.suspend("QM9"), "'QM9' is no queue manager"),
        (lambda: CLUSTER.suspend("QM2", "X"), "'X' is no cluster of QM2; known: S, T"),
        (lambda: CLUSTER.with_status("TO.QM9", "STOPPED"), "'TO.QM9' is no channel"),
        (lambda: CLUSTER.with_status("TO.QM2", "GONE"), "status: 'GONE' is not allowed; allowed: INACTIVE, RUNNING"),  # type: ignore[arg-type]
        (lambda: CLUSTER.with_queue("Q", "QM9"), "'QM9' is no queue manager"),
        (lambda: CLUSTER.with_queue("Q", "QM3", clwlprt=5), "'clwlprt' is no attribute of a queue; known: type, "),  # type: ignore[call-arg]
        (lambda: CLUSTER.with_queue("Q", "QM3", CLWLPRTY=5), "'CLWLPRTY' is no attribute of a queue; known: type, "),  # type: ignore[call-arg]
        (lambda: CLUSTER.with_queue("Q", "QM3", clwlprty=10), "clwlprty: 10 is not allowed; allowed: a whole number from 0 to 9"),
    ],
)  # fmt: skip
def test_what_cannot_be(change: Callable[[], Cluster], message: str) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the message is compared
        change()
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("misspelt", ["clwlprt", "CLWLPRTY"])
def test_an_attribute_that_is_close_is_told_last(misspelt: str) -> None:
    with pytest.raises(ValueError, match=r"; did you mean 'clwlprty'\?$"):
        CLUSTER.with_queue("Q", "QM3", **{misspelt: 5})  # type: ignore[arg-type]
