"""Overlays: scripts that change what all other sources say of a queue manager."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from mqclause.model.assembly.change import CHANGEABLE, carried_out
from mqclause.model.assembly.channel_states import state_after
from mqclause.model.assembly.operations import told
from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.readers.record import Record, Script

if TYPE_CHECKING:
    from mqclause.model.assembly.snapshot import Snapshot

NO_CHANGE = "is not carried out on what no script describes; allowed: ALTER, START and STOP CHANNEL, SUSPEND and RESUME"
"""Of a command that would need all of an object's definition."""


NO_NAMELIST = "no script describes the namelist; allowed: CLUSTER(…)"


def upon(overlays: Iterable[Script], scripts: Sequence[Script], local: str | None) -> tuple[list[Script], list[Script]]:
    """The overlays of queue managers that ``scripts`` describe, whose commands follow theirs, and all other ones.

    A script that names no queue manager is that of the one that is local.
    """
    described = {script.queue_manager for script in scripts}
    own = local or next(iter(described - {""}), "")
    if "" in described:
        described.add(own)
    following, others = list[Script](), list[Script]()
    for each in overlays:
        (following if (each.queue_manager or own) in described else others).append(evolve(each, overlay=True))
    return following, others


def overlaid(snapshot: Snapshot, overlays: Iterable[Script]) -> Snapshot:
    """The snapshot with what ``overlays`` alter of queue managers that no script describes. Raises FactsError."""
    faults: list[Diagnostic] = []
    for script in overlays:
        owner = script.queue_manager or snapshot.cluster.queue_manager.name
        for record in script.records:
            try:
                snapshot = carried_out(snapshot, _as_change(record), owner)
            except FactsError as error:
                faults += (Diagnostic(record.source, each.message, record.line) for each in error.diagnostics)
    if faults:
        raise FactsError(faults)
    return snapshot


def _as_change(record: Record) -> Record:
    """The command as one that alters attributes; raises FactsError if it is none of those."""
    if record.action == "alter" and record.kind in CHANGEABLE:
        return record
    if record.action in ("start", "stop") and record.kind == "CHANNEL":
        return evolve(record, action="alter", attributes={"STATUS": state_after(record)}, places=())
    if record.action in ("suspend", "resume"):
        if record.listed("CLUSNL"):
            raise FactsError([told(record, f"CLUSNL: {NO_NAMELIST}")])
        suspend = "YES" if record.action == "suspend" else "NO"
        cluster = {name: value for name, value in record.attributes.items() if name == "CLUSTER"}
        return evolve(record, action="alter", attributes={"SUSPEND": suspend, **cluster}, places=())
    raise FactsError([told(record, f"{record.action.upper()} {NO_CHANGE}")])
