"""The command line. Answers go to standard output, faults to standard error, one line each.

Functions import what only some runs need, so that --help loads click and little else.
"""

from __future__ import annotations

import codecs
import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any

import click

from mqclause.tools.commands.declared import FOLDER, HELP, SECTIONS, SUBCOMMANDS
from mqclause.tools.errors import BatchError, DisagreementError, NothingAskedError, NotWrittenError, OutputError

BAD_INPUT = 2
NOT_WRITTEN = 4
OUR_ERROR = 5

TRACEBACK = "MQCLAUSE_TRACEBACK"
"""The environment variable by which an error of ours shows where it happened."""

REPLACEMENTS = {"–": "-", "—": "-", "…": "...", "‘": "'", "’": "'", "“": '"', "”": '"', "×": "x", "·": "-", "→": "->"}
"""What stands for a character that the locale's encoding does not have; a question mark for any other."""


class Subcommands(click.Group):
    """The subcommands that are declared; what one runs is loaded when it runs."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(commands=dict[str, click.Command](SUBCOMMANDS), **settings)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand. A fault of rules is one of the input where --rules gives them."""
        try:
            return super().invoke(ctx)
        except ValueError as error:
            if (folder := ctx.meta.get(FOLDER)) is None:
                raise
            from mqclause.language.vocabulary import UnreckonedError
            from mqclause.rulebook.rule import RuleError
            from mqclause.tools.commands.options import build_rules_fault

            if isinstance(error, RuleError | UnreckonedError):
                raise build_rules_fault(folder, error) from None
            raise

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve the subcommand that the first argument names. Raises UsageError."""
        if args[0] not in SUBCOMMANDS and not ctx.resilient_parsing:
            raise click.UsageError(_no_command(args[0]))
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments as click does; ``help explain`` is ``explain --help``. None at all gets the help."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(BAD_INPUT)
        if args[:1] == ["help"]:
            args = [*args[1:2], "--help"]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the subcommands in the help, by sections, with all that the first paragraph of theirs says."""
        longest = max(map(len, SUBCOMMANDS))
        for title, listed in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([((each.name or "").ljust(longest), say_shortly(each)) for each in listed])


def say_shortly(command: click.Command) -> str:
    """Say what a subcommand is for: the first paragraph of its help, in one line."""
    return " ".join((command.help or "").partition("\n\n")[0].split())


def _no_command(name: str) -> str:
    from mqclause.model.diagnostics import quote_value, suggest_allowed

    return f"{quote_value(name)} is no command{suggest_allowed(name, sorted(SUBCOMMANDS))}"


FILES_OF_EXAMPLES = "The files that examples name are in mqclause/tools/examples of the package."


@click.command(cls=Subcommands, context_settings=HELP, epilog=FILES_OF_EXAMPLES)
@click.version_option(package_name="mqclause")
def command_line() -> None:
    """Return the clauses of IBM MQ's documents as rules: where a message goes, whether a queue triggers, and why."""


def prepare_streams() -> None:
    """Have standard output raise OutputError, and both streams replace what their encoding does not have.

    What is said on a standard error that is closed is lost: it would stand in the answer, where print() puts it.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for as long as the process lives
    codecs.register_error("mqclause", _replaced)
    out = sys.stdout
    if isinstance(out, TextIOWrapper) and not out.isatty():
        raw = _Output(out.fileno(), "wb", closefd=False)
        sys.stdout = TextIOWrapper(BufferedWriter(raw), encoding=out.encoding, line_buffering=out.line_buffering)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="mqclause")


def abandon_output() -> None:
    """Give what is still in the buffer to nobody, so that nothing is left to be written when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Output(FileIO):
    """A file or a pipe whose errors are told from all others; libraries make their own of an OSError."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OutputError(error) from None


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    left_out = error.object[error.start : error.end]
    return "".join(REPLACEMENTS.get(each, "?") for each in left_out), error.end


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
        return command_line(prog_name="mqclause", standalone_mode=False) or 0
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
    from mqclause.executors.pipeline import NotInstalledError
    from mqclause.model.diagnostics import FactsError
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
        import traceback

        traceback.print_exception(error)
    report = f"please report it, with what the same command prints under {TRACEBACK}=1"
    return _complain(f"error in mqclause itself: {said}; {report}", status=OUR_ERROR)


def _complain(*lines: str, status: int = BAD_INPUT) -> int:
    from mqclause.model.diagnostics import escape_controls

    for line in lines:
        print(escape_controls(line.replace("\n", " ")), file=sys.stderr)  # noqa: T201
    return status


if __name__ == "__main__":
    main()
