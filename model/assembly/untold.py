"""What queues of a log name although nobody asked whether it is defined: their processes and initiation queues.

So it is with queues of a dump that was made without what they name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from mqclause.model.assembly.covered import covered_at
from mqclause.model.assembly.shipped import with_queues
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Process, Queue
from mqclause.model.readers.facts_document import FactsDocument
from mqclause.model.readers.record import Script

TELLING: Mapping[str, tuple[str, ...]] = {"process": ("PROCESS",), "initq": ("QUEUE", "QLOCAL")}
"""What DISPLAY asks for that tells whether there is what an attribute of a queue names."""

OF_QUEUES = ("QLOCAL", "QALIAS", "QREMOTE")
LOCAL_KINDS = (("QUEUE",), OF_QUEUES)
"""What DISPLAY asks for that tells all of the local queues of a name: each of the kinds of one of these."""

Untold = Mapping[str, frozenset[str]]
"""By attribute the local queues of which no source tells whether there is what the attribute names."""


@frozen
class Inquired:
    """What the DISPLAY commands of logs of the local queue manager ask for: kinds, each with a generic name."""

    commands: tuple[tuple[str, str], ...]

    def tells(self, kind: str, name: str) -> bool:
        """Whether they tell if there is such a local queue or process."""
        kinds = (kind, "QUEUE") if kind in OF_QUEUES else (kind,)
        return _fits(name, [generic for of, generic in self.commands if of in kinds])

    def lacking(self, name: str, kind: str) -> Iterator[tuple[str, str]]:
        """Whether a local queue, or a ``kind`` in a cluster, has that name: what is not told, by which command."""
        asked = {of for of, generic in self.commands if _fits(name, [generic])}
        if not any(asked.issuperset(kinds) for kinds in LOCAL_KINDS):
            yield f"whether there is a queue {name}", f"DISPLAY QUEUE('{name}') ALL"
        if kind not in asked:
            yield f"whether {name} is known in a cluster", f"DISPLAY {kind}('{name}') ALL"


def asked_at(scripts: Iterable[Script], local: str) -> Inquired | None:
    """What was asked for at the queue manager ``local``; None where it is not told by logs alone that echo commands."""
    of = _own(scripts, local)
    is_told = bool(of) and all(_is_log(each) and each.asked for each in of)
    return Inquired(tuple(command for log in of for command in log.asked)) if is_told else None


def _own(scripts: Iterable[Script], local: str) -> list[Script]:
    """What is told of the queue manager ``local``, but for what changes it."""
    return [each for each in scripts if (each.queue_manager or local) == local and not each.overlay]


def untold(scripts: Iterable[Script], documents: Iterable[FactsDocument], cluster: Cluster) -> Untold:
    """What logs and dumps of a part do not tell of the local queues; of facts documents what is ``unknown`` there."""
    local = cluster.queue_manager.name
    of = _own(scripts, local)
    given = [document.data.get("unknown", {}) for document in documents]
    shown = {record.name for each in of for record in each.records} if all(map(_is_log, of)) else ()
    own = [each for each in cluster.queues if each.queue_manager == local and each.name in shown]
    return {
        name: frozenset(_not_asked(name, kinds, of, own)).union(
            _left_out(name, kinds[-1], scripts, cluster), *(each.get(name, ()) for each in given)
        )
        for name, kinds in TELLING.items()
    }


def _left_out(attribute: str, kind: str, scripts: Iterable[Script], cluster: Cluster) -> Iterator[str]:
    """The local queues whose ``attribute`` names what dumps may have left out."""
    dumps = covered_at(scripts, cluster.queue_manager.name)
    there = {"", *cluster.own_queues, *cluster.models, *(each.name for each in cluster.processes)}
    for each in cluster.own_queues.values():
        named = getattr(each, attribute)
        if named not in there and dumps.leaves_out(kind, named):
            yield each.name


def of_logs(scripts: Sequence[Script], documents: Sequence[FactsDocument], cluster: Cluster) -> dict[str, Any]:
    """``untold``, ``asked`` and ``covered`` of a snapshot."""
    local = cluster.queue_manager.name
    asked = None if documents else asked_at(scripts, local)
    return {"untold": untold(scripts, documents, cluster), "asked": asked, "covered": covered_at(scripts, local)}


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


def _not_asked(attribute: str, kinds: Sequence[str], logs: Sequence[Script], queues: Iterable[Queue]) -> Iterable[str]:
    asked = [name for log in logs for kind, name in log.asked if kind in kinds]
    shown = any(record.kind in kinds for log in logs if not log.asked for record in log.records)
    return (each.name for each in queues if not (shown or _fits(getattr(each, attribute), asked)))


def _fits(name: str, asked: Iterable[str]) -> bool:
    return any(re.fullmatch(re.escape(each).replace(r"\*", ".*"), name) for each in asked)
