"""Routes of different weights to hosts that are alike otherwise."""

from __future__ import annotations

from mqclause import Channel, Cluster, Put, Queue, QueueManager, RemoteQueueManager

PUT = Put(queue="ORDERS.IN")


def cluster(*weights: int) -> Cluster:
    """QM1 local; QM2, QM3 … host the queue, each behind one running channel of the given weight."""
    names = [f"QM{number}" for number, _ in enumerate(weights, 2)]
    channels = [
        Channel(name=f"TO.{name}", queue_manager=name, cluster="SALES", status="RUNNING", clwlwght=weight)
        for name, weight in zip(names, weights, strict=True)
    ]
    return Cluster(
        queue_manager=QueueManager(name="QM1", clusters=("SALES",)),
        remote_queue_managers=tuple(RemoteQueueManager(name=name, clusters=("SALES",)) for name in names),
        queues=tuple(Queue(name="ORDERS.IN", queue_manager=name, clusters=("SALES",)) for name in names),
        channels=tuple(channels),
    )
