"""Facts as they are now: what sources show of a queue besides its definition."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from attrs import evolve

from mqclause.model.assembly.attributes import MOMENTARY, WHOLE_NUMBER
from mqclause.model.assembly.made_once import MadeOnce
from mqclause.model.assembly.provenance import Placed
from mqclause.model.facts.domains import LARGEST
from mqclause.model.facts.objects import Queue


def as_it_is_now(
    placed: Placed[Any], observed: Mapping[tuple[str, str], Mapping[str, str]], once: MadeOnce
) -> Placed[Any]:
    """A queue with the depth and the open handles that were ``observed``, by queue and queue manager.

    What is stated stays. A script states neither: what nobody shows of its queue is not known, for all of ``once``.
    """
    queue = placed.fact
    if not isinstance(queue, Queue) or queue.type != "QLOCAL":
        return placed
    shown = observed.get((queue.name, queue.queue_manager), {})
    return _with_counts(placed, shown) if shown else once.now(placed, partial(_with_counts, placed, {}))


def _with_counts(placed: Placed[Any], shown: Mapping[str, str]) -> Placed[Any]:
    counts: dict[str, Any] = {name: _count(shown.get(of, "")) for name, of in MOMENTARY.items()}
    if placed.table:
        counts = {name: count for name, count in counts.items() if count is not None}
    changed = {name: count for name, count in counts.items() if placed.origin(name).how != "stated"}
    return evolve(placed, fact=evolve(placed.fact, **changed)) if changed else placed


def _count(text: str) -> int | None:
    return int(text) if WHOLE_NUMBER.fullmatch(text) and int(text) <= LARGEST else None
