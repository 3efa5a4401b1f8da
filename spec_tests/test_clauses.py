"""Clause by clause: every case of the case files, in every executor."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import pytest
from cases import Case, CaseError, case_files, cases_of, laid_over

from mqclause import Engine

Executor = Literal["compiled", "chaining"]
CASES = [case for path in case_files() for case in cases_of(path)]


@cache
def _engine(executor: Executor, readings: tuple[tuple[str, str], ...]) -> Engine:
    return Engine(dict(readings), executor)


def engine(executor: Executor, readings: Mapping[str, str]) -> Engine:
    """An engine under ``readings``, made once."""
    return _engine(executor, tuple(sorted(readings.items())))


@pytest.mark.parametrize("executor", ["compiled", "chaining"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, executor: Executor) -> None:
    faults = case.faults(engine(executor, case.readings))
    assert not faults, "\n".join([f"{case} ({executor})", *faults])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_executors_tell_the_same(case: Case) -> None:
    compiled = case.decision(engine("compiled", case.readings), "condition")
    chaining = case.decision(engine("chaining", case.readings), "condition")
    assert compiled.to_json() == chaining.to_json()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_destination_is_permitted_or_fell(case: Case) -> None:
    decision = case.decision(engine("compiled", case.readings))
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
        list(cases_of(path))


def test_a_row_that_stands_for_two_is_an_error() -> None:
    scene = {"channel": [{"name": "A", "queue_manager": "QM2"}, {"name": "B", "queue_manager": "QM2"}]}
    with pytest.raises(CaseError, match="2 rows"):
        laid_over(scene, {"channel": [{"queue_manager": "QM2", "clwlrank": 1}]}, "here")


def test_facts_are_laid_over_the_scene() -> None:
    scene = {"put": {"queue": "A", "call": "MQOPEN"}, "channel": [{"name": "A", "queue_manager": "QM2"}]}
    facts = {"put": {"queue_manager": "QM2"}, "channel": [{"name": "A", "clwlrank": 1}, {"name": "B"}]}
    merged = {"put": {"queue_manager": "QM2"}, "channel": [{**scene["channel"][0], "clwlrank": 1}, {"name": "B"}]}
    assert laid_over(scene, facts, "here") == merged
