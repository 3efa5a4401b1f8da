"""``mqclause retention``: how long repositories hold what they were told, as a calendar, or as JSON."""

from __future__ import annotations

import click
from rich.text import Text

from mqclause.answers.replay.administration import Administration
from mqclause.answers.replay.retention import InformationOn, RequestOn, Retention, retention
from mqclause.model.timeline.held import day_given, read_held
from mqclause.tools.commands.inputs import sources
from mqclause.tools.commands.options import edition_option, json_option, reading_option, rules_by
from mqclause.tools.render.page import Page
from mqclause.tools.render.streams import print_json

STATE_STYLES = {"current": "green", "grace": "yellow", "removed": "red", "expired": "red"}
BEHIND_STATE = 12


@click.command("retention")
@click.argument("facts", nargs=-1)
@click.option("--on", "on", required=True, metavar="DATE", help="The day, like 2026-01-31.")
@json_option
@reading_option
@edition_option
def command(facts: tuple[str, ...], on: str, as_json: bool, readings: tuple[str, ...], edition: str | None) -> int:
    """How long do repositories hold what is in FACTS? Each item as it is on a day.

    FACTS are facts files with [[information]] and [[request]] tables, in TOML or JSON. Exit status: 0, or 2 for bad
    input.
    """
    try:
        day = day_given(on)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    found = retention(Administration(rules_by(readings, edition)), read_held(sources(facts), day), day)
    if as_json:
        print_json(found.document())
    else:
        print_calendar(found)
    return 0


def print_calendar(found: Retention, page: Page | None = None) -> None:
    """Prints each item with its state and its dates."""
    page = page or Page()
    for each in found.information:
        _item(page, each, f"{each.information.name} of {each.information.owner}", _dates(each))
    for request in found.requests:
        _item(page, request, f"request for {request.request.name} by {request.request.by}", _request_dates(request))
    if not (found.information or found.requests):
        page.line(Text("the facts have no [[information]] and no [[request]]", "dim"))


def _item(page: Page, each: InformationOn | RequestOn, name: str, dates: str) -> None:
    state = each.settled.facts["state"]
    page.line(
        Text.assemble((name, "bold"), f"  {each.settled.because}"), Text(state, STATE_STYLES[state]), BEHIND_STATE
    )
    page.line(Text(dates, "dim"), "", BEHIND_STATE)


def _dates(each: InformationOn) -> str:
    facts = each.settled.facts
    told = [
        f"sent {each.information.sent}",
        f"due again {each.day('resend_after')}",
        f"expires {each.day('lifetime')}",
        f"removed {each.day('lifetime', 'grace_period')}",
        *([] if facts["answers_new_requests"] else ["answers no new request"]),
        *([] if facts["owner_in_cluster"] else [f"{each.information.owner} is out of the cluster"]),
    ]
    return " · ".join(told)


def _request_dates(each: RequestOn) -> str:
    return " · ".join(
        [f"made {each.made}", f"check due {each.day('check_after')}", f"expires {each.day('request_lifetime')}"]
    )
