"""Every key of a rule file is explained where an author looks for it: in CONTRIBUTING.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqclause.rulebook.actions import ACTIONS, COMMON_KEYS

ROOT = Path(__file__).parents[2]
SECTION = re.search(
    r"## A rule file, key by key\n(.*?)\n## ", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL
)
KEYS = {*COMMON_KEYS, *ACTIONS, "of", *(key for _, keys in ACTIONS.values() for key in keys)}


@pytest.mark.parametrize("key", sorted(KEYS))
def test_a_key_is_explained(key: str) -> None:
    assert SECTION is not None
    assert re.search(rf"`\[*{key}(?:\]+|\.\"[^`]*)?`", SECTION[1]), f"{key} is not explained in CONTRIBUTING.md"
