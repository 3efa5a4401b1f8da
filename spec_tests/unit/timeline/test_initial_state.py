"""What is there at the start: messages (``curdepth``) and handles (``ipprocs``) of a facts file."""

from __future__ import annotations

from typing import Any

import pytest

from mqclause.model.diagnostics import FactsError
from mqclause.model.facts.objects import Queue
from mqclause.model.timeline.scenario import build_scenario
from mqclause.replay.runner import Replay, Row
from spec_tests.support.one_queue_manager import QM, after, app_queue, closed, get, opened, reason, started


def rows(*events: dict[str, Any], **appq: Any) -> list[Row]:
    """What happens to APPQ, whose trigger monitor is there at the start."""
    own = {"name": "APPQ", "trigger": True, "process": "P", "initq": "INITQ", **appq}
    facts = {
        "queue_manager": {"name": QM},
        "queue": [own, {"name": "INITQ", "ipprocs": 1}],
        "process": [{"name": "P"}],
        "event": list(events),
    }
    return list(Replay().rows(build_scenario(facts, "facts")))


def written(row: Row) -> list[str | None]:
    by = [each.examination.rule for each in row.trigger_messages]
    return [None if rule is None else rule.id for rule in by]


PUT = {"do": "put", "queue": "APPQ"}
GET = {"do": "get", "queue": "APPQ"}


def test_a_trigger_monitor_is_there() -> None:
    assert [written(row) for row in rows(PUT)] == [["trigger.01-10"]]


def test_messages_are_there() -> None:
    """With one message waiting the second is not the first, but no trigger message was written yet: clause 11."""
    assert [written(row) for row in rows(PUT, curdepth=1)] == [["trigger.11"]]
    assert [written(row) for row in rows(GET, PUT, curdepth=1)] == [[], ["trigger.01-10"]]
    got = rows(GET, GET, GET, curdepth=2)
    assert [row.reason for row in got] == [None, None, 2033]


def test_they_have_the_default_priority_and_stay_over_a_restart() -> None:
    state = started(app_queue(defprty=4, curdepth=3))
    ((priority, run),) = state.queue("APPQ").runs()
    assert (priority, run.size, run.persistent) == (4, 3, True)
    kept = rows({"do": "restart"}, GET, curdepth=1)
    assert [row.reason for row in kept] == [None, None]


def test_handles_that_nobody_closes() -> None:
    state = started(app_queue(ipprocs=2))
    assert state.handles.count_opens("APPQ").here == 2
    state = after(state, opened(by="A"))
    assert state.handles.count_opens("APPQ").here == 3
    assert after(state, closed(by="A")).handles.count_opens("APPQ").here == 2
    close = {"do": "close", "queue": "APPQ", "by": "A"}
    open_ = {"do": "open", "queue": "APPQ", "by": "A"}
    assert [written(row) for row in rows(open_, close, curdepth=1, ipprocs=1)] == [[], []]
    assert [written(row) for row in rows(open_, close, curdepth=1)] == [[], ["trigger.12"]]


def test_a_restart_closes_them() -> None:
    assert started(app_queue(ipprocs=2)).handles.after_restart().count_opens("APPQ").here == 0


def test_they_are_in_the_way_of_an_exclusive_open() -> None:
    _, happened = started(app_queue(ipprocs=1)).after(opened(mode="INPUT_EXCLUSIVE"))
    assert happened.reason == 2042


def test_nothing_is_there_where_nothing_is_said() -> None:
    state = started(app_queue(curdepth=None), Queue("OTHER", QM))
    assert (state.queue("APPQ").depth, state.handles.count_opens("APPQ").here) == (0, 0)
    assert reason(state, get()) == 2033


def test_depth_and_opens_are_no_part_of_a_definition() -> None:
    assert app_queue(curdepth=3, ipprocs=1) == app_queue(curdepth=None)


def test_no_alter_changes_them() -> None:
    alter_depth = {"do": "alter", "queue": "APPQ", "set": {"curdepth": 1}}
    with pytest.raises(FactsError, match="a queue has no attribute 'curdepth' to alter"):
        rows(alter_depth)
