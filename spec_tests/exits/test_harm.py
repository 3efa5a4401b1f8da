"""An exit cannot hurt anybody: whatever it does, the caller gets the documented result and goes on."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from mqclause import Engine
from mqclause.exits import MQWXP, Caller, prefer_channel
from spec_tests.support.exit_scene import NAME, Exit, asked, choose, taking, told, took

SHORT = 0.3
"""A time limit for exits that do not return, in seconds."""


def only_at_a_choice(does: Callable[[MQWXP], Any]) -> Exit:
    """An exit that does this where a destination is chosen, and nothing at INIT and TERM."""

    def exit(wxp: MQWXP) -> None:  # noqa: A001
        if wxp.DestinationArray:
            does(wxp)

    return exit


def loops(_: MQWXP) -> None:
    while True:
        pass


def holds_the_interpreter(_: MQWXP) -> None:
    sum(10**400_000_000 for _ in range(10))


def sleeps(_: MQWXP) -> None:
    time.sleep(1000)


def waits_for_another_process(_: MQWXP) -> None:
    subprocess.run(["sleep", "1000"], check=False)


def raises(_: MQWXP) -> None:
    raise ValueError("boom")


def catches_everything(_: MQWXP) -> None:
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    while True:
        try:
            time.sleep(1000)
        except BaseException:
            continue


class UnreadableError(Exception):
    """An error that cannot be told."""

    def __str__(self) -> str:
        raise RuntimeError("no")


def raises_what_cannot_be_told(_: MQWXP) -> None:
    raise UnreadableError


def allocates(_: MQWXP) -> None:
    bytearray(b"x") * 10_000_000_000


def recurses(wxp: MQWXP) -> None:
    recurses(wxp)


def exits_by_itself(_: MQWXP) -> None:
    sys.exit(0)


def ends_its_process(_: MQWXP) -> None:
    os._exit(0)


def is_killed(_: MQWXP) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def leaves(name: str, value: Any) -> Exit:
    """An exit that leaves a value in a field."""
    return only_at_a_choice(lambda wxp: setattr(wxp, name, value))


def code(decision: Any) -> int | None:
    return decision.reason.code if decision.reason else None


@pytest.mark.parametrize(
    "exit", [loops, holds_the_interpreter, sleeps, waits_for_another_process, catches_everything]
)  # fmt: skip
def test_an_exit_that_does_not_return_costs_its_limit(exit: Exit) -> None:  # noqa: A002
    began = time.monotonic()
    decision = asked(only_at_a_choice(exit), exit_limit=SHORT)
    assert code(decision) == 2266
    assert decision.reason is not None
    assert decision.reason.because == "the exit did not return within 0.3 seconds"
    assert (decision.reason.rule, told(decision)["response"]) == ("exit.04b", None)
    assert SHORT <= time.monotonic() - began < 20


def test_one_that_loops_at_init_costs_its_limit_once() -> None:
    began = time.monotonic()
    assert code(asked(loops, exit_limit=SHORT)) == 2266
    assert time.monotonic() - began < 20


def test_each_call_has_the_limit_for_itself() -> None:
    def takes_its_time(wxp: MQWXP) -> None:
        if wxp.ExitReason != "TERM":
            time.sleep(0.8)

    assert took(asked(takes_its_time, exit_limit=1.5)) == "QM2"


def test_a_looping_exit_costs_its_limit_once_for_a_handle_and_nothing_else() -> None:
    with Engine(exits={NAME: only_at_a_choice(loops)}, exit_limit=SHORT) as engine:
        began = time.monotonic()
        found = [code(choose(engine, caller=Caller(handle="h"))) for _ in range(50)]
        assert time.monotonic() - began < 20 * SHORT
    assert found == [2266] + [None] * 49


@pytest.mark.parametrize(
    ("exit", "said"),
    [
        (raises, "the exit raised ValueError: boom (line "),
        (raises_what_cannot_be_told, "the exit raised UnreadableError (line "),
        (exits_by_itself, "the exit raised SystemExit: 0 (line "),
        (recurses, "the exit raised RecursionError"),
        (allocates, "the exit raised MemoryError"),
        (ends_its_process, "the exit ended its process"),
        (is_killed, "the exit ended its process"),
        (lambda: None, "the exit raised TypeError"),
        (lambda wxp: wxp.DestinationArray[99], "the exit raised IndexError: list index out of range (line "),
        (leaves("ExitUserArea", b""), "ExitUserArea is not 16 bytes"),
        (leaves("ExitUserArea", "0123456789abcdef"), "ExitUserArea is not 16 bytes"),
        (leaves("DestinationChosen", "1"), "DestinationChosen is of the type str; it is a whole number"),
        (leaves("DestinationChosen", 1.0), "DestinationChosen is of the type float; it is a whole number"),
        (leaves("DestinationChosen", True), "DestinationChosen is of the type bool; it is a whole number"),
        (leaves("DestinationChosen", None), "DestinationChosen is of the type NoneType; it is a whole number"),
        (leaves("ExitResponse", None), "ExitResponse is of the type NoneType; it is text"),
        (leaves("ExitResponse", 0), "ExitResponse is of the type int; it is text"),
    ],
)
def test_a_failure_fails_the_call_and_says_why(exit: Exit, said: str) -> None:  # noqa: A002
    decision = asked(exit)
    document = decision.to_json()
    assert document["reason"] == {"name": "MQRC_CLUSTER_EXIT_ERROR", "code": 2266, "call": "MQPUT"}
    assert document["because"].startswith(said)
    assert "\n" not in document["because"]
    assert (document["exit"]["called"], document["exit"]["response"], document["exit"]["chosen"]) == (True, None, None)


@pytest.mark.parametrize("exit", [ends_its_process, raises, allocates])
def test_the_next_call_is_made_as_if_nothing_had_been(exit: Exit) -> None:  # noqa: A002
    def fails_once(wxp: MQWXP) -> None:
        wxp.DestinationChosen = 3
        if wxp.MsgLength == 1:
            exit(wxp)

    with Engine(exits={NAME: fails_once}) as engine:
        found = [choose(engine, {"put": {"length": length}}) for length in (2, 1, 2)]
    assert [(code(each), took(each)) for each in found] == [(None, "QM4"), (2266, None), (None, "QM4")]


def test_what_it_returns_is_not_looked_at() -> None:
    assert took(asked(lambda _: 2)) == "QM2"


def test_what_it_changes_besides_is_not_read_back() -> None:
    def spoils(wxp: MQWXP) -> None:
        for each in wxp.DestinationArray:
            each.QMgrName, each.ChannelDef.ChannelName = "X", "X"
        wxp.DestinationArray.clear()
        wxp.DestinationCount, wxp.QArray, wxp.ExitReason = 0, None, "X"
        wxp.DestinationChosen = 2

    with Engine(exits={NAME: spoils}) as engine:
        assert [took(choose(engine)) for _ in range(2)] == ["QM3", "QM3"]


def test_references_that_it_keeps_are_its_own() -> None:
    kept: list[MQWXP] = []

    def keeps(wxp: MQWXP) -> None:
        kept.append(wxp)
        wxp.DestinationChosen = min(len(kept), 3)
        kept[0].DestinationChosen = 1

    with Engine(exits={NAME: keeps}) as engine:
        assert [took(choose(engine)) for _ in range(2)] == ["QM3", "QM4"]  # the first call was INIT
    assert kept == []


def test_it_may_ask_an_engine_but_not_for_a_choice_that_calls_an_exit() -> None:
    with Engine() as plain, Engine(exits={NAME: taking(2)}) as other:

        def asks(wxp: MQWXP) -> None:
            assert took(choose(plain)) == "QM2"
            wxp.ExitResponse = str(choose(other).reason.because)  # type: ignore[union-attr]

        decision = asked(asks)
    assert told(decision)["response"] == "an exit called for a choice that calls an exit"


def test_what_it_prints_goes_to_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    def prints(wxp: MQWXP) -> None:
        print("seen", wxp.ExitReason)  # noqa: T201
        os.write(1, b"raw\n")

    asked(prints)
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.startswith("seen INIT\nraw\nseen CLWL_PUT\nraw\n")


def test_it_has_no_standard_input() -> None:
    def reads(wxp: MQWXP) -> None:
        wxp.ExitResponse = f"read {os.read(0, 1)!r}"

    assert told(asked(reads))["response"] == "read b''"


def test_a_response_that_is_no_line_of_text_is_told_as_one() -> None:
    document = asked(taking(1, "a\nb" + "x" * 1000)).to_json()
    assert document["exit"]["response"].startswith("a\\nbxxx")
    assert len(document["because"]) < 300


def test_threads_take_turns() -> None:
    def count(wxp: MQWXP) -> None:
        wxp.ExitUserArea = (int.from_bytes(wxp.ExitUserArea, "big") + 1).to_bytes(16, "big")
        wxp.DestinationChosen = 2
        wxp.ExitResponse = "OK" if wxp.MsgLength else str(int.from_bytes(wxp.ExitUserArea, "big"))

    found: list[str | None] = []
    with Engine(exits={NAME: count}) as engine:
        threads = [
            threading.Thread(target=lambda: found.extend(took(choose(engine)) for _ in range(25))) for _ in range(4)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        last = choose(engine, {"put": {"length": 0}})
    assert found == ["QM3"] * 100
    assert told(last)["response"] == "102"  # INIT, a hundred puts, and this one


def test_no_process_is_left_when_the_engine_is_gone() -> None:
    def tells(wxp: MQWXP) -> None:
        wxp.ExitResponse = f"process {os.getpid()}"

    def process_of(engine: Engine) -> int:
        return int(told(choose(engine))["response"].split()[1])

    engine = Engine(exits={NAME: tells})
    process = process_of(engine)
    assert process != os.getpid()
    assert process_of(engine) == process
    del engine
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_an_engine_goes_to_another_process_with_its_exits() -> None:
    with Engine(exits={NAME: prefer_channel}, exit_limit=7.5) as engine:
        assert took(choose(engine)) == "QM3"
        copied = pickle.loads(pickle.dumps(engine))
    assert (copied.exits.given, copied.exits.limit) == ({NAME: prefer_channel}, 7.5)
    with copied:
        decision = choose(copied)
    assert took(decision) == "QM3"
    again = pickle.loads(pickle.dumps(decision))
    assert again.to_json() == decision.to_json()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_caller_has_a_process_of_its_own() -> None:
    with Engine(exits={NAME: taking(2)}) as engine:
        choose(engine)
        child = os.fork()
        if child == 0:
            os._exit(0 if took(choose(engine)) == "QM3" else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert took(choose(engine)) == "QM3"


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf"), True, "5", None])
def test_a_limit_that_is_none(limit: Any) -> None:
    with pytest.raises(ValueError, match="exit_limit=.* is not allowed; allowed: a number of seconds above 0"):
        Engine(exits={NAME: taking(1)}, exit_limit=limit)


def test_what_is_no_exit() -> None:
    with pytest.raises(TypeError, match="exits: 'myexit' is 3, which cannot be called"):
        Engine(exits={NAME: 3})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="exits=.* is no mapping of names in CLWLEXIT to functions"):
        Engine(exits=[taking(1)])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="exits: the name ' ' is not allowed"):
        Engine(exits={" ": taking(1)})
