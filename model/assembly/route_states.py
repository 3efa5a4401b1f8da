"""Facts files that state only how routes are now: they add to the channels that scripts describe."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from attrs import evolve, fields

from mqclause.model.assembly.provenance import Origin, Placed
from mqclause.model.facts.objects import Channel
from mqclause.model.readers.facts_document import FactsDocument

OF_A_ROUTE = ("name", "queue_manager", "cluster")
NOW = ("status", "dest_seq_number", "dest_seq_factor")
"""What no script holds of a channel."""


def completed(document: FactsDocument, channels: Sequence[Placed[Channel]]) -> FactsDocument:
    """The document, with the queue manager of each channel that it only names, if ``channels`` say which it is."""
    rows = document.data.get("channel") if channels and isinstance(document.data, dict) else None
    if not isinstance(rows, list):
        return document
    leading: dict[str, set[str]] = {}
    for each in channels:
        leading.setdefault(each.fact.name, set()).add(each.fact.queue_manager)
    kept = [_completed(row, leading) for row in rows]
    return evolve(document, data={**document.data, "channel": kept})


def _completed(row: Any, leading: dict[str, set[str]]) -> Any:
    if not isinstance(row, dict) or "queue_manager" in row or not isinstance(row.get("name"), str):
        return row
    to = leading.get(row["name"], set())
    return {**row, "queue_manager": next(iter(to))} if len(to) == 1 else row


def with_states(placed: Iterable[Placed[Any]]) -> list[Placed[Any]]:
    """All that is ``placed``, where what only states how a described route is now stands in the route itself."""
    kept: dict[int, Placed[Any]] = dict(enumerate(placed))
    channels = {at: each for at, each in kept.items() if isinstance(each.fact, Channel)}
    described: dict[str, list[int]] = {}
    for at, each in channels.items():
        if not each.table:
            described.setdefault(each.fact.name, []).append(at)
    for at, each in channels.items():
        if each.table and each.fact.name in described:
            stated = {of.name for of in fields(Channel) if each.origin(of.name).how == "stated"}
            routes = [route for route in described[each.fact.name] if _is_about(each.fact, stated, kept[route])]
            says_more = not stated.issubset((*OF_A_ROUTE, *NOW))
            against = [kept[route].fact for route in routes if says_more or _is_against(each.fact, stated, kept[route])]
            if against:  # in the same cluster it is told as a channel that is given twice
                kept[at] = evolve(each, fact=evolve(each.fact, cluster=against[0].cluster))
            elif routes:
                kept |= {route: _added(kept[route], each, frozenset(stated.intersection(NOW))) for route in routes}
                del kept[at]
    return list(kept.values())


def _is_about(state: Channel, stated: set[str], route: Placed[Any]) -> bool:
    named = [name for name in OF_A_ROUTE if name in stated or name == "queue_manager"]
    return all(getattr(state, name) == getattr(route.fact, name) for name in named)


def _is_against(state: Channel, stated: set[str], route: Placed[Any]) -> bool:
    """Whether another state than that of ``state`` was displayed."""
    displayed = "status" in stated and route.origin("status").how == "observed"
    return displayed and state.status != route.fact.status


def _added(route: Placed[Any], state: Placed[Any], names: frozenset[str]) -> Placed[Any]:
    values = {name: getattr(state.fact, name) for name in names}
    return evolve(route, fact=evolve(route.fact, **values), origin=partial(_origin, route.origin, state.origin, names))


def _origin(
    of_route: Callable[[str], Origin], of_state: Callable[[str], Origin], names: frozenset[str], attribute: str
) -> Origin:
    return (of_state if attribute in names else of_route)(attribute)
