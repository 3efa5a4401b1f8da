"""Write a snapshot as a facts document."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from attrs import NOTHING, fields

from mqclause.model.configuration.provenance import Provenance
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.facts.messages import Message
from mqclause.model.facts.objects import Channel, ChannelStatus, Fact, Put, Queue
from mqclause.model.readers.facts_files import LIST_TABLES, UNKNOWABLE_TABLES

EXPLICIT_ORIGINS = ("stated", "observed")
"""The origins of what some source says."""


def build_facts_document(snapshot: Snapshot) -> dict[str, Any]:
    """Build the facts document of a snapshot: tables of plain values."""
    return {table: list(of) if isinstance(of, Iterator) else of for table, of in build_facts_tables(snapshot).items()}


def build_facts_tables(snapshot: Snapshot) -> dict[str, Any]:
    """Build the tables of the facts document of a snapshot; the rows of a list are made when they are asked for, once.

    An attribute that a source states or shows is written, one that is at MQ's default because nobody says it is not.
    What is not known, and reads as known where it is left out, is named under ``unknown``.
    """
    cluster, provenance = snapshot.cluster, snapshot.provenance
    document: dict[str, Any] = {"queue_manager": _row(cluster.queue_manager, provenance)}
    for name, table in LIST_TABLES.items():
        facts: Sequence[Fact] = getattr(cluster, name)
        document |= {table: map(partial(_row, provenance=provenance), facts)} if facts else {}
    if snapshot.put is not None:
        document["put"] = _row(snapshot.put, provenance)
    if snapshot.messages:
        document["message"] = map(_differing, snapshot.messages)
    unknown = _unknown(snapshot)
    return document | ({"unknown": unknown} if unknown else {})


def _row(fact: Fact | Put, provenance: Provenance) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for each in fields(type(fact)):
        value = getattr(fact, each.name)
        if value is None:
            continue
        if each.default is NOTHING or value != each.default or provenance.of(fact, each.name).how in EXPLICIT_ORIGINS:
            row[each.name] = list(value) if isinstance(value, tuple) else value
    return row


def _differing(message: Message) -> dict[str, Any]:
    """What of a message is not as it is where it is left out."""
    kept = {each.name: getattr(message, each.name) for each in fields(Message)}
    left_out = {each.name: each.default for each in fields(Message) if each.default is not NOTHING}
    return {name: value for name, value in kept.items() if name not in left_out or value != left_out[name]}


def _unknown(snapshot: Snapshot) -> Mapping[str, list[str]]:
    """The names of those that an attribute is not known of, by attribute."""
    cluster, provenance, known = snapshot.cluster, snapshot.provenance, snapshot.knowledge
    local = cluster.queue_manager.name
    channels: list[Channel | ChannelStatus] = [*cluster.channels, *cluster.channel_statuses]
    of = {
        "status": [each.name for each in channels if not provenance.tells(each, "status")],
        "curdepth": [each.name for each in cluster.queues if _is_untold(each, local)],
        **{attribute: _naming(attribute, queues, snapshot) for attribute, queues in known.undisplayed.items()},
    }  # fmt: skip
    lists = (getattr(cluster, name) for name in LIST_TABLES) if known.leaves_open else ()
    for fact in chain([cluster.queue_manager], *lists):
        for attribute in snapshot.unshown.of(fact):
            of.setdefault(attribute, []).append(fact.name)
    return {attribute: list(dict.fromkeys(of[attribute])) for attribute in UNKNOWABLE_TABLES if of.get(attribute)}


def _naming(attribute: str, queues: Collection[str], snapshot: Snapshot) -> list[str]:
    """Of the local ``queues`` those that name something in ``attribute``."""
    own = snapshot.cluster.own_queues
    return [name for name, queue in own.items() if name in queues and getattr(queue, attribute)]


def _is_untold(queue: Queue, local: str) -> bool:
    return queue.queue_manager == local and queue.type == "QLOCAL" and queue.curdepth is None
