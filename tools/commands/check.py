"""``mqclause check``: what in a configuration an administrator should see, with file, line and what mends it."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import click

from mqclause.check.findings import Checks, Finding
from mqclause.check.lint_run import Inspection
from mqclause.model.diagnostics import quote_value, suggest_allowed
from mqclause.rulebook.rule_file import SEVERITIES
from mqclause.testing.case_kinds import count_documents
from mqclause.tools.commands.options import (
    add_facts_options,
    add_rules_options,
    blame_status_option,
    build_state_commands,
    facts_argument,
    find_files,
    json_option,
    load_rules,
    parse_file_name,
    read_check_settings,
    read_overlays,
)
from mqclause.tools.errors import NotWrittenError
from mqclause.tools.render.findings import (
    build_sarif,
    print_check_page,
    print_documents,
    print_findings,
    print_statistics,
)
from mqclause.tools.render.streams import print_json, print_warnings
from mqclause.tools.render.terminal import show_progress

ABOUT = "Tell of a check: what it asks, why, and what mends it. 'all': of each; 'documents': how much the rules state."


@click.command("check")
@facts_argument
@add_facts_options("Only what this queue manager knows.")
@json_option
@add_rules_options
@click.option("--sarif", type=parse_file_name, metavar="FILE", help="Also write the findings to FILE as SARIF 2.1.0.")
@click.option(
    "--fail-on",
    type=click.Choice(SEVERITIES),
    help="The severity from which a finding makes the status 1.  [default: error]",
)
@click.option("--ignore", multiple=True, metavar="RULE,…", help="Leave out the checks with these ids.")
@click.option("--all", "every", is_flag=True, help="Print each finding, even if many objects have the same one.")
@click.option("--statistics", is_flag=True, help="Print how many findings each check has instead of the findings.")
@click.option("--about", metavar="RULE", help=ABOUT)
def command(facts: tuple[str, ...], as_json: bool, about: str | None, **options: Any) -> int:
    """Report what an administrator should look at in a configuration, with file, line and remedy.

    FACTS are MQSC scripts, dumps, displays or facts files of any number of queue managers. The table [check] of a file
    mqclause.toml, in the working directory or above it, may have ignore = ["RULE", …] and fail-on. Exit status: 0 no
    finding is as severe as --fail-on, 1 one is, 2 bad input.
    """
    checks = Checks(load_rules((), options.pop("edition")))
    known = tuple(checks.rules)
    settings = read_check_settings(Path.cwd(), known)
    checks.ignored = frozenset((*settings.ignore, *_ignored(options.pop("ignore"), known)))
    print_warnings((), filter(None, [settings.remark]))
    if about is not None:
        if as_json or options["sarif"] or options["statistics"]:
            raise click.UsageError("--about tells of checks, as text: leave out --json, --sarif and --statistics")
        return _tell(checks, about)
    sarif, gravest = options.pop("sarif"), options.pop("fail_on") or settings.fail_on
    statistics, every = options.pop("statistics"), options.pop("every")
    if as_json and statistics:
        raise click.UsageError("--json and --statistics are two forms of one answer; leave one out")
    found = find_findings(checks, facts, **options)
    if sarif is not None:
        write_sarif(sarif, found, checks)
    if as_json:
        print_json({"format": "mqclause.findings/1", "findings": [each.to_json() for each in found]})
    elif statistics:
        print_statistics(found)
    else:
        print_findings(found, every)
    return int(any(each.severity in SEVERITIES[: SEVERITIES.index(gravest) + 1] for each in found))


def _tell(checks: Checks, about: str) -> int:
    """Tells of checks, or of documents: 1 where something is missing between their sentences and the rules."""
    if about != "documents":
        print_check_page(checks, about)
        return 0
    documents = count_documents(checks.engine.rules)
    print_documents(documents)
    return int(any(each.missing for each in documents))


def find_findings(
    checks: Checks,
    facts: tuple[str, ...],
    local: str | None,
    lenient: bool,
    named_format: str | None,
    overlays: tuple[str, ...],
    sets: tuple[str, ...],
    states: tuple[str, ...],
) -> list[Finding]:
    """What is found in files, one read after the other. Raises FactsError and ClickException."""
    inspection = Inspection(checks, local, lenient)
    files, read = find_files(facts, named_format), 0
    with show_progress(lambda: read / len(files), "reading"):
        for each in files:
            inspection.read(each.read())
            read += 1
    for source in read_overlays(overlays):
        inspection.read(source)
    inspection.lay_over()
    for text in sets:
        inspection.change(text)
    with blame_status_option():
        for text in build_state_commands(states):
            inspection.change(text)
    found = inspection.findings()
    print_warnings(inspection.warnings)
    return found


def _ignored(given: Sequence[str], known: Collection[str]) -> list[str]:
    """The ids that the options --ignore name, several with commas between them. Raises UsageError."""
    ids = [each.strip() for text in given for each in text.split(",") if each.strip()]
    for each in ids:
        if each not in known:
            raise click.UsageError(f"--ignore: {quote_value(each)} is no check{suggest_allowed(each, known)}")
    return ids


def write_sarif(path: str, found: Sequence[Finding], checks: Checks) -> None:
    """Writes the findings as SARIF. Raises NotWrittenError."""
    try:
        Path(path).write_text(json.dumps(build_sarif(found, checks), ensure_ascii=False, indent=1), encoding="utf-8")
    except OSError as error:
        raise NotWrittenError(f"{path}: {(error.strerror or 'cannot be written').lower()}") from None
