"""What definitions refer to and no source defines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mqclause.model.assembly.covered import covered_at
from mqclause.model.assembly.operations import told
from mqclause.model.diagnostic import Diagnostic, quoted
from mqclause.model.readers.record import Record, Script

_QUEUE = "queue"
REFERRED_KINDS = {
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


def defined_in(scripts: Iterable[Script]) -> Defined:
    """What the scripts define or show, and the queues that are known in clusters."""
    return frozenset(each for script in scripts for record in script.records for each in _defined(record, script))


def _defined(record: Record, script: Script) -> Iterator[tuple[str, str, str]]:
    if record.kind == "QCLUSTER" or (record.kind in _KINDS and (record.listed("CLUSTER") or record.listed("CLUSNL"))):
        yield _EVERYWHERE, _QUEUE, record.name
    if record.kind in _KINDS and record.action in ("define", "alter", "observe"):
        yield script.queue_manager, _KINDS[record.kind], record.name


def dangling(scripts: Iterable[Script], defined: Defined, everything: Sequence[Script]) -> Iterator[Diagnostic]:
    """Where the scripts name an object that is not ``defined`` and that no dump in ``everything`` may have left out.

    MQ brings those of names that begin with SYSTEM.
    """
    for script in scripts:
        dumps = covered_at(everything, script.queue_manager)
        for record in script.records:
            for attribute in REFERRED_KINDS.keys() & record.attributes.keys():
                for name in record.listed(attribute):
                    kind = REFERRED_KINDS[attribute]
                    places = (script.queue_manager, kind, name), (_EVERYWHERE, kind, name)
                    is_there = name.startswith("SYSTEM.") or _is_topic(record) or not defined.isdisjoint(places)
                    if not is_there and not dumps.leaves_out(kind.upper(), name):
                        yield told(
                            record, f"{attribute} refers to a {kind} that is nowhere defined: {quoted(name)}", attribute
                        )


def _is_topic(record: Record) -> bool:
    return record.attributes.get("TARGTYPE") == "TOPIC"
