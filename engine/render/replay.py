"""Render a replay: what each event led to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from rich.style import Style
from rich.text import Span, Text

from mqclause.model.facts.domains import Words, quote_name
from mqclause.model.facts.objects import Channel, Queue, QueueManager, RemoteQueueManager
from mqclause.model.facts.workload import Destination
from mqclause.model.readers.records import get_known_attributes
from mqclause.model.timeline.events import ALTERABLE, Altered, Event
from mqclause.render.explanation import render_exit_answer
from mqclause.render.terminal import Page
from mqclause.replay.administration import AdministrationResult, InformationState, RequestState, Retention
from mqclause.replay.runner import Row
from mqclause.retrieval.calls import MOST_PASSED_OVER, CallReason, RetrievalResult
from mqclause.trigger.examination import Examination
from mqclause.workload.decision import Decision

MadeT = TypeVar("MadeT")

HeldLine = tuple[str, str | Style, tuple[Span, ...]]
"""A line with its style and the styles of its parts."""

NO_LABEL: HeldLine = ("", "", ())

EVENT = 6
"""The column in which an event begins, behind its number."""

HELD_BACK = 100_000
"""How many rows are held back before the first is written."""

FATE_STYLES = {"waits": "yellow", "may_be_lost": "bold red", "dead_lettered": "red", "returned": "red", "stays": "red"}
"""The style of a fate; any other is green."""

OBJECTS: dict[type[Altered], tuple[str, ...]] = {
    Queue: ("QLOCAL", "QALIAS", "QREMOTE"),
    Channel: ("CHANNEL",),
    QueueManager: ("QMGR",),
    RemoteQueueManager: ("QMGR",),
}
SHOWN_IN_PARENTHESES = "status"
"""What no command sets, and DISPLAY shows as it shows attributes."""

SHOWN_PASSED_OVER = 5
"""How many of the messages that a get passed over are shown, with the reason."""

STATE_STYLES = {"current": "green", "grace": "yellow", "removed": "red", "expired": "red"}
BEHIND_STATE = 12


def buffer_first(made: Iterator[MadeT]) -> Iterator[MadeT]:
    """Buffer the first items until they are made: an event that cannot happen then leaves no output."""
    yield from list(islice(made, HELD_BACK))
    yield from made


def print_timeline(rows: Iterable[Row], page: Page | None = None) -> None:
    """Print what each event led to: routing, trigger messages, and what held a trigger message back."""
    page = page or Page()
    totals: dict[str, int] = {}
    remarked, obstacles = set[str](), set[str]()
    for printed in buffer_first(_told(row, totals, remarked, obstacles) for row in rows):
        for label, line in printed:
            page.line(_again(line), _again(label), EVENT)
    if len(totals) > 1:
        page.line()
        puts = sum(totals.values())
        for name, count in sorted(totals.items(), key=lambda item: (-item[1], item[0])):
            page.line(f"{count:>8}  {count / puts:7.2%}  {name}")


def render_event(row: Row) -> str:
    """Render the event in words."""
    event = row.event
    parts = [event.do, *filter(None, (event.queue or event.channel, event.queue_manager))]
    if event.do == "alter":
        parts += render_settings(event)
    parts += _details(event)
    repeated = f" ({row.repeat + 1} of {event.count})" if row.repeat is not None else ""
    return " ".join(parts) + repeated


def render_consequences(row: Row) -> Iterable[Text]:
    """Render what the event led to, a line each."""
    for label, line in render_exit_answer(row.exit):
        yield Text.assemble(f"{label} " if label else "", line)
    if isinstance(row.routed, Destination):
        yield Text.assemble("goes to ", (row.routed.name, "bold"))
    elif isinstance(row.routed, Decision):
        yield Text(row.routed.verdict, "red")
    if row.edition:
        since = "stays in force" if row.edition_stays else "from here on"
        yield Text(f"edition {row.edition} {since} ({row.edition_from})")
    if row.returned is not None:
        yield from render_returned(row.returned)
    if row.reason is not None:
        why = f": {row.because}" if row.because else render_call_reason(row.ended)
        yield Text(f"{'warning' if row.warning else 'reason'} {row.reason}{why}", "yellow")
        if row.remedy:
            yield Text(f"  {row.remedy}", "dim")
    if row.administered is not None:
        yield from render_administration(row.administered)
    for examination in row.examinations:
        yield from _examined(examination, is_put=row.event.do == "put")
    for released in row.released:
        yield Text(f"trigger message of event {released.created_by_event} for {released.queue} is available", "green")
    for each in row.turned_off:
        yield Text(f"triggering is switched off for {each.occasion.queue}")


def render_administration(did: AdministrationResult) -> Iterator[Text]:
    """Render what an event of administration did, a line each."""
    if did.refused is not None:
        yield Text(f"refused with {did.refused.facts['refused']}: {did.refused.because}", "red")
        return
    if not (did.changed or did.removed or did.kept or did.fates):
        yield Text("nothing changes", "dim")
    # a channel in two clusters is two routes that change alike
    for changed, attribute, value in dict.fromkeys(map(_change, did.changed)):
        yield Text.assemble((changed, "bold"), f": {attribute} is now {value or 'none'}")
    for word, rows in (("removed", did.removed), ("kept", did.kept)):
        for row in rows:
            name = row.get("channel") or row.get("queue")
            what = f"{name} of {row['queue_manager']}" if name else row["queue_manager"]
            yield Text.assemble(f"{word} ", (what, "bold"), f": {row['because']}")
    for fate in did.fates:
        to = f" to {fate.to.name}" if fate.to else ""
        said = fate.settled.becomes
        styled = (said.replace("_", " "), FATE_STYLES.get(said, "green"))
        of_exit = f" ({fate.exit.because})" if fate.exit and fate.exit.called else ""
        yield Text.assemble(f"{fate.message} ", styled, f"{to}: {fate.settled.because}{of_exit}")


def render_settings(event: Event) -> Iterator[str]:
    """Render each attribute that an alter sets: ``PUT(DISABLED)``, ``NOTRIGGER``, ``suspended = SALES``."""
    kind = _kind(event)
    known = {word for noun in OBJECTS[kind] for word in get_known_attributes("ALTER", noun) or ()}
    for name, value in event.set.items():
        if name != SHOWN_IN_PARENTHESES and name.upper() not in known:
            yield f"{name} = {_as_in_scenario(value)}"
        elif isinstance(value, bool):
            yield name.upper() if value else f"NO{name.upper()}"
        else:
            yield f"{name.upper()}({_in_mqsc(kind, name, value)})"


def render_returned(returned: RetrievalResult) -> Iterator[Text]:
    """Render the messages returned, with statuses, what was passed over before them, and remarks."""
    if returned.messages:
        yield Text.assemble("returns ", (" ".join(returned.got), "bold"), _statuses(returned))
    passed_over = list(returned.passed_over())
    for each in passed_over[:SHOWN_PASSED_OVER]:
        yield Text.assemble(f"  {each.rule.clause:>4}  ", f"not {each.message}: {each.because}")
    if len(passed_over) > SHOWN_PASSED_OVER:
        yield Text(f"        and {_further(len(passed_over) - SHOWN_PASSED_OVER)} behind them", "dim")
    yield from (Text(remark, "yellow") for remark in returned.remarks)


def render_call_reason(ended: CallReason) -> str:
    """Render the rule that gives a reason, and its clause, to stand behind the reason; blank if there is none."""
    return "" if ended.rule is None else f": {ended.tell()} ({ended.rule.clause})"


def print_calendar(found: Retention) -> None:
    """Print each item with its state and its dates."""
    page = Page()
    for each in found.information:
        _item(page, each, f"{each.information.name} of {each.information.owner}", _dates(each))
    for request in found.requests:
        _item(page, request, f"request for {request.request.name} by {request.request.by}", _request_dates(request))


def _told(
    row: Row, totals: dict[str, int], remarked: set[str], obstacles: set[str]
) -> tuple[tuple[HeldLine, HeldLine], ...]:
    """The lines of a row, which take less to keep than rows; ``totals`` counts where puts went.

    A remark is told once: what was ``remarked`` before is left out; but what is in the way is told again after a put
    that it was not in the way of, and that other editions answer otherwise is told of each name that is put to.
    """
    if isinstance(row.routed, Destination) and row.event.do == "put":
        totals[row.routed.name] = totals.get(row.routed.name, 0) + 1
    new = [each for each in row.remarks if each not in remarked or each in row.editions]
    if row.routed is not None:
        remarked -= obstacles - {*row.obstacles}
    obstacles |= {*row.obstacles}
    remarked.update(new)
    lines = (*render_consequences(row), *(Text(each, "yellow") for each in new))
    begun = _held(Text(f"{row.number:>5}", "dim")), _held(Text(render_event(row)))
    return begun, *((NO_LABEL, _held(line)) for line in lines)


def _held(text: Text) -> HeldLine:
    return text.plain, text.style, tuple(text.spans)


def _again(kept: HeldLine) -> Text:
    plain, style, spans = kept
    return Text(plain, style, spans=[*spans])


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
    details += [f"at command level {event.command_level}"] if event.command_level is not None else []
    details += [f"at {event.at} ms"] if event.at is not None else []
    return details


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
    in_the_way = examination.failed_conditions
    if not (is_put or in_the_way):
        return  # no rule asks for a trigger message on such an occasion: GET is disabled, for example
    yield Text.assemble(("no trigger message", "yellow"), f" for {queue}")
    for each in in_the_way:
        yield Text.assemble(f"  {each.rule.clause:>4}  ", each.because)


def _change(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """What changed, which attribute of it and to what."""
    value = ", ".join(row["value"]) if isinstance(row["value"], list) else row["value"]
    return row.get("channel") or row["queue_manager"], row["attribute"], value


def _kind(event: Event) -> type[Altered]:
    if event.channel:
        return Channel
    return Queue if event.queue else QueueManager


def _in_mqsc(kind: type[Altered], name: str, value: object) -> str:
    domain = ALTERABLE[kind].get(name)
    if isinstance(domain, Words):
        return str(domain(value, name))
    return quote_name(value or " ") if isinstance(value, str) else str(value)


def _as_in_scenario(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) or "none" if isinstance(value, list | tuple) else str(value)


def _statuses(returned: RetrievalResult) -> str:
    """GroupStatus and SegmentStatus of what is in a group, or a segment."""
    statuses = {"GroupStatus": returned.group_status, "SegmentStatus": returned.segment_status}
    return "".join(f"  {name} {status}" for name, status in statuses.items() if status.strip())


def _further(number: int) -> str:
    return f"{number} more" if number < MOST_PASSED_OVER - SHOWN_PASSED_OVER else "many more"


def _item(page: Page, each: InformationState | RequestState, name: str, dates: str) -> None:
    state = each.settled.facts["state"]
    page.line(
        Text.assemble((name, "bold"), f"  {each.settled.because}"),
        Text(state, STATE_STYLES.get(state, "")),
        BEHIND_STATE,
    )
    page.line(Text(dates, "dim"), "", BEHIND_STATE)


def _dates(each: InformationState) -> str:
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


def _request_dates(each: RequestState) -> str:
    return " · ".join(
        [f"made {each.made}", f"check due {each.day('check_after')}", f"expires {each.day('request_lifetime')}"]
    )
