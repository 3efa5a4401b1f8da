"""The local queue manager's own definitions, as names resolve to them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from attrs import frozen

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.message import OF_ITS_OWN, ON_ITS_OWN, InItem, Message
from mqclause.model.facts.objects import Process, Queue
from mqclause.model.timeline.handles import Handles
from mqclause.model.timeline.judge import NO_JUDGE, Judge, Messages
from mqclause.model.timeline.occasion import Occasion


@frozen(eq=False)
class Definitions:
    """What the snapshot ``cluster`` defines at one queue manager; made anew when the snapshot changes.

    ``judge`` says what rules make of it.
    """

    cluster: Cluster
    judge: Judge = NO_JUDGE

    @cached_property
    def queues(self) -> dict[str, Queue]:
        """The instances on the local queue manager, of any type, by name."""
        return self.cluster.own_queues

    @cached_property
    def processes(self) -> dict[str, Process]:
        """The process definitions by name."""
        return {process.name: process for process in self.cluster.processes}

    @cached_property
    def _processes_by_case(self) -> dict[str, str]:
        return {name.casefold(): name for name in self.processes}

    @cached_property
    def _queues_by_case(self) -> dict[str, str]:
        return {name.casefold(): name for name, queue in self.queues.items() if queue.type == "QLOCAL"}

    @cached_property
    def served(self) -> dict[str, tuple[str, ...]]:
        """By initiation queue: the local queues that name it as their INITQ, in listing order."""
        found: dict[str, tuple[str, ...]] = {}
        for queue in self.queues.values():
            if queue.type == "QLOCAL" and queue.initq:
                found[queue.initq] = (*found.get(queue.initq, ()), queue.name)
        return found

    def of(self, cluster: Cluster) -> Definitions:
        """The definitions of another snapshot, with the same judge."""
        return Definitions(cluster, self.judge)

    @cached_property
    def _messages(self) -> dict[str, Messages]:
        return {}

    def messages(self, queue: Queue) -> Messages:
        """What rules say of the messages on the local queue ``queue``."""
        found = self._messages.get(queue.name)
        if found is None:
            found = self._messages[queue.name] = self.judge.messages(queue)
        return found

    def in_item(self, message: Message) -> InItem:
        """What rules say of a message where it belongs."""
        return OF_ITS_OWN if message.item == ON_ITS_OWN else self.judge.in_item(message)

    @cached_property
    def _described(self) -> dict[str, Occasion]:
        return {}

    def local_queue(self, name: str) -> Queue | None:
        """The local queue (QLOCAL) ``name``, not an alias of it."""
        queue = self.queues.get(name)
        return queue if queue is not None and queue.type == "QLOCAL" else None

    def base(self, name: str) -> Queue | None:
        """The local queue that ``name`` resolves to, itself or through a local alias; None if there is none."""
        queue = self.queues.get(name)
        if queue is not None and queue.type == "QALIAS":
            return self.local_queue(queue.base_queue)
        return queue if queue is not None and queue.type == "QLOCAL" else None

    def described(self, queue: Queue) -> Occasion:
        """An occasion of the local queue ``queue`` with what the definitions say, and nothing that has happened."""
        found = self._described.get(queue.name)
        if found is None:
            found = self._described[queue.name] = Occasion(**self._attributes(queue))
        return found

    @cached_property
    def _opened(self) -> dict[str, tuple[Handles, Occasion]]:
        return {}

    def opened(self, queue: Queue, handles: Handles) -> Occasion:
        """The same with who has the queue and its initiation queue open, before the event as after it."""
        known = self._opened.get(queue.name)
        if known is not None and known[0] is handles:
            return known[1]
        described, opens, of_initq = self.described(queue), handles.opens(queue.name), handles.opens(queue.initq)
        found = described.with_seen(
            {
                "open_input_count": opens.here,
                "previous_open_input_count": opens.here,
                "open_shared_elsewhere": opens.shared_elsewhere if queue.shared else 0,
                "open_exclusive": opens.exclusive_here + (opens.exclusive_elsewhere if queue.shared else 0),
                "served_elsewhere": queue.shared and queue.name in handles.served_elsewhere,
                "initq_open_input_count": of_initq.here,
                "initq_opened_before": of_initq.here,
                "initq_open_elsewhere": of_initq.elsewhere if described.initq_shared else 0,
            }
        )
        self._opened[queue.name] = (handles, found)
        return found

    def _attributes(self, queue: Queue) -> dict[str, Any]:
        own = self.cluster.queue_manager
        process = self.processes.get(queue.process) if queue.process else None
        named = self.queues.get(queue.initq) if queue.initq else None
        initq = named if named is not None and named.type == "QLOCAL" else None
        target = self.local_queue(named.base_queue) if named is not None and named.type == "QALIAS" else None
        return {
            **{name: getattr(queue, name) for name in OF_QUEUE},
            "queue": queue.name,
            "process_defined": process is not None,
            "process_by_case": self._processes_by_case.get(queue.process.casefold(), "") if process is None else "",
            "initq_by_case": self._queues_by_case.get(queue.initq.casefold(), "") if named is None else "",
            **{name: getattr(process, name) if process else "" for name in OF_PROCESS},
            "initq_defined": initq is not None,
            "initq_get": initq.get if initq else "",
            "initq_put": initq.put if initq else "",
            "initq_usage": initq.usage if initq else "",
            "initq_logically_deleted": initq is not None and initq.logically_deleted,
            "initq_shared": initq is not None and initq.shared,
            "initq_type": named.type if named else "QMODEL" if queue.initq in self.cluster.models else "",
            "initq_target": target.name if target else "",
            "queue_manager": own.name,
            "platform": own.platform,
            "trigint": own.trigint,
        }


OF_QUEUE = (
    "defprty", "msgdlvsq", "trigger", "trigtype", "trigmpri", "trigdpth", "trigdata", "usage", "get",
    "process", "initq", "shared", "maxdepth",
)  # fmt: skip
OF_PROCESS = ("appltype", "applicid", "envrdata", "userdata")
