"""What if: attributes set in MQSC's own words, on what was read."""

from __future__ import annotations

import pytest

from mqclause.model.configuration.provenance import Origin
from mqclause.model.configuration.snapshot import Snapshot, apply_changes, read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import FactsError

MEMBER = """* Queue manager name: {0}
DEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(SALES)
DEFINE QLOCAL(ORDERS) CLUSTER(SALES)
"""


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return read_sources([Source(name, MEMBER.format(name).encode()) for name in ("QM1", "QM2", "QM3")], "QM1")


def fault(snapshot: Snapshot, command: str) -> str:
    with pytest.raises(FactsError) as caught:
        apply_changes(snapshot, [command])
    return str(caught.value)


def test_the_state_of_a_route(snapshot: Snapshot) -> None:
    after = apply_changes(snapshot, ["CHANNEL(TO.QM3) STATUS(STOPPED)"])
    assert [channel.status for channel in after.cluster.channels] == ["INACTIVE", "INACTIVE", "STOPPED"]
    assert after.provenance.of(after.cluster.channels[2], "status") == Origin("stated", "changes")
    assert snapshot.cluster.channels[2].status == "INACTIVE"


def test_an_attribute_of_one_instance(snapshot: Snapshot) -> None:
    after = apply_changes(
        snapshot, ["QL(orders) QMGR(QM3) CLWLPRTY(5)", "QLOCAL(ORDERS) QMGR(QM1) TRIGGER CLUSTER(' ')"]
    )
    assert [queue.clwlprty for queue in after.cluster.queues] == [0, 0, 5]
    assert (after.cluster.queues[0].trigger, after.cluster.queues[0].clusters) == (True, ())


def test_queue_managers(snapshot: Snapshot) -> None:
    # ALTER QMGR names none: it is the local one.
    after = apply_changes(snapshot, ["QMGR(QM2) SUSPEND(YES)", "QMGR(QM1) CLWLUSEQ(ANY)", "QMGR TRIGINT(0)"])
    local = after.cluster.queue_manager
    assert (after.cluster.remote["QM2"].suspended, local.clwluseq, local.trigint) == (("SALES",), "ANY", 0)


def test_a_receiver_of_another_member(snapshot: Snapshot) -> None:
    after = apply_changes(snapshot, ["CHANNEL(TO.QM2) QMGR(QM2) CLWLWGHT(70)"])
    assert [channel.clwlwght for channel in after.cluster.channels] == [50, 70, 50]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("QLOCAL(ORDERS) CLWLPRTY(5)", "QLOCAL 'ORDERS' is on QM1, QM2, QM3: say with QMGR(…) which one is meant"),
        ("QLOCAL('orders') QMGR(QM2) PUT(DISABLED)",
         "QLOCAL 'orders' of 'QM2' is not known to QM1; did you mean 'ORDERS'? names are case-sensitive; quote them in MQSC"),
        ("QLOCAL(ORDERS) QMGR(QM2) CLWLPRTI(5)", "ALTER QLOCAL has no attribute CLWLPRTI; did you mean 'CLWLPRTY'?"),
        ("QLOCAL(ORDERS) QMGR(QM2) CLWLPRTY(15)",
         "QLOCAL 'ORDERS' of 'QM2': CLWLPRTY: '15' is not allowed; allowed: a whole number from 0 to 9"),
        ("CHANNEL(TO.QM2) QMGR(QM3) CLWLRANK(5)", "CHANNEL 'TO.QM2' of 'QM3' is no CLUSRCVR, and what that states is what"
         " counts for workload; it is on QM2: QMGR(QM2)"),
        ("QLOCAL(ORDERS) QMGR(QM9) CLWLPRTY(5)", "QLOCAL 'ORDERS' of 'QM9' is not known; it is on QM1, QM2, QM3"),
        ("QMGR(QM2) SUSPENDED(SALES)", "ALTER QMGR has no attribute SUSPENDED; SUSPEND(YES) is in all its clusters; in one:"
         " a script that says SUSPEND QMGR CLUSTER(…)"),
        ("QMGR(QM2) SUSPEND(SALES)", "QMGR 'QM2': SUSPEND: 'SALES' is not allowed; allowed: YES, NO; SUSPEND(YES) is in all"
         " its clusters; in one: a script that says SUSPEND QMGR CLUSTER(…)"),
        ("CHANNEL(TO.QM2) QMGR(QM3) STATUS(STOPPED)", "CHANNEL 'TO.QM2' of 'QM3' is not known to QM1"),
        ("CHANNEL(TO.QM2) QMGR(QM2) STATUS(STOPPED)",
         "CHANNEL 'TO.QM2' of 'QM2': STATUS: the states of QM2's channels are its own"),
        ("QMGR(QM2) CLWLUSEQ(ANY)",
         "QMGR 'QM2': CLWLUSEQ is known to that queue manager alone and changes nothing here"),
        ("TOPIC(T) PUB(ENABLED)", "'TOPIC(T) PUB(ENABLED)' names no object; allowed, without a verb: QMGR(…), QLOCAL(…), QALIAS(…),"
         " QREMOTE(…), CHANNEL(…), PROCESS(…)"),
        ("QLOCAL(ORDERS) QMGR(QM2) CLWLPRTY(5) CLWLPRTY(6)", "CLWLPRTY is given twice"),
        ("QLOCAL(ORDERS) QMGR(QM2) CLWLPRTY(5) QMGR(QM3)", "QMGR is given twice"),
        ("QMGR CLWLUSEQ(ANY) QMGR(QM2) QMGR(QM1)", "QMGR is given twice"),
        ("QMGR CLWLUSEQ(ANY) QMGR(QM2)", "QMGR 'QM2': CLWLUSEQ is known to that queue manager alone"),
        ("QLOCAL(ORDERS) TARGET(A) TARGQ(B)", "TARGET is given twice"),
        ("QLOCAL(ORDERS) QMGR(QM1) NOTRIGGER TRIGGER", "TRIGGER and NOTRIGGER are given together"),
        ("QLOCAL(ORDERS) PUT", "PUT needs a value in parentheses"),
        ("QLOCAL(ORDERS", "QLOCAL: a parenthesis is opened but not closed in this command"),
    ],
)  # fmt: skip
def test_what_cannot_be_set(snapshot: Snapshot, command: str, told: str) -> None:
    assert fault(snapshot, command).startswith(f"changes: {told}")
