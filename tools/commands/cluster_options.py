"""What ``map`` and ``plan`` ask about a cluster: of which files, with which change, for which puts, by which rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any, TypeVar

import click
from attrs import evolve, frozen

from mqclause.answers.choice.engine import Engine
from mqclause.answers.cluster.cluster_map import MapRow, PrintedRow, ToldRow
from mqclause.answers.cluster.difference import PlanRow
from mqclause.exits.session import Exits
from mqclause.model.assembly.members import Members, changed_everywhere, local_of
from mqclause.model.assembly.snapshot import Snapshot, read_members
from mqclause.model.assembly.source import Source
from mqclause.model.assembly.view import OF_ITS_OWN
from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.readers.record import Script
from mqclause.model.readers.registry import contents_of
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.exit_options import exit_options, given_exits, print_not_named
from mqclause.tools.commands.inputs import facts_options, of_status, overlay_sources, sources, state_commands
from mqclause.tools.commands.options import (
    BIND_WORD,
    facts_argument,
    json_option,
    reading_option,
    rules_by,
    rules_options,
    unpadded,
)
from mqclause.tools.errors import NothingAskedError
from mqclause.tools.render.streams import print_warnings

RowT = TypeVar("RowT", MapRow, ToldRow, PlanRow)


def cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The arguments FACTS and the options that ClusterQuestion.of takes, and the forms of the answer."""
    options: list[Callable[..., Any]] = [
        facts_argument,
        click.option(
            "--queue", "pattern", type=unpadded, metavar="PATTERN", help="Only queues that fit; * is any text."
        ),
        click.option("--bind", type=BIND_WORD, default="NOTFIXED", help="Their binding (NOTFIXED)."),
        facts_options("Only puts that are made at this queue manager."),
        json_option,
        click.option("--csv", "as_csv", is_flag=True, help="CSV in place of text: a line for each destination."),
        reading_option,
        rules_options,
        exit_options,
    ]
    for option in reversed(options):
        command = option(command)
    return command


@frozen
class ClusterQuestion:
    """The files, the scripts and commands of a change, with the states that it sets, and the rows that are asked for.

    ``local`` is the member that is asked about, ``pattern`` what its queues have to fit; None: all.
    """

    files: Sequence[Source]
    overlays: Sequence[Source]
    commands: Sequence[str]
    states: Sequence[str]
    pattern: str | None
    local: str | None
    bind: str
    rules: Rules
    lenient: bool
    exits: Exits

    @classmethod
    def of(
        cls,
        facts: tuple[str, ...],
        overlays: tuple[str, ...],
        sets: Sequence[str],
        states: Sequence[str],
        bind: str,
        readings: tuple[str, ...],
        edition: str | None,
        named_format: str | None,
        exits: tuple[str, ...],
        exit_limit: str | None,
        **rest: Any,
    ) -> ClusterQuestion:
        """What the options ask. Raises ClickException and ReadingError."""
        files = sources(facts, (), named_format)
        states, rules = state_commands(states), rules_by(readings, edition)
        given = given_exits(exits, exit_limit)
        return cls(files, overlay_sources(overlays), sets, states, bind=bind.upper(), rules=rules, exits=given, **rest)

    def engine(self, members: Members) -> Engine:
        """The engine with the exits that are given; told are those that none of the members names."""
        if self.exits.names:
            print_not_named(self.exits, [each.cluster.queue_manager.clwlexit for each in members])
        return Engine(self.rules, exits=self.exits.given, exit_limit=self.exits.limit)

    def before(self) -> Members:
        """Every member as the files describe it. Raises FactsError."""
        return self._members(self.files)

    def after(self, before: Members) -> Members:
        """Every member with the change. Raises FactsError."""
        if self.overlays:
            names = {local_of(each) for each in before}
            before = self._members([*self.files, *(_owned(each, names) for each in self.overlays)])
        after = changed_everywhere(before, self.commands)
        with of_status():
            return changed_everywhere(after, self.states)

    def asked(self, members: Members) -> Members:
        """Those of the members that are asked about. Raises FactsError if there is none."""
        return tuple(each for each in members if self.local in (None, local_of(each)))

    def _members(self, files: Sequence[Source]) -> Members:
        """Also those that --from leaves out: a change may be of theirs."""
        try:
            found = read_members(files, None, self.lenient)
        except FactsError:
            if self.local is None:
                raise
            return read_members(files, self.local, self.lenient)
        return found if self.asked(found) else read_members(files, self.local, self.lenient)

    def fits(self, row: PrintedRow | PlanRow) -> bool:
        """Whether the queue of a row fits the pattern."""
        return self.pattern is None or fnmatchcase(row.name, self.pattern)

    def fitting(self, rows: Iterable[RowT]) -> list[RowT]:
        """The rows whose queue fits the pattern; raises NothingAskedError where there are rows and none does."""
        found = list(rows)
        fitting = [row for row in found if self.fits(row)]
        if found and not fitting:
            raise NothingAskedError(f"--queue: no queue that is known in a cluster fits {self.pattern!r}")
        return fitting


def print_member_warnings(members: Iterable[Snapshot]) -> None:
    """Writes the warnings of all members, but what one alone knows: here it is told of that one, too. Then remarks."""
    found = tuple(members)
    warnings = (each for member in found for each in member.warnings)
    told = [each for each in warnings if not each.message.endswith(OF_ITS_OWN)]
    print_warnings(told, [each for member in found for each in member.remarks])


def _owned(source: Source, members: set[str]) -> Source:
    """The script with its owner. Raises FactsError where it is not said whose it is."""
    contents = contents_of(source.data, source.name)
    if source.queue_manager or not isinstance(contents, Script) or contents.queue_manager:
        return source
    if len(members) > 1:
        message = f"does not say whose script it is; name it as QMGR={source.name}"
        raise FactsError([Diagnostic(source.name, message)])
    return evolve(source, queue_manager=next(iter(members)))


def one_form(as_json: bool, as_csv: bool) -> None:
    """Raises UsageError where two forms of the answer are asked for."""
    if as_json and as_csv:
        raise click.UsageError("--json and --csv are two forms of one answer; leave one out")
