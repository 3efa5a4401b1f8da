"""The README shows what becomes of a flat log under a change, in ten lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")

README = Path(__file__).parents[2] / "README.md"


def test_the_readme_shows_what_a_suspended_queue_manager_changes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(README.parent)
    readme, known = README.read_text(), dict[str, Any]()
    earlier, _, rest = readme.partition("planned = cluster.with_queue")
    needed = earlier[earlier.rindex("import duckdb\n") :]
    example = rest[rest.index("log = duckdb.read_csv") :].partition("```")[0]
    assert len(example.splitlines()) <= 10
    exec(compile(needed + example, "README.md", "exec"), known)  # the README's own text
    assert capsys.readouterr().out.strip() in readme
    # 40 of the 70 messages are for ORDERS.IN; all of them go to QM2 while QM3 is suspended, whatever their shares were.
    rows = [row for row in known["after"].fetchall() if row[1] == "ORDERS.IN"]
    assert len(rows) == 40
    assert {row[-1]["queue_manager"] for row in rows} == {"QM2"}
