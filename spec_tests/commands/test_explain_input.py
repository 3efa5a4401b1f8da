"""``mqclause explain``: what is said of bad input, and many documents at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from spec_tests.support.explain_command import MEMBER, SCHEMA, bad, facts, run, written


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"queue": [{"name": "Q", "clwlrnk": 1}]}, ["queue 1 'Q'", "clwlrnk", "did you mean 'clwlrank'?"]),
        ({"queue": [{"name": "Q", "put": "MAYBE"}]}, ["put: 'MAYBE' is not allowed; allowed: ENABLED, DISABLED"]),
        (
            {"queue": [{"name": "Q", "clwlrank": 10}]},
            ["clwlrank: 10 is not allowed; allowed: a whole number from 0 to 9"],
        ),
        ({"channel": [{"name": "C", "queue_manager": "QM9"}]}, ["QM9", "is not known"]),
        ({"queue": [{"name": "Q"}, {"name": "Q"}]}, ["given twice"]),
    ],
)
def test_a_fault_in_the_facts(tmp_path: Path, change: dict[str, Any], said: list[str]) -> None:
    name = written(tmp_path, facts(**change))
    [line] = bad("explain", name, "--json")
    assert line.startswith(name)
    for words in said:
        assert words in line


def test_a_put_that_names_nothing_takes_its_name_from_the_option(tmp_path: Path) -> None:
    name = written(tmp_path, facts(put={"call": "MQPUT1"}))
    assert bad("explain", name) == [
        f"{name}: no put: name a queue with --put, or give a [put] table with queue or queue_manager; queues in the facts: Q"
    ]
    trace = json.loads(run("explain", name, "--put", "Q", "--json").stdout)
    assert (trace["put"], trace["outcome"]) == ({"queue": "Q", "call": "MQPUT1"}, "chosen")


def test_every_fault_has_its_line(tmp_path: Path) -> None:
    queues = [{"name": "Q", "clwlrank": 10, "put": "MAYBE"}, {"name": "R", "colour": 1}]
    assert len(bad("explain", written(tmp_path, facts(queue=queues)))) == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"\x00\x01\x02\xff" * 100, ""),
        (b"\xff\xfe{}", ""),
        (b'{"queue_manager": ', "JSON"),
        (b"[" * 10_000 + b"]" * 10_000, ""),
        (b'{"put": ' * 10_000 + b"1" + b"}" * 10_000, ""),
        (b"[queue_manager]\nname = 'QM1\n", "TOML"),
        (b"DEFINE QLOCAL('A) CLUSTER(C)\n", ""),
        (b"Lorem ipsum dolor sit amet\n" * 1000, ""),
    ],
)  # fmt: skip
def test_a_file_that_holds_no_facts(tmp_path: Path, content: bytes, said: str) -> None:
    lines = bad("explain", written(tmp_path, content), "--put", "Q", "--from", "QM1")
    assert len(lines) < 5
    assert said in lines[0]


def test_a_missing_file(tmp_path: Path) -> None:
    assert bad("explain", str(tmp_path / "none.toml")) == [f"{tmp_path / 'none.toml'}: no such file or directory"]


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    assert len(bad("explain", str(tmp_path))) == 1


def test_nothing_asked(tmp_path: Path) -> None:
    content = facts()
    del content["put"]
    name = written(tmp_path, content)
    said = "no put: name a queue with --put, or give a [put] table with queue or queue_manager; queues in the facts: Q"
    assert bad("explain", name) == [f"{name}: {said}"]
    other = written(tmp_path, {"process": [{"name": "P"}]}, "other.json")
    assert bad("explain", name, other) == [said]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--reading", "mru-ties"],
        ["--reading", "mru-ties=some"],
        ["--reading", "nothing=any"],
        ["--colour", "blue"],
        ["--brief", "--all"],
        ["--brief", "--json"],
        ["--edition", "mq-0"],
        ["--bind", "LOOSE"],
        ["--put", "X" * 49],
        ["--from", "QM9"],
        ["--lines"],
    ],
)
def test_bad_options(tmp_path: Path, arguments: list[str]) -> None:
    given = [written(tmp_path, facts()), *arguments] if arguments else []
    assert len(bad("explain", *given)) == 1


@pytest.mark.parametrize("queues", [10_000, pytest.param(100_000, marks=pytest.mark.deep)])
def test_a_large_dump(tmp_path: Path, queues: int) -> None:
    queue = "DEFINE QLOCAL('Q{}') +\n   CLUSTER('C') +\n   DESCR('{}') +\n   REPLACE\n"
    lines = "".join(queue.format(number, "x" * 400) for number in range(queues))
    name = written(tmp_path, MEMBER.format(name="QA", useq="ANY", rank=0) + lines, "QA.mqsc")
    assert Path(name).stat().st_size > 450 * queues
    done = run("explain", name, "--put", "Q77", "--json")
    assert json.loads(done.stdout)["chosen"]["queue"] == "Q77"


@pytest.mark.parametrize("arguments", [["-", "-"], ["-", "--with", "-"], ["-", "QM2=-"]])
def test_standard_input_is_read_once(arguments: list[str]) -> None:
    done = run("explain", *arguments, stdin=json.dumps(facts()).encode())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "-: standard input is named twice; allowed: once\n"


def test_lines_in_lines_out(tmp_path: Path) -> None:
    good, other = json.dumps(facts()), json.dumps(facts(put={"queue": "NONE"}))
    name = written(tmp_path, f"{good}\nnot json\n{other}\n\n{good}\n", "lines.jsonl")
    done = run("explain", "--lines", name)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2
    assert ["error" in result for result in results] == [False, True, False, True, False]
    assert results[0] == results[4]
    assert (results[2]["outcome"], results[2]["reason"]["code"]) == ("failed", 2085)
    assert "line 2" in results[1]["error"]
    for result in (results[0], results[2]):
        jsonschema.validate(result, SCHEMA)


@pytest.mark.parametrize("command", ["explain", "replay"])
def test_what_is_wrong_at_the_end_of_a_line_is_on_that_line(command: str) -> None:
    """Behind the brace, in the second column, and not on a line below it."""
    done = run(command, "--lines", "-", stdin=b"{\n{\r\n")
    told = "is not JSON: Expecting property name enclosed in double quotes"
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"error": f"line {number}:1:2: {told}"} for number in (1, 2)
    ]


def test_lines_give_what_the_single_documents_give(tmp_path: Path) -> None:
    name = written(tmp_path, facts())
    single = json.loads(run("explain", name, "--json").stdout)
    done = run("explain", "--lines", "-", stdin=json.dumps(facts()).encode())
    assert (done.returncode, json.loads(done.stdout)) == (0, single)


def test_lines_tell_what_the_answer_rests_on_and_who_is_as_good(tmp_path: Path) -> None:
    """All that a single document tells, but for what another reading would give."""
    document = {
        "queue_manager": {"name": "QM1", "clusters": ["S"], "clwlexit": "MYEXIT"},
        "remote_queue_manager": [{"name": name, "clusters": ["S"]} for name in ("QM2", "QM3")],
        "queue": [{"name": "Q", "queue_manager": name, "clusters": ["S"]} for name in ("QM2", "QM3")],
        "channel": [{"name": f"TO.{name}", "queue_manager": name, "cluster": "S"} for name in ("QM2", "QM3")],
        "unknown": {"status": ["TO.QM2"]},
        "put": {"queue": "Q"},
    }
    line = json.loads(run("explain", "--lines", "-", stdin=json.dumps(document).encode()).stdout)
    assert [each["object"] for each in line["incomplete"]] == ["MYEXIT", "TO.QM2"]
    assert line["remarks"][-1] == "QM2 by TO.QM2 and QM3 by TO.QM3 are equally good; the one listed first is taken"
    assert line == json.loads(run("explain", written(tmp_path, document), "--json").stdout)
