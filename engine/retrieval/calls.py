"""Answer gets, browses, puts and closes on a queue by the rules of retrieval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, takewhile
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from attrs import astuple, evolve, field, frozen

from mqclause.answers import ShownAnswer
from mqclause.executors.operations import Run
from mqclause.model.diagnostics import check_each, check_type, quote_value
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import REASONS
from mqclause.model.facts.messages import EnqueueRules, ItemRole, Message, RetrievalCall, list_message_values
from mqclause.model.facts.objects import Queue
from mqclause.model.timeline.events import Event, EventError, find_conflicting_keys
from mqclause.model.timeline.retrieval import (
    SINGLE_PLACEMENT,
    PutPlacement,
    QueueView,
    VisibleMessage,
    apply_failed_get,
    build_close_call,
    build_get_call,
    build_placement,
    build_put_call,
    build_queue_view,
    list_candidates,
)
from mqclause.model.timeline.transitions import QueueManagerState
from mqclause.model.timeline.trigger_events import (
    EVERY_MESSAGE,
    NO_RESULT,
    PRIORITIES,
    Definitions,
    EventResult,
    MessageRules,
    RuleCallbacks,
)
from mqclause.retrieval.order import PassedOver, Retrieval
from mqclause.rulebook.rule import Rule
from mqclause.rulebook.rules import RulesOrigin

MOST_KNOWN = 1000
"""How many answers about puts are kept."""

MOST_PASSED_OVER = 1000
"""How many messages before the one that is returned are explained."""


class CallReason(NamedTuple):
    """The reason (MQRC) that a call has by the rules of retrieval, None if it has none: a warning, or why it fails.

    ``rule`` is the one that gives it, ``tell`` makes what that has to say: why the call fails, or when it is warned.
    ``placing`` says of a put where its message belongs.
    """

    code: int | None = None
    is_warning: bool = False
    rule: Rule | None = None
    tell: Callable[[], str] = str
    placing: PutPlacement = SINGLE_PLACEMENT

    def __reduce__(self) -> tuple[Any, ...]:
        return CallReason, (self.code, self.is_warning, self.rule, partial(str, self.tell()), self.placing)

    @property
    def fails(self) -> bool:
        """Whether the call does nothing."""
        return self.code is not None and not self.is_warning


NO_REASON = CallReason()


@frozen(repr=False)
class RetrievalResult(ShownAnswer):
    """The result of a get or browse: messages (one, or the segments of one), or the reason why it ``ended``.

    A reason beside messages is a warning. ``remarks`` are what rules have to say of it. ``event`` is the call as it was
    made, ``after`` the queue manager after it.
    """

    written_by = "replay#/$defs/returned"

    retrieval: Retrieval = field(eq=False, repr=False)
    event: Event
    after: QueueManagerState = field(eq=False, repr=False)
    call: RetrievalCall = field(eq=astuple)
    view: QueueView = field(eq=False, repr=False)
    ended: CallReason = field(default=NO_REASON, eq=itemgetter(0, 1))
    messages: Sequence[VisibleMessage] = field(default=(), eq=list_message_values)
    group_status: str = " "
    segment_status: str = " "
    remarks: tuple[str, ...] = ()

    @property
    def reason(self) -> int | None:
        """The MQRC; None where all is as asked."""
        return self.ended.code

    @property
    def because(self) -> str:
        """Why there is no message; blank if there is one."""
        return self.ended.tell() if self.ended.fails else ""

    @property
    def got(self) -> list[str]:
        """The labels of the messages."""
        return [each.id for each in self.messages]

    @property
    def origin(self) -> RulesOrigin | None:
        """Where the rules are from; None if they are those that come with the project."""
        return self.retrieval.rules.origin

    def to_json(self) -> dict[str, Any]:
        """Return the keys that a row of a replay has of this call."""
        statuses = {"group_status": self.group_status, "segment_status": self.segment_status}
        reason = {} if self.reason is None else {"reason": self.reason}
        remarks = {"remarks": list(self.remarks)} if self.remarks else {}
        return {"got": self.got, **statuses, **remarks, **reason, **self.origin_keys}

    def next(self, options: tuple[str, ...] = (), match: Mapping[str, Any] = MappingProxyType({})) -> RetrievalResult:
        """Make the same application's next get on the queue from where this one left it, as ``next_get`` does."""
        return retrieve(self.retrieval, self.after, _asking(self.event, options, match))[2]

    def passed_over(self) -> Iterator[PassedOver]:
        """Return the messages that lie before the one that was returned, in physical order, and why each was not.

        Of very many, the first. Segments that were returned with it were not passed over, wherever they lie.
        """
        first = self.messages[0] if self.messages else None
        place = None if first is None else (first.priority, first.arrival)
        before = takewhile(lambda each: (each.priority, each.arrival) != place, self.view.list_all_messages())
        listed = list(islice(before, MOST_PASSED_OVER))
        run = self.retrieval.run(self.call, [*listed, *self.messages[:1]], traced=True)
        found = self.retrieval.passed_over(self.call, run, [*listed, *self.messages[:1]], "get")
        fell, got = {each.message: each for each in found}, set(self.got)
        return (fell[each.id] for each in listed if each.id in fell and each.id not in got)


@frozen(eq=False)
class EnqueueCallbacks(RuleCallbacks):
    """Where gets alone are asked about: messages are enqueued as ``terms`` say."""

    terms: EnqueueRules

    def messages(self, queue: Queue) -> MessageRules:
        """Return the priority that messages get on ``queue``; all of them count."""
        return EVERY_MESSAGE._replace(priorities={each: self.terms.priority(each, queue) for each in PRIORITIES})

    def in_item(self, message: Message) -> ItemRole:
        """Derive by rules the role of a message at its place in a group or a segmented message."""
        return self.terms.in_item(message)


def retrieve(
    retrieval: Retrieval, state: QueueManagerState, event: Event
) -> tuple[QueueManagerState, EventResult, RetrievalResult]:
    """Carry out a get or browse: the new state, its effects and result.

    Raises EventError if there is no local queue.
    """
    base = state.definitions.find_base_queue(event.queue)
    if base is None:
        raise EventError(f"queue {quote_value(event.queue)} resolves to no local queue; a get needs one")
    named = state.cluster.own_queues[event.queue].get
    view, call = _view(retrieval, state, event, base, named)
    sight = retrieval.looks.at(call)
    listed = list_candidates(call, view, sight.left_out)
    run = (
        _run_until_first(retrieval, call, listed)
        if sight.is_first
        else retrieval.run(call, [*view.expand_runs(listed)])
    )
    if run.failure is not None or not run.remaining:
        after = apply_failed_get(state, event, run.facts)
        return after, NO_RESULT, RetrievalResult(retrieval, event, after, call, view, _reason(retrieval, call, run))
    first: VisibleMessage = run.remaining[0]
    facts = run.facts
    taken = view.list_logical_message(first) if facts["returned_whole"] else [first]
    after, happened = state.after_get(event, base.name, facts, taken)
    returned = RetrievalResult(
        retrieval,
        event,
        after,
        call,
        view,
        _reason(retrieval, call, run, [first]),
        taken,
        facts["group_status"],
        facts["segment_status"],
        tuple(retrieval.remarks(call, run)),
    )
    return after, happened, returned


def _view(
    retrieval: Retrieval, state: QueueManagerState, event: Event, base: Queue, named: str
) -> tuple[QueueView, RetrievalCall]:
    """The queue as a get sees it, and the get as the rules see it; ``named`` is GET of what the get names."""
    view, platform = build_queue_view(state, event, base.name), state.cluster.queue_manager.platform
    call = build_get_call(event, view, base, named, platform)
    if retrieval.sees is not None:
        view = build_queue_view(state, event, base.name, partial(retrieval.sees, call))
        call = build_get_call(event, view, base, named, platform)
    return view, call


def next_get(
    retrieval: Retrieval,
    cluster: Cluster,
    messages: Iterable[Message],
    queue: str,
    options: tuple[str, ...] = (),
    match: Mapping[str, Any] = MappingProxyType({}),
) -> RetrievalResult:
    """Return the message that a get of an application returns that has made no call before.

    ``messages`` in the order of their arrival; ``queue`` is where they lie, or a local alias of that. What the
    application's next one returns, ``next`` of the answer says. Raises DomainError for an option or a key that there is
    not, EventError for options that do not go together and for a queue that there is not.
    """
    check_type("retrieval", retrieval, Retrieval)
    check_type("cluster", cluster, Cluster, ", as snapshot.cluster")
    messages = check_each("messages", messages, Message)
    event = _asking(Event("get", queue=queue), options, match)
    callbacks = EnqueueCallbacks(retrieval.terms)
    base = Definitions(cluster, callbacks).find_base_queue(event.queue)
    lying = [each for each in messages if base is not None and each.queue == base.name]
    state = QueueManagerState.of(cluster, callbacks, lying)
    return retrieve(retrieval, state, event)[2]


def _asking(event: Event, options: tuple[str, ...], match: Mapping[str, Any]) -> Event:
    """The get with these options and match options."""
    asked = evolve(event, options=options, match=match)
    for fault in find_conflicting_keys({"options": asked.options}):
        raise EventError(fault)
    return asked


def _run_until_first(retrieval: Retrieval, call: RetrievalCall, listed: Iterator[VisibleMessage]) -> Run:
    """Run the rules over the first messages of ``listed`` that leave one, or over the last of all.

    The rules look at each message alone (see ``RetrievalPlan``), so that there is no need to look at all of them; more
    and more are looked at together.
    """
    size = 1
    run = retrieval.run(call, list(islice(listed, size)))
    while not run.remaining:
        size *= 2
        window = list(islice(listed, size))
        if not window:
            break
        run = retrieval.run(call, window)
    return run


def find_put_reason(retrieval: Retrieval, state: QueueManagerState, event: Event) -> CallReason:
    """Find the reason that a put has by the rules of retrieval, a warning perhaps, and where its message belongs."""
    position = state.position(event)
    # Most puts are of no group: what the rules say of those is asked once.
    of_group = event.group or event.last_in_group is not None or event.in_group is not None or event.offset
    plain = position.puts is None and not (of_group or event.segment or event.last_segment or event.sequence != 1)
    key = (event.logical_order, event.priority, event.unit_of_work) if plain else None
    known: CallReason | None = retrieval.known_puts.get(key) if key is not None else None
    if known is None:
        call = build_put_call(event, position, event.priority or 0)
        run = retrieval.run(call, ())
        known = _reason(retrieval, call, run)._replace(placing=build_placement(run.facts))
        if key is not None:
            if len(retrieval.known_puts) >= MOST_KNOWN:
                retrieval.known_puts.clear()
            retrieval.known_puts[key] = known
    return known


def find_close_reason(retrieval: Retrieval, state: QueueManagerState, event: Event) -> CallReason:
    """Find the warning that the close of an application's last handle on a queue gives, if it gives one."""
    call = build_close_call(state.position(event))
    return _reason(retrieval, call, retrieval.run(call, ()))


def _reason(retrieval: Retrieval, call: RetrievalCall, run: Run, messages: Sequence[VisibleMessage] = ()) -> CallReason:
    """The reason that a call has by a run of the rules; ``messages`` are those of which one is returned."""
    failure, warning = run.failure, run.facts["warning"]
    if failure is None and not warning:
        return NO_REASON
    rules = retrieval.ruleset.rules
    if failure is not None:
        rule = rules[failure.rule]
        return CallReason(REASONS[failure.reason], False, rule, partial(retrieval.because, call, rule, run))
    trace = run.trace or retrieval.run(call, messages, traced=True).trace or ()
    # Of several the last one has derived it.
    warned = [rule for rule, did in zip(rules, trace, strict=True) if did is not None and "warning" in (did[3] or ())]
    return CallReason(warning, True, warned[-1], partial(str, warned[-1].title))
