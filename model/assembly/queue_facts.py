"""Queues and aliases of queue managers as facts, each made of one object of one queue manager."""

from __future__ import annotations

from collections.abc import Mapping

from mqclause.model.assembly.covered import covered_at
from mqclause.model.assembly.inquired import Inquired
from mqclause.model.assembly.mq_object import MqObject, Origins, placed_fact
from mqclause.model.assembly.objects import Objects
from mqclause.model.assembly.provenance import Placed
from mqclause.model.facts.objects import Queue, QueueManagerAlias

ALIAS_ATTRIBUTES = ("put", "clwlrank", "clwlprty", "defbind")
"""What counts of an alias of a queue manager besides its names."""


def placed_queue(queue: MqObject, member: str, clusters: tuple[str, ...], host: Origins | None) -> Placed[Queue]:
    """The fact of a queue of ``member``; ``host`` is where that is said whose it is."""
    # An alias of a queue manager is known in its clusters as such, and no instance of a queue.
    fact = queue_fact(queue, member, () if is_manager_alias(queue) else clusters)
    known = host or {"queue_manager": queue.origin("name")}
    return placed_fact(fact, queue, known)


def queue_fact(queue: MqObject, host: str, clusters: tuple[str, ...]) -> Queue:
    """A queue of ``host`` as a fact, in ``clusters``."""
    target = queue.text("TARGET") if queue.kind == "QALIAS" else ""
    fields = queue.fields_of_queue()
    return Queue(name=queue.name, queue_manager=host, type=queue.kind, target=target, clusters=clusters, **fields)


def queues_of(member: Objects) -> Mapping[str, str]:
    """The queues that a member has, by name, each with the name that it leads to if it is an alias of a queue.

    Where the files of the member would not tell whether it has a queue of that name, too, it is blank.
    """
    found = member.of("QLOCAL", "QALIAS", "QREMOTE", "QMODEL")
    names = {each.name for each in found}
    leads = {each: each.text("TARGET") for each in found if each.kind == "QALIAS" and not leads_to_topic(each)}
    return {
        each.name: to if (to := leads.get(each, "")) in names or tells_target(member, each) else "" for each in found
    }


def models_of(member: Objects) -> frozenset[str]:
    """The names of the model queues that a member has."""
    return frozenset(each.name for each in member.of("QMODEL"))


def tells_target(member: Objects, alias: MqObject) -> bool:
    """Whether what tells of an alias of a member would tell of a queue that it leads to, if the member had one."""
    target = alias.text("TARGET")
    asked = Inquired.at(member.scripts, member.name)
    would = alias.record.action == "define" or asked.tells("QLOCAL", target)
    return would and not covered_at(member.scripts, member.name).leaves_out("QLOCAL", target)


def leads_to_topic(queue: MqObject) -> bool:
    """Whether an alias is one of a topic."""
    return queue.text("TARGTYPE") == "TOPIC"


def leads_elsewhere(queue: MqObject) -> bool:
    """Whether a queue is an alias of a queue, or a remote definition."""
    return queue.kind != "QLOCAL" and not leads_to_topic(queue)


def is_manager_alias(queue: MqObject) -> bool:
    """Whether a remote definition is an alias of a queue manager."""
    return queue.kind == "QREMOTE" and not queue.text("RNAME")


def alias_fact(remote: MqObject, host: str, clusters: tuple[str, ...]) -> QueueManagerAlias:
    """The alias that ``host`` advertises; a blank RQMNAME is the queue manager of the definition."""
    kept = {name: remote.fields[name] for name in ALIAS_ATTRIBUTES if name in remote.fields}
    resolved = remote.text("RQMNAME") or host
    return QueueManagerAlias(remote.name, resolved, clusters, host="" if resolved == host else host, **kept)
