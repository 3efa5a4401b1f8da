"""How what a get costs grows with the queue: microseconds a get, under several options, beside the queue's depth.

    python tools/bench/retrieval.py [DEPTH …]

Groups of four messages lie on the queue, in three priorities. A get that found its message by looking at all of them
would cost ten times as much in each line.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.messages import Message
from mqclause.model.facts.objects import Queue, QueueManager
from mqclause.model.timeline.events import Event
from mqclause.model.timeline.transitions import QueueManagerState
from mqclause.retrieval.calls import EnqueueCallbacks, retrieve
from mqclause.retrieval.order import Retrieval

DEPTHS = (1_000, 10_000, 100_000)
GROUP = 4
GETS = 400
ASKED = {
    "plain": (),
    "LOGICAL_ORDER": ("LOGICAL_ORDER",),
    "… ALL_MSGS_AVAILABLE": ("LOGICAL_ORDER", "ALL_MSGS_AVAILABLE"),
    "COMPLETE_MSG": ("COMPLETE_MSG",),
    "BROWSE_NEXT": ("BROWSE_NEXT",),
    "… LOGICAL_ORDER": ("BROWSE_NEXT", "LOGICAL_ORDER"),
}


def lying(depth: int) -> Iterator[Message]:
    """Return the messages of a queue of that depth."""
    for number in range(depth):
        group, place = divmod(number, GROUP)
        yield Message(
            id=f"M{number}",
            queue="APPQ",
            priority=group % 3,
            group=f"G{group}",
            sequence=place + 1,
            last_in_group=place == GROUP - 1,
        )


def microseconds(retrieval: Retrieval, state: QueueManagerState, options: tuple[str, ...]) -> float:
    """Measure the processor time of one of many gets, one after the other."""
    event = Event("get", queue="APPQ", options=options)
    begun = time.process_time()
    for _ in range(GETS):
        state, _, returned = retrieve(retrieval, state, event)
        assert returned.got, options  # noqa: S101 - the queue is deep enough
    return (time.process_time() - begun) / GETS * 1e6


def main() -> None:
    """Print the table."""
    depths = [int(each) for each in sys.argv[1:]] or DEPTHS
    retrieval, cluster = Retrieval(), Cluster(QueueManager("QM1"), queues=[Queue("APPQ", "QM1")])
    print(f"{'depth':>9}", *(f"{name:>21}" for name in ASKED))
    for depth in depths:
        state = QueueManagerState.of(cluster, EnqueueCallbacks(retrieval.terms), lying(depth))
        print(f"{depth:>9,}", *(f"{microseconds(retrieval, state, asked):>21.0f}" for asked in ASKED.values()))


if __name__ == "__main__":
    main()
