"""What a rule becomes in SQL."""

from __future__ import annotations

from importlib import import_module

import click

from mqclause.tables.query import UnknownRuleError
from mqclause.tools.commands.options import add_rules_options, load_rules, reading_option


@click.command("show-sql")
@click.argument("name", metavar="RULE|RULESET")
@reading_option
@add_rules_options
def command(name: str, readings: tuple[str, ...], edition: str | None) -> None:
    """Print the SQL that a rule or a ruleset becomes, as DuckDB runs it. It is that of DuckDB.

    A rule is named like workload.06, a ruleset like workload. A rule shows its expressions, a ruleset the whole query.
    """
    try:
        print(import_module("mqclause.duckdb").show_sql(name, load_rules(readings, edition)))  # noqa: T201
    except (UnknownRuleError, ImportError) as error:
        raise click.ClickException(str(error)) from None
