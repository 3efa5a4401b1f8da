"""What if, in scripts: changes as the commands that their queue managers would run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mqclause.model.assembly.change import BESIDES, OPTION, WhatIf, read_change
from mqclause.model.readers.record import Record, Script, Value

OTHER_WAY = {"CLUSTER": "CLUSNL", "CLUSNL": "CLUSTER"}
"""Two attributes that say the same, of which one alone is stated."""


def scripts_after(
    scripts: Iterable[Script], overlays: Iterable[Script], commands: Iterable[str], left_out: Iterable[str]
) -> list[Script]:
    """What the scripts are after a change: overlays run, ``commands`` as --set takes them, members that leave.

    States of channels and suspensions are no part of a configuration. Raises FactsError.
    """
    gone = frozenset(left_out)
    found = [*scripts, *overlays]
    for text in commands:
        found.extend(_altering(read_change(text), found))
    return [each for each in found if each.queue_manager not in gone]


def _altering(change: WhatIf, scripts: Sequence[Script]) -> Iterator[Script]:
    attributes: dict[str, Value] = {
        name: value for name, value in change.attributes.items() if name not in BESIDES.get(change.kind, ())
    }
    attributes |= {OTHER_WAY[name]: "" for name in change.attributes if name in OTHER_WAY}
    owner = (change.name if change.kind == "QMGR" else change.owner) or _owner_of(change, scripts)
    if attributes:
        name = "" if change.kind == "QMGR" else change.name
        yield Script(OPTION, owner, (Record("alter", change.kind, name, attributes, source=OPTION),))


def _owner_of(change: WhatIf, scripts: Iterable[Script]) -> str:
    """Whose object it is, where the change does not say."""
    for script in scripts:
        for record in script.records:
            is_sender = change.kind == "CHANNEL" and record.attributes.get("CHLTYPE") != "CLUSRCVR"
            if (record.kind, record.name) == (change.kind, change.name) and not is_sender:
                return script.queue_manager
    return ""
