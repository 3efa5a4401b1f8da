"""The call of a cluster workload exit: the structures that it is given, with MQ's names, and what the exit rules see.

Each field of a structure says in its metadata what it ``means``, whether the exit reads it (``in``), writes it
(``out``) or both, and the structure version that brought it. An exit may change what it likes: MQWXP's ``out`` fields
alone are read back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from attrs import define, field, frozen

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import CHANNEL_STATUS, LARGEST, Finite, Names, Text, Whole, Words, rule_field
from mqclause.model.facts.objects import BINDINGS, LONGEST_MESSAGE, Put, Queue
from mqclause.model.facts.workload import CounterKey, Destination

Direction = Literal["in", "out", "in/out"]

USER_AREA_LENGTH = 16
"""The length of ExitUserArea."""

NO_USER_AREA = bytes(USER_AREA_LENGTH)

MQXT_CLUSTER_WORKLOAD_EXIT: Final = 20
"""MQWXP.ExitId."""

MQXR2_STATIC_CACHE: Final = 0
MQXR2_DYNAMIC_CACHE: Final = 32
"""MQWXP.ExitResponse2: whether the exit can follow the records of a cache that moves."""

MQCLCT_STATIC: Final = 0
MQCLCT_DYNAMIC: Final = 1
"""MQWXP.CacheType."""

MQWXP_PUT_BY_CLUSTER_CHL: Final = 0x2
"""MQWXP.Flags: the message came over a cluster channel."""

MQQF_LOCAL_Q: Final = 0x1
MQQF_CLWL_USEQ_ANY: Final = 0x40
MQQF_CLWL_USEQ_LOCAL: Final = 0x80
"""MQWQR.QFlags: a local queue, and the CLWLUSEQ in effect for it."""

MQQMF_REPOSITORY_Q_MGR: Final = 0x2
MQQMF_CLUSSDR_USER_DEFINED: Final = 0x8
MQQMF_CLUSSDR_AUTO_DEFINED: Final = 0x10
MQQMF_AVAILABLE: Final = 0x20
"""MQWDR.QMgrFlags: a full repository, how its channel is defined, and that it can receive messages."""

MQCHT_CLUSRCVR: Final = 8
MQCHT_CLUSSDR: Final = 9
"""MQCD.ChannelType."""

MQCQT_Q_MGR_ALIAS: Final = 4
QUEUE_TYPES_IN_CLUSTERS: Final[dict[str, int]] = {"QLOCAL": 1, "QALIAS": 2, "QREMOTE": 3}
"""MQWQR.QType by MQSC word (MQCQT_*)."""

DEFAULT_BINDINGS: Final[dict[str, int]] = {"OPEN": 0, "NOTFIXED": 1, "GROUP": 2}
"""MQWQR.DefBind by MQSC word (MQBND_*)."""

PUT_INHIBITED: Final[dict[str, int]] = {"ENABLED": 0, "DISABLED": 1}
"""MQWQR.InhibitPut by MQSC word (MQQA_PUT_*)."""

DEFAULT_PERSISTENCE: Final[dict[str, int]] = {"NO": 0, "YES": 1}
"""MQWQR.DefPersistence by MQSC word (MQPER_*)."""

MQPER_NOT_PERSISTENT: Final = 0
MQPER_PERSISTENT: Final = 1
MQPER_PERSISTENCE_AS_Q_DEF: Final = 2
MQPRI_PRIORITY_AS_Q_DEF: Final = -1
"""MQMD.Persistence and MQMD.Priority."""


def structure_field(default: Any, means: str, direction: Direction = "in", since: int = 1) -> Any:
    """Return a field of a structure: what it means, who writes it, and the version of the structure that brought it.

    A class or a function as ``default`` makes the value anew for each structure.
    """
    metadata = {"means": means, "direction": direction, "since": since}
    return field(factory=default, metadata=metadata) if callable(default) else field(default=default, metadata=metadata)


@define(eq=False)
class MQWCR:
    """A cluster that a destination or a queue is in. (The next one is the next of the list.)"""

    ClusterName: str = structure_field("", "Name of the cluster")
    ClusterFlags: int = structure_field(0, "MQQMF_* of the destination's queue manager in that cluster")


@define(eq=False)
class MQCD:
    """The definition of the channel to a destination, as far as clusters use it; the receiver's, as in MQ."""

    ChannelName: str = structure_field("", "Name of the channel; blank for the local queue manager without a CLUSRCVR")
    ChannelType: int = structure_field(
        0, "MQCHT_CLUSSDR, for the local queue manager MQCHT_CLUSRCVR; 0 without a channel"
    )
    QMgrName: str = structure_field("", "The queue manager that the channel leads to")
    NetworkPriority: int = structure_field(0, "NETPRTY, 0 to 9", since=5)
    CLWLChannelRank: int = structure_field(0, "CLWLRANK, 0 to 9", since=8)
    CLWLChannelPriority: int = structure_field(0, "CLWLPRTY, 0 to 9", since=8)
    CLWLChannelWeight: int = structure_field(50, "CLWLWGHT, 1 to 99", since=8)


@define(eq=False)
class MQWDR:
    """A destination: a queue manager and the route to it."""

    StrucId: str = structure_field("WDR ", "MQWDR_STRUC_ID")
    Version: int = structure_field(2, "MQWDR_VERSION_2")
    QMgrFlags: int = structure_field(
        0, "MQQMF_*: full repository, how the channel is defined, able to receive messages"
    )
    QMgrIdentifier: str = structure_field("", "QMID, which no facts state: blank")
    QMgrName: str = structure_field("", "Name of the queue manager")
    ClusterRec: list[MQWCR] = structure_field(list, "The clusters of the route (ClusterRecOffset in C)")
    ChannelState: int = structure_field(0, "MQCHS_* of the channel")
    ChannelDef: MQCD = structure_field(MQCD, "Definition of the channel (ChannelDefOffset in C)")
    DestSeqNumber: int = structure_field(
        0, "Sequence number of the latest choice of this channel: the highest is most recent", since=2
    )
    DestSeqFactor: float = structure_field(
        0.0, "How much the channel was used: each choice adds about 1000 / weight", since=2
    )


@define(eq=False)
class MQWQR:
    """The queue at a destination; it stands at the same place of its array as its MQWDR."""

    StrucId: str = structure_field("WQR ", "MQWQR_STRUC_ID")
    Version: int = structure_field(2, "MQWQR_VERSION_2")
    QFlags: int = structure_field(0, "MQQF_*: a local queue, and the CLWLUSEQ in effect for it")
    QName: str = structure_field("", "Name of the queue")
    QMgrIdentifier: str = structure_field("", "QMID of its queue manager, which no facts state: blank")
    ClusterRec: list[MQWCR] = structure_field(list, "The clusters of the queue (ClusterRecOffset in C)")
    QType: int = structure_field(1, "MQCQT_*: local queue, alias queue, remote queue")
    QDesc: str = structure_field("", "DESCR, at most 64 characters")
    DefBind: int = structure_field(0, "MQBND_* of DEFBIND")
    DefPersistence: int = structure_field(0, "MQPER_* of DEFPSIST")
    DefPriority: int = structure_field(0, "DEFPRTY, 0 to 9")
    InhibitPut: int = structure_field(0, "MQQA_PUT_* of PUT")
    CLWLQueuePriority: int = structure_field(0, "CLWLPRTY, 0 to 9", since=2)
    CLWLQueueRank: int = structure_field(0, "CLWLRANK, 0 to 9", since=2)


@define(eq=False)
class MQWXP:
    """The parameters of one call of a cluster workload exit."""

    StrucId: str = structure_field("WXP ", "MQWXP_STRUC_ID")
    Version: int = structure_field(3, "MQWXP_VERSION_3")
    ExitId: int = structure_field(MQXT_CLUSTER_WORKLOAD_EXIT, "MQXT_CLUSTER_WORKLOAD_EXIT")
    ExitReason: str = structure_field(
        "CLWL_PUT", "Why it is called: INIT, TERM, or CLWL_ and OPEN, PUT, MOVE, REPOS, REPOS_MOVE"
    )
    ExitResponse: str = structure_field(
        "OK", "OK, SUPPRESS_FUNCTION (the call fails) or SUPPRESS_EXIT (the last call of it)", "in/out"
    )
    ExitResponse2: int = structure_field(
        MQXR2_STATIC_CACHE, "MQXR2_*: whether it can follow a cache that moves", "in/out"
    )
    Feedback: int = structure_field(0, "Reserved", "in/out")
    Flags: int = structure_field(0, "MQWXP_PUT_BY_CLUSTER_CHL if the message came over a cluster channel")
    ExitUserArea: bytes = structure_field(
        NO_USER_AREA, "16 bytes that are kept from call to call, zero at first", "in/out"
    )
    ExitData: str = structure_field("", "CLWLDATA of the queue manager, at most 32 characters")
    MsgDesc: Mapping[str, Any] | None = structure_field(None, "MQMD by field name; None at an open (MsgDescPtr in C)")
    MsgBuffer: bytes = structure_field(b"", "The message or the beginning of it, at most CLWLLEN (MsgBufferPtr in C)")
    MsgBufferLength: int = structure_field(0, "Length of MsgBuffer")
    MsgLength: int = structure_field(0, "Length of the whole message; 0 at an open")
    QName: str = structure_field("", "Name of the queue that is opened or put to; blank where a queue manager is")
    QMgrName: str = structure_field("", "Name of the local queue manager")
    DestinationCount: int = structure_field(0, "How many destinations there are")
    DestinationChosen: int = structure_field(
        0, "Number of the destination, from 1: the queue manager's own choice, 0 for none", "in/out"
    )
    DestinationArray: list[MQWDR] = structure_field(list, "The destinations (DestinationArrayPtr in C)")
    QArray: list[MQWQR] | None = structure_field(
        None, "The queue at each of them; None where a queue manager is being chosen"
    )
    CacheContext: int = structure_field(0, "Reserved", "in/out", since=2)
    CacheType: int = structure_field(MQCLCT_STATIC, "MQCLCT_STATIC: the records do not move", since=2)
    CLWLMRUChannels: int = structure_field(999_999_999, "CLWLMRUC of the queue manager", since=3)


CHANNEL_FLAGS = {
    "CLUSSDR": MQQMF_CLUSSDR_USER_DEFINED,
    "CLUSSDRA": MQQMF_CLUSSDR_AUTO_DEFINED,
    "CLUSSDRB": MQQMF_CLUSSDR_USER_DEFINED | MQQMF_CLUSSDR_AUTO_DEFINED,
}
"""MQWDR.QMgrFlags by DEFTYPE."""

QUEUE_FIELDS = (
    "QFlags", "QName", "QType", "QDesc", "DefBind", "DefPersistence", "DefPriority", "InhibitPut", "CLWLQueuePriority",
    "CLWLQueueRank",
)  # fmt: skip
"""The fields of MQWQR in whose order a queue's values are offered."""

USEQ_FLAGS = {"ANY": MQQF_CLWL_USEQ_ANY, "LOCAL": MQQF_CLWL_USEQ_LOCAL}
NO_DESCRIPTOR: Mapping[str, Any] = {
    "Priority": MQPRI_PRIORITY_AS_Q_DEF,
    "Persistence": MQPER_PERSISTENCE_AS_Q_DEF,
}
"""MQMD as MQMD_DEFAULT has it, as far as anything here depends on it."""

EXIT_NAME = Text(128)
LONGEST_RESPONSE = 200
"""How many characters of an ExitResponse, or of what went wrong, are kept."""

ANSWER = Text(LONGEST_RESPONSE)
LARGEST_CHOICE = 2**63 - 1


class OfferedMessage(NamedTuple):
    """The message that is put: its beginning (``buffer``, zero bytes if absent), its ``length`` and its MQMD."""

    length: int
    buffer: bytes | None = None
    descriptor: Mapping[str, Any] = NO_DESCRIPTOR

    @classmethod
    def of(cls, content: bytes, **descriptor: Any) -> OfferedMessage:
        """Return the message with this content; keyword arguments are fields of MQMD."""
        return cls(len(content), content, {**NO_DESCRIPTOR, **descriptor})


class OfferedDestination(NamedTuple):
    """The facts of one destination that its structures are made of, in plain values."""

    queue_manager: str
    flags: int
    clusters: tuple[str, ...]
    state: int
    counter: CounterKey
    numbers: tuple[float, int]
    channel: tuple[Any, ...]
    queue: tuple[Any, ...] | None
    queue_clusters: tuple[str, ...]


class ExitCallParameters(NamedTuple):
    """All that an exit is told in one call, in plain values that go to another process."""

    reason: str
    user_area: bytes
    exit_data: str
    put_by_cluster_channel: bool
    queue: str
    local: str
    mru_channels: int
    own_choice: int
    routes: Sequence[tuple[Any, ...]]
    of_queue: bool
    length: int
    buffer_length: int
    buffer: bytes | None
    descriptor: Mapping[str, Any] | None


def build_offered_destinations(
    cluster: Cluster, put: Put, offered: Iterable[Destination]
) -> tuple[OfferedDestination, ...]:
    """Build the destinations ``offered`` in plain values, in order."""
    return tuple(_route(cluster, put, each) for each in offered)


def is_queue_choice(put: Put) -> bool:
    """Return whether a queue is being chosen, and not a queue manager."""
    return not put.queue_manager


def build_mqwxp(offer: ExitCallParameters) -> MQWXP:
    """Build the MQWXP of one call and all that it leads to, made anew: the exit may keep or change what it likes."""
    offered = [OfferedDestination(*each) for each in offer.routes]
    buffer = bytes(offer.buffer_length) if offer.buffer is None else offer.buffer
    return MQWXP(
        ExitReason=offer.reason,
        Flags=MQWXP_PUT_BY_CLUSTER_CHL if offer.put_by_cluster_channel else 0,
        ExitUserArea=offer.user_area,
        ExitData=offer.exit_data,
        MsgDesc=None if offer.descriptor is None else dict(offer.descriptor),
        MsgBuffer=buffer,
        MsgBufferLength=len(buffer),
        MsgLength=offer.length,
        QName=offer.queue,
        QMgrName=offer.local,
        DestinationCount=len(offered),
        DestinationChosen=offer.own_choice,
        DestinationArray=[_destination(each) for each in offered],
        QArray=[_queue_record(each) for each in offered] if offer.of_queue else None,
        CLWLMRUChannels=offer.mru_channels,
    )


@frozen
class ExitCall:
    """A choice of a destination, before the exit is called for it and (``answered``) after.

    What each attribute means is in the vocabulary of exits, ``engine/audit/vocabulary.toml``.
    """

    mqi_call: str = rule_field(Words(("MQOPEN", "MQPUT", "MQPUT1")), "MQPUT")
    bind: str = rule_field(Words(BINDINGS), "OPEN")
    cluster_pcf: bool = False
    moving: bool = False
    inhibited: bool = False
    platform: str = rule_field(Words(("MULTI", "ZOS")), "MULTI")
    exit_at_start: str = rule_field(EXIT_NAME, "")
    exit_at_connection: str = rule_field(EXIT_NAME, "")
    exits_given: tuple[str, ...] = rule_field(Names(EXIT_NAME), ())
    suppressed: bool = False
    failed_on_handle: bool = False
    message_length: int = rule_field(Whole(0, LONGEST_MESSAGE), 100)
    clwllen: int = rule_field(Whole(0, LARGEST), 100)
    exit_limit: float = rule_field(Finite(0.0), 0.0)
    answered: bool = False
    response: str = rule_field(ANSWER, "")
    destination_chosen: int = rule_field(Whole(-LARGEST_CHOICE, LARGEST_CHOICE), 0)
    timed_out: bool = False
    fault: str = rule_field(ANSWER, "")
    init_fault: str = rule_field(ANSWER, "")
    clwlexit: str = rule_field(EXIT_NAME, "")
    own_choice: int = rule_field(Whole(0, LARGEST), 0)
    others_permitted: bool = False


def _route(cluster: Cluster, put: Put, to: Destination) -> OfferedDestination:
    queue = _queue(cluster, to) if is_queue_choice(put) else None
    queue_clusters = queue.clusters if queue else ()
    clusters = (to.cluster,) if to.cluster else queue_clusters or cluster.queue_manager.clusters
    kind = (MQCHT_CLUSRCVR if to.is_local else MQCHT_CLUSSDR) if to.channel else 0
    channel = (
        to.channel, kind, to.queue_manager if to.channel else "", to.network_priority, to.channel_rank,
        to.channel_priority, to.channel_weight,
    )  # fmt: skip
    return OfferedDestination(
        to.queue_manager,
        _queue_manager_flags(cluster, to),
        clusters,
        CHANNEL_STATUS.get(to.channel_status, 0),
        to.counter,
        (to.dest_seq_factor, to.dest_seq_number),
        channel,
        None if queue is None else _queue_values(cluster, to, queue),
        queue_clusters,
    )


def _queue_manager_flags(cluster: Cluster, to: Destination) -> int:
    other = cluster.remote.get(to.queue_manager)
    flags = 0 if to.suspended or (other is not None and not other.available) else MQQMF_AVAILABLE
    if other is not None and other.repository:
        flags |= MQQMF_REPOSITORY_Q_MGR
    for channel in cluster.channels_by_queue_manager.get(to.queue_manager, ()):
        if (channel.name, channel.cluster) == (to.channel, to.cluster):
            flags |= CHANNEL_FLAGS.get(channel.deftype, 0)
    return flags


def _queue(cluster: Cluster, to: Destination) -> Queue | None:
    instances = cluster.queues_by_name.get(to.queue, ())
    return next((each for each in instances if each.queue_manager == to.queue_manager), None)


def _queue_values(cluster: Cluster, to: Destination, queue: Queue) -> tuple[Any, ...]:
    flags = 0
    if to.is_local:
        in_effect = cluster.queue_manager.clwluseq if queue.clwluseq == "QMGR" else queue.clwluseq
        flags = MQQF_LOCAL_Q | USEQ_FLAGS[in_effect]
    return (
        flags, queue.name, QUEUE_TYPES_IN_CLUSTERS[queue.type], queue.descr, DEFAULT_BINDINGS[queue.defbind],
        DEFAULT_PERSISTENCE[queue.defpsist], queue.defprty, PUT_INHIBITED[queue.put], queue.clwlprty, queue.clwlrank,
    )  # fmt: skip


def _destination(of: OfferedDestination) -> MQWDR:
    factor, number = of.numbers
    records = [MQWCR(name, of.flags) for name in of.clusters]
    return MQWDR(
        QMgrFlags=of.flags,
        QMgrName=of.queue_manager,
        ClusterRec=records,
        ChannelState=of.state,
        ChannelDef=MQCD(*of.channel),
        DestSeqNumber=number,
        DestSeqFactor=factor,
    )


def _queue_record(of: OfferedDestination) -> MQWQR:
    if of.queue is None:
        return MQWQR()
    values = dict(zip(QUEUE_FIELDS, of.queue, strict=True))
    return MQWQR(ClusterRec=[MQWCR(cluster, of.flags) for cluster in of.queue_clusters], **values)
