"""``mqclause check``: what in a configuration an administrator should see, with file, line and what mends it."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

import click
from attrs import frozen

from mqclause.check.findings import CheckPage, Checks, Finding, Inspection, render_pages
from mqclause.check.report import FINDINGS_FORMAT, build_sarif
from mqclause.model.diagnostics import quote_value, suggest_allowed, suggest_word
from mqclause.render.findings import (
    print_documents,
    print_findings,
    print_statistics,
)
from mqclause.render.terminal import print_text, track_progress
from mqclause.rulebook.rule_file import SEVERITIES
from mqclause.testing.case_kinds import count_documents
from mqclause.tools.commands.options import (
    Inputs,
    blame_status_option,
    build_state_commands,
    find_files,
    group_options,
    read_named_file,
    read_overlays,
)
from mqclause.tools.commands.settings import refuse_value
from mqclause.tools.output import (
    JSON,
    check_page,
    check_replaceable,
    print_json,
    print_rows,
    print_warnings,
    write_answer,
    write_page,
)

FINDING_COLUMNS = (
    "rule", "document", "clause", "severity", "object.type", "object.name", "object.queue_manager", "attribute",
    "message", "remedy", "source.file", "source.line",
)  # fmt: skip


@frozen
class CheckOutput:
    """The findings to print, and how. Raises UsageError for options that exclude one another."""

    as_json: bool = False
    as_csv: bool = False
    sarif: str | None = None
    html: str | None = None
    fail_on: str = SEVERITIES[0]
    every: bool = False
    statistics: bool = False
    about: str | None = None

    def __attrs_post_init__(self) -> None:
        form = "--json" if self.as_json else "--csv"
        if self.about is not None and (self.as_json or self.as_csv or self.sarif or self.html or self.statistics):
            raise click.UsageError(
                f"--about tells of checks, as text: leave out {form}, --sarif, --html and --statistics"
            )
        check_replaceable("--sarif", self.sarif, JSON, "JSON")
        check_page(self.html)

    def print_findings(self, found: Sequence[Finding], checks: Checks) -> None:
        """Print the findings in the form asked for, and write the SARIF file and the page. Raises NotWrittenError."""
        if self.sarif is not None:
            write_answer(self.sarif, json.dumps(build_sarif(found, checks), ensure_ascii=False, indent=1))
        if self.html is not None:
            from mqclause.pages.check import view_findings

            write_page(self.html, view_findings(found, checks.engine.rules))
        if self.as_json:
            print_json({"format": FINDINGS_FORMAT, "findings": [each.to_json() for each in found]})
        elif self.as_csv:
            print_rows(FINDING_COLUMNS, (each.to_json() for each in found))
        elif self.statistics:
            print_statistics(found)
        else:
            print_findings(found, self.every)


@group_options(inputs=Inputs, output=CheckOutput)
def check_configuration(inputs: Inputs, output: CheckOutput, ignore: tuple[str, ...]) -> int:
    """Report what an administrator should look at, and return the exit status. Raises FactsError and UsageError."""
    checks = Checks(inputs.load_rules())
    known = tuple(checks.rules)
    checks.ignored = frozenset(_ignored(ignore, known))
    if output.about is not None:
        return _tell(checks, output.about)
    found = find_findings(checks, inputs)
    output.print_findings(found, checks)
    return int(any(each.severity in SEVERITIES[: SEVERITIES.index(output.fail_on) + 1] for each in found))


def _tell(checks: Checks, about: str) -> int:
    """Tells of checks, or of documents: 1 where something is missing between their sentences and the rules."""
    if about in ("all", *checks.rules):
        print_text(render_pages(checks) if about == "all" else CheckPage.of(checks, about).render_markdown())
        return 0
    if about != "documents":
        said = "is no check; 'all' tells of each, 'documents' counts what the rules state"
        raise click.UsageError(f"--about: {quote_value(about)} {said}{suggest_word(about, checks.rules)}")
    documents = count_documents(checks.engine.rules)
    print_documents(documents)
    return int(any(each.missing for each in documents))


def find_findings(checks: Checks, inputs: Inputs) -> list[Finding]:
    """Find what is in the files, read one after the other. Raises FactsError and ClickException."""
    inspection = Inspection(checks, inputs.local, inputs.lenient)
    files = find_files(inputs.facts, inputs.named_format)
    for each in track_progress(files, len(files), "reading"):
        inspection.read(read_named_file(each))
    for source in read_overlays(inputs.overlays):
        inspection.read(source)
    inspection.lay_over()
    for text in inputs.sets:
        inspection.change(text)
    with blame_status_option():
        for text in build_state_commands(inputs.states):
            inspection.change(text)
    found = inspection.findings()
    print_warnings(inspection.warnings, inspection.remarks)
    return found


def _ignored(given: Sequence[str], known: Collection[str]) -> list[str]:
    """The ids that the options --ignore name, several with commas between them. Raises UsageError and FactsError."""
    ids = [each.strip() for text in given for each in text.split(",") if each.strip()]
    for each in ids:
        if each not in known:
            refuse_value("ignore", each, f"{quote_value(each)} is no check{suggest_allowed(each, known)}")
    return ids
