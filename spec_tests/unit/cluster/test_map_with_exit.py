"""``map`` and ``plan`` with a cluster workload exit that is given: what it takes of the first puts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spec_tests.support.exit_scene import facts
from spec_tests.support.explain_command import run, written

TAKES_TURNS = """
def takes_turns(wxp):
    count = wxp.ExitUserArea[0]
    wxp.ExitUserArea = bytes([(count + 1) % 3]) + bytes(15)
    if count == 2:
        wxp.ExitResponse = "SUPPRESS_FUNCTION"
    wxp.DestinationChosen = (1, 3, 1)[count]
"""
GIVEN = ("--exit", "myexit=takes_turns:takes_turns")
TOLD = "an exit takes part: shares are what it took of the first 60 puts, of which 20 fail"


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The exit takes QM2, then QM4, then stops the call with 2188, and so on; QM4 waits for its channel."""
    (tmp_path / "takes_turns.py").write_text(TAKES_TURNS)
    monkeypatch.chdir(tmp_path)
    return written(tmp_path, facts(channels={"QM4": {"status": "STOPPED"}}))


def test_shares_are_what_it_took_of_the_first_puts(scene: str) -> None:
    (row,) = json.loads(run("map", scene, *GIVEN, "--json").stdout)["rows"]
    # Of 60 puts 20 each.
    assert {each["queue_manager"]: each["share"] for each in row["shares"]} == {
        name: pytest.approx(1 / 3) for name in ("QM2", "QM4")
    }
    opens = "DEFBIND(OPEN): each open chooses once, so the shares are of opens, not of puts"
    waits = "the message waits on the transmission queue: TO.QM4 to QM4 is STOPPED"
    assert (row["outcome"], row["remarks"], row["incomplete"]) == ("chosen", [TOLD, waits, opens], [])
    assert f"Q from QM1: {TOLD}" in run("map", scene, *GIVEN).stdout.splitlines()


ONCE = """
def once(wxp):
    wxp.ExitResponse = "SUPPRESS_FUNCTION" if wxp.QName == "R" else "SUPPRESS_EXIT"
"""


def test_each_row_is_of_a_queue_manager_that_has_just_been_started(scene: str) -> None:
    """That the exit does not want to be called again after a put to Q says nothing of the puts to R."""
    Path("once.py").write_text(ONCE)
    read = json.loads(Path(scene).read_text())
    read["queue"] += [{**each, "name": "R"} for each in read["queue"]]
    Path(scene).write_text(json.dumps(read))
    of_q, of_r = json.loads(run("map", scene, "--exit", "myexit=once:once", "--json").stdout)["rows"]
    assert (of_q["outcome"], of_r["outcome"], of_r["reason"]["code"]) == ("chosen", "failed", 2188)
    assert of_r["remarks"] == ["an exit takes part: it was asked about the first put"]


def test_a_plan_brings_an_exit_in(scene: str) -> None:
    """Without it QM2 and QM3 take half each (clause 6): a third of the puts stays at QM2, and of 1/2 at QM3 none."""
    Path(scene).write_text(Path(scene).read_text().replace('"clwlexit": "myexit"', '"clwlexit": ""'))
    change = ("--set", "QMGR(QM1) CLWLEXIT('myexit')", *GIVEN)
    done = run("plan", scene, *change, "--json")
    (row,) = json.loads(done.stdout)["rows"]
    # |1/2 - 1/3| at QM2, 1/2 at QM3, 1/3 at QM4; half of that sum.
    assert (done.returncode, row["moved"]) == (3, pytest.approx(1 / 2))
    assert {each["remark"] for each in json.loads(done.stdout)["remarks"]} >= {TOLD}
    assert (
        run("plan", scene, *GIVEN, "--suspend", "QM3").stderr
        == "remark: the exit 'myexit' is not called: CLWLEXIT is blank\n"
    )
