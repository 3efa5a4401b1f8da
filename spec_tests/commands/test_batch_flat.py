"""``mqclause batch`` of flat tables: options name the columns of what puts say, or what is the same in every row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import duckdb
import pytest

from mqclause.tools.errors import BatchError
from spec_tests.support.batch_files import Row, batch, destination, read, row, written
from spec_tests.support.deep import first

DUMPS = {
    "QM1": "",
    "QM2": "DEFINE QLOCAL(PARCELS) CLUSTER(S) DEFBIND(NOTFIXED)\n",
    "QM3": "DEFINE QLOCAL(PARCELS) CLUSTER(S) DEFBIND(NOTFIXED)\nDEFINE QLOCAL(LETTERS) CLUSTER(S) DEFBIND(NOTFIXED)\n",
}


@pytest.fixture
def facts(tmp_path: Path) -> list[object]:
    """QM1 sees PARCELS at QM2 and QM3, and LETTERS at QM3."""
    (tmp_path / "facts").mkdir()
    for name, queues in DUMPS.items():
        head = f"* Queue manager name: {name}\nDEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CLUSTER(S) CONNAME('h')\n"
        (tmp_path / "facts" / f"{name}.mqsc").write_text(head + queues)
    return ["--facts", tmp_path / "facts", "--from", "QM1"]


LOG: list[Row] = [
    {"id": "1", "dest": "PARCELS", "qmgr": "", "put": "a note"},
    {"id": "2", "dest": "PARCELS" + 41 * " ", "qmgr": "QM3", "put": "of a"},
    {"id": "3", "dest": "LETTERS", "qmgr": "", "put": "colleague"},
    {"id": "4", "dest": "NOWHERE", "qmgr": "", "put": "it is"},
]


@pytest.mark.parametrize(
    ("source", "out", "engine"),
    first(2, [
        ("in.csv", "out.csv", "duckdb"), ("in.jsonl", "out.parquet", "duckdb"), ("in.parquet", "out.jsonl", "duckdb"),
        ("in.jsonl", "out.jsonl", "duckdb"), ("in.csv", "out.parquet", "spark"), ("in.parquet", "out.parquet", "spark"),
    ]),
)  # fmt: skip
def test_a_log_of_names(tmp_path: Path, facts: list[object], source: str, out: str, engine: str) -> None:
    """A column that is called put, or has another letter case, is the user's own."""
    given = written(tmp_path / source, LOG)
    names = ["--queue", "DEST", "--queue-manager", "qmgr", "--bind", "NOTFIXED"]
    summary = batch(given, tmp_path / out, *facts, *names, "--engine", engine)
    assert (summary["status"], summary["rows"], summary["queue_managers"]) == (0, 4, {"QM2": 1, "QM3": 2})
    found = read(tmp_path / out)
    assert [{name: each[name] or "" for name in LOG[0]} for each in found] == LOG
    assert [each["decision"]["reason"] for each in found] == [None, None, None, 2085]


@pytest.mark.parametrize(
    ("levels", "options", "editions", "said"),
    [
        ({}, (), [("QM1", "wmq-6", "default")], ["edition wmq-6 is assumed, as nothing tells the level of QM1"]),
        ({"QM1": 920}, (), [("QM1", "mq-9.2", "CMDLEVEL 920 of QM1, {0}/QM1.mqsc:2")],
         ["decided by edition mq-9.2 (CMDLEVEL 920 of QM1, {0}/QM1.mqsc:2)"]),
        ({"QM1": 920}, ("--edition", "wmq-7.5"), [("QM1", "wmq-7.5", "--edition")],
         ["decided by edition wmq-7.5 (--edition)"]),
        ({"QM1": 701}, ("--bind", "=GROUP"), [("QM1", "wmq-7.0", "CMDLEVEL 701 of QM1, {0}/QM1.mqsc:2")],
         ["decided by edition wmq-7.0 (CMDLEVEL 701 of QM1, {0}/QM1.mqsc:2)",
          "from QM1: BIND_ON_GROUP came with 7.1: a queue manager of 7.0 or before knows no such binding"]),
        ({"QM1": 701}, ("--bind", "how"), [("QM1", "wmq-7.0", "CMDLEVEL 701 of QM1, {0}/QM1.mqsc:2")],
         ["decided by edition wmq-7.0 (CMDLEVEL 701 of QM1, {0}/QM1.mqsc:2)",
          "from QM1: BIND_ON_GROUP came with 7.1: a queue manager of 7.0 or before knows no such binding"]),
        ({"QM1": 701}, ("--bind", "bound"), [("QM1", "wmq-7.0", "CMDLEVEL 701 of QM1, {0}/QM1.mqsc:2")],
         ["decided by edition wmq-7.0 (CMDLEVEL 701 of QM1, {0}/QM1.mqsc:2)"]),
        ({"QM1": 701, "QM2": 701, "QM3": 930}, ("--at", "at", "--bind", "how"),
         [("QM1", "wmq-7.0", "CMDLEVEL 701 of QM1, {0}/QM1.mqsc:2"), ("QM2", "wmq-7.0", "CMDLEVEL 701 of QM2, {0}/QM2.mqsc:2"),
          ("QM3", "mq-9.3", "CMDLEVEL 930 of QM3, {0}/QM3.mqsc:2")],
         ["decided by edition wmq-7.0 (CMDLEVEL of QM1 and QM2)",
          "decided by edition mq-9.3 (CMDLEVEL 930 of QM3, {0}/QM3.mqsc:2)",
          "from QM1: BIND_ON_GROUP came with 7.1: a queue manager of 7.0 or before knows no such binding"]),
        ({"QM1": 710}, ("--bind", "GROUP"), [("QM1", "wmq-7.1", "CMDLEVEL 710 of QM1, {0}/QM1.mqsc:2")],
         ["decided by edition wmq-7.1 (CMDLEVEL 710 of QM1, {0}/QM1.mqsc:2)"]),
        ({"QM2": 750, "QM3": 750}, ("--at", "at"),
         [("QM1", "wmq-6", "default"), ("QM2", "wmq-7.5", "CMDLEVEL 750 of QM2, {0}/QM2.mqsc:2"),
          ("QM3", "wmq-7.5", "CMDLEVEL 750 of QM3, {0}/QM3.mqsc:2")],
         ["edition wmq-6 is assumed, as nothing tells the level of QM1",
          "decided by edition wmq-7.5 (CMDLEVEL of QM2 and QM3)"]),
    ],
)  # fmt: skip
def test_the_summary_says_by_which_edition(
    tmp_path: Path,
    facts: list[object],
    levels: dict[str, int],
    options: tuple[str, ...],
    editions: Any,
    said: list[str],
) -> None:
    folder = tmp_path / "facts"
    for name, level in levels.items():
        head, _, rest = (folder / f"{name}.mqsc").read_text().partition("\n")
        (folder / f"{name}.mqsc").write_text(f"{head}\n* Queue manager command level: ({level}/{level})\n{rest}")
    given = written(tmp_path / "in.csv", [{"dest": "PARCELS", "at": "QM1", "how": "group", "bound": "OPEN"}])
    where = facts[:2] if "--at" in options else facts
    summary = batch(given, tmp_path / "out.csv", *where, "--queue", "dest", *options)
    assert [tuple(each.values()) for each in summary["editions"]] == [
        (*of[:2], of[2].format(folder)) for of in editions
    ]
    assert summary["remarks"] == [each.format(folder) for each in said]


def test_words_that_are_the_same_in_every_row(tmp_path: Path, facts: list[object]) -> None:
    source, out = written(tmp_path / "in.csv", LOG), tmp_path / "out.jsonl"
    for words, expected in (
        (["--queue", "=PARCELS", "--queue-manager", "QM3"], {"QM3": 4}),
        (["--queue", "dest", "--already-sent-to", "=QM2", "--cluster-pcf", "true", "--clwlmruc", "1"], {"QM3": 3}),
    ):
        assert batch(source, out, *facts, *words)["queue_managers"] == expected, words


def test_rows_that_were_put_at_several_queue_managers(tmp_path: Path, facts: list[object]) -> None:
    rows = [{"id": str(at), "host": host, "dest": "PARCELS"} for at, host in enumerate(("QM1", "QM2", "QM3 ", "QM9"))]
    summary = batch(
        written(tmp_path / "in.csv", rows), tmp_path / "out.csv", *facts[:2], "--at", "HOST", "--queue", "dest"
    )
    # QM2 and QM3 have the queue themselves.
    assert (summary["queue_managers"], summary["outcomes"]["invalid"]) == ({"QM2": 2, "QM3": 1}, 1)


TYPED: list[tuple[Row, str | None]] = [
    ({"dest": "PARCELS", "mruc": 1, "remote": True, "sent": ["QM2"]}, None),
    ({"dest": 5, "mruc": 1, "remote": True, "sent": []}, "dest = 5; allowed: a name of 0 to 48 characters out of A-Z a-z 0-9 . _ / %"),
    ({"dest": "PARCELS", "mruc": 1.5, "remote": True, "sent": []}, "mruc = 1.5; allowed: a whole number from 1 to 999999999"),
    ({"dest": "PARCELS", "mruc": 1, "remote": "maybe", "sent": []}, "remote = 'maybe'; allowed: true, false"),
    ({"dest": "PARCELS", "mruc": 1, "remote": False, "sent": {}}, "sent = {}; allowed: a list of names"),
    ({"dest": "PARCELS", "mruc": 1, "remote": False, "sent": [1]}, "sent = [1]; allowed: a list of names"),
]  # fmt: skip
COLUMNS = ["--queue", "dest", "--clwlmruc", "mruc", "--from-cluster-channel", "remote", "--already-sent-to", "SENT"]


def test_a_value_of_the_wrong_type_makes_its_row_invalid(tmp_path: Path, facts: list[object]) -> None:
    rows = [{"id": str(number), **each} for number, (each, _) in enumerate(TYPED)]
    batch(written(tmp_path / "in.jsonl", rows), tmp_path / "out.parquet", *facts, *COLUMNS)
    found = {each["id"]: each["decision"]["message"] for each in read(tmp_path / "out.parquet")}
    assert found == {str(number): message for number, (_, message) in enumerate(TYPED)}
    # In CSV all is text: a queue may be called 5, and what pandas writes of a boolean is one.
    cells = 'id,dest,mruc,remote,sent\n0,PARCELS,1,True,"[""QM2""]"\n1,5,,FALSE,\n2,PARCELS,many,true,\n3,PARCELS,1,no,\n4,PARCELS,1,,QM2\n'
    (tmp_path / "in.csv").write_text(cells)
    batch(tmp_path / "in.csv", tmp_path / "out.csv", *facts, *COLUMNS)
    assert [each["decision"]["message"] for each in read(tmp_path / "out.csv")] == [
        None, None, "mruc = 'many'; allowed: a whole number from 1 to 999999999", "remote = 'no'; allowed: true, false",
        "sent = 'QM2'; allowed: a list of names",
    ]  # fmt: skip
    header, *lines = (tmp_path / "out.csv").read_text().splitlines()
    assert sorted(line.partition(',"{""outcome')[0] for line in lines) == cells.splitlines()[1:]
    assert header == "id,dest,mruc,remote,sent,decision"


def test_a_line_with_a_key_twice_is_invalid(tmp_path: Path, facts: list[object]) -> None:
    (tmp_path / "in.jsonl").write_text('{"dest": "PARCELS", "DEST": "LETTERS"}\n{"dest": "LETTERS"}\n')
    summary = batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl", *facts, "--queue", "dest")
    assert summary["messages"] == [{"message": "dest: dest, DEST differ in letter case only", "count": 1}]
    assert summary["queue_managers"] == {"QM3": 1}


def test_shares_and_who_of_equals_gets_a_row(tmp_path: Path, facts: list[object]) -> None:
    rows = [{"id": f"{number:03}", "number": number, "dest": "PARCELS"} for number in range(200)]
    source, out = written(tmp_path / "in.jsonl", rows), tmp_path / "out.parquet"
    summary = batch(source, out, *facts, "--queue", "dest", "--spread", "number", "--shares")
    assert set(summary["queue_managers"]) == {"QM2", "QM3"}
    parts = {each["queue_manager"]: each["share"] for each in read(out)[0]["decision"]["shares"]}
    assert parts == {"QM2": 0.5, "QM3": 0.5}
    number = duckdb.connect().execute(f"SELECT typeof(number) FROM '{out}' LIMIT 1").fetchall()
    assert number == [("BIGINT",)], "the column that spreads rows came back as another"


def test_destinations_of_their_own_are_spread_too(tmp_path: Path) -> None:
    among = [destination("QM2"), destination("QM3")]
    source = written(tmp_path / "in.jsonl", [row(number, destinations=among) for number in range(100)])
    summary = batch(source, tmp_path / "out.jsonl", "--spread", "ID", "--shares")
    assert set(summary["queue_managers"]) == {"QM2", "QM3"}
    assert [each["share"] for each in read(tmp_path / "out.jsonl")[0]["decision"]["shares"]] == [0.5, 0.5]


WRONG: list[tuple[list[str], str]] = [
    (["--queue", "des"], "queue='des' is neither a column nor a name in the cluster; the table has: id, dest, GROUP; did you mean 'dest'?"),
    (["--queue", "dest", "--bind", "NOTFIXD"], "bind='NOTFIXD' is neither a column nor a value that it may have; the table has: id, dest, GROUP"),
    (["--queue", "dest", "--bind", "group"], "bind='group' is the column GROUP and also a value that it may have; --bind =group is the latter, for the former give the column another name"),
    (["--queue", "dest", "--bind", "=NEVER"], "bind: 'NEVER' is not allowed; allowed: OPEN, NOTFIXED, GROUP, AS_Q_DEF"),
    (["--queue", "dest", "--spread", "msgid"], "column msgid is missing; the table has: id, dest, GROUP"),
    (["--queue", "dest", "--at", "host"], "--at needs --facts, and goes without --from: each row says where it is"),
    (["--bind", "NOTFIXED"], "--bind goes with --queue or --queue-manager: a flat table has the names that puts give"),
    (["--queue", ""], "--queue: '' is no column"),
    (["--queue", "dest", "--spread", ""], "--spread: '' is no column"),
]  # fmt: skip


@pytest.mark.parametrize("kind", first(1, ["jsonl", "csv", "parquet"]))
def test_what_is_wrong_with_the_names_of_columns_is_one_line(tmp_path: Path, facts: list[object], kind: str) -> None:
    source = written(tmp_path / f"in.{kind}", [{"id": "1", "dest": "PARCELS", "GROUP": "OPEN"}])
    said: list[tuple[list[str], Any]] = []
    for words, _ in WRONG:
        with pytest.raises((BatchError, click.UsageError)) as raised:
            batch(source, tmp_path / "out.jsonl", *facts, *words)
        said.append((words, str(raised.value).removeprefix(f"{source}: ")))
    assert [(words, each.replace("GROUP, dest, id", "id, dest, GROUP")) for words, each in said] == WRONG
    with pytest.raises(click.UsageError, match="^--queue needs --facts: a flat table has no destinations of its own$"):
        batch(source, tmp_path / "out.jsonl", "--queue", "dest")
    assert not (tmp_path / "out.jsonl").exists()
