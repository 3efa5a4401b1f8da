"""``mqclause commands``: what to ask runmqsc, so that another subcommand knows all that it can use."""

from __future__ import annotations

import click

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
