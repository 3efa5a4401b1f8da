"""Run the commands about rules: verify, test, mutate, lint, compare and rulebook."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from mqclause.audit.case_run import (
    count_processors,
    find_case_files,
    measure_coverage,
    run_case_files,
    try_mutants,
)
from mqclause.audit.comparison import FORMAT as COMPARE_FORMAT
from mqclause.audit.comparison import compare_configurations, compare_rules
from mqclause.audit.lint import get_checks, lint_rules, read_cases_by_path
from mqclause.audit.proof import LawProof, prove_agreement, prove_laws
from mqclause.audit.verification import FORMAT as VERIFY_FORMAT
from mqclause.audit.verification import count_other_sources, verify_copies
from mqclause.cluster.map import UNBOUND
from mqclause.documents import DOCUMENTS
from mqclause.executors.pipeline import NotInstalledError
from mqclause.model.diagnostics import quote_value, suggest_allowed
from mqclause.render.audit import (
    print_cases,
    print_comparison,
    print_fact_differences,
    print_lint,
    print_mutants,
    print_verification,
)
from mqclause.render.cluster import print_plan
from mqclause.render.terminal import print_text, track_progress
from mqclause.rulebook.rules import SHARED_FILES, Rules, get_rules_folder
from mqclause.tools.commands.declared import FOLDER
from mqclause.tools.commands.options import Inputs, load_own_rules, parse_readings, read_inputs
from mqclause.tools.commands.plan import MemberChange, plan_files
from mqclause.tools.errors import NotWrittenError
from mqclause.tools.output import print_json, print_rows
from mqclause.tools.rulebook.account import MOST_SITUATIONS, gather_rulebook


def print_verified(copies: tuple[str, ...], as_json: bool, as_csv: bool) -> int:
    """Print what became of each sentence, and return the exit status. Raises FactsError and UsageError."""
    if not copies:
        raise click.UsageError("name at least one copy of a document; see --help")
    rules = Inputs().load_rules()
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


def test_rules(
    names: tuple[str, ...], coverage: bool, proof: bool, as_json: bool, as_csv: bool, cases: str | None
) -> int:
    """Run the cases, print what came of them, and return the exit status.

    Raises CaseError, ReadingError, RuleError and UsageError.
    """
    if as_csv and (coverage or proof):
        raise click.UsageError("--csv is a line for each case; leave out --coverage and --proof")
    rules = Inputs().load_rules()
    paths = find_case_files(names, Path(cases) if cases else None)
    begun, covered = perf_counter(), None
    if coverage:
        results, covered = measure_coverage(rules, paths, count_processors())
    else:
        results = tuple(chain.from_iterable(run_case_files(rules, paths, count_processors())))
    documents = dict.fromkeys(each.document for each in results)
    proofs = None
    laws: Sequence[LawProof] = ()
    if proof:
        processes = count_processors()
        proofs = [prove_agreement(rules, each, most=MOST_SITUATIONS, processes=processes) for each in documents]
        laws = prove_laws(rules, documents, MOST_SITUATIONS, processes)
    if as_json:
        said: dict[str, Any] = {"cases": [each.to_json() for each in results]}
        said |= {} if covered is None else {"coverage": [each.to_json() for each in covered]}
        said |= {} if proofs is None else {
            "proof": [each.to_json() for each in proofs], "laws": [each.to_json() for each in laws],
        }  # fmt: skip
        print_json({"format": TEST_FORMAT, **said})
    elif as_csv:
        print_rows(CASE_COLUMNS, (each.to_json() for each in results))
    else:
        print_cases(results, perf_counter() - begun, covered, proofs, laws)
    is_shown = not any(each.disagreements for each in proofs or ()) and all(each.is_shown for each in laws)
    return int(any(each.wrong for each in results) or not is_shown)


MUTANT_COLUMNS = ("rule", "change", "status", "cases")
MUTANTS_FORMAT = "mqclause.mutants/1"


def mutate_rules(names: tuple[str, ...], every: bool, as_json: bool, as_csv: bool, cases: str | None) -> int:
    """Print which changes no case notices, and return the exit status. Raises CaseError and ReadingError."""
    rules = Inputs().load_rules()
    paths = find_case_files(names, Path(cases) if cases else None)
    tried = try_mutants(rules, paths, count_processors(), None if every else 1)
    found = [each for results in track_progress(tried, len(paths), "mutating") for each in results]
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
        print_text("".join(f"{each.render_markdown()}\n" for each in get_checks() if about in (each.code, "all")))
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


def print_compared(
    folders: tuple[str, ...],
    readings: tuple[str, ...],
    editions: tuple[str, ...],
    documents: tuple[str, ...],
    as_json: bool,
) -> int:
    """Print what differs, and return the exit status. Raises FactsError, ReadingError and UsageError."""
    of_rules = [each for each in folders if holds_rules(each)]
    if len(folders) == 2 and len(of_rules) == 1:
        (other,) = {*folders} - {*of_rules}
        said = f"{of_rules[0]} has rules and {other} has none; two of a kind are compared, rules or configurations"
        raise click.UsageError(said)
    if len(folders) == 2 and not of_rules:
        if documents or len(editions) > 1:
            raise click.UsageError("two configurations are compared by one edition, and by all rules")
        return _print_configurations(*folders, readings, next(iter(editions), None), as_json)
    for each in documents:
        if each not in DOCUMENTS:
            raise click.UsageError(f"--document: {quote_value(each)} is none{suggest_allowed(each, DOCUMENTS)}")
    before, after = _sides(folders, readings, editions)
    found = compare_rules(before, after, documents)
    if as_json:
        print_json(found.to_json())
    else:
        print_comparison(found)
    return int(bool(found.text or found.documents))


def holds_rules(name: str) -> bool:
    """Return whether a folder is one of rules: it has the folder of a document, or a file of all of them."""
    return any((Path(name) / each).exists() for each in (*DOCUMENTS, *SHARED_FILES))


def _print_configurations(
    before: str, after: str, readings: tuple[str, ...], edition: str | None, as_json: bool
) -> int:
    """Print what two configurations state otherwise, then the plan by which one becomes the other.

    Raises FactsError and ReadingError.
    """
    inputs, change = Inputs((before,), readings=readings, edition=edition), MemberChange(then=(after,))
    with plan_files(inputs, change, None, UNBOUND, None) as (plan, _, one, other):
        differences = compare_configurations(one, other)
        if as_json:
            text = [each.to_json() for each in differences]
            print_json({"format": COMPARE_FORMAT, "text": text, "documents": [], "plan": plan.to_json()})
        else:
            print_fact_differences(differences)
            print_plan(plan)
    return int(bool(differences) or plan.changes_something)


def _sides(folders: tuple[str, ...], readings: tuple[str, ...], editions: tuple[str, ...]) -> tuple[Rules, Rules]:
    """Both sets of rules. Raises UsageError, FactsError and ReadingError."""
    if len(folders) > 2 or len(editions) > 2:
        raise click.UsageError("two sets of rules are compared; allowed: A, B, and --edition once or twice")
    if len(folders) < 2 and not readings and not editions:
        raise click.UsageError("name two folders of rules, or --reading, or --edition; see --help")
    given, both = parse_readings(readings), len(folders) == 2
    one, other = (folders[0], folders[-1]) if folders else (None, None)
    earlier = editions[0] if len(editions) == 2 or (both and editions) else None
    later = editions[-1] if editions else None
    return _load_side(one, given if both else {}, earlier), _load_side(other, given, later)


def _load_side(folder: str | None, readings: Mapping[str, str], edition: str | None) -> Rules:
    if folder is None:
        return Rules(readings, edition)
    click.get_current_context().meta[FOLDER] = folder
    return load_own_rules(folder, readings, edition)


MADE_AT = "SOURCE_DATE_EPOCH"
"""The environment variable with the second at which a build that is to be repeated is said to be made."""


def write_rulebook(out: str, cases: str | None) -> int:
    """Write the site and say what is in it. Raises CaseError, ClickException, FactsError and NotInstalledError."""
    try:
        from mqclause.tools.rulebook.site import Made, Site, write_site
    except ModuleNotFoundError as error:
        if error.name not in ("jinja2", "markupsafe", "pygments"):
            raise
        raise NotInstalledError("a rulebook needs Jinja2 and Pygments: pip install 'mqclause[rulebook]'") from None
    place, folder = Path(out), Path(cases) if cases else None
    _check_folder(place)
    on = _made_at()
    rules = Inputs().load_rules()
    paths = find_case_files((), folder)
    track = partial(track_progress, total=len(paths), doing="trying mutants")
    book = gather_rulebook(rules, paths, folder, count_processors(), track)
    site = Site(book, Made.of(rules, version("mqclause"), on))
    try:
        written = write_site(site, place)
    except OSError as error:
        raise NotWrittenError(f"{error.filename or out}: {(error.strerror or 'cannot be written').lower()}") from None
    failed = sum(bool(each.wrong) for each in book.cases)
    sentences = sum(len(each.sentences) for each in book.documents)
    click.echo(f"{place / 'index.html'}: {sentences} sentences, {len(book.by_id)} rules, {failed} cases failed, "
               f"{book.mutants['survived']} mutants survived; {written} files")  # fmt: skip
    return 0


def _check_folder(out: Path) -> None:
    """Raises ClickException unless the folder is not there yet, or empty."""
    try:
        is_taken = out.exists() and (not out.is_dir() or any(out.iterdir()))
    except OSError as error:
        raise click.ClickException(f"{out}: {(error.strerror or 'cannot be read').lower()}") from None
    if is_taken:
        raise click.ClickException(f"{out}: is not empty; allowed: a folder that is not there, or an empty one")


def _made_at() -> datetime | None:
    """The time that the environment gives. Raises UsageError for one that is none."""
    given = os.environ.get(MADE_AT)
    if given is None:
        return None
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError):
        raise click.UsageError(f"{MADE_AT}={given!r} is not a number of seconds since 1970") from None
