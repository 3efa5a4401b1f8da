"""The rows of a replay: what one event led to, and how it reads as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any

from attrs import define, field, frozen

from mqclause.model.facts.workload import Destination
from mqclause.model.timeline.events import Event
from mqclause.model.timeline.trigger_events import CallFailure
from mqclause.replay.administration import AdministrationResult
from mqclause.retrieval.calls import NO_REASON, CallReason, RetrievalResult
from mqclause.trigger.examination import Examination
from mqclause.workload.decision import Decision, build_destination_document
from mqclause.workload.exit_answer import ExitAnswer


@frozen
class TriggerMessage:
    """A trigger message that an event created, and the examination that found it due."""

    examination: Examination
    available: bool


@frozen
class ReleasedTriggerMessage:
    """A trigger message that an event made available, and the number of the event that created it."""

    queue: str
    created_by_event: int


@define(unsafe_hash=True)
class Row:
    """What one event (one repetition of it) led to. ``repeat`` is None unless the event is repeated.

    ``routed`` is the destination, a decision that failed, or None where nothing was routed. ``reason`` is an MQRC,
    which may be a ``warning``; ``ended`` has it too where the rules of retrieval give it, ``because`` and ``remedy``
    say why another call on a local queue fails, and by what MQSC it would not. ``returned`` is what a get or browse
    gave. ``exit`` is what an exit made of the choice, where one was asked for; ``assumed`` says what is taken to be so,
    ``editions`` that another edition of MQ has another answer, ``parted`` that the queue manager sends a message
    elsewhere, where the rest of its group is, ``obstacles`` why it does not arrive where it was routed to,
    ``asks_again`` who would be asked for a name that a refresh removed, ``edition`` of which edition of MQ the queue
    manager is after a restart that states its command level, ``edition_from`` what that is known by, and
    ``edition_stays`` that it was of that edition before,
    ``undelivered`` which trigger messages are not on their initiation queue, ``unstarted`` why one that is there starts
    nothing, and ``published`` that a put publishes.
    What ``is_bound`` goes where it was routed to and to nobody else.
    """

    number: int
    event: Event
    repeat: int | None
    routed: Destination | Decision | None = None
    trigger_messages: list[TriggerMessage] = field(factory=list, hash=False)
    released: list[ReleasedTriggerMessage] = field(factory=list, hash=False)
    examinations: list[Examination] = field(factory=list, hash=False)
    turned_off: list[Examination] = field(factory=list, hash=False)
    reason: int | None = None
    exit: ExitAnswer | None = None
    warning: bool = False
    ended: CallReason = field(default=NO_REASON, eq=itemgetter(0, 1))
    returned: RetrievalResult | None = None
    administered: AdministrationResult | None = field(default=None, hash=False)
    because: str = ""
    remedy: str = ""
    assumed: tuple[str, ...] = ()
    editions: tuple[str, ...] = ()
    parted: str = ""
    obstacles: tuple[str, ...] = ()
    asks_again: str = ""
    undelivered: tuple[str, ...] = ()
    unstarted: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    is_bound: bool = False
    edition: str = ""
    edition_from: str = ""
    edition_stays: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that ``mqclause replay`` prints of it."""
        return build_row_document(self)

    def fail(self, failure: CallFailure | None) -> None:
        """Return the reason of a call that failed; None if it did not."""
        if failure is None:
            self.reason, self.because, self.remedy = None, "", ""
        else:
            self.reason, self.because, self.remedy = failure.reason, failure.because, failure.remedy
            self.warning = False

    def end(self, ended: CallReason) -> None:
        """Return how the rules of retrieval end the call."""
        self.ended, self.reason, self.warning = ended, ended.code, ended.is_warning

    def refuse(self, queue: str, refused: CallFailure, deadq: str) -> None:
        """Note that a trigger message for ``queue`` could not be put on its initiation queue."""
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
        return tuple(dict.fromkeys([*of_exits, *again, *ahead, *told, *assumed, *self.editions]))


def build_row_document(row: Row) -> dict[str, Any]:
    """Build a row as the JSON object of ``mqclause replay``."""
    document: dict[str, Any] = {"event": row.number, "do": row.event.do}
    if row.repeat is not None:
        document["repeat"] = row.repeat
    document["routed"] = _routed(row.routed)
    document["trigger_messages"] = [_message(each) for each in row.trigger_messages]
    document["released"] = [{"queue": each.queue, "created_by_event": each.created_by_event} for each in row.released]
    document["conditions"] = [condition for each in row.examinations for condition in _conditions(each)]
    document["changed"] = [_turned_off(each) for each in row.turned_off]
    if row.edition:
        document |= {"edition": row.edition, "edition_from": row.edition_from}
    if row.returned is not None:
        document |= row.returned.to_json()
    if row.reason is not None:
        document["reason"] = row.reason
    document |= {"because": row.because} if row.because else {}
    document |= {"remedy": row.remedy} if row.remedy else {}
    if row.warning:
        document["warning"] = True
    if row.exit is not None and row.exit.is_given:
        document["exit"] = row.exit.document(build_destination_document)
    if row.remarks:
        document["remarks"] = list(row.remarks)
    if row.administered is not None:
        document["changed"] += row.administered.changed
        document |= row.administered.document()
    return document


def _routed(routed: Destination | Decision | None) -> dict[str, Any] | None:
    if isinstance(routed, Decision):
        reason = routed.reason
        return {"failed": reason and {"name": reason.name, "code": reason.code, "call": reason.call}}
    if routed is None:
        return None
    return build_destination_document(routed)


def _message(message: TriggerMessage) -> dict[str, Any]:
    examination = message.examination
    occasion, fields, rule = examination.occasion, examination.fields, examination.rule
    names = ("trigger_data", "appl_type", "appl_id", "env_data", "user_data")
    return {
        "queue": fields["of_queue"],
        "initiation_queue": occasion.initq,
        "process": fields["of_process"],
        **{name: fields[name] for name in names},
        "rule": rule.id if rule else None,
        "available": message.available,
    }


def _conditions(examination: Examination) -> Iterator[dict[str, Any]]:
    queue = examination.occasion.queue
    for each in examination.conditions:
        row = {"queue": queue, "rule": each.rule.id, "clause": each.rule.clause, "holds": each.holds}
        yield row if each.holds else {**row, "because": each.because}


def _turned_off(examination: Examination) -> dict[str, Any]:
    rule = examination.turns_off
    queue = examination.occasion.queue
    return {"queue": queue, "attribute": "trigger", "value": False, "rule": rule.id if rule else None}
