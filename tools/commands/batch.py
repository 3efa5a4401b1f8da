"""``mqclause batch``, a table of puts with a decision in every row, and ``mqclause show-sql``, what a rule becomes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from mqclause.duckdb import show_sql
from mqclause.exits.process import Exits
from mqclause.model.configuration.snapshot import Snapshot, read_snapshots_by_name, read_sources
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.rules import Rules
from mqclause.tables.flat import GIVEN_FIELDS
from mqclause.tables.query import UnknownRuleError
from mqclause.tables.schema import PUT_NAMES
from mqclause.tools.batch.put_columns import get_option_name
from mqclause.tools.batch.run import Batch, EngineName, check_output, run_batch
from mqclause.tools.batch.tables import find_table
from mqclause.tools.commands.options import Inputs, group_options, print_unnamed_exits
from mqclause.tools.output import print_warnings
from mqclause.workload.editions import EditionInForce, get_levels, list_level_remarks
from mqclause.workload.exit_answer import find_missing_exit


def read_local_views(inputs: Inputs, at: str | None) -> Snapshot | Mapping[str, Snapshot] | None:
    """Read what the local queue manager knows; with ``at`` what each queue manager that a source describes knows.

    Raises FactsError and UsageError.
    """
    given = inputs.read_sources() if inputs.facts else []
    if at is None:
        if given:
            read = read_sources(given, inputs.local, inputs.lenient)
            print_warnings(read.warnings, read.remarks)
            return inputs.apply_changes(read)
        if inputs.sets or inputs.states or inputs.local is not None:
            raise click.UsageError("--from, --set and --status need --facts")
        return None
    if not at:
        raise click.UsageError("--at: '' is no column")
    if not given or inputs.local is not None:
        raise click.UsageError("--at needs --facts, and goes without --from: each row says where it is")
    if inputs.sets or inputs.states:
        raise click.UsageError("--set and --status are what if for one queue manager; beside --at use --with")
    members = read_snapshots_by_name(given, inputs.lenient)
    for each in members.values():
        print_warnings(each.warnings, each.remarks)
    return members


def print_exits(cluster: Cluster | Mapping[str, Cluster] | None, exits: Exits, rules: Rules) -> None:
    """Tell which rows exits decide, which exits are missing, and which are not named by any CLWLEXIT."""
    clusters = [cluster] if isinstance(cluster, Cluster) else list((cluster or {}).values())
    own, given = [each.queue_manager for each in clusters], exits.names
    if in_python := ", ".join(f"{each.name} (CLWLEXIT {each.clwlexit})" for each in own if each.clwlexit in given):
        click.echo(f"decided in Python, not in SQL: rows of {in_python}", err=True)
    missing = ((each.name, find_missing_exit(rules, each, given)) for each in own if each.clwlexit)
    print_warnings((), [f"from {name}: {what.what}" for name, what in missing if what is not None])
    print_unnamed_exits(exits, [each.clwlexit for each in own])


def find_editions(views: Collection[Snapshot], rules: Rules) -> tuple[EditionInForce, ...]:
    """Find by which edition each local queue manager chooses; a table with its own destinations does not say whose."""
    if views:
        return tuple(EditionInForce.at(each, rules) for each in views)
    return (EditionInForce("", rules.edition, rules.describe_edition_source("", 0)),)


def take_column_options(options: dict[str, Any], facts: Sequence[str]) -> dict[str, str]:
    """Take the options about the columns of a flat table out of ``options``. Raises UsageError."""
    words = {name: word for name in GIVEN_FIELDS if (word := options.pop(f"of_{name}")) is not None}
    told = [f"--{get_option_name(name)}" for name in words]
    if words and not facts:
        raise click.UsageError(f"{told[0]} needs --facts: a flat table has no destinations of its own")
    if words and not words.keys() & set(PUT_NAMES):
        raise click.UsageError(
            f"{told[0]} goes with --queue or --queue-manager: a flat table has the names that puts give"
        )
    return words


@group_options(inputs=Inputs)
def decide_table(inputs: Inputs, source: str, out: str, engine: EngineName, as_json: bool, **options: Any) -> int:
    """Decide every row of a table and return the exit status. Raises BatchError, FactsError and UsageError."""
    table = find_table(Path(source))
    kind = check_output(table, Path(out))
    words = take_column_options(options, inputs.facts)
    if options["spread"] == "":
        raise click.UsageError("--spread: '' is no column")
    exits = inputs.load_exits()
    if (exits.given or inputs.overlays) and not inputs.facts:
        message = (
            "--with needs --facts" if inputs.overlays else "--exit needs --facts: they say where CLWLEXIT names it"
        )
        raise click.UsageError(message)
    views, rules = read_local_views(inputs, options["at"]), inputs.load_rules()
    of_one = views if isinstance(views, Snapshot) else None
    several = views if isinstance(views, Mapping) else {}
    cluster = of_one.cluster if of_one else {name: each.cluster for name, each in several.items()} or None
    editions = find_editions([of_one] if of_one else several.values(), rules)
    batch = Batch(table, Path(out), kind, cluster, rules, **options, exits=exits, words=words, editions=editions)
    print_warnings((), list_level_remarks(rules, get_levels(batch.clusters)))
    print_exits(cluster, exits, rules)
    return run_batch(batch, engine, as_json)


@group_options(inputs=Inputs)
def print_sql(inputs: Inputs, name: str) -> None:
    """Print the SQL that a rule or a ruleset becomes. Raises ClickException for what is neither."""
    try:
        print(show_sql(name, inputs.load_rules()))  # noqa: T201
    except UnknownRuleError as error:
        raise click.ClickException(str(error)) from None
