"""Sentences of the documents on exits and on administration are stated by the product, not by rules that are fed facts.

For each one that a rule states there is a case that names it and is a scenario: something replayed, decided, or asked
about a day. For each of its rules such a case notices a change of that. Where checks state it, their examples go
through ``check`` (``spec_tests/house/test_checks.py``).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mqclause import RuleError, Rules
from mqclause.documents import DOCUMENTS
from mqclause.rulebook.case_files import CaseError, CaseFile
from mqclause.rulebook.clauses import read_clause_files
from mqclause.rulebook.mutants import generate_mutants
from mqclause.testing.case_kinds import RunnableCase
from mqclause.testing.case_runner import ProductCase, find_noticing_cases, group_cases_by_clause
from spec_tests.support.deep import every

RULES = Rules()
FROM = ("003_", "004_")
"""What the names of the documents begin with, as they lie before their reader."""

SENTENCES = [
    (file.document, clause.path, clause.rules)
    for file in read_clause_files(RULES)
    for clause in file.clauses
    if file.name.startswith(FROM) and clause.rules
]
LINKS = [(document, path, rule) for document, path, rules in SENTENCES for rule in rules]


def through(document: str, path: str) -> list[RunnableCase]:
    """The cases that name a sentence and go through the product."""
    return [each for each in group_cases_by_clause(RULES, document).get(path, ()) if each.GOES_THROUGH]


def has_example(rule: str) -> bool:
    return "example" in RULES.toml(RULES.path(rule))


def test_every_sentence_that_a_rule_states_has_a_scenario() -> None:
    lacking = [
        f"{document}/{path}"
        for document, path, rules in SENTENCES
        if not (through(document, path) or all(map(has_example, rules)))
    ]
    assert lacking == []
    assert {document for document, _, _ in SENTENCES} == {"exit", "administration"}


@pytest.mark.parametrize(("document", "path", "rule"), every(5, [link for link in LINKS if not has_example(link[2])]))
def test_a_scenario_notices_what_is_done_to_the_rule(document: str, path: str, rule: str) -> None:
    cases, original = through(document, path), RULES.ruleset(DOCUMENTS[rule.partition(".")[0]])
    assert [case.faults(RULES) for case in cases] == [[]] * len(cases)
    try:
        seen = any(find_noticing_cases(RULES.with_files({RULES.path(rule): None}), cases, original))
    except RuleError:
        return  # the others do not load without it
    mutants = generate_mutants(RULES, original, rule)
    assert seen or any(any(find_noticing_cases(each.within(RULES), cases, original)) for each in mutants)


SCENARIO = '[[scenario]]\nname = "a"\nevent = [{do = "restart"}]\nexpect = {rows = [{event = 0}]}\n'
SCENE = '[scene]\nqueue_manager = {name = "QM1"}\n'


def read(folder: Path, text: str) -> tuple[ProductCase, ...]:
    path = folder / "05b_delivered_waits.toml"
    path.write_text(SCENE + text, encoding="utf-8")
    return CaseFile.read(path).select_scenarios().cases(ProductCase)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('event = [{do = "restart"}]', "", "one of event, on and facts.put is needed"),
        ("expect = {rows", 'on = "2026-01-01"\nexpect = {rows', "one of event, on and facts.put is needed"),
        ("rows", "row", "unknown key row; allowed: exit_limit, retention, rows, trace; did you mean 'rows'?"),
        ("event =", "events =", "unknown key events"),
        ('name = "a"', "", "name is missing"),
    ],
)
def test_a_fault_in_a_scenario_is_told(tmp_path: Path, old: str, new: str, fault: str) -> None:
    assert len(read(tmp_path, SCENARIO)) == 1
    with pytest.raises(CaseError) as caught:
        read(tmp_path, SCENARIO.replace(old, new, 1))
    assert fault in str(caught.value)


@pytest.mark.parametrize(
    ("wanted", "is_so"),
    [
        ('{event = 0, do = "restart"}', True),
        ('{event = 0, do = "put"}', False),
        ("{event = 0, changed = []}", True),
        ("{event = 0, changed = [{}]}", False),
        ('{event = 0, routed = ""}', True),
        ('{event = 0, routed = {queue_manager = "QM1"}}', False),
        ("{event = 1}", False),
    ],
)
def test_what_a_scenario_expects_is_compared_as_far_as_it_is_stated(tmp_path: Path, wanted: str, is_so: bool) -> None:
    [case] = read(tmp_path, SCENARIO.replace("{event = 0}", wanted))
    assert (case.faults(RULES) == []) == is_so
