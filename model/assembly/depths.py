"""What sources show of queues besides their definitions: depth, open handles and the like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import frozen

from mqclause.model.readers.record import Record, Script

QueueKey = tuple[str, str]
"""A queue's name and its queue manager."""


def shown_of_queues(scripts: Iterable[Script], local: str) -> Mapping[QueueKey, Mapping[str, str]]:
    """By queue what its dump shows in comments, or DISPLAY of it, of its QSTATUS and of its handles.

    A script that names no queue manager is that of ``local``.
    """
    found: dict[str, dict[str, Mapping[str, str]]] = {}
    handles: dict[QueueKey, int] = {}
    for script in scripts:
        own = found.setdefault(script.queue_manager or local, {})
        for record in script.records:
            if record.kind == "QSTATUS" and record.attributes.get("TYPE") == "HANDLE":
                key = record.name, script.queue_manager or local
                handles[key] = handles.get(key, 0) + _reads(record)
            elif record.kind in ("QLOCAL", "QSTATUS") and (record.informational or record.action == "observe"):
                shown, before = _shown(record), own.get(record.name)
                own[record.name] = {**before, **shown} if before is not None else shown
    for (queue, name), count in handles.items():
        found[name][queue] = {"IPPROCS": str(count), **found[name].get(queue, {})}
    return ShownOfQueues(found)


@frozen(eq=False)
class ShownOfQueues(Mapping[QueueKey, Mapping[str, str]]):
    """What is shown by queue and queue manager; held by queue manager, as a pair for each queue would take room."""

    held: Mapping[str, Mapping[str, Mapping[str, str]]]

    def __getitem__(self, key: QueueKey) -> Mapping[str, str]:
        queue, queue_manager = key
        return self.held[queue_manager][queue]

    def __iter__(self) -> Iterator[QueueKey]:
        return ((queue, name) for name, queues in self.held.items() for queue in queues)

    def __len__(self) -> int:
        return sum(map(len, self.held.values()))


def _shown(record: Record) -> Mapping[str, str]:
    if record.action != "observe":
        return record.informational
    shown = record.attributes
    of_text = [name for name, value in shown.items() if isinstance(value, str)]
    all_are_text: Any = shown
    return all_are_text if len(of_text) == len(shown) else {name: str(shown[name]) for name in of_text}


def _reads(record: Record) -> int:
    """1 if the handle has the queue open for input."""
    return int(bool(record.listed("INPUT")) and record.listed("INPUT") != ("NO",))
