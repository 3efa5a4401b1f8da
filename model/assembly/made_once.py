"""What several queue managers see of one another: made for the first of them, and kept for the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import define, field

from mqclause.model.assembly.mq_object import MqObject
from mqclause.model.assembly.objects import Objects
from mqclause.model.assembly.provenance import Placed
from mqclause.model.diagnostic import Diagnostic
from mqclause.model.facts.objects import Queue
from mqclause.model.readers.record import Script

PlacedQueue = Placed[Queue]


@define(eq=False)
class MadeOnce:
    """The objects of each member by its scripts, and their queues as others see them.

    Those for whom it is made read the same scripts, none of which changes.
    """

    _objects: dict[tuple[object, ...], tuple[Sequence[Script], Objects, Sequence[Diagnostic]]] = field(factory=dict)
    _queues: dict[tuple[MqObject, tuple[str, ...]], PlacedQueue] = field(factory=dict)
    _now: dict[Placed[Any], Placed[Any]] = field(factory=dict)
    _hosted: dict[Objects, Mapping[str, str]] = field(factory=dict)

    def objects(
        self,
        name: str,
        scripts: Sequence[Script],
        faults: list[Diagnostic],
        make: Callable[[str, Sequence[Script], list[Diagnostic]], Objects],
    ) -> Objects:
        """The objects of a member; what is refused goes to ``faults``."""
        key = (name, *map(id, scripts))
        if key not in self._objects:
            refused = list[Diagnostic]()
            self._objects[key] = (scripts, make(name, scripts, refused), refused)
        _, found, refused_before = self._objects[key]
        faults.extend(refused_before)
        return found

    def queue(self, found: MqObject, clusters: tuple[str, ...], make: Callable[[], PlacedQueue]) -> PlacedQueue:
        """A queue of another member as those see it who share these clusters with it."""
        key = (found, clusters)
        if key not in self._queues:
            self._queues[key] = make()
        return self._queues[key]

    def hosted(self, found: Objects, make: Callable[[Objects], Mapping[str, str]]) -> Mapping[str, str]:
        """The names of all queues that a member has."""
        if found not in self._hosted:
            self._hosted[found] = make(found)
        return self._hosted[found]

    def now(self, placed: Placed[Any], make: Callable[[], Placed[Any]]) -> Placed[Any]:
        """A fact that nobody shows the present state of."""
        if placed not in self._now:
            self._now[placed] = make()
        return self._now[placed]
