"""Contributions: what the files of one queue manager tell of its clusters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from attrs import evolve, field, frozen

from mqclause.model.assembly.change import WhatIf, fields_set, is_meant
from mqclause.model.assembly.cluster_records import ClusterRecord
from mqclause.model.assembly.configured import FileLine
from mqclause.model.assembly.configured_member import ANY, ConfiguredMember
from mqclause.model.assembly.configured_routes import TEMPORARY
from mqclause.model.assembly.mq_object import MqObject
from mqclause.model.facts.delivery import Delivery
from mqclause.model.facts.objects import Channel, Queue, QueueManager, RemoteQueueManager

ShownT = TypeVar("ShownT", Queue, Channel)

MANUAL = ("CLUSSDR", "CLUSSDRB")
"""The DEFTYPE of routes that somebody defined."""

OnDisplay = tuple[str, str, str]
"""QUEUE or CHANNEL, the name of what is displayed, and whose it is."""


@frozen(eq=False)
class Contribution:
    """What one queue manager's files tell of its clusters: its own queues and receivers, and those displayed of others.

    ``knows_all``: nothing is in these clusters but what the files tell, as in a facts document. What a file without a
    name (``is_named``) says may be said of many queue managers.
    ``senders`` are its CLUSSDR channels, as cluster, name and place, ``repositories`` the clusters of which it is a
    full repository, by its own files; ``others`` are full repositories by what it displays, as cluster and name.
    ``tells_repositories``: its files tell of which clusters it is one, or that it is none.
    ``partials`` are the members that it displays as no full repositories, as cluster and name: what a facts document
    does not say to be one may be one. ``manual`` are the cluster
    senders that were defined at it, as cluster, name and, where it displays them, the queue manager that they lead to;
    ``tells_senders``: its files would tell all of those. ``connames`` are the addresses of receivers, by channel.
    ``records`` are what it displays of queues in clusters, its own ones too; what a change has ``altered`` since, by
    name and attribute, others learn of again.
    ``told`` names, of each queue and receiver that is only displayed, the attributes that the display shows.
    """

    queue_manager: QueueManager
    clusters: frozenset[str]
    knows_all: bool
    is_named: bool
    queues: tuple[Queue, ...] = ()
    receivers: tuple[Channel, ...] = ()
    senders: tuple[tuple[str, str, FileLine], ...] = ()
    repositories: frozenset[str] = frozenset()
    others: frozenset[tuple[str, str]] = frozenset()
    told: Mapping[OnDisplay, frozenset[str]] = field(factory=dict)
    tells_repositories: bool = True
    partials: frozenset[tuple[str, str]] = frozenset()
    manual: tuple[tuple[str, str, str], ...] = ()
    tells_senders: bool = False
    connames: Mapping[str, str] = field(factory=dict)
    records: tuple[ClusterRecord, ...] = ()
    altered: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, member: ConfiguredMember) -> Contribution:
        """What a member contributes."""
        objects = member.objects
        own = [*member.clustered_queues()]
        rows = [row for row in objects.rows if row.text("CLUSTER")]
        shown = [row for row in rows if row.kind == "QCLUSTER" and row.text("CLUSQMGR")]
        receivers = [
            _receiver(each, member.name, name) for each in objects.channels("CLUSRCVR") for name in each.clusters
        ]
        displayed = [row for row in rows if row.kind == "CLUSQMGR" and row.text("CHANNEL")]
        told = _told(
            (*((("QUEUE", found.name, member.name), found) for found, _ in own),
             *((("QUEUE", row.name, row.text("CLUSQMGR")), row) for row in shown),
             *((("CHANNEL", found.name, member.name), found) for found in objects.channels("CLUSRCVR")),
             *((("CHANNEL", row.text("CHANNEL"), row.name), row) for row in displayed))
        )  # fmt: skip
        repositories = frozenset(name for each in objects.of("QMGR") for name in member.joined_of(each))
        members = (*objects.channels("CLUSRCVR"), *objects.channels("CLUSSDR"), *objects.of("QMGR"))
        return cls(
            member.queue_manager,
            frozenset(name for each in members for name in each.clusters) | {row.text("CLUSTER") for row in rows},
            member.knows_all,
            bool(member.owner),
            (*(_own(queue, member) for _, queue in own), *map(_displayed, shown)),
            (*receivers, *map(_route, displayed)),
            tuple(_senders(member)),
            repositories,
            frozenset((row.text("CLUSTER"), row.name) for row in rows if _is_reached(row, "REPOS")),
            told,
            _tells_repositories(member),
            _partials(member, rows),
            tuple(_manual(member, rows)),
            _tells_senders(member, rows),
            {name: text for name, text in _connames(member, displayed) if text},
            tuple(ClusterRecord.of(row, member.name) for row in shown),
            frozenset(_altered(member)),
        )

    @property
    def name(self) -> str:
        """The queue manager's name."""
        return self.queue_manager.name

    def displaying(self, change: WhatIf) -> set[str]:
        """The other queue managers that have what a command names, as its files display it."""
        if change.kind == "QMGR":
            return {each.queue_manager for each in self.receivers if each.queue_manager == change.name}
        facts: tuple[Queue | Channel, ...] = (*self.queues, *self.receivers)
        return {each.queue_manager for each in facts if is_meant(each, change, self.name)} - {self.name}

    def with_displayed(self, change: WhatIf) -> Contribution:
        """The same after a command about something of others. Raises FactsError.

        Of them themselves nothing is displayed that it sets, but that they are suspended, of which no check is.
        """
        told = dict(self.told)
        if change.kind == "QMGR":
            fields_set(change, RemoteQueueManager(change.name, tuple(self.clusters)))

        def after(fact: ShownT, kind: str) -> ShownT:
            if not is_meant(fact, change, self.name):
                return fact
            fields, shown = fields_set(change, fact), (kind, fact.name, fact.queue_manager)
            told.update({shown: told[shown] | fields.keys()} if shown in told else {})
            return evolve(fact, **fields)

        queues = tuple(after(each, "QUEUE") for each in self.queues)
        return evolve(
            self, queues=queues, receivers=tuple(after(each, "CHANNEL") for each in self.receivers), told=told
        )

    def without(self, channels: Collection[str]) -> Contribution:
        """The same without some of its CLUSSDR channels."""
        return evolve(self, senders=tuple(each for each in self.senders if each[1] not in channels))


def senders_to(members: Iterable[Contribution], left: Collection[str]) -> list[Delivery]:
    """The CLUSSDR channels that no receiver answers once some queue managers have left, of those that stay."""
    known = [*members]
    receivers = [channel for each in known for channel in each.receivers]
    answered = {channel.name for channel in receivers if channel.queue_manager not in left}
    unanswered = {channel.name: channel.queue_manager for channel in receivers if channel.name not in answered}
    found = []
    for each in known:
        names = dict.fromkeys(name for _, name, _ in each.senders) if each.name not in left else {}
        ways = sum(name not in unanswered for name in names)
        found += [
            Delivery(each.name, queue_manager=unanswered[name], channel=name, has_left=True, other_ways=ways)
            for name in names
            if name in unanswered
        ]
    return found


def _senders(member: ConfiguredMember) -> Iterator[tuple[str, str, FileLine]]:
    for each in member.objects.channels("CLUSSDR"):
        yield from ((name, each.name, (each.record.source, each.record.line)) for name in each.clusters)


def _altered(member: ConfiguredMember) -> Iterator[tuple[str, str]]:
    """The attributes of queues that changes state, each with the name of the queue."""
    for script in member.objects.scripts if any(each.overlay for each in member.objects.scripts) else ():
        for record in script.records if script.overlay else ():
            yield from ((record.name, name.lower()) for name in record.attributes)


def _own(queue: Queue, member: ConfiguredMember) -> Queue:
    """A queue of its own; where CLWLUSEQ is left to the queue manager, with what that says."""
    return evolve(queue, clwluseq=member.queue_manager.clwluseq) if queue.clwluseq == "QMGR" else queue


def _tells_repositories(member: ConfiguredMember) -> bool:
    """Whether REPOS is told: by a definition, that of a receiver at least, or because it was displayed."""
    told = [each for each in member.objects.of("QMGR") if each.stating("REPOS") or each.stating("REPOSNL")]
    return bool(told) or not all(
        map(member.is_shown, (*member.objects.of("QMGR"), *member.objects.channels("CLUSRCVR")))
    )


def _is_reached(row: MqObject, qmtype: str) -> bool:
    """Whether a row shows a member of a type; the one whose place is held behind a CLUSSDR is none."""
    return row.text("QMTYPE") == qmtype and not row.name.startswith(TEMPORARY)


def _partials(member: ConfiguredMember, rows: Iterable[MqObject]) -> frozenset[tuple[str, str]]:
    found = (row for row in rows if _is_reached(row, "NORMAL") and not member.knows_all)
    return frozenset((row.text("CLUSTER"), row.name) for row in found)


def _manual(member: ConfiguredMember, rows: Iterable[MqObject]) -> Iterator[tuple[str, str, str]]:
    for each in member.objects.channels("CLUSSDR"):
        yield from ((name, each.name, "") for name in each.clusters)
    for row in rows:
        if row.text("DEFTYPE") in MANUAL:
            yield row.text("CLUSTER"), row.text("CHANNEL"), row.name


def _tells_senders(member: ConfiguredMember, rows: Iterable[MqObject]) -> bool:
    """Whether all its cluster senders are told: by a script, a dump or a log that has its channels, or its routes."""
    if member.knows_all or not member.owner:
        return False
    shown = [row for row in rows if row.kind == "CLUSQMGR"]
    asked = not member.asked.alone or member.asked.tells("CLUSQMGR", ANY)
    typed = bool(shown) and all(row.text("DEFTYPE") for row in shown)
    return member.tells("CHANNEL", ANY) or (asked and typed)


def _connames(member: ConfiguredMember, displayed: Iterable[MqObject]) -> Iterator[tuple[str, str]]:
    yield from ((row.text("CHANNEL"), row.text("CONNAME")) for row in displayed)
    yield from ((each.name, each.text("CONNAME")) for each in member.objects.channels("CLUSRCVR"))


def _told(found: Iterable[tuple[OnDisplay, MqObject]]) -> dict[OnDisplay, frozenset[str]]:
    """The attributes that every display of something shows; what is defined has them all."""
    told = dict[OnDisplay, frozenset[str]]()
    for shown, each in found:
        if each.record.action == "observe":
            told[shown] = told.get(shown, frozenset(each.fields)) & each.fields.keys()
    return told


def _displayed(row: MqObject) -> Queue:
    kind = row.text("CLUSQT") or "QLOCAL"
    kind = "QREMOTE" if kind == "QMGR" else kind
    return Queue(row.name, row.text("CLUSQMGR"), kind, clusters=(row.text("CLUSTER"),), **row.fields_of_queue())


def _receiver(found: MqObject, owner: str, cluster: str) -> Channel:
    return Channel(found.name, owner, cluster, "CLUSRCVR", **found.fields)


def _route(row: MqObject) -> Channel:
    fields: Mapping[str, Any] = {name: row.fields[name] for name in ("clwlrank", "clwlprty", "clwlwght", "netprty")
                                 if name in row.fields}  # fmt: skip
    return Channel(row.text("CHANNEL"), row.name, row.text("CLUSTER"), **fields)
