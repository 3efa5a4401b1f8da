"""Maps of a cluster as a person reads them, and as CSV."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from attrs import frozen
from rich.text import Text

from mqclause.answers.cluster_map import MapRow
from mqclause.answers.difference import PlanRow
from mqclause.answers.shares import Share
from mqclause.tools.render.page import Page

MAP_COLUMNS = ("queue", "from", "outcome", "reason", "queue_manager", "channel", "share")
PLAN_COLUMNS = ("queue", "from", "moved", "side", "outcome", "reason", "queue_manager", "channel", "share")
INDENT = 2


@frozen
class Differences:
    """The rows of the map that a change alters, the members whose factors restart, and all members asked."""

    rows: Sequence[PlanRow]
    restarts: Sequence[str]
    members: Sequence[str]


def print_map(rows: Sequence[MapRow], page: Page | None = None) -> None:
    """Prints a line for each queue; below it a line for the members that agree on where its puts go."""
    page = page or Page()
    if not rows:
        page.line("no queue is known in a cluster")
    for queue, of in groupby(rows, lambda row: row.queue):
        page.line(Text(queue, "bold"))
        agreeing = _agreeing(list(of))
        labels = [f"from {', '.join(row.member for row in group)}" for group in agreeing]
        width = max(map(len, labels))
        for label, (first, *_) in zip(labels, agreeing, strict=True):
            page.line(where_to(first), Text(f"{'':{INDENT}}{label}"), INDENT + width + 2)
    resting = {row.member for row in rows if row.incomplete}
    if resting:
        page.line()
        told = f"from {', '.join(sorted(resting))} this rests on what is not known: --json says on what"
        page.line(Text(told, "yellow"))


def print_plan(found: Differences, page: Page | None = None) -> None:
    """Prints each queue with what becomes of its puts before (-) and after (+), and the clauses that decide."""
    page = page or Page()
    if not found.rows:
        page.line("nothing changes")
        return
    for group in _alike(found.rows):
        first = group[0]
        moves = f": {percent(float(first.moved))} of the puts move" if first.moved else ""
        page.line(Text.assemble((first.queue, "bold"), f" from {', '.join(row.member for row in group)}{moves}"))
        page.line(Text(where_to(first.before).plain, "red"), Text("  - ", "red"), INDENT + 2)
        page.line(Text(where_to(first.after).plain, "green"), Text("  + ", "green"), INDENT + 2)
        for cause in first.because:
            clause = f"clause {cause.rule.clause}, " if cause.rule else ""
            told = f"{cause.destination.queue_manager} {cause.side}: {clause}{cause.because}"
            page.line(Text(told, "dim"), "", INDENT + 2)
    page.line()
    if found.restarts:
        page.line(f"sequence factors restart at zero at {', '.join(found.restarts)} (clause 12)")
    members = dict.fromkeys(row.member for row in found.rows)
    count = len(found.rows)
    page.line(f"{count} row{'s' if count > 1 else ''} of the map change, from {', '.join(sorted(members))}")


def write_plan(rows: Sequence[PlanRow]) -> None:
    """Writes a line for each destination on each side to standard output."""
    write_csv(PLAN_COLUMNS, (line for row in rows for line in _sides(row)))


def _sides(row: PlanRow) -> Iterator[tuple[Any, ...]]:
    for side, of in (("before", row.before), ("after", row.after)):
        for queue, member, *rest in _lines(of):
            yield (queue, member, float(row.moved), side, *rest)


def _alike(rows: Sequence[PlanRow]) -> list[list[PlanRow]]:
    """The rows in groups of one queue whose members say the same of both sides."""
    groups: dict[tuple[object, ...], list[PlanRow]] = {}
    for row in rows:
        because = tuple((each.side, each.destination.queue_manager, each.because) for each in row.because)
        key = (row.queue, row.moved, where_to(row.before).plain, where_to(row.after).plain, because)
        groups.setdefault(key, []).append(row)
    return list(groups.values())


def where_to(row: MapRow) -> Text:
    """Where the puts go: ``QM2 66.7 %, QM3 33.3 %``, or what they fail with."""
    reason = row.decision.reason
    if reason is not None:
        return Text(f"fails with {reason.name} ({reason.code})", "red")
    if not row.shares:
        return Text(row.decision.outcome)
    routes = [each.destination.queue_manager for each in row.shares]
    return Text(", ".join(_share(each, routes.count(each.destination.queue_manager) > 1) for each in row.shares))


def write_map(rows: Sequence[MapRow]) -> None:
    """Writes a line for each destination, and one for puts that have none, to standard output."""
    write_csv(MAP_COLUMNS, (line for row in rows for line in _lines(row)))


def write_csv(columns: Sequence[str], lines: Iterator[Sequence[Any]]) -> None:
    """Writes lines as CSV to standard output, under the names of the columns."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(lines)


def _lines(row: MapRow) -> Iterator[tuple[Any, ...]]:
    reason = row.decision.reason
    head = (row.queue, row.member, row.decision.outcome, reason.code if reason else "")
    if not row.shares:
        yield (*head, "", "", "")
    for each in row.shares:
        yield (*head, each.destination.queue_manager, each.destination.channel, float(each.part))


def _agreeing(rows: Sequence[MapRow]) -> list[list[MapRow]]:
    """The rows of one queue in groups of members that say the same."""
    groups: dict[str, list[MapRow]] = {}
    for row in rows:
        groups.setdefault(where_to(row).plain, []).append(row)
    return list(groups.values())


def _share(share: Share, by_route: bool) -> str:
    destination = share.destination
    name = destination.host if by_route else destination.queue_manager
    if destination.transmission_queue:
        name = destination.host
    return f"{name} {percent(float(share.part))}" if share.part != 1 else name


def percent(part: float) -> str:
    """A part as a person reads it: ``50 %``, ``66.7 %``."""
    return f"{100 * part:.1f}".removesuffix(".0") + " %"
