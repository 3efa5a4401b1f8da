"""What events of administration did, for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from mqclause.answers.replay.fate import Administered

FATE_STYLES = {"waits": "yellow", "may_be_lost": "bold red", "dead_lettered": "red", "returned": "red", "stays": "red"}
"""The style of a fate; any other is green."""


def administered_lines(did: Administered) -> Iterator[Text]:
    """What an event did, a line each."""
    if did.refused is not None:
        yield Text(f"refused with {did.refused.facts['refused']}: {did.refused.because}", "red")
        return
    if not (did.changed or did.removed or did.kept or did.fates):
        yield Text("nothing changes", "dim")
    # a channel in two clusters is two routes that change alike
    for changed, attribute, value in dict.fromkeys(map(_change, did.changed)):
        yield Text.assemble((changed, "bold"), f": {attribute} is now {value or 'none'}")
    for word, rows in (("removed", did.removed), ("kept", did.kept)):
        for row in rows:
            name = row.get("channel") or row.get("queue")
            what = f"{name} of {row['queue_manager']}" if name else row["queue_manager"]
            yield Text.assemble(f"{word} ", (what, "bold"), f": {row['because']}")
    for fate in did.fates:
        to = f" to {fate.to.name}" if fate.to else ""
        said = fate.settled.becomes
        styled = (said.replace("_", " "), FATE_STYLES.get(said, "green"))
        of_exit = f" ({fate.exit.because})" if fate.exit and fate.exit.called else ""
        yield Text.assemble(f"{fate.message} ", styled, f"{to}: {fate.settled.because}{of_exit}")


def _change(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """What changed, which attribute of it and to what."""
    value = ", ".join(row["value"]) if isinstance(row["value"], list) else row["value"]
    return row.get("channel") or row["queue_manager"], row["attribute"], value
