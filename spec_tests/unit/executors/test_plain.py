"""The plain executor, step by step: each kind of step on a few vans, worked out by hand; and the others likewise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mqclause import Rules
from mqclause.executors.operations import ExecutorName, Failure, StepResult
from mqclause.executors.pipeline import Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.trace import build_steps
from spec_tests.support.delivery import (
    DELIVERY,
    DISPATCH,
    EVERY_EXECUTOR,
    Delivery,
    Van,
    delivered,
    names,
    rule,
    rules_in,
)

VANS = [
    Van("A", room=300, age=4),
    Van("B", room=900, age=1, district="SOUTH"),
    Van("C", room=900, age=4, is_ready=False),
    Van("D", room=50, age=2, district="SOUTH"),
]
executors = pytest.mark.parametrize("executor", EVERY_EXECUTOR)

ELIMINATE = '[eliminate]\nwhere = "room < weight"\nbecause = "{room} < {weight}"'
SET_ASIDE = '[set_aside]\nwhere = "NOT is_ready"\nbecause = "not ready"'
TAKE_BACK = '[take_back]\nwhere = "room > 500"'


def one(tmp_path: Path, body: str, **more: str) -> Rules:
    return rules_in(tmp_path, {"delivery/01_only.toml": rule("delivery/1", body, **more)})


def told(did: Any) -> Any:
    """What a step did, with the names of vans."""
    applied = StepResult(*did)
    return names(applied.fallen), names(applied.taken_back), applied.remaining, applied.derived


@executors
def test_who_is_eliminated_is_out(tmp_path: Path, executor: ExecutorName) -> None:
    run = delivered(one(tmp_path, ELIMINATE), executor, VANS)
    assert names(run.remaining) == ["A", "B", "C"]
    assert [told(did) for did in run.trace or ()] == [(["D"], [], 3, None)]


@executors
@pytest.mark.parametrize(("urgent", "left"), [(True, ["A", "B", "C"]), (False, ["A", "B", "C", "D"])])
def test_a_rule_applies_when_its_condition_holds(
    tmp_path: Path, executor: ExecutorName, urgent: bool, left: list[str]
) -> None:
    run = delivered(one(tmp_path, ELIMINATE, when="is_urgent"), executor, VANS, Delivery(is_urgent=urgent))
    assert names(run.remaining) == left
    assert [did is None for did in run.trace or ()] == [not urgent]


@executors
def test_who_is_set_aside_may_be_taken_back_in_listing_order(tmp_path: Path, executor: ExecutorName) -> None:
    files = {
        "delivery/01_set.toml": rule("delivery/1", SET_ASIDE.replace("NOT is_ready", "room > 500")),
        "delivery/02_out.toml": rule("delivery/2", ELIMINATE),
        "delivery/03_back.toml": rule("delivery/3", TAKE_BACK.replace("room > 500", "is_ready")),
    }
    run = delivered(rules_in(tmp_path, files), executor, VANS)
    assert names(run.remaining) == ["A", "B"]
    assert [told(did) for did in run.trace or ()] == [
        (["B", "C"], [], 2, None),
        (["D"], [], 1, None),
        ([], ["B"], 2, None),
    ]


@executors
@pytest.mark.parametrize(
    ("body", "left"),
    [
        ('highest = "room"', ["B", "C"]),
        ('lowest = "age"', ["B"]),
        ('highest = "is_ready"', ["A", "B", "D"]),
        ('highest = "room"\namong = "district = \'NORTH\'"', ["B", "C", "D"]),
        ('highest = "room"\nper = "district"', ["B", "C"]),
        ('highest = "room"\nper = "district"\namong = "is_ready"', ["A", "B", "C"]),
        ('lowest = "age"\nat_most = "most"', ["B", "D"]),
        ('lowest = "age"\nat_most = "3"', ["A", "B", "D"]),
        ('lowest = "age"\nat_most = "3"\nties = "all"', ["A", "B", "C", "D"]),
        ('highest = "age"\nat_most = "1"', ["A"]),
        ('highest = "age"\nat_most = "1"\nties = "all"', ["A", "C"]),
        ('highest = "age"\nat_most = "most - 2"', []),
        ('highest = "age"\nat_most = "most - 3"', []),
        ('highest = "age"\nat_most = "most - 2"\nties = "all"', []),
        ('highest = "age"\nat_most = "0"\namong = "is_ready"', ["C"]),
    ],
)
def test_the_best_are_kept(tmp_path: Path, executor: ExecutorName, body: str, left: list[str]) -> None:
    run = delivered(one(tmp_path, f'[keep]\n{body}\nbecause = "worse"'), executor, VANS)
    assert names(run.remaining) == left
    assert [names(did[0]) for did in run.trace or ()] == [[each.name for each in VANS if each.name not in left]]


@executors
def test_neighbours_that_eliminate_each_count_those_that_the_one_before_left(
    tmp_path: Path, executor: ExecutorName
) -> None:
    counting = '[eliminate]\nwhere = "age = 4 AND COUNT_IF(TRUE) = 3"\nbecause = "old"'
    files = {
        "delivery/01_small.toml": rule("delivery/1", ELIMINATE),
        "delivery/02_old.toml": rule("delivery/2", counting),
        "delivery/03_none.toml": rule("delivery/3", ELIMINATE.replace("room < weight", "age = 2")),
    }
    run = delivered(rules_in(tmp_path, files), executor, VANS)
    assert names(run.remaining) == ["B"]
    assert [told(did) for did in run.trace or ()] == [
        (["D"], [], 3, None),
        (["A", "C"], [], 1, None),
        ([], [], 1, None),
    ]


@executors
@pytest.mark.parametrize(
    ("lowest", "left"),
    [
        ("age", ["B"]),
        ("CASE WHEN COUNT_IF(TRUE) > 2 THEN age ELSE 0 - age END", ["B"]),
        ("CASE WHEN COUNT_IF(TRUE) > 4 THEN age ELSE 0 - age END", ["C"]),
        ("toll", ["B", "C"]),
    ],
)
def test_each_value_that_a_choice_goes_by_counts_all_that_it_is_made_from(
    tmp_path: Path, executor: ExecutorName, lowest: str, left: list[str]
) -> None:
    choose = f'[choose]\nlowest = ["0 - room", "{lowest}"]\nbecause = "worse"'
    run = delivered(one(tmp_path, choose), executor, VANS)
    assert names(run.remaining) == left


@executors
def test_a_choice_ends_the_eliminations_and_nothing_else(tmp_path: Path, executor: ExecutorName) -> None:
    files = {
        "delivery/01_aside.toml": rule("delivery/1", SET_ASIDE),
        "delivery/02_choose.toml": rule("delivery/2", '[choose]\nwhere = "district = \'SOUTH\'"\nbecause = "far"'),
        "delivery/03_out.toml": rule("delivery/3", ELIMINATE),
        "delivery/04_back.toml": rule("delivery/4", TAKE_BACK),
        "delivery/05_how_many.toml": rule("delivery/5", '[derive]\nhow_many = "COUNT_IF(TRUE)"'),
    }
    run = delivered(rules_in(tmp_path, files), executor, VANS)
    assert names(run.remaining) == ["B", "D"]
    assert run.facts == {"how_many": 2}
    assert [did and told(did) for did in run.trace or ()] == [
        (["C"], [], 3, None),
        (["A"], [], 2, None),
        None,
        None,
        ([], [], 2, {"how_many": 2}),
    ]


@executors
def test_a_choice_of_nobody_is_none(tmp_path: Path, executor: ExecutorName) -> None:
    files = {
        "delivery/01_choose.toml": rule("delivery/1", '[choose]\nwhere = "district = \'WEST\'"\nbecause = "far"'),
        "delivery/02_choose.toml": rule("delivery/2", '[choose]\nlowest = ["0 - room", "age"]\nbecause = "less"'),
        "delivery/03_out.toml": rule("delivery/3", '[eliminate]\nwhere = "TRUE"\nbecause = "all"'),
    }
    run = delivered(rules_in(tmp_path, files), executor, VANS)
    assert names(run.remaining) == ["B"]
    assert [did and told(did) for did in run.trace or ()] == [None, (["A", "C", "D"], [], 1, None), None]


@executors
def test_the_document_after_sees_what_is_left_and_the_first_failure_counts(
    tmp_path: Path, executor: ExecutorName
) -> None:
    fail = '[fail_with]\nreason = "{}"\ncall = "\'MQPUT\'"\nbecause = "none left"'
    files = {
        "delivery/01_out.toml": rule("delivery/1", ELIMINATE),
        "dispatch/01_some.toml": rule("dispatch/1", '[derive]\nsome_left = "left > 0"'),
        "dispatch/02_none.toml": rule("dispatch/2", fail.format("MQRC_PUT_INHIBITED"), when="left = 0"),
        "dispatch/03_few.toml": rule("dispatch/3", fail.format("MQRC_UNKNOWN_OBJECT_NAME"), when="left < 4"),
    }
    course = Pipeline.of(rules_in(tmp_path, files), DISPATCH, executor)
    first, second = course.run(Delivery(weight=100), VANS, traced=True)
    assert (first.hands_on, second.facts) == ({"left": 3}, {"some_left": True})
    assert second.failure == Failure(2, "MQRC_UNKNOWN_OBJECT_NAME", "MQPUT")
    assert names(second.remaining) == ["A", "B", "C", "D"]
    _, second = course.run(Delivery(weight=1000), VANS, traced=True)
    assert second.failure == Failure(1, "MQRC_PUT_INHIBITED", "MQPUT")
    _, second = course.run(Delivery(weight=1), VANS, traced=True)
    assert second.failure is None


@executors
def test_nobody_to_choose_from(tmp_path: Path, executor: ExecutorName) -> None:
    files = {
        "delivery/01_out.toml": rule("delivery/1", ELIMINATE),
        "delivery/02_keep.toml": rule("delivery/2", '[keep]\nhighest = "room"\nbecause = "less"'),
        "delivery/03_order.toml": rule("delivery/3", '[order_by]\nby = ["room"]'),
        "delivery/04_none.toml": rule("delivery/4", '[derive]\nnone_left = "COUNT_IF(TRUE) = 0"'),
    }
    run = delivered(rules_in(tmp_path, files), executor, [])
    assert (list(run.remaining), run.facts) == ([], {"none_left": True})
    assert [did is None for did in run.trace or ()] == [True, True, True, False]


def test_plain_keeps_what_each_step_saw(tmp_path: Path) -> None:
    files = {
        "delivery/01_aside.toml": rule("delivery/1", SET_ASIDE),
        "delivery/02_fact.toml": rule("delivery/2", '[derive]\nmany = "COUNT_IF(TRUE) > 2"'),
        "delivery/03_keep.toml": rule("delivery/3", '[keep]\nhighest = "room"\nbecause = "less"', when="many"),
        "delivery/04_end.toml": rule("delivery/4", TAKE_BACK),
    }
    run = delivered(rules_in(tmp_path, files), "plain", VANS)
    saw = [(names(each.remaining), dict(each.facts)) for each in run.saw or ()]
    assert saw == [
        (["A", "B", "C", "D"], {}),
        (["A", "B", "D"], {}),
        (["A", "B", "D"], {"many": True}),
        (["B"], {"many": True}),
    ]


def test_a_course_is_made_once(tmp_path: Path) -> None:
    files = {"delivery/01_out.toml": rule("delivery/1", ELIMINATE)}
    assert Pipeline.of(rules_in(tmp_path, files), DELIVERY) is Pipeline.of(rules_in(tmp_path, files), DELIVERY)


@executors
def test_who_is_set_aside_again_fell_by_the_last_rule_that_did_it(tmp_path: Path, executor: ExecutorName) -> None:
    files = {
        "delivery/01_aside.toml": rule("delivery/1", SET_ASIDE),
        "delivery/02_back.toml": rule("delivery/2", TAKE_BACK),
        "delivery/03_aside.toml": rule("delivery/3", SET_ASIDE.replace("not ready", "still not ready")),
    }
    course = Pipeline.of(rules_in(tmp_path, files), DELIVERY, executor)
    run = course.run(Delivery(), VANS, traced=True)[0]
    first = build_first_scope(course.steps[0], Delivery(), VANS, None, {})
    found = list(build_steps(course.rulesets[0], run, VANS, first, conditions=False))
    assert [[fate.because for fate in step.eliminated] for step in found] == [[], [], ["still not ready"]]
    assert [[fate.because for fate in step.set_aside] for step in found] == [["not ready"], [], ["still not ready"]]
    assert [names(step.taken_back) for step in found] == [[], ["C"], []]
