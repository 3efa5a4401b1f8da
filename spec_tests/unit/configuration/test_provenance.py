"""Where attributes come from: what is stated, observed or defaulted, in which file and on which line."""

from __future__ import annotations

import pytest

from mqclause.model.configuration.provenance import Origin
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.facts.objects import Queue
from spec_tests.support.origins import origins, queue, read

SCRIPT = """
* Queue manager name: QM2
* Queue manager platform: z/OS
ALTER QMGR +
   CLWLUSEQ(ANY) +
*  QMID(QM2_2026) +
   REPOSNL(HUBS)
DEFINE NAMELIST(HUBS) NAMES(SALES, LOANS)
DEFINE QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) +
   CLWLRANK(3) +
   NOTRIGGER
DEFINE QLOCAL(ORDERS) +
   DESCR('the orders +
   of today') +
   CLUSTER(SALES) +
*  CURDEPTH(7) +
   CLWLPRTY(5) +
   TRIGGER
ALTER QLOCAL(ORDERS) +
   CLWLPRTY(6) +
   NOTRIGGER +
   QSGDISP(SHARED)
DEFINE QLOCAL(LIKE.ORDERS) LIKE(ORDERS) +
   PUT(DISABLED)
DEFINE QALIAS(NEWS) TARGET(X) +
   TARGTYPE(TOPIC)
DEFINE QLOCAL(LISTED) CLUSTER(' ') +
   CLUSNL(HUBS)
DEFINE QREMOTE(SELF) +
   RQMNAME(QM2) +
   CLWLPRTY(2)
DEFINE CHANNEL(TO.QM2) +
   CHLTYPE(CLUSRCVR) +
   CLUSTER(SALES) +
   NETPRTY(4)
DEFINE PROCESS(P) +
   APPLICID('run')
SUSPEND QMGR +
   CLUSTER(SALES)
"""


@pytest.fixture(scope="module")
def qm2() -> Snapshot:
    return read(qm2=SCRIPT)


class TestScripts:
    def test_a_definition_and_what_it_leaves_out(self, qm2: Snapshot) -> None:
        of = qm2.provenance.of
        assert of(queue(qm2, "ORDERS"), "clusters") == Origin("stated", "qm2", 14)
        assert str(of(queue(qm2, "ORDERS"), "clusters")) == "qm2:14"
        assert of(queue(qm2, "ORDERS"), "defbind") == Origin("defaulted", "qm2", 11)
        assert of(queue(qm2, "ORDERS"), "name") == Origin("stated", "qm2", 11)

    def test_an_alter_has_the_line_of_the_attribute(self, qm2: Snapshot) -> None:
        assert origins(qm2, queue(qm2, "ORDERS"), "clwlprty trigger shared type") == {
            "clwlprty": ("stated", 19),
            "trigger": ("stated", 20),
            "shared": ("stated", 21),
            "type": ("stated", 11),
        }

    def test_a_default_object_of_the_same_script(self, qm2: Snapshot) -> None:
        assert origins(qm2, queue(qm2, "ORDERS"), "clwlrank") == {"clwlrank": ("stated", 9)}

    def test_a_definition_like_another(self, qm2: Snapshot) -> None:
        like = queue(qm2, "LIKE.ORDERS")
        assert origins(qm2, like, "put clwlprty clwlrank trigger clusters shared name get") == {
            "put": ("stated", 23),
            "clwlprty": ("stated", 19),
            "clwlrank": ("stated", 9),
            "trigger": ("stated", 20),
            "clusters": ("stated", 14),
            "shared": ("defaulted", 22),  # QSGDISP is not copied
            "name": ("stated", 22),
            "get": ("defaulted", 22),
        }

    def test_what_a_dump_shows_is_observed(self, qm2: Snapshot) -> None:
        orders = queue(qm2, "ORDERS")
        assert origins(qm2, orders, "queue_manager CURDEPTH curdepth") == {
            "queue_manager": ("observed", 1),
            "CURDEPTH": ("observed", 15),
            "curdepth": ("observed", 15),
        }
        assert qm2.observed["ORDERS", "QM2"]["CURDEPTH"] == "7"
        assert (orders.curdepth, orders.ipprocs) == (7, None)

    def test_clusters_of_a_namelist_stand_where_the_object_names_it(self, qm2: Snapshot) -> None:
        assert queue(qm2, "LISTED").clusters == ("SALES", "LOANS")
        assert origins(qm2, queue(qm2, "LISTED"), "clusters") == {"clusters": ("stated", 27)}

    def test_an_alias_of_a_topic_leads_to_no_queue(self, qm2: Snapshot) -> None:
        news = queue(qm2, "NEWS")
        assert (news.target, news.targtype, news.base_queue) == ("X", "TOPIC", "")
        assert origins(qm2, news, "target targtype") == {"target": ("stated", 24), "targtype": ("stated", 25)}

    def test_the_queue_manager(self, qm2: Snapshot) -> None:
        own = qm2.cluster.queue_manager
        assert (own.platform, own.clusters, own.suspended) == ("ZOS", ("SALES", "LOANS"), ("SALES",))
        assert origins(qm2, own, "name platform clwluseq clusters suspended clwlmruc QMID") == {
            "name": ("observed", 1),
            "platform": ("observed", 2),
            "clwluseq": ("stated", 4),
            "clusters": ("stated", 33),
            "suspended": ("stated", 38),
            "clwlmruc": ("defaulted", 3),
            "QMID": ("observed", 5),
        }

    def test_an_alias_of_a_queue_manager_that_a_cluster_knows(self) -> None:
        snapshot = read(
            qm2="\n* Queue manager name: QM2\nDEF QR(A) CLUSTER(SALES) +\n RQMNAME(QM9)\nDEF QR(B) CLUSTER(SALES)\n"
            "DEF CHL(C) CHLTYPE(CLUSRCVR) CLUSTER(SALES)"
        )
        elsewhere, own = snapshot.cluster.queue_manager_aliases
        assert origins(snapshot, elsewhere, "name queue_manager host clusters") == {
            "name": ("stated", 2),
            "queue_manager": ("stated", 3),
            "host": ("observed", 1),
            "clusters": ("stated", 2),
        }
        assert origins(snapshot, own, "queue_manager") == {"queue_manager": ("observed", 1)}

    def test_aliases_channels_and_processes(self, qm2: Snapshot) -> None:
        alias = queue(qm2, "SELF")
        (channel,), (process,) = qm2.cluster.channels, qm2.cluster.processes
        assert origins(qm2, alias, "name rqmname clwlprty clwlrank") == {
            "name": ("stated", 28),
            "rqmname": ("stated", 29),
            "clwlprty": ("stated", 30),
            "clwlrank": ("defaulted", 28),
        }
        assert origins(qm2, channel, "name deftype cluster netprty clwlwght status dest_seq_number") == {
            "name": ("stated", 31),
            "deftype": ("stated", 32),
            "cluster": ("stated", 33),
            "netprty": ("stated", 34),
            "clwlwght": ("defaulted", 31),
            "status": ("defaulted", 31),
            "dest_seq_number": ("defaulted", 31),
        }
        assert origins(qm2, process, "applicid appltype") == {"applicid": ("stated", 36), "appltype": ("defaulted", 35)}

    def test_a_script_that_does_not_say_whose_it_is(self) -> None:
        snapshot = read("QM1", x="\nDEFINE QLOCAL(A)\nDEFINE QREMOTE(B)\n")
        own = snapshot.cluster.queue_manager
        assert origins(snapshot, own, "name trigint platform") == {
            "name": ("stated", None),
            "trigint": ("defaulted", None),
            "platform": ("defaulted", None),
        }
        assert snapshot.provenance.of(queue(snapshot, "A"), "queue_manager") == Origin("stated", "x", 1)

    def test_a_definition_that_is_replaced_states_nothing_any_more(self) -> None:
        snapshot = read("QM1", x="\nDEFINE QLOCAL(A) CLWLRANK(2) GET(DISABLED)\nDEFINE QLOCAL(A) CLWLRANK(2) REPLACE\n")
        assert origins(snapshot, queue(snapshot, "A"), "name clwlrank get") == {
            "name": ("stated", 2),
            "clwlrank": ("stated", 2),
            "get": ("defaulted", 2),
        }

    def test_routes_to_others_and_how_they_are_known(self) -> None:
        local = "\n* Queue manager name: A\nDEFINE CHANNEL(TO.B) +\n CHLTYPE(CLUSSDR) CLUSTER(PAY)\n"
        b = "\n* Queue manager name: B\nDEFINE CHANNEL(TO.B) +\n CHLTYPE(CLUSRCVR) +\n CLUSTER(PAY)\n"
        c = b.replace("B", "C")
        snapshot = read("A", a=local, b=b, c=c)
        to_b, to_c = snapshot.cluster.channels
        of = snapshot.provenance.of
        assert (to_b.deftype, of(to_b, "deftype")) == ("CLUSSDRB", Origin("stated", "a", 3))
        assert (to_c.deftype, of(to_c, "deftype")) == ("CLUSSDRA", Origin("stated", "c", 3))
        assert of(to_b, "cluster") == Origin("stated", "b", 4)
        assert of(snapshot.cluster.remote["C"], "clusters") == Origin("stated", "c", 4)
        assert of(snapshot.cluster.remote["C"], "name") == Origin("observed", "c", 1)
        assert of(snapshot.cluster.remote["C"], "suspended") == Origin("defaulted", "c")
        assert of(to_c, "queue_manager") == Origin("observed", "c", 1)


class TestBoth:
    def test_a_queue_manager_that_a_file_describes_and_a_script_puts_into_clusters(self) -> None:
        script = "\n* Queue manager name: HQ\nDEFINE CHANNEL(TO.HQ) CHLTYPE(CLUSRCVR) CLUSTER(PARTS)\nSUSPEND QMGR CLUSTER(A)\n"
        snapshot = read(hq="\n[queue_manager]\nname = 'HQ'\ntrigint = 5\n", script=script)
        of, own = snapshot.provenance.of, snapshot.cluster.queue_manager
        assert (own.clusters, own.suspended, own.trigint) == (("PARTS",), ("A",), 5)
        assert of(own, "clusters") == Origin("stated", "script", 2)
        assert of(own, "suspended") == Origin("stated", "script", 3)
        assert of(own, "trigint") == Origin("stated", "hq", 3)
        assert of(own, "clwlmruc") == Origin("defaulted", "hq", 1)

    def test_what_was_left_out_leaves_no_trace(self) -> None:
        facts = "\n[queue_manager]\nname = 'HQ'\n[[queue]]\nname = 'A'\n"
        snapshot = read(None, True, hq=facts, script="\nDEFINE QLOCAL(A) CLWLRANK(3)\n")
        assert len(snapshot.warnings) == 1
        assert snapshot.provenance.of(queue(snapshot, "A"), "clwlrank") == Origin("defaulted", "hq", 3)

    def test_what_is_not_the_snapshots(self, qm2: Snapshot) -> None:
        with pytest.raises(KeyError):
            qm2.provenance.of(Queue("OTHER", "QM2"), "get")
        with pytest.raises(AttributeError, match="clwlprio"):
            qm2.provenance.of(queue(qm2, "ORDERS"), "clwlprio")
