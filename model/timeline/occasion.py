"""Occasions: one application queue, looked at because something happened to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from attrs import frozen

from mqclause.model.facts.domains import LARGEST, unseen, words

OCCASIONS = (
    "arrival", "close", "alter", "initq_put_enabled", "get_enabled", "initq_opened", "committed", "backed_out",
    "put_committed", "get", "get_backed_out", "restart", "waiting",
)  # fmt: skip
"""What can happen to a queue; the rules say what follows from it, if anything does.

A message is put (``arrival``) or got; a handle for input is closed; attributes are altered; PUT of its initiation
queue or its own GET goes from DISABLED to ENABLED; its initiation queue is opened for input; a unit of work is
committed that has put a message on it (``put_committed``), or backed out that has got one; the queue manager is
restarted. ``committed`` and ``backed_out``: the end of the unit of work that holds its trigger message back.
``waiting``: nothing happens, a message is there.
"""


@frozen(eq=False, slots=False)
class Occasion:
    """An application queue as the trigger rules see it. Every attribute has a value; a blank one means "none".

    ``message_priority`` is the one that the message was enqueued with.
    ``depth`` is how many of the messages on the queue are of sufficient priority by its own TRIGMPRI, ``depth_total``
    how many there are; ``committed…`` leaves out the uncommitted ones; ``previous_…`` is before the event. ``arrived``
    is how many messages the put placed. ``since_last_trigger`` and ``trigint`` are in milliseconds. Open counts without
    "elsewhere" are the local queue manager's; those with it and ``open_exclusive`` span the group, for a queue that is
    shared. ``…by_others`` are handles of other applications than the one whose call it is.
    ``served_elsewhere``: another queue manager has had the shared queue open for shared input since it was last open
    to nobody. ``trigger_messages_before`` is how many trigger messages the same event has written for the queue;
    ``written_trigtype`` the trigger type for which the trigger message was written that a unit of work held.
    ``queue_manager``, ``maxdepth``, ``initq_…`` and ``…_by_case`` of the end are for remedies: whether the initiation
    queue is shared, which type the queue has that ``initq`` names, blank where there is none, the local queue behind an
    alias, and what is defined where the name that is given is not, and differs from that in letter case alone.
    """

    queue: str
    occasion: str = words(*OCCASIONS, default="arrival")
    message_priority: int = 0
    in_unit_of_work: bool = False
    arrived: int = 0
    previous_depth: int = 0
    previous_total: int = 0
    depth: int = 0
    depth_total: int = 0
    previous_committed: int = 0
    committed: int = 0
    previous_committed_total: int = 0
    committed_total: int = 0
    defprty: int = 0
    msgdlvsq: str = words("PRIORITY", "FIFO", default="PRIORITY")
    trigger: bool = False
    trigtype: str = words("NONE", "FIRST", "EVERY", "DEPTH", default="FIRST")
    trigmpri: int = 0
    trigdpth: int = 1
    trigdata: str = ""
    usage: str = words("NORMAL", "XMITQ", default="NORMAL")
    get: str = words("ENABLED", "DISABLED", default="ENABLED")
    process: str = ""
    initq: str = ""
    shared: bool = False
    process_defined: bool = False
    appltype: str = ""
    applicid: str = ""
    envrdata: str = ""
    userdata: str = ""
    initq_defined: bool = False
    initq_get: str = words("ENABLED", "DISABLED", "", default="")
    initq_put: str = words("ENABLED", "DISABLED", "", default="")
    initq_usage: str = words("NORMAL", "XMITQ", "", default="")
    initq_logically_deleted: bool = False
    initq_open_input_count: int = 0
    initq_opened_before: int = 0
    platform: str = words("MULTI", "ZOS", default="MULTI")
    trigint: int = 0
    open_input_count: int = 0
    previous_open_input_count: int = 0
    open_shared_elsewhere: int = 0
    open_exclusive: int = 0
    trigger_set_on: bool = False
    trigtype_changed: bool = False
    trigmpri_changed: bool = False
    trigdpth_changed: bool = False
    has_triggered: bool = False
    since_last_trigger: int = 0
    since_start: int = 0
    queue_manager: str = unseen("")
    initq_shared: bool = unseen(False)
    initq_type: str = unseen("")
    initq_target: str = unseen("")
    process_by_case: str = unseen("")
    initq_by_case: str = unseen("")
    maxdepth: int = unseen(LARGEST)
    open_by_others: int = 0
    initq_opened_by_others: int = 0
    initq_open_elsewhere: int = 0
    served_elsewhere: bool = False
    trigger_set_off: bool = False
    trigger_messages_before: int = 0
    written_trigtype: str = words("NONE", "FIRST", "EVERY", "DEPTH", default="FIRST")

    def with_seen(self, seen: Mapping[str, Any]) -> Occasion:
        """This one with what is ``seen`` in place of its own: what evolve gives, in a quarter of the time."""
        other = object.__new__(Occasion)
        other.__dict__.update(self.__dict__)
        other.__dict__.update(seen)
        return other


DEPTHS = ("previous_depth", "depth", "previous_committed", "committed")
TOTAL_DEPTHS = ("previous_total", "depth_total", "previous_committed_total", "committed_total")
"""What an occasion says of the messages that count, and of all of them, before and after an event."""


@frozen(eq=False)
class Arrivals:
    """``puts`` arrivals, one after the other, on one queue: each as ``first``, on a queue that grew by those before.

    ``step`` is by how many messages of sufficient priority each put lets the queue grow.
    """

    first: Occasion
    puts: int
    step: int

    def at(self, place: int) -> Occasion:
        """The arrival at ``place``, counted from 0."""
        if place == 0:
            return self.first
        first, counted, all_of_them = self.first, place * self.step, place * self.first.arrived
        more = {**dict.fromkeys(DEPTHS, counted), **dict.fromkeys(TOTAL_DEPTHS, all_of_them)}
        return first.with_seen({name: getattr(first, name) + added for name, added in more.items()})


class Occasions(Sequence[Occasion]):
    """The arrivals of a commit in order. Each is made when it is asked for: a million take no more room than one."""

    def __init__(self, runs: Sequence[Arrivals]) -> None:
        self.runs = tuple(runs)
        self._length = sum(run.puts for run in self.runs)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Occasion]:
        for run in self.runs:
            for place in range(run.puts):
                yield run.at(place)

    @overload
    def __getitem__(self, place: int) -> Occasion: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Occasion, ...]: ...

    def __getitem__(self, place: int | slice) -> Occasion | tuple[Occasion, ...]:
        if isinstance(place, slice):
            return tuple(self[each] for each in range(*place.indices(len(self))))
        wanted = range(len(self))[place]
        for run in self.runs:
            if wanted < run.puts:
                return run.at(wanted)
            wanted -= run.puts
        raise IndexError(place)
