"""What holds for any course of events: checked against a plain list of messages."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from attrs import define, field
from hypothesis import given, settings
from hypothesis import strategies as st

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Queue, QueueManager
from mqclause.model.timeline.events import Event, EventError
from mqclause.model.timeline.transitions import QueueManagerState
from mqclause.model.timeline.trigger_events import TriggerEvent
from mqclause.trigger.examination import Triggers
from spec_tests.support.one_queue_manager import reaching, step

UNITS = ("U1", "U2")
JUDGE = Triggers().callbacks
NAMES = ("A", "F", "S")
QUEUES = (
    Queue("A", "QM1", defprty=2, trigmpri=4),
    Queue("F", "QM1", defprty=5, trigmpri=5, msgdlvsq="FIFO"),
    Queue("S", "QM1", trigmpri=1, shared=True),
)
LOCAL = {queue.name: queue for queue in QUEUES}

Content = list[tuple[int, bool, int]]


@define
class Message:
    """One message: ``put_by`` and ``got_by`` are open units of work, blank if none."""

    queue: str
    priority: int
    persistent: bool
    number: int
    put_by: str
    got_by: str = ""


@define
class Oracle:
    """The same as a list of messages that is searched for everything."""

    messages: list[Message] = field(factory=list)
    units: set[str] = field(factory=set)
    number: int = 0
    puts: int = 0
    gets: int = 0

    def do(self, event: Event) -> int | None:
        if event.do in ("put", "get"):
            if event.unit_of_work:
                self.units.add(event.unit_of_work)
            return self.put(event) if event.do == "put" else self.get(event)
        if event.do == "restart":
            for unit in list(self.units):
                self.backout(unit)
            self.messages = [each for each in self.messages if each.persistent]
        elif event.do == "commit":
            self.messages = [each for each in self.messages if each.got_by != event.unit_of_work]
            for each in self.messages:
                each.put_by = "" if each.put_by == event.unit_of_work else each.put_by
            self.units.remove(event.unit_of_work)
        elif event.do == "backout":
            self.backout(event.unit_of_work)
        return None

    def put(self, event: Event) -> int | None:
        queue = LOCAL[event.queue]
        wanted = queue.defprty if event.priority is None else event.priority
        priority = queue.defprty if queue.msgdlvsq == "FIFO" else min(wanted, 9)
        for _ in range(event.segments):
            self.number += 1
            self.messages.append(Message(event.queue, priority, event.persistent, self.number, event.unit_of_work))
        return 2049 if wanted > 9 else None

    def get(self, event: Event) -> int | None:
        found = [each for each in self.on(event.queue) if each.put_by in ("", event.unit_of_work)]
        if not found:
            return 2033
        first = min(found, key=lambda each: (-each.priority, each.number))
        if event.unit_of_work and not first.put_by:
            first.got_by = event.unit_of_work
        else:
            self.messages.remove(first)
        return None

    def backout(self, unit: str) -> None:
        self.messages = [each for each in self.messages if each.put_by != unit]
        for each in self.messages:
            each.got_by = "" if each.got_by == unit else each.got_by
        self.units.remove(unit)

    def on(self, queue: str) -> list[Message]:
        return [each for each in self.messages if each.queue == queue and not each.got_by]

    def content(self, queue: str) -> Content:
        found = sorted((-each.priority, each.number, each.persistent) for each in self.on(queue) if not each.put_by)
        return joined([(-priority, persistent, 1) for priority, _, persistent in found])

    def counted(self, queue: str, lowest: int) -> int:
        shared = LOCAL[queue].shared
        return sum(each.priority >= lowest and not (shared and each.put_by) for each in self.on(queue))


def joined(runs: Sequence[tuple[int, bool, int]]) -> Content:
    """Neighbours of the same priority and persistence as one."""
    found: Content = []
    for priority, persistent, size in runs:
        if found and found[-1][:2] == (priority, persistent):
            found[-1] = (priority, persistent, found[-1][2] + size)
        else:
            found.append((priority, persistent, size))
    return found


def content(state: QueueManagerState, queue: str) -> Content:
    return joined([(priority, run.persistent, run.size) for priority, run in state.queue(queue).runs()])


def contents(state: QueueManagerState) -> dict[str, Content]:
    return {name: content(state, name) for name in NAMES}


def everything(state: QueueManagerState) -> list[object]:
    depths = [(queue.committed, queue.uncommitted) for queue in map(state.queue, NAMES)]
    return [contents(state), depths, state.now, set(state.units), len(state.handles.open)]


def start() -> QueueManagerState:
    return QueueManagerState.of(Cluster(QueueManager("QM1"), queues=QUEUES), JUDGE)


def run(state: QueueManagerState, events: Sequence[Event]) -> QueueManagerState:
    """The state after those of ``events`` that can happen."""
    for event in events:
        try:
            state, _, _ = step(state, event)
        except EventError:
            assert event.do in ("commit", "backout", "close")
    return state


def counts(seen: TriggerEvent, shared: bool) -> tuple[int, int, int, int]:
    """What counts for triggering: messages of sufficient priority before and after, all before and after."""
    if shared:
        return seen.previous_committed, seen.committed, seen.previous_committed_total, seen.committed_total
    return seen.previous_depth, seen.depth, seen.previous_total, seen.depth_total


names = st.sampled_from(NAMES)
units = st.sampled_from(UNITS)
maybe_units = st.sampled_from(("", *UNITS))
puts = st.builds(
    Event,
    st.just("put"),
    queue=names,
    priority=st.none() | st.integers(0, 11),
    persistent=st.booleans(),
    segments=st.sampled_from((1, 1, 1, 3)),
    unit_of_work=maybe_units,
)
gets = st.builds(Event, st.just("get"), queue=names, unit_of_work=maybe_units)
ends = st.builds(Event, st.sampled_from(("commit", "backout")), unit_of_work=units)
opens = st.builds(Event, st.sampled_from(("open", "close")), queue=names, by=st.sampled_from("XY"))
restarts = st.builds(Event, st.just("restart"))


def course(*of: st.SearchStrategy[Event]) -> st.SearchStrategy[list[Event]]:
    """Up to 100 events; long courses are as likely as short ones."""
    return st.integers(0, 100).flatmap(lambda size: st.lists(st.one_of(*of), min_size=size, max_size=size))


courses = course(puts, puts, puts, gets, gets, ends, opens)
courses_with_restart = course(puts, puts, puts, puts, gets, gets, gets, ends, restarts)
calls = course(puts, gets)
QUICK = settings(deadline=None)


@QUICK
@given(courses_with_restart)
def test_like_a_list_of_messages(events: list[Event]) -> None:
    state, oracle = start(), Oracle()
    for event in events:
        if event.do in ("commit", "backout") and event.unit_of_work not in oracle.units:
            continue
        before = {name: oracle.counted(name, LOCAL[name].trigmpri) for name in NAMES}
        state, happened, reason = step(state, event)
        assert reason == oracle.do(event)
        for name in NAMES:
            assert content(state, name) == oracle.content(name)
            assert state.queue(name).depth == len(oracle.on(name))
            shared = LOCAL[name].shared
            assert [state.queue(name).counted(reaching(lowest))[not shared] for lowest in (0, 1, 4, 5, 9)] == [
                oracle.counted(name, lowest) for lowest in (0, 1, 4, 5, 9)
            ]
            of_queue = [each for each in happened.occasions if each.queue == name]
            if of_queue:
                assert counts(of_queue[0], shared)[0] == before[name]
                assert counts(of_queue[-1], shared)[1] == oracle.counted(name, LOCAL[name].trigmpri)
                assert counts(of_queue[-1], shared)[3] == oracle.counted(name, 0)
            for one, following in pairwise(of_queue):
                assert counts(one, shared)[1::2] == counts(following, shared)[::2]


@QUICK
@given(calls)
def test_depth_is_puts_minus_gets(events: list[Event]) -> None:
    state = start()
    expected = dict.fromkeys(NAMES, 0)
    for event in events:
        state, _, reason = step(state, event)
        if event.do == "put":
            expected[event.queue] += event.segments
        elif reason is None:
            expected[event.queue] -= 1
        assert {name: state.queue(name).depth for name in NAMES} == expected


@QUICK
@given(courses, calls)
def test_backing_out_everything_restores_what_was_committed(before: list[Event], within: list[Event]) -> None:
    ends = [Event("commit", unit_of_work=unit) for unit in UNITS]
    settled = run(start(), [*before, *ends])
    inside = [Event(each.do, queue=each.queue, unit_of_work=UNITS[at % 2]) for at, each in enumerate(within)]
    after = run(run(settled, inside), [Event("backout", unit_of_work=unit) for unit in UNITS])
    assert everything(after) == everything(settled)


@QUICK
@given(courses)
def test_nothing_is_lost_by_backout(events: list[Event]) -> None:
    state = run(start(), events)
    ended = run(state, [Event("backout", unit_of_work=unit) for unit in UNITS])
    for name in NAMES:
        assert ended.queue(name).committed >= state.queue(name).committed
        assert ended.queue(name).uncommitted == 0


@QUICK
@given(courses_with_restart, st.integers(0, 100))
def test_a_state_does_not_change_after_it_was_given(events: list[Event], cut: int) -> None:
    prefix = run(start(), events[:cut])
    seen = everything(prefix)
    assert everything(run(prefix, events[cut:])) == everything(run(start(), events))
    assert everything(prefix) == seen


@QUICK
@given(courses)
def test_a_restart_leaves_committed_persistent_messages_only(events: list[Event]) -> None:
    state = run(start(), events)
    backed_out = run(state, [Event("backout", unit_of_work=unit) for unit in UNITS])
    restarted = run(state, [Event("restart")])
    for name in NAMES:
        kept = [each for each in content(backed_out, name) if each[1]]
        assert content(restarted, name) == joined(kept)
    assert (restarted.units, restarted.handles.open) == ({}, ())
    assert everything(run(restarted, [Event("restart")])) == everything(restarted)


def test_ten_thousand_like_puts_are_one_run() -> None:
    state = run(start(), [Event("put", queue="A")] * 10_000)
    assert content(state, "A") == [(2, True, 10_000)]
    assert len(list(state.queue("A").runs())) == 1
    state = run(state, [Event("get", queue="A", unit_of_work="U1")] * 5_000)
    unit = state.units["U1"]
    assert unit is not None
    assert (unit.run.size, unit.before) == (5_000, None)
