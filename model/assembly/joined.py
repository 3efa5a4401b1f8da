"""In which clusters a queue manager is, by its own files: as it sees it, and as the others do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mqclause.model.assembly.inserts import INSERT
from mqclause.model.assembly.mq_object import MqObject
from mqclause.model.assembly.objects import CLUSTER_CHANNELS, Objects
from mqclause.model.readers.json_facts import JSON
from mqclause.model.readers.mqsc.script import BEGINNING
from mqclause.model.readers.record import Script
from mqclause.model.readers.toml_facts import TOML


def own_clusters(member: Objects) -> tuple[str, ...]:
    """The clusters that its channels and its REPOS name: it has to do with these."""
    return tuple(dict.fromkeys(cluster for each in clustered(member) for cluster in each.clusters))


def clustered(member: Objects) -> tuple[MqObject, ...]:
    """Its objects that put it into clusters."""
    return (*member.channels("CLUSRCVR"), *member.channels("CLUSSDR"), *member.of("QMGR"))


def seen_of(joined: frozenset[str] | None, clusters: Iterable[str]) -> tuple[str, ...]:
    """Those of the ``clusters`` of an object in which others learn of it, whose queue manager has ``joined`` these."""
    return tuple(each for each in clusters if joined is None or each in joined)


def unjoined(member: Objects) -> tuple[str, ...]:
    """The clusters that it has to do with, and others do not learn of it in."""
    joined = joined_clusters(member)
    return tuple(each for each in own_clusters(member) if joined is not None and each not in joined)


def outsiders(local: str, strangers: Iterable[str], unjoined: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Who is outside the clusters of the queue manager ``local``, as assumptions."""
    for name, cluster in unjoined:
        yield f"{name} has no CLUSRCVR in cluster {cluster}: nobody there learns of it"
    without = {name for name, _ in unjoined}
    if names := [each for each in strangers if each not in without]:
        yield f"{local} shares no cluster with {', '.join(names)} and knows nothing of what is there"


def joined_clusters(member: Objects) -> frozenset[str] | None:
    """The clusters in which it has a receiver. None where its files would not tell, or leave one to qm.ini."""
    channels = [each for kind in CLUSTER_CHANNELS for each in member.channels(kind)]
    defined = any(each.clusters and each.record.action == "define" for each in channels)
    names_any = any(INSERT.search(name) for each in channels for name in each.clusters)
    if any(map(is_facts, member.scripts)) or names_any or not (defined or any(map(is_whole, member.scripts))):
        return None
    rows = (row for row in member.rows if row.kind == "CLUSQMGR" and row.name == member.name)
    shown = frozenset(row.text("CLUSTER") for row in rows)
    return shown.union(*(each.clusters for each in channels if each.type == "CLUSRCVR"))


def is_whole(script: Script) -> bool:
    """Whether it names all that a queue manager has."""
    return (BEGINNING in script.header and any(each.is_whole for each in script.coverage)) or is_facts(script)


def is_facts(script: Script) -> bool:
    """Whether it also tells all that there is in its clusters, as a facts document does."""
    return script.format in (TOML.name, JSON.name)
