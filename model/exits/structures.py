"""The structures that a cluster workload exit is called with, with IBM's field names. Lengths are in bytes.

Each field says in its metadata what it ``means``, whether the exit reads it (``in``), writes it (``out``) or both, and
the structure version that brought it. An exit may change what it likes: MQWXP's ``out`` fields alone are read back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from attrs import define, field

from mqclause.model.exits.constants import MQCLCT_STATIC, MQXR2_STATIC_CACHE, MQXT_CLUSTER_WORKLOAD_EXIT

Direction = Literal["in", "out", "in/out"]

USER_AREA_LENGTH = 16
"""The length of ExitUserArea."""

NO_USER_AREA = bytes(USER_AREA_LENGTH)


def member(default: Any, means: str, direction: Direction = "in", since: int = 1) -> Any:
    """A field of a structure: what it means, who writes it, and the version of the structure that brought it.

    A class or a function as ``default`` makes the value anew for each structure.
    """
    metadata = {"means": means, "direction": direction, "since": since}
    return field(factory=default, metadata=metadata) if callable(default) else field(default=default, metadata=metadata)


@define(eq=False)
class MQWCR:
    """A cluster that a destination or a queue is in. (The next one is the next of the list.)"""

    ClusterName: str = member("", "Name of the cluster")
    ClusterFlags: int = member(0, "MQQMF_* of the destination's queue manager in that cluster")


@define(eq=False)
class MQCD:
    """The definition of the channel to a destination, as far as clusters use it; the receiver's, as MQ has it."""

    ChannelName: str = member("", "Name of the channel; blank for the local queue manager without a CLUSRCVR")
    ChannelType: int = member(0, "MQCHT_CLUSSDR, for the local queue manager MQCHT_CLUSRCVR; 0 without a channel")
    QMgrName: str = member("", "The queue manager that the channel leads to")
    NetworkPriority: int = member(0, "NETPRTY, 0 to 9", since=5)
    CLWLChannelRank: int = member(0, "CLWLRANK, 0 to 9", since=8)
    CLWLChannelPriority: int = member(0, "CLWLPRTY, 0 to 9", since=8)
    CLWLChannelWeight: int = member(50, "CLWLWGHT, 1 to 99", since=8)


@define(eq=False)
class MQWDR:
    """A destination: a queue manager and the route to it."""

    StrucId: str = member("WDR ", "MQWDR_STRUC_ID")
    Version: int = member(2, "MQWDR_VERSION_2")
    QMgrFlags: int = member(0, "MQQMF_*: full repository, how the channel is defined, able to receive messages")
    QMgrIdentifier: str = member("", "QMID, which no facts state: blank")
    QMgrName: str = member("", "Name of the queue manager")
    ClusterRec: list[MQWCR] = member(list, "The clusters of the route (ClusterRecOffset in C)")
    ChannelState: int = member(0, "MQCHS_* of the channel")
    ChannelDef: MQCD = member(MQCD, "Definition of the channel (ChannelDefOffset in C)")
    DestSeqNumber: int = member(
        0, "Sequence number of the latest choice of this channel: the highest is most recent", since=2
    )
    DestSeqFactor: float = member(0.0, "How much the channel was used: each choice adds about 1000 / weight", since=2)


@define(eq=False)
class MQWQR:
    """The queue at a destination; it stands at the same place of its array as its MQWDR."""

    StrucId: str = member("WQR ", "MQWQR_STRUC_ID")
    Version: int = member(2, "MQWQR_VERSION_2")
    QFlags: int = member(0, "MQQF_*: a local queue, and the CLWLUSEQ in effect for it")
    QName: str = member("", "Name of the queue")
    QMgrIdentifier: str = member("", "QMID of its queue manager, which no facts state: blank")
    ClusterRec: list[MQWCR] = member(list, "The clusters of the queue (ClusterRecOffset in C)")
    QType: int = member(1, "MQCQT_*: local queue, alias queue, remote queue")
    QDesc: str = member("", "DESCR, at most 64 characters")
    DefBind: int = member(0, "MQBND_* of DEFBIND")
    DefPersistence: int = member(0, "MQPER_* of DEFPSIST")
    DefPriority: int = member(0, "DEFPRTY, 0 to 9")
    InhibitPut: int = member(0, "MQQA_PUT_* of PUT")
    CLWLQueuePriority: int = member(0, "CLWLPRTY, 0 to 9", since=2)
    CLWLQueueRank: int = member(0, "CLWLRANK, 0 to 9", since=2)


EXIT_REASONS = ("CLWL_OPEN", "CLWL_PUT", "CLWL_MOVE", "CLWL_REPOS", "CLWL_REPOS_MOVE")
"""Why an exit is called for a choice; besides, it is at its begin (INIT) and its end (TERM)."""


@define(eq=False)
class MQWXP:
    """The parameters of one call of a cluster workload exit."""

    StrucId: str = member("WXP ", "MQWXP_STRUC_ID")
    Version: int = member(3, "MQWXP_VERSION_3")
    ExitId: int = member(MQXT_CLUSTER_WORKLOAD_EXIT, "MQXT_CLUSTER_WORKLOAD_EXIT")
    ExitReason: str = member(
        "CLWL_PUT", "Why it is called: INIT, TERM, or CLWL_ and OPEN, PUT, MOVE, REPOS, REPOS_MOVE"
    )
    ExitResponse: str = member(
        "OK", "OK, SUPPRESS_FUNCTION (the call fails) or SUPPRESS_EXIT (the last call of it)", "in/out"
    )
    ExitResponse2: int = member(MQXR2_STATIC_CACHE, "MQXR2_*: whether it can follow a cache that moves", "in/out")
    Feedback: int = member(0, "Reserved", "in/out")
    Flags: int = member(0, "MQWXP_PUT_BY_CLUSTER_CHL if the message came over a cluster channel")
    ExitUserArea: bytes = member(NO_USER_AREA, "16 bytes that are kept from call to call, zero at first", "in/out")
    ExitData: str = member("", "CLWLDATA of the queue manager, at most 32 characters")
    MsgDesc: Mapping[str, Any] | None = member(None, "MQMD by field name; None at an open (MsgDescPtr in C)")
    MsgBuffer: bytes = member(b"", "The message or the beginning of it, at most CLWLLEN (MsgBufferPtr in C)")
    MsgBufferLength: int = member(0, "Length of MsgBuffer")
    MsgLength: int = member(0, "Length of the whole message; 0 at an open")
    QName: str = member("", "Name of the queue that is opened or put to; blank where a queue manager is")
    QMgrName: str = member("", "Name of the local queue manager")
    DestinationCount: int = member(0, "How many destinations there are")
    DestinationChosen: int = member(
        0, "Number of the destination, from 1: the queue manager's own choice, 0 for none", "in/out"
    )
    DestinationArray: list[MQWDR] = member(list, "The destinations (DestinationArrayPtr in C)")
    QArray: list[MQWQR] | None = member(None, "The queue at each of them; None where a queue manager is being chosen")
    CacheContext: int = member(0, "Reserved", "in/out", since=2)
    CacheType: int = member(MQCLCT_STATIC, "MQCLCT_STATIC: the records do not move", since=2)
    CLWLMRUChannels: int = member(999_999_999, "CLWLMRUC of the queue manager", since=3)
