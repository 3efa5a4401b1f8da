"""Read files to a snapshot: what one queue manager knows of its cluster, where that is stated, and what is missing.

``SnapshotBuilder.build`` says step by step what becomes of a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, islice
from typing import Any, TypeVar

from attrs import NOTHING, define, evolve, field, fields, frozen

from mqclause.model.configuration.changes import (
    CHANGEABLE,
    ConfigurationChange,
    apply_change,
    build_ambiguity_error,
    build_option_error,
    describe_other_owners,
    get_owner,
    is_change_target,
    parse_change,
)
from mqclause.model.configuration.completeness import (
    NO_INQUIRIES,
    AnsweredInquiries,
    MissingInformation,
    describe_lone_host_assumptions,
    describe_member_assumptions,
    find_missing_information,
    find_partial_dumps,
    suggest_insert,
)
from mqclause.model.configuration.knowledge import (
    NO_LEVEL,
    CommandLevel,
    LevelStatement,
    LocalKnowledge,
    Unshown,
    find_command_levels,
)
from mqclause.model.configuration.objects import ViewCache, collect_shown_attributes
from mqclause.model.configuration.provenance import (
    FactT,
    MergedFacts,
    PlacedFact,
    Provenance,
    find_misplaced_messages,
    leave_out_repeated,
    merge_facts,
    place_facts,
    place_rows,
    place_table,
    say_the_same,
)
from mqclause.model.configuration.sources import Source, SourceContents, check_local_name, get_stated_name
from mqclause.model.configuration.status import (
    apply_current_status,
    complete_channels,
    get_state_after,
    merge_channel_states,
)
from mqclause.model.configuration.view import ClusterView, OtherMembers, build_view
from mqclause.model.diagnostics import Diagnostic, FactsError, check_type, quote_value, suggest_name
from mqclause.model.facts.cluster import CLUSTER_FIELDS, Cluster, ContradictionError, list_facts
from mqclause.model.facts.delivery import DeliveryContext
from mqclause.model.facts.messages import Message
from mqclause.model.facts.objects import Channel, ChannelStatus, Fact, Put, Queue, QueueManager, RemoteQueueManager
from mqclause.model.readers.facts_files import LIST_TABLES, MOST_FAULTS, UNKNOWABLE_TABLES, Facts, read_facts
from mqclause.model.readers.formats import NO_PLACES, DocumentPlaces, FactsDocument, Format
from mqclause.model.readers.records import HANDLES, Record, Script
from mqclause.model.readers.registry import FORMATS

_CHANNEL_DEFAULTS = {each.name: each.default for each in fields(Channel)}

StatedT = TypeVar("StatedT", Channel, ChannelStatus)

NO_LOCAL = "no local queue manager: a facts file needs a queue_manager table where there is no script or dump"

FROM_SCRIPTS = ("clusters", "suspended")
"""What the scripts say of a queue manager that a facts document describes without it."""

NO_CHANGE = "is not carried out on what no script describes; allowed: ALTER, START and STOP CHANNEL, SUSPEND and RESUME"
"""Of a command that would need all of an object's definition."""

NO_NAMELIST = "no script describes the namelist; allowed: CLUSTER(…)"

_HOW = ("FORCE", "NOFORCE", "CMDSCOPE", "CHLTYPE", "QSGDISP")
"""What says how a command is carried out, or which object is meant."""


def read_sources(
    sources: Sequence[Source], local: str | None = None, lenient: bool = False, formats: Sequence[Format] = FORMATS
) -> Snapshot:
    """Read sources to one snapshot; raises FactsError with every fault.

    ``local`` names the local queue manager where several dumps are given. With ``lenient`` a fault in one of
    MQ's own formats is a warning, and its command is left out; a fault in a facts file stays a fault. ``formats``
    are those that are tried, in this order.
    """
    return SnapshotBuilder(SourceContents.read(sources, lenient, formats), local).build()


def read_every_snapshot(
    sources: Sequence[Source], local: str | None = None, lenient: bool = False, formats: Sequence[Format] = FORMATS
) -> tuple[Snapshot, ...]:
    """Read a snapshot for each queue manager that ``sources`` describe, or for ``local`` alone. Raises FactsError.

    A facts document describes its own queue manager, and what that knows of others: what others know is not in it.
    """
    local = check_local_name(local)
    contents = SourceContents.read(sources, lenient, formats)
    described = [script.queue_manager for script in contents.scripts]
    own = [name for name in map(get_stated_name, contents.documents) if name is not None]
    names: Iterable[str | None] = [local] if local or not all(described) else dict.fromkeys([*own, *described])
    cache = ViewCache()
    builders = [SnapshotBuilder(contents, name, cache) for name in names] or [SnapshotBuilder(contents, local, cache)]
    for builder in builders:
        if builder.local in {*own, *described}:
            builder.documents = [each for each in builder.documents if get_stated_name(each) in (None, builder.local)]
    return tuple(builder.build() for builder in builders)


def read_snapshots_by_name(sources: Sequence[Source], lenient: bool = False) -> dict[str, Snapshot]:
    """Read what each queue manager that ``sources`` describe knows, by its name.

    Scripts and dumps tell it for all that they are of, a facts document for its own queue manager.
    """
    contents = SourceContents.read(sources, lenient, FORMATS)
    if contents.reader.faults:
        raise FactsError(contents.reader.faults)
    by_documents = {document.source for document in contents.documents}
    scripts = [source for source in sources if source.name not in by_documents]
    members = read_every_snapshot(scripts, None, lenient) if contents.scripts else ()
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
        cluster = Cluster(own, **{name: getattr(facts, name) for name in CLUSTER_FIELDS.values()})
    except ContradictionError:
        # The same once more, with the place of each fact.
        cluster = merge_facts(place_table(own, document, "queue_manager"), place_rows(facts, document)).cluster
    return Snapshot(
        cluster,
        facts.put,
        placed=partial(place_facts, facts, document),
        messages=_check_messages([(facts, document)], cluster),
        knowledge=LocalKnowledge.from_document(document, cluster),
    )


def _states_facts(facts: Facts) -> bool:
    """Whether a document tells of any object: one with a put, or with events alone, tells of none."""
    return facts.queue_manager is not None or any(getattr(facts, name) for name in LIST_TABLES)


@define(eq=False)
class SnapshotBuilder:
    """Build what the queue manager ``local`` knows from what sources hold, in five steps.

    1. ``find_local_name``: whose snapshot it is; scripts that are laid over others stand behind those from then on.
    2. ``build_view``: the records of scripts become objects of each queue manager, then what the local one sees of
       them, with what it displays itself in the place of what others say.
    3. ``read_documents``: facts documents become facts.
    4. ``merge_facts``: the facts of both become one cluster, with the states and depths that are shown now.
    5. ``build_snapshot``: what the sources leave out, and what is odd about them, stands beside the cluster.

    Until the fourth step ``faults`` are gathered, to be reported together; from then on the first one ends it.
    Builders of several queue managers share a ``cache``.
    """

    contents: SourceContents
    local: str | None = None
    cache: ViewCache = field(factory=ViewCache)
    documents: list[FactsDocument] = field(init=False)
    scripts: list[Script] = field(init=False)
    faults: list[Diagnostic] = field(init=False)
    warnings: list[Diagnostic] = field(init=False)
    view: ClusterView = field(factory=ClusterView)
    files: Sequence[tuple[Facts, FactsDocument]] = ()
    asked: AnsweredInquiries = NO_INQUIRIES
    observed: Mapping[tuple[str, str], Mapping[str, str]] = field(factory=dict)
    levels: Mapping[str, CommandLevel] = field(factory=dict)
    command_level: CommandLevel = NO_LEVEL

    def __attrs_post_init__(self) -> None:
        self.documents, self.scripts = [*self.contents.documents], [*self.contents.scripts]
        self.faults, self.warnings = [*self.contents.reader.faults], [*self.contents.reader.warnings]

    def build(self) -> Snapshot:
        """Build the snapshot. Raises FactsError with every fault."""
        self.local = self.find_local_name()
        changes_elsewhere = self.lay_over()
        self.view = self.build_view()
        self.files = self.read_documents()
        put = self.find_put()
        if self.faults:
            raise FactsError(self.faults)
        own = self.build_local_queue_manager()
        by_displays = not any(_states_facts(facts) for facts, _ in self.files)
        self.asked = AnsweredInquiries.at(self.scripts, own.fact.name, alone=by_displays)
        self.observed = collect_shown_attributes(self.scripts, own.fact.name)
        snapshot = self.build_snapshot(self.merge_facts(own), put)
        return _apply_overlays(snapshot, changes_elsewhere)

    def find_local_name(self) -> str | None:
        """Find the local queue manager's name, if facts documents or the caller say it: all tables say the same."""
        asked = check_local_name(self.local)
        stated = [(each, name) for each in self.documents if (name := get_stated_name(each)) is not None]
        for document, name in stated[1:]:
            if document.data["queue_manager"] == stated[0][0].data["queue_manager"]:
                continue
            place = document.places.place_of("queue_manager")
            first = f"{stated[0][0].source} has a queue_manager table too; allowed: one"
            self.faults.append(Diagnostic(document.source, f"queue_manager {quote_value(name)}: {first}", *place))
        if not stated:
            return asked
        document, name = stated[0]
        if asked not in (None, name):
            place = document.places.place_of("queue_manager", "name")
            known = dict.fromkeys([name, *(each.queue_manager for each in self.scripts if each.queue_manager)])
            near = "" if asked in known else suggest_name(asked or "", known)
            wanted = f"but {quote_value(asked)} is asked for; known: {', '.join(known)}{near}"
            message = f"queue_manager {quote_value(name)} is the local queue manager, {wanted}"
            self.faults.append(Diagnostic(document.source, message, *place))
        return name

    def lay_over(self) -> list[Script]:
        """Put overlays behind the scripts of their queue managers; give those of queue managers that none describes.

        A script that names no queue manager is that of the local one.
        """
        described = {script.queue_manager for script in self.scripts}
        own = self.local or next(iter(described - {""}), "")
        if "" in described:
            described.add(own)
        elsewhere = list[Script]()
        for each in self.contents.overlays:
            is_described = (each.queue_manager or own) in described
            (self.scripts if is_described else elsewhere).append(evolve(each, overlay=True))
        return elsewhere

    def build_view(self) -> ClusterView:
        """Build what the scripts say, as the local queue manager sees it, which a facts document may describe."""
        if not self.scripts:
            return ClusterView()
        stated = [each.source for each in self.documents if self.local and get_stated_name(each)]
        described = [Script(source, self.local or "", ()) for source in stated[:1]]
        view = build_view([*self.scripts, *described], self.local, self._get_stated_clusters(), self.cache)
        self.warnings += view.warnings
        # where a file cannot be read, it may be the one that describes the local queue manager
        if view.queue_manager or not self.contents.reader.unread:
            may_pass = self.contents.reader.lenient and view.queue_manager is not None
            (self.warnings if may_pass else self.faults).extend(view.diagnostics)
        return view

    def _get_stated_clusters(self) -> Sequence[str] | None:
        """The clusters of the local queue manager that a facts document describes; None if it does not say them."""
        for document in self.documents:
            if get_stated_name(document) is not None:
                clusters = document.data["queue_manager"].get("clusters")
                return clusters if isinstance(clusters, list) else None
        return ()

    def read_documents(self) -> list[tuple[Facts, FactsDocument]]:
        """Read facts documents to facts; queues without a host are on the local queue manager."""
        by_scripts = self.view.queue_manager
        # Where no host can be told, that is the fault: not each queue without one.
        host = self.local or (by_scripts.fact.name if by_scripts else "?")
        documents = [complete_channels(document, self.view.channels) for document in self.documents]
        files = [
            (read_facts(each.data, each.source, host, consume=True, places=each.places), each) for each in documents
        ]
        self.faults += (fault for facts, _ in files for fault in facts.diagnostics)
        return files

    def find_put(self) -> PlacedFact[Put] | None:
        """Find the put that the facts documents describe: one at most."""
        found = [place_table(facts.put, document, "put") for facts, document in self.files if facts.put is not None]
        for put in found[1:]:
            message = f"put is given twice; it stands in {found[0].source} and in {put.source}; allowed: one"
            call = put.origin("call")
            self.faults.append(Diagnostic(put.source, message, call.line, call.column))
        return found[0] if found else None

    def build_local_queue_manager(self) -> PlacedFact[QueueManager]:
        """Build the local queue manager from a facts document or scripts: the two may not state other attributes.

        Its clusters are those of the scripts where the document gives none, and so is its command level.
        """
        by_scripts = self.view.queue_manager
        own = next((place_table(facts.queue_manager, document, "queue_manager")
                    for facts, document in self.files if facts.queue_manager), by_scripts)  # fmt: skip
        if own is None:
            raise FactsError([Diagnostic(", ".join(self.contents.reader.files) or "facts", NO_LOCAL)])
        if by_scripts is not None and own is not by_scripts:
            lacking = [name for name in FROM_SCRIPTS if not getattr(own.fact, name) and getattr(by_scripts.fact, name)]
            filled = own.replace_values({name: getattr(by_scripts.fact, name) for name in lacking}, by_scripts.origin)
            if by_scripts.line is not None and not say_the_same(filled, by_scripts):
                message = (
                    f"queue_manager {quote_value(own.fact.name)} is given twice; it stands in {own} and in {by_scripts}"
                )
                raise FactsError([Diagnostic(by_scripts.source, message, by_scripts.line)])
            own = filled
        stated, place = own.fact.command_level, own.origin("command_level")
        first = (LevelStatement.of_level(f"command_level = {stated}", (stated,), place),) if stated else ()
        self.levels = find_command_levels(self.scripts, own.fact.name)
        known = self.levels.get(own.fact.name, NO_LEVEL)
        self.command_level = CommandLevel(own.fact.name, (*first, *known.statements))
        return _add_level(own, self.command_level)

    def merge_facts(self, own: PlacedFact[QueueManager]) -> MergedFacts:
        """Merge the facts of documents and scripts, in the order of their sources, with what is shown of them now."""
        rank = {source: at for at, source in enumerate(self.contents.reader.files)}
        placed = [each for facts, document in self.files for each in place_rows(facts, document)]
        placed = merge_channel_states(sorted([*placed, *self.view.listed()], key=lambda each: rank[each.source]))
        # A large cluster has no room to be there twice: what is merged replaces it, one fact after the other.
        self.view = evolve(self.view, queues=(), channels=())
        for at, each in enumerate(placed):
            now = apply_current_status(each, self.observed, self.cache)
            is_closed = _is_open_nowhere(self.asked, own.fact.name, now.fact)
            if is_closed:
                now = evolve(now, fact=evolve(now.fact, ipprocs=0))
            elif isinstance(now.fact, RemoteQueueManager):
                now = _add_level(now, self.levels.get(now.fact.name, NO_LEVEL))
            placed[at] = now
        return merge_facts(own, leave_out_repeated(placed), self.contents.reader.lenient)

    def build_snapshot(self, merged: MergedFacts, put: PlacedFact[Put] | None) -> Snapshot:
        """Add what the sources leave out, and what is odd about them."""
        cluster, view, scripts = merged.cluster, self.view, self.scripts
        odd_levels = self.command_level.find_remarks()
        return Snapshot(
            cluster,
            put.fact if put else None,
            (*self.warnings, *merged.warnings),
            tuple(self.list_assumptions(cluster)),
            self.observed,
            partial(tuple, (*merged.placed, put) if put else merged.placed),
            _check_messages(self.files, cluster),
            incomplete=find_missing_information(scripts, view.known, cluster, self.asked),
            remarks=(*self.contents.remarks, *find_partial_dumps(scripts), *odd_levels, *view.remarks),
            command_level=self.command_level,
            knowledge=LocalKnowledge.from_sources(scripts, self.documents, cluster, self.asked),
            others=view.others,
        )

    def list_assumptions(self, cluster: Cluster) -> Iterator[str]:
        """List what the sources cannot tell, with what was taken in its place."""
        view = self.view
        if self.scripts:
            yield from view.repositories
            yield from describe_member_assumptions(
                (each for each in view.known if each.cluster not in view.displayed), cluster
            )
            if any(record.action == "define" for script in self.scripts for record in script.records):
                yield from describe_lone_host_assumptions(
                    {*view.displayed, *(each.cluster for each in view.known)}, cluster
                )
        for name, joined in view.unjoined:
            yield f"{name} has no CLUSRCVR in cluster {joined}: nobody there learns of it"
        unjoined = {name for name, _ in view.unjoined}
        if strangers := [each for each in view.others.strangers if each not in unjoined]:
            own = cluster.queue_manager.name
            yield f"{own} shares no cluster with {', '.join(strangers)} and knows nothing of what is there"


NO_KNOWLEDGE, NO_OTHERS = LocalKnowledge(), OtherMembers()


@frozen(cache_hash=True, repr=False)
class Snapshot:
    """What one queue manager knows: its cluster, and the put if one is given.

    ``warnings`` say what was left out in lenient mode, ``remarks`` what is odd about the sources. ``assumptions`` say
    what the sources cannot tell, and what was taken in its place, ``incomplete`` what they leave out, whatever is
    asked. ``observed`` holds what a dump or a log shows of a queue besides its definition, by queue and queue manager:
    CURDEPTH, IPPROCS and the like. ``messages`` are those on local queues, in the order of their arrival.
    ``knowledge`` is what the sources would tell of the local queue manager, ``others`` what they tell of other ones.
    ``command_level`` is what they say of its command level.
    """

    cluster: Cluster
    put: Put | None = None
    warnings: tuple[Diagnostic, ...] = ()
    assumptions: tuple[str, ...] = ()
    observed: Mapping[tuple[str, str], Mapping[str, str]] = field(factory=dict, hash=False)
    _placed: Callable[[], Iterable[PlacedFact[Any]]] | None = field(default=None, repr=False, eq=False)
    messages: tuple[Message, ...] = ()
    incomplete: tuple[MissingInformation, ...] = field(default=(), kw_only=True)
    remarks: tuple[Diagnostic, ...] = field(default=(), kw_only=True)
    knowledge: LocalKnowledge = field(default=NO_KNOWLEDGE, kw_only=True, hash=False)
    others: OtherMembers = field(default=NO_OTHERS, kw_only=True, hash=False)
    command_level: CommandLevel = field(default=NO_LEVEL, kw_only=True)

    def __attrs_post_init__(self) -> None:
        check_type("cluster", self.cluster, Cluster)

    def __repr__(self) -> str:
        return f"<Snapshot: {self.cluster}>"

    @cached_property
    def provenance(self) -> Provenance:
        """Where each attribute of each fact comes from: a program, where it gave the cluster alone."""
        if self._placed is None:
            return Provenance(map(Provenance(()).place_again, list_facts(self.cluster)))
        return Provenance(self._placed())

    @cached_property
    def unshown(self) -> Unshown:
        """What displays leave open of what they show."""
        known = self.knowledge
        return Unshown(self.provenance, known.asked, self.cluster.queue_manager.name, known.leaves_open)

    @cached_property
    def beyond(self) -> DeliveryContext:
        """What is told of the way of a message once its destination is chosen."""
        known, others, statuses = self.knowledge, self.others, self.cluster.channel_statuses
        named = {each.trigdata for each in self.cluster.own_queues.values()} - {""}
        channels = self._channels if named else frozenset[str]()
        no_channels = (name for name in named if name not in channels and known.would_tell("CHANNEL", name))
        shown = known.shown_transmission_queues
        own = self.cluster.own_queues
        gone = (name for name in shown.values() if name not in own and known.would_tell("QLOCAL", name))
        return DeliveryContext(
            others.hosted,
            others.told_wholly,
            not self.incomplete,
            known.defclxq,
            known.used_transmission_queues,
            channels=channels,
            unknown_state=frozenset(each.name for each in self._of_unknown_state(statuses)),
            no_channels=frozenset(no_channels),
            shown_queues=shown,
            no_queues=frozenset(gone),
            models=others.models,
            overridden=self._overridden() if known.sender_attributes else {},
        )

    def _overridden(self) -> Mapping[str, str]:
        """By route what its CLUSSDR states otherwise than the route has it: the CLUSRCVR decides."""
        found = {}
        for route in self.cluster.channels:
            stated = self.knowledge.sender_attributes.get(route.name, {}) if route.deftype != "CLUSRCVR" else {}
            # A dump writes down every default, too: nobody has stated those.
            differing = (
                f"{name.upper()}({value})"
                for name, value in stated.items()
                if value not in (getattr(route, name), _CHANNEL_DEFAULTS[name])
            )
            if message := " ".join(differing):
                found[route.name] = message
        return found

    @property
    def _channels(self) -> frozenset[str]:
        """The channels of the local queue manager that any source names."""
        routes = (each.name for each in self.cluster.channels)
        statuses = (each.name for each in self.cluster.channel_statuses)
        return self.knowledge.defined.get("CHANNEL", frozenset()).union(routes, statuses)

    @cached_property
    def of_unknown_state(self) -> tuple[Channel, ...]:
        """The channels whose status no source tells."""
        return tuple(self._of_unknown_state(self.cluster.channels))

    def _of_unknown_state(self, channels: Iterable[StatedT]) -> Iterable[StatedT]:
        # Where each fact stands is only looked for where that can tell something.
        if self.knowledge.knows_all:
            return ()
        return (each for each in channels if not self.provenance.tells(each, "status"))


def _add_level(placed: PlacedFact[FactT], known: CommandLevel) -> PlacedFact[FactT]:
    """Add the command level of a queue manager, which scripts tell and its fact does not."""
    fact: Any = placed.fact
    if fact.command_level or known.told is None:
        return placed
    return placed.replace_values({"command_level": known.level}, {"command_level": known.told.origin}.__getitem__)


def _is_open_nowhere(asked: AnsweredInquiries, local: str, fact: Any) -> bool:
    """Whether it is a queue of ``local`` whose handles were asked for, and nothing shows any."""
    is_untold = isinstance(fact, Queue) and fact.type == "QLOCAL" and fact.ipprocs is None
    return is_untold and fact.queue_manager == local and asked.tells(HANDLES, fact.name)


def _check_messages(files: Sequence[tuple[Facts, FactsDocument]], cluster: Cluster) -> tuple[Message, ...]:
    """The messages of all documents; raises FactsError for one that cannot lie where it is said to."""
    wrong = tuple(islice(find_misplaced_messages(files, cluster), MOST_FAULTS))
    if wrong:
        raise FactsError(wrong)
    return tuple(each for facts, _ in files for each in facts.messages)


def _apply_overlays(snapshot: Snapshot, overlays: Iterable[Script]) -> Snapshot:
    """Apply ``overlays`` of queue managers that no script describes. Raises FactsError."""
    faults: list[Diagnostic] = []
    for script in overlays:
        local = snapshot.cluster.queue_manager.name
        owner = script.queue_manager or local
        for record in script.records:
            try:
                snapshot = _apply_change(snapshot, _read_change(record, owner, local))
            except FactsError as error:
                faults += (Diagnostic(record.source, each.message, record.line) for each in error.diagnostics)
    if faults:
        raise FactsError(faults)
    return snapshot


def apply_changes(snapshot: Snapshot, commands: Iterable[str]) -> Snapshot:
    """Apply each of ``commands``, as ``QLOCAL(Q) QMGR(QM2) CLWLPRTY(5)``; raises FactsError.

    CHANNEL takes STATUS too, which belongs to the local queue manager's routes, and QMGR takes SUSPEND(YES).
    """
    for text in commands:
        snapshot = _apply_change(snapshot, parse_change(text))
    return snapshot


def replace_facts(snapshot: Snapshot, placed: Iterable[PlacedFact[Any]]) -> Snapshot:
    """Replace all facts, the local queue manager's first; raises FactsError if they contradict each other."""
    facts = list(placed)
    own, *others = (each for each in facts if not isinstance(each.fact, Put))
    put = [each for each in facts if isinstance(each.fact, Put)]
    cluster = merge_facts(own, others).cluster
    knowledge = evolve(snapshot.knowledge, knows_all=False)
    return evolve(snapshot, cluster=cluster, placed=partial(tuple, (own, *others, *put)), knowledge=knowledge)


def replace_cluster(snapshot: Snapshot, cluster: Cluster) -> Snapshot:
    """Replace what is known by ``cluster``, made of that; what is new or otherwise in it is stated by a program."""
    if cluster is snapshot.cluster:
        return snapshot
    known = snapshot.provenance
    put = [each for each in known.placed if isinstance(each.fact, Put)]
    knowledge = evolve(snapshot.knowledge, knows_all=False)
    placed = partial(tuple, (*map(known.place_again, list_facts(cluster)), *put))
    return evolve(snapshot, cluster=cluster, placed=placed, knowledge=knowledge)


def _read_change(record: Record, owner: str, local: str) -> ConfigurationChange:
    """Read the change that a command makes to an object of the queue manager ``owner``; raises FactsError if none."""
    attributes = {word: value for word, value in record.attributes.items() if word not in _HOW}
    if record.action in ("start", "stop") and record.kind == "CHANNEL":
        attributes = {"STATUS": get_state_after(record)}
    elif record.action in ("suspend", "resume"):
        if record.listed("CLUSNL"):
            raise FactsError([record.build_diagnostic(f"CLUSNL: {NO_NAMELIST}")])
        cluster = {name: value for name, value in attributes.items() if name == "CLUSTER"}
        attributes = {"SUSPEND": "YES" if record.action == "suspend" else "NO", **cluster}
    elif record.action != "alter" or record.kind not in CHANGEABLE:
        raise FactsError([record.build_diagnostic(f"{record.action.upper()} {NO_CHANGE}")])
    if record.kind == "QMGR":
        return ConfigurationChange("QMGR", owner, "", attributes)
    is_own_state = record.kind == "CHANNEL" and "STATUS" in attributes and owner == local
    return ConfigurationChange(record.kind, record.name, "" if is_own_state else owner, attributes)


def _apply_change(snapshot: Snapshot, change: ConfigurationChange) -> Snapshot:
    placed = list(snapshot.provenance.placed)
    local = snapshot.cluster.queue_manager.name
    change = evolve(change, name=change.name or local) if change.kind == "QMGR" else change
    found = [each for each in placed if is_change_target(each.fact, change, local)]
    if not found and _is_unanswered_sender(change, snapshot):
        raise build_option_error(f"{change.object} leads to a member that no file describes: nothing of it can be set")
    _check_targets(change, found, placed, local)
    return replace_facts(snapshot, [apply_change(each, change) if each in found else each for each in placed])


def _is_unanswered_sender(change: ConfigurationChange, snapshot: Snapshot) -> bool:
    """Whether a channel is a CLUSSDR of the local queue manager that no CLUSRCVR answers."""
    is_defined = change.kind == "CHANNEL" and change.name in snapshot.knowledge.defined.get("CHANNEL", ())
    return is_defined and any(each.object == change.name for each in snapshot.incomplete)


def _check_targets(
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
        raise build_option_error(f"{change.object} {elsewhere or f'is not known to {local}{near}'}")
    if "STATUS" in change.attributes and change.owner not in ("", local):
        raise build_option_error(f"{change.object}: STATUS: the states of {change.owner}'s channels are its own")
    owners = sorted({get_owner(each.fact) for each in found})
    if len(owners) > 1 and set(change.attributes) != {"STATUS"}:
        raise build_ambiguity_error(change, owners)


EXPLICIT_ORIGINS = ("stated", "observed")
"""The origins of what some source says."""


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
        document["message"] = map(_row, snapshot.messages)
    unknown = _unknown(snapshot)
    return document | ({"unknown": unknown} if unknown else {})


def _row(of: Any, provenance: Provenance | None = None) -> dict[str, Any]:
    """The attributes of a fact, or of a message, that a source states or that are not as they are where left out."""
    row: dict[str, Any] = {}
    for each in fields(type(of)):
        value = getattr(of, each.name)
        if value is None:
            continue
        is_left_out = each.default is not NOTHING and value == each.default
        if is_left_out and provenance is not None:
            is_left_out = provenance.of(of, each.name).how not in EXPLICIT_ORIGINS
        if not is_left_out:
            row[each.name] = list(value) if isinstance(value, tuple) else value
    return row


def _unknown(snapshot: Snapshot) -> Mapping[str, list[str]]:
    """The names of those that an attribute is not known of, by attribute."""
    cluster, provenance, known = snapshot.cluster, snapshot.provenance, snapshot.knowledge
    own = cluster.own_queues
    channels: list[Channel | ChannelStatus] = [*cluster.channels, *cluster.channel_statuses]
    of = {
        "status": [each.name for each in channels if not provenance.tells(each, "status")],
        "curdepth": [name for name, each in own.items() if each.type == "QLOCAL" and each.curdepth is None],
        **{attribute: [name for name, each in own.items() if name in queues and getattr(each, attribute)]
           for attribute, queues in known.undisplayed.items()},
    }  # fmt: skip
    lists = (getattr(cluster, name) for name in LIST_TABLES) if known.leaves_open else ()
    for fact in chain([cluster.queue_manager], *lists):
        for attribute in snapshot.unshown.of(fact):
            of.setdefault(attribute, []).append(fact.name)
    return {attribute: list(dict.fromkeys(of[attribute])) for attribute in UNKNOWABLE_TABLES if of.get(attribute)}
