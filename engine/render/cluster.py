"""Render maps, plans and shares."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, Protocol, TypeVar

from attrs import frozen
from rich.table import Table
from rich.text import Text

from mqclause.cluster.map import PrintedRow, note_exits
from mqclause.cluster.plan import ChangePlan, PlanRow, Upgrade
from mqclause.model.configuration.completeness import MissingInformation
from mqclause.model.diagnostics import name_argument
from mqclause.model.facts.workload import Destination
from mqclause.render.terminal import Page
from mqclause.trace import join_names
from mqclause.workload.editions import say_edition_source, split_edition_source
from mqclause.workload.sensitivity import MissingObject
from mqclause.workload.shares import sum_parts

EachT = TypeVar("EachT")

CSV_COLUMNS = ("queue", "from", "outcome", "reason", "queue_manager", "channel", "share")
SIDE_COLUMNS = ("queue", "from", "moved", "side", "outcome", "reason", "queue_manager", "channel", "share", "weight")
INDENT = 2
MOVES_SHOWN = 5
PLACES_SHOWN = 3
UNKNOWN_SHOWN = 3
NARROWEST_PARTS = 40
"""How many characters where puts go has at least beside the names of members; with fewer it stands below them."""

ALIASES_LEFT_OUT = "aliases of queue managers are left out: --json has them"
"""What is said of CSV, which has no column for them."""

NOT_KNOWN = "-"
"""What stands for where puts go of a queue that a member does not know."""

MQSC_VERB = "DISPLAY "
"""How a command begins that is given to runmqsc at a queue manager."""

NARROWEST_TEXT, WIDEST_NAMES = 48, 24
"""How many characters the column of causes has at least, and that of members at most."""

STYLES = {"-": "red", "+": "green", " ": ""}
"""Of what is lost, what is gained and what stays, as in a diff."""

NO_PART = Fraction(0)

REMARKS_SHOWN = 10

Remark = tuple[str, str, str]
"""What is to be said of puts to a queue, at a queue manager."""

MILLION = 1_000_000
WITHOUT_FRACTION = 100
LEAST_PART = 0.001


def print_map(rows: Sequence[PrintedRow], page: Page | None = None) -> None:
    """Print a line for each queue, members as columns, where a terminal is wide enough; else its members below it."""
    page = page or Page()
    if not rows:
        page.line("no queue is known in a cluster")
    table = _as_table(rows) if page.width else []
    if table and rows and max(map(len, table)) <= page.width:
        for number, line in enumerate(table):
            page.line(Text(line, "bold") if number == 0 else _marked(line))
    else:
        _print_groups(rows, page)
    remarks = list(list_remarks(rows))
    if remarks:
        page.line()
    print_remarks(remarks, page)
    _print_exits(note_exits(rows, {}), page)
    _print_unknown(rows, page)


@frozen
class Unknown:
    """What is not known and could change an answer, the command that tells it, and ``where`` that is run."""

    what: str
    command: str
    where: str = ""


class AskingRow(Protocol):
    """An answer at a member, with the objects and the commands that tell what is not known and matters."""

    @property
    def member(self) -> str:
        """The queue manager where the puts are made."""
        ...

    @property
    def told_by(self) -> tuple[MissingObject, ...]:
        """The objects, each with its command."""
        ...


def list_unknown(rows: Iterable[AskingRow]) -> tuple[list[str], list[Unknown]]:
    """List the members whose rows rest on what is not known, and each object with the command that tells of it."""
    asked: dict[MissingObject, dict[str, None]] = {}
    for row in rows:
        for each in row.told_by:
            asked.setdefault(each, {})[row.member] = None
    found = []
    for (name, asking), members in asked.items():
        # A command of the shell names its queue manager, whoever wants to know.
        where = f"at {join_names(list(members))}" if not asking or asking.startswith(MQSC_VERB) else ""
        found.append(Unknown(name, asking, where))
    return sorted({member for members in asked.values() for member in members}), found


def list_left_out_of_map(rows: Sequence[PrintedRow]) -> Iterator[str]:
    """List what the lines of CSV leave out of a map: aliases, remarks, and what is not known."""
    if not all(row.queue for row in rows):
        yield ALIASES_LEFT_OUT
    yield from (each.what for each in list_missing_exits(note_exits(rows, {})))
    yield from group_remarks(list_remarks(rows))
    yield from _summarize_unknown(rows)


def list_left_out_of_plan(found: ChangePlan) -> Iterator[str]:
    """List what the lines of CSV leave out of a plan."""
    yield from describe_upgrades(found)
    if found.alias_rows:
        yield ALIASES_LEFT_OUT
    yield from (each.what for each in list_missing_exits(found.exits))
    yield from group_remarks(flatten_remarks(found.remarks))
    yield from found.to_nobody
    yield from _summarize_unknown(row for _, row in found.in_question)
    yield from found.unasked


def _summarize_unknown(rows: Iterable[PrintedRow]) -> Iterator[str]:
    """In one line what is not known and matters."""
    heading, lines = _unknown(rows)
    if lines:
        yield f"{heading} {'; '.join(lines)}"


def list_missing_exits(exits: Mapping[MissingInformation, Sequence[str]]) -> Iterator[Unknown]:
    """List the exits that nobody has given, each with who would call it."""
    yield from (Unknown(f"from {', '.join(members)}: {each.what}", each.command) for each, members in exits.items())


def print_plan(found: ChangePlan, page: Page | None = None) -> None:
    """Print each queue with what becomes of its puts before (-) and after (+), and the clauses that decide."""
    page = page or Page()
    rows = [*found.rows, *found.alias_rows]
    groups = group_alike_rows(rows)
    if not (groups and page.table(_build_plan_table(groups))):
        _print_plan_groups(groups, page)
    if rows:
        page.line()
    _print_upgrades(found, page)
    _print_findings(found, page)
    for line in describe_traffic(found):
        page.line(line)
    if found.restarts:
        page.line(f"sequence factors restart at zero at {', '.join(found.restarts)} (clause {found.restarts_by})")
    if rows:
        names = sorted({row.member for row in rows})
        changing = f"{len(rows)} rows of the map change" if len(rows) > 1 else "1 row of the map changes"
        page.line(f"{changing}, from {', '.join(names)}")
    else:
        page.line(describe_no_move(found))
    print_remarks(flatten_remarks(found.remarks), page, found.to_nobody)
    _print_exits(found.exits, page)
    _print_unknown([row for _, row in found.in_question], page)
    for said in found.unasked:
        page.line(Text(said, "dim"))
    for each in found.unknown_levels:
        page.line(Text(f"{each.what} of {each.object} is not known: {each.command} at {each.object}", "yellow"))


def describe_traffic(found: ChangePlan) -> Iterator[str]:
    """Describe how many real puts move, from where to where; nothing if no traffic is given."""
    if found.traffic is None:
        return
    total = found.traffic.total
    if len(found.moves) > 1:
        part = format_percent(sum(each.puts for each in found.moves) / total)
        yield f"{part} of {format_amount(total)} puts would move"
    for each in found.moves[:MOVES_SHOWN]:
        part = f"{format_percent(each.puts / total)} of {format_amount(total)} puts would"
        if not each.into:
            yield f"{part} fail that go to {each.out_of}"
        elif not each.out_of:
            yield f"{part} go to {each.into} that fail"
        else:
            yield f"{part} move from {each.out_of} to {each.into}"
    further = found.moves[MOVES_SHOWN:]
    if further:
        part = format_percent(sum(each.puts for each in further) / total)
        pairs = f"{len(further)} other pairs" if len(further) > 1 else "another pair"
        yield f"{part} of them would move between {pairs} of queue managers ({name_argument('to_json()')} shows them)"
    if not found.moves:
        alone = ", as far as each queue is put to alone" if found.rebalanced else ""
        yield f"none of {format_amount(total)} puts would move to another queue manager{alone}"
    if found.elsewhere:
        told = "of them are of queues, or at queue managers, that the map does not have"
        yield f"{format_amount(found.elsewhere)} {told}"


def describe_no_move(found: ChangePlan) -> str:
    """Say that no put goes elsewhere; where an exit may send it elsewhere, as far as the rules say."""
    if found.rebalanced:
        return "every queue alone has the shares that it had; remarks tell of queues that share channels"
    if found.exits:
        return "as far as the rules go, every put goes where it went"
    changes = found.changes_something or found.upgrades
    return "every put goes where it went" if changes else "nothing changes: every put goes where it went"


def describe_upgrades(found: ChangePlan) -> Iterator[str]:
    """Describe from which edition of MQ to which, once for members with the same upgrade."""
    groups: dict[tuple[str, str, str], list[Upgrade]] = {}
    for each in found.upgrades:
        groups.setdefault(each.gist, []).append(each)
    for (before, after, known), of in groups.items():
        places = [*dict.fromkeys(say_edition_source(each.edition_from) for each in of if each.edition_from)]
        shown = "; ".join([*places[:PLACES_SHOWN], *(["…"] if len(places) > PLACES_SHOWN else [])])
        names = join_names([each.queue_manager for each in of])
        yield f"upgrade of {names} from {before}{f' ({shown})' if shown else ''} to {after}{known}"


def build_plan_lines(rows: Sequence[PlanRow]) -> Iterator[tuple[Any, ...]]:
    """Build a line of SIDE_COLUMNS for each destination on each side."""
    for row in rows:
        for side, of in (("before", row.before), ("after", row.after)):
            for queue, member, *rest in build_map_lines([of]):
                yield (queue, member, float(row.moved), side, *rest, row.weight)


def build_map_lines(rows: Sequence[PrintedRow]) -> Iterator[tuple[Any, ...]]:
    """Build a line of CSV_COLUMNS for each destination, and one for puts that have none."""
    for row in rows:
        head = (row.queue, row.member, row.outcome, row.reason.code if row.reason else "")
        if not row.shares:
            yield (*head, "", "", "")
        for each in row.shares:
            yield (*head, each.destination.queue_manager, each.destination.channel, float(each.part))


def name_row(row: PrintedRow | PlanRow) -> str:
    """Name the queue of a row, or the alias of a queue manager as one."""
    return row.name if row.queue else f"{row.name} (queue manager)"


def group_by(many: Iterable[EachT], key: Callable[[EachT], Hashable]) -> list[list[EachT]]:
    """Group what has the same key, wherever it stands, by the first of each group."""
    found: dict[Hashable, list[EachT]] = {}
    for each in many:
        found.setdefault(key(each), []).append(each)
    return list(found.values())


def group_alike_rows(rows: Sequence[PlanRow]) -> list[list[PlanRow]]:
    """Group the rows of one queue whose members say the same of both sides."""

    def tell_row(row: PlanRow) -> Hashable:
        because = tuple((each.side, each.destination.queue_manager, each.because) for each in row.because)
        sides = tuple(render_destinations(side).plain for side in (row.before, row.after))
        return name_row(row), row.moved, row.is_of_opens, sides, because

    return group_by(rows, tell_row)


def group_causes(row: PlanRow) -> dict[str, list[str]]:
    """Say why destinations get nothing on one side, each reason once, with their queue managers."""
    found: dict[str, list[str]] = {}
    for cause in row.because:
        clause = f"clause {cause.rule.clause}, " if cause.rule else ""
        names = found.setdefault(f"{cause.side}: {clause}{cause.because}", [])
        if cause.destination.queue_manager not in names:
            names.append(cause.destination.queue_manager)
    return found


def format_moving_part(group: Sequence[PlanRow]) -> str:
    """Format the part of the puts of rows alike that moves, and how many they are where that is known."""
    part = format_percent(float(group[0].moved))
    weights = [row.weight for row in group if row.weight is not None]
    of = "opens" if group[0].is_of_opens else "puts"
    return f"{part} of {f'{format_amount(sum(weights))} puts' if weights else f'the {of}'}"


def list_remarks(rows: Iterable[PrintedRow]) -> Iterator[Remark]:
    """List the remarks on the puts of each row."""
    yield from ((row.name, row.member, each) for row in rows for each in row.remarks)


def flatten_remarks(remarks: Iterable[tuple[Mapping[str, str], str, str]]) -> Iterator[Remark]:
    """List the remarks of a plan by the name of the queue, or of the alias of a queue manager."""
    yield from ((name, member, said) for named, member, said in remarks for name in named.values())


def group_remarks(remarks: Iterable[Remark]) -> Iterator[str]:
    """Group remarks: each once, with the queues that it is about, those of the same members together."""
    groups: dict[str, dict[str, dict[str, None]]] = {}
    listed = list(remarks)
    joined = join_edition_remarks((member, said) for _, member, said in listed)
    for queue, member, each in listed:
        said = joined[member, each]
        groups.setdefault(said, {}).setdefault(queue, {})[member] = None
    for said, by_queue in groups.items():
        alike: dict[tuple[str, ...], list[str]] = {}
        for queue, members in by_queue.items():
            alike.setdefault(tuple(members), []).append(queue)
        about = (f"{join_names(queues)} from {join_names(list(members))}" for members, queues in alike.items())
        yield f"{'; '.join(about)}: {said}"


def join_edition_remarks(remarks: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Join what members say of the edition that decides, where it is the same but for the member; others stay."""
    found: dict[tuple[str, str], str] = {}
    alike: dict[tuple[str, str], dict[str, str]] = {}
    for member, said in remarks:
        found[member, said] = said
        split = split_edition_source(said, member)
        if split is not None:
            alike.setdefault(split, {})[member] = said
    for (before, after), of in alike.items():
        for member, said in of.items():
            found[member, said] = f"{before}{join_names(list(of))}{after}"
    return found


def print_remarks(remarks: Iterable[Remark], page: Page, further: Iterable[str] = ()) -> None:
    """Print the first of them, and how many more there are; then what is to be said besides."""
    said = list(group_remarks(remarks))
    for each in said[:REMARKS_SHOWN]:
        page.line(Text(each, "yellow"))
    if len(said) > REMARKS_SHOWN:
        page.line(Text(f"and {len(said) - REMARKS_SHOWN} more remarks: {name_argument('to_json()')}", "yellow"))
    for each in further:
        page.line(Text(each, "yellow"))


def format_amount(count: int) -> str:
    """Format a number as a person reads it: ``1,500 million``, ``1.25 million``, ``20,000``."""
    millions = count / MILLION
    if millions >= WITHOUT_FRACTION:
        return f"{millions:,.0f} million"
    return f"{millions:.3g} million" if count >= MILLION else f"{count:,}"


def format_percent(part: float) -> str:
    """Format a part as a person reads it: ``50 %``, ``66.7 %``, ``under 0.1 %``, ``over 99.9 %``."""
    if 0 < part < LEAST_PART:
        return f"under {100 * LEAST_PART:g} %"
    if 1 - LEAST_PART < round(part, 9) < 1:  # of parts that are floats the whole may be a little less than 1
        return f"over {100 - 100 * LEAST_PART:g} %"
    return f"{100 * part:.1f}".removesuffix(".0") + " %"


def render_destinations(row: PrintedRow) -> Text:
    """Render where the puts go: ``QM2 66.7 %, QM3 33.3 %``, or what they fail with."""
    if not row.shares:
        return Text(describe_outcome(row), "red" if row.reason else "")
    parts = sum_parts_by_name(row).items()
    return Text(", ".join(name if part == 1 else f"{name} {format_percent(float(part))}" for name, part in parts))


def describe_outcome(row: PrintedRow) -> str:
    """Describe how puts fail or end that reach no destination; blank for others."""
    reason = row.reason
    if reason is not None:
        return f"fails with {reason.name} ({reason.code})"
    return "" if row.shares else row.outcome


def sum_parts_by_name(row: PrintedRow) -> dict[str, Fraction]:
    """Sum the parts of the puts by queue manager, and by route where several of its have one."""
    hosts = [each.destination.queue_manager for each in row.shares]

    def name(destination: Destination) -> str:
        by_route = hosts.count(destination.queue_manager) > 1 or destination.transmission_queue
        return destination.host if by_route else destination.queue_manager

    return sum_parts(row.shares, name)


def _unknown(rows: Iterable[PrintedRow]) -> tuple[str, Sequence[str]]:
    """Who rests on what is not known, and a few objects with the command that tells of them and where it is run."""
    resting, asked = list_unknown(rows)
    lines = [f"{each.what}: {' '.join(filter(None, (each.command, each.where)))}" for each in asked[:UNKNOWN_SHOWN]]
    if len(asked) > UNKNOWN_SHOWN:
        lines.append(f"and {len(asked) - UNKNOWN_SHOWN} more: {name_argument('to_json()')}")
    return f"from {', '.join(resting)} this rests on what is not known:", lines


def _print_unknown(rows: Iterable[PrintedRow], page: Page) -> None:
    """What the rows rest on that is not known."""
    heading, lines = _unknown(rows)
    if lines:
        page.line()
        page.line(Text(heading, "yellow"))
    for line in lines:
        page.line(Text(line, "dim"), "", INDENT)


def _print_exits(exits: Mapping[MissingInformation, Sequence[str]], page: Page) -> None:
    """The same, with what tells more."""
    for each in list_missing_exits(exits):
        page.line()
        page.line(Text(each.what, "yellow"))
        page.line(Text(each.command, "dim"), "", INDENT)


def _print_groups(rows: Sequence[PrintedRow], page: Page) -> None:
    """A line for each queue; below it a line for the members that agree on where its puts go."""
    for name, of in groupby(rows, name_row):
        page.line(Text(name, "bold"))
        agreeing = group_by(of, lambda row: render_destinations(row).plain)
        labels = [f"from {', '.join(row.member for row in group)}" for group in agreeing]
        column = INDENT + max(map(len, labels)) + 2
        beside = not page.width or column + NARROWEST_PARTS <= page.width
        for label, (first, *_) in zip(labels, agreeing, strict=True):
            if beside:
                page.line(render_destinations(first), Text(f"{'':{INDENT}}{label}"), column)
            else:
                page.line(label, "", INDENT, hanging=len("from "))
                page.line(render_destinations(first), "", 2 * INDENT)


def _as_table(rows: Sequence[PrintedRow]) -> list[str]:
    """A line for each queue with a column for each member, below their names."""
    members = sorted({row.member for row in rows})
    lines = [["queue", *(f"from {name}" for name in members)]]
    for named, of in groupby(rows, name_row):
        cells = {row.member: render_destinations(row).plain for row in of}
        lines.append([named, *(cells.get(name, NOT_KNOWN) for name in members)])
    widths = [max(len(line[at]) for line in lines) for at in range(len(members) + 1)]
    return ["  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def _marked(line: str) -> Text:
    text = Text(line)
    text.highlight_regex(r"fails with \S+ \(\d+\)", "red")
    return text


def _print_plan_groups(groups: Sequence[Sequence[PlanRow]], page: Page) -> None:
    for group in groups:
        first, members = group[0], ", ".join(row.member for row in group)
        moved = f": {format_moving_part(group)} move" if first.moved else ""
        page.line(Text.assemble((name_row(first), "bold"), f" from {members}{moved}"))
        page.line(Text(render_destinations(first.before).plain, "red"), Text("  - ", "red"), INDENT + 2)
        page.line(Text(render_destinations(first.after).plain, "green"), Text("  + ", "green"), INDENT + 2)
        for said in _list_causes(first):
            page.line(Text(said, "dim"), "", INDENT + 2)


def _print_upgrades(found: ChangePlan, page: Page) -> None:
    for each in describe_upgrades(found):
        page.line(each)
    if found.upgrades:
        page.line()


def _print_findings(found: ChangePlan, page: Page) -> None:
    """What check finds on one side alone, as in a diff."""
    for sign, style, findings in (("-", "green", found.findings.gone), ("+", "red", found.findings.new)):
        for each in findings:
            told = f"{each.severity} {each.rule.id} at {each.queue_manager}: {each.message}"
            page.line(Text(told, style), Text(f"{sign} ", style), INDENT)
    if found.findings.new or found.findings.gone:
        page.line()


def _build_plan_table(groups: Sequence[Sequence[PlanRow]]) -> Table:
    """Build a table with a line for each group of rows alike, and a column for each destination."""
    cells = [_compare_shares(first) for first, *_ in groups]
    endings = [_compare_endings(first) for first, *_ in groups]
    members = [", ".join(row.member for row in group) for group in groups]
    names = sorted({name for each in cells for name in each})
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    table.add_column("queue", no_wrap=True, style="bold")
    table.add_column("from", min_width=min(WIDEST_NAMES, max(map(len, members))), max_width=WIDEST_NAMES)
    for name in ("moves", *names):
        table.add_column(name, no_wrap=True)
    if any(endings):
        table.add_column("goes nowhere", no_wrap=True)
    table.add_column("because", min_width=NARROWEST_TEXT, style="dim")
    for group, who, of, ending in zip(groups, members, cells, endings, strict=True):
        moved = format_moving_part(group) if group[0].moved else ""
        parts = [of.get(name, "") for name in names] + ([ending] if any(endings) else [])
        table.add_row(name_row(group[0]), who, moved, *parts, "\n".join(_list_causes(group[0])))
    return table


def _list_causes(row: PlanRow) -> Iterator[str]:
    yield from (f"{', '.join(names)} {said}" for said, names in group_causes(row).items())


def _compare_shares(row: PlanRow) -> Mapping[str, Text]:
    """The change of each destination's share, by its name; of one without a share on either side nothing."""
    before, after = sum_parts_by_name(row.before), sum_parts_by_name(row.after)
    names = dict.fromkeys([*before, *after])
    return {name: _part(before.get(name, NO_PART), after.get(name, NO_PART)) for name in names}


def _compare_endings(row: PlanRow) -> Text:
    """The reason codes on each side."""
    ends = (("-", describe_outcome(row.before)), ("+", describe_outcome(row.after)))
    return Text("\n").join(Text(f"{sign} {said}", STYLES[sign]) for sign, said in ends if said)


def _part(before: Fraction, after: Fraction) -> Text:
    """``+ 50 → 100 %`` of a part that grows."""
    sign = "-" if after < before else "+" if after > before else " "
    whole = format_percent(float(after))
    told = whole if sign == " " else f"{format_percent(float(before)).removesuffix(' %')} → {whole}"
    return Text(f"{sign} {told}", STYLES[sign])
