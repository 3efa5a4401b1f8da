"""The command line. Answers go to standard output, faults to standard error, one line each."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

BAD_INPUT = 2
OUR_ERROR = 3

SUBCOMMANDS = {
    "batch": "Decide every row of a table: OUT has the rows and columns of IN, in any order, and a column decision.",
    "explain": "Which destination does a put go to, and which clause removed each of the others?",
    "replay": "What happens over time: routing, trigger messages and what held them back, event by event.",
    "show-sql": "What a rule or a ruleset becomes in SQL.",
    "why": "Why does QUEUE not trigger? Every condition that would fail for a message put now",
}
"""The subcommands, each a module of mqclause.tools.commands, and what their help begins with."""


class Subcommands(click.Group):
    """Loads the module of a subcommand when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, without loading anything."""
        return sorted(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The subcommand of a name, loaded now; None if there is none."""
        if cmd_name not in SUBCOMMANDS:
            return None
        found: click.Command = import_module(f"mqclause.tools.commands.{cmd_name.replace('-', '_')}").command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the subcommands in the help, without loading them."""
        stubs = {name: click.Command(name, help=said) for name, said in SUBCOMMANDS.items()}
        click.Group(commands=stubs).format_commands(ctx, formatter)


@click.command(cls=Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mqclause")
def command_line() -> None:
    """The clauses of IBM MQ's documents as rules: where a message goes, whether a queue triggers, and why."""


def main() -> None:
    """Runs the command line and exits with its status; no input ends in a traceback."""
    try:
        status = command_line(standalone_mode=False)
    except click.exceptions.Abort:
        status = _complain("interrupted")
    except click.ClickException as error:
        status = _complain(error.format_message())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except Exception as error:
        status = _failed(error)
    sys.exit(status)


def _failed(error: Exception) -> int:
    """Says what a command ended in, and returns the status; raises again what nobody has a sentence for."""
    # Loaded now, as --help needs none of it.
    from mqclause.executors.course import NotInstalledError
    from mqclause.model.diagnostic import FactsError
    from mqclause.rulebook.errors import ReadingError, RuleError
    from mqclause.tools.errors import BatchError, DisagreementError, NothingAskedError

    match error:
        case FactsError():
            return _complain(*map(str, error.diagnostics))
        case ReadingError() | NothingAskedError() | BatchError() | NotInstalledError():
            return _complain(str(error))
        case RuleError() | DisagreementError():
            _complain(f"error in mqclause itself: {error}")
            return OUR_ERROR
    raise error


def _complain(*lines: str) -> int:
    for line in lines:
        click.echo(line.replace("\n", " "), err=True)
    return BAD_INPUT


if __name__ == "__main__":
    main()
