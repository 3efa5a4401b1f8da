"""What is recognised and holds no facts is told in one line, and keeps no other file from being read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from mqclause.model.configuration.snapshot import read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import FactsError
from mqclause.tools.commands.declared import check_command, explain_command, facts_command

ENTRY = """{when} - Process(411.7) User(mqm) Program(amqzlaa0)
                    Host(far) Installation(Installation1)
                    VRMF(9.4.0.0) QMgr(QM1)
AMQ9999E: Channel 'TO.QM2' ended abnormally.

EXPLANATION:
It is told here.
ACTION:
Look.
----- amqrmrsa.c : 931 --------------------------------------------------------
"""
ERRORS = "is an error log of a queue manager (AMQERRnn): it has no definitions and no status"
INI = "is an ini file of MQ (qm.ini, mqs.ini, mqclient.ini, dspmqinf): it has no definitions and no status"
CCDT = {"channel": [{"name": "C", "type": "clientConnection", "clientConnection": {"queueManager": "QM1"}}]}
MESSAGE = {"ibm_messageId": "AMQ5051I", "ibm_datetime": "2031-01-02T03:04:05Z", "message": "started"}
FOREIGN = [
    (ENTRY.format(when="01/02/31 10:00:00") * 3, ERRORS),
    (ENTRY.format(when="2031-01-02 10:00:00 AM"), ERRORS),
    (ENTRY.format(when="02.01.2031 10:00:00").partition("\n")[2], ERRORS),
    (f"{json.dumps(MESSAGE)}\n" * 3, "is a log of a queue manager in JSON: it has no definitions and no status"),
    (json.dumps(CCDT), "is a CCDT: client channels, no facts"),
    (json.dumps(CCDT, indent=2), "is a CCDT: client channels, no facts"),
    (
        json.dumps({"queue": [{"name": "Q", "type": "local"}]}),
        "is an answer of the REST resource queue: use runCommandJSON (or DISPLAY QUEUE(*) ALL)",
    ),
    (
        json.dumps({"channel": [{"name": "C", "type": "sender", "sender": {"connection": []}}]}),
        "is an answer of the REST resource channel: use runCommandJSON (or DISPLAY CHANNEL(*) ALL)",
    ),
    (
        json.dumps({"qmgr": [{"name": "QM1", "state": "running"}]}),
        "is an answer of the REST resource qmgr: use runCommandJSON (or DISPLAY QMGR ALL)",
    ),
    ("#* the queue manager's\nExitPath:\n   ExitsDefaultPath=/exits\nLog:\n   LogType=LINEAR\n", INI),
    ("QueueManager:\n   Name=QM1\n   Prefix=/var/mqm\n", INI),
    ("<?xml version='1.0'?>\n<a/>\n", "is XML: it has no MQSC and no facts"),
    (
        "QMNAME(QM1)                              STATUS(Running)\nQMNAME(QM2)   STATUS(Ended normally)\n",
        "is output of dspmq: it names queue managers, and has no definitions; allowed: runmqsc's DISPLAY commands",
    ),
    (
        f"+{'-' * 77}+\n|{' ' * 77}|\n| WebSphere MQ First Failure Symptom Report    |\n",
        "is a record of a failure (FDC): it has no definitions and no status",
    ),
]


@pytest.mark.parametrize(("text", "told"), FOREIGN)
def test_what_holds_no_facts_is_told_in_one_line(text: str, told: str) -> None:
    with pytest.raises(FactsError) as refused:
        read_sources([Source("f", text.encode())], "QM1")
    assert str(refused.value) == f"f: {told}"


def test_in_a_folder_it_keeps_nothing_from_being_read(tmp_path: Path) -> None:
    for at, (text, _) in enumerate(FOREIGN):
        (tmp_path / f"{at:02}").write_text(text)
    (tmp_path / "script").write_text("* Queue manager name: QM1\nDEFINE QLOCAL(Q)\n")
    asked = [
        (facts_command, []),
        (facts_command, ["--sources"]),
        (check_command, []),
        (explain_command, ["--put", "Q"]),
    ]
    for command, options in asked:
        ran = CliRunner().invoke(command, [*options, str(tmp_path)], standalone_mode=False)
        assert ran.exception is None, ran.output
        lines = ran.output.splitlines()
        for at, (_, told) in enumerate(FOREIGN):
            assert [line.strip().removeprefix("warning: ") for line in lines if f"/{at:02}: {told}" in line] == [
                f"{tmp_path}/{at:02}: {told}"
            ]


def test_facts_that_look_alike_are_facts() -> None:
    facts = {"queue_manager": {"name": "QM1"}, "queue": [{"name": "Q", "type": "QLOCAL"}]}
    read = read_sources([Source("f", json.dumps(facts).encode())])
    assert [each.name for each in read.cluster.queues] == ["Q"]


def test_a_log_of_runmqsc_behind_errors_is_read() -> None:
    log = "Starting MQSC for queue manager QM1.\n     1 : DIS QL(*)\nAMQ8409I: D\n   QUEUE(Q) TYPE(QLOCAL)\n"
    read = read_sources([Source("f", (ENTRY.format(when="01/02/31 10:00:00") + log).encode())])
    assert [each.name for each in read.cluster.queues] == ["Q"]


@pytest.mark.parametrize("prompt", ["[mqm@host ~]$ ", "{qm} ", "[10:00:01] ", "(node) [root]# ", "[1] "])
def test_a_log_that_begins_with_a_prompt_is_one(prompt: str) -> None:
    log = f"{prompt}runmqsc QM1\nStarting MQSC for queue manager QM1.\nAMQ8409I: D\n   QUEUE(Q) TYPE(QLOCAL)\n"
    read = read_sources([Source("f", log.encode())])
    assert [each.name for each in read.cluster.queues] == ["Q"]
