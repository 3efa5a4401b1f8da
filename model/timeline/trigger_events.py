"""Trigger events: an application queue, looked at because something happened to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from attrs import evolve, field, frozen

from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import LARGEST, internal_field, word_field
from mqclause.model.facts.messages import HIGHEST_PRIORITY, SINGLE_MESSAGE, SINGLE_MESSAGE_ROLE, ItemRole, Message
from mqclause.model.facts.objects import INPUT_MODES, Process, Queue, QueueCall

TRIGGER_EVENT_KINDS = (
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

DEPTHS = ("previous_depth", "depth", "previous_committed", "committed")
TOTAL_DEPTHS = ("previous_total", "depth_total", "previous_committed_total", "committed_total")
"""What an occasion says of the messages that count, and of all of them, before and after an event."""


class OpenCounts(NamedTuple):
    """The number of opens of one queue for input, here and at other queue managers."""

    shared_here: int = 0
    exclusive_here: int = 0
    shared_elsewhere: int = 0
    exclusive_elsewhere: int = 0

    @property
    def here(self) -> int:
        """OpenInputCount of the local queue manager."""
        return self.shared_here + self.exclusive_here

    @property
    def elsewhere(self) -> int:
        """The handles for input at other queue managers."""
        return self.shared_elsewhere + self.exclusive_elsewhere


NOT_OPEN = OpenCounts()

PRIORITIES = tuple(range(HIGHEST_PRIORITY + 1))


class MessageRules(NamedTuple):
    """The answers of rules about the messages of one queue.

    ``priorities`` has for each priority that a message is put with, 0 to 9, the one that it gets; ``counts`` has for
    each priority of a message on the queue whether it counts for the trigger conditions.
    """

    priorities: Mapping[int, int]
    counts: Mapping[int, bool]


EVERY_MESSAGE = MessageRules({each: each for each in PRIORITIES}, dict.fromkeys(PRIORITIES, True))


@frozen
class RuleCallbacks:
    """The rules that the timeline asks about messages, events and calls.

    Where none are there, a message keeps its priority and counts, every event is an occasion, and no call fails.
    """

    def messages(self, queue: Queue) -> MessageRules:  # noqa: ARG002 - rules look at it
        """Ask rules which priority messages get on ``queue``, and which of them count."""
        return EVERY_MESSAGE

    def in_item(self, message: Message) -> ItemRole:  # noqa: ARG002 - rules look at it
        """Ask rules for the role of a message at its place in a group or a segmented message."""
        return SINGLE_MESSAGE_ROLE

    def examines(self, occasion: str, shared: bool, in_unit_of_work: bool) -> bool:  # noqa: ARG002 - rules look at it
        """Return whether anything can follow from an occasion of this kind, on a queue that is shared or not."""
        return True

    def find_failure(self, call: QueueCall) -> CallFailure | None:  # noqa: ARG002 - rules look at it
        """Say what a call fails with; None if it does not."""
        return None


NO_RULES = RuleCallbacks()


@frozen(eq=False)
class EventResult:
    """The effects of an event besides the new state.

    ``occasions`` are the queues to be looked at, in order; ``failure`` is what a call failed with; ``handle`` is the
    one that an open gave or a close ended.
    """

    occasions: Sequence[TriggerEvent] = ()
    failure: CallFailure | None = None
    completed: EndedUnitOfWork | None = None
    handle: Handle | None = None

    @property
    def reason(self) -> int | None:
        """The MQRC of a call that failed."""
        return self.failure.reason if self.failure is not None else None


NO_RESULT = EventResult()

QUEUE_FIELDS = (
    "defprty", "msgdlvsq", "trigger", "trigtype", "trigmpri", "trigdpth", "trigdata", "usage", "get",
    "process", "initq", "shared", "maxdepth",
)  # fmt: skip
PROCESS_FIELDS = ("appltype", "applicid", "envrdata", "userdata")


@frozen(slots=False)
class TriggerEvent:
    """An application queue as the trigger rules see it. Every attribute has a value; a blank one means "none".

    What rules ask of it is in the vocabulary of triggering, ``engine/audit/vocabulary.toml``. The fields that rules
    do not see are for remedies: ``queue_manager`` and ``maxdepth``; whether the initiation queue is shared; which
    type the queue has that ``initq`` names, blank where there is none; the local queue behind an alias; and, as
    ``…_by_case``, what is defined where the name that is given is not, and differs from that in letter case alone.
    """

    queue: str
    occasion: str = word_field(*TRIGGER_EVENT_KINDS, default="arrival")
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
    msgdlvsq: str = word_field("PRIORITY", "FIFO", default="PRIORITY")
    trigger: bool = False
    trigtype: str = word_field("NONE", "FIRST", "EVERY", "DEPTH", default="FIRST")
    trigmpri: int = 0
    trigdpth: int = 1
    trigdata: str = ""
    usage: str = word_field("NORMAL", "XMITQ", default="NORMAL")
    get: str = word_field("ENABLED", "DISABLED", default="ENABLED")
    process: str = ""
    initq: str = ""
    shared: bool = False
    process_defined: bool = False
    appltype: str = ""
    applicid: str = ""
    envrdata: str = ""
    userdata: str = ""
    initq_defined: bool = False
    initq_get: str = word_field("ENABLED", "DISABLED", "", default="")
    initq_put: str = word_field("ENABLED", "DISABLED", "", default="")
    initq_usage: str = word_field("NORMAL", "XMITQ", "", default="")
    initq_logically_deleted: bool = False
    initq_open_input_count: int = 0
    initq_opened_before: int = 0
    platform: str = word_field("MULTI", "ZOS", default="MULTI")
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
    queue_manager: str = internal_field("")
    initq_shared: bool = internal_field(False)
    initq_type: str = internal_field("")
    initq_target: str = internal_field("")
    process_by_case: str = internal_field("")
    initq_by_case: str = internal_field("")
    maxdepth: int = internal_field(LARGEST)
    open_by_others: int = 0
    initq_opened_by_others: int = 0
    initq_open_elsewhere: int = 0
    served_elsewhere: bool = False
    trigger_set_off: bool = False
    trigger_messages_before: int = 0
    written_trigtype: str = word_field("NONE", "FIRST", "EVERY", "DEPTH", default="FIRST")

    def with_values(self, seen: Mapping[str, Any]) -> TriggerEvent:
        """Return this event with the values ``seen`` in place of its own: as evolve does, in a quarter of the time."""
        other = object.__new__(TriggerEvent)
        other.__dict__.update(self.__dict__)
        other.__dict__.update(seen)
        return other


@frozen(eq=False)
class Arrivals:
    """``puts`` arrivals, one after the other, on one queue: each as ``first``, on a queue that grew by those before.

    ``step`` is by how many messages of sufficient priority each put lets the queue grow.
    """

    first: TriggerEvent
    puts: int
    step: int

    def at(self, place: int) -> TriggerEvent:
        """Return the arrival at ``place``, counted from 0."""
        if place == 0:
            return self.first
        first, counted, all_of_them = self.first, place * self.step, place * self.first.arrived
        more = {**dict.fromkeys(DEPTHS, counted), **dict.fromkeys(TOTAL_DEPTHS, all_of_them)}
        return first.with_values({name: getattr(first, name) + added for name, added in more.items()})


class TriggerEvents(Sequence[TriggerEvent]):
    """The arrivals of a commit in order. Each is made when it is asked for: a million take no more room than one."""

    def __init__(self, runs: Sequence[Arrivals]) -> None:
        self.runs = tuple(runs)

    def __len__(self) -> int:
        return sum(run.puts for run in self.runs)

    def __iter__(self) -> Iterator[TriggerEvent]:
        for run in self.runs:
            for place in range(run.puts):
                yield run.at(place)

    def __getitem__(self, place: Any) -> Any:
        return tuple(self)[place]


@frozen
class Handle:
    """The result of one open. ``queue`` is the name that was opened, ``base`` the queue that it resolved to.

    ``to_queue_manager`` is the queue manager that an open for output named.

    ``id`` is different for every open of a queue manager's life.
    """

    id: int
    application: str
    queue: str
    base: str
    mode: str
    queue_manager: str
    bind: str = "AS_Q_DEF"
    to_queue_manager: str = ""

    @property
    def is_for_input(self) -> bool:
        """Whether OpenInputCount counts it."""
        return self.mode in INPUT_MODES


@frozen(eq=False)
class Handles:
    """The open handles, oldest first. ``local`` names the local queue manager; ``next_id`` was not given yet.

    ``standing`` counts by local queue the handles for shared input that were there at the start: whose they are is
    not known, so nobody closes them.
    ``served_elsewhere`` are the queues that another queue manager has had open for shared input since the last time
    that nobody had them open for input.
    """

    local: str
    open: tuple[Handle, ...] = ()
    next_id: int = 0
    standing: Mapping[str, int] = field(factory=dict)
    served_elsewhere: frozenset[str] = frozenset()

    @cached_property
    def _opens(self) -> dict[str, OpenCounts]:
        found = {queue: OpenCounts(shared_here=count) for queue, count in self.standing.items()}
        for handle in self.open:
            if handle.is_for_input:
                place = (handle.mode == "INPUT_EXCLUSIVE") + 2 * (handle.queue_manager != self.local)
                counts = list(found.get(handle.base, NOT_OPEN))
                counts[place] += 1
                found[handle.base] = OpenCounts(*counts)
        return found

    def count_opens(self, queue: str) -> OpenCounts:
        """Count how often the local or shared queue ``queue`` is open for input."""
        return self._opens.get(queue, NOT_OPEN)

    def count_opens_by_others(self, queue: str, application: str) -> int:
        """Count the local queue manager's handles for input on ``queue`` that other applications have."""
        others = (each for each in self.open if each.base == queue and each.application != application)
        served = sum(each.is_for_input and each.queue_manager == self.local for each in others)
        return served + self.standing.get(queue, 0)

    def find_latest(self, application: str, queue: str, queue_manager: str) -> Handle | None:
        """Find the latest handle of an application on a queue that is still open."""
        wanted = (application, queue, queue_manager)
        found = (each for each in reversed(self.open) if wanted == (each.application, each.queue, each.queue_manager))
        return next(found, None)

    def find_output_handle(self, application: str, queue: str, to_queue_manager: str = "") -> Handle | None:
        """Find the latest handle by which a put of an application to these names is an MQPUT; None for an MQPUT1."""
        wanted = (application, queue, to_queue_manager, self.local, "OUTPUT")
        for each in reversed(self.open):
            if wanted == (each.application, each.queue, each.to_queue_manager, each.queue_manager, each.mode):
                return each
        return None

    def after_open(self, handle: Handle) -> Handles:
        """Return the handles after the open that gave ``handle``."""
        served = self.served_elsewhere
        if handle.mode == "INPUT_SHARED" and handle.queue_manager != self.local:
            served |= {handle.base}
        next_id = max(self.next_id, handle.id + 1)
        return evolve(self, open=(*self.open, handle), next_id=next_id, served_elsewhere=served)

    def without(self, handle: Handle) -> Handles:
        """Return the handles after the close of ``handle``."""
        after = evolve(self, open=tuple(each for each in self.open if each.id != handle.id))
        if handle.base in self.served_elsewhere and not any(after.count_opens(handle.base)):
            return evolve(after, served_elsewhere=self.served_elsewhere - {handle.base})
        return after

    def add_standing_handles(self, queue: str, count: int) -> Handles:
        """Add ``count`` handles on the local queue ``queue`` that were there at the start."""
        return evolve(self, standing={**self.standing, queue: count})

    def after_restart(self) -> Handles:
        """Return the handles after a restart."""
        return Handles(self.local, (), self.next_id)


class CallFailure(NamedTuple):
    """The failure of a call on a local queue: the MQRC, why, and MQSC after which it would not; blank: none."""

    reason: int
    because: str
    remedy: str


class EndedUnitOfWork(NamedTuple):
    """A unit of work that ended."""

    unit_of_work: str
    committed: bool


@frozen(eq=False)
class Definitions:
    """The definitions of ``cluster`` at one queue manager; made anew when the cluster changes.

    ``callbacks`` say what rules make of it.
    """

    cluster: Cluster
    callbacks: RuleCallbacks = NO_RULES

    @cached_property
    def processes(self) -> dict[str, Process]:
        """The process definitions by name."""
        return {process.name: process for process in self.cluster.processes}

    @cached_property
    def _processes_by_case(self) -> dict[str, str]:
        return {name.casefold(): name for name in self.processes}

    @cached_property
    def _queues_by_case(self) -> dict[str, str]:
        return {name.casefold(): name for name, queue in self.cluster.own_queues.items() if queue.type == "QLOCAL"}

    @cached_property
    def queues_by_initq(self) -> dict[str, tuple[str, ...]]:
        """The local queues by the initiation queue that they name as INITQ, in listing order."""
        found: dict[str, tuple[str, ...]] = {}
        for queue in self.cluster.own_queues.values():
            if queue.type == "QLOCAL" and queue.initq:
                found[queue.initq] = (*found.get(queue.initq, ()), queue.name)
        return found

    def of(self, cluster: Cluster) -> Definitions:
        """Make the definitions of another cluster, with the same callbacks."""
        return Definitions(cluster, self.callbacks)

    @cached_property
    def _messages(self) -> dict[str, MessageRules]:
        return {}

    def messages(self, queue: Queue) -> MessageRules:
        """Ask rules about the messages on the local queue ``queue``."""
        found = self._messages.get(queue.name)
        if found is None:
            found = self._messages[queue.name] = self.callbacks.messages(queue)
        return found

    def in_item(self, message: Message) -> ItemRole:
        """Ask rules for the role of a message at its place in its item."""
        return SINGLE_MESSAGE_ROLE if message.item == SINGLE_MESSAGE else self.callbacks.in_item(message)

    @cached_property
    def _described(self) -> dict[str, TriggerEvent]:
        return {}

    def local_queue(self, name: str) -> Queue | None:
        """Find the local queue (QLOCAL) ``name``, not an alias of it."""
        queue = self.cluster.own_queues.get(name)
        return queue if queue is not None and queue.type == "QLOCAL" else None

    def find_base_queue(self, name: str) -> Queue | None:
        """Find the local queue that ``name`` resolves to, itself or by a local alias; None if there is none."""
        queue = self.cluster.own_queues.get(name)
        return self.local_queue(queue.base_queue if queue is not None and queue.type == "QALIAS" else name)

    def describe_queue(self, queue: Queue) -> TriggerEvent:
        """Describe the local queue ``queue`` to the trigger rules by its definitions; nothing has happened."""
        found = self._described.get(queue.name)
        if found is None:
            found = self._described[queue.name] = TriggerEvent(**self._attributes(queue))
        return found

    @cached_property
    def _opened(self) -> dict[str, tuple[Handles, TriggerEvent]]:
        return {}

    def describe_open_queue(self, queue: Queue, handles: Handles) -> TriggerEvent:
        """Describe it with who has the queue and its initiation queue open, before the event as after it."""
        known = self._opened.get(queue.name)
        if known is not None and known[0] is handles:
            return known[1]
        described = self.describe_queue(queue)
        opens, of_initq = handles.count_opens(queue.name), handles.count_opens(queue.initq)
        found = described.with_values(
            {
                "open_input_count": opens.here,
                "previous_open_input_count": opens.here,
                "open_shared_elsewhere": opens.shared_elsewhere if queue.shared else 0,
                "open_exclusive": opens.exclusive_here + (opens.exclusive_elsewhere if queue.shared else 0),
                "served_elsewhere": queue.shared and queue.name in handles.served_elsewhere,
                "initq_open_input_count": of_initq.here,
                "initq_opened_before": of_initq.here,
                "initq_open_elsewhere": of_initq.elsewhere if described.initq_shared else 0,
            }
        )
        self._opened[queue.name] = (handles, found)
        return found

    def _attributes(self, queue: Queue) -> dict[str, Any]:
        own = self.cluster.queue_manager
        process = self.processes.get(queue.process) if queue.process else None
        named = self.cluster.own_queues.get(queue.initq) if queue.initq else None
        initq = named if named is not None and named.type == "QLOCAL" else None
        target = self.local_queue(named.base_queue) if named is not None and named.type == "QALIAS" else None
        return {
            **{name: getattr(queue, name) for name in QUEUE_FIELDS},
            "queue": queue.name,
            "process_defined": process is not None,
            "process_by_case": self._processes_by_case.get(queue.process.casefold(), "") if process is None else "",
            "initq_by_case": self._queues_by_case.get(queue.initq.casefold(), "") if named is None else "",
            **{name: getattr(process, name) if process else "" for name in PROCESS_FIELDS},
            "initq_defined": initq is not None,
            "initq_get": initq.get if initq else "",
            "initq_put": initq.put if initq else "",
            "initq_usage": initq.usage if initq else "",
            "initq_logically_deleted": initq is not None and initq.logically_deleted,
            "initq_shared": initq is not None and initq.shared,
            "initq_type": named.type if named else "QMODEL" if queue.initq in self.cluster.models else "",
            "initq_target": target.name if target else "",
            "queue_manager": own.name,
            "platform": own.platform,
            "trigint": own.trigint,
        }
