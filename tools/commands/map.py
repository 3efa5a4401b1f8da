"""``mqclause map``: where the puts to every clustered queue go, seen from every member."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from mqclause.cluster.map import (
    MAP_FORMAT,
    MapRow,
    PrintableRow,
    PrintedRow,
    build_alias_rows,
    build_map_rows,
    list_clustered_aliases,
    list_clustered_queues,
    note_exits,
)
from mqclause.model.configuration.members import Members
from mqclause.tools.commands.options import (
    ClusterQuestion,
    Inputs,
    check_one_form,
    group_options,
    print_member_warnings,
)
from mqclause.tools.render.cluster import (
    ALIASES_LEFT_OUT,
    describe_missing_exits,
    group_remarks,
    list_remarks,
    print_map,
    summarize_unknown,
    write_map,
)
from mqclause.tools.render.streams import print_pieces, print_warnings, render_json
from mqclause.tools.render.terminal import track_progress
from mqclause.workload.decision import Engine


@group_options(inputs=Inputs)
def map_puts(inputs: Inputs, pattern: str | None, bind: str, as_json: bool, as_csv: bool) -> int:
    """Show where puts go, and return the exit status. Raises FactsError and UsageError."""
    check_one_form(as_json, as_csv)
    question = ClusterQuestion.of(inputs, pattern, bind)
    members = question.asked(question.after(question.before()))
    print_member_warnings(members)
    with question.engine(members) as engine:
        rows = _rows(members, question, engine)
        if as_json:
            _print_json(question.fitting(rows))
        else:
            _print(question.fitting(map(PrintableRow.of, rows)), as_csv)
    return 0


def _print(rows: list[PrintableRow], as_csv: bool) -> None:
    rows.sort(key=_place)
    queues = [row for row in rows if row.queue]
    if as_csv:
        left = [] if len(queues) == len(rows) else [ALIASES_LEFT_OUT]
        print_warnings(
            (),
            [
                *left,
                *describe_missing_exits(note_exits(rows, {})),
                *group_remarks(list_remarks(rows)),
                *summarize_unknown(rows),
            ],
        )
        write_map(queues)
    else:
        print_map(rows)


def _print_json(rows: list[MapRow]) -> None:
    rows.sort(key=_place)
    told = track_progress((row.to_json() for row in rows), max(len(rows), 1))
    queues = sum(bool(row.queue) for row in rows)
    document: dict[str, Any] = {"format": MAP_FORMAT, "rows": islice(told, queues)}
    print_pieces(render_json(document | ({"queue_manager_aliases": told} if len(rows) > queues else {})))


def _place(row: PrintedRow) -> tuple[bool, str, str]:
    """Queues come before aliases of queue managers."""
    return not row.queue, row.name, row.member


def _rows(members: Members, question: ClusterQuestion, engine: Engine) -> Iterator[MapRow]:
    bind = question.bind
    clusters = [each.cluster for each in members]
    total = sum(len(list_clustered_queues(each)) + len(list_clustered_aliases(each)) for each in clusters)
    yield from track_progress(
        chain(build_map_rows(members, engine, bind), build_alias_rows(members, engine, bind)), total
    )
