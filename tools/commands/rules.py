"""Run the commands about rules: verify, test, mutate and lint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from mqclause.audit.case_run import count_processors, find_case_files, run_case_files
from mqclause.audit.coverage import measure_coverage
from mqclause.audit.laws import prove_laws
from mqclause.audit.lint import get_checks, lint_rules, read_cases_by_path
from mqclause.audit.mutation import MutantResult, try_mutants
from mqclause.audit.proof import DocumentProof, prove_agreement
from mqclause.audit.verification import FORMAT as VERIFY_FORMAT
from mqclause.audit.verification import count_other_sources, verify_copies
from mqclause.model.diagnostics import quote_value, suggest_allowed
from mqclause.render.audit import (
    CaseReport,
    print_lint,
    print_lint_checks,
    print_mutants,
    print_verification,
)
from mqclause.render.terminal import show_progress
from mqclause.rulebook.rules import Rules, get_rules_folder
from mqclause.tools.commands.declared import FOLDER
from mqclause.tools.commands.options import load_own_rules, load_rules, read_inputs
from mqclause.tools.streams import print_json, print_rows


def print_verified(copies: tuple[str, ...], as_json: bool, as_csv: bool) -> int:
    """Print what became of each sentence, and return the exit status. Raises FactsError and UsageError."""
    if not copies:
        raise click.UsageError("name at least one copy of a document; see --help")
    rules = load_rules(())
    found = verify_copies(rules, read_inputs(copies))
    others = count_other_sources(rules)
    if as_json:
        print_json({"format": VERIFY_FORMAT, "copies": [each.to_json() for each in found], "others": others.to_json()})
    elif as_csv:
        documents = (each.to_json() for each in found)
        print_rows(SENTENCE_COLUMNS, (row for each in documents for row in _list_sentences(each)))
    else:
        print_verification(found, others)
    return int(not all(each.is_alike for each in found))


SENTENCE_COLUMNS = ("file", "document", "number", "paths", "status", "line", "says", "text")


def _list_sentences(copy: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The sentences of a copy, then those that are new in it."""
    of = {key: copy[key] for key in ("file", "document")}
    yield from ({**each, **of} for each in copy["sentences"])
    yield from ({**each, **of, "status": "new"} for each in copy["new"])


CASE_COLUMNS = ("file", "name", "rule", "clauses", "passed", "wrong")
TEST_FORMAT = "mqclause.test/1"

MOST_SITUATIONS = 500
"""So many situations are tried of one rule."""


def test_rules(
    names: tuple[str, ...], coverage: bool, proof: bool, as_json: bool, as_csv: bool, cases: str | None
) -> int:
    """Run the cases, print what came of them, and return the exit status.

    Raises CaseError, ReadingError, RuleError and UsageError.
    """
    if as_csv and (coverage or proof):
        raise click.UsageError("--csv is a line for each case; leave out --coverage and --proof")
    rules = load_rules(())
    paths = find_case_files(names, Path(cases) if cases else None)
    report = CaseReport()
    covered = None
    if coverage:
        found, covered = measure_coverage(rules, paths, count_processors())
        report.add(found)
    else:
        for results in run_case_files(rules, paths, count_processors()):
            report.add(results)
    documents = dict.fromkeys(each.document for each in report.results)
    proofs = _proofs(rules, documents) if proof else None
    laws = prove_laws(rules, documents, MOST_SITUATIONS, count_processors()) if proof else ()
    if as_json:
        said: dict[str, Any] = {"cases": [each.to_json() for each in report.results]}
        said |= {} if covered is None else {"coverage": [each.to_json() for each in covered]}
        said |= {} if proofs is None else {
            "proof": [each.to_json() for each in proofs], "laws": [each.to_json() for each in laws],
        }  # fmt: skip
        print_json({"format": TEST_FORMAT, **said})
    elif as_csv:
        print_rows(CASE_COLUMNS, (each.to_json() for each in report.results))
    else:
        report.finish(covered, proofs, laws)
    is_shown = not any(each.disagreements for each in proofs or ()) and all(each.is_shown for each in laws)
    return int(bool(report.failed) or not is_shown)


def _proofs(rules: Rules, documents: Iterable[str]) -> list[DocumentProof]:
    """What is shown of the documents of the cases that were run."""
    return [prove_agreement(rules, each, most=MOST_SITUATIONS, processes=count_processors()) for each in documents]


MUTANT_COLUMNS = ("rule", "change", "status", "cases")
MUTANTS_FORMAT = "mqclause.mutants/1"


def mutate_rules(names: tuple[str, ...], every: bool, as_json: bool, as_csv: bool, cases: str | None) -> int:
    """Print which changes no case notices, and return the exit status. Raises CaseError and ReadingError."""
    rules = load_rules(())
    paths = find_case_files(names, Path(cases) if cases else None)
    found, done = list[MutantResult](), 0
    with show_progress(lambda: done / len(paths), "mutating"):
        for results in try_mutants(rules, paths, count_processors(), None if every else 1):
            found += results
            done += 1
    if as_json:
        print_json({"format": MUTANTS_FORMAT, "mutants": [each.to_json() for each in found]})
    elif as_csv:
        print_rows(MUTANT_COLUMNS, (each.to_json() for each in found))
    else:
        print_mutants(found, every)
    return int(any(each.is_unmet for each in found))


ODDITY_COLUMNS = ("code", "file", "key", "message", "reason")
LINT_FORMAT = "mqclause.lint/1"


def print_linted(
    folder: str | None, every: bool, about: str | None, as_json: bool, as_csv: bool, cases: str | None
) -> int:
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
    known = read_cases_by_path(find_case_files((), Path(cases) if cases else None))
    found = lint_rules(rules, known, processes=count_processors())
    if as_json:
        print_json({"format": LINT_FORMAT, "findings": [each.to_json() for each in found]})
    elif as_csv:
        print_rows(ODDITY_COLUMNS, (each.to_json() for each in found))
    else:
        print_lint(place, found, every)
    return int(any(not each.reason for each in found))
