"""Queue managers that are suspended and resumed, with FORCE or without. Expected by hand, from the document."""

from __future__ import annotations

from typing import Any

import pytest

from spec_tests.support.administered import FAIL, PUT, RECOVER, SUSPEND, changed, replayed


def test_a_suspended_queue_manager_is_avoided_until_it_resumes() -> None:
    rows = replayed(SUSPEND, *[PUT] * 4, SUSPEND, {**SUSPEND, "do": "resume"}, PUT, PUT)
    assert changed(rows[0]) == [("QM2", ["SALES"])]
    assert {row["routed"]["queue_manager"] for row in rows[1:5]} == {"QM3"}
    assert changed(rows[5]) == []
    assert changed(rows[6]) == [("QM2", [])]
    assert "QM2" in {row["routed"]["queue_manager"] for row in rows[7:]}


def test_if_all_are_suspended_that_counts_for_nothing() -> None:
    third = {**SUSPEND, "queue_manager": "QM3"}
    rows = replayed(SUSPEND, third, {**third, "cluster": "PAY"}, *[PUT] * 3)
    assert {row["routed"]["queue_manager"] for row in rows[3:]} == {"QM2", "QM3"}


@pytest.mark.parametrize(("choice", "status"), [("stopped", "STOPPED"), ("retrying", "RETRYING")])
def test_force_ends_inbound_channels_of_that_cluster(choice: str, status: str) -> None:
    force = {**SUSPEND, "queue_manager": "QM3", "mode": "force"}
    [row] = replayed(force, readings={"forced-channels": choice})
    assert changed(row) == [("QM3", ["SALES"]), ("TO.QM3", status)]


def test_force_on_the_local_queue_manager_ends_its_receiver() -> None:
    [row] = replayed({"do": "suspend", "cluster": "SALES", "mode": "FORCE"})
    assert changed(row) == [("QM1", ["SALES"]), ("TO.QM1", "STOPPED")]


def test_a_suspension_lists_what_changes_and_a_resumption_starts_no_channel() -> None:
    """QM3 is in two clusters: each has its own suspension, FORCE ends the channel of its cluster alone, and once."""
    sales, pay = {**SUSPEND, "queue_manager": "QM3"}, {**SUSPEND, "queue_manager": "QM3", "cluster": "PAY"}
    events = [
        ({"do": "suspend", "cluster": "PAY"}, [("QM1", ["PAY"])]),
        ({"do": "resume", "queue_manager": "QM1", "cluster": "PAY"}, [("QM1", [])]),
        (sales, [("QM3", ["SALES"])]),
        (pay, [("QM3", ["SALES", "PAY"])]),
        ({**pay, "mode": "QUIESCE"}, []),
        ({**pay, "mode": "FORCE"}, [("PAY.QM3", "STOPPED")]),
        ({**pay, "mode": "FORCE"}, []),
        ({**sales, "do": "resume"}, [("QM3", ["PAY"])]),
        ({**sales, "do": "resume"}, []),
        ({**pay, "do": "resume"}, [("QM3", [])]),
        ({**pay, "mode": "FORCE"}, [("QM3", ["PAY"])]),
    ]
    assert [changed(row) for row in replayed(*(event for event, _ in events))] == [listed for _, listed in events]


STATES = {
    "INACTIVE", "RUNNING", "BINDING", "INITIALIZING", "STARTING", "STOPPING", "RETRYING", "REQUESTING", "PAUSED",
    "STOPPED",
}  # fmt: skip


def test_what_becomes_of_a_channel_in_each_state() -> None:
    """A failure leaves it RETRYING and a return INACTIVE, but for STOPPED; what it is already is not listed."""
    states = sorted(STATES)
    routes = [{"name": state, "queue_manager": "QM4", "cluster": "SALES", "status": state} for state in states]
    fourth = {"name": "QM4", "clusters": ["SALES"]}
    failing, back = {**FAIL, "queue_manager": "QM4"}, {**RECOVER, "queue_manager": "QM4"}
    force = {**SUSPEND, "queue_manager": "QM4", "mode": "FORCE"}
    given: dict[str, Any] = {"remote_queue_manager": [fourth], "channel": routes}
    fail, recover, again = replayed(failing, back, back, **given)
    assert set(changed(fail)) == {(state, "RETRYING") for state in STATES - {"STOPPED", "RETRYING"}}
    assert set(changed(recover)) == {(state, "INACTIVE") for state in STATES - {"STOPPED"}}
    assert changed(again) == []
    assert set(changed(replayed(back, **given)[0])) == {
        (state, "INACTIVE") for state in STATES - {"STOPPED", "INACTIVE"}
    }
    assert set(changed(replayed(force, **given)[0])[1:]) == {(state, "STOPPED") for state in STATES - {"STOPPED"}}
