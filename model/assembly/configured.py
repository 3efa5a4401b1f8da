"""Configured objects: one object of one queue manager, as a check looks at it, and where each attribute stands."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from operator import attrgetter
from typing import Any

from attrs import field, fields, frozen

from mqclause.model.assembly.mq_object import MqObject
from mqclause.model.facts.domains import LARGEST, NAME_OR_BLANK, Names, Text, Whole, Words, seen
from mqclause.model.facts.objects import BINDINGS, CHANNEL_STATES, Channel, Queue

CONFIGURED_QUEUES = ("QLOCAL", "QALIAS", "QREMOTE")
CHECKED_TYPES = (*CONFIGURED_QUEUES, "QMODEL", "CHANNEL", "PROCESS", "QMGR")
"""The kinds of objects that a check looks at."""

COUNT = Whole(0, LARGEST)
OFF = -1
"""What stands for an interval that is no number, like KAINT(AUTO)."""

FileLine = tuple[str, int | None]
"""A file and a line of it."""

_UNPLACED: Mapping[str, FileLine] = {}
_UNSTATED: Mapping[str, Any] = {}
QUEUE_ATTRIBUTES, CHANNEL_ATTRIBUTES = (
    tuple(each.name for each in fields(kind) if each.name not in ("name", "queue_manager")) for kind in (Queue, Channel)
)
"""All that two queues of one name, or two channels, can have otherwise."""


@frozen(eq=False)
class ConfiguredObject:
    """One object of one queue manager as a check sees it.

    ``hosts`` is how many queue managers host a clustered queue, ``enabled_hosts`` how many of them put-enabled; its own
    ``clwlrank`` beside the ``highest_rank`` of all, of which ``enabled_of_highest_rank`` are put-enabled;
    ``hosts_differ_in`` names every attribute that they are known to have different values of. ``unreachable`` says why
    no other queue manager ever sends a message to a host, blank if one does. A queue is looked at in its ``cluster``,
    or in several of which the same is to be said; ``in_others``: it is in more clusters, of which that is not to be
    said.

    ``leads_nowhere`` says why a name leads to nothing, blank if it does not: ``lost_by`` is the reason code,
    ``lost_queue`` and ``lost_queue_manager`` are the names that come to nothing, ``lost_is_defined`` says whether there
    is an object of that queue name, ``lost_is_model`` whether a model queue has it, ``like_lost`` is a queue whose name
    is nearly that, and ``led_from`` is what led to them. ``could_lead_on``: it would lead somewhere with what a member
    may have that no file describes. ``lost_if_bound`` is the queue that an alias in a cluster leads to, where others
    have it and its own queue manager has none: what is bound to that is lost there.

    Where it leads to a ``transmission_queue``, that ``is_sent_from`` if it is one of those that channels of its queue
    manager take messages from, ``sent_from``, or if no file would tell.

    ``receiver_differs`` names an attribute that a CLUSSDR states otherwise than the CLUSRCVR of that name, which has
    ``receiver_conname``; it ``connects_elsewhere`` if none of its addresses is one of those.

    A queue manager stands for itself as a member of a ``cluster`` where that ``is_membership``; ``has_receiver``: a
    CLUSRCVR is described. ``repositories`` are the full ones of the cluster; it is a ``repository`` of it, if that is
    told, ``own_repository_told``, and a ``repository_elsewhere`` if it is one of another cluster; it is in
    so many ``other_clusters``, of which that with the fewest has ``fewest_repositories_elsewhere``. Of the members that
    are described and have a receiver in the cluster, ``partial_members`` are no full repositories of it; so many
    ``like_members_before``, repositories as it is one or not, have a name before its own. ``cluster_is_named``: its
    name is no insert, which qm.ini fills in. ``repositories_told``: the files of all members tell of what they are full
    repositories. It has so many ``manual_senders`` in the cluster, CLUSSDR channels that somebody defined, if that is
    told, ``senders_told``. It ``reaches_repository`` if one of them leads to a full repository, or to whom is not
    known; to the full repositories that are ``unjoined_repositories`` none of them leads.

    A channel that ``is_route`` stands for what a queue manager knows of a cluster channel of its: its ``deftype``,
    ``channel_status``, blank where that is not told, the queue manager that it ``leads_to``, which was
    ``never_reached`` if it still has the name that stands for such a one. ``curdepth`` is that of the
    ``transmission_queue`` that it takes messages from, blank where it is not told. A CLUSSDR ``leads_to_partial``: to
    one that is known to be no full repository.

    Of a transmission queue ``takers`` says in words how the channels outside clusters are that take messages from it,
    ``taker_states`` has their states; ``taker_unknown``: that of one is not told. ``stopped_taker`` is one that is
    STOPPED. ``trigdata_is_channel``: a channel has the name in its TRIGDATA, or no file would tell;
    ``like_trigdata`` is one of nearly that name. A channel ``lacks_transmission_queue`` if the one that it takes
    messages from is in none of the files that would tell it.

    Where what another queue manager, ``recorded_at``, knows of a clustered queue is not as the queue's own has it,
    ``record_differs`` is the attribute, with the value that is ``recorded`` and the one that is ``defined``.

    ``messages`` are those on a transmission queue now, 0 where nothing tells it. ``capexpry`` is CAPEXPRY, by itself or
    in CUSTOM, blank for no limit. ``family`` are the first three parts of a name that begins with SYSTEM. Of a process,
    ``applicid_begins`` and ``applicid_ends`` with these signs; other queues than transmission queues name it if it
    ``starts_programs``, transmission queues if it ``starts_channels``. So many ``members`` of the cluster are
    described; ``more_members``: something leads to one that is not. It ``is_told_whole`` where a facts document says
    all that there is in it. Of a name that leads elsewhere that is said of all clusters of its queue manager: of the
    one that the files tell least of. ``others_serve``: other queues are transmission queues of some channels; with
    ``defclxq`` CHANNEL each cluster channel has one of its own. A queue manager ``is_member`` of a cluster if it has a
    receiver in one; ``unjoined`` are clusters that a queue names and in which there is none, so that the queue is not
    clustered there. ``deadq_told`` says whether its files tell DEADQ, ``suspended_in`` is a cluster in which it is
    suspended. Where one queue manager looks, it ``is_own`` if that is its own, and ``in_shared_cluster`` if that is in
    a cluster of it; both are true where nobody in particular looks. ``attribute`` is the one that a finding is about.
    Of an object that ``is_shown``, by a display or a facts document, what is left out is not told. A host that another
    queue manager displays is ``shown_at`` that one. ``owner`` is the queue manager, blank where no file names it.
    ``found`` is its definition, or ``places`` say where the attributes stand, ``""`` where the object does. ``states``
    are the attributes that a channel states, ``leading`` is the queue itself as a fact, if it leads to another one.
    Then ``beside`` is all that such queues of its queue manager lead to, themselves among them, the same for each;
    ``models`` are the model queues.
    """

    object_type: str = seen(Words(CHECKED_TYPES), "QLOCAL")
    name: str = seen(NAME_OR_BLANK, "")
    queue_manager: str = seen(NAME_OR_BLANK, "")
    platform: str = seen(Words(("MULTI", "ZOS")), "MULTI")
    clustered: bool = False
    put: str = seen(Words(("ENABLED", "DISABLED")), "ENABLED")
    get: str = seen(Words(("ENABLED", "DISABLED")), "ENABLED")
    defbind: str = seen(Words(BINDINGS), "OPEN")
    hosts: int = seen(COUNT, 0)
    enabled_hosts: int = seen(COUNT, 0)
    clwlrank: int = seen(COUNT, 0)
    highest_rank: int = seen(COUNT, 0)
    enabled_of_highest_rank: int = seen(COUNT, 0)
    hosts_differ_in: tuple[str, ...] = seen(Names(Words(tuple(map(str.upper, QUEUE_ATTRIBUTES)))), ())
    unreachable: str = seen(Text(400), "")
    usage: str = seen(Words(("NORMAL", "XMITQ")), "NORMAL")
    indxtype: str = seen(Text(12), "NONE")
    clchname: str = seen(Text(20), "")
    defclxq: str = seen(Text(12), "SCTQ")
    others_serve: bool = False
    trigger: bool = False
    shared: bool = False
    trigtype: str = seen(Words(("NONE", "FIRST", "EVERY", "DEPTH")), "FIRST")
    trigdpth: int = seen(COUNT, 1)
    maxdepth: int = seen(COUNT, LARGEST)
    messages: int = seen(COUNT, 0)
    target: str = seen(NAME_OR_BLANK, "")
    leads_nowhere: str = seen(Text(400), "")
    lost_by: str = seen(Text(48), "")
    lost_queue: str = seen(NAME_OR_BLANK, "")
    lost_queue_manager: str = seen(NAME_OR_BLANK, "")
    lost_is_defined: bool = False
    lost_is_model: bool = False
    like_lost: str = seen(NAME_OR_BLANK, "")
    lost_if_bound: str = seen(NAME_OR_BLANK, "")
    led_from: str = seen(NAME_OR_BLANK, "")
    could_lead_on: bool = False
    transmission_queue: str = seen(NAME_OR_BLANK, "")
    is_sent_from: bool = True
    chltype: str = seen(Text(12), "")
    conname: str = seen(Text(264), "")
    hbint: int = seen(Whole(OFF, LARGEST), 300)
    kaint: int = seen(Whole(OFF, LARGEST), OFF)
    batchhb: int = seen(COUNT, 0)
    netprty: int = seen(Whole(OFF, LARGEST), OFF)
    receiver_differs: str = seen(Words(("", *map(str.upper, CHANNEL_ATTRIBUTES))), "")
    cluster: str = seen(Text(400), "")
    unjoined: str = seen(Text(400), "")
    repositories: int = seen(COUNT, 2)
    repository: bool = False
    partial_members: int = seen(COUNT, 0)
    like_members_before: int = seen(COUNT, 0)
    cluster_is_named: bool = True
    members: int = seen(COUNT, 2)
    more_members: bool = False
    is_told_whole: bool = False
    repositories_told: bool = True
    repository_elsewhere: bool = False
    other_clusters: int = seen(COUNT, 0)
    fewest_repositories_elsewhere: int = seen(COUNT, 0)
    is_membership: bool = False
    has_receiver: bool = True
    own_repository_told: bool = True
    manual_senders: int = seen(COUNT, 1)
    senders_told: bool = True
    reaches_repository: bool = True
    unjoined_repositories: str = seen(Text(400), "")
    is_route: bool = False
    channel_status: str = seen(Words((*CHANNEL_STATES, "")), "")
    deftype: str = seen(Text(12), "")
    leads_to: str = seen(Text(48), "")
    leads_to_partial: bool = False
    never_reached: bool = False
    curdepth: str = seen(Text(12), "")
    receiver_conname: str = seen(Text(264), "")
    connects_elsewhere: bool = False
    trigdata: str = seen(Text(64), "")
    trigdata_is_channel: bool = True
    like_trigdata: str = seen(Text(20), "")
    takers: str = seen(Text(400), "")
    taker_states: tuple[str, ...] = seen(Names(Words(CHANNEL_STATES)), ())
    taker_unknown: bool = False
    stopped_taker: str = seen(Text(20), "")
    lacks_transmission_queue: bool = False
    record_differs: str = seen(Words(("", *map(str.upper, QUEUE_ATTRIBUTES))), "")
    recorded: str = seen(Text(12), "")
    defined: str = seen(Text(12), "")
    recorded_at: str = seen(NAME_OR_BLANK, "")
    capexpry: str = seen(Text(12), "")
    family: str = seen(NAME_OR_BLANK, "")
    process: str = seen(NAME_OR_BLANK, "")
    initq: str = seen(NAME_OR_BLANK, "")
    appltype: str = seen(Text(12), "")
    applicid: str = seen(Text(256), "")
    applicid_begins: str = seen(Text(1), "")
    applicid_ends: str = seen(Text(1), "")
    starts_programs: bool = False
    starts_channels: bool = False
    in_others: bool = False
    clwlexit: str = seen(Text(128), "")
    adoptmca: str = seen(Text(12), "ALL")
    is_member: bool = False
    deadq: str = seen(NAME_OR_BLANK, "")
    deadq_told: bool = False
    suspended_in: str = seen(NAME_OR_BLANK, "")
    is_own: bool = True
    in_shared_cluster: bool = True
    attribute: str = seen(Text(20), "")
    owner: str = field(default="", metadata={"in_table": None})
    clusters: tuple[str, ...] = field(default=(), metadata={"in_table": None})
    places: Mapping[str, FileLine] = field(default=_UNPLACED, metadata={"in_table": None})
    states: Mapping[str, Any] = field(default=_UNSTATED, metadata={"in_table": None})
    leading: Queue | None = field(default=None, metadata={"in_table": None})
    beside: tuple[Queue, ...] = field(default=(), metadata={"in_table": None})
    names: frozenset[str] = field(default=frozenset(), metadata={"in_table": None})
    lacked: str = field(default="", metadata={"in_table": None})
    models: frozenset[str] = field(default=frozenset(), metadata={"in_table": None})
    sent_from: frozenset[str] | None = field(default=None, metadata={"in_table": None})
    is_shown: bool = field(default=False, metadata={"in_table": None})
    shown_at: str = field(default="", metadata={"in_table": None})
    found: MqObject | None = field(default=None, metadata={"in_table": None}, repr=False)

    def evolved(self, **changed: Any) -> ConfiguredObject:
        """The object with some of its attributes changed: what attrs.evolve gives, in a part of the time."""
        values = [*_VALUES_OF(self)]
        for name, value in changed.items():
            values[_PLACE_OF[name]] = value
        return ConfiguredObject(*values)

    def place_of(self, attribute: str) -> FileLine:
        """The file and the line where an attribute stands, or else the object."""
        names = keywords(attribute)
        if self.found is not None:
            for name in names:
                if (record := self.found.stating(name)) is not None:
                    return record.source, record.line_of(name)
            return self.found.record.source, self.found.record.line
        return next((self.places[name] for name in names if name in self.places), self.places.get("", ("", None)))

    def tells(self, attribute: str) -> bool:
        """Whether its files tell an attribute: a definition tells all of them, by default those that it leaves out."""
        if self.found is None:
            return not self.is_shown or any(name in self.places for name in keywords(attribute))
        return not self.is_shown or any(self.found.stating(name) for name in keywords(attribute))


def kept_places(found: MqObject, words: Collection[str], states: Collection[str]) -> Mapping[str, FileLine]:
    """Where a definition stands, and what it states: of the keywords of MQSC, and of the attributes ``states``."""
    named = words if not states else {*words, *(word for each in states for word in keywords(each))}
    stated = {name for by in found.statements for name in by.attributes if name in named}
    places = {"": (found.record.source, found.record.line)}
    for name in stated:
        if (by := found.stating(name)) is not None:
            places[name] = by.source, by.line_of(name)
    return places


_NAMES = tuple(each.name for each in fields(ConfiguredObject))
_VALUES_OF, _PLACE_OF = attrgetter(*_NAMES), {name: at for at, name in enumerate(_NAMES)}


def keywords(attribute: str) -> tuple[str, ...]:
    """The keywords of MQSC under which an attribute can stand."""
    return _KEYWORDS.get(attribute) or (attribute.upper(),)


_KEYWORDS = {
    "cluster": ("CLUSTER", "CLUSNL"),
    "repos": ("REPOS", "REPOSNL"),
    "trigger": ("TRIGGER", "NOTRIGGER"),
    "capexpry": ("CAPEXPRY", "CUSTOM"),
}
"""The attributes that can be stated in several ways."""
