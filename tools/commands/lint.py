"""``mqclause lint``: what is odd in rule files."""

from __future__ import annotations

from pathlib import Path

import click

from mqclause.audit.case_run import find_case_files
from mqclause.audit.lint import get_checks, lint_rules, read_cases_by_path
from mqclause.model.diagnostics import quote_value, suggest_allowed
from mqclause.rulebook.rules import get_rules_folder
from mqclause.tools.commands.declared import FOLDER
from mqclause.tools.commands.own_rules import load_own_rules
from mqclause.tools.render.audit import print_lint, print_lint_checks
from mqclause.tools.render.streams import print_json

FORMAT = "mqclause.lint/1"


def print_linted(folder: str | None, every: bool, about: str | None, as_json: bool, cases: str | None) -> int:
    """Print what is odd in the rules of a folder, and return the exit status. Raises FactsError and UsageError."""
    if about is not None:
        codes = [each.code for each in get_checks()]
        if about not in (*codes, "all"):
            raise click.UsageError(
                f"--about: {quote_value(about)} is no check{suggest_allowed(about, ['all', *codes])}"
            )
        print_lint_checks([each for each in get_checks() if about in (each.code, "all")])
        return 0
    place = folder or str(get_rules_folder())
    click.get_current_context().meta[FOLDER] = place
    rules = load_own_rules(place, {}, None)
    found = lint_rules(rules, read_cases_by_path(find_case_files((), Path(cases) if cases else None)))
    if as_json:
        print_json({"format": FORMAT, "findings": [each.to_json() for each in found]})
    else:
        print_lint(place, found, every)
    return int(any(not each.reason for each in found))
