"""A queue manager over time: queues that are opened, closed and altered, time that passes, a restart."""

from __future__ import annotations

from typing import Any

import pytest

from mqclause.model.facts.objects import Queue
from mqclause.model.timeline.events import Event, EventError
from spec_tests.support.one_queue_manager import (
    QM,
    after,
    alter,
    app_queue,
    closed,
    commit,
    depths,
    get,
    last,
    opened,
    put,
    started,
)


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
        handle = state.handles.find_output_handle("A", "FAR")
        assert handle is not None
        assert (handle.id, handle.bind) == (1, "AS_Q_DEF")
        assert state.handles.find_output_handle("B", "FAR") is None
        handle = after(state, closed("FAR", by="A")).handles.find_output_handle("A", "FAR")
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
    def test_the_same_value_is_no_change(self, given: dict[str, Any]) -> None:
        (seen,) = started().after(alter(**given))[1].occasions
        assert seen.occasion == "alter"
        changed = (seen.trigtype_changed, seen.trigmpri_changed, seen.trigdpth_changed)
        assert (seen.trigger_set_on, seen.trigger_set_off, *changed) == (False,) * 5

    def test_set_off_is_not_set_on(self) -> None:
        (seen,) = started().after(alter(trigger=False))[1].occasions
        assert (seen.trigger_set_on, seen.trigger_set_off) == (False, True)

    def test_initiation_queue_put_enabled(self) -> None:
        state = started(app_queue(), Queue("OTHER", QM, initq="INITQ"), Queue("INITQ", QM, put="DISABLED"))
        state, happened = state.after(alter("INITQ", put="ENABLED"))
        assert [(each.occasion, each.queue) for each in happened.occasions] == [
            ("alter", "INITQ"),
            ("initq_put_enabled", "APPQ"),
            ("initq_put_enabled", "OTHER"),
        ]
        assert happened.occasions[1].initq_put == "ENABLED"
        again = state.after(alter("INITQ", put="ENABLED"))[1].occasions
        assert [each.occasion for each in again] == ["alter"]

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
        state = state.after_trigger_message("APPQ", held_by="V", event=5)
        state = state.after_trigger_message("APPQ", held_by=None, event=5)
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
