"""The states of channels that belong to no cluster: what they say of a message that leaves by a transmission queue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click import Command
from click.testing import CliRunner

from mqclause.tools.commands.declared import check_command as check
from mqclause.tools.commands.declared import explain_command as explain
from mqclause.tools.commands.declared import facts_command as facts
from mqclause.tools.commands.declared import replay_command as replay
from mqclause.tools.commands.declared import why_command as why
from spec_tests.support.displayed import BANNER

QUEUES = """     1 : DISPLAY QUEUE(*) ALL
AMQ8409I: Display Queue details.
   QUEUE(BILLS)                            TYPE(QREMOTE)
   RNAME(BILLS.IN)                         RQMNAME(QM8)
   XMITQ(EIGHT)                            PUT(ENABLED)
AMQ8409I: Display Queue details.
   QUEUE(EIGHT)                            TYPE(QLOCAL)
   USAGE(XMITQ)                            TRIGGER
   TRIGTYPE(FIRST)                         TRIGDATA({trigdata})
   INITQ(STARTER)                          PROCESS( )
   CURDEPTH(0)                             IPPROCS(0)
   PUT(ENABLED)                            GET(ENABLED)
AMQ8409I: Display Queue details.
   QUEUE(STARTER)                          TYPE(QLOCAL)
   USAGE(NORMAL)                           NOTRIGGER
   CURDEPTH(0)                             IPPROCS(1)
   PUT(ENABLED)                            GET(ENABLED)
"""
CHANNELS = """     2 : DISPLAY CHANNEL(*) ALL
AMQ8414I: Display Channel details.
   CHANNEL(QM1.QM8)                        CHLTYPE(SDR)
   CONNAME(h8(1414))                       XMITQ(EIGHT)
"""
STATUS = """     3 : DISPLAY CHSTATUS(*) ALL
AMQ8417I: Display Channel Status details.
   CHANNEL(QM1.QM8)                        CHLTYPE(SDR)
   CONNAME(10.0.0.8(1414))                 CURRENT
   RQMNAME(QM8)                            STATUS({state})
   SUBSTATE( )                             XMITQ(EIGHT)
"""
NO_STATUS = "     3 : DISPLAY CHSTATUS(*) ALL\nAMQ8420I: Channel Status not found.\n"

QREMOTE = {"queue": "BILLS", "type": "QREMOTE", "rname": "BILLS.IN", "rqmname": "QM8", "xmitq": "EIGHT"}
SVR = {"channel": "QM1.QM8", "chltype": "SVR", "conname": "10.0.0.8(1414)", "rqmname": "QM8", "xmitq": "EIGHT"}
WEB: list[dict[str, Any]] = [
    {"qmname": "QM1", "cmdlevel": 930},
    QREMOTE,
    {"queue": "EIGHT", "type": "QLOCAL", "usage": "XMITQ", "notrigger": "yes"},
    SVR | {"current": "", "status": "STOPPED"},
]
PCF = [
    {"MQCA_Q_MGR_NAME": "QM1"},
    {"MQCA_Q_NAME": "BILLS", "MQIA_Q_TYPE": 6, "MQCA_REMOTE_Q_NAME": "BILLS.IN", "MQCA_REMOTE_Q_MGR_NAME": "QM8",
     "MQCA_XMIT_Q_NAME": "EIGHT"},
    {"MQCA_Q_NAME": "EIGHT", "MQIA_Q_TYPE": 1, "MQIA_USAGE": 1},
    {"MQCACH_CHANNEL_NAME": "QM1.QM8", "MQIACH_CHANNEL_TYPE": 1, "MQIACH_CHANNEL_STATUS": 6,
     "MQCACH_CONNECTION_NAME": "10.0.0.8(1414)", "MQCACH_XMIT_Q_NAME": "EIGHT", "MQCA_REMOTE_Q_MGR_NAME": "QM8"},
]  # fmt: skip
SCRIPT = """* Queue manager name: QM1
DEFINE QREMOTE(BILLS) RNAME(BILLS.IN) RQMNAME(QM8) XMITQ(EIGHT)
DEFINE QLOCAL(EIGHT) USAGE(XMITQ)
DEFINE CHANNEL(QM1.QM8) CHLTYPE(SDR) CONNAME('h8(1414)') XMITQ(EIGHT)
STOP CHANNEL(QM1.QM8)
"""
TABLES = """
queue_manager.name = "QM1"
[[queue]]
name = "BILLS"
type = "QREMOTE"
rname = "BILLS.IN"
rqmname = "QM8"
xmitq = "EIGHT"
[[queue]]
name = "EIGHT"
usage = "XMITQ"
[[channel_status]]
name = "QM1.QM8"
status = "stopped"
xmitq = "EIGHT"
"""

WAITS = "the message waits on the transmission queue EIGHT: QM1.QM8 is STOPPED; START CHANNEL('QM1.QM8')"
STARTS_NOTHING = "the trigger message starts nothing: QM1.QM8 is STOPPED; START CHANNEL('QM1.QM8')"
NO_CHANNEL = "TRIGDATA of EIGHT names the channel QM1.QM7, which is not defined: the trigger message starts nothing"


def log(state: str = "", trigdata: str = "QM1.QM8", channels: str = CHANNELS, more: str = "") -> str:
    return BANNER + QUEUES.format(trigdata=trigdata) + channels + (STATUS.format(state=state) if state else more)


def answered(command: Command, *options: str) -> Any:
    done = CliRunner().invoke(command, [*options, "--json"], standalone_mode=False, catch_exceptions=False)
    return json.loads(done.stdout)


def written(tmp_path: Path, text: str, name: str = "QM1.log") -> str:
    (tmp_path / name).write_text(text)
    return str(tmp_path / name)


def remarks(tmp_path: Path, text: str, *options: str, name: str = "QM1.log") -> list[str]:
    said: list[str] = answered(explain, written(tmp_path, text, name), "--put", "BILLS", *options)["remarks"]
    return said


def web(*rows: dict[str, Any]) -> str:
    answers = [{"completionCode": 0, "reasonCode": 0, "parameters": row} for row in rows]
    return json.dumps({"commandResponse": answers, "overallCompletionCode": 0, "overallReasonCode": 0})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("QM1.log", log("STOPPED")),
        ("QM1.json", web(*WEB)),
        ("pcf.json", json.dumps(PCF)),
        ("QM1.mqsc", SCRIPT),
        ("facts.toml", TABLES),
    ],
)
def test_a_message_waits_for_a_channel_that_was_stopped(tmp_path: Path, name: str, text: str) -> None:
    assert remarks(tmp_path, text, name=name) == [WAITS]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (log("RUNNING"), []),
        (log("RETRYING"), ["the message waits on the transmission queue EIGHT: QM1.QM8 is RETRYING"]),
        (log("STOPPING"), ["the message waits on the transmission queue EIGHT: QM1.QM8 is STOPPING"]),
        (log(more=NO_STATUS), []),  # it is INACTIVE, and triggering starts it
        (log(), []),  # nobody knows how it is, and the answer is the same
        (
            log(more=NO_STATUS).replace(" TRIGGER", " NOTRIGGER"),
            ["the message waits on the transmission queue EIGHT: QM1.QM8 is INACTIVE, and the queue has no TRIGGER"
             " that starts it"],
        ),
        (log("STOPPED") + STATUS.format(state="RUNNING").replace("10.0.0.8", "10.0.0.9"), []),  # the last one counts
        (log("RUNNING", trigdata="QM1.QM7"), [NO_CHANNEL + "; did you mean 'QM1.QM8'?"]),
    ],
)  # fmt: skip
def test_other_states(tmp_path: Path, text: str, said: list[str]) -> None:
    assert remarks(tmp_path, text) == said


def test_no_state_is_taken_where_it_decides_nothing(tmp_path: Path) -> None:
    found = answered(explain, written(tmp_path, log()), "--put", "BILLS")
    assert (found["assumptions"], found["incomplete"]) == ([], [])


def test_what_if_it_were_stopped_or_started(tmp_path: Path) -> None:
    assert remarks(tmp_path, log("RUNNING"), "--status", "QM1.QM8=STOPPED") == [WAITS]
    assert remarks(tmp_path, log("STOPPED"), "--status", "QM1.QM8=RUNNING") == []
    (tmp_path / "more.mqsc").write_text("* Queue manager name: QM1\nSTART CHANNEL(QM1.QM8)\n")
    assert remarks(tmp_path, log("STOPPED"), "--with", str(tmp_path / "more.mqsc")) == []


@pytest.mark.parametrize(
    ("text", "said", "asked"),
    [
        (log("STOPPED"), [STARTS_NOTHING], []),
        (log("STOPPED", trigdata=" "), [STARTS_NOTHING], []),
        (log("RETRYING"), ["the trigger message starts nothing: QM1.QM8 is RETRYING"], []),
        (log("RUNNING"), [], []),
        (log(more=NO_STATUS), [], []),
        (log(), [], ["DISPLAY CHSTATUS(QM1.QM8)"]),
        (log("STOPPED", trigdata="QM1.QM7"), [NO_CHANNEL + "; did you mean 'QM1.QM8'?"], []),
        (log("STOPPED", trigdata="QM1.QM7", channels=""), [], []),  # nobody asked which channels there are
    ],
)
def test_what_a_trigger_message_starts(tmp_path: Path, text: str, said: list[str], asked: list[str]) -> None:
    """The conditions hold whatever the channel does: the trigger message is written."""
    found = answered(why, "EIGHT", written(tmp_path, text))
    assert (found["verdict"], found["remarks"]) == ("triggers", said)
    assert [each["command"] for each in found["depends_on"]] == asked


def test_facts_tell_it_too(tmp_path: Path) -> None:
    for text in (log("STOPPED"), log(), log("RUNNING", trigdata="QM1.QM7")):
        name = written(tmp_path, text)
        kept = CliRunner().invoke(facts, [name], standalone_mode=False, catch_exceptions=False).stdout
        filed = written(tmp_path, kept, "QM1.toml")
        for told in ("remarks", "depends_on", "verdict"):
            assert answered(why, "EIGHT", name)[told] == answered(why, "EIGHT", filed)[told]
        assert answered(explain, name, "--put", "BILLS")["remarks"] == remarks(tmp_path, kept, name="QM1.toml")
    found = answered(facts, written(tmp_path, log("STOPPED")))
    assert found["channel_status"] == [
        {"name": "QM1.QM8", "type": "SDR", "status": "STOPPED", "xmitq": "EIGHT", "conname": "10.0.0.8(1414)",
         "queue_manager": "QM8"},
    ]  # fmt: skip


def test_a_receiver_has_as_many_states_as_connections(tmp_path: Path) -> None:
    rows = [
        {"channel": "QM8.QM1", "chltype": "RCVR", "conname": f"10.0.0.{at}", "rqmname": "QM8", "status": "RUNNING"}
        for at in (8, 9)
    ]
    found = answered(facts, written(tmp_path, web({"qmname": "QM1"}, *rows), "web.json"))["channel_status"]
    assert [(each["name"], each["type"], each["conname"]) for each in found] == [
        ("QM8.QM1", "RCVR", "10.0.0.8"),
        ("QM8.QM1", "RCVR", "10.0.0.9"),
    ]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('status = "UP"', "channel_status 1 'C': status: 'UP' is not allowed"),
        ('type = "CLUSSDR"', "channel_status 1 'C': type: 'CLUSSDR' is not allowed; allowed: SDR, SVR, RCVR, RQSTR"),
        ('state = "STOPPED"', "channel_status 1 'C': unknown key 'state'"),
    ],
)
def test_what_is_wrong_with_one_is_told(tmp_path: Path, row: str, said: str) -> None:
    text = f'queue_manager.name = "QM1"\n[[channel_status]]\nname = "C"\n{row}\n'
    done = CliRunner().invoke(facts, [written(tmp_path, text, "f.toml")], standalone_mode=False)
    assert said in str(done.exception)


EMPTY = ("warning", "QM1.QM8 is STOPPED: what is put on EIGHT waits", "START CHANNEL('QM1.QM8')")
WRONG_DATA = ("warning", NO_CHANNEL, "ALTER QLOCAL('EIGHT') TRIGDATA('QM1.QM8')")
HELD = ("warning", "EIGHT holds messages (CURDEPTH 3), and QM1.QM8 is {}", "")


def found(tmp_path: Path, text: str, *options: str, name: str = "QM1.log") -> list[tuple[str, str, str]]:
    """What is found that has to do with transmission queues."""
    said = answered(check, written(tmp_path, text, name), *options)["findings"]
    about = [each for each in said if each["object"]["type"] in ("QLOCAL", "CHANNEL")]
    return [(each["severity"], each["message"], each["remedy"]) for each in about]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("QM1.log", log("STOPPED"), [EMPTY]),
        ("QM1.log", log("RUNNING"), []),
        ("QM1.log", log(more=NO_STATUS), []),
        ("QM1.log", log(), []),
        ("QM1.log", log("RUNNING", trigdata="QM1.QM7"), [WRONG_DATA]),
        ("QM1.log", log("RUNNING", trigdata="QM1.QM7", channels=""), []),  # nobody asked which channels there are
        ("QM1.json", web(*WEB), [EMPTY]),
        ("pcf.json", json.dumps(PCF), [EMPTY]),
        ("QM1.mqsc", SCRIPT, [EMPTY]),
        ("facts.toml", TABLES, [EMPTY]),
    ],
)
def test_checks_find_what_the_others_say(
    tmp_path: Path, name: str, text: str, said: list[tuple[str, str, str]]
) -> None:
    assert found(tmp_path, text, name=name) == said


def test_what_is_found_where_messages_wait(tmp_path: Path) -> None:
    waiting = log("STOPPED").replace("CURDEPTH(0)                             IPPROCS(0)", "CURDEPTH(3) IPPROCS(0)")
    severity, message, _ = HELD
    assert found(tmp_path, waiting) == [(severity, message.format("STOPPED"), "START CHANNEL('QM1.QM8')")]
    assert found(tmp_path, waiting, "--status", "QM1.QM8=RUNNING") == []
    ((_, said, _),) = found(tmp_path, waiting, "--status", "QM1.QM8=INACTIVE")
    assert said == message.format("INACTIVE")
    status = waiting.replace("CURDEPTH(3) IPPROCS(0)", "IPPROCS(0)") + (
        "     4 : DISPLAY QSTATUS(EIGHT)\nAMQ8450I: Display queue status details.\n"
        "   QUEUE(EIGHT)                            TYPE(QUEUE)\n   CURDEPTH(3)                             IPPROCS(0)\n"
    )
    assert [said for _, said, _ in found(tmp_path, status)] == [message.format("STOPPED")]


@pytest.mark.parametrize(
    ("queues", "said"),
    [
        ("DEFINE QLOCAL(NINE) USAGE(XMITQ)", ["QM1.QM8 takes messages from EIGHT, and QM1 has no such queue"]),
        ("DEFINE QLOCAL(EIGHT) USAGE(XMITQ)", []),
        ("", []),  # a script without any queue tells nothing of them
    ],
)
def test_a_sender_whose_transmission_queue_is_not_there(tmp_path: Path, queues: str, said: list[str]) -> None:
    sender = "* Queue manager name: QM1\nDEFINE CHANNEL(QM1.QM8) CHLTYPE(SDR) CONNAME('h8') XMITQ(EIGHT)\n"
    assert [message for _, message, _ in found(tmp_path, f"{sender}{queues}\n", name="QM1.mqsc")] == said


MEMBERS = """     1 : DISPLAY CLUSQMGR(*) ALL
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM1)                           CHANNEL(TO.QM1)
   CLUSTER(SALES)                          DEFTYPE(CLUSRCVR)
   QMTYPE(REPOS)                           SUSPEND(NO)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM2)                           CHANNEL(TO.QM2)
   CLUSTER(SALES)                          DEFTYPE(CLUSSDRB)
   QMTYPE(REPOS)                           SUSPEND(NO)
   STATUS(RUNNING)                         XMITQ(OF.QM2)
     2 : DISPLAY QCLUSTER(*) ALL
AMQ8409I: Display Queue details.
   QUEUE(BILLS)                            TYPE(QCLUSTER)
   CLUSTER(SALES)                          CLUSQMGR(QM2)
   CLUSQT(QLOCAL)                          PUT(ENABLED)
"""
OWN = "     3 : DISPLAY QUEUE(*) ALL\nAMQ8409I: Display Queue details.\n   QUEUE({})  TYPE(QLOCAL)  USAGE(XMITQ)\n"
GONE = "TO.QM2 takes messages from OF.QM2, and QM1 has no such queue"


@pytest.mark.parametrize(
    ("own", "is_gone"),
    [
        (OWN.format("OTHER"), True),
        (OWN.format("OF.QM2"), False),
        (OWN.format("OTHER").replace("QUEUE(*)", "QUEUE(OTH*)"), False),
        ("", False),
        ("     3 : DISPLAY QLOCAL(*)\nAMQ8147E: IBM MQ object * not found.\n", True),
    ],
)
def test_a_cluster_channel_whose_transmission_queue_is_not_there(tmp_path: Path, own: str, is_gone: bool) -> None:
    text = BANNER + MEMBERS + own
    assert (GONE in [message for _, message, _ in found(tmp_path, text)]) == is_gone
    assert (f"{GONE}: nothing can be put there for it" in remarks(tmp_path, text)) == is_gone


ZOS = """CSQM201I +QM1 CSQMDRTC  DISPLAY QMGR DETAILS
QMNAME(QM1)
 END QMGR DETAILS
CSQM201I +QM1 CSQMDRTC  DISPLAY QUEUE DETAILS
QUEUE(BILLS)
TYPE(QREMOTE)
RNAME(BILLS.IN)
RQMNAME(QM8)
XMITQ(EIGHT)
 END QUEUE DETAILS
CSQM201I +QM1 CSQMDRTC  DISPLAY QUEUE DETAILS
QUEUE(EIGHT)
TYPE(QLOCAL)
USAGE(XMITQ)
NOTRIGGER
 END QUEUE DETAILS
CSQM420I +QM1 CSQXDRTS CHSTATUS DETAILS
CHSTATUS(QM1.QM8)
XMITQ(EIGHT)
CURRENT
CHLTYPE(SDR)
STATUS(STOPPED)
RQMNAME(QM8)
 END CHSTATUS DETAILS
"""


def test_a_display_of_zos(tmp_path: Path) -> None:
    assert remarks(tmp_path, ZOS, name="zos.log") == [WAITS]
    assert found(tmp_path, ZOS, name="zos.log") == [EMPTY]


def test_the_states_of_another_member_are_its_own(tmp_path: Path) -> None:
    other = written(tmp_path, log("STOPPED").replace("QM1.", "QM2.").replace("manager QM2.", "manager QM2"), "QM2.log")
    own = written(tmp_path, log("RUNNING"))
    told = answered(explain, f"QM1={own}", f"QM2={other}", "--from", "QM1", "--put", "BILLS")
    assert told["remarks"] == []


def test_handles_that_were_asked_for_and_are_not_shown(tmp_path: Path) -> None:
    asked = "     4 : DISPLAY QSTATUS(*) TYPE(HANDLE) ALL\nAMQ8147E: IBM MQ object * not found.\n"
    text = log("RUNNING").replace("IPPROCS(1)", "").replace("IPPROCS(0)", "")
    before, after = (answered(why, "EIGHT", written(tmp_path, each)) for each in (text, text + asked))
    assert (before["verdict"], after["verdict"]) == ("depends", "does not")
    assert not any("QSTATUS" in each["command"] and "LPUT" not in each["command"] for each in after["depends_on"])


def test_the_state_of_a_sender_that_leads_to_an_undescribed_member_is_refused_as_such(tmp_path: Path) -> None:
    script = tmp_path / "QM1.mqsc"
    script.write_text(
        "DEFINE CHANNEL(NORTH.QM1) CHLTYPE(CLUSRCVR) CLUSTER(NORTH) CONNAME('h1')\n"
        "DEFINE CHANNEL(NORTH.QM2) CHLTYPE(CLUSSDR) CLUSTER(NORTH) CONNAME('h2')\n"
        "DEFINE QLOCAL(SEEDS) CLUSTER(NORTH)\n"
    )

    def said(channel: str) -> str:
        done = CliRunner().invoke(explain, [f"QM1={script}", "--put", "SEEDS", "--status", f"{channel}=STOPPED"])
        return str(done.exception) + done.output

    assert "CHANNEL 'NORTH.QM2' leads to a member that no file describes" in said("NORTH.QM2")
    assert "CHANNEL 'NORTH.QM3' is not known to QM1" in said("NORTH.QM3")


def test_what_keeps_the_channel_stands_before_the_conditions(tmp_path: Path) -> None:
    """Messages wait, so that a trigger message may not be written either: that mends nothing while it is STOPPED."""
    text = log("STOPPED").replace("CURDEPTH(0)                             IPPROCS(0)", "CURDEPTH(4) IPPROCS(0)", 1)
    asked = ["EIGHT", written(tmp_path, text)]
    done = CliRunner().invoke(why, asked, standalone_mode=False, catch_exceptions=False)
    verdict, first, *others = done.stdout.splitlines()
    assert "would trigger, if" in verdict
    assert first.strip() == STARTS_NOTHING
    assert any("NOTRIGGER" in line for line in others)
    assert STARTS_NOTHING not in "".join(others)


STARTER = """
initq = "STARTER"
trigger = true
trigtype = "EVERY"
[[queue]]
name = "STARTER"
[[event]]
do = "open"
queue = "STARTER"
mode = "INPUT_SHARED"
[[event]]
do = "put"
queue = "EIGHT"
[[event]]
do = "put"
queue = "EIGHT"
unit_of_work = "U"
[[event]]
do = "commit"
unit_of_work = "U"
[[event]]
do = "put"
queue = "BILLS"
"""


@pytest.mark.parametrize(
    ("status", "said"), [("stopped", [[], [STARTS_NOTHING], [], [STARTS_NOTHING], [WAITS]]), ("running", [[]] * 5)]
)
def test_a_replay_tells_that_a_trigger_message_starts_nothing(tmp_path: Path, status: str, said: list[Any]) -> None:
    """When it reaches the initiation queue: at the commit, of one that a unit of work holds back."""
    text = TABLES.replace('"stopped"', f'"{status}"').replace('usage = "XMITQ"', f'usage = "XMITQ"{STARTER}', 1)
    done = CliRunner().invoke(replay, [written(tmp_path, text, "s.toml"), "--json"], catch_exceptions=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each.get("remarks", []) for each in rows] == said
    assert [len(each["trigger_messages"]) for each in rows] == [0, 1, 1, 0, 1]


OF_A_CLUSTER = {"channel": "HUB.QM7", "chltype": "CLUSSDR", "rqmname": "QM7", "status": "STOPPED"}
SENDS_NOTHING = "HUB.QM7 to {0} is {1} and sends nothing: what is put for {0} waits on SYSTEM.CLUSTER.TRANSMIT.QUEUE"


@pytest.mark.parametrize(
    ("shown", "rule", "said"),
    [
        ({}, "check.31", SENDS_NOTHING.format("QM7", "STOPPED")),
        ({"rqmname": "", "status": "RETRYING"}, "check.31", SENDS_NOTHING.format("its partner", "RETRYING")),
        ({"chltype": "CLUSRCVR"}, "check.31b", "the receiver HUB.QM7 is STOPPED: nothing comes to QM1 over it"),
        ({"status": "RUNNING"}, None, ""),
        ({"chltype": "SVRCONN"}, None, ""),
    ],
)
def test_a_channel_of_a_cluster_of_which_only_its_state_is_shown(
    tmp_path: Path, shown: dict[str, str], rule: str | None, said: str
) -> None:
    """No source tells the cluster; that it is a channel of one the display itself says."""
    text = web({"qmname": "QM1", "platform": "UNIX"}, OF_A_CLUSTER | shown)
    found = answered(check, written(tmp_path, text, "QM1.json"))["findings"]
    told = [each for each in found if each["object"]["name"] == "HUB.QM7"]
    assert [each["rule"] for each in told] == ([rule] if rule else [])
    assert all(each["message"].startswith(said) for each in told)


def test_a_command_alone_does_not_make_a_channel_one_of_a_cluster(tmp_path: Path) -> None:
    found = answered(check, written(tmp_path, "* Queue manager name: QM1\nSTOP CHANNEL(HUB.QM7)\n"))["findings"]
    assert not found
