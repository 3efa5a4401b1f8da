"""What queues of a log name although nobody asked whether it is defined: their processes and initiation queues.

So it is with queues of a dump that was made without what they name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve

from mqclause.model.assembly.covered import covered_at
from mqclause.model.assembly.inquired import Inquired, own_scripts
from mqclause.model.assembly.joined import is_whole
from mqclause.model.assembly.shipped import with_queues
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Process, Queue
from mqclause.model.readers.facts_document import FactsDocument
from mqclause.model.readers.record import Script

TELLING: Mapping[str, str] = {"process": "PROCESS", "initq": "QLOCAL"}
"""The kind of what an attribute of a queue names."""

Untold = Mapping[str, frozenset[str]]
"""By attribute the local queues of which no source tells whether there is what the attribute names."""


def untold(scripts: Sequence[Script], documents: Iterable[FactsDocument], cluster: Cluster) -> Untold:
    """What logs and dumps of a part do not tell of the local queues; of facts documents what is ``unknown`` there."""
    given = [document.data.get("unknown", {}) for document in documents]
    if not scripts:
        return {name: frozenset().union(*(each.get(name, ()) for each in given)) for name in TELLING}
    local = cluster.queue_manager.name
    of = own_scripts(scripts, local)
    asked = Inquired.at(of, local)
    shown = {record.name for each in of for record in each.records} if all(map(_is_log, of)) else ()
    own = [each for each in cluster.queues if each.queue_manager == local and each.name in shown]
    return {
        name: frozenset(_not_asked(name, kind, of, asked, own)).union(
            _left_out(name, kind, scripts, cluster),
            _of_no_kind(name, kind, of, documents, asked, cluster),
            *(each.get(name, ()) for each in given),
        )
        for name, kind in TELLING.items()
    }


def _left_out(attribute: str, kind: str, scripts: Iterable[Script], cluster: Cluster) -> Iterator[str]:
    """The local queues whose ``attribute`` names what dumps may have left out."""
    dumps = covered_at(scripts, cluster.queue_manager.name)
    there = {"", *cluster.own_queues, *cluster.models, *(each.name for each in cluster.processes)}
    for each in cluster.own_queues.values():
        named = getattr(each, attribute)
        if named not in there and dumps.leaves_out(kind, named):
            yield each.name


def _of_no_kind(
    attribute: str, kind: str, scripts: Sequence[Script], documents: Iterable[FactsDocument], asked: Inquired,
    cluster: Cluster,
) -> Iterator[str]:  # fmt: skip
    """The local queues whose ``attribute`` names what may be in another script: these have no object of the kind.

    A dump says itself what it would tell, and so do logs, where nothing else is given. Beside a script a log tells
    what its commands asked for or, if it does not echo them, of the kinds that it shows.
    """
    told = any(each.coverage or is_whole(each) for each in scripts) or all(map(_is_log, scripts))
    if told or any(documents):
        return
    if not any(record.kind == kind for each in scripts if not each.asked for record in each.records):
        own = ((each.name, getattr(each, attribute)) for each in cluster.own_queues.values())
        yield from (name for name, named in own if named and not asked.tells(kind, named))


def taken_as_there(cluster: Cluster, nobody_asked: Untold) -> tuple[Cluster, Mapping[str, str]]:
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
    return with_queues(more, (*there,)), told | {
        name: f"{name} is a local queue: nobody asked for it" for name in queues
    }


def _is_log(script: Script) -> bool:
    return any(record.action == "observe" for record in script.records)


def _not_asked(
    attribute: str, kind: str, logs: Sequence[Script], asked: Inquired, queues: Iterable[Queue]
) -> Iterable[str]:
    shown = any(record.kind == kind for log in logs if not log.asked for record in log.records)
    return (each.name for each in queues if not (shown or asked.tells(kind, getattr(each, attribute))))
