"""``mqclause why``: which conditions for a trigger message would fail if a message were put now, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from mqclause.answers.cluster.mending import mending
from mqclause.answers.trigger.examination import Triggers
from mqclause.answers.trigger.why import PutNow, Why
from mqclause.answers.trigger.why_document import document
from mqclause.model.assembly.snapshot import Snapshot, read_sources
from mqclause.model.assembly.source import Source
from mqclause.model.diagnostic import name_suggestion
from mqclause.model.facts.objects import Queue
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.inputs import format_option, sources, what_if, what_if_options, with_option
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
from mqclause.tools.render.streams import print_json, print_warnings
from mqclause.tools.render.triggering import print_answers


@click.command("why")
@click.argument("queue")
@click.argument("facts", nargs=-1)
@from_option
@click.option("--priority", type=click.IntRange(min=0), metavar="N", help="Put with this priority, not with DEFPRTY.")
@json_option
@reading_option
@edition_option
@lenient_option
@format_option
@with_option
@what_if_options
def command(queue: str, facts: tuple[str, ...], readings: tuple[str, ...], edition: str | None, **options: Any) -> int:
    """Why does QUEUE not trigger? Every condition that would fail for a message put now, and what would change it.

    QUEUE may end in * to ask for every triggered queue. FACTS are as for explain; depth and open counts are taken
    from what states or shows them. Exit status: 0 every queue asked for would trigger, 1 one would not or that
    depends on what is not known, 2 bad input.
    """
    given = sources(facts, options.pop("overlays"), options.pop("named_format"))
    return why_files(queue, given, rules=rules_by(readings, edition), **options)


def why_files(
    name: str,
    files: Sequence[Source],
    local: str | None,
    priority: int | None,
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
    print_warnings(snapshot.warnings, snapshot.remarks)
    why, explaining = Why(rules), Triggers(rules, explaining_executor())
    answers = [why.ask(queue, snapshot, priority) for queue in queues_named(name, snapshot)]
    for answer in answers:
        check(answer, explaining)
    if as_json:
        for each in answers:
            changes = mending(why, each, snapshot, priority)
            member = each.queue.queue_manager
            told = [[{"queue_manager": member, "command": one} for one in commands] for commands in changes]
            print_json(document(each) | {"changes": told})
    else:
        print_answers(answers)
    return 0 if all(each.verdict == "triggers" for each in answers) else 1


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
        if refusal := snapshot.cluster.refusal(name, local):
            raise NothingAskedError(refusal)
        near = name_suggestion(name, [queue.name for queue in queues])
        raise NothingAskedError(f"{name!r} is not a local queue of {local}{near}")
    return found


def check(answer: PutNow, explaining: Triggers) -> None:
    """Asks another executor too, once for each set of conditions that fail. Raises DisagreementError."""
    kinds = {tuple(each.examined()): each for each in answer.found.values()}
    for found in kinds.values():
        other = explaining.examine(found.occasion)
        if not (found.run.says_the_same(other.run) and [*found.conditions] == [*other.conditions]):
            raise DisagreementError(f"{explaining.executor} and compiled differ on {answer.queue.name}")
