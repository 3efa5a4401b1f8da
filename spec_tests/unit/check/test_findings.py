"""What is found among several queue managers, worked out by hand from the documents; and laws of findings."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqclause.check.findings import ANY_NAME, StoredScript, inspected
from mqclause.model.configuration.checked_cluster import ANY_QUEUE, NAMELESS, OBSERVER
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import FactsError
from mqclause.model.readers.encodings import GzipContent
from spec_tests.support.inspected_members import CHECKS, DUMP, QUEUE, found, member, told


def test_a_small_cluster_that_follows_the_documents_has_no_finding() -> None:
    more = [
        QUEUE,
        "DEFINE QLOCAL(SYSTEM.CLUSTER.TRANSMIT.QUEUE) USAGE(XMITQ) TRIGGER",
        "DEFINE QLOCAL(W) TRIGGER PROCESS(P) INITQ(I)",
        "DEFINE QLOCAL(I)",
        "DEFINE PROCESS(P) APPLICID(x)",
        "DEFINE QALIAS(A) TARGET(Q)",
        "DEFINE QREMOTE(R) RNAME(Q) RQMNAME(QM2)",
    ]
    sender = "DEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSSDR) CLUSTER(S) CONNAME(h)"
    assert told(member("QM1", sender, *more), member("QM2", *more)) == []


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # 4a looks at the rank of channels, before 6 to 9 look at their state: QM2 is never reached.
        ({"receiver": "CLWLRANK(1)"}, {}, [("check.05", "Q", "QM2")]),
        # Channel priority is looked at behind the state: QM2 gets what QM1 cannot take.
        ({"receiver": "CLWLPRTY(1)"}, {}, []),
        # 4b: the rank of queues; then the instance of the lower one, QM1's, whose own puts leave it from 8.0 on.
        ({}, {"queue": f"{QUEUE} CLWLRANK(1)"}, [("check.05", "Q", "QM1"), ("check.55", "Q", "QM1")]),
        # A disabled host falls at clause 1, so that it keeps nobody else away; from 8.0 on it does, and nobody takes over.
        (
            {"queue": f"{QUEUE} CLWLRANK(1) PUT(DISABLED)"},
            {},
            [("check.54", "Q", "QM1"), ("check.55", "Q", "QM2")],
        ),
    ],
)
def test_a_host_that_nobody_else_can_reach(
    first: dict[str, str], second: dict[str, str], expected: list[tuple[str, str, str]]
) -> None:
    one, other = (
        member(name, of.get("queue", QUEUE), receiver=of.get("receiver", ""))
        for name, of in (("QM1", first), ("QM2", second))
    )
    assert told(one, other) == expected


def joined(name: str, queue: str = "", **ranks: int) -> str:
    """The script of a member of one cluster or two, with a channel of some rank in each; it may have a queue in some."""
    repositories = "" if len(ranks) == 1 else f"DEFINE NAMELIST(N) NAMES({', '.join(ranks)})\n"
    in_these = f"CLUSTER({next(iter(ranks))})" if len(ranks) == 1 else "CLUSNL(N)"
    channels = "".join(
        f"DEFINE CHANNEL({cluster}.{name}) CHLTYPE(CLUSRCVR) CLUSTER({cluster}) CONNAME(h) BATCHHB(1) CLWLRANK({rank})\n"
        for cluster, rank in ranks.items()
    )
    repos = in_these.replace("CLUSTER", "REPOS").replace("CLUSNL", "REPOSNL")
    has = f"DEFINE QLOCAL(Q) {queue.format(in_these)}\n" if queue else ""
    return f"* Queue manager name: {name}\n{repositories}{channels}ALTER QMGR {repos}\n{has}"


LED_PAST = "DEFINE CHANNEL(NORTH.QM9) CHLTYPE(CLUSSDR) CLUSTER(NORTH) CONNAME(h)\n"
"""A channel to a member of NORTH that no file describes."""

IN_BOTH, IN_NORTH = joined("QM1", NORTH=0, SOUTH=0), joined("QM4", NORTH=0)
OF_BOTH, OF_NORTH = joined("QM2", "{}", NORTH=0, SOUTH=5), joined("QM2", "{}", NORTH=0)
RIVAL, AFAR = joined("QM3", "{}", NORTH=3), joined("QM3", "{}", SOUTH=3)


@pytest.mark.parametrize(("scripts", "never"), [
    # In NORTH rank 0 is below 3; who is in both clusters comes to QM2 over its channel of rank 5 in SOUTH.
    ((OF_BOTH, RIVAL, IN_NORTH), ("QM2", 0, 3, "")),
    ((OF_BOTH, RIVAL, IN_BOTH), ("QM3", 3, 5, "")),
    ((OF_BOTH, RIVAL, IN_NORTH, IN_BOTH), None),
    # A member that no file describes may be in both.
    ((OF_BOTH, RIVAL + LED_PAST, IN_NORTH), ("QM2", 0, 3, " and is in no other cluster of it")),
    # QM2 is the only host in NORTH, and who is in both clusters goes to QM3 in SOUTH, of rank 3.
    ((OF_NORTH, AFAR, IN_BOTH), ("QM2", 0, 3, "")),
    ((OF_NORTH, AFAR, IN_BOTH, IN_NORTH), None),
    ((OF_NORTH, AFAR, IN_BOTH + LED_PAST), None),
    ((OF_NORTH, AFAR), None),
])  # fmt: skip
def test_a_member_of_several_clusters_chooses_among_the_hosts_in_all(
    scripts: tuple[str, ...], never: tuple[str, int, int, str] | None
) -> None:
    said = []
    if never:
        host, rank, above, alone = never
        asked = f"no queue manager of cluster NORTH that does not host Q{alone} ever chooses it at {host}"
        said = [f"{asked}, not even where no other host can be reached: channel rank {rank} is below {above}"]
    assert [each.message for each in found(*scripts) if each.rule.id == "check.05"] == said


def test_what_an_alias_and_a_remote_definition_lead_to() -> None:
    lost = [
        "DEFINE QALIAS(A1) TARGET(NONE)",  # 2082
        "DEFINE QALIAS(A2) TARGET(A1)",  # 2001: an alias of an alias
        "DEFINE QALIAS(A6) TARGET(' ')",  # 2082: an alias of nothing
        "DEFINE QREMOTE(R1) RNAME(Q) RQMNAME(QM9)",  # 2087
        "DEFINE QREMOTE(R2) RNAME(Q) RQMNAME(QM2) XMITQ(NONE)",  # 2196
    ]
    there = [
        "DEFINE QALIAS(A3) TARGET(Q)",  # a cluster queue elsewhere
        "DEFINE QALIAS(A4) TARGET(R3)",  # a remote definition
        "DEFINE QALIAS(A5) TARGET(T) TARGTYPE(TOPIC)",
        "DEFINE QREMOTE(R3) RNAME(Q) RQMNAME(QM9) XMITQ(X)",
        "DEFINE QREMOTE(R4) RNAME(Q) RQMNAME(X)",
        "DEFINE QREMOTE(R5) RQMNAME(QM2)",  # an alias of a queue manager
        "DEFINE QLOCAL(X) USAGE(XMITQ)",
    ]
    other = member("QM2", "DEFINE QLOCAL(Q) CLUSTER(S)", "DEFINE QLOCAL(Q2) CLUSTER(S)")
    rules = [(rule, name) for rule, name, _ in told(member("QM1", *lost, *there), other) if rule != "check.18"]
    assert rules == [("check.17", "A1"), ("check.17", "A2"), ("check.17", "A6"), ("check.22", "R1"), ("check.22", "R2")]


def test_what_mends_a_name_is_done_where_it_comes_to_nothing() -> None:
    """DEFINE QLOCAL helps where nothing has the name; else the object that led there is to be mended."""
    commands = {
        "DEFINE QALIAS(A1) TARGET(NONE)": "DEFINE QLOCAL('NONE')",
        "DEFINE QALIAS(A2) TARGET(A3)": "ALTER QALIAS('A2') TARGET('…')",
        "DEFINE QALIAS(A4) TARGET(R1)": "mend R1, which A4 leads to, or name another queue in TARGET",
        "DEFINE QALIAS(A5) TARGET(TO2)": "ALTER QALIAS('A5') TARGET('…')",
        "DEFINE QREMOTE(R1) RNAME(Q) RQMNAME(QM2) XMITQ(NONE)": "let XMITQ of R1 name a local queue that has USAGE(XMITQ)",
        "DEFINE QREMOTE(R2) RNAME(NONE) RQMNAME(QM1)": "define NONE here, or mend RNAME and RQMNAME",
        "DEFINE QREMOTE(R3) RNAME(Q) RQMNAME(TO9)": "define a transmission queue QM9, name one in XMITQ of TO9, or mend its RQMNAME",
        "DEFINE QREMOTE(TO9) RQMNAME(QM9)": "define a transmission queue QM9, name one in XMITQ of TO9, or mend its RQMNAME",
        "DEFINE QREMOTE(R4) RNAME(R5)": "let RNAME and RQMNAME name no other remote definition",
    }
    there = [
        "DEFINE QALIAS(A3) TARGET(Q)",
        "DEFINE QREMOTE(TO2) RQMNAME(QM2)",
        "DEFINE QREMOTE(R5) RNAME(Q) RQMNAME(QM2)",
        "DEFINE QALIAS(A6) TARGET(R5)",  # on to QM2, a member of the cluster that A6 itself does not name
        "DEFINE QLOCAL(OTHER)",
    ]
    findings = found(member("QM1", *commands, *there), member("QM2", QUEUE))
    assert [each.said.remedy for each in findings if each.rule.id != "check.18"] == [*commands.values()]


def test_no_name_that_led_to_a_lost_one_is_proposed_for_it() -> None:
    """PAY.INN is nearly PAY.IN, which names it; OTHER.INN is nearly OTHER.IX besides."""
    own = [
        "DEFINE QALIAS(FRONT) TARGET(PAY.IN)",
        "DEFINE QREMOTE(PAY.IN) RNAME(PAY.INN) RQMNAME(QM1)",
        "DEFINE QALIAS(OTHER.IN) TARGET(OTHER.INN)",
        "DEFINE QLOCAL(OTHER.IX)",
    ]
    remedies = [each.said.remedy for each in found(member("QM1", *own), member("QM2"))]
    assert remedies == [
        "DEFINE QLOCAL('PAY.INN')",
        "define PAY.INN here, or mend RNAME and RQMNAME",
        "did you mean OTHER.IX? let OTHER.IN name that, or define OTHER.INN here",
    ]


def test_what_is_said_of_a_name_that_no_member_could_help() -> None:
    """QM9 is described by no file; but R names QM1 itself, where no QQ is."""
    sender = "DEFINE CHANNEL(TO.QM9) CHLTYPE(CLUSSDR) CLUSTER(S) CONNAME(h)"
    [finding] = found(
        member("QM1", sender, "DEFINE QREMOTE(R) RNAME(QQ) RQMNAME(QM1)", "DEFINE QLOCAL(X)"), member("QM2")
    )
    assert finding.message == "puts to R fail: queue QQ is not defined here, and the local queue manager is named"


def test_a_queue_is_looked_at_in_each_of_its_clusters() -> None:
    """QM1 hosts Q in A and S, disabled, QM2 in S alone, enabled: QM3, in A alone, gets 2268, which members of S do not."""
    both = (
        "* Queue manager name: QM1\nDEFINE NAMELIST(N) NAMES(S, A)\nDEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CLUSNL(N) "
        "CONNAME(h) BATCHHB(1)\nALTER QMGR REPOSNL(N)\nDEFINE QLOCAL(Q) CLUSNL(N) PUT(DISABLED)\n"
    )
    other = member("QM3").replace("(S)", "(A)")
    findings = found(both, member("QM2", QUEUE), other)
    fails = "puts to it fail at a queue manager that is in no other cluster of it"
    assert [(each.rule.id, each.severity, each.message) for each in findings] == [
        ("check.01", "warning", f"Q has no host in cluster A that is put-enabled: {fails}"),
        ("check.02", "note", "Q is put-disabled at QM1: in cluster S other hosts take its messages"),
        (
            "check.18",
            "note",
            "no other queue manager in these files hosts Q in cluster A: while QM1 is away, there is nobody else",
        ),
    ]
    assert [each.rule.id for each in found(both, member("QM2", QUEUE), other, local="QM2")] == ["check.02"]
    disabled = found(
        both,
        member("QM2", f"{QUEUE} PUT(DISABLED)"),
        member("QM3", "DEFINE QLOCAL(Q) CLUSTER(A)").replace("(S)", "(A)"),
    )
    told_of = [(each.queue_manager, each.message) for each in disabled if each.rule.id == "check.01"]
    assert told_of == [
        ("QM1", f"Q has no host in cluster S that is put-enabled: {fails}"),
        ("QM2", f"Q has no host in cluster S that is put-enabled: {fails}"),  # those of QM1 go to QM3
    ]
    [finding] = [each for each in found(both, member("QM2"), other) if each.rule.id == "check.01"]
    assert finding.message == "Q has no host in cluster A, S that is put-enabled: puts to it fail"


def test_scripts_of_one_queue_manager_are_looked_at_together() -> None:
    parts = [
        "* Queue manager name: QM1\nDEFINE QLOCAL(W) TRIGGER PROCESS(P) INITQ(I)\n",
        "* Queue manager name: QM1\nDEFINE PROCESS(P) APPLICID(x)\nDEFINE PROCESS(P2)\n",
        "* Queue manager name: QM1\nDEFINE QLOCAL(I)\nALTER QLOCAL(W) MSGDLVSQ(PRIORITY)\n",
    ]
    assert told(*parts) == []
    assert told(*parts[:2]) == [("trigger.07", "W", "QM1")]


def test_a_change_is_looked_at_before_it_is_made() -> None:
    scripts = member("QM1", QUEUE), member("QM2", QUEUE)
    assert told(*scripts, changes=["QLOCAL(Q) QMGR(QM2) PUT(DISABLED)"]) == [("check.02", "Q", "QM2")]
    assert told(*scripts, changes=["CHANNEL(TO.QM1) STATUS(STOPPED)", "QMGR(QM1) CLWLEXIT(x)"]) == [
        ("check.16", "QM1", "QM1"),
        ("check.31", "TO.QM1", "QM2"),
    ]
    assert ("check.16", "QM1", "QM1") in told(scripts[0], changes=["QMGR CLWLEXIT(x)", "QMGR SUSPEND(NO)"])
    for change, said in (
        ("QLOCAL(Q) PUT(DISABLED)", "is on QM1, QM2: say with QMGR"),
        ("QMGR CLWLEXIT(x)", "QMGR is on QM1, QM2: say with QMGR"),
        ("QLOCAL(N) PUT(DISABLED)", "is not known"),
        ("QLOCAL(Q) QMGR(QM2) PUT(OFF)", "PUT: 'OFF' is not allowed"),
        ("CHANNEL(TO.QM1) STATUS(BROKEN)", "STATUS: 'BROKEN' is not allowed"),
    ):
        with pytest.raises(FactsError, match=said.replace("(", r"\(")):
            told(*scripts, changes=[change])


def test_a_second_dump_of_a_queue_manager_is_none_more_or_a_contradiction() -> None:
    dump = DUMP.format(initq="SYSTEM.CHANNEL.INITQ")
    assert told(dump, dump) == told(dump)
    with pytest.raises(FactsError, match="is another dump of 'QM1'"):
        told(dump, dump.replace("(W)", "(W2)"))


def test_a_remote_definition_is_told_at_what_is_wrong_with_it() -> None:
    """Lines of the attributes: XMITQ, RNAME, and a model queue in TARGET, in whose name no queue can be defined."""
    remote = "DEFINE QREMOTE(R) +\n RNAME(M) +\n RQMNAME({}) +\n XMITQ({})\n"
    more = "DEFINE QMODEL(M)\nDEFINE QLOCAL(X)\nDEFINE QALIAS(A) +\n TARGET(M)\n"
    expected = {
        ("QM9", "X"): ("xmitq", 7, "let XMITQ of R name a local queue that has USAGE(XMITQ)"),
        ("QM1", "' '"): ("rname", 5, "let R lead to a queue that is none of the model queues"),
        ("QM9", "' '"): ("rqmname", 6, "define a transmission queue QM9, name one in XMITQ of R, or mend its RQMNAME"),
    }
    for values, about in expected.items():
        told = found(member("QM1", remote.format(*values) + more), member("QM2"))
        got = {each.rule.id: each for each in told if each.name in "RA"}
        [one, other] = got["check.22"], got["check.17"]
        assert (one.said.attribute, one.line, one.said.remedy) == about
        assert (other.line, other.said.remedy) == (11, "ALTER QALIAS('A') TARGET('…')")


def test_the_name_of_its_owner_is_filled_in_where_that_is_known() -> None:
    """One script of all members: at QM1 its receiver is U.QM1, and U.QM2 of QM2's script answers QM1's sender."""
    uniform = (
        "* Queue manager name: {}\nALTER QMGR REPOS(S)\nDEFINE QLOCAL(+QMNAME+.IN) GET(DISABLED) CLUSTER(S)\n"
        "DEFINE CHANNEL(U.+QMNAME+) CHLTYPE(CLUSRCVR) CLUSTER(S) CONNAME(h)\n"
    )
    sender = "DEFINE CHANNEL(U.QM2) CHLTYPE(CLUSSDR) CLUSTER(S) CONNAME(h)\n"
    assert set(told(uniform.format("QM1") + sender, uniform.format("QM2"))) == {
        (rule, about.format(name), name)
        for name in ("QM1", "QM2")
        for rule, about in (("check.18", "{}.IN"), ("check.25", "{}.IN"), ("check.14", "U.{}"))
    }


def test_hosts_leave_clwluseq_to_their_queue_managers() -> None:
    """QM1's queue says LOCAL itself, QM2's leaves it to the queue manager, which says LOCAL, or ANY."""
    local = member("QM1", f"{QUEUE} CLWLUSEQ(LOCAL)", "ALTER QMGR CLWLUSEQ(ANY)")
    assert told(local, member("QM2", QUEUE)) == []
    differ = [("check.23", "Q", "QM1"), ("check.23", "Q", "QM2")]
    assert told(local, member("QM2", QUEUE, "ALTER QMGR CLWLUSEQ(ANY)")) == differ


def test_every_cluster_of_a_receiver_is_looked_at() -> None:
    names = "DEFINE NAMELIST(N) NAMES(S, PAY)\n"
    both = [
        f"* Queue manager name: {name}\n{names}"
        f"DEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CLUSNL(N) CONNAME(h) BATCHHB(1)\nALTER QMGR REPOS({repos})\n"
        for name, repos in (("QM1", "S"), ("QM2", "S"))
    ]
    [finding] = found(*both)
    assert (finding.message, finding.severity) == ("cluster PAY has no full repository; two are advised", "error")


def test_a_member_that_is_suspended_is_told_once() -> None:
    """By the logs of two members, and by a script that suspends it."""
    log = (
        "display qmgr qmname\nAMQ8408I: Display Queue Manager details.\n   QMNAME({})\n"
        "display clusqmgr(*) all\nAMQ8441I: Display Cluster Queue Manager details.\n"
        "   CLUSQMGR(QM9) CHANNEL(TO.QM9) CLUSTER(S) SUSPEND(YES)\n"
    )
    [finding] = found(log.format("QM1"), log.format("QM2"))
    assert (finding.rule.id, finding.name, finding.queue_manager, finding.place) == (
        "check.27",
        "QM9",
        "QM9",
        "0.mqsc:6",
    )
    assert told(member("QM1", "SUSPEND QMGR CLUSTER(S)"), member("QM2")) == [("check.27", "QM1", "QM1")]
    resumed = member("QM1", "SUSPEND QMGR CLUSTER(S)", "RESUME QMGR CLUSTER(S)")
    assert told(resumed, member("QM2")) == []


def test_a_state_is_that_of_who_sends_and_its_channel_has_to_be_there() -> None:
    """QM2 sends to QM1 by the channel, whose state is no matter of QM1; nor does START say that it runs."""
    sender = "DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSSDR) CLUSTER(S) CONNAME(h)"
    scripts = member("QM1"), member("QM2", sender)
    for change in ("CHANNEL(TO.QM1) STATUS(STOPPED)", "CHANNEL(TO.QM1) QMGR(QM2) STATUS(RETRYING)"):
        assert told(*scripts, changes=[change]) == [("check.31", "TO.QM1", "QM2")]
    assert told(*scripts, changes=["CHANNEL(TO.QM1) STATUS(RUNNING)"]) == []
    for named in ("CHANNEL(TO.QM9)", "CHANNEL(TO.QM1) QMGR(QM9)"):
        with pytest.raises(FactsError, match="is not known"):
            told(*scripts, changes=[f"{named} STATUS(STOPPED)"])


def test_little_stays_of_what_concerns_nobody_else() -> None:
    private = [f"DEFINE QLOCAL(PRIVATE.{at}) DESCR('one of many') MAXDEPTH(5000) PUT(DISABLED)" for at in range(300)]
    text = member("QM1", QUEUE, *private)
    inspection = inspected([Source("QM1.mqsc", text.encode())], CHECKS)
    kept = inspection.members["QM1"]
    assert [each.name for each in kept.waiting] == ["TO.QM1", "QM1", "Q", "QM1"]
    [file] = kept.kept
    assert isinstance(file, StoredScript)
    assert isinstance(file.source.data, GzipContent)
    assert sum(map(len, file.source.data.packed.pieces())) < len(text) / 4


COMMANDS = [
    QUEUE,
    f"{QUEUE} PUT(DISABLED)",
    f"{QUEUE} CLWLRANK(3) DEFBIND(NOTFIXED)",
    "DEFINE QLOCAL(W) TRIGGER INITQ(I) PROCESS(P)",
    "DEFINE QALIAS(A) TARGET(Q)",
    "DEFINE QREMOTE(R) RNAME(Q) RQMNAME(QM1)",
    "ALTER QMGR CLWLEXIT(x)",
    "DEFINE CHANNEL(TO.QM9) CHLTYPE(CLUSSDR) CLUSTER(S) CLWLPRTY(2) NETPRTY(1)",
]
CHOSEN = st.lists(st.sampled_from(COMMANDS), unique_by=lambda each: each.split("(")[0] + each.split("(")[1][:2])


@settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(st.tuples(CHOSEN, CHOSEN, CHOSEN))
def test_findings_do_not_depend_on_the_order_of_files(commands: tuple[list[str], ...]) -> None:
    scripts = [member(f"QM{at}", *of) for at, of in enumerate(commands)]
    sources = [Source(f"{at}.mqsc", text.encode()) for at, text in enumerate(scripts)]
    orders = [[sources[at] for at in order] for order in itertools.permutations(range(3))]
    first, *others = [inspected(order, CHECKS).findings() for order in orders]
    assert all(each == first for each in others)


@settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(st.tuples(CHOSEN, CHOSEN))
def test_a_member_more_takes_away_no_finding_that_is_about_one_object_alone(commands: tuple[list[str], ...]) -> None:
    one, other = (member(f"QM{at}", *of) for at, of in enumerate(commands))
    alone = {"check.04", "check.12", "check.13", "check.14", "check.15", "check.16", "trigger.06a", "trigger.07"}
    both = told(one, other)
    assert [each for each in told(one) if each[0] in alone] == [
        each for each in both if each[0] in alone and each[2] == "QM0"
    ]


def test_queues_that_are_alike_are_asked_about_together_and_told_by_their_own_names() -> None:
    """None has its initiation queue; the last names itself, which no other that is like it does."""
    queues = [f"DEFINE QLOCAL({name}) TRIGGER PROCESS(P) INITQ(BELL)" for name in ("WORK.1", "WORK.2")]
    own = "DEFINE QLOCAL(OWN) TRIGGER PROCESS(P) INITQ(OWN) PUT(DISABLED)"
    script = member("QM1", *queues, own, "DEFINE PROCESS(P) APPLICID(x)", f"{QUEUE}")
    said = {each.name: each for each in found(script) if each.rule.id == "trigger.07"}
    assert [*said] == ["WORK.1", "WORK.2"]
    remedies = [each.said.remedy for each in said.values()]
    assert len({each.message for each in said.values()}) == 1
    assert all("%" not in f"{each.message}{each.said.remedy}" for each in said.values())
    assert remedies[0].replace("WORK.1", "WORK.2") == remedies[1]
    gets = member(
        "QM2", *(f"{each} TRIGTYPE(NONE)" for each in queues), "DEFINE QLOCAL(BELL)", "DEFINE PROCESS(P) APPLICID(x)"
    )
    assert [(each.name, each.said.remedy) for each in found(gets) if each.rule.id == "trigger.10"] == [
        (name, f"ALTER QLOCAL('{name}') TRIGTYPE(FIRST)") for name in ("WORK.1", "WORK.2")
    ]


def test_no_name_stands_for_something_else_too() -> None:
    """What stands for a member, or for a queue, that files do not name is a name that MQ does not allow."""
    assert not [each for each in (OBSERVER, NAMELESS, ANY_QUEUE) if ANY_NAME.fullmatch(each)]
    low, high = member("ANYBODY.ELSE", QUEUE), member("QM2", f"{QUEUE} CLWLRANK(1)")
    assert told(low, high) == [("check.05", "Q", "ANYBODY.ELSE"), ("check.55", "Q", "ANYBODY.ELSE")]
