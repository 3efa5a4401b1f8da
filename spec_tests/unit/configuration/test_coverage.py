"""Dumps of a part: what -t, -n and -x leave out is not known, and nobody calls it missing."""

from __future__ import annotations

import pytest

from mqclause import Checks, Engine, Put, Snapshot, inspected
from mqclause.check.findings import Finding
from mqclause.model.configuration.file_reports import report_files
from mqclause.model.configuration.snapshot import read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.readers.mqsc import read_mqsc
from mqclause.model.readers.records import CombinedCoverage, Coverage
from mqclause.workload.sensitivity import find_unknown_names

TRIGGERED = "DEFINE QLOCAL('PAY.IN') TRIGGER INITQ('PAY.START') PROCESS('PAY.PROC') REPLACE\n"
PROCESS = "DEFINE PROCESS('PAY.PROC') APPLICID('pay')\n"
START = "DEFINE QLOCAL('PAY.START')\n"


def dump(options: str, *commands: str, ended: bool = True) -> str:
    head = f"* Script generated on 2031-02-03\n* Queue manager name: QM1\n* Command issued: dmpmqcfg -m QM1{options}\n"
    return head + "".join(commands) + ("* Script ended on 2031-02-03\n" if ended else "")


def read(*texts: str) -> Snapshot:
    return read_sources([Source(f"{at}.mqsc", text.encode()) for at, text in enumerate(texts)])


def found(*texts: str) -> list[Finding]:
    sources = [Source(f"{at}.mqsc", text.encode()) for at, text in enumerate(texts)]
    return [each for each in inspected(sources, Checks()).findings() if each.rule.id.startswith("trigger.")]


@pytest.mark.parametrize(
    ("options", "held"),
    [
        (" -t queue -n PAY*", "queues named PAY* alone"),
        (" -t q", "queues alone"),
        (" -tchl", "channels alone"),
        (" -x object -n 'PAY.*'", "objects named PAY.* alone"),
        (" -ax authrec", "authority records alone"),
        (" -x object -t nl", "namelists alone"),
        (" -t mqttchl", "objects of the type mqttchl alone"),
    ],
)
def test_what_a_command_asks_for(options: str, held: str) -> None:
    (coverage,) = read_mqsc(dump(options, START), "f").coverage
    assert str(coverage) == held
    assert not coverage.is_whole


@pytest.mark.parametrize("options", ["", " -a", " -x all -t all -n *", " -x object -a", " -c default -a -o 1line"])
def test_a_dump_of_all(options: str) -> None:
    (coverage,) = read_mqsc(dump(options, START), "f").coverage
    assert coverage.is_whole
    assert not CombinedCoverage.by([[coverage]]).leaves_out("PROCESS", "PAY.PROC")
    (cut,) = read_mqsc(dump(options, START, ended=False), "f").coverage
    assert CombinedCoverage.by([[cut]]).leaves_out("PROCESS", "PAY.PROC")


def test_a_script_says_nothing_of_what_it_holds() -> None:
    assert read_mqsc(START, "f").coverage == ()
    assert not CombinedCoverage.by([()]).leaves_out("QLOCAL", "X")


def test_dumps_of_several_kinds_hold_what_each_of_them_holds() -> None:
    queues, processes = (
        Coverage.from_dump_command("dmpmqcfg -t queue"),
        Coverage.from_dump_command("dmpmqcfg -t process"),
    )
    both = CombinedCoverage.by([[queues], [processes]])
    assert not both.leaves_out("QLOCAL", "A")
    assert not both.leaves_out("QUEUE", "A")
    assert not both.leaves_out("PROCESS", "A")
    assert both.leaves_out("CHANNEL", "A")


def test_what_a_dump_of_a_part_leaves_out_is_no_finding_and_not_known() -> None:
    text = dump(" -t queue -n PAY.IN*", TRIGGERED)
    assert found(text) == []
    told = read(text)
    assert told.knowledge.undisplayed == {"process": {"PAY.IN"}, "initq": {"PAY.IN"}}
    remark = "0.mqsc:3: this dump holds queues named PAY.IN* alone: dmpmqcfg -a tells the rest"
    assert [str(each) for each in told.remarks] == [remark]
    account = report_files([Source("0.mqsc", text.encode())])[0]
    assert (account.read, [str(each) for each in account.notes], account.dangling) == ("wholly", [remark], ())


def test_what_a_dump_of_a_part_would_hold_is_missing() -> None:
    text = dump(" -t queue", TRIGGERED)
    assert {(each.rule.id, each.said.attribute) for each in found(text)} == {("trigger.07", "initq")}
    assert read(text).knowledge.undisplayed == {"process": {"PAY.IN"}, "initq": frozenset()}


def test_what_is_there_is_known_whatever_else_was_left_out() -> None:
    text = dump(" -n PAY*", TRIGGERED, PROCESS, START)
    assert found(text) == []
    assert read(text).knowledge.undisplayed == {"process": frozenset(), "initq": frozenset()}


def test_several_dumps_of_a_part_are_one_configuration() -> None:
    texts = dump(" -t queue", TRIGGERED), dump(" -t process", PROCESS)
    told = read(*texts)
    assert [each.name for each in told.cluster.processes] == ["PAY.PROC"]
    assert len(told.remarks) == 2
    assert {each.rule.id for each in found(*texts)} == {"trigger.07"}
    joined = read_mqsc(texts[0] + texts[1], "f")
    assert [str(each) for each in joined.coverage] == ["queues alone", "processes alone"]


def test_a_whole_dump_beside_one_of_a_part_tells_all() -> None:
    told = read(dump(" -a", TRIGGERED, PROCESS), dump(" -t queue", TRIGGERED))
    assert told.remarks == ()
    assert told.knowledge.undisplayed == {"process": frozenset(), "initq": frozenset()}


def test_a_log_tells_what_it_was_asked_for_beside_a_dump_of_a_part() -> None:
    log = (
        "Starting MQSC for queue manager QM1.\n"
        "     1 : DISPLAY PROCESS('PAY.PROC')\nAMQ8147E: IBM MQ object PAY.PROC not found.\n"
    )
    assert read(dump(" -n PAY.IN", TRIGGERED), log).knowledge.undisplayed == {
        "process": frozenset(),
        "initq": {"PAY.IN"},
    }


@pytest.mark.parametrize(("target", "unknown"), [("PAY.MODEL", []), ("PAY.ELSE", ["PAY.ELSE"])])
def test_no_queue_has_the_name_of_a_model_queue_that_is_there(target: str, unknown: list[str]) -> None:
    """So what was left out does not change what an alias that leads to it comes to."""
    names = f"DEFINE QMODEL('PAY.MODEL')\nDEFINE QALIAS('PAY.VIA') TARGET('{target}')\n"
    told = read(dump(" -a", names, ended=False))
    decision = Engine().choose(Put("PAY.VIA"), told.cluster)
    assert decision.outcome == "failed"
    assert [each.object for each in find_unknown_names(decision, told)] == unknown
