"""Declare the subcommands: their arguments, their options and their help.

Nothing but click is loaded for it; what a subcommand runs is named as ``module:function`` and loaded when it runs.
"""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Literal

import click

FOLDER = "mqclause.rules"
"""Under which name the context of a command keeps the folder of --rules."""

UPGRADE_FORM = "QMGR=NAME"
EXIT_FORM = "NAME=MODULE:FUNCTION"

SEVERITIES = tuple("error warning note".split())  # noqa: SIM905 - no clause is meant
FORMATS = ("dmpmqcfg", "foreign", "jcl", "json", "mqsc", "mqweb", "pcf", "runmqsc", "shell", "toml", "yaml")
TABLE_ENDINGS = (
    ".parquet", ".csv", ".csv.gz", ".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".json", ".json.gz",
)  # fmt: skip

PUT_FIELDS = {
    "queue": "The queue that is put to, in a flat table.",
    "queue_manager": "The queue manager, or alias, that the put names.",
    "bind": "The binding.",
    "call": "The MQI call.",
    "from_cluster_channel": "Whether the message came over a cluster channel.",
    "cluster_pcf": "Whether it holds a command of MQ's own.",
    "already_sent_to": "The queue managers that it went to.",
    "clwlmruc": "CLWLMRUC of the local queue manager.",
}
"""The fields of a put in a flat table, and what the options about their columns name."""

OF_RUNNING = "Options"
"""The group of the options that say how a command is run; no file states them."""

GROUPS = {
    "What is asked": (
        *(f"--{name.replace('_', '-')}" for name in PUT_FIELDS), "--about", "--at", "--coverage", "--fail-on", "--from",
        "--ignore", "--on", "--priority", "--proof", "--put", "--to-queue-manager", "--why-not",
    ),
    "What if": ("--after", "--fail", "--set", "--status", "--suspend", "--upgrade", "--with", "--without"),
    "Input": ("--exit", "--exit-limit", "--facts", "--format", "--lenient", "--lines", "--puts"),
    "Rules": ("--cases", "--document", "--edition", "--reading", "--rules"),
    "Output": (
        "--all", "--brief", "--conditions", "--csv", "--explain", "--html", "--json", "--markdown", "--mermaid",
        "--sarif", "--shares", "--sources", "--spread", "--statistics", "--svg", "--to",
    ),
    OF_RUNNING: ("--engine", "--executor", "--help", "--memory"),
}  # fmt: skip
"""The options of each group, whichever command has them, in the order in which the help lists the groups."""

GROUP_OF = {option: title for title, listed in GROUPS.items() for option in listed}

SETTINGS_FILE = "mqclause.toml"
"""The file of the working directory, or of one above it, that has other defaults of options."""

MOST_COLUMNS = 120
"""Longer lines of help are hard to read, however wide the terminal is."""

HELP = {"help_option_names": ["-h", "--help"], "max_content_width": MOST_COLUMNS}
"""How help is asked for and shown, of the program and of a subcommand that a program runs alone."""

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
Form = Literal["text", "table", "sql"]

EXAMPLES = os.path.join(os.path.dirname(__file__), "examples.txt")


class MqWord(click.Choice):  # type: ignore[type-arg] # it is generic from click 8.2 on
    """A word of MQ's, in any letter case; those that are allowed are shown as MQ has them."""

    def __init__(self, *words: str) -> None:
        super().__init__(words, case_sensitive=False)

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:  # noqa: ARG002 - click's signature
        """Normalize the word in upper case."""
        return str(choice).upper()


BIND_WORD = MqWord("OPEN", "NOTFIXED", "GROUP", "AS_Q_DEF")
CALL_WORD = MqWord("MQOPEN", "MQPUT", "MQPUT1")


def parse_file_name(name: str) -> str:
    """Parse the name of a file or a folder: a blank one is none, and not the working directory. Raises BadParameter."""
    if not name:
        raise click.BadParameter("'' is not a file name")
    return name


def parse_function_name(name: str) -> str:
    """Parse the name of a function; whoever asks for it splits it."""
    return name


def strip_padding(name: str) -> str:
    """Strip a name of MQ's, or the beginning of one, without the blanks that pad it."""
    return name.rstrip(" ")


def parse_upgrade(text: str) -> tuple[str, str]:
    """Parse the members and their edition. Raises BadParameter."""
    name, equals, edition = text.rpartition("=")
    if not (strip_padding(name) and equals and edition):
        raise click.BadParameter(f"{text!r} is not {UPGRADE_FORM}, as QM1=mq-9.4")
    return strip_padding(name), edition


def parse_memory_size(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """Parse a size like 2GB or 512MB, in upper case; raises BadParameter."""
    if not re.fullmatch("[1-9][0-9]*[MGT]B", value.upper()):
        raise click.BadParameter(f"{value!r} is not a size like 2GB or 512MB")
    return value.upper()


def keep_folder(context: click.Context, _parameter: click.Parameter, folder: str | None) -> None:
    """Keep the folder for whoever makes the rules of the command."""
    context.meta[FOLDER] = folder


FORMS = {
    "as_json": "--json", "as_csv": "--csv", "as_markdown": "--markdown", "mermaid": "--mermaid",
    "statistics": "--statistics",
}  # fmt: skip
"""The options that ask for another form of an answer than text, by what a command calls them."""

ARGUMENTS = {
    "at": "--from", "changes": "--set", "edition": "--edition", "fail": "--fail", "incomplete": "--all",
    "local": "--from", "on": "--on", "priority": "--priority", "steps": "--all", "suspend": "--suspend",
    "to_json()": "--json", "upgrades": "--upgrade", "without": "--without",
}  # fmt: skip
"""The option for each argument, and each part of an answer, of the library that its messages name."""


def load_function(place: str) -> Callable[..., Any]:
    """Load a function that is named as ``module:function``."""
    module, _, name = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


@cache
def read_examples() -> dict[str, list[tuple[str, str]]]:
    """Read the examples of each subcommand: a line that says what is asked, and below it the command that tells it."""
    with open(EXAMPLES, encoding="utf-8") as file:
        lines = file.read().splitlines()
    found: dict[str, list[tuple[str, str]]] = {}
    for asked, command in zip(lines[::2], lines[1::2], strict=True):
        found.setdefault(command.split()[1], []).append((asked, command))
    return found


class Subcommand(click.Command):
    """A subcommand, whose help has examples and lists options in groups, and whose defaults a file may state."""

    @property
    def examples(self) -> list[tuple[str, str]]:
        """The examples of the help: what is asked, and the command that tells it."""
        return read_examples()[str(self.name)]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the subcommand does, then the examples."""
        super().format_help_text(ctx, formatter)
        with formatter.section("Examples"):
            for line in (line for example in self.examples for line in example):
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options, each group under its title."""
        groups: dict[str, list[tuple[str, str]]] = {title: [] for title in GROUPS}
        for each in self.get_params(ctx):
            if isinstance(each, click.Option) and (said := each.get_help_record(ctx)) is not None:
                groups[GROUP_OF[each.opts[-1]]].append(said)
        for title, listed in groups.items():
            if listed:
                with formatter.section(title):
                    formatter.write_dl(listed)

    def list_settings(self) -> dict[str, click.Option]:
        """List the options that a settings file may state, by their names.

        What names a file or a function is none, nor is what says how a command is run: the file may be a stranger's,
        who must not have anything read, written or run.
        """
        options = (each for each in self.params if isinstance(each, click.Option) and each.expose_value)
        return {
            each.opts[-1].removeprefix("--"): each
            for each in options
            if getattr(each.type, "func", None) not in (parse_file_name, parse_function_name)
            and GROUP_OF[each.opts[-1]] != OF_RUNNING
        }

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments as click does, over what the nearest settings file states. Raises FactsError."""
        rest = super().parse_args(ctx, args)
        found = find_settings() if not ctx.resilient_parsing else None
        if found is not None:
            load_function("mqclause.tools.commands.settings:apply_settings")(found, ctx, self, SUBCOMMANDS)
        return rest


def find_settings() -> str | None:
    """Find the settings file that is nearest to the working directory, upwards. Raises FileNotFoundError."""
    folder, above = os.getcwd(), ""
    while folder != above:
        if os.path.isfile(path := os.path.join(folder, SETTINGS_FILE)):
            return path
        folder, above = os.path.dirname(folder), folder
    return None


def declare(
    name: str, runs: str, *options: Decorator, epilog: str | None = None, form: Form = "text"
) -> Callable[..., Subcommand]:
    """Declare a subcommand with the options given; its help is what the function decorated says.

    It runs the function ``runs`` under one budget of unpacked bytes and files. ``form`` is that of its answer, in which
    it is told if the rules are not ours.
    """

    def run(**values: Any) -> Any:
        forms = [option for name, option in FORMS.items() if values.get(name)]
        if len(forms) > 1:
            raise click.UsageError(f"{forms[0]} and {forms[1]} are two forms of one answer; leave one out")
        # What is loaded stays: the collector would look through it again and again.
        gc.disable()
        function = load_function(runs)
        gc.freeze()
        gc.enable()
        with (
            load_function("mqclause.model.readers.encodings:share_read_budget")(),
            load_function("mqclause.model.diagnostics:call_arguments")(ARGUMENTS),
        ):
            status = function(**values)
        _print_origin(values, form)
        return status

    def decorate(described: Callable[[], None]) -> Subcommand:
        run.__doc__ = described.__doc__
        command = click.command(name, cls=Subcommand, context_settings=HELP, epilog=epilog)(run)
        for option in options:
            option(command)
        return command

    return decorate


def _print_origin(values: Mapping[str, Any], form: Form) -> None:
    """Say below an answer by whose rules it was made, unless they are ours or the answer has that itself."""
    has_own_rules = click.get_current_context().meta.get(FOLDER) is not None
    if has_own_rules and not any(values.get(name) for name in ("as_json", "as_markdown", "lines")):
        is_table = form == "table" or bool(values.get("as_csv"))
        load_function("mqclause.tools.output:print_origin")("-- " if form == "sql" else "", is_table)


def complete(
    lister: str, module: str = "mqclause.tools.commands.completion"
) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return what completes a value in a shell: the function ``lister`` of the module lists what is allowed."""

    def list_fitting(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
        allowed: list[str] = load_function(f"{module}:{lister}")()
        return [each for each in allowed if each.startswith(begun)]

    return list_fitting


facts_argument = click.argument("facts", nargs=-1, type=parse_file_name)
"""FACTS, as many files as there are."""

reading_option = click.option(
    "--reading", "readings", multiple=True, metavar="ID=CHOICE", shell_complete=complete("list_readings"),
    help="Take another choice where a document leaves room.",
)  # fmt: skip


class JsonOption(click.Option):
    """The option --json, with the schemas that describe what is printed."""

    def __init__(self, names: Sequence[str], schemas: tuple[str, ...]) -> None:
        said = " or ".join(f"'mqclause schema {each}'" for each in schemas)
        super().__init__(names, is_flag=True, help=f"Print JSON, which {said} describes.")
        self.schemas = schemas


def build_json_option(*schemas: str) -> Decorator:
    """Build the option --json of a command whose answer one of the schemas describes."""
    return click.option("--json", "as_json", cls=JsonOption, schemas=schemas)


def build_row_options(*schemas: str) -> tuple[Decorator, ...]:
    """Build the options for the forms of an answer that has rows, which one of the schemas describes in JSON."""
    csv = click.option("--csv", "as_csv", is_flag=True, help="Print CSV, a line for each row of the answer.")
    return build_json_option(*schemas), csv


html_option = click.option(
    "--html", type=parse_file_name, metavar="FILE", help="Also write a page to FILE that shows the answer."
)

folder_option = click.option(
    "--rules", type=parse_file_name, metavar="FOLDER", callback=keep_folder, expose_value=False,
    help="Use the rule files of this folder instead of those that come with mqclause.",
)  # fmt: skip

cases_option = click.option(
    "--cases", type=parse_file_name, metavar="FOLDER",
    help="Use the case files of this folder instead of those that come with mqclause.",
)  # fmt: skip

rules_options = (
    reading_option,
    click.option("--edition", metavar="NAME", shell_complete=complete("list_editions"),
                 help="The edition of MQ whose documents count, as mq-9.3; auto, the default, goes by CMDLEVEL."),
    folder_option,
)  # fmt: skip
"""Which rules count: readings and the edition of the documents, and a folder in place of our own."""

exit_options = (
    click.option("--exit", "exits", multiple=True, type=parse_function_name, metavar=EXIT_FORM,
                 help="Call this Python function where CLWLEXIT(NAME) would be called."),
    click.option("--exit-limit", metavar="SECONDS", show_default="what the rules of exits say",
                 help="The time that one call of an exit may take."),
)  # fmt: skip

put_options = (
    click.option("--put", "queue", metavar="QUEUE", help="Put to this queue."),
    click.option("--to-queue-manager", "queue_manager", metavar="QMGR", help="Name this queue manager in the put."),
    click.option("--bind", type=BIND_WORD, help="Open the queue with this binding."),
    click.option("--call", type=CALL_WORD, help="Put by this MQI call."),
    click.option("--from-cluster-channel", is_flag=True, default=None,
                 help="Take the message as one that arrived over a cluster channel."),
)  # fmt: skip
"""What describes the put; each overrides what the facts say."""


def facts_options(local: str = "The local queue manager, where several dumps are given.") -> tuple[Decorator, ...]:
    """Return the options about FACTS: whose view it is, what if they were otherwise, how they are read.

    ``local`` says what --from means.
    """
    return (
        click.option("--from", "local", type=strip_padding, metavar="QMGR", help=local),
        click.option("--with", "overlays", multiple=True, type=parse_file_name, metavar="[QMGR=]FILE",
                     help="Run this MQSC script first, too."),
        click.option("--set", "sets", multiple=True, metavar="COMMAND",
                     help="Set attributes first, as 'QLOCAL(Q) QMGR(QM2) PUT(DISABLED)'."),
        click.option("--status", "states", multiple=True, metavar="CHANNEL=STATE",
                     help="Give a channel this status first, after each --set."),
        click.option("--lenient", is_flag=True, help="Leave out MQSC commands that cannot be read, with a warning."),
        click.option("--format", "named_format", type=click.Choice(FORMATS, case_sensitive=False),
                     help="The format of FACTS, if their content does not show it."),
    )  # fmt: skip


cluster_options: tuple[Decorator, ...] = (
    facts_argument,
    click.option("--queue", "pattern", type=strip_padding, metavar="PATTERN",
                 help="Show only queues that match; * is any text."),
    click.option("--bind", type=BIND_WORD, default="NOTFIXED", show_default=True,
                 help="Open the queues with this binding."),
    *facts_options("Only puts that are made at this queue manager."),
    *rules_options,
    *exit_options,
)  # fmt: skip
"""FACTS, and what is asked of the cluster in them."""


def _word(_context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value == "":
        raise click.UsageError(f"{parameter.opts[0]}: '' is no column")
    return value


column_options = tuple(
    click.option(f"--{name.replace('_', '-')}", f"of_{name}", metavar="COLUMN|=VALUE", callback=_word, help=said)
    for name, said in PUT_FIELDS.items()
)  # fmt: skip
"""Where a flat table has the fields of a put."""


@declare(
    "batch",
    "mqclause.tools.commands.batch:decide_table",
    click.argument("source", type=parse_file_name, metavar="IN"),
    click.argument("out", type=parse_file_name, metavar="OUT"),
    click.option("--engine", type=click.Choice(["duckdb", "spark"]), default="duckdb", show_default=True,
                 help="The engine that runs it."),
    click.option("--memory", callback=parse_memory_size, metavar="SIZE", default="2GB", show_default=True,
                 help="The memory that the engine may use."),
    click.option("--explain", is_flag=True, help="Add the rule that removed each destination (eliminated_by)."),
    click.option("--shares", is_flag=True,
                 help="Add the destinations that get puts in the long run, with their shares."),
    click.option("--spread", metavar="COLUMN",
                 help="Choose among equal destinations by the value of this column, in these shares."),
    *rules_options,
    *facts_options("The local queue manager of all rows, where several dumps are given."),
    click.option("--facts", multiple=True, type=parse_file_name, metavar="FILE",
                 help="The cluster, for rows without destinations."),
    click.option("--at", metavar="COLUMN", help="The column with the local queue manager of each put."),
    *column_options,
    *exit_options,
    build_json_option("batch"),
    epilog=f"Files end in {', '.join(TABLE_ENDINGS)}.",
    form="table",
)  # fmt: skip
def batch_command() -> None:
    """Decide every row of a table: OUT has the rows and columns of IN, in any order, and a column decision.

    IN and OUT are Parquet, CSV or JSON Lines, in any combination; IN may be a folder of such files. In CSV, nested
    columns are JSON text. A flat table, such as a log with a column for the queue, needs --facts and --queue
    or --queue-manager. Their values are columns, or values for every row such as --bind NOTFIXED; after = they are
    always values. OUT appears when it is complete, and replaces a file of that name. With --engine spark a Parquet OUT
    is a folder of part files, if there are several. The summary goes to standard output. Rows for which --exit gives
    the exit that CLWLEXIT names are decided in Python, not in SQL.
    Exit status: 0, or 2 for bad input, also if a row is invalid: decision.message says why.
    """


@declare(
    "check",
    "mqclause.tools.commands.check:check_configuration",
    facts_argument,
    *facts_options("Only what this queue manager knows."),
    *build_row_options("findings"),
    html_option,
    *rules_options,
    click.option("--sarif", type=parse_file_name, metavar="FILE",
                 help="Also write the findings to FILE as SARIF 2.1.0."),
    click.option("--all", "every", is_flag=True, help="Print each finding, even if many objects have the same one."),
    click.option("--statistics", is_flag=True, help="Print how many findings each check has instead of the findings."),
    click.option("--fail-on", type=click.Choice(SEVERITIES), default=SEVERITIES[0], show_default=True,
                 help="The severity from which a finding makes the status 1."),
    click.option("--ignore", multiple=True, metavar="RULE,…", shell_complete=complete("list_checks"),
                 help="Leave out the checks with these ids."),
    click.option("--about", metavar="RULE", shell_complete=complete("list_checks"),
                 help="Tell of a check: what it asks, why, and what mends it. 'all': of each; 'documents': how "
                      "much the rules state."),
)  # fmt: skip
def check_command() -> None:
    """Report what an administrator should look at in a configuration, with file, line and remedy.

    FACTS are MQSC scripts, dumps, displays or facts files of any number of queue managers. Exit status: 0 no finding is
    as severe as --fail-on, 1 one is, 2 bad input.
    """


@declare(
    "commands",
    "mqclause.tools.commands.reference:print_display_commands",
    click.argument("subcommand", type=click.Choice(["explain", "why", "check"]), default="explain"),
)  # fmt: skip
def commands_command() -> None:
    """Print the DISPLAY commands whose output contains everything that explain, why or check can use.

    They are for runmqsc at the local queue manager: mqclause commands explain | runmqsc QM1 > QM1.log
    """


@declare(
    "explain",
    "mqclause.tools.commands.explain:explain_put",
    facts_argument,
    *put_options,
    *facts_options(),
    *build_row_options("trace"),
    html_option,
    click.option("--brief", is_flag=True, help="Print the verdict alone, in one line."),
    click.option("--all", "every_rule", is_flag=True, help="Print every rule, also those that removed no destination."),
    click.option("--conditions", is_flag=True, help="Print every rule, and each test with the values that it saw."),
    *rules_options,
    *exit_options,
    click.option("--why-not", type=strip_padding, metavar="QMGR",
                 help="Explain why that one is not chosen, and which commands would change it."),
    click.option("--lines", type=parse_file_name, metavar="FILE",
                 help="Read JSON Lines: one facts document a line in, one result a line out."),
)  # fmt: skip
def explain_command() -> None:
    """Explain which destination a put goes to, and which clause removed each of the others.

    FACTS are facts files (TOML or JSON), MQSC scripts and dmpmqcfg dumps, what runmqsc and mqweb display, in any mix;
    - is standard input.
    Exit status: 0 a destination is chosen or the choice is deferred, 1 the rules end in a reason code, 2 bad input.
    """


@declare(
    "facts",
    "mqclause.tools.commands.facts:write_read_facts",
    click.argument("facts", nargs=-1, type=parse_file_name, metavar="INPUT..."),
    *facts_options(),
    click.option("--to", type=click.Choice(["toml", "json"]), help="The format to write.  [default: toml]"),
    click.option("--sources", "by_source", is_flag=True,
                 help="Print a line for each file: its format, content and faults; then what is still to be asked."),
    *build_row_options("sources", "facts"),
)  # fmt: skip
def facts_command() -> None:
    """Write what INPUT says as one facts file, which gives the same answers when it is read back.

    INPUT is as FACTS of explain. Values that a source states or shows are written; MQ's defaults are not.
    """


@declare(
    "map",
    "mqclause.tools.commands.map:map_puts",
    *cluster_options,
    *build_row_options("map"),
    html_option,
    click.option("--svg", type=parse_file_name, metavar="FILE", help="Also write a drawing to FILE."),
    click.option("--mermaid", is_flag=True, help="Print a flowchart for Mermaid, as Markdown shows it."),
)  # fmt: skip
def map_command() -> None:
    """Show where puts go: each clustered queue, from each queue manager that FACTS describe.

    Clustered queue-manager aliases have rows too, for puts that name them as queue manager. A share is the part of the
    puts that a destination gets in the long run, by clause 12 from fresh counters. --set, --with and --status ask where
    they would go. Exit status: 0, or 2 for bad input.
    """


@declare(
    "order",
    "mqclause.tools.commands.order:show_order",
    facts_argument,
    click.option("--queue", metavar="QUEUE", help="Show this queue alone."),
    *facts_options(),
    *build_row_options("order"),
    *rules_options,
)
def order_command() -> None:
    """Show in which order a queue's messages come, and why some of them do not.

    FACTS are facts files with [[message]] tables and any other input; - is standard input. There is one answer for each
    queue that has messages. Exit status: 0, or 2 for bad input.
    """


@declare(
    "plan",
    "mqclause.tools.commands.plan:show_plan",
    *cluster_options,
    *build_row_options("plan"),
    html_option,
    click.option("--after", "then", type=parse_file_name, multiple=True, metavar="FILE",
                 help="Take FACTS as before the change and these files as after it, as two revisions of a folder."),
    click.option("--without", "left_out", type=strip_padding, multiple=True, metavar="QMGR",
                 help="Leave a member out of the cluster."),
    click.option("--fail", "failing", type=strip_padding, multiple=True, metavar="QMGR",
                 help="Set the channels to a member to RETRYING."),
    click.option("--suspend", "suspending", type=strip_padding, multiple=True, metavar="QMGR",
                 help="Suspend a member in its clusters."),
    click.option("--upgrade", "upgrades", type=parse_upgrade, multiple=True, metavar=UPGRADE_FORM,
                 help="Take a member as of this edition, as QM1=mq-9.4; '*=mq-9.4': all. --edition says of which they "
                      "are now."),
    click.option("--puts", type=parse_file_name, metavar="FILE",
                 help="Weigh rows by real puts: Parquet, CSV or JSON Lines with queue, from and count."),
    click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown for a comment on a pull request."),
)  # fmt: skip
def plan_command() -> None:
    """Show what a change does: which puts go elsewhere, from each queue manager that FACTS describe, and why.

    FACTS are as for map; --after, --with, --set, --status, --upgrade and the like say what changes. The plan also
    lists the findings of check that are on one side alone. --puts weighs each row by real traffic: a table with columns
    queue, from (where puts were made) and optionally count. Exit status: 0 nothing changes, 3 something does: where
    puts go, which wait, what check finds, or that sequence factors restart; 2 bad input.
    """


@declare(
    "replay",
    "mqclause.tools.commands.replay:replay_scenario",
    click.argument("scenario", nargs=-1, type=parse_file_name),
    *build_row_options("replay"),
    html_option,
    *rules_options,
    *exit_options,
    click.option("--facts", multiple=True, type=parse_file_name, metavar="FILE",
                 help="Facts in addition to the scenario: dumps, logs, facts files."),
    *facts_options(),
    click.option("--executor", type=click.Choice(["compiled", "chaining"]), default="compiled",
                 show_default=True, help="What runs the rules."),
    click.option("--lines", type=parse_file_name, metavar="FILE",
                 help="Read JSON Lines: one scenario a line in, one array of results a line out."),
)  # fmt: skip
def replay_command() -> None:
    """Simulate events over time: routing, trigger messages, and what held them back, event by event.

    SCENARIO is a facts file with [[event]] tables, in TOML or JSON; - is standard input. --facts adds facts of other
    files. Exit status: 0, or 2 for bad input.
    """


@declare(
    "retention",
    "mqclause.tools.commands.replay:show_retention",
    facts_argument,
    click.option("--on", "on", required=True, metavar="DATE", help="The day, like 2026-01-31."),
    *build_row_options("retention"),
    *rules_options,
)  # fmt: skip
def retention_command() -> None:
    """Show how long repositories hold what is in FACTS: the state of each item on a day.

    FACTS are facts files with [[information]] and [[request]] tables, in TOML or JSON. Exit status: 0, or 2 for bad
    input.
    """


@declare(
    "schema",
    "mqclause.tools.commands.reference:print_schema",
    click.argument("name", required=False, shell_complete=complete("list_schemas", "mqclause.schemas")),
)
def schema_command() -> None:
    """Print the JSON schema NAME: of facts, scenario, rule or case files, or of an answer in JSON.

    Without NAME it lists all. An editor that knows the schema of a file completes its keys and marks misspelt ones.
    Exit status: 0, or 2 for bad input.
    """


@declare(
    "show-sql",
    "mqclause.tools.commands.batch:print_sql",
    click.argument("name", metavar="RULE|RULESET", shell_complete=complete("list_rules")),
    *rules_options,
    form="sql",
)
def show_sql_command() -> None:
    """Print the SQL that a rule or a ruleset becomes, as DuckDB runs it.

    A rule is named like workload.06, a ruleset like workload. A rule shows its expressions, a ruleset the whole query.
    """


@declare(
    "why",
    "mqclause.tools.commands.why:explain_trigger",
    click.argument("queue"),
    facts_argument,
    *facts_options(),
    click.option("--priority", metavar="N", help="The priority of the message instead of DEFPRTY."),
    *build_row_options("why"),
    *rules_options,
)  # fmt: skip
def why_command() -> None:
    """Explain why QUEUE would not trigger if a message were put now, and what would change that.

    QUEUE may end in * to ask for every triggered queue. FACTS are as for explain; depth and open handles
    come from displays or facts files. Exit status: 0 every queue that is asked for triggers, 1 one does not or that
    depends on an unknown fact, 2 bad input.
    """


@declare(
    "verify",
    "mqclause.tools.commands.rules:print_verified",
    click.argument("copies", nargs=-1, type=parse_file_name, metavar="DOCUMENT..."),
    *build_row_options("verification"),
    folder_option,
)
def verify_command() -> None:
    """Verify copies of the documents: which sentences stand there as the rules have them.

    DOCUMENT is the text of a document. It is known by its sentences, whatever its name is and wherever its lines end.
    Exit status: 0 every sentence stands there and no other, 1 one differs, is missing, moved or new, 2 bad input.
    """


@declare(
    "test",
    "mqclause.tools.commands.rules:test_rules",
    click.argument("names", nargs=-1, metavar="[RULE|RULESET]...", shell_complete=complete("list_rules")),
    click.option("--coverage", is_flag=True, help="Show which branches of conditions no case takes; runs more slowly."),
    click.option("--proof", is_flag=True, help="Show on how many situations the executors agree and each law holds."),
    *build_row_options("test"),
    cases_option,
    folder_option,
)  # fmt: skip
def test_command() -> None:
    """Test rules by their cases: which come out otherwise, and what of a rule no case reaches.

    A rule is named like workload.06, a ruleset like workload; all are tested where none is named. Exit status: 0 every
    case passed and every law holds, 1 one did not, 2 bad input.
    """


@declare(
    "mutate",
    "mqclause.tools.commands.rules:mutate_rules",
    click.argument("names", nargs=-1, metavar="[RULE|RULESET]...", shell_complete=complete("list_rules")),
    click.option("--all", "every", is_flag=True, help="Show each change with the cases that notice it, all of them."),
    *build_row_options("mutants"),
    cases_option,
    folder_option,
)  # fmt: skip
def mutate_command() -> None:
    """Mutate rules, one change at a time, and show which cases notice each change.

    A rule is taken out, its conditions are negated, its lists lose a word, its numbers and its order change. Exit
    status: 0 a case notices each change, or the case file says that it is equivalent, 1 none notices one, 2 bad input.
    """


@declare(
    "lint",
    "mqclause.tools.commands.rules:print_linted",
    click.argument("folder", required=False, type=parse_file_name),
    click.option("--all", "every", is_flag=True,
                 help="Also print what lint.toml of the folder lists, with its reasons."),
    click.option("--about", metavar="CODE", shell_complete=complete("list_lint_checks"),
                 help="Tell of a check: what it asks, why, what mends it. 'all': of each."),
    *build_row_options("lint"),
    cases_option,
)  # fmt: skip
def lint_command() -> None:
    """Lint rule files: rules that never apply, that others hide, or that no sentence and no case is about.

    FOLDER has rule files; the ones that come with mqclause are linted where it is left out. Its file lint.toml lists
    what is meant so, each with a reason. Exit status: 0 nothing else is found, 1 something is, 2 bad input.
    """


@declare(
    "compare",
    "mqclause.tools.commands.rules:print_compared",
    click.argument("folders", nargs=-1, type=parse_file_name, metavar="[A [B]]"),
    reading_option,
    click.option("--edition", "editions", multiple=True, metavar="NAME", shell_complete=complete("list_editions"),
                 help="The edition of B; given twice, of A and B."),
    click.option("--document", "documents", multiple=True, metavar="RULESET",
                 shell_complete=complete("list_rulesets"), help="Compare the rules of this one alone."),
    build_json_option("comparison"),
)  # fmt: skip
def compare_command() -> None:
    """Compare two sets of rules: what files say otherwise, and the plainest facts that tell them apart.

    A and B are folders of rules. Where B is left out, it is A as --reading and --edition have it; where both are, A is
    what comes with mqclause. Of two configurations, as for map, it prints the objects and attributes that differ, and
    the plan by which A becomes B. Exit status: 0 nothing differs, 1 something does, 2 bad input.
    """


@declare(
    "rulebook",
    "mqclause.tools.commands.rules:write_rulebook",
    click.argument("out", type=parse_file_name, metavar="OUT"),
    cases_option,
    folder_option,
)
def rulebook_command() -> None:
    """Write the rulebook, a site of HTML pages: what states each sentence, and what each rule says, in words.

    OUT is a folder that is not there yet, or an empty one; open its index.html. The cases and the mutants are run for
    it. It needs Jinja2 and Pygments: pip install 'mqclause[rulebook]'. Exit status: 0 it is written, 2 bad input.
    """


SECTIONS = {
    "Ask of a configuration": (explain_command, why_command, map_command, check_command, order_command),
    "Ask what would be": (plan_command, replay_command, retention_command),
    "Read and write": (facts_command, commands_command, batch_command, show_sql_command, schema_command),
    "Look at the rules": (
        rulebook_command,
        verify_command,
        test_command,
        mutate_command,
        lint_command,
        compare_command,
    ),
}
"""The subcommands, in the order in which the help lists them."""

SUBCOMMANDS = {each.name or "": each for section in SECTIONS.values() for each in section}
"""Every subcommand by its name."""
