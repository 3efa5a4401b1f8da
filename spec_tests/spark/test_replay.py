"""Sequences of puts in Spark, against the same puts one by one."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from attrs import evolve

from mqclause import Engine, Rules
from mqclause.model.facts.objects import ModelQueue
from mqclause.tables.schema import PUT_REQUIREMENTS, TableError, render_null_fault
from spec_tests.support.random_clusters import random_case
from spec_tests.support.weighted_routes import cluster

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

from mqclause.rulebook.rule import ReadingError
from mqclause.spark.replay import replay
from mqclause.tables.cluster_puts import build_answer
from spec_tests.support.spark_tables import PUT, from_rows, queue

FIELDS = (
    "queue: string",
    "queue_manager: string",
    "bind: string",
    "call: string",
    "from_cluster_channel: boolean",
    "cluster_pcf: boolean",
    "already_sent_to: array<string>",
)


def test_each_queue_manager_has_its_own_shares(spark: Any) -> None:
    rows = spark.range(2_000).selectExpr(
        # The order of the rows is not that of the puts: 7919 and 1,000 have no factor in common.
        "cast(id * 7919 % 1000 as int) as at",
        # A name is padded or not.
        "if(id < 1000, if(id % 3 = 0, 'QM1  ', 'QM1'), 'QMA') as queue_manager",
        "named_struct('queue', 'ORDERS.IN') as put",
    )
    found = replay(rows, {"QM1": cluster(20, 50, 20, 10), "QMA": cluster(50, 50)})
    assert found.columns == [*rows.columns, "decision"]
    counted = Counter(found.select("queue_manager", "decision.outcome", "decision.channel").collect())
    assert sum(number for (name, *_), number in counted.items() if name == "QM1  ") == 334
    of_each: Counter[tuple[str, ...]] = Counter()
    for (name, *answer), number in counted.items():
        of_each[name.rstrip(), *answer] += number
    assert of_each == {
        ("QM1", "chosen", "TO.QM2"): 200,
        ("QM1", "chosen", "TO.QM3"): 500,
        ("QM1", "chosen", "TO.QM4"): 200,
        ("QM1", "chosen", "TO.QM5"): 100,
        ("QMA", "chosen", "TO.QM2"): 500,
        ("QMA", "chosen", "TO.QM3"): 500,
    }


def test_a_put_with_a_fault_leaves_the_counters(spark: Any) -> None:
    puts = [
        queue("ORDERS.IN".ljust(48)),
        None,
        queue("  "),
        queue(queue_manager="QM2"),
        queue(call="MQGET"),
        queue("Q" * 49),
        queue("A\tB"),
        queue("MODEL"),
        queue("NOWHERE"),
        queue(call="mqopen", clwlmruc=1),
    ]
    rows = from_rows(spark, [(1, place, put) for place, put in enumerate(puts)], f"site int, at int, {PUT}")
    known = evolve(cluster(50, 50), model_queues=[ModelQueue("MODEL")])
    found = replay(rows, known, by="site").orderBy("at").select("decision.*").collect()
    assert [(row.outcome, row.channel, row.reason, row.permitted) for row in found] == [
        ("chosen", "TO.QM2", None, 2),
        *[("invalid", None, None, None)] * 2,
        ("chosen", "TO.QM2", None, 1),
        *[("invalid", None, None, None)] * 4,
        ("failed", None, 2085, 0),
        ("chosen", "TO.QM3", None, 1),
    ]
    allowed = "allowed: a name of 0 to 48 characters out of A-Z a-z 0-9 . _ / %"
    assert [row.message for row in found] == [
        None,
        render_null_fault("put"),
        PUT_REQUIREMENTS.none_given,
        None,
        "put.call = 'MQGET'; allowed: MQOPEN, MQPUT, MQPUT1",
        f"put.queue = '{'Q' * 49}'; {allowed}",
        f"put.queue = 'A\tB'; {allowed}",
        "put: queue 'MODEL' is a model queue: an open of it makes a queue of a generated name; name that queue",
        None,
        None,
    ]


def test_a_group_without_a_cluster(spark: Any) -> None:
    puts = [("QM1", "A", 1, queue()), ("QM1", "B", 1, queue()), (None, "A", 1, queue()), ("QM1", "A", 2, queue())]
    table = from_rows(spark, puts, f"site string, part string, at int, {PUT}")
    found = replay(table, {("QM1", "A"): cluster(50, 50)}, by=["site", "part"], order=["at", "part"])
    rows = found.orderBy("site", "part", "at").select("part", "decision.*").collect()
    assert [(row.part, row.channel, row.message) for row in rows] == [
        ("A", None, "no cluster is given for (None, 'A')"),
        ("A", "TO.QM2", None),
        ("A", "TO.QM3", None),
        ("B", None, "no cluster is given for ('QM1', 'B')"),
    ]


def test_as_the_engine_decides_put_by_put(spark: Any) -> None:
    rng, engine = Random(12), Engine()
    cases = [random_case(rng) for _ in range(30)]
    rows, expected = [], []
    for site, (given, put) in enumerate(cases):
        if put.queue and put.queue_manager:  # a row that names both is invalid
            put = evolve(put, queue_manager="")
        state = None
        for at in range(6):
            decision = engine.choose(put, given, state, explain="rule")
            state = decision.state
            rows.append((site, at, {name: getattr(put, name) for name in (field.split(":")[0] for field in FIELDS)}))
            expected.append(build_answer(decision, explain=True))
    table = from_rows(spark, rows, f"site int, at int, put struct<{', '.join(FIELDS)}>")
    clusters = {site: given for site, (given, _) in enumerate(cases)}
    found = replay(table, clusters, "site", explain=True).orderBy("site", "at").select("decision.*").collect()
    assert [row.asDict() for row in found] == expected


@pytest.mark.parametrize(
    ("readings", "more", "error"),
    [
        ({"weight-step": "odd"}, ["1 as put"], ReadingError),
        ({}, ["1 as put", "1 as decision"], TableError),
        ({}, [], TableError),
    ],
)
def test_what_is_refused_at_once(readings: dict[str, str], more: list[str], error: type[Exception], spark: Any) -> None:
    columns = "'QM1' as queue_manager", "1 as at"
    with pytest.raises(error, match="odd|decision already|column put is missing"):
        replay(spark.range(1).selectExpr(*columns, *more), cluster(50), rules=Rules(readings))


REFUSED = [
    ({"by": "queue_manger"}, "column queue_manger is missing; the table has: {}; did you mean 'Queue_Manager'?"),
    ({"order": ["at", "att"]}, "column att is missing; the table has: {}; did you mean 'at'?"),
    ({"order": "From.att"}, "column from.att is missing; from has: at; did you mean 'at'?"),
    ({"by": "at.x"}, "column at.x is missing; the table has: {}; did you mean 'at'?"),
    ({"by": None}, "column None is missing; the table has: {}"),
    ({"order": []}, "order=[]: names no column; the counters go from put to put in some order"),
]


@pytest.mark.parametrize(("given", "message"), REFUSED)
def test_columns_that_are_not_there(given: dict[str, Any], message: str, spark: Any) -> None:
    puts = spark.range(1).selectExpr(
        "'QM1' as Queue_Manager", "1 as at", "named_struct('at', 1) as from", "named_struct('queue', 'Q') as put"
    )
    with pytest.raises(TableError) as raised:
        replay(puts, cluster(50), **given)
    assert str(raised.value) == message.format(", ".join(puts.columns))


@pytest.mark.parametrize(
    ("put", "message"),
    [
        ("1", "column put is an integer; expected a struct with queue or queue_manager"),
        ("named_struct('quue', 'Q')", "column put.quue is not known; did you mean 'queue'?"),
        ("named_struct('queue', 1)", "column put.queue is an integer; expected a text (a CAST to STRING would do)"),
    ],
)
def test_a_put_that_is_none_is_told_before_anything_runs(put: str, message: str, spark: Any) -> None:
    puts = spark.range(1).selectExpr("'QM1' as queue_manager", "1 as at", f"{put} as put")
    with pytest.raises(TableError) as raised:
        replay(puts, cluster(50))
    assert str(raised.value) == message


def test_columns_of_any_name_and_in_structs(spark: Any) -> None:
    rows: list[tuple[Any, ...]] = [(1, {"Na.Me": "A"}, number, queue()) for number in range(4)]
    table = from_rows(spark, rows, f"`x.y` int, `q``m` struct<`Na.Me`: string>, `my.at` int, {PUT}")
    found = replay(table, {"A": cluster(50, 50)}, by="Q`M.na.me", order="MY.AT")
    assert found.columns == [*table.columns, "decision"]
    expected = [(*row[:3], f"TO.QM{2 + row[2] % 2}") for row in rows]
    taken = sorted(found.collect(), key=lambda row: row["my.at"])
    assert [(row[0], row[1].asDict(), row[2], row["decision"].channel) for row in taken] == expected
