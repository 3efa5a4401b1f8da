"""``mqclause test``: the cases of rules, run; and how much of each rule they reach."""

from __future__ import annotations

from pathlib import Path

import click

from mqclause.audit.case_run import count_processors, find_case_files, run_case_files
from mqclause.audit.coverage import measure_coverage
from mqclause.tools.commands.options import add_folder_option, cases_option, json_option, load_rules
from mqclause.tools.render.audit import CaseReport
from mqclause.tools.render.streams import print_json

FORMAT = "mqclause.test/1"


@click.command("test")
@click.argument("names", nargs=-1, metavar="[RULE|RULESET]...")
@click.option("--coverage", is_flag=True, help="Show which branches of conditions no case takes; runs more slowly.")
@json_option
@cases_option
@add_folder_option
def command(names: tuple[str, ...], coverage: bool, as_json: bool, cases: str | None) -> int:
    """Test rules by their cases: which come out otherwise, and what of a rule no case reaches.

    A rule is named like workload.06, a ruleset like workload; all are tested where none is named. Exit status: 0 every
    case passed, 1 one did not, 2 bad input.
    """
    rules = load_rules(())
    paths = find_case_files(names, Path(cases) if cases else None)
    report = CaseReport(quiet=as_json)
    covered = None
    if coverage:
        found, covered = measure_coverage(rules, paths, count_processors())
        report.add(found)
    else:
        for results in run_case_files(rules, paths, count_processors()):
            report.add(results)
    if as_json:
        said = {} if covered is None else {"coverage": [each.to_json() for each in covered]}
        print_json({"format": FORMAT, "cases": [each.to_json() for each in report.results], **said})
    else:
        report.finish(covered)
    return int(bool(report.failed))
