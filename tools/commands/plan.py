"""``mqclause plan``: what a change does to the cluster: where puts go before and after, and the clauses that decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from attrs import evolve

from mqclause.answers.difference import PLAN_FORMAT, plan, restarting
from mqclause.answers.engine import Engine
from mqclause.model.assembly.members import Members, changed_everywhere, local_of, suspended, unreachable, without
from mqclause.model.assembly.snapshot import Source, read_members
from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.readers.record import Script
from mqclause.model.readers.registry import contents_of
from mqclause.tools.commands.inputs import overlay_sources, sources, state_commands
from mqclause.tools.commands.map import bind_option, csv_option, fitting, one_form, queue_option
from mqclause.tools.commands.options import (
    edition_option,
    from_option,
    json_option,
    lenient_option,
    reading_option,
    rules_by,
)
from mqclause.tools.render.overview import Differences, print_plan, write_plan
from mqclause.tools.render.streams import print_json, print_warnings

SOMETHING_CHANGES = 3
"""The exit status where something changes."""


@click.command("plan")
@click.argument("facts", nargs=-1)
@click.option("--with", "scripts", multiple=True, metavar="[QMGR=]FILE", help="A script that a member would run.")
@click.option("--set", "sets", multiple=True, metavar="COMMAND", help="A change: 'QLOCAL(Q) QMGR(QM2) PUT(DISABLED)'.")
@click.option("--status", "states", multiple=True, metavar="CHANNEL=STATE", help="Another state of a channel.")
@click.option("--without", "left_out", multiple=True, metavar="QMGR", help="Leave a member out of the cluster.")
@click.option("--fail", "failing", multiple=True, metavar="QMGR", help="Channels to a member are RETRYING.")
@click.option("--suspend", "suspending", multiple=True, metavar="QMGR", help="Suspend a member in its clusters.")
@queue_option
@from_option
@bind_option
@json_option
@csv_option
@reading_option
@edition_option
@lenient_option
def command(facts: tuple[str, ...], as_json: bool, as_csv: bool, **options: Any) -> int:
    """What does a change do? The puts that go elsewhere, from every queue manager that FACTS describe, and why.

    FACTS are as for map. Exit status: 0 nothing changes, 3 something does, 2 bad input.
    """
    one_form(as_json, as_csv)
    found = differences(sources(facts), **options)
    if as_json:
        print_json(_document(found))
    elif as_csv:
        write_plan(found.rows)
    else:
        print_plan(found)
    return SOMETHING_CHANGES if found.rows else 0


def differences(
    files: Sequence[Source],
    scripts: Sequence[str],
    sets: Sequence[str],
    states: Sequence[str],
    left_out: Sequence[str],
    failing: Sequence[str],
    suspending: Sequence[str],
    pattern: str | None,
    local: str | None,
    bind: str,
    readings: tuple[str, ...],
    edition: str | None,
    lenient: bool,
) -> Differences:
    """What the options change. Raises FactsError, UsageError and NothingAskedError."""
    engine = Engine(rules_by(readings, edition))
    before = _members(files, local, lenient)
    names = {local_of(each) for each in before}
    after = _members([*files, *_added(scripts, names)], local, lenient) if scripts else before
    after = changed_everywhere(after, [*sets, *state_commands(states)])
    for change, of in ((without, left_out), (unreachable, failing), (suspended, suspending)):
        for name in of:
            after = change(after, name)
    print_warnings(warning for each in {*before, *after} for warning in each.warnings)
    asked = [each for each in before if local in (None, local_of(each))]
    rows = plan(asked, after, engine, bind.upper())
    rows = fitting(rows, pattern) if pattern is not None and rows else rows
    return Differences(rows, restarting(asked, after, engine), [local_of(each) for each in asked])


def _members(files: Sequence[Source], local: str | None, lenient: bool) -> Members:
    """Every member, also those that --from leaves out: a change may be of theirs."""
    try:
        return read_members(files, None, lenient)
    except FactsError:
        if local is None:
            raise
        return read_members(files, local, lenient)


def _added(scripts: Sequence[str], members: set[str]) -> list[Source]:
    """The scripts, each with its owner. Raises FactsError where it is not said whose a script is."""
    return [_owned(each, members) for each in overlay_sources(tuple(scripts))]


def _owned(source: Source, members: set[str]) -> Source:
    contents = contents_of(source.data, source.name)
    if source.queue_manager or not isinstance(contents, Script) or contents.queue_manager:
        return source
    if len(members) > 1:
        message = f"does not say whose script it is; name it as QMGR={source.name}"
        raise FactsError([Diagnostic(source.name, message)])
    return evolve(source, queue_manager=next(iter(members)))


def _document(found: Differences) -> dict[str, Any]:
    return {
        "format": PLAN_FORMAT,
        "rows": [row.to_json() for row in found.rows],
        "findings": {"new": [], "gone": []},
        "restarts": list(found.restarts),
    }
