"""Configured objects: what one queue manager has, as a check looks at it, and where each attribute stands."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

from attrs import evolve, field, fields, frozen

from mqclause.model.assembly.incomplete import BEGINNING, END
from mqclause.model.assembly.inserts import INSERT
from mqclause.model.assembly.mq_object import MqObject
from mqclause.model.assembly.objects import Objects
from mqclause.model.assembly.operations import told
from mqclause.model.assembly.queue_facts import queue_fact
from mqclause.model.assembly.view import objects_of, platform_of
from mqclause.model.diagnostic import Diagnostic
from mqclause.model.facts.domains import LARGEST, NAME_OR_BLANK, Text, Whole, Words, seen
from mqclause.model.facts.objects import Channel, Process, Queue, QueueManager
from mqclause.model.readers.json_facts import JSON
from mqclause.model.readers.record import Script
from mqclause.model.readers.toml_facts import TOML

_QUEUES = ("QLOCAL", "QALIAS", "QREMOTE")
CHECKED_TYPES = (*_QUEUES, "CHANNEL", "QMGR")
NEEDED = (*CHECKED_TYPES, "PROCESS", "NAMELIST", "CLUSQMGR", "QCLUSTER")
"""The kinds of records that a check has a use for."""

MAKING = ("define", "observe")
"""The actions of records after which an object is there."""

COUNT = Whole(0, LARGEST)
OFF = -1
"""What stands for an interval that is no number, like KAINT(AUTO)."""

SHIPPED = "SYSTEM."
"""How the names of the objects begin that every queue manager is created with."""

FileLine = tuple[str, int | None]
"""A file and a line of it."""

_UNPLACED: Mapping[str, FileLine] = MappingProxyType({})
_UNSTATED: Mapping[str, int] = MappingProxyType({})
WORKLOAD_ATTRIBUTES = ("clwlrank", "clwlprty", "clwlwght")
"""What a CLUSSDR can state, and what counts is what the CLUSRCVR states."""


@frozen(eq=False)
class ConfiguredObject:
    """One object of one queue manager as a check sees it.

    ``hosts`` is how many queue managers host a clustered queue, ``enabled_hosts`` how many of them put-enabled; the
    words with ``same_`` say whether they have the same value of an attribute. ``unreachable`` says why no other queue
    manager ever sends a message to a host, ``leads_nowhere`` why a name leads to nothing; both are blank otherwise.
    ``receiver_differs`` names the workload attribute in which a CLUSSDR differs from the CLUSRCVR of that name.
    ``repositories`` are the full ones of a receiver's ``cluster``; its queue manager is a ``repository`` of it, and
    ``speaks_for_cluster`` if what the cluster lacks is to be said of it, once for all members.
    ``all_members_described`` says whether there may be more of them in files that are not given.
    A queue manager ``is_member`` of a cluster if it has a receiver in one; ``unjoined`` are clusters that a queue
    names and in which there is none, so that the queue is not clustered there. ``deadq_told`` says whether its files
    tell DEADQ, ``suspended_in`` is a cluster in which it is suspended.

    ``owner`` is the queue manager, blank where no file names it. ``found`` is its definition, or ``places`` say where
    the attributes stand, ``""`` where the object does. ``states`` are the workload attributes that a CLUSSDR states,
    ``beside`` the queue itself as a fact, if it leads to another one, and what stands beside it.
    """

    object_type: str = seen(Words(CHECKED_TYPES), "QLOCAL")
    name: str = seen(NAME_OR_BLANK, "")
    queue_manager: str = seen(NAME_OR_BLANK, "")
    platform: str = seen(Words(("MULTI", "ZOS")), "MULTI")
    clustered: bool = False
    put: str = seen(Words(("ENABLED", "DISABLED")), "ENABLED")
    get: str = seen(Words(("ENABLED", "DISABLED")), "ENABLED")
    hosts: int = seen(COUNT, 0)
    enabled_hosts: int = seen(COUNT, 0)
    same_defbind: bool = True
    same_defprty: bool = True
    same_clwluseq: bool = True
    unreachable: str = seen(Text(400), "")
    usage: str = seen(Words(("NORMAL", "XMITQ")), "NORMAL")
    indxtype: str = seen(Text(12), "NONE")
    clchname: str = seen(Text(20), "")
    trigger: bool = False
    target: str = seen(NAME_OR_BLANK, "")
    leads_nowhere: str = seen(Text(400), "")
    chltype: str = seen(Text(12), "")
    conname: str = seen(Text(264), "")
    hbint: int = seen(Whole(OFF, LARGEST), 300)
    kaint: int = seen(Whole(OFF, LARGEST), OFF)
    batchhb: int = seen(COUNT, 0)
    netprty: int = seen(Whole(OFF, LARGEST), OFF)
    receiver_differs: str = seen(Text(200), "")
    cluster: str = seen(NAME_OR_BLANK, "")
    unjoined: str = seen(Text(400), "")
    repositories: int = seen(COUNT, 2)
    repository: bool = False
    speaks_for_cluster: bool = True
    all_members_described: bool = True
    clwlexit: str = seen(Text(128), "")
    adoptmca: str = seen(Text(12), "ALL")
    is_member: bool = False
    deadq: str = seen(NAME_OR_BLANK, "")
    deadq_told: bool = False
    suspended_in: str = seen(NAME_OR_BLANK, "")
    owner: str = field(default="", metadata={"in_table": None})
    clusters: tuple[str, ...] = field(default=(), metadata={"in_table": None})
    places: Mapping[str, FileLine] = field(default=_UNPLACED, metadata={"in_table": None})
    states: Mapping[str, int] = field(default=_UNSTATED, metadata={"in_table": None})
    beside: tuple[Queue, ...] = field(default=(), metadata={"in_table": None})
    found: MqObject | None = field(default=None, metadata={"in_table": None}, repr=False)

    def place_of(self, attribute: str) -> FileLine:
        """The file and the line where an attribute stands, or else the object."""
        if self.found is not None:
            record = self.found.stating(attribute.upper()) or self.found.record
            return record.source, record.line_of(attribute.upper())
        return self.places.get(attribute.upper()) or self.places.get("", ("", None))

    def kept(self, attributes: Collection[str]) -> ConfiguredObject:
        """The object without its definition: of the ``attributes``, MQSC names, it is kept where they stand."""
        found = self.found
        stated = [name for name in attributes if found is not None and found.stating(name)]
        return evolve(self, found=None, places={name: self.place_of(name) for name in ("", *stated)})


@frozen(eq=False, slots=False)
class ConfiguredMember:
    """One queue manager: its objects, its ``owner`` as a file names it.

    Its files are ``whole`` if they name all that it has. ``knows_all``: they also tell all that there is in its
    clusters, as a facts document does.
    """

    name: str
    owner: str
    objects: Objects
    platform: str
    whole: bool
    knows_all: bool

    @classmethod
    def of(
        cls, name: str, owner: str, scripts: Sequence[Script], faults: list[Diagnostic], warnings: list[Diagnostic]
    ) -> ConfiguredMember:
        """What its scripts make of it; what is refused goes to ``faults``, what cannot be looked at to ``warnings``."""
        made = {(each.kind, each.name) for script in scripts for each in script.records if each.action in MAKING}
        objects = objects_of(name, [_needed(each, made, warnings) for each in scripts], faults)
        warnings += objects.operations.warnings
        shown = " ".join(each.text("PLATFORM") for each in objects.of("QMGR"))
        return cls(
            name,
            owner,
            objects,
            platform_of(scripts, shown),
            any(map(_is_whole, scripts)),
            any(map(_is_facts, scripts)),
        )

    def configured(self) -> Iterator[ConfiguredObject]:
        """Its objects that checks look at, as far as they can be seen without the other queue managers."""
        for each in self.objects.of(*CHECKED_TYPES):
            is_queue = each.kind in _QUEUES
            clusters = self.joined_of(each) if is_queue else each.clusters
            more = self.queue(each) if is_queue else self.other(each)
            yield ConfiguredObject(object_type=each.kind, name=each.name or self.owner, queue_manager=self.name,
                                   owner=self.owner, platform=self.platform, clustered=bool(clusters),
                                   clusters=clusters, found=each, **more)  # fmt: skip
        yield from self.suspended()

    def suspended(self) -> Iterator[ConfiguredObject]:
        """The queue managers that its files show suspended, once for each cluster; itself by a command, too."""
        by = self.objects.operations.suspension
        own = ((name, self.name, (by.source, by.line)) for name in self.objects.operations.suspended) if by else ()
        shown = (
            (row.text("CLUSTER"), row.name, (row.record.source, row.record.line_of("SUSPEND")))
            for row in self.objects.rows
            if row.kind == "CLUSQMGR" and row.text("SUSPEND") == "YES"
        )
        for cluster, name, place in (*own, *shown):
            if cluster:
                owner = self.owner if name == self.name else name
                yield ConfiguredObject("QMGR", name, name, self.platform, owner=owner, suspended_in=cluster,
                                       places={"": place})  # fmt: skip

    @cached_property
    def joined(self) -> frozenset[str] | None:
        """The clusters that it has a receiver in. None where its files would not tell, or an insert names it."""
        channels = [*self.objects.channels("CLUSRCVR"), *self.objects.channels("CLUSSDR")]
        defined = any(each.clusters and each.record.action == "define" for each in channels)
        names_any = any(INSERT.search(name) for each in channels for name in each.clusters)
        if self.knows_all or names_any or not (self.whole or defined):
            return None
        rows = (row for row in self.objects.rows if row.kind == "CLUSQMGR" and row.name == self.name)
        shown = frozenset(row.text("CLUSTER") for row in rows)
        return shown.union(*(each.clusters for each in channels if each.type == "CLUSRCVR"))

    def joined_of(self, found: MqObject) -> tuple[str, ...]:
        """The clusters in which a queue is."""
        return tuple(name for name in found.clusters if self.joined is None or name in self.joined)

    def queue(self, found: MqObject) -> dict[str, Any]:
        """What a check sees of a queue alone."""
        seen = {name: found.fields[name] for name in ("put", "get", "usage", "trigger") if name in found.fields}
        seen |= {"indxtype": found.text("INDXTYPE").upper() or "NONE", "clchname": found.text("CLCHNAME")}
        if found.kind != "QLOCAL" and (queue := self.own_queue(found.name)):
            seen |= {"target": queue.target, "beside": (queue, *self.beside(queue))}
        if found.clusters:
            joined = self.joined_of(found)
            seen["unjoined"] = ", ".join(name for name in found.clusters if name not in joined)
        return seen

    def beside(self, queue: Queue) -> Iterator[Queue]:
        """The other queues of its that an alias or a remote definition leads to; those that no file would tell, too."""
        defxmitq = self.queue_manager.defxmitq
        ways, followed = {defxmitq}, {"", queue.name}
        waiting = [queue.target, queue.rname, queue.xmitq, queue.rqmname, defxmitq]
        ways.add(queue.xmitq)
        while waiting:
            if (name := waiting.pop()) in followed:
                continue
            followed.add(name)
            own = self.own_queue(name)
            if own is not None:
                yield own
                waiting += [own.target, own.rname, own.xmitq, own.rqmname]
                ways.add(own.xmitq)
            elif (name in ways or name in (queue.target, queue.rname)) and not self.tells("QLOCAL", name):
                yield Queue(name, self.name, usage="XMITQ" if name in ways else "NORMAL")

    def other(self, found: MqObject) -> dict[str, Any]:
        """What a check sees of a channel, or of a queue manager."""
        if found.kind == "QMGR":
            told = not self.knows_all and (self.whole or found.stating("DEADQ") is not None)
            return {"clwlexit": found.text("CLWLEXIT"), "adoptmca": found.text("ADOPTMCA").upper() or "ALL",
                    "deadq": found.text("DEADQ"), "deadq_told": told,
                    "is_member": any(each.clusters for each in self.objects.channels("CLUSRCVR"))}  # fmt: skip
        stated = {name: found.fields[name] for name in WORKLOAD_ATTRIBUTES if name in found.fields}
        # A dump writes down every default, too: nobody has stated those.
        defaults = {each.name: each.default for each in fields(Channel)} if self.whole else {}
        return {
            "chltype": found.type,
            "conname": found.text("CONNAME"),
            "hbint": _whole(found, "HBINT", 300),
            "kaint": _whole(found, "KAINT", OFF),
            "batchhb": _whole(found, "BATCHHB", 0),
            "netprty": _whole(found, "NETPRTY", OFF),
            "states": {name: value for name, value in stated.items() if value != defaults.get(name)},
        }

    @cached_property
    def _queues(self) -> Mapping[str, MqObject]:
        return {each.name: each for each in self.objects.of(*_QUEUES)}

    def own_queue(self, name: str) -> Queue | None:
        """Its queue of that name."""
        found = self._queues.get(name)
        return queue_fact(found, self.name, self.joined_of(found)) if found else None

    def clustered_queues(self) -> Iterator[Queue]:
        """Its queues that a cluster knows."""
        for found in self._queues.values():
            if clusters := self.joined_of(found):
                yield queue_fact(found, self.name, clusters)

    @cached_property
    def queue_manager(self) -> QueueManager:
        """The queue manager itself."""
        fields = next((each.fields for each in self.objects.of("QMGR")), {})
        return QueueManager(name=self.name, platform=self.platform, **fields)

    def processes(self) -> tuple[Process, ...]:
        """Its process definitions."""
        return tuple(Process(each.name, **each.fields) for each in self.objects.of("PROCESS"))

    def tells(self, kind: str, name: str) -> bool:
        """Whether its files would tell an object of its: they have such ones or are whole, and MQ has none there."""
        return not name.startswith(SHIPPED) and (self.whole or bool(self.objects.of(kind)))


def _needed(script: Script, made: Collection[tuple[str, str]], warnings: list[Diagnostic]) -> Script:
    """The script with the records that checks look at; of what is altered and not ``made`` too little is told."""
    records = []
    for each in script.records:
        if each.kind in NEEDED:
            lacks = each.kind != "QMGR" and not each.name.startswith(SHIPPED) and (each.kind, each.name) not in made
            if each.action == "alter" and lacks:
                warnings.append(told(each, "is altered but not defined: not looked at"))
            else:
                records.append(each)
    return evolve(script, records=tuple(records))


def _is_whole(script: Script) -> bool:
    return (BEGINNING in script.header and END in script.header) or _is_facts(script)


def _is_facts(script: Script) -> bool:
    return script.format in (TOML.name, JSON.name)


def _whole(found: MqObject, name: str, default: int) -> int:
    text = found.text(name)
    return int(text) if text.isascii() and text.isdigit() else default
