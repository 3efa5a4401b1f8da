"""Rows out are rows in, whatever a table is made of; every other column comes back as it went in, or the table is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from mqclause import Channel, Cluster, Queue, QueueManager, RemoteQueueManager
from mqclause.duckdb import apply_rules, decide, message_order, traffic
from mqclause.tables.schema import TableError
from spec_tests.support.deep import first

NAMES = [f"Q{number}" for number in range(4)]
CLUSTER = Cluster(
    QueueManager("QM1", clusters=("SALES",)),
    [RemoteQueueManager("QM2", ("SALES",))],
    [Queue(name, "QM2", clusters=("SALES",)) for name in NAMES],
    [],
    [Channel("TO.QM2", "QM2", "SALES")],
)
COUNT = 20_000
ASKED = "{'queue': 'Q' || (i % 6), 'clwlmruc': CASE WHEN i % 7 = 0 THEN i % 3 END}"
AMONG = "[{'queue_manager': 'QM2'}]"
TABLES = {
    "sample of rows": ("SELECT {put} AS put, i FROM many USING SAMPLE 1000 ROWS", 1000),
    "sample of some": ("SELECT {put} AS put, i FROM many USING SAMPLE 10% (bernoulli)", None),
    "a new name each time": ("SELECT {{'queue': left(replace(uuid()::VARCHAR, '-', ''), 9)}} AS put, i FROM many", COUNT),
    "limit without order": ("SELECT {put} AS put, i FROM many LIMIT 7000", 7000),
    "limit and offset": ("SELECT {put} AS put, i FROM many LIMIT 100 OFFSET 10000", 100),
    "chance": ("SELECT {{'queue': 'Q' || (random() * 6)::INT}} AS put, i FROM many", COUNT),
    "chance of a row": ("SELECT {put} AS put, i FROM many WHERE random() < 0.5", None),
    "a counter": ("SELECT {{'queue': 'Q' || nextval('counter') % 6}} AS put, i FROM many", COUNT),
    "nothing said": ("SELECT NULL::STRUCT(queue VARCHAR) AS put, i FROM many", COUNT),
    "rows alike": ("SELECT {{'queue': 'Q1'}} AS put, 1 AS i FROM many", COUNT),
    "no rows": ("SELECT {put} AS put, i FROM many WHERE i < 0", 0),
}  # fmt: skip


@pytest.fixture(scope="module")
def connection() -> Any:
    with duckdb.connect() as made:
        made.execute(f"CREATE TABLE many AS SELECT range AS i FROM range({COUNT})")
        made.execute("CREATE SEQUENCE counter")
        made.execute("SET preserve_insertion_order = false")
        yield made


@pytest.mark.parametrize("kind", first(1, TABLES))
@pytest.mark.parametrize("flat", [False, True])
def test_rows_out_are_rows_in(connection: Any, kind: str, flat: bool) -> None:
    text, count = TABLES[kind]
    table = connection.sql(text.format(put=ASKED))
    given: dict[str, Any] = {"queue": "queue", "at": "at"} if flat else {}
    clusters: Cluster | dict[str, Cluster] = {"QM1": CLUSTER, "QM3": CLUSTER} if flat else CLUSTER
    if flat:
        table = table.select("put.queue AS queue, 'QM' || (i % 5) AS at, put, i")
    # Both are of one reading: what is decided says which name it was decided for.
    decided = decide(table, clusters, **given).project("*, put.queue AS name, decision.queue AS answered").fetchall()
    columns = [*table.columns, "decision", "name", "answered"]
    rows = [dict(zip(columns, row, strict=True)) for row in decided]
    assert count is None or len(rows) == count
    if count is None:
        assert 1_000 < len(rows) < COUNT * 0.7
    if kind != "rows alike":
        assert len({row["i"] for row in rows}) == len(rows)
    for row in rows:
        is_known = row["name"] in NAMES and (not flat or row["at"] in ("QM1", "QM3"))
        is_wrong = not flat and (row["put"] or {}).get("clwlmruc") == 0
        outcomes = ["chosen"] if is_known and not is_wrong else ["failed", "invalid"]
        assert row["decision"]["outcome"] in outcomes
        assert row["answered"] == (row["name"] if outcomes == ["chosen"] else None)


@pytest.mark.parametrize("kind", first(1, TABLES))
def test_with_destinations_too(connection: Any, kind: str) -> None:
    text, count = TABLES[kind]
    table = connection.sql(text.format(put=ASKED)).select(f"*, {AMONG} AS destinations")
    rows = decide(table).fetchall()
    assert count is None or len(rows) == count


def test_a_view_over_files_that_change(connection: Any, tmp_path: Path) -> None:
    path = tmp_path / "puts.parquet"
    for count in (1_000, 3_000):
        connection.execute(f"COPY (SELECT {ASKED} AS put, i FROM many LIMIT {count}) TO '{path}'")
        if count == 1_000:
            connection.execute(f"CREATE VIEW seen AS FROM '{path}'")
            relation = decide(connection.table("seen"), CLUSTER)
            assert len(relation.fetchall()) == 1_000
    assert len(relation.fetchall()) == 3_000


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("1 AS a, 2 AS a", "column a is there twice"),
        ("1 AS a, 2 AS A", "column A and a differ in letter case only"),
        ("1 AS Decision", "the table has a column Decision already"),
        (
            "1 AS __MQCLAUSE_reason",
            "column __MQCLAUSE_reason: names that begin with __mqclause_ are used by mqclause itself",
        ),
        ("1 AS __mqclause_at", "column __mqclause_at: names that begin with __mqclause_ are used by mqclause itself"),
        ("{'queue': 'Q1'} AS PUT", "column PUT and put differ in letter case only"),
    ],
)
def test_columns_that_are_not_each_ones_own(connection: Any, more: str, message: str) -> None:
    table = connection.sql(
        f"SELECT {ASKED} AS put, {AMONG} AS destinations, {more} FROM many WHERE error('read') IS NULL"
    )
    for cluster in (None, CLUSTER):
        with pytest.raises(TableError) as raised:
            decide(table, cluster)
        assert str(raised.value) == message


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("put", "a", "a"), "column a is there twice"),
        (("put", "a", "A"), "column A and a differ in letter case only"),
        (("put", "Put", "a"), "column Put and put differ in letter case only"),
    ],
)
def test_columns_to_which_duckdb_gives_names_of_its_own(names: tuple[str, ...], message: str, tmp_path: Path) -> None:
    """It reads a, a as a, a_1: what comes out would not be what went in."""
    table = pa.table([pa.array([{"queue": "Q1"}]), pa.array([1]), pa.array([2])], names=names)
    pq.write_table(table, tmp_path / "puts.parquet")
    for source in (table, table.to_batches()[0], table.to_pandas(), tmp_path / "puts.parquet"):
        with pytest.raises(TableError) as raised:
            decide(source, CLUSTER)
        assert str(raised.value) == message


def test_one_column_of_pandas_is_no_table_of_puts() -> None:
    with pytest.raises(TableError, match=r"^the table is a pandas\.Series; expected a relation, a DataFrame, an Arrow"):
        decide(pa.table({"q": ["Q1"]}).to_pandas()["q"], CLUSTER, queue="q")


def test_fields_to_which_duckdb_gives_names_of_its_own(tmp_path: Path) -> None:
    put = pa.StructArray.from_arrays([pa.array(["Q1"]), pa.array(["Q2"])], ["queue", "QUEUE"])
    pq.write_table(pa.table({"put": put}), tmp_path / "puts.parquet")
    for source in (pa.table({"put": put}), tmp_path / "puts.parquet"):
        with pytest.raises(TableError, match=r"^column put\.QUEUE and put\.queue differ in letter case only$"):
            decide(source, CLUSTER)


def test_what_is_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "puts.csv").write_text("put\nQUEUE.1\nQUEUE.2\n")
    (tmp_path / "puts").mkdir()
    for source, message in (
        ([{"put": {"queue": "Q1"}}], "the table is a list; expected a relation, a DataFrame, an Arrow table"),
        (None, "the table is a NoneType; expected a relation"),
        (CLUSTER, "the table is a mqclause.Cluster; expected a relation"),
        ("puts", "puts: the folder holds no file that ends in .parquet"),
        (Path("none.parquet"), "none.parquet: No files found that match the pattern"),
        ("puts.csv", "puts.csv: is no Parquet file (No magic bytes found at end of file 'puts.csv'); what is in other"),
    ):
        for function in (decide, traffic):
            with pytest.raises(TableError) as raised:
                function(source)
            assert str(raised.value).startswith(message)
            assert "\n" not in str(raised.value)


def test_what_else_is_given_instead() -> None:
    table = pa.table({"put": [{"queue": "Q1"}], "queue": ["Q1"], "arrival": [1]})
    with pytest.raises(TypeError, match="^rules={'weight-step': 'exact'} is no Rules; readings are given as Rules"):
        decide(table, CLUSTER, rules={"weight-step": "exact"})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^declaration='workload' is none; expected one, as mqclause.documents.WORKLO"):
        apply_rules(table, "workload")  # type: ignore[arg-type]
    with pytest.raises(TableError, match="^the cluster is a str; expected a Cluster"):
        message_order(table, "QM1")  # type: ignore[arg-type]


def test_names_of_fields_in_any_letter_case(connection: Any) -> None:
    """They are those of the contract in messages, as columns they stay as they were."""
    put = "{'Queue': 'Q1', 'BIND': bind}"
    among = "[{'Queue_Manager': 'QM1', 'CHANNEL_RANK': 1, 'Channel_Status': status}, {'Queue_Manager': 'QM2', 'CHANNEL_RANK': rank, 'Channel_Status': NULL}]"
    values = "('xx', 'x', 10), ('open', 'x', 10), ('open', 'running', 10), ('open', 'running', 2)"
    rows = (
        decide(
            connection.sql(
                f"SELECT {put} AS Put, {among} AS DESTINATIONS, 1 AS c FROM (VALUES {values}) AS t(bind, status, rank)"
            )
        )
        .to_arrow_table()
        .to_pylist()
    )
    assert [row["decision"]["message"] for row in rows] == [
        "put.bind = 'xx'; allowed: OPEN, NOTFIXED, GROUP, AS_Q_DEF",
        "destinations[0].channel_status = 'x'; allowed: INACTIVE, RUNNING, BINDING, INITIALIZING, STARTING, STOPPING, "
        "RETRYING, REQUESTING, PAUSED, STOPPED, SWITCHING",
        "destinations[1].channel_rank = 10; allowed: a whole number from 0 to 9",
        None,
    ]
    assert rows[-1]["decision"]["queue_manager"] == "QM2"
    assert list(rows[0]) == ["Put", "DESTINATIONS", "c", "decision"]


NUMBERS = [
    ("10::UHUGEINT", "10"), ("1.5::DOUBLE", "1.5"), ("1.0::DECIMAL(5,1)", None), ("2::DOUBLE", None), ("1::UHUGEINT", None), ("1::BIGNUM", None), ("3::FLOAT", None),
    ("1.5::DECIMAL(5,2)", "1.50"), ("'nan'::DOUBLE", "nan"), ("'-inf'::DOUBLE", "-inf"),
    ("1e20::DOUBLE", "1e+20"), ("0.1::FLOAT", "0.10000000149011612"), ("-1::HUGEINT", "-1"),
    ("340282366920938463463374607431768211455::UHUGEINT", "340282366920938463463374607431768211455"),
]  # fmt: skip


@pytest.mark.parametrize(("number", "shown"), first(1, NUMBERS))
def test_numbers_of_every_type(connection: Any, number: str, shown: str | None) -> None:
    among = f"[{{'queue_manager': 'QM1', 'channel_rank': {number}}}, {{'queue_manager': 'QM2', 'channel_rank': 0::UTINYINT}}]"
    put = f"{{'queue': 'Q1', 'clwlmruc': {number}}}"
    found = decide(connection.sql(f"SELECT {{'queue': 'Q1'}} AS put, {among} AS destinations")).fetchall()[0][-1]
    of_put = decide(connection.sql(f"SELECT {put} AS put"), CLUSTER).fetchall()[0][-1]
    if shown is None:
        assert (found["queue_manager"], of_put["outcome"]) == ("QM1", "chosen")
    else:
        assert found["message"] == f"destinations[0].channel_rank = {shown}; allowed: a whole number from 0 to 9"
        assert (
            shown == "10" or of_put["message"] == f"put.clwlmruc = {shown}; allowed: a whole number from 1 to 999999999"
        )


@pytest.mark.parametrize("kind", first(1, ["UHUGEINT", "HUGEINT", "BIGNUM"]))
def test_numbers_of_more_than_64_bits_are_compared_by_all_their_digits(connection: Any, kind: str) -> None:
    """The largest number that is allowed is the largest of 64 bits; no double tells it from the one after it."""
    numbers = f"({2**63 - 2}::{kind}), ({2**63 - 1}::{kind}), ({2**63}::{kind}), (NULL), ('{10**38}'::{kind})"
    factor = f"'dest_seq_factor': '{10**38}'::{kind}"
    among = f"[{{'queue_manager': 'QM1', 'channel': 'A', 'dest_seq_number': number, {factor}}}, {{'queue_manager': 'QM2', 'channel': 'B', 'dest_seq_number': max, {factor}}}]"
    of_all = f"SELECT {{'queue': 'Q1', 'clwlmruc': 1}} AS put, {among} AS destinations FROM (SELECT *, {2**63 - 1}::{kind} AS max FROM (VALUES {numbers}) t(number))"
    decided = [row[-1] for row in decide(connection.sql(of_all), explain=True).fetchall()]
    refused = "destinations[0].dest_seq_number = {}; allowed: a whole number from 0 to 9223372036854775807"
    assert [each["queue_manager"] or each["message"] for each in decided] == [
        "QM2", "QM1", refused.format(2**63), "QM2", refused.format(10**38),
    ]  # fmt: skip


def test_arrays_words_of_an_enum_and_dictionaries(connection: Any) -> None:
    states = "'RUNNING'::ENUM('RUNNING', 'stopped')"
    among = f"array_value({{'queue_manager': 'QM1', 'channel_status': {states}}}, {{'queue_manager': 'QM2', 'channel_status': {states}}})"
    put = "{'queue': 'Q1'::CHAR(4), 'cluster_pcf': true, 'already_sent_to': array_value('QM1', 'QM9')}"
    (row,) = decide(connection.sql(f"SELECT {put} AS put, {among} AS destinations"), explain=True).fetchall()
    assert (row[-1]["queue_manager"], row[-1]["eliminated_by"]) == ("QM2", ["workload.04", None])
    assert len(row[1]) == 2


@pytest.mark.parametrize("given", first(1, ["cluster", "destinations"]))
def test_an_array_is_a_list_of_as_many_names(connection: Any, given: str) -> None:
    """Of DuckDB's arrays each has as many items as the type says; one that is null is a list of none."""
    sent = "CASE WHEN i < 2 THEN array_value('QM2 ', CASE WHEN i = 0 THEN 'QM9' END) END"
    put = f"{{'queue': 'Q1', 'cluster_pcf': true, 'already_sent_to': {sent}}}"
    table = connection.sql(f"SELECT i, {put} AS put, {AMONG} AS destinations FROM many WHERE i < 3")
    rows = decide(table, CLUSTER if given == "cluster" else None).order("i").fetchall()
    assert [row[-1]["outcome"] for row in rows] == ["failed", "failed", "chosen"]
    flat = decide(
        table.select("i, put.already_sent_to AS sent"), CLUSTER, queue="Q1", cluster_pcf=True, already_sent_to="SENT"
    )
    assert [row[-1]["outcome"] for row in flat.order("i").fetchall()] == ["failed", "failed", "chosen"]
