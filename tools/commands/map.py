"""``mqclause map``: where the puts to every clustered queue go, seen from every member."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import click

from mqclause.answers.choice.engine import Engine
from mqclause.answers.cluster.cluster_map import (
    MAP_FORMAT,
    MapRow,
    PrintedRow,
    ToldRow,
    alias_rows,
    aliases_in_clusters,
    map_rows,
    note_exits,
    queues_in_clusters,
)
from mqclause.model.assembly.members import Members
from mqclause.tools.commands.cluster_options import ClusterQuestion, cluster_options, one_form, print_member_warnings
from mqclause.tools.render.overview import ALIASES_LEFT_OUT, exits_said, print_map, unknown_said, write_map
from mqclause.tools.render.progress import followed
from mqclause.tools.render.remarks import remarks_on, remarks_said
from mqclause.tools.render.streams import in_json, print_pieces, print_warnings


@click.command("map")
@cluster_options
def command(as_json: bool, as_csv: bool, **options: Any) -> int:
    """Where do puts go? Every queue that is known in a cluster, from every queue manager that FACTS describe.

    Likewise every alias of a queue manager, for puts that name it as a queue manager. A share is the part of the puts
    that a destination gets in the long run, by clause 12 from fresh counters. With --set, --with or --status: where
    would they go? Exit status: 0, or 2 for bad input.
    """
    one_form(as_json, as_csv)
    question = ClusterQuestion.of(**options)
    members = question.asked(question.after(question.before()))
    print_member_warnings(members)
    with question.engine(members) as engine:
        rows = _rows(members, question, engine)
        if as_json:
            _print_json(question.fitting(rows))
        else:
            _print(question.fitting(map(ToldRow.of, rows)), as_csv)
    return 0


def _print(rows: list[ToldRow], as_csv: bool) -> None:
    rows.sort(key=_place)
    queues = [row for row in rows if row.queue]
    if as_csv:
        left = [] if len(queues) == len(rows) else [ALIASES_LEFT_OUT]
        print_warnings(
            (), [*left, *exits_said(note_exits(rows, {})), *remarks_said(remarks_on(rows)), *unknown_said(rows)]
        )
        write_map(queues)
    else:
        print_map(rows)


def _print_json(rows: list[MapRow]) -> None:
    rows.sort(key=_place)
    told = followed((row.to_json() for row in rows), max(len(rows), 1))
    queues = sum(bool(row.queue) for row in rows)
    document: dict[str, Any] = {"format": MAP_FORMAT, "rows": islice(told, queues)}
    print_pieces(in_json(document | ({"queue_manager_aliases": told} if len(rows) > queues else {})))


def _place(row: PrintedRow) -> tuple[bool, str, str]:
    """Queues come before aliases of queue managers."""
    return not row.queue, row.name, row.member


def _rows(members: Members, question: ClusterQuestion, engine: Engine) -> Iterator[MapRow]:
    bind = question.bind
    clusters = [each.cluster for each in members]
    total = sum(len(queues_in_clusters(each)) + len(aliases_in_clusters(each)) for each in clusters)
    yield from followed(chain(map_rows(members, engine, bind), alias_rows(members, engine, bind)), total)
