"""What events of administration did, for a person."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from mqclause.answers.replay.fate import Administered

FATE_STYLES = {"waits": "yellow", "may_be_lost": "bold red", "dead_lettered": "red", "returned": "red"}
"""The style of a fate; any other is green."""


def administered_lines(did: Administered) -> Iterator[Text]:
    """What an event did, a line each."""
    if not (did.changed or did.removed or did.kept or did.fates):
        yield Text("nothing changes", "dim")
    for row in did.changed:
        name = row.get("channel") or row["queue_manager"]
        value = ", ".join(row["value"]) if isinstance(row["value"], list) else row["value"]
        yield Text.assemble((name, "bold"), f": {row['attribute']} is now {value or 'none'}")
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
