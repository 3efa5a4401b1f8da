"""mqclause batch on text that is not as it should be: keys twice or in another letter case, rows of another length."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")

import duckdb

from mqclause.tools.batch.put_columns import AskedColumns
from mqclause.tools.batch.tables import normalize_row_keys
from spec_tests.support.batch_files import batch, read
from spec_tests.support.deep import first

QM2 = {"queue_manager": "QM2"}
RANKED = '[{"queue_manager": "QM2"}, {"queue_manager": "QM3", "channel_rank": 1}]'


def decided(path: Path, text: str, name: str = "in.jsonl", out: str = "out.jsonl") -> list[dict[str, Any]]:
    (path / name).write_text(text)
    batch(path / name, path / out)
    return [row["decision"] for row in read(path / out)]


@pytest.mark.parametrize(
    ("line", "message"),
    first(1, [
        ('{"put": {"queue": "A", "queue": "B"}, "destinations": [{"queue_manager": "QM2"}]}', "put.queue is there twice"),
        ('{"put": {"queue": "A"}, "PUT": {"queue": "B"}, "destinations": [{"queue_manager": "QM2"}]}',
         "put: put, PUT differ in letter case only"),
        ('{"put": {"queue": "A"}, "destinations": [{"queue_manager": "QM2"}, {"queue_manager": "QM3", "Queue_Manager": "QM4"}]}',
         "destinations[1].queue_manager: destinations[1].queue_manager, destinations[1].Queue_Manager differ in letter case only"),
        ('{"put": {"queue": "A"}, "put": {"queue": "B"}, "destinations": [{"queue_manager": "QM2"}]}', "put is there twice"),
        ('{"put": {"queue": "A"}, "note": 1, "note": 2, "destinations": [{"queue_manager": "QM2"}]}', "note is there twice"),
        ('{"put": {"queue": "A", "Queue": "B"}, "destinations": [{"queue_manager": "QM2"}]}',
         "put.queue: put.queue, put.Queue differ in letter case only"),
        ('{"put": {"queue": "A"}, "destinations": [{"queue_manager": "QM2"}, {"queue_manager": "QM3", "queue_manager": "QM4"}]}',
         "destinations[1].queue_manager is there twice"),
        ('{"put": {"queue": "A", "x": {"queue": 1}, "queue": "B"}, "destinations": [{"queue_manager": "QM2"}]}',
         "put.queue is there twice"),
    ]),
)  # fmt: skip
@pytest.mark.parametrize("out", first(1, ["out.jsonl", "out.parquet"]))
def test_a_key_that_is_there_twice(tmp_path: Path, line: str, message: str, out: str) -> None:
    good = '{"put": {"queue": "A"}, "destinations": [{"queue_manager": "QM2"}]}'
    found = {each["message"]: each for each in decided(tmp_path, f"{good}\n{line}\n", out=out)}
    assert {message: each["outcome"] for message, each in found.items()} == {None: "chosen", message: "invalid"}


def test_keys_in_another_letter_case(tmp_path: Path) -> None:
    line = (
        '{"ID": 7, "Put": {"QUEUE": "A", "Bind": "notfixed", "Note": 1.50}, "DESTINATIONS": [{"Queue_Manager": "QM2"}, '
    )
    line += '{"QUEUE_MANAGER": "QM3", "Channel_RANK": 1}]}'
    (each,) = decided(tmp_path, line)
    assert (each["outcome"], each["queue_manager"]) == ("chosen", "QM3")
    # The line itself is as it was.
    assert (tmp_path / "out.jsonl").read_text().startswith(line[:-1])
    (each,) = decided(tmp_path, line, out="out.parquet")
    assert each["queue_manager"] == "QM3"
    assert duckdb.read_parquet(str(tmp_path / "out.parquet")).columns == ["ID", "put", "destinations", "decision"]


def test_headers_and_keys_of_csv_in_another_letter_case(tmp_path: Path) -> None:
    cells = '"{""QUEUE"": ""A""}","[{""Queue_Manager"": ""QM2""}]",9'
    twice = '"{""queue"": ""A"", ""queue"": ""B""}","[{""queue_manager"": ""QM2""}]",9'
    found = decided(tmp_path, f"Put,DESTINATIONS,Note\n{cells}\n{twice}\n", "in.csv", "out.csv")
    told = {each["message"]: each["queue_manager"] for each in found}
    assert told == {None: "QM2", "put.queue is there twice": None}
    header, *rows = (tmp_path / "out.csv").read_text().splitlines()
    assert header == "Put,DESTINATIONS,Note,decision"
    assert any(row.startswith(cells) for row in rows)


def test_rows_of_another_length_are_invalid_and_the_run_goes_on(tmp_path: Path) -> None:
    put, listed = '"{""queue"":\n""A""}"', '"[{""queue_manager"": ""QM2""}]"'
    text = f'id,put,destinations\n1,{put},{listed}\n2\n3,{put},{listed},x,"y,\nz"\n4,{put},{listed}\n5,{put}\n'
    for kind, packed in (("in.csv", text.encode()), ("in.csv.gz", gzip.compress(text.encode()))):
        (tmp_path / kind).write_bytes(packed)
        summary = batch(tmp_path / kind, tmp_path / "out.parquet")
        assert summary["outcomes"]["invalid"] == 3
        rows = duckdb.execute(
            f"SELECT id, decision.outcome, decision.message FROM '{tmp_path}/out.parquet' ORDER BY id"
        ).fetchall()
        assert rows == [
            ("1", "chosen", None),
            ("2", "invalid", "row 2 has 1 value; the header has 3"),
            ("3", "invalid", "row 3 has 5 values; the header has 3: left over 'x', 'y,\nz'"),
            ("4", "chosen", None),
            ("5", "invalid", "row 5 has 2 values; the header has 3"),
        ]


def test_ragged_rows_of_several_files_keep_their_columns(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.csv").write_text('put,destinations,a\n{},"[]"\n{},"[]",1\n')
    (folder / "b.csv").write_text('b,put,destinations\n2,{},"[]",9\n')
    batch(folder, tmp_path / "out.csv")
    found = sorted((row["a"] or "", row["b"] or "", row["decision"]["message"]) for row in read(tmp_path / "out.csv"))
    none = "put.queue and put.queue_manager are both blank; a put names one of them"
    assert found == [
        ("", "", "row 1 has 2 values; the header has 3"),
        ("", "2", "row 1 has 4 values; the header has 3: left over '9'"),
        ("1", "", none),
    ]


LARGEST = 2**64 - 1


def test_whole_numbers_keep_all_their_digits(tmp_path: Path) -> None:
    """Of a column with signed and unsigned numbers DuckDB makes one of more than 64 bits, and writes that as doubles."""
    among = [QM2]
    lines = [
        {"id": 1, "put": {"queue": "Q"}, "destinations": among, "n": LARGEST, "in": {"n": LARGEST}, "larger": 10**25 + 1, "part": 1.5},
        {"id": 2, "put": {"queue": "Q"}, "destinations": among, "n": -1, "in": {"n": -1}, "larger": -1, "part": 2},
    ]  # fmt: skip
    decided(tmp_path, "".join(f"{json.dumps(line)}\n" for line in lines), out="out.parquet")
    first_one, other = read(tmp_path / "out.parquet")
    assert (first_one["n"], first_one["in"]["n"], str(first_one["larger"])) == (LARGEST, LARGEST, str(10**25 + 1))
    assert (other["n"], other["in"]["n"], str(other["larger"]), other["part"]) == (-1, -1, "-1", 2.0)


def test_numbers_below_zero_and_above_are_no_doubles(tmp_path: Path) -> None:
    odd = 2**53 + 1  # which is none of the doubles
    lines = [
        {"id": at, "put": {}, "destinations": [QM2], "n": each, "in": {"n": [each]}}
        for at, each in enumerate((-1, odd))
    ]
    decided(tmp_path, "".join(f"{json.dumps(line)}\n" for line in lines), out="out.parquet")
    found = read(tmp_path / "out.parquet")
    assert [str(each[name]) for each in found for name in ("n", "in")] == [
        "-1",
        "{'n': [-1]}",
        f"{odd}",
        f"{{'n': [{odd}]}}",
    ]


def test_files_of_signed_and_of_unsigned_numbers(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for at, number in enumerate((f"{LARGEST}::UBIGINT", "-1")):
        put = f"{{'queue': 'Q', 'clwlmruc': {at + 1}::{'U' * (1 - at)}BIGINT}}"
        more = f"{number} AS n, {{'of n': [{number}]}} AS \"in\", map {{'of n': {number}}} AS by"
        made = f"SELECT {put} AS put, [{{'queue_manager': 'QM2'}}] AS destinations, {more}"
        duckdb.execute(f"COPY ({made}) TO '{tmp_path}/in/{at}.parquet'")
    batch(tmp_path / "in", tmp_path / "out.parquet")
    found = read(tmp_path / "out.parquet")
    assert {int(row["n"]) for row in found} == {LARGEST, -1}
    for row in found:
        assert (row["in"], row["by"]) == ({"of n": [row["n"]]}, {"of n": row["n"]})
        assert (row["decision"]["outcome"], int(row["put"]["clwlmruc"])) == ("chosen", 1 if row["n"] > 0 else 2)


@pytest.mark.parametrize("name", first(1, ["in.jsonl", "in.jsonl.gz"]))
def test_lines_behind_a_byte_order_mark(tmp_path: Path, name: str) -> None:
    line = (
        '{"put": {"queue": "Q"}, "destinations": [{"queue_manager": "QM2"}], "id": "%s", "note": "a, \\"b\\" \\u001f"}'
    )
    text = f"\ufeff{line % 1}\r\n\r\nno JSON\r\n  {line % 2}".encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    batch(tmp_path / name, tmp_path / "out.jsonl")
    rows = read(tmp_path / "out.jsonl")
    assert [(row.get("id"), row["decision"]["queue_manager"]) for row in rows] == [
        ("1", "QM2"),
        ("2", "QM2"),
        (None, None),
    ]
    assert [row.get("note") for row in rows] == ['a, "b" \x1f'] * 2 + [None]


def test_keys_that_are_no_columns(tmp_path: Path) -> None:
    line = '{"put": {"queue": "Q"}, "destinations": [{"queue_manager": "QM2"}], "in": {"a": 1, "A": 2, "": 3}%s}'
    assert [each["outcome"] for each in decided(tmp_path, line % ', "": 4, "a": 5, "A": 6')] == ["chosen"]
    (row,) = read(tmp_path / "out.jsonl")
    assert (row[""], row["a"], row["A"], row["in"]) == (4, 5, 6, {"a": 1, "A": 2, "": 3})
    decided(tmp_path, line % "", out="out.csv")
    assert read(tmp_path / "out.csv")[0]["in"] == {"a": 1, "A": 2, "": 3}


def test_names_in_our_case_and_all_else_as_it_was() -> None:
    text = '{"PUT": {"Queue": "é\\ud83d", "x": 1e400, "N": 1.50, "o": {}, "l": []}, "Put.": null, "AT": true}'
    ours = normalize_row_keys(text, AskedColumns(beside=("At",)))
    assert (
        ours
        == '{"put": {"queue": "\\u00e9\\ud83d", "x": 1e400, "N": 1.50, "o": {}, "l": []}, "Put.": null, "At": true}'
    )
    assert normalize_row_keys("[1", AskedColumns()) == "[1"
    assert json.loads(normalize_row_keys('{"put": 1, "PUT": 2}', AskedColumns())) == {"put": 1, "PUT": 2}


def test_whole_numbers_with_a_fraction_of_nothing(tmp_path: Path) -> None:
    """As JSON has what was a column of doubles; the one of the higher rank is taken, and CLWLMRUC is told as it is read."""
    among = '[{"queue_manager": "QM2", "channel_rank": %s, "dest_seq_number": 2.0e1 }, {"queue_manager": "QM3", "channel_rank": 1.0}]'
    line = f'{{"id": %s, "put": {{"queue": "Q"}}, "clwlmruc": %s, "destinations": {among}}}'
    given = [("5.0", "2.0"), ("5", "-0.0"), ("1e0", "2.05"), ("1.5", "2.00"), ("1", "10.0")]
    found = decided(tmp_path, "\n".join(line % (number, *each) for number, each in enumerate(given)))
    assert [each["queue_manager"] for each in found] == ["QM2", "QM3", None, None, None]
    assert [each["message"] for each in found] == [
        None,
        None,
        "destinations[0].channel_rank = 2.05; allowed: a whole number from 0 to 9",
        "clwlmruc = 1.5; allowed: a whole number from 1 to 999999999",
        "destinations[0].channel_rank = 10; allowed: a whole number from 0 to 9",
    ]
    cells = f'put,destinations\n"{{""queue"":""Q""}}","{(among % "2.0").replace(chr(34), chr(34) * 2)}"\n'
    assert [each["queue_manager"] for each in decided(tmp_path, cells, "in.csv")] == ["QM2"]
