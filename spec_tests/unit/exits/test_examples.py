"""The two exits that come with the project, tested as anybody tests an exit: a function of one MQWXP."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from attrs import evolve

from mqclause import Engine, Put, read_files
from mqclause.exits import MQCD, MQWDR, MQWQR, MQWXP, by_content, prefer_channel
from mqclause.model.facts.objects import ChannelState
from spec_tests.support.exit_scene import NAME, asked, told, took

AVAILABLE = 0x20
BAD = {"RETRYING": 5, "STOPPED": 6, "REQUESTING": 7, "PAUSED": 8, "SWITCHING": 14}
GOOD = {"INACTIVE": 0, "BINDING": 1, "STARTING": 2, "RUNNING": 3, "STOPPING": 4, "INITIALIZING": 13}


def destination(channel: str, state: int = 3, flags: int = AVAILABLE) -> MQWDR:
    return MQWDR(QMgrFlags=flags, QMgrName=channel[-3:], ChannelState=state, ChannelDef=MQCD(ChannelName=channel))


def offered(*destinations: MQWDR, data: str = "TO.QM3", inhibited: tuple[int, ...] = (), chosen: int = 1) -> MQWXP:
    queues = [MQWQR(InhibitPut=int(number in inhibited)) for number in range(1, len(destinations) + 1)]
    return MQWXP(
        ExitData=data, DestinationCount=len(destinations), DestinationChosen=chosen,
        DestinationArray=list(destinations), QArray=queues,
    )  # fmt: skip


TWO = (destination("TO.QM2"), destination("TO.QM3"))


def choice(wxp: MQWXP) -> int:
    prefer_channel(wxp)
    assert wxp.ExitResponse == "OK"
    return wxp.DestinationChosen


def test_the_channel_that_clwldata_names_is_taken() -> None:
    assert choice(offered(*TWO)) == 2
    assert choice(offered(*TWO, data="TO.QM2", chosen=2)) == 1


@pytest.mark.parametrize("data", ["", "TO.QM9", "QM3", "to.qm3", "TO.QM"])
def test_without_such_a_channel_the_own_choice_stands(data: str) -> None:
    assert choice(offered(*TWO, data=data)) == 1


@pytest.mark.parametrize("data", ["", " "])
def test_a_blank_clwldata_does_not_name_the_local_destination_without_a_channel(data: str) -> None:
    assert choice(offered(*TWO, destination("", state=0), data=data)) == 1


def test_clwldata_may_be_padded_with_blanks() -> None:
    assert choice(offered(*TWO, data="TO.QM3" + " " * 26)) == 2


def test_clwldata_of_the_later_form_is_a_channel_name_too() -> None:
    wxp = offered(destination("SALES.QM2"), destination("SALES.QM3"), data="SALES.QM3")
    assert choice(wxp) == 2


@pytest.mark.parametrize("state", BAD.values(), ids=BAD)
def test_a_channel_in_a_bad_state_is_not_taken(state: int) -> None:
    assert choice(offered(TWO[0], destination("TO.QM3", state))) == 1


@pytest.mark.parametrize("state", GOOD.values(), ids=GOOD)
def test_a_channel_in_a_good_state_is(state: int) -> None:
    assert choice(offered(TWO[0], destination("TO.QM3", state))) == 2


def test_a_queue_manager_that_is_not_available_is_not_taken() -> None:
    assert choice(offered(TWO[0], destination("TO.QM3", flags=0x10))) == 1


def test_a_put_disabled_queue_is_not_taken() -> None:
    assert choice(offered(*TWO, inhibited=(2,))) == 1


def test_where_a_queue_manager_is_chosen_there_is_no_queue_to_look_at() -> None:
    wxp = offered(*TWO)
    wxp.QArray = None
    assert choice(wxp) == 2


def test_of_several_by_that_channel_the_first_that_can_be_reached_is_taken() -> None:
    twice = (destination("TO.QM3", BAD["RETRYING"]), destination("TO.QM3"), destination("TO.QM3"))
    assert choice(offered(TWO[0], *twice)) == 3


def test_without_any_destination_nothing_happens() -> None:
    prefer_channel(MQWXP(ExitReason="INIT"))


def test_in_a_cluster_it_reacts_to_a_failing_channel() -> None:
    assert took(asked(prefer_channel)) == "QM3"
    assert took(asked(prefer_channel, {"channels": {"QM3": {"status": "RETRYING"}}})) == "QM2"


@pytest.mark.parametrize(
    ("message", "number"),
    [(b"QM3: two of each", 2), (b"QM2:", 1), (b"QM3", 1), (b"QM9: two", 1), (b"", 1), (b": QM3", 1), (b"\xff\xfe:", 1)],
)
def test_a_message_is_sent_where_it_says(message: bytes, number: int) -> None:
    wxp = offered(*TWO)
    wxp.MsgBuffer = message
    by_content(wxp)
    assert wxp.DestinationChosen == number


def test_but_not_to_a_queue_manager_that_cannot_be_reached() -> None:
    wxp = offered(TWO[0], destination("TO.QM3", BAD["STOPPED"]))
    wxp.MsgBuffer = b"QM3: two of each"
    by_content(wxp)
    assert wxp.DestinationChosen == 1


@pytest.fixture
def dumps(tmp_path: Path) -> list[str]:
    """Four dumps of a real cluster; at QM4 the sample exit is to send everything by C_QM6."""
    folder = os.environ.get("MQCLAUSE_SAMPLES")
    if not folder:
        pytest.skip("MQCLAUSE_SAMPLES names no folder of samples")
    found = []
    for path in sorted(Path(folder).glob("borland6*/QM*.txt")):
        text = (
            path.read_text()
            .replace("CLWLEXIT(' ')", f"CLWLEXIT('{NAME}')")
            .replace("CLWLDATA(' ')", "CLWLDATA('C_QM6')")
        )
        (tmp_path / path.name).write_text(text)
        found.append(str(tmp_path / path.name))
    return found


@pytest.mark.parametrize(("status", "taken"), [("RUNNING", "QM6"), ("RETRYING", "QM5")])
def test_in_a_real_cluster(dumps: list[str], status: ChannelState, taken: str) -> None:
    cluster = read_files(dumps, local="QM4").cluster
    channels = [evolve(each, status=status if each.name == "C_QM6" else "RUNNING") for each in cluster.channels]
    with Engine(exits={NAME: prefer_channel}) as engine:
        decision = engine.choose(Put(queue="CQ1", call="MQPUT1"), evolve(cluster, channels=channels), explain="rule")
    assert (took(decision), told(decision)["own_choice"]["queue_manager"]) == (taken, "QM5")
