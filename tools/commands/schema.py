"""``mqclause schema``: the JSON schemas of what mqclause reads and writes."""

from __future__ import annotations

import json

import click

from mqclause.model.diagnostics import ArgumentError
from mqclause.schemas import list_schemas, read_schema


def print_schema(name: str | None) -> int:
    """Print a schema, or the names of all with what each is of; return 0. Raises UsageError."""
    if name is not None:
        try:
            schema = read_schema(name)
        except ArgumentError as error:
            raise click.UsageError(str(error)) from None
        click.echo(json.dumps(schema, ensure_ascii=False, indent=1))
        return 0
    listed = list_schemas()
    for each in listed:
        click.echo(
            f"{each:<{max(map(len, listed))}}  {read_schema(each)['description'].partition('. ')[0].rstrip('.')}"
        )
    return 0
