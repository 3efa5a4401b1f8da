"""``mqclause retention``: how long repositories hold what they were told, as a calendar, or as JSON."""

from __future__ import annotations

import click

from mqclause.answers.replay.administration import Administration
from mqclause.answers.replay.retention import retention
from mqclause.model.timeline.held import day_given, read_held
from mqclause.tools.commands.inputs import sources
from mqclause.tools.commands.options import facts_argument, json_option, reading_option, rules_by, rules_options
from mqclause.tools.render.calendar import print_calendar
from mqclause.tools.render.streams import print_json, print_warnings


@click.command("retention")
@facts_argument
@click.option("--on", "on", required=True, metavar="DATE", help="The day, like 2026-01-31.")
@json_option
@reading_option
@rules_options
def command(facts: tuple[str, ...], on: str, as_json: bool, readings: tuple[str, ...], edition: str | None) -> int:
    """How long do repositories hold what is in FACTS? Each item as it is on a day.

    FACTS are facts files with [[information]] and [[request]] tables, in TOML or JSON. Exit status: 0, or 2 for bad
    input.
    """
    try:
        day = day_given(on)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    held = read_held(sources(facts), day)
    print_warnings(held.warnings)
    found = retention(Administration(rules_by(readings, edition)), held, day)
    if as_json:
        print_json(found.document())
    else:
        print_calendar(found)
    return 0
