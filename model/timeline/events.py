"""Events: what happens to a queue manager over time, one call or command each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from attrs import evolve, fields, frozen

from mqclause.model.diagnostics import DomainError, MqclauseError, quote_value, suggest_word
from mqclause.model.facts.cluster import Cluster, ContradictionError, replace_objects
from mqclause.model.facts.domains import (
    CHANNEL_NAME,
    GIVEN_NAME,
    HIGHEST_LEVEL,
    LARGEST,
    LOWEST_LEVEL,
    NAME_OR_BLANK,
    Domain,
    Flag,
    Maker,
    Names,
    Text,
    Whole,
    Words,
    fact_field,
)
from mqclause.model.facts.messages import LABEL_TEXT_OR_BLANK, LARGEST_LONG
from mqclause.model.facts.objects import (
    BINDINGS,
    LONGEST_MESSAGE,
    MODES,
    Channel,
    Queue,
    QueueManager,
    RemoteQueueManager,
)
from mqclause.model.readers.formats import describe_wrong_list, render_table_label

EVENT_WORDS = (
    "put", "get", "open", "close", "commit", "backout", "alter", "clear", "restart", "advance",
    "suspend", "resume", "refresh", "fail", "recover", "arrive",
)  # fmt: skip
"""What an event can do."""

SUSPEND_MODES = ("QUIESCE", "FORCE")
REPOS_WORDS = ("NO", "YES")
"""What a REFRESH CLUSTER says of full repositories."""

ADMINISTRATIVE = ("suspend", "resume", "refresh", "fail", "recover", "arrive")
"""The events that the rules of document 004 answer."""

MOST_REPEATED = 1_000_000_000
LATEST = 2**63 - 1
"""The latest time of an event, in milliseconds since the start."""

HIGHEST_GIVEN = 2**31 - 1
"""The highest priority that a call can give; above 9 it counts as 9."""

AT_THE_CURSOR = ("BROWSE_MSG_UNDER_CURSOR", "MSG_UNDER_CURSOR")
WHICH_MESSAGE = ("BROWSE_FIRST", "BROWSE_NEXT", *AT_THE_CURSOR)
"""Which message is meant by a get or browse: one of them at most is stated."""

BROWSES = tuple(each for each in WHICH_MESSAGE if each.startswith("BROWSE"))
GET_OPTIONS = ("LOGICAL_ORDER", "ALL_MSGS_AVAILABLE", "ALL_SEGMENTS_AVAILABLE", "COMPLETE_MSG", *WHICH_MESSAGE)
MATCH_KEYS: Mapping[str, Any] = {
    "id": LABEL_TEXT_OR_BLANK,
    "correlation": LABEL_TEXT_OR_BLANK,
    "group": LABEL_TEXT_OR_BLANK,
    "sequence": Whole(1, LARGEST),
    "offset": Whole(0, LARGEST_LONG),
}
"""What a get can ask a message to have."""


@frozen
class Match:
    """The identity that a message must have: the keys that match options name, and their values."""

    def __call__(self, value: object, key: str) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise DomainError(key, value, f"allowed: a table with keys {', '.join(MATCH_KEYS)}")
        for name in value:
            if name not in MATCH_KEYS:
                near = suggest_word(name, MATCH_KEYS)
                raise DomainError(key, name, f"allowed: a table with keys {', '.join(MATCH_KEYS)}{near}")
        return MappingProxyType({name: MATCH_KEYS[name](given, f"{key}.{name}") for name, given in value.items()})


MATCH: Any = Match()


@frozen
class EventWord:
    """One of the kinds of event, in any letter case; kept in lower case."""

    def __call__(self, value: object, key: str) -> str:
        if isinstance(value, str) and value.lower() in EVENT_WORDS:
            return value.lower()
        near = suggest_word(value.lower(), EVENT_WORDS) if isinstance(value, str) else ""
        raise DomainError(key, value, f"allowed: {', '.join(EVENT_WORDS)}{near}")


EVENT_WORD: Any = EventWord()


@frozen
class Settings:
    """A table of attributes and their new values; the object that it is for says which are allowed."""

    def __call__(self, value: object, key: str) -> Mapping[str, Any]:
        if isinstance(value, Mapping) and all(isinstance(each, str) for each in value):
            return MappingProxyType(dict(value))
        raise DomainError(key, value, "allowed: a table of attributes and their new values")


SETTINGS: Any = Settings()
NOTHING_SET: Mapping[str, Any] = MappingProxyType({})
CHANNEL_OR_BLANK = Text(CHANNEL_NAME.most)

UNALTERABLE = frozenset({"name", "queue_manager", "curdepth", "ipprocs", "command_level"})
"""What tells one object from another, what calls change, and the level, which a restart changes: no alter does."""

Altered = Queue | Channel | QueueManager | RemoteQueueManager

ALTERABLE: dict[type, Mapping[str, Domain]] = {
    each: {at.name: at.metadata["domain"] for at in fields(each) if at.name not in UNALTERABLE}
    for each in (Queue, Channel, QueueManager, RemoteQueueManager)
}
"""The attributes that an alter can change, by class of fact, with their domains."""

MESSAGE_KEYS = (
    "id", "group", "in_group", "sequence", "last_in_group", "segment", "last_segment", "offset", "length",
    "correlation", "logical_order",
)  # fmt: skip
"""What a put says of its message."""

GROUP_KEYS = ("last_in_group", "segment", "last_segment")
"""The keys that need a group, or a put in logical order, which has one."""

_Row = TypeVar("_Row")


class EventError(MqclauseError, ValueError):
    """An event that cannot happen in the state that it meets."""


@frozen
class Event:
    """One call or command. A blank name means that none is given; ``count`` repeats a put or a get.

    ``at`` is in milliseconds since the start; None is the time of the event before. ``priority`` None is the
    queue's DEFPRTY. ``to_queue_manager`` is the queue manager that a put or an open for output names
    (ObjectQMgrName). ``length`` is in bytes. ``segments`` is how many messages the queue manager makes of one put.
    ``set`` holds the attributes that an alter (a command, or MQSET) gives new values. From ``id`` on: what a put
    says of its message (None: nothing), whether it states LOGICAL_ORDER, and the options and match options of a get.
    ``command_level`` is that of the queue manager after a restart, None if it is as before.
    ``cluster`` is that of a suspension or a refresh, ``id`` also that of a message that arrives, which may be ``bound``
    to this queue manager.
    """

    do: str = fact_field(EVENT_WORD)
    queue: str = fact_field(NAME_OR_BLANK, "")
    channel: str = fact_field(CHANNEL_OR_BLANK, "")
    queue_manager: str = fact_field(NAME_OR_BLANK, "")
    priority: int | None = fact_field(Whole(0, HIGHEST_GIVEN), None)
    unit_of_work: str = fact_field(NAME_OR_BLANK, "")
    segments: int = fact_field(Whole(1, LARGEST), 1)
    at: int | None = fact_field(Whole(0, LATEST), None)
    by: str = fact_field(NAME_OR_BLANK, "")
    mode: str = fact_field(Words((*MODES, *SUSPEND_MODES)), "INPUT_SHARED")
    cluster: str = fact_field(NAME_OR_BLANK, "")
    repos: str = fact_field(Words(REPOS_WORDS), "NO")
    to_queue_manager: str = fact_field(GIVEN_NAME, "")
    bind: str = fact_field(Words((*BINDINGS, "AS_Q_DEF")), "AS_Q_DEF")
    persistent: bool = fact_field(Flag(), True)
    length: int = fact_field(Whole(0, LONGEST_MESSAGE), 100)
    cluster_pcf: bool = fact_field(Flag(), False)
    set: Mapping[str, Any] = fact_field(SETTINGS, NOTHING_SET)
    count: int = fact_field(Whole(1, MOST_REPEATED), 1)
    id: str = fact_field(LABEL_TEXT_OR_BLANK, "")
    group: str = fact_field(LABEL_TEXT_OR_BLANK, "")
    in_group: bool | None = fact_field(Flag(), None)
    sequence: int = fact_field(Whole(1, LARGEST), 1)
    last_in_group: bool | None = fact_field(Flag(), None)
    segment: bool = fact_field(Flag(), False)
    last_segment: bool = fact_field(Flag(), False)
    offset: int = fact_field(Whole(0, LARGEST_LONG), 0)
    correlation: str = fact_field(LABEL_TEXT_OR_BLANK, "")
    logical_order: bool = fact_field(Flag(), False)
    options: tuple[str, ...] = fact_field(Names(Words(GET_OPTIONS)), ())
    match: Mapping[str, Any] = fact_field(MATCH, NOTHING_SET)
    bound: bool = fact_field(Flag(), False)
    command_level: int | None = fact_field(Whole(LOWEST_LEVEL, HIGHEST_LEVEL), None)

    @property
    def suspend_mode(self) -> str:
        """The mode that a suspension states; blank: none."""
        return self.mode if self.mode in SUSPEND_MODES else ""

    def __reduce__(self) -> tuple[Any, ...]:
        # As it is made: a mapping that nobody can change does not pickle.
        stated = ((each.name, getattr(self, each.name)) for each in fields(Event))
        values = ((name, dict(value) if isinstance(value, Mapping) else value) for name, value in stated)
        given: dict[str, Any] = {name: value for name, value in values if value is not None}
        return partial(Event, **given), ()


def render_event_label(position: int, do: object) -> str:
    """Render the name of the event at ``position``, counted from 1, by its number in a replay: ``event 0 (put)``."""
    number = position - 1
    return f"event {number} ({do.lower()})" if isinstance(do, str) and do.lower() in EVENT_WORDS else f"event {number}"


class QueueChange(NamedTuple):
    """A local queue before and after an alter."""

    before: Queue
    after: Queue


class Alteration(NamedTuple):
    """The snapshot after an alter; ``queue`` is the local queue that it changed, if it did."""

    cluster: Cluster
    queue: QueueChange | None


def apply_alter(cluster: Cluster, event: Event) -> Alteration:
    """Apply the alter ``event`` to ``cluster``; raises EventError if it cannot be."""
    try:
        found = find_altered_objects(cluster, event)
    except EventError as error:  # it is in the facts, and a refresh has removed it
        raise EventError(f"as of this event {error}") from None
    _check_names(found[0], event.set)
    try:
        changed = [evolve(each, **event.set) for each in found]
        after = replace_objects(cluster, found, changed)
    except (DomainError, ContradictionError) as error:
        raise EventError(f"set: {error}") from None
    old, new = found[0], changed[0]
    if isinstance(old, Queue) and isinstance(new, Queue) and old.queue_manager == cluster.queue_manager.name:
        return Alteration(after, QueueChange(old, new))
    return Alteration(after, None)


def set_attribute(cluster: Cluster, queue: Queue, name: str, value: object) -> Cluster:
    """Return ``cluster`` with one attribute of ``queue`` changed."""
    changed: dict[str, Any] = {name: value}
    return replace_objects(cluster, [queue], [evolve(queue, **changed)])


def find_altered_objects(cluster: Cluster, event: Event) -> Sequence[Altered]:
    """Find the objects that an alter names, all of one kind; raises EventError if there is none."""
    if event.channel:
        if event.queue or event.queue_manager:
            raise EventError("names a channel together with another object; allowed: one object")
        return _known(
            [each for each in cluster.channels if each.name == event.channel],
            "channel",
            event.channel,
            (each.name for each in cluster.channels),
        )
    if event.queue:
        return [_queue(cluster, event)]
    own = cluster.queue_manager
    if event.queue_manager in ("", own.name):
        return [own]
    other = cluster.remote.get(event.queue_manager)
    return _known([other] if other else [], "queue_manager", event.queue_manager, (own.name, *cluster.remote))


def describe_unknown_name(table: str, name: str, known: Iterable[str]) -> str:
    """Say what is wrong with the name of an object that is not in the facts."""
    return f"{table} {quote_value(name)} is not known; allowed: one of the facts{suggest_word(name, known)}"


def find_conflicting_keys(row: Mapping[str, Any]) -> Iterator[str]:
    """Say which keys of a put or a get exclude one another; their values are checked elsewhere."""
    if "options" in row:
        yield from _of_options(row["options"])
    if row.keys().isdisjoint(MESSAGE_KEYS):
        return
    said = next(key for key in MESSAGE_KEYS if key in row)
    if "segments" in row:
        given = quote_value(row["segments"])
        yield f"segments: {given} is not allowed with {said}; the queue manager segments the message"
    count = row.get("count", 1)
    if "id" in row and isinstance(count, int) and count > 1:
        yield f"id: {quote_value(row['id'])} is not allowed with count {count}; an id is one message's"
    if not row.get("group") and row.get("logical_order") is not True:
        wrong = next((key for key in GROUP_KEYS if row.get(key) is True), None)
        if wrong:
            yield f"{wrong}: True is not allowed without group; allowed with group or with logical_order = true"


def read_rows(data: object, table: str, maker: Maker[_Row]) -> tuple[list[_Row], list[str]]:
    """Build objects from the rows of a table in a parsed document, or return every fault. Never raises."""
    given = data.get(table, ()) if isinstance(data, Mapping) else ()
    if wrong := describe_wrong_list(table, given):
        return [], [wrong]
    made: list[_Row] = []
    faults: list[str] = []
    for position, row in enumerate(given, 1):
        try:
            made.append(maker(row))
        except (AttributeError, KeyError, TypeError, DomainError):
            label = render_table_label(table, position, row)
            if isinstance(row, Mapping):
                faults += (f"{label}: {message}" for _, message in maker.find_faults(row))
            else:
                faults.append(f"{label}: {quote_value(row)} is given where a table is expected")
    return made, faults


def _check_names(of: Altered, names: Iterable[str]) -> None:
    for name in names:
        if name not in ALTERABLE[type(of)]:
            raise EventError(f"set: unknown attribute {quote_value(name)}; allowed: {', '.join(ALTERABLE[type(of)])}")


def _queue(cluster: Cluster, event: Event) -> Queue:
    host = event.queue_manager or cluster.queue_manager.name
    instances = cluster.queues_by_name.get(event.queue, ())
    for queue in instances:
        if queue.queue_manager == host:
            return queue
    if not instances:
        _known([], "queue", event.queue, cluster.queues_by_name)
    hosts = ", ".join(queue.queue_manager for queue in instances)
    raise EventError(
        f"queue {quote_value(event.queue)} has no instance on {quote_value(host)}; queue_manager allowed: {hosts}"
    )


def _known(found: Sequence[Altered], table: str, name: str, known: Iterable[str]) -> Sequence[Altered]:
    if not found:
        raise EventError(describe_unknown_name(table, name, known))
    return found


def _of_options(given: object) -> Iterator[str]:
    if not isinstance(given, list | tuple):
        return
    options = [each.upper() for each in given if isinstance(each, str)]
    stated = [each for each in WHICH_MESSAGE if each in options]
    if len(stated) > 1:
        yield f"options: {' and '.join(stated)} stand together; allowed: one of {', '.join(WHICH_MESSAGE)}"
    elif "LOGICAL_ORDER" in options and stated and stated[0] in AT_THE_CURSOR:
        yield f"options: LOGICAL_ORDER stands beside {stated[0]}; the message under the cursor has no order"
