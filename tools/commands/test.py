"""``mqclause test``: the cases of rules, run; and how much of each rule they reach."""

from __future__ import annotations

from pathlib import Path

from mqclause.audit.case_run import count_processors, find_case_files, run_case_files
from mqclause.audit.coverage import measure_coverage
from mqclause.tools.commands.options import load_rules
from mqclause.tools.render.audit import CaseReport
from mqclause.tools.render.streams import print_json

FORMAT = "mqclause.test/1"


def test_rules(names: tuple[str, ...], coverage: bool, as_json: bool, cases: str | None) -> int:
    """Run the cases, print what came of them, and return the exit status. Raises CaseError and ReadingError."""
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
