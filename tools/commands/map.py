"""``mqclause map``: where the puts to every clustered queue go, seen from every member."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from importlib import import_module
from itertools import chain, islice
from typing import Any, TypeVar

from attrs import evolve, frozen

from mqclause.cluster.map import (
    MAP_FORMAT,
    MapRow,
    PrintableRow,
    PrintedRow,
    build_alias_rows,
    build_map_rows,
    list_clustered_aliases,
    list_clustered_queues,
)
from mqclause.cluster.plan import PlanRow
from mqclause.exits.process import Exits
from mqclause.model.configuration.members import Members, apply_changes_everywhere, get_local_name, read_members
from mqclause.model.configuration.snapshot import Snapshot
from mqclause.model.configuration.sources import Source
from mqclause.model.configuration.view import FOREIGN_CHANNELS_IGNORED
from mqclause.model.diagnostics import Diagnostic, FactsError
from mqclause.model.readers.records import Script
from mqclause.model.readers.registry import read_contents
from mqclause.render.cluster import (
    CSV_COLUMNS,
    build_map_lines,
    list_left_out_of_map,
    print_map,
)
from mqclause.render.terminal import track_progress
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.options import (
    Inputs,
    blame_status_option,
    build_state_commands,
    group_options,
    print_unnamed_exits,
    read_inputs,
    read_overlays,
)
from mqclause.tools.errors import NothingAskedError
from mqclause.tools.output import (
    check_drawing,
    check_page,
    load_pages,
    print_pieces,
    print_warnings,
    render_json,
    write_answer,
    write_csv,
    write_page,
)
from mqclause.workload.decision import Engine
from mqclause.workload.editions import get_levels, list_level_remarks

RowT = TypeVar("RowT", MapRow, PrintableRow, PlanRow)


@frozen
class ClusterQuestion:
    """The question of map and plan: the files, a change of them, and the rows to show.

    ``then``, ``overlays``, ``states`` and the commands of ``inputs`` are the change; ``then`` describes every member
    anew. ``pattern`` is what queues have to fit; None: all.
    """

    inputs: Inputs
    pattern: str | None
    bind: str
    files: Sequence[Source]
    overlays: Sequence[Source]
    states: Sequence[str]
    rules: Rules
    exits: Exits
    then: Sequence[Source] = ()

    @classmethod
    def of(cls, inputs: Inputs, pattern: str | None, bind: str, then: tuple[str, ...] = ()) -> ClusterQuestion:
        """Read the files that the options name, and load the rules. Raises ClickException and ReadingError."""
        files, states = read_inputs(inputs.facts, inputs.named_format), build_state_commands(inputs.states)
        rules, exits = inputs.load_rules(), inputs.load_exits()
        overlays, later = read_overlays(inputs.overlays), read_inputs(then, inputs.named_format) if then else []
        return cls(inputs, pattern, bind.upper(), files, overlays, states, rules, exits, later)

    def engine(self, members: Iterable[Snapshot]) -> Engine:
        """Return the engine with the exits that are given; told are those that none of the members names."""
        if self.exits.names:
            print_unnamed_exits(self.exits, [each.cluster.queue_manager.clwlexit for each in members])
        return Engine(self.rules, exits=self.exits.given, exit_limit=self.exits.limit)

    def before(self) -> Members:
        """Return every member as the files describe it. Raises FactsError."""
        return self._members(self.files)

    def after(self, before: Members) -> Members:
        """Return every member with the change. Raises FactsError."""
        files = self.then or self.files
        described = self._members(files) if self.then else before
        if self.overlays:
            names = {get_local_name(each) for each in described}
            described = self._members([*files, *(_owned(each, names) for each in self.overlays)])
        after = apply_changes_everywhere(described, self.inputs.sets)
        with blame_status_option():
            return apply_changes_everywhere(after, self.states)

    def asked(self, members: Members) -> Members:
        """Return those of the members that are asked about. Raises FactsError if there is none."""
        return Members(each for each in members if self.inputs.local in (None, get_local_name(each)))

    def _members(self, files: Sequence[Source]) -> Members:
        """Also those that --from leaves out: a change may be of theirs."""
        try:
            found = read_members(files, None, self.inputs.lenient)
        except FactsError:
            if self.inputs.local is None:
                raise
            return read_members(files, self.inputs.local, self.inputs.lenient)
        return found if self.asked(found) else read_members(files, self.inputs.local, self.inputs.lenient)

    def is_queue_named(self, name: str) -> bool:
        """Return whether the name of a queue fits the pattern."""
        return self.pattern is None or fnmatchcase(name, self.pattern)

    def fitting(self, rows: Iterable[RowT]) -> list[RowT]:
        """Return the rows whose queue fits the pattern; raises NothingAskedError where there are rows and none does."""
        found = list(rows)
        fitting = [row for row in found if self.is_queue_named(row.name)]
        self.check_any_fits(bool(fitting) or not found)
        return fitting

    def check_any_fits(self, fits: bool) -> None:
        """Raise NothingAskedError unless some queue ``fits`` the pattern."""
        if not fits:
            raise NothingAskedError(f"--queue: no queue that is known in a cluster fits {self.pattern!r}")


def print_member_warnings(members: Iterable[Snapshot]) -> None:
    """Write the warnings of all members, but what one alone knows: here it is told of that one, too. Then remarks."""
    found = tuple(members)
    warnings = (each for member in found for each in member.warnings)
    told = [each for each in warnings if not each.message.endswith(FOREIGN_CHANNELS_IGNORED)]
    print_warnings(told, [each for member in found for each in member.remarks])


@frozen
class MapOutput:
    """The forms of the answer. Raises UsageError and NotInstalledError for pictures that cannot be."""

    as_json: bool = False
    as_csv: bool = False
    html: str | None = None
    svg: str | None = None
    mermaid: bool = False

    def __attrs_post_init__(self) -> None:
        check_page(self.html, is_drawn=True)
        check_drawing(self.svg)
        if self.mermaid:
            load_pages("--mermaid")

    @property
    def is_drawn(self) -> bool:
        """Whether a picture of the answer is asked for."""
        return self.html is not None or self.svg is not None or self.mermaid

    def note_flows(self, rows: Iterable[MapRow], engine: Engine, found: list[Any]) -> Iterator[MapRow]:
        """Add to ``found`` what is drawn of each row, if anything is."""
        from_row = self.is_drawn and import_module("mqclause.pages.cluster").Flow.of
        for row in rows:
            if from_row:
                found.append(from_row(row, engine))
            yield row

    def write(self, flows: Sequence[Any], members: Members, rules: Rules) -> None:
        """Write the pictures. Raises NotWrittenError."""
        from mqclause.pages.cluster import render_drawing, render_mermaid, view_cluster

        view = view_cluster(flows, members, rules, draw=self.html is not None or self.svg is not None)
        if self.html is not None:
            write_page(self.html, view)
        if self.svg is not None:
            write_answer(self.svg, render_drawing(view))
        if self.mermaid:
            print_pieces([render_mermaid(view)])


@group_options(inputs=Inputs, output=MapOutput)
def map_puts(inputs: Inputs, output: MapOutput, pattern: str | None, bind: str) -> int:
    """Show where puts go, and return the exit status. Raises FactsError and UsageError."""
    question = ClusterQuestion.of(inputs, pattern, bind)
    members = question.asked(question.after(question.before()))
    print_member_warnings(members)
    with question.engine(members) as engine:
        flows = list[Any]()
        rows = output.note_flows(_rows(members, question, engine), engine, flows)
        if output.as_json:
            told = question.fitting(rows)
        else:
            print_warnings((), list_level_remarks(question.rules, get_levels(each.cluster for each in members)))
            printed = question.fitting(map(PrintableRow.of, rows))
        if output.is_drawn:
            output.write([each for each in flows if question.is_queue_named(each.name)], members, engine.rules)
        if output.as_json:
            _print_json(told)
        elif not output.mermaid:
            _print(printed, output.as_csv)
    return 0


def _print(rows: list[PrintableRow], as_csv: bool) -> None:
    rows.sort(key=_place)
    if as_csv:
        print_warnings((), list_left_out_of_map(rows))
        write_csv(CSV_COLUMNS, build_map_lines([row for row in rows if row.queue]))
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


def _owned(source: Source, members: set[str]) -> Source:
    """The script with its owner. Raises FactsError where it is not said whose it is."""
    contents = read_contents(source.data, source.name)
    if source.queue_manager or not isinstance(contents, Script) or contents.queue_manager:
        return source
    if len(members) > 1:
        message = f"does not say whose script it is; name it as QMGR={source.name}"
        raise FactsError([Diagnostic(source.name, message)])
    return evolve(source, queue_manager=next(iter(members)))
