"""What a display did not ask for is not known: an answer that turns on it says so, with the command that tells it."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
from attrs import fields

from mqclause import (
    Channel,
    Cluster,
    Engine,
    Put,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
    Rules,
)
from mqclause.check.findings import inspected
from mqclause.cluster.map import cluster_map
from mqclause.model.configuration.snapshot import Snapshot, read_document, read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.facts.cluster import CLUSTER_FIELDS
from mqclause.model.facts.objects import Fact
from mqclause.model.timeline.scenario import read_scenario_source
from mqclause.replay.runner import Replay
from mqclause.trigger.why import Why
from mqclause.workload.sensitivity import RESTS_ON, VariedCluster, find_undisplayed_attributes, find_unknowns
from spec_tests.support.displayed import BANNER, snapshot
from spec_tests.support.facts_document import build_facts_document

QMGR = "     1 : DISPLAY QMGR ALL\nAMQ8408I: D\n   QMNAME(QM1)  CLWLUSEQ(LOCAL)  CLWLMRUC(999999999)  DEFXMITQ( )  CLWLEXIT( )\n"
ROUTES = """     2 : DISPLAY CLUSQMGR(*) ALL
AMQ8441I: D
   CLUSQMGR(QM1)  CHANNEL(TO.QM1)  CLUSTER(PARTS)  DEFTYPE(CLUSRCVR)  STATUS(RUNNING)  SUSPEND(NO)
AMQ8441I: D
   CLUSQMGR(QM2)  CHANNEL(TO.QM2)  CLUSTER(PARTS)  DEFTYPE(CLUSSDRA)  STATUS(RUNNING)  SUSPEND(NO)
"""
ELSEWHERE = "     3 : DISPLAY QCLUSTER(*) ALL\nAMQ8409I: D\n   QUEUE(BOLTS)  TYPE(QCLUSTER)  CLUSQMGR(QM2)  CLUSTER(PARTS)  CLUSQT(QLOCAL)\n"


def log(asked: str, shown: str, before: str = QMGR + ROUTES + ELSEWHERE) -> Snapshot:
    """QM1's log, whose last command ``asked`` for BOLTS, of which the attributes ``shown`` stand there."""
    return snapshot(f"{BANNER}{before}     4 : {asked}\nAMQ8409I: D\n   QUEUE(BOLTS)  TYPE(QLOCAL)\n   {shown}\n")


def resting(of: Snapshot, queue: str = "BOLTS") -> list[tuple[str, str]]:
    """What explain rests on that a display left open, and by which command it is told."""
    decision = Engine().choose(Put(queue), of.cluster, explain="rule")
    open_ones = [*find_undisplayed_attributes(decision, of)]
    assert {*open_ones} <= {*find_unknowns(decision, of)}
    return [(each.what, each.command) for each in open_ones]


def test_a_local_queue_of_which_nobody_asked_its_clusters() -> None:
    """In PARTS with CLWLUSEQ(ANY) the message may go to QM2 as well; with QM1's LOCAL it stays, in it or not."""
    of = log("DISPLAY QLOCAL(BOLTS) PUT", "PUT(ENABLED)")
    assert resting(of) == [
        (
            "CLUSTER of BOLTS is shown by no display; taken as blank. If CLUSTER(PARTS) and CLWLUSEQ(ANY): QM1 or QM2",
            "DISPLAY QUEUE('BOLTS') CLUSTER CLUSNL CLWLUSEQ",
        )
    ]
    known = log("DISPLAY QLOCAL(BOLTS) CLUSTER CLWLUSEQ", "CLUSTER(PARTS)  CLWLUSEQ(LOCAL)")
    assert [what for what, _ in resting(known) if "CLUSTER" in what] == []


@pytest.mark.parametrize(
    ("asked", "shown", "words"),
    [
        ("DISPLAY QLOCAL(BOLTS) PUT CLUSTER CLUSNL CLWLUSEQ", "PUT(ENABLED) CLUSTER( ) CLUSNL( ) CLWLUSEQ(ANY)", []),
        ("DISPLAY QLOCAL(BOLTS)", "PUT(ENABLED)", []),  # all of it: what is not there MQ does not have
        ("DISPLAY QLOCAL(B*) ALL", "PUT(ENABLED)", []),
        ("DISPLAY QLOCAL(BOLTS) PUT CLUSTER CLWLUSEQ", "PUT(ENABLED) CLUSTER( ) CLWLUSEQ(ANY)", ["CLUSNL"]),
        ("DISPLAY QLOCAL(BOLTS) PUT CLWLUSEQ", "PUT(ENABLED) CLWLUSEQ(ANY)", ["CLUSTER", "CLUSNL"]),
    ],
)
def test_blank_is_known_where_both_ways_to_name_clusters_were_asked_for(
    asked: str, shown: str, words: list[str]
) -> None:
    commands = [command for _, command in resting(log(asked, shown))]
    assert commands == ([f"DISPLAY QUEUE('BOLTS') {' '.join(words)}"] if words else [])


def test_attributes_of_instances_routes_and_the_queue_manager() -> None:
    """QM2's BOLTS may be put-disabled: 2268 at the open that DEFBIND(OPEN) makes; there may be a default XMITQ."""
    shown = "     3 : DISPLAY QCLUSTER(*) CLUSQMGR CLUSTER CLUSQT\n" + ELSEWHERE.partition("\n")[2]
    of = snapshot(BANNER + QMGR + ROUTES + shown)
    [(what, command)] = [each for each in resting(of) if "PUT" in each[0]]
    assert command.startswith("DISPLAY QCLUSTER('BOLTS') PUT")
    assert what == (
        "PUT of BOLTS is shown by no display; taken as ENABLED."
        " If PUT(DISABLED): MQRC_CLUSTER_PUT_INHIBITED (2268) at MQOPEN"
    )
    of = snapshot(BANNER + QMGR + ROUTES + ELSEWHERE)
    assert resting(of) == []


def test_a_queue_manager_that_was_not_displayed() -> None:
    """A clustered BOLTS with CLWLUSEQ(QMGR) is chosen or shares with QM2 as QM1's CLWLUSEQ says; an exit may choose."""
    of = log("DISPLAY QLOCAL(BOLTS) ALL", "CLUSTER(PARTS)  CLWLUSEQ(QMGR)", ROUTES + ELSEWHERE)
    shown = "CLWLUSEQ of QM1 is shown by no display; taken as LOCAL. If CLWLUSEQ(ANY): QM1 or QM2"
    command = "DISPLAY QMGR CLWLUSEQ CLWLEXIT"
    assert resting(of) == [(shown, command), (NO_EXIT_SHOWN[0], command)]
    of = log("DISPLAY QLOCAL(BOLTS) ALL", "CLUSTER(PARTS)  CLWLUSEQ(LOCAL)", ROUTES + ELSEWHERE)
    assert resting(of) == [NO_EXIT_SHOWN]


def test_an_alias_whose_target_nobody_asked_for() -> None:
    alias = "     5 : DISPLAY QALIAS(NUTS) PUT\nAMQ8409I: D\n   QUEUE(NUTS)  TYPE(QALIAS)\n   PUT(ENABLED)\n"
    of = snapshot(BANNER + QMGR + ROUTES + ELSEWHERE + alias)
    assert ("TARGET of NUTS is shown by no display, and leads the put on", "DISPLAY QUEUE('NUTS') TARGET") in resting(
        of, "NUTS"
    )


def test_a_script_leaves_nothing_open() -> None:
    of = snapshot(
        "* Queue manager name: QM1\nDEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CLUSTER(PARTS)\nDEFINE QLOCAL(BOLTS)\n"
    )
    assert resting(of) == []


def test_map_has_the_same() -> None:
    of = log("DISPLAY QLOCAL(BOLTS) PUT", "PUT(ENABLED)")
    [row] = cluster_map(of)
    assert ("BOLTS", "DISPLAY QUEUE('BOLTS') CLUSTER CLUSNL CLWLUSEQ") in row.told_by
    assert "DISPLAY QUEUE('BOLTS') CLUSTER CLUSNL CLWLUSEQ" in [each.command for each in row.incomplete]


@pytest.mark.parametrize(
    ("shown", "verdict"),
    [
        ("TRIGGER  TRIGTYPE(EVERY)", "depends"),
        ("NOTRIGGER", "does not"),
        ("TRIGGER  TRIGTYPE(EVERY)  PROCESS( )  USAGE(NORMAL)", "does not"),
    ],
)
def test_why_depends_on_what_no_display_shows(shown: str, verdict: str) -> None:
    words = " ".join(word.partition("(")[0].removeprefix("NO") for word in shown.split() if word != ")")
    answer = Why().ask("BOLTS", log(f"DISPLAY QLOCAL(BOLTS) {words}", shown))
    assert answer.verdict == verdict
    commands = {each["command"] for each in answer.to_json()["depends_on"]}
    if verdict == "depends":
        assert "DISPLAY QUEUE('BOLTS') PROCESS INITQ TRIGMPRI TRIGDPTH" in commands
        assert "DISPLAY QUEUE('BOLTS') PUT" in commands


def test_facts_that_are_written_leave_open_the_same() -> None:
    of = log("DISPLAY QLOCAL(BOLTS) PUT TRIGGER", "PUT(ENABLED)  TRIGGER")
    written = build_facts_document(of)
    assert written["unknown"]["clusters"] == ["BOLTS"]
    assert "trigger" not in written["unknown"]
    again = read_document(written, "f")
    assert resting(again) == resting(of) != []
    assert Why().ask("BOLTS", again).to_json() == Why().ask("BOLTS", of).to_json()


def test_check_says_of_which_queues_the_clusters_are_not_told() -> None:
    text = f"{BANNER}{QMGR}{ROUTES}     3 : DISPLAY QLOCAL({{}})\nAMQ8409I: D\n   QUEUE(BOLTS)  TYPE(QLOCAL)  PUT(ENABLED)\n"
    told = [
        str(each) for each in inspected([Source("l", text.format("BOLTS) PUT").replace("))", ")").encode())]).warnings
    ]
    assert told == [
        "l:13: no display shows in which clusters BOLTS is: taken as in none;"
        " DISPLAY QUEUE('BOLTS') CLUSTER CLUSNL tells it"
    ]
    assert inspected([Source("l", text.format("BOLTS").encode())]).warnings == []


def test_what_an_object_shows_at_which_the_log_was_cut_is_not_taken_for_all_of_it() -> None:
    """QM2 has priority 4. QM3's record ends before its own: with 5 or more QM3 would be chosen, with 4 either."""
    of_qm3 = "AMQ8441I: D\n   CLUSQMGR(QM3)  CHANNEL(TO.QM3)  CLUSTER(PARTS)  DEFTYPE(CLUSSDRA)  STATUS(RUNNING)  SUSPEND(NO)\n"
    host = "AMQ8409I: D\n   QUEUE(NAILS)  TYPE(QCLUSTER)\n   CLUSTER(PARTS)  CLUSQMGR({})\n{}"
    shown = host.format("QM2", "   CLWLPRTY(4)  CLWLRANK(0)\n   PUT(ENABLED)\n") + host.format("QM3", "")
    text = f"{BANNER}{QMGR}{ROUTES}{of_qm3}     3 : DISPLAY QCLUSTER(*) ALL\n{shown}"
    assert any("CLWLPRTY of NAILS" in what and "QM3" in what for what, _ in resting(snapshot(text), "NAILS"))
    assert resting(snapshot(f"{text}3 MQSC commands read.\n"), "NAILS") == []


def test_a_queue_of_a_facts_file_is_in_no_cluster_unless_the_file_says_that_it_is_not_known() -> None:
    facts = 'queue_manager = {name = "QM1", clusters = ["C"]}\nqueue = [{name = "BOLTS"}, {name = "NAILS"}]\n'
    assert inspected([Source("f.toml", facts.encode())]).warnings == []
    [told] = inspected([Source("f.toml", f'{facts}unknown = {{clusters = ["NAILS"]}}\n'.encode())]).warnings
    assert "in which clusters NAILS is" in str(told)


def test_what_full_repositories_know_is_asked_of_them_although_it_was_asked_here() -> None:
    of = snapshot(BANNER + QMGR + ROUTES.replace("SUSPEND(NO)", "SUSPEND(NO)  QMTYPE(NORMAL)", 1) + ELSEWHERE)
    decision = Engine().choose(Put("NAILS"), of.cluster, explain="rule")
    [found] = [each for each in find_unknowns(decision, of) if each.what.startswith("whether ")]
    assert found.command == "DISPLAY QCLUSTER('NAILS') ALL"


PLAIN_QMGR = "     1 : DISPLAY QMGR CLWLUSEQ CLWLMRUC DEFXMITQ\nAMQ8408I: D\n   QMNAME(QM1)  CLWLUSEQ(LOCAL)  CLWLMRUC(999999999)  DEFXMITQ( )\n"
TRIGGERED = """     5 : DISPLAY QLOCAL(*) ALL
AMQ8409I: D
   QUEUE(NUTS)  TYPE(QLOCAL)  CLUSTER( )  PUT(ENABLED)  GET(ENABLED)  TRIGGER  TRIGTYPE({type})  TRIGDPTH(9)
   INITQ(NUTS.INIT)  PROCESS(NUTS.P)  CURDEPTH({depth})  IPPROCS(0)  MAXDEPTH(50)
AMQ8409I: D
   QUEUE(NUTS.INIT)  TYPE(QLOCAL)  PUT(ENABLED)  GET(ENABLED)  CURDEPTH(0)  IPPROCS(1)  MAXDEPTH(50)
     6 : DISPLAY PROCESS(*) ALL
AMQ8407I: D
   PROCESS(NUTS.P)  APPLTYPE(UNIX)
"""
NO_EXIT_SHOWN = (
    "CLWLEXIT of QM1 is shown by no display; taken as blank. An exit that it names would be called, and may choose"
    " another destination",
    "DISPLAY QMGR CLWLEXIT",
)


@pytest.mark.parametrize(("queue", "qmgr", "told"), [
    ("BOLTS", PLAIN_QMGR, [NO_EXIT_SHOWN]),
    ("BOLTS", QMGR, []),  # blank, and no exit is called
    ("NUTS", PLAIN_QMGR, []),  # a local queue in no cluster: nobody chooses
])  # fmt: skip
def test_an_exit_that_nobody_asked_about_is_told_of_where_one_would_be_called(
    queue: str, qmgr: str, told: list[tuple[str, str]]
) -> None:
    of = snapshot(BANNER + qmgr + ROUTES + ELSEWHERE + TRIGGERED.format(type="FIRST", depth=0))
    assert resting(of, queue) == told


@pytest.mark.parametrize(("type_", "depth", "qmgr", "told"), [
    ("FIRST", 3, PLAIN_QMGR, True),  # the queue is not empty: only the interval may let a trigger message be written
    ("FIRST", 3, QMGR, False),  # all of the queue manager was asked for
    ("FIRST", 0, PLAIN_QMGR, False),  # the queue was empty: whatever the interval is
    ("EVERY", 3, PLAIN_QMGR, False),
])  # fmt: skip
def test_an_interval_that_nobody_asked_about_is_told_of_where_it_decides(
    type_: str, depth: int, qmgr: str, told: bool
) -> None:
    of = snapshot(BANNER + qmgr + ROUTES + TRIGGERED.format(type=type_, depth=depth))
    depends_on = Why().ask("NUTS", of).to_json()["depends_on"]
    expected = {
        "what": "TRIGINT of QM1 is shown by no display; taken as 999999999 ms",
        "object": "QM1",
        "command": "DISPLAY QMGR TRIGINT",
    }
    assert (expected in depends_on) is told


def test_a_replay_says_what_it_takes_the_exit_and_the_interval_to_be() -> None:
    """Each once, at the first event that turns on it: the put to BOLTS, and the second one to NUTS."""
    puts = "".join(f'[[event]]\ndo = "put"\nqueue = "{name}"\n' for name in ("BOLTS", "BOLTS", "NUTS", "NUTS", "NUTS"))
    for qmgr, expected in (
        (PLAIN_QMGR, [0, "no exit is called: no display shows CLWLEXIT; DISPLAY QMGR CLWLEXIT",
                      3, "TRIGINT is 999999999 ms: no display shows it; DISPLAY QMGR TRIGINT"]),
        (QMGR, []),
    ):  # fmt: skip
        text = BANNER + qmgr + ROUTES + ELSEWHERE + TRIGGERED.format(type="FIRST", depth=0)
        events = Source("events", puts.encode())
        known = read_sources([Source("QM1.log", text.encode()), events])
        rows = Replay(Rules()).rows(read_scenario_source(events, known))
        said = [(row.number, each) for row in rows for each in row.assumed if "QMGR" in each]
        assert [*chain.from_iterable(said)] == expected


MEMBERS = Cluster(
    QueueManager("QM1", clusters=("PARTS",)),
    [RemoteQueueManager("QM2", clusters=("PARTS",))],
    [
        Queue("BOLTS", "QM1", clusters=("PARTS",), put="DISABLED"), Queue("BOLTS", "QM2", clusters=("PARTS",)),
        Queue("NUTS", "QM1", clusters=("PARTS",)), Queue("HELD.OUT", "QM1", usage="XMITQ", clchname="TO.*"),
    ],
    [QueueManagerAlias("ANY.PARTS", "QM2", clusters=("PARTS",))],
    [
        Channel("TO.QM1", "QM1", "PARTS", deftype="CLUSRCVR"), Channel("TO.QM2", "QM2", "PARTS", dest_seq_number=4),
        Channel("WAY.QM2", "QM2", "PARTS", dest_seq_number=2),
    ],
)  # fmt: skip
OTHERWISE = {
    "clwluseq": "ANY", "suspended": ("PARTS",), "put": "ENABLED", "clchname": "TO.QM2", "maxdepth": 1, "clwlrank": 9,
    "clwlprty": 9, "dest_seq_number": 7, "clusters": (),
}  # fmt: skip
"""Other values; a fact has those of them that are attributes of its own."""
FACTS = [MEMBERS.queue_manager, *chain.from_iterable(getattr(MEMBERS, name) for name in CLUSTER_FIELDS.values())]
CHANGES = [
    (fact, name, value) for fact in FACTS for name, value in OTHERWISE.items() if getattr(fact, name, value) != value
]


@pytest.mark.parametrize(("fact", "attribute", "value"), CHANGES)
def test_a_cluster_with_another_value_finds_the_same_as_one_made_of_its_facts(
    fact: Fact, attribute: str, value: Any
) -> None:
    varied = VariedCluster.vary(MEMBERS, fact, {attribute: value})
    facts = {each.name: getattr(varied, each.name) for each in fields(Cluster)}
    anew = Cluster(**facts)
    assert [each for each in fields(Cluster) if facts[each.name] != getattr(MEMBERS, each.name)] != []
    assert {each: getattr(varied, each) for each in RESTS_ON} == {each: getattr(anew, each) for each in RESTS_ON}
