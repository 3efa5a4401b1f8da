"""Facts documents to facts, when their text is parsed; every fault of a document is told, not only the first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any, TypeVar

from attrs import evolve, fields, frozen

from mqclause.model.diagnostic import Diagnostic, DomainError, given_as, quoted, suggestion
from mqclause.model.facts.domains import NAMES, Maker, attribute
from mqclause.model.facts.message import Message, message_fault
from mqclause.model.facts.objects import (
    Channel,
    ChannelStatus,
    ModelQueue,
    Process,
    Put,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.model.readers.facts_document import NO_PLACES, DocumentPath, DocumentPlaces, FactsDocument, labelled

_T = TypeVar("_T")

Told = tuple[DocumentPath, str]
"""Where something is wrong, and what."""

MOST_FAULTS = 10_000
"""How many faults of one document are told; a document with more is no facts document at all."""


@frozen
class Unknown:
    """What nobody knows although it counts as known where it is left out: of the objects named here, by attribute.

    ``status`` names channels of either table, ``curdepth`` local queues. What an object's own table gives is known.
    ``process`` and ``initq`` name local queues whose process, or initiation queue, may be defined although no table
    here does so. All others name objects that were displayed without the attribute: see UNKNOWABLE.
    """

    status: tuple[str, ...] = attribute(NAMES, ())
    curdepth: tuple[str, ...] = attribute(NAMES, ())
    process: tuple[str, ...] = attribute(NAMES, ())
    initq: tuple[str, ...] = attribute(NAMES, ())
    clusters: tuple[str, ...] = attribute(NAMES, ())
    put: tuple[str, ...] = attribute(NAMES, ())
    get: tuple[str, ...] = attribute(NAMES, ())
    clwlrank: tuple[str, ...] = attribute(NAMES, ())
    clwlprty: tuple[str, ...] = attribute(NAMES, ())
    clwlwght: tuple[str, ...] = attribute(NAMES, ())
    netprty: tuple[str, ...] = attribute(NAMES, ())
    clwluseq: tuple[str, ...] = attribute(NAMES, ())
    clwlmruc: tuple[str, ...] = attribute(NAMES, ())
    clwlexit: tuple[str, ...] = attribute(NAMES, ())
    defxmitq: tuple[str, ...] = attribute(NAMES, ())
    trigint: tuple[str, ...] = attribute(NAMES, ())
    suspended: tuple[str, ...] = attribute(NAMES, ())
    defbind: tuple[str, ...] = attribute(NAMES, ())
    defprty: tuple[str, ...] = attribute(NAMES, ())
    usage: tuple[str, ...] = attribute(NAMES, ())
    trigger: tuple[str, ...] = attribute(NAMES, ())
    trigtype: tuple[str, ...] = attribute(NAMES, ())
    trigmpri: tuple[str, ...] = attribute(NAMES, ())
    trigdpth: tuple[str, ...] = attribute(NAMES, ())
    target: tuple[str, ...] = attribute(NAMES, ())
    rname: tuple[str, ...] = attribute(NAMES, ())
    rqmname: tuple[str, ...] = attribute(NAMES, ())
    xmitq: tuple[str, ...] = attribute(NAMES, ())


UNKNOWABLE = {
    "status": ("channel", "channel_status"),
    "curdepth": ("queue",),
    "process": ("queue",),
    "initq": ("queue",),
    **dict.fromkeys(("put", "clwlrank", "clwlprty"), ("queue", "channel", "queue_manager_alias")),
    **dict.fromkeys(("clwlwght", "netprty"), ("channel",)),
    "clwluseq": ("queue", "queue_manager"),
    **dict.fromkeys(("clwlmruc", "clwlexit", "defxmitq", "trigint"), ("queue_manager",)),
    "suspended": ("remote_queue_manager",),
    **dict.fromkeys(
        ("clusters", "get", "defbind", "defprty", "usage", "trigger", "trigtype", "trigmpri", "trigdpth",
         "target", "rname", "rqmname", "xmitq"), ("queue",)),
}  # fmt: skip
"""The tables of the objects that an attribute can be unknown of."""

_queue_manager = Maker(QueueManager)
_remote_queue_manager = Maker(RemoteQueueManager)
_queue = Maker(Queue)
_queue_manager_alias = Maker(QueueManagerAlias)
_channel = Maker(Channel)
_process = Maker(Process)
_model_queue = Maker(ModelQueue)
_channel_status = Maker(ChannelStatus)
_put = Maker(Put)
_message = Maker(Message)
_unknown = Maker(Unknown)

SINGLE: dict[str, Maker[Any]] = {"queue_manager": _queue_manager, "put": _put, "unknown": _unknown}
"""The tables that stand at most once in a document."""

MANY: dict[str, Maker[Any]] = {
    "remote_queue_manager": _remote_queue_manager,
    "queue": _queue,
    "queue_manager_alias": _queue_manager_alias,
    "channel": _channel,
    "process": _process,
    "model_queue": _model_queue,
    "channel_status": _channel_status,
    "message": _message,
}
"""The tables of which a document has a list."""

LIST_TABLES = {
    "remote_queue_managers": "remote_queue_manager",
    "queues": "queue",
    "queue_manager_aliases": "queue_manager_alias",
    "channels": "channel",
    "processes": "process",
    "model_queues": "model_queue",
    "channel_statuses": "channel_status",
}
"""The table of each field of ``Facts`` that holds a list."""

IGNORED = ("event", "information", "request", "in_flight")
"""What a facts document may hold for others to read."""

TABLES = ("queue_manager", *MANY, "put", "unknown", *IGNORED)
KNOWN = frozenset(TABLES)

FACTS_TITLE = "facts in TOML or JSON"
"""How messages list the formats of facts documents."""


@frozen
class Facts:
    """The facts of one document, in its order; where there are ``diagnostics`` there are no facts."""

    source: str
    queue_manager: QueueManager | None = None
    remote_queue_managers: tuple[RemoteQueueManager, ...] = ()
    queues: tuple[Queue, ...] = ()
    queue_manager_aliases: tuple[QueueManagerAlias, ...] = ()
    channels: tuple[Channel, ...] = ()
    processes: tuple[Process, ...] = ()
    model_queues: tuple[ModelQueue, ...] = ()
    put: Put | None = None
    messages: tuple[Message, ...] = ()
    channel_statuses: tuple[ChannelStatus, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def states_facts(document: FactsDocument) -> bool:
    """Whether any table of a facts document is there: other programs write TOML and JSON too."""
    return isinstance(document.data, Mapping) and not KNOWN.isdisjoint(document.data)


def read_facts(
    data: object,
    source: str,
    local: str | None = None,
    consume: bool = False,
    places: DocumentPlaces = NO_PLACES,
) -> Facts:
    """The facts in a parsed document: a mapping of table names to tables and lists of tables.

    Never raises; the faults stand in ``diagnostics``, at the ``places`` of the document's keys. ``local`` is the local
    queue manager's name for a document without a queue_manager table. With ``consume`` the rows of messages give way in
    ``data`` to what is made of them: a million of them are not kept twice.
    """
    try:
        return _made(data, source, local, consume)
    except (AttributeError, KeyError, TypeError, DomainError):
        pass  # what is wrong is told below: this way a good document does not pay for it
    told = islice(_faults(data, local), MOST_FAULTS)
    faults = tuple(Diagnostic(source, message, *places.nearest(*path)) for path, message in told)
    return Facts(source, diagnostics=faults) if faults else _made(_plain(data), source, local, False)


def _made(data: Any, source: str, local: str | None, consume: bool) -> Facts:
    if not data.keys() <= KNOWN:
        raise KeyError("a table")
    own = _queue_manager(data["queue_manager"]) if "queue_manager" in data else None
    queues = _rows(data, "queue", _hosted(own.name if own else local))
    return Facts(
        source,
        own,
        _rows(data, "remote_queue_manager", _remote_queue_manager),
        _of_unknown_depth(queues, data) if "unknown" in data else queues,
        _rows(data, "queue_manager_alias", _queue_manager_alias),
        _rows(data, "channel", _channel),
        _rows(data, "process", _process),
        _rows(data, "model_queue", _model_queue),
        _put(data["put"]) if "put" in data else None,
        _messages(data, consume),
        _rows(data, "channel_status", _channel_status),
    )


def _rows(data: Mapping[str, Any], table: str, make: Callable[[Any], _T]) -> tuple[_T, ...]:
    rows = data.get(table, ())
    if rows == ():
        return ()
    if type(rows) is not list:
        raise TypeError(table)
    return tuple([make(row) for row in rows])


def _of_unknown_depth(queues: tuple[Queue, ...], data: Mapping[str, Any]) -> tuple[Queue, ...]:
    """The queues, without the depth of those of which it is said to be unknown. Raises KeyError and DomainError."""
    if any(True for _ in _not_there(_unknown(data["unknown"]), data)):
        raise KeyError("an object of which something is unknown")
    names = set(data["unknown"].get("curdepth", ()))
    return tuple(
        evolve(queue, curdepth=None) if queue.name in names and "curdepth" not in row else queue
        for queue, row in zip(queues, data.get("queue", ()), strict=True)
    )


def _not_there(unknown: Unknown, data: Mapping[str, Any]) -> Iterator[str]:
    """The objects of which something is said to be unknown and that the document does not have."""
    for each in fields(Unknown):
        tables = UNKNOWABLE[each.name]
        names = {row.get("name") for table in tables for row in _rows_of(table, data) if isinstance(row, Mapping)}
        for name in getattr(unknown, each.name):
            if name not in names:
                near = suggestion(name, [known for known in names if isinstance(known, str)])
                yield f"unknown: {each.name}: no {tables[0]} {quoted(name)} is in this document{near}"


def _rows_of(table: str, data: Mapping[str, Any]) -> Iterable[Any]:
    """The rows of a table that a document may have, of one that stands once that one."""
    given = data.get(table, ())
    return (given,) if table in SINGLE else given


def _hosted(local: str | None) -> Callable[[Any], Queue]:
    """Makes a queue, on the local queue manager where none is given."""
    return lambda row: _queue(row if "queue_manager" in row else {**row, "queue_manager": local})


def _messages(data: Mapping[str, Any], consume: bool) -> tuple[Message, ...]:
    if not consume or type(data.get("message")) is not list:
        return _rows(data, "message", _the_message)
    rows = data["message"]
    for at, row in enumerate(rows):
        rows[at] = _the_message(row)
    return tuple(rows)


def _the_message(given: Any) -> Message:
    if isinstance(given, Message):
        return given
    message = _message(given)
    if message_fault(message):
        raise TypeError("message")
    return message


def _plain(data: Any) -> dict[str, Any]:
    """A document of mappings and tuples as one of dicts and lists."""
    return {
        table: dict(given)
        if isinstance(given, Mapping)
        else [row if isinstance(row, Message) else dict(row) for row in given]
        for table, given in data.items()
        if table not in IGNORED
    }


def _faults(data: object, local: str | None) -> Iterator[Told]:
    if not isinstance(data, Mapping):
        allowed = f"allowed: tables {', '.join(TABLES)}"
        yield (), f"{quoted(data)} is given where a facts document is expected; {allowed}"
        return
    # With a queue_manager table of its own, a fault in that table is told there and not at every queue.
    host = "?" if "queue_manager" in data else local
    for table, given in data.items():
        if table in SINGLE:
            yield from _single_faults(table, given)
        elif table in MANY:
            yield from _many_faults(table, given, host)
        elif table not in IGNORED:
            allowed = f"allowed: {', '.join(TABLES)}{_near(table, TABLES)}"
            yield (table,), f"unknown table {quoted(table)}; {allowed}"
    # what is wrong with the table itself is told already
    with suppress(AttributeError, KeyError, TypeError, DomainError):
        for message in _not_there(_unknown(data.get("unknown", {})), data):
            yield ("unknown",), message


def _single_faults(table: str, given: object) -> Iterator[Told]:
    if isinstance(given, list | tuple):
        how = f"write [{table}] in TOML, an object in JSON"
        yield (table,), f"{table}: a list is given where one table is expected; {how}"
    elif not isinstance(given, Mapping):
        yield (table,), f"{table}: {quoted(given)} is given where a table is expected"
    else:
        yield from _table_faults((table,), labelled(table, None, given), SINGLE[table], given)


def _many_faults(table: str, given: object, host: str | None) -> Iterator[Told]:
    if isinstance(given, Mapping):
        how = f"write [[{table}]] in TOML, a list of objects in JSON"
        yield (table,), f"{table}: one table is given where a list of tables is expected; {how}"
    elif not isinstance(given, list | tuple):
        yield (table,), f"{table}: {quoted(given)} is given where a list of tables is expected"
    else:
        for position, row in enumerate(given):
            yield from _row_faults(table, position, row, host)


def _row_faults(table: str, position: int, row: object, host: str | None) -> Iterator[Told]:
    if isinstance(row, Message):
        return  # it was made before another row turned out to be wrong
    path, label = (table, position), labelled(table, position + 1, row)
    if not isinstance(row, Mapping):
        yield path, f"{label}: {quoted(row)} is given where a table is expected"
        return
    implied = table == "queue" and host is not None and "queue_manager" not in row
    found = list(_table_faults(path, label, MANY[table], {**row, "queue_manager": host} if implied else row))
    yield from found
    if table == "message" and not found and (fault := message_fault(_message(row))):
        yield path, f"{label}: {fault}"


def _table_faults(path: DocumentPath, label: str, maker: Maker[Any], given: Mapping[Any, object]) -> Iterator[Told]:
    for key, value in given.items():
        domain = maker.domains.get(key)
        if domain is None:
            allowed = f"allowed: {', '.join(maker.domains)}{_near(key, maker.domains)}"
            yield (*path, key), f"{label}: unknown key {quoted(key)}{given_as(key, value)}; {allowed}"
            continue
        try:
            domain(value, key)
        except DomainError as error:
            yield (*path, key), f"{label}: {error}"
    for key in maker.required:
        if key not in given:
            yield path, f"{label}: {key} is missing; it must be given"


def _near(word: object, known: Mapping[str, object] | tuple[str, ...]) -> str:
    return suggestion(word, known) if isinstance(word, str) else ""
