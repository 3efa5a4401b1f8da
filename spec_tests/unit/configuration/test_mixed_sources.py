"""Facts files and scripts together: formats told by content, facts united, one local queue manager."""

from __future__ import annotations

import json

import pytest

from mqclause.model.configuration.snapshot import Snapshot, read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import FactsError
from mqclause.model.facts.objects import Put, Queue, QueueManager
from spec_tests.support.displayed import BANNER
from spec_tests.support.places import without_column

HQ = """* Queue manager name: HQ
ALTER QMGR TRIGINT(5)
DEFINE QLOCAL(STOCK) CLUSTER(PARTS) CLWLRANK(2)
DEFINE CHANNEL(TO.HQ) CHLTYPE(CLUSRCVR) CLUSTER(PARTS)
"""

NORTH = """* Queue manager name: NORTH
DEFINE QLOCAL(STOCK) CLUSTER(PARTS) CLWLRANK(3)
DEFINE CHANNEL(TO.NORTH) CHLTYPE(CLUSRCVR) CLUSTER(PARTS)
"""

FACTS = """
[queue_manager]
name = "HQ"
trigint = 7

[[queue]]
name = "LOCAL.ONE"
"""

PUT = '{"put": {"queue": "STOCK"}}'


def read(local: str | None = None, lenient: bool = False, **texts: str) -> Snapshot:
    """The snapshot of texts by file name, in which ``_`` stands for the point."""
    sources = [Source(name.replace("_", "."), text.encode()) for name, text in texts.items()]
    return read_sources(sources, local, lenient)


def faults(local: str | None = None, lenient: bool = False, **texts: str) -> list[str]:
    with pytest.raises(FactsError) as caught:
        read(local, lenient, **texts)
    return [without_column(found) for found in caught.value.diagnostics]


def fault(content: str | bytes, name: str = "f") -> str:
    with pytest.raises(FactsError) as caught:
        read_sources([Source(name, content if isinstance(content, bytes) else content.encode())])
    (found,) = caught.value.diagnostics
    return str(found)


READ = (
    "allowed: MQSC in shell scripts, YAML and JCL, output of mqweb (commandResponse), results of PCF commands as JSON, facts in TOML or JSON,"
    " output of runmqsc, MQSC scripts and dumps (dmpmqcfg)"
)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "f: is empty"),
        (b" \n\t", "f: is empty"),
        (b"\xef\xbb\xbf", "f: is empty"),
        (b"\x7fELF\x02\x00\x01", "f: is not text: byte 0 at offset 5"),
        (b"\xff\xfe" + "[put]".encode("utf-16-le"), "f: is UTF-16 text; allowed for facts: UTF-8"),
        ("[put]".encode("utf-32"), "f: is UTF-32 text; allowed for facts: UTF-8"),
        (b"[put]\nqueue = 'caf\xe9'", "f:2: is not UTF-8 text: byte 0xe9 at offset 18"),
        ("[put]\nqueue = STOCK", "f:2:9: is not TOML: Invalid value"),
        ("# facts\nput.queue = STOCK", "f:2:13: is not TOML: Invalid value"),
        ('{"put": }', "f:1:9: is not JSON: Expecting value"),
        ('["put"]', "f: ['put'] is given where a facts document is expected; allowed: tables queue_manager,"
         " remote_queue_manager, queue, queue_manager_alias, channel, process, model_queue, channel_status, message, put,"
         " unknown, event, information, request, in_flight"),
        ("Dear reader,\n" * 5000, f"f: is in no format that is read: it has no MQSC command; {READ}"),
        ("Set out (here)\nis how we\nDefine queues.\n",
         f"f: is in no format that is read: it has no MQSC command; {READ}"),
        ('{"commandResponse": []}', "f: nothing is shown here: no object and no status"),
        ("AMQ8409I: Display Queue details.\n   QUEUE(STOCK)   TYPE(QLOCAL)\n",
         "f: does not name its queue manager; name it with local, or give it as QMGR=FILE"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_in_one_line(content: str | bytes, said: str) -> None:
    assert fault(content) == said


def test_a_file_named_toml_is_toml() -> None:
    assert fault("DEFINE QLOCAL(A)", "f.toml") == (
        "f.toml:1:8: is not TOML: Expected '=' after a key in a key/value pair"
    )


@pytest.mark.parametrize("name", ["facts", "facts.json", "facts.mqsc", "-", "facts.toml"])
def test_toml_is_told_by_its_content(name: str) -> None:
    snapshot = read_sources([Source(name, FACTS.encode())])
    assert snapshot.cluster.queues == (Queue(name="LOCAL.ONE", queue_manager="HQ"),)


@pytest.mark.parametrize("name", ["facts", "facts.toml", "facts.mqsc", "-"])
@pytest.mark.parametrize("mark", ["", "\ufeff", "\n  "])
def test_json_is_told_by_its_content(name: str, mark: str) -> None:
    text = mark + json.dumps({"queue_manager": {"name": "HQ"}, "put": {"queue_manager": "HQ"}})
    snapshot = read_sources([Source(name, text.encode())])
    assert snapshot.cluster.queue_manager == QueueManager(name="HQ")
    assert snapshot.put == Put(queue_manager="HQ")


@pytest.mark.parametrize("text", [HQ, HQ.lower().replace("queue manager name: hq", "Queue manager name: HQ")])
def test_a_script_is_told_by_its_content(text: str) -> None:
    snapshot = read(hq_txt=text)
    assert snapshot.cluster.queue_manager.trigint == 5
    assert [queue.clwlrank for queue in snapshot.cluster.queues] == [2]


def test_several_facts_files() -> None:
    snapshot = read(a=FACTS, b='[[queue]]\nname = "LOCAL.TWO"\n', c=PUT)
    assert [queue.name for queue in snapshot.cluster.queues] == ["LOCAL.ONE", "LOCAL.TWO"]
    assert {queue.queue_manager for queue in snapshot.cluster.queues} == {"HQ"}
    assert snapshot.put == Put(queue="STOCK")


def test_tables_before_the_file_that_says_the_local_queue_manager() -> None:
    snapshot = read(b='[[queue]]\nname = "LOCAL.TWO"\n', a=FACTS)
    assert [queue.name for queue in snapshot.cluster.queues] == ["LOCAL.TWO", "LOCAL.ONE"]


def test_a_put_beside_dumps() -> None:
    snapshot = read("HQ", hq=HQ, north=NORTH, put=PUT)
    assert snapshot.cluster.queue_manager.name == "HQ"
    assert [other.name for other in snapshot.cluster.remote_queue_managers] == ["NORTH"]
    assert [channel.name for channel in snapshot.cluster.channels] == ["TO.HQ", "TO.NORTH"]
    assert snapshot.put == Put(queue="STOCK")


def test_further_tables_beside_a_dump_are_the_local_queue_managers() -> None:
    snapshot = read(hq=HQ, more='[[queue]]\nname = "LOCAL.TWO"\n')
    assert snapshot.cluster.queues[1] == Queue(name="LOCAL.TWO", queue_manager="HQ")


def test_a_facts_file_says_the_local_queue_manager_beside_other_dumps() -> None:
    snapshot = read(north=NORTH, facts=FACTS)
    assert snapshot.cluster.queue_manager == QueueManager(name="HQ", trigint=7)
    assert [other.name for other in snapshot.cluster.remote_queue_managers] == ["NORTH"]
    assert [queue.name for queue in snapshot.cluster.queues] == ["STOCK", "LOCAL.ONE"]


def test_a_facts_file_describes_the_queue_manager_of_a_script_that_does_not() -> None:
    script = HQ.replace("ALTER QMGR TRIGINT(5)\n", "")
    snapshot = read(hq=script, facts=FACTS)
    assert snapshot.cluster.queue_manager == QueueManager(name="HQ", trigint=7, clusters=("PARTS",))
    assert [queue.name for queue in snapshot.cluster.queues] == ["STOCK", "LOCAL.ONE"]


def test_a_script_without_a_name_belongs_to_the_facts_files_queue_manager() -> None:
    snapshot = read(facts=FACTS, script="DEFINE QLOCAL(STOCK)")
    assert snapshot.cluster.queues[1] == Queue(name="STOCK", queue_manager="HQ")


def test_the_same_object_in_a_facts_file_and_a_script() -> None:
    assert faults(hq=HQ, more='[[queue]]\nname = "STOCK"\n') == [
        "more:2: queue 'STOCK' 'HQ' is given twice; it stands in hq:3 and in more (queue 1)"
    ]
    assert faults(more='[[queue]]\nname = "STOCK"\n', hq=HQ) == [
        "hq:3: queue 'STOCK' 'HQ' is given twice; it stands in more (queue 1) and in hq:3"
    ]


SAID_AGAIN = """
[queue_manager]
name = "HQ"
clusters = ["PARTS"]
trigint = 5
[[remote_queue_manager]]
name = "NORTH"
clusters = ["PARTS"]
[[queue]]
name = "STOCK"
clusters = ["PARTS"]
clwlrank = 2
[[queue]]
name = "STOCK"
queue_manager = "NORTH"
clusters = ["PARTS"]
clwlrank = 3
[[channel]]
name = "TO.NORTH"
queue_manager = "NORTH"
cluster = "PARTS"
clwlwght = 50
status = "RETRYING"
"""


def test_what_a_facts_file_says_as_dumps_say_it_is_one_definition() -> None:
    alone, both = read("HQ", hq=HQ, north=NORTH), read("HQ", hq=HQ, facts=SAID_AGAIN, north=NORTH)
    assert both.cluster == alone.cluster.with_status("TO.NORTH", "RETRYING")
    assert str(both.provenance.of(both.cluster.queues[1], "clwlrank")) == "north:2"


@pytest.mark.parametrize(
    ("said", "otherwise", "told"),
    [
        ("trigint = 5", "trigint = 6",
         "hq:2: queue_manager 'HQ' is given twice; it stands in facts (queue_manager) and in hq:2"),
        ('name = "NORTH"\nclusters = ["PARTS"]', 'name = "NORTH"\nclusters = ["OTHER"]',
         "north:1: remote_queue_manager 'NORTH' is given twice; it stands in facts (remote_queue_manager 1) and in north"),
        ("clwlrank = 3", "clwlrank = 4",
         "north:2: queue 'STOCK' 'NORTH' is given twice; it stands in facts (queue 2) and in north:2"),
        ("clwlrank = 3", "", "north:2: queue 'STOCK' 'NORTH' is given twice; it stands in facts (queue 2) and in north:2"),
        ("clwlwght = 50", "clwlwght = 51",
         "north:3: channel 'TO.NORTH' 'NORTH' 'PARTS' is given twice; it stands in facts (channel 1) and in north:3"),
    ],
)  # fmt: skip
def test_one_that_says_it_otherwise_is_a_second(said: str, otherwise: str, told: str) -> None:
    facts = SAID_AGAIN.replace(said, otherwise)
    assert facts != SAID_AGAIN
    assert faults("HQ", facts=facts, hq=HQ, north=NORTH) == [told]


def test_the_same_object_in_two_facts_files() -> None:
    assert faults(a=FACTS, b='[[queue]]\nname = "B"\n[[queue]]\nname = "LOCAL.ONE"\n') == [
        "b:4: queue 'LOCAL.ONE' 'HQ' is given twice; it stands in a (queue 1) and in b (queue 2)"
    ]


def test_the_local_queue_manager_in_a_facts_file_and_a_dump() -> None:
    assert faults(facts=FACTS, hq=HQ) == [
        "hq:2: queue_manager 'HQ' is given twice; it stands in facts (queue_manager) and in hq:2"
    ]


def test_two_queue_manager_tables() -> None:
    assert faults(a=FACTS, b='[queue_manager]\nname = "NORTH"\n') == [
        "b:1: queue_manager 'NORTH': a has a queue_manager table too; allowed: one"
    ]


def test_the_same_queue_manager_table_in_two_facts_files() -> None:
    one, other = FACTS, FACTS.replace("LOCAL.ONE", "LOCAL.TWO")
    both = read(a=one, b=other)
    assert both.cluster.queue_manager == QueueManager(name="HQ", trigint=7)
    assert [queue.name for queue in both.cluster.queues] == ["LOCAL.ONE", "LOCAL.TWO"]
    assert faults(a=one, b=other.replace("trigint = 7", "trigint = 8")) == [
        "b:2: queue_manager 'HQ': a has a queue_manager table too; allowed: one"
    ]


def test_two_puts() -> None:
    assert faults(a=FACTS, b=PUT, c=PUT) == ["c:1: put is given twice; it stands in b and in c; allowed: one"]


def test_no_local_queue_manager() -> None:
    assert faults(a='[[queue]]\nname = "A"\n', b=PUT) == [
        "a, b: no local queue manager: a facts file needs a queue_manager table where there is no script or dump"
    ]
    with pytest.raises(FactsError, match=r"^facts: no local queue manager"):
        read_sources([])


def test_a_local_queue_manager_that_is_not_the_facts_files() -> None:
    assert faults("NORHT", facts=FACTS, north=NORTH) == [
        "facts:3: queue_manager 'HQ' is the local queue manager, but 'NORHT' is asked for; known: HQ, NORTH;"
        " did you mean 'NORTH'?"
    ]
    assert faults("NORTH", facts=FACTS, north=NORTH) == [
        "facts:3: queue_manager 'HQ' is the local queue manager, but 'NORTH' is asked for; known: HQ, NORTH"
    ]


def test_a_local_queue_manager_that_is_not_known() -> None:
    (said,) = faults("NORHT", hq=HQ, north=NORTH)
    assert "'NORHT'" in said
    assert "HQ, NORTH; did you mean 'NORTH'?" in said


def test_a_local_queue_manager_that_cannot_be() -> None:
    assert faults("", hq=HQ) == [
        "local: local queue manager: '' is not allowed; allowed: text of 1 to 48 characters, without control characters"
    ]
    assert read("HQ ", hq=HQ).cluster.queue_manager.name == "HQ"


def test_several_dumps_and_none_is_said_to_be_local() -> None:
    for lenient in (False, True):
        (said,) = faults(None, lenient, hq=HQ, north=NORTH)
        assert "HQ, NORTH" in said


def test_every_file_is_looked_at() -> None:
    said = faults(a="", b="{", c='[queue_manager]\nname = "HQ"\ntrigint = -1', d="DEFINE QLOCAL(A\n", e="\0")
    assert [line.split(":")[0] for line in said] == ["a", "b", "d", "e", "c"]


BROKEN = HQ + "DEFINE QLOCAL(BAD) CLWLRANK(99)\nDEFINE QLOCAL(\nDEFINE QLOCAL(GOOD)\n"


def test_faults_of_a_script() -> None:
    said = faults(hq=BROKEN)
    assert [line.split(" ")[0] for line in said] == ["hq:6:", "hq:5:"]


def test_lenient_makes_faults_of_a_script_warnings() -> None:
    snapshot = read(lenient=True, hq=BROKEN)
    assert len(snapshot.warnings) == 2
    assert [queue.name for queue in snapshot.cluster.queues] == ["STOCK", "GOOD"]


def test_lenient_leaves_faults_of_facts_files() -> None:
    said = faults(None, True, hq=BROKEN, facts="[[queue]]\nname = 3")
    assert said == [
        "facts:2: queue 1: name: 3 is not allowed; allowed: text of 1 to 48 characters, without control characters"
    ]


def test_lenient_leaves_out_what_a_script_repeats() -> None:
    snapshot = read(None, True, more='[[queue]]\nname = "STOCK"\n', hq=HQ)
    assert [str(found) for found in snapshot.warnings] == [
        "hq:3: queue 'STOCK' 'HQ' is given twice; it stands in more (queue 1) and in hq:3"
    ]
    assert snapshot.cluster.queues == (Queue(name="STOCK", queue_manager="HQ"),)


DUMP = b"* Queue manager name: QM1\nDEFINE PROCESS(PRINT) APPLICID(print)\nDEFINE QLOCAL(BOOKED) PROCESS(PRINT)\n"
ASKED = BANNER + "     1 : {}\n{}"
NONE = "AMQ8147E: IBM MQ object PRINT not found.\n"
OTHER = "AMQ8407I: D\n   PROCESS(COPY)  APPLICID(copy)\n"
OUTDATED = "QM1.mqsc:2: PROCESS 'PRINT': log was asked for it and shows none: one of the two is out of date; it counts as defined"


@pytest.mark.parametrize(
    ("command", "answer", "told"),
    [
        ("DISPLAY PROCESS(PRINT)", NONE, [OUTDATED]),
        ("DISPLAY PROCESS(*) ALL", OTHER, [OUTDATED]),
        ("DISPLAY PROCESS(PRINT)", "AMQ8407I: D\n   PROCESS(PRINT)  APPLICID(print)\n", []),
        ("DISPLAY PROCESS(C*)", OTHER, []),
        ("DISPLAY PROCESS(*) WHERE(APPLICID EQ copy)", OTHER, []),
        ("DISPLAY PROCESS(PRINT)", "AMQ8135E: Not authorized.\n     2 : DISPLAY PROCESS(COPY)\n" + OTHER, []),
    ],
)
def test_what_one_file_defines_and_a_log_does_not_find_is_told(command: str, answer: str, told: list[str]) -> None:
    read = read_sources([Source("QM1.mqsc", DUMP), Source("log", ASKED.format(command, answer).encode())])
    assert [str(each) for each in read.remarks if "out of date" in str(each)] == told
    assert [each.name for each in read.cluster.processes if each.name == "PRINT"] == ["PRINT"]


def test_what_a_log_defines_after_it_looked_for_it_is_in_no_dispute() -> None:
    log = ASKED.format("DISPLAY PROCESS(PRINT)", NONE + "     2 : DEFINE PROCESS(PRINT)\nAMQ8010I: created.\n")
    assert not any("out of date" in str(each) for each in read_sources([Source("log", log.encode())]).remarks)
