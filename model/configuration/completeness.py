"""Find what an answer may need and no source tells, with the command that would tell it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from attrs import evolve, frozen

from mqclause.model.configuration.coverage import AnsweredInquiries, build_coverage_at, describe_truncation
from mqclause.model.configuration.inserts import has_matching_receiver
from mqclause.model.diagnostics import Diagnostic, quote_value
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import quote_name
from mqclause.model.readers.records import (
    QUEUE_KINDS,
    Record,
    Script,
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
        dumps = build_coverage_at(everything, script.queue_manager)
        for record in script.records:
            for attribute in filter(REFERENCED_KINDS.__contains__, record.attributes):
                for name in record.listed(attribute):
                    kind = REFERENCED_KINDS[attribute]
                    places = (script.queue_manager, kind, name), (_EVERYWHERE, kind, name)
                    is_there = name.startswith("SYSTEM.") or _is_topic(record) or not defined.isdisjoint(places)
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
    """What the scripts say of one cluster: its ``members`` that are described, and their CLUSSDR channels in it."""

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


def _is_topic(record: Record) -> bool:
    return record.attributes.get("TARGTYPE") == "TOPIC"


def _list_clusters_of_own_queues(cluster: Cluster) -> Iterator[str]:
    return (name for each in cluster.own_queues.values() for name in each.clusters)


def _find_undescribed(known: Iterable[Membership], cluster: Cluster) -> Iterator[MissingInformation]:
    for each in known:
        for channel in _find_unanswered_senders(each, cluster):
            described = f"members of {each.cluster} described: {', '.join(each.members)}"
            leads = f"{channel} leads to no described member"
            if lacking := _find_members_without_receiver(each, cluster):
                leads = f"no CLUSRCVR {channel} is described, and {', '.join(lacking)} without any in {each.cluster}"
            command = f"DISPLAY CLUSQMGR(*) CLUSTER CHANNEL WHERE(CLUSTER EQ {quote_name(each.cluster)})"
            yield MissingInformation(f"{described}; {leads}", channel, command)


def _find_members_without_receiver(known: Membership, cluster: Cluster) -> list[str]:
    """The members that are described without a CLUSRCVR in the cluster: a CLUSSDR may lead to one of them."""
    having = {each.queue_manager for each in cluster.channels if each.cluster == known.cluster}
    return [name for name in known.members if name not in having]


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
    names_others = "QCLUSTER" in kinds or any(map(_is_of_a_route, own))
    if names_others and "CLUSQMGR" not in kinds and not (cluster.remote or asked.tells("CLUSQMGR", ANY)):
        yield MissingInformation(f"no queue manager is shown that {local} knows", local, "DISPLAY CLUSQMGR(*) ALL")


def _is_of_a_route(record: Record) -> bool:
    """Whether it is the state of a channel to another member, which is in no fact without the row of that."""
    return record.kind == "CHSTATUS" and record.listed("CHLTYPE") == ("CLUSSDR",)


def _find_unanswered_senders(known: Membership, cluster: Cluster) -> list[str]:
    """The CLUSSDR channels that no CLUSRCVR answers: they lead to a member that no source describes."""
    answered = {channel.name for channel in cluster.channels}
    return [channel for channel in dict.fromkeys(known.senders) if not has_matching_receiver(channel, answered)]
