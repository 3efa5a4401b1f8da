"""The command line. Answers go to standard output, faults to standard error, one line each."""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module
from typing import Any

import click

from mqclause.model.diagnostics import FactsError, escape_controls, quote_value, suggest_allowed
from mqclause.tools.errors import BatchError, DisagreementError, NothingAskedError, NotWrittenError
from mqclause.tools.render.streams import OutputError, abandon_output, prepare_streams

BAD_INPUT = 2
NOT_WRITTEN = 4
OUR_ERROR = 5

TRACEBACK = "MQCLAUSE_TRACEBACK"
"""The environment variable by which an error of ours shows where it happened."""

SUBCOMMANDS = {
    "batch": "Decide every row of a table: OUT has the rows and columns of IN, in any order, and a column decision.",
    "check": "Report what an administrator should look at in a configuration, with file, line and remedy.",
    "commands": "Print the DISPLAY commands whose output contains everything that explain, why or check can use.",
    "compare": "Compare two sets of rules: what files say otherwise, and the plainest facts that tell them apart.",
    "explain": "Explain which destination a put goes to, and which clause removed each of the others.",
    "facts": "Write what INPUT says as one facts file, which gives the same answers when it is read back.",
    "lint": "Lint rule files: rules that never apply, that others hide, or that no sentence and no case is about.",
    "map": "Show where puts go: each clustered queue, from each queue manager that FACTS describe.",
    "mutate": "Mutate rules, one change at a time, and show which cases notice each change.",
    "order": "Show in which order a queue's messages come, and why some of them do not.",
    "plan": "Show what a change does: which puts go elsewhere, from each queue manager that FACTS describe, and why.",
    "replay": "Simulate events over time: routing, trigger messages, and what held them back, event by event.",
    "retention": "Show how long repositories hold what is in FACTS: the state of each item on a day.",
    "show-sql": "Print the SQL that a rule or a ruleset becomes, as DuckDB runs it.",
    "test": "Test rules by their cases: which come out otherwise, and what of a rule no case reaches.",
    "verify": "Verify copies of the documents: which sentences stand there as the rules have them.",
    "why": "Explain why QUEUE would not trigger if a message were put now, and what would change that.",
}
"""The subcommands, each a module of mqclause.tools.commands, and what their help begins with."""


class Subcommands(click.Group):
    """Loads the module of a subcommand when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """List the names, without loading anything."""
        return sorted(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the subcommand of a name, loaded now; None if there is none."""
        if cmd_name not in SUBCOMMANDS:
            return None
        found: click.Command = import_module(f"mqclause.tools.commands.{cmd_name.replace('-', '_')}").command
        return found

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand under one budget of unpacked bytes and files.

        A fault of rules is one of the input where --rules gives them.
        """
        # Loaded now, as --help needs no rules.
        from mqclause.language.vocabulary import UnreckonedError
        from mqclause.model.readers.encodings import share_read_budget
        from mqclause.rulebook.rule import RuleError
        from mqclause.tools.commands.own_rules import FOLDER, build_rules_fault

        try:
            with share_read_budget():
                return super().invoke(ctx)
        except (RuleError, UnreckonedError) as error:
            if (folder := ctx.meta.get(FOLDER)) is None:
                raise
            raise build_rules_fault(folder, error) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve the subcommand that the first argument names. Raises UsageError."""
        if args[0] not in SUBCOMMANDS:
            raise click.UsageError(_no_command(args[0]))
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments as click does, but refuse none at all in one line. Raises UsageError."""
        if not args and not ctx.resilient_parsing:
            raise click.UsageError(f"name a command: {', '.join(sorted(SUBCOMMANDS))}; see --help")
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the subcommands in the help with all that is said of them, without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(SUBCOMMANDS.items()))


def _no_command(name: str) -> str:
    return f"{quote_value(name)} is no command{suggest_allowed(name, sorted(SUBCOMMANDS))}"


@click.command(cls=Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mqclause")
def command_line() -> None:
    """Return the clauses of IBM MQ's documents as rules: where a message goes, whether a queue triggers, and why."""


def main() -> None:
    """Run the command line and exit with its status; no input ends in a traceback."""
    prepare_streams()
    if sys.stdout is None:
        sys.exit(_complain("standard output is closed", status=NOT_WRITTEN))
    try:
        status = _status_of_the_command()
        sys.stdout.flush()
    except OutputError as error:
        abandon_output()
        status = 0 if error.is_closed else _complain(str(error), status=NOT_WRITTEN)
    sys.exit(status)


def _status_of_the_command() -> int:
    try:
        return command_line(standalone_mode=False) or 0
    except click.exceptions.Abort:
        return _complain("interrupted")
    except click.ClickException as error:
        return _complain(error.format_message())
    except OutputError:
        raise
    except Exception as error:
        return _failed(error)


def _failed(error: Exception) -> int:
    """Says what a command ended in, and returns the status."""
    # Loaded now, as --help needs no rules.
    from mqclause.executors.pipeline import NotInstalledError
    from mqclause.rulebook.case_files import CaseError
    from mqclause.rulebook.rule import ReadingError, RuleError, UnansweredError

    match error:
        case FactsError():
            return _complain(*map(str, error.diagnostics))
        case NotWrittenError():
            return _complain(str(error), status=NOT_WRITTEN)
        case (
            CaseError() | ReadingError() | UnansweredError() | NothingAskedError() | BatchError() | NotInstalledError()
        ):
            return _complain(str(error))
        case ModuleNotFoundError(name=str(name)) if not name.startswith("mqclause"):
            return _complain(f"{name} is not installed: pip install {name}")
        case FileNotFoundError(filename=None):  # as os.getcwd() has it, and no file that is opened
            return _complain("the working directory is no longer there")
        case RuleError() | DisagreementError():
            said = str(error)
        case _:
            said = f"{type(error).__name__}: {error}"
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    report = f"please report it, with what the same command prints under {TRACEBACK}=1"
    return _complain(f"error in mqclause itself: {said}; {report}", status=OUR_ERROR)


def _complain(*lines: str, status: int = BAD_INPUT) -> int:
    for line in lines:
        print(escape_controls(line.replace("\n", " ")), file=sys.stderr)  # noqa: T201
    return status


if __name__ == "__main__":
    main()
