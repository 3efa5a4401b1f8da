"""What a rule becomes in SQL."""

from __future__ import annotations

from importlib import import_module

import click

from mqclause.tables.shown import UnknownRuleError
from mqclause.tools.commands.options import reading_option, rules_by


@click.command("show-sql")
@click.argument("name", metavar="RULE|RULESET")
@click.option("--dialect", type=click.Choice(["duckdb", "spark"]), default="duckdb", show_default=True)
@reading_option
def command(name: str, dialect: str, readings: tuple[str, ...]) -> None:
    """What a rule or a ruleset becomes in SQL.

    A rule is named like workload.06, a ruleset like workload. Of a rule the bindings that it makes, of a ruleset all
    that answers a row of a table.
    """
    try:
        click.echo(import_module(f"mqclause.{dialect}").show_sql(name, rules_by(readings)))
    except (UnknownRuleError, ImportError) as error:
        raise click.ClickException(str(error)) from None
