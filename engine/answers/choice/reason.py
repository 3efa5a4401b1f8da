"""What becomes of a put: its outcome, and the reason code where it fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from attrs import frozen

from mqclause.executors.run import Run
from mqclause.rulebook.errors import UnansweredError

NOBODY_LEFT = "no rule says what this call ends with, for which no destination is left"
"""What is wrong with rules that leave nobody and let the call succeed."""

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
    """What becomes of a put, as the rules say that were run. Raises UnansweredError."""
    if runs[-1].failure:
        return "failed"
    if runs[-1].facts.get("deferred"):
        return "deferred"
    if not runs[0].remaining:
        raise UnansweredError("outcome/", "", NOBODY_LEFT)
    return "chosen"
