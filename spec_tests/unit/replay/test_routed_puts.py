"""Puts of a replay that the workload rules route: opens that bind, and changes between two choices."""

from __future__ import annotations

from typing import Any

import pytest

from mqclause import Replay
from mqclause.model.diagnostics import FactsError
from mqclause.model.timeline.scenario import build_scenario

OPEN = {"do": "open", "queue": "Q", "by": "APP", "mode": "OUTPUT", "bind": "OPEN"}
PUT = {"do": "put", "queue": "Q", "by": "APP"}
BY_QM2 = {"queue": "Q", "queue_manager": "QM2", "channel": "TO.QM2"}
BY_QM3 = {"queue": "Q", "queue_manager": "QM3", "channel": "TO.QM3"}
HERE = {"queue": "Q", "queue_manager": "QM1", "channel": None}


def replayed(*events: dict[str, Any], level: int = 0, **more: Any) -> list[dict[str, Any]]:
    """The rows of events, with Q at QM2, QM3 and, put-disabled unless ``more`` says otherwise, at QM1."""
    facts = {
        "queue_manager": {"name": "QM1", "clusters": ["S"], "command_level": level},
        "remote_queue_manager": [{"name": "QM2", "clusters": ["S"]}, {"name": "QM3", "clusters": ["S"]}],
        "queue": [
            {"name": "Q", "queue_manager": "QM2", "clusters": ["S"]},
            {"name": "Q", "queue_manager": "QM3", "clusters": ["S"]},
            {"name": "Q", "clusters": ["S"], "put": "DISABLED", **more},
        ],
        "channel": [
            {"name": "TO.QM2", "queue_manager": "QM2", "cluster": "S", "status": "RUNNING"},
            {"name": "TO.QM3", "queue_manager": "QM3", "cluster": "S", "status": "RUNNING"},
        ],
        "event": list(events),
    }
    return [row.to_json() for row in Replay().rows(build_scenario(facts, "test"))]


def routed(*events: dict[str, Any], **more: Any) -> list[Any]:
    """Where each event was routed, over the facts of ``replayed``."""
    return [row["routed"] for row in replayed(*events, **more)]


def test_a_bound_handle_keeps_what_its_open_chose() -> None:
    disabled = {"do": "alter", "queue": "Q", "queue_manager": "QM2", "set": {"put": "DISABLED"}}
    assert routed(OPEN, PUT, disabled, PUT) == [BY_QM2, BY_QM2, None, BY_QM2]


def test_a_bound_handle_keeps_the_local_queue_that_leaves_the_cluster() -> None:
    leaves = {"do": "alter", "queue": "Q", "set": {"clusters": []}}
    assert routed(OPEN, leaves, PUT, put="ENABLED") == [HERE, None, HERE]


def test_a_bound_handle_does_not_ask_a_local_queue_that_it_is_not_bound_to() -> None:
    leaves = {"do": "alter", "queue": "Q", "set": {"clusters": []}}
    assert routed(OPEN, leaves, PUT) == [BY_QM2, None, BY_QM2]


def test_a_queue_that_left_the_cluster_is_not_routed_to() -> None:
    leaves = {"do": "alter", "queue": "Q", "set": {"clusters": []}}
    assert routed(leaves, PUT, put="ENABLED") == [None, None]


def test_an_attribute_that_is_altered_and_altered_back_restarts_the_factors() -> None:
    """With weight 1 a put by TO.QM2 advances its factor to 1000, so QM3 follows until the factors restart."""
    altered, back = ({"do": "alter", "channel": "TO.QM2", "set": {"clwlprty": value}} for value in (3, 0))
    put = {**PUT, "by": ""}
    heavy = {"do": "alter", "channel": "TO.QM2", "set": {"clwlwght": 1}}
    assert routed(heavy, put, put, put, put) == [None, BY_QM2, BY_QM3, BY_QM3, BY_QM3]
    assert routed(heavy, put, put, altered, back, put, put) == [None, BY_QM2, BY_QM3, None, None, BY_QM2, BY_QM3]


def test_a_message_that_leaves_the_group_that_its_handle_binds_is_told_of() -> None:
    """The second message of either group is put where the other one's first went; without that binding it may part."""
    first, second = ({**PUT, "group": group, "in_group": True} for group in ("A", "B"))
    told = (
        "assumed: each message of a group is decided by itself; by the binding GROUP the queue manager sends this one"
    )

    def remarks(bind: str, **queue: Any) -> list[list[str]]:
        events: list[dict[str, Any]] = [{**OPEN, "bind": bind}, first, second, second, first, first]
        return [row.get("remarks", []) for row in replayed(*events, level=710, **queue)[1:]]

    at_qm2, at_qm3 = f"{told}, as the first of group A, to QM2", f"{told}, as the first of group B, to QM3"
    assert remarks("GROUP") == [[], [], [at_qm3], [at_qm2], []]
    assert remarks("AS_Q_DEF", defbind="GROUP") == remarks("GROUP")
    assert remarks("NOTFIXED") == [[]] * 5


def test_before_7_1_a_replay_says_that_there_is_no_such_binding() -> None:
    """The second message goes to QM3; of a later queue manager it would follow the first one to QM2."""
    put = {**PUT, "group": "A", "in_group": True}
    rows = replayed({**OPEN, "bind": "GROUP"}, put, put, level=701)
    assert [len(row.get("remarks", [])) for row in rows] == [1, 0, 1]
    assert rows[0]["remarks"][0].startswith("BIND_ON_GROUP came with 7.1")
    assert "by the binding GROUP, which came with 7.1, the queue manager sends this one" in rows[2]["remarks"][0]
    assert not [row for row in replayed({**OPEN, "bind": "NOTFIXED"}, put, put, level=701) if "remarks" in row]


def test_a_state_that_an_edition_does_not_know_is_told_once_in_each_edition() -> None:
    """SWITCHING came with 7.5. QM2 alone is chosen from, as QM3 is put-disabled and the queue here, too."""
    gone = {"do": "alter", "queue": "Q", "queue_manager": "QM3", "set": {"put": "DISABLED"}}
    switching, running = (
        {"do": "alter", "channel": "TO.QM2", "set": {"status": of}} for of in ("SWITCHING", "RUNNING")
    )
    put, restart = {**PUT, "by": ""}, {"do": "restart"}
    for level, later, expected in (
        (710, 750, [0, 0, 0, 1, 0, 0, 0, 0, 0]),
        (600, 710, [0, 0, 0, 1, 0, 0, 0, 0, 1]),
        (750, 930, [0] * 9),
        (0, 930, [0] * 9),  # whose level is not told may know it
    ):
        events = gone, put, switching, put, running, switching, put, {**restart, "command_level": later}, put
        rows = replayed(*events, level=level)
        told = [sum("the state SWITCHING came with 7.5" in each for each in row.get("remarks", [])) for row in rows]
        assert told == expected, level


def test_from_9_3_on_the_rest_of_a_group_goes_on_where_it_is_balanced_to_again() -> None:
    """Puts go to QM2 and QM3 in turn. From the alteration on QM3 is the group's, and stays it once QM2 is enabled."""
    put = {**PUT, "group": "A", "in_group": True}
    to_qm2 = {"do": "alter", "queue": "Q", "queue_manager": "QM2"}
    events: list[dict[str, Any]] = [
        {**OPEN, "bind": "GROUP"}, put, {**to_qm2, "set": {"put": "DISABLED"}}, put,
        {**to_qm2, "set": {"put": "ENABLED"}}, put,
    ]  # fmt: skip
    rows = replayed(*events, level=930)
    assert [row["routed"]["queue_manager"] for row in rows if row["do"] == "put"] == ["QM2", "QM3", "QM2"]
    (again,), (parted,) = rows[3]["remarks"], rows[5]["remarks"]
    assert again.endswith("at QM2, is put-disabled by now: from this message on, the rest of the group goes to QM3")
    assert parted.endswith("the queue manager sends this one, as the first of group A, to QM3")
    [before] = replayed(*events, level=920)[3]["remarks"]
    assert before.endswith("the queue manager sends this one, as the first of group A, to QM2")


def test_so_is_one_whose_group_the_queue_manager_named() -> None:
    """The open is event 0. A message outside any group, though a label stands beside it, is bound to nothing."""
    put = {**PUT, "logical_order": True, "in_group": True}
    alone = {**PUT, "group": "A", "in_group": False}
    events: list[dict[str, Any]] = [{**OPEN, "bind": "GROUP"}, put, {**put, "last_in_group": True}, put, alone, alone]
    rows = [row.get("remarks", []) for row in replayed(*events, level=710)]
    told = (
        "assumed: each message of a group is decided by itself; by the binding GROUP the queue manager sends this one, "
        "as the first of group #1, to QM2"
    )
    assert rows == [[], [], [told], [], [], []]


def test_groups_without_a_label_of_which_the_first_message_went_elsewhere_are_two() -> None:
    """Of three messages of either application the second or the first and third are here; no group goes on in the other."""
    put = {"do": "put", "queue": "Q", "logical_order": True, "in_group": True}
    far = {"do": "alter", "queue": "Q", "set": {"put": "DISABLED"}}
    here = {"do": "alter", "queue": "Q", "set": {"put": "ENABLED"}}
    a, b = {**put, "by": "A"}, {**put, "by": "B"}
    second = {"do": "get", "queue": "Q", "match": {"sequence": 2}}
    rows = replayed(far, a, b, b, here, a, b, second, {"do": "get", "queue": "Q", "options": ["LOGICAL_ORDER"]})
    assert [row["routed"] is not None and row["routed"]["queue_manager"] for row in rows[1:7]] == [
        "QM2", "QM3", "QM2", False, "QM1", "QM1",
    ]  # fmt: skip
    assert (rows[7]["got"], rows[8]["got"], rows[8]["reason"]) == (["#5"], [], 2033)


def led(*events: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of events at QM1, where FAR is a queue of QM2 and QM3, NEWS an alias of a topic, and LEAD one of FAR."""
    facts = {
        "queue_manager": {"name": "QM1", "clusters": ["S"]},
        "remote_queue_manager": [{"name": "QM2", "clusters": ["S"]}, {"name": "QM3", "clusters": ["S"]}],
        "queue": [
            *({"name": "FAR", "queue_manager": name, "clusters": ["S"]} for name in ("QM2", "QM3")),
            {"name": "LEAD", "type": "QALIAS", "target": "FAR"},
            {"name": "LED", "type": "QALIAS", "target": "BOTH", "clusters": ["S"]},
            {"name": "BOTH", "clusters": ["S"], "clwluseq": "ANY"},
            {"name": "BOTH", "queue_manager": "QM2", "clusters": ["S"]},
            {"name": "NEWS", "type": "QALIAS", "target": "T", "targtype": "TOPIC"},
        ],
        "channel": [{"name": "TO.QM2", "queue_manager": "QM2", "cluster": "S"}],
        "event": list(events),
    }
    return [row.to_json() for row in Replay().rows(build_scenario(facts, "test"))]


def test_messages_are_got_where_they_lie() -> None:
    """MQOPEN of a queue that others alone have fails, for all that would get or browse: whose it is, is told."""
    got = {"do": "get", "queue": "FAR"}
    browsed = {"do": "open", "queue": "FAR", "mode": "BROWSE", "by": "A", "at": 7}
    by_alias = {"do": "open", "queue": "LEAD", "mode": "INPUT_SHARED"}
    rows = led(got, browsed, by_alias, {"do": "get", "queue": "LED"}, {"do": "put", "queue": "FAR"})
    assert [row.get("reason") for row in rows] == [2085, 2085, 2082, 2033, None]
    assert rows[0]["because"].endswith(
        "is no queue of QM1; messages are got and browsed where it is hosted: QM2 and QM3"
    )
    assert rows[1]["because"] == rows[0]["because"]
    assert rows[2]["because"].startswith("an alias queue leads to FAR, which is no queue of QM1")


def test_an_open_that_failed_leaves_no_handle() -> None:
    failed = {"do": "open", "queue": "FAR", "mode": "INPUT_SHARED", "by": "A"}
    with pytest.raises(FactsError, match="FAR"):
        led(failed, {"do": "close", "queue": "FAR", "by": "A"})


def test_a_put_to_a_topic_is_routed_nowhere_and_said_to_publish() -> None:
    told = "a put to NEWS publishes to the topic T: where its subscriptions lead is not followed here"
    opened = {"do": "open", "queue": "NEWS", "mode": "OUTPUT", "by": "A"}
    rows = led({"do": "put", "queue": "NEWS"}, opened, {"do": "put", "queue": "NEWS", "by": "A"})
    assert [row["routed"] for row in rows] == [None] * 3
    assert [row.get("remarks", []) for row in rows] == [[told], [], [told]]
    assert [row.get("reason") for row in rows] == [None] * 3
