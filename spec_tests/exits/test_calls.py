"""When an exit is called, with which reason, and what its answer does: one put at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from mqclause import Engine, Put, read_document
from mqclause.exits import MQWXP, Caller, OfferedMessage
from spec_tests.support.exit_scene import NAME, asked, choose, facts, taking, told, took, writing, written

EVERY_HOST = ("QM2", "QM3", "QM4")


@pytest.mark.parametrize(
    ("call", "bind", "cluster_pcf", "reason"),
    [
        ("MQOPEN", "OPEN", False, "CLWL_OPEN"),
        ("MQOPEN", "NOTFIXED", False, "CLWL_OPEN"),
        ("MQPUT", "OPEN", False, "CLWL_OPEN"),
        ("MQPUT", "NOTFIXED", False, "CLWL_PUT"),
        ("MQPUT", "GROUP", False, "CLWL_PUT"),
        ("MQPUT1", "OPEN", False, "CLWL_PUT"),
        ("MQPUT", "NOTFIXED", True, "CLWL_REPOS"),
    ],
)
def test_the_reason_tells_which_call_asks(call: str, bind: str, cluster_pcf: bool, reason: str) -> None:
    put = {"call": call, "bind": bind, "cluster_pcf": cluster_pcf}
    found = told(asked(taking(3), {"put": put}))
    assert (found["called"], found["reason"]) == (True, reason)


def test_the_document_of_a_call() -> None:
    decision = asked(taking(3))
    assert told(decision) == {
        "called": True,
        "reason": "CLWL_PUT",
        "destination_count": 3,
        "own_choice": {"queue": "Q", "queue_manager": "QM2", "channel": "TO.QM2"},
        "response": "OK",
        "chosen": {"queue": "Q", "queue_manager": "QM4", "channel": "TO.QM4"},
        "rule": "exit.10o",
        "clause": "10",
        "because": "the exit answered OK and chose destination 3 of 3",
    }
    assert decision.to_json()["chosen"]["queue_manager"] == "QM4"
    assert decision.verdict == "goes to Q at QM4 by TO.QM4, which the exit chose"


def test_the_steps_show_the_algorithms_own_choice() -> None:
    ranked = {"channels": {"QM2": {"clwlrank": 5}}}
    decision = asked(taking(3), ranked)
    assert (took(decision), told(decision)["own_choice"]["queue_manager"]) == ("QM4", "QM2")
    assert decision.fell_by().keys() == {each for each in decision.listed if each.queue_manager != "QM2"}
    assert [each.queue_manager for each in decision.permitted] == ["QM4"]


def test_a_blank_name_calls_none() -> None:
    decision = asked(taking(3), {"queue_manager": {"clwlexit": " "}})
    assert took(decision) == "QM2"
    assert "exit" not in decision.to_json()
    assert not any("CLWLEXIT" in each for each in decision.remarks)


@pytest.mark.parametrize("exits", [{}, {"other": taking(3)}])
def test_a_name_that_no_exit_is_given_for_is_a_remark(exits: dict[str, Any]) -> None:
    with Engine(exits=exits) as engine:
        decision = choose(engine)
    assert took(decision) == "QM2"
    assert decision.remarks[0] == (
        "no exit is given for CLWLEXIT(myexit), so what it would make of the choice is not known"
    )
    assert "exit" not in decision.to_json()


def test_the_array_holds_what_passes_the_cluster_tests_in_listing_order(tmp_path: Path) -> None:
    more = {
        "queues": {"QM4": {"put": "DISABLED"}},
        "others": {"QM3": {"clusters": ["T"]}},
        "channels": {"QM3": {"cluster": "T"}},
    }
    look = writing(tmp_path / "seen", of=lambda wxp: [each.QMgrName for each in wxp.DestinationArray])
    assert told(asked(look, more))["destination_count"] == 2
    assert written(tmp_path / "seen") == [[], ["QM2", "QM4"], []]  # INIT, the put, TERM


def test_a_put_disabled_destination_may_be_chosen_and_the_open_succeeds() -> None:
    disabled = {"queues": {host: {"put": "DISABLED"} for host in EVERY_HOST}, "put": {"call": "MQOPEN", "bind": "OPEN"}}
    with Engine() as engine:
        reason = choose(engine, disabled).reason
    assert reason is not None
    assert reason.code == 2268
    decision = asked(taking(2), disabled)
    assert (decision.outcome, took(decision)) == ("chosen", "QM3")
    assert told(decision)["own_choice"] is None


def test_without_a_choice_of_its_own_the_reason_code_of_the_rules_stands() -> None:
    disabled = {"queues": {host: {"put": "DISABLED"} for host in EVERY_HOST}, "put": {"call": "MQOPEN", "bind": "OPEN"}}
    decision = asked(taking(0), disabled)
    assert decision.reason is not None
    assert (decision.reason.code, told(decision)["chosen"]) == (2268, None)


@pytest.mark.parametrize("number", [-1, 0, 4, 10**30])
def test_a_number_out_of_range_leaves_the_own_choice(number: int) -> None:
    decision = asked(taking(number))
    assert (decision.outcome, took(decision), told(decision)["rule"]) == ("chosen", "QM2", "exit.10n")
    assert told(decision)["chosen"] == told(decision)["own_choice"]


def test_the_own_choice_comes_in_as_a_number_from_1(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", "ExitReason", "DestinationChosen", "DestinationCount")
    asked(look, {"channels": {"QM4": {"clwlrank": 3}}})
    assert written(tmp_path / "seen")[1] == ["CLWL_PUT", 3, 3]


@pytest.mark.parametrize(
    ("call", "bind", "failing"),
    [
        ("MQPUT", "NOTFIXED", "MQPUT"),
        ("MQPUT1", "OPEN", "MQPUT1"),
        ("MQPUT", "OPEN", "MQOPEN"),
        ("MQOPEN", "NOTFIXED", "MQOPEN"),
    ],
)
@pytest.mark.parametrize(
    ("response", "rule"),
    [("SUPPRESS_FUNCTION", "exit.10i"), ("YES", "exit.10j"), ("OK ", "exit.10j"), ("", "exit.10j")],
)
def test_suppress_function_and_any_other_word_fail_the_call(
    call: str, bind: str, failing: str, response: str, rule: str
) -> None:
    decision = asked(taking(2, response), {"put": {"call": call, "bind": bind}})
    document = decision.to_json()
    assert document["reason"] == {"name": "MQRC_STOPPED_BY_CLUSTER_EXIT", "code": 2188, "call": failing}
    assert (document["outcome"], document["chosen"], document["advance"]) == ("failed", None, None)
    assert (document["rule"], document["exit"]["response"], document["exit"]["chosen"]) == (rule, response, None)
    assert document["permitted"] == []


def test_suppress_exit_takes_this_choice_and_calls_no_more_until_the_engine_is_closed() -> None:
    with Engine(exits={NAME: taking(2, "SUPPRESS_EXIT")}) as engine:
        first, second = choose(engine), choose(engine)
        engine.close()
        third = choose(engine)
    assert [took(each) for each in (first, second, third)] == ["QM3", "QM2", "QM3"]
    assert [told(each)["called"] for each in (first, second, third)] == [True, False, True]
    assert told(second) == {
        "called": False,
        "reason": None,
        "destination_count": 3,
        "own_choice": {"queue": "Q", "queue_manager": "QM2", "channel": "TO.QM2"},
        "response": None,
        "chosen": None,
        "rule": "exit.10c",
        "clause": "10",
        "because": "the exit answered SUPPRESS_EXIT, and the queue manager was not started again since",
    }


def test_an_open_that_fixes_nothing_ignores_the_choice() -> None:
    decision = asked(taking(3), {"put": {"call": "MQOPEN"}})
    assert (decision.outcome, decision.chosen) == ("deferred", None)
    assert (told(decision)["reason"], told(decision)["rule"]) == ("CLWL_OPEN", "exit.10m")


def test_no_destination_no_call() -> None:
    alone = {"others": {host: {"clusters": ["T"]} for host in EVERY_HOST}}
    alone["channels"] = {host: {"cluster": "T"} for host in EVERY_HOST}
    decision = asked(taking(1), alone)
    assert decision.reason is not None
    assert decision.reason.code == 2270
    assert (told(decision)["called"], told(decision)["destination_count"]) == (False, 0)


def test_the_counters_of_the_exits_choice_move_as_if_the_rules_had_chosen_it() -> None:
    weighted = {"channels": {"QM4": {"clwlwght": 10, "dest_seq_number": 7, "dest_seq_factor": 3.0}}}
    decision = asked(taking(3), weighted)
    assert decision.to_json()["advance"] == {"channel": "TO.QM4", "dest_seq_factor": 103.0, "dest_seq_number": 8}
    assert decision.state.counters["TO.QM4", "QM4"] == (103.0, 8)
    assert decision.state.counters["TO.QM2", "QM2"] == (0.0, 0)


def test_counters_go_from_call_to_call(tmp_path: Path) -> None:
    def turns(wxp: MQWXP) -> list[list[float]]:
        return [[each.DestSeqFactor, each.DestSeqNumber] for each in wxp.DestinationArray]

    with Engine(exits={NAME: writing(tmp_path / "seen", of=turns)}) as engine:
        first = choose(engine)
        choose(engine, state=first.state)
    assert written(tmp_path / "seen")[1:3] == [[[0, 0], [0, 0], [0, 0]], [[20, 1], [0, 0], [0, 0]]]


def test_init_comes_once_before_the_first_call_and_term_when_the_engine_is_closed(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", of=lambda wxp: [wxp.ExitReason, len(wxp.DestinationArray), wxp.QArray is None])
    engine = Engine(exits={NAME: look})
    choose(engine)
    choose(engine)
    engine.close()
    engine.close()
    reasons = [reason for reason, *_ in written(tmp_path / "seen")]
    assert reasons == ["INIT", "CLWL_PUT", "CLWL_PUT", "TERM"]
    assert written(tmp_path / "seen")[0] == ["INIT", 0, True]


def test_the_user_area_is_kept_from_call_to_call_and_is_each_queue_managers_own(tmp_path: Path) -> None:
    path = tmp_path / "seen"

    def count(wxp: MQWXP) -> None:
        writing(path, of=lambda wxp: [wxp.QMgrName, wxp.ExitReason, wxp.ExitUserArea.hex()])(wxp)
        wxp.ExitUserArea = bytes([wxp.ExitUserArea[0] + 1]) + bytes(15)

    with Engine(exits={NAME: count}) as engine:
        for name in ("QM1", "QM1", "QM9", "QM1"):
            choose(engine, {"queue_manager": {"name": name}})
    seen = [(name, reason, int(area[:2], 16)) for name, reason, area in written(path) if reason != "TERM"]
    assert seen == [
        ("QM1", "INIT", 0), ("QM1", "CLWL_PUT", 1), ("QM1", "CLWL_PUT", 2),
        ("QM9", "INIT", 0), ("QM9", "CLWL_PUT", 1), ("QM1", "CLWL_PUT", 3),
    ]  # fmt: skip
    assert all(area.endswith("00" * 15) and len(area) == 32 for *_, area in written(path))


def test_at_an_open_there_is_no_message(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", "MsgDesc", "MsgLength", "MsgBufferLength")
    asked(look, {"put": {"call": "MQOPEN", "bind": "OPEN", "length": 500}})
    asked(look, {"put": {"call": "MQPUT", "bind": "OPEN", "length": 500}})
    assert written(tmp_path / "seen")[1::3] == [[None, 0, 0], [None, 0, 0]]


@pytest.mark.parametrize(
    ("put", "clwllen", "length", "buffer"),
    [({}, None, 100, 100), ({"length": 500}, None, 500, 100), ({"length": 500}, 0, 500, 0), ({"length": 7}, 9, 7, 7)],
)
def test_the_message_is_cut_at_clwllen(
    tmp_path: Path, put: dict[str, int], clwllen: int | None, length: int, buffer: int
) -> None:
    look = writing(tmp_path / "seen", of=lambda wxp: [wxp.MsgLength, wxp.MsgBuffer.hex(), wxp.MsgBufferLength])
    asked(look, {"put": put, "queue_manager": {} if clwllen is None else {"clwllen": clwllen}})
    assert written(tmp_path / "seen")[1] == [length, "00" * buffer, buffer]


def test_a_program_may_give_the_message(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", of=lambda wxp: [wxp.MsgBuffer.decode(), wxp.MsgLength, wxp.MsgDesc])
    with Engine(exits={NAME: look}) as engine:
        message = OfferedMessage.of(b"two of each", Priority=7)
        choose(engine, {"queue_manager": {"clwllen": 3}}, caller=Caller(message=message))
    assert written(tmp_path / "seen")[1] == ["two", 11, {"Priority": 7, "Persistence": 2}]


def test_after_a_failure_no_exit_is_called_for_that_handle() -> None:
    def fails(_: MQWXP) -> None:
        raise ValueError("boom")

    with Engine(exits={NAME: fails}) as engine:
        found = [choose(engine, caller=Caller(handle=handle)) for handle in (1, 1, 2, None, None)]
    assert [each.reason and each.reason.code for each in found] == [2266, None, 2266, 2266, 2266]
    assert told(found[1])["rule"] == "exit.10d"
    assert took(found[1]) == "QM2"


def test_where_a_queue_manager_is_named(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", "QArray", "QName", "DestinationCount")
    snapshot = read_document(facts(), "facts")
    with Engine(exits={NAME: look}) as engine:
        decision = engine.choose(Put(queue_manager="QM3"), snapshot.cluster, explain="rule")
    assert written(tmp_path / "seen")[1] == [None, "", 1]
    assert told(decision)["chosen"]["queue_manager"] == "QM3"


ALIASES = [
    {"name": "A", "queue_manager": "QM1", "type": "QALIAS", "target": "Q"},
    {"name": "R", "queue_manager": "QM1", "type": "QREMOTE", "rname": "FAR", "rqmname": "QM3"},
    {"name": "L", "queue_manager": "QM1"},
]


@pytest.mark.parametrize(
    ("put", "queue", "has_queues", "hosts"),
    [
        ({"queue": "A"}, "Q", True, list(EVERY_HOST)),
        ({"queue": "R"}, "FAR", False, ["QM3"]),
        ({"queue": "FAR", "queue_manager": "QM4"}, "FAR", False, ["QM4"]),
    ],
)
def test_names_are_resolved_before(
    tmp_path: Path, put: dict[str, str], queue: str, has_queues: bool, hosts: list[str]
) -> None:
    def look(wxp: MQWXP) -> list[Any]:
        return [wxp.QName, wxp.QArray is not None, [each.QMgrName for each in wxp.DestinationArray]]

    asked(writing(tmp_path / "seen", of=look), {"local": ALIASES, "put": put})
    assert written(tmp_path / "seen")[1] == [queue, has_queues, hosts]


@pytest.mark.parametrize("put", [{"queue": "L"}, {"queue": "NONE"}])
def test_where_no_workload_rule_is_asked_no_exit_is(put: dict[str, str]) -> None:
    decision = asked(taking(2), {"local": ALIASES, "put": put})
    assert (decision.exit, "exit" in decision.to_json()) == (None, False)


def test_a_put_disabled_alias_is_no_choice_of_an_exit() -> None:
    disabled = {**ALIASES[0], "put": "DISABLED"}
    decision = asked(taking(2), {"local": [disabled], "put": {"queue": "A", "call": "MQPUT1"}})
    assert decision.reason is not None
    assert (decision.reason.code, told(decision)["called"], told(decision)["rule"]) == (2051, False, "exit.10p")


@pytest.mark.parametrize(("number", "host"), [(1, "QM1"), (3, "QM3")])
def test_a_put_disabled_local_instance_is_one_of_the_destinations(number: int, host: str) -> None:
    local = [{"name": "Q", "queue_manager": "QM1", "clusters": ["S"], "put": "DISABLED"}]
    decision = asked(taking(number), {"local": local})
    assert (told(decision)["destination_count"], took(decision)) == (4, host)


def test_a_message_on_its_way_calls_the_exit_again() -> None:
    retrying = {"channels": {"QM3": {"status": "RETRYING"}}}
    with Engine(exits={NAME: taking(0)}) as engine:
        moved = choose(engine, retrying, caller=Caller(left="QM3"))
        assert (told(moved)["reason"], told(moved)["destination_count"]) == ("CLWL_MOVE", 3)
        assert told(moved)["own_choice"]["queue_manager"] == "QM2"
        pcf = choose(engine, {**retrying, "put": {"cluster_pcf": True}}, caller=Caller(left="QM3"))
        assert told(pcf)["reason"] == "CLWL_REPOS_MOVE"
        bound = choose(engine, {**retrying, "put": {"bind": "OPEN"}}, caller=Caller(left="QM3"))
        assert (told(bound)["called"], told(bound)["rule"]) == (False, "exit.02c")


def test_on_its_way_the_failed_queue_manager_is_left_if_another_is_permitted_too() -> None:
    with Engine(exits={NAME: taking(0)}) as engine:
        assert took(choose(engine, caller=Caller(left="QM2"))) == "QM3"
    only = {"channels": {"QM2": {"clwlrank": 9}}}
    with Engine(exits={NAME: taking(0)}) as engine:
        assert took(choose(engine, only, caller=Caller(left="QM2"))) == "QM2"


@pytest.mark.parametrize("response", ["SUPPRESS_FUNCTION", "NO"])
def test_on_its_way_a_rejected_message_goes_to_the_dead_letter_queue(response: str) -> None:
    with Engine(exits={NAME: taking(1, response)}) as engine:
        decision = choose(engine, caller=Caller(left="QM2"))
    assert decision.exit is not None
    assert decision.exit.dead_lettered
    assert decision.chosen is None


def test_on_its_way_a_failure_does_the_same_and_the_exit_is_called_for_the_next() -> None:
    def fails(_: MQWXP) -> None:
        raise ValueError("boom")

    with Engine(exits={NAME: fails}) as engine:
        found = [choose(engine, caller=Caller(left="QM2")) for _ in range(2)]
    assert [each.exit is not None and each.exit.called and each.exit.dead_lettered for each in found] == [True, True]


def test_the_parameters_of_a_call_that_is_not_made(tmp_path: Path) -> None:
    snapshot = read_document(facts(), "facts")
    assert snapshot.put is not None

    def told_of(wxp: MQWXP) -> dict[str, Any]:
        return json.loads(json.dumps(attrs.asdict(wxp), default=bytes.hex))  # type: ignore[no-any-return]

    with Engine(exits={NAME: writing(tmp_path / "seen", of=told_of)}) as engine:
        state = engine.choose(snapshot.put, snapshot.cluster).state
        engine.choose(snapshot.put, snapshot.cluster, state)
        wxp = engine.exit_parameters(snapshot.put, snapshot.cluster, state)
    assert [call["ExitReason"] for call in written(tmp_path / "seen")] == ["INIT", "CLWL_PUT", "CLWL_PUT", "TERM"]
    assert told_of(wxp) == written(tmp_path / "seen")[2]
