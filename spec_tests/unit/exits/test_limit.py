"""The limit of time: an exit that does not return costs it, once for a handle, and the caller goes on."""

from __future__ import annotations

import signal
import subprocess
import time
from typing import Any

import pytest

from mqclause import Engine, Replay
from mqclause.exits import MQWXP, Caller
from spec_tests.support.exit_scene import NAME, Exit, asked, choose, code, only_at_a_choice, told, took

SHORT = 0.3
"""A time limit for exits that do not return, in seconds."""


def loops(_: MQWXP) -> None:
    while True:
        pass


def holds_the_interpreter(_: MQWXP) -> None:
    sum(10**400_000_000 for _ in range(10))


def sleeps(_: MQWXP) -> None:
    time.sleep(1000)


def waits_for_another_process(_: MQWXP) -> None:
    subprocess.run(["sleep", "1000"], check=False)


def catches_everything(_: MQWXP) -> None:
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    while True:
        try:
            time.sleep(1000)
        except BaseException:
            continue


@pytest.mark.parametrize(
    "exit", [loops, holds_the_interpreter, sleeps, waits_for_another_process, catches_everything]
)  # fmt: skip
def test_an_exit_that_does_not_return_costs_its_limit(exit: Exit) -> None:  # noqa: A002
    began = time.monotonic()
    decision = asked(only_at_a_choice(exit), exit_limit=SHORT)
    assert code(decision) == 2266
    assert decision.reason is not None
    assert decision.reason.because == "the exit did not return within 0.3 s"
    assert (decision.reason.rule, told(decision)["response"]) == ("exit.10t", None)
    assert SHORT <= time.monotonic() - began < 20


def test_the_limit_is_the_time_that_passes() -> None:
    began = time.monotonic()
    reason = asked(only_at_a_choice(sleeps), {"put": {"call": "MQOPEN"}}, exit_limit=SHORT).reason
    assert SHORT <= time.monotonic() - began < SHORT + 20
    assert reason is not None
    assert (reason.code, reason.call) == (2266, "MQOPEN")
    assert reason.because == f"the exit did not return within {SHORT:g} s"


@pytest.mark.parametrize(("options", "limit"), [({"exit_limit": 7.5}, 7.5), ({}, 30.0)], ids=["given", "default"])
def test_without_a_limit_it_is_30_seconds_on_both_sides(options: dict[str, Any], limit: float) -> None:
    def alarm(wxp: MQWXP) -> None:
        left, _ = signal.getitimer(signal.ITIMER_REAL)
        wxp.ExitResponse = f"ends itself in {left:.0f} seconds"

    with Engine(exits={NAME: alarm}, **options) as engine, Replay(exits={NAME: alarm}, **options) as replay:
        decision = choose(engine)
        assert decision.exit is not None
        # What its caller waits for, the rule tells; its process ends itself a second later, should the caller be gone.
        assert decision.exit.call.exit_limit == engine.exits.limit == replay.engine.exits.limit == limit
    assert told(decision)["response"] == f"ends itself in {limit + 1:.0f} seconds"


def test_one_that_does_not_return_at_init_costs_its_limit_once() -> None:
    began = time.monotonic()
    assert code(asked(sleeps, exit_limit=SHORT)) == 2266
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
