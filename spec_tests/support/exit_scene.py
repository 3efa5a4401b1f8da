"""A cluster with an exit: QM1 puts to queue Q, which QM2, QM3 and QM4 host, and CLWLEXIT names ``myexit``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mqclause import Decision, Engine, read_document
from mqclause.exits import MQWXP
from mqclause.model.timeline.scenario import Scenario, build_scenario

NAME = "myexit"
HOSTS = ("QM2", "QM3", "QM4")

Exit = Callable[[MQWXP], object]


def facts(**changes: Any) -> dict[str, Any]:
    """The facts; ``queue_manager`` and ``put`` are laid over, queues and channels by the name of their host."""
    queues, channels = changes.get("queues", {}), changes.get("channels", {})
    others = changes.get("others", {})
    return {
        "queue_manager": {
            "name": "QM1", "clusters": ["S"], "clwlexit": NAME, "clwldata": "TO.QM3", **changes.get("queue_manager", {}),
        },
        "remote_queue_manager": [{"name": host, "clusters": ["S"], **others.get(host, {})} for host in HOSTS],
        "queue": [
            *changes.get("local", []),
            *({"name": "Q", "queue_manager": host, "clusters": ["S"], **queues.get(host, {})} for host in HOSTS),
        ],
        "channel": [
            {"name": f"TO.{host}", "queue_manager": host, "cluster": "S", "status": "RUNNING", **channels.get(host, {})}
            for host in HOSTS
        ],
        "put": {"queue": "Q", "bind": "NOTFIXED", **changes.get("put", {})},
    }  # fmt: skip


def choose(engine: Engine, more: dict[str, Any] | None = None, **given: Any) -> Decision:
    """The decision of ``engine`` about the facts with ``more`` changed."""
    snapshot = read_document(facts(**(more or {})), "facts")
    assert snapshot.put is not None
    return engine.choose(snapshot.put, snapshot.cluster, explain="rule", **given)


def asked(exit: Exit, more: dict[str, Any] | None = None, **options: Any) -> Decision:  # noqa: A002 - MQ's word
    """The decision of a new engine with this one exit."""
    with Engine(exits={NAME: exit}, **options) as engine:
        return choose(engine, more)


def scenario(events: list[dict[str, Any]], **changes: Any) -> Scenario:
    """The facts with these events."""
    return build_scenario({**facts(**changes), "event": events}, "scenario")


def took(decision: Decision) -> str | None:
    """The queue manager that was chosen."""
    return decision.chosen.queue_manager if decision.chosen else None


def told(decision: Decision) -> dict[str, Any]:
    """The key ``exit`` of the decision's document."""
    found: dict[str, Any] = decision.to_json()["exit"]
    return found


def taking(number: int, response: str = "OK") -> Exit:
    """An exit that takes one destination, by its number from 1."""

    def exit(wxp: MQWXP) -> None:  # noqa: A001
        wxp.DestinationChosen, wxp.ExitResponse = number, response

    return exit


def only_at_a_choice(does: Callable[[MQWXP], Any]) -> Exit:
    """An exit that does this where a destination is chosen, and nothing at INIT and TERM."""

    def exit(wxp: MQWXP) -> None:  # noqa: A001
        if wxp.DestinationArray:
            does(wxp)

    return exit


def code(decision: Decision) -> int | None:
    """The reason code of a decision that failed."""
    return decision.reason.code if decision.reason else None


def writing(path: Path, *names: str, of: Callable[[MQWXP], Any] | None = None) -> Exit:
    """An exit that writes these fields of each call to a file, or what ``of`` says; what it is told, it leaves."""

    def exit(wxp: MQWXP) -> None:  # noqa: A001
        seen = of(wxp) if of else [getattr(wxp, name) for name in names]
        with path.open("a") as file:
            file.write(json.dumps(seen) + "\n")

    return exit


def written(path: Path) -> list[Any]:
    """What ``writing`` wrote, call by call."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
