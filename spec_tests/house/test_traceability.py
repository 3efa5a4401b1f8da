"""Clause to rule to case, and back: nothing is left out on either side.

With MQCLAUSE_DOCUMENTS naming a folder of the source documents, the clauses are also compared with their words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from mqclause import Rules
from mqclause.documents import DOCUMENTS
from mqclause.rulebook.case_files import CaseFile, read_case_files
from mqclause.rulebook.clauses import (
    ClauseFile,
    compute_fingerprint,
    find_unstated_clauses,
    list_clauses,
    locate_sentences,
    read_clause_files,
    resolve_clause_path,
)
from mqclause.rulebook.loader import find_overrides
from mqclause.rulebook.rules import get_rule_id
from spec_tests.support.product import ROOT

RULES = Rules()
OWN_WORDS = 8
"""So many words in a row in common with the source are a copy."""


def find_unmet_clauses(rules: Rules, document: str, folder: Path | None = None) -> Iterator[str]:
    """What is missing between the clauses of a document, its rules and readings, and the cases: all at once.

    ``folder`` has the case files; without it those that come with the project count.
    """
    tables = [table for file in read_clause_files(rules, document) for table in file.tables]
    cases = {str(file): file for file in read_case_files(folder)}
    files = [path for path in rules.files if path.startswith(f"{document}/")]
    yield from find_unstated_clauses(rules, document)
    for path in files:
        yield from unmet_cases(path, cases.get(path))
    for file in cases.values():
        if file.document == document and str(file) not in files:
            yield f"case file {file}: there is no rule file of that name"
    yield from unmet_names(document, tables, cases.values())
    yield from unmet_readings(rules, document, {table.get("number") for table in tables}, cases.values())


def unmet_cases(path: str, file: CaseFile | None) -> Iterator[str]:
    if file is None:
        yield f"{get_rule_id(path)}: has no case file {path}"
        return
    acts = [table.get("acts") for table in file.tables]
    if True not in acts:
        yield f"{get_rule_id(path)}: has no case where it acts"
    if False not in acts:
        yield f"{get_rule_id(path)}: has no case where it does not act"


def unmet_names(document: str, tables: Iterable[Mapping[str, Any]], cases: Iterable[CaseFile]) -> Iterator[str]:
    """Sentences with rules that no case names, cases that name no sentence, and names that are no sentence's."""
    known = {table.get("path"): table for table in tables}
    named: set[str | None] = set()
    for file in cases:
        stated = (name for table in file.all_tables for name in file.list_clauses(table))
        names = {resolve_clause_path(document, file.document, name) for name in stated} - {None}
        named |= names
        yield from (f"case file {file}: there is no clause {name}" for name in sorted(map(str, names - known.keys())))
        nameless = (table["name"] for table in file.all_tables if not file.list_clauses(table))
        yield from (f"case file {file}: {name} names no sentence" for name in nameless)
    for path, table in known.items():
        if table.get("rules") and path not in named:
            yield f"clause {document} {path}: no case names it"


def unmet_readings(
    rules: Rules, document: str, numbers: Iterable[str | None], cases: Iterable[CaseFile]
) -> Iterator[str]:
    """Readings of clauses that are none, and choices that no rule, term or case depends on."""
    stated = {reading for path in rules.files for reading in find_overrides(rules.toml(path), "reading")}
    tables = [table for file in cases for table in file.all_tables]
    tried = {f"{name}={choice}" for table in tables for name, choice in table.get("readings", {}).items()}
    for edition in {table["edition"] for table in tables if "edition" in table}.intersection(rules.known_editions):
        tried |= {f"{name}={choice}" for name, choice in rules.in_edition(edition).readings.items()}
    known = {f"{document}/{number}" for number in numbers}
    for reading in (each for each in rules.known_readings.values() if each.concerns(document)):
        for clause in reading.clauses:
            if clause.startswith(f"{document}/") and clause not in known:
                yield f"reading {reading.id}: there is no clause {clause}"
        for choice in (f"{reading.id}={choice}" for choice in reading.every_choice[1:]):
            if choice not in stated:
                yield f"reading {choice}: no rule or term depends on it"
            if choice not in tried:
                yield f"reading {choice}: no case tries it"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_clauses_rules_and_cases_belong_together(document: str) -> None:
    found = list(find_unmet_clauses(RULES, document))
    assert not found, "\n".join(["unmet:", *found])


def test_a_document_is_read_clause_by_clause() -> None:
    clauses = list_clauses(RULES, "workload")
    [heading] = [each for each in clauses if each.path == "preface.1"]
    assert (heading.number, heading.rules, heading.not_a_rule) == ("preface", None, "A heading.")
    assert {rule for each in clauses if each.number == "4a" for rule in each.rules or ()} == {
        "workload.04a",
        "workload.04ab",
    }


SPOILT = """
document = "workload"
[[clause]]
path = "1.1"
number = "2"
says = "x"
rules = ["workload.99", "workload.04b"]
[[clause]]
path = "1.1"
number = "1"
says = ""
author = "me"
page = "A page"
read = "2026-05-06"
since = "mq-8.0"
evidence = "recalled"
"""


def test_what_is_unmet_is_told_all_at_once(tmp_path: Path) -> None:
    documents = {path: None for path in RULES.files if path.startswith("documents/")}
    case = '[[case]]\nname = "a"\nacts = true\nexpect = {}\n'
    (tmp_path / "workload").mkdir()
    for name in ("04a_channel_rank", "99_none"):
        (tmp_path / "workload" / f"{name}.toml").write_text(case)
    found = list(
        find_unmet_clauses(RULES.with_files({**documents, "documents/000_spoilt.toml": SPOILT}), "workload", tmp_path)
    )
    expected = [
        "clause workload 1.1: its number is 2",
        "clause workload 1.1: there is no rule workload.99",
        "clause workload 1.1: has rules or a reason why it is none, one of them (or the program that does it)",
        "clause workload 1.1: says, rules and not_a_rule are not empty",
        "clause workload 1.1: is recalled, so it was not read on 2026-05-06",
        "clause workload 1.1: unknown key author",
        "clause workload 1.1: given 2 times",
        "workload.04a: no clause of workload is stated by it",
        "workload.04a: has no case where it does not act",
        "workload.04b: no sentence of workload/4b names it, which it says that it states",
        "workload.04b: has no case file workload/04b_queue_rank.toml",
        "case file workload/99_none.toml: there is no rule file of that name",
        "reading mru-ties: there is no clause workload/11c",
        "reading mru-ties=any: no case tries it",
    ]
    assert [each for each in expected if each not in found] == []


def test_a_choice_that_nothing_depends_on_is_unmet() -> None:
    path = "workload/11c_most_recently_used.toml"
    text = RULES.files[path].replace("mru-ties=any", "mru-ties=keep-first-listed")
    assert list(find_unmet_clauses(RULES.with_files({path: text}), "workload")) == [
        "reading mru-ties=any: no rule or term depends on it"
    ]


def test_every_folder_of_rules_has_a_document_and_a_declaration() -> None:
    folders = {path.partition("/")[0] for path in RULES.files if "/" in path} - {"documents"}
    assert folders == {file.document for file in read_clause_files(RULES)} == set(DOCUMENTS)


def test_what_the_program_states_has_a_module_and_a_test() -> None:
    stated = [clause for each in read_clause_files(RULES) for clause in each.clauses if clause.program]
    assert stated
    for clause in stated:
        assert clause.program is not None
        module, test = clause.program
        path, _, name = test.partition("::")
        assert (ROOT / module).is_file(), clause
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), clause


def test_readings_are_of_clauses_that_exist() -> None:
    concerned = {clause.partition("/")[0] for each in RULES.known_readings.values() for clause in each.clauses}
    assert concerned <= set(DOCUMENTS)


def source_of(file: ClauseFile) -> str:
    """The text of the source document; skips the test where it is not at hand."""
    folder = os.environ.get("MQCLAUSE_DOCUMENTS")
    if not folder:
        pytest.skip("MQCLAUSE_DOCUMENTS names no folder of source documents")
    found = list(Path(folder).glob(f"{file.name.partition('_')[0]}_*"))
    assert len(found) == 1, f"{len(found)} source documents for {file.name}"
    return found[0].read_text(encoding="utf-8")


def sentences_of(text: str) -> list[str]:
    return [sentence for _, sentence in locate_sentences(text)]


WITH_SOURCE = pytest.mark.parametrize(
    "file", [file for file in read_clause_files(RULES) if file.name[:3].isdigit()], ids=lambda file: file.name
)


@WITH_SOURCE
def test_fingerprints_are_found_in_the_source(file: ClauseFile) -> None:
    prints = {compute_fingerprint(sentence): sentence for sentence in sentences_of(source_of(file))}
    stated = {clause.fingerprint: clause.path for clause in file.clauses}
    assert [place for found, place in stated.items() if found not in prints] == []
    assert [sentence for found, sentence in prints.items() if found not in stated] == []


@WITH_SOURCE
def test_sentences_are_in_the_order_of_the_source(file: ClauseFile) -> None:
    order = [found for found, _ in groupby(map(compute_fingerprint, sentences_of(source_of(file))))]
    places = [clause.fingerprint for clause in file.clauses]
    assert [each for each, _ in groupby(places)] == order, "a sentence is left out, or at another place"


def test_a_sentence_of_several_sources_is_found_in_one_of_them() -> None:
    folder = os.environ.get("MQCLAUSE_DOCUMENTS")
    if not folder:
        pytest.skip("MQCLAUSE_DOCUMENTS names no folder of source documents")
    texts = [path.read_text(encoding="utf-8") for path in Path(folder).glob("*.txt")]
    known = {compute_fingerprint(sentence) for text in texts for sentence in sentences_of(text)}
    gathered = [file for file in read_clause_files(RULES) if not file.name[:3].isdigit()]
    stated = {clause.path: clause.fingerprint for file in gathered for clause in file.clauses if clause.fingerprint}
    assert stated
    assert [path for path, found in stated.items() if found not in known] == []


def runs(text: str) -> set[tuple[str, ...]]:
    """Every run of OWN_WORDS words."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {tuple(words[at : at + OWN_WORDS]) for at in range(len(words) - OWN_WORDS + 1)}


def own_texts(value: Any) -> Iterator[str]:
    """Every text in a rule file or a document of clauses."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from own_texts(part)


@WITH_SOURCE
def test_the_words_are_our_own(file: ClauseFile) -> None:
    source = runs(source_of(file))
    rules = [path for path in RULES.files if path.startswith(f"{file.document}/")]
    paths = [f"documents/{file.name}", "readings.toml", "terms.toml", *rules]
    assert [text for path in paths for text in own_texts(RULES.toml(path)) if runs(text) & source] == []
