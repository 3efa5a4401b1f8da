"""Formats: which one a text is in, and a format that a caller brings along."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqclause.model.configuration.members import read_files
from mqclause.model.configuration.provenance import Origin
from mqclause.model.configuration.snapshot import Snapshot, read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import Diagnostic, FactsError
from mqclause.model.facts.objects import Channel, Put, Queue, RemoteQueueManager
from mqclause.model.readers.formats import Confidence, FactsDocument, Format
from mqclause.model.readers.records import Record, Script
from mqclause.model.readers.registry import FORMATS, detect_format, read_contents


def told(text: str, _: str) -> Confidence:
    return Confidence.sure_if(text.startswith("owner|"))


def read_piped(text: str, source: str) -> Script:
    """One object a line: ``QLOCAL|STOCK|CLUSTER=PARTS``, after a line ``owner|NORTH``."""
    owner, *lines = text.splitlines()
    records, faults = [], []
    for number, line in enumerate(lines, 2):
        kind, *rest = line.split("|")
        if not rest:
            faults.append(Diagnostic(source, "has no name; allowed: KIND|NAME|ATTRIBUTE=VALUE", number))
            continue
        attributes = dict(pair.split("=") for pair in rest[1:])
        records.append(Record("define", kind, rest[0], attributes, source=source, line=number))
    return Script(source, owner.partition("|")[2], tuple(records), tuple(faults))


PIPED = Format("piped", "objects separated by bars", told, read_piped)

NORTH = """owner|NORTH
QLOCAL|STOCK|CLUSTER=PARTS|CLWLPRTY=4
CHANNEL|TO.NORTH|CHLTYPE=CLUSRCVR|CLUSTER=PARTS|CLWLWGHT=70
"""
FACTS = '[queue_manager]\nname = "HQ"\nclusters = ["PARTS"]\n[put]\nqueue = "STOCK"\n'


def read(lenient: bool = False, **texts: str) -> Snapshot:
    sources = [Source(name, text.encode()) for name, text in texts.items()]
    return read_sources(sources, lenient=lenient, formats=(*FORMATS, PIPED))


def test_a_format_of_the_callers_is_read_beside_facts_files() -> None:
    snapshot = read(facts=FACTS, north=NORTH)
    cluster = snapshot.cluster
    assert cluster.remote_queue_managers == (RemoteQueueManager("NORTH", ("PARTS",)),)
    assert cluster.queues == (Queue("STOCK", "NORTH", clusters=("PARTS",), clwlprty=4),)
    assert cluster.channels == (Channel("TO.NORTH", "NORTH", "PARTS", "CLUSSDRA", clwlwght=70),)
    assert snapshot.put == Put(queue="STOCK")
    assert snapshot.provenance.of(cluster.queues[0], "clwlprty") == Origin("stated", "north", 2)


def test_files_in_a_format_of_the_callers(tmp_path: Path) -> None:
    (tmp_path / "north").write_text(NORTH)
    snapshot = read_files([tmp_path / "north"], formats=(*FORMATS, PIPED))
    assert snapshot.cluster.queue_manager.name == "NORTH"
    assert snapshot.provenance.of(snapshot.cluster.channels[0], "clwlwght").line == 3


def test_its_faults_are_those_of_a_script() -> None:
    with pytest.raises(FactsError, match=r"^north:4: has no name; allowed: KIND\|NAME\|ATTRIBUTE=VALUE$"):
        read(facts=FACTS, north=NORTH + "QLOCAL\n")
    snapshot = read(lenient=True, facts=FACTS, north=NORTH + "QLOCAL\n")
    assert [str(each) for each in snapshot.warnings] == [
        "north:4: has no name; allowed: KIND|NAME|ATTRIBUTE=VALUE",
    ]


def test_a_fault_of_a_value_has_its_line() -> None:
    with pytest.raises(FactsError, match=r"^north:2: QLOCAL 'STOCK': CLWLPRTY: '44' is not allowed"):
        read(facts=FACTS, north=NORTH.replace("=4", "=44"))


def test_without_it_the_text_is_in_no_format_and_with_it_messages_list_it() -> None:
    with pytest.raises(FactsError) as without:
        read_sources([Source("north", NORTH.encode())])
    allowed = ", ".join(dict.fromkeys(each.title for each in FORMATS if each.name != "foreign"))
    assert allowed.endswith("facts in TOML or JSON, output of runmqsc, MQSC scripts and dumps (dmpmqcfg)")
    message = "is in no format that is read: it has no MQSC command; allowed: "
    assert str(without.value) == f"north: {message}{allowed}"
    with pytest.raises(FactsError) as other:
        read(letter="Dear reader,\n")
    assert str(other.value) == f"letter: {message}{allowed}, objects separated by bars"


def test_a_format_that_is_sure_comes_before_one_that_is_likely() -> None:
    text = "[piped]\nowner = 'NORTH'\n"
    sure = Format("sure", "", lambda text, _: Confidence.sure_if("NORTH" in text), read_piped)
    likely = Format("likely", "", lambda *_: Confidence.LIKELY, read_piped)
    assert name_of(text) == "TOML"
    assert name_of(text, (*FORMATS, likely, sure)) == "sure"
    assert name_of(text, (likely, *FORMATS)) == "likely"


def name_of(text: str, formats: tuple[Format, ...] = FORMATS) -> str | None:
    found = detect_format(text, "f", formats)
    return found.name if found else None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (FACTS, "TOML"),
        ("key = 1\nDEFINE QLOCAL(A)", "MQSC"),
        ("[main]\nDEFINE QLOCAL(A)", "MQSC"),
        ("[queue]\nDEFINE QLOCAL(A)", "TOML"),
        ("put.queue = 'STOCK'", "TOML"),
        ('"put" = {queue = "STOCK"}', "TOML"),
        ('{"put": {}}', "JSON"),
        ("[1, 2]", "JSON"),
        ("{DEFINE QLOCAL(A)", None),
        ('{"queue": [{"commandResponse": []}]}', "JSON"),
        ('{"commandResponse": []}', "mqweb"),
        ("DEFINE QLOCAL(A)\nAMQ8006I: IBM MQ queue created.", "runmqsc"),
        ("def ql(a)", "MQSC"),
        ("* Queue manager name: HQ", "MQSC"),
        ("Dear reader", None),
    ],
)
def test_the_format_of_a_text(text: str, name: str | None) -> None:
    assert name_of(text) == name


def test_contents_say_their_format() -> None:
    document, script = read_contents(FACTS.encode(), "f"), read_contents(b"DEFINE QLOCAL(A)", "f")
    assert isinstance(document, FactsDocument)
    assert isinstance(script, Script)
    assert (document.format, script.format) == ("TOML", "MQSC")


def test_every_format_has_a_name_and_a_title_of_its_own_kind() -> None:
    assert len({each.name for each in FORMATS}) == len(FORMATS)
    assert all(bool(each.read) is not bool(each.refused) for each in FORMATS)
    assert all(each.title for each in FORMATS)
