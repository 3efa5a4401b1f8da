"""The chaining executor holds out: very many decisions in one process, none wrong, no fault, no memory lost.

MQCLAUSE_SOAK says how many the deep test makes; without it 40,000.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOAK = Path(__file__).parents[3] / "tools" / "bench" / "soak.py"
DECISIONS = int(os.environ.get("MQCLAUSE_SOAK", "12000"))
GROWTH_MB = 8.0


@pytest.mark.parametrize("decisions", [200, pytest.param(DECISIONS, marks=pytest.mark.deep)])
def test_chaining_holds_out(decisions: int) -> None:
    limit = 600 + decisions / 50
    done = subprocess.run(
        [sys.executable, str(SOAK), str(decisions)], capture_output=True, text=True, timeout=limit, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = {line[:15].strip(): float(line[15:]) for line in done.stdout.splitlines()}
    assert found["decisions"] == decisions
    assert found["disagreements"] == 0
    assert abs(found["end MB"] - found["10 % MB"]) < GROWTH_MB


@pytest.mark.deep
def test_misuse_is_tried_in_a_process_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, str(SOAK), "--misuse", "unmatched"], capture_output=True, text=True, timeout=600, check=True
    )
    assert "MemoryError at session 1024" in done.stdout
