"""``order by``: from the step on subjects are listed in its order; nobody falls."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqclause import RuleError, Rules
from mqclause.executors.operations import ExecutorName
from mqclause.executors.pipeline import Pipeline
from mqclause.executors.plain import build_first_scope
from mqclause.trace import list_rule_inputs
from spec_tests.support.delivery import DELIVERY, EVERY_EXECUTOR, Delivery, Van, delivered, names, rule, rules_in

VANS = [
    Van("A", room=300, age=4),
    Van("B", room=900, age=1),
    Van("C", room=900, age=4, is_ready=False),
    Van("D", room=300, age=1),
]
executors = pytest.mark.parametrize("executor", EVERY_EXECUTOR)


def ordered(tmp_path: Path, by: str, *others: tuple[str, str], **more: str) -> Rules:
    """Rules that order by ``by`` as the second rule, and ``others`` by file name."""
    files = {f"delivery/{name}.toml": rule("delivery/1", body) for name, body in others}
    return rules_in(tmp_path, {**files, "delivery/02_order.toml": rule("delivery/1", f"[order_by]\nby = {by}", **more)})


@executors
@pytest.mark.parametrize(
    ("by", "order"),
    [
        ('["age"]', ["B", "D", "A", "C"]),
        ('["age DESC"]', ["A", "C", "B", "D"]),
        ('["age ASC", "room"]', ["D", "B", "A", "C"]),
        ('["age", "room DESC"]', ["B", "D", "C", "A"]),
        ('["room DESC", "age DESC"]', ["C", "B", "A", "D"]),
        ('["is_ready"]', ["C", "A", "B", "D"]),
        ('["is_ready DESC", "age / toll"]', ["B", "D", "A", "C"]),
        ('["age - weight DESC"]', ["A", "C", "B", "D"]),
        ('["COUNT_IF(is_ready)"]', ["A", "B", "C", "D"]),
    ],
)
def test_subjects_are_listed_in_its_order_and_equals_as_before(
    tmp_path: Path, executor: ExecutorName, by: str, order: list[str]
) -> None:
    run = delivered(ordered(tmp_path, by), executor, VANS)
    assert names(run.remaining) == order
    assert [(list(did[0]), list(did[1]), did[2], did[3]) for did in run.trace or ()] == [([], [], 4, None)]


@executors
def test_it_orders_when_its_condition_holds(tmp_path: Path, executor: ExecutorName) -> None:
    rules = ordered(tmp_path, '["age"]', when="is_urgent")
    assert names(delivered(rules, executor, VANS).remaining) == ["A", "B", "C", "D"]
    assert names(delivered(rules, executor, VANS, Delivery(is_urgent=True)).remaining) == ["B", "D", "A", "C"]


ASIDE = ("01_aside", '[set_aside]\nwhere = "NOT is_ready"\nbecause = "not ready"')
BACK = ("03_back", '[take_back]\nwhere = "age > 3"')
OUT = ("04_out", '[eliminate]\nwhere = "room < 500 AND age < 2"\nbecause = "small"')


@executors
def test_who_is_taken_back_after_it_stands_where_the_order_says(tmp_path: Path, executor: ExecutorName) -> None:
    run = delivered(ordered(tmp_path, '["room DESC", "age DESC"]', ASIDE, BACK, OUT), executor, VANS)
    assert names(run.remaining) == ["C", "B", "A"]


@executors
@pytest.mark.parametrize(
    ("choose", "chosen", "fallen"),
    [
        ('where = "is_ready"', ["D", "B", "A"], ["C"]),
        ('lowest = ["0 - room"]', ["B", "C"], ["D", "A"]),
    ],
)
def test_of_several_chosen_the_first_in_order_is_taken(
    tmp_path: Path, executor: ExecutorName, choose: str, chosen: list[str], fallen: list[str]
) -> None:
    rules = ordered(tmp_path, '["age", "room"]', ("03_choose", f'[choose]\n{choose}\nbecause = "not"'))
    run = delivered(rules, executor, VANS)
    assert names(run.remaining) == chosen
    assert names((run.trace or [])[-1][0]) == fallen


@executors
def test_a_limit_keeps_those_that_come_first_in_order(tmp_path: Path, executor: ExecutorName) -> None:
    keep = '[keep]\nhighest = "room"\nat_most = "3"\nbecause = "less"'
    run = delivered(ordered(tmp_path, '["age"]', ("03_keep", keep)), executor, VANS)
    assert names(run.remaining) == ["B", "D", "C"]


@executors
def test_after_a_choice_nothing_is_ordered(tmp_path: Path, executor: ExecutorName) -> None:
    first = ("01_choose", '[choose]\nwhere = "TRUE"\nbecause = "not"')
    run = delivered(ordered(tmp_path, '["age"]', first), executor, VANS)
    assert names(run.remaining) == ["A", "B", "C", "D"]
    assert (run.trace or [])[1] is None


def test_what_later_rules_saw_is_in_its_order_however_it_is_found_again(tmp_path: Path) -> None:
    rules = ordered(tmp_path, '["room DESC", "age DESC"]', ASIDE, BACK, OUT)
    for executor in EVERY_EXECUTOR:
        course = Pipeline.of(rules, DELIVERY, executor)
        run = course.run(Delivery(), VANS, traced=True)[0]
        first = build_first_scope(course.steps[0], Delivery(), VANS, None, {})
        saw = [names(each.remaining) for each in list_rule_inputs(course.rulesets[0], run, VANS, first)]
        assert saw == [["A", "B", "C", "D"], ["A", "B", "D"], ["B", "A", "D"], ["C", "B", "A", "D"]], executor


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ('"age"', "order_by.by: is a list of expressions, with DESC or without, the first deciding first"),
        ("[]", "order_by.by: is a list of expressions"),
        ('["district"]', "order_by.by: 'district' is a text, which has no order; only numbers and truth values have"),
        ('["agee"]', "order_by.by: column 1: 'agee' is not an attribute, a derived fact or a term; did you mean 'age'?"),
        ('["age DOWN"]', "order_by.by: column 5: not an expression at 'DOWN'; allowed: AND, OR, NOT, "),
        ('["age NULLS FIRST"]', "order_by.by: 'age NULLS FIRST': an order is an expression, with DESC or without"),
        ('["age", "age >"]', "order_by.by: column 5: not an expression at '>'; allowed: "),
    ],
)  # fmt: skip
def test_an_order_that_is_none(tmp_path: Path, by: str, said: str) -> None:
    with pytest.raises(RuleError) as caught:
        ordered(tmp_path, by).ruleset(DELIVERY)
    assert str(caught.value).startswith(f"rules/delivery/02_order.toml: {said}")
    assert "\n" not in str(caught.value)
