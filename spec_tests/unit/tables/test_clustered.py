"""Tables of puts decided by DuckDB in a cluster, against the engine's decision about each put."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import pyarrow as pa
from attrs import asdict, evolve

from mqclause import Channel, Cluster, Engine, Put, Queue, QueueManager, RemoteQueueManager, Rules
from mqclause.duckdb import decide
from mqclause.model.facts.objects import ModelQueue
from mqclause.tables.schema import DECISION, PUT, PUT_REQUIREMENTS, TableError, render_null_fault
from spec_tests.support.adversarial import adversarial_puts
from spec_tests.support.adversarial import by_engine as decided_by
from spec_tests.support.deep import first
from spec_tests.support.many_clusters import told
from spec_tests.support.pairs import PLACES, QUEUES
from spec_tests.support.random_clusters import random_case, random_put, random_readings
from spec_tests.support.random_rows import answers, arrow_struct
from spec_tests.support.together import Together, connection


def table(puts: list[Any], **more: list[Any]) -> Any:
    return pa.table({"id": range(len(puts)), "put": pa.array(puts, arrow_struct(PUT)), **more})


def of_few_fields(puts: list[dict[str, Any]]) -> Any:
    """A table whose puts have no more fields than are named: of others its query would say much."""
    kind = arrow_struct({name: PUT[name] for name in dict.fromkeys(name for put in puts for name in put)})
    return pa.table({"id": range(len(puts)), "put": pa.array(puts, kind)})


def row(put: Put) -> dict[str, Any]:
    """The put as a table holds it: null where it says nothing."""
    return {name: None if value == "" else value for name, value in asdict(put).items()}


@pytest.mark.parametrize("shares", first(1, [True, False]))
def test_a_model_queue_is_refused(shares: bool) -> None:
    told = "is a model queue: an open of it makes a queue of a generated name; name that queue"
    cluster = Cluster(QueueManager("QM1"), queues=[Queue("L", "QM1")], model_queues=[ModelQueue("M")])
    asked: list[dict[str, Any]] = [
        {"queue": "M"},
        {"queue": "M", "queue_manager": "QM1"},
        {"queue": "M", "already_sent_to": ["QM2"]},
    ]
    rows = of_few_fields([*asked, {"queue": "L"}, {"queue": "M", "queue_manager": "QM9"}])
    *found, local, elsewhere = answers(decide(rows, cluster, shares=shares, connection=connection()))
    assert {each["message"] for each in found} == {f"put: queue 'M' {told}"}
    assert {each["outcome"] for each in found} == {"invalid"}
    assert (local["outcome"], elsewhere["reason"]) == ("chosen", 2087)


def by_engine(engine: Engine, cluster: Cluster, put: Put) -> dict[str, Any]:
    return told(engine.choose(put, cluster, explain="rule"))


@pytest.mark.parametrize("seed", first(1, range(16)))
def test_as_the_engine_decides(seed: int) -> None:
    rng = Random(seed)
    cluster, put = random_case(rng)
    engine = Engine(Rules(random_readings(rng) if seed else {}))
    puts = [put, *(random_put(rng, cluster) for _ in range(60))]
    found = answers(decide(table(list(map(row, puts))), cluster, engine.rules, True, connection=connection()))
    assert len(found) == len(puts)
    for each, one in zip(puts, found, strict=True):
        assert one == by_engine(engine, cluster, each), each


OWN = QueueManager("QM1", clusters=("SALES",))
HOSTS = ("QM2", "QM3")
CLUSTER = Cluster(
    OWN,
    [RemoteQueueManager(host, ("SALES",)) for host in HOSTS],
    [Queue("ORDERS.IN", host, clusters=("SALES",), defbind="NOTFIXED") for host in HOSTS]
    # The facts may have the last one; no put can give its name.
    + [Queue("INVOICES", "QM2", clusters=("SALES",), defbind="OPEN"), Queue("O'RDERS", "QM2")],
    [],
    [Channel(f"TO.{host}", host, "SALES", dest_seq_number=at) for at, host in enumerate(HOSTS, 1)],
)


def decision(**fields: Any) -> dict[str, Any]:
    return dict.fromkeys(DECISION) | fields


def of(*puts: dict[str, Any] | None, cluster: Cluster = CLUSTER, **more: Any) -> list[dict[str, Any]]:
    return answers(decide(table(list(puts)), cluster, connection=connection(), **more))


IN_CLUSTER = Together(lambda puts: of(*puts, explain=True))
OPENED = IN_CLUSTER.ask(
    *({"queue": name, "call": "MQOPEN", "bind": bind} for name in ("ORDERS.IN", "INVOICES")
      for bind in ("AS_Q_DEF", None, "as_q_def", "OPEN", "NOTFIXED"))
)  # fmt: skip


def test_the_binding_of_the_queue() -> None:
    outcomes = [each["outcome"] for each in OPENED()]
    assert outcomes == ["deferred"] * 3 + ["chosen", "deferred"] + ["chosen"] * 4 + ["deferred"]


UNKNOWN = IN_CLUSTER.ask({"queue": "NOWHERE"}, {"queue_manager": "NOWHERE"}, {"queue": "orders.in"})


def test_names_that_do_not_exist() -> None:
    expected = [decision(outcome="failed", reason=each, permitted=0, eliminated_by=[]) for each in (2085, 2087, 2085)]
    assert UNKNOWN() == expected


NO_PUTS = IN_CLUSTER.ask(None, {}, {"queue": "", "queue_manager": ""}, {"queue": "   ", "queue_manager": " "})


def test_rows_that_are_invalid() -> None:
    messages = (render_null_fault("put"), *[PUT_REQUIREMENTS.none_given] * 3)
    assert NO_PUTS() == [decision(outcome="invalid", message=message) for message in messages]


@pytest.mark.parametrize(
    ("given", "blank"),
    first(1, [
        ({"queue": "DEST", "queue_manager": "QM", "shares": True}, "DEST and QM are both blank"),
        ({"queue": "DEST"}, "DEST is blank"),
        ({"queue_manager": "QM", "bind": "bind"}, "QM is blank"),
    ]),
)  # fmt: skip
def test_rows_of_a_flat_table_that_name_nothing(given: dict[str, Any], blank: str) -> None:
    rows = pa.table({"id": range(3), "DEST": ["", "  ", None], "QM": ["", None, " "], "bind": ["OPEN"] * 3})
    found = answers(decide(rows, CLUSTER, **given))
    assert [each["message"] for each in found] == [f"{blank}; a put names a queue or a queue manager"] * 3
    with pytest.raises(TableError, match="^a put names one of them: queue=… or queue_manager=…$"):
        decide(rows, CLUSTER, queue=None)


@pytest.mark.parametrize("seed", first(1, range(4)))
def test_each_row_is_decided_at_its_local_queue_manager(seed: int) -> None:
    """In flat columns. Each cluster has a CLWLMRUC of its own, which what a put says is odd beside or not."""
    rng, engine = Random(seed), Engine()
    clusters = {f"AT{number}": random_case(rng)[0] for number in (1, 2, 3)}
    for number, (name, each) in enumerate(clusters.items(), 1):
        clusters[name] = evolve(each, queue_manager=evolve(each.queue_manager, clwlmruc=number))
    puts = [put or dict.fromkeys(PUT) for put in adversarial_puts(rng, [*QUEUES, *PLACES], 400)]
    named = [name for name in PUT if name != "qmgr_clwluseq"]
    at = [rng.choice([*clusters, "AT2".ljust(48), "AT1 "]) for _ in puts]
    puts += [{"queue": "X"}] * 3
    columns = {name: pa.array([put.get(name) for put in puts], arrow_struct(PUT).field(name).type) for name in named}
    rows = pa.table(
        {
            "id": range(len(puts)),
            "at": [*at, "AT4", None, "at1"],
            **{f"of {name}": each for name, each in columns.items()},
        }
    )
    of_columns: dict[str, Any] = {name: f"of {name}" for name in named}
    decided = decide(rows, clusters, engine.rules, True, connection=connection(), at="at", **of_columns)
    *found, unknown, nowhere, other = answers(decided)
    for put, place, one in zip(puts, at, found, strict=False):
        expected = decided_by(engine, clusters[place.rstrip()], put)
        if expected["message"]:
            # Its columns have names of their own; what is said of the value is the same.
            told = [each["message"].partition(" = ")[2] for each in (one, expected)]
            assert (one["outcome"], told[0]) == ("invalid", told[1]), put
        else:
            assert one == expected, (put, place)
    assert [each["message"] for each in (unknown, nowhere, other)] == [
        f"at = {value}; allowed: AT1, AT2, AT3" for value in ("'AT4'", "null", "'at1'")
    ]


def test_a_message_shows_the_name_of_a_column_as_it_is_written() -> None:
    puts = pa.table({"queue": ["ORDERS.IN"], "{} of {put}": ["QM9"]})
    found = decide(puts, {"QM1": CLUSTER}, at="{} of {put}", queue="queue").fetchall()
    assert found[0][-1]["message"] == "{} of {put} = 'QM9'; allowed: QM1"


CALLS = ("mqget", "MQGET", "")
NOT_ALLOWED = IN_CLUSTER.ask(
    *({"queue": "ORDERS.IN", "call": call} for call in CALLS),
    {"queue": "ORDERS.IN", "bind": 'N"O\\'},
    *({"queue": "ORDERS.IN", "clwlmruc": number} for number in (0, -(2**31))),
)


def test_a_message_shows_the_value_as_it_is_written() -> None:
    shown = [f"put.call = '{call}'; allowed: MQOPEN, MQPUT, MQPUT1" for call in CALLS]
    shown += ["put.bind = 'N\"O\\'; allowed: OPEN, NOTFIXED, GROUP, AS_Q_DEF"]
    shown += [f"put.clwlmruc = {number}; allowed: a whole number from 1 to 999999999" for number in (0, -(2**31))]
    assert NOT_ALLOWED() == [decision(outcome="invalid", message=message) for message in shown]


SENT: list[Any] = [None, [], ["QM2"], ["QM3", None], ["QM2", "QM3"], ["QM2 ", "QM5"], ["QM3".ljust(48)], ["qm2"]]
WENT_TO = IN_CLUSTER.ask(
    *({"queue": "ORDERS.IN", "cluster_pcf": pcf, "already_sent_to": sent} for pcf in (True, False) for sent in SENT)
)


def test_queue_managers_that_a_message_went_to() -> None:
    found = [each["queue_manager"] for each in WENT_TO()]
    assert found == ["QM2", "QM2", "QM3", "QM2", None, "QM3", "QM2", "QM2", *["QM2"] * len(SENT)]


MOST_RECENTLY_USED: list[dict[str, Any]] = [{"queue": "ORDERS.IN", "clwlmruc": each} for each in (None, 1, 2)]
OF_SO_MANY = IN_CLUSTER.ask(*MOST_RECENTLY_USED)


def test_the_most_recently_used_of_the_cluster_unless_the_put_says() -> None:
    strict = evolve(CLUSTER, queue_manager=evolve(OWN, clwlmruc=1))
    found = answers(decide(of_few_fields(MOST_RECENTLY_USED), strict, connection=connection()))
    assert [each["queue_manager"] for each in found] == ["QM3", "QM3", "QM2"]
    assert [each["queue_manager"] for each in OF_SO_MANY()] == ["QM2", "QM3", "QM2"]


WENT_TO_QM2 = {"queue": "ORDERS.IN", "already_sent_to": ["QM2"]}
BY_OUR_RULES = IN_CLUSTER.ask(WENT_TO_QM2)


def test_rules_of_ones_own_may_ask_of_any_message_where_it_went() -> None:
    path = "workload/04_pcf_already_sent.toml"
    of_any = Rules().files[path].replace('when   = "cluster_pcf"\n', "")
    rules = Rules().with_files({path: of_any})
    assert [each["queue_manager"] for each in BY_OUR_RULES()] == ["QM2"]
    (found,) = answers(decide(of_few_fields([WENT_TO_QM2]), CLUSTER, rules, connection=connection()))
    assert found["queue_manager"] == "QM3"


@pytest.mark.parametrize(
    "name", first(1, ["numbered", "keyed", "odd", "asked", "decided", "queue", "destinations", "c"])
)
def test_further_columns_are_carried_through_and_rows_that_ask_alike_stay_as_many(name: str) -> None:
    puts = [{"queue": "ORDERS.IN"}, None, {"queue": "INVOICES", "already_sent_to": ["QM3"]}, {"queue": "NOWHERE"}] * 50
    relation = decide(table(puts, **{name: [f"row {at}" for at in range(200)]}), CLUSTER)
    assert relation.columns == ["id", "put", name, "decision"]
    rows = relation.order("id").to_arrow_table().to_pylist()
    assert [each[name] for each in rows] == [f"row {at}" for at in range(200)]
    managers = [each["decision"]["queue_manager"] for each in rows]
    assert managers == ["QM2", None, "QM2", None] * 50


WRONG_NAMES = ["O'RDERS", 'A"B', "\\", "é", "A B", " A", "A\tB", "A\n", "Q" * 49, "{0}", "𝄞", "A\0"]


WRONG = IN_CLUSTER.ask(
    *(put for name in WRONG_NAMES for put in (
        {"queue": name}, {"queue_manager": name}, {"queue": "INVOICES", "already_sent_to": [None, "QM2 ", name]},
    ))
)  # fmt: skip


def test_names_that_mq_does_not_allow() -> None:
    allowed = "a name of {} to 48 characters out of A-Z a-z 0-9 . _ / %"
    places = {"queue": 0, "queue_manager": 0, "already_sent_to[2]": 1}
    assert [each["message"] for each in WRONG()] == [
        f"put.{place} = '{name}'; allowed: {allowed.format(least)}"
        for name in WRONG_NAMES
        for place, least in places.items()
    ]


PADDED = IN_CLUSTER.ask(
    *({"queue": "ORDERS.IN".ljust(length)} for length in (9, 10, 48, 60)),
    {"queue_manager": "QM3 "},
    {"queue": "ORDERS.IN  ", "clwlmruc": 1},
    {"queue": " ", "queue_manager": "QM2"},
)


def test_blanks_that_pad_names() -> None:
    assert [each["queue_manager"] for each in PADDED()] == ["QM2"] * 4 + ["QM3", "QM3", "QM2"]


def test_tables_that_cannot_be_decided() -> None:
    for given in (pa.table({"id": [1]}), pa.table({"put": ["Q"]})):
        with pytest.raises(TableError, match="^column put is "):
            decide(given, CLUSTER)
    with pytest.raises(TableError, match="^column put is missing; of a flat table say which columns its puts are in"):
        decide(pa.table({"DEST": ["Q"]}), CLUSTER)
    for clusters in ("QM1", {"QM1": OWN}):
        with pytest.raises(TableError, match="^the cluster is a (str|QueueManager); expected a Cluster"):
            decide(table([]), clusters, at="id")  # type: ignore[arg-type]
    assert decide(pa.table({"put": pa.array([], pa.struct({"queue": pa.string()}))}), CLUSTER).fetchall() == []
