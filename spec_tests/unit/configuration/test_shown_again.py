"""What several commands display of one thing: it is put together, and which of different values counts is told."""

from __future__ import annotations

from typing import Any

import pytest

from mqclause.model.configuration.snapshot import Snapshot, read_sources
from mqclause.model.configuration.sources import Source

ROUTE = ("CLUSQMGR(QM2)", "CHANNEL(TO.QM2)", "CLUSTER(S)")
INSTANCE = ("QUEUE(Q)", "TYPE(QCLUSTER)", "CLUSTER(S)", "CLUSQMGR(QM2)")
OWN = ("QUEUE(Q)", "TYPE(QLOCAL)")


def log(*attributes: str) -> str:
    """One object that is displayed at QM1: its first attribute stands on line 3."""
    lines = "".join(f"   {each}\n" for each in attributes)
    return f"Starting MQSC for queue manager QM1.\nAMQ8441I: Display details.\n{lines}One MQSC command read.\n"


def read(*texts: str) -> Snapshot:
    """The snapshot of texts in files called 1, 2, …."""
    return read_sources([Source(str(at), text.encode()) for at, text in enumerate(texts, start=1)], "QM1")


def test_each_command_shows_other_attributes() -> None:
    logs = [
        log(*ROUTE, "STATUS(RETRYING)"),
        log(*ROUTE, "CLWLRANK(5)", "SUSPEND(YES)", "QMTYPE(NORMAL)"),
        log(*INSTANCE, "PUT(DISABLED)"),
        log(*INSTANCE, "CLWLPRTY(3)"),
    ]
    for given in (logs, logs[::-1], [*logs, *logs]):
        found = read(*given)
        (route,), (queue,) = found.cluster.channels, found.cluster.queues
        assert (route.status, route.clwlrank, queue.put, queue.clwlprty) == ("RETRYING", 5, "DISABLED", 3)
        assert found.cluster.remote["QM2"].suspended == ("S",)
        assert found.remarks == ()
    origins = [found.provenance.of(route, name) for name in ("status", "clwlrank", "netprty")]
    assert [each.how for each in origins] == ["observed", "observed", "defaulted"]


def test_a_note_about_what_is_displayed_twice_is_told_once() -> None:
    own = log("CLUSQMGR(QM1)", "CHANNEL(TO.QM1)", "CLUSTER(S)", "QMTYPE(NORMAL)")
    notes = [each for each in read(own, own).assumptions if "no full repository" in each]
    assert len(notes) == 1


@pytest.mark.parametrize(
    ("attributes", "values", "of"),
    [
        (ROUTE, {"STATUS(RUNNING)": "RUNNING", "STATUS(STOPPED)": "STOPPED"}, "status"),
        (ROUTE, {"CLWLWGHT(5)": 5, "CLWLWGHT(7)": 7}, "clwlwght"),
        (INSTANCE, {"PUT(ENABLED)": "ENABLED", "PUT(DISABLED)": "DISABLED"}, "put"),
        (OWN, {"GET(ENABLED)": "ENABLED", "GET(DISABLED)": "DISABLED"}, "get"),
        (OWN, {"TRIGGER": True, "NOTRIGGER": False}, "trigger"),
    ],
)
def test_of_different_values_the_last_given_counts(
    attributes: tuple[str, ...], values: dict[str, Any], of: str
) -> None:
    what = f"{'CLUSQMGR' if attributes is ROUTE else 'QCLUSTER' if attributes is INSTANCE else 'QLOCAL'}"
    name, line = "QM2" if attributes is ROUTE else "Q", 3 + len(attributes)
    for first, last in (tuple(values), tuple(values)[::-1]):
        found = read(log(*attributes, first), log(*attributes, last))
        (fact,) = found.cluster.channels if attributes is ROUTE else found.cluster.queues
        assert getattr(fact, of) == values[last]
        said = f"{last} is shown, and {first} at 1:{line}; the last one given counts"
        assert [str(each) for each in found.remarks] == [f"2:{line}:4: {what} '{name}': {said}"]
        assert found.provenance.of(fact, of).source == "2"


def test_what_a_command_states_counts() -> None:
    script = "* Queue manager name: QM1\nDEFINE QLOCAL(Q) put(enabled) +\n  NOTRIGGER CLWLRANK(07)\n"
    shown = log(*OWN, "PUT(DISABLED)", "TRIGGER", "CLWLRANK(7)", "DEFPRTY(4)")
    for given in ((script, shown), (shown, script)):
        file, by = ("2", "1") if given[0] is script else ("1", "2")
        found = read(*given)
        (queue,) = found.cluster.queues
        assert (queue.put, queue.trigger, queue.clwlrank, queue.defprty) == ("ENABLED", False, 7, 4)
        assert [str(each) for each in found.remarks] == [
            f"{file}:5:4: QLOCAL 'Q': PUT(DISABLED) is shown, and {by}:2 states PUT(ENABLED), which counts",
            f"{file}:6:4: QLOCAL 'Q': TRIGGER is shown, and {by}:3 states NOTRIGGER, which counts",
        ]


def test_what_was_shown_before_the_command_in_the_same_log_is_no_contradiction() -> None:
    begun = log(*OWN, "PUT(ENABLED)").removesuffix("One MQSC command read.\n")
    found = read(f"{begun}     2 : ALTER QLOCAL(Q) PUT(DISABLED)\nAMQ8008I: IBM MQ queue changed.\n")
    assert [queue.put for queue in found.cluster.queues] == ["DISABLED"]
    assert found.remarks == ()


def test_a_queue_manager_that_was_made_anew_is_another_one() -> None:
    found = read(log(*ROUTE, "QMID(QM2_2025)", "CLWLRANK(5)"), log(*ROUTE, "QMID(QM2_2026)", "STATUS(RUNNING)"))
    assert [(each.status, each.clwlrank) for each in found.cluster.channels] == [("RUNNING", 0)]
    (remark,) = found.remarks  # none of a CLWLRANK that is shown otherwise
    assert "or one that was made anew" in remark.message


def test_two_queue_managers_of_one_name_are_told() -> None:
    """QM2 was made anew and nobody has reset the cluster: both are shown, with a QMID each."""
    old = [log(*ROUTE, "QMID(OLD)", "STATUS(RETRYING)"), log(*INSTANCE, "QMID(OLD)", "PUT(DISABLED)")]
    new = [log(*ROUTE, "QMID(NEW)", "STATUS(RUNNING)"), log(*INSTANCE, "QMID(NEW)", "PUT(ENABLED)")]
    for first, last, answer in ((old, new, ("RUNNING", "ENABLED")), (new, old, ("RETRYING", "DISABLED"))):
        found = read(*first, *last)
        (route,), (queue,) = found.cluster.channels, found.cluster.queues
        assert (route.status, queue.put) == answer
        (remark,) = (str(each) for each in found.remarks)
        names = ["OLD", "NEW"] if first is new else ["NEW", "OLD"]
        assert remark.startswith(f"3:6:4: 'QM2' is shown with QMID({names[0]}), and with QMID({names[1]}) at 1:6: ")
        assert "as shown last" in remark


def test_one_queue_manager_in_two_clusters_is_no_namesake() -> None:
    in_t = ("CLUSQMGR(QM2)", "CHANNEL(T.QM2)", "CLUSTER(T)")
    assert read(log(*ROUTE, "QMID(ONE)"), log(*in_t, "QMID(ONE)"), log(*ROUTE, "STATUS(RUNNING)")).remarks == ()
