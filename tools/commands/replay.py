"""``mqclause replay``: a scenario as a timeline for a person, or one JSON object for each event."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import click

from mqclause.answers.replay.replay import Replay
from mqclause.answers.replay.replay_row import Row
from mqclause.executors.run import ExecutorName
from mqclause.model.assembly.snapshot import Snapshot, read_sources
from mqclause.model.assembly.source import Source
from mqclause.model.diagnostic import FactsError
from mqclause.model.readers.json_facts import parse_json
from mqclause.model.timeline.scenario import Scenario, placed, read_scenario_source, scenario_of
from mqclause.tools.commands.exit_options import exit_options, given_exits, print_not_named
from mqclause.tools.commands.explain_lines import decoded, error_line
from mqclause.tools.commands.inputs import facts_options, overlay_sources, sources, what_if
from mqclause.tools.commands.options import (
    content,
    content_lines,
    file_name,
    json_option,
    only_lines,
    reading_option,
    rules_by,
    rules_options,
)
from mqclause.tools.render.streams import json_line, print_warnings
from mqclause.tools.render.timeline import held_back, print_timeline

PROGRESS_EVERY = 100_000
"""After how many rows progress is shown on a terminal."""


@click.command("replay")
@click.argument("scenario", nargs=-1, type=file_name)
@json_option
@reading_option
@rules_options
@exit_options
@click.option(
    "--facts",
    multiple=True,
    type=file_name,
    metavar="FILE",
    help="Facts beside the scenario: dumps, logs, facts files.",
)
@facts_options()
@click.option("--executor", type=click.Choice(["compiled", "chaining"]), default="compiled", show_default=True,
              help="What runs the rules.")  # fmt: skip
@click.option(
    "--lines",
    type=file_name,
    metavar="FILE",
    help="JSON Lines: one scenario a line in, one array of results a line out.",
)
def command(
    scenario: tuple[str, ...],
    as_json: bool,
    readings: tuple[str, ...],
    edition: str | None,
    executor: ExecutorName,
    lines: str | None,
    exits: tuple[str, ...],
    exit_limit: str | None,
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
    if not (facts or overlays or sets or states or local is not None):
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
        rows = _rows(replay, scenario, source)
        if as_json:
            documents = (json_line(row.to_json()) for row in _with_progress(rows))
            sys.stdout.buffer.writelines(held_back(documents))
        else:
            print_timeline(rows, scenario)
    return 0


def _rows(replay: Replay, scenario: Scenario, source: Source) -> Iterator[Row]:
    """The rows of a file's scenario; raises FactsError with the place of an event that cannot happen."""
    try:
        yield from replay.rows(scenario, source.name)
    except FactsError as error:
        raise placed(error, source) from None


def _names_of_exits(scenario: Scenario) -> Iterator[str]:
    """CLWLEXIT at the start of a scenario and as its events set it."""
    yield scenario.cluster.queue_manager.clwlexit
    yield from (event.set["clwlexit"] for event in scenario.events if "clwlexit" in event.set)


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
            result = json_line([row.to_json() for row in rows])
        except FactsError as error:
            result, status = f"{error_line(error)}\n".encode(), 2
        out.write(result)
    out.flush()
    replay.close()
    print_not_named(replay.engine.exits, named)
    return status
