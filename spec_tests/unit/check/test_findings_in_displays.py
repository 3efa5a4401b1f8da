"""Checks of senders and transmission queues where displays alone tell of them: of runmqsc, and of mqweb as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import pytest

from mqclause.check.findings import inspected
from mqclause.model.configuration.sources import Source

Row = Mapping[str, str]

ASKED = ("DISPLAY QMGR ALL", "DISPLAY CHANNEL(*) ALL", "DISPLAY QUEUE(*) ALL")
MESSAGES = {
    "QMNAME": "AMQ8408I: Display Queue Manager details.",
    "CHANNEL": "AMQ8414I: Display Channel details.",
    "QUEUE": "AMQ8409I: Display Queue details.",
}


def receiver(name: str, conname: str) -> Row:
    return {"CHANNEL": f"YARD.{name}", "CHLTYPE": "CLUSRCVR", "CLUSTER": "YARD", "CONNAME": conname, "BATCHHB": "1000"}


def sender(name: str, conname: str) -> Row:
    return {"CHANNEL": f"YARD.{name}", "CHLTYPE": "CLUSSDR", "CLUSTER": "YARD", "CONNAME": conname, "BATCHHB": "1000"}


def transmission(custom: str) -> Row:
    return {"QUEUE": "SYSTEM.CLUSTER.TRANSMIT.QUEUE", "TYPE": "QLOCAL", "USAGE": "XMITQ", "CUSTOM": custom}


YARD: dict[str, list[Row]] = {
    "QM7": [
        {"QMNAME": "QM7", "REPOS": "YARD"},
        receiver("QM7", "10.4.4.7(1414)"),
        sender("QM8", "10.4.4.8(1420)"),
        transmission(" "),
    ],
    "QM8": [
        {"QMNAME": "QM8", "REPOS": "YARD"},
        receiver("QM8", "10.4.4.8(1421),10.4.4.18(1421)"),
        sender("QM7", "10.4.4.7"),
        sender("QM9", "10.4.4.9(1500)"),
        transmission("CAPEXPRY(NOLIMIT)"),
    ],
    "QM9": [
        {"QMNAME": "QM9", "REPOS": "YARD"},
        receiver("QM9", "10.4.4.9(1500)"),
        sender("QM7", "10.4.4.7(1414)"),
        sender("QM8", "10.4.4.18(1421)"),
        transmission("CAPEXPRY(7200)"),
    ],
}
"""Three full repositories. QM7 has another port for QM8, and no sender to QM9, where messages expire on their way."""


def in_a_log(rows: Sequence[Row], asked: Sequence[str] = ASKED) -> str:
    """What runmqsc displays of the objects whose kind each command asks for."""
    lines = [
        "5724-H72 (C) Copyright IBM Corp. 1994, 2025.",
        f"Starting MQSC for queue manager {rows[0]['QMNAME']}.",
        "",
    ]
    for number, (command, kind) in enumerate(zip(asked, MESSAGES, strict=True), start=1):
        lines.append(f"{number:6} : {command}")
        for row in (each for each in rows if kind in each):
            lines += [MESSAGES[kind], *(f"   {key}({value})" for key, value in row.items())]
    return "\n".join([*lines, f"{len(asked)} MQSC commands read.", "No commands have a syntax error.", ""])


def in_json(rows: Sequence[Row]) -> str:
    """What mqweb answers to the same commands: keys in lower case, whole numbers as numbers."""
    of = [{key.lower(): int(value) if value.isdecimal() else value for key, value in row.items()} for row in rows]
    items = [{"completionCode": 0, "reasonCode": 0, "parameters": each} for each in of]
    return json.dumps({"commandResponse": items, "overallCompletionCode": 0, "overallReasonCode": 0})


def found(*texts: str) -> list[tuple[str, str, str, str]]:
    sources = [Source(f"{at}.txt", text.encode()) for at, text in enumerate(texts)]
    looked_for = ("check.33", "check.36", "check.37")
    findings = (each for each in inspected(sources).findings() if each.rule.id in looked_for)
    return sorted((each.rule.id, each.queue_manager, each.name, each.message) for each in findings)


@pytest.mark.parametrize("form", [in_a_log, in_json], ids=["runmqsc", "mqweb"])
def test_what_senders_and_transmission_queues_lack(form: Callable[[Sequence[Row]], str]) -> None:
    """A port that is left out is 1414, one of several addresses is enough, and NOLIMIT is no limit."""
    assert found(*map(form, YARD.values())) == [
        (
            "check.33", "QM7", "YARD.QM8",
            "CONNAME(10.4.4.8(1420)) is another address than that of the CLUSRCVR YARD.QM8 of QM8, "
            "CONNAME(10.4.4.8(1421),10.4.4.18(1421))",
        ),
        ("check.36", "QM7", "QM7", "QM7 has no CLUSSDR to QM9, full repository of YARD like itself"),
        (
            "check.37", "QM9", "SYSTEM.CLUSTER.TRANSMIT.QUEUE",
            "SYSTEM.CLUSTER.TRANSMIT.QUEUE has CAPEXPRY(7200): messages of the repositories expire on it, "
            "not those of applications alone",
        ),
    ]  # fmt: skip


@pytest.mark.parametrize("form", [in_a_log, in_json], ids=["runmqsc", "mqweb"])
def test_what_is_mended_is_not_found(form: Callable[[Sequence[Row]], str]) -> None:
    own, *channels, queue = YARD["QM7"]
    mended = [own, channels[0], sender("QM8", "10.4.4.18(1421)"), sender("QM9", "10.4.4.9(1500)"), queue]
    rows = {**YARD, "QM7": mended, "QM9": [*YARD["QM9"][:-1], transmission(" ")]}
    assert found(*map(form, rows.values())) == []


def test_a_log_that_asks_for_receivers_alone_lacks_no_sender() -> None:
    rows = {name: [each for each in of if each.get("CHLTYPE") != "CLUSSDR"] for name, of in YARD.items()}
    asked = ("DISPLAY QMGR ALL", "DISPLAY CHANNEL(*) CHLTYPE(CLUSRCVR) ALL", "DISPLAY QUEUE(*) ALL")
    logs = [in_a_log(of, asked) for of in rows.values()]
    assert [rule for rule, *_ in found(*logs)] == ["check.37"]
    everything = [in_a_log(of) for of in rows.values()]
    assert [rule for rule, *_ in found(*everything)] == ["check.36", "check.36", "check.36", "check.37"]
