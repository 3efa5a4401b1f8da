"""Which commands would have a message trigger that does not now: remedies of what fails, verified by the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations as choices

from mqclause.answers.commands import quoted_name
from mqclause.answers.why import PutNow, Why
from mqclause.model.assembly.change import changed
from mqclause.model.assembly.snapshot import Snapshot
from mqclause.model.diagnostic import FactsError

ALTER = "ALTER "
MOST_TOGETHER = 4
"""How many commands a set has at most."""


def mending(why: Why, answer: PutNow, snapshot: Snapshot, priority: int | None = None) -> tuple[tuple[str, ...], ...]:
    """The smallest sets of commands of the queue's queue manager after which a message put now triggers.

    They are remedies of what fails that alter an object, also those that are told nowhere else because another comes
    first; each set is verified on the changed facts. Empty where it triggers already, and where something else is in
    the way as well or decides: what is not defined or not open.
    """
    found: list[tuple[str, ...]] = []
    if answer.verdict == "triggers":
        return ()
    remedies = list(dict.fromkeys(_remedies(answer)))
    for count in range(1, min(len(remedies), MOST_TOGETHER) + 1):
        for commands in choices(remedies, count):
            contains = any(set(smaller) <= set(commands) for smaller in found)
            if not contains and _triggers(why, answer, snapshot, commands, priority):
                found.append(commands)
    return tuple(found)


def _remedies(answer: PutNow) -> Iterator[str]:
    texts = [answer.remedy, *(each for doubt in answer.doubts for each in answer.remedies(doubt.condition.rule))]
    for line in "\n".join(texts).splitlines():
        if line.startswith(ALTER):
            yield line


def _triggers(why: Why, answer: PutNow, snapshot: Snapshot, commands: Sequence[str], priority: int | None) -> bool:
    queue, host = answer.queue, quoted_name(answer.queue.queue_manager)
    try:
        after = changed(snapshot, [_of(host, each.removeprefix(ALTER)) for each in commands])
    except FactsError:
        # A remedy that leaves a value to be filled in.
        return False
    return why.ask(after.cluster.own_queues[queue.name], after, priority).verdict == "triggers"


def _of(host: str, change: str) -> str:
    """A change with whose object it is: the queue manager is named as such where it is altered itself."""
    return change.replace("QMGR", f"QMGR({host})", 1) if change.startswith("QMGR ") else f"{change} QMGR({host})"
