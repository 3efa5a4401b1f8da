"""Facts that are not known: the values that each can have, and which combinations of them lead to something."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import reduce
from itertools import product

from attrs import frozen

from mqclause.model.timeline.queue_manager_state import QueueManagerState

State = QueueManagerState

StateChange = Callable[[State], State]
"""Gives the state in which something has one of its values."""

Combination = tuple[int, ...]
"""For each unknown fact, in order, the place of the value that it has."""

Values = tuple[frozenset[int], ...]
"""For each unknown fact, in order, the places of the values that it may have."""


@frozen(eq=False)
class UnknownFact:
    """A fact of a queue manager that is not known.

    ``name`` is what a sentence calls it, ``what`` says it at length, of the object ``of``; ``command`` is the MQSC
    that tells it. ``values`` give the state in which it has each value that it can have, and ``says`` tells that it
    has one of some of them, by their places. It ``is_defined`` if it is how an object is defined, which is no fault
    before it is known.
    """

    name: str
    what: str
    of: str
    command: str
    values: Sequence[StateChange]
    says: Callable[[Collection[int]], str]
    is_defined: bool = False

    @property
    def places(self) -> range:
        """The places of its values."""
        return range(len(self.values))


def combinations(unknown: Sequence[UnknownFact]) -> Iterator[Combination]:
    """Every combination of values."""
    return product(*(each.places for each in unknown))


def with_values(state: State, unknown: Sequence[UnknownFact], combined: Combination) -> State:
    """``state`` where the unknown facts have the values of one combination."""
    chosen = [each.values[place] for each, place in zip(unknown, combined, strict=True)]
    return reduce(lambda known, value: value(known), chosen, state)


def turns(found: Mapping[Combination, object], at: int) -> bool:
    """Whether what was found turns on the unknown fact at the place ``at``: it differs where all others are alike."""
    first: dict[Combination, object] = {}
    return any(first.setdefault(each[:at] + each[at + 1 :], value) != value for each, value in found.items())


def covered(unknown: Sequence[UnknownFact], wanted: Collection[Combination]) -> list[Values]:
    """The combinations ``wanted`` as a few lists of values: every combination of the values of one list is wanted."""
    left, found = set(wanted), []
    while left:
        values = [frozenset({place}) for place in min(left)]
        for at, each in enumerate(unknown):
            for place in each.places:
                more = [*values[:at], values[at] | {place}, *values[at + 1 :]]
                values = more if set(product(*more)) <= set(wanted) else values
        found.append(tuple(values))
        left -= set(product(*values))
    return found


def provided(unknown: Sequence[UnknownFact], wanted: Collection[Combination]) -> str:
    """What has to be so that the combination is ``wanted``: ``a and b, and either c or d``; blank if nothing has."""
    lists = covered(unknown, wanted)
    always = [at for at, _ in enumerate(unknown) if len({values[at] for values in lists}) == 1]
    turning = [at for at, _ in enumerate(unknown) if at not in always]
    others = [" and ".join(_said(unknown, values, turning)) for values in lists]
    said = [*_said(unknown, lists[0], always), *([one_of(others)] if turning else [])]
    return (", and " if any(EITHER in each for each in said) else " and ").join(said)


def one_of(said: Sequence[str]) -> str:
    """That one of several things is so."""
    return f"{EITHER}{' or '.join(said)}" if len(said) > 1 else said[0]


EITHER = "either "


def _said(unknown: Sequence[UnknownFact], values: Values, places: Sequence[int]) -> list[str]:
    deciding = [at for at in places if len(values[at]) < len(unknown[at].places)]
    return [unknown[at].says(values[at]) for at in deciding]
