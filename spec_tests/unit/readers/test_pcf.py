"""Results of PCF commands as JSON. Numbers are those of IBM's headers; expectations are worked out by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mqclause import Engine, FactsError, Put, read, text
from mqclause.model.configuration.attributes import FACT_ATTRIBUTES
from mqclause.model.configuration.snapshot import read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.readers.json_responses import load_pcf_parameters, read_pcf
from mqclause.model.readers.registry import detect_format

QMGR = {"2015": "QM1" + " " * 45, "98": 0, "97": 999999999, "32": 3, "2035": "S"}
OWN = {"2031": "QM1 ", "2029": "S", "3501": "TO.QM1 ", "1084": 3, "1527": 0, "1087": 0}
OTHER = {"2031": "QM2\u0000\u0000", "2029": "S", "3501": "TO.QM2 ", "1084": 2, "1527": 6, "1087": 0, "1579": 70}
THIRD = {**OTHER, "2031": "QM3", "3501": "TO.QM3", "1527": 3}
QUEUES = [
    {"2016": "Q ", "20": 7, "2031": host, "2029": "S", "59": 1, "10": 0, "96": 4, "61": 1} for host in ("QM2", "QM3")
]
ROWS: list[dict[str, Any]] = [QMGR, OWN, OTHER, THIRD, *QUEUES]
NAMES = {str(value["id"]): name for name, value in {
    "MQCA_Q_MGR_NAME": {"id": 2015}, "MQIA_CLWL_USEQ": {"id": 98}, "MQIA_CLWL_MRU_CHANNELS": {"id": 97},
    "MQIA_PLATFORM": {"id": 32}, "MQCA_REPOSITORY_NAME": {"id": 2035}, "MQCA_CLUSTER_Q_MGR_NAME": {"id": 2031},
    "MQCA_CLUSTER_NAME": {"id": 2029}, "MQCACH_CHANNEL_NAME": {"id": 3501}, "MQIACH_CHANNEL_STATUS": {"id": 1527},
    "MQCA_Q_NAME": {"id": 2016}, "MQIA_Q_TYPE": {"id": 20},
}.items()}  # fmt: skip


def named(row: dict[str, Any]) -> dict[str, Any]:
    """A row with names as keys, for those that NAMES has; the other keys stay numbers, as clients leave them."""
    return {NAMES.get(key, key): value for key, value in row.items()}


def shown(row: dict[str, Any]) -> dict[str, object]:
    (record,) = read_pcf(json.dumps([row]), "f").records
    return {"kind": record.kind, "name": record.name, **record.attributes}


@pytest.mark.parametrize(
    "data",
    [
        ROWS,
        [named(row) for row in ROWS],
        [[row, {"Type": 2, "Command": 70}] for row in ROWS],
        {"qmgr": [QMGR], "clusqmgr": [OWN, OTHER, THIRD], "queues": QUEUES},
        [{key: f"b'{value}'" if isinstance(value, str) else value for key, value in row.items()} for row in ROWS],
    ],
    ids=["numbers", "names", "pairs with headers", "by command", "bytes as text"],
)
def test_the_local_queue_managers_view(data: object) -> None:
    snapshot = read_sources([Source("qm1.json", json.dumps(data).encode())])
    decision = Engine().choose(Put(queue="Q"), snapshot.cluster)
    assert snapshot.cluster.queue_manager.name == "QM1"
    assert decision.chosen is not None
    assert decision.chosen.queue_manager == "QM3"  # the channel to QM2 is STOPPED
    states = {each.name: each.status for each in snapshot.cluster.channels}
    assert states == {"TO.QM1": "INACTIVE", "TO.QM2": "STOPPED", "TO.QM3": "RUNNING"}
    assert {each.clwlprty for each in snapshot.cluster.queues} == {4}


@pytest.mark.parametrize("text", ["C:\\x\\new", "it's", """it's "so" now""", "Zürich", "\\x41", ""])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_bytes_that_python_has_shown_as_text(text: str, encoding: str) -> None:
    as_text = repr(text.encode(encoding).ljust(64) + b"\0")
    assert shown({"2012": "P", "2001": as_text})["APPLICID"] == text


def test_numbers_become_words() -> None:
    row = {"2016": "A", "20": 1, "10": 1, "9": 0, "24": 1, "28": 3, "29": 5, "12": 1, "16": 1, "98": -3, "2008": "I"}
    assert shown(row) == {
        "kind": "QLOCAL", "name": "A", "TYPE": "QLOCAL", "PUT": "DISABLED", "GET": "ENABLED", "TRIGGER": "",
        "TRIGTYPE": "DEPTH", "TRIGDPTH": "5", "USAGE": "XMITQ", "MSGDLVSQ": "FIFO", "CLWLUSEQ": "QMGR", "INITQ": "I",
    }  # fmt: skip
    assert shown({"2016": "A", "20": 1, "24": 0})["NOTRIGGER"] == ""
    assert shown({"2016": "A", "1103": 1105, "17": 2, "3": 7})["kind"] == "QSTATUS"
    assert shown({"2010": "NL", "2020": ["S ", "T "]})["NAMES"] == ("S", "T")


def test_every_attribute_of_facts_is_read() -> None:
    rows = [
        {**QMGR, "2006": "DLQ ", "58": 20},
        {**OWN, "1562": 1},
        {"2016": "A", "20": 1, "2013": "orders ", "15": 50, "5": 1},
        {"3501": "TO.QM1 ", "1511": 8, "2029": "S", "1562": 1},
    ]
    cluster = read_sources([Source("qm1.json", json.dumps(rows).encode())]).cluster
    (queue,), (channel,) = cluster.queues, cluster.channels
    assert (cluster.queue_manager.deadq, cluster.queue_manager.clwllen) == ("DLQ", 20)
    assert (queue.descr, queue.maxdepth, queue.defpsist, channel.npmspeed) == ("orders", 50, "YES", "NORMAL")
    assert {name for read in FACT_ATTRIBUTES.values() for name in read} <= {
        of.mqsc for of in load_pcf_parameters().values()
    }


def test_the_host_of_a_cluster_queue_by_its_other_name() -> None:
    assert shown({"2016": "Q", "20": 7, "2015": "QM2", "2029": "S"})["CLUSQMGR"] == "QM2"


@pytest.mark.parametrize("secret", ["3518", "2048", "2051", "2054", "2055", "MQCACH_PASSWORD", "MQCA_LDAP_PASSWORD"])
def test_a_secret_is_not_kept(secret: str) -> None:
    assert "geheim" not in repr(read_pcf(json.dumps([{**QMGR, secret: "geheim"}]), "f"))


def test_it_is_told_from_facts() -> None:
    found = [detect_format(json.dumps(data), "f.json") for data in (ROWS, {"queue_manager": {"name": "QM1"}}, {"1": 2})]
    assert [each and each.name for each in found] == ["PCF", "JSON", "JSON"]


def test_each_number_is_that_of_one_parameter() -> None:
    by_number = [key for key in load_pcf_parameters() if key.isdigit()]
    assert by_number
    assert len(by_number) * 2 == len(load_pcf_parameters())


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ('[{"2016": "STOCK", "20": 1,\n"10": 1, "10": 0}]', "f:2:1: key '10' is given more than once"),
        ('[{"2016": "STOCK", "20": 1, "10": 1, "MQIA_INHIBIT_PUT": 0}]',
         "f:1: key 'MQIA_INHIBIT_PUT' is given more than once by its number, too"),
    ],
)  # fmt: skip
def test_a_parameter_that_stands_twice_in_a_row_is_a_fault(written: str, told: str) -> None:
    assert [str(each) for each in read_pcf(written, "f").diagnostics] == [told]


BAD = {"2016": "BAD", "20": 1, "10": 7}
GOOD = {"2016": "GOOD", "20": 1, "2013": '{ \\ " {'}


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ([GOOD, BAD], 7),
        ([[GOOD, {"Reason": 0}], [BAD, {"Reason": 0}]], 13),
        ({"rows": [{"QM1": [{"name": "QM1", "found": [BAD]}]}]}, 8),
    ],
    ids=["list", "pairs", "deep"],
)
def test_a_fault_is_told_on_the_line_of_its_object(rows: object, line: int) -> None:
    (told,) = read_faults(json.dumps(rows, indent=1))
    assert told == f"f:{line}: QLOCAL 'BAD': PUT: '7' is not allowed; allowed: ENABLED, DISABLED"


@pytest.mark.parametrize(("value", "told"), [(7, "7"), ("x", "'x'"), ([1], "[1]")])
def test_a_number_that_switches_triggering_neither_on_nor_off_is_told(value: object, told: str) -> None:
    (fault,) = read_faults(json.dumps([{"2016": "Q", "20": 1, "24": value}]))
    assert fault.startswith(f"f:1: QUEUE 'Q': TRIGGER: {told} is not allowed; allowed: ")


def test_triggering_of_no_value_is_not_shown() -> None:
    (record,) = read_pcf(json.dumps([{"2016": "Q", "20": 1, "24": None}]), "f").records
    assert record.attributes == {"TYPE": "QLOCAL"}


def read_faults(written: str) -> list[str]:
    """What is wrong with the objects in ``written``, of the queue manager QM1."""
    with pytest.raises(FactsError) as raised:
        read(text(written, name="f", queue_manager="QM1"))
    return [str(each) for each in raised.value.diagnostics]
