"""One queue manager as the check rules see it, and what it contributes to its clusters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from attrs import evolve, field, fields, frozen

from mqclause.model.configuration.attributes import WHOLE_NUMBER
from mqclause.model.configuration.changes import (
    CREATING_ACTIONS,
    ConfigurationChange,
    is_change_target,
    read_changed_fields,
)
from mqclause.model.configuration.checked_objects import (
    CHANNEL_ATTRIBUTES,
    CHECKED_TYPES,
    OFF,
    QUEUE_ATTRIBUTES,
    TEMPORARY_NAME_PREFIX,
    ConfiguredObject,
    ConfiguredRoutes,
    ConfiguredSenders,
    collect_places,
)
from mqclause.model.configuration.cluster_records import ClusterRecord, FileLine
from mqclause.model.configuration.completeness import (
    AnsweredInquiries,
    build_coverage,
    find_partial_dumps,
    is_complete_script,
    is_facts_script,
    suggest_insert,
)
from mqclause.model.configuration.knowledge import CommandLevel, find_command_levels
from mqclause.model.configuration.objects import (
    CLUSTER_CHANNELS,
    CONFIGURED_QUEUES,
    SYSTEM_PREFIX,
    MqObject,
    QueueManagerObjects,
    build_displayed_queue,
    build_queue,
    detect_platform,
)
from mqclause.model.diagnostics import Diagnostic
from mqclause.model.facts.delivery import Delivery
from mqclause.model.facts.objects import Channel, Platform, Process, Queue, QueueManager, RemoteQueueManager
from mqclause.model.readers.records import CombinedCoverage, Record, Script

CHECKED_RECORD_KINDS = (*CHECKED_TYPES, "NAMELIST", "CLUSQMGR", "QCLUSTER", "CHSTATUS", "QSTATUS")
"""The kinds of records that a check has a use for."""

DEFINED_ATTRIBUTES = tuple(each.name for each in fields(ConfiguredObject) if each.name in QUEUE_ATTRIBUTES)
"""What a check sees of a queue as its definition says it."""

ANY = "ANY"
"""A name like any other: who asks for it asks for all."""

ShownT = TypeVar("ShownT", Queue, Channel)

MANUAL_DEFTYPES = ("CLUSSDR", "CLUSSDRB")
"""The DEFTYPE of routes that somebody defined."""

OnDisplay = tuple[str, str, str]
"""QUEUE or CHANNEL, the name of what is displayed, and whose it is."""


@frozen(eq=False, slots=False)
class ConfiguredMember:
    """One queue manager: its objects, its ``owner`` as a file names it.

    Its files are ``whole`` if they name all that it has. ``knows_all``: they also tell all that there is in its
    clusters, as a facts document does. ``asked`` is what logs say they were asked for, if they alone tell of it.
    ``covered`` is what its dumps hold: what they leave out is not known. ``levels`` are the command levels that its
    files tell, of itself and of others that it displays. ``warnings`` tell what cannot be looked at.
    """

    name: str
    owner: str
    objects: QueueManagerObjects
    platform: Platform
    whole: bool
    knows_all: bool
    asked: AnsweredInquiries
    covered: CombinedCoverage
    levels: Mapping[str, CommandLevel]
    warnings: tuple[Diagnostic, ...]

    @classmethod
    def of(cls, name: str, owner: str, scripts: Sequence[Script]) -> ConfiguredMember:
        """Build a member from its scripts."""
        made = {
            (each.kind, each.name) for script in scripts for each in script.records if each.action in CREATING_ACTIONS
        }
        selected = [_select_checked_records(each, made) for each in scripts]
        objects = QueueManagerObjects.from_scripts(name, [script for script, _ in selected])
        undefined = (warning for _, warnings in selected for warning in warnings)
        shown = " ".join(each.text("PLATFORM") for each in objects.of("QMGR"))
        return cls(
            name,
            owner,
            objects,
            detect_platform(scripts, shown),
            any(map(is_complete_script, scripts)),
            any(map(is_facts_script, scripts)),
            AnsweredInquiries.at(scripts, owner),
            build_coverage(scripts),
            {name if each == owner else each: of for each, of in find_command_levels(scripts, owner).items()},
            (*undefined, *objects.warnings, *find_partial_dumps(scripts)),
        )

    def list_objects(self, words: Collection[str]) -> Iterator[ConfiguredObject]:
        """List the objects that checks look at, with all that this queue manager alone tells of them.

        Of one that has to wait for these it is kept where the keywords ``words`` of MQSC stand, in place of all of it.
        """
        for each in self.objects.of(*CHECKED_TYPES):
            is_queue = each.kind in CONFIGURED_QUEUES
            clusters = self.objects.select_visible(each.clusters) if is_queue else each.clusters
            more = self.describe_queue(each) if is_queue else self.describe_object(each)
            more["family"] = _get_family(each.name)
            waits = bool(clusters) or "leading" in more
            more |= {"places": collect_places(each, words, more.get("states", ()))} if waits else {"found": each}
            yield ConfiguredObject(object_type=each.kind, name=each.name or self.owner, queue_manager=self.name,
                                   owner=self.owner, platform=self.platform, clustered=bool(clusters),
                                   clusters=clusters, is_shown=self.is_shown(each), **more)  # fmt: skip
        yield from self.list_suspended()
        routes = ConfiguredRoutes(self.objects, self.owner, self.platform, self.senders.is_known_missing)
        yield from routes.list_routes()
        if not self.knows_all:
            yield from routes.list_hosts()
            yield from routes.build_memberships()

    def is_shown(self, found: MqObject) -> bool:
        """Return whether only a display or a facts document tells of an object: what that leaves out is unknown."""
        return self.knows_all or all(each.action == "observe" for each in found.statements)

    def list_suspended(self) -> Iterator[ConfiguredObject]:
        """List the queue managers that its files show suspended, once for each cluster; itself by a command, too."""
        by = self.objects.suspension
        # a command about a cluster in which it has no receiver changes nothing
        names = (
            each
            for each in self.objects.suspended
            if self.objects.joined_clusters is None or each in self.objects.joined_clusters
        )
        own = ((name, self.name, (by.source, by.line)) for name in names) if by else ()
        shown = (
            (row.text("CLUSTER"), row.name, (row.record.source, row.record.find_line("SUSPEND")))
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

    def describe_queue(self, found: MqObject) -> dict[str, Any]:
        """Describe a queue as far as it is known without other queue managers."""
        described = {name: found.fields[name] for name in DEFINED_ATTRIBUTES if name in found.fields}
        described |= {"indxtype": found.text("INDXTYPE").upper() or "NONE", "clchname": found.text("CLCHNAME")}
        described |= {"defclxq": self.defclxq, "others_serve": self.others_serve}
        if found.fields.get("usage") == "XMITQ":
            described["messages"] = self.count_messages(found)
        if found.is_alias_or_remote and (queue := self.find_own_queue(found.name)):
            described |= {"target": queue.target, "leading": queue, "linked_queues": self.linked_queues,
                          "names": self.names, "models": self.objects.models, "sent_from": self.sent_from,
                          "lacked": self.find_missing_target(found, queue)}  # fmt: skip
        if found.kind == "QLOCAL" and described.get("usage") == "XMITQ":
            described |= self.senders.of_queue(found)
        if capped := found.capexpry:
            described["capexpry"] = capped
        if stream := found.text("STREAMQ"):
            described |= self.describe_stream(stream)
        if found.clusters:
            joined = self.objects.select_visible(found.clusters)
            described["unjoined"] = ", ".join(name for name in found.clusters if name not in joined)
        return described

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of its queues."""
        return frozenset(self._queues)

    def find_missing_target(self, found: MqObject, queue: Queue) -> str:
        """Find the queue that an alias leads to and that is known to be missing; blank if it is there, or may be."""
        target = queue.base_queue
        is_there = target in self.names or target in self.objects.models
        is_lacking = not is_there and self.objects.would_tell_target(found)
        return target if is_lacking else ""

    @cached_property
    def linked_queues(self) -> tuple[Queue, ...]:
        """Its aliases and remote definitions, and all of its queues that these lead to, also those that no file tells.

        It is one tuple for all of them: each may lead to all others.
        """
        defxmitq = self.queue_manager.defxmitq
        ways, queues, followed = {defxmitq}, set[str](), {""}
        waiting = [*(name for name, found in self._queues.items() if found.is_alias_or_remote), defxmitq]
        found, lacking = list[Queue](), list[str]()
        while waiting:
            if (name := waiting.pop()) in followed:
                continue
            followed.add(name)
            own = self.find_own_queue(name)
            if own is None:
                lacking.append(name)
                continue
            found.append(own)
            waiting += [own.base_queue, own.rname, own.xmitq, own.rqmname]
            ways.add(own.xmitq)
            queues |= {own.base_queue, own.rname}
        for name in lacking:
            if (name in ways or name in queues) and not self.would_tell("QLOCAL", name):
                found.append(Queue(name, self.name, usage="XMITQ" if name in ways else "NORMAL"))
        return tuple(found)

    def describe_object(self, found: MqObject) -> dict[str, Any]:
        """Describe a channel, a queue manager, a process or a model queue."""
        if found.kind == "QMODEL":
            return {"capexpry": found.capexpry}
        if found.kind == "PROCESS":
            return self.describe_process(found)
        if found.kind == "QMGR":
            told = not self.knows_all and (self.whole or found.find_statement("DEADQ") is not None)
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
            "hbint": _read_whole_number(found, "HBINT", 300),
            "kaint": _read_whole_number(found, "KAINT", OFF),
            "batchhb": _read_whole_number(found, "BATCHHB", 0),
            "netprty": _read_whole_number(found, "NETPRTY", OFF),
            "transmission_queue": found.text("XMITQ"),
            "lacks_transmission_queue": self.senders.is_known_missing(found.text("XMITQ")),
            "states": {name: value for name, value in stated.items() if value != defaults.get(name)},
        }

    def describe_process(self, found: MqObject) -> dict[str, Any]:
        """Describe a process."""
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
        return ConfiguredSenders(self.objects, self.asked, self.would_tell)

    @cached_property
    def _queues(self) -> Mapping[str, MqObject]:
        return {each.name: each for each in self.objects.of(*CONFIGURED_QUEUES)}

    @cached_property
    def sent_from(self) -> frozenset[str] | None:
        """The transmission queues that its channels take messages from; None where its files would not tell."""
        named = frozenset(each.text("XMITQ") for each in self.objects.of("CHANNEL")) - {""}
        if self.knows_all or not (named or self.whole or (self.asked.alone and self.would_tell("CHANNEL", ANY))):
            return None
        return named.union(each.name for each in self._queues.values() if each.text("CLCHNAME"))

    def get_definition(self, name: str) -> MqObject:
        """Return the definition of its queue of that name. Raises KeyError."""
        return self._queues[name]

    def find_own_queue(self, name: str) -> Queue | None:
        """Find its queue of that name, as a fact."""
        if name not in self._facts and (found := self._queues.get(name)) is not None:
            self._facts[name] = build_queue(found, self.name, self.objects.select_visible(found.clusters))
        return self._facts.get(name)

    def find_local_queue_in_any_case(self, name: str) -> Queue | None:
        """Find its local queue whose name differs from that in letter case alone."""
        found = (each.name for each in self._queues_by_case.get(name.casefold(), ()) if each.kind == "QLOCAL")
        return next(filter(None, map(self.find_own_queue, found)), None)

    @cached_property
    def _queues_by_case(self) -> Mapping[str, Sequence[MqObject]]:
        return _index_by_case(self._queues.values())

    @cached_property
    def _facts(self) -> dict[str, Queue]:
        return {}

    def list_clustered_queues(self) -> Iterator[tuple[MqObject, Queue]]:
        """List its queues that a cluster knows, each as a fact too."""
        for found in self._queues.values():
            if clusters := self.objects.select_visible(found.clusters):
                yield found, build_queue(found, self.name, clusters)

    def describe_stream(self, name: str) -> dict[str, Any]:
        """Describe the queue that STREAMQ names."""
        to = self._queues.get(name)
        on = "" if to is None else to.text("STREAMQ")
        return {"streamq": name, "streams_on_to": on, "stream_is_model": name in self.objects.models,
                "stream_family": _get_family(name)}  # fmt: skip

    @cached_property
    def queue_manager(self) -> QueueManager:
        """The queue manager itself."""
        fields = next((each.fields for each in self.objects.of("QMGR")), {})
        return QueueManager(name=self.name, platform=self.platform, **fields)

    @cached_property
    def defclxq(self) -> str:
        """The transmission queue that cluster channels use by default: SCTQ or CHANNEL."""
        return next((each.text("DEFCLXQ").upper() for each in self.objects.of("QMGR")), "") or "SCTQ"

    def count_messages(self, found: MqObject) -> int:
        """Count the messages on a queue, as far as its files tell."""
        text = self.objects.find_depth(found.name) or found.text("CURDEPTH")
        return int(text) if WHOLE_NUMBER.fullmatch(text) else 0

    @cached_property
    def others_serve(self) -> bool:
        """Whether it has transmission queues for some cluster channels."""
        return any(each.text("CLCHNAME") for each in self._queues.values())

    def find_processes(self, name: str) -> tuple[Process, ...]:
        """Find its process definitions of that name, in any letter case."""
        return tuple(Process(each.name, **each.fields) for each in self._processes.get(name.casefold(), ()))

    @cached_property
    def _processes(self) -> Mapping[str, Sequence[MqObject]]:
        return _index_by_case(self.objects.of("PROCESS"))

    def would_tell(self, kind: str, name: str) -> bool:
        """Return whether the member's files would show an object if MQ had it.

        They are whole, have such ones, of queues of any type, and were made by a command that asks for it, as far as
        that is told.
        """
        if self.covered.leaves_out(kind, name):
            return False
        alike = CONFIGURED_QUEUES if kind in CONFIGURED_QUEUES else (kind,)
        told = self.asked.tells(kind, name) if self.asked.alone else bool(self.objects.of(*alike))
        return not name.startswith(SYSTEM_PREFIX) and (self.whole or told)


@frozen(eq=False)
class Contribution:
    """The part of a queue manager's files about its clusters: own queues and receivers, and those shown of others.

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
    ``displayed`` names, of each queue and receiver that is only displayed, the attributes that the display shows.
    ``levels`` are the command levels that it tells, by queue manager. ``names`` are those of its own queues.
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
    displayed: Mapping[OnDisplay, frozenset[str]] = field(factory=dict)
    tells_repositories: bool = True
    partials: frozenset[tuple[str, str]] = frozenset()
    manual: tuple[tuple[str, str, str], ...] = ()
    tells_senders: bool = False
    connames: Mapping[str, str] = field(factory=dict)
    records: tuple[ClusterRecord, ...] = ()
    altered: frozenset[tuple[str, str]] = frozenset()
    levels: Mapping[str, CommandLevel] = field(factory=dict)
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, member: ConfiguredMember) -> Contribution:
        """Gather what a member contributes."""
        objects = member.objects
        own = [*member.list_clustered_queues()]
        rows = [row for row in objects.rows if row.text("CLUSTER")]
        shown = [row for row in rows if row.kind == "QCLUSTER" and row.text("CLUSQMGR")]
        made, senders = (
            [(each, name) for each in objects.channels(kind) for name in each.clusters] for kind in CLUSTER_CHANNELS
        )
        receivers = (Channel(each.name, member.name, name, "CLUSRCVR", **each.fields) for each, name in made)
        displayed = [row for row in rows if row.kind == "CLUSQMGR" and row.text("CHANNEL")]
        told = _find_displayed_attributes(
            (*((("QUEUE", found.name, member.name), found) for found, _ in own),
             *((("QUEUE", row.name, row.text("CLUSQMGR")), row) for row in shown),
             *((("CHANNEL", found.name, member.name), found) for found in objects.channels("CLUSRCVR")),
             *((("CHANNEL", row.text("CHANNEL"), row.name), row) for row in displayed))
        )  # fmt: skip
        repositories = frozenset(name for each in objects.of("QMGR") for name in objects.select_visible(each.clusters))
        return cls(
            member.queue_manager,
            frozenset(objects.clusters) | {row.text("CLUSTER") for row in rows},
            member.knows_all,
            bool(member.owner),
            tuple(_list_queues(member, own, shown)),
            (*receivers, *map(_build_route, displayed)),
            tuple((name, each.name, (each.record.source, each.record.line)) for each, name in senders),
            repositories,
            frozenset((row.text("CLUSTER"), row.name) for row in rows if _is_reached(row, "REPOS")),
            told,
            _tells_repositories(member),
            _find_partials(member, rows),
            tuple(_list_manual_senders(member, rows)),
            _tells_senders(member, rows),
            {name: text for name, text in _list_connames(member, displayed) if text},
            tuple(ClusterRecord.of(row, member.name) for row in shown),
            frozenset(_list_altered(member)),
            member.levels,
            member.names,
        )

    @property
    def name(self) -> str:
        """The queue manager's name."""
        return self.queue_manager.name

    def find_displayed_owners(self, change: ConfigurationChange) -> set[str]:
        """Find the other queue managers that have what a command names, as its files display it."""
        if change.kind == "QMGR":
            return {each.queue_manager for each in self.receivers if each.queue_manager == change.name}
        facts: tuple[Queue | Channel, ...] = (*self.queues, *self.receivers)
        return {each.queue_manager for each in facts if is_change_target(each, change, self.name)} - {self.name}

    def apply_displayed_change(self, change: ConfigurationChange) -> Contribution:
        """Apply a command to what is displayed of others. Raises FactsError.

        Of them themselves nothing is displayed that it sets, but that they are suspended, of which no check is.
        """
        told = dict(self.displayed)
        if change.kind == "QMGR":
            read_changed_fields(change, RemoteQueueManager(change.name, tuple(self.clusters)))

        def after(fact: ShownT, kind: str) -> ShownT:
            if not is_change_target(fact, change, self.name):
                return fact
            fields, shown = read_changed_fields(change, fact), (kind, fact.name, fact.queue_manager)
            told.update({shown: told[shown] | fields.keys()} if shown in told else {})
            return evolve(fact, **fields)

        queues = tuple(after(each, "QUEUE") for each in self.queues)
        return evolve(
            self, queues=queues, receivers=tuple(after(each, "CHANNEL") for each in self.receivers), displayed=told
        )

    def without(self, channels: Collection[str]) -> Contribution:
        """Leave out some of its CLUSSDR channels."""
        return evolve(self, senders=tuple(each for each in self.senders if each[1] not in channels))


def find_unanswered_senders(members: Iterable[Contribution], left: Collection[str]) -> list[Delivery]:
    """Find the CLUSSDRs of those who stay that no receiver answers once some queue managers have left."""
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


def _select_checked_records(script: Script, made: Collection[tuple[str, str]]) -> tuple[Script, list[Diagnostic]]:
    """The script with the records that checks look at; of what is altered and not ``made`` too little is told."""
    kept, undefined = list[Record](), list[Diagnostic]()
    for each in script.records:
        is_named = each.kind != "QMGR" and not each.name.startswith(SYSTEM_PREFIX)
        if each.kind not in CHECKED_RECORD_KINDS:
            continue
        if each.action == "alter" and is_named and (each.kind, each.name) not in made:
            near = suggest_insert(each.name, [name for kind, name in made if kind == each.kind])
            undefined.append(each.build_diagnostic(f"is altered but not defined: not looked at{near}"))
        else:
            kept.append(each)
    return evolve(script, records=tuple(kept)), undefined


def _index_by_case(objects: Iterable[MqObject]) -> Mapping[str, Sequence[MqObject]]:
    """The objects by name, whatever its letter case."""
    found: dict[str, list[MqObject]] = {}
    for each in objects:
        found.setdefault(each.name.casefold(), []).append(each)
    return found


def _get_family(name: str) -> str:
    """The first words of the name of an object that MQ itself uses; blank for any other one."""
    return ".".join(name.split(".")[:3]) if name.startswith(SYSTEM_PREFIX) else ""


def _read_whole_number(found: MqObject, name: str, default: int) -> int:
    text = found.text(name)
    return int(text) if text.isascii() and text.isdigit() else default


def _list_altered(member: ConfiguredMember) -> Iterator[tuple[str, str]]:
    """The attributes of queues that changes state, each with the name of the queue."""
    for script in member.objects.scripts if any(each.overlay for each in member.objects.scripts) else ():
        for record in script.records if script.overlay else ():
            yield from ((record.name, name.lower()) for name in record.attributes)


def _list_queues(
    member: ConfiguredMember, own: Iterable[tuple[MqObject, Queue]], shown: Iterable[MqObject]
) -> Iterator[Queue]:
    """Its own queues, with what the queue manager says where CLWLUSEQ is left to it, and those that it displays."""
    for _, queue in own:
        yield evolve(queue, clwluseq=member.queue_manager.clwluseq) if queue.clwluseq == "QMGR" else queue
    yield from (build_displayed_queue(row, (row.text("CLUSTER"),)) for row in shown)


def _tells_repositories(member: ConfiguredMember) -> bool:
    """Whether REPOS is told: by a definition, that of a receiver at least, or because it was displayed."""
    told = [
        each for each in member.objects.of("QMGR") if each.find_statement("REPOS") or each.find_statement("REPOSNL")
    ]
    return bool(told) or not all(
        map(member.is_shown, (*member.objects.of("QMGR"), *member.objects.channels("CLUSRCVR")))
    )


def _is_reached(row: MqObject, qmtype: str) -> bool:
    """Whether a row shows a member of a type; the one whose place is held behind a CLUSSDR is none."""
    return row.text("QMTYPE") == qmtype and not row.name.startswith(TEMPORARY_NAME_PREFIX)


def _find_partials(member: ConfiguredMember, rows: Iterable[MqObject]) -> frozenset[tuple[str, str]]:
    found = (row for row in rows if _is_reached(row, "NORMAL") and not member.knows_all)
    return frozenset((row.text("CLUSTER"), row.name) for row in found)


def _list_manual_senders(member: ConfiguredMember, rows: Iterable[MqObject]) -> Iterator[tuple[str, str, str]]:
    for each in member.objects.channels("CLUSSDR"):
        yield from ((name, each.name, "") for name in each.clusters)
    for row in rows:
        if row.text("DEFTYPE") in MANUAL_DEFTYPES:
            yield row.text("CLUSTER"), row.text("CHANNEL"), row.name


def _tells_senders(member: ConfiguredMember, rows: Iterable[MqObject]) -> bool:
    """Whether all its cluster senders are told: by a script, a dump or a log that has its channels, or its routes."""
    if member.knows_all or not member.owner:
        return False
    shown = [row for row in rows if row.kind == "CLUSQMGR"]
    asked = not member.asked.alone or member.asked.tells("CLUSQMGR", ANY)
    typed = bool(shown) and all(row.text("DEFTYPE") for row in shown)
    return member.would_tell("CHANNEL", ANY) or (asked and typed)


def _list_connames(member: ConfiguredMember, displayed: Iterable[MqObject]) -> Iterator[tuple[str, str]]:
    yield from ((row.text("CHANNEL"), row.text("CONNAME")) for row in displayed)
    yield from ((each.name, each.text("CONNAME")) for each in member.objects.channels("CLUSRCVR"))


def _find_displayed_attributes(found: Iterable[tuple[OnDisplay, MqObject]]) -> dict[OnDisplay, frozenset[str]]:
    """The attributes that every display of something shows; what is defined has them all."""
    told = dict[OnDisplay, frozenset[str]]()
    for shown, each in found:
        if each.record.action == "observe":
            told[shown] = told.get(shown, frozenset(each.fields)) & each.fields.keys()
    return told


def _build_route(row: MqObject) -> Channel:
    fields: Mapping[str, Any] = {name: row.fields[name] for name in ("clwlrank", "clwlprty", "clwlwght", "netprty")
                                 if name in row.fields}  # fmt: skip
    return Channel(row.text("CHANNEL"), row.name, row.text("CLUSTER"), **fields)
