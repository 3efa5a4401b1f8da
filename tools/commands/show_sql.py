"""What a rule becomes in SQL."""

from __future__ import annotations

import click

from mqclause.duckdb import show_sql
from mqclause.tables.query import UnknownRuleError
from mqclause.tools.commands.options import load_rules


def print_sql(name: str, readings: tuple[str, ...], edition: str | None) -> None:
    """Print the SQL that a rule or a ruleset becomes. Raises ClickException for what is neither."""
    try:
        print(show_sql(name, load_rules(readings, edition)))  # noqa: T201
    except UnknownRuleError as error:
        raise click.ClickException(str(error)) from None
