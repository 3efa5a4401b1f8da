"""A plan as a table, where a terminal is wide enough: what becomes of the part of the puts of each destination."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from attrs import frozen
from rich.table import Table
from rich.text import Text

from mqclause.answers.cluster.cluster_map import MapRow
from mqclause.tools.render.page import Page
from mqclause.tools.render.shares import how_it_ends, parts_by_name, percent

NARROWEST_TEXT, WIDEST_NAMES = 48, 24
"""How many characters the column of causes has at least, and that of members at most."""

STYLES = {"-": "red", "+": "green", " ": ""}
"""Of what is lost, what is gained and what stays, as in a diff."""

NONE = Fraction(0)


@frozen(eq=False)
class ChangedRow:
    """A queue, the members that see the same of it, the part of their puts that moves, both sides, and the causes."""

    queue: str
    members: str
    moved: str
    before: MapRow
    after: MapRow
    causes: Sequence[str]

    def cells(self) -> Mapping[str, Text]:
        """What becomes of each destination's part, by its name; of one that has none on either side nothing."""
        before, after = parts_by_name(self.before), parts_by_name(self.after)
        names = dict.fromkeys([*before, *after])
        return {name: _part(before.get(name, NONE), after.get(name, NONE)) for name in names}

    def endings(self) -> Text:
        """The reason codes on each side."""
        ends = (("-", how_it_ends(self.before)), ("+", how_it_ends(self.after)))
        return Text("\n").join(Text(f"{sign} {said}", STYLES[sign]) for sign, said in ends if said)


def print_plan_table(rows: Sequence[ChangedRow], page: Page) -> bool:
    """Prints a line for each row with a column for each destination; False where that does not fit."""
    return bool(rows) and page.table(_table(rows))


def _table(rows: Sequence[ChangedRow]) -> Table:
    cells, endings = [row.cells() for row in rows], [row.endings() for row in rows]
    names = sorted({name for each in cells for name in each})
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    table.add_column("queue", no_wrap=True, style="bold")
    table.add_column("from", min_width=min(WIDEST_NAMES, max(len(row.members) for row in rows)), max_width=WIDEST_NAMES)
    for name in ("moves", *names):
        table.add_column(name, no_wrap=True)
    if any(endings):
        table.add_column("goes nowhere", no_wrap=True)
    table.add_column("because", min_width=NARROWEST_TEXT, style="dim")
    for row, of, ending in zip(rows, cells, endings, strict=True):
        parts = [of.get(name, "") for name in names] + ([ending] if any(endings) else [])
        table.add_row(row.queue, row.members, row.moved, *parts, "\n".join(row.causes))
    return table


def _part(before: Fraction, after: Fraction) -> Text:
    """``+ 50 → 100 %`` of a part that grows."""
    sign = "-" if after < before else "+" if after > before else " "
    whole = percent(float(after))
    told = whole if sign == " " else f"{percent(float(before)).removesuffix(' %')} → {whole}"
    return Text(f"{sign} {told}", STYLES[sign])
