"""Checks of rule files: each finds a fault that is planted in a copy of the rules, and nothing else in ours."""

from __future__ import annotations

import re
from functools import cache

import pytest

from mqclause import RuleError, Rules
from mqclause.audit.lint import LintCheck, LintFinding, get_checks, lint_rules
from mqclause.audit.possibility import Constraint, search
from mqclause.documents import DOCUMENTS
from mqclause.language.parser import parse
from mqclause.language.vocabulary import BOOLEAN, NUMBER, TEXT, Type, Vocabulary, Word
from mqclause.rulebook.rules import LINT_FILE
from spec_tests.support.deep import every
from spec_tests.support.explain_command import bad, run

RULES = Rules()
OF_NO_DOCUMENT = {"terms.toml": "workload", "documents": "workload"}
"""The document in which what is planted in a shared file is looked for."""


@cache
def found_in(document: str) -> frozenset[LintFinding]:
    return frozenset(lint_rules(RULES, documents=[document]))


@pytest.mark.parametrize("check", every(6, get_checks()), ids=lambda each: each.code)
def test_a_fault_that_is_planted_is_found(check: LintCheck) -> None:
    code, (path, text) = check.code, check.example
    folder = path.partition("/")[0]
    document = OF_NO_DOCUMENT.get(folder, folder)
    planted = RULES.with_files({path: RULES.files.get(path, "") + text})
    found = {each for each in lint_rules(planted, documents=[document]) if each.code == code and not each.reason}
    assert {each.path for each in found - found_in(document)} == {path}


def test_two_rules_by_which_a_call_fails_alike_are_the_same() -> None:
    """Whatever their texts are; each is another rule that ended the call, and that is no difference."""
    path = "call/2053_q_full.toml"
    planted = RULES.with_files({"call/2053b_planted.toml": re.sub('title *= "', 'title = "Or: ', RULES.files[path])})
    found = lint_rules(planted, documents=["call"])
    assert {each.path for each in found if each.code == "same-rule"} == {"call/2053b_planted.toml"}


@pytest.mark.parametrize("document", every(4, sorted(DOCUMENTS, reverse=True)))
def test_nothing_is_found_in_ours_that_has_no_reason(document: str) -> None:
    assert [each for each in found_in(document) if not each.reason] == []


def test_each_check_has_a_page_with_its_example() -> None:
    assert len({each.code for each in get_checks()}) == len(get_checks())
    for check in get_checks():
        page = check.render_markdown()
        assert page.startswith(f"## {check.code}\n")
        assert check.example[1].strip() in page
        assert not check.title.endswith(".")


def words(**types: Type) -> Vocabulary:
    """A vocabulary of the situation alone."""
    return Vocabulary({name: Word(name, kind, "situation") for name, kind in types.items()})


FULL = words(
    size=Type("whole", (), 0, 9), weight=NUMBER, limit=Type("whole"), other=Type("whole"), urgent=BOOLEAN,
    road=Type("text", ("", "LAND", "SEA")), name=TEXT, target=TEXT, stops=Type("names"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("conditions", "possible", "exhaustive"),
    [
        (["size > 8"], True, True),
        (["size > 9"], False, True),
        (["size > 3", "size < 5", "size <> 4"], False, True),
        (["weight > 3", "weight < 4"], True, True),
        (["limit < other", "other < limit"], False, True),
        (["limit < other", "limit > 4", "other < 7"], True, True),
        (["limit < other", "limit > 5", "other < 7"], False, True),
        (["urgent", "NOT urgent"], False, True),
        (["urgent OR size = 3", "NOT urgent", "size IN (1, 2)"], False, True),
        (["road <> 'LAND'", "road <> 'SEA'", "road <> ''"], False, True),
        (["name <> 'A'", "name <> ''"], True, True),
        (["name = target", "target = 'A'", "name <> 'A'"], False, True),
        (["ARRAY_CONTAINS(stops, name)", "name = ''"], False, True),
        (["ARRAY_CONTAINS(stops, name)", "NOT ARRAY_CONTAINS(stops, target)"], True, True),
        (["CASE WHEN urgent THEN 1 ELSE 2 END = 3"], False, True),
        (["CASE WHEN urgent THEN 1 ELSE 2 END = 2", "urgent"], False, True),
        (["limit + 1 < limit"], False, False),
    ],
)
def test_conditions_that_can_hold_together(conditions: list[str], possible: bool, exhaustive: bool) -> None:
    trees = [Constraint(parse(text, FULL, per_subject=False), FULL) for text in conditions]
    found = search(trees)
    assert (found.possible, found.exhaustive or found.possible) == (possible, exhaustive)


def test_a_fact_that_can_have_some_values_alone() -> None:
    tree = Constraint(parse("name = 'B'", FULL, per_subject=False), FULL)
    assert search([tree]).possible
    assert search([tree], {"name": ("", "A")}).impossible


def test_a_search_that_ends_before_its_end_says_so() -> None:
    many = words(**{f"n{number}": BOOLEAN for number in range(20)})
    odd = " OR ".join(f"(n{number} AND NOT n{number})" for number in range(20))
    found = search([Constraint(parse(odd, many, per_subject=False), many)])
    assert not found.possible
    assert not found.exhaustive
    assert not found.impossible


@pytest.mark.deep
def test_a_reason_of_what_is_not_found_is_refused() -> None:
    listed = '[[listed]]\ncode = "style"\nfile = "workload/04b_queue_rank.toml"\nkey = "title"\nreason = "because"\n'
    with pytest.raises(RuleError, match=r"lint\.toml: listed \d+: style is not found in workload/04b_queue_rank"):
        lint_rules(RULES.with_files({LINT_FILE: RULES.files[LINT_FILE] + listed}))


def test_a_list_of_reasons_has_codes_files_and_reasons() -> None:
    listed = '[[listed]]\ncode = "style"\nfile = "workload/04b_queue_rank.toml"\nkey = "title"\nreason = "because"\n'
    with pytest.raises(RuleError, match=r"listed 1\.code: 'stile' is no check; allowed: .* did you mean 'style'"):
        lint_rules(RULES.with_files({LINT_FILE: listed.replace('"style"', '"stile"')}), documents=["call"])
    with pytest.raises(RuleError, match=r"listed 1\.reason: is missing"):
        lint_rules(RULES.with_files({LINT_FILE: listed.replace("because", "")}), documents=["call"])


def test_the_command_tells_what_is_found() -> None:
    page = run("lint", "--about", "dead-rule")
    assert page.returncode == 0
    assert page.stdout.startswith("## dead-rule\n\nA rule can apply.\n")
    assert bad("lint", "--about", "dead") == [
        "--about: 'dead' is no check; allowed: all, dead-rule, masked-rule, cannot-fail, same-rule, no-sentence,"
        " no-source, because-number, no-case, unused-term, style; did you mean 'dead-rule'?"
    ]
