"""What one event of a replay led to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import define, field, frozen

from mqclause.answers.choice.decision import Decision
from mqclause.answers.choice.exit_answer import ExitAnswer
from mqclause.answers.order.retrieval_calls import NO_REASON, CallReason, Returned
from mqclause.answers.replay.fate import Administered
from mqclause.answers.replay.replay_document import row_document
from mqclause.answers.trigger.examination import Examination
from mqclause.model.facts.destination import Destination
from mqclause.model.timeline.event import Event
from mqclause.model.timeline.judge import CallFailure


@frozen(eq=False)
class TriggerMessage:
    """A trigger message that an event created, and the examination that found it due."""

    examination: Examination
    available: bool


@frozen(eq=False)
class Released:
    """A trigger message that an event made available, and the number of the event that created it."""

    queue: str
    created_by_event: int


@define(eq=False)
class Row:
    """What one event (one repetition of it) led to. ``repeat`` is None unless the event is repeated.

    ``routed`` is the destination, a decision that failed, or None where nothing was routed. ``reason`` is an MQRC,
    which may be a ``warning``; ``ended`` has it too where the rules of retrieval give it, ``because`` and ``remedy``
    say why another call on a local queue fails, and by what MQSC it would not. ``returned`` is what a get or browse
    gave. ``exit`` is what an exit made of the choice, where one was asked for; ``assumed`` says what is taken to be so,
    ``parted`` that the queue manager sends a message elsewhere, where the rest of its group is, ``obstacles`` why
    it does not arrive where it was routed to, ``asks_again`` who would be asked for a name that a refresh removed,
    ``undelivered`` which trigger messages are not on their initiation queue, ``unstarted`` why one that is there starts
    nothing, and ``published`` that a put publishes.
    What ``is_bound`` goes where it was routed to and to nobody else.
    """

    number: int
    event: Event
    repeat: int | None
    routed: Destination | Decision | None = None
    trigger_messages: list[TriggerMessage] = field(factory=list)
    released: list[Released] = field(factory=list)
    examinations: list[Examination] = field(factory=list)
    turned_off: list[Examination] = field(factory=list)
    reason: int | None = None
    exit: ExitAnswer | None = None
    warning: bool = False
    ended: CallReason = NO_REASON
    returned: Returned | None = None
    administered: Administered | None = None
    because: str = ""
    remedy: str = ""
    assumed: tuple[str, ...] = ()
    parted: str = ""
    obstacles: tuple[str, ...] = ()
    asks_again: str = ""
    undelivered: tuple[str, ...] = ()
    unstarted: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    is_bound: bool = False

    def to_json(self) -> dict[str, Any]:
        """The JSON object that ``mqclause replay`` prints of it."""
        return row_document(self)

    def fail(self, failure: CallFailure | None) -> None:
        """The call failed, if it did."""
        if failure is None:
            self.reason, self.because, self.remedy = None, "", ""
        else:
            self.reason, self.because, self.remedy = failure.reason, failure.because, failure.remedy
            self.warning = False

    def end(self, ended: CallReason) -> None:
        """The call ended so by the rules of retrieval."""
        self.ended, self.reason, self.warning = ended, ended.code, ended.is_warning

    def refuse(self, queue: str, refused: CallFailure, deadq: str) -> None:
        """A trigger message for ``queue`` could not be put on its initiation queue: IBM says where it goes."""
        goes = f"it goes to the dead-letter queue {deadq}" if deadq else "DEADQ is blank: it is discarded"
        told = f"the trigger message for {queue} is not put on its initiation queue ({refused.because}); {goes}"
        self.undelivered = (*self.undelivered, told)

    @property
    def starting(self) -> Iterable[str]:
        """The queues whose trigger messages reach their initiation queue by this event.

        Of the transmission queue that its message leaves by, the ``obstacles`` tell.
        """
        if self.undelivered or not (self.trigger_messages or self.released):
            return ()
        written = (each.examination.occasion.queue for each in self.trigger_messages if each.available)
        left_by = self.routed.transmission_queue if isinstance(self.routed, Destination) else ""
        found = dict.fromkeys([*written, *(each.queue for each in self.released)])
        return (each for each in found if each != left_by)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What its reader should know: that an exit is named and not given, what is in the way, what is assumed."""
        fates = () if self.administered is None else self.administered.fates
        answers = (self.exit, *(each.exit for each in fates))
        of_exits = (remark for each in answers if each is not None for remark in each.remarks)
        assumed = (f"assumed: {each}" for each in (*self.assumed, self.parted) if each)
        ahead = (f"{each.message}: {remark}" for each in fates for remark in each.remarks)
        again = (self.asks_again,) if self.asks_again else ()
        told = (*self.obstacles, *self.undelivered, *self.unstarted, *self.published)
        return tuple(dict.fromkeys([*of_exits, *again, *ahead, *told, *assumed]))
