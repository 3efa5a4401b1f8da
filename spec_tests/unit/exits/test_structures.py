"""What an exit sees: IBM's field names and numbers, worked out by hand from facts."""

from __future__ import annotations

import pickle
from typing import Any

import attrs
import pytest

from mqclause import Engine, Put, read_document
from mqclause.exits import MQCD, MQWCR, MQWDR, MQWQR, MQWXP
from mqclause.model.configuration.snapshot import read_sources
from mqclause.model.configuration.sources import Source
from mqclause.model.exits import (
    ExitCallParameters,
    OfferedMessage,
    build_mqwxp,
    build_offered_destinations,
    is_queue_choice,
)
from mqclause.model.facts.workload import list_destinations
from spec_tests.support.exit_scene import facts

LOCAL = {
    "name": "Q",
    "clusters": ["S"],
    "clwluseq": "ANY",
    "descr": "orders",
    "defbind": "GROUP",
    "defprty": 4,
    "clwlprty": 2,
    "clwlrank": 1,
}
RECEIVER = {"name": "TO.QM1", "queue_manager": "QM1", "cluster": "S", "deftype": "CLUSRCVR", "status": "RUNNING"}


def seen(put: dict[str, Any] | None = None, **changes: Any) -> MQWXP:
    """The structures of a put that is not bound, of all its destinations."""
    document = facts(**changes)
    document["channel"] += changes.get("receivers", [])
    cluster = read_document(document, "facts").cluster
    asked = Put(**(put or {"queue": "Q"}))
    listed = build_offered_destinations(cluster, asked, list_destinations(cluster, asked, Engine().listing))
    return build_mqwxp(
        ExitCallParameters("CLWL_PUT", bytes(16), "TO.QM3", asked.from_cluster_channel, asked.queue, "QM1", 5, 1,
              [tuple(each) for each in listed], is_queue_choice(asked), 100, 100, None, {"Priority": -1})
    )  # fmt: skip


@pytest.mark.parametrize("structure", [MQWXP, MQWDR, MQWQR, MQWCR, MQCD])
def test_every_field_says_what_it_means_and_who_writes_it(structure: type) -> None:
    for each in attrs.fields(structure):
        assert each.metadata["means"], each.name
        assert each.metadata["direction"] in ("in", "out", "in/out"), each.name
        assert each.metadata["since"] >= 1, each.name


def test_the_fields_that_an_exit_writes() -> None:
    written = [each.name for each in attrs.fields(MQWXP) if "out" in each.metadata["direction"]]
    assert written == ["ExitResponse", "ExitResponse2", "Feedback", "ExitUserArea", "DestinationChosen", "CacheContext"]


def test_a_misspelt_field_is_an_error() -> None:
    with pytest.raises(AttributeError):
        MQWXP().DestinationChoosen = 1  # type: ignore[attr-defined]


def test_the_parameters() -> None:
    wxp = seen()
    assert (wxp.ExitId, wxp.ExitReason, wxp.ExitResponse, wxp.ExitResponse2) == (20, "CLWL_PUT", "OK", 0)
    assert (wxp.QName, wxp.QMgrName, wxp.ExitData, wxp.CLWLMRUChannels) == ("Q", "QM1", "TO.QM3", 5)
    assert (wxp.CacheType, wxp.Flags, wxp.DestinationCount, wxp.DestinationChosen) == (0, 0, 3, 1)
    assert (wxp.MsgBuffer, wxp.MsgLength, wxp.MsgDesc) == (bytes(100), 100, {"Priority": -1})
    assert seen({"queue": "Q", "from_cluster_channel": True}).Flags == 2


def test_a_destination_and_its_channel() -> None:
    channel = {
        "status": "RETRYING",
        "clwlrank": 1,
        "clwlprty": 2,
        "clwlwght": 3,
        "netprty": 4,
        "dest_seq_number": 6,
        "dest_seq_factor": 7.5,
    }
    (first, *_) = seen(channels={"QM2": channel}, others={"QM2": {"repository": True}}).DestinationArray
    assert (first.QMgrName, first.QMgrIdentifier, first.ChannelState) == ("QM2", "", 5)
    assert (first.DestSeqNumber, first.DestSeqFactor) == (6, 7.5)
    assert first.QMgrFlags == 0x2 | 0x10 | 0x20
    assert [(each.ClusterName, each.ClusterFlags) for each in first.ClusterRec] == [("S", 0x32)]
    route = first.ChannelDef
    assert (route.ChannelName, route.ChannelType, route.QMgrName) == ("TO.QM2", 9, "QM2")
    assert (route.CLWLChannelRank, route.CLWLChannelPriority, route.CLWLChannelWeight, route.NetworkPriority) == (
        1,
        2,
        3,
        4,
    )


@pytest.mark.parametrize(
    ("status", "number"),
    [("INACTIVE", 0), ("BINDING", 1), ("STARTING", 2), ("RUNNING", 3), ("STOPPING", 4), ("RETRYING", 5), ("STOPPED", 6),
     ("REQUESTING", 7), ("PAUSED", 8), ("INITIALIZING", 13)],
)  # fmt: skip
def test_the_states_of_channels(status: str, number: int) -> None:
    assert seen(channels={"QM2": {"status": status}}).DestinationArray[0].ChannelState == number


@pytest.mark.parametrize(("deftype", "flags"), [("CLUSSDR", 0x8), ("CLUSSDRA", 0x10), ("CLUSSDRB", 0x18)])
def test_how_the_channel_is_defined(deftype: str, flags: int) -> None:
    assert seen(channels={"QM2": {"deftype": deftype}}).DestinationArray[0].QMgrFlags == flags | 0x20


@pytest.mark.parametrize("other", [{"suspended": ["S"]}, {"available": False}])
def test_a_queue_manager_that_is_not_available(other: dict[str, Any]) -> None:
    first, second, _ = seen(others={"QM2": other}).DestinationArray
    assert (first.QMgrFlags & 0x20, second.QMgrFlags & 0x20) == (0, 0x20)


def test_a_suspension_in_another_cluster_does_not_count() -> None:
    assert seen(others={"QM2": {"clusters": ["S", "T"], "suspended": ["T"]}}).DestinationArray[0].QMgrFlags & 0x20


def test_a_remote_queue() -> None:
    queue = {
        "put": "DISABLED",
        "type": "QALIAS",
        "target": "R",
        "defbind": "NOTFIXED",
        "defprty": 8,
        "clwlprty": 3,
        "clwlrank": 9,
        "descr": "alias",
        "defpsist": "YES",
    }
    wxp = seen(queues={"QM3": queue})
    assert wxp.QArray is not None
    found = wxp.QArray[1]
    assert (found.QName, found.QFlags, found.QType, found.QDesc, found.QMgrIdentifier) == ("Q", 0, 2, "alias", "")
    assert (found.DefBind, found.DefPriority, found.DefPersistence, found.InhibitPut) == (1, 8, 1, 1)
    assert (found.CLWLQueuePriority, found.CLWLQueueRank) == (3, 9)
    assert [each.ClusterName for each in found.ClusterRec] == ["S"]


DUMPS = [
    "* Queue manager name: QM1\nDEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CLUSTER(S)\n",
    """* Queue manager name: QM2
ALTER QMGR REPOS('S')
DEFINE CHANNEL(TO.QM2) CHLTYPE(CLUSRCVR) CLUSTER(S) NETPRTY(4)
DEFINE QLOCAL(Q) CLUSTER(S) DEFPSIST(YES) DEFPRTY(3) DESCR('what a person says of it, which is longer than an exit is told here')
""",
]


def test_what_dumps_say() -> None:
    sources = [Source(f"QM{number}.mqsc", text.encode()) for number, text in enumerate(DUMPS, 1)]
    wxp = Engine().exit_parameters(Put(queue="Q"), read_sources(sources, "QM1").cluster)
    assert wxp.QArray is not None
    (first,), (queue,) = wxp.DestinationArray, wxp.QArray
    assert (first.QMgrFlags, first.ChannelDef.NetworkPriority) == (0x2 | 0x10 | 0x20, 4)
    assert (queue.DefPersistence, queue.DefPriority) == (1, 3)
    assert queue.QDesc == "what a person says of it, which is longer than an exit is told h"


def test_the_local_queue_without_a_receiver() -> None:
    wxp = seen(local=[LOCAL])
    assert wxp.QArray is not None
    first, queue = wxp.DestinationArray[0], wxp.QArray[0]
    assert (first.QMgrName, first.ChannelDef.ChannelName, first.ChannelState, first.QMgrFlags) == ("QM1", "", 0, 0x20)
    assert (queue.QFlags, queue.QType, queue.DefBind, queue.QDesc) == (0x1 | 0x40, 1, 2, "orders")
    assert (queue.DefPriority, queue.CLWLQueuePriority, queue.CLWLQueueRank) == (4, 2, 1)


def test_the_local_queue_with_a_receiver() -> None:
    first = seen(local=[LOCAL], receivers=[RECEIVER]).DestinationArray[0]
    assert (first.ChannelDef.ChannelName, first.ChannelDef.ChannelType, first.ChannelState) == ("TO.QM1", 8, 3)


@pytest.mark.parametrize(
    ("own", "queue", "flags"),
    [("LOCAL", "QMGR", 0x81), ("ANY", "QMGR", 0x41), ("ANY", "LOCAL", 0x81), ("LOCAL", "ANY", 0x41)],
)
def test_the_clwluseq_in_effect(own: str, queue: str, flags: int) -> None:
    wxp = seen(local=[{**LOCAL, "clwluseq": queue}], queue_manager={"clwluseq": own})
    assert wxp.QArray is not None
    assert wxp.QArray[0].QFlags == flags
    assert [each.QFlags for each in wxp.QArray[1:]] == [0, 0, 0]


def test_a_queue_manager_has_no_queues() -> None:
    wxp = seen({"queue_manager": "QM3"})
    assert (wxp.QArray, wxp.QName, [each.QMgrName for each in wxp.DestinationArray]) == (None, "", ["QM3"])


def test_each_call_has_structures_of_its_own() -> None:
    one, other = seen(), seen()
    one.DestinationArray[0].ChannelDef.ChannelName = "X"
    assert other.DestinationArray[0].ChannelDef.ChannelName == "TO.QM2"
    assert pickle.loads(pickle.dumps(one)).DestinationArray[0].QMgrName == "QM2"


def test_a_message_of_a_program() -> None:
    assert OfferedMessage.of(b"abc", Persistence=1) == (3, b"abc", {"Priority": -1, "Persistence": 1})
