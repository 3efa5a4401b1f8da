"""``mqclause batch`` as a person and as a program run it: every format, faults in rows, the summary."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
import duckdb
import pytest

from mqclause.tools.errors import BatchError
from spec_tests.support.batch_files import Row, batch, destination, read, row, written
from spec_tests.support.deep import first
from spec_tests.support.explain_command import run

EXAMPLE = str(files("mqclause.tools") / "examples" / "orders.toml")
KINDS = ("parquet", "csv", "jsonl")
PAIRS = [
    ("in.parquet", "out.csv"),
    ("in.csv.gz", "out.json.gz"),
    ("in.jsonl", "out.parquet"),
    ("in.json", "out.ndjson"),
]
PAIRS += [("in.jsonl.gz", "out.csv.gz"), *((f"in.{kind}", f"out.{kind}") for kind in KINDS)]
PAIRS += [("in.csv", "out.parquet"), ("in.parquet", "out.jsonl"), ("in.csv", "out.jsonl"), ("in.jsonl", "out.csv")]


def left(value: Any) -> Any:
    """A value without the fields that are null: a table has every field in every row."""
    if isinstance(value, dict):
        return {key: left(each) for key, each in value.items() if each is not None}
    return [left(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("source", "out"), first(2, PAIRS))
def test_every_format_into_every_other(tmp_path: Path, source: str, out: str) -> None:
    """A file name is no pattern: others that such a one would fit, too, lie beside it."""
    given = [row(number) for number in range(6)]
    odd, result = (name.replace(".", "[1]*.", 1) for name in (source, out))
    others = [written(tmp_path / source.replace(".", f"{more}.", 1), [row(9)]).name for more in ("1", "[1]2")]
    summary = batch(written(tmp_path / odd, given), tmp_path / result)
    assert (summary["rows"], summary["status"], summary["queue_managers"]) == (6, 0, {"QM2": 3, "QM3": 3})
    found = read(tmp_path / result)
    assert [each["decision"]["queue_manager"] for each in found] == ["QM2", "QM3"] * 3
    assert {each["decision"]["eliminated_by"] for each in found} == {None}
    assert [left({k: v for k, v in each.items() if k != "decision"}) for each in found] == given
    assert {path.name for path in tmp_path.iterdir()} == {odd, result, *others}


def test_columns_as_text_stay_as_they_were(tmp_path: Path) -> None:
    given = 'id,empty,put,destinations\n0042,"","{ ""queue"": ""Q"" }",[ ]\n0x1,,5,[]\n'
    (tmp_path / "in.csv").write_text(given)
    assert batch(tmp_path / "in.csv", tmp_path / "out.csv")["outcomes"]["invalid"] == 2
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "id,empty,put,destinations,decision"
    assert sorted(line.partition(',"{""outcome')[0] for line in lines[1:]) == [
        '0042,"","{ ""queue"": ""Q"" }",[ ]',
        "0x1,,5,[]",
    ]


@pytest.mark.parametrize("out", first(1, ["out.parquet", "out.jsonl"]))
def test_fields_that_only_late_rows_have_are_kept(tmp_path: Path, out: str) -> None:
    """Later than DuckDB looks for fields by itself, which is after 20,480 rows."""
    count = 20_500
    rows = [row(number) for number in range(count)]
    rows[-1] |= {"late": {"day": "2024-01-01"}}
    rows[-1]["destinations"][0]["suspended"] = True
    source = written(tmp_path / "in.jsonl", rows)
    assert batch(source, tmp_path / out)["rows"] == count
    if out == "out.jsonl":
        assert sum('"late": {"day": "2024-01-01"}' in line for line in (tmp_path / out).open()) == 1
        return
    query = "SELECT late, destinations[1].suspended FROM read_parquet(?) WHERE late IS NOT NULL"
    assert duckdb.execute(query, [str(tmp_path / out)]).fetchall() == [({"day": "2024-01-01"}, True)]


FAULTS: list[tuple[Row, str]] = [
    ({"put": 5}, "put = 5; allowed: a JSON object"),
    ({"put": {"queue": 5}}, "put.queue = 5; allowed: a name of 0 to 48 characters out of A-Z a-z 0-9 . _ / %"),
    ({"put": {"queue": "Q", "from_cluster_channel": "yes"}}, "put.from_cluster_channel = 'yes'; allowed: true, false"),
    ({"put": {"queue": "Q", "already_sent_to": ["A", 1]}}, 'put.already_sent_to = ["A", 1]; allowed: a list of names'),
    ({"put": {"queue": "Q", "clwlmruc": 1.5}}, "put.clwlmruc = 1.5; allowed: a whole number from 1 to 999999999"),
    ({"destinations": {}}, "destinations = {}; allowed: a JSON array of objects"),
    ({"destinations": [7]}, "destinations[0] = 7; allowed: a JSON object"),
    (
        {"destinations": [destination("QM2"), destination("QM3", "high")]},
        "destinations[1].channel_rank = 'high'; allowed: a whole number from 0 to 9",
    ),
    ({"destinations": [destination("QM2"), "QM3"]}, "destinations[1] = 'QM3'; allowed: a JSON object"),
    ({"destinations": [destination("QM2"), None]}, "destinations[1] is null"),
    ({"destinations": [destination("QM2", True)]}, "destinations[0].channel_rank = true; allowed: a whole number from 0 to 9"),
    ({"destinations": [destination("QM2", 1.5)]}, "destinations[0].channel_rank = 1.5; allowed: a whole number from 0 to 9"),
    (
        {"destinations": [destination("QM2", dest_seq_number=2**64)]},
        "destinations[0].dest_seq_number = 18446744073709551616; allowed: a whole number from 0 to 9223372036854775807",
    ),
    ({"put": None}, "put is null; a row needs the put that it asks about"),
    ({"destinations": None}, "destinations is null or empty; a row needs at least one destination"),
]  # fmt: skip


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_a_value_of_the_wrong_type_makes_its_row_invalid(tmp_path: Path, kind: str) -> None:
    rows = [row(number, **more) for number, (more, _) in enumerate(FAULTS)]
    summary = batch(written(tmp_path / f"in.{kind}", [*rows, row(99)]), tmp_path / "out.jsonl")
    assert (summary["status"], summary["outcomes"]["invalid"], summary["outcomes"]["chosen"]) == (2, len(FAULTS), 1)
    assert len(summary["messages"]) == 3
    found = {each["id"]: each["decision"]["message"] for each in read(tmp_path / "out.jsonl")}
    assert found == {f"{number:03}": message for number, (_, message) in enumerate(FAULTS)} | {"099": None}


def test_lines_and_cells_that_are_not_json(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(f'{json.dumps(row(0))}\nnot json\n[1]\n{{}}\n{{"put": 1}} x\n')
    for out in ("out.jsonl", "out.csv"):
        summary = batch(tmp_path / "in.jsonl", tmp_path / out)
        assert (summary["status"], summary["rows"], summary["outcomes"]["invalid"]) == (2, 5, 4)
        messages = sorted(
            str(each["decision"]["message"]) for each in read(tmp_path / out) if each["decision"]["message"]
        )
        assert messages == [
            "put is null; a row needs the put that it asks about",
            "the line is not JSON",
            "the line is not JSON",
            "the line is not a JSON object",
        ]
    (tmp_path / "in.csv").write_text("put,destinations,clwlmruc\n{bad,[],\n,[],many\n")
    summary = batch(tmp_path / "in.csv", tmp_path / "out.csv")
    assert [each["message"] for each in summary["messages"]] == [
        "clwlmruc = 'many'; allowed: a whole number from 1 to 999999999",
        "put = '{bad'; allowed: JSON text",
    ]


def test_explain_says_by_which_rule(tmp_path: Path) -> None:
    batch(written(tmp_path / "in.parquet", [row(0)]), tmp_path / "out.jsonl", "--explain")
    assert read(tmp_path / "out.jsonl")[0]["decision"]["eliminated_by"] == [None, "workload.04a"]


def test_the_cluster_from_facts(tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", [{"put": {"queue": "ORDERS.IN"}}, {"put": {"queue": "NONE"}}])
    summary = batch(source, tmp_path / "out.parquet", "--facts", EXAMPLE)
    assert (summary["status"], summary["queue_managers"]) == (0, {"QM2": 1})
    assert summary["reasons"] == [{"name": "MQRC_UNKNOWN_OBJECT_NAME", "code": 2085, "count": 1}]


CHANGES = ["--with=change.mqsc", "--status=TO.QM2=STOPPED", "--set=CHANNEL(TO.QM2) STATUS(STOPPED)"]


@pytest.mark.parametrize("option", first(1, CHANGES))
def test_what_if_of_the_facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    monkeypatch.chdir(tmp_path)
    source = written(tmp_path / "in.jsonl", [{"put": {"queue": "ORDERS.IN"}}])
    (tmp_path / "change.mqsc").write_text("STOP CHANNEL(TO.QM2)\n")
    # QM3 is out by its channel's rank, and TO.QM4 retries: 6 sets both others aside, 7 to 9 take STOPPED last
    assert batch(source, tmp_path / "out.parquet", "--facts", EXAMPLE, option)["queue_managers"] == {"QM4": 1}
    with pytest.raises(click.UsageError, match="needs? --facts"):
        batch(source, tmp_path / "out.parquet", option)


def test_a_folder_of_part_files(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    for number in range(3):
        written(folder / f"part-{number}.parquet", [row(number), row(number + 10)])
    assert batch(folder, tmp_path / "out.parquet")["rows"] == 6


def test_the_summary_for_a_person(tmp_path: Path) -> None:
    rows = [row(number) for number in range(3)]
    rows += [row(3, destinations=[destination("QM2", put_enabled=False)]), row(4, put={"queue": "Q", "call": "MQPUT1"})]
    rows += [row(5, put={"queue": "Q", "bind": "NOTFIXED", "call": "MQOPEN"}), row(6, put={"queue": 5})]
    done = run("batch", str(written(tmp_path / "in.jsonl", rows)), str(tmp_path / "out.parquet"))
    assert (done.returncode, done.stderr) == (2, "")
    first, *lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert first.startswith("7 rows in ")
    assert lines == [
        "edition wmq-6 is assumed, as nothing tells the level of the queue manager",
        "4 57.14% chosen", "1 14.29% failed", "1 14.29% deferred", "1 14.29% invalid",
        "failed with", "1 14.29% MQRC_CLUSTER_PUT_INHIBITED (2268)",
        "chosen", "3 75.00% QM2", "1 25.00% QM3",
        "invalid, most often", "1 put.queue = 5; allowed: a name of 0 to 48 characters out of A-Z a-z 0-9 . _ / %",
    ]  # fmt: skip


@pytest.mark.deep
def test_spark_gives_what_duckdb_gives(tmp_path: Path, spark: Any) -> None:  # noqa: ARG001 - the session in use
    """Text formats and Parquet in one session: a start of Spark takes seconds."""
    pytest.importorskip("pyspark")
    rows = [row(number) for number in range(6)] + [row(6, destinations=[destination("QM2", "high")])]
    source = written(tmp_path / "in.jsonl", rows)
    for out in ("spark.jsonl", "duckdb.jsonl"):
        summary = batch(source, tmp_path / out, "--engine", out.removesuffix(".jsonl"), "--explain")
        assert (summary["status"], summary["outcomes"]["invalid"], summary["rows"]) == (2, 1, 7)
    assert read(tmp_path / "spark.jsonl") == read(tmp_path / "duckdb.jsonl")
    untyped = "SELECT {'queue': 'Q', 'bind': NULL, 'already_sent_to': []} AS put, [{'queue_manager': 'QM2', 'channel': NULL}] AS destinations"
    duckdb.execute(f"COPY ({untyped}) TO '{tmp_path / 'untyped.parquet'}' (FORMAT parquet)")
    for engine in ("spark", "duckdb"):
        summary = batch(tmp_path / "untyped.parquet", tmp_path / f"{engine}.parquet", "--engine", engine)
        assert (summary["status"], summary["outcomes"]["chosen"]) == (0, 1)
    (tmp_path / "bad.parquet").write_text("this is no Parquet file")
    with pytest.raises(BatchError, match=r"bad\.parquet: \[FAILED_READ_FILE"):
        batch(tmp_path / "bad.parquet", tmp_path / "out2.parquet", "--engine", "spark")
    assert not (tmp_path / "out2.parquet").exists()
