"""A queue manager over time: what each event leaves behind, and which queues are to be looked at."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import fields

from mqclause.model.cluster import Cluster
from mqclause.model.facts import Channel, Process, Queue, QueueManager, RemoteQueueManager
from mqclause.model.timeline.event import Event, EventError
from mqclause.model.timeline.occasion import Occasion
from mqclause.model.timeline.queue_manager_state import Completed, Happened, QueueManagerState

QM = "QM1"
MILLION = 1_000_000


def cluster(*queues: Queue, **own: Any) -> Cluster:
    known = {queue.name for queue in queues}
    more = [Queue(name, QM) for name in ("INITQ",) if name not in known]
    return Cluster(
        QueueManager(QM, trigint=5000, **own),
        [RemoteQueueManager("QM2")],
        [*queues, *more, Queue("FAR", "QM2")],
        (),
        [Channel("TO.QM2", "QM2", "SALES"), Channel("TO.QM2", "QM2", "PAY")],
        [Process("PROC", applicid="/bin/x", envrdata="e", userdata="u")],
    )


def app_queue(**given: Any) -> Queue:
    return Queue("APPQ", QM, **{"trigger": True, "initq": "INITQ", "process": "PROC", "trigmpri": 3, **given})


def started(*queues: Queue, **own: Any) -> QueueManagerState:
    return QueueManagerState.of(cluster(*(queues or (app_queue(),)), **own))


def after(state: QueueManagerState, *events: Event) -> QueueManagerState:
    for event in events:
        state, _ = state.after(event)
    return state


def last(state: QueueManagerState, *events: Event) -> tuple[QueueManagerState, Happened]:
    return after(state, *events[:-1]).after(events[-1])


def put(queue: str = "APPQ", **given: Any) -> Event:
    return Event("put", queue=queue, **given)


def get(queue: str = "APPQ", **given: Any) -> Event:
    return Event("get", queue=queue, **given)


def opened(queue: str = "APPQ", mode: str = "INPUT_SHARED", **given: Any) -> Event:
    return Event("open", queue=queue, mode=mode, **given)


def closed(queue: str = "APPQ", **given: Any) -> Event:
    return Event("close", queue=queue, **given)


def commit(unit: str = "U") -> Event:
    return Event("commit", unit_of_work=unit)


def backout(unit: str = "U") -> Event:
    return Event("backout", unit_of_work=unit)


def alter(queue: str = "APPQ", **given: Any) -> Event:
    return Event("alter", queue=queue, set=given)


def depths(occasion: Occasion) -> tuple[int, int, int, int]:
    return occasion.previous_depth, occasion.depth, occasion.previous_total, occasion.depth_total


def committed(occasion: Occasion) -> tuple[int, int, int, int]:
    return (
        occasion.previous_committed,
        occasion.committed,
        occasion.previous_committed_total,
        occasion.committed_total,
    )


class TestPut:
    def test_makes_one_arrival(self) -> None:
        state, happened = started().after(put(priority=5))
        (seen,) = happened.occasions
        assert (seen.occasion, seen.queue, seen.message_priority, seen.arrived) == ("arrival", "APPQ", 5, 1)
        assert (seen.in_unit_of_work, seen.has_triggered, seen.since_last_trigger) == (False, False, 0)
        assert depths(seen) == (0, 1, 0, 1)
        assert (happened.reason, happened.completed, happened.handle) == (None, None, None)
        assert state.queue("APPQ").depth == 1

    def test_depth_counts_sufficient_priority_only(self) -> None:
        _, happened = last(started(), put(priority=2), put(priority=3), put(priority=1))
        assert depths(happened.occasions[0]) == (1, 1, 2, 3)

    @pytest.mark.parametrize(
        ("msgdlvsq", "priority", "given", "enqueued", "reason"),
        [
            ("PRIORITY", None, 4, 4, None),
            ("PRIORITY", 7, 7, 7, None),
            ("PRIORITY", 12, 9, 9, 2049),
            ("FIFO", None, 4, 4, None),
            ("FIFO", 7, 7, 4, None),
            ("FIFO", 12, 9, 4, 2049),
        ],
    )
    def test_priority(self, msgdlvsq: str, priority: int | None, given: int, enqueued: int, reason: int | None) -> None:
        state, happened = started(app_queue(msgdlvsq=msgdlvsq, defprty=4)).after(put(priority=priority))
        assert happened.occasions[0].message_priority == given
        assert happened.reason == reason
        got, _ = state.queue("APPQ").got()
        assert got is not None
        assert got.priority == enqueued

    def test_segments_are_one_arrival_of_several_messages(self) -> None:
        state, happened = started().after(put(priority=5, segments=3))
        assert [depths(each) for each in happened.occasions] == [(0, 3, 0, 3)]
        assert happened.occasions[0].arrived == 3
        assert state.queue("APPQ").depth == 3

    def test_to_a_disabled_queue(self) -> None:
        state, happened = started(app_queue(put="DISABLED")).after(put(unit_of_work="U", at=7))
        assert (happened.reason, tuple(happened.occasions)) == (2051, ())
        assert (state.now, state.queue("APPQ").depth) == (7, 0)
        after(state, commit())

    def test_through_an_alias_takes_the_default_priority_of_the_name_that_was_opened(self) -> None:
        state = started(app_queue(defprty=1), Queue("AL", QM, type="QALIAS", target="APPQ", defprty=6))
        state, happened = state.after(put("AL"))
        assert (happened.occasions[0].queue, happened.occasions[0].message_priority) == ("APPQ", 6)
        assert state.queue("APPQ").counted(6, True) == 1

    @pytest.mark.parametrize("disabled", ["AL", "APPQ"])
    def test_through_an_alias_when_either_is_disabled(self, disabled: str) -> None:
        state = started(app_queue(), Queue("AL", QM, type="QALIAS", target="APPQ"))
        _, happened = last(state, alter(disabled, put="DISABLED"), put("AL"))
        assert happened.reason == 2051

    def test_to_another_queue_manager_is_part_of_its_unit_of_work(self) -> None:
        state, happened = started().after(put("FAR", unit_of_work="U", at=3))
        assert (tuple(happened.occasions), state.now, "U" in state.units) == ((), 3, True)
        assert after(state, commit()).units == {}

    def test_that_was_sent_elsewhere_leaves_the_local_queue(self) -> None:
        state = started().sent(put(unit_of_work="U"))
        assert state.queue("APPQ").depth == 0
        after(state, backout())


class TestGet:
    def test_takes_from_the_highest_priority(self) -> None:
        state, happened = last(started(), put(priority=1), put(priority=8), get())
        assert (happened.reason, tuple(happened.occasions)) == (None, ())
        assert [priority for priority, _ in state.queue("APPQ").runs()] == [1]

    def test_finds_nothing(self) -> None:
        assert started().after(get())[1].reason == 2033

    def test_finds_no_uncommitted_message_of_its_own_unit_either(self) -> None:
        state, happened = last(started(), put(unit_of_work="U"), get(unit_of_work="U"))
        assert (happened.reason, state.queue("APPQ").depth) == (2033, 1)

    def test_from_a_disabled_queue(self) -> None:
        _, happened = last(started(), put(), alter(get="DISABLED"), get())
        assert happened.reason == 2016

    def test_through_an_alias(self) -> None:
        state = started(app_queue(), Queue("AL", QM, type="QALIAS", target="APPQ"))
        assert after(state, put(), get("AL")).queue("APPQ").depth == 0

    def test_needs_a_local_queue(self) -> None:
        with pytest.raises(EventError, match="'FAR' resolves to no local queue"):
            started().after(get("FAR"))

    def test_in_a_unit_of_work_counts_at_once_and_comes_back_to_the_front(self) -> None:
        state = after(started(), put(persistent=False), put(), get(unit_of_work="U"))
        assert state.queue("APPQ").depth == 1
        state = after(state, backout())
        got, _ = state.queue("APPQ").got()
        assert got is not None
        assert not got.run.persistent
        assert state.queue("APPQ").depth == 2

    def test_in_a_committed_unit_of_work_is_gone(self) -> None:
        state, happened = last(started(), put(), get(unit_of_work="U"), commit())
        assert happened.completed == Completed("U", True)
        assert state.queue("APPQ").depth == 0


class TestUnitOfWork:
    def test_a_put_counts_while_uncommitted(self) -> None:
        _, happened = last(started(), put(priority=5, unit_of_work="U"), put(priority=5))
        assert depths(happened.occasions[0]) == (1, 2, 1, 2)
        assert committed(happened.occasions[0]) == (0, 1, 0, 1)

    def test_the_arrival_says_that_it_is_in_one(self) -> None:
        assert started().after(put(unit_of_work="U"))[1].occasions[0].in_unit_of_work

    def test_backout_withdraws_a_put(self) -> None:
        state, happened = last(started(), put(), put(unit_of_work="U"), backout())
        assert (happened.completed, tuple(happened.occasions)) == (Completed("U", False), ())
        assert state.queue("APPQ").depth == 1

    @pytest.mark.parametrize("event", [commit(), backout()])
    def test_must_be_open(self, event: Event) -> None:
        with pytest.raises(EventError, match="'U' is not open"):
            started().after(event)
        with pytest.raises(EventError, match="'U' is not open"):
            after(started(), put(unit_of_work="U"), commit(), event)

    def test_one_name_after_the_other(self) -> None:
        state = after(started(), put(unit_of_work="U"), commit(), put(unit_of_work="U"), backout())
        assert state.queue("APPQ").depth == 1

    def test_a_long_one_is_short(self) -> None:
        state = started()
        for _ in range(10_000):
            state = after(state, put(unit_of_work="U"))
        unit = state.units["U"]
        assert unit is not None
        assert (unit.run.size, unit.before) == (10_000, None)


class TestSharedQueue:
    QUEUE = app_queue(shared=True)

    def test_a_put_outside_syncpoint_arrives_at_once(self) -> None:
        assert len(started(self.QUEUE).after(put())[1].occasions) == 1

    def test_an_uncommitted_put_is_not_seen(self) -> None:
        state, happened = started(self.QUEUE).after(put(priority=5, unit_of_work="U"))
        assert tuple(happened.occasions) == ()
        _, happened = state.after(put(priority=5))
        assert committed(happened.occasions[0]) == (0, 1, 0, 1)

    def test_a_commit_gives_one_arrival_for_each_put_in_order(self) -> None:
        _, happened = last(
            started(self.QUEUE),
            put(priority=5),
            put(priority=5, unit_of_work="U"),
            put(priority=1, unit_of_work="U"),
            put(priority=1, unit_of_work="U"),
            put(priority=4, unit_of_work="U", segments=2),
            put(priority=4, unit_of_work="U", segments=2),
            commit(),
        )
        seen = list(happened.occasions)
        assert [each.message_priority for each in seen] == [5, 1, 1, 4, 4]
        assert [each.arrived for each in seen] == [1, 1, 1, 2, 2]
        assert [committed(each) for each in seen] == [
            (1, 2, 1, 2),
            (2, 2, 2, 3),
            (2, 2, 3, 4),
            (2, 4, 4, 6),
            (4, 6, 6, 8),
        ]
        assert not any(each.in_unit_of_work for each in seen)
        assert [committed(each) for each in happened.occasions[1:3]] == [committed(each) for each in seen[1:3]]
        assert committed(happened.occasions[-1]) == committed(seen[-1])
        with pytest.raises(IndexError):
            happened.occasions[5]

    def test_arrivals_on_a_fifo_queue_keep_the_given_priorities(self) -> None:
        state = started(app_queue(shared=True, msgdlvsq="FIFO", defprty=4))
        puts = [put(priority=priority, unit_of_work="U") for priority in (7, 8, 8)]
        _, happened = last(state, *puts, commit())
        assert [each.message_priority for each in happened.occasions] == [7, 8, 8]
        assert [each.committed for each in happened.occasions] == [1, 2, 3]

    def test_a_backout_gives_none(self) -> None:
        _, happened = last(started(self.QUEUE), put(unit_of_work="U"), backout())
        assert tuple(happened.occasions) == ()

    def test_a_commit_of_a_million_is_short(self) -> None:
        _, happened = last(started(self.QUEUE), put(priority=5, unit_of_work="U", segments=MILLION), commit())
        assert committed(happened.occasions[0]) == (0, MILLION, 0, MILLION)

    def test_arrivals_are_made_when_asked_for(self) -> None:
        state = started(self.QUEUE)
        for _ in range(1000):
            state = after(state, put(priority=5, unit_of_work="U"))
        occasions = state.after(commit())[1].occasions
        assert len(occasions) == 1000
        assert len(occasions.runs) == 1  # type: ignore[attr-defined]
        assert committed(occasions[999]) == (999, 1000, 999, 1000)

    def test_opens_of_other_members(self) -> None:
        state = after(started(self.QUEUE), opened(queue_manager="QM2"), opened(), opened(by="B"))
        seen = state.after(put())[1].occasions[0]
        assert (seen.open_input_count, seen.open_shared_elsewhere, seen.open_exclusive) == (2, 1, 0)
        state = after(started(self.QUEUE), opened(mode="INPUT_EXCLUSIVE", queue_manager="QM2"))
        seen = state.after(put())[1].occasions[0]
        assert (seen.open_input_count, seen.open_shared_elsewhere, seen.open_exclusive) == (0, 0, 1)

    def test_an_exclusive_open_excludes_the_whole_group(self) -> None:
        state = started(self.QUEUE)
        assert last(state, opened(mode="INPUT_EXCLUSIVE", queue_manager="QM2"), opened())[1].reason == 2042
        assert last(state, opened(queue_manager="QM2"), opened(mode="INPUT_EXCLUSIVE"))[1].reason == 2042

    def test_a_close_elsewhere_is_no_occasion_here(self) -> None:
        state, happened = last(started(self.QUEUE), opened(queue_manager="QM2"), closed(queue_manager="QM2"))
        assert (tuple(happened.occasions), state.handles.open) == ((), ())


class TestHandles:
    def test_close_of_the_latest_of_that_application(self) -> None:
        state = after(started(), opened(by="A"), opened(by="A", mode="BROWSE"), opened(by="B"))
        state, happened = state.after(closed(by="A"))
        assert happened.handle is not None
        assert (happened.handle.application, happened.handle.mode) == ("A", "BROWSE")
        assert tuple(happened.occasions) == ()
        assert [(each.application, each.mode) for each in state.handles.open] == [
            ("A", "INPUT_SHARED"),
            ("B", "INPUT_SHARED"),
        ]

    def test_close_of_an_input_handle(self) -> None:
        _, happened = last(started(), put(priority=5), opened(), closed())
        (seen,) = happened.occasions
        assert (seen.occasion, seen.queue, seen.arrived, seen.message_priority) == ("close", "APPQ", 0, 0)
        assert (seen.previous_open_input_count, seen.open_input_count) == (1, 0)
        assert depths(seen) == (1, 1, 1, 1)

    @pytest.mark.parametrize(
        "event", [closed(by="A"), closed(), closed("INITQ", by="B"), closed(by="B", queue_manager="QM2")]
    )
    def test_close_without_open(self, event: Event) -> None:
        with pytest.raises(EventError, match="has not opened queue"):
            after(started(), opened(by="B"), event)

    def test_only_input_counts(self) -> None:
        state = after(started(), opened(mode="BROWSE"), opened(mode="OUTPUT"), opened())
        assert state.after(put())[1].occasions[0].open_input_count == 1

    @pytest.mark.parametrize(
        ("first", "second", "reason"),
        [
            ("INPUT_SHARED", "INPUT_SHARED", None),
            ("INPUT_SHARED", "INPUT_EXCLUSIVE", 2042),
            ("INPUT_EXCLUSIVE", "INPUT_SHARED", 2042),
            ("INPUT_EXCLUSIVE", "INPUT_EXCLUSIVE", 2042),
            ("INPUT_EXCLUSIVE", "BROWSE", None),
            ("INPUT_EXCLUSIVE", "OUTPUT", None),
            ("BROWSE", "INPUT_EXCLUSIVE", None),
        ],
    )
    def test_exclusive_input(self, first: str, second: str, reason: int | None) -> None:
        state, happened = last(started(), opened(mode=first), opened(mode=second, by="B"))
        assert happened.reason == reason
        assert (happened.handle is None) == (reason is not None)
        assert len(state.handles.open) == (1 if reason else 2)

    def test_an_alias_counts_for_its_queue(self) -> None:
        state = started(app_queue(), Queue("AL", QM, type="QALIAS", target="APPQ"))
        state = after(state, opened("AL"))
        assert state.after(put())[1].occasions[0].open_input_count == 1
        assert state.after(closed("AL"))[1].occasions[0].queue == "APPQ"

    def test_output_handles(self) -> None:
        state = after(started(), opened("FAR", "OUTPUT", by="A", bind="NOTFIXED"), opened("FAR", "OUTPUT", by="A"))
        handle = state.output_handle("A", "FAR")
        assert handle is not None
        assert (handle.id, handle.bind) == (1, "AS_Q_DEF")
        assert state.output_handle("B", "FAR") is None
        handle = after(state, closed("FAR", by="A")).output_handle("A", "FAR")
        assert handle is not None
        assert handle.bind == "NOTFIXED"

    def test_only_local_queues_are_served_by_an_initiation_queue(self) -> None:
        state = started(Queue("AL", QM, type="QALIAS", target="INITQ", initq="INITQ"))
        assert tuple(state.after(opened("INITQ"))[1].occasions) == ()

    def test_opening_an_initiation_queue(self) -> None:
        state = started(app_queue(), Queue("OTHER", QM, initq="INITQ"), Queue("NONE", QM))
        state, happened = state.after(opened("INITQ", by="MONITOR"))
        assert [(each.occasion, each.queue) for each in happened.occasions] == [
            ("initq_opened", "APPQ"),
            ("initq_opened", "OTHER"),
        ]
        assert [(each.initq_opened_before, each.initq_open_input_count) for each in happened.occasions] == [(0, 1)] * 2
        seen = state.after(opened("INITQ", by="SECOND"))[1].occasions[0]
        assert (seen.initq_opened_before, seen.initq_open_input_count) == (1, 2)
        for mode in ("BROWSE", "OUTPUT"):
            assert tuple(state.after(opened("INITQ", mode))[1].occasions) == ()


class TestAlter:
    def test_what_changed(self) -> None:
        state = started(app_queue(trigger=False))
        state, happened = state.after(alter(trigger=True, trigdpth=5, trigtype="first", trigmpri=3))
        (seen,) = happened.occasions
        assert (seen.occasion, seen.trigger, seen.trigger_set_on, seen.trigdpth) == ("alter", True, True, 5)
        assert (seen.trigtype_changed, seen.trigmpri_changed, seen.trigdpth_changed) == (False, False, True)
        assert state.cluster.queues[0].trigdpth == 5

    def test_with_the_new_threshold(self) -> None:
        _, happened = last(started(), put(priority=1), put(priority=5), alter(trigmpri=0))
        assert depths(happened.occasions[0]) == (2, 2, 2, 2)

    @pytest.mark.parametrize("given", [{"trigger": True}, {"trigmpri": 3}, {"trigdata": "x"}, {"put": "DISABLED"}])
    def test_no_occasion(self, given: dict[str, Any]) -> None:
        assert tuple(started().after(alter(**given))[1].occasions) == ()

    def test_set_off_is_not_set_on(self) -> None:
        assert not started().after(alter(trigger=False))[1].occasions[0].trigger_set_on

    def test_initiation_queue_put_enabled(self) -> None:
        state = started(app_queue(), Queue("OTHER", QM, initq="INITQ"), Queue("INITQ", QM, put="DISABLED"))
        state, happened = state.after(alter("INITQ", put="ENABLED"))
        assert [(each.occasion, each.queue) for each in happened.occasions] == [
            ("initq_put_enabled", "APPQ"),
            ("initq_put_enabled", "OTHER"),
        ]
        assert happened.occasions[0].initq_put == "ENABLED"
        assert tuple(state.after(alter("INITQ", put="ENABLED"))[1].occasions) == ()

    def test_several_at_once_come_in_order(self) -> None:
        state = started(app_queue(get="DISABLED", put="DISABLED", initq="APPQ"))
        _, happened = state.after(alter(get="ENABLED", put="ENABLED", trigtype="EVERY"))
        assert [each.occasion for each in happened.occasions] == ["alter", "initq_put_enabled", "get_enabled"]

    def test_of_a_remote_instance(self) -> None:
        event = Event("alter", queue="FAR", queue_manager="QM2", set={"get": "DISABLED", "clwlrank": 4})
        state, happened = started().after(event)
        assert tuple(happened.occasions) == ()
        assert state.cluster.queues_by_name["FAR"][0].clwlrank == 4

    def test_of_every_channel_of_a_name(self) -> None:
        state = after(started(), Event("alter", channel="TO.QM2", set={"status": "running"}))
        assert [channel.status for channel in state.cluster.channels] == ["RUNNING", "RUNNING"]

    def test_of_queue_managers(self) -> None:
        state = after(
            started(),
            Event("alter", set={"trigint": 7}),
            Event("alter", queue_manager=QM, set={"platform": "ZOS"}),
            Event("alter", queue_manager="QM2", set={"suspended": ["SALES"]}),
        )
        assert (state.cluster.queue_manager.trigint, state.cluster.queue_manager.platform) == (7, "ZOS")
        assert state.cluster.remote["QM2"].suspended == ("SALES",)
        seen = state.after(put())[1].occasions[0]
        assert (seen.trigint, seen.platform) == (7, "ZOS")

    @pytest.mark.parametrize(
        "event",
        [
            alter("NO", put="ENABLED"),
            alter("FAR", put="ENABLED"),
            alter(put="NO"),
            alter(colour="red"),
            alter(name="X"),
            alter(queue_manager="QM2"),
            Event("alter", channel="NO", set={"status": "RUNNING"}),
            Event("alter", channel="TO.QM2", set={"cluster": "PAY"}),
            Event("alter", queue_manager="QM9", set={"suspended": []}),
            Event("alter", set={"name": "QM9"}),
        ],
    )
    def test_that_cannot_be(self, event: Event) -> None:
        with pytest.raises(EventError):
            started().after(event)

    def test_leaves_the_state_before_as_it_was(self) -> None:
        before = started()
        after(before, alter(trigger=False), put())
        assert before.cluster.queues[0].trigger
        assert before.queue("APPQ").depth == 0


class TestTime:
    def test_moves_on(self) -> None:
        assert after(started(), Event("advance", at=5), put(), Event("advance", at=9), get()).now == 9

    @pytest.mark.parametrize(
        "event",
        [put(at=4), get(at=4), opened(at=4), Event("advance", at=4), Event("restart", at=4), put("FAR", at=4)],
    )
    def test_never_goes_back(self, event: Event) -> None:
        with pytest.raises(EventError, match="at: 4 is before 5"):
            after(started(), put(), Event("advance", at=5), event)


class TestRestart:
    def test_what_is_left(self) -> None:
        state = after(
            started(),
            put(),
            put(persistent=False),
            put(),
            get(unit_of_work="U"),
            put(unit_of_work="V"),
            opened(),
            opened("INITQ"),
        )
        state = state.triggered("APPQ", available=False, unit_of_work="V", event=5)
        state = state.triggered("APPQ", available=True, unit_of_work="", event=5)
        state, happened = state.after(Event("restart", at=8))
        assert tuple(happened.occasions) == ()
        assert [run.size for _, run in state.queue("APPQ").runs()] == [1, 1]
        assert state.queue("INITQ").depth == 0
        assert (state.units, state.handles.open, state.held("V"), state.now) == ({}, (), (), 8)
        seen = state.after(put(at=10))[1].occasions[0]
        assert (seen.has_triggered, seen.since_start) == (False, 2)
        with pytest.raises(EventError):
            state.after(commit())
        with pytest.raises(EventError):
            state.after(closed())


class TestTriggerMessages:
    def test_one_that_is_available(self) -> None:
        state = started(app_queue(), Queue("INITQ", QM, defprty=6))
        state = after(state, Event("advance", at=10)).triggered("APPQ", available=True, unit_of_work="", event=1)
        ((priority, run),) = state.queue("INITQ").runs()
        assert (priority, run.size, run.persistent) == (6, 1, False)
        seen = state.after(put(at=25))[1].occasions[0]
        assert (seen.has_triggered, seen.since_last_trigger) == (True, 15)
        assert state.after(get("INITQ"))[1].reason is None

    def test_one_that_is_held_back(self) -> None:
        state = after(started(), put(unit_of_work="U")).triggered("APPQ", available=False, unit_of_work="U", event=4)
        assert state.queue("INITQ").depth == 0
        (held,) = state.held("U")
        assert (held.queue, held.initq, held.trigtype, held.event, held.count) == ("APPQ", "INITQ", "FIRST", 4, 1)
        state = after(state, commit())
        assert state.held("U") == (held,)
        assert state.held("V") == ()
        kept, dropped = state.release([held], keep=True), state.release([held], keep=False)
        assert (kept.held("U"), kept.queue("INITQ").depth) == ((), 1)
        assert (dropped.held("U"), dropped.queue("INITQ").depth) == ((), 0)
        assert kept.after(put())[1].occasions[0].has_triggered

    def test_release_of_some(self) -> None:
        state = started(app_queue(), Queue("OTHER", QM, initq="INITQ", trigtype="EVERY"))
        for queue, unit in (("APPQ", "U"), ("OTHER", "U"), ("APPQ", "U"), ("APPQ", "V")):
            state = state.triggered(queue, available=False, unit_of_work=unit, event=0)
        first = [each for each in state.held("U") if each.trigtype == "FIRST"]
        assert [each.queue for each in state.held("U")] == ["APPQ", "OTHER", "APPQ"]
        state = state.release(first, keep=True)
        assert ([each.queue for each in state.held("U")], len(state.held("V"))) == (["OTHER"], 1)
        assert state.queue("INITQ").depth == 2

    def test_many_of_one_event_are_one_run(self) -> None:
        state = started()
        for _ in range(1000):
            state = state.triggered("APPQ", available=False, unit_of_work="U", event=3)
        state = state.triggered("APPQ", available=False, unit_of_work="U", event=4)
        assert [(each.id, each.count, each.event) for each in state.held("U")] == [(0, 1000, 3), (1000, 1, 4)]
        assert state.release(state.held("U"), keep=True).queue("INITQ").depth == 1001

    def test_trigger_off(self) -> None:
        state = started().with_trigger_off("APPQ")
        assert not state.cluster.queues[0].trigger
        assert not state.after(put())[1].occasions[0].trigger

    def test_needs_a_local_queue(self) -> None:
        with pytest.raises(EventError, match="'FAR' is not a local queue"):
            started().with_trigger_off("FAR")

    def test_an_occasion_renewed(self) -> None:
        state, happened = started().after(put(at=4))
        (seen,) = happened.occasions
        assert state.renewed(seen) is seen
        state = state.triggered("APPQ", available=True, unit_of_work="", event=0).with_trigger_off("APPQ")
        again = state.renewed(seen)
        assert (again.has_triggered, again.since_last_trigger, again.trigger) == (True, 0, False)
        assert depths(again) == depths(seen)


class TestOccasion:
    def test_shows_process_and_initiation_queue(self) -> None:
        seen = started().after(put())[1].occasions[0]
        assert (seen.process_defined, seen.appltype, seen.applicid, seen.envrdata, seen.userdata) == (
            True, "UNIX", "/bin/x", "e", "u",
        )  # fmt: skip
        assert (seen.initq_defined, seen.initq_get, seen.initq_put, seen.initq_usage) == (
            True, "ENABLED", "ENABLED", "NORMAL",
        )  # fmt: skip
        assert (seen.trigint, seen.platform, seen.initq_logically_deleted) == (5000, "MULTI", False)

    @pytest.mark.parametrize("initq", ["", "FAR", "NO"])
    def test_without_process_and_initiation_queue(self, initq: str) -> None:
        seen = started(app_queue(process="NO", initq=initq)).after(put())[1].occasions[0]
        assert (seen.process, seen.process_defined, seen.appltype) == ("NO", False, "")
        assert (seen.initq, seen.initq_defined, seen.initq_get) == (initq, False, "")

    def test_every_attribute_has_a_value_of_its_words(self) -> None:
        state = started(app_queue(shared=True), Queue("OTHER", QM, initq="INITQ"))
        for event in (put(), put("OTHER"), opened("INITQ"), alter(trigger=False)):
            state, happened = state.after(event)
            for seen in happened.occasions:
                for each in fields(Occasion):
                    value = getattr(seen, each.name)
                    assert type(value).__name__ == each.type
                    assert value in each.metadata.get("words", (value,))
