"""Random queues of messages: groups, segments and messages on their own, some of them missing, twice or not fitting."""

from __future__ import annotations

from random import Random
from typing import Any

COLUMNS = {
    "id": "string", "queue": "string", "priority": "int", "group": "string", "in_group": "boolean", "sequence": "int",
    "last_in_group": "boolean", "segment": "boolean", "last_segment": "boolean", "offset": "bigint", "length": "int",
    "unit_of_work": "string", "arrival": "bigint", "msgdlvsq": "string", "defprty": "int",
}  # fmt: skip
"""The columns of a table of messages, with their types in Spark."""


def random_rows(rng: Random, queues: int) -> list[dict[str, Any]]:
    """Messages on so many queues, in any order; what is left out is None."""
    rows = []
    for number in range(queues):
        of_queue: dict[str, Any] = {"queue": f"Q{number}", "msgdlvsq": rng.choice([None, "PRIORITY", "fifo"])}
        of_queue["defprty"] = rng.choice([None, 0, 4])
        given = [*_items(rng), *(_stray(rng) for _ in range(rng.randint(0, 4)))]
        if rng.random() < 0.6:
            rng.shuffle(given)
        for arrival, each in enumerate(given):
            unit = rng.choice([None] * 8 + ["U1"])
            rows.append({**dict.fromkeys(COLUMNS), **of_queue, "unit_of_work": unit, "arrival": arrival, **each})
    for number, row in enumerate(rows):
        row["id"] = f"M{number}"
    rng.shuffle(rows)
    return rows


def _items(rng: Random) -> list[dict[str, Any]]:
    """Groups as they should be, but for a message that is missing now and then."""
    found = []
    for group in rng.sample("XYZ", rng.randint(0, 3)):
        in_group, priority = rng.random() < 0.8, rng.choice([None, None, 0, 5, 12])
        size = rng.randint(1, 4) if in_group else 1
        for sequence in range(1, size + 1):
            last = {"last_in_group": True} if in_group and sequence == size else {}
            of = {"group": group, "in_group": in_group, "sequence": sequence, "priority": priority, **last}
            segments = rng.choice([0, 0, 0, 2, 3] if in_group else [2, 3])
            for place in range(segments):
                at = {"segment": True, "offset": place * 50, "length": 50, "last_segment": place == segments - 1}
                found.append({**of, **at})
            if not segments:
                found.append(of)
    if found and rng.random() < 0.4:
        found.pop(rng.randrange(len(found)))
    return found


def _stray(rng: Random) -> dict[str, Any]:
    """A message of any kind, which may take the place of another or lie across it."""
    if rng.random() < 0.4:
        return {"priority": rng.choice([None, 0, 9])}
    segment = {"segment": True, "offset": rng.choice([0, 50, 100]), "length": rng.choice([0, 50, 100, 150])}
    return {
        "group": rng.choice("XYZ"), "sequence": rng.randint(1, 4), "in_group": rng.random() < 0.8,
        "last_in_group": rng.random() < 0.3, "priority": rng.choice([None, 0, 5]),
        **(segment if rng.random() < 0.5 else {}), "last_segment": rng.random() < 0.2,
    }  # fmt: skip
