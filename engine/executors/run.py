"""What running a ruleset gives: who remains, what was derived, the trace of each rule. The same for every executor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mqclause.model.facts.destination import Destination


class Applied(NamedTuple):
    """What one rule did: who fell (out, or set aside), who was taken back, how many remain, what it derived."""

    fallen: Sequence[Destination]
    taken_back: Sequence[Destination]
    remaining: int
    derived: Mapping[str, Any] | None


Trace = list[Any]
"""For each rule, in order: what it did, as the fields of Applied, or None if it did not apply."""


class Run(NamedTuple):
    """The outcome of one ruleset on one put.

    ``remaining`` in listing order; ``chosen`` and ``every`` are attributes derived for the chosen destination and
    for every destination (None: not derived); ``facts`` are derived about the situation. ``failure`` is the place of
    the rule that fails the call, the reason's MQRC name, and the MQI call that returns it.
    """

    remaining: Sequence[Destination]
    failure: tuple[int, str, str] | None
    chosen: Mapping[str, Any]
    every: Mapping[str, Any]
    facts: Mapping[str, Any]
    trace: Trace | None = None
