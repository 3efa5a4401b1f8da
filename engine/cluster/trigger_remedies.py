"""Search for the smallest sets of commands after which a message would trigger."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations as choices
from itertools import product
from typing import Any

from attrs import Attribute, fields

from mqclause.cluster.admin_commands import find_deciding_attributes
from mqclause.documents import TRIGGER
from mqclause.executors.pipeline import Pipeline
from mqclause.model.configuration.snapshot import Snapshot, apply_changes
from mqclause.model.diagnostics import FactsError
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.domains import NAME_OR_BLANK, Flag, Whole, Words, quote_name
from mqclause.model.facts.objects import Queue
from mqclause.model.timeline.events import Event
from mqclause.model.timeline.trigger_events import TriggerEvent
from mqclause.trigger.why import Why, WhyAnswer

ALTER = "ALTER "
MOST_COMMANDS = 4
"""How many commands a set has at most."""

MOST_SETTINGS = 2
"""How many commands a set has at most that no condition names as its remedy."""

MOST_VALUES = 100
"""A number that can have more values than that is not tried with each of them."""

OPEN_NAME = "'…'"
"""In a remedy: a name that is to be filled in."""

_TOLD_APART_BY = [
    each for each in fields(Queue)
    if each.name == "ipprocs" or isinstance(each.metadata["domain"], Flag | Words)
]  # fmt: skip

Ask = Callable[[Sequence[str]], WhyAnswer | None]
"""The answer after some commands; None where they cannot be carried out."""

RemedyTest = Callable[[Sequence[str]], bool]
"""Whether a message put after some commands triggers."""

RemedySets = dict[frozenset[str], tuple[str, ...]]
"""Sets of commands by the attributes that they set."""


def find_remedies(
    why: Why, answer: WhyAnswer, snapshot: Snapshot, priority: int | None = None
) -> tuple[tuple[str, ...], ...]:
    """Find the smallest sets of commands of the queue's queue manager after which a message put now triggers.

    They are remedies of what fails that alter an object, also those that are told nowhere else because another comes
    first, with each name where one is left open; and up to MOST_SETTINGS other values of what the rules look at of the
    queue, and of the queues that it names or could. Each set is verified on the changed facts. Empty where it triggers
    already, and where something else is in the way as well or decides: what is not defined or not open.
    """
    if answer.verdict == "triggers":
        return ()
    ask, mends = partial(_asked, why, answer, snapshot, priority), partial(_mends, why, answer, snapshot, priority)
    open_remedies = list(_remedies(answer))
    names = _names(answer.queue, snapshot.cluster) if any(OPEN_NAME in each for each in open_remedies) else [""]
    filled = (each.replace(OPEN_NAME, quote_name(name)) for each in open_remedies for name in names)
    remedies = list(dict.fromkeys(filled))
    asked = find_deciding_attributes(Pipeline.of(why.triggers.rules, TRIGGER))
    settings = _settings(answer.queue, asked, snapshot.cluster.own_queues, names)
    found = _few(_by_name([*remedies, *settings]), mends)
    return tuple(_with_more(found, answer, remedies, ask, mends).values())


def find_immediate_remedies(why: Why, answer: WhyAnswer, snapshot: Snapshot) -> tuple[str, ...]:
    """Find the fewest remedies that alter something and make the queue trigger without a further message.

    The rules say so of each command's own event, whatever is true of what is not known. Empty where no such remedies
    are told, and where a message put now triggers or fails anyway.
    """
    if answer.verdict == "triggers" or answer.reason is not None:
        return ()
    remedies = dict.fromkeys(doubt.condition.remedy for doubt in answer.doubts)
    lines = [each.splitlines() for each in remedies if OPEN_NAME not in each]
    left = [line for each in lines if all(line.startswith(ALTER) for line in each) for line in each]
    if not _trigger_at_once(why, answer, snapshot, left):
        return ()
    for each in tuple(left):
        fewer = [other for other in left if other is not each]
        left = fewer if _trigger_at_once(why, answer, snapshot, fewer) else left
    return tuple(left)


def _trigger_at_once(why: Why, answer: WhyAnswer, snapshot: Snapshot, commands: Sequence[str]) -> bool:
    """Whether one of ``commands``, carried out one after the other, has a trigger message written for the queue."""
    events, before = list[Event](), snapshot
    for each in commands:
        after = _after(answer.queue, before, [each])
        if after is None:
            return False
        events += _alterations(before.cluster.own_queues, after.cluster.own_queues)
        before = after
    return why.is_triggered_by(events, answer, snapshot)


def _alterations(before: Mapping[str, Queue], after: Mapping[str, Queue]) -> Iterator[Event]:
    """What the local queues have otherwise, as events that alter them so."""
    for name, queue in before.items():
        values = {each.name: getattr(after[name], each.name) for each in fields(Queue)}
        others = {each: value for each, value in values.items() if value != getattr(queue, each)}
        if others:
            yield Event(do="alter", queue=name, set=others)


def _few(settings: Mapping[str, Sequence[str]], mends: RemedyTest) -> RemedySets:
    """The sets of up to MOST_SETTINGS commands, each with the nearest values that do."""
    found: RemedySets = {}
    for count in range(1, MOST_SETTINGS + 1):
        for names in choices(settings, count):
            if not any(smaller.issubset(names) for smaller in found):
                tried = product(*(settings[name] for name in names))
                enough = next((commands for commands in tried if mends(commands)), None)
                found |= {frozenset(names): enough} if enough else {}
    return found


def _with_more(
    found: RemedySets, answer: WhyAnswer, remedies: Sequence[str], ask: Ask, mends: RemedyTest
) -> RemedySets:
    """These, and the larger sets of remedies. A set needs for each obstacle a command that clears it."""
    alone = {each: ask((each,)) for each in remedies}
    clears = {each: answer.obstacles - after.obstacles for each, after in alone.items() if after}
    for count in range(MOST_SETTINGS + 1, min(len(clears), MOST_COMMANDS) + 1):
        for commands in choices(clears, count):
            names = frozenset(map(_name_of, commands))
            enough = answer.obstacles == frozenset().union(*(clears[each] for each in commands))
            contains = any(smaller <= names for smaller in found)
            if enough and not contains and mends(commands):
                found = {**found, names: commands}
    return found


def _by_name(commands: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Commands by the attribute that they set, in their order."""
    found: dict[str, list[str]] = {}
    for command in dict.fromkeys(commands):
        found.setdefault(_name_of(command), []).append(command)
    return found


def _name_of(command: str) -> str:
    """The object and the attribute that a command sets; its value is in brackets at the end."""
    return command.rpartition("(")[0] if command.endswith(")") else command


def _settings(queue: Queue, asked: Collection[str], own: Mapping[str, Queue], others: Sequence[str]) -> Iterator[str]:
    """Every other value of what the rules look at of a queue, and of those that it names or could, the nearest first.

    Of a queue that ``initq`` names they look at what an Occasion has as ``initq_get`` and the like.
    """
    seen = {each.name for each in fields(TriggerEvent)} & set(asked)
    for each in fields(Queue):
        if each.name in seen:
            yield from _values(queue, each)
            names = [getattr(queue, each.name), *others] if each.metadata["domain"] is NAME_OR_BLANK else []
            for named in (own[name] for name in dict.fromkeys(names) if name in own):
                for of in (of for of in fields(Queue) if f"{each.name}_{of.name}" in seen):
                    yield from _values(named, of)


def _values(queue: Queue, of: Attribute[Any]) -> Iterator[str]:
    """The commands that give one attribute of a queue another value."""
    head = f"{ALTER}QLOCAL({quote_name(queue.name)}){' QSGDISP(SHARED)' if queue.shared else ''}"
    domain, before = of.metadata["domain"], getattr(queue, of.name)
    if isinstance(domain, Flag) and not before:
        yield f"{head} {of.name.upper()}"
    elif isinstance(domain, Words):
        yield from (f"{head} {of.name.upper()}({word})" for word in domain.words if word != before)
    elif isinstance(domain, Whole):
        # Of a number that messages are counted against: as many as there are with the one that is put.
        depth = (queue.curdepth or 0) + 1
        values = range(domain.low, domain.high + 1) if domain.high <= MOST_VALUES else {domain.low, depth}
        others = sorted((value for value in values if value != before), key=lambda value: abs(value - before))
        yield from (f"{head} {of.name.upper()}({value})" for value in others)


def _remedies(answer: WhyAnswer) -> Iterator[str]:
    texts = [answer.remedy, *(each for doubt in answer.doubts for each in answer.remedies(doubt.condition.rule))]
    return (line for line in "\n".join(texts).splitlines() if line.startswith(ALTER))


def _names(queue: Queue, cluster: Cluster) -> list[str]:
    """What the queue could name: a process, or a local queue; one of those queues that no rule tells apart."""
    others = [each for each in cluster.own_queues.values() if each.type == "QLOCAL" and each is not queue]
    others.sort(key=lambda each: each.ipprocs or 0)
    alike = {tuple(getattr(each, of.name) for of in _TOLD_APART_BY): each.name for each in others}
    return [*(each.name for each in cluster.processes), *reversed(alike.values()), ""]


def _asked(
    why: Why, answer: WhyAnswer, snapshot: Snapshot, priority: int | None, commands: Sequence[str]
) -> WhyAnswer | None:
    """The answer after ``commands``; None where they cannot be carried out."""
    after = _after(answer.queue, snapshot, commands)
    return None if after is None else why.ask(after.cluster.own_queues[answer.queue.name], after, priority)


def _mends(why: Why, answer: WhyAnswer, snapshot: Snapshot, priority: int | None, commands: Sequence[str]) -> bool:
    """Whether a message put after ``commands`` triggers; not where they cannot be carried out."""
    after = _after(answer.queue, snapshot, commands)
    return after is not None and why.is_triggered(after.cluster.own_queues[answer.queue.name], after, priority)


def _after(queue: Queue, snapshot: Snapshot, commands: Sequence[str]) -> Snapshot | None:
    try:
        return apply_changes(
            snapshot, [_of(quote_name(queue.queue_manager), each.removeprefix(ALTER)) for each in commands]
        )
    except FactsError:
        # A name was filled in that is none of such an object.
        return None


def _of(host: str, change: str) -> str:
    """A change with whose object it is: the queue manager is named as such where it is altered itself."""
    return change.replace("QMGR", f"QMGR({host})", 1) if change.startswith("QMGR ") else f"{change} QMGR({host})"
