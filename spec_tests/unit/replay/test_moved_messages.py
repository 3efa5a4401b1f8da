"""CLWL_MOVE: the target of a message fails while it is on the transmission queue, and the exit is called again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqclause import Engine, Replay, Rules
from mqclause.exits import MQWXP, Caller
from mqclause.model.timeline.scenario import build_scenario
from spec_tests.support.exit_scene import (
    NAME,
    Exit,
    choose,
    facts,
    only_at_a_choice,
    taking,
    told,
    took,
    writing,
    written,
)

FAIL = {"do": "fail", "queue_manager": "QM2"}
RECOVER = {"do": "recover", "queue_manager": "QM2"}
PUT = {"do": "put", "queue": "Q"}


def sent(*ids: str, **flags: Any) -> list[dict[str, Any]]:
    """Messages on their way to QM2."""
    return [{"id": each, "queue": "Q", "channel": "TO.QM2", **flags} for each in ids]


def rows(
    called: Exit,
    messages: list[dict[str, Any]],
    *events: dict[str, Any],
    **changes: Any,
) -> list[dict[str, Any]]:
    """The rows of events over the facts, with messages in flight."""
    document = {**facts(**changes), "in_flight": messages, "event": list(events)}
    with Replay(exits={NAME: called}) as replay:
        return [each.to_json() for each in replay.rows(build_scenario(document, "scenario"))]


def fates(row: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    return [(each["message"], each["fate"], each["to"] and each["to"]["queue_manager"]) for each in row["fates"]]


def test_each_message_that_is_sent_anew_calls_the_exit() -> None:
    (row,) = rows(taking(3), sent("M1", "M2"), FAIL)
    assert fates(row) == [("M1", "rerouted", "QM4"), ("M2", "rerouted", "QM4")]
    assert row["fates"][0] == {
        "message": "M1",
        "fate": "rerouted",
        "to": {"queue": "Q", "queue_manager": "QM4", "channel": "TO.QM4"},
        "rule": "administration.05g",
        "clause": "5",
        "because": "it is backed out, and another queue manager is chosen",
        "exit": {
            "called": True,
            "reason": "CLWL_MOVE",
            "destination_count": 3,
            "own_choice": {"queue": "Q", "queue_manager": "QM3", "channel": "TO.QM3"},
            "response": "OK",
            "chosen": {"queue": "Q", "queue_manager": "QM4", "channel": "TO.QM4"},
            "rule": "exit.10o",
            "clause": "10",
            "because": "the exit answered OK and chose destination 3 of 3",
        },
    }


def test_what_the_exit_is_told(tmp_path: Path) -> None:
    def look(wxp: MQWXP) -> list[Any]:
        hosts = [(each.QMgrName, each.ChannelState, bool(each.QMgrFlags & 0x20)) for each in wxp.DestinationArray]
        return [wxp.ExitReason, wxp.QName, wxp.MsgDesc, wxp.MsgLength, len(wxp.MsgBuffer), wxp.DestinationChosen, hosts]

    messages = sent("M1", persistent=False)
    slow = {"channels": {"QM2": {"npmspeed": "NORMAL"}}}
    rows(writing(tmp_path / "seen", of=look), messages, FAIL, RECOVER, PUT, **slow)
    _, moved, put, _ = written(tmp_path / "seen")
    # The failed one is among them: RETRYING and not available. It is so until it recovers.
    hosts = [["QM2", 5, False], ["QM3", 3, True], ["QM4", 3, True]]
    assert moved == ["CLWL_MOVE", "Q", {"Priority": -1, "Persistence": 0}, 100, 100, 2, hosts]
    assert put[-1] == [["QM2", 0, True], *hosts[1:]]


@pytest.mark.parametrize("flag", ["delivered", "in_doubt", "bound"])
def test_what_cannot_be_sent_anew_calls_none(tmp_path: Path, flag: str) -> None:
    (row,) = rows(writing(tmp_path / "seen", "ExitReason"), sent("M1", **{flag: True}), FAIL)
    assert fates(row) == [("M1", "waits", None)]
    assert written(tmp_path / "seen") == []


def test_what_may_be_lost_calls_none(tmp_path: Path) -> None:
    (row,) = rows(writing(tmp_path / "seen", "ExitReason"), sent("M1", persistent=False), FAIL)
    assert (fates(row), written(tmp_path / "seen")) == ([("M1", "may_be_lost", None)], [])


def test_a_message_for_which_the_exit_chooses_the_failed_one_waits_for_it() -> None:
    failed, back = rows(taking(1), sent("M1"), FAIL, RECOVER)
    assert fates(failed) == [("M1", "waits", None)]
    said = "it is backed out, and the exit that is asked for another target chose QM2"
    assert (failed["fates"][0]["rule"], failed["fates"][0]["because"]) == ("administration.05fb", said)
    assert fates(back) == [("M1", "sent", None)]


def test_out_of_range_the_own_choice_stands() -> None:
    (row,) = rows(taking(9), sent("M1"), FAIL)
    assert fates(row) == [("M1", "rerouted", "QM3")]
    # The exit is asked although the rules choose nothing but the failed queue manager: it has the highest rank.
    (row,) = rows(taking(9), sent("M1"), FAIL, channels={"QM2": {"clwlrank": 1}})
    assert fates(row) == [("M1", "waits", None)]
    # It is the rules that find no better one: the exit has left the choice to them.
    assert row["fates"][0]["because"] == "it is backed out, and QM2 is chosen again"
    # So it is where the exit leaves their choice as it came in.
    (row,) = rows(lambda _: None, sent("M1"), FAIL, channels={"QM2": {"clwlrank": 1}})
    assert (row["fates"][0]["rule"], row["fates"][0]["fate"]) == ("administration.05h", "waits")
    said = "the exit answered OK and left the choice at destination 1 of 3"
    assert row["fates"][0]["exit"]["because"] == said
    (row,) = rows(taking(2), sent("M1"), FAIL, channels={"QM2": {"clwlrank": 1}})
    assert fates(row) == [("M1", "rerouted", "QM3")]


@pytest.mark.parametrize("deadq", ["", "DLQ"])
def test_a_refused_message_goes_to_the_dead_letter_queue(deadq: str) -> None:
    failed, back = rows(taking(3, "SUPPRESS_FUNCTION"), sent("M1"), FAIL, RECOVER, queue_manager={"deadq": deadq})
    assert fates(failed) == [("M1", "dead_lettered", None)]
    assert failed["fates"][0]["rule"] == "administration.05fa"
    assert failed["fates"][0]["exit"]["because"] == "the exit answered SUPPRESS_FUNCTION"
    assert fates(back) == []


def test_a_failing_exit_is_called_for_the_next_message() -> None:
    calls: Iterator[int] = iter(range(9))

    def fails_first(wxp: MQWXP) -> None:
        wxp.DestinationChosen = 3
        if next(calls) == 0:
            raise ValueError("boom")

    (row,) = rows(only_at_a_choice(fails_first), sent("M1", "M2"), FAIL)
    assert fates(row) == [("M1", "dead_lettered", None), ("M2", "rerouted", "QM4")]
    assert row["fates"][0]["exit"]["rule"] == "exit.10g"
    assert row["fates"][0]["because"] == "it is backed out, and the exit that is asked for another target fails"


def test_after_suppress_exit_the_rules_choose_alone() -> None:
    (row,) = rows(taking(3, "SUPPRESS_EXIT"), sent("M1", "M2"), FAIL)
    assert fates(row) == [("M1", "rerouted", "QM4"), ("M2", "rerouted", "QM3")]
    assert row["fates"][1]["rule"] == "administration.05g"
    assert "exit" not in row["fates"][1]


def test_counters_move_by_what_the_exit_chose() -> None:
    def only_moves(wxp: MQWXP) -> None:
        wxp.DestinationChosen = 3 if wxp.ExitReason == "CLWL_MOVE" else wxp.DestinationChosen

    # QM4 has 20 by M1: QM3 and then, of two with 20, QM4, which is less recently used than QM3.
    found = rows(only_moves, sent("M1"), FAIL, PUT, PUT)
    assert [each["routed"] and each["routed"]["queue_manager"] for each in found] == [None, "QM3", "QM4"]


def test_a_rerouted_message_follows_the_fate_of_its_new_target() -> None:
    def away(wxp: MQWXP) -> None:
        there = [number for number, to in enumerate(wxp.DestinationArray, 1) if to.QMgrFlags & 0x20]
        wxp.DestinationChosen = there[-1]

    found = rows(only_at_a_choice(away), sent("M1"), FAIL, {**FAIL, "queue_manager": "QM4"})
    assert [fates(each) for each in found] == [[("M1", "rerouted", "QM4")], [("M1", "rerouted", "QM3")]]


def test_a_message_that_arrives_calls_none(tmp_path: Path) -> None:
    local = [{"name": "Q", "queue_manager": "QM1", "clusters": ["S"], "put": "DISABLED"}]
    arrives = {"do": "arrive", "queue": "Q", "id": "M1"}
    (row,) = rows(writing(tmp_path / "seen", "ExitReason"), [], arrives, local=local)
    assert (fates(row), written(tmp_path / "seen")) == ([("M1", "rerouted", "QM2")], [])


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


def test_that_the_failed_queue_manager_is_left_is_said_by_the_rules_alone() -> None:
    """Said of a cluster PCF message alone, which this is not, it is left no more."""
    path = "exit/10s_another_than_the_target.toml"
    for said, host in (("moving AND others_permitted", "QM3"), ("moving AND cluster_pcf", "QM2")):
        rules = Rules().with_files({path: Rules().files[path].replace("moving AND others_permitted", said)})
        with Engine(rules, exits={NAME: taking(0)}) as engine:
            assert took(choose(engine, caller=Caller(left="QM2"))) == host


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


def at_first(number: int, then: int, response: str = "OK") -> Exit:
    """An exit that takes one destination at a put and another one (or an answer) when it is asked again."""

    def exit(wxp: MQWXP) -> None:  # noqa: A001
        is_again = "MOVE" in wxp.ExitReason
        wxp.DestinationChosen, wxp.ExitResponse = (then, response) if is_again else (number, "OK")

    return exit


UNBOUND = {"do": "open", "queue": "Q", "mode": "OUTPUT", "bind": "NOTFIXED", "by": "APP"}
AGAIN: tuple[tuple[Exit, str | None, str], ...] = (
    (at_first(1, 3), "QM4", "rerouted"),
    (at_first(1, 1), "QM2", "waits"),
    (at_first(1, 9), "QM3", "rerouted"),
    (at_first(1, 3, "SUPPRESS_FUNCTION"), None, "dead_lettered"),
)
"""Of an exit that puts to QM2, which has failed: where the message goes after all, and its fate."""


@pytest.mark.parametrize("on_a_handle", [True, False])
@pytest.mark.parametrize(("called", "host", "fate"), AGAIN)
def test_a_put_to_a_queue_manager_that_has_failed_calls_the_exit_again(
    called: Exit, host: str | None, fate: str, on_a_handle: bool
) -> None:
    put = {**PUT, "by": "APP", "id": "P1"}
    *_, row = rows(only_at_a_choice(called), [], FAIL, *([UNBOUND] if on_a_handle else []), put)
    assert (row["routed"] and row["routed"]["queue_manager"]) == host
    assert fates(row) == [("P1", fate, host if fate == "rerouted" else None)]
    assert (row["exit"]["reason"], row["fates"][0]["exit"]["reason"]) == ("CLWL_PUT", "CLWL_MOVE")
    assert "reason" not in row, "the put itself has succeeded"


def test_what_is_fixed_available_or_chosen_by_rules_alone_calls_it_once(tmp_path: Path) -> None:
    def reasons_of(name: str, *events: dict[str, Any], **changes: Any) -> list[str]:
        look = writing(tmp_path / name, of=lambda wxp: [wxp.ExitReason])
        rows(look, [], *events, **changes)
        return [reason for (reason,) in written(tmp_path / name) if reason not in ("INIT", "TERM")]

    bound = {**UNBOUND, "bind": "OPEN"}
    put = {**PUT, "by": "APP"}
    only_qm2 = {"channels": {"QM2": {"clwlrank": 9}}}
    assert reasons_of("bound", bound, FAIL, put, **only_qm2) == ["CLWL_OPEN"]
    assert reasons_of("back", FAIL, RECOVER, PUT, **only_qm2) == ["CLWL_PUT"]
    assert reasons_of("named", FAIL, {**PUT, "to_queue_manager": "QM2"}) == ["CLWL_PUT"]
    # The own choice counts as the exit's does: it is the failed one, which has the highest rank.
    assert reasons_of("own", FAIL, PUT, **only_qm2) == ["CLWL_PUT", "CLWL_MOVE"]


def test_a_second_choice_moves_the_counters_once_more() -> None:
    *_, first, second = rows(only_at_a_choice(at_first(1, 0)), [], FAIL, PUT, PUT)
    # QM3 and QM4 have their turns by the own choice; the first number is that of the choice of QM2.
    assert [each["routed"]["queue_manager"] for each in (first, second)] == ["QM3", "QM4"]


def test_messages_of_repositories_have_a_reason_of_their_own(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", of=lambda wxp: [wxp.ExitReason])
    pcf = {"cluster_pcf": True}
    rank = {"channels": {"QM3": {"clwlrank": 5}}}
    rows(look, sent("M1", **pcf), FAIL, {**PUT, **pcf}, {**FAIL, "queue_manager": "QM3"}, {**PUT, **pcf}, **rank)
    told = [reason for (reason,) in written(tmp_path / "seen") if reason not in ("INIT", "TERM")]
    # M1 leaves QM2 for QM3, and then QM3, which is chosen again by its rank; the last put is for QM3, which has failed.
    assert told == ["CLWL_REPOS_MOVE", "CLWL_REPOS", "CLWL_REPOS_MOVE", "CLWL_REPOS", "CLWL_REPOS_MOVE"]
