"""The functions of plans in the dialects of DuckDB and Spark, and the brackets that operations need."""

from __future__ import annotations

from random import Random

import pytest

for needed in ("pyspark", "duckdb", "pyarrow"):
    pytest.importorskip(needed)

import duckdb

from mqclause import Rules
from mqclause.documents import OUTCOME, WORKLOAD
from mqclause.duckdb.dialect import DUCKDB
from mqclause.duckdb.table import GivenTable, decide, get_column_kinds
from mqclause.model.facts.domains import Name, Words
from mqclause.spark.dialect import SPARK
from mqclause.tables.lowering import is_no_name, normalize_value
from mqclause.tables.query import build_decision, build_plan
from mqclause.tables.schema import Column, build_shape
from mqclause.tables.shares import build_ties_plan
from spec_tests.support.plan_text import plain, text, tree
from spec_tests.support.random_rows import arrow_table, random_rows

WRITTEN = [
    ("TRANSFORM(items, (c, place) -> c + place)", "LIST_TRANSFORM(items, LAMBDA c, place : c + (place - 1))"),
    ("FILTER(items, c -> c.x > 1)", "LIST_FILTER(items, LAMBDA c : c.x > 1)"),
    ("FILTER(items, (c, place) -> place = 1)", "LIST_FILTER(items, LAMBDA c, place : place - 1 = 1)"),
    ("NONE_OF(items, c -> c > 1)", "LEN(LIST_FILTER(items, LAMBDA c : c > 1)) = 0"),
    ("ITEM(items, 0)", "LIST_EXTRACT(items, 1)"),
    ("ITEM(items, a - 1)", "LIST_EXTRACT(items, (a - 1) + 1)"),
    ("ARRAY_SLICE(items, 1, n)", "LIST_SLICE(items, 1, n)"),
    ("ARRAY_CONTAINS(items, a)", "LIST_CONTAINS(items, a)"),
    ("ARRAY_POSITION(items, a)", "LIST_POSITION(items, a)"),
    ("ARRAY_CONCAT(one, other)", "LIST_CONCAT(one, other)"),
    ("ARRAY_REVERSE(items)", "LIST_REVERSE(items)"),
    ("ARRAY_LENGTH(items)", "LEN(items)"),
    ("SORTED(items, TRUE)", "LIST_SORT(items)"),
    ("SORTED(items, FALSE)", "LIST_SORT(items, 'DESC')"),
    ("ARRAY_MAX(items)", "LIST_MAX(items)"),
    ("ARRAY_MIN(items)", "LIST_MIN(items)"),
    ("DIFFERING_BITS(items, a)", "COALESCE(LIST_BIT_OR(items) - LIST_BIT_AND(items), 0)"),
    (
        "UNPADDED(a)",
        f"CASE WHEN ENDS_WITH(a, ' ') THEN CASE WHEN STARTS_WITH('{' ' * 64}', SUBSTR(a, INSTR(a, ' '))) THEN LEFT(a, INSTR(a, ' ') - 1) ELSE RTRIM(a, ' ') END ELSE a END",
    ),
    (
        "UNPADDED(ITEM(a, 0).x)",
        "CASE WHEN ENDS_WITH(LIST_EXTRACT(a, 1).x, ' ') THEN RTRIM(LIST_EXTRACT(a, 1).x, ' ') ELSE LIST_EXTRACT(a, 1).x END",
    ),
    (
        "TRANSFORM(items, c -> UNPADDED(c))",
        f"LIST_TRANSFORM(items, LAMBDA c : CASE WHEN ENDS_WITH(c, ' ') THEN CASE WHEN STARTS_WITH('{' ' * 64}', SUBSTR(c, INSTR(c, ' '))) THEN LEFT(c, INSTR(c, ' ') - 1) ELSE RTRIM(c, ' ') END ELSE c END)",
    ),
    (
        "HAS_ODD_LETTERS(a)",
        "URL_ENCODE(a) <> a OR CONTAINS(a, '-') OR CONTAINS(a, '~')",
    ),
    ("TOGETHER_AS_TEXT((a, LIST_AS_TEXT(items)))", "CONCAT(a, ARRAY_TO_STRING(items, ''))"),
    ("TEXT_LENGTH(a)", "STRLEN(a)"),
    ("TRANSFORM(items, c -> c.x)", "LIST_TRANSFORM(items, LAMBDA c : c.x)"),
    ("TRANSFORM(items, (c, place) -> place)", "LIST_TRANSFORM(items, LAMBDA c, place : place - 1)"),
    (
        "ARRAY_LENGTH(FILTER(TRANSFORM(items, c -> c.x), c -> ARRAY_CONTAINS(few, c)))",
        "LEN(LIST_FILTER(LIST_TRANSFORM(items, LAMBDA c : c.x), LAMBDA c : LIST_CONTAINS(few, c)))",
    ),
]

IN_SPARK = [
    ('ITEM(items, 0)', 'GET(items, CAST(0 AS INT))'),
    ('ITEM(items, a - 1)', 'GET(items, CAST(a - 1 AS INT))'),
    ('ARRAY_CONTAINS(items, a)', 'COALESCE(ARRAY_CONTAINS(items, a), FALSE)'),
    ('ARRAY_CONCAT(one, other)', 'CONCAT(one, other)'),
    ('UNPADDED(a)', 'RTRIM(a)'),
    ('HAS_ODD_LETTERS(a)', "NOT (a RLIKE '(?s)^[%./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz]*(?!.)')"),
    ('TEXT_LENGTH(a)', 'OCTET_LENGTH(a)'),
]  # fmt: skip


@pytest.mark.parametrize(("neutral", "written"), WRITTEN, ids=[each[0] for each in WRITTEN])
def test_a_function_in_duckdb(neutral: str, written: str) -> None:
    node = tree(neutral)
    assert DUCKDB.text(node) == written
    assert plain(node) == neutral


@pytest.mark.parametrize(("neutral", "written"), IN_SPARK, ids=[each[0] for each in IN_SPARK])
def test_a_function_of_the_order_of_messages_in_spark(neutral: str, written: str) -> None:
    assert SPARK.text(tree(neutral)) == written


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("A", "CASE WHEN a IN ('A') THEN a ELSE TRANSLATE(a, 'a', 'A') END"),
        ("b", "CASE WHEN a IN ('b') THEN a ELSE TRANSLATE(a, 'B', 'b') END"),
        ("Ab", "a"),
    ],
)
def test_a_word_is_read_in_the_letter_case_of_its_column(word: str, written: str) -> None:
    found = normalize_value(Column("words", Words((word,)), word), tree("a"))
    assert (DUCKDB.text(found), SPARK.text(found)) == (written, written)


def test_a_name_is_looked_at_without_its_padding() -> None:
    wrong = is_no_name(Name(9), tree("ITEM(a, 0).x"))
    odd = "[^%./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz]"
    name = "LIST_EXTRACT(a, 1).x"
    unpadded = f"CASE WHEN ENDS_WITH({name}, ' ') THEN RTRIM({name}, ' ') ELSE {name} END"
    assert DUCKDB.text(wrong) == f"(REGEXP_MATCHES({unpadded}, '{odd}')) OR STRLEN({unpadded}) > 9"
    of_spark = "GET(a, CAST(0 AS INT)).x"
    assert SPARK.text(wrong) == f"(RTRIM({of_spark}) RLIKE '{odd}') OR OCTET_LENGTH(RTRIM({of_spark})) > 9"


@pytest.mark.parametrize(
    "grouped",
    [
        "a AND (b OR c)", "(a OR b) AND c", "NOT (a AND b)", "NOT a = b", "(a = b) = c", "a - (b - c)", "(a - b) - c",
        "(a & 3) | b", "a & (b | c)", "a + b * c", "(a + b) * c", "(a + b) & c", "NOT (a BETWEEN 1 AND 2) IS NULL",
        "a OR b OR c", "a + b + c", "(a || b) = c", "CASE WHEN a OR b THEN c + 1 END > 0", "-(a + b)",
    ],
)  # fmt: skip
def test_brackets_keep_a_tree_as_it_is(grouped: str) -> None:
    node = tree(grouped)
    for dialect in (DUCKDB, SPARK):
        assert tree(dialect.text(node)) == node
    assert tree(plain(node)) == node


def test_brackets_that_hold_nothing_together_are_left_out() -> None:
    assert DUCKDB.text(tree("((a & 4) <> 0) AND ((b + (c * 2)) > 1)")) == "a & 4 <> 0 AND b + c * 2 > 1"


def test_a_plan_that_is_kept_stays_as_it_was_made() -> None:
    relation = GivenTable.of(arrow_table(random_rows(Random(1), 20)), duckdb.connect()).relation
    shape, rules = build_shape(get_column_kinds(relation), OUTCOME), Rules()
    plans = [build_plan(rules, shape, build_decision, WORKLOAD), build_ties_plan(rules, shape)]
    before = [(text(each), [hash(tree) for tree in each.bindings.values()]) for each in plans]
    kept = build_plan.cache_info().hits
    decide(relation, rules=rules, explain=True, shares=True)
    assert build_plan.cache_info().hits == kept + 2, "other plans were made"
    assert [(text(each), [hash(tree) for tree in each.bindings.values()]) for each in plans] == before
