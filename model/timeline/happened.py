"""What an event led to besides the new state of the queue manager."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attrs import frozen

from mqclause.model.timeline.handles import Handle
from mqclause.model.timeline.judge import CallFailure
from mqclause.model.timeline.occasion import Occasion


class Completed(NamedTuple):
    """A unit of work that ended."""

    unit_of_work: str
    committed: bool


@frozen(eq=False)
class Happened:
    """What an event led to besides the new state.

    ``occasions`` are the queues to be looked at, in order; ``failure`` is what a call failed with; ``handle`` is the
    one that an open gave or a close ended.
    """

    occasions: Sequence[Occasion] = ()
    failure: CallFailure | None = None
    completed: Completed | None = None
    handle: Handle | None = None

    @property
    def reason(self) -> int | None:
        """The MQRC of a call that failed."""
        return self.failure.reason if self.failure is not None else None


NOTHING = Happened()
