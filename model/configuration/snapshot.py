"""Read files to a snapshot: facts, their places, and what is known to be incomplete."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from attrs import evolve, field, fields, frozen

from mqclause.model.configuration.completeness import (
    NO_INQUIRIES,
    AnsweredInquiries,
    MissingInformation,
    build_coverage_at,
    build_record_diagnostic,
    describe_lone_host_assumptions,
    describe_member_assumptions,
    find_missing_information,
    find_partial_dumps,
    suggest_insert,
)
from mqclause.model.configuration.membership import (
    UndisplayedObjects,
    Unshown,
    assign_owner,
    build_local_queue_manager,
    check_local_name,
    describe_outsiders,
    find_local_name,
    find_sender_attributes,
    find_shown_transmission_queues,
    find_undisplayed_objects,
    find_used_transmission_queues,
    get_default_defclxq,
    get_stated_clusters,
    get_stated_name,
    list_defined_objects,
    odd_levels,
    refuse_other_owner,
    with_level,
)
from mqclause.model.configuration.objects import SYSTEM_PREFIX, ViewCache, clean_description, read_attributes
from mqclause.model.configuration.sources import (
    Origin,
    PlacedFact,
    Provenance,
    Source,
    SourceFiles,
    drop_duplicate_dumps,
    find_misplaced_messages,
    merge_facts,
    place_facts,
    place_rows,
    place_table,
)
from mqclause.model.configuration.status import (
    apply_current_status,
    collect_shown_attributes,
    complete_channels,
    get_state_after,
    merge_channel_states,
)
from mqclause.model.configuration.view import ClusterView, build_view
from mqclause.model.diagnostics import (
    Diagnostic,
    DomainError,
    FactsError,
    check_several,
    check_type,
    is_secret,
    quote_value,
    suggest_name,
    suggest_word,
)
from mqclause.model.facts.cluster import Cluster, ContradictionError
from mqclause.model.facts.delivery import DeliveryContext
from mqclause.model.facts.messages import Message
from mqclause.model.facts.objects import (
    Channel,
    ChannelStatus,
    Process,
    Put,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.model.readers.encodings import share_read_budget
from mqclause.model.readers.facts_files import LIST_TABLES, MOST_FAULTS, Facts, has_facts, read_facts
from mqclause.model.readers.formats import NO_PLACES, DocumentPlaces, FactsDocument, Format
from mqclause.model.readers.json_responses import MQWEB, PCF
from mqclause.model.readers.mqsc import (
    MQSC,
    UnreadableError,
    describe_unknown_attribute,
    get_known_attributes,
    parse_parameters,
)
from mqclause.model.readers.records import (
    FLAGS,
    HANDLES,
    SYNONYMS,
    CombinedCoverage,
    Record,
    Script,
    Value,
    split_names,
)
from mqclause.model.readers.registry import FORMATS, read_contents, select_formats

StatedT = TypeVar("StatedT", Channel, ChannelStatus)

_CHANNEL_DEFAULTS = {each.name: each.default for each in fields(Channel)}

NOTHING_SHOWN = "nothing is shown here: no object and no status"
NO_FACTS = "has no table of a facts document: left out"

NO_CHANGE = "is not carried out on what no script describes; allowed: ALTER, START and STOP CHANNEL, SUSPEND and RESUME"
"""Of a command that would need all of an object's definition."""

NO_NAMELIST = "no script describes the namelist; allowed: CLUSTER(…)"

SET_OPTION = "--set"
_FACTS = {"QMGR": (QueueManager, RemoteQueueManager), "CHANNEL": (Channel,), "PROCESS": (Process,)}
_QUEUES = ("QLOCAL", "QALIAS", "QREMOTE")
_OF_ALIAS = "QREMOTE"
"""The kind of queue by which a queue-manager alias is defined."""
CHANGEABLE = ("QMGR", *_QUEUES, "CHANNEL", "PROCESS")
STATE_ATTRIBUTES = {"CHANNEL": {"STATUS"}, "QMGR": {"SUSPEND"}}
"""What can be set here and is no attribute of a definition."""

_HOW = ("FORCE", "NOFORCE", "CMDSCOPE", "CHLTYPE", "QSGDISP")
"""What says how a command is carried out, or which object is meant."""


@frozen(eq=False)
class Snapshot:
    """What was read: the cluster, the put if one is given, the messages on local queues in the order of their arrival,
    and what was left out in lenient mode.

    ``assumptions`` say what the sources cannot tell, and what was taken in its place. ``observed`` holds what a dump or
    a log shows of a queue besides its definition, by queue and queue manager: CURDEPTH, IPPROCS and the like.
    ``incomplete`` is what the sources leave out, whatever is asked. ``remarks`` say what is odd about the sources,
    beside their ``warnings``. ``defined`` names by kind (QLOCAL, CHANNEL and so on) the objects that scripts define at
    the local queue manager, ``untold`` what nobody asked about of those that its queues name, ``asked`` what was asked
    for there, ``covered`` what its dumps hold; ``sent_from``
    are the transmission queues that its channels name, None where no script describes one. ``hosted`` has the names of
    the queues of each other queue manager that is described, with those that aliases lead to, ``models`` of those that
    have any the names of the model queues, ``told_wholly`` are those
    of which a dump tells all, ``defclxq`` is DEFCLXQ where it is not stated. ``strangers`` are queue managers
    that are described and share no cluster with the local one. ``shows_counters``: its sources hold the sequence
    numbers of channels, or leave them out because they are 0; MQ displays none. Of
    ``shown_queues``, by cluster channel, a display names the transmission queue; of ``stated_at_senders`` a CLUSSDR of
    the local queue manager states workload attributes. ``leaves_open``: displays show attributes of it, which may leave
    others open, or facts documents say that some are not known. ``knows_all``: all is from one facts
    document, which says of nothing that it is unknown.
    """

    cluster: Cluster
    put: Put | None = None
    warnings: tuple[Diagnostic, ...] = ()
    assumptions: tuple[str, ...] = ()
    observed: Mapping[tuple[str, str], Mapping[str, str]] = field(factory=dict)
    incomplete: tuple[MissingInformation, ...] = field(default=(), kw_only=True)
    defined: Mapping[str, frozenset[str]] = field(factory=dict, kw_only=True)
    untold: UndisplayedObjects = field(factory=dict, kw_only=True)
    asked: AnsweredInquiries = field(default=NO_INQUIRIES, kw_only=True)
    covered: CombinedCoverage = field(default=CombinedCoverage(), kw_only=True)
    partial_of: tuple[str, ...] = field(default=(), kw_only=True)
    remarks: tuple[Diagnostic, ...] = field(default=(), kw_only=True)
    _placed: Callable[[], Iterable[PlacedFact[Any]]] = field(default=tuple, repr=False)
    messages: tuple[Message, ...] = ()
    sent_from: frozenset[str] | None = field(default=None, kw_only=True)
    hosted: Mapping[str, Mapping[str, str]] = field(factory=dict, kw_only=True)
    models: Mapping[str, frozenset[str]] = field(factory=dict, kw_only=True)
    told_wholly: frozenset[str] = field(default=frozenset(), kw_only=True)
    strangers: tuple[str, ...] = field(default=(), kw_only=True)
    defclxq: str = field(default="", kw_only=True)
    shows_counters: bool = field(default=True, kw_only=True)
    shown_queues: Mapping[str, str] = field(factory=dict, kw_only=True)
    leaves_open: bool = field(default=False, kw_only=True)
    stated_at_senders: Mapping[str, Mapping[str, int]] = field(factory=dict, kw_only=True)
    knows_all: bool = field(default=False, kw_only=True)

    @cached_property
    def provenance(self) -> Provenance:
        """Where each attribute of each fact comes from."""
        return Provenance(self._placed())

    @cached_property
    def unshown(self) -> Unshown:
        """What displays leave open of what they show."""
        return Unshown(self.provenance, self.asked, self.cluster.queue_manager.name, self.leaves_open)

    @cached_property
    def beyond(self) -> DeliveryContext:
        """What is told of the way of a message once its destination is chosen."""
        named = {each.trigdata for each in self.cluster.own_queues.values()} - {""}
        own, shown = self.cluster.channel_statuses, self.shown_queues
        channels = self._channels if named else frozenset[str]()
        no_channels = (name for name in named if name not in channels and self._tells("CHANNEL", name))
        gone = (name for name in shown.values() if name not in self.cluster.own_queues and self._tells("QLOCAL", name))
        return DeliveryContext(
            self.hosted,
            self.told_wholly,
            not self.incomplete,
            self.defclxq,
            self.sent_from,
            channels=channels,
            unknown_state=frozenset(each.name for each in self._of_unknown_state(own)),
            no_channels=frozenset(no_channels),
            shown_queues=shown,
            no_queues=frozenset(gone),
            models=self.models,
            overridden=self._overridden() if self.stated_at_senders else {},
        )

    def _overridden(self) -> Mapping[str, str]:
        """By route what its CLUSSDR states otherwise than the route has it: the CLUSRCVR decides."""
        found = {}
        for route in self.cluster.channels:
            stated = self.stated_at_senders.get(route.name, {}) if route.deftype != "CLUSRCVR" else {}
            # A dump writes down every default, too: nobody has stated those.
            differing = (
                f"{name.upper()}({value})"
                for name, value in stated.items()
                if value not in (getattr(route, name), _CHANNEL_DEFAULTS[name])
            )
            if said := " ".join(differing):
                found[route.name] = said
        return found

    @property
    def _channels(self) -> frozenset[str]:
        """The channels of the local queue manager that any source names."""
        routes = (each.name for each in self.cluster.channels)
        return self.defined.get("CHANNEL", frozenset()).union(
            routes, (each.name for each in self.cluster.channel_statuses)
        )

    def _tells(self, kind: str, name: str) -> bool:
        """Whether the sources would tell that the local queue manager has something of that kind and name."""
        of_facts = kind == "CHANNEL" and self.sent_from is not None
        told = self.asked.tells(kind, name) if self.asked.alone else of_facts or bool(self.defined.get(kind))
        return told and not self.covered.leaves_out(kind, name) and not name.startswith(SYSTEM_PREFIX)

    @cached_property
    def of_unknown_state(self) -> tuple[Channel, ...]:
        """The channels whose status no source tells."""
        return tuple(self._of_unknown_state(self.cluster.channels))

    def _of_unknown_state(self, channels: Iterable[StatedT]) -> Iterable[StatedT]:
        # Where each fact stands is only looked for where that can tell something.
        return () if self.knows_all else (each for each in channels if not self.provenance.tells(each, "status"))


def read_sources(
    sources: Sequence[Source], local: str | None = None, lenient: bool = False, formats: Sequence[Format] = FORMATS
) -> Snapshot:
    """The snapshot in ``sources``; raises FactsError with every fault.

    ``local`` names the local queue manager where several dumps are given. With ``lenient`` a fault in one of
    MQ's own formats is a warning, and its command is left out; a fault in a facts file stays a fault. ``formats``
    are those that are tried, in this order.
    """
    return _snapshot(open_sources(sources, lenient, formats), local, lenient, ViewCache())


def read_members(
    sources: Iterable[Source | str | Path],
    local: str | None = None,
    lenient: bool = False,
    formats: Sequence[Format] = FORMATS,
) -> tuple[Snapshot, ...]:
    """Read a snapshot for each queue manager that ``sources``, or files, describe. Raises FactsError.

    With ``local`` for that one alone. A facts document describes its own queue manager, and what that knows of others:
    what others know is not in it.
    """
    check_several("sources", sources)
    local = check_local_name(local)
    given = [each if isinstance(each, Source) else Source.at(each) for each in sources]
    opened = open_sources(given, lenient, formats)
    described = [script.queue_manager for script in opened.scripts]
    own = [name for name in map(get_stated_name, opened.documents) if name is not None]
    names: Iterable[str | None] = [local] if local or not all(described) else dict.fromkeys([*own, *described])
    known = {*own, *described}
    views = (opened.copy_for_view() if each not in known else _seen_by(each, opened) for each in names)
    once = ViewCache()
    found = tuple(_snapshot(view, each, lenient, once) for view, each in zip(views, names, strict=True))
    return found or (_snapshot(opened, local, lenient, once),)


def read_files(
    paths: Iterable[str | Path], local: str | None = None, lenient: bool = False, formats: Sequence[Format] = FORMATS
) -> Snapshot:
    """Read files to the snapshot that ``local`` sees. Raises FactsError, and OSError for what cannot be read."""
    check_several("paths", paths)
    return read_sources([*map(Source.at, paths)], local, lenient, formats)


def read_snapshots_by_name(sources: Sequence[Source], lenient: bool = False) -> dict[str, Snapshot]:
    """What each queue manager that ``sources`` describe knows, by its name; as ``read_sources`` with each as local.

    Scripts and dumps tell it for all that they are of, a facts document for its own queue manager.
    """
    opened = open_sources(sources, lenient, FORMATS)
    if opened.faults:
        raise FactsError(opened.faults)
    by_documents = {document.source for document in opened.documents}
    scripts = [source for source in sources if source.name not in by_documents]
    members = read_members(scripts, None, lenient) if opened.scripts else ()
    found = {member.cluster.queue_manager.name: member for member in members}
    for source in sources:
        if source.name in by_documents:
            read = read_sources([source], None, lenient)
            name = read.cluster.queue_manager.name
            if name in found:
                message = f"queue_manager {quote_value(name)}: another source describes it too"
                raise FactsError([Diagnostic(source.name, message)])
            found[name] = read
    return found


def read_document(data: object, source: str, places: DocumentPlaces = NO_PLACES) -> Snapshot:
    """Read the snapshot of one parsed facts document. Raises FactsError with every fault, at its ``places``."""
    facts = read_facts(data, source, places=places)
    own = facts.queue_manager
    if facts.diagnostics or own is None:
        raise FactsError(facts.diagnostics or [Diagnostic(source, "queue_manager is missing; it must be given")])
    document = FactsDocument(source, data, places=places)
    try:
        cluster = Cluster(
            own,
            facts.remote_queue_managers,
            facts.queues,
            facts.queue_manager_aliases,
            facts.channels,
            facts.processes,
            facts.model_queues,
            channel_statuses=facts.channel_statuses,
        )
    except ContradictionError:
        # The same once more, with the place of each fact.
        cluster = merge_facts(place_table(own, document, "queue_manager"), place_rows(facts, document)).cluster
    messages, of = _checked_messages([(facts, document)], cluster), find_undisplayed_objects((), (document,), cluster)
    of_facts: dict[str, Any] = {
        "messages": messages,
        "untold": of,
        "sent_from": find_used_transmission_queues((), cluster),
    }
    of_facts["leaves_open"] = _leaves_open(document)
    of_facts["knows_all"] = "unknown" not in document.data
    return Snapshot(cluster, facts.put, placed=partial(place_facts, facts, document), **of_facts)


@frozen(eq=False)
class SourceContents:
    """The contents of the files, and what was wrong with them."""

    sources: list[str] = field(factory=list)
    unread: list[str] = field(factory=list)
    documents: list[FactsDocument] = field(factory=list)
    scripts: list[Script] = field(factory=list)
    overlays: list[Script] = field(factory=list)
    remarks: list[Diagnostic] = field(factory=list)
    faults: list[Diagnostic] = field(factory=list)
    warnings: list[Diagnostic] = field(factory=list)

    def copy_for_view(self) -> SourceContents:
        """The same contents, for one of several views: each has faults and overlays of its own."""
        return SourceContents(*([*getattr(self, each.name)] for each in fields(SourceContents)))

    def merge_overlays(self, local: str | None) -> list[Script]:
        """Puts overlays behind the scripts of their queue managers; what is left are those that no script describes."""
        following, others = split_overlays(self.overlays, self.scripts, local)
        self.scripts.extend(following)
        return others


def shows_nothing(script: Script) -> bool:
    """Whether an answer of a program shows no object, nor which commands have none to show."""
    return script.format in (MQWEB.name, PCF.name) and not (script.records or script.diagnostics or script.asked)


def check_has_facts(document: FactsDocument) -> None:
    """Raises FactsError if TOML or JSON that nobody named has nothing of a facts document."""
    if not has_facts(document):
        raise FactsError(document.diagnostics or [Diagnostic(document.source, NO_FACTS)])


@share_read_budget()
def open_sources(sources: Iterable[Source], lenient: bool, formats: Sequence[Format]) -> SourceContents:
    """The contents of ``sources``, each in the first of ``formats`` that it is in."""
    check_several("formats", formats)
    opened, formats = SourceContents(), [check_type("a format", each, Format) for each in formats]
    for source in sources:
        files = SourceFiles(source, opened.faults, opened.warnings, opened.unread)
        for file in files:
            with files.reading(file):
                _open(file, opened, lenient, formats)
    opened.scripts[:] = drop_duplicate_dumps(opened.scripts, opened.warnings if lenient else opened.faults)
    if opened.warnings and not (opened.faults or opened.scripts or opened.documents):
        opened.faults.extend(opened.warnings)
    if opened.scripts and not opened.documents and all(map(shows_nothing, opened.scripts)):
        # Whose nothing it is, nobody needs to say.
        raise FactsError([*opened.faults, *(Diagnostic(each.source, NOTHING_SHOWN) for each in opened.scripts)])
    return opened


def split_overlays(
    overlays: Iterable[Script], scripts: Sequence[Script], local: str | None
) -> tuple[list[Script], list[Script]]:
    """The overlays of queue managers that ``scripts`` describe, whose commands follow theirs, and all other ones.

    A script that names no queue manager is that of the one that is local.
    """
    described = {script.queue_manager for script in scripts}
    own = local or next(iter(described - {""}), "")
    if "" in described:
        described.add(own)
    following, others = list[Script](), list[Script]()
    for each in overlays:
        (following if (each.queue_manager or own) in described else others).append(evolve(each, overlay=True))
    return following, others


def apply_overlays(snapshot: Snapshot, overlays: Iterable[Script]) -> Snapshot:
    """The snapshot with what ``overlays`` alter of queue managers that no script describes. Raises FactsError."""
    faults: list[Diagnostic] = []
    for script in overlays:
        owner = script.queue_manager or snapshot.cluster.queue_manager.name
        for record in script.records:
            try:
                snapshot = apply_record(snapshot, _as_change(record), owner)
            except FactsError as error:
                faults += (Diagnostic(record.source, each.message, record.line) for each in error.diagnostics)
    if faults:
        raise FactsError(faults)
    return snapshot


@frozen
class ConfigurationChange:
    """One command: the object that it names, whose it is (blank: not said), and the attributes that it sets."""

    kind: str
    name: str
    owner: str
    attributes: Mapping[str, Value]

    @property
    def object(self) -> str:
        """The object as messages name it."""
        named = f"{self.kind} {quote_value(self.name)}" if self.name else self.kind
        return named + (f" of {quote_value(self.owner)}" if self.owner else "")


def apply_changes(snapshot: Snapshot, commands: Iterable[str]) -> Snapshot:
    """The snapshot with each of ``commands`` carried out, as ``QLOCAL(Q) QMGR(QM2) CLWLPRTY(5)``; raises FactsError.

    CHANNEL takes STATUS too, which belongs to the local queue manager's routes, and QMGR takes SUSPEND(YES).
    """
    for text in commands:
        snapshot = _changed(snapshot, parse_change(text))
    return snapshot


def apply_record(snapshot: Snapshot, record: Record, owner: str) -> Snapshot:
    """The snapshot with a command of the queue manager ``owner`` that alters an object; raises FactsError."""
    of = "" if record.kind == "QMGR" else owner
    name = owner if record.kind == "QMGR" else record.name
    if record.kind == "CHANNEL" and "STATUS" in record.attributes and owner == snapshot.cluster.queue_manager.name:
        of = ""
    attributes = {word: value for word, value in record.attributes.items() if word not in _HOW}
    return _changed(snapshot, ConfigurationChange(record.kind, name, of, attributes))


def replace_facts(snapshot: Snapshot, placed: Iterable[PlacedFact[Any]]) -> Snapshot:
    """The snapshot with other facts, the local queue manager's first; raises FactsError if they contradict."""
    facts = list(placed)
    own, *others = (each for each in facts if not isinstance(each.fact, Put))
    put = [each for each in facts if isinstance(each.fact, Put)]
    cluster = merge_facts(own, others).cluster
    return evolve(snapshot, cluster=cluster, placed=partial(tuple, (own, *others, *put)), knows_all=False)


def replace_fields(placed: PlacedFact[Any], fields: Mapping[str, Any], option: str = SET_OPTION) -> PlacedFact[Any]:
    """The fact with ``fields`` as ``option`` states them."""
    origin = partial(_origin, placed.origin, frozenset(fields), option)
    return evolve(placed, fact=evolve(placed.fact, **fields), origin=origin)


def parse_change(text: str) -> ConfigurationChange:
    """What one command says: an object and its attributes, without a verb. Raises FactsError.

    ``QMGR`` stands without a name too, as in ALTER QMGR: the only queue manager there, the local one, or that of a
    ``QMGR(…)`` behind it.
    """
    try:
        words = [(SYNONYMS.get(word, word), value) for word, value, _ in parse_parameters(text)]
    except UnreadableError as fault:
        raise _fault(fault.message) from None
    if words[:1] == [("QMGR", None)]:
        # As of any object, QMGR(…) behind it says whose it is.
        whose = next((each for each in words[1:] if each[0] == "QMGR" and each[1] is not None), ("QMGR", ""))
        words = [whose, *(each for each in words[1:] if each is not whose)]
    if not words or words[0][0] not in CHANGEABLE or not isinstance(words[0][1], str):
        what = quote_value(text) if not any(is_secret(word) for word, _ in words) else f"a change of {words[0][0]}"
        allowed = ", ".join(f"{kind}(…)" for kind in CHANGEABLE)
        raise _fault(f"{what} names no object; allowed, without a verb: {allowed}")
    _check_repeated([word for word, _ in words])
    (kind, name), *rest = words
    attributes = {word: value for word, value in rest if value is not None or word in FLAGS}
    owner = attributes.pop("QMGR", "") if kind != "QMGR" else ""
    known = (get_known_attributes("ALTER", kind) or frozenset()) | STATE_ATTRIBUTES.get(kind, set())
    for word, _ in rest:
        if word != "QMGR" and word not in known:
            hint = _how_to_suspend(kind, word) or suggest_word(word, known)
            raise _fault(f"{describe_unknown_attribute('ALTER', kind, word)}{hint}")
        if word not in attributes and word != "QMGR":
            raise _fault(f"{word} needs a value in parentheses")
    kept = {word: value or "" for word, value in attributes.items()}
    return ConfigurationChange(kind, str(name).rstrip(" "), owner.rstrip(" ") if isinstance(owner, str) else "", kept)


def is_change_target(fact: object, change: ConfigurationChange, local: str) -> bool:
    """Whether ``fact``, which the queue manager ``local`` knows, is what the command names."""
    if change.kind in _QUEUES:
        of_kind = isinstance(fact, Queue) and fact.type == change.kind
        of_kind |= isinstance(fact, QueueManagerAlias) and change.kind == _OF_ALIAS
    else:
        of_kind = isinstance(fact, _FACTS[change.kind])
        # of a channel outside clusters nothing but its state is looked at
        of_kind |= isinstance(fact, ChannelStatus) and change.kind == "CHANNEL" and {*change.attributes} == {"STATUS"}
    if not of_kind or getattr(fact, "name", "") != change.name:
        return False
    own_state = change.kind == "CHANNEL" and "STATUS" in change.attributes and change.owner == local
    return not change.owner or own_state or get_owner(fact, local) == change.owner


def get_owner(fact: Any, default: str = "") -> str:
    """The queue manager that has what a fact describes; ``default`` for one that names none."""
    if isinstance(fact, ChannelStatus):
        return default
    return fact.routed_to if isinstance(fact, QueueManagerAlias) else getattr(fact, "queue_manager", default)


def build_ambiguity_error(change: ConfigurationChange, owners: Collection[str]) -> FactsError:
    """That a command does not say whose object is meant."""
    return _fault(f"{change.object} is on {', '.join(owners)}: say with QMGR(…) which one is meant")


def describe_other_owners(change: ConfigurationChange, owners: Collection[str]) -> str:
    """Whose the object is that a command gives to somebody else; blank if it is nobody's."""
    found = ", ".join(sorted(owners))
    if change.kind == "CHANNEL" and found:
        return f"is no CLUSRCVR, and what that states is what counts for workload; it is on {found}: QMGR({found})"
    return f"is not known; it is on {found}" if found else ""


def apply_change(placed: PlacedFact[Any], change: ConfigurationChange) -> PlacedFact[Any]:
    """The fact as the command leaves it. Raises FactsError."""
    return replace_fields(placed, read_changed_fields(change, placed.fact))


def read_changed_fields(change: ConfigurationChange, fact: Any) -> dict[str, Any]:
    """The fields of the fact that the command sets. Raises FactsError."""
    fields: dict[str, Any] = {}
    for kind in (change.kind, "CLUSQMGR") if change.kind in STATE_ATTRIBUTES else (change.kind,):
        words = {word: value for word, value in change.attributes.items() if (kind == "CLUSQMGR") == _is_besides(word)}
        found, refusals = read_attributes(Record("alter", kind, change.name, words), getattr(fact, "deftype", ""))
        if refusals:
            raise build_change_error(change, refusals)
        fields |= found
    if "DESCR" in change.attributes:
        fields["descr"] = clean_description(change.attributes["DESCR"])
    if isinstance(fact, Channel) and change.attributes.keys() & {"CLUSTER", "CLUSNL"}:
        raise _fault(f"{change.object}: the clusters of a channel cannot be set here; give a script instead")
    if "SUSPEND" in change.attributes:
        fields["suspended"] = _suspended(change, fact)
    if isinstance(fact, QueueManagerAlias):
        fields = _of_alias(change, fact, fields)
    if "CLUSTER" in change.attributes and isinstance(fact, Queue | QueueManagerAlias):
        fields["clusters"] = tuple(filter(None, [change.attributes["CLUSTER"]]))
    if "TARGET" in change.attributes:
        fields["target"] = change.attributes["TARGET"]
    lacks = [name for name in fields if not hasattr(fact, name)]
    if lacks:
        raise _fault(
            f"{change.object}: {lacks[0].upper()} is known to that queue manager alone and changes nothing here"
        )
    return fields


def build_change_error(change: ConfigurationChange, errors: Iterable[DomainError]) -> FactsError:
    """What is wrong with the values of a command, as the option's fault."""
    told = map(str, errors)
    return FactsError(
        Diagnostic(SET_OPTION, f"{change.object}: {each}{_how_to_suspend(change.kind, each)}") for each in told
    )


def _seen_by(name: str | None, opened: SourceContents) -> SourceContents:
    """What was opened, without the documents that are of other queue managers."""
    kept = [document for document in opened.documents if get_stated_name(document) in (None, name)]
    return evolve(opened.copy_for_view(), documents=kept)


def _states_facts(facts: Facts) -> bool:
    """Whether a document tells of any object: one with a put, or with events alone, tells of none."""
    return facts.queue_manager is not None or any(getattr(facts, name) for name in LIST_TABLES)


def _snapshot(opened: SourceContents, local: str | None, lenient: bool, once: ViewCache) -> Snapshot:
    """What the queue manager ``local`` knows of what was opened; raises FactsError with every fault."""
    described = [script.queue_manager for script in opened.scripts if script.queue_manager]
    name = find_local_name(opened.documents, described, check_local_name(local), opened.faults)
    overlays = opened.merge_overlays(name)
    view = _view(opened, name, lenient, once)
    seen = view.queue_manager
    # Where no host can be told, that is the fault: not each queue without one.
    host = name or (seen.fact.name if seen else "?")
    files = _facts_of(opened, view, host)
    put = _the_put(files, opened.faults)
    if opened.faults:
        raise FactsError(opened.faults)
    own = with_level(build_local_queue_manager(files, seen, opened.sources), opened.scripts)
    scripts, local = opened.scripts, own.fact.name
    observed = collect_shown_attributes(scripts, local)
    others, view = merge_channel_states(_in_order(opened.sources, files, view)), evolve(view, queues=(), channels=())
    asked = AnsweredInquiries.at(scripts, local, alone=not any(_states_facts(facts) for facts, _ in files))
    _bring_up_to_now(others, observed, once, partial(_is_open_nowhere, asked, local))
    cluster, placed, warnings = merge_facts(own, others, lenient)
    read = Snapshot(
        cluster,
        put.fact if put else None,
        (*opened.warnings, *warnings),
        tuple(_assumptions(opened, view, cluster)),
        observed,
        partial(tuple, (*placed, put) if put else placed),
        incomplete=find_missing_information(scripts, view.known, cluster, asked),
        untold=find_undisplayed_objects(scripts, opened.documents, cluster),
        asked=asked,
        messages=_checked_messages(files, cluster),
        remarks=(*opened.remarks, *find_partial_dumps(scripts), *odd_levels(scripts, local), *view.remarks),
        hosted=view.hosted,
        models=view.models,
        told_wholly=view.told_wholly,
        strangers=view.strangers,
        partial_of=view.partial_of,
        **_told_by(scripts, opened.documents, cluster),
    )
    return apply_overlays(read, overlays)


def _leaves_open(document: FactsDocument) -> bool:
    """Whether a facts document says of attributes that they are not known."""
    return bool(document.data.get("unknown"))


def _told_by(scripts: Sequence[Script], documents: Iterable[FactsDocument], cluster: Cluster) -> dict[str, Any]:
    """What scripts alone tell of the local queue manager, by field of the snapshot."""
    local = cluster.queue_manager.name
    return {
        "defined": list_defined_objects(scripts, local),
        "covered": build_coverage_at(scripts, local),
        "sent_from": find_used_transmission_queues(scripts, cluster),
        "defclxq": get_default_defclxq(scripts, local),
        "shows_counters": not scripts,
        "leaves_open": any(map(_leaves_open, documents))
        or any(record.action == "observe" for each in scripts for record in each.records),
        "shown_queues": find_shown_transmission_queues(scripts, local),
        "stated_at_senders": find_sender_attributes(scripts, local),
    }


def _bring_up_to_now(
    placed: list[PlacedFact[Any]],
    observed: Mapping[tuple[str, str], Mapping[str, str]],
    once: ViewCache,
    is_open_nowhere: Callable[[Any], bool],
) -> None:
    """Puts into facts what was observed of them: in their places, so that none is there twice."""
    for at, each in enumerate(placed):
        now = apply_current_status(each, observed, once)
        placed[at] = evolve(now, fact=evolve(now.fact, ipprocs=0)) if is_open_nowhere(now.fact) else now


def _is_open_nowhere(asked: AnsweredInquiries, local: str, fact: Any) -> bool:
    """Whether it is a queue of ``local`` whose handles were asked for, and nothing shows any."""
    is_untold = isinstance(fact, Queue) and fact.type == "QLOCAL" and fact.ipprocs is None
    return is_untold and fact.queue_manager == local and asked.tells(HANDLES, fact.name)


def _checked_messages(files: Sequence[tuple[Facts, FactsDocument]], cluster: Cluster) -> tuple[Message, ...]:
    """The messages of all documents; raises FactsError for one that cannot lie where it is said to."""
    wrong = tuple(islice(find_misplaced_messages(files, cluster), MOST_FAULTS))
    if wrong:
        raise FactsError(wrong)
    return tuple(each for facts, _ in files for each in facts.messages)


def _view(opened: SourceContents, name: str | None, lenient: bool, once: ViewCache) -> ClusterView:
    """What the scripts say, seen from the queue manager ``name``, which a facts file may describe."""
    if not opened.scripts:
        return ClusterView()
    described = [
        Script(document.source, name, ()) for document in opened.documents if name and get_stated_name(document)
    ]
    view = build_view([*opened.scripts, *described[:1]], name, get_stated_clusters(opened.documents), once)
    forgiven = lenient and view.queue_manager is not None
    opened.warnings.extend(view.warnings)
    # where a file cannot be read, it may be the one that describes the local queue manager
    if view.queue_manager or not opened.unread:
        (opened.warnings if forgiven else opened.faults).extend(view.diagnostics)
    return view


def _facts_of(opened: SourceContents, view: ClusterView, host: str) -> list[tuple[Facts, FactsDocument]]:
    """What the facts documents state, and what is wrong with it; queues without a host are on ``host``."""
    documents = [complete_channels(document, view.channels) for document in opened.documents]
    files = [(read_facts(each.data, each.source, host, consume=True, places=each.places), each) for each in documents]
    for facts, _ in files:
        opened.faults.extend(facts.diagnostics)
    return files


def _assumptions(opened: SourceContents, view: ClusterView, cluster: Cluster) -> Iterator[str]:
    if opened.scripts:
        yield from view.repositories
        yield from describe_member_assumptions(
            (each for each in view.known if each.cluster not in view.displayed), cluster
        )
        if any(record.action == "define" for script in opened.scripts for record in script.records):
            yield from describe_lone_host_assumptions(
                {*view.displayed, *(each.cluster for each in view.known)}, cluster
            )
    yield from describe_outsiders(cluster.queue_manager.name, view.strangers, view.unjoined)


def _the_put(files: Iterable[tuple[Facts, FactsDocument]], faults: list[Diagnostic]) -> PlacedFact[Put] | None:
    given = [place_table(facts.put, document, "put") for facts, document in files if facts.put is not None]
    for put in given[1:]:
        message = f"put is given twice; it stands in {given[0].source} and in {put.source}; allowed: one"
        call = put.origin("call")
        faults.append(Diagnostic(put.source, message, call.line, call.column))
    return given[0] if given else None


def _in_order(
    sources: Iterable[str], files: Iterable[tuple[Facts, FactsDocument]], view: ClusterView
) -> list[PlacedFact[Any]]:
    """The facts of all lists, in the order of their sources."""
    found = [each for facts, document in files for each in place_rows(facts, document)]
    rank = {source: at for at, source in enumerate(sources)}
    return sorted([*found, *view.listed()], key=lambda each: rank[each.source])


def _open(source: Source, opened: SourceContents, lenient: bool, formats: Sequence[Format]) -> None:
    """Adds what one file holds. Raises FactsError if it is in no format that is read."""
    opened.sources.append(source.name)
    contents = read_contents(source.data, source.name, select_formats(source.format, formats))
    if source.overlay and not (isinstance(contents, Script) and contents.format == MQSC.name):
        raise FactsError([Diagnostic(source.name, f"is in {contents.format}; allowed for an overlay: MQSC")])
    if isinstance(contents, FactsDocument):
        if source.found:
            check_has_facts(contents)
        refuse_other_owner(contents, source.queue_manager)
        opened.faults.extend(contents.diagnostics)
        if contents.data is not None or not contents.diagnostics:
            opened.documents.append(contents)
        return
    opened.remarks.extend(contents.remarks)
    for script in assign_owner(contents, source.queue_manager):
        (opened.warnings if lenient else opened.faults).extend(script.diagnostics)
        (opened.overlays if source.overlay else opened.scripts).append(script)


def _as_change(record: Record) -> Record:
    """The command as one that alters attributes; raises FactsError if it is none of those."""
    if record.action == "alter" and record.kind in CHANGEABLE:
        return record
    if record.action in ("start", "stop") and record.kind == "CHANNEL":
        return evolve(record, action="alter", attributes={"STATUS": get_state_after(record)}, places=())
    if record.action in ("suspend", "resume"):
        if record.listed("CLUSNL"):
            raise FactsError([build_record_diagnostic(record, f"CLUSNL: {NO_NAMELIST}")])
        suspend = "YES" if record.action == "suspend" else "NO"
        cluster = {name: value for name, value in record.attributes.items() if name == "CLUSTER"}
        return evolve(record, action="alter", attributes={"SUSPEND": suspend, **cluster}, places=())
    raise FactsError([build_record_diagnostic(record, f"{record.action.upper()} {NO_CHANGE}")])


def _changed(snapshot: Snapshot, change: ConfigurationChange) -> Snapshot:
    placed = list(snapshot.provenance.placed)
    local = snapshot.cluster.queue_manager.name
    change = evolve(change, name=change.name or local) if change.kind == "QMGR" else change
    found = [each for each in placed if is_change_target(each.fact, change, local)]
    if not found and _leads_nowhere(change, snapshot):
        raise _fault(f"{change.object} leads to a member that no file describes: nothing of it can be set")
    _check(change, found, placed, local)
    return replace_facts(snapshot, [apply_change(each, change) if each in found else each for each in placed])


def _leads_nowhere(change: ConfigurationChange, snapshot: Snapshot) -> bool:
    """Whether a channel is a CLUSSDR of the local queue manager that no CLUSRCVR answers."""
    is_defined = change.kind == "CHANNEL" and change.name in snapshot.defined.get("CHANNEL", ())
    return is_defined and any(each.object == change.name for each in snapshot.incomplete)


def _check_repeated(words: Sequence[str]) -> None:
    """Raises FactsError where a parameter, or one and its opposite, is there twice, as MQSC refuses it."""
    for at, word in enumerate(words):
        if word in words[:at]:
            raise _fault(f"{word} is given twice")
        if word in FLAGS and f"NO{word}" in words:
            raise _fault(f"{word} and NO{word} are given together")


def _check(
    change: ConfigurationChange, found: list[PlacedFact[Any]], placed: Iterable[PlacedFact[Any]], local: str
) -> None:
    """Raises FactsError unless it is clear which fact is meant."""
    if not found:
        named = [each.fact for each in placed if not isinstance(each.fact, Put)]
        nobody = evolve(change, owner="")
        others = {get_owner(each) for each in named if change.owner and is_change_target(each, nobody, local)}
        known = sorted({each.name for each in named} - {change.name})
        near = suggest_insert(change.name, known) or suggest_name(change.name, known)
        elsewhere = "" if "STATUS" in change.attributes else describe_other_owners(change, others)
        raise _fault(f"{change.object} {elsewhere or f'is not known to {local}{near}'}")
    if "STATUS" in change.attributes and change.owner not in ("", local):
        raise _fault(f"{change.object}: STATUS: the states of {change.owner}'s channels are its own")
    owners = sorted({get_owner(each.fact) for each in found})
    if len(owners) > 1 and set(change.attributes) != {"STATUS"}:
        raise build_ambiguity_error(change, owners)


def _of_alias(change: ConfigurationChange, alias: QueueManagerAlias, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an alias for those of a QREMOTE. Raises FactsError where it would no longer be one."""
    kept = {name: value for name, value in fields.items() if name not in ("rname", "rqmname")}
    if fields.get("rname"):
        raise _fault(f"{change.object}: a queue-manager alias has no RNAME; give a script instead")
    if "rqmname" in fields:
        kept |= {"queue_manager": fields["rqmname"] or alias.routed_to, "host": alias.routed_to}
    return kept


def _suspended(change: ConfigurationChange, fact: QueueManager | RemoteQueueManager) -> tuple[str, ...]:
    """The clusters in which a queue manager is suspended then; without CLUSTER the command is about all of them."""
    about = split_names(change.attributes.get("CLUSTER", "")) or fact.clusters
    others = tuple(name for name in fact.suspended if name not in about)
    suspends = change.attributes["SUSPEND"] == "YES"
    return (*others, *(name for name in fact.clusters if name in about)) if suspends else others


def _how_to_suspend(kind: str, said: str) -> str:
    """How a queue manager is suspended in one cluster alone, where that may be meant."""
    if kind != "QMGR" or not said.startswith("SUSPEND"):
        return ""
    return "; SUSPEND(YES) is in all its clusters; in one: --with a script that says SUSPEND QMGR CLUSTER(…)"


def _is_besides(word: str) -> bool:
    return any(word in words for words in STATE_ATTRIBUTES.values())


def _origin(before: Callable[[str], Origin], fields: frozenset[str], option: str, attribute: str) -> Origin:
    return Origin("stated", option) if attribute in fields else before(attribute)


def _fault(message: str) -> FactsError:
    return FactsError([Diagnostic(SET_OPTION, message)])
