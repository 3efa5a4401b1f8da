"""``mqclause map``: where the puts to every clustered queue go, seen from every member."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import TypeVar

import click

from mqclause.answers.cluster_map import MAP_FORMAT, MapRow, map_rows
from mqclause.answers.difference import PlanRow
from mqclause.answers.engine import Engine
from mqclause.model.assembly.snapshot import read_members
from mqclause.tools.commands.inputs import sources
from mqclause.tools.commands.options import (
    edition_option,
    from_option,
    json_option,
    lenient_option,
    reading_option,
    rules_by,
)
from mqclause.tools.errors import NothingAskedError
from mqclause.tools.render.overview import print_map, write_map
from mqclause.tools.render.streams import print_json, print_warnings

RowT = TypeVar("RowT", MapRow, PlanRow)

MAP_BINDS = ["OPEN", "NOTFIXED", "GROUP", "AS_Q_DEF"]

queue_option = click.option("--queue", "pattern", metavar="PATTERN", help="Only queues that fit; * is any text.")
bind_option = click.option(
    "--bind",
    type=click.Choice(MAP_BINDS, False),
    default="NOTFIXED",
    help="The binding of the puts (NOTFIXED).",
)
csv_option = click.option("--csv", "as_csv", is_flag=True, help="CSV in place of text: a line for each destination.")


@click.command("map")
@click.argument("facts", nargs=-1)
@queue_option
@from_option
@bind_option
@json_option
@csv_option
@reading_option
@edition_option
@lenient_option
def command(
    facts: tuple[str, ...],
    pattern: str | None,
    local: str | None,
    bind: str,
    as_json: bool,
    as_csv: bool,
    readings: tuple[str, ...],
    edition: str | None,
    lenient: bool,
) -> int:
    """Where do puts go? Every queue that is known in a cluster, from every queue manager that FACTS describe.

    A share is the part of the puts that a destination gets in the long run, by clause 12 from fresh counters.
    Exit status: 0, or 2 for bad input.
    """
    one_form(as_json, as_csv)
    members = read_members(sources(facts), local, lenient)
    rows = fitting(map_rows(members, Engine(rules_by(readings, edition)), bind.upper()), pattern)
    rows.sort(key=lambda row: (row.queue, row.member))
    print_warnings(each for member in members for each in member.warnings)
    if as_json:
        print_json({"format": MAP_FORMAT, "rows": [row.to_json() for row in rows]})
    elif as_csv:
        write_map(rows)
    else:
        print_map(rows)
    return 0


def fitting(rows: Iterable[RowT], pattern: str | None) -> list[RowT]:
    """The rows whose queue fits the pattern; raises NothingAskedError where none does."""
    found = [row for row in rows if pattern is None or fnmatchcase(row.queue, pattern)]
    if pattern is not None and not found:
        raise NothingAskedError(f"no queue that is known in a cluster fits {pattern!r}")
    return found


def one_form(as_json: bool, as_csv: bool) -> None:
    """Raises UsageError where two forms of the answer are asked for."""
    if as_json and as_csv:
        raise click.UsageError("--json and --csv are two forms of one answer; leave one out")
