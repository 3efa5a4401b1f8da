"""Print what an auditor asks of the rules."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.text import Text

from mqclause.audit.case_run import CaseResult, MutantResult, MutantStatus, RuleCoverage
from mqclause.audit.comparison import Comparison, DocumentComparison, Example, FactDifference
from mqclause.audit.lint import LintFinding
from mqclause.audit.proof import DocumentProof, LawProof
from mqclause.audit.verification import OtherSources, VerifiedCopy, VerifiedSentence
from mqclause.render.terminal import Page
from mqclause.trace import join_names

ALIKE, UNLIKE = "green", "bold red"
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def print_verification(found: Sequence[VerifiedCopy], others: OtherSources) -> None:
    """Print each copy: the document that it is, how many sentences match, and each sentence that does not."""
    page = Page()
    for each in found:
        counted = Counter(sentence.status for sentence in each.sentences)
        page.line(Text.assemble((each.source, "bold"), f": {each.file.document}, {each.file.title}"))
        edition = each.file.edition or "not stated in the document"
        page.line(f"{each.file.source}; edition: {edition}", "", 2)
        same = ", byte for byte the file that the rules were written from" if each.is_same_file else ""
        said = f"{counted['matches']} of {len(each.sentences)} sentences stand there as the rules have them{same}"
        page.line(Text(said, ALIKE if each.is_alike else UNLIKE), "", 2)
        for sentence in each.sentences:
            if sentence.status != "matches":
                _print_unlike(sentence, page)
        for copied in each.new:
            page.line(f"line {copied.line}: {copied.text}", "  new", 11)
    page.line(
        f"no copy shows the sentences of other books: {others.on_pages} were read on a page that they name, "
        f"{others.by_project} are the project's own"
    )
    for path in others.unsourced:
        page.line(f"{path}: says neither a page nor why the project states it")


def _print_unlike(sentence: VerifiedSentence, page: Page) -> None:
    """A sentence that is not as it was: what the rules have, and what stands there."""
    page.line(f"{', '.join(sentence.paths)}: {sentence.says}", f"  {sentence.status}", 11)
    if sentence.copied is not None:
        page.line(f"line {sentence.copied.line}: {sentence.copied.text}", "", 11)


def print_cases(
    results: Sequence[CaseResult],
    seconds: float,
    covered: Sequence[RuleCoverage] | None = None,
    proofs: Sequence[DocumentProof] | None = None,
    laws: Sequence[LawProof] = (),
) -> None:
    """Print documents, failures, coverage, what is proved, laws, and how many cases passed in so many seconds."""
    page = Page()
    for document, found in groupby(results, lambda each: each.document):
        page.line(_count_passed([*found]), document, 16)
    for each in results:
        if each.wrong:
            _print_failed(each, page)
    if covered is not None:
        print_coverage(covered, page)
    for proof in proofs or ():
        print_proof(proof, page)
    for law in laws:
        print_law(law, page)
    page.line(_count_passed(results).append(f" in {seconds:.1f} s"))


def _count_passed(results: Sequence[CaseResult]) -> Text:
    failed = sum(bool(each.wrong) for each in results)
    said = f"{len(results) - failed} passed" + (f", {failed} failed" if failed else "")
    return Text(said, UNLIKE if failed else ALIKE)


def _print_failed(result: CaseResult, page: Page) -> None:
    sentences = f" (sentence {', '.join(result.clauses)})" if result.clauses else ""
    page.line(Text.assemble(("FAILED ", UNLIKE), (result.file, "bold"), f": {result.name}{sentences}"))
    for line in result.wrong:
        page.line(line, "", 4)


def print_proof(proof: DocumentProof, page: Page) -> None:
    """Print on how many situations the executors agree, and those on which they do not."""
    whole = sum(each.is_whole for each in proof.rules)
    subjects = max((each.subjects for each in proof.rules), default=0)
    agreed = f"executors agree on {proof.situations - proof.disagreements:,} of {proof.situations:,} situations"
    all_of = f"all that {whole} of {len(proof.rules)} rules tell apart"
    with_so_many = f" with 2 subjects or {subjects}" if subjects else ""
    page.line(f"{agreed}, which are {all_of}{with_so_many}", proof.document, 16)
    for each in proof.rules:
        for stated in each.disagreements:
            page.line(Text(f"they disagree on {_inline(stated.to_toml())}", UNLIKE), each.rule, 16)


def print_law(proof: LawProof, page: Page) -> None:
    """Print a law, on how many situations it holds, and what breaks it or which rule it could do without."""
    page.line(f"law {proof.law.id}: {proof.law.says}", proof.law.document, 16)
    if proof.broken is not None:
        page.line(Text(f"broken by {_inline(proof.broken.to_toml())}", UNLIKE), "", 16)
        return
    needed = [rule for rule, found in proof.without.items() if found is not None]
    rests = f", and would not without {join_names(needed)}" if needed else ""
    if proof.situations:
        page.line(Text(f"holds in {proof.situations:,} situations{rests}", ALIKE), "", 16)
    else:
        page.line(Text("no situation was tried: what is given allows none", UNLIKE), "", 16)
    for rule, found in proof.without.items():
        if found is None:
            page.line(Text(f"no situation was found that breaks it without {rule}", UNLIKE), "", 16)


def print_coverage(covered: Sequence[RuleCoverage], page: Page) -> None:
    """Print each rule of which a branch is missed, and how many of all branches cases take."""
    for each in covered:
        for missed in each.missed:
            page.line(Text(missed, "yellow"), each.rule, 22)
    branches, missed = (
        sum(found) for found in zip(*((each.branches, len(each.missed)) for each in covered), strict=True)
    )
    page.line(f"cases take {branches - missed} of {branches} branches, and all branches of "
              f"{sum(not each.missed for each in covered)} of {len(covered)} rules")  # fmt: skip


BECAME: Mapping[MutantStatus, str] = {
    "killed": "is noticed by", "not loaded": "does not load",
    "equivalent": "makes no difference, as its case file says", "survived": "is noticed by no case",
}  # fmt: skip
"""What is said of a mutant."""


def print_mutants(found: Sequence[MutantResult], every: bool) -> None:
    """Print each change that no case notices, or ``every`` one with the cases that do, and how many there are."""
    page = Page()
    for each in found:
        if every or each.is_unmet:
            style = UNLIKE if each.is_unmet else ""
            noticing = f" {'; '.join(each.cases)}" if each.cases else ""
            page.line(Text(f"{each.change} {BECAME[each.status]}{noticing}", style), each.rule, 22)
    counted = Counter(each.status for each in found)
    said = ", ".join(
        f"{counted[status]} {status}"
        for status in ("killed", "not loaded", "equivalent", "survived")
        if counted[status]
    )
    page.line(Text(f"{len(found)} mutants: {said}", UNLIKE if counted["survived"] else ALIKE))


def print_lint(folder: str, found: Sequence[LintFinding], every: bool) -> None:
    """Print each finding with its file; ``every`` also those that the folder lists, with the reason."""
    page = Page()
    listed = [each for each in found if each.reason]
    for each in found if every else (each for each in found if not each.reason):
        place = f"{Path(folder) / each.path}" + (f": {each.key}" if each.key else "")
        page.line(Text.assemble((place, "bold"), " ", (each.code, "yellow"), f" {each.message}"))
        if each.reason:
            page.line(Text(f"listed: {each.reason}", "dim"), "", 4)
    counted = Counter(each.code for each in found if not each.reason)
    said = ", ".join(f"{count} {code}" for code, count in sorted(counted.items())) or "nothing"
    others = f"; {len(listed)} more are listed with a reason" if listed else ""
    page.line(Text(f"found {said}{others}", "" if counted else ALIKE))


def print_comparison(found: Comparison) -> None:
    """Print the keys that differ, then for each document the plainest facts on which the answers do."""
    page = Page()
    for each in found.text:
        page.line(Text.assemble((each.path, "bold"), f" {each.key}"))
        for label, value in (("  before", each.before), ("  after", each.after)):
            page.line("nothing" if value is None else f"{value}", label, 10)
    for document in found.documents:
        _print_document(document, page)
    if not (found.text or found.documents):
        page.line(Text("nothing differs", ALIKE))


def print_fact_differences(found: Sequence[FactDifference]) -> None:
    """Print each object that one configuration has alone, and each attribute that both state otherwise."""
    page = Page()
    for each in found:
        seen = f"at {join_names([*each.seen_at])}" if each.seen_at else ""
        page.line(Text.assemble((each.object, "bold"), *(f" {part}" for part in (each.key, seen) if part)))
        for label, value in (("  before", each.before), ("  after", each.after)):
            page.line("not there" if value is None else f"{value}", label, 10)
    if not found:
        page.line(Text("no object differs", ALIKE))


def _print_document(found: DocumentComparison, page: Page) -> None:
    page.line(Text.assemble((found.document, "bold"), f": changed are {', '.join(found.changed)}"))
    bound, tried = found.bound, f"{found.tried:,} situations"
    if found.example is None:
        page.line(
            f"no answer differs in {tried} of up to {bound.subjects} subjects and {bound.attributes} attributes that "
            f"are not as by default, nor in {found.cases} cases",
            "", 2,
        )  # fmt: skip
        return
    _print_example(found.example, page)


def _print_example(example: Example, page: Page) -> None:
    where = (
        f"the facts of the case {example.case}"
        if example.case
        else "where this is what the rules see, and all else as by default"
    )
    page.line(f"answers differ: {where}", "", 2)
    if not example.case:
        page.line(f"situation = {_inline(example.facts.get('situation', {}))}", "", 4)
        for at, each in enumerate(example.facts.get("subjects", ()), 1):
            page.line(f"subject {at} = {_inline(each)}", "", 4)
    for label, side in (("  before", example.before), ("  after", example.after)):
        for number, line in enumerate([*filter(None, [side.answer]), *side.steps]):
            page.line(line, "" if number else label, 10)


def write_inline(value: Any) -> str:
    """Write a value as TOML in one line; a table without its braces, as it stands alone."""
    if isinstance(value, Mapping):
        return ", ".join(f"{_write_key(key)} = {_inline(each)}" for key, each in value.items())
    return _inline(value)


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{write_inline(value)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_inline, value))}]"
    return json.dumps(value, ensure_ascii=False, default=str)


def _write_key(key: str) -> str:
    return key if BARE_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
