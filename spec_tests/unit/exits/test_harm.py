"""An exit cannot hurt anybody: whatever it does, the caller gets the documented result and goes on."""

from __future__ import annotations

import json
import mmap
import os
import signal
import stat
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqclause import Engine
from mqclause.exits import MQWXP
from spec_tests.support.exit_scene import NAME, Exit, asked, choose, code, only_at_a_choice, taking, took


def raises(_: MQWXP) -> None:
    raise ValueError("boom")


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


def takes_none() -> None: ...


def leaves_a_long_error(_: MQWXP) -> None:
    raise ValueError("x" * 1000)


def line_of(exit: Callable[..., object]) -> int:  # noqa: A002
    return exit.__code__.co_firstlineno


def raises_in_a_library(wxp: MQWXP) -> None:
    if wxp.DestinationArray:
        json.loads("{")


@pytest.mark.parametrize(
    ("exit", "place"),
    [
        (raises, f"the exit raised ValueError: boom (line {line_of(raises) + 1} of test_harm.py, in raises)"),
        # Of what it calls in a library, the exit's own line is told.
        (raises_in_a_library, f"(line {line_of(raises_in_a_library) + 2} of test_harm.py, in raises_in_a_library)"),
        (
            takes_none,
            "takes_none() takes 0 positional arguments but 1 was given "
            f"(line {line_of(takes_none)} of test_harm.py, takes_none; it is called with one MQWXP)",
        ),
        (leaves_a_long_error, f"xxx (line {line_of(leaves_a_long_error) + 1} of test_harm.py, in leaves_a_long_error)"),
        (int, "(int; it is called with one MQWXP)"),
    ],
)
def test_where_it_failed(exit: Exit, place: str) -> None:  # noqa: A002
    reason = asked(exit).reason
    assert reason is not None
    assert (reason.code, reason.because.endswith(place)) == (2266, True), reason.because


@pytest.mark.parametrize("exit", [ends_its_process, raises, allocates])
def test_the_next_call_is_made_as_if_nothing_had_been(exit: Exit) -> None:  # noqa: A002
    def fails_once(wxp: MQWXP) -> None:
        wxp.DestinationChosen = 3
        if wxp.MsgLength == 1:
            exit(wxp)

    with Engine(exits={NAME: fails_once}) as engine:
        found = [choose(engine, {"put": {"length": length}}) for length in (2, 1, 2)]
    assert [(code(each), took(each)) for each in found] == [(None, "QM4"), (2266, None), (None, "QM4")]


def test_a_process_that_it_forks_answers_nothing() -> None:
    def forks(wxp: MQWXP) -> None:
        wxp.DestinationChosen = 3 if wxp.MsgLength == 1 else 2
        if wxp.MsgLength == 1:
            os.fork()

    # Both processes come back from the exit; were there two answers, the next call would get the second of them.
    with Engine(exits={NAME: forks}) as engine:
        found = [took(choose(engine, {"put": {"length": length}})) for length in (2, 1, 2, 2, 1, 2)]
    assert found == ["QM3", "QM4", "QM3", "QM3", "QM4", "QM3"]


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


def test_what_it_does_to_its_process_is_its_own() -> None:
    def moves_away(wxp: MQWXP) -> None:
        os.chdir("/")
        os.environ["LEFT_BY_EXIT"] = "1"
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        wxp.DestinationChosen = 2

    before = Path.cwd(), signal.getsignal(signal.SIGTERM)
    assert took(asked(moves_away)) == "QM3"
    assert (Path.cwd(), signal.getsignal(signal.SIGTERM), os.environ.get("LEFT_BY_EXIT")) == (*before, None)


def test_references_that_it_keeps_are_its_own() -> None:
    kept: list[MQWXP] = []

    def keeps(wxp: MQWXP) -> None:
        kept.append(wxp)
        wxp.DestinationChosen = min(len(kept), 3)
        kept[0].DestinationChosen = 1

    with Engine(exits={NAME: keeps}) as engine:
        assert [took(choose(engine)) for _ in range(2)] == ["QM3", "QM4"]  # the first call was INIT
    assert kept == []


def test_a_response_that_is_no_line_of_text_is_told_as_one() -> None:
    document = asked(taking(1, "a\nb" + "x" * 1000)).to_json()
    assert document["exit"]["response"].startswith("a\\nbxxx")
    assert len(document["because"]) < 300


def forges(reply: bytes) -> Exit:
    """An exit that finds the socket to its caller, and answers in the place of its own process."""

    def forge(_: MQWXP) -> None:
        sockets = [number for number in map(int, os.listdir("/dev/fd")) if is_socket(number)]
        os.write(max(sockets), reply)

    return forge


def is_socket(number: int) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(number).st_mode)
    except OSError:
        return False


def framed(reply: bytes) -> bytes:
    return struct.pack("<I", len(reply)) + reply


@pytest.mark.parametrize(
    "reply",
    [
        b"\xff\xff\xff\x7f(",
        framed(b"(\xff\xff\xff\x7f"),
        framed(b"[]"),
        framed(b'["answered", "OK", 1, 7]'),
        framed(b'["answered", "OK", true, "zz"]'),
        framed(b"[" * 0xA000),
        framed(b'["other", "OK"]'),
        framed(b'{"answered": 1}'),
    ],
    ids=["length", "items", "empty", "types", "digits", "deep", "kind", "object"],
)
def test_a_reply_that_is_forged_is_none(reply: bytes) -> None:
    with Engine(exits={NAME: forges(reply)}) as engine:
        for _ in range(2):
            reason = choose(engine).reason
            assert reason is not None
            assert (reason.code, reason.because) == (2266, "the exit wrote into its own process's answer")


def shares_memory(_: MQWXP) -> None:
    mmap.mmap(-1, 5 << 30)


def test_memory_that_an_exit_shares_is_limited_too() -> None:
    reason = asked(shares_memory).reason
    assert reason is not None
    assert reason.because.startswith("the exit raised OSError: [Errno 12]")
