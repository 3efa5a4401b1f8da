"""``mqclause retention``: how long repositories hold what they were told, as a calendar, or as JSON."""

from __future__ import annotations

import click

from mqclause.model.timeline.administration import parse_day, read_repository_content
from mqclause.replay.administration import AdministrationRules, build_retention
from mqclause.tools.commands.options import load_rules, read_inputs
from mqclause.tools.render.replay import print_calendar
from mqclause.tools.render.streams import print_json, print_warnings


def show_retention(
    facts: tuple[str, ...], on: str, as_json: bool, readings: tuple[str, ...], edition: str | None
) -> int:
    """Show how long repositories hold what they were told. Raises FactsError and UsageError."""
    try:
        day = parse_day(on)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    held = read_repository_content(read_inputs(facts), day)
    print_warnings(held.warnings)
    found = build_retention(AdministrationRules(load_rules(readings, edition)), held, day)
    if as_json:
        print_json(found.document())
    else:
        print_calendar(found)
    return 0
