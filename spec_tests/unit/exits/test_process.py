"""The process that an exit runs in: its streams and threads, who shares it, how it ends, what cannot be one."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from mqclause import Engine
from mqclause.exits import MQWXP, prefer_channel
from spec_tests.support.exit_scene import NAME, asked, choose, taking, told, took


def test_it_may_ask_an_engine_but_not_for_a_choice_that_calls_an_exit() -> None:
    with Engine() as plain, Engine(exits={NAME: taking(2)}) as other:

        def asks(wxp: MQWXP) -> None:
            assert took(choose(plain)) == "QM2"
            reason = choose(other).reason
            assert reason is not None
            wxp.ExitResponse = str(reason.because)

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


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf"), True, "5"])
def test_a_limit_that_is_none(limit: Any) -> None:
    with pytest.raises(ValueError, match="exit_limit=.* is not allowed; allowed: a number of seconds above 0"):
        Engine(exits={NAME: taking(1)}, exit_limit=limit)


@pytest.mark.parametrize("limit", [1e300, 10**400], ids=["float", "int"])
def test_a_limit_beyond_what_a_system_can_wait(limit: float) -> None:
    with Engine(exits={NAME: taking(2)}, exit_limit=limit) as engine:
        assert took(choose(engine)) == "QM3"


async def _later(wxp: MQWXP) -> None:
    wxp.DestinationChosen = 2


def _by_and_by(wxp: MQWXP) -> Iterator[int]:
    yield wxp.DestinationChosen


def test_what_is_no_exit() -> None:
    with pytest.raises(TypeError, match="exits: 'myexit' is 3, which cannot be called"):
        Engine(exits={NAME: 3})  # type: ignore[dict-item]
    for each in (_later, _by_and_by):
        with pytest.raises(
            TypeError, match="exits: 'myexit' is a coroutine or a generator, of which a call does nothing"
        ):
            Engine(exits={NAME: each})
    with pytest.raises(TypeError, match="exits=.* is no mapping of names in CLWLEXIT to functions"):
        Engine(exits=[taking(1)])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="exits: the name ' ' is not allowed"):
        Engine(exits={" ": taking(1)})
