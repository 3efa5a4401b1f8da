"""Random scenarios for the trigger rules: a few queues, two trigger monitors, and events that can all happen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from random import Random
from typing import Any

from attrs import define, field
from hypothesis import strategies as st

from mqclause import Rules
from mqclause.executors.operations import ExecutorName
from mqclause.replay.runner import Replay

Table = dict[str, Any]

APPLICATIONS = ("APPQ", "OTHERQ")
MOST_TRIGGER_INTERVAL = 999_999_999


def facts(rng: Random) -> Table:
    """The queue manager QM1 in a queue-sharing group with QM2; most of the conditions 5 to 10 hold mostly."""
    platform = rng.choice(("MULTI", "ZOS"))
    return {
        "queue_manager": {
            "name": "QM1",
            "platform": platform,
            "trigint": rng.choice((0, 5, 30, MOST_TRIGGER_INTERVAL)),
        },
        "remote_queue_manager": [{"name": "QM2"}],
        "queue": [*(_application_queue(rng, name) for name in APPLICATIONS), _initiation_queue(rng)],
        "process": [{"name": "ORDERS.PROC", "applicid": "/opt/orders"}],
    }


def _mostly(rng: Random, usual: Any, *others: Any) -> Any:
    return usual if rng.random() < 0.96 else rng.choice(others)


def _application_queue(rng: Random, name: str) -> Table:
    return {
        "name": name,
        "trigger": _mostly(rng, True, False),
        "trigtype": _mostly(rng, rng.choice(("FIRST", "EVERY", "DEPTH")), "NONE"),
        "trigdpth": rng.randint(1, 4),
        "trigmpri": rng.choice((0, 0, 4)),
        "defprty": rng.choice((0, 4)),
        "msgdlvsq": _mostly(rng, "PRIORITY", "FIFO"),
        "usage": _mostly(rng, "NORMAL", "XMITQ"),
        "get": _mostly(rng, "ENABLED", "DISABLED"),
        "shared": rng.random() < 0.3,
        "process": _mostly(rng, "ORDERS.PROC", "", "NOWHERE"),
        "initq": _mostly(rng, "INITQ", "INITQ", "", "NOWHERE"),
    }


def _initiation_queue(rng: Random) -> Table:
    return {
        "name": "INITQ",
        "put": _mostly(rng, "ENABLED", "DISABLED"),
        "get": _mostly(rng, "ENABLED", "DISABLED"),
        "usage": _mostly(rng, "NORMAL", "NORMAL", "XMITQ"),
        "logically_deleted": rng.random() < 0.03,
    }


@define
class _Story:
    """Events as they are told, with what is open by then: handles as the keys of their close, and units of work."""

    rng: Random
    shared: Mapping[str, bool]
    handles: list[Table] = field(factory=list)
    units: set[str] = field(factory=set)
    now: int = 0

    def put(self) -> Table:
        rng = self.rng
        event: Table = {"do": "put", "queue": rng.choice(APPLICATIONS), "persistent": rng.random() < 0.8}
        if rng.random() < 0.7:
            event["priority"] = rng.choice((0, 3, 4, 9))
        if rng.random() < 0.15:
            event["segments"] = rng.randint(2, 3)
        if rng.random() < 0.1:
            event["count"] = rng.randint(2, 3)
        return self.in_some_unit(event)

    def get(self) -> Table:
        return self.in_some_unit({"do": "get", "queue": self.rng.choice(APPLICATIONS)})

    def in_some_unit(self, event: Table) -> Table:
        if self.rng.random() < 0.3:
            event["unit_of_work"] = self.rng.choice(("U1", "U2"))
            self.units.add(event["unit_of_work"])
        return event

    def open(self) -> Table:
        rng = self.rng
        queue = rng.choice((*APPLICATIONS, "INITQ"))
        handle: Table = {"queue": queue, "by": rng.choice(("APP1", "APP2"))}
        if self.shared.get(queue) and rng.random() < 0.5:
            handle["queue_manager"] = "QM2"
        modes = [each["mode"] for each in self.handles if each["queue"] == queue]
        mode = rng.choice(("INPUT_SHARED", "INPUT_SHARED", "INPUT_EXCLUSIVE", "BROWSE"))
        if "INPUT_EXCLUSIVE" in modes or (mode == "INPUT_EXCLUSIVE" and "INPUT_SHARED" in modes):
            mode = "BROWSE"
        self.handles.append({**handle, "mode": mode})
        return {"do": "open", **handle, "mode": mode}

    def close(self) -> Table:
        if not self.handles:
            return self.put()
        chosen = self.rng.choice(self.handles)
        same = {key: value for key, value in chosen.items() if key != "mode"}
        latest = next(
            each for each in reversed(self.handles) if same.items() <= each.items() and len(each) == len(chosen)
        )
        self.handles.remove(latest)
        return {"do": "close", **same}

    def end(self) -> Table:
        if not self.units:
            return self.put()
        unit = self.rng.choice(sorted(self.units))
        self.units.remove(unit)
        return {"do": self.rng.choice(("commit", "backout")), "unit_of_work": unit}

    def alter(self) -> Table:
        rng = self.rng
        if rng.random() < 0.3:
            return {
                "do": "alter",
                "queue": "INITQ",
                "set": {rng.choice(("put", "get")): rng.choice(("ENABLED", "ENABLED", "DISABLED"))},
            }
        queue, changes = rng.choice(APPLICATIONS), ALTERS[rng.randrange(len(ALTERS))]
        return {"do": "alter", "queue": queue, "set": {key: rng.choice(values) for key, values in changes.items()}}

    def restart(self) -> Table:
        self.handles, self.units = [], set()
        return {"do": "restart"}

    def advance(self) -> Table:
        self.now += self.rng.choice((1, 4, 5, 30))
        return {"do": "advance", "at": self.now}


ALTERS: tuple[Mapping[str, tuple[Any, ...]], ...] = (
    {"trigger": (True, True, False)},
    {"trigtype": ("FIRST", "EVERY", "DEPTH", "NONE")},
    {"trigdpth": (1, 2, 3)},
    {"trigmpri": (0, 4)},
    {"get": ("ENABLED", "DISABLED")},
    {"trigger": (True,), "trigtype": ("FIRST", "EVERY", "DEPTH")},
    {"trigger": (True,), "get": ("ENABLED",)},
    {"defprty": (0, 4)},
)
"""What an alter of an application queue may set."""

KINDS: tuple[tuple[Callable[[_Story], Table], int], ...] = (
    (_Story.put, 8),
    (_Story.get, 3),
    (_Story.open, 3),
    (_Story.close, 3),
    (_Story.end, 2),
    (_Story.alter, 3),
    (_Story.restart, 1),
    (_Story.advance, 2),
)


def random_scenario(rng: Random, events: int = 15) -> Table:
    """Facts and ``events`` events after the open of a trigger monitor, as a parsed scenario."""
    found = facts(rng)
    story = _Story(rng, {queue["name"]: queue.get("shared", False) for queue in found["queue"]})
    kinds, weights = zip(*KINDS, strict=True)
    told: list[Table] = [{"do": "open", "queue": "INITQ", "by": "TRIGMON"}]
    story.handles.append({"queue": "INITQ", "by": "TRIGMON", "mode": "INPUT_SHARED"})
    for kind in rng.choices(kinds, weights, k=events):
        told.append(kind(story))
    return {**found, "event": told}


seeds = st.randoms(use_true_random=False)


@cache
def replay(executor: ExecutorName = "compiled", readings: tuple[tuple[str, str], ...] = ()) -> Replay:
    """A replay for these readings, made once: durable_rules never gives the memory of its networks back."""
    return Replay(Rules(dict(readings)), executor)
