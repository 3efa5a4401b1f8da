"""How the local queue manager sees the names of a put, at each step of their resolution (class NamePair)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from attrs import define

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import DIGIT, NAME_OR_BLANK, NAMES, Words, rule_field
from mqclause.model.facts.objects import BINDINGS, Put, Queue, QueueManagerAlias

OBJECT_TYPES = ("", "QLOCAL", "QALIAS", "QREMOTE")
HOSTS_NAMED = 4
"""How many of those who host a queue are named."""

LEADING_TYPES = ("QALIAS", "QREMOTE", "QMALIAS")
"""The kinds of object that lead from one name to another: the last is an alias of a queue manager."""


@define(unsafe_hash=True)  # One is made for every put, and attrs takes three times as long where it is frozen.
class NamePair:
    """The two names of an object descriptor, and what they are to the local queue manager.

    What each attribute means is in the vocabulary of resolution, ``engine/audit/vocabulary.toml``: ``object_…`` is its
    own object of the queue's name, ``alias_…`` an alias of a queue manager that has the name of the queue manager, and
    ``first_instance_…`` the instance of the queue that is listed first. What facts give of others is known.
    """

    queue: str = rule_field(NAME_OR_BLANK, "")
    queue_manager: str = rule_field(NAME_OR_BLANK, "")
    local_queue_manager: str = rule_field(NAME_OR_BLANK, "")
    mqi_call: str = rule_field(Words(("MQOPEN", "MQPUT", "MQPUT1")), "MQPUT")
    object_type: str = rule_field(Words(OBJECT_TYPES), "")
    object_clustered: bool = False
    object_put_enabled: bool = True
    target: str = rule_field(NAME_OR_BLANK, "")
    target_is_topic: bool = False
    rname: str = rule_field(NAME_OR_BLANK, "")
    rqmname: str = rule_field(NAME_OR_BLANK, "")
    xmitq: str = rule_field(NAME_OR_BLANK, "")
    xmitq_defined: bool = False
    xmitq_put_enabled: bool = True
    known_in_cluster: bool = False
    shared_by_others: bool = False
    hosts: tuple[str, ...] = rule_field(NAMES, ())
    asks_repositories: bool = False
    repositories: tuple[str, ...] = rule_field(NAMES, ())
    asking_in: tuple[str, ...] = rule_field(NAMES, ())
    known_as_alias: bool = False
    known_as_model: bool = False
    names_transmission_queue: bool = False
    names_alias: bool = False
    alias_clustered: bool = False
    alias_put_enabled: bool = True
    alias_rqmname: str = rule_field(NAME_OR_BLANK, "")
    alias_xmitq: str = rule_field(NAME_OR_BLANK, "")
    alias_xmitq_defined: bool = False
    alias_xmitq_put_enabled: bool = True
    is_other_queue_manager: bool = False
    is_advertised_alias: bool = False
    defxmitq: str = rule_field(NAME_OR_BLANK, "")
    defxmitq_defined: bool = False
    defxmitq_put_enabled: bool = True
    defxmitq_defprty: int = rule_field(DIGIT, 0)
    transmission_queue_defprty: int = rule_field(DIGIT, 0)
    transmission_queue_put_enabled: bool = True
    object_defbind: str = rule_field(Words(BINDINGS), "OPEN")
    first_instance_defbind: str = rule_field(Words(BINDINGS), "OPEN")
    alias_defbind: str = rule_field(Words(BINDINGS), "OPEN")
    object_defprty: int = rule_field(DIGIT, 0)
    first_instance_defprty: int = rule_field(DIGIT, 0)
    alias_defprty: int = rule_field(DIGIT, 0)
    followed: tuple[str, ...] = rule_field(NAMES, ())
    led_by: str = rule_field(Words(("", *LEADING_TYPES)), "")
    alias_followed: str = rule_field(NAME_OR_BLANK, "")
    inhibited_by: str = rule_field(NAME_OR_BLANK, "")
    bind_left_open: bool = False
    for_input: bool = False
    instances_bind_alike: bool = True
    aliases_bind_alike: bool = True
    alias_route_in_another_cluster: bool = False


def build_name_pair(cluster: Cluster, put: Put, before: NamePair | None = None, led_by: str = "") -> NamePair:
    """Build what the rules see of the two names of ``put`` at the local queue manager of ``cluster``.

    ``before`` is the naming that an object of the kind ``led_by`` led from, with its own ``inhibited_by`` as of now.
    """
    own, named = cluster.queue_manager, put.queue_manager
    of_name, by_default = cluster.own_queues.get(named), cluster.own_queues.get(own.defxmitq)
    return NamePair(
        queue=put.queue,
        queue_manager=named,
        local_queue_manager=own.name,
        mqi_call=put.call,
        names_transmission_queue=_is_transmission_queue(of_name),
        transmission_queue_put_enabled=_is_put_enabled(of_name),
        is_other_queue_manager=named in cluster.remote,
        is_advertised_alias=named in cluster.aliases_by_name,
        defxmitq=own.defxmitq,
        defxmitq_defined=_is_transmission_queue(by_default),
        defxmitq_put_enabled=_is_put_enabled(by_default),
        defxmitq_defprty=0 if by_default is None else by_default.defprty,
        transmission_queue_defprty=0 if of_name is None else of_name.defprty,
        alias_route_in_another_cluster=_is_routed_elsewhere(cluster, named),
        asks_repositories=bool(cluster.repositories_asked),
        repositories=_named_first(cluster.repositories_asked),
        asking_in=cluster.asking_in,
        **_of_queue(cluster, put.queue),
        **_of_alias(cluster, named),
        **_of_way(before, led_by),
    )


def _of_queue(cluster: Cluster, name: str) -> dict[str, Any]:
    """The local object of a queue's name, and the instances of the queue."""
    instances = cluster.queues_by_name.get(name, ())
    own, clusters = cluster.queue_manager, frozenset(cluster.queue_manager.clusters)
    others = [each for each in instances if each.queue_manager != own.name]
    found: dict[str, Any] = {"known_in_cluster": bool(others)}
    found["hosts"] = _named_first(each.queue_manager for each in others) if others else ()
    found["shared_by_others"] = any(not clusters.isdisjoint(each.clusters) for each in others)
    found["known_as_alias"] = name in cluster.aliases_by_name
    found["known_as_model"] = name in cluster.models
    if instances:
        first = instances[0]
        found |= {"first_instance_defbind": first.defbind, "first_instance_defprty": first.defprty}
        found["instances_bind_alike"] = all(each.defbind == first.defbind for each in instances)
    defined = cluster.own_queues.get(name)
    if defined is None:
        # An alias of a queue manager is a remote queue definition without RNAME, also where the cluster knows it.
        return found | ({"object_type": "QREMOTE"} if _own_clustered_alias(cluster, name) else {})
    return found | {
        "object_type": defined.type,
        "object_clustered": bool(defined.clusters),
        "object_put_enabled": defined.put == "ENABLED",
        "object_defbind": defined.defbind,
        "object_defprty": defined.defprty,
        "target": defined.target,
        "target_is_topic": defined.targtype == "TOPIC",
        "rname": defined.rname,
        "rqmname": defined.rqmname,
        "xmitq": defined.xmitq,
        "xmitq_defined": _is_transmission_queue(cluster.own_queues.get(defined.xmitq)),
        "xmitq_put_enabled": _is_put_enabled(cluster.own_queues.get(defined.xmitq)),
    }


def _named_first(hosts: Iterable[str]) -> tuple[str, ...]:
    """The first of them, and how many more there are."""
    first = iter(dict.fromkeys(hosts))
    named = tuple(islice(first, HOSTS_NAMED))
    more = sum(1 for _ in first)
    return (*named, f"{more} more") if more else named


def _of_alias(cluster: Cluster, name: str) -> dict[str, Any]:
    """The local alias of a queue manager that has the name of the queue manager: private, or one in the cluster."""
    named = cluster.own_queues.get(name)
    if named is not None and (named.type != "QREMOTE" or named.rname):
        return {}
    if named is None:
        return _of_aliases_of_others(cluster, name) | _of_clustered_alias(cluster, name)
    return {
        "names_alias": True,
        "alias_clustered": _own_clustered_alias(cluster, name) is not None,
        "alias_put_enabled": named.put == "ENABLED",
        "alias_rqmname": named.rqmname,
        "alias_xmitq": named.xmitq,
        "alias_xmitq_defined": _is_transmission_queue(cluster.own_queues.get(named.xmitq)),
        "alias_xmitq_put_enabled": _is_put_enabled(cluster.own_queues.get(named.xmitq)),
        "alias_defbind": named.defbind,
        "alias_defprty": named.defprty,
    }


def _of_clustered_alias(cluster: Cluster, name: str) -> dict[str, Any]:
    alias = _own_clustered_alias(cluster, name)
    if alias is None:
        return {}
    return {
        "names_alias": True,
        "alias_clustered": True,
        "alias_put_enabled": alias.put == "ENABLED",
        "alias_rqmname": alias.queue_manager,
        "alias_defbind": alias.defbind,
    }


def _of_aliases_of_others(cluster: Cluster, name: str) -> dict[str, Any]:
    aliases = cluster.aliases_by_name.get(name, ())
    if not aliases:
        return {}
    first = aliases[0].defbind
    return {"alias_defbind": first, "aliases_bind_alike": all(each.defbind == first for each in aliases)}


def _own_clustered_alias(cluster: Cluster, name: str) -> QueueManagerAlias | None:
    local = cluster.queue_manager.name
    return next((each for each in cluster.aliases_by_name.get(name, ()) if each.routed_to == local), None)


def _is_routed_elsewhere(cluster: Cluster, name: str) -> bool:
    """Whether a route to another queue manager that advertises the alias is in a cluster that the alias is not in."""
    own = cluster.queue_manager
    return any(
        channel.cluster in own.clusters and channel.cluster not in alias.clusters
        for alias in cluster.aliases_by_name.get(name, ())
        if alias.clusters and alias.routed_to != own.name
        for channel in cluster.channels_by_queue_manager.get(alias.routed_to, ())
    )


def _of_way(before: NamePair | None, led_by: str) -> dict[str, Any]:
    """What was met on the way to these names."""
    if before is None:
        return {}
    return {
        "followed": (*before.followed, led_by),
        "led_by": led_by,
        "alias_followed": before.queue_manager if led_by == "QMALIAS" else before.alias_followed,
        "inhibited_by": before.inhibited_by,
        "for_input": before.for_input,
    }


def _is_transmission_queue(queue: Queue | None) -> bool:
    return queue is not None and queue.type == "QLOCAL" and queue.usage == "XMITQ"


def _is_put_enabled(queue: Queue | None) -> bool:
    return queue is None or queue.put == "ENABLED"
