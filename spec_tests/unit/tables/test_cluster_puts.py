"""What a put says in a cluster has a number, by which its decision is found; what is odd has none."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import duckdb
import pyarrow as pa
from attrs import evolve

from mqclause import Cluster, Queue, QueueManager, RemoteQueueManager, Rules
from mqclause.duckdb.dialect import DUCKDB
from mqclause.model.facts.objects import ModelQueue
from mqclause.tables.cluster_puts import NAME_PLACEHOLDERS, PUT_VALUES, build_named_puts, decide_puts, decided_names
from mqclause.tables.flat import cluster_puts
from mqclause.tables.schema import PUT, FieldType, ListOf, Struct
from spec_tests.support.random_rows import arrow_struct

CLUSTER = Cluster(
    QueueManager("QM1", clusters=("SALES",), clwlmruc=7),
    [RemoteQueueManager("QM2", ("SALES",)), RemoteQueueManager("QM é𝄞", ("SALES",))],
    [Queue("ORDERS.IN", "QM2", clusters=("SALES",)), Queue("NONE.0", "QM2")],
)
KINDS: dict[str, FieldType] = {
    **dict.fromkeys(PUT, "text"),
    "already_sent_to": ListOf("text"), "clwlmruc": "integer", "from_cluster_channel": "boolean", "cluster_pcf": "boolean",
}  # fmt: skip


EVERY = 4 * 3 * 2 * 2
"""Binding, call, two flags; sent to nobody; the CLWLMRUC of the queue manager."""


def numbers(*puts: dict[str, Any]) -> Sequence[int | None]:
    """The place of what each says among all that puts can say, and then, of odd ones, among all again."""
    number = cluster_puts({"put": Struct(KINDS)}, CLUSTER, None, {}).number(range(2 * EVERY))
    assert number is not None
    given = [{**dict.fromkeys(PUT), "queue": "ORDERS.IN", **put} for put in puts]
    table = duckdb.from_arrow(pa.table({"put": pa.array(given, arrow_struct(PUT))}))
    found = table.query("puts", f"SELECT {DUCKDB.text(number)} FROM puts")
    assert found is not None
    return [at for (at,) in found.fetchall()]


def test_a_number_for_each_thing_that_a_put_can_say() -> None:
    said = [dict(zip(PUT_VALUES, each, strict=True)) for each in product(*PUT_VALUES.values())]
    assert len(said) == EVERY
    assert numbers(*said) == list(range(len(said)))
    assert numbers(*({**each, "clwlmruc": 7, "already_sent_to": None} for each in said)) == list(range(len(said)))


def test_what_a_put_leaves_out_is_its_default() -> None:
    stated = {"bind": "as_q_def", "call": "mqput", "from_cluster_channel": False, "cluster_pcf": False, "queue": "X "}
    assert len(set(numbers({}, stated, {"queue": "", "queue_manager": "QM2"}))) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"bind": ""}, {"bind": "NONE"}, {"call": "MQGET"}, {"call": "\ufb06"}, {"clwlmruc": 0}, {"already_sent_to": ["A B"]},
    ],
)  # fmt: skip
def test_what_a_put_may_not_say_has_no_number(wrong: dict[str, Any]) -> None:
    assert numbers(wrong) == [None]


def test_what_is_odd_has_the_number_of_the_rest_after_all_others() -> None:
    odd = ({"clwlmruc": 8}, {"clwlmruc": 999_999_999}, {"already_sent_to": ["QM2"]}, {"already_sent_to": [None]})
    (rest,) = numbers({"call": "MQOPEN"})
    assert rest is not None
    assert numbers(*({"call": "MQOPEN", **each} for each in odd)) == [rest + EVERY] * 4


def test_names_and_those_that_are_none() -> None:
    # QM é𝄞 is in the facts, but no put can name it. Beside QM1 it matters which queue is named, beside QM2 it is kept.
    cluster = evolve(CLUSTER, queues=[*CLUSTER.queues, Queue("OWN", "QM1")])
    names = build_named_puts(cluster, Rules())
    listed = [(each.put.queue, each.put.queue_manager) for each in names.named]
    assert names.beside == ["QM1"]
    assert listed == [
        ("ORDERS.IN", ""), ("NONE.0", ""), ("OWN", ""), ("", "QM1"), ("", "QM2"),
        ("ORDERS.IN", "QM1"), ("NONE.0", "QM1"), ("OWN", "QM1"), ("NONE.1", "QM2"),
        ("NONE.1", ""), ("", "NONE.2"), ("NONE.1", "NONE.2"), ("NONE.1", "QM1"),
    ]  # fmt: skip
    assert [each.unknown for each in names.named] == [False] * 9 + [True] * 4
    found = decide_puts(cluster, Rules(), explain=False)
    assert [len(each) for each in found] == [EVERY] * 13
    # Unknown: a queue, a queue manager, a queue at an unknown queue manager, a queue at the local one.
    reasons = [{each["decision"]["reason"] for each in of_name} for of_name in found[-4:]]
    assert reasons == [{2085}, {2087}, {2087}, {2085}]


def test_where_no_queue_is_to_be_found_it_does_not_matter_which_is_named() -> None:
    """QM1 has no queue of its own; a put to a model queue is refused."""
    assert build_named_puts(CLUSTER, Rules()).beside == []
    assert build_named_puts(evolve(CLUSTER, model_queues=[ModelQueue("M")]), Rules()).beside == ["QM1"]


def test_a_put_is_settled_by_its_names_as_they_are_written() -> None:
    """Of a flat table that says nothing else: plain, or padded; what nobody knows is told apart by its kind."""
    puts = cluster_puts({"q": "text", "m": "text"}, CLUSTER, None, {"queue": "q", "queue_manager": "m"})
    found = decided_names(puts, Rules(), explain=False, spread=None)
    assert puts.number(found.numbers) is None
    # Queue ORDERS.IN at QM2 is a destination without a channel; beside QM2 any queue is kept.
    spelt = {(each.queue, each.queue_manager): each.spelt for each in found.names}
    assert spelt[("ORDERS.IN", "")] == "itself"
    assert spelt[(NAME_PLACEHOLDERS["queue"], "QM2")] == "any"
    assert found.queues == [["ORDERS.IN", "NONE.0"]]
    assert found.answers[0]["outcome"] == "invalid"
    reasons = [[found.answers[place]["reason"] for place in kind] for kind in found.unknown[0]]
    assert reasons == [[2085], [2087], [2087]]
    assert found.odd == []
