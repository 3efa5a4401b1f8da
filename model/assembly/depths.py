"""What sources show of queues besides their definitions: depth, open handles and the like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mqclause.model.readers.record import Record, Script

QueueKey = tuple[str, str]
"""A queue's name and its queue manager."""


def shown_of_queues(scripts: Iterable[Script], local: str) -> Mapping[QueueKey, Mapping[str, str]]:
    """By queue what its dump shows in comments, or DISPLAY of it, of its QSTATUS and of its handles.

    A script that names no queue manager is that of ``local``.
    """
    found: dict[QueueKey, Mapping[str, str]] = {}
    handles: dict[QueueKey, int] = {}
    for script in scripts:
        for record in script.records:
            key = record.name, script.queue_manager or local
            if record.kind == "QSTATUS" and record.attributes.get("TYPE") == "HANDLE":
                handles[key] = handles.get(key, 0) + _reads(record)
            elif record.kind in ("QLOCAL", "QSTATUS") and (record.informational or record.action == "observe"):
                shown = _shown(record)
                found[key] = {**found[key], **shown} if key in found else shown
    for key, count in handles.items():
        found[key] = {"IPPROCS": str(count), **found.get(key, {})}
    return found


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
