"""The occasions that an event raises: what happened to which queue, in order.

An occasion from which nothing can follow by the rules, as the judge says, is left out: it takes no time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import fields

from mqclause.model.facts.objects import Queue
from mqclause.model.timeline.alteration import QueueChange
from mqclause.model.timeline.occasion import Arrivals, Occasion, Occasions
from mqclause.model.timeline.queue_manager_content import QueueManagerContent
from mqclause.model.timeline.queue_state import QueueState
from mqclause.model.timeline.unit_of_work import UnitOfWork, oldest_first

CHANGED = "_changed"
ATTRIBUTES_SEEN_CHANGED = tuple(
    each.name.removesuffix(CHANGED) for each in fields(Occasion) if each.name.endswith(CHANGED)
)
"""The attributes of a queue of which an occasion says whether an alter changed them."""


def raised(
    state: QueueManagerContent, before: QueueManagerContent, kind: str, queue: Queue, **seen: Any
) -> tuple[Occasion, ...]:
    """The occasion that ``state`` came of the state ``before``, as ``queue`` sees it."""
    if not state.definitions.judge.looks_at(kind, queue.shared, seen.get("in_unit_of_work", False)):
        return ()
    return (state.occasion_of(kind, queue, before, **seen),)


def of_alter(state: QueueManagerContent, before: QueueManagerContent, change: QueueChange) -> Iterator[Occasion]:
    """The alter itself, then PUT of an initiation queue for the queues that it serves, then GET of the queue."""
    old, new = change
    if new.type != "QLOCAL":
        return
    seen = {name + CHANGED: getattr(old, name) != getattr(new, name) for name in ATTRIBUTES_SEEN_CHANGED}
    set_on, set_off = new.trigger and not old.trigger, old.trigger and not new.trigger
    yield from raised(state, before, "alter", new, trigger_set_on=set_on, trigger_set_off=set_off, **seen)
    if (old.put, new.put) == ("DISABLED", "ENABLED"):
        yield from of_served(state, before, "initq_put_enabled", new.name)
    if (old.get, new.get) == ("DISABLED", "ENABLED"):
        yield from raised(state, before, "get_enabled", new)


def of_served(
    state: QueueManagerContent, before: QueueManagerContent, kind: str, initq: str, **seen: Any
) -> Iterator[Occasion]:
    """One occasion for each local queue whose INITQ is ``initq``."""
    for name in state.definitions.served.get(initq, ()):
        yield from raised(state, before, kind, state.local_queue(name), **seen)


def of_each(
    state: QueueManagerContent, before: QueueManagerContent, kind: str, queues: Sequence[str]
) -> Iterator[Occasion]:
    """One occasion for each of ``queues`` that is a local queue."""
    for name in queues:
        queue = state.definitions.local_queue(name)
        if queue is not None:
            yield from raised(state, before, kind, queue)


def of_commit(
    state: QueueManagerContent, before: QueueManagerContent, unit: UnitOfWork
) -> tuple[Mapping[str, QueueState], Occasions]:
    """The queues after the commit of ``unit``, and every message that it had put, one after the other."""
    queues = dict(before.queues)
    runs: list[Arrivals] = []
    for done in oldest_first(unit):
        if not done.is_put:
            continue
        depth = queues[done.queue]
        queues[done.queue] = depth.committed_put(done.priority, done.run)
        queue = state.definitions.local_queue(done.queue)
        if queue is not None and state.definitions.judge.looks_at("put_committed", queue.shared, False):
            step = done.segments if state.definitions.messages(queue).counts[done.priority] else 0
            first = _first_committed(state, before, queue, depth, (done.priority, done.segments, step))
            runs.append(Arrivals(first, done.run.size // done.segments, step))
    return queues, Occasions(runs)


def _first_committed(
    state: QueueManagerContent,
    before: QueueManagerContent,
    queue: Queue,
    depth: QueueState,
    put: tuple[int, int, int],
) -> Occasion:
    """The first of like puts that are committed: ``put`` is the priority that its messages were enqueued with, how
    many they are, and how many of them count. ``depth`` is the queue before it; what others have not committed is not
    seen.
    """
    message_priority, arrived, step = put
    counted, total = depth.counted(state.definitions.messages(queue).counts)[0], depth.committed
    return state.occasion_of(
        "put_committed",
        queue,
        before,
        message_priority=message_priority,
        arrived=arrived,
        previous_depth=counted,
        previous_total=total,
        depth=counted + step,
        depth_total=total + arrived,
        previous_committed=counted,
        previous_committed_total=total,
        committed=counted + step,
        committed_total=total + arrived,
    )
