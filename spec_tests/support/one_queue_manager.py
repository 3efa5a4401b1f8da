"""One queue manager with a triggered queue, and the events that happen to it."""

from __future__ import annotations

from typing import Any

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Channel, Process, Queue, QueueManager, RemoteQueueManager
from mqclause.model.timeline.events import Event
from mqclause.model.timeline.transitions import QueueManagerState
from mqclause.model.timeline.trigger_events import EventResult, TriggerEvent
from mqclause.retrieval.calls import find_put_reason, retrieve
from mqclause.retrieval.order import Retrieval
from mqclause.trigger.examination import Triggers

QM = "QM1"
JUDGE, RETRIEVAL = Triggers().callbacks, Retrieval()
MILLION = 1_000_000


def reaching(lowest: int) -> dict[int, bool]:
    """That messages of priority ``lowest`` or higher count."""
    return {priority: priority >= lowest for priority in range(10)}


def cluster(*queues: Queue, **own: Any) -> Cluster:
    known = {queue.name for queue in queues}
    more = [Queue(name, QM) for name in ("INITQ",) if name not in known]
    return Cluster(
        QueueManager(QM, trigint=5000, **own),
        [RemoteQueueManager("QM2")],
        [*queues, *more, Queue("FAR", "QM2")],
        (),
        [Channel("TO.QM2", "QM2", "SALES"), Channel("TO.QM2", "QM2", "PAY")],
        [Process("PROC", applicid="/bin/x", envrdata="e", userdata="u")],
    )


def app_queue(**given: Any) -> Queue:
    return Queue("APPQ", QM, **{"trigger": True, "initq": "INITQ", "process": "PROC", "trigmpri": 3, **given})


def started(*queues: Queue, **own: Any) -> QueueManagerState:
    return QueueManagerState.of(cluster(*(queues or (app_queue(),)), **own), JUDGE)


def step(state: QueueManagerState, event: Event) -> tuple[QueueManagerState, EventResult, int | None]:
    """The state after an event, what it led to, and the reason of its call."""
    if event.do == "get":
        state, happened, returned = retrieve(RETRIEVAL, state, event)
        return state, happened, returned.reason
    if event.do == "put":
        ended = find_put_reason(RETRIEVAL, state, event)
        state, happened = state.after(event, placing=ended.placing)
        return state, happened, happened.reason or ended.code
    state, happened = state.after(event)
    return state, happened, happened.reason


def after(state: QueueManagerState, *events: Event) -> QueueManagerState:
    for event in events:
        state, _, _ = step(state, event)
    return state


def last(state: QueueManagerState, *events: Event) -> tuple[QueueManagerState, EventResult]:
    return step(after(state, *events[:-1]), events[-1])[:2]


def reason(state: QueueManagerState, *events: Event) -> int | None:
    """The reason of the last call."""
    return step(after(state, *events[:-1]), events[-1])[2]


def put(queue: str = "APPQ", **given: Any) -> Event:
    return Event("put", queue=queue, **given)


def get(queue: str = "APPQ", **given: Any) -> Event:
    return Event("get", queue=queue, **given)


def opened(queue: str = "APPQ", mode: str = "INPUT_SHARED", **given: Any) -> Event:
    return Event("open", queue=queue, mode=mode, **given)


def closed(queue: str = "APPQ", **given: Any) -> Event:
    return Event("close", queue=queue, **given)


def commit(unit: str = "U") -> Event:
    return Event("commit", unit_of_work=unit)


def backout(unit: str = "U") -> Event:
    return Event("backout", unit_of_work=unit)


def alter(queue: str = "APPQ", **given: Any) -> Event:
    return Event("alter", queue=queue, set=given)


def depths(occasion: TriggerEvent) -> tuple[int, int, int, int]:
    return occasion.previous_depth, occasion.depth, occasion.previous_total, occasion.depth_total


def committed(occasion: TriggerEvent) -> tuple[int, int, int, int]:
    return (
        occasion.previous_committed,
        occasion.committed,
        occasion.previous_committed_total,
        occasion.committed_total,
    )
