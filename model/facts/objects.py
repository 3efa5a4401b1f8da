"""MQ objects as facts: queues, channels, queue managers, processes, and puts."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, get_args

from attrs import define, field, frozen

from mqclause.model.facts.domains import (
    CHANNEL_NAME,
    COMMANDS,
    DIGIT,
    ENABLED,
    GIVEN_NAME,
    GIVEN_NAMES,
    LARGEST,
    NAME,
    NAME_OR_BLANK,
    NAMES,
    Finite,
    Flag,
    Level,
    Text,
    Whole,
    Words,
    WordsOrWhole,
    fact_field,
    rule_field,
    status_field,
)

ChannelState = Literal[
    "INACTIVE", "RUNNING", "BINDING", "INITIALIZING", "STARTING", "STOPPING", "RETRYING", "REQUESTING", "PAUSED",
    "STOPPED", "SWITCHING",
]  # fmt: skip
"""The words of the MQSC attributes, for type checkers; what is given in other letter case is accepted too."""

Ability = Literal["ENABLED", "DISABLED"]
Binding = Literal["OPEN", "NOTFIXED", "GROUP"]
PutBinding = Literal["OPEN", "NOTFIXED", "GROUP", "AS_Q_DEF"]
PutCall = Literal["MQOPEN", "MQPUT", "MQPUT1"]
QueueType = Literal["QLOCAL", "QALIAS", "QREMOTE"]
TriggerType = Literal["NONE", "FIRST", "EVERY", "DEPTH"]
ChannelDefinition = Literal["CLUSSDR", "CLUSSDRA", "CLUSSDRB", "CLUSRCVR"]
Platform = Literal["MULTI", "ZOS"]
UseQueue = Literal["LOCAL", "ANY"]
UseQueueOfQueue = Literal["QMGR", "LOCAL", "ANY"]
DeliverySequence = Literal["PRIORITY", "FIFO"]
QueueUsage = Literal["NORMAL", "XMITQ"]
MESSAGE_CHANNELS = ("SDR", "SVR", "RCVR", "RQSTR")
"""The types of channels that carry messages and belong to no cluster."""

CHANNEL_STATES: tuple[ChannelState, ...] = get_args(ChannelState)
BINDINGS: tuple[Binding, ...] = get_args(Binding)
DEFTYPES: tuple[ChannelDefinition, ...] = get_args(ChannelDefinition)
QUEUE_TYPES: tuple[QueueType, ...] = get_args(QueueType)
PUT_CALLS: tuple[PutCall, ...] = get_args(PutCall)
LONGEST_MESSAGE = 2**31 - 1
APPLICATION_TYPES = WordsOrWhole(
    (
        "CICS", "DEF", "DOS", "IMS", "MVS", "NOTESAGENT", "NSK", "OS2", "OS400", "UNIX", "VMS", "VOS", "WINDOWS",
        "WINDOWSNT", "WLM",
    ),
    Whole(0, LARGEST),
)  # fmt: skip
"""What APPLTYPE says: a word of MQSC, of whichever edition, or a number."""

GivenNames = list[str] | tuple[str, ...]
NO_NAMES: tuple[str, ...] = ()

# Converters with types of their own: type checkers know by them that a list will do, and a text will not.


def _clusters(given: GivenNames) -> tuple[str, ...]:
    return NO_NAMES if given is NO_NAMES else NAMES(given, "clusters")


def _suspended(given: GivenNames) -> tuple[str, ...]:
    return NO_NAMES if given is NO_NAMES else NAMES(given, "suspended")


def _partial_in(given: GivenNames) -> tuple[str, ...]:
    return NO_NAMES if given is NO_NAMES else NAMES(given, "partial_in")


def _already_sent_to(given: GivenNames) -> tuple[str, ...]:
    return NO_NAMES if given is NO_NAMES else GIVEN_NAMES(given, "already_sent_to")


@frozen
class QueueManager:
    """The local queue manager: the one where the call is made. ``trigint`` is in milliseconds.

    ``repository`` is whether it is a full repository, of all its clusters but those that it is ``partial_in``.
    ``command_level`` is its CMDLEVEL, 0 where that is not known. ``defclxq`` says which transmission queue the cluster
    channels have that no queue names in ``clchname``; blank where it is not told. With ``igq`` members of its
    queue-sharing group send one another messages by a shared queue.
    """

    name: str = fact_field(NAME)
    clusters: tuple[str, ...] = field(default=NO_NAMES, converter=_clusters, metadata={"domain": NAMES})
    suspended: tuple[str, ...] = field(default=NO_NAMES, converter=_suspended, metadata={"domain": NAMES})
    clwluseq: UseQueue = fact_field(Words(get_args(UseQueue)), "LOCAL")
    clwlmruc: int = fact_field(Whole(1, LARGEST), LARGEST)
    clwlexit: str = fact_field(Text(128), "")
    clwldata: str = fact_field(Text(32), "")
    clwllen: int = fact_field(Whole(0, LARGEST), 100)
    trigint: int = fact_field(Whole(0, LARGEST), LARGEST)
    platform: Platform = fact_field(Words(get_args(Platform)), "MULTI")
    defxmitq: str = fact_field(NAME_OR_BLANK, "")
    deadq: str = fact_field(NAME_OR_BLANK, "")
    repository: bool = fact_field(Flag(), False)
    partial_in: tuple[str, ...] = field(default=NO_NAMES, converter=_partial_in, metadata={"domain": NAMES})
    defclxq: str = fact_field(Words(("SCTQ", "CHANNEL", "")), "")
    igq: str = fact_field(ENABLED, "DISABLED")
    command_level: int = fact_field(Level(), 0)

    def is_full_in(self, cluster: str) -> bool:
        """Return whether it is a full repository of a cluster that it is in."""
        return self.repository and cluster not in self.partial_in


@frozen
class RemoteQueueManager:
    """What the local queue manager knows of another one; ``suspended`` names clusters.

    ``repository`` is whether it is a full repository, of all its clusters but those that it is ``partial_in``.
    Whether it is ``available`` an exit sees, and ``command_level`` is 0 where it is not known; no rule of a put asks.
    """

    name: str = fact_field(NAME)
    clusters: tuple[str, ...] = field(default=NO_NAMES, converter=_clusters, metadata={"domain": NAMES})
    suspended: tuple[str, ...] = field(default=NO_NAMES, converter=_suspended, metadata={"domain": NAMES})
    repository: bool = fact_field(Flag(), False)
    partial_in: tuple[str, ...] = field(default=NO_NAMES, converter=_partial_in, metadata={"domain": NAMES})
    available: bool = fact_field(Flag(), True)
    command_level: int = fact_field(Level(), 0)

    def is_full_in(self, cluster: str) -> bool:
        """Return whether it is a full repository of a cluster that it is in."""
        return self.repository and cluster not in self.partial_in


@frozen(weakref_slot=False)
class Queue:
    """A queue instance on its host ``queue_manager``, local or remote.

    A QALIAS leads to ``target``, a queue or by its ``targtype`` a topic; a QREMOTE to ``rname`` at ``rqmname`` by the
    transmission queue ``xmitq``. A QREMOTE with a blank ``rname`` is an alias of the queue manager ``rqmname``. On a
    local queue are ``curdepth`` messages now, each of priority DEFPRTY, and ``ipprocs`` handles have it open for input;
    None where that is not known. It holds ``maxdepth`` messages at most; where that is not said, as many as MQ allows
    any queue. A transmission queue with a ``clchname`` serves the cluster channels whose names fit that. ``indxtype``
    is its index on z/OS. A copy of each message is put to the queue ``streamq``, unless that is blank. Messages expire
    after ``capexpry`` tenths of a second at most, unless it is 0.
    """

    name: str = fact_field(NAME)
    queue_manager: str = fact_field(NAME)
    type: QueueType = fact_field(Words(QUEUE_TYPES), "QLOCAL")
    target: str = fact_field(NAME_OR_BLANK, "")
    clusters: tuple[str, ...] = field(default=NO_NAMES, converter=_clusters, metadata={"domain": NAMES})
    put: Ability = fact_field(ENABLED, "ENABLED")
    get: Ability = fact_field(ENABLED, "ENABLED")
    clwlrank: int = fact_field(DIGIT, 0)
    clwlprty: int = fact_field(DIGIT, 0)
    clwluseq: UseQueueOfQueue = fact_field(Words(get_args(UseQueueOfQueue)), "QMGR")
    defbind: Binding = fact_field(Words(BINDINGS), "OPEN")
    defprty: int = fact_field(DIGIT, 0)
    msgdlvsq: DeliverySequence = fact_field(Words(get_args(DeliverySequence)), "PRIORITY")
    usage: QueueUsage = fact_field(Words(get_args(QueueUsage)), "NORMAL")
    trigger: bool = fact_field(Flag(), False)
    trigtype: TriggerType = fact_field(Words(get_args(TriggerType)), "FIRST")
    trigmpri: int = fact_field(DIGIT, 0)
    trigdpth: int = fact_field(Whole(1, LARGEST), 1)
    trigdata: str = fact_field(Text(64), "")
    process: str = fact_field(NAME_OR_BLANK, "")
    initq: str = fact_field(NAME_OR_BLANK, "")
    shared: bool = fact_field(Flag(), False)
    logically_deleted: bool = fact_field(Flag(), False)
    rname: str = fact_field(NAME_OR_BLANK, "")
    rqmname: str = fact_field(NAME_OR_BLANK, "")
    xmitq: str = fact_field(NAME_OR_BLANK, "")
    curdepth: int | None = status_field(Whole(0, LARGEST), 0)
    ipprocs: int | None = status_field(Whole(0, LARGEST), None)
    descr: str = fact_field(Text(64), "")
    defpsist: str = fact_field(Words(("NO", "YES")), "NO")
    maxdepth: int = fact_field(Whole(0, LARGEST), LARGEST)
    indxtype: str = fact_field(Words(("NONE", "MSGID", "CORRELID", "GROUPID", "MSGTOKEN")), "NONE")
    targtype: str = fact_field(Words(("QUEUE", "TOPIC")), "QUEUE")
    clchname: str = fact_field(Text(CHANNEL_NAME.most), "")
    streamq: str = fact_field(NAME_OR_BLANK, "")
    capexpry: int = fact_field(Whole(0, LARGEST), 0)

    @property
    def base_queue(self) -> str:
        """The queue that an alias stands for; blank for one of a topic, and for what is no alias."""
        return self.target if self.targtype == "QUEUE" else ""


class QueueAttributes(TypedDict, total=False):
    """The attributes of a queue instance beside its names, for type checkers."""

    type: QueueType
    target: str
    clusters: GivenNames
    put: Ability
    get: Ability
    clwlrank: int
    clwlprty: int
    clwluseq: UseQueueOfQueue
    defbind: Binding
    defprty: int
    msgdlvsq: DeliverySequence
    usage: QueueUsage
    trigger: bool
    trigtype: TriggerType
    trigmpri: int
    trigdpth: int
    trigdata: str
    process: str
    initq: str
    shared: bool
    logically_deleted: bool
    rname: str
    rqmname: str
    xmitq: str
    curdepth: int | None
    ipprocs: int | None
    descr: str
    defpsist: str
    maxdepth: int
    indxtype: str
    targtype: str
    clchname: str
    streamq: str
    capexpry: int


@frozen
class QueueManagerAlias:
    """A queue-manager alias that is known in the cluster; ``queue_manager`` is the one that it resolves to.

    ``host`` advertises it, and the routes lead there; blank: the queue manager that it resolves to. ``defbind`` is the
    binding of an open that names it beside a queue and leaves the binding to it.
    """

    name: str = fact_field(NAME)
    queue_manager: str = fact_field(NAME)
    clusters: tuple[str, ...] = field(default=NO_NAMES, converter=_clusters, metadata={"domain": NAMES})
    put: Ability = fact_field(ENABLED, "ENABLED")
    clwlrank: int = fact_field(DIGIT, 0)
    clwlprty: int = fact_field(DIGIT, 0)
    host: str = fact_field(NAME_OR_BLANK, "")
    defbind: Binding = fact_field(Words(BINDINGS), "OPEN")

    @property
    def routed_to(self) -> str:
        """The queue manager that the routes for the alias lead to."""
        return self.host or self.queue_manager


@frozen
class Channel:
    """A route to ``queue_manager``. With deftype CLUSRCVR it is the local queue manager's own receiver.

    ``messages`` are those on the transmission queue for it.
    """

    name: str = fact_field(CHANNEL_NAME)
    queue_manager: str = fact_field(NAME)
    cluster: str = fact_field(NAME_OR_BLANK, "")
    deftype: ChannelDefinition = fact_field(Words(DEFTYPES), "CLUSSDRA")
    status: ChannelState = fact_field(Words(CHANNEL_STATES), "INACTIVE")
    clwlrank: int = fact_field(DIGIT, 0)
    clwlprty: int = fact_field(DIGIT, 0)
    clwlwght: int = fact_field(Whole(1, 99), 50)
    netprty: int = fact_field(DIGIT, 0)
    dest_seq_number: int = fact_field(Whole(0, 2**63 - 1), 0)
    dest_seq_factor: float = fact_field(Finite(0.0), 0.0)
    npmspeed: str = fact_field(Words(("FAST", "NORMAL")), "FAST")
    messages: int = fact_field(Whole(0, LARGEST), 0)


class ChannelAttributes(TypedDict, total=False):
    """The attributes of a channel beside its names, for type checkers."""

    cluster: str
    deftype: ChannelDefinition
    status: ChannelState
    clwlrank: int
    clwlprty: int
    clwlwght: int
    netprty: int
    dest_seq_number: int
    dest_seq_factor: float
    npmspeed: str
    messages: int


@frozen
class ChannelStatus:
    """How a channel of the local queue manager is that belongs to no cluster.

    A sender or a server takes messages from the transmission queue ``xmitq``. ``queue_manager`` is the one at its other
    end, which need not be known otherwise; blank where that is not shown.
    """

    name: str = fact_field(CHANNEL_NAME)
    type: str = fact_field(Words(MESSAGE_CHANNELS), "SDR")
    status: ChannelState = fact_field(Words(CHANNEL_STATES), "INACTIVE")
    xmitq: str = fact_field(NAME_OR_BLANK, "")
    conname: str = fact_field(Text(264), "")
    queue_manager: str = fact_field(NAME_OR_BLANK, "")


@frozen
class Process:
    """A process definition: what a trigger monitor starts."""

    name: str = fact_field(NAME)
    appltype: str = fact_field(APPLICATION_TYPES, "UNIX")
    applicid: str = fact_field(Text(256), "")
    envrdata: str = fact_field(Text(128), "")
    userdata: str = fact_field(Text(128), "")


@frozen
class ModelQueue:
    """A model queue of the local queue manager: an open of it makes a queue of a generated name."""

    name: str = fact_field(NAME)


Fact = QueueManager | RemoteQueueManager | Queue | QueueManagerAlias | Channel | Process | ModelQueue | ChannelStatus

INPUT_MODES = ("INPUT_SHARED", "INPUT_EXCLUSIVE")
"""The modes of an open that removes messages: those that OpenInputCount counts."""

READING_MODES = (*INPUT_MODES, "BROWSE")
MODES = (*READING_MODES, "OUTPUT")
_COUNT = Whole(0, LARGEST)
_ABLE = Words(("ENABLED", "DISABLED"))


@frozen
class Put:
    """A put: the call that asks for a choice, and the names that it gives.

    ``length`` is that of the message, in bytes.
    """

    queue: str = fact_field(GIVEN_NAME, "")
    queue_manager: str = fact_field(GIVEN_NAME, "")
    bind: PutBinding = fact_field(Words((*BINDINGS, "AS_Q_DEF")), "AS_Q_DEF")
    call: PutCall = fact_field(Words(PUT_CALLS), "MQPUT")
    from_cluster_channel: bool = fact_field(Flag(), False)
    cluster_pcf: bool = fact_field(Flag(), False)
    already_sent_to: tuple[str, ...] = field(
        default=NO_NAMES, converter=_already_sent_to, metadata={"domain": GIVEN_NAMES}
    )
    length: int = fact_field(Whole(0, LONGEST_MESSAGE), 100)

    @classmethod
    def as_written(cls, queue: str = "", queue_manager: str = "", **more: Any) -> Put:
        """Return a put to names of the facts, which are taken as they are written there: MQ may not allow them."""
        put = cls(**more)
        object.__setattr__(put, "queue", queue)
        object.__setattr__(put, "queue_manager", queue_manager)
        return put


@define(eq=False)  # One is made for every put, and attrs takes twice as long where it is frozen.
class QueueCall:
    """An MQPUT to, an MQOPEN of, or a CLEAR QLOCAL of, the local queue ``queue``.

    What each attribute means is in the vocabulary of calls, ``engine/audit/vocabulary.toml``.
    """

    queue: str = rule_field(NAME_OR_BLANK, "")
    mqi_call: str = rule_field(Words(("MQOPEN", "MQPUT", "MQPUT1", *COMMANDS)), "MQPUT")
    put: str = rule_field(_ABLE, "ENABLED")
    named_put: str = rule_field(_ABLE, "ENABLED")
    depth: int = rule_field(_COUNT, 0)
    arriving: int = rule_field(_COUNT, 1)
    maxdepth: int = rule_field(_COUNT, LARGEST)
    mode: str = rule_field(Words(MODES), "OUTPUT")
    here: bool = True
    shared: bool = False
    open_shared_here: int = rule_field(_COUNT, 0)
    open_exclusive_here: int = rule_field(_COUNT, 0)
    open_shared_elsewhere: int = rule_field(_COUNT, 0)
    open_exclusive_elsewhere: int = rule_field(_COUNT, 0)
    named: str = rule_field(NAME_OR_BLANK, "")
    named_type: str = rule_field(Words(("QLOCAL", "QALIAS", "QREMOTE")), "QLOCAL")
    handles: int = rule_field(_COUNT, 0)
    unsettled: int = rule_field(_COUNT, 0)
