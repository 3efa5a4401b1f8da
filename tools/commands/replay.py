"""``mqclause replay``, events in order, and ``mqclause retention``, how long repositories hold what they were told."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO

import click
from attrs import frozen

from mqclause.executors.operations import ExecutorName
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import FactsError
from mqclause.model.timeline.administration import parse_day, read_repository_content
from mqclause.model.timeline.scenario import Scenario, build_scenario, locate_error, read_scenario_source
from mqclause.render.replay import buffer_first, print_calendar, print_timeline
from mqclause.replay.administration import AdministrationRules, build_retention
from mqclause.replay.runner import Replay, Row, Watch
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.options import (
    Inputs,
    answer_lines,
    check_only_lines,
    group_options,
    print_unnamed_exits,
    read_input,
    read_input_lines,
    read_inputs,
    read_overlays,
)
from mqclause.tools.errors import NothingAskedError
from mqclause.tools.output import check_page, encode_json_line, print_json, print_rows, print_warnings, write_page

EVENT_COLUMNS = ("event", "do", "routed", "trigger_messages", "released", "conditions", "changed")
RETAINED_COLUMNS = (
    "kind", "name", "owner", "by", "state", "sent", "made", "expires", "removed", "rule", "clause", "because",
)  # fmt: skip

PROGRESS_EVERY = 100_000
"""After how many rows progress is shown on a terminal."""


@frozen
class ReplayOutput:
    """The form in which a replay is printed. Raises UsageError and NotInstalledError for a page that cannot be."""

    as_json: bool = False
    as_csv: bool = False
    html: str | None = None

    def __attrs_post_init__(self) -> None:
        check_page(self.html)

    def print_rows(self, rows: Iterable[Row]) -> None:
        """Print the rows, one after the other."""
        if self.as_json:
            documents = (encode_json_line(row.to_json()) for row in _with_progress(rows))
            sys.stdout.buffer.writelines(buffer_first(documents))
        elif self.as_csv:
            print_rows(EVENT_COLUMNS, buffer_first(row.to_json() for row in _with_progress(rows)))
        else:
            print_timeline(rows)

    def print_and_draw(self, rows: Callable[[Watch], Iterable[Row]], rules: Rules, source: str) -> None:
        """Print the rows, and write a page of what they tell. Raises NotWrittenError."""
        from mqclause.pages.replay import Recorder, view_replay

        recorder = Recorder()
        self.print_rows(rows(recorder.watch))
        write_page(str(self.html), view_replay(recorder, rules, source))


@group_options(inputs=Inputs, output=ReplayOutput)
def replay_scenario(
    inputs: Inputs, output: ReplayOutput, scenario: tuple[str, ...], executor: ExecutorName, lines: str | None
) -> int:
    """Simulate the events of a scenario, and return the exit status. Raises FactsError and UsageError."""
    exits = inputs.load_exits()
    replay = Replay(inputs.load_rules(), executor, exits.given, exits.limit)
    if lines is not None:
        check_only_lines((*scenario, *filter(None, inputs.about_facts)))
        if output.as_csv or output.html:
            raise click.UsageError("--lines answers in JSON; leave out --csv and --html")
        return replay_lines(read_input_lines(lines), sys.stdout.buffer, replay)
    if len(scenario) != 1:
        raise click.UsageError("name one scenario file (or - for standard input); see --help")
    source = Source(scenario[0], read_input(scenario[0]))
    return replay_file(source, output, replay, read_known_facts(source, inputs))


def read_known_facts(source: Source, inputs: Inputs) -> Snapshot | None:
    """Read the facts of the scenario with those of --facts and what if; None where there is nothing but the scenario.

    Raises FactsError, UsageError and ClickException.
    """
    if not (inputs.facts or inputs.overlays or inputs.sets or inputs.states or inputs.local is not None):
        return None
    others = read_inputs(inputs.facts, inputs.named_format) if inputs.facts else []
    snapshot = inputs.build_snapshot([source, *others, *read_overlays(inputs.overlays)])
    print_warnings(snapshot.warnings, snapshot.remarks)
    return snapshot


def replay_file(source: Source, output: ReplayOutput, replay: Replay, known: Snapshot | None = None) -> int:
    """Replay one scenario, whose facts may be ``known`` already; returns 0. Raises FactsError and NothingAskedError."""
    scenario = read_scenario_source(source, known)
    if not scenario.events:
        raise NothingAskedError(f"{source.name}: has no [[event]]: nothing happens in it")
    print_unnamed_exits(replay.engine.exits, _names_of_exits(scenario))
    with replay:
        rows = partial(_rows, replay, scenario, source)
        if output.html is None:
            output.print_rows(rows())
        else:
            output.print_and_draw(rows, replay.engine.rules, source.name)
    return 0


def _rows(replay: Replay, scenario: Scenario, source: Source, watch: Watch | None = None) -> Iterator[Row]:
    """The rows of a file's scenario; raises FactsError with the place of an event that cannot happen."""
    try:
        yield from replay.rows(scenario, source.name, watch)
    except FactsError as error:
        raise locate_error(error, source) from None


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
    """Replay each line of JSON Lines; one JSON array a line. Returns 0, or 2 if a line was bad."""
    named = dict[str, None]()

    def simulate(document: Mapping[str, Any], source: str) -> bytes:
        scenario = build_scenario(document, source)
        named.update(dict.fromkeys(_names_of_exits(scenario)))
        return encode_json_line([row.to_json() for row in replay.rows(scenario, source)])

    status = answer_lines(lines, out, simulate)
    replay.close()
    print_unnamed_exits(replay.engine.exits, named)
    return status


@group_options(inputs=Inputs)
def show_retention(inputs: Inputs, on: str, as_json: bool, as_csv: bool) -> int:
    """Show how long repositories hold what they were told. Raises FactsError, NothingAskedError and UsageError."""
    try:
        day = parse_day(on)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    held = read_repository_content(inputs.read_sources(), day)
    print_warnings(held.warnings)
    found = build_retention(AdministrationRules(inputs.load_rules()), held, day)
    if not (found.information or found.requests):
        raise NothingAskedError(
            "the facts have no [[information]] and no [[request]]: a repository holds nothing of them"
        )
    if as_json:
        print_json(found.document())
    elif as_csv:
        document = found.document()
        rows = ({"kind": kind, **each} for kind in ("information", "requests") for each in document[kind])
        print_rows(RETAINED_COLUMNS, rows)
    else:
        print_calendar(found)
    return 0
