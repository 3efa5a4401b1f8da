"""``mqclause plan --puts``: real traffic, and which part of it a change moves from where to where."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mqclause import Cluster, Put, Traffic, counterfactuals, moves, plan, read_files, read_members, shares
from mqclause.model.configuration.members import apply_changes_everywhere
from mqclause.model.configuration.sources import Source
from mqclause.render.cluster import format_amount, format_percent
from mqclause.tables.schema import TableError
from mqclause.tools.batch.tables import read_traffic
from mqclause.tools.commands.declared import plan_command as command
from mqclause.tools.errors import BatchError
from mqclause.workload.decision import Engine
from spec_tests.support.explain_command import EXAMPLE

duckdb = pytest.importorskip("duckdb")

from mqclause.duckdb import traffic

MEMBER = """* Queue manager name: {0}
DEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(SALES)
"""
QUEUES = {"QM1": (), "QM2": ("ORDERS", "STOCK"), "QM3": ("ORDERS",), "QM4": ("ORDERS",)}
PUTS = 'queue,from,count\nORDERS,QM1,600\n"ORDERS",QM2,100\nSTOCK,QM1,250\nNOWHERE,QM1,50\n'
"""At QM1 600 to ORDERS, a third of which each of three hosts gets; what QM2 puts stays there."""

SUSPENDED = ("--suspend", "QM2")
DISABLED = ("--set", "QLOCAL(STOCK) PUT(DISABLED)")


@pytest.fixture
def sales(tmp_path: Path) -> list[str]:
    files = []
    for name, queues in QUEUES.items():
        file = tmp_path / f"{name}.mqsc"
        file.write_text(MEMBER.format(name) + "".join(f"DEFINE QLOCAL({each}) CLUSTER(SALES)\n" for each in queues))
        files.append(str(file))
    return files


def run_plan(*arguments: str) -> str:
    done = CliRunner().invoke(command, arguments, standalone_mode=False, catch_exceptions=False)
    return str(done.stdout)


def planned(files: list[str], puts: Path, *options: str) -> Any:
    return json.loads(run_plan(*files, "--puts", str(puts), *options, "--json"))


def written(folder: Path, text: str, name: str = "puts.csv") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_rows_have_weights_and_those_that_move_most_puts_come_first(sales: list[str], tmp_path: Path) -> None:
    # A third of 600 leaves QM2, half of it for each of QM3 and QM4; all of 250 that went to STOCK fail.
    found = planned(sales, written(tmp_path, PUTS), *SUSPENDED, *DISABLED)
    weights = [(row["queue"], row["from"], round(row["moved"], 4), row["weight"]) for row in found["rows"]]
    assert weights == [
        ("STOCK", "QM1", 1, 250),
        ("ORDERS", "QM1", 0.3333, 600),
        ("STOCK", "QM2", 1, 0),
        ("STOCK", "QM3", 1, 0),
        ("STOCK", "QM4", 1, 0),
    ]
    assert found["traffic"] == {
        "puts": 1000,
        "elsewhere": 50,
        "moves": [
            {"out_of": "QM2", "into": None, "puts": 250},
            {"out_of": "QM2", "into": "QM3", "puts": 100},
            {"out_of": "QM2", "into": "QM4", "puts": 100},
        ],
    }


def test_it_is_told_in_sentences(sales: list[str], tmp_path: Path) -> None:
    puts = written(tmp_path, PUTS.replace("50\n", "50000000\n").replace("600", "60000000"))
    lines = run_plan(*sales, *SUSPENDED, *DISABLED, "--puts", str(puts)).splitlines()
    assert lines[0] == "STOCK from QM1, QM2, QM3, QM4: 100 % of 250 million puts move"
    told = lines[lines.index("75 % of 360 million puts would move") :]
    assert told[1:5] == [
        "69.4 % of 360 million puts would fail that go to QM2",
        "2.8 % of 360 million puts would move from QM2 to QM3",
        "2.8 % of 360 million puts would move from QM2 to QM4",
        "50 million of them are of queues, or at queue managers, that the map does not have",
    ]


def test_as_csv(sales: list[str], tmp_path: Path) -> None:
    lines = run_plan(
        *sales, "--puts", str(written(tmp_path, PUTS)), *DISABLED, "--queue", "STOCK", "--csv"
    ).splitlines()
    assert lines[:3] == [
        "queue,from,moved,side,outcome,reason,queue_manager,channel,share,weight",
        "STOCK,QM1,1.0,before,chosen,,QM2,TO.QM2,1.0,250",
        "STOCK,QM1,1.0,after,failed,2051,,,,250",
    ]


@pytest.mark.parametrize("name", ["puts.parquet", "puts.jsonl", "puts.csv.gz"])
def test_in_other_formats(sales: list[str], tmp_path: Path, name: str) -> None:
    # Columns in any letter case; a count that is null is one put.
    rows = "SELECT 'ORDERS ' AS QUEUE, 'QM1' AS \"From\", count FROM (VALUES (NULL), (5)) AS t(count)"
    form = {"parquet": "parquet", "jsonl": "json", "gz": "csv"}[name.rpartition(".")[2]]
    duckdb.sql(f"COPY ({rows}) TO '{tmp_path / name}' (FORMAT {form})")
    found = planned(sales, tmp_path / name, *SUSPENDED)
    assert [row["weight"] for row in found["rows"]] == [6]
    assert [each["puts"] for each in found["traffic"]["moves"]] == [1, 1]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("queue,form\nQ,QM1\n", "column from is missing; the table has: queue, form; did you mean 'form'?"),
        ("queue,from,count\nQ,QM1,-1\n", "column count: '-1' is no whole number from 0 to"),
        ("queue,from,count\nQ,QM1,1.5\n", "column count: '1.5' is no whole number"),
        # Of several faults the same one is told each time, whatever order rows are counted in.
        (
            f"queue,from,count\n,QM1,1\nQ,,3\nR,QM1,{10**14}\nS,QM1,8.5\nQ,QM1,x\nQ,QM1,7.5\n",
            "column count: '7.5' is no",
        ),
        ("queue,from\nQ,\n", "column from is null or blank in some row"),
        ("queue,from,count,count\nQ,QM1,1,7\n", "column count is there twice"),
        ("queue,from,count\nQ,QM1\n", "CSV Error on Line: 2: Expected Number of Columns: 3 Found: 2"),
        ('queue,from\n"Q,QM1\n', "CSV Error on Line: 2: Value with unterminated quote found"),
        (
            "queue,from\nQ,QM1\r\nQ,QM1\n",
            "some of its lines end in LF, others in CR LF; write all of them alike (DuckDB: ",
        ),
        ("", "has no line with the names of columns"),
    ],
)
def test_a_log_that_cannot_be_counted(sales: list[str], tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(BatchError) as caught:
        planned(sales, written(tmp_path, text), *SUSPENDED)
    assert str(caught.value).startswith(f"{tmp_path / 'puts.csv'}: {told}")


def test_json_lines_as_windows_writes_them(tmp_path: Path) -> None:
    # With a byte order mark and CR LF; the key count is in the last line alone.
    first, last = '{"queue": "ORDERS", "from": "QM1"}', '{"queue": "Q ", "from": "QM1", "count": "7"}'
    log = tmp_path / "puts.jsonl"
    log.write_bytes("\r\n".join(["\ufeff" + first, *[first] * 29_999, "", last]).encode())
    assert read_traffic(str(log)).puts == {("ORDERS", "QM1"): 30_000, ("Q", "QM1"): 7}


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("puts.jsonl", b'{"queue": "Q", "from": "QM1"}\n\n{"queue":\n', "line 3 is not a JSON object"),
        ("puts.jsonl", b"[]", "line 1 is not a JSON object"),
        ("puts.jsonl", "\ufeff".encode(), "not JSON Lines: no line holds a JSON object"),
        ("puts.jsonl", '{"queue": "Q", "from": "QM1"}'.encode("utf-16"), "not UTF-8"),
        ("puts.jsonl", '{"queue": "\xc4", "from": "QM1"}'.encode("latin-1"), "not UTF-8"),
        (
            "puts.jsonl",
            b'{"queue": "Q", "From": "QM1", "from": "QM1"}',
            "column from and From differ in letter case only",
        ),
        ("puts.csv", "queue,from\nQ,QM1\n".encode("utf-16"), "not UTF-8"),
        ("puts.csv", "queue,from\nQ,QM1\n".encode("utf-16-le"), "not UTF-8: byte 0 is in its first line, as in UTF-16"),
    ],
)
def test_a_log_in_another_encoding_or_no_log(tmp_path: Path, name: str, data: bytes, told: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BatchError) as caught:
        read_traffic(str(tmp_path / name))
    assert str(caught.value) == f"{tmp_path / name}: {told}"


@pytest.mark.parametrize("count", ["'nan'::DOUBLE", "'inf'::DOUBLE", "''", "1e15", "TRUE"])
def test_what_is_no_count(count: str) -> None:
    with pytest.raises(TableError, match="column count"):
        traffic(duckdb.sql(f"SELECT 'Q' AS queue, 'QM1' AS \"from\", {count} AS count"))


@pytest.mark.parametrize("count", ["'7'", "7.0", "7::UTINYINT", "'7 '"])
def test_what_is_a_count(count: str) -> None:
    found = traffic(duckdb.sql(f"SELECT 'Q' AS queue, 'QM1' AS \"from\", {count} AS count"))
    assert (found.puts, found.total) == ({("Q", "QM1"): 7}, 7)


def test_in_a_program() -> None:
    texts = {name: MEMBER.format(name) + "".join(f"DEFINE QLOCAL({each}) CLUSTER(SALES)\n" for each in queues)
             for name, queues in QUEUES.items()}  # fmt: skip
    before = read_members([Source(name, text.encode()) for name, text in texts.items()])
    after = apply_changes_everywhere(before, ["QLOCAL(ORDERS) QMGR(QM3) CLWLPRTY(5)"])
    found = plan(before, after, traffic=Traffic({("ORDERS", "QM1"): 900}))
    assert [(row.queue, row.member, row.weight, row.puts_moved) for row in found] == [
        ("ORDERS", "QM1", 900, Fraction(600))
    ]
    assert [(each.out_of, each.into, each.puts) for each in moves(found)] == [("QM2", "QM3", 300), ("QM4", "QM3", 300)]
    # What one member knows is a state, too.
    one, other = before[0].cluster, after[0].cluster
    assert isinstance(one, Cluster)
    assert [row.moved for row in plan(one, other)] == [Fraction(2, 3)]


def test_answers_are_tables() -> None:
    pytest.importorskip("pyarrow")
    snapshot = read_files([EXAMPLE])
    assert snapshot.put is not None
    decision = Engine().choose(snapshot.put, snapshot.cluster, explain="rule")
    table = shares(decision).to_arrow()
    assert table.to_pylist() == [
        {"queue": "ORDERS.IN", "queue_manager": "QM2", "channel": "TO.QM2", "transmission_queue": None, "share": 1.0}
    ]
    found = counterfactuals(decision, "QM4").to_arrow()
    assert found.column_names == ["commands"]
    started = {"queue_manager": "QM1", "command": "START CHANNEL('TO.QM4')"}
    assert {"commands": [started]} in found.to_pylist() or any(started in row["commands"] for row in found.to_pylist())
    failed = Engine().choose(Put(queue="NOWHERE"), snapshot.cluster)
    assert (len(shares(failed)), shares(failed).to_arrow().num_rows) == (0, 0)
    # An empty plan has its columns all the same.
    empty = plan(snapshot, snapshot)
    assert empty.to_arrow().column_names == [
        "queue",
        "queue_manager",
        "from",
        "moved",
        "weight",
        "of_opens",
        "before",
        "after",
        "because",
        "incomplete",
    ]
    assert list(empty.to_pandas().columns) == empty.to_arrow().column_names
    changed = plan(snapshot, snapshot.cluster.with_status("TO.QM2", "STOPPED"))
    assert changed.to_arrow().num_rows == len(changed.to_pandas()) == len(changed)


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (0, "0 %"), (1e-9, "under 0.1 %"), (0.001, "0.1 %"), (1 / 3, "33.3 %"),
        (0.999, "99.9 %"), (0.9996, "over 99.9 %"), (0.1 + 0.2 + 0.7 - 1e-16, "100 %"), (1, "100 %"),
    ],
)  # fmt: skip
def test_a_part_that_is_not_all_is_not_said_to_be_all_nor_one_that_is_something_nothing(part: float, said: str) -> None:
    assert format_percent(part) == said


@pytest.mark.parametrize(
    ("count", "said"),
    [(999_999, "999,999"), (9_840_000, "9.84 million"), (123_456_789, "123 million"), (1_500_000_000, "1,500 million")],
)
def test_many_puts_are_counted_in_millions(count: int, said: str) -> None:
    assert format_amount(count) == said
