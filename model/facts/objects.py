"""The facts: MQ objects as the local queue manager knows them, with MQSC's names, words, ranges and defaults."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from mqclause.model.facts.constants import CHANNEL_STATUS
from mqclause.model.facts.domains import (
    CHANNEL_NAME,
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
    Text,
    Whole,
    Words,
    WordsOrWhole,
    attribute,
    momentary,
)

CHANNEL_STATES = tuple(CHANNEL_STATUS)
MESSAGE_CHANNELS = ("SDR", "SVR", "RCVR", "RQSTR")
"""The types of channels that carry messages and belong to no cluster."""

BINDINGS = ("OPEN", "NOTFIXED", "GROUP")
DEFTYPES = ("CLUSSDR", "CLUSSDRA", "CLUSSDRB", "CLUSRCVR")
LONGEST_MESSAGE = 2**31 - 1
APPLICATION_TYPES = WordsOrWhole(
    (
        "CICS", "DEF", "DOS", "IMS", "MVS", "NOTESAGENT", "NSK", "OS2", "OS400", "UNIX", "VMS", "VOS", "WINDOWS",
        "WINDOWSNT", "WLM",
    ),
    Whole(0, LARGEST),
)  # fmt: skip
"""What APPLTYPE says: a word of MQSC, of whichever edition, or a number."""


@frozen
class QueueManager:
    """The local queue manager: the one where the call is made. ``trigint`` is in milliseconds.

    ``repository`` is whether it is a full repository, of all its clusters but those that it is ``partial_in``.
    ``command_level`` is its CMDLEVEL, 0 where that is not known. ``defclxq`` says which transmission queue the cluster
    channels have that no queue names in ``clchname``; blank where it is not told. With ``igq`` members of its
    queue-sharing group send one another messages by a shared queue.
    """

    name: str = attribute(NAME)
    clusters: tuple[str, ...] = attribute(NAMES, ())
    suspended: tuple[str, ...] = attribute(NAMES, ())
    clwluseq: str = attribute(Words(("LOCAL", "ANY")), "LOCAL")
    clwlmruc: int = attribute(Whole(1, LARGEST), LARGEST)
    clwlexit: str = attribute(Text(128), "")
    clwldata: str = attribute(Text(32), "")
    clwllen: int = attribute(Whole(0, LARGEST), 100)
    trigint: int = attribute(Whole(0, LARGEST), LARGEST)
    platform: str = attribute(Words(("MULTI", "ZOS")), "MULTI")
    defxmitq: str = attribute(NAME_OR_BLANK, "")
    deadq: str = attribute(NAME_OR_BLANK, "")
    repository: bool = attribute(Flag(), False)
    partial_in: tuple[str, ...] = attribute(NAMES, ())
    defclxq: str = attribute(Words(("SCTQ", "CHANNEL", "")), "")
    igq: str = attribute(ENABLED, "DISABLED")
    command_level: int = attribute(Whole(0, 9999), 0)

    def is_full_in(self, cluster: str) -> bool:
        """Whether it is a full repository of a cluster that it is in."""
        return self.repository and cluster not in self.partial_in


@frozen
class RemoteQueueManager:
    """What the local queue manager knows of another one; ``suspended`` names clusters.

    ``repository`` is whether it is a full repository, of all its clusters but those that it is ``partial_in``.
    Whether it is ``available`` an exit sees; no rule asks.
    """

    name: str = attribute(NAME)
    clusters: tuple[str, ...] = attribute(NAMES, ())
    suspended: tuple[str, ...] = attribute(NAMES, ())
    repository: bool = attribute(Flag(), False)
    partial_in: tuple[str, ...] = attribute(NAMES, ())
    available: bool = attribute(Flag(), True)

    def is_full_in(self, cluster: str) -> bool:
        """Whether it is a full repository of a cluster that it is in."""
        return self.repository and cluster not in self.partial_in


@frozen(weakref_slot=False)
class Queue:
    """A queue instance on its host ``queue_manager``, local or remote.

    A QALIAS leads to ``target``, a queue or by its ``targtype`` a topic; a QREMOTE to ``rname`` at ``rqmname`` by the
    transmission queue ``xmitq``. A QREMOTE with a blank ``rname`` is an alias of the queue manager ``rqmname``. On a
    local queue are ``curdepth`` messages now, each of priority DEFPRTY, and ``ipprocs`` handles have it open for input;
    None where that is not known. It holds ``maxdepth`` messages at most; where that is not said, as many as MQ allows
    any queue. A transmission queue with a ``clchname`` serves the cluster channels whose names fit that. ``indxtype``
    is its index on z/OS.
    """

    name: str = attribute(NAME)
    queue_manager: str = attribute(NAME)
    type: str = attribute(Words(("QLOCAL", "QALIAS", "QREMOTE")), "QLOCAL")
    target: str = attribute(NAME_OR_BLANK, "")
    clusters: tuple[str, ...] = attribute(NAMES, ())
    put: str = attribute(ENABLED, "ENABLED")
    get: str = attribute(ENABLED, "ENABLED")
    clwlrank: int = attribute(DIGIT, 0)
    clwlprty: int = attribute(DIGIT, 0)
    clwluseq: str = attribute(Words(("QMGR", "LOCAL", "ANY")), "QMGR")
    defbind: str = attribute(Words(BINDINGS), "OPEN")
    defprty: int = attribute(DIGIT, 0)
    msgdlvsq: str = attribute(Words(("PRIORITY", "FIFO")), "PRIORITY")
    usage: str = attribute(Words(("NORMAL", "XMITQ")), "NORMAL")
    trigger: bool = attribute(Flag(), False)
    trigtype: str = attribute(Words(("NONE", "FIRST", "EVERY", "DEPTH")), "FIRST")
    trigmpri: int = attribute(DIGIT, 0)
    trigdpth: int = attribute(Whole(1, LARGEST), 1)
    trigdata: str = attribute(Text(64), "")
    process: str = attribute(NAME_OR_BLANK, "")
    initq: str = attribute(NAME_OR_BLANK, "")
    shared: bool = attribute(Flag(), False)
    logically_deleted: bool = attribute(Flag(), False)
    rname: str = attribute(NAME_OR_BLANK, "")
    rqmname: str = attribute(NAME_OR_BLANK, "")
    xmitq: str = attribute(NAME_OR_BLANK, "")
    curdepth: int | None = momentary(Whole(0, LARGEST), 0)
    ipprocs: int | None = momentary(Whole(0, LARGEST), None)
    descr: str = attribute(Text(64), "")
    defpsist: str = attribute(Words(("NO", "YES")), "NO")
    maxdepth: int = attribute(Whole(0, LARGEST), LARGEST)
    indxtype: str = attribute(Words(("NONE", "MSGID", "CORRELID", "GROUPID", "MSGTOKEN")), "NONE")
    targtype: str = attribute(Words(("QUEUE", "TOPIC")), "QUEUE")
    clchname: str = attribute(Text(CHANNEL_NAME.most), "")

    @property
    def base_queue(self) -> str:
        """The queue that an alias stands for; blank for one of a topic, and for what is no alias."""
        return self.target if self.targtype == "QUEUE" else ""


@frozen
class QueueManagerAlias:
    """A queue-manager alias that is known in the cluster; ``queue_manager`` is the one that it resolves to.

    ``host`` advertises it, and the routes lead there; blank: the queue manager that it resolves to. ``defbind`` is the
    binding of an open that names it beside a queue and leaves the binding to it.
    """

    name: str = attribute(NAME)
    queue_manager: str = attribute(NAME)
    clusters: tuple[str, ...] = attribute(NAMES, ())
    put: str = attribute(ENABLED, "ENABLED")
    clwlrank: int = attribute(DIGIT, 0)
    clwlprty: int = attribute(DIGIT, 0)
    host: str = attribute(NAME_OR_BLANK, "")
    defbind: str = attribute(Words(BINDINGS), "OPEN")

    @property
    def routed_to(self) -> str:
        """The queue manager that the routes for the alias lead to."""
        return self.host or self.queue_manager


@frozen
class Channel:
    """A route to ``queue_manager``; deftype CLUSRCVR is the local queue manager's own receiver.

    ``messages`` are those on the transmission queue for it.
    """

    name: str = attribute(CHANNEL_NAME)
    queue_manager: str = attribute(NAME)
    cluster: str = attribute(NAME_OR_BLANK, "")
    deftype: str = attribute(Words(DEFTYPES), "CLUSSDRA")
    status: str = attribute(Words(CHANNEL_STATES), "INACTIVE")
    clwlrank: int = attribute(DIGIT, 0)
    clwlprty: int = attribute(DIGIT, 0)
    clwlwght: int = attribute(Whole(1, 99), 50)
    netprty: int = attribute(DIGIT, 0)
    dest_seq_number: int = attribute(Whole(0, 2**63 - 1), 0)
    dest_seq_factor: float = attribute(Finite(0.0), 0.0)
    npmspeed: str = attribute(Words(("FAST", "NORMAL")), "FAST")
    messages: int = attribute(Whole(0, LARGEST), 0)


@frozen
class ChannelStatus:
    """How a channel of the local queue manager is that belongs to no cluster.

    A sender or a server takes messages from the transmission queue ``xmitq``. ``queue_manager`` is the one at its other
    end, which need not be known otherwise; blank where that is not shown.
    """

    name: str = attribute(CHANNEL_NAME)
    type: str = attribute(Words(MESSAGE_CHANNELS), "SDR")
    status: str = attribute(Words(CHANNEL_STATES), "INACTIVE")
    xmitq: str = attribute(NAME_OR_BLANK, "")
    conname: str = attribute(Text(264), "")
    queue_manager: str = attribute(NAME_OR_BLANK, "")


@frozen
class Process:
    """A process definition: what a trigger monitor starts."""

    name: str = attribute(NAME)
    appltype: str = attribute(APPLICATION_TYPES, "UNIX")
    applicid: str = attribute(Text(256), "")
    envrdata: str = attribute(Text(128), "")
    userdata: str = attribute(Text(128), "")


@frozen
class ModelQueue:
    """A model queue of the local queue manager: an open of it makes a queue of a generated name."""

    name: str = attribute(NAME)


@frozen
class Put:
    """A put: the call that asks for a choice, and the name that it gives (a queue's or a queue manager's).

    ``length`` is that of the message, in bytes.
    """

    queue: str = attribute(GIVEN_NAME, "")
    queue_manager: str = attribute(GIVEN_NAME, "")
    bind: str = attribute(Words((*BINDINGS, "AS_Q_DEF")), "AS_Q_DEF")
    call: str = attribute(Words(("MQOPEN", "MQPUT", "MQPUT1")), "MQPUT")
    from_cluster_channel: bool = attribute(Flag(), False)
    cluster_pcf: bool = attribute(Flag(), False)
    already_sent_to: tuple[str, ...] = attribute(GIVEN_NAMES, ())
    length: int = attribute(Whole(0, LONGEST_MESSAGE), 100)

    @classmethod
    def as_written(cls, queue: str = "", queue_manager: str = "", **more: Any) -> Put:
        """A put to names of the facts, which are taken as they are written there: MQ may not allow them."""
        put = cls(**more)
        object.__setattr__(put, "queue", queue)
        object.__setattr__(put, "queue_manager", queue_manager)
        return put


Fact = QueueManager | RemoteQueueManager | Queue | QueueManagerAlias | Channel | Process | ModelQueue | ChannelStatus
