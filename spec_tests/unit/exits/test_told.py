"""What an exit is told in the calls that are made: the message, the user area, the counters, INIT and TERM."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from mqclause import Engine, Explanation, read_document
from mqclause.exits import MQWXP, Caller, OfferedMessage
from spec_tests.support.exit_scene import (
    NAME,
    Exit,
    asked,
    choose,
    facts,
    only_at_a_choice,
    taking,
    writing,
    written,
)


def test_the_own_choice_comes_in_as_a_number_from_1(tmp_path: Path) -> None:
    look = writing(tmp_path / "seen", "ExitReason", "DestinationChosen", "DestinationCount")
    asked(look, {"channels": {"QM4": {"clwlrank": 3}}})
    assert written(tmp_path / "seen")[1] == ["CLWL_PUT", 3, 3]


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
    asked(look, {"put": {"call": "MQOPEN", "cluster_pcf": True, "length": 500}})
    assert written(tmp_path / "seen")[1::3] == [[None, 0, 0]] * 3


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


def test_the_parameters_of_a_call_that_is_not_made(tmp_path: Path) -> None:
    snapshot = read_document(facts(), "facts")
    assert snapshot.put is not None

    def told_of(wxp: MQWXP) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(json.dumps(attrs.asdict(wxp), default=bytes.hex))
        return found

    with Engine(exits={NAME: writing(tmp_path / "seen", of=told_of)}) as engine:
        state = engine.choose(snapshot.put, snapshot.cluster).state
        engine.choose(snapshot.put, snapshot.cluster, state)
        wxp = engine.exit_parameters(snapshot.put, snapshot.cluster, state)
    assert [call["ExitReason"] for call in written(tmp_path / "seen")] == ["INIT", "CLWL_PUT", "CLWL_PUT", "TERM"]
    assert told_of(wxp) == written(tmp_path / "seen")[2]


def test_other_readings_are_told_of_the_own_choice_and_where_that_stands_alone() -> None:
    """QM3's channel priority counts by another reading; equal weights let no step of the weights part them."""
    dear = {"channels": {"QM3": {"clwlprty": 3}}}
    snapshot = read_document(facts(**dear), "facts")

    def told(exit: Exit, more: dict[str, Any]) -> tuple[list[str], list[str]]:  # noqa: A002 - MQ's word
        with Engine(exits={NAME: exit}) as engine:
            decision = choose(engine, more)
            remarks = Explanation.of(decision, snapshot, engine=engine).to_json()["remarks"]
        return [str(each) for each in decision.other_readings()], [each for each in remarks if each.startswith("with ")]

    by_priority = ["with channel-priority-for-queues=before-queue-priority: QM3"]
    assert told(only_at_a_choice(lambda _: None), dear) == (by_priority, by_priority)
    assert told(only_at_a_choice(lambda _: None), {}) == ([], [])
    assert told(taking(3), dear) == ([], [])
    assert told(taking(4), dear) == (by_priority, by_priority)  # there are three: the own choice stands
    assert told(taking(2, "SUPPRESS_FUNCTION"), dear) == ([], [])
    assert [str(each) for each in choose(Engine(), dear).other_readings()] == by_priority
