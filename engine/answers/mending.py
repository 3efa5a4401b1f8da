"""Which commands would have a message trigger that does not now: remedies of what fails, verified by the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
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
    if answer.verdict == "triggers":
        return ()
    ask = partial(_asked, why, answer, snapshot, priority)
    alone = {each: ask((each,)) for each in dict.fromkeys(_remedies(answer))}
    # A set needs for each obstacle a command that clears it: the others are not tried.
    clears = {each: answer.obstacles - after.obstacles for each, after in alone.items() if after}
    found: list[tuple[str, ...]] = []
    for count in range(1, min(len(clears), MOST_TOGETHER) + 1):
        for commands in choices(clears, count):
            enough = answer.obstacles == frozenset().union(*(clears[each] for each in commands))
            contains = any(set(smaller) <= set(commands) for smaller in found)
            if enough and not contains and _triggers(ask(commands)):
                found.append(commands)
    return tuple(found)


def _remedies(answer: PutNow) -> Iterator[str]:
    texts = [answer.remedy, *(each for doubt in answer.doubts for each in answer.remedies(doubt.condition.rule))]
    for line in "\n".join(texts).splitlines():
        if line.startswith(ALTER):
            yield line


def _asked(
    why: Why, answer: PutNow, snapshot: Snapshot, priority: int | None, commands: Sequence[str]
) -> PutNow | None:
    """The answer after ``commands``; None where they cannot be carried out."""
    queue, host = answer.queue, quoted_name(answer.queue.queue_manager)
    try:
        after = changed(snapshot, [_of(host, each.removeprefix(ALTER)) for each in commands])
    except FactsError:
        # A remedy that leaves a value to be filled in.
        return None
    return why.ask(after.cluster.own_queues[queue.name], after, priority)


def _triggers(after: PutNow | None) -> bool:
    return after is not None and after.verdict == "triggers"


def _of(host: str, change: str) -> str:
    """A change with whose object it is: the queue manager is named as such where it is altered itself."""
    return change.replace("QMGR", f"QMGR({host})", 1) if change.startswith("QMGR ") else f"{change} QMGR({host})"
