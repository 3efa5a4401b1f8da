"""In which clusters others learn of a queue manager: those in which it has a receiver."""

from __future__ import annotations

from mqclause import cluster_map
from mqclause.check.findings import inspected
from mqclause.model.configuration.snapshot import Snapshot, read_sources
from mqclause.model.configuration.sources import Source

MEMBER = """* Queue manager name: {0}
ALTER QMGR REPOS(SALES)
DEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(SALES)
"""
SENDER_ALONE = """* Queue manager name: QM3
DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSSDR) CLUSTER(SALES)
DEFINE QLOCAL(LATE) CLUSTER(SALES)
DEFINE QREMOTE(ANY) RQMNAME(QM9) CLUSTER(SALES)
"""
TOLD = "QM3 has no CLUSRCVR in cluster SALES: nobody there learns of it"


def sources(third: str) -> list[Source]:
    texts = (MEMBER.format("QM1"), MEMBER.format("QM2"), third)
    return [Source(f"QM{at}.mqsc", text.encode()) for at, text in enumerate(texts, 1)]


def seen(local: str, third: str = SENDER_ALONE) -> Snapshot:
    return read_sources(sources(third), local)


class TestWithoutReceiver:
    def test_the_others_know_nothing_of_it(self) -> None:
        cluster = seen("QM1").cluster
        assert "QM3" not in cluster.remote
        assert "LATE" not in cluster.queues_by_name
        assert cluster.queue_manager_aliases == ()

    def test_they_are_told_so(self) -> None:
        told = seen("QM1").assumptions
        assert "taken as all members of SALES: QM1, QM2" in told
        assert TOLD in told
        assert not any("shares no cluster" in each for each in told)

    def test_it_has_its_own_queue_and_is_told(self) -> None:
        snapshot = seen("QM3")
        assert [queue.queue_manager for queue in snapshot.cluster.queues_by_name["LATE"]] == ["QM3"]
        assert TOLD in snapshot.assumptions

    def test_the_map_has_no_row_of_those_whom_check_24_says_learn_nothing(self) -> None:
        found = inspected(sources(SENDER_ALONE)).findings()
        assert "check.24" in {each.rule.id for each in found if each.name == "LATE"}
        rows = cluster_map([seen(name) for name in ("QM1", "QM2", "QM3")])
        assert {row.member for row in rows if row.queue == "LATE"} == {"QM3"}


class TestWithReceiver:
    def test_in_one_of_two_clusters(self) -> None:
        stock = "DEFINE CHANNEL(STOCK.{0}) CHLTYPE(CLUSRCVR) CLUSTER(STOCK)\n"
        third = SENDER_ALONE + stock.format("QM3") + "DEFINE QLOCAL(E) CLUSTER(STOCK)\n"
        second = "* Queue manager name: QM2\n" + stock.format("QM2")
        cluster = read_sources([*sources(third), Source("stock.mqsc", second.encode())], "QM2").cluster
        assert cluster.remote["QM3"].clusters == ("STOCK",)
        assert "E" in cluster.queues_by_name
        assert "LATE" not in cluster.queues_by_name

    def test_a_script_without_cluster_channels_leaves_open_what_there_is(self) -> None:
        third = "* Queue manager name: QM3\nALTER QMGR REPOS(SALES)\nDEFINE QLOCAL(LATE) CLUSTER(SALES)\n"
        assert "LATE" in seen("QM1", third).cluster.queues_by_name
        assert TOLD not in seen("QM1", third).assumptions
