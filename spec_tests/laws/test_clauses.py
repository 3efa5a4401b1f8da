"""Clause by clause: every case of the case files, in every executor."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from mqclause import Rules
from mqclause.documents import DOCUMENTS
from mqclause.executors.pipeline import EXECUTORS
from mqclause.rulebook.case_files import CaseError, CaseFile, get_cases_folder, merge_scene
from mqclause.testing.case_kinds import DecisionCase, RunnableCase
from mqclause.testing.case_runner import ReplayCase, build_cases
from spec_tests.support.deep import every

RULES = Rules()
PATHS = sorted(get_cases_folder().glob("*/*.toml"))


@cache
def read(path: Path) -> Sequence[RunnableCase]:
    return build_cases(CaseFile.read(path))


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


@pytest.mark.parametrize("path", PATHS, ids=name_of)
def test_cases(path: Path) -> None:
    """A file is one test: one for each of its cases would take longer to run than the cases themselves.

    The other executors tell the same of a case, which is a test of its own.
    """
    cases = read(path)
    assert cases
    faults = {str(case): case.faults(RULES, "compiled") for case in cases}
    wrong = [f"{name}: {fault}" for name, found in faults.items() for fault in found]
    assert not wrong, "\n".join(["", *wrong])


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_destination_is_permitted_or_fell(document: str) -> None:
    for case in (case for path in PATHS if path.parent.name == document for case in read(path)):
        if isinstance(case, DecisionCase):
            decision = case.answer(RULES)
            assert {*decision.permitted} | decision.fell_by().keys() == {*decision.listed}, case
            assert not {*decision.permitted} & decision.fell_by().keys(), case


@pytest.mark.parametrize("path", every(16, PATHS), ids=name_of)
def test_executors_tell_the_same(path: Path) -> None:
    for case in read(path):
        plain = case.to_values(RULES, "plain")
        assert [name for name in EXECUTORS if case.to_values(RULES, name) != plain] == [], case


GOOD = '[[case]]\nname = "a"\nacts = true\n[case.expect]\noutcome = "chosen"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("setting = 1\n" + GOOD, "04a_channel_rank.toml: unknown key setting; allowed: case, clause, equivalent, facts, ordinary"),
        ("scene = 1\n" + GOOD, "04a_channel_rank.toml: scene is 1; it is a table"),
        (GOOD.replace("acts", "act"), "04a_channel_rank.toml: case 1: unknown key act; allowed: acts, "),
        (GOOD.replace("outcome", "verdict"), "04a_channel_rank.toml: case 1: expect: unknown key verdict; allowed: "),
        (GOOD.replace("acts = true\n", ""), "04a_channel_rank.toml: case 1: acts is missing"),
        (GOOD + GOOD, "04a_channel_rank.toml: case 2: the name 'a' is given twice"),
        (GOOD + GOOD.replace("[case", "[scenario"), "04a_channel_rank.toml: scenario 1: the name 'a' is given twice"),
        (GOOD.replace("true", "1"), "04a_channel_rank.toml: case 1: acts is 1; it is true or false"),
        ("case = 1\n", "04a_channel_rank.toml: case is 1; it is a list"),
        ("case = [1]\n", "04a_channel_rank.toml: case 1: is not a table"),
        (GOOD.replace("acts = true\n", "acts = true\nfacts = 1\n"), "04a_channel_rank.toml: case 1: facts is 1; it is a table"),
        ("[[case]\n", "04a_channel_rank.toml: is not TOML: "),
    ],
)  # fmt: skip
def test_a_fault_in_a_case_file_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "04a_channel_rank.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CaseError) as caught:
        CaseFile.read(path).cases(DecisionCase)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_trigger_case_says_which_messages_it_expects(tmp_path: Path) -> None:
    path = tmp_path / "02_priority_reaches_threshold.toml"
    path.write_text('[[case]]\nname = "a"\nacts = true\nexpect = {fails = {}}\n', encoding="utf-8")
    with pytest.raises(CaseError, match="trigger_messages is missing"):
        CaseFile.read(path).cases(ReplayCase)


def test_a_row_that_stands_for_two_is_an_error() -> None:
    scene = {"channel": [{"name": "A", "queue_manager": "QM2"}, {"name": "B", "queue_manager": "QM2"}]}
    with pytest.raises(CaseError, match="2 rows"):
        merge_scene(scene, {"channel": [{"queue_manager": "QM2", "clwlrank": 1}]}, "here")


def test_facts_are_laid_over_the_scene() -> None:
    channel = {"name": "A", "queue_manager": "QM2"}
    scene = {"put": {"queue": "A", "call": "MQOPEN"}, "channel": [channel]}
    facts = {"put": {"queue_manager": "QM2"}, "channel": [{"name": "A", "clwlrank": 1}, {"name": "B"}]}
    merged = {"put": {"queue_manager": "QM2"}, "channel": [{**channel, "clwlrank": 1}, {"name": "B"}]}
    assert merge_scene(scene, facts, "here") == merged
