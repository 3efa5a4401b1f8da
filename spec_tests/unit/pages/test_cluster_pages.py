"""The page of a map: queues whose puts go alike, with states by colour and shape; a drawing, and a flowchart."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("fast_sugiyama")

from mqclause import ChannelState, Engine, Put, cluster_map, read, text
from mqclause.exits import MQWXP
from mqclause.pages import diagram
from mqclause.pages.cluster import ClusterView, count_names, render_drawing, render_mermaid, view_map
from mqclause.pages.decision import view_decision
from mqclause.pages.diagram import SHAPES, Diagram, Edge, Node, draw_diagrams
from mqclause.pages.page import read_templates, render_page
from spec_tests.support.explain_command import bad, facts, run
from spec_tests.support.html_page import Page, find_page_faults
from spec_tests.support.shown import QM1, QM2, SCRIPTS

HOSTILE = '"]\nclick a "javascript:alert(1)"\n<script>alert(1)</script>\u202e'


def view(status: ChannelState = "RUNNING", at: str | None = None, suspended: bool = False) -> ClusterView:
    """The cluster with both channels of these states; as ``at`` sees it, or all of them."""
    members = read(*(text(said, name=name) for name, said in SCRIPTS.items()), at=at)
    for channel in ("TO.QM2", "TO.QM3"):
        members = members.with_status(channel, status if channel == "TO.QM2" else "RUNNING")
    return view_map(cluster_map(members.suspend("QM3") if suspended else members))


def test_queues_whose_puts_go_alike_are_shown_once() -> None:
    """B fails from everywhere and comes first; A1 and A2 are halved from QM1, local to both hosts, as CLWLUSEQ says."""
    told = view()
    assert [(each.names, each.state) for each in told.bands] == [
        (("B",), "failed"), (("A1", "A2"), "ok"), (("C",), "ok"),
    ]  # fmt: skip
    lines = [(each.senders, each.destination, each.share) for each in told.bands[1].lines if each.share != "0 %"]
    assert lines == [
        ("QM1", "QM2", "50 %"), ("QM1", "QM3", "50 %"), ("QM2", "QM2 (local)", "100 %"), ("QM3", "QM3 (local)", "100 %"),
    ]  # fmt: skip
    assert dict(told.matrix) == {"QM1": (2, 3), "QM2": (2, 1), "QM3": (0, 3)}
    assert [(each.name, each.hosts, each.failing) for each in told.members] == [
        ("QM1", 0, ("B",)), ("QM2", 3, ("B",)), ("QM3", 3, ("B",)),
    ]  # fmt: skip


def test_states_and_suspension_have_a_shape_and_a_word() -> None:
    """QM2's channel retries: QM3 gets all of it. QM3 is suspended as well: at 5 QM2 is preferred, whatever its state."""
    by_host = {each.destination: each for each in view("RETRYING", "QM1").bands[1].lines}
    assert (by_host["QM2"].state, by_host["QM2"].said, by_host["QM2"].clause) == ("waiting", "RETRYING", "6")
    assert by_host["QM3"].share == "100 %"
    told = view("RETRYING", "QM1", suspended=True)
    suspended = {each.destination: each for each in told.bands[1].lines}
    assert (suspended["QM3"].state, suspended["QM3"].clause) == ("suspended", "5")
    assert {"waiting": "triangle", "suspended": "diamond"}.items() <= told.legend.items()
    assert next(each for each in told.members if each.name == "QM3").suspended == ("S",)


def test_who_gets_nothing_stands_there_with_why() -> None:
    """QM2's A1 has the higher priority: at 11b QM3 falls, also for puts that are made at QM3, where any may be used."""
    members = read(*(text(said, name=name) for name, said in SCRIPTS.items()))
    changed = members.set(
        "QLOCAL(A1) QMGR(QM2) CLWLPRTY(3)", *(f"QMGR({name}) CLWLUSEQ(ANY)" for name in ("QM2", "QM3"))
    )
    band = next(each for each in view_map(cluster_map(changed)).bands if each.names == ("A1",))
    assert "gets nothing: QM3" in band.told
    assert band.drawing is not None
    nodes = {each.node.lines[0]: each.node for each in band.drawing.nodes}
    assert (nodes["QM3"].state, nodes["QM3"].lines[-1]) == ("idle", "queue priority 0 is below 3")
    assert [each.edge.label for each in band.drawing.edges] == ["100 %", "100 % local"]


def test_uneven_shares_have_their_cause() -> None:
    """Weights 99 and 1: QM3 gets a hundredth of what QM1 puts, under a tenth of an even half; 12 has balanced."""
    members = read(*(text(said, name=name) for name, said in SCRIPTS.items()))
    weighed = members.set("CHANNEL(TO.QM2) QMGR(QM2) CLWLWGHT(99)", "CHANNEL(TO.QM3) QMGR(QM3) CLWLWGHT(1)")
    told = view_map(cluster_map(weighed))
    band = next(each for each in told.bands if each.names == ("A1", "A2"))
    labels = {each.edge.label for each in band.drawing.edges} if band.drawing else set()
    assert labels == {"99 % weight 99", "1 % weight 1", "100 % local"}
    assert any("QM3 1 % of A1 from QM1 (weight 1)" in each for each in told.summary)
    assert {"workload.12c", "workload.12d"} <= told.rules.keys()
    even = view()
    assert not [each for each in even.summary if "even share" in each]
    assert "workload.12d" not in even.rules


def test_the_overview_shows_what_fails_and_whom_nobody_knows() -> None:
    """B fails from everywhere; with files alone nobody tells how the channels of QM1 to QM2 and QM3 are."""
    told = view_map(cluster_map(read(*(text(said, name=name) for name, said in SCRIPTS.items()))))
    assert told.overview is not None
    failing = [each.edge for each in told.overview.edges if each.edge.state == "failed"]
    assert {each.label for each in failing} == {"1 queue fails"}
    nodes = {each.node.lines[0]: each.node for each in told.overview.nodes}
    assert (nodes["from QM1"].state, nodes["QM3"].state) == ("failed", "unknown")
    assert next((each.state, each.said, each.said_failing) for each in told.members) == (
        "failed", "puts fail", "1 queue: B",
    )  # fmt: skip
    band = next(each for each in told.bands if each.names == ("A1", "A2"))
    shown = [each.node for each in band.drawing.nodes if each.node.lines[0] == "QM2"] if band.drawing else []
    assert [(each.state, each.lines) for each in shown] == [("unknown", ("QM2", "TO.QM2", "status not known"))]
    assert ("TO.QM2", "at QM1") in {(each.what, each.where) for each in told.unknown}


def test_a_host_tells_from_whom_it_gets_nothing() -> None:
    """QM3 is suspended: QM1 sends it nothing, and its own puts stay, as its CLWLUSEQ says."""
    told = view(suspended=True)
    band = next(each for each in told.bands if each.names == ("A1", "A2"))
    nodes = {each.node.lines[0]: each.node for each in band.drawing.nodes} if band.drawing else {}
    assert nodes["QM3"].idle_lines == ("nothing from QM1: suspended",)
    assert nodes["QM2"].idle_lines == ()
    assert "idle" in told.legend


def test_each_state_has_a_shape_of_its_own_and_a_word() -> None:
    """No two states share a shape; each shape is drawn, and each state is named in the legend."""
    assert len(set(SHAPES.values())) == len(SHAPES)
    texts = read_templates("mqclause.pages")
    assert not [each for each in SHAPES.values() if f'kind == "{each}"' not in texts["pictures.html"]]
    assert not [each for each in SHAPES if f'"{each}": "' not in texts["diagram.html"]]


def test_no_two_marks_of_a_page_are_alike_and_the_legend_has_them() -> None:
    told = view()
    assert len(set(told.legend.values())) == len(told.legend)
    assert {"ok", "disabled", "failed"} <= told.legend.keys()
    marked = {each for band in told.bands for each in (band.state, *(line.state for line in band.lines if line.said))}
    assert marked <= told.legend.keys()


def test_what_others_alone_know_is_dashed() -> None:
    """QM1's facts name QM2 and QM3; the scripts describe all three, whoever is asked."""
    told = view_map(cluster_map(read(facts())))
    assert {each.name: each.is_described for each in told.members} == {"QM1": True, "QM2": False, "QM3": False}
    raw = render_page(told)
    dashed = [each for _, drawing in told.drawings for each in drawing.nodes if not each.node.is_described]
    assert raw.count('mq-undescribed" transform') == len(dashed) == 2
    assert all(each.is_described for each in view(at="QM1").members)


DEPOT = {
    "QM4.mqsc": "DEFINE CHANNEL(TO.QM4) CHLTYPE(CLUSRCVR) CLUSTER(D) CONNAME('h4')\nDEFINE QLOCAL(STOCK) CLUSTER(D)",
    "QM5.mqsc": "DEFINE CHANNEL(TO.QM5) CHLTYPE(CLUSRCVR) CLUSTER(D) CONNAME('h5')\n"
    "DEFINE QALIAS(SHELF) TARGET(STOCK) CLUSTER(D)",
}  # fmt: skip


def _view_with_exit() -> ClusterView:
    """Nobody gives the exit that QM5 names: what it makes of the choice of each put there is not known."""
    said = f"ALTER QMGR CLWLEXIT(OWN)\n{DEPOT['QM5.mqsc']}"
    texts = (text(DEPOT["QM4.mqsc"], queue_manager="QM4"), text(said, name="QM5.mqsc", queue_manager="QM5"))
    return view_map(cluster_map(read(*texts)))


def test_a_host_has_its_own_queues_and_a_remark_its_queue_managers() -> None:
    """SHELF at QM5 leads to STOCK, which QM4 alone hosts; of a message that QM4 binds to QM5 there is more to say.

    Puts to BOTH stay where they are made, so that nobody asks how the channels are.
    """
    told = view_map(cluster_map(read(*(text(said, name=name, queue_manager=name[:3]) for name, said in DEPOT.items()))))
    assert {each.name: each.hosts for each in told.members} == {"QM4": 1, "QM5": 1}
    shared = read(
        *(text(f"{said}\nDEFINE QLOCAL(BOTH) CLUSTER(D)", queue_manager=name[:3]) for name, said in DEPOT.items())
    )
    both = next(each for each in view_map(cluster_map(shared)).bands if each.names == ("BOTH",))
    assert (both.state, both.told) == ("ok", "")
    shelf = next(each for each in told.bands if each.names == ("SHELF",))
    assert [each.partition(":")[0] for each in shelf.remarks] == ["from QM4"]
    [missing] = [each for each in _view_with_exit().unknown if "CLWLEXIT(OWN)" in each.what]
    assert missing.what.startswith("from QM5: no exit is given")
    assert [count_names(*each) for each in ((2, 0), (3, 1), (1, 1))] == ["2 queues", "2 queues, 1 alias", "1 alias"]


def take_second(call: MQWXP) -> None:
    call.DestinationChosen = 2


def test_with_an_exit_nothing_rests_on_what_it_does_not_look_at() -> None:
    """The exit of QM1 takes QM3, however the channels are; the own choice is QM2, which is listed first."""
    members = read(*(text(said, name=name) for name, said in SCRIPTS.items())).set("QMGR(QM1) CLWLEXIT(OWN)")
    with Engine(exits={"OWN": take_second}) as engine:
        rows = [each for each in cluster_map(members, engine) if (each.name, each.member) == ("A1", "QM1")]
        told = view_map(rows[0], engine)
        made = engine.choose(Put(queue="A1"), members.at("QM1").cluster, explain="rule")
    assert told.unknown == ()
    assert [(each.destination, each.share) for each in told.bands[0].lines if each.part] == [("QM3", "100 %")]
    said = "called with CLWL_PUT and 2 destinations; own choice: A1 at QM2 by TO.QM2; "
    assert view_decision(made).exit.startswith(said)
    assert view_decision(made).exit.endswith(": A1 at QM3 by TO.QM3")


def test_a_page_has_pictures_that_are_told_in_tables() -> None:
    raw = render_page(view())
    assert find_page_faults(raw) == []
    page = Page(raw)
    titles = re.findall(r'<svg class="mq-drawing" role="img" aria-labelledby="(\S+) (\S+)"', raw)
    assert len(titles) == 4
    assert {each for pair in titles for each in pair} <= set(page.ids)
    for said in ("4 queues, seen from 3 queue managers", "QM3 (local)", "Puts fail: 1 queue"):
        assert said in page.text
    assert 'data-queue="A1\nA2" data-member="QM1\nQM2\nQM3"' in raw


def test_a_document_is_drawn_too() -> None:
    members = read(*(text(said, name=name) for name, said in SCRIPTS.items()))
    answer = cluster_map(members)
    document = json.loads(json.dumps(answer.to_json()))
    told = view_map(document)
    assert [each.names for each in told.bands] == [("B",), ("A1", "A2"), ("C",)]
    shown = type(answer).from_json(document)._repr_html_()
    assert '<svg class="mq-drawing"' in shown
    assert "<script" not in shown
    assert "seen from 3 queue managers" in answer._repr_html_()


def boxes(drawing: diagram.Drawing) -> list[tuple[float, float, float, float]]:
    return [(each.x, each.y, each.x + each.width, each.y + each.height) for each in drawing.nodes]


def meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def test_nodes_and_labels_stand_apart_within_the_drawing_and_edges_lead_to_the_right() -> None:
    nodes = tuple(Node((f"N{at}", "second line")) for at in range(7))
    edges = tuple(Edge(at, to, "50 %", 0.5) for at, to in ((0, 3), (0, 4), (1, 4), (1, 5), (2, 6)))
    drawing, empty = draw_diagrams([Diagram("t", "d", nodes, edges), Diagram("e", "", (), ())])
    found = boxes(drawing)
    assert len(found) == 7
    assert all(box[0] >= 0 and box[1] >= 0 and box[2] <= drawing.width and box[3] <= drawing.height for box in found)
    assert all(found[each.source][2] < found[each.target][0] for each in edges)
    assert [round(each.stroke, 2) for each in drawing.edges] == [3.25] * 5
    labels = [(x, y, x + width, y + height) for x, y, width, height in (each.label for each in drawing.edges)]
    everything = [*found, *labels]
    assert not [1 for at, one in enumerate(everything) for other in everything[at + 1 :] if meet(one, other)]
    assert empty.nodes == ()


def test_no_label_hides_the_line_of_another_edge() -> None:
    """A sender to three hosts, each of which has its own puts, too: two lines end at each host."""
    nodes = tuple(Node((f"N{at}", "second line", "third line")) for at in range(7))
    pairs = ((0, 4), (1, 4), (1, 5), (1, 6), (2, 5), (3, 6))
    (drawing,) = draw_diagrams([Diagram("t", "d", nodes, tuple(Edge(*each, "100 % local") for each in pairs))])
    for each in drawing.edges:
        x, y, width, height = each.label
        for other in drawing.edges:
            ends = diagram._find_ends(other.edge, dict(enumerate(drawing.nodes)))
            points = [diagram._walk(*ends, at / 50) for at in range(51)]
            assert other is each or not [1 for a, b in points if x < a < x + width and y < b < y + height]


def test_a_dot_of_the_working_directory_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One on the PATH is run; where it lays out nothing of use, another layout takes its place."""
    dot = tmp_path / "bin" / "dot"
    dot.parent.mkdir()
    dot.write_text("#!/bin/sh\necho ran > ran\necho graph 1 1 1\n")
    dot.chmod(0o755)
    monkeypatch.chdir(dot.parent)
    drawn = Diagram("t", "d", (Node(("A",)), Node(("B",))), (Edge(0, 1, "x"),))
    for path, runs in ((".", False), (str(dot.parent), True)):
        monkeypatch.setenv("PATH", f"{path}{os.pathsep}/bin")
        diagram._find_dot.cache_clear()
        assert len(draw_diagrams([drawn])[0].nodes) == 2
        assert (dot.parent / "ran").exists() == runs
    diagram._find_dot.cache_clear()


PLAIN = """graph 1 3 2.5
node n0 0.5 1.25 1 0.5 n0 solid box black lightgrey
node n1 2.5 2.25 1 0.5 n1 solid box black lightgrey
node n2 2.5 0.25 1 0.5 n2 solid box black lightgrey
edge n0 n1 4 1 1 1 1 1 1 1 1 solid black
edge n0 n2 4 1 1 1 1 1 1 1 1 solid black
stop
"""


def test_what_dot_writes_is_read() -> None:
    """As its manual has it: x and y of the middle of each node, in inches, a graph after the other."""
    found = list(diagram._read_plain(PLAIN * 2))
    assert found == [{0: (0.0, 1.25), 1: (1.0, 2.25), 2: (1.0, 0.25)}] * 2


def test_a_drawing_stands_alone(tmp_path: Path) -> None:
    for name, script in SCRIPTS.items():
        (tmp_path / name).write_text(script)
    out = tmp_path / "out.svg"
    for _ in range(2):
        assert run("map", *(str(tmp_path / name) for name in SCRIPTS), "--svg", str(out)).returncode == 0
    root = ElementTree.fromstring(out.read_text())
    texts = [each.text or "" for each in root.iter() if each.tag.endswith("text")]
    assert {"All queues", "A1, A2", "from QM1", "50 %", "QM3", "rests on what is not known:"} <= set(texts)
    assert not [each for each in root.iter() if "href" in " ".join(each.attrib) or each.tag.endswith("script")]
    said = bad("map", str(tmp_path / "QM1.mqsc"), "--svg", str(tmp_path / "QM1.mqsc"))
    assert said[0].endswith("is there and is not a drawing of mqclause; allowed: another name")


def test_a_flowchart_for_markdown(tmp_path: Path) -> None:
    for name, script in SCRIPTS.items():
        (tmp_path / name).write_text(script)
    files = [str(tmp_path / name) for name in SCRIPTS]
    done = run("map", *files, "--mermaid", "--queue", "A1")
    assert (done.returncode, done.stdout.splitlines()[:4]) == (
        0, ["flowchart LR", '  subgraph b0["A1"]', "    direction LR", '    b0n0["from QM1"]'],
    )  # fmt: skip
    assert '    b0n0 -. "50 %" .-> b0n3' in done.stdout.splitlines()
    assert '    b0n3["QM2<br/>TO.QM2<br/>status not known"]' in done.stdout.splitlines()
    assert "rests on what is not known:<br/>TO.QM2: DISPLAY CHSTATUS(TO.QM2) at QM1" in done.stdout
    nothing = run("map", files[0], "--mermaid").stdout
    assert '  rests["no queue is known in a cluster"]' in nothing.splitlines()
    assert "leave one out" in bad("map", *files, "--mermaid", "--json")[0]


def test_hostile_names_stay_names() -> None:
    share = {"queue": HOSTILE, "queue_manager": HOSTILE, "channel": HOSTILE, "share": 1.0}
    row = {"queue": HOSTILE, "from": HOSTILE, "outcome": "chosen", "reason": None, "shares": [share]}
    told = view_map({"format": "mqclause.map/1", "rows": [{**row, "remarks": [HOSTILE]}]})
    chart = render_mermaid(told)
    assert not set(chart.replace("<br/>", "")) & {"\u202e", "<", "'"}
    assert chart.count("\n") == 11
    assert "click" not in [line.split()[0] for line in chart.splitlines()]
    drawn = render_drawing(told)
    root = ElementTree.fromstring(drawn)
    assert not [each for each in root.iter() if each.tag.endswith("script")]
    for raw in (render_page(told), drawn):
        assert "<script>alert" not in raw
        assert "\u202e" not in raw
    assert find_page_faults(render_page(told)) == []


def test_without_a_layout_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fast_sugiyama", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    for cached in (diagram._load_layout, diagram._find_dot):
        cached.cache_clear()
    (tmp_path / "QM1.mqsc").write_text(QM1)
    try:
        for option in ("--html", "--svg"):
            assert bad("map", str(tmp_path / "QM1.mqsc"), option, str(tmp_path / "out")) == [
                "a diagram needs Graphviz (dot on the PATH) or fast-sugiyama: pip install 'mqclause[html]'"
            ]
        members = read(text(QM1, name="1"), text(QM2, name="2"))
        assert "<td>QM2</td>" in cluster_map(members)._repr_html_()
    finally:
        for cached in (diagram._load_layout, diagram._find_dot):
            cached.cache_clear()


@pytest.mark.deep
def test_a_large_cluster_is_drawn_in_time() -> None:
    """20 members and 200 queues, each at three hosts and in 40 patterns: under 5 s of one processor, beside the map."""
    scripts = {}
    for at in range(1, 21):
        lines = [f"* Queue manager name: QM{at}", f"DEFINE CHANNEL(TO.QM{at}) CHLTYPE(CLUSRCVR) CLUSTER(S)"]
        lines += [
            f"DEFINE QLOCAL(Q{queue}) CLUSTER(S) DEFBIND(NOTFIXED)"
            for queue in range(200)
            if at - 1 in {queue % 40 % 20, (3 * queue + 1) % 20, (queue % 40 // 2 + 5) % 20}
        ]
        scripts[f"QM{at}"] = "\n".join(lines)
    rows = cluster_map(read(*(text(said, name=name) for name, said in scripts.items())))
    assert len(rows) == 4_000
    before = time.process_time()
    told = view_map(rows)
    raw = render_page(told)
    assert time.process_time() - before < 5
    assert sum(len(each.names) for each in told.bands) == 200
    assert len(told.bands) <= 40
    assert find_page_faults(raw) == []
