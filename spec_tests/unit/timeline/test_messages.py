"""A queue manager over time: messages that are put, got, committed and backed out; shared queues."""

from __future__ import annotations

import pytest

from mqclause.model.facts.objects import Queue
from mqclause.model.timeline.events import Event, EventError
from mqclause.model.timeline.trigger_events import EndedUnitOfWork, TriggerEvents
from spec_tests.support.one_queue_manager import (
    MILLION,
    QM,
    after,
    alter,
    app_queue,
    backout,
    closed,
    commit,
    committed,
    depths,
    get,
    last,
    opened,
    put,
    reaching,
    reason,
    started,
    step,
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
        ("msgdlvsq", "priority", "enqueued", "reason"),
        [
            ("PRIORITY", None, 4, None),
            ("PRIORITY", 7, 7, None),
            ("PRIORITY", 12, 9, 2049),
            ("FIFO", None, 4, None),
            ("FIFO", 7, 4, None),
            ("FIFO", 12, 4, 2049),
        ],
    )
    def test_priority(self, msgdlvsq: str, priority: int | None, enqueued: int, reason: int | None) -> None:
        state, happened, code = step(started(app_queue(msgdlvsq=msgdlvsq, defprty=4)), put(priority=priority))
        assert happened.occasions[0].message_priority == enqueued
        assert code == reason
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
        assert state.queue("APPQ").counted(reaching(6)) == (1, 1)

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
        state = started().after_sent(put(unit_of_work="U"))
        assert state.queue("APPQ").depth == 0
        after(state, backout())


class TestGet:
    def test_takes_from_the_highest_priority(self) -> None:
        state, happened = last(started(), put(priority=1), put(priority=8), get())
        assert (happened.reason, tuple(happened.occasions)) == (None, ())
        assert [priority for priority, _ in state.queue("APPQ").runs()] == [1]

    def test_finds_nothing(self) -> None:
        assert reason(started(), get()) == 2033

    def test_finds_an_uncommitted_message_of_its_own_unit_of_work_alone(self) -> None:
        assert reason(started(), put(unit_of_work="U"), get(unit_of_work="V")) == 2033
        state, happened = last(started(), put(unit_of_work="U"), get(unit_of_work="U"))
        assert (happened.reason, state.queue("APPQ").depth) == (None, 0)
        assert after(state, commit()).queue("APPQ").depth == 0
        assert after(state, backout()).queue("APPQ").depth == 0

    def test_from_a_disabled_queue(self) -> None:
        assert reason(started(), put(), alter(get="DISABLED"), get()) == 2016

    def test_through_an_alias(self) -> None:
        state = started(app_queue(), Queue("AL", QM, type="QALIAS", target="APPQ"))
        assert after(state, put(), get("AL")).queue("APPQ").depth == 0

    def test_needs_a_local_queue(self) -> None:
        with pytest.raises(EventError, match="'FAR' resolves to no local queue"):
            after(started(), get("FAR"))

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
        assert happened.completed == EndedUnitOfWork("U", True)
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
        assert (happened.completed, tuple(happened.occasions)) == (EndedUnitOfWork("U", False), ())
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

    def test_arrivals_on_a_fifo_queue_have_the_priority_that_they_were_enqueued_with(self) -> None:
        state = started(app_queue(shared=True, msgdlvsq="FIFO", defprty=4))
        puts = [put(priority=priority, unit_of_work="U") for priority in (7, 8, 8)]
        _, happened = last(state, *puts, commit())
        assert [each.message_priority for each in happened.occasions] == [4, 4, 4]
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
        assert isinstance(occasions, TriggerEvents)
        assert len(occasions.runs) == 1
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
