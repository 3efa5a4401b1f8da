"""A rule that is taken away or turned round is noticed by a case of its own case file.

And each sentence of a document that names a rule has a case that names the sentence and notices a change of that rule.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from contextlib import suppress
from functools import cache

import pytest

from mqclause import RuleError, Rules
from mqclause.documents import DOCUMENTS
from mqclause.rulebook.case_files import read_case_file
from mqclause.rulebook.clauses import list_clauses
from mqclause.rulebook.mutants import generate_mutants, generate_term_mutants
from mqclause.rulebook.rule import Ruleset
from mqclause.rulebook.rules import get_rule_id
from mqclause.testing.case_runner import find_noticing_cases, group_cases_by_clause, read_cases
from spec_tests.support.deep import every

RULES = Rules()
RULE_IDS = [get_rule_id(path) for path in RULES.files if path.partition("/")[0] in DOCUMENTS]
LINKS = [
    (document, clause.path, rule_id)
    for document in DOCUMENTS
    for clause in list_clauses(RULES, document)
    for rule_id in clause.rules or ()
]
TERMS = [(document, term) for document in DOCUMENTS for term in RULES.toml("terms.toml")[document]]


@cache
def ruleset(rule_id: str) -> Ruleset:
    """That of the oldest edition that has the rule: what an edition says of it is turned round, too, and cases notice."""
    about = DOCUMENTS[rule_id.partition(".")[0]]
    read = (RULES.in_edition(each).ruleset(about) for each in RULES.known_editions)
    return next(each for each in read if rule_id in (rule.id for rule in each.rules))


@cache
def untouched() -> Rules:
    """The same rules, read from other texts."""
    return RULES.with_files({"terms.toml": RULES.files["terms.toml"] + "# untouched\n"})


def is_noticed(spoilt: Rules, rule_ids: Iterable[str], original: Ruleset) -> bool:
    """Whether a case of these rules has another answer. Raises RuleError where the rules do not load."""
    return any(find_noticing_cases(spoilt, (case for rule_id in rule_ids for case in read_cases(rule_id)), original))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_rule_file_is_a_rule(document: str) -> None:
    """In some edition, so that nothing below passes a file by."""
    of_document = [rule_id for rule_id in RULE_IDS if rule_id.partition(".")[0] == document]
    assert of_document
    assert all(map(ruleset, of_document))


@pytest.mark.parametrize("rule_id", every(16, RULE_IDS))
def test_a_removed_rule_is_noticed(rule_id: str) -> None:
    # Rules that need what it derives, or that name it, do not load without it.
    with suppress(RuleError):
        assert is_noticed(RULES.with_files({RULES.path(rule_id): None}), [rule_id], ruleset(rule_id))


@pytest.mark.parametrize("rule_id", every(16, RULE_IDS))
def test_a_rule_turned_round_is_noticed(rule_id: str) -> None:
    mutants = list(generate_mutants(RULES, ruleset(rule_id), rule_id))
    unnoticed = [each.change for each in mutants if not is_noticed(each.within(RULES), [rule_id], ruleset(rule_id))]
    assert mutants, "nothing in this rule can be turned round"
    assert unnoticed == list(read_case_file(rule_id).equivalent)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_mutant_differs_from_its_rule_and_is_read_as_it_was_written(document: str) -> None:
    for rule_id in (each for each in RULE_IDS if each.partition(".")[0] == document):
        for mutant in generate_mutants(RULES, ruleset(rule_id), rule_id):
            assert mutant.path == RULES.path(rule_id)
            assert mutant.table != RULES.toml(mutant.path), (rule_id, mutant.change)
            assert tomllib.loads(mutant.text) == mutant.table, (rule_id, mutant.change)


@pytest.mark.parametrize("rule_id", every(16, RULE_IDS))
def test_an_untouched_rule_passes_its_cases(rule_id: str) -> None:
    assert not is_noticed(untouched(), [rule_id], ruleset(rule_id))


@pytest.mark.parametrize(("document", "term"), every(16, TERMS))
def test_a_term_turned_round_is_noticed(document: str, term: str) -> None:
    known = RULES.ruleset(DOCUMENTS[document])
    mutants = list(generate_term_mutants(RULES, known, term))
    assert mutants
    # Those that use it most often notice it.
    of_document = [each for each in RULE_IDS if each.partition(".")[0] == document]
    rule_ids = sorted(of_document, key=lambda rule_id: term not in RULES.files[RULES.path(rule_id)])
    for mutant in mutants:
        assert is_noticed(mutant.within(RULES), rule_ids, known), mutant.change


@pytest.mark.parametrize(("document", "sentence", "rule_id"), every(16, LINKS))
def test_a_sentence_is_stated_by_its_rule(document: str, sentence: str, rule_id: str) -> None:
    naming, known = group_cases_by_clause(RULES, document)[sentence], ruleset(rule_id)
    # Those of the rule itself most often notice it.
    naming.sort(key=lambda case: case.rule != rule_id)
    mutants = generate_mutants(RULES, known, rule_id)
    assert any(any(find_noticing_cases(each.within(RULES), naming, known)) for each in mutants), (
        "no case of the sentence notices it"
    )
