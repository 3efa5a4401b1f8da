"""What repositories hold on a day, with its dates, as a person reads it."""

from __future__ import annotations

from rich.text import Text

from mqclause.answers.replay.retention import InformationOn, RequestOn, Retention
from mqclause.tools.render.page import Page

STATE_STYLES = {"current": "green", "grace": "yellow", "removed": "red", "expired": "red"}
BEHIND_STATE = 12


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
        Text.assemble((name, "bold"), f"  {each.settled.because}"),
        Text(state, STATE_STYLES.get(state, "")),
        BEHIND_STATE,
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
