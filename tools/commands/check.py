"""``mqclause check``: what in a configuration an administrator should see, with file, line and what mends it."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import click
from attrs import frozen

from mqclause.check.findings import Checks, Finding, Inspection
from mqclause.check.report import FINDINGS_FORMAT, build_sarif
from mqclause.model.diagnostics import Diagnostic, FactsError, quote_value, suggest_allowed, suggest_word
from mqclause.model.readers.encodings import open_file
from mqclause.model.readers.facts_files import parse_toml
from mqclause.model.readers.formats import FactsDocument
from mqclause.rulebook.rule_file import SEVERITIES
from mqclause.rulebook.rules import LARGEST_FILE
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
from mqclause.tools.errors import NotWrittenError
from mqclause.tools.render.findings import (
    print_check_page,
    print_documents,
    print_findings,
    print_statistics,
)
from mqclause.tools.render.streams import print_json, print_warnings
from mqclause.tools.render.terminal import show_progress

SETTINGS_FILE = "mqclause.toml"
_TABLES = ("check",)
CHECK_KEYS = ("ignore", "fail-on")


@frozen
class CheckOutput:
    """The findings to print, and how. Raises UsageError for options that exclude one another."""

    as_json: bool = False
    sarif: str | None = None
    fail_on: str | None = None
    every: bool = False
    statistics: bool = False
    about: str | None = None

    def __attrs_post_init__(self) -> None:
        if self.about is not None and (self.as_json or self.sarif or self.statistics):
            raise click.UsageError("--about tells of checks, as text: leave out --json, --sarif and --statistics")
        if self.as_json and self.statistics:
            raise click.UsageError("--json and --statistics are two forms of one answer; leave one out")
        if self.sarif is not None and not _may_be_replaced(self.sarif):
            raise click.UsageError(
                f"--sarif: {quote_value(self.sarif)} is there and is not JSON; allowed: another name"
            )

    def print_findings(self, found: Sequence[Finding], checks: Checks) -> None:
        """Print the findings in the form asked for, and write the SARIF file. Raises NotWrittenError."""
        if self.sarif is not None:
            write_sarif(self.sarif, found, checks)
        if self.as_json:
            print_json({"format": FINDINGS_FORMAT, "findings": [each.to_json() for each in found]})
        elif self.statistics:
            print_statistics(found)
        else:
            print_findings(found, self.every)


@group_options(inputs=Inputs, output=CheckOutput)
def check_configuration(inputs: Inputs, output: CheckOutput, ignore: tuple[str, ...]) -> int:
    """Report what an administrator should look at, and return the exit status. Raises FactsError and UsageError."""
    checks = Checks(inputs.load_rules())
    known = tuple(checks.rules)
    settings = read_check_settings(Path.cwd(), known)
    checks.ignored = frozenset((*settings.ignore, *_ignored(ignore, known)))
    print_warnings((), filter(None, [settings.remark]))
    if output.about is not None:
        return _tell(checks, output.about)
    found = find_findings(checks, inputs)
    output.print_findings(found, checks)
    gravest = output.fail_on or settings.fail_on
    return int(any(each.severity in SEVERITIES[: SEVERITIES.index(gravest) + 1] for each in found))


def _may_be_replaced(path: str) -> bool:
    """Whether a file is new, empty, or SARIF of before; not one of FACTS, where the name of the report was left out."""
    try:
        with Path(path).open("rb") if os.path.isfile(path) else BytesIO() as file:
            return file.read(1) in (b"", b"{")
    except OSError:
        return True


def _tell(checks: Checks, about: str) -> int:
    """Tells of checks, or of documents: 1 where something is missing between their sentences and the rules."""
    if about != "documents":
        print_check_page(checks, about)
        return 0
    documents = count_documents(checks.engine.rules)
    print_documents(documents)
    return int(any(each.missing for each in documents))


def find_findings(checks: Checks, inputs: Inputs) -> list[Finding]:
    """Find what is in the files, read one after the other. Raises FactsError and ClickException."""
    inspection = Inspection(checks, inputs.local, inputs.lenient)
    files, read = find_files(inputs.facts, inputs.named_format), 0
    with show_progress(lambda: read / len(files), "reading"):
        for each in files:
            inspection.read(read_named_file(each))
            read += 1
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
    """The ids that the options --ignore name, several with commas between them. Raises UsageError."""
    ids = [each.strip() for text in given for each in text.split(",") if each.strip()]
    for each in ids:
        if each not in known:
            raise click.UsageError(f"--ignore: {quote_value(each)} is no check{suggest_allowed(each, known)}")
    return ids


def write_sarif(path: str, found: Sequence[Finding], checks: Checks) -> None:
    """Write the findings as SARIF. Raises NotWrittenError."""
    try:
        Path(path).write_text(json.dumps(build_sarif(found, checks), ensure_ascii=False, indent=1), encoding="utf-8")
    except OSError as error:
        raise NotWrittenError(f"{path}: {(error.strerror or 'cannot be written').lower()}") from None


@frozen(eq=False)
class CheckSettings:
    """The checks to ignore, and the severity to fail on."""

    ignore: tuple[str, ...] = ()
    fail_on: str = SEVERITIES[0]
    path: str = ""

    @property
    def remark(self) -> str:
        """That a file was found, and what it changes; blank where it changes nothing."""
        said = [f"{', '.join(self.ignore)} ignored"] if self.ignore else []
        said += [f"fails on {self.fail_on}"] if self.fail_on != SEVERITIES[0] else []
        return f"{self.path}: {'; '.join(said)}" if said else ""


def read_check_settings(folder: Path, known: Sequence[str]) -> CheckSettings:
    """Read the table ``[check]`` of the nearest settings file; ``known`` are the ids of the checks.

    Raises FactsError with the first thing that is wrong in it, on its line.
    """
    found = next(filter(os.path.isfile, (each / SETTINGS_FILE for each in (folder, *folder.parents))), None)
    if found is None:
        return CheckSettings()
    document = _read(found)
    table = document.data.get("check", {})
    if not isinstance(table, dict):
        raise _fault(document, f"check: {quote_value(table)} is given where a table is expected", "check")
    for key in table:
        if key not in CHECK_KEYS:
            said = f"check: unknown key {quote_value(key)}{suggest_allowed(key, CHECK_KEYS)}"
            raise _fault(document, said, "check", key)
    ignore, fail_on = table.get("ignore", []), table.get("fail-on", SEVERITIES[0])
    if not isinstance(ignore, list):
        _refuse(document, "ignore", ignore, "a list of ids of checks")
    for each in ignore:
        if each not in known:
            _refuse(document, "ignore", each, f"{', '.join(known)}{suggest_word(str(each), known)}")
    if fail_on not in SEVERITIES:
        _refuse(document, "fail-on", fail_on, f"{', '.join(SEVERITIES)}{suggest_word(str(fail_on), SEVERITIES)}")
    return CheckSettings(tuple(dict.fromkeys(ignore)), fail_on, str(found))


def _read(path: Path) -> FactsDocument:
    """The settings file, whose tables are all known. Raises FactsError."""
    try:
        with open_file(path) as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise FactsError([Diagnostic(str(path), f"holds more than {LARGEST_FILE:,} bytes; allowed: so many")])
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise FactsError([Diagnostic(str(path), f"is not UTF-8: byte {error.start + 1} is wrong")]) from None
    except OSError as error:
        raise FactsError([Diagnostic(str(path), (error.strerror or "cannot be read").lower())]) from None
    document = parse_toml(text if text.strip() else "[check]", str(path))  # as facts, an empty file is a fault
    if document.diagnostics:
        raise FactsError(document.diagnostics)
    for key in document.data:
        if key not in _TABLES:
            said = f"unknown table {quote_value(key)}{suggest_allowed(key, _TABLES)}"
            raise _fault(document, said, key)
    return document


def _refuse(document: FactsDocument, key: str, value: Any, allowed: str) -> None:
    raise _fault(document, f"check: {key}: {quote_value(value)} is not allowed; allowed: {allowed}", "check", key)


def _fault(document: FactsDocument, message: str, *path: str) -> FactsError:
    return FactsError([Diagnostic(document.source, message, *document.places.place_of(*path))])
