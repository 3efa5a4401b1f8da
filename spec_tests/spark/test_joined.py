"""What a put asks in a cluster has a number, by which its decision is found; what is odd has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

import duckdb
import pyarrow as pa
from attrs import evolve

from mqclause import Cluster, Queue, QueueManager, RemoteQueueManager
from mqclause.duckdb.dialect import DUCKDB
from mqclause.spark.joined import MOST, JoinedPuts
from mqclause.tables.columns import PUT
from mqclause.tables.shape import ListOf, Struct
from spec_tests.support.random_rows import arrow_struct

CLUSTER = Cluster(
    QueueManager("QM1", clusters=("SALES",), clwlmruc=7),
    [RemoteQueueManager("QM2", ("SALES",)), RemoteQueueManager("QM é𝄞", ("SALES",))],
    [Queue("ORDERS.IN", "QM2", clusters=("SALES",))],
)
KINDS = dict.fromkeys(PUT, "text") | {
    "already_sent_to": ListOf("text"), "clwlmruc": "integer", "from_cluster_channel": "boolean", "cluster_pcf": "boolean",
}  # fmt: skip
DEFAULTS: dict[str, Any] = {
    "bind": "AS_Q_DEF", "call": "MQPUT", "from_cluster_channel": False, "cluster_pcf": False, "already_sent_to": [],
    "clwlmruc": 7,
}  # fmt: skip


def joined(cluster: Cluster = CLUSTER) -> JoinedPuts:
    return JoinedPuts.of({"put": Struct(KINDS)}, cluster)


def numbers(puts: Sequence[Mapping[str, Any]], cluster: Cluster = CLUSTER) -> list[int | None]:
    number = DUCKDB.text(joined(cluster).number)
    table = pa.table({"put": pa.array([dict.fromkeys(PUT) | put for put in puts], arrow_struct(PUT))})
    return [at for (at,) in duckdb.from_arrow(table).query("puts", f"SELECT {number} FROM puts").fetchall()]


def test_a_number_for_each_thing_that_a_put_can_say() -> None:
    said = joined().said
    # Binding, call, two flags; sent to nobody or one of three queue managers; one CLWLMRUC.
    assert len(said) == 4 * 3 * 2 * 2 * (1 + 3)
    assert numbers(said) == list(range(len(said)))


def test_what_a_put_leaves_out_is_its_default() -> None:
    puts = [{}, DEFAULTS, {"bind": "as_q_def", "call": "mqput"}]
    assert numbers(puts) == [joined().said.index(DEFAULTS)] * 3


@pytest.mark.parametrize(
    "odd",
    [
        {"bind": ""}, {"bind": "NONE"}, {"call": "MQGET"}, {"clwlmruc": 8}, {"clwlmruc": -1},
        {"already_sent_to": ["QM2", "QM1"]}, {"already_sent_to": [None]}, {"already_sent_to": ["qm2"]},
        {"already_sent_to": ["ORDERS.IN"]}, {"already_sent_to": [""]},
    ],
)  # fmt: skip
def test_what_is_odd_has_no_number(odd: dict[str, Any]) -> None:
    assert numbers([odd]) == [None]


def test_of_too_many_situations_those_of_messages_that_went_somewhere_are_left_out() -> None:
    managers = [RemoteQueueManager(f"QM{at}", ("SALES",)) for at in range(2, 61)]
    # To 60 queue managers and a queue, of messages that went to none or one of the 60; or to 51 of them and a queue.
    large, small = evolve(CLUSTER, remote_queue_managers=managers), evolve(CLUSTER, remote_queue_managers=managers[:50])
    sent = {"already_sent_to": ["QM9"]}
    assert 61 * 48 * 61 > MOST > 52 * 48 * 52
    assert [len(joined(each).said) for each in (large, small)] == [48, 48 * 52]
    assert numbers([sent, {}], large) == [None, joined(large).said.index(DEFAULTS)]
    assert None not in numbers([sent, {}], small)
