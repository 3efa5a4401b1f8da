"""The passes that make one expression of a plan, before and after."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from attrs import evolve

from mqclause.spark.dialect import SPARK
from mqclause.spark.passes import one_expression
from mqclause.spark.passes.bound import nested
from mqclause.spark.passes.branches import in_branches
from mqclause.spark.passes.inlined import inlined
from mqclause.spark.passes.needed import needed
from mqclause.spark.passes.sunk import sunk
from mqclause.spark.passes.together import by_level, known_early
from mqclause.spark.passes.typed import typed
from mqclause.tables.bindings import Span
from mqclause.tables.functions import column
from spec_tests.support.plan_text import plain, plan, text, tree

FEW = "FILTER(items, c -> c > 1)"
NONE = "CAST(ARRAY() AS ARRAY<BIGINT>)"


def test_a_run_stands_in_one_branch() -> None:
    given = plan(
        "ARRAY_LENGTH(__mqclause_two)",
        one="SORTED(__mqclause_all, TRUE)",
        two="FILTER(__mqclause_one, c -> c > 1)",
        three="__mqclause_two",
    )
    run = Span(tree("ARRAY_LENGTH(__mqclause_all) > 1"), column("__mqclause_all"), column("__mqclause_two"))
    assert text(in_branches(evolve(given, spans=[run]))) == [
        "__mqclause_one = SORTED(__mqclause_all, TRUE)",
        "__mqclause_two = FILTER(__mqclause_one, c -> c > 1)",
        "__mqclause_two_run = CASE WHEN ARRAY_LENGTH(__mqclause_all) > 1 THEN __mqclause_two ELSE __mqclause_all END",
        "__mqclause_three = __mqclause_two_run",
        "found: ARRAY_LENGTH(__mqclause_two_run)",
    ]


def test_a_run_after_a_run_begins_with_its_branch() -> None:
    given = plan("__mqclause_two", one="SORTED(__mqclause_all, TRUE)", two="SORTED(__mqclause_one, FALSE)")
    spans = [
        Span(tree("a"), column("__mqclause_all"), column("__mqclause_one")),
        Span(tree("b"), column("__mqclause_one"), column("__mqclause_two")),
    ]
    assert text(in_branches(evolve(given, spans=spans))) == [
        "__mqclause_one = SORTED(__mqclause_all, TRUE)",
        "__mqclause_one_run = CASE WHEN a THEN __mqclause_one ELSE __mqclause_all END",
        "__mqclause_two = SORTED(__mqclause_one_run, FALSE)",
        "__mqclause_two_run = CASE WHEN b THEN __mqclause_two ELSE __mqclause_one_run END",
        "found: __mqclause_two_run",
    ]


def test_what_nothing_needs_is_left_out() -> None:
    given = plan("__mqclause_two.x", one="a", two="__mqclause_one", three="__mqclause_two", four="__mqclause_three")
    assert text(needed(given)) == ["__mqclause_one = a", "__mqclause_two = __mqclause_one", "found: __mqclause_two.x"]


@pytest.mark.parametrize(
    ("answer", "bindings", "after"),
    [
        # Used once, it stands where it is used.
        ("ARRAY_LENGTH(__mqclause_few)", {"few": FEW}, [f"found: ARRAY_LENGTH({FEW})"]),
        # Used twice, it is bound.
        ("ARRAY_CONCAT(__mqclause_few, __mqclause_few)", {"few": FEW}, [f"__mqclause_few = {FEW}", "found: ARRAY_CONCAT(__mqclause_few, __mqclause_few)"]),
        # For each item it would be evaluated again.
        ("TRANSFORM(items, c -> ARRAY_CONTAINS(__mqclause_few, c))", {"few": FEW}, [f"__mqclause_few = {FEW}", "found: TRANSFORM(items, c -> ARRAY_CONTAINS(__mqclause_few, c))"]),
        # What only reads, or compares two at most, is as quick to do again.
        ("__mqclause_name = __mqclause_name", {"name": "COALESCE(put.queue, '')"},
         ["found: COALESCE(put.queue, '') = COALESCE(put.queue, '')"]),
        ("__mqclause_some AND NOT __mqclause_some", {"some": "a = 1 OR b <> 2"}, ["found: (a = 1 OR b <> 2) AND NOT (a = 1 OR b <> 2)"]),
        ("__mqclause_some AND NOT __mqclause_some", {"some": "a = 1 OR b <> 2 OR c = 3"},
         ["__mqclause_some = a = 1 OR b <> 2 OR c = 3", "found: __mqclause_some AND NOT __mqclause_some"]),
        # But not wherever it is used, for Spark to look at as often.
        (" AND ".join(["__mqclause_some"] * 7), {"some": "a = 1 OR b <> 2"},
         ["__mqclause_some = a = 1 OR b <> 2", f"found: {' AND '.join(['__mqclause_some'] * 7)}"]),
        # A binding of which a field is used has to be one.
        ("__mqclause_chosen.queue", {"chosen": "ITEM(items, 0)"}, ["__mqclause_chosen = ITEM(items, 0)", "found: __mqclause_chosen.queue"]),
        # One after the other, also where a whole tree is one binding.
        ("__mqclause_two", {"one": "a", "two": "__mqclause_one"}, ["found: a"]),
    ],
)  # fmt: skip
def test_what_stands_where_it_is_used(answer: str, bindings: dict[str, str], after: list[str]) -> None:
    given = plan(answer, **bindings)
    before = text(given)
    assert text(inlined(given)) == after
    assert text(given) == before


@pytest.mark.parametrize(
    ("answer", "after"),
    [
        ("CASE WHEN wanted THEN ARRAY_CONCAT(__mqclause_few, __mqclause_few) ELSE items END",
         [f"found: CASE WHEN wanted THEN BOUND(__mqclause_few, {FEW}, ARRAY_CONCAT(__mqclause_few, __mqclause_few)) ELSE items END"]),
        # What both branches use, or a condition does, is bound around the CASE.
        ("CASE WHEN wanted THEN ITEM(__mqclause_few, 0) ELSE ITEM(__mqclause_few, 1) END",
         [f"__mqclause_few = {FEW}", "found: CASE WHEN wanted THEN ITEM(__mqclause_few, 0) ELSE ITEM(__mqclause_few, 1) END"]),
        ("CASE WHEN ARRAY_CONTAINS(__mqclause_few, 1) THEN __mqclause_few ELSE items END",
         [f"__mqclause_few = {FEW}", "found: CASE WHEN ARRAY_CONTAINS(__mqclause_few, 1) THEN __mqclause_few ELSE items END"]),
        # What each item uses is bound once before them.
        ("TRANSFORM(items, c -> CASE WHEN c > 1 THEN ARRAY_LENGTH(__mqclause_few) ELSE 0 END)",
         [f"__mqclause_few = {FEW}", "found: TRANSFORM(items, c -> CASE WHEN c > 1 THEN ARRAY_LENGTH(__mqclause_few) ELSE 0 END)"]),
        ("CASE WHEN wanted THEN TRANSFORM(items, c -> ARRAY_CONTAINS(__mqclause_few, c)) ELSE items END",
         [f"found: CASE WHEN wanted THEN BOUND(__mqclause_few, {FEW}, TRANSFORM(items, c -> ARRAY_CONTAINS(__mqclause_few, c))) ELSE items END"]),
    ],
)  # fmt: skip
def test_what_one_branch_uses_is_bound_in_it(answer: str, after: list[str]) -> None:
    assert text(sunk(plan(answer, few=FEW))) == after


def test_what_only_such_a_binding_uses_goes_with_it() -> None:
    given = plan(
        "CASE WHEN wanted THEN ARRAY_CONCAT(__mqclause_most, __mqclause_most) ELSE items END",
        few=FEW,
        most="ARRAY_CONCAT(__mqclause_few, __mqclause_few)",
    )
    inner = "BOUND(__mqclause_most, ARRAY_CONCAT(__mqclause_few, __mqclause_few), ARRAY_CONCAT(__mqclause_most, __mqclause_most))"
    assert text(sunk(given)) == [f"found: CASE WHEN wanted THEN BOUND(__mqclause_few, {FEW}, {inner}) ELSE items END"]


def test_a_value_bound_in_a_branch_asks_no_more_what_the_branch_asked() -> None:
    found = sunk(
        plan(
            "CASE WHEN wanted THEN ARRAY_CONCAT(__mqclause_few, __mqclause_few) END",
            few=f"CASE WHEN wanted THEN {FEW} END",
        )
    )
    assert text(found) == [
        f"found: CASE WHEN wanted THEN BOUND(__mqclause_few, {FEW}, ARRAY_CONCAT(__mqclause_few, __mqclause_few)) END"
    ]
    other = sunk(
        plan("CASE WHEN b THEN ARRAY_CONCAT(__mqclause_few, __mqclause_few) END", few="CASE WHEN a THEN items END")
    )
    inner = "BOUND(__mqclause_few, CASE WHEN a THEN items END, ARRAY_CONCAT(__mqclause_few, __mqclause_few))"
    assert text(other) == [f"found: CASE WHEN b THEN {inner} END"]


def test_what_is_known_before_the_last_bindings_is_bound_with_those_before() -> None:
    given = plan("__mqclause_one + b", one="a + 1", two="__mqclause_one + 2", three="__mqclause_two + 3")
    given = evolve(
        given,
        answer={
            **given.answer,
            "plain": column("__mqclause_one"),
            "last": tree("__mqclause_three + 1"),
            "b": tree("b"),
        },
    )
    assert text(known_early(given)) == [
        "__mqclause_one = a + 1", "__mqclause_two = __mqclause_one + 2", "__mqclause_three = __mqclause_two + 3", "__mqclause_answer_found = __mqclause_one + b",
        "found: __mqclause_answer_found", "plain: __mqclause_one", "last: __mqclause_three + 1", "b: b",
    ]  # fmt: skip
    assert text(known_early(plan("a"))) == ["found: a"]


def test_bindings_that_need_nothing_of_each_other_are_one() -> None:
    given = plan(
        "__mqclause_three.x + __mqclause_two",
        one="a + 1",
        two="b + 1",
        three="__mqclause_one",
        four="__mqclause_two + __mqclause_three.x",
    )
    assert text(by_level(given)) == [
        "__mqclause_level_0 = STRUCT(a + 1 AS __mqclause_one, b + 1 AS __mqclause_two)",
        "__mqclause_three = __mqclause_level_0.__mqclause_one",
        "__mqclause_four = __mqclause_level_0.__mqclause_two + __mqclause_three.x",
        "found: __mqclause_three.x + __mqclause_level_0.__mqclause_two",
    ]
    of_a_struct = plan("__mqclause_one.x", one="put", two="b", three="__mqclause_one.y")
    assert text(by_level(of_a_struct))[1:] == [
        "__mqclause_three = __mqclause_level_0.__mqclause_one.y",
        "found: __mqclause_level_0.__mqclause_one.x",
    ]


def test_numbers_beside_bits_have_their_type() -> None:
    bits = {"c & 15 = 7": "c & 15L = 7L", "3 = c & 1": "3L = c & 1L", "n = 7": "n = 7", "c & m <> 0": "c & m <> 0L"}
    bits |= {"c >> 9": "SHIFTRIGHT(c, 9)", "6 >> n": "SHIFTRIGHT(6L, n)"}
    assert {given: SPARK.text(typed(tree(given))) for given in bits} == bits


def test_bindings_stand_around_what_uses_them() -> None:
    given = plan("__mqclause_two", one="a + 1", two="__mqclause_one + b")
    assert (
        plain(nested(given))
        == "BOUND(__mqclause_one, a + 1, BOUND(__mqclause_two, __mqclause_one + b, STRUCT(__mqclause_two AS found)))"
    )
    asked = plan("__mqclause_one.x", one="put.a")
    assert plain(nested(asked, ["put"])) == "BOUND(__mqclause_one, row.put.a, STRUCT(__mqclause_one.x AS found))"


def test_many_bindings_are_bound_in_states() -> None:
    many = {f"n{at}": f"__mqclause_n{at - 1} + a" if at else "a" for at in range(51)}
    found = plain(nested(plan("__mqclause_n50 + __mqclause_n1", **many)))
    assert found.startswith("BOUND(state, BOUND(__mqclause_n0, a, ")
    assert found.endswith(
        "BOUND(__mqclause_n50, state.__mqclause_n49 + a, STRUCT(__mqclause_n50 + state.__mqclause_n1 AS found)))"
    )
    assert "STRUCT(__mqclause_n1 AS __mqclause_n1, __mqclause_n49 AS __mqclause_n49)" in found


def test_a_binding_in_spark_is_a_fold_of_nothing() -> None:
    few = "AGGREGATE(ARRAY(), FILTER(items, c -> c > 1), (start, nothing) -> start, __mqclause_few -> STRUCT(CONCAT(__mqclause_few, __mqclause_few) AS found))"
    given = plan("ARRAY_CONCAT(__mqclause_few, __mqclause_few)", few=FEW)
    assert [SPARK.text(one_expression(given)) for _ in range(2)] == [few, few]
