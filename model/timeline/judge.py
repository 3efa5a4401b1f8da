"""What a course of events depends on and rules decide: the model asks, and does not know the answers itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from attrs import frozen

from mqclause.model.facts.message import HIGHEST_PRIORITY, OF_ITS_OWN, InItem, Message
from mqclause.model.facts.objects import Queue
from mqclause.model.facts.queue_call import QueueCall

PRIORITIES = tuple(range(HIGHEST_PRIORITY + 1))


class Messages(NamedTuple):
    """What rules say of the messages of one queue.

    ``priorities`` has for each priority that a message is put with, 0 to 9, the one that it gets; ``counts`` has for
    each priority of a message on the queue whether it counts for the trigger conditions.
    """

    priorities: Mapping[int, int]
    counts: Mapping[int, bool]


class CallFailure(NamedTuple):
    """What a call on a local queue fails with: the MQRC, why, and MQSC after which it would not; blank: none."""

    reason: int
    because: str
    remedy: str


class Judge(Protocol):
    """What rules say of messages, of events and of calls."""

    def messages(self, queue: Queue) -> Messages:
        """Which priority messages get on ``queue``, and which of them count."""
        ...

    def in_item(self, message: Message) -> InItem:
        """What a message of a group, or a segment, is where it belongs."""
        ...

    def looks_at(self, occasion: str, shared: bool, in_unit_of_work: bool) -> bool:
        """Whether anything can follow from an occasion of this kind, on a queue that is shared or not."""
        ...

    def failure(self, call: QueueCall) -> CallFailure | None:
        """What a call fails with; None if it does not."""
        ...


EVERY_MESSAGE = Messages({each: each for each in PRIORITIES}, dict.fromkeys(PRIORITIES, True))


@frozen
class NoJudge:
    """Where no rules are asked: a message keeps its priority and counts, every event is an occasion, no call fails."""

    def messages(self, queue: Queue) -> Messages:  # noqa: ARG002 - as the judge is asked
        """As they are put, and all of them."""
        return EVERY_MESSAGE

    def in_item(self, message: Message) -> InItem:  # noqa: ARG002 - as above
        """Each message is an item by itself."""
        return OF_ITS_OWN

    def looks_at(self, occasion: str, shared: bool, in_unit_of_work: bool) -> bool:  # noqa: ARG002 - as above
        """Always."""
        return True

    def failure(self, call: QueueCall) -> CallFailure | None:  # noqa: ARG002 - as above
        """None."""
        return None


NO_JUDGE = NoJudge()
