"""Ties: who stays permitted in the long run, in which shares, and the same one for the same value of a column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import duckdb
import pyarrow as pa
from attrs import evolve

from mqclause import Channel, Cluster, Engine, Put, Queue, QueueManager, RemoteQueueManager, RuleError, Rules, shares
from mqclause.duckdb import decide
from mqclause.tables.schema import TableError
from spec_tests.support.deep import every, first
from spec_tests.support.many_clusters import told
from spec_tests.support.random_rows import answers
from spec_tests.support.together import Together, connection

WEIGHTS = {"QM2": 10, "QM3": 30, "QM4": 60}
CLUSTER = Cluster(
    QueueManager("QM1", clusters=("S",)),
    [RemoteQueueManager(name, ("S",)) for name in WEIGHTS],
    [Queue("Q", name, clusters=("S",)) for name in WEIGHTS],
    [],
    # Counters that others left behind say who is next, and nothing of the long run.
    [Channel(f"TO.{name}", name, "S", clwlwght=each, dest_seq_factor=each * 2.0) for name, each in WEIGHTS.items()],
)
SHARES = [
    {"queue": "Q", "queue_manager": name, "channel": f"TO.{name}", "share": each / 100}
    for name, each in WEIGHTS.items()
]


def of(table: str, *given: Any, **more: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = decide(duckdb.sql(table), *given, **more).to_arrow_table().to_pylist()
    return rows


def of_rows(rows: list[Any], **more: Any) -> list[dict[str, Any]]:
    """The decisions about rows of a put and its destinations; some have more fields than others."""
    table = pa.Table.from_pylist(
        [{"id": at, "put": put, "destinations": among, "v": "v"} for at, (put, among) in enumerate(rows)]
    )
    return answers(decide(table, shares=True, connection=connection(), **more))


def of_puts(puts: list[Any]) -> list[dict[str, Any]]:
    """The decisions about puts in the cluster. There A leads to Q and is put-disabled."""
    by_alias = evolve(CLUSTER, queues=[*CLUSTER.queues, Queue("A", "QM1", "QALIAS", target="Q", put="DISABLED")])
    names = ("queue", "call", "bind", "clwlmruc", "already_sent_to", "cluster_pcf")
    table = pa.Table.from_pylist([dict.fromkeys(names) | {"id": at, "v": "v", **put} for at, put in enumerate(puts)])
    named: dict[str, Any] = dict(zip(names, names, strict=True))
    return answers(decide(table, by_alias, connection=connection(), shares=True, spread="v", **named))


IN_ROWS, IN_CLUSTER = Together(lambda rows: of_rows(rows, spread="v")), Together(of_puts)


def test_shares_are_in_proportion_to_weights() -> None:
    (row,) = of("SELECT 'Q' AS q", CLUSTER, queue="q", shares=True)
    assert row["decision"]["shares"] == SHARES
    assert (row["decision"]["queue_manager"], row["decision"]["permitted"]) == ("QM2", 1)


X_OR_NONE = [{"queue": "X", "queue_manager": "QM2", "channel": "A"}, {"queue_manager": "QM2", "channel": "B"}]
BESIDE = [({"queue": "Q ", "queue_manager": beside}, X_OR_NONE) for beside in (None, "QM2 ")]
KEPT = IN_ROWS.ask(*BESIDE)


@pytest.mark.parametrize("found", first(1, [KEPT, lambda: of_rows(BESIDE)]))
def test_a_queue_named_beside_a_queue_manager_is_kept(found: Callable[[], list[Any]]) -> None:
    rows = found()
    assert [[each["queue"] for each in row["shares"]] for row in rows] == [["X", None], ["Q", "Q"]]
    assert rows[1]["queue"] == "Q"
    assert (rows[0]["queue"], rows[0]["channel"]) in [("X", "A"), (None, "B")]


def test_they_are_what_the_sequence_gives() -> None:
    engine, state, count = Engine(), None, 1_000
    taken: Counter[str] = Counter()
    fresh = evolve(CLUSTER, channels=[evolve(each, dest_seq_factor=0.0) for each in CLUSTER.channels])
    for _ in range(count):
        decision = engine.choose(Put(queue="Q"), fresh, state)
        state = decision.state
        assert decision.chosen is not None
        taken[decision.chosen.queue_manager] += 1
    for name, weight in WEIGHTS.items():
        assert taken[name] == pytest.approx(count * weight / 100, abs=2)


SENT_TO_QM4 = IN_CLUSTER.ask(
    *({"queue": name, "already_sent_to": ["QM4"], "cluster_pcf": True} for name in ("Q", "NONE", "A B", None))
)


def test_who_falls_and_who_cannot_be_reached_have_none() -> None:
    listed = [row["shares"] for row in SENT_TO_QM4()]
    assert [(each["queue_manager"], each["share"]) for each in listed[0]] == [("QM2", 0.25), ("QM3", 0.75)]
    assert listed[1:] == [[], None, None]


BY_ALIAS = IN_CLUSTER.ask(
    {"queue": "Q", "call": "MQPUT"},
    {"queue": "A", "call": "MQPUT"},
    {"queue": "A", "call": "MQPUT", "clwlmruc": 5},
    {"queue": "A", "call": "MQOPEN"},
)


def test_a_put_that_fails_has_none() -> None:
    """A is put-disabled on the way to Q: a put by it fails with 2051, though an open of it succeeds."""
    rows = BY_ALIAS()
    assert [row["reason"] for row in rows] == [None, 2051, 2051, None]
    assert [row["shares"] for row in rows[:3]] == [SHARES, [], []]
    assert [row["queue_manager"] for row in rows[1:3]] == [None, None]


@pytest.mark.parametrize("given", first(1, ["cluster", "destinations"]))
def test_rows_take_them_in_these_shares_and_always_the_same(given: str) -> None:
    among = ", ".join(f"{{'queue': 'Q', 'queue_manager': '{name}', 'channel': 'TO.{name}', 'channel_weight': {each}, "
                      f"'dest_seq_factor': {each}.0}}" for name, each in WEIGHTS.items())  # fmt: skip
    table = f"SELECT {{'queue': 'Q'}} AS put, [{among}] AS destinations, range AS key FROM range(6000)"
    rows = of(table, *([CLUSTER] if given == "cluster" else []), spread="KEY", shares=True)
    taken = Counter(row["decision"]["queue_manager"] for row in rows)
    assert rows[0]["decision"]["shares"] == SHARES
    for name, weight in WEIGHTS.items():
        assert taken[name] == pytest.approx(60 * weight, abs=120)
    assert {row["decision"]["channel"] for row in rows} == {f"TO.{name}" for name in WEIGHTS}
    again = of(f"{table} WHERE key % 100 = 7", *([CLUSTER] if given == "cluster" else []), spread="key")
    before = {row["key"]: row["decision"]["queue_manager"] for row in rows}
    assert [row["decision"]["queue_manager"] for row in again] == [before[row["key"]] for row in again]
    assert "shares" not in again[0]["decision"]


@pytest.mark.parametrize("given", first(1, ["cluster", "destinations"]))
def test_a_change_moves_only_the_rows_that_have_to_move(given: str) -> None:
    def spread_over(weights: dict[str, int]) -> dict[str, str]:
        """The queue manager that each of 6,000 rows takes of those that are up."""
        among = ", ".join(f"{{'queue': 'Q', 'queue_manager': '{name}', 'channel': 'TO.{name}', 'channel_weight': {weights.get(name, 1)}, "
                          f"'suspended': {name not in weights}}}" for name in WEIGHTS)  # fmt: skip
        known = CLUSTER
        for name in WEIGHTS:
            channels = [
                evolve(each, clwlwght=weights.get(name, 1)) if each.queue_manager == name else each
                for each in known.channels
            ]
            known = (
                evolve(known, channels=channels) if name in weights else evolve(known, channels=channels).suspend(name)
            )
        table = f"SELECT {{'queue': 'Q'}} AS put, [{among}] AS destinations, 'key ' || range AS key FROM range(6000)"
        rows = of(table, *([known] if given == "cluster" else []), spread="key")
        return {row["key"]: row["decision"]["queue_manager"] for row in rows}

    equal = spread_over({"QM2": 50, "QM3": 50, "QM4": 50})
    without = spread_over({"QM3": 50, "QM4": 50})
    # Rows of the one that left are shared by the others; nothing else moves.
    assert {name: Counter(without[key] for key in equal if equal[key] == name).keys() for name in WEIGHTS} == {
        "QM2": {"QM3", "QM4"}, "QM3": {"QM3"}, "QM4": {"QM4"},
    }  # fmt: skip
    assert Counter(without[key] for key in equal if equal[key] == "QM2")["QM3"] == pytest.approx(1000, abs=120)
    # More weight draws rows to one, and moves none between the others: 1/3 becomes 1/2.
    heavier = spread_over({"QM2": 50, "QM3": 50, "QM4": 99})
    moved = Counter((equal[key], heavier[key]) for key in equal if equal[key] != heavier[key])
    assert moved.keys() == {("QM2", "QM4"), ("QM3", "QM4")}
    assert sum(moved.values()) == pytest.approx(6000 * (99 / 199 - 1 / 3), abs=150)


HOSTS = {f"QM{number + 1}": 10 * number for number in range(1, 8)}
"""Host N has weight 10 N, so that of the first W hosts the last one gets W of W (W + 1) / 2 parts."""


@pytest.fixture(scope="module")
def taken_in_rows() -> dict[tuple[str, int], str]:
    """Where each row of queues on one to seven hosts goes, where the rows say who ties."""
    cases = " ".join(
        f"WHEN {width} THEN {[{'queue_manager': name, 'channel': f'TO.{name}', 'channel_weight': each} for name, each in [*HOSTS.items()][:width]]}"
        for width in range(1, len(HOSTS) + 1)
    )
    among = f"{{'queue': 'Q.' || width}} AS put, CASE width {cases} END AS destinations"
    rows = of(
        f"SELECT width, key, {among} FROM range(1, {len(HOSTS) + 1}) AS t(width), range(2000) AS k(key)", spread="key"
    )
    return {(f"Q.{row['width']}", row["key"]): row["decision"]["queue_manager"] for row in rows}


@pytest.mark.parametrize("widths", [[1, 2], [3, 4, 1], [2, 5, 7], [6]])
def test_a_row_takes_the_same_one_however_many_tie_beside_it(
    taken_in_rows: dict[tuple[str, int], str], widths: list[int]
) -> None:
    """Where the cluster says who ties and where each row does, for queues on a few hosts and on many in one table."""
    known = Cluster(
        QueueManager("QM1", clusters=("S",)),
        [RemoteQueueManager(name, ("S",)) for name in HOSTS],
        [Queue(f"Q.{width}", name, clusters=("S",)) for width in widths for name in [*HOSTS][:width]],
        [],
        [Channel(f"TO.{name}", name, "S", clwlwght=each) for name, each in HOSTS.items()],
    )
    queues = [f"Q.{width}" for width in widths]
    keys = f"FROM (SELECT unnest({queues}) AS q), range(2000) AS among(key)"
    rows = of(f"SELECT q, key {keys}", known, queue="q", spread="key")
    taken = {(row["q"], row["key"]): row["decision"]["queue_manager"] for row in rows}
    assert taken == {each: name for each, name in taken_in_rows.items() if each[0] in queues}
    counted = Counter((queue, name) for (queue, _), name in taken.items())
    for width in widths:
        assert counted[f"Q.{width}", f"QM{width + 1}"] == pytest.approx(2000 * 2 / (width + 1), abs=70)


@pytest.mark.parametrize("kind", ["VARCHAR", "BIGINT"])
def test_a_null_value_is_taken_as_one_of_its_own(kind: str) -> None:
    """Each row of 4,000 has none, and half of them would otherwise go where all others go."""
    table = f"SELECT 'Q' AS q, NULL::{kind} AS key, range AS id FROM range(4000)"
    taken = Counter(row["decision"]["queue_manager"] for row in of(table, CLUSTER, queue="q", spread="key"))
    assert taken == {name: pytest.approx(40 * weight, abs=150) for name, weight in WEIGHTS.items()}
    again = of(table, CLUSTER, queue="q", spread="key")
    assert Counter(row["decision"]["queue_manager"] for row in again) == taken
    assert sorted(again[0]) == ["decision", "id", "key", "q"]


def test_a_whole_number_is_spread_alike_whatever_type_it_has() -> None:
    """Also one that no signed number of 64 bits is."""
    rows = "SELECT 'Q' AS q, key::{kind} AS key FROM range(1, 101) AS among(key)"
    narrow, wide, unsigned = (
        [row["decision"]["queue_manager"] for row in of(rows.format(kind=kind), CLUSTER, queue="q", spread="key")]
        for kind in ("TINYINT", "BIGINT", "UBIGINT")
    )
    assert Counter(narrow).keys() == WEIGHTS.keys()
    assert narrow == wide == unsigned
    large = "SELECT 'Q' AS q, (18446744073709551615 - key)::UBIGINT AS key FROM range(100) AS among(key)"
    assert {row["decision"]["queue_manager"] for row in of(large, CLUSTER, queue="q", spread="key")} == WEIGHTS.keys()
    below = "SELECT 'Q' AS q, -key AS key FROM range(1, 101) AS among(key)"
    assert {row["decision"]["queue_manager"] for row in of(below, CLUSTER, queue="q", spread="key")} == WEIGHTS.keys()


ONE_CHANNEL = IN_ROWS.ask((
    {"queue": "Q"},
    [{"queue_manager": "A", "channel": "C", "cluster": "X"}, {"queue_manager": "A", "channel": "C", "cluster": "Y"},
     {"queue_manager": "B", "channel": "D"}],
))  # fmt: skip


def test_two_destinations_by_one_channel_share_its_counter() -> None:
    (row,) = ONE_CHANNEL()
    assert [each["share"] for each in row["shares"]] == [0.5, 0.5]


def in_rows(cluster: Cluster, rules: Rules) -> str:
    """A table whose one row has the destinations of Q itself."""
    listed = Engine(rules).choose(Put("Q"), cluster).listed
    kept = ("queue", "queue_manager", "channel", "is_local", "channel_weight", "dest_seq_number", "dest_seq_factor")
    among = ", ".join(
        str({name: getattr(each, name) for name in kept} | {"channel_status": "RUNNING", "clwluseq": "ANY"})
        for each in listed
    )
    return f"SELECT {{'queue': 'Q', 'clwlmruc': {cluster.queue_manager.clwlmruc}}} AS put, [{among}] AS destinations, 'v' AS v"


@pytest.mark.parametrize("given", first(1, ["names", "destinations"]))
@pytest.mark.parametrize(
    ("readings", "clwlmruc", "weights", "expected"),
    every(4, [
        # Equal numbers all stay at first; the two that were put to are then the most recently used.
        ({"mru-ties": "any"}, 2, {"QM2": 10, "QM3": 30, "QM4": 60}, {"QM2": 1 / 4, "QM3": 3 / 4}),
        # 1000 / 99 is 10 then, and 1000 / 50 is 20.
        ({"weight-step": "truncated"}, 9, {"QM2": 99, "QM3": 50}, {"QM2": 2 / 3, "QM3": 1 / 3}),
        ({"mru-ties": "any"}, 1, {"QM2": 10, "QM3": 30}, {"QM2": 1}),
        # The local instance and one remote one are not balanced then: the one listed first is always taken.
        ({"local-in-balancing": "not-counted"}, 9, {"QM1": 50, "QM2": 50}, {"QM1": 1}),
        ({"local-in-balancing": "not-counted"}, 9, {"QM1": 50, "QM2": 50, "QM3": 50}, dict.fromkeys(("QM1", "QM2", "QM3"), 1 / 3)),
        # Three are balanced until QM2 is the only channel used; then two are left, and they are not.
        ({"local-in-balancing": "not-counted", "mru-ties": "any"}, 1, {"QM1": 50, "QM2": 50, "QM3": 50}, {"QM1": 1}),
        ({"local-in-balancing": "not-counted", "mru-ties": "any", "counters-advance": "balanced-only"}, 1,
         {"QM1": 50, "QM2": 50, "QM3": 50}, {"QM1": 1}),
    ]),
)  # fmt: skip
def test_every_way_gives_the_shares_of_the_readings(
    given: str, readings: dict[str, str], clwlmruc: int, weights: dict[str, int], expected: dict[str, float]
) -> None:
    assert_every_way(given, Rules(readings), clwlmruc, weights, expected)


CHOICE, STEP = "workload/12c_least_recently_used.toml", "workload/12d_advance_factor.toml"
FACTOR = 'lowest  = ["dest_seq_factor"'
BY_WEIGHT = 'dest_seq_factor = "dest_seq_factor + 1000.0 / channel_weight"'


def with_edit(path: str, old: str, new: str) -> Rules:
    """The rules with one text of a file in the place of another."""
    text = Rules().files[path]
    assert old in text
    return Rules().with_files({path: text.replace(old, new)})


@pytest.mark.parametrize("given", first(1, ["names", "destinations"]))
@pytest.mark.parametrize(
    ("rules", "weights", "expected"),
    every(4, [
        # A factor that stands still is the lowest for ever, once the others have advanced.
        ((STEP, BY_WEIGHT, 'dest_seq_factor = "CASE WHEN is_local THEN dest_seq_factor ELSE dest_seq_factor + 1000.0 / channel_weight END"'),
         {"QM2": 10, "QM1": 50, "QM3": 30}, {"QM1": 1}),
        ((STEP, BY_WEIGHT, 'dest_seq_factor = "CASE WHEN channel_weight = 10 THEN dest_seq_factor + 100.0 ELSE dest_seq_factor END"'),
         {"QM2": 10, "QM3": 30, "QM4": 60}, {"QM3": 1 / 2, "QM4": 1 / 2}),
        # By numbers alone each has its turn, whatever the factors are.
        ((CHOICE, FACTOR, 'lowest  = ["0.0"'), {"QM2": 10, "QM3": 30}, {"QM2": 1 / 2, "QM3": 1 / 2}),
        # By queues alone nobody is told apart.
        ((CHOICE, f'{FACTOR}, "dest_seq_number"', 'lowest = ["queue_rank"'), {"QM2": 10, "QM3": 30}, {"QM2": 1}),
        # What is compared with a fixed number, or moves by other counters, goes no steady way.
        ((CHOICE, FACTOR, 'lowest = ["CASE WHEN is_local THEN 0.0 ELSE dest_seq_factor END"'), {"QM1": 50, "QM2": 50}, None),
        ((CHOICE, FACTOR, 'lowest = ["CASE WHEN dest_seq_factor > 500 THEN 0.0 ELSE dest_seq_factor END"'), {"QM2": 50, "QM3": 50}, None),
        ((STEP, BY_WEIGHT, 'dest_seq_factor = "dest_seq_factor + dest_seq_number"'), {"QM2": 50, "QM3": 50}, None),
        ((STEP, "[derive]", 'when = "last_seq_number > 4"\n[derive]'), {"QM2": 50, "QM3": 50}, None),
        (("workload/12a_reset_factors.toml", '"attributes_altered OR destination_added"', '"NOT attributes_altered"'), {"QM2": 50, "QM3": 50}, None),
    ]),
)  # fmt: skip
def test_rules_of_ones_own_have_their_own_shares_or_none(
    given: str, rules: tuple[str, str, str], weights: dict[str, int], expected: dict[str, float] | None
) -> None:
    if expected is not None:
        assert_every_way(given, with_edit(*rules), 9, weights, expected)
        return
    with pytest.raises(RuleError, match="shares in the long run are not known with these rules"):
        assert_every_way(given, with_edit(*rules), 9, weights, {})
    with pytest.raises(RuleError, match="shares in the long run are not known with these rules"):
        of(in_rows(CLUSTER, with_edit(*rules)), rules=with_edit(*rules), shares=True)


def assert_every_way(
    given: str, rules: Rules, clwlmruc: int, weights: dict[str, int], expected: dict[str, float]
) -> None:
    """In a program, and in rows: of names, with the CLWLMRUC of their queue manager or one of their own, or of destinations."""
    queue_manager = QueueManager("QM1", ("S",), clwlmruc=clwlmruc)
    remote = [name for name in weights if name != "QM1"]
    cluster = Cluster(
        queue_manager,
        [RemoteQueueManager(name, ("S",)) for name in remote],
        [Queue("Q", name, clusters=("S",), clwluseq="ANY") for name in weights],
        [],
        [Channel(f"TO.{name}", name, "S", status="RUNNING", clwlwght=weights[name]) for name in remote],
    )
    decided = shares(Engine(rules).choose(Put("Q"), cluster))
    assert {each.destination.queue_manager: float(each.part) for each in decided} == expected
    if given == "names":
        others = {"QM1": cluster, "QMX": evolve(cluster, queue_manager=evolve(queue_manager, clwlmruc=7))}
        table = f"SELECT 'Q' AS q, unnest(['QM1', 'QMX']) AS at, unnest([NULL, {clwlmruc}]) AS mru, 'v' AS v"
        rows = of(table, others, at="at", rules=rules, queue="q", clwlmruc="mru", shares=True, spread="v")
        assert len(rows) == 2
    else:
        rows = of(in_rows(cluster, rules), rules=rules, shares=True, spread="v")
    for row in rows:
        assert {each["queue_manager"]: each["share"] for each in row["decision"]["shares"]} == expected
        assert row["decision"]["queue_manager"] in expected


@pytest.mark.parametrize("step", first(1, ["exact", "truncated"]))
@pytest.mark.parametrize("given", first(1, ["odd put", "destinations"]))
def test_where_nobody_is_left_there_is_no_weight(given: str, step: str) -> None:
    """The message went to all of them already."""
    rules = Rules({"weight-step": step})
    if given == "odd put":
        sent = {"already_sent_to": [*WEIGHTS], "cluster_pcf": True}
        (row,) = of("SELECT 'Q' AS q", CLUSTER, rules=rules, queue="q", shares=True, spread="q", **sent)
    else:
        table = in_rows(CLUSTER, rules).replace("'is_local'", "'put_enabled': false, 'is_local'")
        (row,) = of(table, rules=rules, shares=True, spread="v")
    assert (row["decision"]["outcome"], row["decision"]["permitted"], row["decision"]["shares"]) == ("failed", 0, [])


DEFERRED: dict[str, Any] = {"queue": "Q", "bind": "NOTFIXED", "call": "MQOPEN"}
DEFERRED_IN_CLUSTER = IN_CLUSTER.ask(DEFERRED, {**DEFERRED, "clwlmruc": 2})
DEFERRED_IN_ROWS = IN_ROWS.ask(
    (DEFERRED, [{"queue_manager": "QM2", "channel": "A"}, {"queue_manager": "QM3", "channel": "B"}])
)


def test_a_call_that_fixes_no_destination_has_none() -> None:
    """In the program neither: an open without a fixed binding puts nothing anywhere."""
    deferred = Engine().choose(Put(**DEFERRED), CLUSTER)
    assert (deferred.outcome, len(shares(deferred))) == ("deferred", 0)
    decisions = [*DEFERRED_IN_CLUSTER(), *DEFERRED_IN_ROWS()]
    assert [(each["outcome"], each["shares"], each["queue_manager"]) for each in decisions] == [
        ("deferred", [], None)
    ] * 3
    assert [each["permitted"] for each in decisions] == [3, 2, 2]


@pytest.mark.parametrize("given", first(1, ["names", "destinations"]))
def test_no_rule_lets_the_one_fall_that_a_row_takes(given: str) -> None:
    """By the counters that the facts state QM2 would be next, and clause 12 would let the others fall."""
    if given == "destinations":
        among = in_rows(CLUSTER, Rules()).replace(", 'v' AS v", ", range AS key FROM range(40)")
        rows = of(among, spread="key", explain=True)
    else:
        keys = "SELECT 'Q' AS q, CASE WHEN range % 2 = 0 THEN 5 END AS mru, range AS key FROM range(40)"
        rows = of(keys, CLUSTER, queue="q", clwlmruc="mru", spread="key", explain=True)
    assert {row["decision"]["queue_manager"] for row in rows} == {"QM2", "QM3", "QM4"}
    assert [(row["decision"]["permitted"], row["decision"]["eliminated_by"]) for row in rows] == [(3, [None] * 3)] * 40
    alone = told(Engine().choose(Put("Q"), CLUSTER, explain="rule"))
    assert (alone["queue_manager"], alone["eliminated_by"]) == ("QM2", [None, "workload.12c", "workload.12c"])


NO_NUMBER = IN_ROWS.ask(({"queue": "Q"}, [{"queue_manager": "QM2", "channel": "C", "dest_seq_number": -1}]))


def test_counters_that_are_not_allowed_are_told_all_the_same() -> None:
    (row,) = NO_NUMBER()
    assert row["message"].startswith("destinations[0].dest_seq_number = -1; allowed: ")
    assert row["shares"] is None


def test_columns_that_cannot_spread() -> None:
    for column, message in (("1.5", "column key is a decimal; expected a text or an integer (a CAST to STRING would do)"),
                            ("DATE '2020-01-01'", "column key is a DATE; expected a text or an integer (a CAST to STRING would do)")):  # fmt: skip
        with pytest.raises(TableError) as raised:
            of(f"SELECT 'Q' AS q, {column} AS key", CLUSTER, queue="q", spread="key")
        assert str(raised.value) == message
    with pytest.raises(TableError, match="column kye is missing; the table has: q, key; did you mean 'key'"):
        of("SELECT 'Q' AS q, 1 AS key", CLUSTER, queue="q", spread="kye")
    with pytest.raises(TableError, match="^column True is missing; the table has: q, key$"):
        of("SELECT 'Q' AS q, 1 AS key", CLUSTER, queue="q", spread=True)
