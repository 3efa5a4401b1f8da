"""Provenance: facts with the places they come from, merged to one cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from attrs import evolve, field, fields, frozen

from mqclause.model.diagnostics import Diagnostic, FactsError, quote_value
from mqclause.model.facts.cluster import CLUSTER_FIELDS, Cluster, Contradiction, ContradictionError
from mqclause.model.facts.messages import find_invalid_messages
from mqclause.model.facts.objects import Fact, Put, QueueManager
from mqclause.model.readers.facts_files import LIST_TABLES, UNKNOWABLE_TABLES, Facts
from mqclause.model.readers.formats import FactsDocument
from mqclause.model.readers.records import Record

FactT = TypeVar("FactT")

OriginKind = Literal["stated", "observed", "defaulted", "unknown"]

Identity = tuple[object, ...]
"""What tells a fact from all others of a cluster."""

PROGRAM = "a program"
"""What states a fact that is in no source."""


@frozen
class Origin:
    """Where the value of one attribute comes from.

    ``how``: a definition, an alter or a facts file has *stated* it; a dump has *observed* it, and shows it although
    no command sets it; or it is *defaulted*: nobody says it, and MQ's default holds; or a facts file says that it is
    *unknown*. ``source``, ``line`` and ``column`` are where the value stands or, of a default, where the object begins;
    each is None where it cannot be told.
    """

    how: OriginKind
    source: str
    line: int | None = None
    column: int | None = field(default=None, eq=False)

    @classmethod
    def of_record(cls, how: OriginKind, record: Record, attribute: str) -> Origin:
        """Return the origin of what a record says by ``attribute``."""
        return cls(how, record.source, *record.place_of(attribute))

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"


@frozen(eq=False, weakref_slot=False)
class PlacedFact(Generic[FactT]):
    """A fact, and the place where it stands as messages name it: a line of a script, or a table of a facts file.

    ``line`` is None where no line states it, and of a table. ``origin`` answers for each attribute; it looks when it
    is asked.
    """

    fact: FactT
    source: str
    line: int | None
    origin: Callable[[str], Origin]
    table: str = ""

    def replace_values(self, values: Mapping[str, Any], origin: Callable[[str], Origin]) -> PlacedFact[FactT]:
        """Set ``values`` of some attributes; ``origin`` tells of each of these where it comes from."""
        fact: Any = self.fact
        chosen = partial(_choose_origin, self.origin, frozenset(values), origin)
        return evolve(self, fact=evolve(fact, **values), origin=chosen)

    def __str__(self) -> str:
        if self.table:
            return f"{self.source} ({self.table})"
        return self.source if self.line is None else f"{self.source}:{self.line}"


def _choose_origin(
    before: Callable[[str], Origin], names: frozenset[str], replaced: Callable[[str], Origin], attribute: str
) -> Origin:
    return (replaced if attribute in names else before)(attribute)


class Provenance:
    """The origin of each attribute of each fact of a snapshot, and of its put."""

    def __init__(self, placed: Iterable[PlacedFact[Any]]) -> None:
        self.placed = tuple(placed)
        self._named = _index_by_name(self.placed)

    def of(self, fact: Fact | Put, attribute: str) -> Origin:
        """Return the origin of ``attribute`` of ``fact``; that of ``name`` is where the fact itself is stated.

        Of a fact of a dump ``attribute`` may also be what the dump shows besides: CURDEPTH and the like. A cluster
        that a namelist names stands where the object names the namelist. Raises KeyError for a fact that is not
        the snapshot's, and AttributeError for an attribute that it does not have.
        """
        origin = self._find_placed(fact).origin(attribute)
        if origin.how != "observed":
            getattr(fact, attribute)
        return origin

    def tells(self, fact: Fact | Put, attribute: str) -> bool:
        """Return whether the sources tell ``attribute`` of ``fact``: they state it, or a facts file leaves its default.

        A script or a dump that does not show an attribute tells nothing of it. What is not as the sources have it, or
        is in none of them, a program has made so, which is told.
        """
        try:
            known = self._find_placed(fact)
        except KeyError:
            return True
        if getattr(known.fact, attribute) != getattr(fact, attribute):
            return True
        how = known.origin(attribute).how
        return how != "unknown" and (how != "defaulted" or bool(known.table))

    def holds(self, fact: Fact | Put) -> bool:
        """Return whether it is a fact of the sources, as these have it."""
        try:
            return bool(self._find_placed(fact).fact == fact)
        except KeyError:
            return False

    def place_again(self, fact: FactT) -> PlacedFact[FactT]:
        """Place a fact that may be otherwise than the sources have it, or in none of them: a program states it so."""
        of: Any = fact
        try:
            known = self._find_placed(of)
        except KeyError:
            return PlacedFact(fact, PROGRAM, None, _stated_by_program)
        if known.fact is fact:
            return known
        names = (each.name for each in fields(type(of)))
        changed = {name: value for name in names if (value := getattr(fact, name)) != getattr(known.fact, name)}
        return known.replace_values(changed, _stated_by_program)

    def _find_placed(self, fact: Fact | Put) -> PlacedFact[Any]:
        known = self._named[_name(fact)]
        if isinstance(known, dict):
            return known[_identity(fact)]
        if _identity(known.fact) != _identity(fact):
            raise KeyError(_identity(fact))
        return known


def _stated_by_program(_: str) -> Origin:
    return Origin("stated", PROGRAM)


def place_table(fact: FactT, document: FactsDocument, table: str) -> PlacedFact[FactT]:
    """Place the fact of a table that stands once."""
    return PlacedFact(fact, document.source, None, partial(_find_origin, document, (table,)), table)


def place_rows(facts: Facts, document: FactsDocument) -> Iterator[PlacedFact[Any]]:
    """Place the facts of the lists of ``document``, which ``facts`` was made of."""
    for name, table in LIST_TABLES.items():
        for position, fact in enumerate(getattr(facts, name)):
            origin = partial(_find_origin, document, (table, position))
            yield PlacedFact(fact, document.source, None, origin, f"{table} {position + 1}")


def find_misplaced_messages(files: Iterable[tuple[Facts, FactsDocument]], cluster: Cluster) -> Iterator[Diagnostic]:
    """Find messages of facts documents that cannot lie on the queues of ``cluster``, or contradict each other."""
    listed = [(document, at, each) for facts, document in files for at, each in enumerate(facts.messages)]
    for found, message in find_invalid_messages([each for _, _, each in listed], cluster):
        document, at, wrong = listed[found]
        place = document.places.place_of("message", at)
        yield Diagnostic(document.source, f"message {at + 1} {quote_value(wrong.id)}: {message}", *place)


def place_facts(facts: Facts, document: FactsDocument) -> Iterator[PlacedFact[Any]]:
    """Place every fact of ``document``, and its put."""
    if facts.queue_manager is not None:
        yield place_table(facts.queue_manager, document, "queue_manager")
    yield from place_rows(facts, document)
    if facts.put is not None:
        yield place_table(facts.put, document, "put")


class MergedFacts(NamedTuple):
    """A cluster, the facts that it is made of, and warnings about those that were left out."""

    cluster: Cluster
    placed: Sequence[PlacedFact[Any]]
    warnings: tuple[Diagnostic, ...]


def leave_out_repeated(placed: Sequence[PlacedFact[Any]]) -> Sequence[PlacedFact[Any]]:
    """Leave out tables that say of an object what a script or a dump says of it: that is one definition."""
    if len({bool(each.table) for each in placed}) < 2:
        return placed
    tables = {_identity(each.fact): each for each in placed if each.table}
    said = ((tables.get(_identity(each.fact)), each) for each in placed if not each.table)
    repeated = {id(table) for table, described in said if table is not None and say_the_same(table, described)}
    return [each for each in placed if id(each) not in repeated]


def say_the_same(one: PlacedFact[Any], other: PlacedFact[Any]) -> bool:
    """Return whether two definitions of one object differ in nothing that either of them states."""
    names = [each.name for each in fields(type(one.fact))]
    differing = (name for name in names if getattr(one.fact, name) != getattr(other.fact, name))
    return not any("stated" in (one.origin(name).how, other.origin(name).how) for name in differing)


def merge_facts(
    own: PlacedFact[QueueManager],
    others: Iterable[PlacedFact[Any]],
    lenient: bool = False,
) -> MergedFacts:
    """Merge all facts to a cluster, in their order; raises FactsError if they contradict each other.

    With ``lenient`` a fact of a script that contradicts the others is left out, with a warning.
    """
    kept, warnings = list(others), list[Diagnostic]()
    while True:
        try:
            return MergedFacts(_build_cluster(own, kept), [own, *kept], tuple(warnings))
        except ContradictionError as error:
            placed = {id(each.fact): each for each in (own, *kept)}
            told = [_describe_contradiction(each, placed) for each in error.contradictions]
            wrong = {id(each.fact) for each in error.contradictions}
            if not lenient or any(placed[one].table for one in wrong):
                raise FactsError(told) from None
            warnings += told
            kept = [each for each in kept if id(each.fact) not in wrong]


def _index_by_name(placed: Iterable[PlacedFact[Any]]) -> dict[str, PlacedFact[Any] | dict[Identity, PlacedFact[Any]]]:
    """The only fact of a name, as most are; or those of the name, by what tells them apart."""
    found: dict[str, PlacedFact[Any] | dict[Identity, PlacedFact[Any]]] = {}
    for each in placed:
        known = found.setdefault(_name(each.fact), each)
        if known is each:
            continue
        if isinstance(known, PlacedFact):
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


def _find_origin(document: FactsDocument, path: tuple[str | int, ...], attribute: str) -> Origin:
    """A key that is left out is defaulted; a queue without queue_manager is on the local one."""
    given = document.data
    for step in path:
        given = given[step]
    if attribute in given:
        return Origin("stated", document.source, *document.places.place_of(*path, attribute))
    if path[0] in UNKNOWABLE_TABLES.get(attribute, ()) and given["name"] in document.data.get("unknown", {}).get(
        attribute, ()
    ):
        return Origin("unknown", document.source, *document.places.place_of("unknown", attribute))
    return Origin("defaulted", document.source, *document.places.place_of(*path))


def _build_cluster(own: PlacedFact[QueueManager], others: Iterable[PlacedFact[Any]]) -> Cluster:
    lists: dict[str, list[Any]] = {name: [] for name in CLUSTER_FIELDS.values()}
    for each in others:
        lists[CLUSTER_FIELDS[type(each.fact)]].append(each.fact)
    return Cluster(own.fact, **lists)


def _describe_contradiction(wrong: Contradiction, placed: dict[int, PlacedFact[Any]]) -> Diagnostic:
    place = placed[id(wrong.fact)]
    message = wrong.message
    if wrong.earlier is not None:
        message += f"; it stands in {placed[id(wrong.earlier)]} and in {place}"
    if place.line is not None:
        return Diagnostic(place.source, message, place.line)
    name = place.origin("name")
    return Diagnostic(place.source, message, name.line, name.column)
