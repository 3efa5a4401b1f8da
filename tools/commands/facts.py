"""``mqclause facts``: what files say, as one facts file; or what was read of each of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

import click
import toml

from mqclause.model.configuration.file_reports import FileReport, Needed, list_needed_commands, report_files
from mqclause.model.configuration.snapshot import Snapshot, build_facts_tables
from mqclause.model.configuration.sources import Source
from mqclause.model.diagnostics import Diagnostic, FactsError
from mqclause.render.findings import build_file_reports_document, print_file_reports
from mqclause.tools.commands.declared import ARGUMENTS
from mqclause.tools.commands.options import Inputs, group_options
from mqclause.tools.output import print_json, print_pieces, print_rows, print_warnings, render_json

FILE_COLUMNS = ("file", "format", "queue_managers", "objects", "read", "faults")

AT_ONCE = 1000
"""So many rows of a table are written at once."""


@group_options(inputs=Inputs)
def write_read_facts(inputs: Inputs, by_source: bool, as_json: bool, as_csv: bool, to: str | None) -> int:
    """Write what files say as one facts file, or what was read of each. Raises FactsError and UsageError."""
    if to == "toml" and (as_json or by_source):
        raise click.UsageError(f"--to toml is a facts file; leave it out for {'--json' if as_json else '--sources'}")
    if as_csv and not by_source:
        raise click.UsageError("--csv is a line for each file; give --sources, too")
    as_json = as_json or to == "json"
    sources = inputs.read_sources()
    if by_source:
        return report_sources(sources, as_json, as_csv, inputs.local)
    return write_facts(inputs.build_snapshot(sources), as_json)


def report_sources(given: Sequence[Source], as_json: bool, as_csv: bool, local: str | None) -> int:
    """Say of each file what was read of it, and which commands tell the rest; returns 0.

    Raises FactsError if nothing was read, or if no file describes ``local``.
    """
    found = report_files(given)
    needed, faults = find_needed(given, found, local)
    if as_json:
        print_json(build_file_reports_document(found, needed, faults))
    elif as_csv:
        print_rows(FILE_COLUMNS, build_file_reports_document(found, needed, faults)["files"])
    else:
        print_file_reports(found, needed, faults)
    return 0


def find_needed(
    given: Sequence[Source], found: Sequence[FileReport], local: str | None
) -> tuple[Sequence[Needed], Sequence[Diagnostic]]:
    """Find what the files leave out, or the faults for which that cannot be told. Raises FactsError."""
    try:
        return list_needed_commands(given, found, local), ()
    except FactsError as error:
        if local is not None and any(each.source == ARGUMENTS["local"] for each in error.diagnostics):
            raise
        return (), error.diagnostics


def write_facts(snapshot: Snapshot, as_json: bool) -> int:
    """Write the facts of all files; return 0."""
    tables = build_facts_tables(snapshot)
    print_pieces(render_json(tables) if as_json else render_toml(tables))
    print_warnings(snapshot.warnings, snapshot.remarks)
    for each in snapshot.incomplete:
        print(f"not in the facts: {each.what}: {each.command}", file=sys.stderr)  # noqa: T201
    return 0


def render_toml(document: Mapping[str, Any]) -> Iterator[str]:
    """Render a facts document as TOML, its tables in their order: in pieces, as that of a large dump is large."""
    encoder = toml.TomlEncoder()
    # a text of JSON is one of TOML; the library's own takes \\x for an escape
    encoder.dump_funcs[str] = partial(json.dumps, ensure_ascii=False)
    # and a list as facts files have it: the library's is [ "SALES",]
    encoder.dump_funcs[list] = lambda items: f"[{', '.join(str(encoder.dump_value(each)) for each in items)}]"
    pieces = (piece for table, of in document.items() for piece in _pieces(table, of))
    for number, piece in enumerate(pieces):
        yield ("\n" if number else "") + toml.dumps(piece, encoder).rstrip() + "\n"


def _pieces(table: str, of: Any) -> Iterator[dict[str, Any]]:
    """A table, or its rows, some at a time."""
    if not isinstance(of, list | Iterator):
        yield {table: of}
        return
    rows = iter(of)
    while some := list(islice(rows, AT_ONCE)):
        yield {table: some}
