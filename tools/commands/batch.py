"""``mqclause batch``: a table of puts in, the same table with a decision in every row out."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from mqclause.exits.session import Exits
from mqclause.model.configuration.snapshot import Snapshot, read_snapshots_by_name, read_sources
from mqclause.model.facts.cluster import Cluster
from mqclause.rulebook.rules import Rules
from mqclause.tables.flat import GIVEN_FIELDS
from mqclause.tables.schema import PUT_NAMES
from mqclause.tools.batch.put_columns import get_option_name
from mqclause.tools.batch.run import Batch, EngineName, check_output, run_batch
from mqclause.tools.batch.tables import ENDINGS, find_table
from mqclause.tools.commands.options import (
    Inputs,
    add_exit_options,
    add_facts_options,
    add_rules_options,
    group_options,
    json_option,
    parse_file_name,
    print_unnamed_exits,
    reading_option,
)
from mqclause.tools.render.streams import print_warnings
from mqclause.workload.editions import EditionInForce, get_levels, list_level_remarks
from mqclause.workload.exit_answer import find_missing_exit


def parse_memory_size(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """Parse a size like 2GB or 512MB, in upper case; raises BadParameter."""
    if not re.fullmatch("[1-9][0-9]*[MGT]B", value.upper()):
        raise click.BadParameter(f"{value!r} is not a size like 2GB or 512MB")
    return value.upper()


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


HELP = {
    "queue": "The queue that is put to, in a flat table.",
    "queue_manager": "The queue manager, or alias, that the put names.",
    "bind": "The binding.",
    "call": "The MQI call.",
    "from_cluster_channel": "Whether the message came over a cluster channel.",
    "cluster_pcf": "Whether it holds a command of MQ's own.",
    "already_sent_to": "The queue managers that it went to.",
    "clwlmruc": "CLWLMRUC of the local queue manager.",
}
"""What the options about the columns of a flat table name."""


def put_columns(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say where a flat table has the fields of a put."""
    for name in reversed(GIVEN_FIELDS):
        option = f"--{get_option_name(name)}"
        command = click.option(option, f"of_{name}", metavar="COLUMN|=VALUE", callback=_word, help=HELP[name])(command)
    return command


def _word(_context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value == "":
        raise click.UsageError(f"{parameter.opts[0]}: '' is no column")
    return value


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


@click.command("batch", epilog=f"Files end in {', '.join(ENDINGS)}.")
@click.argument("source", type=parse_file_name, metavar="IN")
@click.argument("out", type=parse_file_name, metavar="OUT")
@click.option(
    "--engine",
    type=click.Choice(["duckdb", "spark"]),
    default="duckdb",
    show_default=True,
    help="The engine that runs it.",
)
@click.option("--explain", is_flag=True, help="Add the rule that removed each destination (eliminated_by).")
@reading_option
@add_rules_options
@click.option(
    "--memory",
    callback=parse_memory_size,
    metavar="SIZE",
    default="2GB",
    show_default=True,
    help="The memory that the engine may use.",
)
@add_facts_options("The local queue manager of all rows, where several dumps are given.")
@click.option(
    "--facts",
    multiple=True,
    type=parse_file_name,
    metavar="FILE",
    help="The cluster, for rows without destinations.",
)
@click.option("--at", metavar="COLUMN", help="The column with the local queue manager of each put.")
@put_columns
@click.option("--shares", is_flag=True, help="Add the destinations that get puts in the long run, with their shares.")
@click.option(
    "--spread", metavar="COLUMN", help="Choose among equal destinations by the value of this column, in these shares."
)
@add_exit_options
@json_option
@group_options(inputs=Inputs)
def command(inputs: Inputs, source: str, out: str, engine: EngineName, as_json: bool, **options: Any) -> int:
    """Decide every row of a table: OUT has the rows and columns of IN, in any order, and a column decision.

    IN and OUT are Parquet, CSV or JSON Lines, in any combination; IN may be a folder of such files. In CSV, nested
    columns are JSON text. A flat table, such as a log with a column for the queue, needs --facts and --queue
    or --queue-manager. Their values are columns, or values for every row such as --bind NOTFIXED; after = they are
    always values. OUT appears when it is complete, and replaces a file of that name. With --engine spark a Parquet OUT
    is a folder of part files, if there are several. The summary goes to standard output. Rows for which --exit gives
    the exit that CLWLEXIT names are decided in Python, not in SQL.
    Exit status: 0, or 2 for bad input, also if a row is invalid: decision.message says why.
    """
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
