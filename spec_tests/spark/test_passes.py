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
    given = plan("ARRAY_LENGTH(mq_two)", one="SORTED(mq_all, TRUE)", two="FILTER(mq_one, c -> c > 1)", three="mq_two")
    run = Span(tree("ARRAY_LENGTH(mq_all) > 1"), column("mq_all"), column("mq_two"))
    assert text(in_branches(evolve(given, spans=[run]))) == [
        "mq_one = SORTED(mq_all, TRUE)",
        "mq_two = FILTER(mq_one, c -> c > 1)",
        "mq_two_run = CASE WHEN ARRAY_LENGTH(mq_all) > 1 THEN mq_two ELSE mq_all END",
        "mq_three = mq_two_run",
        "found: ARRAY_LENGTH(mq_two_run)",
    ]


def test_a_run_after_a_run_begins_with_its_branch() -> None:
    given = plan("mq_two", one="SORTED(mq_all, TRUE)", two="SORTED(mq_one, FALSE)")
    spans = [Span(tree("a"), column("mq_all"), column("mq_one")), Span(tree("b"), column("mq_one"), column("mq_two"))]
    assert text(in_branches(evolve(given, spans=spans))) == [
        "mq_one = SORTED(mq_all, TRUE)",
        "mq_one_run = CASE WHEN a THEN mq_one ELSE mq_all END",
        "mq_two = SORTED(mq_one_run, FALSE)",
        "mq_two_run = CASE WHEN b THEN mq_two ELSE mq_one_run END",
        "found: mq_two_run",
    ]


def test_what_nothing_needs_is_left_out() -> None:
    given = plan("mq_two.x", one="a", two="mq_one", three="mq_two", four="mq_three")
    assert text(needed(given)) == ["mq_one = a", "mq_two = mq_one", "found: mq_two.x"]


@pytest.mark.parametrize(
    ("answer", "bindings", "after"),
    [
        # Used once, it stands where it is used.
        ("ARRAY_LENGTH(mq_few)", {"few": FEW}, [f"found: ARRAY_LENGTH({FEW})"]),
        # Used twice, it is bound.
        ("ARRAY_CONCAT(mq_few, mq_few)", {"few": FEW}, [f"mq_few = {FEW}", "found: ARRAY_CONCAT(mq_few, mq_few)"]),
        # For each item it would be evaluated again.
        ("TRANSFORM(items, c -> ARRAY_CONTAINS(mq_few, c))", {"few": FEW}, [f"mq_few = {FEW}", "found: TRANSFORM(items, c -> ARRAY_CONTAINS(mq_few, c))"]),
        # What only reads, or compares two at most, is as quick to do again.
        ("mq_name = mq_name", {"name": "COALESCE(put.queue, '')"},
         ["found: COALESCE(put.queue, '') = COALESCE(put.queue, '')"]),
        ("mq_some AND NOT mq_some", {"some": "a = 1 OR b <> 2"}, ["found: (a = 1 OR b <> 2) AND NOT (a = 1 OR b <> 2)"]),
        ("mq_some AND NOT mq_some", {"some": "a = 1 OR b <> 2 OR c = 3"},
         ["mq_some = a = 1 OR b <> 2 OR c = 3", "found: mq_some AND NOT mq_some"]),
        # But not wherever it is used, for Spark to look at as often.
        (" AND ".join(["mq_some"] * 7), {"some": "a = 1 OR b <> 2"},
         ["mq_some = a = 1 OR b <> 2", f"found: {' AND '.join(['mq_some'] * 7)}"]),
        # A binding of which a field is used has to be one.
        ("mq_chosen.queue", {"chosen": "ITEM(items, 0)"}, ["mq_chosen = ITEM(items, 0)", "found: mq_chosen.queue"]),
        # One after the other, also where a whole tree is one binding.
        ("mq_two", {"one": "a", "two": "mq_one"}, ["found: a"]),
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
        ("CASE WHEN wanted THEN ARRAY_CONCAT(mq_few, mq_few) ELSE items END",
         [f"found: CASE WHEN wanted THEN BOUND(mq_few, {FEW}, ARRAY_CONCAT(mq_few, mq_few)) ELSE items END"]),
        # What both branches use, or a condition does, is bound around the CASE.
        ("CASE WHEN wanted THEN ITEM(mq_few, 0) ELSE ITEM(mq_few, 1) END",
         [f"mq_few = {FEW}", "found: CASE WHEN wanted THEN ITEM(mq_few, 0) ELSE ITEM(mq_few, 1) END"]),
        ("CASE WHEN ARRAY_CONTAINS(mq_few, 1) THEN mq_few ELSE items END",
         [f"mq_few = {FEW}", "found: CASE WHEN ARRAY_CONTAINS(mq_few, 1) THEN mq_few ELSE items END"]),
        # What each item uses is bound once before them.
        ("TRANSFORM(items, c -> CASE WHEN c > 1 THEN ARRAY_LENGTH(mq_few) ELSE 0 END)",
         [f"mq_few = {FEW}", "found: TRANSFORM(items, c -> CASE WHEN c > 1 THEN ARRAY_LENGTH(mq_few) ELSE 0 END)"]),
        ("CASE WHEN wanted THEN TRANSFORM(items, c -> ARRAY_CONTAINS(mq_few, c)) ELSE items END",
         [f"found: CASE WHEN wanted THEN BOUND(mq_few, {FEW}, TRANSFORM(items, c -> ARRAY_CONTAINS(mq_few, c))) ELSE items END"]),
    ],
)  # fmt: skip
def test_what_one_branch_uses_is_bound_in_it(answer: str, after: list[str]) -> None:
    assert text(sunk(plan(answer, few=FEW))) == after


def test_what_only_such_a_binding_uses_goes_with_it() -> None:
    given = plan(
        "CASE WHEN wanted THEN ARRAY_CONCAT(mq_most, mq_most) ELSE items END",
        few=FEW,
        most="ARRAY_CONCAT(mq_few, mq_few)",
    )
    inner = "BOUND(mq_most, ARRAY_CONCAT(mq_few, mq_few), ARRAY_CONCAT(mq_most, mq_most))"
    assert text(sunk(given)) == [f"found: CASE WHEN wanted THEN BOUND(mq_few, {FEW}, {inner}) ELSE items END"]


def test_a_value_bound_in_a_branch_asks_no_more_what_the_branch_asked() -> None:
    found = sunk(plan("CASE WHEN wanted THEN ARRAY_CONCAT(mq_few, mq_few) END", few=f"CASE WHEN wanted THEN {FEW} END"))
    assert text(found) == [f"found: CASE WHEN wanted THEN BOUND(mq_few, {FEW}, ARRAY_CONCAT(mq_few, mq_few)) END"]
    other = sunk(plan("CASE WHEN b THEN ARRAY_CONCAT(mq_few, mq_few) END", few="CASE WHEN a THEN items END"))
    inner = "BOUND(mq_few, CASE WHEN a THEN items END, ARRAY_CONCAT(mq_few, mq_few))"
    assert text(other) == [f"found: CASE WHEN b THEN {inner} END"]


def test_what_is_known_before_the_last_bindings_is_bound_with_those_before() -> None:
    given = plan("mq_one + b", one="a + 1", two="mq_one + 2", three="mq_two + 3")
    given = evolve(
        given, answer={**given.answer, "plain": column("mq_one"), "last": tree("mq_three + 1"), "b": tree("b")}
    )
    assert text(known_early(given)) == [
        "mq_one = a + 1", "mq_two = mq_one + 2", "mq_three = mq_two + 3", "mq_answer_found = mq_one + b",
        "found: mq_answer_found", "plain: mq_one", "last: mq_three + 1", "b: b",
    ]  # fmt: skip
    assert text(known_early(plan("a"))) == ["found: a"]


def test_bindings_that_need_nothing_of_each_other_are_one() -> None:
    given = plan("mq_three.x + mq_two", one="a + 1", two="b + 1", three="mq_one", four="mq_two + mq_three.x")
    assert text(by_level(given)) == [
        "mq_level_0 = STRUCT(a + 1 AS mq_one, b + 1 AS mq_two)",
        "mq_three = mq_level_0.mq_one",
        "mq_four = mq_level_0.mq_two + mq_three.x",
        "found: mq_three.x + mq_level_0.mq_two",
    ]
    of_a_struct = plan("mq_one.x", one="put", two="b", three="mq_one.y")
    assert text(by_level(of_a_struct))[1:] == ["mq_three = mq_level_0.mq_one.y", "found: mq_level_0.mq_one.x"]


def test_numbers_beside_bits_have_their_type() -> None:
    bits = {"c & 15 = 7": "c & 15L = 7L", "3 = c & 1": "3L = c & 1L", "n = 7": "n = 7", "c & m <> 0": "c & m <> 0L"}
    bits |= {"c >> 9": "SHIFTRIGHT(c, 9)", "6 >> n": "SHIFTRIGHT(6L, n)"}
    assert {given: SPARK.text(typed(tree(given))) for given in bits} == bits


def test_bindings_stand_around_what_uses_them() -> None:
    given = plan("mq_two", one="a + 1", two="mq_one + b")
    assert plain(nested(given)) == "BOUND(mq_one, a + 1, BOUND(mq_two, mq_one + b, STRUCT(mq_two AS found)))"
    asked = plan("mq_one.x", one="put.a")
    assert plain(nested(asked, ["put"])) == "BOUND(mq_one, row.put.a, STRUCT(mq_one.x AS found))"


def test_many_bindings_are_bound_in_states() -> None:
    many = {f"n{at}": f"mq_n{at - 1} + a" if at else "a" for at in range(51)}
    found = plain(nested(plan("mq_n50 + mq_n1", **many)))
    assert found.startswith("BOUND(state, BOUND(mq_n0, a, ")
    assert found.endswith("BOUND(mq_n50, state.mq_n49 + a, STRUCT(mq_n50 + state.mq_n1 AS found)))")
    assert "STRUCT(mq_n1 AS mq_n1, mq_n49 AS mq_n49)" in found


def test_a_binding_in_spark_is_a_fold_of_nothing() -> None:
    few = "AGGREGATE(ARRAY(), FILTER(items, c -> c > 1), (start, nothing) -> start, mq_few -> STRUCT(CONCAT(mq_few, mq_few) AS found))"
    given = plan("ARRAY_CONCAT(mq_few, mq_few)", few=FEW)
    assert [SPARK.text(one_expression(given)) for _ in range(2)] == [few, few]
