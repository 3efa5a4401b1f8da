"""What becomes of a put: its outcome, and the reason code where it fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from attrs import frozen

from mqclause.executors.run import Run

Outcome = Literal["chosen", "failed", "deferred"]


@frozen
class Reason:
    """A reason code: its MQRC name, its number, the MQI call that returns it, and why."""

    name: str
    code: int
    call: str
    rule: str
    because: str


def outcome_of(runs: Sequence[Run]) -> Outcome:
    """What becomes of a put, as the rules say that were run."""
    if runs[-1].failure:
        return "failed"
    return "deferred" if runs[-1].facts.get("deferred") else "chosen"
