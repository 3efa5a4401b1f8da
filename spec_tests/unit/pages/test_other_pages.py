"""The pages of a plan, of findings and of a replay: each shows what its answer says, and obeys nothing of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")

from mqclause import Engine, Replay, Rules, check_files, cluster_map, plan, read, read_scenario, text
from mqclause.pages.check import view_findings
from mqclause.pages.cluster import view_map
from mqclause.pages.diagram import can_draw
from mqclause.pages.page import render_page
from mqclause.pages.plan import view_plan
from mqclause.pages.replay import MOST_EVENTS, Recorder, ReplayView, view_replay
from spec_tests.support.explain_command import bad, run, written
from spec_tests.support.html_page import Page, find_page_faults
from spec_tests.support.shown import SCRIPTS, spoil

DRAWN = can_draw()


def check_spoilt(raw: str) -> None:
    assert find_page_faults(raw) == []
    assert "<script>document" not in raw
    assert "\u202e" not in raw
    assert '</title></style><script>document.title="run"</script>' in Page(raw).text


def change() -> Any:
    """QM2, which has half of the puts from QM1 to A1 and A2, leaves; B is no longer known then."""
    members = read(*(text(said, name=name) for name, said in SCRIPTS.items()))
    return plan(members, members.without("QM2"))


def test_what_moves_is_a_flow_from_what_was_to_what_is() -> None:
    told = view_plan(change(), draw=DRAWN)
    halves = next(each for each in told.moves if each.names == ("A1", "A2"))
    assert (halves.members, halves.moved, halves.state) == (("QM1",), 0.5, "moves")
    assert [(each.destination, each.before, each.after) for each in halves.lines] == [
        ("QM2 by TO.QM2", 0.5, 0.0), ("QM3 by TO.QM3", 0.5, 1.0),
    ]  # fmt: skip
    assert [(each.side, each.destination, each.rule) for each in halves.causes] == [("after", "QM2", "")]
    lost = next(each for each in told.moves if each.names == ("B",))
    assert (lost.state, lost.told) == ("failed", "from QM1, QM3: they fail otherwise")
    members = read(*(text(said, name=name) for name, said in SCRIPTS.items()))
    gone = view_plan(plan(members, members.without("QM3")), draw=False)
    assert [each.told for each in gone.moves if each.names == ("C",)] == ["from QM1, QM2: 100 % of the puts fail then"]
    if DRAWN:
        assert halves.drawing is not None
        labels = {each.edge.label: each.edge.state for each in halves.drawing.edges}
        assert labels == {"50 % moves": "moves", "50 % stays": "stays"}


def test_the_page_of_a_plan_is_that_of_its_document() -> None:
    answer = change()
    document = json.loads(json.dumps(answer.to_json()))
    assert view_plan(document, draw=DRAWN) == view_plan(answer, draw=DRAWN)
    raw = render_page(view_plan(answer, asked=["--without QM2"], draw=DRAWN))
    assert find_page_faults(raw) == []
    for said in ("--without QM2", "50 % of the puts move", "QM2 has no instance of A1", "findings are not compared"):
        assert said in Page(raw).text
    kept = ("outcome", "clause", "side", "severity", "format")
    check_spoilt(render_page(view_plan(spoil(document, kept), draw=DRAWN)))
    assert 'class="mq-band"' in type(answer).from_json(document)._repr_html_()


def test_a_member_whose_opens_bind_stands_apart_from_those_whose_puts_choose() -> None:
    """QM2 alone has DEFBIND(OPEN) at its own queue. Rank leaves that queue to both, which is put-enabled then."""
    scripts = [
        f"* Queue manager name: {name}\nDEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CLUSTER(PLANT) CONNAME('h')\n"
        f"DEFINE QLOCAL(PARTS) CLUSTER(PLANT) {attributes}\n"
        for name, attributes in (("QM1", "DEFBIND(NOTFIXED)"), ("QM2", "CLWLRANK(3) PUT(DISABLED)"))
    ]
    members = read(*(text(said, name=f"{at}.mqsc") for at, said in enumerate(scripts)))
    found = plan(members, members.set("QLOCAL(PARTS) QMGR(QM2) PUT(ENABLED)"), Engine(Rules(edition="mq-9.0")))
    moves = ["from QM1: 100 % of the puts move", "from QM2: 100 % of the opens move"]
    assert [each.told for each in view_plan(found, draw=False).moves] == moves
    assert [each for each in str(found).splitlines() if "100 %" in each] == [f"PARTS {each}" for each in moves]


def test_of_opens_and_of_what_is_not_known_a_plan_says_where() -> None:
    """A1 goes to QM3 alone then. Its opens are bound, at QM1; whether TO.QM3 runs is asked there, and nowhere twice."""
    members = read(*(text(said, name=name) for name, said in SCRIPTS.items()))
    members = members.set("QLOCAL(A1) QMGR(QM2) DEFBIND(OPEN)", "QLOCAL(A1) QMGR(QM3) DEFBIND(OPEN)")
    told = view_plan(plan(members, members.set("QLOCAL(A1) QMGR(QM3) CLWLPRTY(5)")), draw=False)
    assert [(each.names, each.told) for each in told.moves] == [(("A1",), "from QM1: 50 % of the opens move")]
    assert [each.partition(": ")[0] for each in told.remarks if "each open chooses once" in each] == ["A1 from QM1"]
    assert [(each.what, each.command, each.where) for each in told.unknown] == [
        (name, f"DISPLAY CHSTATUS({name})", "at QM1") for name in ("TO.QM2", "TO.QM3")
    ]
    rows = plan(members, members.set("QLOCAL(A1) QMGR(QM3) CLWLPRTY(5)"))
    assert view_plan(rows[0], draw=False).unknown == told.unknown
    held = view_plan(plan(members, members.with_status("TO.QM3", "STOPPED")), draw=False)
    assert "Puts to C wait then for a channel" in held.summary
    left = view_plan(plan(members, members), draw=False)
    assert left.summary == ("Nothing changes: every put goes where it went",)


@pytest.mark.skipif(not DRAWN, reason="nothing lays out diagrams")
def test_the_command_names_the_change(tmp_path: Path) -> None:
    for name, script in SCRIPTS.items():
        (tmp_path / name).write_text(script)
    files, page = [str(tmp_path / name) for name in SCRIPTS], tmp_path / "plan.html"
    odd = tmp_path / "notes.mqsc"
    odd.write_text("DEFINE QLOCAL(")
    change = ("--set", "QLOCAL(A1) QMGR(QM3) CLWLPRTY(5)", "--suspend", "QM3", "--upgrade", "QM1=mq-9.4")
    done = run("plan", *files, f"QM9={odd}", "--lenient", *change, "--html", str(page))
    assert (done.returncode, page.exists()) == (3, True)
    shown = Page(page.read_text()).text
    assert "--set 'QLOCAL(A1) QMGR(QM3) CLWLPRTY(5)' --suspend QM3" in shown
    assert "upgrade of QM1 from wmq-6, which is assumed, to mq-9.4" in shown
    assert "Findings that are new" in shown
    assert "warning or remark" in shown
    assert "notes.mqsc:1" in shown


def test_no_queue_manager_is_left_out_of_tables() -> None:
    """Of six that put the heading names three; the tables name all of them, before a change and after it."""
    said = "DEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(S)"
    scripts = [text(said.format(f"QM{at}"), name=f"{at}.mqsc", queue_manager=f"QM{at}") for at in range(1, 7)]
    members = read(*scripts, text(f"{said.format('QM7')}\nDEFINE QLOCAL(A) CLUSTER(S)", queue_manager="QM7"))
    changed = plan(members, members.set("QLOCAL(A) QMGR(QM7) PUT(DISABLED)"))
    every = ", ".join(f"QM{at}" for at in range(1, 7))
    assert every in Page(render_page(view_map(cluster_map(members), draw=False))).text
    assert every in Page(render_page(view_plan(changed, draw=False))).text


def test_findings_by_severity_with_their_places_and_checks(tmp_path: Path) -> None:
    odd = tmp_path / "<b>&odd.mqsc"
    odd.write_text(SCRIPTS["QM2.mqsc"])
    told = view_findings(check_files(str(odd)))
    assert [name for name, _ in told.groups] == sorted(
        {name for name, _ in told.groups}, key=["error", "warning", "note"].index
    )
    every = [each for _, of in told.groups for each in of]
    put_disabled = next(each for each in every if each.name == "B" and each.attribute == "put")
    assert put_disabled.place.endswith("<b>&odd.mqsc:6")
    assert {each.rule for each in every} == set(told.rules)
    page = tmp_path / "c.html"
    done = run("check", str(odd), "--html", str(page))
    assert (done.returncode, done.stderr) in ((0, ""), (1, ""))
    raw = page.read_text()
    assert find_page_faults(raw) == []
    assert "<b>&odd.mqsc:6" in Page(raw).text
    assert f"#rule-{put_disabled.rule}" in Page(raw).links
    document = check_files(str(odd)).to_json()
    assert view_findings(document) == told
    check_spoilt(render_page(view_findings(spoil(document, ("severity", "format")))))
    assert "--html" in bad("check", "--about", "all", "--html", str(page))[0]


SCENARIO: dict[str, Any] = {
    "queue_manager": {"name": "QM1", "clusters": ["S"]},
    "remote_queue_manager": [{"name": "QM2", "clusters": ["S"]}],
    "queue": [
        {"name": "WORK", "trigger": True, "trigtype": "FIRST", "initq": "START", "process": "P", "curdepth": 0},
        {"name": "START"},
        {"name": "FAR", "queue_manager": "QM2", "clusters": ["S"], "defbind": "NOTFIXED"},
    ],
    "process": [{"name": "P"}],
    "channel": [{"name": "TO.QM2", "queue_manager": "QM2", "cluster": "S", "status": "RUNNING"}],
    "in_flight": [{"id": "M1", "queue": "FAR", "channel": "TO.QM2", "bound": True}],
    "event": [
        {"do": "open", "queue": "START", "mode": "INPUT_SHARED", "by": "MONITOR"},
        {"do": "put", "queue": "WORK", "count": 3, "at": 10},
        {"do": "put", "queue": "FAR", "count": 2},
        {"do": "get", "queue": "WORK", "by": "APP", "count": 2},
        {"do": "fail", "queue_manager": "QM2"},
    ],
}  # fmt: skip


def watched(folder: Path) -> tuple[ReplayView, list[Any]]:
    scenario, recorder = read_scenario(written(folder, SCENARIO)), Recorder()
    rows = list(Replay().rows(scenario, watch=recorder.watch))
    return view_replay(recorder), rows


def test_a_timeline_has_depth_handles_trigger_messages_and_fates(tmp_path: Path) -> None:
    """The first of three messages triggers; two are got again, so one is left. M1 is bound: it waits."""
    told, rows = watched(tmp_path)
    assert [(each.number, each.count, each.at) for each in told.events] == [
        (0, 1, 0), (1, 3, 10), (2, 2, 10), (3, 2, 10), (4, 1, 10),
    ]  # fmt: skip
    assert [each.amounts for each in told.events] == [
        {"START": (0, 1)}, {"START": (1, 1), "WORK": (3, 0)}, {}, {"WORK": (1, 0)}, {},
    ]  # fmt: skip
    assert told.routed == (("FAR at QM2 by TO.QM2", 2, "100 %"),)
    assert told.drawing is not None
    lanes = {each.name: each for each in told.drawing.lanes}
    assert set(lanes) == {"WORK", "START"}
    assert [(each.state, each.said) for each in lanes["WORK"].marks] == [("ok", "event 1: trigger message")]
    assert [text for *_, text in lanes["WORK"].labels] == ["0", "3", "1"]
    assert lanes["START"].handles
    assert [(each.state, each.said) for each in told.drawing.fates] == [("waiting", "event 4: 1 message")]
    assert any(said.startswith("M1 waits") for said, _ in told.events[4].lines)
    recorded = view_replay([json.loads(json.dumps(each.to_json())) for each in rows])
    assert [each.count for each in recorded.events] == [1, 3, 2, 2, 1]
    assert recorded.routed == told.routed


def test_an_event_leads_to_the_rules_that_stand_in_the_way(tmp_path: Path) -> None:
    """Nobody waits on START: 8 fails. So does what 11 asks of a queue with messages, which the first one does not need."""
    alone = {**SCENARIO, "event": SCENARIO["event"][1:2]}
    recorder = Recorder()
    [*_] = Replay().rows(read_scenario(written(tmp_path, alone)), watch=recorder.watch)
    assert [[*each.rules] for each in view_replay(recorder).events] == [["trigger.08"]]


def test_the_command_writes_what_happened(tmp_path: Path) -> None:
    path, page = written(tmp_path, SCENARIO), tmp_path / "r.html"
    plain = run("replay", path, "--json")
    done = run("replay", path, "--json", "--html", str(page))
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    raw = page.read_text()
    assert find_page_faults(raw) == []
    assert "put WORK at 10 ms 3 times" in Page(raw).text
    assert "leave out --csv and --html" in bad("replay", "--lines", path, "--html", str(page))[0]
    documents = [json.loads(line) for line in plain.stdout.splitlines()]
    check_spoilt(render_page(view_replay(spoil(documents, ("fate", "clause", "do")))))


def test_of_very_many_events_the_first_are_shown_and_the_others_counted() -> None:
    row: dict[str, Any] = {
        "do": "put",
        "routed": None,
        "trigger_messages": [],
        "released": [],
        "conditions": [],
        "changed": [],
    }
    told = view_replay({**row, "event": at} for at in range(MOST_EVENTS + 3))
    assert (len(told.events), told.more) == (MOST_EVENTS, 3)
