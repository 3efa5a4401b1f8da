"""``mqclause batch`` as a person and as a program run it: every format, faults in rows and in files, the summary."""

from __future__ import annotations

import csv
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
import duckdb
import pytest
from click.testing import CliRunner

from mqclause.tools.cli import command_line
from mqclause.tools.errors import BatchError
from spec_tests.support.deep import first

ENTRY = [sys.executable, "-c", "from mqclause.tools.cli import main; main()", "batch"]
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

Row = dict[str, Any]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ENTRY, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False)


def batch(*arguments: object) -> Row:
    """The summary of a run in this process, with its exit status."""
    result = CliRunner().invoke(command_line, ["batch", *map(str, arguments), "--json"], standalone_mode=False)
    if result.exception:
        raise result.exception
    return {**json.loads(result.stdout), "status": result.return_value}


def destination(host: str, rank: object = 0, **more: Any) -> Row:
    return {
        "queue": "Q", "queue_manager": host, "channel": f"TO.{host}", "cluster": "S", "channel_status": "RUNNING",
        "put_enabled": True, "channel_rank": rank, **more,
    }  # fmt: skip


def row(number: int, **more: Any) -> Row:
    """QM2 has the higher rank where the number is even, else QM3."""
    hosts = [destination("QM2", 1 - number % 2), destination("QM3", number % 2)]
    return {"id": f"{number:03}", "note": f'n, "{number}"', "put": {"queue": "Q"}, "destinations": hosts, **more}


def written(path: Path, rows: list[Row]) -> Path:
    """The rows in a file of the kind that its name says."""
    opened: Any = gzip.open if path.suffix == ".gz" else open
    if path.suffix == ".parquet":
        duckdb.read_json(str(written(path.with_suffix(".jsonl"), rows))).write_parquet(str(path))
        path.with_suffix(".jsonl").unlink()
    elif ".csv" in path.name:
        with opened(path, "wt", newline="") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            cells = [{k: v if isinstance(v, str) else json.dumps(v) for k, v in each.items()} for each in rows]
            table.writerows(cells)
    else:
        with opened(path, "wt") as file:
            file.writelines(json.dumps(each) + "\n" for each in rows)
    return path


def read(path: Path) -> list[Row]:
    """The rows of a file, by their number."""
    opened: Any = gzip.open if path.suffix == ".gz" else open
    rows: list[Row]
    if path.suffix == ".parquet" or path.is_dir():
        found = duckdb.read_parquet(str(path / "*.parquet") if path.is_dir() else str(path))
        rows = [dict(zip(found.columns, values, strict=True)) for values in found.fetchall()]
    elif ".csv" in path.name:
        with opened(path, "rt", newline="") as file:
            rows = [
                {k: json.loads(v) if v[:1] in "{[" and v else v for k, v in r.items()} for r in csv.DictReader(file)
            ]
    else:
        with opened(path, "rt") as file:
            rows = [json.loads(line) for line in file]
    return sorted(rows, key=lambda each: str(each.get("id")))


def left(value: Any) -> Any:
    """A value without the fields that are null: a table has every field in every row."""
    if isinstance(value, dict):
        return {key: left(each) for key, each in value.items() if each is not None}
    return [left(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("source", "out"), first(4, PAIRS))
def test_every_format_into_every_other(tmp_path: Path, source: str, out: str) -> None:
    given = [row(number) for number in range(6)]
    summary = batch(written(tmp_path / source, given), tmp_path / out)
    assert (summary["rows"], summary["status"], summary["queue_managers"]) == (6, 0, {"QM2": 3, "QM3": 3})
    found = read(tmp_path / out)
    assert [each["decision"]["queue_manager"] for each in found] == ["QM2", "QM3"] * 3
    assert [left({k: v for k, v in each.items() if k != "decision"}) for each in found] == given
    assert {path.name for path in tmp_path.iterdir()} == {source, out}


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_name_is_no_pattern(tmp_path: Path, kind: str) -> None:
    source = written(tmp_path / f"in[1]*.{kind}", [row(1)])
    for other in ("in1", "in[1]2"):
        written(tmp_path / f"{other}.{kind}", [row(2), row(3)])
    assert batch(source, tmp_path / f"out[1]?.{kind}")["rows"] == 1
    assert [each["id"] for each in read(tmp_path / f"out[1]?.{kind}")] == ["001"]


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


def test_fields_that_only_late_rows_have_are_kept(tmp_path: Path) -> None:
    rows = [row(number) for number in range(25_000)]
    rows[-1] |= {"late": {"day": "2024-01-01"}}
    rows[-1]["destinations"][0]["suspended"] = True
    source = written(tmp_path / "in.jsonl", rows)
    assert batch(source, tmp_path / "out.parquet")["rows"] == 25_000
    query = "SELECT late, destinations[1].suspended FROM read_parquet(?) WHERE late IS NOT NULL"
    assert duckdb.execute(query, [str(tmp_path / "out.parquet")]).fetchall() == [({"day": "2024-01-01"}, True)]
    batch(source, tmp_path / "out.jsonl")
    assert sum('"late": {"day": "2024-01-01"}' in line for line in (tmp_path / "out.jsonl").open()) == 1


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
    source = written(tmp_path / "in.parquet", [row(0)])
    batch(source, tmp_path / "out.jsonl")
    assert read(tmp_path / "out.jsonl")[0]["decision"]["eliminated_by"] is None
    batch(source, tmp_path / "out.jsonl", "--explain")
    assert read(tmp_path / "out.jsonl")[0]["decision"]["eliminated_by"] == [None, "workload.04a"]


def test_the_cluster_from_facts(tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", [{"put": {"queue": "ORDERS.IN"}}, {"put": {"queue": "NONE"}}])
    summary = batch(source, tmp_path / "out.parquet", "--facts", EXAMPLE)
    assert (summary["status"], summary["queue_managers"]) == (0, {"QM2": 1})
    assert summary["reasons"] == [{"name": "MQRC_UNKNOWN_OBJECT_NAME", "code": 2085, "count": 1}]


def test_what_if_of_the_facts(tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", [{"put": {"queue": "ORDERS.IN"}}])
    changed = tmp_path / "change.mqsc"
    changed.write_text("STOP CHANNEL(TO.QM2)\n")
    for option in (["--status", "TO.QM2=STOPPED"], ["--with", changed], ["--set", "CHANNEL(TO.QM2) STATUS(STOPPED)"]):
        # QM3 is out by its channel's rank, and TO.QM4 retries: 6 sets both others aside, 7 to 9 take STOPPED last
        assert batch(source, tmp_path / "out.parquet", "--facts", EXAMPLE, *option)["queue_managers"] == {"QM4": 1}
    with pytest.raises(click.UsageError, match="need --facts"):
        batch(source, tmp_path / "out.parquet", "--status", "TO.QM2=STOPPED")


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
    done = run(written(tmp_path / "in.jsonl", rows), tmp_path / "out.parquet")
    assert (done.returncode, done.stderr) == (2, "")
    first, *lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert first.startswith("7 rows in ")
    assert lines == [
        "4 57.14% chosen", "1 14.29% failed", "1 14.29% deferred", "1 14.29% invalid",
        "failed with", "1 14.29% MQRC_CLUSTER_PUT_INHIBITED (2268)",
        "chosen", "3 75.00% QM2", "1 25.00% QM3",
        "invalid, most often", "1 put.queue = 5; allowed: a name of 0 to 48 characters out of A-Z a-z 0-9 . _ / %",
    ]  # fmt: skip


BAD = [
    ("none.parquet", "out.csv", "none.parquet: no such file or directory"),
    ("in.txt", "out.csv", "in.txt: the name of a table ends in one of .parquet, .csv, .csv.gz, .jsonl, "),
    ("in.csv", "out.xlsx", "out.xlsx: the name of a table ends in one of "),
    ("in.csv", "none/out.csv", "there is no folder "),
    ("in.csv", "in.csv", "in.csv: the output may not be the input or in its folder"),
    ("in.csv", "out.csv", "in.csv: column put is missing; the table has: a, b"),
    ("in.parquet", "out.csv", "in.parquet: "),
    ("array.json", "out.csv", "array.json: a JSON array; JSON Lines has one object a line"),
    ("one.json", "out.csv", "one.json: not JSON Lines: no line holds a JSON object"),
    ("done.csv", "out.csv", "done.csv: column decision is there already"),
    ("typed.parquet", "out.csv", "typed.parquet: column put is "),
    ("empty", "out.csv", "empty: the folder holds no file that ends in "),
]


@pytest.mark.parametrize(("source", "out", "said"), BAD)
def test_bad_input_is_one_line_and_leaves_nothing(tmp_path: Path, source: str, out: str, said: str) -> None:
    (tmp_path / "in.csv").write_text("a,b\n1,2\n")
    (tmp_path / "in.txt").write_text("a")
    (tmp_path / "in.parquet").write_text("this is no Parquet file")
    (tmp_path / "array.json").write_text('[\n  {"put": {}}\n]\n')
    (tmp_path / "one.json").write_text('{\n  "put": {}\n}\n')
    (tmp_path / "done.csv").write_text("put,destinations,decision\n{},[],\n")
    (tmp_path / "empty").mkdir()
    duckdb.sql("SELECT 1 AS put, 2 AS destinations").write_parquet(str(tmp_path / "typed.parquet"))
    before = sorted(tmp_path.iterdir())
    with pytest.raises(BatchError) as raised:
        batch(tmp_path / source, tmp_path / out)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "in.csv").read_text() == "a,b\n1,2\n"


def test_what_is_said_of_bad_input_on_the_command_line(tmp_path: Path) -> None:
    done = run(tmp_path / "none.csv", tmp_path / "out.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{tmp_path / 'none.csv'}: no such file or directory\n"
    done = run(written(tmp_path / "in.csv", [row(0)]), tmp_path / "out.csv", "--memory", "much")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Invalid value for '--memory': 'much' is not a size like 2GB or 512MB\n"


@pytest.mark.parametrize(
    ("module", "engine", "install"), [("duckdb", "duckdb", "duckdb"), ("pyspark", "spark", "'mqclause[spark]'")]
)
def test_a_library_that_is_not_installed(tmp_path: Path, module: str, engine: str, install: str) -> None:
    source = written(tmp_path / "in.parquet", [row(0)])
    code = f"import sys; sys.modules[{module!r}] = None; {ENTRY[2]}"
    command = [sys.executable, "-c", code, "batch", source, tmp_path / "out.parquet", "--engine", engine]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(f"is not installed: pip install {install}\n")
    assert done.stderr.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == [source]


def test_an_output_is_replaced_only_when_it_is_complete(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("before")
    (tmp_path / "bad.csv").write_bytes(b"put,destinations\n" + b"{},[]\n" * 5000 + b"{},\xff\n")
    with pytest.raises(BatchError):
        batch(tmp_path / "bad.csv", out)
    assert out.read_text() == "before"
    batch(written(tmp_path / "in.csv", [row(0)]), out)
    assert len(read(out)) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"bad.csv", "in.csv", "out.csv"}


@pytest.mark.skipif(os.name == "nt", reason="no such signals")
@pytest.mark.parametrize(("number", "status"), first(1, [(signal.SIGINT, 2), (signal.SIGTERM, 143)]))
def test_an_interrupted_run_leaves_nothing(tmp_path: Path, number: int, status: int) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text((json.dumps(row(0)) + "\n") * 400_000)
    out = tmp_path / "out.jsonl"
    command = [*ENTRY, str(source), str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 600
        while not any(tmp_path.glob(".out*/out.jsonl")) and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=600)
    assert (process.returncode, stdout) == (status, "")
    assert stderr.strip() == ("interrupted" if number == signal.SIGINT else "")
    assert list(tmp_path.iterdir()) == [source]


def test_spark_gives_what_duckdb_gives(tmp_path: Path, spark: Any) -> None:  # noqa: ARG001 - the session in use
    """Text formats and Parquet in one session: a start of Spark takes seconds."""
    pytest.importorskip("pyspark")
    rows = [row(number) for number in range(6)] + [row(6, destinations=[destination("QM2", "high")])]
    source = written(tmp_path / "in.jsonl", rows)
    for out in ("spark.jsonl", "duckdb.jsonl"):
        summary = batch(source, tmp_path / out, "--engine", out.removesuffix(".jsonl"), "--explain")
        assert (summary["status"], summary["outcomes"]["invalid"], summary["rows"]) == (2, 1, 7)
    assert read(tmp_path / "spark.jsonl") == read(tmp_path / "duckdb.jsonl")
    (tmp_path / "bad.parquet").write_text("this is no Parquet file")
    with pytest.raises(BatchError, match=r"bad\.parquet: \[FAILED_READ_FILE"):
        batch(tmp_path / "bad.parquet", tmp_path / "out2.parquet", "--engine", "spark")
    assert not (tmp_path / "out2.parquet").exists()
