"""A queue manager in two clusters, and the rows of events of administration over it."""

from __future__ import annotations

import copy
import tomllib
from typing import Any

from mqclause import Replay, Rules
from mqclause.model.timeline.scenario import build_scenario

FACTS = """
queue_manager = {name = "QM1", clusters = ["SALES", "PAY"]}
remote_queue_manager = [
  {name = "QM2", clusters = ["SALES"], repository = true},
  {name = "QM3", clusters = ["SALES", "PAY"]},
]
queue = [
  {name = "ORDERS.IN", queue_manager = "QM2", clusters = ["SALES"]},
  {name = "ORDERS.IN", queue_manager = "QM3", clusters = ["SALES", "PAY"]},
  {name = "HERE", clusters = ["SALES"], defprty = 3},
]
channel = [
  {name = "TO.QM2", queue_manager = "QM2", cluster = "SALES", status = "RUNNING"},
  {name = "TO.QM3", queue_manager = "QM3", cluster = "SALES"},
  {name = "PAY.QM3", queue_manager = "QM3", cluster = "PAY"},
  {name = "TO.QM1", queue_manager = "QM1", cluster = "SALES", deftype = "CLUSRCVR"},
]
"""
REPLAY = Replay()


def replayed(*events: dict[str, Any], readings: dict[str, str] | None = None, **more: Any) -> list[dict[str, Any]]:
    """The rows of events over the facts, with rows of ``more`` tables added."""
    facts: dict[str, Any] = copy.deepcopy(tomllib.loads(FACTS))
    for table, given in more.items():
        facts[table] = {**facts[table], **given} if isinstance(given, dict) else [*facts.get(table, []), *given]
    replay = Replay(Rules(readings)) if readings else REPLAY
    return [row.to_json() for row in replay.rows(build_scenario({**facts, "event": list(events)}, "s"))]


def changed(row: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(each.get("channel") or each["queue_manager"], each["value"]) for each in row["changed"]]


def fates(row: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    return {each["message"]: (each["fate"], each["to"] and each["to"]["queue_manager"]) for each in row["fates"]}


SUSPEND = {"do": "suspend", "queue_manager": "QM2", "cluster": "SALES"}
PUT = {"do": "put", "queue": "ORDERS.IN"}
FAIL = {"do": "fail", "queue_manager": "QM2"}
RECOVER = {"do": "recover", "queue_manager": "QM2"}


def sent(channel: str = "TO.QM2", **flags: Any) -> dict[str, Any]:
    return {"id": "M1", "queue": "ORDERS.IN", "channel": channel, **flags}


ARRIVE = {"do": "arrive", "queue": "HERE", "id": "A1"}
