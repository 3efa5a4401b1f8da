"""A put over a cluster channel whose transmission queue is full or put-disabled, as every command answers it."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from mqclause import Engine, Replay, Rules, cluster_map, read_document
from mqclause.check.findings import inspected
from mqclause.cluster.counterfactuals import why_not
from mqclause.model.configuration.sources import Source
from mqclause.model.timeline.scenario import build_scenario
from mqclause.workload.explanation import Explanation
from spec_tests.support.inspected_members import CHECKS

SCTQ = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
ENGINE, REPLAY = Engine(), Replay()
FULL = {"usage": "XMITQ", "maxdepth": 2, "curdepth": 2}
ROOM = {"usage": "XMITQ", "maxdepth": 2, "curdepth": 1}
OFF = {"usage": "XMITQ", "put": "DISABLED"}


def facts(*queues: dict[str, Any], **own: Any) -> dict[str, Any]:
    """QM1 with these queues of its own; CQ is at QM2 and QM3."""
    hosts = ("QM2", "QM3")
    return {
        "queue_manager": {"name": "QM1", "clusters": ["C"], **own},
        "remote_queue_manager": [{"name": name, "clusters": ["C"]} for name in hosts],
        "queue": [*queues, *({"name": "CQ", "queue_manager": name, "clusters": ["C"]} for name in hosts)],
        "channel": [{"name": f"TO.{name}", "queue_manager": name, "cluster": "C"} for name in hosts],
    }


def chosen(given: dict[str, Any], call: str = "MQPUT1", bind: str = "NOTFIXED") -> Any:
    snapshot = read_document({**given, "put": {"queue": "CQ", "call": call, "bind": bind}}, "f")
    assert snapshot.put is not None
    return ENGINE.choose(snapshot.put, snapshot.cluster, explain="rule")


def rows(given: dict[str, Any], *events: dict[str, Any], **tables: Any) -> list[dict[str, Any]]:
    document = {**given, **tables, "event": list(events)}
    return [row.to_json() for row in REPLAY.rows(build_scenario(document, "s"))]


CASES: tuple[tuple[list[dict[str, Any]], dict[str, Any], int | None], ...] = (
    ([{"name": SCTQ, **FULL}], {}, 2053),
    ([{"name": SCTQ, **OFF}], {}, 2051),
    ([{"name": SCTQ, **ROOM}], {}, None),
    ([{"name": SCTQ, "usage": "XMITQ", "maxdepth": 2}], {}, None),
    ([], {}, None),
    ([{"name": "OTHER", **FULL}], {}, None),
    ([{"name": "XQ", "clchname": "TO.*", **FULL}], {}, 2053),
    ([{"name": "XQ", "clchname": "TO.*", **ROOM}, {"name": SCTQ, **FULL}], {}, None),
    ([{"name": "XQ", "clchname": "FROM.*", **ROOM}, {"name": SCTQ, **FULL}], {}, 2053),
    ([{"name": SCTQ, **FULL}], {"defclxq": "CHANNEL"}, None),
    ([{"name": "SYSTEM.CLUSTER.TRANSMIT.TO.QM2", **OFF}], {"defclxq": "CHANNEL"}, 2051),
    ([{"name": "SYSTEM.CLUSTER.TRANSMIT.TO.QM2", **OFF}], {"defclxq": "SCTQ"}, None),
)
"""The queues of QM1, attributes of its, and the reason code of a put whose turn it is to go to QM2."""


@pytest.mark.parametrize(("queues", "own", "code"), CASES)
def test_explain_replay_and_check_agree(queues: list[dict[str, Any]], own: dict[str, Any], code: int | None) -> None:
    given = facts(*queues, **own)
    decision = chosen(given)
    assert (decision.reason and decision.reason.code) == code
    assert (decision.outcome, decision.chosen is None) == (("failed", True) if code else ("chosen", False))
    routed = rows(given, {"do": "put", "queue": "CQ"})[0]["routed"]
    assert routed.get("failed", {}).get("code") == code
    for each in filter(_is_hindered, queues):
        direct = rows(given, {"do": "put", "queue": each["name"]})[0]["reason"]
        assert direct == (2051 if each.get("put") == "DISABLED" else 2053)
        assert code in (None, direct)
    sources = [Source("f.json", json.dumps(given).encode())]
    found = {each.rule.id for each in inspected(sources, CHECKS).findings() if each.severity == "error"}
    assert (found & {"check.08", "check.08c"} != set()) == any(_serves(each, own) for each in queues)


def _serves(queue: dict[str, Any], own: dict[str, Any]) -> bool:
    """Whether some cluster channel takes messages from a queue that takes none: the check is of the queue alone."""
    is_default = queue["name"] == SCTQ and own.get("defclxq") != "CHANNEL"
    return _is_hindered(queue) and (is_default or "clchname" in queue)


def _is_hindered(queue: dict[str, Any]) -> bool:
    return queue.get("put") == "DISABLED" or queue.get("curdepth", 0) >= queue.get("maxdepth", 99)


@pytest.mark.parametrize(
    ("call", "bind", "ends"),
    [
        ("MQPUT", "NOTFIXED", ("failed", "MQPUT")),
        ("MQPUT", "OPEN", ("failed", "MQPUT")),
        ("MQPUT1", "NOTFIXED", ("failed", "MQPUT1")),
        ("MQOPEN", "OPEN", ("chosen", "")),
        ("MQOPEN", "NOTFIXED", ("deferred", "")),
    ],
)
def test_it_is_the_put_that_fails_and_not_the_open(call: str, bind: str, ends: tuple[str, str]) -> None:
    decision = chosen(facts({"name": SCTQ, **FULL}), call, bind)
    assert (decision.outcome, decision.reason.call if decision.reason else "") == ends
    document = decision.to_json()
    assert (document["permitted"] == []) == (ends[0] == "failed")
    assert len(document["steps"]) > 0, "the choice is shown all the same"
    again = pickle.loads(pickle.dumps(decision))
    assert (again.outcome, again.reason) == (decision.outcome, decision.reason)


def test_a_map_has_a_row_that_fails_where_no_destination_can_be_sent_to_else_the_remark() -> None:
    def row(*queues: dict[str, Any]) -> Any:
        snapshot = read_document(facts(*queues, defclxq="SCTQ"), "f")
        [found] = [each for each in cluster_map(snapshot, ENGINE) if each.queue == "CQ"]
        return found

    failing = row({"name": SCTQ, **FULL})
    assert (failing.outcome, failing.reason.code, failing.shares, failing.incomplete) == ("failed", 2053, (), ())
    some = row({"name": "XQ", "clchname": "TO.QM2", **FULL})
    assert (some.outcome, len(some.shares)) == ("chosen", 2)
    full = "the transmission queue XQ of QM1 is full: no put over TO.QM2 succeeds until something is taken from it"
    of_opens = "DEFBIND(OPEN): each open chooses once, so the shares are of opens, not of puts"
    assert some.remarks == (full, of_opens)
    assert row({"name": SCTQ, **ROOM}).remarks == (of_opens,)


def test_what_is_assumed_of_the_transmission_queue_is_said() -> None:
    for own, said in (({}, True), ({"defclxq": "SCTQ"}, False)):
        snapshot = read_document({**facts({"name": SCTQ, **FULL}, **own), "put": {"queue": "CQ"}}, "f")
        assert snapshot.put is not None
        told = Explanation.of(ENGINE.choose(snapshot.put, snapshot.cluster, explain="rule"), snapshot).obstacles
        assert ["no DEFCLXQ is told" in each for each in told] == [said]


def test_why_not_names_the_queue_and_tries_nothing() -> None:
    found = why_not(chosen(facts({"name": SCTQ, **OFF})), "QM3", ENGINE)
    assert [(each.queue_manager, rule.id) for each, rule, _ in found.fallen] == [("QM3", "call.2051")]
    assert (found.changes, found.ended) == ((), f"no change was tried: {SCTQ} is put-disabled")


def test_a_replay_counts_what_is_on_the_transmission_queue_now() -> None:
    """A put over a cluster channel counts nothing; one that names the queue, a get and a clear do."""
    put = {"do": "put", "queue": "CQ"}
    direct, get = {"do": "put", "queue": SCTQ}, {"do": "get", "queue": SCTQ}
    found = rows(
        facts({"name": SCTQ, **ROOM}), put, put, direct, put, get, put, direct, {"do": "clear", "queue": SCTQ}, put
    )
    codes = [(row["routed"] or {}).get("failed", {}).get("code", 0) for row in found]
    assert codes == [0, 0, 0, 2053, 0, 0, 0, 0, 0]


def test_a_handle_that_the_open_has_bound_puts_by_that_queue_too() -> None:
    opened = {"do": "open", "queue": "CQ", "mode": "OUTPUT", "bind": "OPEN", "by": "A"}
    put = {"do": "put", "queue": "CQ", "by": "A"}
    enable = {"do": "alter", "queue": SCTQ, "set": {"put": "ENABLED"}}
    found = rows(facts({"name": SCTQ, **OFF}), opened, put, enable, put)
    assert [row.get("reason") for row in found] == [None, 2051, None, None]
    assert [row["routed"] and row["routed"]["queue_manager"] for row in found] == ["QM2", None, None, "QM2"]


def test_messages_on_their_way_need_no_room_that_they_have_and_arrivals_do() -> None:
    """M1 is on the transmission queue already; A1 arrives at a put-disabled queue and would have to go on."""
    here = {"name": "CQ", "clusters": ["C"], "put": "DISABLED"}
    given = facts({"name": SCTQ, **FULL}, here, deadq="DLQ")
    fail, arrive = {"do": "fail", "queue_manager": "QM2"}, {"do": "arrive", "queue": "CQ", "id": "A1"}
    failed, arrived = rows(given, fail, arrive, in_flight=[{"id": "M1", "queue": "CQ", "channel": "TO.QM2"}])
    assert [(each["fate"], each["to"]["queue_manager"]) for each in failed["fates"]] == [("rerouted", "QM3")]
    assert [each["fate"] for each in arrived["fates"]] == ["dead_lettered"]


def test_rules_without_such_documents_refuse_nothing() -> None:
    own = Rules().with_files(
        {path: None for path in Rules().files if path.startswith(("call/", "documents/queue_calls"))}
    )
    snapshot = read_document({**facts({"name": SCTQ, **FULL}), "put": {"queue": "CQ"}}, "f")
    assert snapshot.put is not None
    assert Engine(own).choose(snapshot.put, snapshot.cluster).outcome == "chosen"
