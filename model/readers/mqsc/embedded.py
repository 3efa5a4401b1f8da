"""MQSC that stands in another text: on some of its lines, behind what is put before it there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve

from mqclause.model.readers.mqsc.command import NOTHING_MISPLACED, Misplaced
from mqclause.model.readers.mqsc.script import read_mqsc
from mqclause.model.readers.record import LinePlace, Record, Script

PlacedLine = tuple[int, str, int]
"""The number of a line, what stands on it, and how many columns were taken off before that."""


def read_embedded(lines: Iterable[PlacedLine], source: str, kept: Misplaced = NOTHING_MISPLACED) -> Script:
    """What MQSC on these lines states, at its places in the source. Never raises."""
    placed = {number: (line, before) for number, line, before in lines}
    first = min(placed, default=1)
    text = "\n".join(placed[at][0] if at in placed else "" for at in range(first, max(placed, default=0) + 1))
    read = read_mqsc(text, source, kept, first)
    before = {number: width for number, (_, width) in placed.items()}
    records = tuple(evolve(each, places=_moved(each, before)) for each in read.records)
    faults = (
        evolve(each, column=each.column and each.column + before.get(each.line or 0, 0)) for each in read.diagnostics
    )
    return evolve(read, records=records, diagnostics=tuple(faults))


def _moved(record: Record, before: Mapping[int, int]) -> Sequence[LinePlace]:
    return [(below, column + before.get((record.line or 0) + below, 0)) for below, column in record.places]
