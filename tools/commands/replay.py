"""``mqclause replay``: a scenario as a timeline for a person, or one JSON object for each event."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, BinaryIO, TypeVar

import click
from rich.markup import escape
from rich.text import Text

from mqclause.answers.choice.decision import Decision
from mqclause.answers.replay.replay import Replay
from mqclause.answers.replay.replay_document import row_document
from mqclause.answers.replay.replay_row import Row
from mqclause.answers.trigger.examination import Examination
from mqclause.executors.run import ExecutorName
from mqclause.model.assembly.snapshot import Snapshot, read_sources
from mqclause.model.assembly.source import Source
from mqclause.model.diagnostic import FactsError
from mqclause.model.facts.destination import Destination
from mqclause.model.readers.json_facts import parse_json
from mqclause.model.timeline.event import Event
from mqclause.model.timeline.scenario import Scenario, read_scenario_source, scenario_of
from mqclause.tools.commands.exit_options import exit_options, given_exits, print_not_named
from mqclause.tools.commands.explain_lines import decoded, error_line
from mqclause.tools.commands.inputs import facts_options, overlay_sources, sources, what_if
from mqclause.tools.commands.options import (
    content,
    content_lines,
    edition_option,
    json_option,
    only_lines,
    reading_option,
    rules_by,
)
from mqclause.tools.render.administering import administered_lines
from mqclause.tools.render.alteration import settings
from mqclause.tools.render.exit_answer import exit_lines
from mqclause.tools.render.page import Page
from mqclause.tools.render.returned import failed_by, returned_lines
from mqclause.tools.render.streams import json_line, print_warnings

Made = TypeVar("Made")

EVENT = 6
"""The column in which an event begins, behind its number."""

HELD_BACK = 100_000
"""How many rows are held back before the first is written."""

PROGRESS_EVERY = 100_000
"""After how many rows progress is shown on a terminal."""


@click.command("replay")
@click.argument("scenario", nargs=-1)
@json_option
@reading_option
@edition_option
@exit_options
@click.option("--facts", multiple=True, metavar="FILE", help="Facts beside the scenario: dumps, logs, facts files.")
@facts_options()
@click.option("--executor", type=click.Choice(["compiled", "chaining"]), default="compiled", show_default=True,
              help="What runs the rules.")  # fmt: skip
@click.option("--lines", metavar="FILE", help="JSON Lines: one scenario a line in, one array of results a line out.")
def command(
    scenario: tuple[str, ...],
    as_json: bool,
    readings: tuple[str, ...],
    edition: str | None,
    executor: ExecutorName,
    lines: str | None,
    exits: tuple[str, ...],
    exit_limit: str,
    **options: Any,
) -> int:
    """What happens over time: routing, trigger messages and what held them back, event by event.

    SCENARIO is a facts file with [[event]] tables, in TOML or JSON; - is standard input. Its facts may stand in other
    files too. Exit status: 0, or 2 for bad input.
    """
    given = given_exits(exits, exit_limit)
    replay = Replay(rules_by(readings, edition), executor, given.given, given.limit)
    if lines is not None:
        only_lines((*scenario, *(name for name, option in options.items() if option)))
        return replay_lines(content_lines(lines), sys.stdout.buffer, replay)
    if len(scenario) != 1:
        raise click.UsageError("name one scenario file (or - for standard input); see --help")
    source = Source(scenario[0], content(scenario[0]))
    return replay_file(source, as_json, replay, known_beside(source, **options))


def known_beside(
    source: Source,
    facts: tuple[str, ...],
    overlays: tuple[str, ...],
    named_format: str | None,
    local: str | None,
    lenient: bool,
    sets: tuple[str, ...],
    states: tuple[str, ...],
) -> Snapshot | None:
    """The facts of the scenario with those beside it and what is set; None where there is nothing but the scenario.

    Raises FactsError, UsageError and ClickException.
    """
    if not (facts or overlays or sets or states or local):
        return None
    beside = sources(facts, (), named_format) if facts else []
    given = [source, *beside, *overlay_sources(overlays)]
    snapshot = what_if(read_sources(given, local, lenient), sets, states)
    print_warnings(snapshot.warnings, snapshot.remarks)
    return snapshot


def replay_file(source: Source, as_json: bool, replay: Replay, known: Snapshot | None = None) -> int:
    """Replays one scenario, whose facts may be ``known`` already; returns 0. Raises FactsError."""
    scenario = read_scenario_source(source, known)
    print_not_named(replay.engine.exits, _names_of_exits(scenario))
    with replay:
        rows = replay.rows(scenario, source.name)
        if as_json:
            documents = (json_line(row_document(row)) for row in _with_progress(rows))
            sys.stdout.buffer.writelines(_held_back(documents))
        else:
            print_timeline(rows, scenario)
    return 0


def _names_of_exits(scenario: Scenario) -> Iterator[str]:
    """CLWLEXIT at the start of a scenario and as its events set it."""
    yield scenario.cluster.queue_manager.clwlexit
    yield from (event.set["clwlexit"] for event in scenario.events if "clwlexit" in event.set)


def _held_back(made: Iterator[Made]) -> Iterator[Made]:
    """The same, the first ones when all of them are made: an event that cannot happen then leaves no output behind."""
    yield from list(islice(made, HELD_BACK))
    yield from made


def _with_progress(rows: Iterable[Row]) -> Iterable[Row]:
    """The rows, with a count on standard error if that is a terminal and they are many."""
    for count, row in enumerate(rows, 1):
        yield row
        if count % PROGRESS_EVERY == 0 and sys.stderr.isatty():
            print(f"\r{count:,} events", end="", file=sys.stderr, flush=True)  # noqa: T201


def replay_lines(lines: Iterable[bytes], out: BinaryIO, replay: Replay) -> int:
    """Replays each line of JSON Lines; one JSON array a line. Returns 0, or 2 if a line was bad."""
    status, named = 0, dict[str, None]()
    for number, line in enumerate(lines, start=1):
        source = f"line {number}"
        try:
            document = parse_json(decoded(line, source), source)
            if document.diagnostics:
                raise FactsError(document.diagnostics)
            scenario = scenario_of(document.data, source)
            named |= dict.fromkeys(_names_of_exits(scenario))
            rows = replay.rows(scenario, source)
            result = json_line([row_document(row) for row in rows])
        except FactsError as error:
            result, status = f"{error_line(error)}\n".encode(), 2
        out.write(result)
    out.flush()
    replay.close()
    print_not_named(replay.engine.exits, named)
    return status


def print_timeline(rows: Iterable[Row], scenario: Scenario, page: Page | None = None) -> None:
    """Prints what each event led to: routing, trigger messages, and what held a trigger message back."""
    page = page or Page()
    totals: dict[str, int] = {}
    remarked, obstacles = set[str](), set[str]()
    for printed in _held_back(_told(row, totals, remarked, obstacles) for row in rows):
        for label, line in printed:
            page.line(Text.from_markup(line), Text.from_markup(label), EVENT)
    if len(totals) > 1:
        page.line()
        puts = sum(totals.values())
        for name, count in sorted(totals.items(), key=lambda item: (-item[1], item[0])):
            page.line(f"{count:>8}  {count / puts:7.2%}  {name}")
    if not scenario.events:
        page.line(Text("the scenario has no events", "dim"))


def _told(row: Row, totals: dict[str, int], remarked: set[str], obstacles: set[str]) -> tuple[tuple[str, str], ...]:
    """The lines of a row as markup, which takes less to keep than rows; ``totals`` counts where puts went.

    A remark is told once: what was ``remarked`` before is left out; but what is in the way is told again after a put
    that it was not in the way of.
    """
    if isinstance(row.routed, Destination) and row.event.do == "put":
        totals[row.routed.name] = totals.get(row.routed.name, 0) + 1
    begun = Text(f"{row.number:>5}", "dim").markup
    new = [each for each in row.remarks if each not in remarked]
    if row.routed is not None:
        remarked -= obstacles - {*row.obstacles}
    obstacles |= {*row.obstacles}
    remarked.update(new)
    lines = (*consequences(row), *(Text(each, "yellow") for each in new))
    return (begun, escape(happened(row))), *(("", line.markup) for line in lines)


def happened(row: Row) -> str:
    """The event in words."""
    event = row.event
    parts = [event.do, *filter(None, (event.queue or event.channel, event.queue_manager))]
    if event.do == "alter":
        parts += settings(event)
    parts += _details(event)
    repeated = f" ({row.repeat + 1} of {event.count})" if row.repeat is not None else ""
    return " ".join(parts) + repeated


def _details(event: Event) -> list[str]:
    details = [event.mode] if event.do == "open" else []
    details += [event.mode] if event.do == "suspend" and event.mode == "FORCE" else []
    details += [f"in cluster {event.cluster}"] if event.cluster else []
    details += [event.id] if event.id else []
    details += [f"of {event.group}"] if event.group else []
    details += ["LOGICAL_ORDER"] if event.logical_order else list(event.options)
    details += [f"where {key} is {value}" for key, value in event.match.items()]
    details += [f"by {event.by}"] if event.by else []
    details += [f"priority {event.priority}"] if event.priority is not None else []
    details += [f"in {event.unit_of_work}"] if event.unit_of_work else []
    details += [f"at {event.at} ms"] if event.at is not None else []
    return details


def consequences(row: Row) -> Iterable[Text]:
    """What the event led to, a line each."""
    for label, line in exit_lines(row.exit):
        yield Text.assemble(f"{label} " if label else "", line)
    if isinstance(row.routed, Destination):
        yield Text.assemble("goes to ", (row.routed.name, "bold"))
    elif isinstance(row.routed, Decision):
        yield Text(row.routed.verdict, "red")
    if row.returned is not None:
        yield from returned_lines(row.returned)
    if row.reason is not None:
        why = f": {row.because}" if row.because else failed_by(row.returned)
        yield Text(f"{'warning' if row.warning else 'reason'} {row.reason}{why}", "yellow")
        if row.remedy:
            yield Text(f"  {row.remedy}", "dim")
    if row.administered is not None:
        yield from administered_lines(row.administered)
    for examination in row.examinations:
        yield from _examined(examination, is_put=row.event.do == "put")
    for released in row.released:
        yield Text(f"trigger message of event {released.created_by_event} for {released.queue} is available", "green")
    for each in row.turned_off:
        yield Text(f"triggering is switched off for {each.occasion.queue}")


def _examined(examination: Examination, is_put: bool) -> Iterable[Text]:
    queue, rule = examination.occasion.queue, examination.rule
    if rule is not None:
        held = "" if examination.available else ", held back by the unit of work"
        yield Text.assemble(("trigger message", "bold green"), f" for {queue} by {rule.id}{held}")
        yield Text(f"  {rule.title}", "dim")
        return
    occasion = examination.occasion
    if not (is_put or occasion.trigger or occasion.initq):
        return  # nobody wants this queue to trigger: an initiation queue that is closed, for example
    in_the_way = examination.holding_back
    if not (is_put or in_the_way):
        return  # no rule asks for a trigger message on such an occasion: GET is disabled, for example
    yield Text.assemble(("no trigger message", "yellow"), f" for {queue}")
    for each in in_the_way:
        yield Text.assemble(f"  {each.rule.clause:>4}  ", each.because)
