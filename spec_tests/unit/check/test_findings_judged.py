"""What is judged by what the files tell, and what is not, since none would tell it."""

from __future__ import annotations

import pytest

from mqclause.check.findings import inspected
from mqclause.cluster.map import cluster_map
from mqclause.model.configuration.members import read_members
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import FactsError
from spec_tests.support.inspected_members import CHECKS, DUMP, QUEUE, REPOS, found, member, told


def test_one_member_alone_is_not_taken_for_a_whole_cluster() -> None:
    """It has no CLUSSDR; but others may have one to it, a full repository, and its files would not tell."""
    [one, other] = found(member("QM1", f"{QUEUE} PUT(DISABLED)"))
    assert (one.rule.id, one.severity) == ("check.21", "note")
    assert (other.rule.id, other.severity) == ("check.01", "warning")
    assert other.message.endswith("in these files; a member that none of them describes may be one")


def test_what_a_member_that_no_file_describes_may_have_is_not_missing() -> None:
    """The CLUSSDR leads to QM9: its queues may be what these names lead to, and it may host Q."""
    commands = [
        "DEFINE CHANNEL(TO.QM9) CHLTYPE(CLUSSDR) CLUSTER(S) CONNAME(h)",
        "DEFINE QALIAS(A) TARGET(NONE)",
        "DEFINE QREMOTE(R) RNAME(Q) RQMNAME(QM9)",
        QUEUE,
    ]
    assert told(member("QM1", *commands), member("QM2")) == []


def test_what_a_displayed_cluster_queue_has_counts_as_a_host() -> None:
    log = (
        "display qmgr qmname\n"
        "AMQ8408I: Display Queue Manager details.\n   QMNAME(QM1)\n"
        "display queue(*) all\n"
        "AMQ8409I: Display Queue details.\n   QUEUE(Q) TYPE(QLOCAL) CLUSTER(S) DEFBIND(OPEN)\n"
        "AMQ8409I: Display Queue details.\n"
        "   QUEUE(Q) TYPE(QCLUSTER) CLUSTER(S) CLUSQMGR(QM2) CLUSQT(QLOCAL) DEFBIND(NOTFIXED)\n"
    )
    assert told(log) == [("check.19", "Q", "QM1"), ("check.19", "Q", "QM2")]


def test_a_change_of_what_is_only_displayed_is_judged_with_what_others_have() -> None:
    """QM1 has Q and displays that of QM9, which no file describes, and the channel to it.

    After a change of DEFBIND the hosts differ, which is said of both; the weight of QM9's receiver, or that QM9 is
    suspended, is nothing that is checked. Of two that have Q a change has to say which one is meant.
    """
    displayed = (
        "\nAMQ8441I: Display Cluster Queue Manager details.\n"
        "   CLUSQMGR({0}) CHANNEL(TO.{0}) CLUSTER(S) SUSPEND(NO)\n"
        "AMQ8409I: Display Queue details.\n"
        "   QUEUE(Q) TYPE(QCLUSTER) CLUSQMGR({0}) CLUSTER(S) CLUSQT(QLOCAL) DEFBIND(OPEN) PUT(ENABLED)\n"
    )
    files = member("QM1", QUEUE), f"Starting MQSC for queue manager QM1.{displayed.format('QM9')}"
    before = told(*files)
    assert told(*files, changes=["CHANNEL(TO.QM9) CLWLWGHT(99)", "QMGR(QM9) SUSPEND(YES)"]) == before
    binds = told(*files, changes=["QLOCAL(Q) QMGR(QM9) DEFBIND(NOTFIXED)"])
    assert [each for each in binds if each not in before] == [("check.19", "Q", "QM1"), ("check.19", "Q", "QM9")]
    with pytest.raises(FactsError, match="QLOCAL 'Q' of 'QM8' is not known"):
        told(*files, changes=["QLOCAL(Q) QMGR(QM8) DEFBIND(NOTFIXED)"])
    others = f"Starting MQSC for queue manager QM2.{displayed.format('QM8')}{displayed.format('QM9')}"
    with pytest.raises(FactsError, match=r"QLOCAL 'Q' is on QM8, QM9: say with QMGR\(…\) which one is meant"):
        told(others, changes=["QLOCAL(Q) DEFBIND(NOTFIXED)"])


def test_how_many_full_repositories_there_are_is_sure_of_a_whole_cluster_only() -> None:
    sender = "DEFINE CHANNEL(TO.{}) CHLTYPE(CLUSSDR) CLUSTER(S) CONNAME(h)"
    one, other = (
        member(*of).replace(REPOS, "") for of in (("QM1", sender.format("QM2")), ("QM2", sender.format("QM1")))
    )
    [finding] = found(one, other)
    assert (finding.rule.id, finding.severity, finding.queue_manager) == ("check.21", "error", "QM1")
    [by_hand, finding] = found(f"{one}{REPOS}", other)
    assert (by_hand.rule.id, by_hand.name) == ("check.32", "TO.QM2"), "which leads to a partial repository now"
    assert (finding.severity, finding.queue_manager) == ("warning", "QM2"), "where the second one could be"
    assert (finding.said.remedy, "cluster S has one" in finding.message) == ("ALTER QMGR REPOS('S')", True)
    [finding] = found(one)
    assert (finding.rule.id, finding.severity) == ("check.21", "note")


def test_a_process_is_missing_only_where_the_files_would_tell_it() -> None:
    script = "DEFINE QLOCAL(W) TRIGGER PROCESS(P) INITQ(SYSTEM.DEFAULT.INITIATION.QUEUE)\n"
    assert told(script) == []
    assert told(script + "DEFINE PROCESS(OTHER)\n") == [("trigger.06a", "W", "")]
    assert told(DUMP.format(initq="SYSTEM.CHANNEL.INITQ")) == [("trigger.06a", "W", "QM1")], "a dump is whole"
    assert told(DUMP.format(initq="I")) == [("trigger.06a", "W", "QM1"), ("trigger.07", "W", "QM1")]


UNJOINED = "* Queue manager name: QM3\nDEFINE CHANNEL(PAY.QM3) CHLTYPE(CLUSRCVR) CLUSTER(PAY) CONNAME(h) BATCHHB(1)\n"


TO_QM9 = ["DEFINE QREMOTE(R) RNAME(Q) RQMNAME(XQ)", "DEFINE QLOCAL(XQ) USAGE(XMITQ)"]
SENDER = "DEFINE CHANNEL(TO.X) CHLTYPE({}) CONNAME(h) XMITQ({})"


@pytest.mark.parametrize(
    ("more", "waits"),
    [
        ([SENDER.format("SDR", "B"), "DEFINE QLOCAL(B) USAGE(XMITQ)"], True),
        ([SENDER.format("SVR", "XQ")], False),
        ([SENDER.format("SDR", "B"), "DEFINE QLOCAL(B) USAGE(XMITQ)", "ALTER QLOCAL(XQ) CLCHNAME('TO.*')"], False),
        ([], False),
        (["DEFINE CHANNEL(APPS) CHLTYPE(SVRCONN)"], False),
    ],
)
def test_messages_wait_where_the_files_tell_channels_and_none_takes_them(more: list[str], waits: bool) -> None:
    expected = [("check.30", "R", "QM1")] if waits else []
    assert told("\n".join(["* Queue manager name: QM1", *TO_QM9, *more])) == expected


def test_a_dump_tells_all_channels() -> None:
    whole = DUMP.format(initq="I") + "\n".join(TO_QM9)
    assert [each for each in told(whole) if each[1] == "R"] == [("check.30", "R", "QM1")]


def test_a_host_that_is_not_in_the_cluster_hosts_nothing_there() -> None:
    """Nobody learns of QM3's Q: at QM2 it has no second host, and QM3's is no host that could be disabled or differ."""
    not_in_it = f"{UNJOINED}ALTER QMGR REPOS(PAY)\n{QUEUE} DEFBIND(NOTFIXED) PUT(DISABLED)\n"
    everything = told(member("QM1"), member("QM2", QUEUE), not_in_it)
    assert everything == [("check.18", "Q", "QM2"), ("check.21", "QM3", "QM3"), ("check.24", "Q", "QM3")]
    joined = f"{not_in_it}DEFINE CHANNEL(S.QM3) CHLTYPE(CLUSRCVR) CLUSTER(S) CONNAME(h) BATCHHB(1)\n"
    assert {rule for rule, name, _ in told(member("QM1"), member("QM2", QUEUE), joined) if name == "Q"} == {
        "check.02",
        "check.19",
    }


def test_whether_a_host_is_in_the_cluster_is_judged_where_its_files_tell_that() -> None:
    alone = f"* Queue manager name: QM3\n{QUEUE}\n"
    assert "check.24" not in [rule for rule, _, _ in told(alone, member("QM1"))], "a script may leave channels out"
    dump = f"* Script generated on 2026-01-01\n{alone}* Script ended on 2026-01-01\n"
    assert ("check.24", "Q", "QM3") in told(dump, member("QM1"))
    sender = "DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSSDR) CLUSTER(S) CONNAME(h)\n"
    assert ("check.24", "Q", "QM3") in told(f"{alone}{sender}", member("QM1")), "it has one half of the two channels"
    several = "DEFINE NAMELIST(N) NAMES(S, PAY)\nDEFINE QLOCAL(Q) CLUSNL(N)\n"
    [finding] = [each for each in found(f"{UNJOINED}{several}", member("QM1")) if each.rule.id == "check.24"]
    assert finding.message == "QM3 has no CLUSRCVR in cluster S: nobody there learns of Q"


def test_a_script_for_many_queue_managers_leaves_their_cluster_to_them() -> None:
    """+AUTOCL+ may be S, and has its full repositories from qm.ini; the two scripts have the same said of them."""
    script = f"DEFINE CHANNEL(U.+QMNAME+) CHLTYPE(CLUSRCVR) CLUSTER(+AUTOCL+) CONNAME(h)\n{QUEUE} GET(DISABLED)\n"
    expected = [("check.14", "U.+QMNAME+"), ("check.25", "Q")]
    assert [(rule, name) for rule, name, _ in told(script)] == expected
    got = found(script, script)
    assert [(each.rule.id, each.name) for each in got] == expected * 2
    assert got[1].message == "Q is get-disabled at the queue manager of 0.mqsc: messages for it go on coming, and stay"


def test_what_a_display_leaves_out_is_not_judged() -> None:
    """Neither BATCHHB, CONNAME, USAGE and INITQ, nor whether the hosts have the same DEFPRTY: nobody has asked."""
    log = (
        "display qmgr qmname\nAMQ8408I: Display Queue Manager details.\n   QMNAME(QM1)\n"
        "display queue(*) cluster put trigger\n"
        "AMQ8409I: Display Queue details.\n   QUEUE(Q) TYPE(QLOCAL) CLUSTER(S) PUT(ENABLED)\n"
        "AMQ8409I: Display Queue details.\n"
        "   QUEUE(SYSTEM.CLUSTER.TRANSMIT.QUEUE) TYPE(QLOCAL) PUT(ENABLED)\n"
        "AMQ8409I: Display Queue details.\n   QUEUE(W) TYPE(QLOCAL) PUT(ENABLED) TRIGGER\n"
        "display channel(*) chltype\n"
        "AMQ8414I: Display Channel details.\n   CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CLUSTER(S){}\n"
    )
    other = member("QM2", f"{QUEUE} DEFPRTY(5) DEFBIND(NOTFIXED) CLWLUSEQ(ANY)")
    [finding] = found(log.format(""), other)
    assert (finding.rule.id, finding.severity) == ("check.21", "note"), "nor REPOS: QM1 may be the second one"
    repos = log.replace("QMNAME(QM1)", "QMNAME(QM1) REPOS(S)")
    assert told(repos.format(""), other) == []
    assert told(repos.format(" BATCHHB(0)"), other) == [("check.14", "TO.QM1", "QM1")]
    sender = f"{other}DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSSDR) CLUSTER(S) CONNAME(h) CLWLPRTY(5)\n"
    assert told(repos.format(""), sender) == [], "nor which CLWLPRTY the receiver has"
    assert told(repos.format(" CLWLPRTY(0)"), sender) == [("check.20", "TO.QM1", "QM2")]


def test_a_facts_document_does_not_tell_full_repositories() -> None:
    facts = """
        [queue_manager]
        name = "QM1"
        clusters = ["S"]
        [[remote_queue_manager]]
        name = "QM2"
        clusters = ["S"]
        suspended = ["S"]
        [[channel]]
        name = "TO.QM1"
        queue_manager = "QM1"
        cluster = "S"
        deftype = "CLUSRCVR"
    """
    assert told(facts) == [("check.27", "QM2", "QM2")]


def test_what_could_not_be_judged_is_remarked() -> None:
    sender = "DEFINE CHANNEL(TO.QM9) CHLTYPE(CLUSSDR) CLUSTER(S) CONNAME(h)"
    inspection = inspected([Source("1.mqsc", member("QM1", sender).encode())], CHECKS)
    inspection.findings()
    [remark] = inspection.warnings
    assert str(remark) == (
        "1.mqsc:4: CHANNEL(TO.QM9): leads to a member of S that no file describes: which queues it hosts and whether it "
        "is a full repository is not judged; DISPLAY CLUSQMGR(*) CHANNEL at QM1 names it, dmpmqcfg -a there tells the rest"
    )
    scripts = member("QM1", sender), member("QM9")
    inspection = inspected([Source(f"{at}", text.encode()) for at, text in enumerate(scripts)], CHECKS)
    inspection.findings()
    assert inspection.warnings == []


@pytest.mark.parametrize(
    ("command", "more", "expected"),
    [
        ("DIS QL(Q)", "", []),
        ("DIS QL(*)", "", ["trigger.07"]),
        (
            "DIS QUEUE(*)",
            "     2 : DIS PROCESS(*)\nAMQ8147E: IBM MQ object * not found.\n",
            ["trigger.06a", "trigger.07"],
        ),
    ],
)
def test_a_log_tells_only_what_was_asked_for(command: str, more: str, expected: list[str]) -> None:
    shown = "AMQ8409I: D\n   QUEUE(Q)  TYPE(QLOCAL)\n   TRIGGER  TRIGTYPE(FIRST)\n   PROCESS(P)  INITQ(IQ)\n"
    log = f"Starting MQSC for queue manager QM1.\n     1 : {command}\n{shown}{more}"
    assert [each.rule.id for each in inspected([Source("log", log.encode())], CHECKS).findings()] == expected


def test_a_sender_of_all_members_leads_to_one_that_is_described() -> None:
    """QM2 is described, so that nothing is left that QM9 could be."""
    sender = "DEFINE CHANNEL(TO.+QMNAME+) CHLTYPE(CLUSSDR) CLUSTER(S) CONNAME(h)"
    remote = "DEFINE QREMOTE(R) RNAME(Q) RQMNAME(QM9)"
    scripts = member("QM1", sender, remote), member("QM2")
    inspection = inspected([Source(f"{at}", text.encode()) for at, text in enumerate(scripts)], CHECKS)
    assert "check.22" in {each.rule.id for each in inspection.findings()}
    assert inspection.warnings == []
    alone = inspected([Source("1", scripts[0].encode())], CHECKS)
    assert "check.22" not in {each.rule.id for each in alone.findings()}
    assert len(alone.warnings) == 1


def test_the_defaults_that_a_dump_writes_down_are_stated_by_nobody() -> None:
    sender = "DEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSSDR) CLUSTER(S) CONNAME(h) CLWLRANK(0) CLWLWGHT(50)"
    other = member("QM2", receiver="CLWLRANK(4) CLWLWGHT(9)")
    findings = found(member("QM1", sender), other)
    assert [(each.rule.id, each.said.attribute) for each in findings] == [
        ("check.20", "clwlrank"),
        ("check.20", "clwlwght"),
    ]
    dump = f"* Script generated on 2026-01-01\n{member('QM1', sender)}* Script ended on 2026-01-01\n"
    assert told(dump, other) == [("check.26", "QM1", "QM1")], "nor DEADQ, which is blank then"


def test_a_queue_manager_that_no_file_describes_is_refused() -> None:
    assert found(member("QM1"), member("QM2"), local="QM1") == []
    with pytest.raises(FactsError, match="no source describes the queue manager 'QM3'; described: QM1, QM2"):
        found(member("QM1"), member("QM2"), local="QM3")


def test_what_leads_to_the_queue_manager_itself_where_no_file_names_that() -> None:
    """A blank RQMNAME is the local queue manager, whatever its name is."""
    remote = "DEFINE QREMOTE({0}) RNAME({1}) RQMNAME(' ')\n".format
    script = remote("THERE", "Q") + remote("LOST", "NONE") + remote("ALIAS", "' '") + "DEFINE QLOCAL(Q)\n"
    assert [(each.rule.id, each.name, each.message) for each in found(script)] == [
        ("check.22", "LOST", "puts to LOST fail: queue NONE is not defined here, and the local queue manager is named")
    ]


def test_a_host_of_lower_rank_is_chosen_by_one_of_higher_rank_that_shares_its_messages() -> None:
    """What leads QM1 to itself is no channel (4a), so that QM2 is left to it beside its own queue."""
    shares = f"{QUEUE} CLWLUSEQ(ANY)"
    scripts = member("QM1", shares, receiver="CLWLRANK(5)"), member("QM2", shares), member("QM3")
    [finding] = found(*scripts)
    assert finding.message == (
        "no queue manager of cluster S that does not host Q ever chooses it at QM2, not even where no other host can be"
        " reached: channel rank 0 is below 5"
    )
    sources = [Source(f"{at}.mqsc", text.encode()) for at, text in enumerate(scripts)]
    rows = {
        row.member: {each.destination.queue_manager for each in row.shares}
        for row in cluster_map(read_members(sources))
    }
    assert rows == {"QM1": {"QM1", "QM2"}, "QM2": {"QM1", "QM2"}, "QM3": {"QM1"}}


def test_what_a_cluster_lacks_is_told_once_where_a_member_has_two_receivers_in_it() -> None:
    second = "DEFINE CHANNEL({}.QM1) CHLTYPE(CLUSRCVR) CLUSTER(S) CONNAME(h2) BATCHHB(1)"
    for name in ("A", "Z"):
        files = member("QM1", second.format(name)).replace(REPOS, ""), member("QM2").replace(REPOS, "")
        assert told(*files) == [("check.21", "QM1", "QM1")]


@pytest.mark.parametrize("other", ["QALIAS(Q) TARGET(Q9)", "QREMOTE(Q) RNAME(Q9) RQMNAME(QM1)"])
def test_only_local_queues_can_differ_in_clwluseq(other: str) -> None:
    """QM1 and QM2 say ANY; QM3's is no local queue, so that what its queue manager says, LOCAL, is not asked."""
    local = "DEFINE QLOCAL(Q9) CLUSTER(S)", f"{QUEUE} CLWLUSEQ(ANY)"
    files = member("QM1", *local), member("QM2", *local), member("QM3", f"DEFINE {other} CLUSTER(S)")
    assert "check.23" not in {rule for rule, _, _ in told(*files)}


def test_a_script_without_a_name_is_of_the_only_queue_manager_that_is_named() -> None:
    """Whichever comes first, as for explain; beside two that are named it is of one of its own."""
    alias = "DEFINE QALIAS(A) TARGET(PAY)\n"
    one, other = (f"* Queue manager name: {name}\nDEFINE QLOCAL(PAY)\n" for name in ("QM1", "QM2"))
    assert [told(alias, one), told(one, alias)] == [[], []]
    assert ("check.17", "A", "") in told(alias, one, other)
    misled = "DEFINE QALIAS(A) TARGET(QPAY)\n"
    assert told(misled, one) == told(one, misled) == [("check.17", "A", "QM1")]


def test_a_dump_that_was_cut_is_told() -> None:
    """What it lost is not called missing; that it lost something is said."""
    whole = DUMP.format(initq="I")
    cut = inspected([Source("0.mqsc", whole.partition("* Script ended")[0].encode())], CHECKS)
    assert cut.findings() == []
    assert [str(each) for each in cut.warnings] == [
        "0.mqsc: the dump 0.mqsc of QM1 ends before its trailer: its last objects are missing",
        "0.mqsc:4: nothing tells whether QLOCAL(I), which W names, is there: taken so; DISPLAY QLOCAL('I') tells it",
        "0.mqsc:4: nothing tells whether PROCESS(P), which W names, is there: taken so; DISPLAY PROCESS('P') tells it",
    ]
    kept = inspected([Source("0.mqsc", whole.encode())], CHECKS)
    assert ([each.rule.id for each in kept.findings()], kept.warnings) == (["trigger.06a", "trigger.07"], [])


def test_what_nothing_tells_of_and_a_finding_would_rest_on_is_told_once() -> None:
    """Of the processes that two queues name; not where another process is told of: then the files would tell these."""
    queues = "* Queue manager name: QM1\nDEFINE QLOCAL(BELL)\n" + "".join(
        f"DEFINE QLOCAL({name}) TRIGGER INITQ(BELL) PROCESS({name}.RUN)\n" for name in ("RED", "BLUE")
    )
    open_ones = inspected([Source("q.mqsc", queues.encode())], CHECKS)
    assert open_ones.findings() == []
    assert [str(each) for each in open_ones.warnings] == [
        "q.mqsc:3: nothing tells whether PROCESS(RED.RUN), which RED names, and 1 more are there: taken so; "
        "DISPLAY PROCESS(*) tells it"
    ]
    told_of = inspected([Source("q.mqsc", f"{queues}DEFINE PROCESS(OTHER) APPLICID('/opt/a &')\n".encode())], CHECKS)
    assert {each.rule.id for each in told_of.findings()} >= {"trigger.06a"}
    assert told_of.warnings == []


def test_a_queue_that_another_queue_manager_has_was_not_misspelt() -> None:
    """R looks for ORDERS.OUT at QM1, QM2 has it: no queue of a like name is meant."""
    hosts = member("QM2", "DEFINE QLOCAL(ORDERS.OUT) CLUSTER(S)")
    remote = "DEFINE QREMOTE(R) RNAME(ORDERS.{}) RQMNAME(QM1)"
    own = "DEFINE QLOCAL(ORDERS.OUTS)"
    [known] = [each for each in found(member("QM1", remote.format("OUT"), own), hosts) if each.name == "R"]
    assert known.said.remedy == "define ORDERS.OUT here, or mend RNAME and RQMNAME"
    [misspelt] = [each for each in found(member("QM1", remote.format("OUTT"), own), hosts) if each.name == "R"]
    assert misspelt.said.remedy.startswith("did you mean ORDERS.OUT")
