"""The command line. Answers go to standard output, faults to standard error, one line each."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import click

from mqclause.executors.executor import ExecutorName
from mqclause.model.assembly.snapshot import Source, read_sources
from mqclause.model.diagnostic import FactsError
from mqclause.rulebook.reading import ReadingError
from mqclause.rulebook.rule_file import RuleError
from mqclause.tools.batch.files import ENDINGS, BatchError, table_in
from mqclause.tools.commands.batch import Batch, EngineName, batch_files, check_out
from mqclause.tools.commands.explain import DisagreementError, NothingAskedError, explain_files
from mqclause.tools.commands.explain_lines import explain_lines
from mqclause.tools.commands.replay import replay_file, replay_lines
from mqclause.tools.commands.why import why_files

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
        status = _complain(error.format_message())
    except FactsError as error:
        status = _complain(*map(str, error.diagnostics))
    except (ReadingError, NothingAskedError, BatchError) as error:
        status = _complain(str(error))
    except (RuleError, DisagreementError) as error:
        _complain(f"error in mqclause itself: {error}")
        status = OUR_ERROR
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    sys.exit(status)


def memory_size(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """A size like 2GB or 512MB, in upper case; raises BadParameter."""
    if not re.fullmatch("[1-9][0-9]*[MGT]B", value.upper()):
        raise click.BadParameter(f"{value!r} is not a size like 2GB or 512MB")
    return value.upper()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mqclause")
def commands() -> None:
    """The clauses of IBM MQ's documents as rules: where a message goes, whether a queue triggers, and why."""


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


reading_option = click.option(
    "--reading", "readings", multiple=True, metavar="ID=CHOICE", help="Read a clause another way."
)
json_option = click.option("--json", "as_json", is_flag=True, help="JSON in place of text.")
lenient_option = click.option(
    "--lenient", is_flag=True, help="Leave out MQSC commands that cannot be read, with a warning."
)
from_option = click.option(
    "--from", "local", metavar="QMGR", help="The local queue manager, where several dumps are given."
)


@commands.command()
@click.argument("facts", nargs=-1)
@put_options
@from_option
@json_option
@click.option("--conditions", is_flag=True, help="Show each test with the values that it saw.")
@reading_option
@lenient_option
@click.option("--lines", metavar="FILE", help="JSON Lines: one facts document a line in, one result a line out.")
def explain(facts: tuple[str, ...], lines: str | None, readings: tuple[str, ...], **options: Any) -> int:
    """Which destination does a put go to, and which clause removed each of the others?

    FACTS are facts files (TOML or JSON), MQSC scripts and dmpmqcfg dumps, in any mix; - is standard input.
    Exit status: 0 a destination is chosen or the choice is deferred, 1 the rules end in a reason code, 2 bad input.
    """
    chosen = _readings(readings)
    asked = {key: options.pop(key) for key in PUT_KEYS}
    put = {key: str(value) for key, value in asked.items() if value is not None}
    if lines is not None:
        _only_lines(facts)
        return explain_lines(_opened(lines), sys.stdout.buffer, put, chosen, options["conditions"])
    return explain_files(_contents(facts), put, readings=chosen, **options)


@commands.command()
@click.argument("queue")
@click.argument("facts", nargs=-1)
@from_option
@json_option
@reading_option
@lenient_option
def why(queue: str, facts: tuple[str, ...], readings: tuple[str, ...], **options: Any) -> int:
    """Why does QUEUE not trigger? Every condition that would fail for a message put now, and what would change it.

    QUEUE may end in * to ask for every triggered queue. FACTS are as for explain; depth and open counts are taken
    from a dump that has them. Exit status: 0 every queue asked for would trigger, 1 one would not, 2 bad input.
    """
    return why_files(queue, _contents(facts), readings=_readings(readings), **options)


@commands.command()
@click.argument("scenario", nargs=-1)
@json_option
@reading_option
@click.option("--executor", type=click.Choice(["compiled", "chaining"]), default="compiled", show_default=True)
@click.option("--lines", metavar="FILE", help="JSON Lines: one scenario a line in, one array of results a line out.")
def replay(
    scenario: tuple[str, ...], as_json: bool, readings: tuple[str, ...], executor: ExecutorName, lines: str | None
) -> int:
    """What happens over time: routing, trigger messages and what held them back, event by event.

    SCENARIO is a facts file with [[event]] tables, in TOML or JSON; - is standard input. Exit status: 0, or 2 for bad
    input.
    """
    chosen = _readings(readings)
    if lines is not None:
        _only_lines(scenario)
        return replay_lines(_opened(lines), sys.stdout.buffer, chosen, executor)
    if len(scenario) != 1:
        raise click.UsageError("name one scenario file (or - for standard input); see --help")
    return replay_file(Source(scenario[0], _content(scenario[0])), as_json, chosen, executor, sys.stdout)


@commands.command(epilog=f"Files end in {', '.join(ENDINGS)}.")
@click.argument("source", metavar="IN")
@click.argument("out", metavar="OUT")
@click.option("--engine", type=click.Choice(["duckdb", "spark"]), default="duckdb", show_default=True)
@click.option("--explain", is_flag=True, help="Fill eliminated_by: which rule each destination fell by.")
@reading_option
@click.option("--memory", callback=memory_size, default="2GB", show_default=True, help="What the engine may use.")
@from_option
@click.option("--facts", multiple=True, metavar="FILE", help="The cluster, for rows that have no destinations.")
@json_option
def batch(
    source: str, out: str, engine: EngineName, readings: tuple[str, ...], facts: tuple[str, ...], **options: Any
) -> int:
    """Decide every row of a table: OUT has the rows and columns of IN, in any order, and a column decision.

    IN and OUT are Parquet, CSV or JSON Lines, in any combination; IN may be a folder of such files. In CSV, nested
    columns are JSON text. OUT appears when it is complete, in the place of what had its name. With --engine spark a
    Parquet OUT is a folder of part files, if there are several. The summary goes to standard output.
    Exit status: 0, or 2 for bad input, also if a row is invalid: decision.message says why.
    """
    table = table_in(Path(source))
    kind = check_out(table, Path(out))
    local, as_json = options.pop("local"), options.pop("as_json")
    cluster = read_sources([Source(*each) for each in _contents(facts)], local).cluster if facts else None
    asked = Batch(table, Path(out), kind, cluster, _readings(readings), **options)
    return batch_files(asked, engine, as_json)


def _only_lines(facts: tuple[str, ...]) -> None:
    if facts:
        raise click.UsageError("--lines takes its facts from its own file; name no other")


def _contents(names: tuple[str, ...]) -> list[tuple[str, bytes]]:
    if not names:
        raise click.UsageError("name at least one file with facts (or - for standard input); see --help")
    return [(name, _content(name)) for name in names]


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
