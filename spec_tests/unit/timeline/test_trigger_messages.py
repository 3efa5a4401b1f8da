"""A queue manager over time: its trigger messages, and which queues an event has it look at."""

from __future__ import annotations

import pytest
from attrs import fields

from mqclause.model.facts.objects import Queue
from mqclause.model.timeline.events import Event, EventError
from mqclause.model.timeline.trigger_events import TriggerEvent
from spec_tests.support.one_queue_manager import (
    QM,
    after,
    alter,
    app_queue,
    commit,
    depths,
    get,
    opened,
    put,
    reason,
    started,
)


class TestTriggerMessages:
    def test_one_that_is_available(self) -> None:
        state = started(app_queue(), Queue("INITQ", QM, defprty=6))
        state = after(state, Event("advance", at=10)).after_trigger_message("APPQ", held_by=None, event=1)
        ((priority, run),) = state.queue("INITQ").runs()
        assert (priority, run.size, run.persistent) == (6, 1, False)
        seen = state.after(put(at=25))[1].occasions[0]
        assert (seen.has_triggered, seen.since_last_trigger) == (True, 15)
        assert reason(state, get("INITQ")) is None

    def test_one_that_is_held_back(self) -> None:
        state = after(started(), put(unit_of_work="U")).after_trigger_message("APPQ", held_by="U", event=4)
        assert (state.queue("INITQ").committed, state.queue("INITQ").uncommitted) == (0, 1)
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
            state = state.after_trigger_message(queue, held_by=unit, event=0)
        first = [each for each in state.held("U") if each.trigtype == "FIRST"]
        assert [each.queue for each in state.held("U")] == ["APPQ", "OTHER", "APPQ"]
        state = state.release(first, keep=True)
        assert ([each.queue for each in state.held("U")], len(state.held("V"))) == (["OTHER"], 1)
        assert (state.queue("INITQ").committed, state.queue("INITQ").uncommitted) == (2, 2)
        assert after(state, Event("restart")).queue("INITQ").depth == 0

    def test_many_of_one_event_are_one_run(self) -> None:
        state = started()
        for _ in range(1000):
            state = state.after_trigger_message("APPQ", held_by="U", event=3)
        state = state.after_trigger_message("APPQ", held_by="U", event=4)
        assert [(each.id, each.count, each.event) for each in state.held("U")] == [(0, 1000, 3), (1000, 1, 4)]
        assert state.release(state.held("U"), keep=True).queue("INITQ").depth == 1001

    def test_many_between_others_are_runs_of_their_own(self) -> None:
        state = started()
        for unit in ("U", "V", "U", "U"):
            state = state.after_trigger_message("APPQ", held_by=unit, event=3)
        assert [each.count for each in state.held("U")] == [1, 2]
        state = state.release(state.held("U"), keep=True)
        assert (state.queue("INITQ").committed, state.queue("INITQ").uncommitted) == (3, 1)
        assert [run.first for _, run in state.queue("INITQ").runs()] == [0, 2]

    def test_one_that_is_not_placed(self) -> None:
        for held_by in (None, "U"):
            state = started().after_trigger_message("APPQ", held_by=held_by, event=3, placed=False)
            assert state.after(put())[1].occasions[0].has_triggered
            state = state.release(state.held("U"), keep=True)
            assert (state.held("U"), state.queue("INITQ").depth) == ((), 0)

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
        assert state.update_trigger_event(seen) is seen
        state = state.after_trigger_message("APPQ", held_by=None, event=0).with_trigger_off("APPQ")
        again = state.update_trigger_event(seen)
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
                for each in fields(TriggerEvent):
                    value = getattr(seen, each.name)
                    assert type(value).__name__ == str(each.type)
                    assert value in each.metadata.get("words", (value,))
