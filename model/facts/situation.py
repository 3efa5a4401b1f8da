"""The situation: what the rules see of a put besides its destinations."""

from __future__ import annotations

from attrs import define

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import GIVEN_NAME, GIVEN_NAMES, LARGEST, InTable, Whole, Words, seen, unseen
from mqclause.model.facts.objects import BINDINGS, Put
from mqclause.model.facts.sequence import UNCHANGED, Changes


@define(eq=False)  # One is made for every put, and attrs takes five times as long where it is frozen.
class Situation:
    """The put and the local queue manager. Every attribute has a value; a blank text means "none".

    ``bind`` is the binding in effect: AS_Q_DEF is already the DEFBIND of the object that was named.
    ``last_seq_number`` is the sequence number of the previous choice. In a table a row says nothing of DEFBIND, so
    AS_Q_DEF is MQ's default.
    """

    put_queue: str = seen(GIVEN_NAME, "", InTable("queue"))
    put_queue_manager: str = seen(GIVEN_NAME, "", InTable("queue_manager"))
    bind: str = seen(Words(BINDINGS), "OPEN", InTable(null="AS_Q_DEF", stands_for={"AS_Q_DEF": "OPEN"}))
    mqi_call: str = seen(Words(("MQOPEN", "MQPUT", "MQPUT1")), "MQPUT", InTable("call"))
    from_cluster_channel: bool = False
    cluster_pcf: bool = False
    already_sent_to: tuple[str, ...] = seen(GIVEN_NAMES, ())
    clwlmruc: int = seen(Whole(1, LARGEST), LARGEST, InTable(beside=True))
    qmgr_clwluseq: str = seen(Words(("LOCAL", "ANY")), "LOCAL", InTable(optional=True))
    last_seq_number: int = unseen(0)
    attributes_altered: bool = unseen(False)
    destination_added: bool = unseen(False)
    inhibited_on_the_way: bool = unseen(False)
    inhibited_by: str = unseen("")


def situation(
    put: Put,
    names: tuple[str, str],
    bind: str,
    cluster: Cluster,
    last_seq_number: int,
    changed: Changes = UNCHANGED,
    inhibited_by: str = "",
) -> Situation:
    """The situation of ``put`` at the local queue manager of ``cluster``.

    ``names`` are the queue and the queue manager that its own come to, ``bind`` the binding in effect; ``inhibited_by``
    is an object on the way that is put-disabled.
    """
    own, (queue, queue_manager) = cluster.queue_manager, names
    return Situation(
        queue,
        queue_manager,
        bind,
        put.call,
        put.from_cluster_channel,
        put.cluster_pcf,
        put.already_sent_to,
        own.clwlmruc,
        own.clwluseq,
        last_seq_number,
        changed.attributes_altered,
        changed.destination_added,
        bool(inhibited_by),
        inhibited_by,
    )
