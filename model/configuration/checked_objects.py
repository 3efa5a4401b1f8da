"""Objects as the check rules see them: definitions, routes, sender channels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from operator import attrgetter
from typing import Any

from attrs import field, fields, frozen

from mqclause.model.configuration.cluster_records import FileLine
from mqclause.model.configuration.completeness import AnsweredInquiries
from mqclause.model.configuration.objects import CLUSTER_CHANNELS, CONFIGURED_QUEUES, MqObject, QueueManagerObjects
from mqclause.model.configuration.provenance import PlacedFact
from mqclause.model.configuration.status import (
    ChannelStates,
    build_channel_statuses,
    drop_outdated_rows,
    get_state_after,
)
from mqclause.model.diagnostics import find_closest
from mqclause.model.facts.delivery import describe_takers, find_serving_queue, get_channel_queue
from mqclause.model.facts.domains import LARGEST, NAME_OR_BLANK, Names, Text, Whole, Words, rule_field
from mqclause.model.facts.objects import BINDINGS, CHANNEL_STATES, Channel, ChannelStatus, Queue
from mqclause.model.readers.records import Record

CHECKED_TYPES = (*CONFIGURED_QUEUES, "QMODEL", "CHANNEL", "PROCESS", "QMGR")
"""The kinds of objects that a check looks at."""

COUNT = Whole(0, LARGEST)
OFF = -1
"""What stands for an interval that is no number, like KAINT(AUTO)."""

_UNPLACED: Mapping[str, FileLine] = {}
_UNSTATED: Mapping[str, Any] = {}
QUEUE_ATTRIBUTES, CHANNEL_ATTRIBUTES = (
    tuple(each.name for each in fields(kind) if each.name not in ("name", "queue_manager")) for kind in (Queue, Channel)
)
"""All that two queues of one name, or two channels, can have otherwise."""


@frozen(eq=False)
class ConfiguredObject:
    """One object of one queue manager as a check sees it.

    What rules ask of it is in the vocabulary of checks, ``engine/audit/vocabulary.toml``. Besides, ``owner`` is the
    queue manager, blank where no file names it, and ``clusters`` are those of the object. ``found`` is its
    definition, or ``places`` say where the attributes stand, ``""`` where the object does; ``states`` are the
    attributes that a channel states. ``leading`` is a queue that leads to another one, as a fact. Then
    ``linked_queues`` are all queues that such queues of its queue manager lead to, themselves among them, ``names``
    and ``models`` are the queues and model queues there are, ``lacked`` is a queue that is known to be missing,
    ``sent_from`` are the transmission queues that channels take messages from, None if no file would tell. Of an
    object that ``is_shown``, by a display or a facts document, what is left out is not known. A host that another
    queue manager displays is ``shown_at`` that one.
    """

    object_type: str = rule_field(Words(CHECKED_TYPES), "QLOCAL")
    name: str = rule_field(NAME_OR_BLANK, "")
    queue_manager: str = rule_field(NAME_OR_BLANK, "")
    platform: str = rule_field(Words(("MULTI", "ZOS")), "MULTI")
    clustered: bool = False
    put: str = rule_field(Words(("ENABLED", "DISABLED")), "ENABLED")
    get: str = rule_field(Words(("ENABLED", "DISABLED")), "ENABLED")
    defbind: str = rule_field(Words(BINDINGS), "OPEN")
    hosts: int = rule_field(COUNT, 0)
    enabled_hosts: int = rule_field(COUNT, 0)
    clwlrank: int = rule_field(COUNT, 0)
    clwluseq: str = rule_field(Words(("QMGR", "LOCAL", "ANY")), "QMGR")
    fails_at: str = rule_field(Text(400), "")
    fails_unseen: bool = False
    passed_over: str = rule_field(Text(400), "")
    passed_by: str = rule_field(Text(400), "")
    leaves_for: str = rule_field(Text(400), "")
    leaves_to_fail: bool = False
    leaves_by: str = rule_field(Text(400), "")
    as_before: str = rule_field(Text(400), "")
    before_at: str = rule_field(Text(400), "")
    as_later: str = rule_field(Text(400), "")
    later_at: str = rule_field(Text(400), "")
    later_fail: bool = False
    levels: str = rule_field(Text(400), "")
    hosts_differ_in: tuple[str, ...] = rule_field(Names(Words(tuple(map(str.upper, QUEUE_ATTRIBUTES)))), ())
    unreachable: str = rule_field(Text(400), "")
    usage: str = rule_field(Words(("NORMAL", "XMITQ")), "NORMAL")
    indxtype: str = rule_field(Text(12), "NONE")
    clchname: str = rule_field(Text(20), "")
    defclxq: str = rule_field(Text(12), "SCTQ")
    others_serve: bool = False
    trigger: bool = False
    shared: bool = False
    trigtype: str = rule_field(Words(("NONE", "FIRST", "EVERY", "DEPTH")), "FIRST")
    trigdpth: int = rule_field(COUNT, 1)
    maxdepth: int = rule_field(COUNT, LARGEST)
    messages: int = rule_field(COUNT, 0)
    target: str = rule_field(NAME_OR_BLANK, "")
    leads_nowhere: str = rule_field(Text(400), "")
    lost_by: str = rule_field(Text(48), "")
    lost_queue: str = rule_field(NAME_OR_BLANK, "")
    lost_queue_manager: str = rule_field(NAME_OR_BLANK, "")
    lost_is_defined: bool = False
    lost_is_model: bool = False
    like_lost: str = rule_field(NAME_OR_BLANK, "")
    lost_if_bound: str = rule_field(NAME_OR_BLANK, "")
    led_from: str = rule_field(NAME_OR_BLANK, "")
    could_lead_on: bool = False
    transmission_queue: str = rule_field(NAME_OR_BLANK, "")
    is_sent_from: bool = True
    chltype: str = rule_field(Text(12), "")
    conname: str = rule_field(Text(264), "")
    hbint: int = rule_field(Whole(OFF, LARGEST), 300)
    kaint: int = rule_field(Whole(OFF, LARGEST), OFF)
    batchhb: int = rule_field(COUNT, 0)
    netprty: int = rule_field(Whole(OFF, LARGEST), OFF)
    receiver_differs: str = rule_field(Words(("", *map(str.upper, CHANNEL_ATTRIBUTES))), "")
    cluster: str = rule_field(Text(400), "")
    unjoined: str = rule_field(Text(400), "")
    repositories: int = rule_field(COUNT, 2)
    repository: bool = False
    partial_members: int = rule_field(COUNT, 0)
    like_members_before: int = rule_field(COUNT, 0)
    cluster_is_named: bool = True
    members: int = rule_field(COUNT, 2)
    more_members: bool = False
    is_told_whole: bool = False
    repositories_told: bool = True
    repository_elsewhere: bool = False
    other_clusters: int = rule_field(COUNT, 0)
    fewest_repositories_elsewhere: int = rule_field(COUNT, 0)
    is_membership: bool = False
    has_receiver: bool = True
    own_repository_told: bool = True
    manual_senders: int = rule_field(COUNT, 1)
    senders_told: bool = True
    reaches_repository: bool = True
    unjoined_repositories: str = rule_field(Text(400), "")
    is_route: bool = False
    channel_status: str = rule_field(Words((*CHANNEL_STATES, "")), "")
    deftype: str = rule_field(Text(12), "")
    leads_to: str = rule_field(Text(48), "")
    leads_to_partial: bool = False
    never_reached: bool = False
    curdepth: str = rule_field(Text(12), "")
    receiver_conname: str = rule_field(Text(264), "")
    connects_elsewhere: bool = False
    trigdata: str = rule_field(Text(64), "")
    trigdata_is_channel: bool = True
    like_trigdata: str = rule_field(Text(20), "")
    takers: str = rule_field(Text(400), "")
    taker_states: tuple[str, ...] = rule_field(Names(Words(CHANNEL_STATES)), ())
    taker_unknown: bool = False
    stopped_taker: str = rule_field(Text(20), "")
    lacks_transmission_queue: bool = False
    record_differs: str = rule_field(Words(("", *map(str.upper, QUEUE_ATTRIBUTES))), "")
    recorded: str = rule_field(Text(12), "")
    defined: str = rule_field(Text(12), "")
    recorded_at: str = rule_field(NAME_OR_BLANK, "")
    capexpry: str = rule_field(Text(12), "")
    streamq: str = rule_field(NAME_OR_BLANK, "")
    streams_on_to: str = rule_field(NAME_OR_BLANK, "")
    stream_is_model: bool = False
    stream_family: str = rule_field(NAME_OR_BLANK, "")
    family: str = rule_field(NAME_OR_BLANK, "")
    process: str = rule_field(NAME_OR_BLANK, "")
    initq: str = rule_field(NAME_OR_BLANK, "")
    appltype: str = rule_field(Text(12), "")
    applicid: str = rule_field(Text(256), "")
    applicid_begins: str = rule_field(Text(1), "")
    applicid_ends: str = rule_field(Text(1), "")
    starts_programs: bool = False
    starts_channels: bool = False
    in_others: bool = False
    clwlexit: str = rule_field(Text(128), "")
    adoptmca: str = rule_field(Text(12), "ALL")
    is_member: bool = False
    deadq: str = rule_field(NAME_OR_BLANK, "")
    deadq_told: bool = False
    suspended_in: str = rule_field(NAME_OR_BLANK, "")
    is_own: bool = True
    in_shared_cluster: bool = True
    attribute: str = rule_field(Text(20), "")
    owner: str = field(default="", metadata={"in_table": None})
    clusters: tuple[str, ...] = field(default=(), metadata={"in_table": None})
    places: Mapping[str, FileLine] = field(default=_UNPLACED, metadata={"in_table": None})
    states: Mapping[str, Any] = field(default=_UNSTATED, metadata={"in_table": None})
    leading: Queue | None = field(default=None, metadata={"in_table": None})
    linked_queues: tuple[Queue, ...] = field(default=(), metadata={"in_table": None})
    names: frozenset[str] = field(default=frozenset(), metadata={"in_table": None})
    lacked: str = field(default="", metadata={"in_table": None})
    models: frozenset[str] = field(default=frozenset(), metadata={"in_table": None})
    sent_from: frozenset[str] | None = field(default=None, metadata={"in_table": None})
    is_shown: bool = field(default=False, metadata={"in_table": None})
    shown_at: str = field(default="", metadata={"in_table": None})
    found: MqObject | None = field(default=None, metadata={"in_table": None}, repr=False)

    def replace(self, **changed: Any) -> ConfiguredObject:
        """Change some of its attributes; as attrs.evolve, and faster."""
        values = [*_VALUES_OF(self)]
        for name, value in changed.items():
            values[_PLACE_OF[name]] = value
        return ConfiguredObject(*values)

    @property
    def tells_of_editions(self) -> bool:
        """Whether anything tells which members are of which edition."""
        return any(getattr(self, name) for name in TOLD_OF_EDITIONS)

    def without_editions(self) -> ConfiguredObject:
        """Leave out the names and numbers that tell which members are of which edition."""
        return self.replace(**{name: getattr(self, name) and "*" for name in TOLD_OF_EDITIONS})

    def place_of(self, attribute: str) -> FileLine:
        """Return the file and the line where an attribute stands, or else the object."""
        names = list_keywords(attribute)
        if self.found is not None:
            for name in names:
                if (record := self.found.find_statement(name)) is not None:
                    return record.source, record.find_line(name)
            return self.found.record.source, self.found.record.line
        return next((self.places[name] for name in names if name in self.places), self.places.get("", ("", None)))

    def tells(self, attribute: str) -> bool:
        """Return whether the files tell an attribute; a definition tells all, by default those that it leaves out."""
        shown = self.places.get if self.found is None else self.found.find_statement
        return not self.is_shown or any(map(shown, list_keywords(attribute)))


TOLD_OF_EDITIONS = ("fails_at", "as_before", "as_later", "levels")
"""What tells which members are of which edition."""

_NAMES = tuple(each.name for each in fields(ConfiguredObject))
_VALUES_OF, _PLACE_OF = attrgetter(*_NAMES), {name: at for at, name in enumerate(_NAMES)}

_KEYWORDS = {
    "cluster": ("CLUSTER", "CLUSNL"),
    "repos": ("REPOS", "REPOSNL"),
    "trigger": ("TRIGGER", "NOTRIGGER"),
    "capexpry": ("CAPEXPRY", "CUSTOM"),
}
"""The attributes that can be stated in several ways."""

TEMPORARY_NAME_PREFIX = "SYSTEM.TEMPQMGR."
"""How a queue manager is named behind a CLUSSDR that has not reached it yet."""

SHARED_TRANSMISSION_QUEUE = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
"""The transmission queue of all cluster channels that have none of their own."""


def collect_places(found: MqObject, words: Collection[str], states: Collection[str]) -> Mapping[str, FileLine]:
    """Collect where a definition and its attributes stand: those with the MQSC keywords ``words``, and ``states``."""
    named = words if not states else {*words, *(word for each in states for word in list_keywords(each))}
    stated = {name for by in found.statements for name in by.attributes if name in named}
    places = {"": (found.record.source, found.record.line)}
    for name in stated:
        if (by := found.find_statement(name)) is not None:
            places[name] = by.source, by.find_line(name)
    return places


def list_keywords(attribute: str) -> tuple[str, ...]:
    """List the MQSC keywords under which an attribute can stand."""
    return _KEYWORDS.get(attribute) or (attribute.upper(),)


@frozen(eq=False, slots=False)
class ConfiguredRoutes:
    """The routes of the queue manager ``owner``, by all that its files show and what its commands did to them.

    ``lacks`` tells of a transmission queue whether it is not there, by the files.
    """

    objects: QueueManagerObjects
    owner: str
    platform: str
    lacks: Callable[[str], bool]

    @cached_property
    def _overlays(self) -> frozenset[str]:
        """The files, or options, that change what its other files say."""
        return frozenset(each.source for each in self.objects.scripts if each.overlay)

    def rows(self, kind: str) -> list[MqObject]:
        """Return the displayed rows of one kind."""
        return [row for row in self.objects.rows if row.kind == kind]

    def list_routes(self) -> Iterator[ConfiguredObject]:
        """List the cluster channels whose state or partner its files show, once for each cluster."""
        displayed = set[str]()
        for row in self.rows("CLUSQMGR"):
            if channel := row.text("CHANNEL"):
                displayed.add(channel)
                yield self._build_displayed_route(row, channel)
        states = [row for row in self.rows("CHSTATUS") if self._is_of_a_cluster(row)]
        others = ChannelStates.from_objects(self.objects).others
        operated = [record for record in self.objects.operated if record.name not in others]
        for name in dict.fromkeys((*(row.name for row in states), *(record.name for record in operated))):
            if name not in displayed:
                yield from self._build_routes_by_state(name, [row for row in states if row.name == name])

    def _build_displayed_route(self, row: MqObject, channel: str) -> ConfiguredObject:
        is_own = row.name == self.objects.name
        by, status = self._find_state(row, channel)
        shown = {"STATUS": by} if by else {}
        return self._build_route(
            channel,
            "CLUSRCVR" if is_own else "CLUSSDR",
            {**_collect_row_places(row), **shown},
            deftype=row.text("DEFTYPE"),
            leads_to="" if is_own else row.name,
            never_reached=row.name.startswith(TEMPORARY_NAME_PREFIX),
            clusters=tuple(filter(None, [row.text("CLUSTER")])),
            channel_status=status,
            **self._describe_transmission_queue(channel, row.text("XMITQ")),
        )

    def _build_routes_by_state(self, name: str, rows: list[MqObject]) -> Iterator[ConfiguredObject]:
        """A channel of which only the state is told: to whom it leads, others may tell."""
        made = self._defined_channels.get(name)
        chltype = made.type if made else next(filter(None, (row.text("CHLTYPE") for row in rows)), "CLUSSDR")
        shown: list[MqObject | None] = [*rows]
        for row in shown or [None]:
            by, status = self._find_state(row, name)
            if status:
                yield self._build_route(
                    name,
                    chltype,
                    {"": by, "STATUS": by},
                    deftype=chltype,
                    leads_to="" if row is None or chltype == "CLUSRCVR" else row.text("RQMNAME"),
                    clusters=made.clusters if made else (),
                    channel_status=status,
                    is_shown=row is not None,
                    **self._describe_transmission_queue(name, row.text("XMITQ") if row else ""),
                )

    def _find_state(self, row: MqObject | None, channel: str) -> tuple[FileLine, str]:
        """Where the state of a route stands, and what it is: as a change says, as is displayed, as commands left it."""
        last = self._find_last_operation(channel, row.name if row and row.kind == "CLUSQMGR" else "")
        if last is not None and last.source in self._overlays:
            return (last.source, last.line), get_state_after(last)
        for each in self._list_rows_about(row, channel):
            if "status" in each.fields:
                by = each.find_statement("STATUS") or each.record
                return (by.source, by.find_line("STATUS")), each.fields["status"]
        if last is not None and last.action == "stop":
            return (last.source, last.line), get_state_after(last)
        return ("", None), ""

    def _list_rows_about(self, row: MqObject | None, channel: str) -> Iterator[MqObject]:
        if row is not None:
            yield row
            if row.kind == "CLUSQMGR":
                for each in reversed(self.rows("CHSTATUS")):
                    if each.name == channel and each.text("RQMNAME") in ("", row.name):
                        yield each

    def _find_last_operation(self, channel: str, queue_manager: str) -> Record | None:
        for record in reversed(self.objects.operated):
            if record.name == channel and (not queue_manager or record.listed("QMNAME") in ((), (queue_manager,))):
                return record
        return None

    @cached_property
    def _defined_channels(self) -> Mapping[str, MqObject]:
        return {each.name: each for kind in CLUSTER_CHANNELS for each in self.objects.channels(kind)}

    def _is_of_a_cluster(self, row: MqObject) -> bool:
        kind = row.text("CHLTYPE")
        return kind in CLUSTER_CHANNELS or (not kind and row.name in self._defined_channels)

    def _describe_transmission_queue(self, channel: str, shown: str) -> dict[str, Any]:
        """The transmission queue that a channel takes messages from, and its depth as far as that is told."""
        named = shown or self._find_serving_queue(channel)
        depth = self.objects.find_depth(named) or self._stated_depths.get(named, "")
        lacks = bool(shown) and self.lacks(shown)
        return {"transmission_queue": named, "curdepth": depth, "lacks_transmission_queue": lacks}

    @cached_property
    def _stated_depths(self) -> Mapping[str, str]:
        """By queue what a file of facts says of its depth."""
        return {each.name: each.text("CURDEPTH") for each in self.objects.of("QLOCAL") if each.text("CURDEPTH")}

    def _find_serving_queue(self, channel: str) -> str:
        """The queue whose CLCHNAME fits best, or that of all channels, or the channel's own."""
        by_channel = any(each.text("DEFCLXQ").upper() == "CHANNEL" for each in self.objects.of("QMGR"))
        default = get_channel_queue(channel) if by_channel else SHARED_TRANSMISSION_QUEUE
        return find_serving_queue(channel, self._clchnames) or default

    @cached_property
    def _clchnames(self) -> Mapping[str, str]:
        return {each.name: each.text("CLCHNAME") for each in self.objects.of("QLOCAL") if each.text("CLCHNAME")}

    def _build_route(self, name: str, chltype: str, places: Mapping[str, FileLine], **more: Any) -> ConfiguredObject:
        return ConfiguredObject("CHANNEL", name, self.objects.name, self.platform, True, chltype=chltype,
                                owner=self.owner, places=places, is_route=True, **more)  # fmt: skip

    def list_hosts(self) -> Iterator[ConfiguredObject]:
        """List the hosts of cluster queues that DISPLAY QCLUSTER shows: of others no file may tell more."""
        own = {each.name for each in self.objects.of(*CONFIGURED_QUEUES)}
        for row in self.rows("QCLUSTER"):
            host, cluster = row.text("CLUSQMGR"), row.text("CLUSTER")
            if host and cluster and not (host == self.objects.name and row.name in own):
                kind = row.text("CLUSQT") or "QLOCAL"
                yield ConfiguredObject("QREMOTE" if kind == "QMGR" else kind, row.name, host, clustered=True,
                                       put=row.fields.get("put", "ENABLED"), owner=host, clusters=(cluster,),
                                       is_shown=True, shown_at=self.objects.name,
                                       places=_collect_row_places(row))  # fmt: skip

    def _find_stated_repository(self, cluster: str) -> FileLine | None:
        """Where it is stated that it is a full repository of a cluster; None if it is not stated."""
        for each in self.objects.of("QMGR"):
            name = "REPOS" if each.text("REPOS") else "REPOSNL"
            if cluster in each.clusters and (by := each.find_statement(name)) is not None:
                return by.source, by.find_line(name)
        return None

    def build_memberships(self) -> Iterator[ConfiguredObject]:
        """Build the queue manager itself as a member, once for each cluster that it has a receiver in."""
        found = dict[str, FileLine]()
        for each in self.objects.channels("CLUSRCVR"):
            for cluster in each.clusters:
                by = each.find_statement("CLUSTER") or each.find_statement("CLUSNL") or each.record
                found.setdefault(cluster, (by.source, by.find_line("CLUSTER")))
        defined = frozenset(found)
        for row in self.rows("CLUSQMGR"):
            if row.name == self.objects.name and row.text("CLUSTER"):
                found.setdefault(row.text("CLUSTER"), (row.record.source, row.record.line))
        for cluster, place in found.items():
            place = self._find_stated_repository(cluster) or place
            yield ConfiguredObject("QMGR", self.owner, self.objects.name, self.platform, True, owner=self.owner,
                                   clusters=(cluster,), places={"": place}, is_membership=True,
                                   has_receiver=cluster in defined)  # fmt: skip


@frozen(slots=False)
class ConfiguredSenders:
    """The channels of a queue manager, by its ``objects`` and what logs were ``asked``.

    ``tells``: whether its files would tell an object of a kind and a name, if there is one.
    """

    objects: QueueManagerObjects
    asked: AnsweredInquiries
    tells: Callable[[str, str], bool]

    def of_queue(self, found: MqObject) -> dict[str, Any]:
        """Describe a transmission queue by the channels that take messages from it."""
        meant = [each.fact for each in self._channels if each.fact.xmitq == found.name]
        unknown = {each.fact.name for each in self._channels if each.origin("status").how == "defaulted"}
        named = found.text("TRIGDATA")
        lacks = bool(named) and named not in self._names and self.tells("CHANNEL", named)
        return {
            "curdepth": found.text("CURDEPTH") or self.objects.find_depth(found.name),
            "trigdata_is_channel": not lacks,
            "like_trigdata": find_closest(named, self._names) if lacks else "",
            **describe_takers(meant, unknown),
        }

    def is_known_missing(self, transmission_queue: str) -> bool:
        """Return whether the files show that there is no such queue."""
        there = any(each.name == transmission_queue for each in self.objects.of("QLOCAL"))
        return bool(transmission_queue) and not there and self.tells("QLOCAL", transmission_queue)

    @cached_property
    def _channels(self) -> list[PlacedFact[ChannelStatus]]:
        rows = drop_outdated_rows(self.objects.rows, {self.objects.name: self.objects}, self.objects.name)
        shown = (row for row in rows if row.kind == "CHSTATUS")
        return [*build_channel_statuses(self.objects, shown, ChannelStates.from_objects(self.objects), self.asked)]

    @cached_property
    def _names(self) -> frozenset[str]:
        shown = (row.name if row.kind == "CHSTATUS" else row.text("CHANNEL") for row in self.objects.rows)
        return frozenset((*(each.name for each in self.objects.of("CHANNEL")), *shown)) - {""}


def _collect_row_places(row: MqObject) -> dict[str, FileLine]:
    """Where a row stands, and each of its attributes."""
    stated = {name: by for by in row.statements for name in by.attributes}
    found = {name: (by.source, by.find_line(name)) for name, by in stated.items()}
    return {"": (row.record.source, row.record.line), **found}
