"""The parameters of one exit call: what MQ offers, and what the exit answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from attrs import frozen

from mqclause.model.exits.structures import (
    DEFAULT_BINDINGS,
    DEFAULT_PERSISTENCE,
    MQCD,
    MQCHT_CLUSRCVR,
    MQCHT_CLUSSDR,
    MQPER_PERSISTENCE_AS_Q_DEF,
    MQPRI_PRIORITY_AS_Q_DEF,
    MQQF_CLWL_USEQ_ANY,
    MQQF_CLWL_USEQ_LOCAL,
    MQQF_LOCAL_Q,
    MQQMF_AVAILABLE,
    MQQMF_CLUSSDR_AUTO_DEFINED,
    MQQMF_CLUSSDR_USER_DEFINED,
    MQQMF_REPOSITORY_Q_MGR,
    MQWCR,
    MQWDR,
    MQWQR,
    MQWXP,
    MQWXP_PUT_BY_CLUSTER_CHL,
    PUT_INHIBITED,
    QUEUE_TYPES_IN_CLUSTERS,
)
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import CHANNEL_STATUS, LARGEST, Finite, Names, Text, Whole, Words, rule_field
from mqclause.model.facts.objects import BINDINGS, LONGEST_MESSAGE, Put, Queue
from mqclause.model.facts.workload import CounterKey, Destination

CHANNEL_FLAGS = {
    "CLUSSDR": MQQMF_CLUSSDR_USER_DEFINED,
    "CLUSSDRA": MQQMF_CLUSSDR_AUTO_DEFINED,
    "CLUSSDRB": MQQMF_CLUSSDR_USER_DEFINED | MQQMF_CLUSSDR_AUTO_DEFINED,
}
"""MQWDR.QMgrFlags by DEFTYPE."""

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

    ``exit_at_start`` and ``exit_at_connection`` are CLWLEXIT when the queue manager was started, and when the
    application connected; ``exits_given`` are the names that an exit is there for. ``moving`` is a message whose queue
    manager is not available, or failed, while it is on the transmission queue. ``inhibited`` says that an object which
    the names lead over is put-disabled. ``suppressed`` and ``failed_on_handle`` say that an exit asked not to be called
    any more, and that it failed earlier on this handle. ``message_length``, of what is put or will be, and CLWLLEN are
    in bytes, ``exit_limit`` in seconds, 0 if none is stated. ``fault`` is what went wrong in the exit, blank if nothing
    did, ``init_fault`` the same at INIT. ``clwlexit`` is CLWLEXIT now, ``own_choice`` the number of the queue manager's
    own choice, 0 if it has none. ``others_permitted``: the workload rules permit another queue manager than the one
    that failed.
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
    flags, name, kind, description, binding, persistence, priority, inhibited, workload_priority, rank = of.queue
    return MQWQR(
        QFlags=flags,
        QName=name,
        ClusterRec=[MQWCR(cluster, of.flags) for cluster in of.queue_clusters],
        QType=kind,
        QDesc=description,
        DefBind=binding,
        DefPersistence=persistence,
        DefPriority=priority,
        InhibitPut=inhibited,
        CLWLQueuePriority=workload_priority,
        CLWLQueueRank=rank,
    )
