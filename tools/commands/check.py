"""``mqclause check``: what in a configuration an administrator should see, with file, line and what mends it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
from rich.text import Text

from mqclause.answers.findings import Checks, Finding
from mqclause.model.assembly.as_records import scripts_of
from mqclause.model.assembly.configured import configured
from mqclause.model.assembly.local import owned
from mqclause.model.assembly.snapshot import Source
from mqclause.model.diagnostic import Diagnostic, FactsError
from mqclause.model.readers.container import unpacked
from mqclause.model.readers.facts_document import FactsDocument
from mqclause.model.readers.facts_file import read_facts
from mqclause.model.readers.record import Script
from mqclause.model.readers.registry import contents_of
from mqclause.rulebook.actions import SEVERITIES
from mqclause.tools.commands.inputs import sources
from mqclause.tools.commands.options import edition_option, from_option, json_option, lenient_option, rules_by
from mqclause.tools.errors import NotWrittenError
from mqclause.tools.render.page import Page
from mqclause.tools.render.streams import print_json

SEVERITY_STYLES = dict(zip(SEVERITIES, ("bold red", "yellow", "cyan"), strict=True))


@click.command("check")
@click.argument("facts", nargs=-1)
@from_option
@json_option
@edition_option
@lenient_option
@click.option("--sarif", metavar="FILE", help="Write the findings to FILE, too, as SARIF 2.1.0.")
@click.option("--fail-on", type=click.Choice(SEVERITIES), default="error", show_default=True, help="For status 1.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Leave out a check, by its id.")
@click.option("--statistics", is_flag=True, help="How many findings each check has, in place of the findings.")
def command(
    facts: tuple[str, ...],
    local: str | None,
    as_json: bool,
    edition: str | None,
    lenient: bool,
    sarif: str | None,
    fail_on: str,
    ignore: tuple[str, ...],
    statistics: bool,
) -> int:
    """What in a configuration should an administrator see? Each finding with file, line, and what mends it.

    FACTS are MQSC scripts, dumps, displays or facts files of any number of queue managers. Exit status: 0
    nothing is found that is as grave as --fail-on, 1 something is, 2 bad input.
    """
    try:
        checks = Checks(rules_by((), edition), ignore)
    except ValueError as error:
        raise click.UsageError(f"--ignore: {error}") from None
    scripts, warnings = read_scripts(sources(facts), lenient)
    for each in warnings:
        click.echo(str(each), err=True)
    found = checks.findings(configured(scripts, local or ""))
    found = [each for each in found if local in (None, each.about.queue_manager)]
    if sarif is not None:
        write_sarif(sarif, found)
    if as_json:
        print_json({"format": "mqclause.findings/1", "findings": [each.document() for each in found]})
    else:
        print_findings(found, statistics)
    gravest = SEVERITIES.index(fail_on)
    return int(any(SEVERITIES.index(each.rule.severity) <= gravest for each in found))


def read_scripts(files: Iterable[Source], lenient: bool) -> tuple[list[Script], list[Diagnostic]]:
    """The scripts in files, and warnings; raises FactsError with every fault."""
    scripts: list[Script] = []
    faults: list[Diagnostic] = []
    warnings: list[Diagnostic] = []
    for source in files:
        try:
            for name, data in unpacked(source.data, source.name):
                contents = contents_of(data, name)
                if isinstance(contents, FactsDocument):
                    read = read_facts(contents.data, name, "?")
                    faults += contents.diagnostics or read.diagnostics
                    scripts += scripts_of(read, contents)
                    continue
                for script in owned(contents, source.queue_manager):
                    scripts.append(script)
                    (warnings if lenient else faults).extend(script.diagnostics)
        except FactsError as error:
            (warnings if source.found else faults).extend(error.diagnostics)
    if faults or not scripts:
        raise FactsError(faults or warnings)
    return scripts, warnings


def write_sarif(path: str, found: Sequence[Finding]) -> None:
    """Writes the findings as SARIF. Raises NotWrittenError."""
    # Loaded where it is asked for.
    from mqclause.tools.render.sarif import sarif

    try:
        Path(path).write_text(json.dumps(sarif(found), ensure_ascii=False, indent=1), encoding="utf-8")
    except OSError as error:
        raise NotWrittenError(f"{path}: {(error.strerror or 'cannot be written').lower()}") from None


def print_findings(found: Sequence[Finding], statistics: bool, page: Page | None = None) -> None:
    """Prints the findings, or how many there are of each check; then how many in all."""
    page = page or Page()
    if statistics:
        titles = {each.rule.id: each.rule.title for each in found}
        for name, count in Counter(each.rule.id for each in found).most_common():
            page.line(f"{count:>6}  {name}  {titles[name]}")
    for each in () if statistics else found:
        file, line = each.source
        place = f"{file}:{line}" if line else file
        style = SEVERITY_STYLES[each.rule.severity]
        page.line(Text.assemble((place, "bold"), " ", (each.rule.severity, style), f" {each.rule.id}: {each.message}"))
        page.line(Text(each.remedy, "dim"), "", 4)
    by_severity = Counter(each.rule.severity for each in found)
    counts = ((by_severity[name], name) for name in SEVERITIES if by_severity[name])
    counted = ", ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in counts)
    page.line(f"found {counted}" if counted else Text("nothing is found", "green"))
