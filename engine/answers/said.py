"""What a decision says in a few words, to be compared with another: ``QM2 or QM3``, ``MQRC_… (2085) at MQOPEN``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mqclause.answers.decision import Decision
from mqclause.model.facts.destination import Destination

NAMED_AT_MOST = 4
"""How many of several destinations are named."""

Destined = tuple[str, str, str]
"""What tells a destination from others in an answer: queue, queue manager and route; a local one has no route."""


def same_answer(one: Decision, other: Decision) -> bool:
    """Whether both end alike: in outcome, reason code, destination, and what else is permitted."""
    return ends_in(one) == ends_in(other)


def ends_in(decision: Decision) -> tuple[object, ...]:
    """What same_answer compares."""
    reason = decision.reason
    ending = reason and (reason.code, reason.call)
    return decision.outcome, ending, tuple(dict.fromkeys(map(_destined, _permitted(decision))))


def _permitted(decision: Decision) -> Sequence[Destination]:
    """Who is permitted; where an exit was called, the one that is taken."""
    taken = None if decision.exit is None else decision.exit.chosen
    return decision.remaining if taken is None else (taken,)


def _destined(destination: Destination) -> Destined:
    return destination.queue, destination.queue_manager, "" if destination.is_local else destination.channel


def said(decision: Decision) -> str:
    """The answer in a few words: who is permitted, the one that is taken first, or the reason code."""
    reason = decision.reason
    if reason is not None:
        return f"{reason.name} ({reason.code}) at {reason.call}"
    named = _alternatives(decision)
    if decision.outcome == "deferred":
        return f"left to the put, which would meet {named} now" if named else "left to the put"
    return named


def _alternatives(decision: Decision) -> str:
    """Who is permitted: by name, and by route where several lead to that queue manager."""
    routes = Counter(queue_manager for _, queue_manager, _ in set(map(_destined, decision.listed)))
    named = {each.host if routes[each.queue_manager] > 1 else each.queue_manager: None for each in _permitted(decision)}
    return listing(list(named), "or")


def listing(names: list[str], last: str = "and") -> str:
    """Names as they stand in a sentence: ``QM2, QM3 and QM4``; of many the first few and how many more."""
    shown = names if len(names) <= NAMED_AT_MOST + 1 else [*names[:NAMED_AT_MOST], f"{len(names) - NAMED_AT_MOST} more"]
    return shown[0] if len(shown) == 1 else f" {last} ".join((", ".join(shown[:-1]), shown[-1])) if shown else ""
