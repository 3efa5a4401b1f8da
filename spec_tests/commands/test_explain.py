"""``mqclause explain`` as a person and as a program run it: answers and statuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mqclause import Engine, read_document
from mqclause.render.explanation import render_question as put_line
from spec_tests.support.explain_command import EXAMPLE, MEMBER, SCHEMA, asked, facts, run, written


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
    assert (
        "    12     –  The least recently used of several is chosen, of equal ones the one listed first"
        in everything.splitlines()
    )
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


@pytest.mark.parametrize(("beside", "hints"), [("FAR.AWAY", []), ("PAY.INS", ["notes       did you mean 'PAY.INS'?"])])
def test_no_name_that_led_to_the_unknown_one_is_suggested(tmp_path: Path, beside: str, hints: list[str]) -> None:
    """PAY.INX is put to; that is an alias of PAY.IN, a remote definition of PAY.INN here: both are nearly that."""
    led = [
        {"name": "PAY.INX", "type": "QALIAS", "target": "PAY.IN"},
        {"name": "PAY.IN", "type": "QREMOTE", "rname": "PAY.INN", "rqmname": "QM1"},
    ]
    done = run("explain", written(tmp_path, facts(queue=[*led, {"name": beside}])), "--put", "PAY.INX")
    assert "(2085)" in done.stdout
    assert [line for line in done.stdout.splitlines() if "did you mean" in line] == hints


@pytest.mark.parametrize(("beside", "hints"), [("NORMAL", []), ("XMITQ", ["notes       did you mean 'PARTNERS'?"])])
def test_only_what_can_be_named_as_a_queue_manager_is_suggested(tmp_path: Path, beside: str, hints: list[str]) -> None:
    remote = {"name": "PARTNER.Q", "type": "QREMOTE", "rname": "IN", "rqmname": "PARTNER"}
    name = written(tmp_path, facts(queue=[remote, {"name": "PARTNERS", "usage": beside}]))
    done = run("explain", name, "--put", "PARTNER.Q")
    assert "(2087)" in done.stdout
    assert [line for line in done.stdout.splitlines() if "did you mean" in line] == hints


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
        "MQ displays no sequence numbers: taken as 0",
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


DUMP = """* Queue manager name: QM1
* Queue manager command level: ({level}/{level})
DEFINE QREMOTE(FAR) RNAME(Q) RQMNAME(QM9) XMITQ(QM9)
DEFINE QLOCAL(QM9) USAGE(XMITQ)
DEFINE CHANNEL(TO.QM9) CHLTYPE(SDR) CONNAME('h') XMITQ({xmitq})
DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CLUSTER(S)
DEFINE QLOCAL(Q) CLUSTER(S)
"""


def test_a_transmission_queue_that_no_channel_sends_from(tmp_path: Path) -> None:
    """XMITQ(QM9) of TO.QM9 is the queue that FAR leads to; QM8 is another."""
    said = "no channel of QM1 that is described names XMITQ(QM9): messages wait there"
    for named, expected in (("QM9", False), ("QM8", True)):
        script = written(tmp_path, DUMP.format(level=600, xmitq=named), "QM1.mqsc")
        assert (said in json.loads(asked(script, "--put", "FAR", "--json")[1])["remarks"]) is expected


def test_the_edition_is_that_of_the_command_level(tmp_path: Path) -> None:
    """CMDLEVEL of the dump; another one that is asked for is told, where the rules choose."""
    for level, asked_for, edition, place in (
        (930, [], "mq-9.3", "CMDLEVEL 930 of QM1, {}:2"), (753, [], "wmq-7.5", "CMDLEVEL 753 of QM1, {}:2"),
        (930, ["--edition", "wmq-6"], "wmq-6", "--edition"), (930, ["--edition", "auto"], "mq-9.3", "CMDLEVEL 930 of QM1, {}:2"),
    ):  # fmt: skip
        script = written(tmp_path, DUMP.format(level=level, xmitq="QM9"), "QM1.mqsc")
        trace = json.loads(asked(script, "--put", "Q", "--json", *asked_for)[1])
        assert (trace["edition"], trace["edition_from"]) == (edition, place.format(script))
        told = f"QM1 is of command level {level}, edition mq-9.3; edition wmq-6 was asked for"
        assert (told in trace["assumptions"]) is (asked_for == ["--edition", "wmq-6"])


@pytest.mark.parametrize("call", [[], ["--call", "MQPUT1"]])
def test_a_message_that_came_over_a_cluster_channel_stays(tmp_path: Path, call: list[str]) -> None:
    """Clause 3: also where an application's message would be balanced; a line of its own says it for --lines."""
    hosts = [{"name": "Q", "queue_manager": host, "clusters": ["S"], "clwluseq": "ANY"} for host in ("QM1", "QM2")]
    document = facts(queue=hosts, put={"queue": "Q"})
    name, lines = written(tmp_path, document), tmp_path / "lines.jsonl"
    lines.write_text(json.dumps(document) + "\n")
    for options in ([name, "--json"], ["--lines", str(lines)]):
        balanced, kept = (json.loads(run("explain", *options, *call, *more).stdout)
                          for more in ([], ["--from-cluster-channel"]))  # fmt: skip
        assert len(balanced["permitted"]) == 2
        assert ([each["queue_manager"] for each in kept["permitted"]], kept["put"]["from_cluster_channel"]) == (
            ["QM1"], True
        )  # fmt: skip
