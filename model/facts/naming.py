"""Naming: what the local queue manager has under the names that a put gives, before any rule has resolved them."""

from __future__ import annotations

from attrs import frozen

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import DIGIT, NAME_OR_BLANK, NAMES, Words, seen
from mqclause.model.facts.objects import BINDINGS, Put, Queue

OBJECT_TYPES = ("", "QLOCAL", "QALIAS", "QREMOTE")
FOLLOWED = ("QALIAS", "QREMOTE", "QMALIAS")
"""The kinds of object that lead from one name to another: the last is an alias of a queue manager."""


@frozen(eq=False)
class Naming:
    """The two names of an object descriptor, and what they are to the local queue manager.

    ``object_…`` is its own object of the queue's name; a blank type: it has none. ``alias_…`` is its own alias of a
    queue manager (a QREMOTE without RNAME) that has the name of the queue manager. ``instance_…`` is the instance of
    the queue that is listed first, wherever it is. ``followed`` are the kinds of the objects that led here, ``led_by``
    the kind of the last one and ``alias_followed`` the name of the last alias of a queue manager; ``inhibited`` says
    that one of them is put-disabled.
    """

    queue: str = seen(NAME_OR_BLANK, "")
    queue_manager: str = seen(NAME_OR_BLANK, "")
    local_queue_manager: str = seen(NAME_OR_BLANK, "")
    mqi_call: str = seen(Words(("MQOPEN", "MQPUT", "MQPUT1")), "MQPUT")
    object_type: str = seen(Words(OBJECT_TYPES), "")
    object_clustered: bool = False
    object_put_enabled: bool = True
    target: str = seen(NAME_OR_BLANK, "")
    rname: str = seen(NAME_OR_BLANK, "")
    rqmname: str = seen(NAME_OR_BLANK, "")
    xmitq: str = seen(NAME_OR_BLANK, "")
    xmitq_defined: bool = False
    known_in_cluster: bool = False
    names_transmission_queue: bool = False
    names_alias: bool = False
    alias_put_enabled: bool = True
    alias_rqmname: str = seen(NAME_OR_BLANK, "")
    alias_xmitq: str = seen(NAME_OR_BLANK, "")
    alias_xmitq_defined: bool = False
    queue_manager_known: bool = False
    defxmitq: str = seen(NAME_OR_BLANK, "")
    defxmitq_defined: bool = False
    transmission_queue_put_enabled: bool = True
    object_defbind: str = seen(Words(BINDINGS), "OPEN")
    instance_defbind: str = seen(Words(BINDINGS), "OPEN")
    alias_defbind: str = seen(Words(BINDINGS), "OPEN")
    object_defprty: int = seen(DIGIT, 0)
    instance_defprty: int = seen(DIGIT, 0)
    alias_defprty: int = seen(DIGIT, 0)
    followed: tuple[str, ...] = seen(NAMES, ())
    led_by: str = seen(Words(("", *FOLLOWED)), "")
    alias_followed: str = seen(NAME_OR_BLANK, "")
    inhibited: bool = False


def naming(cluster: Cluster, put: Put, before: Naming | None = None, led_by: str = "") -> Naming:
    """What the names of ``put`` are to the local queue manager of ``cluster``.

    ``before`` is the naming that an object of the kind ``led_by`` led from, with its own ``inhibited`` as of now.
    """
    own = cluster.queue_manager
    local = cluster.own_queues
    instances = cluster.queues_by_name.get(put.queue, ())
    found, named = local.get(put.queue), local.get(put.queue_manager)
    alias = named if named is not None and named.type == "QREMOTE" and not named.rname else None
    followed_alias = before.queue_manager if before is not None and led_by == "QMALIAS" else ""
    return Naming(
        queue=put.queue,
        queue_manager=put.queue_manager,
        local_queue_manager=own.name,
        mqi_call=put.call,
        object_type=found.type if found else "",
        object_clustered=bool(found and found.clusters),
        object_put_enabled=found is None or found.put == "ENABLED",
        target=found.target if found else "",
        rname=found.rname if found else "",
        rqmname=found.rqmname if found else "",
        xmitq=found.xmitq if found else "",
        xmitq_defined=found is not None and _is_transmission_queue(local.get(found.xmitq)),
        known_in_cluster=any(each.queue_manager != own.name for each in instances),
        names_transmission_queue=_is_transmission_queue(named),
        names_alias=alias is not None,
        alias_put_enabled=alias is None or alias.put == "ENABLED",
        alias_rqmname=alias.rqmname if alias else "",
        alias_xmitq=alias.xmitq if alias else "",
        alias_xmitq_defined=alias is not None and _is_transmission_queue(local.get(alias.xmitq)),
        queue_manager_known=put.queue_manager in cluster.remote
        or put.queue_manager in cluster.aliases_by_name
        or put.queue_manager == own.name,
        defxmitq=own.defxmitq,
        defxmitq_defined=_is_transmission_queue(local.get(own.defxmitq)),
        transmission_queue_put_enabled=named is None or named.put == "ENABLED",
        object_defbind=found.defbind if found else "OPEN",
        instance_defbind=instances[0].defbind if instances else "OPEN",
        alias_defbind=alias.defbind if alias else "OPEN",
        object_defprty=found.defprty if found else 0,
        instance_defprty=instances[0].defprty if instances else 0,
        alias_defprty=alias.defprty if alias else 0,
        followed=(*before.followed, led_by) if before else (),
        led_by=led_by,
        alias_followed=followed_alias or (before.alias_followed if before else ""),
        inhibited=before.inhibited if before else False,
    )


def _is_transmission_queue(queue: Queue | None) -> bool:
    return queue is not None and queue.type == "QLOCAL" and queue.usage == "XMITQ"
