"""Where the facts of a snapshot stand in its sources, and where each of their attributes comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, Literal, TypeVar

from attrs import field, frozen

from mqclause.model.facts.objects import Fact, Put

FactT = TypeVar("FactT")

How = Literal["stated", "observed", "defaulted", "unknown"]

Identity = tuple[object, ...]
"""What tells a fact from all others of a cluster."""


@frozen
class Origin:
    """Where the value of one attribute comes from.

    ``how``: a definition, an alter or a facts file has *stated* it; a dump has *observed* it, and shows it although
    no command sets it; or it is *defaulted*: nobody says it, and MQ's default holds; or a facts file says that it is
    *unknown*. ``source``, ``line`` and ``column`` are where the value stands or, of a default, where the object begins;
    each is None where it cannot be told.
    """

    how: How
    source: str
    line: int | None = None
    column: int | None = field(default=None, eq=False)

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"


@frozen(eq=False, weakref_slot=False)
class Placed(Generic[FactT]):
    """A fact, and the place where it stands as messages name it: a line of a script, or a table of a facts file.

    ``line`` is None where no line states it, and of a table. ``origin`` answers for each attribute; it looks when it
    is asked.
    """

    fact: FactT
    source: str
    line: int | None
    origin: Callable[[str], Origin]
    table: str = ""

    def __str__(self) -> str:
        if self.table:
            return f"{self.source} ({self.table})"
        return self.source if self.line is None else f"{self.source}:{self.line}"


class Provenance:
    """The origin of each attribute of each fact of a snapshot, and of its put."""

    def __init__(self, placed: Iterable[Placed[Any]]) -> None:
        self.placed = tuple(placed)
        self._named = _by_name(self.placed)

    def of(self, fact: Fact | Put, attribute: str) -> Origin:
        """Where ``attribute`` of ``fact`` comes from; ``name`` is where the fact itself is stated.

        Of a fact of a dump ``attribute`` may also be what the dump shows besides: CURDEPTH and the like. A cluster
        that a namelist names stands where the object names the namelist. Raises KeyError for a fact that is not
        the snapshot's, and AttributeError for an attribute that it does not have.
        """
        origin = self._found(fact).origin(attribute)
        if origin.how != "observed":
            getattr(fact, attribute)
        return origin

    def tells(self, fact: Fact | Put, attribute: str) -> bool:
        """Whether the sources tell ``attribute`` of ``fact``: they say it, or a facts file leaves it at its default.

        A script or a dump that does not show an attribute tells nothing of it. What is not as the sources have it, or
        is in none of them, a program has made so, which is told.
        """
        try:
            known = self._found(fact)
        except KeyError:
            return True
        if getattr(known.fact, attribute) != getattr(fact, attribute):
            return True
        how = known.origin(attribute).how
        return how != "unknown" and (how != "defaulted" or bool(known.table))

    def holds(self, fact: Fact | Put) -> bool:
        """Whether it is a fact of the sources, as these have it."""
        try:
            return bool(self._found(fact).fact == fact)
        except KeyError:
            return False

    def _found(self, fact: Fact | Put) -> Placed[Any]:
        known = self._named[_name(fact)]
        if isinstance(known, dict):
            return known[_identity(fact)]
        if _identity(known.fact) != _identity(fact):
            raise KeyError(_identity(fact))
        return known


def _by_name(placed: Iterable[Placed[Any]]) -> dict[str, Placed[Any] | dict[Identity, Placed[Any]]]:
    """The only fact of a name, as most are; or those of the name, by what tells them apart."""
    found: dict[str, Placed[Any] | dict[Identity, Placed[Any]]] = {}
    for each in placed:
        known = found.setdefault(_name(each.fact), each)
        if known is each:
            continue
        if isinstance(known, Placed):
            known = found[_name(each.fact)] = {_identity(known.fact): known}
        known[_identity(each.fact)] = each
    return found


def _name(fact: Fact | Put) -> str:
    return "" if isinstance(fact, Put) else fact.name


def _identity(fact: Fact | Put) -> Identity:
    """There is one put."""
    if isinstance(fact, Put):
        return (Put,)
    of = (getattr(fact, key, "") for key in ("queue_manager", "cluster", "host", "conname"))
    return type(fact), fact.name, *of
