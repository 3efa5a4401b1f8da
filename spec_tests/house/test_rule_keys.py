"""Every key of a rule file and of a case file is explained where an author looks for it: in the reference."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqclause.rulebook.case_files import CASE_KEYS, FILE_KEYS, Case
from mqclause.rulebook.rule_file import ACTIONS, COMMON_KEYS
from mqclause.testing.case_kinds import DecisionCase, PipelineCase
from mqclause.testing.case_runner import ProductCase, ReplayCase, RetrievalCase

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
RULE_KEYS, CASE_KEYS_PAGE = (
    (REFERENCE / name).read_text(encoding="utf-8") for name in ("rule-keys.md", "case-keys.md")
)
KEYS = {*COMMON_KEYS, *ACTIONS, "of", *(key for _, keys in ACTIONS.values() for key in keys)}


@pytest.mark.parametrize("key", sorted(KEYS))
def test_a_key_is_explained(key: str) -> None:
    assert re.search(rf"`\[*{key}(?:\]+|\.\"[^`]*)?`", RULE_KEYS), f"{key} is not explained in rule-keys.md"


KINDS: dict[str, type[Case]] = {
    "put": DecisionCase, "scenario": ReplayCase, "retrieval": RetrievalCase, "other": PipelineCase,
    "product": ProductCase,
}  # fmt: skip
PLACES = {
    "file": FILE_KEYS,
    "case": CASE_KEYS,
    **{name: kind.EXPECTS for name, kind in KINDS.items()},
    **{f"{name} case": kind.KEYS for name, kind in KINDS.items() if kind.KEYS},
}
"""Where a case file has keys, as the table says it, with those that it takes there."""


def test_the_keys_of_a_case_file_are_those_of_the_table() -> None:
    found: dict[str, set[str]] = {}
    for keys, places in re.findall(r"(?m)^\| (`[^|]*`) \| ([^|]+) \| ", CASE_KEYS_PAGE):
        for place in places.split(", "):
            found.setdefault(place, set()).update(re.findall(r"`(\w+)`", keys))
    assert found == {place: set(keys) for place, keys in PLACES.items()}
