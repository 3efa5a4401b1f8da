"""The command line: ``mqclause explain``. Answers go to standard output, faults to standard error, one line each."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import click

from mqclause.model.diagnostic import FactsError
from mqclause.reading import ReadingError
from mqclause.rule_file import RuleError
from mqclause.tools.explain import DisagreementError, NothingAskedError, explain_files
from mqclause.tools.lines import explain_lines

BINDS = ["OPEN", "NOTFIXED", "GROUP", "AS_Q_DEF"]
PUT_KEYS = ("queue", "queue_manager", "bind", "call")
BAD_INPUT = 2
OUR_ERROR = 3


def main() -> None:
    """Runs the command line and exits with its status; no input ends in a traceback."""
    try:
        status = commands(standalone_mode=False)
    except click.exceptions.Abort:
        status = _complain("interrupted")
    except click.ClickException as error:
        status = _complain(error.format_message().replace("\n", " "))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    sys.exit(status)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mqclause")
def commands() -> None:
    """The clauses of IBM MQ's documents as rules: which destination a message goes to, and why."""


def put_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that describe the put; each overrides what the facts say."""
    for option in (
        click.option("--call", type=click.Choice(["MQOPEN", "MQPUT", "MQPUT1"], False), help="The MQI call."),
        click.option("--bind", type=click.Choice(BINDS, False), help="Its binding."),
        click.option("--to-queue-manager", "queue_manager", metavar="QMGR", help="Name a queue manager or alias."),
        click.option("--put", "queue", metavar="QUEUE", help="Name the queue that is put to."),
    ):
        command = option(command)
    return command


@commands.command()
@click.argument("facts", nargs=-1)
@put_options
@click.option("--from", "local", metavar="QMGR", help="The local queue manager, where several dumps are given.")
@click.option("--json", "as_json", is_flag=True, help="The whole trace as one JSON document.")
@click.option("--conditions", is_flag=True, help="Show each test with the values that it saw.")
@click.option("--reading", "readings", multiple=True, metavar="ID=CHOICE", help="Read a clause another way.")
@click.option("--lenient", is_flag=True, help="Leave out MQSC commands that cannot be read, with a warning.")
@click.option("--lines", metavar="FILE", help="JSON Lines: one facts document a line in, one result a line out.")
def explain(facts: tuple[str, ...], lines: str | None, readings: tuple[str, ...], **options: Any) -> int:
    """Which destination does a put go to, and which clause removed each of the others?

    FACTS are facts files (TOML or JSON), MQSC scripts and dmpmqcfg dumps, in any mix; - is standard input.
    Exit status: 0 a destination is chosen or the choice is deferred, 1 the rules end in a reason code, 2 bad input.
    """
    try:
        chosen = _readings(readings)
        asked = {key: options.pop(key) for key in PUT_KEYS}
        put = {key: str(value) for key, value in asked.items() if value is not None}
        if lines is not None:
            if facts:
                raise click.UsageError("--lines takes its facts from its own file; leave out FACTS")
            return explain_lines(_opened(lines), sys.stdout.buffer, put, chosen, options["conditions"])
        if not facts:
            raise click.UsageError("name at least one file with facts (or - for standard input); see --help")
        return explain_files([(name, _content(name)) for name in facts], put, readings=chosen, **options)
    except FactsError as error:
        return _complain(*map(str, error.diagnostics))
    except (ReadingError, NothingAskedError) as error:
        return _complain(str(error))
    except (RuleError, DisagreementError) as error:
        _complain(f"error in mqclause itself: {error}")
        return OUR_ERROR


def _readings(given: tuple[str, ...]) -> dict[str, str]:
    chosen = {}
    for text in given:
        name, equals, choice = text.partition("=")
        if not equals:
            raise ReadingError(f"--reading {text!r} is not ID=CHOICE")
        chosen[name] = choice
    return chosen


def _content(name: str) -> bytes:
    with _opened(name) as file:
        return file.read()


def _opened(name: str) -> BinaryIO:
    if name == "-":
        return sys.stdin.buffer
    try:
        return Path(name).open("rb")
    except OSError as error:
        raise click.ClickException(f"{name}: {(error.strerror or 'cannot be read').lower()}") from None
    except ValueError:
        raise click.ClickException(f"{name!r} is not a file name") from None


def _complain(*lines: str) -> int:
    for line in lines:
        click.echo(line.replace("\n", " "), err=True)
    return BAD_INPUT
