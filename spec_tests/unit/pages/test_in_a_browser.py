"""Pages as a browser shows them: nothing hostile runs, nothing is said on the console, nothing is wider than a phone."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("fast_sugiyama")

from mqclause import cluster_map, plan, read, text
from mqclause.pages.cluster import view_map
from mqclause.pages.decision import view_decision
from mqclause.pages.page import View, render_page
from mqclause.pages.plan import view_plan
from spec_tests.support.shown import HOSTILE, SCRIPTS, spoil
from spec_tests.unit.pages.test_decision_pages import hostile_document
from spec_tests.unit.pages.test_other_pages import watched

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PHONE = 360

pytestmark = [pytest.mark.deep, pytest.mark.skipif(BROWSER is None, reason="no browser is installed")]


def show(page: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """The document after it was loaded, and what the console said."""
    given = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    given += ["--enable-logging=stderr", "--virtual-time-budget=3000", "--dump-dom"]
    return subprocess.run(
        [str(BROWSER), *given, page.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )


def views(folder: Path) -> dict[str, Callable[[], View]]:
    members = read(*(text(said, name=name) for name, said in SCRIPTS.items()))
    kept = ("outcome", "clause", "side", "severity", "format")
    moved = plan(members, members.without("QM2")).to_json()
    mapped = cluster_map(members).to_json()
    return {
        "decision": lambda: view_decision(hostile_document()),
        "map": lambda: view_map(spoil(mapped, kept)),
        "plan": lambda: view_plan(spoil(moved, kept)),
        "replay": lambda: watched(folder)[0],
    }


def test_what_runs_and_what_is_said_would_be_found(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<title>quiet</title><script>document.title = 'run'; console.error('said')</script>")
    shown = show(page, tmp_path)
    assert "<title>run</title>" in shown.stdout
    assert "CONSOLE" in shown.stderr


@pytest.mark.parametrize("kind", ["decision", "map", "plan", "replay"])
def test_nothing_hostile_runs_and_a_phone_shows_it_without_scrolling_aside(kind: str, tmp_path: Path) -> None:
    raw = render_page(views(tmp_path)[kind]())
    page = tmp_path / "page.html"
    page.write_text(raw, encoding="utf-8")
    shown = show(page, tmp_path)
    assert "CONSOLE" not in shown.stderr
    title = re.search(r"<title>(.*?)</title>", shown.stdout, re.DOTALL)
    assert title is not None
    assert html.unescape(title[1]) != "run"
    assert kind == "replay" or html.unescape(shown.stdout).count(HOSTILE.replace("\u202e", r"\u202e")) > 3
    # The same in a frame as wide as a phone, whose document tells how wide it is.
    told = "<script>onload = () => { const of = document.querySelector('iframe').contentDocument.documentElement; document.title = of.scrollWidth + ' of ' + of.clientWidth }</script>"
    body = re.sub(r"<meta http-equiv.*?>", "", raw)
    frame = tmp_path / "frame.html"
    style = f"width:{PHONE}px;height:600px;border:0"
    frame.write_text(f'<iframe style="{style}" srcdoc="{html.escape(body)}"></iframe>{told}', encoding="utf-8")
    widths = re.search(r"<title>(\d+) of (\d+)</title>", show(frame, tmp_path).stdout)
    assert widths is not None
    assert widths[1] == widths[2]
