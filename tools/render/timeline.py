"""A replay as a person reads it: what each event led to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from rich.style import Style
from rich.text import Span, Text

from mqclause.answers.choice.decision import Decision
from mqclause.answers.replay.replay_row import Row
from mqclause.answers.trigger.examination import Examination
from mqclause.model.facts.destination import Destination
from mqclause.model.timeline.event import Event
from mqclause.model.timeline.scenario import Scenario
from mqclause.tools.render.administering import administered_lines
from mqclause.tools.render.alteration import settings
from mqclause.tools.render.exit_answer import exit_lines
from mqclause.tools.render.page import Page
from mqclause.tools.render.returned import ended_by, returned_lines

MadeT = TypeVar("MadeT")

HeldLine = tuple[str, str | Style, tuple[Span, ...]]
"""A line with its style and the styles of its parts."""

NO_LABEL: HeldLine = ("", "", ())

EVENT = 6
"""The column in which an event begins, behind its number."""

HELD_BACK = 100_000
"""How many rows are held back before the first is written."""


def held_back(made: Iterator[MadeT]) -> Iterator[MadeT]:
    """The same, the first ones when all of them are made: an event that cannot happen then leaves no output behind."""
    yield from list(islice(made, HELD_BACK))
    yield from made


def print_timeline(rows: Iterable[Row], scenario: Scenario, page: Page | None = None) -> None:
    """Prints what each event led to: routing, trigger messages, and what held a trigger message back."""
    page = page or Page()
    totals: dict[str, int] = {}
    remarked, obstacles = set[str](), set[str]()
    for printed in held_back(_told(row, totals, remarked, obstacles) for row in rows):
        for label, line in printed:
            page.line(_again(line), _again(label), EVENT)
    if len(totals) > 1:
        page.line()
        puts = sum(totals.values())
        for name, count in sorted(totals.items(), key=lambda item: (-item[1], item[0])):
            page.line(f"{count:>8}  {count / puts:7.2%}  {name}")
    if not scenario.events:
        page.line(Text("the scenario has no events", "dim"))


def _told(
    row: Row, totals: dict[str, int], remarked: set[str], obstacles: set[str]
) -> tuple[tuple[HeldLine, HeldLine], ...]:
    """The lines of a row, which take less to keep than rows; ``totals`` counts where puts went.

    A remark is told once: what was ``remarked`` before is left out; but what is in the way is told again after a put
    that it was not in the way of.
    """
    if isinstance(row.routed, Destination) and row.event.do == "put":
        totals[row.routed.name] = totals.get(row.routed.name, 0) + 1
    new = [each for each in row.remarks if each not in remarked]
    if row.routed is not None:
        remarked -= obstacles - {*row.obstacles}
    obstacles |= {*row.obstacles}
    remarked.update(new)
    lines = (*consequences(row), *(Text(each, "yellow") for each in new))
    begun = _held(Text(f"{row.number:>5}", "dim")), _held(Text(happened(row)))
    return begun, *((NO_LABEL, _held(line)) for line in lines)


def _held(text: Text) -> HeldLine:
    return text.plain, text.style, tuple(text.spans)


def _again(kept: HeldLine) -> Text:
    plain, style, spans = kept
    return Text(plain, style, spans=[*spans])


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
    details = [f"to {event.to_queue_manager}"] if event.to_queue_manager else []
    details += [event.mode] if event.do == "open" else []
    details += [event.bind] if event.bind != "AS_Q_DEF" else []
    details += [event.mode] if event.do == "suspend" and event.mode == "FORCE" else []
    details += [f"in cluster {event.cluster}"] if event.cluster else []
    details += [f"REPOS({event.repos})"] if event.repos != "NO" else []
    details += [event.id] if event.id else []
    details += [f"of {event.group}"] if event.group else []
    details += ["LOGICAL_ORDER"] if event.logical_order else list(event.options)
    details += [f"where {key} is {'blank' if value == '' else value}" for key, value in event.match.items()]
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
        why = f": {row.because}" if row.because else ended_by(row.ended)
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
