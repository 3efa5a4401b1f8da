"""What the sources tell of the local queue manager, what they leave open, and what is assumed instead."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Self

from attrs import evolve, field, frozen

from mqclause.model.configuration.attributes import FACT_ATTRIBUTES, list_stating_attributes
from mqclause.model.configuration.completeness import (
    NO_INQUIRIES,
    AnsweredInquiries,
    build_coverage,
    is_complete_script,
)
from mqclause.model.configuration.objects import SYSTEM_PREFIX
from mqclause.model.configuration.provenance import Origin, Provenance
from mqclause.model.diagnostics import Diagnostic
from mqclause.model.facts.cluster import CLUSTER_FIELDS, Cluster
from mqclause.model.facts.objects import (
    Channel,
    Fact,
    Process,
    Queue,
    QueueManager,
    RemoteQueueManager,
)
from mqclause.model.readers.facts_files import LIST_TABLES, UNKNOWABLE_TABLES
from mqclause.model.readers.formats import FactsDocument
from mqclause.model.readers.records import CombinedCoverage, Record, Script

NAMED_KINDS: Mapping[str, str] = {"process": "PROCESS", "initq": "QLOCAL"}
"""The kind of what an attribute of a queue names."""

UndisplayedObjects = Mapping[str, frozenset[str]]
"""By attribute the local queues of which no source tells whether there is what the attribute names."""

Unasked = Mapping[str, tuple[str, ...]]
"""By attribute the keywords of MQSC with which a display would tell it."""

NOTHING_UNASKED: Unasked = {}

TABLES = {kind: LIST_TABLES[name] for kind, name in CLUSTER_FIELDS.items()} | {QueueManager: "queue_manager"}
"""The table of facts documents for each class of facts."""

OF_NOW = ("status", "curdepth")
"""What is told by displays of a status, or of a queue now: others say what is not known of it."""

NO_COVERAGE = CombinedCoverage()
NOTHING: Mapping[str, Any] = {}  # a dict, which pickles


@frozen
class LocalKnowledge:
    """What the sources tell of the local queue manager, and what they would tell if there were more.

    ``asked`` are the displays that logs answer, ``covered`` is what its dumps hold; ``defined`` names by kind (QLOCAL,
    CHANNEL and so on) the objects that scripts define. ``undisplayed`` are the objects that its queues name and of
    which no source tells whether they are there. ``used_transmission_queues`` are those that its channels name, None
    where no script describes one. Of ``shown_transmission_queues``, by cluster channel, a display names the queue.
    ``sender_attributes`` are the workload attributes that its CLUSSDRs state. ``defclxq`` is DEFCLXQ where it is not
    stated: MQ's default if a script defines its objects, as a script leaves out what is at its default, else blank.

    ``shows_counters``: the sources hold the sequence numbers of channels, or leave them out because they are 0; MQ
    displays none. ``leaves_open``: displays show some of its attributes, which may leave others open, or facts
    documents say that some are not known. ``knows_all``: all is from one facts document, which says of nothing that it
    is unknown.
    """

    asked: AnsweredInquiries = NO_INQUIRIES
    covered: CombinedCoverage = NO_COVERAGE
    defined: Mapping[str, frozenset[str]] = field(default=NOTHING)
    undisplayed: UndisplayedObjects = field(default=NOTHING)
    used_transmission_queues: frozenset[str] | None = None
    shown_transmission_queues: Mapping[str, str] = field(default=NOTHING)
    sender_attributes: Mapping[str, Mapping[str, int]] = field(default=NOTHING)
    defclxq: str = ""
    shows_counters: bool = True
    leaves_open: bool = False
    knows_all: bool = False

    @classmethod
    def from_sources(
        cls, scripts: Sequence[Script], documents: Sequence[FactsDocument], cluster: Cluster, asked: AnsweredInquiries
    ) -> Self:
        """Gather what scripts and facts documents tell of the local queue manager of ``cluster``."""
        local = cluster.queue_manager.name
        own = [script for script in scripts if (script.queue_manager or local) == local]
        records = [record for script in own for record in script.records]
        shows = any(record.action == "observe" for each in scripts for record in each.records)
        found = cls(
            asked,
            build_coverage(own),
            _list_defined_objects(records),
            {},
            _find_used_transmission_queues(records, bool(scripts), cluster),
            _find_shown_transmission_queues(records),
            _find_sender_attributes(records),
            "SCTQ" if any(each.action == "define" for each in records) else "",
            shows_counters=not scripts,
            leaves_open=shows or any(document.data.get("unknown") for document in documents),
        )
        stated = [document.data.get("unknown", {}) for document in documents]
        scripts = [each for each in own if not each.overlay]
        undisplayed = {
            name: frozenset(found._find_undisplayed(name, kind, scripts, cluster, bool(documents))).union(
                *(each.get(name, ()) for each in stated)
            )
            for name, kind in NAMED_KINDS.items()
        }
        return evolve(found, undisplayed=undisplayed)

    @classmethod
    def from_document(cls, document: FactsDocument, cluster: Cluster) -> Self:
        """Gather what one facts document alone tells."""
        unknown = document.data.get("unknown", {})
        return cls(
            undisplayed={name: frozenset(unknown.get(name, ())) for name in NAMED_KINDS},
            used_transmission_queues=_find_used_transmission_queues((), False, cluster),
            leaves_open=bool(unknown),
            knows_all="unknown" not in document.data,
        )

    def would_tell(self, kind: str, name: str) -> bool:
        """Return whether the sources would show something of that kind and name."""
        of_facts = kind == "CHANNEL" and self.used_transmission_queues is not None
        told = self.asked.tells(kind, name) if self.asked.alone else of_facts or bool(self.defined.get(kind))
        return told and not self.covered.leaves_out(kind, name) and not name.startswith(SYSTEM_PREFIX)

    def _find_undisplayed(
        self, attribute: str, kind: str, scripts: Sequence[Script], cluster: Cluster, is_beside_documents: bool
    ) -> Iterator[str]:
        """The local queues whose ``attribute`` names an object of the kind, of which the ``scripts`` do not tell.

        Where these are logs alone, it is the queues that they show, if nobody asked for what the queues name; else
        those that name what may be in another script, as none here has an object of the kind. A dump says itself what
        it would tell. Beside a script a log tells what its commands asked for or, if it does not echo them, of the
        kinds that it shows.
        """
        there = {"", *cluster.own_queues, *cluster.models, *(each.name for each in cluster.processes)}
        are_logs = all(map(_is_log, scripts))
        shown = {record.name for each in scripts for record in each.records}
        is_told = is_beside_documents or any(each.coverage or is_complete_script(each) for each in scripts)
        has_kind = any(record.kind == kind for each in scripts if not each.asked for record in each.records)
        for name, queue in cluster.own_queues.items() if scripts else ():
            named = getattr(queue, attribute)
            may_be_there = name in shown if are_logs else named and not is_told
            is_unasked = may_be_there and not has_kind and not self.asked.tells(kind, named)
            if is_unasked or (named not in there and self.covered.leaves_out(kind, named)):
                yield name


def _is_log(script: Script) -> bool:
    return any(record.action == "observe" for record in script.records)


def _list_defined_objects(records: Iterable[Record]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for record in records:
        if record.action in ("define", "observe"):
            found.setdefault(record.kind, set()).add(record.name)
    return {kind: frozenset(names) for kind, names in found.items()}


def _find_used_transmission_queues(
    records: Iterable[Record], has_scripts: bool, cluster: Cluster
) -> frozenset[str] | None:
    """None where no source describes channels: a script defines or shows some, or a facts document has some."""
    channels = [each for each in records if each.kind == "CHANNEL" and each.action in ("define", "alter", "observe")]
    if not channels and (has_scripts or not cluster.channel_statuses):
        return None
    return frozenset(str(each.attributes.get("XMITQ", "")) for each in channels).union(cluster.taking_from)


def _find_shown_transmission_queues(records: Iterable[Record]) -> Mapping[str, str]:
    found = dict[str, str]()
    for each in records:
        if queue := " ".join(each.listed("XMITQ")):
            if each.kind == "CLUSQMGR":
                found[" ".join(each.listed("CHANNEL"))] = queue
            elif each.kind == "CHSTATUS" and each.listed("CHLTYPE") == ("CLUSSDR",):
                found[each.name] = queue
    return found


def _find_sender_attributes(records: Iterable[Record]) -> Mapping[str, Mapping[str, int]]:
    read = {word: name for word, (name, _) in FACT_ATTRIBUTES["CHANNEL"].items() if name}
    found: dict[str, dict[str, int]] = {}
    for each in records:
        if each.kind == "CHANNEL" and each.listed("CHLTYPE") == ("CLUSSDR",):
            of = found.setdefault(each.name, {})
            for word in read.keys() & each.attributes.keys():
                value = " ".join(each.listed(word))
                if value.isascii() and value.isdecimal():
                    of[read[word]] = int(value)
    return {name: dict(sorted(of.items())) for name, of in found.items() if of}


def assume_undisplayed_objects(cluster: Cluster, nobody_asked: UndisplayedObjects) -> tuple[Cluster, Mapping[str, str]]:
    """Add what nobody asked for to ``cluster``; also give by its name what is assumed of each."""
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
    """The attributes that displays or facts documents at ``local`` leave open; ``asked`` are its inquiries.

    Where ``is_possible`` is false there is none, nor anything that says so.
    """

    provenance: Provenance
    asked: AnsweredInquiries
    local: str
    is_possible: bool
    _found: dict[int, tuple[Fact, Unasked]] = field(init=False, factory=dict)

    def of(self, fact: Fact) -> Unasked:
        """Find the attributes of a fact of the snapshot that are not known; none of one that a program has made."""
        if not self.is_possible:
            return NOTHING_UNASKED
        known = self._found.get(id(fact))
        if known is None or known[0] is not fact:
            known = self._found[id(fact)] = fact, self._of(fact)
        return known[1]

    def get_kind_and_name(self, fact: Fact) -> tuple[str, str]:
        """Return the kind of what a display shows the fact in, and the name by which it is asked for."""
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
        kind, name = self.get_kind_and_name(fact)
        is_displayed = self._is_displayed(fact)
        found = {}
        for attribute in _list_displayable(type(fact), kind):
            words = ("TRIGGER",) if attribute == "trigger" else list_stating_attributes(kind, attribute)
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


def _list_displayable(of: type, kind: str) -> list[str]:
    """The attributes of such facts that a display of the kind tells, if it is asked for them."""
    tables = (name for name, each in UNKNOWABLE_TABLES.items() if TABLES[of] in each and name not in OF_NOW)
    return [name for name in tables if kind in FACT_ATTRIBUTES and list_stating_attributes(kind, name)]


def assume_default_queues(
    cluster: Cluster, defined: Mapping[str, frozenset[str]], named_by: Iterable[tuple[str, str]]
) -> tuple[Queue, ...]:
    """Return the initiation queues that are taken to be there; ``defined`` is what scripts define, by kind.

    ``named_by`` are local queues, each with the initiation queue that it names. A facts file tells all that there is,
    so that nothing is assumed for a queue that no script defines.
    """
    own, in_scripts = cluster.queue_manager.name, defined.get("QLOCAL", ())
    names = dict.fromkeys(initq for name, initq in named_by if name in in_scripts and initq.startswith(SYSTEM_PREFIX))
    known = (cluster.own_queues, cluster.models)
    return tuple(Queue(name, own, curdepth=None) for name in names if not any(name in each for each in known))


def add_queues(cluster: Cluster, more: tuple[Queue, ...]) -> Cluster:
    """Add ``more`` queues to ``cluster``."""
    return evolve(cluster, queues=(*cluster.queues, *more)) if more else cluster


def describe_default_queue(name: str) -> str:
    """Say what is assumed of the queue ``name``."""
    return f"{name} is defined as every queue manager is created with it"


COMMAND_LEVEL = "Queue manager command level"
"""What the head of a dump calls CMDLEVEL."""

LEVELS_OF_RELEASE = 10
"""The command levels of one release: 930 to 939 are of 9.3."""


@frozen
class LevelStatement:
    """What one line of a source says of a queue manager's command level.

    ``said`` are its words, as ``VERSION(09030002)``, and ``named`` is what an edition is said to come from. ``levels``
    has the one that it is taken to mean first, then others that it may mean; it is empty where the words are no level.
    """

    said: str
    named: str
    levels: tuple[int, ...]
    origin: Origin

    @classmethod
    def of_level(cls, said: str, levels: tuple[int, ...], origin: Origin) -> LevelStatement:
        """Make a statement of the level itself."""
        return cls(said, f"CMDLEVEL {levels[0]}" if levels else "", levels, origin)

    @property
    def placed(self) -> str:
        """The words, and where they stand."""
        return f"{self.said} ({self.origin})"


@frozen
class CommandLevel:
    """The command level of a queue manager: the first of its ``statements`` that has one counts."""

    queue_manager: str
    statements: tuple[LevelStatement, ...]

    @property
    def told(self) -> LevelStatement | None:
        """The statement that counts; None where the level is not told."""
        return next((each for each in self.statements if each.levels), None)

    @property
    def level(self) -> int:
        """The level, 0 where it is not told."""
        return self.told.levels[0] if self.told else 0

    @property
    def contradicting(self) -> tuple[LevelStatement, ...]:
        """The statements by which it would be of another release."""
        now = self.level // LEVELS_OF_RELEASE
        others = (each for each in self.statements if each.levels)
        return tuple(each for each in others if now not in {level // LEVELS_OF_RELEASE for level in each.levels})

    @property
    def others(self) -> tuple[int, ...]:
        """The levels that it may have as well, by what contradicts, or by what the statement leaves open."""
        left_open = self.told.levels[1:] if self.told else ()
        return tuple(dict.fromkeys([*left_open, *(level for each in self.contradicting for level in each.levels)]))

    @property
    def doubt(self) -> str:
        """What contradicts what, in words; blank if nothing does."""
        if self.told is None or not self.others:
            return ""
        return " or ".join(each.placed for each in (self.told, *self.contradicting[:1]))

    def find_remarks(self) -> Iterator[Diagnostic]:
        """Find statements that are no level, or leave open which one counts, and the first that contradicts that."""
        for each in self.statements:
            if not each.levels:
                said = f"{each.said} is no command level that a queue manager has: passed by"
                yield Diagnostic(each.origin.source, said, each.origin.line)
            elif len(each.levels) > 1 and (self.told is None or self.told == each):
                said = f"{each.said} names two command levels; the lower one counts where nothing else tells it"
                yield Diagnostic(each.origin.source, said, each.origin.line)
        if self.told is not None and (against := self.contradicting):
            whose = self.queue_manager or "the queue manager"
            said = f"{against[0].said} of {whose} contradicts {self.told.placed}, which counts"
            yield Diagnostic(against[0].origin.source, said, against[0].origin.line)


NO_LEVEL = CommandLevel("", ())


def find_command_levels(scripts: Iterable[Script], local: str) -> Mapping[str, CommandLevel]:
    """Find what scripts tell of command levels, by queue manager; ``local`` has those that name none.

    CMDLEVEL or VERSION of the queue manager itself count first, then the head of its dump, of whose two numbers the
    lower one counts where they differ, then VERSION in what is known of it in a cluster.
    """
    found: dict[str, tuple[list[LevelStatement], ...]] = {}
    for script in scripts:
        owner = script.queue_manager or local
        for name, rank, statement in _find_statements(script, owner):
            found.setdefault(name, ([], [], [], []))[rank].append(statement)
    return {name: CommandLevel(name, tuple(chain(*ranked))) for name, ranked in found.items()}


def write_version(level: int) -> str:
    """Write a command level as the version that MQ displays of it, as 09030000 of 930."""
    return f"{level // 100:02}{level // 10 % 10:02}{level % 10:02}00"


def _find_statements(script: Script, owner: str) -> Iterator[tuple[str, int, LevelStatement]]:
    """What a script of ``owner`` tells: the queue manager, and how far behind other statements it stands."""
    if told := script.header.get(COMMAND_LEVEL, "").strip():
        place = Origin("observed", script.source, script.header_lines.get(COMMAND_LEVEL))
        yield owner, 2, LevelStatement.of_level(f"command level {told} in the head", _parse_levels(told), place)
    for record in script.records:
        if record.kind == "QMGR":
            if told := _get_shown(record, "CMDLEVEL"):
                place = Origin.of_record("observed", record, "CMDLEVEL")
                yield owner, 0, LevelStatement.of_level(f"CMDLEVEL({told})", _parse_levels(told), place)
            if told := _get_shown(record, "VERSION"):
                yield owner, 1, _read_version(told, record)
        elif record.kind == "CLUSQMGR" and (told := _get_shown(record, "VERSION")):
            yield record.name, 3, _read_version(told, record)


def _get_shown(record: Record, attribute: str) -> str:
    """What a record says under an attribute, or shows beside those that can be set."""
    value = record.attributes.get(attribute) or record.informational.get(attribute, "")
    return (value if isinstance(value, str) else " ".join(value)).strip()


def _read_version(told: str, record: Record) -> LevelStatement:
    place = Origin.of_record("observed", record, "VERSION")
    return LevelStatement(f"VERSION({told})", f"VERSION {told}", _parse_version(told), place)


def _parse_levels(told: str) -> tuple[int, ...]:
    """The numbers of a text that are command levels, the lowest first."""
    return tuple(sorted({int(each) for each in re.findall(r"(?<![0-9])[0-9]{3,4}(?![0-9])", told)}))


def _parse_version(told: str) -> tuple[int, ...]:
    """The command level of a version, as 930 of 09030002 or, as IBM i writes products, of V9R3M0."""
    found = re.fullmatch(r"([0-9]{2})([0-9]{2})([0-9]{2})[0-9]{2}|V([0-9]{1,2})R([0-9])M([0-9])(?:F[0-9]+)?", told)
    if found is None:
        return ()
    version, release, modification = map(int, filter(None, found.groups()))
    return (100 * version + 10 * release + modification,)
