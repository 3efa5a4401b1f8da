"""What decide is given: files, tables under any names, and what flat tables say in columns or in every row alike."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from mqclause import Channel, Cluster, Queue, QueueManager, RemoteQueueManager, Rules
from mqclause.duckdb import constant, decide, traffic
from mqclause.duckdb.table import render_cluster_query, render_row_query
from mqclause.tables.schema import TableError
from spec_tests.support.deep import every, first
from spec_tests.support.together import connection

HOSTS = ("QM2", "QM3")
CLUSTER = Cluster(
    QueueManager("QM1", clusters=("NORTH",)),
    [RemoteQueueManager(host, ("NORTH",)) for host in HOSTS],
    [Queue(name, host, clusters=("NORTH",), defbind="NOTFIXED") for name in ("STOCK", "PRICES") for host in HOSTS],
    [],
    [Channel(f"NORTH.{host}", host, "NORTH") for host in HOSTS],
)
TWO = [{"queue_manager": host, "channel": f"C.{host}"} for host in HOSTS]


def write(path: Path, *rows: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), path)


def test_files_that_differ_in_their_columns_are_one_table(tmp_path: Path) -> None:
    """The first states no rank and a whole number; what the second has besides is not lost."""
    write(tmp_path / "1.parquet", {"put": {"queue": "STOCK"}, "destinations": TWO, "size": 7})
    ranked = [{**each, "channel_rank": rank} for each, rank in zip(TWO, (1, 4), strict=True)]
    write(
        tmp_path / "2.parquet",
        {"size": 7.5, "note": "n", "destinations": ranked, "put": {"bind": "OPEN", "queue": "STOCK"}},
    )
    for source in (f"{tmp_path}/*.parquet", tmp_path):
        decided = decide(source)
        assert set(decided.columns) == {"put", "destinations", "size", "note", "decision"}
        rows = decided.project("size, note, put.bind, decision.queue_manager").order("size").fetchall()
        assert rows == [(7.0, None, None, "QM2"), (7.5, "n", "OPEN", "QM3")]


def test_the_names_of_folders_are_columns(tmp_path: Path) -> None:
    folder = tmp_path / "log [1]"
    for day in ("2024-02-28", "2024-02-29"):
        write(folder / f"day={day}" / "part-0.parquet", {"put": {"queue": "STOCK"}, "id": int(day[-2:])})
    write(folder / "_temporary" / "part-0.parquet", {"put": {"queue": "STOCK"}, "id": 0})
    for source in (folder, f"{tmp_path}/log*/day=*/*.parquet"):
        rows = decide(source, CLUSTER).project("id, day::VARCHAR, decision.queue_manager").order("id").fetchall()
        assert rows == [(28, "2024-02-28", "QM2"), (29, "2024-02-29", "QM2")]
    (tmp_path / "empty").mkdir()
    with pytest.raises(TableError, match=r"the folder holds no file that ends in \.parquet$"):
        decide(tmp_path / "empty")


def test_a_fault_in_any_file_of_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "1.parquet", {"put": {"queue": "STOCK"}})
    write(tmp_path / "2.parquet", {"put": {"queue": "STOCK"}, "a": 1, "A": 2})
    for source in (tmp_path, tmp_path / "*.parquet"):
        with pytest.raises(TableError, match="^column A and a differ in letter case only$"):
            decide(source, CLUSTER)


def test_counted_traffic_is_read_likewise(tmp_path: Path) -> None:
    write(tmp_path / "1.parquet", {"queue": "STOCK", "from": "QM1"})
    write(tmp_path / "2.parquet", {"from": "QM1", "count": 4, "queue": "STOCK"})
    assert traffic(tmp_path).total == 5


@pytest.mark.parametrize("kind", first(1, ["VIEW", "TABLE"]))
def test_a_table_of_the_connections_is_never_read_instead(kind: str) -> None:
    names = ["mq_given", "__mqclause_given", "mq_level_0", "mq_puts", "puts"]
    with duckdb.connect() as own:
        for name in names:
            own.execute(f"CREATE {kind} {name} AS SELECT {{'queue': 'PRICES'}} AS put, 99 AS id")
        own.execute("CREATE TABLE mine AS SELECT {'queue': 'STOCK'} AS put, 1 AS id FROM range(3)")
        for table in (own.table("mine"), own.table("mine").to_arrow_table()):
            decided = decide(table, CLUSTER, connection=own)
            assert decided.project("id, decision.queue").fetchall() == [(1, "STOCK")] * 3
        for name in names:
            assert own.table(name).project("id").fetchall() == [(99,)]


def test_answers_are_of_their_own_table_whatever_else_its_connection_is_asked() -> None:
    """Where the connection is not said, DuckDB before 2.0 keeps on it what the table was called."""
    connection = duckdb.connect()
    asked = [
        connection.sql(f"SELECT {{'queue': '{name}'}} AS put, {TWO} AS destinations") for name in ("STOCK", "PRICES")
    ]
    decided = [*map(decide, asked), *(decide(each, connection=connection) for each in asked)]
    told = [each.project("put.queue, decision.outcome").fetchall() for each in decided]
    assert told == [[("STOCK", "chosen")], [("PRICES", "chosen")]] * 2


def test_names_that_begin_with_mq_are_the_users() -> None:
    row = {"MQ_QMGR_NAME": "QM7", "mq_level_0": 1, "mq_put": 2, "mq_known": 3, "mq_at": 4, "mqclause_line": 5}
    flat = pa.table({"MQ_DEST": ["STOCK"], **{name: [value] for name, value in row.items()}})
    decided = decide(flat, CLUSTER, queue="MQ_DEST", shares=True, spread="mq_at")
    assert dict(zip(decided.columns, *decided.fetchall(), strict=True)).items() >= row.items()
    own = pa.table({"put": [{"queue": "STOCK"}], "destinations": [TWO], **{name: [each] for name, each in row.items()}})
    decided = decide(own, explain=True, shares=True)
    assert dict(zip(decided.columns, *decided.fetchall(), strict=True)).items() >= row.items()


def queue_managers(*columns: str, **given: Any) -> list[tuple[Any, ...]]:
    """What comes of one put to STOCK in a table that has these columns of texts besides."""
    row = {"q": ["STOCK"], **{name: ["?"] for name in columns}}
    decided = decide(pa.table(row), CLUSTER, connection=connection(), **given)
    return decided.project("decision.outcome, decision.queue, decision.reason").fetchall()


@pytest.mark.parametrize(
    ("column", "given", "word"),
    every(2, [
        ("group", {"bind": "GROUP"}, "value that it may have; constant('GROUP')"),
        ("mqopen", {"call": "MQOPEN"}, "value that it may have; constant('MQOPEN')"),
        ("Open", {"bind": "open"}, "value that it may have; constant('OPEN')"),
        ("stock", {"queue": "STOCK"}, "name in the cluster; constant('STOCK')"),
        ("qm2", {"queue": "q", "queue_manager": "QM2"}, "name in the cluster; constant('QM2')"),
    ]),
)  # fmt: skip
def test_a_text_that_is_a_column_and_a_word(column: str, given: dict[str, str], word: str) -> None:
    name, value = [*given.items()][-1]
    said = rf"^{name}='{value}' is the column {column} and also a {word}".replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(TableError, match=said):
        queue_managers(column, **{"queue": "q", **given})
    found = queue_managers(column, **{"queue": "q", **given, name: constant(value)})
    assert found == queue_managers(**{"queue": "q", **given})
    assert found[0][0] in ("chosen", "deferred")


def test_a_constant_says_the_same_in_every_row() -> None:
    assert queue_managers(queue="q", call=constant("mqopen")) == [("deferred", None, None)]
    assert queue_managers("stock", queue=constant("STOCK")) == [("chosen", "STOCK", None)]
    # A name that nobody knows is a queue like any other that is not there.
    assert queue_managers(queue=constant("NOWHERE")) == [("failed", None, 2085)]
    assert queue_managers("clwlmruc", queue="q", clwlmruc=constant(1)) == [("chosen", "STOCK", None)]
    # The name of a queue differs in letter case from a column's.
    assert queue_managers(queue="Q") == [("chosen", "STOCK", None)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"bind": constant("q")}, "bind: 'q' is not allowed; allowed: OPEN, NOTFIXED, GROUP, AS_Q_DEF"),
        ({"queue_manager": constant("A B")}, "queue_manager: 'A B' is not allowed; allowed: a name"),
        ({"cluster_pcf": constant("q")}, "cluster_pcf: 'q' is not allowed; allowed: true, false"),
        ({"bind": "NOTFIXD"}, "bind='NOTFIXD' is neither a column nor a value that it may have"),
    ],
)
def test_a_constant_that_the_field_cannot_hold(given: dict[str, Any], message: str) -> None:
    with pytest.raises(TableError) as raised:
        queue_managers(queue="q", **given)
    assert str(raised.value).startswith(message)


def test_a_query_is_written_once_for_rules_and_columns() -> None:
    """Another table of the same columns, and rules loaded again, need no other one; another column or reading does."""
    own = "SELECT {'queue': 'STOCK'} AS put, [{'queue_manager': 'QM2'}] AS destinations"
    for text, table, known in (
        (render_row_query, own, None),
        (render_cluster_query, "SELECT {'queue': 'STOCK'} AS put", CLUSTER),
    ):
        decide(duckdb.sql(table), known, Rules())
        before = text.cache_info().misses
        decide(duckdb.sql(f"{table} FROM range(2)"), known, Rules())
        assert text.cache_info().misses == before
        decide(duckdb.sql(f"{table}, 1 AS written_once"), known, Rules())
        decide(duckdb.sql(table), known, Rules({"mru-ties": "any"}))
        assert text.cache_info().misses == before + 2


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_named_pipe_or_a_device_is_no_table(tmp_path: Path, ending: str) -> None:
    """Nobody waits for what would be written to it."""
    pipe = tmp_path / f"puts.{ending}"
    os.mkfifo(pipe)
    for given in (str(pipe), "/dev/zero"):
        with pytest.raises(TableError) as caught:
            decide(given)
        assert str(caught.value) == f"{given}: is a device or a named pipe; allowed: a file, or a folder of files"
