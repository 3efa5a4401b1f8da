"""``mqclause explain`` as a person and as a program run it: answers, statuses, and what is said of bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from mqclause import Engine, read_document
from mqclause.tools.commands.explain import command
from mqclause.tools.render.terminal import question as put_line

EXAMPLE = str(files("mqclause.tools") / "examples" / "orders.toml")
SCHEMA = json.loads((files("mqclause.trace") / "trace.schema.json").read_text())


def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-c", "from mqclause.tools.cli import main; main()", *arguments],
        input=stdin,
        capture_output=True,
        timeout=600,
        check=False,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def asked(*arguments: str) -> tuple[int, str]:
    """The status and the output of a run in this process."""
    done = CliRunner().invoke(command, arguments, standalone_mode=False, catch_exceptions=False)
    return done.return_value, done.stdout


def facts(**tables: Any) -> dict[str, Any]:
    """QM1 puts to Q; QM2 and QM3 have it."""
    return {
        "queue_manager": {"name": "QM1", "clusters": ["S"]},
        "remote_queue_manager": [{"name": "QM2", "clusters": ["S"]}, {"name": "QM3", "clusters": ["S"]}],
        "queue": [{"name": "Q", "queue_manager": host, "clusters": ["S"]} for host in ("QM2", "QM3")],
        "channel": [
            {"name": "TO.QM2", "queue_manager": "QM2", "cluster": "S", "clwlrank": 7},
            {"name": "TO.QM3", "queue_manager": "QM3", "cluster": "S", "clwlrank": 3},
        ],
        "put": {"queue": "Q"},
        **tables,
    }


def written(folder: Path, content: dict[str, Any] | bytes | str, name: str = "facts.json") -> str:
    path = folder / name
    data = json.dumps(content) if isinstance(content, dict) else content
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return str(path)


def test_the_example_for_a_person() -> None:
    done = run("explain", EXAMPLE)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        "put         to queue ORDERS.IN, made at QM1; MQOPEN chooses: binding OPEN, from DEFBIND",
        "reaches     3 destinations: QM2 by TO.QM2, QM3 by TO.QM3, QM4 by TO.QM4",
        "goes to     ORDERS.IN at QM2 by TO.QM2",
    ]
    assert [line.split()[0] for line in lines if line.startswith("    ") and not line.startswith("       ")] == [
        "4a",
        "6",
    ]
    assert "              out   QM3 by TO.QM3: channel rank 3 is below 7" in lines
    because = "channel TO.QM4 is RETRYING, neither INACTIVE nor RUNNING"
    assert f"              out   QM4 by TO.QM4: {because}" in lines
    assert "\x1b" not in done.stdout
    assert [line for line in lines if line != line.rstrip()] == []


def test_every_rule_and_the_verdict_alone() -> None:
    _, everything = asked(EXAMPLE, "--all")
    assert "    12     –  The least recently used of several is chosen" in everything.splitlines()
    assert "dest_seq_factor = 20" in everything
    assert "--all" not in everything
    assert asked(EXAMPLE, "--brief") == (0, "goes to ORDERS.IN at QM2 by TO.QM2\n")
    said = (
        "MQOPEN fails with MQRC_UNKNOWN_OBJECT_NAME (2085): queue NONE is neither defined here nor known in a cluster\n"
    )
    assert asked(EXAMPLE, "--brief", "--put", "NONE") == (1, said)


@pytest.mark.parametrize(
    ("put", "said"),
    [
        ({"queue": "Q"}, "to queue Q, made at QM1; MQOPEN chooses: binding OPEN, from DEFBIND"),
        ({"queue": "Q", "bind": "OPEN"}, "to queue Q, made at QM1; MQOPEN chooses: binding OPEN"),
        ({"queue": "Q", "bind": "NOTFIXED"}, "to queue Q, made at QM1; each MQPUT chooses: binding NOTFIXED"),
        ({"queue": "Q", "bind": "GROUP"}, "to queue Q, made at QM1; the first MQPUT of each group chooses: binding GROUP"),
        (
            {"queue": "Q", "bind": "NOTFIXED", "call": "MQOPEN"},
            "to queue Q, made at QM1; MQOPEN leaves the choice to each MQPUT: binding NOTFIXED",
        ),
        ({"queue": "Q", "call": "MQPUT1"}, "to queue Q, made at QM1; MQPUT1 chooses"),
        ({"queue_manager": "QM2"}, "to queue manager QM2, made at QM1; MQOPEN chooses"),
        (
            {"queue": "Q", "from_cluster_channel": True},
            "to queue Q, made at QM1, arrived over a cluster channel; MQOPEN chooses: binding OPEN, from DEFBIND",
        ),
    ],
)  # fmt: skip
def test_who_chooses(put: dict[str, Any], said: str) -> None:
    snapshot = read_document(facts(put=put), "facts")
    assert snapshot.put is not None
    assert put_line(Engine().choose(snapshot.put, snapshot.cluster)) == said


def test_what_is_known_of_ties_and_readings_is_remarked(tmp_path: Path) -> None:
    channels = [{**channel, "clwlrank": 0} for channel in facts()["channel"]]
    channels[1]["clwlprty"] = 9
    name = written(tmp_path, facts(channel=channels))
    trace = json.loads(asked(name, "--json")[1])
    jsonschema.validate(trace, SCHEMA)
    assert trace["remarks"] == [
        "Shares are approximate: administration uses the channels too",
        "QM2 by TO.QM2 and QM3 by TO.QM3 are equally good; the one listed first is taken",
        "with channel-priority-for-queues=before-queue-priority: QM3",
    ]
    shown = asked(name)[1].splitlines()
    assert shown[3] == "as good     QM3 by TO.QM3 (the one listed first is taken)"
    assert "            with channel-priority-for-queues=before-queue-priority: QM3" in shown


def test_the_trace_as_json(tmp_path: Path) -> None:
    done = run("explain", written(tmp_path, facts()), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    trace = json.loads(done.stdout)
    jsonschema.validate(trace, SCHEMA)
    assert trace["format"] == "mqclause.trace/1"
    assert trace["put"] == {"queue": "Q"}
    assert (trace["outcome"], trace["reason"]) == ("chosen", None)
    assert trace["chosen"] == {"queue": "Q", "queue_manager": "QM2", "channel": "TO.QM2"}
    assert trace["permitted"] == [trace["chosen"]]
    assert trace["advance"] == {"channel": "TO.QM2", "dest_seq_factor": 20.0, "dest_seq_number": 1}
    step = next(step for step in trace["steps"] if step["rule"] == "workload.04a")
    assert step == {
        "rule": "workload.04a", "clause": "4a", "applied": True, "remaining": 1,
        "eliminated": [{"queue": "Q", "queue_manager": "QM3", "channel": "TO.QM3",
                        "because": "channel rank 3 is below 7"}],
    }  # fmt: skip


def test_conditions_show_the_values_that_decided(tmp_path: Path) -> None:
    trace = json.loads(run("explain", written(tmp_path, facts()), "--json", "--conditions").stdout)
    jsonschema.validate(trace, SCHEMA)
    [fallen] = next(step for step in trace["steps"] if step["rule"] == "workload.04a")["eliminated"]
    assert {"condition": "route_rank is the best", "holds": False, "values": {"route_rank": 3}} in fallen["tests"]


def test_status_1_when_the_rules_end_in_a_reason_code(tmp_path: Path) -> None:
    name = written(tmp_path, facts())
    done = run("explain", name, "--put", "NO.SUCH.QUEUE", "--json")
    trace = json.loads(done.stdout)
    jsonschema.validate(trace, SCHEMA)
    assert done.returncode == 1
    assert trace["reason"] == {"name": "MQRC_UNKNOWN_OBJECT_NAME", "code": 2085, "call": "MQOPEN"}
    assert (trace["chosen"], trace["permitted"], trace["advance"]) == (None, [], None)


def test_status_0_when_the_choice_is_deferred(tmp_path: Path) -> None:
    name = written(tmp_path, facts(put={"queue": "Q", "bind": "NOTFIXED", "call": "MQOPEN"}))
    done = run("explain", name, "--json")
    trace = json.loads(done.stdout)
    assert (done.returncode, trace["outcome"], trace["chosen"], trace["advance"]) == (0, "deferred", None, None)
    assert [each["queue_manager"] for each in trace["permitted"]] == ["QM2"]


def test_an_unknown_queue_gets_a_suggestion(tmp_path: Path) -> None:
    done = run(
        "explain", written(tmp_path, facts(queue=[{"name": "ORDERS.IN", "clusters": ["S"]}])), "--put", "ORDER.IN"
    )
    assert done.returncode == 1
    assert (
        "queue ORDER.IN is neither defined here nor known in a cluster\nnotes       did you mean 'ORDERS.IN'?"
        in done.stdout
    )


def test_the_put_from_options(tmp_path: Path) -> None:
    name = written(tmp_path, facts())
    done = run("explain", name, "--to-queue-manager", "QM3", "--call", "mqput1", "--bind", "notfixed", "--json")
    trace = json.loads(done.stdout)
    assert trace["put"] == {"queue": "Q", "queue_manager": "QM3", "bind": "NOTFIXED", "call": "MQPUT1"}
    assert trace["chosen"] == {"queue": "Q", "queue_manager": "QM3", "channel": "TO.QM3"}


def test_a_reading_from_an_option(tmp_path: Path) -> None:
    name = written(tmp_path, facts())
    trace = json.loads(run("explain", name, "--json", "--reading", "weight-step=truncated").stdout)
    assert trace["readings"]["weight-step"] == "truncated"


def test_standard_input() -> None:
    done = run("explain", "-", "--json", stdin=json.dumps(facts()).encode())
    assert json.loads(done.stdout)["chosen"]["queue_manager"] == "QM2"


MEMBER = """
* Queue manager name: {name}
ALTER QMGR CLWLUSEQ({useq})
DEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CLUSTER(C) CLWLRANK({rank})
DEFINE QLOCAL(WORK) CLUSTER(C)
"""


def test_dumps_seen_from_a_member(tmp_path: Path) -> None:
    names = [
        written(tmp_path, MEMBER.format(name=name, useq=useq, rank=rank), f"{name}.mqsc")
        for name, useq, rank in [("QA", "LOCAL", 0), ("QB", "ANY", 5), ("QC", "ANY", 3)]
    ]
    at_home = json.loads(run("explain", *names, "--put", "WORK", "--from", "QA", "--json").stdout)
    assert at_home["chosen"] == {"queue": "WORK", "queue_manager": "QA", "channel": "TO.QA"}
    away = json.loads(run("explain", *names, "--put", "WORK", "--from", "QC", "--json").stdout)
    assert {each["queue_manager"] for each in away["permitted"]} == {"QB", "QC"}
    assert away["assumptions"] == [
        "scripts and dumps hold no channel status and no sequence numbers: taken as INACTIVE and 0",
        "taken as all members of C: QA, QB, QC",
    ]
    assert at_home["incomplete"] == []


def test_the_states_that_an_answer_rests_on(tmp_path: Path) -> None:
    names = [
        written(tmp_path, MEMBER.format(name=name, useq="ANY", rank=0), f"{name}.mqsc") for name in ("QA", "QB", "QC")
    ]
    queue = written(
        tmp_path, "* Queue manager name: QP\nDEFINE CHANNEL(TO.QP) CHLTYPE(CLUSRCVR) CLUSTER(C)\n", "QP.mqsc"
    )
    question = (*names, queue, "--put", "WORK", "--from", "QP")
    trace = json.loads(asked(*question, "--json")[1])
    jsonschema.validate(trace, SCHEMA)
    assert trace["incomplete"][1] == {
        "what": "channel status unknown; taken as INACTIVE. If TO.QB is neither INACTIVE nor RUNNING: QA or QC",
        "object": "TO.QB",
        "command": "DISPLAY CHSTATUS(TO.QB)",
    }
    assert [each["object"] for each in trace["incomplete"]] == ["TO.QA", "TO.QB", "TO.QC"]
    lines = asked(*question)[1].splitlines()
    assert lines[4:7] == [
        "rests on    channel status unknown; taken as INACTIVE",
        "            If TO.QA is neither INACTIVE nor RUNNING: QB or QC",
        "            DISPLAY CHSTATUS(TO.QA)",
    ]
    assert (
        asked(*question, "--brief")[1] == "goes to WORK at QA by TO.QA (as good: 2 others); rests on 3 unknown facts\n"
    )


def bad(*arguments: str, stdin: bytes = b"") -> list[str]:
    """The lines on standard error of a run that must end in status 2 with nothing on standard output."""
    done = run(*arguments, stdin=stdin)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert "Traceback" not in done.stderr
    lines = done.stderr.splitlines()
    assert lines
    return lines


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


def test_lines_give_what_the_single_documents_give(tmp_path: Path) -> None:
    name = written(tmp_path, facts())
    single = json.loads(run("explain", name, "--json").stdout)
    assert single.pop("assumptions") == []
    done = run("explain", "--lines", "-", stdin=json.dumps(facts()).encode())
    assert (done.returncode, json.loads(done.stdout)) == (0, single)
