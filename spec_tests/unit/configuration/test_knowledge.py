"""What a queue manager knows from dumps, what is not told, and what scripts say of the state of channels."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mqclause.model.configuration.completeness import MissingInformation
from mqclause.model.configuration.snapshot import Snapshot, read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import FactsError
from mqclause.model.facts.objects import Channel
from mqclause.model.facts.objects import QueueManagerAlias as Alias
from spec_tests.support.places import without_column

QM1 = """* Queue manager name: QM1
ALTER QMGR DEFXMITQ(OUT)
DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CLUSTER(SALES)
DEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSSDR) CLUSTER(SALES)
"""
QM2 = """* Queue manager name: QM2
DEFINE NAMELIST(BOTH) NAMES(SALES, STOCK)
DEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSRCVR) CLUSNL(BOTH)
DEFINE CHANNEL(STOCK.QM2) CHLTYPE(CLUSRCVR) CLUSTER(STOCK)
DEFINE QLOCAL(ORDERS) CLUSNL(BOTH)
DEFINE QLOCAL(PARTS) CLUSTER(STOCK)
DEFINE QREMOTE(ANY) CLUSNL(BOTH) RQMNAME(QM9)
DEFINE QREMOTE(ANY.STOCK) CLUSTER(STOCK)
SUSPEND QMGR CLUSNL(BOTH)
"""
QM3 = """* Queue manager name: QM3
DEFINE CHANNEL(TO.QM3) CHLTYPE(CLUSRCVR) CLUSTER(STOCK)
DEFINE QLOCAL(ORDERS) CLUSTER(STOCK)
"""


def read(local: str | None = "QM1", lenient: bool = False, **texts: str) -> Snapshot:
    return read_sources([Source(name, text.encode()) for name, text in texts.items()], local, lenient)


def routes(snapshot: Snapshot) -> list[tuple[str, str, str]]:
    return [(each.name, each.cluster, each.status) for each in snapshot.cluster.channels]


def warned(snapshot: Snapshot) -> list[str]:
    return [str(each) for each in snapshot.warnings]


def missing(snapshot: Snapshot) -> Sequence[tuple[str, str]]:
    return [(each.object, each.what) for each in snapshot.incomplete]


class TestOtherClusters:
    """From dumps only routes, instances and aliases of the clusters that the local queue manager is in."""

    def test_what_is_in_another_cluster_is_not_known(self) -> None:
        cluster = read(qm1=QM1, qm2=QM2, qm3=QM3).cluster
        assert [(other.name, other.clusters, other.suspended) for other in cluster.remote_queue_managers] == [
            ("QM2", ("SALES",), ("SALES",))
        ]
        assert [(queue.name, queue.queue_manager, queue.clusters) for queue in cluster.queues] == [
            ("ORDERS", "QM2", ("SALES",))
        ]
        assert cluster.queue_manager_aliases == (Alias("ANY", "QM9", ("SALES",), host="QM2"),)
        assert [(channel.name, channel.cluster) for channel in cluster.channels] == [
            ("TO.QM1", "SALES"),
            ("TO.QM2", "SALES"),
        ]

    def test_seen_from_a_member_of_both(self) -> None:
        cluster = read("QM2", qm1=QM1, qm2=QM2, qm3=QM3).cluster
        assert [other.name for other in cluster.remote_queue_managers] == ["QM1", "QM3"]
        assert [(queue.name, queue.queue_manager) for queue in cluster.queues if queue.type == "QLOCAL"] == [
            ("ORDERS", "QM2"),
            ("PARTS", "QM2"),
            ("ORDERS", "QM3"),
        ]

    def test_who_shares_no_cluster_is_said(self) -> None:
        assert "QM1 shares no cluster with QM3 and knows nothing of what is there" in (
            read(qm1=QM1, qm2=QM2, qm3=QM3).assumptions
        )

    def test_in_facts_files_everything_given_is_known(self) -> None:
        facts = """
            [queue_manager]
            name = "QM1"
            clusters = ["SALES"]
            [[remote_queue_manager]]
            name = "QM3"
            clusters = ["STOCK"]
            [[channel]]
            name = "TO.QM3"
            queue_manager = "QM3"
            cluster = "STOCK"
        """
        cluster = read(None, facts=facts, qm2=QM2).cluster
        assert [(channel.name, channel.cluster) for channel in cluster.channels] == [
            ("TO.QM3", "STOCK"),
            ("TO.QM2", "SALES"),
        ]

    def test_a_facts_file_that_says_no_clusters_hides_nothing(self) -> None:
        cluster = read(None, facts='[queue_manager]\nname = "QM1"\n', qm2=QM2).cluster
        assert {channel.cluster for channel in cluster.channels} == {"SALES", "STOCK"}

    def test_attributes_of_names(self) -> None:
        assert read(qm1=QM1, qm2=QM2).cluster.queue_manager.defxmitq == "OUT"


DUMP = "* Script generated on 2026-01-02   at 03.04.05\n"
WHOLE = "* Script ended on 2026-01-02   at 03.04.06\n"


class TestIncomplete:
    def test_a_cluster_sender_that_leads_to_nobody_described(self) -> None:
        snapshot = read(qm1=QM1)
        assert snapshot.incomplete == (
            MissingInformation(
                "members of SALES described: QM1; TO.QM2 leads to no described member",
                "TO.QM2",
                "DISPLAY CLUSQMGR(*) CLUSTER CHANNEL WHERE(CLUSTER EQ 'SALES')",
            ),
        )

    def test_a_cluster_sender_of_another_member(self) -> None:
        other = QM2 + "DEFINE CHANNEL(TO.QM7) CHLTYPE(CLUSSDR) CLUSTER(SALES)\n"
        assert missing(read(qm1=QM1, qm2=other)) == [
            ("TO.QM7", "members of SALES described: QM1, QM2; TO.QM7 leads to no described member")
        ]

    def test_a_cluster_sender_that_may_lead_to_a_member_without_a_receiver(self) -> None:
        other = "* Queue manager name: QM2\nALTER QMGR REPOS(SALES)\n"
        told = "members of SALES described: QM1, QM2; no CLUSRCVR TO.QM2 is described, and QM2 without any in SALES"
        assert missing(read(qm1=QM1, qm2=other)) == [("TO.QM2", told)]

    def test_a_cluster_sender_of_a_cluster_that_is_not_known(self) -> None:
        other = QM2 + "DEFINE CHANNEL(TO.QM7) CHLTYPE(CLUSSDR) CLUSTER(STOCK)\n"
        assert missing(read(qm1=QM1, qm2=other)) == []

    def test_a_cluster_sender_whose_receiver_a_facts_file_has(self) -> None:
        facts = """
            [[remote_queue_manager]]
            name = "QM2"
            [[channel]]
            name = "TO.QM2"
            queue_manager = "QM2"
            cluster = "SALES"
        """
        assert missing(read(qm1=QM1, facts=facts)) == []

    def test_members_are_taken_as_all_where_nothing_says_otherwise(self) -> None:
        assert "taken as all members of SALES: QM1, QM2" in read(qm1=QM1, qm2=QM2).assumptions
        assert not any("taken as" in each for each in read(qm1=QM1).assumptions)
        # Nothing leads to another member: a name that is not known might be there all the same.
        alone = QM1.replace("DEFINE CHANNEL(TO.QM2)", "* DEFINE CHANNEL(TO.QM2)")
        assert "taken as the only member of SALES: QM1" in read(qm1=alone).assumptions

    def test_a_script_without_channels_does_not_tell_who_else_is_in_the_cluster_of_its_queue(self) -> None:
        alone = "taken as the only host in STOCK: QM1, of which no channel in STOCK is told"
        queue = "* Queue manager name: QM1\nDEFINE QLOCAL(PARTS) CLUSTER({})\n"
        assert read(qm1=queue.format("STOCK")).assumptions == (alone,)
        assert read(qm1=queue.format("' '")).assumptions == ()
        assert alone not in read(qm1=QM1 + "DEFINE QLOCAL(PARTS) CLUSTER(SALES)\n").assumptions

    @pytest.mark.parametrize(
        ("shown", "lacking"),
        [
            ("CLUSTER(STOCK)", ["no queue is shown that QM1 knows in its clusters"]),
            ("CLUSTER( )", []),
            ("CLUSTER(STOCK)\n     2 : DISPLAY QCLUSTER(*) ALL\nAMQ8147E: IBM MQ object * not found.", []),
        ],
        ids=["in a cluster", "in none", "nobody else has one"],
    )
    def test_a_log_of_its_own_queues_does_not_tell_who_else_has_one(self, shown: str, lacking: list[str]) -> None:
        log = f"""Starting MQSC for queue manager QM1.
     1 : DISPLAY QUEUE(*) ALL
AMQ8409I: Display Queue details.
   QUEUE(PARTS)                            TYPE(QLOCAL)
   {shown}
"""
        assert [what for _, what in missing(read(log=log))] == lacking

    @pytest.mark.parametrize(
        ("kind", "lacking"), [("CLUSSDR", ["no queue manager is shown that QM1 knows"]), ("SDR", []), ("CLUSRCVR", [])]
    )
    def test_the_state_of_a_channel_does_not_tell_its_cluster(self, kind: str, lacking: list[str]) -> None:
        log = f"""Starting MQSC for queue manager QM1.
     1 : DISPLAY CHSTATUS(*) ALL
AMQ8417I: Display Channel Status details.
   CHANNEL(STOCK.QM2)                      CHLTYPE({kind})
   RQMNAME(QM2)                            STATUS(RETRYING)
     2 : DISPLAY QUEUE(*) ALL
AMQ8147E: IBM MQ object * not found.
"""
        assert [what for _, what in missing(read(log=log))] == lacking

    def test_a_full_repository_of_one_cluster_alone(self) -> None:
        """QM2 is in SALES and STOCK; a display tells of it as a definition does."""
        defined = read(qm1=QM1, qm2=f"{QM2}\nALTER QMGR REPOS(STOCK)\n", local="QM2").cluster
        assert (defined.queue_manager.repository, defined.queue_manager.partial_in) == (True, ("SALES",))
        row = "AMQ8441I: Display Cluster Queue Manager details.\n   CLUSQMGR(QM2) CHANNEL(TO.QM2)\n   CLUSTER({}) QMTYPE({})\n"
        log = "Starting MQSC for queue manager QM1.\n     1 : DISPLAY CLUSQMGR(*) ALL\n"
        shown = read(log=log + row.format("SALES", "NORMAL") + row.format("STOCK", "REPOS")).cluster.remote["QM2"]
        assert (shown.repository, shown.partial_in) == (True, ("SALES",))
        nameless = row.format(" ", "NORMAL") + row.format("STOCK", "REPOS")
        shown = read(log=log + nameless).cluster.remote["QM2"]
        assert (shown.repository, shown.partial_in) == (True, ()), "a row that does not name its cluster"
        neither = read(qm1=QM1, qm2=QM2, local="QM2").cluster.queue_manager
        assert (neither.repository, neither.partial_in) == (False, ())

    def test_a_dump_that_ends_before_its_trailer(self) -> None:
        cut, whole = DUMP + QM2, DUMP + QM2 + WHOLE
        assert missing(read(qm1=QM1, qm2=whole)) == []
        assert missing(read(qm1=QM1, qm2=cut)) == [
            ("QM2", "the dump qm2 of QM2 ends before its trailer: its last objects are missing")
        ]
        assert read(qm1=QM1, qm2=cut).incomplete[0].command == "dmpmqcfg -m QM2 -a"

    def test_a_dump_that_is_cut_before_its_channels(self) -> None:
        cut = DUMP + "* Queue manager name: QM2\nDEFINE QLOCAL(ORDERS) CLUSTER(SALES)\n"
        assert [name for name, _ in missing(read(qm1=QM1, qm2=cut))] == ["QM2", "TO.QM2"]


class TestDumpsOfOneQueueManager:
    def test_the_same_again_is_no_fault(self) -> None:
        first = DUMP + QM2 + WHOLE
        again = first.replace("03.04.05", "09.00.00").replace(
            "(TO.QM2) CHLTYPE", "(TO.QM2) +\n*  ALTDATE(1) +\n CHLTYPE"
        )
        assert read(qm1=QM1, a=first, b=again).cluster.queues == read(qm1=QM1, a=first).cluster.queues

    def test_another_one_is_a_fault_that_names_both(self) -> None:
        other = (DUMP + QM2 + WHOLE).replace("DEFINE QLOCAL(ORDERS)", "DEFINE QLOCAL(ORDERS) CLWLPRTY(5)")
        with pytest.raises(FactsError) as caught:
            read(qm1=QM1, a=DUMP + QM2 + WHOLE, b=other)
        assert str(caught.value) == "b:6: is another dump of 'QM2' than a: they differ from QLOCAL 'ORDERS' on"
        assert read(lenient=True, qm1=QM1, a=DUMP + QM2 + WHOLE, b=other).cluster.queues[0].clwlprty == 0

    def test_a_script_that_is_no_dump_is_an_overlay(self) -> None:
        overlay = "* Queue manager name: QM2\nALTER QLOCAL(ORDERS) CLWLPRTY(5)\n"
        assert read(qm1=QM1, a=DUMP + QM2 + WHOLE, b=overlay).cluster.queues[0].clwlprty == 5


class TestChannelStates:
    def test_a_stopped_channel(self) -> None:
        snapshot = read(qm1=QM1 + "STOP CHANNEL(TO.QM2)\n", qm2=QM2)
        assert routes(snapshot) == [("TO.QM1", "SALES", "INACTIVE"), ("TO.QM2", "SALES", "STOPPED")]
        assert warned(snapshot) == []
        (route,) = [each for each in snapshot.cluster.channels if each.name == "TO.QM2"]
        assert str(snapshot.provenance.of(route, "status")) == "qm1:5"

    @pytest.mark.parametrize(
        ("command", "state"),
        [
            ("STOP CHL(TO.QM2) MODE(FORCE)", "STOPPED"),
            ("STOP CHL(TO.QM2) STATUS(INACTIVE)", "INACTIVE"),
            ("STOP CHL(TO.QM2) QMNAME(QM2)", "INACTIVE"),
            ("STOP CHL(TO.QM2) STATUS(STOPPED) QMNAME(QM7)", "INACTIVE"),
            ("STOP CHL(TO.QM2)\nSTOP CHL(TO.QM2) STATUS(INACTIVE)", "INACTIVE"),
            ("START CHL(TO.QM2)\nSTOP CHL(TO.QM2)", "STOPPED"),
        ],
    )
    def test_what_stop_says(self, command: str, state: str) -> None:
        assert routes(read(qm1=f"{QM1}{command}\n", qm2=QM2))[1] == ("TO.QM2", "SALES", state)

    def test_the_local_receiver(self) -> None:
        stopped = read(qm1=QM1 + "STOP CHANNEL(TO.QM1)\n", qm2=QM2)
        assert stopped.cluster.channels[0] == Channel("TO.QM1", "QM1", "SALES", "CLUSRCVR", status="STOPPED")

    def test_a_started_channel_and_what_is_assumed(self) -> None:
        snapshot = read(qm1=QM1 + "STOP CHANNEL(TO.QM2)\nSTART CHANNEL(TO.QM2)\n", qm2=QM2)
        assert routes(snapshot)[1] == ("TO.QM2", "SALES", "INACTIVE")
        assert warned(snapshot) == ["qm1:6: CHANNEL 'TO.QM2': START: taken as INACTIVE; whether it runs is not known"]

    def test_what_is_deleted_or_suspended_and_not_there(self) -> None:
        snapshot = read(qm1=QM1 + "DELETE QLOCAL(NONE)\nSUSPEND QMGR CLUSTER(SALSE)\n", qm2=QM2)
        assert warned(snapshot) == [
            "qm1:5: QLOCAL 'NONE': is deleted but not defined",
            "qm1:6:14: QMGR: SUSPEND: QM1 is not in the cluster 'SALSE': changes nothing; did you mean 'SALES'?",
        ]

    def test_a_script_may_delete_first_what_it_defines(self) -> None:
        text = "DELETE QLOCAL(NEW)\nDELETE PROCESS(P)\nDEFINE QLOCAL(NEW) CLUSTER(SALES)\nDEFINE PROCESS(P)\n"
        assert warned(read(qm1=QM1 + text, qm2=QM2)) == []
        assert warned(read(qm1=QM1 + "DELETE PROCESS(P)\n" + text, qm2=QM2)) == []
        assert len(warned(read(qm1=QM1 + text.replace("DELETE QLOCAL(NEW)", "DELETE QLOCAL(NEWER)"), qm2=QM2))) == 1

    def test_a_channel_of_no_cluster_is_started_without_a_word(self) -> None:
        sender = "DEFINE CHANNEL(TO.HQ) CHLTYPE(SDR) CONNAME('h') XMITQ(HQ)\nSTART CHANNEL(TO.HQ)\n"
        assert warned(read(qm1=QM1 + sender, qm2=QM2)) == []
        assert len(warned(read(qm1=QM1 + sender.replace("START CHANNEL(TO.HQ)", "START CHANNEL(TO.HX)"), qm2=QM2))) == 1

    def test_what_is_not_carried_out_is_a_warning(self) -> None:
        text = "STOP CHANNEL('to.qm2')\nREFRESH CLUSTER(SALES)\nREFRESH SECURITY\nSUSPEND QMGR CLUSTER(SALES) MODE(FORCE)\n"
        snapshot = read(qm1=QM1 + text, qm2=QM2 + "STOP CHANNEL(TO.QM1)\n")
        assert warned(snapshot) == [
            "qm1:6: CLUSTER 'SALES': REFRESH is not carried out: what is known of others in that cluster stays as it is",
            "qm1:7: SECURITY: REFRESH changes nothing that an answer rests on: left out",
            "qm1:8:29: QMGR: MODE(FORCE) stops inbound channels too: their states are left as they are",
            "qm2:10: CHANNEL 'TO.QM1': STOP: the states of QM2's channels are its own: left out",
            "qm1:5: CHANNEL 'to.qm2': STOP: no route of a cluster has this channel: left out; did you mean 'TO.QM2'?"
            " names are case-sensitive; quote them in MQSC",
        ]
        assert snapshot.cluster.queue_manager.suspended == ("SALES",)

    @pytest.mark.parametrize(
        ("command", "told"),
        [
            (
                "STOP CHL(TO.QM2) STATUS(STOPED)",
                "CHANNEL 'TO.QM2': STATUS: 'STOPED' is not allowed; allowed: STOPPED, INACTIVE; did you mean 'STOPPED'?",
            ),
            (
                "STOP CHL(TO.QM2) MODE(QUICK)",
                "CHANNEL 'TO.QM2': MODE: 'QUICK' is not allowed; allowed: QUIESCE, FORCE, TERMINATE; did you mean 'QUIESCE'?",
            ),
            ("SUSPEND QMGR", "QMGR: SUSPEND needs CLUSTER or CLUSNL"),
        ],
    )
    def test_what_cannot_be_is_a_fault(self, command: str, told: str) -> None:
        with pytest.raises(FactsError) as caught:
            read(qm1=f"{QM1}{command}\n", qm2=QM2)
        assert [without_column(each) for each in caught.value.diagnostics] == [f"qm1:5: {told}"]
        assert read(lenient=True, qm1=f"{QM1}{command}\n", qm2=QM2).warnings


class TestCase:
    """Names that differ in case only get a hint."""

    HINT = "did you mean 'QM1'? names are case-sensitive; quote them in MQSC"

    def test_the_local_queue_manager(self) -> None:
        with pytest.raises(FactsError, match="described: QM1, QM2; ") as caught:
            read("qm1", qm1=QM1, qm2=QM2)
        assert str(caught.value).endswith(self.HINT)

    def test_a_queue_manager_in_facts(self) -> None:
        with pytest.raises(FactsError) as caught:
            read(qm1=QM1, facts='[[queue]]\nname = "Q"\nqueue_manager = "qm1"\n')
        assert str(caught.value).endswith(self.HINT)
