"""A program as one expression of Spark's: what is bound, and where."""

from __future__ import annotations

from mqclause.spark.pipeline import Pipeline
from mqclause.tables.plan import Program

LIST = "those(items, lambda c: c > 1)"


def sql_of(result: str, **bindings: str) -> str:
    return Pipeline.of(Program({f"mq_{name}": source for name, source in bindings.items()}, {"found": result})).sql()


def test_what_one_branch_uses_is_bound_in_it() -> None:
    found = sql_of("CASE WHEN wanted THEN length_of(joined(mq_few, mq_few)) ELSE 0 END", few=LIST)
    assert found.index("WHEN wanted THEN") < found.index("FILTER(items")


def test_what_two_branches_use_is_bound_around_both() -> None:
    found = sql_of("CASE WHEN wanted THEN item(mq_few, 0) ELSE item(mq_few, 1) END", few=LIST)
    assert found.index("FILTER(items") < found.index("WHEN wanted THEN")


def test_what_a_condition_uses_is_bound_around_it() -> None:
    found = sql_of("CASE WHEN has(mq_few, 1) THEN mq_few ELSE items END", few=LIST)
    assert found.index("FILTER(items") < found.index("CASE WHEN")


def test_what_each_item_uses_is_bound_once_before_them() -> None:
    each_item = "each(items, lambda c: CASE WHEN c > 1 THEN length_of(joined(mq_few, mq_few)) ELSE 0 END)"
    found = sql_of(each_item, few=LIST)
    assert found.index("FILTER(items") < found.index("TRANSFORM(items")
    branch = sql_of(f"CASE WHEN wanted THEN {each_item} ELSE items END", few=LIST)
    assert branch.index("WHEN wanted THEN") < branch.index("FILTER(items") < branch.index("TRANSFORM(items")


def test_what_only_such_a_binding_uses_goes_with_it() -> None:
    found = sql_of(
        "CASE WHEN wanted THEN joined(mq_most, mq_most) ELSE items END", few=LIST, most="joined(mq_few, mq_few)"
    )
    assert found.index("WHEN wanted THEN") < found.index("FILTER(items")
    assert found.count("FILTER(items") == 1
