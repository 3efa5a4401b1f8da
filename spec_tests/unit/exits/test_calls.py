"""When an exit is called, with which reason, and what its answer does: one put at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mqclause import Engine
from mqclause.exits import MQWXP, Caller
from mqclause.workload.explanation import describe_final_tie
from spec_tests.support.exit_scene import HOSTS, NAME, asked, choose, taking, told, took, writing, written


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


@pytest.mark.parametrize(
    ("number", "remark"),
    [
        (1, "QM2 by TO.QM2, QM3 by TO.QM3 and QM4 by TO.QM4 are equally good; the exit took QM2 by TO.QM2"),
        # It left the choice to the queue manager, who takes the first.
        (0, "QM2 by TO.QM2, QM3 by TO.QM3 and QM4 by TO.QM4 are equally good; the one listed first is taken"),
        (3, ""),
    ],
)
def test_who_takes_one_of_equals(number: int, remark: str) -> None:
    assert describe_final_tie(asked(taking(number))) == remark


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
    disabled = {"queues": {host: {"put": "DISABLED"} for host in HOSTS}, "put": {"call": "MQOPEN", "bind": "OPEN"}}
    with Engine() as engine:
        reason = choose(engine, disabled).reason
    assert reason is not None
    assert reason.code == 2268
    decision = asked(taking(2), disabled)
    document = decision.to_json()
    assert (document["outcome"], document["reason"], document["chosen"]["queue_manager"]) == ("chosen", None, "QM3")
    assert not {"because", "rule"} & document.keys()
    assert told(decision)["own_choice"] is None
    assert decision.verdict == "goes to Q at QM3 by TO.QM3, which the exit chose"


def test_where_the_rules_choose_none_it_comes_in_as_0(tmp_path: Path) -> None:
    disabled = {"queues": {host: {"put": "DISABLED"} for host in HOSTS}}
    asked(writing(tmp_path / "seen", "DestinationChosen", "DestinationCount"), disabled)
    assert written(tmp_path / "seen")[1] == [0, 3]


def test_the_rules_do_not_look_at_what_is_available_an_exit_can(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", of=lambda wxp: [bool(each.QMgrFlags & 0x20) for each in wxp.DestinationArray])
    assert took(asked(look, {"others": {"QM2": {"available": False}}})) == "QM2"
    assert written(tmp_path / "seen")[1] == [False, True, True]


def test_without_a_choice_of_its_own_the_reason_code_of_the_rules_stands() -> None:
    disabled = {"queues": {host: {"put": "DISABLED"} for host in HOSTS}, "put": {"call": "MQOPEN", "bind": "OPEN"}}
    decision = asked(taking(0), disabled)
    assert decision.reason is not None
    assert (decision.reason.code, told(decision)["chosen"]) == (2268, None)


@pytest.mark.parametrize("number", [-1, 0, 4, 10**30])
def test_a_number_out_of_range_leaves_the_own_choice(number: int) -> None:
    decision = asked(taking(number))
    assert (decision.outcome, took(decision), told(decision)["rule"]) == ("chosen", "QM2", "exit.10n")
    assert told(decision)["chosen"] == told(decision)["own_choice"]


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
    alone = {
        "others": {host: {"clusters": ["T"]} for host in HOSTS},
        "channels": {host: {"cluster": "T"} for host in HOSTS},
    }
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


def test_after_a_failure_no_exit_is_called_for_that_handle() -> None:
    def fails(_: MQWXP) -> None:
        raise ValueError("boom")

    with Engine(exits={NAME: fails}) as engine:
        found = [choose(engine, caller=Caller(handle=handle)) for handle in (1, 1, 2, None, None)]
    assert [each.reason and each.reason.code for each in found] == [2266, None, 2266, 2266, 2266]
    assert told(found[1])["rule"] == "exit.10d"
    assert took(found[1]) == "QM2"


@pytest.mark.parametrize(("number", "host"), [(1, "QM1"), (3, "QM3")])
def test_a_put_disabled_local_instance_is_one_of_the_destinations(number: int, host: str) -> None:
    local = [{"name": "Q", "queue_manager": "QM1", "clusters": ["S"], "put": "DISABLED"}]
    decision = asked(taking(number), {"local": local})
    assert (told(decision)["destination_count"], took(decision)) == (4, host)


def test_where_there_is_no_own_choice_none_is_said_to_stand() -> None:
    off = {host: {"put": "DISABLED"} for host in HOSTS}
    decision = asked(taking(0), {"queues": off, "put": {"bind": "OPEN", "call": "MQOPEN"}})
    assert decision.reason is not None
    assert decision.reason.code == 2268
    said = "the exit left DestinationChosen at 0 of 3, and the queue manager has no own choice, so what it ends with stands"
    assert (told(decision)["own_choice"], told(decision)["because"]) == (None, said)


def test_an_exit_that_does_nothing_leaves_the_own_choice() -> None:
    assert told(asked(lambda _: None))["because"] == "the exit answered OK and left the choice at destination 1 of 3"
