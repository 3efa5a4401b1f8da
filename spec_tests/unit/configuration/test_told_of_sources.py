"""What is told of whole sources: names that are none, trailers that count otherwise, files that do not say whose."""

from __future__ import annotations

import pytest

from mqclause.model.configuration.file_reports import report_files
from mqclause.model.configuration.snapshot import read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import FactsError
from mqclause.model.readers.mqsc import read_mqsc
from mqclause.model.readers.runmqsc import read_runmqsc
from spec_tests.support.displayed import BANNER


def remarks(text: str) -> list[str]:
    found = read_sources([Source("f", f"* Queue manager name: QM1\n{text}".encode())])
    return [str(each) for each in found.remarks]


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("DEFINE QLOCAL('A.B_c/9%')", []),
        ("DEFINE QLOCAL(QUEUE-ONE)", ["f:2: QLOCAL 'QUEUE-ONE': MQ allows no '-' in a name, and refuses this command"]),
        ("DEFINE QLOCAL('A B')\nDEFINE QLOCAL('C D')", ["f:2: QLOCAL 'A B': MQ allows no ' ' in a name"]),
        ("DEFINE QLOCAL($Q)\nDEFINE QLOCAL('{{q}}')", ["f:2: QLOCAL '$Q': '$Q' is still to be filled in"]),
        ("DEFINE QLOCAL(Q) CLUSTER('${c}')", ["f:2: QLOCAL 'Q': '${c}' is still to be filled in"]),
        ("DEFINE QLOCAL('+AUTOCL+.Q')", ["f:2: QLOCAL '+AUTOCL+.Q': +AUTOCL+ is filled in by the queue manager"]),
        ("DEFINE QLOCAL('+QMNAME+.Q')", []),
        ("DEFINE SUB('any name $ at all') DEST(Q)", []),
    ],
)
def test_a_name_that_is_none_of_mqs_is_told_once(script: str, told: list[str]) -> None:
    found = remarks(script)
    assert len(found) == len(told)
    assert all(each.startswith(begin) for each, begin in zip(found, told, strict=True))


DUMP = """* Queue manager name: QM1
ALTER QMGR CLWLUSEQ(ANY)
DEFINE QLOCAL(A)
DEFINE NAMELIST(N) NAMES(A)
* Script ended on 2031-02-03   at 04.05.03
* QueueManager count: 1
* Queue count: 4
* NameList count: {}
* ChlAuthRec count: 3
"""


@pytest.mark.parametrize(("count", "told"), [(1, []), (2, ["f:8: NameList count: 2, and 1 read: some may be missing"])])
def test_the_trailer_of_a_dump_counts_what_it_has(count: int, told: list[str]) -> None:
    """But for queues: those that are dynamic are counted there, and not dumped."""
    assert [str(each) for each in read_mqsc(DUMP.format(count), "f").remarks] == told


ECHOED = "Starting MQSC for queue manager QM1.\n{}{}\nNo commands have a syntax error.\n"


@pytest.mark.parametrize(
    ("echoed", "read", "told"),
    [
        (["DISPLAY QMGR"], "One MQSC command read.", []),
        (["DISPLAY QMGR", "DISPLAY QL(*) +\n       : ALL", "END"], "2 MQSC commands read.", []),
        (["DISPLAY QMGR"], "12 MQSC commands read.", ["f:3: says that 12 MQSC commands were read, and 1 of them"]),
        ([], "12 MQSC commands read.", []),
        (["END"], "No MQSC commands read.", []),
    ],
)
def test_a_log_has_the_commands_that_runmqsc_says_it_read(echoed: list[str], read: str, told: list[str]) -> None:
    """Without any, they were not echoed."""
    commands = "".join(f"     {number} : {each}\n" for number, each in enumerate(echoed, 1))
    found = [str(each) for each in read_runmqsc(ECHOED.format(commands, read), "f").remarks]
    assert len(found) == len(told)
    assert all(each.startswith(begin) for each, begin in zip(found, told, strict=True))


REFUSED = "     1 : DISPLAY QUEUE(*) ALL\nAMQ8135E: Not authorized.\nOne MQSC command read.\n"
STOPPED = f"{BANNER.splitlines()[0]}\nAMQ8146E: IBM MQ queue manager not available.\n\nNo MQSC commands read.\n"


@pytest.mark.parametrize(
    ("log", "shows"),
    [
        (BANNER, False),
        (BANNER + REFUSED, False),
        (BANNER + "     1 : DISPLAY QUEUE(*) ALL\n", False),
        (BANNER + "     1 : DISPLAY QMGR ALL\nAMQ8408I: Display Queue Manager details.\n", False),
        (STOPPED, False),
        (BANNER + "     1 : DISPLAY QUEUE(*) ALL\nAMQ8147E: IBM MQ object * not found.\n", True),
        (BANNER + "     1 : DISPLAY LSSTATUS(*)\nAMQ8631I: Display listener status details.\n   LISTENER(L)  STATUS(RUNNING)\n", True),
        (BANNER + "     1 : DEFINE QLOCAL(Q)\nAMQ8006I: IBM MQ queue created.\n", True),
    ],
)  # fmt: skip
def test_a_log_in_which_nothing_was_answered_tells_of_nothing(log: str, shows: bool) -> None:
    """Else a queue manager that one may not look at would count as one that has nothing."""
    told = [] if shows else ["f: nothing is shown here: no command was carried out"]
    assert [str(each) for each in read_runmqsc(log, "f").diagnostics] == told


@pytest.mark.parametrize(
    "refusal", ["AMQ8405E: Syntax error\nAMQ8426E: Valid MQSC commands are:\n", "AMQ8150E: exists\n"]
)
def test_a_command_that_was_refused_in_two_messages_is_one(refusal: str) -> None:
    """Of a wrong command runmqsc says that it is wrong, and then how it is written."""
    done = "     {} : DEFINE QLOCAL({})\nAMQ8006I: IBM MQ queue created.\n"
    log = f"{BANNER}{done.format(1, 'A')}     2 : DEFINE QLOCL(B)\n{refusal}{done.format(3, 'C')}"
    assert [each.name for each in read_runmqsc(log, "f").records] == ["A", "C"]


@pytest.mark.parametrize(
    ("local", "told"),
    [
        (None, "one: does not name its queue manager; name it with local, or give it as QMGR=FILE (as 2 files"),
        (
            "QM1",
            "two:1: QLOCAL 'Q': is already defined at one:1; REPLACE is needed to define it again; if the files are",
        ),
    ],
)
def test_files_that_do_not_say_whose_they_are(local: str | None, told: str) -> None:
    with pytest.raises(FactsError) as caught:
        read_sources([Source(name, b"DEFINE QLOCAL(Q) CLUSTER(S)") for name in ("one", "two")], local)
    assert str(caught.value).startswith(told)


SHOWN = """AMQ8409I: Display Queue details.
   QUEUE(A)                                TYPE(QLOCAL)
   PUT(DISABLED)
AMQ8409I: Display Queue details.
   QUEUE(B)                                TYPE(QLOCAL)
   PUT(ENABLED)                            DEFPRTY(3)
"""
MISSING = "the message above this object is missing: lines before it may be missing, too"


@pytest.mark.parametrize(
    ("lost", "queues", "told"),
    [
        ([], {"A": "DISABLED", "B": "ENABLED"}, []),
        ([1], {"A": "DISABLED", "B": "ENABLED"}, [f"f:1: {MISSING}"]),
        ([4], {"A": "DISABLED", "B": "ENABLED"}, [f"f:4: {MISSING}"]),
        ([1, 4], {"A": "DISABLED", "B": "ENABLED"}, [f"f:1: {MISSING}", f"f:3: {MISSING}"]),
        ([1, 2], {"B": "ENABLED"}, []),
    ],
)
def test_a_log_that_lacks_lines(lost: list[int], queues: dict[str, str], told: list[str]) -> None:
    lines = [line for number, line in enumerate(SHOWN.splitlines(), 1) if number not in lost]
    found = read_runmqsc("\n".join([*lines, ""]), "f")
    assert {each.name: each.attributes["PUT"] for each in found.records} == queues
    assert [str(each) for each in found.remarks] == told
    assert found.diagnostics == ()


def test_attributes_of_two_objects_are_not_taken_for_those_of_one() -> None:
    lines = [line for number, line in enumerate(SHOWN.splitlines(), 1) if number not in (4, 5)]
    found = read_runmqsc("\n".join([*lines, ""]), "f")
    assert found.records == ()
    (fault,) = map(str, found.diagnostics)
    assert fault.startswith("f:4:4: PUT stands twice in one object: lines between two objects are missing")


@pytest.mark.parametrize(
    ("end", "is_cut"),
    [
        ("   PUT(ENABLED)                            DEFPRTY(3)\n", False),
        ("   PUT(ENABLED)                            DEFPRTY(3)", True),
        ("   PUT(ENABLED)                            STATU", True),
        ("   PUT(ENABLED)\nOne MQSC command read.", False),
    ],
)
def test_a_log_that_ends_within_an_object(end: str, is_cut: bool) -> None:
    text = f"Starting MQSC for queue manager QM1.\nAMQ8409I: Display Queue details.\n   QUEUE(B)  TYPE(QLOCAL)\n{end}"
    told = ["f:2: the log ends within this object: the last of it may be missing"] if is_cut else []
    assert [str(each) for each in read_runmqsc(text, "f").remarks] == told


NAILS, CUT = "   QUEUE(NAILS)  TYPE(QLOCAL)\n   CLWLPRTY(0)  PUT(ENABLED)\n", "   QUEUE(SCREWS)  TYPE(QLOCAL)\n"
EARLY = "f:6: the log ends with this object, which shows fewer attributes than those above it: the log may be cut"


@pytest.mark.parametrize(
    ("first", "then", "told"),
    [
        (NAILS, CUT, [EARLY]),
        (NAILS, f"{CUT}   CLWLPRTY(0)\n", [EARLY]),
        (NAILS, NAILS.replace("NAILS", "SCREWS"), []),
        (NAILS, f"{CUT}One MQSC command read.\n", []),
        (NAILS, f"{CUT}   PUT(ENABLED)\n", []),
        (f"{NAILS}     2 : DISPLAY QUEUE(SCREWS) TYPE\n", CUT, []),
        (NAILS.replace("QUEUE(NAILS)", "QUEUE(NAILS)  TARGET(A)").replace("QLOCAL", "QALIAS"), CUT, []),
    ],
)
def test_a_log_that_ends_between_the_lines_of_an_object(first: str, then: str, told: list[str]) -> None:
    begun = "Starting MQSC for queue manager QM1.\n     1 : DISPLAY QUEUE(*) ALL\nAMQ8409I: Display Queue details.\n"
    found = read_runmqsc(f"{begun}{first}AMQ8409I: Display Queue details.\n{then}", "f")
    assert [str(each) for each in found.remarks] == told
    assert [each.name for each in found.asked] == ([] if told else ["*", "SCREWS"][: len(found.asked)])
    assert len(found.records) == 2


@pytest.mark.parametrize(
    ("trailer", "read", "told"),
    [
        ("* Script ended on 2031-02-03 at 04.05.03\n", "wholly", []),
        ("", "partly", ["f: the dump f of QM1 ends before its trailer: its last objects are missing"]),
    ],
)
def test_what_may_be_missing_is_not_read_wholly(trailer: str, read: str, told: list[str]) -> None:
    dump = f"* Script generated on 2031-02-03 at 04.05.02\n* Queue manager name: QM1\nDEFINE QLOCAL(A)\n{trailer}"
    (account,) = report_files([Source("f", dump.encode())])
    assert (account.read, [str(each) for each in account.remarks]) == (read, told)


@pytest.mark.parametrize("written", [("PROCESS", "INITQ", "CLUSNL"), ("CLUSNL", "PROCESS", "INITQ")])
def test_names_that_lead_nowhere_are_told_in_the_order_in_which_they_stand(written: tuple[str, ...]) -> None:
    attributes = " ".join(f"{word}(NONE.SUCH)" for word in written)
    (account,) = report_files([Source("f", f"DEFINE QLOCAL(A) {attributes}".encode(), "QM1")])
    assert [each.message.split(": ")[1].split()[0] for each in account.dangling] == list(written)
