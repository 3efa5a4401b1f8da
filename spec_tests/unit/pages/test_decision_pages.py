"""The page of a decision: a grid of destinations and steps, which shows hostile text and does not obey it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")

from mqclause import Explanation, Rules
from mqclause.model.configuration.members import read_files
from mqclause.model.facts.objects import Put
from mqclause.pages.decision import Cell, DecisionView, view_decision
from mqclause.pages.page import render_page, render_part
from mqclause.workload.decision import Engine
from spec_tests.support.explain_command import bad, facts, run, written
from spec_tests.support.html_page import Page, find_page_faults
from spec_tests.support.shown import HOSTILE, spoil


def explain(**tables: Any) -> Explanation:
    snapshot = read_files([facts(**tables)])
    return Explanation.of(Engine().choose(Put("Q"), snapshot.cluster, explain="rule"), snapshot)


def rows(view: DecisionView) -> list[tuple[str, str, list[str]]]:
    return [(each.name, each.answer, [cell.fate for cell in each.cells]) for each in view.rows]


def route(name: str, **attributes: Any) -> dict[str, Any]:
    return {"name": f"TO.{name}", "queue_manager": name, "cluster": "S", **attributes}


def test_destinations_are_rows_and_the_steps_that_tell_them_apart_columns() -> None:
    """QM4 falls by its rank at 4a; both others retry: set aside at 6, taken back at 8. At 12 nobody falls."""
    queues = [{"name": "Q", "queue_manager": f"QM{at}", "clusters": ["S"]} for at in (2, 3, 4)]
    states = [route("QM2", clwlrank=2, status="RETRYING"), route("QM3", clwlrank=2, status="RETRYING"), route("QM4")]
    others = [{"name": f"QM{at}", "clusters": ["S"]} for at in (2, 3, 4)]
    view = view_decision(explain(queue=queues, channel=states, remote_queue_manager=others))
    assert [each.clause for each in view.columns] == ["4a", "6", "8"]
    assert rows(view) == [
        ("Q at QM2 by TO.QM2", "chosen", ["in", "aside", "back"]),
        ("Q at QM3 by TO.QM3", "as good", ["in", "aside", "back"]),
        ("Q at QM4 by TO.QM4", "falls", ["falls", "gone", "gone"]),
    ]
    assert view.rows[2].cells[0] == Cell("falls", "channel rank 0 is below 2")
    assert [each.remaining for each in view.columns] == [2, 0, 2]
    assert {rule for rule, _, _ in view.idle} & {each.rule for each in view.columns} == set()


def test_a_document_gives_the_grid_that_its_answer_gives() -> None:
    told = explain()
    live, recorded = view_decision(told), view_decision(json.loads(json.dumps(told.to_json())))
    same = ("columns", "rows", "idle", "unknown", "assumptions", "remarks", "edition", "elsewhere", "outcome", "rules")
    assert [getattr(live, name) for name in same] == [getattr(recorded, name) for name in same]
    assert "QM2 by TO.QM2" in recorded.verdict


def test_a_page_stands_alone_and_leads_to_the_rules() -> None:
    raw = render_page(view_decision(explain()))
    assert find_page_faults(raw) == []
    page = Page(raw)
    assert "#rule-workload.04a" in page.links
    for said in (
        "goes to Q at QM2 by TO.QM2", "channel rank 3 is below 7", Rules().toml("workload/04a_channel_rank.toml")["title"],
        "rules/workload/04a_channel_rank.toml",
    ):  # fmt: skip
        assert said in page.text


def test_a_put_that_fails_says_so_first() -> None:
    queues = [{"name": "Q", "queue_manager": "QM2", "clusters": ["S"], "put": "DISABLED"}]
    view = view_decision(explain(queue=queues))
    assert view.outcome == "failed"
    assert "MQRC_CLUSTER_PUT_INHIBITED (2268)" in view.verdict
    assert [(name, fates[-1]) for name, _, fates in rows(view)] == [("Q at QM2 by TO.QM2", "falls")]


def hostile_document() -> dict[str, Any]:
    """A trace of which every text is hostile, keys and words of the contract apart."""
    document = explain().to_json() | {"remarks": ["r"], "assumptions": ["a"], "rules": {"folder": "f", "sha256": "0"}}
    document["incomplete"] = [{"what": "w", "object": "o", "command": "c"}]
    document["resolution"] = [
        {"object": "A", "type": "QALIAS", "to": "Q", "rule": "x.1", "clause": "1", "because": "b"}
    ]
    document["why_not"] = {
        "destinations": [{"destination": document["chosen"], "rule": HOSTILE, "clause": "6", "because": "b"}],
        "changes": [[{"queue_manager": "QM2", "command": "ALTER"}]],
    }
    kept = ("outcome", "call", "rule", "clause", "format", "ruleset", "edition", "evidence")
    return spoil(document, kept)  # type: ignore[no-any-return]


@pytest.mark.parametrize("render", [render_page, render_part])
def test_hostile_text_is_shown_and_not_obeyed(render: Any) -> None:
    raw = render(view_decision(hostile_document()))
    assert "<script>document" not in raw
    assert "\u202e" not in raw
    assert "49" not in raw
    page = Page(raw)
    assert page.odd == []
    assert not page.tags & {"img", "iframe"}
    assert '</title></style><script>document.title="run"</script>' in page.text
    assert render is render_part or find_page_faults(raw) == []


def test_the_command_writes_a_page_beside_what_it_prints(tmp_path: Path) -> None:
    given = ("explain", written(tmp_path, facts()))
    plain = run(*given)
    page = tmp_path / "page.html"
    for _ in range(2):  # a page of before is replaced
        done = run(*given, "--html", str(page), "--why-not", "QM3")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(plain.stdout)
    shown = Page(page.read_text()).text
    assert "ALTER CHANNEL" in shown
    assert "Each of these would have it permitted (sets of up to 2 commands)" in shown
    run(*given, "--html", str(page), "--why-not", "QM2")
    assert "QM2 is permitted" in Page(page.read_text()).text
    run(*given, "--html", str(page), "--why-not", "QM1")
    assert "QM1 hosts no instance of Q" in Page(page.read_text()).text


def test_what_is_no_page_is_not_replaced(tmp_path: Path) -> None:
    path = written(tmp_path, facts())
    before = Path(path).read_bytes()
    said = bad("explain", path, "--html", path)
    assert len(said) == 1
    assert said[0].endswith("is there and is not a page of mqclause; allowed: another name")
    assert Path(path).read_bytes() == before
    assert run("explain", path, "--html", str(tmp_path)).returncode == 4
    no_room = run("explain", path, "--html", "/dev/full")
    assert (no_room.returncode, no_room.stderr) == (4, "/dev/full: no space left on device\n")
    assert "leave out --csv, --brief" in bad("explain", "--lines", path, "--html", "p.html")[0]


def test_without_its_library_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    told = explain()
    assert 'class="mqclause"' in told._repr_html_()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for name in ("page", "notebook"):
        monkeypatch.delitem(sys.modules, f"mqclause.pages.{name}", raising=False)
    page = tmp_path / "p.html"
    assert bad("explain", written(tmp_path, facts()), "--html", str(page)) == [
        "--html needs Jinja2: pip install 'mqclause[html]'"
    ]
    assert not page.exists()
    assert told._repr_html_().startswith("<table><caption>goes to Q at QM2")
