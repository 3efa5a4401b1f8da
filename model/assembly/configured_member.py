"""Configured members: one queue manager by its own files, and its objects as checks look at them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import evolve, fields, frozen

from mqclause.model.assembly.attributes import WHOLE_NUMBER
from mqclause.model.assembly.configured import (
    CHANNEL_ATTRIBUTES,
    CHECKED_TYPES,
    CONFIGURED_QUEUES,
    OFF,
    QUEUE_ATTRIBUTES,
    ConfiguredObject,
    kept_places,
)
from mqclause.model.assembly.configured_routes import ConfiguredRoutes
from mqclause.model.assembly.configured_senders import ConfiguredSenders
from mqclause.model.assembly.covered import covered, of_a_part
from mqclause.model.assembly.depths import shown_of_queues
from mqclause.model.assembly.inquired import Inquired
from mqclause.model.assembly.inserts import insert_hint
from mqclause.model.assembly.joined import is_facts, is_whole, joined_clusters, seen_of
from mqclause.model.assembly.mq_object import MqObject
from mqclause.model.assembly.objects import Objects
from mqclause.model.assembly.operations import told
from mqclause.model.assembly.platform import platform_of
from mqclause.model.assembly.queue_facts import leads_elsewhere, queue_fact, tells_target
from mqclause.model.assembly.shipped import SHIPPED
from mqclause.model.assembly.view import objects_of
from mqclause.model.diagnostic import Diagnostic
from mqclause.model.facts.objects import Channel, Process, Queue, QueueManager
from mqclause.model.readers.coverage import Covered
from mqclause.model.readers.record import Script

NEEDED = (*CHECKED_TYPES, "NAMELIST", "CLUSQMGR", "QCLUSTER", "CHSTATUS", "QSTATUS")
"""The kinds of records that a check has a use for."""

AS_DEFINED = tuple(each.name for each in fields(ConfiguredObject) if each.name in QUEUE_ATTRIBUTES)
"""What a check sees of a queue as its definition says it."""

ANY = "ANY"
"""A name like any other: who asks for it asks for all."""

MAKING = ("define", "observe")
"""The actions of records after which an object is there."""


@frozen(eq=False, slots=False)
class ConfiguredMember:
    """One queue manager: its objects, its ``owner`` as a file names it.

    Its files are ``whole`` if they name all that it has. ``knows_all``: they also tell all that there is in its
    clusters, as a facts document does. ``asked`` is what logs say they were asked for, if they alone tell of it.
    ``covered`` is what its dumps hold: what they leave out is not known.
    """

    name: str
    owner: str
    objects: Objects
    platform: str
    whole: bool
    knows_all: bool
    asked: Inquired
    covered: Covered

    @classmethod
    def of(
        cls, name: str, owner: str, scripts: Sequence[Script], faults: list[Diagnostic], warnings: list[Diagnostic]
    ) -> ConfiguredMember:
        """What its scripts make of it; what is refused goes to ``faults``, what cannot be looked at to ``warnings``."""
        made = {(each.kind, each.name) for script in scripts for each in script.records if each.action in MAKING}
        objects = objects_of(name, [_needed(each, made, warnings) for each in scripts], faults)
        warnings += (*objects.warnings, *of_a_part(scripts))
        shown = " ".join(each.text("PLATFORM") for each in objects.of("QMGR"))
        return cls(
            name,
            owner,
            objects,
            platform_of(scripts, shown),
            any(map(is_whole, scripts)),
            any(map(is_facts, scripts)),
            Inquired.at(scripts, owner),
            covered(scripts),
        )

    def configured(self, words: Collection[str]) -> Iterator[ConfiguredObject]:
        """Its objects that checks look at, as far as they can be seen without the other queue managers.

        Of one that has to wait for these it is kept where the keywords ``words`` of MQSC stand, in place of all of it.
        """
        for each in self.objects.of(*CHECKED_TYPES):
            is_queue = each.kind in CONFIGURED_QUEUES
            clusters = self.joined_of(each) if is_queue else each.clusters
            more = self.queue(each) if is_queue else self.other(each)
            if each.name.startswith(SHIPPED):
                more["family"] = ".".join(each.name.split(".")[:3])
            waits = bool(clusters) or "leading" in more
            more |= {"places": kept_places(each, words, more.get("states", ()))} if waits else {"found": each}
            yield ConfiguredObject(object_type=each.kind, name=each.name or self.owner, queue_manager=self.name,
                                   owner=self.owner, platform=self.platform, clustered=bool(clusters),
                                   clusters=clusters, is_shown=self.is_shown(each), **more)  # fmt: skip
        yield from self.suspended()
        routes = ConfiguredRoutes(self.objects, self.owner, self.platform, self.overlays, self.senders.lacks)
        yield from routes.routes()
        if not self.knows_all:
            yield from routes.hosts()
            yield from routes.memberships()

    def is_shown(self, found: MqObject) -> bool:
        """Whether a display, or a facts document, is all that tells of an object: what that leaves out is not known."""
        return self.knows_all or all(each.action == "observe" for each in found.statements)

    def suspended(self) -> Iterator[ConfiguredObject]:
        """The queue managers that its files show suspended, once for each cluster; itself by a command, too."""
        by = self.objects.operations.suspension
        # a command about a cluster in which it has no receiver changes nothing
        names = (each for each in self.objects.operations.suspended if self.joined is None or each in self.joined)
        own = ((name, self.name, (by.source, by.line)) for name in names) if by else ()
        shown = (
            (row.text("CLUSTER"), row.name, (row.record.source, row.record.line_of("SUSPEND")))
            for row in self.objects.rows
            if row.kind == "CLUSQMGR" and row.text("SUSPEND") == "YES"
        )
        for cluster, name, place in (*own, *shown):
            if cluster:
                owner = self.owner if name == self.name else name
                # What a display shows of others is told of by the one that it was made at.
                told = (cluster,) if name == self.name else ()
                yield ConfiguredObject("QMGR", name, name, self.platform, bool(told), owner=owner, clusters=told,
                                       suspended_in=cluster, places={"": place})  # fmt: skip

    @cached_property
    def joined(self) -> frozenset[str] | None:
        """The clusters in which it has a receiver; None where its files would not tell."""
        return joined_clusters(self.objects)

    def joined_of(self, found: MqObject) -> tuple[str, ...]:
        """The clusters in which a queue, or the queue manager, is."""
        return seen_of(self.joined, found.clusters)

    def queue(self, found: MqObject) -> dict[str, Any]:
        """What a check sees of a queue alone."""
        seen = {name: found.fields[name] for name in AS_DEFINED if name in found.fields}
        seen |= {"indxtype": found.text("INDXTYPE").upper() or "NONE", "clchname": found.text("CLCHNAME")}
        seen |= {"defclxq": self.defclxq, "others_serve": self.others_serve}
        if found.fields.get("usage") == "XMITQ":
            seen["messages"] = self.depth(found)
        if leads_elsewhere(found) and (queue := self.own_queue(found.name)):
            seen |= {"target": queue.target, "leading": queue, "beside": self.beside, "models": self.models}
            seen |= {"names": self.names, "lacked": self.lacked(found, queue)}
            seen["sent_from"] = self.sent_from
        if found.kind == "QLOCAL" and seen.get("usage") == "XMITQ":
            seen |= self.senders.of_queue(found)
        if capped := capexpry(found):
            seen["capexpry"] = capped
        if found.clusters:
            joined = self.joined_of(found)
            seen["unjoined"] = ", ".join(name for name in found.clusters if name not in joined)
        return seen

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of its queues."""
        return frozenset(self._queues)

    def lacked(self, found: MqObject, queue: Queue) -> str:
        """The queue that an alias leads to where its files tell that it has none of that name; blank if they do not."""
        target = queue.base_queue
        is_there = target in self.names or target in self.models
        is_lacking = not is_there and tells_target(self.objects, found)
        return target if is_lacking else ""

    @cached_property
    def beside(self) -> tuple[Queue, ...]:
        """Its aliases and remote definitions, and all of its queues that these lead to, also those that no file tells.

        It is one tuple for all of them: each may lead to all others.
        """
        defxmitq = self.queue_manager.defxmitq
        ways, queues, followed = {defxmitq}, set[str](), {""}
        waiting = [*(name for name, found in self._queues.items() if leads_elsewhere(found)), defxmitq]
        found, lacking = list[Queue](), list[str]()
        while waiting:
            if (name := waiting.pop()) in followed:
                continue
            followed.add(name)
            own = self.own_queue(name)
            if own is None:
                lacking.append(name)
                continue
            found.append(own)
            waiting += [own.base_queue, own.rname, own.xmitq, own.rqmname]
            ways.add(own.xmitq)
            queues |= {own.base_queue, own.rname}
        for name in lacking:
            if (name in ways or name in queues) and not self.tells("QLOCAL", name):
                found.append(Queue(name, self.name, usage="XMITQ" if name in ways else "NORMAL"))
        return tuple(found)

    def other(self, found: MqObject) -> dict[str, Any]:
        """What a check sees of a channel, a queue manager, a process or a model queue."""
        if found.kind == "QMODEL":
            return {"capexpry": capexpry(found)}
        if found.kind == "PROCESS":
            return self.process(found)
        if found.kind == "QMGR":
            told = not self.knows_all and (self.whole or found.stating("DEADQ") is not None)
            return {"clwlexit": found.text("CLWLEXIT"), "adoptmca": found.text("ADOPTMCA").upper() or "ALL",
                    "deadq": found.text("DEADQ"), "deadq_told": told,
                    "is_member": any(each.clusters for each in self.objects.channels("CLUSRCVR"))}  # fmt: skip
        stated = {name: found.fields[name] for name in CHANNEL_ATTRIBUTES if name in found.fields}
        # A dump writes down every default, too: nobody has stated those.
        defaults = {each.name: each.default for each in fields(Channel)} if self.whole else {}
        return {
            "chltype": found.type,
            "deftype": found.type if found.type == "CLUSSDR" else "",
            "conname": found.text("CONNAME"),
            "hbint": _whole(found, "HBINT", 300),
            "kaint": _whole(found, "KAINT", OFF),
            "batchhb": _whole(found, "BATCHHB", 0),
            "netprty": _whole(found, "NETPRTY", OFF),
            "transmission_queue": found.text("XMITQ"),
            "lacks_transmission_queue": self.senders.lacks(found.text("XMITQ")),
            "states": {name: value for name, value in stated.items() if value != defaults.get(name)},
        }

    def process(self, found: MqObject) -> dict[str, Any]:
        """What a check sees of a process."""
        program = found.text("APPLICID")
        return {
            "appltype": found.text("APPLTYPE").upper(),
            "applicid": program,
            "applicid_begins": program[:1],
            "applicid_ends": program[-1:],
            "starts_programs": found.name in self.started["NORMAL"],
            "starts_channels": found.name in self.started["XMITQ"],
        }

    @cached_property
    def started(self) -> Mapping[str, frozenset[str]]:
        """The processes that local queues name, by USAGE of the queue."""
        named = dict[str, set[str]](NORMAL=set(), XMITQ=set())
        for each in self.objects.of("QLOCAL"):
            if process := each.fields.get("process"):
                named[each.fields.get("usage", "NORMAL")].add(process)
        return {usage: frozenset(names) for usage, names in named.items()}

    @cached_property
    def senders(self) -> ConfiguredSenders:
        """Its channels that belong to no cluster."""
        return ConfiguredSenders(self.objects, self.asked, self.tells)

    @property
    def overlays(self) -> Iterator[str]:
        """The files, or options, that change what its other files say."""
        return (each.source for each in self.objects.scripts if each.overlay)

    @cached_property
    def models(self) -> frozenset[str]:
        """The names of its model queues."""
        return frozenset(each.name for each in self.objects.of("QMODEL"))

    @cached_property
    def _queues(self) -> Mapping[str, MqObject]:
        return {each.name: each for each in self.objects.of(*CONFIGURED_QUEUES)}

    @cached_property
    def sent_from(self) -> frozenset[str] | None:
        """The transmission queues that its channels take messages from; None where its files would not tell."""
        named = frozenset(each.text("XMITQ") for each in self.objects.of("CHANNEL")) - {""}
        if self.knows_all or not (named or self.whole or (self.asked.alone and self.tells("CHANNEL", ANY))):
            return None
        return named.union(each.name for each in self._queues.values() if each.text("CLCHNAME"))

    def found(self, name: str) -> MqObject:
        """The definition of its queue of that name. Raises KeyError."""
        return self._queues[name]

    def own_queue(self, name: str) -> Queue | None:
        """Its queue of that name."""
        if name not in self._facts and (found := self._queues.get(name)) is not None:
            self._facts[name] = queue_fact(found, self.name, self.joined_of(found))
        return self._facts.get(name)

    def local_queue_by_case(self, name: str) -> Queue | None:
        """Its local queue whose name is that one but for letter case."""
        found = (each.name for each in self._queues_by_case.get(name.casefold(), ()) if each.kind == "QLOCAL")
        return next(filter(None, map(self.own_queue, found)), None)

    @cached_property
    def _queues_by_case(self) -> Mapping[str, Sequence[MqObject]]:
        return _by_case(self._queues.values())

    @cached_property
    def _facts(self) -> dict[str, Queue]:
        return {}

    def clustered_queues(self) -> Iterator[tuple[MqObject, Queue]]:
        """Its queues that a cluster knows, each as a fact too."""
        for found in self._queues.values():
            if clusters := self.joined_of(found):
                yield found, queue_fact(found, self.name, clusters)

    @cached_property
    def queue_manager(self) -> QueueManager:
        """The queue manager itself."""
        fields = next((each.fields for each in self.objects.of("QMGR")), {})
        return QueueManager(name=self.name, platform=self.platform, **fields)

    @cached_property
    def defclxq(self) -> str:
        """Which transmission queue cluster channels use by default: SCTQ or CHANNEL."""
        return next((each.text("DEFCLXQ").upper() for each in self.objects.of("QMGR")), "") or "SCTQ"

    def depth(self, found: MqObject) -> int:
        """How many messages are on a queue, as far as its files tell."""
        shown = shown_of_queues(self.objects.scripts, self.name).get((found.name, self.name), {})
        text = shown.get("CURDEPTH", "") or found.text("CURDEPTH")
        return int(text) if WHOLE_NUMBER.fullmatch(text) else 0

    @cached_property
    def others_serve(self) -> bool:
        """Whether it has transmission queues for some cluster channels."""
        return any(each.text("CLCHNAME") for each in self._queues.values())

    def processes(self, name: str) -> tuple[Process, ...]:
        """Its process definitions of that name, in whatever letter case."""
        return tuple(Process(each.name, **each.fields) for each in self._processes.get(name.casefold(), ()))

    @cached_property
    def _processes(self) -> Mapping[str, Sequence[MqObject]]:
        return _by_case(self.objects.of("PROCESS"))

    def tells(self, kind: str, name: str) -> bool:
        """Whether its files would tell an object of its, where MQ has none.

        They are whole, have such ones, of queues of any type, and were made by a command that asks for it, as far as
        that is told.
        """
        if self.covered.leaves_out(kind, name):
            return False
        alike = CONFIGURED_QUEUES if kind in CONFIGURED_QUEUES else (kind,)
        told = self.asked.tells(kind, name) if self.asked.alone else bool(self.objects.of(*alike))
        return not name.startswith(SHIPPED) and (self.whole or told)


def _needed(script: Script, made: Collection[tuple[str, str]], warnings: list[Diagnostic]) -> Script:
    """The script with the records that checks look at; of what is altered and not ``made`` too little is told."""
    records = []
    for each in script.records:
        if each.kind in NEEDED:
            lacks = each.kind != "QMGR" and not each.name.startswith(SHIPPED) and (each.kind, each.name) not in made
            if each.action == "alter" and lacks:
                of_kind = [name for kind, name in made if kind == each.kind]
                warnings.append(
                    told(each, f"is altered but not defined: not looked at{insert_hint(each.name, of_kind)}")
                )
            else:
                records.append(each)
    return evolve(script, records=tuple(records))


def _by_case(objects: Iterable[MqObject]) -> Mapping[str, Sequence[MqObject]]:
    """The objects by name, whatever its letter case."""
    found: dict[str, list[MqObject]] = {}
    for each in objects:
        found.setdefault(each.name.casefold(), []).append(each)
    return found


def capexpry(found: MqObject) -> str:
    """The limit of expiry of a queue, in tenths of a second, stated by itself or in CUSTOM; blank if there is none."""
    stated = found.text("CAPEXPRY")
    if not stated and (custom := found.text("CUSTOM")) and (within := _CAPEXPRY.search(custom)):
        stated = within[1]
    return "" if stated.upper() in ("NOLIMIT", "-1") else stated


_CAPEXPRY = re.compile(r"(?i)\bCAPEXPRY *\( *(\w+) *\)")


def _whole(found: MqObject, name: str, default: int) -> int:
    text = found.text(name)
    return int(text) if text.isascii() and text.isdigit() else default
