"""Print what needs no input: the JSON schemas of what mqclause reads and writes, and what to ask runmqsc."""

from __future__ import annotations

import json

import click

from mqclause.model.diagnostics import ArgumentError
from mqclause.schemas import list_schemas, read_schema

ALL_KINDS = {
    "QMGR": ("explain", "why", "check"),
    "QUEUE(*)": ("explain", "why", "check"),
    "NAMELIST(*)": ("explain", "why", "check"),
    "PROCESS(*)": ("why", "check"),
    "CHANNEL(*)": ("explain", "why", "check"),
    "QCLUSTER(*)": ("explain", "check"),
    "CLUSQMGR(*)": ("explain", "check"),
    "CHSTATUS(*)": ("explain", "why", "check"),
    "QSTATUS(*) TYPE(QUEUE)": ("why", "check"),
    "QSTATUS(*) TYPE(HANDLE)": ("why", "check"),
}
"""What runmqsc displays, and the subcommands whose answers rest on it."""


def list_display_commands(subcommand: str) -> list[str]:
    """List the MQSC commands whose output tells everything that a subcommand can use."""
    return [f"DISPLAY {what} ALL" for what, users in ALL_KINDS.items() if subcommand in users]


def print_display_commands(subcommand: str) -> int:
    """Print the DISPLAY commands whose output contains everything that a subcommand can use."""
    for each in list_display_commands(subcommand):
        click.echo(each)
    return 0


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
