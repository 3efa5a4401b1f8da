"""``mqclause why``: which conditions for a trigger message would fail if a message were put now, and what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import click
from attrs import evolve, frozen
from rich.console import Console
from rich.text import Text

from mqclause.answers.examination import Examination, Triggers
from mqclause.model.assembly.snapshot import Snapshot, Source, read_sources
from mqclause.model.diagnostic import name_suggestion
from mqclause.model.facts.objects import Queue
from mqclause.model.timeline.occasion import Occasion
from mqclause.model.timeline.queue_manager_state import QueueManagerState
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.inputs import sources, what_if, what_if_options
from mqclause.tools.commands.options import (
    edition_option,
    explaining_executor,
    from_option,
    json_option,
    lenient_option,
    reading_option,
    rules_by,
)
from mqclause.tools.errors import DisagreementError, NothingAskedError
from mqclause.tools.render.terminal import PLAIN_WIDTH

PREVIOUS = ("previous_depth", "previous_total", "previous_committed", "previous_committed_total")
COUNTED = ("depth", "depth_total", "committed", "committed_total")


@frozen(eq=False)
class Answer:
    """What the rules say of one queue, and what was not known but taken to be so."""

    queue: Queue
    examination: Examination
    assumed: tuple[str, ...]


@click.command("why")
@click.argument("queue")
@click.argument("facts", nargs=-1)
@from_option
@json_option
@reading_option
@edition_option
@lenient_option
@what_if_options
def command(queue: str, facts: tuple[str, ...], readings: tuple[str, ...], edition: str | None, **options: Any) -> int:
    """Why does QUEUE not trigger? Every condition that would fail for a message put now, and what would change it.

    QUEUE may end in * to ask for every triggered queue. FACTS are as for explain; depth and open counts are taken
    from a dump that has them. Exit status: 0 every queue asked for would trigger, 1 one would not, 2 bad input.
    """
    return why_files(queue, sources(facts), rules=rules_by(readings, edition), **options)


def why_files(
    name: str,
    files: Sequence[Source],
    local: str | None,
    as_json: bool,
    rules: Rules,
    lenient: bool,
    sets: Sequence[str] = (),
    states: Sequence[str] = (),
) -> int:
    """Answers for the queue ``name``, or for each triggered queue that a generic name (``*`` at its end) fits.

    Returns 0 if a message put now would trigger on every queue asked for, else 1. Raises FactsError,
    NothingAskedError and DisagreementError.
    """
    snapshot = what_if(read_sources(files, local, lenient), sets, states)
    triggers = Triggers(rules, explaining_executor()), Triggers(rules)
    answers = [answer_about(queue, snapshot, *triggers) for queue in queues_named(name, snapshot)]
    if as_json:
        print(json.dumps([document(each) for each in answers], ensure_ascii=False))  # noqa: T201
    else:
        print_answers(answers)
    return 0 if all(each.examination.rule for each in answers) else 1


def queues_named(name: str, snapshot: Snapshot) -> list[Queue]:
    """The local queues that are asked for; raises NothingAskedError if there is none."""
    local = snapshot.cluster.queue_manager.name
    queues = [queue for queue in snapshot.cluster.queues if queue.queue_manager == local and queue.type == "QLOCAL"]
    if name.endswith("*"):
        found = [queue for queue in queues if queue.trigger and queue.name.startswith(name[:-1])]
        if not found:
            raise NothingAskedError(f"no local queue of {local} with TRIGGER fits {name!r}")
        return found
    found = [queue for queue in queues if queue.name == name]
    if not found:
        near = name_suggestion(name, [queue.name for queue in queues])
        raise NothingAskedError(f"{name!r} is not a local queue of {local}{near}")
    return found


def answer_about(queue: Queue, snapshot: Snapshot, explaining: Triggers, compiled: Triggers) -> Answer:
    """What would fail for a message of the default priority, put to ``queue`` now outside any unit of work."""
    occasion, assumed = occasion_now(queue, snapshot)
    examination, other = explaining.examine(occasion), compiled.examine(occasion)
    same = examination.run.says_the_same(other.run) and [*examination.conditions] == [*other.conditions]
    if not same:
        raise DisagreementError(f"{explaining.executor} and compiled differ on {queue.name}")
    return Answer(queue, examination, tuple(assumed))


def occasion_now(queue: Queue, snapshot: Snapshot) -> tuple[Occasion, list[str]]:
    """The arrival of a message, with the depth and the open counts of the dump; and what had to be assumed."""
    state = QueueManagerState.of(snapshot.cluster)
    assumed: list[str] = []
    depth = _observed(queue.name, "CURDEPTH", 0, snapshot, assumed)
    served = _observed(queue.name, "IPPROCS", 0, snapshot, assumed)
    monitors = _observed(queue.initq, "IPPROCS", 0, snapshot, assumed) if queue.initq else 0
    if depth:
        assumed.append(f"each of the {depth} messages has priority TRIGMPRI or higher")
    assumed.append("no trigger message has been written yet")
    now = state.occasion_of("arrival", queue, state, message_priority=queue.defprty, arrived=1)
    counts = {**dict.fromkeys(PREVIOUS, depth), **dict.fromkeys(COUNTED, depth + 1)}
    seen: dict[str, Any] = {**counts, "open_input_count": served, "initq_open_input_count": monitors}
    return evolve(now, **seen), assumed


def _observed(queue: str, attribute: str, default: int, snapshot: Snapshot, assumed: list[str]) -> int:
    value = snapshot.observed.get((queue, snapshot.cluster.queue_manager.name), {}).get(attribute, "")
    if value.isdecimal():
        return int(value)
    assumed.append(f"{attribute} of {queue} is {default}")
    return default


def document(given: Answer) -> dict[str, Any]:
    """An answer as JSON values."""
    examination = given.examination
    conditions = [
        {"rule": each.rule.id, "clause": each.rule.clause, "holds": each.holds}
        | ({} if each.holds else {"because": each.because, "remedy": each.remedy or None})
        for each in examination.conditions
    ]
    return {
        "queue": given.queue.name,
        "triggers": examination.rule is not None,
        "rule": examination.rule.id if examination.rule else None,
        "conditions": conditions,
        "assumptions": list(given.assumed),
    }


def print_answers(answers: Sequence[Answer], console: Console | None = None) -> None:
    """Prints for each queue what fails, because of what, and the command that would change it."""
    console = console or Console(highlight=False)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    for index, given in enumerate(answers):
        if index:
            console.print()
        for line in lines(given):
            console.print(line)


def lines(given: Answer) -> Iterator[Text]:
    """One answer, line by line."""
    queue, examination = given.queue, given.examination
    kind = f"{'TRIGGER' if queue.trigger else 'NOTRIGGER'} TRIGTYPE({queue.trigtype})"
    if examination.rule is not None:
        yield Text.assemble((queue.name, "bold"), f"  {kind}: ", ("a message put now would trigger", "bold green"))
        yield Text(f"  clause {examination.rule.clause}: {examination.rule.title}")
    else:
        yield Text.assemble((queue.name, "bold"), f"  {kind}: ", ("a message put now would not trigger", "bold red"))
        for each in examination.holding_back:
            yield Text.assemble(f"  {each.rule.clause:>4}  ", each.because)
            if each.remedy:
                yield Text.assemble("        ", (each.remedy, "dim"))
    for assumption in given.assumed:
        yield Text(f"  assumed: {assumption}", "dim")
