"""``mqclause replay`` as it is run."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from spec_tests.support.displayed import BANNER
from spec_tests.support.explain_command import bad, run, written

EXAMPLE = str(files("mqclause.tools") / "examples" / "orders_trigger.toml")


def scenario(*events: dict[str, Any], **tables: Any) -> dict[str, Any]:
    """APPQ with a process, an initiation queue and a trigger monitor, then ``events``."""
    monitor = {"do": "open", "queue": "INITQ", "mode": "INPUT_SHARED", "by": "TM"}
    return {
        "queue_manager": {"name": "QM1"},
        "queue": [{"name": "APPQ", "trigger": True, "process": "P", "initq": "INITQ"}, {"name": "INITQ"}],
        "process": [{"name": "P", "applicid": "/opt/orders"}],
        "event": [monitor, *events],
        **tables,
    }


def test_the_timeline_for_a_person() -> None:
    done = run("replay", EXAMPLE)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[:3] == [
        "0 put ORDERS.IN",
        "no trigger message for ORDERS.IN",
        "8  no trigger monitor has the initiation queue ORDERS.INITQ open for input",
    ]
    assert "trigger message for ORDERS.IN by trigger.13.3" in lines
    assert "trigger message for ORDERS.IN by trigger.12" in lines


@pytest.mark.parametrize("name", ["[bold]A[/bold]", "A\\", ":100:", "\\[A]"])
def test_names_are_told_as_they_are(tmp_path: Path, name: str) -> None:
    """No part of one is taken for the style of the text or for a picture."""
    put = {"do": "put", "queue": "APPQ", "id": name, "by": name, "priority": 9}
    get = {"do": "get", "queue": "APPQ", "match": {"id": "B"}, "by": name}
    shown = run("replay", written(tmp_path, scenario(put, {**put, "id": "B", "priority": 1}, get))).stdout.splitlines()
    assert f"    1 put APPQ {name} by {name} priority 9" in shown
    assert shown[-3:] == [
        f"    3 get APPQ where id is B by {name}",
        "      returns B",
        f"         1.2  not {name}: {name} is not B",
    ]


def test_who_a_call_names_and_how_it_binds_is_told(tmp_path: Path) -> None:
    opened = {"do": "open", "queue": "APPQ", "by": "A", "mode": "OUTPUT", "bind": "NOTFIXED"}
    put = {"do": "put", "queue": "APPQ", "to_queue_manager": "QM1"}
    shown = run("replay", written(tmp_path, scenario(opened, put, {"do": "put", "queue": "APPQ"}))).stdout.splitlines()
    assert [line for line in shown if line[4].isdigit()][1:] == [
        "    1 open APPQ OUTPUT NOTFIXED by A",
        "    2 put APPQ to QM1",
        "    3 put APPQ",
    ]


def test_one_object_for_each_event(tmp_path: Path) -> None:
    put = {"do": "put", "queue": "APPQ"}
    done = run("replay", written(tmp_path, scenario(put, {**put, "count": 2})), "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["event"], row["do"], row.get("repeat")) for row in rows] == [
        (0, "open", None), (1, "put", None), (2, "put", 0), (2, "put", 1),
    ]  # fmt: skip
    assert rows[1]["trigger_messages"] == [
        {
            "queue": "APPQ", "initiation_queue": "INITQ", "process": "P", "trigger_data": "",
            "appl_type": "UNIX", "appl_id": "/opt/orders", "env_data": "", "user_data": "",
            "rule": "trigger.01-10", "available": True,
        }
    ]  # fmt: skip
    assert {"queue": "APPQ", "rule": "trigger.02", "clause": "2", "holds": True} in rows[1]["conditions"]
    assert (rows[1]["routed"], rows[1]["released"], rows[1]["changed"]) == (None, [], [])
    assert [row["trigger_messages"] for row in rows[2:]] == [[], []]


def test_a_get_that_finds_nothing_is_a_result(tmp_path: Path) -> None:
    done = run("replay", written(tmp_path, scenario({"do": "get", "queue": "APPQ"})), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[-1])["reason"] == 2033


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"do": "commit", "unit_of_work": "U1"}, "U1"),
        ({"do": "close", "queue": "APPQ"}, "has not opened queue 'APPQ'"),
        ({"do": "put", "queue": "NONE"}, "NONE"),
        ({"do": "put", "queue": "APPQ", "priority": -1}, "priority"),
        ({"do": "put", "queue": "APPQ", "count": 0}, "count"),
        ({"do": "jump"}, "jump"),
        ({"do": "alter", "queue": "APPQ", "set": {"trigtyp": "EVERY"}}, "did you mean 'trigtype'?"),
    ],
)
def test_events_that_cannot_be(tmp_path: Path, event: dict[str, Any], said: str) -> None:
    [line] = bad("replay", written(tmp_path, scenario(event)), "--json")
    assert said in line


def test_time_does_not_go_back(tmp_path: Path) -> None:
    events = [{"do": "advance", "at": 10}, {"do": "advance", "at": 5}]
    [line] = bad("replay", written(tmp_path, scenario(*events)))
    assert "at: 5 is before 10" in line


def test_scenarios_in_lines() -> None:
    good = json.dumps(scenario({"do": "put", "queue": "APPQ"}))
    wrong = json.dumps(scenario({"do": "close", "queue": "APPQ"}))
    done = run("replay", "--lines", "-", stdin=f"{good}\n{wrong}\n{good}\n".encode())
    first, second, third = (json.loads(line) for line in done.stdout.splitlines())
    assert done.returncode == 2
    assert first == third
    assert [row["event"] for row in first] == [0, 1]
    assert "line 2" in second["error"]


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_event_that_cannot_be_leaves_no_output_behind(tmp_path: Path, form: tuple[str, ...]) -> None:
    events = [{"do": "put", "queue": "APPQ"}, {"do": "close", "queue": "APPQ"}]
    [line] = bad("replay", written(tmp_path, scenario(*events)), *form)
    assert "has not opened queue 'APPQ'" in line


def test_the_timeline_says_what_a_put_says_of_its_message_and_what_a_get_asks_for(tmp_path: Path) -> None:
    put = {"do": "put", "queue": "APPQ", "id": "Y1", "group": "Y", "logical_order": True}
    get = {"do": "get", "queue": "APPQ", "options": ["BROWSE_FIRST"], "match": {"group": "Y", "sequence": 1}}
    told = run("replay", written(tmp_path, scenario(put, get))).stdout
    assert "1 put APPQ Y1 of Y LOGICAL_ORDER\n" in told
    assert "2 get APPQ BROWSE_FIRST where group is Y where sequence is 1\n" in told


OF_CHANNELS = "SYSTEM.CHANNEL.INITQ"
SENDER = """
DEFINE QLOCAL(QM2.XMIT) USAGE(XMITQ) TRIGGER INITQ({}) TRIGDATA(TO.QM2)
DEFINE CHANNEL(TO.QM2) CHLTYPE(SDR) CONNAME('h') XMITQ(QM2.XMIT)
"""


def of_a_script(tmp_path: Path, initq: str, *events: dict[str, Any]) -> tuple[list[list[str]], list[list[str]]]:
    """Of each row of a replay the initiation queues of its trigger messages, and its remarks."""
    script = written(tmp_path, SENDER.format(initq), "QM1.mqsc")
    done = run("replay", written(tmp_path, {"event": [*events]}), "--facts", f"QM1={script}", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    written_to = [[each["initiation_queue"] for each in row["trigger_messages"]] for row in rows]
    return written_to, [row.get("remarks", []) for row in rows]


def test_an_initiation_queue_that_no_script_defines_is_there_as_for_why(tmp_path: Path) -> None:
    put = {"do": "put", "queue": "QM2.XMIT"}
    said = [f"assumed: {OF_CHANNELS} is defined as every queue manager is created with it"]
    events = ({"do": "open", "queue": OF_CHANNELS}, put, {"do": "advance", "at": 5})
    handles = "assumed: no handle on QM2.XMIT was open for input at the start: no source tells IPPROCS;"
    handles += " DISPLAY QSTATUS('QM2.XMIT') IPPROCS"
    # Messages that were there would trigger when the initiation queue is opened.
    depth = "assumed: no message was on QM2.XMIT at the start: no source tells CURDEPTH;"
    depth += " DISPLAY QSTATUS('QM2.XMIT') CURDEPTH"
    remarks = [[*said, depth], [*said, handles], []]
    assert of_a_script(tmp_path, OF_CHANNELS, *events) == ([[], [OF_CHANNELS], []], remarks)
    # An alter may name it first; one of another name is missing.
    named = {"do": "alter", "queue": "QM2.XMIT", "set": {"initq": OF_CHANNELS}}
    assert of_a_script(tmp_path, "INITQ", put, named, *events[:2])[0] == [[], [], [OF_CHANNELS], []]
    assert of_a_script(tmp_path, "INITQ", put) == ([[]], [[]])


def test_an_initiation_queue_that_a_facts_file_leaves_out_is_not_there(tmp_path: Path) -> None:
    queue = {"name": "APPQ", "trigger": True, "process": "P", "initq": OF_CHANNELS}
    put = {"do": "put", "queue": "APPQ"}
    given = {**scenario(queue=[queue]), "event": [put]}
    (row,) = map(json.loads, run("replay", written(tmp_path, given), "--json").stdout.splitlines())
    assert "remarks" not in row
    assert {each["rule"] for each in row["conditions"] if not each["holds"]} >= {"trigger.07"}
    given["event"] = [{"do": "open", "queue": OF_CHANNELS}]
    (said,) = bad("replay", written(tmp_path, given))
    assert "queue 'SYSTEM.CHANNEL.INITQ' is not known" in said


def test_a_message_that_arrives_on_a_queue_without_trigger_tells_of_no_trigger(tmp_path: Path) -> None:
    events = [{"do": "arrive", "queue": "Q", "id": "M"}, {"do": "arrive", "queue": "APPQ", "id": "N"}]
    given = scenario(*events)
    done = run("replay", written(tmp_path, {**given, "queue": [*given["queue"], {"name": "Q"}]}))
    assert [line.strip() for line in done.stdout.splitlines()][-6:] == [
        "1 arrive Q M",
        "M delivered: Q at QM1 is put-enabled",
        "2 arrive APPQ N",
        "N delivered: APPQ at QM1 is put-enabled",
        "trigger message for APPQ by trigger.01-10",
        "A message arrives and conditions 1 to 10 hold: a trigger message is written",
    ]


def test_a_key_of_other_events_is_told_with_them(tmp_path: Path) -> None:
    (said,) = bad("replay", written(tmp_path, scenario({"do": "put", "queue": "APPQ", "bind": "OPEN"})))
    assert said.endswith("; bind is of open")


def test_a_put_that_fails_at_a_local_queue_says_by_what(tmp_path: Path) -> None:
    queues = [
        {"name": "APPQ"},
        {"name": "AL", "type": "QALIAS", "target": "APPQ", "put": "DISABLED"},
        {"name": "FULL", "maxdepth": 0},
        {"name": "OFF", "put": "DISABLED"},
    ]
    puts = [{"do": "put", "queue": name} for name in ("AL", "FULL", "OFF", "APPQ")]
    source = written(tmp_path, {"queue_manager": {"name": "QM1"}, "queue": queues, "event": puts})
    rows = [json.loads(line) for line in run("replay", source, "--json").stdout.splitlines()]
    assert [(row.get("reason"), row.get("because")) for row in rows] == [
        (2051, "AL is put-disabled"),
        (2053, "with this put FULL would hold 1 messages; MAXDEPTH allows 0"),
        (2051, "OFF is put-disabled"),
        (None, None),
    ]
    printed = run("replay", source).stdout.splitlines()
    assert "      reason 2051: OFF is put-disabled" in printed
    assert "        ALTER QLOCAL('FULL') MAXDEPTH(1)" in printed


def test_a_reason_by_the_rules_of_retrieval_says_what_the_rule_says(tmp_path: Path) -> None:
    """Of a group that is begun, sequence 1 is got in logical order; then B is got otherwise, outside the group.

    A put of priority 12 counts as 9 (on a FIFO queue as DEFPRTY). Z is begun by a put in logical order, which no put of another group may follow.
    """
    logical = {"logical_order": True, "queue": "APPQ", "by": "P"}
    events: list[dict[str, Any]] = [
        {"do": "get", "queue": "APPQ", "options": ["LOGICAL_ORDER"]},
        {"do": "get", "queue": "APPQ", "match": {"id": "B"}},
        {"do": "put", "queue": "APPQ", "priority": 12},
        {"do": "put", "group": "Z", **logical},
        {"do": "put", **logical},
        {"do": "get", "queue": "APPQ", "match": {"id": "B"}},
    ]
    messages = [{"id": "A", "queue": "APPQ", "group": "G"}, {"id": "B", "queue": "APPQ"}]
    done = run("replay", written(tmp_path, scenario(*events, message=messages)))
    said = [line.strip() for line in done.stdout.splitlines() if line.strip().startswith(("warning", "reason"))]
    assert said == [
        "warning 2241: A call that leaves a group incomplete warns of it (2241)",
        "warning 2049: A priority above 9 is put with a warning; it counts as 9 where MSGDLVSQ lets priorities count (2049)",
        "reason 2241: the group that is being put is not complete (2241)",
        "reason 2033: no message is there that may be returned (2033)",
    ]


def test_a_match_with_nothing_in_it_is_told_as_blank(tmp_path: Path) -> None:
    event = {"do": "get", "queue": "APPQ", "match": {"group": "", "sequence": 1}}
    printed = run("replay", written(tmp_path, scenario(event))).stdout.splitlines()
    assert "    1 get APPQ where group is blank where sequence is 1" in printed


def test_an_alter_reads_as_a_command_where_there_is_one(tmp_path: Path) -> None:
    # TRIGGER has no value in MQSC, words are in capitals, names keep their letters; `suspended` is no attribute there.
    sets = {"trigger": False, "put": "disabled", "initq": "my.Queue", "process": "", "trigdpth": 2}
    events = [
        {"do": "alter", "queue": "APPQ", "set": sets},
        {"do": "alter", "queue": "APPQ", "set": {"trigger": True, "logically_deleted": False}},
        {"do": "alter", "set": {"suspended": ["S"], "clwluseq": "any"}},
        {"do": "alter", "channel": "TO.QM2", "set": {"status": "stopped", "clwlprty": 1}},
    ]
    more = {
        "queue_manager": {"name": "QM1", "clusters": ["S"]},
        "remote_queue_manager": [{"name": "QM2", "clusters": ["S"]}],
        "channel": [{"name": "TO.QM2", "queue_manager": "QM2", "cluster": "S"}],
    }
    done = run("replay", written(tmp_path, scenario(*events, **more)))
    assert [line.strip() for line in done.stdout.splitlines() if " alter" in line] == [
        "1 alter APPQ NOTRIGGER PUT(DISABLED) INITQ('my.Queue') PROCESS(' ') TRIGDPTH(2)",
        "2 alter APPQ TRIGGER logically_deleted = false",
        "3 alter suspended = S CLWLUSEQ(ANY)",
        "4 alter TO.QM2 STATUS(STOPPED) CLWLPRTY(1)",
    ]


def test_an_alter_after_which_nothing_asks_for_a_trigger_message_tells_of_none(tmp_path: Path) -> None:
    changes = [{"do": "alter", "queue": "APPQ", "set": {"get": state}} for state in ("DISABLED", "ENABLED")]
    done = run("replay", written(tmp_path, scenario({"do": "put", "queue": "APPQ"}, *changes)))
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[lines.index("2 alter APPQ GET(DISABLED)") :] == [
        "2 alter APPQ GET(DISABLED)",
        "3 alter APPQ GET(ENABLED)",
        "trigger message for APPQ by trigger.13.2",
        "The queue becomes get-enabled, messages are there and conditions 4 to 10 except 5 hold",
    ]


def test_a_channel_in_two_clusters_changes_once_to_who_reads(tmp_path: Path) -> None:
    """It is two routes, of which each has its row in JSON."""
    more = {
        "queue_manager": {"name": "QM1", "clusters": ["S", "T"]},
        "remote_queue_manager": [{"name": "QM2", "clusters": ["S", "T"]}],
        "channel": [{"name": "TO.QM2", "queue_manager": "QM2", "cluster": each} for each in ("S", "T")],
    }
    file = written(tmp_path, scenario({"do": "fail", "queue_manager": "QM2"}, **more))
    assert run("replay", file).stdout.count("TO.QM2: status is now RETRYING") == 1
    row = json.loads(run("replay", file, "--json").stdout.splitlines()[-1])
    assert len(row["changed"]) == 2


def test_unknown_handles_of_a_dump_are_said_once_where_a_trigger_turns_on_them(tmp_path: Path) -> None:
    dump = """
DEFINE QLOCAL(BOOKED) TRIGGER TRIGTYPE(EVERY) INITQ(STARTER) PROCESS(PRINT)
DEFINE QLOCAL(IDLE) NOTRIGGER INITQ(STARTER)
DEFINE QLOCAL(STARTER)
DEFINE PROCESS(PRINT) APPLICID('print')
"""
    script = written(tmp_path, dump, "QM1.mqsc")
    puts = [{"do": "put", "queue": name} for name in ("IDLE", "BOOKED", "BOOKED")]
    given = written(tmp_path, {"event": puts})
    done = run("replay", given, "--facts", f"QM1={script}", "--json")
    said = "assumed: no handle on STARTER was open for input at the start: no source tells IPPROCS;"
    remarks = [json.loads(line).get("remarks", []) for line in done.stdout.splitlines()]
    assert remarks == [[], [f"{said} DISPLAY QSTATUS('STARTER') IPPROCS"], []]
    assert run("replay", given, "--facts", f"QM1={script}").stdout.count("assumed:") == 1
    # With a monitor of its own the scenario needs nobody else's; then a FIRST turns on who serves its queue.
    script = written(tmp_path, dump.replace("EVERY", "FIRST"), "QM1.mqsc")
    served = written(tmp_path, {"event": [{"do": "open", "queue": "STARTER"}, puts[1]]})
    done = run("replay", served, "--facts", f"QM1={script}", "--json")
    remarks = [json.loads(line).get("remarks", []) for line in done.stdout.splitlines()]
    of_queue = said.replace("STARTER", "BOOKED")
    of_depth = (
        "assumed: no message was on BOOKED at the start: no source tells CURDEPTH; DISPLAY QSTATUS('BOOKED') CURDEPTH"
    )
    assert remarks == [[of_depth], [f"{of_queue} DISPLAY QSTATUS('BOOKED') IPPROCS"]]


def remarked(*given: str) -> list[list[str]]:
    """The remarks of each event of a replay."""
    return [json.loads(line).get("remarks", []) for line in run("replay", *given, "--json").stdout.splitlines()]


def test_states_of_channels_that_no_dump_tells_are_said_once_where_a_choice_turns_on_them(tmp_path: Path) -> None:
    """The higher priority of QM2 decides while its channel is up; by an alter the scenario says itself how that is."""
    hosts = {"QM1": "", "QM2": "CLWLPRTY(5)", "QM3": "CLWLPRTY(2)"}
    facts = []
    for name, more in hosts.items():
        queue = f"DEFINE QLOCAL(PAID) CLUSTER(S) DEFBIND(NOTFIXED) {more}\n" if more else ""
        text = f"* Queue manager name: {name}\nDEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CLUSTER(S) CONNAME('h')\n{queue}"
        facts += ["--facts", written(tmp_path, text, f"{name}.mqsc")]
    put = {"do": "put", "queue": "PAID"}
    up = {"do": "alter", "channel": "TO.QM2", "set": {"status": "RUNNING"}}
    [first, *later] = remarked(written(tmp_path, {"event": [put, put]}), *facts, "--from", "QM1")
    assert first == [
        "assumed: channel status unknown; taken as INACTIVE. If TO.QM2 is neither INACTIVE nor RUNNING: QM3;"
        " DISPLAY CHSTATUS(TO.QM2)"
    ]
    assert later == [[]]
    assert remarked(written(tmp_path, {"event": [up, put]}), *facts, "--from", "QM1") == [[], []]
    states = ["--status", "TO.QM2=RUNNING"]
    assert remarked(written(tmp_path, {"event": [put]}), *facts, "--from", "QM1", *states) == [[]]


def test_that_another_edition_has_another_answer_is_said_once_of_a_name_and_of_a_command(tmp_path: Path) -> None:
    """A local queue of lower rank: from 8.0 on its puts leave. A refresh keeps full repositories from 7.5 on."""
    facts = {
        "queue_manager": {"name": "QM1", "clusters": ["S"]},
        "remote_queue_manager": [{"name": "QM2", "clusters": ["S"], "repository": True}],
        "queue": [
            {"name": "PAID", "clusters": ["S"]},
            {"name": "PAID", "queue_manager": "QM2", "clusters": ["S"], "clwlrank": 1},
        ],
        "channel": [{"name": "TO.QM2", "queue_manager": "QM2", "cluster": "S"}],
    }
    put, refresh = {"do": "put", "queue": "PAID"}, {"do": "refresh", "cluster": "S"}
    file = written(tmp_path, {**facts, "event": [put, put, refresh]})
    assumed = "edition wmq-6 is assumed, as nothing tells the level of QM1"
    page = "WebSphere MQ 7.5, REFRESH CLUSTER: SSFKSJ_7.5.0/com.ibm.mq.ref.con.doc/q082360_.htm"
    assert remarked(file) == [
        [f"{assumed}; from mq-8.0 on the answer is another, as --edition mq-8.0 shows"],
        [],
        [
            f"{assumed}; from wmq-7.5 on refresh does something else, as --edition wmq-7.5 shows; of wmq-7.5: "
            f"it was read ({page})"
        ],
    ]
    of_93 = "decided by edition mq-9.3 (--edition)"
    assert remarked(file, "--edition", "mq-9.3") == [
        [f"{of_93}; in wmq-6 the answer is another, as --edition wmq-6 shows"],
        [],
        [
            f"{of_93}; in wmq-6 refresh does something else, as --edition wmq-6 shows; of mq-9.3: "
            f"nothing that was read says otherwise ({page})"
        ],
    ]
    same = written(tmp_path, {**facts, "event": [{"do": "suspend", "queue_manager": "QM2", "cluster": "S"}]})
    assert remarked(same) == [[]]


SERVED = (
    BANNER
    + """     1 : DISPLAY QMGR ALL
AMQ8408I: D
   QMNAME(QM1)  TRIGINT(5000)
     2 : DISPLAY QLOCAL(*) ALL
AMQ8409I: D
   QUEUE(BOOKED)  TYPE(QLOCAL)  {}  INITQ(STARTER)  PROCESS(PRINT)  IPPROCS(0)  {}
AMQ8409I: D
   QUEUE(STARTER)  TYPE(QLOCAL)  CURDEPTH(0)  IPPROCS(1)
     3 : DISPLAY PROCESS(*) ALL
AMQ8407I: D
   PROCESS(PRINT)  APPLICID(print)
"""
)


@pytest.mark.parametrize(
    ("depth", "events", "told"),
    [
        # Behind two messages the put triggers if 5 s are over since the last trigger message, which may have been
        # written just before the start; after the first put it is known.
        (2, [{}, {}], [True, False]),
        (2, [{"at": 6000}], [False]),
        # As the first message it triggers whenever the last one was.
        (0, [{}], [False]),
        # No trigger message was written since the restart.
        (2, [{"do": "restart"}, {"do": "open", "queue": "STARTER"}, {}], [False, False, False]),
    ],
)
def test_the_time_of_the_last_trigger_message_is_said_where_it_decides(
    tmp_path: Path, depth: int, events: list[dict[str, Any]], told: list[bool]
) -> None:
    rows = remarks_of(tmp_path, SERVED.format("TRIGGER  TRIGTYPE(FIRST)", f"CURDEPTH({depth})"), events)
    said = "assumed: no trigger message was written for BOOKED before the start: no source tells when the last one was;"
    assert [f"{said} DISPLAY QSTATUS('STARTER') LPUTDATE LPUTTIME" in each for each in rows] == told


def remarks_of(folder: Path, log: str, events: list[dict[str, Any]]) -> list[list[str]]:
    """What is said of each event; one that says nothing else is a put to BOOKED."""
    given = written(
        folder,
        {
            "event": [
                each if "restart" in each.values() else {"do": "put", "queue": "BOOKED", **each} for each in events
            ]
        },
    )
    done = run("replay", given, "--facts", f"QM1={written(folder, log, 'QM1.txt')}", "--json")
    return [json.loads(line).get("remarks", []) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("queue", "events", "told"),
    [
        # FIRST: behind other messages it would turn on the interval, of which nothing is known either.
        ("TRIGGER  TRIGTYPE(FIRST)", [{}, {}], [True, False]),
        # EVERY asks for no depth.
        ("TRIGGER  TRIGTYPE(EVERY)", [{}], [False]),
        # DEPTH: with two before it the put is the third.
        ("TRIGGER  TRIGTYPE(DEPTH)  TRIGDPTH(3)", [{}, {}], [True, False]),
        # The second get finds nothing, unless something was there.
        ("NOTRIGGER", [{}, {"do": "get"}, {"do": "get"}, {"do": "get"}], [False, False, True, False]),
    ],
)
def test_an_unknown_depth_is_said_once_where_it_decides(
    tmp_path: Path, queue: str, events: list[dict[str, Any]], told: list[bool]
) -> None:
    said = (
        "assumed: no message was on BOOKED at the start: no source tells CURDEPTH; DISPLAY QSTATUS('BOOKED') CURDEPTH"
    )
    assert [said in each for each in remarks_of(tmp_path, SERVED.format(queue, ""), events)] == told
    assert not any(said in each for each in remarks_of(tmp_path, SERVED.format(queue, "CURDEPTH(0)"), events))


def test_a_depth_that_decides_with_a_monitor_alone_is_said(tmp_path: Path) -> None:
    """Nobody reads STARTER and one of three messages is there: neither alone would have it triggered, both would."""
    log = SERVED.format("TRIGGER  TRIGTYPE(DEPTH)  TRIGDPTH(3)", "").replace("  IPPROCS(1)", "")
    [said] = remarks_of(tmp_path, log, [{}])
    assert [each.rpartition("; ")[2] for each in said] == [
        "DISPLAY QSTATUS('STARTER') IPPROCS",
        "DISPLAY QSTATUS('BOOKED') CURDEPTH",
    ]
