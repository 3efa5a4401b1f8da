"""What an event led to besides the new state of the queue manager."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attrs import frozen

from mqclause.model.timeline.handles import Handle
from mqclause.model.timeline.occasion import Occasion

MQRC_GET_INHIBITED = 2016
MQRC_NO_MSG_AVAILABLE = 2033
MQRC_OBJECT_IN_USE = 2042
MQRC_PRIORITY_EXCEEDS_MAXIMUM = 2049
"""A warning: the message is put, with priority 9."""
MQRC_PUT_INHIBITED = 2051
MQRC_Q_FULL = 2053


class Completed(NamedTuple):
    """A unit of work that ended."""

    unit_of_work: str
    committed: bool


@frozen(eq=False)
class Happened:
    """What an event led to besides the new state.

    ``occasions`` are the queues to be looked at, in order; ``reason`` is an MQRC if the call failed or warned;
    ``handle`` is the one that an open gave or a close ended.
    """

    occasions: Sequence[Occasion] = ()
    reason: int | None = None
    completed: Completed | None = None
    handle: Handle | None = None

    @property
    def failed(self) -> bool:
        """Whether the reason is more than a warning."""
        return self.reason not in (None, MQRC_PRIORITY_EXCEEDS_MAXIMUM)


NOTHING = Happened()
