"""What was displayed before the commands of overlays: of what those change, a display no longer says how it is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from mqclause.model.assembly.attributes import FACT_ATTRIBUTES, MEMBERSHIP
from mqclause.model.assembly.mq_object import MqObject, only
from mqclause.model.assembly.objects import QUEUE_TYPES, Objects
from mqclause.model.readers.record import Record

AT_THE_SENDER = frozenset({"CHANNEL", "CLUSTER", "DEFTYPE", "STATUS", "SUSPEND"})
"""What a row about a queue manager shows besides the attributes of its receiver."""


def still_shown(rows: Iterable[MqObject], members: Mapping[str, Objects], local: str) -> Iterator[MqObject]:
    """The rows displayed at ``local`` without what overlays of ``members`` change: their own objects say that."""
    changes = {name: [*_commands(member)] for name, member in members.items()}
    if not any(changes.values()):
        yield from rows
        return
    for row in rows:
        owner = row.text("CLUSQMGR") if row.kind == "QCLUSTER" else row.name
        changed = {*_changed(row, changes.get(owner, ()), members.get(owner)), *_operated(row, changes.get(local, ()))}
        if not changed & MEMBERSHIP:
            yield _without(row, changed) if changed else row


def _commands(member: Objects) -> Iterator[Record]:
    return (record for script in member.scripts if script.overlay for record in script.records)


def _changed(row: MqObject, commands: Collection[Record], owner: Objects | None) -> Iterator[str]:
    """The attributes of the row that commands of the owner change, with CLUSTER if the row is no longer there."""
    for record in commands:
        is_queue = row.kind == "QCLUSTER" and record.kind in QUEUE_TYPES and record.name == row.name
        is_receiver = row.kind == "CLUSQMGR" and record.kind == "CHANNEL" and record.name == row.text("CHANNEL")
        if record.action in ("suspend", "resume") and row.kind == "CLUSQMGR":
            yield from ["SUSPEND"] if row.text("CLUSTER") in _clusters(record, owner) else []
        elif is_queue or is_receiver:
            if record.action == "delete" or (is_queue and record.action == "define"):
                yield "CLUSTER"
            elif record.action == "define":
                yield from FACT_ATTRIBUTES[row.kind].keys() - AT_THE_SENDER
            elif record.action == "alter":
                yield from record.attributes


def _operated(row: MqObject, commands: Collection[Record]) -> Iterator[str]:
    """The state of a route, if the local queue manager starts or stops its channel."""
    channel = row.name if row.kind == "CHSTATUS" else row.text("CHANNEL")
    to = row.text("RQMNAME") if row.kind == "CHSTATUS" else row.name
    for record in commands:
        is_meant = record.name == channel and record.listed("QMNAME") in ((), (to,))
        if row.kind != "QCLUSTER" and record.action in ("start", "stop", "state") and is_meant:
            yield "STATUS"


def _clusters(record: Record, owner: Objects | None) -> tuple[str, ...]:
    names = record.listed("CLUSNL")
    lists = [each for each in owner.of("NAMELIST") if each.name in names] if owner else []
    return (*record.listed("CLUSTER"), *(name for each in lists for name in _names_in(each)))


def _names_in(namelist: MqObject) -> tuple[str, ...]:
    by = namelist.stating("NAMES")
    return by.listed("NAMES") if by else ()


def _without(row: MqObject, changed: Collection[str]) -> MqObject:
    fields = {FACT_ATTRIBUTES[row.kind][name][0] for name in changed if name in FACT_ATTRIBUTES[row.kind]}
    left = [only(each, [name for name in each.attributes if name not in changed]) for each in row.statements]
    kept = {name: value for name, value in row.fields.items() if name not in fields}
    return MqObject(row.kind, row.name, row.record, tuple(left), kept)
