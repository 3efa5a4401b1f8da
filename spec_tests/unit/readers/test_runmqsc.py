"""What runmqsc displays: blocks, values, kinds, sessions; and the view of the queue manager that displays."""

from __future__ import annotations

import pytest

from mqclause.model.configuration.provenance import Origin
from mqclause.model.configuration.snapshot import read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.facts.objects import Channel, Queue, QueueManager, QueueManagerAlias, RemoteQueueManager
from mqclause.model.readers.records import Record
from mqclause.model.readers.runmqsc import read_runmqsc
from spec_tests.support.displayed import BANNER, LOG, script, snapshot
from spec_tests.support.places import without_column


def one(text: str) -> Record:
    read = script(text)
    assert read.diagnostics == ()
    (record,) = read.records
    return record


class TestText:
    @pytest.mark.parametrize(
        "text",
        [
            "AMQ8409I: Display Queue details.\n   QUEUE(a.b)                              TYPE(QLOCAL)\n   NOTRIGGER\n",
            "AMQ8409: Anzeige der Warteschlange.\nQUEUE(a.b) TYPE(QLOCAL) NOTRIGGER\n",
            "2026-01-02T03:04:05.678Z AMQ8409I: Display\n2026-01-02T03:04:05.678Z    QUEUE(a.b)  TYPE(QLOCAL)\n"
            "2026-01-02T03:04:05.678Z    NOTRIGGER\n",
            "2026-01-02T03:04:05.678901Z stdout F AMQ8409I: Display\n"
            "2026-01-02T03:04:05.67Z stdout F    QUEUE(a.b)  TYPE(QLOCAL)\n2026-01-02T03:04:06.1Z stdout F    NOTRIGGER\n"
            "2026-01-02T03:04:06.1Z stdout F\n",
            "qm1-1  | AMQ8409I: Display\nqm1-1  |    QUEUE(a.b)   TYPE(QLOCAL)\nqm1-1  |    NOTRIGGER\n",
            '    "AMQ8409I: Display",\n    "   QUEUE(a.b)      TYPE(QLOCAL)",\n    "   NOTRIGGER",\n    ""\n',
            "qm1:\nqm1: AMQ8409: Display\nqm1:    QUEUE(a.b) TYPE(QLOCAL)\nqm1:    NOTRIGGER\nqm1:\n",
            "CSQM201I !MQ01 CSQMDRTC  DIS QLOCAL DETAILS\nQUEUE(a.b)\nTYPE(QLOCAL)\nNOTRIGGER\n END QLOCAL DETAILS\n",
            "AMQ8409I: Display Queue details.\r\n   QUEUE(a.b)      TYPE(QLOCAL)\r\n   NOTRIGGER\r\n",
            "AMQ8409I: Display Queue details.\n\n   QUEUE(a.b)      TYPE(QLOCAL)\n\n   NOTRIGGER\n\n",
            "AMQ8409I: Display Queue details.\n   QUEUE(a.b)      TYPE(QLOCAL)\n \n\n   NOTRIGGER\n\nAMQ8450I: D\n",
            "AMQ8409I: D\n   QUEUE(a.b)      TYPE(QLOCAL)\n   NOTRIGGER\n\nQMNAME(QM1)   STATUS(Running)\n",
            "AMQ8409I: D\nQUEUE(a.b)                              NOTRIGGER\nTYPE(QLOCAL)\n",
        ],
    )
    def test_an_object_in_the_shapes_that_it_comes_in(self, text: str) -> None:
        record = one(text)
        assert (record.action, record.kind, record.name) == ("observe", "QLOCAL", "a.b")
        assert record.attributes == {"TYPE": "QLOCAL", "NOTRIGGER": ""}

    def test_a_letter_before_a_message_is_another_programs_output_and_none_is_taken_off(self) -> None:
        read = script("DAMQ8409I: Display\nAMQ8409I: Display\n   QUEUE(A)  TYPE(QLOCAL)\nDEFBIND(OPEN)\n")
        assert [each.attributes for each in read.records] == [{"TYPE": "QLOCAL", "DEFBIND": "OPEN"}]
        assert len(read.diagnostics) == 1

    def test_values_are_neither_quoted_nor_escaped(self) -> None:
        assert one("""
            AMQ8409I: Display Queue details.
               QUEUE(Q)                                TYPE(QLOCAL)
               DESCR(it's ( open)                      CUSTOM( )
               INITQ()                                 TRIGDATA(::ffff:1.2.3.4(6666))
        """).attributes == {
            "TYPE": "QLOCAL", "DESCR": "it's ( open", "CUSTOM": "", "INITQ": "", "TRIGDATA": "::ffff:1.2.3.4(6666)",
        }  # fmt: skip

    def test_a_value_that_goes_on_on_the_next_line(self) -> None:
        record = one(
            "AMQ8550I: Display namelist details.\n   NAMELIST(N)      NAMES(A\n        ,B\n        ,C)\n   DESCR( )\n"
        )
        assert record.attributes == {"NAMES": ("A", "B", "C"), "DESCR": ""}
        assert record.find_line("NAMES") == 2

    def test_what_is_cut_is_a_fault(self) -> None:
        read = script("AMQ8409I: Display Queue details.\n   QUEUE(Q)   TYPE(QLOCAL)\n   DESCR(a\n")
        assert [without_column(each) for each in read.diagnostics] == [
            "log:3: no attribute that runmqsc displays stands here; the object is not read"
        ]
        assert read.records == ()

    def test_what_no_decision_rests_on_is_passed_by(self) -> None:
        text = "AMQ8631I: Display listener status details.\n   LISTENER(L)   STATUS(RUNNING)\nQMNAME(QM1) STATUS(Running)\n"
        assert script(text).records == ()

    @pytest.mark.parametrize(
        "attributes",
        [
            "QUEUE(PASSWORD('opensesame')",
            "QUEUE(Q)   TYPE(QLOCAL)\n   DESCR(a\n   PASSWORD(opensesame)\n   b)\n",
            "QUEUE(Q)   TYPE(QLOCAL)\n   DESCR(a PASS\n     WORD(opensesame)\n   b)\n",
        ],
    )
    def test_a_secret_that_another_value_takes_in_is_not_kept(self, attributes: str) -> None:
        assert "opensesame" not in repr(script(f"AMQ8409I: Display Queue details.\n   {attributes}"))

    def test_secrets_are_not_kept(self) -> None:
        text = "AMQ8414I: Display Channel details.\n   CHANNEL(C)   CHLTYPE(SDR)\n   PASSWORD(opensesame)\n"
        assert "sesame" not in repr(script(text))

    def test_commands_that_are_echoed_state_what_no_message_refuses(self) -> None:
        read = script("""
            Starting MQSC for queue manager QM1.
                 1 : DEFINE QLOCAL(A) +
                   : CLUSTER(SALES)
            AMQ8006I: IBM MQ queue created.
                 2 : DEFINE QLOCAL(B)
            AMQ8150E: IBM MQ object already exists.
                 3 : END
            Starting MQSC for queue manager QM1.
                 1 : DEFINE QLOCAL(C)
            AMQ8006I: IBM MQ queue created.
        """)
        assert [(each.action, each.name, each.line) for each in read.records] == [
            ("define", "A", 2),
            ("define", "C", 9),
        ]

    def test_several_queue_managers_in_one_log(self) -> None:
        first = script("Starting MQSC for queue manager QM1.\nAMQ8409I: D\n   QUEUE(A) TYPE(QLOCAL)\n"
                       "Starting MQSC for queue manager QM2.\nAMQ8409I: D\n   QUEUE(B) TYPE(QLOCAL)\n")  # fmt: skip
        (second,) = first.further
        assert [(each.queue_manager, [record.name for record in each.records]) for each in (first, second)] == [
            ("QM1", ["A"]),
            ("QM2", ["B"]),
        ]

    def test_a_log_without_its_banner_names_its_queue_manager_by_what_is_its_own(self) -> None:
        assert script(LOG.partition("AMQ8441I")[0]).queue_manager == "QM1"
        assert script("AMQ8441I: D\n   CLUSQMGR(QM7) CHANNEL(C) CLUSTER(S) DEFTYPE(CLUSRCVR)\n").queue_manager == "QM7"


class TestView:
    def test_the_cluster(self) -> None:
        cluster = snapshot(BANNER + LOG).cluster
        assert cluster.queue_manager == QueueManager(
            "QM1", clusters=("SALES",), clwluseq="ANY", clwlmruc=2, platform="ZOS"
        )
        assert cluster.remote_queue_managers == (
            RemoteQueueManager("QM2", ("SALES",), repository=True),
            RemoteQueueManager("QM3", ("SALES",), ("SALES",)),
        )
        assert cluster.channels == (
            Channel("TO.QM1", "QM1", "SALES", "CLUSRCVR"),
            Channel("TO.QM2", "QM2", "SALES", "CLUSSDRB", "RETRYING", clwlwght=20, netprty=4),
            Channel("TO.QM3", "QM3", "SALES", "CLUSSDRA", "RUNNING"),
        )
        assert cluster.queues == (
            Queue("MINE", "QM1", clusters=("SALES",), clwluseq="ANY", trigger=True),
            Queue("ORDERS", "QM2", clusters=("SALES",), put="DISABLED", clwlprty=3, defbind="NOTFIXED"),
            Queue("ORDERS", "QM3", type="QALIAS", clusters=("SALES",)),
        )
        assert cluster.queue_manager_aliases == (QueueManagerAlias("ANY.QM", "QM3", ("SALES",), clwlrank=2),)

    def test_where_it_comes_from_and_what_is_assumed(self) -> None:
        found = snapshot(BANNER + LOG)
        route, queue = found.cluster.channels[1], found.cluster.queues[1]
        assert found.provenance.of(route, "status") == Origin("observed", "log", 19)
        assert found.provenance.of(route, "clwlprty") == Origin("defaulted", "log", 15)
        assert found.provenance.of(queue, "put").how == "observed"
        assert found.assumptions == (
            "QM1 is no full repository of SALES: it shows the queue managers and queues that it has asked for",
        )
        assert (found.incomplete, found.knowledge.shows_counters) == ((), False)

    def test_depth_and_handles(self) -> None:
        shown = snapshot(BANNER + LOG).observed["MINE", "QM1"]
        assert (shown["CURDEPTH"], shown["IPPROCS"]) == ("7", "1")

    def test_chstatus_fills_in_where_clusqmgr_shows_no_status(self) -> None:
        status = "AMQ8417I: D\n   CHANNEL(TO.QM3) CHLTYPE(CLUSSDR) RQMNAME(QM3) STATUS(STOPPED) CURRENT\n"
        log = BANNER + LOG.replace("   STATUS(RUNNING)                         SUSPEND(YES)\n", "") + status
        assert [channel.status for channel in snapshot(log).cluster.channels] == ["INACTIVE", "RETRYING", "STOPPED"]

    def test_clusqmgr_decides_about_a_state(self) -> None:
        status = "AMQ8417I: D\n   CHANNEL(TO.QM3) CHLTYPE(CLUSSDR) RQMNAME(QM3) STATUS(STOPPED) CURRENT\n"
        assert snapshot(BANNER + LOG + status).cluster.channels[2].status == "RUNNING"

    def test_queues_whose_channels_are_not_shown(self) -> None:
        log = (
            BANNER
            + "     1 : DIS QC(*)\nAMQ8409I: D\n   QUEUE(Q) TYPE(QCLUSTER) CLUSQMGR(QM2) CLUSTER(S) CLUSQT(QLOCAL)\n"
        )
        missing = [(each.object, each.command) for each in snapshot(log).incomplete]
        assert missing == [("QM2", "DISPLAY CLUSQMGR('QM2') ALL"), ("QM1", "DISPLAY QUEUE(*) ALL")]

    def test_queues_that_nobody_asked_for(self) -> None:
        log = BANNER + LOG[LOG.index("     2 : ") : LOG.index("     3 : ")]
        missing = [each.command for each in snapshot(log).incomplete]
        assert missing == ["DISPLAY QCLUSTER(*) ALL", "DISPLAY QUEUE(*) ALL"]
        assert snapshot(BANNER + LOG).incomplete == ()


DUMP = """* Queue manager name: QM2
DEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSRCVR) CLUSTER(SALES) CLWLWGHT(70) CLWLPRTY(1)
DEFINE QLOCAL(ORDERS) CLUSTER(SALES) PUT(ENABLED) CLWLRANK(6)
DEFINE QLOCAL(UNSEEN) CLUSTER(SALES)
SUSPEND QMGR CLUSTER(SALES)
"""
OWN = """* Queue manager name: QM1
ALTER QMGR CLWLUSEQ(LOCAL)
DEFINE QLOCAL(MINE) CLUSTER(SALES) CLWLUSEQ(LOCAL)
"""


class TestBesideDumps:
    def test_of_others_counts_what_the_local_queue_manager_knows(self) -> None:
        cluster = snapshot(DUMP, BANNER + LOG, local="QM1").cluster
        assert cluster.channels[0] == Channel(
            "TO.QM2", "QM2", "SALES", "CLUSSDRB", "RETRYING", clwlwght=20, clwlprty=1, netprty=4
        )
        assert cluster.remote["QM2"].suspended == ()
        (orders,) = [queue for queue in cluster.queues_by_name["ORDERS"] if queue.queue_manager == "QM2"]
        assert (orders.put, orders.clwlprty, orders.clwlrank) == ("DISABLED", 3, 6)

    def test_of_its_own_counts_what_was_stated(self) -> None:
        for texts in ((OWN, BANNER + LOG), (BANNER + LOG, OWN)):
            cluster = snapshot(*texts).cluster
            assert (cluster.queue_manager.clwluseq, cluster.queue_manager.clwlmruc) == ("LOCAL", 2)
            (mine,) = cluster.queues_by_name["MINE"]
            assert (mine.clwluseq, mine.trigger) == ("LOCAL", True)

    def test_the_log_of_another_member_says_nothing_about_the_states_here(self) -> None:
        other = LOG.replace("QM1", "QM9").replace("RETRYING", "STOPPED")
        log = BANNER.replace("QM1", "QM9") + other
        own = OWN + "DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CLUSTER(SALES)\n"
        assert [channel.status for channel in snapshot(own, DUMP, log, local="QM1").cluster.channels] == [
            "INACTIVE",
            "INACTIVE",
        ]


SESSION = """
Starting MQSC for queue manager QM1.
     1 : DISPLAY CLUSQMGR(*) ALL
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM1)                           CHANNEL(TO.QM1)
   CLUSTER(S)                              DEFTYPE(CLUSRCVR)
AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR(QM2)                           CHANNEL(TO.QM2)
   CLUSTER(S)                              DEFTYPE(CLUSSDRA)
   STATUS(RUNNING)
AMQ8417I: Display Channel Status details.
   CHANNEL(TO.QM2)                         CHLTYPE(CLUSSDR)
   RQMNAME(QM2)                            STATUS(RUNNING)
"""
READ = "One MQSC command read.\n"
OTHER = "Starting MQSC for queue manager QM2.\n"


class TestRemarks:
    def said(self, text: str) -> list[str]:
        snapshot = read_sources([Source("f", text.encode())], "QM1")
        assert [each.status for each in snapshot.cluster.channels if each.name == "TO.QM2"] == ["RUNNING"]
        return [str(each) for each in snapshot.remarks]

    def test_a_session_without_an_end_where_another_has_one(self) -> None:
        cut = "this session does not say how many commands it read: the log may be cut"
        assert self.said(f"{SESSION}{READ}{OTHER}{READ}") == []
        assert self.said(f"{SESSION}{OTHER}{READ}") == [f"f:2: {cut}"]
        assert self.said(f"{SESSION}{READ}{OTHER}") == [f"f:15: {cut}"]
        assert self.said(f"{SESSION}{OTHER}") == []  # neither does: runmqsc may have been told to be quiet

    def test_another_state_in_chstatus(self) -> None:
        other = SESSION.replace(
            "RQMNAME(QM2)                            STATUS(RUNNING)", "RQMNAME(QM2) STATUS(RETRYING)"
        )
        shown = "CLUSQMGR shows RUNNING (f:10), CHSTATUS RETRYING (f:13); taken as RUNNING"
        assert self.said(other) == [f"f:10:4: channel 'TO.QM2' to 'QM2': {shown}"]
        assert self.said(other.replace("RQMNAME(QM2)", "RQMNAME(QM3)")) == []

    def test_a_state_that_no_clause_speaks_of_is_as_one_that_is_not_shown(self) -> None:
        said = "STATUS(DISCONNECTED): no clause speaks of this state, so it is read as not shown"
        other = SESSION.replace("\n   STATUS(RUNNING)", "\n   STATUS(DISCONNECTED)")
        assert self.said(other) == [f"f:10:4: CLUSQMGR 'QM2': {said}"]  # CHSTATUS shows another
        log = SESSION.replace("STATUS(RUNNING)", "STATUS(DISCONNECTED)").encode()
        snapshot = read_sources([Source("f", log)], "QM1")
        assert [str(each) for each in snapshot.remarks] == [
            f"f:10:4: CLUSQMGR 'QM2': {said}",
            f"f:13:44: CHSTATUS 'TO.QM2': {said}",
        ]
        assert [each.name for each in snapshot.of_unknown_state] == ["TO.QM1", "TO.QM2"]

    def test_a_channel_that_switches_transmission_queues(self) -> None:
        """A state since 7.5, in which nothing goes over the channel."""
        snapshot = read_sources([Source("f", SESSION.replace("STATUS(RUNNING)", "STATUS(SWITCHING)").encode())], "QM1")
        assert ("TO.QM2", "SWITCHING") in [(each.name, each.status) for each in snapshot.cluster.channels]
        assert snapshot.remarks == ()

    def test_the_state_of_a_channel_that_is_no_route_is_passed_by(self) -> None:
        other = """AMQ8417I: Display Channel Status details.
   CHANNEL(PHONES)                         CHLTYPE(MQTT)
   CURRENT                                 STATUS(DISCONNECTED)
"""
        assert self.said(SESSION + other) == []


def test_what_is_passed_by_in_a_log_is_told() -> None:
    """An attribute that MQSC does not have, and a command that who asked may not give: what that shows is not known."""
    head = "5724-H72 (C) Copyright IBM Corp. 1994, 2026.\nStarting MQSC for queue manager QM1.\n\n"
    queue = "     1 : DISPLAY QLOCAL(RED) ALL\nAMQ8409I: Display Queue details.\n   QUEUE(RED)   TYPE(QLOCAL)\n   CLWLRANG(4)   MAXDEPTH(9)\n"
    refused = "     2 : DISPLAY CHSTATUS(*)\nAMQ8135E: Not authorized.\n"
    absent = "     3 : DISPLAY CLUSQMGR(*)\nAMQ8147E: IBM MQ object * not found.\n"
    assert [str(each) for each in read_runmqsc(head + queue + refused + absent, "QM1.log").remarks] == [
        "QM1.log:5: MQSC has no attribute CLWLRANG, so it is passed by; did you mean 'CLWLRANK'?",
        "QM1.log:9: a command was refused: AMQ8135; what it would show is not known",
    ]
    assert read_runmqsc(head + queue.replace("RANG", "RANK") + absent, "QM1.log").remarks == ()
