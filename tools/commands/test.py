"""``mqclause test``: the cases of rules, run; and how much of each rule they reach."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mqclause.audit.case_run import count_processors, find_case_files, run_case_files
from mqclause.audit.coverage import measure_coverage
from mqclause.audit.proof import DocumentProof, prove_agreement
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.options import load_rules
from mqclause.tools.render.audit import CaseReport
from mqclause.tools.render.streams import print_json

FORMAT = "mqclause.test/1"

MOST_SITUATIONS = 500
"""So many situations are tried of one rule."""


def test_rules(names: tuple[str, ...], coverage: bool, proof: bool, as_json: bool, cases: str | None) -> int:
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
    proofs = _proofs(rules, report) if proof else None
    if as_json:
        said: dict[str, Any] = {"cases": [each.to_json() for each in report.results]}
        said |= {} if covered is None else {"coverage": [each.to_json() for each in covered]}
        said |= {} if proofs is None else {"proof": [each.to_json() for each in proofs]}
        print_json({"format": FORMAT, **said})
    else:
        report.finish(covered, proofs)
    return int(bool(report.failed) or any(each.disagreements for each in proofs or ()))


def _proofs(rules: Rules, report: CaseReport) -> list[DocumentProof]:
    """What is shown of the documents of the cases that were run."""
    documents = dict.fromkeys(each.document for each in report.results)
    return [prove_agreement(rules, each, most=MOST_SITUATIONS, processes=count_processors()) for each in documents]
