"""Answers on terminals of every width: nothing is cut, and nothing stands beyond the edge."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from mqclause import plan, read_members
from mqclause.check.findings import FindingChanges
from mqclause.cluster.map import cluster_map
from mqclause.cluster.plan import ChangePlan
from mqclause.model.configuration.members import apply_changes_everywhere
from mqclause.render.cluster import print_map, print_plan
from mqclause.render.terminal import Page
from spec_tests.support.deep import every

MEMBER = """* Queue manager name: {0}
DEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(SALES)
"""
ORDERS = "DEFINE QLOCAL(ORDERS) CLUSTER(SALES)\n"

CAUSE = "QM2, QM4 after: clause 11b, queue priority 0 is below 5"
"""Why QM1 no longer takes the two that stay at CLWLPRTY(0)."""


@pytest.fixture
def changed(tmp_path: Path) -> ChangePlan:
    """QM1 puts to ORDERS, which QM2, QM3 and QM4 have; QM3 gets the highest priority."""
    files = []
    for name in ("QM1", "QM2", "QM3", "QM4"):
        file = tmp_path / f"{name}.mqsc"
        file.write_text(MEMBER.format(name) + ("" if name == "QM1" else ORDERS))
        files.append(str(file))
    before = read_members(files)
    after = apply_changes_everywhere(before, ["QLOCAL(ORDERS) QMGR(QM3) CLWLPRTY(5)"])
    return ChangePlan(plan(before, after), (), (), FindingChanges())


@pytest.mark.parametrize("width", every(4, range(60, 180)))
def test_no_width_cuts_a_cause(changed: ChangePlan, width: int) -> None:
    out = StringIO()
    print_plan(changed, Page(Console(file=out, force_terminal=True, color_system=None, width=width)))
    lines = out.getvalue().splitlines()
    assert max(len(line.rstrip()) for line in lines) <= width
    # As a table the causes have the last column; else they stand alone in their lines.
    column = max(lines[0].find("because"), 0)
    words = " ".join(line[column:] for line in lines[1:]).split()
    assert CAUSE in " ".join(words)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_members_that_fill_a_line_stand_above_where_their_puts_go(tmp_path: Path, width: int) -> None:
    members = [f"QM{number:02}" for number in range(1, 21)]
    for name in members:
        hosts = name in ("QM02", "QM03")
        (tmp_path / f"{name}.mqsc").write_text(MEMBER.format(name) + (ORDERS if hosts else ""))
    out = StringIO()
    rows = cluster_map(read_members(sorted(map(str, tmp_path.iterdir()))))
    print_map(rows, Page(Console(file=out, force_terminal=True, color_system=None, width=width)))
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert max(map(len, lines)) <= width
    said = " ".join(" ".join(lines).split())
    others = ", ".join(name for name in members if name not in ("QM02", "QM03"))
    assert f"ORDERS from {others} QM02 50 %, QM03 50 % from QM02 QM02 from QM03 QM03" in said
    assert "    QM02 50 %, QM03 50 %" in lines
