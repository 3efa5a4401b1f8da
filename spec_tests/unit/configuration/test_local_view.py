"""What the local queue manager sees of itself and of the others, from the scripts of all."""

from __future__ import annotations

from mqclause.model.configuration.snapshot import read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.configuration.view import build_view
from mqclause.model.facts.objects import Channel, Queue, QueueManager, QueueManagerAlias, RemoteQueueManager
from spec_tests.support.assembled import assembled, faults, script, view_of
from spec_tests.support.places import without_column

TEXT = "allowed: text of {} to {} characters, without control characters"
LONG = "C" * 21
MEMBER = "DEF CHL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(PAY)\n"


class TestLocalView:
    def test_the_queue_manager(self) -> None:
        header = "* Queue manager platform: z/OS\n"
        found = view_of(
            header + "ALTER QMGR CLWLUSEQ(ANY) CLWLMRUC(2) CLWLEXIT('x') CLWLDATA('y') +\n TRIGINT(5) REPOS(HUB)\n"
            "DEF CHL(C1) CHLTYPE(CLUSSDR) CLUSTER(OTHER)\nDEF CHL(C2) CHLTYPE(CLUSRCVR) CLUSTER(PAY)\n"
            "DEF CHL(C3) CHLTYPE(CLUSRCVR)\nDEF CHL(C4) CHLTYPE(SDR)\nSUSPEND QMGR CLUSTER(PAY)"
        ).queue_manager
        assert found is not None
        assert (found.source, found.line) == ("A.mqsc", 3)
        assert found.fact == QueueManager(
            "A", clusters=("PAY", "OTHER", "HUB"), suspended=("PAY",), clwluseq="ANY", clwlmruc=2, clwlexit="x",
            clwldata="y", trigint=5, platform="ZOS", repository=True, partial_in=("PAY", "OTHER"),
        )  # fmt: skip

    def test_suspension_by_a_namelist_and_resumption(self) -> None:
        found = view_of(
            "DEF NL(N) NAMES(B,C,D)\nSUSPEND QMGR CLUSNL(N)\nRESUME QMGR CLUSTER(C)\nRESUME QMGR CLUSTER(X)"
        ).queue_manager
        assert found is not None
        assert found.fact.suspended == ("B", "D")

    def test_every_local_queue_clustered_or_not(self) -> None:
        view = view_of(
            "DEF QL(L)\nDEF QA(S) TARGET(L) CLUSTER(PAY)\nDEF QA(T) TARGET(T) TARGTYPE(TOPIC)\nDEF QM(M)\n"
            "DEF QR(R) RNAME(X) RQMNAME(B) DEFBIND(NOTFIXED)"
        )
        assert [placed.fact for placed in view.queues] == [
            Queue("L", "A"),
            Queue("S", "A", type="QALIAS", target="L", clusters=("PAY",)),
            Queue("T", "A", type="QALIAS", target="T", targtype="TOPIC"),
            Queue("R", "A", type="QREMOTE", defbind="NOTFIXED", rname="X", rqmname="B"),
        ]
        assert [placed.line for placed in view.queues] == [2, 3, 4, 6]

    def test_namelists_of_clusters(self) -> None:
        view = view_of(
            "DEF QL(Q) CLUSNL(N)\nDEF CHL(C) CHLTYPE(CLUSRCVR) CLUSNL(N)\n"
            "DEF NL(N) NAMES(B,' ','c ')\nALTER QMGR REPOSNL(N)"
        )
        assert view.queues[0].fact.clusters == ("B", "c")
        assert [placed.fact.cluster for placed in view.channels] == ["B", "c"]
        assert view.queue_manager is not None
        assert view.queue_manager.fact.clusters == ("B", "c")

    def test_a_missing_namelist(self) -> None:
        assert faults("DEF QL(Q) +\n CLUSNL(N)") == ["1.mqsc:3: QLOCAL 'Q': CLUSNL: the namelist 'N' is not defined"]

    def test_queue_manager_aliases(self) -> None:
        local = script(
            "A",
            "DEF QR(SELF) RNAME(' ') RQMNAME(' ') CLUSTER(PAY) CLWLRANK(1)\nDEF QR(OWN) XMITQ(X)\n"
            "DEF QR(TO.B) RQMNAME(B) PUT(DISABLED)\nDEF QR(TO.NOWHERE) RQMNAME(Z) CLUSTER(PAY)",
        )
        other = script(
            "B",
            "DEF QR(ANY) CLUSTER(PAY) CLWLPRTY(2) RQMNAME(Z) DEFBIND(NOTFIXED)\nDEF QR(PRIVATE)\nDEF QR(TO.B) CLUSTER(PAY)\n"
            "DEF QR(LOAN.ANY) CLUSTER(LOAN)\nDEF QR(Q) CLUSTER(PAY) RNAME(R)\n" + MEMBER.format("B"),
        )
        view = assembled(local, script("A", MEMBER.format("A")), other, local="A")
        assert [placed.fact for placed in view.queue_manager_aliases] == [
            QueueManagerAlias("SELF", "A", clusters=("PAY",), clwlrank=1),
            QueueManagerAlias("TO.NOWHERE", "Z", clusters=("PAY",), host="A"),
            QueueManagerAlias("ANY", "Z", clusters=("PAY",), clwlprty=2, host="B", defbind="NOTFIXED"),
            QueueManagerAlias("TO.B", "B", clusters=("PAY",)),
        ]
        assert [placed.fact for placed in view.queues] == [
            Queue("SELF", "A", type="QREMOTE", clwlrank=1),
            Queue("OWN", "A", type="QREMOTE", xmitq="X"),
            Queue("TO.B", "A", type="QREMOTE", rqmname="B", put="DISABLED"),
            Queue("TO.NOWHERE", "A", type="QREMOTE", rqmname="Z"),
            Queue("Q", "B", type="QREMOTE", rname="R", clusters=("PAY",)),
        ]

    def test_the_insert_of_its_own_name_is_filled_in_and_others_are_told(self) -> None:
        view = view_of("DEF CHL('+AUTOCL+_+QMNAME+') CHLTYPE(CLUSRCVR) CLUSTER('+AUTOCL+') CONNAME(+CONNAME+)")
        assert [(placed.fact.name, placed.fact.cluster) for placed in view.channels] == [("+AUTOCL+_A", "+AUTOCL+")]
        (remark,) = view.remarks
        assert (remark.line, "+AUTOCL+ is filled in by the queue manager" in remark.message) == (2, True)

    def test_a_sender_with_an_insert_leads_to_whoever_has_such_a_receiver(self) -> None:
        sender = "DEF CHL('S_+QMNAME+') CHLTYPE(CLUSSDR) CLUSTER(S)\n"
        receiver = "DEF CHL('S_+QMNAME+') CHLTYPE(CLUSRCVR) CLUSTER(S)\n"
        sources = [Source(f"QM{at}=", (sender + receiver).encode(), f"QM{at}") for at in (1, 2)]
        snapshot = read_sources(sources, "QM1")
        assert [each.name for each in snapshot.cluster.channels] == ["S_QM1", "S_QM2"]
        assert snapshot.incomplete == ()
        assert [each.object for each in read_sources(sources[:1]).incomplete] == ["S_+QMNAME+"]


class TestTheOthers:
    def test_only_clustered_queues_of_another_member_are_seen(self) -> None:
        other = script(
            "B", MEMBER.format("B") + "DEF QL(Q) CLUSTER(PAY) CLWLPRTY(4)\nDEF QL(PRIVATE)\nDEF QM(M)\nDEF PRO(P)"
        )
        view = assembled(script("A", MEMBER.format("A")), other, local="A")
        assert [(placed.fact, placed.source, placed.line) for placed in view.queues] == [
            (Queue("Q", "B", clusters=("PAY",), clwlprty=4), "B.mqsc", 3)
        ]
        assert view.processes == ()

    def test_the_receivers_of_the_others_are_the_routes(self) -> None:
        local = script(
            "A",
            "DEF CHL(TO.A) CHLTYPE(CLUSRCVR) CLUSTER(PAY)\nDEF CHL(TO.B) CHLTYPE(CLUSSDR) CLUSTER(PAY) CLWLRANK(9)\n"
            "DEF CHL(TO.UNKNOWN) CHLTYPE(CLUSSDR) CLUSTER(PAY)",
        )
        b = script("B", "DEF CHL(TO.B) CHLTYPE(CLUSRCVR) CLUSTER(PAY) CLWLRANK(1) CLWLPRTY(2) CLWLWGHT(3) NETPRTY(4)")
        c = script(
            "C", "DEF NL(N) NAMES(PAY,LOAN)\nDEF CHL(TO.C) CHLTYPE(CLUSRCVR) CLUSNL(N)\nDEF CHL(TO.A) CHLTYPE(CLUSSDR)"
        )
        assert [placed.fact for placed in assembled(local, b, c, local="A").channels] == [
            Channel("TO.A", "A", "PAY", "CLUSRCVR"),
            Channel("TO.B", "B", "PAY", "CLUSSDRB", clwlrank=1, clwlprty=2, clwlwght=3, netprty=4),
            Channel("TO.C", "C", "PAY", "CLUSSDRA"),
        ]

    def test_what_is_known_of_the_others(self) -> None:
        other = script("B", "ALTER QMGR REPOS(HUB) CLWLUSEQ(ANY)\nSUSPEND QMGR CLUSTER(PAY)\n" + MEMBER.format("B"))
        (found,) = assembled(script("A", MEMBER.format("A")), other, local="A").remote_queue_managers
        assert (found.fact, found.source, found.line) == (RemoteQueueManager("B", ("PAY",), ("PAY",)), "B.mqsc", 2)

    def test_the_same_names_on_two_members_do_not_meet(self) -> None:
        text = "DEF QL(Q) CLUSTER(PAY)\nDEF PRO(P)\n"
        view = assembled(*(script(name, text + MEMBER.format(name)) for name in "ABC"), local="C")
        assert [placed.fact.queue_manager for placed in view.queues] == ["A", "B", "C"]
        assert len(view.processes) == 1

    def test_faults_of_every_member_are_told(self) -> None:
        view = build_view([script("A", ""), script("B", "DEF QL(Q) CLWLRANK(x)")], "A")
        assert [without_column(fault)[:10] for fault in view.diagnostics] == ["B.mqsc:2: "]
