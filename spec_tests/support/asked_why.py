"""What ``why`` says of the queue APPQ, asked in this process."""

from __future__ import annotations

import json
from typing import Any

from mqclause.model.configuration.snapshot import Snapshot, read_sources
from mqclause.model.configuration.sources import Source
from mqclause.trigger.why import Why, WhyAnswer

WHY = Why()


def facts(monitored: dict[str, Any] | None = None, trigint: int = 999999999, **appq: Any) -> dict[str, Any]:
    """APPQ of QM1 in order: nobody has it open, a trigger monitor waits. None takes a key away."""
    own = {"name": "APPQ", "trigger": True, "process": "P", "initq": "INITQ", "ipprocs": 0, **appq}
    other = {"name": "INITQ", "ipprocs": 1, **(monitored or {})}
    return {
        "queue_manager": {"name": "QM1", "trigint": trigint},
        "queue": [{key: value for key, value in each.items() if value is not None} for each in (own, other)],
        "process": [{"name": "P", "applicid": "/opt/orders"}],
    }


def snapshot(text: str | dict[str, Any], local: str | None = None) -> Snapshot:
    data = text if isinstance(text, str) else json.dumps(text)
    return read_sources([Source("facts", data.encode())], local)


def asked(text: str | dict[str, Any], name: str = "APPQ", priority: int | None = None, why: Why = WHY) -> WhyAnswer:
    is_told = isinstance(text, dict) or "manager name" in text
    found = snapshot(text, None if is_told else "QM1")
    (queue,) = (each for each in found.cluster.queues if each.name == name)
    return why.ask(queue, found, priority)


def told(answer: WhyAnswer) -> dict[str, bool | None]:
    return {each["rule"].removeprefix("trigger."): each["holds"] for each in answer.to_json()["conditions"]}


def looked_up(answer: WhyAnswer) -> list[tuple[str, str]]:
    return [(each["object"], each["command"]) for each in answer.to_json()["depends_on"]]


OF_APPQ = ("APPQ", "DISPLAY QSTATUS('APPQ')")

OF_INITQ = ("INITQ", "DISPLAY QSTATUS('INITQ')")

OF_LAST = ("APPQ", "DISPLAY QSTATUS('INITQ') LPUTDATE LPUTTIME")
