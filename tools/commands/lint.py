"""``mqclause lint``: what is odd in rule files."""

from __future__ import annotations

from pathlib import Path

import click

from mqclause.audit.case_run import find_case_files
from mqclause.audit.lint import get_checks, lint_rules, read_cases_by_path
from mqclause.model.diagnostics import quote_value, suggest_allowed
from mqclause.rulebook.rules import get_rules_folder
from mqclause.tools.commands.options import cases_option, json_option, parse_file_name
from mqclause.tools.commands.own_rules import FOLDER, load_own_rules
from mqclause.tools.render.audit import print_lint, print_lint_checks
from mqclause.tools.render.streams import print_json

FORMAT = "mqclause.lint/1"


@click.command("lint")
@click.argument("folder", required=False, type=parse_file_name)
@click.option("--all", "every", is_flag=True, help="Also print what lint.toml of the folder lists, with its reasons.")
@click.option("--about", metavar="CODE", help="Tell of a check: what it asks, why, and what mends it. 'all': of each.")
@json_option
@cases_option
@click.pass_context
def command(
    context: click.Context, folder: str | None, every: bool, about: str | None, as_json: bool, cases: str | None
) -> int:
    """Lint rule files: rules that never apply, that others hide, or that no sentence and no case is about.

    FOLDER has rule files; the ones that come with mqclause are linted where it is left out. Its file lint.toml lists
    what is meant so, each with a reason. Exit status: 0 nothing else is found, 1 something is, 2 bad input.
    """
    if about is not None:
        codes = [each.code for each in get_checks()]
        if about not in (*codes, "all"):
            raise click.UsageError(
                f"--about: {quote_value(about)} is no check{suggest_allowed(about, ['all', *codes])}"
            )
        print_lint_checks([each for each in get_checks() if about in (each.code, "all")])
        return 0
    place = folder or str(get_rules_folder())
    context.meta[FOLDER] = place
    rules = load_own_rules(place, {}, None)
    found = lint_rules(rules, read_cases_by_path(find_case_files((), Path(cases) if cases else None)))
    if as_json:
        print_json({"format": FORMAT, "findings": [each.to_json() for each in found]})
    else:
        print_lint(place, found, every)
    return int(any(not each.reason for each in found))
