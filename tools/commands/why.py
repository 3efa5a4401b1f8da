"""``mqclause why``: which conditions for a trigger message would fail if a message were put now, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import click

from mqclause.cluster.admin_commands import find_immediate_remedies, find_remedies
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.diagnostics import quote_value, suggest_name
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Put, Queue
from mqclause.model.timeline.events import HIGHEST_GIVEN
from mqclause.render.why import print_answers
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.options import Inputs, choose_executor, group_options
from mqclause.tools.errors import DisagreementError, NothingAskedError
from mqclause.tools.output import print_json, print_rows, print_warnings
from mqclause.trigger.examination import Triggers
from mqclause.trigger.why import Why, WhyAnswer
from mqclause.workload.decision import Engine


def parse_priority(value: str | None) -> int | None:
    """Parse the priority that an option names. Raises UsageError."""
    if value is None:
        return None
    if not re.fullmatch("[0-9]{1,10}", value) or int(value) > HIGHEST_GIVEN:
        raise click.UsageError(
            f"--priority: {quote_value(value)} is not allowed; allowed: a whole number from 0 to {HIGHEST_GIVEN}"
        )
    return int(value)


@group_options(inputs=Inputs)
def explain_trigger(inputs: Inputs, queue: str, priority: str | None, as_json: bool, as_csv: bool) -> int:
    """Explain why a queue would not trigger, and return the exit status. Raises FactsError and UsageError."""
    given = parse_priority(priority)
    files, rules = inputs.read_sources(), inputs.load_rules()
    snapshot = inputs.build_snapshot(files)
    print_warnings(snapshot.warnings, snapshot.remarks)
    why, explaining = Why(rules), Triggers(rules, choose_executor())
    asked = find_named_queues(queue, snapshot, rules)
    if not asked:
        said = f"no local queue of {snapshot.cluster.queue_manager.name} that {queue!r} fits has TRIGGER"
        click.echo(said, err=as_json or as_csv)  # beside JSON, of which there is an object a queue
        return 0
    answers = [why.ask(each, snapshot, given) for each in asked]
    for answer in answers:
        check_answer(answer, explaining)
    if as_json:
        for each in answers:
            print_json(each.to_json() | {"changes": find_remedy_sets(why, each, snapshot, given)})
    elif as_csv:
        print_rows(CONDITION_COLUMNS, (row for each in answers for row in build_condition_rows(each.to_json())))
    else:
        print_answers(answers)
    return 0 if all(each.verdict == "triggers" for each in answers) else 1


CONDITION_COLUMNS = ("queue", "queue_manager", "verdict", "rule", "clause", "holds", "because", "remedy", "advice")


def build_condition_rows(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Build a row for each condition of a queue; one for a queue of which no condition is told."""
    asked = {key: document[key] for key in ("queue", "queue_manager", "verdict")}
    yield from ({**each, **asked} for each in document["conditions"] or [{}])


def find_remedy_sets(
    why: Why, answer: WhyAnswer, snapshot: Snapshot, priority: int | None
) -> list[list[dict[str, Any]]]:
    """Find the sets of commands that help; the one after which no message need be put is marked."""
    member, found = answer.queue.queue_manager, find_remedies(why, answer, snapshot, priority)
    at_once = find_immediate_remedies(why, answer, snapshot)
    if at_once and {*at_once} not in map(set, found):
        found = (at_once, *found)
    marks = ({"at_once": True} if at_once and {*commands} == {*at_once} else {} for commands in found)
    return [
        [{"queue_manager": member, "command": one, **mark} for one in commands]
        for commands, mark in zip(found, marks, strict=True)
    ]


def find_named_queues(name: str, snapshot: Snapshot, rules: Rules) -> list[Queue]:
    """Find the local queues that are asked for: of those that a generic name fits the triggered ones, if there are any.

    Raises NothingAskedError where the name fits no local queue.
    """
    local, name = snapshot.cluster.queue_manager.name, name.rstrip(" ")
    queues = [queue for queue in snapshot.cluster.queues if queue.queue_manager == local and queue.type == "QLOCAL"]
    if name.endswith("*"):
        found = [queue for queue in queues if queue.name.startswith(name[:-1])]
        if not found and name != "*":
            raise NothingAskedError(f"no local queue of {local} fits {name!r}")
        return [queue for queue in found if queue.trigger]
    found = [queue for queue in queues if queue.name == name]
    if not found:
        if refusal := snapshot.cluster.refusal(name, local):
            raise NothingAskedError(refusal)
        if other := snapshot.cluster.own_queues.get(name):
            raise NothingAskedError(describe_unknown_queue(other, snapshot.cluster, rules))
        if hosts := ", ".join(each.queue_manager for each in snapshot.cluster.queues_by_name.get(name, ())):
            raise NothingAskedError(f"{name!r} is not a local queue of {local}; it is hosted at {hosts}: ask why there")
        near = suggest_name(name, [queue.name for queue in queues])
        raise NothingAskedError(f"{name!r} is not a local queue of {local}{near}")
    return found


def describe_unknown_queue(queue: Queue, cluster: Cluster, rules: Rules) -> str:
    """Say that a queue holds no messages itself, and on which queue its messages arrive."""
    what = f"{queue.name!r} is a {queue.type}, not a local queue of {queue.queue_manager}"
    engine = Engine(rules)
    where = engine.resolve(cluster, queue.name, "", "MQPUT1")
    chosen = None if where.is_local else engine.choose(Put.as_written(queue.name, call="MQPUT1"), cluster).chosen
    comes_to = where.names[0] if where.is_local else chosen.transmission_queue if chosen is not None else ""
    lies_on = cluster.own_queues.get(comes_to or "")
    if lies_on is None or lies_on.type != "QLOCAL":
        return what
    return f"{what}: what is put to it comes to {lies_on.name}; ask mqclause why {lies_on.name}"


def check_answer(answer: WhyAnswer, explaining: Triggers) -> None:
    """Ask another executor too, once for each set of conditions that fail. Raises DisagreementError."""
    kinds = {tuple(each.list_examined_rules()): each for each in answer.found.values()}
    for found in kinds.values():
        other = explaining.examine(found.occasion)
        if not (found.run.is_same_result(other.run) and [*found.conditions] == [*other.conditions]):
            raise DisagreementError(f"{explaining.executor} and compiled differ on {answer.queue.name}")
