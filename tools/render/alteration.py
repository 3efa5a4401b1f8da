"""What an alter of a scenario sets: as MQSC says it where MQSC has the attribute, else as the scenario does."""

from __future__ import annotations

from collections.abc import Iterator

from mqclause.answers.cluster.commands import quoted_name
from mqclause.model.facts.domains import Words
from mqclause.model.facts.objects import Channel, Queue, QueueManager, RemoteQueueManager
from mqclause.model.readers.mqsc.grammar import known_attributes
from mqclause.model.timeline.alteration import ALTERABLE, Altered
from mqclause.model.timeline.event import Event

OBJECTS: dict[type[Altered], tuple[str, ...]] = {
    Queue: ("QLOCAL", "QALIAS", "QREMOTE"),
    Channel: ("CHANNEL",),
    QueueManager: ("QMGR",),
    RemoteQueueManager: ("QMGR",),
}
SHOWN_IN_PARENTHESES = "status"
"""What no command sets, and DISPLAY shows as it shows attributes."""


def settings(event: Event) -> Iterator[str]:
    """Each attribute that an alter sets: ``PUT(DISABLED)``, ``NOTRIGGER``, ``suspended = SALES``."""
    kind = _kind(event)
    known = {word for noun in OBJECTS[kind] for word in known_attributes("ALTER", noun) or ()}
    for name, value in event.set.items():
        if name != SHOWN_IN_PARENTHESES and name.upper() not in known:
            yield f"{name} = {_as_in_scenario(value)}"
        elif isinstance(value, bool):
            yield name.upper() if value else f"NO{name.upper()}"
        else:
            yield f"{name.upper()}({_in_mqsc(kind, name, value)})"


def _kind(event: Event) -> type[Altered]:
    if event.channel:
        return Channel
    return Queue if event.queue else QueueManager


def _in_mqsc(kind: type[Altered], name: str, value: object) -> str:
    domain = ALTERABLE[kind].get(name)
    if isinstance(domain, Words):
        return str(domain(value, name))
    return quoted_name(value or " ") if isinstance(value, str) else str(value)


def _as_in_scenario(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) or "none" if isinstance(value, list | tuple) else str(value)
