"""What a rule becomes in SQL."""

from __future__ import annotations

import click

from mqclause.duckdb import show_sql
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
        print(show_sql(name, load_rules(readings, edition)))  # noqa: T201
    except UnknownRuleError as error:
        raise click.ClickException(str(error)) from None
