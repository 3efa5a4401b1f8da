"""Maps of a cluster as a person reads them, and as CSV."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from rich.text import Text

from mqclause.answers.cluster_map import MapRow
from mqclause.answers.shares import Share
from mqclause.tools.render.page import Page

MAP_COLUMNS = ("queue", "from", "outcome", "reason", "queue_manager", "channel", "share")
INDENT = 2


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
            page.line(said(first), Text(f"{'':{INDENT}}{label}"), INDENT + width + 2)
    resting = {row.member for row in rows if row.incomplete}
    if resting:
        page.line()
        told = f"from {', '.join(sorted(resting))} this rests on what is not known: --json says on what"
        page.line(Text(told, "yellow"))


def said(row: MapRow) -> Text:
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
        groups.setdefault(said(row).plain, []).append(row)
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
