"""Queue managers that no rule tells apart: what commands do at one of them, they do at any other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from attrs import field, fields, frozen

from mqclause.model.facts.destination import Destination
from mqclause.model.facts.situation import Situation

NAMING_ONLY = frozenset({"queue_manager", "channel", "counter"})
"""The attributes of a destination that only say which one it is."""

TOLD_APART_BY = tuple(each.name for each in fields(Destination) if each.name not in NAMING_ONLY)

Place = tuple[str, int]
"""A queue manager, and a number that says the same of those that are alike."""

Likeness = tuple[tuple[int, ...], ...]
"""Places by queue manager, any of those that are alike: what is done at places of one shape does the same."""


@frozen(eq=False)
class Alike:
    """The queue managers of some destinations in ``groups`` by name: those of one group have everything alike.

    ``apart`` is in a group of its own. Where CLWLMRUC cuts, the order of the list tells destinations apart.
    """

    listed: tuple[Destination, ...]
    situation: Situation
    apart: str
    groups: dict[str, int] = field(init=False)

    @groups.default
    def _numbered(self) -> dict[str, int]:
        numbers: dict[object, int] = {}
        hosts = dict.fromkeys(each.queue_manager for each in self.listed)
        return {host: numbers.setdefault(self._told_by(host), len(numbers)) for host in hosts}

    def _told_by(self, host: str) -> object:
        own = [each for each in self.listed if each.queue_manager == host]
        others = {each.channel for each in self.listed if each.queue_manager != host}
        unlike = host == self.apart or self.situation.clwlmruc < len(self.listed)
        if unlike or host in self.situation.already_sent_to or any(each.channel in others for each in own):
            return host
        return tuple(getattr(each, name) for each in own for name in TOLD_APART_BY)

    def shape(self, places: Iterable[Place]) -> Likeness:
        """What is the same of places at queue managers that are alike."""
        by_host: dict[str, list[int]] = {}
        for host, number in places:
            by_host.setdefault(host, []).append(number)
        return tuple(sorted((self.groups.get(host, -1), *sorted(of)) for host, of in by_host.items()))

    def first_ones(self, count: int) -> Collection[str]:
        """So many queue managers of each group, or all of a smaller one."""
        seen = Counter[int]()
        return {host for host, group in self.groups.items() if (seen.update([group]) or seen[group]) <= count}
