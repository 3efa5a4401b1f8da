"""Traffic: how many puts were really made, and how many of them a change moves from where to where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from attrs import asdict, frozen

if TYPE_CHECKING:
    from mqclause.answers.cluster.cluster_map import MapRow
    from mqclause.answers.cluster.difference import PlanRow

FAILS = ""
"""What stands for a queue manager where puts fail."""


@frozen
class Traffic:
    """How many puts were made: by queue, and by the queue manager where they were made."""

    puts: Mapping[tuple[str, str], int]

    @property
    def total(self) -> int:
        """How many there are in all."""
        return sum(self.puts.values())


@frozen
class Move:
    """So many puts that go to the queue manager ``into`` and no longer to ``out_of``; blank where they fail."""

    out_of: str
    into: str
    puts: float

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {name: value if value != FAILS else None for name, value in asdict(self).items()}


def moves(rows: Iterable[PlanRow]) -> tuple[Move, ...]:
    """The puts that move, between queue managers, most puts first; of rows that have a weight.

    What several destinations lose goes to those that gain in proportion to what each gains.
    """
    found: dict[tuple[str, str], Fraction] = {}
    for row in rows:
        for pair, part in _moved(row):
            found[pair] = found.get(pair, Fraction(0)) + part * (row.weight or 0)
    told = (Move(*pair, float(puts)) for pair, puts in found.items() if puts)
    return tuple(sorted(told, key=lambda each: (-each.puts, each.out_of, each.into)))


def _moved(row: PlanRow) -> Iterator[tuple[tuple[str, str], Fraction]]:
    before, after = _parts(row.before), _parts(row.after)
    change = {name: after.get(name, Fraction(0)) - before.get(name, Fraction(0)) for name in {*before, *after}}
    gained = sum(part for part in change.values() if part > 0)
    for loser, lost in change.items():
        for winner, won in change.items():
            if lost < 0 < won:
                yield (loser, winner), -lost * won / gained


def _parts(row: MapRow) -> dict[str, Fraction]:
    """The parts of the puts by queue manager; where they fail, all have none."""
    found: dict[str, Fraction] = {}
    for each in row.shares:
        name = each.destination.queue_manager
        found[name] = found.get(name, Fraction(0)) + each.part
    return found or {FAILS: Fraction(1)}
