"""Every key of a rule file and of a case file is explained where an author looks for it: in CONTRIBUTING.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqclause.rulebook.case_files import CASE_KEYS, FILE_KEYS, Case
from mqclause.rulebook.rule_file import ACTIONS, COMMON_KEYS
from mqclause.testing.case_kinds import DecisionCase, PipelineCase
from mqclause.testing.case_runner import ProductCase, ReplayCase, RetrievalCase

PAGE = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTION = re.search(r"## A rule file, key by key\n(.*?)\n## ", PAGE, re.DOTALL)
KEYS = {*COMMON_KEYS, *ACTIONS, "of", *(key for _, keys in ACTIONS.values() for key in keys)}


@pytest.mark.parametrize("key", sorted(KEYS))
def test_a_key_is_explained(key: str) -> None:
    assert SECTION is not None
    assert re.search(rf"`\[*{key}(?:\]+|\.\"[^`]*)?`", SECTION[1]), f"{key} is not explained in CONTRIBUTING.md"


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
    section = PAGE.partition("## A case file, key by key\n")[2].partition("\n## ")[0]
    found: dict[str, set[str]] = {}
    for keys, places in re.findall(r"(?m)^\| (`[^|]*`) \| ([^|]+) \| ", section):
        for place in places.split(", "):
            found.setdefault(place, set()).update(re.findall(r"`(\w+)`", keys))
    assert found == {place: set(keys) for place, keys in PLACES.items()}
