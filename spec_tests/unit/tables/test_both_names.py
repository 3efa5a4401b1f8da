"""Rows that name a queue and a queue manager: resolved as the engine does it, however many pairs a table holds."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import pyarrow as pa
from attrs import evolve

from mqclause import Channel, Cluster, Engine, Queue, QueueManager, QueueManagerAlias, RemoteQueueManager, Rules
from mqclause.duckdb import decide
from spec_tests.support.deep import first
from spec_tests.support.pairs import by_engine, random_pairs
from spec_tests.support.random_clusters import random_case, random_readings
from spec_tests.support.random_rows import answers
from spec_tests.support.together import Together, connection

OWN = QueueManager("QM1", clusters=("SALES",))
HOSTS = ("QM2", "QM3")
QUEUES = [
    *(Queue("ORDERS", host, clusters=("SALES",), defbind="NOTFIXED") for host in HOSTS),
    Queue("HERE", "QM1", clusters=("SALES",), put="DISABLED"),
    Queue("HERE", "QM2", clusters=("SALES",)),
    Queue("PRIVATE", "QM1"),
    Queue("BASE", "QM1", "QALIAS", target="PRIVATE"),
    Queue("AWAY", "QM1", "QREMOTE", rname="ORDERS", rqmname="QM3", put="DISABLED"),
    Queue("BY.HAND", "QM1", usage="XMITQ"),
    Queue("OTHER.NAME", "QM1", "QREMOTE", rqmname="QM3"),
    Queue("OWN.NAME", "QM1", "QREMOTE", rqmname="QM1"),
]
CLUSTER = Cluster(
    OWN,
    [RemoteQueueManager(host, ("SALES",)) for host in HOSTS],
    QUEUES,
    [QueueManagerAlias("EITHER", host, ("SALES",)) for host in HOSTS],
    [Channel(f"TO.{host}", host, "SALES") for host in HOSTS],
)
WITH_DEFAULT = evolve(CLUSTER, queue_manager=evolve(OWN, defxmitq="BY.HAND"))


def of(*puts: dict[str, Any], cluster: Cluster = CLUSTER, **more: Any) -> list[dict[str, Any]]:
    names = ["queue", "queue_manager", "call", "bind", "cluster_pcf", "already_sent_to", "clwlmruc"]
    table = pa.table({"id": range(len(puts)), "put": [{**dict.fromkeys(names), **put} for put in puts]})
    return answers(decide(table, cluster, connection=connection(), **more))


IN_CLUSTER = Together(lambda puts: of(*puts))


def gone(found: dict[str, Any]) -> tuple[Any, ...]:
    """Queue, queue manager, channel and transmission queue, or the reason."""
    return (found["reason"],) if found["reason"] else tuple(
        found[name] for name in ("queue", "queue_manager", "channel", "transmission_queue")
    )  # fmt: skip


LEADS = [
    # Another queue manager of the cluster: the queue is not resolved here, and kept, whether anybody has it or not.
    ("ORDERS", "QM3", ("ORDERS", "QM3", "TO.QM3", None)),
    ("NO.SUCH", "QM3", ("NO.SUCH", "QM3", "TO.QM3", None)),
    ("PRIVATE  ", "QM2 ", ("PRIVATE", "QM2", "TO.QM2", None)),
    ("ORDERS", "EITHER", ("ORDERS", "QM2", "TO.QM2", None)),
    # A local alias of a queue manager; the name of a transmission queue.
    ("NO.SUCH", "OTHER.NAME", ("NO.SUCH", "QM3", "TO.QM3", None)),
    ("NO.SUCH", "BY.HAND", ("NO.SUCH", "BY.HAND", None, "BY.HAND")),
    # The local queue manager: the queue is looked up here.
    ("PRIVATE", "QM1", ("PRIVATE", "QM1", None, None)),
    ("BASE", "QM1", ("PRIVATE", "QM1", None, None)),
    ("PRIVATE", "OWN.NAME", ("PRIVATE", "QM1", None, None)),
    ("HERE", "QM1", (2051,)),
    ("ORDERS", "QM1", (2085,)),
    ("NO.SUCH", "QM1", (2085,)),
    ("NO.SUCH", "OWN.NAME", (2085,)),
    # A queue manager that nobody knows.
    ("ORDERS", "QM9", (2087,)),
]


LED = IN_CLUSTER.ask(*({"queue": queue, "queue_manager": queue_manager} for queue, queue_manager, _ in LEADS))


def test_where_two_names_lead() -> None:
    assert list(map(gone, LED())) == [expected for *_, expected in LEADS]


def test_an_unknown_queue_manager_by_the_default_transmission_queue() -> None:
    puts = [{"queue": name, "queue_manager": f"QM{name[-1]}"} for name in ("A8", "B9")]
    expected = [("A8", "QM8", None, "BY.HAND"), ("B9", "QM9", None, "BY.HAND")]
    assert [gone(each) for each in of(*puts, cluster=WITH_DEFAULT)] == expected


SENT_TO_QM2 = {"cluster_pcf": True, "already_sent_to": ["QM2"]}
# EITHER is QM2 or QM3, and the message went to QM2 already; AWAY is put-disabled on the way to QM3.
ODD = IN_CLUSTER.ask(
    {"queue": "ORDERS", "queue_manager": "EITHER", **SENT_TO_QM2}, {"queue": "AWAY", "clwlmruc": 1},
    {"queue": "AWAY", "clwlmruc": 1, "call": "MQOPEN"}, {"queue": "AWAY", "queue_manager": "QM1", **SENT_TO_QM2},
)  # fmt: skip


def test_an_odd_put_asks_for_what_its_names_come_to() -> None:
    found = ODD()
    assert gone(found[0]) == ("ORDERS", "QM3", "TO.QM3", None)
    assert [each["reason"] for each in found[1:]] == [2051, None, 2051]
    assert found[2]["outcome"] == "deferred"


def test_shares_and_spread_name_the_queue_of_the_row() -> None:
    puts: list[dict[str, Any]] = [
        {"queue": "ORDERS", "queue_manager": "EITHER"},
        {"queue": "Q", "queue_manager": "EITHER", "clwlmruc": 5},
    ]
    for put, each in zip(puts, of(*puts, shares=True, spread="id"), strict=True):
        listed = [(share["queue"], share["queue_manager"], share["share"]) for share in each["shares"]]
        assert listed == [(put["queue"], "QM2", 0.5), (put["queue"], "QM3", 0.5)]
        assert each["queue"] == put["queue"]


def test_which_queue_is_kept_is_asked_of_every_put() -> None:
    """Also of an odd one, where it turns on more than the names."""
    rules = Rules()
    kept = "CASE WHEN put_queue_manager = '' THEN '' ELSE put_queue END"
    by_binding = rules.files["terms.toml"].replace(kept, "CASE WHEN bind = 'OPEN' THEN '' ELSE put_queue END")
    engine = Engine(rules.with_files({"terms.toml": by_binding}))
    puts = [
        {"queue": queue, "queue_manager": queue_manager, "bind": bind, "call": "MQPUT1", **odd}
        for queue, queue_manager in (("ORDERS", "QM3"), ("NO.SUCH", "EITHER"), ("ORDERS", ""), ("", "EITHER"))
        for bind in ("OPEN", "NOTFIXED", "AS_Q_DEF")
        for odd in ({}, {"clwlmruc": 5}, {"already_sent_to": ["QM2"]})
    ]
    found = of(*puts, rules=engine.rules, explain=True)
    assert found == [by_engine(engine, CLUSTER, put) for put in puts]
    assert [each["queue"] for each in found[:9]] == [None] * 3 + ["ORDERS"] * 3 + [None] * 3


def test_what_is_defined_here_was_followed_already_also_of_an_odd_put() -> None:
    """QM1 advertises a definition of QM2 of its own, which leads on to QM2: it is no destination beside that."""
    definition = QueueManagerAlias("QM2", "QM2", ("SALES",), host="QM1")
    cluster = evolve(CLUSTER, queue_manager_aliases=[definition])
    put = {"queue": "ORDERS", "queue_manager": "QM2"}
    found = of(put, {**put, "clwlmruc": 5}, cluster=cluster, explain=True)
    assert list(map(gone, found)) == [("ORDERS", "QM2", "TO.QM2", None)] * 2
    assert [(each["permitted"], each["eliminated_by"]) for each in found] == [(1, [None])] * 2


WRONG = IN_CLUSTER.ask(
    {"queue": "*", "queue_manager": "QM2"}, {"queue": "ORDERS", "queue_manager": "A B", "bind": "NO"},
    {"queue": "* ", "queue_manager": "QM9"}, {"queue": "ORDERS", "queue_manager": "QM9", "bind": "NO"},
)  # fmt: skip


def test_names_that_are_wrong_are_told_first() -> None:
    allowed = "allowed: a name of 0 to 48 characters out of A-Z a-z 0-9 . _ / %"
    assert [each["message"] for each in WRONG()] == [
        f"put.queue = '*'; {allowed}",
        f"put.queue_manager = 'A B'; {allowed}",
        f"put.queue = '* '; {allowed}",
        "put.bind = 'NO'; allowed: OPEN, NOTFIXED, GROUP, AS_Q_DEF",
    ]


def test_as_many_pairs_as_there_are_rows() -> None:
    table = pa.table(
        {"id": range(3000), "Q": [f"REPLY.{at}" for at in range(3000)], "QM": ["QM2", "QM3", "QM9"] * 1000}
    )
    found = answers(decide(table, CLUSTER, queue="Q", queue_manager="QM"))
    expected = [("TO.QM2", None), ("TO.QM3", None), (None, 2087)] * 1000
    assert [(each["channel"], each["reason"]) for each in found] == expected
    assert all(each["queue"] in (None, f"REPLY.{at}") for at, each in enumerate(found))


def test_an_alias_of_a_queue_manager_that_is_hosted_here_is_no_queue() -> None:
    cluster = evolve(CLUSTER, queue_manager_aliases=[QueueManagerAlias("ANYBODY", "QM1", ("SALES",))])
    puts = [{"queue": "ANYBODY"}, {"queue": "ANYBODY", "queue_manager": "QM1"}]
    assert [gone(each) for each in of(*puts, cluster=cluster)] == [(2184,)] * 2
    # As a queue manager it is the local one.
    (found,) = of({"queue": "PRIVATE", "queue_manager": "ANYBODY"}, cluster=cluster)
    assert gone(found) == ("PRIVATE", "QM1", None, None)


@pytest.mark.parametrize("seed", first(1, range(1, 24)))
def test_as_the_engine_decides(seed: int) -> None:
    rng = Random(seed)
    cluster, _ = random_case(rng)
    engine = Engine(Rules(random_readings(rng) if seed else {}))
    puts = random_pairs(rng, cluster, 60)
    found = of(*puts, cluster=cluster, rules=engine.rules, explain=True)
    for put, one in zip(puts, found, strict=True):
        assert one == by_engine(engine, cluster, put), put
    assert {bool(put["queue"]) + bool(put["queue_manager"]) for put in puts} == {1, 2}
