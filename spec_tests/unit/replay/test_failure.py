"""A queue manager that fails and comes back: what becomes of messages in flight. Expected by hand, from the document."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from mqclause import FactsError
from spec_tests.support.administered import FAIL, PUT, RECOVER, changed, fates, replayed, sent


@pytest.mark.parametrize("alternative", [True, False])
def test_the_fate_of_every_kind_of_message(alternative: bool) -> None:
    """By what the message is, and NPMSPEED of its channel: persistent, fast, in doubt, bound, delivered."""
    kinds = {"".join(map(str, map(int, kind))): kind for kind in itertools.product((True, False), repeat=5)}
    flags = ("persistent", "in_doubt", "bound", "delivered")
    messages = [
        {**sent("FAST" if fast else "SLOW"), "id": name, **dict(zip(flags, (persistent, *rest), strict=True))}
        for name, (persistent, fast, *rest) in kinds.items()
        if persistent or not fast or not rest[0]
    ]
    routes = [
        {"name": name, "queue_manager": "QM2", "cluster": "SALES", "npmspeed": speed}
        for name, speed in (("FAST", "FAST"), ("SLOW", "NORMAL"))
    ]
    stop = [{"do": "alter", "channel": name, "set": {"status": "STOPPED"}} for name in ("TO.QM3", "PAY.QM3")]
    row = replayed(*([] if alternative else stop), FAIL, channel=routes, in_flight=messages)[-1]
    expected: dict[str, tuple[str, str | None]] = {}
    for name, (persistent, fast, in_doubt, bound, delivered) in kinds.items():
        if in_doubt and fast and not persistent:
            continue  # no channel has one
        expected[name] = ("waits", None)
        if not (delivered or in_doubt):
            if not persistent and fast:
                expected[name] = ("may_be_lost", None)
            elif alternative and not bound:
                expected[name] = ("rerouted", "QM3")
    assert fates(row) == expected


def test_a_message_follows_the_queue_manager_that_it_was_sent_to() -> None:
    rows = replayed(FAIL, RECOVER, {**FAIL, "queue_manager": "QM3"}, in_flight=[sent()])
    assert changed(rows[0]) == [("TO.QM2", "RETRYING")]
    assert fates(rows[0]) == {"M1": ("rerouted", "QM3")}
    assert (changed(rows[1]), fates(rows[1])) == ([("TO.QM2", "INACTIVE")], {})
    assert fates(rows[2]) == {"M1": ("rerouted", "QM2")}


def test_a_message_that_waited_is_sent_when_its_target_is_back() -> None:
    rows = replayed(FAIL, RECOVER, RECOVER, FAIL, in_flight=[sent(bound=True)])
    assert [fates(row) for row in rows] == [
        {"M1": ("waits", None)},
        {"M1": ("sent", None)},
        {},
        {"M1": ("waits", None)},
    ]


def test_one_that_is_sent_to_a_queue_manager_that_is_down_waits_for_it() -> None:
    """QM3 is down: M1, from QM2 that fails, and A1, that arrives, are sent to it and leave when it is back."""
    here, third = {"name": "ORDERS.IN", "clusters": ["SALES"], "put": "DISABLED"}, {"queue_manager": "QM3"}
    arrives = {"do": "arrive", "queue": "ORDERS.IN", "id": "A1"}
    stop = {"do": "alter", "channel": "TO.QM2", "set": {"status": "STOPPED"}}
    back = {**RECOVER, **third}
    rows = replayed({**FAIL, **third}, FAIL, stop, arrives, back, back, queue=[here], in_flight=[sent()])
    assert [fates(row) for row in (rows[0], rows[1], rows[3], rows[4], rows[5])] == [
        {},
        {"M1": ("rerouted", "QM3")},
        {"A1": ("rerouted", "QM3")},
        {"M1": ("sent", None), "A1": ("sent", None)},
        {},
    ]


@pytest.mark.parametrize(("choice", "again"), [("gone", {}), ("judged-anew", {"M1": ("may_be_lost", None)})])
def test_a_message_that_may_be_lost_is_told_once_or_judged_anew(choice: str, again: dict[str, Any]) -> None:
    rows = replayed(FAIL, RECOVER, FAIL, in_flight=[sent(persistent=False)], readings={"may-be-lost": choice})
    assert [fates(row) for row in rows] == [{"M1": ("may_be_lost", None)}, {}, again]


def test_a_stopped_route_stays_stopped() -> None:
    stop = {"do": "alter", "channel": "TO.QM2", "set": {"status": "STOPPED"}}
    assert [changed(row) for row in replayed(stop, FAIL, RECOVER)] == [[], [], []]


def test_rerouted_messages_move_the_counters_of_their_channel() -> None:
    """Of two targets left, three messages and then a put alternate."""
    fourth = {"name": "QM4", "clusters": ["SALES"]}
    queue = {"name": "ORDERS.IN", "queue_manager": "QM4", "clusters": ["SALES"]}
    route = {"name": "TO.QM4", "queue_manager": "QM4", "cluster": "SALES"}
    pay = {"do": "alter", "channel": "PAY.QM3", "set": {"status": "STOPPED"}}
    messages = [{**sent(), "id": f"M{number}"} for number in range(3)]
    rows = replayed(pay, FAIL, PUT, remote_queue_manager=[fourth], queue=[queue], channel=[route], in_flight=messages)
    targets = [each["to"]["queue_manager"] for each in rows[1]["fates"]] + [rows[2]["routed"]["queue_manager"]]
    assert sorted(targets[:2]) == sorted(targets[2:]) == ["QM3", "QM4"]


def test_rerouted_messages_fill_a_queue_here_up_to_its_maxdepth() -> None:
    """Three leave QM2, QM3 has stopped channels: the local queue takes two, with one message there already."""
    stop = [{"do": "alter", "channel": name, "set": {"status": "STOPPED"}} for name in ("TO.QM3", "PAY.QM3")]
    here = {"name": "ORDERS.IN", "clusters": ["SALES"], "maxdepth": 3}
    messages = [{**sent(), "id": f"M{number}"} for number in range(3)]
    rows = replayed(*stop, PUT, FAIL, {**PUT, "to_queue_manager": "QM1"}, queue=[here], in_flight=messages)
    assert rows[2]["routed"]["queue_manager"] == "QM1"
    assert [fate for fate, _ in fates(rows[3]).values()] == ["rerouted", "rerouted", "waits"]
    assert rows[4]["reason"] == 2053


@pytest.mark.parametrize(
    ("flags", "events", "fate", "said"),
    [
        ({}, (), "sent", "its channel sends it"),
        ({"in_doubt": True}, (), "sent", "finds out whether it is there"),
        ({"delivered": True}, (), "delivered", "it is on a queue of QM2 already"),
        ({"bound": True}, ("STOPPED",), "waits", "TO.QM2 is STOPPED: it leaves when somebody starts that"),
        ({"delivered": True}, ("STOPPED",), "delivered", "it is on a queue of QM2 already"),
    ],
)
def test_what_waited_when_its_target_is_back(
    flags: dict[str, Any], events: tuple[str, ...], fate: str, said: str
) -> None:
    changes = [{"do": "alter", "channel": "TO.QM2", "set": {"status": each}} for each in events]
    message = sent(**(flags or {"bound": True}))
    *_, row = replayed(*changes, FAIL, RECOVER, in_flight=[message])
    [found] = row["fates"]
    assert (found["fate"], said in found["because"]) == (fate, True)


def test_the_speed_of_a_channel_is_that_of_the_moment() -> None:
    slower = {"do": "alter", "channel": "TO.QM2", "set": {"npmspeed": "NORMAL"}}
    message = sent(persistent=False)
    assert fates(replayed(FAIL, in_flight=[message])[0]) == {"M1": ("may_be_lost", None)}
    assert fates(replayed(slower, FAIL, in_flight=[message])[1]) == {"M1": ("rerouted", "QM3")}


DISABLE = {"do": "alter", "queue": "ORDERS.IN", "queue_manager": "QM2", "set": {"put": "DISABLED"}}
AHEAD: tuple[tuple[dict[str, Any], dict[str, Any], str], ...] = (
    ({"put": "DISABLED"}, {}, "M1: ORDERS.IN at QM2 is put-disabled: the message is not put there when it arrives"),
    ({"maxdepth": 2}, {"curdepth": 2}, "M1: ORDERS.IN at QM2 is full, with 2 of at most 2 messages (MAXDEPTH)"),
    ({"maxdepth": 3}, {"curdepth": 2}, ""),
    ({}, {}, ""),
)
"""What an alter changes at the target while the message waits, what is there, and what the message is told to meet."""


@pytest.mark.parametrize(("set", "there", "said"), AHEAD)
def test_what_a_message_meets_that_is_sent_when_its_target_is_back(
    set: dict[str, Any],  # noqa: A002 - MQ's word
    there: dict[str, Any],
    said: str,
) -> None:
    alter = {**DISABLE, "set": set}
    host = {"name": "FAR.IN", "queue_manager": "QM2", "clusters": ["SALES"], **there}
    events: list[dict[str, Any]] = [FAIL, *([{**alter, "queue": "FAR.IN"}] if set else []), RECOVER]
    *_, row = replayed(*events, queue=[host], in_flight=[{**sent(), "queue": "FAR.IN"}])
    said = said.replace("ORDERS.IN", "FAR.IN")
    assert fates(row) == {"M1": ("sent", None)}
    assert [each.startswith(said) for each in row.get("remarks", [])] == ([True] if said else [])
    told = [remark for fate in row["fates"] for remark in fate.get("remarks", [])]
    assert [f"M1: {each}" for each in told] == row.get("remarks", [])


def test_what_meets_nothing_yet_is_told_nothing() -> None:
    """Delivered already, or waiting on: put-disabling the queue concerns neither now."""
    cases: list[tuple[dict[str, Any], bool]] = [({"delivered": True}, False), ({"bound": True}, True)]
    for flags, stopped in cases:
        stop = [{"do": "alter", "channel": "TO.QM2", "set": {"status": "STOPPED"}}] if stopped else []
        *_, row = replayed(*stop, FAIL, DISABLE, RECOVER, in_flight=[sent(**flags)])
        assert "remarks" not in row


def test_one_that_waits_for_a_stopped_channel_is_sent_at_a_return_after_that_was_started() -> None:
    alter = {"do": "alter", "channel": "TO.QM2"}
    stop, start = ({**alter, "set": {"status": status}} for status in ("STOPPED", "RUNNING"))
    rows = replayed(stop, FAIL, RECOVER, RECOVER, start, RECOVER, in_flight=[sent(bound=True)])
    assert [fates(rows[at])["M1"][0] for at in (1, 2, 3, 5)] == ["waits", "waits", "waits", "sent"]


@pytest.mark.parametrize(
    ("flags", "speed", "is_fault"),
    [
        ({"persistent": False, "in_doubt": True}, "FAST", True),
        ({"persistent": False, "in_doubt": True}, "NORMAL", False),
        ({"in_doubt": True}, "FAST", False),
        ({"persistent": False}, "FAST", False),
    ],
)
def test_what_a_fast_channel_sends_outside_its_batches_is_never_in_doubt(
    flags: dict[str, Any], speed: str, is_fault: bool
) -> None:
    route = {"name": "WAY", "queue_manager": "QM2", "cluster": "SALES", "npmspeed": speed}
    given: dict[str, Any] = {"channel": [route], "in_flight": [sent("WAY", **flags)]}
    if not is_fault:
        assert len(replayed(FAIL, **given)) == 1
        return
    with pytest.raises(FactsError, match="in_doubt: True is not allowed of a message that is not persistent on WAY"):
        replayed(FAIL, **given)
