"""What a replay assumes because no source tells it, said at the first event that depends on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, combinations
from typing import Any, Self

from attrs import define, evolve, field, frozen

from mqclause.model.configuration.completeness import EVERY_STATE
from mqclause.model.facts.domains import LARGEST, quote_name
from mqclause.model.facts.objects import Channel, QueueManager
from mqclause.model.timeline.scenario import Scenario
from mqclause.model.timeline.trigger_events import DEPTHS, TOTAL_DEPTHS, TriggerEvent
from mqclause.replay.rows import Row
from mqclause.trigger.examination import Examination, Triggers, find_thresholds
from mqclause.workload.decision import Decision
from mqclause.workload.editions import describe_edition_difference
from mqclause.workload.exit_answer import find_missing_exit
from mqclause.workload.sensitivity import find_unknown_states

QUEUE_COUNTS = ("open_input_count", "previous_open_input_count", "open_by_others")
INITQ_COUNTS = ("initq_open_input_count", "initq_opened_before", "initq_opened_by_others")
"""What one more handle, open since before the event, adds to: of a queue, and of its initiation queue."""

NO_HANDLE = "no handle on {0} was open for input at the start: no source tells IPPROCS; DISPLAY QSTATUS({1}) IPPROCS"
NO_MESSAGE = "no message was on {0} at the start: no source tells CURDEPTH; DISPLAY QSTATUS({1}) CURDEPTH"
NONE_WRITTEN = (
    "no trigger message was written for {0} before the start: no source tells when the last one was;"
    " DISPLAY QSTATUS({1}) LPUTDATE LPUTTIME"
)

INTERVAL = "TRIGINT is {} ms: no display shows it; DISPLAY QMGR TRIGINT"
NO_EXIT = "no exit is called: no display shows CLWLEXIT; DISPLAY QMGR CLWLEXIT"
SOME_EXIT = "EXIT"
"""A name of an exit, where none is known."""

MOST_LOOKS = 1_000
"""At so many occasions of a queue it is asked what several unknown things do together; later, what each does."""

LOOKS_AT_EDITIONS = 100
"""At so many choices for a queue it is asked what other editions make of it."""


@frozen(eq=False)
class _Unknown:
    """Something about the queue ``name`` that is not known and is ``unsaid``, in words; how occasions are by it."""

    unsaid: set[str]
    name: str
    text: str
    otherwise: Callable[[TriggerEvent], Iterable[TriggerEvent]]


@define(eq=False)
class Assumptions:
    """What a scenario leaves open and nothing was said about yet, and the rules that may turn on it.

    ``taken`` says of processes and queues, by name, how they are taken to be there. Local queues are those of unknown
    IPPROCS, ``handles``, of unknown CURDEPTH, ``depths``, and ``untimed``: nobody tells when the last trigger message
    was written for them. ``attributes`` are unknown ones of the queue manager ``own``.
    """

    triggers: Triggers
    taken: Mapping[str, str]
    handles: set[str]
    depths: set[str]
    untimed: set[str]
    attributes: set[str]
    own: QueueManager
    _looks: dict[str, int] = field(factory=dict)
    _counts: dict[tuple[object, ...], Sequence[int]] = field(factory=dict)

    @classmethod
    def of(cls, scenario: Scenario, triggers: Triggers) -> Self:
        """Return those of a scenario, before its first event."""
        handles, depths, untimed = scenario.unknown_handles, scenario.unknown_depths, scenario.unknown_last
        attributes, own = set(scenario.unknown_attributes), scenario.cluster.queue_manager
        return cls(triggers, scenario.assumed, set(handles), set(depths), set(untimed), attributes, own)

    def said(self, row: Row) -> tuple[str, ...]:
        """Return the assumptions of a row, each once in a replay but for objects that are taken to exist."""
        if row.event.do == "restart":  # it closes every handle, and no trigger message was written since then
            self.handles.clear()
            self.untimed.clear()
        return (*self._of_there(row), *self._of_examined(row.examinations), *self._of_get(row), *self._of_exit(row))

    def _of_there(self, row: Row) -> Iterator[str]:
        """What is taken to be there of the queues that a row is about, and of their processes."""
        if self.taken:
            triggered = [name for each in row.examinations for name in (each.occasion.process, each.occasion.initq)]
            names = dict.fromkeys([row.event.queue, *triggered])
            yield from (self.taken[name] for name in names if name in self.taken)

    def _of_get(self, row: Row) -> Iterator[str]:
        """That a get which finds no message might have found one that was there before."""
        if row.event.queue in self.depths and row.returned is not None and not row.returned.got:
            self.depths.remove(row.event.queue)
            yield NO_MESSAGE.format(row.event.queue, quote_name(row.event.queue))

    def _of_exit(self, row: Row) -> Iterator[str]:
        """That an exit might have been called where something was routed."""
        if "clwlexit" in self.attributes and row.routed is not None:
            self.attributes.remove("clwlexit")
            named = evolve(self.own, clwlexit=SOME_EXIT)
            if find_missing_exit(self.triggers.rules, named, ()) is not None:
                yield NO_EXIT

    def _of_examined(self, examinations: Iterable[Examination]) -> Iterator[str]:
        """What examinations rest on: said at the first one that would end otherwise."""
        if not (self.handles or self.depths or self.untimed or self.attributes):
            return
        for each in examinations:
            if each.occasion.trigger:
                yield from self._of_occasion(each.occasion)

    def _of_occasion(self, occasion: TriggerEvent) -> Iterator[str]:
        """The fewest things by which it would end otherwise, of those about which nothing was said yet."""
        unknown, ended = self._unknown(occasion), _result(self.triggers.examine(occasion))
        self._looks[occasion.queue] = looks = self._looks.get(occasion.queue, 0) + 1
        for size in range(1, len(unknown) + 1 if looks < MOST_LOOKS else 2):
            deciding = [each for each in combinations(unknown, size) if self._decide(each, occasion, ended)]
            for each in dict.fromkeys(chain.from_iterable(deciding)):
                each.unsaid.remove(each.name)
                yield each.text
            if deciding:
                return

    def _unknown(self, occasion: TriggerEvent) -> list[_Unknown]:
        """What is not known of the queue of an occasion and of its initiation queue, and was not said."""
        queue, initq = occasion.queue, occasion.initq
        none_written = NONE_WRITTEN.format(queue, quote_name(occasion.initq_target or initq))
        found = [
            _Unknown(self.handles, queue, NO_HANDLE.format(queue, quote_name(queue)), partial(_more, QUEUE_COUNTS)),
            _Unknown(self.handles, initq, NO_HANDLE.format(initq, quote_name(initq)), partial(_more, INITQ_COUNTS)),
            _Unknown(self.depths, queue, NO_MESSAGE.format(queue, quote_name(queue)), self._deeper),
            _Unknown(self.untimed, queue, none_written, _triggered_at_start),
            _Unknown(self.attributes, "trigint", INTERVAL.format(occasion.trigint), _with_other_interval),
        ]
        return [each for each in found if each.name in each.unsaid]

    def _decide(self, unknown: Iterable[_Unknown], occasion: TriggerEvent, ended: object) -> bool:
        """Whether an occasion ends otherwise where all of these are not as they are taken to be."""
        others: Iterable[TriggerEvent] = [occasion]
        for each in unknown:
            others = chain.from_iterable(map(each.otherwise, others))
        return any(_result(self.triggers.examine(each)) != ended for each in others)

    def _deeper(self, occasion: TriggerEvent) -> Iterator[TriggerEvent]:
        """The same with more messages on the queue all the time: as many as make a difference to the rules."""
        asked = occasion.queue, occasion.trigtype, occasion.trigdpth, occasion.maxdepth
        if asked not in self._counts:
            counts = find_thresholds(self.triggers.steps, occasion) - {0}
            self._counts[asked] = sorted(each for each in counts if each < occasion.maxdepth)
        counted = (*DEPTHS, *TOTAL_DEPTHS)
        return (one for more in self._counts[asked] for one in _more(counted, occasion, more))


@define(eq=False)
class RoutingAssumptions:
    """What the choices of a replay rest on, and nothing was said about yet.

    ``states`` are the channels whose status no source tells; ``said_of`` are the names put to of which it was said, in
    the edition in force, that another edition of MQ has another answer. It is asked at so many ``looks`` at each queue.
    """

    states: list[Channel]
    said_of: set[tuple[str, str]] = field(factory=set)
    _looks: dict[str, int] = field(factory=dict)

    @classmethod
    def of(cls, scenario: Scenario) -> Self:
        """Return those of a scenario, before its first event."""
        return cls([*scenario.unknown_states])

    def tell(self, row: Row, decision: Decision | None, other_edition: str) -> None:
        """Note in a row what its ``decision`` rests on; ``other_edition`` says what its command does in another one."""
        event = row.event
        if decision is None:
            is_open = bool(self.states) and event.do != "put"
        else:
            is_open = self._looks.get(event.queue, 0) < (MOST_LOOKS if self.states else LOOKS_AT_EDITIONS)
        if is_open:
            row.assumed += tuple(self.said(row, decision))
            row.editions += tuple(self.by_edition(row, decision))
        if other_edition:
            row.editions += (other_edition,)
        if row.edition and not row.edition_stays:
            self.said_of.clear()
            self._looks.clear()

    def said(self, row: Row, decision: Decision | None) -> Iterator[str]:
        """Say what status is taken for a channel where another one changes the ``decision``: of each channel once."""
        if self.states and row.event.do != "put":
            self.states = [each for each in self.states if not _is_stated(each, row)]
        if decision is None or not decision.runs:
            return
        self._looks[row.event.queue] = self._looks.get(row.event.queue, 0) + 1
        if not self.states or row.exit is not None:
            return
        for missing in find_unknown_states(decision, self.states):
            yield f"{missing.what}; {missing.command}"
            together = missing.command == EVERY_STATE
            self.states = [each for each in self.states if not together and each.name != missing.about]

    def by_edition(self, row: Row, decision: Decision | None) -> Iterator[str]:
        """Say that another edition of MQ makes another choice, once for each name that is put to."""
        name = row.event.queue, row.event.to_queue_manager
        if decision is None or name in self.said_of or self._looks.get(row.event.queue, 0) > LOOKS_AT_EDITIONS:
            return
        if differs := describe_edition_difference(decision):
            self.said_of.add(name)
            yield differs


def _is_stated(channel: Channel, row: Row) -> bool:
    """Whether from now on the scenario says how a channel is."""
    event, did = row.event, row.administered
    changed = [each.get("channel") for each in did.changed] if did is not None else []
    reached = event.do in ("fail", "recover") and event.queue_manager == channel.queue_manager
    return reached or channel.name in (event.channel, *changed)


def _more(counts: Iterable[str], occasion: TriggerEvent, more: int = 1) -> Iterator[TriggerEvent]:
    """The same where so many more are counted."""
    yield occasion.with_values({name: getattr(occasion, name) + more for name in counts})


def _triggered_at_start(occasion: TriggerEvent) -> Iterator[TriggerEvent]:
    """The same where a trigger message was written for the queue just before the start, if none was since."""
    if not occasion.has_triggered:
        seen: dict[str, Any] = {"has_triggered": True, "since_last_trigger": occasion.since_start}
        yield occasion.with_values(seen)


def _with_other_interval(occasion: TriggerEvent) -> Iterator[TriggerEvent]:
    """The same with the shortest and the longest TRIGINT."""
    yield from (occasion.with_values({"trigint": each}) for each in (0, LARGEST))


def _result(examination: Examination) -> tuple[bool, int, bool, bool]:
    wrote, off = examination.rule is not None, examination.turns_off is not None
    return wrote, examination.events if wrote else 0, wrote and examination.available, off
