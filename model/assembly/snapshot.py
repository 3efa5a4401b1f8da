"""Files in any mix of the formats that are read to one snapshot: the cluster and the put."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from attrs import evolve, field, fields, frozen

from mqclause.model.assembly.agreement import agreed
from mqclause.model.assembly.covered import covered_at, of_a_part
from mqclause.model.assembly.depths import shown_of_queues
from mqclause.model.assembly.incomplete import Incomplete, incomplete, taken_as_alone, taken_as_whole
from mqclause.model.assembly.inquired import NOTHING, Inquired
from mqclause.model.assembly.joined import outsiders
from mqclause.model.assembly.local import (
    asked_name,
    default_transmission,
    defined_at,
    local_name,
    local_queue_manager,
    odd_levels,
    sent_from,
    shown_queues,
    stated_at_senders,
    stated_clusters,
    stated_name,
    with_level,
)
from mqclause.model.assembly.made_once import MadeOnce
from mqclause.model.assembly.now import as_it_is_now
from mqclause.model.assembly.opened import Opened, opened_from
from mqclause.model.assembly.overlay import overlaid
from mqclause.model.assembly.provenance import Placed, Provenance
from mqclause.model.assembly.route_states import completed, with_states
from mqclause.model.assembly.shipped import SHIPPED
from mqclause.model.assembly.source import Source
from mqclause.model.assembly.tables import misplaced_messages, placed_facts, placed_rows, placed_table
from mqclause.model.assembly.unshown import Unshown
from mqclause.model.assembly.untold import Untold, untold
from mqclause.model.assembly.view import View, assemble
from mqclause.model.diagnostic import Diagnostic, FactsError, check_several, quoted
from mqclause.model.facts.cluster import Cluster, ContradictionError
from mqclause.model.facts.delivery import Beyond
from mqclause.model.facts.message import Message
from mqclause.model.facts.objects import Channel, ChannelStatus, Put, Queue
from mqclause.model.readers.coverage import Covered
from mqclause.model.readers.facts_document import NO_PLACES, DocumentPlaces, FactsDocument
from mqclause.model.readers.facts_file import MOST_FAULTS, Facts, read_facts
from mqclause.model.readers.format import Format
from mqclause.model.readers.inquiry import HANDLES
from mqclause.model.readers.record import Script
from mqclause.model.readers.registry import FORMATS

StatedT = TypeVar("StatedT", Channel, ChannelStatus)

_CHANNEL_DEFAULTS = {each.name: each.default for each in fields(Channel)}


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
    incomplete: tuple[Incomplete, ...] = field(default=(), kw_only=True)
    defined: Mapping[str, frozenset[str]] = field(factory=dict, kw_only=True)
    untold: Untold = field(factory=dict, kw_only=True)
    asked: Inquired = field(default=NOTHING, kw_only=True)
    covered: Covered = field(default=Covered(), kw_only=True)
    partial_of: tuple[str, ...] = field(default=(), kw_only=True)
    remarks: tuple[Diagnostic, ...] = field(default=(), kw_only=True)
    _placed: Callable[[], Iterable[Placed[Any]]] = field(default=tuple, repr=False)
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
    def beyond(self) -> Beyond:
        """What is told of the way of a message once its destination is chosen."""
        named = {each.trigdata for each in self.cluster.own_queues.values()} - {""}
        own, shown = self.cluster.channel_statuses, self.shown_queues
        channels = self._channels if named else frozenset[str]()
        no_channels = (name for name in named if name not in channels and self._tells("CHANNEL", name))
        gone = (name for name in shown.values() if name not in self.cluster.own_queues and self._tells("QLOCAL", name))
        return Beyond(
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
        return told and not self.covered.leaves_out(kind, name) and not name.startswith(SHIPPED)

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
    return _snapshot(opened_from(sources, lenient, formats), local, lenient, MadeOnce())


def read_members(
    sources: Iterable[Source | str | Path],
    local: str | None = None,
    lenient: bool = False,
    formats: Sequence[Format] = FORMATS,
) -> tuple[Snapshot, ...]:
    """A snapshot for each queue manager that ``sources``, or files, describe, as the local one; raises FactsError.

    With ``local`` for that one alone. A facts document describes its own queue manager, and what that knows of others:
    what others know is not in it.
    """
    check_several("sources", sources)
    local = asked_name(local)
    given = [each if isinstance(each, Source) else Source.at(each) for each in sources]
    opened = opened_from(given, lenient, formats)
    described = [script.queue_manager for script in opened.scripts]
    own = [name for name in map(stated_name, opened.documents) if name is not None]
    names: Iterable[str | None] = [local] if local or not all(described) else dict.fromkeys([*own, *described])
    known = {*own, *described}
    views = (opened.copied() if each not in known else _seen_by(each, opened) for each in names)
    once = MadeOnce()
    found = tuple(_snapshot(view, each, lenient, once) for view, each in zip(views, names, strict=True))
    return found or (_snapshot(opened, local, lenient, once),)


def _seen_by(name: str | None, opened: Opened) -> Opened:
    """What was opened, without the documents that are of other queue managers."""
    kept = [document for document in opened.documents if stated_name(document) in (None, name)]
    return evolve(opened.copied(), documents=kept)


def _snapshot(opened: Opened, local: str | None, lenient: bool, once: MadeOnce) -> Snapshot:
    """What the queue manager ``local`` knows of what was opened; raises FactsError with every fault."""
    described = [script.queue_manager for script in opened.scripts if script.queue_manager]
    name = local_name(opened.documents, described, asked_name(local), opened.faults)
    overlays = opened.lay_upon(name)
    view = _view(opened, name, lenient, once)
    seen = view.queue_manager
    # Where no host can be told, that is the fault: not each queue without one.
    host = name or (seen.fact.name if seen else "?")
    files = _facts_of(opened, view, host)
    put = _the_put(files, opened.faults)
    if opened.faults:
        raise FactsError(opened.faults)
    own = with_level(local_queue_manager(files, seen, opened.sources), opened.scripts)
    scripts, local = opened.scripts, own.fact.name
    observed = shown_of_queues(scripts, local)
    others, view = with_states(_in_order(opened.sources, files, view)), evolve(view, queues=(), channels=())
    asked = Inquired.at(scripts, local, alone=not opened.documents)
    _bring_up_to_now(others, observed, once, partial(_is_open_nowhere, asked, local))
    cluster, placed, warnings = agreed(own, others, lenient)
    read = Snapshot(
        cluster,
        put.fact if put else None,
        (*opened.warnings, *warnings),
        tuple(_assumptions(opened, view, cluster)),
        observed,
        partial(tuple, (*placed, put) if put else placed),
        incomplete=incomplete(scripts, view.known, cluster, asked),
        untold=untold(scripts, opened.documents, cluster),
        asked=asked,
        messages=_checked_messages(files, cluster),
        remarks=(*opened.remarks, *of_a_part(scripts), *odd_levels(scripts, local), *view.remarks),
        hosted=view.hosted,
        models=view.models,
        told_wholly=view.told_wholly,
        strangers=view.strangers,
        partial_of=view.partial_of,
        **_told_by(scripts, opened.documents, cluster),
    )
    return overlaid(read, overlays)


def _leaves_open(document: FactsDocument) -> bool:
    """Whether a facts document says of attributes that they are not known."""
    return bool(document.data.get("unknown"))


def _told_by(scripts: Sequence[Script], documents: Iterable[FactsDocument], cluster: Cluster) -> dict[str, Any]:
    """What scripts alone tell of the local queue manager, by field of the snapshot."""
    local = cluster.queue_manager.name
    return {
        "defined": defined_at(scripts, local),
        "covered": covered_at(scripts, local),
        "sent_from": sent_from(scripts, cluster),
        "defclxq": default_transmission(scripts, local),
        "shows_counters": not scripts,
        "leaves_open": any(map(_leaves_open, documents))
        or any(record.action == "observe" for each in scripts for record in each.records),
        "shown_queues": shown_queues(scripts, local),
        "stated_at_senders": stated_at_senders(scripts, local),
    }


def _bring_up_to_now(
    placed: list[Placed[Any]],
    observed: Mapping[tuple[str, str], Mapping[str, str]],
    once: MadeOnce,
    is_open_nowhere: Callable[[Any], bool],
) -> None:
    """Puts into facts what was observed of them: in their places, so that none is there twice."""
    for at, each in enumerate(placed):
        now = as_it_is_now(each, observed, once)
        placed[at] = evolve(now, fact=evolve(now.fact, ipprocs=0)) if is_open_nowhere(now.fact) else now


def _is_open_nowhere(asked: Inquired, local: str, fact: Any) -> bool:
    """Whether it is a queue of ``local`` whose handles were asked for, and nothing shows any."""
    is_untold = isinstance(fact, Queue) and fact.type == "QLOCAL" and fact.ipprocs is None
    return is_untold and fact.queue_manager == local and asked.tells(HANDLES, fact.name)


def read_files(
    paths: Iterable[str | Path], local: str | None = None, lenient: bool = False, formats: Sequence[Format] = FORMATS
) -> Snapshot:
    """The snapshot in files, as ``local`` sees them; raises FactsError, and OSError for what cannot be read."""
    check_several("paths", paths)
    return read_sources([*map(Source.at, paths)], local, lenient, formats)


def read_by_name(sources: Sequence[Source], lenient: bool = False) -> dict[str, Snapshot]:
    """What each queue manager that ``sources`` describe knows, by its name; as ``read_sources`` with each as local.

    Scripts and dumps tell it for all that they are of, a facts document for its own queue manager.
    """
    opened = opened_from(sources, lenient, FORMATS)
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
                message = f"queue_manager {quoted(name)}: another source describes it too"
                raise FactsError([Diagnostic(source.name, message)])
            found[name] = read
    return found


def read_document(data: object, source: str, places: DocumentPlaces = NO_PLACES) -> Snapshot:
    """The snapshot in one parsed facts document; raises FactsError with every fault, at its ``places``."""
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
        cluster = agreed(placed_table(own, document, "queue_manager"), placed_rows(facts, document)).cluster
    messages, of = _checked_messages([(facts, document)], cluster), untold((), (document,), cluster)
    of_facts: dict[str, Any] = {"messages": messages, "untold": of, "sent_from": sent_from((), cluster)}
    of_facts["leaves_open"] = _leaves_open(document)
    of_facts["knows_all"] = "unknown" not in document.data
    return Snapshot(cluster, facts.put, placed=partial(placed_facts, facts, document), **of_facts)


def _checked_messages(files: Sequence[tuple[Facts, FactsDocument]], cluster: Cluster) -> tuple[Message, ...]:
    """The messages of all documents; raises FactsError for one that cannot lie where it is said to."""
    wrong = tuple(islice(misplaced_messages(files, cluster), MOST_FAULTS))
    if wrong:
        raise FactsError(wrong)
    return tuple(each for facts, _ in files for each in facts.messages)


def _view(opened: Opened, name: str | None, lenient: bool, once: MadeOnce) -> View:
    """What the scripts say, seen from the queue manager ``name``, which a facts file may describe."""
    if not opened.scripts:
        return View()
    described = [Script(document.source, name, ()) for document in opened.documents if name and stated_name(document)]
    view = assemble([*opened.scripts, *described[:1]], name, stated_clusters(opened.documents), once)
    forgiven = lenient and view.queue_manager is not None
    opened.warnings.extend(view.warnings)
    # where a file cannot be read, it may be the one that describes the local queue manager
    if view.queue_manager or not opened.unread:
        (opened.warnings if forgiven else opened.faults).extend(view.diagnostics)
    return view


def _facts_of(opened: Opened, view: View, host: str) -> list[tuple[Facts, FactsDocument]]:
    """What the facts documents state, and what is wrong with it; queues without a host are on ``host``."""
    documents = [completed(document, view.channels) for document in opened.documents]
    files = [(read_facts(each.data, each.source, host, consume=True, places=each.places), each) for each in documents]
    for facts, _ in files:
        opened.faults.extend(facts.diagnostics)
    return files


def _assumptions(opened: Opened, view: View, cluster: Cluster) -> Iterator[str]:
    if opened.scripts:
        yield from view.repositories
        yield from taken_as_whole((each for each in view.known if each.cluster not in view.displayed), cluster)
        if any(record.action == "define" for script in opened.scripts for record in script.records):
            yield from taken_as_alone({*view.displayed, *(each.cluster for each in view.known)}, cluster)
    yield from outsiders(cluster.queue_manager.name, view.strangers, view.unjoined)


def _the_put(files: Iterable[tuple[Facts, FactsDocument]], faults: list[Diagnostic]) -> Placed[Put] | None:
    given = [placed_table(facts.put, document, "put") for facts, document in files if facts.put is not None]
    for put in given[1:]:
        message = f"put is given twice; it stands in {given[0].source} and in {put.source}; allowed: one"
        call = put.origin("call")
        faults.append(Diagnostic(put.source, message, call.line, call.column))
    return given[0] if given else None


def _in_order(sources: Iterable[str], files: Iterable[tuple[Facts, FactsDocument]], view: View) -> list[Placed[Any]]:
    """The facts of all lists, in the order of their sources."""
    found = [each for facts, document in files for each in placed_rows(facts, document)]
    rank = {source: at for at, source in enumerate(sources)}
    return sorted([*found, *view.listed()], key=lambda each: rank[each.source])
