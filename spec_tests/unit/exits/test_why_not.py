"""Why not that queue manager, where an exit has its say: each change that is told was tried with the exit."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from mqclause import Engine, counterfactuals, read_document, shares, why_not
from mqclause.cluster.counterfactuals import WhyNot
from mqclause.exits import MQWXP, Caller, OfferedMessage, by_content, prefer_channel
from spec_tests.support.exit_scene import (
    NAME,
    Exit,
    choose,
    facts,
    only_at_a_choice,
    taking,
    took,
    writing,
    written,
)  # fmt: skip
from spec_tests.support.explain_command import run
from spec_tests.support.explain_command import written as file_of


def asked(exit: Exit, other: str, more: dict[str, Any] | None = None, **options: Any) -> WhyNot:  # noqa: A002
    """The answer about a queue manager, with this exit."""
    with Engine(exits={NAME: exit}, **options) as engine:
        return why_not(choose(engine, more), other, engine)


def commands(answer: WhyNot) -> set[tuple[str, ...]]:
    return {tuple(f"{each.queue_manager}: {each.command}" for each in change) for change in answer.changes}


def test_what_keeps_the_sample_from_its_channel() -> None:
    # CLWLDATA is TO.QM3: it takes QM3 while that is put-enabled, available and its channel in a good state. QM2 is the
    # own choice, which stands else; no rank or priority of QM2 changes that.
    answer = asked(prefer_channel, "QM2")
    assert [(each.queue_manager, rule.id, because) for each, rule, because in answer.fallen] == [
        ("QM2", "exit.10o", "the exit answered OK and chose destination 2 of 3")
    ]
    assert commands(answer) == {
        ("QM3: ALTER QLOCAL('Q') PUT(DISABLED)",),
        ("QM1: STOP CHANNEL('TO.QM3')",),
        ("QM3: SUSPEND QMGR CLUSTER('S')",),
        ("QM1: ALTER QMGR CLWLDATA('TO.QM2')",),
    }
    assert (answer.permitted, answer.searched, answer.ended) == (False, 2, "")


def test_a_pair_where_one_is_not_enough() -> None:
    # Its channel is stopped and its queue put-disabled: QM2 is taken, which has the highest rank.
    bad = {"queues": {"QM3": {"put": "DISABLED"}}, "channels": {"QM3": {"status": "STOPPED"}, "QM2": {"clwlrank": 9}}}
    answer = asked(prefer_channel, "QM3", bad)
    assert [rule.id for _, rule, _ in answer.fallen] == ["workload.01a"]
    enabled, started = "QM3: ALTER QLOCAL('Q') PUT(ENABLED)", "QM1: START CHANNEL('TO.QM3')"
    assert (enabled, started) in {tuple(sorted(each, reverse=True)) for each in commands(answer)}
    assert all(enabled in each and len(each) == 2 for each in commands(answer))


def test_an_exit_that_knows_no_other() -> None:
    # Without QM2 the own choice is QM3, with QM4 as good; but at no turn does the exit let QM4 have it.
    answer = asked(taking(2), "QM4")
    assert (answer.changes, answer.searched, answer.ended) == ((), 2, "")


def test_each_of_equals_has_its_turn_where_the_exit_leaves_it_that() -> None:
    # CLWLDATA names no channel, so it leaves every choice as it is: the rank of the others is enough.
    more = {"queue_manager": {"clwldata": ""}, "channels": {"QM2": {"clwlrank": 3}}}
    answer = asked(prefer_channel, "QM4", more)
    assert [rule.id for _, rule, _ in answer.fallen] == ["workload.04a"]
    assert ("QM4: ALTER CHANNEL('TO.QM4') CHLTYPE(CLUSRCVR) CLWLRANK(3)",) in commands(answer)
    assert ("QM1: ALTER QMGR CLWLDATA('TO.QM4')",) in commands(answer)


def test_the_one_that_it_takes_is_permitted_whatever_the_rules_say() -> None:
    answer = asked(taking(2), "QM3", {"channels": {"QM2": {"clwlrank": 9}}})
    assert (answer.permitted, answer.fallen) == (True, ())


def test_a_call_that_it_refuses() -> None:
    def only_by_its_data(wxp: MQWXP) -> None:
        if wxp.ExitData != "TO.QM4":
            wxp.ExitResponse = "SUPPRESS_FUNCTION"

    answer = asked(only_by_its_data, "QM4")
    assert {rule.id for _, rule, _ in answer.fallen} == {"exit.10i"}
    assert commands(answer) == {("QM1: ALTER QMGR CLWLDATA('TO.QM4')",)}


def test_what_is_told_does_it() -> None:
    snapshot = read_document(facts(), "facts")
    assert snapshot.put is not None
    with Engine(exits={NAME: prefer_channel}) as engine:
        found = counterfactuals(engine.choose(snapshot.put, snapshot.cluster, explain="rule"), "QM2", engine)
        for each in found:
            (command,) = each.commands
            after = engine.choose(snapshot.put, command.on_facts(snapshot.cluster))
            assert "QM2" in {to.queue_manager for to in after.permitted}, command.command
    assert len(found) == 4


def test_the_message_is_that_of_the_caller() -> None:
    caller = Caller(message=OfferedMessage.of(b"QM3: two of each"))
    with Engine(exits={NAME: by_content}) as engine:
        decision = choose(engine, caller=caller)
        assert took(decision) == "QM3"
        answer = why_not(decision, "QM2", engine, caller)
    # CLWLDATA is nothing to this one.
    assert ("QM1: STOP CHANNEL('TO.QM3')",) in commands(answer)
    assert not any("CLWLDATA" in each for change in commands(answer) for each in change)


def test_without_the_engine_nothing_can_be_said() -> None:
    with Engine(exits={NAME: taking(2)}) as engine:
        decision = choose(engine)
        for give in (None, Engine()):
            with pytest.raises(ValueError, match="the decision is one with an exit; give the engine that has it"):
                counterfactuals(decision, "QM2", give)
        engine.close()
    # One that is not named has no say.
    with Engine(exits={"other": taking(2)}) as engine:
        assert why_not(choose(engine, {"channels": {"QM2": {"clwlrank": 9}}}), "QM3").changes


def test_its_shares_in_the_long_run_are_not_known() -> None:
    with Engine(exits={NAME: prefer_channel}) as engine:
        decision = choose(engine)
    with pytest.raises(ValueError, match="the decision is one with an exit, and what that takes in the long run"):
        shares(decision)
    assert len(shares(choose(Engine()))) == 3


def test_the_search_ends_with_the_first_call_that_runs_into_the_limit() -> None:
    def loops_when_disabled(wxp: MQWXP) -> None:
        wxp.DestinationChosen = 2
        while wxp.QArray is not None and any(each.InhibitPut for each in wxp.QArray):
            pass

    began = time.monotonic()
    answer = asked(loops_when_disabled, "QM4", exit_limit=0.3)
    assert time.monotonic() - began < 20
    assert answer.ended.startswith("the search ended with change ")
    assert answer.ended.endswith(": the exit may take 0.3 s in all of it")
    assert (answer.searched, answer.changes) == (0, ())
    assert answer.to_json()["ended"] == answer.ended


def test_all_calls_together_have_the_time_of_one(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", "ExitReason")

    def slow(wxp: MQWXP) -> None:
        look(wxp)
        time.sleep(0.15 if wxp.DestinationArray else 0)
        wxp.DestinationChosen = 2

    answer = asked(slow, "QM4", exit_limit=0.6)
    assert answer.ended.endswith(": the exit may take 0.6 s in all of it")
    # One is the decision's own; after so many of them the time is over.
    assert 2 <= [reason for (reason,) in written(tmp_path / "seen")].count("CLWL_PUT") <= 1 + 5


def test_where_the_decision_itself_ran_into_the_limit_it_is_not_called_again(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", "ExitReason")

    def loops(wxp: MQWXP) -> None:
        look(wxp)
        while True:
            pass

    answer = asked(only_at_a_choice(loops), "QM4", exit_limit=0.3)
    assert (answer.ended, answer.searched) == ("no change was tried: the exit does not return in time", 0)
    assert {rule.id for _, rule, _ in answer.fallen} == {"exit.10t"}
    assert len(written(tmp_path / "seen")) == 1


def test_the_command_line(tmp_path: Path) -> None:
    given = ("explain", file_of(tmp_path, facts()), "--exit", f"{NAME}=mqclause.exits:prefer_channel", "--why-not")
    found = json.loads(run(*given, "QM2", "--json").stdout)["why_not"]
    assert [each["clause"] for each in found["destinations"]] == ["10"]
    assert (len(found["changes"]), found["searched"]) == (4, 2)
    said = run(*given, "QM2").stdout
    assert "each of these would have it permitted (sets of up to 2 commands, with the exit):" in said
    assert "    QM1: ALTER QMGR CLWLDATA('TO.QM2')" in said.splitlines()
