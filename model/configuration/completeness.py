"""Find what the files of a queue manager hold, what an answer needs beyond them, and the command that would tell it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Self

from attrs import evolve, frozen

from mqclause.model.diagnostics import Diagnostic, quote_value
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import NOT_IN_NAMES, quote_name
from mqclause.model.readers.facts_files import JSON, TOML
from mqclause.model.readers.mqsc import BEGINNING, END, ISSUED
from mqclause.model.readers.records import (
    QUEUE_KINDS,
    CombinedCoverage,
    Coverage,
    Inquiry,
    Record,
    Script,
    TextCache,
)

_QUEUE = "queue"
REFERENCED_KINDS = {
    "PROCESS": "process",
    "INITQ": _QUEUE,
    "XMITQ": _QUEUE,
    "DEFXMITQ": _QUEUE,
    "DEADQ": _QUEUE,
    "TARGET": _QUEUE,
    "CLUSNL": "namelist",
    "REPOSNL": "namelist",
}
"""The attributes that name another object of the same queue manager, and its kind."""

_KINDS = {"PROCESS": "process", "NAMELIST": "namelist", "QLOCAL": _QUEUE, "QALIAS": _QUEUE, "QREMOTE": _QUEUE}
_EVERYWHERE = ""
"""In the place of a queue manager: what is known in a cluster."""

Defined = frozenset[tuple[str, str, str]]
"""Queue manager, kind and name of what is defined."""

ANY = "*"
"""The name by which a command asks for all objects of a kind."""

EVERY_STATE = "DISPLAY CLUSQMGR(*) CHANNEL STATUS"
"""What tells the states of all cluster channels at once."""


def list_defined_names(scripts: Iterable[Script]) -> Defined:
    """List what the scripts define or show, and the queues that are known in clusters."""
    return frozenset(each for script in scripts for record in script.records for each in _list_defined(record, script))


def find_dangling_references(
    scripts: Iterable[Script], defined: Defined, everything: Sequence[Script]
) -> Iterator[Diagnostic]:
    """Find names of objects that are not ``defined``, and that no dump in ``everything`` may have left out.

    MQ brings those of names that begin with SYSTEM.
    """
    for script in scripts:
        # A script that names no queue manager is taken to be of it.
        dumps = build_coverage([each for each in everything if each.queue_manager in ("", script.queue_manager)])
        for record in script.records:
            for attribute in filter(REFERENCED_KINDS.__contains__, record.attributes):
                for name in record.listed(attribute):
                    kind = REFERENCED_KINDS[attribute]
                    places = (script.queue_manager, kind, name), (_EVERYWHERE, kind, name)
                    is_topic = record.attributes.get("TARGTYPE") == "TOPIC"
                    is_there = name.startswith("SYSTEM.") or is_topic or not defined.isdisjoint(places)
                    if not is_there and not dumps.leaves_out(kind.upper(), name):
                        yield record.build_diagnostic(
                            f"{attribute} refers to a {kind} that is nowhere defined: {quote_value(name)}",
                            attribute,
                        )


@frozen
class MissingInformation:
    """Something that no source tells: ``what`` in words, the MQ ``object`` it is about, the ``command`` that tells."""

    what: str
    object: str
    command: str

    @property
    def about(self) -> str:
        """The object, as a list of what is not known names it."""
        return self.object


@frozen
class TruncatedDump(MissingInformation):
    """A dump of the queue manager that is the object ends before its trailer."""

    @property
    def about(self) -> str:
        return f"{self.object}, whose dump ends before its trailer"


@frozen
class AtOthers(MissingInformation):
    """Something that others tell, whatever was asked at the local queue manager."""


@frozen
class Membership:
    """One cluster in the scripts: its ``members`` that are described, and their CLUSSDR channels in it."""

    cluster: str
    members: tuple[str, ...]
    senders: tuple[str, ...]


def find_missing_information(
    scripts: Iterable[Script], known: Sequence[Membership], cluster: Cluster, asked: AnsweredInquiries
) -> tuple[MissingInformation, ...]:
    """Find what is not known about the clusters of the local queue manager and was not ``asked`` for."""
    of = list(scripts)
    undescribed = () if asked.tells("CLUSQMGR", ANY) else _find_undescribed(known, cluster)
    return (
        *find_truncated_dumps(of),
        *undescribed,
        *_find_hosts_without_routes(of, cluster, asked),
        *_find_undisplayed(of, cluster, asked),
    )


def drop_answered_commands(
    found: Iterable[MissingInformation], asked: AnsweredInquiries
) -> Iterator[MissingInformation]:
    """Drop the command of what is not known where the sources hold the output of that command."""
    for each in found:
        is_told = not isinstance(each, AtOthers) and asked.holds(each.command)
        yield evolve(each, command="") if is_told else each


def describe_member_assumptions(known: Iterable[Membership], cluster: Cluster) -> Iterator[str]:
    """Describe clusters that are taken to have no more members than are described."""
    for each in known:
        if each.members and not _find_unanswered_senders(each, cluster):
            taken = "all members" if len(each.members) > 1 else "the only member"
            yield f"taken as {taken} of {each.cluster}: {', '.join(each.members)}"


def describe_lone_host_assumptions(known: Container[str], cluster: Cluster) -> Iterator[str]:
    """Describe clusters of own queues that no channel names: the queue manager is taken as alone there."""
    own = cluster.queue_manager
    for each in dict.fromkeys(_list_clusters_of_own_queues(cluster)):
        if each not in known and each not in own.clusters:
            yield f"taken as the only host in {each}: {own.name}, of which no channel in {each} is told"


def find_truncated_dumps(scripts: Iterable[Script]) -> Iterator[MissingInformation]:
    """Find the dumps that end before their trailer."""
    for script in scripts:
        if what := describe_truncation(script):
            owner = script.queue_manager
            yield TruncatedDump(what, owner, f"dmpmqcfg -m {owner} -a")


def _list_defined(record: Record, script: Script) -> Iterator[tuple[str, str, str]]:
    if record.kind == "QCLUSTER" or (record.kind in _KINDS and (record.listed("CLUSTER") or record.listed("CLUSNL"))):
        yield _EVERYWHERE, _QUEUE, record.name
    if record.kind in _KINDS and record.action in ("define", "alter", "observe"):
        yield script.queue_manager, _KINDS[record.kind], record.name


def _list_clusters_of_own_queues(cluster: Cluster) -> Iterator[str]:
    return (name for each in cluster.own_queues.values() for name in each.clusters)


def _find_undescribed(memberships: Iterable[Membership], cluster: Cluster) -> Iterator[MissingInformation]:
    for each in memberships:
        for channel in _find_unanswered_senders(each, cluster):
            described = f"members of {each.cluster} described: {', '.join(each.members)}"
            leads = f"{channel} leads to no described member"
            # The members that are described without a CLUSRCVR in the cluster: a CLUSSDR may lead to one of them.
            having = {known.queue_manager for known in cluster.channels if known.cluster == each.cluster}
            if lacking := [name for name in each.members if name not in having]:
                leads = f"no CLUSRCVR {channel} is described, and {', '.join(lacking)} without any in {each.cluster}"
            command = f"DISPLAY CLUSQMGR(*) CLUSTER CHANNEL WHERE(CLUSTER EQ {quote_name(each.cluster)})"
            yield MissingInformation(f"{described}; {leads}", channel, command)


def _find_hosts_without_routes(
    scripts: Iterable[Script], cluster: Cluster, asked: AnsweredInquiries
) -> Iterator[MissingInformation]:
    """The hosts of displayed cluster queues to which no channel is displayed, although nobody asked for it."""
    rows = [record for script in scripts for record in script.records if record.kind == "QCLUSTER"]
    shown = dict.fromkeys(" ".join(record.listed("CLUSQMGR")) for record in rows)
    for host in shown:
        has_route = host not in cluster.remote or host in cluster.channels_by_queue_manager
        if not (has_route or asked.tells("CLUSQMGR", host)):
            what = f"{host} has cluster queues, and no channel to it is shown"
            yield MissingInformation(what, host, f"DISPLAY CLUSQMGR({quote_name(host)}) ALL")


def _find_undisplayed(
    scripts: Iterable[Script], cluster: Cluster, asked: AnsweredInquiries
) -> Iterator[MissingInformation]:
    """What a log of the local queue manager does not show any of, and does not say that nothing is there."""
    local = cluster.queue_manager.name
    own = [record for script in scripts if script.queue_manager in ("", local) for record in script.records]
    kinds = {record.kind for record in own}
    if not any(record.action == "observe" for record in own) or any(record.action == "define" for record in own):
        return
    described = any(each.action == "define" for script in scripts for each in script.records)
    none_shown = kinds.isdisjoint(("QCLUSTER",)) and not asked.tells("QCLUSTER", ANY)
    clusters = (*cluster.queue_manager.clusters, *_list_clusters_of_own_queues(cluster))
    if clusters and none_shown and not described:
        what = f"no queue is shown that {local} knows in its clusters"
        yield MissingInformation(what, local, "DISPLAY QCLUSTER(*) ALL")
    if kinds.isdisjoint(QUEUE_KINDS) and not all(asked.tells(each, ANY) for each in QUEUE_KINDS):
        yield MissingInformation(f"no queue of {local}'s own is shown", local, "DISPLAY QUEUE(*) ALL")
    # The state of a channel to another member is in no fact without the row of that.
    of_routes = (each.kind == "CHSTATUS" and each.listed("CHLTYPE") == ("CLUSSDR",) for each in own)
    names_others = "QCLUSTER" in kinds or any(of_routes)
    if names_others and "CLUSQMGR" not in kinds and not (cluster.remote or asked.tells("CLUSQMGR", ANY)):
        yield MissingInformation(f"no queue manager is shown that {local} knows", local, "DISPLAY CLUSQMGR(*) ALL")


def _find_unanswered_senders(known: Membership, cluster: Cluster) -> list[str]:
    """The CLUSSDR channels that no CLUSRCVR answers: they lead to a member that no source describes."""
    answered = {channel.name for channel in cluster.channels}
    return [channel for channel in dict.fromkeys(known.senders) if not has_matching_receiver(channel, answered)]


PARTIAL_DUMP = "this dump holds {}: dmpmqcfg -a tells the rest"


@frozen
class AnsweredInquiries:
    """The DISPLAY ``commands`` whose output the logs of a queue manager hold, if only that nothing is there.

    ``alone``: nothing else tells of it, and all of its logs echo their commands.
    """

    commands: tuple[Inquiry, ...] = ()
    alone: bool = False

    @classmethod
    def at(cls, scripts: Iterable[Script], local: str, alone: bool = True) -> Self:
        """Gather what was asked at the queue manager ``local``; ``alone``: scripts are all that tells of it."""
        of = [each for each in scripts if (each.queue_manager or local) == local and not each.overlay]
        echoed = bool(of) and all(each.asked and any(one.action == "observe" for one in each.records) for each in of)
        return cls(tuple(command for log in of for command in log.asked), alone and echoed)

    def tells(self, kind: str, name: str) -> bool:
        """Return whether the displays show if there is an object of that kind and name."""
        exact, generic = self._about[kind]
        return any(each.is_exhaustive_for(kind, name) for each in (*exact.get(name, ()), *generic))

    def shows(self, kind: str, name: str, attribute: str) -> bool:
        """Return whether the displays ask for an attribute of an object of that kind and name."""
        exact, generic = self._about[kind]
        return any(each.shows((attribute,)) for each in (*exact.get(name, ()), *generic) if each.is_about(kind, name))

    def holds(self, command: str) -> bool:
        """Return whether the logs hold what ``command``, a DISPLAY, would show."""
        asked = Inquiry.of(command)
        return asked is not None and any(each.answers(asked) for each in self.commands)

    @cached_property
    def _about(self) -> TextCache:
        """By kind the commands about one object, by its name, and those of a generic name: there may be thousands."""
        return TextCache(self._about_kind)

    def _about_kind(self, kind: str) -> tuple[Mapping[str, Sequence[Inquiry]], Sequence[Inquiry]]:
        exact = dict[str, list[Inquiry]]()
        about = [each for each in self.commands if each.is_about(kind, each.name)]
        for each in about:
            exact.setdefault(each.name, []).append(each)
        return exact, [each for each in about if "*" in each.name]

    def find_missing_commands(self, name: str, kind: str) -> Iterator[tuple[str, str]]:
        """Find what no display shows of a name, as a local queue or a ``kind`` in a cluster, with the command."""
        if not all(self.tells(each, name) for each in QUEUE_KINDS if each != "QMODEL"):
            yield f"whether there is a queue {name}", f"DISPLAY QUEUE({quote_name(name)}) ALL"
        if not self.tells(kind, name):
            yield f"whether {name} is known in a cluster", f"DISPLAY {kind}({quote_name(name)}) ALL"


NO_INQUIRIES = AnsweredInquiries()


def build_coverage(scripts: Sequence[Script]) -> CombinedCoverage:
    """Gather what the scripts of one queue manager hold; a log beside a dump adds what it asked for."""
    dumps = [each.coverage for each in scripts if each.coverage and not each.overlay]
    asked = [[Coverage.asked(each.kind, each.name) for each in log.asked if not each.narrowed] for log in scripts]
    return CombinedCoverage.by([*dumps, *asked] if dumps else ())


def find_partial_dumps(scripts: Iterable[Script]) -> Iterator[Diagnostic]:
    """Find dumps of only some objects, unless another one has all, and what readers note of a file, as remarks."""
    given = list(scripts)
    for script in given:
        yield from script.notes
        if not any(each.is_whole for other in given if other.queue_manager == script.queue_manager
                   for each in other.coverage):  # fmt: skip
            for each in script.coverage:
                if not each.is_meant_whole:
                    yield Diagnostic(script.source, PARTIAL_DUMP.format(each), script.header_lines.get(ISSUED))


def has_complete_dump(scripts: Iterable[Script]) -> bool:
    """Return whether ``scripts`` have a dump with its trailer, which names every object of the queue manager."""
    return any(each.is_whole for script in scripts if BEGINNING in script.header for each in script.coverage)


def describe_truncation(script: Script) -> str:
    """Say that a dump ends before its trailer; blank if it does not."""
    if BEGINNING not in script.header or END in script.header:
        return ""
    of = f" of {script.queue_manager}" if script.queue_manager else ""
    return f"the dump {script.source}{of} ends before its trailer: its last objects are missing"


def is_complete_script(script: Script) -> bool:
    """Return whether a script names everything that a queue manager has."""
    return has_complete_dump([script]) or is_facts_script(script)


def is_facts_script(script: Script) -> bool:
    """Return whether a script also names everything in the clusters, as a facts document does."""
    return script.format in (TOML.name, JSON.name)


OWNER_INSERT = "+QMNAME+"
INSERT = re.compile(r"\+(?:AUTOCL|CONNAME|QMNAME)\+")
TEMPLATE = re.compile(r"\{\{[^{}]*\}\}|\$\{[^{}]*\}|\$\w+")

MADE, NAMED_FREELY = ("define", "alter"), ("SUB", "QMGR")
"""The actions after which an object has the name, and the kinds that may have any name, or none."""


def fill_in_inserts(script: Script, owner: str) -> Script:
    """Fill in the owner's name for +QMNAME+; in a CLUSSDR that is the name of another queue manager."""

    def fill_in(record: Record) -> Record:
        if OWNER_INSERT not in record.name or record.attributes.get("CHLTYPE") == "CLUSSDR":
            return record
        return evolve(record, name=record.name.replace(OWNER_INSERT, owner))

    has_inserts = any(OWNER_INSERT in record.name for record in script.records)
    return evolve(script, records=tuple(map(fill_in, script.records))) if has_inserts else script


def find_open_names(scripts: Iterable[Script]) -> Iterator[Diagnostic]:
    """Find names that MQ does not allow, or with an insert: one remark for each source and reason."""
    for script in scripts:
        reasons: set[str] = set()
        for record in script.records:
            if record.action in MADE and record.kind not in NAMED_FREELY:
                for name in (record.name, *record.listed("CLUSTER")):
                    reason, message = _find_name_problem(name) if NOT_IN_NAMES.search(name) else ("", "")
                    if message and reason not in reasons:
                        reasons.add(reason)
                        yield record.build_diagnostic(message)


def has_matching_receiver(sender: str, receivers: Iterable[str]) -> bool:
    """Return whether a cluster sender of that name leads to one of these cluster receivers, not its own."""
    if OWNER_INSERT not in sender:
        return sender in receivers
    pattern = re.compile(".+".join(map(re.escape, sender.split(OWNER_INSERT))))
    return sum(pattern.fullmatch(each) is not None for each in receivers) > 1


def suggest_insert(name: str, known: Iterable[str]) -> str:
    """Suggest a ``known`` name that may be ``name`` once its inserts are filled in; blank if none can be."""
    for each in known:
        inserts = INSERT.findall(each) if "+" in each else []
        if inserts and re.fullmatch(".+".join(map(re.escape, INSERT.split(each))), name):
            return f"; {quote_value(each)} may be it once {inserts[0]} is filled in: put its value there"
    return ""


def _find_name_problem(name: str) -> tuple[str, str]:
    """Why a name is none of MQ's, and how that is told; blank where it is filled in."""
    found = next((each for each in INSERT.findall(name) if each != OWNER_INSERT), None)
    if found:
        message = f"{found} is filled in by the queue manager, from its qm.ini: taken as it is written"
        return found, f"{message}, so as no name that stands elsewhere; put its value there"
    if OWNER_INSERT in name:
        return "", ""
    template = TEMPLATE.search(name)
    if template:
        return "template", f"{quote_value(template[0])} is still to be filled in: taken as it is written"
    sign = NOT_IN_NAMES.findall(name)[0]
    return "sign", f"MQ allows no {quote_value(sign)} in a name, and refuses this command; taken as it is written"
