"""Groups that span units of work: with a STATUS queue nothing is lost or done twice, whenever the queue manager stops.

The applications of the document, with a restart after every single call of theirs. What StatusInfo says is the id of
the status message here: how far the group was put, or got.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from mqclause import Replay, read_scenario
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Queue, QueueManager
from mqclause.model.timeline.events import Event
from mqclause.model.timeline.transitions import QueueManagerState
from mqclause.retrieval.calls import EnqueueCallbacks, find_put_reason, retrieve
from mqclause.retrieval.order import Retrieval

EXAMPLES = Path(str(files("mqclause.tools"))) / "examples"
RETRIEVAL = Retrieval()
MESSAGES = 9
GROUP = [f"Y{number}" for number in range(1, MESSAGES + 1)]
AT_ONCE = 3


class StoppedError(Exception):
    """The queue manager stops: the application's call was its last one."""


@define
class Machine:
    """A queue manager that stops after so many calls, if any; ``done`` has what was processed and committed."""

    stops_after: int | None = None
    state: QueueManagerState = field(
        factory=lambda: QueueManagerState.of(
            Cluster(QueueManager("QM1"), queues=[Queue("APPQ", "QM1"), Queue("STATUS", "QM1")]),
            EnqueueCallbacks(RETRIEVAL.terms),
        )
    )
    calls: int = 0
    written: int = 0
    done: list[str] = field(factory=list)
    pending: list[str] = field(factory=list)

    def call(self, do: str, queue: str = "", **given: Any) -> list[str]:
        """A call of the application, and the messages that it returned."""
        if self.calls == self.stops_after:
            self.stops_after = None
            self.pending.clear()
            self.state, _ = self.state.after(Event("restart"))
            raise StoppedError
        self.calls += 1
        event = Event(do, queue=queue, **given)
        if do == "get":
            self.state, _, returned = retrieve(RETRIEVAL, self.state, event)
            return returned.got
        if do == "put":
            ended = find_put_reason(RETRIEVAL, self.state, event)
            assert ended.code is None
            self.state, _ = self.state.after(event, placing=ended.placing)
            return []
        self.state, _ = self.state.after(event)
        if do == "commit":
            self.done += self.pending
            self.pending.clear()
        return []

    def save(self, how_far: int) -> None:
        """Puts a status message in the unit of work."""
        self.written += 1
        self.call("put", "STATUS", id=f"{how_far}/{self.written}", unit_of_work="U")

    def saved(self) -> int | None:
        """Takes the status message in the unit of work: how far the group had come, None if there is none."""
        found = self.call("get", "STATUS", unit_of_work="U")
        return int(found[0].partition("/")[0]) if found else None

    def put(self, number: int, **more: Any) -> None:
        """Puts a message of the group in the unit of work, in logical order unless it says where it belongs."""
        last = {"last_in_group": True} if number == MESSAGES else {"in_group": True}
        where = more or {"logical_order": True}
        self.call("put", "APPQ", id=f"Y{number}", group="Y", unit_of_work="U", **last, **where)

    def lying(self) -> list[str]:
        """The messages on APPQ, in logical order."""
        later = Machine(state=self.state)
        return [one for _ in range(2 * MESSAGES) for one in later.call("get", "APPQ", options=("LOGICAL_ORDER",))]


def putting(machine: Machine, with_status: bool) -> None:
    """Puts the group, going on where it was broken off."""
    begun = machine.saved() if with_status else None
    for number in range((begun or 0) + 1, MESSAGES + 1):
        resumed = begun is not None and number == begun + 1
        machine.put(number, **({"sequence": number} if resumed else {}))
        if number % AT_ONCE == 0:
            if with_status and number > AT_ONCE and not (begun and number == begun + AT_ONCE):
                machine.saved()
            if with_status and number < MESSAGES:
                machine.save(number)
            machine.call("commit", unit_of_work="U")


def put_all(machine: Machine, with_status: bool) -> None:
    """Puts the group; after a stop the application is started again if it is not done."""
    try:
        putting(machine, with_status)
    except StoppedError:
        if machine.lying()[-1:] != GROUP[-1:]:
            putting(machine, with_status)


def stops(of: Callable[[Machine], None], prepare: Callable[[], Machine] = Machine) -> Iterator[Machine]:
    """The machine after the application, stopped after each of its calls in turn, and once not at all."""
    whole = prepare()
    begun = whole.calls
    of(whole)
    for after in [*range(begun, whole.calls), None]:
        machine = prepare()
        machine.stops_after = after
        of(machine)
        yield machine


def test_a_group_is_put_once_wherever_the_queue_manager_stops() -> None:
    machines = list(stops(lambda machine: put_all(machine, with_status=True)))
    assert len(machines) > 15
    for machine in machines:
        assert machine.lying() == GROUP
        assert machine.state.queue("STATUS").depth == 0


def test_without_the_status_queue_part_of_it_is_put_twice() -> None:
    depths = {
        machine.state.queue("APPQ").depth for machine in stops(lambda machine: put_all(machine, with_status=False))
    }
    assert max(depths) > MESSAGES


def filled() -> Machine:
    """A machine with the group on its queue, committed."""
    machine = Machine()
    for number in range(1, MESSAGES + 1):
        machine.put(number)
    machine.call("commit", unit_of_work="U")
    return machine


def getting(machine: Machine, with_status: bool) -> None:
    """Gets the group, a few messages in each unit of work, going on where it was broken off."""
    begun = machine.saved() if with_status else None
    first, number = begun is not None, begun or 0
    while number < MESSAGES:
        for _ in range(AT_ONCE):
            asked: dict[str, Any] = {"options": ("LOGICAL_ORDER",)}
            if first:
                asked, first = {"match": {"group": "Y", "sequence": number + 1}}, False
            found = machine.call("get", "APPQ", unit_of_work="U", **asked)
            if not found:
                return
            machine.pending += found
            number += 1
        if with_status and begun is None and number > AT_ONCE:
            machine.saved()
        begun = None
        if with_status and number < MESSAGES:
            machine.save(number)
        machine.call("commit", unit_of_work="U")


def get_all(machine: Machine, with_status: bool) -> None:
    """Gets the group; after a stop the application is started again if it is not done."""
    try:
        getting(machine, with_status)
    except StoppedError:
        if machine.done != GROUP:
            getting(machine, with_status)


def test_a_group_is_got_once_wherever_the_queue_manager_stops() -> None:
    machines = list(stops(lambda machine: get_all(machine, with_status=True), filled))
    assert len(machines) > 15
    for machine in machines:
        assert machine.done == GROUP
        assert machine.state.queue("STATUS").depth == machine.state.queue("APPQ").depth == 0


def test_without_the_status_queue_the_rest_of_it_is_lost() -> None:
    machines = list(stops(lambda machine: get_all(machine, with_status=False), filled))
    assert any(machine.done != GROUP for machine in machines)


class SegmentMachine(Machine):
    """Status as segments of one message: nothing is taken between, and at the end the whole is, in the same unit."""

    def save(self, how_far: int) -> None:
        """Puts one more status segment; the first one after a restart says its offset."""
        self.written += 1
        begun = self.offset
        where = {"logical_order": True} if begun is None else {"offset": begun, "group": "S", "in_group": False}
        self.offset = None
        last = {"last_segment": True} if how_far == MESSAGES else {"segment": True}
        label = {"group": "S", "in_group": False} if begun is None else {}
        self.call("put", "STATUS", id=f"{how_far}/{self.written}", unit_of_work="U", **last, **label, **where)
        if how_far == MESSAGES:
            assert self.call("get", "STATUS", unit_of_work="U", options=("COMPLETE_MSG",))

    offset: int | None = None

    def saved(self) -> int | None:
        """Browses the segments in logical order up to the last one: how far the group had come."""
        far, option = None, "BROWSE_FIRST"
        while found := self.call("get", "STATUS", options=(option, "LOGICAL_ORDER")):
            far, option = int(found[0].partition("/")[0]), "BROWSE_NEXT"
            self.offset = (self.offset or 0) + 100
        return far


def putting_with_segments(machine: SegmentMachine) -> None:
    """Puts the group with its status as segments."""
    machine.offset = None
    begun = machine.saved()
    for number in range((begun or 0) + 1, MESSAGES + 1):
        machine.put(number, **({"sequence": number} if number == (begun or -1) + 1 else {}))
        if number % AT_ONCE == 0:
            machine.save(number)
            machine.call("commit", unit_of_work="U")


def test_status_as_segments() -> None:
    def application(machine: Machine) -> None:
        assert isinstance(machine, SegmentMachine)
        try:
            putting_with_segments(machine)
        except StoppedError:
            if machine.lying()[-1:] != GROUP[-1:]:
                putting_with_segments(machine)

    machines = list(stops(application, SegmentMachine))
    assert len(machines) > 15
    for machine in machines:
        assert machine.lying() == GROUP
        assert machine.state.queue("STATUS").depth == 0


@pytest.mark.parametrize("stopped", [0, 5])
def test_a_unit_of_work_that_is_stopped_leaves_nothing(stopped: int) -> None:
    machine = Machine(stops_after=stopped)
    with pytest.raises(StoppedError):
        putting(machine, with_status=True)
    assert machine.state.queue("APPQ").depth in (0, AT_ONCE)


SHOWN: dict[str, list[str]] = {
    "status_queue": ["group Y, message 3", "Y1 Y2 Y3 Y4 Y5"],
    "status_queue_get": ["Y1 Y2", "Y3", "group Y, message 2 Y3 Y4 Y5"],
    "status_segments": ["message 1 message 2", "message 1 message 2 message 3 message 4", "Y1 Y2 Y3 Y4"],
}
"""By example: what is got, in lines; a get that finds nothing and any other call begin a new one."""


@pytest.mark.parametrize("name", SHOWN)
def test_the_examples_show_it(name: str) -> None:
    lines: list[list[str]] = [[]]
    for row in Replay().rows(read_scenario(EXAMPLES / f"{name}.toml")):
        if row.returned is None or not row.returned.got:
            lines.append([])
        else:
            lines[-1] += row.returned.got
    assert [" ".join(line) for line in lines if line] == SHOWN[name]
