"""What is decided of names before any row is read: a small table, and how a row finds its place in it.

It holds plain data, so that every engine can join with it in its own way:

- ``names``: of each name that puts can give what is decided, by the number of what they say besides. ``at`` is the
  place of the local queue manager's cluster. A name that puts do not give is "". ``spelt`` says how rows write it: as
  itself, plain or padded to 48 with blanks; as any of the queues that ``queues`` lists for the cluster (the queue is
  kept there, whatever it is); or not at all (STANDS_FOR_ANY is no name; such a row is found by ClusterPuts.found_by).
- ``numbers``: which number of the table a put has, by its place among all that it can say (ClusterPuts.number).
- ``answers``: the fields of a decision by place, with ``shares`` where those are asked for. Place 0 is that of
  invalid rows, of which only the message is their own (ClusterPuts.faults). AS_NAMED stands for a name of the row.
- ``draws``: by place the destinations that rows are spread over, whose answers are this one and those that follow.
- ``unknown``: the places of names that nobody knows, by cluster, then by ClusterPuts.unknown_kind, then by number.
- ``odd``: what the rules have to be asked with. A place below 0 is that of a put that says something odd of a name:
  ``-1 - place`` is the place of the name in ``odd``. There is none unless a column says what is odd.

A row is settled by the written names and the number alone: ``(at, queue, queue manager, number)`` as they stand in the
row find at most one row. What finds none has another spelling, an unknown name, or a fault.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from attrs import field, frozen

from mqclause.rulebook.rules import Rules
from mqclause.tables.cluster_puts import ClusterPuts
from mqclause.tables.demands import PUT_NAMES
from mqclause.tables.named_puts import AS_NAMED, NamedPut, NamedPuts, decided_puts, names_of
from mqclause.tables.row import invalid
from mqclause.tables.shares import TIE_NAMES, Spread, multiplier_of

MOST_WRITTEN = 100_000
"""Pairs of names that are written out; where there are more, the queues that are kept are found one by one."""

Spelling = Literal["itself", "any", "none"]


@frozen
class NameRow:
    """What puts can name, and the ``places`` of what is decided of it, by number."""

    at: int
    queue: str
    queue_manager: str
    spelt: Spelling
    places: Sequence[int]


@frozen
class DecidedNames:
    """The small table: see above."""

    names: Sequence[NameRow]
    queues: Sequence[Sequence[str]]
    numbers: Sequence[int]
    answers: Sequence[Mapping[str, Any]]
    draws: Mapping[int, Sequence[Mapping[str, Any]]]
    unknown: Sequence[Sequence[Sequence[int]]]
    odd: Sequence[Mapping[str, Any]]

    @property
    def told(self) -> list[str]:
        """The fields of an answer that hold something in some answer; and ``shares``, if they are asked for."""
        every = dict.fromkeys(name for each in self.answers for name in each)
        return [name for name in every if name == "shares" or any(each.get(name) is not None for each in self.answers)]

    @property
    def tells_names(self) -> frozenset[str]:
        """The fields of an answer, ``shares`` among them, in which a name of the row stands in some answer."""
        return frozenset(
            name
            for each in self.answers
            for name, value in each.items()
            for one in (value if name == "shares" and value else [{name: value}])
            for told in one.values()
            if isinstance(told, str) and told in AS_NAMED.values()
        )


@lru_cache(maxsize=32)
def decided_names(puts: ClusterPuts, rules: Rules, explain: bool, spread: Spread | None) -> DecidedNames:
    """The small table of a table of ``puts``. Raises RuleError."""
    answers, clusters, odd = _Answers(spread), list(puts.clusters.values()), list[Mapping[str, Any]]()
    found: list[tuple[int, NamedPuts, NamedPut, list[int]]] = []
    for at, cluster in enumerate(clusters):
        names = names_of(cluster, rules)
        decided = decided_puts(cluster, rules, explain, spread is not None, puts.can_say)
        for named, each in zip(names.named, decided, strict=True):
            # Of what is unknown each kind has its place.
            if not named.unknown and any(getattr(named.put, name) and not puts.gives(name) for name in PUT_NAMES):
                continue
            places = [answers.place(one) for one in each]
            if puts.says_odd:
                asked = named.asked(cluster, rules)
                places += [-1 - len(odd)] * len(places) if asked else places
                odd += [asked] if asked else []
            found.append((at, names, named, places))
    numbers, kept = _different([places for *_, places in found])
    rows = [
        NameRow(at, named.queue, named.queue_manager, _spelt(names, named), [places[number] for number in kept])
        for at, names, named, places in found if not named.unknown
    ]  # fmt: skip
    unknown = [
        [[places[number] for number in kept] for its, _, named, places in found if its == at and named.unknown]
        for at in range(len(clusters))
    ]
    queues = [[name for name in names_of(each, rules).queues if name not in names_of(each, rules).said]
              for each in clusters]  # fmt: skip
    written = sum(len(queues[each.at]) for each in rows if each.spelt == "any") * len(kept)
    if written > MOST_WRITTEN:
        queues = [[] for _ in queues]
    return DecidedNames(rows, queues, numbers, answers.found, answers.draws, unknown, odd)


def _spelt(names: NamedPuts, named: NamedPut) -> Spelling:
    if named.queue_manager == AS_NAMED["queue_manager"]:
        return "none"
    if named.queue != AS_NAMED["queue"]:
        return "itself"
    return "any" if named.queue_manager and named.queue_manager not in names.beside else "none"


def _different(rows: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Of the columns of ``rows`` those that differ, and for each column its place among them."""
    places: dict[tuple[int, ...], int] = {}
    numbers = [places.setdefault(column, len(places)) for column in zip(*rows, strict=True)]
    return numbers, [numbers.index(place) for place in range(len(places))]


@frozen
class _Answers:
    """Collects answers: each that differs from others has a place of its own."""

    spread: Spread | None
    found: list[Mapping[str, Any]] = field(factory=lambda: [invalid("")])
    draws: dict[int, Sequence[Mapping[str, Any]]] = field(factory=dict)
    _places: dict[str, int] = field(factory=dict)

    def place(self, decided: Mapping[str, Any]) -> int:
        """The place of what is decided of a put; of one that is spread that of the first destination."""
        answers, draws = list(self._spread(decided)), self._draws(decided)
        key = json.dumps([answers, draws])
        if key not in self._places:
            self._places[key] = len(self.found)
            if len(answers) > 1:
                self.draws[len(self.found)] = draws
            self.found.extend(answers)
        return self._places[key]

    def _is_spread(self, decided: Mapping[str, Any]) -> bool:
        by = self.spread is not None and self.spread.by is not None
        return bool(by and decided["decision"]["outcome"] == "chosen" and decided["ties"])

    def _spread(self, decided: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        decision = dict(decided["decision"])
        if self.spread is not None and self.spread.shares:
            decision["shares"] = _shares(decided)
        for tie in decided["ties"] if self._is_spread(decided) else [{}]:
            yield {**decision, **{name: tie[name] for name in TIE_NAMES if name in tie}}

    def _draws(self, decided: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        ties = decided["ties"] if self._is_spread(decided) else []
        return [{"multiplier": multiplier_of(each), "weight": each["weight"]} for each in ties]


def _shares(decided: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """The parts of the destinations; a call that fails, or fixes no destination, puts nothing anywhere."""
    outcome, ties = decided["decision"]["outcome"], decided["ties"]
    if outcome != "chosen":
        return None if outcome == "invalid" else []
    total = sum(each["weight"] for each in ties)
    return [{**{name: each[name] for name in TIE_NAMES}, "share": each["weight"] / total} for each in ties]
