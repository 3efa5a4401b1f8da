"""What a queue that is to trigger has around it, by what files tell of its queue manager."""

from __future__ import annotations

from attrs import evolve

from mqclause.model.assembly.configured_member import ConfiguredMember
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import ModelQueue, Process, Queue

STAND_IN = "%THIS.QUEUE%"
"""The name of a queue while all that are like it are asked about together."""


def kind_of(member: ConfiguredMember, name: str) -> tuple[object, ...]:
    """What the trigger rules see of a queue that is to trigger: of queues alike in it they say the same.

    Last in it is the name to ask about it by: its own where something else that they see has that too.
    """
    found = member.found(name)
    initq = found.fields.get("initq", "")
    bell = member.own_queue(initq) if initq != name else None
    is_named = name.casefold() == initq.casefold() or (bell is not None and name == bell.base_queue)
    return (*found.fields.items(), name if is_named else STAND_IN)


def to_trigger(member: ConfiguredMember, name: str, called: str) -> Cluster:
    """A queue that is to trigger, ``called`` so, with what that needs; what no file would tell is taken to be there."""
    own = member.own_queue(name)
    assert own is not None, "it was looked at as a queue of its"  # noqa: S101
    queue = evolve(own, name=called, descr="", clusters=(), curdepth=None, ipprocs=None)
    initq = member.own_queue(queue.initq) if queue.initq != queue.name else None
    models = [queue.initq] if initq is None and queue.initq in member.models else []
    if initq is None and queue.initq not in ("", queue.name, *models):
        there = not member.tells("QLOCAL", queue.initq)
        initq = Queue(queue.initq, member.name) if there else member.local_queue_by_case(queue.initq)
    target = member.own_queue(initq.base_queue) if initq is not None and initq.type == "QALIAS" else None
    around = [each for each in (initq, target) if each is not None and each.name != queue.name]
    beside = [evolve(each, ipprocs=None, clusters=()) for each in around]
    processes = member.processes(queue.process)
    is_defined = any(each.name == queue.process for each in processes)
    if queue.process and not is_defined and not member.tells("PROCESS", queue.process):
        processes = (Process(queue.process),)
    return Cluster(member.queue_manager, (), (queue, *beside), (), (), processes, map(ModelQueue, models))
