"""The situation: what the rules see of a put besides its destinations."""

from __future__ import annotations

from attrs import frozen

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.destination import words
from mqclause.model.facts.objects import BINDINGS, Put
from mqclause.model.facts.sequence import UNCHANGED, Changes


@frozen(eq=False)
class Situation:
    """The put and the local queue manager. Every attribute has a value; a blank text means "none".

    ``bind`` is the binding in effect: AS_Q_DEF is already the queue's DEFBIND. ``last_seq_number`` is the
    sequence number of the previous choice. ``permitted`` is how many destinations the workload rules left;
    it is 0 while those rules run.
    """

    put_queue: str = ""
    put_queue_manager: str = ""
    bind: str = words(*BINDINGS, default="OPEN")
    mqi_call: str = words("MQOPEN", "MQPUT", "MQPUT1", default="MQPUT")
    from_cluster_channel: bool = False
    cluster_pcf: bool = False
    already_sent_to: tuple[str, ...] = ()
    qmgr_clwluseq: str = words("LOCAL", "ANY", default="LOCAL")
    clwlmruc: int = 999_999_999
    last_seq_number: int = 0
    attributes_altered: bool = False
    destination_added: bool = False


def situation(put: Put, cluster: Cluster, last_seq_number: int, changed: Changes = UNCHANGED) -> Situation:
    """The situation of ``put`` at the local queue manager of ``cluster``."""
    own = cluster.queue_manager
    return Situation(
        put.queue,
        put.queue_manager,
        put.bind if put.bind != "AS_Q_DEF" else default_binding(put, cluster),
        put.call,
        put.from_cluster_channel,
        put.cluster_pcf,
        put.already_sent_to,
        own.clwluseq,
        own.clwlmruc,
        last_seq_number,
        changed.attributes_altered,
        changed.destination_added,
    )


def default_binding(put: Put, cluster: Cluster) -> str:
    """DEFBIND of the local definition of the queue, else of the instance listed first, else MQ's default."""
    instances = cluster.queues_by_name.get(put.queue, ())
    local = cluster.queue_manager.name
    for queue in instances:
        if queue.queue_manager == local:
            return queue.defbind
    return instances[0].defbind if instances else "OPEN"
