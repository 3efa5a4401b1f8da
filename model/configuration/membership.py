"""Membership: which queue manager the files are of, and the clusters it is in.

So it is with queues of a dump that was made without what they name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from attrs import evolve, field, frozen

from mqclause.model.configuration.completeness import INSERT, AnsweredInquiries, build_coverage_at, select_own_scripts
from mqclause.model.configuration.objects import (
    CLUSTER_CHANNELS,
    FACT_ATTRIBUTES,
    MqObject,
    QueueManagerObjects,
    add_queues,
    list_stating_attributes,
)
from mqclause.model.configuration.sources import Origin, PlacedFact, Provenance, place_table
from mqclause.model.diagnostics import Diagnostic, DomainError, FactsError, quote_value, suggest_name
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import NAME
from mqclause.model.facts.objects import (
    Channel,
    Fact,
    Process,
    Queue,
    QueueManager,
    QueueManagerAlias,
    RemoteQueueManager,
)
from mqclause.model.readers.facts_files import JSON, TOML, UNKNOWABLE_TABLES, Facts
from mqclause.model.readers.formats import FactsDocument
from mqclause.model.readers.mqsc import BEGINNING, OWNER
from mqclause.model.readers.records import Record, Script

NAMED_KINDS: Mapping[str, str] = {"process": "PROCESS", "initq": "QLOCAL"}
"""The kind of what an attribute of a queue names."""

UndisplayedObjects = Mapping[str, frozenset[str]]
"""By attribute the local queues of which no source tells whether there is what the attribute names."""

Unasked = Mapping[str, tuple[str, ...]]
"""By attribute the keywords of MQSC with which a display would tell it."""

NOTHING_UNASKED: Unasked = {}

TABLES: Mapping[type, str] = {
    Queue: "queue",
    Channel: "channel",
    QueueManager: "queue_manager",
    QueueManagerAlias: "queue_manager_alias",
    RemoteQueueManager: "remote_queue_manager",
}
OF_NOW = ("status", "curdepth")
"""What is told by displays of a status, or of a queue now: others say what is not known of it."""

COMMAND_LEVEL = "Queue manager command level"
"""What the head of a dump calls CMDLEVEL."""

NO_LOCAL = "no local queue manager: a facts file needs a queue_manager table where there is no script or dump"
FROM_SCRIPTS = ("clusters", "suspended")
"""What the scripts say of a queue manager that a facts document describes without it."""


def list_own_clusters(member: QueueManagerObjects) -> tuple[str, ...]:
    """The clusters that its channels and its REPOS name: it has to do with these."""
    return tuple(dict.fromkeys(cluster for each in list_clustered_objects(member) for cluster in each.clusters))


def list_clustered_objects(member: QueueManagerObjects) -> tuple[MqObject, ...]:
    """Its objects that put it into clusters."""
    return (*member.channels("CLUSRCVR"), *member.channels("CLUSSDR"), *member.of("QMGR"))


def select_visible_clusters(joined: frozenset[str] | None, clusters: Iterable[str]) -> tuple[str, ...]:
    """Those of the ``clusters`` of an object in which others learn of it, whose queue manager has ``joined`` these."""
    return tuple(each for each in clusters if joined is None or each in joined)


def list_unjoined_clusters(member: QueueManagerObjects) -> tuple[str, ...]:
    """The clusters that it has to do with, and others do not learn of it in."""
    joined = find_joined_clusters(member)
    return tuple(each for each in list_own_clusters(member) if joined is not None and each not in joined)


def describe_outsiders(local: str, strangers: Iterable[str], unjoined: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Who is outside the clusters of the queue manager ``local``, as assumptions."""
    for name, cluster in unjoined:
        yield f"{name} has no CLUSRCVR in cluster {cluster}: nobody there learns of it"
    without = {name for name, _ in unjoined}
    if names := [each for each in strangers if each not in without]:
        yield f"{local} shares no cluster with {', '.join(names)} and knows nothing of what is there"


def find_joined_clusters(member: QueueManagerObjects) -> frozenset[str] | None:
    """The clusters in which it has a receiver. None where its files would not tell, or leave one to qm.ini."""
    channels = [each for kind in CLUSTER_CHANNELS for each in member.channels(kind)]
    defined = any(each.clusters and each.record.action == "define" for each in channels)
    names_any = any(INSERT.search(name) for each in channels for name in each.clusters)
    if (
        any(map(is_facts_script, member.scripts))
        or names_any
        or not (defined or any(map(is_complete_script, member.scripts)))
    ):
        return None
    rows = (row for row in member.rows if row.kind == "CLUSQMGR" and row.name == member.name)
    shown = frozenset(row.text("CLUSTER") for row in rows)
    return shown.union(*(each.clusters for each in channels if each.type == "CLUSRCVR"))


def is_complete_script(script: Script) -> bool:
    """Whether it names all that a queue manager has."""
    return (BEGINNING in script.header and any(each.is_whole for each in script.coverage)) or is_facts_script(script)


def is_facts_script(script: Script) -> bool:
    """Whether it also tells all that there is in its clusters, as a facts document does."""
    return script.format in (TOML.name, JSON.name)


def find_undisplayed_objects(
    scripts: Sequence[Script], documents: Iterable[FactsDocument], cluster: Cluster
) -> UndisplayedObjects:
    """What logs and dumps of a part do not tell of the local queues; of facts documents what is ``unknown`` there."""
    given = [document.data.get("unknown", {}) for document in documents]
    if not scripts:
        return {name: frozenset().union(*(each.get(name, ()) for each in given)) for name in NAMED_KINDS}
    local = cluster.queue_manager.name
    of = select_own_scripts(scripts, local)
    asked = AnsweredInquiries.at(of, local)
    shown = {record.name for each in of for record in each.records} if all(map(_is_log, of)) else ()
    own = [each for each in cluster.queues if each.queue_manager == local and each.name in shown]
    return {
        name: frozenset(_not_asked(name, kind, of, asked, own)).union(
            _left_out(name, kind, scripts, cluster),
            _of_no_kind(name, kind, of, documents, asked, cluster),
            *(each.get(name, ()) for each in given),
        )
        for name, kind in NAMED_KINDS.items()
    }


def assume_undisplayed_objects(cluster: Cluster, nobody_asked: UndisplayedObjects) -> tuple[Cluster, Mapping[str, str]]:
    """``cluster`` with what nobody asked for, and by the name of each what is assumed of it."""
    own, local = cluster.own_queues, cluster.queue_manager.name
    named = {
        name: {getattr(own[each], name) for each in queues if each in own} for name, queues in nobody_asked.items()
    }
    queues = sorted(named.get("initq", set()) - {"", *own, *cluster.models})
    processes = sorted(named.get("process", set()) - {"", *(each.name for each in cluster.processes)})
    if not queues and not processes:
        return cluster, {}
    there = [Queue(name, local, curdepth=None) for name in queues]
    more = evolve(cluster, processes=(*cluster.processes, *map(Process, processes)))
    told = {name: f"process {name} is defined: nobody asked for it" for name in processes}
    return add_queues(more, (*there,)), told | {
        name: f"{name} is a local queue: nobody asked for it" for name in queues
    }


@frozen(eq=False)
class Unshown:
    """What is left open by displays at the queue manager ``local``, which ``asked`` something, or by facts documents.

    Where ``is_possible`` is false there is none, nor anything that says so.
    """

    provenance: Provenance
    asked: AnsweredInquiries
    local: str
    is_possible: bool
    _found: dict[int, tuple[Fact, Unasked]] = field(init=False, factory=dict)

    def of(self, fact: Fact) -> Unasked:
        """The attributes of a fact of the snapshot that are not known; none of one that a program has made."""
        if not self.is_possible:
            return NOTHING_UNASKED
        known = self._found.get(id(fact))
        if known is None or known[0] is not fact:
            known = self._found[id(fact)] = fact, self._of(fact)
        return known[1]

    def kind_and_name(self, fact: Fact) -> tuple[str, str]:
        """The kind of what a display shows the fact in, and the name by which it is asked for."""
        if isinstance(fact, QueueManager):
            return "QMGR", ""
        if isinstance(fact, Channel):
            return "CLUSQMGR", fact.queue_manager
        if isinstance(fact, RemoteQueueManager):
            return "CLUSQMGR", fact.name
        is_own = isinstance(fact, Queue) and fact.queue_manager == self.local
        return fact.type if isinstance(fact, Queue) and is_own else "QCLUSTER", fact.name

    def _of(self, fact: Fact) -> Unasked:
        if type(fact) not in TABLES or not self.provenance.holds(fact):
            return NOTHING_UNASKED
        kind, name = self.kind_and_name(fact)
        is_displayed = self._is_displayed(fact)
        of = {each: self._words(kind, each) for each in _open_to_displays(type(fact), kind)}
        found = {}
        for attribute, words in of.items():
            how = self.provenance.of(fact, attribute).how
            if how == "defaulted" and is_displayed:
                words = tuple(each for each in words if not self.asked.shows(kind, name, each))
            if words and (how == "unknown" or (how == "defaulted" and is_displayed)):
                found[attribute] = words
        return found

    def _is_displayed(self, fact: Fact) -> bool:
        """Whether displays alone tell of it: a command that defines it leaves what it does not say at MQ's default."""
        if isinstance(fact, QueueManager):
            return self.asked.alone
        return self.provenance.of(fact, "name").how == "observed"

    @staticmethod
    def _words(kind: str, attribute: str) -> tuple[str, ...]:
        return ("TRIGGER",) if attribute == "trigger" else list_stating_attributes(kind, attribute)


def check_local_name(local: str | None) -> str | None:
    """The name that the caller gives to the local queue manager; raises FactsError if it can be none."""
    try:
        return None if local is None else NAME(local, "local queue manager")
    except DomainError as error:
        raise FactsError([Diagnostic("--from", str(error))]) from None


def assign_owner(script: Script, given: str) -> tuple[Script, ...]:
    """The script, and what its file states of others, with the queue manager that the caller names for it.

    Raises FactsError if the file says that it is another one's, or a name that no queue manager has.
    """
    if not given:
        return tuple(map(_of_a_name, (script, *script.further)))
    if script.queue_manager not in ("", given) or script.further:
        says = ", ".join(each.queue_manager for each in (script, *script.further))
        raise FactsError([Diagnostic(script.source, _of_another(given, says), script.header_lines.get(OWNER))])
    return (_of_a_name(evolve(script, queue_manager=given)),)


def refuse_other_owner(document: FactsDocument, given: str) -> None:
    """Raises FactsError if a facts document says that another queue manager is local than the caller names for it."""
    says = get_stated_name(document)
    if given and says not in (None, given):
        place = document.places.place_of("queue_manager", "name")
        raise FactsError([Diagnostic(document.source, _of_another(given, says or ""), *place)])


def get_stated_name(document: FactsDocument) -> str | None:
    """The name of the document's local queue manager; None if it has none, or one that cannot be."""
    try:
        return NAME(document.data["queue_manager"]["name"], "name")
    except (DomainError, KeyError, TypeError, IndexError):
        return None


def find_local_name(
    documents: Iterable[FactsDocument], described: Iterable[str], asked: str | None, faults: list[Diagnostic]
) -> str | None:
    """The local queue manager's name if a facts document or the caller says it.

    ``described`` are the queue managers of the scripts; what contradicts the first document goes to ``faults``.
    """
    stated = [(document, name) for document in documents if (name := get_stated_name(document)) is not None]
    for document, name in stated[1:]:
        message = (
            f"queue_manager {quote_value(name)}: {stated[0][0].source} has a queue_manager table too; allowed: one"
        )
        faults.append(Diagnostic(document.source, message, *document.places.place_of("queue_manager")))
    if not stated:
        return asked
    document, name = stated[0]
    if asked not in (None, name):
        place = document.places.place_of("queue_manager", "name")
        faults.append(Diagnostic(document.source, _not_the_local(name, asked or "", described), *place))
    return name


def build_local_queue_manager(
    files: Iterable[tuple[Facts, FactsDocument]], seen: PlacedFact[QueueManager] | None, sources: Sequence[str]
) -> PlacedFact[QueueManager]:
    """The local queue manager; ``seen`` is what the scripts say of it.

    Raises FactsError if none of ``sources`` has one, or both a facts document and a script state its attributes.
    """
    for facts, document in files:
        if facts.queue_manager:
            own = place_table(facts.queue_manager, document, "queue_manager")
            return _completed(own, seen) if seen else own
    if seen is None:
        raise FactsError([Diagnostic(", ".join(sources) or "facts", NO_LOCAL)])
    return seen


def get_stated_clusters(documents: Iterable[FactsDocument]) -> Sequence[str] | None:
    """The clusters of the local queue manager that a facts document describes; None if it does not say them."""
    for document in documents:
        if get_stated_name(document) is not None:
            given = document.data["queue_manager"].get("clusters")
            return given if isinstance(given, list) else None
    return ()


def list_defined_objects(scripts: Iterable[Script], local: str) -> Mapping[str, frozenset[str]]:
    """The names of the objects that scripts define at the queue manager ``local``, by kind or as aliases of topics."""
    found: dict[str, set[str]] = {}
    for record in _own_records(scripts, local):
        if record.action in ("define", "observe"):
            found.setdefault(record.kind, set()).add(record.name)
    return {kind: frozenset(names) for kind, names in found.items()}


def find_used_transmission_queues(scripts: Sequence[Script], cluster: Cluster) -> frozenset[str] | None:
    """The transmission queues that own channels name (XMITQ); None where no source describes channels.

    A script does where it defines or shows any, a facts document where it tells of any that belong to no cluster.
    """
    own = _own_records(scripts, cluster.queue_manager.name)
    channels = [each for each in own if each.kind == "CHANNEL" and each.action in ("define", "alter", "observe")]
    if not channels and (scripts or not cluster.channel_statuses):
        return None
    named = frozenset(str(each.attributes.get("XMITQ", "")) for each in channels)
    return named.union(cluster.taking_from)


def find_shown_transmission_queues(scripts: Iterable[Script], local: str) -> Mapping[str, str]:
    """The cluster channels of ``local`` of which a display names the transmission queue, with that."""
    found = dict[str, str]()
    for each in _own_records(scripts, local):
        if queue := " ".join(each.listed("XMITQ")):
            if each.kind == "CLUSQMGR":
                found[" ".join(each.listed("CHANNEL"))] = queue
            elif each.kind == "CHSTATUS" and each.listed("CHLTYPE") == ("CLUSSDR",):
                found[each.name] = queue
    return found


def find_sender_attributes(scripts: Iterable[Script], local: str) -> Mapping[str, Mapping[str, int]]:
    """The workload attributes that each CLUSSDR of ``local`` states, by channel and field of facts."""
    read = {word: name for word, (name, _) in FACT_ATTRIBUTES["CHANNEL"].items() if name}
    found: dict[str, dict[str, int]] = {}
    for each in _own_records(scripts, local):
        if each.kind == "CHANNEL" and each.listed("CHLTYPE") == ("CLUSSDR",):
            of = found.setdefault(each.name, {})
            for word in read.keys() & each.attributes.keys():
                value = " ".join(each.listed(word))
                if value.isascii() and value.isdecimal():
                    of[read[word]] = int(value)
    return {name: dict(sorted(of.items())) for name, of in found.items() if of}


def get_default_defclxq(scripts: Iterable[Script], local: str) -> str:
    """DEFCLXQ of ``local`` where it is not stated: MQ's default if a script defines its objects, else blank."""
    # what a script leaves out has MQ's default, what a display leaves out is not told
    return "SCTQ" if any(each.action == "define" for each in _own_records(scripts, local)) else ""


def with_level(own: PlacedFact[QueueManager], scripts: Iterable[Script]) -> PlacedFact[QueueManager]:
    """The local queue manager with its command level, where a script tells it and no facts document states it."""
    told = None if own.fact.command_level else find_command_level(scripts, own.fact.name)
    if told is None:
        return own
    level, origin = told
    placed = partial(_origin_of_level, own.origin, origin)
    return evolve(own, fact=evolve(own.fact, command_level=level), origin=placed)


def find_command_level(scripts: Iterable[Script], local: str) -> tuple[int, Origin] | None:
    """The command level of ``local`` and where it is told; None where nothing tells it.

    CMDLEVEL or VERSION of the queue manager itself count first, then the head of its dump, of whose two numbers the
    lower one counts where they differ, then VERSION in what is known of it in a cluster.
    """
    given = list(scripts)
    own = [script for script in given if (script.queue_manager or local) == local]
    records = [each for script in own for each in script.records if each.kind == "QMGR"]
    known = [each for script in given for each in script.records if each.kind == "CLUSQMGR" and each.name == local]
    for attribute, read, among in (("CMDLEVEL", _level, records), ("VERSION", _level_of_version, records)):
        for record in among:
            if level := read(_shown(record, attribute)):
                return level, Origin("observed", record.source, *record.place_of(attribute))
    for script in own:
        if level := _level(script.header.get(COMMAND_LEVEL, "")):
            return level, Origin("observed", script.source, script.header_lines.get(COMMAND_LEVEL))
    for record in known:
        if level := _level_of_version(_shown(record, "VERSION")):
            return level, Origin("observed", record.source, *record.place_of("VERSION"))
    return None


def find_command_levels(scripts: Sequence[Script], owner: str, known_as: str) -> Iterator[tuple[str, int]]:
    """The command levels that the files of a queue manager tell: of others that it displays, and its own, ``known_as``.

    What it displays of itself counts where nothing else tells it.
    """
    for record in (each for script in scripts for each in script.records if each.kind == "CLUSQMGR"):
        if level := _level_of_version(_shown(record, "VERSION")):
            yield record.name, level
    if told := find_command_level(scripts, owner):
        yield known_as, told[0]


def odd_levels(scripts: Iterable[Script], local: str) -> Iterator[Diagnostic]:
    """The heads of dumps of ``local`` that name two command levels, which differ, as remarks."""
    for script in scripts:
        head = script.header.get(COMMAND_LEVEL, "")
        if (script.queue_manager or local) == local and len({*re.findall(r"[0-9]{3,4}", head)}) > 1:
            said = f"the head names two command levels, {head}; the lower one counts where nothing else tells it"
            yield Diagnostic(script.source, said, script.header_lines.get(COMMAND_LEVEL))


def _left_out(attribute: str, kind: str, scripts: Iterable[Script], cluster: Cluster) -> Iterator[str]:
    """The local queues whose ``attribute`` names what dumps may have left out."""
    dumps = build_coverage_at(scripts, cluster.queue_manager.name)
    there = {"", *cluster.own_queues, *cluster.models, *(each.name for each in cluster.processes)}
    for each in cluster.own_queues.values():
        named = getattr(each, attribute)
        if named not in there and dumps.leaves_out(kind, named):
            yield each.name


def _of_no_kind(
    attribute: str, kind: str, scripts: Sequence[Script], documents: Iterable[FactsDocument], asked: AnsweredInquiries,
    cluster: Cluster,
) -> Iterator[str]:  # fmt: skip
    """The local queues whose ``attribute`` names what may be in another script: these have no object of the kind.

    A dump says itself what it would tell, and so do logs, where nothing else is given. Beside a script a log tells
    what its commands asked for or, if it does not echo them, of the kinds that it shows.
    """
    told = any(each.coverage or is_complete_script(each) for each in scripts) or all(map(_is_log, scripts))
    if told or any(documents):
        return
    if not any(record.kind == kind for each in scripts if not each.asked for record in each.records):
        own = ((each.name, getattr(each, attribute)) for each in cluster.own_queues.values())
        yield from (name for name, named in own if named and not asked.tells(kind, named))


def _is_log(script: Script) -> bool:
    return any(record.action == "observe" for record in script.records)


def _not_asked(
    attribute: str, kind: str, logs: Sequence[Script], asked: AnsweredInquiries, queues: Iterable[Queue]
) -> Iterable[str]:
    shown = any(record.kind == kind for log in logs if not log.asked for record in log.records)
    return (each.name for each in queues if not (shown or asked.tells(kind, getattr(each, attribute))))


def _open_to_displays(of: type, kind: str) -> list[str]:
    """The attributes of such facts that a display of the kind tells, if it is asked for them."""
    tables = (name for name, each in UNKNOWABLE_TABLES.items() if TABLES[of] in each and name not in OF_NOW)
    return [name for name in tables if kind in FACT_ATTRIBUTES and list_stating_attributes(kind, name)]


def _of_a_name(script: Script) -> Script:
    """The script, whose queue manager has a name that one can have, or none. Raises FactsError."""
    try:
        return evolve(script, queue_manager=script.queue_manager and NAME(script.queue_manager, "queue manager name"))
    except DomainError as error:
        raise FactsError([Diagnostic(script.source, str(error), script.header_lines.get(OWNER))]) from None


def _of_another(given: str, says: str) -> str:
    return f"is given as {quote_value(given)}, but says that it is of {says}"


def _not_the_local(name: str, asked: str, described: Iterable[str]) -> str:
    known = dict.fromkeys([name, *described])
    wanted = f"but {quote_value(asked)} is asked for; known: {', '.join(known)}"
    near = "" if asked in known else suggest_name(asked, known)
    return f"queue_manager {quote_value(name)} is the local queue manager, {wanted}{near}"


def _completed(own: PlacedFact[QueueManager], seen: PlacedFact[QueueManager]) -> PlacedFact[QueueManager]:
    """The facts document's queue manager, in the clusters of its scripts where the document gives none."""
    if seen.line is not None:
        message = f"queue_manager {quote_value(own.fact.name)} is given twice; it stands in {own} and in {seen}"
        raise FactsError([Diagnostic(seen.source, message, seen.line)])
    taken = {name: getattr(seen.fact, name) for name in FROM_SCRIPTS if not getattr(own.fact, name)}
    origin = partial(_origin, own, seen, frozenset(name for name, value in taken.items() if value))
    return evolve(own, fact=evolve(own.fact, **taken), origin=origin)


def _origin(
    own: PlacedFact[QueueManager], seen: PlacedFact[QueueManager], from_scripts: frozenset[str], attribute: str
) -> Origin:
    return (seen if attribute in from_scripts else own).origin(attribute)


def _own_records(scripts: Iterable[Script], local: str) -> Iterator[Record]:
    return (each for script in scripts if (script.queue_manager or local) == local for each in script.records)


def _origin_of_level(others: Callable[[str], Origin], level: Origin, attribute: str) -> Origin:
    return level if attribute == "command_level" else others(attribute)


def _shown(record: Record, attribute: str) -> str:
    """What a record says under an attribute, or shows beside those that can be set."""
    value = record.attributes.get(attribute) or record.informational.get(attribute, "")
    return value if isinstance(value, str) else " ".join(value)


def _level(told: str) -> int:
    """The lowest number of a text; 0 if it has none that is a command level."""
    found = [int(each) for each in re.findall(r"(?<![0-9])[0-9]{3,4}(?![0-9])", told)]
    return min(found, default=0)


def _level_of_version(told: str) -> int:
    """The command level of a version, as 930 of 09030002; 0 if it is none."""
    found = re.fullmatch(r"([0-9]{2})([0-9]{2})([0-9]{2})[0-9]{2}", told.strip())
    return 0 if found is None else 100 * int(found[1]) + 10 * int(found[2]) + int(found[3])
