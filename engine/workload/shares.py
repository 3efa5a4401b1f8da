"""How much of the traffic each permitted destination gets in the long run, by the factors of clause 12."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from attrs import evolve, frozen

from mqclause.answers import DESTINATION_TYPES, AnswerTable, ColumnTypes
from mqclause.executors.operations import Run
from mqclause.executors.pipeline import Pipeline
from mqclause.model.diagnostics import check_type
from mqclause.model.facts.workload import START, CounterKey, Destination, DestinationSequence
from mqclause.workload.decision import Decision, build_destination_document
from mqclause.workload.equivalence import MOST_CLASSES, EquivalenceClass

FINEST = 10**6
"""A factor advances by a fraction with a small denominator (1000 / CLWLWGHT); a float is taken as the nearest one."""

SHARE: ColumnTypes = {**DESTINATION_TYPES, "transmission_queue": "string", "share": "float64"}


@frozen(eq=False)
class Share:
    """The share of the puts that a destination gets in the long run: exact, above 0 and up to 1."""

    destination: Destination
    part: Fraction

    def to_json(self) -> dict[str, Any]:
        """Return the destination and its share as JSON values."""
        return {**build_destination_document(self.destination), "share": float(self.part)}


def shares(decision: Decision) -> AnswerTable[Share]:
    """Compute the long-run shares of the destinations if only this put is repeated, from fresh counters; they sum to 1.

    In listing order, without those that get nothing; empty where nothing is chosen. The destination with the lowest
    factor is chosen and its factor advances, so in the long run a destination is chosen as often as the reciprocal of
    that step says. Raises ValueError where an exit was called: what it takes in the long run is not known.
    """
    check_type("decision", decision, Decision)
    if decision.exit is not None and decision.exit.called:
        raise ValueError("the decision is one with an exit, and what that takes in the long run is not known")
    return AnswerTable(_shares(decision), SHARE)


def _shares(decision: Decision) -> Iterator[Share]:
    found = compute_rates(decision)
    total = sum(rate for _, rate in found)
    yield from (Share(each, rate / total) for each, rate in found)


def compute_rates(decision: Decision) -> Sequence[tuple[Destination, Fraction]]:
    """The destinations that get a part of the puts, in listing order, and how often beside one another."""
    if decision.outcome != "chosen":
        return ()
    if not decision.runs:
        return tuple((each, Fraction(1)) for each in decision.remaining)
    return tuple((decision.listed[at], rate) for at, rate in _rates(decision.course, decision.kind))


@lru_cache(MOST_CLASSES)
def _rates(course: Pipeline, kind: EquivalenceClass) -> tuple[tuple[int, Fraction], ...]:
    """The places in the list that get a part, each with the reciprocal of its step."""
    found = {each: 1 / step if step else Fraction(1) for each, step in _first_round(course, kind)}
    return tuple((at, found[each]) for at, each in enumerate(kind.listed) if each in found)


def _first_round(course: Pipeline, kind: EquivalenceClass) -> Iterator[tuple[Destination, Fraction]]:
    """The destinations that stay, each with the step of its factor, until one is chosen for the second time.

    One that was not chosen yet has factor zero, so that each is chosen once before any is chosen again; one that
    clause 11c cuts is never chosen.
    """
    counters: dict[CounterKey, DestinationSequence] = {}
    met: set[CounterKey] = set()
    situation = evolve(kind.situation, last_seq_number=0)
    while True:
        run = course.run(situation, kind.listed, counters)[0]
        chosen = run.remaining[0]
        if chosen.counter in met:
            return
        met.add(chosen.counter)
        counter = _after(run, counters.get(chosen.counter, START))
        yield chosen, Fraction(counter.dest_seq_factor).limit_denominator(FINEST)
        counters = {**counters, chosen.counter: counter}
        situation = evolve(situation, last_seq_number=max(situation.last_seq_number, counter.dest_seq_number))


def _after(run: Run, before: DestinationSequence) -> DestinationSequence:
    """The counters of the chosen destination after the choice; as they were where no rule derives them."""
    return DestinationSequence(**{**before._asdict(), **run.chosen})
