"""Clause by clause: every case of the case files, in every executor."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest

from spec_tests.support.case_file import Case, CaseError, laid_over
from spec_tests.support.cases import case_files, cases_of
from spec_tests.support.decision_cases import DecisionCase
from spec_tests.support.replay_cases import ReplayCase

Executor = Literal["compiled", "chaining"]
EXECUTORS: tuple[Executor, ...] = ("compiled", "chaining")
CASES = [case for path in case_files() for case in cases_of(path)]


@cache
def _subject(kind: type, executor: Executor, readings: tuple[tuple[str, str], ...]) -> Any:
    return kind(dict(readings), executor)


def subject(case: Case, executor: Executor) -> Any:
    """What the case is put to, under its readings; made once."""
    return _subject(case.subject, executor, tuple(sorted(case.readings.items())))


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, executor: Executor) -> None:
    faults = case.faults(subject(case, executor))
    assert not faults, "\n".join([f"{case} ({executor})", *faults])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_executors_tell_the_same(case: Case) -> None:
    compiled, chaining = (case.told(subject(case, executor)) for executor in EXECUTORS)
    assert compiled == chaining


@pytest.mark.parametrize("case", [case for case in CASES if isinstance(case, DecisionCase)], ids=str)
def test_every_destination_is_permitted_or_fell(case: DecisionCase) -> None:
    decision = case.answer(subject(case, "compiled"))
    assert {*decision.permitted} | decision.fell_by().keys() == {*decision.listed}
    assert not {*decision.permitted} & decision.fell_by().keys()


GOOD = '[[case]]\nname = "a"\nacts = true\n[case.expect]\noutcome = "chosen"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scene = 1\n" + GOOD, "unknown key scene"),
        (GOOD.replace("acts", "act"), "unknown key act"),
        (GOOD.replace("outcome", "result"), "unknown key result"),
        (GOOD.replace("acts = true\n", ""), "acts is missing"),
        (GOOD + GOOD, "given twice"),
    ],
)
def test_a_fault_in_a_case_file_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "04a_channel_rank.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CaseError, match=message):
        list(cases_of(path, DecisionCase))


def test_a_trigger_case_says_which_messages_it_expects(tmp_path: Path) -> None:
    path = tmp_path / "02_priority_reaches_threshold.toml"
    path.write_text('[[case]]\nname = "a"\nacts = true\nexpect = {fails = {}}\n', encoding="utf-8")
    with pytest.raises(CaseError, match="trigger_messages is missing"):
        list(cases_of(path, ReplayCase))


def test_a_row_that_stands_for_two_is_an_error() -> None:
    scene = {"channel": [{"name": "A", "queue_manager": "QM2"}, {"name": "B", "queue_manager": "QM2"}]}
    with pytest.raises(CaseError, match="2 rows"):
        laid_over(scene, {"channel": [{"queue_manager": "QM2", "clwlrank": 1}]}, "here")


def test_facts_are_laid_over_the_scene() -> None:
    scene = {"put": {"queue": "A", "call": "MQOPEN"}, "channel": [{"name": "A", "queue_manager": "QM2"}]}
    facts = {"put": {"queue_manager": "QM2"}, "channel": [{"name": "A", "clwlrank": 1}, {"name": "B"}]}
    merged = {"put": {"queue_manager": "QM2"}, "channel": [{**scene["channel"][0], "clwlrank": 1}, {"name": "B"}]}
    assert laid_over(scene, facts, "here") == merged
