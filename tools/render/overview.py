"""Maps of a cluster as a person reads them, and as CSV."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

from rich.text import Text

from mqclause.answers.choice.said import listing
from mqclause.answers.choice.states import AskedFor
from mqclause.answers.cluster.cluster_map import PrintedRow, note_exits
from mqclause.answers.cluster.difference import PlanRow
from mqclause.answers.cluster.planned import Planned
from mqclause.model.assembly.incomplete import Incomplete
from mqclause.tools.render.page import Page
from mqclause.tools.render.plan_table import ChangedRow, print_plan_table
from mqclause.tools.render.remarks import named_alone, print_remarks, remarks_on
from mqclause.tools.render.shares import amount, percent, where_to

CSV_COLUMNS = ("queue", "from", "outcome", "reason", "queue_manager", "channel", "share")
SIDE_COLUMNS = ("queue", "from", "moved", "side", "outcome", "reason", "queue_manager", "channel", "share", "weight")
INDENT = 2
MOVES_SHOWN = 5
UNKNOWN_SHOWN = 3
NARROWEST_PARTS = 40
"""How many characters where puts go has at least beside the names of members; with fewer it stands below them."""

ALIASES_LEFT_OUT = "aliases of queue managers are left out: --json has them"
"""What is said of CSV, which has no column for them."""

NOT_KNOWN = "-"
"""What stands for where puts go of a queue that a member does not know."""


def print_map(rows: Sequence[PrintedRow], page: Page | None = None) -> None:
    """Prints a line for each queue, members as columns, where a terminal is wide enough; else its members below it."""
    page = page or Page()
    if not rows:
        page.line("no queue is known in a cluster")
    table = _as_table(rows) if page.width else []
    if table and rows and max(map(len, table)) <= page.width:
        for number, line in enumerate(table):
            page.line(Text(line, "bold") if number == 0 else _marked(line))
    else:
        _print_groups(rows, page)
    remarks = list(remarks_on(rows))
    if remarks:
        page.line()
    print_remarks(remarks, page)
    _print_exits(note_exits(rows, {}), page)
    _print_unknown(rows, page)


MQSC_VERB = "DISPLAY "
"""How a command begins that is given to runmqsc at a queue manager."""


def _unknown(rows: Iterable[PrintedRow]) -> tuple[str, Sequence[str]]:
    """Who rests on what is not known, and a few objects with the command that tells of them and where it is run."""
    asked: dict[AskedFor, dict[str, None]] = {}
    for row in rows:
        for each in row.told_by:
            asked.setdefault(each, {})[row.member] = None
    lines = []
    for (name, asking), members in islice(asked.items(), UNKNOWN_SHOWN):
        # A command of the shell names its queue manager, whoever wants to know.
        where = f"at {listing(list(members))}" if not asking or asking.startswith(MQSC_VERB) else ""
        lines.append(f"{name}: {' '.join(filter(None, (asking, where)))}")
    if len(asked) > UNKNOWN_SHOWN:
        lines.append(f"and {len(asked) - UNKNOWN_SHOWN} more: --json")
    resting = sorted({member for members in asked.values() for member in members})
    return f"from {', '.join(resting)} this rests on what is not known:", lines


def _print_unknown(rows: Iterable[PrintedRow], page: Page) -> None:
    """What the rows rest on that is not known."""
    heading, lines = _unknown(rows)
    if lines:
        page.line()
        page.line(Text(heading, "yellow"))
    for line in lines:
        page.line(Text(line, "dim"), "", INDENT)


def unknown_said(rows: Iterable[PrintedRow]) -> Iterator[str]:
    """The same in one line, beside CSV."""
    heading, lines = _unknown(rows)
    if lines:
        yield f"{heading} {'; '.join(lines)}"


def exits_said(exits: Mapping[Incomplete, Sequence[str]]) -> Iterator[str]:
    """The exits that nobody has given, each with who would call it."""
    yield from (f"from {', '.join(members)}: {each.what}" for each, members in exits.items())


def _print_exits(exits: Mapping[Incomplete, Sequence[str]], page: Page) -> None:
    """The same, with what tells more."""
    for said, each in zip(exits_said(exits), exits, strict=True):
        page.line()
        page.line(Text(said, "yellow"))
        page.line(Text(each.command, "dim"), "", INDENT)


def _named(row: PrintedRow | PlanRow) -> str:
    return row.name if row.queue else f"{row.name} (queue manager)"


def _print_groups(rows: Sequence[PrintedRow], page: Page) -> None:
    """A line for each queue; below it a line for the members that agree on where its puts go."""
    for name, of in groupby(rows, _named):
        page.line(Text(name, "bold"))
        agreeing = _agreeing(list(of))
        labels = [f"from {', '.join(row.member for row in group)}" for group in agreeing]
        column = INDENT + max(map(len, labels)) + 2
        beside = not page.width or column + NARROWEST_PARTS <= page.width
        for label, (first, *_) in zip(labels, agreeing, strict=True):
            if beside:
                page.line(where_to(first), Text(f"{'':{INDENT}}{label}"), column)
            else:
                page.line(label, "", INDENT, hanging=len("from "))
                page.line(where_to(first), "", 2 * INDENT)


def _as_table(rows: Sequence[PrintedRow]) -> list[str]:
    """A line for each queue with a column for each member, below their names."""
    members = sorted({row.member for row in rows})
    lines = [["queue", *(f"from {name}" for name in members)]]
    for named, of in groupby(rows, _named):
        cells = {row.member: where_to(row).plain for row in of}
        lines.append([named, *(cells.get(name, NOT_KNOWN) for name in members)])
    widths = [max(len(line[at]) for line in lines) for at in range(len(members) + 1)]
    return ["  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def _marked(line: str) -> Text:
    text = Text(line)
    text.highlight_regex(r"fails with \S+ \(\d+\)", "red")
    return text


def print_plan(found: Planned, page: Page | None = None) -> None:
    """Prints each queue with what becomes of its puts before (-) and after (+), and the clauses that decide."""
    page = page or Page()
    rows = [*found.rows, *found.alias_rows]
    groups = _alike(rows)
    if not print_plan_table([_changed(group) for group in groups], page):
        _print_plan_groups(groups, page)
    if rows:
        page.line()
    _print_findings(found, page)
    _print_traffic(found, page)
    if found.restarts:
        page.line(f"sequence factors restart at zero at {', '.join(found.restarts)} (clause {found.restarts_by})")
    if rows:
        names = sorted({row.member for row in rows})
        changing = f"{len(rows)} rows of the map change" if len(rows) > 1 else "1 row of the map changes"
        page.line(f"{changing}, from {', '.join(names)}")
    else:
        findings = found.findings.new or found.findings.gone
        changes = found.restarts or findings or found.remarks or found.to_nobody
        page.line(_nothing_moves(bool(changes), bool(found.exits)))
    print_remarks(named_alone(found.remarks), page, found.to_nobody)
    _print_exits(found.exits, page)
    _print_unknown([row for _, row in found.in_question], page)


def _nothing_moves(changes: bool, unknown: bool) -> str:
    """That no put goes elsewhere; where an exit may send it elsewhere, as far as the rules say."""
    if unknown:
        return "as far as the rules go, every put goes where it went"
    return "every put goes where it went" if changes else "nothing changes: every put goes where it went"


def _print_plan_groups(groups: Sequence[Sequence[PlanRow]], page: Page) -> None:
    for group in groups:
        first = group[0]
        page.line(
            Text.assemble((_named(first), "bold"), f" from {', '.join(row.member for row in group)}{_moved(group)}")
        )
        page.line(Text(where_to(first.before).plain, "red"), Text("  - ", "red"), INDENT + 2)
        page.line(Text(where_to(first.after).plain, "green"), Text("  + ", "green"), INDENT + 2)
        for said, names in _causes(first).items():
            page.line(Text(f"{', '.join(names)} {said}", "dim"), "", INDENT + 2)


def _changed(group: Sequence[PlanRow]) -> ChangedRow:
    """A line of the table: rows alike."""
    first = group[0]
    causes = [f"{', '.join(names)} {said}" for said, names in _causes(first).items()]
    moved = _part_of_puts(group) if first.moved else ""
    return ChangedRow(_named(first), ", ".join(row.member for row in group), moved, first.before, first.after, causes)


def _causes(row: PlanRow) -> dict[str, list[str]]:
    """Why destinations get nothing on one side, each said once, with their queue managers."""
    found: dict[str, list[str]] = {}
    for cause in row.because:
        clause = f"clause {cause.rule.clause}, " if cause.rule else ""
        names = found.setdefault(f"{cause.side}: {clause}{cause.because}", [])
        if cause.destination.queue_manager not in names:
            names.append(cause.destination.queue_manager)
    return found


def _moved(group: Sequence[PlanRow]) -> str:
    """How much of the puts of rows alike moves; and how many, where that is known."""
    return f": {_part_of_puts(group)} move" if group[0].moved else ""


def _part_of_puts(group: Sequence[PlanRow]) -> str:
    part = percent(float(group[0].moved))
    weights = [row.weight for row in group if row.weight is not None]
    of = "opens" if any(row.is_of_opens for row in group) else "puts"
    return f"{part} of {f'{amount(sum(weights))} puts' if weights else f'the {of}'}"


def _print_findings(found: Planned, page: Page) -> None:
    """What check finds on one side alone, as in a diff."""
    for sign, style, findings in (("-", "green", found.findings.gone), ("+", "red", found.findings.new)):
        for each in findings:
            told = f"{each.severity} {each.rule.id} at {each.queue_manager}: {each.message}"
            page.line(Text(told, style), Text(f"{sign} ", style), INDENT)
    if found.findings.new or found.findings.gone:
        page.line()


def _print_traffic(found: Planned, page: Page) -> None:
    """How many real puts move, from where to where."""
    if found.traffic is None:
        return
    total = found.traffic.total
    if len(found.moves) > 1:
        part = percent(sum(each.puts for each in found.moves) / total)
        page.line(f"{part} of {amount(total)} puts would move")
    for each in found.moves[:MOVES_SHOWN]:
        part = f"{percent(each.puts / total)} of {amount(total)} puts would"
        if not each.into:
            page.line(f"{part} fail that go to {each.out_of}")
        elif not each.out_of:
            page.line(f"{part} go to {each.into} that fail")
        else:
            page.line(f"{part} move from {each.out_of} to {each.into}")
    further = found.moves[MOVES_SHOWN:]
    if further:
        part = percent(sum(each.puts for each in further) / total)
        pairs = f"{len(further)} other pairs" if len(further) > 1 else "another pair"
        page.line(f"{part} of them would move between {pairs} of queue managers (--json shows them)")
    if not found.moves:
        page.line(f"none of {amount(total)} puts would move to another queue manager")
    if found.elsewhere:
        page.line(f"{amount(found.elsewhere)} of them are of queues, or at queue managers, that the map does not have")


def write_plan(rows: Sequence[PlanRow]) -> None:
    """Writes a line for each destination on each side to standard output."""
    write_csv(SIDE_COLUMNS, (line for row in rows for line in _sides(row)))


def _sides(row: PlanRow) -> Iterator[tuple[Any, ...]]:
    for side, of in (("before", row.before), ("after", row.after)):
        for queue, member, *rest in _lines(of):
            yield (queue, member, float(row.moved), side, *rest, row.weight)


def _alike(rows: Sequence[PlanRow]) -> list[list[PlanRow]]:
    """The rows in groups of one queue whose members say the same of both sides."""
    groups: dict[tuple[object, ...], list[PlanRow]] = {}
    for row in rows:
        because = tuple((each.side, each.destination.queue_manager, each.because) for each in row.because)
        key = (_named(row), row.moved, where_to(row.before).plain, where_to(row.after).plain, because)
        groups.setdefault(key, []).append(row)
    return list(groups.values())


def write_map(rows: Sequence[PrintedRow]) -> None:
    """Writes a line for each destination, and one for puts that have none, to standard output."""
    write_csv(CSV_COLUMNS, (line for row in rows for line in _lines(row)))


def write_csv(columns: Sequence[str], lines: Iterator[Sequence[Any]]) -> None:
    """Writes lines as CSV to standard output, under the names of the columns."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(lines)


def _lines(row: PrintedRow) -> Iterator[tuple[Any, ...]]:
    reason = row.reason
    head = (row.queue, row.member, row.outcome, reason.code if reason else "")
    if not row.shares:
        yield (*head, "", "", "")
    for each in row.shares:
        yield (*head, each.destination.queue_manager, each.destination.channel, float(each.part))


def _agreeing(rows: Sequence[PrintedRow]) -> list[list[PrintedRow]]:
    """The rows of one queue in groups of members that say the same."""
    groups: dict[str, list[PrintedRow]] = {}
    for row in rows:
        groups.setdefault(where_to(row).plain, []).append(row)
    return list(groups.values())
