"""What dumps do not tell although it could change an answer: members that nobody describes, dumps that were cut."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from attrs import evolve, frozen

from mqclause.model.assembly.inquired import Inquired
from mqclause.model.assembly.inserts import answers
from mqclause.model.facts.cluster import Cluster
from mqclause.model.readers.inquiry import QUEUE_KINDS
from mqclause.model.readers.mqsc.script import BEGINNING, END
from mqclause.model.readers.record import Record, Script

ANY = "*"
"""The name by which a command asks for all objects of a kind."""

EVERY_STATE = "DISPLAY CLUSQMGR(*) CHANNEL STATUS"
"""What tells the states of all cluster channels at once."""


@frozen
class Incomplete:
    """Something that no source tells: ``what`` in words, the MQ ``object`` it is about, the ``command`` that tells."""

    what: str
    object: str
    command: str

    @property
    def about(self) -> str:
        """The object, as a list of what is not known names it."""
        return self.object


@frozen
class CutDump(Incomplete):
    """A dump of the queue manager that is the object ends before its trailer."""

    @property
    def about(self) -> str:
        return f"{self.object}, whose dump ends before its trailer"


@frozen
class AtOthers(Incomplete):
    """Something that others tell, whatever was asked at the local queue manager."""


@frozen
class Membership:
    """What the scripts say of one cluster: its ``members`` that are described, and their CLUSSDR channels in it."""

    cluster: str
    members: tuple[str, ...]
    senders: tuple[str, ...]


def incomplete(
    scripts: Iterable[Script], known: Sequence[Membership], cluster: Cluster, asked: Inquired
) -> tuple[Incomplete, ...]:
    """Everything that is not told about the clusters of the local queue manager, where nobody ``asked`` for it."""
    of = list(scripts)
    undescribed = () if asked.tells("CLUSQMGR", ANY) else _undescribed(known, cluster)
    return (*cut_dumps(of), *undescribed, *_without_routes(of, cluster, asked), *_not_displayed(of, cluster, asked))


def still_asking(found: Iterable[Incomplete], asked: Inquired) -> Iterator[Incomplete]:
    """What is not known, without a command where the sources hold the output of that."""
    for each in found:
        is_told = not isinstance(each, AtOthers) and asked.holds(each.command)
        yield evolve(each, command="") if is_told else each


def taken_as_whole(known: Iterable[Membership], cluster: Cluster) -> Iterator[str]:
    """The clusters of which nothing says that there are more members, as assumptions."""
    for each in known:
        if each.members and not _leading_nowhere(each, cluster):
            taken = "all members" if len(each.members) > 1 else "the only member"
            yield f"taken as {taken} of {each.cluster}: {', '.join(each.members)}"


def taken_as_alone(known: Container[str], cluster: Cluster) -> Iterator[str]:
    """The clusters of its own queues that nothing else of the local queue manager names: it is taken as alone there."""
    own = cluster.queue_manager
    for each in dict.fromkeys(_of_own_queues(cluster)):
        if each not in known and each not in own.clusters:
            yield f"taken as the only host in {each}: {own.name}, of which no channel in {each} is told"


def _of_own_queues(cluster: Cluster) -> Iterator[str]:
    return (name for each in cluster.own_queues.values() for name in each.clusters)


def _undescribed(known: Iterable[Membership], cluster: Cluster) -> Iterator[Incomplete]:
    for each in known:
        for channel in _leading_nowhere(each, cluster):
            described = f"members of {each.cluster} described: {', '.join(each.members)}"
            leads = f"{channel} leads to no described member"
            if lacking := _without_receiver(each, cluster):
                leads = f"no CLUSRCVR {channel} is described, and {', '.join(lacking)} without any in {each.cluster}"
            command = f"DISPLAY CLUSQMGR(*) CLUSTER CHANNEL WHERE(CLUSTER EQ '{each.cluster}')"
            yield Incomplete(f"{described}; {leads}", channel, command)


def _without_receiver(known: Membership, cluster: Cluster) -> list[str]:
    """The members that are described without a CLUSRCVR in the cluster: a CLUSSDR may lead to one of them."""
    having = {each.queue_manager for each in cluster.channels if each.cluster == known.cluster}
    return [name for name in known.members if name not in having]


def _without_routes(scripts: Iterable[Script], cluster: Cluster, asked: Inquired) -> Iterator[Incomplete]:
    """The hosts of displayed cluster queues to which no channel is displayed, although nobody asked for it."""
    rows = [record for script in scripts for record in script.records if record.kind == "QCLUSTER"]
    shown = dict.fromkeys(" ".join(record.listed("CLUSQMGR")) for record in rows)
    for host in shown:
        has_route = host not in cluster.remote or host in cluster.channels_by_queue_manager
        if not (has_route or asked.tells("CLUSQMGR", host)):
            what = f"{host} has cluster queues, and no channel to it is shown"
            yield Incomplete(what, host, f"DISPLAY CLUSQMGR('{host}') ALL")


def _not_displayed(scripts: Iterable[Script], cluster: Cluster, asked: Inquired) -> Iterator[Incomplete]:
    """What a log of the local queue manager does not show any of, and does not say that nothing is there."""
    local = cluster.queue_manager.name
    own = [record for script in scripts if script.queue_manager in ("", local) for record in script.records]
    kinds = {record.kind for record in own}
    if not any(record.action == "observe" for record in own) or any(record.action == "define" for record in own):
        return
    described = any(each.action == "define" for script in scripts for each in script.records)
    none_shown = kinds.isdisjoint(("QCLUSTER",)) and not asked.tells("QCLUSTER", ANY)
    clusters = (*cluster.queue_manager.clusters, *_of_own_queues(cluster))
    if clusters and none_shown and not described:
        what = f"no queue is shown that {local} knows in its clusters"
        yield Incomplete(what, local, "DISPLAY QCLUSTER(*) ALL")
    if kinds.isdisjoint(QUEUE_KINDS) and not all(asked.tells(each, ANY) for each in QUEUE_KINDS):
        yield Incomplete(f"no queue of {local}'s own is shown", local, "DISPLAY QUEUE(*) ALL")
    names_others = "QCLUSTER" in kinds or any(map(_is_of_a_route, own))
    if names_others and "CLUSQMGR" not in kinds and not (cluster.remote or asked.tells("CLUSQMGR", ANY)):
        yield Incomplete(f"no queue manager is shown that {local} knows", local, "DISPLAY CLUSQMGR(*) ALL")


def _is_of_a_route(record: Record) -> bool:
    """Whether it is the state of a channel to another member, which is in no fact without the row of that."""
    return record.kind == "CHSTATUS" and record.listed("CHLTYPE") == ("CLUSSDR",)


def _leading_nowhere(known: Membership, cluster: Cluster) -> list[str]:
    """The CLUSSDR channels that no CLUSRCVR answers: they lead to a member that no source describes."""
    answered = {channel.name for channel in cluster.channels}
    return [channel for channel in dict.fromkeys(known.senders) if not answers(channel, answered)]


def cut_dumps(scripts: Iterable[Script]) -> Iterator[Incomplete]:
    """The dumps that end before their trailer."""
    for script in scripts:
        if what := cut_dump(script):
            owner = script.queue_manager
            yield CutDump(what, owner, f"dmpmqcfg -m {owner} -a")


def names_all(scripts: Iterable[Script]) -> bool:
    """Whether a dump of a queue manager that has its trailer is among its ``scripts``: it names each object."""
    return any(each.is_whole for script in scripts if BEGINNING in script.header for each in script.coverage)


def cut_dump(script: Script) -> str:
    """That a dump ends before its trailer; blank if it does not."""
    of = f" of {script.queue_manager}" if script.queue_manager else ""
    return (
        f"the dump {script.source}{of} ends before its trailer: its last objects are missing"
        if _is_cut(script.header)
        else ""
    )


def _is_cut(header: Mapping[str, str]) -> bool:
    return BEGINNING in header and END not in header
